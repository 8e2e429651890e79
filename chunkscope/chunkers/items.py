"""Chunkers that fill chunks with whole items, and cut several sizes in one go."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.boundaries import Boundaries
from chunkscope.chunkers.packing import Items, pack_all

CHUNKS_AT_ONCE = 1 << 22
"""About so many chunks, and boundaries made for them, are in memory at a time."""


class ItemChunker(Chunker):
    """A chunker whose chunks come from greedy packing."""

    @abstractmethod
    def items(self, boundaries: Boundaries) -> tuple[Boundaries, Items] | None:
        """Give the items to pack at this size, and the boundaries they are boundaries of.

        None where the chunks of this setting come about otherwise: then `unpacked` gives them.
        """

    @abstractmethod
    def unpacked(self, boundaries: Boundaries) -> Chunking:
        """Give the chunks of a setting that packs nothing."""

    def chunks(self, boundaries: Any) -> Chunking:
        """Pack boundaries into chunks of the chunker's size."""
        return next(self.chunks_of([self], boundaries))

    def chunks_of(self, cells: Sequence[Chunker], boundaries: Any) -> Iterator[Chunking]:
        """Pack the same boundaries at several sizes and overlaps."""
        waiting: list[tuple[ItemChunker, tuple[Boundaries, Items] | None]] = []
        weight = 0
        for cell in cells:
            if not isinstance(cell, ItemChunker):
                raise TypeError(f"{cell} packs no items")
            found = cell.items(boundaries)
            waiting.append((cell, found))
            weight += 0 if found is None else _weight(found, boundaries)
            if weight > CHUNKS_AT_ONCE:
                yield from _cut(waiting, boundaries)
                waiting, weight = [], 0
        yield from _cut(waiting, boundaries)


def _weight(found: tuple[Boundaries, Items], boundaries: Boundaries) -> int:
    own, items = found
    n_chunks = int(items.used[-1]) // (items.size - items.overlap) + len(items.groups)
    # boundaries of a setting's own come with a table of their own
    return min(n_chunks, int(items.used[-1]) + 1) + (
        0 if own is boundaries else len(own.positions) + int(items.used[-1])
    )


def _cut(
    waiting: Sequence[tuple[ItemChunker, tuple[Boundaries, Items] | None]], boundaries: Boundaries
) -> Iterator[Chunking]:
    packed = iter(pack_all([found[1] for _, found in waiting if found is not None]))
    for cell, found in waiting:
        if found is None:
            yield cell.unpacked(boundaries)
        else:
            own, items = found
            pairs = next(packed)
            if items.divisible:
                yield Chunking(pairs, pairs[:, 1] - pairs[:, 0])
            else:
                yield Chunking(own.positions[pairs], items.used[pairs[:, 1]] - items.used[pairs[:, 0]])
