"""Which chunks hold which terms, and how often, from one pass over the documents.

What a chunk holds follows from positions alone. All words of all documents lie in one array; two binary searches a
chunk give its first and last word, so its length, and, turned round, for each word the chunks that hold it whole: a
contiguous range, for neither starts nor ends of chunks ever fall. The occurrences of a term stand in order, so the
first and the last of them that a chunk holds differ by the number that it holds, less one. No text is touched again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.structure.joined import GROUP_CHARACTERS, JoinedTexts, groups
from chunkscope.structure.words import Words, read_words, words_of


class SpelledWords(NamedTuple):
    """Words of a text as spans, with their terms.

    Attributes
    ----------
    starts, ends : int64 (m,)
        Half-open spans in code points; words do not overlap, but a sign that stands for several words has one for each.
    terms : list of str
    """

    starts: IntArray
    ends: IntArray
    terms: list[str]


@lru_cache(maxsize=1 << 17)
def fold(word: str) -> str:
    """Normalise and case fold a word, for comparison.

    Examples
    --------
    >>> fold("ＡＰＩ"), fold("Straße"), fold("ｶﾞｲﾄﾞ")
    ('api', 'strasse', 'ガイド')
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())


def word_ends(words: Words) -> IntArray:
    """Give where each word ends, marks and joined characters included.

    Examples
    --------
    >>> word_ends(words_of("価格は12,000円。")).tolist()
    [2, 3, 9, 10]
    """
    cuts = np.flatnonzero(~words.inside)
    return cuts[np.searchsorted(cuts, words.starts, side="right")]


def spelled_words(text: str, words: Words | None = None) -> SpelledWords:
    """Find the words of a text and their terms.

    Parameters
    ----------
    text : str
    words : Words, optional
        Those of the text, where they are known.

    Examples
    --------
    >>> spelled_words("API の上限は 12,000円").terms
    ['api', 'の', '上限', 'は', '12,000', '円']
    """
    words = words_of(text) if words is None else words
    starts, ends = words.starts, word_ends(words)
    written = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    terms = list(map(fold, written))
    longer = [number for number, (word, term) in enumerate(zip(written, terms, strict=True)) if len(term) > len(word)]
    if not longer:
        return SpelledWords(starts, ends, terms)
    times = np.ones(len(terms), dtype=np.int64)
    for number in reversed(longer):  # from the last on: what stands before keeps its place
        inner = _terms_of_longer(terms[number])
        times[number] = len(inner)
        terms[number : number + 1] = inner
    return SpelledWords(np.repeat(starts, times), np.repeat(ends, times), terms)


@lru_cache(maxsize=1 << 12)
def _terms_of_longer(term: str) -> tuple[str, ...]:
    """Give the words of what a sign stands for: 株式 and 会社 of ㍿."""
    words = words_of(term)
    spans = zip(words.starts.tolist(), word_ends(words).tolist(), strict=True)
    return tuple(term[start:end] for start, end in spans)


class QuestionTerms:
    """The terms that questions ask for, numbered; all other words matter for the length of chunks only.

    Parameters
    ----------
    texts : sequence of str
        The questions.

    Attributes
    ----------
    numbers : dict
        Number of each term.
    questions, terms, times : int64 (p,)
        A row for each question, in order, and each of its distinct terms: how often it asks for it.
    edges : int64 (q + 1,)
        Where the rows of each question start.
    features : int64 (p,)
        The number of the pair of term and times: what a feature adds to a chunk's score is the same for all questions.
    feature_terms, feature_times : int64 (f,)

    Examples
    --------
    >>> asked = QuestionTerms(["の上限の額", "上限"])
    >>> asked.numbers
    {'の': 0, '上限': 1, '額': 2}
    >>> asked.questions.tolist(), asked.terms.tolist(), asked.times.tolist()
    ([0, 0, 0, 1], [0, 1, 2, 1], [2, 1, 1, 1])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.n_questions = len(texts)
        self.numbers: dict[str, int] = {}
        rows: list[tuple[int, int, int]] = []
        for question, (text, words) in enumerate(zip(texts, read_words(JoinedTexts(texts)), strict=True)):
            counts: dict[int, int] = {}
            for term in spelled_words(text, words).terms:
                number = self.numbers.setdefault(term, len(self.numbers))
                counts[number] = counts.get(number, 0) + 1
            rows.extend((question, term, times) for term, times in counts.items())
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        self.questions, self.terms, self.times = np.ascontiguousarray(table.T)
        self.edges = np.searchsorted(self.questions, np.arange(self.n_questions + 1))
        pairs, features = np.unique(table[:, 1:], axis=0, return_inverse=True)
        self.features = features.reshape(-1)
        self.feature_terms, self.feature_times = np.ascontiguousarray(pairs.T)

    @property
    def n_terms(self) -> int:
        """How many distinct terms the questions have."""
        return len(self.numbers)

    def number_words(self, terms: Sequence[str]) -> IntArray:
        """Give the number of each word's term, -1 where no question asks for it."""
        get = self.numbers.get
        return np.array([get(term, -1) for term in terms], dtype=np.int64)


