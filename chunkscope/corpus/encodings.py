"""Encodings as people name them: lists of them, names that Python does not know, and which one was meant."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chunkscope.corpus.name_filter import Glob
from chunkscope.errors import ConfigError, did_you_mean
from chunkscope.language import Text, say

_OTHERS_NAMES = {
    "cp932": "windows31j cswindows31j windows932 win31j xsjis xmsshiftjis msshiftjis sjiswin sjisms cp943 cp943c "
    "ibm943 ibm943c cp942 ibm942",
    "shift_jis": "macjapanese xmacjapanese",
    "euc_jp": "euc eucjpms eucjpwin eucjpopen xeucjp xeuc cp51932 cp20932 windows51932 cseucpkdfmtjapanese",
    "iso2022_jp": "jis jis7 jis8 xjis iso2022 iso2022jpms xiso2022jp cp50220 cp50221 cp50222 windows50220 windows50221 "
    "windows50222",
    "utf-8": "utf8n utf8bom utf8withbom utf8nobom utf8withoutbom utf8mb4",
    "utf-16": "unicode utf16bom ucs2 unicodelittle",
    "utf-16-be": "unicodebig unicodefffe ucs2be",
    "cp949": "windows949 xwindows949",
    "gbk": "windows936 xgbk",
    "gb18030": "cp54936",
    "cp950": "windows950 xwindows950",
    "big5": "xbig5",
}
"""Names that others have for encodings, in lower case and without signs, and that Python does not know."""

_ADVICE = {
    "ansi": "it is the code page of a Windows: 'cp932' in Japan, 'cp1252' in the West",
    **dict.fromkeys(
        ("auto", "autodetect", "detect", "guess"),
        "nothing is guessed; write those that occur, the strictest first: 'utf-8,cp932'",
    ),
}

_WIDER = {
    "shift_jis": ("cp932", "shift_jis_2004"),
    "cp932": ("shift_jis_2004",),
    "euc_jp": ("euc_jis_2004",),
    "iso2022_jp": ("iso2022_jp_ext", "iso2022_jp_2", "iso2022_jp_2004", "iso2022_jp_3"),
    "gb2312": ("gbk", "gb18030"),
    "gbk": ("gb18030",),
    "big5": ("cp950", "big5hkscs"),
    "cp950": ("big5hkscs",),
    "euc_kr": ("cp949",),
}
"""What people mean who name the narrower one, the commonest first."""

_JIS_RUN = re.compile(rb"\x1b\$[@B]([^\x1b]*+)")
_NEC_ROWS = frozenset(b"\x2d\x79\x7a\x7b\x7c")


def check_encoding(encoding: str) -> str:
    """Give an encoding, or a list of them, back if Python can decode text with each.

    Raises
    ------
    ConfigError
        No such encoding, one that does not make text of bytes, or one that leaves nothing to those behind it.

    Examples
    --------
    >>> check_encoding("utf-8,cp932")
    'utf-8,cp932'
    >>> check_encoding("jis")
    Traceback (most recent call last):
    chunkscope.errors.ConfigError: 'jis' is no encoding of text; did you mean 'iso2022_jp'?
    """
    *others, _ = names = listed(encoding)
    for name in names:
        if not _makes_text(name):
            raise ConfigError(f"{name!r} is no encoding of text; {_hint(name)}")
    for name in others:
        if _fits_all(name):
            raise ConfigError(f"encoding {encoding!r}: {name} fits any file, and nothing behind it counts; put it last")
    return encoding


@dataclass(frozen=True)
class Encodings:
    """Which encoding each document of a corpus is read in.

    Attributes
    ----------
    everything_else : str or None
        For documents that no glob fits; None: UTF-8.
    globs : tuple of (str, Glob, str)
        Globs as they were written, and an encoding for each. The first that fits counts.

    Examples
    --------
    >>> read_as = Encodings.of("utf-8", {"legacy/**": "cp932"})
    >>> read_as.of_name("legacy/a.txt"), read_as.of_name("a.txt")
    ('cp932', 'utf-8')
    """

    everything_else: str | None
    globs: tuple[tuple[str, Glob, str], ...] = ()

    @classmethod
    def of(cls, encoding: str | None, globs: Mapping[str, str]) -> Encodings:
        """Check encodings and globs.

        Raises
        ------
        ConfigError
            See `check_encoding` and `Glob`.
        """
        for name in (*globs.values(), *([] if encoding is None else [encoding])):
            check_encoding(name)
        return cls(encoding, tuple((glob, Glob(glob, below=True), name) for glob, name in globs.items()))

    def of_name(self, name: str) -> str | None:
        """Give the encoding of a document."""
        return next((codec for _, glob, codec in self.globs if glob.matches(name)), self.everything_else)

    def of_path(self, path: str) -> str | None:
        """Give the encoding of a file whose name in a corpus is not known: some end of its path."""
        steps = os.path.abspath(path).replace(os.sep, "/").split("/")
        tails = ["/".join(steps[place:]) for place in range(len(steps))]
        fitting = (codec for _, glob, codec in self.globs if any(map(glob.matches, tails)))
        return next(fitting, self.everything_else)

    def unused(self, names: Iterable[str]) -> list[Text]:
        """Say which globs fit no document."""
        left = {shown: glob for shown, glob, _ in self.globs}
        for name in names:
            left = {shown: glob for shown, glob in left.items() if not glob.matches(name)}
        return [say("encodings: {glob!r} fits no document", glob=glob) for glob in left]


def listed(encoding: str) -> list[str]:
    """Split a list of encodings.

    Examples
    --------
    >>> listed("utf-8, cp932")
    ['utf-8', 'cp932']
    """
    return [name.strip() for name in encoding.split(",")]


def wider(encoding: str, raw: bytes) -> str | None:
    """Give the encoding that reads what one of the same family does not.

    Examples
    --------
    >>> wider("shift_jis", "㈱".encode("cp932"))
    'cp932'
    """
    return next((name for name in _WIDER.get(codecs.lookup(encoding).name, ()) if reads(name, raw)), None)


def reads(encoding: str, raw: bytes) -> bool:
    """Tell whether bytes are text in an encoding."""
    try:
        raw.decode(encoding)
    except UnicodeError:
        return False
    return True


def has_nec_rows(raw: bytes) -> bool:
    r"""Tell whether ISO-2022-JP has characters such as ① in rows that the standard leaves empty, and NEC filled.

    Examples
    --------
    >>> has_nec_rows(b"\x1b$B-!\x1b(B"), has_nec_rows("設備".encode("iso2022_jp"))
    (True, False)
    """
    return any(not _NEC_ROWS.isdisjoint(run[1][::2]) for run in _JIS_RUN.finditer(raw))


def _hint(name: str) -> str:
    # aliases are loaded here, because only this message needs them
    from encodings.aliases import aliases

    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    if plain in _ADVICE:
        return _ADVICE[plain]
    known = next((ours for ours, theirs in _OTHERS_NAMES.items() if plain in theirs.split()), None)
    if known:
        return did_you_mean(known, [known])
    names = {one for one in (*aliases, *aliases.values()) if one != name.lower() and _makes_text(one)}
    return did_you_mean(name, sorted(names)) or "known are e.g. 'cp932', 'euc_jp', 'utf-16-le'"


def _makes_text(encoding: str) -> bool:
    if encoding.lower() in ("punycode", "idna"):  # of names of hosts; their time grows with the square of the text
        return False
    try:
        b"a".decode(encoding)
    except UnicodeError:
        return True  # it exists, and has its own mind about one byte
    except (LookupError, ValueError, AssertionError):
        return False
    return True


def _fits_all(encoding: str) -> bool:
    every = bytes(range(256))
    return reads(encoding, every) and len(every.decode(encoding)) == len(every)
