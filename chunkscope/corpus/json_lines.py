"""JSON that is read: an object a line, the documents of such a file as a stream, and files that this package wrote."""

from __future__ import annotations

import codecs
import contextlib
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Any, NamedTuple

from chunkscope.corpus.decoding import byte_order_mark, read_bytes
from chunkscope.corpus.dialect import AUTO
from chunkscope.corpus.document import Document, Markup
from chunkscope.corpus.encodings import listed
from chunkscope.corpus.name_filter import NameFilter, suffix
from chunkscope.corpus.places import DocumentPlace
from chunkscope.errors import ConfigError, DecodingError, InputError, did_you_mean, os_reason, spoken_type

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_RAW_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


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
        text = line.removeprefix("\ufeff")
        record = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
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


def tell_faults(path: str, faults: Sequence[tuple[int, str]]) -> str:
    """Say what is wrong with the first of some bad lines, and which others there are.

    Parameters
    ----------
    path : str
    faults : sequence of (int, str)
        Numbers of lines, and what is wrong with each.

    Examples
    --------
    >>> tell_faults("q.jsonl", [(2, "no 'id'"), (5, "not JSON"), (6, "no 'id'")])
    "q.jsonl:2: no 'id' (and 2 more bad lines: 5, 6)"
    """
    (line, message), *others = faults
    if line == 1 and "but a list" in message:
        message += "; write one object a line"
    if others:
        shown = ", ".join(str(number) for number, _ in others[:5]) + (", ..." if len(others) > 5 else "")
        message += f" (and {len(others)} more bad line{'s' if len(others) > 1 else ''}: {shown})"
    return f"{path}:{line}: {message}"


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"field {twice!r} stands twice")
    return record


def _refuse(constant: str) -> object:
    raise InputError(f"not JSON: {constant} is no number")


