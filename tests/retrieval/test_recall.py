"""Recall as a call of its own, and the ranks that it keeps."""

from __future__ import annotations

import dataclasses

import pytest

from chunkscope import Document, Question, check_labels, recall
from chunkscope.errors import ConfigError, InputError, LabelError
from chunkscope.grid.sweep import sweep
from chunkscope.retrieval import (
    Bm25Retriever,
    Budget,
    Condition,
    Holdout,
    RetrievalMeasure,
    RetrievalSettings,
    Return,
    summarise,
)
from chunkscope.retrieval.recall import prepare_recall

DOCUMENTS = [
    Document("b.md", "# 旅費\n\n宿泊費の上限は1泊12,000円とする。\n日当は2,000円とする。\n", {"status": "new"}),
    Document("a.md", "# 申請\n\n申請は出発の3日前までに行う。\n\n承認は課長が行う。上限はない。\n", {"status": "old"}),
]
ASKED = [
    Question.of("q1", "宿泊費の上限は？", doc="b.md", evidence="上限は1泊12,000円", kind="A"),
    Question.of("q2", "承認は誰が？", doc="a.md", evidence=["承認は課長が行う", "申請は出発の3日前まで"], kind="B"),
    Question.of("q3", "zebra?", doc="a.md", evidence="3日前", kind="B"),
    Question.of("u1", "社長の名前は？", evidence=[]),
]


def test_it_is_a_sweep_with_a_measure_that_is_summarised():
    everything = RetrievalSettings(
        context=30,
        returns=Return("section"),
        filters=(Condition.parse("status=new"),),
        outdated=(Condition.parse("name=a*", "--outdated"),),
        budget=Budget(40),
        min_scores=(0.5,),
        group_by="kind",
    )
    labels = check_labels(DOCUMENTS, ASKED)
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=everything)
    by_hand = summarise(
        sweep(DOCUMENTS, labels, chunkers="fixed", sizes="10,20", overlaps="0,1/5", measures=[measure]),
        holdout=Holdout(0.5),
    )
    at_once = recall(
        DOCUMENTS, ASKED, chunkers="fixed", sizes="10,20", overlaps="0,1/5", context=30, returns="section",
        filters=["status=new"], outdated=["name=a*"], budget=40, min_scores=[0.5], group_by="kind", holdout=0.5,
    )  # fmt: skip
    # the tokens of the advised cell are looked for afterwards
    assert dataclasses.replace(at_once, tokens=None).to_dict() == by_hand.to_dict()
    assert not at_once.ranks


def test_retrievers_are_named_or_given_and_stand_in_their_order():
    result = recall(DOCUMENTS, ASKED, retrievers=["hash", Bm25Retriever(k1=0.9), "bm25"], sizes=[20], overlaps=[0])
    found = result.cells[0].retrieval
    assert [(one["retriever"], one["settings"].get("k1")) for one in found] == [
        ("hash", None),
        ("bm25", 0.9),
        ("bm25", 1.5),
    ]
    assert recall(DOCUMENTS, ASKED, retrievers=Bm25Retriever(), sizes=[20]).cells[0].retrieval[0]["retriever"] == "bm25"


def test_a_vector_is_made_once_whatever_retrievers_need_it(monkeypatch):
    from chunkscope.retrieval.providers.hash_ import HashProvider

    sent = []
    embed = HashProvider.embed_documents
    monkeypatch.setattr(HashProvider, "embed_documents", lambda self, texts: sent.extend(texts) or embed(self, texts))
    recall(DOCUMENTS, ASKED, retrievers=["hash", "rrf(bm25,hash)"], sizes=[20], overlaps=[0, 10])
    assert len(sent) == len(set(sent)) > 0


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"k": 5, "context": 100}, ConfigError, "-k and --context exclude each other"),
        ({"k": 0}, ConfigError, "-k 0: must be a whole number from 1"),
        ({"returns": "all"}, ConfigError, "--return all: write section"),
        ({"holdout": 1.5}, ConfigError, "--holdout 1.5: give a share"),
        ({"holdout": 0.01}, ConfigError, "leaves one side empty"),
        ({"holdout": Holdout(0.5, by="area")}, InputError, "--holdout-by area: no question has that attribute"),
        ({"filters": ["status=nwe"]}, InputError, "did you mean 'new'"),
        ({"retrievers": "bn25"}, Exception, "did you mean 'bm25'"),
    ],
)
def test_what_means_nothing_is_refused(options, error, reason):
    with pytest.raises(error, match=reason):
        recall(DOCUMENTS, ASKED, sizes=[20], **options)


