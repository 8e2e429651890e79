"""Results in a notebook: one line, the text of the screen, and data frames without a figure left out."""

from __future__ import annotations

import html
import json
import sys

import pytest

from chunkscope import Document, Question, Thresholds, check, check_labels, compare, read_structure, sweep
from chunkscope.errors import ConfigError, MissingPartError
from chunkscope.grid.results import PER_QUESTION, flat_cell
from chunkscope.questions.question import QuestionFile
from chunkscope.reports.notebook import frame
from chunkscope.retrieval import Bm25Retriever, RetrievalMeasure, summarise
from chunkscope.retrieval.context import Budget
from chunkscope.retrieval.settings import RetrievalSettings

TEXT = (
    "# 規程 <script>\n\n宿泊費の上限は1泊12,000円とする。日当は3,000円とする。\n\n"
    "| 区分 | 円 |\n|---|---|\n| 大人 | 1,200 |\n| 子供 | 600 |\n\n```\nx = 1\n```\n"
)
CORPUS = [Document("a<b>.md", TEXT), Document("b.md", "実費が下回るときは実費を払う。" * 9)]
QUESTIONS = [
    Question.of("q1", "宿泊費の上限は?", doc="a<b>.md", evidence="上限は1泊12,000円", kind="円"),
    Question.of("q2", "日当は?", doc="a<b>.md", evidence="日当は3,000円", kind="円"),
    Question.of("t1", "子供はいくら?", doc="a<b>.md", evidence="600", kind="表", trap_docs=["b.md"]),
]
LABELS = check_labels(CORPUS, QUESTIONS)


def ranked(*retrievers, sizes=(13, 60), **chosen):
    measure = RetrievalMeasure(LABELS, retrievers or [Bm25Retriever()], settings=RetrievalSettings(**chosen))
    return summarise(
        sweep(
            CORPUS, LABELS, chunkers="fixed", sizes=sizes, overlaps=[0], measures=[measure], count_tokens="cl100k_base"
        )
    )


RESULTS = {
    "asked": sweep(CORPUS, LABELS, sizes=[13, 60], overlaps=[0], chunkers="fixed,heading"),
    "whole sections too": sweep(CORPUS, LABELS, chunkers="fixed(size=13),heading"),
    "structure": sweep(CORPUS, chunkers="fixed", sizes=[13, 60], overlaps=[0], count_tokens="cl100k_base"),
    "ranked": ranked(k=(1, 5), budget=Budget(30), min_scores=(0.5, 1.0), group_by="kind", overlap=True),
    "two retrievers": ranked(Bm25Retriever(), Bm25Retriever(k1=2.0), k=(1, 5)),
    "equal context": ranked(),
}


def figures(value, path=()):
    """Every figure in the plainest way, with the names on the way to it; a list but of two figures is one."""
    if isinstance(value, dict):
        return [leaf for key, entry in value.items() for leaf in figures(entry, (*path, key))]
    if isinstance(value, list) and ((value and isinstance(value[0], dict)) or (len(value) == 2 and path[-1] != "k")):
        is_ids = isinstance(value[0], str)
        return [(path, value)] if is_ids else [leaf for entry in value for leaf in figures(entry, path)]
    return [(path, value)]


@pytest.mark.parametrize("name", RESULTS)
def test_every_figure_of_the_json_is_in_the_flat_cell(name):
    for cell in RESULTS[name].cells:
        flat, record = flat_cell(cell), json.loads(json.dumps(cell.to_dict()))
        assert all(value is None or isinstance(value, str | int | float | bool) for value in flat.values())
        wanted = [(path, value) for path, value in figures(record) if not set(path) & PER_QUESTION]
        wanted = [(path, value) for path, value in wanted if path[-1] != "retriever"]  # it stands in the names
        assert len(flat) == len(wanted) > 30
        numbers = {str(k) for k in record.get("retrieval", {}).get("k", [])} if name == "equal context" else set()
        for path, value in wanted:
            parts = [part for part in path if part != "retrieval" and part not in numbers]
            found = [text for column, text in flat.items() if all(part in column for part in parts)]
            assert (value if not isinstance(value, list) else ", ".join(map(str, value))) in found or value in [
                [one] for one in found
            ], path


