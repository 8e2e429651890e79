"""The version of a splitter changes whenever what it does may have changed."""

from __future__ import annotations

import functools
import importlib
import subprocess
import sys
from importlib.metadata import version

import pytest

from chunkscope.splitters.origin import version_of


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of one's own, which is written anew and loaded again."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(source):
        (tmp_path / "own_splitter.py").write_text(source, "utf-8")
        importlib.invalidate_caches()
        known = sys.modules.get("own_splitter")
        return importlib.reload(known) if known else importlib.import_module("own_splitter")

    yield write
    sys.modules.pop("own_splitter", None)


SOURCE = """
LIMIT = 3
class Cutter:
    def __init__(self, size): self.size = size
    def split(self, text): return [text[:self.size]]
def length(text): return len(text)
def first(text): return [text[:LIMIT]]
def make(n):
    def inner(text): return [text[:n]]
    return inner
made = make(3)
by_default = (lambda n: lambda text, n=n: [text[:n]])(4)
"""


def test_an_installed_splitter_has_the_version_of_its_package():
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    package = f"langchain-text-splitters {version('langchain-text-splitters')}"
    assert version_of(RecursiveCharacterTextSplitter) == package
    small, large = (version_of(RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)) for size in (40, 50))
    assert small.startswith(package)
    assert small != large
    assert small == version_of(RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0))


def test_any_change_of_the_file_is_a_new_version(module):
    own = module(SOURCE)
    before = [version_of(one) for one in (own.first, own.Cutter, own.Cutter(3), functools.partial(own.first))]
    assert None not in before
    assert version_of(own.Cutter(4)) not in before
    own = module(SOURCE.replace("LIMIT = 3", "LIMIT = 4"))
    after = [version_of(one) for one in (own.first, own.Cutter, own.Cutter(3), functools.partial(own.first))]
    assert not set(before) & set(after)


def test_a_file_that_has_been_changed_since_it_was_loaded_does_not_count(module, tmp_path):
    own = module(SOURCE)
    before = version_of(own.first)
    (tmp_path / "own_splitter.py").write_text("first = None", "utf-8")
    assert version_of(own.first) == before


def test_a_function_that_an_object_holds_counts(module):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    own = module(SOURCE)
    before = version_of(RecursiveCharacterTextSplitter(length_function=own.length))
    own = module(SOURCE.replace("return len(text)", "return len(text) * 2"))
    assert None is not before != version_of(RecursiveCharacterTextSplitter(length_function=own.length))


def test_what_holds_values_that_nothing_shows_has_no_version(module):
    from llama_index.core.node_parser import SentenceSplitter
    from semantic_text_splitter import TextSplitter

    own = module(SOURCE)
    assert version_of(own.made) is None
    assert version_of(own.by_default) is None
    assert version_of(lambda text: [text]) is None
    assert version_of(functools.partial(own.first, limit=lambda: 3)) is None
    assert version_of(TextSplitter(40)) is None
    assert version_of(SentenceSplitter(chunk_size=400)) is None


def test_what_is_named_by_its_module_has_the_version_of_its_file(module):
    own = module(SOURCE)
    assert version_of(own.made, "own_splitter") == version_of(own.first)
    assert version_of(own.Cutter(3), "own_splitter") == version_of(own.first)


def test_what_is_typed_into_an_interpreter_has_no_version():
    code = "from chunkscope.splitters.origin import version_of\ndef f(text): return [text]\nprint(version_of(f))"
    done = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"
