"""The picture of a result for a slide."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import fails, put, run

from chunkscope import Document, sweep
from chunkscope.errors import InputError, MissingPartError
from chunkscope.reports import plot as module
from chunkscope.reports.plot import is_drawn, plot

pytest.importorskip("vl_convert")
SIZE = slice(16, 24)
"""Where a PNG has its width and height."""
DOCUMENTS = [Document("a.md", "宿泊費の上限は12,000円とする。申請は3日前までに行う。\n" * 9)]


def result(**settings):
    return sweep(DOCUMENTS, **{"chunkers": "fixed,sentence", "sizes": "20..60:20", "overlaps": "0,1/6", **settings})


def test_a_picture_has_the_curves_and_the_heat_map_and_is_the_same_each_time():
    svg = plot(result(), "cuts.svg").decode()
    assert svg == plot(result(), "cuts.svg").decode()
    for words in (
        "What is cut, by size",
        "All settings: size and overlap",
        "sentence",
        "overlap 1/6",
        "size, in characters",
    ):
        assert words in svg
    assert "currentColor" not in svg
    png = plot(result(), "CUTS.PNG")
    width, height = (int.from_bytes(png[SIZE][place : place + 4]) for place in (0, 4))
    assert width > 1000
    assert height > 800


def test_japanese_is_drawn_or_the_lack_of_a_font_is_told(monkeypatch):
    assert "サイズごと" in plot(result(), "cuts.svg", "ja").decode()
    monkeypatch.setattr(module, "is_drawn", lambda text: False)
    assert plot(result(), "cuts.png")[:4] == b"\x89PNG"
    assert plot(result(), "cuts.svg", "ja")
    with pytest.raises(InputError, match=r"^--plot cuts\.png: this machine has no font with Japanese; install one"):
        plot(result(), "cuts.png", "ja")


def test_characters_that_no_font_has_are_known():
    assert is_drawn("ab")
    assert not is_drawn("\U0010fffc\U0010fffd")


def test_what_cannot_be_drawn_is_one_line(monkeypatch):
    with pytest.raises(InputError, match=r"^--plot cuts\.pdf: name a file that ends in \.png or \.svg$"):
        plot(result(), "cuts.pdf")
    with monkeypatch.context() as without:
        without.setattr(module, "figures_of", lambda result, lang: [])
        with pytest.raises(InputError, match="there is nothing to draw"):
            plot(result(), "cuts.png")
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    with pytest.raises(MissingPartError, match=r"--plot needs vl-convert: pip install 'chunkscope\[report\]'"):
        plot(result(), "cuts.png")


def test_the_commands_draw(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put("docs/a.md", DOCUMENTS[0].text[:40])
    put("q.jsonl", '{"id": "q", "question": "上限は?", "doc": "a.md", "evidence": "上限は12,000円"}\n')
    grid = ("-c", "fixed", "--sizes", "10,20")
    assert run("sweep", "docs", *grid, "--plot", "a.png").exit_code == 0
    assert Path("a.png").read_bytes()[:4] == b"\x89PNG"
    assert run("recall", "docs", "-q", "q.jsonl", *grid, "--plot", "b.svg").exit_code == 0
    assert "Questions answered" in Path("b.svg").read_text("utf-8")
    assert "name a file that ends in .png or .svg" in fails("sweep", "docs", *grid, "--plot", "a.gif")
    assert "its folder 'none' is not there" in fails("sweep", "docs", *grid, "--plot", "none/a.png")
    put("docs/c.png", "x")
    assert "two outputs would be written there" in fails("sweep", "docs", *grid, "--plot", "d.svg", "-o", "d.svg")
