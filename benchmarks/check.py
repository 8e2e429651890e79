"""What the gate costs: ``check`` beside a sweep of one cell, and ``check`` of ten documents beside an empty program.

``python benchmarks/check.py [--corpus FOLDER --questions FILE] [--runs 5]``

Every command is a whole process; they run in turn, and medians are compared. Without a corpus a synthetic one is made.
Writes ``benchmarks/results/check.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from speed import CHUNKSCOPE, HERE, describe, processor
from synthetic import write_corpus
from whole_process import Timed, time_in_turn

SETTINGS = {
    "fixed": ["--chunker", "fixed"],
    "sentence": ["--chunker", "sentence"],
    "heading": ["--chunker", "heading"],
}
# so lax that the process ends with 0 whatever it finds; every finding is still looked for, and written
LAX = ["--max-split", "100%", "--max-missing", "100%", "--max-header-lost", "100%"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=HERE / "results" / "check.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if chosen.corpus is None:
            chosen.corpus, chosen.questions = write_corpus(Path(scratch), documents=2000)
        pairs = {name: beside_a_sweep(chosen, options) for name, options in SETTINGS.items()}
        ten = Path(scratch) / "ten"
        ten.mkdir()
        for number, path in enumerate(sorted(chosen.corpus.rglob("*.md"))[:10]):
            shutil.copy(path, ten / f"{number}.md")
        pairs["ten documents"] = in_turn(
            {
                "check": [*CHUNKSCOPE, "check", str(ten), "--size", "400"],
                "empty program": [sys.executable, "-c", "pass"],
            },
            4 * chosen.runs,
        )
    report = {
        "command": f"python benchmarks/check.py --runs {chosen.runs}",
        "machine": {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "corpus": describe(chosen.corpus) if chosen.corpus.exists() else "synthetic",
        "pairs": pairs,
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def beside_a_sweep(chosen: argparse.Namespace, options: list[str]) -> dict[str, object]:
    common = [str(chosen.corpus), "-q", str(chosen.questions), *options]
    return in_turn(
        {
            "check": [*CHUNKSCOPE, "check", *common, "--size", "400", "--overlap", "1/6", *LAX],
            "sweep": [*CHUNKSCOPE, "sweep", *common, "--sizes", "400", "--overlaps", "1/6"],
        },
        chosen.runs,
    )


def in_turn(commands: dict[str, list[str]], runs: int) -> dict[str, object]:
    timed = time_in_turn(commands, runs)
    one, other = timed.values()
    found: dict[str, object] = {name: times.to_dict() for name, times in timed.items()}
    found["median_ratio"] = round(ratio(one, other), 3)
    found["median_difference_seconds"] = round(statistics.median(one.seconds) - statistics.median(other.seconds), 3)
    return found


def ratio(one: Timed, other: Timed) -> float:
    return statistics.median(a / b for a, b in zip(one.seconds, other.seconds, strict=True))


if __name__ == "__main__":
    main()
