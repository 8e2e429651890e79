"""Every error that chunkscope raises on purpose.

::

    ChunkscopeError
    +-- InputError(ValueError)        a file, a document or a question that cannot be used as it is
    |   +-- DecodingError             bytes that are not text in the encoding: names file, byte offset, option
    |   +-- SpanError                 an array that holds no valid spans
    |   +-- LabelError                questions whose evidence does not stand in the documents
    +-- ChunkerError(ValueError)      a chunker that does not exist, or settings that clash
    +-- GridError(ValueError)         a grid of sizes and overlaps that means nothing
    +-- ConfigError(ValueError)       an entry of a configuration file
    +-- MissingPartError(RuntimeError)  an extra, a vocabulary or a dictionary that is not installed
    +-- ProviderError(RuntimeError)   an embedding provider that does not exist, refuses, or answers wrongly
    +-- SplitterError(RuntimeError)   a splitter from outside that raises, or gives no pieces of text
    +-- PluginError(ValueError)       a name that no package offers, or several, or one that cannot be imported

A message says where, what, and what to do, in one line; what many of them say is worded here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from difflib import get_close_matches

from chunkscope.language import say


class ChunkscopeError(Exception):
    """The root of all errors of this package."""


class InputError(ChunkscopeError, ValueError):
    """A file, a document or a question that cannot be used as it is."""


class DecodingError(InputError):
    """Bytes that are not text in the encoding that was asked for."""


class SpanError(InputError):
    """An array that holds no valid half-open spans."""


class LabelError(InputError):
    """Questions whose evidence does not stand in the documents as they say."""


class ChunkerError(ChunkscopeError, ValueError):
    """A chunker that does not exist, or settings of one that clash."""


class GridError(ChunkscopeError, ValueError):
    """A grid of sizes and overlaps that means nothing."""


class ConfigError(ChunkscopeError, ValueError):
    """An entry of a configuration file that means nothing."""


class MissingPartError(ChunkscopeError, RuntimeError):
    """An extra, a vocabulary or a dictionary that is not installed."""


class ProviderError(ChunkscopeError, RuntimeError):
    """An embedding provider that does not exist, refuses, or answers wrongly."""


class SplitterError(ChunkscopeError, RuntimeError):
    """A splitter from outside that cannot be set up, raises, or gives something that is no list of pieces."""


class PluginError(ChunkscopeError, ValueError):
    """A name that no package offers, or several do, or something offered that cannot be imported or used."""


def refuse_path(value: object, wanted: str, reader: str) -> None:
    """Raise an `InputError` where a path is given instead of what `reader` reads from it."""
    if isinstance(value, str | os.PathLike):
        raise InputError(f"{os.fspath(value)!r}: {wanted} are wanted, not a path; {reader} reads it")


def os_reason(error: Exception) -> str:
    """Say in a few words why the system refused.

    Examples
    --------
    >>> os_reason(FileNotFoundError(2, "No such file or directory")), os_reason(OSError(28, "No space left on device"))
    ('no such file or folder', 'no space left on device')
    """
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return "permission denied"
    return (getattr(error, "strerror", None) or str(error)).lower()


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask whether the nearest of the known names was meant; empty where none is near.

    Capitals make no difference, nor does a hyphen in place of an underscore.

    Examples
    --------
    >>> did_you_mean("Max-Splt", ["max_split", "max_missing"]), did_you_mean("sizes", ["corpus"])
    ("did you mean 'max_split'?", '')
    """
    by_form = {_form(one): one for one in known}
    near = get_close_matches(_form(name), by_form, 1)
    return say("did you mean {name!r}?", name=by_form[near[0]]) if near else ""


def _form(name: str) -> str:
    return name.lower().replace("-", "_")


def unit_noun(unit: str, n: int = 2) -> str:
    """Name what a unit counts, for `n` of them.

    Examples
    --------
    >>> unit_noun("char"), unit_noun("word", 1), unit_noun("cl100k_base"), unit_noun("rows of tables")
    ('characters', 'word', 'cl100k_base tokens', 'rows of tables')
    """
    if unit == "char":
        return say("{n:character|characters}", n=n)
    if unit == "word":
        return say("{n:word|words}", n=n)
    if " " in unit and not unit.endswith(".json"):  # what a splitter counts by itself, in words
        return unit
    return say("{unit} {n:token|tokens}", unit=unit, n=n)


def spoken_type(value: object) -> str:
    """Name the type of a JSON value as JSON does.

    Examples
    --------
    >>> spoken_type(None), spoken_type([1]), spoken_type(True)
    ('null', 'a list', 'a boolean')
    """
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return kinds.get(type(value), type(value).__name__)


def require_text(value: object, what: str) -> None:
    """Raise an `InputError` where something is no string, or holds half of a surrogate pair.

    Examples
    --------
    >>> require_text(b"a", "the id")
    Traceback (most recent call last):
    chunkscope.errors.InputError: the id must be a string, not bytes
    """
    if not isinstance(value, str):
        raise InputError(f"{what} must be a string, not {spoken_type(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what}: character {error.start} is half of a surrogate pair; write the whole character"
        ) from None
