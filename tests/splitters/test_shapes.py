"""Splitters of every shape, from functions to the objects of six packages, come to one interface."""

from __future__ import annotations

import functools
import json
import logging
import pickle
import re
import textwrap
from types import SimpleNamespace

import numpy as np
import pytest

from chunkscope.errors import SplitterError
from chunkscope.splitters.parameters import OVERLAP_NAMES, SIZE_NAMES, read_parameters
from chunkscope.splitters.shapes import RawPiece, adapt, is_portable, read_pieces

TEXT = "# Costs\n\nThe first sentence. A second one!\n\n- 上限は1泊12,000円とする。\n- Meals are extra.\n\n" * 6


def texts(splitter, size=None, overlap=0, text=TEXT):
    return [piece.text for piece in splitter.split(text, size, overlap)]


# what a function may give


def by_lines(text):
    return text.splitlines()


@pytest.mark.parametrize(
    ("gives", "expected"),
    [
        (["ab", "", "cd"], [RawPiece("ab"), RawPiece(""), RawPiece("cd")]),
        ((piece for piece in ("ab", "cd")), [RawPiece("ab"), RawPiece("cd")]),
        (("ab", "cd"), [RawPiece("ab"), RawPiece("cd")]),
        ([(0, 2), (1, 4)], [RawPiece("ab", 0, 2), RawPiece("bcd", 1, 4)]),
        ([[2, 2]], [RawPiece("", 2, 2)]),
        (np.array([[0, 2], [2, 4]]), [RawPiece("ab", 0, 2), RawPiece("cd", 2, 4)]),
        ([(1, "bc")], [RawPiece("bc", 1, 3)]),
        ([("bc", 1, 3)], [RawPiece("bc", 1, 3)]),
        ((["ab", "cd"], [(0, 2), (2, 4)]), [RawPiece("ab", 0, 2), RawPiece("cd", 2, 4)]),
        ([{"text": "bc", "start": 1}], [RawPiece("bc", 1, 3)]),
        ([SimpleNamespace(text="bc", start_index=1, end_index=3)], [RawPiece("bc", 1, 3)]),
        ([SimpleNamespace(text="bc", start_char_idx=None, end_char_idx=None)], [RawPiece("bc")]),
        ([SimpleNamespace(page_content="bc", metadata={"start_index": -1})], [RawPiece("bc", -1, 1)]),
        ([SimpleNamespace(content="bc", meta={"split_idx_start": 1, "page": 9})], [RawPiece("bc", 1, 3)]),
        ([SimpleNamespace(text="bc", start=5, start_char=1, end=6, end_char=3)], [RawPiece("bc", 1, 3)]),
        ([], []),
    ],
)
def test_what_a_splitter_gives_is_read(gives, expected):
    assert read_pieces(gives, "abcd") == expected


async def _later(text):
    return [text]


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        (None, "it gives None, not a list of pieces"),
        ({"chunks": ["ab"]}, "it gives a dict, not a list of pieces"),
        ("abcd", "it gives a str, not a list of pieces"),
        (b"abcd", "it gives a bytes, not a list of pieces"),
        ({"ab", "cd"}, "it gives a set, not a list of pieces"),
        (7, "it gives 7, not a list of pieces"),
        (_later("abcd"), "it gives a coroutine (an async function), not a list of pieces"),
        ([["ab"], ["cd"]], "piece 0 is a list of 1, not a text or (start, end)"),
        (["ab", None], "piece 1 is None, not a text"),
        (["ab", b"cd"], "piece 1 is a bytes, not a text"),
        ([{"body": "ab"}], "piece 0 is a dict, not a text"),
        ([SimpleNamespace(text=3)], "piece 0 is 3, not a text"),
        ([(0, 5)], "piece 0 is (0, 5), no span of a text of 4 characters"),
        ([(-2, 4)], "piece 0 is (-2, 4), no span of a text of 4 characters"),
        ([(3, 2)], "piece 0 is (3, 2), no span of a text of 4 characters"),
        ([(True, 2)], "piece 0 is a list of 2, not a text or (start, end)"),
        ([(0, 1.5)], "piece 0 is a list of 2, not a text or (start, end)"),
        ((["ab", "cd"], [(0, 2)]), "it gives 2 pieces, but 1 offsets"),
        ((["ab"], ["0-2"]), "the offsets of piece 0 are a str, not (start, end)"),
        (["a\ud83c"], "piece 0: character 1 is half of a surrogate pair"),
    ],
)
def test_what_is_no_list_of_pieces_is_said_in_a_line(gives, message):
    splitter = adapt(lambda text: gives, "mine")
    with pytest.raises(SplitterError, match=r"^" + re.escape(f"mine: {message}") + "$"):
        splitter.split("abcd")


