"""Evidence: which of it some chunk holds whole, and what that means for the questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers import Chunker, FixedChunker, TokenChunker
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.columns import Column
from chunkscope.measures.ladders import Heights, Ladder, OneCell, WindowGrid
from chunkscope.measures.luck import PhasePositions, expected_splits
from chunkscope.measures.tables import prepends_header, row_spans, rows_with_header
from chunkscope.questions.labels import LocatedQuestion
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

EMPTY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Seen:
    """The evidence in one document.

    Attributes
    ----------
    entries : int64 (e,)
        The number of each entry among those of all questions.
    spans : int64 (e, 2)
    row_entries : int64 (r,)
        For each data row that evidence overlaps, the place of that evidence in `entries`.
    rows, hulls : int64 (r, 2)
        The row, and the row with its header.
    places : dict
        For each unit, begin and length of each entry in it, and the length of the document: int64 (e, 3).
    """

    entries: IntArray
    spans: SpanArray
    row_entries: IntArray
    rows: SpanArray
    hulls: SpanArray
    places: dict[tuple[str, bool], IntArray]


class EvidenceMeasure:
    """Counts split, missing and parted evidence, and the questions that it spoils.

    Parameters
    ----------
    questions : sequence of LocatedQuestion
        Questions whose labels are sound; those without evidence are left out.
    chunkers : sequence of Chunker
        Those of the sweep, for the units that they count in.
    with_ids : bool
        Name the questions, not only count them.
    """

    def __init__(
        self, questions: Sequence[LocatedQuestion], chunkers: Sequence[Chunker], *, with_ids: bool = True
    ) -> None:
        self.questions = tuple(question for question in questions if question.evidence)
        self.units = sorted({unit_key(chunker) for chunker in chunkers})
        self.with_ids = with_ids
        self._by_document: dict[str, list[tuple[int, int, int]]] = {}
        number = 0
        for question in self.questions:
            for entry in question.evidence:
                self._by_document.setdefault(entry.document, []).append((number, entry.start, entry.end))
                number += 1

    def collect(self, analysis: DocumentAnalysis) -> Seen | None:
        """Take the evidence in one document, the rows that it touches, and its size in each unit."""
        entries = self._by_document.get(analysis.document.name)
        if not entries:
            return None
        numbered = np.array(entries, dtype=np.int64)
        spans = as_spans(numbered[:, 1:])
        table = row_spans(analysis.tables)
        touched = (table.rows[None, :, 0] < spans[:, None, 1]) & (table.rows[None, :, 1] > spans[:, None, 0])
        row_entries, rows = np.nonzero(touched)
        places = {key: _places(analysis, spans, *key) for key in self.units}
        return Seen(numbered[:, 0], spans, row_entries, table.rows[rows], table.hulls[rows], places)

    def bind(self, collected: Sequence[Seen | None], layout: Layout) -> BoundEvidence:
        """Lay the evidence of all documents one behind the other."""
        found = [(seen, base) for seen, base in zip(collected, layout.edges.tolist(), strict=False) if seen]
        entries = np.concatenate([EMPTY, *(seen.entries for seen, _ in found)])
        order = np.argsort(entries, kind="stable")
        inverse = np.empty_like(order)
        inverse[order] = np.arange(len(order))
        firsts = np.cumsum([0, *(len(seen.entries) for seen, _ in found)])
        row_entries = [seen.row_entries + first for (seen, _), first in zip(found, firsts.tolist(), strict=False)]
        question_of = np.repeat(np.arange(len(self.questions)), [len(q.evidence) for q in self.questions])
        spans = np.concatenate([_none(), *(seen.spans + base for seen, base in found)])[order]
        return BoundEvidence(
            ids=tuple(question.question.id for question in self.questions),
            any_is_enough=np.array([q.question.match == "any" for q in self.questions], dtype=np.bool_),
            question_of=question_of.astype(np.int64),
            entries=Targets.of(spans, layout),
            row_entries=inverse[np.concatenate([EMPTY, *row_entries])],
            rows=Targets.of(np.concatenate([_none(), *(seen.rows + base for seen, base in found)]), layout),
            hulls=Targets.of(np.concatenate([_none(), *(seen.hulls + base for seen, base in found)]), layout),
            places={
                key: np.concatenate([np.empty((0, 3), np.int64), *(seen.places[key] for seen, _ in found)])[order]
                for key in self.units
            },
            with_ids=self.with_ids,
        )


def unit_key(chunker: Chunker) -> tuple[str, bool]:
    """Tell how a chunker counts: its unit, and whether as raw tokens."""
    return chunker.unit, isinstance(chunker, TokenChunker) and chunker.raw


def _places(analysis: DocumentAnalysis, spans: SpanArray, unit: str, raw: bool) -> IntArray:
    if unit == "char":
        return np.column_stack((spans[:, 0], spans[:, 1] - spans[:, 0], np.full(len(spans), analysis.length)))
    measured = analysis.measured(get_unit(unit))
    if raw:
        # A window holds evidence if it holds every token that has a byte of it.
        begin = np.searchsorted(measured.first_whole[:-1], spans[:, 0], side="right") - 1
        end = np.searchsorted(measured.last_whole, spans[:, 1], side="left")
    else:
        begin, end = measured.used(spans[:, 0]), measured.used(spans[:, 1])
    return np.column_stack((begin, end - begin, np.full(len(spans), measured.total)))


def _none() -> SpanArray:
    return np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class BoundEvidence:
    """The evidence of all documents, entry by entry in the order of the questions.

    Attributes
    ----------
    ids : tuple of str
        The questions.
    any_is_enough : bool (q,)
    question_of : int64 (e,)
        The question of each entry.
    entries : Targets (e,)
    row_entries : int64 (r,)
        The entry that overlaps each of `rows`, which with their headers are `hulls`.
    places : dict
        For each unit the begin, length and document length of each entry: int64 (e, 3).
    """

    ids: tuple[str, ...]
    any_is_enough: BoolArray
    question_of: IntArray
    entries: Targets
    row_entries: IntArray
    rows: Targets
    hulls: Targets
    places: dict[tuple[str, bool], IntArray]
    with_ids: bool

    @cached_property
    def table_question(self) -> BoolArray:
        """The questions with evidence that overlaps a data row of a table with a header."""
        asks = np.zeros(len(self.ids), dtype=np.bool_)
        asks[self.question_of[self.row_entries]] = True
        return asks

    @cached_property
    def _n_entries(self) -> IntArray:
        return np.bincount(self.question_of, minlength=len(self.ids))

    @cached_property
    def _first_entries(self) -> IntArray:
        return np.cumsum(self._n_entries) - self._n_entries

    def count(self, chunks: ChunkSet) -> dict[str, Any]:
        """Judge each entry, then each question."""
        columns = {**self._count(OneCell(chunks)), **self._luck([chunks.chunker])}
        return {**self._constants, **{name: column.tolist()[0] for name, column in columns.items()}}

    def count_grid(self, windows: WindowGrid) -> dict[str, Column]:
        """Judge each entry, then each question."""
        return {**windows.constants(self._constants), **windows.count(self._count), **self._luck(windows.chunkers)}

    @property
    def _constants(self) -> dict[str, int]:
        return {
            "questions": len(self.ids),
            "evidence": len(self.entries),
            "table_questions": int(np.count_nonzero(self.table_question)),
        }

    def _count(self, ladder: Ladder) -> dict[str, NDArray[Any]]:
        """Count what the rungs split: all entries and questions but those that they hold."""
        found = ladder.look_up(self.entries)
        held, n, n_questions = ladder.count(found.whole), len(self.entries), len(self.ids)
        # in a chunk above the size, longer evidence may be whole
        short = np.minimum(found.whole, ladder.fitting(self.places[unit_key(ladder.way)][:, 1]))
        questions, rows = self._of_questions(found.whole), self._of_questions(self._rows_whole(ladder))
        counts: dict[str, NDArray[Any]] = {
            "split_questions": n_questions - ladder.count(questions),
            "split_evidence": n - held,
            "missing_questions": n_questions - ladder.count(self._of_questions(found.covered)),
            "missing_evidence": n - ladder.count(found.covered),
            "evidence_in_two_chunks": ladder.count(found.by_two) - held,
            "evidence_longer_than_size": n - ladder.count(short),
            "table_questions_with_header": ladder.count(rows[self.table_question]),
        }
        if self.with_ids:
            counts["split_question_ids"] = self._names(questions, ladder)
            counts["header_lost_question_ids"] = self._names(rows, ladder)
        return counts

    def header_lost_entries(self, chunks: ChunkSet) -> BoolArray:
        """Tell which entries overlap a data row that is not together with its header."""
        apart = np.zeros(len(self.entries), dtype=np.bool_)
        apart[self.row_entries[~rows_with_header(chunks, self.rows, self.hulls)]] = True
        return apart

    def spoilt(self, bad: BoolArray) -> BoolArray:
        """Tell which questions have no sufficient choice of entries that are not bad."""
        n_bad = np.bincount(self.question_of[bad], minlength=len(self.ids))
        return np.where(self.any_is_enough, n_bad == self._n_entries, n_bad > 0)

    def _rows_whole(self, ladder: Ladder) -> Heights:
        """Give for each entry the height from which on all rows that it overlaps are together with their header."""
        heights = np.zeros(len(self.entries), dtype=np.int64)
        rows = self.rows if prepends_header(ladder.way) else self.hulls
        np.maximum.at(heights, self.row_entries, ladder.whole(rows))
        return heights

    def _of_questions(self, entries: Heights) -> Heights:
        """Give for each question the height of all of its entries, or of any where one is enough."""
        if not len(entries):
            return entries
        any_of, all_of = (ufunc.reduceat(entries, self._first_entries) for ufunc in (np.minimum, np.maximum))
        return np.where(self.any_is_enough, any_of, all_of)

    def _names(self, questions: Heights, ladder: Ladder) -> NDArray[Any]:
        """Name for each rung the questions above it."""
        names = (tuple(self.ids[n] for n in np.flatnonzero(questions > rung)) for rung in ladder.rungs)
        return np.fromiter(names, dtype=object, count=len(ladder.rungs))

    def _luck(self, chunkers: Sequence[Chunker]) -> dict[str, Column]:
        """Give what cells of one way of cutting are expected to split; packed chunks know no phases."""
        way = chunkers[0]
        windows = isinstance(way, FixedChunker) and way.unit == "char"
        if not windows and not (isinstance(way, TokenChunker) and way.raw):
            return {}
        sizes = np.array([chunker.required_size() for chunker in chunkers], dtype=np.int64)
        steps = sizes - np.array([chunker.overlap for chunker in chunkers], dtype=np.int64)
        evidence, questions = expected_splits(self._luck_places(unit_key(way)), sizes, steps)
        return {"expected_split_evidence": evidence, "expected_split_questions": questions}

    def _luck_places(self, unit: tuple[str, bool]) -> PhasePositions:
        if unit not in self._luck_by_unit:
            begins, lengths, totals = self.places[unit].T
            self._luck_by_unit[unit] = PhasePositions(
                begins, lengths, totals, self.entries.documents, self.question_of, self.any_is_enough
            )
        return self._luck_by_unit[unit]

    @cached_property
    def _luck_by_unit(self) -> dict[tuple[str, bool], PhasePositions]:
        return {}


def longest_evidence(bound: Sequence[object]) -> dict[str, int]:
    """Give for each unit how long the longest evidence is."""
    return {
        unit: int(place[:, 1].max(initial=0))
        for bound in bound
        if isinstance(bound, BoundEvidence)
        for (unit, raw), place in bound.places.items()
        if not raw or (unit, False) not in bound.places
    }
