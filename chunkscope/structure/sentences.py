"""Where sentences start.

Blocks are boundaries always. Inside a block of prose the end marks decide: the wide ones (``。！？`` and those of
other scripts) by themselves, the ASCII ones where white space or Japanese follows and the word before is no
abbreviation, number or list label. A sentence takes along what belongs to its end mark
(`chunkscope.structure.endings`). Nothing ends inside brackets, quotes and mark-up that close in the same block
(`chunkscope.structure.brackets`), nor where a Japanese sentence goes on (`chunkscope.structure.going_on`). Code lines,
table rows and front matter stay whole.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from chunkscope.spans.intervals import IntArray, Span, merge
from chunkscope.structure.abbreviations import NAMES_WITH_MARKS
from chunkscope.structure.brackets import GUILLEMETS, LINK, ROUND, SQUARE, Pair, outermost_pairs
from chunkscope.structure.characters import code_points
from chunkscope.structure.composed import ComposedText
from chunkscope.structure.endings import BLANKS, ENDING, HANGING, PICTURES_IN_A_ROW, REST
from chunkscope.structure.full_stops import (
    OPENER,
    OPENER_IN_LOWER_CASE,
    announces_number,
    is_abbreviation,
    is_in_date,
    word_before,
)
from chunkscope.structure.going_on import goes_on, goes_on_behind_gap, is_particle, is_said
from chunkscope.structure.labels import is_label
from chunkscope.structure.marks import (
    ASCII,
    BLANK,
    CLOSED,
    CLOSED_QUOTES,
    EMOJI,
    KANA_KANJI,
    MARKS,
    OPENING,
    PICTURES,
    SYMMETRIC,
    WIDE,
)
from chunkscope.structure.model import Structure
from chunkscope.structure.morphemes import NEAR, begins_with_unit
from chunkscope.structure.patterns import lazily

FIGURES = ("図", "表", "式", "第")

FAR = 2000
"""How far back a symmetric mark looks for its other half; bounds the work on hostile text."""
MOST_QUOTES = 40
LONGEST_SYMMETRIC = 3

LOWER_CASE_LENGTH = 80
"""A block that long without a capital letter is written in lower case; there a lower-case letter starts a sentence."""

_HAS_WIDE = lazily(f"[{WIDE}]")
_HAS_END_MARK = lazily(f"[{WIDE}{ASCII}]")
_JAPANESE = lazily(f"[{KANA_KANJI}]")
_JAPANESE_END = lazily(f"[{KANA_KANJI}{EMOJI}{PICTURES}〜～」』）】]")
_JAPANESE_OR_OPEN = lazily(f"[{KANA_KANJI}{OPENING}]")
_STARRED = lazily(r"[※＊*][0-9０-９]{1,3}\Z")
_CRIES = lazily("[！？!?]")
_MARK = lazily(f"[{MARKS}\U000e0100-\U000e01ef]")
_HIRAGANA = lazily("[ぁ-ゖ]")
_OPEN_MARKS = lazily(r"[\"'“‘(（*_]*")
_LOWER_START = lazily(r"[ie][A-Z][a-z]|mac[A-Z]|(?:[a-h]|[ivx]{1,4})[.)][ \t]+[A-Z]")
_NO_START = lazily(r"[,;:=)\]}、，・。）」』】]|\.(?![^\W_])|[!?](?=[\s!?])|&(?:amp;)?\s")
_DASHES = "–—―─━-"
_ASIDE = lazily(r"(?:-{1,3}|[–—―─━]+)\s+|[—―─━]+")
_NO_START_AFTER_JAPANESE = lazily(r"[a-z0-9=&/\\\-_.,:;%+#@~^|<]")
_LEAD = lazily(rf"[{BLANK}#>*+\-_|0-9.]*")
_ATTRIBUTE = lazily(r"[\w:-]+=[\"'{]|/>")
_LEAD_OF_TURN = lazily(rf"[{BLANK}#>*+_|{_DASHES}]*")
_LINE_END = lazily("[\r\n]")
_OPENS = lazily(rf"(?<![^{BLANK}{OPENING}{KANA_KANJI}(])[\"']|[{OPENING}(]")
_OTHER_HALF = {"≫": "≪", "»": "«", "«": "»", "›": "‹", "‹": "›", "“": "„", "”": "“"}
_HALVES = frozenset((*_OTHER_HALF, *SYMMETRIC))
_place_opened = attrgetter("open")


class _Block:
    """A block of prose, and what is looked up in it once, if at all."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end
        self._pairs: list[Pair] | None = None

    @property
    def pairs(self) -> list[Pair]:
        """Its brackets and quotes."""
        if self._pairs is None:
            self._pairs = outermost_pairs(self.text, self.start, self.end)
        return self._pairs

    @cached_property
    def _quotes(self) -> dict[int, int]:
        """Where each outermost quote opens, and the place behind the last of those that follow it directly."""
        behind: dict[int, int] = {}
        for pair in reversed(self.pairs):
            if pair.kind in "「『":
                behind[pair.open] = behind.get(pair.close + 1, pair.close + 1)
        return behind

    def behind_quotes(self, place: int) -> int:
        """Give the place behind the quotes that open at `place`, one after the other; without any, `place`."""
        return self._quotes.get(place, place) if self.text[place] in "「『" else place

    @cached_property
    def is_lower_case(self) -> bool:
        """Whether it is written without capital letters."""
        prose = self.text[self.start : self.end]
        return len(prose) >= LOWER_CASE_LENGTH and prose == prose.lower()


