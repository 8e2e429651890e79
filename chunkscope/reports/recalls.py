"""Recall and mean reciprocal rank of cells that were ranked, for tables with a cell a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunkscope.grid.results import Cell, retriever_names

TITLES = {"strict": "recall", "start": "start"}
"""What tables call the judgements: all evidence whole in the first k chunks, and its first characters in them."""


@dataclass(frozen=True)
class Recall:
    """How many questions were answered by the first k chunks of one retriever.

    Attributes
    ----------
    retriever : str
        Its name; with a number where several have the same.
    title : str
        Such as ``recall@5``, or ``recall in 1500 char`` of the chunks that fit into a budget.
    hits, total : int
    """

    retriever: str
    title: str
    hits: int
    total: int


@dataclass(frozen=True)
class ReciprocalRank:
    """The mean of 1 / rank of one retriever, 0 where a question is never answered; None over no question."""

    retriever: str
    mean: float | None
    title: str = "MRR"


def recalls(cell: Cell) -> Iterator[Recall | ReciprocalRank]:
    """Give the figures of a cell, retriever by retriever; none where it was not ranked.

    Examples
    --------
    >>> found = {"retriever": "bm25", "k": [1], "strict": {"1": [1, 2]}, "start": {"1": [2, 2]}, "mrr": 0.75}
    >>> cell = Cell("fixed", "char", 50, 0, 90, retrieval=(found, found))
    >>> [f"{figure.retriever} {figure.title}" for figure in recalls(cell)][2:5]
    ['bm25 MRR', 'bm25-2 recall@1', 'bm25-2 start@1']
    """
    ranked = cell.retrieval or ()
    for name, found in zip(retriever_names(ranked), ranked, strict=True):
        for judgement, title in TITLES.items():
            for k in found["k"]:
                yield Recall(name, f"{title}@{k}", *found[judgement][str(k)])
        if "budget" in found:
            budget = found["settings"]["budget"]
            for judgement, title in TITLES.items():
                yield Recall(name, f"{title} in {budget['limit']} {budget['unit']}", *found["budget"][judgement])
        yield ReciprocalRank(name, found["mrr"])
