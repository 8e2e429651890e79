"""Tables in HTML: by fixtures, and on tags in any order."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from dot_format import read_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope.corpus.document import Document
from chunkscope.structure import read_structure
from chunkscope.structure.html_tables import Region, html_tables

TAGS = [
    "<table>", "<table class='x'>", "</table>", "<TABLE", "<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>",
    "<th>a", "</th>", "<td>b", "</td>", "<caption>", "</caption>", "<!--", "-->", "<script>", "</script>", "<![CDATA[",
    "]]>", '"', "'", "\n", "\n\n", "\r\n", "    ", "> ", "`", "```\n", "text", "漢", "<", ">", "- ",
]  # fmt: skip


def tables_of(text):
    return read_structure(Document("a.md", text)).tables


@pytest.mark.parametrize("case", read_cases("html_tables.md"), ids=lambda case: case.title)
def test_html_tables_of_the_fixtures(case):
    lines = []
    for table in tables_of(case.source):
        lines.append(table.kind)
        lines += [f"header {case.source[a:b]}".replace("\n", "⏎") for a, b in table.header]
        lines += [f"row    {case.source[a:b]}".replace("\n", "⏎") for a, b in table.rows]
    assert "\n".join(lines) == case.expected


@settings(max_examples=300)
@given(st.lists(st.sampled_from(TAGS), max_size=40).map("".join))
def test_tags_in_any_order_give_sound_tables(text):
    for tables in (tables_of(text), html_tables(text, [Region(0, len(text), is_code=False)])):
        for table in tables:
            spans = [*table.header, *table.rows]
            assert spans
            assert 0 <= table.start <= spans[0][0]
            assert spans[-1][1] <= table.end <= len(text)
            assert all(start < end for start, end in spans)
            assert all(end <= following for (_, end), (following, _) in pairwise(spans))
            if table.kind == "html":
                assert text[table.start :][:6].lower() == "<table"
                assert all(text[start:][:3].lower() in ("<tr", "<th", "<td") for start, _ in spans)


@given(st.lists(st.lists(st.sampled_from(["1", "漢", "a | b", ""]), min_size=1, max_size=3), min_size=1, max_size=5))
def test_well_formed_tables_are_found_whatever_stands_between_the_tags(rows):
    for gap in ("", "\n", "\n\n", "\r\n\r\n", " <!-- <tr> --> ", "\n\n<!-- \n\n -->\n\n"):
        text, expected = "本文。\n\n<table>" + gap, []
        for row in rows:
            start = len(text)
            text += "<tr>" + gap + gap.join(f"<td>{cell}</td>" for cell in row) + gap + "</tr>"
            expected.append((start, len(text)))
            text += gap
        text += "</table>\n\n本文。"
        [table] = tables_of(text)
        assert (table.header, list(table.rows)) == ((), expected)
        assert text[table.start : table.end].startswith("<table>")
        assert text[table.start : table.end].endswith("</table>")


def test_a_tag_takes_its_quoted_values_whole():
    [table] = tables_of("<table title=\"</table>\"><tr data-x='<tr>'><td>1</td></tr></table>")
    assert len(table.rows) == 1


def test_rows_that_questions_ask_for_are_rows(data):
    with (data / "tables" / "questions_html.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    assert questions
    for question in questions:
        text = (data / "tables" / "docs" / question["doc"]).read_bytes().decode("utf-8-sig")
        rows = {text[a:b] for table in tables_of(text) if table.kind == "html" for a, b in table.rows}
        for quote in [question["evidence"]] if isinstance(question["evidence"], str) else question["evidence"]:
            assert quote in rows


@pytest.mark.parametrize(
    "text",
    [
        '<td "' * 20_000,
        "<table><tr><td>" * 10_000,
        "<table><tr><td>" * 5_000 + "</table>" * 5_000,
        "<table><tr><td>\n<!-- \n\n" * 10_000,
        "<table>\n<script><style>\n\n" * 10_000,
        "<table><tr><td>a" + "\n\n" * 20_000 + "<table>",
        "<table><tr><td>" * 10_000 + " " * 200_000,
        "<table><tr><td>" * 10_000 + "\n" * 200_000,
    ],
    ids=["quotes", "open", "nested", "comments", "scripts", "blank lines", "blanks behind", "lines behind"],
)
def test_large_hostile_tables_are_read(text):
    assert all(table.end <= len(text) for table in tables_of(text))


def test_code_behind_an_indented_table_stays_code():
    text = "<table>\n\n    <tr><td>1</td></tr>\n    </table>\n\n    real. Code\n    more\n\nText.\n"
    structure = read_structure(Document("a.md", text))
    assert [text[a:b] for a, b in structure.code.tolist()] == ["    real. Code\n    more"]
    assert [text[at:][:8] for at in structure.block_starts.tolist()] == [
        "<table>\n",
        "<tr><td>",
        "    real",
        "    more",
        "Text.\n",
    ]
