"""What changed between two sweeps: questions that became split or became whole, cell by cell."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkscope.chunkers import parse_chunker
from chunkscope.corpus.json_lines import read_stored
from chunkscope.errors import ChunkscopeError, InputError
from chunkscope.grid.notation import parse_overlaps
from chunkscope.grid.results import FORMAT, retriever_names

PARAMETERS = ("chunker", "unit", "size", "overlap")
HELD_ALONE = frozenset({"overlaps", "sizes", "chunkers", "unit", "versions", "price", "count_tokens", "jobs"})
"""Settings that are not compared by themselves: the cells say it, or it does not touch what is cut."""
GROUPS = ("chunk_chars", "cuts")
NOT_COUNTS = frozenset({*PARAMETERS, "split_question_ids", "header_lost_question_ids", "retrieval", "rates", *GROUPS})
"""What a cell has beside counts; rates follow from these."""

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in both results.

    Attributes
    ----------
    name : str
        Such as ``size``, ``heading.prepend``, ``encoding``, ``versions.tiktoken``.
    old, new : object
    """

    name: str
    old: Any
    new: Any

    def __str__(self) -> str:
        return f"{self.name} {_said(self.old)} -> {_said(self.new)}"


@dataclass(frozen=True)
class CellChange:
    """One setting in both results.

    Attributes
    ----------
    old, new : mapping
        The cell, as it stands in each result.
    changed : mapping
        The counts that are not the same, each with both values.
    became_split, became_whole, became_header_lost, became_with_header : tuple of str or None
        Question ids; None where a result does not name them.
    """

    old: Record
    new: Record
    changed: Mapping[str, tuple[Any, Any]]
    became_split: tuple[str, ...] | None
    became_whole: tuple[str, ...] | None
    became_header_lost: tuple[str, ...] | None
    became_with_header: tuple[str, ...] | None

    @property
    def is_same(self) -> bool:
        """Tell whether nothing changed."""
        return not (
            self.changed or self.became_split or self.became_whole or self.became_header_lost or self.became_with_header
        )

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "old": {name: self.old.get(name) for name in PARAMETERS},
            "new": {name: self.new.get(name) for name in PARAMETERS},
            "changed": {name: list(values) for name, values in self.changed.items()},
            "became_split": _listed(self.became_split),
            "became_whole": _listed(self.became_whole),
            "became_header_lost": _listed(self.became_header_lost),
            "became_with_header": _listed(self.became_with_header),
        }


@dataclass(frozen=True)
class Comparison:
    """All that changed.

    Attributes
    ----------
    old_path, new_path : str
    differences : tuple of Difference
        Parameters, settings and versions that are not the same.
    documents : mapping
        Names of documents that were ``added``, ``removed`` or ``changed``.
    same_questions : bool
    cells : tuple of CellChange
        Settings in both, in the order of the new result.
    only_old, only_new : int
        Cells that only one of them has.
    """

    old_path: str
    new_path: str
    differences: tuple[Difference, ...]
    documents: Mapping[str, tuple[str, ...]]
    same_questions: bool
    cells: tuple[CellChange, ...]
    only_old: int
    only_new: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say what keeps the comparison from telling what did it."""
        found = []
        if len(self.differences) > 1:
            named = "; ".join(map(str, self.differences))
            found.append(f"{len(self.differences)} parameters differ, so nobody can say which did it: {named}")
        if any(self.documents.values()):
            counts = ", ".join(f"{len(names)} {kind}" for kind, names in self.documents.items() if names)
            found.append(f"the corpora differ ({counts})")
        if not self.same_questions:
            found.append("the questions differ")
        if any(cell.became_split is None for cell in self.cells):
            found.append("question ids are not in both results; sweep with --ids")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON of format 1."""
        return {
            "format": FORMAT,
            "old": self.old_path,
            "new": self.new_path,
            "warnings": list(self.warnings),
            "differences": [{"name": one.name, "old": one.old, "new": one.new} for one in self.differences],
            "documents": {kind: list(names) for kind, names in self.documents.items()},
            "same_questions": self.same_questions,
            "cells": [cell.to_dict() for cell in self.cells if not cell.is_same],
            "cells_compared": len(self.cells),
            "cells_only_old": self.only_old,
            "cells_only_new": self.only_new,
        }


