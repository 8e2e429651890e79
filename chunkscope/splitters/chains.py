"""Which places pieces have that follow one another: repeats are resolved by order and by what would be left out.

A *chain* is a run of pieces that leave nothing out: each starts behind the start of the one before it, and no later
than where that one ends, white space aside. A piece that is repeated fits several places. If one assignment of places
takes the earlier place for some pieces and another one for others, then taking the earlier place for all is an
assignment too, and so is the later: assignments are a lattice. So the first and the last possible place of each piece
say everything: where they are one, the piece can be nowhere else, and where they are not, nothing decides.

Twin: tests/oracle/alignment.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunkscope.splitters.normal_form import Form, vanishing

_ROUNDS = 8  # narrowing back and forth; two do, but for texts made to need more
_WIDE = 1 << 11  # characters at either end of a range
_INSIDE = 8  # pieces in which another may lie


@dataclass(slots=True)
class Placed:
    """A piece, or the body of one, with the first and the last place that it may have.

    Attributes
    ----------
    number : int
        Which piece.
    piece : str
        Its own text.
    form : Form
        In which it stands.
    needle : str
        What stands there.
    low, high : int
        Places in the form.
    is_pinned : bool
        The splitter's own offset says so.
    is_ambiguous : bool
        Nothing decides between several places.
    """

    number: int
    piece: str
    form: Form
    needle: str
    low: int
    high: int
    is_pinned: bool = False
    is_ambiguous: bool = False

    def start(self, place: int) -> int:
        """Give the offset of the text where the piece starts at a place."""
        return self.form.start(place)

    def end(self, place: int) -> int:
        """Give the offset of the text where the piece ends at a place."""
        return self.form.end(place + len(self.needle))

    def first(self, start: int, last: int) -> int:
        """Give the first place that starts in a range of offsets, -1 where there is none."""
        return self.form.first(self.needle, self.form.place(start), self.form.place(last + 1) - 1)

    def last(self, start: int, last: int) -> int:
        """Give the last place that starts in a range of offsets, -1 where there is none."""
        return self.form.last(self.needle, self.form.place(start), self.form.place(last + 1) - 1)

    def least_behind(self, other: Placed) -> int:
        """Say how much farther on than another it must start: two of one text are never the same."""
        return int(self.piece == other.piece)


class Blanks:
    """Runs of characters that vanish in a normal form: no piece has to hold them.

    Examples
    --------
    >>> blanks = Blanks("one  two")
    >>> blanks.behind(3), blanks.behind(4), blanks.before(5), blanks.before(2)
    (5, 5, 3, 2)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._match = vanishing().match
        self._run = self._run_before = (0, 0)

    def behind(self, offset: int) -> int:
        """Give the end of the run that starts at an offset."""
        start, end = self._run
        if start <= offset < end:
            return end
        match = self._match(self._text, offset)
        if match is None:
            return offset
        self._run = match.span()
        return match.end()

    def before(self, offset: int) -> int:
        """Give the start of the run that ends at an offset."""
        start, end = self._run_before
        if start < offset <= end:
            return start
        width = 64
        while True:
            part = self._text[max(0, offset - width) : offset][::-1]
            match = self._match(part)
            length = match.end() if match else 0
            if length < len(part) or len(part) < width:
                self._run_before = offset - length, offset
                return offset - length
            width *= 8


