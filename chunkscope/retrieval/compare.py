"""Cells side by side: which do not differ from the best, and which of these has the least context."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunkscope.grid.results import Cell, SweepResult
from chunkscope.retrieval.advice import advise
from chunkscope.retrieval.relevance import JUDGEMENTS
from chunkscope.retrieval.statistics import LEVEL, against_best, halves, least_difference, wilson
from chunkscope.spans.intervals import BoolArray, IntArray

MAIN_K = 5
COPYING = 0.8
"""Above this share of words in common, questions read like copies of their evidence."""
LARGE_CORPUS_SHARE = 0.5
DIGITS = 6


@dataclass(frozen=True)
class Holdout:
    """Which share of the questions is kept back from choosing a cell, and by which seed."""

    share: float
    seed: int = 0


def summarise(result: SweepResult, *, k: int | None = None, holdout: Holdout | None = None) -> SweepResult:
    """Compare the cells of a sweep that ranked chunks; give the same result with what came of it.

    Parameters
    ----------
    result : SweepResult
        With a `RetrievalMeasure` among its measures; without one it is given back as it is.
    k : int, optional
        The number of chunks at which cells are compared; by default 5 if that was asked for, else the largest.
    holdout : Holdout, optional
        Choose on a part of the questions, and show the figure on the rest.

    Returns
    -------
    SweepResult
        `retrieval` holds the summary; each cell has its intervals, and whether it differs from the best.

    Raises
    ------
    ConfigError
        A holdout that leaves a side empty.
    """
    if not result.cells or not result.cells[0].retrieval:
        return result
    n_retrievers = len(result.cells[0].retrieval)
    summaries, columns = [], []
    for number in range(n_retrievers):
        found = [cell.retrieval[number] for cell in result.cells if cell.retrieval]
        summary, completed = _summarise(result.cells, found, k, holdout)
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


def main_k(ks: Sequence[int], k: int | None = None) -> int:
    """Give the number of chunks at which cells are compared.

    Examples
    --------
    >>> main_k((1, 5, 10)), main_k((1, 3)), main_k((1, 3), 1)
    (5, 3, 1)
    """
    if k is not None and k in ks:
        return k
    return MAIN_K if MAIN_K in ks else ks[-1]


def _summarise(
    cells: Sequence[Cell], found: Sequence[Mapping[str, Any]], k: int | None, holdout: Holdout | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    chosen_k = main_k(found[0]["k"], k)
    hits = np.array([_hits(one["first_rank"].ranks, chosen_k) for one in found])
    best, p_values = against_best(hits)
    completed = [_completed(one, p_value, chosen_k) for one, p_value in zip(found, p_values, strict=True)]
    choice = choose(hits, p_values, [_context(one, chosen_k) for one in found])
    summary = {
        "retriever": found[0]["retriever"],
        "questions": hits.shape[1],
        "k": chosen_k,
        "best": _named(cells[best], found[best], chosen_k),
        "n_indistinguishable": sum(p_value >= LEVEL for p_value in p_values),
        "least_difference": least_difference(len(cells)),
        "choice": _named(cells[choice], found[choice], chosen_k),
        "advice": advise(cells, found, choice, indistinguishable(p_values), chosen_k),
        "warnings": _cell_warnings(cells, found),
    }
    if holdout is not None:
        summary["holdout"] = _held_out(cells, found, hits, chosen_k, holdout)
    return summary, completed


def _hits(ranks: IntArray, k: int) -> BoolArray:
    return (ranks > 0) & (ranks <= k)


def _context(found: Mapping[str, Any], k: int) -> float:
    context = found["context"][str(k)]
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


def _completed(found: Mapping[str, Any], p_value: float, k: int) -> dict[str, Any]:
    intervals = {
        judgement: {key: _interval(*counts) for key, counts in found[judgement].items()} for judgement in JUDGEMENTS
    }
    comparison = {"k": k, "p_value": round(p_value, DIGITS), "differs_from_best": p_value < LEVEL}
    return {**found, "intervals": intervals, "against_best": comparison}


def _interval(hits: int, total: int) -> list[float] | None:
    edges = wilson(hits, total)
    return None if edges is None else [round(edge, DIGITS) for edge in edges]


def _named(cell: Cell, found: Mapping[str, Any], k: int) -> dict[str, Any]:
    chunker, unit, size, overlap = cell.key
    place = {"chunker": chunker, "unit": unit, "size": size, "overlap": overlap}
    return {**place, "strict": found["strict"][str(k)], "context": found["context"][str(k)]}


def _held_out(
    cells: Sequence[Cell], found: Sequence[Mapping[str, Any]], hits: BoolArray, k: int, holdout: Holdout
) -> dict[str, Any]:
    chosen_on, held_out = halves(hits.shape[1], holdout.share, holdout.seed)
    _, p_values = against_best(hits[:, chosen_on])
    choice = choose(hits[:, chosen_on], p_values, [_context(one, k) for one in found])
    return {
        "share": holdout.share,
        "seed": holdout.seed,
        "choice": _named(cells[choice], found[choice], k),
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
    found.extend(f"trap_docs: there is no document {name}" for name in facts.get("unknown_trap_docs", ()))
    return found


def _cell_warnings(cells: Sequence[Cell], found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say once what holds for some cells, and for which."""
    warnings = []
    for k in found[0]["k"]:
        few = [cell for cell, one in zip(cells, found, strict=True) if one["indexed_chunks"] < k]
        if few:
            warnings.append(f"k = {k} is more than there are chunks{_which(few, cells)}: all of them are retrieved")
        key = str(k)
        wide = [c for c, one in zip(cells, found, strict=True) if (one["corpus_share"][key] or 0) > LARGE_CORPUS_SHARE]
        if wide:
            warnings.append(
                f"at k = {k} the context is more than half of the documents{_which(wide, cells)}: there retrieval is "
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
