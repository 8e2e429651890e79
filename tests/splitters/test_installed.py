"""Splitters by name: those of installed packages, and ``module:attribute``."""

from __future__ import annotations

import os
import pickle
import re
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from chunkscope.errors import MissingPartError, PluginError, SplitterError
from chunkscope.splitters.installed import load_splitter
from chunkscope.splitters.packages import SPLITTERS, counter, tell_tiktoken
from chunkscope.splitters.probes import SAMPLE, ignores_size, is_deterministic
from chunkscope.splitters.shapes import RawPiece

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
        ("no_such_module:x", PluginError, "no splitter and no module 'no_such_module'; there are langchain, "),
        ("langchain:recursiv", SplitterError, "no splitter 'langchain:recursiv'; did you mean 'recursive'?"),
        ("my_chunking", SplitterError, "no splitter 'my_chunking'; did you mean 'semchunk'? Or write module:attribute"),
        ("my_chunking:", SplitterError, "no splitter 'my_chunking:'"),
        ("langchan:recursive", PluginError, "no splitter and no module 'langchan'; did you mean 'langchain'?"),
        (
            "chonkie:zzz",
            SplitterError,
            "no splitter 'chonkie:zzz'; chonkie has recursive, sentence, token, table, fast",
        ),
        ("semchunck", SplitterError, "no splitter 'semchunck'; did you mean 'semchunk'?"),
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


# short names

BY_UNIT = [
    (name, unit)
    for name, entry in SPLITTERS.items()
    for unit in (None, "char", "cl100k_base", "word")
    if unit is None or (unit != entry.unit and entry.units and entry.counts_in(unit))
]


@pytest.fixture
def nltk_data(monkeypatch):
    """NLTK's sentences, which come along with LlamaIndex."""
    import llama_index.core
    import nltk

    folder = Path(llama_index.core.__file__).parent / "_static" / "nltk_cache"
    monkeypatch.setattr(nltk.data, "path", [*nltk.data.path, str(folder)])


@pytest.fixture
def no_network(monkeypatch):
    """Nothing may even try to reach another machine, whatever it does where it fails."""
    tried = []

    def refuse(*args, **kwargs):
        tried.append(args)
        raise OSError("no network here")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield
    assert not tried


@pytest.mark.usefixtures("nltk_data", "no_network")
@pytest.mark.parametrize(("name", "unit"), BY_UNIT)
def test_every_short_name_splits_offline(name, unit):
    splitter = load_splitter(name, unit=unit)
    entry = SPLITTERS[name]
    assert splitter.unit == (unit or entry.unit)
    assert splitter.version == f"{entry.package} {metadata.version(entry.package)}"
    if unit is None:
        assert splitter.counts == entry.counts
        assert bool(entry.counts) == (splitter.takes_size or name == "llamaindex:hierarchical")
    size = 60 if splitter.takes_size else None
    overlap = 10 if splitter.takes_size and splitter.takes_overlap else 0
    pieces = splitter.split(SAMPLE, size, overlap)
    assert "".join("".join(piece.text for piece in pieces).split()).count("日本語の文もある。")
    assert is_deterministic(splitter, SAMPLE, size, overlap)
    assert not ignores_size(splitter)
    assert pickle.loads(pickle.dumps(splitter)).split(SAMPLE, size, overlap) == pieces


# what a splitter holds together whatever its size: paragraphs, rows, sentences; and tokens that part a character
LONGER = {"langchain:character", "chonkie:table", "chonkie:sentence", "haystack:token"}


