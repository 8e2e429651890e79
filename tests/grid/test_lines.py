"""The lines of a grid: every cell is in exactly one, that of the first notation that makes it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunkscope.grid.lines import lines_of
from chunkscope.grid.notation import Grid, parse_overlaps
from chunkscope.grid.results import Cell, CorpusInfo, SweepResult

CHUNKERS = [
    "fixed",
    "sentence",
    "heading",
    "heading(merge=true)",
    "token",
    "fixed(size=7, overlap=3)",
    "sentence(unit=word)",
]
OVERLAPS = ["0", "1", "2", "10", "1/2", "1/3", "1/6", "15%", "50%"]
grids = st.builds(
    Grid.of,
    st.lists(st.sampled_from(CHUNKERS), min_size=1, max_size=4, unique=True),
    st.lists(st.integers(2, 60), min_size=1, max_size=6, unique=True),
    # 0 fits every size, so that some cell can run
    st.lists(st.sampled_from(OVERLAPS), max_size=3, unique=True).flatmap(
        lambda few: st.permutations(sorted({*few, "0"}))
    ),
)


def result_of(grid, typed=True):
    cells = tuple(
        Cell(row.chunker.label, row.chunker.unit, size, None if size is None else overlap, 9)
        for row in grid.rows
        for size, overlap in row.pairs()
    )
    return SweepResult({"overlaps": grid.overlaps} if typed else {}, CorpusInfo("", 0, 0), None, cells)


def line_names(result):
    return {place: (line.chunker, line.unit, line.overlap) for line in lines_of(result) for place in line.places}


@given(grids, st.booleans())
def test_every_cell_is_in_exactly_one_line_of_its_way_by_size(grid, typed):
    result = result_of(grid, typed)
    lines = lines_of(result)
    assert sorted(place for line in lines for place in line.places) == list(range(len(result.cells)))
    for line in lines:
        assert line.cells == tuple(result.cells[place] for place in line.places)
        assert {(cell.chunker, cell.unit) for cell in line.cells} == {(line.chunker, line.unit)}
        sizes = [cell.size for cell in line.cells]
        assert sizes == [None] if line.overlap is None else sizes == sorted(set(sizes))
        assert line.way == (line.chunker, line.unit, sizes != [None])
    assert [min(line.places) for line in lines] == sorted(min(line.places) for line in lines)
    assert len({(line.chunker, line.unit, line.overlap) for line in lines}) == len(lines)


@given(grids)
def test_a_cell_belongs_to_the_first_notation_that_makes_it(grid):
    result = result_of(grid)
    found = line_names(result)
    for place, cell in enumerate(result.cells):
        making = (
            []
            if cell.size is None
            else [n for n in grid.overlaps if parse_overlaps(n)[0].at(cell.size) == cell.overlap]
        )
        width = None if cell.size is None else str(cell.overlap)
        assert found[place] == (cell.chunker, cell.unit, making[0] if making else width)


def test_where_nothing_is_typed_a_share_that_every_size_has_is_a_line():
    shares = result_of(Grid.of("fixed", [60, 120, 180], ["0", "1/6"]), typed=False)
    assert set(line_names(shares).values()) == {("fixed", "char", "0"), ("fixed", "char", "1/6")}
    widths = result_of(Grid.of("fixed", [60, 120, 180], ["0", "20"]), typed=False)
    assert set(line_names(widths).values()) == {("fixed", "char", "0"), ("fixed", "char", "20")}


def test_whole_sections_are_a_line_of_their_own():
    result = result_of(Grid.of("heading", [100, 200], ["0"]))
    assert [(line.overlap, line.places) for line in lines_of(result)] == [(None, (0,)), ("0", (1, 2))]
