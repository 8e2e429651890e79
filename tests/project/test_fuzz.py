"""The fuzz campaign and the mutants find what they are there to find."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def load():
    def found(name):
        spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return found


def test_worlds_are_the_same_each_time_and_all_of_them_holds(load, monkeypatch):
    fuzz = load("fuzz")
    monkeypatch.setattr(fuzz, "SETTINGS_A_WORLD", 12)
    monkeypatch.setattr(fuzz, "EVERY", {"json": 1, "jobs": 10**9})
    campaign = fuzz.Campaign(7)
    for number in range(1, 4):
        assert campaign.look_at(number) == fuzz.make_world(7, number)
    assert campaign.findings == []
    assert {"counts", "chunk texts", "json", "halves", "document-settings"} <= set(+campaign.held)


def test_a_wrong_count_is_found_with_its_world_and_its_setting(load, monkeypatch):
    fuzz = load("fuzz")
    monkeypatch.setattr(fuzz, "SETTINGS_A_WORLD", 4)
    count_cell = fuzz.count_cell
    monkeypatch.setattr(fuzz, "count_cell", lambda *given: {**count_cell(*given), "blank_chunks": -1})
    campaign = fuzz.Campaign(7)
    campaign.look_at(3)
    [finding] = campaign.findings
    assert finding["world"] == 3
    assert re.search(r"\(size=\d+.*\): blank_chunks: \d+ instead of -1", finding["finding"])


SOURCE = '''def f(a: int = 1, é: bool = True) -> "x < 2":
    """1 < 2"""
    print(f"{a < 1}")
    if a < é and not a:
        raise ValueError(é)
    return a + 1
'''


def test_mistakes_are_one_each_and_where_they_can_be_told(load):
    mutants = load("mutants")
    found = list(mutants.mutants_of("m.py", SOURCE))
    texts = [(SOURCE.encode()[: one.start] + one.after.encode() + SOURCE.encode()[one.end :]).decode() for one in found]
    for text in texts:
        ast.parse(text)
    assert [(one.line, one.after) for one in found] == [
        (3, "pass"), (4, "(a < é or not a)"), (4, "(a <= é)"), (4, "(a)"), (5, "pass"),
        (6, "return None"), (6, "(a - 1)"), (6, "(0)"), (6, "(2)"),
    ]  # fmt: skip
    assert "    if (a <= é) and not a:\n" in texts[2]
