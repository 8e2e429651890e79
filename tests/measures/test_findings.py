"""Every number of a cell has its cuts: each split entry and each row apart is found, with a cut inside it."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.findings import find
from oracle.tables import rows_with_header
from worlds import chunkers, corpora, labels_of, plain, plain_questions, questions_of, settings_of

from chunkscope import (
    Document,
    FixedChunker,
    Question,
    SentenceChunker,
    TokenChunker,
    find_boundary_problems,
    sweep,
)
from chunkscope.chunkers.chunk_set import SpanChunks, WindowChunks
from chunkscope.chunkers.index_text import Weights
from chunkscope.chunkers.windows import Windows
from chunkscope.errors import ChunkerError, InputError
from chunkscope.grid.plan import SweepPlan
from chunkscope.grid.sweep import prepare_sweep
from chunkscope.measures.findings import Places, Suggestion, find_broken, find_heavy
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis


@given(corpora(), st.data(), chunkers())
@settings(max_examples=60)
def test_each_split_entry_and_each_row_apart_has_a_cut_inside_it(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    findings = find_boundary_problems(corpus, questions, chunker)
    texts = {document.name: document.text for document in corpus}
    expected_by_code = find(list(map(plain, corpus)), plain_questions(questions), settings_of(chunker))
    for code, expected in expected_by_code.items():
        found = [(f.document, f.question, *f.span) for f in findings if f.code == code]
        assert sorted(found, key=str) == sorted(expected, key=str)
    headers = {
        (document.name, *row): table.header[0][0]
        for document in corpus
        for table, row in rows_with_header(plain(document))
    }
    for finding in findings:
        assert not finding.is_known  # nobody has compared it with anything yet
        text = texts[finding.document]
        if finding.code == "evidence-split":
            # white space in front of it may be stripped: then the cut stands before it
            first = finding.span[0] - (1 if text[finding.span[0]].isspace() else 0)
            assert first < finding.cut < finding.span[1]
        elif finding.code == "evidence-missing":
            assert finding.span[0] <= finding.cut < finding.span[1]
        else:
            assert headers[finding.document, *finding.span] <= finding.cut < finding.span[1]
        assert finding.quote == text[finding.span[0] : finding.span[1]]
        assert text.endswith(finding.before + finding.after) or finding.before + finding.after in text
        assert text[: finding.cut].endswith(finding.before)
        assert text[finding.cut :].startswith(finding.after)
        lines = re.split(r"\r\n|\r|\n", text[: finding.cut])
        assert (finding.line, finding.column) in {
            (len(lines), len(lines[-1]) + 1),
            # between CR and LF the line has not ended yet
            (len(lines) - 1, len(lines[-2]) + 2) if len(lines) > 1 else None,
        }


@given(corpora(), st.data(), chunkers().filter(lambda chunker: chunker.size is not None))
@settings(max_examples=80)
def test_a_cell_counts_as_many_split_entries_as_are_found(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    if not questions:
        return
    [cell] = sweep(corpus, labels_of(questions), chunkers=[chunker]).cells
    findings = [f for f in find_boundary_problems(corpus, questions, chunker) if f.code != "header-lost"]
    assert len(findings) == cell.split_evidence
    assert sum(f.code == "evidence-missing" for f in findings) == cell.missing_evidence


def test_findings_come_in_the_order_of_documents_and_places():
    documents = [Document("b", "あ" * 30), Document("a", "い" * 30)]
    questions = [
        LocatedQuestion(Question("q1"), (EvidenceSpan("a", 18, 22), EvidenceSpan("b", 8, 12))),
        LocatedQuestion(Question("q2"), (EvidenceSpan("b", 8, 30), EvidenceSpan("a", 1, 3))),
    ]
    findings = find_boundary_problems(documents, questions, FixedChunker(10))
    assert [(f.document, f.question, f.cut) for f in findings] == [("b", "q1", 10), ("b", "q2", 10), ("a", "q1", 20)]


def test_a_row_is_parted_where_the_chunk_with_its_header_ends():
    document = Document("a.md", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n")
    findings = find_boundary_problems([document], [], FixedChunker(30))
    assert [(f.code, f.span, f.cut, f.line, f.column) for f in findings] == [("header-lost", (30, 39), 30, 4, 1)]
    assert find_boundary_problems([document], [], FixedChunker(30, prepend=("table-header",))) == []
    [torn] = find_boundary_problems([document], [], FixedChunker(35, prepend=("table-header",)))
    assert (torn.cut, torn.before[-5:], torn.after[:4]) == (35, "| 3 |", " 4 |")


def test_nothing_is_found_where_nothing_is_cut():
    assert find_boundary_problems([Document("a", ""), Document("b", "あ。")], [], SentenceChunker(8)) == []


def test_json_has_a_suggestion_where_there_is_one():
    finding = find_boundary_problems(
        [Document("a.md", "一二三四五六")],
        [LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 2, 4),))],
        "fixed(size=3)",
    )[0]
    suggestion = Suggestion(5, 1, 2)
    assert dataclasses.replace(finding, suggestion=None).to_dict()["suggestion"] is None
    assert dataclasses.replace(finding, suggestion=suggestion).to_dict()["suggestion"] == suggestion.to_dict()


def test_a_path_or_no_documents_are_refused_in_a_line():
    with pytest.raises(InputError, match="'docs': documents are wanted, not a path; read_corpus reads it"):
        find_boundary_problems("docs", [], "fixed(size=5)")
    with pytest.raises(ChunkerError, match="needs a size"):
        find_boundary_problems([Document("a", "b")], [], "fixed")


def test_a_row_of_a_table_in_a_row_is_found_beside_it_though_both_end_alike():
    text = "<table><tr><th>品<tr><td>茶<table><tr><th>円<tr><td>1"
    question = LocatedQuestion(Question("q"), (EvidenceSpan("a.html", len(text) - 1, len(text)),))
    found = find_boundary_problems([Document("a.html", text, markup="html")], [question], "fixed(size=12)")
    assert [(one.code, text[one.span[0] :][:9]) for one in found] == [
        ("header-lost", "<tr><td>茶"),
        ("header-lost", "<tr><td>1"),
    ]


def test_findings_and_counts_come_from_one_scan(monkeypatch):
    """`explain` reads, parses and cuts nothing again."""
    scans = []
    plan_scan = SweepPlan.scan
    monkeypatch.setattr(SweepPlan, "scan", lambda self, batch: scans.append(batch) or plan_scan(self, batch))
    document = Document("a.md", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n")
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 30, 39),))])
    explain = ["fixed(size=30)", "fixed(size=77)"]
    # `run` looks at the advised cell once more, to say what would mend it
    result = prepare_sweep([document], labels, chunkers="fixed", sizes=[20, 30], overlaps=[0], explain=explain).count()
    assert len(scans) == 1
    assert {name: len(found) for name, found in result.findings.items()} == {"fixed(size=30)": 1, "fixed(size=77)": 0}
    assert result.cell(30).header_lost_question_ids == ("q",)


def test_messages_say_what_is_cut_and_where():
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n一つの文。"
    asked = [
        LocatedQuestion(Question("q1"), (EvidenceSpan("a.md", 41, 46), EvidenceSpan("a.md", 20, 29))),
        LocatedQuestion(Question("q2", match="any"), (EvidenceSpan("a.md", 41, 46), EvidenceSpan("a.md", 0, 3))),
    ]
    found = find_boundary_problems([Document("a.md", text)], asked, FixedChunker(22))
    assert [(one.code, one.question, one.message, one.is_needed) for one in found] == [
        ("evidence-split", "q1", "q1: the evidence is cut after 2 of 9 characters", True),
        ("header-lost", "q1", "q1: the row is cut", True),
        ("evidence-split", "q1", "q1: the evidence is cut after 3 of 5 characters", True),
        ("evidence-split", "q2", "q2: the evidence is cut after 3 of 5 characters", False),
    ]


def test_a_broken_window_is_known_by_the_characters_that_it_tears():
    document = Document("a.md", "鮪と鮪")  # three tokens each
    layout = Layout.of(["a.md"], [3])
    chunker = TokenChunker(2, raw=True)
    chunks = SpanChunks(layout, chunker, chunker.chunks(chunker.segment(DocumentAnalysis(document))))
    found = [(one.quote, one.message) for one in find_broken(Places(layout, [document]), chunks)]
    assert found == [
        ("鮪", "the window ends inside a character"),
        ("鮪", "the window begins inside a character"),
        ("鮪", "the window ends inside a character"),
        ("鮪", "the window begins inside a character"),
    ]


def test_a_chunk_at_the_limit_of_the_model_is_not_above_it():
    document = Document("a.md", "あ" * 9)
    layout = Layout.of(["a.md"], [9])
    chunks = WindowChunks(layout, FixedChunker(4), Windows(4))
    weights = Weights(np.array([1500, 1499, 1501]), np.array([0, 0, 1400]))
    found = list(find_heavy(Places(layout, [document]), chunks, weights, 1500, "char"))
    assert [(one.code, one.span, one.cut, one.message) for one in found] == [
        ("chunk-oversize", (8, 9), 8, "the chunk has 1,501 characters, 1,400 of them prepended; the limit is 1,500")
    ]
    [bare] = find_heavy(Places(layout, [document]), chunks, weights._replace(prepended=np.zeros(3, int)), 1500, "char")
    assert bare.message == "the chunk has 1,501 characters; the limit is 1,500"
