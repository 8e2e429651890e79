"""The nearest size against a loop over all sizes, and how many sizes are looked at."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope import Document, FixedChunker, check
from chunkscope.gate.thresholds import Thresholds
from chunkscope.gate.window_sizes import WindowSizes

OVERLAPS = st.one_of(st.integers(0, 12), st.fractions(0, Fraction(19, 20), max_denominator=20))


def width(overlap, size):
    return overlap if isinstance(overlap, int) else size * overlap.numerator // overlap.denominator


def nearest_of_all(overlap, size, start, end):
    """Try every size: the windows of each, one after the other."""
    good = []
    for trial in range(1, 2 * max(size, end) + 20):
        step = trial - width(overlap, trial)
        if step > 0 and any(begin <= start and end <= begin + trial for begin in range(0, start + 1, step)):
            good.append(trial)
    return min(good, key=lambda trial: (abs(trial - size), -trial))


@given(OVERLAPS, st.integers(1, 80), st.integers(0, 120), st.integers(1, 60))
def test_the_nearest_size_is_that_of_a_loop_over_all(overlap, size, start, length):
    if width(overlap, size) < size:
        end = start + length
        assert WindowSizes(overlap).nearest(size, start, end) == nearest_of_all(overlap, size, start, end)


@pytest.fixture
def looked_at(monkeypatch):
    """The sizes that are looked at."""
    seen, step = [], WindowSizes.step

    def counted(self, size):
        seen.append(size)
        return step(self, size)

    monkeypatch.setattr(WindowSizes, "step", counted)
    return seen


@pytest.mark.parametrize("overlap", [0, 60, Fraction(1, 6), Fraction(19, 20)])
def test_few_sizes_are_looked_at_wherever_a_text_stands(overlap, looked_at):
    dice = random.Random(0)
    for _ in range(300):
        start, length = dice.randrange(10**7), int(10 ** dice.uniform(0, 6))
        WindowSizes(overlap).nearest(400, start, start + length)
    assert len(looked_at) < 300 * 80


@pytest.mark.parametrize("before", ["", "一二三。\n" * 3000], ids=["at the top", "behind text"])
@pytest.mark.parametrize("n_rows", [500, 4000])
def test_each_row_of_a_long_table_costs_the_same(n_rows, before, looked_at):
    document = Document("a.md", before + "\n|a|b|\n|-|-|\n" + "|1|2|\n" * n_rows + "|x|y|\n")
    found = check([document], None, FixedChunker(400), thresholds=Thresholds.of(max_rows_header_lost=0)).findings
    assert sum(finding.suggestion is not None for finding in found) > n_rows // 2
    assert len(looked_at) < 60 * n_rows
