"""Question sets of other tools: each kind in each form, what is left out and why, and that an answer is its span."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from command_line import fails, put, run
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import ConfigError, DecodingError, InputError
from chunkscope.questions.check import check_labels
from chunkscope.questions.question import read_questions
from chunkscope.questions.sets.files import read_list, read_set_file
from chunkscope.questions.sets.importing import read_question_set
from chunkscope.questions.sets.model import Collector, FileNames, ImportOptions


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def put_json(path: str, value: object) -> None:
    put(path, json.dumps(value, ensure_ascii=False))


def put_lines(path: str, rows: list[Any]) -> None:
    put(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def put_table(path: str, rows: list[list[str]], delimiter: str = ",", encoding: str = "utf-8") -> None:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    put(path, buffer.getvalue().encode(encoding))


def squad(*articles: tuple[str, list[tuple[str, list[dict[str, Any]]]]]) -> dict[str, Any]:
    return {
        "version": "v2.0",
        "data": [
            {"title": title, "paragraphs": [{"context": context, "qas": asked} for context, asked in paragraphs]}
            for title, paragraphs in articles
        ],
    }


def asked(name: str, *answers: tuple[str, int], **more: Any) -> dict[str, Any]:
    listed = [{"text": text, "answer_start": start} for text, start in answers]
    return {"id": name, "question": f"{name}?", "answers": listed, **more}


# -- SQuAD ------------------------------------------------------------------------------------------------------


def test_an_article_becomes_a_document_and_its_answers_spans_in_it():
    put_json(
        "s.json",
        squad(("寺", [("奈良の大仏は高い。", [asked("a", ("大仏", 3))]), ("鐘は古い。", [asked("b", ("鐘", 0))])])),
    )
    found = read_question_set("s.json")
    [document] = found.documents
    assert (found.format, document.name, document.text) == ("squad", "寺.txt", "奈良の大仏は高い。\n\n鐘は古い。")
    assert [(one["doc"], one["evidence"], one["spans"]) for one in found.questions] == [
        ("寺.txt", ["大仏"], [[3, 5]]),
        ("寺.txt", ["鐘"], [[11, 12]]),
    ]


def test_a_question_without_an_answer_is_unanswerable_and_its_plausible_answer_is_none():
    context = "The bell is old."
    plausible = [{"text": "old", "answer_start": 12}]
    rows = [
        asked("a", is_impossible=True, plausible_answers=plausible),
        asked("b", is_impossible=False),
        asked("c", ("bell", 4), is_impossible=False),
    ]
    put_json("s.json", squad(("T", [(context, rows)])))
    found = read_question_set("s.json")
    assert [one["evidence"] for one in found.questions] == [[], [], ["bell"]]
    assert not any("plausible_answers" in one or "spans" in one for one in found.questions[:2])


def test_several_answers_are_choices_and_the_same_place_counts_once():
    put_json("s.json", squad(("T", [("Big old bell.", [asked("a", ("old", 4), ("old", 4), ("old bell", 4))])])))
    [one] = read_question_set("s.json").questions
    assert (one["evidence"], one["match"]) == (["old", "old bell"], "any")
    [all_needed] = read_question_set("s.json", options=ImportOptions(match="all")).questions
    assert all_needed["match"] == "all"


def test_flat_rows_are_grouped_by_title_and_a_paragraph_stands_once():
    row = {"title": "T", "context": "One. Two.", "question": "?", "answers": {"text": ["Two"], "answer_start": [5]}}
    other = {**row, "context": "Three.", "answers": {"text": ["Three"], "answer_start": [0]}}
    put_lines("s.jsonl", [{**row, "id": "1"}, {**other, "id": "2"}, {**row, "id": "3"}])
    found = read_question_set("s.jsonl")
    assert [document.text for document in found.documents] == ["One. Two.\n\nThree."]
    assert [one["spans"] for one in found.questions] == [[[5, 8]], [[11, 16]], [[5, 8]]]
    put_json("list.json", [{**row, "id": "1"}])
    put_json("data.json", {"version": "1", "data": [{**row, "id": "1"}]})
    put_table("s.csv", [[*row, "id"], ["T", "One. Two.", "?", "{'text': ['Two'], 'answer_start': [5]}", "1"]])
    for path in ("list.json", "data.json", "s.csv"):
        assert read_question_set(path).questions == found.questions[:1], path


def test_an_answer_that_is_not_where_it_says_is_found_if_it_stands_once_else_left_out():
    rows = [asked("a", ("bell", 0)), asked("b", ("e", 0)), asked("c", ("none", 0)), asked("d", ("old", -3))]
    put_json("s.json", squad(("T", [("The bell is old.", rows)])))
    found = read_question_set("s.json")
    assert [(one["id"], one["spans"]) for one in found.questions] == [("a", [[4, 8]]), ("d", [[12, 15]])]
    assert [reason for _, reason in found.left_out] == [
        "answer_start 0 is 'T', not 'e'",
        "answer_start 0 is 'The ', not 'none'",
    ]
    assert any("2 answers stand elsewhere" in note for note in found.notes)


def test_the_sentence_around_an_answer_can_be_quoted():
    put_json("s.json", squad(("T", [("First one. The bell is old. Last.", [asked("a", ("bell", 15))])])))
    [one] = read_question_set("s.json", options=ImportOptions(quote="sentence")).questions
    assert (one["evidence"], one["spans"], one["answer"]) == (["The bell is old."], [[11, 27]], "bell")


def test_what_is_broken_in_a_set_is_left_out_and_the_rest_goes_on():
    data = squad(("T", [("A bell.", [asked("a", ("bell", 2)), asked("a", ("A", 0)), {"id": "n", "answers": []}])]))
    data["data"] += [
        {"title": "no paragraphs"},
        "text",
        {"paragraphs": [{"context": "x"}, {"context": "", "qas": [asked("e")]}]},
    ]
    data["data"][0]["paragraphs"][0]["qas"] += ["text", {"id": "t", "question": "t?", "answers": [{"text": "bell"}]}]
    put_json("s.json", data)
    found = read_question_set("s.json")
    assert [one["id"] for one in found.questions] == ["a"]
    assert [str(reason) for _, reason in found.left_out] == [
        "no question",
        "no object",
        "its answers are no texts with 'answer_start'",
        "no paragraphs",
        "no paragraphs",
        "no questions ('qas')",
        "no context",
        "s.json:article 1, paragraph 1, question 1 has the id 'a' too",
    ]


contexts = st.text(st.sampled_from("ab 。大\n\r😀e\u0301|#"), min_size=1, max_size=30)


@given(st.lists(st.tuples(st.sampled_from(["T", "U", "t", "T/"]), contexts, st.data()), min_size=1, max_size=4))
def test_an_imported_answer_is_its_span(drawn: list[Any]) -> None:
    articles = []
    for number, (title, context, data) in enumerate(drawn):
        start = data.draw(st.integers(0, len(context) - 1))
        end = data.draw(st.integers(start + 1, len(context)))
        articles.append((title, [(context, [asked(str(number), (context[start:end], start))])]))
    put_json("p.json", squad(*articles))
    found = read_question_set("p.json")
    texts = {document.name: document.text for document in found.documents}
    assert len(found.questions) == len(drawn)
    for one, (_, [(_, [question])]) in zip(found.questions, articles, strict=True):
        [[start, end]] = one["spans"]
        assert texts[one["doc"]][start:end] == one["evidence"][0] == question["answers"][0]["text"]


# -- RAGAS and tables -------------------------------------------------------------------------------------------


def test_the_prefixes_of_hops_are_no_part_of_a_quote():
    quotes = ["<1-hop>\n\nThe shop's open at 9.", '<2-hop>\n\n"Closed" on\nSunday.', "plain <1-hop> stays"]
    right = ["The shop's open at 9.", '"Closed" on\nSunday.', "plain <1-hop> stays"]
    put_table("r.csv", [["user_input", "reference_contexts", "reference"], ["When?", repr(quotes), "At 9"]])
    put_lines("r.jsonl", [{"user_input": "When?", "reference_contexts": quotes, "reference": "At 9"}])
    for path in ("r.csv", "r.jsonl"):
        found = read_question_set(path)
        assert found.format == "ragas"
        assert found.questions == ({"id": "q1", "question": "When?", "evidence": right, "answer": "At 9"},)


def test_old_columns_are_known_and_what_was_retrieved_is_no_evidence():
    put_lines("old.jsonl", [{"question": "?", "contexts": ["a b"], "ground_truth": "a", "evolution_type": "simple"}])
    [one] = read_question_set("old.jsonl").questions
    assert (one["evidence"], one["answer"]) == (["a b"], "a")
    put_lines("run.jsonl", [{"question": "?", "contexts": ["a b"], "ground_truth": "a", "answer": "it is a"}])
    found = read_question_set("run.jsonl")
    assert (found.questions, found.unquoted[0]["answer"]) == ((), "a")
    assert any("what a system retrieved" in note for note in found.notes)
    taken = read_question_set("run.jsonl", options=ImportOptions({"evidence": "contexts"}))
    assert taken.questions[0]["evidence"] == ["a b"]


@pytest.mark.parametrize(
    ("cell", "right"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'it\\'s', \"b's\"]", ["a", "it's", "b's"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("[]", []),
        ("[1, 2]", "[1, 2]"),
        ("[see 3]", "[see 3]"),
        ("['a', open('x')]", "['a', open('x')]"),
        ("['a' 'b'   x]", "['a' 'b'   x]"),
        ("[" + "'a'   " * 3000 + "x]", "[" + "'a'   " * 3000 + "x]"),
        ("plain", "plain"),
    ],
)
def test_lists_in_cells_are_read_and_nothing_is_run(cell: str, right: object) -> None:
    assert read_list(cell) == right


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_tables_of_any_usual_form_are_read(delimiter: str, encoding: str) -> None:
    rows = [["質問", "根拠", "ファイル", "備考", ""], ["上限は？", "上限は1万円,\r\nとする。", "a.md", "", "0"]]
    put_table("t.csv", rows, delimiter, encoding)
    [one] = read_question_set("t.csv").questions
    assert one == {"id": "q1", "question": "上限は？", "doc": "a.md", "evidence": ["上限は1万円,\r\nとする。"]}


def test_our_own_lines_come_back_as_they_were():
    lines = [
        {"id": "q1", "question": "a?", "doc": "a.md", "evidence": ["x"], "spans": [[0, 1]], "match": "any"},
        {"id": "q2", "question": "b?", "evidence": []},
        {"id": "q3", "question": "c?", "evidence": [{"doc": "a.md", "text": "x", "start": 0}], "trap_docs": ["b.md"]},
        {"id": "q4", "question": "d?", "doc": "a.md", "evidence": ['["a"] ', " <1-hop> b", " <1-hop> b"], "n": 1},
    ]
    put_lines("q.jsonl", lines)
    assert list(read_question_set("q.jsonl").questions) == lines


def test_rows_that_cannot_be_used_are_left_out_one_by_one():
    rows = [
        ["id", "question", "evidence"],
        ["1", "a?", "x"],
        ["1", "b?", "y"],
        ["2", " ", "y"],
        ["3", "c?"],
        ["4", "d?", ""],
        ["5", "e?", "z"],
    ]
    put_table("t.csv", rows)
    put("t.csv", Path("t.csv").read_bytes() + b'6,f?,"not closed\n7,g?,w\n')
    found = read_question_set("t.csv")
    assert [one["id"] for one in found.questions] == ["1", "5"]
    assert [one["id"] for one in found.unquoted] == ["4"]
    assert found.told() == [
        "t.csv:3: left out: t.csv:2 has the id '1' too",
        "t.csv:4: left out: no question",
        "t.csv:5: left out: 2 columns, not 3 as in the first line",
        "t.csv:8: left out: not CSV from here on: unexpected end of data",
    ]


def test_bad_lines_of_json_are_left_out_one_by_one():
    put(
        "q.jsonl",
        '{"question": "a?", "evidence": "x"}\nnot json\n[1]\n{"question": "b?", "evidence": [3]}\n\n{"question": "c?", "evidence": "\\ud800"}\n',
    )
    found = read_question_set("q.jsonl")
    assert [one["id"] for one in found.questions] == ["q1"]
    assert [place for place, _ in found.left_out] == [f"q.jsonl:{n}" for n in (2, 3, 4, 6)]


def test_what_many_rows_have_in_common_is_told_in_one_line():
    put_table("t.csv", [["question", "evidence"], *([["", "x"]] * 5), ["a?", "x"]])
    assert read_question_set("t.csv").told() == ["t.csv:2, t.csv:3, t.csv:4, and 2 more: left out: no question"]


def test_a_field_may_be_huge():
    put_table("t.csv", [["question", "evidence"], ["a?", "x" * 300_000]])
    before = csv.field_size_limit()
    [one] = read_question_set("t.csv").questions
    assert len(one["evidence"][0]) == 300_000
    assert csv.field_size_limit() == before


def test_columns_can_be_named_and_wrong_names_are_told():
    put_table("t.csv", [["Prompt text", "Source"], ["a?", "x"]])
    options = ImportOptions({"question": "Prompt text", "evidence": "Source"})
    assert read_question_set("t.csv", options=options).questions[0]["evidence"] == ["x"]
    with pytest.raises(InputError, match=r"no column 'Promt text' for 'question'; did you mean 'Prompt text'"):
        read_question_set("t.csv", options=ImportOptions({"question": "Promt text"}))
    with pytest.raises(ConfigError, match=r"no field 'quesion' to map; did you mean 'question'"):
        read_question_set("t.csv", options=ImportOptions({"quesion": "Source"}))
    with pytest.raises(InputError, match=r"t.csv: no column is the question \(there are Prompt text, Source\)"):
        read_question_set("t.csv")


def test_whole_files_that_cannot_be_read_are_one_line():
    put("empty.csv", "")
    put("head.csv", "question,evidence\n")
    put("cp932.csv", "質問,根拠\n上限は？,一万円\n".encode("cp932"))
    put("broken.json", '{"data": [')
    put("list.json", "[1, 2]")
    put("data.json", '{"data": []}')
    put("nan.jsonl", '{"question": NaN}\n{"question": "a?", "n": 1e999}\n')
    put("twice.csv", "question,question\na,b\n")
    put("x.xlsx", b"PK\x03\x04....")
    os.mkdir("folder")
    for path, reason in {
        "empty.csv": "empty.csv: no question in it",
        "head.csv": "head.csv: no question in it",
        "broken.json": "broken.json:1: not JSON: Expecting value at column 11",
        "list.json": "list.json: no question in it (list.json:1: not an object, but a number)",
        "data.json": "data.json: no question in it",
        "nan.jsonl": "nan.jsonl: no question in it (nan.jsonl:1: not JSON: NaN is no number)",
        "twice.csv": "twice.csv:1: a column stands twice: 'question'",
        "folder": "folder: is a folder; one of BEIR would have corpus.jsonl, queries.jsonl and qrels/*.tsv",
        "nothing.csv": "nothing.csv: no such file or folder",
    }.items():
        with pytest.raises(InputError) as raised:
            read_question_set(path)
        assert str(raised.value) == reason
    with pytest.raises(DecodingError, match=r"^cp932.csv: byte 0 is not UTF-8; give --encoding, e.g. cp932$"):
        read_question_set("cp932.csv")
    with pytest.raises(DecodingError, match="zip archive"):
        read_question_set("x.xlsx")
    [one] = read_question_set("cp932.csv", options=ImportOptions(encoding="cp932")).questions
    assert one["evidence"] == ["一万円"]


def test_the_format_decides_where_it_is_named():
    put_lines(
        "q.jsonl", [{"question": "a?", "context": "Big bell.", "answers": {"text": ["bell"], "answer_start": [4]}}]
    )
    assert read_question_set("q.jsonl").format == "squad"
    assert read_question_set("q.jsonl", "csv").questions[0]["evidence"] == ["Big bell."]
    put_lines("r.jsonl", [{"question": "a?", "evidence": "x"}])
    with pytest.raises(InputError, match=r"r\.jsonl: not SQuAD"):
        read_question_set("r.jsonl", "squad")
    with pytest.raises(InputError, match="of a set of BEIR name the folder"):
        read_question_set("r.jsonl", "beir")
    with pytest.raises(ConfigError, match="did you mean 'squad'"):
        read_question_set("r.jsonl", "sqad")  # type: ignore[arg-type]


# -- BEIR -------------------------------------------------------------------------------------------------------


def put_beir(qrels: str, name: str = "test.tsv") -> None:
    put_lines(
        "b/corpus.jsonl",
        [
            {"_id": "d1", "title": "Bells", "text": "They are old."},
            {"_id": "d/2", "title": "", "text": "Two."},
            {"_id": "d3", "text": ""},
        ],
    )
    put_lines("b/queries.jsonl", [{"_id": n, "text": f"q {n}", "metadata": {"k": "v"}} for n in ("1", "2", "3")])
    put(f"b/qrels/{name}", qrels)


def test_relevant_documents_are_quoted_whole():
    put_beir("query-id\tcorpus-id\tscore\n1\td1\t1\n1\td/2\t0\n3\td1\t2\n3\td/2\t1\n3\td3\t1\n9\td1\t1\n")
    found = read_question_set("b")
    assert [(one.name, one.text) for one in found.documents] == [
        ("d1.txt", "Bells\n\nThey are old."),
        ("d_2.txt", "Two."),
    ]
    bells, two = ({"doc": one.name, "text": one.text} for one in found.documents)
    assert list(found.questions) == [
        {"id": "1", "question": "q 1", "evidence": [bells], "k": "v"},
        {"id": "3", "question": "q 3", "evidence": [bells, two], "match": "any", "k": "v"},
    ]
    assert found.told() == [
        "b/queries.jsonl:3: left out: document 'd3' is not in corpus.jsonl, or empty".replace("/", os.sep, 1)
    ]
    assert [str(note) for note in found.notes[1:3]] == [
        "1 query is left out: not judged in qrels/test.tsv",
        "1 judged query is not in queries.jsonl",
    ]
    assert read_question_set("b/queries.jsonl").questions == found.questions


def test_judgements_are_chosen_by_name_and_may_be_those_of_trec():
    put_beir("1 0 d1 1\n", "dev.tsv")
    put("b/qrels/test.tsv", "query-id\tcorpus-id\tscore\n2\td1\t1\nbroken\n")
    assert [one["id"] for one in read_question_set("b").questions] == ["2"]
    assert [one["id"] for one in read_question_set("b", options=ImportOptions(split="dev")).questions] == ["1"]
    with pytest.raises(InputError, match="no judgements 'train'; there are dev, test"):
        read_question_set("b", options=ImportOptions(split="train"))


# -- proposals, names, the command ------------------------------------------------------------------------------


def test_only_confirmed_proposals_become_questions():
    proposals = [{"n": 1, "doc": "a.md", "text": "x"}, {"n": 2, "doc": "b.md", "text": "y", "start": 7}]
    base = {"question": "?", "answer": "z", "proposals": proposals}
    rows = [{**base, "id": str(n), "confirmed": said} for n, said in enumerate([None, 1, [1, 2], [], 3, True])]
    put_lines("p.jsonl", rows)
    found = read_question_set("p.jsonl")
    assert list(found.questions) == [
        {"id": "1", "question": "?", "doc": "a.md", "evidence": ["x"], "answer": "z"},
        {
            "id": "2",
            "question": "?",
            "evidence": [{"doc": "a.md", "text": "x"}, {"doc": "b.md", "text": "y", "start": 7}],
            "answer": "z",
        },
        {"id": "3", "question": "?", "evidence": [], "answer": "z"},
    ]
    assert [place for place, _ in found.left_out] == ["p.jsonl:5", "p.jsonl:6"]
    assert found.notes == ("1 question is not confirmed yet and stays out",)


@given(st.lists(st.text(max_size=120), max_size=8))
def test_names_are_files_and_no_two_are_one(titles: list[str]) -> None:
    names = FileNames()
    found = [names.of(title) for title in titles]
    assert len({name.casefold() for name in found}) == len(found)
    assert all(len(name) < 130 and not set(name) & set('/\\:*?"<>|\0\n') and not name.startswith(".") for name in found)


def test_the_command_writes_questions_and_documents_that_are_sound():
    put_json("s.json", squad(("寺", [("奈良の大仏は高い。\r\n奈良。", [asked("a", ("奈良", 11)), asked("b")])])))
    result = run("questions", "import", "s.json")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "questions.jsonl: 2 questions (squad), 1 without an answer in the documents",
        "documents.jsonl: 1 document",
        "next: chunkscope labels documents.jsonl -q questions.jsonl",
    ]
    labels = check_labels(read_corpus("documents.jsonl"), read_questions("questions.jsonl"))
    assert (len(labels.valid), len(labels.without_evidence), labels.problems, labels.warnings) == (1, 1, (), ())
    assert run("labels", "documents.jsonl", "-q", "questions.jsonl").exit_code == 0
    assert "is there already, and stays as it is" in fails("questions", "import", "s.json")
    assert run("questions", "import", "s.json", "-o", "q.jsonl", "--documents", "docs").exit_code == 0
    assert Path("docs/寺.txt").read_bytes().decode() == "奈良の大仏は高い。\r\n奈良。"
    assert run("labels", "docs", "-q", "q.jsonl").exit_code == 0
    told = fails("questions", "import", "s.json", "-o", "q.jsonl", "--documents", "docs", "--quiet")
    assert told == "chunkscope: docs: is not empty; name a new folder, or a .jsonl file"


def test_the_command_says_what_is_left_out_and_writes_nothing_where_nothing_is_left():
    put_table("t.csv", [["question", "answer"], ["a?", "x"], ["", "y"]])
    result = run("questions", "import", "t.csv")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "chunkscope: t.csv:3: left out: no question",
        "chunkscope: warning: t.csv: 1 question has no quote and is left out; `chunkscope questions locate t.csv` proposes some",
        "chunkscope: t.csv: no question that can be used; nothing is written",
    ]
    assert not Path("questions.jsonl").exists()


def test_a_set_of_the_shared_data_is_imported_as_it_was_made():
    home = os.environ.get("CHUNKSCOPE_DATA")
    if not home:
        pytest.skip("CHUNKSCOPE_DATA names no folder")
    path = Path(home) / "jaquad_dev_ja"
    documents = {one.name: one.text for one in read_corpus(path / "docs")}
    rows = [json.loads(line) for line in (path / "questions.jsonl").read_text("utf-8").splitlines()]
    flat = []
    for row in rows:
        text, (start, end) = documents[row["doc"]], row["answer_span"]
        answers = {"text": [row["answer"]], "answer_start": [start]}
        assert text[start:end] == row["answer"]
        flat.append(
            {"id": row["id"], "title": row["doc"], "context": text, "question": row["question"], "answers": answers}
        )
    put_lines("flat.jsonl", flat)
    found = read_question_set("flat.jsonl")
    assert (len(found.questions), len(found.documents), found.left_out) == (len(rows), len(documents), ())
    assert [one["spans"] for one in found.questions] == [[row["answer_span"]] for row in rows]
    found = read_question_set("flat.jsonl", options=ImportOptions(quote="sentence"))
    held = sum(one["spans"][0][0] <= row["spans"][0][0] + 1 for one, row in zip(found.questions, rows, strict=True))
    assert held > 0.9 * len(rows)


def test_a_file_is_read_by_its_beginning_whatever_its_suffix():
    put("a.csv", '{"question": "a?", "evidence": "x"}\n')
    assert read_set_file("a.csv").rows[0].values["question"] == "a?"


def test_what_is_nested_too_deeply_is_left_out():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    found = Collector("deep.jsonl")
    found.add(1, {"question": "?", "more": deep})
    found.add(2, {"question": "?", "evidence": []})
    assert [str(one.reason) for one in found.left_out] == ["it is nested too deeply"]
    assert len(found.questions) == 1
