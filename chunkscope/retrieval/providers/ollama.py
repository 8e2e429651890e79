"""The embedding models of an Ollama server."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chunkscope.errors import ConfigError, ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Role
from chunkscope.retrieval.providers.http import HttpProvider, checked_endpoint

HOST_VARIABLE = "OLLAMA_HOST"
DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 11434
TIMEOUT = 300.0
"""A model may have to be loaded first."""


class OllamaProvider(HttpProvider):
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

    key_variable = "OLLAMA_API_KEY"

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
        endpoint = host_endpoint(host or os.environ.get(HOST_VARIABLE) or DEFAULT_HOST)
        super().__init__(
            EmbeddingSpace("ollama", endpoint, model, dimensions=dimensions),
            Limits(max_texts=max_texts, concurrency=concurrency),
            timeout,
            key=os.environ.get(self.key_variable, "").strip(),
            prompts={"query": query_prefix, "document": document_prefix},
        )
        self.space = replace(self.space, revision=self._digest(model))

    def _digest(self, model: str) -> str | None:
        """Ask which model stands behind the name; None where the server does not tell."""
        try:
            named = {one["model"]: one.get("digest") for one in self.ask("GET", "/api/tags")["models"]}
        except (ProviderError, AttributeError, KeyError, TypeError):
            return None
        for name in (model, f"{model}:latest"):
            if name in named:
                return None if named[name] is None else str(named[name])
        known = ", ".join(sorted(str(name) for name in named)[:8]) or "none"
        raise ProviderError(f"ollama: the server has no model {model!r}; it has {known}; ollama pull {model}")

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        """Ask for embeddings; a text above the model's context is refused, not cut in silence."""
        body: dict[str, Any] = {"model": self.space.model, "input": texts, "truncate": False}
        return "/api/embed", body if self.space.dimensions is None else {**body, "dimensions": self.space.dimensions}

    def rows(self, answer: Any) -> list[tuple[Any, Any]]:
        """Give the vectors, which come in the order of the texts."""
        return [(None, row) for row in answer["embeddings"]]


def host_endpoint(host: str) -> str:
    """Write a host as a URL, with Ollama's port where it has none.

    Examples
    --------
    >>> host_endpoint("::1"), host_endpoint("10.0.0.1:8000/path")
    ('http://[::1]:11434', 'http://10.0.0.1:8000/path')
    """
    host = host.strip()
    if "://" in host:
        return checked_endpoint("ollama", host)
    name, slash, path = host.partition("/")
    if name.count(":") > 1 and not name.startswith("["):
        name = f"[{name}]"
    address, colon, port = name.rpartition(":")
    if not colon or not port.isdecimal():
        address, port = name, str(DEFAULT_PORT)
    return checked_endpoint("ollama", f"http://{address or DEFAULT_HOST}:{port}{slash}{path}")
