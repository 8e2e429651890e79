"""Thresholds of the pre-flight check: how much may be found, and how much must be, before it fails."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from chunkscope.errors import ChunkerError, ConfigError, did_you_mean
from chunkscope.structure.units import get_unit

LabelRule = Literal["error", "warn"]

_COUNT = re.compile(r"[0-9]{1,15}")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,15})?) ?%")
_HELP = "write a count such as 3, a share such as 2%, or none"


@dataclass(frozen=True)
class Threshold:
    """So many at the most, or at the least, or such a share of all; None: nothing is asked.

    Examples
    --------
    >>> Threshold.parse("3").allows(3, 10), Threshold.parse("2%").allows(1, 49), Threshold.parse("2%").allows(1, 50)
    (True, False, True)
    >>> Threshold.parse("80%").is_reached(8, 10), Threshold.parse("80%").is_reached(8, 11)
    (True, False)
    """

    value: int | Fraction | None

    @classmethod
    def parse(cls, value: object) -> Threshold:
        """Read a threshold: ``3``, ``"2%"`` or ``"none"``.

        Raises
        ------
        ConfigError
            It is negative, above 100 %, or no threshold at all.
        """
        text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if text.lower() == "none":
            return cls(None)
        if _COUNT.fullmatch(text):
            return cls(int(text))
        percent = _PERCENT.fullmatch(text)
        if not percent:
            raise ConfigError(f"{value!r} is no threshold; {_HELP}")
        share = Fraction(Decimal(percent[1])) / 100
        if share > 1:
            raise ConfigError(f"{value!r} is no threshold: a share is 100% at the most")
        return cls(share)

    @property
    def is_off(self) -> bool:
        """Tell whether nothing is asked."""
        return self.value is None

    def allows(self, n: int, total: int) -> bool:
        """Tell whether so many of so many are within it. Counts are compared, no percentage is ever rounded."""
        if self.value is None:
            return True
        return n <= (self.value if isinstance(self.value, int) else self.value * total)

    def is_reached(self, n: int, total: int) -> bool:
        """Tell whether so many of all are enough: of nothing, nothing is."""
        if self.value is None:
            return True
        return total > 0 and n >= (self.value if isinstance(self.value, int) else self.value * total)

    def __str__(self) -> str:
        if isinstance(self.value, Fraction):
            percent = self.value * 100
            return f"{Decimal(percent.numerator) / Decimal(percent.denominator):f}%"
        return "none" if self.value is None else str(self.value)


ZERO, OFF = Threshold(0), Threshold(None)


@dataclass(frozen=True)
class Thresholds:
    """All thresholds of a check.

    Attributes
    ----------
    max_split, max_missing : Threshold
        Questions whose evidence is split, or partly in no chunk.
    max_header_lost : Threshold
        Table questions with a row that has lost its header.
    max_rows_header_lost : Threshold
        Table rows that have lost their header, whether a question needs them or not.
    max_oversize : Threshold
        Chunks above the model's limit, prepended text included; without a limit, chunks whose body is above the size.
    max_broken : Threshold
        Chunks that begin or end inside a character.
    max_blank : Threshold
        Chunks in which nothing can be seen.
    min_recall : Threshold
        Questions that must be answered by the first chunks at equal context; `check` needs a ranking then.
    max_more_lost : Threshold
        Questions that may be lost and were not in an earlier result: not answered where chunks are ranked, else split
        or without the header of a row.
    max_stale, max_orphaned : Threshold
        Chunks of an index whose text is nowhere in their document, or whose document is not there.
    max_unindexed : Threshold
        Documents of which an index has no chunk.
    max_uncovered : Threshold
        Characters that can be seen and are in no chunk of an index.
    model_limit : int or None
    model_unit : str or None
        What the limit is counted in; None: the chunker's unit.
    label_problems : {"error", "warn"}
    asked : frozenset of str
        The thresholds that somebody set, and did not switch off.

    Examples
    --------
    >>> thresholds = Thresholds.of(max_split="2%", model_limit=512)
    >>> str(thresholds.max_split), str(thresholds.max_oversize), str(thresholds.max_rows_header_lost)
    ('2%', '0', 'none')
    """

    max_split: Threshold = ZERO
    max_missing: Threshold = ZERO
    max_header_lost: Threshold = ZERO
    max_rows_header_lost: Threshold = OFF
    max_oversize: Threshold = OFF
    max_broken: Threshold = ZERO
    max_blank: Threshold = OFF
    min_recall: Threshold = OFF
    max_more_lost: Threshold = OFF
    max_stale: Threshold = ZERO
    max_orphaned: Threshold = ZERO
    max_unindexed: Threshold = ZERO
    max_uncovered: Threshold = ZERO
    model_limit: int | None = None
    model_unit: str | None = None
    label_problems: LabelRule = "error"
    asked: frozenset[str] = field(default=frozenset())

    def __post_init__(self) -> None:
        for name in COUNTED:
            value = getattr(self, name)
            if not isinstance(value, Threshold):
                raise ConfigError(f"{name} must be a Threshold; Thresholds.of({name}={value!r}) reads it")

    @classmethod
    def of(cls, **values: object) -> Thresholds:
        """Read thresholds by their names.

        Raises
        ------
        ConfigError
            An unknown name, or a value that means nothing.
        """
        return cls.read(values, str)

    @classmethod
    def read(cls, values: Mapping[str, object], origin: Callable[[str], str], table: str = "a check") -> Thresholds:
        """Read thresholds; `origin` tells for a name where its value stands, and `table` where they stand in a file."""
        read: dict[str, object] = {}
        for name, value in values.items():
            if name not in NAMES:
                raise ConfigError(f"{table} has no {name!r}; {_nearest(name)}")
            try:
                read[name] = _read(name, value)
            except (ConfigError, ChunkerError) as error:
                raise ConfigError(f"{origin(name)}: {error}") from None
        asked = {name for name in COUNTED if name in read and read[name] != OFF}
        if "model_limit" in read:
            asked |= {"max_oversize"} if read.setdefault("max_oversize", ZERO) != OFF else set()
        elif "model_unit" in read:
            raise ConfigError(f"{origin('model_unit')} needs a model limit, such as 512")
        return cls(**read, asked=frozenset(asked))  # type: ignore[arg-type]  # each value is of the type that _read gives

    def without(self, names: Iterable[str]) -> Thresholds:
        """Give the others alone, these switched off."""
        names = set(names)
        return dataclasses.replace(self, **dict.fromkeys(names, OFF), asked=self.asked - names)  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Threshold:
        threshold: Threshold = getattr(self, name)
        return threshold


NAMES = tuple(entry.name for entry in dataclasses.fields(Thresholds) if entry.name != "asked")
COUNTED = tuple(name for name in NAMES if name.startswith(("max_", "min_")))
NEEDS_INDEX = ("max_stale", "max_orphaned", "max_unindexed", "max_uncovered")
NEEDS_QUESTIONS = ("max_split", "max_missing", "max_header_lost", "min_recall", "max_more_lost")


def is_least(name: str) -> bool:
    """Tell whether a threshold says how many there must be, not how many there may be."""
    return name.startswith("min_")


def _read(name: str, value: object) -> object:
    if name == "model_limit":
        text = str(value).strip() if not isinstance(value, bool) else ""
        if not _COUNT.fullmatch(text) or int(text) < 1:
            raise ConfigError(f"{value!r} is no limit; write a whole number such as 512")
        return int(text)
    if name == "model_unit":
        if not isinstance(value, str):
            raise ConfigError(f"{value!r} is no unit")
        return get_unit(value).name
    if name == "label_problems":
        if value not in ("error", "warn"):
            raise ConfigError(f"{value!r} is neither 'error' nor 'warn'")
        return value
    return Threshold.parse(value)


def _nearest(name: str) -> str:
    return did_you_mean(name, NAMES) or f"there are {', '.join(NAMES)}"
