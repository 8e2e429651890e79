"""Every splitter with a short name: its pieces are found, and what is split is what loops over their places find."""

from __future__ import annotations

import pytest
from oracle.inspection import has_header
from oracle.spans import is_held

from chunkscope import Document, Question, sweep
from chunkscope.errors import MissingPartError
from chunkscope.splitters.chunker import parse_splitter
from chunkscope.splitters.look import Look
from chunkscope.splitters.packages import SPLITTERS
from chunkscope.splitters.probes import SAMPLE
from chunkscope.structure.analysis import DocumentAnalysis

JAPANESE = "".join(
    f"## 第{n}条\n\n宿泊費の上限は一泊{n}万二千円とし、申請は{n}日前までに行う。鮪と鰹は含めない。\n\n"
    for n in range(30)
)
DOCUMENTS = [Document("en.md", SAMPLE), Document("ja.md", JAPANESE), Document("crlf.md", SAMPLE.replace("\n", "\r\n"))]
SIZES = {"char": (120, 20), "words between spaces": (20, 3), "bytes of UTF-8": (6000, 0)}


def at_a_size(name):
    try:
        chunker = parse_splitter(name, "")
    except MissingPartError as error:
        pytest.skip(str(error))
    splitter = chunker.splitter
    if not splitter.takes_size:
        return chunker
    size, overlap = SIZES.get(splitter.unit or splitter.counts, (40, 8) if splitter.unit else (3, 0))
    return chunker.at(size, overlap if splitter.takes_overlap else 0)


def passages(document):
    """A passage in so many characters, as evidence."""
    for start in range(30, document.length - 40, 150):
        quote = document.text[start : start + 40]
        if quote.strip() == quote:
            yield Question.of(
                f"{document.name}:{start}", doc=document.name, evidence=quote, spans=[[start, start + 40]]
            )


@pytest.mark.parametrize("name", SPLITTERS)
def test_pieces_are_found_and_what_they_split_is_what_loops_find(name):
    chunker = at_a_size(name)
    asked = [question for document in DOCUMENTS for question in passages(document)]
    cell = sweep(DOCUMENTS, asked, chunkers=[chunker], with_cuts=False).cells[0]
    assert not cell.failures
    split = with_header = 0
    for document in DOCUMENTS:
        look = Look.at(document, chunker)
        found = {problem.code: problem.found for problem in look.problems()}
        assert not len(found["not_found"]), [look.raw[number].text for number in found["not_found"][:3]]
        spans = [(start, end) if start < end else None for start, end in look.pieces.spans.tolist()]
        for piece, span, kind in zip(look.raw, spans, look.pieces.kinds.tolist(), strict=True):
            assert kind or piece.text == document.text[slice(*span)]
        repeated = [[] for _ in spans]
        for owner, span in zip(look.pieces.owners.tolist(), look.pieces.prepended.tolist(), strict=True):
            repeated[owner].append(tuple(span))
        rows = list(zip(look.pieces.texts, spans, spans, repeated, strict=True))
        tables = DocumentAnalysis(document).tables
        with_header += sum(has_header(rows, table, row) for table in tables for row in table.rows)
        held = [span for span in spans if span is not None]
        quotes = [question.quotes[0].span for question in asked if question.quotes[0].document == document.name]
        split += sum(not is_held(held, *span) for span in quotes)
    assert (cell.split_evidence, cell.table_rows_with_header) == (split, with_header)
