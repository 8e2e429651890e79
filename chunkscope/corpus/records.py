"""The documents of a JSONL file, read as a stream."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from chunkscope.corpus.decoding import byte_order_mark
from chunkscope.corpus.document import Document, Markup
from chunkscope.corpus.json_lines import numbered_lines, parse_object, spoken_type
from chunkscope.corpus.name_filter import NameFilter, suffix
from chunkscope.errors import DecodingError, InputError, os_reason

_PLAIN_SUFFIXES = (".txt", ".csv", ".tsv")


@dataclass(frozen=True)
class Records:
    """The documents of a JSONL file. Nothing is kept: each iteration reads the file from its start.

    Attributes
    ----------
    path : str
    encoding : str or None
    names : NameFilter
        Its include and exclude globs choose among the documents.
    markup : str or None
        That of all documents; None: by their names.
    expected : (int, int) or None
        Size and time of change that the file must have.
    """

    path: str
    encoding: str | None
    names: NameFilter
    markup: Markup | None
    expected: tuple[int, int] | None = None

    def __iter__(self) -> Iterator[Document]:
        if self.expected is not None and self.state() != self.expected:
            raise InputError(f"{self.path}: the file has changed since it was first read")
        return (document for _, document in self.numbered())

    def numbered(self) -> Iterator[tuple[int, Document]]:
        """Give the documents with the numbers of their lines."""
        try:
            for number, line in self._lines():
                document = self._document(number, line)
                if self.names.includes(document.name) and not self.names.excludes(document.name):
                    yield number, document
        except OSError as error:
            raise InputError(f"{self.path}: {os_reason(error)}") from None

    def state(self) -> tuple[int, int]:
        """Give size and time of change."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise InputError(f"{self.path}: {os_reason(error)}") from None
        return status.st_size, status.st_mtime_ns

    def _lines(self) -> Iterator[tuple[int, str]]:
        with open(self.path, "rb") as file:
            mark, announced = byte_order_mark(file.read(4))
            file.seek(len(mark))
            passed = 0
            for text in self._pieces(file, announced or self.encoding or "utf-8", len(mark)):
                for number, line in numbered_lines(text):
                    yield passed + number, line
                passed += text.count("\n") + text.replace("\r\n", "\n").count("\r")

    def _pieces(self, file: BinaryIO, codec: str, offset: int) -> Iterator[str]:
        """Give the text in pieces that end at line ends."""
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
            raise DecodingError(f"{self.path}: {where} is not {codec}; give the --encoding it has") from None

    def _document(self, number: int, line: str) -> Document:
        try:
            record = parse_object(line)
            key = "name" if "name" in record else "id"
            if key not in record:
                raise InputError("no 'name' (or 'id')")
            name, text = record.pop(key), record.pop("text", None)
            if isinstance(name, int) and not isinstance(name, bool):
                name = str(name)
            if not isinstance(name, str):
                raise InputError(f"{key!r} must be a string, not {spoken_type(name)}")
            if not isinstance(text, str):
                raise InputError(f"{name!r} has no 'text' that is a string")
            return Document(name, text, record, self.markup or markup_of(name))
        except InputError as error:
            raise InputError(f"{self.path}:{number}: {error}") from None


def markup_of(name: str) -> Markup:
    """Tell the markup of a record by its name: plain text or Markdown."""
    return "plain" if suffix(name) in _PLAIN_SUFFIXES else "markdown"
