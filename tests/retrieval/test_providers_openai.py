"""The provider `openai` against a real server on loopback, and every way in which one fails."""

from __future__ import annotations

import email.utils
import logging
import time

import numpy as np
import pytest
from embedding_servers import Reply, openai_body, serving, vector_of

from chunkscope.errors import ConfigError, ProviderError
from chunkscope.retrieval.dense.batching import RetryPolicy
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers import find_provider
from chunkscope.store import Store

KEY = "sk-secret-0123456789"
QUICK = RetryPolicy(attempts=3, wait=0.01, longest=5.0)


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def provider(server, **settings):
    spelled = ", ".join(f"{key}={value}" for key, value in settings.items())
    return find_provider(f"openai:m(base_url={server.url}/v1{', ' if spelled else ''}{spelled})")


def embed(server, texts, store=None, notify=None, policy=QUICK, role="document", **settings):
    return Embedder(provider(server, **settings), store or VectorCache(), notify=notify, policy=policy).embed(
        texts, role
    )


def error(message, code=None, kind="invalid_request_error"):
    return {"error": {"message": message, "type": kind, "code": code}}


def test_texts_become_vectors_in_their_order():
    texts = [f"文 {number}" for number in range(10)]
    with serving() as server:
        found = embed(server, texts, max_texts=4)
    np.testing.assert_array_equal(found.vectors, np.array([vector_of(text) for text in texts], dtype=np.float32))
    assert [len(request.texts) for request in server.requests] == [4, 4, 2]
    assert {request.path for request in server.requests} == {"/v1/embeddings"}
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


def test_dimensions_are_asked_for():
    with serving() as server:
        assert embed(server, ["a"], dimensions=4).vectors.shape == (1, 4)
    assert server.requests[0].body["dimensions"] == 4


def test_prefixes_stand_before_the_texts_and_part_the_vectors(tmp_path):
    with serving() as server, VectorCache(Store(tmp_path)) as cache:
        for role in ("document", "query"):
            embed(server, ["a"], cache, role=role, document_prefix="'passage: '", query_prefix="'query: '")
        embed(server, ["a"], cache)
    assert server.sent == ["passage: a", "query: a", "a"]


def test_answers_in_disorder_are_placed_by_their_index():
    with serving(lambda number, request: Reply(body=openai_body(request.texts, request, order=[1, 2, 0]))) as server:
        found = embed(server, ["零", "一", "二"])
    np.testing.assert_array_equal(found.vectors, np.array([vector_of(text) for text in "零一二"], dtype=np.float32))


@pytest.mark.parametrize(
    "body",
    [
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]},
        {"data": [{"index": 0, "embedding": ["x"]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": None}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0}, {"index": 1}]},
        {"data": [{"index": 0, "embedding": "%%%"}, {"index": 1, "embedding": "AAAA"}]},
        {"data": "no list"},
        {"error": "with status 200"},
        {},
        [],
        "text",
        None,
        b"<html>a proxy speaks</html>",
        b"",
    ],
)
def test_an_answer_that_is_none_is_one_line(body):
    with serving(lambda number, request: Reply(body=body)) as server, pytest.raises(ProviderError) as caught:
        embed(server, ["a", "b"])
    assert "\n" not in str(caught.value)
    assert "openai" in str(caught.value)


def test_numbers_that_are_not_finite_are_told():
    raw = b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}'
    with (
        serving(lambda number, request: Reply(body=raw)) as server,
        pytest.raises(ProviderError, match="the vector of text 0 holds numbers that are not finite"),
    ):
        embed(server, ["a", "b"])


@pytest.mark.parametrize("as_date", [False, True])
def test_too_many_requests_are_waited_for_and_nothing_is_paid_twice(tmp_path, as_date):
    cache, told = VectorCache(Store(tmp_path)), []

    def script(number, request):
        if number in (3, 4):
            with VectorCache(Store(tmp_path)) as other:
                space = provider(server).space
                assert other.has(space, list("abcdef")).tolist() == [True] * 4 + [False] * 2
            after = email.utils.formatdate(time.time() + 2, usegmt=True) if as_date else "1"
            return Reply(429, error("slow down"), {"Retry-After": after})

    with serving(script) as server:
        found = embed(server, list("abcdef"), cache, told.append, max_texts=2)
    assert found.present.all()
    assert [request.texts for request in server.requests] == [["a", "b"], ["c", "d"], *[["e", "f"]] * 3]
    times = [request.at for request in server.requests]
    # a date is told in whole seconds
    assert min(times[3] - times[2], times[4] - times[3]) >= (0.9 if as_date else 1.0)
    assert len(told) == 2
    assert "trying again in" in told[0]
    cache.store.close()


