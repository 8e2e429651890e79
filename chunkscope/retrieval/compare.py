"""What a recall comes to: intervals, the advice, what a hold-out says of it, and warnings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from chunkscope.grid.advice import TWO_PERCENT, Advice, HeldOut, NoAdvice, Tolerance
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.results import Cell, SweepResult, ranked_by, retriever_names
from chunkscope.grid.statistics import wilson
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
    """Give the advised cell for the way that it is of: the rule saw the other ways too."""
    if not isinstance(advice, Advice):
        return best
    same_way = (advice.chunker, advice.unit, advice.size is None) == (
        best["chunker"],
        best["unit"],
        best["size"] is None,
    )
    return {name: getattr(advice, name) for name in best} if same_way else best


def _share(counts: Sequence[int]) -> dict[str, Any]:
    share = round(counts[0] / counts[1], DIGITS) if counts[1] else None
    return {"shared": counts[0], "words": counts[1], "share": share}


def judging_k(found: Mapping[str, Any]) -> str:
    """Give the number of chunks at which a cell is compared, as its JSON has it: the largest.

    Examples
    --------
    >>> judging_k({"k": [1, 5, 10]})
    '10'
    """
    return str(found["k"][-1])


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


def _warnings(facts: Mapping[str, Any]) -> list[str]:
    found = []
    shared, words = facts.get("shared_words", (0, 0))
    if words and shared / words > COPYING:
        found.append(
            f"{shared / words:.0%} of the questions' words occur in their evidence: the questions copy the documents, "
            "and word search finds those too easily"
        )
    found.extend(f"question {name}: none of its words is in the documents" for name in facts.get("unknown_words", ()))
    found.extend(
        f"question {name}: unanswerable, and not asked, for it has no text" for name in facts.get("silent", ())
    )
    found.extend(f"trap_docs: there is no document {name}" for name in facts.get("unknown_trap_docs", ()))
    return found


def _cell_warnings(cells: Sequence[Cell], found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say once what holds for some cells, and for which."""
    warnings = []
    pairs = list(zip(cells, found, strict=True))
    for place in range(len(found[0]["k"])):
        # numbers of chunks are the same in all cells, or there is one for each
        where = f"k = {found[0]['k'][place]}" if "context" not in found[0]["settings"] else "this context"
        few = [cell for cell, one in pairs if one["indexed_chunks"] < one["k"][place]]
        if few:
            warnings.append(f"{where} is more than there are chunks{_which(few, cells)}: all of them are retrieved")
        shares = [(cell, one["corpus_share"][str(one["k"][place])] or 0) for cell, one in pairs]
        wide = [cell for cell, share in shares if share > LARGE_CORPUS_SHARE]
        if wide:
            warnings.append(
                f"at {where} the context is more than half of the documents{_which(wide, cells)}: there retrieval is "
                "not being tested"
            )
    small = [cell for cell, one in zip(cells, found, strict=True) if one.get("budget", {}).get("nothing")]
    if small:
        limit = found[0]["settings"]["budget"]
        warnings.append(
            f"the budget of {limit['limit']} {limit['unit']} is smaller than the first chunk{_which(small, cells)}: "
            "for some questions the context is empty"
        )
    return warnings


def _which(some: Sequence[Cell], cells: Sequence[Cell]) -> str:
    if len(some) == len(cells):
        return ""
    sizes = [cell.size for cell in some if cell.size is not None]
    if not sizes:
        return f" in {len(some)} of {len(cells)} cells"
    ends = f"size {min(sizes)}" if min(sizes) == max(sizes) else f"sizes {min(sizes)} to {max(sizes)}"
    return f" in {len(some)} of {len(cells)} cells ({ends})"
