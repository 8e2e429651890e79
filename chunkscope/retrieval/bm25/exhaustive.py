"""The slow twin of `chunkscope.retrieval.bm25.blockmax`: every score of every question, added up posting by posting.

Nothing is pruned, so this says what the pruned scores, ranks and best chunks have to be; the tests hold them to it.
"""

from __future__ import annotations

import numpy as np

from chunkscope.retrieval.bm25.search import Bm25
from chunkscope.retrieval.ranking import FloatArray, RoughBlock


def exhaustive_scores(bm25: Bm25, question: int) -> FloatArray:
    """Give the score of every chunk for a question: float64 (n,)."""
    found, asked, postings = np.zeros(bm25.n_chunks), bm25.questions, bm25.postings
    for row in np.flatnonzero(asked.questions == question).tolist():
        held = postings.terms == asked.terms[row]
        found[postings.chunks[held]] += bm25.scores[held] * asked.times[row]
    return found


def exhaustive_block(bm25: Bm25) -> RoughBlock:
    """Give the scores of all questions as one block that can be ranked.

    Examples
    --------
    >>> from chunkscope.retrieval.bm25.postings import Postings
    >>> from chunkscope.retrieval.bm25.terms import QuestionTerms
    >>> held = Postings(np.array([0, 0]), np.array([0, 2]), np.array([1, 2]), np.array([4, 4, 4]))
    >>> exhaustive_block(Bm25(QuestionTerms(["上限"]), held, np.ones(3, dtype=bool))).rough.round(4).tolist()
    [[0.188, 0.0, 0.2686]]
    """
    questions = np.arange(bm25.questions.n_questions)
    return RoughBlock(questions, np.array([exhaustive_scores(bm25, question) for question in questions.tolist()]))
