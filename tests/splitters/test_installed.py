"""Splitters by name: those of installed packages, and ``module:attribute``."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys

import pytest

from chunkscope.errors import PluginError, SplitterError
from chunkscope.splitters.installed import SPLITTERS, load_splitter, tell_tiktoken

TEXT = "# Costs\n\nThe first sentence. A second one!\n\n- 上限は1泊12,000円とする。\n- Meals are extra.\n\n" * 6

OWN = """
class Cutter:
    def __init__(self, chunk_size=400):
        self.size = chunk_size
    def split_text(self, text):
        return [text[start : start + self.size] for start in range(0, len(text), self.size)]
def lines(text): return text.splitlines()
ready = Cutter(30)
not_one = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "my_chunking.py").write_text(OWN, "utf-8")
    yield
    sys.modules.pop("my_chunking", None)


@pytest.mark.usefixtures("own")
def test_a_splitter_of_the_current_folder():
    path = list(sys.path)
    splitter = load_splitter("my_chunking:Cutter")
    assert sys.path == path
    assert [piece.text for piece in splitter.split(TEXT, 50)] == [TEXT[i : i + 50] for i in range(0, len(TEXT), 50)]
    assert splitter.version.startswith("sha256 ")
    assert (splitter.unit, splitter.counts) == (None, "units of its own")
    assert load_splitter("my_chunking:Cutter", {"chunk_size": 40}).fixed_size == 40
    assert load_splitter("my_chunking:Cutter", unit="cl100k_base").unit == "cl100k_base"
    assert [one.text for one in load_splitter("my_chunking:lines").split("a\nb")] == ["a", "b"]
    ready = load_splitter("my_chunking:ready")
    assert (ready.fixed_size, ready.version) == (30, splitter.version)


def test_other_processes_load_it_again_by_its_name(own, tmp_path):
    frozen = pickle.dumps(load_splitter("my_chunking:Cutter", {"chunk_size": 5}, "char"))
    code = (
        "import pickle, sys; splitter = pickle.load(sys.stdin.buffer)\n"
        "print([piece.text for piece in splitter.split('abcdefgh')], splitter.unit)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=frozen, capture_output=True, check=True, cwd=tmp_path)
    assert done.stdout.decode().strip() == "['abcde', 'fgh'] char"


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("my_chunking:Cuter", PluginError, "module 'my_chunking' has no 'Cuter'; did you mean 'Cutter'?"),
        ("my_chunking:not_one", SplitterError, "my_chunking:not_one: 3 is no splitter"),
        ("no_such_module:x", PluginError, "no splitter and no module 'no_such_module'"),
        ("langchain:recursiv", SplitterError, "no splitter 'langchain:recursiv'; did you mean 'langchain:recursive'?"),
        ("my_chunking", SplitterError, "no splitter 'my_chunking'; there are langchain:recursive"),
        ("my_chunking:", SplitterError, "no splitter 'my_chunking:'"),
        (":x", SplitterError, "no splitter ':x'"),
        ("not-a-module:x", PluginError, "'not-a-module' is no splitter and no module"),
    ],
)
def test_what_cannot_be_found_is_said_in_a_line(spec, error, message):
    with pytest.raises(error, match=r"^" + re.escape(message)):
        load_splitter(spec)


def test_a_module_that_cannot_be_imported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_chunking.py").write_text("import absent_package_of_nobody", "utf-8")
    (tmp_path / "failing_chunking.py").write_text("1 / 0", "utf-8")
    with pytest.raises(PluginError, match=r"^broken_chunking: cannot be imported: No module named 'absent_package_of"):
        load_splitter("broken_chunking:x")
    with pytest.raises(
        PluginError, match=r"^failing_chunking: cannot be imported: ZeroDivisionError: division by zero"
    ):
        load_splitter("failing_chunking:x")


def test_langchain_counts_in_any_unit():
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    tell_tiktoken("cl100k_base")
    splitter = load_splitter("langchain:recursive")
    assert (splitter.unit, splitter.takes_size, splitter.takes_overlap) == ("char", True, True)
    own = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=20)
    assert [piece.text for piece in splitter.split(TEXT, 60, 20)] == own.split_text(TEXT)

    tokens = load_splitter("langchain:recursive", unit="cl100k_base")
    own = RecursiveCharacterTextSplitter.from_tiktoken_encoder("cl100k_base", chunk_size=30, chunk_overlap=8)
    assert (tokens.unit, tokens.counts) == ("cl100k_base", "cl100k_base tokens")
    assert [piece.text for piece in tokens.split(TEXT, 30, 8)] == own.split_text(TEXT)


def test_names_are_listed_with_their_package():
    assert SPLITTERS["langchain:recursive"].package == "langchain-text-splitters"
    assert SPLITTERS["langchain:recursive"].is_installed
