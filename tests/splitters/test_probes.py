"""A size that does nothing, and pieces that differ from run to run, are found out."""

from __future__ import annotations

import itertools
import random

import pytest

from chunkscope.errors import SplitterError
from chunkscope.splitters.probes import ignores_size, is_deterministic
from chunkscope.splitters.shapes import adapt


def test_a_factory_that_ignores_the_size():
    class Deaf:
        def __init__(self, chunk_size=400):
            pass

        def split_text(self, text):
            return text.split("\n\n")

    assert ignores_size(adapt(Deaf, "mine"))


def test_splitters_that_heed_the_size():
    from chonkie import TableChunker
    from haystack.components.preprocessors import DocumentSplitter
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from llama_index.core.node_parser import SentenceSplitter

    for found, options in (
        (RecursiveCharacterTextSplitter, {}),
        (SentenceSplitter, {}),
        (TableChunker, {}),
        *((DocumentSplitter, {"split_by": by}) for by in ("word", "line", "passage", "period")),
    ):
        assert not ignores_size(adapt(found, "mine", options)), (found, options)


def test_a_splitter_that_refuses_small_sizes():
    def picky(text, size):
        if size < 50:
            raise ValueError("too small")
        return [text[start : start + size] for start in range(0, len(text), size)]

    assert not ignores_size(adapt(picky, "mine"))
    assert not ignores_size(adapt(lambda text: [text], "no size"))
    assert not ignores_size(adapt(lambda text, size: 1 / 0, "never works"))


def test_pieces_that_differ():
    dice = random.Random(1)
    assert not is_deterministic(adapt(lambda text: [text[: dice.randrange(9)]], "dice"))
    numbers = itertools.count()
    assert not is_deterministic(adapt(lambda text: [text[: next(numbers)]], "counts its calls"))
    assert is_deterministic(adapt(lambda text: [text], "whole"))
    with pytest.raises(SplitterError):
        is_deterministic(adapt(lambda text: 1 / 0, "mine"))


def test_what_differs_from_one_that_is_set_up_anew():
    numbers = itertools.count()

    class Seeded:
        def __init__(self):
            self.n = next(numbers)

        def split(self, text):
            return [text[: self.n]]

    assert not is_deterministic(adapt(Seeded, "mine"))
