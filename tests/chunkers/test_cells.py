"""Cells of fixed windows counted together against each counted alone, and least sizes against the chunks themselves."""

from __future__ import annotations

import dataclasses
import sys

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import corpora, labels_of, questions_of

from chunkscope import Document, FixedChunker, sweep
from chunkscope.chunkers.cells import MOST_AT_ONCE, OneCell, WindowCells, by_step
from chunkscope.chunkers.chunk_set import WindowChunks
from chunkscope.chunkers.windows import Windows
from chunkscope.grid.notation import GridRow
from chunkscope.grid.scan import CellCounts, scan
from chunkscope.measures.chunks import ChunkMeasure
from chunkscope.measures.evidence import EvidenceMeasure
from chunkscope.measures.status import StatusMeasure
from chunkscope.measures.tables import TableMeasure
from chunkscope.measures.wholeness import WholenessMeasure
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
@settings(max_examples=120)
def test_cells_counted_together_are_as_each_counted_alone(corpus, data, grid, prepend, tail, with_ids):
    questions = data.draw(questions_of(corpus))
    chunker = FixedChunker(tail=tail, prepend=prepend)
    measures = [
        ChunkMeasure([chunker]), TableMeasure(), StatusMeasure(), WholenessMeasure(),
        EvidenceMeasure(questions, [chunker], with_ids=with_ids),
    ]  # fmt: skip
    scanned = scan(corpus, [chunker], measures)
    row = GridRow.of(chunker, grid)
    [together] = scanned.count(_Grid((row,)))
    alone = CellCounts(scanned.characters, len(grid))
    for place, (size, overlap) in enumerate(grid):
        chunks = WindowChunks(scanned.layout, chunker, Windows(size, overlap, tail == "keep"))
        for measure in scanned.bound:
            alone.put(np.array([place]), measure.count(OneCell(chunks, overlap, size)))
    assert list(together.cells(row)) == list(alone.cells(row))


@dataclasses.dataclass
class _Grid:
    rows: tuple

    def __len__(self):
        return sum(map(len, self.rows))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=4), grids(), st.data())
def test_least_sizes_say_which_cells_hold_a_target(lengths, grid, data):
    layout = Layout.of([str(number) for number in range(len(lengths))], lengths)
    step = min(size - overlap for size, overlap in grid)
    sizes = np.array(sorted({size for size, overlap in grid if size - overlap == step}))
    targets = []
    for base, length in zip(layout.edges.tolist(), lengths, strict=False):
        start = data.draw(st.integers(0, length - 1))
        targets.append((base + start, base + data.draw(st.integers(start + 1, length))))
    targets = Targets.of(np.array(targets), layout)
    cells = WindowCells(layout, FixedChunker(), sizes, sizes - step)
    least = cells.all_least_sizes(targets)
    for size, chunks in zip(np.minimum(sizes, layout.longest).tolist(), cells, strict=True):
        assert ((least.whole <= size) == chunks.contains(targets)).all()
        by_two = np.minimum(least.by_two, least.whole) <= size
        assert (by_two == (chunks.reach_of_two(targets) >= targets.spans[:, 1])).all()
        assert ((least.covered <= size) == chunks.covered(targets)).all()
    reached = [int((least.whole <= min(size, layout.longest)).sum()) for size in sizes.tolist()]
    assert cells.count(least.whole).tolist() == reached


def test_a_step_of_many_sizes_is_counted_in_several_groups():
    sizes = np.arange(1, 3 * MOST_AT_ONCE)
    assert [len(places) for places in by_step(sizes, sizes - 1)] == [MOST_AT_ONCE, MOST_AT_ONCE, MOST_AT_ONCE - 1]


def test_targets_are_looked_up_once_a_step_not_once_a_cell(monkeypatch):
    steps = []
    least_sizes = WindowCells.least_sizes
    monkeypatch.setattr(
        WindowCells, "least_sizes", lambda self, targets: steps.append(self.step) or least_sizes(self, targets)
    )
    documents = [Document("a", "あ" * 300)]
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 0, 9),))])
    grid = [(step + overlap, overlap) for overlap in range(20) for step in (30, 31)]
    cells = [FixedChunker(size, overlap) for size, overlap in grid]
    assert len(sweep(documents, labels, chunkers=cells, with_cuts=False).cells) == 40
    once, more = sorted(steps.count(step) for step in (30, 31))
    assert once == 4  # evidence, rows that it overlaps, all rows, with and without their header
    assert more < 20  # the cell that the advice names is counted again, the 19 others of its step are not


@given(corpora(4), st.data(), grids())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_expectations_are_the_same_to_the_last_digit_however_documents_are_dealt_out(monkeypatch, corpus, data, grid):
    labels = labels_of(data.draw(questions_of(corpus, 6)))
    cells = [FixedChunker(size, overlap) for size, overlap in grid]
    whole = sweep(corpus, labels, chunkers=cells)
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["chunkscope.grid.sweep"], "BATCH_CHARACTERS", 1)
        dealt = sweep(corpus, labels, chunkers=cells)
    assert whole.cells == dealt.cells
