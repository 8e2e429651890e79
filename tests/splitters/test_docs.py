"""The page about splitters names all that is recognised, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from chunkscope.chunkers.presets import PRESETS
from chunkscope.splitters.packages import ANY_UNIT, SPLITTERS
from chunkscope.splitters.parameters import OVERLAP_NAMES, SIZE_NAMES
from chunkscope.splitters.shapes import _METHODS, END_FIELDS, METADATA_FIELDS, START_FIELDS, TEXT_FIELDS

PAGE = (Path(__file__).parents[2] / "docs" / "splitters.md").read_text("utf-8")


def names_after(mark):
    return re.findall(r"`(\w+)`", PAGE.split(f"<!-- {mark} -->\n", 1)[1].split("\n\n", 1)[0])


def test_sizes_and_overlaps_are_those_of_the_tables_in_their_order():
    assert names_after("sizes") == list(SIZE_NAMES)
    assert names_after("overlaps") == list(OVERLAP_NAMES)


def test_every_short_name_has_its_row():
    table = PAGE.split("## Short names\n", 1)[1].split("\n## ", 1)[0]
    rows = dict(re.findall(r"^\| `([\w:-]+)` \| (.*) \|$", table, flags=re.MULTILINE))
    assert list(rows) == list(SPLITTERS)
    for name, entry in SPLITTERS.items():
        told = rows[name].rsplit(" | ", 1)[1]
        assert told.startswith(entry.counts or "no size"), name
        assert told.endswith("or any unit") == (entry.units == ANY_UNIT), name
        assert not entry.counts or entry.unit or " " in entry.counts, "in a table it stands for a unit"


def test_every_preset_has_its_row():
    rows = re.findall(r"^\| `([\w-]+)` \| `(.*)` \|$", PAGE, flags=re.MULTILINE)
    assert rows == [(name, str(preset)) for name, preset in PRESETS.items()]


def test_methods_and_fields_are_named():
    for name in (*TEXT_FIELDS, *START_FIELDS, *END_FIELDS, *METADATA_FIELDS, *_METHODS):
        assert re.search(rf"`{name}\b", PAGE) or name == "__call__", name


def test_the_readme_counts_the_short_names():
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    assert f"one of {len(SPLITTERS)} of LangChain" in readme
