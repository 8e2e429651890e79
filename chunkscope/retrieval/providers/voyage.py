"""The embedding models of Voyage AI."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ConfigError, ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Role
from chunkscope.retrieval.providers.http import HttpProvider, checked_endpoint, count_tokens_like
from chunkscope.spans.intervals import IntArray

URL, ATLAS_URL = "https://api.voyageai.com/v1", "https://ai.mongodb.com/v1"
ATLAS_KEY = "al-"
"""Keys that begin so are MongoDB's, who serves the models too."""
# https://docs.voyageai.com/docs/embeddings: texts in a request; the smallest limit on tokens of the larger models
MAX_TEXTS, MAX_TOKENS_PER_REQUEST = 1000, 120_000
ENCODING, TOKENS_A_TOKEN = "cl100k_base", 1.2
"""Their tokenizer is not here; they say that it gives 1.1 to 1.2 times the tokens of tiktoken's."""
TIMEOUT = 60.0


class VoyageProvider(HttpProvider):
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
    ProviderError
        There is no key.
    """

    key_variable = "VOYAGE_API_KEY"

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
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            raise ProviderError(f"voyage: no key; set {self.key_variable} in the environment")
        endpoint = checked_endpoint("voyage", base_url or (ATLAS_URL if key.startswith(ATLAS_KEY) else URL))
        super().__init__(
            EmbeddingSpace("voyage", endpoint, model, dimensions=dimensions),
            Limits(max_texts, max_tokens_per_request, concurrency=concurrency if base_url is None else 1),
            timeout,
            key=key,
        )

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Estimate tokens."""
        counts: IntArray = np.ceil(count_tokens_like(ENCODING, texts) * TOKENS_A_TOKEN).astype(np.int64)
        return counts

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        """Ask for embeddings; a text above the limit is refused, not cut in silence."""
        body: dict[str, Any] = {
            "model": self.space.model,
            "input": texts,
            "input_type": role,
            "truncation": False,
            "encoding_format": "base64",
        }
        if self.space.dimensions is not None:
            body["output_dimension"] = self.space.dimensions
        return "/embeddings", body
