r"""Which lines inside a block begin like items or turns, as those of plain text do, and so start a sentence.

Numbered and lettered lines, articles of statutes, bullets, ``日時：``, turns of speakers, entries of a table of
contents, page numbers, quoted mail. A line that only looks so is part of the sentence before it: a number that a unit
or a particle follows, a line whose forerunner goes on (``前年比\n1.5倍``). In a series (``(1)``, ``(2)``) both are
sure. In a text without Japanese a number proves nothing by itself ("see section\n4. The"): there an item stands in
a series, or behind a colon.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from chunkscope.spans.intervals import IntArray, Span
from chunkscope.structure.brackets import outermost_pairs
from chunkscope.structure.labels import ordinals
from chunkscope.structure.line_kinds import (
    BLANKS,
    ENTRY,
    KANJI_KANA,
    LINE_BREAK,
    NAME,
    ItemLine,
    begins_item,
    first_line,
    item_lines,
)
from chunkscope.structure.morphemes import (
    begins_with_conjunction,
    begins_with_particle,
    begins_with_unit,
    goes_on,
    is_name,
)
from chunkscope.structure.patterns import lazily

_NO_START = lazily(r"[,;:=)\]}、，。．・）」』】〕］〉》]|\.(?![^\W_])|[!?！？](?=[\s!?])")
_HAS_NOUN = lazily(f"[{NAME}A-Za-zＡ-Ｚ]")
_HAS_JAPANESE = lazily(f"[{KANJI_KANA}]")
_ENDS = "。｡！？．!?…‥"
_TRAILING = " \t\u3000\xa0*_\"'”’」』）)】］]＞〉》>"
_TOKENS = lazily(r"[0-9]+|[A-Za-z]+|[一二三四五六七八九十百〇]+|[ァ-ヶ]|[あ-ん]")
_LINKING = frozenset(("及び", "又は", "または", "若しくは", "並びに", "かつ", "且つ", "および", "もしくは", "ならびに"))
_ORDINAL_KINDS = frozenset(("multi", "bracket", "circled", "closed", "stopped", "spaced", "word", "qa"))
_ERAS = ("令和", "平成", "昭和", "大正", "明治", "西暦")
_STANDALONE = frozenset(("page", "entry"))
"""Kinds of lines behind which another begins, whatever stands there."""

_STRONG = frozenset(("bullet", "stamped", "whole", ENTRY))
"""What is hardly ever the start of a hard-wrapped line, in English too."""


def item_starts(text: str, blocks: IntArray, stretches: Iterable[Span], *, is_html: bool = False) -> IntArray:
    r"""Give where lines start that begin like items or turns, inside blocks.

    Parameters
    ----------
    text : str
    blocks : int64 (b,)
        Where its blocks start; they need no items.
    stretches : spans
        What is prose, in order.
    is_html : bool
        Lines end at ``<br>`` alone, as in a browser.

    Returns
    -------
    int64 (n,)
        Increasing; none is the start of a block.

    Raises
    ------
    MissingPartError
        fugashi or unidic-lite is not installed, and a line is in doubt.

    Examples
    --------
    >>> text = "議題\n１　予算\n２　決算は、前年比\n1.5倍\n"
    >>> item_starts(text, np.array([0]), [(0, len(text))]).tolist()
    [3, 8]
    """
    by_block: dict[int, list[ItemLine]] = {}
    edges = blocks.tolist()
    for line in item_lines(text, blocks, stretches, is_html=is_html):
        number = bisect_right(edges, line.start) - 1
        if number >= 0:
            by_block.setdefault(number, []).append(line)
    starts: set[int] = set()
    for number, lines in by_block.items():
        end = edges[number + 1] if number + 1 < len(edges) else len(text)
        starts.update(_starts_in_block(text, (edges[number], end), lines))
    return np.array(sorted(starts.difference(edges)), dtype=np.int64)


def _starts_in_block(text: str, block: Span, lines: list[ItemLine]) -> Iterator[int]:
    opening = first_line(text, *block)
    if opening is not None and opening.kind == "page" and opening.label.strip().isdecimal():
        opening = None  # of a note, more often than of a page
    series = _in_series([opening, *lines] if opening else lines)
    quotes = None
    previous = opening
    for line in lines:
        if previous is not None:
            yield from _behind(text, previous, line, block)
        is_in_series = line.start in series and (
            line.kind != "turn" or _is_wide(line) or (opening is not None and opening.kind == "turn")
        )
        if _is_item(text, line, block, is_in_series=is_in_series):
            if quotes is None:
                quotes = [pair for pair in outermost_pairs(text, *block) if pair.kind in "「『"]
            number = bisect_right(quotes, line.start, key=lambda pair: pair.open) - 1
            if number < 0 or quotes[number].close < line.start:
                yield line.start
                previous = line
                continue
        previous = None
    if previous is not None:
        yield from _behind(text, previous, None, block)


def _is_wide(line: ItemLine) -> bool:
    """Tell whether a turn is marked as in Japanese; in English many a sentence has a colon behind its first words."""
    return line.label[-1] == "：" or bool(_HAS_JAPANESE.search(line.label))


def _behind(text: str, line: ItemLine, following: ItemLine | None, block: Span) -> Iterator[int]:
    """Give the start of the line behind an item where that begins something of its own, and no item."""
    if text[line.end : line.end + 1] not in ("\n", "\r", "\f"):
        return
    start = line.end + (2 if text.startswith("\r\n", line.end) else 1)
    while text.startswith("\f", start):
        start += 1
    if start >= block[1] or (following is not None and following.start <= start):
        return
    place = BLANKS.match(text, start).end()  # type: ignore[union-attr]
    if place >= block[1] or LINE_BREAK.match(text, place) or _NO_START.match(text, place):
        return
    words = text[place : place + 12]
    if line.kind in _STANDALONE:
        if not (words[0].islower() or begins_with_particle(words)):
            yield start
    elif _HAS_JAPANESE.match(words) and "、" in words and not _goes_on(text[line.text : line.end]):
        head = words.partition("、")[0]
        if head not in _LINKING and begins_with_conjunction(words):
            yield start


def _is_item(text: str, line: ItemLine, block: Span, *, is_in_series: bool) -> bool:
    """Decide on a line that begins like an item."""
    before = _line_before(text, line.start, block[0])
    if not before:
        return True
    behind = text[line.text : min(line.end, line.text + 24)]
    if _NO_START.match(behind) or not _is_label(text, line, behind, is_in_series=is_in_series):
        return False
    if line.kind == "page":
        return _is_page(text, line, before, block)
    if is_in_series:
        return True
    return not _needs_series(text, line, before, block[0]) and _may_stand_behind(text, line, before)


def _is_label(text: str, line: ItemLine, behind: str, *, is_in_series: bool) -> bool:
    """Tell whether what a line begins with is no word of a sentence that goes on behind it."""
    if line.kind in ("turn", "said", "keyed"):
        return _is_speaker(line.label.partition("「")[0].rstrip(":： *_\u3000"))
    if line.kind in (ENTRY, "page", "stamped"):
        return True
    if _is_spoken_on(text, line, behind):
        return False
    if line.kind == "word" and _HAS_JAPANESE.search(text, line.start, line.end):
        return _is_numbered_noun(line, behind, is_in_series=is_in_series)
    if is_in_series:
        return True
    if line.kind in ("multi", "spaced"):
        return line.is_parted and not begins_with_unit(behind)
    return not (line.kind == "bullet" and line.label[0] in "○◯〇●△□" and begins_with_unit(behind))


def _may_stand_behind(text: str, line: ItemLine, before: str) -> bool:
    """Tell whether an item may follow a line: it does not go on, and in English it says that items follow."""
    if before[-1] in "、，,(（「『【［[・" or _has_open_bracket(before):
        return False
    if line.kind == "date" and before.endswith(_ERAS):
        return False
    is_japanese = bool(_HAS_JAPANESE.search(text, line.start, line.end))
    if before.rstrip(_TRAILING)[-1:] in _ENDS:
        return is_japanese or line.kind in _STRONG
    if before[-1] in ":：;；":
        return True
    if not is_japanese and not _HAS_JAPANESE.search(before[-12:]):
        return line.kind in _STRONG
    return not _goes_on(before)


def _needs_series(text: str, line: ItemLine, before: str, block: int) -> bool:
    """Tell whether a line proves nothing alone: a sum, a flow of arrows, a time, a letter that may close a bracket."""
    label, is_told = line.label, before[-1] in ":：;；"
    if line.kind == "keyed":
        return True
    if line.kind == "aside" or (line.kind == "titled" and label[0] in "（([［"):
        return line.kind == "aside" or not begins_item(text, line.end)
    if line.kind == "dash":
        return not is_told
    if line.kind == "stamp":
        return label[0] not in "[(（【"
    if line.kind == "closed":
        return not label[0].isdecimal() or _has_open_bracket(text[max(block, line.start - 200) : line.start])
    if line.kind == "turn":
        return label[-1] == ":" and line.text == line.label_end < line.end
    if line.kind == "bracket":
        return label[0] == "[" and not is_told
    if line.kind == "qa":
        return label[-1] not in ".．:：、" and not line.is_parted
    if line.kind == "bullet" and label[0] in "→⇒":
        return before[-1] in "」』］】）)]" or "→" in before or "→" in text[line.text : line.end]
    return False


def _goes_on(before: str) -> bool:
    return before[-1:] in "、，," or (bool(_HAS_JAPANESE.match(before[-1:])) and goes_on(before))


def _line_before(text: str, start: int, block: int) -> str:
    """Give the line before the one that starts at `start`, without white space at its end."""
    before = text[max(block, start - 200) : start].rstrip()
    if before[-1:] == ">" and before.endswith(("<br>", "<br/>", "<br />", "<BR>")):
        before = before[: before.rindex("<")].rstrip()
    return LINE_BREAK.split(before)[-1].rstrip("*_ ")


def _has_open_bracket(before: str) -> bool:
    return any(before.count(a) > before.count(b) for a, b in ("（）", "()", "「」", "『』", "［］", "[]"))


def _is_spoken_on(text: str, line: ItemLine, behind: str) -> bool:
    """Tell whether a particle follows a label, so that it is a word of a sentence: ``（１）に掲げる``."""
    if line.kind == "titled" and line.text >= line.end:
        behind = text[line.end :][:14].lstrip()
    if line.label.endswith((".", "．", ":", "：")) and re.match(
        "では|でも|だが|ですが|なので|とはいえ|でしたら", behind
    ):
        return False
    return begins_with_particle(behind)


def _is_numbered_noun(line: ItemLine, behind: str, *, is_in_series: bool) -> bool:
    """Tell ``手順1　登録`` from ``平成30 年``."""
    noun = re.split(r"[\s\d①-⑳]", line.label)[0]
    if _HAS_JAPANESE.match(noun) and (noun[0] in "のをにはがでと" or noun[-1] == "の" or not is_name(noun)):
        return False
    if is_in_series or line.label[-1] in ".．:：)）":
        return True
    return (not behind or line.is_parted) and not begins_with_unit(behind)


def _is_speaker(name: str) -> bool:
    """Tell whether a name, or what a line is about, stands before a colon or a quote."""
    if not _HAS_JAPANESE.search(name):
        return True
    is_whole = all(name.count(a) == name.count(b) for a, b in ("（）", "()"))
    return is_whole and bool(_HAS_NOUN.search(name)) and is_name(name)


def _is_page(text: str, line: ItemLine, before: str, block: Span) -> bool:
    """Tell whether a line is the number of a page, and no sentence runs on around it."""
    following = text[line.end : min(line.end + 24, block[1])].lstrip()
    if following and (following[0].islower() or _NO_START.match(following) or begins_with_particle(following)):
        return False
    is_ended = before.rstrip(_TRAILING)[-1:] in f"{_ENDS}."
    if line.label.strip().isdecimal():
        return is_ended and not begins_with_unit(following)
    return is_ended or not _goes_on(before)


def _in_series(lines: Sequence[ItemLine]) -> set[int]:
    """Give the starts of lines with a neighbour in a series: a number by one higher or lower, or the same sign."""
    keys = {line.start: list(_keys(line)) for line in lines}
    counts: Counter[object] = Counter(key for found in keys.values() for key in found)
    series = set()
    for start, found in keys.items():
        for key in found:
            shape, value = key
            neighbours = [(shape, value - 1), (shape, value + 1)] if value is not None else []
            if any(one in counts for one in neighbours) or (value is None and counts[key] > 1):
                series.add(start)
                break
    return series


def _keys(line: ItemLine) -> Iterator[tuple[tuple[str, ...], int | None]]:
    """Give what a line may share with others of its series, and the place in it that its number may stand for."""
    if line.kind in ("bullet", "dash"):
        yield (line.kind, line.label[0]), None
    elif line.kind in ("turn", "said", "keyed", "stamp", "stamped", "aside", "date", "entry"):
        yield (line.kind,), None
    elif line.kind == "titled":
        yield (line.kind, line.label[0]), None
    elif line.kind == "article":
        yield (line.kind, re.sub(r"[0-9０-９一二三四五六七八九十百千〇\s]", "", line.label)), None
    if line.kind == "qa" or (
        line.kind == "bracket" and line.label.strip("【】[]［］()（） ") in ("Q", "A", "Ｑ", "Ａ")
    ):
        yield ("qa",), None
    if line.kind in _ORDINAL_KINDS:
        plain = unicodedata.normalize("NFKC", line.label)
        tokens = _TOKENS.findall(plain)
        if not tokens:
            yield (line.kind, plain), None
        else:
            kind = "stopped" if line.kind == "qa" else line.kind
            shape = plain.rpartition(tokens[-1])
            for system, value in ordinals(tokens[-1]):
                yield (kind, shape[0].strip(), shape[2].strip(), system), value
