"""Cells side by side: which do not differ from the best, and which of these has the least context."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chunkscope.grid.results import Cell, SweepResult
from chunkscope.grid.statistics import LEVEL, wilson
from chunkscope.retrieval.advice import advise
from chunkscope.retrieval.holdout import Holdout
from chunkscope.retrieval.relevance import JUDGEMENTS
from chunkscope.retrieval.statistics import against_best, least_difference
from chunkscope.spans.intervals import BoolArray, IntArray

COPYING = 0.8
"""Above this share of words in common, questions read like copies of their evidence."""
LARGE_CORPUS_SHARE = 0.5
DIGITS = 6


def summarise(result: SweepResult, *, holdout: Holdout | None = None) -> SweepResult:
    """Compare the cells of a sweep that ranked chunks; give the same result with what came of it.

    Parameters
    ----------
    result : SweepResult
        With a `RetrievalMeasure` among its measures; without one it is given back as it is.
    holdout : Holdout, optional
        Choose on a part of the questions, and show the figure on the rest.

    Returns
    -------
    SweepResult
        `retrieval` holds the summary; each cell has its intervals, and whether it differs from the best.

    Raises
    ------
    ConfigError, InputError
        A holdout that leaves a side empty, or goes by an attribute that no question has.
    """
    if not result.cells or not result.cells[0].retrieval:
        return result
    n_retrievers = len(result.cells[0].retrieval)
    summaries, columns = [], []
    for number in range(n_retrievers):
        found = [cell.retrieval[number] for cell in result.cells if cell.retrieval]
        summary, completed = _summarise(result.cells, found, holdout)
        summaries.append(summary)
        columns.append(completed)
    cells = tuple(
        dataclasses.replace(cell, retrieval=tuple(column[place] for column in columns))
        for place, cell in enumerate(result.cells)
    )
    facts = result.cells[0].retrieval[0].get("_facts", {})
    n_questions = summaries[0]["questions"]
    summary = {
        "questions": n_questions,
        "one_question": round(1 / n_questions, DIGITS) if n_questions else None,
        "shared_words": _share(facts.get("shared_words", (0, 0))),
        "retrievers": summaries,
        "warnings": [*_warnings(facts), *(text for one in summaries for text in one.pop("warnings"))],
    }
    return dataclasses.replace(result, cells=cells, retrieval=summary)


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


def _summarise(
    cells: Sequence[Cell], found: Sequence[Mapping[str, Any]], holdout: Holdout | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    hits = np.array([_hits(one["first_rank"].ranks, one["k"][-1]) for one in found])
    best, p_values = against_best(hits)
    completed = [_completed(one, p_value) for one, p_value in zip(found, p_values, strict=True)]
    choice = choose(hits, p_values, [_context(one) for one in found])
    context = found[0]["settings"].get("context")
    summary = {
        "retriever": found[0]["retriever"],
        "questions": hits.shape[1],
        "k": found[0]["k"][-1] if context is None else None,
        "context": context,
        "best": _named(cells[best], found[best]),
        "n_indistinguishable": sum(p_value >= LEVEL for p_value in p_values),
        "least_difference": least_difference(len(cells)),
        "choice": _named(cells[choice], found[choice]),
        "advice": advise(cells, found, choice, indistinguishable(p_values)),
        "warnings": _cell_warnings(cells, found),
    }
    if holdout is not None:
        summary["holdout"] = _held_out(cells, found, hits, holdout)
    return summary, completed


def _hits(ranks: IntArray, k: int) -> BoolArray:
    return (ranks > 0) & (ranks <= k)


def _context(found: Mapping[str, Any]) -> float:
    context = found["context"][judging_k(found)]
    return float("inf") if context is None else context


def indistinguishable(p_values: Sequence[float]) -> list[int]:
    """Give the cells that do not differ from the best, which is one of them."""
    return [place for place, p_value in enumerate(p_values) if p_value >= LEVEL]


def choose(hits: BoolArray, p_values: Sequence[float], contexts: Sequence[float]) -> int:
    """Choose the cell with the least context among those that do not differ from the best, then the one with most hits.

    Examples
    --------
    >>> choose(np.ones((3, 4), dtype=bool), [1.0, 1.0, 0.01], [300.0, 200.0, 100.0])
    1
    """
    return min(indistinguishable(p_values), key=lambda place: (contexts[place], -int(hits[place].sum()), place))


def _completed(found: Mapping[str, Any], p_value: float) -> dict[str, Any]:
    intervals = {
        judgement: {key: _interval(*counts) for key, counts in found[judgement].items()} for judgement in JUDGEMENTS
    }
    comparison = {"k": found["k"][-1], "p_value": round(p_value, DIGITS), "differs_from_best": p_value < LEVEL}
    return {**found, "intervals": intervals, "against_best": comparison}


def _interval(hits: int, total: int) -> list[float] | None:
    edges = wilson(hits, total)
    return None if edges is None else [round(edge, DIGITS) for edge in edges]


def _named(cell: Cell, found: Mapping[str, Any]) -> dict[str, Any]:
    chunker, unit, size, overlap = cell.key
    k = judging_k(found)
    place = {"chunker": chunker, "unit": unit, "size": size, "overlap": overlap}
    return {**place, "k": found["k"][-1], "strict": found["strict"][k], "context": found["context"][k]}


def _held_out(
    cells: Sequence[Cell], found: Sequence[Mapping[str, Any]], hits: BoolArray, holdout: Holdout
) -> dict[str, Any]:
    chosen_on, held_out = holdout.split(holdout.groups(found[0]["_asked"]))
    _, p_values = against_best(hits[:, chosen_on])
    choice = choose(hits[:, chosen_on], p_values, [_context(one) for one in found])
    return {
        "share": holdout.share,
        "seed": holdout.seed,
        "by": holdout.by,
        "choice": _named(cells[choice], found[choice]),
        "chosen_on": [int(hits[choice, chosen_on].sum()), int(chosen_on.sum())],
        "held_out": [int(hits[choice, held_out].sum()), int(held_out.sum())],
    }


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
