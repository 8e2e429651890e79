"""What is doubtful about a check: questions that nobody wrote, evidence that nothing splits, too large a context."""

from __future__ import annotations

from collections.abc import Iterator

from chunkscope.gate.evaluate import Evaluation
from chunkscope.gate.thresholds import NEEDS_QUESTIONS, Thresholds
from chunkscope.grid.results import Cell
from chunkscope.language import Text, say
from chunkscope.questions.labels import Labels

ENOUGH_QUESTIONS = 5
"""Of fewer questions the evidence of all may stand in first chunks by chance."""


def find_doubts(labels: Labels | None, thresholds: Thresholds, evaluation: Evaluation) -> list[str]:
    """Say what is doubtful; a check of questions that nobody wrote, or that cannot fail, is worth little."""
    unknown = _unknown(evaluation.cell)
    if labels is not None:
        return [*unknown, *labels.warnings, *_blind(labels, evaluation), *_shallow(evaluation.cell)]
    skipped = [name.replace("_", "-") for name in NEEDS_QUESTIONS if not thresholds[name].is_off]
    return [*unknown, *([say("no questions: {names:, } cannot be checked", names=skipped)] if skipped else [])]


def unasked(labels: Labels) -> Iterator[Text]:
    """Tell of valid questions that have a quote and no text."""
    silent = [located.question for located in labels.valid if not (located.question.question or "").strip()]
    if silent:
        yield say(
            "{n:,} of {total:,} {total:question|questions} {n:has|have} no text, {id} first: quotes that nobody "
            "asks for say little about a setting",
            n=len(silent),
            total=len(labels.valid),
            id=silent[0].id,
        )


def _unknown(cell: Cell) -> list[str]:
    """Tell where pieces of a splitter are found nowhere."""
    lost = 0 if cell.pieces is None else cell.pieces["not_found"]
    if not lost:
        return []
    return [
        say(
            "{n:,} of {total:,} {total:piece is|pieces are} found nowhere in the documents: what they hold counts as "
            "cut",
            n=lost,
            total=cell.chunks,
        )
    ]


def _blind(labels: Labels, evaluation: Evaluation) -> list[str]:
    """Tell of questions without a text, and of evidence that stands where nothing could cut it."""
    told: list[str] = list(unasked(labels))
    if len(labels.valid) >= ENOUGH_QUESTIONS and evaluation.may_be_cut == evaluation.in_first > 0:
        told.append(
            say("all evidence stands in the first chunk of its document, where nothing is split: quote from all over")
        )
    return told


def _shallow(cell: Cell) -> list[str]:
    """Tell where recall says nothing about ranking."""
    return [
        say(
            "the first {k:,} {k:chunk holds|chunks hold} half of the documents or more: recall says little about "
            "ranking",
            k=found["k"][-1],
        )
        for found in cell.retrieval or ()
        if found["half"]
    ]
