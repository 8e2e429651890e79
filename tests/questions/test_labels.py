"""The label check: what stands, what does not and why, and what can be mended without guessing."""

from __future__ import annotations

import dataclasses
import json
import re
import unicodedata
from itertools import chain, takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import InputError, LabelError
from chunkscope.questions import problems
from chunkscope.questions.check import check_labels
from chunkscope.questions.labels import LISTED
from chunkscope.questions.mending import fix_labels, fixed_lines
from chunkscope.questions.near_miss import REASONS, FoldedText, fold_text, folded_matches
from chunkscope.questions.problems import QuotePlaces
from chunkscope.questions.question import Question, Quote, read_questions
from chunkscope.questions.quote_search import Context, QuoteIndex, occurrences, shared_length, unique_extension
from chunkscope.questions.rendered import RenderedText, rendered
from chunkscope.questions.scaffold import first_questions
from chunkscope.questions.similarity import STRONG, PieceIndex, align, likely_places


def check(text_or_texts, **fields):
    """Check one question, `q`, against one document, `a.md`, or several."""
    named = text_or_texts if isinstance(text_or_texts, dict) else {"a.md": text_or_texts}
    return check_labels([Document(name, text) for name, text in named.items()], [Question.of("q", **fields)])


def problem(text_or_texts, **fields):
    labels = check(text_or_texts, **fields)
    assert labels.valid == ()
    (only,) = labels.problems
    return only


def spans(labels):
    return [tuple(evidence) for resolved in labels.valid for evidence in resolved.evidence]


# -- what stands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "quote", "span"),
    [
        ("“見積”は10日です。", "10日", (5, 8)),
        ("前\0半。後半の証拠。", "後半の証拠。", (4, 10)),
        ('id,備考\n1,"一行目\n二行目"\n2,終\n', '"一行目\n二行目"', (8, 17)),
        ("一行目\r\n二行目の証拠\r\n三行目\r\n", "二行目の証拠", (5, 11)),
        ("料金は１２０円です。税込みで１３２円。", "１３２円", (14, 18)),
        ("株価は\u00a0上昇\u200bした。", "上昇\u200bした。", (4, 10)),
        ("😀😀証拠", "証拠", (2, 4)),
    ],
)
def test_a_quote_that_stands_once_has_its_span_in_code_points(text, quote, span):
    assert spans(check(text, doc="a.md", evidence=quote)) == [("a.md", *span)]
    assert spans(check(text, evidence=[quote])) == [("a.md", *span)]


def test_a_pin_chooses_among_several_places():
    text = "開場は九時です。閉場は五時です。開場は九時です。"
    assert spans(check(text, doc="a.md", evidence=["開場は九時です。"], spans=[[16, 24]])) == [("a.md", 16, 24)]
    assert spans(check(text, evidence=["開場は九時です。"], spans=[[16, 24]])) == [("a.md", 16, 24)]
    assert spans(check(text, evidence=[{"doc": "a.md", "text": "開場は九時です。", "start": 0}])) == [("a.md", 0, 8)]


def test_the_named_document_is_the_only_one_searched():
    named = {"a.md": "保証は二年です。", "b.md": "旧版：保証は二年です。新版：三年。"}
    assert spans(check(named, doc="a.md", evidence=["保証は二年です。"])) == [("a.md", 0, 8)]
    assert spans(check(named, evidence=["三年"])) == [("b.md", 14, 16)]
    ambiguous = problem(named, evidence=["保証は二年です。"])
    assert ambiguous.problem == "ambiguous"
    assert [(place.document, place.start) for place in ambiguous.occurrences] == [("a.md", 0), ("b.md", 3)]
    assert "name its document" in ambiguous.message


def test_evidence_may_stand_in_several_documents():
    labels = check(
        {"a.md": "一", "b.md": "二"},
        evidence=[{"doc": "b.md", "text": "二"}, {"doc": "a.md", "text": "一", "start": 0}],
    )
    assert spans(labels) == [("b.md", 0, 1), ("a.md", 0, 1)]


def test_the_same_span_twice_counts_once_with_a_warning():
    labels = check("一二三", doc="a.md", evidence=["二", "三", "二"])
    assert spans(labels) == [("a.md", 1, 2), ("a.md", 2, 3)]
    assert labels.warnings == ("q: evidence entries 1 and 3 are the same passage; it counts once",)


def test_no_evidence_is_counted_apart_and_the_three_kinds_make_the_total():
    asked = [Question.of("a", evidence="一"), Question.of("b", evidence=[]), Question.of("c", evidence=["四", "五"])]
    labels = check_labels([Document("a.md", "一二三")], asked)
    assert [question.id for question in labels.without_evidence] == ["b"]
    assert [first.id for first in labels.excluded] == ["c"]
    assert len(labels.problems) == 2
    assert labels.total == 3
    as_json = json.loads(json.dumps(labels.to_dict()))
    assert {key: as_json[key] for key in ("format", "questions", "valid", "without_evidence", "excluded")} == {
        "format": 1, "questions": 3, "valid": 1, "without_evidence": 1, "excluded": 1,
    }  # fmt: skip
    assert {"id", "line", "problem", "message", "document", "occurrences"} <= as_json["problems"][0].keys()


def test_no_questions_at_all():
    labels = check_labels([Document("a.md", "")], [])
    assert (labels.total, labels.problems) == (0, ())
    labels.require_valid()


def test_unknown_trap_documents_are_warned_of():
    labels = check("一", evidence="一", trap_docs=["a.md", "z.md"])
    assert labels.warnings == ("q: trap_docs names 'z.md', which is not in the corpus",)
    assert len(labels.valid) == 1


def test_two_documents_of_one_name_are_refused():
    with pytest.raises(InputError, match="two documents"):
        check_labels([Document("a.md", "x"), Document("a.md", "y")], [])


def test_a_generator_of_documents_is_enough():
    labels = check_labels(
        (Document(name, "二二") for name in ("a.md", "b.md")), [Question.of("q", doc="b.md", evidence="二")]
    )
    assert labels.problems[0].occurrences[1].start == 1


# -- problems ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quote", ["", " ", "\n", "\u3000", "\u200b", "\0", None])
def test_blank_evidence_is_empty_and_never_searched(quote):
    for fields in ({"evidence": [quote]}, {"evidence": quote}, {"evidence": [quote], "doc": "a.md", "spans": [[0, 1]]}):
        found = problem("本文です。 以上。\n\u3000\u200b\0", **fields)
        assert (found.id, found.problem, found.occurrences) == ("q", "empty", ())
        assert "empty evidence" in found.message
        assert "\n" not in found.message


def test_a_missing_evidence_field_is_empty_evidence():
    assert problem("本文").problem == "empty"


