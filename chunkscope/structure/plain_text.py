"""What plain text is made of: paragraphs, items, turns, quoted mail, cues of subtitles; and source code: its lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chunkscope.spans.intervals import IntArray, Span, as_spans, merge
from chunkscope.structure.item_lines import item_starts
from chunkscope.structure.model import Structure
from chunkscope.structure.patterns import lazily

_PARAGRAPH_GAP = lazily(r"(?:\r\n?+|\n)(?:[^\S\r\n]*+(?:\r\n?+|\n))++")
_PIECE_GAP = lazily(r"(?:\r\n?+|\n)(?:[^\S\r\n]*+(?:\r\n?+|\n))++(?=[^\s)\]}])")
_LINE_WITH_WORDS = lazily(r"(?:\A|(?<=[\r\n]))(?!(?<=\r)\n)(?=[^\S\r\n]*+\S)")
_TIMING = lazily(r"(?:(?<=[\r\n])|\A)[ \t]*(?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{3}[ \t]*-->")
_NUMBER_LINE = lazily(r"[ \t]*\d{1,6}[ \t]*(?:\r\n?|\n)")
_QUOTED = lazily(r"(?:(?<=[\r\n])|\A)[ \t]*(?P<marks>>[> \t]*)?(?=[^\s>])")
_RULE = lazily(
    r"(?:(?<=[\r\n])|\A)[ \t\u3000]*([-=_*─━＝－―~〜＊◇◆○●☆★■□+])(?:[ \u3000]?\1){2,}[ \t\u3000]*"
    r"(?:\r\n?|\n)(?=[^\S\r\n]*\S)"
)
_IS_ABOVE = lazily(r"(?:[^\r\n]|\A)(?:\r|\n)\Z|\r\n\Z")


def read_plain(text: str) -> Structure:
    r"""Find what a plain text is made of.

    Parameters
    ----------
    text : str

    Returns
    -------
    Structure
        Blocks alone: paragraphs, which blank lines part; lines that begin like items or turns; quoted mail and the
        answer to it; what stands below a rule; cues of subtitles, in which nothing else is a block.

    Examples
    --------
    >>> read_plain("一つ。\n\n・二つ\n・三つ\n").block_starts.tolist()
    [0, 5, 9]
    """
    paragraphs = _paragraph_starts(text)
    if len(paragraphs) == 0:
        return Structure(len(text), 0, (), (), as_spans([]), paragraphs)
    stretches = [(0, len(text))]
    if "-->" in text:
        cues, stretches = _cues(text, paragraphs)
        paragraphs = merge(paragraphs, cues)
    more = np.array([*_turns_of_mail(text), *_below_rules(text)], dtype=np.int64)
    blocks = merge(paragraphs, np.sort(more))
    blocks = merge(blocks, item_starts(text, blocks, stretches))
    return Structure(len(text), 0, (), (), as_spans([]), blocks)


def read_code(text: str) -> Structure:
    r"""Find the lines of source code, each a block, and the pieces of it that ought to stay whole.

    A piece ends at a blank line behind which a line begins without indentation: a function stays one with blank lines
    in it.

    Examples
    --------
    >>> found = read_code("def f():\n    a\n\n    b\n\nc\n")
    >>> found.block_starts.tolist(), found.code.tolist()
    ([0, 9, 16, 23], [[0, 21], [23, 24]])
    """
    starts = [match.start() for match in _LINE_WITH_WORDS.finditer(text)]
    pieces = [*starts[:1], *(gap.end() for gap in _PIECE_GAP.finditer(text) if starts and gap.end() > starts[0])]
    ends = [len(text[:edge].rstrip()) for edge in [*pieces[1:], len(text)]]
    blocks = np.array([0, *starts[1:]] if text else [], dtype=np.int64)
    return Structure(len(text), 0, (), (), as_spans(list(zip(pieces, ends, strict=False))), blocks)


def _paragraph_starts(text: str) -> IntArray:
    """Give where paragraphs start; blank lines part them."""
    if not text:
        return np.empty(0, dtype=np.int64)
    first, last = len(text) - len(text.lstrip()), len(text.rstrip())
    starts = (match.end() for match in _PARAGRAPH_GAP.finditer(text))
    return np.array([0, *(start for start in starts if first < start < last)], dtype=np.int64)


def _cues(text: str, paragraphs: IntArray) -> tuple[IntArray, list[Span]]:
    """Give where cues start that no blank line parts from the one before, and what is no cue."""
    edges = [*paragraphs.tolist(), len(text)]
    stretches: list[Span] = []
    starts: list[int] = []
    timings = [match.start() for match in _TIMING.finditer(text)]
    position = number = 0
    for place in timings:
        while edges[number + 1] <= place:
            number += 1
        start, end = edges[number], edges[number + 1]
        before = text[start:place].rstrip("\r\n")
        line = start + max(before.rfind("\n"), before.rfind("\r")) + 1
        cue = line if line == start or _NUMBER_LINE.fullmatch(text, line, place) else place
        starts += [cue] if cue > start else []
        if start > position:
            stretches.append((position, start))
        position = end
    if position < len(text):
        stretches.append((position, len(text)))
    return np.array(starts, dtype=np.int64), stretches


def _turns_of_mail(text: str) -> Iterator[int]:
    """Give the lines at which the depth of quoting changes: what is quoted and the answer are two voices."""
    if "\n>" not in text and "\r>" not in text and not text.startswith(">"):
        return
    depth = None
    for line in _QUOTED.finditer(text):
        now = (line["marks"] or "").count(">")
        if depth is not None and now != depth:
            yield line.start()
        depth = now


def _below_rules(text: str) -> Iterator[int]:
    """Give where lines start below a rule that has something above it; on top of a paragraph a rule opens it."""
    return (
        match.end()
        for match in _RULE.finditer(text)
        if _IS_ABOVE.match(text[max(match.start() - 2, 0) : match.start()])
    )
