from __future__ import annotations

import hashlib
import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import markdown_texts

from chunkscope.chunkers import FixedChunker, HeadingChunker, TokenChunker, parse_chunker
from chunkscope.chunkers.chunk_rows import chunk_document, list_chunks
from chunkscope.corpus.document import Document
from chunkscope.errors import ChunkerError
from chunkscope.grid.sweep import sweep
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.tokens import load_encoding

SPELLINGS = [
    "fixed(size=7, overlap=3)",
    "fixed(size=5, tail=keep)",
    "sentence(size=12, overlap=5, prepend=title+table-header)",
    "heading",
    "heading(size=20, merge=true, prepend=headings+title)",
    "heading(size=9, prepend=headings+front-matter:status)",
    "token(size=6, overlap=2)",
    "token(size=3, overlap=1, raw=true)",
    "fixed(size=3, unit=word)",
]


def is_blank(text: str) -> bool:
    return all(unicodedata.category(one)[0] == "Z" or unicodedata.category(one) in ("Cc", "Cf") for one in text)


@given(markdown_texts(12), st.sampled_from(SPELLINGS))
def test_rows_say_of_each_chunk_what_a_slow_look_says(text, spelling):
    document = Document("a.md", text, {"kind": "x"})
    rows = list(list_chunks([document], parse_chunker(spelling)))
    for row in rows:
        if row.start is not None:
            assert row.text == text[row.start : row.end]
            assert row.lines == (document.position(row.start).line, document.position(row.end - 1).line)
            assert not any(row.start <= s and e <= row.end for s, e in row.prepended)
        assert row.index_text == "".join(text[s:e] + "\n" for s, e in row.prepended) + row.text
        assert row.sha256 == hashlib.sha256(row.index_text.encode()).hexdigest()
        assert row.blank == is_blank(row.text)
        assert row.attributes["kind"] == "x"
        assert json.loads(json.dumps(row.to_dict()))["lines"] == (list(row.lines) if row.lines else None)
    assert [row.index for row in rows] == list(range(len(rows)))


@given(st.lists(markdown_texts(6), max_size=4), st.sampled_from(SPELLINGS))
def test_rows_are_the_chunks_that_a_sweep_counts(contents, spelling):
    documents = [Document(f"{place}.md", text) for place, text in enumerate(contents)]
    chunker = parse_chunker(spelling)
    rows = list(list_chunks(iter(documents), chunker))
    [cell] = sweep(documents, chunkers=chunker, with_cuts=False).cells[:1]
    assert len(rows) == cell.chunks
    assert sum(len(row.index_text) for row in rows) == cell.chunk_characters
    assert sum(row.blank and row.start is not None for row in rows) == cell.blank_chunks


TEARING = st.text(st.sampled_from("a 。👩‍🔬🇯🇵𠮷鱻鮪か\u3099e\u0301\n"), max_size=30)


@given(st.lists(TEARING, min_size=1, max_size=3), st.integers(1, 5), st.data())
def test_every_window_over_tokens_has_a_row(texts, size, data):
    chunker = TokenChunker(size, data.draw(st.integers(0, size - 1)), raw=True)
    documents = [Document(f"{place}.md", text) for place, text in enumerate(texts)]
    rows = list(list_chunks(documents, chunker))
    assert len(rows) == sweep(documents, chunkers=chunker).cells[0].chunks
    for document in documents:
        found = [(row.start, row.end, row.text) for row in rows if row.document == document.name]
        assert found == windows_of_tokens(document.text, size, size - chunker.overlap)


def windows_of_tokens(text, size, step):
    """Decode each window byte by byte: which characters of the text does it hold whole?"""
    encoding = load_encoding("cl100k_base").encoding  # of tiktoken
    tokens = encoding.encode(text, disallowed_special=())
    starts = [len(text[:place].encode()) for place in range(len(text) + 1)]
    found = []
    for first in range(0, len(tokens), step):
        begin = len(encoding.decode_bytes(tokens[:first]))
        end = len(encoding.decode_bytes(tokens[: first + size]))
        whole = [place for place in range(len(text)) if begin <= starts[place] and starts[place + 1] <= end]
        span = (whole[0], whole[-1] + 1) if whole else (None, None)
        found.append((*span, text[whole[0] : whole[-1] + 1] if whole else ""))
        if first + size >= len(tokens):
            break
    return found


