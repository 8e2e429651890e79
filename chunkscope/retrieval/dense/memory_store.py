"""Vectors in memory, where no file is wanted or none can be written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from chunkscope.retrieval.providers.base import EmbeddingSpace, Vectors
from chunkscope.spans.intervals import BoolArray


class MemoryStore:
    """Vectors for as long as the program runs.

    Examples
    --------
    >>> store, space = MemoryStore(), EmbeddingSpace("hash")
    >>> store.write(space, ["一"], np.ones((1, 2), dtype=np.float32))
    >>> found, vectors = store.read(space, ["零", "一"])
    >>> found.tolist(), vectors.tolist()
    ([False, True], [[0.0, 0.0], [1.0, 1.0]])
    """

    path: Path | None = None

    def __init__(self) -> None:
        self._held: dict[bytes, Vectors] = {}

    def read(self, space: EmbeddingSpace, texts: Sequence[str]) -> tuple[BoolArray, Vectors]:
        """Look texts up; see `VectorCache.read`."""
        return self.read_keys(space.keys(texts))

    def read_keys(self, keys: Sequence[bytes]) -> tuple[BoolArray, Vectors]:
        """Look keys up."""
        rows = [self._held.get(key) for key in keys]
        width = next((len(row) for row in rows if row is not None), 0)
        vectors = np.zeros((len(keys), width), dtype=np.float32)
        found = np.zeros(len(keys), dtype=np.bool_)
        for number, row in enumerate(rows):
            if row is not None and len(row) == width:
                vectors[number], found[number] = row, True
        return found, vectors

    def write(self, space: EmbeddingSpace, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors."""
        self._held.update(zip(space.keys(texts), np.array(vectors, dtype=np.float32), strict=True))

    def has(self, space: EmbeddingSpace, texts: Sequence[str]) -> BoolArray:
        """Tell which texts have a vector."""
        return np.array([key in self._held for key in space.keys(texts)], dtype=np.bool_)

    def width(self, space: EmbeddingSpace) -> int | None:
        """How many numbers the vectors of a space have; not known here."""
        return None

    def close(self) -> None:
        """Let go."""
