"""The files of a set, whatever they are written in: a table, JSON lines, or one JSON value."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from chunkscope.corpus.decoding import decode, read_bytes
from chunkscope.corpus.encodings import check_encoding
from chunkscope.corpus.json_lines import numbered_lines, parse_object
from chunkscope.errors import DecodingError, InputError, os_reason, spoken_type
from chunkscope.language import Text, say

DELIMITERS = ",\t;"
LARGEST_FIELD = 2**31 - 1

# nothing in it is tried twice, or hostile cells would take for ever
_STRING = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_LIST = re.compile(rf"\[\s*+(?:{_STRING}\s*+,?+\s*+)*+\]", re.DOTALL)
_ITEM = re.compile(_STRING, re.DOTALL)


@dataclass(frozen=True)
class SetRow:
    """A row of a table or a line of JSON, with the number of its line, or of its place in a list."""

    number: int
    values: dict[str, Any]


@dataclass(frozen=True)
class SetFile:
    """What a file holds: rows, or one object.

    Attributes
    ----------
    path : str
    rows : tuple of SetRow
    whole : mapping or None
        The object, where the file is one.
    columns : tuple of str
        Of a table.
    faults : tuple of (int, Text)
        Lines that cannot be read, and why.
    """

    path: str
    rows: tuple[SetRow, ...] = ()
    whole: dict[str, Any] | None = None
    columns: tuple[str, ...] = ()
    faults: tuple[tuple[int, Text], ...] = field(default=())

    @property
    def first(self) -> dict[str, Any]:
        """The first row."""
        return self.rows[0].values if self.rows else {}


def read_text(path: str, encoding: str | None = None) -> str:
    """Read a file whole.

    Raises
    ------
    InputError
        It cannot be read.
    DecodingError
        It is not in its encoding; the message says which to give.
    """
    try:
        return decode(read_bytes(path), path, encoding and check_encoding(encoding))
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None
    except DecodingError as error:
        # that option is one of documents
        raise DecodingError(re.sub(r",? or (?:give )?--skip-unreadable$", "", str(error))) from None


def read_set_file(path: str, encoding: str | None = None) -> SetFile:
    """Read a file of questions: JSON if it begins like JSON, else a table.

    Raises
    ------
    InputError
        It cannot be read, or nothing in it is what it seems to be.
    """
    text = read_text(path, encoding).removeprefix("\ufeff")
    begin = text.lstrip()[:1]
    if begin == "[":
        return _json_list(path, text)
    if begin == "{":
        return _json_objects(path, text)
    return read_table(path, text)


def _json_list(path: str, text: str) -> SetFile:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _told(path, error)
    rows = [SetRow(number, value) for number, value in enumerate(found, 1) if isinstance(value, dict)]
    faults = [
        (number, say("not an object, but {what}", what=spoken_type(value)))
        for number, value in enumerate(found, 1)
        if not isinstance(value, dict)
    ]
    return SetFile(path, tuple(rows), faults=tuple(faults))


def _json_objects(path: str, text: str) -> SetFile:
    """Read one object, or an object a line."""
    try:
        found = json.loads(text)
    except RecursionError as error:
        return _told(path, error)
    except ValueError as error:
        lines = list(numbered_lines(text))
        rows, faults = [], []
        for number, line in lines:
            try:
                rows.append(SetRow(number, parse_object(line)))
            except InputError as fault:
                faults.append((number, say("{text}", text=str(fault))))
        # of a file that is one broken value no line is an object
        is_lines = rows or (isinstance(error, json.JSONDecodeError) and error.msg == "Extra data")
        return SetFile(path, tuple(rows), faults=tuple(faults)) if is_lines else _told(path, error)
    return SetFile(path, (SetRow(1, found),), whole=found)


def _told(path: str, error: Exception) -> SetFile:
    if isinstance(error, json.JSONDecodeError):
        raise InputError(f"{path}:{error.lineno}: not JSON: {error.msg} at column {error.colno}") from None
    raise InputError(f"{path}: not JSON that can be read: {error}") from None


def read_table(path: str, text: str) -> SetFile:
    r"""Read a table with names in its first row; of three delimiters the one that this row has most of.

    Examples
    --------
    >>> found = read_table("q.csv", "id;question\r\n1;When?\r\n2\r\n")
    >>> found.rows, found.faults
    ((SetRow(number=2, values={'id': '1', 'question': 'When?'}),), ((3, '1 column, not 2 as in the first line'),))
    """
    head = next((line for _, line in numbered_lines(text)), "")
    delimiter = max(DELIMITERS, key=head.count)
    rows: list[SetRow] = []
    faults: list[tuple[int, Text]] = []
    names: list[str] = []
    for number, cells in _cells(text, delimiter, faults):
        if not any(cell.strip() for cell in cells):
            continue
        if not names:
            names = [name.strip() for name in cells]
        elif len(cells) != len(names):
            told = say("{n} {n:column|columns}, not {wanted} as in the first line", n=len(cells), wanted=len(names))
            faults.append((number, told))
        else:
            rows.append(SetRow(number, {name: cell for name, cell in zip(names, cells, strict=True) if name}))
    counted = Counter(names)
    twice = next((name for name in names if name and counted[name] > 1), None)
    if twice is not None:
        raise InputError(f"{path}:1: a column stands twice: {twice!r}")
    return SetFile(path, tuple(rows), columns=tuple(names), faults=tuple(faults))


def _cells(text: str, delimiter: str, faults: list[tuple[int, Text]]) -> Iterator[tuple[int, list[str]]]:
    """Give the rows with the numbers of the lines in which they begin, up to where it is no table any more."""
    before = csv.field_size_limit(LARGEST_FIELD)
    number = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for cells in reader:
            yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        faults.append((number, say("not CSV from here on: {reason}", reason=str(error))))
    finally:
        csv.field_size_limit(before)


def read_list(value: object) -> object:
    r"""Read a list out of a cell: written as JSON, as Python writes it, or as numpy does, without commas.

    All else is given back as it is.

    Examples
    --------
    >>> read_list('["a", "b"]'), read_list("['a' 'b']"), read_list("[1]"), read_list("[see there]")
    (['a', 'b'], ['a', 'b'], '[1]', '[see there]')
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return value
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        if not _LIST.fullmatch(text):
            return value
        try:
            found = [ast.literal_eval(item) for item in _ITEM.findall(text)]
        except (ValueError, SyntaxError):
            return value
    if isinstance(found, list) and all(isinstance(item, str | dict) for item in found):
        return found
    return value


def read_object(value: object) -> object:
    """Read an object out of a cell, as JSON or as Python writes it; all else is given back.

    Examples
    --------
    >>> read_object("{'text': ['a'], 'answer_start': [3]}")
    {'text': ['a'], 'answer_start': [3]}
    """
    if not (isinstance(value, str) and value.strip().startswith("{")):
        return value
    for read in (json.loads, ast.literal_eval):
        try:
            return read(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return value
