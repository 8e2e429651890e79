"""Sweeps: what adds up, what is done once, and in which order things are named."""

from __future__ import annotations

import dataclasses
import sys
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, labels_of, prepends, questions_of

import chunkscope.structure.analysis as parts_module
from chunkscope import (
    Document,
    FixedChunker,
    HeadingChunker,
    Question,
    SentenceChunker,
    TokenChunker,
    find_boundary_problems,
    sweep,
)
from chunkscope.errors import ChunkerError, ConfigError, GridError, LabelError
from chunkscope.grid.notation import Grid
from chunkscope.grid.sweep import prepare_sweep
from chunkscope.measures.base import Field
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.reports.advice_text import guaranteed_overlap
from chunkscope.structure.units import EncodingUnit, WordUnit

ALL_WAYS = (
    "fixed,fixed(prepend=table-header),fixed(unit=word),token,token(raw=true),sentence,sentence(newline=end),"
    "sentence(unit=cl100k_base),heading,heading(merge=true, prepend=headings+title)"
)


@st.composite
def partitions(draw):
    """Documents in two parts, with questions that each stay in a part."""
    corpus = draw(corpora(4))
    questions = draw(questions_of(corpus, 5))
    left = {document.name for document in corpus if draw(st.booleans())}
    one = [q for q in questions if all(entry.document in left for entry in q.evidence)]
    other = [q for q in questions if not any(entry.document in left for entry in q.evidence)]
    return (
        [d for d in corpus if d.name in left], one, [d for d in corpus if d.name not in left], other,
    )  # fmt: skip


def test_a_blank_chunk_may_be_one_character_where_chunks_are_packed():
    (cell,) = sweep([Document("a.md", "一 二")], chunkers=SentenceChunker(1)).cells
    assert (cell.chunks, cell.blank_chunks) == (3, 1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ([Field("vowels", "count"), Field("vowels", "count")], "the field 'vowels' is taken"),
        ([Field("chunks", "count")], "the field 'chunks' is taken"),
        ([Field("vowels", "count", of="letters")], "'vowels' is said to be a part of 'letters', which nobody counts"),
    ],
)
def test_fields_that_clash_or_are_a_part_of_nothing_are_refused_at_once(fields, message):
    with pytest.raises(ConfigError, match=message):
        sweep([], chunkers=FixedChunker(6), measures=[SimpleNamespace(fields=fields)])


