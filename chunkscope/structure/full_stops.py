"""Whether a full stop belongs to the word before it: an abbreviation, an initial, an ordinal, a citation, a date."""

from __future__ import annotations

import re
import unicodedata

from chunkscope.structure.abbreviations import (
    ALWAYS_GO_ON,
    BEFORE_NUMBERS,
    CITED,
    LOWER_CASE_OPENERS,
    MAY_END,
    MAY_END_IF_CAPITAL,
    ORDINALS_FOLLOW,
    ORDINALS_PRECEDE,
    SENTENCE_OPENERS,
    TITLES,
)
from chunkscope.structure.marks import KANA_KANJI
from chunkscope.structure.patterns import lazily

NEAR = 24
"""So many characters before the mark are looked at."""
DATE_LENGTH = 16

OPENER = lazily(rf"[\"'“‘(（*_]*(?:{'|'.join(SENTENCE_OPENERS)})(?![\w.])")
"""A word that sentences begin with, and names do not."""
OPENER_IN_LOWER_CASE = lazily(rf"[\"'“‘(（*_]*(?:{'|'.join(LOWER_CASE_OPENERS)})(?![\w.])")

_KNOWN = ALWAYS_GO_ON | TITLES | BEFORE_NUMBERS | CITED | MAY_END | MAY_END_IF_CAPITAL
_JAPANESE = lazily(f"[{KANA_KANJI}]")
_WORD_BACKWARDS = lazily(r"[^\W_]*(?:[.&°．][^\W_]*)*")
_INITIALS = lazily(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")
_NUMBER = lazily(r"[#(\[§¶]{0,2}[ \u00a0]?(?:[0-9０-９]|[IVXLC]{2,}\b)|[B-HJ-Z]\b(?!['’])|[AI](?=[.,;:)])")
_NUMBER_IN_FRONT_OF_LINE = lazily(r"[\r\n][ \t>]*[0-9]{1,2}")
_ORDINAL = lazily(rf"(?<!\bI )\b(?i:{'|'.join(ORDINALS_PRECEDE)})[ \u00a0][0-9]{{1,2}}\Z")
_ORDINAL_FOLLOWS = lazily(rf"(?:{'|'.join(ORDINALS_FOLLOW)})\b")
_LETTER_AND_STOP = lazily(r"(?:[^\W\d_]|Chr|Zt)\.")
_BEHIND_LETTER = lazily(r"(?<!\w)[^\W\d_]\.[ \u00a0]")
_CITED_NEXT = lazily(
    r"([A-Z][a-z]{0,7})\.|§|[0-9]+(?:d|nd|rd|th)\b|(?P<number>[0-9])|vs?\.\s|(?:Code|Laws?|Rules?|Stat)\b"
    r"|(?:App|Att|Dep|Int|Nat|Ass|Comm)['’](?:x|y|t|l|n)\b"
)
_ERAS = "令和|平成|昭和|大正|明治"
_YEAR = rf"(?:(?<![0-9])[12][0-9]{{3}}|(?:{_ERAS}) ?[0-9元]{{1,2}}|(?<![A-Za-z])[MTSHRmtshr][0-9]{{1,2}})"
_MONTH, _DAY = "(?:0?[1-9]|1[0-2])", "(?:0?[1-9]|[12][0-9]|3[01])"
_DATE = lazily(
    "|".join(
        rf"{_YEAR}\. ?{_MONTH}\. ?{_DAY}(?:\.(?= ?[가-힣(])|(?!\.?[0-9]))"
        rf"|(?<![0-9.]){_DAY}\.{gap}{_MONTH}\.{gap}[12][0-9]{{3}}(?![0-9])"
        for gap in ("", " ")
    )
    + rf"|(?:{_ERAS}) ?[0-9元]{{1,2}}\. ?{_MONTH}(?![0-9])"
)
_AS_ASCII = str.maketrans("０１２３４５６７８９．\u00a0\u3000", "0123456789.  ")


def is_abbreviation(text: str, mark: int, boundary: int, opener: re.Pattern[str]) -> bool:
    """Tell whether the full stop at `mark` belongs to the word before it, and the sentence goes on at `boundary`."""
    word = word_before(text, mark)
    lower = word.lower()
    if lower not in _KNOWN and len(word) > 1 and "." not in word and not word.isdigit():
        return False  # most words
    if len(word) == 1 and word.islower():
        is_second = mark > 3 and _BEHIND_LETTER.match(text, mark - 4)
        if _LETTER_AND_STOP.match(text, boundary) or (is_second and not opener.match(text, boundary)):
            return True
    if word[:1].isupper() and _is_cited(text, boundary, lower):
        return True
    if len(word) == 1 and word.isupper():
        return _is_initial(text, mark) and not opener.match(text, boundary)
    if word.isdigit():
        return len(word) <= 2 and (_is_number_in_front_of_line(text, mark) or _is_ordinal(text, mark, boundary, opener))
    is_capital = word[:1].isupper() or opener is OPENER_IN_LOWER_CASE
    if lower in ALWAYS_GO_ON or (lower in TITLES and is_capital):
        return True
    if lower in BEFORE_NUMBERS and _NUMBER.match(text, boundary):
        return True
    before = max(mark - len(word) - 1, 0)
    is_initials = _INITIALS.fullmatch(word) and text[before] not in "@/"
    may_end = lower in MAY_END or (lower in MAY_END_IF_CAPITAL and is_capital) or is_initials
    return bool(may_end) and not opener.match(text, boundary)


def _is_ordinal(text: str, mark: int, boundary: int, opener: re.Pattern[str]) -> bool:
    """Tell whether the number before the mark is an ordinal of German and its kin: am 3. Juni, im 19. Jahrhundert."""
    if _ORDINAL_FOLLOWS.match(text, boundary):
        return True
    return bool(_ORDINAL.search(text, max(mark - NEAR, 0), mark)) and not opener.match(text, boundary)


def _is_cited(text: str, boundary: int, word: str) -> bool:
    """Tell whether a citation goes on behind its abbreviated word, with a number or with another: 12 F. Supp. 3d."""
    if not (word in CITED or word in MAY_END or len(word) == 1):
        return False
    following = _CITED_NEXT.match(text, boundary)
    if not following or (following["number"] and len(word) == 1):  # plan A. 3 people
        return False
    other = (following[1] or "v").lower()
    return len(other) == 1 or other in CITED or other in MAY_END


def _is_initial(text: str, mark: int) -> bool:
    """Tell a name's initial from the last letter of a path, and from a unit as in '5 V.'"""
    before = text[max(mark - 3, 0) : mark - 1]
    if before[-1:].isspace():
        return not before[:-1].isdigit()
    return not before or before[-1] in "(（\"'“‘「『[*_" or bool(_JAPANESE.match(before[-1]))


def _is_number_in_front_of_line(text: str, mark: int) -> bool:
    start = max(mark - NEAR, 0)
    line = max(text.rfind("\n", start, mark), text.rfind("\r", start, mark))
    return line >= 0 and bool(_NUMBER_IN_FRONT_OF_LINE.fullmatch(text, line, mark))


def word_before(text: str, mark: int) -> str:
    """Give the word that ends at `mark`, without Japanese; full-width letters as ASCII."""
    backwards = text[max(mark - NEAR, 0) : mark][::-1]
    word = _WORD_BACKWARDS.match(backwards).group()[::-1]  # type: ignore[union-attr]
    if word.isascii():
        return word.strip(".&")
    return _JAPANESE.split(unicodedata.normalize("NFKC", word))[-1].strip(".&")


def announces_number(text: str, mark: int, behind: int) -> bool:
    """Tell whether the word before the mark announces the number that stands at `behind`: ref. [4]."""
    return word_before(text, mark).lower() in BEFORE_NUMBERS and bool(_NUMBER.match(text, behind))


def is_in_date(text: str, mark: int) -> bool:
    """Tell whether a full stop parts the year, month and day of a date: 2024. 4. 1, H30. 12. 1, 令和6. 4. 1."""
    if not text[mark - 1 : mark].isdigit() and text[mark - 1 : mark] != "元":
        return False
    following = text[mark + 1 : mark + 3].strip()[:1]
    if not (following.isdigit() or following == "(" or "가" <= following <= "힣"):
        return False  # most numbers: a twentieth of what the sentences of a manual take
    start = max(mark - DATE_LENGTH, 0)
    around = text[start : mark + DATE_LENGTH].translate(_AS_ASCII)
    return any(found.start() < mark - start < found.end() for found in _DATE.finditer(around))
