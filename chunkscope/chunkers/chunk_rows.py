"""The chunks of documents one by one, as JSON has them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.chunk_set import span_chunks
from chunkscope.chunkers.index_text import IndexTexts
from chunkscope.chunkers.parse import parse_chunker
from chunkscope.chunkers.prepending import chunk_paths, find_prependable
from chunkscope.corpus.document import Document, require_document
from chunkscope.errors import SplitterError, refuse_path
from chunkscope.spans.intervals import IntArray, Span, SpanArray
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

LONGEST_TITLE, MOST_ATTRIBUTES = 300, 10_000
"""Characters of a title, and of all attributes as JSON: both stand in every row of a document."""


@dataclass(frozen=True)
class ChunkRow:
    """One chunk, with all that an index needs of it.

    Attributes
    ----------
    document : str
    index : int
        Its number in the document, from 0.
    start, end : int or None
        The body in code points: ``text`` is the document's ``text[start:end]``. None for a raw token window without a
        whole character, which has nothing: its texts are empty, and it is blank; and for a splitter's piece that is
        found nowhere in the document, of which there is the text to index only.
    lines : (int, int) or None
        The first and the last line that hold some of it, from 1; None where there is nothing.
    text : str
        The body.
    index_text : str
        What to index: each prepended span on a line of its own, then the body; just the body if it prepends nothing.
    title : str or None
        The document's first heading of level 1, else its `title` attribute. Titles end in ``…`` after
        `LONGEST_TITLE` characters.
    headings : tuple of str
        The titles of the heading path, outermost first.
    prepended : tuple of (int, int)
        The spans in front of the body.
    attributes : mapping
        Those of the document, in order; one with which they would have more than `MOST_ATTRIBUTES` characters is
        left out.
    blank : bool
        Nothing in it can be seen: it keeps its number, and is not to be indexed.
    origin : mapping or None
        Where the document was converted: the ``file``, and the ``page``, ``slide`` or ``sheet`` on which it begins.
    """

    document: str
    index: int
    start: int | None
    end: int | None
    lines: tuple[int, int] | None
    text: str
    index_text: str
    title: str | None
    headings: tuple[str, ...]
    prepended: tuple[Span, ...]
    attributes: Mapping[str, object] = field(hash=False)
    blank: bool
    origin: Mapping[str, object] | None = field(default=None, hash=False)

    @property
    def sha256(self) -> str:
        """Digest of `index_text` in UTF-8, in hex."""
        return hashlib.sha256(self.index_text.encode()).hexdigest()

    def to_dict(self) -> dict[str, object]:
        """Give the row as JSON has it."""
        return {
            "document": self.document,
            "index": self.index,
            "start": self.start,
            "end": self.end,
            "lines": None if self.lines is None else list(self.lines),
            "text": self.text,
            "index_text": self.index_text,
            "title": self.title,
            "headings": list(self.headings),
            "prepended": [list(span) for span in self.prepended],
            "attributes": dict(self.attributes),
            "sha256": self.sha256,
            "blank": self.blank,
            **({} if self.origin is None else {"origin": dict(self.origin)}),
        }


def list_chunks(documents: Iterable[Document], chunker: Chunker | str) -> Iterator[ChunkRow]:
    r"""Give the chunks of documents, one document after the other.

    Parameters
    ----------
    documents : iterable of Document
        Gone through once; no more than one is held.
    chunker : Chunker or str
        With a size; headings may do without.

    Yields
    ------
    ChunkRow

    Raises
    ------
    InputError
        No documents but a path to them, or something that is none.
    ChunkerError
        The chunker needs a size and has none; raised at once.
    SplitterError
        A splitter cannot split a document.

    Examples
    --------
    >>> from chunkscope.chunkers import HeadingChunker
    >>> rules = Document("rules.md", "# 旅費\n出張の費用。\n## 宿泊\n上限は12,000円。")
    >>> for row in list_chunks([rules], HeadingChunker(prepend=("headings",))):
    ...     print(row.index, row.lines, row.headings, repr(row.index_text))
    0 (1, 2) ('旅費',) '# 旅費\n出張の費用。\n'
    1 (3, 4) ('旅費', '宿泊') '# 旅費\n## 宿泊\n上限は12,000円。'
    """
    refuse_path(documents, "documents", "read_corpus")
    if isinstance(chunker, str):
        chunker = parse_chunker(chunker)
    if chunker.needs_size:
        chunker.required_size()
    return _list_chunks(documents, chunker)


def _list_chunks(documents: Iterable[Document], chunker: Chunker) -> Iterator[ChunkRow]:
    for document in documents:
        require_document(document)
        if document.text:
            analysis = DocumentAnalysis(document)
            yield from _rows(analysis, chunker, _cut(analysis, chunker))


def _rows(analysis: DocumentAnalysis, chunker: Chunker, chunking: Chunking) -> Iterator[ChunkRow]:
    """Give every window in its order; where numbers are left out between chunks, windows have no whole character."""
    following, constant = 0, _Constant.of(analysis)
    for row in _chunk_rows(analysis, chunker, chunking, constant):
        yield from _empty_rows(constant, range(following, row.index))
        yield row
        following = row.index + 1
    if chunking.pieces is None:
        yield from _empty_rows(constant, range(following, len(chunking.spans) + chunking.n_spanless))


def _empty_rows(constant: _Constant, numbers: range) -> Iterator[ChunkRow]:
    for number in numbers:
        yield ChunkRow(
            constant.document, number, None, None, None, "", "", constant.title, (), (), constant.attributes, blank=True
        )


def _chunk_rows(
    analysis: DocumentAnalysis, chunker: Chunker, chunking: Chunking, constant: _Constant
) -> Iterator[ChunkRow]:
    text, origin = analysis.document.text, analysis.document.origin
    prependable = find_prependable(analysis, ("headings", *chunker.prepend))
    layout = Layout.of([constant.document], [analysis.length])
    chunks = span_chunks(layout, chunker, chunking)
    texts = IndexTexts.of(chunks, prependable)
    titles = [_shortened(heading.title) for heading in analysis.structure.headings]
    columns = zip(
        (np.arange(chunks.n_chunks) if chunking.windows is None else chunking.windows).tolist(),
        chunks.bodies.tolist(),
        _lines(analysis, chunks.bodies).tolist(),
        chunk_paths(prependable, chunker, chunks.bodies).tolist(),
        texts.prepended_by_chunk(),
        texts.write([text], layout),
        chunks.is_blank(analysis.blank_runs).tolist(),
        strict=True,
    )
    for number, (start, end), lines, path, prepended, index_text, blank in columns:
        has_place = start < end  # a piece that was found nowhere has none
        yield ChunkRow(
            document=constant.document,
            index=number,
            start=start if has_place else None,
            end=end if has_place else None,
            lines=(lines[0], lines[1]) if has_place else None,
            text=text[start:end],
            index_text=index_text,
            title=constant.title,
            headings=tuple(titles[row] for row in path if row >= 0 and has_place),
            prepended=prepended,
            attributes=constant.attributes,
            blank=blank,
            origin=origin.at(start) if origin and has_place else None,
        )


class _Constant(NamedTuple):
    """What all rows of a document have alike."""

    document: str
    title: str | None
    attributes: Mapping[str, object]

    @classmethod
    def of(cls, analysis: DocumentAnalysis) -> _Constant:
        title, document = analysis.title, analysis.document
        return cls(document.name, None if title is None else _shortened(title), fitting_attributes(document))


def fitting_attributes(document: Document) -> dict[str, object]:
    """Give the attributes of a document that stand in its rows, see `ChunkRow`.

    Examples
    --------
    >>> fitting_attributes(Document("a.md", "", fields={"a": "x" * 9_000, "b": "x" * 9_000, "c": 1})).keys()
    dict_keys(['a', 'c'])
    """
    room, fitting = MOST_ATTRIBUTES, {}
    for name, value in document.attributes.items():
        size = len(json.dumps({name: value}, ensure_ascii=False, default=str))
        if size <= room:
            fitting[name] = value
            room -= size
    return fitting


def _shortened(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def chunk_document(document: Document, chunker: Chunker) -> Chunking:
    """Cut one document; its text may be empty.

    Examples
    --------
    >>> from chunkscope.chunkers import FixedChunker
    >>> chunk_document(Document("a", "いろはにほへと"), FixedChunker(4)).spans.tolist()
    [[0, 4], [4, 7]]
    """
    if not document.text:
        none = np.empty(0, dtype=np.int64)
        return Chunking(none.reshape(0, 2), none)
    return _cut(DocumentAnalysis(document), chunker)


def _cut(analysis: DocumentAnalysis, chunker: Chunker) -> Chunking:
    if chunker.unit != "char":
        unit = get_unit(chunker.unit)
        # measured with its name, so that a text that a tokenizer refuses can be found
        analysis.keep(unit, unit.measure_all([analysis.document.text], [analysis.document.name])[0])
    chunking = chunker.chunks(chunker.segment(analysis))
    for name, reason in chunking.pieces.failures if chunking.pieces is not None else ():
        raise SplitterError(f"{name}: {reason}")
    return chunking


def _lines(analysis: DocumentAnalysis, chunks: SpanArray) -> IntArray:
    """Give the lines of the first and the last character of each chunk, from 1."""
    ends = chunks - np.array([0, 1])
    lines: IntArray = np.searchsorted(analysis.line_starts, ends, side="right").astype(np.int64)
    return lines
