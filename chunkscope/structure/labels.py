"""Labels: what stands in front of a sentence and names it: ``1.``, ``Q1.``, ``第1章.``, ``（ア）``, ``議題1.``.

A label is never parted from what it labels, whatever stands before it: tags, bullets, boxes, signs.
"""

# ruff: noqa: SIM905  words in a row are easier to read and to add to than a list of literals

from __future__ import annotations

import unicodedata
from functools import lru_cache

from chunkscope.structure.abbreviations import LABEL_WORDS
from chunkscope.structure.morphemes import is_name
from chunkscope.structure.patterns import lazily

LABEL_NOUNS = (
    *LABEL_WORDS,
    *(
        "Topic Issue Point Task Lesson Unit Module Scene Act Book Volume Option Scenario Requirement Answer Objective "
        "Goal Principle Reason Tip Level Stage Round Method Finding Recommendation Footnote Claim Order Number No "
        "Schritt Kapitel Abschnitt Artikel Teil Abbildung Tabelle Frage Beispiel Übung Satz Anhang "
        "Étape Chapitre Partie Tableau Exemple Annexe Exercice "
        "Paso Capítulo Sección Artículo Parte Figura Tabla Ejemplo Pregunta Passo Capitolo Articolo"
    ).split(),
)
"""English words, and some of other languages, that a number makes a label of."""

NOUNS_ALONE = (
    "問|答|設問|質問|回答|解答|解説|例|例文|注|注意|注記|備考|補足|補注|参考|付記|追記|訳注|凡例|出典|答え|問い"
)
"""Japanese words that are labels without a number, too."""

LABEL_LENGTH = 24
LEAD_LENGTH = 1000
"""The tags and signs in front of a label are looked through so far."""

_BLANK = r"\s\x00-\x1f\x7f-\x9f\u200b\ufeff"
# what no label has in front of it: words, end marks, and signs that belong to a number
_LEAD = lazily(
    rf"(?:</?[A-Za-z][^<>]{{0,400}}>|&(?:\w{{2,8}}|\#[0-9]{{1,5}});|<!--[^<>]{{0,200}}-->|\[[ xX]\]|[{_BLANK}_]"
    r"|[^\w\s。｡！？．.!?…‥‼⁇⁈⁉$€£¥￥%‰=<±×÷/\\@&'’])*+",
)
_NUMBER = "[0-9０-９]{1,3}"
_PARTS = rf"(?:[.．\-－‐]{_NUMBER})*"
_KANJI = "[一二三四五六七八九十百]{1,4}"
_BLANK_WITHIN = "[ \u3000\u00a0]?"
_COUNTER = "[章条節項編部款号回課目則巻段話]"
_CORE = (
    rf"{_NUMBER}{_PARTS}[A-Za-zＡ-Ｚａ-ｚ]?"
    rf"|第?{_BLANK_WITHIN}(?:[0-9０-９]{{1,4}}|{_KANJI}){_BLANK_WITHIN}{_COUNTER}(?:の{_NUMBER}|の{_KANJI})*|第?{_KANJI}"
    rf"|第{_BLANK_WITHIN}{_NUMBER}{_PARTS}"
    rf"|[A-Za-zＡ-Ｚａ-ｚ](?:[.．\-－‐]?{_NUMBER})?{_PARTS}|[ivxIVX]{{1,5}}|[Ⅰ-ⅿ]{{1,2}}"
    r"|[①-⓿❶-➓㊀-㊿㈠-㈩⑴-⒛⒜-ⓩ]|[ぁ-んァ-ヶｱ-ﾝ]|[甲乙丙丁]"
    r"|제 ?[0-9]{1,3} ?[조장절항호]|[0-9]{1,3}단계|[가나다라마바사아자차카타파하]"
)
_NOUN = "[一-鿿々〆㐀-䶿ァ-ヺーｦ-ﾟぁ-ゖ\u3099\u309a]{1,8}"
_LABEL = lazily(
    rf"(?:(?:注|{'|'.join(LABEL_WORDS)}){_BLANK_WITHIN})?(?:{_CORE})"
    rf"|(?i:{'|'.join(LABEL_NOUNS)})\.?{_BLANK_WITHIN}(?:{_NUMBER}{_PARTS}[A-Za-z]?|[IVXivx]{{1,5}}|[A-Z])"
    rf"|{NOUNS_ALONE}"
)
_NOUN_LABEL = lazily(
    rf"({_NOUN}){_BLANK_WITHIN}[(（「【［\[]?(?:第?{_BLANK_WITHIN}(?:{_NUMBER}{_PARTS}|{_KANJI}){_BLANK_WITHIN}{_COUNTER}?|[①-⑳])"
)
_CLOSERS = ")）]】］〕〉》＞}｝*_`\\"
_HAS_LETTER = lazily(r"[^\W_]")


