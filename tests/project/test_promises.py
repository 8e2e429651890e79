"""What SECURITY.md promises, watched by Python itself: no network, no other program, no file written but outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WATCHED = """
import json, os, sys

seen = {"network": [], "programs": [], "written": []}
CHANGES = {"os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "sqlite3.connect"}
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"}

def watch(event, args):
    if event.startswith(("socket.", "urllib.")):
        seen["network"].append(event)
    elif event in PROGRAMS:
        seen["programs"].append(event)
    elif event in CHANGES:
        seen["written"].append(str(args[0]))
    elif event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen["written"].append(str(args[0]))

sys.addaudithook(watch)
from chunkscope.cli import main

try:
    main()
finally:
    told = json.dumps(seen)
    with open(os.environ["SEEN"], "w", encoding="utf-8") as file:
        file.write(told)
"""
COMMANDS = (
    "sweep docs -q questions.jsonl --chunker fixed,sentence,heading,token --why 300 --count-tokens",
    "recall docs -q questions.jsonl",
    "recall docs -q questions.jsonl --retriever hash --no-cache",
    "check docs -q questions.jsonl --size 300",
    "labels docs -q questions.jsonl",
    "chunks docs --size 300",
    "show docs/rules.md --size 300",
    "structure docs/rules.md",
    "list",
    "cache info",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the English example, as a folder of somebody."""
    for path in (ROOT / "examples" / "en").rglob("*"):
        if path.is_file():
            to = tmp_path / path.relative_to(ROOT / "examples" / "en")
            to.parent.mkdir(exist_ok=True)
            to.write_bytes(path.read_bytes())
    return tmp_path


def watched(folder: Path, command: str) -> dict[str, list[str]]:
    """Run a command, and give what Python saw it do."""
    seen = folder.parent / f"{folder.name}.seen"
    environment = {
        **os.environ, "SEEN": str(seen), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1",
        "CHUNKSCOPE_CACHE": str(folder / "cache"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-P", "-c", WATCHED, *command.split()],
        capture_output=True, encoding="utf-8", cwd=folder, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, list[str]] = json.loads(seen.read_text("utf-8"))
    # Python itself tries whether it may write to the folder for temporary files
    tried = [name for name in found["written"] if Path(name).parent == Path(tempfile.gettempdir())]
    assert not any(map(os.path.exists, tried))
    return {**found, "written": [name for name in found["written"] if name not in tried]}


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_sent_run_or_written(folder, command):
    before = sorted(folder.rglob("*"))
    assert watched(folder, command) == {"network": [], "programs": [], "written": []}
    assert sorted(folder.rglob("*")) == before


def test_an_output_that_is_named_is_all_that_is_written(folder):
    before = set(folder.rglob("*"))
    found = watched(folder, "sweep docs -q questions.jsonl --sizes 300 --format json -o result.json")
    assert found["network"] == found["programs"] == []
    assert all(Path(folder, name).name.startswith(("result.json", ".")) for name in found["written"])
    assert set(folder.rglob("*")) - before == {folder / "result.json"}


def test_vectors_are_kept_where_the_cache_is_and_nowhere_else(folder):
    before = set(folder.rglob("*"))
    found = watched(folder, "recall docs -q questions.jsonl --sizes 300 --retriever hash")
    assert found["network"] == found["programs"] == []
    made = {path.relative_to(folder).parts[0] for path in set(folder.rglob("*")) - before}
    assert made == {"cache"}
