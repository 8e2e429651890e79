"""Which files of a folder are documents: suffixes, and globs over the relative name."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence

from chunkscope.errors import ConfigError

SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".html", ".htm")
"""Read without being asked, in upper and lower case."""

TO_CONVERT = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".xls", ".xlsx", ".epub", ".pages")
"""Documents, but not of text: they are to be converted first."""


class NameFilter:
    """Decides by its name whether a file is a document.

    Parameters
    ----------
    include : sequence of str
        Globs. Where there are any, they replace the list of suffixes; a glob that ends in bare wildcards (``ja/**``)
        picks among the known suffixes only, so that it brings in no images.
    exclude : sequence of str
        Globs; one that matches a folder leaves out all in it.

    Raises
    ------
    ConfigError
        A glob that means nothing.

    Notes
    -----
    ``*`` and ``?`` stop at ``/``, ``**`` crosses folders. A glob without ``/`` matches in every folder. Names are
    compared after NFC.

    Examples
    --------
    >>> names = NameFilter(include=["*.csv", "ja/**"], exclude=["drafts"])
    >>> [names.accepts(name) for name in ("a/b.csv", "ja/x/y.md", "ja/y.png", "en/y.md", "drafts/b.csv")]
    [True, True, False, False, False]
    """

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        named = [glob for glob in include if not _ends_in_wildcards(glob)]
        self._named = _compile(named)
        self._folders = _compile(glob for glob in include if _ends_in_wildcards(glob))
        self._exclude = _compile(exclude, below="(?:/.*)?")
        self._all = not include

    def excludes(self, name: str) -> bool:
        """Tell whether a file or folder is left out on purpose."""
        return self._exclude is not None and self._exclude.fullmatch(_composed(name)) is not None

    def includes(self, name: str) -> bool:
        """Tell whether an include glob, if there is any, asks for the name. Suffixes do not matter here."""
        whole = _composed(name)
        return self._all or any(
            pattern is not None and pattern.fullmatch(whole) for pattern in (self._named, self._folders)
        )

    def accepts(self, name: str) -> bool:
        """Tell whether a file of a folder is a document."""
        name = _composed(name)
        if self.excludes(name):
            return False
        if self._named is not None and self._named.fullmatch(name):
            return True
        if suffix(name) not in SUFFIXES:
            return False
        return self._all or (self._folders is not None and self._folders.fullmatch(name) is not None)


def _composed(name: str) -> str:
    """Write a name as keyboards write globs: file systems may have its marks apart."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def suffix(name: str) -> str:
    """Give the suffix in lower case, with its dot.

    Examples
    --------
    >>> suffix("a/GUIDE.MD"), suffix("LICENSE")
    ('.md', '')
    """
    return os.path.splitext(name)[1].lower()


def _ends_in_wildcards(glob: str) -> bool:
    return glob.endswith("/") or glob.rsplit("/", 1)[-1] in ("*", "**")


def _compile(globs: Iterable[str], below: str = "") -> re.Pattern[str] | None:
    patterns = [_translate(glob) + below for glob in globs]
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.DOTALL) if patterns else None


def _translate(glob: str) -> str:
    path = _composed(glob).removeprefix("./")
    folder = path.endswith("/")
    path = path.strip("/")
    if not path:
        raise ConfigError(f"glob {glob!r} names nothing")
    anchored = "/" in path or glob.startswith(("/", "./"))
    parts = path.split("/")
    pieces = [] if anchored else ["(?:.*/)?"]
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**":
            pieces.append(".+" if last else "(?:[^/]+/)*")
        else:
            pieces.append(_translate_part(part, glob) + ("" if last else "/"))
    return "".join(pieces) + ("(?:/.+)?" if folder else "")


def _translate_part(part: str, glob: str) -> str:
    pieces = []
    for token in re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|.", part, re.DOTALL):
        if token.startswith("*"):
            pieces.append("[^/]*")
        elif token == "?":
            pieces.append("[^/]")
        elif token.startswith("[") and len(token) > 2:
            body = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("^", "\\^")
            pieces.append(f"[^{body[1:]}]" if body.startswith("!") else f"[{body}]")
        else:
            pieces.append(re.escape(token))
    pattern = "".join(pieces)
    try:
        re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"glob {glob!r} means nothing: {error}") from None
    return pattern
