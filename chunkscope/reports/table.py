"""Tables of text: columns that are laid out for a terminal, or for Markdown. No column is ever left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

from chunkscope.language import Language, in_language
from chunkscope.reports.width import fit, pad, width


@dataclass(frozen=True)
class TextColumn:
    r"""A column of a table.

    Attributes
    ----------
    title : str
        One line or more, the last of which stands right above the texts.
    texts : sequence of str
        One a row.
    left : bool
        Aligned to the left: words, not numbers.
    """

    title: str
    texts: Sequence[str]
    left: bool = False

    @cached_property
    def titles(self) -> list[str]:
        """The lines of the title."""
        return self.title.split("\n")

    @cached_property
    def width(self) -> int:
        """Terminal cells of the widest text."""
        return max(width(text) for text in (*self.titles, *self.texts))

    def in_language(self, lang: Language) -> TextColumn:
        """Give the column with its title and texts in a language."""
        texts = [in_language(text, lang) for text in self.texts]
        return TextColumn(in_language(self.title, lang), texts, self.left)


def lay_table(
    columns: Sequence[TextColumn], room: int | None, *, keys: int = 1, indent: str = "  ", ascii: bool = False
) -> Iterator[str]:
    r"""Lay a table out in lines of at most `room` terminal cells (None: as wide as it is).

    Columns that have no room beside the others follow below, with the key columns again. Where a column has no room
    beside the key columns alone, the names among these stand on lines of their own.

    Parameters
    ----------
    columns : sequence of TextColumn
    room : int or None
    keys : int
        How many columns in front tell rows apart.
    indent : str
    ascii : bool
        ASCII marks only, where a line has to be cut.

    Examples
    --------
    >>> columns = [TextColumn("size", ["50", "100"]), TextColumn("費用\nin all", ["1", "2"])]
    >>> print(*lay_table([*columns, TextColumn("", ["", "safe"], left=True)], None), sep="\n")
             費用
      size  in all
        50       1
       100       2  safe
    >>> print(*lay_table([*columns, columns[1]], 14), sep="\n")
             費用
      size  in all
        50       1
       100       2
    <BLANKLINE>
             費用
      size  in all
        50       1
       100       2
    """
    gap, names = "  ", list[str]()
    if room is not None:
        used, alone = width(indent), [[*columns[:keys], one] for one in columns[keys:]]
        fits = {n: all(_cells(some, used, n) <= room for some in alone) for n in (1, 2)}
        n_blocks = {n: len(list(_blocks(columns, room, keys, used, n))) for n in (1, 2)}
        if not fits[2] or n_blocks[1] < n_blocks[2]:
            gap = " "
        if not fits[1]:
            names, columns, keys = _with_names_apart(columns, keys, gap)
    for number, block in enumerate(_blocks(columns, room, keys, width(indent), len(gap))):
        if number:
            yield ""
        for line in _lines(block, indent, gap, names):
            yield line if room is None else fit(line, room, ascii=ascii)


def _with_names_apart(
    columns: Sequence[TextColumn], keys: int, gap: str
) -> tuple[list[str], Sequence[TextColumn], int]:
    """Take the names of rows out of the key columns: the names, the other columns, and how many of these are keys."""
    named = [column.texts for column in columns[:keys] if column.left]
    names = [gap.join(filter(None, texts)) for texts in zip(*named, strict=True)]
    keyed = [column for column in columns[:keys] if not column.left]
    return names, [*keyed, *columns[keys:]], len(keyed)


def _cells(columns: Sequence[TextColumn], used: int, gap: int) -> int:
    return used + sum(column.width + gap for column in columns) - gap


def _blocks(
    columns: Sequence[TextColumn], room: int | None, keys: int, used: int, gap: int
) -> Iterator[list[TextColumn]]:
    """Deal columns out into tables that have room, each with the key columns in front."""
    if room is None:
        yield list(columns)
        return
    front = list(columns[:keys])
    block = list(front)
    for column in columns[keys:]:
        if len(block) > len(front) and _cells([*block, column], used, gap) > room:
            yield block
            block = list(front)
        block.append(column)
    yield block


def _lines(columns: Sequence[TextColumn], indent: str, gap: str, names: Sequence[str]) -> Iterator[str]:
    def line(texts: Sequence[str]) -> str:
        cells = [pad(text, one.width, right=not one.left) for text, one in zip(texts, columns, strict=True)]
        return (indent + gap.join(cells)).rstrip()

    if any(column.title for column in columns):
        upward = zip_longest(*(reversed(column.titles) for column in columns), fillvalue="")
        yield from reversed([line(texts) for texts in upward])
    for row, texts in enumerate(zip(*(column.texts for column in columns), strict=True)):
        if names and names[row]:
            yield indent + names[row]
        yield line(texts)


def markdown_table(columns: Sequence[TextColumn], escape: Callable[[str], str]) -> Iterator[str]:
    r"""Give the lines of a table in Markdown; titles may hold anything, and are escaped.

    Examples
    --------
    >>> print(*markdown_table([TextColumn("a|b", ["1"])], lambda text: text.replace("|", "\\|")), sep="\n")
    | a\|b |
    | ---: |
    | 1 |
    """
    yield _markdown_line([escape(" ".join(filter(None, column.titles))) for column in columns])
    yield _markdown_line([":---" if column.left else "---:" for column in columns])
    for texts in zip(*(column.texts for column in columns), strict=True):
        yield _markdown_line(texts)


def _markdown_line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
