"""Where the pieces that a splitter made of a text really lie in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkscope.chunkers.pieces import EXACT, NORMALISED, NOT_FOUND, PREPENDED
from chunkscope.spans.intervals import BoolArray, IntArray, Span, SpanArray
from chunkscope.splitters.chains import Placed
from chunkscope.splitters.changes import changes
from chunkscope.splitters.heads import Head
from chunkscope.splitters.normal_form import FULL_STOPS, ReducedForm, vanishing
from chunkscope.splitters.texts import Texts
from chunkscope.splitters.walk import Body, Walk

_UNIT = re.compile(r"\r\n|.", re.DOTALL)


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
        settles repeats; so it is where the piece ends with that text behind something else. Else it is ignored.

    Examples
    --------
    >>> found = align("one. two. one. three.", ["one.", "two.", "one. three."])
    >>> found.spans.tolist()
    [[0, 4], [5, 9], [10, 21]]
    """
    walk = Walk(Texts(text), pieces)
    walk.go(claimed)
    walk.settle()
    return _alignment(walk)


def _alignment(walk: Walk) -> Alignment:
    """Put down what the walk has found."""
    count = len(walk.pieces)
    starts, ends = [0] * count, [0] * count
    kinds, ambiguous = bytearray([NOT_FOUND]) * count, bytearray(count)
    changed: list[tuple[str, ...]] = [()] * count
    heads: dict[int, Head] = {}
    for chain in walk.chains:
        for placed in chain.placed:
            number = placed.number
            # where nothing but white space stands does not matter
            ambiguous[number] = placed.is_ambiguous and not placed.needle.isspace()
            if isinstance(placed.form, ReducedForm):
                start, end, kinds[number], changed[number] = _reduced(walk, placed)
                if kinds[number] == PREPENDED:
                    heads[number] = walk.bodies[number].head
            else:
                start, kinds[number] = placed.low, EXACT
                end = start + len(placed.needle)
                if number in walk.bodies:  # a claim that is true for the body
                    kinds[number], heads[number] = PREPENDED, walk.bodies[number].head
            starts[number], ends[number] = start, end
    in_order = sorted(heads.items())
    prefixes = np.zeros(count, dtype=np.int64)
    prefixes[list(heads)] = [head.prefix for head in heads.values()]
    owners = [number for number, head in in_order for _ in head.prepended]
    prepended = [span for _, head in in_order for span in head.prepended]
    return Alignment(
        spans=np.array([starts, ends], dtype=np.int64).T.copy(),
        kinds=np.frombuffer(kinds, dtype=np.uint8),
        changes=tuple(changed),
        ambiguous=np.frombuffer(ambiguous, dtype=np.bool_),
        owners=np.array(owners, dtype=np.int64),
        prepended=np.array(prepended, dtype=np.int64).reshape(-1, 2),
        prefixes=prefixes,
    )


def _reduced(walk: Walk, placed: Placed) -> tuple[int, int, int, tuple[str, ...]]:
    """Give span, kind and changes of a piece that was found in a form of the text."""
    text, piece, form = walk.texts.text, walk.pieces[placed.number], placed.form
    body = walk.bodies.get(placed.number) or Body(0, len(piece), Head((), 0, 0))
    own, rest = piece[body.start : body.end], piece[body.end :].strip()
    start, end = _widened(text, placed.start(placed.low), placed.end(placed.low), *_edges(own, form.name))
    passage = text[start:end]
    found = () if passage == own else changes(passage, own)
    if rest:
        found += ("final full stop" if rest in FULL_STOPS else "text behind",)
    if body.head.prepended or body.head.prefix:
        return start, end, PREPENDED, found
    return start, end, EXACT if passage == piece else NORMALISED, found


def _widened(text: str, start: int, end: int, lead: str, trail: str) -> Span:
    """Take in what a form leaves out at both ends of a body, as far as text and piece are alike."""
    before = _units(text[max(0, start - 2 * len(lead)) : start])
    start -= _shared(_units(lead)[::-1], before[::-1])
    end += _shared(_units(trail), _units(text[end : end + 2 * len(trail)]))
    return start, end


def _edges(body: str, name: str) -> tuple[str, str]:
    """Give what a form leaves out at both ends of a body."""
    if name == "letters":
        form = ReducedForm(body, name)
        return body[: form.start(0)], body[form.end(len(form.text)) :]
    lead, trail = vanishing().match(body), vanishing().match(body[::-1])
    return (lead.group() if lead else ""), (trail.group()[::-1] if trail else "")


def _units(text: str) -> list[str]:
    return _UNIT.findall(text)


def _shared(edge: list[str], text: list[str]) -> int:
    """Count the characters of the text that begin it as an edge begins.

    A line end is one, however it is written; white space that only one of them has is passed over.
    """
    length = passed = 0
    place = 0
    for ours in edge:
        while place < len(text) and not _is_alike(ours, text[place]) and not ours.isspace() and text[place].isspace():
            passed += len(text[place])
            place += 1
        if place < len(text) and _is_alike(ours, text[place]):
            length += passed + len(text[place])
            place, passed = place + 1, 0
        elif not ours.isspace():
            break
    return length


def _is_alike(ours: str, theirs: str) -> bool:
    return ours == theirs or (ours[0] in "\r\n" and theirs[0] in "\r\n")
