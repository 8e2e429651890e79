"""PDF to Markdown: lines become paragraphs and headings, ruled tables become tables, and pages are remembered.

Characters, their places and the rules between cells come from pdfplumber. What is made of them is made here: a row
stays a row with its header, no blank is put between the lines of a Japanese sentence, and what stands on each page at
the same place (running heads, page numbers) does not cut the sentences that run over it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from chunkscope.convert.markdown import (
    Converted,
    MarkdownWriter,
    escape_start,
    escape_tags,
    glue,
    join_lines,
    joint,
    plain_forms,
    table_rows,
)
from chunkscope.errors import InputError

HEADING = 1.1
"""So many times the size of the body a line must have to be a heading."""

EDGE = 0.1
"""The share of a page, above and below, in which running heads stand."""

LONGEST_HEADING = 120

WORD_GAP, CJK_GAP, CELL_GAP = 0.12, 0.4, 1.0
"""From which gap on, in sizes of the font, a blank stands between words; the same where letters stand apart to fill
their line, as in Japanese; and from which on they are parts of a table."""

_BULLET = re.compile(r"[•●○■□◆◇▪‣・]\s*|[-–*]\s+")
_NUMBERED = re.compile(
    r"\(?\d{1,3}[.)）]\s|[（(][0-9０-９一二三四五六七八九十]+[)）]|第[0-9０-９一二三四五六七八九十百]+[条章節]"
)
_END = re.compile(r"[。．.!?！？:：][」』）)”\"]*$")
_LEADER = re.compile(r"\s*(?:[.．]\s*){5,}|\s*[…‥]{3,}\s*")
_ROMAN = re.compile(r"[\W_]*[ivxlc]+[\W_]*", re.IGNORECASE)
_UNKNOWN = re.compile(r"\(cid:\d+\)")

_Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class LinePart:
    """A part of a line that stands apart from others, and how far it reaches."""

    text: str
    left: float
    right: float


@dataclass(frozen=True)
class PdfLine:
    """A line of text, and where it stands: points from the left and from the top of its page.

    `cells` are its parts, where wide gaps are between them.
    """

    page: int
    text: str
    size: float
    is_bold: bool
    box: _Box
    cells: tuple[LinePart, ...] = ()

    @property
    def left(self) -> float:
        return self.box[0]

    @property
    def top(self) -> float:
        return self.box[1]

    @property
    def right(self) -> float:
        return self.box[2]

    @property
    def bottom(self) -> float:
        return self.box[3]


@dataclass(frozen=True)
class PdfTable:
    """A table, the places of its columns' left edges, and the size of its font."""

    page: int
    rows: list[list[str]]
    edges: tuple[float, ...]
    size: float = 0.0


Item = PdfLine | PdfTable


def read_pdf(path: str) -> Converted:
    """Convert a PDF file.

    Raises
    ------
    InputError
        It is encrypted, damaged, or has no text.
    """
    import pdfplumber
    from pdfminer.pdfdocument import PDFPasswordIncorrect
    from pdfplumber.utils.exceptions import PdfminerException

    try:
        with pdfplumber.open(path) as file:
            pages = []
            for page in file.pages:
                pages.append(_items(page))
                page.close()
    except (PdfminerException, PDFPasswordIncorrect) as error:
        cause = error.args[0] if error.args else None
        if isinstance(error, PDFPasswordIncorrect) or isinstance(cause, PDFPasswordIncorrect):
            raise InputError("is encrypted; save it without a password first") from None
        raise InputError("is damaged, or no PDF") from None
    if not pages:
        raise InputError("is damaged: it has no pages")
    warnings = _check(pages)
    writer = MarkdownWriter()
    _write(_without_running_heads(pages), writer)
    numbers = tuple(range(1, len(pages) + 1))
    return Converted(writer.text, "pdfplumber", "page", numbers, writer.starts, tuple(warnings))


