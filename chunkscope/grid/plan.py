"""What a sweep does with each batch: the measures that look at it, what they count, and the sum over batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import add

from chunkscope.chunkers import Chunker
from chunkscope.errors import ConfigError
from chunkscope.grid.advice import TWO_PERCENT, Tolerance
from chunkscope.grid.batches import Batch
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.notation import Grid
from chunkscope.grid.results import check_fields, is_cell_field, larger
from chunkscope.grid.scan import CellCounts, Progress, Scan, scan
from chunkscope.measures.base import Field, Measure
from chunkscope.measures.chunks import BoundChunks, ChunkMeasure
from chunkscope.measures.cuts import CutMeasure
from chunkscope.measures.damage import DocumentDamage, damage_of
from chunkscope.measures.evidence import BoundEvidence, EvidenceMeasure, longest_evidence
from chunkscope.measures.findings import Finding, Places, find_evidence, find_lost_rows, find_needed_rows
from chunkscope.measures.seen import BoundSeen, SeenMeasure
from chunkscope.measures.status import BoundStatus, StatusMeasure
from chunkscope.measures.tables import BoundTables, TableMeasure
from chunkscope.measures.tokens import BoundModel, ModelMeasure, TokenMeasure
from chunkscope.measures.wholeness import BoundWholeness, WholenessMeasure
from chunkscope.questions.labels import LocatedQuestion

HEADER, STATUS = "table-header", "front-matter:status"
"""What the chunks of the advised cell could prepend."""
LOOKED_AT_AGAIN = (BoundChunks, BoundTables, BoundStatus, BoundEvidence, BoundWholeness, BoundModel)
"""What counts when a cell is looked at once more."""
IN_TOKENS = "cl100k_base"
"""The tokens that are counted where no model is named."""


@dataclass(frozen=True)
class Total:
    """The counts of some batches, a row of the grid each, and what was found at the settings to be looked at closely.

    Attributes
    ----------
    counts : tuple of CellCounts
    longest : mapping
        The longest evidence in each unit.
    findings, damage : tuples
        For each setting to be explained, and to be counted by document.
    kinds : mapping
        Characters of prose, code and tables, where they were counted.
    largest : (str, int)
        The largest document and its characters.
    n_documents : int
    seen : mapping
        In how many documents a dialect's habits are, and how often what is not read; see `chunkscope.structure.seen`.
    kept : tuple of Scan
        What a second look at one cell needs, a batch each.
    """

    counts: tuple[CellCounts, ...]
    longest: Mapping[str, int]
    findings: tuple[tuple[Finding, ...], ...]
    damage: tuple[tuple[DocumentDamage, ...], ...]
    kinds: Counter[str]
    largest: tuple[str, int]
    n_documents: int
    seen: Counter[str]
    kept: tuple[Scan, ...] = ()

    def __add__(self, other: Total) -> Total:
        units = sorted({*self.longest, *other.longest})
        return Total(
            tuple(map(add, self.counts, other.counts)),
            {unit: max(self.longest.get(unit, 0), other.longest.get(unit, 0)) for unit in units},
            tuple(map(add, self.findings, other.findings)),
            tuple(map(add, self.damage, other.damage)),
            self.kinds + other.kinds,
            larger(self.largest, other.largest),
            self.n_documents + other.n_documents,
            self.seen + other.seen,
            self.kept + other.kept,
        )


@dataclass(frozen=True)
class SweepPlan:
    """What a batch needs to know of a sweep.

    Attributes
    ----------
    closely : bool
        What scans leave is kept, so that the advised cell can be looked at once more.
    with_tokens : bool
        The tokens of that cell's chunks are then counted.
    """

    grid: Grid
    with_questions: bool
    with_ids: bool
    with_cuts: bool
    count_tokens: str | None
    further: tuple[Measure, ...]
    explain: tuple[Chunker, ...] = ()
    by_document: tuple[Chunker, ...] = ()
    limit: ModelLimit = UNNAMED
    tolerance: Tolerance = TWO_PERCENT
    closely: bool = False
    with_tokens: bool = False

    def __post_init__(self) -> None:
        for measure in self.further:
            check_fields(measure)

    @cached_property
    def chunkers(self) -> tuple[Chunker, ...]:
        """The unsized chunkers: each segments a document once."""
        closely = (chunker.unsized for chunker in (*self.explain, *self.by_document))
        return tuple(dict.fromkeys((*self.grid.unsized, *closely)))

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields that further measures declare."""
        return tuple(field for measure in self.further for field in getattr(measure, "fields", ()))

    @property
    def needs_all_documents(self) -> bool:
        """Whether a measure has to see all chunks at once, so that documents cannot be dealt out."""
        return any(getattr(measure, "needs_all_documents", False) for measure in self.further)

    def scan(self, batch: Batch) -> Scan:
        """Look at the documents of one batch."""
        units = {*(chunker.unit for chunker in self.chunkers), self.count_tokens or "char", *self._limit_units}
        later = [ModelMeasure(IN_TOKENS, self._prepending)] if self.with_tokens else []
        units |= {IN_TOKENS} if later else set()
        return scan(batch.documents, self.chunkers, self._measures(batch.questions), sorted(units - {"char"}), later)

    def count(self, scanned: Scan, progress: Progress | None = None) -> Total:
        """Count all cells over the documents of one scan, and find what is to be explained."""
        counts = scanned.count(self.grid, progress)
        self._check_counted(counts)
        whole, seen = scanned.of_kind(BoundWholeness), scanned.of_kind(BoundSeen)
        return Total(
            tuple(counts),
            longest_evidence(scanned.bound),
            tuple(tuple(find_problems(scanned, chunker)) for chunker in self.explain),
            tuple(
                tuple(damage_of(scanned.layout, scanned.bound, scanned.chunks(chunker))) for chunker in self.by_document
            ),
            Counter(whole.characters if whole else {}),
            scanned.layout.largest,
            len(scanned.layout.names),
            seen.seen if seen else Counter(),
            (scanned.only(LOOKED_AT_AGAIN),) if self.closely else (),
        )

    def again(self, chunkers: Sequence[Chunker], by_document: Sequence[Chunker] = ()) -> SweepPlan:
        """Give the plan for a second look at some cells, from what this one has kept."""
        return replace(
            self,
            grid=Grid.of_cells(chunkers),
            with_cuts=False,
            count_tokens=None,
            further=(),
            explain=(),
            by_document=tuple(by_document),
            closely=False,
        )

    @cached_property
    def _prepending(self) -> tuple[Chunker, ...]:
        """The chunkers, with all that they may be asked to prepend."""
        return with_all_that_mends(self.chunkers) if self.closely else self.chunkers

    @property
    def _limit_units(self) -> set[str]:
        """The units in which chunks are compared with the model's limit, characters apart."""
        return {self.limit.unit_for(chunker.unit) for chunker in self.grid.unsized} - {"char"}

    def count_batch(self, batch: Batch) -> Total:
        """Look at one batch and count; what a worker process does."""
        return self.count(self.scan(batch))

    def _check_counted(self, counts: Sequence[CellCounts]) -> None:
        """Raise `ConfigError` where a further measure counts something else than it declares."""
        found = {name for row in counts for name in row.columns if not is_cell_field(name)}
        declared = {field.name for field in self.fields}
        for name in sorted(found ^ declared):
            if name in found:
                raise ConfigError(f"field {name!r} is counted, but is in no measure's fields")
            raise ConfigError(f"field {name!r} is in a measure's fields, but not counted")

    def _measures(self, questions: Sequence[LocatedQuestion]) -> list[Measure]:
        chunkers = self.chunkers
        chosen: list[Measure] = [
            ChunkMeasure(self._prepending, self._least_chunk()),
            TableMeasure(),
            StatusMeasure(),
            SeenMeasure(),
        ]
        if self.with_questions:
            chosen.append(EvidenceMeasure(questions, chunkers, with_ids=self.with_ids))
        else:
            chosen.append(WholenessMeasure())
        if self.with_cuts:
            chosen.append(CutMeasure())
        if self.count_tokens:
            chosen.append(TokenMeasure(self.count_tokens, chunkers))
        if self._limit_units:
            chosen.append(ModelMeasure(self.limit.unit, self._prepending))
        return [*chosen, *self.further]

    def _least_chunk(self) -> int:
        """Give the shortest length in characters of a chunk that does not end its document."""
        sizes = [row.sizes for row in self.grid.rows]
        windows = all(chunker.has_windows and not chunker.counts_raw_tokens for chunker in self.chunkers)
        least = (int(found.min()) for found in sizes if found is not None)
        return min(least, default=1) if windows else 1


def with_all_that_mends(chunkers: Sequence[Chunker]) -> tuple[Chunker, ...]:
    """Let chunkers prepend all that could mend what they lose: what a second look may ask for is collected."""
    return tuple(replace(chunker, prepend=(*chunker.prepend, HEADER, STATUS)) for chunker in chunkers)


def find_problems(scanned: Scan, chunker: Chunker) -> list[Finding]:
    """Find the cuts of one setting that split evidence or part table rows from their header.

    Where the scan has evidence, that and the rows it overlaps are looked at, else all rows of all tables.
    """
    places, chunks = Places(scanned.layout, scanned.documents), scanned.chunks(chunker)
    evidence, tables = scanned.of_kind(BoundEvidence), scanned.of_kind(BoundTables)
    found: list[Finding] = []
    if evidence is not None:
        found += [*find_evidence(places, evidence, chunks), *find_needed_rows(places, evidence, chunks)]
    elif tables is not None:
        found += find_lost_rows(places, tables.rows, chunks)
    return sorted(found, key=lambda one: (one.document, one.cut, (one.span or (0, 0))[0], one.code))
