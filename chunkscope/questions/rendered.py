"""What is seen of a text on the rendered page, and the way back: people copy quotes from there.

Left out are the targets of links, images, tags, marks at the starts of lines, bars and delimiter lines of tables;
references to characters become these. Marks of emphasis are overlooked anyway, see `fold_text`. No parser is asked:
quotes are treated alike, so that what is taken for a mark and is none still matches.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from itertools import chain, islice
from typing import NamedTuple

from chunkscope.language import say
from chunkscope.questions.near_miss import REASONS, FoldedText, Near, Reason, fold_text, with_other_halves
from chunkscope.questions.quote_search import occurrences
from chunkscope.spans.intervals import Span

_MARK = re.compile(
    r"""
    (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<reference>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)
    | (?P<address><(?=[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*+>))
    | (?P<tag><[!/?A-Za-z][^<>]*+>)
    | (?P<open>!?\[)
    | (?P<close>\](?:\([^()\r\n]*+(?:\([^()\r\n]*+\)[^()\r\n]*+)*+\)|\[[^\[\]\r\n]*+\])?+)
    | (?P<line>(?<![^\r\n])[ \t]*+(?:>[ \t]?|[-*+][ \t]++|\#{1,6}[ \t]++)++)
    | (?P<delimiters>(?<![^\r\n])[ \t:|-]++(?![^\r\n]))
    | (?P<other>\||~~)
    """,
    re.VERBOSE,
)
_DEEPEST = 4  # marks inside one another


class _Piece(NamedTuple):
    """A part of a text that is seen otherwise."""

    start: int
    end: int
    seen: str = ""


class RenderedText:
    """A text as it is seen on a page, which knows where each character comes from.

    Parameters
    ----------
    text : str
        Markdown or HTML.

    Attributes
    ----------
    text : str
        What is seen.

    Examples
    --------
    >>> page = RenderedText("See [the *docs*](https://example.org/a_(b)).<br />Up &amp; down")
    >>> page.text, page.span(4, 7)
    ('See the *docs*.Up & down', (5, 8))
    """

    def __init__(self, text: str) -> None:
        # where each stretch starts in what is seen, its span in the text, and whether it is the same there
        self._starts: list[int] = []
        self._stretches: list[tuple[int, int, bool]] = []
        seen: list[str] = []
        length = place = 0
        for piece in (*_pieces(text), _Piece(len(text), len(text))):
            kept = _Piece(place, piece.start, text[place : piece.start])
            for stretch in (kept, piece):
                if stretch.seen:
                    self._starts.append(length)
                    self._stretches.append((stretch.start, stretch.end, stretch is kept))
                    seen.append(stretch.seen)
                    length += len(stretch.seen)
            place = piece.end
        self.text = "".join(seen)

    def span(self, start: int, end: int) -> Span:
        """Give the span of the original text that a span of what is seen comes from."""
        return self._origin(start)[0], self._origin(end - 1)[1]

    def _origin(self, place: int) -> Span:
        number = bisect_right(self._starts, place) - 1
        start, end, is_same = self._stretches[number]
        if not is_same:
            return start, end
        return start + place - self._starts[number], start + place - self._starts[number] + 1


def _pieces(text: str) -> list[_Piece]:
    """Find the parts that are seen otherwise, in order."""
    found: list[_Piece] = []
    opened: list[Span] = []
    for match in _MARK.finditer(text):
        start, end = match.span()
        if match["open"]:
            opened.append((start, end))
        elif match["close"]:
            opener = opened.pop() if opened else None
            if opener is None or end == start + 1:
                continue
            if text[opener[0]] == "!":
                while found and found[-1].start >= opener[0]:
                    found.pop()
                found.append(_Piece(opener[0], end))
            else:
                found += [_Piece(*opener), _Piece(start, end)]
        elif match["escape"]:
            found.append(_Piece(start, end, text[end - 1].replace("|", "")))
        elif match["reference"]:
            found.append(_Piece(start, end, html.unescape(match.group())))
        elif match["address"]:
            close = text.index(">", end)
            found += [_Piece(start, end), _Piece(close, close + 1)]
        else:
            found.append(_Piece(start, end))
    return sorted(found)


def rendered(text: str) -> str:
    """Give what is seen of a text.

    Examples
    --------
    >>> rendered("- **Plans**: [Free](free.md)")
    '**Plans**: Free'
    """
    return RenderedText(text).text


RENDERED = Reason("rendered", say("marks of Markdown and HTML are ignored"), rendered)
"""All that is not seen on a page is overlooked, and all that `REASONS` overlook."""


def rendered_matches(text: str, quote: str, page: RenderedText, folded: FoldedText, limit: int = 50) -> list[Near]:
    """Find the passages that look like a quote on the rendered page, in order.

    Parameters
    ----------
    text, quote : str
        Originals.
    page : RenderedText
        That of the text.
    folded : FoldedText
        That of what is seen.
    limit : int
        How many places to look at.

    Examples
    --------
    >>> text = "Read [the `docs`](/docs) first."
    >>> page = RenderedText(text)
    >>> [text[near.start : near.end] for near in rendered_matches(text, "the docs", page, FoldedText(page.text))]
    ['the `docs`']
    """
    wanted = fold_text(rendered(quote))
    found: dict[Span, Near] = {}
    places = chain.from_iterable(occurrences(folded.text, wanted))
    for place in islice(places, limit):
        seen = folded.span(place, place + len(wanted))
        if fold_text(page.text[slice(*seen)]) == wanted:  # else it begins or ends inside one character
            span = _balanced(text, *page.span(*seen))
            found.setdefault(span, Near(*span, (RENDERED,), len(REASONS) + 1))
    return list(found.values())


def _balanced(text: str, start: int, end: int) -> Span:
    """Take in the marks at either end whose other half is inside."""
    for _ in range(_DEEPEST):
        before = start, end
        start, end = with_other_halves(text, start, end)
        open_brackets = text.count("[", start, end) - text.count("]", start, end)
        close = _MARK.match(text, end)
        if open_brackets > 0 and close and close["close"]:
            end = close.end()
        elif open_brackets < 0 and text[start - 1 : start] == "[":
            start -= 1
        if before == (start, end):
            break
    return start, end
