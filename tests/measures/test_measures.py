"""Every count of every cell against loops over documents, questions and chunks."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.cells import count_cell
from oracle.lengths import index_lengths, index_texts
from oracle.wholeness import count_whole
from worlds import chunkers, corpora, cut, labels_of, plain, plain_questions, questions_of, settings_of

from chunkscope import Document, FixedChunker, SentenceChunker, TokenChunker, sweep
from chunkscope.grid.results import Cell
from chunkscope.measures.lengths import LengthCounts
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.questions.question import Question


@st.composite
def worlds(draw):
    corpus = draw(corpora())
    return corpus, draw(questions_of(corpus))


def one_cell(corpus, chunker, questions=None, **settings):
    labels = None if questions is None else labels_of(questions)
    result = sweep(corpus, labels, chunkers=[chunker], sizes=[1], overlaps=[0], **settings)
    return result.cells[0]


@given(worlds(), st.lists(chunkers(), min_size=1, max_size=3, unique=True))
def test_every_count_of_a_cell_equals_the_loops(world, found):
    corpus, questions = world
    result = sweep(corpus, labels_of(questions), chunkers=found, sizes=[1], overlaps=[0], count_tokens="cl100k_base")
    for chunker in found:
        overlap = None if chunker.size is None else chunker.overlap
        same = [other.unit for other in found if other.size is None and other.label == chunker.label]
        unit = same[0] if chunker.size is None else chunker.unit  # whole sections are alike in every unit, and run once
        cell = result.cell(chunker.size, overlap, chunker.label, unit)
        counts = count_cell(list(map(plain, corpus)), plain_questions(questions), settings_of(chunker))
        counts["lengths"] = LengthCounts.of(counts["lengths"])
        for name, expected in counts.items():
            assert getattr(cell, name) == expected, (name, str(chunker))
        assert cell.split_evidence >= max(
            cell.missing_evidence, cell.evidence_in_two_chunks, cell.evidence_longer_than_size
        )


@given(worlds(), chunkers())
def test_the_classes_of_cuts_add_up_to_the_chunks_that_end_inside_their_document(world, chunker):
    corpus, _ = world
    cell = one_cell(corpus, chunker)
    found = [cut(document, chunker) for document in corpus]
    expected = sum(len(windows) - 1 for windows in found if windows)
    if getattr(chunker, "tail", "drop") == "keep" or chunker.name == "recursive":
        # the extra windows end where the text does: that is no cut; nor is white space that was stripped at its end
        expected = sum(
            w.end + w.stripped < len(d.text) for d, windows in zip(corpus, found, strict=True) for w in windows
        )
    assert sum(cell.cuts.values()) == expected


@given(corpora(), chunkers())
def test_lengths_come_with_what_is_prepended_a_line_each(corpus, chunker):
    cell = one_cell(corpus, chunker)
    lengths = sorted(index_lengths(index_texts(map(plain, corpus), settings_of(chunker))).elements())
    characters = sum(len(document.text) for document in corpus)
    shown = cell.to_dict()
    if not lengths:
        assert shown["chunk_chars"] == {"min": None, "mean": None, "median": None, "max": None}
    else:
        assert shown["chunk_chars"] == {
            "min": min(lengths),
            "mean": pytest.approx(statistics.fmean(lengths), abs=1e-6),
            "median": statistics.median(lengths),
            "max": max(lengths),
        }
    assert shown["duplication"] == (pytest.approx(sum(lengths) / characters, abs=1e-6) if characters else None)


@given(corpora(), chunkers(with_carry=False))
def test_without_questions_sentences_code_and_headings_are_counted(corpus, chunker):
    cell = one_cell(corpus, chunker)
    for name, expected in count_whole(map(plain, corpus), settings_of(chunker)).items():
        assert getattr(cell, name) == expected, name


def test_evidence_longer_than_the_size_but_whole_is_not_counted_as_longer():
    tuna = Document("a.md", "鮪は魚。")
    asked = [LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 0, 1),))]
    [cell] = sweep([tuna], labels_of(asked), chunkers=[TokenChunker(2)]).cells
    assert (cell.split_evidence, cell.evidence_longer_than_size, cell.oversize_chunks) == (0, 0, 2)
    long = Document("a.md", "長い長い長い文です。短い。")
    asked = [LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 0, 10),))]
    [cell] = sweep([long], labels_of(asked), chunkers=[SentenceChunker(5, oversize="keep")]).cells
    assert (cell.split_evidence, cell.evidence_longer_than_size) == (0, 0)
    [cell] = sweep([long], labels_of(asked), chunkers=[SentenceChunker(5)]).cells
    assert (cell.split_evidence, cell.evidence_longer_than_size) == (1, 1)


def test_white_space_that_nobody_sees_parts_no_row_from_its_header():
    text = "| a | b |\n|---|---|\n| 1 | 2 |   \n| 3 | 4 |\n"
    asked = [LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 20, 29),))]
    [cell] = sweep([Document("a.md", text)], labels_of(asked), chunkers=[FixedChunker(29)]).cells
    assert (cell.split_questions, cell.table_questions_with_header, cell.table_rows_with_header) == (0, 1, 1)
    assert cell.table_rows_whole == 2


def test_where_no_window_holds_a_whole_character_all_evidence_is_missing():
    asked = [LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 0, 1),))]
    cell = one_cell([Document("a.md", "鮪")], TokenChunker(1, raw=True), asked)
    assert (cell.chunks, cell.broken_chunks, cell.lengths.n) == (3, 3, 0)
    assert (cell.split_evidence, cell.missing_evidence, cell.evidence_in_two_chunks) == (1, 1, 0)


def test_rates_over_nothing_are_none():
    [cell] = sweep([Document("a.md", "")], chunkers=[FixedChunker(10)]).cells
    assert (cell.chunks, cell.duplication, cell.lengths.mean, cell.lengths.median) == (0, None, None, None)
    assert Cell("fixed", "char", 10, 0, 0).to_dict()["duplication"] is None


def test_evidence_may_have_more_tokens_than_its_document_has_characters():
    document = Document("a.md", "か\u3099\u2028(")  # 6 tokens
    labels = labels_of([LocatedQuestion(Question("q"), (EvidenceSpan("a.md", 1, 4),))])  # 5 of them
    for size, split, longer in ((4, 1, 1), (5, 1, 0), (6, 0, 0)):
        (cell,) = sweep([document], labels, chunkers=TokenChunker(size)).cells
        assert (cell.split_evidence, cell.evidence_longer_than_size) == (split, longer)


def test_a_blank_window_at_the_end_of_a_document_may_be_shorter_than_the_size():
    (cell,) = sweep([Document("a", "いろはに ほ  ")], chunkers=FixedChunker(6)).cells
    assert (cell.chunks, cell.blank_chunks) == (2, 1)
