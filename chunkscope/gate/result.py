"""What the pre-flight check comes to: findings, the thresholds they count against, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from chunkscope._version import __version__
from chunkscope.grid.results import CorpusInfo
from chunkscope.spans.intervals import Span

FORMAT = 1
"""Version of the JSON. Later formats only add.

1: `passed`, `setting`, `corpus`, `questions`, `thresholds`, `findings`, `baseline`, `warnings`.
"""

CODES = {
    "max_split": ("evidence-split", "evidence-missing"),
    "max_missing": ("evidence-missing",),
    "max_header_lost": ("header-lost",),
    "max_rows_header_lost": ("header-lost",),
    "max_oversize": ("chunk-oversize",),
    "max_broken": ("chunk-broken",),
    "max_blank": ("chunk-blank",),
}
"""Which findings count for which threshold."""

Level = Literal["error", "warning", "note"]
Kind = Literal["valid", "without-evidence", "excluded"]


@dataclass(frozen=True)
class Suggestion:
    """What would mend a finding; None where that does not help.

    Attributes
    ----------
    size : int or None
        The nearest size tried of the same chunker that leaves the text whole, whatever it does to others.
    overlap : int or None
        The overlap from which on no text of this length is cut, wherever it stands.
    length : int
        How long the text is, in the chunker's unit.
    prepend : str or None
        What a chunk would have to prepend.
    is_nearest : bool
        Every nearer size has been looked at; False where only some have, because each means cutting anew.
    """

    size: int | None
    overlap: int | None
    length: int
    prepend: str | None = None
    is_nearest: bool = True

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {"size": self.size, "overlap": self.overlap, "length": self.length, "prepend": self.prepend}


@dataclass(frozen=True)
class CheckFinding:
    """One thing that the check found.

    Attributes
    ----------
    code : str
        ``evidence-split``, ``evidence-missing``, ``header-lost``, ``chunk-oversize``, ``chunk-broken``,
        ``chunk-blank``, or ``label-`` and the problem.
    document : str or None
        Its name; None for labels that name none.
    question : str or None
    line, column : int
        In the document the place of the cut, or the start of the chunk; for labels the line of the questions file.
    message : str
        In one line.
    quote : str
        The evidence, the row, the chunk, or the quote of the label: what it is recognised by.
    span : (int, int) or None
        Where that stands, in code points.
    cut : int or None
        Offset of the first cut.
    before, after : str
        The text on both sides of that place.
    suggestion : Suggestion or None
    path : str
        The file, as it is shown.
    level : {"error", "warning", "note"}
        An error counts against a threshold that is missed; a note is within its threshold, known, or harms nobody.
    is_known : bool
        The baseline has it.
    is_needed : bool
        False where other evidence of the question is enough.
    """

    code: str
    document: str | None
    question: str | None
    line: int
    column: int
    message: str
    quote: str
    span: Span | None = None
    cut: int | None = None
    before: str = ""
    after: str = ""
    suggestion: Suggestion | None = None
    path: str = ""
    level: Level = "error"
    is_known: bool = False
    is_needed: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "code": self.code,
            "level": self.level,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "document": self.document,
            "question": self.question,
            "message": self.message,
            "quote": self.quote,
            "span": None if self.span is None else list(self.span),
            "cut": self.cut,
            "known": self.is_known,
            "needed": self.is_needed,
            "suggestion": None if self.suggestion is None else self.suggestion.to_dict(),
        }


@dataclass(frozen=True)
class Measured:
    """One threshold and what was counted for it.

    Attributes
    ----------
    name : str
    limit : str
        As it was set.
    n, n_new : int
        How many there are, and how many of them the baseline does not have: these count.
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
    """A question of the file: its line, and whether it could be checked."""

    id: str
    line: int | None
    kind: Kind


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
class CheckResult:
    """What a check found.

    Attributes
    ----------
    setting : mapping
        ``chunker``, ``unit``, ``size``, ``overlap``.
    corpus : CorpusInfo
    questions_path : str or None
        None: without questions.
    asked : tuple of CheckedQuestion
        All questions in the order of their file.
    measured : tuple of Measured
        The thresholds that something was measured for, in their order.
    findings : tuple of CheckFinding
        By path, line and column.
    label_problems : int
        Those that are new, where they are errors.
    against : Against or None
        With a baseline.
    warnings : tuple of str
    """

    setting: Mapping[str, Any]
    corpus: CorpusInfo
    questions_path: str | None
    asked: tuple[CheckedQuestion, ...]
    measured: tuple[Measured, ...]
    findings: tuple[CheckFinding, ...]
    label_problems: int = 0
    against: Against | None = None
    warnings: tuple[str, ...] = ()

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
    def errors(self) -> tuple[CheckFinding, ...]:
        """The findings that count."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def summary(self) -> str:
        """Say in one line how it went, and show the first finding."""
        if self.passed:
            return "passed"
        first = self.errors[0]
        rest = f" (and {len(self.errors) - 1:,} more)" if len(self.errors) > 1 else ""
        where = f"{first.path}:{first.line}:{first.column}"
        missed = ", ".join(name.replace("_", "-") for name in self.missed)
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
            }
        return {
            "format": FORMAT,
            "chunkscope": __version__,
            "passed": self.passed,
            "missed": list(self.missed),
            "setting": dict(self.setting),
            "corpus": self.corpus.to_dict(),
            "questions": questions,
            "thresholds": [one.to_dict() for one in self.measured],
            "findings": [finding.to_dict() for finding in self.findings],
            "baseline": None if self.against is None else self.against.to_dict(),
            "warnings": list(self.warnings),
        }


def sorted_findings(findings: Sequence[CheckFinding]) -> tuple[CheckFinding, ...]:
    """Put findings in the order of files, lines and columns, whatever order the files were read in."""

    def key(finding: CheckFinding) -> tuple[object, ...]:
        return finding.path, finding.line, finding.column, finding.code, finding.question or "", finding.span or (0, 0)

    return tuple(sorted(findings, key=key))
