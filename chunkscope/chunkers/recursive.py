"""Separators tried one behind the other, from paragraphs down to characters: LangChain's recursive splitter.

The chunks are those of ``RecursiveCharacterTextSplitter`` of langchain-text-splitters, as spans.

Twin: tests/oracle/recursive.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking, check_choice
from chunkscope.chunkers.items import CHUNKS_AT_ONCE
from chunkscope.chunkers.nested import ZERO, Descent, Keep, Nested, Separator, join_nested
from chunkscope.chunkers.packing import pack_groups
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.characters import code_points
from chunkscope.structure.units import Unit, get_unit

_PATTERNS = ("\n#{1,6} ", "\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n")

SEPARATORS: Mapping[str, tuple[str, ...]] = {
    "default": ("\n\n", "\n", " ", ""),
    "markdown": (_PATTERNS[0], "```\n", *_PATTERNS[1:], "\n\n", "\n", " ", ""),
    "cjk": ("\n\n", "\n", " ", ".", ",", "\u200b", "\uff0c", "\u3001", "\uff0e", "\u3002", ""),
}
"""The lists that LangChain has or documents: its default, that of its language ``markdown`` (regular expressions), and
the one for languages without word boundaries: Chinese, Japanese, Thai."""


@dataclass(frozen=True)
class RecursiveChunker(Chunker):
    """Pieces between separators, merged up to the size; a piece that is not below it is split at the next separator.

    Parameters
    ----------
    separators : str or sequence of str
        ``default``, ``markdown``, ``cjk``, or a list of one's own, from the first to be tried to the last; an empty
        string splits into characters.
    keep : {"start", "end", "none"}
        Where a separator goes: to the piece behind it, to the piece before it, or away where chunks part.
    strip : bool
        Take white space off the ends of chunks; chunks of nothing else go.

    Notes
    -----
    Lengths in tokens are those of each piece encoded by itself, and the overlap is whole pieces.

    Examples
    --------
    >>> from chunkscope import Document
    >>> text = "First line.\\nA longer second line.\\n\\nThe end."
    >>> [text[start:end] for start, end in RecursiveChunker(20).spans(Document("a.md", text)).tolist()]
    ['First line.', 'A longer second', 'line.', 'The end.']
    >>> str(RecursiveChunker(20, separators=["\\n", ""], keep="end"))
    'recursive(size=20, separators=["\\\\n", ""], keep=end)'
    """

    name = "recursive"
    separators: Literal["default", "markdown", "cjk"] | tuple[str, ...] = field(default="default", kw_only=True)
    keep: Keep = field(default="start", kw_only=True)
    strip: bool = field(default=True, kw_only=True)

    def check(self) -> None:
        """Hold the settings to their choices, and the unit to what a piece can be counted in by itself."""
        check_choice(self, "keep", ("start", "end", "none"))
        if not isinstance(self.strip, bool):
            raise ChunkerError(f"recursive: strip={self.strip} is neither true nor false")
        if self.unit == "word":
            raise ChunkerError("recursive: unit word is none that pieces are counted in; use char or a token encoding")
        if isinstance(self.separators, str):
            check_choice(self, "separators", tuple(SEPARATORS))
            return
        object.__setattr__(self, "separators", tuple(self.separators))
        if not self.separators or not all(isinstance(one, str) for one in self.separators):
            raise ChunkerError(
                f"recursive: separators={self.separators!r} is no list of strings; write one such as "
                '["\\n\\n", "\\n", " ", ""], or a name: ' + ", ".join(SEPARATORS)
            )

    @property
    def spelt_separators(self) -> tuple[str, ...]:
        """The separators one by one."""
        return SEPARATORS[self.separators] if isinstance(self.separators, str) else self.separators

    def segment(self, analysis: DocumentAnalysis) -> Nested:
        """Take the characters of one document and, for tokens, what all its pieces weigh by themselves."""
        return self._segment(analysis.document.text)

    def _segment(self, text: str) -> Nested:
        separators, by_character = self._separators
        matches = [separator.matches(text) for separator in separators]
        edges = np.array([0, len(text)], dtype=np.int64)
        joints = [len(separator.spelling) for separator in separators]
        nested = Nested(separators, by_character, self.keep, edges, code_points(text), matches, joints)
        return nested if self.unit == "char" else _weighed(nested, text, get_unit(self.unit))

    @cached_property
    def _separators(self) -> tuple[tuple[Separator, ...], bool]:
        """The separators, and whether the last splits into characters; what is written behind that is never tried."""
        spelt = self.spelt_separators
        by_character = "" in spelt
        is_regular = self.separators == "markdown"
        return tuple(
            Separator(one, re.compile(one) if is_regular and one in _PATTERNS else None)
            for one in spelt[: spelt.index("") if by_character else len(spelt)]
        ), by_character

    def join(self, boundaries: Sequence[Nested]) -> Nested:
        """Lay documents one behind the other."""
        return join_nested(boundaries or [self._segment("")])

    def chunks(self, boundaries: Nested) -> Chunking:
        """Merge pieces into chunks of the chunker's size."""
        return next(self.chunks_of([self], boundaries))

    def chunks_of(self, cells: Sequence[Chunker], boundaries: Nested) -> Iterator[Chunking]:
        """Do so at several sizes and overlaps."""
        waiting: list[Chunker] = []
        weight = 0.0
        for cell in cells:
            waiting.append(cell)
            weight += 2 * boundaries.edges[-1] / (cell.required_size() - cell.overlap)
            if weight > CHUNKS_AT_ONCE:
                yield from self._cut(waiting, boundaries)
                waiting, weight = [], 0.0
        yield from self._cut(waiting, boundaries)

    def _cut(self, cells: Sequence[Chunker], nested: Nested) -> Iterator[Chunking]:
        """Merge the runs of pieces at all settings at once."""
        if not cells:
            return
        sizes = [cell.required_size() for cell in cells]
        descent = Descent(nested, min(sizes))
        runs = dict(zip(sorted(set(sizes)), descent.runs(sorted(set(sizes))), strict=True))
        of_cells = [runs[size] for size in sizes]
        n_runs = [len(found.first) for found in of_cells]
        first, behind, levels = (np.concatenate(column) for column in zip(*of_cells, strict=True))
        # n pieces have n - 1 separators, or as many as pieces where there is room for one more
        joints = descent.joints[levels]
        sizes_of_runs = np.repeat(sizes, n_runs) + joints
        overlaps = np.repeat([cell.overlap for cell in cells], n_runs)
        alone = np.flatnonzero(levels == descent.alone)  # pieces taken as they are, however large
        sizes_of_runs[alone] = descent.used[behind[alone]] - descent.used[first[alone]]
        pairs, counts = pack_groups(
            descent.used, first, behind, sizes_of_runs, np.where(overlaps, overlaps + joints, 0), fitting=True
        )
        found = self._texts(nested, descent, pairs, levels, counts)
        bounds = np.cumsum(np.concatenate(([0], counts)))[np.cumsum([0, *n_runs])]
        bounds = np.searchsorted(found.places, bounds)
        for low, high in pairwise(bounds.tolist()):
            spans = found.spans[low:high]
            tiles = partial(nested.tiles, spans) if self.strip else None
            n_rewritten = int(found.is_rewritten[low:high].sum()) if self.keep == "none" else None
            yield Chunking(spans, found.weights[low:high], tiles=tiles, n_rewritten=n_rewritten)

    def _texts(self, nested: Nested, descent: Descent, pairs: SpanArray, levels: IntArray, counts: IntArray) -> _Texts:
        """Take white space off what was merged, unless it is a piece taken as it is, and drop what then is empty."""
        first, behind = pairs[:, 0], pairs[:, 1]
        starts, ends = descent.starts, descent.ends
        if self.strip:
            starts, ends = nested.lead(starts), nested.trail(ends)
        starts, ends = starts.take(first), ends.take(behind)
        if self.strip:
            alone = np.flatnonzero(levels == descent.alone)
            alone = (np.cumsum(counts) - counts)[alone] if len(alone) else alone
            starts[alone], ends[alone] = descent.starts[first[alone]], descent.ends[behind[alone]]
        places = (starts < ends).nonzero()[0]
        spans = np.empty((len(places), 2), dtype=np.int64)
        spans[:, 0], spans[:, 1] = starts.take(places), ends.take(places)
        weights = spans[:, 1] - spans[:, 0]
        if self.keep == "none":
            levels = np.repeat(levels, counts)[places]
            excess, is_rewritten = descent.gaps(nested).inside(spans, levels)
        else:
            levels, excess, is_rewritten = ZERO, ZERO, np.zeros(0, dtype=np.bool_)
        if self.unit == "char":
            return _Texts(places, spans, weights - excess if len(is_rewritten) else weights, is_rewritten)
        weights = (descent.used[behind] - descent.used[first])[places] - descent.joints[levels]
        return _Texts(places, spans, weights, is_rewritten)


class _Texts(NamedTuple):
    """What was cut: which of the merged runs of pieces, their spans, what they weigh, and which are no slices."""

    places: IntArray
    spans: SpanArray
    weights: IntArray
    is_rewritten: BoolArray


def _weighed(nested: Nested, text: str, unit: Unit) -> Nested:
    """Measure what each piece of one text weighs by itself, each different one once."""
    known: dict[str, int] = {}

    def weigh(texts: Sequence[str]) -> IntArray:
        new = [one for one in dict.fromkeys(texts) if one not in known]
        known.update(zip(new, unit.lengths(new).tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, texts), dtype=np.int64, count=len(texts))

    weights = [
        weigh([text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)])
        for starts, ends in nested.pieces
    ]
    joints = weigh([separator.spelling for separator in nested.separators]).tolist()
    characters = weigh(list(text)) if nested.by_character else None
    return replace(nested, joints=joints, weights=weights, characters=characters)
