"""A comparison says what became of each question, what may have done it, and when nobody can say."""

from __future__ import annotations

import copy
import dataclasses
import json
import re
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope import Document, Question, sweep
from chunkscope.errors import InputError
from chunkscope.grid.comparison import compare, compare_files, read_result
from chunkscope.grid.outcomes import PairedOutcome
from chunkscope.grid.results import leaves
from chunkscope.questions.check import check_labels
from chunkscope.questions.question import Quote
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.comparison_text import MOST_CELLS, render_comparison
from chunkscope.reports.figure_words import FAMILIES, TOTALS
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
    assert cell.changed["split_questions",] == (2, 0)
    assert cell.changed["chunk_chars", "max"] == (13, 60)
    assert not any(path[0] == "rates" for path in cell.changed), "they follow from the counts"
    assert "{" not in render_comparison(comparison, ReportOptions())


def test_table_questions_that_are_together_again():
    [cell] = compare(result(sizes=[60]), result(sizes=[90])).cells
    assert (cell.became_header_lost, cell.became_with_header) == ((), ("t1",))


def ranked(**chosen):
    labels = check_labels([Document("a.md", TEXT)], [dataclasses.replace(one, question="上限") for one in QUESTIONS])
    measure = RetrievalMeasure(labels, [Bm25Retriever()], settings=RetrievalSettings(**chosen))
    swept = sweep([Document("a.md", TEXT)], labels, chunkers="fixed", sizes=[13, 60], overlaps=[0], measures=[measure])
    return json.loads(json.dumps(swept.to_dict()))


def test_ranks_that_changed_are_told_question_by_question():
    old, new = ranked(k=(1, 3)), ranked(k=(1, 3))
    assert all(cell.is_same for cell in compare(old, new).cells)
    old["cells"][1]["retrieval"]["first_rank_answered"] = {"q1": 3, "q2": None, "t1": 1}
    new["cells"][1]["retrieval"]["first_rank_answered"] = {"q1": 30, "q2": 2, "t1": 2}
    comparison = compare(old, new)
    assert [cell.is_same for cell in comparison.cells] == [True, False]
    [ranking] = comparison.cells[1].rankings
    assert ranking.ranks == {"q1": (3, 30), "q2": (None, 2), "t1": (1, 2)}
    assert {k: (one.gained, one.lost) for k, one in ranking.answered.items()} == {
        (1, 1): ((), ("t1",)),
        (3, 3): (("q2",), ("q1",)),
    }
    text = render_comparison(comparison, ReportOptions())
    assert "bm25 answered@3: 2 -> 2 of 3 questions, +0.0 points" in text
    for line in ("gained q2: not found -> 2", "lost q1: 3 -> 30", "ranks t1: 1 -> 2", "@1: 1 -> 0"):
        assert line in text
    assert json.loads(comparison_to_json(comparison))["cells"][0]["rankings"][0]["ranks"]["q2"] == [None, 2]


def test_the_answered_rank_judges_where_both_results_have_it():
    old, new = ranked(k=(3,)), ranked(k=(3,))
    for result, rank in ((old, 1), (new, None)):
        result["cells"][0]["retrieval"]["first_rank_answered"] = {"q1": rank, "q2": 1, "t1": 1}
    assert compare(old, new).cells[0].rankings[0].answered[3, 3].lost == ("q1",)
    del old["cells"][0]["retrieval"]["first_rank_answered"]
    assert not compare(old, new).cells[0].rankings[0].ranks


def test_cells_at_equal_context_are_compared_each_at_its_own_number_of_chunks():
    old, new = ranked(k=(3,)), ranked(k=(2,))
    for result in (old, new):
        for cell in result["cells"]:
            cell["retrieval"]["settings"]["context"] = 100
            [k] = cell["retrieval"]["k"]
            cell["retrieval"]["context"] = {str(k): 100.0 + k}
        result["cells"][0]["retrieval"]["first_rank_answered"] = {"q1": 3, "q2": 2, "t1": 1}
    comparison = compare(old, new)
    assert not comparison.differences
    [outcome] = comparison.cells[0].rankings[0].answered.values()
    assert (outcome.old, outcome.new, outcome.lost) == (3, 2, ("q1",))
    text = render_comparison(comparison, ReportOptions())
    assert "answered@3 -> @2: 3 -> 2 of 3" in text
    assert "mean context 103 -> 102 characters" in text


