"""Texts that a splitter or an index made of documents, and where these texts lie.

A chunker of our own cuts spans, and a chunk's text is a slice. What others give are texts: a piece may be a slice, or a
slice with white space joined, or a heading that is repeated in front of it; or it may be found nowhere. It counts as a
chunk all the same: its own text is what is ranked and how long it is, its span is what is judged.

Twin: tests/oracle/spans.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans
from chunkscope.structure.joined import JoinedTexts, blank_runs

PIECE_KINDS = ("exact", "normalised", "prepended", "not-found")
"""How a piece lies in its document: as a slice, as one but for changes that are known, as one behind a text that is
repeated or put in front, or nowhere."""
EXACT, NORMALISED, PREPENDED, NOT_FOUND = range(len(PIECE_KINDS))


@dataclass(frozen=True)
class Pieces:
    """The pieces of documents that lie one behind the other, in the order of documents, then as they were given.

    Attributes
    ----------
    texts : sequence of str
        The own text of each piece.
    spans : int64 (p, 2)
        The body of each; empty, at the start of its document, where it was not found.
    numbers : int64 (p,)
        The number of each in its document.
    kinds : uint8 (p,)
        Places in `PIECE_KINDS`.
    owners : int64 (r,)
        The piece that each of `prepended` stands in front of; never falls.
    prepended : int64 (r, 2)
        Spans of the document that are repeated in front of a piece.
    wrong_offsets : int
        Pieces whose offsets, as their splitter gave them, are not those of their text.
    n_broken : int
        Pieces with a replacement character that their document does not have there: a character was torn.
    failures : tuple of (str, str)
        Documents that could not be cut, and why; they have no pieces.
    ids : tuple of str
        What an index calls each; none for the pieces of a splitter, which have no names.
    sought : sequence of str or None
        What was looked for in the document, where an index ranks another text; None: `texts`.

    Examples
    --------
    >>> found = Pieces(["ab", "b", "?"], np.array([[0, 2], [1, 2], [0, 0]]), np.arange(3), np.array([0, 0, 3]))
    >>> found.outermost.tolist(), found.n_inside, found.is_found.tolist()
    ([0], 1, [True, True, False])
    """

    texts: Sequence[str]
    spans: SpanArray
    numbers: IntArray
    kinds: NDArray[np.integer]
    owners: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    prepended: SpanArray = field(default_factory=lambda: as_spans([]))
    wrong_offsets: int = 0
    n_broken: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()
    sought: Sequence[str] | None = None

    @cached_property
    def is_found(self) -> BoolArray:
        """Which pieces have a place: bool (p,)."""
        found: BoolArray = self.spans[:, 0] < self.spans[:, 1]
        return found

    @cached_property
    def outermost(self) -> IntArray:
        """The pieces that lie in no other, by place; of equal ones the first. What the others hold, these hold too."""
        found = np.flatnonzero(self.is_found)
        starts, ends = self.spans[found].T
        order = found[np.lexsort((-ends, starts))]
        ends = self.spans[order, 1]
        reach = np.maximum.accumulate(ends)
        is_new = np.ones(len(order), dtype=np.bool_)
        is_new[1:] = ends[1:] > reach[:-1]
        return order[is_new]

    @property
    def n_inside(self) -> int:
        """How many pieces lie inside another."""
        return int(np.count_nonzero(self.is_found)) - len(self.outermost)

    @cached_property
    def is_blank(self) -> BoolArray:
        """Which pieces have no visible text of their own, whatever is put in front of it: bool (p,)."""
        texts = self.texts if self.sought is None else self.sought
        runs = blank_runs(JoinedTexts(texts)) if len(texts) else []
        whole = [len(found) == 1 and int(found[0, 1] - found[0, 0]) for found in runs]
        blank: BoolArray = np.array(whole, dtype=np.int64) == np.array(list(map(len, texts)), dtype=np.int64)
        return blank

    @cached_property
    def lengths(self) -> IntArray:
        """Characters of each text: int64 (p,)."""
        return np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self.texts))

    def counted(self) -> dict[str, int]:
        """Count the pieces by kind, those without visible text, those inside another, and wrong offsets."""
        is_empty = self.is_blank & ~self.is_found  # there is nothing to be found
        kinds = np.bincount(self.kinds[~is_empty], minlength=len(PIECE_KINDS)).tolist()
        names = (name.replace("-", "_") for name in PIECE_KINDS)
        return {
            **dict(zip(names, kinds, strict=True)),
            "empty": int(np.count_nonzero(is_empty)),
            "inside": self.n_inside,
            "wrong_offsets": self.wrong_offsets,
        }

    def repeats(self, pieces: IntArray, spans: SpanArray) -> BoolArray:
        """Tell which pieces repeat a span of the document in front of their body.

        Parameters
        ----------
        pieces : int64 (n,)
        spans : int64 (n, 2)
            A span for each.

        Examples
        --------
        >>> row = Pieces(["h\\nr"], np.array([[4, 5]]), np.arange(1), np.array([2]), np.array([0]), np.array([[0, 2]]))
        >>> row.repeats(np.array([0, 0]), np.array([[0, 1], [2, 3]])).tolist()
        [True, False]
        """
        found = np.zeros(len(pieces), dtype=np.bool_)
        first, behind = (np.searchsorted(self.owners, pieces, side=side) for side in ("left", "right"))
        for number in range(int((behind - first).max(initial=0))):
            some = np.flatnonzero(first + number < behind)
            held = self.prepended[first[some] + number]
            found[some] |= (held[:, 0] <= spans[some, 0]) & (held[:, 1] >= spans[some, 1])
        return found


def join_pieces(parts: Sequence[Pieces], bases: Sequence[int]) -> Pieces:
    """Lay the pieces of documents one behind the other; a document starts at each of `bases`."""
    none = np.empty(0, dtype=np.int64)
    counts = np.cumsum([0, *(len(part.texts) for part in parts)]).tolist()
    rows = list(zip(parts, bases, counts, strict=False))
    return Pieces(
        texts=[text for part in parts for text in part.texts],
        spans=np.concatenate([none.reshape(0, 2), *(part.spans + base for part, base, _ in rows)]),
        numbers=np.concatenate([none, *(part.numbers for part in parts)]),
        kinds=np.concatenate([none.astype(np.uint8), *(part.kinds for part in parts)]),
        owners=np.concatenate([none, *(part.owners + n for part, _, n in rows)]),
        prepended=np.concatenate([none.reshape(0, 2), *(part.prepended + base for part, base, _ in rows)]),
        wrong_offsets=sum(part.wrong_offsets for part in parts),
        n_broken=sum(part.n_broken for part in parts),
        failures=tuple(failure for part in parts for failure in part.failures),
        ids=tuple(name for part in parts for name in part.ids),
        sought=_joined_sought(parts),
    )


def _joined_sought(parts: Sequence[Pieces]) -> list[str] | None:
    if all(part.sought is None for part in parts):
        return None
    return [text for part in parts for text in (part.texts if part.sought is None else part.sought)]
