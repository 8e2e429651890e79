"""Vectors in a store: by everything they depend on, bit by bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope.retrieval.dense.vector_cache import VectorCache, namespace_of
from chunkscope.retrieval.providers import EmbeddingSpace
from chunkscope.store import Store

SPACE = EmbeddingSpace("fake", model="m")


def vectors(texts, width: int = 16) -> np.ndarray:
    rows = [np.random.default_rng(list(text.encode())).standard_normal(width) for text in texts]
    return np.array(rows, dtype=np.float32).reshape(len(texts), width)


@given(st.lists(st.text(max_size=4), max_size=12), st.lists(st.text(max_size=4), max_size=12))
@settings(max_examples=40)
def test_what_is_written_is_read_bit_by_bit(tmp_path_factory, written, read):
    with VectorCache(Store(tmp_path_factory.mktemp("cache"))) as cache:
        cache.write(SPACE, written, vectors(written))
        found, held = cache.read(SPACE, read)
        assert found.tolist() == cache.has(SPACE, read).tolist() == [text in written for text in read]
        if found.any():
            np.testing.assert_array_equal(held[found], vectors(read)[found])
        assert not held[~found].any()
        assert cache.width(SPACE) == (16 if written else None)
        assert cache.width(SPACE.of_role("query")) is None


def test_many_vectors_are_read_in_the_order_of_the_texts():
    texts = [str(number) for number in range(9000)]
    cache = VectorCache()
    cache.write(SPACE, texts[::2], vectors(texts[::2], 2))
    found, held = cache.read(SPACE, texts)
    assert found.tolist() == [True, False] * 4500
    np.testing.assert_array_equal(held[found], vectors(texts[::2], 2))


def test_a_vector_of_another_length_than_the_first_is_a_miss():
    cache = VectorCache()
    cache.write(SPACE, ["a"], vectors(["a"], 4))
    cache.write(SPACE, ["b"], vectors(["b"], 6))
    found, held = cache.read(SPACE, ["a", "b"])
    assert found.tolist() == [True, False]
    assert held.shape == (2, 4)


def test_what_is_held_can_be_told_and_pruned_by_provider(tmp_path):
    texts = [str(number) for number in range(5)]
    with VectorCache(Store(tmp_path)) as cache:
        cache.write(SPACE, texts, vectors(texts))
        cache.write(EmbeddingSpace("other", model="n", role="query"), ["a"], vectors(["a"], 4))
        cache.store.put_many("spans something else", [b"a"], [b"x"])
        told = {info.space.provider: (info.space, info.vectors, info.width) for info in cache.spaces()}
        assert told["fake"] == (SPACE, 5, 16)
        assert told["other"][1:] == (1, 4)
        assert cache.prune(unused_days=1) == 0
        assert cache.prune(provider="other:m") == 0
        assert cache.prune(provider="other:n") == 1
        assert [info.space.provider for info in cache.spaces()] == ["fake"]
        assert cache.prune() == 5
        assert [info.name for info in cache.store.namespaces()] == ["spans something else"]


def test_a_namespace_is_a_text_that_any_space_can_have(tmp_path):
    space = EmbeddingSpace("p", model="\ud800'\"\n", prompt="質問: ")
    with VectorCache(Store(tmp_path)) as cache:
        cache.write(space, ["a"], vectors(["a"]))
        assert cache.spaces()[0].space == space
        assert namespace_of(space).isascii()
