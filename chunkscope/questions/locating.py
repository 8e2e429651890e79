"""Where the answer to a question may stand: passages for somebody to choose from, who knows. Nothing is decided here.

A passage is scored by the words that it shares with the question and with the answer, by what stands around it, in the
header of its table and in its document, and by how much of the answer stands in it letter by letter. What ranks words
is handed in by the caller.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from chunkscope.corpus.document import LINE_END, Document
from chunkscope.errors import InputError
from chunkscope.questions.near_miss import fold_text
from chunkscope.questions.passages import KINDS, Quotable, headers_of, passages_of
from chunkscope.questions.quote_search import occurrences
from chunkscope.spans.intervals import IntArray, Span, SpanArray, as_spans
from chunkscope.structure.analysis import DocumentAnalysis

MOST = 5
"""Proposals for a question."""

ALIGNED = 50
"""So many passages are compared with the answer letter by letter."""

NEAR, WIDE = 2, 6
"""So many passages on either side are looked at too."""

ANSWER, AROUND, HEADER, DOCUMENT, LETTERS = 2.0, 0.5, 1.5, 0.5, 12.0
"""What words of the answer weigh, and those around, in the header and in the document; and the letters of the answer.

Words of the question in the passage itself weigh 1. Found on four sets (`benchmarks/locating.py`); flat around there.
"""

SHORTEST_RUN = 3
LONGEST_ALIGNED = 1000
CONTEXT = 60
"""Characters of the line before and behind that are shown."""

Scores = NDArray[np.float64]


class Scorer(Protocol):
    """Scores spans of documents that are laid one behind the other."""

    def scores(self, spans: SpanArray) -> Iterator[Scores]:
        """Give for each text the scores of all spans."""


ScorerOf = Callable[[Sequence[Document], Sequence[str]], Scorer]
"""Makes one of documents and the texts that will be asked."""


class Proposal(NamedTuple):
    """A passage that may answer a question.

    Attributes
    ----------
    document : str
    start, end : int
    kind : str
        One of `chunkscope.questions.passages.KINDS`.
    text : str
    line, column : int
        As people count, from 1.
    before, behind : str
        What stands around it.
    occurs : int
        How often the text stands in its document.
    score : float
    """

    document: str
    start: int
    end: int
    kind: str
    text: str
    line: int
    column: int
    before: str
    behind: str
    occurs: int
    score: float

    def to_dict(self, number: int) -> dict[str, object]:
        """Give it as the file of proposals has it; its place pins it only where the text stands more than once."""
        place: dict[str, object] = {"n": number, "doc": self.document, "line": self.line, "kind": self.kind}
        pin = {"start": self.start} if self.occurs > 1 else {}
        around = {"before": self.before, "text": self.text, "behind": self.behind}
        return {**place, **around, **pin, "score": round(self.score, 2)}


class Located(NamedTuple):
    """A question and the passages that may answer it, the likeliest first."""

    record: Mapping[str, Any]
    proposals: tuple[Proposal, ...]

    @property
    def stratum(self) -> tuple[str, str]:
        """The kind and the document of the likeliest passage."""
        return (self.proposals[0].kind, self.proposals[0].document) if self.proposals else ("", "")

    def to_dict(self) -> dict[str, object]:
        """Give it as a line of the file of proposals; whoever knows writes numbers into ``confirmed``."""
        proposals = [one.to_dict(number) for number, one in enumerate(self.proposals, 1)]
        return {**self.record, "confirmed": None, "proposals": proposals}


def locate(
    documents: Sequence[Document], records: Sequence[Mapping[str, Any]], scorer_of: ScorerOf, most: int = MOST
) -> list[Located]:
    """Find for each question the passages that may answer it.

    Parameters
    ----------
    documents : sequence of Document
    records : sequence of mapping
        Each with ``question``, and ``answer`` and ``doc`` where they are known. A ``doc`` that is among the documents
        is the only one that is looked at.
    scorer_of : callable
    most : int
        Proposals for a question.

    Raises
    ------
    InputError
        No question, or nothing to quote in the documents.
    """
    if not records:
        raise InputError("no question to look for")
    corpus = _Corpus(documents)
    if not len(corpus.spans):
        raise InputError("the documents hold nothing that could be quoted")
    texts = [text for one in records for text in (str(one["question"]), str(one.get("answer") or ""))]
    scorer = scorer_of(documents, texts)
    found = []
    for record, scores in zip(records, _summed(scorer, corpus), strict=True):
        home = corpus.range_of(str(record.get("doc") or ""))
        found.append(Located(record, tuple(_best(corpus, str(record.get("answer") or ""), scores, home, most))))
    return found


class _Corpus:
    """All passages of some documents, which are laid one behind the other."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = list(documents)
        self.passages: list[Quotable] = []
        spans: list[Span] = []
        headers: list[Span] = []
        of_header: list[int] = []
        self.owners: list[int] = []
        self.bases: list[int] = []
        base = 0
        for number, analysis in enumerate(DocumentAnalysis.of_all(self.documents)):
            passages = passages_of(analysis)
            places = {header: len(headers) + place for place, header in enumerate(headers_of(passages))}
            headers += [(start + base, end + base) for start, end in places]
            of_header += [places.get(one.header, -1) if one.header else -1 for one in passages]
            spans += [(one.start + base, one.end + base) for one in passages]
            self.passages += passages
            self.owners += [number] * len(passages)
            self.bases.append(base)
            base += analysis.length
        self.spans, self.headers = as_spans(spans), as_spans(headers)
        self.of_header = np.array(of_header, dtype=np.int64)
        self.owner = np.array(self.owners, dtype=np.int64)
        self.whole = np.column_stack((self.bases, [*self.bases[1:], base])).astype(np.int64)
        self._numbers = {document.name: number for number, document in enumerate(self.documents)}
        self._folded: dict[int, str] = {}

    def around(self, reach: int) -> SpanArray:
        """Give for each passage the span from some passages before it to some behind it, in its document."""
        places = np.arange(len(self.spans))
        first = np.maximum(places - reach, np.searchsorted(self.owner, self.owner, "left"))
        last = np.minimum(places + reach, np.searchsorted(self.owner, self.owner, "right") - 1)
        return np.column_stack((self.spans[first, 0], self.spans[last, 1]))

    def range_of(self, name: str) -> range:
        """Give the passages of a document, or all where there is none of that name."""
        number = self._numbers.get(name, -1)
        low, high = np.searchsorted(self.owner, [number, number + 1]).tolist()
        return range(low, high) if low < high else range(len(self.spans))

    def text(self, place: int) -> str:
        """Give the text of a passage."""
        one = self.passages[place]
        return self.documents[self.owners[place]].text[one.start : one.end]

    def folded(self, place: int) -> str:
        """Give it as letters are compared."""
        if place not in self._folded:
            self._folded[place] = fold_text(self.text(place)[:LONGEST_ALIGNED])
        return self._folded[place]

    def proposal(self, place: int, score: float) -> Proposal:
        """Give a passage as it is proposed."""
        one, document = self.passages[place], self.documents[self.owners[place]]
        text, whole = self.text(place), document.text
        before = LINE_END.split(whole[max(0, one.start - CONTEXT) : one.start])[-1]
        behind = LINE_END.split(whole[one.end : one.end + CONTEXT])[0]
        occurs = sum(map(len, occurrences(whole, text)))
        line, column = document.position(one.start)
        return Proposal(document.name, one.start, one.end, one.kind, text, line, column, before, behind, occurs, score)


