"""Peak memory of sweeps over a JSONL corpus larger than one wants to hold.

``python benchmarks/large_jsonl.py [--megabytes 1000]``

Writes a made-up corpus to a scratch folder, sweeps it with ``fixed`` and ``sentence``, and adds seconds and peak memory
(all processes together) to ``benchmarks/results/large_jsonl.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import tempfile
from pathlib import Path

from synthetic import document
from whole_process import run_once

HERE = Path(__file__).parent
DIFFERENT = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--output", type=Path, default=HERE / "results" / "large_jsonl.json")
    chosen = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch, "corpus.jsonl")
        n_documents = write_jsonl(corpus, chosen.megabytes * 1_000_000)
        for chunker in ("fixed", "sentence"):
            command = [
                sys.executable,
                "-m",
                "chunkscope",
                "sweep",
                str(corpus),
                "--chunker",
                chunker,
                "--sizes",
                "50..800",
                "--overlaps",
                "1/6",
            ]
            seconds, peak = run_once(command)
            found[chunker] = {"seconds": round(seconds, 1), "peak_megabytes": round(peak / 1e6)}
            print(chunker, found[chunker], flush=True)
        size = corpus.stat().st_size
    report = {
        "command": f"python benchmarks/large_jsonl.py --megabytes {chosen.megabytes}",
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "corpus": {"documents": n_documents, "bytes": size},
        "sweeps": found,
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1) + "\n")


def write_jsonl(path: Path, n_bytes: int) -> int:
    chance = random.Random(0)
    texts = [document(chance, number % 2 == 0) for number in range(DIFFERENT)]
    written = number = 0
    with path.open("w", encoding="utf-8") as lines:
        while written < n_bytes:
            text = texts[number % DIFFERENT].replace("円", f"円{number // DIFFERENT}", 3)
            row = json.dumps({"name": f"{number:07}.md", "text": text}, ensure_ascii=False) + "\n"
            lines.write(row)
            written += len(row.encode())
            number += 1
    return number


if __name__ == "__main__":
    main()
