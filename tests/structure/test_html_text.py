"""HTML documents: the same tables as in one stream of tags, and blocks by tags and blank lines."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkscope import Document, read_corpus, sweep
from chunkscope.structure import read_structure
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.html_tables import Region, html_tables

PAGE = """<html>
<body>

    <h1># 旅費</h1>
    <p>一つ目の文です。二つ目の文です。</p>

    <table>
      <tr><th>品</th><th>円</th></tr>

      <tr><td>茶</td><td>120</td></tr>
    </table>
    <div><ul><li>甲</li><li>乙</li></ul></div>
</body>
</html>
"""
PIECES = [
    "<p>", "</p>", "<DIV class='x'>", "</div >", "<br>", "<b>", "</b>", "<table>", "</table>", "<tr>", "<td>", "</tr>",
    "<!-- x -->", "<!--", "-->", "<pre>", "</pre>", "漢", "字。", "a < b", " ", "\n", "\n\n", "\r\n \r\n", "    ", "# x\n", "---\n", "a: 1\n",
]  # fmt: skip


def pieces(text, starts):
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def test_indented_html_is_no_code_and_has_its_tables_and_sentences():
    analysis = DocumentAnalysis(Document("a.html", PAGE, markup="html"))
    structure = analysis.structure
    assert (structure.headings, structure.code.tolist()) == ((), [])
    (table,) = structure.tables
    assert [PAGE[a:b] for a, b in table.header] == ["<tr><th>品</th><th>円</th></tr>"]
    assert [PAGE[a:b] for a, b in table.rows] == ["<tr><td>茶</td><td>120</td></tr>"]
    assert [" ".join(piece.split()) for piece in pieces(PAGE, analysis.sentence_starts.tolist())] == [
        "<html> <body> <h1># 旅費</h1>",
        "<p>一つ目の文です。",
        "二つ目の文です。</p>",
        "<table>",
        "<tr><th>品</th><th>円</th></tr>",
        "<tr><td>茶</td><td>120</td></tr> </table>",
        "<div><ul><li>甲</li>",
        "<li>乙</li></ul></div> </body> </html>",
    ]


def test_sections_of_cdata_are_code_but_not_the_text_of_a_link():
    text = (
        '<p>例です。</p><ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[a = 1。\n'
        "b <p> 2。]]></ac:plain-text-body></ac:structured-macro>\n<p>見よ<ac:link><ac:plain-text-link-body>"
        "<![CDATA[規程]]></ac:plain-text-link-body></ac:link>の定め。次。</p>"
    )
    analysis = DocumentAnalysis(Document("a.html", text, markup="html"))
    assert [text[a:b] for a, b in analysis.structure.code.tolist()] == [
        "<ac:plain-text-body><![CDATA[a = 1。\nb <p> 2。]]>"
    ]
    assert pieces(text, analysis.sentence_starts.tolist()) == [
        "<p>例です。</p>",
        '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[a = 1。\n',
        "b <p> 2。]]></ac:plain-text-body></ac:structured-macro>\n",
        text[text.index("<p>見よ") : text.index("次。")],
        "次。</p>",
    ]


def test_cdata_that_is_not_closed_is_code_to_the_end():
    assert read_structure(Document("a.html", "<p>x</p><![CDATA[a。b", markup="html")).code.tolist() == [[8, 20]]
    assert read_structure(Document("a.md", "x\n\n<![CDATA[a\n\nb]]>\n\ny\n")).code.tolist() == [[3, 19]]


def test_a_row_is_one_block_whatever_its_cells_hold():
    text = "<table><tr><td><p>一つ。</p><p>二つ。</p><pre>x. y\nz</pre></td></tr>\n<tr><td>三つ。</td></tr></table><p>終。</p>"
    analysis = DocumentAnalysis(Document("a.html", text, markup="html"))
    assert [piece[:4] for piece in pieces(text, analysis.sentence_starts.tolist())] == ["<tab", "<tr>", "<tr>", "<p>終"]
    assert analysis.structure.code.tolist() == []


def test_front_matter_is_read_and_the_text_behind_it_is_a_block():
    text = "---\nstatus: abolished\n---\n\n<p>甲</p>"
    document = Document("a.html", text, markup="html")
    assert document.attributes == {"status": "abolished"}
    assert pieces(text, read_structure(document).block_starts.tolist()) == [text[:27], "<p>甲</p>"]


def test_files_called_html_are_html_and_records_are_not(tmp_path):
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"name": "x/y.html", "text": "# converted"}\n', encoding="utf-8")
    (page,) = read_corpus(tmp_path)
    assert page.markup == "html"
    (record,) = read_corpus(tmp_path / "b.jsonl")
    assert record.markup == "markdown"
    (cell,) = sweep(read_corpus(tmp_path), chunkers="fixed", sizes=[1000], overlaps=[0]).cells
    assert (cell.table_rows, cell.table_rows_with_header) == (1, 1)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
@example("<table><tr><pre>\n\n<p>")
@example("a < b\n\n-->")
def test_blocks_start_where_an_obvious_reading_has_them(text):
    document = Document("a.html", text, markup="html")
    structure = read_structure(document)
    top = document.front_matter_end
    assert list(structure.tables) == html_tables(text, [Region(top, len(text), is_code=False)])
    rows = [row for table in structure.tables for row in (*table.header, *table.rows)]
    outside = {at for at in obvious_starts(text, top) if not any(start < at < end for start, end in rows)}
    assert structure.block_starts.tolist() == sorted({start for start, _ in rows} | outside)


OPEN = re.compile(r"<(p|div|table)(?=[\s/>])", re.IGNORECASE)
CLOSE = re.compile(r"</(p|div|table|pre)(?=[\s/>])", re.IGNORECASE)
TAG = re.compile(r"</?[A-Za-z!][^<>]*>")


def obvious_starts(text, top):
    """Go through the text place by place: a block starts at an edge that something to read stands before."""
    starts = {0} if text else set()
    first = len(text) - len(text[top:].lstrip())
    if top and first < len(text):
        starts.add(first)
    seen, place = False, top
    while place < len(text):
        behind = behind_what_closes(text, place)
        if text.startswith("<!--", place):
            end = text.find("-->", place + 4)
            place = len(text) if end < 0 else end + 3
            continue
        if text.startswith("<pre>", place):
            end = text.find("</pre>", place)
            end = len(text) if end < 0 else end + len("</pre>")
            starts |= {place} if seen else set()
            starts |= {
                line.end() for line in re.finditer(r"(\r\n|\r|\n)(?=[^\S\r\n]*\S)", text[:end]) if line.start() >= place
            }
            while end < len(text) and text[end].isspace():
                end += 1
            seen, place = False, behind_what_closes(text, end)
            starts |= {place} if place < len(text) else set()
        elif behind > place or re.match(r"(\r\n|\r|\n)[^\S\r\n]*[\r\n]", text[place:]):
            while place < len(text) and text[place].isspace():
                place += 1
            place = behind_what_closes(text, place)
            if seen and place < len(text):
                starts.add(place)
                seen = False
        elif OPEN.match(text, place):
            if seen:
                starts.add(place)
            tag = TAG.match(text, place)
            seen, place = not tag, tag.end() if tag else place + 1
        elif tag := TAG.match(text, place):
            place = tag.end()
        else:
            seen = seen or not text[place].isspace()
            place += 1
    return starts


def behind_what_closes(text, place):
    """Give the place behind closing tags of blocks and the white space between them."""
    while (match := CLOSE.match(text, place)) and (end := text.find(">", match.end())) >= 0:
        if text[match.end() : end].strip():
            break
        place = end + 1
        while place < len(text) and text[place].isspace():
            place += 1
    return place


def test_scripts_styles_and_preformatted_text_are_code_and_comments_are_no_blocks():
    text = "<p>a</p>\n<script>\nif (a. b) {}\n</script>\n<pre>x. y\n  z</pre>\n<!-- <p>no. way --><p>b</p>\n"
    analysis = DocumentAnalysis(Document("a.html", text, markup="html"))
    assert [text[a:b][:8] for a, b in analysis.structure.code.tolist()] == ["<script>", "<pre>x. "]
    assert [" ".join(piece.split()) for piece in pieces(text, analysis.sentence_starts.tolist())] == [
        "<p>a</p>",
        "<script>",
        "if (a. b) {}",
        "</script>",
        "<pre>x. y",
        "z</pre>",
        "<!-- <p>no. way --><p>b</p>",
    ]


@pytest.mark.parametrize("text", ["<div>" * 20_000 + "x", "</p>" * 20_000 + "x", "<p>\n\n" * 10_000, "< " * 50_000])
def test_long_runs_of_tags_are_read_once(text, monkeypatch):
    import chunkscope.structure.html_text as module

    read = []

    class Counting:
        def fullmatch(self, text, start, end):
            read.append(end - start)
            return module_nothing.fullmatch(text, start, end)

    module_nothing = module._NOTHING
    monkeypatch.setattr(module, "_NOTHING", Counting())
    read_structure(Document("a.html", text, markup="html"))
    assert sum(read) <= len(text)


@pytest.mark.parametrize("end", ["</pre ", "</pre\n", "</script x "])
def test_a_closing_tag_that_is_cut_off_closes_at_the_end_of_the_text(end):
    name = end[2:].split()[0]
    text = f"<{name}>" + end * 100_000
    assert read_structure(Document("a.html", text, markup="html")).code.tolist() == [[0, len(text)]]
    text += ">b"
    assert read_structure(Document("a.html", text, markup="html")).code.tolist() == [[0, len(text) - 1]]
