"""A sweep: every chunker at every size and overlap, over all documents.

Counts add: the result for some documents and the result for the others make the result for all. So documents are
swept in batches, in this process or in several, and only one batch is looked at at a time. Documents that one
question ties together share a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from inspect import signature
from itertools import accumulate
from numbers import Integral
from operator import add
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from chunkscope.chunkers import Chunker, parse_chunker
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import ConfigError
from chunkscope.grid.advice import Tolerance
from chunkscope.grid.batches import BATCH_CHARACTERS, Batch, tie_batches
from chunkscope.grid.limits import UNNAMED, ModelLimit, find_limit
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, Grid, Overlap
from chunkscope.grid.plan import IN_TOKENS, SweepPlan, Total
from chunkscope.grid.processes import UNDER_WAY, run_in_processes, run_with_executor, versions
from chunkscope.grid.remedies import advised
from chunkscope.grid.results import Cell, CorpusInfo, QuestionsInfo, SweepResult, in_order_of_questions
from chunkscope.grid.scan import Progress, Scan
from chunkscope.grid.ways import default_grid
from chunkscope.measures.base import Measure, find_measure
from chunkscope.measures.damage import worst_first
from chunkscope.measures.findings import Finding
from chunkscope.questions.check import check_labels
from chunkscope.questions.labels import Labels, LocatedQuestion
from chunkscope.questions.question import Question, QuestionFile
from chunkscope.structure.units import is_here

if TYPE_CHECKING:
    from concurrent.futures import Executor

MAX_CELLS_WITH_IDS = 1000
LARGEST_BATCH = 1 << 24
"""A large grid makes each batch dear: then batches are larger, up to so many characters."""
CELLS_OF_A_SMALL_GRID = 38
LARGE = 40_000_000
"""What scans leave (13 bytes a character, measured) is kept up to so many, for a second look at the advised cell."""
MOST_TO_TOKENISE = 8_000_000
"""Tokens of no more characters are counted unasked."""

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def prepare_sweep(
    documents: Corpus | Iterable[Document],
    questions: Labels | QuestionFile | Iterable[Question] | None = None,
    *,
    chunkers: str | Chunker | Sequence[str | Chunker] | Grid | None = None,
    sizes: str | int | Iterable[int] | None = None,
    overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
    skip_bad_labels: bool = False,
    with_ids: bool | None = None,
    with_cuts: bool = True,
    count_tokens: str | None = None,
    measures: Sequence[Measure | str] = (),
    explain: Sequence[Chunker | str] = (),
    by_document: Sequence[Chunker | str] = (),
    model_limit: int | str | ModelLimit | None = None,
    tolerance: str | int = "2%",
    closely: bool = False,
    settings: Mapping[str, Any] | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Read what a sweep is asked for, and check it; see `sweep`."""
    if not isinstance(jobs, Integral) or jobs < 1:
        raise ConfigError(f"jobs {jobs!r} must be a whole number of at least 1")
    if executor is not None and jobs > 1:
        raise ConfigError("an executor has workers of its own: leave jobs out")
    corpus = Corpus.of(documents)
    if chunkers is None:
        grid = default_grid(sizes, overlaps, corpus)
    else:
        grid = Grid.of(chunkers, DEFAULT_SIZES if sizes is None else sizes, overlaps)
    grid = grid.for_corpus(corpus.names, corpus.path)
    labels = questions if questions is None or isinstance(questions, Labels) else check_labels(corpus, questions)
    if labels is not None:
        if not skip_bad_labels:
            labels.require_valid()
        labels.require_documents(corpus.names)
    if not isinstance(model_limit, ModelLimit):
        named = isinstance(model_limit, str)
        model_limit = find_limit(model_limit if named else None, None if named else model_limit)
    characters = corpus.most_characters
    closely = closely or characters <= LARGE
    plan = SweepPlan(
        grid,
        with_questions=labels is not None,
        with_ids=len(grid) <= MAX_CELLS_WITH_IDS if with_ids is None else with_ids,
        with_cuts=with_cuts,
        count_tokens=count_tokens,
        further=tuple(map(find_measure, measures)),
        explain=_parsed(explain, corpus),
        by_document=_parsed(by_document, corpus),
        limit=model_limit,
        tolerance=Tolerance.parse(tolerance),
        closely=closely,
        with_tokens=closely and model_limit == UNNAMED and characters <= MOST_TO_TOKENISE and is_here(IN_TOKENS),
    )
    return Sweep(corpus, labels, plan, settings or {}, int(jobs), progress, executor)