def test_pieces_keep_the_order_in_which_they_come():
    assert texts(adapt(lambda text: ["cd", "ab"], "mine"), text="abcd") == ["cd", "ab"]


def test_what_a_splitter_raises_is_said_with_its_type_and_message():
    def stumbles(text):
        yield text[:2]
        raise ValueError("no such\n  level")

    with pytest.raises(SplitterError, match=r"^mine fails: ValueError: no such level$") as caught:
        adapt(stumbles, "mine").split("abcd")
    assert isinstance(caught.value.__cause__, ValueError)

    def tells_a_story(text):
        raise ValueError("word " * 1000)

    with pytest.raises(SplitterError) as caught:
        adapt(tells_a_story, "mine").split("abcd")
    assert len(str(caught.value)) < 400

    with pytest.raises(SplitterError, match=r"^mine fails: AssertionError$"):
        adapt(lambda text: (_ for _ in ()).throw(AssertionError), "mine").split("abcd")


def test_ctrl_c_in_a_splitter_is_no_error_of_it():
    def is_stopped(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adapt(is_stopped, "mine").split("abcd")


def test_a_panic_of_rust_is_an_error_of_the_splitter():
    class PanicException(BaseException):
        pass

    def panics(text):
        raise PanicException("index out of bounds")

    with pytest.raises(SplitterError, match=r"^mine fails: PanicException: index out of bounds$"):
        adapt(panics, "mine").split("abcd")


def test_an_empty_text_has_no_pieces_and_is_not_shown_to_the_splitter():
    assert adapt(lambda text: 1 / 0, "mine").split("") == []


def test_what_a_splitter_prints_and_logs_stays_off_the_screen(capsys, caplog):
    def talks(text):
        print("working")
        logging.warning("a long chunk")
        logging.error("this is bad")
        return [text]

    adapt(talks, "mine").split("abcd")
    assert capsys.readouterr().out == ""
    assert [record.message for record in caplog.records] == ["this is bad"]
    logging.warning("heard again")
    assert caplog.records[-1].message == "heard again"


# sizes


def sliding(text, chunk_size, overlap=0):
    return [text[start : start + chunk_size] for start in range(0, len(text), chunk_size - overlap)]


class Sliding:
    def __init__(self, max_tokens=10, *, overlap_tokens=2):
        self.size, self.overlap = max_tokens, overlap_tokens

    def chunk(self, text):
        return sliding(text, self.size, self.overlap)


def make_sliding(chunk_length=10, chunk_overlap=2):
    return Sliding(chunk_length, overlap_tokens=chunk_overlap)


def make_function(size):
    return functools.partial(sliding, chunk_size=size)


def lambda_last(size, body):
    return sliding(body, size)


@pytest.mark.parametrize("found", [sliding, Sliding, make_sliding])
def test_a_sweep_drives_size_and_overlap(found):
    splitter = adapt(found, "mine")
    assert (splitter.takes_size, splitter.takes_overlap) == (True, True)
    for size, overlap in ((8, 0), (8, 3), (20, 5), (8, 0)):
        assert texts(splitter, size, overlap) == sliding(TEXT, size, overlap)


@pytest.mark.parametrize("found", [make_function, lambda_last])
def test_a_size_without_an_overlap(found):
    splitter = adapt(found, "mine")
    assert (splitter.takes_size, splitter.takes_overlap, splitter.needs_size) == (True, False, True)
    assert texts(splitter, 8) == sliding(TEXT, 8)
    with pytest.raises(SplitterError, match=r"^mine takes no overlap$"):
        splitter.split(TEXT, 8, 2)


def test_a_needed_size_is_asked_for():
    with pytest.raises(SplitterError, match=r"^mine needs a size, such as mine\(chunk_size=400\)$"):
        adapt(sliding, "mine").split(TEXT)


def test_without_a_size_the_splitter_keeps_its_own_size_and_overlap():
    splitter = adapt(Sliding, "mine")
    assert (splitter.default_size, splitter.default_overlap, splitter.needs_size) == (10, 2, False)
    assert texts(splitter) == sliding(TEXT, 10, 2)


@pytest.mark.parametrize("found", [Sliding, make_sliding])
def test_a_size_among_the_options_is_fixed(found):
    size, overlap = ("max_tokens", "overlap_tokens") if found is Sliding else ("chunk_length", "chunk_overlap")
    splitter = adapt(found, "mine", {size: 12, overlap: 3})
    assert (splitter.takes_size, splitter.fixed_size) == (False, 12)
    assert (splitter.takes_overlap, splitter.fixed_overlap) == (False, 3)
    assert texts(splitter) == sliding(TEXT, 12, 3)
    with pytest.raises(SplitterError, match=r"^mine takes no size: it is fixed at 12$"):
        splitter.split(TEXT, 40)


def test_a_fixed_size_leaves_the_overlap_to_a_sweep():
    splitter = adapt(sliding, "mine", {"chunk_size": 12})
    assert texts(splitter, None, 5) == sliding(TEXT, 12, 5)


def test_an_object_that_is_set_up_shows_its_size():
    splitter = adapt(Sliding(9, overlap_tokens=4), "mine")
    assert (splitter.takes_size, splitter.fixed_size, splitter.fixed_overlap) == (False, 9, 4)
    assert texts(splitter) == sliding(TEXT, 9, 4)


def test_a_method_of_an_object_is_a_function():
    assert texts(adapt(Sliding(9, overlap_tokens=4).chunk, "mine")) == sliding(TEXT, 9, 4)


def test_an_object_that_is_called_may_take_a_size():
    class Called:
        def __call__(self, document, max_characters=10):
            return sliding(document, max_characters)

    splitter = adapt(Called(), "mine")
    assert (splitter.size_name, splitter.unit, splitter.counts) == ("max_characters", "char", "characters")
    assert texts(splitter, 7) == sliding(TEXT, 7)


@pytest.mark.parametrize("name", SIZE_NAMES)
def test_every_name_of_a_size_is_recognised(name):
    namespace = {"sliding": sliding}
    exec(f"def mine(text, {name}): return sliding(text, {name})", namespace)
    splitter = adapt(namespace["mine"], "mine")
    assert splitter.size_name == name
    assert texts(splitter, 9) == sliding(TEXT, 9)


@pytest.mark.parametrize("name", OVERLAP_NAMES)
def test_every_name_of_an_overlap_is_recognised(name):
    namespace = {"sliding": sliding}
    exec(f"def mine(text, size, {name}=1): return sliding(text, size, {name})", namespace)
    splitter = adapt(namespace["mine"], "mine")
    assert splitter.overlap_name == name
    assert texts(splitter, 9, 4) == sliding(TEXT, 9, 4)
    assert texts(splitter, 9) == sliding(TEXT, 9)


def test_an_object_is_set_up_once_for_documents_in_a_row():
    made = []

    class Counted(Sliding):
        def __init__(self, size, overlap):
            made.append((size, overlap))
            super().__init__(size, overlap_tokens=overlap)

        def warm_up(self):
            made.append("warm")

    splitter = adapt(Counted, "mine")
    for size in (8, 8, 9):
        splitter.split(TEXT, size, 1)
    assert made == [(8, 1), "warm", (9, 1), "warm"]


# what cannot be a splitter


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (3, "mine: 3 is no splitter: wanted is a function of a text"),
        ({"a": 1}, "mine: a dict is no splitter"),
        (["a"], "mine: a list of 1 is no splitter"),
        (None, "mine: None is no splitter"),
        (json, "mine: a module is no splitter"),
        (SimpleNamespace(split_text="no method"), "mine: a SimpleNamespace is no splitter"),
        (lambda text, tokenizer: [], "mine needs 'tokenizer' too; write mine(tokenizer=...)"),
    ],
)
def test_what_splits_nothing_is_said_at_once(found, message):
    with pytest.raises(SplitterError, match=r"^" + re.escape(message)):
        adapt(found, "mine")


