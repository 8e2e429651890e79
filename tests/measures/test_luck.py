"""Expected splits against the enumeration of all phases, and against cutting texts that really begin later."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.luck import expected_splits
from oracle.units import Tape
from worlds import corpora, labels_of, plain, questions_of

from chunkscope import Document, FixedChunker, HeadingChunker, SentenceChunker, TokenChunker, sweep
from chunkscope.measures.luck import PhasePositions, expectations
from chunkscope.measures.luck import expected_splits as fast_expected_splits
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.questions.question import Question

entries = st.tuples(st.integers(0, 1), st.integers(0, 60), st.integers(1, 14))
questions = st.lists(st.tuples(st.sampled_from(["any", "all"]), st.lists(entries, min_size=1, max_size=4)), max_size=4)


@given(questions, st.tuples(st.integers(1, 80), st.integers(1, 80)), st.integers(1, 16), st.integers(0, 15))
@settings(max_examples=300)
def test_expectations_equal_the_enumeration_of_all_phases(asked, totals, size, overlap):
    step = size - overlap % size
    asked = [
        (match, [(document, totals[document], start, length) for document, start, length in needed])
        for match, needed in asked
    ]
    rows = [(s, n, t, d, q) for q, (_, needed) in enumerate(asked) for d, t, s, n in needed]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    places = PhasePositions(*columns, np.array([match == "any" for match, _ in asked], dtype=np.bool_))
    sizes = np.array([size, size + 1, size])
    steps = np.array([step, step + 1, 1])
    fast = [expectations(found, steps) for found in fast_expected_splits(places, sizes, sizes - steps)]
    for cell, setting in enumerate(zip(sizes.tolist(), steps.tolist(), strict=True)):
        expected = expected_splits(asked, *setting)
        assert [found[cell] for found in fast] == pytest.approx(expected, abs=1e-9)


@given(corpora(2), st.data(), st.integers(1, 30), st.integers(0, 29), st.sampled_from(["fixed", "keep", "raw"]))
@settings(max_examples=120)
def test_a_sweep_expects_what_the_phases_of_its_windows_say(corpus, data, size, overlap, kind):
    resolved = data.draw(questions_of(corpus))
    overlap %= size
    chunker = {
        "fixed": FixedChunker(size, overlap),
        "keep": FixedChunker(size, overlap, tail="keep"),
        "raw": TokenChunker(size, overlap, raw=True),
    }[kind]
    tapes = {document.name: Tape(plain(document), chunker.unit) for document in corpus}
    asked = []
    for question in resolved:
        needed = []
        for entry in question.evidence:
            tape = tapes[entry.document]
            start, end = entry.start, entry.end
            if kind == "raw":
                # the tokens that have a byte of the evidence
                start = max(t for t in range(tape.n_units) if tape.first_whole[t] <= entry.start)
                end = min(t for t in range(tape.n_units + 1) if tape.last_whole[t] >= entry.end)
            needed.append((entry.document, tape.n_units, start, end - start))
        asked.append((question.question.match, needed))
    [cell] = sweep(corpus, labels_of(resolved), chunkers=[chunker]).cells
    expected = expected_splits(asked, size, size - overlap)
    assert (cell.expected_split_evidence, cell.expected_split_questions) == pytest.approx(expected, abs=1e-9)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 14)), min_size=1, max_size=4),
    st.sampled_from(["any", "all"]), st.integers(1, 16), st.integers(0, 15),
)  # fmt: skip
@example([(0, 9), (20, 5)], "any", 12, 2)
@example([(0, 9), (20, 5)], "all", 12, 2)
@settings(max_examples=80)
def test_in_a_long_document_expectations_equal_typing_characters_at_its_top(spans, match, size, overlap):
    overlap %= size
    step = size - overlap
    text = "".join(chr(0x4E00 + number) for number in range(120))
    spans = list(dict.fromkeys(spans))
    split_entries = split_questions = 0
    for phase in range(step):
        chunks = FixedChunker(size, overlap).spans(Document("a", "x" * phase + text)).tolist()
        whole = [any(a <= s + phase and s + phase + n <= b for a, b in chunks) for s, n in spans]
        split_entries += whole.count(False)
        split_questions += not (any(whole) if match == "any" else all(whole))
    evidence = tuple(EvidenceSpan("a", start, start + length) for start, length in spans)
    labels = labels_of([LocatedQuestion(Question("q", match=match), evidence)])
    [cell] = sweep([Document("a", text)], labels, chunkers=[FixedChunker(size, overlap)]).cells
    assert cell.expected_split_evidence == pytest.approx(split_entries / step)
    assert cell.expected_split_questions == pytest.approx(split_questions / step)


def test_a_raw_window_moves_by_tokens_typed_at_the_top():
    size, overlap = 5, 1
    text = " the" * 60
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 41, 51),))])
    [cell] = sweep([Document("a", text)], labels, chunkers=[TokenChunker(size, overlap, raw=True)]).cells
    split = 0
    for phase in range(size - overlap):
        moved = Document("a", " the" * phase + text)
        spans = TokenChunker(size, overlap, raw=True).spans(moved).tolist()
        split += not any(a <= 41 + 4 * phase and 51 + 4 * phase <= b for a, b in spans)
    assert cell.expected_split_evidence == split / (size - overlap)


def test_a_document_that_fits_in_one_chunk_contributes_nothing():
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 2, 9),))])
    [cell] = sweep([Document("a", "あ" * 10)], labels, chunkers=[FixedChunker(10)]).cells
    assert (cell.expected_split_evidence, cell.expected_split_questions) == (0.0, 0.0)
    [cell] = sweep([Document("a", "あ" * 11)], labels, chunkers=[FixedChunker(10)]).cells
    assert cell.expected_split_evidence == pytest.approx(0.6)


def test_a_size_beyond_all_documents_is_no_burden():
    entries = (EvidenceSpan("a", 2, 9), EvidenceSpan("a", 1, 4))
    labels = labels_of([LocatedQuestion(Question("q"), entries), LocatedQuestion(Question("r", match="any"), entries)])
    [cell] = sweep([Document("a", "あ" * 10)], labels, chunkers=[FixedChunker(10**12)]).cells
    assert (cell.expected_split_evidence, cell.expected_split_questions) == (0.0, 0.0)


@pytest.mark.parametrize(
    "chunker", [TokenChunker(9), SentenceChunker(9), HeadingChunker(9), FixedChunker(9, unit="word")]
)
def test_packed_chunkers_know_no_luck(chunker):
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 2, 9),))])
    cell = sweep([Document("a", "一つの文です。次の文です。")], labels, chunkers=[chunker]).cells[0]
    assert (cell.expected_split_evidence, cell.expected_split_questions) == (None, None)


@pytest.mark.parametrize(("start", "lucky"), [(0, True), (5, False)])
def test_a_cell_is_lucky_if_it_splits_nothing_where_half_a_question_is_expected(start, lucky):
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", start, start + 8),))])
    [cell] = sweep([Document("a", "あ" * 30)], labels, chunkers=[FixedChunker(10)]).cells
    assert cell.expected_split_questions == pytest.approx(0.7)
    assert cell.is_lucky is lucky


def test_evidence_in_the_last_token_is_one_token_long():
    document = Document("a", "one two three")
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 8, 13),))])
    (cell,) = sweep([document], labels, chunkers=TokenChunker(1, raw=True)).cells
    assert (cell.chunks, cell.expected_split_evidence) == (3, 0)
