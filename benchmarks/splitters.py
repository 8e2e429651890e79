"""What splitters cost, beside what people run.

``python benchmarks/splitters.py [--corpus FOLDER] [--runs 3] [--only ROW ...]``

``recursive`` cuts a folder at 76 sizes (50 to 800 characters, a sixth of overlap); LangChain's splitter cuts it once at
500 characters, and 76 times. Every side is a whole process, with what it takes to start and to read the files, and
measures the cutting alone too; they run in turn, and medians are compared. Writes
``benchmarks/results/splitters.json``.
``pip install langchain-text-splitters``
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from rivals import SIZES, read_texts
from synthetic import write_corpus

HERE = Path(__file__).parent
ONE_SIZE = 500
OVERLAP = 6  # a sixth


def recursive(corpus: str) -> int:
    """Cut at all sizes, as a sweep does: documents in batches, all sizes at once."""
    from chunkscope import Document
    from chunkscope.chunkers.recursive import RecursiveChunker
    from chunkscope.structure.analysis import DocumentAnalysis
    from chunkscope.structure.joined import groups

    documents = [Document(name, text) for name, text in read_texts(corpus).items()]
    chunker = RecursiveChunker()
    cells = [chunker.at(size, size // OVERLAP) for size in SIZES]

    def cut() -> int:
        n_chunks = 0
        for batch in groups((document.length for document in documents), 1 << 20):
            some = [chunker.segment(DocumentAnalysis(one)) for one in documents[batch.start : batch.stop]]
            n_chunks += sum(len(found.spans) for found in chunker.chunks_of(cells, chunker.join(some)))
        return n_chunks

    return timed(cut)


def langchain(corpus: str, sizes: range | tuple[int, ...] = (ONE_SIZE,)) -> int:
    """Cut with the splitter that most pipelines use."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    texts = list(read_texts(corpus).values())

    def cut() -> int:
        n_chunks = 0
        for size in sizes:
            splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=size // OVERLAP)
            n_chunks += sum(len(splitter.split_text(text)) for text in texts)
        return n_chunks

    return timed(cut)


def langchain_at_all_sizes(corpus: str) -> int:
    """Do so at each size."""
    return langchain(corpus, SIZES)


def timed(cut: Callable[[], int]) -> int:
    """Run the cutting alone, and print how long it took."""
    wall, processor = time.perf_counter(), time.process_time()
    n_chunks = cut()
    found = {
        "chunks": n_chunks,
        "cutting": time.perf_counter() - wall,
        "cutting_processor": time.process_time() - processor,
    }
    print(json.dumps(found))
    return n_chunks


SIDES = {side.__name__: side for side in (recursive, langchain, langchain_at_all_sizes)}
ROWS = {
    # name: (a side, the side that it is measured against, most runs)
    "76 sizes of recursive / one pass of LangChain's": ("recursive", "langchain", 9),
    "76 sizes of recursive / 76 passes of LangChain's": ("recursive", "langchain_at_all_sizes", 1),
}


def run_side(name: str, corpus: Path) -> dict[str, float]:
    """Run one side as a process of its own."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, "--side", name, "--corpus", str(corpus)], check=True, capture_output=True, text=True
    )
    return {"seconds": time.perf_counter() - begun, **json.loads(done.stdout.splitlines()[-1])}


def row(name: str, corpus: Path, runs: int) -> dict[str, object]:
    """Measure both sides in turn."""
    one, other, most = ROWS[name]
    pairs = [(run_side(one, corpus), run_side(other, corpus)) for _ in range(min(runs, most))]
    ratios = {
        measure: round(statistics.median(a[measure] / b[measure] for a, b in pairs), 2)
        for measure in ("seconds", "cutting", "cutting_processor")
    }
    return {"a": [a for a, _ in pairs], "b": [b for _, b in pairs], "median_ratios": ratios}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=list(ROWS))
    parser.add_argument("--side", choices=list(SIDES), help="what a process of its own runs")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "splitters.json")
    chosen = parser.parse_args()
    if chosen.side:
        SIDES[chosen.side](str(chosen.corpus))
        return
    with tempfile.TemporaryDirectory() as scratch:
        if chosen.corpus is None:
            chosen.corpus, _ = write_corpus(Path(scratch), documents=2000)
        known = json.loads(chosen.output.read_text())["rows"] if chosen.only and chosen.output.exists() else {}
        found = {name: row(name, chosen.corpus, chosen.runs) for name in ROWS if not chosen.only or name in chosen.only}
    report = {
        "command": f"python benchmarks/splitters.py --runs {chosen.runs}",
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {name: version(name) for name in ("chunkscope", "numpy", "langchain-text-splitters")},
        "rows": {**known, **found},
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1) + "\n")
    for name, measured in found.items():
        print(name, measured["median_ratios"])


if __name__ == "__main__":
    main()
