"""Files to bytes, and bytes to text: a byte order mark decides, else the encoding asked for, else strict UTF-8."""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat

from chunkscope.corpus.encodings import has_nec_rows, listed, reads, wider
from chunkscope.errors import DecodingError
from chunkscope.language import Text, say

# UTF-32 LE stands before UTF-16 LE, because its mark begins with the other's. A UTF-16 text that begins with NUL
# looks the same; such files are not to be expected
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_NO_TEXT = {
    b"%PDF-": "a PDF file",
    b"PK\x03\x04": "a zip archive, as .docx, .xlsx and .epub are",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an Office file of before 2007",
    b"{\\rtf": "an RTF file",
}
"""How files begin that some encodings make a text of, and that are none."""

TWO_MARKS = 2 * codecs.BOM_UTF8
"""Some editors add one to a file that has one; the first heading is no heading then."""

# tried only to word a message, never to read: the first that fits is named as an example. EUC-JP comes first, because
# its bytes are half-width katakana to cp932, and it refuses nearly all text in cp932
_EXAMPLES = ("euc_jp", "cp932")
_KANA = re.compile("[ぁ-んァ-ヶｦ-ﾟ]")
_ISO_2022 = ("iso2022_jp", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_2004", "iso2022_jp_ext", "iso2022_kr")

# ESC ( B alone is no sign: terminals write it to reset their colours
_ISO_2022_ESCAPE = re.compile(rb"\x1b(?:\$[@AB]|\$\([CDOPQ]|\$\)C|\([IJ])")


def decode(raw: bytes, name: str, encoding: str | None = None) -> str:
    r"""Decode a file whole and strictly. A byte order mark is dropped; nothing else changes.

    Parameters
    ----------
    raw : bytes
        The file.
    name : str
        What to call it in a message.
    encoding : str, optional
        Used where no byte order mark decides; UTF-8 without it. Of a list such as ``utf-8,cp932`` the first that fits.

    Raises
    ------
    DecodingError
        Names the file, the byte offset (in the file, the mark included) and the option to give. So is a file that is
        known not to be text, such as a PDF, whatever the encoding.

    Examples
    --------
    >>> decode(b"\xef\xbb\xbf# A\r\n", "a.md")
    '# A\r\n'
    >>> decode(b"abc\xff", "a.md")
    Traceback (most recent call last):
    chunkscope.errors.DecodingError: a.md: byte 3 is not UTF-8; give --encoding, e.g. cp1252, or --skip-unreadable
    """
    kind = next((kind for signature, kind in _NO_TEXT.items() if raw.startswith(signature)), None)
    if kind:
        raise DecodingError(f"{name}: {kind}; convert it to Markdown or text first, or give --skip-unreadable")
    mark, announced = byte_order_mark(raw)
    body = raw[len(mark) :] if mark else raw
    faults = []
    for codec in [announced] if announced else listed(encoding or "utf-8"):
        try:
            return body.decode(codec)
        except UnicodeDecodeError as error:
            faults.append(f"byte {len(mark) + error.start} is not {_spoken(codec)}")
        except UnicodeError as error:
            faults.append(f"it is not {_spoken(codec)} ({error})")
    if announced:
        advice = "though its byte order mark says so; mend the file"
    elif encoding:
        advice = _other_encoding(raw, encoding)
    else:
        advice = f"give --encoding, e.g. {_example(raw)}"
    where = ", ".join(faults)
    raise DecodingError(f"{name}: {where}{',' if announced else ';'} {advice}, or --skip-unreadable")


def _other_encoding(raw: bytes, encoding: str) -> str:
    """Say which encoding to give instead of one, or of a list, that does not fit."""
    names = listed(encoding)
    known = {codecs.lookup(name).name for name in names}
    # escape sequences are ASCII, and so UTF-8 too
    if not raw.isascii() and "utf-8" not in known and reads("utf-8", raw):
        return f"it is UTF-8; give --encoding {','.join(['utf-8', *names])}"
    example = _fitting_example(raw)
    for place, name in enumerate(names):
        # what is surely EUC-JP often fits a wide Shift_JIS too
        better = wider(name, raw) if example != "euc_jp" or codecs.lookup(name).name == "euc_jp" else None
        if better:
            reason = "Shift_JIS as Windows writes it is cp932: " if better == "cp932" else ""
            return f"{reason}give --encoding {','.join([*names[:place], better, *names[place + 1 :]])}"
    if any(name.startswith("iso2022_jp") for name in known) and has_nec_rows(raw):
        return NEC_ADVICE
    if example is None or example in known:
        return "give the --encoding it has"
    if len(names) == 1:
        return f"give the --encoding it has, e.g. {example}"
    return f"give --encoding {','.join([*names[:-1], example, names[-1]])} if it is {example}"


NEC_ADVICE = say(
    "it has characters of NEC such as ① in ISO-2022-JP, which no codec of Python reads; "
    "convert it to UTF-8 first: nkf -w, or iconv -f CP50221 -t UTF-8"
)


def byte_order_mark(raw: bytes) -> tuple[bytes, str | None]:
    r"""Give the byte order mark and the encoding it announces.

    Examples
    --------
    >>> byte_order_mark(b"\xff\xfea\x00"), byte_order_mark(b"abc")
    ((b'\xff\xfe', 'utf-16-le'), (b'', None))
    """
    # three of the marks begin with these two bytes, the others with NUL or 0xFE: one look sorts most files out
    if raw[:1] not in (b"\xef", b"\xff", b"\xfe", b"\x00"):
        return b"", None
    for mark, codec in BYTE_ORDER_MARKS:
        if raw.startswith(mark) and (not codec.startswith("utf-32") or len(raw) % 4 == 0):
            return mark, codec
    return b"", None


def doubts(raw: bytes, name: str, encoding: str | None = None) -> list[Text]:
    r"""Say what makes it doubtful that a decoded file was meant so. Empty for nearly all files.

    Examples
    --------
    >>> doubts("設備".encode("iso2022_jp"), "a.txt")
    ['a.txt: has escape sequences of ISO-2022-JP; give --encoding iso2022_jp if it is not UTF-8']
    """
    found = []
    if raw.startswith(TWO_MARKS):
        found.append(say("{name}: begins with two byte order marks; the second is kept as part of the text", name=name))
    codec = _codec_of(raw, encoding)
    if codec != "utf-8" and encoding and "," in encoding and not raw.isascii() and reads("utf-8", raw):
        found.append(
            say(
                "{name}: is read as {codec}, the first of {encoding} that fits, and is UTF-8 too; write utf-8 first",
                name=name,
                codec=codec,
                encoding=encoding,
            )
        )
    if codecs.lookup(codec).name not in ("utf-8", "utf-8-sig", "ascii", "cp932", "shift_jis", "euc_jp", "cp1252"):
        return found
    if b"\x1b" in raw and _ISO_2022_ESCAPE.search(raw):
        fitting = next((name for name in _ISO_2022 if _decodes(raw, name)), "iso2022_jp")
        if not _decodes(raw, fitting) and has_nec_rows(raw):
            return [*found, say("{path}: {text}", path=name, text=NEC_ADVICE)]
        family = "ISO-2022-KR" if fitting.endswith("kr") else "ISO-2022-JP"
        found.append(
            say(
                "{name}: has escape sequences of {family}; give --encoding {fitting} if it is not {codec}",
                name=name,
                family=family,
                fitting=fitting,
                codec=_spoken(codec),
            )
        )
    if b"\x00" in raw:
        found.append(_nul_warning(raw, name))
    return found


def _codec_of(raw: bytes, encoding: str | None) -> str:
    """Give what decodes a file that can be decoded."""
    announced = byte_order_mark(raw)[1]
    names = [announced] if announced else listed(encoding or "utf-8")
    return names[0] if len(names) == 1 else next((name for name in names if reads(name, raw)), names[0])


def _nul_warning(raw: bytes, name: str) -> Text:
    count, even = raw.count(0), raw[::2].count(0)
    if count * 4 > len(raw) and even in (0, count):
        return say(
            "{name}: {n} NUL {n:character|characters}, as in UTF-16 without a byte order mark; "
            "give --encoding {guess} if so",
            name=name,
            n=count,
            guess="utf-16-be" if even else "utf-16-le",
        )
    return say("{name}: {n} NUL {n:character is|characters are} kept as part of the text", name=name, n=count)


def _decodes(raw: bytes, codec: str) -> bool:
    try:
        text = raw.decode(codec)
    except UnicodeError:
        return False
    # single bytes that cp932 maps to private characters are no sign of Japanese
    return not re.search("[\x80-\x9f\ue000-\uf8ff]", text)


def _example(raw: bytes) -> str:
    return _fitting_example(raw) or "cp932"


def _fitting_example(raw: bytes) -> str | None:
    if b"\x00" in raw and len(raw) % 2 == 0:
        # Latin text in UTF-16 LE has its NULs at odd offsets; without any Latin letter the two look the same
        codec = "utf-16-le" if raw[1::2].count(0) >= raw[::2].count(0) else "utf-16-be"
        if _decodes(raw, codec):
            return codec
    fitting = [codec for codec in _EXAMPLES if _decodes(raw, codec)]
    # there is hardly any Japanese text without kana, and many a Latin text has bytes that could be kanji
    has_kana = any(_KANA.search(raw.decode(codec)) for codec in fitting)
    if not has_kana and 2 * len(raw.decode("ascii", "ignore")) > len(raw) and _decodes(raw, "cp1252"):
        return "cp1252"
    return fitting[0] if fitting else None


def _spoken(codec: str) -> str:
    return codec.upper() if codec.startswith("utf-") else codec


def read_bytes(path: str) -> bytes:
    """Read a file with as few system calls as can be: folders hold tens of thousands.

    Raises
    ------
    OSError
        What the system says, and for pipes and devices, which may never end, that they are no regular files.
    """
    # a pipe that nobody writes to would be waited for
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            is_folder = stat.S_ISDIR(status.st_mode)
            raise OSError(errno.EINVAL, "a folder, not a file" if is_folder else "not a regular file")
        size = status.st_size
        raw = os.read(descriptor, size + 1)
        if len(raw) == size:
            return raw
        pieces = [raw]
        while piece := os.read(descriptor, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)
