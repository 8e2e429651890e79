"""The pick of a retriever and a cell: the slow rule on generated answers, how sure it is, and held-out questions."""

from __future__ import annotations

from chunkscope import Document, Question, recall
from chunkscope.retrieval import Bm25Retriever

DOCUMENT = Document("a.md", "上限は12,000円。申請は3日前。承認は課長。日当は2,000円とする。")
ASKED = [
    Question.of("q1", "上限は？", doc="a.md", evidence="上限は12,000円"),
    Question.of("q2", "申請は？", doc="a.md", evidence="申請は3日前"),
]


def test_ties_of_retrievers_go_to_the_first_named():
    found = recall(
        [DOCUMENT], ASKED, retrievers=[Bm25Retriever(k1=1.2), Bm25Retriever()], chunkers="fixed", sizes="8..24:4"
    )
    assert found.advice.retriever == "bm25"
    assert found.advice.wins <= found.advice.draws == 200
