"""Conditions on documents, and the notations of the options."""

from __future__ import annotations

import pytest

from chunkscope import Document
from chunkscope.retrieval import Budget, Condition
from chunkscope.retrieval.settings import parse_k, parse_scores


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
