"""What chunkers have in common: settings that are checked when made, a spelling, and the two steps of cutting.

A chunker is a value. `segment` finds the boundaries of one document, whatever the size; `chunks` packs the boundaries
of one document, or of all documents laid one behind the other, at the chunker's size and overlap.

Twin: tests/oracle/chunks.py
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from chunkscope.chunkers.pieces import Pieces
from chunkscope.chunkers.spelling import can_be_spelt, spell_value
from chunkscope.chunkers.windows import Windows
from chunkscope.corpus.document import Document, require_document
from chunkscope.errors import ChunkerError
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.structure.analysis import DocumentAnalysis

PREPENDABLE = ("headings", "title", "table-header")
FRONT_MATTER_PREFIX = "front-matter:"

LARGEST_SIZE = 2**40
"""Far beyond all documents; arithmetic with larger numbers could overflow."""


NONE_TORN = np.empty((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class Chunking:
    """The chunks of one document, or of all documents laid one behind the other.

    Attributes
    ----------
    spans : int64 (m, 2)
        Chunks that hold a whole character, in order; neither starts nor ends ever fall.
    sizes : int64 (m,)
        What each weighs in the chunker's unit.
    windows : int64 (m,) or None
        The number of each chunk in its document where it is not simply its place: a window over tokens without a
        whole character has a number, but no span.
    n_spanless : int
        Windows without a whole character.
    torn : int64 (b, 2)
        For each window that begins or ends inside a character, or holds no whole one, the offsets of the characters
        at its ends that it tears, -1 for none.
    n_ends_inside : int
        Windows that end inside a character, the last of each document left out.
    other_ends : int64 (e,)
        Offsets at which windows end, the last of each document and those inside a character left out; None where
        these are simply the ends of the spans.
    tiles : int64 (m, 2), or a function that makes them, or None
        The spans with the white space that was stripped behind them; None where none was. A cut is where that ends, and
        text that is only stripped is not missing.
    pieces : Pieces or None
        Where chunks are texts that a splitter gave: these; the spans then are those of `pieces.outermost`.
    n_rewritten : int or None
        Chunks whose text is no slice of their document, because its pieces are joined otherwise than they stand there;
        None where there can be none.
    """

    spans: SpanArray
    sizes: IntArray
    windows: IntArray | None = None
    n_spanless: int = 0
    torn: IntArray = field(default_factory=lambda: NONE_TORN)
    n_ends_inside: int = 0
    other_ends: IntArray | None = None
    tiles: SpanArray | Callable[[], SpanArray] | None = None
    pieces: Pieces | None = None
    n_rewritten: int | None = None

    @property
    def numbers(self) -> IntArray:
        """The number of each span in its document, where there is only one: int64 (m,)."""
        if self.pieces is not None:
            return self.pieces.numbers[self.pieces.outermost]
        return np.arange(len(self.spans)) if self.windows is None else self.windows


@dataclass(frozen=True)
class Chunker(ABC):
    """A way of cutting with its settings.

    Parameters
    ----------
    size : int or None
        The most units in a chunk. None: not set yet (a way of cutting to be tried at many sizes), or, for headings,
        whole sections.
    overlap : int
        The most units that a chunk shares with the next.
    unit : str
        What sizes are counted in: ``char``, ``word``, a token encoding, or the path of a tokenizer file.
    prepend : tuple of str
        What is put in front of a chunk that does not hold it: ``headings``, ``title``, ``table-header``,
        ``front-matter:KEY``. It moves no boundary.

    Raises
    ------
    ChunkerError
        Settings that are out of range or clash.
    """

    name: ClassVar[str]
    default_unit: ClassVar[str] = "char"

    size: int | None = None
    overlap: int = 0
    unit: str = field(default="", kw_only=True)
    prepend: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", self.unit or self.default_unit)
        if isinstance(self.prepend, str):
            raise ChunkerError(
                f"prepend must be a tuple, such as {tuple(self.prepend.split('+'))}, not {self.prepend!r}"
            )
        object.__setattr__(self, "prepend", tuple(dict.fromkeys(self.prepend)))
        if self.size is not None:
            object.__setattr__(self, "size", _integer("size", self.size, 1, f"overlap {self.overlap!r}"))
        object.__setattr__(self, "overlap", _integer("overlap", self.overlap, 0, f"size {self.size!r}"))
        if self.size is not None and self.overlap >= self.size:
            raise ChunkerError(f"overlap {self.overlap} must be smaller than size {self.size}")
        if self.size is None and self.overlap:
            raise ChunkerError(f"overlap {self.overlap} needs a size")
        for what in self.prepend:
            key = what.removeprefix(FRONT_MATTER_PREFIX)
            if what not in PREPENDABLE and (key == what or not key or "+" in key):
                raise ChunkerError(
                    f"{self.name}: cannot prepend {what!r}; write {', '.join(PREPENDABLE)} or {FRONT_MATTER_PREFIX}KEY"
                )
        for name in (self.unit, *self.prepend):
            if not can_be_spelt(name):
                raise ChunkerError(
                    f"{self.name}: {name!r} cannot be written in a chunker's spelling; choose another name"
                )
        self.check()

    def check(self) -> None:
        """Raise `ChunkerError` where settings clash."""

    @abstractmethod
    def segment(self, analysis: DocumentAnalysis) -> Any:
        """Find the boundaries of one document, for `chunks`; the size plays no part in it."""

    @abstractmethod
    def join(self, boundaries: Sequence[Any]) -> Any:
        """Lay the boundaries of several documents one behind the other."""

    @abstractmethod
    def chunks(self, boundaries: Any) -> Chunking:
        """Pack boundaries into chunks of the chunker's size."""

    def chunks_of(self, cells: Sequence[Chunker], boundaries: Any) -> Iterator[Chunking]:
        """Pack the same boundaries at the sizes and overlaps of several chunkers of this kind, in their order."""
        for cell in cells:
            yield cell.chunks(boundaries)

    def spans(self, document: Document) -> SpanArray:
        """Cut one document.

        Returns
        -------
        int64 (m, 2)
            Each chunk's text is ``document.text[start:end]``.
        """
        require_document(document)
        if not document.text:
            return np.empty((0, 2), dtype=np.int64)
        return self.chunks(self.segment(DocumentAnalysis(document))).spans

    def for_corpus(self, names: Sequence[str], path: str) -> Self:
        """Give the chunker for documents of these names, and a corpus that stands there; nearly all are for any."""
        return self

    def at(self, size: int | None, overlap: int = 0) -> Self:
        """Give the same way of cutting at another size and overlap."""
        return dataclasses.replace(self, size=size, overlap=overlap)

    def in_unit(self, unit: str) -> Self:
        """Give the same way of cutting with sizes in another unit."""
        return dataclasses.replace(self, unit=unit)

    @property
    def unsized(self) -> Self:
        """The same chunker without size and overlap: what segments a document once, whatever the sizes."""
        return self if self.size is None and not self.overlap else self.at(None)

    @property
    def segmenter(self) -> Self:
        """The same chunker without what it prepends either, which moves no boundary: cells of one share boundaries."""
        return dataclasses.replace(self.unsized, prepend=()) if self.prepend else self.unsized

    @property
    def needs_size(self) -> bool:
        """Whether it cuts nothing until it is given a size."""
        return True

    @property
    def takes_size(self) -> bool:
        """Whether it can be given a size."""
        return True

    @property
    def takes_overlap(self) -> bool:
        """Whether it can be given an overlap."""
        return True

    @property
    def has_own_size(self) -> bool:
        """Whether it cuts at a size of its own, or at none, where it is given none."""
        return False

    @property
    def gives_pieces(self) -> bool:
        """Whether its chunks are texts that somebody else made, which takes longer than to cut."""
        return False

    @property
    def is_portable(self) -> bool:
        """Whether other processes can be sent it."""
        return True

    @property
    def windows(self) -> Windows | None:
        """The windows of characters that the chunks are; None for chunks that have to be cut one by one."""
        return None

    @property
    def has_windows(self) -> bool:
        """Whether chunks are windows of one step: only then is luck arithmetic, and may an overlap be a guarantee."""
        return False

    @property
    def shown_unit(self) -> str:
        """What reports call the unit of its sizes."""
        return self.unit

    @property
    def counts_raw_tokens(self) -> bool:
        """Whether sizes count tokens wherever they begin, inside characters too."""
        return False

    @property
    def merges_sections(self) -> bool:
        """Whether a chunk may hold several sections, whose common heading path it has."""
        return False

    def required_size(self) -> int:
        """Give the size, or raise `ChunkerError` where none is set."""
        if self.size is None:
            raise ChunkerError(f"{self.label} needs a size, such as {self.name}(size=400)")
        return self.size

    @property
    def label(self) -> str:
        """The spelling without size, overlap and unit."""
        return self._spell(skip=("size", "overlap", "unit"))

    def __str__(self) -> str:
        return self._spell(skip=())

    def _spell(self, skip: Sequence[str]) -> str:
        settings = []
        for entry in dataclasses.fields(self):
            value = getattr(self, entry.name)
            default = self.default_unit if entry.name == "unit" else entry.default
            if entry.name not in skip and value != default:
                spelt = "+".join(value) if entry.name == "prepend" else spell_value(value)
                settings.append(f"{entry.name}={spelt}")
        return f"{self.name}({', '.join(settings)})" if settings else self.name


def _integer(name: str, value: object, least: int, given: str) -> int:
    """Give a setting as an int; integers of other libraries are integers, true and false are none."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ChunkerError(f"{name} {value!r} must be a whole number (with {given})")
    if value < least:
        raise ChunkerError(f"{name} {value} must be at least {least} (with {given})")
    if int(value) > LARGEST_SIZE:
        raise ChunkerError(f"{name} {value} must be at most {LARGEST_SIZE:,} (with {given})")
    return int(value)


def check_choice(chunker: Chunker, setting: str, choices: Sequence[str]) -> None:
    """Raise `ChunkerError` where a setting is none of its choices."""
    value = getattr(chunker, setting)
    if value not in choices:
        raise ChunkerError(f"{chunker.name}: {setting}={value} is not one of {', '.join(choices)}")