def _finite(number: str) -> float:
    """Read a number; one beyond all that floats hold could not be written again."""
    value = float(number)
    if math.isinf(value):
        raise InputError(f"not JSON that can be read: {number[:20]} is too large a number")
    return value


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
        record = json.loads(read_bytes(shown).decode("utf-8-sig"), parse_constant=_refuse, parse_float=_finite)
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: byte {error.start} is not UTF-8; this is no {what}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{shown}:{error.lineno}: not JSON; this is no {what}") from None
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None
    except (RecursionError, ValueError):
        raise InputError(f"{shown}: not JSON that can be read; this is no {what}") from None
    found = record.get("format") if isinstance(record, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise InputError(f"{shown}: not a {what}: it has no format")
    if found > newest:
        raise InputError(f"{shown}: format {found} is later than {newest}, the last that this version reads")
    return dict(record)


class RecordLine(NamedTuple):
    """A line that is not blank.

    Attributes
    ----------
    number : int
        From 1.
    text : str
    offset : int
        Where its bytes begin.
    raw : bytes
        They, the line end among them; empty in an encoding whose lines cannot be read alone.
    """

    number: int
    text: str
    offset: int = 0
    raw: bytes = b""


def decoded_lines(
    path: str, encoding: str | None = None, advice: str = "give the --encoding it has"
) -> Iterator[tuple[int, str]]:
    """Give the lines of a file that are not blank, with their numbers from 1; no more than one is held.

    Parameters
    ----------
    path : str
    encoding : str or None
        None: UTF-8. A byte order mark decides before it.
    advice : str
        What to do about bytes that are not in the encoding.

    Raises
    ------
    DecodingError
        Such bytes; the message has their place.
    OSError
        The file cannot be read.
    """
    with open(path, "rb") as file:
        for number, text, *_ in placed_lines(file, path, encoding, advice):
            yield number, text


def placed_lines(
    file: BufferedIOBase, shown: str, encoding: str | None = None, advice: str = "give the --encoding it has"
) -> Iterator[RecordLine]:
    """Give the same of an open file, with where each line stands."""
    mark, announced = byte_order_mark(file.read(4))
    file.seek(len(mark))
    codec = announced or encoding or "utf-8"
    if not _lines_stand_alone(codec):
        passed = 0
        for text in _decoded(file, shown, codec, len(mark), advice):
            for number, line in numbered_lines(text):
                yield RecordLine(passed + number, line)
            passed += text.count("\n") + text.replace("\r\n", "\n").count("\r")
        return
    number, offset = 0, len(mark)
    for raw in file:
        for piece in _RAW_LINE.findall(raw) if b"\r" in raw else (raw,):
            number += 1
            try:
                line = piece.decode(codec).rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise DecodingError(f"{shown}: byte {offset + error.start} is not {codec}; {advice}") from None
            if line.strip():
                yield RecordLine(number, line, offset, piece)
            offset += len(piece)


def _lines_stand_alone(codec: str) -> bool:
    """Tell whether the lines of an encoding end as in ASCII, and mean the same whatever stands before them."""
    is_stateful = codecs.lookup(codec).name.startswith(("iso2022", "hz", "utf-7"))
    return not is_stateful and "\r\n".encode(codec).removeprefix(codecs.BOM_UTF8) == b"\r\n"


def _decoded(file: BufferedIOBase, shown: str, codec: str, offset: int, advice: str) -> Iterator[str]:
    """Give the text in parts that end at line ends."""
    decoder, pending = codecs.getincrementaldecoder(codec)(), ""
    by_line = not codecs.lookup(codec).name.startswith(("utf-16", "utf-32"))
    held = 0
    try:
        # a line end in these two is more than one byte, so that their bytes are taken as they come
        for raw in file if by_line else iter(lambda: file.read(1 << 20), b""):
            pending += decoder.decode(raw)
            if raw.endswith(b"\n") or not by_line:
                head, end, pending = pending.rpartition("\n")
                yield head + end
            offset, held = offset + len(raw), len(decoder.getstate()[0])
        yield pending + decoder.decode(b"", final=True)
    except UnicodeError as error:
        where = f"byte {offset - held + error.start}" if isinstance(error, UnicodeDecodeError) else "a byte"
        raise DecodingError(f"{shown}: {where} is not {codec}; {advice}") from None


def fitting_encoding(place: DocumentPlace, encoding: str | None) -> str | None:
    """Give the encoding that a byte order mark says, else the first of a list in which a file can be decoded.

    It is the last where there is none.
    """
    *others, last = listed(encoding) if encoding else [None]
    try:
        with place.open() as file:
            announced = byte_order_mark(file.read(4))[1]
        if announced:
            return announced
        for one in others:
            with place.open() as file, contextlib.suppress(DecodingError):
                for _ in placed_lines(file, place.shown, one):
                    pass
                return one
    except OSError as error:
        raise InputError(f"{place.shown}: {os_reason(error)}") from None
    return last


RECORD_FIELDS = ("name", "text")


@dataclass(frozen=True)
class RecordFields:
    """What the fields of records are called; None: as we call them, a name ``id`` too."""

    name: str | None = None
    text: str | None = None

    @classmethod
    def of(cls, fields: Mapping[str, str]) -> RecordFields:
        """Take a mapping of our names to theirs.

        Raises
        ------
        ConfigError
            There is no such field.
        """
        for ours in fields:
            if ours not in RECORD_FIELDS:
                hint = did_you_mean(ours, RECORD_FIELDS) or f"there are {', '.join(RECORD_FIELDS)}"
                raise ConfigError(f"records have no field {ours!r} to map; {hint}")
        return cls(**fields)

    def take_name(self, record: dict[str, object]) -> tuple[str, object]:
        """Take the name out of a record; with it, what it is called there."""
        if self.name is not None:
            return self.name, _take(record, self.name)
        key = "name" if "name" in record else "id"
        if key not in record:
            raise InputError("no 'name' (or 'id')")
        return key, record.pop(key)

    def take_text(self, record: dict[str, object]) -> object:
        """Take the text out of a record; None where there is none."""
        return _take(record, self.text) if self.text is not None else record.pop("text", None)


def _take(record: dict[str, object], path: str) -> object:
    """Take a field out of a record; a dot leads into an object."""
    inner: object = record
    rest = path
    while isinstance(inner, dict):
        if rest in inner:
            return inner.pop(rest)
        head, _, rest = rest.partition(".")
        inner = inner.get(head)
    raise InputError(f"no {path!r}")


_PLAIN_SUFFIXES = (".txt", ".csv", ".tsv")


@dataclass(frozen=True)
class Records:
    """The records of a JSONL file, and how they are read.

    Attributes
    ----------
    place : DocumentPlace
    encoding : str or None
    names : NameFilter
        Its include and exclude globs choose among the documents.
    markup : str or None
        That of all documents; None: by their names.
    fields : RecordFields
    dialect : str
        That of all documents.
    """

    place: DocumentPlace
    encoding: str | None
    names: NameFilter
    markup: Markup | None
    fields: RecordFields = RecordFields()
    dialect: str = AUTO

    def placed(self) -> Iterator[tuple[RecordLine, Document]]:
        """Read the file from its start, and give the documents with their lines."""
        try:
            with self.place.open() as file:
                for line in placed_lines(file, self.place.shown, self.encoding):
                    document = self._document(line.number, line.text)
                    if self.names.includes(document.name) and not self.names.excludes(document.name):
                        yield line, document
        except OSError as error:
            raise InputError(f"{self.place.shown}: {os_reason(error)}") from None

    def state(self) -> tuple[int, str]:
        """Give size and time of change."""
        try:
            return self.place.state()
        except OSError as error:
            raise InputError(f"{self.place.shown}: {os_reason(error)}") from None

    def again(self, raw: bytes) -> Document:
        """Read a line that could be read before."""
        return self._document(0, raw.decode(self.encoding or "utf-8"))

    def _document(self, number: int, line: str) -> Document:
        try:
            record = parse_object(line)
            name, text = named_text(self.fields, record)
            return Document(name, text, record, self.markup or markup_of(name), dialect=self.dialect)
        except InputError as error:
            raise InputError(f"{self.place.shown}:{number}: {error}") from None


def named_text(fields: RecordFields, record: dict[str, object]) -> tuple[str, str]:
    """Take name and text out of a record; an `InputError` where one is none."""
    key, name = fields.take_name(record)
    text = fields.take_text(record)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str):
        raise InputError(f"{key!r} must be a string, not {spoken_type(name)}")
    if not isinstance(text, str):
        raise InputError(f"{name!r} has no {fields.text or 'text'!r} that is a string")
    return name, text


def markup_of(name: str) -> Markup:
    """Tell the markup of a record by its name: plain text or Markdown."""
    return "plain" if suffix(name) in _PLAIN_SUFFIXES else "markdown"
