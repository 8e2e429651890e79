"""A splitter of one's own, or of an installed package, as a way of cutting like any other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from chunkscope.chunkers.base import Chunker, Chunking
from chunkscope.chunkers.pieces import Pieces
from chunkscope.chunkers.spelling import parse_settings, read_value
from chunkscope.corpus.document import Document
from chunkscope.errors import ChunkerError, SplitterError, unit_noun
from chunkscope.splitters.installed import load_splitter
from chunkscope.splitters.kept import KeptPieces, kept_answer
from chunkscope.splitters.packages import SPLITTERS
from chunkscope.splitters.parameters import OVERLAP_NAMES, SIZE_NAMES
from chunkscope.splitters.pieces import PieceChunker, chunking_of, read_pieces
from chunkscope.splitters.probes import SAMPLE, ignores_size, is_deterministic
from chunkscope.splitters.shapes import RawPiece, Splitter, adapt, is_portable
from chunkscope.structure.analysis import DocumentAnalysis


@dataclass(frozen=True)
class SplitterChunker(PieceChunker):
    """A splitter from outside.

    Parameters
    ----------
    spec : str
        A short name such as ``langchain:recursive``, ``module:attribute``, or what a splitter is called that was given
        as an object.
    settings : str
        What it is set up with, as it was written.
    given : Splitter, optional
        The splitter itself, where it was given as an object.
    is_unit_asked : bool
        Somebody has said what its sizes count. Else that is what is known of it; where nothing is, characters are
        measured, and nothing is said of what is above the size.
    cache : str, optional
        The file in which pieces are kept; without one, as long as the process.

    Examples
    --------
    >>> from textwrap import wrap
    >>> wrapped = as_chunker(wrap).at(8)
    >>> str(wrapped), wrapped.spans(Document("a.md", "one two  three")).tolist()
    ('textwrap:wrap(size=8)', [[0, 7], [9, 14]])
    """

    name: ClassVar[str] = "splitter"
    spec: str = field(kw_only=True)
    settings: str = field(default="", kw_only=True)
    given: Splitter | None = field(default=None, kw_only=True, repr=False)
    is_unit_asked: bool = field(default=False, kw_only=True, repr=False)
    cache: str | None = field(default=None, kw_only=True, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.unit:
            object.__setattr__(self, "unit", self.splitter.unit or "char")
        super().__post_init__()

    def check(self) -> None:
        """Hold size and overlap to what the splitter takes."""
        splitter = self.splitter
        if self.size is None and not self.overlap:
            return
        for what, value, takes, fixed in (
            ("size", self.size, splitter.takes_size, splitter.fixed_size),
            ("overlap", self.overlap, splitter.takes_overlap, splitter.fixed_overlap or 0),
        ):
            if not takes and value not in (None, fixed):
                raise ChunkerError(f"{self.spec} takes no {what}" + (f": it is fixed at {fixed}" if fixed else ""))

    @property
    def splitter(self) -> Splitter:
        """What splits."""
        if self.given is not None:
            return self.given
        return _loaded(self.spec, self.settings, self.unit if self.is_unit_asked else "")

    def in_unit(self, unit: str) -> Self:
        """Let sizes count another unit; a splitter of one's own is believed to do so."""
        given = None if self.given is None else replace(self.given, unit=unit, counts=unit_noun(unit))
        return replace(self, unit=unit, given=given, is_unit_asked=True)

    @property
    def needs_size(self) -> bool:
        """Whether a grid gives it sizes."""
        return self.splitter.takes_size

    @property
    def takes_size(self) -> bool:
        """Whether it can be given a size."""
        return self.splitter.takes_size

    @property
    def takes_overlap(self) -> bool:
        """Whether it can be given an overlap."""
        return self.splitter.takes_overlap

    @property
    def has_own_size(self) -> bool:
        """Whether the splitter has a default, or takes no size."""
        return self.size is not None or not self.splitter.needs_size

    @property
    def shown_unit(self) -> str:
        """What it counts, in our words or in its own."""
        return self.unit if self.splitter.unit else self.splitter.counts

    @property
    def is_portable(self) -> bool:
        """Whether other processes can be sent it."""
        return is_portable(self.splitter)

    def segment(self, analysis: DocumentAnalysis) -> tuple[Document, ...]:
        """Take the document itself: where its pieces end depends on their size."""
        return (analysis.document,)

    def join(self, boundaries: Sequence[tuple[Document, ...]]) -> tuple[Document, ...]:
        """Take the documents together."""
        return tuple(chain.from_iterable(boundaries))

    def chunks(self, boundaries: tuple[Document, ...]) -> Chunking:
        """Split the documents, and lay the pieces one behind the other."""
        return chunking_of(self.found_in(boundaries))

    @property
    def asked(self) -> tuple[int | None, int]:
        """The size and overlap that the splitter is asked for, as far as it takes them."""
        splitter = self.splitter
        return self.size if splitter.takes_size else None, self.overlap if splitter.takes_overlap else 0

    def split(self, text: str) -> list[RawPiece]:
        """Run the splitter on a text at this size and overlap, as far as it takes them.

        Raises
        ------
        SplitterError
            It cannot split the text.
        """
        return self.splitter.split(text, *self.asked)

    def pieces_of(self, documents: Sequence[Document]) -> list[Pieces]:
        """Run it on each document that is new at this setting; what it cannot split has no pieces, but a reason."""
        splitter = self.splitter
        if splitter.version is None:
            return [self._split(document) for document in documents]
        setting = [self.spec, splitter.version, self.settings, self.unit, str(self.size), str(self.overlap)]
        kept = KeptPieces(self.cache, self.spec, setting)
        found = kept.get(documents)
        try:
            for number, document in enumerate(documents):
                if found[number] is None:
                    pieces = found[number] = self._split(document)
                    if not pieces.failures:
                        kept.put(document, pieces)
        finally:
            kept.flush()
        return [one for one in found if one is not None]

    def _split(self, document: Document) -> Pieces:
        try:
            return read_pieces(document, self.split(document.text))
        except SplitterError as error:
            none = np.empty(0, dtype=np.int64)
            failures = ((document.name, str(error)),)
            return Pieces([], none.reshape(0, 2), none, none.astype(np.uint8), failures=failures)

    def _spell(self, skip: Sequence[str]) -> str:
        settings = [self.settings] if self.settings else []
        if self.prepend:
            settings.append(f"prepend={'+'.join(self.prepend)}")
        if "size" not in skip and self.size is not None:
            settings.append(f"size={self.size}")
        if "overlap" not in skip and self.overlap:
            settings.append(f"overlap={self.overlap}")
        if "unit" not in skip and self.is_unit_asked:
            settings.append(f"unit={self.unit}")
        return f"{self.spec}({', '.join(settings)})" if settings else self.spec


