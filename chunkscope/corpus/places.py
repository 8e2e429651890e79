"""Where bytes stand: a file of this machine, or what a URL names; and what of a URL may be shown."""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass, field
from typing import Protocol

from chunkscope.corpus.decoding import read_bytes

_URL = re.compile(r"[a-z][a-z0-9+.-]+://|[a-z][a-z0-9+.-]+::", re.IGNORECASE)
# a password may hold a slash that nobody escaped; a colon and digits are a port
_USER = re.compile(r"(://)(?:[^/@\s]*@|[^/@\s:]*:(?!\d*(?:/|$))[^@\s]*@)")
_QUERY = re.compile(r"[?#].*", re.DOTALL)


def is_url(path: str) -> bool:
    """Tell whether a corpus is named by a URL, several chained by ``::`` among them.

    Examples
    --------
    >>> [is_url(path) for path in ("s3://bucket/docs", "zip://docs::https://host/a.zip", "docs/a.md", "C:/docs")]
    [True, True, False, False]
    """
    return bool(_URL.match(path))


def shown_url(path: str) -> str:
    """Give a path as it may be printed and stored: a URL without user, password, query and fragment.

    Examples
    --------
    >>> shown_url("https://me:secret@host/docs/a.md?sig=x"), shown_url("zip://*.md::s3://k:s@bucket/a.zip?t=1")
    ('https://host/docs/a.md', 'zip://*.md::s3://bucket/a.zip')
    >>> shown_url("what?.md")
    'what?.md'
    """
    if not is_url(path):
        return path
    return "::".join(_shown_link(link) for link in path.split("::"))


def _shown_link(link: str) -> str:
    link = _USER.sub(r"\1", link)
    # globs inside an archive have question marks of their own, and no secrets
    return link if link.startswith(("zip://", "tar://")) else _QUERY.sub("", link)


class DocumentPlace(Protocol):
    """Where a file stands. What goes wrong is an `OSError` whose ``strerror`` says what, without secrets."""

    @property
    def shown(self) -> str:
        """What to call it in messages and results."""

    @property
    def name(self) -> str:
        """Of the file, without folders."""

    def open(self) -> io.BufferedIOBase:
        """Open it for reading; one that can be sought in."""

    def read(self) -> bytes:
        """Read all of it."""

    def part(self, offset: int, n_bytes: int) -> bytes:
        """Read a part; less than was asked for where the file has less."""

    def state(self) -> tuple[int, str]:
        """Give its size, and what changes with what it holds: a time, or a tag of the server."""


@dataclass(frozen=True)
class LocalPlace:
    """A file of this machine.

    Attributes
    ----------
    shown : str
        As it was given.
    path : str
        The same from everywhere.
    """

    shown: str
    path: str = field(repr=False)

    @classmethod
    def of(cls, path: str) -> LocalPlace:
        """Take a path from the current folder."""
        return cls(path, os.path.join(os.getcwd(), path))

    @property
    def name(self) -> str:
        """Of the file, without folders."""
        return os.path.basename(self.path)

    def open(self) -> io.BufferedIOBase:
        """Open it."""
        return open(self.path, "rb")

    def read(self) -> bytes:
        """Read all of it."""
        return read_bytes(self.path)

    def part(self, offset: int, n_bytes: int) -> bytes:
        """Read a part."""
        with open(self.path, "rb", buffering=0) as file:
            file.seek(offset)
            return file.read(n_bytes) or b""

    def state(self) -> tuple[int, str]:
        """Give size and time of change."""
        status = os.stat(self.path)
        return status.st_size, str(status.st_mtime_ns)


def has_hidden(path: str) -> bool:
    """Tell whether a relative path leads through a hidden file or folder.

    Examples
    --------
    >>> has_hidden(".git/config"), has_hidden("../a.md"), has_hidden("./a.md")
    (True, False, False)
    """
    parts = path.replace(os.sep, "/").split("/")
    return any(part.startswith(".") and part not in (os.curdir, os.pardir) for part in parts)