def test_every_problem_of_a_question_is_listed_and_one_spoils_it():
    labels = check("一二二", doc="a.md", evidence=["一", "二", "", "四", {"doc": "z.md", "text": "一"}])
    assert [(found.problem, found.entry) for found in labels.problems] == [
        ("ambiguous", 1), ("empty", 2), ("missing", 3), ("unknown-document", 4),
    ]  # fmt: skip
    assert labels.valid == ()
    assert [first.problem for first in labels.excluded] == ["ambiguous"]


def test_the_second_of_two_ids_is_the_problem():
    asked = [Question.of("q", evidence="一"), Question.of("q", evidence="二")]
    labels = check_labels([Document("a.md", "一二")], asked)
    assert [resolved.evidence[0].start for resolved in labels.valid] == [0]
    assert [(found.problem, found.message) for found in labels.problems] == [
        ("duplicate-id", "question 1 has the id 'q' too")
    ]


def test_an_ambiguous_quote_shows_every_place_and_the_shortest_unique_passage():
    found = problem("開場は九時です。閉場は五時です。開場は九時です。", doc="a.md", evidence="開場は九時です。")
    assert found.problem == "ambiguous"
    assert [(place.start, place.line, place.column) for place in found.occurrences] == [(0, 1, 1), (16, 1, 17)]
    assert [place.unique for place in found.occurrences] == ["開場は九時です。閉場", "。開場は九時です。"]
    assert "a.md:1:1, a.md:1:17" in found.message
    assert found.fix is None


def test_overlapping_places_count():
    found = problem("## 注意\n取扱注意。\n## 注意\n取扱注意。\n## 注意\n取扱注意。\n", evidence="取扱注意。")
    assert [place.start for place in found.occurrences] == [6, 18, 30]
    assert [place.start for place in problem("ああああ", evidence="ああ").occurrences] == [0, 1, 2]


def test_where_no_longer_passage_is_unique_the_advice_is_to_pin():
    assert "pin it with 'spans'" in problem({"a.md": "同じ", "b.md": "同じ"}, evidence="同じ").message


def test_a_quote_of_many_places_keeps_the_count():
    found = problem("a" * 5000, doc="a.md", evidence="a")
    assert found.message.startswith("occurs 5000 times: a.md:1:1, ")
    assert (len(found.occurrences), found.n_occurrences) == (LISTED, 5000)
    assert (len(found.to_dict()["occurrences"]), found.to_dict()["n_occurrences"]) == (LISTED, 5000)


class TestManyQuestionsThatQuoteTheSame:
    """What is found out about a quote is found out once, and each question is told."""

    text = "".join(f"{number}番の" for number in range(500))

    def count(self, monkeypatch, owner, name):
        calls, whole = [], getattr(owner, name)

        def counted(*arguments):
            calls.append(arguments)
            return whole(*arguments)

        monkeypatch.setattr(owner, name, counted)
        return calls

    def problems_of(self, quote, text=None, **settings):
        text = text or self.text
        asked = [Question.of(f"q{number}", evidence=quote, **settings) for number in range(200)]
        found = check_labels([Document("b.md", "空"), Document("a.md", text)], asked)
        assert len(found.problems) == 200
        assert len({(one.problem, one.message, one.occurrences, one.fix) for one in found.problems}) == 1
        return found.problems[0]

    @pytest.mark.parametrize("settings", [{}, {"doc": "a.md"}], ids=["anywhere", "in one document"])
    def test_places_are_counted_and_listed_once(self, monkeypatch, settings):
        added = self.count(monkeypatch, QuotePlaces, "add")
        listed = self.count(monkeypatch, problems, "_occurrence")
        found = self.problems_of("番", **settings)
        assert (found.problem, found.n_occurrences) == ("ambiguous", 500)
        assert len(added) == 500
        assert len(listed) == LISTED

    def test_places_in_another_document_are_looked_for_once(self, monkeypatch):
        listed = self.count(monkeypatch, problems, "_occurrence")
        found = self.problems_of("番", doc="b.md")
        assert "it is in another document: a.md:1:2" in found.message
        assert len(listed) == 1

    @pytest.mark.parametrize("settings", [{}, {"doc": "a.md"}], ids=["anywhere", "in one document"])
    def test_passages_in_another_form_are_looked_for_once(self, monkeypatch, settings):
        matched = self.count(monkeypatch, problems, "folded_matches")
        assert self.problems_of("１２番", "あ12番", **settings).fix.text == "12番"
        assert len(matched) == 1

    def test_texts_are_encoded_once_for_all_wrong_offsets(self, monkeypatch):
        asked = [
            Question.of(f"q{number}", doc="a.md", evidence="番", spans=[[number, number + 2]]) for number in range(200)
        ]
        made = self.count(monkeypatch, problems, "_OtherCounts")
        assert len(check_labels([Document("a.md", self.text)], asked).problems) == 200
        assert len(made) == 1


@pytest.mark.parametrize("n", [LISTED + 1, 300])
def test_a_quote_of_more_places_than_are_listed_is_still_extended(n):
    text = "".join(f"同じ文。{number}番。" for number in range(n))
    found = problem(text, doc="a.md", evidence="同じ文。")
    assert (len(found.occurrences), found.n_occurrences) == (LISTED, n)
    for place in found.occurrences[:20]:
        assert text.count(place.unique) == 1
    assert found.message.endswith(f"{found.occurrences[0].unique!r} occurs once (a.md:1:1)")


@given(
    st.lists(st.tuples(st.sampled_from(["a.md", "b.md", None]), st.text("あ番", min_size=1, max_size=2)), max_size=8),
    st.data(),
)
def test_questions_together_find_what_each_finds_alone(quotes, data):
    documents = [Document(name, data.draw(st.text("あ番 １1", max_size=12))) for name in ("a.md", "b.md")]
    asked = [
        Question.of(
            f"q{number}",
            doc=name,
            evidence=text,
            spans=data.draw(st.sampled_from([None, [[1, 1 + len(text)]], [[0, 1]]])),
        )
        for number, (name, text) in enumerate(quotes)
    ]
    together = check_labels(documents, asked)
    alone = [check_labels(documents, [question]) for question in asked]
    assert together.problems == tuple(found for labels in alone for found in labels.problems)
    assert together.valid == tuple(found for labels in alone for found in labels.valid)


def test_a_quote_that_is_pinned_in_two_documents_is_not_told_to_be_pinned():
    found = problem({"a.md": "甲", "b.md": "甲"}, evidence="甲", spans=[[0, 1]])
    assert found.message == "occurs 2 times: a.md:1:1, b.md:1:1; name its document in 'doc'"


def test_a_document_that_could_not_be_read_is_not_called_unknown_without_the_reason(tmp_path):
    (tmp_path / "a.md").write_text("一", encoding="utf-8")
    (tmp_path / "b.md").write_bytes(b"\xff")
    corpus = read_corpus(tmp_path, skip_unreadable=True)
    (found,) = check_labels(corpus, [Question.of("q", doc="b.md", evidence="一")]).problems
    assert found.message == "unknown document 'b.md'; its file cannot be read, and was left out"


