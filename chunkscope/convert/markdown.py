"""What a converter gives, and how Markdown is written: pieces one behind the other, and where each page begins."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkscope.corpus.manifest import Label, Unit

CJK = r"\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff"
"""Scripts that put no blank between words, and their marks, as a class of characters."""

_CJK = re.compile(rf"[{CJK}]")
_RADICALS = str.maketrans(
    "⺄⺒⺝⺠⺩⺼⻄⻆⻑⻗⻘⻝⻣⻤⻨⻩⻫⻭⻯⻲",
    "乙巳月民王肉西角長雨青食骨鬼麦黄斉歯竜亀",
)
"""Radicals that have no other form by NFKC, and that browsers write into PDF files for the characters."""
_FORMS = re.compile("[\u2e80-\u2fdf\ufb00-\ufb06]")
_OPENS_BLOCK = re.compile(r"(?=#{1,6}(?:[ \t]|$)|>|[-+*][ \t]|```|~~~|([-*_=])[ \t]*(?:\1[ \t]*)*$)")
_WORD = re.compile(r"[^\W\d_]+")
_CUT_WORD = re.compile(r"([^\W\d_]+)-$")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


@dataclass(frozen=True)
class Converted:
    """A document as Markdown.

    Attributes
    ----------
    text : str
    converter : str
        The package that read it.
    unit : {"page", "slide", "sheet"} or None
        What its parts are; None where it has none that people could name.
    labels : tuple of int or str
        Numbers of pages and slides, names of sheets.
    starts : tuple of int
        Where each of them begins, in code points of the text.
    warnings : tuple of str
        What is doubtful about it.
    """

    text: str
    converter: str
    unit: Unit | None = None
    labels: tuple[Label, ...] = ()
    starts: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()


class MarkdownWriter:
    """Lays pieces one behind the other, and notes where pages begin.

    Examples
    --------
    >>> writer = MarkdownWriter()
    >>> for page in ("# 旅費", "宿泊費は12,000円。"):
    ...     writer.begin_page()
    ...     writer.write(page + "\\n")
    >>> writer.text, writer.starts
    ('# 旅費\\n宿泊費は12,000円。\\n', (0, 5))
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._starts: list[int] = []
        self.length = self._waiting = 0

    def begin_page(self) -> None:
        """Let a page begin with what is written next; one without text begins where the next one does."""
        self._waiting += 1

    def write(self, text: str) -> None:
        """Write what is Markdown already."""
        self._starts += [self.length] * self._waiting
        self._waiting = 0
        self._pieces.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """All that has been written."""
        return "".join(self._pieces)

    @property
    def starts(self) -> tuple[int, ...]:
        """Where each page begins."""
        return (*self._starts, *[self.length] * self._waiting)


def escape_start(text: str) -> str:
    r"""Keep the beginning of a paragraph from being read as that of another block.

    Stars and underscores within stay as they are: a quote that is copied from the file shall be found.

    Examples
    --------
    >>> escape_start("# 1"), escape_start("---"), escape_start("*1 see below")
    ('\\# 1', '\\---', '*1 see below')
    """
    return ("\\" if _OPENS_BLOCK.match(text) else "") + text


def escape_tags(text: str) -> str:
    r"""Keep what looks like a tag from being read as one.

    Examples
    --------
    >>> escape_tags("a < b <c>")
    'a < b \\<c>'
    """
    return _TAG.sub(r"\\<", text)


def join_lines(lines: Sequence[str]) -> str:
    """Join the lines of a paragraph: with a blank, but with none beside characters that are written without.

    Examples
    --------
    >>> join_lines(["上限は1泊", "12,000円。"]), join_lines(["Costs are", "paid."])
    ('上限は1泊12,000円。', 'Costs are paid.')
    """
    return "".join([*lines[:1], *(glue(before, line) + line for before, line in pairwise(lines))])


def glue(before: str, after: str) -> str:
    """Give what stands between two lines that are joined: nothing where one side is of a script without blanks."""
    return "" if _CJK.search(before[-1:] + after[:1]) else " "


def joint(before: str, after: str, words: Collection[str]) -> tuple[str, str]:
    """Give a line as it stands before another, and what is put between them.

    The hyphen of a word that is cut at the end of a line goes where the document has the word without it elsewhere.

    Examples
    --------
    >>> joint("a manip-", "ulation of", {"manipulation"}), joint("a well-", "known one", ()), joint("one", "two", ())
    (('a manip', ''), ('a well-', ''), ('one', ' '))
    """
    end, start = _CUT_WORD.search(before), _WORD.match(after)
    if not (end and start and start[0][0].islower()):
        return before, glue(before, after)
    return (before[:-1] if (end[1] + start[0]).lower() in words else before), ""


def plain_forms(text: str) -> str:
    """Write radicals and ligatures, which fonts of PDF files give for characters, as these characters.

    Examples
    --------
    >>> plain_forms("\u2f47本 \ufb01rst ㈱")
    '日本 first ㈱'
    """
    return _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def table_rows(rows: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
    """Write the rows of a table; what stands alone in a first row is a title, and stands before the table.

    Returns
    -------
    (str, list of str)
        The title, empty where there is none, and a line for each row, the header's underline included.

    Examples
    --------
    >>> table_rows([["Limits", "", ""], ["Grade", "Limit", "a|b"], ["A", "12,000", ""]])[1]
    ['| Grade | Limit | a\\\\|b |', '| --- | --- | --- |', '| A | 12,000 |  |']
    """
    title = ""
    if len(rows) > 2 and _is_title(rows[0]) and not _is_title(rows[1]):
        title, rows = next(cell for cell in rows[0] if cell), rows[1:]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return title, [lines[0], f"| {' | '.join(['---'] * len(rows[0]))} |", *lines[1:]]


def _is_title(row: Sequence[str]) -> bool:
    return len(row) > 1 and len({cell for cell in row if cell}) == 1 and (row.count("") > 0 or len(set(row)) == 1)
