"""Retrieval as a measure of a sweep: which chunks come first, and whether they hold what the questions need.

The documents are looked at once; every cell is then arithmetic on positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chunkscope.chunkers import Chunker
from chunkscope.chunkers.cells import Cells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.index_text import CHARACTERS, LINE_END, Scale
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable
from chunkscope.errors import InputError
from chunkscope.measures.base import Column, each_cell
from chunkscope.measures.evidence import EvidenceTable
from chunkscope.measures.tables import Rows, RowSpans
from chunkscope.questions.labels import Labels, LocatedQuestion
from chunkscope.questions.question import Question
from chunkscope.retrieval.bm25.postings import Occurrences, QuestionTerms, SpelledWords, Vocabulary, spelled_words
from chunkscope.retrieval.evaluate import RetrievalTask, evaluate_cell
from chunkscope.retrieval.overlap import MergedEvidence
from chunkscope.retrieval.relevance import Qrels
from chunkscope.retrieval.retriever import Collection, Retriever, Searcher
from chunkscope.retrieval.returns import SECTION, Return
from chunkscope.retrieval.settings import RetrievalSettings, check_conditions
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class DocumentTerms:
    """What retrieval takes from one document: words, and what else it is judged by.

    Attributes
    ----------
    starts, ends, terms : int64 (m,)
        Its words, and the number of each one's term; none of a document that may not be found.
    row_evidence : int64 (r,)
        For each data row that evidence overlaps, that evidence by its number.
    rows : RowSpans (r,)
    sections : int64 (s,)
        Where sections start, where they are returned.
    begins : int64 (u,) or None
        Where the units of a budget begin.
    attributes : frozenset of str
        Names, where conditions ask for some.
    values : sequence of list of str
        What it has where each condition asks.
    """

    starts: IntArray
    ends: IntArray
    terms: IntArray
    blank_runs: SpanArray
    sections: IntArray
    prependable: Prependable | None
    row_evidence: IntArray
    rows: RowSpans
    begins: IntArray | None
    attributes: frozenset[str]
    values: Sequence[list[str]]
    is_allowed: bool
    is_outdated: bool
    text: str = ""


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
    with_ids : bool
        Name the questions that are missed, not only count them.
    keep_ranks : bool
        Keep what came first for each question, for `RanksByCell`.

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

    needs_all_documents = True

    def __init__(
        self,
        labels: Labels | Sequence[LocatedQuestion],
        retrievers: Sequence[Retriever],
        chunkers: Sequence[Chunker] = (),
        settings: RetrievalSettings | None = None,
        *,
        with_ids: bool = True,
        keep_ranks: bool = False,
    ) -> None:
        valid = labels.valid if isinstance(labels, Labels) else labels
        without = labels.without_evidence if isinstance(labels, Labels) else ()
        self.settings = settings or RetrievalSettings()
        self.with_ids = with_ids
        self.keep_ranks = keep_ranks
        self.questions = tuple(question for question in valid if question.evidence)
        self.evidence = EvidenceTable.of(self.questions)
        self.unanswerable = tuple(question for question in without if _has_text(question))
        excluded = labels.excluded if isinstance(labels, Labels) else ()
        self.other_ids = frozenset([*(one.id for one in without), *(one.id for one in excluded)])
        self.silent = tuple(question.id for question in without if not _has_text(question))
        self.retrievers = tuple(retrievers)
        self._reads_texts = any(getattr(retriever, "reads_texts", False) for retriever in self.retrievers)
        self.prepends = {what for chunker in chunkers for what in chunker.prepend}
        asked = [question.question for question in self.questions]
        self.asked = (*asked, *self.unanswerable)
        _check_texts(asked)
        if self.settings.group_by is not None:
            _check_attribute(asked, self.settings.group_by)
        self.question_texts = tuple(question.question or "" for question in self.asked)
        self.terms = QuestionTerms(self.question_texts)

    def collect(self, analysis: DocumentAnalysis) -> DocumentTerms:
        """Take words and what else counts from one document."""
        document, settings = analysis.document, self.settings
        allowed = all(condition.holds(document) for condition in settings.filters)
        words = spelled_words(document.text, analysis.words) if allowed else SpelledWords(NONE, NONE, [])
        unit = settings.budget.unit if settings.budget else "char"
        numbers, spans = self.evidence.in_document(document.name)
        rows = RowSpans.of(analysis.tables if len(numbers) else ())
        owners, needed = rows.touched(spans)
        return DocumentTerms(
            starts=words.starts,
            ends=words.ends,
            terms=self.terms.number_words(words.terms),
            blank_runs=analysis.blank_runs,
            sections=analysis.structure.section_starts if settings.returns == Return(SECTION) else NONE,
            prependable=find_prependable(analysis, self.prepends) if self.prepends else None,
            row_evidence=numbers[owners],
            rows=rows.take(needed),
            begins=None if unit == "char" else analysis.measured(get_unit(unit)).begins,
            attributes=frozenset(document.attributes if settings.conditions else ()),
            values=[condition.values(document) for condition in settings.conditions],
            is_allowed=allowed,
            is_outdated=any(condition.holds(document) for condition in settings.outdated),
            text=document.text if self._reads_texts else "",
        )

    def bind(self, collected: Sequence[DocumentTerms], layout: Layout) -> BoundRetrieval:
        """Lay what was taken from the documents end to end.

        Raises
        ------
        InputError
            A condition on an attribute or a value that no document has, or conditions that leave no document.
        """
        settings = self.settings
        known = {name for document in collected for name in document.attributes}
        values: list[set[str]] = [set() for _ in settings.conditions]
        for document in collected:
            for found, one in zip(values, document.values, strict=True):
                found.update(one)
        check_conditions(settings.conditions, known, values)
        allowed = np.array([document.is_allowed for document in collected], dtype=np.bool_)
        if settings.filters and not allowed.any():
            conditions = " ".join(f"--filter {condition}" for condition in settings.filters)
            raise InputError(f"{conditions}: leaves no document of {len(collected)}")
        terms = np.concatenate([NONE, *(document.terms for document in collected)])
        starts = layout.lay_offsets(document.starts for document in collected)
        ends = layout.lay_offsets(document.ends for document in collected)
        vocabulary = Vocabulary(self.terms, Occurrences.of(starts, ends, terms, self.terms.n_terms), terms)
        prependable = [document.prependable for document in collected if document.prependable is not None]
        joined = join_prependable(prependable, layout) if prependable else None
        qrels = Qrels.of(self.evidence, layout)
        task = RetrievalTask(
            settings=settings,
            asked=self.asked[: len(self.questions)],
            rows={question.question.id: row for row, question in enumerate(self.questions)},
            qrels=qrels,
            table_rows=Rows.joined([document.rows for document in collected], layout),
            row_evidence=np.concatenate([NONE, *(document.row_evidence for document in collected)]),
            evidence=MergedEvidence.of(qrels),
            allowed=allowed,
            outdated=np.array([document.is_outdated for document in collected], dtype=np.bool_),
            traps=self._traps(layout),
            blank_runs=layout.lay_spans(document.blank_runs for document in collected),
            sections=layout.lay_offsets(document.sections for document in collected),
            scale=self._scale([document.begins for document in collected], layout),
            prependable=joined,
            groups=self._groups(),
            facts=self._facts(vocabulary, qrels, layout),
            with_ids=self.with_ids,
            keep_ranks=self.keep_ranks,
        )
        texts = tuple(document.text for document in collected)
        ids = tuple(question.id for question in self.asked)
        collection = Collection(vocabulary, texts, self.question_texts, ids, self.other_ids)
        searchers = [retriever.searcher(collection) for retriever in self.retrievers]
        return BoundRetrieval(task, tuple(self.retrievers), searchers)

    def _scale(self, begins: Sequence[IntArray | None], layout: Layout) -> Scale:
        """Give in what the budget is counted."""
        known = [found for found in begins if found is not None]
        if self.settings.budget is None or not known:
            return CHARACTERS
        line_end = get_unit(self.settings.budget.unit).measure(LINE_END).total if self.prepends else 0
        return Scale(layout.lay_offsets(known), line_end, self.settings.budget.unit)

    def _traps(self, layout: Layout) -> IntArray:
        """Give pairs of a question and a document that looks like its answer: int64 (t, 2)."""
        number = {name: place for place, name in enumerate(layout.names)}
        pairs = [
            (row, number[name])
            for row, question in enumerate(self.asked)
            for name in question.trap_docs
            if name in number
        ]
        return np.array(sorted(set(pairs)), dtype=np.int64).reshape(-1, 2)

    def _groups(self) -> dict[str, IntArray]:
        """Give the questions of each value of the attribute that recall is grouped by."""
        if self.settings.group_by is None:
            return {}
        found: dict[str, list[int]] = {}
        for row, question in enumerate(self.questions):
            value = question.question.attributes.get(self.settings.group_by)
            values = value if isinstance(value, list) else [value]
            for label in dict.fromkeys("(none)" if entry is None else str(entry) for entry in values or [None]):
                found.setdefault(label, []).append(row)
        return {label: np.array(rows, dtype=np.int64) for label, rows in sorted(found.items())}

    def _facts(self, vocabulary: Vocabulary, qrels: Qrels, layout: Layout) -> dict[str, Any]:
        """Give what holds for all cells: words that questions share with evidence, and questions that share none."""
        n_valid = qrels.n_questions
        asked = self.terms
        known = np.zeros(asked.n_terms + 1, dtype=np.bool_)
        known[vocabulary.occurrences.terms] = True
        n_known = np.bincount(asked.questions[known[asked.terms]], minlength=asked.n_questions)
        first, behind = vocabulary.occurrences.bounds(qrels.spans)
        wanted = np.bincount(asked.questions, minlength=asked.n_questions)
        held: list[set[int]] = [set() for _ in range(n_valid)]
        for question, low, high in zip(qrels.questions.tolist(), first.tolist(), behind.tolist(), strict=True):
            held[question].update(vocabulary.terms[low:high].tolist())
        shared = np.zeros(n_valid, dtype=np.int64)
        for question, term in zip(asked.questions.tolist(), asked.terms.tolist(), strict=True):
            if question < n_valid and term in held[question]:
                shared[question] += 1
        names = [question.question.id for question in self.questions]
        documents = set(layout.names)
        traps = {name for question in self.asked for name in question.trap_docs}
        return {
            "shared_words": [int(shared.sum()), int(wanted[:n_valid].sum())],
            "unknown_words": [names[row] for row in np.flatnonzero(n_known[:n_valid] == 0).tolist()],
            "unknown_trap_docs": sorted(traps - documents),
            "unanswerable": len(self.unanswerable),
            "silent": self.silent,
        }


def _has_text(question: Question) -> bool:
    return bool(question.question and question.question.strip())


def _check_texts(questions: Sequence[Question]) -> None:
    if not questions:
        raise InputError("recall needs questions with evidence; there are none")
    silent = [question for question in questions if not _has_text(question)]
    if silent:
        line = f" (line {silent[0].line})" if silent[0].line is not None else ""
        rest = f", nor have {len(silent) - 1} more" if len(silent) > 1 else ""
        raise InputError(
            f"question {silent[0].id}{line} has no 'question' text to search with{rest}; write one, or say with "
            "--map-field question=FIELD where it stands"
        )


def _check_attribute(questions: Sequence[Question], name: str) -> None:
    known = sorted({key for question in questions for key in question.attributes})
    if name not in known:
        there = f"there are {', '.join(known[:12])}" if known else "they have no attributes"
        raise InputError(f"--group-by {name}: no question has an attribute {name!r}; {there}")


@dataclass(frozen=True)
class BoundRetrieval:
    """Retrievers that know all documents, and what the chunks that they find are judged by."""

    task: RetrievalTask
    retrievers: tuple[Retriever, ...]
    searchers: Sequence[Searcher]

    def only(self, place: int) -> BoundRetrieval:
        """Give the same with one of the retrievers."""
        return replace(self, retrievers=(self.retrievers[place],), searchers=[self.searchers[place]])

    def count(self, cells: Cells) -> dict[str, Column]:
        """Rank the chunks of each cell and judge them, once a retriever."""
        return each_cell(cells, self.evaluate)

    def evaluate(self, chunks: ChunkSet) -> dict[str, Any]:
        """Rank the chunks of a cell and judge them, once a retriever."""
        found = []
        for retriever, searcher in zip(self.retrievers, self.searchers, strict=True):
            counts = evaluate_cell(self.task, chunks, retriever, searcher)
            found.append({**counts, **getattr(searcher, "facts", {})})
        return {"retrieval": tuple(found)}
