"""An index that is there already: its chunks, read from an export, as a way of cutting of one cell."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.index_text import LINE_END
from chunkscope.chunkers.pieces import Pieces
from chunkscope.corpus.document import Document
from chunkscope.errors import ChunkerError, InputError, os_reason, require_text
from chunkscope.spans.intervals import Span, as_spans
from chunkscope.splitters.alignment import Alignment
from chunkscope.splitters.dump_fields import Fields
from chunkscope.splitters.dump_names import Matching, match_names
from chunkscope.splitters.dump_records import read_records
from chunkscope.splitters.dump_vectors import FloatArray, read_vectors
from chunkscope.splitters.heads import Heads
from chunkscope.splitters.pieces import Found, PieceChunker, chunking_of, pieces_at, place
from chunkscope.splitters.shapes import RawPiece
from chunkscope.splitters.texts import Texts
from chunkscope.structure.analysis import DocumentAnalysis

LARGEST_OFFSET = 2**40
NO_OFFSET = -1
"""What stands for an offset that is none: it is counted as wrong."""
MOST_NAMED = 3


class DumpRow(NamedTuple):
    """A chunk as the index has it.

    Attributes
    ----------
    number : int
        Of its line, or of its row.
    id : str
        What the index calls it; where it has no name, its document and its number there: ``rules.md#3``.
    text : str
        What is looked for in the document.
    index_text : str
        What is ranked and measured.
    start, end : int or None
        As they are claimed, -1 for what is no offset.
    place : int or None
        Its number in its document.
    parent_id : str or None
    prepended : tuple of (int, int)
        Spans that are said to stand in front, not believed either.
    """

    number: int
    id: str
    text: str
    index_text: str
    start: int | None = None
    end: int | None = None
    place: int | None = None
    parent_id: str | None = None
    prepended: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Dump:
    """The chunks of an index.

    Attributes
    ----------
    path : str
    documents : mapping of str to tuple of DumpRow
        By the names that the index gives them: in the order of places where all chunks of a document have one, else of
        their offsets where all have some, else as they stand in the file.
    is_ours : bool
        ``chunkscope chunks`` has written it.
    """

    path: str
    documents: Mapping[str, tuple[DumpRow, ...]]
    is_ours: bool

    @cached_property
    def n_rows(self) -> int:
        """How many chunks there are."""
        return sum(map(len, self.documents.values()))

    @cached_property
    def parents(self) -> Mapping[str, str]:
        """For each chunk that is part of another, its id and that of the other."""
        rows = chain.from_iterable(self.documents.values())
        return {row.id: row.parent_id for row in rows if row.parent_id}


def read_dump(path: str | os.PathLike[str], fields: Mapping[str, str] | None = None) -> Dump:
    """Read an export of an index: JSON lines, CSV or Parquet.

    Parameters
    ----------
    path : path
        ``.csv`` and ``.parquet`` say what they are; all else is JSON lines.
    fields : mapping of str to str, optional
        What fields are called, as ``{"document": "metadata.source"}``; those that are not named are looked for under
        the names that `chunkscope.splitters.dump_fields.NAMES` has.

    Raises
    ------
    InputError
        No such file, none that can be read, no chunks, a row without a document or a text, or an id that stands twice.
    ConfigError
        A field that chunks do not have.
    MissingPartError
        A Parquet file, and polars is not installed.
    """
    path = os.fspath(path)
    known = Fields(fields or {})
    rows: dict[str, list[DumpRow]] = defaultdict(list)
    ids: dict[str, int] = {}
    is_ours = True
    for number, record in read_records(path, known.columns()):
        try:
            found = known.read(record)
            name, row = _row(number, found)
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        if row.id and ids.setdefault(row.id, number) != number:
            raise InputError(f"{path}:{number}: id {row.id!r} stands twice; it is in {path}:{ids[row.id]} too")
        is_ours = is_ours and "prepended" in found and "blank" in found
        rows[name].append(row)
    if not rows:
        raise InputError(f"{path}: holds no chunks")
    return Dump(path, {name: _in_order(name, found) for name, found in rows.items()}, is_ours)


def _row(number: int, found: Mapping[str, Any]) -> tuple[str, DumpRow]:
    name = _name("document", found["document"])
    if not name:
        raise InputError("the document has no name")
    text = found["text"]
    require_text(text, "the text")
    index_text = found.get("index_text")
    if index_text is None or index_text == text:
        index_text = text
    require_text(index_text, "the index text")
    return name, DumpRow(
        number=number,
        id=_name("id", found.get("id")),
        text=text or index_text,  # we write no text where a piece was found nowhere
        index_text=index_text,
        start=_offset(found.get("start")),
        end=_offset(found.get("end")),
        place=_offset(found.get("index")),
        parent_id=_name("parent_id", found.get("parent_id")) or None,
        prepended=_spans(found.get("prepended")),
    )


def _name(what: str, value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is None and what != "document":
        return ""
    require_text(value, f"the {what}")
    return str(value)


def _offset(value: object) -> int | None:
    """Read an offset; numbers of tables may be texts, or have a fraction of nothing."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        value = float(value) if value.replace(".", "", 1).isdecimal() and len(value) < 20 else NO_OFFSET
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < LARGEST_OFFSET:
        return NO_OFFSET
    return int(value) if value == int(value) else NO_OFFSET