def test_a_class_that_gives_no_splitter():
    class Empty:
        pass

    with pytest.raises(SplitterError, match=r"^mine: an Empty is no splitter"):
        adapt(Empty, "mine").split(TEXT)
    with pytest.raises(SplitterError, match=r"^mine: None is no splitter"):
        adapt(lambda: None, "mine").split(TEXT)


def test_a_class_that_needs_more():
    class Demanding(Sliding):
        def __init__(self, model, chunk_size=3):
            super().__init__(chunk_size)

    with pytest.raises(SplitterError, match=r"^mine needs 'model' too; write mine\(model=\.\.\.\)"):
        adapt(Demanding, "mine")
    assert texts(adapt(Demanding, "mine", {"model": "m"}), 8)[0] == TEXT[:8]


def test_an_option_that_there_is_not():
    with pytest.raises(SplitterError, match=r"^mine has no 'overlp'; did you mean 'overlap'\?$"):
        adapt(sliding, "mine", {"overlp": 3})
    with pytest.raises(SplitterError, match=r"^mine has no 'zzz'; it has max_tokens, overlap_tokens$"):
        adapt(Sliding, "mine", {"zzz": 3})


def test_a_wrapper_that_hides_the_parameters_is_shown_a_text():
    def hidden(*args, **kwargs):
        return by_lines(*args, **kwargs)

    assert texts(adapt(hidden, "mine")) == TEXT.splitlines()


