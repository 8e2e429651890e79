"""Where sentences start.

Blocks are boundaries always. Inside a block of prose the end marks decide: the wide ones (``。！？`` and those of
other scripts) by themselves, the ASCII ones where white space or Japanese follows and the word before is no
abbreviation, number or list label. A sentence takes along what follows its end mark: further marks, closing quotes and
brackets, reference marks and white space. Nothing ends inside brackets or quotes that close in the same block, nor
behind a closing bracket if a particle goes on (``「はい。」と言った``). Code lines, table rows and front matter are whole.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from chunkscope.spans import IntArray, Span, union
from chunkscope.structure.abbreviations import (
    ALWAYS_GO_ON,
    BEFORE_NUMBERS,
    MAY_END,
    MAY_END_IF_CAPITAL,
    NAMES_WITH_MARKS,
    SENTENCE_OPENERS,
    TITLES,
)
from chunkscope.structure.characters import code_points
from chunkscope.structure.model import Structure

WIDE = "。｡！？．‼⁇⁈⁉।॥۔؟։።፧။។﹒﹖﹗︒"
ASCII = ".!?…‥"
CLOSING = "」』）】〕］｝〉》〗〙〛｣”’»›＂＇)}⁰-⁹¹²³"
SYMMETRIC = "*_~`\"'"
MARKS = r"\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\u200d"
BLANK = r"\s\x00-\x1f\x7f-\x9f\u200b\ufeff"
KANA_KANJI = "々〆〇ぁ-ゖゝ-ゟァ-ヺー-ヿ㐀-䶿一-鿿豈-龎ｦ-ﾟ\U00020000-\U000323af"
OPENING = "「『（【〔［｛〈《“‘｢"

FAR = 2000
"""How far back a symmetric mark looks for its other half; bounds the work on hostile text."""
LABEL_LENGTH = 24
WORD_LENGTH = 24
STRAIGHT_QUOTE_LENGTH = 1000
"""A longer stretch between straight quotes is more likely two stray ones."""

# what stays with an end mark: marks, closing brackets, [1], the rest of a link, (笑), and an ellipsis ". . ."
_TAIL = (
    rf"(?:[{WIDE}{ASCII}{MARKS}{CLOSING}]++|[{SYMMETRIC}]++(?=[{CLOSING}{BLANK}\]]|\Z)|\]\([^()\s]*+\)|\](?![(\[])"
    rf"|\[\^?\w[\w ]{{0,3}}\](?!\()|[（(][笑泣汗涙爆怒驚][）)]|(?:[ \u00a0]\.){{2,}}+(?![^{BLANK}{CLOSING}{SYMMETRIC}]))*+"
)
_BLANKS = rf"[{BLANK}]*+(?:<[bB][rR]\s*/?>[{BLANK}]*+)*+"
_CANDIDATE = re.compile(
    rf"[{WIDE}{ASCII}](?<![{WIDE}{ASCII}{MARKS}][{WIDE}{ASCII}])"
    rf"(?:(?<=[{WIDE}])|(?<=[{KANA_KANJI}〜～{CLOSING}][{ASCII}])|(?={_TAIL}[{BLANK}{KANA_KANJI}{OPENING}]))"
    rf"{_TAIL}({_BLANKS})"
)
_BLANK_RUN = re.compile(_BLANKS)
_HAS_WIDE = re.compile(f"[{WIDE}]")
_JAPANESE = re.compile(f"[{KANA_KANJI}]")
_OPEN_MARKS = re.compile(r"[\"'“‘(（*_]*")
_LOWER_START = re.compile(r"[ie][A-Z][a-z]|mac[A-Z]|[a-h]\.[ \t]+[A-Z]")
_WORD_BACKWARDS = re.compile(r"(?:[^\W_]|[.&°．])*")
_LABEL = re.compile(
    rf"[{BLANK}#>*+\-_|「『(（\[]*(?:第?[0-9０-９]{{1,3}}(?:[.．][0-9０-９]{{1,3}})*|[A-Za-zＡ-Ｚ][0-9]{{0,2}}|[ivxIVX]{{1,5}}"
    r"|[一二三四五六七八九十]{1,3})[)）\]]?"
)
_NUMBER_IN_FRONT_OF_LINE = re.compile(r"[\r\n][ \t>]*[0-9]{1,2}")
_INITIALS = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")
_NUMBER = re.compile(r"[#(]?[0-9０-９]|[IVXLC]+\b|[A-Z]\b")
_OPENER = re.compile(rf"[\"'“‘(（*_]*(?:{'|'.join(SENTENCE_OPENERS)})(?![\w.])")
_NO_START = re.compile(r"[,;:)\]}、，・。）」』】]|\.(?![^\W_])")
_GOES_ON_QUOTE = (
    r"って|と(?!ころ[がで]|りあえず|にかく|ても|きどき|もあれ|もかく|はいえ)|など|を|の(?!ち|ん|ど|ろ|び|こり)"
)
_AFTER_QUOTE = re.compile(
    rf"(?:\r\n|\n|\r)?(?:{_GOES_ON_QUOTE}|だ(?=[。、！？とっろよねな）」])(?!って)|です(?=[。、！？よねかとし])(?!から)|でした|でしょう"
    r"|である|であった|ではな|らしい|みたい|よう[にな]|くらい|ぐらい|だけ|ばかり|まで(?!も)|ほど|より|から(?!揚|っ|だ)|が(?!ん|っ|ち)"
    r"|[はにへもやで](?=[一-龥ァ-ヴＡ-Ｚ０-９A-Z0-9、，「『])|に[はも]|に(?:つい|よ[るっり]|お[いけ]|て)|[、，,・。])"
)
_AFTER_MARK = re.compile(rf"(?:\r\n|\n|\r)?(?:{_GOES_ON_QUOTE}|[、，・])")
_NO_START_AFTER_JAPANESE = re.compile(r"[a-z0-9=&/\\\-_.,:;%+#@~^|<]")
_BRACKETS = re.compile(r"[「」『』（）()\[\]［］【】〔〕〈〉《》“”｢｣\"]|`+")
_KINDS = dict(zip("」』）)］]】〕〉》”｣", "「『（（［［【〔〈《“「", strict=True)) | {"(": "（", "[": "［", "｢": "「"}
_LEAD = re.compile(rf"[{BLANK}#>*+\-_|0-9.]*")


class _Pair(NamedTuple):
    """Outermost brackets or quotes: where they open and close, and whether they are round."""

    open: int
    close: int
    is_round: bool


def line_starts(text: str) -> IntArray:
    r"""Give where lines start; only LF, CR LF and CR end a line.

    Returns
    -------
    int64 (n,)
        Increasing, the first 0; empty for an empty text. A line end at the end of the text starts no line.

    Examples
    --------
    >>> line_starts("a\r\nb\n\rc\n").tolist()
    [0, 3, 5, 6]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    points = code_points(text)
    is_end = points == ord("\n")
    carriage = points == ord("\r")
    carriage[:-1] &= ~is_end[1:]
    ends = np.flatnonzero(is_end | carriage) + 1
    return np.concatenate((np.zeros(1, dtype=np.int64), ends[ends < len(text)]))


