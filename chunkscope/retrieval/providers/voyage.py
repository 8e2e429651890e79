"""The embedding models of Voyage AI, by their own client."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ConfigError, MissingPartError, ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, RetryableError, Vectors, placed
from chunkscope.retrieval.providers.endpoints import checked_endpoint
from chunkscope.retrieval.providers.failures import judge, without_secrets
from chunkscope.retrieval.providers.lookup import require
from chunkscope.spans.intervals import IntArray

KEY_VARIABLE = "VOYAGE_API_KEY"
# https://docs.voyageai.com/docs/embeddings: texts in a request; the smallest limit on tokens of the larger models
MAX_TEXTS, MAX_TOKENS_PER_REQUEST = 1000, 120_000
ENCODING, TOKENS_A_TOKEN = "cl100k_base", 1.2
"""Their tokenizer is not here; they say that it gives 1.1 to 1.2 times the tokens of tiktoken's."""
TIMEOUT = 60.0


class VoyageProvider:
    """An embedding model of Voyage AI. The key comes from VOYAGE_API_KEY.

    Parameters
    ----------
    model : str
        Such as ``voyage-3.5``.
    dimensions : int, optional
        Their `output_dimension`.
    base_url : str, optional
    max_texts, max_tokens_per_request, concurrency : int
        Limits of the service. Tokens are estimated; where an estimate was too low, batches are halved.
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
        dimensions: int | None = None,
        *,
        base_url: str | None = None,
        max_texts: int = MAX_TEXTS,
        max_tokens_per_request: int = MAX_TOKENS_PER_REQUEST,
        concurrency: int = 2,
        timeout: float = TIMEOUT,
    ) -> None:
        if not model:
            raise ConfigError("voyage needs a model, such as voyage:voyage-3.5")
        self._voyage: Any = require("voyage")
        self._key = os.environ.get(KEY_VARIABLE, "").strip()
        if not self._key:
            raise ProviderError(f"voyage: no key; set {KEY_VARIABLE} in the environment")
        self.model, self.dimensions, self._timeout = model, dimensions, float(timeout)
        self.secrets = (self._key,)
        self.limits = Limits(
            max_texts=max_texts,
            max_tokens_per_request=max_tokens_per_request,
            concurrency=concurrency if base_url is None else 1,
        )
        endpoint = base_url or self._voyage.util.get_default_base_url(self._key)
        self.space = EmbeddingSpace("voyage", checked_endpoint("voyage", endpoint), model, dimensions=dimensions)

    @property
    def id(self) -> str:
        """Names provider and model."""
        return f"voyage:{self.model}"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Estimate tokens."""
        from chunkscope.structure.units import get_unit

        try:
            counts = [measured.total for measured in get_unit(ENCODING).measure_all(texts)]
        except MissingPartError:
            counts = [len(text.encode()) for text in texts]
        return np.ceil(np.array(counts, dtype=np.float64) * TOKENS_A_TOKEN).astype(np.int64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found, in one request."""
        return self._embed(texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, in one request."""
        return self._embed(texts, "query")

    def _embed(self, texts: Sequence[str], input_type: str) -> Vectors:
        failures: Any = self._voyage.error
        try:
            # the client's `embed` gives up the index of each vector; what it calls does not
            answer = self._voyage.Embedding.create(
                input=list(texts),
                model=self.model,
                input_type=input_type,
                truncation=False,  # a text above the limit is refused, not cut in silence
                output_dimension=self.dimensions,
                api_key=self._key,
                request_timeout=self._timeout,
                base_url=self.space.endpoint,
            )
        except failures.VoyageError as error:
            raise self._judged(error) from None
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            told = without_secrets(f"{type(error).__name__}: {error}", self.secrets)
            raise ProviderError(f"{self.id}: an answer that cannot be read: {told}") from None
        items = getattr(answer, "data", None)
        if not isinstance(items, list):
            raise ProviderError(f"{self.id}: the answer of {self.space.endpoint} holds no list of vectors")
        rows = [(getattr(item, "index", None), getattr(item, "embedding", None)) for item in items]
        return placed(self.id, len(texts), rows)  # type: ignore[return-value]  # checked by whoever asked

    def _judged(self, error: Any) -> ProviderError:
        message = str(error.user_message or "")
        if error.http_status is None:
            told = without_secrets(message or type(error).__name__, self.secrets)
            return RetryableError(f"{self.id}: no answer from {self.space.endpoint} ({told})")
        return judge(
            self.id, error.http_status, message, error.headers, secrets=self.secrets, key_variable=KEY_VARIABLE
        )
