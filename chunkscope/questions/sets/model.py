"""What comes out of a set: questions as lines of ours, documents, and what was left out."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from chunkscope.corpus.document import Document
from chunkscope.language import Text, say
from chunkscope.questions.question import Match

SetFormat = Literal["ragas", "squad", "beir", "csv", "proposals"]
FORMATS: tuple[SetFormat, ...] = ("ragas", "squad", "beir", "csv", "proposals")
"""``csv`` is any table of questions, JSON lines too; ``proposals`` are those of `chunkscope.questions.locating`."""

LONGEST_NAME = 100
SHOWN_PLACES = 3
_UNSAFE = re.compile(r'[\s/\\:*?"<>|\x00-\x1f\x7f]+')


class LeftOut(NamedTuple):
    """What was not taken: where it stands, and why."""

    place: str
    reason: Text


@dataclass(frozen=True)
class ImportOptions:
    """How a set is read.

    Attributes
    ----------
    fields : mapping of str to str
        Our names to those of the set.
    encoding : str or None
        Of a file that is not UTF-8.
    match : {"all", "any"} or None
        Said of every question with several quotes; None: what the kind of set means.
    quote : {"answer", "sentence"}
        Of SQuAD: the answer itself, or the sentence around it.
    split : str or None
        Which judgements of BEIR are taken: ``test``, ``dev``, ``train``.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    match: Match | None = None
    quote: Literal["answer", "sentence"] = "answer"
    split: str | None = None


@dataclass(frozen=True)
class QuestionSet:
    """The questions of a set, and its documents where it holds them.

    Attributes
    ----------
    path : str
    format : str
        One of `FORMATS`.
    questions : tuple of mapping
        An object each, as a line of ``questions.jsonl``.
    unquoted : tuple of mapping
        Those that have a text and no quotes; `chunkscope.questions.locating` looks for some.
    documents : tuple of Document
    left_out : tuple of LeftOut
        In the order of the set.
    notes : tuple of Text
        What else is to be known.
    """

    path: str
    format: SetFormat
    questions: tuple[Mapping[str, Any], ...]
    unquoted: tuple[Mapping[str, Any], ...] = ()
    documents: tuple[Document, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[Text, ...] = ()

    def told(self) -> list[Text]:
        """Say what was left out, a line a reason."""
        places: defaultdict[Text, list[str]] = defaultdict(list)
        for place, reason in self.left_out:
            places[reason].append(place)
        return [
            say(
                "{places:, }: left out: {reason}",
                places=[*found[:SHOWN_PLACES], *_more(len(found) - SHOWN_PLACES)],
                reason=reason,
            )
            for reason, found in places.items()
        ]


def _more(n: int) -> list[Text]:
    return [say("and {n:,} more", n=n)] if n > 0 else []


class Collector:
    """Takes questions one by one; those that cannot be used are left out, and the rest goes on.

    Parameters
    ----------
    path : str
        Of the set, for the places of what is left out.
    match : {"all", "any"} or None
        Said of every question with several quotes.
    between : str
        What stands between the path and a place in it.
    """

    def __init__(self, path: str, match: Match | None = None, between: str = ":") -> None:
        self.path, self.match, self._between = path, match, between
        self.questions: list[dict[str, Any]] = []
        self.unquoted: list[dict[str, Any]] = []
        self.left_out: list[LeftOut] = []
        self._ids: dict[str, str] = {}
        self._n = 0

    def leave_out(self, place: int | str | None, reason: str) -> None:
        """Note what cannot be used."""
        words = reason if isinstance(reason, Text) else say("{text}", text=reason)
        self.left_out.append(LeftOut(self._at(place), words))

    def add(self, place: int | str | None, record: Mapping[str, Any]) -> None:
        """Take a question, if its id is new; one without a field ``evidence`` is kept apart."""
        self._n += 1
        try:
            cleaned = {key: _without_nan(value) for key, value in record.items()}
        except RecursionError:
            self.leave_out(place, say("it is nested too deeply"))
            return
        name = str(cleaned.get("id") or self._free_name())
        at = self._at(place)
        if name in self._ids:
            told = say("{place} has the id {id!r} too", place=self._ids[name], id=name)
            self.left_out.append(LeftOut(at, told))
            return
        full = {**cleaned, "id": name}
        try:
            json.dumps(full, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            self.left_out.append(LeftOut(at, say("half of a surrogate pair; write the whole character")))
            return
        self._ids[name] = at
        if "evidence" not in full:
            self.unquoted.append(full)
            return
        quotes = full["evidence"]
        if self.match and isinstance(quotes, list) and len(quotes) > 1:
            full["match"] = self.match
        self.questions.append(_in_order(full))

    def _free_name(self) -> str:
        return next(name for n in range(self._n, 2 * self._n + 2) if (name := f"q{n}") not in self._ids)

    def _at(self, place: int | str | None) -> str:
        return self.path if place is None else f"{self.path}{self._between}{place}"


_ORDER = ("id", "question", "doc", "evidence", "spans", "match", "trap_docs", "answer")


def _in_order(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: record[key] for key in (*_ORDER, *record) if key in record}


def _without_nan(value: object) -> object:
    """Read what tables have for nothing as nothing, inside of lists and objects too."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [_without_nan(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return value


class FileNames:
    """Makes names that can be files out of titles and ids, no two of them alike.

    Examples
    --------
    >>> names = FileNames()
    >>> names.of("AC/DC"), names.of("ac dc"), names.of("")
    ('AC_DC.txt', 'ac_dc-2.txt', 'document.txt')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, title: str) -> str:
        """Give a name that no other has."""
        base = _UNSAFE.sub("_", title).strip("_.")[:LONGEST_NAME] or "document"
        n, name = 1, base
        while name.casefold() in self._taken:
            n += 1
            name = f"{base}-{n}"
        self._taken.add(name.casefold())
        return f"{name}.txt"
