"""A sweep: every chunker at every size and overlap, over all documents.

Counts add: the result for some documents and the result for the others make the result for all. So documents are
swept in batches, in this process or in several, and only one batch is looked at at a time. Documents that one
question ties together share a batch.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from numbers import Integral
from operator import add
from typing import Any

from chunkscope.chunkers import Chunker, FixedChunker
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import ConfigError, LabelError
from chunkscope.grid.batches import Batch, tie_batches
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, Grid, Overlap
from chunkscope.grid.processes import run_in_processes
from chunkscope.grid.results import Cell, CorpusInfo, QuestionsInfo, SweepResult
from chunkscope.grid.scan import Progress, by_way, scan
from chunkscope.grid.tallies import Tally
from chunkscope.grid.versions import versions
from chunkscope.measures.base import Measure
from chunkscope.measures.cuts import CutMeasure
from chunkscope.measures.evidence import EvidenceMeasure, longest_evidence
from chunkscope.measures.shape import ShapeMeasure
from chunkscope.measures.status import StatusMeasure
from chunkscope.measures.tables import TableMeasure
from chunkscope.measures.tokens import TokenMeasure
from chunkscope.measures.wholeness import WholenessMeasure
from chunkscope.questions.check import check_labels
from chunkscope.questions.labels import Labels, LocatedQuestion
from chunkscope.questions.question import Question, QuestionFile

MAX_CELLS_WITH_IDS = 1000
BATCH_CHARACTERS, LARGEST_BATCH = 1 << 20, 1 << 24
"""About so many characters make a batch; where a large grid makes each batch dear, more, up to the other number."""
CELLS_OF_A_SMALL_GRID = 200


def sweep(
    documents: Corpus | Iterable[Document],
    questions: Labels | QuestionFile | Iterable[Question] | None = None,
    *,
    chunkers: str | Chunker | Sequence[str | Chunker] | Grid = "fixed",
    sizes: str | int | Iterable[int] = DEFAULT_SIZES,
    overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
    skip_bad_labels: bool = False,
    with_ids: bool | None = None,
    with_cuts: bool = True,
    count_tokens: str | None = None,
    measures: Sequence[Measure] = (),
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> SweepResult:
    """Cut documents at every setting of a grid and count what each does to them.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    questions : Labels, QuestionFile or iterable of Question, optional
        With evidence, or not answerable. Without any, sentences, code blocks and headings are counted.
    chunkers : str, Chunker, sequence of Chunker or Grid
        Ways of cutting, in the spelling of `parse_chunker` or as values; a grid has its own sizes and overlaps.
    sizes, overlaps : str or iterables
        In the notation of `parse_sizes` and `parse_overlaps`.
    skip_bad_labels : bool
        Leave questions with label problems out of every cell alike, and list them, instead of raising.
    with_ids : bool, optional
        Name split questions in each cell; by default up to 1,000 cells.
    with_cuts : bool
        Class the ends of all chunks.
    count_tokens : str, optional
        Token encoding in which to count what is to be embedded.
    measures : sequence of Measure
        Further ones; what they count goes into fields of `Cell`.
    settings : mapping, optional
        What else was held fixed, to be kept with the result.
    jobs : int
        Processes that share the documents; the result is the same. More than one needs a script that can be imported.
    progress : callable, optional

    Returns
    -------
    SweepResult

    Raises
    ------
    LabelError
        Questions whose labels are not sound, unless they are skipped.
    GridError, ChunkerError, ConfigError, InputError
        A grid, a chunker or a number of jobs that means nothing; no documents or questions but a path to them.

    Examples
    --------
    >>> from chunkscope import Document, Question, sweep
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。")
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = sweep([rules], asked, sizes=[10, 20], overlaps=[0])
    >>> [(cell.size, cell.split_questions) for cell in result.cells]
    [(10, 1), (20, 0)]
    """
    if not isinstance(jobs, Integral) or jobs < 1:
        raise ConfigError(f"jobs {jobs!r} must be a whole number of at least 1")
    corpus = Corpus.of(documents)
    grid = Grid.of(chunkers, sizes, overlaps)
    labels = None if questions is None else _sound_labels(corpus, questions, skip_bad_labels)
    if with_ids is None:
        with_ids = len(grid.chunkers) <= MAX_CELLS_WITH_IDS
    plan = Plan(grid.chunkers, labels is not None, with_ids, with_cuts, count_tokens, tuple(measures))
    resolved = [question for question in labels.valid if question.evidence] if labels else []
    batches = tie_batches(corpus, resolved, None if measures else _room(corpus, len(grid.chunkers), jobs))
    # what ranks all chunks together cannot be shared
    total, seen = _add_up(plan, batches, 1 if measures else jobs, len(corpus), progress)
    cells = tuple(
        cell for ways, tally in zip(by_way(grid.chunkers), total.tallies, strict=True) for cell in tally.cells(ways)
    )
    return SweepResult(
        settings={"overlaps": grid.overlaps, "versions": versions(), **(settings or {})},
        corpus=CorpusInfo(
            corpus.path, seen, total.tallies[0].characters, corpus.files, corpus.unreadable, corpus.ignored
        ),
        questions=_questions_info(labels, cells[0], total.longest, plan.families) if labels else None,
        cells=_in_order_of_questions(cells, resolved) if with_ids else cells,
        skipped=grid.skipped,
    )


@dataclass(frozen=True)
class Plan:
    """What a batch needs to know of a sweep."""

    chunkers: tuple[Chunker, ...]
    with_questions: bool
    with_ids: bool
    with_cuts: bool
    count_tokens: str | None
    further: tuple[Measure, ...]

    @cached_property
    def families(self) -> tuple[Chunker, ...]:
        """The ways of cutting, without sizes: each boundaries a document once."""
        return tuple(dict.fromkeys(cells[0].at(None) for cells in by_way(self.chunkers)))

    @property
    def units(self) -> tuple[str, ...]:
        """The units that documents are measured in, characters left out."""
        return tuple(sorted({*(family.unit for family in self.families), self.count_tokens or "char"} - {"char"}))

    def measures(self, questions: Sequence[LocatedQuestion]) -> list[Measure]:
        """Set up what is counted."""
        chosen: list[Measure] = [ShapeMeasure(self.chunkers, self._least_chunk()), TableMeasure(), StatusMeasure()]
        if self.with_questions:
            chosen.append(EvidenceMeasure(questions, self.chunkers, with_ids=self.with_ids))
        else:
            chosen.append(WholenessMeasure())
        if self.with_cuts:
            chosen.append(CutMeasure())
        if self.count_tokens:
            chosen.append(TokenMeasure(self.count_tokens, self.chunkers))
        return [*chosen, *self.further]

    def _least_chunk(self) -> int:
        """Give the shortest length in characters of a chunk that does not end its document."""
        plain = all(isinstance(chunker, FixedChunker) and chunker.unit == "char" for chunker in self.chunkers)
        return min(chunker.required_size() for chunker in self.chunkers) if plain else 1


@dataclass(frozen=True)
class Total:
    """The counts of some batches, those of each way of cutting together."""

    tallies: tuple[Tally, ...]
    longest: Mapping[str, int]

    def __add__(self, other: Total) -> Total:
        units = {*self.longest, *other.longest}
        return Total(
            tuple(map(add, self.tallies, other.tallies)),
            {unit: max(self.longest.get(unit, 0), other.longest.get(unit, 0)) for unit in sorted(units)},
        )


def sweep_batch(plan: Plan, batch: Batch, progress: Progress | None = None) -> Total:
    """Count all cells over the documents of one batch."""
    scanned = scan(batch.documents, plan.families, plan.measures(batch.questions), plan.units)
    return Total(tuple(scanned.tallies(plan.chunkers, progress)), longest_evidence(scanned.bound))


def _add_up(
    plan: Plan, batches: Iterator[Batch], jobs: int, n_documents: int, progress: Progress | None
) -> tuple[Total, int]:
    totals: list[Total] = []
    seen = 0
    results = (
        run_in_processes(sweep_batch, plan, batches, jobs)
        if jobs > 1
        else ((batch, sweep_batch(plan, batch, progress)) for batch in batches)
    )
    for batch, total in results:
        totals = [reduce(add, [*totals, total])]
        seen += len(batch.documents)
        if progress:
            progress("documents", seen, n_documents)
    return totals[0], seen


def _sound_labels(
    corpus: Corpus, questions: Labels | QuestionFile | Iterable[Question], skip_bad_labels: bool
) -> Labels:
    labels = questions if isinstance(questions, Labels) else check_labels(corpus, questions)
    if not skip_bad_labels:
        labels.require_valid()
    names = frozenset(corpus.names)
    for question in labels.valid:
        for entry in question.evidence:
            if entry.document not in names:
                raise LabelError(
                    f"question {question.question.id}: {entry.document!r} is not among the documents; "
                    "check the labels against the documents that are swept"
                )
    return labels


def _room(corpus: Corpus, n_cells: int, jobs: int) -> int:
    """Give the characters of a batch: more for a large grid, but no more than one process's share."""
    room = min(BATCH_CHARACTERS * max(1, n_cells // CELLS_OF_A_SMALL_GRID), LARGEST_BATCH)
    return min(room, max(BATCH_CHARACTERS, corpus.most_characters // jobs + 1))


def _in_order_of_questions(cells: Sequence[Cell], questions: Sequence[LocatedQuestion]) -> tuple[Cell, ...]:
    """Name questions in the order of their file, whatever batch they were in."""
    place = {question.question.id: number for number, question in enumerate(questions)}

    def ordered(ids: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if ids is None else tuple(sorted(ids, key=place.__getitem__))

    return tuple(
        dataclasses.replace(
            cell,
            split_question_ids=ordered(cell.split_question_ids),
            header_lost_question_ids=ordered(cell.header_lost_question_ids),
        )
        for cell in cells
    )


def _questions_info(
    labels: Labels, cell: Cell, longest: Mapping[str, int], families: Sequence[Chunker]
) -> QuestionsInfo:
    return QuestionsInfo(
        path=labels.path,
        sha256=labels.sha256,
        total=labels.total,
        valid=len(labels.valid),
        without_evidence=len(labels.without_evidence),
        excluded=tuple((problem.id, problem.problem) for problem in labels.excluded),
        evidence=sum(len(question.evidence) for question in labels.valid),
        table=cell.table_questions,
        longest={family.unit: longest.get(family.unit, 0) for family in families},
    )
