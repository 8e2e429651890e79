"""One cell: from ranked chunks to counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.index_text import CHARACTERS, IndexTexts, Scale
from chunkscope.chunkers.prepending import Prependable
from chunkscope.measures.tables import Rows
from chunkscope.questions.question import Question
from chunkscope.retrieval.causes import count_causes, find_causes, name_causes
from chunkscope.retrieval.context import merged_characters, nearest_k
from chunkscope.retrieval.listed import Listing
from chunkscope.retrieval.overlap import MergedEvidence, mean_and_deviation, retrieved_overlap
from chunkscope.retrieval.ranking import BlockRanks, FloatArray, rank_block, tie_places, with_own_scores
from chunkscope.retrieval.ranks import CellRanks
from chunkscope.retrieval.relevance import JUDGEMENTS, Parts, Qrels, Ranks, Relevance
from chunkscope.retrieval.retriever import CellIndex, Retriever, Returns, Searcher, left_out
from chunkscope.retrieval.returns import numbered
from chunkscope.retrieval.settings import DEFAULT_CONTEXT, RetrievalSettings
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray

DIGITS = 6
LARGEST_CONTEXT = 4
"""A context is at most so small a part of what is in the index: most of it would be found anyway."""


@dataclass(frozen=True)
class RetrievalTask:
    """What all cells are judged by.

    Attributes
    ----------
    asked : sequence of Question
        Valid ones, in order: their rows come before those of unanswerable ones.
    rows : mapping of str to int
        The same by their ids.
    qrels : Qrels
    table_rows : Rows (r,)
        Data rows that evidence overlaps, in tables with a header.
    row_evidence : int64 (r,)
        That evidence.
    evidence : MergedEvidence
    allowed, outdated : bool (d,)
        Documents that may be found, and those that are out of force.
    traps : int64 (t, 2)
        Pairs of a question and a document that looks like its answer.
    blank_runs : int64 (r, 2)
    sections : int64 (s,)
        Where sections start, where they are returned.
    scale : Scale
        In what the budget is counted.
    groups : dict
        The questions of each value of an attribute.
    facts : mapping
        What holds for all cells.
    with_ids : bool
        Name the questions that are missed, not only count them.
    keep_ranks : bool
        Keep what came first, question by question.
    """

    settings: RetrievalSettings
    asked: Sequence[Question]
    rows: Mapping[str, int]
    qrels: Qrels
    table_rows: Rows
    row_evidence: IntArray
    evidence: MergedEvidence
    allowed: BoolArray
    outdated: BoolArray
    traps: IntArray
    blank_runs: SpanArray
    sections: IntArray
    scale: Scale
    prependable: Prependable | None
    groups: Mapping[str, IntArray]
    facts: Mapping[str, Any]
    with_ids: bool
    keep_ranks: bool

    def judgements(self, needed: Parts) -> list[Parts]:
        """Give what chunks have to hold: strict, start, and to answer where that is not strict."""
        found = [self.qrels.strict(), self.qrels.start()]
        return [*found, needed] if len(self.table_rows) else found

    def needed(self, chunks: ChunkSet) -> Parts:
        """Give what chunks of a cell have to hold to answer."""
        # what is returned in place of pieces repeats nothing in front
        pieces = None if self.settings.returns is not None else chunks.pieces
        repeated = None if pieces is None else self.table_rows.repeated(pieces)
        return self.qrels.answered(self.table_rows.wanted(chunks.chunker).spans, self.row_evidence, repeated)


def index_chunks(task: RetrievalTask, chunks: ChunkSet) -> CellIndex:
    """Find out which chunks of a cell are in the index, and what each weighs."""
    texts = IndexTexts.of(chunks, task.prependable)
    documents = chunks.layout.documents_of(chunks.bodies[:, 0])
    return CellIndex(
        chunks,
        texts,
        documents,
        indexed=task.allowed[documents] & ~chunks.is_blank(task.blank_runs),
        place=tie_places(chunks.layout.names, documents),
        returns=find_returns(task, chunks, texts),
    )


def find_returns(task: RetrievalTask, chunks: ChunkSet, texts: IndexTexts) -> Returns:
    """Find what is returned for each chunk; it prepends what a chunk in its place would."""
    numbers = None
    if task.settings.returns is not None:
        spans = task.settings.returns.spans(chunks, task.sections, task.blank_runs)
        texts = IndexTexts.of_spans(spans, chunks, task.prependable)
        numbers = numbered(spans)
    return Returns(
        texts.bodies, numbers, prepended=texts.weights(CHARACTERS).prepended, sizes=texts.weights(task.scale).total
    )


@dataclass(frozen=True)
class Depth:
    """At how many chunks a cell is judged.

    Attributes
    ----------
    k : tuple of int
        The largest judges.
    context : int or None
        The characters to which that comes nearest; None: the numbers were given.
    is_half : bool
        So many returns of mean length hold half of the documents in the index, or more.
    full : int or None
        The number that would judge, where fewer are listed for any question; else None.
    """

    k: tuple[int, ...]
    context: int | None
    is_half: bool
    full: int | None = None

    @property
    def settings(self) -> dict[str, int]:
        """What of it is the same in all cells."""
        return {} if self.context is None else {"context": self.context}


def find_depth(task: RetrievalTask, index: CellIndex, most: int | None = None) -> Depth:
    """Find out how many chunks of a cell come nearest to the context that is asked for, a quarter of the index at most.

    What counts is what is in the index: its documents, and what its chunks return with what that prepends; what several
    return alike counts once. Where `most` are returned, and there are more in the index, no more than these judge.
    """
    returns = index.returns
    some = np.flatnonzero(index.indexed)
    if returns.numbers is not None:
        some = some[np.unique(returns.numbers[some], return_index=True)[1]]
    bodies = int((returns.spans[some, 1] - returns.spans[some, 0]).sum())
    indexed = int(index.chunks.layout.lengths[task.allowed].sum())
    ks, context = task.settings.k, None
    if ks is None:
        context = min(task.settings.context or DEFAULT_CONTEXT, indexed // LARGEST_CONTEXT)
        ks = (nearest_k(context, len(some), bodies + int(returns.prepended[some].sum())),)
    full = None
    if most is not None and max(most, 1) < min(ks[-1], len(some)):
        full = ks[-1]
        ks = (*(k for k in ks if k < most), max(most, 1))
    return Depth(ks, context, 2 * ks[-1] * bodies >= indexed * len(some), full)


@dataclass(frozen=True)
class CellRanking:
    """What came first for each question of a cell; rows are questions, j judgements.

    Attributes
    ----------
    ranks : int64 (q, j)
        First rank at which all is met, 0: never.
    scores : float (q, j)
        Of the chunk that decides.
    taken : int64 (q, j)
        What the chunks up to that rank take of the budget.
    top : int64 (a, k)
        Of all questions asked, the unanswerable ones too: the best chunk of each of the first k returns.
    top_scores : float (a, k)
    causes : int64 (q,)
        Why each question is not answered, if it is not.
    """

    ranks: IntArray
    scores: FloatArray
    taken: IntArray
    top: IntArray
    top_scores: FloatArray
    causes: IntArray


def rank_cell(task: RetrievalTask, index: CellIndex, searcher: Searcher, k: int) -> CellRanking:
    """Rank the chunks of a cell for all questions, and list the best k."""
    needed = task.needed(index.chunks)
    judgements = task.judgements(needed)
    returns = index.returns
    relevance = Relevance(task.qrels, returns.spans, judgements)
    weights = returns.sizes if task.settings.budget else None
    k = max(1, min(k, len(index.spans)))
    done: list[BlockRanks] = []
    targets: list[IntArray] = []
    for block in searcher.blocks(index):
        targets.append(relevance.targets(block, index.place))
        part = rank_block(block, targets[-1], k=k, place=index.place, weights=weights, returns=returns.numbers)
        done.append(with_own_scores(part, block, targets[-1]))
    n_valid = len(task.rows)
    order = np.argsort(np.concatenate([part.questions for part in done]), kind="stable")

    def joined(parts: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        return np.concatenate(parts)[order]

    def judged(parts: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        # where no question needs a row, to be answered is to be met strictly
        found = joined(parts)[:n_valid]
        return found if len(judgements) == len(JUDGEMENTS) else found[:, [0, 1, 0]]

    ahead = [part.ahead for part in done]
    return CellRanking(
        ranks=judged([part.ranks for part in done]),
        scores=judged([part.scores for part in done]),
        taken=judged(ahead) + np.append(returns.sizes, 0)[judged(targets)],
        top=joined([part.top for part in done]),
        top_scores=joined([part.top_scores for part in done]),
        causes=find_causes(
            task.qrels,
            needed,
            returns.spans,
            allowed=task.allowed[index.chunks.layout.documents_of(task.qrels.spans[:, 0])],
            indexed=index.indexed,
            embedded=index.indexed & ~left_out(searcher, index),
        ),
    )


def evaluate_cell(task: RetrievalTask, chunks: ChunkSet, retriever: Retriever, searcher: Searcher) -> dict[str, Any]:
    """Rank the chunks of a cell, judge what comes first, and give the counts as JSON has them."""
    settings = task.settings
    index = index_chunks(task, chunks)
    depth = find_depth(task, index)
    listing = _listing(task, index, searcher, depth.k[-1])
    if listing is not None:
        depth = find_depth(task, index, listing.depth)
    ks = depth.k
    ranking = rank_cell(task, index, searcher, ks[-1])
    n_valid = len(task.rows)
    strict, start, answered = ranking.ranks.T
    characters = int(chunks.layout.lengths[task.allowed].sum())
    found: dict[str, Any] = {
        "retriever": retriever.name,
        "settings": {**retriever.settings, **settings.to_dict(), **depth.settings},
        "indexed_chunks": int(np.count_nonzero(index.indexed & ~left_out(searcher, index))),
        "k": list(ks),
        "half": depth.is_half,
        **{judgement: count_hits(ranking.ranks[:, j], ks) for j, judgement in enumerate(JUDGEMENTS)},
        "mrr": _mean(np.divide(1.0, strict, out=np.zeros(n_valid), where=strict > 0)),
        "misses": {str(k): count_causes(ranking.causes, _missed(answered, k)) for k in ks},
        **_contexts(index, ranking.top[:n_valid], ks, characters),
    }
    if listing is not None:
        found["listed"] = _listed(task, listing, ranking, depth)
    found |= _asked_for(task, index, ranking, ks)
    found["first_rank"] = Ranks(task.rows, strict)
    found["first_rank_start"] = Ranks(task.rows, start)
    found["first_rank_answered"] = Ranks(task.rows, answered)
    if task.with_ids:
        found["missed"] = name_causes(task.rows, ranking.causes, _missed(answered, ks[-1]))
    if task.keep_ranks:
        found["_ranks"] = _kept(task, index, ranking, ks[-1])
    found["_facts"] = task.facts
    found["_asked"] = task.asked
    return found


def _listing(task: RetrievalTask, index: CellIndex, searcher: Searcher, k: int) -> Listing | None:
    """Get the lists of a searcher that scores no chunks itself."""
    prepare = getattr(searcher, "prepare", None)
    if prepare is None:
        return None
    may_be_found, with_scores = task.allowed[index.documents], bool(task.settings.min_scores)
    listing: Listing = prepare(index, k, may_be_found=may_be_found, with_scores=with_scores)
    return listing


def _listed(task: RetrievalTask, listing: Listing, ranking: CellRanking, depth: Depth) -> dict[str, Any]:
    """Say how long lists are, for which questions there is none, and which are empty."""
    ids, n_valid = list(task.rows), len(task.rows)
    is_empty = ranking.top[:, 0] < 0
    answerable, unanswerable = is_empty[:n_valid], is_empty[n_valid:]
    return {
        "depth": listing.depth,
        **({} if depth.full is None else {"full_k": depth.full}),
        "unlisted": [ids[row] for row in listing.unlisted.tolist() if row < n_valid],
        "answerable_with_nothing": [int(np.count_nonzero(answerable)), n_valid],
        "unanswerable_with_something": [int(np.count_nonzero(~unanswerable)), len(unanswerable)],
    }


def _asked_for(task: RetrievalTask, index: CellIndex, ranking: CellRanking, ks: Sequence[int]) -> dict[str, Any]:
    """Give the counts that stand there only where they were asked for."""
    settings, n_valid = task.settings, len(task.rows)
    found: dict[str, Any] = {}
    if settings.budget:
        found["budget"] = _budget(settings.budget.limit, index, ranking)
    if len(task.traps) or settings.outdated:
        is_outdated = _outdated(task, index, ranking.top)
        found["outdated"] = _count_any(is_outdated[:n_valid], ks)
        if len(is_outdated) > n_valid:
            found["outdated_unanswerable"] = _count_any(is_outdated[n_valid:], ks)
    if settings.min_scores:
        found["min_score"] = [_at_least(score, ranking, ks) for score in settings.min_scores]
    if settings.group_by is not None:
        groups = {
            label: {name: count_hits(ranking.ranks[rows, j], ks) for j, name in enumerate(JUDGEMENTS)}
            for label, rows in task.groups.items()
        }
        found["group_by"] = {settings.group_by: groups}
    if settings.overlap:
        found["overlap"] = {str(k): _overlap(task, index, ranking.top[:n_valid, :k]) for k in ks}
    return found


def _kept(task: RetrievalTask, index: CellIndex, ranking: CellRanking, k: int) -> CellRanks:
    n_valid, answered = len(task.rows), ranking.ranks[:, 2]
    return CellRanks(
        top=ranking.top[:n_valid],
        scores=ranking.top_scores[:n_valid],
        spans=index.returns.spans,
        layout=index.chunks.layout,
        ranks=answered,
        causes=ranking.causes,
        missed=_missed(answered, k),
        qrels=task.qrels,
        needed=task.needed(index.chunks),
    )


def count_hits(ranks: IntArray, ks: Sequence[int]) -> dict[str, list[int]]:
    """Count the questions whose first rank is k or better.

    Examples
    --------
    >>> count_hits(np.array([1, 0, 4]), (1, 5))
    {'1': [1, 3], '5': [2, 3]}
    """
    return {str(k): [int(np.count_nonzero((ranks > 0) & (ranks <= k))), len(ranks)] for k in ks}


def _mean(values: FloatArray | IntArray) -> float | None:
    return round(float(values.mean()), DIGITS) if len(values) else None


def _missed(ranks: IntArray, k: int) -> BoolArray:
    missed: BoolArray = (ranks == 0) | (ranks > k)
    return missed


def _contexts(index: CellIndex, top: IntArray, ks: Sequence[int], characters: int) -> dict[str, Any]:
    context, corpus_share = {}, {}
    prepended = np.append(index.returns.prepended, 0)
    for k in ks:
        bodies = merged_characters(index.returns.spans, top[:, :k])
        context[str(k)] = _mean(bodies + prepended[top[:, :k]].sum(axis=1))
        mean = _mean(bodies)
        corpus_share[str(k)] = None if mean is None or not characters else round(mean / characters, DIGITS)
    return {"context": context, "corpus_share": corpus_share}


def _budget(limit: int, index: CellIndex, ranking: CellRanking) -> dict[str, Any]:
    n_valid = len(ranking.ranks)
    hits = (ranking.ranks > 0) & (ranking.taken <= limit)
    best = ranking.top[:n_valid, 0]
    too_large = (best >= 0) & (np.append(index.returns.sizes, 0)[best] > limit)
    return {
        **{name: [int(np.count_nonzero(hits[:, j])), n_valid] for j, name in enumerate(JUDGEMENTS)},
        "nothing": int(np.count_nonzero(too_large)),
    }


def _outdated(task: RetrievalTask, index: CellIndex, top: IntArray) -> BoolArray:
    """Tell which of the best are of documents out of force, or of such that only look like the answer: bool (a, k)."""
    n_documents = len(task.allowed)
    documents = np.append(index.documents, -1)[top]
    keys = np.arange(len(top))[:, None] * n_documents + documents
    is_trap = np.isin(keys, task.traps[:, 0] * n_documents + task.traps[:, 1])
    found: BoolArray = (np.append(task.outdated, False)[documents] | is_trap) & (documents >= 0)
    return found


def _count_any(which: BoolArray, ks: Sequence[int]) -> dict[str, list[int]]:
    """Count the questions with such a one among the first k."""
    return {str(k): [int(np.count_nonzero(which[:, :k].any(axis=1))), len(which)] for k in ks}


def _at_least(score: float, ranking: CellRanking, ks: Sequence[int]) -> dict[str, Any]:
    n_valid = len(ranking.ranks)
    best = ranking.top_scores[:, 0]
    reached = np.where(ranking.scores >= score, ranking.ranks, 0)
    return {
        "score": score,
        "answerable_with_nothing": [int(np.count_nonzero(best[:n_valid] < score)), n_valid],
        "unanswerable_with_something": [int(np.count_nonzero(best[n_valid:] >= score)), len(best) - n_valid],
        **{name: count_hits(reached[:, j], ks) for j, name in enumerate(JUDGEMENTS)},
    }


def _overlap(task: RetrievalTask, index: CellIndex, top: IntArray) -> dict[str, Any]:
    values = retrieved_overlap(index.returns.spans, top, task.evidence)
    found = {}
    for name, each in values.items():
        pair = mean_and_deviation(each)
        found[name] = None if pair is None else {"mean": round(pair[0], DIGITS), "std": round(pair[1], DIGITS)}
    return found
