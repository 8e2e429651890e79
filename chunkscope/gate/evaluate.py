"""One look at the documents for the pre-flight check: counts and findings, batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add

from chunkscope.chunkers import Chunker
from chunkscope.corpus.reading import Corpus
from chunkscope.gate.pinpoint import (
    BoundLimit,
    LimitMeasure,
    Place,
    Weights,
    find_asked_rows,
    find_blank,
    find_broken,
    find_evidence,
    find_heavy,
    find_rows,
)
from chunkscope.gate.result import CheckFinding
from chunkscope.gate.suggestions import Suggester
from chunkscope.gate.thresholds import NEEDS_QUESTIONS, Thresholds
from chunkscope.grid.batches import Batch, tie_batches
from chunkscope.grid.notation import Overlap
from chunkscope.grid.results import Cell
from chunkscope.grid.scan import scan
from chunkscope.grid.sweep import BATCH_CHARACTERS
from chunkscope.measures.base import Measure
from chunkscope.measures.evidence import BoundEvidence, EvidenceMeasure
from chunkscope.measures.shape import BoundShape, ShapeMeasure
from chunkscope.measures.tables import BoundTables, TableMeasure
from chunkscope.questions.labels import Labels


@dataclass
class Seen:
    """What was seen in all batches: the counts, the findings, and the questions that are spoilt."""

    cell: Cell
    findings: list[CheckFinding] = field(default_factory=list)
    spoilt: dict[str, set[str]] = field(default_factory=dict)
    n_visible: int = 0

    def __add__(self, other: Seen) -> Seen:
        spoilt = {name: self.spoilt.get(name, set()) | other.spoilt.get(name, set()) for name in NEEDS_QUESTIONS}
        return Seen(
            self.cell + other.cell,
            self.findings + other.findings,
            spoilt,
            self.n_visible + other.n_visible,
        )


def look(
    corpus: Corpus, labels: Labels | None, chunker: Chunker, thresholds: Thresholds, overlap: Overlap | None
) -> Seen:
    """Look at all documents; the thresholds tell what has to be found."""
    resolved = labels.valid if labels else ()
    batches = tie_batches(corpus, resolved, BATCH_CHARACTERS)
    return reduce(add, (_look_at(batch, chunker, thresholds, overlap) for batch in batches))


def _look_at(batch: Batch, chunker: Chunker, thresholds: Thresholds, overlap: Overlap | None) -> Seen:
    """Cut one batch, count, and find the places."""
    limit_unit = thresholds.model_unit or chunker.unit
    measures: list[Measure] = [ShapeMeasure((chunker,)), EvidenceMeasure(batch.questions, (chunker,)), TableMeasure()]
    wants_limit = thresholds.model_limit is not None and not thresholds.max_oversize.is_off
    if wants_limit:
        measures.append(LimitMeasure(limit_unit, chunker))
    units = sorted({chunker.unit, *([limit_unit] if wants_limit else [])} - {"char"})
    scanned = scan(batch.documents, (chunker.at(None),), measures, units)
    chunks = scanned.chunks(chunker)
    boundaries = scanned.boundaries[chunker.at(None)]
    seen = Seen(scanned.cell(chunks))
    seen.n_visible = seen.cell.chunks - seen.cell.blank_chunks
    place = Place(scanned.layout, batch.documents)
    mending = Suggester(chunker, overlap, scanned.layout, boundaries)
    for bound in scanned.bound:
        if isinstance(bound, BoundEvidence) and len(bound.entries):
            seen.findings += find_evidence(place, bound, chunks, mending)
            seen.findings += find_asked_rows(place, bound, chunks, mending)
            split = ~chunks.contains(bound.entries)
            missing = split & ~chunks.covered(bound.entries)
            bad = {"max_split": split, "max_missing": missing, "max_header_lost": bound.header_lost_entries(chunks)}
            for name, entries in bad.items():
                chosen = bound.spoilt(entries)
                seen.spoilt[name] = {one for one, is_bad in zip(bound.ids, chosen.tolist(), strict=True) if is_bad}
        elif isinstance(bound, BoundTables) and not thresholds.max_rows_header_lost.is_off:
            asked = {(finding.document, finding.span) for finding in seen.findings if finding.code == "header-lost"}
            rows = find_rows(place, bound, chunks, mending)
            seen.findings += [finding for finding in rows if (finding.document, finding.span) not in asked]
        elif isinstance(bound, BoundShape) and not thresholds.max_blank.is_off:
            seen.findings += find_blank(place, chunks, bound.blank_runs.spans)
        elif isinstance(bound, BoundLimit) and thresholds.model_limit is not None:
            weights = bound.weights(chunks, limit_unit)
            seen.findings += find_heavy(place, chunks, weights, thresholds.model_limit)
    if seen.cell.oversize_chunks and not wants_limit and not thresholds.max_oversize.is_off:
        sizes = chunker.chunks(boundaries).sizes
        seen.findings += find_heavy(place, chunks, Weights(sizes, None, chunker.unit), chunker.required_size())
    if not thresholds.max_broken.is_off:
        seen.findings += find_broken(place, chunker, boundaries)
    return seen