def sentence_starts(text: str, structure: Structure) -> IntArray:
    """Give where the sentences of a text start; they tile it.

    Parameters
    ----------
    text : str
        The whole text.
    structure : Structure
        Its blocks, each a boundary, and the code, tables and front matter in which nothing else is one.

    Returns
    -------
    int64 (n,)
        Increasing, the first 0; empty for an empty text.

    Examples
    --------
    >>> text = "課長は「通る。急いで」と言った。皆が動いた。"
    >>> plain = Structure(len(text), 0, (), (), np.empty((0, 2), np.int64), np.zeros(1, np.int64))
    >>> sentence_starts(text, plain).tolist()
    [0, 16]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    blocks = np.union1d(structure.block_starts, np.zeros(1, dtype=np.int64))
    bounds = [*blocks.tolist(), len(text)]
    inner = [place for region in _prose(structure, len(text)) for place in _boundaries(text, region, bounds)]
    if not inner:
        return blocks
    return np.union1d(blocks, np.array(inner, dtype=np.int64))


def _prose(structure: Structure, length: int) -> Iterator[Span]:
    """Give the stretches in which punctuation counts."""
    whole = [(start, end) for start, end in structure.code.tolist() if end > start]
    whole += [(table.start, table.end) for table in structure.tables if table.end > table.start]
    if structure.front_matter_end:
        whole.append((0, structure.front_matter_end))
    position = 0
    if whole:
        for start, end in union(np.array(sorted(whole), dtype=np.int64)).tolist():
            if start > position:
                yield position, start
            position = end
    if position < length:
        yield position, length


def _boundaries(text: str, region: Span, bounds: list[int]) -> Iterator[int]:
    """Give where sentences start inside blocks."""
    number = bisect_right(bounds, region[0])
    block = sentence = bounds[number - 1]
    pairs: list[_Pair] | None = None
    for match in _CANDIDATE.finditer(text, *region):
        mark, boundary = match.span()
        if mark >= bounds[number]:
            number = bisect_right(bounds, mark, number)
            block = sentence = bounds[number - 1]
            pairs = None
        if boundary >= bounds[number]:
            continue
        end = match.start(1)
        if _HAS_WIDE.search(text, mark, end):
            if end == boundary and text[end] in SYMMETRIC:
                boundary = _behind_other_half(text, block, mark, end)
            is_end = boundary < bounds[number] and _wide_ends(text, mark, end, boundary, sentence)
        elif end == boundary:
            is_end = _joined_ends(text, mark, end)
        else:
            is_end = _spaced_ends(text, mark, end, boundary, sentence)
        if not is_end:
            continue
        if pairs is None:
            pairs = _pairs(text, block, bounds[number])
        if pairs and _is_held(text, pairs, mark, end, sentence):
            continue
        sentence = boundary
        yield boundary


def _wide_ends(text: str, mark: int, end: int, boundary: int, sentence: int) -> bool:
    """Decide on end marks that need no white space."""
    first, last = text[mark], text[end - 1]
    if end == mark + 1 and first == "．" and mark:
        before = text[mark - 1]
        if _is_label(text, sentence, mark) or (before in "図表式第" and text[boundary].isdigit()):
            return False
        if before.isalnum() and not _JAPANESE.match(before):
            behind = text[boundary]
            if behind.isalnum() and end == boundary and not _JAPANESE.match(behind):
                return False
            return not _is_abbreviation(text, mark, boundary)
    if last in CLOSING:
        return not _AFTER_QUOTE.match(text, end)
    if last in "！!？?":
        if end == mark + 1 and _word_before(text, mark).lower() in NAMES_WITH_MARKS:
            return False
        return not _AFTER_MARK.match(text, end)
    return text[boundary] not in "、，・"


def _joined_ends(text: str, mark: int, end: int) -> bool:
    """Decide on ASCII end marks that are followed by no white space."""
    marks = text[mark:end]
    behind = text[end]
    after_japanese = mark > 0 and bool(_JAPANESE.match(text[mark - 1]) or text[mark - 1] in "〜～」』）】")
    if "!" in marks or "?" in marks:
        if after_japanese:
            if _NO_START_AFTER_JAPANESE.match(behind) or (behind == "[" and marks[-1] == "!"):
                return False
        elif marks.count("!") + marks.count("?") < 2 or not _JAPANESE.match(behind):
            return False
        return not (_AFTER_QUOTE if marks[-1] in CLOSING else _AFTER_MARK).match(text, end)
    # "です.次": as a rule only sentences end in hiragana, while 'メニュー.ファイル' is a name
    return marks[0] == "." and marks[1:2] != "." and "ぁ" <= text[mark - 1] <= "ゖ" and bool(_JAPANESE.match(behind))


def _spaced_ends(text: str, mark: int, end: int, boundary: int, sentence: int) -> bool:
    """Decide on ASCII end marks that are followed by white space."""
    if _NO_START.match(text, boundary):
        return False
    after_japanese = mark > 0 and bool(_JAPANESE.match(text[mark - 1]))
    place = _OPEN_MARKS.match(text, boundary).end()  # type: ignore[union-attr]
    first = text[place : place + 1]
    if first.islower() and not after_japanese and not _LOWER_START.match(text, place):
        return False
    marks = text[mark:end]
    if "!" in marks or "?" in marks:
        if marks == "!" and _word_before(text, mark).lower() in NAMES_WITH_MARKS:
            return bool(_OPENER.match(text, boundary))
        if after_japanese:
            return not (_AFTER_QUOTE if marks[-1] in CLOSING else _AFTER_MARK).match(text, boundary)
        return True
    dots = marks.count(".")
    if dots > 1 or "…" in marks or "‥" in marks:
        is_pause = ". ." in marks.replace("\u00a0", " ") and dots == 3
        is_omission = mark > 0 and text[mark - 1] in "[(（［"
        return first.isupper() and not is_pause and not is_omission
    if _is_label(text, sentence, mark):
        return False
    if after_japanese:
        return not (text[mark - 1] in "図表式第" and first.isdigit())
    return not _is_abbreviation(text, mark, boundary)


def _is_abbreviation(text: str, mark: int, boundary: int) -> bool:
    """Tell whether the full stop at `mark` belongs to the word before it, and the sentence goes on at `boundary`."""
    word = _word_before(text, mark)
    lower = word.lower()
    if len(word) == 1 and word.isupper():
        start = mark - 1
        in_front = text[start - 1] if start else " "
        if not (in_front.isspace() or in_front in "(（\"'“‘「『[*_") and not _JAPANESE.match(in_front):
            return False
        is_unit = start > 1 and text[start - 2].isdigit()
        return not (is_unit or _OPENER.match(text, boundary))
    if lower in ALWAYS_GO_ON or (lower in TITLES and word[0].isupper()):
        return True
    if lower in BEFORE_NUMBERS:
        return bool(_NUMBER.match(text, boundary))
    if lower in MAY_END or (lower in MAY_END_IF_CAPITAL and word[0].isupper()) or _INITIALS.fullmatch(word):
        return not _OPENER.match(text, boundary)
    if word.isdigit() and len(word) <= 2:
        start = max(mark - LABEL_LENGTH, 0)
        line = max(text.rfind("\n", start, mark), text.rfind("\r", start, mark))
        return line >= 0 and bool(_NUMBER_IN_FRONT_OF_LINE.fullmatch(text, line, mark))
    return False


def _word_before(text: str, mark: int) -> str:
    """Give the word that ends at `mark`, without Japanese; full-width letters as ASCII."""
    backwards = text[max(mark - WORD_LENGTH, 0) : mark][::-1]
    word = _WORD_BACKWARDS.match(backwards).group()[::-1]  # type: ignore[union-attr]
    if word.isascii():
        return word.strip(".&")
    return _JAPANESE.split(unicodedata.normalize("NFKC", word))[-1].strip(".&")


def _is_label(text: str, sentence: int, mark: int) -> bool:
    """Tell whether nothing but a list label stands between the sentence's start and the mark."""
    return mark - sentence <= LABEL_LENGTH and bool(_LABEL.fullmatch(text, sentence, mark))


