"""The advice that a sweep ends in: which cell, why that one, and how sure that is.

Without questions it is a *start*: the cell that damages the structure of the documents least. With questions it is a
*floor*: what is cut, or has lost its header, is exact, but nothing is said about ranking. Where chunks were ranked it
is a *pick*, or a *try* where other draws of the questions would pick another way (`chunkscope.retrieval.picking`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chunkscope.errors import ConfigError, unit_noun
from chunkscope.grid.choice import SLACK, FloatArray, Options, counted_losses, floor, start
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.language import Text, say

NO_EVIDENCE = say("no question has evidence to look at")

START, FLOOR, TRY, PICK = "start", "floor", "try", "pick"
DIGITS = 6

KINDS = ("sentences", "code_blocks", "headings", "table_rows")
"""What a start is judged by."""


@dataclass(frozen=True)
class Tolerance:
    """How much more than the least a candidate may lose: a share of the questions, never rounded, or so many.

    Examples
    --------
    >>> Tolerance.parse("2%").of(300), Tolerance.parse("1").of(300)
    (6.0, 1.0)
    """

    share: float = 0.02
    number: int | None = None

    @classmethod
    def parse(cls, text: str | int | Tolerance) -> Tolerance:
        """Read ``2%`` or ``1``.

        Raises
        ------
        ConfigError
            Neither a share below 100 % nor a whole number from 0.
        """
        if isinstance(text, Tolerance):
            return text
        percent = re.fullmatch(r"(\d{1,2}(?:\.\d{1,9})?)\s*%", str(text).strip(), re.ASCII)
        if percent:
            return cls(share=float(percent[1]) / 100)
        if not re.fullmatch(r"\d{1,9}", str(text).strip(), re.ASCII):
            raise ConfigError(
                f"--tolerance {text!s:.60}: write a share of the questions such as 2%, or a number such as 1"
            )
        return cls(number=int(text))

    def of(self, n_questions: int) -> float:
        """Give the tolerance in questions."""
        return self.share * n_questions if self.number is None else float(self.number)

    def __str__(self) -> str:
        return f"{100 * self.share:g}%" if self.number is None else str(self.number)


TWO_PERCENT = Tolerance()


@dataclass(frozen=True)
class WinningSizes:
    """Sizes that win so many of the draws of the questions."""

    smallest: int
    largest: int
    wins: int


@dataclass(frozen=True)
class Remedy:
    """What prepending to the chunks of a cell would do.

    Attributes
    ----------
    prepend : str
        As a chunker's setting spells it, such as ``table-header``.
    before, after, of : int
        What is lost of so many without and with it.
    what : str
        ``questions`` harmed, questions without ``answers``, ``rows`` without their header, chunks without ``status``.
    times : float
        Characters to embed with it over those without.
    largest : int
        The largest chunk with it, in the unit of the limit.
    fits : bool
    """

    prepend: str
    what: str
    before: int
    after: int
    of: int
    times: float
    largest: int
    fits: bool


@dataclass(frozen=True)
class Advice:
    """One cell, and what is to be said of it.

    Attributes
    ----------
    kind : str
        ``start``, ``floor``, ``try`` or ``pick``.
    chunker, unit, size, overlap
        The cell.
    retriever, k, context
        Where chunks were ranked.
    prepend : str or None
        What would mend the cell's loss, where the chunks still fit with it.
    loss, own_loss : float
        The loss that counts, and the cell's own; of a start the worst share that is cut in two.
    of : int or None
        How many questions there are.
    least_loss : float
        The least that any cell loses.
    tolerance : float
        How much more than that the advised cell may lose.
    largest, limit : int
        The largest chunk and the limit, in `limit_unit`.
    wins, draws : int or None
        How often this way wins when the questions are drawn anew.
    least_difference : int or None
        The least difference that an exact paired test sees between two cells named in advance.
    run : WinningSizes or None
    grid_end : str or None
        ``largest`` or ``smallest``: the cell has that size of its line, and the one beside it loses much more.
    remedies : tuple of Remedy
    """

    kind: str
    chunker: str
    unit: str
    size: int | None
    overlap: int | None
    loss: float
    own_loss: float
    least_loss: float
    largest: int
    limit: int
    limit_unit: str
    of: int | None = None
    tolerance: float | None = None
    retriever: str | None = None
    k: int | None = None
    context: int | None = None
    prepend: str | None = None
    wins: int | None = None
    draws: int | None = None
    least_difference: int | None = None
    run: WinningSizes | None = None
    grid_end: str | None = None
    remedies: tuple[Remedy, ...] = field(default=(), compare=False)

    @property
    def key(self) -> tuple[str, str, int | None, int | None]:
        """What tells the advised cell from the others of its grid."""
        return self.chunker, self.unit, self.size, self.overlap

    def to_dict(self) -> dict[str, Any]:
        """Give it as it stands in the JSON."""
        found = {name: value for name, value in vars(self).items() if name not in ("run", "remedies")}
        found = {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in found.items()}
        found["run"] = None if self.run is None else vars(self.run)
        found["remedies"] = [{**vars(one), "times": round(one.times, DIGITS)} for one in self.remedies]
        return {"advice": found}


@dataclass(frozen=True)
class HeldOut:
    """What the rule would have advised on a part of the questions, and how that does on the rest.

    Attributes
    ----------
    advice : Advice
    chosen_on, held_out : (int, int)
        How many are answered, of how many.
    settings : mapping
        How the questions were parted.
    """

    advice: Advice
    chosen_on: tuple[int, int]
    held_out: tuple[int, int]
    settings: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Give it as it stands in the JSON."""
        counts = {"chosen_on": list(self.chosen_on), "held_out": list(self.held_out)}
        return {**self.advice.to_dict(), **counts, **self.settings}


