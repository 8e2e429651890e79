"""How often the true evidence is among the first proposals of ``chunkscope questions locate``.

``python benchmarks/locating.py --data FOLDER``

FOLDER holds sets as folders of documents and a file of questions with spans: JaQuAD (Japanese, answers of a few words),
Chroma's (English, no answers, up to five passages needed), a Japanese handbook (model answers, and questions on rows of
tables), and rows of tables of 344 files. A proposal meets a passage if they share at least half of the shorter of the
two. Each is counted with the answers, where there are some, and without. Writes ``benchmarks/results/locating.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from chunkscope import read_corpus
from chunkscope.questions.locating import Proposal, locate
from chunkscope.retrieval.passages import PassageIndex

RESULTS = Path(__file__).parent / "results" / "locating.json"
FIRST = (1, 3, 5)
SETS = (
    ("jaquad_dev_ja", "questions.jsonl", "answer"),
    ("jaquad_dev_ja", "questions.jsonl", None),
    ("chroma_eval", "questions.jsonl", None),
    ("nagisa_ja", "questions.jsonl", "reference"),
    ("nagisa_ja", "questions.jsonl", None),
    ("nagisa_ja", "questions_table.jsonl", None),
    ("tables", "questions.jsonl", None),
)


def meets(one: Proposal, document: str, span: list[int]) -> bool:
    """Tell whether a proposal and a passage are the same but for their ends."""
    shared = min(one.end, span[1]) - max(one.start, span[0])
    return one.document == document and 2 * shared >= min(one.end - one.start, span[1] - span[0])


def measure(folder: Path, file: str, answer: str | None) -> dict[str, Any]:
    documents = list(read_corpus(folder / "docs"))
    rows = [json.loads(line) for line in (folder / file).read_text("utf-8").splitlines()]
    asked = [{"id": row["id"], "question": row["question"], "answer": row[answer] if answer else ""} for row in rows]
    begun = time.process_time()
    located = locate(documents, asked, PassageIndex, max(FIRST))
    seconds = time.process_time() - begun
    hits = dict.fromkeys(FIRST, 0)
    found = dict.fromkeys(FIRST, 0)
    for row, one in zip(rows, located, strict=True):
        for n in FIRST:
            met = [any(meets(place, row["doc"], span) for place in one.proposals[:n]) for span in row["spans"]]
            hits[n] += any(met)
            found[n] += all(met)
    return {
        "set": folder.name,
        "questions_file": file,
        "with_answers": answer is not None,
        "documents": len(documents),
        "questions": len(rows),
        "some_evidence_among_first": {str(n): [hits[n], len(rows)] for n in FIRST},
        "all_evidence_among_first": {str(n): [found[n], len(rows)] for n in FIRST},
        "seconds": round(seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    report = {
        "command": "python benchmarks/locating.py --data FOLDER",
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in ("chunkscope", "numpy", "unidic-lite")},
        "sets": [measure(chosen.data / name, file, answer) for name, file, answer in SETS],
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
