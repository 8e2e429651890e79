"""A text with its cuts drawn into it, in rows that fit a terminal."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from chunkscope.chunkers.base import Chunking
from chunkscope.corpus.document import LINE_END
from chunkscope.reports.visible import placed_pieces
from chunkscope.reports.width import BLUE, BOLD, DIM, RED, UNDERLINE, YELLOW, ellipsis, painted
from chunkscope.reports.width import width as cells
from chunkscope.spans.intervals import Span

TAB = "    "
AROUND = 3
"""Rows that are drawn on either side of what is near."""
Row = tuple[str, int, int]
"""What is drawn, and the stretch of text in it."""
BY_TURNS = (BLUE, YELLOW)
"""Of chunks that follow each other."""
_CUT, _EVIDENCE = BOLD + RED, BOLD + UNDERLINE


@dataclass(frozen=True)
class Signs:
    """What is drawn where a chunk ends and the next starts, where an overlap starts, and where it ends."""

    cut: str = "│"
    opens: str = "⟦"
    closes: str = "⟧"


UNICODE, ASCII = Signs(), Signs("<|>", "[[", "]]")


def draw_cuts(
    text: str,
    cut: Chunking,
    *,
    width: int,
    color: bool = False,
    ascii: bool = False,
    underlined: Sequence[Span] = (),
    near: Sequence[Span] = (),
    pages: Sequence[tuple[int, str]] = (),
) -> Iterator[str]:
    r"""Give the rows of a text with its cuts.

    Parameters
    ----------
    text : str
    cut : Chunking
        The chunks of this text.
    width : int
        Columns of a row, wide characters counting two.
    color : bool
        Chunks blue and yellow by turns, overlaps dim, cuts red, and what is underlined bold and underlined.
    ascii : bool
        Signs of ASCII only; the text stays as it is.
    underlined : sequence of (start, end)
    near : sequence of (start, end), optional
        Only rows with some of these are drawn, and a few before and behind; what is left out is one row.
    pages : sequence of (int, str)
        Where each page begins, and what stands in a row of its own above the first row of it that is drawn.

    Yields
    ------
    str
        A row without a line end. In front stand the numbers of the chunks that hold its text; a minus where none does.

    Examples
    --------
    >>> from chunkscope.chunkers import FixedChunker
    >>> from chunkscope.corpus.document import Document
    >>> from chunkscope.structure.analysis import DocumentAnalysis
    >>> chunker = FixedChunker(6, 2)
    >>> boundaries = chunker.segment(DocumentAnalysis(Document("a.md", "いろは\nにほへとちり")))
    >>> for row in draw_cuts("いろは\nにほへとちり", chunker.chunks(boundaries), width=40):
    ...     print(row)
      0  いろは
    0-1  ⟦にほ⟧へとちり
    """
    drawing = _Drawing(text, cut, ascii, underlined)
    margin = len(drawing.label(0, max(len(text), 1)).strip()) if len(cut.spans) else 1
    margin = max(margin, 2 * len(str(int(drawing.numbers[-1]) if len(cut.spans) else 0)) + 1)
    room = max(width - margin - 2, 8)
    lines = _lines_near(text, near) if near else _lines(text)
    drawn = (row for start, end in lines for row in drawing.rows(start, end, room, color))
    waiting = deque(pages)
    for row, first, last in _near(drawn, near) if near else drawn:
        if first < 0:
            yield ellipsis(ascii).rjust(margin)
            continue
        begun = ""
        while waiting and waiting[0][0] <= first:
            _, begun = waiting.popleft()
        if begun:
            yield f"{'':{margin}}  {painted(begun, BOLD, color)}"
        label = drawing.label(first, max(last, first + 1)).rjust(margin)
        label = painted(label, DIM, color)
        yield f"{label}  {row}" if row else label


def _near(rows: Iterable[Row], near: Sequence[Span]) -> Iterator[Row]:
    """Leave out rows that are not near; one with a negative place stands for each stretch of them."""
    held: deque[Row] = deque(maxlen=AROUND)
    n_behind = n_left_out = 0
    for row in rows:
        _, first, last = row
        if any(first < end and start < last for start, end in near):
            if n_left_out > len(held):
                yield "", -1, -1
            yield from held
            held.clear()
            n_behind, n_left_out = AROUND, 0
            yield row
        elif n_behind:
            n_behind -= 1
            yield row
        else:
            n_left_out += 1
            held.append(row)
    if n_left_out:
        yield "", -1, -1


def _lines_near(text: str, near: Sequence[Span]) -> Iterator[Span]:
    """Give the lines that are worth drawing: those near, and one more on either side, for where some are left out."""
    lines = list(_lines(text))
    starts = np.array([start for start, _ in lines])
    wanted = np.zeros(len(lines), dtype=np.bool_)
    for start, end in near:
        first, behind = np.searchsorted(starts, start, side="right") - 1, np.searchsorted(starts, end, side="left")
        wanted[max(0, first - AROUND - 1) : behind + AROUND + 1] = True
    return (lines[number] for number in np.flatnonzero(wanted).tolist())


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Give the start and the end of each line."""
    start = 0
    for match in LINE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    if text and not text.endswith(("\n", "\r")):
        yield start, len(text)