@dataclass(frozen=True)
class NoAdvice:
    """Why there is none; it is false, so that ``if result.advice:`` tells whether there is some."""

    reason: str

    def __bool__(self) -> bool:
        return False

    def to_dict(self) -> dict[str, Any]:
        """Give it as it stands in the JSON."""
        return {"advice": None, "advice_reason": self.reason}


def kept(cell: Cell, kind: str) -> tuple[int, int]:
    """Give how many of a kind are not cut in two, and how many there are; (0, 0) where they were not counted.

    Examples
    --------
    >>> kept(Cell("fixed", "char", 50, 0, 9, table_rows=4, table_rows_whole=1), "table_rows")
    (1, 4)
    """
    return getattr(cell, f"{kind}_whole") or 0, getattr(cell, kind) or 0


def cut_in_two(cell: Cell, kind: str) -> int:
    """Give how many of a kind a cell cuts in two."""
    whole, total = kept(cell, kind)
    return total - whole


def harm(cell: Cell) -> float:
    """Give how many questions a cell harms: split ones, on average if that is more, and those that lost a header.

    Examples
    --------
    >>> harm(Cell("fixed", "char", 50, 0, 9, questions=5, harmed_questions=1, expected_split_questions=1.5))
    2.5
    """
    more = max(0.0, (cell.expected_split_questions or 0.0) - cell.split_questions)
    return min(cell.harmed_questions + more, float(cell.questions))


def largest_chunk(cell: Cell, limit: ModelLimit) -> int:
    """Give the largest text to index of a cell, in the unit that the limit is counted in; 0 without chunks."""
    lengths = cell.lengths if limit.unit_for(cell.unit) == "char" else cell.model_lengths
    return 0 if lengths is None else lengths.longest or 0


MOST_NOT_FOUND = 0.05
"""Above this share of its pieces found nowhere, nobody knows what a splitter cuts."""


def is_known(cell: Cell) -> bool:
    """Tell whether it is known where the chunks of a cell lie: of ours always, of a splitter's pieces nearly all.

    Examples
    --------
    >>> is_known(Cell("wrap", "char", 9, 0, 90, chunks=10, pieces={"not_found": 1}))
    False
    """
    lost = 0 if cell.pieces is None else cell.pieces["not_found"]
    return not cell.failures and lost <= MOST_NOT_FOUND * cell.chunks


def no_candidate(cells: Sequence[Cell], limit: ModelLimit) -> Text:
    """Say why no cell can be advised."""
    known = [cell for cell in cells if is_known(cell)]
    if known:
        return nothing_fits(known, limit)
    return say(
        "a splitter failed on a document, or more than {share} of its pieces are found nowhere in the documents: "
        "what it cuts is not known",
        share=f"{100 * MOST_NOT_FOUND:g}%",
    )


def nothing_fits(cells: Sequence[Cell], limit: ModelLimit) -> Text:
    """Say that even the smallest of the largest chunks is above the limit."""
    smallest = min(cells, key=lambda cell: largest_chunk(cell, limit))
    largest = largest_chunk(smallest, limit)
    length = say("{n:,} {unit}", n=largest, unit=unit_noun(limit.unit_for(smallest.unit), largest))
    return say(
        "no cell fits: the smallest of the largest chunks has {length}, the limit is {limit:,}",
        length=length,
        limit=limit.limit,
    )


