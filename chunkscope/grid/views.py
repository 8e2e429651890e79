"""What there is to look at beside a result: its documents, where each cell cuts them, and what each of them loses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet, span_chunks
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import SplitterError
from chunkscope.grid.advice import Advice
from chunkscope.grid.batches import BATCH_CHARACTERS, tie_batches
from chunkscope.grid.lines import lines_of
from chunkscope.grid.notation import Grid
from chunkscope.grid.plan import SweepPlan
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.grid.scan import Progress, Scan, scan
from chunkscope.measures.damage import count_damage
from chunkscope.measures.tables import BoundTables, TableMeasure
from chunkscope.measures.wholeness import BoundWholeness, WholenessMeasure
from chunkscope.questions.labels import Labels
from chunkscope.spans.intervals import SpanArray
from chunkscope.spans.layout import Layout

MOST_CHARACTERS = 1_500_000
"""Documents with so many characters together can be looked at."""
MOST_CHUNKS = 1_500_000
"""So many chunks are written, in all cells together; windows of characters need no writing."""
MOST_LISTED = 1_000
"""So many documents are listed with what they lose, and no others can be looked at."""

MOST_CELLS = 1_000
"""So many cells can be looked at; of a larger grid they are chosen."""

WayKey: TypeAlias = tuple[str, str, bool]
"""Chunker, unit, and whether there is a size."""


@dataclass(frozen=True)
class DocumentView:
    """A document to look at.

    Attributes
    ----------
    name, text : str
    spans : mapping of int to str
        Its chunks in each cell, by the place of the cell in the result, as `write_spans` writes them. Windows of
        characters are left out: they are arithmetic.
    parts : str
        What ought to stay whole where there are no questions: sentences, code, headings, rows; written likewise.
    """

    name: str
    text: str
    spans: Mapping[int, str] = field(repr=False)
    parts: str = ""


@dataclass(frozen=True)
class ListedDocument:
    """What one document loses, cell by cell.

    Attributes
    ----------
    name : str
    characters : int
    lost : int32 (c, 2)
        For each cell how many things are cut in two, and how many headers are lost; -1 where it is not known.
    """

    name: str
    characters: int
    lost: NDArray[np.int32] = field(repr=False, compare=False)


@dataclass(frozen=True)
class AskedQuestion:
    """A question, and where its evidence stands: document, start, end."""

    id: str
    text: str
    evidence: tuple[tuple[str, int, int], ...]
    any_is_enough: bool = False


@dataclass(frozen=True)
class Views:
    """What there is to look at.

    Attributes
    ----------
    questions : tuple of AskedQuestion
        The valid ones, in the order of their file.
    documents : tuple of DocumentView
        Those that can be looked at, worst first.
    listed : tuple of ListedDocument
        Worst first.
    n_documents : int
        How many there are.
    changed : tuple of int
        The cells that are not cut today as the result says.
    lacking : mapping of WayKey to str
        The ways that could not be cut, and why.
    windows : frozenset of WayKey
        The ways whose chunks are windows of characters.
    keep_tail : frozenset of WayKey
        Those of them that keep the windows behind the first that reaches the end.
    """

    questions: tuple[AskedQuestion, ...] = ()
    documents: tuple[DocumentView, ...] = ()
    listed: tuple[ListedDocument, ...] = ()
    n_documents: int = 0
    changed: tuple[int, ...] = ()
    lacking: Mapping[WayKey, str] = field(default_factory=dict)
    windows: frozenset[WayKey] = frozenset()
    keep_tail: frozenset[WayKey] = frozenset()


def thinned(result: SweepResult, most: int = MOST_CELLS) -> SweepResult:
    """Choose the cells of a large grid that can be looked at: those that reports show, and of each line evenly.

    Examples
    --------
    >>> from chunkscope import sweep
    >>> result = sweep([Document("a.md", "一つ。二つ。")], chunkers="fixed", sizes="1..100:1", overlaps=[0])
    >>> chosen = thinned(result, 10)
    >>> [cell.size for cell in chosen.cells]
    [1, 3, 13, 26, 38, 51, 63, 75, 88, 100]
    """
    if len(result.cells) <= most:
        return result
    ranked = [(one["chunker"], one["unit"], one["size"], one["overlap"]) for one in _best_of_ways(result)]
    wanted = {*ranked, *([result.advice.key] if isinstance(result.advice, Advice) else [])}
    chosen = {place for place, cell in enumerate(result.cells) if cell.key in wanted}
    lines = sorted(lines_of(result), key=lambda line: not any(cell.key in wanted for cell in line.cells))
    lines = lines[: max(1, (most - len(chosen)) // 2)]
    share = max(2, (most - len(chosen)) // len(lines))
    for line in lines:
        ends = np.linspace(0, len(line.places) - 1, min(share, len(line.places)))
        chosen.update(line.places[int(place)] for place in ends.round())
    return replace(result, cells=tuple(result.cells[place] for place in sorted(chosen)))


def _best_of_ways(result: SweepResult) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = (result.retrieval or {}).get("best_of_ways", ())
    return found


def way_of(cell: Cell) -> WayKey:
    """Give what tells the way of a cell from others."""
    return cell.chunker, cell.unit, cell.size is not None


def way_key(chunker: Chunker, *, with_size: bool) -> WayKey:
    """Give what tells a chunker from others in a result."""
    return chunker.label, chunker.shown_unit, with_size


def view(
    result: SweepResult,
    corpus: Corpus,
    labels: Labels | None,
    chunkers: Mapping[WayKey, Chunker],
    *,
    lacking: Mapping[WayKey, str] | None = None,
    characters: int = MOST_CHARACTERS,
    progress: Progress | None = None,
) -> Views:
    """Cut the documents of a result again, and take what there is to look at.

    Parameters
    ----------
    result : SweepResult
        See `thinned`.
    corpus : Corpus
        Its documents.
    labels : Labels or None
        Its questions.
    chunkers : mapping of WayKey to Chunker
        The chunker of each way that can be cut, without a size.
    lacking : mapping of WayKey to str
        Why the others cannot.
    characters : int
        Documents of so many together are taken whole, those first that lose most.
    progress : callable, optional

    Examples
    --------
    >>> from chunkscope import FixedChunker, SentenceChunker, sweep
    >>> corpus = Corpus.of([Document("a.md", "一つ。二つ。三つ。")])
    >>> ways = [FixedChunker(), SentenceChunker()]
    >>> result = sweep(corpus, chunkers=ways, sizes=[4], overlaps=[0])
    >>> found = view(result, corpus, None, {(str(way), "char", True): way for way in ways})
    >>> found.documents[0].spans, found.listed[0].lost.tolist(), found.changed
    ({1: '3 3 3'}, [[2, 0], [0, 0]], ())
    """
    groups = _cells_of_ways(result, chunkers)
    unable = dict(lacking or {})
    listed, n_chunks, n_documents, n_characters = _losses(result, corpus, labels, groups, unable, progress)
    groups = [group for group in groups if group[0] not in unable]
    keys = {key: chunker for key, chunker, _ in groups}
    windows = {key: chunker.at(2).windows for key, chunker in keys.items() if key[2] and chunker.has_windows}
    known = {key: found for key, found in windows.items() if found is not None}
    packed = [group for group in groups if group[0] not in known]
    taken, room = [], min(characters, _room(n_chunks, packed, n_characters))
    for one in listed:
        if one.characters <= room:
            room -= one.characters
            taken.append(one.name)
    return Views(
        _asked(labels),
        tuple(_documents(result, corpus, taken, packed, with_parts=labels is None)),
        tuple(listed),
        n_documents,
        tuple(place for place, n in n_chunks.items() if n != result.cells[place].chunks),
        unable,
        frozenset(known),
        frozenset(key for key, found in known.items() if found.keep_tail),
    )


def _room(n_chunks: Mapping[int, int], groups: Sequence[Group], characters: int) -> int:
    """Give how many characters of documents may be taken, so that no more than `MOST_CHUNKS` chunks are written."""
    chunks = sum(n_chunks[place] for _, _, places in groups for place in places)
    return characters if chunks <= MOST_CHUNKS else characters * MOST_CHUNKS // chunks


Group: TypeAlias = tuple[WayKey, Chunker, list[int]]
"""A way, its chunker without a size, and the places of its cells."""


def _cells_of_ways(result: SweepResult, chunkers: Mapping[WayKey, Chunker]) -> list[Group]:
    places: dict[WayKey, list[int]] = {}
    for place, cell in enumerate(result.cells):
        places.setdefault(way_of(cell), []).append(place)
    return [(key, chunkers[key], found) for key, found in places.items() if key in chunkers]


def _losses(
    result: SweepResult,
    corpus: Corpus,
    labels: Labels | None,
    groups: Sequence[Group],
    unable: dict[WayKey, str],
    progress: Progress | None,
) -> tuple[list[ListedDocument], dict[int, int], int, int]:
    """Count what each document loses in each cell: those that lose most, chunks by cell, documents, characters.

    A way that cannot be cut is added to `unable`, with the reason.
    """
    listed: list[ListedDocument] = []
    n_documents = n_characters = 0
    n_chunks: dict[int, int] = dict.fromkeys((place for _, _, places in groups for place in places), 0)
    for scanned in _scans(result, corpus, labels, groups):
        names, lengths = scanned.layout.names, scanned.layout.lengths.tolist()
        counted = np.full((len(names), len(result.cells), 2), -1, dtype=np.int32)
        for group in groups:
            try:
                for place, chunks in _chunks(result, scanned, group) if group[0] not in unable else ():
                    n_chunks[place] += chunks.n_chunks
                    counted[:, place] = count_damage(scanned.layout, scanned.bound, chunks)
            except SplitterError as error:
                unable[group[0]] = str(error)
        listed += map(ListedDocument, names, lengths, counted)
        listed = _worst_first(result, listed)[:MOST_LISTED]
        n_documents, n_characters = n_documents + len(names), n_characters + sum(lengths)
        if progress:
            progress("documents", n_documents, len(corpus))
    for place in (place for key, _, places in groups if key in unable for place in places):
        del n_chunks[place]
        for one in listed:
            one.lost[place] = -1
    return _worst_first(result, listed), n_chunks, n_documents, n_characters


def _scans(result: SweepResult, corpus: Corpus, labels: Labels | None, groups: Sequence[Group]) -> Iterator[Scan]:
    """Look at each document once, with what counts its losses."""
    plan = SweepPlan(
        Grid.of_cells([_at(chunker, result.cells[places[0]]) for _, chunker, places in groups]),
        with_questions=labels is not None,
        with_ids=False,
        with_cuts=False,
        count_tokens=None,
        further=(),
    )
    located = [question for question in labels.valid if question.evidence] if labels else []
    return (plan.scan(batch) for batch in tie_batches(corpus, located, BATCH_CHARACTERS))


def _at(chunker: Chunker, cell: Cell) -> Chunker:
    return chunker if cell.size is None else chunker.at(cell.size, cell.overlap or 0)


def _chunks(result: SweepResult, scanned: Scan, group: Group) -> Iterator[tuple[int, ChunkSet]]:
    """Give the chunks of each cell of one way, which are packed together."""
    _, chunker, places = group
    sized = [_at(chunker, result.cells[place]) for place in places]
    if sized[0].size is None or sized[0].windows is not None:
        yield from ((place, scanned.chunks(one)) for place, one in zip(places, sized, strict=True))
        return
    boundaries = scanned.boundaries[chunker.segmenter]
    for place, one, cut in zip(places, sized, chunker.chunks_of(sized, boundaries), strict=True):
        yield place, span_chunks(scanned.layout, one, cut, boundaries=boundaries)


def _worst_first(result: SweepResult, listed: Iterable[ListedDocument]) -> list[ListedDocument]:
    """Order documents by what they lose in the advised cell, then in all cells, then by name."""
    keys = [cell.key for cell in result.cells]
    advised = keys.index(result.advice.key) if isinstance(result.advice, Advice) else None

    def losses(one: ListedDocument) -> tuple[int, int, str]:
        found = np.maximum(one.lost, 0)
        own = 0 if advised is None else int(found[advised].sum())
        return -own, -int(found.sum()), one.name

    return sorted(listed, key=losses)


def _asked(labels: Labels | None) -> tuple[AskedQuestion, ...]:
    return tuple(
        AskedQuestion(
            found.question.id,
            found.question.question or "",
            tuple((one.document, one.start, one.end) for one in found.evidence),
            found.question.match == "any",
        )
        for found in (labels.valid if labels else ())
    )


def _documents(
    result: SweepResult, corpus: Corpus, names: Sequence[str], groups: Sequence[Group], *, with_parts: bool
) -> Iterator[DocumentView]:
    """Read the documents that are taken once more, and cut them at every cell."""
    wanted = frozenset(names)
    held = {one.name: Document(one.name, one.text, one.fields, one.markup) for one in corpus if one.name in wanted}
    documents = [held[name] for name in names]
    chunkers = [chunker for _, chunker, _ in groups]
    units = sorted({chunker.unit for chunker in chunkers} - {"char"})
    scanned = scan(documents, chunkers, [WholenessMeasure(), TableMeasure()] if with_parts else [], units)
    written: list[dict[int, str]] = [{} for _ in documents]
    for place, chunks in (found for group in groups for found in _chunks(result, scanned, group)):
        spans = chunks.bodies[chunks.bodies[:, 0] < chunks.bodies[:, 1]]  # a piece that was found nowhere has none
        for of_cells, text in zip(written, _written(scanned.layout, spans), strict=True):
            of_cells[place] = text
    parts = _written(scanned.layout, _parts(scanned))
    for document, of_cells, text in zip(documents, written, parts, strict=True):
        yield DocumentView(document.name, document.text, of_cells, text)


def _parts(scanned: Scan) -> SpanArray:
    """Give all that ought to stay whole, in order."""
    whole, tables = scanned.of_kind(BoundWholeness), scanned.of_kind(BoundTables)
    found = [targets.spans for targets in whole.targets.values()] if whole else []
    spans = np.concatenate([*found, tables.rows.rows.spans]) if tables else np.empty((0, 2), dtype=np.int64)
    return spans[np.lexsort((spans[:, 1], spans[:, 0]))]


def _written(layout: Layout, spans: SpanArray) -> Iterator[str]:
    """Write the spans of each document."""
    edges = np.searchsorted(layout.documents_of(spans[:, 0]), np.arange(len(layout.names) + 1))
    for number, base in enumerate(layout.edges[:-1].tolist()):
        yield write_spans(spans[edges[number] : edges[number + 1]] - base)


def write_spans(spans: SpanArray) -> str:
    """Write the chunks of a document: how long each is, and in front of it how far it starts from the end before it.

    Numbers are in base 36, and a chunk that starts where the one before it ends has its length alone.

    Examples
    --------
    >>> write_spans(np.array([[0, 40], [40, 50], [45, 60], [61, 70]]))
    '14 a -5:f 1:9'
    """
    starts, ends = spans[:, 0], spans[:, 1]
    steps = starts - np.concatenate(([0], ends[:-1]))
    return " ".join(
        f"{_base_36(step)}:{_base_36(length)}" if step else _base_36(length)
        for step, length in zip(steps.tolist(), (ends - starts).tolist(), strict=True)
    )


def _base_36(number: int) -> str:
    """Write a number as JavaScript reads it: `parseInt(text, 36)`."""
    digits, rest = "", abs(number)
    while rest or not digits:
        rest, digit = divmod(rest, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"-{digits}" if number < 0 else digits
