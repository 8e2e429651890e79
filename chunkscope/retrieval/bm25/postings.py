"""Which chunks hold which terms, and how often, from one pass over the documents.

What a chunk holds follows from positions alone. All words of all documents lie in one array; two binary searches a
chunk give its first and last word, so its length, and, turned round, for each word the chunks that hold it whole: a
contiguous range, for neither starts nor ends of chunks ever fall. The occurrences of a term stand in order, so the
first and the last of them that a chunk holds differ by the number that it holds, less one. No text is touched again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunkscope.retrieval.bm25.terms import QuestionTerms
from chunkscope.spans.intervals import IntArray, SpanArray


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
