"""How long sweeps take, and how much memory, side by side with what people run today.

``python benchmarks/speed.py [--corpus FOLDER --questions FILE] [--runs 5] [--only NAME ...]``

Every command is a whole process; rivals and sweeps run in turn, and medians are compared. The corpus is a folder of
Markdown (112 MB where the README speaks of it: 19,787 public documentation files, Japanese and English, with 10,000
pinned evidence spans); without one, a synthetic corpus of that kind is made. Writes ``benchmarks/results/speed.json``.
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
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from synthetic import write_corpus
from whole_process import time_in_turn

HERE = Path(__file__).parent
CHUNKSCOPE = [sys.executable, "-m", "chunkscope"]
PACKAGES = ("chunkscope", "numpy", "pyromark", "tiktoken", "fugashi", "langchain-text-splitters", "sentencex")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "speed.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if chosen.corpus is None:
            chosen.corpus, chosen.questions = write_corpus(Path(scratch), documents=2000)
        found = {
            name: pair(name, chosen.corpus, chosen.questions, Path(scratch), chosen.runs)
            for name in PAIRS
            if not chosen.only or name in chosen.only
        }
    report = {
        "command": "python " + " ".join(["benchmarks/speed.py", f"--runs {chosen.runs}"]),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in PACKAGES},
        "corpus": describe(chosen.corpus),
        "pairs": found,
    }
    if chosen.only and chosen.output.exists():
        known = {**json.loads(chosen.output.read_text())["pairs"], **found}
        report["pairs"] = {name: known[name] for name in PAIRS if name in known}
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def rival(name: str, corpus: Path, questions: Path) -> list[str]:
    return [sys.executable, str(HERE / "rivals.py"), name, str(corpus), str(questions)]


def sweep(corpus: Path, questions: Path, *options: str) -> list[str]:
    return [*CHUNKSCOPE, "sweep", str(corpus), "-q", str(questions), *one_way(options)]


def one_way(options: Sequence[str]) -> list[str]:
    """Name the way of cutting and the overlap, where the options do not: comparing all ways is another job."""
    chunker = [] if "--chunker" in options else ["--chunker", "fixed"]
    return [*options, *chunker, *([] if "--overlaps" in options else ["--overlaps", "1/6"])]


PAIRS: dict[str, tuple[list[str] | str | None, str | None]] = {
    # name: (sweep's options, or a rival's name, and what it is measured against)
    "fixed, 76 sizes / one recursive pass": (["--sizes", "50..800"], "recursive_splitter"),
    "fixed, 76 sizes, --no-cuts / one recursive pass": (["--sizes", "50..800", "--no-cuts"], "recursive_splitter"),
    "the Markdown parser and MeCab alone / one recursive pass": ("parser_and_dictionary", "recursive_splitter"),
    "fixed, 76 sizes / plain loop over 76 sizes": (["--sizes", "50..800"], "cut_and_find"),
    "sentence, 76 sizes / one sentencex pass": (["--chunker", "sentence", "--sizes", "50..800"], "sentencex"),
    "token, 76 sizes / one encode_ordinary pass": (["--chunker", "token", "--sizes", "50..800"], "tiktoken"),
    "751 sizes x 100 overlaps": (
        ["--sizes", "50..800:1", "--overlaps", ",".join([*map(str, range(50)), *(f"{n}%" for n in range(1, 51))])],
        None,
    ),
    "twice the documents / once": (["--sizes", "50..800"], "double"),
    "760 cells / 76 cells": (["--sizes", "50..800", "--overlaps", "0,3%,6%,9%,12%,15%,18%,21%,24%,27%"], "once"),
    "--version / import click": (None, "click"),
}  # fmt: skip


def pair(name: str, corpus: Path, questions: Path, scratch: Path, runs: int) -> dict[str, object]:
    options, other = PAIRS[name]
    if other == "click":
        commands = {"a": [*CHUNKSCOPE, "--version"], "b": [sys.executable, "-c", "import click"]}
        runs *= 4
    elif isinstance(options, str):
        commands = {"a": rival(options, corpus, questions), "b": rival(str(other), corpus, questions)}
    elif other == "double":
        twice = scratch / "twice"
        if not twice.exists():
            shutil.copytree(corpus, twice / "one", symlinks=True)
            shutil.copytree(corpus, twice / "two", symlinks=True)
        commands = {
            "a": [*CHUNKSCOPE, "sweep", str(twice), *one_way(options)],
            "b": [*CHUNKSCOPE, "sweep", str(corpus), *one_way(options)],
        }
    elif other == "once":
        commands = {"a": sweep(corpus, questions, *options), "b": sweep(corpus, questions, "--sizes", "50..800")}
    elif other is None:
        commands = {"a": sweep(corpus, questions, *options, "--format", "csv", "--no-cuts")}
        runs = min(runs, 2)
    else:
        commands = {"a": sweep(corpus, questions, *options), "b": rival(other, corpus, questions)}
    timed = time_in_turn(commands, runs)
    found: dict[str, object] = {key: value.to_dict() for key, value in timed.items()}
    command = " ".join(commands["a"][1:])
    places = {
        f"{HERE.parent}/": "",
        str(scratch / "twice"): "TWICE",
        str(corpus): "CORPUS",
        str(questions): "QUESTIONS",
    }
    for place, shown in places.items():
        command = command.replace(place, shown)
    found["command"] = command
    if "b" in timed:
        ratios = [a / b for a, b in zip(timed["a"].seconds, timed["b"].seconds, strict=True)]
        found["median_ratio"] = round(statistics.median(ratios), 3)
    return found


def describe(corpus: Path) -> dict[str, object]:
    from chunkscope import read_corpus

    read = read_corpus(corpus)
    return {
        "documents": len(read),
        "bytes": sum(path.stat().st_size for path in corpus.rglob("*.md")),
        "sha256": read.sha256,
    }


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    main()
