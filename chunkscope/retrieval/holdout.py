"""Questions held out: those to choose a setting on, and those to show its figure on."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from chunkscope.errors import ConfigError, InputError, did_you_mean
from chunkscope.questions.question import Question
from chunkscope.spans.intervals import BoolArray

FIRST_HALF = "first-half"


@dataclass(frozen=True)
class Holdout:
    """Which questions are kept back from choosing a setting, to show its figure on.

    Parameters
    ----------
    share : float or "first-half"
        Of the questions, those that are kept back, at random; above 0 and below 1. Or choose on the first half of them
        as they stand, and keep the second back.
    seed : int
        Of what is random.
    by : str or None
        An attribute of questions: those with the same value stay on one side.

    Raises
    ------
    ConfigError
        A share or seed that means nothing.

    Examples
    --------
    >>> chosen_on, held_out = Holdout("first-half").split(["q1", "q2", "q2", "q3"])
    >>> chosen_on.tolist()
    [True, True, True, False]
    """

    share: float | str
    seed: int = 0
    by: str | None = None

    def __post_init__(self) -> None:
        if self.share != FIRST_HALF and not (isinstance(self.share, float) and 0 < self.share < 1):
            raise ConfigError(f"--holdout {self.share}: give a share above 0 and below 1, such as 0.5, or {FIRST_HALF}")
        if self.seed < 0:
            raise ConfigError(f"--seed {self.seed}: must not be negative")

    @classmethod
    def parse(cls, text: str, seed: int = 0, by: str | None = None) -> Holdout:
        """Read ``0.5`` or ``first-half``.

        Raises
        ------
        ConfigError
            Anything else.
        """
        text = text.strip()
        return cls(float(text) if re.fullmatch(r"\d*\.?\d+", text, re.ASCII) else text, seed, by)

    def groups(self, questions: Sequence[Question]) -> list[Hashable]:
        """Give for each question what it stays together with; a question without the attribute stays alone.

        Raises
        ------
        InputError
            No question has the attribute.
        """
        if self.by is None:
            return list(range(len(questions)))
        known = sorted({key for question in questions for key in question.attributes})
        if self.by not in known:
            hint = did_you_mean(self.by, known) or (f"there are {', '.join(known[:12])}" if known else "they have none")
            raise InputError(f"--holdout-by {self.by}: no question has that attribute; {hint}")
        values = [question.attributes.get(self.by) for question in questions]
        return [number if value is None else str(value) for number, value in enumerate(values)]

    def split(self, groups: Sequence[Hashable]) -> tuple[BoolArray, BoolArray]:
        """Part questions: those to choose on, and those held out.

        Parameters
        ----------
        groups : sequence of hashable
            For each question its group; no group is parted, so the share is met as nearly as they allow.

        Returns
        -------
        chosen_on, held_out : bool (q,)

        Raises
        ------
        ConfigError
            One side would be empty.
        """
        numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        owners = np.array([numbers[group] for group in groups], dtype=np.int64)
        sizes = np.bincount(owners, minlength=len(numbers))
        if isinstance(self.share, str):
            order, wanted = np.arange(len(sizes))[::-1], len(owners) // 2
        else:
            order, wanted = np.random.default_rng(self.seed).permutation(len(sizes)), round(len(owners) * self.share)
        if len(sizes) < 2 or not 0 < wanted < len(owners):
            what = f"{len(owners)} questions" + (f" by {self.by}" if self.by else "")
            raise ConfigError(f"--holdout {self.share} of {what} leaves one side empty")
        n_groups = 1 + int(np.argmin(np.abs(np.cumsum(sizes[order])[:-1] - wanted)))
        held_out: BoolArray = np.isin(owners, order[:n_groups])
        return ~held_out, held_out
