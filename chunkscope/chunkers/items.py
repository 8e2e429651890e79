"""Chunkers that fill chunks with whole items: sentences, steps between tokens, lines, whatever tiles a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.boundaries import Boundaries, inner_offsets, join_boundaries
from chunkscope.chunkers.packing import Items, pack_all, split_oversize
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import IntArray, expand, merge
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

CHUNKS_AT_ONCE = 1 << 22
"""About so many chunks, and boundaries made for them, are in memory at a time."""


class ItemChunker(Chunker):
    """A chunker whose chunks come from greedy packing; `segment` is all that one has to say.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from chunkscope import Document
    >>> @dataclass(frozen=True)
    ... class LineChunker(ItemChunker):
    ...     name = "line"
    ...     def segment(self, analysis):
    ...         return segment_items(analysis, self.unit, analysis.line_starts)
    >>> LineChunker(6).spans(Document("a.md", "one\\ntwo\\nthree four\\n")).tolist()
    [[0, 4], [4, 8], [8, 14], [14, 19]]
    """

    def join(self, boundaries: Sequence[Any]) -> Any:
        """Lay documents one behind the other."""
        return join_boundaries(boundaries)

    def items(self, boundaries: Boundaries) -> tuple[Boundaries, Items] | None:
        """Give the items to pack at this size, those above it cut, and the boundaries they have.

        None where the chunks of this setting come about otherwise: then `unpacked` gives them.
        """
        return fitting_items(boundaries, self)

    def unpacked(self, boundaries: Boundaries) -> Chunking:
        """Give the chunks of a setting that packs nothing."""
        raise ChunkerError(f"{self} packs nothing, and cuts nothing otherwise")

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


def segment_items(
    analysis: DocumentAnalysis, unit_name: str, starts: IntArray, group_starts: IntArray | None = None
) -> Boundaries:
    """Measure items that tile a text.

    Parameters
    ----------
    analysis : DocumentAnalysis
    unit_name : str
    starts : int64 (i,)
        Where items start, in order; offsets at the text's end are none.
    group_starts : int64 (g,), optional
        Those of them that no chunk may cross, 0 included; by default 0 alone.
    """
    end = np.array([analysis.length], dtype=np.int64)
    starts = merge(np.zeros(1, dtype=np.int64), starts[starts < analysis.length]) if analysis.length else end[:0]
    positions = np.concatenate((starts, end))
    whole = np.array([0, len(positions) - 1], dtype=np.int64)
    groups = whole
    if group_starts is not None and analysis.length:
        groups = np.searchsorted(positions, np.concatenate((group_starts, end)))
    measured = analysis.measured(get_unit(unit_name))
    used = measured.used(positions)
    if unit_name == "char":
        return Boundaries(positions, used, groups, whole)
    steps, used_at_steps = (found[1:-1] for found in measured.stepped)
    inner, heaviest = inner_offsets(measured)
    return Boundaries(positions, used, groups, whole, steps, used_at_steps, inner, measured.used(inner), heaviest)


def fitting_items(boundaries: Boundaries, chunker: Chunker) -> tuple[Boundaries, Items]:
    """Give the items to pack at a chunker's size: what is above it is cut, here or, in characters, as it is packed."""
    size = chunker.required_size()
    is_divisible = chunker.unit == "char"
    if not is_divisible:
        boundaries = cut_large_items(boundaries, size, unit=chunker.unit)
    return boundaries, Items(boundaries.used, boundaries.groups, size, chunker.overlap, is_divisible)


def cut_large_items(boundaries: Boundaries, size: int, *, unit: str) -> Boundaries:
    """Cut items above the size; groups and documents keep their edges."""
    if unit == "char":
        positions = used = _cut_evenly(boundaries.positions, size)
    else:
        positions, used = split_oversize(
            boundaries.positions, boundaries.used, boundaries.steps, boundaries.used_at_steps, size
        )
        if size < boundaries.heaviest:
            positions, used = split_oversize(positions, used, boundaries.inner, boundaries.used_at_inner, size)
    if len(positions) == len(boundaries.positions):
        return boundaries
    moved = np.searchsorted(positions, boundaries.positions)
    return Boundaries(positions, used, moved[boundaries.groups], moved[boundaries.documents])


def _cut_evenly(positions: IntArray, size: int) -> IntArray:
    """Cut items longer than `size` characters after each `size` of them."""
    extra = np.maximum(-(-np.diff(positions) // size) - 1, 0)
    if not extra.any():
        return positions
    items, number = expand(extra + 1)
    return np.concatenate((positions[items] + number * size, positions[-1:]))
