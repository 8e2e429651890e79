"""The vector cache: vectors by what they depend on, in one SQLite file that several processes may share.

A key is a digest of everything a vector depends on (`EmbeddingSpace`, and the text), so nothing in the file can go
stale: what has changed has another key. Every batch is a transaction. Every vector is held with a checksum over key
and numbers, and is looked at when it is read; one that does not fit is a miss. A damaged file is set aside, what is
sound in it is taken over, and the work goes on. Where nothing can be written, vectors stay in memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from chunkscope.errors import InputError, os_reason
from chunkscope.retrieval.dense import vector_rows as rows_of
from chunkscope.retrieval.dense.memory_store import MemoryStore
from chunkscope.retrieval.dense.vector_file import (
    FILE,
    check_owner,
    connect,
    damage,
    default_path,
    identity_of,
    is_damage,
    move_aside,
    sound_rows,
)
from chunkscope.retrieval.dense.vector_rows import SpaceInfo
from chunkscope.retrieval.providers.base import EmbeddingSpace, Vectors
from chunkscope.spans.intervals import BoolArray

Notify = Callable[[str], None]
T = TypeVar("T")
ODD = (ValueError, TypeError, OverflowError)
"""What values raise that were never written so."""


class VectorCache:
    """Vectors in a file, by everything they depend on.

    Parameters
    ----------
    path : path, optional
        A file, or a folder for one; by default in the user's cache folder.
    notify : callable, optional
        Is told, in one line each, what went wrong and what was done about it.
    max_pages : int, optional
        Most pages that the file may have: then it counts as full.

    Raises
    ------
    InputError
        The file belongs to something else, or was written by a later version. Nothing is changed then.

    Examples
    --------
    >>> import tempfile
    >>> cache = VectorCache(tempfile.mkdtemp())
    >>> space = EmbeddingSpace("hash", role="document")
    >>> cache.write(space, ["一"], np.ones((1, 2), dtype=np.float32))
    >>> found, vectors = cache.read(space, ["零", "一"])
    >>> found.tolist(), vectors.tolist()
    ([False, True], [[0.0, 0.0], [1.0, 1.0]])
    >>> cache.close()
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, notify: Notify | None = None, *, max_pages: int | None = None
    ) -> None:
        self.path = default_path() if path is None else Path(path).expanduser()
        if self.path.is_dir():
            self.path = self.path / FILE
        self._notify = notify or (lambda _: None)
        self._max_pages = max_pages
        self._memory = MemoryStore()
        self._writable = True
        self._db: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._today = int(time.time() // 86400)
        self._open()

    def __enter__(self) -> VectorCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None

    @property
    def is_writable(self) -> bool:
        """Tell whether what is written goes to the file."""
        return self._writable and self._db is not None

    def read(self, space: EmbeddingSpace, texts: Sequence[str]) -> tuple[BoolArray, Vectors]:
        """Look texts up.

        Parameters
        ----------
        space : EmbeddingSpace
        texts : sequence of str

        Returns
        -------
        found : bool (n,)
        vectors : float32 (n, d)
            Zeros where nothing is found.
        """
        keys = space.keys(texts)
        found, vectors = self._guarded(lambda db: self._read(db, keys), lambda: _nothing(len(keys)))
        found_here, held = self._memory.read_keys(keys)
        if not found.any():
            return found_here, held
        if held.shape[1] == vectors.shape[1]:
            vectors[found_here], found = held[found_here], found | found_here
        return found, vectors

    def has(self, space: EmbeddingSpace, texts: Sequence[str]) -> BoolArray:
        """Tell which texts have an entry, without reading the vectors."""
        keys = space.keys(texts)
        there = self._guarded(lambda db: rows_of.find_keys(db, keys), set[bytes])
        found = np.array([key in there for key in keys], dtype=np.bool_)
        return found | self._memory.has(space, texts)

    def width(self, space: EmbeddingSpace) -> int | None:
        """How many numbers the vectors of a space have; None where it has none yet."""
        return self._guarded(lambda db: rows_of.width_of(db, space), lambda: None)

    def write(self, space: EmbeddingSpace, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors, in one transaction; in memory where the file takes none."""
        if not len(texts):
            return
        if self.is_writable:
            numbers = (row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4"))
            rows = list(zip(space.keys(texts), numbers, strict=True))
            self._guarded(lambda db: rows_of.write_vectors(db, space, rows, self._today), lambda: None)
            if self.is_writable:
                return
        self._memory.write(space, texts, vectors)

    def spaces(self) -> list[SpaceInfo]:
        """Tell what the cache holds."""
        return self._guarded(rows_of.list_spaces, list)

    def prune(self, *, unused_days: int | None = None, provider: str | None = None) -> int:
        """Delete vectors, and give how many.

        Parameters
        ----------
        unused_days : int, optional
            Those that have not been used for so many days.
        provider : str, optional
            Those of this provider, or of ``provider:model``.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        if not self.is_writable:
            raise InputError(f"{self.path}: cannot be written")
        last_day = None if unused_days is None else self._today - unused_days
        n_deleted = self._guarded(lambda db: rows_of.delete_vectors(db, last_day, provider), lambda: -1)
        if n_deleted < 0:
            raise InputError(f"{self.path}: nothing could be deleted")
        return n_deleted

    def _read(self, db: sqlite3.Connection, keys: Sequence[bytes]) -> tuple[BoolArray, Vectors]:
        found = rows_of.find_vectors(db, keys, self._today)
        if not found.all_sound:
            rows_of.check_whole(db)
        if self._writable:
            rows_of.touch(db, found.to_touch, self._today)
        return found.found, found.vectors

    # ---- the file

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._do_without(f"{self.path.parent}: {os_reason(error)}")
            return
        if self.path.exists() and not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
            if not self._open_to_read():
                self._do_without(f"{self.path}: cannot be opened")
            return
        self._identity = identity_of(self.path)
        try:
            self._connect()
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                self._set_aside(error)
            elif not self._open_to_read():
                self._do_without(f"{self.path}: {error}")
        except UnicodeDecodeError:
            self._set_aside(damage("its head is not that of a vector cache"))

    def _open_to_read(self) -> bool:
        """Open a file that cannot be written."""
        with contextlib.suppress(sqlite3.DatabaseError):
            db = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
            check_owner(self.path, db)
            if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                self._db, self._writable = db, False
                self._notify(f"warning: {self.path}: is read-only; new vectors stay in memory")
                return True
            db.close()
        return False

    def _do_without(self, reason: str) -> None:
        self.close()
        self._writable = False
        self._notify(f"warning: {reason}; vectors stay in memory")

    def _connect(self) -> None:
        self._db = connect(self.path, self._max_pages)
        self._identity = identity_of(self.path)

    def _guarded(self, work: Callable[[sqlite3.Connection], T], otherwise: Callable[[], T]) -> T:
        """Do something with the file; where it turns out damaged, set it aside and do it again with a new one."""
        for _ in range(2):
            if self._db is not None and self._writable and identity_of(self.path) != self._identity:
                # another process has set the file aside; what is written to it now would be lost
                self.close()
                self._open()
            if self._db is None:
                return otherwise()
            try:
                return work(self._db)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    self._give_up_writing(error)
                    return otherwise()
                reason = error
            except ODD as error:
                reason = damage(f"it holds what was never written: {error}")
            self.close()
            self._set_aside(reason)
        return otherwise()

    def _give_up_writing(self, error: sqlite3.Error) -> None:
        if self._writable:
            self._writable = False
            self._notify(f"warning: {self.path}: {error}; from here on vectors stay in memory")

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Move a damaged file away, and take over what is sound in it."""
        aside = None
        try:
            if identity_of(self.path) == self._identity:  # else another process was first
                aside = move_aside(self.path)
            self._connect()
        except OSError as trouble:
            self._do_without(f"{self.path}: {error}, and it cannot be moved away: {os_reason(trouble)}")
            return
        except sqlite3.DatabaseError as trouble:
            self._do_without(f"{self.path}: {trouble}")
            return
        n_saved = 0
        if aside is not None and self._db is not None:
            with contextlib.suppress(sqlite3.Error, *ODD):
                for space, rows in sound_rows(aside):
                    n_saved += rows_of.take_over(self._db, space, rows, self._today)
        where = f"moved to {aside.name}" if aside is not None else "another process has moved it away"
        self._notify(f"warning: {self.path}: damaged ({error}); {where}, {n_saved} sound vectors were taken over")


def _nothing(n: int) -> tuple[BoolArray, Vectors]:
    return np.zeros(n, dtype=np.bool_), np.zeros((n, 0), dtype=np.float32)