def options_of(cells: Sequence[Cell], lines: Iterable[Line], limit: ModelLimit = UNNAMED) -> Options:
    """Give the cells of a sweep as the rule sees them."""
    number = np.zeros(len(cells), dtype=np.int64)
    for place, line in enumerate(lines):
        number[list(line.places)] = place
    return Options(
        lines=number,
        sizes=np.array([cell.size or 0 for cell in cells], dtype=np.int64),
        fits=np.array([largest_chunk(cell, limit) <= limit.limit and is_known(cell) for cell in cells], dtype=np.bool_),
        price=np.array([cell.chunk_characters for cell in cells], dtype=np.float64),
        chunks=np.array([cell.chunks for cell in cells], dtype=np.int64),
        says_nothing=np.zeros(len(cells), dtype=np.bool_),
    )


def losses_of(result: SweepResult) -> FloatArray:
    """Give the questions that each cell harms: float (c,)."""
    return np.array([harm(cell) for cell in result.cells], dtype=np.float64)


def cuts_of(result: SweepResult) -> tuple[FloatArray, np.ndarray[Any, Any]]:
    """Give how many of each kind each cell cuts in two, float (c, n), and how many there are, int64 (n,)."""
    cells = result.cells
    kinds = [kind for kind in KINDS if cells and kept(cells[0], kind)[1]]
    cut = np.array([[cut_in_two(cell, kind) for kind in kinds] for cell in cells], dtype=np.float64)
    totals = np.array([kept(cells[0], kind)[1] for kind in kinds], dtype=np.int64)
    return cut.reshape(len(cells), len(kinds)), totals


def advise(
    result: SweepResult, *, tolerance: Tolerance | str = TWO_PERCENT, limit: ModelLimit = UNNAMED
) -> Advice | NoAdvice:
    """Advise a cell of a sweep by what is cut and what has lost its header.

    Parameters
    ----------
    result : SweepResult
        Without ranking.
    tolerance : Tolerance or str
        ``"2%"`` of the questions, or so many.
    limit : ModelLimit
        What the embedding model takes.

    Returns
    -------
    Advice or NoAdvice

    Examples
    --------
    >>> from chunkscope import Document, Question, sweep
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。")
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = sweep([rules], asked, chunkers="sentence", sizes=[10, 20, 40], overlaps=[0])
    >>> found = advise(result)
    >>> found.kind, found.size, found.loss, found.of
    ('floor', 40, 0.0, 1)
    """
    lines = lines_of(result)
    options = options_of(result.cells, lines, limit)
    if not result.cells:
        return NoAdvice(say("the grid has no cell"))
    if not options.fits.any():
        return NoAdvice(no_candidate(result.cells, limit))
    if result.questions is None:
        cut, totals = cuts_of(result)
        if not len(totals):
            return NoAdvice(say("the documents have nothing that could be cut in two"))
        chosen = start(options, cut, totals)
        counted = (counted_losses(options, cut) / totals).max(axis=1)
        own = (cut / totals).max(axis=1)
        end = grid_end(options, counted, chosen, 0.0)
        return advice_of(
            START, result.cells[chosen], limit, counted[chosen], own[chosen], counted[options.fits].min(), grid_end=end
        )
    if not result.questions.valid:
        return NoAdvice(NO_EVIDENCE)
    n_questions, tolerance = result.questions.valid, Tolerance.parse(tolerance)
    losses = losses_of(result)
    chosen = floor(options, losses, tolerance.of(n_questions))
    counted = counted_losses(options, losses)
    least = counted[options.eligible].min()
    return advice_of(
        FLOOR, result.cells[chosen], limit, counted[chosen], losses[chosen], least,
        of=n_questions, tolerance=tolerance.of(n_questions),
        grid_end=grid_end(options, losses, chosen, tolerance.of(n_questions)),
    )  # fmt: skip


def grid_end(options: Options, losses: FloatArray, chosen: int, tolerance: float) -> str | None:
    """Tell whether a cell has an end of its line, and its one neighbour loses more than the tolerance more.

    Parameters
    ----------
    losses : float (c,)

    Returns
    -------
    str or None
        ``largest`` or ``smallest``. Where the cell itself loses nothing, no larger size can do better.
    """
    line = next(line for line in options.fitting_lines() if chosen in line)
    if len(line) < 2 or not losses[chosen] > 0:
        return None
    for end, beside, name in ((line[-1], line[-2], "largest"), (line[0], line[1], "smallest")):
        if end == chosen and losses[beside] > losses[chosen] + tolerance + SLACK:
            return name
    return None


def advice_of(
    kind: str, cell: Cell, limit: ModelLimit, loss: float, own_loss: float, least_loss: float, **more: Any
) -> Advice:
    """Make the advice of a cell."""
    return Advice(
        kind, *cell.key, float(loss), float(own_loss), float(least_loss), largest_chunk(cell, limit),
        limit.limit, limit.unit_for(cell.unit), **more,
    )  # fmt: skip
