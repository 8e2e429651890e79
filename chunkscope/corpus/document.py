"""A document: a name, a text, and where an offset stands in it. One of a file leaves its text there until asked."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol, get_args

from chunkscope.corpus.decoding import decode, read_bytes
from chunkscope.corpus.dialect import AUTO, check_dialect
from chunkscope.corpus.front_matter import attributes_of, front_matter_end
from chunkscope.corpus.manifest import Origin
from chunkscope.corpus.places import DocumentPlace
from chunkscope.errors import InputError, os_reason, require_text
from chunkscope.language import Text

Markup = Literal["markdown", "html", "plain", "code"]

MARKUPS: tuple[Markup, ...] = get_args(Markup)

SHOWN = 80
"""So many characters of a text stand in the `repr` of its document."""

LINE_END = re.compile(r"\r\n|\n|\r")
"""The only line ends. ``str.splitlines`` knows seven more, which are ordinary characters in Markdown."""


def require_document(value: object) -> None:
    """Raise an `InputError` where something else is given."""
    if not isinstance(value, Document):
        raise InputError(f"{type(value).__name__!r} is no document; Document(name, text) makes one")


class Position(NamedTuple):
    """A place as people count: line and column from 1, the column in code points."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    r"""A named text, kept exactly as it was decoded.

    Parameters
    ----------
    name : str
        The path relative to the corpus, with ``/``.
    text : str
        The decoded text. Line ends, tabs and zero-width characters stay.
    fields : mapping
        What a JSONL record says of the document besides its name and text.
    markup : {"markdown", "html", "plain", "code"}
        HTML has tables, code, blocks and sentences, but no headings; plain text paragraphs, items and sentences; code
        its lines.
    origin : Origin, optional
        The file that it was converted from, with its pages. Two documents may differ in it and be equal.
    dialect : str
        Of Markdown: one of `chunkscope.corpus.dialect.DIALECTS`, or ``auto``, by the document's name and its marks.

    Raises
    ------
    InputError
        No name, or a text that is none or holds half of a surrogate pair.

    Examples
    --------
    >>> rules = Document("rules.md", "---\nstatus: abolished\n---\n# 旅費\r\n上限は12,000円。")
    >>> rules.position(34)
    Position(line=5, column=3)
    >>> rules.attributes
    {'status': 'abolished'}
    """

    name: str
    text: str
    fields: Mapping[str, object] = field(default_factory=dict)
    markup: Markup = "markdown"
    origin: Origin | None = None
    dialect: str = AUTO

    def __post_init__(self) -> None:
        require_text(self.name, "the name of a document")
        if not self.name:
            raise InputError("a document needs a name")
        if not isinstance(self.text, str):
            raise InputError(f"{self.name}: the text must be a str, not {type(self.text).__name__}; decode it first")
        require_text(self.text, f"{self.name}: the text")
        if self.markup not in MARKUPS:
            raise InputError(f"{self.name}: markup {self.markup!r} is none of {', '.join(MARKUPS)}")
        check_dialect(self.dialect)

    def __eq__(self, other: object) -> bool:
        """Compare all that documents have, whether or not they hold their texts."""
        if not isinstance(other, Document):
            return NotImplemented
        mine, theirs = ((one.name, one.text, one.fields, one.markup, one.dialect) for one in (self, other))
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self.name, self.text))

    def __repr__(self) -> str:
        text = self.text if self.length <= SHOWN else f"{self.text[:SHOWN]}..."
        length = f", {self.length:,} characters" if self.length > SHOWN else ""
        return f"{type(self).__name__}(name={self.name!r}, text={text!r}{length}, markup={self.markup!r})"

    @property
    def length(self) -> int:
        """Code points of the text."""
        return len(self.text)

    @cached_property
    def attributes(self) -> dict[str, object]:
        """What the front matter and the record's fields say; the fields win."""
        front = attributes_of(self.text) if self.markup in ("markdown", "html") else {}
        return {**front, **self.fields}

    @cached_property
    def front_matter_end(self) -> int:
        """Where the front matter ends, its closing line's end included; 0 if there is none."""
        return front_matter_end(self.text) if self.markup in ("markdown", "html") else 0

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    def source_place(self, offset: int) -> Text | str:
        r"""Say on which page of which file an offset stands, where it was converted from one; else give an empty text.

        Examples
        --------
        >>> Document("a.pdf.md", "宿泊費。\n\n日当。", origin=Origin("a.pdf", "page", (1, 2), (0, 6))).source_place(7)
        'a.pdf, page 2'
        """
        return self.origin.place(offset) if self.origin else ""

    def position(self, offset: int) -> Position:
        """Give line and column of an offset, from 0 to the length of the text.

        Raises
        ------
        InputError
            An offset outside.
        """
        if not 0 <= offset <= self.length:
            raise InputError(f"{self.name}: there is no offset {offset} in a text of {self.length} characters")
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)


