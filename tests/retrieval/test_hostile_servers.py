"""Servers that mean harm, against every provider that speaks HTTP: one line, and nothing sent to anyone else."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from embedding_servers import Reply, ollama_body, openai_body, serving, vector_of

from chunkscope.errors import ProviderError
from chunkscope.retrieval.dense.batching import RetryPolicy
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers import find_provider, http

QUICK = RetryPolicy(attempts=2, wait=0.01, longest=5.0)
WHERE = {"openai": "base_url={}/v1", "voyage": "base_url={}/v1", "ollama": "host={}"}
PATH = {"openai": "/v1/embeddings", "voyage": "/v1/embeddings", "ollama": "/api/embed"}


@pytest.fixture(params=sorted(WHERE))
def name(request, monkeypatch):
    for variable in ("OPENAI_API_KEY", "VOYAGE_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.setenv(variable, "secret-0123456789")
    return request.param


def embedder(name, server, store=None, timeout=5.0):
    made = find_provider(f"{name}:m({WHERE[name].format(server.url)}, timeout={timeout})")
    return Embedder(made, store or VectorCache(), policy=QUICK)


def body_of(name, texts, request):
    return ollama_body(texts, request) if name == "ollama" else openai_body(texts, request)


def with_numbers(name, *rows):
    if name == "ollama":
        return {"embeddings": list(rows)}
    return {"data": [{"index": number, "embedding": row} for number, row in enumerate(rows)]}


def failing(name, script, texts=("a", "b"), timeout=5.0):
    """The one line that comes of a script, and the server that has run it."""
    cache = VectorCache()
    with serving(script) as server:
        with pytest.raises(ProviderError) as caught:
            embedder(name, server, cache, timeout).embed(list(texts))
    assert "\n" not in str(caught.value)
    assert "secret-0123456789" not in str(caught.value)
    return str(caught.value), server


# ---- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_port_is_refused_naming_both_and_sends_nothing_there(name, status):
    with serving() as other:
        target = f"{other.url}{PATH[name]}?x=1"
        told, server = failing(name, lambda number, request: Reply(status, {}, {"Location": target}))
        assert other.requests == []
    assert len(server.requests) == 1
    assert f"{server.url} redirects to {other.url};" in told
    assert "name it in the setting" in told


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("http://evil.example/v1", "http://evil.example"),
        ("//evil.example/v1", "http://evil.example"),
        ("https://127.0.0.1/", "https://127.0.0.1"),
        ("file:///etc/passwd", "no address"),
        ("http://user:pw@evil.example:99/", "http://evil.example:99"),
        ("http://[::1/", "no address"),
        ("http://127.0.0.1:99999/", "no address"),
    ],
)
def test_no_other_host_or_scheme_is_followed(name, target, shown):
    told, server = failing(name, lambda number, request: Reply(307, {}, {"Location": target}))
    assert len(server.requests) == 1
    assert f"redirects to {shown};" in told


@pytest.mark.parametrize("trick", ["http://{other}\\@{own}", "http://{other}\\\\@{own}", "http:\\\\{other}\\@{own}"])
@pytest.mark.parametrize("path", ["/x", "//{other}/x", "?x", "\\x", ""])
def test_what_parsers_read_in_two_ways_leads_nowhere_else(name, trick, path):
    with serving() as other:
        addresses = {"other": other.url.removeprefix("http://")}

        def script(number, request):
            addresses["own"] = request.headers["host"]
            return Reply(307 if number == 1 else 400, {}, {"Location": (trick + path).format(**addresses)})

        failing(name, script)
        assert other.requests == []


@pytest.mark.parametrize("steps", [1, 2])
def test_a_redirect_loop_ends_at_once_and_is_not_tried_again(name, steps):
    def script(number, request):
        return Reply(307, {}, {"Location": f"{PATH[name]}" if number % steps == 0 else "/elsewhere"})

    told, server = failing(name, script)
    assert "redirects in circles" in told
    assert len(server.requests) == steps


def test_redirects_without_end_to_ever_new_places_are_bounded(name):
    told, server = failing(name, lambda number, request: Reply(308, {}, {"Location": f"/place/{number}"}))
    assert "redirects in circles" in told
    assert len(server.requests) <= http.MAX_REDIRECTS + 1


def test_a_redirect_within_the_service_is_followed(name):
    def script(number, request):
        if number == 1:
            return Reply(307, {}, {"Location": f"{PATH[name]}/"})
        return Reply(body=body_of(name, request.texts, request))

    with serving(script) as server:
        found = embedder(name, server).embed(["a"])
    assert found.vectors.tolist() == [vector_of("a")]
    assert [request.texts for request in server.requests] == [["a"], ["a"]]


# ---- answers that are no vectors


@pytest.mark.parametrize(
    "rows",
    [
        (["1", "2"], ["3", "4"]),
        ([1.0, "2"], [3.0, 4.0]),
        ([True, False], [True, True]),
        ([1.0, True], [2.0, 3.0]),
        ([1.0, None], [2.0, 3.0]),
        ([1.0, [2.0]], [3.0, [4.0]]),
        ([{}, {}], [{}, {}]),
        ([], []),
        ([1.0], [2.0, 3.0]),
        ([1.0, 2.0],),
        ([1.0, 2.0], [1.0, 2.0], [1.0, 2.0]),
        (1.0, 2.0),
        ("AAAA!", "AAAA"),
        ("AAAAAA==", "AAAA"),
        (None, None),
    ],
    ids=str,
)
def test_an_answer_that_holds_no_vectors_is_refused_and_not_tried_again(name, rows):
    _, server = failing(name, lambda number, request: Reply(body=with_numbers(name, *rows)))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"\xff\xfe", b"[" * 100000, b"1" * 5000, b'{"data": {"a": 1}, "embeddings": 3}']
)
def test_an_answer_that_is_no_json_is_refused(name, raw):
    _, server = failing(name, lambda number, request: Reply(body=raw))
    assert len(server.requests) == 1


def test_whole_numbers_are_numbers(name):
    with serving(lambda number, request: Reply(body=with_numbers(name, [1, 2.5], [3, 10**30]))) as server:
        found = embedder(name, server).embed(["a", "b"])
    np.testing.assert_array_equal(found.vectors, np.array([[1, 2.5], [3, 1e30]], dtype=np.float32))


# ---- answers without measure


def test_a_body_without_end_is_not_read_to_its_end(name, monkeypatch):
    monkeypatch.setattr(http, "BYTES_A_TEXT", 1 << 20)
    told, server = failing(name, lambda number, request: Reply(endless=True))
    assert "longer than 3,145,728 bytes" in told
    assert server.n_written < 1 << 25
    assert len(server.requests) == 1


def test_the_body_of_a_redirect_is_not_read(name):
    def script(number, request):
        return Reply(307, {}, {"Location": f"/place/{number}"}, endless=True)

    told, server = failing(name, script)
    assert "redirects in circles" in told
    assert server.n_written < 1 << 27


def test_a_small_body_that_unpacks_to_a_large_one_is_not_read_to_its_end(name, monkeypatch):
    monkeypatch.setattr(http, "BYTES_A_TEXT", 1 << 20)
    packed = gzip.compress(b" " * (1 << 26))
    told, _ = failing(name, lambda number, request: Reply(body=packed, headers={"Content-Encoding": "gzip"}))
    assert "longer than 3,145,728 bytes" in told


@pytest.mark.parametrize("kind", ["head", "body"])
def test_a_server_that_drips_is_given_up(name, kind, monkeypatch):
    """Each byte comes in time, the whole never would."""

    def script(number, request):
        body = b" " * 100000 + json.dumps(body_of(name, request.texts, request)).encode()
        return Reply(body=body, drip=0.02 if kind == "head" else 0.001)

    told, server = failing(name, script, timeout=0.1)
    assert "no answer from http://127.0.0.1" in told
    assert "not whole within 0.5 s" in told
    assert "(tried 2 times)" in told
    assert server.n_written < 5000


@pytest.mark.parametrize("after", [0, 1, 20])
def test_a_line_that_breaks_every_time_is_given_up(name, after):
    def script(number, request):
        return Reply(body=body_of(name, request.texts, request), reset_after=after)

    told, server = failing(name, script)
    assert "no answer from" in told
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "message", ["secret-0123456789", "line\nline\x1b[31m", "x" * 100000, ["deep", {"er": []}]], ids=type
)
def test_what_a_failing_server_says_is_one_line_without_the_key(name, message):
    told, server = failing(name, lambda number, request: Reply(500, {"error": message, "detail": message}))
    assert len(told) < 1000
    assert len(server.requests) == 2


def test_a_password_in_netrc_does_not_take_the_place_of_the_key(name, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with serving() as server:
        embedder(name, server).embed(["a"])
    assert server.requests[0].headers["authorization"] == "Bearer secret-0123456789"
