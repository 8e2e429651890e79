"""Files are read by their kind, or refused; never as Markdown in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkscope.corpus.kinds import told_kinds
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import DecodingError
from chunkscope.structure.analysis import DocumentAnalysis


@pytest.mark.parametrize(
    ("name", "markup"),
    [
        ("a.md", "markdown"),
        ("a.MARKDOWN", "markdown"),
        ("a.mdx", "markdown"),
        ("a.htm", "html"),
        ("a.txt", "plain"),
        ("a.csv", "plain"),
        ("a.srt", "plain"),
        ("a.vtt", "plain"),
        ("a.py", "code"),
        ("a.yaml", "code"),
        ("a.rst", "plain"),
        ("a.log", "plain"),
        ("LICENSE", "plain"),
    ],
)
def test_a_file_is_read_by_its_suffix_unless_a_markup_is_given(tmp_path: Path, name: str, markup: str) -> None:
    (tmp_path / name).write_text("# a\n", "utf-8")
    [document] = read_corpus(tmp_path, include=["*.*", name])
    assert document.markup == markup
    [document] = read_corpus(tmp_path / name, markup="html")
    assert document.markup == "html"


def test_what_the_name_does_not_make_a_document_is_said(tmp_path: Path) -> None:
    for name in ("a.md", "b.txt", "c.srt", "d.py", "e.py", "f.rst", "README"):
        (tmp_path / name).write_text("a = 1\n", "utf-8")
    corpus = read_corpus(tmp_path, include=["*.*", "README"])
    told = [str(note) for note in corpus.warnings]
    assert told == [str(note) for note in told_kinds(corpus.names)]
    assert [note.partition(" read")[0] for note in told] == [
        "1 file without a suffix:",
        "2 .py files are",
        "1 .rst file is",
    ]
    assert read_corpus(tmp_path, include=["*.*"], markup="markdown").warnings == ()


@pytest.mark.parametrize("raw", [b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\x1f\x8b\x08", b"PAR1", b"SQLite format 3\x00"])
@pytest.mark.parametrize("encoding", [None, "latin-1"])
def test_what_is_no_document_is_refused_whatever_the_encoding(tmp_path: Path, raw: bytes, encoding: str | None) -> None:
    (tmp_path / "a.md").write_bytes(raw + b"text")
    with pytest.raises(DecodingError, match=r"a\.md: .*, no text; give --exclude, or --skip-unreadable"):
        read_corpus(tmp_path, encoding=encoding)


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n", b"\xff\xfe"])
def test_a_pdf_is_known_behind_a_byte_order_mark_and_white_space(tmp_path: Path, before: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(before + b"%PDF-1.4\n")
    with pytest.raises(DecodingError, match="a PDF file; make Markdown of it with chunkscope convert"):
        read_corpus(tmp_path)


def test_a_text_about_pdf_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A file that begins with %PDF-1.7 is a PDF file.\n", "utf-8")
    assert read_corpus(tmp_path).names == ("a.md",)


def test_source_code_is_lines_in_pieces_that_blank_lines_part(tmp_path: Path) -> None:
    text = "\nimport os\n\n\ndef f():\n    a. b\n\n    # No. End.\n    return (\n\n)\n\nx = 1\n"
    (tmp_path / "a.py").write_text(text, "utf-8")
    [document] = read_corpus(tmp_path, include=["*.py"])
    analysis = DocumentAnalysis(document)
    pieces = [text[start:end] for start, end in analysis.structure.code.tolist()]
    assert pieces == ["import os", "def f():\n    a. b\n\n    # No. End.\n    return (\n\n)", "x = 1"]
    lines = [text[start:].partition("\n")[0].strip() for start in analysis.sentence_starts.tolist()]
    assert lines == ["", "def f():", "a. b", "# No. End.", "return (", ")", "x = 1"]
    assert analysis.structure.headings == ()
    assert document.attributes == {}


@pytest.mark.parametrize("text", ["", "\n\n", "a", "\r\n\r\na\r\n  b\r\n\r\nc"])
def test_any_source_code_has_pieces_in_order(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.go").write_bytes(text.encode())
    [document] = read_corpus(tmp_path, include=["*.go"])
    structure = DocumentAnalysis(document).structure
    assert structure.block_starts.tolist()[:1] == ([0] if text else [])
    flat = structure.code.ravel().tolist()
    assert flat == sorted(flat)
    assert all(text[start:end].strip() for start, end in structure.code.tolist())