def test_a_server_error_is_tried_again():
    with serving(lambda number, request: Reply(500, error("oops")) if number < 3 else None) as server:
        assert embed(server, ["a"]).present.all()
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408, 429])
def test_a_failure_that_stays_is_given_up_after_a_bounded_number_of_tries(status):
    with (
        serving(lambda number, request: Reply(status, error("busy"))) as server,
        pytest.raises(ProviderError, match=rf"status {status}: busy \(tried 3 times\)"),
    ):
        embed(server, ["a"])
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, error("unknown encoding"), "status 400: unknown encoding"),
        (401, error(f"Incorrect API key provided: {KEY}"), "the key in OPENAI_API_KEY is refused"),
        (403, error("no"), "the key in OPENAI_API_KEY is refused"),
        (404, error("The model `m` does not exist", "model_not_found"), "does not exist"),
        (429, error("You exceeded your current quota", "insufficient_quota"), "insufficient_quota"),
        (404, b"<html>not here</html>", "status 404"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(status, body, reason):
    with (
        serving(lambda number, request: Reply(status, body)) as server,
        pytest.raises(ProviderError, match=reason) as caught,
    ):
        embed(server, ["a", "b", "c"])
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


def test_a_batch_above_the_limit_of_the_server_is_halved():
    def script(number, request):
        if len(request.texts) > 10:
            return Reply(400, error(f"batch size {len(request.texts)} > maximum allowed batch size 10"))

    texts = [f"文 {number}" for number in range(100)]
    with serving(script) as server:
        found = embed(server, texts, max_texts=40)
    np.testing.assert_array_equal(found.vectors, np.array([vector_of(text) for text in texts], dtype=np.float32))


def test_a_text_above_the_limit_of_the_server_is_left_out_and_named():
    def script(number, request):
        if any(len(text) > 100 for text in request.texts):
            return Reply(400, error("This model's maximum context length is 100 tokens", "context_length_exceeded"))

    told = []
    with serving(script) as server:
        found = embed(server, ["短い", "長" * 200, "別"], notify=told.append)
    assert found.present.tolist() == [True, False, True]
    assert "text 1: refused for its size" in told[0]


def test_a_server_that_never_answers_is_given_up(tmp_path):
    with serving(lambda number, request: Reply(hang=30.0)) as server:
        since = time.monotonic()
        with pytest.raises(ProviderError, match=r"no answer from http://127.0.0.1:\d+/v1 .*\(tried 3 times\)"):
            embed(server, ["a"], timeout=0.2)
        assert time.monotonic() - since < 5
    assert len(server.requests) == 3


@pytest.mark.parametrize("after", [0, 10])
def test_a_line_that_breaks_in_the_middle_is_tried_again(after):
    def script(number, request):
        if number == 1:
            return Reply(body=openai_body(request.texts, request), reset_after=after)

    with serving(script) as server:
        found = embed(server, ["a"])
    np.testing.assert_array_equal(found.vectors[0], np.array(vector_of("a"), dtype=np.float32))
    assert len(server.requests) == 2


def test_a_server_that_is_down_is_told_after_bounded_tries():
    with serving() as server:
        pass
    with pytest.raises(ProviderError, match=r"no answer from .*\(tried 3 times\)"):
        embed(server, ["a"])


def test_a_second_run_asks_for_nothing(tmp_path):
    with serving() as server:
        for _ in range(2):
            with VectorCache(Store(tmp_path)) as cache:
                embed(server, ["a", "b"], cache)
    assert len(server.requests) == 1


def test_another_server_has_other_vectors(tmp_path):
    with serving() as one, serving() as other, VectorCache(Store(tmp_path)) as cache:
        embed(one, ["a"], cache)
        embed(other, ["a"], cache)
        assert [len(one.requests), len(other.requests)] == [1, 1]


def test_the_key_reaches_no_file_no_message_and_no_log(tmp_path, caplog):
    told = []

    def script(number, request):
        return Reply(500 if number == 1 else 400, error(f"key {KEY} and Bearer {KEY} are odd"))

    with caplog.at_level(logging.DEBUG), serving(script) as server, VectorCache(Store(tmp_path, told.append)) as cache:
        with pytest.raises(ProviderError) as caught:
            embed(server, ["a"], cache, told.append)
        cache.write(provider(server).space, ["a"], np.ones((1, 2), dtype=np.float32))
    assert KEY not in str(caught.value) + "".join(told) + caplog.text + repr(provider(server).space)
    assert not any(KEY.encode() in path.read_bytes() for path in tmp_path.iterdir())
    assert caught.value.__cause__ is None


def test_without_a_key_openai_is_not_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ProviderError, match="no key; set OPENAI_API_KEY"):
        find_provider("openai:text-embedding-3-small")


def test_a_server_of_ones_own_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1/")
        assert Embedder(find_provider("openai:m"), VectorCache()).embed(["a"]).present.all()


@pytest.mark.parametrize(
    "url", ["http://user:pw@localhost/v1", "http://localhost/v1?key=pw", "localhost:80", "ftp://x"]
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused(url, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigError, match="base_url") as caught:
        find_provider("openai:m")
    assert "pw" not in str(caught.value).replace("password", "")


def test_openai_itself_has_its_own_limits():
    own = find_provider("openai:text-embedding-3-small")
    assert (own.limits.max_texts, own.limits.max_tokens_per_request, own.limits.max_tokens_per_text) == (
        2048,
        300_000,
        8191,
    )
    assert own.space.endpoint == "https://api.openai.com/v1"
    assert own.count_tokens(["hello world", "鮪"]).tolist() == [2, 3]
    prefixed = find_provider("openai:m(document_prefix=hello, query_prefix=q)")
    assert prefixed.count_tokens([" hello world"]).tolist() == [3], "what is sent is counted"
