"""Many texts in one array: what numpy does to a text costs the same for a hundred short ones at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.structure.characters import BLANK, character_flags, code_points, runs

GROUP_CHARACTERS = 1 << 18
"""Texts are joined in groups of about so many characters: arrays of that length stay in the processor's cache."""


class JoinedTexts:
    r"""Texts one behind the other, with a line end behind each.

    A line end parts words and nothing joins across it, so that what is found in the joined text is what would be
    found in each text alone. It also makes room for the place at the end of each text.

    Attributes
    ----------
    text : str
        The joined text.
    edges : int64 (t + 1,)
        Text i is ``text[edges[i] : edges[i + 1] - 1]``.

    Examples
    --------
    >>> joined = JoinedTexts(["甲乙", "", "丙"])
    >>> joined.text, joined.edges.tolist()
    ('甲乙\n\n丙\n', [0, 3, 4, 6])
    >>> [found.tolist() for found in joined.parted(np.array([[0, 2], [4, 5]]))]
    [[[0, 2]], [], [[0, 1]]]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join([*texts, ""])
        self.edges: IntArray = np.cumsum([0, *(len(text) + 1 for text in texts)], dtype=np.int64)

    @cached_property
    def points(self) -> NDArray[np.uint32]:
        """The code points of the joined text."""
        return code_points(self.text)

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """What the characters of the joined text are."""
        return character_flags(self.points)

    def views(self, array: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
        """Cut an array with an entry for each place into those of the texts; n characters have n + 1 places."""
        return [array[start:end] for start, end in pairwise(self.edges.tolist())]

    def parted(self, spans: SpanArray) -> list[SpanArray]:
        """Give the spans in each text, counted from its start, of spans in order that lie in one text each."""
        bounds = np.searchsorted(spans[:, 0], self.edges).tolist()
        starts = self.edges.tolist()
        return [spans[low:high] - start for (low, high), start in zip(pairwise(bounds), starts, strict=False)]


def blank_runs(texts: JoinedTexts) -> list[SpanArray]:
    r"""Give for each text the longest runs of blank characters: categories Z, Cc and Cf.

    Returns
    -------
    list of int64 (n, 2)
        Spans in code points, in order; no two touch.

    Examples
    --------
    >>> [found.tolist() for found in blank_runs(JoinedTexts(["  甲\u3000\n乙\u200b", " "]))]
    [[[0, 2], [3, 5], [6, 7]], [[0, 1]]]
    """
    is_blank = (texts.flags & BLANK) != 0
    is_blank[texts.edges[1:] - 1] = False
    return texts.parted(runs(is_blank))


def groups(lengths: Iterable[int], characters: int) -> Iterator[range]:
    """Part texts of some lengths into runs of about so many characters, at least one text each.

    Examples
    --------
    >>> list(groups([3, 1, 2], 4))
    [range(0, 2), range(2, 3)]
    """
    start = behind = held = 0
    for length in lengths:
        behind += 1
        held += length
        if held >= characters:
            yield range(start, behind)
            start, held = behind, 0
    if start < behind:
        yield range(start, behind)
