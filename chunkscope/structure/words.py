"""Where words and numbers are, so that a cut can be told to fall inside one.

Japanese words are the morphemes of fugashi with unidic-lite. All others are runs of letters, digits and marks, as
in Unicode's rules for word boundaries (UAX 29): ``can't``, ``example.org`` and ``12,000`` are one word each.
Punctuation, symbols and emoji are no words, but a cut before a combining mark or inside a joined emoji counts as one
inside a word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import MissingPartError
from chunkscope.spans.intervals import BoolArray, IntArray
from chunkscope.structure.characters import (
    BASIC_PLANE,
    BLANK,
    DIGIT,
    JAPANESE,
    JOINER,
    LETTER,
    MARK,
    WORD,
    code_points,
    runs,
)
from chunkscope.structure.joined import JoinedTexts

LONGEST_PIECE = 1000
"""MeCab's time grows with the square of a run that is one character again and again; a sentence is far shorter."""

LONGEST_REMEMBERED = 48
"""Longer runs hardly ever come twice."""

ZERO_WIDTH_JOINER = 0x200D
REGIONAL_INDICATORS = (0x1F1E6, 0x1F1FF)
VOICING = "\u3099\u309a"
HALF_WIDTH_VOICING = "ﾞﾟ"
LETTER_JOINERS = ".'’．＇"
NUMBER_JOINERS = ".,:/．，：／"


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of a text of n characters.

    Attributes
    ----------
    inside : bool (n + 1,)
        Whether a cut before the character at p falls inside a word or a joined character. False at 0 and n.
    in_number : bool (n + 1,)
        Whether it falls inside a number; each such place is inside a word too.
    in_word : bool (n + 1,)
        Whether the character at p belongs to a word. False at n.
    in_character : bool (n + 1,)
        Whether a cut before p parts a mark from its character, as か from U+3099, or a joined emoji; inside, too.
    """

    inside: BoolArray
    in_number: BoolArray
    in_word: BoolArray
    in_character: BoolArray

    @property
    def starts(self) -> IntArray:
        """int64 (m,): where words start, increasing."""
        return np.flatnonzero(self.in_word & ~self.inside).astype(np.int64, copy=False)


class Segmenter:
    """Finds the morphemes in runs of kanji and kana, and remembers the runs it has seen.

    Parameters
    ----------
    remembered : int
        How many runs are kept; when there are more, all are forgotten.

    Raises
    ------
    MissingPartError
        fugashi or unidic-lite is not installed.

    Examples
    --------
    >>> Segmenter().word_starts(["東京都", "に住む"]).tolist()
    [True, False, True, True, True, False]
    """

    def __init__(self, remembered: int = 1 << 16) -> None:
        self._parse = _load_parser()
        self._remembered = remembered
        self._masks: dict[str, bytes] = {}

    def word_starts(self, runs: Sequence[str]) -> BoolArray:
        """Tell for each character of all runs, one behind the other, whether a morpheme starts there."""
        known = self._masks
        # what is read from here on is this call's own: other threads may forget what all remember
        masks = {run: known.get(run, b"") for run in runs}
        unknown = [run for run, mask in masks.items() if not mask]
        masks.update(zip(unknown, self._analyse(unknown), strict=True))
        known.update((run, masks[run]) for run in unknown if len(run) <= LONGEST_REMEMBERED)
        if len(known) > self._remembered:
            known.clear()
        return np.frombuffer(b"".join([masks[run] for run in runs]), dtype=np.bool_)

    def _analyse(self, runs: Sequence[str]) -> list[bytes]:
        """Give for each run a byte for each character: 1 where a morpheme starts."""
        is_plain = [  # no mark is alphanumeric
            len(run) <= LONGEST_PIECE and run.isalnum() and unicodedata.is_normalized("NFKC", run) for run in runs
        ]
        plain = iter(self._masks_of([run for run, short in zip(runs, is_plain, strict=True) if short]))
        return [next(plain) if short else self._mask_of_any(run) for run, short in zip(runs, is_plain, strict=True)]

    def _masks_of(self, pieces: Sequence[str]) -> list[bytes]:
        outputs = [
            # a dictionary may take a character for a space and drop it: then the piece counts as one word
            words if len(words) - words.count(" ") == len(piece) else piece
            for piece, words in zip(pieces, map(self._parse, pieces), strict=True)
        ]
        is_space = code_points(" ".join(["", *outputs])) == ord(" ")
        starts = is_space[:-1][~is_space[1:]].tobytes()
        bounds = list(accumulate(map(len, pieces), initial=0))
        return [starts[low:high] for low, high in pairwise(bounds)]

    def _mask_of_any(self, run: str) -> bytes:
        """Give the mask of a run that is written in another way than the dictionary's, or is very long."""
        plain, firsts, places = _as_in_dictionary(run)
        masks = []
        start = 0
        while start < len(plain):
            [mask] = self._masks_of([plain[start : start + LONGEST_PIECE]])
            if start + len(mask) < len(plain) and (last := mask.rindex(1)):
                mask = mask[:last]  # the last word may go on in the next piece
            masks.append(mask)
            start += len(mask)
        spread = np.zeros(len(run), dtype=np.uint8)
        spread[places] = np.frombuffer(b"".join(masks), dtype=np.uint8)[firsts]
        return spread.tobytes()


