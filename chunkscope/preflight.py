"""The pre-flight check: one setting against thresholds, before anything is indexed. It decides, and prints nothing."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add

from chunkscope.baseline import Baseline, only
from chunkscope.check_model import Against, Asked, CheckFinding, CheckResult, Kind, Level, Measured, sorted_findings
from chunkscope.chunkers import Chunker, HeadingChunker, parse_chunker
from chunkscope.containment import SpanChunks
from chunkscope.corpus import Corpus
from chunkscope.documents import Document
from chunkscope.errors import InputError
from chunkscope.grid import Overlap
from chunkscope.labels import Labels, check_labels
from chunkscope.measures.base import Measure
from chunkscope.measures.evidence import EvidenceGauge, EvidenceMeasure
from chunkscope.measures.shape import ShapeGauge, ShapeMeasure
from chunkscope.measures.tables import TableGauge, TableMeasure, rows_together
from chunkscope.mending import Mending
from chunkscope.pinpoint import (
    LimitGauge,
    LimitMeasure,
    Place,
    find_asked_rows,
    find_blank,
    find_broken,
    find_evidence,
    find_heavy,
    find_rows,
    within,
)
from chunkscope.questions import Question, QuestionFile
from chunkscope.results import Cell, CorpusInfo
from chunkscope.survey import survey
from chunkscope.sweep import BATCH_CHARACTERS, Batch, tie_batches
from chunkscope.thresholds import COUNTED, NEEDS_QUESTIONS, Thresholds

CODES = {
    "max_split": ("evidence-split", "evidence-missing"),
    "max_missing": ("evidence-missing",),
    "max_apart": ("row-apart",),
    "max_rows_apart": ("row-apart",),
    "max_oversize": ("chunk-oversize",),
    "max_broken": ("chunk-broken",),
    "max_blank": ("chunk-blank",),
}
"""Which findings count for which threshold."""


def check(
    documents: Corpus | Iterable[Document],
    questions: QuestionFile | Iterable[Question] | None,
    chunker: Chunker | str,
    *,
    thresholds: Thresholds | None = None,
    overlap: Overlap | None = None,
    baseline: Baseline | None = None,
) -> CheckResult:
    """Hold documents, cut by one setting, against thresholds.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    questions : QuestionFile or iterable of Question, or None
        Without any, what needs none is checked.
    chunker : Chunker or str
        With a size; headings may do without.
    thresholds : Thresholds, optional
        Without them nothing may be split, missing, apart or broken, and labels must be sound.
    overlap : Overlap, optional
        The overlap as it was written: a share goes with the size when other sizes are tried.
    baseline : Baseline, optional
        Findings in it do not count.

    Returns
    -------
    CheckResult

    Raises
    ------
    InputError
        Nothing could be measured: that is no pass.
    ChunkerError
        A chunker without a size.

    Examples
    --------
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。")
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = check([rules], asked, "fixed(size=13)")
    >>> result.passed, result.findings[0].line, result.findings[0].column, result.findings[0].mend.size
    (False, 1, 14, 16)
    """
    thresholds = thresholds or Thresholds()
    way = _ready(parse_chunker(chunker) if isinstance(chunker, str) else chunker, thresholds)
    corpus = Corpus.of(documents)
    asked = questions.questions if isinstance(questions, QuestionFile) else tuple(questions or ())
    labels = check_labels(corpus, asked) if questions is not None else None
    path = _questions_path(questions) if questions is not None else None

    seen = _look(corpus, labels, way, thresholds, overlap)
    names = _shown_names(corpus)
    found = [dataclasses.replace(one, path=names(one.document or "")) for one in seen.findings]
    if labels:
        found += _label_findings(labels, asked, path or "questions")
    findings = sorted_findings(found)
    known, against = [False] * len(findings), None
    warnings = [*(labels.warnings if labels else ()), *_unmeasured(thresholds, seen.cell, labels)]
    if baseline is not None:
        known, gone = baseline.sort(findings)
        against = Against(baseline.path, sum(known), only(gone, _codes_looked_for(thresholds, labels)))
        if baseline.setting not in ("", str(way)):
            warnings.append(f"{baseline.path}: was written for {baseline.setting}; now it is {way}")
    fresh = [one for one, is_known in zip(findings, known, strict=True) if not is_known]
    measured = tuple(_measure(name, thresholds, seen, fresh) for name in _counted(thresholds, seen.cell, labels))
    bad_labels = sum(one.code.startswith("label-") for one in fresh) if thresholds.label_problems == "error" else 0
    _require_something(corpus, thresholds, seen, measured, labels, bad_labels)
    return CheckResult(
        setting={"chunker": way.label, "unit": way.unit, "size": way.size, "overlap": seen.cell.overlap},
        corpus=_corpus_info(corpus, seen.cell),
        questions_path=path,
        asked=_asked(labels, asked) if labels else (),
        measured=measured,
        findings=tuple(_judged(findings, known, measured, thresholds)),
        label_problems=bad_labels,
        against=against,
        warnings=tuple(warnings),
    )


@dataclass
class Seen:
    """What was seen in all batches: the counts, the findings, and the questions that are spoilt."""

    cell: Cell
    findings: list[CheckFinding] = field(default_factory=list)
    spoilt: dict[str, set[str]] = field(default_factory=dict)
    n_visible: int = 0
    n_oversize: int = 0

    def __add__(self, other: Seen) -> Seen:
        spoilt = {name: self.spoilt.get(name, set()) | other.spoilt.get(name, set()) for name in NEEDS_QUESTIONS}
        return Seen(
            self.cell + other.cell,
            self.findings + other.findings,
            spoilt,
            self.n_visible + other.n_visible,
            self.n_oversize + other.n_oversize,
        )


def _ready(chunker: Chunker, thresholds: Thresholds) -> Chunker:
    if not isinstance(chunker, HeadingChunker) or chunker.merge:
        chunker.required_size()
    if chunker.size is None and not thresholds.max_oversize.is_off and thresholds.model_limit is None:
        raise InputError(f"max_oversize: {chunker} has no size to be above; give a model limit, such as 512")
    return chunker


def _look(
    corpus: Corpus, labels: Labels | None, chunker: Chunker, thresholds: Thresholds, overlap: Overlap | None
) -> Seen:
    resolved = labels.valid if labels else ()
    batches = tie_batches(corpus, resolved, BATCH_CHARACTERS)
    return reduce(add, (_look_at(batch, chunker, thresholds, overlap) for batch in batches))


def _look_at(batch: Batch, chunker: Chunker, thresholds: Thresholds, overlap: Overlap | None) -> Seen:
    """Cut one batch, count, and find the places."""
    limit_unit = thresholds.model_unit or chunker.unit
    measures: list[Measure] = [ShapeMeasure((chunker,)), TableMeasure(), EvidenceMeasure(batch.questions, (chunker,))]
    wants_limit = thresholds.model_limit is not None and not thresholds.max_oversize.is_off
    if wants_limit:
        measures.append(LimitMeasure(limit_unit, chunker))
    units = sorted({chunker.unit, *([limit_unit] if wants_limit else [])} - {"char"})
    surveyed = survey(batch.documents, (chunker.at(None),), measures, units)
    chunks = surveyed.chunks(chunker)
    segments = surveyed.segments[chunker.at(None)]
    seen = Seen(surveyed.cell(chunks))
    seen.n_visible = seen.cell.chunks - seen.cell.blank_chunks
    place = Place(surveyed.layout, batch.documents)
    mending = Mending(chunker, overlap, surveyed.layout, segments)
    for gauge in surveyed.gauges:
        if isinstance(gauge, EvidenceGauge) and len(gauge.entries):
            seen.findings += find_evidence(place, gauge, chunks, mending)
            seen.findings += find_asked_rows(place, gauge, chunks, mending)
            split = ~chunks.contains(gauge.entries)
            missing = split & ~chunks.covered(gauge.entries)
            bad = {"max_split": split, "max_missing": missing, "max_apart": gauge.apart_entries(chunks)}
            for name, entries in bad.items():
                chosen = gauge.spoilt(entries)
                seen.spoilt[name] = {one for one, is_bad in zip(gauge.ids, chosen.tolist(), strict=True) if is_bad}
        elif isinstance(gauge, TableGauge) and not thresholds.max_rows_apart.is_off:
            seen.findings += find_rows(place, gauge, chunks, mending)
        elif isinstance(gauge, ShapeGauge) and not thresholds.max_blank.is_off:
            seen.findings += find_blank(place, chunks, gauge.blank_runs)
        elif isinstance(gauge, LimitGauge) and thresholds.model_limit is not None:
            weights, carried = gauge.weights(chunks)
            seen.findings += find_heavy(place, chunks, weights, carried, thresholds.model_limit, limit_unit)
    if not wants_limit and not thresholds.max_oversize.is_off and isinstance(chunks, SpanChunks):
        seen.findings += find_heavy(place, chunks, chunks.sizes, None, chunker.required_size(), chunker.unit)
    if not thresholds.max_broken.is_off:
        seen.findings += find_broken(place, chunker, segments)
    return seen
