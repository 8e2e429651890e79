"""What becomes of the evidence of one question, in words."""

from __future__ import annotations

from chunkscope.grid.passages import Part, Passage
from chunkscope.language import Text, say

MOST_PARTS = 6
"""So many chunks are named; a text in small chunks may be in hundreds."""


def needed_told(n: int, *, any_is_enough: bool) -> Text:
    """Say how many of its passages a question needs.

    Examples
    --------
    >>> str(needed_told(2, any_is_enough=True))
    'Any one of its 2 passages is enough.'
    """
    if n < 2:
        return say("It needs one passage.")
    if any_is_enough:
        return say("Any one of its {n:,} passages is enough.", n=n)
    return say("It needs all of its {n:,} passages.", n=n)


def passage_told(passage: Passage) -> list[Text]:
    """Say which chunks hold which part of a passage, and what that comes to, a sentence each.

    Examples
    --------
    >>> halves = (Part(4, 0, 30, 270, 0), Part(5, 30, 42, 0, 288))
    >>> [str(one) for one in passage_told(Passage(None, None, (0, 42), halves, 0))]
    ['No chunk holds all 42 characters: chunk 4 the first 30, chunk 5 the last 12.']
    >>> whole = (Part(4, 0, 42, 120, 96),)
    >>> [str(one) for one in passage_told(Passage(None, None, (0, 42), whole, 0))]
    ['Chunk 4 holds it whole, with 120 characters before it and 96 behind.']
    """
    whole = passage.whole
    told = [
        say(
            "Chunk {n} holds it whole, with {before:,} {before:character|characters} before it and {after:,} behind.",
            n=part.chunk,
            before=part.before,
            after=part.after,
        )
        for part in whole
    ]
    if not whole and passage.parts:
        parts = [_part(part, passage.length) for part in passage.parts[:MOST_PARTS]]
        if more := len(passage.parts) - MOST_PARTS if len(passage.parts) > MOST_PARTS else 0:
            parts.append(say("{n:,} more {n:chunk|chunks} the rest", n=more))
        told.append(
            say("No chunk holds all {n:,} {n:character|characters}: {parts:, }.", n=passage.length, parts=parts)
        )
    if passage.n_missing:
        told.append(say("{n:,} of its {n:character is|characters are} in no chunk.", n=passage.n_missing))
    return [*told, *(say("Header lost: {text}.", text=text) for text in passage.lost)]


def _part(part: Part, length: int) -> Text:
    n = part.behind - part.first
    if not part.first:
        return say("chunk {chunk} the first {n:,}", chunk=part.chunk, n=n)
    if part.behind == length:
        return say("chunk {chunk} the last {n:,}", chunk=part.chunk, n=n)
    return say("chunk {chunk} {n:,} from character {first:,} on", chunk=part.chunk, n=n, first=part.first + 1)
