"""Retrieval: what a cut does to recall, with BM25 for whole grids, and honest comparison of cells.

Nothing else of the package needs this one; without it, sweeps count what is split, but not what is found.
"""

from chunkscope.retrieval.bm25.search import Bm25Retriever
from chunkscope.retrieval.compare import summarise
from chunkscope.retrieval.context import Budget
from chunkscope.retrieval.dense.retriever import Dense
from chunkscope.retrieval.holdout import Holdout
from chunkscope.retrieval.measure import RetrievalMeasure
from chunkscope.retrieval.overlap import OverlapMeasure
from chunkscope.retrieval.ranker import Ranker
from chunkscope.retrieval.ranking import rank_block
from chunkscope.retrieval.returns import Return
from chunkscope.retrieval.settings import Condition, RetrievalSettings

__all__ = [
    "Bm25Retriever",
    "Budget",
    "Condition",
    "Dense",
    "Holdout",
    "OverlapMeasure",
    "Ranker",
    "RetrievalMeasure",
    "RetrievalSettings",
    "Return",
    "rank_block",
    "summarise",
]