def test_texts_for_functions_that_want_several():
    def batch(texts):
        return [text.splitlines() for text in texts]

    assert texts(adapt(batch, "mine")) == TEXT.splitlines()


# objects of packages


def test_langchain():
    from langchain_text_splitters import (
        MarkdownHeaderTextSplitter,
        MarkdownTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    splitter = adapt(RecursiveCharacterTextSplitter, "mine", {"add_start_index": True})
    documents = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=20, add_start_index=True).create_documents(
        [TEXT]
    )
    assert [(piece.text, piece.start) for piece in splitter.split(TEXT, 60, 20)] == [
        (one.page_content, one.metadata["start_index"]) for one in documents
    ]
    assert (splitter.default_size, splitter.default_overlap) == (4000, 200)

    own = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=20)
    assert (adapt(own, "mine").fixed_size, adapt(own, "mine").fixed_overlap) == (60, 20)
    for found in (own, own.split_text, own.create_documents):
        assert texts(adapt(found, "mine")) == own.split_text(TEXT)

    # its parameters stand in the class that it inherits from
    assert adapt(MarkdownTextSplitter, "mine").size_name == "chunk_size"

    headings = adapt(MarkdownHeaderTextSplitter, "mine", {"headers_to_split_on": [("#", "1")], "strip_headers": False})
    assert not headings.takes_size
    assert texts(headings)[0].startswith("# Costs")
    with pytest.raises(SplitterError, match=r"^mine fails: ValueError: Got a larger chunk overlap \(80\)"):
        splitter.split(TEXT, 60, 80)


def test_a_splitter_that_takes_documents_of_langchain():
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    inner = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=20)
    only = SimpleNamespace(split_documents=inner.split_documents)
    assert texts(adapt(only, "mine")) == inner.split_text(TEXT)