def is_label(text: str, start: int, mark: int) -> bool:
    r"""Tell whether nothing but a label stands between the start of a sentence, or of a line of it, and a full stop.

    On a line in a sentence a letter by itself, or a noun, may be the last word of that sentence.

    Examples
    --------
    >>> [is_label(text, 0, text.index(".")) for text in ("<p>1. 電源", "・1. 電源", "議題1. 予算", "それは議題1. 次")]
    [True, True, True, False]
    >>> text = "See section\n4. The end of\nAPI. Next"
    >>> is_label(text, 0, text.index(".")), is_label(text, 0, text.index(". Next"))
    (True, False)
    """
    return _is_label_of_sentence(text, start, mark) or _is_label_of_line(text, start, mark)


def _is_label_of_sentence(text: str, start: int, mark: int) -> bool:
    if mark - start > LABEL_LENGTH and not _is_led(text, start, mark):
        return False
    begin = _LEAD.match(text, start, mark).end()  # type: ignore[union-attr]
    end = mark
    while end > begin and text[end - 1] in _CLOSERS:
        end -= 1
    if not begin < end <= begin + LABEL_LENGTH:
        return False
    if _LABEL.fullmatch(text, begin, end):
        return True
    noun = _NOUN_LABEL.fullmatch(text, begin, end)
    return noun is not None and len(noun[1]) <= 8 and is_noun(noun[1])


def _is_label_of_line(text: str, start: int, mark: int) -> bool:
    since = max(mark - LABEL_LENGTH, start)
    line = max(text.rfind("\n", since, mark), text.rfind("\r", since, mark)) + 1
    if line <= start:
        return False
    return bool(_SHORT_NUMBER.fullmatch(text, line, mark)) or (
        bool(_NUMBERED.fullmatch(text, line, mark)) and bool(_JAPANESE_NEXT.match(text, mark + 1))
    )


_SHORT_NUMBER = lazily(r"[ \t>]*[QA]?[0-9]{1,2}")
_JAPANESE_NEXT = lazily(r"[ \t\u3000\xa0]*[「『（【々ぁ-ゖァ-ヺ一-鿿]")
_NUMBERED = lazily(
    rf"[ \t\u3000\xa0>*・•\-]*(?:[QAＱＡ]?{_NUMBER}{_PARTS}|[A-Z][-－]{_NUMBER}|第{_NUMBER}{_COUNTER}"
    rf"|[(（]{_NUMBER}[)）]|[①-⓿❶-➓㊀-㊿㈠-㈩⑴-⒛⒜-ⓩ]|[Ⅰ-ⅿ]{{1,2}}|[ァ-ヶ])"
)


@lru_cache(maxsize=1 << 12)
def is_noun(text: str) -> bool:
    """Tell whether a few kanji and kana are a noun, without a particle or a verb.

    Examples
    --------
    >>> is_noun("議題"), is_noun("その"), is_noun("それは議題")
    (True, True, False)
    """
    plain = unicodedata.normalize("NFC", text)
    return not any("ぁ" <= character <= "ゖ" for character in plain) or is_name(plain)


def _is_led(text: str, start: int, mark: int) -> bool:
    """Tell cheaply whether tags or entities may stand in front of a label: few sentences begin with them."""
    if mark - start > LEAD_LENGTH:
        return False
    first = _HAS_LETTER.search(text, start, mark)
    return first is not None and (text[first.start() - 1] in "</&#" or mark - first.start() <= LABEL_LENGTH)


_KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_HIRAGANA = "あいうえおかきくけこさしすせそたちつてとなにぬねの"
_KANJI_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")}
_ROMAN = {name: value for value, name in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv".split(), 1)}


def ordinals(token: str) -> list[tuple[str, int]]:
    """Give what a number, letter or kana may stand for in a series, as pairs of a system and a place in it.

    Examples
    --------
    >>> ordinals("12"), ordinals("十二"), ordinals("イ"), ordinals("i")
    ([('number', 12)], [('kanji', 12)], [('kana', 2), ('iroha', 1)], [('letter', 9), ('roman', 1)])
    """
    if token.isdecimal():
        return [("number", int(token))]
    found = [
        (system, alphabet.index(token) + 1)
        for system, alphabet in (("kana", _KANA), ("iroha", _IROHA), ("hiragana", _HIRAGANA))
        if len(token) == 1 and token in alphabet
    ]
    if len(token) == 1 and token.isascii() and token.isalpha():
        found.append(("letter", ord(token.lower()) - ord("a") + 1))
    if token.lower() in _ROMAN:
        found.append(("roman", _ROMAN[token.lower()]))
    if token and all(character in _KANJI_DIGITS or character in "十百" for character in token):
        found.append(("kanji", _kanji_value(token)))
    return found


def _kanji_value(token: str) -> int:
    total, digit = 0, 0
    for character in token:
        if character in "十百":
            total += (digit or 1) * (10 if character == "十" else 100)
            digit = 0
        else:
            digit = digit * 10 + _KANJI_DIGITS[character]
    return total + digit
