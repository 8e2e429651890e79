"""Which spans of documents are nearest to texts, by BM25: for those who look for quotes, not for chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from chunkscope.corpus.document import Document
from chunkscope.retrieval.bm25.postings import Occurrences, QuestionTerms, count_terms, spelled_words
from chunkscope.retrieval.bm25.search import Bm25
from chunkscope.retrieval.ranking import FloatArray
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.structure.analysis import DocumentAnalysis


class PassageIndex:
    """The words of documents that some texts ask for.

    Parameters
    ----------
    documents : sequence of Document
    texts : sequence of str
        All that will be asked.

    Examples
    --------
    >>> rules = Document("rules.md", "上限は1万円。申請は3日前。")
    >>> index = PassageIndex([rules], ["申請はいつ"])
    >>> [scores.argmax() for scores in index.scores(np.array([[0, 7], [7, 13]]))]
    [np.int64(1)]
    """

    def __init__(self, documents: Sequence[Document], texts: Sequence[str]) -> None:
        self._asked = QuestionTerms(texts)
        starts: list[IntArray] = []
        ends: list[IntArray] = []
        terms: list[IntArray] = []
        base = 0
        for analysis in DocumentAnalysis.of_all(documents):
            words = spelled_words(analysis.document.text, analysis.words)
            starts.append(words.starts + base)
            ends.append(words.ends + base)
            terms.append(self._asked.number_words(words.terms))
            base += analysis.length
        none = np.empty(0, dtype=np.int64)
        laid = [np.concatenate([none, *found]) for found in (starts, ends, terms)]
        self._occurrences = Occurrences.of(laid[0], laid[1], laid[2], self._asked.n_terms)

    def scores(self, spans: SpanArray) -> Iterator[FloatArray]:
        """Give for each text the scores of all spans.

        Parameters
        ----------
        spans : int64 (n, 2)
            In the documents laid one behind the other; neither starts nor ends may fall.

        Yields
        ------
        float64 (n,)
        """
        held = count_terms(self._occurrences, spans)
        bm25 = Bm25(self._asked, held, np.ones(len(spans), dtype=np.bool_))
        edges, terms, times = bm25.edges.tolist(), self._asked.terms.tolist(), self._asked.times.tolist()
        for low, high in pairwise(self._asked.edges.tolist()):
            found = np.zeros(len(spans))
            for row in range(low, high):
                part = slice(edges[terms[row]], edges[terms[row] + 1])
                found[held.chunks[part]] += times[row] * bm25.scores[part]
            yield found
