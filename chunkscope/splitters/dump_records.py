"""The rows of an export, whatever it is written in: JSON lines, CSV, Parquet."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from chunkscope.corpus.decoding import byte_order_mark
from chunkscope.corpus.json_lines import decoded_lines, parse_object
from chunkscope.errors import DecodingError, InputError, MissingPartError, os_reason
from chunkscope.splitters.dump_fields import Record

WRITE_UTF8 = "write it in UTF-8"
ROWS_AT_ONCE = 4096
"""Rows of a Parquet file that are held."""


def read_records(path: str, columns: Collection[str]) -> Iterator[tuple[int, Record]]:
    """Give the rows of a file with their numbers: in Parquet that of the row, else the line it begins or ends in.

    Parameters
    ----------
    path : str
        The suffix says what it is: ``.csv`` or ``.parquet``; all else is JSON lines.
    columns : collection of str
        What is asked of a row; of a table nothing else is read.

    Raises
    ------
    InputError
        It cannot be read, is not what its suffix says, or has a line that is no object.
    MissingPartError
        polars is not installed, for Parquet.
    """
    suffix = os.path.splitext(path)[1].lower()
    read = {".csv": _csv_records, ".parquet": _parquet_records}.get(suffix, _json_records)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise InputError(f"{path}: is no regular file; name a file of chunks")
        yield from read(path, columns)
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None


def _json_records(path: str, columns: Collection[str]) -> Iterator[tuple[int, Record]]:
    for number, line in decoded_lines(path, advice=WRITE_UTF8):
        try:
            yield number, parse_object(line)
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from None


def _csv_records(path: str, columns: Collection[str]) -> Iterator[tuple[int, Record]]:
    """Give rows by the names in the first one; what is empty is not there, but for texts."""
    with open(path, "rb") as file:
        _, announced = byte_order_mark(file.read(4))
    codec = announced[:6].replace("utf-8", "utf-8-sig") if announced else "utf-8"
    before = csv.field_size_limit(2**31 - 1)
    number = 1
    try:
        with open(path, encoding=codec, newline="") as text:
            rows = csv.reader(text, strict=True)
            names = next(rows, [])
            if len(set(names)) != len(names):
                raise InputError(
                    f"{path}:1: a column stands twice: {next(n for n, times in Counter(names).items() if times > 1)!r}"
                )
            for row in rows:
                number = rows.line_num
                if row and len(row) != len(names):
                    raise InputError(f"{path}:{number}: {len(row)} columns, not {len(names)} as in the first line")
                if row:
                    yield number, dict(zip(names, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}:{number + 1}: not CSV: {error}") from None
    except UnicodeError:
        raise DecodingError(f"{path}: behind line {number} it is not {codec}; {WRITE_UTF8}") from None
    finally:
        csv.field_size_limit(before)


def _parquet_records(path: str, columns: Collection[str]) -> Iterator[tuple[int, Record]]:
    """Give the rows of the columns that are asked for."""
    try:
        import polars
    except ModuleNotFoundError:
        raise MissingPartError(f"{path}: Parquet needs polars: pip install 'chunkscope[parquet]'") from None
    with open(path, "rb") as file:
        if file.read(4) != b"PAR1":
            raise InputError(f"{path}: not a Parquet file")
    try:
        table = polars.scan_parquet(path, glob=False)
        wanted = [name for name in table.collect_schema().names() if name in columns]
        some: Any = table.select(wanted)
        first = 0
        while rows := some.slice(first, ROWS_AT_ONCE).collect().rows(named=True):
            for row in rows:
                first += 1
                yield first, row
    except polars.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path}: not a Parquet file that can be read: {reason}") from None
