"""A result is read back from its JSON, and every report of it is the same; what is no result is told in a line."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, labels_of, questions_of

from chunkscope import Document, Question, read_corpus, read_questions, recall, sweep
from chunkscope.corpus import demo_path
from chunkscope.errors import InputError
from chunkscope.grid.stored import read_sweep, sweep_of
from chunkscope.reports.base import ReportOptions, write_report
from chunkscope.reports.json_report import to_json


def again(result):
    return sweep_of(json.loads(to_json(result)))


@given(corpora(), st.data(), st.lists(chunkers(), min_size=1, max_size=3, unique_by=str))
@settings(max_examples=30)
def test_any_sweep_reads_back(corpus, data, ways):
    questions = data.draw(questions_of(corpus))
    result = sweep(
        corpus, labels_of(questions) if questions else None, chunkers=ways, sizes=[3, 9], overlaps=[0, "1/3"]
    )
    assert json.loads(to_json(again(result))) == json.loads(to_json(result))


DEMO = {language: demo_path(language) for language in ("ja", "en")}


def swept(language, **options):
    questions = read_questions(DEMO[language] / "questions.jsonl")
    return sweep(read_corpus(DEMO[language] / "docs"), questions, sizes="100..800:100", **options)


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: swept("ja"), id="questions"),
        pytest.param(lambda: sweep(read_corpus(DEMO["en"] / "docs"), sizes="100..800:100"), id="structure"),
        pytest.param(lambda: swept("ja", model_limit=20), id="nothing-fits"),
        pytest.param(lambda: swept("en", model_limit="text-embedding-3-small", count_tokens="cl100k_base"), id="model"),
        pytest.param(
            lambda: recall(
                read_corpus(DEMO["ja"] / "docs"),
                read_questions(DEMO["ja"] / "questions.jsonl"),
                chunkers="fixed,heading",
                sizes="200,400,800",
                retrievers=["bm25", "hash"],
                holdout=0.5,
                overlap_metrics=True,
            ),
            id="recall",
        ),
    ],
)
def test_the_screen_of_a_stored_result_is_that_of_the_run(make, lang):
    result = make()
    for form in ("table", "csv"):
        options = ReportOptions(width=100, lang=lang, all_rows=form == "csv")
        assert write_report(form, "sweep", again(result), options) == write_report(form, "sweep", result, options)


def test_what_is_no_result_is_told_in_a_line(tmp_path):
    good = json.loads(
        to_json(sweep([Document("a.md", "一つ。二つ。")], [Question.of("q", doc="a.md", evidence="一つ")], sizes=[3]))
    )
    file = tmp_path / "r.json"

    def damaged(change):
        record = copy.deepcopy(good)
        change(record)
        file.write_text(json.dumps(record), "utf-8")
        with pytest.raises(InputError) as error:
            read_sweep(file)
        assert str(error.value).startswith(str(file))
        assert "\n" not in str(error.value)

    damaged(lambda record: record.update(format=99))
    damaged(lambda record: record.pop("format"))
    damaged(lambda record: record.pop("skipped"))
    damaged(lambda record: record.update(settings=[]))
    damaged(lambda record: record["settings"].update(include=3))
    damaged(lambda record: record["settings"].update(include="docs"))
    damaged(lambda record: record["settings"].update(encodings=[1]))
    damaged(lambda record: record["settings"].update(splitters={"a": 1}))
    damaged(lambda record: record.update(cells=[{}]))
    damaged(lambda record: record["cells"][0].pop("cuts"))
    damaged(lambda record: record["cells"][0].update(split_questions="3"))
    damaged(lambda record: record["cells"][0].update(chunk_chars=None))
    damaged(lambda record: record["cells"][0].update(cuts=[1]))
    damaged(lambda record: record["cells"][0].update(split_question_ids=[1]))
    damaged(lambda record: record["corpus"].update(characters="many"))
    damaged(lambda record: record["questions"].update(ids=["q"]))
    damaged(lambda record: record["advice"].update(extra=1))
    damaged(lambda record: record["advice"].update(remedies=[3]))
    damaged(lambda record: record.update(cells=record["cells"] * 2))
    damaged(lambda record: record["advice"].update(size=77))
    damaged(lambda record: record.update(retrieval={"retrievers": ["bm25"]}))
    for text in ("", "{", "[]", '{"format": 1}', '{"format": 1, "cells": [], "corpus": {}}', "\x00"):
        file.write_text(text, "utf-8")
        with pytest.raises(InputError):
            read_sweep(file)