def _behind_other_half(text: str, block: int, mark: int, end: int) -> int:
    """Give the end of symmetric marks at `end` and of white space if they close (``**です。**次``), else `end`."""
    behind = end + 1
    while behind < len(text) and text[behind] == text[end]:
        behind += 1
    if behind - end > 3 or text.count(text[end:behind], max(block, mark - FAR), mark) % 2 == 0:
        return end
    return _BLANK_RUN.match(text, behind).end()  # type: ignore[union-attr]


def _pairs(text: str, start: int, end: int) -> list[_Pair]:
    """Give the outermost brackets and quotes that open and close in a block; the others are as good as absent."""
    found: list[_Pair] = []
    stack: list[tuple[str, int]] = []
    opened: Counter[str] = Counter()
    for match in _BRACKETS.finditer(text, start, end):
        place = match.start()
        token = match.group()
        kind = _KINDS.get(token, token)
        is_closing = token in "」』）)］]】〕〉》”｣"
        if token[0] in "\"`":
            if token == '"' and not opened[kind]:
                # behind a letter or digit it is an inch mark or the end of what began before
                if place > start and text[place - 1].isascii() and text[place - 1].isalnum():
                    continue
            else:
                is_closing = opened[kind] > 0 and not (token == '"' and text[place - 1].isspace())
        if not is_closing:
            stack.append((kind, place))
            opened[kind] += 1
            continue
        if not opened[kind]:
            continue
        other, opening = stack.pop()
        opened[other] -= 1
        while other != kind:
            other, opening = stack.pop()
            opened[other] -= 1
        if kind == '"' and place - opening > STRAIGHT_QUOTE_LENGTH:
            continue
        while found and found[-1].open > opening:
            found.pop()
        found.append(_Pair(opening, place, kind == "（"))
    return found


def _is_held(text: str, pairs: list[_Pair], mark: int, end: int, sentence: int) -> bool:
    """Tell whether a mark stands in brackets that are not closed before `end`, or in a remark within a sentence."""
    number = bisect_right(pairs, mark, key=lambda pair: pair.open) - 1
    if number < 0 or pairs[number].close < mark:
        return False
    pair = pairs[number]
    if pair.close >= end:
        return True
    if not pair.is_round:
        return False
    is_first = pair.open - sentence <= FAR and _LEAD.fullmatch(text, sentence, pair.open)
    return not is_first