def _parsed(chunkers: Iterable[Chunker | str], corpus: Corpus) -> tuple[Chunker, ...]:
    parsed = (parse_chunker(one) if isinstance(one, str) else one for one in chunkers)
    return tuple(one.for_corpus(corpus.names, corpus.path) for one in parsed)


def _with_parameters_of(
    other: Callable[Parameters, object],
) -> Callable[[Callable[..., Returned]], Callable[Parameters, Returned]]:
    """Give a function the parameters of another, for readers and type checkers alike: they are written once."""

    def sign(function: Callable[..., Returned]) -> Callable[Parameters, Returned]:
        parameters = signature(other).replace(return_annotation=signature(function).return_annotation)
        function.__signature__ = parameters  # type: ignore[attr-defined]
        return function

    return sign


@_with_parameters_of(prepare_sweep)
def sweep(*arguments: Any, **options: Any) -> SweepResult:
    """Cut documents at every setting of a grid and count what each does to them.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    questions : Labels, QuestionFile or iterable of Question, optional
        With evidence, or not answerable. Without any, sentences, code blocks and headings are counted.
    chunkers : str, Chunker, sequence of Chunker or Grid, optional
        In the spelling of `parse_chunker` or as values; a grid has its own sizes and overlaps. Without any, the ways of
        `chunkscope.grid.ways` are compared.
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
    measures : sequence of Measure or str
        Further ones, as values or by the names that installed packages give them; what they count goes into each
        `Cell`.
    explain : sequence of Chunker or str
        Settings, of chunkers of the grid, whose cuts are to be found too: ``result.findings``.
    by_document : sequence of Chunker or str
        Settings whose damage is to be counted by document too: ``result.damage``.
    model_limit : int, str or ModelLimit, optional
        What the embedding model takes: so many of the chunker's unit, or the name of a model; else 8,000 characters.
        Only cells that fit are advised.
    tolerance : str or int
        How much more than the least the advised cell may lose: a share of the questions, or so many.
    closely : bool
        Look at the advised cell again, for the documents that it damages and for what prepending would mend, above 40
        million characters too (of files: bytes).
    settings : mapping, optional
        What else was held fixed, to be kept with the result.
    jobs : int
        Processes that share the documents; the result is the same. More than one needs a script that can be imported.
    executor : concurrent.futures.Executor, optional
        Workers that share the documents instead, of this machine or of a cluster (``client.get_executor()`` of Dask);
        the result is the same. They read the files of a folder themselves, under the same paths.
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
    >>> result = sweep([rules], asked, chunkers="fixed", sizes=[10, 20], overlaps=[0])
    >>> [(cell.size, cell.split_questions) for cell in result.cells]
    [(10, 1), (20, 0)]
    """
    return prepare_sweep(*arguments, **options).run()


