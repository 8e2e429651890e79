"""Texts in dialects of Markdown, and what they are read as."""

from __future__ import annotations

from hypothesis import strategies as st

from chunkscope.corpus.document import Document
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.prose import is_prose

LINES = (
    *(
        "!!! note",
        '!!! tip "題. 甲"',
        "??? a",
        "???+ b",
        '=== "Tab"',
        "    ",
        "  ",
        "本文。次。",
        "| a | b |",
        "|---|---|",
    ),
    *(":::note", ":::", "::::tip T", "{{< a >}}", "{{% /b %}}", "{% c %}", "$$", "a = b", "=", "> [!NOTE]", "> ", "- "),
    *(
        "<Tabs>",
        "</Tabs>",
        "<Tab a={b}",
        ">",
        "{x}",
        "{/* c",
        "*/}",
        'import a from "b"',
        "export const x = {",
        "}",
        "",
    ),
    *("```", "# H", "[^1]: f", ":   def", "///", "/// note", "<table>", "<tr><td>", "</table>", "---", "\t", "%% c %%"),
)
dialect_texts = st.lists(st.lists(st.sampled_from(LINES), max_size=3).map("".join), max_size=12).map("\n".join)


def analysed(text, dialect="auto", name="a.md"):
    return DocumentAnalysis(Document(name, text, dialect=dialect))


def sentences(text, dialect="auto", name="a.md"):
    """Give what counts as sentences."""
    analysis = analysed(text, dialect, name)
    starts = analysis.sentence_starts
    spans = analysis.without_trailing_blanks(starts, [*starts[1:], len(text)])
    return [text[a:b].strip() for a, b in spans[is_prose(text, analysis.structure, spans)].tolist()]


def tables(text, dialect="auto", name="a.md"):
    found = analysed(text, dialect, name).tables
    return [[text[slice(*row)].strip() for row in (*table.header, *table.rows)] for table in found]


TABLE = "| 品 | 円 |\n|---|---|\n| 茶 | 120 |\n"
ROWS = [["| 品 | 円 |", "| 茶 | 120 |"]]


def indented(text, by="    "):
    """Indent all lines."""
    return "".join(by + line for line in text.splitlines(keepends=True))
