"""Trying again: how often, and how long to wait between."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from chunkscope.errors import ProviderError
from chunkscope.retrieval.providers.base import RetryableError

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
    stop = stop or threading.Event()
    for attempt in range(policy.attempts):
        try:
            return call()
        except RetryableError as error:
            failed = error
        if failed.after is not None and failed.after > 2 * policy.longest:
            raise ProviderError(f"{failed}; it asks to wait {failed.after:.0f} s: run again then, nothing is lost")
        if attempt + 1 == policy.attempts:
            break
        own = min(policy.wait * 2.0**attempt, policy.longest)
        # the random part parts clients that were refused together
        seconds = (own if failed.after is None else failed.after) + random.uniform(0.0, 0.25) * own
        if notify is not None:
            notify(f"{failed}; trying again in {seconds:.1f} s")
        if stop.wait(seconds):
            raise StoppedError
    raise ProviderError(f"{failed} (tried {policy.attempts} times)")