def line_starts(text: str) -> IntArray:
    r"""Give where lines start; only LF, CR LF and CR end a line.

    Returns
    -------
    int64 (n,)
        Increasing, the first 0; empty for an empty text. A line end at the end of the text starts no line.

    Notes
    -----
    Its slow twin is `line_starts_slowly` in tests/structure/test_sentences.py, one loop over the characters.

    Examples
    --------
    >>> line_starts("a\r\nb\n\rc\n").tolist()
    [0, 3, 5, 6]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    points = code_points(text)
    is_end = points == ord("\n")
    carriage = points == ord("\r")
    carriage[:-1] &= ~is_end[1:]
    ends = np.flatnonzero(is_end | carriage) + 1
    return np.concatenate((np.zeros(1, dtype=np.int64), ends[ends < len(text)]))


def sentence_starts(text: str, structure: Structure, items: IntArray | None = None) -> IntArray:
    """Give where the sentences of a text start; they tile it.

    Parameters
    ----------
    text : str
        The whole text.
    structure : Structure
        Its blocks, each a boundary, and the code, tables, marks and front matter in which nothing else is one.
    items : int64 (m,), optional
        Where lines inside blocks begin like items or turns; boundaries, too.

    Returns
    -------
    int64 (n,)
        Increasing, the first 0; empty for an empty text.

    Examples
    --------
    >>> text = "課長は「通る。急いで」と言った。皆が動いた。"
    >>> plain = Structure(len(text), 0, (), (), np.empty((0, 2), np.int64), np.zeros(1, np.int64))
    >>> sentence_starts(text, plain).tolist()
    [0, 16]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    blocks = structure.block_starts if items is None else merge(structure.block_starts, items)
    stretches = list(prose_stretches(structure))
    if unicodedata.is_normalized("NFC", text):
        inner = _inner_starts(text, stretches, blocks.tolist())
    else:  # what holds for characters holds for those that are written apart
        composed = ComposedText(text, blocks.tolist())
        stretches = [(composed.place(start), composed.place(end)) for start, end in stretches]
        inner = _inner_starts(composed.text, stretches, [composed.place(start) for start in blocks.tolist()])
        inner = [composed.origin(place) for place in inner]
    if not inner:
        return blocks
    return np.sort(np.concatenate((blocks, np.array(inner, dtype=np.int64))))


