"""What was found for one question: ids of chunks, the best first, and their scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

from chunkscope.errors import InputError, spoken_type

MOST_NAMED = 3


class Hits(NamedTuple):
    """The ids of chunks, the best first, and their scores where there are any."""

    chunks: tuple[str, ...]
    scores: tuple[float, ...] | None


def read_hits(given: Any) -> Hits:
    """Read what was found for one question: ids of chunks, the best first, or pairs of an id and a score.

    Raises
    ------
    InputError
        Says in one line what came instead; or a chunk stands twice, or a score is no number.

    Examples
    --------
    >>> read_hits(["rules.md#3", 7])
    Hits(chunks=('rules.md#3', '7'), scores=None)
    >>> read_hits([("rules.md#3", 0.5)])
    Hits(chunks=('rules.md#3',), scores=(0.5,))
    """
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"a list of chunk ids is wanted, best first, or of pairs of id and score, not {_said(given)}")
    entries = list(given)
    pairs = [entry for entry in entries if isinstance(entry, tuple | list) and len(entry) == 2]
    if entries and len(pairs) == len(entries):
        scores = tuple(read_score(score) for _, score in pairs)
        hits = Hits(tuple(read_id(chunk, "the id of a chunk") for chunk, _ in pairs), scores)
    else:
        hits = Hits(tuple(read_id(entry, "the id of a chunk") for entry in entries), None)
    if len(set(hits.chunks)) < len(hits.chunks):
        twice = next(chunk for place, chunk in enumerate(hits.chunks) if chunk in hits.chunks[:place])
        raise InputError(f"chunk {twice!r} stands twice")
    return hits


def read_id(value: object, what: str) -> str:
    """Read an id, of a question or a chunk; numbers are written out."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Integral) and not isinstance(value, bool):
        return str(int(value))
    raise InputError(f"{what} must be a string or a number, not {_said(value)}")


def read_score(value: object) -> float:
    """Read a score; what is no finite number is refused."""
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not math.isfinite(number):
        raise InputError(f"score {value!r} is no number")
    return number


def _said(value: object) -> str:
    if value is None:
        return "nothing"
    return "an empty string" if value == "" else spoken_type(value)


def first_names(names: Sequence[str]) -> str:
    """Write the first of some names.

    Examples
    --------
    >>> first_names(["a", "b", "c", "d"])
    "'a', 'b', 'c', ..."
    """
    return ", ".join(map(repr, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")
