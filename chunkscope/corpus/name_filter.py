"""Which files of a folder are documents: suffixes, and globs over the relative name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from chunkscope.corpus.patterns import Glob

SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".html", ".htm")
"""Read without being asked, in upper and lower case."""

TO_CONVERT = (".pdf", ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".xls", ".xlsx", ".epub", ".pages")
"""Documents, but not of text: they are to be converted first."""

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


def ignored_files(ignored: Mapping[str, int]) -> str:
    """Write which files of a folder are no documents: those to be converted, then the most frequent suffixes.

    Examples
    --------
    >>> ignored_files({".png": 3, ".pdf": 12})
    '12 .pdf ignored: convert them first; 3 .png ignored'
    """
    ranked = sorted(ignored.items(), key=lambda item: (item[0] not in TO_CONVERT, -item[1], item[0]))
    notes = [
        f"{count} {kind or 'without suffix'} ignored" + (": convert them first" if kind in TO_CONVERT else "")
        for kind, count in ranked[:_MOST_SUFFIXES]
    ]
    rest = sum(count for _, count in ranked[_MOST_SUFFIXES:])
    return "; ".join([*notes, f"{rest} others ignored"] if rest else notes)


def _ends_in_wildcards(glob: str) -> bool:
    return glob.endswith("/") or glob.rsplit("/", 1)[-1] in ("*", "**")


def _any(globs: Sequence[Glob], name: str) -> bool:
    return any(glob.matches(name) for glob in globs)
