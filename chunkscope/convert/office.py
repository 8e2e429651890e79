"""Word, PowerPoint, Excel, HTML and their like to Markdown, by kreuzberg; slides and sheets are remembered."""

from __future__ import annotations

import re
import secrets
from itertools import groupby
from typing import TYPE_CHECKING, Any

from chunkscope.convert.markdown import Converted, MarkdownWriter, table_rows
from chunkscope.corpus.name_filter import suffix
from chunkscope.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

HTML = (".html", ".htm", ".xhtml")
SLIDES = (".pptx", ".ppt", ".odp")
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_ZIPPED = (".docx", ".pptx", ".xlsx", ".xlsm")
_CHARSET = re.compile(rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_HEAD = re.compile(r"<head\b.*?</head\s*>|<title\b.*?</title\s*>|<meta\b[^>]*>", re.IGNORECASE | re.DOTALL)
_SHEET = re.compile(r"^## ", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")


def read_office(path: str) -> Converted:
    """Convert a file that kreuzberg reads.

    Raises
    ------
    InputError
        It is encrypted, damaged, or has no text.
    """
    import kreuzberg
    from kreuzberg.exceptions import KreuzbergError

    kind = suffix(path)
    if kind in _ZIPPED:
        _refuse_encrypted(path)
    mark = f"CUT{secrets.token_hex(12)}N"
    pages = kreuzberg.PageConfig(insert_page_markers=kind in SLIDES, marker_format=f"\n\n{mark}{{page_num}}E\n\n")
    config = kreuzberg.ExtractionConfig(output_format="markdown", use_cache=False, pages=pages)
    try:
        if kind in HTML:
            found = kreuzberg.extract_bytes_sync(_html(path).encode(), "text/html", config=config)
        else:
            found = kreuzberg.extract_file_sync(path, config=config)
    except (KreuzbergError, OSError) as error:
        reason = re.sub(r"^\w*Error: ", "", str(error)).splitlines()[0][:200]
        raise InputError(f"is damaged, or not what its name says: {reason}") from None
    text = found.content.strip("\ufeff \r\n") + "\n"
    if not re.search(r"\w", text):
        raise InputError("has no text")
    if kind in SLIDES:
        return _slides(text, mark)
    if kind in SHEETS:
        return _sheets(text, found.metadata, [table.page_number for table in found.tables])
    return Converted(_titled(text), "kreuzberg")


def _refuse_encrypted(path: str) -> None:
    with open(path, "rb") as file:
        if file.read(len(_OLE)) == _OLE:
            raise InputError("is encrypted, or an old file with a new suffix; save it anew without a password")


def _html(path: str) -> str:
    """Decode a page as it says itself, and leave out its head: the converter would make headings of it."""
    with open(path, "rb") as file:
        raw = file.read()
    named = _CHARSET.search(raw[:4096])
    name = "utf-8-sig" if not named or raw.startswith(b"\xef\xbb\xbf") else named[1].decode("ascii")
    name = {"shift_jis": "cp932", "x-sjis": "cp932", "iso-8859-1": "cp1252"}.get(name.lower(), name)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        name = "utf-16"
    try:
        return _HEAD.sub("", raw.decode(name))
    except (UnicodeDecodeError, LookupError):
        shown = name.removesuffix("-sig").upper()
        raise InputError(f"is not text in {shown}; save it in UTF-8, or name its encoding in a meta tag") from None


def _slides(text: str, mark: str) -> Converted:
    writer = MarkdownWriter()
    before, *slides = re.split(rf"\s*{mark}(\d+)E\s*", text)
    writer.write(before)
    numbers = slides[::2]
    for slide in slides[1::2]:
        writer.write("\n" if writer.length else "")
        writer.begin_page()
        if slide.strip():
            writer.write(_titled(slide.rstrip() + "\n"))
    return Converted(writer.text, "kreuzberg", "slide", tuple(map(int, numbers)), writer.starts)


def _sheets(text: str, metadata: Any, tables: list[int]) -> Converted:
    """Find where the sheets begin: each has a heading, and no line of a table looks like one."""
    text = _titled(text)
    starts = tuple(found.start() for found in _SHEET.finditer(text))
    names = list(metadata.get("sheet_names") or ())
    filled = [names[number - 1] for number in tables if 0 < number <= len(names)]
    if len(filled) != len(starts):
        return Converted(text, "kreuzberg")
    return Converted(text, "kreuzberg", "sheet", tuple(filled), starts)


def _titled(text: str) -> str:
    """Put what stands alone in the first row of a table before it: the row below has what its columns are called."""
    return "".join(_blocks(text))


def _blocks(text: str) -> Iterator[str]:
    for is_table, group in groupby(text.splitlines(keepends=True), key=lambda line: line.startswith("|")):
        lines = list(group)
        if not is_table or len(lines) < 4:
            yield "".join(lines)
            continue
        rows = [[cell.strip() for cell in _CELLS.split(line.strip())[1:-1]] for line in lines]
        title, _ = table_rows([rows[0], *rows[2:]])
        if title:
            yield f"{title.replace(chr(92) + '|', '|')}\n\n{lines[2]}{lines[1]}" + "".join(lines[3:])
        else:
            yield "".join(lines)
