from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import markdown_texts

from chunkscope.chunkers import FixedChunker, TokenChunker, parse_chunker
from chunkscope.chunkers.chunk_rows import chunk_document
from chunkscope.cli.marked_text import draw_cuts
from chunkscope.corpus.document import LINE_END, Document

LABEL = re.compile(r" *(-|\d+(?:-\d+)?)(?:  |$)")


def draw(text, chunker, **settings):
    document = Document("a.md", text)
    return list(draw_cuts(text, chunk_document(document, chunker), **{"width": 80, **settings}))


def bodies(rows):
    return [LABEL.sub("", row, count=1) for row in rows]


PLAIN = re.compile(r"[^\S\n\r 　]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200d\u2028]")


@given(
    markdown_texts(10).map(lambda text: PLAIN.sub("x", text)),
    st.sampled_from(["fixed(size=6, overlap=2)", "sentence(size=9)", "heading", "token(size=3, overlap=2)"]),
    st.integers(20, 90),
)
def test_without_signs_and_numbers_the_rows_are_the_text(text, spelling, width):
    rows = draw(text, parse_chunker(spelling), width=width)
    drawn = "".join(bodies(rows))
    # a mark that a cut parts from its letter, or that begins a line, gets a circle to stand on
    assert re.sub("[│⟦⟧◌]", "", drawn) == LINE_END.sub("", text)


@given(markdown_texts(6), st.integers(1, 9), st.integers(0, 8))
def test_there_is_a_sign_for_each_end_and_start(text, size, overlap):
    chunker = FixedChunker(size, min(overlap, size - 1))
    drawn = "".join(draw(text, chunker))
    n_inner = max(len(chunker.spans(Document("a", text))) - 1, 0)
    if chunker.overlap:
        assert (drawn.count("⟦"), drawn.count("⟧"), drawn.count("│")) == (n_inner, n_inner, 0)
    else:
        assert (drawn.count("⟦"), drawn.count("⟧"), drawn.count("│")) == (0, 0, n_inner)


def test_wide_characters_take_two_columns():
    rows = draw("あ" * 100, FixedChunker(30), width=40)
    assert rows[0] == "  0  " + "あ" * 17
    assert rows[1] == "0-1  " + "あ" * 13 + "│" + "あ" * 4
    assert all(sum(2 if one == "あ" else 1 for one in row) <= 40 for row in rows)


def test_the_numbers_in_front_name_the_chunks_of_the_row():
    assert draw("いろは\nにほへ\n\nと", FixedChunker(5, 2)) == [
        "  0  いろは⟦",
        "0-2  に⟧ほ⟦へ",
        "  2  ⟧",
        "  2  と",
    ]


def test_a_gap_between_raw_windows_is_between_two_cuts():
    [row] = draw("aと鮪b", TokenChunker(2, raw=True))
    assert row.count("│") >= 1
    assert re.sub("│", "", bodies([row])[0]) == "aと鮪b"


def test_what_a_terminal_would_obey_is_written_out():
    [row] = draw("a\x1b[31mb\x00\u202ec\t.", FixedChunker(99))
    assert row.endswith("a␛[31mb␀\\u202ec    .")
    [row] = draw("a\x1b[31mb\x00\u202ec\t.", FixedChunker(99), ascii=True)
    assert row.endswith("a\\x1b[31mb\\x00\\u202ec    .")


def test_a_joined_emoji_takes_two_columns_and_a_cut_in_it_is_seen():
    family = "👩\u200d👩\u200d👧"
    assert bodies(draw(family * 10, FixedChunker(99), width=23)) == [family * 9, family]
    assert bodies(draw(family, FixedChunker(2))) == ["👩\\u200d│👩\\u200d│👧"]


def test_colours_are_for_cuts_overlaps_and_evidence():
    [row] = draw("いろはに", FixedChunker(3, 1), color=True, underlined=[(0, 1)])
    assert "\x1b[4mい\x1b[0m" in row
    assert "\x1b[2mは\x1b[0m" in row
    assert "\x1b[1m\x1b[31m⟦\x1b[0m" in row


@pytest.mark.parametrize(("ascii", "expected"), [(False, "い⟦ろ⟧は"), (True, "い[[ろ]]は")])
def test_signs_can_be_ascii(ascii, expected):
    [row] = draw("いろは", FixedChunker(2, 1), ascii=ascii)
    assert bodies([row]) == [expected]


def test_an_empty_text_has_no_rows():
    assert draw("", FixedChunker(3)) == []
