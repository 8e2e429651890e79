"""What kind of file a document is: how it is read, by its name, or why it is not read, by its bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from chunkscope.corpus.document import Markup
from chunkscope.corpus.name_filter import suffix
from chunkscope.errors import DecodingError
from chunkscope.language import Text, say

# ruff: noqa: SIM905  suffixes in a row are easier to read and to add to than a list of literals

_MARKDOWN = frozenset(".md .markdown .mdown .mkd .mkdn .mdx .mdc .qmd .rmd".split())
_HTML = frozenset(".html .htm .xhtml".split())
_PLAIN = frozenset(".txt .text .csv .tsv .srt .vtt .sbv".split())
_CODE = frozenset(
    ".py .pyi .js .mjs .cjs .jsx .ts .tsx .java .kt .kts .scala .c .h .cc .cpp .cxx .hpp .hh .cs .m .mm .go .rs "
    ".rb .php .pl .pm .lua .r .jl .swift .dart .ex .exs .erl .hs .ml .clj .lisp .el .sh .bash .zsh .fish .ps1 .bat "
    ".cmd .sql .yaml .yml .toml .json .ini .cfg .conf .css .scss .less .vue .svelte .tf .proto .graphql .ipynb".split()
)

_TO_CONVERT = {
    b"%PDF-": "a PDF file",
    b"PK\x03\x04": "a zip archive, as .docx, .xlsx and .epub are",
    b"PK\x05\x06": "an empty zip archive",
    b"PK\x07\x08": "a zip archive",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an Office file of before 2007",
    b"{\\rtf": "an RTF file",
}
"""How files begin that hold documents, but not as text."""

_NO_TEXT = {
    b"\x89PNG\r\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"\x1f\x8b": "gzip",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"\x7fELF": "a program",
    b"SQLite format 3\x00": "an SQLite database",
    b"PAR1": "a Parquet file",
}

_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def markup_of_file(name: str) -> Markup:
    """Tell how a file is read, by its name: what is not known by its suffix is plain text.

    Examples
    --------
    >>> [markup_of_file(name) for name in ("a.MD", "b.html", "c.srt", "d.py", "README", "e.rst")]
    ['markdown', 'html', 'plain', 'code', 'plain', 'plain']
    """
    end = suffix(name)
    if end in _MARKDOWN:
        return "markdown"
    if end in _HTML:
        return "html"
    return "code" if end in _CODE else "plain"


def refuse_bytes(raw: bytes, name: str) -> None:
    r"""Raise an error for a file that is known not to be text, whatever encoding would make one of it.

    Raises
    ------
    DecodingError
        Says what it is; of a document, which command makes Markdown of it.

    Examples
    --------
    >>> refuse_bytes(b"%PDF-1.7\n", "a.md")
    Traceback (most recent call last):
    chunkscope.errors.DecodingError: a.md: a PDF file; make Markdown of it with chunkscope convert, or give
    --skip-unreadable
    """
    start = raw[:64]
    for mark in _MARKS:
        start = start.removeprefix(mark)
    start = start.lstrip()
    for signature, kind in _TO_CONVERT.items():
        if start.startswith(signature):
            raise DecodingError(
                f"{name}: {kind}; make Markdown of it with chunkscope convert, or give --skip-unreadable"
            )
    for signature, kind in _NO_TEXT.items():
        if raw.startswith(signature):
            raise DecodingError(f"{name}: {kind}, no text; give --exclude, or --skip-unreadable")


def told_kinds(names: Iterable[str]) -> list[Text]:
    """Say of which files the name does not say that they are documents, and how they are read.

    Examples
    --------
    >>> told_kinds(["a.md", "b.py", "c.py", "d.rst", "e.srt"])
    ['2 .py files are read as code: each line is a block; --markup says otherwise',
     '1 .rst file is read as plain text; --markup says otherwise']
    """
    counts = Counter(suffix(name) for name in names)
    notes = []
    for end, n in sorted(counts.items()):
        shown = end.encode("utf-8", "backslashreplace").decode()
        if end in _CODE:
            notes.append(
                say(
                    "{n:,} {suffix} {n:file is|files are} read as code: each line is a block; --markup says otherwise",
                    n=n,
                    suffix=shown,
                )
            )
        elif not end:
            notes.append(say("{n:,} {n:file|files} without a suffix: read as plain text; --markup says otherwise", n=n))
        elif end not in _MARKDOWN | _HTML | _PLAIN:
            notes.append(
                say(
                    "{n:,} {suffix} {n:file is|files are} read as plain text; --markup says otherwise",
                    n=n,
                    suffix=shown,
                )
            )
    return notes
