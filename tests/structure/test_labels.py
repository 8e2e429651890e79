"""Labels stay with what they label, whatever stands before them."""

# ruff: noqa: SIM905  labels in a row are easier to read than a list of literals

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.structure.labels import is_label, ordinals

LABELS = (
    "1 12 １ １．２ 1-1 1.2.3 A Q A1 Q12 iv Ⅱ ア ｱ い ① ㈠ ⑴ 第1章 第三条 第十二条の二 第_3_章 1章 "
    "(1) （１） ［1］ 【1】 （ア） 議題1 理由２ 写真1 別表第1 議案第1号 ケース1 ステップ3 その1 手順(1) 表_2 図1 "
    "問 答 注 備考 質問 回答 Step_1 Chapter_IV Figure_2 Lesson_3 Kapitel_2 Étape_1 Paso_1 제1장"
).split(" ")  # fmt: skip
LEADS = [
    "", "<p>", "<h2>", "<li>", "<td>", "<dt><b>", '<a id="q"></a>', "<summary>", "&nbsp;", "・", "■", "→ ", "▶", "★", "• ",
    "✅ ", "⚠️ ", "- [ ] ", "* [x] ", "> ", "## ", "　", "**", "<!-- a -->",
]  # fmt: skip


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("label", LABELS)
def test_a_label_is_known_behind_any_lead(label: str, lead: str) -> None:
    text = lead + label.replace("_", " ")
    assert is_label(text, 0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "それは議題1",
        "費用は12",
        "申請する1",
        "We met in 12",
        "It was 1998",
        "$5",
        "5%",
        "完了",
        "API",
        "the end",
        "3は5",
        "",
    ],
)
def test_the_end_of_a_sentence_is_no_label(text: str) -> None:
    assert not is_label(text, 0, len(text))


def test_a_number_in_front_of_a_line_is_a_label_though_its_sentence_began_before() -> None:
    text = "手順は\n1-1. 開く"
    assert is_label(text, 0, text.index("."))
    text = "as in Listing\n16-12. The end"
    assert not is_label(text, 0, text.index("."))


@given(st.text(alphabet="<>&;a1. 　・*[]章-", max_size=2000))
def test_any_text_is_told_about(text: str) -> None:
    for place in range(0, len(text), 97):
        assert is_label(text, 0, place) in (True, False)


@given(st.integers(1, 99))
def test_kanji_numbers_are_read_as_others(number: int) -> None:
    digits = "〇一二三四五六七八九"
    tens, ones = divmod(number, 10)
    written = ("" if not tens else ("" if tens == 1 else digits[tens]) + "十") + (digits[ones] if ones else "")
    assert ("kanji", number) in ordinals(written)
    assert ordinals(str(number)) == [("number", number)]