class Sweep:
    """A sweep that is ready to run. Where all chunks compete, there is one scan, and others may read it before.

    Attributes
    ----------
    corpus : Corpus
    labels : Labels or None
    plan : SweepPlan
    """

    def __init__(
        self,
        corpus: Corpus,
        labels: Labels | None,
        plan: SweepPlan,
        settings: Mapping[str, Any],
        jobs: int = 1,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.corpus, self.labels, self.plan = corpus, labels, plan
        self._settings, self._progress = settings, progress
        # what ranks all chunks together cannot be shared, nor a splitter that other processes cannot be sent
        can_share = not plan.needs_all_documents and all(chunker.is_portable for chunker in plan.chunkers)
        self._jobs = jobs if can_share else 1
        self._executor = executor if can_share else None

    @cached_property
    def _located(self) -> list[LocatedQuestion]:
        return [question for question in self.labels.valid if question.evidence] if self.labels else []

    def _batches(self) -> Iterator[Batch]:
        room = (
            None
            if self.plan.needs_all_documents
            else _room(self.corpus, len(self.plan.grid), UNDER_WAY if self._executor else self._jobs)
        )
        return tie_batches(self.corpus, self._located, room)

    @cached_property
    def scan(self) -> Scan:
        """The one scan of all documents, where all chunks compete."""
        [batch] = tie_batches(self.corpus, self._located, None)
        return self.plan.scan(batch)

    def run(self) -> SweepResult:
        """Count all cells; advise one of them, unless chunks were ranked."""
        result = self.count()
        return result if self.plan.needs_all_documents else advised(self, result)

    def count(self) -> SweepResult:
        """Count all cells."""
        return self._result(self.plan, self._total)

    def again(self, chunkers: Sequence[Chunker], by_document: Sequence[Chunker] = ()) -> SweepResult:
        """Count other cells of the same chunkers from what the scans have left; no document is read."""
        plan = self.plan.again(chunkers, by_document)
        return self._result(plan, reduce(add, map(plan.count, self._total.kept)))

    def _result(self, plan: SweepPlan, total: Total) -> SweepResult:
        corpus, grid = self.corpus, plan.grid
        rows = zip(grid.rows, total.counts, strict=True)
        cells = tuple(cell for row, counts in rows for cell in counts.cells(row))
        characters = total.counts[0].characters
        order = {name: number for number, name in enumerate(corpus.names)}
        return SweepResult(
            settings={"overlaps": grid.overlaps, "versions": versions(), **self._settings},
            corpus=CorpusInfo(
                corpus.path,
                total.n_documents,
                characters,
                corpus.files,
                corpus.unreadable,
                corpus.ignored,
                total.kinds,
                total.largest,
                total.seen,
            ),
            questions=_questions_info(self.labels, cells[0], total.longest, grid.unsized) if self.labels else None,
            cells=tuple(in_order_of_questions(cells, self._located)) if plan.with_ids else cells,
            skipped=grid.skipped,
            fields=plan.fields,
            findings={
                str(chunker): tuple(sorted(found, key=lambda one: order[one.document or ""]))
                for chunker, found in zip(plan.explain, total.findings, strict=True)
            },
            damage={
                str(chunker): worst_first(found) for chunker, found in zip(plan.by_document, total.damage, strict=True)
            },
        )

    @cached_property
    def _total(self) -> Total:
        """What is counted over all documents, each looked at once."""
        for total in accumulate(self._totals()):
            if self._progress:
                self._progress("documents", total.n_documents, len(self.corpus))
        return total

    def _totals(self) -> Iterator[Total]:
        if self.plan.needs_all_documents:
            yield self.plan.count(self.scan, self._progress)
        elif self._executor is not None:
            count = SweepPlan.count_batch
            for _, total in run_with_executor(self._executor, count, self.plan, self._batches(), UNDER_WAY):
                yield total
        elif self._jobs > 1:
            for _, total in run_in_processes(SweepPlan.count_batch, self.plan, self._batches(), self._jobs):
                yield total
        else:
            for batch in self._batches():
                yield self.plan.count(self.plan.scan(batch), self._progress)


def find_boundary_problems(
    documents: Corpus | Iterable[Document], questions: Labels | Sequence[LocatedQuestion], chunker: Chunker | str
) -> list[Finding]:
    """Find the cuts of one setting that split evidence or part table rows from their header.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    questions : Labels or sequence of LocatedQuestion
        Their evidence, and the rows it overlaps, are looked at; without any, all rows of all tables are.
    chunker : Chunker or str
        With a size, where it needs one.

    Returns
    -------
    list of Finding
        By document, then place.

    Raises
    ------
    ChunkerError
        The chunker needs a size and has none.
    InputError, LabelError
        No documents but a path to them, or evidence in a document that is not there.

    Examples
    --------
    >>> from chunkscope import FixedChunker, Question, check_labels
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。")
    >>> labels = check_labels([rules], [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")])
    >>> [finding] = find_boundary_problems([rules], labels, FixedChunker(13))
    >>> finding.before[-8:] + "│" + finding.after[:6], finding.column
    ('限は1泊12,0│00円とする', 14)
    """
    corpus = Corpus.of(documents)
    [chunker] = _parsed([chunker], corpus)
    if chunker.needs_size:
        chunker.required_size()
    labels = questions if isinstance(questions, Labels) else Labels(tuple(questions), (), (), ())
    plan = SweepPlan(
        Grid.of_cells([chunker]),
        with_questions=bool(labels.valid),
        with_ids=False,
        with_cuts=False,
        count_tokens=None,
        further=(),
        explain=(chunker,),
    )
    labels.require_documents(corpus.names)
    return list(Sweep(corpus, labels if labels.valid else None, plan, {}).count().findings[str(chunker)])


def _room(corpus: Corpus, n_cells: int, jobs: int) -> int:
    """Give the characters of a batch: more for a large grid, but no more than one process's share."""
    room = min(BATCH_CHARACTERS * max(1, n_cells // CELLS_OF_A_SMALL_GRID), LARGEST_BATCH)
    return min(room, max(BATCH_CHARACTERS, corpus.most_characters // jobs + 1))


def _questions_info(
    labels: Labels, cell: Cell, longest: Mapping[str, int], chunkers: Sequence[Chunker]
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
        longest={chunker.unit: longest[chunker.unit] for chunker in chunkers},
        ids={question.question.id: question.question.digest for question in labels.valid},
    )
