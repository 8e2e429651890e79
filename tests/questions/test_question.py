"""Reading questions: forms of evidence, names of fields, and bad lines."""

from __future__ import annotations

import json

import pytest

from chunkscope.errors import ConfigError, DecodingError, InputError
from chunkscope.questions.question import Question, Quote, read_questions


def questions(tmp_path, *rows, raw=None, fields=None):
    path = tmp_path / "questions.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_bytes(raw if raw is not None else "\n".join(lines).encode())
    return read_questions(path, fields=fields)


def entries(tmp_path, **row):
    return questions(tmp_path, {"id": "q", **row}).questions[0].quotes


def test_a_byte_order_mark_crlf_and_blank_lines_are_no_records(tmp_path):
    raw = b'\xef\xbb\xbf{"id":"q1","evidence":["\xe7\x94\xb2"]}\r\n{"id":"q2","evidence":["x"]}\r\n\r\n'
    read = questions(tmp_path, raw=raw)
    assert [(question.id, question.line) for question in read.questions] == [("q1", 1), ("q2", 2)]
    assert read.warnings == ()


def test_line_separators_of_unicode_end_no_line(tmp_path):
    (question,) = questions(tmp_path, {"id": "q", "evidence": "a\u2028b\x85c"}).questions
    assert question.quotes[0].text == "a\u2028b\x85c"


def test_all_fields(tmp_path):
    row = {
        "id": 3,
        "question": "いくら？",
        "doc": "a.md",
        "evidence": ["x", "y"],
        "match": "any",
        "spans": [[0, 1], None],
        "trap_docs": ["b.md"],
        "table": {"header": "| a |"},
    }
    (question,) = questions(tmp_path, row).questions
    assert question == Question(
        "3", "いくら？", (Quote("a.md", "x", (0, 1)), Quote("a.md", "y")), "any", ("b.md",), {"table": row["table"]}, 1
    )
    assert question.record == row


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"evidence": "x"}, [Quote(None, "x")]),
        ({"evidence": "x", "spans": [[1, 2]]}, [Quote(None, "x", (1, 2))]),
        ({"evidence": "x", "spans": [1, 2]}, [Quote(None, "x", (1, 2))]),
        ({"evidence": ["x"], "spans": []}, [Quote(None, "x")]),
        ({"evidence": ["x"], "spans": None, "doc": None, "match": None}, [Quote(None, "x")]),
        ({"evidence": {"doc": "b.md", "text": "xy", "start": 4}}, [Quote("b.md", "xy", (4, 6))]),
        ({"evidence": [{"text": "x"}, "y"], "doc": "a.md"}, [Quote("a.md", "x"), Quote("a.md", "y")]),
        ({"evidence": [{"text": "x", "start": None}]}, [Quote(None, "x")]),
        ({"evidence": [{"text": "x", "start": 1, "end": 9}]}, [Quote(None, "x", (1, 9))]),
        ({"evidence": []}, []),
        ({}, [Quote()]),
        ({"evidence": None, "doc": "a.md"}, [Quote("a.md")]),
        ({"evidence": [None, ""]}, [Quote(), Quote(None, "")]),
        ({"evidence": [], "spans": []}, []),
    ],
)
def test_forms_of_evidence(tmp_path, row, expected):
    assert list(entries(tmp_path, **row)) == expected


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"evidence": 5}, "'evidence' entry 1 must be a string or an object, not a number"),
        ({"evidence": ["x", ["y"]]}, "'evidence' entry 2 must be a string or an object, not a list"),
        ({"evidence": ["x"], "spans": [[0, 1], [1, 2]]}, "'spans' has 2 for 1 evidence entry"),
        ({"evidence": ["x", "y"], "spans": [0, 1]}, "pairs of integers, not 0"),
        ({"evidence": ["x"], "spans": [[0, 1.0]]}, "pairs of integers"),
        ({"evidence": ["x"], "spans": [[0, True]]}, "pairs of integers"),
        ({"evidence": ["x"], "spans": {"start": 0}}, "'spans' must be a list"),
        ({"evidence": [{"text": 5}]}, "'evidence' entry 1: text must be a string"),
        ({"evidence": [{"text": "x", "start": "3"}]}, "start must be an integer, not '3'"),
        ({"evidence": [{"text": "x", "start": 3}], "spans": [[5, 6]]}, "its start says [3, 4], 'spans' says [5, 6]"),
        ({"doc": ["a.md"]}, "'doc' must be one name"),
        ({"doc": 5}, "'doc' must be a string, not a number"),
        ({"match": "some"}, "'match' must be 'all' or 'any', not 'some'"),
        ({"question": ["?"]}, "'question' must be a string"),
        ({"trap_docs": [1]}, "'trap_docs' must be a list of strings"),
        ({"id": 1.5}, "'id' must be a string, not a number"),
        ({"id": True}, "'id' must be a string, not a boolean"),
    ],
)
def test_ill_typed_fields_are_bad_lines(tmp_path, row, message):
    with pytest.raises(InputError, match=r"questions\.jsonl:1: ") as caught:
        questions(tmp_path, {"id": "q", **row})
    assert message in str(caught.value)


