"""Every chunker against its rule read aloud, on hostile documents, one at a time and all at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, find, given, settings
from hypothesis import strategies as st
from oracle import chunks as oracle
from oracle.windows import windows
from worlds import chunkers, corpora, cut, plain, settings_of

from chunkscope import Document, FixedChunker, HeadingChunker, SentenceChunker, TokenChunker
from chunkscope.chunkers.boundaries import inner_offsets
from chunkscope.chunkers.chunk_set import chunk_set
from chunkscope.chunkers.items import segment_items
from chunkscope.chunkers.parse import CHUNKERS
from chunkscope.errors import ChunkerError
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.tokens import begins_of_offsets
from chunkscope.structure.units import MeasuredText, get_unit

EMPTY_AMONG_OTHERS = [
    Document(str(number), text) for number, text in enumerate(["", "一つ。", "", "# 題\n二つ。\n", ""])
]


def spans_of(found):
    return [[window.start, window.end] for window in found if window.has_span]


@given(corpora(), chunkers())
@settings(max_examples=250)
def test_every_chunker_cuts_as_its_rule_says(corpus, chunker):
    for document in corpus:
        assert chunker.spans(document).tolist() == spans_of(cut(document, chunker))


@pytest.mark.parametrize("overlap", [0, 1, 2])
def test_long_sentences_are_cut_evenly_where_characters_overlap(overlap):
    document = Document("a.md", "一二三四五六七八九十。一二。一二三四。")
    chunker = SentenceChunker(4, overlap, overlap_by="characters")
    assert chunker.spans(document).tolist() == spans_of(cut(document, chunker))


@pytest.mark.parametrize("chunker", [FixedChunker(3), SentenceChunker(3), HeadingChunker(), TokenChunker(3, raw=True)])
def test_an_empty_document_has_no_spans_and_they_are_pairs(chunker):
    found = chunker.spans(Document("a.md", ""))
    assert (found.shape, found.dtype) == ((0, 2), np.int64)


def test_what_tears_no_character_says_so_in_pairs():
    chunker = FixedChunker(3)
    found = chunker.chunks(chunker.segment(DocumentAnalysis(Document("a.md", "一二三四"))))
    assert found.torn.shape == (0, 2)


def test_only_steps_of_several_characters_and_tokens_have_an_inside():
    texts = ("鮪", "the cat", "a 鮪b", "a 鮪b 鮪c 鮪")
    found = [inner_offsets(get_unit("cl100k_base").measure(text)) for text in texts]
    assert [(one.tolist(), heaviest) for one, heaviest in found] == [([], 0), ([], 0), ([2], 3), ([2, 5, 8], 3)]


def test_items_that_would_start_at_the_end_of_a_text_are_none():
    found = segment_items(DocumentAnalysis(Document("a.md", "一二三四")), "char", np.array([2, 4]))
    assert found.positions.tolist() == [0, 2, 4]


@pytest.mark.parametrize("chunker", [SentenceChunker(9), SentenceChunker(9, newline="end"), HeadingChunker(9)], ids=str)
def test_offsets_that_are_in_order_are_not_hashed(chunker, monkeypatch):
    """Hashing millions of them takes a hundred times as long, and more than twice as long for twice as many."""
    document = Document("a.md", "# 題\n一つ。二つ。\n\n## 節\n- 三つ\n")
    expected = chunker.spans(document).tolist()
    for name in ("unique", "union1d"):
        monkeypatch.delattr(np, name)
    assert chunker.spans(document).tolist() == expected


@given(corpora(), chunkers())
@settings(max_examples=150)
@example(EMPTY_AMONG_OTHERS, HeadingChunker())
@example(EMPTY_AMONG_OTHERS, SentenceChunker(5))
@example(EMPTY_AMONG_OTHERS, TokenChunker(5, 1, raw=True))
def test_all_documents_at_once_are_cut_as_each_by_itself(corpus, chunker):
    layout = Layout.of([document.name for document in corpus], [len(document.text) for document in corpus])
    joined = chunker.join([chunker.segment(DocumentAnalysis(document)) for document in corpus])
    chunks = chunk_set(layout, chunker, joined)
    expected = [
        (chunker.spans(document) + base).tolist() for document, base in zip(corpus, layout.edges.tolist(), strict=False)
    ]
    assert chunks.spans.tolist() == [span for spans in expected for span in spans]
    assert chunker.chunks(joined).spans.tolist() == chunks.spans.tolist()
    found = [window for document in corpus for window in cut(document, chunker)]
    assert chunks.n_chunks == len(found)
    assert chunks.n_broken == sum(window.is_broken for window in found)
    assert chunks.sizes.tolist() == [window.weight for window in found if window.has_span]
    if chunker.size is not None:
        assert chunks.n_oversize == sum(window.has_span and window.weight > chunker.size for window in found)


@given(corpora(1), chunkers())
@settings(max_examples=150)
def test_chunks_are_in_order_and_none_lies_inside_another(corpus, chunker):
    for document in corpus:
        spans = chunker.spans(document)
        assert ((spans[:, 0] >= 0) & (spans[:, 0] < spans[:, 1]) & (spans[:, 1] <= len(document.text))).all()
        if chunker.name == "recursive":
            assert (np.diff(spans, axis=0) >= 0).all()
            continue
        assert (np.diff(spans[:, 0]) > 0).all() or getattr(chunker, "raw", False)
        if getattr(chunker, "tail", "drop") == "drop" and not getattr(chunker, "raw", False):
            assert (np.diff(spans[:, 1]) > 0).all()
            held = {p for start, end in spans.tolist() for p in range(start, end)}
            assert held == set(range(len(document.text)))
            if not chunker.overlap:
                assert "".join(document.text[a:b] for a, b in spans.tolist()) == document.text


@pytest.mark.parametrize("keep", [False, True])
def test_fixed_windows_follow_the_formula_on_the_whole_small_grid(keep):
    for size in range(1, 13):
        for overlap in range(size):
            chunker = FixedChunker(size, overlap, tail="keep" if keep else "drop")
            for n in range(41):
                spans = chunker.spans(Document("a", "あ" * n)).tolist()
                assert list(map(tuple, spans)) == windows(n, size, overlap, keep)
                if not keep:
                    step = size - overlap
                    assert len(spans) == (0 if not n else 1 if n <= size else -(-(n - size) // step) + 1)
                    assert all(end - start == size for start, end in spans[:-1])


@given(st.text("鮪a😀 。\n", max_size=30), st.integers(1, 9))
def test_only_one_character_alone_may_weigh_more_than_the_size_in_tokens(text, size):
    document = Document("a", text)
    for window in cut(document, TokenChunker(size)):
        assert window.weight <= size or window.end == window.start + 1
    assert TokenChunker(size).spans(document).tolist() == spans_of(cut(document, TokenChunker(size)))


@given(corpora(1), st.integers(1, 40))
@example([Document("a", "か" * 25 + "。")], 10)
def test_sections_and_sentences_respect_the_size(corpus, size):
    for document in corpus:
        for chunker in (SentenceChunker(size), HeadingChunker(size), HeadingChunker(size, merge=True)):
            spans = chunker.spans(document)
            assert (spans[:, 1] - spans[:, 0] <= size).all()


@pytest.mark.parametrize("chunker", [FixedChunker, TokenChunker, SentenceChunker, HeadingChunker])
@pytest.mark.parametrize(
    ("size", "overlap", "names"),
    [
        (0, 0, "size 0"), (-1, 0, "size -1"), (5, -1, "overlap -1"), (2.5, 0, "2.5"), ("8", 0, "'8'"), (True, 0, "True"),
        (5, 5, "overlap 5 must be smaller than size 5"), (5, 9, "overlap 9 must be smaller than size 5"),
        (5, 1.0, "1.0"), (5, None, "None"), (5, False, "False"), (float("nan"), 0, "nan"),
        (2**41, 0, "size 2199023255552 must be at most 1,099,511,627,776"), (10**30, 0, f"size {10**30}"), (5, 10**30, "overlap"),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused_by_name_before_anything_is_cut(chunker, size, overlap, names):
    with pytest.raises(ChunkerError) as caught:
        chunker(size, overlap)
    assert names in str(caught.value)
    assert "size" in str(caught.value)
    assert "overlap" in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FixedChunker(None, 4),
        lambda: FixedChunker(8, tail="some"),
        lambda: FixedChunker(8, unit="word", tail="keep"),
        lambda: TokenChunker(8, unit="char"),
        lambda: TokenChunker(8, raw="yes"),
        lambda: SentenceChunker(8, overlap_by="words"),
        lambda: SentenceChunker(8, oversize="drop"),
        lambda: SentenceChunker(8, newline="keep"),
        lambda: SentenceChunker(8, unit="word", overlap_by="characters"),
        lambda: HeadingChunker(8, merge=1),
        lambda: FixedChunker(8, prepend=("footer",)),
        lambda: FixedChunker(8, prepend="title"),
        lambda: FixedChunker(8, prepend=("front-matter:",)),
    ],
)
def test_settings_that_clash_are_refused(make):
    with pytest.raises(ChunkerError):
        make()


@pytest.mark.parametrize("chunker", [FixedChunker(), TokenChunker(), SentenceChunker(), HeadingChunker(merge=True)])
def test_cutting_without_a_size_says_that_one_is_needed(chunker):
    with pytest.raises(ChunkerError, match="needs a size"):
        chunker.spans(Document("a", "あ"))


def test_integers_of_numpy_are_integers():
    assert FixedChunker(np.int64(6), np.int32(3)) == FixedChunker(6, 3)
    assert str(FixedChunker(np.int64(6), np.int32(3))) == "fixed(size=6, overlap=3)"


def test_a_chunk_of_raw_tokens_is_what_decoding_them_gives_without_the_broken_characters():
    document = Document("a", "鮪と鰹")
    assert TokenChunker(2, raw=True).spans(document).tolist() == [[1, 2]]
    found = cut(document, TokenChunker(2, raw=True))
    assert len(found) == 4
    assert [window.is_broken for window in found] == [True, True, True, True]


@given(st.data(), st.text("あa \n。", min_size=1, max_size=30))
@settings(max_examples=300)
def test_tokens_of_any_tokenizer_are_cut_as_the_rules_say(data, text):
    # tokenizers drop characters, give empty tokens, and let tokens share characters
    place = st.integers(0, len(text) + 1)
    begins, inside = begins_of_offsets(data.draw(st.lists(st.tuples(place, place), max_size=40)), len(text))
    unit = get_unit("any.json")
    size = data.draw(st.integers(1, 9))
    overlap = data.draw(st.integers(0, size - 1))
    document = Document("a", text)
    parts = DocumentAnalysis(document)
    parts.keep(unit, MeasuredText(len(text), begins, inside))
    measured = plain(document)._replace(units={unit.name: (begins.tolist(), inside.tolist())})
    for chunker in (
        TokenChunker(size, overlap, unit=unit.name),
        TokenChunker(size, overlap, unit=unit.name, raw=True),
        SentenceChunker(size, overlap, unit=unit.name),
        HeadingChunker(size, overlap, unit=unit.name, merge=True),
    ):
        found = oracle.cut(measured, settings_of(chunker))
        chunks = chunker.chunks(chunker.segment(parts))
        assert chunks.spans.tolist() == spans_of(found)
        assert len(chunks.torn) == sum(window.is_broken for window in found)
        assert chunks.sizes.tolist() == [window.weight for window in found if window.has_span]
        assert (np.diff(chunks.spans, axis=0) >= 0).all()


@pytest.mark.parametrize("name", CHUNKERS.built_in)
def test_every_chunker_is_drawn_by_the_property_tests_and_has_a_rule(name):
    chunker = find(chunkers(), lambda one: one.name == name)
    text = Document("a.md", "# 題\n一つ。二つ。\n")
    assert spans_of(cut(text, chunker)) == chunker.spans(text).tolist()
