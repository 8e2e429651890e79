"""Lengths of fixed windows, as they follow from those of documents, against the windows."""

from __future__ import annotations

import pickle
import statistics

from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.windows import windows

from chunkscope import Document, FixedChunker, sweep
from chunkscope.measures.lengths import LengthCounts

lengths = st.lists(st.integers(0, 300), max_size=9)
pairs = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 59)), min_size=1, max_size=8)


def swept(documents, grid, first=0):
    found = [Document(f"{first + number}.txt", "あ" * n, markup="plain") for number, n in enumerate(documents)]
    chunkers = [FixedChunker(size, overlap % size) for size, overlap in grid]
    return [cell.lengths for cell in sweep(found, chunkers=chunkers, with_cuts=False).cells]


@given(lengths, lengths, pairs)
@settings(max_examples=60)
def test_lengths_of_windows_are_those_of_windows(one, other, grid):
    grid = list(dict.fromkeys((size, overlap % size) for size, overlap in grid))
    parts = zip(swept(one, grid), swept(other, grid, len(one)), strict=True)
    for (mine, theirs), (size, overlap) in zip(parts, grid, strict=True):
        found = mine + theirs
        expected = sorted(end - start for n in one + other for start, end in windows(n, size, overlap))
        counted = found.counted
        listed = [
            n for n, count in zip(counted.lengths.tolist(), counted.counts.tolist(), strict=True) for _ in range(count)
        ]
        assert listed == expected
        assert (found.n, found.total) == (len(expected), sum(expected))
        assert (found.shortest, found.longest) == ((expected[0], expected[-1]) if expected else (None, None))
        assert found.median == (statistics.median(expected) if expected else None)
        assert pickle.loads(pickle.dumps(found)) == found
        assert (found + found).counted.counts.tolist() == [2 * count for count in counted.counts.tolist()]


def test_lengths_are_equal_where_each_is_there_as_often():
    assert LengthCounts.of({1: 2, 4: 1}) == LengthCounts.of({4: 1, 1: 2})
    assert LengthCounts.of({1: 2}) != LengthCounts.of({1: 3})
    assert LengthCounts.of({1: 2}) != LengthCounts.of({2: 2})