@lru_cache(maxsize=64)
def _loaded(spec: str, settings: str, unit: str) -> Splitter:
    """Load a splitter once a process: it may keep a model, and what it has been set up with."""
    options = {key: read_value(value, spec) for key, value in parse_settings(settings, spec)}
    return load_splitter(spec, options, unit or None)


def parse_splitter(spec: str, settings: str) -> SplitterChunker:
    """Read a splitter by its name and its settings.

    ``size``, ``overlap``, ``unit`` and ``prepend`` (what is put in front of its pieces besides) are ours, all others
    its own. A size or an overlap under a name of its own, such as ``chunk_size``, is that of the cell.

    Examples
    --------
    >>> parse_splitter("textwrap:wrap", "width=20").size
    20
    """
    own: dict[str, str] = {}
    ours: dict[str, Any] = {}
    for key, value in parse_settings(settings, spec):
        if key == "prepend":
            ours[key] = tuple(part.strip() for part in value.split("+"))
        elif key in ("size", "overlap", "unit"):
            ours[key] = value if key == "unit" else read_value(value, spec)
        else:
            own[key] = value
    splitter = _loaded(spec, _spelt(own), ours.get("unit", ""))
    if splitter.fixed_size is not None:
        fixed, overlap = splitter.fixed_size, _overlap_at_fixed_size(splitter)
        own = {key: value for key, value in own.items() if key not in SIZE_NAMES and key not in OVERLAP_NAMES}
        ours = {"size": fixed, "overlap": overlap, **ours}
    return SplitterChunker(spec=spec, settings=_spelt(own), is_unit_asked="unit" in ours, **ours)


