"""Office files and PDF files with known headings, tables and sentences, made for tests and for a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

Row = Sequence[str]

ENGLISH_TABLE = (
    ("Grade", "Limit", "Note"),
    ("A", "12,000", "with receipt"),
    ("B", "9,000", "none"),
    ("C", "7,500", "ask first"),
)
JAPANESE_TABLE = (
    ("等級", "上限", "備考"),
    ("課長", "12,000円", "領収書が必要"),
    ("係長", "9,000円", "なし"),
    ("係員", "7,500円", "事前に相談"),
)


@dataclass(frozen=True)
class Part:
    """A heading with its level, and what stands under it; `is_new_page`: on a page of its own."""

    level: int
    heading: str
    sentences: tuple[str, ...] = ()
    table: tuple[Row, ...] = ()
    is_new_page: bool = False


@dataclass(frozen=True)
class Known:
    """What a document has, whatever its format."""

    parts: tuple[Part, ...] = field(default=())


ENGLISH = Known(
    (
        Part(1, "Travel rules", ("Every trip is approved before it begins, by the head of the department that pays.", "Costs are paid back within thirty days after the return, against the receipts of all nights and tickets.") * 3),
        Part(2, "Lodging", ("The limits for a night stand in the table, by the grade of whoever travels.",), ENGLISH_TABLE),
        Part(2, "Meals", ("A meal is paid with 30 a day, and with half of it on the days of departure and return.",) * 4, (), True),
    )
)  # fmt: skip

JAPANESE = Known(
    (
        Part(1, "出張旅費規程", ("出張はあらかじめ所属長の承認を受けてから行うものとし、その費用は帰任後三十日以内に精算する。",) * 3),
        Part(2, "第1条 宿泊費", ("一泊あたりの宿泊費の上限は、出張する者の等級に応じて次の表に定める額とする。",), JAPANESE_TABLE),
        Part(2, "第2条 日当", ("日当は一日につき三千円とし、出発した日と帰着した日についてはその半額を支給するものとする。",) * 4, (), True),
    )
)  # fmt: skip


def write_docx(path: Path, known: Known) -> None:
    """Write a Word file."""
    import docx

    document = docx.Document()
    for part in known.parts:
        if part.is_new_page:
            document.add_page_break()
        document.add_heading(part.heading, part.level)
        if part.sentences:
            document.add_paragraph(" ".join(part.sentences) if part.heading.isascii() else "".join(part.sentences))
        if part.table:
            table = document.add_table(rows=0, cols=len(part.table[0]))
            for row in part.table:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
    document.save(str(path))


def write_pdf(path: Path, known: Known, *, rules: str = "all", head: str = "") -> None:
    """Write a PDF file; rules of its tables: ``all``, ``few`` (above and below the header, and at the end) or ``none``.

    `head` stands above each page, with its number below.
    """
    from reportlab.lib import colors
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

    pdfmetrics.registerFont(UnicodeCIDFont("HeiseiMin-W3"))
    font = "Times-Roman" if known.parts[0].heading.isascii() else "HeiseiMin-W3"
    wrap = {} if font == "Times-Roman" else {"wordWrap": "CJK"}
    lines = {
        "all": [("GRID", (0, 0), (-1, -1), 0.5, colors.black)],
        "few": [(kind, *cells, 0.8, colors.black) for kind, cells in (("LINEABOVE", ((0, 0), (-1, 0))), ("LINEBELOW", ((0, 0), (-1, 0))), ("LINEBELOW", ((0, -1), (-1, -1))))],
        "none": [],
    }[rules]  # fmt: skip
    flow: list[object] = []
    for part in known.parts:
        size = {1: 20, 2: 15}.get(part.level, 12)
        flow += [PageBreak()] if part.is_new_page else []
        flow.append(
            Paragraph(
                part.heading,
                ParagraphStyle("h", fontName=font, fontSize=size, leading=size * 1.5, spaceBefore=8, **wrap),
            )
        )
        if part.sentences:
            text = (" " if font == "Times-Roman" else "").join(part.sentences)
            flow.append(
                Paragraph(text, ParagraphStyle("n", fontName=font, fontSize=10, leading=14, spaceAfter=8, **wrap))
            )
        if part.table:
            flow.append(
                Table(
                    [list(row) for row in part.table],
                    colWidths=[110] * len(part.table[0]),
                    style=[("FONT", (0, 0), (-1, -1), font, 10), *lines],
                )
            )

    def edge(canvas, document):
        if head:
            canvas.setFont(font, 8)
            canvas.drawString(72, 810, head)
            canvas.drawString(290, 30, f"- {document.page} -")

    SimpleDocTemplate(str(path)).build(flow, onFirstPage=edge, onLaterPages=edge)


def write_xlsx(path: Path, sheets: dict[str, Sequence[Row]]) -> None:
    """Write an Excel file."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(str(path))


def write_pptx(path: Path, known: Known) -> None:
    """Write a PowerPoint file: a slide for each part."""
    import pptx
    from pptx.util import Inches

    show = pptx.Presentation()
    for part in known.parts:
        slide = show.slides.add_slide(show.slide_layouts[5 if part.table else 1])
        slide.shapes.title.text = part.heading
        if not part.table:
            slide.placeholders[1].text = "\n".join(part.sentences)
            continue
        box = slide.shapes.add_textbox(Inches(1), Inches(4.5), Inches(6), Inches(1))
        box.text_frame.text = "\n".join(part.sentences)
        table = slide.shapes.add_table(
            len(part.table), len(part.table[0]), Inches(1), Inches(2), Inches(6), Inches(2)
        ).table
        for number, row in enumerate(part.table):
            for column, text in enumerate(row):
                table.cell(number, column).text = text
    show.save(str(path))


def write_html(path: Path, known: Known, encoding: str = "utf-8") -> None:
    """Write a page."""
    lines = []
    for part in known.parts:
        lines += [f"<h{part.level}>{part.heading}</h{part.level}>", *(f"<p>{one}</p>" for one in part.sentences)]
        rows = [
            "".join(f"<{kind}>{text}</{kind}>" for text in row)
            for kind, row in zip(["th", *["td"] * len(part.table)], part.table, strict=False)
        ]
        lines += ["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"] if rows else []
    head = f"<head><meta charset='{encoding}'><title>Title</title><meta name='description' content='d'></head>"
    path.write_bytes(f"<html>{head}<body>{''.join(lines)}</body></html>".encode(encoding))
