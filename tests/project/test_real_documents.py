"""Counts on real documents, measured once by other means and kept here."""

from __future__ import annotations

import json

import numpy as np
import pytest
from worlds import cut

from chunkscope import Corpus, read_corpus, read_questions, sweep
from chunkscope.chunkers import FixedChunker, HeadingChunker, SentenceChunker, TokenChunker, parse_chunker
from chunkscope.structure.tokens import load_encoding


@pytest.fixture(scope="module")
def corpora(data):
    """Read each folder of documents once."""
    found = {}

    def read(name):
        if name not in found:
            found[name] = Corpus.of(tuple(read_corpus(data / name / "docs")))
        return found[name]

    return read


@pytest.fixture(scope="module")
def asked(data):
    return lambda name, file="questions.jsonl": read_questions(data / name / file)


def cells(corpus, questions, chunkers):
    """Sweep ready chunkers without what is not asked of them here."""
    made = [parse_chunker(spelling) for spelling in chunkers]
    result = sweep(corpus, questions, chunkers=made, with_cuts=False, with_ids=False)
    return dict(zip(chunkers, result.cells, strict=True)), result


def test_japanese_company_documents_split_one_of_56_with_overlap_and_seven_without(corpora, asked):
    found, result = cells(corpora("nagisa_ja"), asked("nagisa_ja"), ["fixed(size=600, overlap=100)", "fixed(size=500)"])
    assert result.questions.evidence == 56
    overlapping, bare = found.values()
    assert (overlapping.chunks, overlapping.split_evidence) == (47, 1)
    assert bare.split_evidence == 7


@pytest.mark.parametrize(
    ("size", "overlap", "split"),
    [(50, 0, 782), (200, 0, 567), (200, 40, 505), (400, 0, 330), (400, 80, 183), (800, 0, 172), (800, 160, 34)],
)
def test_english_evidence_is_split_as_often_as_counted_elsewhere(english, size, overlap, split):
    assert english.questions.evidence == 790
    assert english.cell(size, overlap).split_evidence == split


@pytest.fixture(scope="module")
def english(corpora, asked):
    pairs = [(50, 0), (200, 0), (200, 40), (400, 0), (400, 80), (800, 0), (800, 160)]
    return sweep(
        corpora("chroma_eval"), asked("chroma_eval"), chunkers=[FixedChunker(*pair) for pair in pairs], with_cuts=False
    )


def test_the_reference_counts_hold_row_by_row(data, corpora, asked):
    rows = json.loads((data / "split_reference.json").read_text(encoding="utf-8"))
    groups = {}
    for row in rows:
        groups.setdefault((row["dataset"], row["questions"]), []).append(row)
    for (dataset, file), wanted in groups.items():
        questions = asked(dataset, file)
        needed = {quote.document for question in questions.questions for quote in question.quotes}
        corpus = Corpus.of(document for document in corpora(dataset) if document.name in needed)
        spellings = [
            f"{'fixed' if 'chars' in row['chunker'] else 'token'}(size={row['size']}, overlap={row['overlap']}"
            f"{'' if 'chars' in row['chunker'] else ', raw=true'})"
            for row in wanted
        ]
        found, result = cells(corpus, questions, spellings)
        for row, cell in zip(wanted, found.values(), strict=True):
            assert result.corpus.documents == row["docs"]
            assert (result.questions.valid, result.questions.evidence) == (row["n_questions"], row["evidence"])
            assert {
                "chunks": cell.chunks,
                "chunks_starting_or_ending_mid_character": cell.broken_chunks,
                "evidence_split": cell.split_evidence,
                "questions_with_split": cell.split_questions,
            } == {key: row[key] for key in (
                "chunks", "chunks_starting_or_ending_mid_character", "evidence_split", "questions_with_split"
            )}, row  # fmt: skip
            if row["table_questions"]:
                together = cell.table_questions, cell.table_questions_with_header
                assert together == (row["table_questions"], row["header_and_row_in_one_chunk"]), row


def test_raw_token_windows_break_a_third_of_japanese_chunks_and_packed_ones_none(corpora, asked):
    corpus = corpora("jaquad_dev_ja")
    found, _ = cells(corpus, asked("jaquad_dev_ja"), ["token(size=200, raw=true)", "token(size=200)"])
    raw, packed = found.values()
    assert raw.split_evidence == 1502
    assert 0.3 < raw.broken_chunks / raw.chunks < 0.37
    assert (packed.broken_chunks, packed.oversize_chunks) == (0, 0)


def test_packed_tokens_never_exceed_the_size_counted_on_the_whole_document(corpora):
    encoding = load_encoding("cl100k_base").encoding
    for document in list(corpora("jaquad_dev_ja"))[::10]:
        # byte offsets, which need none of our own bookkeeping
        begins, byte = [], 0
        for token in encoding.encode(document.text, disallowed_special=()):
            begins.append(byte)
            byte += len(encoding.decode_single_token_bytes(token))
        bytes_before = np.cumsum([0, *(len(character.encode()) for character in document.text)])
        spans = TokenChunker(200).spans(document)
        first_of_char = np.searchsorted(begins, bytes_before)
        for start, end in spans.tolist():
            # a token counts where its first byte is; those inside a character belong to it
            assert first_of_char[end] - first_of_char[start] <= 200
        assert "".join(document.text[start:end] for start, end in spans.tolist()) == document.text


def test_table_rows_of_real_documents_keep_their_header_as_counted_elsewhere(corpora, asked):
    found, _ = cells(corpora("tables"), asked("tables"), ["token(size=800, overlap=400, raw=true)"])
    [cell] = found.values()
    assert (cell.table_questions, cell.table_questions_with_header) == (68, 42)


@pytest.mark.parametrize(
    "chunker",
    [
        TokenChunker(100, 20), TokenChunker(60, 15, raw=True), FixedChunker(80, 13, unit="word"), SentenceChunker(200, 60),
        SentenceChunker(120, 30, unit="cl100k_base"), SentenceChunker(200, 60, overlap_by="characters", newline="end"),
        SentenceChunker(60, oversize="keep"), HeadingChunker(300, 50), HeadingChunker(500, merge=True),
        HeadingChunker(100, 20, unit="cl100k_base", merge=True), HeadingChunker(),
    ],
)  # fmt: skip
def test_real_documents_are_cut_as_the_slow_twin_cuts_them(data, corpora, chunker):
    messy = read_corpus(data / "messy" / "files", skip_unreadable=True)
    documents = [*list(corpora("nagisa_ja"))[::6], *list(corpora("jaquad_dev_ja"))[::50]]
    documents += [document for document in messy if len(document.text) < 3000]
    assert len(documents) > 8
    for document in documents:
        expected = [[window.start, window.end] for window in cut(document, chunker) if window.has_span]
        assert chunker.spans(document).tolist() == expected