def test_all_bad_lines_are_in_one_message(tmp_path):
    good = {"id": "a", "evidence": []}
    with pytest.raises(InputError, match=r"jsonl:2: not JSON: .* \(and 3 more bad lines: 4, 5, 6\)$") as caught:
        questions(tmp_path, good, '{"id": ', good, "[1]", '"x"', "nul")
    assert "\n" not in str(caught.value)


def test_a_json_list_is_told_what_is_wanted(tmp_path):
    with pytest.raises(InputError, match="a list; write one object a line"):
        questions(tmp_path, '[{"id": "q"}]')


def test_other_encodings_are_refused_with_line_and_offset(tmp_path):
    with pytest.raises(DecodingError, match=r"questions\.jsonl:2: byte 10 is not UTF-8; save the questions as UTF-8"):
        questions(tmp_path, raw=b'{"id":1}\n"\x83e"')
    with pytest.raises(DecodingError, match="byte 3 is not"):
        questions(tmp_path, raw=b"\xef\xbb\xbf\xff")


def test_no_such_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="a folder, not a file"):
        read_questions(tmp_path)


def test_fields_can_have_other_names(tmp_path):
    fields = {"evidence": "reference_contexts", "question": "user_input"}
    read = questions(
        tmp_path, {"id": "q", "user_input": "?", "reference_contexts": ["x"], "evidence": "own"}, fields=fields
    )
    (question,) = read.questions
    assert (question.question, question.quotes) == ("?", (Quote(None, "x"),))
    assert question.attributes == {"evidence": "own"}
    assert read.fields == fields


def test_mapping_faults_are_told(tmp_path):
    with pytest.raises(ConfigError, match="no field 'evidense' to map; did you mean 'evidence'"):
        questions(tmp_path, fields={"evidense": "x"})
    read = questions(tmp_path, {"id": "q"}, fields={"evidence": "contexts"})
    assert any("no line has the field 'contexts'" in warning for warning in read.warnings)


def test_near_names_are_warned_of_once_and_other_attributes_are_not(tmp_path):
    row = {"qid": "x", "category": "happy", "reference": "r", "answer_span": [1, 2], "occurrences": [1]}
    assert questions(tmp_path, {"id": "q", "doc": "a.md", "evidence": ["x"], **row}).warnings == ()
    read = questions(tmp_path, *({"id": str(n), "evidnce": ["x"], "document": "a.md"} for n in range(3)))
    assert sorted(warning.split("line 1: ")[1] for warning in read.warnings) == [
        "unknown field 'document'; did you mean 'doc'?",
        "unknown field 'evidnce'; did you mean 'evidence'?",
    ]


def test_questions_without_id_go_by_their_line(tmp_path):
    read = questions(tmp_path, {"evidence": []}, "", {"id": "", "evidence": []})
    assert [question.id for question in read.questions] == ["line 1", "line 3"]
    assert "2 questions have no 'id'" in read.warnings[0]


