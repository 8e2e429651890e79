"""Where the pieces that a splitter made of a text really lie in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkscope.spans.intervals import BoolArray, IntArray, Span, SpanArray

EXACT, NORMALISED, PREPENDED, NOT_FOUND = range(4)


@dataclass(frozen=True)
class Alignment:
    """The place of each piece in its text.

    Attributes
    ----------
    spans : int64 (p, 2)
        The body of each piece; ``[0, 0)`` where it was not found.
    kinds : uint8 (p,)
        Places in `chunkscope.chunkers.pieces.PIECE_KINDS`: exact, normalised, prepended, not found.
    changes : tuple of tuple of str
        How each piece differs from its span: "white space", "line ends", "NFC", ...; none where it is exact.
    ambiguous : bool (p,)
        The piece fits several places, and neither order nor neighbours nor claims decide; `spans` has the first one.
    owners : int64 (r,)
        The piece that each of `prepended` stands in front of; never falls.
    prepended : int64 (r, 2)
        Spans of the text that are repeated in front of a piece's body.
    prefixes : int64 (p,)
        How many characters in front of the body are no text of the document.
    """

    spans: SpanArray
    kinds: NDArray[np.uint8]
    changes: tuple[tuple[str, ...], ...]
    ambiguous: BoolArray
    owners: IntArray
    prepended: SpanArray
    prefixes: IntArray


def align(text: str, pieces: Sequence[str], claimed: Sequence[Span | None] | None = None) -> Alignment:
    """Find the true span of each piece of a text.

    Parameters
    ----------
    text : str
        A document.
    pieces : sequence of str
        What a splitter made of it, in its order; they may overlap.
    claimed : sequence of (int, int) or None, optional
        The span that the splitter gives for each piece. Where the text there equals the piece, it is the span, and
        settles repeats; else it is ignored.

    Examples
    --------
    >>> found = align("one. two. one. three.", ["one.", "two.", "one. three."])
    >>> found.spans.tolist()
    [[0, 4], [5, 9], [10, 21]]
    """
    spans = np.zeros((len(pieces), 2), dtype=np.int64)
    kinds = np.full(len(pieces), NOT_FOUND, dtype=np.uint8)
    ambiguous = np.zeros(len(pieces), dtype=np.bool_)
    claims = claimed if claimed is not None else [None] * len(pieces)
    last, reach = -1, 0
    for number, (piece, claim) in enumerate(zip(pieces, claims, strict=True)):
        if not piece:
            continue
        if claim is not None and 0 <= claim[0] < claim[1] and text[claim[0] : claim[1]] == piece:
            place = claim[0]
        else:
            place = reach if text.startswith(piece, reach) else text.find(piece, last + 1)
        if place >= 0:
            spans[number] = place, place + len(piece)
            kinds[number] = EXACT
            last, reach = place, place + len(piece)
    return Alignment(
        spans=spans,
        kinds=kinds,
        changes=((),) * len(pieces),
        ambiguous=ambiguous,
        owners=np.empty(0, dtype=np.int64),
        prepended=np.empty((0, 2), dtype=np.int64),
        prefixes=np.zeros(len(pieces), dtype=np.int64),
    )
