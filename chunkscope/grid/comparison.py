"""What changed between two results: for each question, cell by cell, over the questions that both have."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkscope.corpus.json_lines import read_stored
from chunkscope.errors import InputError
from chunkscope.grid.outcomes import Changes, PairedOutcome, RankingChange, changed_figures, compare_ranking
from chunkscope.grid.pairing import (
    PARAMETERS,
    Difference,
    PlacedCell,
    Record,
    find_differences,
    group,
    pair_cells,
    paired_rankings,
)
from chunkscope.grid.results import FORMAT, SweepResult
from chunkscope.grid.statistics import holm
from chunkscope.language import say
from chunkscope.plugins.shown import Shown, counted

OF_QUESTIONS = ("question", "evidence", "precision_omega")
"""Parts of the names of counts over questions."""
NO_FIGURES = frozenset({*PARAMETERS, "split_question_ids", "header_lost_question_ids", "retrieval", "rates"})
"""What a cell has beside figures, or follows from these."""


@dataclass(frozen=True)
class CellChange:
    """One setting in both results.

    Attributes
    ----------
    old, new : mapping
        The cell, as it stands in each result.
    changed : mapping
        The figures that are not the same, by the names that lead to them, each with both values. Those over questions
        only where both results have the same questions.
    whole : PairedOutcome or None
        The questions that are neither split nor have lost a header; None where a result does not name them.
    became_split, became_whole, became_header_lost, became_with_header : tuple of str or None
        Question ids; None where a result does not name them.
    rankings : tuple of RankingChange
        One for each retriever.
    """

    old: Record = field(repr=False)
    new: Record = field(repr=False)
    changed: Changes = field(repr=False)
    whole: PairedOutcome | None
    became_split: tuple[str, ...] | None
    became_whole: tuple[str, ...] | None
    became_header_lost: tuple[str, ...] | None
    became_with_header: tuple[str, ...] | None
    rankings: tuple[RankingChange, ...] = ()

    def outcome(self, retriever: str | None = None) -> PairedOutcome | None:
        """Give what became of the questions: whether a retriever answers them, or whether they are whole."""
        if retriever is None:
            return self.whole
        judging = next((one.judging for one in self.rankings if one.retriever == retriever), None)
        return None if judging is None else judging[1]

    @property
    def moved(self) -> int:
        """How many questions came out otherwise: split, without a header, or not answered any more, or the reverse."""
        moves = (self.became_split, self.became_whole, self.became_header_lost, self.became_with_header)
        judging = [ranking.judging for ranking in self.rankings]
        outcomes = [found[1] for found in judging if found is not None]
        return sum(len(ids or ()) for ids in moves) + sum(len(one.gained) + len(one.lost) for one in outcomes)

    @property
    def is_same(self) -> bool:
        """Tell whether nothing changed."""
        return not (self.changed or self.moved or not all(ranking.is_same for ranking in self.rankings))

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "old": {name: self.old.get(name) for name in PARAMETERS},
            "new": {name: self.new.get(name) for name in PARAMETERS},
            "changed": {"_".join(path): list(values) for path, values in self.changed.items()},
            "whole": None if self.whole is None else self.whole.to_dict(),
            "became_split": _listed(self.became_split),
            "became_whole": _listed(self.became_whole),
            "became_header_lost": _listed(self.became_header_lost),
            "became_with_header": _listed(self.became_with_header),
            "rankings": [ranking.to_dict() for ranking in self.rankings],
        }


@dataclass(frozen=True)
class QuestionPairing:
    """The valid questions of two results, by their ids.

    Attributes
    ----------
    shared : tuple of str
        In the order of the new result.
    only_old, only_new : mapping
        The others, with what became of each in the other result: the label problem for which it is excluded there, or
        None where it is not in it, or has no evidence.
    changed : tuple of str
        Shared ones that ask, or quote, something else.
    """

    shared: tuple[str, ...]
    only_old: Mapping[str, str | None]
    only_new: Mapping[str, str | None]
    changed: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Tell whether both results have the same questions."""
        return not (self.only_old or self.only_new or self.changed)

    def to_dict(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        return {
            "shared": len(self.shared),
            "only_old": dict(self.only_old),
            "only_new": dict(self.only_new),
            "changed": list(self.changed),
        }


@dataclass(frozen=True)
class Comparison(Shown):
    """All that changed.

    Attributes
    ----------
    old_path, new_path : str
    differences : tuple of Difference
        Parameters, settings and versions that are not the same.
    grid : tuple of Difference
        Parameters of which both grids have several values, and not the same.
    documents : mapping
        Names of documents that were ``added``, ``removed`` or ``changed``.
    questions : QuestionPairing or None
        None where a result does not name its questions, or has none.
    same_questions : bool
    cells : tuple of CellChange
        Settings in both, in the order of the new result.
    only_old, only_new : tuple of PlacedCell
        Cells that only one of them has.
    advice : (mapping or None, mapping or None)
        What each result advises.
    fields : mapping
        The titles of figures that measures of packages have counted.
    """

    old_path: str
    new_path: str
    differences: tuple[Difference, ...]
    grid: tuple[Difference, ...]
    documents: Mapping[str, tuple[str, ...]]
    questions: QuestionPairing | None
    same_questions: bool
    cells: tuple[CellChange, ...]
    only_old: tuple[PlacedCell, ...]
    only_new: tuple[PlacedCell, ...]
    advice: tuple[Record | None, Record | None] = (None, None)
    fields: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        questions = f", {counted(len(self.questions.shared), 'question')} in both" if self.questions else ""
        changed = f"{len(self.changed):,} of {counted(len(self.cells), 'cell')} changed"
        return f"Comparison({self.old_path} -> {self.new_path}: {changed}{questions})"

    @property
    def changed(self) -> tuple[CellChange, ...]:
        """The cells in which anything changed."""
        return tuple(cell for cell in self.cells if not cell.is_same)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say what keeps the comparison from telling what did it."""
        found = []
        if len(self.differences) > 1:
            named = [str(difference) for difference in self.differences]
            found.append(
                say("{n} parameters differ, so nobody can say which did it: {named:; }", n=len(named), named=named)
            )
        if any(self.documents.values()):
            found.append(
                say(
                    "the documents differ ({added} added, {removed} removed, {changed} changed)",
                    added=len(self.documents["added"]),
                    removed=len(self.documents["removed"]),
                    changed=len(self.documents["changed"]),
                )
            )
        if not self.same_questions:
            found.append(say("the questions differ"))
        if any(cell.became_split is None for cell in self.cells):
            found.append(say("question ids are not in both results; sweep with --ids"))
        return tuple(found)

    def outcomes(self, retriever: str | None = None) -> list[PairedOutcome | None]:
        """Give what became of the questions of each cell: see `CellChange.outcome`."""
        return [cell.outcome(retriever) for cell in self.cells]

    def corrected(self, retriever: str | None = None) -> list[float | None]:
        """Give the p-value of each of the `outcomes`, corrected for there being as many as there are (`holm`)."""
        outcomes = self.outcomes(retriever)
        adjusted = iter(holm([found.p_value for found in outcomes if found is not None]))
        return [None if found is None else next(adjusted) for found in outcomes]

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON of format 1."""
        return {
            "format": FORMAT,
            "old": self.old_path,
            "new": self.new_path,
            "warnings": list(self.warnings),
            "differences": [one.to_dict() for one in self.differences],
            "grid": [one.to_dict() for one in self.grid],
            "documents": {kind: list(names) for kind, names in self.documents.items()},
            "same_questions": self.same_questions,
            "questions": None if self.questions is None else self.questions.to_dict(),
            "advice": list(self.advice),
            "cells": [cell.to_dict() for cell in self.changed],
            "cells_compared": len(self.cells),
            "cells_only_old": [placed.to_dict() for placed in self.only_old],
            "cells_only_new": [placed.to_dict() for placed in self.only_new],
        }


def compare_files(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> Comparison:
    """Compare two results of ``sweep --format json`` or ``recall --format json``.

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
    if not good or not all(map(_is_cell, cells or [])):
        raise InputError(f"{os.fspath(path)}: not a result of a sweep; `chunkscope sweep --format json` writes one")
    return record


def _is_cell(cell: object) -> bool:
    return isinstance(cell, dict) and all(
        name in cell and (cell[name] is None or isinstance(cell[name], str | int)) for name in PARAMETERS
    )


def compare(
    old: SweepResult | Record, new: SweepResult | Record, old_path: str = "old", new_path: str = "new"
) -> Comparison:
    """Compare two results of a sweep, or what `SweepResult.to_dict` gives of them.

    Cells are paired by chunker, unit, size and overlap. A parameter that is one in each result, and not the same, is
    a difference between the results and plays no part in pairing. Questions are paired by their ids: what one result
    alone has is named, and counts in nothing.

    Raises
    ------
    InputError
        No cell of one has its like in the other.

    Examples
    --------
    >>> from chunkscope import Document, Question, sweep
    >>> rules = [Document("rules.md", "宿泊費の上限は1泊12,000円とする。")]
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> comparison = compare(*(sweep(rules, asked, chunkers=f"fixed(size={size})") for size in (13, 20)))
    >>> [str(difference) for difference in comparison.differences], comparison.cells[0].became_whole
    (['size 13 -> 20'], ('q1',))
    """
    old, new = (one.to_dict() if isinstance(one, SweepResult) else one for one in (old, new))
    pairing = pair_cells(old, new)
    if not pairing.pairs:
        raise InputError(f"{old_path} and {new_path} have no setting in common: nothing to compare")
    questions = _pair_questions(old, new)
    are_asked = any(result.get("questions") is not None for result in (old, new))
    are_same = _questions_of(old) == _questions_of(new) if questions is None else questions.is_same
    return Comparison(
        old_path,
        new_path,
        (*pairing.differences, *find_differences(old, new)),
        pairing.grid,
        _documents(old["corpus"], new["corpus"]),
        questions,
        are_same,
        tuple(_change(*pair, questions, are_asked=are_asked, are_same=are_same) for pair in pairing.pairs),
        pairing.only_old,
        pairing.only_new,
        (_advice(old), _advice(new)),
        {str(one.get("name")): str(one.get("title")) for one in _objects(new, "fields")},
    )


def _objects(record: Record, name: str) -> list[Record]:
    found = record.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list | tuple) else []


def _advice(result: Record) -> Record | None:
    found = result.get("advice")
    return found if isinstance(found, dict) else None


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


def _pair_questions(old: Record, new: Record) -> QuestionPairing | None:
    asked = [group(result, "questions") for result in (old, new)]
    before, after = (questions.get("ids") for questions in asked)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    excluded = [{one.get("id"): one.get("problem") for one in _objects(one, "excluded")} for one in asked]
    return QuestionPairing(
        tuple(one for one in after if one in before),
        {one: excluded[1].get(one) for one in before if one not in after},
        {one: excluded[0].get(one) for one in after if one not in before},
        tuple(one for one in after if one in before and after[one] != before[one]),
    )


def _change(
    old: Record, new: Record, questions: QuestionPairing | None, *, are_asked: bool, are_same: bool
) -> CellChange:
    same_ids = are_same or (questions is not None and not questions.only_old and not questions.only_new)
    changed = changed_figures(old, new, NO_FIGURES)
    if not same_ids:
        changed = {path: pair for path, pair in changed.items() if not any(part in path[0] for part in OF_QUESTIONS)}
    if not are_asked:
        return CellChange(old, new, changed, None, (), (), (), ())
    shared = None if questions is None else questions.shared
    split, lost = (
        _moved(old.get(name), new.get(name), shared) for name in ("split_question_ids", "header_lost_question_ids")
    )
    rankings = [
        compare_ranking(name, *pair, shared or (), with_figures=same_ids)
        for name, pair in paired_rankings(old, new).items()
    ]
    whole = None if shared is None else _whole(old, new, shared)
    return CellChange(old, new, changed, whole, *split, *lost, tuple(rankings))


def _whole(old: Record, new: Record, shared: Sequence[str]) -> PairedOutcome | None:
    outcomes = []
    for cell in (old, new):
        split, lost = (cell.get(name) for name in ("split_question_ids", "header_lost_question_ids"))
        if not isinstance(split, list | tuple) or not isinstance(lost, list | tuple):
            return None
        harmed = {*map(str, split), *map(str, lost)}
        outcomes.append({one: one not in harmed for one in shared})
    return PairedOutcome.of(*outcomes)


def _moved(
    old: object, new: object, shared: Sequence[str] | None
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Give the ids that are new in a list, and those that are gone."""
    if not isinstance(old, list | tuple) or not isinstance(new, list | tuple):
        return None, None
    asked = None if shared is None else frozenset(shared)
    return _without(new, old, asked), _without(old, new, asked)


def _without(ids: Iterable[object], others: Iterable[object], asked: Collection[str] | None) -> tuple[str, ...]:
    gone = set(map(str, others))
    return tuple(one for one in map(str, ids) if one not in gone and (asked is None or one in asked))


def _listed(ids: tuple[str, ...] | None) -> list[str] | None:
    return None if ids is None else list(ids)