def test_a_raw_window_without_a_whole_character_has_a_row_with_nothing_in_it():
    rows = list(list_chunks([Document("a", "鮪と")], TokenChunker(1, raw=True)))
    assert [(row.index, row.start, row.lines, row.text, row.blank) for row in rows] == [
        (0, None, None, "", True),
        (1, None, None, "", True),
        (2, None, None, "", True),
        (3, 1, (1, 1), "と", False),
    ]
    assert rows[0].to_dict() | {"attributes": {}, "sha256": ""} == {
        "document": "a", "index": 0, "start": None, "end": None, "lines": None, "text": "", "index_text": "",
        "title": None, "headings": [], "prepended": [], "attributes": {}, "sha256": "", "blank": True,
    }  # fmt: skip


def test_the_title_is_the_first_heading_of_level_1_else_the_attribute():
    texts = [
        "---\ntitle: 規程\n---\n## 節\n# 題\n",
        "---\ntitle: 規程\n---\n## 節\n",
        "## 節\n",
        "---\ntitle: 12\n---\n",
    ]
    titles = [next(iter(list_chunks([Document("a.md", text)], HeadingChunker()))).title for text in texts]
    assert titles == ["題", "規程", None, "12"]


def test_what_stands_in_every_row_is_bounded():
    document = Document("a.md", f"# {'x' * 5000}\n## {'y' * 300}\nz", {"a": "v" * 6000, "b": "w" * 6000, "c": [1]})
    for row in list_chunks([document], parse_chunker("heading(size=100)")):
        assert row.title == "x" * 299 + "…"
        assert row.headings in ((row.title,), (row.title, "y" * 300))
        assert row.attributes == {"a": "v" * 6000, "c": [1]}


def test_the_title_is_looked_for_once_a_document(monkeypatch):
    looked = []
    title = DocumentAnalysis.title
    monkeypatch.setattr(DocumentAnalysis, "title", property(lambda self: looked.append(1) or title.fget(self)))
    assert len(list(list_chunks([Document("a.md", "## a\n" * 50)], HeadingChunker()))) == 50
    assert len(list(list_chunks([Document("a", "鮪" * 50)], TokenChunker(1, raw=True)))) > 50
    assert len(looked) == 2


def test_a_document_is_looked_at_when_its_turn_comes():
    seen = []

    def documents():
        for name in "ab":
            seen.append(name)
            yield Document(name, "いろは")

    rows = list_chunks(documents(), FixedChunker(2))
    assert next(rows).document == "a"
    assert seen == ["a"]


@pytest.mark.parametrize("chunker", [FixedChunker(), HeadingChunker(merge=True)])
def test_a_missing_size_is_told_at_once(chunker):
    with pytest.raises(ChunkerError, match="needs a size"):
        list_chunks([], chunker)


def test_empty_documents_have_no_chunks():
    assert list(list_chunks([Document("a", "")], FixedChunker(5))) == []
    assert not len(chunk_document(Document("a", ""), TokenChunker(5, raw=True)).spans)


@given(markdown_texts(12))
def test_sections_and_sentences_tile_the_text(text):
    found = DocumentAnalysis(Document("a.md", text)).to_dict()
    for key in ("sections", "sentences"):
        assert "".join(text[start:end] for start, end in found[key]) == text
    assert found["characters"] == len(text)
    json.dumps(found)


def test_the_structure_of_a_small_document():
    text = "# 題\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n# no\n```\n"
    found = DocumentAnalysis(Document("a.md", text)).to_dict()
    assert found["headings"] == [{"start": 0, "end": 3, "level": 1, "title": "題"}]
    assert found["tables"] == [{"start": 5, "end": 34, "header": [[5, 14]], "rows": [[25, 34]]}]
    assert [text[start:end] for start, end in found["code"]] == ["```\n# no\n```"]
    assert re.match("# 題", text[slice(*found["sentences"][0])])
