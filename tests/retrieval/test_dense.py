"""Dense retrieval and fusion in a sweep."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope import Document, Question, check_labels, sweep
from chunkscope.chunkers import FixedChunker, HeadingChunker, TokenChunker
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.errors import ConfigError, InputError
from chunkscope.retrieval import Dense, RetrievalMeasure, RetrievalSettings, rank_block
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.retriever import DenseBlock, DenseRetriever
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.fusion import FusedSearcher
from chunkscope.retrieval.parse import find_retrievers
from chunkscope.retrieval.providers import EmbeddingSpace, Limits, find_provider
from chunkscope.retrieval.ranking import RoughBlock
from chunkscope.store import Store

RULES = Document(
    "rules.md",
    "---\nstatus: current\n---\n# 旅費\n\n宿泊費の上限は1泊12,000円。\n\n## 申請\n\n申請は出張の3日前まで。\n",
)
OLD = Document("old.md", "---\nstatus: abolished\n---\n# 旅費\n\n宿泊費の上限は1泊9,000円。\n")
CORPUS = [OLD, RULES]
ASKED = [
    Question.of("q1", "申請はいつまで？", doc="rules.md", evidence="申請は出張の3日前まで"),
    Question.of("q2", "宿泊費の上限は？", doc="rules.md", evidence="上限は1泊12,000円"),
]


class Recording:
    """The hash provider, keeping what it is asked for."""

    def __init__(self, limits=None, instead=None):
        self.inner = find_provider("hash")
        self.id, self.limits, self.space = "recording", limits or Limits(), EmbeddingSpace("recording")
        self.instead = instead or {}
        self.sent = []

    def count_tokens(self, texts):
        return [len(text) for text in texts]

    def embed_documents(self, texts):
        self.sent += texts
        return np.array(
            [
                self.instead.get(text, vector)
                for text, vector in zip(texts, self.inner.embed_documents(texts), strict=True)
            ]
        )

    def embed_queries(self, texts):
        self.sent += texts
        return self.inner.embed_queries(texts)


def run(
    provider,
    *,
    chunkers="fixed",
    sizes=(20, 60),
    overlaps=(0,),
    documents=CORPUS,
    asked=ASKED,
    store=None,
    notify=None,
    **more,
):
    labels = check_labels(documents, asked)
    retriever = DenseRetriever(Embedder(provider, store or VectorCache(), notify=notify))
    ways = [chunkers] if not isinstance(chunkers, str) else ()
    measure = RetrievalMeasure(labels, [retriever], ways, RetrievalSettings(**more))
    return sweep(documents, labels, chunkers=chunkers, sizes=sizes, overlaps=overlaps, measures=[measure])


def test_what_is_embedded_is_the_index_text_of_each_chunk_once():
    provider = Recording()
    chunker = HeadingChunker(prepend=("headings", "title"))
    cells = run(provider, chunkers=chunker, sizes=[12]).cells
    ways = [chunker.at(cell.size, cell.overlap or 0) for cell in cells]
    expected = [row.index_text for way in ways for row in list_chunks(CORPUS, way) if not row.blank]
    asked = [question.question for question in ASKED]
    assert provider.sent == [*asked, *dict.fromkeys(expected)]


def test_windows_without_a_whole_character_have_rows_and_are_neither_embedded_nor_ranked():
    provider, chunker = Recording(), TokenChunker(1, raw=True)
    documents = [Document("a.md", "鮪鮪と海👩‍🔬"), Document("b.md", "山と川")]
    asked = [Question.of("q", "海？", doc="a.md", evidence=["海"])]
    (cell,) = run(provider, chunkers=chunker, sizes=[1], documents=documents, asked=asked).cells
    rows = list(list_chunks(documents, chunker))
    shown = [row.index_text for row in rows if not row.blank]
    assert provider.sent == ["海？", *dict.fromkeys(shown)]
    assert cell.retrieval[0]["indexed_chunks"] == len(shown) < len(rows) == cell.chunks


def test_cells_that_share_texts_embed_them_once(tmp_path):
    provider = Recording()
    with VectorCache(Store(tmp_path)) as cache:
        run(provider, sizes=[20, 200], overlaps=[0], store=cache)
        n_sent = len(provider.sent)
        assert len(set(provider.sent)) == n_sent
        result = run(provider, sizes=[20, 200, 300], overlaps=[0], store=cache)
    assert len(provider.sent) == n_sent  # the size 300 has the chunks of 200: whole documents
    assert result.cells[1].retrieval[0]["strict"] == result.cells[2].retrieval[0]["strict"]


def test_recall_equals_that_of_a_plain_ranking():
    provider = find_provider("hash")
    result = run(provider, sizes=[20], overlaps=[5], k=(1, 2, 3))
    rows = list(list_chunks(CORPUS, FixedChunker(20, 5)))
    vectors = provider.embed_documents([row.index_text for row in rows]).astype(np.float64)
    first = {}
    for question in check_labels(CORPUS, ASKED).valid:
        query = provider.embed_queries([question.question.question])[0].astype(np.float64)
        scores = np.rint(vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query) * 2**32)
        order = sorted(range(len(rows)), key=lambda n: (-scores[n], rows[n].document, rows[n].index))
        (need,) = question.evidence
        holds = [row.document == need.document and row.start <= need.start and need.end <= row.end for row in rows]
        first[question.question.id] = next((rank for rank, n in enumerate(order, 1) if holds[n]), None)
    assert dict(result.cells[0].retrieval[0]["first_rank"]) == first


def test_documents_that_may_not_be_found_are_not_embedded():
    from chunkscope.retrieval import Condition

    provider = Recording()
    run(provider, sizes=[200], filters=(Condition.parse("status=current"),))
    assert provider.sent == [*(question.question for question in ASKED), RULES.text]


def test_a_chunk_above_the_limit_is_named_and_counted_in_its_cell():
    told = []
    result = run(Recording(Limits(max_tokens_per_text=60)), sizes=[20, 200], notify=told.append)
    assert [cell.retrieval[0]["over_long_chunks"] for cell in result.cells] == [0, 1]
    assert told == [f"warning: rules.md#0: {len(RULES.text)} tokens, the limit of the model is 60; it is left out"]


def test_vectors_of_zeros_never_rank_and_are_told():
    told = []
    provider = Recording(instead={RULES.text: np.zeros(64, dtype=np.float32)})
    result = run(provider, sizes=[200], notify=told.append)
    found = result.cells[0].retrieval[0]
    assert found["unusable_vectors"] == 1
    assert dict(found["first_rank"]) == {"q1": None, "q2": None}
    assert told == ["warning: rules.md#0: a vector of zeros; such chunks are never found"]


def test_the_best_of_vectors_with_zeros_and_nan():
    scores = Dense(np.array([[0.0, 2.0]]), np.array([[0, 0], [0, 3], [1, 1], [np.nan, 1]]))
    (block,) = scores.blocks()
    ranked = rank_block(block, np.array([[1, 2]]), k=2)
    assert ranked.top.tolist() == [[1, 2]]
    np.testing.assert_allclose(ranked.top_scores, [[1.0, 0.7071]], atol=1e-4)
    with pytest.raises(InputError, match="question q7: its vector is zero"):
        Dense(np.zeros((1, 2)), np.ones((3, 2)), ["q7"])


def test_a_question_that_cannot_be_embedded_is_an_error():
    asked = [Question.of("q1", "\u200b", doc="rules.md", evidence="3日前")]
    with pytest.raises(InputError, match="question q1: its text is blank"):
        run(Recording(), asked=asked)


def test_a_second_run_with_the_same_cache_asks_for_nothing(tmp_path):
    for turn in range(2):
        provider = Recording()
        with VectorCache(Store(tmp_path)) as cache:
            run(provider, store=cache)
        assert bool(provider.sent) == (turn == 0)


# ---- fusion


class Given:
    """Scores as they are given."""

    def __init__(self, scores):
        self.scores = np.asarray(scores, dtype=np.float64)

    def blocks(self, index):
        n_questions, _n_chunks = self.scores.shape
        # cosines of the right size: a unit query against vectors whose first component is the score
        for first in range(0, n_questions, 2):
            numbers = np.arange(first, min(first + 2, n_questions))
            yield RoughBlock(numbers, self.scores[numbers], floor=-np.inf)


def plain_rrf(all_scores, places, k, depth):
    fused = {}
    for scores in all_scores:
        order = sorted((n for n in range(len(scores)) if scores[n] > -np.inf), key=lambda n: (-scores[n], places[n]))
        for rank, n in enumerate(order[:depth], 1):
            fused[n] = fused.get(n, 0.0) + round(2.0**40 / (k + rank)) / 2.0**40
    return sorted(fused, key=lambda n: (-fused[n], places[n])), fused


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.lists(
            st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, -np.inf]), min_size=n, max_size=n), min_size=3, max_size=3),
            min_size=2, max_size=3,
        )
    ),
    st.sampled_from([1, 2, 1000]),
)  # fmt: skip
def test_fusion_equals_a_plain_loop_and_does_not_know_the_order_of_retrievers(tables, depth):
    n = len(tables[0][0])
    index = SimpleNamespace(spans=np.zeros((n, 2), dtype=np.int64), place=np.arange(n))
    found = {}
    for name, order in (("one", tables), ("other", tables[::-1])):
        blocks = FusedSearcher([Given(table) for table in order], 60, depth).blocks(index)
        tops = [rank_block(block, np.empty((len(block.questions), 0), dtype=np.int64), k=n) for block in blocks]
        found[name] = np.concatenate([top.top for top in tops]), np.concatenate([top.top_scores for top in tops])
    np.testing.assert_array_equal(found["one"][0], found["other"][0])
    for question in range(3):
        order, fused = plain_rrf([table[question] for table in tables], list(range(n)), 60, depth)
        top = found["one"][0][question]
        assert top[top >= 0].tolist() == order
        assert found["one"][1][question][: len(order)].tolist() == [fused[chunk] for chunk in order]


def test_fusion_of_one_ranking_with_itself_is_that_ranking():
    labels = check_labels(CORPUS, ASKED)
    retrievers = find_retrievers("hash,rrf(hash,hash)", VectorCache)
    result = sweep(
        CORPUS, labels, chunkers="fixed", sizes=[20], overlaps=[5], measures=[RetrievalMeasure(labels, retrievers)]
    )
    one, fused = result.cells[0].retrieval
    assert dict(one["first_rank"]) == dict(fused["first_rank"])
    assert (one["retriever"], fused["retriever"]) == ("hash", "rrf(hash,hash)")


def test_retrievers_stand_side_by_side_and_a_provider_is_set_up_once():
    bm25, fused, dense = find_retrievers(["bm25,rrf(bm25,hash(dimensions=8), k=10)", "hash(dimensions=8)"], VectorCache)
    assert [bm25.name, fused.name, dense.name] == ["bm25", "rrf(bm25,hash(dimensions=8))", "hash(dimensions=8)"]
    assert fused.retrievers[1] is dense
    assert fused.settings["k"] == 10
    assert len(fused.embedders) == 1


@pytest.mark.parametrize(
    "spelling",
    ["", "bm25,", "rrf(bm25)", "rrf()", "rrf(bm25,hash,k=0)", "rrf(bm25,hash,k=x)", "bm25(x=1)", "bm25(k1=-1)"],
)
def test_what_is_no_list_of_retrievers_is_told(spelling):
    with pytest.raises(ConfigError):
        find_retrievers(spelling, VectorCache)


def test_blocks_of_dense_vectors_are_those_of_the_ranking():
    labels = check_labels(CORPUS, ASKED)
    retriever = DenseRetriever(Embedder(find_provider("hash"), VectorCache()))
    measure = RetrievalMeasure(labels, [retriever])
    from chunkscope.grid.scan import scan

    scanned = scan(CORPUS, [FixedChunker()], [measure])
    index = index_chunks(scanned.bound[0].task, scanned.chunks(FixedChunker(20, 0)))
    (block,) = scanned.bound[0].searchers[0].blocks(index)
    assert isinstance(block, DenseBlock)
