"""Whether an index is that of these documents: what in it is stale or orphaned, and what of them it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkscope.chunkers.pieces import NOT_FOUND, Pieces
from chunkscope.corpus.document import Document
from chunkscope.language import say
from chunkscope.measures.findings import CONTEXT, Finding
from chunkscope.spans.intervals import BoolArray, Span
from chunkscope.splitters.alignment import Alignment
from chunkscope.splitters.dump import DumpChunker, DumpRow
from chunkscope.splitters.pieces import Found

QUOTED = 40
"""So many characters of a stale chunk stand in its message."""

CHANGED = frozenset({"edits", "text behind"})
"""What no splitter does to a text."""

_WORD = re.compile(r"[^\W_]")


@dataclass
class IndexState:
    """What an index and documents have to do with one another.

    Attributes
    ----------
    findings : list of Finding
        Of codes ``chunk-stale``, ``chunk-orphaned``, ``document-unindexed`` and ``text-uncovered``; those of chunks
        stand in the index, at their line.
    in_front : list of Finding
        Of chunks that begin with text that is not of their document: stale, unless most of them do.
    totals : Counter
        For each threshold, of how many it speaks.
    doubts : list of str
    """

    findings: list[Finding] = field(default_factory=list)
    in_front: list[Finding] = field(default_factory=list)
    totals: Counter[str] = field(default_factory=Counter)
    doubts: list[str] = field(default_factory=list)

    def __add__(self, other: IndexState) -> IndexState:
        return IndexState(
            self.findings + other.findings,
            self.in_front + other.in_front,
            self.totals + other.totals,
            self.doubts + other.doubts,
        )


def compare_index(documents: Sequence[Document], placed: Sequence[Found], index: DumpChunker) -> IndexState:
    """Hold an index against some of the documents.

    Parameters
    ----------
    documents : sequence of Document
    placed : sequence of Found
        Where their chunks lie, as `index.segment` found it.
    index : DumpChunker
        Of all documents; see `DumpChunker.for_corpus`.
    """
    state = IndexState()
    for document, found in zip(documents, placed, strict=True):
        rows, pieces, alignment = index.rows_of(document.name), found.pieces, found.alignment
        if rows and alignment is not None:
            stale, foreign = is_stale(alignment) & ~pieces.is_blank, alignment.prefixes > 0
            state.findings += (_stale(document, index, rows[number]) for number in np.flatnonzero(stale).tolist())
            state.in_front += (
                _stale(document, index, rows[number]) for number in np.flatnonzero(foreign & ~stale).tolist()
            )
            state.findings += (_uncovered(document, gap) for gap in _gaps(document, pieces))
            state.totals["max_stale"] += len(rows)
            state.totals["max_uncovered"] += _n_visible(document.text[document.front_matter_end :])
        elif document.text.strip():
            state.findings.append(_unindexed(document, index))
        state.totals["max_unindexed"] += bool(document.text.strip())
    return state


def judge_index(found: IndexState, index: DumpChunker) -> IndexState:
    """Say of all documents together what their index is: what stands in front of most chunks is context."""
    state = found + IndexState(
        [_orphaned(name, index) for name in index.matched.orphaned],
        totals=Counter(max_orphaned=index.dump.n_rows),
        doubts=[say("{path}: {text}", path=index.path, text=one) for one in index.matched.doubts],
    )
    if 2 * len(found.in_front) <= found.totals["max_stale"]:
        state.findings += found.in_front
    else:
        state.doubts.append(
            say(
                "{path}: {n:,} of {total:,} chunks begin with text that is not of their document; that is taken for "
                "context, so that stale beginnings are not found",
                path=index.path,
                n=len(found.in_front),
                total=found.totals["max_stale"],
            )
        )
    return state


def is_stale(alignment: Alignment) -> BoolArray:
    """Tell which chunks have other text than their document, but for what stands in front: bool (p,)."""
    changed = [not CHANGED.isdisjoint(changes) for changes in alignment.changes]
    stale: BoolArray = (alignment.kinds == NOT_FOUND) | np.array(changed, dtype=np.bool_)
    return stale


def _stale(document: Document, index: DumpChunker, row: DumpRow) -> Finding:
    message = say(
        "the text of {id} is not in {document}: {quote}", id=row.id, document=document.name, quote=_short(row.text)
    )
    return Finding("chunk-stale", document.name, None, row.number, 1, message, row.text, path=index.path)


def _orphaned(name: str, index: DumpChunker) -> Finding:
    rows = index.dump.documents[name]
    n, first = len(rows), min(row.number for row in rows)
    message = say("{n:,} {n:chunk|chunks} of {document}, which is not there", n=n, document=name)
    return Finding("chunk-orphaned", name, None, first, 1, message, "", path=index.path, weight=n)


def _unindexed(document: Document, index: DumpChunker) -> Finding:
    message = say("{path} has no chunk of it", path=index.path)
    return Finding("document-unindexed", document.name, None, 1, 1, message, "")


def _uncovered(document: Document, gap: Span) -> Finding:
    start, end = gap
    text, (line, column) = document.text, document.position(start)
    n = _n_visible(text[start:end])
    return Finding(
        "text-uncovered",
        document.name,
        None,
        line,
        column,
        say("{n:,} {n:character is|characters are} in no chunk", n=n),
        text[start:end],
        span=gap,
        cut=start,
        before=text[max(0, start - CONTEXT) : start],
        after=text[start : start + CONTEXT],
        weight=n,
    )


def _gaps(document: Document, pieces: Pieces) -> Iterator[Span]:
    """Give the stretches of a document, behind its front matter, that are in no chunk and have a letter or a digit."""
    covered = sorted([*pieces.spans[pieces.is_found].tolist(), *pieces.prepended.tolist()])
    at = document.front_matter_end
    for start, end in (*covered, (document.length, document.length)):
        stretch = document.text[at:start]
        if at < start and _WORD.search(stretch):
            lead, trail = len(stretch) - len(stretch.lstrip()), len(stretch.rstrip())
            yield at + lead, at + trail
        at = max(at, end)


def _n_visible(text: str) -> int:
    return len("".join(text.split()))


def _short(text: str) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= QUOTED else f"{joined[: QUOTED - 1]}…"
