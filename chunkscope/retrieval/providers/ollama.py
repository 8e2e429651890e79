"""The embedding models of an Ollama server, by Ollama's own client."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ConfigError, ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, RetryableError, Vectors, placed
from chunkscope.retrieval.providers.endpoints import checked_endpoint
from chunkscope.retrieval.providers.failures import judge, without_secrets
from chunkscope.retrieval.providers.lookup import require

HOST_VARIABLE, KEY_VARIABLE = "OLLAMA_HOST", "OLLAMA_API_KEY"
DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 11434
TIMEOUT = 300.0
"""A model may have to be loaded first."""


class OllamaProvider:
    """An embedding model of an Ollama server.

    The model's digest is part of the key of vectors, so a model that is pulled anew has vectors of its own.

    Parameters
    ----------
    model : str
        Such as ``qwen3-embedding:0.6b``.
    host : str, optional
        Else OLLAMA_HOST, else this machine.
    dimensions : int, optional
    query_prefix, document_prefix : str
        Written before each text, for models that were trained with such.
    max_texts, concurrency : int
    timeout : float
        Seconds without an answer after which a request counts as failed.
    """

    def __init__(
        self,
        model: str,
        host: str | None = None,
        dimensions: int | None = None,
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        max_texts: int = 32,
        concurrency: int = 1,
        timeout: float = TIMEOUT,
    ) -> None:
        if not model:
            raise ConfigError("ollama needs a model, such as ollama:qwen3-embedding:0.6b")
        self._ollama: Any = require("ollama")
        endpoint = _endpoint(host or os.environ.get(HOST_VARIABLE) or DEFAULT_HOST)
        self.model, self.dimensions = model, dimensions
        self.prompts = {"query": query_prefix, "document": document_prefix}
        self.secrets = tuple(filter(None, [os.environ.get(KEY_VARIABLE, "").strip()]))
        self.limits = Limits(max_texts=max_texts, concurrency=concurrency)
        self._client = self._ollama.Client(host=endpoint, timeout=float(timeout))
        weakref.finalize(self, self._client.close)
        self.space = EmbeddingSpace("ollama", endpoint, model, self._digest(), dimensions)

    @property
    def id(self) -> str:
        """Names provider and model."""
        return f"ollama:{self.model}"

    def _digest(self) -> str | None:
        """Ask which model stands behind the name; None where the server does not tell."""
        import httpx

        try:
            models = self._client.list().models
        except (self._ollama.ResponseError, httpx.HTTPError, OSError, ValueError):
            return None
        named = {model.model: model.digest for model in models}
        for name in (self.model, f"{self.model}:latest"):
            if name in named:
                digest = named[name]
                return None if digest is None else str(digest)
        known = ", ".join(sorted(str(name) for name in named)[:8]) or "none"
        raise ProviderError(f"ollama: the server has no model {self.model!r}; it has {known}; ollama pull {self.model}")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found, in one request."""
        return self._embed([self.prompts["document"] + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, in one request."""
        return self._embed([self.prompts["query"] + text for text in texts])

    def _embed(self, texts: list[str]) -> Vectors:
        import httpx

        options: dict[str, Any] = {} if self.dimensions is None else {"dimensions": self.dimensions}
        try:
            # truncate: a text above the model's context is refused, not cut in silence
            answer = self._client.embed(model=self.model, input=texts, truncate=False, **options)
        except self._ollama.ResponseError as error:
            response = getattr(error.__context__, "response", None)
            headers = response.headers if response is not None else None
            raise judge(self.id, error.status_code, str(error.error), headers, secrets=self.secrets) from None
        except (httpx.HTTPError, ConnectionError) as error:
            told = without_secrets(str(error) or type(error).__name__, self.secrets)
            raise RetryableError(f"{self.id}: no answer from {self.space.endpoint} ({told})") from None
        except (ValueError, TypeError) as error:
            line = without_secrets(str(error), self.secrets).splitlines()[0]
            raise ProviderError(f"{self.id}: an answer that cannot be read: {line}") from None
        return np.asarray(placed(self.id, len(texts), [(None, row) for row in answer.embeddings]), dtype=np.float32)


def _endpoint(host: str) -> str:
    """Write a host as a URL, with the port that Ollama's client takes for it."""
    host = host.strip()
    if "://" in host:
        return checked_endpoint("ollama", host)
    name, slash, path = host.partition("/")
    has_port = name.rpartition(":")[2].isdecimal() and not name.endswith("]") and name.count(":") != 0
    return checked_endpoint("ollama", f"http://{name if has_port else f'{name}:{DEFAULT_PORT}'}{slash}{path}")
