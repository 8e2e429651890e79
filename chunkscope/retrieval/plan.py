"""What a grid has to embed, before anything is sent: texts, tokens, what is known already."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from chunkscope.chunkers import Chunker
from chunkscope.grid.scan import Progress, Scan
from chunkscope.retrieval.dense.embedding import Embedder, EmbeddingPlan
from chunkscope.retrieval.dense.retriever import DenseSearcher
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.fusion import FusedSearcher
from chunkscope.retrieval.measure import BoundRetrieval
from chunkscope.retrieval.providers.base import Role

TRIED = 17
"""Texts that are embedded to tell how long all take: one that loads the model, and sixteen that are timed."""
FINER_CELLS = 9
"""Sizes of the finer grid that follows the first."""


@dataclass(frozen=True)
class GridPlan:
    """What one provider has to embed for the cells of a grid; a text that several cells have is counted once.

    Attributes
    ----------
    provider : str
    cells : int
    embedding : EmbeddingPlan
    seconds_each : float or None
        What a text took of those that were tried.
    """

    provider: str
    cells: int
    embedding: EmbeddingPlan
    seconds_each: float | None = None

    @property
    def seconds(self) -> float | None:
        """How long it takes about, by what a few texts took; None where none were tried."""
        return None if self.seconds_each is None else self.seconds_each * self.embedding.to_send


def plan_grid(scanned: Scan, chunkers: Sequence[Chunker], *, try_out: bool = False) -> tuple[GridPlan, ...]:
    """Tell what the providers of a scan's retrieval have to embed for a grid. Nothing is sent.

    Parameters
    ----------
    scanned : Scan
        The one that is counted afterwards.
    chunkers : sequence of Chunker
        The cells.
    try_out : bool
        Let models on this machine embed a few of the texts, to tell how long the rest would take.

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
    return tuple(
        GridPlan(
            count.searcher.embedder.provider.id,
            len(chunkers),
            count.plan,
            count.seconds_each() if try_out and count.plan.to_send else None,
        )
        for count in counts.values()
    )


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
        self.tried: list[str] = []
        self._random, self._n_drawn = Random(0), 0
        self.add(searcher.collection.questions, "query")

    def add(self, texts: Sequence[str], role: Role) -> None:
        digests = {sha256(f"{role}\0{text}".encode("utf-8", "surrogatepass")).digest(): text for text in texts}
        new = [text for digest, text in digests.items() if digest not in self.seen]
        self.seen.update(digests)
        if new:
            self.plan += self.searcher.embedder.plan(new, role)
        for text in new if role == "document" else ():
            self._draw(text)

    def _draw(self, text: str) -> None:
        """Keep some of all texts, each as likely as any other (algorithm R, Vitter 1985)."""
        if not text.strip():
            return
        self._n_drawn += 1
        place = self._random.randrange(self._n_drawn)
        if self._n_drawn <= TRIED:
            self.tried.append(text)
        elif place < TRIED:
            self.tried[place] = text

    def seconds_each(self) -> float | None:
        """Embed these, in memory, and tell how long each took; None where the model is not on this machine."""
        embedder = self.searcher.embedder
        if not getattr(embedder.provider, "is_local", False) or len(self.tried) < 2:
            return None
        alone = Embedder(embedder.provider, VectorCache())
        alone.embed(self.tried[:1])  # the first loads the model
        start = time.perf_counter()
        n_embedded = alone.embed(self.tried[1:]).sent
        return (time.perf_counter() - start) / n_embedded if n_embedded else None
