"""What is answered, why what is not is not, and what is returned: against loops over the oracle's own chunks."""

from __future__ import annotations

import dataclasses
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import recall as twin
from worlds import BLOCKS, chunkers, plain, plain_questions, settings_of

from chunkscope import Document, FixedChunker, Question, check_labels, sweep
from chunkscope.errors import ConfigError
from chunkscope.grid.scan import scan
from chunkscope.questions.labels import EvidenceSpan, Labels, LocatedQuestion
from chunkscope.retrieval import Bm25Retriever, Budget, Condition, RetrievalMeasure, RetrievalSettings, Return
from chunkscope.retrieval.causes import CAUSES
from chunkscope.retrieval.fusion import FusedRetriever
from chunkscope.retrieval.ranking import RoughBlock
from chunkscope.spans.intervals import as_spans
from chunkscope.spans.layout import Layout

JUDGEMENTS = ("strict", "start", "answered")


class ExactLater(RoughBlock):
    """Scores that are known roughly until they are asked for."""

    def __init__(self, questions, exact, noise):
        margin = float(np.abs(noise).max(initial=0.0))
        super().__init__(questions, exact + noise, margin, -np.inf)
        object.__setattr__(self, "exact", exact)

    def complete(self, rows, columns):
        return self.exact[rows, columns]


class Drawn:
    """A retriever with scores out of a hat, many of them equal, and a limit above which it leaves chunks out."""

    name = "drawn"

    def __init__(self, seed, limit=10**9, noise=0.0, batch=3):
        self.settings = {}
        self.seed, self.limit, self.noise, self.batch = seed, limit, noise, batch

    def searcher(self, collection):
        self.n_questions = len(collection.questions)
        return self

    def score(self, question, chunk):
        drawn = zlib.crc32(f"{self.seed} {question} {chunk}".encode()) % 5
        return drawn if drawn else -np.inf

    def is_left_out(self, index):
        return (index.spans[:, 1] - index.spans[:, 0]) > self.limit

    def blocks(self, index):
        n_chunks = len(index.spans)
        self.left_out = self.is_left_out(index) & index.indexed
        unranked = ~index.indexed | self.left_out
        for first in range(0, self.n_questions, self.batch):
            questions = np.arange(first, min(first + self.batch, self.n_questions))
            exact = np.array([[self.score(q, c) for c in range(n_chunks)] for q in questions], dtype=float)
            exact = exact.reshape(len(questions), n_chunks)
            exact[:, unranked] = -np.inf
            noise = self.noise * np.cos(np.arange(exact.size)).reshape(exact.shape)
            yield ExactLater(questions, exact, noise)


TABLES = [block for block in BLOCKS if "|" in block or "<td>" in block]
bodies = st.lists(st.one_of(st.sampled_from(TABLES), st.sampled_from(BLOCKS)), min_size=1, max_size=5).map("".join)


@st.composite
def worlds(draw):
    """Documents in any order of their names, some no longer in force, and questions, many of them about table rows."""
    names = draw(st.lists(st.sampled_from([f"{letter}.md" for letter in "abc"]), min_size=1, max_size=3, unique=True))
    corpus = [Document(name, draw(bodies), {"status": draw(st.sampled_from(["old", "new"]))}) for name in names]
    return corpus, draw(st.lists(questions(corpus), min_size=1, max_size=4).map(numbered))


@st.composite
def questions(draw, corpus):
    entries = {}
    for _ in range(draw(st.integers(1, 3))):
        document = draw(st.sampled_from(corpus))
        rows = [row for table in plain(document).tables for row in table.rows]
        if rows and draw(st.booleans()):
            start, end = draw(st.sampled_from(rows))
            start = draw(st.integers(start, end - 1))
        else:
            start = draw(st.integers(0, len(document.text) - 1))
            end = min(start + draw(st.integers(1, 30)), len(document.text))
        entries[EvidenceSpan(document.name, start, end)] = None
    return tuple(entries), draw(st.sampled_from(["all", "any"]))


def numbered(asked):
    return [
        LocatedQuestion(Question(f"q{number}", "何円？", match=match), entries)
        for number, (entries, match) in enumerate(asked)
    ]


@st.composite
def wide_chunkers(draw):
    """Chunkers of sizes at which rows have a chance to be with their header."""
    chunker = draw(chunkers())
    return chunker if chunker.size is None else chunker.at(chunker.size * draw(st.integers(1, 3)), chunker.overlap)