def test_a_document_behind_a_link_that_leads_out_is_not_called_unknown_without_the_reason(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("一", encoding="utf-8")
    (tmp_path / "docs" / "more").symlink_to(tmp_path)
    (found,) = check_labels(read_corpus(tmp_path / "docs"), [Question.of("q", doc="more/b.md", evidence="一")]).problems
    assert found.message.endswith("'more/b.md'; a link that leads out of the corpus; give --follow-links")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("c.md", "did you mean"),
        ("rules.md", "did you mean 'guide/rules.md'?"),
        ("./A.md", "did you mean 'a.md'?"),
        ("guide\\rules.md", "did you mean 'guide/rules.md'?"),
        ("A", "did you mean 'a.md'?"),
        ("a.html", "did you mean"),
        ("guide/rules", "did you mean 'guide/rules.md'?"),
        ("Rules", "did you mean 'guide/rules.md'?"),
        ("zzzzzzzzzzzz", "no document has a similar name"),
    ],
)
def test_an_unknown_document_has_the_nearest_name(name, hint):
    named = {"a.md": "一", "guide/rules.md": "二", unicodedata.normalize("NFD", "guide/ガイド.md"): "三"}
    found = problem(named, doc=name, evidence="一")
    assert (found.problem, found.document) == ("unknown-document", name)
    assert f"unknown document {name!r}" in found.message
    assert hint in found.message


@pytest.mark.parametrize(
    ("text", "quote", "hint", "place"),
    [
        (
            "一行目\r\n二行目の証拠\r\n三行目\r\n",
            "二行目の証拠\n三行目",
            "matches if line ends are normalised",
            "a.md:2:1",
        ),
        ("a\rb", "a\nb", "matches if line ends are normalised", "a.md:1:1"),
        (
            unicodedata.normalize("NFD", "データベースのバックアップ手順。"),
            "バックアップ",
            "matches after NFC",
            "a.md:1:10",
        ),
        ("\u212b単位", "Å単位", "matches after NFC", "a.md:1:1"),
        ("料金は１２０円です。税込みで１３２円。", "132円", "matches after NFKC", "a.md:1:15"),
        ("ﾃﾞｰﾀ表", "データ表", "matches after NFKC", "a.md:1:1"),
        ("株価は\u00a0上昇\u200bした。", "は 上昇", "U+00A0 (NO-BREAK SPACE)", "a.md:1:3"),
        (
            "株価は\u00a0上昇\u200bした。",
            "上昇した。",
            "(1:7: the document has U+200B (ZERO WIDTH SPACE), which the quote lacks)",
            "a.md:1:5",
        ),
        ("甲\u3000乙", "甲 乙", "U+3000 (IDEOGRAPHIC SPACE)", "a.md:1:1"),
        ("10～20円", "10〜20円", "matches if all wave dashes count as one", "a.md:1:1"),
        ("2020–2021", "2020-2021", "matches if all dashes count as one", "a.md:1:1"),
        ("He said “no”.", 'said "no"', "matches if typographic marks count as plain ones", "a.md:1:4"),
        ("The Net Income", "net income", "matches if case is ignored", "a.md:1:5"),
        ("a  b\n c", "a b c", "matches if runs of white space count as one space", "a.md:1:1"),
        ("東京\n都に行く", "東京都に", "matches if white space is ignored", "a.md:1:1"),
        ("月額**10,000円**を", "月額10,000円を", "matches if emphasis marks are ignored", "a.md:1:1"),
        ("“Ａ”\r\nb", '"A"\nb', "matches if line ends are normalised and typographic marks", "a.md:1:1"),
    ],
)
def test_a_missing_quote_has_its_reason_and_place(text, quote, hint, place):
    for fields in ({"doc": "a.md"}, {}):
        found = problem({"a.md": text, "b.md": "別の文書"}, evidence=quote, **fields)
        assert found.problem == "missing"
        assert found.message.startswith("evidence not found")
        assert hint in found.message
        assert f" at {place} " in found.message
        assert "\n" not in found.message


def test_a_quote_of_another_document_is_told_so():
    found = problem({"a.md": "一", "b.md": "x\n保証は二年です。"}, doc="a.md", evidence="保証は二年です。")
    assert found.problem == "missing"
    assert "it is in another document: b.md:2:1" in found.message


def test_a_similar_passage_is_shown_and_an_unlike_text_says_so():
    text = "前置き。\n旅費の上限は一泊12,000円とする。宿泊費の領収書を出す。"
    for fields in ({"doc": "a.md"}, {}):
        found = problem(text, evidence="旅費の上限は一泊10,000円とする。", **fields)
        assert (
            "nearest: '旅費の上限は一泊12,000円とする。' at a.md:2:1 (2:10: the document has '2', the quote '0')"
            in found.message
        )
        assert found.fix is None
        assert problem(text, evidence="zzzz", **fields).message.endswith("nothing similar")
    assert problem("", doc="a.md", evidence="証拠").message == "evidence not found in a.md: '証拠'; nothing similar"


@pytest.mark.parametrize(
    ("span", "hint"),
    [
        ([1, 4], "a.md[1:4] is '見積”', not '10日'; the quote is at a.md:1:6 [5:8], a.md:1:12 [11:14]"),
        ([15, 20], "they count bytes of UTF-8"),
        ([40, 43], "a.md has 14 characters and no [40:43]"),
        ([-3, 0], "a.md has 14 characters and no [-3:0]"),
        ([8, 5], "a.md has 14 characters and no [8:5]"),
        ([5, 7], "the end is one too small"),
        ([6, 9], "they count from 1"),
        ([4, 7], "they do not count the byte order mark"),
    ],
)
def test_offsets_that_do_not_match_say_what_stands_there(span, hint):
    found = problem("“見積”は10日です。10日", doc="a.md", evidence=["10日"], spans=[span])
    assert found.problem == "offset-mismatch"
    assert hint in found.message
    assert [place.start for place in found.occurrences] == [5, 11]
    assert found.fix is None
    labels = check("“見積”は10日です。", doc="a.md", evidence=["10日"], spans=[span])
    assert (labels.problems, spans(labels)) == ((), [("a.md", 5, 8)])


def test_offsets_in_other_units_are_recognised():
    assert "UTF-16 units" in problem("😀証拠証拠", doc="a.md", evidence=["証拠"], spans=[[2, 4]]).message
    found = problem("a\r\nb\r\n証拠\n証拠", doc="a.md", evidence=["証拠"], spans=[[4, 6]])
    assert "each line end as one" in found.message


