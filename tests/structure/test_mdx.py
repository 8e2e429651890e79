"""MDX: no indented code, tags and JavaScript between blocks, and every place in the text as it is."""

from __future__ import annotations

import numpy as np
import pytest
from dialect_texts import ROWS, TABLE, analysed, dialect_texts, indented, sentences, tables
from hypothesis import given

from chunkscope.structure.mdx import read_mdx


def code(text):
    return [text[a:b] for a, b in analysed(text, name="a.mdx").structure.code.tolist()]


@pytest.mark.parametrize("by", ["", "  ", "    ", "        ", "\t", "\t\t"])
@pytest.mark.parametrize("gap", ["", "\n"])
def test_a_table_in_tags_is_one_however_far_it_is_indented(by, gap):
    text = f"<Tabs>\n{by}<TabItem value={{{{a: 1}}}} label='x > y'>\n{gap}{indented(TABLE, by)}{gap}{by}</TabItem>\n</Tabs>\n後の文。\n"
    assert tables(text, name="a.mdx") == ROWS
    assert (code(text), sentences(text, name="a.mdx")) == ([], ["後の文。"])


def test_indented_text_is_text_and_indented_headings_are_headings():
    text = "<A>\n\n      ## 節\n\n      一つ。二つ。\n\n</A>\n"
    assert [heading.title for heading in analysed(text, name="a.mdx").structure.headings] == ["節"]
    assert sentences(text, name="a.mdx") == ["一つ。", "二つ。"]


def test_blocks_of_code_keep_their_lines_whatever_stands_in_them():
    fence = "        ```js\n    import x from 'y'\n\n        <A\n        />\n# no heading\n        ```"
    text = f"<A>\n{fence}\n</A>\n# 題\n"
    structure = analysed(text, name="a.mdx").structure
    assert code(text) == [fence]
    assert [heading.title for heading in structure.headings] == ["題"]
    assert text.index("# no") in structure.block_starts


def test_lists_keep_their_items_and_code_in_them_its_place():
    text = "1. 甲\n\n   <A>\n       ```sh\n       ls\n       ```\n   </A>\n\n   - 乙\n     - 丙\n\n     ## 内\n2. 丁\n"
    structure = analysed(text, name="a.mdx").structure
    assert code(text) == ["       ```sh\n       ls\n       ```"]
    assert structure.headings == ()
    assert sentences(text, name="a.mdx") == ["1. 甲", "- 乙", "- 丙", "## 内", "2. 丁"]


def test_imports_and_exports_are_code_up_to_a_blank_line_outside_brackets():
    first = "import A from 'a'\nimport {\n  B,\n} from 'b'"
    second = "export const c = {\n  d: [1,\n\n  2],\n}"
    text = f"{first}\n\n{second}\n\n本文。\nimport は文です。\n"
    assert code(text) == [first, second]
    assert sentences(text, name="a.mdx") == ["本文。", "import は文です。"]
    assert code("export const a = {\n\n本文\n") == ["export const a = {"]


def test_comments_and_expressions_are_no_sentences():
    text = "前の文\n{/* 注。\n\n意。 */}\n中の文\n{props.x}\n{list.map(a =>\n  <li>{a}</li>\n)}\n後の文。{x} 次\n"
    assert sentences(text, name="a.mdx") == ["前の文", "中の文", "後の文。", "{x} 次"]
    assert code(text) == ["{list.map(a =>\n  <li>{a}</li>\n)}"]
    assert sentences("{/* 一。\n二。\n", name="a.mdx") == ["{/* 一。", "二。"]


def test_html_tables_are_tables_still_and_text_behind_a_tag_is_text():
    text = "<div>\n      <table>\n        <tr><th>a</th></tr>\n\n        <tr><td>1</td></tr>\n      </table>\n</div>\n<p>一つ。二つ。\n</p>\n"
    assert tables(text, name="a.mdx") == [["<tr><th>a</th></tr>", "<tr><td>1</td></tr>"]]
    assert sentences(text, name="a.mdx")[-2:] == ["<p>一つ。", "二つ。"]


def test_a_name_or_a_dialect_makes_a_text_mdx():
    text = "<A>\n\n    文。\n\n</A>\n"
    assert code(text) == []
    assert len(analysed(text).structure.code) == 1
    assert len(analysed(text, "docusaurus").structure.code) == 0
    assert len(analysed(text, "commonmark", "a.mdx").structure.code) == 1


@given(dialect_texts)
def test_only_indentation_is_cut_out_and_each_byte_knows_its_place(text):
    raw = text.encode("ascii", "replace")
    edited, places, marks = read_mdx(raw, 0)
    assert len(edited) + 1 == len(places)
    assert places[-1] == len(raw)
    cut = np.setdiff1d(np.arange(len(raw)), places)
    assert not bytes(raw[place] for place in cut.tolist()).strip(b" \t")
    lines = edited.split(b"\n")
    assert len(lines) == raw.count(b"\n") + 1
    inside = {place for start, end, _ in marks for place in range(start, end)}
    for place, sign in zip(places.tolist(), edited, strict=False):
        assert sign == raw[place] or place in inside or raw[place] in b"\t<"
