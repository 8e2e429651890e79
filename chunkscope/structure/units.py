"""Units: what sizes are counted in. A unit measures a whole text, once; every size is a difference of two counts."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from chunkscope.errors import ChunkerError, InputError, MissingPartError, did_you_mean
from chunkscope.spans.intervals import BoolArray, IntArray
from chunkscope.structure import tokens
from chunkscope.structure.joined import GROUP_CHARACTERS, JoinedTexts, groups


@dataclass(frozen=True, eq=False)
class MeasuredText:
    """Where the units of one text begin.

    Attributes
    ----------
    length : int
        Code points in the text.
    begins : int64 (T,)
        The character that holds the first byte of each unit; never falling.
    inside : bool (T,)
        The unit's first byte is not the first byte of that character: it shares the character with the unit
        before it. Only tokens do that.

    Examples
    --------
    >>> tuna = get_unit("cl100k_base").measure("鮪と鰹")
    >>> tuna.begins.tolist()
    [0, 0, 0, 1, 2, 2, 2]
    >>> tuna.used([0, 1, 2, 3]).tolist(), tuna.steps.tolist()
    ([0, 3, 4, 7], [1, 2])
    """

    length: int
    begins: IntArray
    inside: BoolArray

    @property
    def total(self) -> int:
        """The number of units in the text."""
        return len(self.begins)

    def used(self, positions: ArrayLike) -> IntArray:
        """Give U(p): how many units begin before each position.

        Parameters
        ----------
        positions : (m,) of integers
            Offsets in 0..length.

        Returns
        -------
        int64 (m,)
            The size of a span is ``used(end) - used(start)``.
        """
        return np.searchsorted(self.begins, np.asarray(positions, dtype=np.int64)).astype(np.int64, copy=False)

    @property
    def steps(self) -> IntArray:
        """Where a cut may fall: between characters that share no unit; increasing, in 1..length - 1."""
        return self.stepped[0][1:-1]

    @cached_property
    def stepped(self) -> tuple[IntArray, IntArray]:
        """int64 (s + 2,), twice: the steps between the text's two ends, and how many units begin before each."""
        first = np.flatnonzero(~self.inside & (self.begins > 0) & (self.begins < self.length))
        steps = self.begins[first]
        is_new = np.ones(len(steps), dtype=np.bool_)
        is_new[1:] = steps[1:] != steps[:-1]
        ends = np.array([0, self.length], dtype=np.int64)
        used = self.used(ends)
        return (
            np.concatenate((ends[:1], steps[is_new], ends[1:])),
            np.concatenate((used[:1], first[is_new], used[1:])),
        )

    @property
    def first_whole(self) -> IntArray:
        """int64 (T + 1,): the first character boundary at or after each unit's first byte; at last the length."""
        return np.append(self.begins + self.inside, self.length)

    @property
    def last_whole(self) -> IntArray:
        """int64 (T + 1,): the last character boundary at or before each unit's first byte; at last the length."""
        return np.append(self.begins, self.length)


class Characters(MeasuredText):
    """The measure of a text in characters: arrays are made when they are asked for, none is kept.

    Examples
    --------
    >>> text = Characters(4)
    >>> text.used([0, 3]).tolist(), text.steps.tolist(), text.total
    ([0, 3], [1, 2, 3], 4)
    """

    def __init__(self, length: int) -> None:
        object.__setattr__(self, "length", length)  # frozen, as its base is

    @property
    def begins(self) -> IntArray:
        """Each character begins where it stands."""
        return np.arange(self.length, dtype=np.int64)

    @property
    def inside(self) -> BoolArray:
        """No character begins inside another."""
        return np.zeros(self.length, dtype=np.bool_)

    @property
    def total(self) -> int:
        """The number of characters."""
        return self.length

    def used(self, positions: ArrayLike) -> IntArray:
        """Give U(p) = p."""
        return np.asarray(positions, dtype=np.int64)

    @property
    def stepped(self) -> tuple[IntArray, IntArray]:
        """A cut may fall before each character but the first."""
        places = np.arange(self.length + 1, dtype=np.int64) if self.length else np.zeros(2, dtype=np.int64)
        return places, places


@dataclass(frozen=True)
class Unit(ABC):
    """What sizes are counted in: a value, equal to any other of its name.

    Attributes
    ----------
    name : str
        How the unit is written, on the command line and in results.
    """

    name: str

    def measure(self, text: str) -> MeasuredText:
        """Measure one text. A part that is not installed is a `MissingPartError`, also for an empty text."""
        return self.measure_all([text])[0]

    @abstractmethod
    def measure_all(self, texts: Sequence[str], names: Sequence[str] = ()) -> list[MeasuredText]:
        """Measure many texts, each once; with their `names`, an `InputError` begins with the name of its text."""

    def lengths(self, texts: Sequence[str]) -> IntArray:
        """Count the units of each of many short texts by itself, int64 (t,).

        Examples
        --------
        >>> get_unit("cl100k_base").lengths(["鮪", "the cat", ""]).tolist()
        [3, 2, 0]
        """
        return np.array([measured.total for measured in self.measure_all(texts)], dtype=np.int64)


@dataclass(frozen=True)
class CharacterUnit(Unit):
    """Unicode code points."""

    name: str = "char"

    def measure_all(self, texts: Sequence[str], names: Sequence[str] = ()) -> list[MeasuredText]:
        """Measure many texts."""
        return [Characters(len(text)) for text in texts]


