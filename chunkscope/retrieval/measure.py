"""Retrieval as a measure of a sweep: which chunks come first, and whether they hold what the questions need.

The documents are looked at once; every cell is then arithmetic on positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from chunkscope.chunkers import Chunker
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable
from chunkscope.errors import InputError
from chunkscope.questions.labels import Labels, LocatedQuestion
from chunkscope.questions.question import Question
from chunkscope.retrieval.bm25.postings import Occurrences, Vocabulary
from chunkscope.retrieval.bm25.terms import Asked, spelled_words
from chunkscope.retrieval.evaluate import Plan, report
from chunkscope.retrieval.filters import check_attributes
from chunkscope.retrieval.overlap import MergedEvidence, omegas
from chunkscope.retrieval.ranking import Block
from chunkscope.retrieval.relevance import Qrels
from chunkscope.retrieval.searching import Texts, reads_texts, searcher_of
from chunkscope.retrieval.settings import RetrievalSettings
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, as_spans
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

NONE = np.empty(0, dtype=np.int64)


class Searcher(Protocol):
    """A retriever that has seen the documents."""

    def blocks(self, chunks: ChunkSet, indexed: BoolArray) -> Iterator[Block]:
        """Score all questions against the chunks of a cell."""


class Retriever(Protocol):
    """Something that scores chunks for questions."""

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What was held fixed."""

    def searcher(self, words: Vocabulary, prependable: Prependable | None) -> Searcher:
        """Give what searches the chunks of cells."""


@dataclass(frozen=True)
class Seen:
    """What retrieval takes from one document."""

    entries: IntArray
    spans: SpanArray
    starts: IntArray
    ends: IntArray
    terms: IntArray
    blank_runs: SpanArray
    prependable: Prependable | None
    begins: IntArray | None
    attributes: frozenset[str]
    is_allowed: bool
    is_outdated: bool
    text: str = ""


class Entries:
    """The evidence of questions, numbered entry by entry and found by document."""

    def __init__(self, questions: Sequence[LocatedQuestion]) -> None:
        self.questions = tuple(questions)
        self._of: dict[str, list[tuple[int, int, int]]] = {}
        number = 0
        for question in self.questions:
            for entry in question.evidence:
                self._of.setdefault(entry.document, []).append((number, entry.start, entry.end))
                number += 1

    def of(self, document: str) -> tuple[IntArray, SpanArray]:
        """Give the numbers and spans of the evidence in a document."""
        rows = np.array(self._of.get(document, ()), dtype=np.int64).reshape(-1, 3)
        return rows[:, 0], as_spans(rows[:, 1:])

    def needs(self, found: Sequence[tuple[IntArray, SpanArray]], layout: Layout) -> Qrels:
        """Lay the evidence of all documents one behind the other, in the order of the questions."""
        numbers = np.concatenate([NONE, *(numbers for numbers, _ in found)])
        moved = [spans + base for (_, spans), base in zip(found, layout.edges.tolist(), strict=False)]
        spans = np.concatenate([np.empty((0, 2), dtype=np.int64), *moved])[np.argsort(numbers, kind="stable")]
        counts = [len(question.evidence) for question in self.questions]
        any_is_enough = np.array([question.question.match == "any" for question in self.questions], dtype=np.bool_)
        return Qrels(spans, np.repeat(np.arange(len(counts)), counts).astype(np.int64), any_is_enough)