def read_words(texts: JoinedTexts, segmenter: Segmenter | None = None) -> list[Words]:
    """Find the words and numbers of texts.

    Parameters
    ----------
    texts : JoinedTexts
        Any texts.
    segmenter : Segmenter, optional
        Who finds Japanese words; without it, one that all calls share. Texts without Japanese need none.

    Raises
    ------
    MissingPartError
        A text holds Japanese, and fugashi or unidic-lite is not installed.

    Notes
    -----
    Its slow twin is `slow_words` in tests/structure/test_words.py, one loop over the characters.

    Examples
    --------
    >>> [words] = read_words(JoinedTexts(["価格は12,000円"]))
    >>> words.starts.tolist()
    [0, 2, 3, 9]
    >>> np.flatnonzero(words.in_number).tolist()
    [4, 5, 6, 7, 8]
    """
    points, flags = texts.points, texts.flags
    inside = np.zeros(len(flags), dtype=np.bool_)
    in_number = np.zeros(len(flags), dtype=np.bool_)
    marks = np.flatnonzero(flags & MARK)
    base = _base_flags(flags, marks)

    is_word = (base & WORD) != 0
    is_digit = (base & DIGIT) != 0
    np.logical_and(is_word[1:], is_word[:-1], out=inside[1:])
    np.logical_and(is_digit[1:], is_digit[:-1], out=in_number[1:])
    _join(points, flags, base, inside, in_number)

    is_japanese = (base & JAPANESE) != 0
    spans = runs(is_japanese).tolist()
    if spans:
        text = texts.text
        found = (segmenter or shared_segmenter()).word_starts([text[start:end] for start, end in spans])
        inside[is_japanese] = ~found
    _keep_characters_whole(points, flags, marks, inside)
    in_character = inside & _is_part(points, marks)
    arrays = (inside, in_number, is_word | is_japanese, in_character)
    return list(map(Words, *map(texts.views, arrays)))


def words_of(text: str) -> Words:
    """Find the words and numbers of one text.

    Examples
    --------
    >>> words_of("can't stop").starts.tolist()
    [0, 6]
    """
    return read_words(JoinedTexts([text]))[0]


@lru_cache(maxsize=1)
def shared_segmenter() -> Segmenter:
    """Give the segmenter that `read_words` uses by itself; it is made on first use.

    Raises
    ------
    MissingPartError
        fugashi or unidic-lite is not installed.
    """
    return Segmenter()


@lru_cache(maxsize=1)
def load_tagger() -> Callable[[str], list[Any]]:
    """Give what makes nodes of fugashi of a text, each with its `surface` and its `feature`.

    Raises
    ------
    MissingPartError
        fugashi or unidic-lite is not installed.
    """
    tagger: Callable[[str], list[Any]] = _load_dictionary("")
    return tagger


def _load_parser() -> Callable[[str], str]:
    parse: Callable[[str], str] = _load_dictionary("-Owakati ").parse
    return parse


def _load_dictionary(options: str) -> Any:
    try:
        import fugashi
        import unidic_lite
    except ImportError as error:
        raise MissingPartError(
            f"Japanese words need fugashi and unidic-lite ({error}); install them: pip install fugashi unidic-lite"
        ) from None
    # named outright: fugashi by itself would take another unidic where one is installed, and count other words
    options += f'-r "{unidic_lite.DICDIR}/mecabrc" -d "{unidic_lite.DICDIR}"'
    try:
        return fugashi.GenericTagger(options)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()
        raise MissingPartError(
            f"the dictionary in {unidic_lite.DICDIR} does not load ({reason[0] if reason else 'no reason given'}); "
            "install it again: pip install --force-reinstall unidic-lite"
        ) from None