def _check(pages: Sequence[tuple[float, Sequence[Item]]]) -> list[str]:
    """Refuse what has no text, and tell which pages have none."""
    blank = [number for number, (_, items) in enumerate(pages, 1) if not items]
    total = f"{len(pages)} {'page' if len(pages) == 1 else 'pages'}"
    if len(blank) == len(pages):
        raise InputError(f"has no text on its {total}: a scan; run a text recognition over it first, such as ocrmypdf")
    text = "".join(item.text for _, items in pages for item in items if isinstance(item, PdfLine))
    n_unknown = len(_UNKNOWN.findall(text))
    if n_unknown > len(_UNKNOWN.sub("?", text)) / 5:
        raise InputError("its fonts do not say which characters they show; run a text recognition over it first")
    warnings = [f"{n_unknown:,} characters are not known to its fonts, and left out"] if n_unknown else []
    if blank:
        shown = ", ".join(map(str, blank[:10])) + (", ..." if len(blank) > 10 else "")
        warnings.append(f"no text on {len(blank)} of its {total} ({shown}): scans, or blank")
    return warnings


def _items(page: Any) -> tuple[float, list[Item]]:
    """Give the height of a page, and its lines and tables in the order in which the file has them."""
    marks = Counter((char["text"], round(char["x0"]), round(char["top"])) for char in page.chars)
    if len(marks) < len(page.chars):
        page = page.dedupe_chars()  # letters that are set twice to look bold; it takes as long as all the rest
    tables = [table for table in page.find_tables() if len(table.rows) > 1 and len(table.columns) > 1]
    words = page.extract_words(
        use_text_flow=True, keep_blank_chars=False, x_tolerance_ratio=0.15, extra_attrs=["size", "fontname"]
    )
    blanks = {(round(char["x0"]), round(char["bottom"])) for char in page.chars if char["text"].isspace()}
    for word in words:
        word["is_apart"] = (round(word["x1"]), round(word["bottom"])) in blanks  # a blank stands behind it
    places = [next((n for n, table in enumerate(tables) if _is_in(word, table.bbox)), -1) for word in words]
    items: list[Item] = []
    seen: set[int] = set()
    for place, group in groupby(zip(words, places, strict=True), key=lambda pair: pair[1]):
        if place < 0:
            items += _with_columns(_lines(page.page_number, [word for word, _ in group]))
        elif place not in seen:
            seen.add(place)
            size = median(
                word["size"] for word in (word for word, of in zip(words, places, strict=True) if of == place)
            )
            items.append(_grid(page.page_number, tables[place], size))
    return float(page.height), items


def _is_in(word: Any, box: _Box) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _lines(page: int, words: Sequence[Any]) -> Iterator[PdfLine]:
    """Lay words into lines: one that stands beside the word before it, to the right, is of its line."""
    line: list[Any] = []
    for word in words:
        if line and not _is_beside(line[-1], word):
            yield _line(page, line)
            line = []
        line.append(word)
    if line:
        yield _line(page, line)


def _is_beside(before: Any, word: Any) -> bool:
    shared = min(before["bottom"], word["bottom"]) - max(before["top"], word["top"])
    height = min(before["bottom"] - before["top"], word["bottom"] - word["top"])
    return bool(shared > height / 2 and word["x0"] - before["x1"] > -height)