def _inner_starts(text: str, stretches: list[Span], blocks: list[int]) -> list[int]:
    """Give where sentences start inside blocks."""
    bounds = [*blocks, len(text)]
    return [place for stretch in stretches for place in _boundaries(text, stretch, bounds)]


def prose_stretches(structure: Structure) -> Iterator[Span]:
    """Give the stretches of a text in which punctuation counts: no code, marks, tables and front matter."""
    length = structure.length
    whole = [(start, end) for start, end in (*structure.code.tolist(), *structure.marks.tolist())]
    whole += [(table.start, table.end) for table in structure.tables]
    if structure.front_matter_end:
        whole.append((0, structure.front_matter_end))
    position = 0
    for start, end in sorted(whole):
        if start > position:
            yield position, start
        position = max(position, end)
    if position < length:
        yield position, length


class _End(NamedTuple):
    """An end mark, and what belongs to it.

    Attributes
    ----------
    mark : int
        The first mark of its run.
    core : int
        Behind the marks and what closes them.
    end : int
        Behind what hangs on.
    boundary : int
        Where the next sentence would start.
    """

    mark: int
    core: int
    end: int
    boundary: int


def _boundaries(text: str, region: Span, bounds: list[int]) -> Iterator[int]:
    """Give where sentences start inside blocks."""
    number = bisect_right(bounds, region[0])
    block_start = sentence = bounds[number - 1]
    block_end = bounds[number]
    block = None
    position, region_end = region
    while match := ENDING.search(text, position, region_end):
        mark, boundary = match.span()
        if mark >= block_end:
            number = bisect_right(bounds, mark, number)
            block_start = sentence = bounds[number - 1]
            block_end = bounds[number]
            block = None
        if boundary >= block_end:
            position = block_end  # most sentences end where their block ends; what matched of the next is its own
            continue
        block = block or _Block(text, block_start, block_end)
        core = match.start(2)
        end = _End(mark, core, core, boundary)
        if match.start(1) >= 0:
            end = _with_hangers(block, end, sentence)
        if end.boundary < block_end and text[end.boundary] in _HALVES:
            end = _with_other_half(block, end, sentence)
        position = end.boundary
        # the dictionary is asked last, where all else says that a sentence ends
        if (
            position < block_end
            and _ends(block, end, sentence)
            and not _is_held(block, end, sentence)
            and not _is_continued_in_japanese(text, end)
        ):
            sentence = position
            yield position


def _with_hangers(block: _Block, end: _End, sentence: int) -> _End:
    """Add what hangs on, unless it is a word of the next sentence."""
    text = block.text
    behind = HANGING.match(text, end.core, block.end).end()  # type: ignore[union-attr]
    if behind == end.core:
        return end
    boundary = BLANKS.match(text, behind).end()  # type: ignore[union-attr]
    if boundary < block.end and not _LINE_END.search(text, behind, boundary):
        is_picture = bool(PICTURES_IN_A_ROW.fullmatch(text, end.core, behind))
        if is_picture and _is_led_by_picture(text, sentence, end.mark):
            return end
        if (
            _STARRED.search(text, end.core, behind)
            and behind == boundary
            and begins_with_unit(text[behind : behind + NEAR])
        ):
            return end
        can_go_on = text[end.core - 1] in CLOSED or (is_picture and text[end.core - 1] in "！？!?")
        if not can_go_on and is_particle(text, behind):
            return end
    return end._replace(end=behind, boundary=boundary)


def _is_led_by_picture(text: str, sentence: int, mark: int) -> bool:
    """Tell whether the sentence itself has a picture in front, so that the next picture stands in front of the next."""
    lead = _LEAD.match(text, sentence, mark).end()  # type: ignore[union-attr]
    return bool(PICTURES_IN_A_ROW.match(text, lead, mark))


