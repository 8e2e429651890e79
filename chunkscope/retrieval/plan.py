"""What a grid has to embed, before anything is sent: texts, tokens, what is known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from chunkscope.chunkers import Chunker
from chunkscope.grid.scan import Progress, Scan
from chunkscope.retrieval.dense.embedding import EmbeddingPlan
from chunkscope.retrieval.dense.retriever import DenseSearcher
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.fusion import FusedSearcher
from chunkscope.retrieval.measure import BoundRetrieval
from chunkscope.retrieval.providers.base import Role

FINER_CELLS = 9
"""Sizes of the finer grid that follows the first."""


@dataclass(frozen=True)
class GridPlan:
    """What one provider has to embed for the cells of a grid; a text that several cells have is counted once."""

    provider: str
    cells: int
    embedding: EmbeddingPlan


def plan_grid(scanned: Scan, chunkers: Sequence[Chunker]) -> tuple[GridPlan, ...]:
    """Tell what the providers of a scan's retrieval have to embed for a grid. Nothing is sent.

    Parameters
    ----------
    scanned : Scan
        The one that is counted afterwards.
    chunkers : sequence of Chunker
        The cells.

    Returns
    -------
    tuple of GridPlan
        One a provider, each once; none where all retrievers do without vectors.
    """
    bound = scanned.of_kind(BoundRetrieval)
    if bound is None:
        return ()
    counts = {id(one.embedder): _Count(one) for searcher in bound.searchers for one in _dense_searchers(searcher)}
    for chunker in chunkers:
        index = index_chunks(bound.task, scanned.chunks(chunker))
        for count in counts.values():
            count.add(count.searcher.chunk_texts(index), "document")
    return tuple(GridPlan(count.searcher.embedder.provider.id, len(chunkers), count.plan) for count in counts.values())


def finer_grid(chunkers: Sequence[Chunker]) -> list[Chunker]:
    """Give a finer grid around the smallest sizes: of all that may follow it has the most chunks, so it is dearest."""
    rows: dict[tuple[Chunker, int], list[int]] = {}
    for chunker in chunkers:
        if chunker.size is not None:
            rows.setdefault((chunker.unsized, chunker.overlap), []).append(chunker.size)
    found = []
    for (unsized, overlap), sizes in rows.items():
        low, high = min(sizes), sorted(set(sizes))[min(1, len(set(sizes)) - 1)]
        step = max((high - low) // (FINER_CELLS - 1), 1)
        tried = (size for size in range(low, high + 1, step) if size > overlap and size not in sizes)
        found += [unsized.at(size, overlap) for size in tried]
    return found


def share_progress(scanned: Scan, progress: Progress, total: int) -> None:
    """Let all that embeds for a scan tell how far it is among `total` texts; each cell knows its own only."""
    before = 0

    def tell(stage: str, done: int, of_cell: int) -> None:
        nonlocal before
        progress(stage, before + done, max(total, before + of_cell))
        if done == of_cell:
            before += of_cell

    bound = scanned.of_kind(BoundRetrieval)
    for searcher in bound.searchers if bound else ():
        for one in _dense_searchers(searcher):
            one.embedder.progress = tell


def _dense_searchers(searcher: object) -> list[DenseSearcher]:
    if isinstance(searcher, FusedSearcher):
        return [found for part in searcher.searchers for found in _dense_searchers(part)]
    return [searcher] if isinstance(searcher, DenseSearcher) else []


class _Count:
    """The texts of one provider, each counted once over all cells."""

    def __init__(self, searcher: DenseSearcher) -> None:
        self.searcher = searcher
        self.seen: set[bytes] = set()
        self.plan = EmbeddingPlan()
        self.add(searcher.collection.questions, "query")

    def add(self, texts: Sequence[str], role: Role) -> None:
        digests = {sha256(f"{role}\0{text}".encode("utf-8", "surrogatepass")).digest(): text for text in texts}
        new = [text for digest, text in digests.items() if digest not in self.seen]
        self.seen.update(digests)
        if new:
            self.plan += self.searcher.embedder.plan(new, role)
