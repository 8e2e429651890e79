"""What the files of each format become: headings, tables with their header, whole sentences, and pages."""

from __future__ import annotations

from itertools import product

import pytest
from made_files import (
    ENGLISH,
    ENGLISH_TABLE,
    JAPANESE,
    JAPANESE_TABLE,
    Known,
    Part,
    write_docx,
    write_html,
    write_pdf,
    write_pptx,
    write_xlsx,
)

from chunkscope.convert.worker import convert_file
from chunkscope.corpus.document import Document
from chunkscope.corpus.manifest import Origin
from chunkscope.errors import InputError
from chunkscope.structure.analysis import DocumentAnalysis

for package in ("kreuzberg", "pdfplumber", "docx", "pptx", "openpyxl", "reportlab"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'chunkscope[convert,test]'")

BOTH = pytest.mark.parametrize(
    ("known", "table"), [(ENGLISH, ENGLISH_TABLE), (JAPANESE, JAPANESE_TABLE)], ids=["en", "ja"]
)
"""With a document of each language."""


def converted(path, write, known, **settings):
    write(path, known, **settings)
    return convert_file(str(path))


def structure(text):
    """The headings and the tables of a text, as chunkscope reads them."""
    found = DocumentAnalysis(Document("a.md", text)).to_dict()
    headings = [(one["level"], one["title"]) for one in found["headings"]]
    lines = [
        [text[start:end].split("\n", 1)[0] for start, end in (*one["header"], *one["rows"])] for one in found["tables"]
    ]
    tables = [[[cell.strip() for cell in line.strip().strip("|").split("|")] for line in rows] for rows in lines]
    return headings, tables


def cells(table):
    return [list(row) for row in table]


def flat(text):
    return "".join(text.split())


@BOTH
@pytest.mark.parametrize(("suffix", "write"), [("docx", write_docx), ("html", write_html), ("pdf", write_pdf)])
def test_headings_tables_and_sentences_of_a_text(tmp_path, known, table, suffix, write):
    text = converted(tmp_path / f"a.{suffix}", write, known).text
    headings, tables = structure(text)
    assert [(level, flat(title)) for level, title in headings] == [
        (part.level, flat(part.heading)) for part in known.parts
    ]
    assert tables == [cells(table)]
    assert all(sentence in text for part in known.parts for sentence in part.sentences)


@pytest.mark.parametrize("rules", ["all", "few", "none"])
@BOTH
def test_a_table_of_a_pdf_is_found_by_its_rules_or_by_its_columns(tmp_path, known, table, rules):
    assert structure(converted(tmp_path / "a.pdf", write_pdf, known, rules=rules).text)[1] == [cells(table)]


@BOTH
def test_pages_begin_where_their_text_does(tmp_path, known, table):
    found = converted(tmp_path / "a.pdf", write_pdf, known, head="Rules of 2026")
    assert (found.unit, found.labels) == ("page", (1, 2))
    assert flat(found.text[found.starts[1] :]).startswith(flat(f"## {known.parts[2].heading}"))


def test_what_stands_on_each_page_is_left_out_and_sentences_run_over_pages(tmp_path):
    words = ["".join(letters) for letters in product("kstnhm", "aeiou", "rlv", "io")]
    sentences = tuple(
        f"The {one} goes on and on, over the end of a line and of a page, until {one} is over." for one in words
    )
    known = Known((Part(1, "Long", sentences),))
    found = converted(tmp_path / "a.pdf", write_pdf, known, head="Rules of 2026")
    assert len(found.starts) >= 3
    assert "Rules of 2026" not in found.text
    assert found.text == "# Long\n\n" + " ".join(sentences) + "\n"
    origin = Origin("a.pdf", found.unit, found.labels, found.starts)
    assert origin.place(found.starts[2] - 1) == "a.pdf, page 2"
    assert origin.place(found.starts[2]) == "a.pdf, page 3"


def test_headings_that_differ_in_their_number_alone_are_no_running_heads(tmp_path):
    parts = [Part(1, f"Section {number}", (f"What stands in {name}.",), (), True) for number, name in enumerate("abcd")]
    text = converted(tmp_path / "a.pdf", write_pdf, Known(tuple(parts)), head="Rules of 2026").text
    assert text == "\n".join(f"# {part.heading}\n\n{part.sentences[0]}\n" for part in parts)


def test_a_table_that_runs_over_pages_is_one_table(tmp_path):
    rows = [("Code", "Product", "Price"), *((f"P-{n:03}", f"Product {n}", f"{n * 7:,}") for n in range(120))]
    found = converted(tmp_path / "a.pdf", write_pdf, Known((Part(1, "Prices", (), tuple(rows)),)))
    assert structure(found.text)[1] == [cells(rows)]
    assert len(found.starts) > 2
    assert found.text[found.starts[1] :].startswith("| P-0")


def test_slides_begin_where_their_title_does(tmp_path):
    found = converted(tmp_path / "a.pptx", write_pptx, ENGLISH)
    headings, tables = structure(found.text)
    assert [title for _, title in headings] == [part.heading for part in ENGLISH.parts]
    assert tables == [cells(ENGLISH_TABLE)]
    assert (found.unit, found.labels) == ("slide", (1, 2, 3))
    assert [found.text[start:].split("\n")[0].lstrip("# ") for start in found.starts] == [
        part.heading for part in ENGLISH.parts
    ]


def test_sheets_are_named_and_a_title_above_the_columns_is_no_header(tmp_path):
    sheets = {
        "Rules": ENGLISH_TABLE,
        "empty": [],
        "旅費 ## 1": [("上限の一覧",), *JAPANESE_TABLE],
        "bars": [("a|b", "c"), ("1", "2")],
    }
    found = converted(tmp_path / "a.xlsx", write_xlsx, sheets)
    assert (found.unit, found.labels) == ("sheet", ("Rules", "旅費 ## 1", "bars"))
    _, tables = structure(found.text)
    assert tables[:2] == [cells(ENGLISH_TABLE), cells(JAPANESE_TABLE)]
    assert "上限の一覧\n\n| 等級" in found.text
    assert found.text[found.starts[2] :].startswith("## bars\n\n| a\\|b | c |\n")
    assert Origin("a.xlsx", found.unit, found.labels, found.starts).place(found.starts[1]) == "a.xlsx, sheet 旅費 ## 1"


def test_cells_that_are_one_stand_in_each_of_their_rows(tmp_path):
    import docx

    document = docx.Document()
    table = document.add_table(rows=3, cols=2)
    for number, row in enumerate([("Grade", "Note"), ("A", "with receipt"), ("B", "")]):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    table.cell(1, 1).merge(table.cell(2, 1))
    document.save(str(tmp_path / "a.docx"))
    assert structure(convert_file(str(tmp_path / "a.docx")).text)[1] == [
        [["Grade", "Note"], ["A", "with receipt"], ["B", "with receipt"]]
    ]


def test_a_page_is_read_in_the_encoding_that_it_names(tmp_path):
    write_html(tmp_path / "a.html", JAPANESE, "shift_jis")
    text = convert_file(str(tmp_path / "a.html")).text
    assert text.startswith("# 出張旅費規程\n")
    assert "Title" not in text


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.docx", b"", "is empty"),
        ("a.docx", b"PK\x03\x04 nothing", "is damaged"),
        ("a.docx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "is encrypted"),
        ("a.pdf", b"%PDF-1.7 nothing", "is damaged, or no PDF"),
        ("a.pdf", b"not a PDF", "is damaged, or no PDF"),
        ("a.html", b"<meta charset=utf-8>\xff\xfe\x80", "is not text in UTF-8"),
        ("a.html", b"<meta charset=nonsense>x", "is not text in NONSENSE"),
        ("a.html", b"<html><body></body></html>", "has no text"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_a_line(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"^{reason}[^\n]*$"):
        convert_file(str(tmp_path / name))


def test_a_document_without_text_is_refused(tmp_path):
    import docx

    docx.Document().save(str(tmp_path / "a.docx"))
    with pytest.raises(InputError, match="has no text"):
        convert_file(str(tmp_path / "a.docx"))


def test_an_encrypted_pdf_and_one_of_images_say_what_to_do(tmp_path):
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    locked = Canvas(str(tmp_path / "a.pdf"), encrypt=StandardEncryption("secret"))
    locked.drawString(100, 100, "hidden")
    locked.save()
    with pytest.raises(InputError, match="is encrypted; save it without a password first"):
        convert_file(str(tmp_path / "a.pdf"))
    scan = Canvas(str(tmp_path / "b.pdf"))
    scan.rect(100, 100, 50, 50)
    scan.showPage()
    scan.save()
    with pytest.raises(InputError, match=r"has no text on its 1 page: a scan; run a text recognition over it first"):
        convert_file(str(tmp_path / "b.pdf"))


def test_pages_without_text_are_told(tmp_path):
    from reportlab.pdfgen.canvas import Canvas

    mixed = Canvas(str(tmp_path / "a.pdf"))
    for text in ("First page.", "", "Third page."):
        mixed.drawString(100, 700, text)
        mixed.showPage()
    mixed.save()
    found = convert_file(str(tmp_path / "a.pdf"))
    assert found.warnings == ("no text on 1 of its 3 pages (2): scans, or blank",)
    assert Origin("a.pdf", found.unit, found.labels, found.starts).place(found.text.index("Third")) == "a.pdf, page 3"


def draw(path, lines):
    """Write lines of (x, y, size, font, text) on a page."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path))
    for x, y, size, font, text in lines:
        canvas.setFont(font, size)
        canvas.drawString(x, y, text)
    canvas.save()
    return convert_file(str(path)).text


def test_hyphens_go_where_the_word_stands_whole_elsewhere(tmp_path):
    lines = [
        "The manipulation of well-known data is a manip-",
        "ulation that every-",
        "body does, in a well-",
        "known way.",
    ]
    text = draw(tmp_path / "a.pdf", [(72, 700 - 12 * n, 10, "Times-Roman", line) for n, line in enumerate(lines)])
    assert text == "The manipulation of well-known data is a manipulation that every-body does, in a well-known way.\n"


def test_paragraphs_items_and_headings_of_a_page(tmp_path):
    body, bold = "Times-Roman", "Times-Bold"
    lines = [
        (72, 760, 16, body, "1 Scope"),
        (72, 730, 10, body, "The first paragraph has a line that is long enough to reach the margin, and"),
        (72, 718, 10, body, "a second one."),
        (84, 706, 10, body, "The next one is indented, as it is in many books, and it goes on until the line is full,"),
        (72, 694, 10, body, "and over it."),
        (72, 670, 10, bold, "Who pays"),
        (72, 658, 10, body, "1) the head of the department that sends whoever travels, for all of the nights,"),
        (84, 646, 10, body, "and all of the tickets;"),
        (72, 634, 10, body, "2) nobody else."),
        (72, 610, 10, body, "# no heading <b>"),
    ]  # fmt: skip
    assert draw(tmp_path / "a.pdf", lines) == (
        "# 1 Scope\n\n"
        "The first paragraph has a line that is long enough to reach the margin, and a second one.\n\n"
        "The next one is indented, as it is in many books, and it goes on until the line is full, and over it.\n\n"
        "## Who pays\n\n"
        "1) the head of the department that sends whoever travels, for all of the nights, and all of the tickets;\n\n"
        "2) nobody else.\n\n"
        "\\# no heading \\<b>\n"
    )


def test_a_table_of_contents_is_no_table_and_has_no_headings(tmp_path):
    lines = [(72, 700 - 14 * n, 12, "Times-Roman", f"1.{n}  Part {n} {' .' * 30}  {n}") for n in range(4)]
    text = draw(
        tmp_path / "a.pdf",
        [*lines, *((72, 500 - 12 * n, 10, "Times-Roman", "Text of the body. " * 5) for n in range(9))],
    )
    assert text.startswith("1.0 Part 0 ... 0\n\n1.1 Part 1 ... 1\n\n")


def test_a_zip_bomb_is_not_unpacked(tmp_path):
    import zipfile

    with (
        zipfile.ZipFile(tmp_path / "a.docx", "w", zipfile.ZIP_DEFLATED) as file,
        file.open("word/document.xml", "w", force_zip64=True) as entry,
    ):
        for _ in range(1100):
            entry.write(bytes(1 << 20))
    with pytest.raises(InputError, match=r"unpacks to 1\.2 GB"):
        convert_file(str(tmp_path / "a.docx"))
