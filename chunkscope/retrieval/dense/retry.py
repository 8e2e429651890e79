"""Trying again: which failures of a service may pass, and how long to wait.

Waiting is tenacity's, the same that vendors' clients use; their own retries are switched off, so that nothing is
retried twice over.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

from chunkscope.errors import ProviderError
from chunkscope.retrieval.providers.base import RetryableError

if TYPE_CHECKING:
    import tenacity

T = TypeVar("T")


class StoppedError(Exception):
    """The work was given up while a request waited to be tried again."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often, and how long between.

    Attributes
    ----------
    attempts : int
        Tries in all.
    wait : float
        Seconds before the second try; doubled each time, with a random part on top.
    longest : float
        Most seconds between two tries. A service that asks for more than twice that is not waited for.
    """

    attempts: int = 6
    wait: float = 1.0
    longest: float = 60.0


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Read how long a service asks to wait: ``Retry-After`` in seconds or as a date, ``retry-after-ms`` first.

    Parameters
    ----------
    headers : mapping
        Names in any case.
    now : float, optional
        Seconds since the epoch, by this machine's clock.

    Returns
    -------
    float or None
        Seconds from now, never negative; None where nothing that can be read is asked.

    Examples
    --------
    >>> retry_after({"Retry-After": "7"}), retry_after({"retry-after-ms": "250"}), retry_after({"Retry-After": "soon"})
    (7.0, 0.25, None)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, now=60.0)
    40.0
    """
    lower = {str(name).lower(): str(value).strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _number(lower.get(name, ""))
        if seconds is not None:
            return seconds / unit
    try:
        asked = parsedate_to_datetime(lower.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    if asked.tzinfo is None:  # "-0000": in universal time, from a place that is not told
        from datetime import UTC

        asked = asked.replace(tzinfo=UTC)
    return max(0.0, asked.timestamp() - (time.time() if now is None else now))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def call_with_retries(
    call: Callable[[], T],
    policy: RetryPolicy,
    stop: threading.Event | None = None,
    notify: Callable[[str], None] | None = None,
) -> T:
    """Call until it succeeds, for as long as what it raises is a `RetryableError`.

    Parameters
    ----------
    call : callable
    policy : RetryPolicy
    stop : threading.Event, optional
        Ends the waiting.
    notify : callable, optional
        Is told why and how long is waited.

    Raises
    ------
    ProviderError
        It did not succeed; what is not retryable comes through as it is.
    StoppedError
        `stop` was set.
    """
    try:
        return call()
    except RetryableError as error:
        first = error
    try:
        import tenacity
    except ImportError:
        raise ProviderError(f"{first} (not tried again: pip install tenacity)") from None
    stop = stop or threading.Event()
    waits = _Waits(policy, notify)
    tries = [first]

    def again() -> T:
        if tries:
            raise tries.pop()  # the call above was the first try
        return call()

    retrying = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(policy.attempts),
        retry=tenacity.retry_if_exception(waits.is_worth_it),
        wait=waits,
        sleep=_Sleep(stop),
        reraise=True,
    )
    try:
        return retrying(again)
    except RetryableError as error:
        if error.after is not None and error.after > 2 * policy.longest:
            raise ProviderError(
                f"{error}; it asks to wait {error.after:.0f} s: run again then, nothing is lost"
            ) from None
        raise ProviderError(f"{error} (tried {policy.attempts} times)") from None


class _Waits:
    """How long to wait after a failure; as long as the service asks, at least."""

    def __init__(self, policy: RetryPolicy, notify: Callable[[str], None] | None) -> None:
        self.policy = policy
        self.notify = notify

    def is_worth_it(self, error: BaseException) -> bool:
        if not isinstance(error, RetryableError):
            return False
        return error.after is None or error.after <= 2 * self.policy.longest

    def __call__(self, state: tenacity.RetryCallState) -> float:
        error: Any = state.outcome.exception() if state.outcome is not None else None
        own = min(self.policy.wait * 2.0 ** (state.attempt_number - 1), self.policy.longest)
        asked = getattr(error, "after", None)
        # the random part parts clients that were refused together
        seconds = (own if asked is None else float(asked)) + random.uniform(0.0, 0.25) * own
        if self.notify is not None:
            self.notify(f"{error}; trying again in {seconds:.1f} s")
        return seconds


class _Sleep:
    """Sleep that a stop ends."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop = stop

    def __call__(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise StoppedError
