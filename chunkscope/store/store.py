"""Blobs by namespace and key, in one SQLite file that several processes may share, or in memory.

A namespace and a key name everything that a blob depends on, so nothing can go stale: what has changed has another
name. Every batch is a transaction. A blob is held with a checksum over namespace, key and blob, and one that does not
fit is a miss. A damaged file is moved aside and a new one begun; where nothing can be written, blobs stay in memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from chunkscope.errors import InputError, os_reason
from chunkscope.store.file import check_tables, connect, file_at, identity_of, is_damage, is_store, move_aside

T = TypeVar("T")
KEYS_IN_A_QUERY = 512
_NUMBER = "(SELECT id FROM namespaces WHERE name = ?)"


@dataclass(frozen=True)
class NamespaceInfo:
    """What a store's file holds of one namespace; the day of its last use is written ``2026-01-31``."""

    name: str
    n_blobs: int
    n_bytes: int
    last_used: str


class Store:
    """Blobs by namespace and key.

    Parameters
    ----------
    path : path, optional
        A file, or a folder for one; without it blobs are kept in memory. Nothing is made before something is put.
    on_warning : callable, optional
        Is told, in one line each, what went wrong and what was done about it.

    Raises
    ------
    InputError
        What is at the path belongs to something else, or was written by a later version. It is not touched.

    Examples
    --------
    >>> import tempfile
    >>> with Store(tempfile.mkdtemp()) as store:
    ...     store.put_many("squares", [b"2", b"3"], [b"4", b"9"])
    ...     store.get_many("squares", [b"3", b"5"])
    [b'9', None]
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, on_warning: Callable[[str], None] | None = None
    ) -> None:
        self.path = Path(":memory:") if path is None else file_at(path)
        self.is_writable = path is not None
        self._in_memory = path is None
        self._warn = on_warning or (lambda _: None)
        self._memory: dict[tuple[str, bytes], bytes] = {}
        self._db: sqlite3.Connection | None = None
        self._checked: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._today = int(time.time() // 86400)
        self._file()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._db = None

    def get_many(self, namespace: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """Look keys up: the blob of each, None where there is none."""
        found: dict[bytes, bytes] = self._try(lambda db: self._get(db, namespace, keys), {})
        return [self._memory.get((namespace, key), found.get(key)) for key in keys]

    def put_many(self, namespace: str, keys: Sequence[bytes], blobs: Sequence[bytes]) -> None:
        """Keep blobs, in one transaction; what was there under their keys is replaced."""
        rows = [(key, blob, _checksum(namespace, key, blob)) for key, blob in zip(keys, blobs, strict=True)]
        if not self.is_writable or not self._try(lambda db: self._put(db, namespace, rows), False, create=True):
            self._memory.update(((namespace, key), blob) for key, blob, _ in rows)

    def namespaces(self, name: str | None = None) -> list[NamespaceInfo]:
        """Tell what the file holds, of one namespace or of all."""
        return self._try(lambda db: _namespaces(db, name), [])

    def prune(self, *, namespaces: Iterable[str] | None = None, unused_days: int | None = None) -> int:
        """Delete blobs of the file, and give how many.

        Parameters
        ----------
        namespaces : iterable of str, optional
            Of these only.
        unused_days : int, optional
            Only what has not been used for so many days.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        last_day = self._today - (-1 if unused_days is None else unused_days)
        names = None if namespaces is None else list(namespaces)
        if self._file() is None and self.is_writable:
            return 0
        n_deleted = self._try(lambda db: _delete(db, names, last_day), -1) if self.is_writable else -1
        if n_deleted < 0:
            raise InputError(f"{self.path}: cannot be written, so nothing is deleted")
        return n_deleted

    def _get(self, db: sqlite3.Connection, namespace: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        query = "SELECT e.key, e.used, b.checksum, b.blob FROM entries e LEFT JOIN blobs b ON b.id = e.blob"
        found, to_touch, is_sound = {}, [], True
        for key, used, checksum, blob in _rows(db, query, namespace, keys):
            if isinstance(blob, bytes) and checksum == _checksum(namespace, key, blob):
                found[key] = blob
                if used != self._today:
                    to_touch.append((self._today, namespace, key))
            else:
                is_sound = False
        if not is_sound:
            _check_whole(db)  # where one blob is wrong, more may be
        if to_touch and self.is_writable:
            # where the day cannot be noted, blobs are read all the same
            with contextlib.suppress(sqlite3.OperationalError), _transaction(db):
                db.executemany(f"UPDATE entries SET used = ? WHERE namespace = {_NUMBER} AND key = ?", to_touch)
        return found

    def _put(self, db: sqlite3.Connection, namespace: str, rows: Sequence[tuple[bytes, bytes, int]]) -> bool:
        with _transaction(db):
            db.execute("INSERT OR IGNORE INTO namespaces (name) VALUES (?)", (namespace,))
            number = db.execute(f"SELECT {_NUMBER}", (namespace,)).fetchone()[0]
            for key, blob, checksum in rows:
                held = db.execute("INSERT INTO blobs (checksum, blob) VALUES (?, ?)", (checksum, blob)).lastrowid
                # a blob that is replaced stays, without an entry, until something is pruned
                entry = (number, key, held, len(blob), self._today)
                db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", entry)
        keys = {key for key, _, _ in rows}
        if sum(1 for _ in _rows(db, "SELECT key FROM entries", namespace, list(keys))) < len(keys):
            _check_whole(db)
        return True

    # ---- the file, and what may become of it

    def _file(self, *, create: bool = False) -> sqlite3.Connection | None:
        """Give the open file, once it is there or is to be made; None where none can be used."""
        if self._db is not None and self.is_writable and identity_of(self.path) != self._identity:
            self.close()  # another process has moved it aside; what is written to it now would be lost
        if self._db is not None or self._in_memory:
            return self._db
        try:
            is_there = is_store(self.path)
            self._identity = identity_of(self.path)
            if is_there and not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
                self._db = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, isolation_level=None)
                self.is_writable = False
                self._warn(f"{self.path}: is read-only; what is new stays in memory")
            elif is_there or create:
                self._db = connect(self.path, is_new=not is_there)
                self._identity = identity_of(self.path)
        except (OSError, sqlite3.Error) as error:
            self._do_without(f"{self.path}: {os_reason(error)}")
        return self._db

    def _try(self, work: Callable[[sqlite3.Connection], T], otherwise: T, *, create: bool = False) -> T:
        """Do something with the file; where it turns out damaged, set it aside and try again with a new one."""
        for _ in range(2):
            db = self._file(create=create)
            if db is None:
                return otherwise
            try:
                if db is not self._checked:
                    check_tables(db)
                    self._checked = db
                return work(db)
            except (sqlite3.ProgrammingError, UnicodeEncodeError):  # mistakes of the caller
                raise
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    if self.is_writable:
                        self.is_writable = False
                        self._warn(f"{self.path}: {error}; from here on, what is new stays in memory")
                    return otherwise
                self._set_aside(error)
            except (ValueError, TypeError, OverflowError) as error:  # from values that were never written so
                self._set_aside(error)
        return otherwise

    def _set_aside(self, reason: Exception) -> None:
        self.close()
        told = f"{self.path}: damaged ({reason})"
        try:
            if identity_of(self.path) != self._identity:
                self._warn(f"{told}; another process has moved it away")
            else:
                self._warn(f"{told}; moved to {move_aside(self.path).name}, and a new one is begun")
        except OSError as error:
            self._do_without(f"{told}, and it cannot be moved away: {os_reason(error)}")

    def _do_without(self, reason: str) -> None:
        self.close()
        self.is_writable, self._in_memory = False, True
        self._warn(f"{reason}; what is new stays in memory")


