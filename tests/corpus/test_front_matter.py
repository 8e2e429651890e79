"""Front matter: where it ends, and what it says."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import markdown_texts, texts

from chunkscope.corpus.front_matter import attributes_of, find_front_matter, front_matter_end


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: x\n---\n",
        "---\ntitle: 設定\n# comment\n---\n",
        "---  \ntitle: x\n---  \n",
        "---\r\ntitle: x\r\n---\r\n",
        "---\rtitle: x\r---\r",
        "---\ntitle: x\n...\n",
        "---\ntitle: x\n---",
        "---\ntitle: |\n  a\n\n  # b\n---\n",
        "---\n# comment\na: {b: [c]}\n---\n",
        "---\n{a: 1}\n---\n",
        '---\n"a b": 1\n---\n',
        "---\ndate: 2023-02-30\n---\n",
        '---\ntags:\n- a\n- -b\nt: ["x", "y"]\nq: \'it is\'\n---\n',
        "---\na: !custom x\n---\n",
    ],
)
def test_front_matter_ends_behind_its_last_line(text):
    assert front_matter_end(text) == len(text)
    if text[-1] in "\r\n":
        assert front_matter_end(text + "# 題\n---\na: b\n---\n") == len(text)
    else:
        assert front_matter_end(text + "# 題") == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\n---\n",
        "---\n\ntitle: x\n---\n",
        "---\n \t\ntitle: x\n---\n",
        "---\ntitle: x\n",
        "\n---\ntitle: x\n---\n",
        " ---\ntitle: x\n---\n",
        "----\ntitle: x\n---\n",
        "--- #\ntitle: x\n---\n",
        "---\n本文。\n---\n",
        "---\n- a\n- b\n---\n",
        "---\n# only a comment\n---\n",
        "---\na: b: c\n---\n",
        "---\na: [b\n---\n",
        "---\na: b\n  c: d\n---\n",
        "---\na: *nowhere\n---\n",
        "---\na: 'b\n---\n",
        "---\na: \x00\n---\n",
        "---\n% x: y\n---\n",
        "---\na: b\n--- c: d\n---\n",
    ],
)
def test_all_else_is_text(text):
    assert front_matter_end(text) == 0
    assert attributes_of(text) == {}


def test_values_are_what_json_can_hold():
    text = (
        "---\ntitle: 旅費規程\nstatus: abolished\nsince: 2024-04-01\nat: 2024-04-01T09:30:00Z\nnone: ~\nyes: true\n"
        "n: 3\nx: 1.5\nnever: .inf\nbad: 2023-02-30\n2024: year\ntags: [a, 2]\nnested: {date: 2024-01-01}\n"
        "raw: !!binary aGk=\n"
        'quoted: "2024-04-01"\n---\n'
    )
    assert attributes_of(text) == {
        "title": "旅費規程",
        "status": "abolished",
        "since": "2024-04-01",
        "at": "2024-04-01T09:30:00Z",
        "none": None,
        "yes": True,
        "n": 3,
        "x": 1.5,
        "never": ".inf",
        "bad": "2023-02-30",
        "2024": "year",
        "tags": ["a", 2],
        "nested": {"date": "2024-01-01"},
        "raw": "aGk=",
        "quoted": "2024-04-01",
    }


@pytest.mark.parametrize(
    "written",
    [
        *("yes", "no", "on", "off", "Yes", "NO", "y", "n", "True", "FALSE", "Null", "NULL"),
        *("3.10", "1.20", "010", "0o17", "0x1F", "1_000", "+1", "-0", "1e3", "1.", ".5", "12:30:45", "190:20:30"),
        *("2024-04-01", "2024-4-1", "2024-04-01 09:30", "2024-04-01T09:30:00+09:00", ".inf", ".nan", "=", "<<"),
        *("令和6年4月1日", "１０", "123456789012345678901234567890", "1.123456789012345678901"),
    ],
)
def test_what_json_would_write_otherwise_stays_as_it_was_typed(written):
    assert attributes_of(f"---\na: {written}\nb: [{written}, x]\n---\n") == {"a": written, "b": [written, "x"]}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        *(
            ("true", True),
            ("false", False),
            ("null", None),
            ("~", None),
            ("", None),
            ("0", 0),
            ("-7", -7),
            ("2024", 2024),
        ),
        *(("3.1", 3.1), ("-0.5", -0.5), ("1.0", 1.0)),
        *(
            ('"true"', "true"),
            ("'3'", "3"),
            ("!!str 3", "3"),
            ("!!int '010'", "010"),
            ("!!bool yes", "yes"),
            ('""', ""),
        ),
        *(("|\n  3\n", "3\n"), ("yes # surely", "yes"), ("a #b", "a"), ("a#b", "a#b")),
    ],
)
def test_values_are_plain_where_json_writes_them_alike(written, value):
    found = attributes_of(f"---\na: {written}\n---\n")["a"]
    assert (found, type(found)) == (value, type(value))


TOML = '''+++
title = "Archived"  # not a title
status = 'draft'
version = 3.10
year = 2024
hex = 0x1F
since = 2024-04-01T09:30:00Z
live = false
tags = [
  "a", 1_0,
]
text = """
year = 1999
"""
[params]
by.whom = "x"
+++
# Body
'''


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_toml_between_plus_signs_is_front_matter_too(end):
    text = TOML.replace("\n", end)
    assert text[front_matter_end(text) :] == f"# Body{end}"
    assert attributes_of(text) == {
        "title": "Archived",
        "status": "draft",
        "version": "3.10",
        "year": 2024,
        "hex": "0x1F",
        "since": "2024-04-01T09:30:00Z",
        "live": False,
        "tags": ["a", 10],
        "text": "year = 1999\n",
        "params": {"by": {"whom": "x"}},
    }


@pytest.mark.parametrize(
    "text",
    ["+++\n+++\n", "+++\nx\n+++\n", "+++\n\na = 1\n+++\n", "+++\na = 1\n", "++++\na = 1\n+++\n"],
)
def test_other_plus_signs_are_text(text):
    assert front_matter_end(text) == 0
    assert find_front_matter(text)[1] is None


@pytest.mark.parametrize(
    ("inside", "line", "reason"),
    [
        ("title: Travel: the rules", 2, "not YAML (mapping values are not allowed"),
        ("a: b\nwho: @home", 3, "not YAML (found character that cannot start any token)"),
        ("a:\n\tb: 1", 3, "not YAML (found character that cannot start any token)"),
        ("a: b\r\nc: [d", 4, "not YAML"),
        ("# note\n題名: *強調", 3, "not YAML"),
        ("a: *nowhere", 2, "*nowhere is defined nowhere"),
        ("a: b\n--- c: d", 3, "not YAML"),
        ("a: " + "[" * 60 + "]" * 60, 1, "beyond all use; no attribute of it is read"),
    ],
)
def test_front_matter_that_cannot_be_read_is_told_with_its_line(inside, line, reason):
    fault = find_front_matter(f"---\n{inside}\n---\n# A\n")[1]
    assert fault is not None
    assert fault.line == line
    assert reason in fault.message
    assert "\n" not in fault.message


def test_front_matter_that_is_not_closed_and_bad_toml_are_told():
    assert "no line ---" in str(find_front_matter("---\ntitle: x\n\n# A\n")[1])
    fault = find_front_matter("+++\na = 1\ntitle = x\n+++\n")[1]
    assert fault is not None
    assert fault.line == 3
    assert "not TOML" in fault.message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n本文。\n---\n",
        "---\n\nNote: a rule first.\n---\n",
        "---\nOnce upon a time.\n\n---\n",
        "---\n- a: b\n---\n",
        "---\ntitle: x\n---\n",
        "---\na: {b: [c]}\n---\n",
        "# A\n---\na: b: c\n---\n",
        "---\nhttps://example.org/a\n---\n",
    ],
)
def test_what_is_no_front_matter_is_no_fault(text):
    assert find_front_matter(text)[1] is None


@pytest.mark.parametrize(
    "text",
    [
        "+++\n" + "a." * 50_000 + "a = 1\n+++\n",
        "+++\na = " + "[" * 50_000 + "\n+++\n",
        "+++\na = " + "{a=" * 50_000 + "\n+++\n",
        "+++\n[" + "a." * 50_000 + "a]\n+++\n",
        "---\n" + "a: &a {<<: *a}\n" * 10_000 + "---\n",
        "---\n" + "? " * 50_000 + "\n---\n",
    ],
)
def test_hostile_front_matter_tells_nothing_and_ends(text):
    assert len(attributes_of(text)) <= 1
    assert "\n" not in str(find_front_matter(text))[1]


def test_anchors_and_merged_mappings_are_written_out():
    text = "---\nbase: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3\nagain: *b\n---\n"
    assert attributes_of(text) == {"base": {"x": 1, "y": 2}, "own": {"x": 1, "y": 3}, "again": {"x": 1, "y": 2}}


def test_a_value_within_itself_is_null():
    assert attributes_of("---\na: &a [*a, 1]\n---\n") == {"a": [None, 1]}


def test_repetition_of_a_long_value_is_refused():
    text = "x" * 100_000
    assert attributes_of(f"---\na: &a {text}\nb: [{'*a, ' * 60}]\n---\n") == {"a": text, "b": [text] * 60}
    assert attributes_of(f"---\na: &a {text}\nb: [{'*a, ' * 70}]\n---\n") == {}
    assert attributes_of(f"---\na: &a {text}\n? [{'*a, ' * 70}]\n: 1\n---\n") == {}


def test_keys_that_are_no_text_are_left_out():
    assert attributes_of("---\na: {[1, 2]: 3, {b: 1}: 2, c: 4, null: 5}\n? - d\n: 6\n---\n") == {
        "a": {"c": 4, "null": 5}
    }
    deep = "{? " * 40 + '"a\'b\\"c"' + " : 1}" * 40
    assert attributes_of(f"---\na: {deep}\nb: 1\n---\n") == {"a": {}, "b": 1}


def test_of_merged_mappings_the_first_wins():
    text = "---\na: &a {k: 1, l: 1}\nb: &b {k: 2, m: 2}\nc: {<<: [*a, *b], m: 3}\nd: {<<: *b, <<: *a}\n---\n"
    found = attributes_of(text)
    assert found["c"] == {"k": 1, "l": 1, "m": 3}
    assert found["d"] == {"k": 2, "m": 2, "l": 1}


def test_repetition_without_end_is_refused():
    levels = "".join(
        f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefghijk", "bcdefghijkl", strict=True)
    )
    text = f"---\na: &a [{','.join('x' * 9)}]\n{levels}---\n"
    assert front_matter_end(text) == len(text)
    assert attributes_of(text) == {}


@pytest.mark.parametrize("text", ["[" * 20_000, "{a: " * 20_000, "[" * 60 + "]" * 60, "\n  " + "- " * 20_000 + "x"])
def test_deep_nesting_is_refused(text):
    assert attributes_of(f"---\na: {text}\n---\n") == {}


KEYS = st.sampled_from(["a", "title", "b.c", "f1_keywords", "日付", "a b", "1", "-", "?", ""])
VALUES = st.lists(
    st.sampled_from(
        [
            *"ab漢1:#'\"-[]{},&*!|>%@`. \t\\~?<=",
            ": ",
            " #",
            "\u2028",
            "\x85",
            "\ufeff",
            "\x7f",
            "C++",
            "https://x",
            "- ",
        ]
    ),
    max_size=6,
).map("".join)
ENTRIES = st.tuples(st.sampled_from(["", "- ", "  - ", "  "]), KEYS, st.sampled_from([": ", ":", ":  "]), VALUES)
QUOTED = st.sampled_from(['"{}"', "'{}'", '["{}", "b"]', "[{}, b c]", "{}", "- {}"])


@settings(max_examples=500)
@given(st.lists(st.tuples(ENTRIES, QUOTED, st.booleans()), min_size=1, max_size=4))
def test_what_is_a_mapping_is_what_yaml_says(entries):
    lines = [
        before + (quoted.format(value) if is_item else key + colon + quoted.format(value))
        for (before, key, colon, value), quoted, is_item in entries
    ]
    inside = "\n".join(lines)
    text = f"---\n{inside}\n---\n"
    try:
        node = yaml.compose(inside, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        node = None
    try:
        faster = yaml.compose(inside, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        faster = None
    # where the two loaders of PyYAML differ, either may be right
    expected = {isinstance(found, yaml.MappingNode) and bool(lines[0].strip(" \t")) for found in (node, faster)}
    assert (front_matter_end(text) == len(text)) in expected


@given(st.one_of(markdown_texts(), texts()))
def test_any_text_is_read_and_its_attributes_are_json(text):
    for candidate in (text, f"---\na: {text}\n---\n", f"---\n{text}\n---\n"):
        assert 0 <= front_matter_end(candidate) <= len(candidate)
        attributes = attributes_of(candidate)
        assert json.loads(json.dumps(attributes, allow_nan=False)) == attributes
