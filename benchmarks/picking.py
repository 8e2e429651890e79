"""How much is lost by following the advice: regret over parts of the questions, beside simpler rules.

``python benchmarks/picking.py --data FOLDER [--seeds 300] [--only NAME ...]``

All default ways of cutting are ranked by BM25 at equal context, once. Then each rule chooses a cell on some of the
questions, and *regret* is the share that the best cell answers of the other questions, less the share that the chosen
one does. Its mean over all parts is written down, with the share of parts in which it is above a tenth (*far*), and how
many times the least characters of any cell the chosen one embeds (*embed*). *Halves* choose on one half of the
questions and look at the other; *draws of N* choose on N questions and look at all others. Three rules are compared:
the advice, the cell that answers the most (the first of equal ones), and the least context among all cells that an
exact test cannot tell from the best. FOLDER holds nagisa_ja, jaquad_dev_ja, chroma_eval and tables, each with ``docs``
and ``questions.jsonl``. Writes ``benchmarks/results/picking.json``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chunkscope import check_labels, read_corpus, read_questions, recall
from chunkscope.grid.advice import TWO_PERCENT
from chunkscope.grid.statistics import LEVEL, holm, mcnemar
from chunkscope.retrieval.picking import Contest
from chunkscope.spans.intervals import BoolArray, IntArray

RESULTS = Path(__file__).parent / "results" / "picking.json"
FAR = 0.1
TWO_SIZES = (200, 2000)


@dataclass(frozen=True)
class Trial:
    """A set of questions, the context, how many questions to choose on (None: half), and which sizes there are."""

    folder: str
    context: int
    n_questions: int | None = None
    sizes: tuple[int, ...] | None = None


TRIALS = {
    "nagisa_ja, halves": Trial("nagisa_ja", 4000),
    "nagisa_ja, halves, two sizes": Trial("nagisa_ja", 4000, sizes=TWO_SIZES),
    "jaquad, draws of 40": Trial("jaquad_dev_ja", 2000, 40),
    "jaquad, draws of 200": Trial("jaquad_dev_ja", 2000, 200),
    "jaquad, draws of 40, two sizes": Trial("jaquad_dev_ja", 2000, 40, TWO_SIZES),
    "chroma_eval, halves": Trial("chroma_eval", 6000),
    "chroma_eval, draws of 40": Trial("chroma_eval", 6000, 40),
    "tables, halves": Trial("tables", 6000),
}
Rule = Callable[[Contest, IntArray], IntArray]


def by_advice(contest: Contest, chosen_on: IntArray) -> IntArray:
    """Choose as the advice does: int64 (d,) of weights int64 (q, d)."""
    return contest.pick(chosen_on, TWO_PERCENT)


def by_highest(contest: Contest, chosen_on: IntArray) -> IntArray:
    """Choose the cell that answers the most, the first of equal ones."""
    losses = np.where(contest.options.eligible[:, None], contest.losses(chosen_on), np.inf)
    return losses.argmin(axis=0)


def by_least_context(contest: Contest, chosen_on: IntArray) -> IntArray:
    """Choose the least context among the cells that differ from the best by no more than chance."""
    contexts = np.array(
        [found["context"][str(found["k"][-1])] for cell in contest.cells for found in cell.retrieval or ()]
    )
    return np.array([_least_context(contest, contexts, column > 0) for column in chosen_on.T])


def _least_context(contest: Contest, contexts: np.ndarray, part: BoolArray) -> int:
    hits = contest.answered[:, part]
    best = int(np.where(contest.options.eligible, hits.sum(axis=1), -1).argmax())
    only_best, only_cell = (hits[best] & ~hits).sum(axis=1), (hits & ~hits[best]).sum(axis=1)
    p_values = holm([mcnemar(int(one), int(other)) for one, other in zip(only_best, only_cell, strict=True)])
    alike = [place for place, p_value in enumerate(p_values) if p_value >= LEVEL and contest.options.eligible[place]]
    return min(alike, key=lambda place: (contexts[place], -int(hits[place].sum()), place))


RULES: dict[str, Rule] = {"advice": by_advice, "highest": by_highest, "least context": by_least_context}


def contest_of(data: Path, trial: Trial) -> Contest:
    corpus = read_corpus(data / trial.folder / "docs")
    labels = check_labels(corpus, read_questions(data / trial.folder / "questions.jsonl"))
    result = recall(corpus, labels, sizes=trial.sizes, context=trial.context, skip_bad_labels=True)
    return Contest.of(result)


def parts(n_questions: int, n_chosen: int, seeds: int) -> IntArray:
    """Give the questions to choose on, a column a seed: 1 or 0, int64 (q, seeds)."""
    columns = np.zeros((n_questions, seeds), dtype=np.int64)
    for seed in range(seeds):
        columns[np.random.default_rng(seed).permutation(n_questions)[:n_chosen], seed] = 1
    return columns


def regrets(contest: Contest, chosen_on: IntArray, chosen: IntArray) -> np.ndarray:
    """Give for each part the share of the other questions that the best cell answers more: float (d,)."""
    others = 1 - chosen_on
    lost = contest.losses(others) / others.sum(axis=0)
    best = np.where(contest.options.eligible[:, None], lost, np.inf).min(axis=0)
    return lost[chosen, np.arange(len(chosen))] - best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    found: dict[str, object] = (
        json.loads(chosen.output.read_text())["trials"] if chosen.only and chosen.output.exists() else {}
    )
    contests: dict[tuple[object, ...], Contest] = {}
    for name, trial in TRIALS.items():
        if chosen.only and name not in chosen.only:
            continue
        key = trial.folder, trial.context, trial.sizes
        if key not in contests:
            contests[key] = contest_of(chosen.data, trial)
        contest = contests[key]
        n = contest.n_questions
        chosen_on = parts(n, trial.n_questions or n // 2, chosen.seeds)
        characters = np.array([cell.chunk_characters for cell in contest.cells], dtype=np.float64)
        rows, embed = {}, characters / characters.min()
        for rule, choose in RULES.items():
            cells = choose(contest, chosen_on)
            lost = regrets(contest, chosen_on, cells)
            rows[rule] = {
                "regret": round(float(lost.mean()), 4),
                "far": round(float((lost > FAR).mean()), 4),
                "embed": round(float(embed[cells].mean()), 3),
            }
        found[name] = {
            "questions": n,
            "chosen_on": int(chosen_on[:, 0].sum()),
            "cells": len(contest.cells),
            "rules": rows,
        }
        print(name, found[name], flush=True)
    report = {
        "command": f"python benchmarks/picking.py --data FOLDER --seeds {chosen.seeds}",
        "seeds": chosen.seeds,
        "trials": {name: found[name] for name in TRIALS if name in found},
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
