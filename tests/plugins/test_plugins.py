"""Names that packages offer: found late, never in place of our own, and told in one line where they are broken."""

from __future__ import annotations

import importlib.metadata
from importlib.metadata import EntryPoint

import pytest

from chunkscope.errors import ChunkscopeError, PluginError
from chunkscope.plugins import Registry

SHAPES = Registry("shape", "chunkscope.shapes", {"square": "fractions:Fraction", "round": "decimal:Decimal"})


def offer(monkeypatch: pytest.MonkeyPatch, *entries: tuple[str, str]) -> list[str]:
    """Pretend that installed packages offer something; give the groups that are looked through meanwhile."""
    looked: list[str] = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        looked.append(group)
        return [EntryPoint(name, value, group) for name, value in entries]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    return looked


def test_our_own_are_found_without_a_look_at_packages(monkeypatch):
    looked = offer(monkeypatch, ("oval", "no.such.module:thing"))
    assert SHAPES.find("square").__name__ == "Fraction"
    assert looked == []


def test_packages_add_names_behind_our_own(monkeypatch):
    looked = offer(monkeypatch, ("oval", "json:dumps"), ("arc", "json:loads"))
    assert SHAPES.names() == ("square", "round", "arc", "oval")
    assert SHAPES.find("oval")([1]) == "[1]"
    assert set(looked) == {"chunkscope.shapes"}


def test_a_name_of_nobody_is_told_with_the_nearest_or_with_all(monkeypatch):
    offer(monkeypatch, ("oval", "json:dumps"))
    with pytest.raises(PluginError, match=r"^no shape 'ovall'; did you mean 'oval'\?$"):
        SHAPES.find("ovall")
    with pytest.raises(PluginError, match=r"^no shape 'xyz'; there are square, round, oval$"):
        SHAPES.find("xyz")


def test_a_name_that_is_taken_is_refused_with_both(monkeypatch):
    offer(monkeypatch, ("square", "json:dumps"))
    with pytest.raises(PluginError, match=r"'square' is offered by json:dumps of .* and by chunkscope itself"):
        SHAPES.names()
    offer(monkeypatch, ("oval", "json:dumps"), ("oval", "json:loads"))
    with pytest.raises(PluginError, match=r"'oval' is offered by json:loads of .* and by json:dumps of "):
        SHAPES.find("oval")


@pytest.mark.parametrize("value", ["no.such.module:thing", "json:nothing"])
def test_what_cannot_be_imported_is_one_line(monkeypatch, value):
    offer(monkeypatch, ("oval", value))
    with pytest.raises(PluginError) as told:
        SHAPES.find("oval")
    assert "\n" not in str(told.value)
    assert f"shape 'oval': {value} of " in str(told.value)


def test_an_error_of_ours_comes_through(monkeypatch):
    class Broken:
        name, value, dist = "oval", "x:y", None

        def load(self) -> None:
            raise ChunkscopeError("x: install y")

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: [Broken()])
    with pytest.raises(ChunkscopeError, match=r"^x: install y$"):
        SHAPES.find("oval")