def _with_other_half(block: _Block, end: _End, sentence: int) -> _End:
    """Add a mark that may open or close where it closes what stands open, and what then follows."""
    text, place = block.text, end.boundary
    behind = _behind_other_half(block, end)
    if behind == place:
        return end
    rest = REST.match(text, behind)
    core = rest.start(2)  # type: ignore[union-attr]
    found = _End(end.mark, core, core, rest.end())  # type: ignore[union-attr]
    return _with_hangers(block, found, sentence) if rest.start(1) >= 0 else found  # type: ignore[union-attr]


def _behind_other_half(block: _Block, end: _End) -> int:
    """Give the end of the marks at the boundary if they close what stands open before them, else the boundary."""
    text, place = block.text, end.boundary
    start = max(block.start, end.mark - FAR)
    mark = text[place]
    opening = _OTHER_HALF.get(mark)
    if opening:
        return place + _stands_open(opening, mark, text[start:place])
    if place > end.end:  # behind a blank only a quote that has a blank on its other side too
        is_quote = (
            mark in "\"'" and not _LINE_END.search(text, end.end, place) and text[place + 1 : place + 2].isspace()
        )
        return place + (is_quote and text.count(mark, start, place) % 2 == 1 and _is_padded(text, mark, start, place))
    if not _HAS_WIDE.search(text, end.mark, end.core):
        return place
    behind = place + 1
    while behind < len(text) and text[behind] == mark:
        behind += 1
    is_open = text.count(text[place:behind], start, end.mark) % 2 == 1
    return behind if is_open and behind - place <= LONGEST_SYMMETRIC else place


def _stands_open(opening: str, closing: str, text: str) -> bool:
    """Tell whether the last of these marks opens something; guillemets open what the other one closes."""
    opened = ""
    for mark in re.findall(f"[{opening}{closing}]", text)[-MOST_QUOTES:]:
        if mark == opening or opened or mark in GUILLEMETS:
            opened = "" if opened and mark != opened else mark
    return opened == opening


def _is_padded(text: str, mark: str, start: int, place: int) -> bool:
    """Tell whether the quote that stands open has a blank behind it."""
    return text[text.rfind(mark, start, place) + 1].isspace()


def _ends(block: _Block, end: _End, sentence: int) -> bool:
    """Decide whether a sentence ends."""
    text = block.text
    if text[end.core - 1] in CLOSED and _is_spoken_of(text, end):
        return False
    if _has_wide(text, end):
        return _wide_ends(block, end, sentence)
    if _is_plain(text, end):
        return not (is_abbreviation(text, end.mark, end.boundary, OPENER) or is_label(text, sentence, end.mark))
    if end.end == end.boundary:
        return _joined_ends(block, end)
    return _spaced_ends(block, end, sentence)


def _has_wide(text: str, end: _End) -> bool:
    """Tell whether an end mark, or what hangs on it, needs no white space behind it."""
    if end.end == end.mark + 1:
        return text[end.mark] in WIDE
    return bool(
        _HAS_WIDE.search(text, end.mark, end.core) or (end.core < end.end and _HAS_WIDE.match(text, end.end - 1))
    )


def _is_plain(text: str, end: _End) -> bool:
    """Tell whether an end mark is like most in English, for which `_spaced_ends` asks much in vain: ``word. Word``."""
    mark, boundary = end.mark, end.boundary
    return (
        end.end == mark + 1 < boundary
        and text[mark] == "."
        and "A" <= text[boundary] <= "Z"
        and mark > 0
        and "a" <= text[mark - 1] <= "z"
    )


