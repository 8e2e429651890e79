"""Documents that leave their text in its file until it is asked for: a folder is never held whole."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from functools import cached_property

from chunkscope.corpus.decoding import decode
from chunkscope.corpus.document import Document, Markup
from chunkscope.errors import InputError, os_reason


@dataclass(frozen=True, slots=True)
class StoredText:
    """Where a text stands, and what it was when it was first read.

    Attributes
    ----------
    place : str
        The path of the file.
    encoding : str or None
    digest : str
        SHA-256 of the bytes, in hex.
    length : int
        Code points.
    """

    place: str
    encoding: str | None
    digest: str
    length: int

    def read(self, name: str) -> str:
        """Read the text; an `InputError` where it is no longer what it was."""
        try:
            raw = read_bytes(self.place)
        except OSError as error:
            raise InputError(f"{name}: {os_reason(error)}") from None
        if hashlib.sha256(raw).hexdigest() != self.digest:
            raise InputError(f"{name}: the file has changed since it was first read")
        return decode(raw, name, self.encoding)


class FileDocument(Document):
    """A document that reads its text when first asked for it; until then it goes to other processes without it.

    One made as any document is made, by `dataclasses.replace` for example, has its text.
    """

    _stored: StoredText | None = None

    @classmethod
    def of(cls, name: str, markup: Markup, stored: StoredText) -> FileDocument:
        """Make one of all that a document has, but for the text."""
        document = cls.__new__(cls)
        document.__dict__.update(name=name, fields={}, markup=markup, _stored=stored)
        return document

    @property
    def length(self) -> int:
        """Code points of the text, known without it."""
        return self._stored.length if self._stored else super().length

    @cached_property
    def text(self) -> str:
        """The decoded text."""
        if self._stored is None:
            raise AttributeError("text")
        return self._stored.read(self.name)

    def __repr__(self) -> str:
        return super().__repr__() if "text" in self.__dict__ else f"FileDocument(name={self.name!r}, text=...)"


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
