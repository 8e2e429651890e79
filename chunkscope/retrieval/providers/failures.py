"""What the failures of services mean: to be tried again, too large, or final. No message holds a key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from chunkscope.errors import ProviderError
from chunkscope.retrieval.dense.retry import retry_after
from chunkscope.retrieval.providers.base import RetryableError, TooLargeError

MAX_QUOTED = 300
"""Characters of a service's own words that are repeated."""

MAY_PASS = frozenset({408, 409, 425, 429})
"""Statuses below 500 that may pass: time-outs, conflicts of locks, too many requests."""

_TOO_LARGE = re.compile(
    r"context.length|input.length|too (?:long|large|big|many)|maximum (?:context|allowed|number|input|batch)"
    r"|max(?:imum)?[ _-]?(?:allowed[ _-])?(?:batch|client|input|seq|token|num|length)|batch.?size|exceed|at most \d"
    r"|(?:less|fewer) than \d|\d+ (?:inputs|items|elements) or (?:less|fewer)|array.{0,20}too long|token limit",
    re.IGNORECASE,
)
_OF_A_TEXT = re.compile(
    r"context.(?:length|size|window)|input.length|(?:prompt|input|text).{0,20}too (?:long|large)", re.IGNORECASE
)
_NO_MONEY = re.compile(r"insufficient_quota|exceeded your current quota|billing|payment", re.IGNORECASE)


def without_secrets(text: str, secrets: Iterable[str]) -> str:
    """Take keys out of a text.

    Examples
    --------
    >>> without_secrets("bad key sk-12345678 in Bearer abc.def", ["sk-12345678"])
    'bad key *** in Bearer ***'
    """
    for secret in sorted((secret for secret in secrets if secret), key=len, reverse=True):
        text = text.replace(secret, "***")
    return re.sub(r"(?i)\b(bearer)\s+(?!\*\*\*)\S+", r"\1 ***", text)


def judge(
    name: str,
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    secrets: Iterable[str] = (),
    key_variable: str | None = None,
) -> ProviderError:
    """Tell what an answer that is no success means.

    Parameters
    ----------
    name : str
        Of the provider.
    status : int
        Of HTTP.
    message : str
        The service's words.
    headers : mapping, optional
    secrets : iterable of str
        Keys, never to be repeated.
    key_variable : str, optional
        Where the key comes from.

    Examples
    --------
    >>> type(judge("openai", 503, "busy")).__name__, type(judge("openai", 413, "")).__name__
    ('RetryableError', 'TooLargeError')
    >>> print(judge("openai", 401, "Incorrect API key: sk-12", key_variable="OPENAI_API_KEY"))
    openai: the key in OPENAI_API_KEY is refused (status 401)
    """
    said = " ".join(without_secrets(message, secrets).split())
    said = said if len(said) <= MAX_QUOTED else said[:MAX_QUOTED] + "..."
    told = f"{name}: status {status}" + (f": {said}" if said else "")
    if status in (401, 403):
        whose = f"the key in {key_variable} is refused" if key_variable else "access is refused"
        return ProviderError(f"{name}: {whose} (status {status})")
    if status == 413:
        return TooLargeError(told)
    if status == 429 and _NO_MONEY.search(message):
        return ProviderError(told)
    if status in MAY_PASS:
        return RetryableError(told, retry_after(headers or {}))
    if status >= 500:
        if _OF_A_TEXT.search(message):
            return TooLargeError(told)
        return RetryableError(told, retry_after(headers or {}))
    if status in (400, 422) and _TOO_LARGE.search(message):
        return TooLargeError(told)
    return ProviderError(told)