def _wide_ends(block: _Block, end: _End, sentence: int) -> bool:
    """Decide on end marks that need no white space."""
    text, mark = block.text, end.mark
    last = text[end.core - 1]
    if text[mark] == "．" and last in CLOSED and is_label(text, sentence, mark):
        return False
    if end.core == mark + 1 and last == "．" and not _wide_full_stop_ends(text, mark, end.boundary, sentence):
        return False
    if text[end.boundary] in "、，" or text.startswith("・・", end.end):
        return False
    is_closed = last in CLOSED or (last == "]" and text.find("[", mark, end.core) < 0)
    if is_closed or last in "！!？?" or (last in "…‥" and _CRIES.search(text, mark, end.core)):
        is_name = end.core == mark + 1 and word_before(text, mark).lower() in NAMES_WITH_MARKS
        if is_name or (text[end.end] in _DASHES and _is_aside(text, end, sentence)):
            return False
        return not _goes_on(block, end, is_closed=is_closed)
    return not (text[mark - 1 : mark] in CLOSED and mark and is_said(text, end.boundary))


def _goes_on(block: _Block, end: _End, *, is_closed: bool) -> bool:
    """Tell whether a Japanese sentence goes on behind its end mark: 「行く！」と, なぜ？と, ［保存？］ →."""
    text = block.text
    place = end.end
    if is_closed:
        place = block.behind_quotes(place)
        place = place if place < block.end else end.end
    if goes_on(text, place, is_closed=is_closed):
        return True
    return end.end < end.boundary and goes_on_behind_gap(
        text, end.boundary, is_closed=is_closed and not _LINE_END.search(text, end.end, end.boundary)
    )


def _wide_full_stop_ends(text: str, mark: int, boundary: int, sentence: int) -> bool:
    """Tell a full-width full stop from the point of １．５, of 図．１, of 2024．4．1 and of Ｄｒ．スミス."""
    before, behind = text[mark - 1 : mark], text[boundary]
    if is_label(text, sentence, mark) or (before in FIGURES and behind.isdigit()) or is_in_date(text, mark):
        return False
    if not before.isalnum() or _JAPANESE.match(before):
        return True
    if boundary == mark + 1 and (before.isdigit() or (behind.isalnum() and not _JAPANESE.match(behind))):
        return False
    return not is_abbreviation(text, mark, boundary, OPENER)


def _is_spoken_of(text: str, end: _End) -> bool:
    """Tell a mark that is spoken of, 「?」 (U+003F), and the end of an attribute: alt="It ends." src="..."."""
    if text[end.core - 1] in "\"'" and _ATTRIBUTE.match(text, end.boundary):
        return True
    is_silence = text[end.mark] in "…‥"
    return bool(end.mark and not is_silence and _OPENS.match(text, end.mark - 1)) and not _LINE_END.search(
        text, end.core, end.boundary
    )


def _joined_ends(block: _Block, end: _End) -> bool:
    """Decide on ASCII end marks that are followed by no white space."""
    text = block.text
    marks = text[end.mark : end.core]
    behind = text[end.end]
    before = _before(text, end.mark)
    if "!" in marks or "?" in marks:
        if _JAPANESE_END.match(text, before) and (_JAPANESE.match(text, before) or _JAPANESE_OR_OPEN.match(behind)):
            is_end = not (_NO_START_AFTER_JAPANESE.match(behind) or (behind == "[" and marks[-1] == "!"))
        else:
            is_end = marks.count("!") + marks.count("?") > 1 and bool(_JAPANESE.match(behind))
        return is_end and not _goes_on(block, end, is_closed=text[end.core - 1] in CLOSED)
    # "です.次": as a rule only sentences end in hiragana, while 'メニュー.ファイル' is a name
    return marks[0] == "." and marks[1:2] != "." and bool(_HIRAGANA.match(text, before) and _JAPANESE.match(behind))


