"""Sentences tile the text, keep to blocks, and end where people end them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import texts

from chunkscope.spans.intervals import as_spans
from chunkscope.structure import sentences
from chunkscope.structure.model import Structure, Table
from chunkscope.structure.sentences import line_starts, sentence_starts

FIXTURES = Path(__file__).parents[1] / "fixtures"


def structure(text: str, blocks: list[int] | None = None, **parts: object) -> Structure:
    """A structure of plain blocks."""
    starts = blocks if blocks is not None else [0] if text else []
    known = {"front_matter_end": 0, "headings": (), "tables": (), "code": as_spans([])} | parts
    return Structure(length=len(text), block_starts=np.array(starts, dtype=np.int64), **known)


def split(text: str, blocks: list[int] | None = None, **parts: object) -> list[str]:
    bounds = [*sentence_starts(text, structure(text, blocks, **parts)).tolist(), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def cases() -> list[str]:
    lines = [
        line for name in ("ja", "en") for line in (FIXTURES / f"sentences_{name}.md").read_text("utf-8").split("\n")
    ]
    return [
        line
        for line in lines
        if line and not line.startswith("# ") and not (line.startswith("## ") and "|" not in line)
    ]


@pytest.mark.parametrize("case", cases())
def test_sentences_end_where_people_end_them(case: str) -> None:
    expected = case.replace("\\n", "\n").split("|")
    assert split("".join(expected)) == expected


paragraphs = st.lists(texts(12).map(lambda text: text + "\n"), max_size=6)


@given(paragraphs)
def test_sentences_tile_the_text_and_blocks_are_boundaries(blocks: list[str]) -> None:
    text = "".join(blocks)
    starts = np.cumsum([0, *map(len, blocks)])[:-1].tolist()
    found = sentence_starts(text, structure(text, starts))
    assert found.dtype == np.int64
    assert set(starts) <= set(found.tolist())
    assert (np.diff(found) > 0).all()
    assert found.tolist()[:1] == ([0] if text else [])
    assert (found < len(text)).all()


@given(paragraphs)
@example(["。\n", "」。あ\n"])
def test_a_block_is_divided_as_if_it_stood_alone(blocks: list[str]) -> None:
    text = "".join(blocks)
    starts = np.cumsum([0, *map(len, blocks)])[:-1].tolist()
    assert split(text, starts) == [sentence for block in blocks for sentence in split(block)]


@given(texts())
def test_no_sentence_starts_with_white_space_a_closing_bracket_or_a_combining_mark(text: str) -> None:
    for sentence in split(text)[1:]:
        assert not sentence[0].isspace()
        assert sentence[0] not in "」』）】\u3099\u0301\u200d"


@given(texts())
def test_each_sentence_but_the_last_holds_an_end_mark(text: str) -> None:
    for sentence in split(text)[:-1]:
        assert set(sentence) & set("。！？.!?")


@given(texts())
def test_nothing_starts_inside_a_closed_quote(text: str) -> None:
    text = text.replace("「", "").replace("」", "")
    for place in (0, len(text) // 2, len(text)):
        quoted = text[:place] + "「はい。いいえ。次」" + text[place:]
        starts = sentence_starts(quoted, structure(quoted))
        assert not any(place < start < place + 10 for start in starts.tolist())


@given(texts(), texts(), texts())
def test_code_tables_and_front_matter_stay_whole(before: str, inner: str, after: str) -> None:
    before, inner = before + "\n", "文。次。 A. B. " + inner + "\n"
    start, end = len(before), len(before + inner)
    text = before + inner + after
    blocks = sorted({0, start} | ({end} if after else set()))
    table = Table("pipe", start, end - 1, (), ((start, end - 1),))
    assert inner in split(text, blocks, code=as_spans([(start, end - 1)]))
    assert inner in split(text, blocks, tables=(table,))
    text, blocks = inner + after, sorted({0} | ({len(inner)} if after else set()))
    assert split(text, blocks, front_matter_end=len(inner))[0] == inner


def test_white_space_at_both_ends_stays_with_its_sentence() -> None:
    text = "  最初の文です。\n\n  次の文です。  \n"
    assert split(text, [0, 11]) == ["  最初の文です。\n\n", "  次の文です。  \n"]
    assert split("一。 二。\r\n\x00三。") == ["一。 ", "二。\r\n\x00", "三。"]


def test_a_block_that_starts_behind_white_space_makes_no_blank_sentence() -> None:
    assert split("一。\n  二。", [0, 3]) == ["一。\n", "  二。"]


def test_an_unclosed_quote_ends_with_its_block() -> None:
    assert split("「一。二。\n三」四。", [0, 6]) == ["「一。", "二。\n", "三」四。"]


def test_an_empty_text_has_no_sentence_and_no_line() -> None:
    assert sentence_starts("", structure("")).tolist() == []
    assert line_starts("").tolist() == []


def line_starts_slowly(text: str) -> list[int]:
    expected = [0] if text else []
    place = 0
    while place < len(text):
        size = 2 if text[place : place + 2] == "\r\n" else 1
        if text[place] in "\r\n" and place + size < len(text):
            expected.append(place + size)
        place += size
    return expected


@given(texts())
def test_lines_start_behind_the_three_line_ends_only(text: str) -> None:
    assert line_starts(text).tolist() == line_starts_slowly(text)


class CountingPattern:
    """A pattern that knows how much it has matched."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern, self.matched = pattern, 0

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        found = self.pattern.search(text, start, end)
        self.matched += found.end() - found.start() if found else 0
        return found


