"""Recall at the gate: what is answered and newly lost is what loops find, and nothing passes that was not measured."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import bm25

from chunkscope import Document, FixedChunker, Question, check, check_labels, recall, sweep
from chunkscope.errors import ConfigError, InputError
from chunkscope.gate import evaluate
from chunkscope.gate.baseline import Baseline
from chunkscope.gate.thresholds import Threshold, Thresholds
from chunkscope.grid.scan import scan
from chunkscope.retrieval import Bm25Retriever, Ranker
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.retriever import DenseRetriever
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers import find_provider

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
OPEN = dict.fromkeys(("max_split", "max_missing", "max_header_lost", "max_broken"), "none")


def recall_only(**values):
    return Thresholds.of(**{**OPEN, **values})


@st.composite
def worlds(draw):
    """Documents of few words, each sentence with a mark of its own, and questions about some of them."""
    documents, sentences = [], []
    for name in draw(st.permutations(["b.md", "a.md"])):
        text = ""
        for number in range(draw(st.integers(2, 8))):
            words = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=6))
            sentence = f"{' '.join(words)} {name[0]}{number}."
            sentences.append((name, sentence))
            text += f"{sentence} "
        documents.append(Document(name, text))
    questions = []
    for number in range(draw(st.integers(1, 5))):
        name, quote = draw(st.sampled_from(sentences))
        asked = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
        questions.append(Question.of(f"q{number}", f"{asked}?", doc=name, evidence=quote))
    size = draw(st.integers(10, 60))
    return documents, questions, FixedChunker(size, draw(st.integers(0, size // 2)))


def answered(documents, questions, chunker, context):
    """Find which questions the first chunks answer, chunk by chunk, and how many chunks are read."""
    chunks, terms = [], []
    for document in documents:
        start = 0
        while True:
            end = min(start + chunker.size, len(document.text))
            if document.text[start:end].strip():  # what is blank is not in the index
                chunks.append((document.name, start, end))
            if end == len(document.text):
                break
            start += chunker.size - chunker.overlap
    for name, start, end in chunks:
        text = next(document.text for document in documents if document.name == name)
        words = [(found.start(), found.end(), found[0]) for found in re.finditer(r"\w+", text)]
        terms.append(bm25.terms_of_chunk(words, [(start, end)]))
    total = sum(end - start for _, start, end in chunks)
    room = min(context, sum(len(document.text) for document in documents) // 4)
    k = max(1, (2 * room * len(chunks) + total) // (2 * total))
    found = set()
    for question in questions:
        asked = re.findall(r"\w+", question.question)
        scores = [round(score, 9) for score in bm25.scores(terms, [False] * len(chunks), asked)]
        order = sorted((n for n in range(len(chunks)) if scores[n] > 0), key=lambda n: (-scores[n], chunks[n]))
        [quote] = question.quotes
        start = next(d.text for d in documents if d.name == quote.document).index(quote.text)
        for name, low, high in (chunks[n] for n in order[:k]):
            if name == quote.document and low <= start and start + len(quote.text) <= high:
                found.add(question.id)
    return found, k


@given(worlds(), st.integers(1, 400), st.sampled_from(["0", "50%", "100%", "1", "3"]))
@settings(max_examples=150)
def test_it_counts_what_the_loops_answer(world, context, limit):
    documents, questions, chunker = world
    result = check(
        documents, questions, chunker, thresholds=recall_only(min_recall=limit), ranking=Ranker("bm25", context)
    )
    expected, k = answered(documents, questions, chunker, context)
    [one] = result.measured
    assert (one.n, one.n_new, one.total) == (len(expected), len(expected), len(questions))
    least = int(limit) if limit.isdigit() else len(questions) * int(limit[:-1]) / 100
    assert result.passed == one.is_met == (len(expected) >= least)
    found = [finding for finding in result.findings if finding.code == "not-answered"]
    assert sorted(finding.question for finding in found) == sorted({q.id for q in questions} - expected)
    assert {finding.level for finding in found} <= {"note" if result.passed else "error"}
    assert result.cell.retrieval[0]["k"] == [k]
    texts = {document.name: document.text for document in documents}
    for finding in found:
        [quote] = next(question for question in questions if question.id == finding.question).quotes
        assert (finding.document, finding.quote) == (quote.document, quote.text)
        lines = texts[finding.document].split("\n")
        assert lines[finding.line - 1][finding.column - 1 :].startswith(quote.text)


@given(worlds(), st.data(), st.booleans(), st.integers(0, 3))
def test_newly_lost_are_those_that_two_results_tell_apart(world, data, is_ranked, limit):
    documents, questions, chunker = world
    before = FixedChunker(data.draw(st.integers(10, 60)))
    asked = data.draw(st.lists(st.sampled_from(questions), min_size=1, unique_by=lambda question: question.id))
    options = {"chunkers": [before], "sizes": [before.size], "overlaps": [0]}
    old = recall(documents, asked, **options) if is_ranked else sweep(documents, asked, **options)

    def lost(chunker):
        if is_ranked:
            return {q.id for q in asked} - answered(documents, asked, chunker, 6000)[0]
        cell = check(documents, asked, chunker, thresholds=Thresholds.of(max_split="none")).cell
        return {*cell.split_question_ids, *cell.header_lost_question_ids}

    result = check(
        documents,
        questions,
        chunker,
        thresholds=recall_only(max_more_lost=limit),
        ranking=Ranker() if is_ranked else None,
        earlier=data.draw(st.sampled_from([old, old.to_dict()])),
    )
    expected = lost(chunker) - lost(before)
    found = {finding.question for finding in result.findings if finding.code == "newly-lost"}
    assert found == set(result.earlier.outcome.lost) == expected
    assert set(result.earlier.outcome.gained) == lost(before) - lost(chunker)
    [one] = result.measured
    assert (one.n, one.total, one.is_met) == (len(expected), len(asked), len(expected) <= limit)
    assert result.passed == one.is_met


RULES = [
    Document("a.md", "Taxis are paid for after the last train. " * 1 + "Meals are paid for on trips abroad. " * 1),
    Document("b.md", "Hotels are booked by the office. Nobody else books them. " + "Trains are second class. "),
]
ASKED = [
    Question.of("q1", "Are taxis paid?", doc="a.md", evidence="Taxis are paid for after the last train."),
    Question.of("q2", "Who books hotels?", doc="b.md", evidence="Hotels are booked by the office."),
    Question.of("q3", "zebra?", doc="b.md", evidence="Trains are second class."),
]


class TestRecall:
    @pytest.mark.parametrize(
        ("chunker", "causes"),
        [("fixed(size=90)", {"q3": "below"}), ("fixed(size=31)", {"q1": "split", "q2": "split", "q3": "split"})],
    )
    def test_each_miss_has_its_cause(self, chunker, causes):
        result = check(RULES, ASKED, chunker, thresholds=recall_only(min_recall="100%"), ranking=Ranker(context=200))
        assert {one.question: one.cause for one in result.findings if one.code == "not-answered"} == causes
        assert "min_recall" in result.missed

    def test_a_baseline_forgives_the_misses_that_it_knows(self):
        options = {"thresholds": recall_only(min_recall="100%"), "ranking": Ranker()}
        first = check(RULES, ASKED, "fixed(size=60)", **options)
        assert not first.passed
        again = check(RULES, ASKED, "fixed(size=60)", baseline=Baseline.of(first.findings), **options)
        [one] = again.measured
        assert again.passed
        assert (one.n, one.n_new, one.total) == (first.measured[0].n, 3, 3)
        worse = check(RULES, ASKED, "fixed(size=30)", baseline=Baseline.of(first.findings), **options)
        assert not worse.passed

    def test_more_than_there_are_is_missed_without_a_finding(self):
        asked = ASKED[:1]
        result = check(RULES, asked, "fixed(size=60)", thresholds=recall_only(min_recall=5), ranking=Ranker())
        assert (result.passed, result.findings, result.summary) == (False, (), "failed: min-recall")

    def test_nothing_is_no_pass(self):
        unanswerable = [Question.of("n", "?", evidence=[])]
        silent = [Question.of("q1", doc="a.md", evidence="Taxis")]
        with pytest.raises(InputError, match="nothing measured"):
            check(RULES, unanswerable, "fixed(size=60)", thresholds=recall_only(min_recall=0), ranking=Ranker())
        with pytest.raises(InputError, match="nothing measured for min-recall"):
            check(RULES, None, "fixed(size=60)", thresholds=recall_only(min_recall=0), ranking=Ranker())
        assert not Threshold.parse("0%").is_reached(0, 0)
        with pytest.raises(InputError, match="no 'question' text"):
            check(RULES, silent, "fixed(size=60)", thresholds=recall_only(min_recall=0), ranking=Ranker())

    @pytest.mark.parametrize(
        ("values", "options", "words"),
        [
            ({"min_recall": "80%"}, {}, "min_recall needs a ranking"),
            ({"max_more_lost": 0}, {}, "max_more_lost needs an earlier result"),
        ],
    )
    def test_a_threshold_without_its_part_is_refused(self, values, options, words):
        with pytest.raises(ConfigError, match=words):
            check(RULES, ASKED, "fixed(size=60)", thresholds=recall_only(**values), **options)

    @pytest.mark.parametrize(
        ("retriever", "context", "words"),
        [("bm25,hash", None, "one retriever"), ("bm25", 0, "--context 0"), ("bm26", None, "did you mean")],
    )
    def test_a_ranker_that_means_nothing_is_refused(self, retriever, context, words):
        with pytest.raises(ValueError if retriever != "bm26" else Exception, match=words):
            Ranker(retriever, context)

    def test_offline_nothing_is_sent(self, monkeypatch):
        store = VectorCache()
        retriever = DenseRetriever(Embedder(find_provider("hash"), store))
        options = {"thresholds": recall_only(min_recall=0), "ranking": Ranker(retriever)}
        filled = check(RULES, ASKED, "fixed(size=60)", **options)
        retriever.embedder.offline = "fill it"
        provider = type(retriever.embedder.provider)
        for name in ("embed_documents", "embed_queries"):
            monkeypatch.setattr(provider, name, lambda *_: pytest.fail("something was sent"))
        assert check(RULES, ASKED, "fixed(size=60)", **options).to_dict() == filled.to_dict()
        with pytest.raises(Exception, match=r"hash: \d of \d chunks have no vector in the cache, .*; fill it"):
            check(RULES, ASKED, "fixed(size=50)", **options)

    def test_any_retriever_ranks(self):
        by_name, by_hand = (
            check(RULES, ASKED, "fixed(size=60)", thresholds=recall_only(min_recall=0), ranking=Ranker(one))
            for one in ("bm25", Bm25Retriever())
        )
        assert by_name.to_dict() == by_hand.to_dict()


class TestEarlier:
    def test_a_check_is_a_result_to_compare_with(self):
        good = check(RULES, ASKED, "fixed(size=60)", thresholds=recall_only(min_recall=0), ranking=Ranker())
        options = {"thresholds": recall_only(max_more_lost=0), "ranking": Ranker()}
        for earlier in (good, json.loads(json.dumps(good.to_dict()))):
            bad = check(RULES, ASKED, "fixed(size=30)", earlier=earlier, **options)
            assert (bad.missed, bad.earlier.by) == (("max_more_lost",), "answered")
            assert bad.earlier.outcome.lost == tuple(one.question for one in bad.errors)
        assert check(RULES, ASKED, "fixed(size=60)", earlier=good, **options).passed

    def test_of_a_grid_the_cell_of_the_setting_counts(self):
        grid = sweep(RULES, ASKED, chunkers="fixed", sizes=[30, 60], overlaps=[0])
        options = {"thresholds": recall_only(max_more_lost=0), "earlier": grid, "earlier_path": "grid.json"}
        assert check(RULES, ASKED, "fixed(size=30)", **options).passed
        with pytest.raises(InputError, match=r"grid.json and this check have no setting in common"):
            check(RULES, ASKED, "fixed(size=40)", **options)

    @pytest.mark.parametrize(
        ("earlier", "ranking", "words"),
        [
            (sweep(RULES, ASKED, chunkers="fixed", sizes=[60], overlaps=[0]), Ranker(), "no chunks were ranked there"),
            (
                sweep(RULES, [Question.of("other", doc="a.md", evidence="Taxis")], sizes=[60], overlaps=[0]),
                None,
                "nothing measured for max-more-lost: .* has none of the 3 questions",
            ),
        ],
    )
    def test_what_does_not_tell_is_refused(self, earlier, ranking, words):
        with pytest.raises(InputError, match=words):
            check(
                RULES, ASKED, "fixed(size=60)", thresholds=recall_only(max_more_lost=0), earlier=earlier, ranking=ranking
            )  # fmt: skip


class TestDoubts:
    def test_questions_without_a_text_are_named(self):
        asked = [Question.of("q1", doc="a.md", evidence="Taxis"), *ASKED[1:]]
        [told] = check(RULES, asked, "fixed(size=60)").warnings
        assert told.startswith("1 of 3 questions has no text, q1 first")
        assert not check(RULES, ASKED, "fixed(size=60)").warnings

    def test_evidence_that_nothing_could_split_is_told(self):
        documents = [
            Document(f"{n}.md", f"Sentence number {n} stands first. " + "More follows here. " * 9) for n in range(5)
        ]
        first = [Question.of(f"q{n}", "?", doc=f"{n}.md", evidence=f"Sentence number {n}") for n in range(5)]
        [told] = check(documents, first, "fixed(size=60)").warnings
        assert told.startswith("all evidence stands in the first chunk")
        assert not check(documents, first[:4], "fixed(size=60)").warnings
        assert not check(documents, first, "fixed(size=999)").warnings
        later = Question.of("q0", "?", doc="0.md", evidence="here. More", spans=[[46, 56]])
        assert not check(documents, [later, *first[1:]], "fixed(size=40)").warnings

    def test_a_context_of_half_the_documents_is_told(self):
        result = check(
            RULES, check_labels(RULES, ASKED), "fixed(size=90)", thresholds=recall_only(min_recall=0), ranking=Ranker()
        )
        assert [text for text in result.warnings if "half of the documents" in text]


def test_chunks_are_ranked_from_the_scan_that_everything_is_counted_from(monkeypatch):
    scans = []
    monkeypatch.setattr(evaluate, "scan", lambda *given: scans.append(given) or scan(*given))
    documents = [Document(name, "alpha beta. gamma delta.") for name in ("a.md", "b.md")]
    asked = [
        Question.of("q1", "beta?", doc="b.md", evidence="beta. gamma"),
        Question.of("q2", "x", doc="a.md", evidence="ta. ga"),
    ]
    monkeypatch.setattr(evaluate, "BATCH_CHARACTERS", 1)
    plain = check(documents, asked, "fixed(size=12)")
    assert len(scans) == 2
    ranked = check(documents, asked, "fixed(size=12)", thresholds=Thresholds.of(min_recall=1), ranking=Ranker())
    assert len(scans) == 3
    assert plain.cell.split_question_ids == ranked.cell.split_question_ids == ("q1", "q2")
    assert [one for one in ranked.findings if one.code != "not-answered"] == list(plain.findings)
