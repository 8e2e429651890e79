"""Questions that are lost: what ranks first does not answer them, or an earlier result did not lose them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chunkscope.corpus.reading import Corpus
from chunkscope.errors import InputError
from chunkscope.gate.result import Earlier
from chunkscope.grid.comparison import compare
from chunkscope.grid.pairing import Record
from chunkscope.grid.ranks import CAUSES
from chunkscope.grid.results import Cell
from chunkscope.language import say
from chunkscope.measures.findings import Finding
from chunkscope.questions.labels import Labels, LocatedQuestion


def find_not_answered(corpus: Corpus, labels: Labels, found: Mapping[str, Any]) -> Iterator[Finding]:
    """Find the questions that the first chunks do not answer, each with its cause."""
    k, ranks, causes = found["k"][-1], found["first_rank_answered"], found["missed"]
    for finding in _placed(corpus, labels, "not-answered", causes):
        name = str(finding.question)
        cause, rank = causes[name], ranks[name]
        reason = CAUSES[cause] if cause != "below" else say("not ranked")
        if cause == "below" and rank is not None:
            reason = say("ranked below (rank {rank:,}, k = {k:,})", rank=rank, k=k)
        message = say("{id}: {text}", id=name, text=reason)
        yield dataclasses.replace(finding, message=message, cause=cause)


def compare_with(earlier: Record, path: str, labels: Labels, cell: Cell) -> Earlier:
    """Find out which questions are lost, and were not in an earlier result: answered, where chunks are ranked.

    Raises
    ------
    InputError
        The earlier result has no such setting, none of the questions, or does not say what became of them.
    """
    ids = {located.question.id: located.question.digest for located in labels.valid}
    now = {"corpus": {"files": {}}, "questions": {"ids": ids}, "cells": [cell.to_dict()]}
    comparison = compare(earlier, now, path, "this check")
    if comparison.questions is None or not comparison.questions.shared:
        raise InputError(f"nothing measured for max-more-lost: {path} has none of the {len(ids)} questions")
    change = comparison.cells[0]
    if cell.retrieval:
        judging = change.rankings[0].judging if change.rankings else None
        if judging is None:
            raise InputError(
                f"{path}: no chunks were ranked there; `chunkscope recall --format json` writes such a result"
            )
        return Earlier(path, "answered", judging[1])
    if change.whole is None:
        raise InputError(f"{path}: questions are not named there; sweep with --ids")
    return Earlier(path, "whole", change.whole)


def find_newly_lost(corpus: Corpus, labels: Labels, earlier: Earlier) -> Iterator[Finding]:
    """Find the questions that are lost, and were not in the earlier result."""
    told = say("answered in {path}, and not answered now", path=earlier.path)
    if earlier.by == "whole":
        told = say("whole in {path}, and now split or without the header of a row", path=earlier.path)
    for finding in _placed(corpus, labels, "newly-lost", earlier.outcome.lost):
        yield dataclasses.replace(finding, message=say("{id}: {text}", id=finding.question, text=told))


def _placed(corpus: Corpus, labels: Labels, code: str, ids: Iterable[str]) -> Iterator[Finding]:
    """Make for each question a finding without a message, where its first evidence stands."""
    wanted = frozenset(ids)
    by_document: dict[str, list[LocatedQuestion]] = {}
    for located in labels.valid:
        if located.question.id in wanted:
            by_document.setdefault(located.evidence[0].document, []).append(located)
    for document in corpus if by_document else ():
        for located in by_document.get(document.name, ()):
            _, start, end = located.evidence[0]
            line, column = document.position(start)
            quote, name = document.text[start:end], located.question.id
            source = document.source_place(start)
            yield Finding(code, document.name, name, line, column, "", quote, span=(start, end), source=source)
