"""The providers `ollama` and `voyage` against a real server on loopback."""

from __future__ import annotations

import email.utils
import time

import numpy as np
import pytest
from embedding_servers import Reply, ollama_body, openai_body, serving, vector_of

from chunkscope.errors import ConfigError, ProviderError
from chunkscope.retrieval.dense.batching import RetryPolicy
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers import find_provider
from chunkscope.retrieval.providers.ollama import host_endpoint
from chunkscope.store import Store

KEY = "pa-secret-0123456789"
QUICK = RetryPolicy(attempts=3, wait=0.01, longest=5.0)


@pytest.fixture(params=["ollama", "voyage"])
def name(request, monkeypatch):
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    return request.param


def provider(name, server, **settings):
    where = f"host={server.url}" if name == "ollama" else f"base_url={server.url}/v1"
    spelled = "".join(f", {key}={value}" for key, value in settings.items())
    return find_provider(f"{name}:m({where}{spelled})")


def embed(name, server, texts, store=None, notify=None, role="document", **settings):
    made = provider(name, server, **settings)
    return Embedder(made, store or VectorCache(), notify=notify, policy=QUICK).embed(texts, role)


def refusal(name, message):
    return {"error": message} if name == "ollama" else {"detail": message}


def expected(texts):
    return np.array([vector_of(text) for text in texts], dtype=np.float32)


def test_texts_become_vectors_in_their_order(name):
    texts = [f"文 {number}" for number in range(10)]
    with serving() as server:
        found = embed(name, server, texts, max_texts=4)
    np.testing.assert_array_equal(found.vectors, expected(texts))
    assert [len(request.texts) for request in server.requests] == [4, 4, 2]
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}


def test_nothing_is_cut_in_silence(name):
    with serving() as server:
        embed(name, server, ["a"])
    assert server.requests[0].body["truncate" if name == "ollama" else "truncation"] is False


def test_dimensions_are_asked_for(name):
    def script(number, request):
        if name == "voyage":
            request.body["dimensions"] = request.body["output_dimension"]

    with serving(script) as server:
        assert embed(name, server, ["a"], dimensions=4).vectors.shape == (1, 4)


def test_too_many_requests_are_waited_for(name):
    def script(number, request):
        if number < 3:
            after = email.utils.formatdate(time.time() + 2, usegmt=True) if number == 1 else "1"
            return Reply(429, refusal(name, "slow down"), {"Retry-After": after})

    with serving(script) as server:
        assert embed(name, server, ["a"]).present.all()
    times = [request.at for request in server.requests]
    assert min(np.diff(times)) >= 0.9


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_failure_that_stays_is_given_up(name, status):
    with (
        serving(lambda number, request: Reply(status, refusal(name, "busy"))) as server,
        pytest.raises(ProviderError, match=rf"{name}:m: status {status}: .*\(tried 3 times\)"),
    ):
        embed(name, server, ["a"])
    assert len(server.requests) == 3


@pytest.mark.parametrize(("status", "reason"), [(400, "status 400"), (401, "refused"), (404, "status 404")])
def test_what_will_not_pass_is_not_tried_again(name, status, reason):
    with (
        serving(lambda number, request: Reply(status, refusal(name, f"no {KEY}"))) as server,
        pytest.raises(ProviderError, match=reason) as caught,
    ):
        embed(name, server, ["a", "b"])
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


def test_a_batch_that_is_too_large_is_halved_and_one_text_left_out(name):
    def script(number, request):
        if any(len(text) > 100 for text in request.texts):
            told = "the input length exceeds the context length"
            return Reply(400, refusal(name, told if name == "ollama" else "one text has too many tokens: too long"))

    told = []
    with serving(script) as server:
        found = embed(name, server, ["短い", "長" * 200, "別"], notify=told.append)
    assert found.present.tolist() == [True, False, True]
    np.testing.assert_array_equal(found.vectors[[0, 2]], expected(["短い", "別"]))
    assert "text 1" in told[0]