def test_a_pinned_quote_that_is_gone_is_missing_and_says_what_stands_at_its_place():
    found = problem("前文。証拠なし。", doc="a.md", evidence=["別の引用"], spans=[[3, 7]])
    assert found.problem == "missing"
    assert (
        found.message
        == "evidence not found in a.md: '別の引用'; a.md[3:7] is '証拠なし', not '別の引用'; nothing similar"
    )
    assert problem("前文。", evidence=["別の引用"], spans=[[3, 7]]).problem == "missing"


@pytest.mark.parametrize("named", [{"doc": "a.md"}, {}], ids=["in one document", "anywhere"])
def test_a_pinned_quote_that_stands_once_elsewhere_has_moved(named):
    labels = check({"a.md": "新しい前文。\n証拠。", "b.md": "別"}, evidence=["証拠。"], spans=[[0, 3]], **named)
    assert (spans(labels), labels.problems) == ([("a.md", 7, 10)], ())
    assert labels.warnings == (
        "1 pinned quote has moved and counts where it stands (q from [0:3] to a.md [7:10]); "
        "`chunkscope labels --fix OUT` writes the new place",
    )


def test_quotes_that_have_moved_are_counted_in_one_warning():
    asked = [Question.of(f"q{n}", doc="a.md", evidence=f"{n}番", spans=[[0, 2]]) for n in range(5)]
    (warning,) = check_labels([Document("a.md", "0番1番2番3番4番")], asked).warnings
    assert warning.startswith("4 pinned quotes have moved and count where they stand (q1 from [0:2] to a.md [2:4], q2 ")
    assert "q4" not in warning


@given(texts(30), st.data(), texts(10), st.sampled_from([{}, {"doc": "a.md"}]))
def test_pinned_evidence_that_is_unique_is_found_after_any_edit_above_it(text, data, edit, named):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote, after = text[start:end], text[:start] + edit + text[start:]
    pinned = check(text, evidence=[quote], spans=[[start, end]], **named)
    if not pinned.valid or len(brute(after, quote)) != 1:
        return
    labels = check(after, evidence=[quote], spans=[[start, end]], **named)
    assert (spans(labels), labels.problems) == ([("a.md", start + len(edit), end + len(edit))], ())
    assert len(labels.warnings) == bool(edit)


def test_a_pin_without_document_fits_one_document_or_none():
    named = {"a.md": "x証拠", "b.md": "証拠"}
    assert spans(check(named, evidence=["証拠"], spans=[[1, 3]])) == [("a.md", 1, 3)]
    assert problem(named, evidence=["証拠"], spans=[[2, 4]]).problem == "offset-mismatch"
    assert problem({"a.md": "証拠", "b.md": "証拠"}, evidence=["証拠"], spans=[[0, 2]]).problem == "ambiguous"


def test_bad_labels_raise_one_line_on_demand():
    labels = check("一二二", doc="a.md", evidence=["二", "四"])
    with pytest.raises(
        LabelError, match=r"^2 label problems in 1 of 1 questions; the first: q: ambiguous: entry 1: occurs"
    ):
        labels.require_valid()


# -- mending ----------------------------------------------------------------------------------------------------


def fixed(text_or_texts, **fields):
    named = text_or_texts if isinstance(text_or_texts, dict) else {"a.md": text_or_texts}
    asked = [Question.of("q", **fields)]
    documents = [Document(name, text) for name, text in named.items()]
    (record,) = fix_labels(asked, check_labels(documents, asked))
    mended = [Question.of(**record)]
    return record, check_labels(documents, mended)


def test_good_entries_are_not_pinned_and_all_fields_stay_in_order():
    record, labels = fixed("１二三", kind="x", doc="a.md", evidence=["二", "1"], note=None)
    assert list(record.items()) == [
        ("id", "q"), ("kind", "x"), ("doc", "a.md"), ("evidence", ["二", "１"]), ("note", None),
    ]  # fmt: skip
    assert labels.problems == ()


def test_a_quote_that_differs_in_form_and_fits_once_becomes_verbatim():
    record, labels = fixed("一\r\n二", doc="a.md", evidence="一\n二")
    assert record == {"id": "q", "doc": "a.md", "evidence": "一\r\n二"}
    assert labels.problems == ()


def test_a_mended_quote_is_pinned_where_its_text_stands_more_than_once():
    # within one character that has a mark behind it, the quote's own form is not what stands there
    record, labels = fixed({"a.md": "x１2", "b.md": "１2\u0301"}, evidence=["12"])
    assert (record, labels.problems) == ({"id": "q", "evidence": ["１2"], "spans": [[1, 3]], "doc": "a.md"}, ())
    record, labels = fixed({"a.md": "x１2 １2\u0301"}, evidence=[{"text": "12"}])
    assert record["evidence"] == [{"text": "１2", "doc": "a.md", "start": 1}]
    assert labels.problems == ()


def test_nothing_is_guessed():
    for text, fields in [
        ("一二一", {"doc": "a.md", "evidence": ["一"]}),
        ("１２円と１２円", {"doc": "a.md", "evidence": ["12円"]}),
        ("10²は百", {"doc": "a.md", "evidence": ["102は百"]}),
        ("1 2円", {"doc": "a.md", "evidence": ["12円"]}),
        ("一二一", {"doc": "a.md", "evidence": ["一"], "spans": [[1, 2]]}),
        ("１円 1円 1円", {"doc": "a.md", "evidence": ["1円"], "spans": [[0, 2]]}),
        ("旅費は一泊12,000円", {"doc": "a.md", "evidence": ["旅費は一泊10,000円"]}),
        ("一", {"evidence": [], "spans": []}),
        ("一", {"doc": "z.md", "evidence": ["一"]}),
    ]:
        record, _ = fixed(text, **fields)
        assert record == {"id": "q", **fields}


def test_offsets_are_mended_where_the_quote_stands_once_or_its_form_stands_there():
    record, labels = fixed("前一二", doc="a.md", evidence=["一"], spans=[[0, 1]])
    assert (record["spans"], labels.problems) == ([[1, 2]], ())
    record, labels = fixed("１円と１円", doc="a.md", evidence=["1円"], spans=[[3, 5]])
    assert (record["evidence"], record["spans"], labels.problems) == (["１円"], [[3, 5]], ())


def test_one_entry_of_a_bad_question_is_mended_and_the_others_stay():
    record, labels = fixed("１二二", doc="a.md", evidence=["1", "二"])
    assert record == {"id": "q", "doc": "a.md", "evidence": ["１", "二"]}
    assert [found.problem for found in labels.problems] == ["ambiguous"]


def test_pins_that_have_moved_are_renewed_where_they_are_written():
    record, labels = fixed("前一二", doc="a.md", evidence=["一", "二"], spans=[[0, 1], None])
    assert (record["spans"], labels.warnings) == ([[1, 2], None], ())
    record, _ = fixed("前一二", doc="a.md", evidence="一", spans=[0, 1])
    assert (record["evidence"], record["spans"]) == ("一", [[1, 2]])
    record, _ = fixed("前一二", doc="a.md", evidence=[{"text": "一"}, {"text": "二", "start": 0}], spans=[[0, 1], None])
    assert (record["evidence"], record["spans"]) == ([{"text": "一"}, {"text": "二", "start": 2}], [[1, 2], None])
    record, labels = fixed("前一二", doc="a.md", evidence=[{"text": "一", "start": 0}], spans=[[0, 1]])
    assert (record["evidence"], record["spans"]) == ([{"text": "一", "start": 1}], [[1, 2]])
    assert labels.warnings == ()


