"""The fuzz campaign and the mutants find what they are there to find."""

from __future__ import annotations

import ast
import importlib.util
import json
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


def test_campaigns_stand_beside_each_other_and_a_seed_that_has_its_own_is_refused(load, monkeypatch, tmp_path):
    fuzz = load("fuzz")
    monkeypatch.setattr(fuzz, "SETTINGS_A_WORLD", 2)
    output = tmp_path / "fuzz.json"

    def run(seed):
        monkeypatch.setattr(sys, "argv", ["fuzz.py", "--settings", "1", "--seed", str(seed), "--output", str(output)])
        return fuzz.main()

    assert run(8) == 0
    first = json.loads(output.read_text("utf-8"))
    assert run(7) == 0
    both = json.loads(output.read_text("utf-8"))
    assert [one["seed"] for one in both] == [7, 8]
    assert both[1:] == first
    with pytest.raises(SystemExit, match="seed 8 has its campaign; choose another --seed or --output"):
        run(8)
    assert json.loads(output.read_text("utf-8")) == both


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


def test_mutants_that_are_left_are_found_where_their_lines_stand_now(load, monkeypatch, tmp_path):
    mutants = load("mutants")
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    (tmp_path / "m.py").write_text("# new\nif a[0] < b[0]:\n    c()\n", "utf-8")
    every = list(mutants.mutants_of("m.py", (tmp_path / "m.py").read_text("utf-8")))
    line = {"path": "m.py", "line": "if a[0] < b[0]:", "mistake": "0 -> (1)"}
    names = [
        {**line, "column": 13},
        {**line, "column": 6},
        {**line, "column": 6},
        {**line, "line": "gone", "column": 1},
    ]
    assert [(one.line, one.column) for one in mutants.standing(every, names)] == [(2, 13), (2, 6)]
