"""What each document loses, and what documents are made of, against loops over their characters and chunks."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.damage import find_damage
from oracle.wholeness import count_characters
from worlds import chunkers, corpora, labels_of, plain, plain_questions, questions_of, settings_of

from chunkscope import Document, FixedChunker, sweep
from chunkscope.measures.damage import DocumentDamage, worst_first


def damage(corpus, labels, chunker):
    grid = {"chunkers": [chunker], "sizes": [1], "overlaps": [0]}
    result = sweep(corpus, labels, **grid, by_document=[chunker])
    found = result.damage[str(chunker)]
    assert found == worst_first(found)
    return {one.document: (one.characters, one.lost) for one in found}


@given(corpora(), st.data(), chunkers())
def test_evidence_lost_in_each_document_equals_the_loops(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    expected = find_damage(map(plain, corpus), plain_questions(questions), settings_of(chunker))
    assert damage(corpus, labels_of(questions), chunker) == expected


@given(corpora(), chunkers())
def test_structure_lost_in_each_document_equals_the_loops(corpus, chunker):
    assert damage(corpus, None, chunker) == find_damage(map(plain, corpus), None, settings_of(chunker))


@given(corpora(), st.data(), chunkers())
@settings(max_examples=60)
def test_what_documents_lose_adds_up_to_what_the_cell_counts(corpus, data, chunker):
    questions = data.draw(questions_of(corpus))
    for labels in (labels_of(questions), None):
        result = sweep(corpus, labels, chunkers=[chunker], sizes=[1], overlaps=[0], by_document=[chunker])
        cell = result.cells[0]
        lost = result.damage[str(chunker)]
        if labels is None:
            for kind in ("sentences", "code_blocks", "headings"):
                cut = sum(one.lost.get(kind, (0, 0))[0] for one in lost)
                assert cut == getattr(cell, kind) - getattr(cell, f"{kind}_whole")
            assert sum(one.lost.get("table_rows", (0, 0))[0] for one in lost) == cell.table_rows - cell.table_rows_whole
            assert sum(one.header_lost for one in lost) == cell.table_rows_whole - cell.table_rows_with_header
        else:
            assert sum(one.cuts for one in lost) == cell.split_evidence


@given(corpora(4))
def test_characters_of_prose_code_and_tables_are_those_counted_one_by_one(corpus):
    result = sweep(corpus, chunkers="fixed", sizes=[5], overlaps=[0])
    found = {"prose": 0, "code": 0, "tables": 0, **result.corpus.kinds}
    assert found == count_characters(map(plain, corpus))
    longest = max((len(document.text) for document in corpus), default=0)
    assert result.corpus.largest[1] == longest


def test_the_worst_document_is_first_then_the_name_decides():
    text = "一つ目の文です。二つ目の文です。\n"
    corpus = [Document(name, text * n) for name, n in (("b.md", 2), ("a.md", 2), ("c.md", 9), ("d.md", 0))]
    found = sweep(corpus, chunkers=[FixedChunker(5)], by_document=[FixedChunker(5)]).damage["fixed(size=5)"]
    assert [(one.document, one.cuts, one.header_lost) for one in found] == [
        ("c.md", 18, 0), ("a.md", 4, 0), ("b.md", 4, 0),
    ]  # fmt: skip
    assert found[0] == DocumentDamage("c.md", len(text) * 9, {"sentences": (18, 18)})
