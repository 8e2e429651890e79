"""Brackets, quotes, inline code and mark-up that open and close in one stretch of text."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from chunkscope.structure.marks import BRACKETS
from chunkscope.structure.patterns import lazily

STRAIGHT_QUOTE_LENGTH = 1000
"""A longer stretch between straight quotes is more likely two stray ones."""

ROUND = "（"
SQUARE = "［"
MARKUP = "<"
LINK = "a"
GUILLEMETS = "«»‹›"

_ALIKE = {
    "｢": "「",
    "﹁": "「",
    "﹃": "『",
    "(": ROUND,
    "﹙": ROUND,
    "[": SQUARE,
    "｟": "⦅",
    "«": "«",
    "‹": "‹",
    "„": "“",
}
"""Brackets that close each other's openings."""

_NO_BRACKETS = "❮❯⌈⌉⌊⌋⁽⁾₍₎❰❱{}"
"""Ornaments, mathematics and code: they need not pair."""

_PAIRS = [pair for pair in zip(BRACKETS[::2], BRACKETS[1::2], strict=True) if pair[0] not in _NO_BRACKETS]
_OPENING = {opening: _ALIKE.get(opening, opening) for opening, _ in _PAIRS} | {"„": "“"}
_CLOSING = {closing: _ALIKE.get(opening, opening) for opening, closing in _PAIRS} | {"〞": "〝"}

_ROLES = {
    **{mark: (kind, True) for mark, kind in _OPENING.items() if mark not in "«»‹›“"},
    **{mark: (kind, False) for mark, kind in _CLOSING.items() if mark not in "«»‹›"},
}
"""Brackets that do but one thing: their kind, and whether they open."""

_VALUE = r"\"[^\"]{0,2000}+\"|'[^']{0,2000}+'|\{[^{}]{0,500}+\}"
_TAG = rf"</?[A-Za-z][\w:-]{{0,50}}+(?:\.[\w:-]{{1,50}}+){{0,5}}(?:\s(?:[^<>\"'{{}}]++|{_VALUE}){{0,60}}+)?/?>"
_ANY = re.escape("".join((*_OPENING, *_CLOSING))) + '"`<{'
# all begin with one set of characters, which the engine looks for fastest; backticks come in runs
_TOKENS = lazily(rf"[{_ANY}](?:(?<=`)`+|(?<=<)(?:!--|!\[CDATA\[)|(?<={{)/\*)?")
_CODE = lazily("`[^`]*+`(?!`)")
_TAG_PATTERN = lazily(_TAG)
_LINK_TAG = lazily(r"<(a|Link|NavLink)\s[^<>]*\b(?:href|to)=")
_ENDS_OF_MARKUP = {"<!--": "-->", "<![CDATA[": "]]>", "{/*": "*/}"}


class Pair(NamedTuple):
    """Outermost brackets or quotes: where they open and close, and which they are."""

    open: int
    close: int
    kind: str


def outermost_pairs(text: str, start: int, end: int) -> list[Pair]:
    """Give the outermost brackets and quotes that open and close in a block; the others are as good as absent.

    A comment, a tag and a CDATA section are pairs too, of the kind `MARKUP`, and so is a link, of the kind `LINK`; what
    is in them is no bracket.
    """
    found: list[Pair] = []
    stack: list[tuple[str, int]] = []
    opened: defaultdict[str, int] = defaultdict(int)
    unclosed: set[str] = set()
    position = start
    for match in _TOKENS.finditer(text, start, end):
        place = match.start()
        if place < position:
            continue
        token = match.group()
        if token == "`" and not stack:  # half of all brackets in technical texts, and nothing in them matters
            code = _CODE.match(text, place, end)
            if code and not _is_escaped(text, start, place):
                _add(found, Pair(place, code.end() - 1, token))
                position = code.end()
                continue
        if token[0] in "<{":
            pair = None if opened["`"] else _markup(text, token, place, end, unclosed)
            if pair:
                _add(found, pair)
                position = pair.close + 1
            continue
        role = _ROLES.get(token)
        kind, is_opening = role or _role(text, token, place, opened, stack)
        if is_opening:
            if role or opened[kind] or not _is_no_opening(text, token, start, place):
                stack.append((kind, place))
                opened[kind] += 1
        elif opened[kind]:
            other, opening = stack.pop()
            opened[other] -= 1
            while other != kind:
                other, opening = stack.pop()
                opened[other] -= 1
            if not _is_stray(text, kind, start, opening, place):
                _add(found, Pair(opening, place, kind))
    return found


def _add(found: list[Pair], pair: Pair) -> None:
    while found and found[-1].open > pair.open:
        found.pop()
    found.append(pair)


def _role(
    text: str, token: str, place: int, opened: defaultdict[str, int], stack: list[tuple[str, int]]
) -> tuple[str, bool]:
    """Tell what kind of bracket a token is, and whether it opens."""
    if token in GUILLEMETS:  # »so« or «so»: the other half of what stands open closes
        kind = "«" if token in "«»" else "‹"
        is_closing = any(other == kind and text[opening] != token for other, opening in reversed(stack[-8:]))
        return kind, not is_closing
    if token == "“":  # „so“ or “so”
        return token, not (stack and text[stack[-1][1]] == "„")
    if token == '"' and opened[token]:
        # behind a blank it opens once more, but for " so " with blanks on both sides
        return token, text[place - 1].isspace() and not text[place + 1 : place + 2].isspace()
    return token, not opened[token]


def _markup(text: str, token: str, place: int, end: int, unclosed: set[str]) -> Pair | None:
    """Give the comment, section, link or tag that begins at `place`, if one does."""
    if token == "{":
        return None
    closing = _ENDS_OF_MARKUP.get(token)
    if closing:
        behind = _behind(text, closing, place + len(token), end, unclosed)
        return Pair(place, behind - 1, MARKUP) if behind else None
    tag = _TAG_PATTERN.match(text, place, end)
    if not tag:
        return None
    link = _LINK_TAG.match(tag.group())
    behind = _behind(text, f"</{link[1]}>", tag.end(), end, unclosed) if link else 0
    return Pair(place, behind - 1, LINK) if behind else Pair(place, tag.end() - 1, MARKUP)


def _behind(text: str, closing: str, start: int, end: int, unclosed: set[str]) -> int:
    """Give the place behind what closes mark-up; 0 if nothing does."""
    found = -1 if closing in unclosed else text.find(closing, start, end)
    if found < 0:
        unclosed.add(closing)
        return 0
    return found + len(closing)


def _is_no_opening(text: str, token: str, start: int, place: int) -> bool:
    """Tell an inch mark from a quote, and a backtick that is escaped."""
    return token[0] in '"`' and (_is_behind_word if token == '"' else _is_escaped)(text, start, place)


def _is_stray(text: str, kind: str, start: int, opening: int, place: int) -> bool:
    """Tell two signs of comparison from brackets, and two straight quotes that are far apart from one pair."""
    if kind == "＜":
        return text[place - 1] not in "。！？.!?"
    if kind == "≪":
        return _is_behind_word(text, start, opening)
    return kind == '"' and place - opening > STRAIGHT_QUOTE_LENGTH


def _is_escaped(text: str, start: int, place: int) -> bool:
    before = place
    while before > start and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def _is_behind_word(text: str, start: int, place: int) -> bool:
    """Tell whether a straight quote is an inch mark, or the end of what began before the block."""
    return place > start and text[place - 1].isascii() and text[place - 1].isalnum()
