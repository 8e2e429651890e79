"""BM25 from positions, against re-indexing every cell with bm25s, and against an obvious twin."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.bm25 import scores as scores_of
from oracle.bm25 import terms_of_chunk
from oracle.prepending import index_spans
from oracle.spans import is_blank
from strategies import markdown_texts, texts
from worlds import plain, settings_of

from chunkscope import Document, FixedChunker, parse_chunker, read_corpus, read_questions
from chunkscope.chunkers.chunk_set import chunk_set
from chunkscope.grid.scan import Scan, scan
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.questions.question import Question
from chunkscope.retrieval import Bm25Retriever, RetrievalMeasure, RetrievalSettings, rank_block
from chunkscope.retrieval.bm25 import search as bm25_module
from chunkscope.retrieval.bm25.postings import Occurrences, count_terms, fold, spelled_words
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.measure import BoundRetrieval

CHUNKERS = ["fixed(size=7, overlap=3)", "fixed(size=40)", "sentence(size=25, overlap=10)", "fixed(size=6, overlap=2, unit=word)",
            "heading(prepend=headings+title)", "fixed(size=30, overlap=9, prepend=table-header+headings)"]  # fmt: skip

LABEL = "x"


@dataclass
class Cell:
    bound: BoundRetrieval
    scanned: Scan

    def chunks(self, spelling):
        chunker = parse_chunker(spelling) if isinstance(spelling, str) else spelling
        return chunk_set(self.scanned.layout, chunker, self.scanned.boundaries[chunker.segmenter])

    def scores(self, chunks):
        """All scores, questions by chunks, completed pair by pair."""
        held = index_chunks(self.bound.task, chunks)
        found = np.zeros((self.bound.searchers[0].vocabulary.questions.n_questions, len(chunks.spans)))
        for block in self.bound.searchers[0].blocks(held):
            shape = len(block.questions), len(chunks.spans)
            found[block.questions] = block.complete(*np.indices(shape).reshape(2, -1)).reshape(shape)
        return found, held


def look_at(documents, asked, chunkers, retriever=None):
    """Look at documents, the first of which begins with the evidence of all questions."""
    name = documents[0].name
    questions = [
        LocatedQuestion(Question.of(f"q{number}", f"{text} ?", doc=name, evidence=LABEL), (EvidenceSpan(name, 0, 1),))
        for number, text in enumerate(asked)
    ]
    chosen = [parse_chunker(chunker) if isinstance(chunker, str) else chunker for chunker in chunkers]
    measure = RetrievalMeasure(questions, [retriever or Bm25Retriever()], chosen, RetrievalSettings(k=(3,)))
    families = list(dict.fromkeys(chunker.unsized for chunker in chosen))
    scanned = scan(documents, families, [measure], sorted({c.unit for c in chosen} - {"char"}))
    return Cell(scanned.bound[0], scanned)


def terms_by_chunk(documents, chunks):
    """The terms of each chunk, from its text as it would be indexed, cut words left out."""
    chunker, found = settings_of(chunks.chunker), []
    for number, (document, base) in enumerate(zip(documents, chunks.layout.edges.tolist(), strict=False)):
        words = list(zip(*spelled_words(document.text), strict=True))
        for start, end in (chunks.spans[chunks.layout.documents_of(chunks.spans[:, 0]) == number] - base).tolist():
            found.append(terms_of_chunk(words, index_spans(plain(document), chunker, start, end)))
    return found


@given(
    st.lists(st.one_of(markdown_texts(12), texts(25)), min_size=1, max_size=4),
    st.lists(texts(6), min_size=1, max_size=4),
    st.sampled_from(CHUNKERS),
    st.sampled_from([0.0, 0.125, 2.0]),
)
@settings(max_examples=150)
def test_scores_equal_those_of_every_chunk_indexed_by_itself(bodies, asked, spelling, common_share):
    documents = [Document(f"{number}.md", text) for number, text in enumerate(bodies)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25_module, "COMMON_SHARE", common_share)
        cell = look_at(documents, asked, [spelling])
        chunks = cell.chunks(spelling)
        scores, held = cell.scores(chunks)
    terms = terms_by_chunk(documents, chunks)
    whole = "".join(bodies)
    blank = [is_blank(whole[start:end]) for start, end in chunks.spans.tolist()]
    assert held.indexed.tolist() == [not value for value in blank]
    for row, question in enumerate(asked):
        assert scores[row] == pytest.approx(scores_of(terms, blank, spelled_words(question).terms), abs=1e-8)


@given(
    st.lists(texts(25), min_size=1, max_size=3),
    st.lists(texts(8), min_size=1, max_size=4),
    st.sampled_from(CHUNKERS[:4]),
)
@settings(max_examples=60)
def test_ranks_and_best_chunks_equal_a_sort_of_the_scores(bodies, asked, spelling):
    names = ["b.md", "a.md", "B.md"]
    documents = [Document(names[number], text) for number, text in enumerate(bodies)]
    cell = look_at(documents, asked, [spelling])
    chunks = cell.chunks(spelling)
    scores, held = cell.scores(chunks)
    of = [documents[number].name for number in held.documents.tolist()]
    for target in range(0, len(chunks.spans), 3):
        for block in cell.bound.searchers[0].blocks(held):
            targets = np.full((len(block.questions), 1), target)
            found = rank_block(block, targets, k=3, place=held.place)
            for row, question in enumerate(block.questions.tolist()):
                order = sorted(range(len(of)), key=lambda c, q=question: (-scores[q, c], of[c], c))
                order = [chunk for chunk in order if scores[question, chunk] > 0]
                assert found.ranks[row, 0] == (order.index(target) + 1 if target in order else 0)
                assert [chunk for chunk in found.top[row].tolist() if chunk >= 0] == order[:3]


def test_words_are_compared_folded_and_normalised_but_counted_where_they_stand():
    assert spelled_words("ＡＰＩ Straße").terms == ["api", "strasse"]
    assert fold("ｶﾞｲﾄﾞ") == fold("ガイド")
    found = spelled_words("か\u3099く e\u0301te")
    assert [("か\u3099く e\u0301te")[s:e] for s, e in zip(found.starts, found.ends, strict=True)][-1] == "e\u0301te"


def test_a_word_that_is_cut_belongs_to_no_chunk():
    cell = look_at([Document("a.md", "alpha beta")], ["alpha", "beta"], [FixedChunker(7)])
    scores, _ = cell.scores(cell.chunks(FixedChunker(7)))
    assert (scores[0] > 0).tolist() == [True, False]
    assert not scores[1].any()


def test_blank_chunks_are_outside_the_number_and_the_mean_length():
    with_blank = look_at([Document("a.md", "alpha beta    "), Document("b.md", "gamma")], ["alpha"], [FixedChunker(10)])
    without = look_at([Document("a.md", "alpha beta"), Document("b.md", "gamma")], ["alpha"], [FixedChunker(10)])
    some, _ = with_blank.scores(with_blank.chunks(FixedChunker(10)))
    other, _ = without.scores(without.chunks(FixedChunker(10)))
    assert some[0].tolist() == [other[0, 0], 0.0, 0.0]


def test_a_question_that_asks_twice_for_a_word_counts_it_twice():
    cell = look_at([Document("a.md", "alpha beta")], ["alpha", "alpha alpha"], [FixedChunker(20)])
    scores, _ = cell.scores(cell.chunks(FixedChunker(20)))
    assert scores[1, 0] == pytest.approx(2 * scores[0, 0])


@pytest.mark.parametrize(("k1", "b"), [(-0.1, 0.5), (float("nan"), 0.5), (1.0, 1.5), (1.0, -0.1)])
def test_parameters_out_of_range_are_refused(k1, b):
    with pytest.raises(ValueError, match="bm25"):
        Bm25Retriever(k1, b)


CORPORA = {
    "nagisa_ja": (["fixed(size=100, overlap=20)", "sentence(size=300)", "heading(prepend=headings)"], 100),
    "jaquad_dev_ja": (["fixed(size=200, overlap=33)", "sentence(size=400, overlap=80)"], 60),
    "chroma_eval": (["fixed(size=800, overlap=100)", "token(size=200)"], 40),
}


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4)])
def test_scores_and_order_equal_bm25s_on_real_documents(data, name, k1, b):
    bm25s = pytest.importorskip("bm25s")
    spellings, n_asked = CORPORA[name]
    documents = list(read_corpus(data / name / "docs"))
    asked = read_questions(data / name / "questions.jsonl").questions
    asked = [question.question for question in asked[:: max(1, len(asked) // n_asked)]]
    cell = look_at(documents, asked, spellings, Bm25Retriever(k1, b))
    all_terms = [spelled_words(document.text) for document in documents]
    for spelling in spellings[: 1 if k1 != 1.5 else None]:
        chunks = cell.chunks(spelling)
        scores, held = cell.scores(chunks)
        terms = terms_by_chunk(documents, chunks) if chunks.chunker.prepend else quick_terms(all_terms, chunks)
        kept = np.flatnonzero(held.indexed)
        index = bm25s.BM25(method="lucene", k1=k1, b=b)
        index.index([terms[number] for number in kept.tolist()], show_progress=False)
        for row, question in enumerate(asked):
            known = [term for term in spelled_words(question).terms if term in index.vocab_dict]
            theirs = index.get_scores(known) if known else np.zeros(len(kept))
            np.testing.assert_allclose(scores[row][kept], theirs, atol=1e-4)
            order = np.argsort(-scores[row][kept], kind="stable")[:20]
            assert (np.diff(theirs[order]) <= 1e-4).all()


def quick_terms(words, chunks):
    found = []
    for (start, end), document in zip(
        chunks.spans.tolist(), chunks.layout.documents_of(chunks.spans[:, 0]).tolist(), strict=True
    ):
        base = int(chunks.layout.edges[document])
        first = int(np.searchsorted(words[document].starts, start - base))
        behind = int(np.searchsorted(words[document].ends, end - base, side="right"))
        found.append(words[document].terms[first:behind])
    return found


def test_counts_of_terms_equal_counting_words():
    rng = np.random.default_rng(0)
    starts = np.cumsum(rng.integers(1, 4, 200))
    ends = starts + 1
    terms = rng.integers(-1, 5, 200)
    occurrences = Occurrences.of(starts, ends, terms, 5)
    for size, step in ((1, 1), (10, 3), (50, 50), (600, 7)):
        first = np.arange(0, int(ends[-1]), step)
        spans = np.column_stack((first, np.minimum(first + size, ends[-1])))
        held = count_terms(occurrences, spans)
        want = Counter()
        for chunk, (start, end) in enumerate(spans.tolist()):
            inside = terms[(starts >= start) & (ends <= end)]
            assert held.lengths[chunk] == len(inside)
            want.update((term, chunk) for term in inside.tolist() if term >= 0)
        keys = list(zip(held.terms.tolist(), held.chunks.tolist(), strict=True))
        assert keys == sorted(want)
        assert dict(zip(keys, held.times.tolist(), strict=True)) == want
