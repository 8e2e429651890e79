"""Why a piece is found nowhere in its document, as far as that can be seen."""

from __future__ import annotations

from collections.abc import Callable

from chunkscope.splitters.normal_form import BROKEN
from chunkscope.splitters.texts import Texts

TORN, JOINED, CHANGED, FOREIGN = "no whole character", "passages joined", "changed", "other text"
REASONS = (TORN, JOINED, CHANGED, FOREIGN)
"""It holds no whole character; it is two passages of the document with text between them left out; it begins or ends as
a passage does, and goes on otherwise; nothing of it stands in the document."""

SHORTEST_PASSAGE = 4
"""Letters: fewer stand anywhere."""
LEAST_SHARE = 2
"""One character in so many must be those of a passage."""


def why_not_found(texts: Texts, piece: str) -> str:
    """Say why a piece is not in a text.

    Parameters
    ----------
    texts : Texts
        The forms of the document.
    piece : str
        Found nowhere in it.

    Returns
    -------
    str
        One of `REASONS`.

    Examples
    --------
    >>> texts = Texts("The limit is 12,000 yen a night. Claims come within three days.")
    >>> [why_not_found(texts, piece) for piece in ("The limit is three days.", "The limit is 9 pence.", "Nothing!")]
    ['passages joined', 'changed', 'other text']
    """
    form = texts.letters
    letters = form.reduce(piece.replace(BROKEN, ""))
    if not letters:
        return TORN
    head = _longest(len(letters), lambda n: letters[:n] in form.text)
    tail = _longest(len(letters), lambda n: letters[len(letters) - n :] in form.text)
    if head + tail >= len(letters) and min(head, tail) >= SHORTEST_PASSAGE:
        return JOINED
    return CHANGED if LEAST_SHARE * (head + tail) >= len(letters) else FOREIGN


def _longest(most: int, is_there: Callable[[int], bool]) -> int:
    """Give the largest number for which something holds that holds for all smaller ones, by halving."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_there(middle) else (low, middle - 1)
    return low
