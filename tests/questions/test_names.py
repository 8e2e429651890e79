"""Names of documents in questions: exact, the same after NFC, behind the path of the corpus, and ambiguous."""

from __future__ import annotations

import json
import unicodedata

import pytest

from chunkscope import Document, Question, check, check_labels, read_corpus, read_questions
from chunkscope.questions.mending import fixed_lines
from chunkscope.questions.names import DocumentNames

NFC, NFD = (unicodedata.normalize(form, "ガイドブック.md") for form in ("NFC", "NFD"))


def corpus_of(folder, path, **files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return read_corpus(path)


@pytest.mark.parametrize(("there", "asked"), [(NFD, NFC), (NFC, NFD), (NFC, NFC), (NFD, NFD)])
def test_a_name_in_another_normal_form_is_the_one_document(there, asked):
    question = Question.of("q1", doc=asked, evidence="一つ", trap_docs=[asked])
    labels = check_labels([Document(there, "一つ。")], [question])
    assert [span.document for located in labels.valid for span in located.evidence] == [there]
    assert labels.valid[0].question.trap_docs == (there,)
    assert labels.valid[0].question.quotes == question.quotes
    assert labels.warnings == ()


def test_of_two_normal_forms_the_exact_one_counts_and_of_two_others_none():
    documents = [Document(NFC, "一つ。"), Document(NFD, "二つ。")]
    labels = check_labels(
        documents, [Question.of("q1", doc=NFC, evidence="一つ"), Question.of("q2", doc=NFD, evidence="二つ")]
    )
    assert len(labels.valid) == 2
    mixed = NFC[0] + unicodedata.normalize("NFD", NFC[1:])
    (problem,) = check_labels(documents, [Question.of("q1", doc=mixed, evidence="一つ")]).problems
    assert problem.problem == "ambiguous"
    assert "may be either of the documents" in problem.message


@pytest.mark.parametrize("typed", ["docs", "./docs", "docs/", "{tmp}/docs", "../{last}/docs"])
def test_the_path_of_the_corpus_as_it_is_typed_is_stripped(tmp_path, monkeypatch, typed):
    monkeypatch.chdir(tmp_path)
    typed = typed.format(tmp=tmp_path, last=tmp_path.name)
    corpus = corpus_of(tmp_path / "docs", typed or ".", **{"a.md": "一つ。", "sub/b.md": "二つ。"})
    prefix = typed.rstrip("/").removeprefix("./")
    asked = [Question.of("q1", doc=f"{prefix}/a.md", evidence="一つ", trap_docs=[f"{prefix}/sub/b.md", "./a.md"])]
    labels = check_labels(corpus, [*asked, Question.of("q2", doc="./sub/b.md", evidence="二つ")])
    assert [span.document for one in labels.valid for span in one.evidence] == ["a.md", "sub/b.md"]
    assert labels.valid[0].question.trap_docs == ("sub/b.md", "a.md")
    assert (labels.problems, labels.warnings) == ((), ())


def test_a_name_behind_another_folder_is_unknown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = corpus_of(tmp_path / "docs", "docs", **{"a.md": "一つ。"})
    (problem,) = check_labels(corpus, [Question.of("q1", doc="other/a.md", evidence="一つ")]).problems
    assert problem.problem == "unknown-document"


def test_where_both_exist_the_name_is_ambiguous_and_there_is_a_way_to_write_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = corpus_of(tmp_path / "docs", "docs", **{"a.md": "一つ。", "docs/a.md": "一つ。二つ。"})
    pinned = Question.of("q0", doc="docs/a.md", evidence="一つ", spans=[[0, 2]])
    labels = check_labels(corpus, [pinned, Question.of("q1", doc="docs/a.md", evidence="一つ")])
    assert [problem.problem for problem in labels.problems] == ["ambiguous", "ambiguous"]
    assert labels.problems[0].message == "'docs/a.md' may be either of the documents 'docs/a.md', 'a.md'"
    assert labels.problems[0].to_dict()["occurrences"] == []
    named = [Question.of("q1", doc="a.md", evidence="一つ"), Question.of("q2", doc="docs/docs/a.md", evidence="二つ")]
    assert [span.document for one in check_labels(corpus, named).valid for span in one.evidence] == [
        "a.md",
        "docs/a.md",
    ]


def test_one_file_is_named_by_its_path_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus_of(tmp_path / "docs", ".", **{"a.md": "一つ。"})
    asked = [Question.of("q1", doc="docs/a.md", evidence="一つ")]
    assert len(check_labels(read_corpus("docs/a.md"), asked).valid) == 1


def test_records_have_names_and_no_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs.jsonl").write_text('{"name": "a", "text": "x y"}\n{"name": "docs.jsonl/a", "text": "z"}\n')
    names = DocumentNames(read_corpus("docs.jsonl").names, "docs.jsonl")
    assert names.meant("docs.jsonl/a") == ("docs.jsonl/a",)


def test_fixing_leaves_the_name_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corpus = corpus_of(tmp_path / "docs", "docs", **{NFD: "上限は12円。"})
    line = {"id": "q1", "doc": f"docs/{NFC}", "evidence": "１２円"}
    (tmp_path / "q.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    questions = read_questions("q.jsonl")
    assert [json.loads(line) for line in fixed_lines(questions, check_labels(corpus, questions)) if line] == [
        {**line, "evidence": "12円"}
    ]


def test_a_check_counts_questions_whose_trap_docs_are_written_otherwise():
    documents = [Document(NFD, "一つ。"), Document("b.md", "二つ。")]
    asked = [
        Question.of("q1", doc="b.md", evidence="二つ", trap_docs=[NFC]),
        Question.of("q2", evidence=[], trap_docs=[NFC]),
        Question.of("q1", doc="b.md", evidence="二つ", trap_docs=[NFC]),
    ]
    result = check(documents, asked, "fixed(size=10)")
    assert [(one.id, one.kind) for one in result.asked] == [
        ("q1", "valid"),
        ("q2", "without-evidence"),
        ("q1", "excluded"),
    ]
