"""The best cell against the others."""

from __future__ import annotations

import numpy as np
import pytest

from chunkscope.retrieval.statistics import against_best


def test_the_first_of_the_best_cells_is_compared_with_all_others():
    hits = np.zeros((3, 40), dtype=bool)
    hits[1, :30] = True
    hits[2, 10:] = True
    best, p_values = against_best(hits)
    assert best == 1
    assert p_values[1] == 1
    assert p_values[2] == 1  # ten against ten
    assert p_values[0] == pytest.approx(2 * 2 * 0.5**30)
