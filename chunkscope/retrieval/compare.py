"""What a recall comes to: intervals, the advice, what a hold-out says of it, and warnings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from chunkscope.grid.advice import TWO_PERCENT, Advice, HeldOut, NoAdvice, Tolerance
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.results import Cell, SweepResult, ranked_by, retriever_names
from chunkscope.grid.statistics import wilson
from chunkscope.language import Text, say
from chunkscope.retrieval.holdout import Holdout
from chunkscope.retrieval.picking import advise_recall, answers, best_of_ways
from chunkscope.retrieval.relevance import JUDGEMENTS

COPYING = 0.8
"""Above this share of words in common, questions read like copies of their evidence."""
LARGE_CORPUS_SHARE = 0.5
DIGITS = 6


def summarise(
    result: SweepResult,
    *,
    holdout: Holdout | None = None,
    tolerance: Tolerance | str = TWO_PERCENT,
    limit: ModelLimit = UNNAMED,
) -> SweepResult:
    """Advise a retriever and a cell of a sweep that ranked chunks, and say what the figures are worth.

    Parameters
    ----------
    result : SweepResult
        With a `RetrievalMeasure` among its measures; without one it is given back as it is.
    holdout : Holdout, optional
        Choose by the same rule on a part of the questions, and show the figure on the rest.
    tolerance : Tolerance or str
        How much more than the least the advised cell may lose.
    limit : ModelLimit
        What a text to index may have.

    Returns
    -------
    SweepResult
        With `advice`, `held_out`, the summary as `retrieval`, and intervals in each cell.

    Raises
    ------
    ConfigError, InputError
        A holdout that leaves a side empty, or goes by an attribute that no question has.
    """
    if not result.cells or not result.cells[0].retrieval:
        return result
    first = result.cells[0].retrieval
    facts = first[0].get("_facts", {})
    n_questions = len(first[0]["first_rank"].ranks)
    warnings = _warnings(facts)
    for number in range(len(first)):
        found = [cell.retrieval[number] for cell in result.cells if cell.retrieval]
        warnings += [text for text in _cell_warnings(result.cells, found) if text not in warnings]
    advice = advise_recall(result, tolerance=tolerance, limit=limit)
    return dataclasses.replace(
        result,
        cells=tuple(_with_intervals(cell) for cell in result.cells),
        advice=advice,
        held_out=None if holdout is None else _held_out(result, holdout, tolerance, limit),
        limit=limit,
        retrieval={
            "questions": n_questions,
            "one_question": round(1 / n_questions, DIGITS) if n_questions else None,
            "shared_words": _share(facts.get("shared_words", (0, 0))),
            "retrievers": retriever_names(first),
            "context": first[0]["settings"].get("context"),
            "best_of_ways": [_advised(advice, one) for one in best_of_ways(result, limit)],
            "warnings": warnings,
        },
    )


def _advised(advice: Advice | NoAdvice, best: dict[str, Any]) -> dict[str, Any]:
    """Give the advised cell for the way and the retriever that it is of: the rule saw the others too."""
    if not isinstance(advice, Advice):
        return best
    same_way = (advice.chunker, advice.unit, advice.size is None, advice.retriever) == (
        best["chunker"],
        best["unit"],
        best["size"] is None,
        best["retriever"],
    )
    return {name: getattr(advice, name) for name in best} if same_way else best


def _share(counts: Sequence[int]) -> dict[str, Any]:
    share = round(counts[0] / counts[1], DIGITS) if counts[1] else None
    return {"shared": counts[0], "words": counts[1], "share": share}


def _with_intervals(cell: Cell) -> Cell:
    return dataclasses.replace(cell, retrieval=tuple(map(_completed, cell.retrieval or ())))


def _completed(found: Mapping[str, Any]) -> dict[str, Any]:
    intervals = {
        judgement: {key: _interval(*counts) for key, counts in found[judgement].items()} for judgement in JUDGEMENTS
    }
    return {**found, "intervals": intervals}


def _interval(hits: int, total: int) -> list[float] | None:
    edges = wilson(hits, total)
    return None if edges is None else [round(edge, DIGITS) for edge in edges]


def _held_out(result: SweepResult, holdout: Holdout, tolerance: Tolerance | str, limit: ModelLimit) -> HeldOut | None:
    """Choose on one part of the questions, and count what the choice answers of the rest."""
    first = (result.cells[0].retrieval or ())[0]
    chosen_on, rest = holdout.split(holdout.groups(first["_asked"]))
    advice = advise_recall(result, tolerance=tolerance, limit=limit, chosen_on=chosen_on)
    if not isinstance(advice, Advice):
        return None
    answered = answers(ranked(result, advice))
    return HeldOut(
        advice,
        (int(answered[chosen_on].sum()), int(chosen_on.sum())),
        (int(answered[rest].sum()), int(rest.sum())),
        {"share": holdout.share, "seed": holdout.seed, "by": holdout.by},
    )


def ranked(result: SweepResult, advice: Advice) -> Mapping[str, Any]:
    """Give what the advised retriever found in the advised cell."""
    return ranked_by(next(cell for cell in result.cells if cell.key == advice.key), advice.retriever)


def _warnings(facts: Mapping[str, Any]) -> list[Text]:
    found = []
    shared, words = facts.get("shared_words", (0, 0))
    if words and shared / words > COPYING:
        found.append(
            say(
                "{share:.0%} of the questions' words occur in their evidence: the questions copy the documents, and "
                "word search finds those too easily",
                share=shared / words,
            )
        )
    for name in facts.get("unknown_words", ()):
        found.append(say("question {id}: none of its words is in the documents", id=name))
    for name in facts.get("silent", ()):
        found.append(say("question {id}: unanswerable, and not asked, for it has no text", id=name))
    for name in facts.get("unknown_trap_docs", ()):
        found.append(say("trap_docs: there is no document {name}", name=name))
    return found


def _cell_warnings(cells: Sequence[Cell], found: Sequence[Mapping[str, Any]]) -> list[Text]:
    """Say once what holds for some cells, and for which."""
    warnings = []
    pairs = list(zip(cells, found, strict=True))
    for place, k in enumerate(found[0]["k"]):
        # numbers of chunks are the same in all cells, or there is one for each
        where = f"k = {k}" if "context" not in found[0]["settings"] else say("this context")
        few = [cell for cell, one in pairs if one["indexed_chunks"] < one["k"][place]]
        if few:
            warnings.append(_few(where, _which(few, cells)))
        shares = [(cell, one["corpus_share"][str(one["k"][place])] or 0) for cell, one in pairs]
        wide = [cell for cell, share in shares if share > LARGE_CORPUS_SHARE]
        if wide:
            warnings.append(_wide(where, _which(wide, cells)))
    small = [cell for cell, one in pairs if one.get("budget", {}).get("nothing")]
    if small:
        limit = found[0]["settings"]["budget"]
        warnings.append(_small(limit["limit"], limit["unit"], _which(small, cells)))
    return warnings


def _few(where: str, which: str) -> Text:
    return say(
        "{where} is more than there are chunks{which}: all of them are retrieved",
        where=where,
        which=which,
    )


def _wide(where: str, which: str) -> Text:
    return say(
        "at {where} the context is more than half of the documents{which}: there retrieval is not being tested",
        where=where,
        which=which,
    )


def _small(limit: int, unit: str, which: str) -> Text:
    return say(
        "the budget of {limit} {unit} is smaller than the first chunk{which}: for some questions the context is empty",
        limit=limit,
        unit=unit,
        which=which,
    )


def _which(some: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """Say in which cells: nothing where it is all of them."""
    if len(some) == len(cells):
        return ""
    n, total = len(some), len(cells)
    sizes = [cell.size for cell in some if cell.size is not None]
    if not sizes:
        return say(" in {n} of {total} settings", n=n, total=total)
    least, most = min(sizes), max(sizes)
    if least == most:
        return say(" in {n} of {total} settings (size {size})", n=n, total=total, size=least)
    return say(" in {n} of {total} settings (sizes {least} to {most})", n=n, total=total, least=least, most=most)