returns = st.one_of(
    st.none(),
    st.just(Return("section")),
    st.builds(Return, st.just("parent"), st.integers(1, 60)),
    st.builds(Return, st.just("neighbours"), st.integers(0, 2)),
)


@given(
    worlds(), wide_chunkers(), returns, st.booleans(), st.integers(0, 9), st.sampled_from([8, 40, 10**9]),
    st.sampled_from([0.0, 0.4]), st.integers(1, 60),
)  # fmt: skip
@settings(max_examples=300)
def test_ranks_causes_and_contexts_equal_the_loops(world, chunker, what, filtered, seed, limit, noise, budget):
    corpus, questions = world
    where = ()
    if filtered and any(document.fields["status"] == "new" for document in corpus):
        where = (Condition.parse("status=new"),)
    asked = RetrievalSettings(k=(1, 2, 4), returns=what, filters=where, budget=Budget(budget))
    retriever = Drawn(seed, limit, noise)
    measure = RetrievalMeasure(Labels(tuple(questions), (), (), ()), [retriever], [chunker], asked)
    scanned = scan(corpus, [chunker.unsized], [measure], sorted({chunker.unit} - {"char"}))
    found = scanned.cell(scanned.chunks(chunker), chunker).retrieval[0]

    texts, cut = list(map(plain, corpus)), settings_of(chunker)
    allowed = {d.name for d in corpus if not where or d.fields["status"] == "new"}
    chunks = twin.all_chunks(texts, cut)
    given_back = twin.returned(texts, cut, *((what.kind, what.number) if what else (None,)))
    indexed = twin.in_index(texts, chunks, allowed)
    embedded = [is_in and end - start <= limit for is_in, (_, start, end) in zip(indexed, chunks, strict=True)]
    orders = []
    for row in range(len(questions)):
        scores = {c: retriever.score(row, c) for c in range(len(chunks)) if embedded[c]}
        order = sorted((c for c in scores if scores[c] > 0), key=lambda c: (-scores[c], chunks[c][0], c))
        orders.append(twin.rank_returns(order, given_back) if what else order)
    causes = [
        twin.cause(texts, cut, given_back, question, allowed, indexed, embedded)
        for question in plain_questions(questions)
    ]
    ranks = {
        judgement: [
            twin.first_rank(texts, cut, given_back, order, question, judgement)
            for order, question in zip(orders, plain_questions(questions), strict=True)
        ]
        for judgement in JUDGEMENTS
    }
    ids = [question.question.id for question in questions]
    for judgement, name in zip(JUDGEMENTS, ("first_rank", "first_rank_start", "first_rank_answered"), strict=True):
        assert dict(found[name]) == dict(zip(ids, ranks[judgement], strict=True)), judgement
        for k in asked.k:
            assert found[judgement][str(k)] == [sum(r is not None and r <= k for r in ranks[judgement]), len(ids)]
        taken = [
            None if rank is None else sum(twin.index_length(texts, cut, given_back[c]) for c in order[:rank])
            for rank, order in zip(ranks[judgement], orders, strict=True)
        ]
        assert found["budget"][judgement] == [sum(t is not None and t <= budget for t in taken), len(ids)]
    for k in asked.k:
        missed = {i: c for i, c, r in zip(ids, causes, ranks["answered"], strict=True) if r is None or r > k}
        assert found["misses"][str(k)] == {cause: list(missed.values()).count(cause) for cause in CAUSES}
        bodies = [twin.merged_characters(given_back, order[:k]) for order in orders]
        prepended = [
            sum(twin.index_length(texts, cut, given_back[c]) - (given_back[c][2] - given_back[c][1]) for c in order[:k])
            for order in orders
        ]
        assert found["context"][str(k)] == pytest.approx((sum(bodies) + sum(prepended)) / len(ids), abs=1e-6)
    assert found["missed"] == missed