def test_objects_are_mended_in_place():
    text = {"a.md": "一\r\n二", "b.md": "三"}
    evidence = [{"text": "一\n二", "doc": "a.md", "page": 1}, {"doc": "b.md", "text": "三", "start": 5, "end": 6}]
    record, labels = fixed(text, evidence=evidence)
    assert record["evidence"] == [
        {"text": "一\r\n二", "doc": "a.md", "page": 1},
        {"doc": "b.md", "text": "三", "start": 0, "end": 1},
    ]
    assert "spans" not in record
    assert labels.problems == ()


def test_mapped_names_are_kept(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": 1, "contexts": ["１円"]}', encoding="utf-8")
    read = read_questions(path, fields={"evidence": "contexts", "doc": "file"})
    labels = check_labels([Document("a.md", "1円")], read.questions)
    assert fix_labels(read.questions, labels, read.fields) == [{"id": 1, "contexts": ["1円"]}]


def test_a_number_of_thousands_of_digits_is_compared_as_text():
    digits = "9" * 5_000
    record, _ = fixed(f"上限は{digits}円", doc="a.md", evidence=[f"上限は {digits}円"])
    assert record["evidence"] == [f"上限は{digits}円"]


def test_a_question_built_by_hand_is_written_whole():
    asked = [Question("q", "？", (Quote("a.md", "二"),), attributes={"kind": 1})]
    (record,) = fix_labels(asked, check_labels([Document("a.md", "一二")], asked))
    assert record == {"id": "q", "question": "？", "evidence": [{"text": "二", "doc": "a.md"}], "kind": 1}


PAGE = """# Limits

- **Rate**: see [the `average` option](../options.md#average "all of them"), 100 requests.<br />Then it waits.
- ![logo](logo.png) A [plain][ref] link &amp; more.

| Plan | Limit |
|------|------:|
| Free | 25 MB [^1] |
| Paid | none \\| all |
"""


@pytest.mark.parametrize(
    ("copied", "stands"),
    [
        ("see the average option, 100", '[the `average` option](../options.md#average "all of them"), 100'),
        ("average option", "`average` option"),
        ("100 requests.\nThen it waits.", "100 requests.<br />Then it waits."),
        ("Rate: see the average", "**Rate**: see [the `average"),
        ("Then it waits.\nA plain link & more.", "Then it waits.\n- ![logo](logo.png) A [plain][ref] link &amp; more."),
        ("Free\t25 MB", "Free | 25 MB"),
        ("Plan Limit Free 25 MB", "Plan | Limit |\n|------|------:|\n| Free | 25 MB"),
        ("none | all", "none \\| all"),
    ],
)
@pytest.mark.parametrize("named", [{"doc": "a.md"}, {}], ids=["in one document", "anywhere"])
def test_what_was_copied_from_the_rendered_page_is_mended(copied, stands, named):
    found = problem({"a.md": PAGE, "b.md": "別の文書"}, evidence=copied, **named)
    assert found.fix is not None, found.message
    assert stands in found.fix.text
    record, labels = fixed({"a.md": PAGE, "b.md": "別の文書"}, evidence=copied, **named)
    assert record == {"id": "q", "evidence": found.fix.text, **named}
    assert labels.problems == ()


@pytest.mark.parametrize(
    ("source", "copied"),
    [
        # characters
        ("R&amp;D opens at 3&nbsp;pm &#x3042;.", "R&D opens at 3 pm あ."),
        ("Give 2 \\* 3 and \\_x\\_ here.", "Give 2 * 3 and _x_ here."),
        ("The docu\u00admen\u200btation is here.", "The documentation is here."),
        ('He said "don\'t" -- then...', "He said “don’t” – then…"),
        ("He said “don’t” — then…", 'He said "don\'t" --- then...'),
        # links and images
        ("Read ![a bell](b.png) the page.", "Read the page."),
        ("Read [![a bell](b.png)](c) the [page](d 'e (f)').", "Read the page."),
        ("Read [the page][p] now.\n\n[p]: http://x", "Read the page now."),
        ("Read [the page] now.\n\n[The page]: http://x", "Read the page now."),
        ("Read [[Guide/One|the page]] and [[Two]].", "Read the page and Two."),
        ("Read <https://example.org/a> now.", "Read https://example.org/a now."),
        # notes and readings, shown or not
        *(("The limit is 5 MB[^a1] here.", copy) for copy in ("The limit is 5 MB here.", "The limit is 5 MBa1 here.")),
        ("The limit is 5 MB[^2] here.", "The limit is 5 MB[2] here."),
        ("The limit is 5 MB<sup>[3](#n)</sup> here.", "The limit is 5 MB3 here."),
        ("The limit is 5 MB<sup>3</sup> here.", "The limit is 5 MB here."),
        ("The limit is 5 MB[\\[3\\]](#n) here.", "The limit is 5 MB here."),
        ("The limit is 5 MB[[3]](#n) here.", "The limit is 5 MB[3] here."),
        ("上限は1万円です[^注]。次です。", "上限は1万円です。次です。"),
        *(
            ("<ruby>貴社<rp>(</rp><rt>きしゃ</rt></ruby>の規程。", copy)
            for copy in ("貴社の規程。", "貴社きしゃの規程。")
        ),
        # tables
        ("| P | Q |\n|---|---|\n| One | **2** |", "P\tQ\nOne\t2"),
        ("| P | Q |\n|---|---|\n| a \\| b | `c` |", "a | b\tc"),
        ("<table><tr><td>One</td><td>2<br>3</td></tr></table>", "One\t2\n3"),
        # starts of lines
        ("## Limits ## \n\nEach has one.", "Limits\nEach has one."),
        ("## Limits {#lim .x}\n\nEach has one.", "Limits\nEach has one."),
        ("Limits\n======\n\nEach has one.", "Limits\nEach has one."),
        *(("Take:\n\n- one apple\n* two figs", f"Take:\n{dot}one apple\n{dot}two figs") for dot in ("", "• ", "・")),
        *(
            ("Do:\n\n1. open it\n2) close it", f"Do:\n{one}open it\n{two}close it")
            for one, two in (("", ""), ("1. ", "2. "))
        ),
        ("Do:\n\n- [ ] open it\n- [x] close it", "Do:\nopen it\nclose it"),
        ("> > Deep text\n> > goes on.", "Deep text goes on."),
        *(
            ("> [!NOTE]\n> Mind the gap.\n> And here.", copy)
            for copy in ("Mind the gap. And here.", "Note\nMind the gap.\nAnd here.")
        ),
        ("Term\n:   What it is here.", "Term\nWhat it is here."),
        ("Line one is here\\\nline two too.", "Line one is here\nline two too."),
        # what is not shown
        ("Run this:\n\n```sh\nmake all\n```\n\nThen go.", "Run this:\nmake all\nThen go."),
        ('!!! note "Mind it"\n    The body is here.', "Mind it\nThe body is here."),
        ("A.\n\n:::tip[Mind it]\nThe body is here.\n:::\n\nMore.", "Mind it\nThe body is here.\nMore."),
        ("The body <!-- <b> > --> is {/* not */} here.", "The body is here."),
        ("The body<style>p > a {}</style> is here.", "The body is here."),
        ("{{< note >}}The body is here.{{< /note >}} More.", "The body is here. More."),
        ("Press [Go](x){ .button } or `x`{.py} now.", "Press Go or x now."),
        # inside of words
        ("It is ~~not~~ ==all== done.", "It is not all done."),
        ("It has 5 m^2^ of H~2~O and $x^2$ here.", "It has 5 m2 of H2O and x2 here."),
        ('<span title="a>b">The body</span> is <i>here</i>.', "The body is here."),
    ],
)
def test_all_that_a_page_does_not_show_is_overlooked(source, copied):
    text = f"はじめの段落。\n\n{source}\n\nおわりの段落。\n"
    record, labels = fixed(text, doc="a.md", evidence=copied)
    assert labels.problems == (), problem(text, doc="a.md", evidence=copied).message
    assert record["evidence"] in text
    assert record["evidence"] != copied


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("It costs 10~20 yen.", "It costs 1020 yen."),
        ("It is 5 m^2^ large.", "It is 5 m3 large."),
        ("The limit is 5 MB[^1] here.", "The limit is 6 MB here."),
        ("The limit is 5 MB[^1].\n\nThe limit is 5 MB[^2].", "The limit is 5 MB."),
    ],
)
def test_what_says_something_else_or_stands_twice_is_not_mended(source, quote):
    assert problem(source, doc="a.md", evidence=quote).fix is None


