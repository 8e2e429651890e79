"""Regular expressions that are built when they are first used."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def lazily(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Give a pattern that is compiled when it is first used.

    No text needs all of the patterns by which sentences are read, and building them takes a fifth of a second, which
    every command and every worker process would spend at its start.

    Examples
    --------
    >>> number = lazily("[0-9]+")
    >>> number.fullmatch("12") is not None, number.fullmatch("1b") is not None
    (True, False)
    """
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))


class _Lazy:
    """Stands for a pattern; what was asked of it once is its own from then on."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._made_of = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._made_of), name)
        setattr(self, name, value)
        return value