def test_retrievers_of_one_name_have_their_own_columns():
    flat = flat_cell(RESULTS["two retrievers"].cells[0])
    assert flat["bm25_strict_5_of"] == flat["bm25-2_strict_5_of"] == 3
    assert "bm25_first_rank_q1" not in flat


def kinds(frame):
    """What the columns are, whichever library made them."""
    names = {
        "int64": int,
        "Int64": int,
        "float64": float,
        "Float64": float,
        "bool": bool,
        "boolean": bool,
        "Boolean": bool,
    }
    types = frame.dtypes.to_dict() if hasattr(frame.dtypes, "to_dict") else dict(frame.schema)
    return {name: names.get(str(kind), str) for name, kind in types.items()}


def values(frame):
    """The rows, with None where something is missing."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    return [{name: None if value is None or value != value else value for name, value in row.items()} for row in rows]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", RESULTS)
def test_data_frames_have_a_cell_a_row_and_all_its_figures(name, library):
    pytest.importorskip(library)
    result = RESULTS[name]
    frame = result.to_dataframe(library)
    assert type(frame).__module__.startswith(library)
    flat = [flat_cell(cell) for cell in result.cells]
    names = list(dict.fromkeys(name for row in flat for name in row))
    assert list(frame.columns) == names
    assert [{name: _plain(value) for name, value in row.items()} for row in values(frame)] == [
        {name: row.get(name) for name in names} for row in flat
    ]


def _plain(value):
    import numpy as np

    missing = type(value).__name__ in ("NAType", "NaTType")
    return None if missing else value.item() if isinstance(value, np.generic) else value


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_what_became_of_each_question_is_a_frame_of_its_own(library):
    pytest.importorskip(library)
    result = RESULTS["two retrievers"]
    rows = values(result.to_question_dataframe(library))
    assert len(rows) == 2 * 3
    for row, (cell, question) in zip(rows, [(cell, one) for cell in result.cells for one in QUESTIONS], strict=True):
        assert (row["size"], row["question"]) == (cell.size, question.id)
        assert row["split"] is (question.id in cell.split_question_ids)
        assert row["header_lost"] is (question.id in cell.header_lost_question_ids)
        for name, found in zip(("bm25", "bm25-2"), cell.retrieval, strict=True):
            assert row[f"{name}_first_rank"] == found["first_rank"][question.id]
            assert row[f"{name}_missed"] == found["missed"].get(question.id)
    unnamed = sweep(CORPUS, LABELS, chunkers="fixed", sizes=[13], overlaps=[0], with_ids=False)
    assert [row["split"] for row in values(unnamed.to_question_dataframe(library))] == [None] * 3
    assert len(RESULTS["structure"].to_question_dataframe(library)) == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_have_their_kinds_also_where_a_value_is_missing(library):
    pytest.importorskip(library)
    found = kinds(RESULTS["whole sections too"].to_dataframe(library))
    assert (found["size"], found["overlap"], found["chunks"], found["chunker"]) == (int, int, int, str)
    assert (found["duplication"], found["expected_split_questions"], found["chunk_chars_mean"]) == (float, float, float)
    found = kinds(RESULTS["ranked"].to_dataframe(library))
    assert (found["bm25_half"], found["bm25_mrr"], found["bm25_strict_5"]) == (
        bool,
        float,
        int,
    )
    mixed = frame([{"truth": True, "n": 1}, {"truth": None, "n": 2.5}, {"note": "x"}], library)
    assert kinds(mixed) == {"truth": bool, "n": float, "note": str}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_empty_result_is_an_empty_frame(library):
    pytest.importorskip(library)
    assert len(LABELS.to_dataframe(library)) == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_comparisons_checks_and_labels_are_frames_too(library):
    pytest.importorskip(library)
    comparison = compare(ranked(k=(1, 5), sizes=(13,)), ranked(k=(1, 5), sizes=(60,)))
    [row] = values(comparison.to_dataframe(library))
    assert (row["old_size"], row["size"], row["changed"]) == (13, 60, True)
    whole = comparison.cells[0].whole
    assert (row["whole_old"], row["whole_new"], row["whole_total"]) == (whole.old, whole.new, 3)
    assert row["whole_gained"] == ", ".join(whole.gained)
    assert row["whole_p_value"] == row["whole_p_value_corrected"] == round(whole.p_value, 6)
    assert row["bm25_interval_low"] < row["bm25_difference"] < row["bm25_interval_high"]
    checked = check(CORPUS, LABELS, "fixed(size=13)", thresholds=Thresholds.of(max_split=0))
    found = values(checked.to_dataframe(library))
    assert [(row["code"], row["start"]) for row in found] == [(one.code, one.span[0]) for one in checked.findings]
    assert found[0]["suggested_size"] == checked.findings[0].suggestion.size
    bad = check_labels(CORPUS, [Question.of("x", doc="a<b>.md", evidence="円")])
    [row] = values(bad.to_dataframe(library))
    assert (row["id"], row["problem"], row["n_occurrences"]) == ("x", "ambiguous", bad.problems[0].n_occurrences)


def test_pandas_is_taken_first_and_polars_where_it_is_not_installed(monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    result = RESULTS["asked"]
    assert type(result.to_dataframe()).__module__.startswith("pandas")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(result.to_dataframe()).__module__.startswith("polars")
    with pytest.raises(MissingPartError, match=r"^a data frame needs pandas: pip install 'chunkscope\[pandas\]'$"):
        result.to_dataframe("pandas")


def test_without_either_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPartError) as caught:
        RESULTS["asked"].to_dataframe()
    assert str(caught.value) == "a data frame needs pandas or polars: pip install 'chunkscope[pandas]'"


def test_a_library_that_is_none_is_refused():
    with pytest.raises(ConfigError, match="no data frames of 'numpy'; there are pandas, polars"):
        RESULTS["asked"].to_dataframe("numpy")


CHECKED = check(CORPUS, LABELS, "fixed(size=13)", thresholds=Thresholds.of(max_split=0))
COMPARISON = compare(RESULTS["ranked"], RESULTS["ranked"], "a<1>.json", "b.json")


@pytest.mark.parametrize("value", [*RESULTS.values(), CHECKED, COMPARISON, LABELS], ids=repr)
def test_html_is_what_the_terminal_shows_and_nothing_in_it_is_markup(value):
    text = value._repr_html_()
    assert text.startswith('<pre style="overflow-x: auto">')
    assert text.endswith("</pre>")
    body = text[text.index(">") + 1 : -len("</pre>")]
    assert "<" not in body
    assert html.unescape(body).strip()


def test_html_says_what_reports_say():
    assert "size" in RESULTS["asked"]._repr_html_()
    assert "answered" in RESULTS["equal context"]._repr_html_()
    assert "evidence-split" in CHECKED._repr_html_()
    assert "a&lt;1&gt;.json -&gt; b.json" in COMPARISON._repr_html_()
    bad = check_labels(CORPUS, [Question.of("x<i>", doc="a<b>.md", evidence="円")])
    assert "x&lt;i&gt;: ambiguous: " in bad._repr_html_()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (RESULTS["asked"], "SweepResult(2 documents, 5 cells, 3 questions)"),
        (RESULTS["structure"], "SweepResult(2 documents, 2 cells)"),
        (RESULTS["asked"].cells[0], "Cell(fixed char 13/0: 20 chunks, 2 of 3 questions split)"),
        (COMPARISON, "Comparison(a<1>.json -> b.json: 0 of 2 cells changed, 3 questions in both)"),
        (CHECKED, "CheckResult(failed: max_split, max_header_lost; 2 documents, 3 findings)"),
        (LABELS, "Labels(3 valid, 0 without evidence, 0 with problems)"),
        (QuestionFile("asked.jsonl", "", tuple(QUESTIONS)), "QuestionFile('asked.jsonl', 3 questions)"),
        (read_structure(CORPUS[0]), f"Structure({len(TEXT)} characters, 1 heading, 1 table, 1 code block)"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_results_say_in_a_line_what_they_are(value, expected):
    assert repr(value) == expected


def test_nothing_that_people_hold_fills_a_screen():
    many = [Question.of(f"q{n}", doc="b.md", evidence="実費") for n in range(300)]
    held = [
        Document("b.md", "文" * 9999),
        check_labels(CORPUS, many),
        RESULTS["ranked"].cells[0],
        RESULTS["asked"].corpus,
    ]
    held += [
        COMPARISON.cells[0],
        CHECKED.findings[0],
        check_labels(CORPUS, many).problems[0],
        RESULTS["asked"].questions,
    ]
    assert max(len(repr(one)) for one in held) < 700