@dataclass(frozen=True)
class Occurrences:
    """All words of the documents, and which of them questions ask for.

    Attributes
    ----------
    starts, ends : int64 (m,)
        The words, in order; no two overlap.
    terms : int64 (o,)
        The term of each occurrence; never falls.
    words : int64 (o,)
        Which word each is; increasing inside a term.
    n_terms : int

    Examples
    --------
    >>> found = Occurrences.of(np.array([0, 2, 5]), np.array([2, 4, 7]), np.array([1, -1, 1]), n_terms=2)
    >>> found.terms.tolist(), found.words.tolist()
    ([1, 1], [0, 2])
    """

    starts: IntArray
    ends: IntArray
    terms: IntArray
    words: IntArray
    n_terms: int

    @classmethod
    def of(cls, starts: IntArray, ends: IntArray, terms: IntArray, n_terms: int) -> Occurrences:
        """Sort words by term; a term of -1 is one that nobody asks for."""
        order = np.argsort(terms, kind="stable")
        order = order[np.searchsorted(terms[order], 0) :]
        return cls(starts, ends, terms[order], order, n_terms)

    def bounds(self, spans: SpanArray) -> tuple[IntArray, IntArray]:
        """Give for each span, in any order, its first whole word, and the one behind its last whole word."""
        first = np.searchsorted(self.starts, spans[:, 0], side="left")
        return first, np.maximum(np.searchsorted(self.ends, spans[:, 1], side="right"), first)


@dataclass(frozen=True)
class Postings:
    """Which chunks hold which terms, and how often.

    Attributes
    ----------
    terms, chunks : int64 (p,)
        Sorted by term, then chunk; each pair once.
    times : int64 (p,)
    lengths : int64 (n,)
        Whole words in each chunk.
    """

    terms: IntArray
    chunks: IntArray
    times: IntArray
    lengths: IntArray


def count_terms(occurrences: Occurrences, chunks: SpanArray) -> Postings:
    """Count the terms of chunks by differences of positions.

    Parameters
    ----------
    occurrences : Occurrences
    chunks : int64 (n, 2)
        Neither starts nor ends may fall.

    Examples
    --------
    >>> words = Occurrences.of(np.array([0, 2, 4, 6]), np.array([2, 4, 6, 8]), np.array([0, 1, 0, 0]), n_terms=2)
    >>> held = count_terms(words, np.array([[0, 6], [3, 8]]))
    >>> held.terms.tolist(), held.chunks.tolist(), held.times.tolist(), held.lengths.tolist()
    ([0, 0, 1], [0, 1, 0], [2, 2, 1], [3, 2])
    """
    n_words, n_chunks = len(occurrences.starts), len(chunks)
    largest = max((occurrences.n_terms + 1) * n_chunks, len(occurrences.terms))
    # half as wide numbers where they suffice: 5 % of the time of a cell
    whole = np.dtype(np.int32 if largest < np.iinfo(np.int32).max else np.int64)
    first_word = np.searchsorted(occurrences.starts, chunks[:, 0], side="left")
    behind_word = np.searchsorted(occurrences.ends, chunks[:, 1], side="right")
    # turned round: the chunks that start no later than a word, and those that end before it does; chunks of different
    # terms are kept apart by numbering them on from term to term
    base = occurrences.terms.astype(whole) * n_chunks
    behind = np.cumsum(np.bincount(first_word, minlength=n_words + 1), dtype=whole).take(occurrences.words) + base
    first = np.cumsum(np.bincount(behind_word, minlength=n_words + 1), dtype=whole).take(occurrences.words) + base
    # a chunk is new at the first occurrence that it holds, and done with at the last
    since, until = first.copy(), behind.copy()
    np.maximum(first[1:], behind[:-1], out=since[1:])
    np.minimum(behind[:-1], first[1:], out=until[:-1])
    n_new = np.maximum(behind - since, 0)
    n_done = np.maximum(until - first, 0)
    behind_new = np.cumsum(n_new, dtype=whole)
    numbers = np.arange(len(since))
    firsts, lasts = np.repeat(numbers, n_new), np.repeat(numbers, n_done)
    times = lasts - firsts + 1
    keys = (since - behind_new + n_new).take(firsts)
    keys += np.arange(len(keys), dtype=whole)
    frequencies = np.diff(np.searchsorted(keys, (np.arange(occurrences.n_terms + 1) * n_chunks).astype(whole)))
    terms = np.repeat(np.arange(occurrences.n_terms), frequencies)
    return Postings(terms, keys - terms * n_chunks, times, lengths=np.maximum(behind_word - first_word, 0))


def count_terms_of_texts(questions: QuestionTerms, texts: Sequence[str]) -> Postings:
    """Count the terms of chunks that have texts of their own, word by word.

    Examples
    --------
    >>> held = count_terms_of_texts(QuestionTerms(["上限 額"]), ["額の上限と上限", "なし"])
    >>> held.terms.tolist(), held.chunks.tolist(), held.times.tolist(), held.lengths.tolist()
    ([0, 1], [0, 0], [2, 1], [5, 1])
    """
    lengths: list[int] = []
    found: list[IntArray] = []
    for group in groups(map(len, texts), GROUP_CHARACTERS):
        some = texts[group.start : group.stop]
        for text, words in zip(some, read_words(JoinedTexts(some)), strict=True):
            terms = questions.number_words(spelled_words(text, words).terms)
            found.append(terms[terms >= 0] * len(texts) + len(lengths))
            lengths.append(len(terms))
    keys, times = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]), return_counts=True)
    n_chunks = max(len(texts), 1)
    return Postings(keys // n_chunks, keys % n_chunks, times, np.array(lengths, dtype=np.int64))


@dataclass(frozen=True)
class Vocabulary:
    """What the questions ask for, and where the documents have it.

    Attributes
    ----------
    questions : QuestionTerms
    occurrences : Occurrences
        In documents that may be found.
    terms : int64 (m,)
        The term of each word, -1 where nobody asks for it.
    """

    questions: QuestionTerms
    occurrences: Occurrences
    terms: IntArray
