"""Lines that begin like items or turns start a sentence, and lines that only look so do not."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from chunkscope.corpus.document import Document
from chunkscope.structure import line_kinds
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.item_lines import item_starts
from chunkscope.structure.line_kinds import item_lines

CASES = Path(__file__).parents[1] / "fixtures" / "item_lines.md"


def split(text: str, markup: str = "plain") -> list[str]:
    bounds = [*DocumentAnalysis(Document("a", text, markup=markup)).sentence_starts.tolist(), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def cases() -> list[str]:
    return [line for line in CASES.read_text("utf-8").split("\n") if line and not line.startswith("# ")]


@pytest.mark.parametrize("case", cases())
def test_lines_start_sentences_where_people_begin_items(case: str) -> None:
    markup, _, text = case.partition(" ")
    expected = text.replace("\\n", "\n").replace("\\f", "\f").split("|")
    assert split("".join(expected), markup) == expected


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("case", [case for case in cases() if case.startswith("plain")])
def test_it_does_not_matter_how_lines_end(case: str, end: str) -> None:
    expected = case.partition(" ")[2].replace("\\n", end).replace("\\f", "\f").split("|")
    assert split("".join(expected)) == expected


ITEM_TEXTS = st.lists(
    st.one_of(
        texts(8),
        st.sampled_from(
            ["1. ", "２　", "（１）", "・", "第3条　", "議長：", "Host: ", "- 1 -", "……3", "> ", "<br>", "「", "」"]
        ),
        st.sampled_from(["\n", "\r\n", "\n\n", "\f", "及び", "は", "。", "、"]),
    ),
    max_size=20,
).map("".join)


@given(ITEM_TEXTS, st.booleans())
def test_items_stand_at_starts_of_lines_in_order_and_start_no_block(text: str, is_html: bool) -> None:
    blocks = np.array([0] if text else [], dtype=np.int64)
    found = item_starts(text, blocks, [(0, len(text))] if text else [], is_html=is_html)
    assert found.dtype == np.int64
    assert (np.diff(found) > 0).all()
    for place in found.tolist():
        assert 0 < place < len(text)
        is_line = re.search(r"(?:[\r\n\f]|<[bB][rR] ?/?>[ \t]*)\Z", text[:place])
        assert is_line
        assert not (text[place - 1] == "\r" and text[place] == "\n")


@given(ITEM_TEXTS, ITEM_TEXTS)
def test_a_block_has_its_items_whatever_stands_around_it(before: str, text: str) -> None:
    before = before.replace("<!--", "") + "\n\n"
    alone = item_starts(text, np.array([0], dtype=np.int64), [(0, len(text))]) if text else np.empty(0, np.int64)
    whole = before + text
    blocks = np.array([0, len(before)], dtype=np.int64) if text else np.array([0], dtype=np.int64)
    found = item_starts(whole, blocks, [(0, len(before)), (len(before), len(whole))])
    assert [place - len(before) for place in found.tolist() if place > len(before)] == alone.tolist()


@given(st.text(alphabet="1２.．）)（(・「」：:-\n\f 　あ第条アA>*…", max_size=3000))
def test_hostile_lines_take_no_long_time(text: str) -> None:
    item_starts(text, np.array([0] if text else [], dtype=np.int64), [(0, len(text))] if text else [])


@pytest.mark.parametrize("line", ["1. a", "・あ", "議長：あ", "第1章 あ……… 3", "受付", "- 1 -", "「あ", "<br>・あ"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\f", "<br>"])
def test_a_long_block_takes_time_in_proportion_to_its_lines(line: str, end: str) -> None:
    text = (line + end) * 5_000
    found = item_starts(text, np.array([0], dtype=np.int64), [(0, len(text))])
    assert len(found) <= 10_000


@pytest.mark.parametrize("run", ["\f", "\f ", ">\f", "\f\u3000"])
def test_a_run_of_form_feeds_and_blanks_is_looked_at_once(run, monkeypatch):
    tried = []

    class Counting:
        def match(self, *given):
            tried.append(given[1])
            return found.match(*given)

    found = line_kinds._INNER
    monkeypatch.setattr(line_kinds, "_INNER", Counting())
    text = f"a{run * 500}1. b"
    [line] = item_lines(text, np.array([0]), [(0, len(text))], is_html=False)
    assert text[line.text :] == "b"
    assert len(tried) == 1