def compare_files(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Comparison:
    """Compare two results of ``sweep --format json``.

    Raises
    ------
    InputError
        A file that is no result or of a later format, or results without a setting in common.
    """
    return compare(read_result(old), read_result(new), os.fspath(old), os.fspath(new))


def read_result(path: str | os.PathLike[str]) -> Record:
    """Read the JSON of a sweep as it stands."""
    record = read_stored(path, FORMAT, "result of a sweep")
    cells, corpus = record.get("cells"), record.get("corpus")
    good = isinstance(cells, list) and isinstance(corpus, dict) and isinstance(corpus.get("files"), dict)
    if not good or not all(isinstance(cell, dict) and set(PARAMETERS) <= set(cell) for cell in cells or []):
        raise InputError(f"{os.fspath(path)}: not a result of a sweep; `chunkscope sweep --format json` writes one")
    return record


def compare(old: Record, new: Record, old_path: str = "old", new_path: str = "new") -> Comparison:
    """Compare two results of a sweep, as `SweepResult.to_dict` gives them.

    Cells are paired by chunker, unit, size and overlap. A parameter that is one in each result, and not the same, is
    a difference between the results and plays no part in pairing.

    Raises
    ------
    InputError
        No cell of one has its like in the other.

    Examples
    --------
    >>> from chunkscope import Document, Question, sweep
    >>> rules = [Document("rules.md", "宿泊費の上限は1泊12,000円とする。")]
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> results = [sweep(rules, asked, sizes=[size], overlaps=[0]).to_dict() for size in (13, 20)]
    >>> comparison = compare(*results)
    >>> [str(difference) for difference in comparison.differences], comparison.cells[0].became_whole
    (['size 13 -> 20'], ('q1',))
    """
    old_cells, new_cells = _coordinates(old), _coordinates(new)
    differences, apart = _parameters(old_cells, new_cells)
    paired = [name for name in PARAMETERS if name not in apart]
    before: dict[tuple[object, ...], Record] = {}
    for key, cell in old_cells:
        before.setdefault(tuple(key[name] for name in paired), cell)
    with_questions = any(result.get("questions") is not None for result in (old, new))
    changes = []
    met: set[tuple[object, ...]] = set()
    for key, cell in new_cells:
        at = tuple(key[name] for name in paired)
        if at in before and at not in met:
            met.add(at)
            changes.append(_change(before[at], cell, with_questions=with_questions))
    if not changes:
        raise InputError(f"{old_path} and {new_path} have no setting in common: nothing to compare")
    return Comparison(
        old_path,
        new_path,
        (*differences, *_settings(old, new), *_retrieval_settings(old, new)),
        _documents(old["corpus"], new["corpus"]),
        _questions_of(old) == _questions_of(new),
        tuple(changes),
        len(old_cells) - len(changes),
        len(new_cells) - len(changes),
    )


def _coordinates(result: Record) -> list[tuple[dict[str, object], Record]]:
    """Give each cell its place in the grid; an overlap that is one share of every size is that share."""
    settings = result.get("settings")
    written = settings.get("overlaps") if isinstance(settings, dict) else None
    share = _one_overlap(written)
    placed = []
    for cell in result["cells"]:
        key = {name: cell[name] for name in PARAMETERS}
        size, width = cell["size"], cell["overlap"]
        if share is not None and isinstance(size, int) and parse_overlaps(share)[0].at(size) == width:
            key["overlap"] = share
        placed.append((key, cell))
    return placed


def _one_overlap(written: object) -> str | None:
    if not isinstance(written, list | tuple) or len(written) != 1:
        return None
    try:
        return str(parse_overlaps(str(written[0]))[0])
    except ChunkscopeError:
        return None


Placed = Sequence[tuple[Mapping[str, object], Record]]


def _parameters(old: Placed, new: Placed) -> tuple[list[Difference], set[str]]:
    """Find the parameters that are one in each result and not the same."""
    found: list[Difference] = []
    apart: set[str] = set()
    for name in PARAMETERS:
        before, after = ({key[name]: None for key, _ in cells} for cells in (old, new))
        if len(before) != 1 or len(after) != 1 or before == after:
            continue
        one, other = next(iter(before)), next(iter(after))
        apart.add(name)
        found += _chunker_settings(str(one), str(other)) if name == "chunker" else [Difference(name, one, other)]
    return found, apart


def _chunker_settings(old: str, new: str) -> list[Difference]:
    """Name the settings of one chunker that differ; of two chunkers, the chunker."""
    try:
        before, after = parse_chunker(old), parse_chunker(new)
    except ChunkscopeError:
        return [Difference("chunker", old, new)]
    if type(before) is not type(after):
        return [Difference("chunker", old, new)]
    return [
        Difference(f"{before.name}.{name}", one, other)
        for name in before.__dataclass_fields__
        if name not in PARAMETERS and (one := getattr(before, name)) != (other := getattr(after, name))
    ]


def _settings(old: Record, new: Record) -> list[Difference]:
    """Find what else was held fixed, and differs; versions too, for they decide where boundaries fall."""
    before, after = _flat(old), _flat(new)
    names = sorted({*before, *after})
    return [
        Difference(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    ]


def _flat(result: Record) -> dict[str, Any]:
    settings = result.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    versions = settings.get("versions")
    flat = {f"versions.{name}": value for name, value in versions.items()} if isinstance(versions, dict) else {}
    flat["versions.chunkscope"] = result.get("chunkscope")
    return {**{name: value for name, value in settings.items() if name not in HELD_ALONE}, **flat}


def _retrieval_settings(old: Record, new: Record) -> list[Difference]:
    """Find what differs in how chunks were ranked."""
    before, after = (_retrievals(result["cells"][0]) if result["cells"] else {} for result in (old, new))
    if set(before) != set(after):
        return [Difference("retriever", ", ".join(sorted(before)) or None, ", ".join(sorted(after)) or None)]
    found = []
    for retriever, one in before.items():
        pair = [{**_group(ranked, "settings"), **_depth(ranked)} for ranked in (one, after[retriever])]
        for name in {**pair[0], **pair[1]}:
            if pair[0].get(name) != pair[1].get(name):
                found.append(Difference(f"{retriever}.{name}", pair[0].get(name), pair[1].get(name)))
    return found


def _depth(found: Record) -> dict[str, str]:
    """Give the numbers of chunks that were asked for; at equal context they are a figure of each cell."""
    numbers = found.get("k")
    return {} if _has_context(found) else {"k": _listed_numbers(numbers)}


def _has_context(found: Record) -> bool:
    return "context" in _group(found, "settings")


def _listed_numbers(numbers: object) -> str:
    return ",".join(map(str, numbers)) if isinstance(numbers, list | tuple) else str(numbers)


def _documents(old: Record, new: Record) -> dict[str, tuple[str, ...]]:
    before, after = old["files"], new["files"]
    return {
        "added": tuple(sorted(set(after) - set(before))),
        "removed": tuple(sorted(set(before) - set(after))),
        "changed": tuple(sorted(name for name in set(before) & set(after) if before[name] != after[name])),
    }


def _questions_of(result: Record) -> object:
    questions = result.get("questions")
    if not isinstance(questions, dict):
        return None
    return questions.get("sha256") or [questions.get(name) for name in ("total", "valid", "evidence", "table")]


def _change(old: Record, new: Record, *, with_questions: bool) -> CellChange:
    names = [name for name in (*new, *(name for name in old if name not in new)) if name not in NOT_COUNTS]
    changed = {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}
    figures = [(f"{group}.", _group(old, group), _group(new, group)) for group in GROUPS]
    one, other = _retrievals(old), _retrievals(new)
    figures += [(f"{name}.", _ranked(one[name]), _ranked(other[name])) for name in one if name in other]
    for start, before, after in figures:
        for name in {**before, **after}:
            if before.get(name) != after.get(name):
                changed[f"{start}{name}"] = (before.get(name), after.get(name))
    if not with_questions:
        return CellChange(old, new, changed, (), (), (), ())
    split = _moved(old.get("split_question_ids"), new.get("split_question_ids"))
    apart = _moved(old.get("header_lost_question_ids"), new.get("header_lost_question_ids"))
    return CellChange(old, new, changed, *split, *apart)


def _retrievals(cell: Record) -> dict[str, Record]:
    """Give what each retriever found in a cell, by its name."""
    found = cell.get("retrieval")
    several = [one for one in (found if isinstance(found, list | tuple) else [found]) if isinstance(one, dict)]
    return dict(zip(retriever_names(several), several, strict=True))


def _ranked(found: Record) -> dict[str, object]:
    """Give recall, within a budget too, and the mean reciprocal rank of a retriever as flat figures."""
    figures: dict[str, object] = {}
    for judgement in ("strict", "start", "answered"):
        for k, counts in _group(found, judgement).items():
            figures[judgement if _has_context(found) else f"{judgement}@{k}"] = counts
    figures.update({f"budget.{name}": counts for name, counts in _group(found, "budget").items()})
    return {**figures, "mrr": found.get("mrr")}


def _group(cell: Record, name: str) -> Mapping[str, Any]:
    group = cell.get(name)
    return group if isinstance(group, dict) else {}


def _moved(old: object, new: object) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Give the ids that are new in a list, and those that are gone."""
    if not isinstance(old, list | tuple) or not isinstance(new, list | tuple):
        return None, None
    return _without(new, old), _without(old, new)


def _without(ids: Iterable[object], others: Iterable[object]) -> tuple[str, ...]:
    gone = set(map(str, others))
    return tuple(one for one in map(str, ids) if one not in gone)


def _listed(ids: tuple[str, ...] | None) -> list[str] | None:
    return None if ids is None else list(ids)


def _said(value: object) -> str:
    if isinstance(value, tuple | list):
        return "+".join(map(str, value)) or "none"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
