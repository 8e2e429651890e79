"""The shortest passage around a quote that stands nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunkscope.questions.quote_search import shared_length

REACH = 1000
"""How far an extension may go on either side. Beyond that, a pair of offsets says it better."""


class Context(NamedTuple):
    """What stands before and behind a place, up to `REACH` characters."""

    before: str
    after: str

    @classmethod
    def of(cls, text: str, start: int, end: int) -> Context:
        """Cut the context of a span out of its text."""
        return cls(text[max(0, start - REACH) : start], text[end : end + REACH])


def unique_extension(contexts: Sequence[Context], place: int) -> tuple[int, int] | None:
    """Tell how far to extend a quote to both sides so that it stands at one place only.

    Parameters
    ----------
    contexts : sequence of Context
        Those of all places of the quote.
    place : int
        Which of them is meant.

    Returns
    -------
    (int, int) or None
        Characters to add on the left and on the right, fewest in sum, on the left as few as can be; None where
        `REACH` characters do not suffice.

    Notes
    -----
    An extension parts the place from another one if it goes farther than what both have in common, on the left or
    on the right. So only the lengths in common matter, and for each choice of left the right follows.

    Examples
    --------
    >>> text = "朝食は七時。昼食は七時。"
    >>> unique_extension([Context.of(text, 2, 5), Context.of(text, 8, 11)], 1)
    (2, 0)
    """
    mine = contexts[place]
    common = [
        (
            shared_length(mine.before[::-1], 0, other.before[::-1], 0),
            shared_length(mine.after, 0, other.after, 0),
        )
        for number, other in enumerate(contexts)
        if number != place
    ]
    best: tuple[int, int] | None = None
    for left in sorted({0, *(before + 1 for before, _ in common)}):
        right = max((after + 1 for before, after in common if before >= left), default=0)
        fits = left <= len(mine.before) and right <= len(mine.after)
        if fits and (best is None or left + right < sum(best)):
            best = left, right
        if best is not None and left >= sum(best):
            break
    return best
