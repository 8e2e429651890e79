"""Which documents may be found, and which are out of force: conditions such as ``status=current``.

``KEY=VALUE`` or ``KEY!=VALUE``, where the value may be a glob (``*``, ``?``, ``[...]``) and the key is an attribute of
documents, or ``name``. Upper and lower case matter. A list satisfies ``=`` if one of its entries does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chunkscope.corpus.document import Document
from chunkscope.corpus.patterns import wildcards
from chunkscope.errors import ConfigError, InputError, did_you_mean

NAME = "name"


@dataclass(frozen=True)
class Condition:
    """One condition on documents.

    Examples
    --------
    >>> condition = Condition.parse("name!=*-archive*")
    >>> [condition.holds(Document(name, "")) for name in ("rules.md", "old/rules-archive.md")]
    [True, False]
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
        return self.satisfied_by(document.name, document.attributes)

    def satisfied_by(self, name: str, attributes: Mapping[str, object]) -> bool:
        """Tell whether a name and attributes satisfy it."""
        values = [name] if self.key == NAME else _texts(attributes[self.key]) if self.key in attributes else []
        fits = wildcards(self.value)
        return any(fits(value) for value in values) != self.negated


def _texts(value: object) -> list[str]:
    """Write a value as people would in a condition."""
    if isinstance(value, list | tuple | set | frozenset):
        return [text for entry in value for text in _texts(entry)]
    if value is None:
        return ["null", ""]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(value)]


def check_attributes(conditions: Iterable[Condition], known: Iterable[str]) -> None:
    """Refuse conditions on attributes that no document has.

    Raises
    ------
    InputError
        Names the attribute, and those that there are.
    """
    names = sorted({NAME, *known})
    for condition in conditions:
        if condition.key not in names:
            hint = did_you_mean(condition.key, names) or f"there are {', '.join(names[:12])}"
            raise InputError(f"{condition.option} {condition}: no document has an attribute {condition.key!r}; {hint}")
