"""The README's commands run, and print what it shows. `pytest --update-gold` writes what they print into it."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [pytest.param(README, id="en"), pytest.param(ROOT / "README.ja.md", id="ja")]
BLOCK = re.compile(r"```console\n\$ (.*)\n((?:.*\n)*?)```\n")


def run(command: str) -> str:
    words = shlex.split(command)
    assert words[0] == "chunkscope"
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "chunkscope", *words[1:]],
        capture_output=True, encoding="utf-8", cwd=ROOT, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == (1 if words[1] == "check" else 0), done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_readme_shows_what_its_commands_print(page: Path, pytestconfig: pytest.Config):
    text = page.read_text("utf-8")
    fresh = BLOCK.sub(lambda block: f"```console\n$ {block[1]}\n{run(block[1])}```\n", text)
    if pytestconfig.getoption("--update-gold"):
        page.write_text(fresh, "utf-8")
    assert page.read_text("utf-8") == fresh
    assert len(BLOCK.findall(fresh)) >= 2


def test_readme_names_every_command():
    from chunkscope.cli.program import COMMANDS

    text = README.read_text("utf-8")
    missing = [name for name in COMMANDS if f"`chunkscope {name}" not in text]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_the_readme_for_ones_own_documents_run(page: Path, tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "page.html").write_text("<h1>Travel</h1><p>A meal is 30 a day.</p>", "utf-8")
    (tmp_path / "docs" / "rules.md").write_text("# 規程\n\n宿泊費の上限は12,000円とする。\n", "utf-8")
    row = '{"id": "q1", "question": "上限は？", "doc": "rules.md", "evidence": ["上限は12,000円"]}\n'
    (tmp_path / "questions.jsonl").write_text(row, "utf-8")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "testset.csv").write_text("question,context\n上限は？,申請は3日前\n", "utf-8")
    (tmp_path / "log.csv").write_text("question,answer\n上限は？,宿泊費の上限\n", "utf-8")
    lines = re.findall(r"^chunkscope .*$", page.read_text("utf-8"), re.MULTILINE)
    assert len(lines) >= 6
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[1] in ("init", "check"):  # tried where they write and judge, in tests of their own
            continue
        done = subprocess.run(
            [sys.executable, "-m", "chunkscope", *words[1:]],
            capture_output=True, encoding="utf-8", cwd=tmp_path / ("new" if "import" in words else "."), check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: {done.stderr}"


def test_readme_speaks_of_the_two_commands_that_do_all():
    text = README.read_text("utf-8")
    assert "\npip install -e . && chunkscope sweep --sizes 50..800\n" in text
    assert "\npip install -e '.[test]' && pytest\n" in text


def test_tables_are_made_of_what_the_benchmarks_measured(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    table = importlib.import_module("table")
    text = README.read_text("utf-8")
    assert table.with_tables(text) == text
