"""A chunker, a measure and a report format of a package that chunkscope has never seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from chunkscope import Document, sweep
from chunkscope.errors import ConfigError
from chunkscope.measures.base import Field

ROOT = Path(__file__).parents[2]

MADE_UP = '''
from dataclasses import dataclass

import numpy as np

from chunkscope.chunkers.items import ItemChunker, segment_items
from chunkscope.measures.base import Field, alike
from chunkscope.spans.layout import Targets
from chunkscope.spans.intervals import as_spans


@dataclass(frozen=True)
class LineChunker(ItemChunker):
    """Whole lines up to the size."""

    name = "line"

    def segment(self, analysis):
        return segment_items(analysis, self.unit, analysis.line_starts)


class Questioning:
    """Counts question marks, and those that a chunk holds with the letter before."""

    fields = (Field("asks", "asks"), Field("asks_whole", "asked whole", of="asks"))

    def collect(self, analysis):
        text = analysis.document.text
        return as_spans([(p - 1, p + 1) for p in range(1, len(text)) if text[p] == "?"])

    def bind(self, collected, layout):
        return BoundQuestioning(Targets.joined(collected, layout))


class BoundQuestioning:
    def __init__(self, targets):
        self.targets = targets

    def count(self, cells):
        return {
            **alike(cells, {"asks": len(self.targets)}),
            "asks_whole": cells.count(cells.least_sizes(self.targets)),
        }


class Lines:
    takes = ("sweep",)

    def render(self, result, options):
        return "".join(f"{cell.chunker} {cell.size}: {cell.extra['asks_whole']}\\n" for cell in result.cells)
'''
ENTRY_POINTS = """
[chunkscope.chunkers]
line = made_up:LineChunker

[chunkscope.measures]
questioning = made_up:Questioning

[chunkscope.reports]
lines = made_up:Lines
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "made_up.py").write_text(MADE_UP, encoding="utf-8")
    info = folder / "made_up-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(textwrap.dedent(ENTRY_POINTS), encoding="utf-8")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("Who? Me.\nWhy? So.\nHow? Now.\n", encoding="utf-8")
    (docs / "b.md").write_text("What?\n", encoding="utf-8")
    return folder


def run(site, *args, status=0):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(site)])}
    command = [sys.executable, "-m", "chunkscope", *args]
    done = subprocess.run(command, env=environment, cwd=site, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


SWEEP = ("sweep", "docs", "--chunker", "fixed,line", "--sizes", "4,9", "--overlaps", "0", "--measure", "questioning")


def test_all_three_are_seen_in_the_table_the_json_the_csv_and_a_format_of_their_own(site):
    found = json.loads(run(site, *SWEEP, "--format", "json"))
    cells = {(cell["chunker"], cell["size"]): (cell["asks_whole"], cell["asks"]) for cell in found["cells"]}
    assert cells == {("fixed", 4): (2, 4), ("fixed", 9): (4, 4), ("line", 4): (3, 4), ("line", 9): (4, 4)}
    assert found["fields"] == [
        {"name": "asks", "title": "asks", "of": None},
        {"name": "asks_whole", "title": "asked whole", "of": "asks"},
    ]
    header, *rows = run(site, *SWEEP, "--format", "csv").splitlines()
    assert header.endswith(",asks,asks_whole")
    assert [row.rsplit(",", 2)[1:] for row in rows] == [["4", "2"], ["4", "4"], ["4", "3"], ["4", "4"]]
    table = run(site, *SWEEP, "--all")
    assert "asked whole" in table
    assert "2/4" in table
    assert run(site, *SWEEP, "--format", "lines") == "fixed 4: 2\nfixed 9: 4\nline 4: 3\nline 9: 4\n"


def test_they_are_listed_and_a_chunker_serves_every_command(site):
    listed = run(site, "list")
    assert "  line\n" in listed
    assert "  questioning\n" in listed
    assert "  lines " in listed
    chunks = [
        json.loads(line) for line in run(site, "chunks", "docs/a.md", "--chunker", "line", "--size", "9").splitlines()
    ]
    assert [chunk["text"] for chunk in chunks] == ["Who? Me.\n", "Why? So.\n", "How? Now.", "\n"]
    checked = run(site, "check", "docs", "--chunker", "line", "--size", "9", "--max-blank", "1")
    assert checked.splitlines()[-1].startswith("passed (2 documents, line size=9")


def test_batches_and_processes_add_up_what_a_measure_from_outside_counts(site):
    one = json.loads(run(site, *SWEEP, "--format", "json", "--jobs", "1"))
    two = json.loads(run(site, *SWEEP, "--format", "json", "--jobs", "2"))
    assert one["cells"] == two["cells"]


def test_what_is_not_there_is_one_line(site):
    assert "no measure 'questionin'; did you mean 'questioning'?" in run(
        site, "sweep", "docs", "--measure", "questionin", status=2
    )
    assert "unknown chunker 'lin'; did you mean 'line'?" in run(site, "sweep", "docs", "--chunker", "lin", status=2)


class Counting:
    """A measure that counts what it is told to count."""

    def __init__(self, fields, counted):
        self.fields, self.counted = fields, counted

    def collect(self, analysis):
        return None

    def bind(self, collected, layout):
        return self

    def count(self, cells):
        return {name: [1] * len(cells) for name in self.counted}


@pytest.mark.parametrize(
    ("fields", "counted", "message"),
    [
        ([Field("chunks", "chunks")], ["chunks"], "the field 'chunks' is taken"),
        ([Field("a", "a"), Field("a", "b")], ["a"], "the field 'a' is taken"),
        ([Field("a", "a", of="chunk")], ["a"], "'a' is said to be a part of 'chunk', which nobody counts"),
        ([], ["chunks"], "field 'chunks' is counted by two measures"),
        ([], ["a"], "field 'a' is counted, but is in no measure's fields"),
        ([Field("a", "a")], ["b"], "field 'a' is in a measure's fields, but not counted"),
    ],
)
def test_a_measure_that_does_not_count_what_it_declares_is_refused(fields, counted, message):
    with pytest.raises(ConfigError, match=message):
        sweep([Document("a.md", "あ")], chunkers="fixed", sizes=[1], overlaps=[0], measures=[Counting(fields, counted)])


def test_a_measure_may_be_a_part_of_what_every_cell_counts():
    found = sweep(
        [Document("a.md", "あ")],
        chunkers="fixed",
        sizes=[1],
        overlaps=[0],
        measures=[Counting([Field("a", "a", of="chunks")], ["a"])],
    )
    assert found.cells[0].extra == {"a": 1}
