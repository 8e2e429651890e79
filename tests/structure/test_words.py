"""Words and numbers, against a loop over characters; Japanese words as fugashi gives them."""

from __future__ import annotations

import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import fugashi
import numpy as np
import pytest
import unidic_lite
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import texts

from chunkscope import errors
from chunkscope.structure import words as words_module
from chunkscope.structure.characters import JAPANESE, character_flags, code_points
from chunkscope.structure.joined import JoinedTexts
from chunkscope.structure.words import Segmenter, read_words, shared_segmenter, words_of

HOSTILE = st.one_of(
    texts(),
    st.text(max_size=40),
    st.lists(
        st.sampled_from([*"aé1１漢かカーｶﾞ㎡㍿№①㌔⾼.,:'’．_-/\u3099\u0301\ufe0f\u200d\u200b\u00ad 🇯🇵😀🏽ก한\r\n\x00"])
    ).map("".join),
)


def spelled(text: str) -> list[str]:
    found = words_of(text)
    bounds = [*found.starts.tolist(), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def kind(character: str) -> str:
    """What a character is, by its category alone: j(apanese), d(igit), l(etter), m(ark), b(lank), o(ther)."""
    category = unicodedata.category(character)
    if character_flags(code_points(character))[0] & JAPANESE:
        return "j"
    if category == "Nd":
        return "d"
    stands_for = unicodedata.normalize("NFKC", character) if category in ("So", "No") else ""
    is_one_sign = unicodedata.decomposition(character).startswith(("<square>", "<compat>"))
    if category[0] == "L" or category in ("Nl", "Pc") or (is_one_sign and any(map(str.isalnum, stands_for))):
        return "l"
    if category[0] == "M" or (category == "Cf" and character != "\u200b") or "\U0001f3fb" <= character <= "\U0001f3ff":
        return "m"
    return "b" if category[0] == "Z" or category in ("Cc", "Cf") else "o"


def slow_words(text: str) -> tuple[list[bool], list[bool], list[int]]:
    """The same in one loop; runs of Japanese are asked for one by one."""
    n = len(text)
    own = ["m" if c in "ﾞﾟ" else kind(c) for c in text]
    base = [kind(c) for c in text]
    for p in range(n):
        base[p] = ("b" if p == 0 else base[p - 1]) if own[p] == "m" else base[p]
    inside, number = [False] * (n + 1), [False] * (n + 1)
    for p in range(1, n):
        inside[p] = base[p - 1] in "dl" and base[p] in "dl"
        number[p] = base[p - 1] == base[p] == "d"
    for p in range(1, n - 1):
        around = {base[p - 1], base[p + 1]}
        if (around == {"l"} and text[p] in ".'’．＇") or (around == {"d"} and text[p] in ".,:/．，：／"):
            inside[p] = inside[p + 1] = True
        if around == {"d"} and text[p] in ".,:/．，：／":
            number[p] = number[p + 1] = True
    p = 0
    while p < n:
        end = p
        while end < n and base[end] == "j":
            end += 1
        if end > p:
            inside[p:end] = [not start for start in shared_segmenter().word_starts([text[p:end]]).tolist()]
        p = max(end, p + 1)
    flags = 0
    for p in range(n):
        flags = flags + 1 if "\U0001f1e6" <= text[p] <= "\U0001f1ff" else 0
        after_control = p > 0 and unicodedata.category(text[p - 1]) == "Cc"
        if p and ((own[p] == "m" and not after_control) or (flags and flags % 2 == 0)):
            inside[p] = True
        if p and text[p - 1] == "\u200d" and unicodedata.category(text[p])[0] != "Z" and own[p] != "b":
            blank = unicodedata.category(text[p]) in ("Cc", "Cf")
            inside[p] = inside[p] or not blank
    starts = [p for p in range(n) if base[p] in "jdl" and not inside[p]]
    return inside, number, starts


@given(HOSTILE)
@example("👩\u200d👩\u200d👧です")
@example("か\u3099きく\u0301")
def test_words_are_those_of_a_loop_over_the_characters(text: str) -> None:
    found = words_of(text)
    inside, number, starts = slow_words(text)
    assert found.inside.tolist() == inside
    assert found.in_number.tolist() == number
    assert found.starts.tolist() == starts


@given(st.lists(HOSTILE, max_size=4))
@example(["ﾞ", "か", "\u3099\u200d", "👧🇯", "🇵1", ".2"])
def test_words_of_joined_texts_are_those_of_each_alone(texts: list[str]) -> None:
    for found, text in zip(read_words(JoinedTexts(texts)), texts, strict=True):
        inside, number, starts = slow_words(text)
        assert (found.inside.tolist(), found.in_number.tolist(), found.starts.tolist()) == (inside, number, starts)


@given(HOSTILE)
def test_numbers_lie_inside_words_and_words_start_outside(text: str) -> None:
    found = words_of(text)
    assert found.inside.shape == found.in_number.shape == (len(text) + 1,)
    assert not found.inside[[0, len(text)]].any()
    assert not (found.in_number & ~found.inside).any()
    assert not found.inside[found.starts].any()
    assert (np.diff(found.starts) > 0).all()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can't stop", ["can't ", "stop"]),
        ("see example.org.", ["see ", "example.org."]),
        ("12,000円", ["12,000", "円"]),
        ("１２，０００円と3.14", ["１２，０００", "円", "と", "3.14"]),
        ("at 12:30 a_b", ["at ", "12:30 ", "a_b"]),
        ("Python入門3章", ["Python", "入門", "3", "章"]),
        ("well-known", ["well-", "known"]),
        ("v2.1 a.1", ["v2.1 ", "a.", "1"]),
        ("東京都に住む人々", ["東京", "都", "に", "住む", "人々"]),
        ("ﾃﾞｰﾀとデータ", ["ﾃﾞｰﾀ", "と", "データ"]),
        ("cafe\u0301s", ["cafe\u0301s"]),
        ("co\u00adop", ["co\u00adop"]),
        ("a\u200bb", ["a\u200b", "b"]),
    ],
)
def test_words_are_what_people_take_for_words(text: str, expected: list[str]) -> None:
    assert spelled(text) == expected


