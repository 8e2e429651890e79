"""Models behind a URL: one JSON request for some texts, one JSON answer, and what each way of failing means.

A service gets the texts that it is sent and nothing else: a redirect to another host or port is refused, and no answer
may take longer, or more room, than its texts can need. No message holds a key.
"""

from __future__ import annotations

import base64
import json
import math
import queue
import re
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar
from urllib.parse import urljoin, urlsplit

import numpy as np

from chunkscope.errors import ConfigError, MissingPartError, ProviderError, os_reason
from chunkscope.retrieval.providers.base import (
    EmbeddingSpace,
    Limits,
    RetryableError,
    Role,
    TooLargeError,
    Vectors,
    as_vectors,
    placed,
)
from chunkscope.spans.intervals import IntArray

LONGEST = 5
"""A whole exchange may take so many times the time-out of a single wait: who sends a byte now and then is given up."""
BYTES_A_TEXT, MAX_BYTES = 1 << 19, 1 << 29
"""Most bytes of an answer: for each text and once more, as JSON about 25,000 numbers; and in all."""
MAX_REDIRECTS = 5
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


class HttpProvider(ABC):
    """An embedding model of a service. Subclasses say what is sent, and where the vectors stand in the answer.

    Parameters
    ----------
    space : EmbeddingSpace
        With an endpoint, as `checked_endpoint` gives it.
    limits : Limits
    timeout : float
        Seconds without an answer after which a request counts as failed.
    key : str
        Sent as a bearer token; empty: none is.
    prompts : mapping, optional
        What is written before each text, by role.
    headers : mapping, optional
        Sent too.
    """

    key_variable: ClassVar[str]

    def __init__(
        self,
        space: EmbeddingSpace,
        limits: Limits,
        timeout: float,
        *,
        key: str = "",
        prompts: Mapping[Role, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        import requests

        self.space, self.limits, self.prompts = space, limits, dict(prompts or {})
        self.secrets = (key,) if key else ()
        self._timeout = float(timeout)
        self._requests = requests
        self._session = requests.Session()
        self._session.headers.update({**({"Authorization": f"Bearer {key}"} if key else {}), **(headers or {})})
        self._session.auth = lambda request: request  # or a password of ~/.netrc would take the place of the key
        # or requests would read the body of a redirect to its end to find out where it leads, though it is not followed
        self._session.get_redirect_target = lambda resp: None  # type: ignore[method-assign]
        weakref.finalize(self, self._session.close)

    @property
    def id(self) -> str:
        """Names service and model."""
        return f"{self.space.provider}:{self.space.model}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found, in one request."""
        return self._embed(texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, in one request."""
        return self._embed(texts, "query")

    @abstractmethod
    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        """Give the path behind the endpoint, and what is sent there."""

    def rows(self, answer: Any) -> list[tuple[Any, Any]]:
        """Give the vectors in an answer of OpenAI's form, each with its index; None where the order counts."""
        return [(item.get("index"), _unpacked(item.get("embedding"))) for item in answer["data"]]

    def _embed(self, texts: Sequence[str], role: Role) -> Vectors:
        path, body = self.request([self.prompts.get(role, "") + text for text in texts], role)
        answer = self.ask("POST", path, body, n_texts=len(texts))
        try:
            rows = self.rows(answer)
        except (AttributeError, KeyError, TypeError):
            raise ProviderError(f"{self.id}: the answer of {self.space.endpoint} holds no list of vectors") from None
        except ValueError as error:
            raise ProviderError(f"{self.id}: the answer holds something that is no vector ({error})") from None
        return as_vectors(self.id, len(texts), placed(self.id, len(texts), rows))

    def ask(self, method: str, path: str, body: Any = None, *, n_texts: int = 1) -> Any:
        """Send one request, and give its answer, read as JSON.

        Raises
        ------
        RetryableError, TooLargeError, ProviderError
            There is none that can be read; says why.
        """
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        limit = min((n_texts + 1) * BYTES_A_TEXT, MAX_BYTES)

        def exchange() -> None:
            try:
                done.put(self._exchange(method, f"{self.space.endpoint}{path}", body, limit))
            except BaseException as error:  # raised by the one who waits
                done.put(error)

        # in a thread, which is left behind where even the head of the answer comes byte by byte
        threading.Thread(target=exchange, daemon=True).start()
        try:
            answer = done.get(timeout=LONGEST * self._timeout)
        except queue.Empty:
            raise self._no_answer(f"not whole within {LONGEST * self._timeout:g} s") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _exchange(self, method: str, url: str, body: Any, limit: int) -> Any:
        errors = self._requests.exceptions
        try:
            status, headers, raw = self._send(method, url, body, limit)
        except (errors.ConnectionError, errors.Timeout, errors.ChunkedEncodingError) as error:
            raise self._no_answer(without_secrets(_root_of(error), self.secrets)) from None
        except errors.RequestException as error:
            raise ProviderError(f"{self.id}: {without_secrets(_root_of(error), self.secrets)}") from None
        if not 200 <= status < 300:
            variable = self.key_variable if self.secrets else None
            raise failure(self.id, status, _words_of(raw), headers, secrets=self.secrets, key_variable=variable)
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            told = without_secrets(str(error), self.secrets)
            raise ProviderError(f"{self.id}: an answer that cannot be read: {told}") from None

    def _send(self, method: str, url: str, body: Any, limit: int) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request, follow redirects within the service, and read an answer of at most so many bytes."""
        end = time.monotonic() + LONGEST * self._timeout
        seen = [url]
        while True:
            with self._session.request(
                method, seen[-1], json=body, timeout=self._timeout, allow_redirects=False, stream=True
            ) as response:
                if response.is_redirect:
                    seen.append(self._redirected(response.status_code, seen, response.headers["location"]))
                    continue
                held = bytearray()
                for part in response.iter_content(1 << 16):
                    held += part
                    if len(held) > limit:
                        raise ProviderError(f"{self.id}: the answer is longer than {limit:,} bytes, and is not read")
                    if time.monotonic() > end:
                        break  # nobody waits for it any more
                return response.status_code, response.headers, bytes(held)

    def _redirected(self, status: int, seen: Sequence[str], location: str) -> str:
        own = _origin(seen[0])
        try:
            target = urljoin(seen[-1], location)
            other = _origin(target)
        except ValueError:
            target = other = ""
        if own != other:
            raise ProviderError(
                f"{self.id}: {own} redirects to {other or 'no address'}; texts are sent to no other host or port: "
                "where that is the service, name it in the setting or the environment"
            )
        # written anew: parsers disagree on what the host is where there is a backslash or a user in front of it
        parts = urlsplit(target)
        target = own + parts.path + (f"?{parts.query}" if parts.query else "")
        if status not in (307, 308) or target in seen or len(seen) > MAX_REDIRECTS:
            raise ProviderError(f"{self.id}: {own} redirects in circles, or to what takes no texts (status {status})")
        return target

    def _no_answer(self, reason: str) -> RetryableError:
        return RetryableError(f"{self.id}: no answer from {self.space.endpoint} ({reason})")


def _unpacked(embedding: Any) -> Any:
    """Unpack a vector that was sent as base64 of float32."""
    if not isinstance(embedding, str):
        return embedding
    return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")


def checked_endpoint(name: str, url: str) -> str:
    """Give a URL in the form in which it is kept: it stands in keys, messages and reports.

    Raises
    ------
    ConfigError
        It is no http URL, or it holds a user, a password or a query: these come from the environment only.

    Examples
    --------
    >>> checked_endpoint("openai", "http://LOCALHOST:8000/v1/")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(url.strip())
        origin = _origin(url.strip())
    except ValueError:
        origin = ""
    if not origin:
        raise ConfigError(f"{name}: base_url is no URL; write http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(f"{name}: base_url must hold no user, password or query; keys come from the environment")
    return origin + parts.path.rstrip("/")


def _origin(url: str) -> str:
    """Give scheme, host and port of a URL, without the port that is usual; empty where there are none."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port not in (None, usual) else "")


def count_tokens_like(encoding: str, texts: Sequence[str]) -> IntArray:
    """Count tokens of one of tiktoken's encodings; bytes where it is not here: no text has more tokens."""
    from chunkscope.structure.units import get_unit

    try:
        return np.array([measured.total for measured in get_unit(encoding).measure_all(texts)], dtype=np.int64)
    except MissingPartError:
        return np.array([len(text.encode()) for text in texts], dtype=np.int64)


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
        try:
            seconds = float(lower.get(name, ""))
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds / unit
    try:
        asked = parsedate_to_datetime(lower.get("retry-after", ""))
    except (TypeError, ValueError, OverflowError):
        return None
    if asked.tzinfo is None:  # "-0000": in universal time, from a place that is not told
        from datetime import UTC

        asked = asked.replace(tzinfo=UTC)
    return max(0.0, asked.timestamp() - (time.time() if now is None else now))


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


def failure(
    name: str,
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    secrets: Iterable[str] = (),
    key_variable: str | None = None,
) -> ProviderError:
    """Tell what an answer that is no success means: to be tried again, too large, or final.

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
    >>> type(failure("openai", 503, "busy")).__name__, type(failure("openai", 413, "")).__name__
    ('RetryableError', 'TooLargeError')
    >>> print(failure("openai", 401, "Incorrect API key: sk-12", key_variable="OPENAI_API_KEY"))
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


def _words_of(raw: bytes) -> str:
    """Give what an answer that is no success says: ``{"error": {"message", "code"}}``, ``{"detail"}`` or plain text."""
    text = raw.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for name in ("error", "detail"):
        said = (isinstance(said, dict) and said.get(name)) or said
    if isinstance(said, dict) and said.get("message"):
        code = said.get("code")
        known = not isinstance(code, str) or code in str(said["message"])
        return str(said["message"]) + ("" if known else f" ({code})")
    return said if isinstance(said, str) else text


def _root_of(error: Exception) -> str:
    """Say what is at the bottom of an error: clients wrap what the system says many times over."""
    while isinstance(error.__context__, Exception):
        error = error.__context__
    return os_reason(error) if str(error) else type(error).__name__
