"""Chunks of all documents at once against loops, and windows as arithmetic against windows as spans."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.spans import is_blank, is_covered, is_held, is_held_by_two
from worlds import chunkers, corpora, cut

from chunkscope import Document, FixedChunker, TokenChunker
from chunkscope.chunkers.chunk_set import SpanChunks, WindowChunks, chunk_set
from chunkscope.chunkers.windows import Windows
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.joined import JoinedTexts, blank_runs


@st.composite
def cells(draw, of=None):
    """Chunks of a few documents, the twin's windows, and targets in the documents."""
    corpus = draw(corpora())
    chunker = draw(chunkers(with_carry=False) if of is None else of)
    layout = Layout.of([document.name for document in corpus], [len(document.text) for document in corpus])
    targets = []
    for document, base in zip(corpus, layout.edges.tolist(), strict=False):
        for _ in range(draw(st.integers(0, 6)) if document.text else 0):
            start = draw(st.integers(0, len(document.text) - 1))
            targets.append((base + start, base + draw(st.integers(start + 1, len(document.text)))))
    targets = draw(st.permutations(targets))
    chunks = chunk_set(
        layout, chunker, chunker.join([chunker.segment(DocumentAnalysis(document)) for document in corpus])
    )
    spans = [
        [w._replace(start=base + w.start, end=base + w.end) for w in cut(document, chunker) if w.has_span]
        for document, base in zip(corpus, layout.edges.tolist(), strict=False)
    ]
    return corpus, chunks, spans, Targets.of(np.array(targets, dtype=np.int64).reshape(-1, 2), layout)


@given(cells())
@settings(max_examples=200)
def test_targets_are_held_and_covered_as_loops_say(cell):
    _, chunks, spans, targets = cell
    rows = targets.spans.tolist()
    whole = [any(is_held(here, a, b) for here in spans) for a, b in rows]
    assert chunks.contains(targets).tolist() == whole
    assert (chunks.reach(targets) >= targets.spans[:, 1]).tolist() == whole
    by_two = [one or any(is_held_by_two(here, a, b) for here in spans) for one, (a, b) in zip(whole, rows, strict=True)]
    assert (chunks.reach_of_two(targets) >= targets.spans[:, 1]).tolist() == by_two
    assert chunks.covered(targets).tolist() == [is_covered([*chain(*spans)], a, b) for a, b in rows]


@given(cells())
@settings(max_examples=150)
def test_blanks_and_cuts_are_counted_as_loops_say(cell):
    corpus, chunks, spans, _ = cell
    text = "".join(document.text for document in corpus)
    flat = [span for here in spans for span in here]
    runs = Targets.joined(blank_runs(JoinedTexts([document.text for document in corpus])), chunks.layout)
    assert chunks.within(runs) == sum(is_blank(text[w.start : w.end]) for w in flat)
    ends = chunks.layout.edges[1:].tolist()
    expected = [
        base + window.end + window.stripped
        for document, base in zip(corpus, chunks.layout.edges.tolist(), strict=False)
        for window in cut(document, chunks.chunker)
        if not window.ends_inside and window.end + window.stripped < len(document.text)
    ]
    assert sorted(chunks.cut_offsets.tolist()) == sorted(expected)
    assert not set(chunks.cut_offsets.tolist()) & set(ends)


windows = st.builds(
    lambda size, overlap, tail: FixedChunker(size, overlap % size, tail=tail),
    st.integers(1, 40), st.integers(0, 39), st.sampled_from(["drop", "keep"]),
)  # fmt: skip


@given(cells(windows))
@settings(max_examples=150)
def test_windows_as_arithmetic_and_as_spans_answer_alike(cell):
    corpus, chunks, _, targets = cell
    chunker = chunks.chunker
    spans = SpanChunks(
        chunks.layout,
        chunker,
        chunker.chunks(chunker.join([chunker.segment(DocumentAnalysis(document)) for document in corpus])),
    )
    assert isinstance(chunks, WindowChunks)
    assert chunks.spans.tolist() == spans.spans.tolist()
    assert chunks.n_chunks == spans.n_chunks
    assert chunks.reach(targets).tolist() == spans.reach(targets).tolist()
    within = np.minimum(spans.reach_of_two(targets), targets.bases + targets.lengths)
    assert chunks.reach_of_two(targets).tolist() == within.tolist()
    assert chunks.contains(targets).tolist() == spans.contains(targets).tolist()
    assert chunks.covered(targets).tolist() == spans.covered(targets).tolist()
    assert chunks.sizes.tolist() == spans.sizes.tolist()
    assert sorted(chunks.cut_offsets.tolist()) == sorted(spans.cut_offsets.tolist())
    runs = Targets.joined(blank_runs(JoinedTexts([document.text for document in corpus])), chunks.layout)
    assert chunks.within(runs) == spans.within(runs)


@pytest.mark.parametrize("tail", ["drop", "keep"])
@pytest.mark.parametrize(("size", "overlap"), [(10**6, 0), (10**12, 0), (10**12, 10**12 - 3), (2**31, 5)])
def test_a_size_beyond_all_documents_costs_no_memory_and_counts_right(size, overlap, tail):
    chunker = FixedChunker(size, overlap, tail=tail)
    layout = Layout.of(["a", "b", "c"], [10, 0, 4])
    chunks = WindowChunks(layout, chunker, chunker.windows)
    targets = Targets.of(np.array([[0, 10], [9, 10], [10, 14], [12, 13]]), layout)
    alone = [chunker.spans(Document("a", "あ" * n)) for n in (10, 0, 4)]
    assert chunks.spans.tolist() == [
        s for part, base in zip(alone, (0, 10, 10), strict=True) for s in (part + base).tolist()
    ]
    assert chunks.contains(targets).all()
    assert chunks.reach(targets).tolist() == [10, 10, 14, 14]
    assert chunks.reach_of_two(targets).tolist() == [10, 10, 14, 14]
    assert chunks.cut_offsets.tolist() == []
    assert len(chunks.sizes) == chunks.n_chunks


def test_where_no_window_holds_a_whole_character_nothing_is_held():
    chunker, document = TokenChunker(1, raw=True), Document("a", "鮪")
    layout = Layout.of(["a"], [1])
    chunks = chunk_set(layout, chunker, chunker.segment(DocumentAnalysis(document)))
    targets = Targets.of(np.array([[0, 1]]), layout)
    assert (chunks.n_chunks, len(chunks.spans)) == (3, 0)
    assert chunks.contains(targets).tolist() == chunks.covered(targets).tolist() == [False]
    assert (chunks.reach(targets) < 1).all()
    assert (chunks.reach_of_two(targets) < 1).all()


def test_neighbours_of_different_documents_cover_nothing_together():
    layout = Layout.of(["a", "b"], [4, 4])
    chunks = WindowChunks(layout, FixedChunker(), Windows(4))
    assert chunks.reach_of_two(Targets.of(np.array([[2, 4]]), layout)).tolist() == [4]