def test_punctuation_and_emoji_are_no_words_but_joined_ones_are_not_cut() -> None:
    text = "、😀 👩\u200d👧!👍🏽🇯🇵🇫🇷1\ufe0f\u20e3"
    found = words_of(text)
    assert found.starts.tolist() == [text.index("1")]
    inside = {text[p - 1 : p + 1] for p in np.flatnonzero(found.inside)}
    assert inside == {"👩\u200d", "\u200d👧", "👍🏽", "🇯🇵", "🇫🇷", "1\ufe0f", "\ufe0f\u20e3"}


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("か\u3099く", [1]),
        ("ﾄﾞﾙﾊﾟ", [1, 4]),
        ("cafe\u0301s", [4]),
        ("❤\ufe0f。", [1]),
        ("👍🏽👩\u200d👧", [1, 3, 4]),
        ("🇯🇵🇫🇷", [1, 3]),
        ("co\u00adop", []),
        ("漢字12,000", []),
        ("\u3099あ", []),
    ],
)
def test_a_cut_before_a_mark_is_inside_a_character(text: str, parted: list[int]) -> None:
    assert np.flatnonzero(words_of(text).in_character).tolist() == parted


@given(HOSTILE)
def test_what_is_inside_a_character_is_inside_a_word(text: str) -> None:
    found = words_of(text)
    assert not (found.in_character & ~found.inside).any()
    for place in np.flatnonzero(found.in_character).tolist():
        is_flag = "\U0001f1e6" <= text[place] <= "\U0001f1ff"
        is_mark = unicodedata.category(text[place])[0] == "M" or text[place] in "ﾞﾟ\u200d"
        assert is_mark or is_flag or text[place - 1] == "\u200d" or "\U0001f3fb" <= text[place] <= "\U0001f3ff"


