"""Evidence: which of it some chunk holds whole, and what that means for the questions.

Twin: tests/oracle/evidence.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.cells import Cells, Sizes
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.measures.base import Column, alike
from chunkscope.measures.luck import PhasePositions, expected_splits
from chunkscope.measures.tables import Rows, RowSpans
from chunkscope.questions.labels import LocatedQuestion
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class EvidenceTable:
    """Evidence span by span, in the order of the questions.

    Attributes
    ----------
    ids : tuple of str
        The questions that have evidence.
    any_is_enough : bool (q,)
        For each question, whether one of its spans is enough.
    questions : int64 (e,)
        The question of each span; never falls.
    documents : tuple of str
        The document of each span.
    spans : int64 (e, 2)
        In its document.

    Examples
    --------
    >>> from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
    >>> from chunkscope.questions.question import Question
    >>> asked = LocatedQuestion(Question("q1"), (EvidenceSpan("a.md", 3, 6), EvidenceSpan("b.md", 0, 2)))
    >>> table = EvidenceTable.of([asked])
    >>> numbers, spans = table.in_document("b.md")
    >>> numbers.tolist(), spans.tolist()
    ([1], [[0, 2]])
    """

    ids: tuple[str, ...]
    any_is_enough: BoolArray
    questions: IntArray
    documents: tuple[str, ...]
    spans: SpanArray

    @classmethod
    def of(cls, located: Sequence[LocatedQuestion]) -> EvidenceTable:
        """Make it of questions; those without evidence are left out."""
        asked = [question for question in located if question.evidence]
        found = [span for question in asked for span in question.evidence]
        counts = [len(question.evidence) for question in asked]
        return cls(
            tuple(question.question.id for question in asked),
            np.array([question.question.match == "any" for question in asked], dtype=np.bool_),
            np.repeat(np.arange(len(asked)), counts).astype(np.int64),
            tuple(span.document for span in found),
            as_spans([(span.start, span.end) for span in found]),
        )

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def n_questions(self) -> int:
        """How many questions there are."""
        return len(self.ids)

    def in_document(self, name: str) -> tuple[IntArray, SpanArray]:
        """Give the numbers and the spans of the evidence in a document."""
        numbers = self._numbers.get(name, NONE)
        return numbers, self.spans[numbers]

    @cached_property
    def _numbers(self) -> dict[str, IntArray]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.documents):
            found.setdefault(name, []).append(number)
        return {name: np.array(numbers, dtype=np.int64) for name, numbers in found.items()}

    def laid(self, layout: Layout) -> SpanArray:
        """Give the spans in a layout that has all their documents."""
        number = {name: place for place, name in enumerate(layout.names)}
        bases = layout.edges[[number[name] for name in self.documents]] if len(self) else self.questions
        return self.spans + bases[:, None]

    @cached_property
    def n_spans(self) -> IntArray:
        """How many spans each question has."""
        return np.bincount(self.questions, minlength=self.n_questions)

    @cached_property
    def _firsts(self) -> IntArray:
        return np.cumsum(self.n_spans) - self.n_spans

    def worst_or_best(self, values: NDArray[np.integer]) -> NDArray[np.integer]:
        """Give for each question the largest value of its spans, or the smallest where one is enough."""
        if not len(values):
            return values
        best, worst = (ufunc.reduceat(values, self._firsts) for ufunc in (np.minimum, np.maximum))
        return np.where(self.any_is_enough, best, worst)

    def spoilt(self, bad: BoolArray) -> BoolArray:
        """Tell which questions have no sufficient choice of spans that are not bad."""
        n_bad = np.bincount(self.questions[bad], minlength=self.n_questions)
        return np.where(self.any_is_enough, n_bad == self.n_spans, n_bad > 0)


@dataclass(frozen=True)
class DocumentEvidence:
    """The evidence in one document.

    Attributes
    ----------
    numbers : int64 (e,)
        The number of each span in the table of all evidence.
    row_evidence : int64 (r,)
        For each data row that evidence overlaps, that evidence by its number.
    rows : RowSpans (r,)
    positions : dict
        For each way of counting, begin and length of each span, and the length of the document: int64 (e, 3).
    """

    numbers: IntArray
    row_evidence: IntArray
    rows: RowSpans
    positions: dict[Counting, IntArray]


Counting = tuple[str, bool]
"""How a chunker counts: its unit, and whether as raw tokens."""


def counting_of(chunker: Chunker) -> Counting:
    """Tell how a chunker counts."""
    return chunker.unit, chunker.counts_raw_tokens


class EvidenceMeasure:
    """Counts split, missing and header-lost evidence, and the questions that it spoils.

    Parameters
    ----------
    questions : sequence of LocatedQuestion
        Those about these documents.
    chunkers : sequence of Chunker
        Those of the sweep, for the units that they count in.
    with_ids : bool
        Name the questions, not only count them.
    """

    def __init__(
        self, questions: Sequence[LocatedQuestion], chunkers: Iterable[Chunker], *, with_ids: bool = True
    ) -> None:
        self.table = EvidenceTable.of(questions)
        self.countings = sorted({counting_of(chunker) for chunker in chunkers})
        self.with_ids = with_ids

    def collect(self, analysis: DocumentAnalysis) -> DocumentEvidence | None:
        """Take the evidence in one document, the rows that it touches, and its size in each unit."""
        numbers, spans = self.table.in_document(analysis.document.name)
        if not len(numbers):
            return None
        table = RowSpans.of(analysis.tables)
        owners, rows = table.touched(spans)
        positions = {counting: _positions(analysis, spans, *counting) for counting in self.countings}
        return DocumentEvidence(numbers, numbers[owners], table.take(rows), positions)

    def bind(self, collected: Sequence[DocumentEvidence | None], layout: Layout) -> BoundEvidence:
        """Lay the evidence of all documents one behind the other."""
        found = [one for one in collected if one is not None]
        order = np.argsort(np.concatenate([NONE, *(one.numbers for one in found)]))
        none = RowSpans.of(())
        return BoundEvidence(
            table=self.table,
            spans=Targets.of(self.table.laid(layout), layout),
            row_evidence=np.concatenate([NONE, *(one.row_evidence for one in found)]),
            rows=Rows.joined([none if one is None else one.rows for one in collected], layout),
            positions={
                counting: np.concatenate([np.empty((0, 3), np.int64), *(one.positions[counting] for one in found)])[
                    order
                ]
                for counting in self.countings
            },
            with_ids=self.with_ids,
        )


def _positions(analysis: DocumentAnalysis, spans: SpanArray, unit: str, raw: bool) -> IntArray:
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


@dataclass(frozen=True)
class BoundEvidence:
    """The evidence of all documents.

    Attributes
    ----------
    table : EvidenceTable
    spans : Targets (e,)
        The table's spans in the layout.
    row_evidence : int64 (r,)
        The evidence that overlaps each of `rows`.
    positions : dict
        For each way of counting the begin, length and document length of each span: int64 (e, 3).
    """

    table: EvidenceTable
    spans: Targets
    row_evidence: IntArray
    rows: Rows
    positions: dict[Counting, IntArray]
    with_ids: bool

    @cached_property
    def table_questions(self) -> BoolArray:
        """The questions with evidence that overlaps a data row of a table with a header."""
        asks = np.zeros(self.table.n_questions, dtype=np.bool_)
        asks[self.table.questions[self.row_evidence]] = True
        return asks

    def count(self, cells: Cells) -> dict[str, Column]:
        """Judge each span, then each question: all are split but those that a cell holds."""
        table, found = self.table, cells.all_least_sizes(self.spans)
        held, n, n_questions = cells.count(found.whole), len(table), table.n_questions
        # in a chunk above the size, longer evidence may be whole
        is_ours = cells.chunker.shown_unit == cells.chunker.unit
        short = np.minimum(found.whole, self.positions[counting_of(cells.chunker)][:, 1])
        rows_least = self._rows_least(cells)
        questions, rows = table.worst_or_best(found.whole), table.worst_or_best(rows_least)
        sound = table.worst_or_best(np.maximum(found.whole, rows_least))
        counts: dict[str, Column] = {
            **alike(cells, {"questions": n_questions, "evidence": n, "table_questions": self.table_questions.sum()}),
            "split_questions": n_questions - cells.count(questions),
            "split_evidence": n - held,
            "missing_questions": n_questions - cells.count(table.worst_or_best(found.covered)),
            "missing_evidence": n - cells.count(found.covered),
            "evidence_in_two_chunks": cells.count(found.by_two) - held,
            "evidence_longer_than_size": n - cells.count(short) if is_ours else [None] * len(cells),
            "table_questions_with_header": cells.count(rows[self.table_questions]),
            "harmed_questions": n_questions - cells.count(sound),
        }
        if self.with_ids:
            counts["split_question_ids"] = self._names(questions, cells)
            counts["header_lost_question_ids"] = self._names(rows, cells)
        return {**counts, **self._luck(cells)}

    def header_lost(self, chunks: ChunkSet) -> BoolArray:
        """Tell which evidence overlaps a data row that no chunk holds with its header."""
        lost = np.zeros(len(self.table), dtype=np.bool_)
        lost[self.row_evidence[~self.rows.with_header(chunks)]] = True
        return lost

    def _rows_least(self, cells: Cells) -> Sizes:
        """Give for each span the size from which on all rows that it overlaps are with their header."""
        least = np.zeros(len(self.table), dtype=np.int64)
        np.maximum.at(least, self.row_evidence, self.rows.least_sizes(cells))
        return least

    def _names(self, questions: Sizes, cells: Cells) -> list[tuple[str, ...]]:
        """Name for each cell the questions that it does not hold."""
        return [tuple(self.table.ids[n] for n in np.flatnonzero(questions > size)) for size in cells.sizes]

    def _luck(self, cells: Cells) -> dict[str, Column]:
        """Give what cells are expected to split; packed chunks know no phases."""
        if not cells.chunker.has_windows:
            return {}
        evidence, questions = expected_splits(self._phases(counting_of(cells.chunker)), cells.sizes, cells.overlaps)
        return {"expected_split_evidence": evidence, "expected_split_questions": questions}

    def _phases(self, counting: Counting) -> PhasePositions:
        if counting not in self._phase_positions:
            begins, lengths, totals = self.positions[counting].T
            table = self.table
            self._phase_positions[counting] = PhasePositions(
                begins, lengths, totals, self.spans.documents, table.questions, table.any_is_enough
            )
        return self._phase_positions[counting]

    @cached_property
    def _phase_positions(self) -> dict[Counting, PhasePositions]:
        return {}


def longest_evidence(bound: Sequence[object]) -> dict[str, int]:
    """Give for each unit how long the longest evidence is."""
    return {
        unit: int(positions[:, 1].max(initial=0))
        for measure in bound
        if isinstance(measure, BoundEvidence)
        for (unit, raw), positions in measure.positions.items()
        if not raw or (unit, False) not in measure.positions
    }