def _checksum(namespace: str, key: bytes, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(key, zlib.crc32(namespace.encode())))


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")
        raise


def _check_whole(db: sqlite3.Connection) -> None:
    found = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
    if found != "ok":
        raise sqlite3.DatabaseError(found.splitlines()[-1])


def _rows(db: sqlite3.Connection, query: str, namespace: str, keys: Sequence[bytes]) -> Iterator[tuple[Any, ...]]:
    """Look keys up, some at a time."""
    for first in range(0, len(keys), KEYS_IN_A_QUERY):
        some = keys[first : first + KEYS_IN_A_QUERY]
        marks = ",".join("?" * len(some))
        yield from db.execute(f"{query} WHERE namespace = {_NUMBER} AND key IN ({marks})", (namespace, *some))


def _namespaces(db: sqlite3.Connection, name: str | None) -> list[NamespaceInfo]:
    rows = db.execute(
        "SELECT n.name, count(*), sum(e.size), max(e.used) FROM entries e JOIN namespaces n ON n.id = e.namespace"
        " WHERE ?1 IS NULL OR n.name = ?1 GROUP BY n.id ORDER BY n.name",
        (name,),
    )
    return [
        NamespaceInfo(str(found), n_blobs, int(n_bytes), datetime.fromtimestamp(day * 86400, UTC).date().isoformat())
        for found, n_blobs, n_bytes, day in rows
    ]


def _delete(db: sqlite3.Connection, names: list[str] | None, last_day: int) -> int:
    """Delete what was last used on a day or before; give how many."""
    query = "DELETE FROM entries WHERE used <= ?"
    if names is not None:
        query += f" AND namespace IN (SELECT id FROM namespaces WHERE name IN ({','.join('?' * len(names))}))"
    with _transaction(db):
        n_deleted = db.execute(query, (last_day, *(names or ()))).rowcount
        db.execute("DELETE FROM blobs WHERE id NOT IN (SELECT blob FROM entries)")
        db.execute("DELETE FROM namespaces WHERE id NOT IN (SELECT namespace FROM entries)")
    db.execute("VACUUM")
    return n_deleted
