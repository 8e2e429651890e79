"""What is seen of a text on the rendered page, and the way back: people copy quotes from there.

Left out are the targets of links, images, tags, comments, marks at the starts of lines, fences of code, bars and
delimiter lines of tables, attributes in braces and short codes; references to characters become these. Marks of
emphasis are overlooked anyway, see `fold_text`. No parser is asked: quotes are treated alike, so that what is taken
for a mark and is none still matches. What hangs on a word, such as the mark of a footnote or the reading of a ruby, is
shown by some pages and left out by some readers: both are tried.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain, islice
from typing import Literal, NamedTuple

from chunkscope.language import say
from chunkscope.questions.near_miss import REASONS, FoldedText, Near, Reason, fold_text, with_other_halves
from chunkscope.questions.quote_search import occurrences
from chunkscope.spans.intervals import Span

Notes = Literal["shown", "bracketed", "gone"]
"""What becomes of the marks of notes: ``5 MB1``, ``5 MB[1]``, ``5 MB``."""

# every alternative stops at the next character that could begin it again, or is bounded: no stretch is read twice
_MARK = re.compile(
    r"""
    (?P<escape>\\[!-/:-@\[-`{-~])
    | (?P<reference>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)
    | (?P<address><(?=[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\s]*+>))
    | (?P<hidden><!--|\{/\*|<(?:script|style|rp)\b)
    | (?P<raised><(?:sup|rt)\b[^<>]*+>(?P<raised_text>[^<>]{1,20})</(?:sup|rt)[^<>]*+>)
    | (?P<tag><[!/?A-Za-z](?:[^<>"']|"[^"<]*+"|'[^'<]*+'|["'])*+>)
    | (?P<definition>(?<![^\r\n])[ \t]*+\[\^[^\[\]\s]{1,100}\]:)
    | (?P<note>\[\^(?P<note_text>[^\[\]\s]{1,100})\])
    | (?P<cited>\[(?:\[|\\\[)(?P<cited_text>[^\[\]\\\r\n]{1,20})(?:\]|\\\])\]\([^()\r\n]*+\))
    | (?P<wiki>\[\[(?:[^\[\]|\r\n]*+\|)?+(?P<wiki_text>[^\[\]|\r\n]*+)\]\])
    | (?P<open>!?\[)
    | (?P<close>\](?:\([^()\r\n]*+(?:\([^()\r\n]*+\)[^()\r\n]*+)*+\)|\[[^\[\]\r\n]*+\])?+)
    | (?P<braces>\{[ \t]*+[.\#:][^{}\r\n]*+\}|\{\{[<%][^{}\r\n]*+\}\}|\{%[^{}\r\n]*+\})
    | (?P<fence>(?<![^\r\n])[ \t>]*+(?:`{3,}+|~{3,}+)[^\r\n`]*+(?![^\r\n]))
    | (?P<box>(?<![^\r\n])[ \t]*+(?:!!!|\?\?\?\+?|===)[ \t]++[\w-]*+[ \t]*+
        (?:"(?P<box_title>[^"\r\n]*+)")?+[ \t]*+(?![^\r\n]))
    | (?P<colons>(?<![^\r\n])[ \t]*+:{3,}+[ \t]*+[\w-]*+[ \t]*+(?:\[(?P<colons_title>[^\[\]\r\n]*+)\])?+)
    | (?P<alert>(?<![^\r\n])[ \t]*+(?:>[ \t]*+)++\[!(?P<alert_kind>[A-Za-z]{1,20})\][+-]?)
    | (?P<line>(?<![^\r\n])[ \t]*+
        (?:>[ \t]?|[-*+][ \t]++|[•◦▪‣・●○■□][ \t\u3000]*+|[0-9]{1,9}[.)][ \t]++|:[ \t]++|\#{1,6}[ \t]++)++
        (?:\[[ xX]\][ \t]++)?+)
    | (?P<closing>(?<![ \t])[ \t]++\#++[ \t]*+(?![^\r\n]))
    | (?P<delimiters>(?<![^\r\n])[ \t:|=-]++(?![^\r\n]))
    | (?P<script>(?<=\w)(?P<script_mark>[\^~])(?P<script_text>\w{1,20})(?P=script_mark)(?!\d))
    | (?P<math>\$(?P<math_text>[^\s$](?:[^$\r\n]{0,200}[^\s$])?+)\$(?!\d))
    | (?P<dashes>(?<!-)-{2,3}(?!-))
    | (?P<other>\||~~|(?<![=\s])==(?!=)|(?<!=)==(?![=\s]))
    """,
    re.VERBOSE,
)
_HANGS = re.compile(r"\[\^|\[\\?\[|\[!|<(?:sup|rt)\b", re.IGNORECASE)
_ENDS = {"<!--": "-->", "{/*": "*/}"}
_SHORT_REFERENCE = re.compile(r"(?<![^\r\n])[ \t]*+\[([^\[\]\r\n^][^\[\]\r\n]*+)\]:")
_APART = re.compile(r"</?(?:t[dhr]|br|p|div|li|d[dt]|h[1-6])\b", re.IGNORECASE)
_LINK_MARKS = re.compile(r"\[|\](?:\([^()]*\))?")
_MATH_MARKS = re.compile(r"[\^_{}\\]")
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
    notes : {"shown", "bracketed", "gone"}
        What becomes of the marks of notes and of readings.

    Attributes
    ----------
    text : str
        What is seen.

    Examples
    --------
    >>> page = RenderedText("See [the *docs*](https://example.org/a_(b)).<br />Up &amp; down")
    >>> page.text, page.span(4, 7)
    ('See the *docs*. Up & down', (5, 8))
    """

    def __init__(self, text: str, notes: Notes = "shown") -> None:
        # where each stretch starts in what is seen, its span in the text, and whether it is the same there
        self._starts: list[int] = []
        self._stretches: list[tuple[int, int, bool]] = []
        seen: list[str] = []
        length = place = 0
        for piece in (*_pieces(text, notes), _Piece(len(text), len(text))):
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


def _pieces(text: str, notes: Notes) -> list[_Piece]:
    """Find the parts that are seen otherwise, in order."""
    found: list[_Piece] = []
    opened: list[Span] = []
    known = {label.casefold() for label in _SHORT_REFERENCE.findall(text)}
    closers = _Closers(text)
    place = 0
    while (match := _MARK.search(text, place)) is not None:
        start, end = match.span()
        place = end
        if match["open"]:
            opened.append((start, end))
        elif match["close"]:
            opener = opened.pop() if opened else None
            if opener is None or (end == start + 1 and text[opener[1] : start].casefold() not in known):
                continue
            if text[opener[0]] == "!":
                while found and found[-1].start >= opener[0]:
                    found.pop()
                found.append(_Piece(opener[0], end))
            else:
                found += [_Piece(*opener), _Piece(start, end)]
        elif match["hidden"]:
            place = closers.behind(match["hidden"], end)
            found.append(_Piece(start, place))
        elif match["address"]:
            close = text.index(">", end)
            found += [_Piece(start, end), _Piece(close, close + 1)]
        elif match["wiki"]:
            found += [_Piece(start, match.start("wiki_text")), _Piece(match.end("wiki_text"), end)]
        else:
            found.append(_Piece(start, end, _seen(match, notes)))
    return sorted(found)


def _seen(match: re.Match[str], notes: Notes) -> str:
    """Give what is seen of a mark."""
    if match["escape"]:
        return match["escape"][1:].replace("|", " ")
    if match["reference"]:
        return html.unescape(match["reference"])
    if match["dashes"]:
        return "-"
    if match["note"]:
        return {"shown": match["note_text"], "bracketed": f"[{match['note_text']}]", "gone": ""}[notes]
    if match["cited"]:
        return "" if notes == "gone" else f"[{match['cited_text']}]"
    if match["raised"]:
        raised = _LINK_MARKS.sub("", match["raised_text"])
        return {"shown": raised, "bracketed": f"[{raised}]", "gone": ""}[notes]
    if match["alert"]:
        return match["alert_kind"] if notes == "shown" else ""
    if match["math"]:
        return _MATH_MARKS.sub("", match["math_text"])
    if match["other"] == "|" or (match["tag"] and _APART.match(match["tag"])):
        return " "  # or the numbers of two cells would be one
    return match["script_text"] or match["box_title"] or match["colons_title"] or ""


class _Closers:
    """Finds where hidden parts end; what does not come again is not looked for again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._absent: set[str] = set()

    def behind(self, opener: str, place: int) -> int:
        """Give the place behind what closes a part; the same place where nothing does."""
        close = _ENDS.get(opener) or f"</{opener[1:]}>"
        ends = [end for form in {close.lower(), close.upper()} if (end := self._find(form, place)) >= 0]
        return min(ends, default=place - len(close)) + len(close)

    def _find(self, close: str, place: int) -> int:
        end = -1 if close in self._absent else self._text.find(close, place)
        if end < 0:
            self._absent.add(close)
        return end


def rendered(text: str) -> str:
    """Give what is seen of a text.

    Examples
    --------
    >>> rendered("- **Plans**: [Free](free.md)")
    '**Plans**: Free'
    """
    return RenderedText(text).text


def pages_of(text: str) -> Iterator[RenderedText]:
    """Give a text as pages show it: where notes hang on words, in each of the ways.

    Examples
    --------
    >>> [page.text for page in pages_of("5 MB[^1].")]
    ['5 MB1.', '5 MB[1].', '5 MB.']
    """
    yield RenderedText(text)
    if _HANGS.search(text):
        yield RenderedText(text, "bracketed")
        yield RenderedText(text, "gone")


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
        passage = page.text[slice(*seen)]
        if fold_text(passage) == wanted:  # else it begins or ends inside one character
            span = _balanced(text, *page.span(*seen))
            found.setdefault(span, Near(*span, (RENDERED,), len(REASONS) + 1, passage))
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