def test_questions_have_to_be_there_sound_and_asked():
    with pytest.raises(InputError, match="recall needs questions with evidence; there are none"):
        recall(DOCUMENTS, [], sizes=[20])
    with pytest.raises(LabelError):
        recall(DOCUMENTS, [Question.of("q1", "?", doc="a.md", evidence="nowhere")], sizes=[20])
    silent = [
        Question.of("s1", doc="a.md", evidence="承認は課長"),
        Question.of("s2", doc="a.md", evidence="申請は出発"),
    ]
    with pytest.raises(
        InputError, match=r"question s1 has no 'question' text to search with, nor have 1 more; write one"
    ):
        recall(DOCUMENTS, silent, sizes=[20])


def test_unanswerable_questions_without_a_text_are_named():
    result = recall(DOCUMENTS, [*ASKED, Question.of("u2", evidence=[])], sizes=[20])
    assert "question u2: unanswerable, and not asked, for it has no text" in result.retrieval["warnings"]


def test_questions_are_named_up_to_a_number_of_cells(monkeypatch):
    from chunkscope.retrieval import recall as module

    monkeypatch.setattr(module, "MAX_CELLS_WITH_IDS", 1)
    assert "missed" in recall(DOCUMENTS, ASKED, chunkers="fixed", sizes=[20], overlaps=[0]).cells[0].retrieval[0]
    two = recall(DOCUMENTS, ASKED, chunkers="fixed", sizes=[20, 30], overlaps=[0])
    assert "missed" not in two.cells[0].retrieval[0]


def test_what_came_first_is_kept_for_each_question():
    result = recall(DOCUMENTS, ASKED, chunkers="fixed", sizes=[12], overlaps=[0], k=[1, 3], keep_ranks=True)
    cell = result.cells[0]
    assert list(result.ranks) == [(cell.key, "bm25")]
    ranks = result.ranks[cell.key, "bm25"]
    assert [(one.id, one.question) for one in ranks] == [(q.id, q.question) for q in ASKED[:3]]
    assert {one.id: one.rank for one in ranks} == dict(cell.retrieval[0]["first_rank_answered"])
    assert {one.id: one.cause for one in ranks if one.cause} == cell.retrieval[0]["missed"]
    assert {one.id: one.cause for one in ranks} == {"q1": "split", "q2": "split", "q3": "below"}
    texts = {document.name: document.text for document in DOCUMENTS}
    for one, question in zip(ranks, check_labels(DOCUMENTS, ASKED).valid, strict=True):
        assert len(one.above) <= 3
        assert [hit.score for hit in one.above] == sorted((hit.score for hit in one.above), reverse=True)
        for hit in one.above:
            text = texts[hit.document]
            assert hit.line == text.count("\n", 0, hit.start) + 1
            assert hit.text == " ".join(text[hit.start : hit.end].split())
            needed = [e for e in question.evidence if e.document == hit.document]
            assert hit.meets == any(hit.start <= e.start and e.end <= hit.end for e in needed)
    assert not ranks[2].above  # none of its words is in the documents
    assert len(ranks[0].above) == 3


def test_ranks_show_what_is_returned_and_long_texts_are_cut():
    document = Document("a.md", "# 題\n\n上限は12,000円。\n" + "長い文。" * 100)
    asked = [Question.of("q1", "上限は？", doc="a.md", evidence="上限は12,000円")]
    result = recall([document], asked, chunkers="fixed", sizes=[12], returns="section", k=5, keep_ranks=True)
    [one] = result.ranks[result.cells[0].key, "bm25"]
    [hit] = one.above
    assert (hit.start, hit.end, hit.line, hit.meets) == (0, len(document.text), 1, True)
    assert hit.text.startswith("# 題 上限は12,000円。 長い文。")
    assert len(hit.text) <= 120


def test_two_retrievers_of_one_name_have_ranks_of_their_own():
    retrievers = [Bm25Retriever(), Bm25Retriever(k1=0.5)]
    result = recall(
        DOCUMENTS, ASKED, retrievers=retrievers, chunkers="fixed", sizes=[12, 20], overlaps=[0], keep_ranks=True
    )
    assert [name for _, name in result.ranks] == ["bm25", "bm25-2"] * 2
    with pytest.raises(KeyError):
        result.ranks[result.cells[0].key, "hash"]


def test_what_came_first_in_the_shown_cells_is_what_it_is_where_all_is_kept():
    retrievers = [Bm25Retriever(), Bm25Retriever()]
    grid = {"chunkers": "fixed,sentence", "sizes": [12, 20], "overlaps": [0]}
    everything = prepare_recall(DOCUMENTS, ASKED, retrievers, RetrievalSettings(), keep_ranks=True, **grid).run()
    shown = prepare_recall(DOCUMENTS, ASKED, retrievers, RetrievalSettings(), keep_shown=True, **grid).run()
    assert everything.to_dict() == shown.to_dict()
    best = shown.retrieval["best_of_ways"]
    assert len(best) == len(shown.ranks) == 4
    for one in best:
        key = (one["chunker"], one["unit"], one["size"], one["overlap"]), one["retriever"]
        assert shown.ranks[key] == everything.ranks[key]