class _Drawing:
    """Where signs and styles belong."""

    def __init__(self, text: str, cut: Chunking, ascii: bool, underlined: Sequence[Span]) -> None:
        self.text = text
        self.ascii = ascii
        self.spans = cut.spans
        self.numbers = cut.numbers
        self.signs = _signs_at(cut, ASCII if ascii else UNICODE)
        self.styles = self._styles()
        marks = np.zeros(len(text) + 1, dtype=np.bool_)
        for start, end in underlined:
            marks[start:end] = True
        self.underlined = marks

    def _styles(self) -> list[str]:
        """Colour each character as its chunk, by turns as on the page of a report; dim where two chunks hold it."""
        started, ended = np.zeros((2, len(self.text) + 1), dtype=np.int64)
        np.add.at(started, self.spans[:, 0], 1)
        np.add.at(ended, self.spans[:, 1], 1)
        started, held = np.cumsum(started), np.cumsum(started) - np.cumsum(ended)
        kinds = np.where(held > 1, 2, np.where(held == 1, (started - 1) % 2, 3))
        return [(*BY_TURNS, DIM, "")[kind] for kind in kinds.tolist()]

    def label(self, start: int, end: int) -> str:
        """Name the chunks that hold something of a stretch."""
        first = int(np.searchsorted(self.spans[:, 1], start, side="right"))
        behind = int(np.searchsorted(self.spans[:, 0], end, side="left"))
        if first >= behind:
            return "-"
        low, high = int(self.numbers[first]), int(self.numbers[behind - 1])
        return str(low) if low == high else f"{low}-{high}"

    def rows(self, start: int, end: int, room: int, color: bool) -> Iterator[Row]:
        """Break a line into rows; each comes with the stretch of text in it."""
        drawn: list[tuple[str, str]] = []
        used, first = 0, start
        for place, shown in self._pieces(start, end):
            sign = self.signs.get(place, "")
            taken = cells(sign) + cells(shown)
            if drawn and used + taken > room:
                yield _painted(drawn, color), first, place
                drawn, used, first = [], 0, place
            style = (_EVIDENCE if self.underlined[place] else "") + self.styles[place]
            drawn += [(_CUT, sign), (style, shown)]
            used += taken
        # a cut between the line's last character and its end, or inside a CR LF, is drawn behind the line
        rest = "".join(self.signs.get(place, "") for place in range(end, self._behind(end)))
        if drawn and used + cells(rest) > room:
            yield _painted(drawn, color), first, end
            drawn, first = [], end
        yield _painted([*drawn, (_CUT, rest)], color), first, max(end, first)

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Give where each piece of a line begins and how it is shown; signs part what would else stand together."""
        edges = [start, *(place for place in range(start + 1, end) if place in self.signs), end]
        for begin, behind in pairwise(edges):
            place = begin
            for length, shown in placed_pieces(self.text[begin:behind], ascii=self.ascii):
                yield place, TAB if self.text[place] == "\t" else shown
                place = begin + length

    def _behind(self, end: int) -> int:
        """Give where the line end at a place ends; the text's end has one place more, for a sign behind it."""
        match = LINE_END.match(self.text, end)
        return match.end() if match else end + 1


def _painted(drawn: Sequence[tuple[str, str]], color: bool) -> str:
    """Join what is drawn, each stretch of one style at once."""
    shown = [(style, text) for style, text in drawn if text]
    return "".join(
        painted("".join(text for _, text in run), style, color) for style, run in groupby(shown, key=lambda one: one[0])
    )


def _signs_at(cut: Chunking, signs: Signs) -> dict[int, str]:
    """Give what is drawn in front of which characters."""
    closes: dict[int, str] = {}
    opens: dict[int, str] = {}
    spans = cut.spans.tolist()
    for (_, end), (start, _) in pairwise(spans):
        if start < end:
            opens[start] = opens.get(start, "") + signs.opens
            closes[end] = closes.get(end, "") + signs.closes
        elif start == end:
            closes[end] = closes.get(end, "") + signs.cut
        else:
            closes[end] = closes.get(end, "") + signs.cut
            opens[start] = opens.get(start, "") + signs.cut
    return {place: closes.get(place, "") + opens.get(place, "") for place in {*closes, *opens}}