def _summed(scorer: Scorer, corpus: _Corpus) -> Iterator[Scores]:
    """Give for each question the scores of all passages, what stands around them included."""
    parts: list[tuple[float, SpanArray, IntArray | None]] = [
        (1.0, corpus.spans, None),
        (AROUND, corpus.around(NEAR), None),
        (AROUND, corpus.around(WIDE), None),
        (DOCUMENT, corpus.whole, corpus.owner),
    ]
    if len(corpus.headers):
        parts.append((HEADER, corpus.headers, corpus.of_header))
    streams = [scorer.scores(spans) for _, spans, _ in parts]
    while True:
        asked = [next(stream, None) for stream in streams]
        answer = [next(stream, None) for stream in streams]
        total = np.zeros(len(corpus.spans))
        for (weight, _, taken), of_question, of_answer in zip(parts, asked, answer, strict=True):
            if of_question is None or of_answer is None:
                return
            is_passage = weight == 1.0 and taken is None
            both = of_question + (ANSWER * of_answer if is_passage else of_answer)
            total += weight * (both if taken is None else np.where(taken >= 0, both[np.maximum(taken, 0)], 0.0))
        yield total


def _best(corpus: _Corpus, answer: str, scores: Scores, home: range, most: int) -> Iterator[Proposal]:
    """Choose passages: first by their words, then by the letters of the answer too; no text twice in a document."""
    here = scores[home.start : home.stop]
    places = (np.argsort(-here, kind="stable")[:ALIGNED] + home.start).tolist()
    wanted = fold_text(answer[:LONGEST_ALIGNED])
    by_letters = {
        place: float(scores[place]) + LETTERS * shared_letters(wanted, corpus.folded(place)) for place in places
    }
    seen: set[tuple[int, str]] = set()
    for place in sorted(places, key=lambda place: (-by_letters[place], place)):
        key = corpus.owners[place], corpus.text(place)
        if key not in seen and by_letters[place] > 0:
            seen.add(key)
            yield corpus.proposal(place, by_letters[place])
            if len(seen) == most:
                return


def shared_letters(answer: str, passage: str) -> float:
    """Give the share of an answer that stands in a passage, in order and in runs of three letters or more.

    Examples
    --------
    >>> shared_letters("60,000円", "月次上限は60,000円とする"), shared_letters("", "x"), shared_letters("abcd", "abxx")
    (1.0, 0.0, 0.0)
    """
    if not answer:
        return 0.0
    if answer in passage:
        return 1.0
    blocks = SequenceMatcher(None, answer, passage, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= SHORTEST_RUN) / len(answer)


def sample(located: Sequence[Located], n: int) -> list[Located]:
    """Choose some questions, of as many kinds of passages and as many documents as can be, in their order.

    Each next one is of the kind that has been taken least, and in it of the document that has been taken least.
    """
    waiting: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, one in enumerate(located):
        waiting[one.stratum].append(place)
    kinds, homes, chosen = Counter[str](), Counter[str](), list[int]()
    order: dict[str, int] = {kind: number for number, kind in enumerate(KINDS)}
    while waiting and len(chosen) < n:
        kind, home = min(waiting, key=lambda key: (kinds[key[0]], order.get(key[0], 9), homes[key[1]], key[1]))
        # from the middle outward would do as well: what counts is that it is not always the first
        places = waiting[kind, home]
        chosen.append(places.pop(len(places) // 2))
        kinds[kind] += 1
        homes[home] += 1
        if not places:
            del waiting[kind, home]
    return [located[place] for place in sorted(chosen)]
