"""JSON that is read: one object a line, or a file that this package wrote, and what can be wrong with them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from chunkscope.corpus.decoding import read_bytes
from chunkscope.errors import InputError, os_reason

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LINE_END = re.compile(r"\r\n|\n|\r")


def parse_object(line: str) -> dict[str, object]:
    """Parse one line as a JSON object.

    Raises
    ------
    InputError
        Not JSON, not an object, a field that stands twice, or half of a surrogate pair. The message says what, in
        one line; the caller says where.

    Examples
    --------
    >>> parse_object('{"id": "q1", "evidence": []}')
    {'id': 'q1', 'evidence': []}
    >>> parse_object('["q1"]')
    Traceback (most recent call last):
    chunkscope.errors.InputError: not a JSON object, but a list
    """
    try:
        # a byte order mark stands where files have been joined
        record = json.loads(line.removeprefix("\ufeff"), object_pairs_hook=_unique, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}") from None
    except RecursionError:
        raise InputError("not JSON that can be read: nested too deeply") from None
    except InputError:
        raise
    except ValueError:
        raise InputError("not JSON that can be read: a number has thousands of digits") from None
    if not isinstance(record, dict):
        raise InputError(f"not a JSON object, but {spoken_type(record)}")
    if _ESCAPED_SURROGATE.search(line):
        try:
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise InputError("half of a surrogate pair; write the whole character") from None
    return record


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""Give the lines that are not blank, with their numbers from 1.

    Examples
    --------
    >>> list(numbered_lines("{}\r\n\r\n[]"))
    [(1, '{}'), (3, '[]')]
    """
    for number, line in enumerate(_LINE_END.split(text), 1):
        if line.strip():
            yield number, line


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


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"field {twice!r} stands twice")
    return record


def _refuse(constant: str) -> object:
    raise InputError(f"not JSON: {constant} is no number")


def read_stored(path: str | os.PathLike[str], newest: int, what: str) -> dict[str, Any]:
    """Read an object with a ``format``.

    Parameters
    ----------
    path : path
        Of the file.
    newest : int
        The latest format that can be read.
    what : str
        What the file ought to be, for messages.

    Raises
    ------
    InputError
        No such file, not JSON, no object with a format, or a later format.
    """
    shown = os.fspath(path)
    try:
        record = json.loads(read_bytes(shown).decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: byte {error.start} is not UTF-8; this is no {what}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{shown}:{error.lineno}: not JSON; this is no {what}") from None
    except (RecursionError, ValueError):
        raise InputError(f"{shown}: not JSON that can be read; this is no {what}") from None
    found = record.get("format") if isinstance(record, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise InputError(f"{shown}: not a {what}: it has no format")
    if found > newest:
        raise InputError(f"{shown}: format {found} is later than {newest}, the last that this version reads")
    return dict(record)