class Stored(Protocol):
    """Where a text stands, and what is known without it: its code points, and where its front matter ends."""

    @property
    def length(self) -> int: ...

    @property
    def front_matter_end(self) -> int: ...

    def read(self, name: str) -> tuple[str, Mapping[str, object]]:
        """Read the text and the fields; an `InputError` where it is no longer what it was."""


def changed(name: str) -> InputError:
    """Say that what is read is no longer what it was."""
    return InputError(f"{name}: the file has changed since it was first read")


@dataclass(frozen=True, slots=True)
class StoredText:
    """Where the text of a file stands, and what it was when it was first read.

    Attributes
    ----------
    place : str or DocumentPlace
        The path of the file, or where else it stands.
    encoding : str or None
    digest : str
        SHA-256 of the bytes, in hex.
    length : int
        Code points.
    front_matter_end : int
        Where its front matter ends.
    """

    place: str | DocumentPlace
    encoding: str | None
    digest: str
    length: int
    front_matter_end: int

    def read(self, name: str) -> tuple[str, Mapping[str, object]]:
        """Read the text; a file has no fields."""
        try:
            raw = read_bytes(self.place) if isinstance(self.place, str) else self.place.read()
        except OSError as error:
            raise InputError(f"{name}: {os_reason(error)}") from None
        if hashlib.sha256(raw).hexdigest() != self.digest:
            raise changed(name)
        return decode(raw, name, self.encoding), {}


class FileDocument(Document):
    """A document that reads its text and its fields when first asked; until then it goes to other processes without.

    One made as any document is made, by `dataclasses.replace` for example, has its text.
    """

    _stored: Stored | None = None

    @classmethod
    def of(
        cls, name: str, markup: Markup, stored: Stored, origin: Origin | None = None, dialect: str = AUTO
    ) -> FileDocument:
        """Make one of all that a document has, but for the text and the fields."""
        document = cls.__new__(cls)
        document.__dict__.update(name=name, markup=markup, origin=origin, dialect=dialect, _stored=stored)
        document.__dict__["front_matter_end"] = stored.front_matter_end
        return document

    @property
    def length(self) -> int:
        """Code points of the text, known without it."""
        return self._stored.length if self._stored else super().length

    @cached_property
    def text(self) -> str:
        """The decoded text."""
        if self._stored is None:
            raise AttributeError("text")
        text, fields = self._stored.read(self.name)
        self.__dict__.setdefault("fields", fields)
        return text

    @cached_property
    def fields(self) -> Mapping[str, object]:
        """What a record says of the document besides its name and text."""
        if self._stored is None:
            raise AttributeError("fields")
        return {} if isinstance(self._stored, StoredText) else self._stored.read(self.name)[1]

    def __repr__(self) -> str:
        return super().__repr__() if "text" in self.__dict__ else f"FileDocument(name={self.name!r}, text=...)"
