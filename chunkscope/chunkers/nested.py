"""Pieces in pieces: what a list of separators, tried one behind the other, makes of texts, whatever the size.

The pieces of a level are those of the level before, each split at the next separator of the list; where that does
not occur in it, a piece stays as it is. They are a tree, and which of them are merged and which are gone into is a
matter of their weight alone: a walk around those that are gone into passes all runs of pieces that are merged, in
their order.

Twin: tests/oracle/recursive.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers.base import LARGEST_SIZE
from chunkscope.chunkers.packing import kind_for
from chunkscope.spans.intervals import BoolArray, IntArray, SpanArray, expand_ranges

Keep = Literal["none", "start", "end"]

ALWAYS = LARGEST_SIZE + 1
"""How far a text reaches that no separator has split yet: it is gone into, however small it is."""

ZERO = np.zeros(1, dtype=np.int64)
_NOWHERE = np.empty((0, 2), dtype=np.int64)
LAST_SPACE = 0x3000
"""The last white space there is: the ideographic space."""
SHORT_RUN = 128
"""Runs of white space up to this length are passed character by character."""


@dataclass(frozen=True)
class Separator:
    """A separator as it is written; with a pattern, as the regular expression that it is.

    A pattern looks at nothing around its match, and matches one length at a place at most.
    """

    spelling: str
    pattern: re.Pattern[str] | None = None

    def matches(self, text: str) -> SpanArray:
        """Give where the pattern occurs in a text, places that overlap included; nothing without a pattern."""
        if self.pattern is None:
            return _NOWHERE
        found = []
        match = self.pattern.search(text)
        while match:
            found.append(match.span())
            match = self.pattern.search(text, match.start() + 1)
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    @property
    def is_character(self) -> bool:
        """Whether it is a single character, which overlaps with nothing."""
        return self.pattern is None and len(self.spelling) == 1

    def find(self, points: NDArray[np.uint32], edges: IntArray) -> tuple[IntArray, IntArray]:
        r"""Give where it is written in texts, places that overlap included.

        Returns
        -------
        starts, ends : int64 (n,)

        Examples
        --------
        >>> from chunkscope.structure.characters import code_points
        >>> Separator("\n\n").find(code_points("a\n\n\n\nb"), np.array([0, 4, 6]))
        (array([1, 2]), array([3, 4]))
        """
        first, *others = map(ord, self.spelling)
        starts = np.flatnonzero(points[: max(len(points) - len(others), 0)] == first)
        for place, character in enumerate(others, 1):
            starts = starts[points[starts + place] == character]
        ends = starts + len(self.spelling)
        if others:
            inside = ends <= edges[np.searchsorted(edges, starts, side="right").clip(max=len(edges) - 1)]
            starts, ends = starts[inside], ends[inside]
        return starts, ends


class Level(NamedTuple):
    """The pieces of one level.

    Attributes
    ----------
    starts, ends : int64 (m,)
        In order; no two overlap.
    reaches : int64 (m,)
        The largest size at which each is gone into: the least weight of it and of all that it lies in.
    used : int64 (m + 1,)
        What they weigh by themselves, added up, each with the separator behind it where that is dropped.
    children : int64 (p + 1,)
        The first piece of each piece of the level before; of each document, for the first level.
    joint : int
        What the separator weighs that joins them, where separators are dropped.
    """

    starts: IntArray
    ends: IntArray
    reaches: IntArray
    used: IntArray
    children: IntArray
    joint: int


@dataclass(frozen=True)
class Nested:
    """Texts one behind the other, with the places of all separators.

    Attributes
    ----------
    separators : sequence of Separator
        Those that are not empty.
    by_character : bool
        What none of them splits small enough is split into characters.
    keep : {"none", "start", "end"}
    edges : int64 (d + 1,)
        Where texts start, and the last ends.
    points : uint32 (n,)
        Their code points.
    matches : sequence of int64 (m, 2)
        Where each separator occurs that is a pattern; for the others nothing.
    joints : sequence of int
        What each separator weighs.
    weights : sequence of int64 (m,), or None
        What the pieces of each level weigh by themselves; None in characters.
    characters : int64 (n,) or None
        What each character weighs by itself.
    """

    separators: Sequence[Separator]
    by_character: bool
    keep: Keep
    edges: IntArray
    points: NDArray[np.uint32]
    matches: Sequence[SpanArray]
    joints: Sequence[int]
    weights: Sequence[IntArray] | None = None
    characters: IntArray | None = None

    @cached_property
    def found(self) -> list[tuple[IntArray, IntArray]]:
        """Starts and ends of each separator, places that overlap included."""
        return [
            separator.find(self.points, self.edges) if separator.pattern is None else (matches[:, 0], matches[:, 1])
            for separator, matches in zip(self.separators, self.matches, strict=True)
        ]

    @cached_property
    def pieces(self) -> list[tuple[IntArray, IntArray]]:
        """Starts and ends of the pieces of each level."""
        levels = []
        edges = np.concatenate((ZERO, self.edges[1:][np.diff(self.edges) > 0]))
        starts, ends = edges[:-1], edges[1:]
        is_edge = np.zeros(len(self.points) + 1, dtype=np.bool_)
        is_edge[edges] = True
        for separator, found in zip(self.separators, self.found, strict=True):
            is_sure = self.keep != "none" and separator.is_character
            before, behind = found if is_sure else _taken(*found, starts, ends)
            if self.keep == "none":
                starts = np.sort(np.concatenate((starts, behind)), kind="stable")
                ends = np.sort(np.concatenate((ends, before)), kind="stable")
                some = np.flatnonzero(starts < ends)
                starts, ends = starts[some], ends[some]
            else:
                is_edge[before if self.keep == "start" else behind] = True
                edges = np.flatnonzero(is_edge)
                starts, ends = edges[:-1], edges[1:]
            levels.append((starts, ends))
        return levels

    @cached_property
    def levels(self) -> list[Level]:
        """The pieces of each level, weighed."""
        levels: list[Level] = []
        parents, reaches = self.edges[:-1], np.full(len(self.edges) - 1, ALWAYS)
        unsplit = np.flatnonzero(self.edges[:-1] < self.edges[1:])
        for number, (starts, ends) in enumerate(self.pieces):
            children = np.searchsorted(starts, np.append(parents, self.edges[-1]))
            weights = ends - starts if self.weights is None else self.weights[number]
            if self.weights is None:
                reaches = weights.copy()  # no piece is longer than what it lies in
            else:
                reaches = np.minimum(weights, np.repeat(reaches, np.diff(children)))
            bounds = np.searchsorted(self.found[number][0], self.edges)
            unsplit = unsplit[bounds[unsplit] == bounds[unsplit + 1]]
            if self.by_character or number < len(self.pieces) - 1:
                reaches[np.searchsorted(starts, self.edges[unsplit])] = ALWAYS
            joint = self.joints[number] if self.keep == "none" else 0
            is_tiled = self.weights is None and self.keep != "none"
            used = np.append(starts, self.edges[-1]) if is_tiled else _added_up(weights + joint)
            levels.append(Level(starts, ends, reaches, used, children, joint))
            parents = starts
        return levels

    @cached_property
    def _blank(self) -> BoolArray:
        """What is white space to `str.strip`: bool (n + 1,); nothing is behind the end, nor before the start."""
        blank = np.zeros(len(self.points) + 1, dtype=np.bool_)
        np.equal(self.points, ord(" "), out=blank[:-1])
        others = np.flatnonzero((self.points < ord(" ")) | ((self.points > ord("~")) & (self.points <= LAST_SPACE)))
        blank[others] = _spaces()[self.points[others]]
        return blank

    @cached_property
    def _visible(self) -> IntArray:
        """The places of what is no white space, behind -1, and the end of all."""
        return np.concatenate((ZERO - 1, np.flatnonzero(~self._blank)))

    def lead(self, places: IntArray) -> IntArray:
        """Give for each place the next at which something else than white space stands, or the end of all."""
        found = places.copy()
        rest = np.flatnonzero(self._blank.take(found))
        for _ in range(SHORT_RUN):
            if not len(rest):
                return found
            found[rest] += 1
            rest = rest[np.flatnonzero(self._blank.take(found.take(rest)))]
        found[rest] = self._visible[np.searchsorted(self._visible, found[rest])]
        return found

    def trail(self, places: IntArray) -> IntArray:
        """Give for each place the last at or before it behind something else than white space, or 0."""
        found = places - 1
        rest = np.flatnonzero(self._blank.take(found))
        for _ in range(SHORT_RUN):
            if not len(rest):
                return found + 1
            found[rest] -= 1
            rest = rest[np.flatnonzero(self._blank.take(found.take(rest)))]
        found[rest] = self._visible[np.searchsorted(self._visible, found[rest]) - 1]
        return found + 1

    def tiles(self, spans: SpanArray) -> SpanArray:
        """Give spans with the white space that follows each in its text."""
        texts = np.searchsorted(self.edges, spans[:, 1]) - 1
        return np.column_stack((spans[:, 0], np.minimum(self.lead(spans[:, 1]), self.edges[texts + 1])))


class Runs(NamedTuple):
    """Runs of pieces that are merged, in their order.

    Attributes
    ----------
    first, behind : int64 (r,)
        The first piece of each, and the one behind its last.
    levels : int64 (r,)
        Their level; one behind the last where a piece is taken as it is.
    """

    first: IntArray
    behind: IntArray
    levels: IntArray


class Descent:
    """A walk around the pieces that are gone into at a size, and by leaving some out at any larger one.

    A step leads into a piece or out of it. Between two steps lies a run of pieces, of one level and in one piece.

    Attributes
    ----------
    starts, ends : int32 or int64 (b,)
        Where the piece behind each boundary starts, and the one before it ends, level by level; 0 where there is none.
    used : int32 or int64 (b,)
        What these weigh by themselves, added up, each with the separator behind it where that is dropped.
    joints : int64 (l + 1,)
        What that separator weighs on each level; a piece that is taken as it is has that of the last.
    alone : int
        The level of pieces that are taken as they are: one behind the last.
    """

    def __init__(self, nested: Nested, size: int) -> None:
        passed = list(nested.levels)
        steps: list[_Steps] = []
        texts = np.flatnonzero(np.diff(nested.edges))
        parents = _Pieces(texts, nested.edges[texts], nested.edges[texts + 1], np.full(len(texts), ALWAYS))
        places = np.full(len(texts), -2)  # of each among all pieces passed; texts lie next to nothing
        n_levels = len(passed) + nested.by_character
        base = 0
        for number in range(n_levels):
            if number == len(passed):
                passed.append(_characters_of(nested, parents))
                parents = parents._replace(numbers=np.arange(len(parents.numbers)))
            level = passed[number]
            first, behind = base + level.children[parents.numbers], base + level.children[parents.numbers + 1]
            steps += _steps(parents, places, first, behind, number, n_levels)
            large = np.flatnonzero(level.reaches >= size)
            parents, places = _Pieces(large, level.starts[large], level.ends[large], level.reaches[large]), base + large
            base += len(level.used)
        steps += _steps(parents, places, places, places + 1, n_levels, n_levels)
        self.alone = n_levels
        self._first_of_levels = np.cumsum([0, *(len(level.used) for level in passed)]).tolist()
        self.joints = np.array([*(level.joint for level in passed), passed[-1].joint], dtype=np.int64)
        lifts = np.cumsum([0, *(int(level.used[-1]) + 1 for level in passed)]).tolist()
        kind = kind_for(max(lifts[-1], int(nested.edges[-1])))
        self.starts = np.concatenate([side for level in passed for side in (level.starts, ZERO)], dtype=kind)
        self.ends = np.concatenate([side for level in passed for side in (ZERO, level.ends)], dtype=kind)
        self.used = np.concatenate([level.used + lift for level, lift in zip(passed, lifts, strict=False)], dtype=kind)
        order = np.argsort(np.concatenate([step.order for step in steps]), kind="stable")
        columns = zip(*(step[1:] for step in steps), strict=True)
        self._reaches, self._behind, self._first, self._levels = (
            np.concatenate(column).take(order) for column in columns
        )

    def runs(self, sizes: Sequence[int]) -> Iterator[Runs]:
        """Give the runs at each of some sizes, from the smallest on."""
        rest, reaches = np.arange(len(self._reaches)), self._reaches
        for size in sizes:
            going = (reaches >= size).nonzero()[0]
            rest, reaches = rest.take(going), reaches.take(going)
            first, behind = self._first.take(rest[:-1]), self._behind.take(rest[1:])
            some = (first < behind).nonzero()[0]
            yield Runs(first.take(some), behind.take(some), self._levels.take(rest.take(some)))

    def gaps(self, nested: Nested) -> Gaps:
        """Find where pieces do not join with the separator as it is written, which was dropped between them."""
        found = []
        for number, separator in enumerate(nested.separators):
            low, high = self._first_of_levels[number : number + 2]
            starts, ends = self.ends[low + 1 : high - 1], self.starts[low + 1 : high - 1]
            lengths = ends - starts
            other = np.flatnonzero(lengths != len(separator.spelling) if separator.pattern is None else lengths > 0)
            lift = number * (int(nested.edges[-1]) + 1)
            found.append((starts[other] + lift, ends[other] + lift, lengths[other] - len(separator.spelling)))
        starts, ends, excess = (
            (np.concatenate([ZERO[:0], *column]) for column in zip(*found, strict=True)) if found else (ZERO[:0],) * 3
        )
        return Gaps(starts, ends, _added_up(excess), int(nested.edges[-1]) + 1)


class Gaps(NamedTuple):
    """Places between pieces where a text says something else than the separator that joins them, level by level.

    Attributes
    ----------
    starts, ends : int64 (g,)
        Those of the second level are behind all of the first.
    excess : int64 (g + 1,)
        How many characters more than the separator they have, added up.
    lift : int
        From a place on one level to the same on the next.
    """

    starts: IntArray
    ends: IntArray
    excess: IntArray
    lift: int

    def inside(self, spans: SpanArray, levels: IntArray) -> tuple[IntArray, BoolArray]:
        """Tell how many characters more each span has than its text, and which texts are no slices for all that."""
        first = np.searchsorted(self.ends, spans[:, 0] + levels * self.lift, side="right")
        behind = np.maximum(np.searchsorted(self.starts, spans[:, 1] + levels * self.lift), first)
        return self.excess[behind] - self.excess[first], first < behind


class _Pieces(NamedTuple):
    """Some pieces of a level: their numbers on it, starts, ends, and how far they reach."""

    numbers: IntArray
    starts: IntArray
    ends: IntArray
    reaches: IntArray


class _Steps(NamedTuple):
    """Steps into pieces, or out of them; each ends a run and begins another.

    Attributes
    ----------
    order : int64 (s,)
        By place; out of pieces before into others, out of inner ones first, into outer ones first.
    reaches : int64 (s,)
        How far the piece reaches: up to this size there is the step.
    behind, first : int64 (s,)
        The piece before which the run ends, and with which the next begins.
    levels : int64 (s,)
        The level of that next run.
    """

    order: IntArray
    reaches: IntArray
    behind: IntArray
    first: IntArray
    levels: IntArray


def _characters_of(nested: Nested, parents: _Pieces) -> Level:
    """Give the characters of some pieces of the last level as a level, whose only parents these are."""
    owners, places = expand_ranges(parents.starts, parents.ends)
    if nested.characters is None:
        reaches = weights = np.ones(len(places), dtype=np.int64)
    else:
        weights = nested.characters[places]
        reaches = np.minimum(weights, parents.reaches[owners])
    return Level(places, places + 1, reaches, _added_up(weights), _added_up(parents.ends - parents.starts), 0)


def _steps(
    pieces: _Pieces, places: IntArray, first: IntArray, behind: IntArray, number: int, n_levels: int
) -> tuple[_Steps, _Steps]:
    """Give the steps into pieces and out of them; what lies in them is of level `number`, from `first` to `behind`."""
    n_ranks = 2 * (n_levels + 2)
    inner, outer = np.full(len(places), number), np.full(len(places), number - 1)
    into = _Steps(pieces.starts * n_ranks + n_levels + 2 + number, pieces.reaches, places, first, inner)
    out = _Steps(pieces.ends * n_ranks + n_levels - number, pieces.reaches, behind, places + 1, outer)
    return into, out


def join_nested(parts: Sequence[Nested]) -> Nested:
    """Lay texts one behind the other."""
    first = parts[0]
    offsets = np.cumsum([0, *(part.edges[-1] for part in parts)])
    rows = list(zip(parts, offsets.tolist(), strict=False))
    weights = characters = None
    if first.weights is not None:
        weights = [np.concatenate(level) for level in zip(*(part.weights or () for part in parts), strict=True)]
    if first.characters is not None:
        characters = np.concatenate([part.characters for part in parts if part.characters is not None])
    return replace(
        first,
        edges=np.concatenate([part.edges[:-1] + offset for part, offset in rows] + [offsets[-1:]]),
        points=np.concatenate([part.points for part in parts]),
        matches=[
            np.concatenate(
                [part.matches[number] + offset for part, offset in rows if len(part.matches[number])] or [_NOWHERE]
            )
            for number in range(len(first.separators))
        ],
        weights=weights,
        characters=characters,
    )


def _added_up(weights: IntArray) -> IntArray:
    return np.concatenate((ZERO, np.cumsum(weights)))


def _taken(before: IntArray, behind: IntArray, starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Keep the places that lie in one piece, and of those that overlap the first, as a search from its start does."""
    if not len(starts):
        return starts, starts
    owner = np.searchsorted(starts, before, side="right") - 1
    some = np.flatnonzero((owner >= 0) & (behind <= ends[owner]))
    before, behind = before[some], behind[some]
    meets = np.flatnonzero(before[1:] < behind[:-1]) + 1
    if not meets.size:
        return before, behind
    is_first = np.ones(len(before), dtype=np.bool_)
    reach = 0
    for place in meets.tolist():
        if is_first[place - 1]:
            reach = int(behind[place - 1])
        is_first[place] = before[place] >= reach
    return before[is_first], behind[is_first]


@cache
def _spaces() -> BoolArray:
    """What is white space, up to the last there is."""
    return np.array([chr(point).isspace() for point in range(LAST_SPACE + 1)])