def test_an_empty_file_holds_no_question(tmp_path):
    read = questions(tmp_path, raw=b"\n")
    assert read.questions == ()
    assert read.warnings[0].endswith("no question in it")


def test_questions_can_be_made_in_one_line():
    question = Question.of("q1", "いくら？", doc="a.md", evidence=("x",), spans=[(3, 4)], kind="price")
    assert question.quotes == (Quote("a.md", "x", (3, 4)),)
    assert (question.question, question.attributes, question.is_answerable) == ("いくら？", {"kind": "price"}, True)
    assert not Question.of("q2", evidence=[]).is_answerable
    with pytest.raises(InputError, match="'match' must be"):
        Question.of("q3", match=["all"])


def test_real_question_files_read_as_they_are(data):
    sizes = {
        "chroma_eval/questions.jsonl": (472, 790),
        "jaquad_dev_ja/questions.jsonl": (3939, 3939),
        "nagisa_ja/questions.jsonl": (30, 56),
        "nagisa_ja/questions_table.jsonl": (12, 12),
        "nagisa_ja/unanswerable.jsonl": (4, 0),
        "tables/questions.jsonl": (68, 68),
        "tables/questions_html.jsonl": (6, 6),
        "speed/questions.jsonl": (10_000, 10_000),
    }
    for name, (n_questions, n_entries) in sizes.items():
        read = read_questions(data / name)
        assert (len(read.questions), sum(len(question.quotes) for question in read.questions)) == (
            n_questions,
            n_entries,
        )
        assert read.warnings == ()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Question("q1", "What?", "a.md", ["Hello"]), "question 'q1': quotes must be a tuple of Quote; Question.of("),
        (lambda: Question("q1", "What?", ("Hello",)), "quotes must be a tuple of Quote"),
        (lambda: Question(1), "the id of a question must be a string, not a number"),
        (lambda: Question(""), "a question needs an id"),
        (lambda: Question.of(None), "a question needs an id"),
        (lambda: Question.of(10**5_000), "'id' is a number of thousands of digits; write it as a string"),
        (lambda: Question("q\ud83d"), "the id of a question: character 1 is half of a surrogate pair"),
        (lambda: Question("q1", b"?"), "question 'q1': the question must be a string, not bytes"),
        (lambda: Question("q1", match="some"), "question 'q1': match must be 'all' or 'any', not a string"),
        (lambda: Question("q1", trap_docs="a.md"), "question 'q1': trap_docs must be a tuple of strings"),
        (lambda: Question("q1", attributes=[]), "question 'q1': attributes must be a mapping, not a list"),
        (lambda: Quote(5, "x"), "the document of a quote must be a string, not a number"),
        (lambda: Quote("a.md", ["x"]), "the text of a quote must be a string, not a list"),
        (lambda: Quote("a.md", "\udc00"), "the text of a quote: character 0 is half of a surrogate pair"),
        (lambda: Quote("a.md", "x", [0, 1]), "the span of a quote must be a tuple of two int, or None"),
        (lambda: Quote("a.md", "x", (0, True)), "the span of a quote must be a tuple of two int, or None"),
        (lambda: Quote("a.md", "x", (0, 10**5_000)), "the span of a quote has a number that no text reaches"),
    ],
)  # fmt: skip
def test_what_is_no_question_is_refused_where_it_is_made(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    ['{"id": %s, "evidence": []}', '{"id": "q", "evidence": ["x"], "spans": [[0, %s]]}', '{"id": "q", "price": %s}'],
)
def test_a_number_of_thousands_of_digits_is_a_bad_line(tmp_path, line):
    with pytest.raises(InputError, match=r"questions\.jsonl:2: not JSON .* thousands of digits$"):
        questions(tmp_path, '{"id": "p", "evidence": []}', line % ("9" * 5_000))
    with pytest.raises(InputError, match=r"questions\.jsonl:1: .*(number|spans)") as caught:
        questions(tmp_path, '{"id": "q", "evidence": ["x"], "spans": [[0, %s]]}' % ("9" * 4_000))
    assert len(str(caught.value)) < 500
