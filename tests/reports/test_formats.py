"""Report formats: ours and those of packages are found alike, and one that is broken is told in one line."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from importlib.metadata import EntryPoint
from types import ModuleType

import pytest
from command_line import run

from chunkscope.errors import PluginError
from chunkscope.reports.base import BUILT_IN, find_report

# before click 8.2 the two streams were one unless asked otherwise


class Lines:
    """A format as a package would write it: a cell, or a finding, a line."""

    takes = ("sweep", "check")

    def render(self, result, options):
        if hasattr(result, "cells"):
            return "\n".join(f"{cell.size} {cell.split_questions} {options.all_rows}" for cell in result.cells)
        return "\n".join(f"::{finding.code}::" for finding in result.findings)


class OnlySweeps(Lines):
    takes = ("sweep",)


class Raises(Lines):
    def render(self, result, options):
        raise RuntimeError("no\nway")


class NoText(Lines):
    def render(self, result, options):
        return None


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package that offers formats, and a corpus to use them on."""
    module = ModuleType("made_up")
    for thing in (Lines, OnlySweeps, Raises, NoText):
        setattr(module, thing.__name__, thing)
    module.lines, module.number = Lines(), 5  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "made_up", module)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The limit is 12,000 yen.\n" * 3, "utf-8")
    question = {"id": "q1", "doc": "a.md", "evidence": "limit is 12,000 yen.\nThe limit is 12,000 yen.\nThe l"}
    (tmp_path / "asked.jsonl").write_text(json.dumps(question) + "\n", "utf-8")

    def offer(**values):
        def entry_points(*, group, **_):
            found = [EntryPoint(name, value, group) for name, value in values.items()]
            return found if group == "chunkscope.reports" else []

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)

    return offer


SWEEP = ("sweep", "-c", "fixed", "--overlaps", "1/6", "docs", "-q", "asked.jsonl", "--sizes", "20,70")
CHECK = ("check", "docs", "-q", "asked.jsonl", "--size", "20")


def test_a_format_of_a_package_writes_sweeps_and_checks(package, tmp_path):
    package(lines="made_up:Lines", one="made_up:lines")
    for name in ("lines", "one"):
        assert run(*SWEEP, "--format", name, "--all").stdout == "20 1 True\n70 0 True\n"
    found = run(*CHECK, "--format", "json", "--report", "lines=out.txt")
    assert found.exit_code == 1
    assert (tmp_path / "out.txt").read_text() == "\\x3a:evidence-split::\n"
    listed = json.loads(run("list", "--format", "json").stdout)["formats"]
    assert listed["lines"] == {
        "for": ["sweep", "check"],
        "lacks": None,
    }
    assert "lines                 sweep, check" in run("list").stdout


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("made_up:Raises", "report format 'bad' failed: RuntimeError: no way"),
        ("made_up:NoText", "report format 'bad' gave NoneType, not a text"),
        ("made_up:number", "report format 'bad': int is none; it lacks takes"),
        ("made_up:nothing", "report format 'bad': made_up:nothing of an unnamed package cannot be loaded: "),
        ("no_such:thing", "report format 'bad': no_such:thing of an unnamed package cannot be loaded: "),
    ],
)
def test_a_broken_format_is_one_line(package, value, told):
    package(bad=value)
    result = run(*SWEEP, "--format", "bad")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"chunkscope: {told}")
    assert result.stderr.count("\n") == 1


def test_a_format_is_refused_before_anything_is_read(package):
    package(bad="made_up:OnlySweeps", csv="made_up:Lines")
    result = run("check", "no-such-folder", "--format", "bad")
    assert result.stderr == "chunkscope: report format 'bad' is not for a check; it takes sweep\n"
    result = run("check", "no-such-folder", "--size", "8", "--report", "gitlab=x")
    assert result.stderr.startswith("chunkscope: no report format 'gitlab'; ")
    result = run("sweep", "-c", "fixed", "--sizes", "50..800", "--overlaps", "1/6", "no-such-folder", "--format", "bad")
    assert "report format 'csv' is offered by made_up:Lines of an unnamed package and by chunkscope itself" in (
        result.stderr
    )


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, own in BUILT_IN.items() for name in own])
def test_ours_are_found_like_any_other(kind, name):
    report = find_report(name, kind)
    assert kind in report.takes
    assert callable(report.render)


def test_a_name_of_the_other_kind_is_none():
    with pytest.raises(PluginError, match=r"^no report format 'junit'"):
        find_report("junit", "sweep")