def _spans(value: object) -> tuple[Span, ...]:
    """Read spans; what are none say nothing."""
    if not isinstance(value, list):
        return ()
    pairs = [tuple(map(_offset, pair)) for pair in value if isinstance(pair, list) and len(pair) == 2]
    return tuple((start, end) for start, end in pairs if start is not None and end is not None)


def _in_order(name: str, rows: Sequence[DumpRow]) -> tuple[DumpRow, ...]:
    """Put the chunks of a document in order, and give a name to those without one."""
    numbers = [row.place for row in rows]
    starts = [row.start for row in rows]
    if None not in numbers and len(set(numbers)) == len(numbers):
        rows = sorted(rows, key=lambda row: row.place or 0)
    else:
        rows = [row._replace(place=None) for row in rows]
        if None not in starts and NO_OFFSET not in starts:
            rows.sort(key=lambda row: row.start or 0)
    return tuple(
        row if row.id else row._replace(id=f"{name}#{number if row.place is None else row.place}")
        for number, row in enumerate(rows)
    )


@dataclass(frozen=True)
class DumpChunker(PieceChunker):
    """The chunks of an index: a way of cutting of one cell.

    Parameters
    ----------
    path : str
        The export.
    fields : tuple of (str, str)
        What its fields are called; see `read_dump`.
    title : str
        What tables call it; by default its path.
    matching : Matching, optional
        Which document is called how in the index; made by `for_corpus`. Without one, names must be alike.

    Examples
    --------
    >>> import json, tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     file.writelines(json.dumps({"source": "a.md", "text": text}) + "\\n" for text in ("one", "two"))
    ...     file.flush()
    ...     DumpChunker(path=file.name).spans(Document("a.md", "one two")).tolist()
    [[0, 3], [4, 7]]
    """

    name: ClassVar[str] = "index"
    path: str = field(kw_only=True)
    fields: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    title: str = field(default="", kw_only=True)
    matching: Matching | None = field(default=None, kw_only=True, repr=False, compare=False)

    def check(self) -> None:
        """Refuse what can no longer be chosen."""
        if self.size is not None or self.overlap:
            raise ChunkerError(f"{self.path}: its chunks are what they are; leave out size and overlap")

    @property
    def needs_size(self) -> bool:
        """It has been cut."""
        return False

    @property
    def takes_size(self) -> bool:
        """It has been cut."""
        return False

    @property
    def takes_overlap(self) -> bool:
        """It has been cut."""
        return False

    @property
    def dump(self) -> Dump:
        """The chunks; each process reads the file once."""
        return _loaded(self.path, self.fields, _state(self.path))

    def vectors_of(self, ids: Sequence[str]) -> FloatArray | None:
        """Give the vectors that chunks have in the index, by their ids; None where it has no vectors.

        They are those of its texts: where something else is prepended, there are none.

        Returns
        -------
        float32 (n, d) or None
            Zeros where a chunk has none.

        Raises
        ------
        InputError
            What should be a vector is none, or vectors have different lengths.
        """
        if self.prepend:
            return None
        numbers, vectors = _loaded_vectors(self.path, self.fields, _state(self.path))
        if not len(vectors):
            return None
        of_row = {
            row.id: numbers.get(row.number, NO_OFFSET) for row in chain.from_iterable(self.dump.documents.values())
        }
        places = np.array([of_row[name] for name in ids], dtype=np.int64)
        found: FloatArray = vectors[places]
        found[places == NO_OFFSET] = 0.0
        return found

    def for_corpus(self, names: Sequence[str], path: str) -> Self:
        """Find out which documents are meant.

        Raises
        ------
        InputError
            None of them is in the index.
        """
        matching = match_names(list(self.dump.documents), names, path)
        if names and not matching.names:
            there, here = _some(self.dump.documents), _some(names)
            raise InputError(f"{self.path}: an index of other documents: {there}; here are {here}")
        return replace(self, matching=matching)

    @property
    def matched(self) -> Matching:
        """Which document is called how; without a corpus, all that the index has are taken to be there."""
        return Matching({name: name for name in self.dump.documents}, ()) if self.matching is None else self.matching

    def rows_of(self, name: str) -> tuple[DumpRow, ...]:
        """Give the chunks of a document, by its name in the corpus."""
        indexed = name if self.matching is None else self.matching.names.get(name)
        return () if indexed is None else self.dump.documents.get(indexed, ())

    def segment(self, analysis: DocumentAnalysis) -> tuple[Found, ...]:
        """Find the chunks of a document, once: they have no size that could change."""
        pieces, alignment = self.placed(analysis.document)
        return (self.found(analysis.document, pieces)._replace(alignment=alignment),)

    def join(self, boundaries: Sequence[tuple[Found, ...]]) -> tuple[Found, ...]:
        """Take them together."""
        return tuple(chain.from_iterable(boundaries))

    def chunks(self, boundaries: tuple[Found, ...]) -> Chunking:
        """Lay them one behind the other."""
        return chunking_of(boundaries)

    def pieces_of(self, documents: Sequence[Document]) -> list[Pieces]:
        """Find the texts in their documents."""
        return [self.placed(document)[0] for document in documents]

    def placed(self, document: Document) -> tuple[Pieces, Alignment]:
        """Find the texts in a document, and how they differ from what stands there."""
        return place_rows(document, self.rows_of(document.name))

    def strips(self, document: Document, pieces: Pieces) -> bool:
        """Tell whether white space was stripped: by chunkers of ours, which leave nothing out, never."""
        starts, ends = pieces.spans[pieces.outermost].T
        is_whole = len(starts) > 0 and starts[0] == 0 and ends[-1] == document.length
        is_tiled = is_whole and bool((starts[1:] <= ends[:-1]).all())
        return not (self.dump.is_ours and is_tiled) and super().strips(document, pieces)

    def _spell(self, skip: Sequence[str]) -> str:
        name = self.title or self.path
        return f"{name}(prepend={'+'.join(self.prepend)})" if self.prepend else name


