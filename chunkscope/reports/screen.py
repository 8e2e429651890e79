"""Where the sentences and tables of a screen are put into the language, and then laid out: widths are those of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chunkscope.language import in_language
from chunkscope.reports.base import LEAST_WIDTH, ReportOptions
from chunkscope.reports.columns import TOO_LARGE
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, RED, pad, painted, width, wrap

INDENT = "  "

Labelled = tuple[str, str]
"""A label such as ``Sure?``, and a sentence."""


def said(text: str, options: ReportOptions) -> str:
    """Put a sentence into the language, and show what is hidden in it."""
    return visible(in_language(text, options.lang), ascii=options.ascii)


def sentence_lines(text: str, options: ReportOptions, *, first: str = "", rest: str | None = None) -> list[str]:
    """Lay a sentence out in lines; see `chunkscope.reports.width.wrap`.

    Examples
    --------
    >>> from chunkscope.language import say
    >>> sentence_lines(say("warning: {text}", text="rules.md"), ReportOptions(width=20, lang="ja"), first="! ")
    ['! 警告: rules.md']
    """
    return wrap(said(text, options), max(options.width, LEAST_WIDTH), first=first, rest=rest)


def table_lines(
    columns: Iterable[TextColumn], options: ReportOptions, *, keys: int = 1, indent: str = INDENT
) -> Iterator[str]:
    """Lay out a table whose first columns tell the rows apart; see `chunkscope.reports.table.lay_table`."""
    told = [column.in_language(options.lang) for column in columns]
    return lay_table(told, options.table_width, keys=keys, indent=indent, ascii=options.ascii)


def lit(lines: Iterable[str], options: ReportOptions) -> Iterator[str]:
    """Let the rows of a table stand out whose chunks are too large."""
    return (painted(line, RED, options.color) if line.endswith(TOO_LARGE) else line for line in lines)


def labelled(sentences: Iterable[Labelled], options: ReportOptions) -> Iterator[str]:
    """Lay out labelled sentences, the labels in a column."""
    found = [(said(label, options), sentence) for label, sentence in sentences]
    widest = max((width(label) for label, _ in found), default=0)
    for label, sentence in found:
        for line in sentence_lines(sentence, options, first=pad(label, widest) + INDENT):
            is_first = label and line.startswith(label)
            yield painted(label, BOLD, options.color) + line[len(label) :] if is_first else line
