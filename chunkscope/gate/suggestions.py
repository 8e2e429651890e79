"""What would keep a text whole: the nearest size without it, and the overlap that rules it out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers import Chunker
from chunkscope.chunkers.boundaries import Boundaries, TokenStream, join_boundaries, join_streams
from chunkscope.chunkers.chunk_set import chunk_set
from chunkscope.gate.window_sizes import WindowSizes
from chunkscope.grid.notation import Overlap
from chunkscope.measures.findings import Suggestion
from chunkscope.spans.intervals import IntArray, merge
from chunkscope.spans.layout import Layout, Targets

FARTHEST = 4
"""Sizes are tried up to so many times the present one, where only cutting anew can tell."""
NEAR_TRIALS = 20
"""So many sizes are tried then on either side."""


@dataclass(frozen=True)
class Suggester:
    """The present setting, and what is needed to try others.

    Attributes
    ----------
    chunker : Chunker
    overlap : Overlap or None
        The overlap as it was written: a share goes with the size. None: the chunker's own width.
    layout : Layout
    boundaries : object
        Boundaries of all documents, of the unsized chunker.
    """

    chunker: Chunker
    overlap: Overlap | None
    layout: Layout
    boundaries: object

    def __call__(self, targets: Targets) -> list[Suggestion]:
        """Give for each target what keeps it whole."""
        lengths = self._lengths(targets)
        sizes = self._sizes(targets)
        return [
            Suggestion(size, self._guaranteed(length), length, is_nearest=self._are_windows)
            for size, length in zip(sizes, lengths.tolist(), strict=True)
        ]

    @property
    def _are_windows(self) -> bool:
        """Whether the chunks are windows of characters, in which case nothing needs cutting anew."""
        return self.chunker.size is not None and self.chunker.windows is not None

    def at(self, size: int) -> Chunker | None:
        """Give the same way of cutting at another size; None where the overlap does not allow it."""
        width = self.chunker.overlap if self.overlap is None else self.overlap.at(size)
        return dataclasses.replace(self.chunker, size=size, overlap=width) if width < size else None

    def _lengths(self, targets: Targets) -> IntArray:
        starts, ends = targets.spans[:, 0], targets.spans[:, 1]
        lengths: IntArray
        if isinstance(self.boundaries, TokenStream):
            # a window holds a text if it holds every token that has a byte of it
            first = np.searchsorted(self.boundaries.first_whole, starts, side="right") - 1
            lengths = np.searchsorted(self.boundaries.last_whole, ends, side="left") - first
        elif self.chunker.unit != "char" and isinstance(self.boundaries, Boundaries):
            # what begins before a place inside a unit is what begins before the next boundary
            at = np.concatenate((self.boundaries.positions, self.boundaries.steps))
            used = np.concatenate((self.boundaries.used, self.boundaries.used_at_steps))
            order = np.argsort(at, kind="stable")
            at, used = at[order], used[order]
            lengths = used[np.searchsorted(at, ends)] - used[np.searchsorted(at, starts)]
        else:
            lengths = ends - starts
        return lengths

    def _guaranteed(self, length: int) -> int | None:
        """Windows of one step that share m - 1 leave no place for a cut through m; packed chunks promise less."""
        if not (self._are_windows or isinstance(self.boundaries, TokenStream)):
            return None
        if self.chunker.size is None or length > self.chunker.size:
            return None
        return length - 1

    def _sizes(self, targets: Targets) -> Sequence[int | None]:
        if self.chunker.size is None:
            return [None] * len(targets)
        if self._are_windows:
            return self._window_sizes(targets, self.chunker.size)
        return self._tried_sizes(targets, self.chunker.size)

    def _window_sizes(self, targets: Targets, size: int) -> list[int | None]:
        """Windows are arithmetic: the nearest of all sizes is found."""
        sizes = WindowSizes(self.chunker.overlap if self.overlap is None else self.overlap.value)
        spans = targets.spans - targets.bases[:, None]
        return [sizes.nearest(size, start, end) for start, end in spans.tolist()]

    def _tried_sizes(self, targets: Targets, size: int) -> list[int | None]:
        """Cut anew, but only the documents in which something is still to be kept whole."""
        found: list[int | None] = [None] * len(targets)
        missing = np.arange(len(targets))
        some, n_cut = self, len(self.layout.names)
        for trial in trials(size):
            chunker = self.at(trial)
            if chunker is None or not len(missing):
                continue
            left = merge(targets.documents[missing])
            if 2 * len(left) <= n_cut:
                some, n_cut = self._of_documents(left), len(left)
            moved = some.moved(targets.take(missing), self.layout)
            held = chunk_set(some.layout, chunker, some.boundaries).contains(moved)
            for number in missing[held].tolist():
                found[number] = trial
            missing = missing[~held]
        return found

    def moved(self, targets: Targets, layout: Layout) -> Targets:
        """Give targets of another layout their places in this one, which has some of its documents."""
        if layout is self.layout:
            return targets
        kept = {name: number for number, name in enumerate(self.layout.names)}
        numbers = np.array([kept[layout.names[number]] for number in targets.documents.tolist()], dtype=np.int64)
        return Targets.of(targets.spans + (self.layout.edges[numbers] - targets.bases)[:, None], self.layout)

    def _of_documents(self, numbers: IntArray) -> Suggester:
        """Keep some documents."""
        names = [self.layout.names[number] for number in numbers.tolist()]
        layout = Layout.of(names, self.layout.lengths[numbers].tolist())
        boundaries: object
        if isinstance(self.boundaries, TokenStream):
            boundaries = join_streams([_tokens_of(self.boundaries, number) for number in numbers.tolist()])
        elif isinstance(self.boundaries, Boundaries):
            boundaries = join_boundaries([_boundaries_of(self.boundaries, number) for number in numbers.tolist()])
        else:
            return self
        return Suggester(self.chunker, self.overlap, layout, boundaries)


def _boundaries_of(joined: Boundaries, number: int) -> Boundaries:
    """Take one document out of those laid one behind the other."""
    first, last = joined.documents[number : number + 2].tolist()
    base, weight = int(joined.positions[first]), int(joined.used[first])
    end = int(joined.positions[last])

    def between(at: IntArray, used: IntArray) -> tuple[IntArray, IntArray]:
        low, high = np.searchsorted(at, (base, end), side="left").tolist()
        return at[low:high] - base, used[low:high] - weight

    low, high = np.searchsorted(joined.groups, (first, last), side="left").tolist()
    steps, used_at_steps = between(joined.steps, joined.used_at_steps)
    inner, used_at_inner = between(joined.inner, joined.used_at_inner)
    return dataclasses.replace(
        joined,
        positions=joined.positions[first : last + 1] - base,
        used=joined.used[first : last + 1] - weight,
        groups=joined.groups[low : high + 1] - first,
        documents=np.array([0, last - first], dtype=np.int64),
        steps=steps,
        used_at_steps=used_at_steps,
        inner=inner,
        used_at_inner=used_at_inner,
    )


def _tokens_of(joined: TokenStream, number: int) -> TokenStream:
    first, last = joined.documents[number : number + 2].tolist()
    base = int(joined.first_whole[first - 1]) if first else 0
    return TokenStream(
        joined.first_whole[first:last] - base,
        joined.last_whole[first:last] - base,
        np.array([0, last - first], dtype=np.int64),
    )


def trials(size: int) -> Iterator[int]:
    """Give sizes to try, the nearest first and of two equally near the larger.

    Examples
    --------
    >>> list(trials(100))[:6], list(trials(100))[-4:]
    ([105, 95, 110, 90, 115, 85], [200, 250, 300, 400])
    """
    step = max(1, size // 20)
    for away in range(1, NEAR_TRIALS + 1):
        yield size + away * step
        if size > away * step:
            yield size - away * step
    yield from (size * 5 // 2, size * 3, size * FARTHEST)