@pytest.mark.parametrize("kind", ["short", "long", "none", "text", "html"])
def test_an_answer_that_is_none_is_one_line(name, kind):
    def script(number, request):
        body = ollama_body(["a"], request) if name == "ollama" else openai_body(["a"], request)
        rows = body["embeddings" if name == "ollama" else "data"]
        if kind == "long":
            rows *= 4
        if kind in ("none", "text"):
            body = {} if kind == "none" else "text"
        return Reply(body=b"<html>" if kind == "html" else body)

    with serving(script) as server, pytest.raises(ProviderError) as caught:
        embed(name, server, ["a", "b"])
    assert "\n" not in str(caught.value)
    assert len(server.requests) == 1


def test_a_server_that_never_answers_is_given_up(name):
    with (
        serving(lambda number, request: Reply(hang=30.0)) as server,
        pytest.raises(ProviderError, match=r"no answer from http://127.0.0.1.*\(tried 3 times\)"),
    ):
        embed(name, server, ["a"], timeout=0.2)
    assert len(server.requests) == 3


def test_a_line_that_breaks_in_the_middle_is_tried_again(name):
    def script(number, request):
        if number == 1:
            body = ollama_body(request.texts, request) if name == "ollama" else openai_body(request.texts, request)
            return Reply(body=body, reset_after=10)

    with serving(script) as server:
        found = embed(name, server, ["a"])
    np.testing.assert_array_equal(found.vectors, expected(["a"]))


def test_a_server_that_is_down_is_told(name):
    with serving() as server:
        pass
    with pytest.raises(ProviderError, match=r"no answer from .*\(tried 3 times\)"):
        embed(name, server, ["a"])


def test_questions_and_documents_are_told_apart(name, tmp_path):
    settings = {"query_prefix": "'query: '"} if name == "ollama" else {}
    with serving() as server, VectorCache(Store(tmp_path)) as cache:
        for role in ("document", "query", "document", "query"):
            embed(name, server, ["a"], cache, role=role, **settings)
    if name == "ollama":
        assert server.sent == ["a", "query: a"]
    else:
        assert [request.body["input_type"] for request in server.requests] == ["document", "query"]


def test_answers_of_voyage_in_disorder_are_placed_by_their_index(name):
    if name == "ollama":
        pytest.skip("Ollama's answers prepend no index")
    with serving(lambda number, request: Reply(body=openai_body(request.texts, request, order=[1, 2, 0]))) as server:
        found = embed(name, server, ["零", "一", "二"])
    np.testing.assert_array_equal(found.vectors, expected("零一二"))


def test_the_digest_of_a_model_of_ollama_is_part_of_the_key(name):
    if name == "voyage":
        pytest.skip("Voyage tells no digest")
    with serving() as server:
        assert provider(name, server).space.revision == "sha256:abc"
        with pytest.raises(ProviderError, match="has no model 'n'; it has m:latest; ollama pull n"):
            find_provider(f"ollama:n(host={server.url})")


@pytest.mark.parametrize(
    ("host", "endpoint"),
    [
        ("localhost", "http://localhost:11434"),
        ("localhost:1234", "http://localhost:1234"),
        ("10.0.0.1/path", "http://10.0.0.1:11434/path"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:80", "http://[::1]"),
        ("::1", "http://[::1]:11434"),
        ("2001:db8::7/path", "http://[2001:db8::7]:11434/path"),
        (":56789", "http://127.0.0.1:56789"),
        ("https://gpu.example/ollama/", "https://gpu.example/ollama"),
    ],
)
def test_hosts_are_read_as_ollamas_client_reads_them(host, endpoint):
    assert host_endpoint(host) == endpoint


def test_without_a_key_voyage_is_not_asked(monkeypatch):
    monkeypatch.delenv("VOYAGE_API_KEY", raising=False)
    with pytest.raises(ProviderError, match="no key; set VOYAGE_API_KEY"):
        find_provider("voyage:voyage-3.5")


@pytest.mark.parametrize("spelling", ["ollama", "voyage"])
def test_a_model_is_needed(spelling):
    with pytest.raises(ConfigError, match="needs a model"):
        find_provider(spelling)
