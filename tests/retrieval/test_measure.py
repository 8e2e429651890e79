"""Recall, budgets, filters, groups, overlap: against an obvious twin that sorts and merges."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope import (
    Document,
    FixedChunker,
    Question,
    check_labels,
    list_chunks,
    parse_chunker,
    read_corpus,
    read_questions,
    sweep,
)  # fmt: skip
from chunkscope.grid.scan import scan
from chunkscope.questions.labels import EvidenceSpan, Labels, LocatedQuestion
from chunkscope.retrieval import (
    Bm25Retriever,
    Budget,
    Condition,
    OverlapMeasure,
    RetrievalMeasure,
    RetrievalSettings,
)
from chunkscope.retrieval.evaluate import index_chunks
from chunkscope.retrieval.relevance import Ranks

WORDS = ["alpha", "beta", "gamma", "上限", "は", "旅費", "。", "\n", " ", "  \n\n  ", "１２円", "の"]
bodies = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map("".join)


@st.composite
def corpora(draw):
    names = draw(st.permutations(["b.md", "a.md", "c.md"]))
    documents = [Document(name, draw(bodies), {"status": draw(st.sampled_from(["old", "new"]))}) for name in names]
    questions = []
    for number in range(draw(st.integers(1, 4))):
        entries = []
        for _ in range(draw(st.integers(1, 3))):
            document = draw(st.sampled_from(documents))
            start = draw(st.integers(0, len(document.text) - 1))
            end = draw(st.integers(start + 1, min(len(document.text), start + 12)))
            entries.append(EvidenceSpan(document.name, start, end))
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))) + "?"
        question = Question.of(
            f"q{number}", text, doc="a.md", evidence=["x"] * len(entries), match=draw(st.sampled_from(["all", "any"])),
            trap_docs=draw(st.lists(st.sampled_from([*names, "none.md"]), max_size=1)), kind=draw(st.sampled_from("uv")),
        )  # fmt: skip
        questions.append(LocatedQuestion(question, tuple(dict.fromkeys(entries))))
    return documents, questions


class Twin:
    """Everything for one cell, question by question, from lists of scores."""

    def __init__(self, documents, questions, bound, chunks):
        n_asked = bound.searchers[0].vocabulary.questions.n_questions
        self.held = index_chunks(bound.task, chunks)
        self.names = [documents[number].name for number in self.held.documents.tolist()]
        self.bases = {d.name: int(b) for d, b in zip(documents, chunks.layout.edges, strict=False)}
        self.spans = [tuple(span) for span in chunks.spans.tolist()]
        self.questions = questions
        self.orders, self.scores = [None] * n_asked, [None] * n_asked
        for block in bound.searchers[0].blocks(self.held):
            shape = len(block.questions), len(chunks.spans)
            scores = block.complete(*np.indices(shape).reshape(2, -1)).reshape(shape)
            for row, question in enumerate(block.questions.tolist()):
                keys = [(-score, self.names[c], c) for c, score in enumerate(scores[row].tolist()) if score > 0]
                self.orders[question] = [chunk for _, _, chunk in sorted(keys)]
                self.scores[question] = scores[row]

    def meets(self, chunk, entry, judgement):
        start, end = entry.start + self.bases[entry.document], entry.end + self.bases[entry.document]
        end = start + 1 if judgement == "start" else end
        return self.spans[chunk][0] <= start and end <= self.spans[chunk][1]

    def first_rank(self, row, judgement, *, least=0.0, handed_on=None):
        question = self.questions[row]
        order = [chunk for chunk in self.orders[row] if self.scores[row][chunk] >= least]
        order = order if handed_on is None else order[: handed_on(row)]
        met = set()
        for rank, chunk in enumerate(order, 1):
            met |= {entry for entry in question.evidence if self.meets(chunk, entry, judgement)}
            if met if question.question.match == "any" else len(met) == len(question.evidence):
                return rank
        return None

    def recall(self, judgement, k, **options):
        ranks = [self.first_rank(row, judgement, **options) for row in range(len(self.questions))]
        return [sum(rank is not None and rank <= k for rank in ranks), len(ranks)]

    def within(self, limit):
        def handed_on(row):
            taken = 0
            for number, chunk in enumerate(self.orders[row]):
                taken += self.spans[chunk][1] - self.spans[chunk][0]
                if taken > limit:
                    return number
            return len(self.orders[row])

        return handed_on

    def characters(self, row, k):
        return {place for chunk in self.orders[row][:k] for place in range(*self.spans[chunk])}


SPELLINGS = ["fixed(size=6, overlap=2)", "fixed(size=11)", "sentence(size=12, overlap=4)", "heading"]


@given(corpora(), st.sampled_from(SPELLINGS), st.booleans())
@settings(max_examples=120)
def test_a_cell_equals_its_obvious_twin(corpus, spelling, filtered):
    documents, questions = corpus
    where = (Condition.parse("status=new"),) if filtered and any(d.fields["status"] == "new" for d in documents) else ()
    asked = RetrievalSettings(
        k=(1, 2, 4), budget=Budget(14), filters=where, outdated=(Condition.parse("status=old", "--outdated"),)
        if any(d.fields["status"] == "old" for d in documents) else (), min_scores=(0.3, 1.0), group_by="kind", overlap=True,
    )  # fmt: skip
    chunker = parse_chunker(spelling)
    labels = Labels(tuple(questions), (Question.of("u", "alpha 旅費", evidence=[]),), (), ())
    scanned = scan(documents, [chunker.unsized], [RetrievalMeasure(labels, [Bm25Retriever()], settings=asked)])
    cell = scanned.cell(scanned.chunks(chunker), chunker)
    found = cell.retrieval[0]
    from chunkscope.chunkers.chunk_set import chunk_set

    chunks = chunk_set(scanned.layout, chunker, scanned.boundaries[chunker.segmenter])
    twin = Twin(documents, questions, scanned.bound[0], chunks)
    rows = range(len(questions))
    for judgement in ("strict", "start"):
        assert found[judgement] == {str(k): twin.recall(judgement, k) for k in asked.k}
        assert found["budget"][judgement] == twin.recall(judgement, 10**9, handed_on=twin.within(14))
        for one in found["min_score"]:
            assert one[judgement] == {str(k): twin.recall(judgement, k, least=one["score"]) for k in asked.k}
    ranks = [twin.first_rank(row, "strict") for row in rows]
    assert dict(found["first_rank"].items()) == {f"q{row}": ranks[row] for row in rows}
    assert found["mrr"] == pytest.approx(sum(1 / rank for rank in ranks if rank) / len(ranks), abs=1e-6)
    for k in asked.k:
        assert sum(found["misses"][str(k)].values()) == len(ranks) - found["answered"][str(k)][0]
        held = [len(twin.characters(row, k)) for row in rows]
        assert found["context"][str(k)] == pytest.approx(sum(held) / len(held), abs=1e-6)
        recalls = []
        for row in rows:
            evidence = {p + twin.bases[e.document] for e in questions[row].evidence for p in range(e.start, e.end)}
            recalls.append(len(evidence & twin.characters(row, k)) / len(evidence))
        assert found["overlap"][str(k)]["recall"]["mean"] == pytest.approx(np.mean(recalls), abs=1e-6)
        assert found["overlap"][str(k)]["recall"]["std"] == pytest.approx(np.std(recalls), abs=1e-6)
        old = {document.name for document in documents if document.fields["status"] == "old"}
        stale = [
            any(
                twin.names[c] in old or (row < len(ranks) and twin.names[c] in questions[row].question.trap_docs)
                for c in order[:k]
            )
            for row, order in enumerate(twin.orders)
        ]
        if "outdated" in found:
            assert found["outdated"][str(k)] == [sum(stale[: len(ranks)]), len(ranks)]
            assert found["outdated_unanswerable"][str(k)] == [stale[-1], 1]
        else:
            assert not any(stale)
    if where:
        allowed = {d.name for d in documents if d.fields["status"] == "new"}
        assert all(twin.names[chunk] in allowed for order in twin.orders for chunk in order)


def small(*asked, **chosen):
    documents = [
        Document("a.md", "上限は12,000円とする。", {"status": "current"}),
        Document("b.md", "旧: 上限は9,000円。"),
    ]
    labels = check_labels(documents, asked or [Question.of("q1", "上限は？", doc="a.md", evidence="12,000円")])
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=RetrievalSettings(**chosen))
    return sweep(documents, labels, chunkers="fixed", sizes=[50], overlaps=[0], measures=[measure]).cells[0]


def test_a_gold_chunk_counts_once_and_recall_never_falls_with_k():
    documents = [Document("a.md", "g1 tail.g1 tail.zz zz zz.g1 tail.")]
    asked = [LocatedQuestion(Question.of("q1", "g1", doc="a.md", evidence="g1"), (EvidenceSpan("a.md", 0, 2),)),
             LocatedQuestion(Question.of("q2", "g1", doc="a.md", evidence="zz"), (EvidenceSpan("a.md", 16, 18),))]  # fmt: skip
    measure = RetrievalMeasure(asked, [Bm25Retriever()], settings=RetrievalSettings(k=(1, 3, 4)))
    scanned = scan(documents, [FixedChunker()], [measure])
    cell = scanned.cell(scanned.chunks(FixedChunker(8)), FixedChunker(8))
    assert cell.retrieval[0]["strict"] == {"1": [1, 2], "3": [1, 2], "4": [1, 2]}


def test_k_above_the_number_of_chunks_keeps_the_denominator():
    assert small(k=(1, 50)).retrieval[0]["strict"] == {"1": [0, 1], "50": [1, 1]}


@pytest.mark.parametrize("k", [(0,), (-1,), (1.5,), (True,), ()])
def test_numbers_of_chunks_below_one_are_refused(k):
    with pytest.raises(ValueError, match="-k"):
        RetrievalSettings(k=k)


def test_a_question_without_a_text_is_named():
    with pytest.raises(ValueError, match="question q1 has no 'question' text"):
        small(Question.of("q1", doc="a.md", evidence="12,000円"))


def test_conditions_that_leave_nothing_or_name_nothing_are_one_line():
    with pytest.raises(ValueError, match=r"--filter status=current --filter name=b\*: leaves no document of 2"):
        small(filters=(Condition.parse("status=current"), Condition.parse("name=b*")))
    with pytest.raises(ValueError, match="no document has an attribute 'statsu'; did you mean 'status'"):
        small(filters=(Condition.parse("statsu=current"),))
    with pytest.raises(ValueError, match="--group-by area: no question has an attribute"):
        small(group_by="area")


@pytest.mark.parametrize(
    ("option", "text", "reason"),
    [
        ("filters", "status=curent", "--filter status=curent: no document has that status; did you mean 'current'?"),
        ("filters", "status!=old", "--filter status!=old: no document has that status; there are current"),
        ("filters", "name!=*.txt", "--filter name!=*.txt: no document has that name; there are a.md, b.md"),
        ("outdated", "name=a.dm", "--outdated name=a.dm: no document has that name; did you mean 'a.md'?"),
        ("outdated", "status=", "--outdated status=: no document has that status; there are current"),
    ],
)
def test_a_value_that_no_document_has_would_do_nothing_and_is_refused(option, text, reason):
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        small(**{option: (Condition.parse(text, f"--{option.removesuffix('s')}"),)})


def test_of_many_values_some_are_named():
    documents = [Document(f"{number}.md", "上限。", {"year": 1900 + number}) for number in range(30)]
    labels = check_labels(documents, [Question.of("q1", "上限は？", doc="1.md", evidence="上限")])
    asked = RetrievalSettings(filters=(Condition.parse("year=x"),))
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=asked)
    with pytest.raises(ValueError, match=r"there are 1900, 1901, .*, 1911 and 18 more$"):
        sweep(documents, labels, sizes=[50], overlaps=[0], measures=[measure])


def test_unanswerable_questions_that_find_an_outdated_document_are_counted_by_themselves():
    documents = [Document("a.md", "上限は12,000円。", {"status": "old"}), Document("b.md", "申請は3日前。")]
    asked = [
        Question.of("q1", "申請は？", doc="b.md", evidence="3日前"),
        Question.of("u1", "上限は？", evidence=[]),
        Question.of("u2", "申請は？", evidence=[]),
        Question.of("u3", "申請は？", evidence=[], trap_docs=["b.md"]),
    ]
    labels = check_labels(documents, asked)
    wanted = RetrievalSettings(k=(1,), outdated=(Condition.parse("status=old", "--outdated"),))
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=wanted)
    found = sweep(documents, labels, sizes=[50], overlaps=[0], measures=[measure]).cells[0].retrieval[0]
    assert found["outdated"] == {"1": [0, 1]}
    assert found["outdated_unanswerable"] == {"1": [2, 3]}


def test_a_question_with_no_word_in_the_documents_is_a_miss_and_is_named():
    cell = small(Question.of("q1", "zebra", doc="a.md", evidence="12,000円"), k=(1,))
    assert cell.retrieval[0]["misses"] == {
        "1": {"not_indexed": 0, "not_embedded": 0, "split": 0, "header_lost": 0, "below": 1}
    }
    assert cell.retrieval[0]["_facts"]["unknown_words"] == ["q1"]


def test_evidence_in_a_document_that_is_not_indexed_is_a_miss_of_its_own_kind():
    cell = small(k=(1,), filters=(Condition.parse("name=b*"),))
    assert cell.retrieval[0]["strict"] == {"1": [0, 1]}
    assert cell.retrieval[0]["missed"] == {"q1": "not_indexed"}


def test_the_json_of_a_cell_is_plain_and_a_list_for_several_retrievers():
    documents = [Document("a.md", "上限は12,000円とする。")]
    labels = check_labels(documents, [Question.of("q1", "上限は？", doc="a.md", evidence="12,000円")])
    for retrievers in ([Bm25Retriever()], [Bm25Retriever(), Bm25Retriever(0.9, 0.4)]):
        measures = [RetrievalMeasure(labels, retrievers), OverlapMeasure(labels.valid)]
        cell = (
            sweep(documents, labels, chunkers="fixed", sizes=[50], overlaps=[0], measures=measures).cells[0].to_dict()
        )
        found = cell["retrieval"]
        assert isinstance(found, dict if len(retrievers) == 1 else list)
        first = found if isinstance(found, dict) else found[0]
        assert first["first_rank"] == {"q1": 1}
        assert not [key for key in first if key.startswith("_")]
        assert cell["precision_omega"]["mean"] == pytest.approx(7 / 14)


def test_archived_documents_leave_the_top_and_recall_does_not_fall(data):
    folder = data / "nagisa_ja"
    corpus = read_corpus(folder / "docs")
    labels = check_labels(corpus, read_questions(folder / "questions.jsonl").questions)

    def run(*where):
        asked = RetrievalSettings(k=(1, 3, 5), filters=tuple(map(Condition.parse, where)))
        measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=asked)
        return sweep(corpus, labels, chunkers="fixed", sizes=[200, 400], overlaps=[40], measures=[measure]).cells

    for plain, current in zip(run(), run("name!=*-archive*"), strict=True):
        for k in ("1", "3", "5"):
            assert current.retrieval[0]["outdated"][k][0] < plain.retrieval[0]["outdated"][k][0]
            assert current.retrieval[0]["strict"][k][0] >= plain.retrieval[0]["strict"][k][0]
            assert current.retrieval[0]["strict"][k][1] == 30


def test_results_with_recall_do_not_add_up():
    def swept(name, measured):
        corpus = [Document(f"{name}.md", "上限は12,000円。申請は3日前。")]
        labels = check_labels(corpus, [Question.of(name, "上限は？", doc=f"{name}.md", evidence="上限は12,000円")])
        measures = [RetrievalMeasure(labels, [Bm25Retriever()])] if measured else []
        return sweep(corpus, labels, chunkers="fixed", sizes=[20], overlaps=[0], measures=measures)

    for one, other in ((True, True), (True, False), (False, True)):
        with pytest.raises(ValueError, match="results with recall do not add up: rank the chunks of all documents"):
            swept("a", one) + swept("b", other)
    assert (swept("a", False) + swept("b", False)).cells[0].questions == 2


def test_first_ranks_are_a_mapping_like_any_other():
    ranks = Ranks({"q1": 0, "q2": 1}, np.array([3, 0]))
    assert ranks == {"q1": 3, "q2": None}
    assert ("q1" in ranks, "q2" in ranks, "q3" in ranks) == (True, True, False)
    assert (ranks.get("q1"), ranks.get("q2", 7), ranks.get("q3"), ranks.get("q3", 7)) == (3, None, None, 7)
    with pytest.raises(KeyError, match="q3"):
        ranks["q3"]
    assert json.dumps(dict(ranks.items())) == '{"q1": 3, "q2": null}'


def test_context_and_budget_weigh_the_text_that_is_indexed():
    """With what is prepended, and the line ends behind it."""
    corpus = [Document("a.md", "# Rules\n\n## Travel\n\nThe limit is 12 euros a day, whatever it costs in the end.\n")]
    labels = check_labels(corpus, [Question.of("q", "whatever?", doc="a.md", evidence="whatever it")])
    chunker = FixedChunker(30, prepend=("headings",))
    (indexed,) = [row.index_text for row in list_chunks(corpus, chunker) if "whatever it" in row.text]
    assert indexed.count("\n") == 2
    for limit, hit in ((len(indexed), 1), (len(indexed) - 1, 0)):
        asked = RetrievalSettings(k=(1,), budget=Budget(limit))
        measure = RetrievalMeasure(labels, [Bm25Retriever()], [chunker], asked)
        (cell,) = sweep(corpus, labels, chunkers=[chunker.unsized], sizes=[30], overlaps=[0], measures=[measure]).cells
        assert cell.retrieval[0]["budget"]["strict"] == [hit, 1]
        assert cell.retrieval[0]["context"]["1"] == len(indexed)