def _line(page: int, words: Sequence[Any]) -> PdfLine:
    cells = [LinePart(words[0]["text"], words[0]["x0"], words[0]["x1"])]
    text = words[0]["text"]
    for before, word in pairwise(words):
        gap = (word["x0"] - before["x1"]) / max(before["size"], 1)
        least = WORD_GAP if glue(before["text"], word["text"]) else CJK_GAP
        between = " " if gap >= least or before["is_apart"] else ""
        text += between + word["text"]
        last = cells[-1]
        if gap > CELL_GAP:
            cells.append(LinePart(word["text"], word["x0"], word["x1"]))
        else:
            cells[-1] = LinePart(last.text + between + word["text"], last.left, word["x1"])
    sizes = sorted(round(word["size"] * 2) / 2 for word in words for _ in word["text"])
    top, bottom = min(word["top"] for word in words), max(word["bottom"] for word in words)
    box = (words[0]["x0"], top, max(word["x1"] for word in words), bottom)
    is_bold = all(re.search("bold|black|heavy|demi", word["fontname"], re.IGNORECASE) for word in words)
    apart = tuple(cells) if len(cells) > 2 and not _LEADER.search(text) else ()
    # Latin letters beside Japanese ones are often larger, notes smaller: four in five are at least of the line's size
    return PdfLine(page, plain_forms(_LEADER.sub(" ... ", text)), sizes[len(sizes) // 5], is_bold, box, apart)


def _with_columns(lines: Iterable[PdfLine]) -> Iterator[Item]:
    """Make tables of lines whose parts stand in columns, one below the other, as in a table without rules."""
    held: list[PdfLine] = []
    for line in lines:
        if held and not (line.cells and _fits(held, line)):
            yield from _table_of(held)
            held = []
        held.append(line)
    yield from _table_of(held)


def _fits(lines: Sequence[PdfLine], line: PdfLine) -> bool:
    """Tell whether each part of a line stands in one column of the lines before it, and in none beside it."""
    columns = _columns(lines)
    if len(columns) != len(line.cells) or line.top - lines[-1].bottom > 2 * line.size:
        return False
    parts = zip(columns, line.cells, strict=True)
    if not all(cell.left < right and cell.right > left for (left, right), cell in parts):
        return False
    return all(before[1] < after[0] for before, after in pairwise(_columns([*lines, line])))


def _columns(lines: Sequence[PdfLine]) -> list[tuple[float, float]]:
    columns = zip(*(line.cells for line in lines), strict=True)
    return [(min(cell.left for cell in cells), max(cell.right for cell in cells)) for cells in columns]


def _table_of(lines: Sequence[PdfLine]) -> Iterable[Item]:
    if len(lines) < 3 or not lines[0].cells:
        return lines
    rows = [[_cell(cell.text) for cell in line.cells] for line in lines]
    return [PdfTable(lines[0].page, rows, tuple(round(left) for left, _ in _columns(lines)), lines[0].size)]


def _grid(page: int, table: Any, size: float) -> PdfTable:
    """Read the cells; one that spans several columns or rows stands in each of them."""
    texts = table.extract()
    known = {
        cell: _cell(text)
        for row, line in zip(table.rows, texts, strict=True)
        for cell, text in zip(row.cells, line, strict=True)
        if cell
    }
    columns = [_middle(column.bbox, 0) for column in table.columns]
    rows = []
    for row in table.rows:
        y = _middle(row.bbox, 1)
        rows.append([_at(known, x, y) for x in columns])
    rows = [row for row in rows if any(row)]
    return PdfTable(page, rows, tuple(round(column.bbox[0]) for column in table.columns), size)


def _middle(box: _Box, axis: int) -> float:
    return (box[axis] + box[axis + 2]) / 2


def _at(cells: dict[_Box, str], x: float, y: float) -> str:
    return next((text for box, text in cells.items() if box[0] <= x <= box[2] and box[1] <= y <= box[3]), "")


def _cell(text: str | None) -> str:
    parts = [part.strip() for part in _UNKNOWN.sub("", text or "").split("\n")]
    return escape_tags(plain_forms(join_lines(parts))).strip()


def _without_running_heads(pages: Sequence[tuple[float, Sequence[Item]]]) -> list[list[Item]]:
    """Leave out what stands at one place of the edges of several pages, page numbers included.

    Large letters must stand on half of the pages: slides may have one title for three of them.
    """
    n = len(pages)
    body = _body([item for _, items in pages for item in items])
    keys = [[_running(item, height, n, body) for item in items] for height, items in pages]
    counts = Counter(key for on_page in keys for key in set(on_page))

    def is_running(item: Item, key: tuple[str, int]) -> bool:
        is_large = isinstance(item, PdfLine) and item.size >= HEADING * body
        return counts[key] >= (max(2, n / 2) if is_large or n < 4 else max(3, n / 20))

    kept = [
        [item for item, key in zip(items, on_page, strict=True) if not is_running(item, key)]
        for (_, items), on_page in zip(pages, keys, strict=True)
    ]
    return kept if any(kept) else [list(items) for _, items in pages]


def _running(item: Item, height: float, n_pages: int, body: float) -> tuple[str, int]:
    """Give what lines at the edges of pages have in common; what is unique for all else.

    They may differ in their numbers, but for headings: large or bold letters, and of two pages alone any letters.
    """
    if isinstance(item, PdfTable) or (EDGE * height < item.top and item.bottom < (1 - EDGE) * height):
        return "", id(item)
    text = "0" if _ROMAN.fullmatch(item.text) else item.text
    is_told = item.size >= HEADING * body or ((n_pages < 3 or item.is_bold) and re.search(r"[^\W\d_]", text))
    return text if is_told else re.sub(r"\d+", "0", text), round(item.top / 3)


def _body(items: Iterable[Item]) -> float:
    """Give the size of the font of most of the text."""
    sizes = Counter[float]()
    for item in items:
        length = len(item.text) if isinstance(item, PdfLine) else sum(len(cell) for row in item.rows for cell in row)
        sizes[item.size] += length
    return max(sizes, key=lambda size: sizes[size], default=0.0)


class _Look:
    """What the lines of a document have in common."""

    def __init__(self, items: Sequence[Item]) -> None:
        held = [item for item in items if isinstance(item, PdfLine)]
        self.body = _body(items)
        self.is_bold = sum(len(line.text) * (1 if line.is_bold else -1) for line in held) > 0
        self.words = {word.lower() for line in held for word in re.findall(r"[^\W\d_]+", line.text)}
        larger = sorted(
            {line.size for line in held if line.size >= HEADING * self.body and _may_lead(line)}, reverse=True
        )
        self.levels = {size: min(level, 6) for level, size in enumerate(larger, 1)}
        gaps = [
            after.top - before.bottom
            for before, after in pairwise(held)
            if before.page == after.page and self.is_body(before) and self.is_body(after) and after.top > before.bottom
        ]
        self.gap = median(gaps) if gaps else self.body / 2
        self.right = max((line.right for line in held if self.is_body(line)), default=0.0)

    def is_body(self, line: PdfLine) -> bool:
        """Tell whether a line is as large as most of the text, but for the letters of another script."""
        return abs(line.size - self.body) < (HEADING - 1) * self.body

    def level(self, paragraph: Sequence[PdfLine], following: Item | None) -> int:
        """Give the level of a heading; 0 for what is none."""
        first = paragraph[0]
        if sum(len(line.text) for line in paragraph) > LONGEST_HEADING or not all(map(_may_lead, paragraph)):
            return 0
        if first.size in self.levels:
            return self.levels[first.size]
        leads = isinstance(following, PdfTable) or (following is not None and not following.is_bold)
        is_bold = first.is_bold and not self.is_bold and len(paragraph) == 1 and first.size >= self.body
        return min(len(self.levels) + 1, 6) if is_bold and leads and not _END.search(first.text) else 0

    def continues(self, before: PdfLine, line: PdfLine) -> bool:
        """Tell whether a line is of the paragraph of the line before it."""
        if self.levels.get(before.size) != self.levels.get(line.size) or before.is_bold != line.is_bold:
            return False
        if abs(before.size - line.size) > 0.15 * line.size or _opens_item(line.text) or " ... " in before.text:
            return False
        is_large = line.size in self.levels
        is_short = before.right < self.right - 4 * line.size and _END.search(before.text)
        if before.page != line.page or line.top < before.top:  # the next page, or the next column
            return not (is_large or is_short)
        if line.top - before.bottom > max(self.gap * 1.3 + 1, 0.35 * line.size):
            return False
        is_indented = line.left > before.left + 0.7 * line.size and not _opens_item(before.text)
        return is_large or not (is_short or is_indented)


def _may_lead(line: PdfLine) -> bool:
    """Tell whether a line may be of a heading: no sentence, no line of a table of contents, and no ornament."""
    return not line.text.endswith(("。", "．")) and " ... " not in line.text and bool(re.search(r"\w", line.text))


def _opens_item(text: str) -> bool:
    return bool(_BULLET.match(text) or _NUMBERED.match(text))


def _write(pages: Sequence[Sequence[Item]], writer: MarkdownWriter) -> None:
    look = _Look([item for items in pages for item in items])
    blocks: list[list[PdfLine] | PdfTable] = []
    for item in (item for items in pages for item in items):
        if isinstance(item, PdfLine) and not _UNKNOWN.sub("", item.text).strip():
            continue
        last = blocks[-1] if blocks else None
        if isinstance(item, PdfLine) and isinstance(last, list) and look.continues(last[-1], item):
            last.append(item)
        else:
            blocks.append(item if isinstance(item, PdfTable) else [item])
    page, header = 0, PdfTable(0, [], ())
    for number, block in enumerate(blocks):
        first = block if isinstance(block, PdfTable) else block[0]
        is_next = first.page > page
        for _ in range(page, first.page):
            writer.begin_page()
        page = first.page
        if isinstance(block, PdfTable):
            before = blocks[number - 1] if number else None
            goes_on = is_next and isinstance(before, PdfTable) and before.edges == block.edges
            header = _write_grid(block, header if goes_on else None, writer, is_first=not number)
        else:
            following = blocks[number + 1] if number + 1 < len(blocks) else None
            after = following[0] if isinstance(following, list) else following
            writer.write("\n" if number else "")
            page = _write_lines(block, look.level(block, after), look.words, writer)
    for _ in range(page, len(pages)):
        writer.begin_page()


def _write_grid(grid: PdfTable, header: PdfTable | None, writer: MarkdownWriter, *, is_first: bool) -> PdfTable:
    """Write a table, or the rows with which one goes on after a page; give the table that they belong to."""
    if header is not None:
        rows = grid.rows[1:] if grid.rows[:1] == header.rows[:1] else grid.rows
        writer.write("".join(f"{line}\n" for line in table_rows([header.rows[0], *rows])[1][2:]))
        return header
    title, lines = table_rows(grid.rows)
    writer.write("" if is_first else "\n")
    writer.write(f"{title}\n\n" if title else "")
    writer.write("".join(f"{line}\n" for line in lines))
    return PdfTable(grid.page, grid.rows[1:] if title else grid.rows, grid.edges)


def _write_lines(lines: Sequence[PdfLine], level: int, words: Collection[str], writer: MarkdownWriter) -> int:
    """Write a heading, an item or a paragraph, which may run over pages; give the page on which it ends."""
    texts = [_UNKNOWN.sub("", line.text) for line in lines]
    bullet = _BULLET.match(texts[0])
    if bullet and not level and texts[0][bullet.end() :]:
        writer.write("- ")
        texts[0] = texts[0][bullet.end() :]
    elif level:
        writer.write("#" * level + " ")
    else:
        texts[0] = escape_start(texts[0])
    page = lines[0].page
    blank = ""
    for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
        writer.write(blank)
        for _ in range(page, line.page):
            writer.begin_page()
        page = line.page
        kept, blank = joint(text, texts[number + 1], words) if number + 1 < len(lines) else (text, "\n")
        writer.write(escape_tags(kept))
    writer.write(blank)
    return page