def _spaced_ends(block: _Block, end: _End, sentence: int) -> bool:
    """Decide on ASCII end marks that are followed by white space."""
    text, mark, boundary = block.text, end.mark, end.boundary
    if _NO_START.match(text, boundary) or (text[boundary] in _DASHES and _is_aside(text, end, sentence)):
        return False
    is_japanese = bool(_JAPANESE.match(text, _before(text, mark)))
    place = _OPEN_MARKS.match(text, boundary).end()  # type: ignore[union-attr]
    first = text[place : place + 1]
    opener = OPENER
    # Georgian has capitals, but writes no sentence with one
    if first.islower() and first != first.title() and not is_japanese and not _LOWER_START.match(text, place):
        if not block.is_lower_case:
            return False
        opener = OPENER_IN_LOWER_CASE
    marks = text[mark : end.core]
    if "!" in marks or "?" in marks:
        if marks == "!" and word_before(text, mark).lower() in NAMES_WITH_MARKS:
            return bool(opener.match(text, boundary))
        return not (is_japanese and _goes_on(block, end, is_closed=text[end.core - 1] in CLOSED))
    if marks.count(".") > 1 or marks[0] in "…‥":
        is_pause = marks.count(".") == 3 and marks[1] != "."
        is_omission = text[mark - 1 : mark] in ("[", "(", "（", "［")
        return first.isupper() and not is_pause and not is_omission
    if is_in_date(text, mark):
        return False
    if is_japanese:
        stays = text[mark - 1] in FIGURES and first.isdigit()
    else:
        stays = is_abbreviation(text, mark, boundary, opener) or (
            end.core < end.end and announces_number(text, mark, BLANKS.match(text, end.core).end())  # type: ignore[union-attr]
        )
    return not (stays or is_label(text, sentence, mark))


def _is_continued_in_japanese(text: str, end: _End) -> bool:
    """Tell whether Japanese speaks of what ends in an ASCII mark and white space: "Go on!" と, example.com. を."""
    boundary = end.boundary
    if text[boundary] <= "\u2000" or end.end == boundary or _has_wide(text, end):
        return False
    if _JAPANESE.match(text, _before(text, end.mark)) or _LINE_END.search(text, end.end, boundary):
        return False
    is_quoted = text[end.core - 1] in CLOSED_QUOTES and _JAPANESE.match(text, boundary)
    return bool(is_quoted or is_particle(text, boundary))


def _before(text: str, mark: int) -> int:
    """Give the place of the character before a mark, past what belongs to that character."""
    place = mark - 1
    while place > 0 and not text[place].isalnum() and _MARK.match(text, place):
        place -= 1
    return max(place, 0)


def _is_aside(text: str, end: _End, sentence: int) -> bool:
    """Tell whether an aside between dashes ends here: -- voila! -- you have it."""
    dash = _ASIDE.match(text, end.boundary)
    if not dash or _LINE_END.search(text, end.end, dash.end()):
        return False
    place = _OPEN_MARKS.match(text, dash.end()).end()  # type: ignore[union-attr]
    if text[place : place + 1].islower():
        return True
    sign = dash.group().strip()
    start = max(sentence, end.mark - FAR)
    lead = _LEAD_OF_TURN.match(text, start, end.mark).end()  # type: ignore[union-attr]
    padded = f" {sign} " if sign[0] in "-–" else sign
    return text.count(padded, lead, end.mark) % 2 == 1


def _is_held(block: _Block, end: _End, sentence: int) -> bool:
    """Tell whether a mark stands in code or mark-up, in brackets that are not behind it, or in a remark."""
    pairs = block.pairs
    number = bisect_right(pairs, end.mark, key=_place_opened) - 1
    if number < 0 or pairs[number].close < end.mark:
        return False
    pair = pairs[number]
    # what hangs on may stand before the bracket closes, but no link ends in the middle of its text
    if pair.close >= (end.core if pair.kind in (SQUARE, LINK) else end.end) or pair.kind[0] in "`<":
        return True
    if pair.kind != ROUND or _HAS_END_MARK.search(block.text, pair.close, end.end):
        return False
    is_first = pair.open - sentence <= FAR and _LEAD.fullmatch(block.text, sentence, pair.open)
    return not is_first
