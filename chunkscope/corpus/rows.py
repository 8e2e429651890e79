"""Documents that are rows of files: where each stands is remembered in some bytes, and its text is read when asked for.

A million of them are listed without holding a text, and go to other processes as places.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chunkscope.corpus.document import Document, FileDocument, changed
from chunkscope.corpus.json_lines import Records, markup_of
from chunkscope.errors import InputError, os_reason

_DIGEST_BYTES = 16
_NUMBERS = 4


def row_digest(raw: bytes) -> bytes:
    """Give what tells whether a row is still what it was."""
    return hashlib.sha256(raw).digest()[:_DIGEST_BYTES]


class Ledger:
    """What is known of each row: two numbers that say where it stands, code points, end of front matter, digest.

    Examples
    --------
    >>> ledger = Ledger()
    >>> ledger.add(0, 52, Document("a.md", "# 見出し"), row_digest(b"..."))
    >>> len(ledger), ledger[0][:4]
    (1, (0, 52, 5, 0))
    """

    def __init__(self) -> None:
        self._numbers, self._digests = array("q"), bytearray()

    def add(self, place: int, within: int, document: Document, digest: bytes) -> None:
        """Remember one more row."""
        self._numbers.extend((place, within, document.length, document.front_matter_end))
        self._digests += digest

    def extend(self, other: Ledger, moved: int) -> None:
        """Remember the rows of another, whose places are counted from somewhere else."""
        for number in range(len(other)):
            place, within, length, end, digest = other[number]
            self._numbers.extend((place + moved, within, length, end))
            self._digests += digest

    def __len__(self) -> int:
        return len(self._numbers) // _NUMBERS

    def __getitem__(self, number: int) -> tuple[int, int, int, int, bytes]:
        place, within, length, end = self._numbers[number * _NUMBERS : (number + 1) * _NUMBERS]
        return place, within, length, end, bytes(self._digests[number * _DIGEST_BYTES : (number + 1) * _DIGEST_BYTES])


@dataclass(frozen=True, slots=True)
class StoredLine:
    """Where the line of a record stands."""

    records: Records
    offset: int
    n_bytes: int
    length: int
    front_matter_end: int
    digest: bytes

    def read(self, name: str) -> tuple[str, Mapping[str, object]]:
        """Read text and fields; an `InputError` where the line is no longer what it was."""
        try:
            raw = self.records.place.part(self.offset, self.n_bytes)
        except OSError as error:
            raise InputError(f"{self.records.place.shown}: {os_reason(error)}") from None
        if row_digest(raw) != self.digest:
            raise changed(self.records.place.shown)
        document = self.records.again(raw)
        return document.text, document.fields


@dataclass(frozen=True, repr=False)
class RecordRows:
    """The documents of a JSONL file whose lines can be read alone."""

    names: tuple[str, ...]
    ledger: Ledger
    records: Records
    state: tuple[int, str]

    def __iter__(self) -> Iterator[Document]:
        _require_state(self.records, self.state)
        return map(self._document, range(len(self.names)))

    def _document(self, number: int) -> Document:
        name, records = self.names[number], self.records
        stored = StoredLine(records, *self.ledger[number])
        return FileDocument.of(name, records.markup or markup_of(name), stored, dialect=records.dialect)


@dataclass(frozen=True, repr=False)
class RecordStream:
    """The documents of one whose lines cannot: each iteration reads the file from its start."""

    records: Records
    state: tuple[int, str]

    def __iter__(self) -> Iterator[Document]:
        _require_state(self.records, self.state)
        return (document for _, document in self.records.placed())


def _require_state(records: Records, state: tuple[int, str]) -> None:
    if records.state() != state:
        raise changed(records.place.shown)
