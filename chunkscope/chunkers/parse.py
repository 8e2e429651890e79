"""The spelling of chunkers: ``heading(prepend=headings+title, merge=true)``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.fixed import FixedChunker
from chunkscope.chunkers.heading import HeadingChunker
from chunkscope.chunkers.sentence import SentenceChunker
from chunkscope.chunkers.token import TokenChunker
from chunkscope.errors import ChunkerError, did_you_mean

CHUNKERS: dict[str, type[Chunker]] = {
    chunker.name: chunker for chunker in (FixedChunker, SentenceChunker, HeadingChunker, TokenChunker)
}

_SPELLING = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_WHOLE_NUMBER = re.compile(r"-?\d{1,60}")  # Python reads no more than 4,300 digits


def parse_chunker(text: str) -> Chunker:
    """Read one chunker; the inverse of ``str``.

    Raises
    ------
    ChunkerError
        An unknown chunker or setting (with the nearest name), or a value that is none.

    Examples
    --------
    >>> parse_chunker("heading(merge=true, prepend=headings+title)")
    HeadingChunker(size=None, overlap=0, unit='char', prepend=('headings', 'title'), merge=True)
    >>> str(_)
    'heading(prepend=headings+title, merge=true)'
    """
    match = _SPELLING.fullmatch(text)
    if not match:
        raise ChunkerError(f"{text!r} is no chunker; write a name, or a name with settings such as fixed(size=400)")
    name, settings = match[1], match[2]
    if name not in CHUNKERS:
        raise ChunkerError(f"unknown chunker {name!r}; {_hint(name, CHUNKERS)}there are {', '.join(CHUNKERS)}")
    chunker = CHUNKERS[name]
    known = {entry.name: entry for entry in dataclasses.fields(chunker)}
    values: dict[str, object] = {}
    for setting in settings.split(",") if settings and settings.strip() else []:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or not value:
            raise ChunkerError(f"{name}: {setting.strip()!r} is no setting; write key=value")
        if key not in known:
            raise ChunkerError(f"{name} has no {key!r}; {_hint(key, known)}it has {', '.join(known)}")
        if key in values:
            raise ChunkerError(f"{name}: {key} is given twice")
        values[key] = _read_value(key, value)
    return chunker(**values)  # type: ignore[arg-type]  # checked by the chunker when it is made


def parse_chunkers(text: str) -> tuple[Chunker, ...]:
    """Read a comma list of chunkers; commas inside brackets separate settings.

    Examples
    --------
    >>> [str(chunker) for chunker in parse_chunkers("fixed,sentence(oversize=keep, newline=end)")]
    ['fixed', 'sentence(oversize=keep, newline=end)']
    """
    return tuple(dict.fromkeys(parse_chunker(part) for part in _outside_brackets(text)))


def _outside_brackets(text: str) -> list[str]:
    """Split at the commas that stand in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _read_value(key: str, value: str) -> object:
    if key == "prepend":
        return tuple(part.strip() for part in value.split("+"))
    if key == "unit":
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    return int(value) if _WHOLE_NUMBER.fullmatch(value) else value


def _hint(name: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known)
    return f"{hint} " if hint else ""
