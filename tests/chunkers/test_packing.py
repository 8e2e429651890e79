"""The packing loop against a twin written straight from the rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.packing import pack_items, pack_items_with_tails, split_items

from chunkscope.chunkers import packing
from chunkscope.chunkers.packing import Items, pack, pack_all, pack_with_tails, split_oversize


def boundaries(weights):
    return np.concatenate(([0], np.cumsum(np.array(weights, dtype=np.int64)))).astype(np.int64)


groups_of_weights = st.lists(st.lists(st.integers(0, 9), max_size=14), max_size=4)


def layout(groups):
    used = boundaries([weight for group in groups for weight in group])
    return used, np.concatenate(([0], np.cumsum([len(g) for g in groups]))).astype(np.int64)


def rule_of(used, edges, size, overlap):
    found = []
    for first, last in zip(edges[:-1], edges[1:], strict=True):
        rows = pack_items(used[first : last + 1].tolist(), size, overlap)
        found += [[start + int(first), end + int(first)] for start, end in rows]
    return found


@given(groups_of_weights, st.integers(1, 20), st.integers(0, 19))
def test_packing_equals_the_rule_read_aloud(groups, size, overlap):
    overlap = min(overlap, size - 1)
    used, edges = layout(groups)
    assert pack(used, edges, size, overlap).tolist() == rule_of(used, edges, size, overlap)


@given(groups_of_weights, st.integers(1, 20), st.integers(0, 19))
def test_no_packed_chunk_lies_inside_another_and_all_items_are_held(groups, size, overlap):
    used, edges = layout(groups)
    chunks = pack(used, edges, size, min(overlap, size - 1))
    assert (np.diff(chunks[:, 0]) > 0).all()
    assert (np.diff(chunks[:, 1]) > 0).all()
    held = {item for start, end in chunks.tolist() for item in range(start, end)}
    assert held == set(range(len(used) - 1))
    for start, end in chunks.tolist():
        assert used[end] - used[start] <= size or end == start + 1


@given(groups_of_weights, st.integers(1, 20))
def test_without_overlap_packed_chunks_tile_their_groups(groups, size):
    used, edges = layout(groups)
    chunks = pack(used, edges, size, 0).tolist()
    assert sum(end - start for start, end in chunks) == len(used) - 1


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=14), max_size=4),
    st.integers(1, 20),
    st.integers(0, 25),
    st.booleans(),
)
def test_character_tails_equal_the_loop_that_pipelines_write(groups, size, tail, keep_tail):
    positions, edges = layout(groups)
    expected = []
    for first, last in zip(edges[:-1], edges[1:], strict=True):
        expected += pack_items_with_tails(positions[first : last + 1].tolist(), size, tail, keep_tail)
    starts, ends = pack_with_tails(positions, edges, size, tail, keep_tail=keep_tail)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), max_size=6), st.integers(1, 12))
def test_large_items_are_cut_at_the_last_step_that_fits(items, size):
    # An item is a list of step weights; each step is one character.
    positions = boundaries([len(item) for item in items])
    step_used = boundaries([weight for item in items for weight in item])
    used = step_used[positions]
    steps = np.setdiff1d(np.arange(len(step_used)), positions)
    here, weights = split_oversize(positions, used, steps, step_used[steps], size)
    assert here.tolist() == split_items(positions.tolist(), step_used.tolist(), size)
    assert weights.tolist() == step_used[here].tolist()


@pytest.mark.parametrize("few", [0, 3, 10**9])
@pytest.mark.parametrize("units_a_boundary", [0, 10**9])
@given(st.lists(st.tuples(groups_of_weights, st.integers(1, 20), st.integers(0, 19)), max_size=4))
def test_settings_packed_together_are_packed_as_the_rule_says(few, units_a_boundary, worlds):
    settings, expected = [], []
    for groups, size, overlap in worlds:
        used, edges = layout(groups)
        settings += [Items(used, edges, size, min(overlap, size - 1)), Items(used, edges, size + 3, 0)]
    for items in settings:
        expected.append(rule_of(items.used, items.groups, items.size, items.overlap))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "FEW_GROUPS", few)
        patch.setattr(packing, "UNITS_A_BOUNDARY", units_a_boundary)
        assert [pairs.tolist() for pairs in pack_all(settings)] == expected


@pytest.mark.parametrize("few", [0, 3, 10**9])
@pytest.mark.parametrize("units_a_boundary", [0, 10**9])
@given(
    st.lists(st.lists(st.integers(1, 30), max_size=9), max_size=4),
    st.lists(st.tuples(st.integers(1, 20), st.integers(0, 19)), max_size=4),
)
def test_divisible_items_are_packed_as_if_they_had_been_cut_before(few, units_a_boundary, groups, grid):
    positions, edges = layout(groups)
    settings, expected = [], []
    for size, overlap in grid:
        settings.append(Items(positions, edges, size, min(overlap, size - 1), divisible=True))
        pieces = np.array(split_items(positions.tolist(), list(range(positions[-1] + 1)), size))
        moved = np.searchsorted(pieces, positions[edges])
        expected.append(
            pieces[np.array(rule_of(pieces, moved, size, min(overlap, size - 1)), dtype=int).reshape(-1, 2)].tolist()
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "FEW_GROUPS", few)
        patch.setattr(packing, "UNITS_A_BOUNDARY", units_a_boundary)
        assert [spans.tolist() for spans in pack_all(settings)] == expected
