"""Habits of dialects: what each makes a block of its own, and that no other text is read otherwise."""

from __future__ import annotations

import pytest
from dialect_texts import ROWS, TABLE, analysed, dialect_texts, indented, sentences, tables
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import markdown_texts

from chunkscope import sweep
from chunkscope.corpus.dialect import DIALECTS
from chunkscope.corpus.document import Document


@pytest.mark.parametrize(
    "head",
    [
        "!!! note", '!!! note inline end "料金。表"', "???+ tip", '??? "閉じた"', '=== "甲"', '===! "乙"', "- !!! note", "> !!! note",
        "1.  手順\n\n    !!! warning",
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", ["", "\n"])
def test_an_indented_body_belongs_to_its_head(head, gap):
    last = head.splitlines()[-1]
    column = len(last) - len(last.lstrip(" ->"))
    lead = "> " if last.startswith("> ") else " " * column
    body = indented(TABLE + "\n一文。二文。\n", lead + "    ")
    text = f"{head}\n{lead.rstrip() + gap if gap else ''}{body}\n後の文。\n"
    assert tables(text) == [[row if lead != "> " else f">     {row}" for row in ROWS[0]]]
    if lead != "> ":
        assert [found for found in sentences(text) if "手順" not in found] == ["一文。", "二文。", "後の文。"]
    assert len(analysed(text).structure.code) == 0
    assert tables(text, "commonmark") == []


def test_code_in_an_indented_body_is_code_and_what_stands_below_is_none():
    text = "!!! note\n    文。\n\n    ```py\n    x = 1\n    ```\n\n        y = 2\n外。\n\n    z = 3\n"
    structure = analysed(text).structure
    assert [text[a:b] for a, b in structure.code.tolist()] == [
        "    ```py\n    x = 1\n    ```",
        "        y = 2",
        "    z = 3",
    ]
    assert text.index("外。") in structure.block_starts


def test_a_line_that_stands_out_of_an_indented_body_is_a_block_of_its_own():
    assert sentences("??? a\n    一つ\n    続き\n外の文\n") == ["一つ\n    続き", "外の文"]
    assert sentences("??? a\n\n    !!! b\n        二つ\n    内\n\n    内\n外\n") == ["二つ", "内", "内", "外"]


def test_headings_in_an_indented_body_are_none_and_marks_are_none_either():
    text = "# 題\n\n!!! note\n    ## 内\n\n:::tip\n## 節\n:::\n\n> [!NOTE]\n> # 内\n"
    assert [heading.title for heading in analysed(text).structure.headings] == ["題", "節"]


def test_definitions_and_footnotes_of_mkdocs_have_indented_bodies():
    text = "語\n:   説明。\n\n    続き。\n\n[^1]:\n    注。\n\n[^ab]: 注二。\n\n    続き二。\n"
    assert len(analysed(text, "mkdocs").structure.code) == 0
    assert len(analysed(text).structure.code) == 2


@pytest.mark.parametrize(
    ("opening", "closing", "habit"),
    [
        (":::note", ":::", "containers"), ("::: tip 題。名", ":::", "containers"), ("::::{note} x", "::::", "containers"),
        ("/// note | 題", "///", "slashes"), ("{{< tabs >}}", "{{< /tabs >}}", "shortcodes"),
        ('{{% tab "a" %}}', "{{% /tab %}}", "shortcodes"), ('{{< fig\n  src="a" >}}', "{{< b >}}", "shortcodes"),
        ('{% hint style="info" %}', "{% endhint %}", "liquid"), ("> [!WARNING]", "> [!tip]- 題。名", "callouts"),
        ("> [!info|x]+", "> > [!NOTE]", "callouts"),
    ],
)  # fmt: skip
def test_a_line_of_marks_is_a_block_and_no_sentence(opening, closing, habit):
    text = f"前の文\n{opening}\n{TABLE}{closing}\n後の文。次の文\n"
    if habit == "callouts":
        text = f"前の文\n\n{opening}\n> 後の文。次の文\n\n{closing}\n\n{TABLE}"
    structure = analysed(text).structure
    assert structure.habits == (habit,)
    assert [text[a:b] for a, b in structure.marks.tolist()] == [opening, closing]
    assert [sentence.strip("> ") for sentence in sentences(text)] == ["前の文", "後の文。", "次の文"]
    assert tables(text) == ROWS
    assert analysed(text, "commonmark").structure.habits == ()


@pytest.mark.parametrize(
    "formula",
    [
        "$$\na\n=\nb。c\n$$",
        "$$ x | y $$",
        "\\[\n- x\n\\]",
        "\\begin{a*}\nx &= 1。\n\\end{a*}",
        "$$\n\\begin{b}\n# x\n\\end{b}\n$$ .",
    ],
)
def test_a_formula_is_one_block_and_no_sentence(formula):
    text = f"前の文\n{formula}\n後の文。次の文\n"
    structure = analysed(text).structure
    assert (structure.headings, structure.habits) == ((), ("formulas",))
    assert [text[a:b] for a, b in structure.marks.tolist()] == [formula]
    assert sentences(text) == ["前の文", "後の文。", "次の文"]


@pytest.mark.parametrize(
    "text",
    [
        "!!! 重要です。\n    字下げ\n", "!!!\n", "本当???\n", "a:::b\n", ":::\n\n本文\n", "$$ は円の印です。\n", "価格は $$\n\n二つ $$\n",
        "日本\n日本\n", "\\[TODO\\] 書く。\n", "{{ x }}\n", "{{< a >}} を使う。\n", "[!NOTE]\n", "> [NOTE]\n", "===\n", '=== "x" y\n',
        "/// a\n",
    ],
)  # fmt: skip
def test_what_only_looks_like_marks_is_text(text):
    known = "本文。\n\n" + text
    assert analysed(known).structure.habits == ()
    assert (
        analysed(known).structure.block_starts.tolist() == analysed(known, "commonmark").structure.block_starts.tolist()
    )


def test_marks_in_blocks_of_code_are_code():
    text = f"```md\n:::note\n!!! a\n    b\n{{{{< c >}}}}\n$$\nx\n$$\n:::\n```\n\n    :::\n    $$\n    y $$\n\n{TABLE}"
    found, expected = analysed(text).structure, analysed(text, "commonmark").structure
    assert found.block_starts.tolist() == expected.block_starts.tolist()
    assert (found.code.tolist(), found.habits, len(found.marks)) == (expected.code.tolist(), (), 0)


@given(markdown_texts())
def test_texts_without_marks_are_read_alike_in_all_dialects_but_mdx(text):
    expected = analysed(text, "commonmark").structure
    for dialect in DIALECTS:
        found = analysed(text, dialect).structure
        if not found.habits and "mdx" not in DIALECTS[dialect] and ":  " not in text and "[^" not in text:
            assert found.block_starts.tolist() == expected.block_starts.tolist()
            assert (found.tables, found.headings) == (expected.tables, expected.headings)


@settings(max_examples=150)
@given(dialect_texts, st.sampled_from(["auto", *DIALECTS]), st.sampled_from(["\n", "\r\n"]))
def test_blocks_are_whole_lines_in_the_text_as_it_is(text, dialect, end):
    text = text.replace("\n", end)
    structure = analysed(text, dialect).structure
    starts = structure.block_starts.tolist()
    line_starts = {0, *(at + len(end) for at in range(len(text)) if text.startswith(end, at))}
    rows = {a for table in structure.tables for a, _ in (*table.header, *table.rows) if table.kind == "html"}
    assert starts == sorted(set(starts))
    assert set(starts) <= line_starts | rows
    assert {a for a, _ in (*structure.code.tolist(), *structure.marks.tolist())} <= line_starts
    assert {heading.start for heading in structure.headings} <= set(starts)
    for table in structure.tables:
        assert all(a < b and (table.kind == "html" or "\n" not in text[a:b]) for a, b in (*table.header, *table.rows))
    if end == "\n":
        # line ends of either kind give the same
        other = analysed(text.replace("\n", "\r\n"), dialect).structure
        moved = [at + text.count("\n", 0, at) for at in starts]
        assert other.block_starts.tolist() == moved


def test_a_result_says_what_was_read_and_counts_add_over_documents():
    documents = [
        Document("a.md", "!!! note\n    文。\n\n##\u3000題\n"),
        Document("b.md", "|  |  |\n|---|---|\n| a | b |\n| 1 | 2 |\n\n+---+\n| x |\n+---+\n\n```\n+---+\n| y |\n```\n"),
        Document("c.mdx", "文。\n\n| a |\n|---+---|\n| 1 |\n"),
    ]
    expected = {"admonitions": 1, "wide_headings": 1, "blank_headers": 1, "grid_tables": 1, "mdx": 1, "org_tables": 1}
    whole = sweep(documents, chunkers="fixed", sizes=[10], overlaps=[0]).corpus.seen
    assert whole == expected
    parts = [sweep([one], chunkers="fixed", sizes=[10], overlaps=[0]).corpus for one in documents]
    assert dict((parts[0] + parts[1] + parts[2]).seen) == expected
