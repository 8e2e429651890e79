"""A comparison says what became of each question, what may have done it, and when nobody can say."""

from __future__ import annotations

import copy
import dataclasses
import json

import pytest

from chunkscope import Document, Question, sweep
from chunkscope.errors import InputError
from chunkscope.grid.comparison import compare, compare_files, read_result
from chunkscope.questions.check import check_labels
from chunkscope.reports.comparison_text import render_comparison
from chunkscope.reports.json_report import comparison_to_json
from chunkscope.reports.width import width
from chunkscope.retrieval import Bm25Retriever, RetrievalMeasure
from chunkscope.retrieval.settings import Budget, RetrievalSettings

TEXT = "宿泊費の上限は1泊12,000円とする。日当は3,000円とする。\n\n| 区分 | 円 |\n|---|---|\n| 大人 | 1,200 |\n| 子供 | 600 |\n"
QUESTIONS = [
    Question.of("q1", doc="a.md", evidence="上限は1泊12,000円"),
    Question.of("q2", doc="a.md", evidence="日当は3,000円"),
    Question.of("t1", doc="a.md", evidence="600"),
]


def result(text=TEXT, questions=QUESTIONS, sizes=(13,), overlaps=(0,), chunkers="fixed", settings=None, **more):
    swept = sweep(
        [Document("a.md", text)],
        questions,
        sizes=sizes,
        overlaps=overlaps,
        chunkers=chunkers,
        settings=settings,
        **more,
    )
    return json.loads(json.dumps(swept.to_dict()))


def names(comparison):
    return [difference.name for difference in comparison.differences]


def test_questions_that_became_split_and_that_were_mended():
    comparison = compare(result(sizes=[13]), result(sizes=[60]))
    [cell] = comparison.cells
    assert (cell.became_split, cell.became_whole) == ((), ("q1", "q2"))
    assert (cell.became_header_lost, cell.became_with_header) == ((), ())
    back = compare(result(sizes=[60]), result(sizes=[13])).cells[0]
    assert (back.became_split, back.became_whole) == (("q1", "q2"), ())
    assert cell.changed["split_questions"] == (2, 0)
    assert cell.changed["chunk_chars.max"] == (13, 60)
    assert not any(name.startswith("rates") for name in cell.changed), "they follow from the counts"
    assert "{" not in render_comparison(comparison)


def test_table_questions_that_are_together_again():
    [cell] = compare(result(sizes=[60]), result(sizes=[90])).cells
    assert (cell.became_header_lost, cell.became_with_header) == ((), ("t1",))


def ranked(**chosen):
    labels = check_labels([Document("a.md", TEXT)], [dataclasses.replace(one, question="上限") for one in QUESTIONS])
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=RetrievalSettings(**chosen))
    swept = sweep([Document("a.md", TEXT)], labels, sizes=[13, 60], overlaps=[0], measures=[measure])
    return json.loads(json.dumps(swept.to_dict()))


def test_what_the_ranking_changed_is_told():
    old, new = ranked(k=(1,)), ranked(k=(1,))
    assert all(cell.is_same for cell in compare(old, new).cells)
    hits, total = new["cells"][1]["retrieval"]["strict"]["1"]
    new["cells"][1]["retrieval"]["strict"]["1"] = [hits - 1, total]
    comparison = compare(old, new)
    assert [cell.is_same for cell in comparison.cells] == [True, False]
    assert comparison.cells[1].changed == {"bm25.strict@1": ([hits, total], [hits - 1, total])}
    assert f"bm25.strict@1 {hits}/{total} -> {hits - 1}/{total}" in render_comparison(comparison)


def test_how_chunks_were_ranked_is_a_setting():
    assert [str(one) for one in compare(ranked(k=(1,)), ranked(k=(1, 3))).differences] == ["bm25.k 1 -> 1,3"]
    plain = result(sizes=[13, 60], questions=[dataclasses.replace(one, question="上限") for one in QUESTIONS])
    comparison = compare(plain, ranked(k=(1,)))
    assert names(comparison) == ["retriever"]
    assert all(cell.is_same for cell in comparison.cells), "what only one has is told once"


def test_retrievers_of_one_name_and_budgets_are_compared_too():
    old = ranked(k=(1,), budget=Budget(30))
    for cell in old["cells"]:
        cell["retrieval"] = [cell["retrieval"], copy.deepcopy(cell["retrieval"])]
    new = copy.deepcopy(old)
    new["cells"][0]["retrieval"][1]["strict"]["1"] = [9, 9]
    new["cells"][1]["retrieval"][0]["budget"]["strict"] = [9, 9]
    first, second = compare(old, new).cells
    assert list(first.changed) == ["bm25-2.strict@1"]
    assert list(second.changed) == ["bm25.budget.strict"]


@pytest.mark.parametrize("broken", [{"strict": {"1": None}}, {"k": 5}, {"strict": 3}, {"settings": None}, {"mrr": "x"}])
def test_results_with_broken_figures_are_compared_as_they_are(broken):
    new = ranked(k=(1,))
    for cell in new["cells"]:
        cell["retrieval"].update(broken)
    assert render_comparison(compare(ranked(k=(1,)), new))