@pytest.mark.usefixtures("nltk_data")
@pytest.mark.parametrize(
    ("name", "unit"), [(name, unit) for name, unit in BY_UNIT if (unit or SPLITTERS[name].unit) and name not in LONGER]
)
def test_sizes_are_counted_in_the_unit_that_was_asked_for(name, unit):
    splitter = load_splitter(name, unit=unit)
    if not splitter.takes_size:
        return
    count = counter(splitter.unit)
    lengths = [count(piece.text) for piece in splitter.split(SAMPLE, 60)]
    assert max(lengths) <= 60
    assert sorted(lengths)[len(lengths) // 2] > 10


def directly():
    import chonkie
    import langchain_text_splitters as langchain
    import semantic_text_splitter
    import semchunk
    from haystack import Document as HaystackDocument
    from haystack.components import preprocessors as haystack
    from llama_index.core import Document
    from llama_index.core import node_parser as llamaindex

    def of_llamaindex(parser):
        return [node.text for node in parser.get_nodes_from_documents([Document(text=SAMPLE)])]

    def of_haystack(component):
        return [one.content for one in component.run(documents=[HaystackDocument(content=SAMPLE)])["documents"]]

    return {
        "langchain:recursive": lambda: langchain.RecursiveCharacterTextSplitter(
            chunk_size=60, chunk_overlap=10
        ).split_text(SAMPLE),
        "langchain:markdown": lambda: langchain.MarkdownTextSplitter(chunk_size=60, chunk_overlap=10).split_text(
            SAMPLE
        ),
        "langchain:token": lambda: langchain.TokenTextSplitter(
            "cl100k_base", chunk_size=60, chunk_overlap=10
        ).split_text(SAMPLE),
        "langchain:html": lambda: langchain.RecursiveCharacterTextSplitter.from_language(
            langchain.Language.HTML, chunk_size=60, chunk_overlap=10
        ).split_text(SAMPLE),
        "llamaindex:sentence": lambda: of_llamaindex(llamaindex.SentenceSplitter(chunk_size=60, chunk_overlap=10)),
        "llamaindex:token": lambda: of_llamaindex(llamaindex.TokenTextSplitter(chunk_size=60, chunk_overlap=10)),
        "chonkie:token": lambda: [one.text for one in chonkie.TokenChunker(chunk_size=60, chunk_overlap=10)(SAMPLE)],
        "chonkie:sentence": lambda: [
            one.text for one in chonkie.SentenceChunker(chunk_size=60, chunk_overlap=10)(SAMPLE)
        ],
        "semantic-text-splitter:text": lambda: semantic_text_splitter.TextSplitter(60, 10).chunks(SAMPLE),
        "semantic-text-splitter:markdown": lambda: semantic_text_splitter.MarkdownSplitter(60, 10).chunks(SAMPLE),
        "semchunk": lambda: semchunk.chunkerify(len, 60)(SAMPLE, overlap=10),
        "haystack:word": lambda: of_haystack(haystack.DocumentSplitter(split_length=60, split_overlap=10)),
        "haystack:line": lambda: of_haystack(
            haystack.DocumentSplitter(split_by="line", split_length=60, split_overlap=10)
        ),
    }


@pytest.mark.parametrize("name", list(directly()))
def test_a_short_name_does_what_the_package_does(name):
    expected = directly()[name]
    tell_tiktoken("cl100k_base")
    assert [piece.text for piece in load_splitter(name).split(SAMPLE, 60, 10)] == expected()


@pytest.mark.parametrize("unit", ["cl100k_base"])
def test_tokens_inside_of_text_splitter_are_those_of_the_encoding(unit):
    from semantic_text_splitter import MarkdownSplitter

    own = MarkdownSplitter.from_callback(counter(unit), 30, 5).chunks(SAMPLE)
    assert [
        piece.text for piece in load_splitter("semantic-text-splitter:markdown", {}, unit).split(SAMPLE, 30, 5)
    ] == own


def test_options_are_passed_on():
    assert load_splitter("langchain:recursive", {"chunk_size": 50}).fixed_size == 50
    assert load_splitter("chonkie:recursive", {"tokenizer": "cl100k_base"}).unit == "cl100k_base"
    assert load_splitter("chonkie:recursive", {"tokenizer": "word"}).counts == "word units of chonkie"
    assert load_splitter("haystack:recursive", {"split_unit": "char", "separators": ["\n"]}).unit == "char"
    assert load_splitter("haystack:markdown", {"secondary_split": "word"}).size_name == "split_length"
    kept = load_splitter("langchain:recursive", {"separators": ["|"], "add_start_index": True}).split("a|b|c", 2)
    assert kept == [RawPiece("a", 0, 1), RawPiece("|b", 1, 3), RawPiece("|c", 3, 5)]
    code = load_splitter("langchain:code", {"language": "go"})
    assert code.split("package a\n\nfunc b() {}\n\nfunc c() {}\n", 20)[1].text == "func b() {}"


def test_a_unit_of_its_own_stays_where_lengths_are_told_in_characters():
    for name in ("haystack:word", "chonkie:table", "langchain:markdown-headers"):
        splitter = load_splitter(name, unit="char")
        assert (splitter.unit, splitter.counts) == (None, SPLITTERS[name].counts)


@pytest.mark.parametrize(
    ("name", "options", "unit", "message"),
    [
        ("haystack:word", {}, "word", "haystack:word counts words between spaces, not words"),
        ("langchain:token", {}, "char", "langchain:token counts cl100k_base tokens, not characters"),
        ("llamaindex:markdown", {}, "word", "llamaindex:markdown counts nothing: it takes no size, not words"),
        ("langchain:token", {"encoding_name": "nine"}, None, "langchain:token: 'nine' is no encoding; there are gpt2"),
        ("langchain:recursive", {"chunk_sise": 3}, None, "langchain:recursive has no 'chunk_sise'; did you mean"),
        ("haystack:markdown", {"split_length": 3}, None, "haystack:markdown has no 'split_length'; it has"),
    ],
)
def test_what_a_splitter_cannot_do_is_said_when_it_is_named(name, options, unit, message):
    with pytest.raises(SplitterError, match="^" + re.escape(message)):
        load_splitter(name, options, unit)


def test_a_splitter_whose_package_is_not_installed(monkeypatch):
    def no_version(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr("chunkscope.splitters.packages.version", no_version)
    with pytest.raises(MissingPartError, match=r"^semchunk: semchunk is not installed; pip install semchunk$"):
        load_splitter("semchunk")


def test_a_splitter_whose_data_are_not_here(monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    for name in ("haystack:sentence", "haystack:recursive"):
        with pytest.raises(
            MissingPartError, match=f"^{name} .*needs NLTK with its file punkt_tab: pip install nltk, then"
        ):
            load_splitter(name)
    assert load_splitter("haystack:recursive", {"separators": ["\n\n", " "]}).takes_size


def test_no_package_is_imported_before_it_is_asked_for():
    code = (
        "import sys\n"
        "from chunkscope.splitters.installed import SPLITTERS, load_splitter\n"
        "[entry.is_installed for entry in SPLITTERS.values()]\n"
        "load_splitter('semantic-text-splitter:text').split('one two', 4)\n"
        "print([name for name in ('langchain_text_splitters', 'llama_index', 'chonkie', 'haystack', 'semchunk')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_haystack_is_kept_from_calling_home(tmp_path):
    code = (
        "from chunkscope.splitters.installed import load_splitter\n"
        "load_splitter('haystack:word').split('one two', 1)\n"
        "from haystack import telemetry\n"
        "import haystack.telemetry._telemetry as inside\n"
        "print(inside.telemetry)"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("HAYSTACK")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**environment, "HOME": str(tmp_path)},
    )
    assert done.stdout == "None\n"
    assert not list(tmp_path.iterdir())