def test_llamaindex():
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    splitter = adapt(SentenceSplitter, "mine")
    assert (splitter.size_name, splitter.overlap_name) == ("chunk_size", "chunk_overlap")
    nodes = SentenceSplitter(chunk_size=40, chunk_overlap=10).get_nodes_from_documents([Document(text=TEXT)])
    assert [tuple(piece) for piece in splitter.split(TEXT, 40, 10)] == [
        (node.text, node.start_char_idx, node.end_char_idx) for node in nodes
    ]
    assert len(nodes) > 5
    assert texts(adapt(MarkdownNodeParser(), "mine"))[0].startswith("# Costs")


def test_chonkie():
    from chonkie import RecursiveChunker, TokenChunker

    splitter = adapt(TokenChunker, "mine")
    assert [tuple(piece) for piece in splitter.split(TEXT, 40, 10)] == [
        (one.text, one.start_index, one.end_index) for one in TokenChunker("character", 40, 10).chunk(TEXT)
    ]
    assert not adapt(RecursiveChunker, "mine").takes_overlap


def test_haystack():
    from haystack import Document
    from haystack.components.preprocessors import DocumentSplitter

    splitter = adapt(DocumentSplitter, "mine")
    assert (splitter.size_name, splitter.overlap_name, splitter.default_size) == ("split_length", "split_overlap", 200)
    found = DocumentSplitter(split_length=9, split_overlap=2).run(documents=[Document(content=TEXT)])["documents"]
    assert [(piece.text, piece.start) for piece in splitter.split(TEXT, 9, 2)] == [
        (one.content, one.meta["split_idx_start"]) for one in found
    ]
    lines = DocumentSplitter(split_by="line", split_length=3)
    assert (adapt(lines, "mine").fixed_size, texts(adapt(lines, "mine"))[0]) == (
        3,
        "# Costs\n\nThe first sentence. A second one!\n",
    )


def test_text_splitter():
    from semantic_text_splitter import TextSplitter

    splitter = adapt(TextSplitter, "mine")
    assert (splitter.size_name, splitter.overlap_name, splitter.needs_size) == ("capacity", "overlap", True)
    assert [(piece.start, piece.text) for piece in splitter.split(TEXT, 50, 10)] == TextSplitter(50, 10).chunk_indices(
        TEXT
    )
    assert texts(adapt(TextSplitter(50), "mine")) == TextSplitter(50).chunks(TEXT)


def test_semchunk():
    import semchunk

    splitter = adapt(functools.partial(semchunk.chunk, token_counter=len, offsets=True), "mine")
    pieces, offsets = semchunk.chunk(TEXT, 50, len, offsets=True)
    assert [(piece.text, (piece.start, piece.end)) for piece in splitter.split(TEXT, 50)] == list(
        zip(pieces, offsets, strict=True)
    )
    assert texts(adapt(semchunk.chunkerify(len, 50), "mine")) == pieces


def test_the_standard_library_splits_too():
    assert texts(adapt(textwrap.wrap, "mine"), 30) == textwrap.wrap(TEXT, 30)


# other processes


def test_what_can_be_sent_to_other_processes():
    splitter = adapt(by_lines, "mine", unit="char")
    assert is_portable(splitter)
    copy = pickle.loads(pickle.dumps(splitter))
    assert (copy.name, copy.unit, texts(copy)) == ("mine", "char", texts(splitter))

    again = adapt(Sliding(9), "mine")
    assert texts(pickle.loads(pickle.dumps(again))) == texts(again)
    assert not is_portable(adapt(lambda text: [text], "mine"))
    assert not is_portable(adapt(sliding, "mine", {"chunk_size": 3, "overlap": lambda: 0}))


def test_what_leaves_out_a_part_of_itself_is_not_sent():
    """LlamaIndex's parsers drop functions that they were given, without an error."""
    from llama_index.core.node_parser import SentenceSplitter

    assert not is_portable(adapt(SentenceSplitter(tokenizer=lambda text: list(text), chunk_size=400), "mine"))


def test_nothing_is_known_of_what_has_no_signature():
    assert read_parameters(SimpleNamespace()).takes_any
