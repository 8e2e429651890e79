"""The spelling of chunkers: ``heading(prepend=headings+title, merge=true)``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from importlib import import_module

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.presets import expand_preset, is_preset
from chunkscope.chunkers.spelling import parse_settings, read_value, split_at_commas
from chunkscope.errors import ChunkerError, did_you_mean
from chunkscope.plugins import Registry

CHUNKERS = Registry(
    "chunker",
    "chunkscope.chunkers",
    {
        "fixed": "chunkscope.chunkers.fixed:FixedChunker",
        "sentence": "chunkscope.chunkers.sentence:SentenceChunker",
        "heading": "chunkscope.chunkers.heading:HeadingChunker",
        "recursive": "chunkscope.chunkers.recursive:RecursiveChunker",
        "token": "chunkscope.chunkers.token:TokenChunker",
    },
)
"""Our chunkers; installed packages offer more as entry points of ``chunkscope.chunkers``."""

SPLITTERS, SPLITTER_NAMES = "chunkscope.splitters.chunker", "chunkscope.splitters.packages"
"""What reads splitters from outside, and knows their names; imported by name, when one is asked for."""

_SPELLING = re.compile(r"\s*([\w.:-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


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
    if is_preset(name):
        name, settings = expand_preset(name, settings or "")
    if is_splitter(name):
        splitter: Chunker = import_module(SPLITTERS).parse_splitter(name, settings or "")
        return splitter
    chunker = find_chunker(name)
    known = {entry.name: entry for entry in dataclasses.fields(chunker)}
    values: dict[str, object] = {}
    for key, value in parse_settings(settings or "", name):
        if key not in known:
            raise ChunkerError(f"{name} has no {key!r}; {_hint(key, known)}it has {', '.join(known)}")
        values[key] = _read_setting(name, key, value)
    return chunker(**values)  # type: ignore[arg-type]  # checked by the chunker when it is made


def name_of(text: str) -> str:
    """Give the name in the spelling of a chunker.

    Examples
    --------
    >>> name_of(" heading(merge=true)")
    'heading'
    """
    return text.partition("(")[0].strip()


def is_splitter(name: str) -> bool:
    """Tell whether a name is that of a splitter from outside, whose code is run: a short name, or module:attribute.

    Examples
    --------
    >>> is_splitter("fixed"), is_splitter("langchain:recursive"), is_splitter("my_pipeline:split")
    (False, True, True)
    """
    if name in CHUNKERS.built_in or is_preset(name):
        return False
    return ":" in name or name in import_module(SPLITTER_NAMES).SPLITTERS


def find_chunker(name: str) -> type[Chunker]:
    """Give the class of a chunker by its name: one of ours, or one that an installed package offers.

    Raises
    ------
    ChunkerError
        Nothing has that name (the nearest is named), or what has it is no chunker.
    PluginError
        A package's chunker cannot be loaded.
    """
    if name not in CHUNKERS.built_in and name not in (names := CHUNKERS.names()):
        raise ChunkerError(
            f"unknown chunker {name!r}; {_hint(name, names)}there are {', '.join(names)}, and MODULE:ATTRIBUTE for a "
            "splitter of your own"
        )
    found: object = CHUNKERS.find(name)
    if not isinstance(found, type) or not issubclass(found, Chunker) or found.name != name:
        raise ChunkerError(f"chunker {name!r}: {found!r} is no subclass of Chunker with that name")
    return found


def parse_chunkers(text: str) -> tuple[Chunker, ...]:
    """Read a comma list of chunkers; commas inside brackets and quotes are not those of the list.

    Examples
    --------
    >>> [str(chunker) for chunker in parse_chunkers("fixed,sentence(oversize=keep, newline=end)")]
    ['fixed', 'sentence(oversize=keep, newline=end)']
    """
    return tuple(dict.fromkeys(parse_chunker(part) for part in split_at_commas(text)))


def _read_setting(name: str, key: str, value: str) -> object:
    if key == "prepend":
        return tuple(part.strip() for part in value.split("+"))
    found = value if key == "unit" else read_value(value, name)
    return tuple(found) if isinstance(found, list) else found


def _hint(name: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known)
    return f"{hint} " if hint else ""