def test_sweeps_without_questions_lack_no_ids():
    comparison = compare(result(questions=None, sizes=[13]), result(questions=None, sizes=[60]))
    assert comparison.warnings == ()


def test_the_same_result_has_not_changed():
    comparison = compare(result(sizes=[13, 60]), result(sizes=[13, 60]))
    assert len(comparison.cells) == 2
    assert all(cell.is_same for cell in comparison.cells)
    assert comparison.warnings == ()
    assert render_comparison(comparison).endswith("\nnothing changed\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"sizes": [20]}, ["size"]),
        ({"overlaps": [1]}, {"overlaps": [2]}, ["overlap"]),
        ({"sizes": [13, 60], "overlaps": "1/6"}, {"sizes": [13, 60], "overlaps": "0"}, ["overlap"]),
        ({"sizes": [12], "overlaps": "1/6"}, {"sizes": [60], "overlaps": "1/6"}, ["size"]),
        ({}, {"chunkers": "sentence"}, ["chunker"]),
        ({"chunkers": "sentence"}, {"chunkers": "sentence(oversize=keep)"}, ["sentence.oversize"]),
        ({}, {"chunkers": "fixed(unit=cl100k_base)"}, ["unit"]),
        ({"settings": {"encoding": None}}, {"settings": {"encoding": "cp932"}}, ["encoding"]),
    ],
)
def test_one_parameter_that_differs_is_named_and_is_no_warning(old, new, expected):
    comparison = compare(result(**old), result(**new))
    assert names(comparison) == expected
    assert not any("parameters differ" in warning for warning in comparison.warnings)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"sizes": [20], "overlaps": [3]}, ["size", "overlap"]),
        ({}, {"chunkers": "sentence", "sizes": [20]}, ["chunker", "size"]),
        (
            {"chunkers": "sentence"},
            {"chunkers": "sentence(oversize=keep, newline=end)"},
            ["sentence.oversize", "sentence.newline"],
        ),
        ({}, {"sizes": [20], "settings": {"markup": "plain"}}, ["size", "markup"]),
    ],
)
def test_with_two_parameters_nobody_can_say_what_did_it(old, new, expected):
    comparison = compare(result(**old), result(**new))
    assert sorted(names(comparison)) == sorted(expected)
    assert any("2 parameters differ, so nobody can say which did it" in warning for warning in comparison.warnings)


def test_a_version_counts_as_a_parameter():
    old, new = result(), result(sizes=[20])
    new["settings"]["versions"]["tiktoken"] = "99"
    new["chunkscope"] = "99"
    assert names(compare(old, new)) == ["size", "versions.chunkscope", "versions.tiktoken"]


def test_other_documents_and_other_questions_are_said():
    comparison = compare(result(), result(text=TEXT + "追記。", questions=QUESTIONS[:2]))
    assert comparison.documents == {"added": (), "removed": (), "changed": ("a.md",)}
    assert comparison.warnings == ("the corpora differ (1 changed)", "the questions differ")


def test_cells_of_one_result_only_are_counted():
    comparison = compare(result(sizes=[13, 20, 60]), result(sizes=[20, 70]))
    assert (len(comparison.cells), comparison.only_old, comparison.only_new) == (1, 2, 1)


def test_without_ids_counts_are_compared_and_it_is_said():
    comparison = compare(result(with_ids=False), result(sizes=[60]))
    assert comparison.cells[0].became_whole is None
    assert comparison.cells[0].changed["split_questions"] == (2, 0)
    assert any("--ids" in warning for warning in comparison.warnings)


def test_nothing_in_common_is_an_error():
    with pytest.raises(InputError, match="no setting in common"):
        compare(result(sizes=[13, 20]), result(sizes=[60, 70]))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"format": 2}', "format 2 is later than 1"),
        ('{"format": 1}', "not a result of a sweep"),
        ('{"format": 1, "corpus": {"files": {}}, "cells": [{}]}', "not a result of a sweep"),
        ('{"format": 1, "kind": "chunkscope-baseline", "findings": []}', "not a result of a sweep"),
        ("nix", "not JSON"),
        (None, "no such file"),
    ],
)
def test_what_is_no_result_is_refused_in_one_line(tmp_path, content, words):
    path = tmp_path / "result.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=words) as raised:
        read_result(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("columns", [40, 80])
def test_it_reads_in_a_narrow_terminal(tmp_path, columns):
    for name, record in (("古い.json", result(sizes=[13])), ("new.json", result(sizes=[60], chunkers="sentence"))):
        (tmp_path / name).write_text(json.dumps(record), "utf-8")
    comparison = compare_files(tmp_path / "古い.json", tmp_path / "new.json")
    text = render_comparison(comparison, width=columns)
    assert "whole again: q1, q2" in text
    assert all(width(line) <= columns for line in text.splitlines())
    assert "\x1b" in render_comparison(comparison, color=True)
    record = json.loads(comparison_to_json(comparison))
    assert record["cells"][0]["became_whole"] == ["q1", "q2"]
    assert record["format"] == 1


def test_a_setting_that_stands_twice_is_compared_once():
    once = result()
    comparison = compare(once, {**once, "cells": once["cells"] * 2})
    assert (len(comparison.cells), comparison.only_old, comparison.only_new) == (1, 0, 1)
