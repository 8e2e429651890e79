"""The check counts what the sweep counts, finds each thing it counts, and never passes where nothing was measured."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, cut, labels_of, questions_of

from chunkscope import (
    Document,
    FixedChunker,
    HeadingChunker,
    Question,
    SentenceChunker,
    TokenChunker,
    check,
    parse_chunker,
    sweep,
)
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.errors import ChunkerError, ConfigError, InputError
from chunkscope.gate.suggestions import trials
from chunkscope.gate.thresholds import Threshold, Thresholds
from chunkscope.grid.notation import Overlap, parse_overlaps
from chunkscope.reports.check_text import suggestion_lines
from chunkscope.structure.units import get_unit

ALL = Thresholds.of(max_split=0, max_missing=0, max_header_lost=0, max_rows_header_lost=0, max_broken=0, max_blank=0)
TABLE = "# 料金\n\n| 区分 | 円 |\n|---|---|\n| 大人 | 1,200 |\n| 子供 | 600 |\n"


def asks(*quotes, doc="a.md", **fields):
    return [Question.of(f"q{number}", doc=doc, evidence=quote, **fields) for number, quote in enumerate(quotes, 1)]


def measured(result, name):
    return next(one for one in result.measured if one.name == name)


def has_size(chunker):
    return chunker.size is not None


class TestThreshold:
    @pytest.mark.parametrize(
        ("written", "n", "total", "is_met"),
        [
            ("0", 0, 10, True), ("0", 1, 10, False), (3, 3, 10, True), ("3", 4, 10, False),
            ("2%", 1, 50, True), ("2%", 1, 49, False), ("2 %", 2, 100, True), ("100%", 9, 9, True), ("0%", 1, 9**9, False),
            ("0.03%", 1, 3333, False), ("0.03%", 1, 3334, True), ("33.3%", 1, 3, False), ("33.4%", 1, 3, True),
            ("none", 9, 9, True), ("None", 9, 9, True),
        ],
    )  # fmt: skip
    def test_counts_are_compared_and_nothing_is_rounded(self, written, n, total, is_met):
        assert Threshold.parse(written).allows(n, total) is is_met

    @pytest.mark.parametrize(
        "written",
        ["-1", -1, "150%", "100.1%", "-2%", "", "%", "2 per cent", "1e3", "٣", "２%", 0.5, True, None, [1], "9" * 99],
    )
    def test_what_means_nothing_is_refused_by_its_name(self, written):
        with pytest.raises(ConfigError, match=r"max_split: .* is no threshold"):
            Thresholds.of(max_split=written)

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"max_splits": 0}, "did you mean 'max_split'"),
            ({"max-split": 0}, "did you mean 'max_split'"),
            ({"xyzzy": 0}, "there are max_split"),
            ({"model_limit": 0}, "model_limit: 0 is no limit"),
            ({"model_limit": "512 tokens"}, "no limit"),
            ({"model_limit": 5, "model_unit": "nix"}, "model_unit: unit 'nix' does not exist"),
            ({"model_unit": "char"}, "needs a model limit"),
            ({"label_problems": "ignore"}, "neither 'error' nor 'warn'"),
        ],
    )
    def test_other_faults_say_what_is_meant(self, values, words):
        with pytest.raises(ConfigError, match=words):
            Thresholds.of(**values)

    def test_a_share_reads_as_it_was_written(self):
        assert [str(Threshold.parse(text)) for text in ("2%", "0.03%", "100%", "2.50 %", "7", "none")] == [
            "2%", "0.03%", "100%", "2.5%", "7", "none",
        ]  # fmt: skip

    def test_a_model_limit_alone_allows_no_chunk_above_it(self):
        assert Thresholds.of(model_limit=512).asked == {"max_oversize"}
        assert Thresholds.of(model_limit=512, max_oversize="none").max_oversize.is_off


@given(corpora(), st.data(), chunkers())
@settings(max_examples=150)
def test_it_counts_what_the_sweep_counts_and_finds_each(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    thresholds = ALL if not has_size(chunker) else Thresholds.of(**dict.fromkeys(ALL.asked, 0), max_oversize=0)
    labels = labels_of(questions)
    try:
        result = check(corpus, labels, chunker, thresholds=thresholds)
    except InputError:
        nothing = not questions or all(row.blank for row in list_chunks(corpus, chunker))
        assert nothing
        return
    [cell] = sweep(corpus, labels, chunkers=[chunker], with_cuts=False).cells if has_size(chunker) else [None]
    assume(cell is not None)
    counts = {
        "max_split": (cell.split_questions, len(questions)),
        "max_missing": (cell.missing_questions, len(questions)),
        "max_header_lost": (cell.header_lost_questions, cell.table_questions),
        "max_rows_header_lost": (cell.table_rows - cell.table_rows_with_header, cell.table_rows),
        "max_oversize": (cell.oversize_chunks, cell.chunks),
        "max_broken": (cell.broken_chunks, cell.chunks),
        "max_blank": (cell.blank_chunks, cell.chunks),
    }
    assert {one.name: (one.n, one.total) for one in result.measured} == counts
    assert result.passed == (not any(n for n, _ in counts.values())) == (not result.errors)
    texts = {document.name: document.text for document in corpus}
    for finding in result.findings:
        start, end = finding.span
        assert finding.quote == texts[finding.document][start:end]
        assert finding.cut <= end
        assert (finding.before + finding.after) in texts[finding.document]


@given(corpora(), st.data(), chunkers())
@settings(max_examples=60)
def test_a_size_that_mends_is_the_first_that_holds_the_text(corpus, data, chunker):
    assume(has_size(chunker) and not all(row.blank for row in list_chunks(corpus, chunker)))
    questions = data.draw(questions_of(corpus))
    assume(questions)
    by_name = {document.name: document for document in corpus}
    every_size = isinstance(chunker, FixedChunker) and chunker.unit == "char"
    for finding in check(corpus, labels_of(questions), chunker).findings:
        if finding.code not in ("evidence-split", "evidence-missing"):
            continue
        start, end = finding.span
        document = by_name[finding.document]

        def holds(size, document=document, start=start, end=end):
            windows = cut(document, chunker.at(size, chunker.overlap))
            return any(window.has_span and window.start <= start and end <= window.end for window in windows)

        if every_size:
            assert finding.suggestion.size is None or holds(finding.suggestion.size)
        else:
            sizes = (size for size in trials(chunker.size) if size > chunker.overlap)
            assert finding.suggestion.size == next((size for size in sizes if holds(size)), None)


@given(
    st.integers(1, 120), st.integers(1, 30), st.integers(0, 29), st.integers(0, 119), st.integers(1, 60),
    st.sampled_from([None, "1/6", "1/2"]),
)  # fmt: skip
@example(37, 1, 0, 34, 3, None)
def test_the_nearest_size_is_the_nearest(n, size, overlap, start, length, share):
    end = start + length
    shared = parse_overlaps(share)[0] if share else Overlap(overlap)
    assume(end <= n and shared.at(size) < size)
    document = Document("a.md", "".join(chr(0x4E00 + place) for place in range(n)))
    chunker = FixedChunker(size, shared.at(size))
    [question] = asks(document.text[start:end])
    found = [
        one for one in check([document], [question], chunker, overlap=shared).findings if one.code == "evidence-split"
    ]

    def holds(trial):
        return any(s <= start and end <= e for s, e in FixedChunker(trial, shared.at(trial)).spans(document).tolist())

    good = [trial for trial in range(1, n + 1) if shared.at(trial) < trial and holds(trial)]
    if holds(size):
        assert not found
    elif good:
        assert found[0].suggestion.size == min(good, key=lambda trial: (abs(trial - size), -trial))


def test_only_a_size_that_is_the_nearest_of_all_is_called_so():
    evidence = "三四五六七八九。次の文です。"
    document = Document("a.md", f"一二。{evidence}終わり。")
    for chunker, told in (
        (FixedChunker(14), "is the nearest that keeps it whole"),
        (SentenceChunker(14), "keeps it whole"),
    ):
        found = check([document], asks(evidence), chunker).findings
        [finding] = [one for one in found if one.code == "evidence-split"]
        assert suggestion_lines(finding.suggestion, (14, "char"))[0] == f"size {finding.suggestion.size} {told}"


@given(st.integers(2, 25), st.integers(1, 25), st.integers(0, 60))
@settings(max_examples=60)
def test_the_overlap_that_mends_guarantees_it_wherever_the_text_stands(size, length, before):
    assume(length <= size)
    document = Document("a.md", "".join(chr(0x4E00 + place) for place in range(before + length + 30)))
    [question] = asks(document.text[before : before + length])
    for finding in check([document], [question], FixedChunker(size)).findings:
        assert finding.suggestion.overlap == length - 1
        for shift in range(2 * size):
            moved = Document("a.md", "x" * shift + document.text)
            assert check([moved], [question], FixedChunker(size, finding.suggestion.overlap)).passed


def test_text_longer_than_the_size_has_no_overlap_that_mends_it():
    found = check([Document("a.md", "いろはにほへとちりぬるを")], asks("ろはにほへと"), FixedChunker(4)).findings[0]
    assert (found.suggestion.size, found.suggestion.overlap, found.suggestion.length) == (7, None, 6)


def test_raw_token_windows_tear_characters_and_leave_evidence_out():
    document = Document("a.md", "鮪と鰹と鮪と鰹")
    result = check([document], asks("鰹と鮪"), TokenChunker(2, raw=True))
    assert {"evidence-missing", "chunk-broken"} == {finding.code for finding in result.findings}
    assert result.missed == ("max_split", "max_missing", "max_broken")
    torn = [finding for finding in result.findings if finding.code == "chunk-broken"]
    assert all(finding.quote for finding in torn)
    assert measured(result, "max_broken").n == len(torn)


class TestAnyMatch:
    document = Document("a.md", "上限は12,000円とする。別表も12,000円。")

    def test_a_question_with_other_evidence_is_not_split_and_the_cut_is_a_note(self):
        question = Question.of("q1", doc="a.md", evidence=["上限は12,000円", "別表"], match="any")
        result = check([self.document], [question], FixedChunker(8, 0))
        [finding] = [one for one in result.findings if one.quote == "上限は12,000円"]
        assert result.passed
        assert (finding.level, finding.is_needed) == ("note", False)

    def test_without_other_whole_evidence_it_counts(self):
        question = Question.of("q1", doc="a.md", evidence=["上限は12,000円"], match="any")
        assert not check([self.document], [question], FixedChunker(8, 0)).passed


def test_findings_within_their_threshold_are_notes_and_the_check_passes():
    result = check(
        [Document("a.md", "いろはにほへと")],
        asks("はに", "いろ"),
        FixedChunker(3),
        thresholds=Thresholds.of(max_split="50%"),
    )
    assert result.passed
    assert [finding.level for finding in result.findings] == ["note"]
    assert measured(result, "max_split").n == 1


class TestRows:
    document = Document("a.md", TABLE)

    def test_a_row_that_nobody_asks_for_counts_only_where_rows_are_asked_for(self):
        questions = asks("料金")
        assert check([self.document], questions, FixedChunker(44)).passed
        result = check([self.document], questions, FixedChunker(44), thresholds=Thresholds.of(max_rows_header_lost=0))
        assert result.missed == ("max_rows_header_lost",)
        assert [finding.question for finding in result.findings] == [None]

    def test_a_row_that_is_asked_for_is_found_once(self):
        result = check([self.document], asks("600"), FixedChunker(44), thresholds=Thresholds.of(max_rows_header_lost=0))
        assert [finding.question for finding in result.findings if finding.code == "header-lost"] == ["q1"]
        assert result.missed == ("max_header_lost", "max_rows_header_lost")

    def test_what_mends_it_is_a_carried_header_where_the_row_is_whole(self):
        rows = check([self.document], asks("600"), FixedChunker(44, 20)).findings
        assert [finding.suggestion.prepend for finding in rows if finding.code == "header-lost"] == ["table-header"]
        prepended = FixedChunker(44, 20, prepend=("table-header",))
        assert check([self.document], asks("600"), prepended).passed


@given(corpora(), chunkers(), st.integers(1, 60))
def test_the_model_limit_is_held_against_the_text_to_index(corpus, chunker, limit):
    thresholds = Thresholds.of(max_broken="none", model_limit=limit, model_unit="char")
    try:
        result = check(corpus, None, chunker, thresholds=thresholds)
    except InputError:
        assert all(row.blank for row in list_chunks(corpus, chunker))
        return
    heavy = [
        (row.document, (row.start, row.end))
        for row in list_chunks(corpus, chunker)
        if not row.blank and len(row.index_text) > limit
    ]
    found = [(finding.document, finding.span) for finding in result.findings if finding.code == "chunk-oversize"]
    assert sorted(found) == sorted(heavy)


def test_a_limit_in_tokens_counts_what_is_carried():
    document = Document("a.md", "# 宿泊費の上限と実費の扱い\n\n" + "上限は12,000円。" * 8)
    chunker = HeadingChunker(40, prepend=("headings",))
    most = max(get_unit("cl100k_base").measure(row.index_text).total for row in list_chunks([document], chunker))
    bodies = max(get_unit("cl100k_base").measure(row.text).total for row in list_chunks([document], chunker))
    assert bodies < most

    def passes(limit):
        return check(
            [document], None, chunker, thresholds=Thresholds.of(model_limit=limit, model_unit="cl100k_base")
        ).passed

    assert passes(most + 1)
    assert not passes(bodies)


class TestNothingMeasured:
    document = Document("a.md", "いろはにほへと")

    @pytest.mark.parametrize("documents", [[], [Document("a.md", "")], [Document("a.md", " \n\u3000\u200b")]])
    def test_without_text(self, documents):
        with pytest.raises(InputError, match="nothing measured"):
            check(documents, None, FixedChunker(3))

    @pytest.mark.parametrize("name", ["max_split", "max_missing", "max_header_lost"])
    def test_a_threshold_that_needs_questions_without_any(self, name):
        with pytest.raises(InputError, match=f"nothing measured for {name.replace('_', '-')}: no questions"):
            check([self.document], None, FixedChunker(3), thresholds=Thresholds.of(**{name: 0}))

    @pytest.mark.parametrize("questions", [[], [Question.of("q1", evidence=[])]])
    def test_questions_without_evidence(self, questions):
        with pytest.raises(InputError, match="nothing measured"):
            check([self.document], questions, FixedChunker(3))

    def test_bad_labels_alone_that_only_warn(self):
        with pytest.raises(InputError, match="nothing measured: none of the 1 questions"):
            check([self.document], asks("ない"), FixedChunker(3), thresholds=Thresholds.of(label_problems="warn"))

    @pytest.mark.parametrize("name", ["max_rows_header_lost", "max_header_lost"])
    def test_tables_asked_for_where_there_are_none(self, name):
        with pytest.raises(InputError, match="nothing measured for"):
            check([self.document], asks("いろ"), FixedChunker(3), thresholds=Thresholds.of(**{name: "10%"}))

    def test_tables_among_other_thresholds_are_not_applicable(self):
        result = check(
            [self.document], asks("いろ"), FixedChunker(3), thresholds=Thresholds.of(max_split=0, max_header_lost=0)
        )
        assert result.passed
        assert measured(result, "max_header_lost").total == 0

    def test_everything_switched_off(self):
        off = Thresholds.of(max_split="none", max_missing="none", max_header_lost="none", max_broken="none")
        with pytest.raises(InputError, match="switched off"):
            check([self.document], None, FixedChunker(3), thresholds=off)

    def test_without_questions_what_needs_none_is_checked_and_the_rest_is_said(self):
        result = check([self.document], None, FixedChunker(3))
        assert [one.name for one in result.measured] == ["max_broken"]
        assert result.warnings == ("no questions: max-split, max-missing, max-header-lost cannot be checked",)


class TestLabels:
    document = Document("a.md", "いろはにほへと。いろは。")

    def test_problems_are_findings_and_the_sound_questions_are_measured(self):
        result = check([self.document], asks("にほ", "ない", "いろは"), FixedChunker(20))
        assert [finding.code for finding in result.findings] == ["label-ambiguous", "label-missing"]
        assert result.missed == ("label_problems",)
        assert measured(result, "max_split").total == 1
        assert [question.kind for question in result.asked] == ["valid", "excluded", "excluded"]

    def test_they_may_be_warnings(self):
        result = check(
            [self.document], asks("にほ", "ない"), FixedChunker(20), thresholds=Thresholds.of(label_problems="warn")
        )
        assert result.passed
        assert [finding.level for finding in result.findings] == ["warning"]

    def test_bad_labels_alone_are_a_finding_not_a_failure_to_look(self):
        assert check([self.document], asks("ない"), FixedChunker(20)).missed == ("label_problems",)


@pytest.mark.parametrize("chunker", ["fixed", "heading(merge=true)", "sentence"])
def test_a_chunker_without_the_size_it_needs_is_refused(chunker):
    with pytest.raises(ChunkerError, match="size"):
        check([Document("a.md", "いろは")], None, chunker)


def test_whole_sections_have_no_size_to_be_above():
    with pytest.raises(InputError, match="max_oversize"):
        check([Document("a.md", "いろは")], None, "heading", thresholds=Thresholds.of(max_oversize=0))
    assert check([Document("a.md", "いろは")], None, "heading", thresholds=Thresholds.of(model_limit=9)).passed


@pytest.mark.parametrize("chunker", ["fixed(size=9)", "sentence(size=12, oversize=keep)", "token(size=5, raw=true)"])
def test_documents_in_another_order_give_the_same(chunker):
    documents = [Document(f"{name}.md", TABLE + f"{name}の上限は12,000円とする。\n\n \n\n鮪。") for name in "dacb"]
    questions = [
        Question.of(f"q{n}", doc=document.name, evidence=document.text[-20:-6]) for n, document in enumerate(documents)
    ]
    thresholds = Thresholds.of(max_rows_header_lost=1, max_blank=0, max_oversize=0)
    first = check(documents, questions, chunker, thresholds=thresholds).to_dict()
    for seed in range(4):
        random.Random(seed).shuffle(documents)
        assert check(documents, questions, chunker, thresholds=thresholds).to_dict() == first
    assert first["findings"]


def test_documents_that_a_question_ties_together_are_looked_at_together():
    documents = [Document("a.md", "いろはに"), Document("b.md", "ほへとち")]
    evidence = [{"doc": "a.md", "text": "ろは"}, {"doc": "b.md", "text": "とち"}]
    result = check(documents, [Question.of("q1", evidence=evidence)], parse_chunker("fixed(size=2)"))
    assert measured(result, "max_split").n == 1
    assert [finding.document for finding in result.findings] == ["a.md"]