@dataclass(frozen=True)
class WordUnit(Unit):
    """Japanese morphemes, and words elsewhere, as `chunkscope.structure.words` finds them."""

    name: str = "word"

    def measure_all(self, texts: Sequence[str], names: Sequence[str] = ()) -> list[MeasuredText]:
        """Measure many texts, a group at a time."""
        from chunkscope.structure.words import read_words

        measures: list[MeasuredText] = []
        for group in groups(map(len, texts), GROUP_CHARACTERS):
            for found in read_words(JoinedTexts(texts[group.start : group.stop])):
                length, starts = len(found.inside) - 1, found.starts
                measures.append(MeasuredText(length, starts, np.zeros(len(starts), dtype=np.bool_)))
        return measures


@dataclass(frozen=True)
class EncodingUnit(Unit):
    """The tokens of a tiktoken encoding."""

    def measure_all(self, texts: Sequence[str], names: Sequence[str] = ()) -> list[MeasuredText]:
        """Measure many texts, in threads: tiktoken works outside the interpreter's lock."""
        encoding = tokens.load_encoding(self.name)

        def measure_one(index: int) -> MeasuredText:
            with _named(names, index):
                return MeasuredText(len(texts[index]), *encoding.begins(texts[index]))

        def measure_group(group: range) -> list[MeasuredText]:
            return [measure_one(index) for index in group]

        work = list(groups(map(len, texts), GROUP_CHARACTERS))
        workers = min(_cores(), len(work))
        if workers < 2:
            return [measure for group in work for measure in measure_group(group)]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers) as pool:
            return [measure for group in pool.map(measure_group, work) for measure in group]


@dataclass(frozen=True)
class TokenizerFileUnit(Unit):
    """The tokens of a Hugging Face tokenizer file; the name is the path as it was given."""

    def measure_all(self, texts: Sequence[str], names: Sequence[str] = ()) -> list[MeasuredText]:
        """Measure many texts, a group at a time: the tokenizer works on a group in threads of its own."""
        tokenizer = tokens.load_tokenizer_file(self.name)
        measures: list[MeasuredText] = []
        for group in groups(map(len, texts), GROUP_CHARACTERS):
            some = texts[group.start : group.stop]
            try:
                found = tokenizer.begins_of_all(some)
            except InputError:
                _find_refused(tokenizer, texts, names, group)
                raise
            measures += [MeasuredText(len(text), *pair) for text, pair in zip(some, found, strict=True)]
        return measures


def _find_refused(tokenizer: tokens.TokenizerFile, texts: Sequence[str], names: Sequence[str], group: range) -> None:
    """Raise the error of a group again, with the name of its text: the tokenizer does not say which it was."""
    for index in group:
        with _named(names, index):
            tokenizer.begins_of_all([texts[index]])


def get_unit(name: str) -> Unit:
    """Give the unit of a name; nothing is loaded before the unit measures.

    Parameters
    ----------
    name : str
        ``char``, ``word``, a tiktoken encoding such as ``cl100k_base``, or the path of a Hugging Face tokenizer
        file that ends in ``.json``.

    Raises
    ------
    ChunkerError
        No such unit.

    Examples
    --------
    >>> get_unit("char").measure("鮪と鰹").total
    3
    >>> get_unit("o200k_base") == get_unit("o200k_base")
    True
    """
    if name == "char":
        return CharacterUnit()
    if name == "word":
        return WordUnit()
    if isinstance(name, str) and name.lower().endswith(".json"):
        return TokenizerFileUnit(name)
    if name in tokens.encoding_names():
        return EncodingUnit(name)
    known = unit_names()
    hint = did_you_mean(str(name), known)
    raise ChunkerError(
        f"unit {name!r} does not exist; {hint}{' ' if hint else ''}there are {', '.join(known)}, and the path of a "
        "tokenizer.json"
    )


def is_here(name: str) -> bool:
    """Tell whether the parts of a unit are on this machine; nothing is fetched.

    Examples
    --------
    >>> is_here("char")
    True
    """
    try:
        get_unit(name).measure("")
    except MissingPartError:
        return False
    return True


def count_unknown(name: str, texts: Sequence[str]) -> tuple[int, int]:
    """Count the units that stand for text which a unit has no token for, as ``[UNK]`` does, and all units.

    Raises
    ------
    MissingPartError, InputError
        As `Unit.measure` does.

    Examples
    --------
    >>> count_unknown("cl100k_base", ["鮪"])
    (0, 3)
    """
    unit = get_unit(name)
    if isinstance(unit, TokenizerFileUnit):
        return tokens.load_tokenizer_file(unit.name).count_unknown(texts)
    return 0, int(unit.lengths(texts).sum())


def is_unit(name: str) -> bool:
    """Tell whether something has that name that sizes can be counted in.

    Examples
    --------
    >>> is_unit("word"), is_unit("rows of a table")
    (True, False)
    """
    return name.lower().endswith(".json") or name in unit_names()


def unit_names() -> tuple[str, ...]:
    """Name the units, those included whose parts are not installed, but tokenizer files, which have paths."""
    return ("char", "word", *tokens.encoding_names())


@contextmanager
def _named(names: Sequence[str], index: int) -> Iterator[None]:
    """Begin an error about one text with the text's name."""
    try:
        yield
    except InputError as error:
        if not names:
            raise
        raise InputError(f"{names[index]}: {error}") from error


def _cores() -> int:
    """The processor cores that this process may use; one of several that share work leaves the others theirs."""
    from multiprocessing import parent_process

    if parent_process() is not None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
