"""Flags of characters agree with the Unicode categories; blank runs with a loop."""

from __future__ import annotations

import sys
import unicodedata

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from chunkscope.structure.characters import (
    BLANK,
    DIGIT,
    HIRAGANA,
    JAPANESE,
    KANJI,
    KATAKANA,
    LETTER,
    MARK,
    character_flags,
    code_points,
    runs,
)
from chunkscope.structure.joined import JoinedTexts, blank_runs


def blanks_of(text: str) -> list[list[int]]:
    return blank_runs(JoinedTexts([text]))[0].tolist()


def flags_of(text: str) -> list[int]:
    return character_flags(code_points(text)).tolist()


@given(st.one_of(texts(), st.text()))
def test_there_is_a_code_point_for_each_character(text: str) -> None:
    assert code_points(text).tolist() == [ord(character) for character in text]


def test_half_a_surrogate_pair_is_a_code_point_too() -> None:
    assert code_points("a\ud800b").tolist() == [97, 0xD800, 98]
    assert blanks_of("\ud800 ") == [[1, 2]]


def test_flags_agree_with_the_categories_of_all_characters() -> None:
    everything = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    flags = character_flags(everything)
    categories = [unicodedata.category(chr(point)) for point in range(sys.maxunicode + 1)]
    is_blank = np.array([category[0] == "Z" or category in ("Cc", "Cf") for category in categories])
    is_digit = np.array([category == "Nd" for category in categories])
    is_mark = np.array([category[0] == "M" for category in categories])
    is_letter = np.array([category[0] == "L" for category in categories])
    assert (((flags & BLANK) != 0) == is_blank).all()
    assert (((flags & DIGIT) != 0) == is_digit).all()
    assert ((flags & (MARK | JAPANESE))[is_mark] != 0).all()
    assert ((flags & (LETTER | JAPANESE))[is_letter] != 0).all()
    assert ((flags & JAPANESE == 0) | (flags & LETTER == 0)).all()


def test_kana_and_kanji_are_told_apart() -> None:
    assert all(flags & HIRAGANA for flags in flags_of("ぁんゔゝゞゟ"))
    assert all(flags & KATAKANA for flags in flags_of("ァヴーヶヽヾｱｰﾞﾟㇰ"))
    assert all(flags & KANJI for flags in flags_of("鮪々〆〇㐀豈𠮷⼀"))
    assert not any(flags & JAPANESE for flags in flags_of("aａ１・、。「」〜￥한ก😀"))


def test_what_changes_the_character_before_it_is_a_mark() -> None:
    assert all(flags & MARK for flags in flags_of("\u3099\u0301\ufe0f\u200d\u00ad\U000e0100🏽ﾞ"))
    assert not any(flags & MARK for flags in flags_of("\u200b ー々\n"))


@given(st.lists(st.one_of(texts(), st.text(), st.text(" \n\u200b甲"))))
def test_blank_runs_are_the_longest_runs_of_blank_characters_of_each_text(written: list[str]) -> None:
    found = blank_runs(JoinedTexts(written))
    assert len(found) == len(written)
    for text, spans in zip(written, found, strict=True):
        expected: list[list[int]] = []
        for place, character in enumerate(text):
            category = unicodedata.category(character)
            if category[0] == "Z" or category in ("Cc", "Cf"):
                if expected and expected[-1][1] == place:
                    expected[-1][1] = place + 1
                else:
                    expected.append([place, place + 1])
        assert spans.tolist() == expected


def test_runs_of_nothing_are_an_empty_span_array() -> None:
    assert runs(np.zeros(0, dtype=np.bool_)).shape == (0, 2)
    assert [found.shape for found in blank_runs(JoinedTexts(["", ""]))] == [(0, 2), (0, 2)]