@given(corpora(), st.data(), chunkers())
@settings(max_examples=40)
def test_a_cell_counted_alone_is_the_cell_of_the_grid(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    prepared = prepare_sweep(corpus, labels_of(questions) if questions else None, chunkers=Grid.of_cells([chunker]))
    alone = prepared.scan.cell(prepared.scan.chunks(chunker), chunker)
    assert [alone] == list(prepared.count().cells)


@pytest.mark.parametrize(
    ("declared", "counted", "message"),
    [
        (["vowels"], {}, "field 'vowels' is in a measure's fields, but not counted"),
        ([], {"vowels": [1]}, "field 'vowels' is counted, but is in no measure's fields"),
    ],
)
def test_a_measure_counts_what_it_declares_and_nothing_else(declared, counted, message):
    bound = SimpleNamespace(count=lambda cells: counted)
    measure = SimpleNamespace(
        fields=[Field(name, name) for name in declared],
        collect=lambda analysis: None,
        bind=lambda collected, layout: bound,
    )
    with pytest.raises(ConfigError, match=message):
        sweep([Document("a", "一")], chunkers=[FixedChunker(6)], measures=[measure])


@pytest.mark.parametrize("jobs", [0, -1, 1.0, "2"])
def test_jobs_are_a_whole_number_of_at_least_one(jobs):
    with pytest.raises(ConfigError, match=f"jobs {jobs!r} must be a whole number of at least 1"):
        sweep([Document("a", "一")], chunkers=[FixedChunker(6)], jobs=jobs)


def test_results_that_rank_do_not_add_up():
    plain = sweep([Document("a", "一二三")], chunkers=FixedChunker(2))
    ranked = dataclasses.replace(plain, cells=(dataclasses.replace(plain.cells[0], retrieval=({"k": [1]},)),))
    for one, other in ((plain, ranked), (ranked, plain)):
        with pytest.raises(ValueError, match="results with recall do not add up"):
            one + other


def test_where_no_cell_fits_those_of_the_size_are_named():
    found = sweep([Document("a", "一二三四五六七八九")], chunkers="fixed,sentence", sizes=[3, 4], overlaps=[1, 2])
    with pytest.raises(KeyError, match=r"no cell fits .*; there are fixed char 4/1, fixed char 4/2, sentence char 4/1"):
        found.cell(4, overlap=3)


def test_cuts_of_a_chunker_without_its_size_are_refused_whatever_the_documents():
    with pytest.raises(ChunkerError, match="fixed needs a size"):
        find_boundary_problems([], [], FixedChunker())


@given(partitions(), st.lists(chunkers(), min_size=1, max_size=3))
@settings(max_examples=40)
def test_results_for_two_parts_of_a_corpus_add_up_to_the_result_for_all(parts, found):
    one, asked_one, other, asked_other = parts
    grid = {"chunkers": found, "sizes": [3, 9], "overlaps": [0, 2, 3], "count_tokens": "cl100k_base"}
    added = sweep(one, labels_of(asked_one), **grid) + sweep(other, labels_of(asked_other), **grid)
    whole = sweep(one + other, labels_of(asked_one + asked_other), **grid)
    assert added.to_dict() == dataclasses.replace(whole, advice=None).to_dict()
    again = sweep(other, labels_of(asked_other), **grid) + sweep(one, labels_of(asked_one), **grid)
    for cell, same in zip(again.cells, whole.cells, strict=True):
        assert {**cell.to_dict(), "split_question_ids": [], "header_lost_question_ids": []} == {
            **same.to_dict(), "split_question_ids": [], "header_lost_question_ids": [],
        }  # fmt: skip


@given(partitions(), st.lists(chunkers(), min_size=1, max_size=2))
@settings(max_examples=40)
def test_results_without_questions_add_up_too(parts, found):
    one, _, other, _ = parts
    grid = {"chunkers": found, "sizes": [7], "overlaps": [0]}
    whole = dataclasses.replace(sweep(one + other, **grid), advice=None)
    assert (sweep(one, **grid) + sweep(other, **grid)).to_dict() == whole.to_dict()


@given(corpora(4), st.data(), chunkers())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_small_batches_and_one_large_batch_come_to_the_same(monkeypatch, corpus, data, chunker):
    labels = labels_of(data.draw(questions_of(corpus, 6)))
    whole = sweep(corpus, labels, chunkers=[chunker], sizes=[5], overlaps=[0])
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["chunkscope.grid.sweep"], "BATCH_CHARACTERS", 1)
        assert sweep(corpus, labels, chunkers=[chunker], sizes=[5], overlaps=[0]).to_dict() == whole.to_dict()


def test_results_that_share_a_document_do_not_add_up():
    one = sweep([Document("a.md", "甲"), Document("b.md", "乙")], chunkers="fixed", sizes=[1], overlaps=[0])
    other = sweep([Document("b.md", "乙"), Document("c.md", "丙")], chunkers="fixed", sizes=[1], overlaps=[0])
    with pytest.raises(ValueError, match=r"'b\.md' is in both"):
        one + other


def test_a_cell_is_found_by_what_tells_it_from_the_others():
    documents = [Document("a.md", "一つ。二つ。三つ。")]
    shared = sweep(documents, chunkers="fixed", sizes=[4, 6], overlaps="1/2")
    assert shared.cell(4).key == ("fixed", "char", 4, 2)
    many = sweep(documents, chunkers="fixed,sentence", sizes=[4, 6], overlaps="0,1")
    assert many.cell(4).key == ("fixed", "char", 4, 0)
    assert many.cell(4, 1).key == ("fixed", "char", 4, 1)
    assert many.cell(4, chunker="sentence").key == ("sentence", "char", 4, 0)
    with pytest.raises(KeyError, match=r"no cell fits \{'size': 5\}; there are fixed char 4/0"):
        many.cell(5)
    with pytest.raises(KeyError, match="more than one cell fits"):
        sweep(documents, chunkers="fixed", sizes=[6], overlaps="1,2").cell(6)
    assert sweep(documents, chunkers="heading", sizes=[4], overlaps=[0]).cell(None).key == (
        "heading",
        "char",
        None,
        None,
    )


