"""The rule of the advice: 10,000 generated tables of cells against the loops, and what must never change the choice."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from oracle import choice as slow

from chunkscope.grid.choice import (
    Options,
    candidates,
    counted_losses,
    draw_questions,
    floor,
    pick,
    shortest_run,
    start,
)

N_TABLES = 10_000


def options_of(cells):
    return Options(
        lines=np.array([cell.line for cell in cells]),
        sizes=np.array([cell.size for cell in cells]),
        fits=np.array([cell.fits for cell in cells]),
        price=np.array([cell.price for cell in cells], dtype=float),
        chunks=np.array([cell.chunks for cell in cells]),
        says_nothing=np.array([cell.says_nothing for cell in cells]),
    )


def losses_of(cells):
    return np.array([cell.losses for cell in cells], dtype=float)


def tables(n=N_TABLES, n_kinds=1, seed=1):
    """Give made-up tables: one to four lines of one to six sizes, few distinct numbers so that ties are common."""
    rng = np.random.default_rng(seed)
    while n:
        cells = []
        for line in range(rng.integers(1, 5)):
            sizes = rng.choice(np.arange(1, 9), size=rng.integers(1, 7), replace=False) * 100
            for size in sizes.tolist():
                losses = tuple((rng.integers(0, 9, n_kinds) / rng.choice([1, 2])).tolist())
                price, chunks = int(rng.integers(1, 6)), int(rng.integers(1, 4))
                cells.append(slow.Cell(line, size, rng.random() < 0.8, price, chunks, rng.random() < 0.1, losses))
        if any(cell.fits for cell in cells):
            n -= 1
            yield cells


def test_losses_that_count_equal_the_loops():
    for cells in tables(2000):
        expected = [slow.counted(cells, place) for place in range(len(cells))]
        assert counted_losses(options_of(cells), losses_of(cells)[:, 0]) == pytest.approx(expected)


def test_the_pick_equals_the_loops_and_is_a_candidate_that_fits():
    for cells in tables():
        options, losses = options_of(cells), losses_of(cells)
        [chosen] = pick(options, losses, 1.0)
        assert chosen == slow.pick(cells, 1.0)
        assert cells[chosen].fits
        assert candidates(options, counted_losses(options, losses), 1.0)[chosen, 0]


def test_the_floor_equals_the_loops_and_is_a_candidate():
    for cells in tables(seed=2):
        options, losses = options_of(cells), losses_of(cells)[:, 0]
        chosen = floor(options, losses, 1.0)
        assert chosen == slow.floor(cells, 1.0)
        assert candidates(options, counted_losses(options, losses), 1.0)[chosen]


def test_the_start_equals_the_loops_and_fits():
    totals = np.array([9, 20, 100])
    for cells in tables(n_kinds=3, seed=3):
        chosen = start(options_of(cells), losses_of(cells), totals)
        assert chosen == slow.start(cells, totals.tolist())
        assert cells[chosen].fits


def test_what_does_not_fit_and_what_is_no_candidate_of_another_way_changes_nothing():
    rng = np.random.default_rng(4)
    for cells in tables(3000, seed=5):
        chosen = {"pick": slow.pick(cells, 1.0), "floor": slow.floor(cells, 1.0)}
        least = min(slow.counted(cells, p) for p in slow.candidates(cells, 0.0))
        nobody_tells = not any(cell.fits and not cell.says_nothing for cell in cells)
        hopeless = slow.Cell(99, 300, True, 0.0, 1, nobody_tells, (least + 1.5,))
        too_large = slow.Cell(int(rng.integers(0, 4)), 250, False, 0.0, 1, False, (0.0,))
        for more in (hopeless, too_large):
            found = [*cells, more]
            options, losses = options_of(found), losses_of(found)
            assert pick(options, losses, 1.0)[0] == chosen["pick"]
            assert floor(options, losses[:, 0], 1.0) == chosen["floor"]


def test_with_one_or_two_sizes_of_one_way_the_choice_loses_at_most_the_tolerance_more():
    rng = np.random.default_rng(6)
    for _ in range(3000):
        cells = [
            slow.Cell(0, size, True, int(rng.integers(1, 9)), 1, False, (float(rng.integers(0, 20)),))
            for size in (200, 2000)[: rng.integers(1, 3)]
        ]
        options, losses = options_of(cells), losses_of(cells)
        best = losses.min()
        assert losses[pick(options, losses, 1.0)[0], 0] <= best + 1.0
        assert losses[floor(options, losses[:, 0], 1.0), 0] <= best + 1.0


def test_draws_are_picked_one_by_one_as_together():
    for cells in tables(300, n_kinds=5, seed=7):
        options, losses = options_of(cells), losses_of(cells)
        together = pick(options, losses, 1.0)
        for draw in range(5):
            alone = [cell._replace(losses=(cell.losses[draw],)) for cell in cells]
            assert together[draw] == slow.pick(alone, 1.0)


def test_a_cell_that_says_nothing_is_chosen_only_where_no_other_fits():
    sizes = np.array([100, 200])
    options = Options(np.array([0, 1]), sizes, sizes > 0, np.array([1.0, 2.0]), sizes, np.array([True, False]))
    assert pick(options, np.zeros((2, 1)), 0.0).tolist() == [1]
    only = dataclasses.replace(options, fits=np.array([True, False]))
    assert pick(only, np.zeros((2, 1)), 0.0).tolist() == [0]


def test_the_shortest_run_is_found_among_all():
    rng = np.random.default_rng(8)
    for _ in range(300):
        sizes = rng.choice([0, 100, 200, 300, 400], size=20)
        around = int(rng.choice([100, 200, 300, 400]))
        known = sorted({*sizes[sizes > 0].tolist(), around})
        runs = [
            (high - low, -int(sum(known[low] <= size <= known[high] for size in sizes if size)), low, high)
            for low in range(len(known))
            for high in range(low, len(known))
            if known[low] <= around <= known[high]
        ]
        enough = [run for run in runs if -run[1] >= 12]
        expected = min(enough, default=None)
        found = shortest_run(sizes, around, 12)
        assert found == (None if expected is None else (known[expected[2]], known[expected[3]], -expected[1]))


def test_draws_take_as_many_questions_as_there_are_and_follow_the_seed():
    one, other = draw_questions(7, seed=1), draw_questions(7, seed=2)
    assert one.sum(axis=0).tolist() == [7] * 200
    assert (one == draw_questions(7, seed=1)).all()
    assert (one != other).any()
