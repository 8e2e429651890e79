"""The best cell against the others; halves of questions."""

from __future__ import annotations

import numpy as np
import pytest

from chunkscope.retrieval.statistics import against_best, halves


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
