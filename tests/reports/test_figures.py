"""The pictures as data: every cell is in them, and what is drawn of them has no styles, no scripts and no addresses."""

from __future__ import annotations

import re

import pytest
from reports.test_page import KINDS, demo

from chunkscope import Document, sweep
from chunkscope.grid.lines import lines_of
from chunkscope.reports.drawing import to_svg
from chunkscope.reports.figures import figures_of


def values_of(spec):
    if isinstance(spec, dict):
        yield from spec.get("data", {}).get("values", ())
        for part in spec.values():
            yield from values_of(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from values_of(part)


def by_name(result, lang="en"):
    return {figure.name: figure for figure in figures_of(result, lang)}


def test_what_there_is_to_show_is_shown():
    assert list(by_name(demo()[0])) == ["cut-char", "luck-char", "heat-char", "ends-char", "rows-char"]
    assert list(by_name(demo(kind="structure")[0])) == ["cut-char", "heat-char", "ends-char", "rows-char"]
    assert next(iter(by_name(demo(kind="recall")[0]))) == "answered-char"


def test_points_are_the_figures_of_the_cells():
    result, *_ = demo()
    for name, value in (
        (
            "luck-char",
            lambda cell, series: cell.split_questions if series == "as cut here" else cell.expected_split_questions,
        ),
        ("rows-char", lambda cell, _: cell.table_rows_with_header / cell.table_rows),
    ):
        points = list(values_of(by_name(result)[name].spec))
        assert points
        for point in points:
            cell = result.cells[int(point["cell"].removeprefix("cell-"))]
            assert point["value"] == pytest.approx(value(cell, point.get("series")), abs=1e-6)
    seen = {point["cell"] for point in values_of(by_name(result)["heat-char"].spec)}
    assert seen == {f"cell-{place}" for place in range(len(result.cells))}
    lines = {point["line"] for point in values_of(by_name(result)["cut-char"].spec)}
    assert lines == {f"line-{place}" for place in range(len(lines_of(result)))}


def test_shares_of_cuts_make_a_whole():
    result, *_ = demo()
    sums: dict[str, float] = {}
    for point in values_of(by_name(result)["ends-char"].spec):
        sums[point["cell"]] = sums.get(point["cell"], 0) + point["value"]
    assert sums
    assert all(total == pytest.approx(1) for total in sums.values())


def test_intervals_are_those_of_the_result():
    result, *_ = demo(kind="recall")
    for point in values_of(by_name(result)["answered-char"].spec):
        found = result.cells[int(point["cell"].removeprefix("cell-"))].retrieval[0]
        k = str(found["k"][-1])
        assert [point["low"], point["high"]] == found["intervals"]["answered"][k]
        assert point["low"] <= point["value"] <= point["high"]


def test_units_have_pictures_of_their_own():
    result = sweep([Document("a.md", "一つ。二つ。" * 30)], chunkers="fixed,token", sizes=[10, 20, 40], overlaps=[0])
    assert [name for name in by_name(result) if name.startswith("cut")] == ["cut-char", "cut-cl100k_base"]


def test_a_large_grid_is_drawn_without_points():
    result = sweep([Document("a.md", "一つ。二つ。" * 400)], chunkers="fixed", sizes="10..900:1", overlaps=["0", "1/6"])
    figures = by_name(result)
    assert "heat-char" not in figures
    assert len(to_svg(figures["cut-char"].spec)) < 200_000


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("kind", KINDS)
def test_drawings_are_harmless_and_alike(kind, lang):
    pytest.importorskip("vl_convert")
    for figure in figures_of(demo(kind=kind)[0], lang):
        svg = to_svg(figure.spec)
        assert svg == to_svg(figure.spec)
        names = set(re.findall(r'\s([\w:-]+)="', svg))
        assert not names & {"style", "href", "xlink:href", "role"}
        assert not [name for name in names if name.startswith(("on", "aria"))]
        assert not re.search(r"<(script|image|use|foreignObject|style|a)\b", svg)
        assert re.search(r'data-cell="\d+"', svg)


def test_names_of_ways_are_text_in_a_drawing():
    pytest.importorskip("vl_convert")
    from chunkscope.splitters.chunker import as_chunker

    way = as_chunker(lambda text, size: [text[:size], text[size:]], '<script>\u202e&"cell-1')
    result = sweep([Document("a.md", "一つ。二つ。" * 9)], chunkers=[way], sizes=[4, 8, 12], overlaps=[0])
    for figure in figures_of(result):
        svg = to_svg(figure.spec)
        assert "<script" not in svg
        assert "\u202e" not in svg
