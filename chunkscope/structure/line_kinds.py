"""The spellings of lines that begin like items or turns, and where they stand.

Whether such a line begins something new is for `item_lines` to decide.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from chunkscope.spans.intervals import IntArray, Span
from chunkscope.structure.labels import LABEL_NOUNS
from chunkscope.structure.patterns import lazily

KANJI_KANA = "々〆〇ぁ-ゖゝ-ゟァ-ヺー-ヿ㐀-䶿一-鿿\uf900-\ufaffｦ-ﾟ\U00020000-\U000323af"
NAME = "々〆一-鿿ァ-ヺーｦ-ﾟ㐀-䶿"
"""What names are written with in Japanese: no hiragana."""

_D = "[0-9０-９]"
_N = f"{_D}{{1,3}}"
_B = r"[ \t\u3000\xa0]"
_END = r"(?=[\r\n\f]|\Z)"
_OPENING = "「『（【［"
_J = f"[{KANJI_KANA}{_OPENING}]"
_KANJI_NUMBER = "[一二三四五六七八九十百]{1,4}"
_LETTER = "[A-Za-zＡ-Ｚａ-ｚ]"
_ORDINAL = rf"(?:{_N}|{_KANJI_NUMBER}|{_LETTER}|[ivxIVX]{{1,4}}|[Ⅰ-ⅿ]{{1,2}}|[ァ-ヶｱ-ﾝ]|[あ-ん])"
_PARTS = rf"(?:[.．\-－‐]{_N})"
_COUNTER = "[章条節款項目編部号回課則問話巻段]"
_BULLETS = "・•‣◦●○◯〇◎◉■□◆◇▪▫▸▶►▷☆★※→⇒▼▽▲△✓✔☑☐☒✅❌⚠❖➢➤➔✦"
_TIME = rf"{_D}{{1,2}}[:：]{_D}{{2}}(?:[:：]{_D}{{2}})?(?:[.,]{_D}{{1,3}})?"
_DATE_NUMBER = rf"(?:{_D}{{1,4}}|[元一二三四五六七八九十]{{1,4}})"
_DATE = (
    rf"(?:(?:令和|平成|昭和|大正|明治|西暦)?{_B}?{_DATE_NUMBER}年{_B}?{_DATE_NUMBER}月(?:{_B}?{_DATE_NUMBER}日)?"
    r"(?:[（(][月火水木金土日][）)])?|[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2})"
)
_NO_NAME = r"\s:：。、．，,!?！？「」『』|/\\<>"
_WHOLE_BRACKETS = (  # with nothing else on the line
    r"[≪《][^≪≫《》\r\n。]{1,24}[≫》]",
    r"[＜〈<](?![A-Za-z/!?])[^＜＞〈〉<>\r\n。/]{1,24}[＞〉>]",
    r"〔[^〔〕\r\n。]{1,24}〕",
    rf"[\[［（(][^\[\]［］()（）\r\n。、，,:：]{{0,23}}[{KANJI_KANA}][\]］)）]",
)
# one look tells that none of the English nouns begins here: lines of Japanese are looked at in two thirds of the time
_INITIALS = "".join(sorted({letter for noun in LABEL_NOUNS for letter in noun[0].lower() + noun[0].upper()}))
_NOUN = f"(?:[{NAME}ぁ-ん]{{1,6}}|(?=[{_INITIALS}ſ\u212a])(?i:{'|'.join(LABEL_NOUNS)}))"
_QUOTED = r"「[^「」\r\n]*(?:「[^「」\r\n]*」[^「」\r\n]*)*」。?"

KINDS = {
    "page": "(?:"
    rf"[-―—–－─]{_B}*{_D}{{1,4}}{_B}*[-―—–－─]|(?i:pages?|p\.?|頁|ページ){_B}*{_D}{{1,4}}(?:{_B}*(?:/|of){_B}*{_D}{{1,4}})?"
    rf"|第?{_D}{{1,4}}{_B}*(?:[/／]{_B}*{_D}{{1,4}}{_B}*)?(?:頁|ページ)"
    rf"|{_D}{{1,4}}{_B}*(?:/|of){_B}*{_D}{{1,4}}|{_D}{{1,4}}"
    rf"){_B}*{_END}",
    "whole": rf"(?:附{_B}*則|別{_B}*[表記紙]|目{_B}*次|前{_B}*文|記|以{_B}*上){_B}*{_END}",
    "stamp": rf"[\[(（【]?{_TIME}[\])）】]?(?={_B}|{_END})",
    "date": rf"{_DATE}(?={_B}|{_END})",
    "bracket": rf"[(（\[［【〔〈<＜]{_B}?(?:{_ORDINAL}{_PARTS}{{0,4}}|[QAＱＡ]{_N}|注{_D}{{0,2}}){_B}?"
    r"[)）\]］】〕〉>＞](?![(\[])[.．]?",
    "circled": "[①-⓿❶-➓㈠-㈩㊀-㊉⑴-⒛⒜-ⓩ][.．]?",
    "closed": rf"(?:{_ORDINAL}{_PARTS}{{0,4}}|注{_D}{{0,2}})[)）](?={_B}|{_J})",
    "qa": rf"(?:[QAＱＡ]{_D}{{0,3}}(?:[-.－]{_N})?|(?:問|答|質問|回答){_B}?{_D}{{0,3}})"
    rf"(?:[.．:：、]|\u3000|[ \t](?={_J})|(?<={_D})[ \t]|(?<={_D}){_END})",
    "article": rf"(?:[{NAME}]{{0,4}}第{_B}?(?:{_D}{{1,4}}|[一二三四五六七八九十百千〇]{{1,7}}){_B}?{_COUNTER}?"
    rf"|{_N}[章条節編])"
    rf"(?:の[0-9０-９一二三四五六七八九十]{{1,3}})*(?=[.．:：（(]|{_B}|{_END})[.．:：]?"
    rf"|제 ?[0-9]{{1,3}} ?[조장절항호](?=[.( ]|\Z)|§{{1,2}}{_B}?[0-9]{{1,4}}[a-z]?(?={_B}|[.(:])",
    "stopped": rf"(?:{_LETTER}[-－]?{_N}|{_ORDINAL}){_PARTS}{{0,4}}[.．](?={_B}|{_J}|\*|{_END})",
    "multi": rf"(?:[A-Za-z][-－.])?{_N}{_PARTS}{{1,4}}(?={_B})",
    "spaced": rf"(?:{_N}|{_KANJI_NUMBER}|[ァ-ヶｱ-ﾝ]|[Ⅰ-ⅿ]{{1,2}})(?:\u3000|\t|[ \xa0]{{2}}|[ \xa0](?={_J}))"
    r"|[A-ZＡ-Ｚ]\u3000",
    "word": rf"{_NOUN}\.?{_B}?(?:{_N}{_PARTS}{{0,4}}|[①-⑳]|[IVX]{{1,5}}(?![A-Za-z])|[A-Z](?![A-Za-z]))"
    rf"(?:[.．:：)）](?={_B}|{_J}|{_END})|(?={_B})|{_END})",
    "bullet": rf"(?P<sign>[{_BULLETS}])\ufe0f?(?!(?P=sign))(?!{_D}*[%％])|＊(?!＊)",
    "dash": rf"[-–—*+＋－‐](?={_B}{{1,4}}[^\s\-–—*+=])|[-－‐](?=[{KANJI_KANA}])",
    "titled": rf"【[^【】\r\n。]{{1,24}}】|(?:{'|'.join(_WHOLE_BRACKETS)}){_B}*{_END}",
    "aside": r"[（［][^()（）［］\r\n。、]{1,10}[）］](?=\S)",
    "stamped": rf"[^\s。、.:：]{{1,12}}(?:{_B}[^\s。、.:：]{{1,12}})?{_B}+"
    rf"[\[(（]?{_TIME}(?: ?[AP]M)?[\])）]?{_B}*{_END}",
    "turn": rf"[^\d.{_NO_NAME}][^{_NO_NAME}]{{0,15}}{_B}?：(?!/|(?<={_D}：){_D}{{2}})"
    rf"|[{NAME}][{KANJI_KANA}A-Za-z0-9（）()]{{0,11}}:(?!/|(?<=[0-9]:)[0-9]{{2}})"
    r"|[A-Z][\w.'’-]{0,20}(?:[ ][A-Z(0-9][\w.)'’-]{0,15}){0,3}:(?:\*\*|__)?(?:[ \t]|(?=[\r\n\f]|\Z))",
    "keyed": rf"[{NAME}]{{2,8}}\u3000(?=[^\s\u3000])",
    "said": rf"[{NAME}A-Za-zＡ-Ｚ][{NAME}A-Za-zＡ-Ｚ（）()]{{0,9}}{_B}?{_QUOTED}{_B}*{_END}",
}
"""The kinds of such lines, and what they begin with; the first that fits counts."""

ENTRY = "entry"
"""A line of a table of contents, which is known by its end."""

_BLANK_LEAD = r"[ \t\u3000\xa0\f>]*+"  # it gives nothing back: no label begins so
_LEAD = rf"{_BLANK_LEAD}(?:\*\*|__|\*(?=\S))?(?:<a [^<>\r\n]{1, 60}></a>)?"
_LABEL = f"(?P<label>{'|'.join(f'(?P<{kind}>{rule})' for kind, rule in KINDS.items())})"
# most lines of prose begin with a word in lower case, or a capital one that another follows
_NO_WORDS = r"(?!(?![ivx]{2,4}\.)[a-z]{2,}[ ,;.']|[A-Z][a-z]+ [a-z])"
_FIRST = lazily(rf"(?P<lead>{_LEAD}){_LABEL}")
_RUN = lazily(_BLANK_LEAD)
_INNER = lazily(rf"(?P<lead>{_LEAD}){_NO_WORDS}{_LABEL}")
_TAG = lazily(r"<[bB][rR] ?/?>[ \t]*(?:\r\n?|\n)?")
_ENTRY_END = lazily(
    rf"(?:(?:[.．·・･][ \u3000]?){{4,}}(?=[ \t]*[0-9０-９ivxlc])|[…‥]{{2,}}|[・･]{{3,}}|(?:[・･]{_B}){{2,}}[・･]?)"
    rf"{_B}*(?:{_D}{{1,4}}|[ivxlc]{{1,6}}){_B}*{_END}"
)
_COMMENT = lazily(r"<!--.*?(?:-->|\Z)", re.DOTALL)
LINE_BREAK = lazily(r"\r\n?|[\n\f]")
_STOP = lazily(r"[\r\n\f]|<[bB][rR] ?/?>")
BLANKS = lazily(rf"{_B}*(?:\*\*|__)?{_B}*")
_LONGEST_ENTRY = 200
_FAR = 1000
"""How far the end of a line is looked for; where tags alone end lines, a text may be one line."""

_LF = ord("\n")


class ItemLine(NamedTuple):
    """A line that begins like an item.

    Attributes
    ----------
    start, label_end, text, end : int
        Where it starts, its label ends, what it labels begins, and the line ends.
    kind, label : str
        One of `KINDS`, or `ENTRY`, and the label as written.
    is_parted : bool
        Whether a wide blank stands between the label and the text.
    """

    start: int
    label_end: int
    text: int
    end: int
    kind: str
    label: str
    is_parted: bool


def item_lines(text: str, blocks: IntArray, stretches: Iterable[Span], *, is_html: bool) -> Iterator[ItemLine]:
    r"""Give the lines in prose that begin like items, in order; those that start a block are left out.

    Parameters
    ----------
    text : str
    blocks : int64 (b,)
        Where its blocks start.
    stretches : spans
        What is prose, in order.
    is_html : bool
        Lines end at ``<br>`` alone, as in a browser.

    Examples
    --------
    >>> found = item_lines("次の\n(1) 甲\n・乙", np.array([0]), [(0, 11)], is_html=False)
    >>> [(line.start, line.kind, line.label) for line in found]
    [(3, 'bracket', '(1)'), (9, 'bullet', '・')]
    """
    places = set() if is_html else set(_inner_lines(text, blocks))
    places.update(_behind_tags(text))
    if not places:
        return
    comments = list(_COMMENT.finditer(text)) if "<!--" in text else []
    inner = sorted(places)
    reached = 0
    for start, end in stretches:
        reached = bisect_left(inner, start, reached)
        while reached < len(inner) and inner[reached] < end:
            place = inner[reached]
            # form feeds and blanks in a row lead to one label: it is looked for once
            reached = bisect_right(inner, _RUN.match(text, place, end).end(), reached + 1)  # type: ignore[union-attr]
            line = _entry(text, place, end) or _line_of(text, _INNER.match(text, place, end), end)
            number = bisect_right(comments, place, key=re.Match.start) - 1 if comments else -1
            if line and (number < 0 or comments[number].end() <= place):
                yield line


def _behind_tags(text: str) -> Iterator[int]:
    """Give the places behind tags that break lines, or behind the line end that follows such a tag."""
    for match in _TAG.finditer(text):
        if match.end() < len(text):
            yield match.end()


def _inner_lines(text: str, blocks: IntArray) -> list[int]:
    """Give the lines inside blocks that are not blank, by the line end before them or a form feed."""
    # a byte for each character, which is compared four times as fast as its code point
    points = np.frombuffer(text.encode("ascii", "replace"), dtype=np.uint8)
    is_end = points == _LF
    for end in (end for end in "\r\f" if end in text):
        is_end |= points == ord(end)
    is_start = np.zeros(len(points) + 1, dtype=np.bool_)
    np.greater(is_end[:-1], is_end[1:], out=is_start[1:-1])
    is_start[blocks] = False
    found: list[int] = np.flatnonzero(is_start).tolist()
    return found


def first_line(text: str, start: int, end: int) -> ItemLine | None:
    """Give the line at the start of a block, if it begins like an item."""
    return _entry(text, start, end) or _line_of(text, _FIRST.match(text, start, end), end)


def begins_item(text: str, place: int) -> bool:
    """Tell whether the line behind the line end at `place` begins like an item."""
    line_end = LINE_BREAK.match(text, place)
    return bool(line_end and _INNER.match(text, line_end.end()))


def _line_of(text: str, match: re.Match[str] | None, end: int) -> ItemLine | None:
    if match is None:
        return None
    start, label_end = match.start("lead"), match.end("label")
    while text[start] == "\f":
        start += 1
    kind = next(kind for kind in KINDS if match[kind])
    behind = BLANKS.match(text, label_end).end()  # type: ignore[union-attr]
    end = min(end, behind + _FAR)
    stop = _STOP.search(text, behind, end)
    is_parted = text[label_end - 1] in "\u3000\t" or text.startswith(("\u3000", "\t", "  "), label_end)
    return ItemLine(start, label_end, behind, stop.start() if stop else end, kind, match["label"], is_parted)


def _entry(text: str, start: int, end: int) -> ItemLine | None:
    """Give a line if it is one of a table of contents: dots lead to the number of a page."""
    end = min(end, start + _LONGEST_ENTRY + 2)  # lines may end with carriage returns alone
    stop = text.find("\n", start, end)
    line = text[start : stop if stop >= 0 else end].lstrip("\f")
    line = line.partition("\r")[0].partition("\f")[0].rstrip()
    if not line or len(line) > _LONGEST_ENTRY or not (line[-1].isdecimal() or line[-1] in "ivxlc"):
        return None
    if not _ENTRY_END.search(line):
        return None
    behind = text.index(line, start) + len(line)
    return ItemLine(start, behind, behind, behind, ENTRY, "", is_parted=False)
