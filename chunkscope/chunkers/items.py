"""Chunkers that fill chunks with whole items, and cut several sizes in one go."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from chunkscope.chunkers.base import Chunker, Cut
from chunkscope.chunkers.boundaries import Segments
from chunkscope.chunkers.packing import Items, pack_all

CHUNKS_AT_ONCE = 1 << 22
"""About so many chunks, and boundaries made for them, are in memory at a time."""


class ItemChunker(Chunker):
    """A chunker whose chunks come from greedy packing."""

    @abstractmethod
    def items(self, segments: Segments) -> tuple[Segments, Items] | None:
        """Give the items to pack at this size, and the segments they are boundaries of.

        None where the chunks of this setting come about otherwise: then `unpacked` gives them.
        """

    @abstractmethod
    def unpacked(self, segments: Segments) -> Cut:
        """Give the chunks of a setting that packs nothing."""

    def chunks(self, segments: Any) -> Cut:
        """Pack boundaries into chunks of the chunker's size."""
        return next(self.chunks_of([self], segments))

    def chunks_of(self, cells: Sequence[Chunker], segments: Any) -> Iterator[Cut]:
        """Pack the same boundaries at several sizes and overlaps."""
        waiting: list[tuple[ItemChunker, tuple[Segments, Items] | None]] = []
        weight = 0
        for cell in cells:
            if not isinstance(cell, ItemChunker):
                raise TypeError(f"{cell} packs no items")
            found = cell.items(segments)
            waiting.append((cell, found))
            weight += 0 if found is None else _weight(found, segments)
            if weight > CHUNKS_AT_ONCE:
                yield from _cut(waiting, segments)
                waiting, weight = [], 0
        yield from _cut(waiting, segments)


def _weight(found: tuple[Segments, Items], segments: Segments) -> int:
    own, items = found
    n_chunks = int(items.used[-1]) // (items.size - items.overlap) + len(items.groups)
    # boundaries of a setting's own come with a table of their own
    return min(n_chunks, int(items.used[-1]) + 1) + (0 if own is segments else len(own.positions) + int(items.used[-1]))


def _cut(waiting: Sequence[tuple[ItemChunker, tuple[Segments, Items] | None]], segments: Segments) -> Iterator[Cut]:
    packed = iter(pack_all([found[1] for _, found in waiting if found is not None]))
    for cell, found in waiting:
        if found is None:
            yield cell.unpacked(segments)
        else:
            own, items = found
            pairs = next(packed)
            if items.divisible:
                yield Cut(pairs, pairs[:, 1] - pairs[:, 0])
            else:
                yield Cut(own.positions[pairs], items.used[pairs[:, 1]] - items.used[pairs[:, 0]])