def test_the_reason_of_what_was_copied_from_the_page_is_said():
    found = problem(PAGE, evidence="the average option, 100")
    assert "; matches if marks of Markdown and HTML are ignored: " in found.message
    twice = problem(PAGE + PAGE.lower(), doc="a.md", evidence="A plain link & more.")
    assert twice.fix is None
    assert problem("[2 円](a.md)と", doc="a.md", evidence="2円と").fix.text == "[2 円](a.md)と"
    assert problem("[2 2円](a.md)と", doc="a.md", evidence="22円と").fix is None


def as_lines(documents, lines, tmp):
    tmp.write_bytes("".join(lines).encode())
    read = read_questions(tmp)
    return "".join(fixed_lines(read, check_labels(documents, read)))


def test_lines_that_need_nothing_stay_byte_for_byte(tmp_path):
    lines = [
        '{"id":"a",  "evidence" : ["\\u4e00"]}\r\n',
        "\n",
        '{"evidence": "1", "id": "b", "n": 1.50}\n',
        '  {"id": "c", "doc": "a.md", "evidence": "二", "spans": [3, 4]}\n',
        '{"id": "d", "evidence": []}',
    ]
    written = as_lines([Document("a.md", "一１二")], lines, tmp_path / "q.jsonl").splitlines(keepends=True)
    assert [written[n] for n in (0, 1, 4)] == [lines[n] for n in (0, 1, 4)]
    assert written[2] == '{"evidence": "１", "id": "b", "n": 1.5}\n'
    assert written[3] == '{"id": "c", "doc": "a.md", "evidence": "二", "spans": [[2, 3]]}\n'


WORLDS = st.tuples(st.text("あ1１ab*`[]()|\n ", max_size=25), st.text("あ1１ab*`[]()|\n ", max_size=15), st.data())


def drawn_question(data, number, named):
    quotes = []
    for _ in range(data.draw(st.integers(0, 3))):
        text = data.draw(st.sampled_from([*named.values()]))
        start = data.draw(st.integers(0, len(text)))
        quote = text[start : start + data.draw(st.integers(1, 6))]
        form = data.draw(st.sampled_from(["as it is", "without marks", "NFKC", "blank"]))
        quote = {
            "as it is": quote,
            "without marks": re.sub(r"[*`|]|\]\([^()]*\)|\[", "", quote),
            "NFKC": unicodedata.normalize("NFKC", quote),
            "blank": f"{quote} ",
        }[form]
        span = data.draw(st.sampled_from([None, [start, start + len(quote)], [0, len(quote)], [1, 1 + len(quote)]]))
        doc = data.draw(st.sampled_from([None, None, *named]))
        as_object = (
            {"text": quote} | ({} if span is None else {"start": span[0]}) | ({} if doc is None else {"doc": doc})
        )
        quotes.append((quote, span, as_object))
    fields = {"id": f"q{number}"} | data.draw(st.sampled_from([{}, {"doc": "a.md"}, {"match": "any"}]))
    if data.draw(st.booleans()):
        return {**fields, "evidence": [one for *_, one in quotes]}
    spans_ = {"spans": [span for _, span, _ in quotes]} if data.draw(st.booleans()) and quotes else {}
    return {**fields, "evidence": [quote for quote, *_ in quotes], **spans_}


@given(WORLDS)
def test_fixing_twice_changes_nothing_more_and_what_is_fixed_stands(tmp_path_factory, world):
    one, other, data = world
    named = {"a.md": one, "b.md": other}
    documents = [Document(name, text) for name, text in named.items()]
    asked = [drawn_question(data, number, named) for number in range(data.draw(st.integers(1, 3)))]
    path = tmp_path_factory.mktemp("fixed") / "q.jsonl"
    lines = [json.dumps(question) + "\n" for question in asked]
    once = as_lines(documents, lines, path)
    before = check_labels(documents, read_questions(path))
    assert as_lines(documents, [once], path) == once
    after = check_labels(documents, read_questions(path))
    mended = {(found.id, found.entry) for found in before.problems if found.fix}
    left = {(found.id, found.entry) for found in before.problems} - mended
    assert {(found.id, found.entry) for found in after.problems} == left
    assert not any("moved" in warning for warning in after.warnings)
    if not before.problems and not any("moved" in warning for warning in before.warnings):
        assert once == "".join(lines)


@given(texts(40), texts(12))
def test_what_is_seen_maps_back_to_the_text(text, more):
    for source in (text, f"[{text}](x) &amp; <b>{more}</b> ![{more}](y)"):
        page = RenderedText(source)
        origins = [page.span(at, at + 1) for at in range(len(page.text))]
        assert origins == sorted(origins)
        assert all(0 <= start < end <= len(source) for start, end in origins)
        kept = [(seen, source[start:end]) for seen, (start, end) in zip(page.text, origins, strict=True)]
        # what is seen otherwise: characters that are written out or escaped, dashes in a row, what parts cells
        assert all(original[0] in "\\&-<|" or seen == original for seen, original in kept)


