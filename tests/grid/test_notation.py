"""The notation of grids: what it means, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.chunkers import FixedChunker, HeadingChunker, SentenceChunker, TokenChunker
from chunkscope.errors import ChunkscopeError, GridError
from chunkscope.grid.notation import Grid, Overlap, grid_pairs, parse_overlaps, parse_sizes


@given(st.integers(1, 200), st.integers(0, 300), st.integers(1, 60))
def test_a_range_has_both_ends_and_steps_between_them(first, width, step):
    expected = sorted({*range(first, first + width + 1, step), first + width})
    assert list(parse_sizes(f"{first}..{first + width}:{step}")) == expected


def test_a_range_steps_by_ten_and_lists_mix_with_ranges():
    assert parse_sizes("50..800") == tuple(range(50, 801, 10))
    assert parse_sizes(" 100, 20..35 ,100") == (100, 20, 30, 35)


@given(st.integers(0, 60), st.integers(1, 60), st.integers(1, 5000))
def test_a_share_is_floored(numerator, denominator, size):
    if numerator >= denominator:
        with pytest.raises(GridError, match="below the whole size"):
            parse_overlaps(f"{numerator}/{denominator}")
    else:
        assert parse_overlaps(f"{numerator}/{denominator}")[0].at(size) == numerator * size // denominator


@given(st.integers(0, 999), st.integers(1, 5000))
def test_percent_are_exact_to_the_tenth(tenths, size):
    [overlap] = parse_overlaps(f"{tenths // 10}.{tenths % 10}%")
    assert overlap.at(size) == tenths * size // 1000


@pytest.mark.parametrize("text", ["", "0", "100,", "50..", "800..50", "50..800:0", "-5", "1e3", "50...80", "a", "5.5"])
def test_sizes_that_mean_nothing_are_refused(text):
    with pytest.raises(GridError, match=r"--sizes"):
        parse_sizes(text)


@pytest.mark.parametrize("text", ["1..1000000", "1..10001:1", "1..9000:1,1..19000:2"])
def test_more_sizes_than_a_person_can_wait_for_are_refused(text):
    with pytest.raises(GridError, match="more than 10,000 sizes"):
        parse_sizes(text)
    assert len(parse_sizes("1..10000:1")) == 10_000


@pytest.mark.parametrize("text", ["", "1/0", "3/2", "100%", "-1", "0,", "half", "0.5", "1/6/7"])
def test_overlaps_that_mean_nothing_are_refused(text):
    with pytest.raises(GridError, match=r"--overlaps"):
        parse_overlaps(text)


@given(st.lists(st.integers(1, 9), max_size=6), st.lists(st.integers(0, 9), max_size=6))
def test_each_pair_runs_once_or_is_skipped_once_with_both_numbers(sizes, overlaps):
    pairs, skipped = grid_pairs(sizes, overlaps)
    assert sorted(pairs) == sorted({(s, o) for s in sizes for o in overlaps if o < s})
    assert sorted((skip.size, skip.overlap) for skip in skipped) == sorted(
        {(s, o) for s in sizes for o in overlaps if o >= s}
    )
    assert all(f"overlap {skip.overlap}" in skip.reason and f"size {skip.size}" in skip.reason for skip in skipped)


def test_different_shares_that_come_to_the_same_overlap_run_once():
    assert grid_pairs([6], [Overlap(Fraction(1, 6)), Overlap(1), Overlap(Fraction(1, 4))]) == ([(6, 1)], [])


@pytest.mark.parametrize("size", [2.5, "8", True, None, 8.0])
@pytest.mark.parametrize("chunker", [FixedChunker(), TokenChunker(), SentenceChunker(), HeadingChunker()])
def test_a_size_that_is_no_whole_number_is_an_error_that_names_it(chunker, size):
    with pytest.raises(ChunkscopeError, match=repr(size)) as caught:
        Grid.of(chunker, [4, size], [0])
    assert isinstance(caught.value, ValueError)


def test_a_size_below_one_is_skipped_by_name_and_an_error_where_nothing_else_runs():
    grid = Grid.of("fixed", [0, 4], [0])
    assert [pair.reason for _, _, pair in grid.skipped] == ["size 0 must be at least 1 (with overlap 0)"]
    with pytest.raises(GridError, match="size -4 must be at least 1"):
        Grid.of("fixed", [-4], [0])


@pytest.mark.parametrize("overlap", [-1, 2.5, "x", True, Fraction(3, 2)])
def test_an_overlap_that_is_none_is_an_error_that_names_it(overlap):
    with pytest.raises(GridError, match=str(overlap)):
        Grid.of(FixedChunker(), [4], [overlap])


def test_integers_of_numpy_make_a_grid():
    grid = Grid.of("fixed", np.arange(10, 30, 10), np.array([0, 5]))
    assert [(type(c.size), c.size, c.overlap) for c in grid.chunkers()] == [
        (int, 10, 0), (int, 10, 5), (int, 20, 0), (int, 20, 5),
    ]  # fmt: skip


def test_a_chunker_with_its_own_size_stands_and_headings_come_whole_too():
    grid = Grid.of("fixed(size=7, overlap=2),heading,heading(merge=true)", "10,20", "0")
    assert [(c.label, c.size, c.overlap) for c in grid.chunkers()] == [
        ("fixed", 7, 2), ("heading", None, 0), ("heading", 10, 0), ("heading", 20, 0),
        ("heading(merge=true)", 10, 0), ("heading(merge=true)", 20, 0),
    ]  # fmt: skip


def test_whole_sections_are_the_same_in_every_unit_and_run_once():
    units = [HeadingChunker(unit="word"), HeadingChunker(), HeadingChunker(unit="word", prepend=("title",))]
    assert [(str(c), c.size) for c in Grid.of(units, [9], [0]).chunkers()] == [
        ("heading(unit=word)", None), ("heading(size=9, unit=word)", 9), ("heading(size=9)", 9),
        ("heading(unit=word, prepend=title)", None), ("heading(size=9, unit=word, prepend=title)", 9),
    ]  # fmt: skip


def test_equal_cells_run_once_and_skipped_pairs_are_listed_once():
    grid = Grid.of([FixedChunker(), FixedChunker(), FixedChunker(8)], [4, 8, 4], [0, 4, 0])
    assert [(c.size, c.overlap) for c in grid.chunkers()] == [(4, 0), (8, 0), (8, 4)]
    assert [(label, unit, pair.size, pair.overlap) for label, unit, pair in grid.skipped] == [("fixed", "char", 4, 4)]


def test_a_grid_without_a_cell_that_can_run_says_why():
    with pytest.raises(GridError, match="overlap 9 must be smaller than size 4"):
        Grid.of("fixed", [4], [9])
    with pytest.raises(GridError, match="no size"):
        Grid.of("fixed", [], [0])


def test_a_grid_is_given_back_as_it_is():
    grid = Grid.of("fixed", "4,8", "0,4")
    assert Grid.of(grid, "99", "0") is grid


def test_a_splitter_without_an_overlap_makes_no_grid_of_overlaps():
    with pytest.raises(GridError, match=r"^the grid has no cell that can run: textwrap:wrap takes no overlap$"):
        Grid.of("textwrap:wrap", "20", "1/6")