def test_questions_of_one_result_alone_are_named_and_count_in_nothing():
    old = result(sizes=[13], questions=QUESTIONS)
    new = result(sizes=[60], questions=[*QUESTIONS[1:], Question.of("n1", doc="a.md", evidence="1,200")])
    comparison = compare(old, new)
    assert comparison.questions.shared == ("q2", "t1")
    assert (dict(comparison.questions.only_old), dict(comparison.questions.only_new)) == ({"q1": None}, {"n1": None})
    [cell] = comparison.cells
    assert (cell.became_whole, cell.whole.old, cell.whole.new, cell.whole.total) == (("q2",), 0, 1, 2)
    assert not any("question" in path[0] or "evidence" in path[0] for path in cell.changed), "of other questions each"
    assert ("chunks",) in cell.changed
    text = render_comparison(comparison, ReportOptions())
    for line in ("over the 2 questions that both have", "only in old: 1 question: q1", "only in new: 1 question: n1"):
        assert line in text


def test_why_a_question_is_in_one_result_alone_is_said():
    bad = [dataclasses.replace(QUESTIONS[0], quotes=(Quote("a.md", "上限は2泊"),)), *QUESTIONS[1:]]
    comparison = compare(result(), result(questions=bad, skip_bad_labels=True))
    assert comparison.questions.only_old == {"q1": "missing"}
    assert "q1 (new: missing)" in render_comparison(comparison, ReportOptions())


def test_a_question_that_asks_something_else_under_its_id_is_named():
    other = [dataclasses.replace(QUESTIONS[0], question="いくら"), *QUESTIONS[1:]]
    comparison = compare(result(), result(questions=other))
    assert comparison.questions.changed == ("q1",)
    assert comparison.cells[0].whole.total == 3
    assert "other evidence under the same id: q1" in " ".join(render_comparison(comparison, ReportOptions()).split())


