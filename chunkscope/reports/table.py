"""Tables of text: columns that are laid out for a terminal, where some go if there is no room, or for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chunkscope.reports.width import fit, pad, width, wrap


@dataclass(frozen=True)
class TextColumn:
    """A column of a table.

    Attributes
    ----------
    title : str
    texts : sequence of str
        One a row.
    rank : int
        Where there is no room for all columns, the highest goes first; 0 stays.
    left : bool
        Aligned to the left: words, not numbers.
    """

    title: str
    texts: Sequence[str]
    rank: int = 0
    left: bool = False

    @property
    def width(self) -> int:
        """Terminal cells of the widest text."""
        return max(width(text) for text in (self.title, *self.texts))


def lay_table(
    columns: Sequence[TextColumn], room: int | None, *, indent: str = "  ", ascii: bool = False
) -> Iterator[str]:
    r"""Lay a table out in lines of at most `room` terminal cells (None: as wide as it is).

    Columns that have no room are named at the end. There is no line of titles where no column has one.

    Examples
    --------
    >>> columns = [TextColumn("size", ["50", "100"]), TextColumn("費用", ["1", "2"], 1)]
    >>> print(*lay_table([*columns, TextColumn("", ["", "safe"], left=True)], None), sep="\n")
      size  費用
        50     1
       100     2  safe
    >>> list(lay_table(columns, 10))[:4]
    ['  size', '    50', '   100', '  no room']
    """
    kept = list(columns)
    dropped = []
    while room is not None and _cells(kept, indent, 1) > room and any(column.rank for column in kept):
        highest = max(kept, key=lambda column: column.rank)
        kept.remove(highest)
        dropped += [highest.title] if highest.title else []
    gap = " " if room is not None and _cells(kept, indent, 2) > room else "  "
    rows = list(zip(*(column.texts for column in kept), strict=True))
    if any(column.title for column in kept):
        rows.insert(0, tuple(column.title for column in kept))
    for texts in rows:
        cells = [pad(text, column.width, right=not column.left) for text, column in zip(texts, kept, strict=True)]
        line = (indent + gap.join(cells)).rstrip()
        # lines are cut last: a number of more digits than a line has cells makes none that is too wide
        yield line if room is None else fit(line, room, ascii=ascii)
    if dropped:
        yield from wrap(f"no room for: {', '.join(dropped)} (--format json has all)", room or 0, first=indent)


def _cells(columns: Sequence[TextColumn], indent: str, gap: int) -> int:
    return width(indent) + sum(column.width + gap for column in columns) - gap


def markdown_table(columns: Sequence[TextColumn], escape: Callable[[str], str]) -> Iterator[str]:
    r"""Give the lines of a table in Markdown; titles may hold anything, and are escaped.

    Examples
    --------
    >>> print(*markdown_table([TextColumn("a|b", ["1"])], lambda text: text.replace("|", "\\|")), sep="\n")
    | a\|b |
    | ---: |
    | 1 |
    """
    yield _markdown_line([escape(column.title) for column in columns])
    yield _markdown_line([":---" if column.left else "---:" for column in columns])
    for texts in zip(*(column.texts for column in columns), strict=True):
        yield _markdown_line(texts)


def _markdown_line(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
