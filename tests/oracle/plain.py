"""The plain data that everything here reads: texts with their structure, questions, and the settings of a chunker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Span = tuple[int, int]


class Heading(NamedTuple):
    start: int
    end: int
    level: int


class Table(NamedTuple):
    """The rows of a table; `kind` is "pipe" or "html"."""

    kind: str
    start: int
    end: int
    header: list[Span]
    rows: list[Span]


class Text(NamedTuple):
    """A document and what its readers found in it; offsets are characters.

    `inside_number` and `inside_word` say of each offset whether it is inside one. `units` gives, for each unit but
    "char", the character in which each unit begins, and whether it begins inside that character.
    """

    name: str
    text: str
    sentence_starts: list[int]
    block_starts: list[int]
    headings: list[Heading]
    tables: list[Table]
    code: list[Span]
    inside_number: list[bool]
    inside_word: list[bool]
    inside_character: list[bool]
    front_matter_end: int
    status: object
    units: Mapping[str, tuple[list[int], list[bool]]]


class Entry(NamedTuple):
    document: str
    start: int
    end: int


class Question(NamedTuple):
    """`match` is "all" or "any"."""

    id: str
    match: str
    evidence: list[Entry]


class Settings(NamedTuple):
    """A chunker; settings that its kind does not have stay as they are here."""

    name: str
    unit: str
    size: int | None
    overlap: int
    prepend: tuple[str, ...] = ()
    tail: str = "drop"
    raw: bool = False
    overlap_by: str = "sentences"
    oversize: str = "split"
    newline: str = "space"
    merge: bool = False
    separators: str | tuple[str, ...] = "default"
    keep: str = "start"
    strip: bool = True