def test_results_over_different_grids_do_not_add_up():
    one = sweep([Document("a", "あ")], chunkers="fixed", sizes=[3], overlaps=[0])
    other = sweep([Document("b", "あ")], chunkers="fixed", sizes=[4], overlaps=[0])
    with pytest.raises(ValueError, match="different grids"):
        one + other
    with pytest.raises(ValueError, match="different settings"):
        one.cells[0] + other.cells[0]


DOCUMENTS = [
    Document("a.md", "# 題\n\n本文です。次の文。\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
    Document("b.md", ""),
    Document("c.md", "Text here. More text 鮪.\n\n```\ncode\n```\n"),
]


def test_each_document_is_parsed_and_measured_once_whatever_the_grid(monkeypatch):
    calls = []

    def counted(name, function):
        def call(*arguments, **settings):
            calls.append(name)
            return function(*arguments, **settings)

        return call

    def measuring(unit, texts, names=(), *, original):
        calls.extend(unit.name for _ in names)  # other texts have none, such as a line end
        return original(unit, texts, names)

    read_words = parts_module.read_words
    monkeypatch.setattr(
        parts_module,
        "read_words",
        lambda texts: calls.extend(["read_words"] * (len(texts.edges) - 1)) or read_words(texts),
    )
    for name in ("read_structure", "sentence_starts"):
        monkeypatch.setattr(parts_module, name, counted(name, getattr(parts_module, name)))
    for unit in (EncodingUnit, WordUnit):
        original = unit.measure_all
        monkeypatch.setattr(
            unit, "measure_all", lambda self, texts, names=(), o=original: measuring(self, texts, names, original=o)
        )
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 5, 10), EvidenceSpan("c.md", 0, 4)))])
    result = sweep(
        DOCUMENTS, labels, chunkers=ALL_WAYS, sizes="3..60:3", overlaps="0,1/6,2", count_tokens="cl100k_base"
    )
    assert len(result.cells) > 400
    assert result.tokens is not None  # the advised cell has been looked at once more
    assert {name: calls.count(name) for name in sorted(set(calls))} == {
        "cl100k_base": 3, "read_structure": 3, "read_words": 3, "sentence_starts": 3, "word": 3,
    }  # fmt: skip


class Watched(str):
    """A text that counts its slices."""

    slices = 0

    def __getitem__(self, place):
        Watched.slices += isinstance(place, slice)
        return str.__getitem__(self, place)


def test_no_text_is_taken_out_of_a_document_for_a_cell():
    counts = []
    for sizes in ([30], range(10, 90)):
        Watched.slices = 0
        documents = [Document(document.name, Watched(document.text)) for document in DOCUMENTS]
        assert type(documents[0].text) is Watched
        sweep(documents, chunkers=ALL_WAYS, sizes=sizes, overlaps=[0, 3])
        counts.append(Watched.slices)
    assert counts[0] == counts[1]


@given(st.data())
@settings(max_examples=30)
def test_a_cell_does_not_depend_on_the_cells_beside_it(data):
    corpus = data.draw(corpora())
    labels = labels_of(data.draw(questions_of(corpus)))
    found = data.draw(st.lists(chunkers().filter(lambda c: c.size is not None), min_size=1, max_size=4, unique=True))
    together = sweep(corpus, labels, chunkers=found).cells
    assert [cell.to_dict() for cell in together] == [
        sweep(corpus, labels, chunkers=[chunker]).cells[0].to_dict() for chunker in found
    ]


@given(prepends, st.integers(1, 30))
@settings(max_examples=30)
def test_carrying_changes_lengths_and_rows_but_neither_chunks_nor_evidence(prepend, size):
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 5, 10),))])
    bare = sweep(DOCUMENTS, labels, chunkers=[SentenceChunker(size)]).cells[0]
    prepending = sweep(DOCUMENTS, labels, chunkers=[SentenceChunker(size, prepend=prepend)]).cells[0]
    for name in ("chunks", "blank_chunks", "oversize_chunks", "split_evidence", "missing_evidence", "cuts"):
        assert getattr(bare, name) == getattr(prepending, name)
    assert prepending.chunk_characters >= bare.chunk_characters
    assert prepending.table_rows_with_header >= bare.table_rows_with_header


