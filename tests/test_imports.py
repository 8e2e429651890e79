"""Who imports whom, and what importing the package costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "chunkscope"

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
        "print([name for name in ('numpy', 'rich', 'chunkscope.sweeping') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# From the floor up: a module may import those of its own layer and of the layers before it.
LAYERS = [
    ["_version", "errors", "numbers", "versions"],
    ["spans", "files", "front_matter", "pool"],
    ["documents"],
    ["file_documents"],
    ["corpus", "questions", "labels"],
    ["structure"],
    ["chunkers"],
    ["containment", "grid", "luck", "lengths"],
    ["carrying", "ladders", "window_lengths", "results"],
    ["tallies"],
    ["measures", "findings", "listing"],
    ["survey", "batches", "verdict", "comparison", "starter"],
    ["sweeping"],
    ["retrieval"],
    ["preflight"],
    ["reports", "config", "demos"],
    ["cli", "__main__"],
]


def layer_of(name: str) -> int:
    for number, names in enumerate(LAYERS):
        if name in names:
            return number
    raise AssertionError(f"chunkscope.{name} has no place in the layers; give it one")


def imports_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chunkscope"):
            parts = (node.module or "").split(".")
            found.update([parts[1]] if len(parts) > 1 else [alias.name for alias in node.names])
        elif isinstance(node, ast.Import):
            found.update(a.name.split(".")[1] for a in node.names if a.name.startswith("chunkscope."))
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py" and "demo" not in path.parts)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    upward = {name for name in imports_of(path) if layer_of(name) > layer_of(own)}
    assert not upward, f"{own} imports from above it"


def test_reports_see_results_only():
    allowed = {
        "results",
        "verdict",
        "findings",
        "grid",
        "reports",
        "documents",
        "errors",
        "numbers",
        "spans",
        "_version",
        "preflight",
        "comparison",
    }
    for path in (PACKAGE / "reports").glob("*.py"):
        assert imports_of(path) <= allowed, path.name
