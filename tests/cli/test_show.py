from __future__ import annotations

import json
import os
import re

import pytest
from command_line import fails, put, run
from hypothesis import given
from hypothesis import strategies as st
from strategies import markdown_texts

from chunkscope import Corpus, Question
from chunkscope.chunkers import FixedChunker, TokenChunker, parse_chunker
from chunkscope.chunkers.chunk_rows import chunk_document
from chunkscope.cli import outputs
from chunkscope.cli.marked_text import draw_cuts
from chunkscope.corpus.document import LINE_END, Document
from chunkscope.grid.passages import find_passages
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion

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
    blue, yellow, dim, red, bold, underline, plain = (f"\x1b[{n}m" for n in (34, 33, 2, 31, 1, 4, 0))
    assert row.endswith(
        f"{bold}{underline}{blue}い{plain}{blue}ろ{plain}{bold}{red}⟦{plain}{dim}は{plain}{bold}{red}⟧{plain}{yellow}に{plain}"
    )


@pytest.mark.parametrize(("ascii", "expected"), [(False, "い⟦ろ⟧は"), (True, "い[[ろ]]は")])
def test_signs_can_be_ascii(ascii, expected):
    [row] = draw("いろは", FixedChunker(2, 1), ascii=ascii)
    assert bodies([row]) == [expected]


def test_an_empty_text_has_no_rows():
    assert draw("", FixedChunker(3)) == []


# ---- the evidence of one question


@given(
    st.text("あい\n ", min_size=4, max_size=60),
    st.integers(1, 12),
    st.integers(0, 11),
    st.data(),
)
def test_parts_are_what_each_chunk_has_in_common_with_the_passage(text, size, overlap, data):
    chunker = FixedChunker(size, min(overlap, size - 1))
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    document = Document("a.md", text)
    asked = LocatedQuestion(Question.of("q", doc="a.md", evidence="x"), (EvidenceSpan("a.md", start, end),))
    [passage] = find_passages(Corpus.of([document]), asked, chunker)
    expected = []
    for number, (a, b) in enumerate(chunk_document(document, chunker).spans.tolist()):
        held = [place for place in range(start, end) if a <= place < b]
        if held:
            expected.append((number, held[0] - start, held[-1] + 1 - start, held[0] - a, b - held[-1] - 1))
    assert [tuple(part) for part in passage.parts] == expected
    assert [part.chunk for part in passage.whole] == [one[0] for one in expected if one[2] - one[1] == end - start]
    assert passage.n_missing == 0


@given(markdown_texts(), st.integers(1, 30), st.data())
def test_what_is_drawn_near_is_what_is_drawn_there_and_three_rows_around(text, size, data):
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = (start, data.draw(st.integers(start + 1, len(text))))
    every = draw(text, FixedChunker(size))
    near = draw(text, FixedChunker(size), near=[span])
    shown = [row for row in near if row.strip() != "…"]
    places = [number for number in range(len(every)) if every[number : number + len(shown)] == shown]
    assert places
    assert len(shown) <= len(every)
    if len(shown) < len(every):
        assert any(row.strip() == "…" for row in (near[0], near[-1]))


def test_two_places_of_a_text_are_drawn_with_what_lies_between_left_out():
    text = "".join(f"{number}番\n" for number in range(20))
    rows = bodies(
        draw(
            text,
            FixedChunker(1000),
            near=[(text.index("2番"), text.index("3番")), (text.index("15番"), text.index("16番"))],
        )
    )
    assert [row.strip() for row in rows] == [
        *(f"{n}番" for n in range(6)), "…", *(f"{n}番" for n in range(12, 19)), "…"
    ]  # fmt: skip


@pytest.fixture
def asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(
        "docs/rules.md",
        "# 旅費\n\n宿泊費の上限は12,000円とする。\n\n| 区分 | 上限 |\n|---|---|\n| 部長 | 15,000円 |\n| 課長 | 12,000円 |\n",
    )
    put("docs/sub/other.md", "日当は2,000円とする。\n")
    questions = [
        {"id": "q1", "question": "上限は?", "evidence": [
            {"doc": "rules.md", "text": "| 課長 | 12,000円 |"}, {"doc": "sub/other.md", "text": "日当は2,000円とする。"}]},
        {"id": "u1", "question": "社長は?", "evidence": []},
        {"id": "bad", "question": "?", "doc": "rules.md", "evidence": "そこにない文"},
    ]  # fmt: skip
    put("q.jsonl", "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in questions))
    return ("show", "docs", "-q", "q.jsonl", "--size", "30", "--question")


def test_a_question_is_shown_in_all_its_documents_and_told_in_words(asked):
    shown = run(*asked, "q1").stdout
    assert "q1: 上限は?\nIt needs all of its 2 passages.  fixed(size=30)" in shown
    assert "rules.md:8:1  16 characters" in shown
    assert "Header lost: the table is cut between its header and the row in line 8." in shown
    assert (
        "sub/other.md:1:1  13 characters\n  Chunk 0 holds it whole, with 0 characters before it and 1 behind." in shown
    )
    japanese = run(*asked, "q1", "--lang", "ja").stdout
    assert "2 か所の根拠がすべて必要です。" in japanese
    assert "丸ごと" in japanese


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["bat"], "q.jsonl: no question 'bat'; did you mean 'bad'?"),
        (["u1"], "question 'u1' has no evidence: nothing of it can be cut"),
        (["bad"], "q.jsonl: question 'bad': "),
    ],
)
def test_a_question_that_cannot_be_shown_is_told_in_a_line(asked, more, told):
    assert told in fails(*asked, *more)


def test_a_document_or_a_question_is_needed(asked):
    put("chunkscope.toml", 'corpus = "docs"\nquestions = "q.jsonl"\n')
    assert "name a DOCUMENT, or a question with --question" in run("show", "--size", "30").stderr
    assert "It needs all of its 2 passages." in run("show", "--size", "30", "--question", "q1").stdout


def test_what_is_longer_than_the_terminal_goes_through_the_pager(monkeypatch, capsys):
    paged = []
    monkeypatch.setattr(outputs.click, "echo_via_pager", lambda text, color: paged.append(text))
    monkeypatch.setattr(outputs.shutil, "get_terminal_size", lambda fallback: os.terminal_size((80, 5)))
    with outputs.open_pager() as file:
        file.write("a\n" * 4)
    with outputs.open_pager() as file:
        file.write("\x1b]0;x\x07\n" * 5)
    assert paged == ["\n".join(["␛]0;x␇"] * 5)]
    assert capsys.readouterr().out == "a\n" * 4
