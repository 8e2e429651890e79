"""How long ranking dense vectors takes, side by side with the bare matrix product.

``python benchmarks/ranking.py [--chunks 100000] [--questions 1000] [--width 384] [--runs 5]``

Both take the same blocks of questions. Ranking counts, for each question, the chunks that are better than a given one,
and lists the ten best. Runs alternate; medians are compared. Writes ``benchmarks/results/ranking.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from chunkscope.retrieval.dense.retriever import BLOCK_SCORES, Dense
from chunkscope.retrieval.ranking import rank_block

RESULTS = Path(__file__).parent / "results" / "ranking.json"
K = 10


def timed(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(chosen.chunks, chosen.width)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # questions lie near one chunk each, as they do near their evidence
    targets = rng.integers(0, chosen.chunks, chosen.questions)
    noise = rng.normal(size=(chosen.questions, chosen.width)).astype(np.float32)
    queries = vectors[targets] + 0.1 * noise
    size = max(1, BLOCK_SCORES // chosen.chunks)

    def product() -> None:
        for first in range(0, len(queries), size):
            queries[first : first + size] @ vectors.T

    scores = Dense(queries, vectors)

    def ranked() -> None:
        for block in scores.blocks():
            rank_block(block, targets[block.questions][:, None], k=K)

    product()
    runs = [(timed(product), timed(ranked)) for _ in range(chosen.runs)]
    report = {
        "command": f"python benchmarks/ranking.py --runs {chosen.runs}",
        "chunks": chosen.chunks,
        "questions": chosen.questions,
        "width": chosen.width,
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in ("chunkscope", "numpy")},
        "product_seconds": round(statistics.median(one for one, _ in runs), 3),
        "ranking_seconds": round(statistics.median(other for _, other in runs), 3),
        "median_ratio": round(statistics.median(other / one for one, other in runs), 2),
        "runs": [[round(value, 3) for value in run] for run in runs],
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
