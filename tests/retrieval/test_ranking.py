"""Ranks from counting against a stable sort, with ties, in any batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from chunkscope.retrieval import Dense, rank_block
from chunkscope.retrieval.ranking import tie_places


def cosine(query, vector):
    if not np.isfinite(vector).all() or not vector.any():
        return None
    value = float(np.dot(query, vector) / (np.linalg.norm(query) * np.linalg.norm(vector)))
    return round(value, 8)


small = st.integers(-2, 2).map(float)


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 5), st.just(3)), elements=small),
    arrays.arrays(np.float32, st.tuples(st.integers(1, 40), st.just(3)), elements=st.sampled_from([*map(float, range(-2, 3)), float("nan"), float("inf")])),
    st.sampled_from([1, 2, 7]),
    st.integers(0, 6),
    st.randoms(use_true_random=False),
)  # fmt: skip
@settings(max_examples=200)
def test_ranks_and_the_best_few_equal_a_stable_sort(queries, vectors, batch, k, random):
    queries = queries[queries.any(axis=1)]
    place = list(range(len(vectors)))
    random.shuffle(place)
    weights = np.arange(1, len(vectors) + 1)
    scores = Dense(queries, vectors)
    for block in scores.blocks(batch):
        targets = np.tile(np.arange(len(vectors)), (len(block.questions), 1))
        found = rank_block(block, targets, k=k, place=np.array(place), weights=weights)
        for row, question in enumerate(block.questions.tolist()):
            plain = {c: cosine(queries[question], vectors[c].astype(float)) for c in range(len(vectors))}
            order = sorted((c for c in plain if plain[c] is not None), key=lambda c: (-plain[c], place[c]))
            ranks = {chunk: number + 1 for number, chunk in enumerate(order)}
            assert found.ranks[row].tolist() == [ranks.get(c, 0) for c in range(len(vectors))]
            assert found.top[row].tolist() == (order + [-1] * k)[:k]
            for chunk in order:
                ahead = sum(int(weights[other]) for other in order[: ranks[chunk] - 1])
                assert found.ahead[row, chunk] == ahead


def test_equal_vectors_tie_whatever_the_batch_and_the_length():
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(300, 384)).astype(np.float32)
    vectors[100:200] = vectors[:100] * 4
    queries = rng.normal(size=(64, 384)).astype(np.float32)
    targets = np.full((64, 2), [150, 50])
    found = {}
    for size in (1, 5, 64):
        parts = [rank_block(b, targets[: len(b.questions)], k=10) for b in Dense(queries, vectors).blocks(size)]
        found[size] = np.concatenate([part.ranks for part in parts]), np.concatenate([part.top for part in parts])
        assert (found[size][0][:, 0] == found[size][0][:, 1] + 1).all()
    for size in (1, 5):
        assert (found[size][0] == found[64][0]).all()
        assert (found[size][1] == found[64][1]).all()


def test_zero_and_non_finite_vectors_never_rank_and_are_reported():
    scores = Dense(np.array([[0.0, 2.0]]), np.array([[0.0, 0.0], [0.0, 3.0], [1.0, 1.0], [np.nan, 1.0]]))
    found = rank_block(next(scores.blocks()), np.array([[0, 3, 2]]), k=2)
    assert scores.unusable.tolist() == [0, 3]
    assert found.top.tolist() == [[1, 2]]
    assert found.top_scores.round(4).tolist() == [[1.0, 0.7071]]
    assert found.ranks.tolist() == [[0, 0, 2]]


@pytest.mark.parametrize("query", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_a_question_without_a_direction_is_an_error(query):
    with pytest.raises(ValueError, match="question q7: its vector is zero or not finite"):
        Dense(np.array([query]), np.eye(2), ["q7"])


def test_vectors_of_other_widths_are_an_error():
    with pytest.raises(ValueError, match="do not fit together"):
        Dense(np.ones((1, 3)), np.ones((2, 4)))


@pytest.mark.parametrize("scale", [1e-30, 1e30, 1e-200])
def test_very_short_and_very_long_vectors_rank_like_others(scale):
    dtype = np.float64 if scale < 1e-100 else np.float32
    vectors = (np.array([[3.0, 1.0], [1.0, 3.0]]) * scale).astype(dtype)
    found = rank_block(next(Dense(np.array([[0.0, 1.0]]), vectors).blocks()), np.array([[1]]), k=2)
    assert found.top.tolist() == [[1, 0]]


def test_ties_go_by_document_name_in_code_points_then_by_index():
    places = tie_places(["b", "B", "あ", "a"], np.array([0, 0, 1, 2, 3]))
    assert np.argsort(places).tolist() == [2, 4, 0, 1, 3]
    assert tie_places(["B", "a", "b"], np.array([0, 1, 2])) is None
