"""How a piece differs from the passage that it was made of, in the field's words."""

from __future__ import annotations

import re
import unicodedata

from chunkscope.splitters.normal_form import BROKEN, FULL_STOPS, letters, vanishing

_LINE_END = re.compile(r"\r\n?")
_TAG = re.compile(r"<[!/?A-Za-z][^<>]*+>|\]\(|&#?[0-9A-Za-z]+;")


def changes(passage: str, piece: str) -> tuple[str, ...]:
    r"""Say what must be overlooked for a piece to be a passage: as little as can be.

    White space at the ends is no change: where a passage begins in white space is not known.

    Parameters
    ----------
    passage, piece : str
        What the text has, and what the splitter made of it.

    Returns
    -------
    tuple of str
        Of "broken characters", "final full stop", "invisible characters", "NFC", "NFKC", "letter case", "punctuation",
        "markup", "edits", and "line ends", "tabs", "white space".

    Examples
    --------
    >>> changes("one\r\ntwo", "one\ntwo"), changes("one\t two", "one two"), changes("10 ㌔", "10キロ")
    (('line ends',), ('tabs',), ('NFKC', 'white space'))
    """
    found: list[str] = []
    if piece.count(BROKEN) > passage.count(BROKEN):
        found.append("broken characters")
        passage, piece = passage.replace(BROKEN, ""), piece.replace(BROKEN, "")
    passage, piece = passage.strip(), piece.strip()
    if piece[-1:] in FULL_STOPS and _dense(piece[:-1]) == _dense(passage):
        found.append("final full stop")
        piece = piece[:-1].rstrip()
    if passage != piece and _dense(passage) != _dense(piece):
        names, passage, piece = _characters(passage, piece)
        found += names
    return (*found, *_layout(passage, piece))


def _dense(text: str) -> str:
    return "".join(text.split())


def _visible(text: str) -> str:
    """Leave out what vanishes but white space."""
    return vanishing().sub(lambda run: "".join(mark for mark in run.group() if mark.isspace()), text)


def _characters(passage: str, piece: str) -> tuple[list[str], str, str]:
    """Say which characters differ, and make them alike."""
    found: list[str] = []
    ours, theirs = _visible(passage), _visible(piece)
    if (ours, theirs) != (passage, piece) and len(passage) - len(ours) != len(piece) - len(theirs):
        found.append("invisible characters")
    if _dense(ours) == _dense(theirs):
        return found, ours, theirs
    a, b = (unicodedata.normalize("NFC", text) for text in (ours, theirs))
    if _dense(a) == _dense(b):
        return [*found, "NFC"], a, b
    a, b = (unicodedata.normalize("NFKC", text) for text in (ours, theirs))
    if _dense(a) == _dense(b):
        return [*found, "NFKC"], a, b
    if _dense(a.casefold()) == _dense(b.casefold()):
        return [*found, *_form_of(ours, theirs), "letter case"], a.casefold(), b.casefold()
    if letters(passage) == letters(piece):
        is_markup = len(_TAG.findall(passage)) != len(_TAG.findall(piece))
        if sum(map(str.isupper, passage)) != sum(map(str.isupper, piece)):
            found.append("letter case")
        found.append("markup" if is_markup else "punctuation")
    else:
        found.append("edits")
    return found, "", ""


def _form_of(passage: str, piece: str) -> list[str]:
    """Say which normalisation makes two texts alike but for their case."""
    if _dense(passage.casefold()) == _dense(piece.casefold()):
        return []
    composed = (unicodedata.normalize("NFC", text).casefold() for text in (passage, piece))
    return ["NFC"] if len({_dense(text) for text in composed}) == 1 else ["NFKC"]


def _layout(passage: str, piece: str) -> list[str]:
    """Say how white space differs in texts that are alike otherwise."""
    found: list[str] = []
    passage, piece = passage.strip(), piece.strip()
    if passage == piece:
        return found
    if passage.count("\r") != piece.count("\r"):
        found.append("line ends")
    passage, piece = (_LINE_END.sub("\n", text) for text in (passage, piece))
    if passage == piece:
        return found
    if passage.count("\t") != piece.count("\t"):
        for kept in (" ", ""):
            if passage.replace("\t", kept) == piece.replace("\t", kept):
                return [*found, "tabs"]
        found.append("tabs")
        passage, piece = passage.replace("\t", ""), piece.replace("\t", "")
    return found if passage == piece else [*found, "white space"]