def test_decomposed_kana_make_the_same_words_as_composed() -> None:
    composed = "データベースのバックアップ手順が変わった"
    decomposed = unicodedata.normalize("NFD", composed)
    assert [unicodedata.normalize("NFC", word) for word in spelled(decomposed)] == spelled(composed)


@given(st.text(alphabet="東京都に住む人々アイスクリームー〆切ヽ", max_size=30))
def test_japanese_words_are_those_of_fugashi(run: str) -> None:
    tagger = fugashi.GenericTagger(f'-Owakati -r "{unidic_lite.DICDIR}/mecabrc" -d "{unidic_lite.DICDIR}"')
    found = np.flatnonzero(Segmenter().word_starts([run])) if run else np.empty(0)
    place, expected = 0, []
    for word in tagger.parse(run).split(" ") if run else []:
        expected.append(place)
        place += len(word)
    assert found.tolist() == expected


HALF_WIDTH = dict(zip("アイウカキクサシスタチツテトナハマラリルレロンー", "ｱｲｳｶｷｸｻｼｽﾀﾁﾂﾃﾄﾅﾊﾏﾗﾘﾙﾚﾛﾝｰ", strict=True)) | {
    "ガ": "ｶﾞ",
    "ド": "ﾄﾞ",
    "バ": "ﾊﾞ",
    "パ": "ﾊﾟ",
}


@given(st.text(alphabet=[*HALF_WIDTH, *"東京の本"], max_size=30))
@example("バーコード")
def test_half_width_kana_make_the_words_that_full_width_make(text: str) -> None:
    narrow = "".join(HALF_WIDTH.get(character, character) for character in text)
    assert [unicodedata.normalize("NFKC", word) for word in spelled(narrow)] == spelled(text)


@pytest.mark.parametrize("character", [*"あアー漢", "か\u3099"])
def test_a_run_without_end_is_divided_in_time(character: str) -> None:
    text = character * (100_000 // len(character))
    begin = time.perf_counter()
    found = words_of(text)
    assert time.perf_counter() - begin < 8
    assert found.starts[0] == 0
    assert (np.diff(found.starts) < 200).all()


def test_a_long_text_has_the_words_of_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    run = "東京都に住む人々は歩いて公園に行くことが多いという話を聞いた" * 20
    expected = Segmenter().word_starts([run]).tolist()
    monkeypatch.setattr(words_module, "LONGEST_PIECE", 100)
    assert Segmenter().word_starts([run]).tolist() == expected


def test_a_segmenter_asks_once_for_a_run_and_forgets_beyond_its_bound() -> None:
    segmenter = Segmenter(remembered=2)
    asked: list[str] = []
    parse = segmenter._parse
    segmenter._parse = lambda run: (asked.append(run), parse(run))[1]
    for run in ("東京", "大阪", "東京", "名古屋", "東京", "大阪"):
        read_words(JoinedTexts([f"{run}。"]), segmenter)
    assert asked == ["東京", "大阪", "名古屋", "東京", "大阪"]


def test_a_missing_dictionary_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "unidic_lite", None)
    with pytest.raises(errors.MissingPartError, match="pip install fugashi unidic-lite") as caught:
        Segmenter()
    assert "\n" not in str(caught.value)


def test_a_broken_dictionary_is_one_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unidic_lite, "DICDIR", "/nowhere")
    with pytest.raises(errors.MissingPartError, match="/nowhere") as caught:
        Segmenter()
    assert "\n" not in str(caught.value)


def test_threads_may_share_a_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "LONGEST_REMEMBERED", 2)
    segmenter = Segmenter(remembered=1)
    runs = ["東京都", "に", "住む", "人々", "大阪府", "で", "働く"]
    expected = segmenter.word_starts(runs).tolist()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: segmenter.word_starts(runs).tolist(), range(400)))
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 400
