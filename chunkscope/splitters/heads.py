"""What stands in front of a piece's body: headings and table headers that are repeated, and text from elsewhere."""

from __future__ import annotations

import re
from typing import NamedTuple

from chunkscope.spans.intervals import Span
from chunkscope.splitters.anchors import SHORTEST
from chunkscope.splitters.normal_form import normal_form
from chunkscope.splitters.texts import Texts

_LINE_END = re.compile(r"[\r\n]+")
_STEP = re.compile(r"\s+[>›»→/|]+\s+|\s*[:：]\s+")  # between the steps of a heading path
_BACK = 1 << 12  # characters before a body in which its headings stand
_LONG = 12  # characters that are repeated text wherever they stand; fewer must be a line
_TRIES = 16
_MARKS = " \t#*_>=|`-\u3000"


class Head(NamedTuple):
    """What stands in front of a body.

    Attributes
    ----------
    prepended : tuple of Span
        Where the text has it, in the order of the piece.
    prefix : int
        Characters that are no text of the document.
    repeated : int
        Characters in normal form that the text has.
    """

    prepended: tuple[Span, ...]
    prefix: int
    repeated: int


class Heads:
    """Reads heads.

    Parameters
    ----------
    texts : Texts

    Examples
    --------
    >>> text = "# Fees\\n\\nWho pays, and how much.\\n\\nWho pays nothing."
    >>> Heads(Texts(text)).read("From the tariff:\\n# Fees\\n", 33)
    Head(prepended=((0, 6),), prefix=16, repeated=5)
    """

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._known: dict[str, Span] = {}  # where a heading was last, however far away

    def read(self, head: str, before: int) -> Head:
        """Find the parts of a head in the text before an offset, the nearest ones."""
        spans: list[Span] = []
        prefix = repeated = 0
        for line in _LINE_END.split(head):
            whole = self._find(line, before)
            if whole:
                spans.append(whole)
                repeated += len(normal_form(line))
                continue
            parts = _STEP.split(line)
            found = [(span, part) for part in parts if len(parts) > 1 and (span := self._find(part, before))]
            spans += [span for span, _ in found]
            known = sum(len(part) for _, part in found)
            repeated += sum(len(normal_form(part)) for _, part in found)
            if not found:
                some, known = self._read_in_part(line, before)
                spans += some
                repeated += known
            prefix += max(0, len(line.strip()) - known)
        return Head(self._merged(spans), prefix, repeated)

    def _find(self, part: str, before: int) -> Span | None:
        """Find a line, or a step of a heading path."""
        form = self._texts.normal
        needle = normal_form(part)
        if len(needle) >= SHORTEST:
            return self._find_long(needle, before)
        high = form.place(before) - len(needle)
        low = high - _BACK
        while needle and (place := form.last(needle, low, high)) >= 0:
            span = form.start(place), form.end(place + len(needle))
            if len(needle) >= _LONG or self._is_line(*span):
                self._known[needle] = span
                break
            low, high = max(low, high - _BACK // _TRIES), place - 1
        known = self._known.get(needle)
        return known if known and known[1] <= before else None

    def _find_long(self, needle: str, before: int) -> Span | None:
        form = self._texts.normal
        places = self._texts.everywhere(form, needle, form.place(before))
        place = max((place for place in places if form.start(place) < before), default=-1)
        return (form.start(place), form.end(place + len(needle))) if place >= 0 else None

    def _is_line(self, start: int, end: int) -> bool:
        """Tell whether a span is a line, marks at its ends aside."""
        text = self._texts.text
        before = _LINE_END.split(text[max(0, start - _TRIES) : start])[-1]
        behind = _LINE_END.split(text[end : end + _TRIES])[0]
        return not before.strip(_MARKS) and not behind.strip(_MARKS)

    def _read_in_part(self, line: str, before: int) -> tuple[list[Span], int]:
        """Find long passages of the text in a line that is none of its own, and how many characters they have."""
        form, needle = self._texts.normal, normal_form(line)
        spans: list[Span] = []
        known = behind = 0
        if len(needle) >= SHORTEST:
            for segment in sorted(self._texts.anchors(form).segments(needle, form.place(before))):
                if segment.start >= behind and segment.length >= SHORTEST:
                    spans.append((form.start(segment.place), form.end(segment.place + segment.length)))
                    behind = segment.end
                    known += segment.length
        return spans, known

    def _merged(self, spans: list[Span]) -> tuple[Span, ...]:
        """Join spans that follow one another in the text too."""
        merged: list[Span] = []
        for start, end in spans:
            if merged and merged[-1][1] <= start <= self._texts.blanks.behind(merged[-1][1]):
                merged[-1] = merged[-1][0], end
            else:
                merged.append((start, end))
        return tuple(merged)
