"""Which files of a folder are documents: suffixes, and globs over the relative name.

Patterns are matched without backtracking: they may come from a folder that somebody else wrote.
"""

from __future__ import annotations

import fnmatch
import os
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from chunkscope.errors import ConfigError
from chunkscope.language import Text, say

Test: TypeAlias = Callable[[str], object]
"""Something that is true where a string fits."""


@lru_cache(maxsize=1 << 10)
def wildcards(pattern: str) -> Test:
    """Compile ``*``, ``?``, ``[abc]`` and ``[!abc]``, which match any characters.

    Notes
    -----
    The standard library makes an atomic group of each ``*`` and what follows it, so that the time is at most the
    product of both lengths.

    Examples
    --------
    >>> [bool(wildcards("report-[0-9]*.md")(name)) for name in ("report-12.md", "report-x.md")]
    [True, False]
    """
    return re.compile(fnmatch.translate(pattern)).match


def match_steps(pattern: Sequence[Test | None], steps: Sequence[str]) -> bool:
    """Tell whether steps fit a pattern, in which None stands for any number of steps.

    Notes
    -----
    What stands between two None fits best where it fits first. So only the last None passed is ever tried again, and
    no more tests are made than the product of both lengths.

    Examples
    --------
    >>> match_steps([None, wildcards("*.md")], ["guide", "ja", "a.md"])
    True
    """
    place = at = 0
    retry: tuple[int, int] | None = None
    while at < len(steps):
        test = pattern[place] if place < len(pattern) else _never
        if test is None:
            place += 1
            retry = place, at
        elif test(steps[at]):
            place, at = place + 1, at + 1
        elif retry is None:
            return False
        else:
            place, at = retry[0], retry[1] + 1
            retry = place, at
    return all(test is None for test in pattern[place:])


def _never(_: str) -> bool:
    return False


class Glob:
    """A pattern over relative names, whose steps are separated by ``/``.

    Parameters
    ----------
    glob : str
        ``*``, ``?`` and ``[...]`` stop at ``/``, ``**`` crosses folders. A glob without ``/`` matches in every folder;
        one that ends in ``/`` matches all in a folder too.
    below : bool
        Match all below what matches.

    Raises
    ------
    ConfigError
        A glob that names nothing.

    Examples
    --------
    >>> glob = Glob("guide/**/*.md")
    >>> [glob.matches(name) for name in ("guide/a.md", "guide/ja/x/a.md", "a.md")]
    [True, True, False]
    """

    def __init__(self, glob: str, *, below: bool = False) -> None:
        path = compose(glob).removeprefix("./")
        steps = path.strip("/").split("/")
        if steps == [""]:
            raise ConfigError(f"glob {glob!r} names nothing")
        for step in steps:
            if "(?!)" in fnmatch.translate(step):
                raise ConfigError(f"glob {glob!r} means nothing: no character is in the brackets of {step!r}")
        is_anchored = len(steps) > 1 or glob.startswith(("/", "./"))
        self._pattern: list[Test | None] = [] if is_anchored else [None]
        self._pattern += [None if step == "**" else wildcards(step) for step in steps]
        if steps[-1] == "**":
            self._pattern.append(wildcards("?*"))
        if below or path.endswith("/"):
            self._pattern.append(None)

    def matches(self, name: str) -> bool:
        """Tell whether a name matches. Names are compared after NFC."""
        return match_steps(self._pattern, compose(name).split("/"))


def compose(name: str) -> str:
    """Write a name as keyboards write patterns: file systems may store letters and marks one by one."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".html", ".htm")
"""Read without being asked, in upper and lower case."""

TO_CONVERT = (
    *(".pdf", ".docx", ".doc", ".odt", ".rtf", ".epub"),
    *(".pptx", ".ppt", ".odp", ".xlsx", ".xlsm", ".xls", ".ods"),
)
"""Documents, but not of text: `chunkscope convert` makes Markdown of them."""

_MOST_SUFFIXES = 5


class NameFilter:
    """Decides by its name whether a file is a document.

    Parameters
    ----------
    include : sequence of str
        Globs, see `Glob`. They replace the list of suffixes, but one that ends in bare wildcards (``ja/**``) still
        picks among the known suffixes only, so that it brings in no images.
    exclude : sequence of str
        Globs; one that matches a folder leaves out all in it.

    Raises
    ------
    ConfigError
        A glob that means nothing.

    Examples
    --------
    >>> names = NameFilter(include=["*.csv", "ja/**"], exclude=["drafts"])
    >>> [names.accepts(name) for name in ("a/b.csv", "ja/x/y.md", "ja/y.png", "en/y.md", "drafts/b.csv")]
    [True, True, False, False, False]
    """

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        self._named = [Glob(glob) for glob in include if not _ends_in_wildcards(glob)]
        self._folders = [Glob(glob) for glob in include if _ends_in_wildcards(glob)]
        self._exclude = [Glob(glob, below=True) for glob in exclude]

    def excludes(self, name: str) -> bool:
        """Tell whether a file or folder is left out on purpose."""
        return _any(self._exclude, name)

    def includes(self, name: str) -> bool:
        """Tell whether an include glob, if there is any, asks for the name. Suffixes do not matter here."""
        globs = self._named + self._folders
        return not globs or _any(globs, name)

    def accepts(self, name: str) -> bool:
        """Tell whether a file of a folder is a document."""
        if self.excludes(name):
            return False
        return _any(self._named, name) or (suffix(name) in SUFFIXES and self.includes(name))


def suffix(name: str) -> str:
    """Give the suffix in lower case, with its dot.

    Examples
    --------
    >>> suffix("a/GUIDE.MD"), suffix("LICENSE")
    ('.md', '')
    """
    return os.path.splitext(name)[1].lower()


def ignored_files(ignored: Mapping[str, int]) -> Text:
    """Write which files of a folder are no documents: those to be converted, then the most frequent suffixes.

    Examples
    --------
    >>> ignored_files({".png": 3, ".pdf": 12})
    '12 .pdf ignored: chunkscope convert makes Markdown of them; 3 .png ignored'
    """
    ranked = sorted(ignored.items(), key=lambda item: (item[0] not in TO_CONVERT, -item[1], item[0]))
    notes = [_ignored(kind, count) for kind, count in ranked[:_MOST_SUFFIXES]]
    rest = sum(count for _, count in ranked[_MOST_SUFFIXES:])
    notes += [say("{n} {n:other|others} ignored", n=rest)] if rest else []
    return say("{clauses:; }", clauses=notes)


def _ignored(kind: str, n: int) -> Text:
    if not kind:
        return say("{n} without suffix ignored", n=n)
    if kind in TO_CONVERT:
        return say("{n} {suffix} ignored: chunkscope convert makes Markdown of {n:it|them}", n=n, suffix=kind)
    return say("{n} {suffix} ignored", n=n, suffix=kind)


def _ends_in_wildcards(glob: str) -> bool:
    return glob.endswith("/") or glob.rsplit("/", 1)[-1] in ("*", "**")


def _any(globs: Sequence[Glob], name: str) -> bool:
    return any(glob.matches(name) for glob in globs)
