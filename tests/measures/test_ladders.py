"""Cells of fixed windows counted together against each counted alone, and lengths of windows against windows."""

from __future__ import annotations

import dataclasses
import pickle
import statistics
import sys

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import windows
from worlds import corpora, labels_of, questions_of

from chunkscope import Document, FixedChunker, sweep
from chunkscope.chunkers.chunk_set import WindowChunks
from chunkscope.grid.scan import scan
from chunkscope.measures.base import GridMeasure
from chunkscope.measures.columns import columns_of
from chunkscope.measures.evidence import EvidenceMeasure
from chunkscope.measures.ladders import MOST_RUNGS, OneCell, WindowGrid, WindowLadder
from chunkscope.measures.lengths import LengthCounts
from chunkscope.measures.shape import ShapeMeasure
from chunkscope.measures.status import StatusMeasure
from chunkscope.measures.tables import TableMeasure
from chunkscope.measures.wholeness import WholenessMeasure
from chunkscope.measures.window_lengths import WindowLengths, fold
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.questions.question import Question
from chunkscope.spans.layout import Layout, Targets

pairs = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 39)), min_size=1, max_size=12)


@st.composite
def grids(draw):
    """Sizes and overlaps in any order, many of them of one step."""
    step = draw(st.integers(1, 9))
    row = [(step + overlap, overlap) for overlap in draw(st.lists(st.integers(0, 30), max_size=6))]
    any_other = [(size, overlap % size) for size, overlap in draw(pairs)]
    return draw(st.permutations(list(dict.fromkeys(row + any_other))))


prepends = st.sampled_from([(), (), ("table-header",), ("headings", "front-matter:status")])


@given(corpora(), st.data(), grids(), prepends, st.sampled_from(["drop", "keep"]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_cells_counted_together_are_as_each_counted_alone(corpus, data, grid, prepend, tail, with_ids):
    questions = data.draw(questions_of(corpus))
    cells = [FixedChunker(size, overlap, tail=tail, prepend=prepend) for size, overlap in grid]
    measures = [
        ShapeMeasure(cells), TableMeasure(), StatusMeasure(), WholenessMeasure(),
        EvidenceMeasure(questions, cells, with_ids=with_ids),
    ]  # fmt: skip
    scanned = scan(corpus, [cells[0].at(None)], measures)
    together = WindowGrid.of(scanned.layout, cells)
    for bound in scanned.bound:
        assert isinstance(bound, GridMeasure)
        found = {name: column.tolist() for name, column in bound.count_grid(together).items()}
        alone = columns_of([bound.count(WindowChunks(scanned.layout, cell)) for cell in cells])
        assert found == {name: column.tolist() for name, column in alone.items()}


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), grids(), st.data())
@settings(max_examples=100, deadline=None)
def test_heights_say_which_rungs_hold_a_target(lengths, grid, data):
    layout = Layout.of([str(number) for number in range(len(lengths))], lengths)
    step = min(size - overlap for size, overlap in grid)
    sizes = sorted({size for size, overlap in grid if size - overlap == step})
    cells = [FixedChunker(size, size - step) for size in sizes]
    targets = []
    for base, length in zip(layout.edges.tolist(), lengths, strict=False):
        start = data.draw(st.integers(0, length - 1))
        targets.append((base + start, base + data.draw(st.integers(start + 1, length))))
    targets = Targets.of(np.array(targets), layout)
    ladder = WindowLadder(layout, cells)
    found = ladder.look_up(targets)
    for rung, cell in zip(ladder.rungs.tolist(), cells, strict=True):
        one = OneCell(WindowChunks(layout, cell)).look_up(targets)
        assert ((found.whole > rung) == (one.whole > 0)).all()
        assert ((np.minimum(found.by_two, found.whole) > rung) == (one.by_two > 0)).all()
        assert ((found.covered > rung) == (one.covered > 0)).all()
    assert ladder.count(found.whole).tolist() == [int((found.whole <= rung).sum()) for rung in ladder.rungs]


@given(st.lists(st.integers(1, 300), max_size=9), st.lists(st.integers(1, 300), max_size=9), grids())
@settings(max_examples=200, deadline=None)
def test_lengths_of_windows_are_those_of_windows(one, other, grid):
    sizes, overlaps = np.array(grid).T
    parts = [
        WindowLengths(LengthCounts.among(np.array(part, dtype=np.int64)), sizes, overlaps) for part in (one, other)
    ]
    for found, (size, overlap) in zip((parts[0] + parts[1]).tolist(), grid, strict=True):
        expected = sorted(end - start for n in one + other for start, end in windows(n, size, overlap))
        assert sorted(length for length, count in found.items() for _ in range(count)) == expected
        assert (found.n, found.total) == (len(expected), sum(expected))
        assert (found.shortest, found.longest) == ((expected[0], expected[-1]) if expected else (None, None))
        assert found.median == (statistics.median(expected) if expected else None)
        assert pickle.loads(pickle.dumps(found)) == found
        assert dict(found + found) == {length: 2 * count for length, count in found.items()}


@given(st.lists(st.integers(1, 500), min_size=1), st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_folded_documents_have_the_windows_that_long_ones_have_but_for_full_ones(lengths, size, step):
    step = min(step, size)
    folded = fold(LengthCounts.among(np.array(lengths)), size, step)
    left = np.repeat(folded.lengths, folded.counts).tolist()
    assert max(left) <= size + step
    whole, rest = ([w for n in found for w in windows(n, size, size - step)] for found in (lengths, left))
    assert len(whole) == len(rest) + folded.n_off
    ends = [sorted(b - a for a, b in found if b - a < size) for found in (whole, rest)]
    assert ends[0] == ends[1]


def test_a_step_of_many_sizes_is_counted_in_several_ladders():
    cells = [FixedChunker(size, size - 1) for size in range(1, 3 * MOST_RUNGS)]
    grid = WindowGrid.of(Layout.of(["a"], [500]), cells)
    assert [len(places) for places, _ in grid.ladders] == [MOST_RUNGS, MOST_RUNGS, MOST_RUNGS - 1]


def test_targets_are_looked_up_once_a_step_not_once_a_cell(monkeypatch):
    steps = []
    whole = WindowLadder.whole
    monkeypatch.setattr(WindowLadder, "whole", lambda self, targets: steps.append(self.step) or whole(self, targets))
    documents = [Document("a", "あ" * 300)]
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 0, 9),))])
    grid = [(step + overlap, overlap) for overlap in range(20) for step in (30, 31)]
    cells = [FixedChunker(size, overlap) for size, overlap in grid]
    assert len(sweep(documents, labels, chunkers=cells, with_cuts=False).cells) == 40
    assert {step: steps.count(step) for step in steps} == {30: 3, 31: 3}  # evidence, rows that it overlaps, all rows


@given(corpora(4), st.data(), grids())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_expectations_are_the_same_to_the_last_digit_however_documents_are_dealt_out(monkeypatch, corpus, data, grid):
    labels = labels_of(data.draw(questions_of(corpus, 6)))
    cells = [FixedChunker(size, overlap) for size, overlap in grid]
    whole = sweep(corpus, labels, chunkers=cells)
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["chunkscope.grid.sweep"], "BATCH_CHARACTERS", 1)
        dealt = sweep(corpus, labels, chunkers=cells)
    for one, other in zip(whole.cells, dealt.cells, strict=True):
        assert dataclasses.replace(one, lengths=dict(one.lengths)) == dataclasses.replace(
            other, lengths=dict(other.lengths)
        )
