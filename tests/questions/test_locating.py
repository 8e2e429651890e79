"""Proposals for questions without quotes: what can be quoted, what comes first, and what is kept of a confirmation."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import fails, put, run, run_json
from hypothesis import given, settings
from oracle.bm25 import scores as slow_scores
from strategies import texts

from chunkscope.cli.confirming import Kept, confirm
from chunkscope.corpus.document import Document
from chunkscope.errors import InputError
from chunkscope.questions.check import check_labels
from chunkscope.questions.locating import Located, Proposal, locate, sample, shared_letters
from chunkscope.questions.passages import passages_of
from chunkscope.questions.question import Question, read_questions
from chunkscope.retrieval.bm25.postings import spelled_words
from chunkscope.retrieval.passages import PassageIndex
from chunkscope.structure.analysis import DocumentAnalysis

RULES = Document(
    "rules.md",
    "---\ntitle: 規程\n---\n# 旅費\n\n宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。\n\n"
    "- 申請は3日前までに出す。\n- 精算は5日以内に行う。\n\n"
    "| 職位 | 日当 |\n|---|---|\n| 課長 | 3,000円 |\n| 部長 | 4,000円 |\n\n```sh\nnpm run build\n```\n<!-- 非公開 -->\n",
)
OTHER = Document("other.md", "# 食堂\n\n営業は11時から14時まで。\n\n営業は11時から14時まで。\n")


def passages(document: Document) -> list[tuple[str, str]]:
    return [(document.text[one.start : one.end], one.kind) for one in passages_of(DocumentAnalysis(document))]


def located(*records: dict[str, Any], documents: tuple[Document, ...] = (RULES, OTHER)) -> list[Located]:
    return locate(documents, [{"id": f"q{n}", **record} for n, record in enumerate(records, 1)], PassageIndex)


# -- what can be quoted -----------------------------------------------------------------------------------------


def test_sentences_items_rows_and_lines_of_code_can_be_quoted_and_nothing_else():
    assert passages(RULES) == [
        ("宿泊費の上限は1泊12,000円とする。", "prose"),
        ("実費が下回るときは実費を払う。", "prose"),
        ("- 申請は3日前までに出す。", "item"),
        ("- 精算は5日以内に行う。", "item"),
        ("| 課長 | 3,000円 |", "row"),
        ("| 部長 | 4,000円 |", "row"),
        ("npm run build", "code"),
    ]


def test_tags_around_a_sentence_are_no_part_of_it():
    page = Document("a.html", "<div><p>一つ目。<b>二つ目</b>です。</p>\n<p><br></p></div>", markup="html")
    assert (
        passages(page) == [("一つ目。", "prose"), ("<b>二つ目</b>です。", "prose")]
        or passages(page)[0][0] == "一つ目。"
    )


@given(texts())
@settings(max_examples=60)
def test_passages_are_in_order_not_empty_and_apart(text: str) -> None:
    found = passages_of(DocumentAnalysis(Document("a.md", text)))
    edges = [edge for one in found for edge in (one.start, one.end)]
    assert edges == sorted(edges)
    assert all(
        text[one.start : one.end].strip() == text[one.start : one.end] != "" or one.kind == "row" for one in found
    )


# -- what comes first -------------------------------------------------------------------------------------------


def test_the_passage_that_answers_comes_first():
    found = located(
        {"question": "ホテル代はいくらまで？", "answer": "12,000円"},
        {"question": "部長の日当は？"},
        {"question": "いつ申請するか", "answer": "3日前"},
        {"question": "何時から食べられるか", "answer": "11時"},
    )
    first = [one.proposals[0] for one in found]
    assert [(one.document, one.line, one.kind) for one in first] == [
        ("rules.md", 6, "prose"),
        ("rules.md", 14, "row"),
        ("rules.md", 8, "item"),
        ("other.md", 3, "prose"),
    ]
    assert [one.text for one in first] == [RULES.text[one.start : one.end] for one in first[:3]] + [OTHER.text[6:20]]


def test_a_named_document_is_the_only_one_that_is_looked_at():
    [anywhere, at_home, unknown] = located(
        {"question": "営業は何時まで"},
        {"question": "営業は何時まで", "doc": "rules.md"},
        {"question": "営業は何時まで", "doc": "x.md"},
    )
    assert anywhere.proposals[0].document == "other.md"
    assert {one.document for one in at_home.proposals} == {"rules.md"}
    assert unknown.proposals == anywhere.proposals


def test_a_text_that_stands_twice_is_proposed_once_and_pinned():
    [one] = located({"question": "営業は何時まで"})
    listed = one.to_dict()["proposals"]
    assert isinstance(listed, list)
    assert [entry["text"] for entry in listed].count("営業は11時から14時まで。") == 1
    assert (listed[0]["start"], listed[0]["n"]) == (6, 1)
    assert all("start" not in entry for entry in listed[1:])


def test_nothing_to_look_for_is_told():
    with pytest.raises(InputError, match="no question to look for"):
        locate([RULES], [], PassageIndex)
    with pytest.raises(InputError, match="nothing that could be quoted"):
        locate([Document("a.md", "# 題\n")], [{"id": "q1", "question": "?"}], PassageIndex)
    [none] = located({"question": "zzz"})
    assert none.proposals == ()
    assert none.to_dict()["proposals"] == []


def test_letters_of_the_answer_count_in_runs():
    assert shared_letters("abcdef", "xxabcxxdefxx") == 1.0
    assert shared_letters("abcdef", "abxcdxef") == 0.0
    assert shared_letters("", "abc") == 0.0


@given(texts(), texts())
@settings(max_examples=30)
def test_scores_are_those_of_the_slow_bm25(one: str, other: str) -> None:
    documents = [Document("a.md", one), Document("b.md", other)]
    spans = [(0, len(one)), (len(one), len(one) + len(other))]
    spans = [span for span in spans if span[0] < span[1]]
    if not spans:
        return
    found = list(PassageIndex(documents, [one, "上限 の cat"]).scores(np.array(spans, dtype=np.int64)))
    terms = [spelled_words(text).terms for text in (one, other) if text]
    for asked, scores in zip((one, "上限 の cat"), found, strict=True):
        right = slow_scores(terms, [False] * len(terms), spelled_words(asked).terms)
        assert np.allclose(scores, right)


# -- samples ----------------------------------------------------------------------------------------------------


def fake(name: str, kind: str, document: str) -> Located:
    proposal = Proposal(document, 0, 1, kind, "x", 1, 1, "", "", 1, 1.0)
    return Located({"id": name, "question": "?"}, (proposal,))


def test_a_sample_takes_all_kinds_and_documents_in_turn():
    many = [fake(f"p{n}", "prose", f"{n % 10}.md") for n in range(100)]
    few = [
        fake("r1", "row", "0.md"),
        fake("c1", "code", "0.md"),
        fake("i1", "item", "1.md"),
        fake("i2", "item", "1.md"),
    ]
    chosen = sample([*many, *few], 12)
    assert len(chosen) == 12
    kinds = [one.stratum[0] for one in chosen]
    assert (kinds.count("row"), kinds.count("code"), kinds.count("item"), kinds.count("prose")) == (1, 1, 2, 8)
    assert len({one.stratum[1] for one in chosen if one.stratum[0] == "prose"}) == 8
    assert sample(many, 1000) == many
    order = [one.record["id"] for one in chosen]
    assert order == sorted(order, key=[one.record["id"] for one in [*many, *few]].index)


# -- confirming -------------------------------------------------------------------------------------------------


@pytest.fixture
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def answered(keys: str, found: list[Located], path: str = "q.jsonl") -> tuple[list[str], list[str]]:
    """Press keys; give what is in the file, and what was shown."""
    pressed, shown = iter(keys), list[str]()
    kept = Kept.read(path)
    try:
        confirm(found, kept, "en", lambda: next(pressed), shown.append)
    except (KeyboardInterrupt, StopIteration):
        shown.append("interrupted")
    lines = Path(path).read_text("utf-8").splitlines() if os.path.exists(path) else []
    return lines, shown


@pytest.mark.usefixtures("_here")
def test_a_key_takes_a_quote_and_what_is_taken_stands_in_the_documents():
    found = located(
        {"question": "宿泊費の上限は"},
        {"question": "日当は", "answer": "3,000円"},
        {"question": "営業は"},
        {"question": "申請は"},
    )
    lines, shown = answered("x１s1q", found)
    assert [json.loads(line)["id"] for line in lines] == ["q1", "q3"]
    assert any("⟦宿泊費の上限は1泊12,000円とする。⟧" in line for line in shown)
    assert any(line.endswith("answer: 3,000円") for line in shown)
    labels = check_labels([RULES, OTHER], read_questions("q.jsonl"))
    assert (len(labels.valid), labels.problems) == (2, ())
    lines, shown = answered("1", found)
    assert [json.loads(line)["id"] for line in lines] == ["q1", "q3", "q2"]
    assert shown[-1] == "interrupted"


@pytest.mark.usefixtures("_here")
def test_an_interrupt_loses_nothing_and_another_question_of_that_id_gets_a_new_one():
    put("q.jsonl", '{"id": "q1", "question": "another", "evidence": []}')
    lines, shown = answered("1\x03", located({"question": "宿泊費の上限は"}, {"question": "日当は"}))
    assert [json.loads(line)["id"] for line in lines] == ["q1", "q1-2"]
    assert shown[-1] == "interrupted"
    assert Question.of("x").question is None


# -- the command ------------------------------------------------------------------------------------------------


@pytest.fixture
def _corpus(_here: None) -> None:
    put("docs/rules.md", RULES.text)
    put("docs/other.md", OTHER.text)
    put("log.csv", '質問,回答\n宿泊費の上限は,"12,000円"\n部長の日当は,\nzzz,\n')


@pytest.mark.usefixtures("_corpus")
def test_proposals_are_written_confirmed_by_hand_and_imported():
    result = run("questions", "locate", "log.csv", "docs", "-o", "p.jsonl")
    assert result.exit_code == 0
    assert "2 of 3 questions have no answer" in result.stderr
    assert "1 question shares no word with the documents" in result.stderr
    rows = [json.loads(line) for line in Path("p.jsonl").read_text("utf-8").splitlines()]
    assert [row["confirmed"] for row in rows] == [None] * 3
    assert "no question that can be used" in run("questions", "import", "p.jsonl").stderr
    rows[0]["confirmed"], rows[1]["confirmed"] = 1, [1]
    put("p.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert run("questions", "import", "p.jsonl").exit_code == 0
    assert run_json("labels", "docs", "-q", "questions.jsonl", "--format", "json")["valid"] == 2
    assert len(run("questions", "locate", "log.csv", "docs", "--n", "2").stdout.splitlines()) == 2


@pytest.mark.usefixtures("_corpus")
def test_what_cannot_be_located_is_one_line():
    put("q.jsonl", '{"question": "a?", "evidence": "x"}\n')
    told = fails("questions", "locate", "q.jsonl", "docs")
    assert told == "chunkscope: q.jsonl: every question has its quotes; --all looks for them anew"
    assert run("questions", "locate", "q.jsonl", "docs", "--all").exit_code == 0
    put("sjis.csv", "質問\n上限は\n".encode("cp932"))
    assert "give --set-encoding, e.g. cp932" in fails("questions", "locate", "sjis.csv", "docs")
    assert run("questions", "locate", "sjis.csv", "docs", "--set-encoding", "cp932").exit_code == 0
    assert "no such file or folder" in fails("questions", "locate", "none.csv", "docs")
    assert "is read by this very command" in fails("questions", "locate", "log.csv", "docs", "-o", "log.csv")


@pytest.mark.usefixtures("_corpus")
@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")
def test_in_a_terminal_keys_confirm_and_ctrl_c_keeps_what_is_confirmed():
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "chunkscope", "questions", "locate", "log.csv", "docs", "--lang", "en"]
    root = str(Path(__file__).parents[2])
    child = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env={**os.environ, "PYTHONPATH": root}
    )
    os.close(slave)
    seen = ""
    try:
        for key, awaited in (("1", "1 of 2"), ("\x03", "2 of 2")):
            seen = read_until(master, awaited + ":", seen)
            seen = read_until(master, "q quits", seen[seen.index(awaited) :])
            time.sleep(0.05)
            os.write(master, key.encode())
        seen = read_until(master, "interrupted", seen)
        assert child.wait(20) == 130
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
        os.close(master)
    assert "1 confirmed, kept in questions.jsonl; 1 left" in seen
    assert len(read_questions("questions.jsonl").questions) == 1


def read_until(terminal: int, awaited: str, seen: str, patience: float = 30) -> str:
    """Read a terminal until something stands there."""
    end = time.monotonic() + patience
    for _ in _until(end):
        if awaited in seen:
            return seen
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            seen += os.read(terminal, 65536).decode("utf-8", "replace")
    raise AssertionError(f"{awaited!r} is not in {seen!r}")


def _until(end: float) -> Iterator[None]:
    while time.monotonic() < end:
        yield None
