"""What the pre-flight check comes to: findings, the thresholds they count against, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chunkscope._version import __version__
from chunkscope.grid.outcomes import PairedOutcome
from chunkscope.grid.results import Cell, CorpusInfo
from chunkscope.measures.findings import Finding
from chunkscope.plugins.shown import Shown, counted

FORMAT = 1
"""Version of the JSON. Later formats only add.

1: `passed`, `setting`, `corpus`, `questions`, `cells`, `thresholds`, `findings`, `baseline`, `earlier`, `warnings`.
"""

CODES = {
    "max_split": ("evidence-split", "evidence-missing"),
    "max_missing": ("evidence-missing",),
    "max_header_lost": ("header-lost",),
    "max_rows_header_lost": ("header-lost",),
    "max_oversize": ("chunk-oversize",),
    "max_broken": ("chunk-broken",),
    "max_blank": ("chunk-blank",),
    "min_recall": ("not-answered",),
    "max_more_lost": ("newly-lost",),
    "max_stale": ("chunk-stale",),
    "max_orphaned": ("chunk-orphaned",),
    "max_unindexed": ("document-unindexed",),
    "max_uncovered": ("text-uncovered",),
}
"""Which findings count for which threshold."""

Kind = Literal["valid", "without-evidence", "excluded"]


@dataclass(frozen=True)
class ThresholdResult:
    """One threshold and what was counted for it.

    Attributes
    ----------
    name : str
    limit : str
        As it was set.
    n, n_new : int
        How many there are, and how many of them the baseline does not have: these count. Of `min_recall` how many are
        answered, and how many with those whose miss the baseline has.
    total : int
        Of how many.
    is_met : bool
    """

    name: str
    limit: str
    n: int
    n_new: int
    total: int
    is_met: bool

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "name": self.name,
            "limit": self.limit,
            "count": self.n,
            "new": self.n_new,
            "total": self.total,
            "met": self.is_met,
        }


@dataclass(frozen=True)
class CheckedQuestion:
    """A question of the file: its line, whether it could be checked, and a digest of what it asks."""

    id: str
    line: int | None
    kind: Kind
    digest: str = ""


@dataclass(frozen=True, order=True)
class Recognised:
    """By what a finding is known again: document, code and quote, not the line."""

    document: str
    code: str
    quote: str


@dataclass(frozen=True)
class Against:
    """What a baseline said: how many findings of today it has, and which of its own are gone."""

    path: str
    n_known: int
    gone: tuple[Recognised, ...]

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        gone = [{"document": one.document, "code": one.code, "quote": one.quote} for one in self.gone]
        return {"path": self.path, "known": self.n_known, "gone": gone}


@dataclass(frozen=True)
class Earlier:
    """What became of the questions since an earlier result.

    Attributes
    ----------
    path : str
    by : {"answered", "whole"}
        What is compared: whether a question is answered, or whether it is neither split nor without a header.
    outcome : PairedOutcome
        Over the questions that both have.
    """

    path: str
    by: Literal["answered", "whole"]
    outcome: PairedOutcome

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {"path": self.path, "by": self.by, **self.outcome.to_dict()}


@dataclass(frozen=True)
class CheckResult(Shown):
    """What a check found.

    Attributes
    ----------
    setting : mapping
        ``chunker``, ``unit``, ``size``, ``overlap``.
    corpus : CorpusInfo
    cell : Cell
        What a sweep counts for the setting; with what was ranked, where chunks were.
    questions_path : str or None
        None: without questions.
    asked : tuple of CheckedQuestion
        All questions in the order of their file.
    measured : tuple of ThresholdResult
        The thresholds that something was measured for, in their order.
    findings : tuple of Finding
        By path, line and column.
    label_problems : int
        Those that are new, where they are errors.
    against : Against or None
        With a baseline.
    earlier : Earlier or None
        Where questions are compared with those of an earlier result.
    warnings : tuple of str
    """

    setting: Mapping[str, Any]
    corpus: CorpusInfo
    cell: Cell
    questions_path: str | None
    asked: tuple[CheckedQuestion, ...]
    measured: tuple[ThresholdResult, ...]
    findings: tuple[Finding, ...]
    label_problems: int = 0
    against: Against | None = None
    earlier: Earlier | None = None
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        verdict = "passed" if self.passed else f"failed: {', '.join(self.missed)}"
        counts = f"{counted(self.corpus.documents, 'document')}, {counted(len(self.findings), 'finding')}"
        return f"CheckResult({verdict}; {counts})"

    @property
    def passed(self) -> bool:
        """Tell whether all thresholds are met and the labels are sound."""
        return not self.missed

    @property
    def missed(self) -> tuple[str, ...]:
        """Name the thresholds that are missed."""
        labels = ("label_problems",) if self.label_problems else ()
        return (*(one.name for one in self.measured if not one.is_met), *labels)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that count."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def summary(self) -> str:
        """Say in one line how it went, and show the first finding."""
        if self.passed:
            return "passed"
        missed = ", ".join(name.replace("_", "-") for name in self.missed)
        if not self.errors:  # more questions are to be answered than there are
            return f"failed: {missed}"
        first = self.errors[0]
        rest = f" (and {len(self.errors) - 1:,} more)" if len(self.errors) > 1 else ""
        where = f"{first.path}:{first.line}:{first.column}"
        return f"failed: {missed}; {where}: {first.code}: {first.message}{rest}"

    def count(self, kind: Kind) -> int:
        """Count the questions of a kind."""
        return sum(question.kind == kind for question in self.asked)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON of format 1."""
        questions = None
        if self.questions_path is not None:
            questions = {
                "path": self.questions_path,
                "total": len(self.asked),
                "valid": self.count("valid"),
                "without_evidence": self.count("without-evidence"),
                "excluded": [question.id for question in self.asked if question.kind == "excluded"],
                "ids": {question.id: question.digest for question in self.asked if question.kind == "valid"},
            }
        return {
            "format": FORMAT,
            "chunkscope": __version__,
            "passed": self.passed,
            "missed": list(self.missed),
            "setting": dict(self.setting),
            "corpus": self.corpus.to_dict(),
            "questions": questions,
            "cells": [self.cell.to_dict()],
            "thresholds": [one.to_dict() for one in self.measured],
            "findings": [finding.to_dict() for finding in self.findings],
            "baseline": None if self.against is None else self.against.to_dict(),
            **({} if self.earlier is None else {"earlier": self.earlier.to_dict()}),
            "warnings": list(self.warnings),
        }


def sorted_findings(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Put findings in the order of files, lines and columns, whatever order the files were read in."""

    def key(finding: Finding) -> tuple[object, ...]:
        return finding.path, finding.line, finding.column, finding.code, finding.question or "", finding.span or (0, 0)

    return tuple(sorted(findings, key=key))
