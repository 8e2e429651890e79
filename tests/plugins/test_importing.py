"""Things of the user's own are imported from the current folder, which stays on the path for that import alone."""

from __future__ import annotations

import sys

import pytest

from chunkscope.errors import PluginError
from chunkscope.plugins.importing import import_attribute


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize("front", [[], [""]])
def test_the_current_folder_comes_last_and_only_for_the_import(folder, monkeypatch, front):
    (folder / "things_of_mine.py").write_text("import sys\npath = list(sys.path)\nclass A:\n    b = 3\n", "utf-8")
    monkeypatch.setattr(sys, "path", [*front, *sys.path])
    before = list(sys.path)
    assert import_attribute("things_of_mine", "path", "thing") == [*before, ""]
    assert sys.path == before
    assert import_attribute("things_of_mine", "A.b", "thing") == 3


def test_a_file_here_hides_no_installed_module(folder):
    (folder / "colorsys.py").write_text("rgb_to_hls = None", "utf-8")
    assert callable(import_attribute("colorsys", "rgb_to_hls", "thing"))


def test_the_path_is_restored_where_the_import_fails(folder):
    (folder / "failing_thing.py").write_text("import sys\nsys.path.append('elsewhere')\n1 / 0\n", "utf-8")
    before = list(sys.path)
    try:
        with pytest.raises(PluginError, match=r"^failing_thing: cannot be imported: ZeroDivisionError"):
            import_attribute("failing_thing", "x", "thing")
        assert sys.path == [*before, "elsewhere"]
    finally:
        sys.path[:] = before


@pytest.mark.parametrize(
    ("module", "path", "message"),
    [
        ("no_such_thing", "x", "no thing and no module 'no_such_thing'; there are one, two"),
        ("tow", "x", "no thing and no module 'tow'; did you mean 'two'?"),
        ("no such", "x", "'no such' is no thing and no module; there are one, two"),
        ("json", "lods", "module 'json' has no 'lods'; did you mean 'loads'?"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(module, path, message):
    with pytest.raises(PluginError) as caught:
        import_attribute(module, path, "thing", ["one", "two"])
    assert str(caught.value) == message
