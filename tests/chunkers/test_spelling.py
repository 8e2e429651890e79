"""Settings as text and back: commas, brackets and quotes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.chunkers.spelling import can_be_spelt, parse_settings, read_value, spell_value, split_at_commas
from chunkscope.errors import ChunkerError

hostile = st.text("ab ,=:()[]{}\"'\\\n。", max_size=8)
names = st.text("abz_", min_size=1, max_size=4)


@given(st.dictionaries(names, st.lists(hostile, max_size=4).map(tuple), max_size=4))
def test_lists_of_any_strings_are_read_back_in_json_and_as_python_writes_them(settings):
    for spell in (spell_value, lambda value: json.dumps(value), lambda value: repr(list(value))):
        text = ", ".join(f"{name}={spell(value)}" for name, value in settings.items())
        found = parse_settings(text)
        assert {name: tuple(read_value(value)) for name, value in found} == settings
        assert split_at_commas(f"a({text}),b") == [f"a({text})", "b"]


@given(st.dictionaries(names, hostile.filter(can_be_spelt).filter(bool), max_size=4))
def test_names_that_can_be_spelt_stand_among_settings_as_they_are(settings):
    text = ", ".join(f"{name}={value}" for name, value in settings.items())
    assert parse_settings(text) == list(settings.items())
    assert split_at_commas(f"a({text}),b") == [f"a({text})", "b"]


def test_an_apostrophe_inside_a_name_is_no_quote():
    assert parse_settings("unit=/home/o'neil/t.json, size=4") == [("unit", "/home/o'neil/t.json"), ("size", "4")]


def test_line_ends_may_stand_in_a_quoted_string_as_they_are():
    assert read_value('["\n", "\\n"]') == ["\n", "\n"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size", "mine: 'size' is no setting; write key=value"), ("=4", "'=4' is no setting"), ("a=1,", "'' is no"),
        ("a=1, a=2", "mine: a is given twice"),
    ],
)  # fmt: skip
def test_what_is_no_setting_is_refused_with_its_owner(text, message):
    with pytest.raises(ChunkerError, match=re.escape(message)):
        parse_settings(text, "mine")


@pytest.mark.parametrize("text", ['["a', "[a]", '"a', "['a', b]", "[" * 5000])
def test_a_list_that_is_neither_json_nor_python_is_refused(text):
    with pytest.raises(ChunkerError, match="cannot be read; write it as JSON, such as"):
        read_value(text)
