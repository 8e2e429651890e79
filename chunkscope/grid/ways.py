"""The ways of cutting that are compared where none is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from chunkscope.chunkers import Chunker, parse_chunker
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, Grid, Overlap, parse_sizes
from chunkscope.structure.characters import BLANK, JAPANESE, character_flags, code_points
from chunkscope.structure.units import is_here

DEFAULT_WAYS = ("fixed", "recursive", "sentence", "heading(merge=true)", "heading", "token")
"""``heading`` makes whole sections too."""
FOR_JAPANESE = {"recursive": "recursive(separators=cjk)"}
"""Ways that have settings for Japanese and Chinese: compared beside the others where documents are that."""
JAPANESE_SHARE = 0.1
"""From this share of kana and kanji on, among all characters but blanks, documents are Japanese or Chinese."""
SAMPLED_DOCUMENTS, SAMPLED_CHARACTERS = 64, 2000
"""About so many documents are looked at, and so much of each."""
CHARACTERS_OF_A_TOKEN = 4
"""Default sizes in tokens are those in characters over this."""


def available_ways(documents: Corpus | Sequence[Document] = ()) -> tuple[tuple[Chunker, ...], tuple[str, ...]]:
    """Give the default ways of cutting documents, and those that are left out because their vocabulary is not here.

    Examples
    --------
    >>> [str(chunker) for chunker in available_ways()[0]][:3]
    ['fixed', 'recursive', 'sentence']
    >>> [str(chunker) for chunker in available_ways([Document("a.md", "日本語の文書。")])[0]][:3]
    ['fixed', 'recursive', 'recursive(separators=cjk)']
    """
    found, missing = [], []
    further = FOR_JAPANESE if are_japanese(documents) else {}
    names = [name for way in DEFAULT_WAYS for name in (way, further.get(way)) if name]
    for way in map(parse_chunker, names):
        if is_here(way.unit):
            found.append(way)
        else:
            missing.append(str(way))
    return tuple(found), tuple(missing)


def are_japanese(documents: Corpus | Sequence[Document]) -> bool:
    """Tell by a sample whether documents are Japanese or Chinese: kana and kanji are a tenth of what is seen.

    Examples
    --------
    >>> [are_japanese([Document("a.md", text)]) for text in ("Backup: 毎日", "A backup of 東京 runs daily.")]
    [True, False]
    """
    sampled = Corpus.of(documents).sample(SAMPLED_DOCUMENTS)
    sample = "".join(document.text[:SAMPLED_CHARACTERS] for document in sampled)
    flags = character_flags(code_points(sample))
    n_japanese, n_seen = np.count_nonzero(flags & JAPANESE), np.count_nonzero(~flags & BLANK)
    return bool(n_seen and n_japanese >= JAPANESE_SHARE * n_seen)


def grid_of_ways(
    chunkers: Sequence[Chunker],
    sizes: str | int | Iterable[int] | None,
    overlaps: str | int | Iterable[int | str | Overlap],
) -> Grid:
    """Set the default ways to sizes and overlaps; without sizes, each to its default ones.

    Examples
    --------
    >>> grid = grid_of_ways(available_ways()[0], None, "0")
    >>> [(str(row.chunker), len(row)) for row in grid.rows][:4]
    [('fixed', 19), ('recursive', 19), ('sentence', 19), ('heading(merge=true)', 19)]
    """
    if sizes is None:
        default = parse_sizes(DEFAULT_SIZES)
        in_tokens = [size // CHARACTERS_OF_A_TOKEN for size in default]
        parts = [Grid.of(one, in_tokens if one.unit not in ("char", "word") else default, overlaps) for one in chunkers]
    else:
        sizes = sizes if isinstance(sizes, str | int) else list(sizes)
        overlaps = overlaps if isinstance(overlaps, str | int) else list(overlaps)
        parts = [Grid.of(one, sizes, overlaps) for one in chunkers]
    # without a size there is nothing to merge sections up to: those are whole sections
    rows = [
        row for part in parts for row in part.rows if row.sizes is not None or not getattr(row.chunker, "merge", False)
    ]
    skipped = dict.fromkeys(pair for part in parts for pair in part.skipped)
    return Grid(tuple(rows), tuple(skipped), parts[0].overlaps)


def default_grid(
    sizes: str | int | Iterable[int] | None = None,
    overlaps: str | int | Iterable[int | str | Overlap] = DEFAULT_OVERLAPS,
    documents: Corpus | Sequence[Document] = (),
) -> Grid:
    """Give the grid of a sweep over documents for which no way of cutting is named."""
    return grid_of_ways(available_ways(documents)[0], sizes, overlaps)