@given(st.dictionaries(st.text("qt12", min_size=1), st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_outcomes_are_what_counting_one_by_one_gives(pairs):
    outcome = PairedOutcome.of(
        {one: old for one, (old, _) in pairs.items()}, {one: new for one, (_, new) in pairs.items()}
    )
    gained = [one for one, pair in pairs.items() if pair == (False, True)]
    lost = [one for one, pair in pairs.items() if pair == (True, False)]
    both = [one for one, pair in pairs.items() if pair == (True, True)]
    assert (outcome.gained, outcome.lost, outcome.total) == (tuple(gained), tuple(lost), len(pairs))
    assert (outcome.old, outcome.new) == (len(both) + len(lost), len(both) + len(gained))
    n = len(gained) + len(lost)
    tail = sum(comb(n, k) for k in range(min(len(gained), len(lost)) + 1)) / 2**n
    assert outcome.p_value == pytest.approx(min(1.0, 2 * tail))
    if pairs:
        low, high = outcome.interval
        assert low <= outcome.difference <= high


def test_p_values_are_corrected_for_the_number_of_cells():
    questions = [Question.of(f"q{n}", doc="a.md", evidence=f"答え{n:02}は{n:02}番。") for n in range(8)]
    text = "\n\n".join(f"答え{n:02}は{n:02}番。" for n in range(8))
    comparison = compare(
        result(text, questions, sizes=[3, 4, 50], chunkers="fixed"),
        result(text, questions, sizes=[3, 4, 50], chunkers="sentence(oversize=keep)"),
    )
    assert [cell.whole.p_value for cell in comparison.cells] == [2 / 2**8, 2 / 2**8, 1.0]
    assert comparison.corrected() == [6 / 2**8, 6 / 2**8, 1.0]
    assert "p = 0.008 (corrected for 3 cells: p = 0.023)" in render_comparison(comparison, ReportOptions())


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
    assert [list(ranking.changed) for ranking in first.rankings] == [[], [("strict", "1"), ("strict", "1", "of")]]
    assert [list(ranking.changed) for ranking in second.rankings] == [
        [("budget", "strict"), ("budget", "strict", "of")],
        [],
    ]


def test_one_retriever_in_the_place_of_another_is_compared_with_it():
    new = ranked(k=(1,))
    for cell in new["cells"]:
        cell["retrieval"]["retriever"] = "hash"
        cell["retrieval"]["first_rank_answered"] = {"q1": 2, "q2": 2, "t1": 2}
    comparison = compare(ranked(k=(1,)), new)
    assert names(comparison) == ["retriever"]
    assert [ranking.retriever for ranking in comparison.cells[0].rankings] == ["bm25 -> hash"]


@pytest.mark.parametrize("broken", [{"strict": {"1": None}}, {"k": 5}, {"strict": 3}, {"settings": None}, {"mrr": "x"}])
def test_results_with_broken_figures_are_compared_as_they_are(broken):
    new = ranked(k=(1,))
    for cell in new["cells"]:
        cell["retrieval"].update(broken)
    assert render_comparison(compare(ranked(k=(1,)), new), ReportOptions())


def test_sweeps_without_questions_lack_no_ids():
    comparison = compare(result(questions=None, sizes=[13]), result(questions=None, sizes=[60]))
    assert comparison.warnings == ()


def test_the_same_result_has_not_changed():
    comparison = compare(result(sizes=[13, 60]), result(sizes=[13, 60]))
    assert len(comparison.cells) == 2
    assert all(cell.is_same for cell in comparison.cells)
    assert comparison.warnings == ()
    assert render_comparison(comparison, ReportOptions()).endswith("\nnothing changed in 2 cells\n")


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
    assert comparison.warnings == (
        "the documents differ (0 added, 0 removed, 1 changed)",
        "the questions differ",
    )


def test_cells_of_one_result_only_are_counted():
    comparison = compare(result(sizes=[13, 20, 60]), result(sizes=[20, 70]))
    assert len(comparison.cells) == 1
    only = [[placed.cell["size"] for placed in cells] for cells in (comparison.only_old, comparison.only_new)]
    assert only == [[13, 60], [70]]
    text = render_comparison(comparison, ReportOptions())
    for line in (
        "grid: sizes 13, 20, 60 -> 20, 70",
        "only in old: 2 cells: fixed 13, 60, overlap 0",
        "only in new: 1 cell",
    ):
        assert line in text


def test_a_grid_with_more_overlaps_is_paired_by_what_they_come_to():
    comparison = compare(result(sizes=[20, 60], overlaps="0,1/6"), result(sizes=[20, 60], overlaps="1/6"))
    assert [(cell.old["size"], cell.old["overlap"], cell.new["overlap"]) for cell in comparison.cells] == [
        (20, 3, 3),
        (60, 10, 10),
    ]
    assert all(cell.is_same for cell in comparison.cells)
    assert [str(change) for change in comparison.grid] == ["overlap 0, 1/6 -> 1/6"]
    assert "only in old: 2 cells: fixed 20, 60, overlap 0" in render_comparison(comparison, ReportOptions())


def test_shares_are_paired_as_they_were_written_where_the_size_is_what_differs():
    comparison = compare(result(sizes=[20], overlaps="0,1/6"), result(sizes=[60], overlaps="0,1/6"))
    assert names(comparison) == ["size"]
    assert [(cell.old["overlap"], cell.new["overlap"]) for cell in comparison.cells] == [(0, 0), (3, 10)]


def test_an_overlap_that_is_written_otherwise_is_no_difference():
    assert compare(result(sizes=[12], overlaps="1/6"), result(sizes=[12], overlaps="2")).differences == ()


def test_it_is_said_in_japanese_too():
    comparison = compare(ranked(k=(1,)), result(sizes=[20, 60], questions=QUESTIONS[1:]))
    text = render_comparison(comparison, ReportOptions(lang="ja"))
    assert "両方にある質問 2 件について数えます" in text
    english = {"only", "question", "questions", "chunks", "characters", "changed", "cells", "differ"}
    assert not english & set(re.findall(r"[a-z]+", text))
    assert all(width(line) <= 80 for line in text.splitlines())


def test_many_cells_are_a_table_and_few_are_shown_in_detail():
    comparison = compare(result(sizes="10..60:5"), result(sizes="10..60:5", overlaps="1/3"))
    text = render_comparison(comparison, ReportOptions())
    assert "11 of 11 cells changed; --all shows each of them" in text
    assert len([line for line in text.splitlines() if line.startswith("fixed")]) == MOST_CELLS
    assert "whole in more (+) or fewer (-) cells: " in text
    everything = render_comparison(comparison, ReportOptions(all_rows=True))
    assert len([line for line in everything.splitlines() if line.startswith("fixed")]) == 11


def test_what_each_result_advises_is_compared():
    old, new = result(), result()
    advised = {"kind": "floor", "chunker": "fixed", "unit": "char", "size": 13, "overlap": 0, "prepend": None}
    old["advice"], new["advice"] = advised, {**advised, "size": 60, "prepend": "table-header"}
    assert "advice: floor fixed 13/0 -> floor fixed 60/0 + prepend=table-header" in render_comparison(
        compare(old, new), ReportOptions()
    )
    assert "advice" not in render_comparison(compare(old, old), ReportOptions())


def test_figures_are_words_and_no_names_of_the_json():
    comparison = compare(result(sizes=[13]), result(sizes=[60]))
    text = render_comparison(comparison, ReportOptions(width=200))
    assert "_" not in text
    assert re.search(r"mean chunk 1\d\.\d\d -> \d\d\.\d\d characters", text)
    assert "chunks that end inside" in text


@pytest.mark.parametrize("with_questions", [True, False])
def test_every_figure_that_a_sweep_counts_has_words(with_questions):
    swept = sweep(
        [Document("a.md", f"# 規程\n\n{TEXT}\n```\nx = 1\n```\n")],
        QUESTIONS if with_questions else None,
        sizes=[13],
        overlaps=[0],
        count_tokens="cl100k_base",
    )
    named = {path for family in FAMILIES for path in family} | set(TOTALS.values())
    followed = {"rates", "chunker", "unit", "size", "overlap", "split_question_ids", "header_lost_question_ids"}
    assert {path for path, _ in leaves(swept.cells[0].to_dict()) if path[0] not in followed} <= named


def test_without_ids_counts_are_compared_and_it_is_said():
    comparison = compare(result(with_ids=False), result(sizes=[60]))
    assert comparison.cells[0].became_whole is None
    assert comparison.cells[0].whole is None
    assert comparison.cells[0].changed["split_questions",] == (2, 0)
    assert "split questions 2 -> 0 of 3" in render_comparison(comparison, ReportOptions())
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
        (
            '{"format": 1, "corpus": {"files": {}}, "cells": [{"chunker": [], "unit": "", "size": 1, "overlap": 0}]}',
            "not a result of a sweep",
        ),
        ('{"format": 1, "a": NaN}', "NaN is no number"),
        ('{"format": 1, "a": -1e999}', "-1e999 is too large a number"),
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


@pytest.mark.parametrize(
    ("old", "new", "differing"),
    [
        ("fixed", "planted_here:split", ["chunker"]),
        ("planted_here:split(size=3)", "planted_here:other", ["chunker"]),
        ("planted_here:split(a=1, b='x, y')", "planted_here:split(b='x, z', a=1)", ["planted_here:split.b"]),
        ("langchain:recursive(a=1)", "langchain:recursive", ["langchain:recursive.a"]),
        ("planted_here:split(a)", "planted_here:split", ["chunker"]),
    ],
)
def test_a_splitter_that_a_result_names_is_not_run(tmp_path, monkeypatch, old, new, differing):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted_here.py").write_text("open('trace', 'w').close()\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    stored = []
    for chunker in (old, new):
        one = json.loads(json.dumps(result()))
        one["cells"][0]["chunker"] = chunker
        stored.append(one)
    assert names(compare(*stored)) == differing
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("columns", [40, 80])
def test_it_reads_in_a_narrow_terminal(tmp_path, columns):
    for name, record in (("古い.json", result(sizes=[13])), ("new.json", result(sizes=[60], chunkers="sentence"))):
        (tmp_path / name).write_text(json.dumps(record), "utf-8")
    comparison = compare_files(tmp_path / "古い.json", tmp_path / "new.json")
    text = render_comparison(comparison, ReportOptions(width=columns))
    assert "no longer split: q1, q2" in text
    assert all(width(line) <= columns for line in text.splitlines())
    assert "\x1b" in render_comparison(comparison, ReportOptions(color=True))
    record = json.loads(comparison_to_json(comparison))
    assert record["cells"][0]["became_whole"] == ["q1", "q2"]
    assert record["format"] == 1


def test_a_setting_that_stands_twice_is_compared_once():
    once = result()
    comparison = compare(once, {**once, "cells": once["cells"] * 2})
    assert (len(comparison.cells), comparison.only_old, comparison.only_new) == (1, (), ())


def test_a_result_whose_cells_have_their_setting_alone_is_read(tmp_path):
    cell = {"chunker": "fixed", "unit": "char", "size": 13, "overlap": 0}
    record = {"format": 1, "cells": [cell], "corpus": {"files": {}}}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert read_result(path) == record
    del cell["overlap"]
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match="not a result of a sweep"):
        read_result(path)
