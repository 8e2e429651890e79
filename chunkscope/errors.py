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

A message says where, what, and what to do, in one line.
"""

from __future__ import annotations

import errno
import os


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


def refuse_path(value: object, wanted: str, reader: str) -> None:
    """Raise an `InputError` where a path is given instead of what `reader` reads from it."""
    if isinstance(value, str | os.PathLike):
        raise InputError(f"{os.fspath(value)!r}: {wanted} are wanted, not a path; {reader} reads it")


def os_reason(error: Exception) -> str:
    """Say in a few words why the system refused."""
    if isinstance(error, FileNotFoundError):
        return "no such file or folder"
    if isinstance(error, OSError) and error.errno == errno.EACCES:
        return "permission denied"
    return (getattr(error, "strerror", None) or str(error)).lower()
