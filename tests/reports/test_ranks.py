"""Ranks one by one, as people read them."""

from __future__ import annotations

import pytest

from chunkscope.grid.ranks import Hit, QuestionRank
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.ranks import MOST_HITS, render_ranks
from chunkscope.reports.width import width as cells

EVIL = "a\x1b[31m\u202e\nb"


def hit(number, **other):
    return Hit(**{"document": "rules.md", "start": 0, "end": 9, "line": number, "score": 9.0 - number, "text": "日当は2,000円。",
                  "meets": False} | other)  # fmt: skip


FOUND = [
    QuestionRank("q1", "申請は？", 2, None, (hit(1), hit(2))),
    QuestionRank("q2", "上限は？", 9, "below", tuple(map(hit, range(8)))),
    QuestionRank("q3", "zebra?", None, "below", ()),
    QuestionRank("q4", "日当は？", None, "header_lost", (hit(1, meets=True),)),
    QuestionRank(EVIL, EVIL, None, "split", (hit(1, document=EVIL, text=EVIL),)),
]


def test_every_question_has_a_line_and_what_is_missed_what_came_first():
    lines = render_ranks(FOUND, "fixed 300/50, bm25", ReportOptions()).splitlines()
    assert lines[0] == "Ranks with fixed 300/50, bm25; * holds something that the question needs."
    assert lines[1:3] == ["q1: rank 2  申請は？", "q2: ranked below (rank 9)  上限は？"]
    assert lines[3] == "     1  rules.md:0  9  日当は2,000円。"
    assert len([line for line in lines if line.startswith("     ")]) == MOST_HITS + 2
    assert "q3: not ranked  zebra?" in lines
    assert lines[lines.index("q4: no chunk has the row with its header  日当は？") + 1].startswith(
        "     1* rules.md:1  8"
    )


@pytest.mark.parametrize("room", [20, 40, 80])
@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("ascii", [True, False])
def test_no_line_is_wider_than_the_terminal_and_none_obeys_what_others_wrote(room, lang, ascii):
    text = render_ranks(FOUND, "fixed", ReportOptions(width=room, lang=lang, ascii=ascii))
    assert max(map(cells, text.splitlines())) <= room
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_it_is_said_in_japanese_too():
    text = render_ranks(FOUND, "fixed 300/50", ReportOptions(lang="ja"))
    assert text.startswith("順位（fixed 300/50）。")
    assert "q2: 順位が下（9 位）  上限は？" in text