class RetrievalMeasure:
    """Ranks the chunks of every cell for every question.

    Parameters
    ----------
    labels : Labels or sequence of LocatedQuestion
        Valid questions; those without evidence that labels have are ranked too, and counted apart.
    retrievers : sequence of Retriever
    chunkers : sequence of Chunker
        Those of the sweep: what none of them prepends is not looked for.
    settings : RetrievalSettings

    Raises
    ------
    InputError
        A question without a text, or no question at all.

    Examples
    --------
    >>> from chunkscope import Document, Question, check_labels, sweep
    >>> from chunkscope.retrieval import Bm25Retriever
    >>> corpus = [Document("a.md", "上限は12,000円。"), Document("b.md", "申請は3日前。")]
    >>> labels = check_labels(corpus, [Question.of("q1", "申請はいつ？", doc="b.md", evidence="3日前")])
    >>> measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=RetrievalSettings(k=(1,)))
    >>> cell = sweep(corpus, labels, sizes=[20], overlaps=[0], measures=[measure]).cells[0]
    >>> cell.retrieval[0]["strict"]
    {'1': [1, 1]}
    """

    def __init__(
        self,
        labels: Labels | Sequence[LocatedQuestion],
        retrievers: Sequence[Retriever],
        chunkers: Sequence[Chunker] = (),
        settings: RetrievalSettings | None = None,
    ) -> None:
        valid = labels.valid if isinstance(labels, Labels) else labels
        without = labels.without_evidence if isinstance(labels, Labels) else ()
        self.settings = settings or RetrievalSettings()
        self.entries = Entries([question for question in valid if question.evidence])
        self.unanswerable = tuple(question for question in without if _has_text(question))
        self.retrievers = tuple(retrievers)
        self.prepends = {what for chunker in chunkers for what in chunker.prepend}
        asked = [question.question for question in self.entries.questions]
        _check_texts(asked)
        if self.settings.group_by is not None:
            _check_attribute(asked, self.settings.group_by)
        self.question_texts = tuple(question.question or "" for question in (*asked, *self.unanswerable))
        self.question_ids = tuple(question.id for question in (*asked, *self.unanswerable))
        self.asked = Asked(self.question_texts)

    def collect(self, analysis: DocumentAnalysis) -> Seen:
        """Take words, evidence and what else counts from one document."""
        document, settings = analysis.document, self.settings
        allowed = all(condition.holds(document) for condition in settings.filters)
        words = spelled_words(document.text, analysis.words)
        unit = settings.budget.unit if settings.budget else "char"
        numbers, spans = self.entries.of(document.name)
        return Seen(
            entries=numbers,
            spans=spans,
            starts=words.starts,
            ends=words.ends,
            terms=self.asked.number_words(words.terms),
            blank_runs=analysis.blank_runs,
            prependable=find_prependable(analysis, self.prepends) if self.prepends else None,
            begins=None if unit == "char" else analysis.measured(get_unit(unit)).begins,
            attributes=frozenset(document.attributes) if settings.filters or settings.outdated else frozenset(),
            is_allowed=allowed,
            is_outdated=any(condition.holds(document) for condition in settings.outdated),
            text=document.text if any(reads_texts(retriever) for retriever in self.retrievers) else "",
        )

    def bind(self, collected: Sequence[Seen], layout: Layout) -> BoundRetrieval:
        """Lay what was taken from the documents one behind the other.

        Raises
        ------
        InputError
            A condition on an attribute that no document has, or conditions that leave no document.
        """
        settings = self.settings
        known = {name for seen in collected for name in seen.attributes}
        check_attributes((*settings.filters, *settings.outdated), known)
        allowed = np.array([seen.is_allowed for seen in collected], dtype=np.bool_)
        if settings.filters and not allowed.any():
            conditions = " ".join(f"--filter {condition}" for condition in settings.filters)
            raise InputError(f"{conditions}: leaves no document of {len(collected)}")
        bases = layout.edges[:-1].tolist()
        rows = [(seen, base) for seen, base in zip(collected, bases, strict=True) if seen.is_allowed]
        starts = np.concatenate([NONE, *(seen.starts + base for seen, base in rows)])
        ends = np.concatenate([NONE, *(seen.ends + base for seen, base in rows)])
        terms = np.concatenate([NONE, *(seen.terms for seen, _ in rows)])
        words = Vocabulary(self.asked, Occurrences.of(starts, ends, terms, self.asked.n_terms), terms)
        prependable = [seen.prependable for seen in collected if seen.prependable is not None]
        joined = join_prependable(prependable, layout) if self.prepends and prependable else None
        needs = self.entries.needs([(seen.entries, seen.spans) for seen in collected], layout)
        begins = [seen.begins + base for seen, base in zip(collected, bases, strict=True) if seen.begins is not None]
        plan = Plan(
            settings=settings,
            ids=tuple(question.question.id for question in self.entries.questions),
            n_asked=self.asked.n_questions,
            needs=needs,
            pieces=MergedEvidence.of(needs),
            allowed=allowed,
            outdated=np.array([seen.is_outdated for seen in collected], dtype=np.bool_),
            traps=self._traps(layout),
            blank_runs=np.concatenate(
                [np.empty((0, 2), dtype=np.int64)]
                + [seen.blank_runs + base for seen, base in zip(collected, bases, strict=True)]
            ),
            begins=np.concatenate(begins) if begins else None,
            prependable=joined,
            groups=self._groups(),
            facts=self._facts(words, needs, layout),
        )
        texts = Texts(tuple(seen.text for seen in collected), self.question_texts, self.question_ids)
        searchers = [searcher_of(retriever, words, texts, layout, joined) for retriever in self.retrievers]
        return BoundRetrieval(plan, tuple(self.retrievers), searchers)

    def _traps(self, layout: Layout) -> IntArray:
        """Give pairs of a question and a document that looks like its answer: int64 (t, 2)."""
        number = {name: place for place, name in enumerate(layout.names)}
        pairs = [
            (row, number[name])
            for row, question in enumerate(self.entries.questions)
            for name in question.question.trap_docs
            if name in number
        ]
        return np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)

    def _groups(self) -> dict[str, IntArray]:
        """Give the questions of each value of the attribute that recall is told apart by."""
        if self.settings.group_by is None:
            return {}
        found: dict[str, list[int]] = {}
        for row, question in enumerate(self.entries.questions):
            value = question.question.attributes.get(self.settings.group_by)
            values = value if isinstance(value, list) else [value]
            for label in dict.fromkeys("(none)" if entry is None else str(entry) for entry in values or [None]):
                found.setdefault(label, []).append(row)
        return {label: np.array(rows, dtype=np.int64) for label, rows in sorted(found.items())}

    def _facts(self, words: Vocabulary, needs: Qrels, layout: Layout) -> dict[str, Any]:
        """Give what holds for all cells: words that questions share with evidence, and questions that share none."""
        n_valid = needs.n_questions
        asked = self.asked
        known = np.zeros(asked.n_terms + 1, dtype=np.bool_)
        known[words.occurrences.terms] = True
        n_known = np.bincount(asked.questions[known[asked.terms]], minlength=asked.n_questions)
        first, behind = words.occurrences.bounds(needs.spans)
        wanted = np.bincount(asked.questions, minlength=asked.n_questions)
        held: list[set[int]] = [set() for _ in range(n_valid)]
        for question, low, high in zip(needs.questions.tolist(), first.tolist(), behind.tolist(), strict=True):
            held[question].update(words.terms[low:high].tolist())
        shared = np.zeros(n_valid, dtype=np.int64)
        for question, term in zip(asked.questions.tolist(), asked.terms.tolist(), strict=True):
            if question < n_valid and term in held[question]:
                shared[question] += 1
        names = [question.question.id for question in self.entries.questions]
        documents = set(layout.names)
        traps = {name for question in self.entries.questions for name in question.question.trap_docs}
        return {
            "shared_words": [int(shared.sum()), int(wanted[:n_valid].sum())],
            "unknown_words": [names[row] for row in np.flatnonzero(n_known[:n_valid] == 0).tolist()],
            "unknown_trap_docs": sorted(traps - documents),
            "unanswerable": len(self.unanswerable),
        }


