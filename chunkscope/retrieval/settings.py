"""What is asked of retrieval: how many chunks, which documents, what counts as enough.

Documents are chosen by conditions such as ``status=current``: ``KEY=VALUE`` or ``KEY!=VALUE``, where the value may be
a glob (``*``, ``?``, ``[...]``) and the key is an attribute of documents, ``name``, or ``text``: one of the first lines
of the body, where a notice may stand. Upper and lower case matter; both sides are compared after NFC. A list satisfies
``=`` if one of its entries does.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any

from chunkscope.corpus.document import LINE_END, Document
from chunkscope.corpus.name_filter import compose, wildcards
from chunkscope.errors import ConfigError, InputError, did_you_mean
from chunkscope.retrieval.context import Budget
from chunkscope.retrieval.returns import Return

NAME, TEXT = "name", "text"
FIRST_LINES = 10
"""So many lines of a body that are not blank are where a notice is looked for."""
LONGEST_LINE = 1000
_HTML_START = 100_000
_TAG = re.compile(r"<[^<>]*+>")
MOST_NAMED = 12


@dataclass(frozen=True)
class Condition:
    r"""One condition on documents.

    Examples
    --------
    >>> condition = Condition.parse("name!=*-archive*")
    >>> [condition.holds(Document(name, "")) for name in ("rules.md", "old/rules-archive.md")]
    [True, False]
    >>> Condition.parse("text=*no longer in force*").holds(Document("a.md", "# A\n> This is no longer in force.\n"))
    True
    """

    option: str
    key: str
    negated: bool
    value: str

    @classmethod
    def parse(cls, text: str, option: str = "--filter") -> Condition:
        """Read a condition.

        Raises
        ------
        ConfigError
            There is no ``=``, or nothing before it.
        """
        key, sign, value = text.partition("=")
        negated = key.endswith("!")
        key = key.removesuffix("!").strip()
        if not sign or not key:
            raise ConfigError(
                f"{option} {text!r}: not a condition; write status=current, status!=abolished or 'name!=*-old*'"
            )
        return cls(option, key, negated, value.strip())

    def __str__(self) -> str:
        return f"{self.key}{'!=' if self.negated else '='}{self.value}"

    def holds(self, document: Document) -> bool:
        """Tell whether a document satisfies it; one without the attribute satisfies ``!=`` only."""
        return any(map(self.fits, self.values(document))) != self.negated

    def values(self, document: Document) -> list[str]:
        """Give what a document has there, as people would write it in a condition."""
        if self.key == NAME:
            return [compose(document.name)]
        if self.key == TEXT:
            return first_lines(document)
        return [compose(text) for text in _texts(document.attributes.get(self.key, []))]

    @cached_property
    def fits(self) -> Callable[[str], object]:
        """What tells whether a value is the one that it names."""
        return wildcards(compose(self.value))


def first_lines(document: Document) -> list[str]:
    r"""Give the first lines of a body that are not blank, without blanks around them; of HTML what is not a tag.

    Examples
    --------
    >>> first_lines(Document("a.md", "---\nstatus: current\n---\n# Travel\n\n> **Archived** in 2023.\n"))
    ['# Travel', '> **Archived** in 2023.']
    """
    start = document.front_matter_end
    if document.markup == "html":
        page = document.text[start : start + _HTML_START]
        text = html.unescape(_TAG.sub(" ", page[max(0, page.lower().find("<body")) :]))
        lines = iter(re.split(r"[\r\n]+", text))
    else:
        lines = _lines(document.text, start)
    shown = (line[:LONGEST_LINE].strip() for line in lines)
    return [compose(line) for line in islice(filter(None, shown), FIRST_LINES)]


def _lines(text: str, start: int) -> Iterator[str]:
    while start < len(text):
        end = LINE_END.search(text, start)
        yield text[start : min(end.start() if end else len(text), start + LONGEST_LINE)]
        start = end.end() if end else len(text)


def _texts(value: object) -> list[str]:
    """Write a value as people would in a condition."""
    if isinstance(value, list | tuple | set | frozenset):
        return [text for entry in value for text in _texts(entry)]
    if value is None:
        return ["null", "~", ""]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(value)]


def check_conditions(
    conditions: Iterable[Condition], attributes: Iterable[str], values: Iterable[Iterable[str]]
) -> None:
    """Refuse conditions on attributes or values that no document has: a slip would filter nothing, or find nothing.

    Parameters
    ----------
    conditions : iterable of Condition
    attributes : iterable of str
        Those that documents have.
    values : iterable of iterable of str
        For each condition the values that documents have there.

    Raises
    ------
    InputError
        Names what no document has, and what is near, or there.

    Examples
    --------
    >>> check_conditions([Condition.parse("status!=abolishd")], ["status"], [["abolished", "current"]])
    Traceback (most recent call last):
    chunkscope.errors.InputError: --filter status!=abolishd: no document has that status; did you mean 'abolished'?
    """
    names = sorted({NAME, TEXT, *attributes})
    for condition, found in zip(conditions, values, strict=True):
        if condition.key not in names:
            hint = did_you_mean(condition.key, names) or _there(names)
            raise InputError(f"{condition.option} {condition}: no document has an attribute {condition.key!r}; {hint}")
        if not any(map(condition.fits, found)):
            if condition.key == TEXT:
                raise InputError(
                    f"{condition.option} {condition}: fits none of the first {FIRST_LINES} lines of any document; "
                    "* stands for what is around it, as in 'text=*no longer in force*'"
                )
            hint = did_you_mean(condition.value, found) or _there(sorted(set(found)))
            raise InputError(f"{condition.option} {condition}: no document has that {condition.key}; {hint}")


def _there(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"there are {', '.join(names[:MOST_NAMED])}{more}"


DEFAULT_CONTEXT = 6000
"""Characters: about what models were usually given when this was written."""
MAX_SCORES = 1000

_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?::(\d+(?:\.\d+)?))?")


def parse_k(text: str) -> tuple[int, ...]:
    """Read numbers of chunks: ``1,3,5,10``.

    Raises
    ------
    ConfigError
        Not whole numbers from 1.

    Examples
    --------
    >>> parse_k("10,1,3,3")
    (1, 3, 10)
    """
    numbers = []
    for part in text.split(","):
        if not re.fullmatch(r"-?\d{1,60}", part.strip()):
            raise ConfigError(f"-k {text!r}: write whole numbers such as 1,3,5,10")
        numbers.append(int(part))
    return _checked_k(numbers)


def _checked_k(numbers: list[int]) -> tuple[int, ...]:
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ConfigError(f"-k {number}: must be a whole number from 1")
    if not numbers:
        raise ConfigError("-k: give at least one number of chunks")
    return tuple(sorted(set(numbers)))


def parse_scores(text: str) -> tuple[float, ...]:
    """Read scores: ``4``, ``2,4,8``, or a range ``0..20:2`` (in steps of 1 without a step).

    Raises
    ------
    ConfigError
        No numbers, or a range that runs backwards.

    Examples
    --------
    >>> parse_scores("0.5,0..1:0.5")
    (0.0, 0.5, 1.0)
    """
    found: set[float] = set()
    for part in (part.strip() for part in text.split(",")):
        match = _RANGE.fullmatch(part)
        if match:
            low, high, step = Decimal(match[1]), Decimal(match[2]), Decimal(match[3] or 1)
            if low > high:
                raise ConfigError(f"--min-score {part}: the range runs backwards; write {high}..{low}")
            if not step or (high - low) / step > MAX_SCORES:
                raise ConfigError(f"--min-score {part}: more than {MAX_SCORES} values; give a wider step")
            found.update(float(low + step * n) for n in range(int((high - low) / step) + 1))
        elif re.fullmatch(_NUMBER, part):
            found.add(float(part))
        else:
            raise ConfigError(f"--min-score {text!r}: write a score such as 4, some such as 2,4, or a range 0..20:2")
    return tuple(sorted(found))


@dataclass(frozen=True)
class RetrievalSettings:
    """What is asked of retrieval.

    Parameters
    ----------
    k : tuple of int or None
        Numbers of chunks at which all cells are compared; the largest judges.
    context : int or None
        Characters at which all cells are compared, each at the number of chunks that comes nearest; where neither is
        given, 6,000.
    budget : Budget or None
        Most that the context may hold: chunks in the order of their ranks, up to this much.
    returns : Return or None
        What is returned for each retrieved chunk, and judged; None: itself.
    filters : tuple of Condition
        Documents that satisfy all of them are in the index.
    outdated : tuple of Condition
        Documents that satisfy one of them are out of force.
    min_scores : tuple of float
        Scores below which chunks are dropped, each tried.
    group_by : str or None
        Attribute of questions for whose values recall is counted apart.
    overlap : bool
        Add the overlap metrics.

    Raises
    ------
    ConfigError
        A value out of range, or both `k` and `context`.
    """

    k: tuple[int, ...] | None = None
    context: int | None = None
    budget: Budget | None = None
    returns: Return | None = None
    filters: tuple[Condition, ...] = ()
    outdated: tuple[Condition, ...] = ()
    min_scores: tuple[float, ...] = ()
    group_by: str | None = None
    overlap: bool = False

    def __post_init__(self) -> None:
        if self.k is not None:
            if self.context is not None:
                raise ConfigError(
                    "-k and --context exclude each other: compare at a number of chunks, or of characters"
                )
            object.__setattr__(self, "k", _checked_k(list(self.k)))
        elif self.context is None:
            object.__setattr__(self, "context", DEFAULT_CONTEXT)
        elif isinstance(self.context, bool) or not isinstance(self.context, int) or self.context < 1:
            raise ConfigError(f"--context {self.context}: must be a whole number from 1")

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions on documents."""
        return (*self.filters, *self.outdated)

    def to_dict(self) -> dict[str, Any]:
        """Give those that are not defaults, as JSON has them."""
        found: dict[str, Any] = {} if self.context is None else {"context": self.context}
        if self.budget:
            found["budget"] = {"limit": self.budget.limit, "unit": self.budget.unit}
        if self.returns:
            found["return"] = str(self.returns)
        for name, conditions in (("filter", self.filters), ("outdated", self.outdated)):
            if conditions:
                found[name] = [str(condition) for condition in conditions]
        if self.min_scores:
            found["min_score"] = list(self.min_scores)
        if self.group_by:
            found["group_by"] = self.group_by
        return found
