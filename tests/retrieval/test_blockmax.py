"""Block-max pruning against the whole table of scores, and how much of it is not scored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope.retrieval import rank_block
from chunkscope.retrieval.bm25 import search as bm25
from chunkscope.retrieval.bm25.blockmax import WIDTH
from chunkscope.retrieval.bm25.postings import Postings, QuestionTerms
from chunkscope.retrieval.ranking import RoughBlock

N_TERMS = 30


def exhaustive_scores(cell, question):
    """The slow twin: the score of every chunk for a question, added up posting by posting; nothing is pruned."""
    found = np.zeros(cell.n_chunks)
    for row in np.flatnonzero(cell.questions.questions == question).tolist():
        held = cell.postings.terms == cell.questions.terms[row]
        found[cell.postings.chunks[held]] += cell.scores[held] * cell.questions.times[row]
    return found


def exhaustive_block(cell):
    questions = np.arange(cell.questions.n_questions)
    return RoughBlock(questions, np.array([exhaustive_scores(cell, question) for question in questions.tolist()]))


def a_cell(seed, n_chunks, n_questions=12):
    """Chunks and questions of words that are as unevenly common as words are; neighbours share theirs."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, N_TERMS + 1)
    topics = rng.integers(0, N_TERMS, n_chunks // 6 + 1)
    times = rng.poisson(share, (n_chunks, N_TERMS))
    times[np.arange(n_chunks), topics[np.arange(n_chunks) // 6]] += rng.integers(0, 3, n_chunks)
    terms, chunks = np.nonzero(times.T)
    lengths = times.sum(axis=1) + rng.integers(0, 3, n_chunks)
    words = [rng.choice(N_TERMS, rng.integers(1, 7), p=share / share.sum()) for _ in range(n_questions)]
    asked = QuestionTerms([" ".join(f"w{word}" for word in chosen) for chosen in words])
    # terms have numbers in the order in which they are asked for
    number = np.array([asked.numbers.get(f"w{word}", -1) for word in range(N_TERMS)])
    known = number[terms] >= 0
    order = np.lexsort((chunks[known], number[terms[known]]))
    held = Postings(number[terms[known]][order], chunks[known][order], times.T[terms, chunks][known][order], lengths)
    return bm25.Bm25(asked, held, np.ones(n_chunks, dtype=bool))


@given(
    st.integers(0, 1 << 30),
    st.integers(1, 200),
    st.sampled_from([1, 3, 60]),
    st.sampled_from([0.0, 0.1, 2.0]),
    st.sampled_from([1, 12]),
    st.sampled_from([1, 1 << 17]),
)
@settings(max_examples=150)
def test_ranks_and_best_chunks_equal_those_of_the_whole_table(seed, n_chunks, k, common_share, promising, block_tiles):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25, "COMMON_SHARE", common_share)
        patch.setattr(bm25, "BLOCK_TILES", block_tiles)
        patch.setattr("chunkscope.retrieval.bm25.blockmax.PROMISING", promising)
        cell = a_cell(seed, n_chunks)
        whole = exhaustive_block(cell)
        seen = []
        for block in cell.blocks():
            plain = RoughBlock(block.questions, whole.rough[block.questions])
            targets = np.random.default_rng(seed).integers(-1, n_chunks, (len(block.questions), 2))
            found, wanted = (rank_block(one, targets, k=k, weights=cell.postings.lengths) for one in (block, plain))
            for name in ("ranks", "scores", "ahead", "top", "top_scores"):
                np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
            seen += block.questions.tolist()
        assert sorted(seen) == list(range(12))


def test_most_tiles_are_not_scored():
    cell = a_cell(seed=1, n_chunks=4000)
    for block in cell.blocks():
        best = [int(exhaustive_scores(cell, question).argmax()) for question in block.questions.tolist()]
        rank_block(block, np.array(best)[:, None], k=3)
        assert len(block._scores) * WIDTH < len(block.questions) * cell.n_chunks / 3