def test_questions_are_counted_and_bad_ones_left_out_of_every_cell_alike():
    documents = [Document("a.md", "開場は九時です。閉場は五時です。開場は九時です。")]
    asked = [
        Question.of("q1", doc="a.md", evidence="開場は九時です。"),
        Question.of("q2", doc="a.md", evidence="閉場は五時です。"),
        Question.of("q3", evidence=[]),
        Question.of("q4", doc="a.md", evidence="ない"),
    ]
    with pytest.raises(LabelError, match="q1"):
        sweep(documents, asked, chunkers="fixed", sizes=[10], overlaps=[0])
    result = sweep(documents, asked, chunkers="fixed", sizes=[10, 24], overlaps=[0], skip_bad_labels=True)
    shown = result.to_dict()["questions"]
    assert (shown["total"], shown["valid"], shown["without_evidence"]) == (4, 1, 1)
    assert shown["excluded"] == [{"id": "q1", "problem": "ambiguous"}, {"id": "q4", "problem": "missing"}]
    assert [cell.split_question_ids for cell in result.cells] == [("q2",), ()]


def test_labels_of_other_documents_are_an_error_not_a_smaller_count():
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 0, 2), EvidenceSpan("gone", 0, 2)))])
    with pytest.raises(LabelError, match="question q: 'gone' is not among the documents"):
        sweep([Document("a", "あいう")], labels, chunkers="fixed", sizes=[10], overlaps=[0])


def test_ids_are_left_out_of_large_grids_unless_asked_for():
    documents = [Document("a", "あ" * 30)]
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a", 0, 9),))])
    large = {"sizes": range(1, 1002), "overlaps": [0], "with_cuts": False}
    assert sweep(documents, labels, **large).cells[0].split_question_ids is None
    assert sweep(documents, labels, **large, with_ids=True).cells[0].split_question_ids == ("q",)
    assert "split_question_ids" not in sweep(documents, labels, **large).to_dict()["cells"][0]


@pytest.mark.parametrize(
    ("grid", "error"),
    [
        ({"sizes": [4], "overlaps": [4]}, GridError),
        ({"sizes": "8..4"}, GridError),
        ({"chunkers": "fixd"}, ChunkerError),
        ({"chunkers": "fixed(unit=nothing)"}, ChunkerError),
    ],
)
def test_a_grid_that_means_nothing_is_an_error(grid, error):
    with pytest.raises(error):
        sweep([Document("a", "あ")], **grid)


def test_an_empty_corpus_has_cells_of_zeros_and_rates_of_none():
    for questions in (None, []):
        shown = sweep([], questions, chunkers=ALL_WAYS, sizes=[8], overlaps=[0, 3]).to_dict()
        assert shown["corpus"]["documents"] == 0
        for cell in shown["cells"]:
            assert cell["chunks"] == 0
            assert cell["duplication"] is None
            assert sum(cell["cuts"].values()) == 0


def test_values_and_spellings_make_the_same_grid():
    spelt = sweep(DOCUMENTS, chunkers="token(raw=true),heading(merge=true)", sizes="8,16", overlaps="0,1/4")
    made = sweep(
        DOCUMENTS, chunkers=[TokenChunker(raw=True), HeadingChunker(merge=True)], sizes=[8, 16], overlaps="0,1/4"
    )
    assert spelt.to_dict() == made.to_dict()
    assert (
        sweep(DOCUMENTS, chunkers=FixedChunker(9, 3)).cells
        == sweep(DOCUMENTS, chunkers="fixed", sizes=[9], overlaps=[3]).cells
    )


def test_without_evidence_the_longest_is_none_and_no_overlap_guarantees_anything():
    result = sweep(DOCUMENTS, [Question.of("q1", evidence=[])], chunkers="fixed,token", sizes=[8], overlaps=[0])
    assert result.questions.longest == {"char": 0, "cl100k_base": 0}
    assert guaranteed_overlap(result, "char") is None
