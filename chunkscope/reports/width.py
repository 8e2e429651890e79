"""The width of text in terminal cells, how it is shortened and filled to one, and its colours, which have none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.cells import cell_len

from chunkscope.reports.visible import pieces

_BREAK = re.compile(r" (?!%|(?<=\d )[ぁ-ヿ一-龠])")
"""A number stays with its ``%``, and with what it counts in Japanese."""
_JAPANESE = re.compile("[ぁ-ゖ]")
"""Words with hiragana are sentences; one without is a name, and stays whole where it can."""
_NO_START = frozenset(
    "～、。，．・：；？！」』）］｝〉》】〕｣､｡!?,.:;)]}%％ー々ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ…"
)
_NO_END = frozenset(" ～「『（［｛〈《【〔｢([{")


def width(text: str) -> int:
    r"""Give how many terminal cells a text takes, as `chunkscope.reports.visible.visible` shows it.

    Examples
    --------
    >>> width("abc"), width("漢字"), width("👩\u200d👩\u200d👧")
    (3, 4, 2)
    """
    return cell_len(text)


def ellipsis(ascii: bool) -> str:
    """Give the mark for what is left out."""
    return ".." if ascii else "…"


def fit(text: str, room: int, *, ascii: bool = False) -> str:
    """Cut a text to a number of cells, with a mark where something is left out.

    Examples
    --------
    >>> fit("出張旅費規程", 9), fit("出張", 9)
    ('出張旅費…', '出張')
    """
    if width(text) <= room:
        return text
    parts, mark = list(pieces(text, ascii=ascii)), ellipsis(ascii)
    taken = _taken(parts, room - width(mark))
    return "".join(parts[:taken]) + (mark if room >= width(mark) else "")


def fit_end(text: str, room: int, *, ascii: bool = False) -> str:
    """Keep the end of a text.

    Examples
    --------
    >>> fit_end("上限は1泊につき12,", 10)
    '…につき12,'
    """
    if width(text) <= room:
        return text
    backwards = list(pieces(text, ascii=ascii))[::-1]
    mark = ellipsis(ascii)
    taken = _taken(backwards, room - width(mark))
    return (mark if room >= width(mark) else "") + "".join(backwards[:taken][::-1])


def _taken(parts: Sequence[str], room: int) -> int:
    used = 0
    for number, part in enumerate(parts):
        used += width(part)
        if used > room:
            return number
    return len(parts)


def pad(text: str, room: int, *, right: bool = False) -> str:
    """Fill a text up to a number of cells; to the right if it is a number.

    Examples
    --------
    >>> pad("漢字", 6) + "|", pad("12", 4, right=True)
    ('漢字  |', '  12')
    """
    blanks = " " * max(0, room - width(text))
    return blanks + text if right else text + blanks


def wrap(text: str, room: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """Break a text into lines of at most `room` cells: at spaces, and in Japanese sentences where lines may end.

    No line begins with 、。 or a closing bracket, and none ends with an opening one; numbers stay with what they count.
    Words that are wider than a line are broken anywhere.

    Parameters
    ----------
    text : str
        What to break.
    room : int
        In terminal cells.
    first, rest : str
        What the first line, and each further one, begins with; `rest` is blanks as wide as `first` if not given.

    Examples
    --------
    >>> wrap("in the way: 出張旅費, t2", 14, first="- ")
    ['- in the way:', '  出張旅費, t2']
    >>> wrap("重なりを 24 以上にすると、必ず収まります。", 26)
    ['重なりを 24 以上にすると、', '必ず収まります。']
    >>> wrap("分断された質問は 13 件", 20)
    ['分断された質問は', '13 件']
    """
    rest = " " * width(first) if rest is None else rest
    if room - max(width(first), width(rest)) < 2:
        first = rest = ""
    lines: list[str] = []
    line, used, is_bare = first, width(first), True
    for word in _BREAK.split(text):
        parts = _parts(word, room - width(rest))
        glue = "" if is_bare else " "
        for part in parts:
            if not is_bare and used + len(glue) + width(part) > room:
                lines.append(line.rstrip(" "))
                line, used, glue = rest, width(rest), ""
            line += glue + part
            used += len(glue) + width(part)
            glue, is_bare = "", False
    return [*lines, line.rstrip(" ")]


def _parts(word: str, room: int) -> list[str]:
    """Divide a word where a line may end."""
    if not _JAPANESE.search(word):
        return [word] if width(word) <= room else list(pieces(word))
    parts: list[str] = []
    for piece in pieces(word):
        if parts and not _may_end(parts[-1][-1], piece[0]):
            parts[-1] += piece
        else:
            parts.append(piece)
    return [fitting for part in parts for fitting in ([part] if width(part) <= room else pieces(part))]


def _may_end(last: str, first: str) -> bool:
    """Tell whether a line may end between two characters: beside a wide one, and not before or behind a bracket."""
    return (width(last) > 1 or width(first) > 1) and last not in _NO_END and first not in _NO_START


BOLD, DIM, UNDERLINE, RED, GREEN = "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[32m"
YELLOW, BLUE = "\x1b[33m", "\x1b[34m"
RESET = "\x1b[0m"


def painted(text: str, style: str, color: bool = True) -> str:
    r"""Give a text in a style, where there are colours at all.

    Examples
    --------
    >>> painted("lucky", YELLOW), painted("lucky", YELLOW, False)
    ('\x1b[33mlucky\x1b[0m', 'lucky')
    """
    return f"{style}{text}{RESET}" if color and style and text else text
