"""What a splitter, an index or a chunker of ours makes of documents, with the first places of all that is wrong.

Twin: tests/oracle/inspection.py
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkscope.chunkers.base import Chunker
from chunkscope.corpus.document import Document
from chunkscope.errors import SplitterError
from chunkscope.splitters.chunker import SplitterChunker
from chunkscope.splitters.look import Look, Place, stated_overlap, stated_size
from chunkscope.splitters.probes import ignores_size, is_deterministic

PROBLEMS = (
    "normalised",
    "prepended",
    "not_found",
    "ambiguous",
    "wrong_offsets",
    "gaps",
    "inside",
    "oversize",
    "broken",
    "blank",
    "cut_tables",
    "header_lost",
)
"""What has places."""

MOST_REASONS = 200
"""So many pieces are asked why they were not found, for that takes a search each."""


@dataclass(frozen=True)
class Inspection:
    """What a way of cutting makes of documents.

    Attributes
    ----------
    chunker : str
    size, overlap : int or None
        Those that are asked for, else a splitter's own, as far as they are known.
    unit : str
        What both count, in our words or in the splitter's.
    documents, characters : int
        What was looked at.
    counts : mapping of str to int
        ``pieces``; of these ``exact``, ``normalised``, ``prepended``, ``not_found``, and ``empty``, which have no
        visible text and no place. ``repeating`` and ``foreign``: prepended with text of the document, and with other
        text. ``claimed``: with offsets. ``gaps``: passages in no piece that can be seen; ``uncovered``: their
        visible characters; ``blank_uncovered``: white space in no piece. ``tables``; ``rows`` of those with a header;
        and the others of `PROBLEMS`. ``oversize`` is not there where only the splitter knows what the size counts.
    changes, reasons : mapping of str to int
        How pieces differ from the document, and why others were not found (of `MOST_REASONS` at most).
    places : mapping of str to sequence of Place
        The first of each of `PROBLEMS`.
    ignores_size, is_deterministic : bool or None
        None for what is no splitter.
    failures : tuple of (str, str)
        Documents that could not be cut, and why.
    """

    chunker: str
    size: int | None
    overlap: int | None
    unit: str
    documents: int
    characters: int
    counts: Mapping[str, int]
    changes: Mapping[str, int]
    reasons: Mapping[str, int]
    places: Mapping[str, Sequence[Place]]
    ignores_size: bool | None = None
    is_deterministic: bool | None = None
    failures: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "chunker": self.chunker,
            "size": self.size,
            "overlap": self.overlap,
            "unit": self.unit,
            "documents": self.documents,
            "characters": self.characters,
            "counts": dict(self.counts),
            "changes": dict(self.changes),
            "reasons": dict(self.reasons),
            "ignores_size": self.ignores_size,
            "is_deterministic": self.is_deterministic,
            "failures": [{"document": name, "reason": reason} for name, reason in self.failures],
            "places": {code: [place.to_dict() for place in found] for code, found in self.places.items()},
        }


def inspect_pieces(
    documents: Iterable[Document],
    chunker: Chunker,
    n_places: int = 3,
    progress: Callable[[int], None] | None = None,
) -> Inspection:
    """Look at all pieces of documents.

    Parameters
    ----------
    documents : iterable of Document
        Gone through once.
    chunker : Chunker
        With its size; a splitter without one keeps its own.
    n_places : int
        How many places of each kind are kept.
    progress : callable, optional
        Told how many documents have been looked at.

    Examples
    --------
    >>> from chunkscope.splitters.chunker import as_chunker
    >>> found = inspect_pieces([Document("a.md", "one  two. three")], as_chunker(lambda text: ["one two."]))
    >>> found.counts["normalised"], found.counts["uncovered"], found.places["gaps"][0].text
    (1, 5, ' three')
    """
    tally = _Tally(n_places)
    first: Document | None = None
    for seen, document in enumerate(documents, 1):
        try:
            tally.add(Look.at(document, chunker))
            first = first or document
        except SplitterError as error:
            tally.failures.append((document.name, str(error)))
        tally.documents, tally.characters = seen, tally.characters + document.length
        if progress:
            progress(seen)
    return tally.inspection(chunker, first)


@dataclass
class _Tally:
    """What has been counted so far."""

    n_places: int
    documents: int = 0
    characters: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    places: defaultdict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    failures: list[tuple[str, str]] = field(default_factory=list)

    def add(self, look: Look) -> None:
        """Count a document."""
        self.counts.update(look.counts())
        if look.found is not None:
            self.changes.update(change for changes in look.found.changes for change in changes)
        for code, found, place in look.problems():
            self.counts[code] += len(found)
            room = self.n_places - len(self.places[code])
            self.places[code] += [place(number) for number in found[:room].tolist()]
            if code == "not_found":
                some = found[: MOST_REASONS - self.reasons.total()].tolist()
                self.reasons.update(map(look.why_not_found, some))

    def inspection(self, chunker: Chunker, first: Document | None) -> Inspection:
        """Give what has been found, and try the splitter on the first document that it could split."""
        deaf = stable = None
        if isinstance(chunker, SplitterChunker) and first is not None:
            splitter = chunker.splitter
            deaf = ignores_size(splitter)
            stable = is_deterministic(splitter, first.text, *chunker.asked)
        return Inspection(
            chunker=str(chunker),
            size=stated_size(chunker),
            overlap=stated_overlap(chunker),
            unit=chunker.shown_unit,
            documents=self.documents,
            characters=self.characters,
            counts=dict(self.counts),
            changes=dict(self.changes.most_common()),
            reasons=dict(self.reasons.most_common()),
            places={code: tuple(self.places[code]) for code in PROBLEMS if code in self.places},
            ignores_size=deaf,
            is_deterministic=stable,
            failures=tuple(self.failures),
        )
