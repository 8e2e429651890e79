"""What a grid has to embed, before anything is sent: texts, tokens, what is known already, the price."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from chunkscope.chunkers import Chunker
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.grid.scan import scan
from chunkscope.reports.formatting import money, plural
from chunkscope.retrieval.dense.embedding import TOKENS_A_PRICE_IS_FOR, Embedder
from chunkscope.retrieval.dense.retriever import DenseSearcher
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.fusion import FusedSearcher
from chunkscope.retrieval.measure import BoundRetrieval, RetrievalMeasure


@dataclass(frozen=True)
class GridPlan:
    """What one provider has to embed for a grid.

    Attributes
    ----------
    provider : str
    cells : int
    texts : int
        Different ones, chunks and questions together.
    cached : int
        Those that have a vector already.
    to_send : int
    tokens : int or None
        Of those to send; None where the provider cannot count.
    over_long : int
        Texts above the model's limit: they are left out.
    """

    provider: str
    cells: int
    texts: int = 0
    cached: int = 0
    to_send: int = 0
    tokens: int | None = 0
    over_long: int = 0

    def price(self, per_million: float) -> float | None:
        """Give what the texts to send cost, by the price of a million tokens."""
        return None if self.tokens is None else self.tokens * per_million / TOKENS_A_PRICE_IS_FOR

    def tell(self, per_million: float | None = None) -> str:
        """Say it in one line.

        Examples
        --------
        >>> GridPlan("openai:m", cells=6, texts=700, cached=40, to_send=660, tokens=90_000).tell(0.02)
        'openai:m: 6 cells, 700 texts, 40 in the cache, 660 to embed: 90,000 tokens, 0.00180 at 0.02 a million'
        """
        counted = f"{plural(self.cells, 'cell')}, {plural(self.texts, 'text')}"
        said = f"{self.provider}: {counted}, {self.cached:,} in the cache"
        if self.over_long:
            said += f", {self.over_long:,} above the model's limit"
        if not self.to_send:
            return f"{said}, nothing to embed"
        said += f", {self.to_send:,} to embed"
        if self.tokens is None:
            return f"{said} (this provider counts no tokens)"
        said += f": {plural(self.tokens, 'token')}"
        price = None if per_million is None else self.price(per_million)
        return said if price is None else f"{said}, {money(price)} at {per_million:g} a million"


def plan_grid(
    documents: Corpus | Iterable[Document], measure: RetrievalMeasure, chunkers: Sequence[Chunker]
) -> tuple[GridPlan, ...]:
    """Tell what the providers of a measure have to embed for a grid. Nothing is sent.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    measure : RetrievalMeasure
    chunkers : sequence of Chunker
        The cells.

    Returns
    -------
    tuple of GridPlan
        One a provider, each once; none where all retrievers do without vectors.
    """
    families = tuple(dict.fromkeys(chunker.at(None) for chunker in chunkers))
    units = tuple(sorted({family.unit for family in families} - {"char"}))
    scanned = scan(tuple(Corpus.of(documents)), families, [measure], units)
    bound = scanned.bound[0]
    if not isinstance(bound, BoundRetrieval):
        return ()
    searchers = {id(one.embedder): one for searcher in bound.searchers for one in _dense(searcher)}
    counts = {key: _Count(searcher) for key, searcher in searchers.items()}
    for count in counts.values():
        count.add(count.searcher.texts.questions, "query")
    for chunker in chunkers:
        chunks = scanned.chunks(chunker)
        indexed = index_chunks(bound.plan, chunks).indexed
        for count in counts.values():
            count.add(count.searcher.chunk_texts(chunks, indexed), "document")
    return tuple(count.plan(len(chunkers)) for count in counts.values())


def embedders_of(retrievers: Iterable[object]) -> tuple[Embedder, ...]:
    """Give all that embeds for retrievers, each once."""
    found = [embedder for retriever in retrievers for embedder in getattr(retriever, "embedders", ())]
    return tuple({id(embedder): embedder for embedder in found}.values())


def _dense(searcher: object) -> list[DenseSearcher]:
    if isinstance(searcher, FusedSearcher):
        return [found for part in searcher.searchers for found in _dense(part)]
    return [searcher] if isinstance(searcher, DenseSearcher) else []


class _Count:
    """Texts of one provider, each counted once over all cells."""

    def __init__(self, searcher: DenseSearcher) -> None:
        self.searcher = searcher
        self.seen: set[bytes] = set()
        self.parts: list[tuple[int, int, int, int | None, int]] = []

    def add(self, texts: Sequence[str], role: str) -> None:
        new: dict[bytes, str] = {}
        for text in texts:
            digest = sha256(f"{role}\0{text}".encode("utf-8", "surrogatepass")).digest()
            if digest not in self.seen:
                new[digest] = text
        self.seen.update(new)
        if not new:
            return
        plan = self.searcher.embedder.plan(list(new.values()), "query" if role == "query" else "document")
        self.parts.append((plan.unique, plan.cached, plan.to_send, plan.tokens, len(plan.over_long)))

    def plan(self, n_cells: int) -> GridPlan:
        columns = list(zip(*self.parts, strict=True)) or [(), (), (), (), ()]
        tokens = None if None in columns[3] else sum(count or 0 for count in columns[3])
        texts, cached, to_send, over_long = (sum(count or 0 for count in columns[n]) for n in (0, 1, 2, 4))
        provider = self.searcher.embedder.provider.id
        return GridPlan(provider, n_cells, texts, cached, to_send, tokens, over_long)
