"""What a grid has to embed, before anything is sent: texts, tokens, what is known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from chunkscope.chunkers import Chunker
from chunkscope.grid.scan import Scan
from chunkscope.retrieval.dense.embedding import Embedder, EmbeddingPlan
from chunkscope.retrieval.dense.retriever import DenseSearcher
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.fusion import FusedSearcher
from chunkscope.retrieval.measure import BoundRetrieval
from chunkscope.retrieval.providers.base import Role


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


def embedders_of(scanned: Scan) -> tuple[Embedder, ...]:
    """Give all that embeds for the retrievers of a scan, each once."""
    bound = scanned.of_kind(BoundRetrieval)
    found = [one.embedder for searcher in bound.searchers for one in _dense_searchers(searcher)] if bound else []
    return tuple({id(embedder): embedder for embedder in found}.values())


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