@dataclass
class Chain:
    """Pieces that leave nothing out between them.

    Attributes
    ----------
    floor : int
        Where what stands before the chain ends.
    reach : int
        How far it reaches at most, with the white space behind.
    placed : list of Placed
    behind : int or None
        Where the piece starts that follows, if it follows farther on.
    """

    floor: int
    reach: int
    placed: list[Placed] = field(default_factory=list)
    behind: int | None = None

    def lowest(self, piece: str) -> int:
        """Give the offset before which a piece that comes next cannot start."""
        if not self.placed:
            return 0
        last = self.placed[-1]
        return last.form.start(last.low) + (piece == last.piece)

    def within(self, piece: str, form: Form, needle: str) -> tuple[int, int] | None:
        """Give the first and the last place where a piece leaves nothing out.

        Of a very wide range only both ends are looked at: else each piece that is nowhere would cost all of it.
        """
        low, high = form.place(self.lowest(piece)), form.place(self.reach)
        width = _WIDE + 8 * len(needle)
        if high - low > 2 * width:
            ends = form.first(needle, low, low + width), form.last(needle, high - width, high)
            places = [place for place in ends if place >= 0]
            return (places[0], places[-1]) if places else None
        first = form.first(needle, low, high)
        if first < 0 or first == high:
            return None if first < 0 else (first, first)
        return first, max(first, form.last(needle, first + 1, high))

    def append(self, piece: Placed, blanks: Blanks) -> None:
        """Let a piece follow."""
        if self.placed:
            before = self.placed[-1]
            # where the piece before was thought to reach too far, it does not reach there
            if before.high != before.low and before.start(before.high) > piece.start(piece.high):
                self.reach = blanks.behind(before.end(before.low))
        end = piece.end(piece.high)
        if end > self.reach:
            self.reach = blanks.behind(end)
        self.placed.append(piece)

    def give_up_slack(self) -> None:
        """Take the last piece as far on as can be, if it reaches farther there: what follows does not continue it."""
        if not self.placed or self.placed[-1].low == self.placed[-1].high:
            return
        last, before = self.placed[-1], self.placed[-1 - _INSIDE : -1]
        end = last.end(last.high)
        if end > max((piece.end(piece.low) for piece in before), default=self.floor):
            last.low = last.high
            last.is_ambiguous |= any(
                piece.end(piece.high) >= end and len(piece.needle) > len(last.needle) for piece in before
            )

    def settle(self, blanks: Blanks) -> None:
        """Narrow the places of all pieces to what order allows."""
        self.give_up_slack()
        if all(piece.low == piece.high for piece in self.placed):
            return
        for _ in range(_ROUNDS):
            is_narrower = self._narrow_back(blanks)
            if not (self._narrow_on(blanks) or is_narrower):
                break
        for piece in self.placed:
            piece.is_ambiguous |= piece.low != piece.high

    def _narrow_back(self, blanks: Blanks) -> bool:
        """Let each piece start before the next one, and reach it."""
        changed = False
        reaches = self._reaches(lambda piece: piece.end(piece.low))
        for number in range(len(self.placed) - 2, -1, -1):
            piece, following = self.placed[number], self.placed[number + 1]
            if piece.low == piece.high:
                continue
            limit = following.start(following.high) - following.least_behind(piece)
            if piece.start(piece.high) > limit:
                piece.high = max(piece.low, piece.last(piece.start(piece.low), limit))
                changed = True
            start = following.start(following.low)
            if max(blanks.behind(reaches[number]), blanks.behind(piece.end(piece.low))) < start:
                needed = piece.form.place(blanks.before(start)) - len(piece.needle)
                place = piece.form.first(piece.needle, max(piece.low + 1, needed), piece.high)
                piece.low = place if place >= 0 else piece.high
                changed = True
        return changed

    def _narrow_on(self, blanks: Blanks) -> bool:
        """Let each piece start behind the one before it, and no later than it reaches."""
        changed = False
        reaches = self._reaches(lambda piece: blanks.behind(piece.end(piece.high)))
        for number in range(1, len(self.placed)):
            before, piece = self.placed[number - 1], self.placed[number]
            if piece.low == piece.high:
                continue
            least = before.start(before.low) + piece.least_behind(before)
            if piece.start(piece.low) < least:
                place = piece.form.first(piece.needle, piece.form.place(least), piece.high)
                piece.low = place if place >= 0 else piece.high
                changed = True
            if piece.start(piece.high) > reaches[number]:
                piece.high = max(piece.low, piece.last(piece.start(piece.low), reaches[number]))
                changed = True
        return changed

    def _reaches(self, end: Callable[[Placed], int]) -> list[int]:
        """Give how far the pieces before each reach, and all of them."""
        reaches = [self.floor]
        for piece in self.placed:
            reaches.append(max(reaches[-1], end(piece)))
        return reaches

    def pull(self, behind: int, gap: Callable[[int, int], int], blanks: Blanks) -> None:
        """Move the last pieces towards what follows, where less is left out then.

        Where as much is left out they stay, and nothing decides.

        Parameters
        ----------
        behind : int
            Where what follows starts.
        gap : callable
            Gives how many characters are left out between two offsets.
        """
        if self.reach >= behind:
            return
        self.give_up_slack()
        reaches = self._reaches(lambda piece: piece.end(piece.high))
        if not self.placed or not gap(reaches[-1], behind):
            return
        places = self._farther_on(behind, blanks)
        if not places:
            return
        first = len(self.placed) - len(places)
        # what is left out where the chain parts before each piece that can move; before the first, all move
        head = gap(self.floor, self.placed[0].start(self.placed[0].low))
        tail = gap(self.placed[-1].end(places[-1]), behind)
        costs = [
            gap(reaches[number], self.placed[number].start(place)) + tail + (head if number else 0)
            for number, place in enumerate(places, first)
        ]
        stay, least = head + gap(reaches[-1], behind), min(costs)
        alike = [number for number, cost in enumerate(costs, first) if cost == least]
        if least > stay:
            return
        parted = alike[-1] if least < stay else len(self.placed)
        for number in range(alike[0], parted):
            self.placed[number].is_ambiguous = True
        for number in range(parted, len(self.placed)):
            piece = self.placed[number]
            piece.low = piece.high = places[number - first]
        if parted == len(self.placed) - 1:
            self._move_first(reaches[parted], behind, gap)

    def _move_first(self, reach: int, behind: int, gap: Callable[[int, int], int]) -> None:
        """Let the last piece, which has moved, stand at the first place of those that are as good."""
        piece = self.placed[-1]
        place = piece.first(reach, piece.start(piece.low))
        if 0 <= place < piece.low:
            before, now = (
                gap(reach, piece.start(at)) + gap(max(reach, piece.end(at)), behind) for at in (place, piece.low)
            )
            if before <= now:
                piece.low = piece.high = place
                piece.is_ambiguous = before == now

    def _farther_on(self, behind: int, blanks: Blanks) -> list[int]:
        """Give farther places of the last pieces, which leave nothing out between them, in order."""
        places: list[int] = []
        limit = behind
        for piece in reversed(self.placed):
            form, needle = piece.form, piece.needle
            low, high = form.place(piece.start(piece.high) + 1), form.place(limit) - 1
            reaching = form.place(blanks.before(limit)) - len(needle)
            place = -1
            if not piece.is_pinned and not places:
                place = form.last(needle, low, min(reaching, high))
            if not piece.is_pinned and place < 0:
                place = form.first(needle, max(low, reaching), high)
            if place < 0:
                break
            places.append(place)
            limit = piece.start(place)
        return places[::-1]