def _has_text(question: Question) -> bool:
    return bool(question.question and question.question.strip())


def _check_texts(questions: Sequence[Question]) -> None:
    if not questions:
        raise InputError("retrieval needs questions with evidence; there are none")
    silent = [question for question in questions if not _has_text(question)]
    if silent:
        line = f" (line {silent[0].line})" if silent[0].line is not None else ""
        rest = f", nor have {len(silent) - 1} more" if len(silent) > 1 else ""
        raise InputError(f"question {silent[0].id}{line} has no 'question' text to search with{rest}")


def _check_attribute(questions: Sequence[Question], name: str) -> None:
    known = sorted({key for question in questions for key in question.attributes})
    if name not in known:
        there = f"there are {', '.join(known[:12])}" if known else "they have no attributes"
        raise InputError(f"--group-by {name}: no question has an attribute {name!r}; {there}")


@dataclass(frozen=True)
class BoundRetrieval:
    """All documents, seen by retrieval."""

    plan: Plan
    retrievers: tuple[Retriever, ...]
    searchers: Sequence[Searcher]

    def count(self, chunks: ChunkSet) -> dict[str, Any]:
        """Rank the chunks of a cell and judge them, once a retriever."""
        found = []
        for retriever, searcher in zip(self.retrievers, self.searchers, strict=True):
            counts = report(self.plan, chunks, searcher.blocks, retriever.name, retriever.settings)
            found.append({**counts, **getattr(searcher, "facts", {})})
        return {"retrieval": tuple(found)}


class OverlapMeasure:
    """Precision-omega of every cell; it needs no retriever, nor texts of questions.

    Parameters
    ----------
    questions : iterable of LocatedQuestion
    """

    def __init__(self, questions: Iterable[LocatedQuestion]) -> None:
        self.entries = Entries([question for question in questions if question.evidence])

    def collect(self, analysis: DocumentAnalysis) -> tuple[IntArray, SpanArray]:
        """Take the evidence in one document."""
        return self.entries.of(analysis.document.name)

    def bind(self, collected: Sequence[tuple[IntArray, SpanArray]], layout: Layout) -> BoundOverlap:
        """Lay the evidence of all documents one behind the other."""
        return BoundOverlap(MergedEvidence.of(self.entries.needs(collected, layout)))


@dataclass(frozen=True)
class BoundOverlap:
    """The evidence of all documents, each character of a question once."""

    pieces: MergedEvidence

    def count(self, chunks: ChunkSet) -> dict[str, Any]:
        """Sum precision-omega and its squares, so that parts of a corpus add up."""
        values = omegas(chunks.spans, self.pieces)
        return {
            "precision_omega": {
                "questions": len(values),
                "sum": float(values.sum()),
                "squares": float((values * values).sum()),
            }
        }
