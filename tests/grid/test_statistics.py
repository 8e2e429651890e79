"""Intervals and tests against scipy, and against what they promise."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from chunkscope.grid.statistics import holm, mcnemar, newcombe, wilson

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


def test_intervals_of_differences_are_those_of_another_program():
    """The R package contingencytables 3.1.0, which takes the difference the other way round."""
    assert newcombe(59, 6, 16, 80) == pytest.approx((0.0046, 0.1186), abs=5e-5)
    assert newcombe(1, 0, 0, 1) == pytest.approx((-0.5734, 0.5734), abs=5e-5)


def test_the_interval_of_a_difference_turns_round_with_its_sides():
    rng = np.random.default_rng(0)
    for _ in range(200):
        both, one, other, neither = rng.integers(0, 12, 4).tolist()
        found = newcombe(both, one, other, neither)
        if not both + one + other + neither:
            assert found is None
            continue
        assert -1 <= found[0] <= (other - one) / (both + one + other + neither) <= found[1] <= 1
        low, high = newcombe(both, other, one, neither)
        assert found == pytest.approx((-high, -low), abs=1e-12)


@pytest.mark.parametrize("shares", [(0.6, 0.1, 0.1, 0.2), (0.5, 0.02, 0.2, 0.28), (0.9, 0.05, 0.0, 0.05), (0.25,) * 4])
def test_the_interval_of_a_difference_holds_it_in_about_95_of_100_cases(shares):
    """All outcomes of 20 questions, each with its probability."""
    n, truth, held = 20, shares[2] - shares[1], 0.0
    for both in range(n + 1):
        for one in range(n + 1 - both):
            for other in range(n + 1 - both - one):
                counts = (both, one, other, n - both - one - other)
                ways, left = 1, n
                for count in counts:
                    ways, left = ways * comb(left, count), left - count
                low, high = newcombe(*counts)
                probability = ways * np.prod(np.array(shares) ** np.array(counts))
                held += float(probability) * (low - 1e-12 <= truth <= high + 1e-12)
    assert held > 0.93