@given(worlds(), wide_chunkers(), returns, st.booleans(), st.integers(1, 200))
@settings(max_examples=200)
def test_at_equal_context_as_many_chunks_are_judged_as_come_nearest(world, chunker, what, filtered, context):
    corpus, questions = world
    where = (Condition.parse(f"name={corpus[0].name}"),) if filtered else ()
    asked = RetrievalSettings(context=context, returns=what, filters=where)
    measure = RetrievalMeasure(Labels(tuple(questions), (), (), ()), [Drawn(1)], [chunker], asked)
    scanned = scan(corpus, [chunker.unsized], [measure], sorted({chunker.unit} - {"char"}))
    found = scanned.cell(scanned.chunks(chunker), chunker).retrieval[0]
    texts, cut = list(map(plain, corpus)), settings_of(chunker)
    allowed = {corpus[0].name} if filtered else {document.name for document in corpus}
    given_back = twin.returned(texts, cut, *((what.kind, what.number) if what else (None,)))
    places = [*given_back] if what else [(*span, c) for c, span in enumerate(given_back)]
    indexed = twin.in_index(texts, twin.all_chunks(texts, cut), allowed)
    k = twin.equal_k(texts, cut, places, indexed, context, allowed)
    assert found["k"] == [k]
    assert set(found["answered"]) == {str(k)}
    characters = sum(len(text.text) for text in texts if text.name in allowed)
    assert found["settings"]["context"] == min(context, characters // 4)
    once = {place for place, is_in in zip(places, indexed, strict=True) if is_in}
    bodies = sum(place[2] - place[1] for place in once)
    assert found["half"] == (2 * k * bodies >= characters * len(once))


def test_a_number_of_chunks_and_a_context_exclude_each_other():
    with pytest.raises(ConfigError, match="-k and --context exclude each other"):
        RetrievalSettings(k=(5,), context=6000)
    with pytest.raises(ConfigError, match="--context 0: must be a whole number from 1"):
        RetrievalSettings(context=0)


def ranked(corpus, asked, *, chunkers="fixed", sizes=(30,), retriever=None, **chosen):
    labels = check_labels(corpus, asked)
    chosen.setdefault("k", (1, 5))
    measure = RetrievalMeasure(labels, [retriever or Bm25Retriever()], (), RetrievalSettings(**chosen))
    return sweep(corpus, labels, chunkers=chunkers, sizes=sizes, overlaps=[0], measures=[measure]).cells


TABLE = Document(
    "a.md", "# 料金\n\n| 品目 | 上限額 |\n|---|---|\n| 宿泊 | 12,000円 |\n| 日当 | 2,000円 |\n\n本文です。\n"
)
ROW = Question.of("q1", "日当の上限額は？", doc="a.md", evidence="日当 | 2,000円")


def test_a_row_without_its_header_is_met_but_not_answered():
    [small, large] = (cell.retrieval[0] for cell in ranked([TABLE], [ROW], sizes=(22, 70)))
    assert small["strict"]["5"] == [1, 1]
    assert small["answered"]["5"] == [0, 1]
    assert small["misses"]["5"] == {"not_indexed": 0, "not_embedded": 0, "split": 0, "header_lost": 1, "below": 0}
    assert small["missed"] == {"q1": "header_lost"}
    assert large["answered"]["5"] == [1, 1]
    assert large["missed"] == {}


def test_a_prepended_header_answers():
    [cell] = ranked([TABLE], [ROW], chunkers="fixed(prepend=table-header)", sizes=(22,))
    assert cell.retrieval[0]["answered"]["5"] == [1, 1]


def test_header_lost_means_the_same_as_in_the_counts_of_the_sweep():
    for cell in ranked([TABLE], [ROW], sizes=range(10, 80)):
        missed = cell.retrieval[0]["missed"].get("q1")
        assert (missed == "header_lost") == (not cell.split_questions and cell.header_lost_questions > 0)
        assert (missed == "split") == bool(cell.split_questions)


def test_chunks_above_the_limit_are_no_fault_of_the_ranking():
    document = Document("a.md", "短い文。" + "長い文" * 10 + "。")
    labels = check_labels([document], [Question.of("q1", "長い？", doc="a.md", evidence="長い文" * 10)])
    for retriever, cause in ((Drawn(1, limit=20), "not_embedded"), (Drawn(1), None)):
        measure = RetrievalMeasure(labels, [retriever], (), RetrievalSettings(k=(50,)))
        [cell] = sweep([document], labels, chunkers="fixed", sizes=[44], overlaps=[0], measures=[measure]).cells
        assert cell.retrieval[0]["missed"].get("q1") == cause
        assert cell.retrieval[0]["indexed_chunks"] == (0 if cause else 1)


def test_what_one_of_two_fused_retrievers_can_rank_is_not_left_out():
    document = Document("a.md", "上限は12,000円。申請は3日前。")
    asked = [Question.of("q1", "申請は？", doc="a.md", evidence="申請は3日前")]
    for parts, cause in (
        ([Drawn(1, limit=2), Bm25Retriever()], None),
        ([Drawn(1, limit=2), Drawn(2, limit=2)], "not_embedded"),
    ):
        [cell] = ranked([document], asked, retriever=FusedRetriever(parts))
        assert cell.retrieval[0]["missed"].get("q1") == cause


def test_equal_returns_take_one_rank():
    document = Document("a.md", "# 旅費\n\n上限は上限は上限は上限は上限は。\n\n# 申請\n\n上限。\n\n申請は3日前。\n")
    asked = [Question.of("q1", "上限？", doc="a.md", evidence="申請は3日前")]
    [plain_cell] = ranked([document], asked, sizes=(10,))
    [cell] = ranked([document], asked, sizes=(10,), returns=Return("section"))
    assert plain_cell.retrieval[0]["first_rank"]["q1"] is None  # its chunk has no word of the question
    assert cell.retrieval[0]["first_rank"]["q1"] == 2
    assert cell.retrieval[0]["settings"]["return"] == "section"


@pytest.mark.parametrize("text", ["", "sections", "section:1", "parent:", "parent:0", "parent:x", "parent:-1", "neighbours", "neighbours:"])  # fmt: skip
def test_what_cannot_be_returned_is_one_line(text):
    with pytest.raises(ConfigError, match=r"^--return .*: write section, parent:2000 or .*, or neighbours:1$"):
        Return.parse(text)


@pytest.mark.parametrize("text", ["section", "parent", "parent:1", "parent:2000", "neighbours:0"])
def test_what_is_returned_reads_back(text):
    assert str(Return.parse(text)) == text


def test_without_a_row_of_a_table_answered_is_strict_and_is_not_judged_again(monkeypatch):
    document = Document("a.md", "上限は12,000円。申請は3日前。")
    asked = [Question.of("q1", "申請は？", doc="a.md", evidence="申請は3日前")]
    seen = []
    from chunkscope.retrieval import evaluate

    relevance = evaluate.Relevance

    def watched(qrels, chunks, judgements):
        seen.append(len(judgements))
        return relevance(qrels, chunks, judgements)

    monkeypatch.setattr(evaluate, "Relevance", watched)
    [cell] = ranked([document, dataclasses.replace(TABLE, name="b.md")], asked)
    assert seen == [2]
    assert cell.retrieval[0]["answered"] == cell.retrieval[0]["strict"]


def test_questions_that_are_missed_are_counted_where_they_are_not_to_be_named():
    labels = check_labels([TABLE], [ROW])
    measure = RetrievalMeasure(labels, [FixedRank()], (FixedChunker(),), RetrievalSettings(k=(1,)), with_ids=False)
    [cell] = sweep([TABLE], labels, chunkers="fixed", sizes=[20], overlaps=[0], measures=[measure]).cells
    assert "missed" not in cell.retrieval[0]
    assert sum(cell.retrieval[0]["misses"]["1"].values()) == 1


class FixedRank(Drawn):
    def __init__(self):
        super().__init__(7)


def test_a_row_is_answered_at_the_rank_of_the_chunk_that_has_its_header():
    """The row alone comes first, and the chunk that holds it with its header second."""
    document = Document("a.md", "| 品目 | 額 |\n|---|---|\n| 日当 | 2,000円 |\n\n日当 日当 日当\n")
    asked = [Question.of("q1", "日当", doc="a.md", evidence="2,000円")]
    labels = check_labels([document], asked)
    measure = RetrievalMeasure(labels, [Bm25Retriever()], (), RetrievalSettings(k=(1, 2)))
    [cell] = sweep([document], labels, chunkers="fixed", sizes=[36], overlaps=[20], measures=[measure]).cells
    found = cell.retrieval[0]
    assert (found["first_rank"]["q1"], found["first_rank_answered"]["q1"]) == (1, 2)
    assert found["misses"]["1"]["below"] == 1


def test_a_chunk_that_starts_with_what_no_parent_holds_returns_the_next_or_the_last_or_itself():
    """Raw windows of tokens leave out the characters that they tear."""
    layout = Layout.of(["a", "b", "c"], [10, 10, 10])

    class Chunks:
        def __init__(self, *spans):
            self.layout, self.spans = layout, as_spans(spans)
            self.bodies = self.spans

        def at(self, size):
            return Chunks((0, 4), (5, 8), (10, 14), (16, 18))

    chunks = Chunks((0, 3), (4, 5), (8, 9), (14, 15), (18, 20), (20, 25), (25, 30))
    assert Return("parent", 4).spans(chunks, np.empty(0, dtype=np.int64), as_spans([])).tolist() == [
        [0, 4], [5, 8], [5, 8], [16, 18], [16, 18], [20, 25], [25, 30]
    ]  # fmt: skip
