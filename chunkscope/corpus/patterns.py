"""Patterns with wildcards, matched without backtracking: they may come from a folder that somebody else wrote."""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from chunkscope.errors import ConfigError

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
