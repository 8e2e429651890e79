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


def test_the_current_folder_comes_last_and_only_for_the_import(folder, monkeypatch):
    (folder / "things_of_mine.py").write_text("import sys\npath = list(sys.path)\nclass A:\n    b = 3\n", "utf-8")
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    before = list(sys.path)
    assert import_attribute("things_of_mine", "path", "thing") == [*before, ""]
    assert sys.path == before
    assert import_attribute("things_of_mine", "A.b", "thing") == 3


def test_an_interactive_python_keeps_its_own_entry(folder, monkeypatch):
    (folder / "things_of_mine.py").write_text("value = 3", "utf-8")
    before = ["", *filter(None, sys.path)]
    monkeypatch.setattr(sys, "path", list(before))
    assert import_attribute("things_of_mine", "value", "thing") == 3
    assert sys.path == before


def test_a_file_here_hides_no_installed_module(folder):
    (folder / "colorsys.py").write_text("rgb_to_hls = None", "utf-8")
    assert callable(import_attribute("colorsys", "rgb_to_hls", "thing"))


@pytest.fixture
def installed(folder, tmp_path_factory, monkeypatch):
    """A folder of installed packages."""
    elsewhere = tmp_path_factory.mktemp("installed")
    monkeypatch.setattr(sys, "path", [*filter(None, sys.path), str(elsewhere)])
    return elsewhere


def test_an_installed_module_gets_nothing_from_here_that_it_only_tries_to_import(folder, installed):
    for name in ("an_extra", "a_space"):
        (folder / f"{name}.py").write_text("raise SystemExit('run')", "utf-8")
    tries = "try:\n    import an_extra\nexcept ImportError:\n    an_extra = None\n"
    (installed / "a_tool").mkdir()
    (installed / "a_tool" / "__init__.py").write_text(tries, "utf-8")
    (installed / "a_tool" / "part.py").write_text("value = 3", "utf-8")
    (installed / "a_space").mkdir()
    (installed / "a_space" / "part.py").write_text(tries + "value = 4", "utf-8")
    assert import_attribute("a_tool", "an_extra", "thing") is None
    assert import_attribute("a_tool.part", "value", "thing") == 3
    assert import_attribute("a_space.part", "value", "thing") == 4


def test_what_an_installed_package_lacks_is_not_taken_from_here(folder, installed):
    (folder / "a_need.py").write_text("raise SystemExit('run')", "utf-8")
    (installed / "a_tool").mkdir()
    (installed / "a_tool" / "__init__.py").write_text("import a_need", "utf-8")
    (installed / "a_tool" / "part.py").write_text("", "utf-8")
    for module in ("a_tool", "a_tool.part"):
        with pytest.raises(PluginError, match=f"^{module}: cannot be imported: No module named 'a_need'$"):
            import_attribute(module, "x", "thing")


def test_a_folder_of_data_that_is_installed_hides_no_module_here(folder, installed):
    (installed / "a_thing_of_mine").mkdir()
    (folder / "a_thing_of_mine.py").write_text("value = 5", "utf-8")
    assert import_attribute("a_thing_of_mine", "value", "thing") == 5


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
