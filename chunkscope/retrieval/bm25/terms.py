"""Terms: the words of documents and questions as BM25 compares them.

Words are those of `chunkscope.structure.words`: morphemes for Japanese, Unicode words elsewhere. They are normalised
(NFKC) and case folded for matching only; where a word stands is never changed by that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from chunkscope.spans.intervals import IntArray
from chunkscope.structure.joined import JoinedTexts
from chunkscope.structure.words import Words, read_words, words_of


class SpelledWords(NamedTuple):
    """Words of a text as spans, with their terms.

    Attributes
    ----------
    starts, ends : int64 (m,)
        Half-open spans in code points; words do not overlap.
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
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return SpelledWords(starts, ends, [fold(text[start:end]) for start, end in spans])


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
