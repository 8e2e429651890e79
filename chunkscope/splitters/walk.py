"""The walk through the pieces: each is placed where the one before it leads, else not far behind, else anywhere."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from chunkscope.spans.intervals import Span
from chunkscope.splitters.anchors import Segment
from chunkscope.splitters.chains import Chain, Placed
from chunkscope.splitters.heads import Head, Heads
from chunkscope.splitters.normal_form import FULL_STOPS, Form, ReducedForm, normal_form, vanishing
from chunkscope.splitters.texts import Texts

NEAR = 4096
"""Characters that may be left out between a piece and the next before the whole text is asked."""

_FRONTS = 3  # places at which pieces may go on: text, and notes or tables that come in between
_CANDIDATES = 16  # places of which the next piece chooses
_NEXT = 32  # characters of the next piece that tell whether a place is the right one
_FEWEST_LETTERS = 4  # where there are fewer, what punctuation says is not overlooked
_FEW = 8
_HEAD_LINES = 16  # lines that may stand in front of a body
_SHORTEST_BODY = 12
_TELLING_BODY = 12  # characters of a body that tell its place, though most of the piece is from elsewhere
_BACK = 8
_REST = 3  # characters that a splitter may add behind a body
_EDIT = 32  # characters that may differ inside a body
_NARROW = 1 << 12  # characters that are looked through without a thought
_LINE_END = re.compile(r"[\r\n]+")
# what is alike by chance in front of a body: before it, a sentence ends here as it does in the text
_SENTENCE_END = re.compile(r"\w{0,2}(?:[.:!?)>\"']{1,2}\s|[。．：！？）」』]|[\r\n])\s*(?=\S)")


class Body(NamedTuple):
    """The part of a piece that is placed, and what stands in front of it.

    Attributes
    ----------
    start, end : int
        Offsets in the piece.
    head : Head
    """

    start: int
    end: int
    head: Head


class Walk:
    """Places the pieces of a text, one after the other.

    Parameters
    ----------
    texts : Texts
    pieces : sequence of str

    Attributes
    ----------
    chains : list of Chain
        What has been placed.
    fronts : list of Chain
        Those that may go on, the latest first.
    bodies : dict of int to Body
        The pieces of which only a part has been placed.
    """

    def __init__(self, texts: Texts, pieces: Sequence[str]) -> None:
        self.texts = texts
        self.pieces = pieces
        first = Chain(floor=0, reach=texts.blanks.behind(0))
        self.chains = [first]
        self.fronts = [first]
        self.bodies: dict[int, Body] = {}
        self._heads = Heads(texts)
        self._head = ""
        self._head_lines = 0

    def go(self, claimed: Sequence[Span | None] | None) -> None:
        """Place all pieces for which there is a place.

        Parameters
        ----------
        claimed : sequence of (int, int) or None
            The span that the splitter gives for each piece, if it gives one.
        """
        number = 0
        while number < len(self.pieces):
            number = self._follow_as_slices(number) if claimed is None else number
            if number == len(self.pieces):
                break
            claim, piece = claimed[number] if claimed is not None else None, self.pieces[number]
            if piece and not (claim is not None and self._pin(number, *claim)):
                self._search(number)
            number += 1

    def _follow_as_slices(self, number: int) -> int:
        """Place the pieces that are slices, each where the one before it leads; give the first that is none.

        Most pieces of most splitters are such, so nothing is done here that they do not need.
        """
        chain, plain, find = self.fronts[0], self.texts.plain, self.texts.text.find
        for at in range(number, len(self.pieces)):
            piece = self.pieces[at]
            length, reach = len(piece), chain.reach
            least = chain.lowest(piece)
            if reach - least > _NARROW:
                places = chain.within(piece, plain, piece) if length else None
                low, high = places or (-1, -1)
            else:
                low = high = find(piece, least, reach + length)
                if 0 <= low < reach and find(piece, low + 1, reach + length) >= 0:
                    high = plain.last(piece, low + 1, reach)
            if low < 0 or not length:
                return at
            chain.append(Placed(at, piece, plain, piece, low, high), self.texts.blanks)
        return len(self.pieces)

    def settle(self) -> None:
        """Decide what order and neighbours decide."""
        texts = self.texts
        last = self.fronts[0]
        if last.reach == max(chain.reach for chain in self.fronts):
            last.behind = len(texts.text)
        for chain in self.chains:
            if chain.behind is not None:
                chain.pull(chain.behind, texts.left_out, texts.blanks)
            chain.settle(texts.blanks)

    def _pin(self, number: int, start: int, end: int) -> bool:
        """Place a piece where it is claimed to be, if it stands there, or its body does."""
        piece, passage = self.pieces[number], self.texts.text[start:end] if 0 <= start < end else ""
        cut = len(piece) - len(passage)
        if not passage or not piece.endswith(passage) or (cut and not self._is_body(piece[:cut], passage, start)):
            return False
        placed = Placed(number, piece, self.texts.plain, passage, start, start, is_pinned=True)
        if cut:
            self._keep(placed, Body(cut, len(piece), self._heads.read(piece[:cut], start)))
        self._pin_to_front(placed, start)
        return True

    def _is_body(self, head: str, passage: str, start: int) -> bool:
        """Tell whether a passage is all of a body: what stands in front of it in the piece does not in the text."""
        before = self.texts.text[max(0, start - 4 * _BACK) : start]
        ends = [normal_form(text[-4 * _BACK :])[-_BACK:] for text in (head, before)]
        return len(normal_form(passage)) >= _TELLING_BODY and ends[0] not in ("", ends[1])

    def _pin_to_front(self, placed: Placed, start: int) -> None:
        for chain in self.fronts:
            if chain.lowest(placed.piece) <= start <= chain.reach:
                self._continue(chain, placed)
                return
        self._begin(placed, self.fronts[0])

    def _search(self, number: int) -> None:
        """Place a piece that is no slice where the one before it leads: as a whole, else its body."""
        texts, piece = self.texts, self.pieces[number]
        whole = texts.normal.reduce(piece)
        if not whole or self._stand_whole(number, whole):
            return
        found = texts.letters.reduce(piece)
        is_enough = len(found) >= _FEWEST_LETTERS
        if is_enough and whole.lower() != whole.upper() and self._stand_in(number, texts.folded):
            return
        if is_enough and self._stand_in(number, texts.letters):
            return
        if not self._stand_without_head(number, texts.normal, whole) and is_enough:
            self._stand_without_head(number, texts.letters, found)

    def _stand_whole(self, number: int, whole: str) -> bool:
        """Place a piece as it is, or in normal form, perhaps without its last full stop."""
        plain, normal, piece = self.texts.plain, self.texts.normal, self.pieces[number]
        # a few characters stand everywhere if white space between them does not count
        is_short = len(whole) < _FEW
        return (
            self._follow(number, [(plain, piece)])
            or (is_short and not self._leads_on(number, normal, whole) and self._stand_later(number, plain, piece))
            or self._follow(number, [(normal, whole)])
            or (not is_short and self._drop_full_stop(number, normal, whole))
            or self._end_here()
            # what was put in front of the piece before is looked for first
            or (self._head and self._stand_without_head(number, normal, whole))
            or self._stand_later(number, plain, piece)
            or self._stand_later(number, normal, whole)
            or self._stand_anywhere(number, normal, whole)
            or self._drop_full_stop(number, normal, whole)
        )

    def _stand_without_head(self, number: int, form: ReducedForm, whole: str) -> bool:
        """Place the body of a piece."""
        return self._drop_lines(number, form, whole) or self._stand_in_part(number, form, whole)

    def _stand_in(self, number: int, form: ReducedForm) -> bool:
        """Place a piece in a coarser form."""
        needle = form.reduce(self.pieces[number])
        return (
            self._follow(number, [(form, needle)])
            or self._stand_later(number, form, needle)
            or self._stand_anywhere(number, form, needle)
        )

    def _leads_on(self, number: int, form: Form, needle: str) -> bool:
        """Tell whether a piece can follow so that the next one goes on there."""
        places = self.fronts[0].within(self.pieces[number], form, needle)
        return places is not None and any(self._goes_on(number, form, at, at + len(needle)) for at in set(places))

    def _follow(self, number: int, wanted: Sequence[tuple[Form, str]]) -> bool:
        """Let a piece follow one of the fronts, and leave nothing out."""
        for chain, placed in self._following(number, wanted):
            self._continue(chain, placed)
            return True
        return False

    def _end_here(self) -> bool:
        """Let the fronts end, because what comes does not follow."""
        for chain in self.fronts:
            chain.give_up_slack()
        return False

    def _following(self, number: int, wanted: Sequence[tuple[Form, str]]) -> Iterator[tuple[Chain, Placed]]:
        for chain in self.fronts:
            for form, needle in wanted:
                places = chain.within(self.pieces[number], form, needle)
                if places is None:
                    continue
                placed = Placed(number, self.pieces[number], form, needle, *places)
                # a front that was left is taken up only by what goes on there
                if chain is self.fronts[0] or placed.end(placed.high) > chain.reach:
                    yield chain, placed

    def _stand_later(self, number: int, form: Form, needle: str) -> bool:
        """Place a piece not far behind one of the fronts."""
        for chain in self.fronts:
            low = form.place(chain.reach)
            place = form.first(needle, low, low + NEAR + 2 * len(needle))
            if place >= 0:
                self._begin(Placed(number, self.pieces[number], form, needle, place, place), chain)
                return True
        return False

    def _stand_anywhere(self, number: int, form: Form, needle: str) -> bool:
        """Place a piece wherever it is: farther on, else before."""
        places = self.texts.everywhere(form, needle, form.place(self.fronts[0].reach))
        if not places:
            return False
        piece = self.pieces[number]
        lead = vanishing().match(piece)
        starts = [form.start(place) - (lead.end() if lead else 0) for place in places]
        exact = [start for start in starts if start >= 0 and self.texts.text.startswith(piece, start)]
        if exact:
            form, needle, places = self.texts.plain, piece, exact
        self._begin(self._chosen(number, form, needle, places), self.fronts[0])
        return True

    def _chosen(self, number: int, form: Form, needle: str, places: list[int]) -> Placed:
        """Choose of several places: one ahead, one where the next piece goes on, the first."""
        reach = form.place(self.fronts[0].reach)
        ahead = [place for place in places if place >= reach]
        candidates = (ahead or places)[:_CANDIDATES]
        if len(candidates) > 1:
            followed = [place for place in candidates if self._goes_on(number, form, place, place + len(needle))]
            candidates = followed or candidates
        place = candidates[0]
        return Placed(
            number, self.pieces[number], form, needle, place, place, is_ambiguous=len(candidates) > 1 and not ahead
        )

    def _goes_on(self, number: int, form: Form, start: int, end: int) -> bool:
        """Tell whether the next piece starts in or right behind a place."""
        normal = self.texts.normal
        heads = (normal.reduce(piece[: 4 * _NEXT])[:_NEXT] for piece in self.pieces[number + 1 : number + 1 + _NEXT])
        head = next((head for head in heads if head), "")
        behind = self.texts.blanks.behind(form.end(end))
        return not head or normal.first(head, normal.place(form.start(start) + 1), normal.place(behind)) >= 0

    def _drop_full_stop(self, number: int, form: ReducedForm, whole: str) -> bool:
        """Place a piece without its last full stop: who joins sentences puts one where the text has none."""
        if whole[-1] not in FULL_STOPS or len(whole) < 2:
            return False
        return self._follow(number, [(form, whole[:-1])])

    def _drop_lines(self, number: int, form: ReducedForm, whole: str) -> bool:
        """Let a piece follow without its first lines, or without what stood in front of the one before."""
        piece = self.pieces[number]
        for start in self._line_starts(piece) if self._is_end_near(form, piece) else ():
            needle = form.reduce(piece[start:])
            for chain, placed in self._following(number, [(form, needle)]) if needle else ():
                if self._goes_back(form, placed, whole):
                    continue
                head = self._heads.read(piece[:start], placed.start(placed.high))
                # what is as long as the head before, in lines, is a head again
                is_usual = _n_lines(piece[:start]) == self._head_lines
                least = _FEWEST_LETTERS if is_usual else _TELLING_BODY
                if _is_likely(head, len(needle), len(whole), least):
                    self._keep(placed, Body(start, len(piece), head))
                    self._continue(chain, placed)
                    return True
        return False

    def _is_end_near(self, form: ReducedForm, piece: str) -> bool:
        """Tell whether the end of a piece stands where it would if its body followed one of the fronts."""
        last = _LINE_END.split(piece[-4 * _NEXT :].rstrip())[-1]
        end = form.reduce(last)[-_NEXT:]
        ranges = ((form.place(chain.lowest("")), form.place(chain.reach)) for chain in self.fronts)
        return any(form.text.find(end, low, high + len(piece) + len(end)) >= 0 for low, high in ranges)

    def _goes_back(self, form: ReducedForm, placed: Placed, whole: str) -> bool:
        """Tell whether what stands in front of a body stands there in the text too: then the body is longer."""
        cut, place = len(whole) - len(placed.needle), placed.high
        before = form.text[max(0, place - _BACK) : place]
        return len(before) >= _BACK and whole[:cut].endswith(before)

    def _line_starts(self, piece: str) -> list[int]:
        starts = [match.end() for match in islice(_LINE_END.finditer(piece), _HEAD_LINES)]
        return [len(self._head), *starts] if self._head and piece.startswith(self._head) else starts

    def _stand_in_part(self, number: int, form: ReducedForm, whole: str) -> bool:
        """Place the longest part of a piece that stands in the text, or the last one if it comes next."""
        segments = [_whole(form, some) for some in self._segments(form, whole)]
        segments = [segment for segment in segments if segment.length >= _SHORTEST_BODY]
        if not segments:
            return False
        start, end, place, behind = _joined(self._telling(form, segments), segments)
        piece = self.pieces[number]
        if all(place != form.place(front.reach) for front in self.fronts):
            chance = _by_chance(form, piece, start)
            start, place = start + chance, place + chance
        chain = self._next_to(form, Segment(start, start + behind - place, place))
        head = self._heads.read(piece[: _start_in(form, piece, start)], form.start(place))
        rest = len(whole) - end
        known = end - start + head.repeated + (rest if any(other.end - end > rest // 2 for other in segments) else 0)
        is_next = chain is not None and (rest <= _REST or 2 * known >= len(whole))
        if not (2 * known >= len(whole) or (is_next and end - start >= _TELLING_BODY)):
            return False
        needle = form.text[place:behind]
        placed = Placed(number, self.pieces[number], form, needle, place, place)
        self._keep(placed, Body(_start_in(form, piece, start), _end_in(form, piece, end) if rest else len(piece), head))
        for other, found in self._following(number, [(form, needle)]):
            self._continue(other, found)
            return True
        if chain is None and whole[start:end] == needle:
            places = self.texts.everywhere(form, needle, form.place(self.fronts[0].reach))
            placed = self._chosen(number, form, needle, places or [place])
        self._begin(placed, chain or self.fronts[0])
        return True

    def _telling(self, form: ReducedForm, segments: Sequence[Segment]) -> Segment:
        """Choose the longest part; but where that stands in what has been passed, one that comes next."""
        longest = segments[0]
        if form.end(longest.place + longest.length) > max(chain.reach for chain in self.fronts):
            return longest
        return next((some for some in segments if self._next_to(form, some)), longest)

    def _segments(self, form: ReducedForm, whole: str) -> list[Segment]:
        return self.texts.anchors(form).segments(whole, form.place(self.fronts[0].reach))

    def _next_to(self, form: Form, segment: Segment) -> Chain | None:
        """Give the front that a part of a piece goes on with, or not far behind."""
        start, end = form.start(segment.place), form.end(segment.place + segment.length)
        for chain in self.fronts:
            if chain.lowest("") <= start <= chain.reach + NEAR and end > chain.reach:
                return chain
        return None

    def _keep(self, placed: Placed, body: Body) -> None:
        self.bodies[placed.number] = body
        self._head = self.pieces[placed.number][: body.start]
        self._head_lines = _n_lines(self._head)

    def _continue(self, chain: Chain, placed: Placed) -> None:
        chain.append(placed, self.texts.blanks)
        if chain is not self.fronts[0]:
            self.fronts.remove(chain)
            self.fronts.insert(0, chain)

    def _begin(self, placed: Placed, before: Chain) -> None:
        """Begin a chain: it takes on a front if it stands not far behind it."""
        start = placed.start(placed.low)
        is_ahead = start >= before.reach
        chain = Chain(floor=before.reach if is_ahead else start, reach=0)
        chain.append(placed, self.texts.blanks)
        if is_ahead:
            before.behind = start
            if start <= before.reach + NEAR + 2 * len(placed.needle):
                self.fronts.remove(before)
        self.chains.append(chain)
        self.fronts = [chain, *self.fronts][:_FRONTS]


def _n_lines(head: str) -> int:
    return len(_LINE_END.findall(head))


def _is_likely(head: Head, body: int, whole: int, least: int) -> bool:
    """Tell whether a body is long enough, for what stands in front of it, or for where it stands."""
    known = body + head.repeated
    if body >= least or (not head.prefix and known >= whole and least < whole):
        return True
    return 2 * known >= whole and body >= _SHORTEST_BODY


def _whole(form: ReducedForm, segment: Segment) -> Segment:
    """Leave out characters of the text of which a segment has a part."""
    start, end, place = segment
    behind = place + end - start
    while start < end and not form.is_whole(place, place):
        start, place = start + 1, place + 1
    while start < end and not form.is_whole(behind, behind):
        end, behind = end - 1, behind - 1
    return Segment(start, end, place)


def _start_in(form: ReducedForm, piece: str, place: int) -> int:
    """Give the offset of a piece at which a place of its form begins."""
    return bisect_right(range(len(piece)), place, key=lambda offset: len(form.reduce(piece[:offset]))) - 1


def _end_in(form: ReducedForm, piece: str, place: int) -> int:
    """Give the offset of a piece at which what stands before a place of its form ends."""
    return bisect_left(range(len(piece)), place, key=lambda offset: len(form.reduce(piece[:offset])))


def _by_chance(form: ReducedForm, piece: str, start: int) -> int:
    """Count the characters with which a body seems to begin, but which end the sentence before it."""
    offset = _start_in(form, piece, start)
    chance = _SENTENCE_END.match(piece, offset) if start and not piece[offset - 1].isspace() else None
    return len(form.reduce(chance.group())) if chance else 0


def _joined(part: Segment, segments: Sequence[Segment]) -> tuple[int, int, int, int]:
    """Join a part of a piece with others on both sides, but for small edits: its range, and that of the text."""
    start, end, place = part
    behind = place + part.length
    for other in sorted(segments):
        if 0 <= other.start - end <= _EDIT and 0 <= other.place - behind <= _EDIT:
            end, behind = other.end, other.place + other.length
    for other in sorted(segments, key=lambda other: -other.end):
        if 0 <= start - other.end <= _EDIT and 0 <= place - (other.place + other.length) <= _EDIT:
            start, place = other.start, other.place
    return start, end, place, behind
