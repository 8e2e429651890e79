"""The habits of dialects: what MkDocs, Docusaurus or Hugo take for blocks of their own, and CommonMark does not.

A document is never changed. The parser is given a copy of the same length in which a line that is marks alone, such as
``:::note``, is an empty heading, which ends what stands above wherever it stands, and the head of an indented body,
such as ``!!! note``, begins a list item, so that the body belongs to it. No offset moves, and what is an example in a
block of code stays one. What MDX does with indentation is in `mdx`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from chunkscope.corpus.dialect import AUTO, DIALECTS, of_document
from chunkscope.spans.intervals import IntArray, Span
from chunkscope.structure.mdx import read_mdx
from chunkscope.structure.patterns import holds, lazily


class Mark(NamedTuple):
    """Whole lines, without the last line end, that are marks of a habit and nothing to read; or code, as MDX has it."""

    start: int
    end: int
    habit: str
    is_code: bool = False


@dataclass(slots=True)
class Reading:
    """What the parser is given for a text, and what is known of it besides.

    Attributes
    ----------
    raw : bytes
    marks : list of Mark
        In the text. Those that the parser finds to be code are none.
    starts : list of int
        Lines that start a block though the parser takes them for more of the one before.
    places : int64 (len(raw) + 1,) or None
        Where each byte stands in the text; None: where it stands.
    """

    raw: bytes
    marks: list[Mark] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    places: IntArray | None = None


_PREFIX = rb"^[ \t>]*+"
_END = rb"[ \t]*+(?=\r?$)"
_HEAD = (
    rb"(?:!!![ ]?[\w-]++(?:[ ]++[\w-]++)*+(?:[ ]++\"[^\r\n]*+)?"
    rb"|\?\?\?\+?[ ]?[\w\"-][^\r\n]*+|===(?:[!+]{1,2})?[ ]++\"[^\r\n]*+)"
)
_LONE = {
    "containers": rb":{3,}[^\r\n]*+",
    "slashes": rb"/{3,}(?:[ \t]++\w[^\r\n]*+)?+" + _END,
    "shortcodes": rb"(?:\{\{[<%](?:[^{>%]|\{(?!\{)|[>%](?!\}\}))*+[>%]\}\}[ \t]*+)++(?=\r?$)",
    "liquid": rb"(?:\{%(?:[^%\n]|%(?!\}))*+%\}[ \t]*+)++(?=\r?$)",
    "comments": rb"%%(?:[^%\n]|%(?!%)|\n(?![ \t]*\r?$))*+%%" + _END,
}
_LONE_LINES = {name: lazily(_PREFIX + rb"(?P<mark>" + lone + rb")", re.MULTILINE) for name, lone in _LONE.items()}
_LISTED = rb"(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+"
_CALLOUT = lazily(rb"[ \t]*+" + _LISTED + rb"(?:>[ \t]*+)++(?P<mark>\[![\w-]++(?:\|[^\]\r\n]*+)?+\][^\r\n]*+)")
_ADMONITION = lazily(_PREFIX + _LISTED + rb"(?P<mark>" + _HEAD + rb")" + _END, re.MULTILINE)
_DEFINITION = lazily(rb"^ {0,3}(?P<mark>:)(?=[ \t]{1,3}[^ \t\r\n])", re.MULTILINE)
_FOOTNOTE = lazily(rb"^ {0,3}(?P<mark>\[\^[^\]\r\n]++\]:)(?=[ \t]|\r?$)", re.MULTILINE)
_FORMULA_LINES = 60
_NO_BREAK = r"(?![ \t>]*+(?:\r?$|```|~~~))"


def _formula(opening: str, closing: str) -> str:
    """Give the pattern of a formula: it ends before a blank line, and at the end of a line."""
    line = rf"(?![^\n]*?{closing})[^\n]*+\n{_NO_BREAK}"
    return rf"{opening}(?:{line}){{0,{_FORMULA_LINES}}}+[^\n]*?{closing}[ \t.,;]*+(?=\r?$)"


_FORMULA = lazily(
    r"^[ \t>]*+(?P<mark>"
    + "|".join(
        (
            _formula(r"\$\$(?!\$)", r"\$\$"),
            _formula(r"\\\[(?=[ \t]*\r?$)", r"\\\]"),
            _formula(r"\\begin\{(?P<name>[A-Za-z]++\*?)\}", r"\\end\{(?P=name)\}"),
        )
    )
    + ")",
    re.MULTILINE,
)
_PROOFS: Mapping[str, tuple[tuple[bytes | str, ...], tuple[re.Pattern[bytes], ...]]] = {
    "admonitions": (
        (b"!!!", b"???", b"==="),
        (
            lazily(
                rb"^(?P<indent>[ \t>]*+)" + _LISTED + _HEAD + rb"[ \t]*\r?\n(?:[ \t>]*\r?\n)?(?P=indent)(?: {4}|\t)",
                re.MULTILINE,
            ),
        ),
    ),
    "containers": (
        (b":::",),
        (
            lazily(_PREFIX + rb":{3,}[ \t]*+[\w{]", re.MULTILINE),
            lazily(_PREFIX + rb":{3,}" + _END, re.MULTILINE),
        ),
    ),
    "slashes": (
        (b"///",),
        (
            lazily(_PREFIX + rb"/{3,}[ \t]++\w", re.MULTILINE),
            lazily(_PREFIX + rb"/{3,}" + _END, re.MULTILINE),
        ),
    ),
    "shortcodes": ((b"{{<", b"{%"), (_LONE_LINES["shortcodes"],)),
    "liquid": ((b"{%",), (_LONE_LINES["liquid"],)),
}
"""By which marks a document of no known dialect is found to have a habit all the same: one of these, then all."""


def read_dialect(text: str, raw: bytes, top: int, name: str, dialect: str = AUTO) -> Reading:
    r"""Give what the parser should be given in place of a text.

    Parameters
    ----------
    text, raw : str, bytes
        The text, and a byte for each of its characters.
    top : int
        Where the front matter ends.
    name : str
        Of the document: files called ``.mdx`` are MDX, where `dialect` does not say otherwise.
    dialect : str
        One of `DIALECTS`, or ``auto``: what the marks in the text show.

    Examples
    --------
    >>> note = '!!! note\n    a\n:::\n'
    >>> read_dialect(note, note.encode(), 0, "a.md").raw
    b'-   #   \n    a\n:::\n'
    >>> read_dialect(note, note.encode(), 0, "a.md", "commonmark").raw == note.encode()
    True
    """
    habits = of_document(name, dialect)
    if habits is None:
        habits = _shown_habits(text, raw)
    reading = Reading(raw)
    edited: bytearray | None = None
    for habit, (needles, edit) in _EDITS.items():
        if habit in habits and _has_any(needles, text, raw):
            edited = bytearray(raw) if edited is None else edited
            reading.marks += [Mark(*span, habit) for span in edit(edited, text, top)]
            if habit == "admonitions":
                reading.starts += _behind_bodies(raw, reading.marks)
    if edited is not None:
        reading.raw = bytes(edited)
    if "mdx" in habits:
        reading.raw, reading.places, found = read_mdx(reading.raw, top)
        reading.marks += [Mark(start, end, "mdx", is_code) for start, end, is_code in found]
    reading.marks.sort()
    return reading


def _shown_habits(text: str, raw: bytes) -> frozenset[str]:
    """Give the habits that the marks in a text show."""
    found = {
        habit
        for habit, (needles, proofs) in _PROOFS.items()
        if _has_any(needles, text, raw) and all(proof.search(raw) for proof in proofs)
    }
    return DIALECTS["github"] | found


def _has_any(needles: tuple[bytes | str, ...], text: str, raw: bytes) -> bool:
    """Look in the copy, which is quicker, or in the text, where signs beyond ASCII would be dollars in the copy."""
    for needle in needles:  # noqa: SIM110 - it is asked for each document, many times
        if holds(text, needle) if isinstance(needle, str) else holds(raw, needle):
            return True
    return False


Edit = Callable[[bytearray, str, int], Iterator[Span]]


def _lone_lines(pattern: re.Pattern[bytes]) -> Edit:
    def edit(raw: bytearray, text: str, top: int) -> Iterator[Span]:
        for match in pattern.finditer(bytes(raw), top):
            yield _stand_alone(raw, *match.span("mark"))

    return edit


def _callouts(raw: bytearray, text: str, top: int) -> Iterator[Span]:
    source = bytes(raw)
    place = source.find(b"[!", top)
    while place >= 0:
        line = _line_start(source, place)
        match = _CALLOUT.match(source, line)
        if match:
            yield _stand_alone(raw, *match.span("mark"))
        end = source.find(b"\n", place)
        place = source.find(b"[!", end) if end >= 0 else end


def _formulas(raw: bytearray, text: str, top: int) -> Iterator[Span]:
    for match in _FORMULA.finditer(text, top):
        yield _stand_alone(raw, *match.span("mark"))


def _admonitions(raw: bytearray, text: str, top: int) -> Iterator[Span]:
    source = bytes(raw)
    for match in _ADMONITION.finditer(source, top):
        start, end = match.span("mark")
        if end - start >= len(_ITEM):
            raw[start:end] = _ITEM.ljust(end - start)
            yield _line_start(source, start), end
    for pattern in (_DEFINITION, _FOOTNOTE):
        for match in pattern.finditer(source, top):
            start, end = match.span("mark")
            raw[start:end] = b"-" if end - start == 1 else b"-   ".ljust(end - start, b"$")


def _behind_bodies(raw: bytes, heads: list[Mark]) -> Iterator[int]:
    """Give the lines that stand right below an indented body, and to the left of it; lists go on in such lines."""
    columns = {head.start: _LISTED_PREFIX.match(raw, head.start, head.end).end() - head.start for head in heads}  # type: ignore[union-attr]
    below: list[int] = []
    is_behind_blank = True
    for line in _LINE.finditer(raw, heads[0].start if heads else len(raw)):
        if not line["text"]:
            is_behind_blank = True
            continue
        n_open = len(below)
        while below and len(line["indent"].expandtabs(_BODY_INDENT)) < below[-1] + _BODY_INDENT:
            below.pop()
        if len(below) < n_open and not is_behind_blank:
            yield line.start()
        if line.start() in columns:
            below.append(columns[line.start()])
        is_behind_blank = False


_BODY_INDENT = 4
_LISTED_PREFIX = lazily(rb"[ \t>]*+" + _LISTED)
_LINE = lazily(rb"^(?P<indent>[ \t>]*+)(?P<text>[^\r\n]?)[^\n]*+\n?", re.MULTILINE)

_ITEM = b"-   #"
"""An item whose text begins where MkDocs has the indented body begin, and in it an empty heading."""


def _stand_alone(raw: bytearray, start: int, end: int) -> Span:
    """Put an empty heading in the place of each line of some marks."""
    line = _line_start(raw, start)
    place = start
    while place < end:
        line_end = raw.find(b"\n", place, end)
        line_end = end if line_end < 0 else line_end - (raw[line_end - 1 : line_end] == b"\r")
        if line_end > place:
            raw[place:line_end] = b"#".ljust(line_end - place)
        following = _PREFIX_OF_LINE.match(raw, line_end, end)
        place = following.end() if following else end
    return line, end


_PREFIX_OF_LINE = lazily(rb"[\r\n]++[ \t>]*+")


def _line_start(raw: bytes | bytearray, place: int) -> int:
    return raw.rfind(b"\n", 0, place) + 1


_EDITS: Mapping[str, tuple[tuple[bytes | str, ...], Edit]] = {
    "admonitions": ((b"",), _admonitions),
    "callouts": ((b"[!",), _callouts),
    "formulas": (("$$", b"\\[", b"\\begin{"), _formulas),
    **{
        habit: (needles, _lone_lines(_LONE_LINES[habit]))
        for habit, needles in (
            ("containers", (b":::",)),
            ("slashes", (b"///",)),
            ("shortcodes", (b"{{<", b"{{%")),
            ("liquid", (b"{%",)),
            ("comments", (b"%%",)),
        )
    },
}

NEEDLES = tuple(
    needle if isinstance(needle, str) else needle.decode()
    for needle in dict.fromkeys(needle for needles, _ in (*_EDITS.values(), *_PROOFS.values()) for needle in needles)
    if needle
)
"""A text without any of these, and that is no MDX, has no habit of a dialect."""
