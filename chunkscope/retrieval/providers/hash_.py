"""A provider without a model: vectors by hashing. Deterministic, and without meaning: for tests and teaching."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from chunkscope.errors import ConfigError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Vectors
from chunkscope.spans.intervals import IntArray


class HashProvider:
    """Pairs of neighbouring characters, hashed: texts that share many of them come near each other.

    Parameters
    ----------
    dimensions : int

    Examples
    --------
    >>> one, other = HashProvider().embed_documents(["上限は12,000円", "上限は1,000円"])
    >>> round(float(one @ other), 2), one.dtype, one.shape
    (0.8, dtype('float32'), (64,))
    """

    is_local = True

    def __init__(self, dimensions: int = 64) -> None:
        if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 1:
            raise ConfigError(f"hash: dimensions {dimensions!r} must be a whole number from 1")
        self.dimensions = dimensions
        self.limits = Limits(max_texts=256)
        self.space = EmbeddingSpace("hash", revision="1", dimensions=dimensions, normalisation="unit")

    @property
    def id(self) -> str:
        """Names the provider."""
        return "hash"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Count characters: they are what is hashed."""
        return np.array([len(text) for text in texts], dtype=np.int64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Give unit vectors."""
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimensions)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Give the vectors that documents of the same text would have."""
        return self.embed_documents(texts)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimensions)
        for number in range(len(text) + 1):
            pair = ("\x02" + text + "\x03")[number : number + 2]
            digest = hashlib.blake2b(pair.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            value = int.from_bytes(digest, "little")
            vector[(value >> 1) % self.dimensions] += 1.0 if value & 1 else -1.0
        length = float(np.sqrt(vector @ vector))
        return (vector / length if length else vector + 1.0 / np.sqrt(self.dimensions)).astype(np.float32)
