"""What the dictionary says of a few words at a place in doubt: a particle, a unit, a name, a line that goes on."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from chunkscope.structure.patterns import lazily
from chunkscope.structure.words import load_tagger

NEAR = 12
"""So many characters on either side of a place tell what stands there."""

_NOUN = "甲"  # the dictionary knows a particle best behind a noun, and a unit behind a number
_NUMBER = "5"
_CAPITALISED = lazily("[A-Z][a-z]{2}")  # a word, and not Hz or Pa
_LEMMA = 1
"""Its place behind the first six of unidic's fields."""
_GO_ON = ("助詞", "接続詞", "連体詞", "接頭辞", "副詞")
_UNFINISHED = ("未然形", "連用形", "仮定形")
_NAMES = ("名詞", "代名詞", "接頭辞", "接尾辞", "形状詞", "記号", "補助記号", "連体詞")


class Morpheme(NamedTuple):
    """A word as the dictionary has it: as written, its part of speech with two finer ones, the form of its ending.

    Its lemma is empty where the dictionary does not know it.
    """

    surface: str
    kind: str
    finer: str
    finest: str
    form: str
    lemma: str


@lru_cache(maxsize=1 << 14)
def morphemes(text: str) -> tuple[Morpheme, ...]:
    """Analyse a few words.

    Raises
    ------
    MissingPartError
        fugashi or unidic-lite is not installed.

    Examples
    --------
    >>> [(word.surface, word.kind) for word in morphemes("甲が")]
    [('甲', '名詞'), ('が', '助詞')]
    """
    found = []
    for word in load_tagger()(unicodedata.normalize("NFKC", text)):
        kind, finer, finest, _, _, form, *others = word.feature
        found.append(Morpheme(word.surface, kind, finer, finest, form, "" if word.is_unk else others[_LEMMA]))
    return tuple(found)


def goes_on(before: str) -> bool:
    """Tell whether Japanese that ends so needs something to follow: a particle, a conjunction, a verb's stem.

    Examples
    --------
    >>> [goes_on(text) for text in ("部長、課長及び", "甲が", "申請し", "できますか", "代理人", "届け出る")]
    [True, True, True, False, False, False]
    """
    found = morphemes(before[-NEAR:])
    if not found:
        return False
    last = found[-1]
    if last.kind in _GO_ON:
        # か ends a question, whatever kind of particle it is taken for
        return last.finer != "終助詞" and last.surface not in ("か", "など", "等", "のみ", "まで")
    is_adnominal = last.kind == "助動詞" and last.surface == "な"
    return is_adnominal or last.form.startswith(_UNFINISHED)


def begins_with_particle(behind: str) -> bool:
    """Tell whether what stands behind a noun begins with a particle or an auxiliary.

    Examples
    --------
    >>> [begins_with_particle(text) for text in ("に掲げる者", "を参照", "まで", "はじめに", "より詳しく", "日時")]
    [True, True, True, False, False, False]
    """
    if not "ぁ" <= behind[:1] <= "ゖ":
        return False
    first, *others = morphemes(_NOUN + behind[:NEAR])
    is_particle = first.surface == _NOUN and bool(others) and others[0].kind in ("助詞", "助動詞")
    return is_particle and morphemes(behind[:NEAR])[0].kind != "副詞"


def begins_with_conjunction(text: str) -> bool:
    """Tell whether Japanese begins with a conjunction, as a proviso does.

    Examples
    --------
    >>> begins_with_conjunction("ただし、上限とする"), begins_with_conjunction("予算を")
    (True, False)
    """
    found = morphemes(text[:NEAR])
    return bool(found) and found[0].kind == "接続詞"


def begins_with_unit(behind: str) -> bool:
    """Tell whether what stands behind a number counts or measures something.

    Examples
    --------
    >>> [begins_with_unit(text) for text in ("年 4 月", "倍", "名で", "円", "％", "日時", "目的", "概要")]
    [True, True, True, True, True, False, False, False]
    """
    if behind[:1] in "%％‰℃°":
        return bool(behind)
    if _CAPITALISED.match(behind):
        return False
    alone, counted = morphemes(behind[:NEAR]), morphemes(_NUMBER + behind[:NEAR])
    if not alone or len(counted) < 2 or counted[0].surface != _NUMBER:
        return False
    unit = counted[1]
    is_unit = "助数詞" in unit.finest or unit.kind == "接尾辞" or unit.finer == "数詞"
    return is_unit and len(alone[0].surface) <= len(unit.surface)


def is_name(text: str) -> bool:
    """Tell whether Japanese is a name of something: nouns, and の between them.

    Examples
    --------
    >>> [is_name(text) for text in ("議題", "会議の日時", "その", "それは議題", "申請する", "以下のとおり")]
    [True, True, True, False, False, True]
    """
    return all(word.kind in _NAMES or word.surface in ("の", "・") for word in morphemes(text))
