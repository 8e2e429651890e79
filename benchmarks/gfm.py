"""Tables and headings as cmark-gfm, GitHub's own parser, has them, against ours: on folders, and on generated texts.

python benchmarks/gfm.py FOLDER...        every .md file below
python benchmarks/gfm.py --fuzz 20000     generated texts

Needs ``pip install cmarkgfm``. What is compared are the lines of tables (header, rows) and of headings outside lists
and quotes. A header that is empty counts as GitHub has it. Known differences: see docs/design.md.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from chunkscope.corpus.document import LINE_END, Document
from chunkscope.errors import InputError
from chunkscope.structure import read_structure

Found = list[tuple[object, ...]]
TAG = re.compile(r"<(/?)(blockquote|li|table|tr|h[1-6])\b(?: data-sourcepos=\"(\d+):\d+-(\d+):\d+\")?[^>]*>")
PIECES = (
    *("| a | b |", "|---|---|", "|---|", "---", ":--", "--:", "| --- |", "a | b", "--- | ---", "head", "| 1 | 2 |"),
    *("1 | 2", "xy", "", "", "- ", "> ", "    ", "  ", "# T", "===", "<br>", "</Note>", "<b>", "<img src='a'>", "<p>"),
    *("13. n", "1. n", "-", "***", "```", "~~~", "| a |", "|a", "a|", "\\| a | b", "`|`", "<!-- -->", "[a]: b", "\t"),
)


def theirs(text: str) -> tuple[Found, Found]:
    """Give their tables and headings, by lines from 0; raw HTML is left out, so that all tags are theirs.

    A table below text begins, as they say it, at the first line of that text, so no line of a header is told.
    """
    html = cmarkgfm.markdown_to_html_with_extensions(text, Options.CMARK_OPT_SOURCEPOS, extensions=["table"])
    tables: Found = []
    headings: Found = []
    depth = 0
    for closes, name, first, _ in TAG.findall(html):
        if not first and not (closes and name in ("blockquote", "li")):
            continue
        if name in ("blockquote", "li"):
            depth += -1 if closes else 1
        elif name == "table":
            tables.append(())
        elif name == "tr" and tables[-1] == ():
            tables[-1] = ("header",)
        elif name == "tr":
            tables[-1] = (*tables[-1], int(first) - 1)
        elif not depth:
            headings.append((int(first) - 1, int(name[1])))
    return tables, headings


def ours(text: str) -> tuple[Found, Found]:
    """Give ours in the same way."""
    document = Document("a.md", text)
    structure = read_structure(document)
    line = [0, *(match.end() for match in LINE_END.finditer(text))]
    number = {start: at for at, start in enumerate(line)}
    tables = []
    for table in structure.tables:
        if table.kind == "pipe":
            rows = (*(table.header if table.has_blank_header else ()), *table.rows)
            tables.append(("header", *(number[start] for start, _ in rows)))
    return list(tables), [(number[heading.start], heading.level) for heading in structure.headings]


def differences(text: str) -> Iterator[str]:
    """Say what is not alike."""
    for name, mine, other in zip(("tables", "headings"), ours(text), theirs(text), strict=True):
        if mine != other:
            yield f"{name}: ours {mine[:6]}, theirs {other[:6]}"


def generated(n: int, seed: int) -> Iterator[tuple[str, str]]:
    """Give texts made of lines that matter."""
    chance = random.Random(seed)
    for number in range(n):
        lines = ["".join(chance.choices(PIECES, k=chance.choice((1, 1, 1, 2)))) for _ in range(chance.randint(2, 7))]
        yield f"seed {seed}, text {number}", "\n".join(lines) + "\n"


def read(folders: list[str]) -> Iterator[tuple[str, str]]:
    """Give the texts of all Markdown files, without front matter, which cmark-gfm does not know."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.md")):
            try:
                document = Document(str(path), path.read_text("utf-8-sig"))
            except (InputError, UnicodeDecodeError):
                continue
            yield document.name, document.text[document.front_matter_end :]


def main() -> None:
    """Compare, and show what is not alike."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--fuzz", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10)
    given = parser.parse_args()
    n = unlike = 0
    for name, text in generated(given.fuzz, given.seed) if given.fuzz else read(given.folders):
        n += 1
        found = list(differences(text))
        unlike += bool(found)
        if found and unlike <= given.show:
            print(name, *found, *([repr(text)] if given.fuzz else []), sep="\n  ")
    print(f"{n:,} texts, {unlike:,} not alike", file=sys.stderr)


if __name__ == "__main__":
    main()