def _as_in_dictionary(run: str) -> tuple[str, IntArray, IntArray]:
    """Write a run after NFKC and without marks, as the dictionary has it: ``ｶﾞ`` is ``ガ``, ``㍿`` 株式会社.

    Returns
    -------
    str
        What is to be analysed.
    firsts, places : int64 (c,)
        For each character with its marks, where it begins in that, and where in the run.
    """
    clusters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(run):
        if clusters and (character in HALF_WIDTH_VOICING or unicodedata.category(character)[0] in "MC"):
            # more marks would not change the letter
            clusters[-1] += character if character in (*VOICING, *HALF_WIDTH_VOICING) and len(clusters[-1]) == 1 else ""
        else:
            clusters.append(character)
            places.append(place)
    plain = [_spelled(cluster) for cluster in clusters]
    lengths = np.fromiter(map(len, plain), dtype=np.int64, count=len(plain))
    return "".join(plain), np.cumsum(lengths) - lengths, np.array(places, dtype=np.int64)


@lru_cache(maxsize=1 << 12)
def _spelled(cluster: str) -> str:
    """Write a character with its voicing mark after NFKC; a mark that cannot be composed goes."""
    spelled = unicodedata.normalize("NFKC", cluster)
    kept = "".join(character for character in spelled if unicodedata.category(character)[0] not in "MCZ")
    return kept or cluster[0]


def _base_flags(flags: NDArray[np.uint8], marks: IntArray) -> NDArray[np.uint8]:
    """Give each mark the flags of the character it belongs to: the last before it that is none, or a blank."""
    if not len(marks):
        return flags
    base = flags.copy()
    follows = np.diff(marks, prepend=-2) == 1
    bearers = np.maximum.accumulate(np.where(follows, 0, marks)) - 1
    base[marks] = np.where(bearers < 0, BLANK, flags[bearers])
    return base


def _join(
    points: NDArray[np.uint32],
    flags: NDArray[np.uint8],
    base: NDArray[np.uint8],
    inside: BoolArray,
    in_number: BoolArray,
) -> None:
    """Make one word of what a joiner binds: letters on both its sides, or digits on both."""
    places = np.flatnonzero(flags & JOINER)
    places = places[places > 0]  # the last character is a line end
    around = base[places - 1] & base[places + 1]
    between_letters, between_digits = _joiner_tables()
    letters = places[((around & LETTER) != 0) & between_letters[points[places]]]
    digits = places[((around & DIGIT) != 0) & between_digits[points[places]]]
    for found in (letters, digits):
        inside[found] = True
        inside[found + 1] = True
    in_number[digits] = True
    in_number[digits + 1] = True


@lru_cache(maxsize=1)
def _joiner_tables() -> tuple[BoolArray, BoolArray]:
    """Tell for each character of the basic plane whether it joins letters, and whether it joins digits."""
    tables = np.zeros((2, BASIC_PLANE), dtype=np.bool_)
    for table, joiners in zip(tables, (LETTER_JOINERS, NUMBER_JOINERS), strict=True):
        table[[ord(joiner) for joiner in joiners]] = True
    return tables[0], tables[1]


def _is_part(points: NDArray[np.uint32], marks: IntArray) -> BoolArray:
    """Tell which characters are no more than a part of one: combining marks, and what a joiner or a flag binds.

    A soft hyphen and the like are marks of a word, not of a character.
    """
    is_part = np.zeros(len(points), dtype=np.bool_)
    distinct, place = np.unique(points[marks], return_inverse=True)
    binds = np.array([point == ZERO_WIDTH_JOINER or unicodedata.category(chr(point)) != "Cf" for point in distinct])
    is_part[marks] = binds[place.reshape(-1)] if len(marks) else False
    is_part[1:] |= points[:-1] == ZERO_WIDTH_JOINER
    if len(points) and points.max() >= REGIONAL_INDICATORS[0]:
        is_part |= (points >= REGIONAL_INDICATORS[0]) & (points <= REGIONAL_INDICATORS[1])
    return is_part


def _keep_characters_whole(
    points: NDArray[np.uint32], flags: NDArray[np.uint8], marks: IntArray, inside: BoolArray
) -> None:
    """Count a cut before a mark, after a joiner of emoji and inside a flag as one inside a word."""
    if len(marks):
        behind = marks[marks > 0]
        # a mark after a line end or another control character has nothing to belong to
        is_control = ((flags[behind - 1] & (BLANK | MARK)) == BLANK) & (points[behind - 1] < 0xA0)
        is_control &= points[behind - 1] != ord(" ")
        inside[behind[~is_control]] = True
        joined = marks[points[marks] == ZERO_WIDTH_JOINER] + 1
        inside[joined[(flags[joined] & BLANK) == 0]] = True
    if not len(points) or points.max() < REGIONAL_INDICATORS[0]:
        return
    for start, end in runs((points >= REGIONAL_INDICATORS[0]) & (points <= REGIONAL_INDICATORS[1])).tolist():
        inside[start + 1 : end : 2] = True
