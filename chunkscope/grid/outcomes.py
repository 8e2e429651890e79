"""What became of the questions that two results share: whether something holds for them, and their ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from chunkscope.grid.pairing import Record, group
from chunkscope.grid.results import Value, at_own_number, has_context, leaves
from chunkscope.grid.statistics import mcnemar, newcombe

DIGITS = 6

NO_FIGURES = frozenset({"retriever", "settings", "k", "intervals", "against_best"})
"""What a retriever found has beside figures, or follows from these."""

Path: TypeAlias = tuple[str, ...]
Changes: TypeAlias = Mapping[Path, tuple[Value, Value]]


@dataclass(frozen=True)
class PairedOutcome:
    """For how many questions something holds in each result, such as that they are answered.

    Attributes
    ----------
    old, new, total : int
        Questions for which it holds, of those that both results have.
    gained, lost : tuple of str
        The questions for which it holds in the new result only, and in the old one only.

    Examples
    --------
    >>> outcome = PairedOutcome.of({"q1": False, "q2": True, "q3": True}, {"q1": True, "q2": True, "q3": True})
    >>> outcome.old, outcome.new, outcome.total, outcome.gained, outcome.p_value
    (2, 3, 3, ('q1',), 1.0)
    """

    old: int
    new: int
    total: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    @classmethod
    def of(cls, old: Mapping[str, bool], new: Mapping[str, bool]) -> PairedOutcome:
        """Make it of what holds for each question."""
        return cls(
            sum(old.values()),
            sum(new.values()),
            len(new),
            tuple(one for one in new if new[one] and not old[one]),
            tuple(one for one in new if old[one] and not new[one]),
        )

    @property
    def difference(self) -> float | None:
        """By how much the share has grown; None over nothing."""
        return (self.new - self.old) / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """In what range that may lie, at 95 %; see `newcombe`."""
        both = self.old - len(self.lost)
        neither = self.total - self.new - len(self.lost)
        return newcombe(both, len(self.lost), len(self.gained), neither)

    @property
    def p_value(self) -> float:
        """How often chance alone would part the questions as unevenly, or more; see `mcnemar`."""
        return mcnemar(len(self.lost), len(self.gained))

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "old": self.old,
            "new": self.new,
            "total": self.total,
            "gained": list(self.gained),
            "lost": list(self.lost),
            "difference": None if self.difference is None else round(self.difference, DIGITS),
            "interval": None if self.interval is None else [round(edge, DIGITS) for edge in self.interval],
            "p_value": round(self.p_value, DIGITS),
        }


@dataclass(frozen=True)
class RankingChange:
    """What one retriever found in one setting of both results.

    Attributes
    ----------
    retriever : str
        Its name; both names where each result has another.
    old, new : mapping
        What it found, as it stands in each result.
    changed : mapping
        The figures that are not the same, by the names that lead to them; none where the questions are not the same.
    answered : mapping
        For each number of chunks, that of the old result and that of the new, the questions that they answer. The last
        judges.
    ranks : mapping
        The questions whose rank is another, or which another number of chunks answers, with both ranks; None: never
        found.
    """

    retriever: str
    old: Record = field(repr=False)
    new: Record = field(repr=False)
    changed: Changes = field(repr=False)
    answered: Mapping[tuple[int, int], PairedOutcome]
    ranks: Mapping[str, tuple[int | None, int | None]]

    @property
    def judging(self) -> tuple[tuple[int, int], PairedOutcome] | None:
        """The largest numbers of chunks, and what they answer."""
        return max(self.answered.items(), key=lambda item: item[0]) if self.answered else None

    @property
    def is_same(self) -> bool:
        """Tell whether nothing changed."""
        return not (self.changed or self.ranks)

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "retriever": self.retriever,
            "answered": [{"k": list(k), **outcome.to_dict()} for k, outcome in self.answered.items()],
            "ranks": {question: list(pair) for question, pair in self.ranks.items()},
            "changed": {"_".join(path): list(values) for path, values in self.changed.items()},
        }


def changed_figures(old: Record, new: Record, left_out: Collection[str]) -> dict[Path, tuple[Value, Value]]:
    """Find the figures that are not the same, but for some entries.

    Examples
    --------
    >>> changed_figures({"cuts": {"row": 1, "word": 7}, "size": 5}, {"cuts": {"row": 2, "word": 7}}, ["size"])
    {('cuts', 'row'): (1, 2)}
    """
    before, after = (
        dict(leaves({name: value for name, value in one.items() if name not in left_out})) for one in (old, new)
    )
    return {
        path: (before.get(path), after.get(path)) for path in {**after, **before} if before.get(path) != after.get(path)
    }


def compare_ranking(
    name: str, old: Record, new: Record, shared: Sequence[str], *, with_figures: bool = True
) -> RankingChange:
    """Compare what a retriever found in a cell of each result, over the questions that both have.

    Examples
    --------
    >>> old, new = ({"k": [1, 5], "first_rank": {"q1": rank, "q2": 2}} for rank in (3, 30))
    >>> found = compare_ranking("bm25", old, new, ["q1", "q2"])
    >>> dict(found.ranks), found.answered[5, 5].lost
    ({'q1': (3, 30)}, ('q1',))
    """
    judged = "first_rank_answered" if all("first_rank_answered" in one for one in (old, new)) else "first_rank"
    before, after = group(old, judged), group(new, judged)
    ranks = {one: (_rank(before[one]), _rank(after[one])) for one in shared if one in before and one in after}
    answered = {}
    for k, now in _numbers(old, new) if ranks else ():
        outcomes = [
            {one: (rank := pair[side]) is not None and rank <= limit for one, pair in ranks.items()}
            for side, limit in enumerate((k, now))
        ]
        answered[k, now] = PairedOutcome.of(*outcomes)
    sides = {one for outcome in answered.values() for one in (*outcome.gained, *outcome.lost)}
    moved = {one: pair for one, pair in ranks.items() if pair[0] != pair[1] or one in sides}
    if has_context(old) and has_context(new):
        old, new = at_own_number(old), at_own_number(new)
    figures = changed_figures(old, new, NO_FIGURES) if with_figures else {}
    return RankingChange(name, old, new, figures, answered, moved)


def _rank(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def _numbers(old: Record, new: Record) -> list[tuple[int, int]]:
    """Pair the numbers of chunks: those that both have, or the largest of each; at equal context each has its own."""
    before, after = ([k for k in _sequence(one.get("k")) if isinstance(k, int)] for one in (old, new))
    both = [(k, k) for k in after if k in before] if not (has_context(old) or has_context(new)) else []
    return both or ([(max(before), max(after))] if before and after else [])


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()