def as_index(chunker: Chunker) -> DumpChunker | None:
    """Give a way of cutting if its chunks are those of an index."""
    return chunker if isinstance(chunker, DumpChunker) else None


def place_rows(document: Document, rows: Sequence[DumpRow]) -> tuple[Pieces, Alignment]:
    """Find out where the chunks of a document lie; their index texts are what is ranked and measured.

    Examples
    --------
    >>> row = DumpRow(1, "a.md#0", "one", "From the rules: one", 0, 3)
    >>> found, alignment = place_rows(Document("a.md", "one two"), [row])
    >>> found.texts, found.spans.tolist(), found.ids
    (['From the rules: one'], [[0, 3]], ('a.md#0',))
    """
    raw = [RawPiece(row.text, row.start, row.end) for row in rows]
    alignment = place(document, raw)
    found = pieces_at(document, raw, alignment)
    fronts = [(int(owner), (start, end)) for owner, (start, end) in zip(found.owners, found.prepended, strict=True)]
    changed = [number for number, row in enumerate(rows) if row.index_text is not row.text and found.is_found[number]]
    heads = Heads(Texts(document.text))  # makes nothing before it is asked
    for number in changed:
        start = int(found.spans[number, 0])
        fronts += [(number, span) for span in _in_front(document.text, heads, rows[number], start)]
    fronts.sort(key=lambda front: front[0])
    pieces = replace(
        found,
        texts=[row.index_text for row in rows],
        numbers=np.array([n if row.place is None else row.place for n, row in enumerate(rows)], dtype=np.int64),
        owners=np.array([owner for owner, _ in fronts], dtype=np.int64),
        prepended=as_spans([span for _, span in fronts]),
        ids=tuple(row.id for row in rows),
        sought=[row.text for row in rows],
    )
    return pieces, alignment


def _in_front(text: str, heads: Heads, row: DumpRow, start: int) -> Sequence[Span]:
    """Give what the index text of a chunk repeats of its document in front of the text."""
    if row.prepended and LINE_END.join([*(text[a:b] for a, b in row.prepended), row.text]) == row.index_text:
        return row.prepended
    if row.text and row.index_text.endswith(row.text):
        return heads.read(row.index_text[: -len(row.text)], start).prepended
    return ()


def _state(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=1)
def _loaded_vectors(
    path: str, fields: tuple[tuple[str, str], ...], state: tuple[int, int]
) -> tuple[dict[int, int], FloatArray]:
    return read_vectors(path, dict(fields))


@lru_cache(maxsize=4)
def _loaded(path: str, fields: tuple[tuple[str, str], ...], state: tuple[int, int]) -> Dump:
    return read_dump(path, dict(fields))


def _some(names: Sequence[str] | Mapping[str, object]) -> str:
    shown = ", ".join(map(repr, list(names)[:MOST_NAMED]))
    return f"{shown}, ..." if len(names) > MOST_NAMED else shown
