"""The ways of cutting that are compared where none is named, and their default sizes."""

from __future__ import annotations

import pytest

from chunkscope import Document, sweep
from chunkscope.chunkers import parse_chunkers
from chunkscope.grid import ways
from chunkscope.grid.notation import DEFAULT_SIZES, parse_sizes
from chunkscope.grid.ways import available_ways, default_grid, grid_of_ways

ALL = ["fixed", "recursive", "sentence", "heading(merge=true)", "heading", "token"]


def test_all_ways_are_compared_where_their_vocabularies_are_here(monkeypatch):
    assert [str(way) for way in available_ways()[0]] == ALL
    assert available_ways()[1] == ()
    monkeypatch.setattr(ways, "is_here", lambda unit: unit == "char")
    found, missing = available_ways()
    assert ([str(way) for way in found], missing) == (ALL[:-1], ("token",))


def test_each_way_has_its_default_sizes_and_whole_sections_are_one_more():
    sizes = parse_sizes(DEFAULT_SIZES)
    assert (len(sizes), min(sizes), max(sizes)) == (19, 100, 4000)
    found = {(str(row.chunker), row.sizes is None): row for row in default_grid(overlaps="0,1/6").rows}
    assert list(found) == [
        ("fixed", False), ("recursive", False), ("sentence", False), ("heading(merge=true)", False), ("heading", True), ("heading", False),
        ("token", False),
    ]  # fmt: skip
    for (name, is_whole), row in found.items():
        expected = [size // 4 for size in sizes] if name == "token" else list(sizes)
        pairs = [pair for size in expected for pair in ((size, 0), (size, size // 6))]
        assert list(row.pairs()) == ([(None, 0)] if is_whole else pairs)


def test_named_sizes_are_those_of_every_way_whatever_it_counts():
    grid = grid_of_ways(parse_chunkers("sentence,token"), [100, 50], "0")
    assert [list(row.pairs()) for row in grid.rows] == [[(100, 0), (50, 0)]] * 2
    assert grid.overlaps == ("0",)


@pytest.mark.parametrize("sizes", [None, "20,40", [20, 40]])
def test_a_sweep_without_a_chunker_compares_the_ways(sizes):
    result = sweep([Document("a.md", "# Title\n\nOne. Two.\n")], sizes=sizes)
    assert list(dict.fromkeys(cell.chunker for cell in result.cells)) == ALL
    assert sum(cell.size is None for cell in result.cells) == 1


def test_japanese_documents_are_cut_at_japanese_separators_too():
    result = sweep([Document("a.md", "# 題\n\n一つ。二つ。\n"), Document("b.md", "")], sizes=[20])
    found = list(dict.fromkeys(cell.chunker for cell in result.cells))
    assert found == [*ALL[:2], "recursive(separators=cjk)", *ALL[2:]]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], False), (["", " \n"], False), (["The pump ran for nine hours in 東京."], False), (["ポンプ: pump (JIS B 8301)"], True),
        (["pumps " * 20, "日本語"], False), (["日本語の文書"] + ["long " * 1000] * 200 + ["日本語の文書" * 400] * 50, True),
    ],
)  # fmt: skip
def test_documents_are_japanese_where_a_tenth_of_what_is_seen_is(texts, expected):
    assert ways.are_japanese([Document(str(number), text) for number, text in enumerate(texts)]) is expected
