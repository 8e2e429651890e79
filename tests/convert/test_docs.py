"""The page about converting says what the code and the stored comparison say."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from chunkscope.convert.run import CONVERTED, COPIED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "convert.md").read_text("utf-8")


def test_all_suffixes_are_named():
    table = PAGE.split("\n## ")[0]
    assert not [kind for kind in CONVERTED + COPIED if f"{kind} " not in table.replace("`", " ")]


def test_the_comparison_is_the_stored_one():
    pytest.importorskip("pdfplumber", reason="pdfplumber is not installed: pip install 'chunkscope[convert]'")
    path = ROOT / "benchmarks" / "converters.py"
    spec = importlib.util.spec_from_file_location("converters", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    record = json.loads(module.RESULT.read_text("utf-8"))
    assert module.table(record["results"]) in PAGE
    assert all(f"{name} {version}" in PAGE for name, version in record["versions"].items())
