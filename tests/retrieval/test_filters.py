"""Conditions on documents, and the notations of the options."""

from __future__ import annotations

import json
import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chunkscope import Document
from chunkscope.retrieval import Budget, Condition
from chunkscope.retrieval.settings import check_conditions, parse_k, parse_scores


def document(name="a.md", **fields):
    return Document(name, "本文", fields)


@pytest.mark.parametrize(
    ("text", "fields", "holds"),
    [
        ("status=current", {"status": "current"}, True),
        ("status=current", {"status": "Current"}, False),
        ("status=current", {}, False),
        ("status!=abolished", {}, True),
        ("status!=abolished", {"status": "abolished"}, False),
        ("status=ab*", {"status": "abolished"}, True),
        ("year=2024", {"year": 2024}, True),
        ("current=true", {"current": True}, True),
        ("current!=true", {"current": False}, True),
        ("tags=b", {"tags": ["a", "b"]}, True),
        ("tags!=b", {"tags": ["a", "b"]}, False),
        ("status=", {"status": None}, True),
        ("title=a=b", {"title": "a=b"}, True),
        ("区分=現行", {"区分": "現行"}, True),
    ],
)
def test_conditions_hold_as_they_read(text, fields, holds):
    assert Condition.parse(text).holds(document(**fields)) is holds


def test_names_match_globs_across_folders():
    archived = Condition.parse("name!=*-archive*")
    assert not archived.holds(document("old/rules-archive.md"))
    assert archived.holds(document("rules.md"))


def test_front_matter_counts_as_attributes():
    text = "---\nstatus: abolished\n---\n本文"
    assert Condition.parse("status=abolished").holds(Document("a.md", text))


@given(
    st.one_of(
        st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="*?[]"), min_size=1, max_size=12),
        st.from_regex(r"[-+]?(0x)?[0-9_]{1,4}(\.[0-9]{0,4})?(e[0-9])?", fullmatch=True),
        st.from_regex(r"[12][0-9]{3}-[01]?[0-9]-[0-3]?[0-9]([T ][0-9]{2}:[0-9]{2})?", fullmatch=True),
        st.sampled_from(
            ["yes", "no", "on", "off", "true", "True", "false", "null", "~", "NULL", ".inf", "3.10", "010"]
        ),
    )
)
def test_what_is_typed_in_front_matter_is_what_a_condition_compares(written):
    typed = Document("a.md", f"---\nkey: {written}\n---\n本文")
    quoted = Document("a.md", f"---\nkey: {json.dumps(written, ensure_ascii=False)}\n---\n本文")
    assert Condition("--filter", "key", False, written).holds(quoted)
    plain = yaml.compose(f"key: {written}", Loader=yaml.BaseLoader) if is_plain(written) else None
    if plain:
        assert plain.value[0][1].value == written
        assert Condition("--filter", "key", False, written).holds(typed)
        assert not Condition("--filter", "key", True, written).holds(typed)


def is_plain(written):
    """Tell whether YAML takes a text for a plain value as it is."""
    try:
        node = yaml.compose(f"key: {written}", Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return False
    value = node.value[0][1] if isinstance(node, yaml.MappingNode) and len(node.value) == 1 else None
    return isinstance(value, yaml.ScalarNode) and not value.style and value.value == written and "!" not in written[:1]


@pytest.mark.parametrize(
    ("front", "text", "holds"),
    [
        ("archived: yes", "archived=yes", True),
        ("archived: yes", "archived!=yes", False),
        ("archived: yes", "archived=true", False),
        ("lang: no", "lang=no", True),
        ("version: 3.10", "version=3.10", True),
        ("version: 3.10", "version=3.1", False),
        ("code: 010", "code=010", True),
        ("since: 2024-04-01 09:30", "since=2024-04-01*", True),
        ("status: ~", "status=~", True),
        ("status:", "status=", True),
        ("tags: [010, on]", "tags=on", True),
    ],
)
def test_conditions_compare_what_the_author_typed(front, text, holds):
    assert Condition.parse(text).holds(Document("a.md", f"---\n{front}\n---\n本文")) is holds


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("text", ["name=ガイド*", "status=ガイド", "text=*ガイド*"])
def test_conditions_compare_after_nfc(form, text):
    written = unicodedata.normalize(form, "---\nstatus: ガイド\n---\n旧ガイドです")
    held = Document(unicodedata.normalize(form, "ガイド.md"), written)
    for other in ("NFC", "NFD"):
        assert Condition.parse(unicodedata.normalize(other, text)).holds(held)


@pytest.mark.parametrize(
    ("body", "markup", "holds"),
    [
        ("# Travel\n\n> **Archived** in 2023.\n", "markdown", True),
        ("---\nstatus: x\n---\n\n\nArchived\n", "markdown", True),
        ("---\ntitle: Archived\n---\n# Travel\n", "markdown", False),
        ("# Travel\n" + "\n\ntext" * 8 + "\n\nArchived\n", "markdown", True),
        ("# Travel\n" + "\n\ntext" * 9 + "\n\nArchived\n", "markdown", False),
        ("x" * 2_000 + " Archived", "markdown", False),
        ("archived", "markdown", False),
        ("Travel\r\rArchived\r", "plain", True),
        ("<html><head><title>Archived</title></head><body><p>x</body>", "html", False),
        (
            "<html><head><title>x</title></head><BODY class=a>\n<p class='Archived'>x\n<b>&#65;rchived</b></body>",
            "html",
            True,
        ),
        ("", "markdown", False),
    ],
)
def test_a_notice_in_the_first_lines_is_found_by_a_pattern(body, markup, holds):
    assert Condition.parse("text=*Archived*").holds(Document("a.md", body, markup=markup)) is holds
    assert Condition.parse("text!=*Archived*").holds(Document("a.md", body, markup=markup)) is not holds


def test_a_pattern_that_fits_no_first_line_is_refused():
    with pytest.raises(ValueError, match=r"--outdated text=Archived: fits none of the first 10 lines of any document"):
        check_conditions([Condition.parse("text=Archived", "--outdated")], ["status"], [["# Archived pages"]])


@pytest.mark.parametrize("text", ["", "status", "=x", "!=x", " = "])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(ValueError, match="not a condition"):
        Condition.parse(text)


@pytest.mark.parametrize(("text", "found"), [("1", (1,)), ("10, 1,3,3", (1, 3, 10))])
def test_numbers_of_chunks_are_read(text, found):
    assert parse_k(text) == found


@pytest.mark.parametrize("text", ["", "0", "-1", "1,,2", "x", "1.5", "²"])
def test_what_is_no_number_of_chunks_is_refused(text):
    with pytest.raises(ValueError, match="-k"):
        parse_k(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [("4", (4.0,)), ("2,4.5", (2.0, 4.5)), ("0..1:0.25", (0.0, 0.25, 0.5, 0.75, 1.0)), ("-1..1", (-1, 0, 1))],
)
def test_scores_are_read(text, found):
    assert parse_scores(text) == found


@pytest.mark.parametrize("text", ["", "x", "5..1", "0..1:0", "0..1000000", "1..", "nan", "inf"])
def test_what_is_no_score_is_refused(text):
    with pytest.raises(ValueError, match="--min-score"):
        parse_scores(text)


def test_budgets_are_read_in_characters_or_a_unit():
    assert Budget.parse("1500") == Budget(1500)
    assert Budget.parse("400:cl100k_base") == Budget(400, "cl100k_base")
    for text in ("", "0", "-5", "1.5", "many", "²"):
        with pytest.raises(ValueError, match="--budget"):
            Budget.parse(text)
