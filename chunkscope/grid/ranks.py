"""Ranks one by one: at which a question is answered, why it is not, and which chunks stood above."""

from __future__ import annotations

from dataclasses import dataclass

from chunkscope.language import say

CAUSES = {
    "not_indexed": say("its document is not in the index"),
    "not_embedded": say("all that would answer is above the limit of the model"),
    "split": say("no chunk holds the evidence whole"),
    "header_lost": say("no chunk has the row with its header"),
    "below": say("ranked below"),
}
"""Why a question is not answered, for people."""


@dataclass(frozen=True)
class Hit:
    """What came at one rank.

    Attributes
    ----------
    document : str
    start, end : int
        What was returned, in the document.
    line : int
        In which it starts, from 1.
    score : float
    text : str
        Its first words, on one line.
    meets : bool
        Whether it holds something that the question needs.
    """

    document: str
    start: int
    end: int
    line: int
    score: float
    text: str
    meets: bool


@dataclass(frozen=True)
class QuestionRank:
    """How one question fared in one cell.

    Attributes
    ----------
    id, question : str
    rank : int or None
        At which everything had been met that it needs; None: never.
    cause : str or None
        Why it is not answered by the first k chunks: ``not_indexed``, ``not_embedded``, ``split``, ``header_lost`` or
        ``below``; None: it is.
    above : tuple of Hit
        What came at the first k ranks.
    """

    id: str
    question: str
    rank: int | None
    cause: str | None
    above: tuple[Hit, ...]
