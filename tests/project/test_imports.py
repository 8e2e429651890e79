"""Who imports whom, and what importing the package costs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "chunkscope"

HEAVY = [
    "click",
    "rich",
    "tiktoken",
    "tokenizers",
    "fugashi",
    "unidic_lite",
    "sentencex",
    "pyromark",
    "yaml",
    "sqlite3",
    "kreuzberg",
    "pdfplumber",
]
NETWORK = ["socket", "ssl", "http", "urllib.request", "requests", "asyncio"]


def test_importing_the_package_loads_nothing_heavy_and_prints_nothing():
    code = f"import sys; import chunkscope; print([name for name in {HEAVY + NETWORK} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_the_version_is_printed_without_loading_the_library():
    code = (
        "import sys; sys.argv = ['chunkscope', '--version']\n"
        "from chunkscope.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'rich', 'chunkscope.grid.sweep') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py" and "demo" not in path.parts)
ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file())


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """The rooms, and the modules outside of rooms, that a module imports from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "chunkscope":
            parts = (node.module or "").split(".")
            found.update([parts[1]] if len(parts) > 1 else [alias.name for alias in node.names])
        elif isinstance(node, ast.Import):
            found.update(a.name.split(".")[1] for a in node.names if a.name.startswith("chunkscope."))
    return found


def graph() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in MODULES:
        found.setdefault(room_of(path), set()).update(imports_of(path) - {room_of(path)})
    return found


def test_rooms_import_one_way():
    try:
        order = list(TopologicalSorter(graph()).static_order())
    except CycleError as error:
        circle = error.args[1]
        culprits = {
            str(path.relative_to(PACKAGE)): sorted(imports_of(path) & set(circle))
            for path in MODULES
            if room_of(path) in circle and imports_of(path) & set(circle) - {room_of(path)}
        }
        pytest.fail(f"rooms import each other: {' <- '.join(circle)}; look at {culprits}")
    assert set(ROOMS) < set(order)


def test_there_are_about_a_dozen_rooms():
    assert len(ROOMS) <= 16
    assert {path.name for path in PACKAGE.glob("*.py")} == {
        "__init__.py", "__main__.py", "_version.py", "config.py", "errors.py",
    }  # fmt: skip


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_says_in_a_line_what_it_holds(room):
    docstring = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8")))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", ":"))


def test_tests_mirror_the_rooms():
    folders = {
        path.name for path in Path(__file__).parents[1].iterdir() if path.is_dir() and list(path.glob("test_*.py"))
    }
    assert folders - {"project"} <= set(ROOMS)


ORACLE = PACKAGE.parent / "tests" / "oracle"


def test_the_oracle_knows_nothing_of_what_it_judges():
    """Its loops need the standard library, and nothing else."""
    for path in ORACLE.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        roots = {name.split(".")[0] for name in names}
        assert roots <= {"oracle", *sys.stdlib_module_names}, path.name


def test_twins_that_docstrings_name_are_there():
    named = {
        twin for path in MODULES for twin in re.findall(r"^Twin: (\S+)$", path.read_text("utf-8"), flags=re.MULTILINE)
    }
    assert len(named) > 10
    assert not [twin for twin in named if not (PACKAGE.parent / twin).is_file()]


def test_only_the_command_line_needs_retrieval():
    """`retrieval/` can be deleted, and the rest still runs."""
    needing = {room_of(path) for path in MODULES if "retrieval" in imports_of(path)} - {"retrieval"}
    assert needing <= {"cli"}


def test_only_the_command_line_converts():
    needing = {room_of(path) for path in MODULES if "convert" in imports_of(path)} - {"convert"}
    assert needing == {"cli"}


def test_reports_read_results_and_compute_nothing():
    refused = {"structure", "corpus", "chunkers", "retrieval", "questions"}
    for path in (PACKAGE / "reports").glob("*.py"):
        assert not imports_of(path) & refused, path.name


def test_no_two_classes_have_one_name():
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(path.relative_to(PACKAGE).as_posix())
    assert not {name: places for name, places in found.items() if len(places) > 1}
