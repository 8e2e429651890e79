"""What the label check finds: evidence that stands, and problems with the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from chunkscope.errors import LabelError
from chunkscope.plugins.shown import Shown
from chunkscope.questions.question import Question

LabelProblemCode = Literal["missing", "ambiguous", "empty", "unknown-document", "duplicate-id", "offset-mismatch"]


LISTED = 100
"""Places of a quote that a problem lists; there may be millions, and they are counted."""


class EvidenceSpan(NamedTuple):
    """A quote in its place: the document, and the span in code points."""

    document: str
    start: int
    end: int


@dataclass(frozen=True)
class LocatedQuestion:
    """A valid question with its evidence, each span once, in the order of its quotes."""

    question: Question
    evidence: tuple[EvidenceSpan, ...]


@dataclass(frozen=True)
class Occurrence:
    """A place where a quote stands.

    Attributes
    ----------
    document, start, end
        The span in code points.
    line, column : int
        As people count, from 1.
    unique : str or None
        The shortest passage around this place that stands nowhere else; None where that was not found.
    """

    document: str
    start: int
    end: int
    line: int
    column: int
    unique: str | None = None

    def __str__(self) -> str:
        return f"{self.document}:{self.line}:{self.column}"

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        place: dict[str, object] = {
            "document": self.document,
            "start": self.start,
            "end": self.end,
            "line": self.line,
            "column": self.column,
        }
        return place if self.unique is None else {**place, "unique": self.unique}


class Fix(NamedTuple):
    """The one right way to mend a quote: the verbatim text and its span.

    It needs a pin where the text stands more than once: in the document that the quote names, else in any.
    """

    document: str
    start: int
    end: int
    text: str
    needs_pin: bool = False


@dataclass(frozen=True)
class LabelProblem:
    """What is wrong with one quote of a question, or with the question.

    Attributes
    ----------
    id : str
        The question's.
    line : int or None
        Its line in the file.
    problem : str
        One of `LabelProblemCode`.
    message : str
        What is wrong and what stands where, in one line.
    document : str or None
        The document that the quote names.
    occurrences : tuple of Occurrence
        The places where the quote does stand, the first `LISTED` of them.
    n_occurrences : int
        How many there are in all.
    entry : int or None
        Which quote, from 0; None where the question as a whole is meant.
    fix : Fix or None
        How to mend it, where there is exactly one right way.
    """

    id: str
    line: int | None
    problem: LabelProblemCode
    message: str
    document: str | None = None
    occurrences: tuple[Occurrence, ...] = field(default=(), repr=False)
    n_occurrences: int = 0
    entry: int | None = None
    fix: Fix | None = None

    def to_dict(self) -> dict[str, object]:
        """Give it as JSON has it."""
        return {
            "id": self.id,
            "line": self.line,
            "problem": self.problem,
            "message": self.message,
            "document": self.document,
            "occurrences": [place.to_dict() for place in self.occurrences],
            "n_occurrences": self.n_occurrences,
            "entry": self.entry,
            "fixable": self.fix is not None,
        }


@dataclass(frozen=True)
class Labels(Shown):
    """All questions, sorted: valid + without evidence + excluded = total.

    Attributes
    ----------
    valid : tuple of LocatedQuestion
        Questions of which every quote stands where it says.
    without_evidence : tuple of Question
        Unanswerable on purpose.
    excluded : tuple of Problem
        For each other question its first problem.
    problems : tuple of Problem
        All problems, in the order of the questions and their quotes.
    warnings : tuple of str
        What excludes nothing.
    pins, fixes : mappings
        By the places of question and quote: the evidence of each good quote, of excluded questions too, and how to
        mend bad ones.
    path, sha256 : str
        The file that the questions come from, and its digest; empty for questions made in memory.
    """

    valid: tuple[LocatedQuestion, ...]
    without_evidence: tuple[Question, ...]
    excluded: tuple[LabelProblem, ...]
    problems: tuple[LabelProblem, ...]
    warnings: tuple[str, ...] = ()
    pins: Mapping[tuple[int, int], EvidenceSpan] = field(default_factory=dict, repr=False)
    fixes: Mapping[tuple[int, int], Fix] = field(default_factory=dict, repr=False)
    path: str = ""
    sha256: str = ""

    def __repr__(self) -> str:
        counts = f"{len(self.valid):,} valid, {len(self.without_evidence):,} without evidence"
        return f"Labels({counts}, {len(self.excluded):,} with problems)"

    @property
    def total(self) -> int:
        """How many questions there are."""
        return len(self.valid) + len(self.without_evidence) + len(self.excluded)

    def to_dict(self) -> dict[str, object]:
        """Give them as JSON has them."""
        return {
            "format": 1,
            "questions": self.total,
            "valid": len(self.valid),
            "without_evidence": len(self.without_evidence),
            "excluded": len(self.excluded),
            "problems": [problem.to_dict() for problem in self.problems],
            "warnings": list(self.warnings),
        }

    def require_documents(self, names: Iterable[str]) -> None:
        """Raise if evidence stands in a document of another name.

        Raises
        ------
        LabelError
            Names the first such question.
        """
        known = frozenset(names)
        for located in self.valid:
            for span in located.evidence:
                if span.document not in known:
                    raise LabelError(
                        f"question {located.question.id}: {span.document!r} is not among the documents; "
                        "check the labels against the documents that are looked at"
                    )

    def require_valid(self) -> None:
        """Raise if any question is excluded.

        Raises
        ------
        LabelError
            Counts the problems and shows the first.
        """
        if not self.problems:
            return
        first, n = self.problems[0], len(self.problems)
        line = f" (line {first.line})" if first.line is not None else ""
        raise LabelError(
            f"{n} label problem{'s' if n > 1 else ''} in {len(self.excluded)} of {self.total} questions; "
            f"the first: {first.id}{line}: {first.problem}: {first.message}"
        )
