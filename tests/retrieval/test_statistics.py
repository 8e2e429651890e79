"""Intervals and tests against scipy; halves of questions."""

from __future__ import annotations

import numpy as np
import pytest

from chunkscope.retrieval.statistics import against_best, halves, holm, mcnemar, wilson

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize(("hits", "total"), [(0, 1), (1, 1), (15, 17), (0, 30), (30, 30), (1, 3939), (2000, 3939)])
def test_intervals_equal_those_of_scipy(hits, total):
    theirs = stats.binomtest(hits, total).proportion_ci(method="wilson")
    assert wilson(hits, total) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_nothing_has_no_interval():
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("one", "other"), [(0, 0), (1, 0), (5, 5), (0, 12), (3, 17), (40, 61), (500, 700), (2, 3000), (0, 5000)]
)
def test_paired_differences_equal_the_binomial_test_of_scipy(one, other):
    theirs = stats.binomtest(one, one + other, 0.5).pvalue if one + other else 1.0
    assert mcnemar(one, other) == pytest.approx(theirs, rel=1e-9, abs=1e-300)
    assert mcnemar(one, other) == mcnemar(other, one)


def test_adjusted_values_rise_stay_below_one_and_keep_their_order():
    rng = np.random.default_rng(0)
    for size in (1, 2, 7, 75):
        values = rng.random(size) ** 4
        adjusted = np.array(holm(values.tolist()))
        assert (adjusted >= values).all()
        assert (adjusted <= 1).all()
        assert (np.diff(adjusted[np.argsort(values)]) >= 0).all()
        assert adjusted[values.argmin()] == pytest.approx(min(1.0, values.min() * size))
    assert holm([]) == []


def test_the_first_of_the_best_cells_is_compared_with_all_others():
    hits = np.zeros((3, 40), dtype=bool)
    hits[1, :30] = True
    hits[2, 10:] = True
    best, p_values = against_best(hits)
    assert best == 1
    assert p_values[1] == 1
    assert p_values[2] == 1  # ten against ten
    assert p_values[0] == pytest.approx(2 * 2 * 0.5**30)


def test_halves_are_disjoint_complete_and_the_same_for_a_seed():
    one, other = halves(17, 0.5, 0)
    assert (one ^ other).all()
    assert other.sum() == 8
    assert (halves(17, 0.5, 0)[0] == one).all()
    assert any((halves(17, 0.5, seed)[0] != one).any() for seed in range(1, 5))


@pytest.mark.parametrize(("share", "n", "seed"), [(0, 10, 0), (1, 10, 0), (0.5, 1, 0), (0.01, 10, 0), (0.5, 10, -1)])
def test_halves_that_mean_nothing_are_refused(share, n, seed):
    with pytest.raises(ValueError, match="--"):
        halves(n, share, seed)
