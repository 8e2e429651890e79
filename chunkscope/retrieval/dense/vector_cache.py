"""Vectors in a store: a namespace says what they depend on but the text, a key is the digest of the text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

import numpy as np

from chunkscope.retrieval.providers.base import EmbeddingSpace, Vectors
from chunkscope.spans.intervals import BoolArray
from chunkscope.store import NamespaceInfo, Store

KIND = "vectors "
"""What the namespaces of vectors begin with; the space follows, as JSON."""
NUMBER = np.dtype("<f4")
TEXTS_AT_ONCE = 4096
"""So many vectors are read from the store before they are put into the array of all."""


@dataclass(frozen=True)
class SpaceInfo:
    """What a cache holds of one space: how many vectors, of how many numbers each, and when they were last used."""

    space: EmbeddingSpace
    vectors: int
    width: int
    last_used: str

    @classmethod
    def of(cls, info: NamespaceInfo) -> SpaceInfo:
        """Read what a store tells of a namespace."""
        space = EmbeddingSpace(**json.loads(info.name.removeprefix(KIND)))
        return cls(space, info.n_blobs, info.n_bytes // info.n_blobs // NUMBER.itemsize, info.last_used)


class VectorCache:
    """Vectors by everything they depend on.

    Parameters
    ----------
    store : Store, optional
        By default one in memory.

    Examples
    --------
    >>> cache, space = VectorCache(), EmbeddingSpace("hash")
    >>> cache.write(space, ["一"], np.ones((1, 2), dtype=np.float32))
    >>> found, vectors = cache.read(space, ["零", "一"])
    >>> found.tolist(), vectors.tolist()
    ([False, True], [[0.0, 0.0], [1.0, 1.0]])
    """

    def __init__(self, store: Store | None = None) -> None:
        self.store = store or Store()

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def read(self, space: EmbeddingSpace, texts: Sequence[str]) -> tuple[BoolArray, Vectors]:
        """Look texts up.

        Returns
        -------
        found : bool (n,)
        vectors : float32 (n, d)
            Zeros where nothing is found.
        """
        found = np.zeros(len(texts), dtype=np.bool_)
        vectors = np.zeros((len(texts), 0), dtype=np.float32)
        for first in range(0, len(texts), TEXTS_AT_ONCE):
            blobs = self.store.get_many(namespace_of(space), _keys(texts[first : first + TEXTS_AT_ONCE]))
            if not vectors.shape[1]:
                sizes = (len(blob) for blob in blobs if blob)
                width = next((size // NUMBER.itemsize for size in sizes if size % NUMBER.itemsize == 0), 0)
                vectors = np.zeros((len(texts), width), dtype=np.float32)
            for number, blob in enumerate(blobs, first):
                if blob and len(blob) == vectors.shape[1] * NUMBER.itemsize:
                    vectors[number], found[number] = np.frombuffer(blob, dtype=NUMBER), True
        return found, vectors

    def has(self, space: EmbeddingSpace, texts: Sequence[str]) -> BoolArray:
        """Tell which texts have a vector that can be read: what is told of them is what will be sent."""
        parts = (texts[first : first + TEXTS_AT_ONCE] for first in range(0, len(texts), TEXTS_AT_ONCE))
        return np.concatenate([np.empty(0, dtype=np.bool_), *(self.read(space, part)[0] for part in parts)])

    def width(self, space: EmbeddingSpace) -> int | None:
        """How many numbers the vectors of a space in the file have; None where there are none, or some are damaged."""
        held = [(info, SpaceInfo.of(info).width) for info in self.store.namespaces(namespace_of(space))]
        return next((w for info, w in held if info.n_bytes == info.n_blobs * w * NUMBER.itemsize), None)

    def write(self, space: EmbeddingSpace, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors of finite numbers, in one transaction."""
        if len(texts):
            blobs = [row.tobytes() for row in np.ascontiguousarray(vectors, dtype=NUMBER)]
            self.store.put_many(namespace_of(space), _keys(texts), blobs)

    def spaces(self) -> list[SpaceInfo]:
        """Tell what the file holds of each space."""
        return [SpaceInfo.of(info) for info in self.store.namespaces() if info.name.startswith(KIND)]

    def prune(self, *, unused_days: int | None = None, provider: str | None = None) -> int:
        """Delete vectors that have not been used for some days, or those of ``provider`` or ``provider:model``.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        spaces = [info.space for info in self.spaces()]
        chosen = [one for one in spaces if provider in (None, one.provider, f"{one.provider}:{one.model}")]
        return self.store.prune(namespaces=map(namespace_of, chosen), unused_days=unused_days)


def namespace_of(space: EmbeddingSpace) -> str:
    """Write a space as the namespace of its vectors."""
    return KIND + json.dumps(asdict(space))


def _keys(texts: Sequence[str]) -> list[bytes]:
    return [sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
