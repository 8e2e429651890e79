"""How long BM25 over a whole grid takes, side by side with ``bm25s`` re-indexed for each cell.

``python benchmarks/bm25.py --corpus FOLDER --questions FILE [--cells 76] [--runs 3]``

All get the same words, tokenised once, and that time counts for each. ``bm25s`` cuts the list of words at each
setting and indexes it. Then either it gives the same answers as chunkscope (``get_scores`` for every question, the
exact rank of its evidence by counting, and the ten best chunks), or it only retrieves the ten best, also with its
backend that numba compiles (what compiling takes is left out). chunkscope gives ranks by two judgements, with ties, and
what the best chunks hand on. All run in one thread, and what is measured is processor time, so that it does not matter
what else a machine does. Runs alternate; medians are compared. Writes ``benchmarks/results/bm25.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from chunkscope import Corpus, FixedChunker, check_labels, read_corpus, read_questions
from chunkscope.chunkers.chunk_set import WindowChunks
from chunkscope.grid.scan import scan
from chunkscope.questions.labels import Labels
from chunkscope.retrieval import Bm25Retriever, RetrievalMeasure, RetrievalSettings
from chunkscope.retrieval.bm25.postings import spelled_words
from chunkscope.spans.intervals import IntArray
from chunkscope.spans.layout import Layout

RESULTS = Path(__file__).parent / "results" / "bm25.json"
K = 10


def grid(n_cells: int) -> list[FixedChunker]:
    sizes = range(50, 801, 10)
    return [FixedChunker(size, size // 6) for size in list(sizes)[:: max(1, len(sizes) // n_cells)]]


def ours(corpus: Corpus, labels: Labels, chunkers: list[FixedChunker]) -> float:
    begun = time.process_time()
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=RetrievalSettings(k=(K,)))
    scanned = scan(list(corpus), [FixedChunker()], [measure])
    for chunker in chunkers:
        scanned.cell(scanned.chunks(chunker), chunker)
    return time.process_time() - begun


def theirs(
    corpus: Corpus, labels: Labels, chunkers: list[FixedChunker], *, same_answers: bool = False, backend: str = "numpy"
) -> float:
    import bm25s

    begun = time.process_time()
    documents = list(corpus)
    words = [spelled_words(document.text) for document in documents]
    asked = [spelled_words(question.question.question or "").terms for question in labels.valid]
    layout = Layout.of([document.name for document in documents], [len(document.text) for document in documents])
    bases = dict(zip(layout.names, layout.edges.tolist(), strict=False))
    starts = np.concatenate([found.starts + base for found, base in zip(words, layout.edges.tolist(), strict=False)])
    ends = np.concatenate([found.ends + base for found, base in zip(words, layout.edges.tolist(), strict=False)])
    terms = [term for found in words for term in found.terms]
    evidence = [question.evidence[0] for question in labels.valid]
    targets = np.array([(bases[e.document] + e.start, bases[e.document] + e.end) for e in evidence])
    for chunker in chunkers:
        spans = WindowChunks(layout, chunker).spans
        first, behind = np.searchsorted(starts, spans[:, 0]), np.searchsorted(ends, spans[:, 1], side="right")
        texts = [terms[low:high] for low, high in zip(first.tolist(), behind.tolist(), strict=True)]
        index = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend=backend)
        index.index(texts, show_progress=False)
        if same_answers:
            first = np.searchsorted(spans[:, 1], targets[:, 1], side="left")
            behind = np.searchsorted(spans[:, 0], targets[:, 0], side="right")
            rank(index, asked, first, np.maximum(behind, first), k=min(K, len(spans)))
        else:
            index.retrieve(asked, k=min(K, len(spans)), show_progress=False)
    return time.process_time() - begun


def rank(index: Any, asked: list[list[str]], first: IntArray, behind: IntArray, k: int) -> None:
    for terms, low, high in zip(asked, first.tolist(), behind.tolist(), strict=True):
        scores = index.get_scores(terms)
        np.argpartition(scores, len(scores) - k)[len(scores) - k :]
        if high > low:
            np.count_nonzero(scores > scores[low:high].max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--cells", type=int, default=76)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    corpus, questions = read_corpus(chosen.corpus), read_questions(chosen.questions)
    labels = check_labels(corpus, questions.questions)
    chunkers = grid(chosen.cells)
    ours(corpus, labels, [])  # loads the dictionary, for all
    theirs(corpus, labels, chunkers[:1], backend="numba")  # compiles
    runs = [
        (
            theirs(corpus, labels, chunkers, same_answers=True),
            ours(corpus, labels, chunkers),
            theirs(corpus, labels, chunkers),
            theirs(corpus, labels, chunkers, backend="numba"),
        )
        for _ in range(chosen.runs)
    ]
    same, fast, ten, compiled = (statistics.median(times) for times in zip(*runs, strict=True))
    report = {
        "command": f"python benchmarks/bm25.py --cells {chosen.cells} --runs {chosen.runs}",
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in ("chunkscope", "numpy", "bm25s", "numba")},
        "corpus": {"documents": len(corpus), "sha256": corpus.sha256, "questions": len(labels.valid)},
        "cells": len(chunkers),
        "bm25s_same_answers_seconds": round(same, 2),
        "bm25s_ten_best_seconds": round(ten, 2),
        "bm25s_compiled_ten_best_seconds": round(compiled, 2),
        "chunkscope_seconds": round(fast, 2),
        "times_faster": round(same / fast, 1),
        "times_faster_than_ten_best": round(ten / fast, 1),
        "times_faster_than_compiled_ten_best": round(compiled / fast, 1),
        "runs": [[round(value, 2) for value in run] for run in runs],
    }
    chosen.output.parent.mkdir(exist_ok=True)
    chosen.output.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
