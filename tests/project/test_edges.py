"""What people hand to the library by mistake gets one line that says what is wanted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from chunkscope import (
    Document,
    FixedChunker,
    Question,
    check,
    find_boundary_problems,
    list_chunks,
    read_questions,
    sweep,
)
from chunkscope.errors import ChunkscopeError
from chunkscope.gate.thresholds import Thresholds
from chunkscope.questions.check import check_labels
from chunkscope.questions.scaffold import first_questions

DOCUMENTS = [Document("a.md", "一つ。二つ。三つ。")]
QUESTIONS = [Question.of("q", doc="a.md", evidence="二つ。")]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: sweep("docs", chunkers="fixed", sizes="50..800", overlaps="1/6"),
            "'docs': documents are wanted, not a path; read_corpus reads it",
        ),
        (
            lambda: sweep(Path("docs"), chunkers="fixed", sizes="50..800", overlaps="1/6"),
            "'docs': documents are wanted, not a path",
        ),
        (lambda: check_labels("docs", QUESTIONS), "'docs': documents are wanted, not a path"),
        (
            lambda: sweep(DOCUMENTS, "q.jsonl", chunkers="fixed", sizes="50..800", overlaps="1/6"),
            "'q.jsonl': questions are wanted, not a path; read_questions reads it",
        ),
        (
            lambda: sweep(DOCUMENTS, [{"id": "q"}], chunkers="fixed", sizes="50..800", overlaps="1/6"),
            "'dict' is no question; Question.of",
        ),
        (
            lambda: sweep(DOCUMENTS, QUESTIONS[0], chunkers="fixed", sizes="50..800", overlaps="1/6"),
            "'Question' is no list of questions; put it in one",
        ),
        (
            lambda: sweep(["text"], chunkers="fixed", sizes="50..800", overlaps="1/6"),
            "'str' is no document; Document(name, text) makes one",
        ),
        (lambda: FixedChunker(9).spans("text"), "'str' is no document; Document(name, text) makes one"),
        (lambda: sweep(DOCUMENTS, chunkers=[5]), "'int' is no chunker; write 'fixed', or FixedChunker()"),
        (lambda: sweep(DOCUMENTS, chunkers=[]), "no chunker is given"),
        (lambda: sweep(DOCUMENTS, chunkers="fixed", overlaps="1/6", sizes=[]), "no size is given"),
        (lambda: sweep(DOCUMENTS, chunkers="fixed", sizes="50..800", overlaps=[]), "no overlap is given"),
        (
            lambda: sweep(DOCUMENTS, chunkers="fixed", sizes="50..800", overlaps="1/6", jobs=0),
            "jobs 0 must be a whole number of at least 1",
        ),
        (
            lambda: sweep(DOCUMENTS, chunkers="fixed", sizes="50..800", overlaps="1/6", jobs="2"),
            "jobs '2' must be a whole number of at least 1",
        ),
        (lambda: sweep(DOCUMENTS, chunkers=5), "'int' is no chunker"),
        (lambda: sweep(DOCUMENTS, chunkers="fixed", overlaps="1/6", sizes=2.5), "size 2.5 must be a whole number"),
        (lambda: Thresholds(max_split=2), "max_split must be a Threshold; Thresholds.of(max_split=2) reads it"),
        (lambda: check(DOCUMENTS, "q.jsonl", "fixed(size=4)"), "'q.jsonl': questions are wanted, not a path"),
    ],
)
def test_what_is_none_of_what_is_wanted_is_told_in_one_line(call, told):
    with pytest.raises(ChunkscopeError) as caught:
        call()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_chunkers_and_overlaps_may_be_written_or_values():
    mixed = sweep(DOCUMENTS, chunkers=["fixed", FixedChunker(6), "sentence,heading"], sizes=[4], overlaps=["0,1/2", 1])
    keys = [(cell.chunker, cell.size, cell.overlap) for cell in mixed.cells]
    assert keys[:4] == [("fixed", 4, 0), ("fixed", 4, 2), ("fixed", 4, 1), ("fixed", 6, 0)]
    assert {key[0] for key in keys} == {"fixed", "sentence", "heading"}


def test_one_size_and_one_overlap_may_stand_alone():
    (cell,) = sweep(DOCUMENTS, QUESTIONS, chunkers="fixed", sizes=4, overlaps=0).cells
    assert (cell.size, cell.overlap, cell.split_question_ids) == (4, 0, ("q",))


def test_labels_and_written_chunkers_are_taken_where_chunks_are_listed():
    labels = check_labels(DOCUMENTS, QUESTIONS)
    for asked in (labels, labels.valid):
        for chunker in ("fixed(size=4)", FixedChunker(4)):
            assert [finding.question for finding in find_boundary_problems(DOCUMENTS, asked, chunker)] == ["q"]
    assert [row.text for row in list_chunks(DOCUMENTS, "fixed(size=4)")] == ["一つ。二", "つ。三つ", "。"]


def test_the_questions_of_a_file_can_be_gone_through(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"id": "q", "evidence": []}\n', encoding="utf-8")
    read = read_questions(tmp_path / "q.jsonl")
    assert [question.id for question in read] == ["q"]


def test_first_questions_are_spread_over_the_documents_and_quote_no_comments():
    texts = [f"<!-- licence {n} of these documents -->\n\n第{n:02}条の上限は{n:02}万円とする。\n" for n in range(40)]
    rows = [
        json.loads(line)
        for line in first_questions(Document(f"{n:02}.md", t) for n, t in enumerate(texts)).splitlines()
    ]
    assert len(rows) == 20
    assert [row["doc"] for row in rows] == [f"{n:02}.md" for n in range(0, 40, 2)]
    assert all(row["evidence"][0].startswith("第") for row in rows)


def test_first_questions_quote_all_kinds_of_text_from_all_over_the_documents():
    def text(n):
        facts = " ".join(f"Sentence {n}-{place} of this document stands alone." for place in range(20))
        items = "\n".join(f"- Item {n}-{place} of the list stands alone." for place in range(8))
        code = "\n".join(f"command --with option{n}x{place}" for place in range(8))
        rows = "\n".join(f"| row {n}-{place} | {place},000 yen |" for place in range(8))
        return f"# {n}\n\n{facts}\n\n{items}\n\n```sh\n{code}\n```\n\n| a | b |\n|---|---|\n{rows}\n"

    documents = [Document(f"{n:02}.md", text(n)) for n in range(40)]
    texts = {document.name: document.text for document in documents}
    rows = [json.loads(line) for line in first_questions(documents).splitlines()]
    quotes = [row["evidence"][0] for row in rows]
    kinds = ["| row", "- Item", "command", "Sentence"]
    assert [sum(quote.startswith(kind) for quote in quotes) for kind in kinds] == [5, 5, 5, 5]
    assert all(quote.split()[2].endswith("-7") for quote in quotes if quote.startswith("| row"))
    assert all(texts[row["doc"]].count(row["evidence"][0]) == 1 for row in rows)
    places = sorted(texts[row["doc"]].index(row["evidence"][0]) / len(texts[row["doc"]]) for row in rows)
    assert places[0] < 0.4
    assert places[-1] > 0.9
    assert sum(place > 0.02 for place in places) >= 19


@pytest.mark.parametrize(("n_documents", "n"), [(1, 20), (7, 20), (15, 20), (20, 20), (33, 20), (3, 50), (40, 1)])
def test_first_questions_are_so_many_as_are_wanted_in_equal_parts(n_documents, n):
    facts = [f"Fact {number} of this document stands alone." for number in range(60)]
    documents = [Document(f"{number:02}.md", f"# T\n\n{' '.join(facts)}\n") for number in range(n_documents)]
    rows = [json.loads(line) for line in first_questions(documents, n).splitlines()]
    counts = Counter(row["doc"] for row in rows)
    assert len(rows) == n
    assert len(counts) == min(n, n_documents)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert [row["id"] for row in rows] == [f"q{number}" for number in range(1, n + 1)]


def test_what_some_documents_do_not_have_is_quoted_from_others():
    facts = " ".join(f"Fact {number} of this document stands alone." for number in range(60))
    documents = [Document("a.md", "short.\n"), Document("b.md", facts), Document("c.md", ""), Document("d.md", facts)]
    rows = [json.loads(line) for line in first_questions(documents, 12).splitlines()]
    assert Counter(row["doc"] for row in rows) == {"b.md": 6, "d.md": 6}


def test_heads_of_forms_tags_and_marks_of_quotes_are_not_quoted():
    head = "第12回 定例会議の議事録\n日時 二〇二五年四月一日\n場所 本社の会議室\n出席 田中と佐藤と鈴木\n以上である"
    page = "<p>申請は画面から三日前までに入力してください。</p>"
    documents = [
        Document("a.txt", f"{head}\n\n承認は所属長がその日のうちに行う。\n", markup="plain"),
        Document("b.html", page, markup="html"),
        Document("c.md", "> 対象は正社員と契約社員の全員である。\n"),
    ]
    quotes = [json.loads(line)["evidence"][0] for line in first_questions(documents).splitlines()]
    assert quotes[-2:] == ["申請は画面から三日前までに入力してください。", "対象は正社員と契約社員の全員である。"]
    assert not any(quote.count("\n") > 2 for quote in quotes)


@pytest.mark.parametrize("text", ["", "\n", "short.\n", "```\nshort\n```\n", "| a |\n|---|\n| b |\n"])
def test_where_nothing_can_be_quoted_there_is_no_question(text):
    assert first_questions([Document("a.md", text)]) == ""