@pytest.mark.parametrize(
    "part",
    [
        *(
            "[",
            "](",
            "](a",
            "](a(b)",
            "<",
            "<a ",
            "&a",
            "~",
            "- ",
            "![a",
            "[a](b)",
            "\\",
            "|-",
            "{",
            "{{<",
            "[[",
            "[[a|",
        ),
        *("[^a", "$a", "x^a", "x~a", "<!--", "<script", "{/*", " #", "<sup>", "<a \"'", "=== ", ":::", "!!! a", "> [!"),
        *("> ", "1. ", "•", "> `> `", "```", "--", "\n[a", "\n[a]:"),
    ],
)
def test_no_text_is_rendered_in_more_than_linear_work(part):
    # time is not measured: a quadratic scan of this much would not end
    assert len(rendered(part * 50_000)) <= len(part) * 50_000


# -- the search, against slow twins -----------------------------------------------------------------------------


def brute(text, quote):
    return [at for at in range(len(text) - len(quote) + 1) if text[at : at + len(quote)] == quote]


SMALL = st.text("あb\r\n", max_size=30)


def found_by(quotes, text):
    index = QuoteIndex(quotes)
    pairs = [(quote, place) for quote, places in index.find(text) for place in places]
    assert [pair for quote in sorted(set(quotes)) for pair in pairs if pair[0] == quote] == sorted(pairs)
    firsts = dict(sorted(pairs, reverse=True))
    assert sorted(index.find_first(text)) == sorted(firsts.items())
    return sorted(pairs)


def all_by_brute_force(quotes, text):
    return [(quote, place) for quote in sorted(set(quotes)) for place in brute(text, quote)]


class CountingText(str):
    """A text that counts how often it is searched."""

    n_searches = 0

    def find(self, *arguments):
        self.n_searches += 1
        return super().find(*arguments)


@given(SMALL, st.text("あb\r\n", min_size=1, max_size=3))
def test_occurrences_are_all_places(text, quote):
    assert list(chain.from_iterable(occurrences(text, quote))) == brute(text, quote)


REPEATED = st.tuples(st.text("ab", min_size=1, max_size=4), st.integers(1, 8)).map(lambda pair: pair[0] * pair[1])


@given(st.lists(REPEATED, max_size=5).map("".join), REPEATED, st.text("ab", max_size=2))
def test_a_quote_that_overlaps_itself_is_counted_exactly_and_searched_for_seldom(text, repeated, end):
    quote, text = repeated + end, CountingText(text)
    places = list(occurrences(text, quote))
    assert list(chain.from_iterable(places)) == brute(str(text), quote)
    assert len(places) <= 2 * len(text) / len(quote) + 1
    assert text.n_searches <= 2 * len(places) + 1


@pytest.mark.parametrize("n", [100, 10_000])
def test_the_searches_for_a_quote_do_not_grow_with_its_places(n):
    text = CountingText("a" * 10 * n)
    assert list(occurrences(text, "a" * n)) == [range(9 * n + 1)]
    assert text.n_searches == 3
    text = CountingText("同じ文。" * 10 * n)
    assert sum(map(len, occurrences(text, "同じ文。" * n))) == 9 * n + 1
    assert text.n_searches == 3


