"""Parquet files as a corpus: a row is a document, and no more is held than the rows that are read together.

polars reads them; of a row group it holds the compressed columns that are asked for, and unpacks the pages it needs.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from chunkscope.corpus.dialect import AUTO
from chunkscope.corpus.document import Document, FileDocument, Markup, changed
from chunkscope.corpus.json_lines import RecordFields, markup_of, named_text
from chunkscope.corpus.name_filter import NameFilter
from chunkscope.corpus.places import DocumentPlace, LocalPlace
from chunkscope.corpus.rows import Ledger, row_digest
from chunkscope.errors import InputError, MissingPartError, os_reason

if TYPE_CHECKING:
    import polars

CHARACTERS_AT_ONCE = 1 << 20
"""About so many characters of text are read together."""

FIRST_ROWS, MOST_ROWS = 64, 1 << 13


@dataclass(frozen=True)
class Columns:
    """The columns of a file that are read: those of name and text, and all that are attributes."""

    fields: RecordFields
    needed: tuple[str, ...]
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class RowBlock:
    """Rows of a file that are read together.

    Attributes
    ----------
    place : DocumentPlace
    state : (int, str)
        Of the file when it was first read: what is kept of a block is kept of that file.
    columns : Columns
    first, n_rows : int
    """

    place: DocumentPlace
    state: tuple[int, str]
    columns: Columns
    first: int
    n_rows: int

    def records(self, names: Sequence[str]) -> list[dict[str, object]]:
        """Read some columns of its rows; an `InputError` where they cannot be read."""
        with _scanned(self.place) as table:
            rows = table.select(names).slice(self.first, self.n_rows).collect()
            return [_plain_record(row) for row in rows.iter_rows(named=True)]


@lru_cache(maxsize=2)
def _held(block: RowBlock) -> list[dict[str, object]]:
    """Keep the rows that were read last: their neighbours are asked for next."""
    return block.records(block.columns.attributes)


@dataclass(frozen=True, slots=True)
class StoredRow:
    """Where a row stands."""

    block: RowBlock
    row: int
    length: int
    front_matter_end: int
    digest: bytes

    def read(self, name: str) -> tuple[str, Mapping[str, object]]:
        """Read text and fields; an `InputError` where the row is no longer what it was."""
        records = _held(self.block)
        try:
            record = dict(records[self.row])
            found, text = named_text(self.block.columns.fields, record)
        except (IndexError, InputError):
            raise changed(self.block.place.shown) from None
        if found != name or row_digest(text.encode()) != self.digest:
            raise changed(self.block.place.shown)
        return text, {key: value for key, value in record.items() if value is not None}


@dataclass(frozen=True, repr=False)
class TableRows:
    """The documents of Parquet files."""

    names: tuple[str, ...]
    ledger: Ledger
    blocks: tuple[RowBlock, ...]
    markup: Markup | None
    dialect: str = AUTO

    def __iter__(self) -> Iterator[Document]:
        for place, state in {block.place: block.state for block in self.blocks}.items():
            if state_of(place) != state:
                raise changed(place.shown)
        return map(self._document, range(len(self.names)))

    def _document(self, number: int) -> Document:
        name = self.names[number]
        block, row, length, end, digest = self.ledger[number]
        stored = StoredRow(self.blocks[block], row, length, end, digest)
        return FileDocument.of(name, self.markup or markup_of(name), stored, dialect=self.dialect)


@dataclass(frozen=True)
class ParquetTable:
    """A Parquet file that is gone through for the first time."""

    place: DocumentPlace
    fields: RecordFields
    names: NameFilter
    markup: Markup | None

    def digest(self) -> str:
        """Give the SHA-256 of its bytes, in hex."""
        with _Told(self.place.shown), self.place.open() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def placed(self) -> Iterator[tuple[RowBlock, int, Document]]:
        """Give the documents, each with its block and its row in there."""
        columns, state = self._columns(), state_of(self.place)
        first, n_rows = 0, FIRST_ROWS
        while True:
            block = RowBlock(self.place, state, columns, first, n_rows)
            records = block.records(columns.needed)
            if not records:
                return
            documents = [self._document(first + row, record) for row, record in enumerate(records, 1)]
            for row, document in enumerate(documents):
                if self.names.includes(document.name) and not self.names.excludes(document.name):
                    yield block, row, document
            first += len(records)
            n_characters = sum(document.length for document in documents)
            # as many as held so much text just now, but growth is slow: the next rows may be longer
            fitting = CHARACTERS_AT_ONCE * len(records) // max(1, n_characters)
            n_rows = max(1, min(fitting, 2 * len(records), MOST_ROWS))

    def _document(self, row: int, record: dict[str, object]) -> Document:
        try:
            name, text = named_text(self.fields, record)
            return Document(name, text, {}, self.markup or markup_of(name))
        except InputError as error:
            raise InputError(f"{self.place.shown}: row {row}: {error}") from None

    def _columns(self) -> Columns:
        """Choose what is read of it."""
        with _scanned(self.place) as table:
            schema = table.collect_schema()
        import polars

        name = self.fields.name or next((name for name in ("name", "id") if name in schema), "name")
        text = self.fields.text or "text"
        needed = (self._column(schema, "name", name), self._column(schema, "text", text))
        kind = _inner(schema, text)
        if not isinstance(kind, polars.String | polars.Categorical | polars.Enum):
            told = f"{self.place.shown}: column {text!r} is no text, but {kind}"
            raise InputError(f"{told}; name the one that is with --map-field text=COLUMN")
        attributes = [column for column, kind in schema.items() if column in needed or _is_plain(kind)]
        return Columns(self.fields, tuple(dict.fromkeys(needed)), tuple(attributes))

    def _column(self, schema: polars.Schema, ours: str, path: str) -> str:
        """Give the column that a path leads into."""
        found = path if path in schema else path.partition(".")[0]
        if found in schema and _inner(schema, path) is not None:
            return found
        there = ", ".join(list(schema)[:8]) + (", ..." if len(schema) > 8 else "")
        raise InputError(
            f"{self.place.shown}: no column {path!r} (there are {there}); name it with --map-field {ours}=COLUMN"
        )


def state_of(place: DocumentPlace) -> tuple[int, str]:
    """Give size and time of change; an `InputError` where it is not there."""
    try:
        return place.state()
    except OSError as error:
        raise InputError(f"{place.shown}: {os_reason(error)}") from None


@contextlib.contextmanager
def _scanned(place: DocumentPlace) -> Iterator[polars.LazyFrame]:
    try:
        import polars
    except ModuleNotFoundError:
        raise MissingPartError(f"{place.shown}: Parquet needs polars: pip install 'chunkscope[parquet]'") from None
    with _Told(place.shown), contextlib.ExitStack() as open_ones:
        source: Any = place.path if isinstance(place, LocalPlace) else open_ones.enter_context(place.open())
        yield polars.scan_parquet(source, glob=False, hive_partitioning=False)


class _Told:
    """Says in one line what polars and the system say of a file."""

    def __init__(self, shown: str) -> None:
        self._shown = shown

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None or isinstance(error, InputError | MissingPartError):
            return
        if isinstance(error, OSError):
            raise InputError(f"{self._shown}: {os_reason(error)}") from None
        import polars

        if isinstance(error, polars.exceptions.PolarsError):
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise InputError(f"{self._shown}: not a Parquet file that can be read: {first}") from None
        if type(error).__name__ == "PanicException":  # polars gives up on some damaged files; it is no Exception
            raise InputError(f"{self._shown}: not a Parquet file that can be read: it is damaged") from None


def _inner(schema: polars.Schema, path: str) -> Any:
    """Give the type that a path leads to; a dot leads into a column of structures."""
    import polars

    if path in schema:
        return schema[path]
    head, *rest = path.split(".")
    kind: Any = schema.get(head)
    for name in rest:
        kind = dict(kind.to_schema()).get(name) if isinstance(kind, polars.Struct) else None
    return kind


def _is_plain(kind: Any) -> bool:
    """Tell whether an attribute may be of a type: vectors and bytes are none."""
    import polars

    if isinstance(kind, polars.List | polars.Array):
        return isinstance(kind.inner, polars.String | polars.Categorical | polars.Enum)
    if isinstance(kind, polars.Struct):
        return all(_is_plain(field.dtype) for field in kind.fields)
    return not isinstance(kind, polars.Binary | polars.Object | polars.Null)


def _plain_record(row: dict[str, Any]) -> dict[str, object]:
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> object:
    """Give a value as JSON has it: times are texts."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, dict):
        return _plain_record(value)
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