@pytest.mark.parametrize(
    "text",
    [
        "。" * 200_000, "a." * 100_000, "「" * 100_000, "「。" * 100_000, ". " * 100_000, ".)" * 100_000,
        "。**a" * 50_000, "(" * 100_000 + "a. B " * 20_000, '"a. B ' * 50_000, "`a. B" * 50_000, "。](" * 100_000,
        "。[a " * 100_000, "。" + " " * 300_000 + "x", "。" + "*" * 200_000 + "x", "A. " * 50_000, "x\n1. " * 50_000,
        "#" * 100_000 + "x（a。）の" * 50_000, "「（" * 50_000 + "a。" * 50_000 + "）」" * 50_000,
        "1." * 100_000 + " A", "。\n" + ">" * 100_000 + "\nx",
        "." + "]." * 50_000 + "x", "a." + "[1]." * 50_000, "」.\n\n" * 50_000, "</a>." * 50_000, "][a]." * 50_000,
        "。\n\n」" * 50_000, " ." * 50_000, "<sup>1</sup>." * 20_000, "。[^a]." * 30_000, ":::\n。" * 50_000,
        "。\n" + ">" * 100_000 + "x", "これは「文。です」。次は（何か。）。" * 20_000,
    ],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_hostile_texts_are_read_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = CountingPattern(sentences.ENDING)
    monkeypatch.setattr(sentences, "ENDING", pattern)
    found = sentence_starts(text, structure(text))
    assert pattern.matched <= 2 * len(text)
    assert found[0] == 0
    assert (np.diff(found) > 0).all()


@pytest.mark.parametrize(
    "line", ["{#a.}\n", "</aあ.>\n", "{#あ.}\n", "</a.b>\n", "</b>。\n", "{/*あ.*/}\n", ">\n", "」。\n"]
)
def test_what_cannot_begin_a_sentence_is_not_read_again_from_each_block(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = CountingPattern(sentences.ENDING)
    monkeypatch.setattr(sentences, "ENDING", pattern)
    text = "一。\n" + line * 2000
    split(text, list(range(3, len(text), len(line))))
    assert pattern.matched <= 100 * len(text)


def test_real_documents_agree_with_evidence_that_is_whole_sentences(data: Path) -> None:
    text = (data / "jaquad_dev_ja" / "docs" / "001.md").read_text("utf-8")
    blocks = [0] + [i + 2 for i in range(len(text) - 2) if text[i : i + 2] == "\n\n"]
    found = split(text, blocks)
    assert "".join(found) == text
    assert sum(sentence.rstrip().endswith("。") for sentence in found) > 0.9 * len(found)
