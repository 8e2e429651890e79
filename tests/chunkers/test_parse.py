"""`parse_chunker` and `str` undo each other."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import chunkers

from chunkscope.chunkers import (
    FixedChunker,
    HeadingChunker,
    SentenceChunker,
    TokenChunker,
    parse_chunker,
    parse_chunkers,
)
from chunkscope.chunkers.parse import CHUNKERS, find_chunker
from chunkscope.errors import ChunkerError

units = st.text("abc /\\.:-_()=+日 '\"", min_size=1, max_size=12).map(lambda name: f"{name}.json")
keys = st.text("abz_- 日()=:", min_size=1, max_size=8)


def spellable(make, *arguments, **settings):
    """Make a chunker, or give None where a setting cannot be spelt and the chunker says so."""
    try:
        return make(*arguments, **settings)
    except ChunkerError:
        return None


@given(chunkers())
def test_what_str_writes_is_read_back_as_the_same_chunker(chunker):
    assert parse_chunker(str(chunker)) == chunker
    assert str(parse_chunker(str(chunker))) == str(chunker)
    assert parse_chunker(chunker.label).at(chunker.size, chunker.overlap).label == chunker.label


@given(units, keys, st.booleans())
def test_names_of_files_and_front_matter_keys_are_read_back_or_refused(unit, key, raw):
    made = [
        spellable(TokenChunker, 8, unit=unit, raw=raw),
        spellable(FixedChunker, prepend=(f"front-matter:{key}", "title")),
    ]
    for chunker in filter(None, made):
        assert parse_chunker(str(chunker)) == chunker


@given(st.lists(chunkers(), min_size=1, max_size=5), units)
def test_a_list_of_chunkers_is_read_back_in_order_each_once(found, unit):
    found = [*found, *filter(None, [spellable(TokenChunker, unit=unit, raw=True, prepend=("title",))])]
    assert parse_chunkers(",".join(map(str, found))) == tuple(dict.fromkeys(found))
    assert parse_chunkers(" , ".join(map(str, found))) == tuple(dict.fromkeys(found))


def test_a_path_with_brackets_is_a_unit():
    [packed, fixed] = parse_chunkers("token(raw=true, unit=C:/Program Files (x86)/t.json, size=4),fixed")
    assert packed == TokenChunker(4, raw=True, unit="C:/Program Files (x86)/t.json")
    assert fixed == FixedChunker()


def test_a_unit_that_looks_like_a_number_or_truth_stays_a_name():
    assert parse_chunker("fixed(unit=7)").unit == "7"
    assert parse_chunker("fixed(unit=true)").unit == "true"


@pytest.mark.parametrize("spelling", ["token(raw=True)", "token( raw = TRUE )", " token (raw=true)"])
def test_truth_is_read_in_any_case_and_written_in_lower_case(spelling):
    assert str(parse_chunker(spelling)) == "token(raw=true)"


def test_defaults_are_not_written():
    assert str(FixedChunker(unit="char", tail="drop")) == "fixed"
    assert str(TokenChunker(40, 0, unit="cl100k_base")) == "token(size=40)"
    assert str(HeadingChunker(40, 8, prepend=("headings", "title"), merge=True)) == (
        "heading(size=40, overlap=8, prepend=headings+title, merge=true)"
    )
    assert HeadingChunker(40, 8, unit="word", prepend=("title",)).label == "heading(prepend=title)"
    assert str(SentenceChunker(9, oversize="keep", newline="end")) == "sentence(size=9, oversize=keep, newline=end)"


def test_carrying_something_twice_is_carrying_it_once():
    assert parse_chunker("fixed(prepend=title+headings+title)").prepend == ("title", "headings")


@pytest.mark.parametrize(
    ("spelling", "message"),
    [
        ("", "no chunker"), ("fixed)", "no chunker"), ("fixed(size=4", "no chunker"),
        ("sentense", "unknown chunker 'sentense'; did you mean 'sentence'? there are fixed"),
        ("fixed(sise=4)", "did you mean 'size'"), ("fixed(size)", "write key=value"), ("fixed(size=)", "write key=value"),
        ("fixed(size=4, size=5)", "given twice"), ("fixed(size=4.5)", "'4.5'"), ("fixed(size=true)", "True"),
        ("fixed(size=0)", "size 0"), ("fixed(size=4, overlap=4)", "overlap 4 must be smaller than size 4"),
        ("token(raw=yes)", "raw"), ("heading(merge=1)", "merge"), ("fixed(merge=true)", "no 'merge'"),
        ("fixed(prepend=foot)", "cannot prepend 'foot'"), ("sentence(oversize=drop)", "split, keep"),
        ("fixed(name=x)", "no 'name'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_a_reason(spelling, message):
    with pytest.raises(ChunkerError, match=re.escape(message)):
        parse_chunker(spelling)


@pytest.mark.parametrize("name", [")(", "a)", "(a", "a,b", " a"])
def test_names_with_brackets_that_do_not_pair_are_refused(name):
    with pytest.raises(ChunkerError, match="cannot be written in a chunker's spelling"):
        TokenChunker(5, unit=name)


class Lines:
    """Cuts something, and is no chunker."""

    name = "line"


@pytest.mark.parametrize("offered", [FixedChunker(3), Lines, FixedChunker])
def test_what_a_package_offers_under_a_name_has_to_be_a_chunker_of_that_name(offered, monkeypatch):
    monkeypatch.setattr(type(CHUNKERS), "names", lambda self: ["fixed", "line"])
    monkeypatch.setattr(type(CHUNKERS), "find", lambda self, name: offered)
    with pytest.raises(ChunkerError, match=r"chunker 'line': .* is no subclass of Chunker with that name"):
        find_chunker("line")