@given(st.text("ab", max_size=40), st.integers(0, 20), st.text("ab", max_size=40), st.integers(0, 20))
def test_the_shared_length_is_that_of_the_common_prefix(one, at, other, other_at):
    pairs = zip(one[at:], other[other_at:], strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    assert shared_length(one, min(at, len(one)), other, min(other_at, len(other))) == shared


@given(st.lists(st.text("ab", min_size=1, max_size=12), min_size=25, max_size=80), st.text("ab", max_size=60))
def test_many_quotes_are_found_as_one_by_one(quotes, text):
    assert found_by(quotes, text) == all_by_brute_force(quotes, text)


@given(texts(60), st.integers(8, 12))
def test_many_quotes_are_found_in_hostile_texts(text, size):
    quotes = [text[at : at + size] for at in range(len(text) - size + 1)]
    assert found_by(quotes, text) == all_by_brute_force(quotes, text)


def test_many_quotes_that_repeat_one_phrase_are_found_as_ranges():
    quotes, text = ["同じ文。" * (number + 3) for number in range(30)], "同じ文。" * 400
    found = list(QuoteIndex(quotes).find(text))
    assert len(found) == 30
    places = dict(found)
    assert [len(places[quote]) for quote in quotes] == [400 - number - 2 for number in range(30)]


@given(st.text("ab", max_size=25), st.text("ab", min_size=1, max_size=2))
def test_the_extension_is_the_shortest_that_is_unique(text, quote):
    places = brute(text, quote)
    contexts = [Context.of(text, place, place + len(quote)) for place in places]
    for number, place in enumerate(places):
        candidates = [
            (left, right)
            for left in range(place + 1)
            for right in range(len(text) - place - len(quote) + 1)
            if len(brute(text, text[place - left : place + len(quote) + right])) == 1
        ]
        expected = min(candidates, key=lambda sides: (sum(sides), sides[0]), default=None)
        assert unique_extension(contexts, number) == expected


@given(st.text("ab", max_size=12), st.text("ab", max_size=12), st.text("ab", min_size=1, max_size=2))
def test_the_extension_is_unique_over_several_documents(one, other, quote):
    texts_ = [one, other]
    places = [(number, place) for number, text in enumerate(texts_) for place in brute(text, quote)]
    contexts = [Context.of(texts_[number], place, place + len(quote)) for number, place in places]
    for index, (number, place) in enumerate(places):
        extension = unique_extension(contexts, index)
        if extension is not None:
            passage = texts_[number][place - extension[0] : place + len(quote) + extension[1]]
            assert len(brute(one, passage)) + len(brute(other, passage)) == 1


# -- folding, against what it promises --------------------------------------------------------------------------

FORMS = st.lists(
    st.sampled_from(
        [
            *"aAａ12１²㌔株㈱ｶﾞプ～〜–-ー“”\"'…*_ \t\n\r\u3000\u00a0\u200b\ufeff\u3099\u0301ßİﬁ가",
            "ᄀ",
            "ᅡ",
            "ᆨ",
            "e\u0301",
            "か\u3099",
        ]
    ),
    max_size=20,
).map("".join)


@given(st.one_of(FORMS, texts()))
def test_a_folded_text_is_the_fold_and_maps_back(text):
    folded = FoldedText(text)
    assert folded.text == fold_text(text)
    origins = [folded.span(at, at + 1) for at in range(len(folded.text))]
    assert origins == sorted(origins)
    assert all(0 <= start < end <= len(text) for start, end in origins)
    for character, (start, end) in zip(folded.text, origins, strict=True):
        assert character in fold_text(text[start:end])


@given(FORMS, st.integers(0, 30))
def test_a_long_text_is_folded_in_blocks_without_a_seam(text, copies):
    long = "a" * 250 + text * copies
    folded = FoldedText(long)
    assert folded.text == fold_text(long)
    if folded.text:
        start, end = folded.span(0, len(folded.text))
        assert fold_text(long[start:end]) == folded.text


@given(st.one_of(FORMS, texts()), st.data(), st.sampled_from(REASONS))
def test_a_passage_in_another_form_is_found(text, data, reason):
    folded = FoldedText(text)
    if not folded.text:
        return
    first = data.draw(st.integers(0, len(folded.text) - 1))
    start, end = folded.span(first, data.draw(st.integers(first + 1, len(folded.text))))
    quote = reason.overlook(text[start:end])
    if fold_text(quote) != fold_text(text[start:end]):
        return  # normalising a half of what belongs together may change what it is
    found = folded_matches(text, quote, folded)
    assert found
    for near in found:
        assert fold_text(text[near.start : near.end]) == fold_text(quote)
        if len(near.reasons) == 1:
            overlook = near.reasons[0].overlook
            assert overlook(text[near.start : near.end]) == overlook(quote)


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.clause)
def test_each_reason_is_found_in_a_real_text(reason, data):
    for name in ("08-crlf.md", "14-setext-ja.md", "25-zero-width-space-ja.md", "26-nbsp-ja.md", "17-nfd-kana.md"):
        text = (data / "messy" / "files" / name).read_bytes().decode()
        folded = FoldedText(text)
        for start in range(0, len(text) - 60, len(text) // 5):
            passage = text[start : start + 60]
            quote = reason.overlook(passage)
            if quote == passage or not fold_text(quote):
                continue
            best = folded_matches(text, quote, folded)[0]
            assert fold_text(text[best.start : best.end]) == fold_text(passage)


@given(texts(), texts(10))
def test_a_similar_passage_is_a_span_of_the_text(text, quote):
    near = align(text, quote, likely_places(text, quote)[1])
    if near is not None:
        assert 0 <= near.start < near.end <= len(text)


@given(st.lists(st.text("ab", min_size=1, max_size=30), max_size=4), st.text("ab", max_size=60))
def test_many_quotes_have_the_likely_places_of_each(quotes, text):
    each = {number: likely_places(text, quote) for number, quote in enumerate(quotes)}
    strong = {number: found for number, found in each.items() if found[0] > STRONG}
    assert PieceIndex(quotes).likely_places(text) == strong


@given(texts(30), texts(6), texts(6), st.sampled_from([{}, {"doc": "a.md"}]))
def test_the_check_never_fails_and_says_everything_in_one_line(text, one, other, fields):
    labels = check_labels(
        [Document("a.md", text), Document("b.md", other + text[:5])],
        [
            Question.of("q", evidence=[one, other], **fields),
            Question.of("p", evidence=[text[:4]], spans=[[0, 4]], **fields),
        ],
    )
    assert labels.total == 2
    for found in labels.problems:
        assert not re.search(r"[\r\n]", found.message)
    json.dumps(labels.to_dict())


# -- real questions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("chroma_eval/questions.jsonl", "chroma_eval/docs"),
        ("jaquad_dev_ja/questions.jsonl", "jaquad_dev_ja/docs"),
        ("nagisa_ja/questions.jsonl", "nagisa_ja/docs"),
        ("nagisa_ja/questions_table.jsonl", "nagisa_ja/docs"),
        ("nagisa_ja/unanswerable.jsonl", "nagisa_ja/docs"),
        ("tables/questions.jsonl", "tables/docs"),
        ("tables/questions_html.jsonl", "tables/docs"),
    ],
)
def test_real_questions_are_all_valid(data, name, documents):
    corpus, read = read_corpus(data / documents), read_questions(data / name)
    labels = check_labels(corpus, read.questions)
    assert labels.problems == ()
    assert len(labels.valid) == sum(question.is_answerable for question in read.questions)
    assert fix_labels(read.questions, labels) == [question.record for question in read.questions]
    assert "".join(fixed_lines(read, labels)) == (data / name).read_bytes().decode("utf-8-sig")


def test_pins_tell_97_repeats_apart(data):
    corpus = read_corpus(data / "chroma_eval" / "docs")
    asked = [
        dataclasses.replace(question, quotes=tuple(dataclasses.replace(quote, span=None) for quote in question.quotes))
        for question in read_questions(data / "chroma_eval" / "questions.jsonl").questions
    ]
    labels = check_labels(corpus, asked)
    assert {found.problem for found in labels.problems} == {"ambiguous"}
    assert len(labels.problems) == 97


# -- what is bounded ----------------------------------------------------------------------------------------------


def test_of_very_many_ambiguous_quotes_only_some_have_their_surroundings_compared(monkeypatch):
    monkeypatch.setattr(problems, "_CONTEXTS", 7)
    document = Document("a.md", "一つ目のい、二つ目のい。一つ目のろ、二つ目のろ。三つ目のろ。" + "は" * 5)
    asked = [Question.of(quote, doc="a.md", evidence=quote) for quote in ("のい", "のろ", "は", "つ目")]
    told = {one.id: one.message for one in check_labels([document], asked).problems}
    assert "occurs once" in told["のい"]
    assert "occurs once" in told["のろ"]
    assert told["は"].endswith("; quote more of the text")
    assert told["つ目"].endswith("; quote more of the text")


def test_of_very_many_similar_passages_only_some_are_aligned(monkeypatch):
    text, quote = "旅費の上限は一泊12,000円とする。", "旅費の上限は1泊12,000円とする。"
    monkeypatch.setattr(problems, "_ALIGNED", 4 * len(quote) ** 2)
    asked = [Question.of(f"q{number}", evidence=f"{quote}{number}") for number in range(9)]
    told = [one.message for one in check_labels([Document("a.md", text)], asked).problems]
    assert "nearest: " in told[0]
    assert "not all documents were searched for similar passages" in told[-1]


def test_quotes_to_begin_with_are_looked_for_in_one_pass(monkeypatch):
    """Each was searched in the whole text, and held against every heading."""
    passes = []
    find = QuoteIndex.find
    monkeypatch.setattr(QuoteIndex, "find", lambda self, text: passes.append(1) or find(self, text))
    text = "".join(f"# {number}\n\nSentence number {number % 90} is here.\n\n" for number in range(100))
    quotes = [json.loads(line)["evidence"][0] for line in first_questions([Document("a.md", text)]).splitlines()]
    assert len(passes) == 1
    assert quotes
    assert all(text.count(quote) == 1 for quote in quotes)
