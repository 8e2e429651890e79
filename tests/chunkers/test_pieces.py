"""Texts that a splitter gave, counted and judged, against loops over all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracle.spans import is_blank, is_covered, is_held

from chunkscope import FixedChunker
from chunkscope.chunkers.base import Chunking
from chunkscope.chunkers.cells import OneCell
from chunkscope.chunkers.chunk_set import PieceChunks, span_chunks
from chunkscope.chunkers.index_text import CHARACTERS, IndexTexts
from chunkscope.chunkers.pieces import EXACT, NOT_FOUND, PREPENDED, Pieces, join_pieces
from chunkscope.measures.tables import Rows
from chunkscope.spans.intervals import as_spans, holders
from chunkscope.spans.layout import Layout, Targets

LENGTH = 40
span = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 12)).map(lambda one: (one[0], min(sum(one), LENGTH)))
place = st.one_of(span, st.just((0, 0)))


def chunks_of(pieces, size=None):
    spans = pieces.spans[pieces.outermost]
    cut = Chunking(spans, spans[:, 1] - spans[:, 0], pieces=pieces)
    return span_chunks(Layout.of(["a.md"], [LENGTH]), FixedChunker(size), cut)


def pieces_of(places, texts=None, repeated=()):
    rows = sorted(repeated)
    return Pieces(
        texts if texts is not None else ["x" * max(end - start, 1) for start, end in places],
        np.array(places, dtype=np.int64).reshape(-1, 2),
        np.arange(len(places)),
        np.array([EXACT if start < end else NOT_FOUND for start, end in places], dtype=np.uint8),
        np.array([owner for owner, _ in rows], dtype=np.int64),
        np.array([found for _, found in rows], dtype=np.int64).reshape(-1, 2),
    )


@given(st.lists(place, max_size=10), st.lists(span, max_size=8))
def test_all_spans_that_hold_a_target_are_found_in_whatever_order_they_lie(spans, targets):
    rows, places = holders(np.array(spans, dtype=np.int64).reshape(-1, 2), as_spans(targets))
    expected = [
        (row, number)
        for row, (start, end) in enumerate(targets)
        for number, one in enumerate(spans)
        if is_held([one], start, end)
    ]
    assert list(zip(rows.tolist(), places.tolist(), strict=True)) == expected


@given(st.lists(place, max_size=10), st.lists(span, max_size=8))
def test_what_some_piece_holds_or_all_cover_the_outermost_do_too(places, targets):
    chunks = chunks_of(pieces_of(places))
    laid = Targets.of(as_spans(targets), chunks.layout)
    assert chunks.contains(laid).tolist() == [is_held(places, *one) for one in targets]
    assert chunks.covered(laid).tolist() == [is_covered(places, *one) for one in targets]
    assert not (np.diff(chunks.spans, axis=0) < 0).any()
    assert chunks.n_chunks == len(places)


@given(st.data())
def test_a_row_is_with_its_header_if_a_piece_holds_both_or_repeats_the_header_in_front_of_the_row(data):
    places = data.draw(st.lists(place, max_size=6))
    owners = st.integers(0, max(len(places) - 1, 0))
    repeated = data.draw(st.lists(st.tuples(owners, span), max_size=6)) if places else []
    tables = data.draw(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 4), st.integers(1, 4)), max_size=5))
    headers = [(start, start + n) for start, n, _ in tables]
    rows = [(start + n + 1, start + n + 1 + m) for start, n, m in tables]
    pieces = pieces_of(places, repeated=repeated)
    chunks = chunks_of(pieces)
    laid = [
        Targets.of(as_spans(found), chunks.layout)
        for found in (rows, [(h[0], r[1]) for h, r in zip(headers, rows, strict=True)])
    ]
    found = Rows(*laid, as_spans(headers))

    def is_together(header, row):
        return any(
            is_held([one], header[0], row[1])
            or (is_held([one], *row) and any(owner == number and is_held([span], *header) for owner, span in repeated))
            for number, one in enumerate(places)
        )

    expected = [is_together(header, row) for header, row in zip(headers, rows, strict=True)]
    assert found.with_header(chunks).tolist() == expected
    assert (found.least_sizes(OneCell(chunks)) == 0).tolist() == expected


@given(st.lists(st.text("aあ \n\u200b🎉か\u3099", max_size=6), max_size=6))
def test_pieces_weigh_what_their_own_texts_weigh(texts):
    pieces = pieces_of([(0, 0)] * len(texts), texts)
    chunks = chunks_of(pieces, size=3)
    weights = IndexTexts.of(chunks, None).weights(CHARACTERS)
    assert weights.total.tolist() == [len(text) for text in texts]
    assert chunks.n_oversize == sum(len(text) > 3 for text in texts)
    assert chunks.is_blank(as_spans([])).tolist() == [is_blank(text) for text in texts]


def test_equal_pieces_and_pieces_inside_others_are_chunks_and_set_aside_where_evidence_is_judged():
    pieces = pieces_of([(0, 9), (0, 9), (2, 4), (8, 12), (0, 0)])
    assert pieces.outermost.tolist() == [0, 3]
    assert pieces.counted() == {
        "exact": 4, "normalised": 0, "prepended": 0, "not_found": 1, "empty": 0, "inside": 2, "wrong_offsets": 0
    }  # fmt: skip
    assert isinstance(chunks_of(pieces), PieceChunks)


def test_white_space_that_was_stripped_is_not_missing_and_a_cut_is_behind_it():
    layout = Layout.of(["a.md"], [12])
    spans, tiles = as_spans([(0, 4), (6, 12)]), as_spans([(0, 6), (6, 12)])
    stripped = span_chunks(layout, FixedChunker(6), Chunking(spans, np.array([4, 6]), tiles=tiles))
    plain = span_chunks(layout, FixedChunker(6), Chunking(spans, np.array([4, 6])))
    across = Targets.of(as_spans([(2, 8)]), layout)
    assert [chunks.contains(across).tolist() for chunks in (stripped, plain)] == [[False], [False]]
    assert [chunks.covered(across).tolist() for chunks in (stripped, plain)] == [[True], [False]]
    assert [chunks.reach_of_two(across).tolist() for chunks in (stripped, plain)] == [[12], [4]]
    assert [chunks.cut_offsets.tolist() for chunks in (stripped, plain)] == [[6], [4]]


def test_pieces_of_documents_are_laid_one_behind_the_other():
    one = pieces_of([(0, 3), (0, 0)], repeated=[(1, (1, 2))])
    joined = join_pieces([one, one], [0, 40])
    assert joined.spans.tolist() == [[0, 3], [0, 0], [40, 43], [40, 40]]
    assert joined.owners.tolist() == [1, 3]
    assert joined.prepended.tolist() == [[1, 2], [41, 42]]
    assert joined.numbers.tolist() == [0, 1, 0, 1]


def test_prepended_pieces_say_how_much_stands_in_front():
    pieces = Pieces(["About: bc"], np.array([[1, 3]]), np.arange(1), np.array([PREPENDED]))
    assert IndexTexts.of(chunks_of(pieces), None).weights(CHARACTERS).prepended.tolist() == [7]
