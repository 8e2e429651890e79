"""Names and texts of others, so that no terminal, log or runner obeys them, and nothing in them stays unseen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MARKS = {"\t": "⇥", "\n": "⏎", "\r": "␍", "\x7f": "␡"}
ASCII_MARKS = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of what terminals obey (controls, directions) or do not show (joiners, tags)."""
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0\ufffe\uffff\U000e0000"
"""What other categories hold that is not shown either, or may not be written in XML."""

EMOJI_STYLE = "\ufe0f"
"""Variation selector 16: makes some characters two cells wide, in some terminals only. It is not shown."""
SELECTORS = "\u180b-\u180d\ufe00-\ufe0f\U000e0100-\U000e01ef"
JOINER, SKIN_TONES = "\u200d", "🏻🏼🏽🏾🏿"

_SPECIAL = re.compile(f"[{FILLERS}{SELECTORS}]")
_SELECTOR = re.compile(f"[{SELECTORS}]")
# vowels and finals of Korean have no width of their own, but are letters to Unicode
_JAMO = re.compile("[\u1161-\u11ff\ud7b0-\ud7fb]")

_COLOUR = re.compile(r"(\x1b\[[\d;]*m)")
# runners read commands at the beginning of a line, blanks left out; ##[...], ##vso[...] and such, anywhere in it
_HASHES = re.compile(r"##(?=[A-Za-z]{0,40}\[)")
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_NOT_IN_JSON = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_STARTS = (
    b"\x7f", b"\xc2", b"\xed", b"\xd8\x9c", b"\xe1\xa0\x8e", b"\xe2\x80", b"\xe2\x81", b"\xef\xbb\xbf", b"\xef\xbf",
    b"\xf3\xa0",
)  # fmt: skip
"""With which these begin in UTF-8."""


def visible(text: str, *, ascii: bool = False) -> str:
    r"""Show line ends, tabs, control characters and invisible ones, so that a text takes one line and is harmless.

    Examples
    --------
    >>> visible("表1\t項目\r\n\u200b次\x1b[0m"), visible("a\tb\r\n", ascii=True)
    ('表1⇥項目⏎\\u200b次␛[0m', 'a\\tb\\r\\n')
    """
    if text.isprintable() and (text.isascii() or (not _SPECIAL.search(text) and not _is_mark(text[0]))):
        return text
    return "".join(pieces(text, ascii=ascii))


def pieces(text: str, *, ascii: bool = False) -> Iterator[str]:
    """Give a text piece by piece as `visible` shows it, each of which is shown whole or not at all."""
    return (shown for _, shown in placed_pieces(text, ascii=ascii))


def placed_pieces(text: str, *, ascii: bool = False) -> Iterator[tuple[int, str]]:
    r"""Give where each piece of a text ends, and how it is shown.

    Marks without width and joined emoji stay together; a mark at the beginning gets a place of its own.

    Examples
    --------
    >>> list(placed_pieces("表\r\n👩\u200d👧\u200d"))
    [(1, '表'), (3, '⏎'), (6, '👩\u200d👧'), (7, '\\u200d')]
    """
    held, base, at = "", "", 0
    place = 0
    while place < len(text):
        character, end = text[place], place + 1
        if character == "\r" and not ascii and text[end : end + 1] == "\n":
            end += 1
            character = "\n"
        if base and _SELECTOR.match(character):
            held += character if character != EMOJI_STYLE else ""
            base = base if character == EMOJI_STYLE and _is_emoji(base) else ""  # one is enough
        elif character == JOINER and _is_emoji(base) and _is_emoji(text[end : end + 1]):
            end += 1
            held += text[place:end]
        elif _is_mark(character) and not _SPECIAL.match(character):
            held, base = (held or (" " if ascii else "◌")) + character, base and character
        else:
            if held:
                yield at, held
            is_hidden = _SPECIAL.match(character) or unicodedata.category(character) in HIDDEN
            held, base = (_mark(character, ascii), "") if is_hidden else (character, character)
        place = at = end
    if held:
        yield at, held


def harmless(text: str, *, color: bool = False) -> str:
    r"""Make the lines of an output for people harmless, whatever has got into them.

    What `visible` shows is shown, and no line can be a command to a CI runner.

    Parameters
    ----------
    text : str
        Whole lines.
    color : bool
        Our own colours stand in it, and stay.

    Examples
    --------
    >>> print(harmless("::add-mask::x.md:3\n  a ##[error]\x07"))
    \x3a:add-mask::x.md:3
      a #\x23[error]␇
    """
    parts = _COLOUR.split(text) if color else [text]
    parts[::2] = ["\n".join(map(visible, part.split("\n"))) for part in parts[::2]]
    return _no_commands("".join(parts), r"\x23", r"\x3a")


def harmless_xml(text: str) -> str:
    r"""Write what a runner would take for a command as character references, which say the same.

    Examples
    --------
    >>> harmless_xml("<a>\n::debug::</a>")
    '<a>\n&#58;:debug::</a>'
    """
    return _no_commands(text, "&#35;", "&#58;")


def without_hashes(text: str, hash_sign: str = r"\x23") -> str:
    r"""Write the second sign otherwise where two begin what runners of pipelines obey.

    Examples
    --------
    >>> print(without_hashes("##vso[task.complete] ## [a] ###[b]"))
    #\x23vso[task.complete] ## [a] ##\x23[b]
    """
    return _HASHES.sub(lambda _: f"#{hash_sign}", text) if "##" in text else text


def _no_commands(text: str, hash_sign: str, colon: str) -> str:
    text = without_hashes(text, hash_sign)
    return _COMMAND.sub(lambda match: match[1] + colon, text) if "::" in text else text


def harmless_json(text: str) -> str:
    r"""Escape in JSON what terminals and runners obey, what is not seen, and halves of surrogate pairs.

    Joiners in emoji, which have their own place in `visible`, and characters that widths leave out stay.

    Examples
    --------
    >>> print(harmless_json('{"quote": "##[error]\x9b2J\u202e"}'))
    {"quote": "#\u0023[error]\u009b2J\u202e"}
    """
    # in UTF-8 they begin with one of few bytes, which are found in a tenth of the time (30 to 3 ns a character)
    raw = text.encode("utf-8", "surrogatepass")
    if any(start in raw for start in _STARTS):
        text = _NOT_IN_JSON.sub(_json_escape, text)
    return without_hashes(text, "\\u0023")


def _json_escape(match: re.Match[str]) -> str:
    raw = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{raw[at : at + 4]}" for at in range(0, len(raw), 4))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in SKIN_TONES or bool(_JAMO.match(character))


def _is_emoji(character: str) -> bool:
    return bool(character) and (unicodedata.category(character) == "So" or character in SKIN_TONES)


def _mark(character: str, ascii: bool) -> str:
    code = ord(character)
    known = (ASCII_MARKS if ascii else MARKS).get(character)
    if known:
        return known
    if code < 0x20 and not ascii:
        return chr(0x2400 + code)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
