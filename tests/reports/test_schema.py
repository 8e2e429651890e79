"""The JSON Schemas in the package describe what is written, down to the last entry."""

from __future__ import annotations

import copy
import json
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, labels_of, questions_of

from chunkscope import Document, FixedChunker, Question, TokenChunker, check, read_corpus, read_questions, recall, sweep
from chunkscope.corpus import demo_path
from chunkscope.errors import InputError
from chunkscope.gate.baseline import Baseline
from chunkscope.gate.result import CODES
from chunkscope.gate.thresholds import COUNTED, Thresholds
from chunkscope.reports.json_report import check_to_json, to_json
from chunkscope.retrieval import Ranker
from chunkscope.splitters.dump import DumpChunker

jsonschema = pytest.importorskip("jsonschema")


def schema(name):
    return json.loads((resources.files("chunkscope") / "schema" / f"{name}.json").read_text("utf-8"))


def closed(part):
    """Allow only what is described, so that an entry nobody described is found."""
    if isinstance(part, dict):
        part = {key: closed(value) for key, value in part.items()}
        if part.get("properties") and "additionalProperties" not in part:
            part["additionalProperties"] = False
    return [closed(item) for item in part] if isinstance(part, list) else part


def open_settings(part):
    """Settings are those of the command line, and described there."""
    part = copy.deepcopy(part)
    part["properties"]["settings"].pop("additionalProperties", None)
    return part


STRICT = {
    "sweep-1": jsonschema.Draft202012Validator(open_settings(closed(schema("sweep-1")))),
    "check-1": jsonschema.Draft202012Validator(closed(schema("check-1"))),
}


@pytest.mark.parametrize("name", STRICT)
def test_schemas_are_schemas(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("with_questions", [True, False])
def test_sweeps_of_the_demos(language, with_questions):
    corpus = read_corpus(demo_path(language) / "docs")
    questions = read_questions(demo_path(language) / "questions.jsonl") if with_questions else None
    result = sweep(
        corpus,
        questions,
        chunkers="fixed,heading,token(raw=true)",
        sizes="50,200",
        overlaps="0,100",
        count_tokens="cl100k_base",
    )
    STRICT["sweep-1"].validate(json.loads(to_json(result)))


@pytest.mark.parametrize(
    "chosen",
    [
        {"holdout": 0.5, "group_by": "category", "min_scores": [1, 2], "outdated": ["status=abolished"]},
        {"retrievers": ["bm25", "hash"], "k": [1, 3], "budget": 300, "overlap_metrics": True, "returns": "section"},
        {"model_limit": 20},
    ],
)
def test_recalls_of_the_demo(chosen):
    corpus, questions = read_corpus(demo_path("ja") / "docs"), read_questions(demo_path("ja") / "questions.jsonl")
    result = recall(corpus, questions, chunkers="fixed,heading(merge=true),heading", sizes="200,300,400", **chosen)
    STRICT["sweep-1"].validate(json.loads(to_json(result)))


@given(corpora(), st.data(), chunkers())
@settings(max_examples=40)
def test_checks_of_any_documents(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    thresholds = Thresholds.of(max_rows_header_lost="10%", max_blank=0, max_broken=0, model_limit=20, model_unit="char")
    try:
        result = check(corpus, labels_of(questions) if questions else None, chunker, thresholds=thresholds)
    except InputError:
        return
    STRICT["check-1"].validate(json.loads(check_to_json(result)))
    known = Baseline.of(result.findings)
    again = check(corpus, labels_of(questions) if questions else None, chunker, thresholds=thresholds, baseline=known)
    STRICT["check-1"].validate(json.loads(check_to_json(again)))


def test_a_check_with_every_kind_of_finding(tmp_path):
    text = "鮪と鰹。\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n鮪と鯛。" + "\n" * 60
    asked = [
        Question.of("q1", doc="a.md", evidence="| 1 | 2 |"),
        Question.of("q1", doc="a.md", evidence="| 1 | 2 |"),
        Question.of("q2", doc="a.md", evidence="鮪"),
        Question.of("q3", doc="b.md", evidence="鮪"),
        Question.of("q4", doc="a.md"),
        Question.of("q5", doc="a.md", evidence="鮪", spans=[[1, 2]]),
        Question.of("q6", doc="a.md", evidence="鰺"),
        Question.of("q7", evidence=[]),
        Question.of("q8", doc="a.md", evidence="と鯛。"),
    ]
    thresholds = Thresholds.of(max_blank=0, model_limit=2, model_unit="char")
    document = Document("a.md", text)
    results = [
        check([document], asked, way, thresholds=thresholds) for way in (TokenChunker(2, raw=True), FixedChunker(3))
    ]
    whole = [Question.of("q8", "鯛？", doc="a.md", evidence="と鯛。")]
    lost = Thresholds.of(min_recall="100%", max_more_lost=0)
    earlier = recall([document], whole, chunkers="fixed", sizes=[99], overlaps=[0])
    results.append(check([document], whole, FixedChunker(2), thresholds=lost, ranking=Ranker(), earlier=earlier))
    rows = [("a.md", "鮪と鰹。"), ("a.md", "もうない。"), ("c.md", "鮪"), ("c.md", "鰹")]
    index = tmp_path / "chunks.jsonl"
    index.write_text("".join(json.dumps({"doc": name, "text": one}) + "\n" for name, one in rows), "utf-8")
    results.append(check([document, Document("d.md", "鯖")], None, DumpChunker(path=str(index))))
    for result in results:
        STRICT["check-1"].validate(json.loads(check_to_json(result)))
    codes = {finding.code for result in results for finding in result.findings}
    named = set(schema("check-1")["properties"]["findings"]["items"]["properties"]["code"]["enum"])
    assert codes == named


def test_codes_and_thresholds_are_those_of_the_schema():
    described = schema("check-1")["properties"]
    assert tuple(described["thresholds"]["items"]["properties"]["name"]["enum"]) == COUNTED == tuple(CODES)
