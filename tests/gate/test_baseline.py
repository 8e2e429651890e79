"""Known findings are known again after edits, new ones count, and those that are gone are named."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, labels_of, questions_of

from chunkscope import Document, FixedChunker, Question, check
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.errors import InputError
from chunkscope.gate.baseline import Baseline, read_baseline
from chunkscope.gate.thresholds import Thresholds

TEXT = "宿泊費の上限は1泊12,000円とする。日当は3,000円とする。"
QUOTES = ("上限は1泊12,000円", "日当は3,000円")


def asks(*quotes, doc="a.md"):
    return [Question.of(f"q{number}", doc=doc, evidence=quote) for number, quote in enumerate(quotes, 1)]


def baseline_of(result):
    return Baseline.of(result.findings, "fixed(size=8)")


def look(text, *quotes, baseline=None, **settings):
    return check([Document("a.md", text)], asks(*quotes), FixedChunker(8), baseline=baseline, **settings)


def test_what_is_known_does_not_count():
    before = look(TEXT, *QUOTES)
    after = look(TEXT, *QUOTES, baseline=baseline_of(before))
    assert (before.passed, after.passed) == (False, True)
    assert all(finding.is_known and finding.level == "note" for finding in after.findings)
    assert (after.against.n_known, after.against.gone) == (2, ())
    assert [(one.n, one.n_new) for one in after.measured if one.name == "max_split"] == [(2, 0)]


def test_an_edit_above_does_not_make_them_new():
    known = baseline_of(look(TEXT, *QUOTES))
    moved = look("前書きを一行。\n" * 10 + TEXT, *QUOTES, baseline=known)
    assert [finding.line for finding in moved.findings] == [11, 11]
    assert moved.passed


def test_only_what_is_new_fails():
    known = baseline_of(look(TEXT, QUOTES[0]))
    result = look(TEXT, *QUOTES, baseline=known)
    assert [(finding.question, finding.is_known, finding.level) for finding in result.findings] == [
        ("q1", True, "note"),
        ("q2", False, "error"),
    ]
    assert result.missed == ("max_split",)


def test_another_id_or_a_second_question_for_the_same_quote_is_not_new():
    known = baseline_of(look(TEXT, QUOTES[0]))
    asked = [Question.of(name, doc="a.md", evidence=QUOTES[0]) for name in ("x", "y")]
    assert check([Document("a.md", TEXT)], asked, FixedChunker(8), baseline=known).passed


@pytest.mark.parametrize(
    "change",
    [{"document": "b.md"}, {"code": "evidence-missing"}, {"quote": "上限は1泊12,000円。"}],
    ids=lambda c: next(iter(c)),
)
def test_document_code_and_quote_must_all_be_the_same(change):
    known = baseline_of(look(TEXT, QUOTES[0])).known
    [one] = known
    other = Baseline({dataclasses.replace(one, **change): 1})
    assert not look(TEXT, QUOTES[0], baseline=other).passed


def test_a_quote_cut_at_more_places_than_are_known_is_new_once():
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 3
    rows = Thresholds.of(max_rows_header_lost=0)

    def apart(text, baseline=None):
        return check([Document("a.md", text)], None, FixedChunker(20), thresholds=rows, baseline=baseline)

    known = baseline_of(apart(table))
    assert list(known.known.values()) == [3]
    more = apart(table + "| 1 | 2 |\n", known)
    assert [finding.is_known for finding in more.findings] == [True, True, True, False]
    fewer = apart(table[:-20], known)
    assert (fewer.passed, len(fewer.against.gone)) == (True, 2)


def test_those_that_are_gone_are_named():
    known = baseline_of(look(TEXT, *QUOTES))
    mended = check([Document("a.md", TEXT)], asks(*QUOTES), FixedChunker(40), baseline=known)
    assert [one.quote for one in mended.against.gone] == sorted(QUOTES)
    assert mended.passed


def test_what_was_not_looked_for_is_not_gone():
    chunk = next(iter(baseline_of(look(TEXT, QUOTES[0])).known))
    blank = dataclasses.replace(chunk, code="chunk-blank", quote=" ")
    assert look(TEXT, QUOTES[0], baseline=Baseline({blank: 1})).against.gone == ()
    looked_for = look(
        TEXT, QUOTES[0], baseline=Baseline({blank: 1}), thresholds=Thresholds.of(max_blank=0, max_split="none")
    )
    assert looked_for.against.gone == (blank,)


def test_known_label_problems_do_not_count_but_measure_nothing():
    known = baseline_of(look(TEXT, "ない", QUOTES[0]))
    assert look(TEXT, "ない", QUOTES[0], baseline=known).passed
    with pytest.raises(InputError, match="nothing measured"):
        look(TEXT, "ない", baseline=known)


def test_another_setting_is_said():
    known = baseline_of(look(TEXT, *QUOTES))
    other = check([Document("a.md", TEXT)], asks(*QUOTES), FixedChunker(11), baseline=known)
    assert any(
        "was written for fixed(size=8); this check is of fixed(size=11)" in warning for warning in other.warnings
    )


@given(corpus=corpora(), data=st.data(), chunker=chunkers())
@settings(max_examples=50)
def test_a_baseline_of_today_is_met_today_and_read_as_it_was_written(corpus, data, chunker, tmp_path_factory):
    questions = data.draw(questions_of(corpus))
    assume(questions and not all(row.blank for row in list_chunks(corpus, chunker)))
    thresholds = Thresholds.of(max_split=0, max_rows_header_lost=0, max_blank=0, max_broken=0)
    result = check(corpus, labels_of(questions), chunker, thresholds=thresholds)
    path = tmp_path_factory.getbasetemp() / "baseline.json"
    path.write_bytes(Baseline.of(result.findings, str(chunker)).to_json().encode())
    baseline = read_baseline(path)
    again = check(corpus, labels_of(questions), chunker, thresholds=thresholds, baseline=baseline)
    assert again.passed
    assert again.against.gone == ()
    assert all(finding.is_known for finding in again.findings)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "has no format"),
        ('{"format": "1"}', "has no format"),
        ('{"format": true}', "has no format"),
        ('{"format": 2, "kind": "chunkscope-baseline", "findings": []}', "format 2 is later than 1"),
        ('{"format": 1, "cells": []}', "not a baseline"),
        ('{"format": 1, "kind": "chunkscope-baseline"}', "not a baseline"),
        ('{"format": 1, "kind": "chunkscope-baseline", "findings": [{"document": "a"}]}', "finding 1 must have"),
        ('{"format": 1, "kind": "chunkscope-baseline", "findings": [7]}', "finding 1 must have"),
        ("[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_what_is_no_baseline_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "known.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=words) as raised:
        read_baseline(path)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith(str(path))


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_baseline(tmp_path / "nothing.json")
    with pytest.raises(InputError, match="a folder, not a file"):
        read_baseline(tmp_path)


def test_the_file_is_sorted_and_has_a_finding_a_line():
    text = baseline_of(look(TEXT, *QUOTES)).to_json()
    rows = [json.loads(line.rstrip(",")) for line in text.splitlines()[1:-1]]
    assert [row["quote"] for row in rows] == sorted(QUOTES)
    assert json.loads(text)["kind"] == "chunkscope-baseline"
