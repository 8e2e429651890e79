"""The advice where chunks were ranked: which retriever and cell answer the most questions at equal context.

The rule is that of `chunkscope.grid.choice`, over pairs of a retriever and a cell.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chunkscope.grid.advice import (
    NO_EVIDENCE,
    PICK,
    TRY,
    TWO_PERCENT,
    Advice,
    NoAdvice,
    Tolerance,
    WinningSizes,
    advice_of,
    grid_end,
    is_known,
    largest_chunk,
    no_candidate,
    options_of,
)
from chunkscope.grid.choice import (
    DRAWS,
    WINS_OF_A_RUN,
    FloatArray,
    Options,
    counted_losses,
    draw_questions,
    pick,
    shortest_run,
)
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.results import Cell, SweepResult, is_set_aside, retriever_names
from chunkscope.grid.statistics import least_difference
from chunkscope.language import say
from chunkscope.spans.intervals import BoolArray, IntArray

SETTING = ("chunker", "unit", "size", "overlap")
TOO_LONG = say("no cell fits: each has chunks above the limit of the retriever's model")


@dataclass(frozen=True)
class Contest:
    """All pairs of a retriever and a cell, retriever by retriever, and which questions each answers.

    Attributes
    ----------
    cells : sequence of Cell
    lines : sequence of Line
        Of one retriever; the others have the same.
    answered : bool (p, q)
    options : Options
        A row a pair.
    limit : ModelLimit
    """

    cells: Sequence[Cell]
    lines: Sequence[Line]
    answered: BoolArray
    options: Options
    limit: ModelLimit

    @classmethod
    def of(cls, result: SweepResult, limit: ModelLimit = UNNAMED) -> Contest:
        """Set up the contest of a result whose chunks were ranked."""
        lines = lines_of(result)
        one = options_of(result.cells, lines, limit)
        found = [[cell.retrieval[n] for cell in result.cells] for n in _retrievers(result)]  # type: ignore[index]
        at_fixed_k = found[0][0]["settings"].get("context") is None
        prices = (
            [[_context(entry) for entry in row] for row in found] if at_fixed_k else [one.price.tolist()] * len(found)
        )
        options = Options(
            lines=np.concatenate([one.lines + n * len(lines) for n in range(len(found))]),
            sizes=np.tile(one.sizes, len(found)),
            fits=np.concatenate([one.fits & [not entry.get("over_long_chunks") for entry in row] for row in found]),
            price=np.array(prices, dtype=np.float64).ravel(),
            chunks=np.tile(one.chunks, len(found)),
            says_nothing=np.array([is_set_aside(entry) for row in found for entry in row], dtype=np.bool_),
        )
        answered = np.array([answers(entry) for row in found for entry in row], dtype=np.bool_)
        return cls(result.cells, lines, answered, options, limit)

    @property
    def n_questions(self) -> int:
        """How many questions there are."""
        return int(self.answered.shape[1])

    @cached_property
    def ways(self) -> IntArray:
        """The number of each pair's retriever and way of cutting: int64 (p,)."""
        known: dict[tuple[int, tuple[str, str, bool]], int] = {}
        n = len(self.lines)
        found = [(int(line) // n, self.lines[int(line) % n].way) for line in self.options.lines]
        return np.array([known.setdefault(way, len(known)) for way in found], dtype=np.int64)

    def cell(self, pair: int) -> Cell:
        """Give the cell of a pair."""
        return self.cells[pair % len(self.cells)]

    def losses(self, weights: IntArray) -> FloatArray:
        """Give what each pair loses where questions count so often: weights int64 (q, d), losses float (p, d)."""
        return (~self.answered).astype(np.float64) @ weights.astype(np.float64)

    def pick(self, weights: IntArray, tolerance: Tolerance) -> IntArray:
        """Choose a pair in each draw."""
        return pick(self.options, self.losses(weights), tolerance.of(int(weights[:, 0].sum())))


def _retrievers(result: SweepResult) -> range:
    return range(len(result.cells[0].retrieval or ()))


def answers(found: Mapping[str, Any]) -> BoolArray:
    """Tell which questions a cell answers at the k by which it is judged."""
    ranks = found["first_rank_answered"].ranks
    answered: BoolArray = (ranks > 0) & (ranks <= found["k"][-1])
    return answered


def _context(found: Mapping[str, Any]) -> float:
    context = found["context"][str(found["k"][-1])]
    return float("inf") if context is None else float(context)


def advise_recall(
    result: SweepResult,
    *,
    tolerance: Tolerance | str = TWO_PERCENT,
    limit: ModelLimit = UNNAMED,
    seed: int = 0,
    chosen_on: BoolArray | None = None,
) -> Advice | NoAdvice:
    """Advise a retriever and a cell by the questions that they answer.

    Parameters
    ----------
    result : SweepResult
        With a `RetrievalMeasure` among its measures.
    tolerance : Tolerance or str
    limit : ModelLimit
    seed : int
        Of the draws that tell how sure the advice is.
    chosen_on : bool (q,), optional
        The questions to choose on; by default all.
    """
    contest = Contest.of(result, limit)
    if not contest.options.fits.any():
        could = any(is_known(cell) and largest_chunk(cell, limit) <= limit.limit for cell in result.cells)
        return NoAdvice(TOO_LONG if could else no_candidate(result.cells, limit))
    if not contest.n_questions:
        return NoAdvice(NO_EVIDENCE)
    rows = np.ones(contest.n_questions, dtype=np.bool_) if chosen_on is None else chosen_on
    asked, n_questions = rows.astype(np.int64)[:, None], int(np.count_nonzero(rows))
    tolerance = Tolerance.parse(tolerance)
    drawn = np.zeros((contest.n_questions, DRAWS), dtype=np.int64)
    drawn[rows] = draw_questions(n_questions, seed)
    chosen, winners = int(contest.pick(asked, tolerance)[0]), contest.pick(drawn, tolerance)
    return _told(contest, chosen, winners, contest.losses(asked)[:, 0], tolerance.of(n_questions), n_questions)


def _told(
    contest: Contest, chosen: int, winners: IntArray, losses: FloatArray, tolerance: float, n_questions: int
) -> Advice:
    """Say of a pair what it loses, how sure it is, and whether its grid ends too early."""
    cell, number = contest.cell(chosen), chosen // len(contest.cells)
    found = (cell.retrieval or ())[number]
    counted = counted_losses(contest.options, losses)
    wins = int(np.count_nonzero(_wins(contest, chosen, winners)))
    run = None
    if cell.size is not None:
        same_unit = np.array([contest.cell(winner).unit == cell.unit for winner in winners.tolist()])
        run = shortest_run(contest.options.sizes[winners] * same_unit, cell.size, WINS_OF_A_RUN * len(winners))
    return advice_of(
        PICK if 2 * wins >= len(winners) and losses[chosen] < n_questions else TRY,
        cell,
        contest.limit,
        counted[chosen],
        losses[chosen],
        counted[contest.options.eligible].min(),
        of=n_questions,
        tolerance=tolerance,
        retriever=retriever_names(cell.retrieval or ())[number],
        k=int(found["k"][-1]),
        context=found["settings"].get("context"),
        wins=wins,
        draws=len(winners),
        least_difference=least_difference(),
        run=None if run is None else WinningSizes(*run),
        grid_end=grid_end(contest.options, losses, chosen, tolerance),
    )


def _wins(contest: Contest, chosen: int, winners: IntArray) -> BoolArray:
    """Tell in which draws the way of the chosen pair wins; of one way, the chosen size or a neighbour of it."""
    ways = contest.ways
    if len(set(ways.tolist())) > 1:
        won: BoolArray = ways[winners] == ways[chosen]
        return won
    near = {chosen}
    for line in contest.options.fitting_lines():
        place = np.flatnonzero(line == chosen)
        if len(place):
            near.update(line[max(place[0] - 1, 0) : place[0] + 2].tolist())
    return np.isin(winners, list(near))


def best_of_ways(result: SweepResult, limit: ModelLimit = UNNAMED) -> list[dict[str, Any]]:
    """Give for each way of cutting and each retriever the cell that the rule would choose among theirs alone.

    Nothing more than the least is tolerated; where no cell fits, all of them do.
    """
    contest = Contest.of(result, limit)
    n_lines, weights = len(contest.lines), np.ones((contest.n_questions, 1), dtype=np.int64)
    losses, found = contest.losses(weights), []
    names = retriever_names(result.cells[0].retrieval or ())
    for way in dict.fromkeys(line.way for line in contest.lines):
        of_way = np.array([contest.lines[int(line) % n_lines].way == way for line in contest.options.lines])
        for number, name in enumerate(names):
            own = of_way & (contest.options.lines // n_lines == number)
            fits = contest.options.fits & own
            options = dataclasses.replace(contest.options, fits=fits if fits.any() else own)
            cell = contest.cell(int(pick(options, losses, 0.0)[0]))
            found.append({**dict(zip(SETTING, cell.key, strict=True)), "retriever": name})
    return found