def _overlap_at_fixed_size(splitter: Splitter) -> int:
    """Give the overlap of a splitter whose size is given: its own, where none is given with it."""
    return (splitter.default_overlap if splitter.fixed_overlap is None else splitter.fixed_overlap) or 0


def as_chunker(
    found: object, name: str | None = None, *, size: int | None = None, overlap: int = 0, unit: str = ""
) -> SplitterChunker:
    """Take a splitter for a way of cutting.

    Parameters
    ----------
    found : object
        A function of a text, an object with a method that splits, or a class or function that gives one of these.
    name : str, optional
        What tables call it; by default its own name.
    size, overlap : int, optional
        Where it takes such; a sweep gives it those of the grid.
    unit : str, optional
        What sizes are counted in.

    Raises
    ------
    SplitterError
        Nothing about it splits.

    Examples
    --------
    >>> as_chunker(str.splitlines, "lines").spans(Document("a.md", "one\\ntwo")).tolist()
    [[0, 3], [4, 7]]
    """
    splitter = adapt(found, name or _name_of(found), unit=unit or None)
    if size is None and splitter.fixed_size is not None:
        size, overlap = splitter.fixed_size, overlap or _overlap_at_fixed_size(splitter)
    return SplitterChunker(size, overlap, unit=unit, spec=splitter.name, given=splitter, is_unit_asked=bool(unit))


def with_cache(chunker: Chunker, path: str | None) -> Chunker:
    """Give a way of cutting that keeps its pieces in a file, if it has pieces to keep."""
    return replace(chunker, cache=path) if isinstance(chunker, SplitterChunker) else chunker


def _name_of(found: object) -> str:
    """Give the name under which others would look a splitter up, as far as it has one."""
    named = found if hasattr(found, "__qualname__") else type(found)
    name = re.sub(r"[^\w.]", "", str(getattr(named, "__qualname__", "splitter")).replace("<locals>.", ""))
    return f"{getattr(named, '__module__', None) or 'given'}:{name or 'splitter'}"


def _spelt(settings: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in settings.items())


IGNORES_SIZE, CHANGES = "ignores_size", "changes"


def doubts(chunker: Chunker) -> tuple[str, ...]:
    """Try a splitter of one's own out on a sample, once, and tell what is doubtful about it.

    Returns
    -------
    tuple of str
        `IGNORES_SIZE`; `CHANGES` where it gives something else when asked again. Nothing for the splitters of packages,
        which have been tried, and for chunkers of ours.

    Examples
    --------
    >>> def deaf(text, chunk_size):
    ...     return text.split("\\n\\n")
    >>> doubts(as_chunker(deaf))
    ('ignores_size',)
    """
    if not isinstance(chunker, SplitterChunker) or chunker.spec in SPLITTERS:
        return ()
    splitter = chunker.splitter
    setting = [chunker.spec, splitter.version or "", chunker.settings, chunker.unit]
    setting += [str(chunker.size), str(chunker.overlap)]
    if splitter.version is None:
        return _found_doubtful(chunker)
    return kept_answer(chunker.cache, setting, lambda: _found_doubtful(chunker))


def _found_doubtful(chunker: SplitterChunker) -> tuple[str, ...]:
    splitter, found = chunker.splitter, []
    if ignores_size(splitter):
        found.append(IGNORES_SIZE)
    try:
        size, overlap = chunker.asked
        if not is_deterministic(splitter, SAMPLE, size or (200 if splitter.takes_size else None), overlap):
            found.append(CHANGES)
    except SplitterError:
        pass  # what it cannot split is told of the documents
    return tuple(found)
