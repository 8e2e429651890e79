"""The evidence of all questions as arrays: what every count, finding and rank is taken from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunkscope.questions.labels import LocatedQuestion
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans
from chunkscope.spans.layout import Layout


@dataclass(frozen=True)
class EvidenceTable:
    """Evidence span by span, in the order of the questions.

    Attributes
    ----------
    ids : tuple of str
        The questions that have evidence.
    any_is_enough : bool (q,)
        For each question, whether one of its spans is enough.
    questions : int64 (e,)
        The question of each span; never falls.
    documents : tuple of str
        The document of each span.
    spans : int64 (e, 2)
        In its document.

    Examples
    --------
    >>> from chunkscope.questions.labels import EvidenceSpan
    >>> from chunkscope.questions.question import Question
    >>> asked = LocatedQuestion(Question("q1"), (EvidenceSpan("a.md", 3, 6), EvidenceSpan("b.md", 0, 2)))
    >>> table = EvidenceTable.of([asked])
    >>> numbers, spans = table.in_document("b.md")
    >>> numbers.tolist(), spans.tolist()
    ([1], [[0, 2]])
    """

    ids: tuple[str, ...]
    any_is_enough: BoolArray
    questions: IntArray
    documents: tuple[str, ...]
    spans: SpanArray

    @classmethod
    def of(cls, located: Sequence[LocatedQuestion]) -> EvidenceTable:
        """Make it of questions; those without evidence are left out."""
        asked = [question for question in located if question.evidence]
        found = [span for question in asked for span in question.evidence]
        counts = [len(question.evidence) for question in asked]
        return cls(
            tuple(question.question.id for question in asked),
            np.array([question.question.match == "any" for question in asked], dtype=np.bool_),
            np.repeat(np.arange(len(asked)), counts).astype(np.int64),
            tuple(span.document for span in found),
            as_spans([(span.start, span.end) for span in found]),
        )

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def n_questions(self) -> int:
        """How many questions there are."""
        return len(self.ids)

    def in_document(self, name: str) -> tuple[IntArray, SpanArray]:
        """Give the numbers and the spans of the evidence in a document."""
        numbers = self._numbers.get(name, _NONE)
        return numbers, self.spans[numbers]

    @cached_property
    def _numbers(self) -> dict[str, IntArray]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.documents):
            found.setdefault(name, []).append(number)
        return {name: np.array(numbers, dtype=np.int64) for name, numbers in found.items()}

    def laid(self, layout: Layout) -> SpanArray:
        """Give the spans in a layout that has all their documents."""
        number = {name: place for place, name in enumerate(layout.names)}
        bases = layout.edges[[number[name] for name in self.documents]] if len(self) else self.questions
        return self.spans + bases[:, None]

    @cached_property
    def n_spans(self) -> IntArray:
        """How many spans each question has."""
        return np.bincount(self.questions, minlength=self.n_questions)

    @cached_property
    def _firsts(self) -> IntArray:
        return np.cumsum(self.n_spans) - self.n_spans

    def worst_or_best(self, values: NDArray[np.integer]) -> NDArray[np.integer]:
        """Give for each question the largest value of its spans, or the smallest where one is enough."""
        if not len(values):
            return values
        best, worst = (ufunc.reduceat(values, self._firsts) for ufunc in (np.minimum, np.maximum))
        return np.where(self.any_is_enough, best, worst)

    def spoilt(self, bad: BoolArray) -> BoolArray:
        """Tell which questions have no sufficient choice of spans that are not bad."""
        n_bad = np.bincount(self.questions[bad], minlength=self.n_questions)
        return np.where(self.any_is_enough, n_bad == self.n_spans, n_bad > 0)


_NONE = np.empty(0, dtype=np.int64)
