"""The vector cache: vectors by what they depend on, in one SQLite file that several processes may share.

A key is a digest of everything a vector depends on (`Space`, and the text), so nothing in the file can go stale: what
has changed has another key. Every batch is a transaction. Every vector is held with a checksum over key and numbers,
and is looked at when it is read; one that does not fit is a miss. A damaged file is set aside, what is sound in it is
taken over, and the work goes on. Where nothing can be written, vectors stay in memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import numpy as np

from chunkscope.errors import InputError
from chunkscope.retrieval.memory_store import MemoryStore
from chunkscope.retrieval.providers.base import Space, Vectors
from chunkscope.retrieval.vector_file import (
    FILE,
    INSERT_VECTOR,
    check_owner,
    checksum_of,
    connect,
    damage,
    default_path,
    is_damage,
    move_aside,
    sound_rows,
)
from chunkscope.spans import BoolArray

KEYS_IN_A_QUERY = 512

Notify = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class SpaceInfo:
    """What a cache holds of one space."""

    space: Space
    vectors: int
    width: int
    last_used: str

    @property
    def n_bytes(self) -> int:
        """Bytes of the numbers themselves."""
        return self.vectors * self.width * 4


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
    >>> space = Space("hash", role="document")
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

    def read(self, space: Space, texts: Sequence[str]) -> tuple[BoolArray, Vectors]:
        """Look texts up.

        Parameters
        ----------
        space : Space
        texts : sequence of str

        Returns
        -------
        found : bool (n,)
        vectors : float32 (n, d)
            Zeros where nothing is found.
        """
        keys = space.keys(texts)
        found, vectors = self._guarded(lambda: self._read(keys), lambda: _nothing(len(keys)))
        found_here, held = self._memory.read_keys(keys)
        if not found.any():
            return found_here, held
        if held.shape[1] == vectors.shape[1]:
            vectors[found_here], found = held[found_here], found | found_here
        return found, vectors

    def has(self, space: Space, texts: Sequence[str]) -> BoolArray:
        """Tell which texts have an entry, without reading the vectors."""
        keys = space.keys(texts)
        found = self._guarded(lambda: self._has(keys), lambda: np.zeros(len(keys), dtype=np.bool_))
        return found | self._memory.has(space, texts)

    def width(self, space: Space) -> int | None:
        """How many numbers the vectors of a space have; None where it has none yet."""

        def look() -> int | None:
            row = self._connection.execute("SELECT width FROM spaces WHERE digest = ?", (space.key(""),)).fetchone()
            return row[0] if row else None

        return self._guarded(look, lambda: None)

    def write(self, space: Space, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors, in one transaction; in memory where the file takes none."""
        if not len(texts):
            return
        if self.is_writable:
            numbers = (row.tobytes() for row in np.ascontiguousarray(vectors, dtype="<f4"))
            rows = list(zip(space.keys(texts), numbers, strict=True))
            self._guarded(lambda: self._write(space, rows), lambda: None)
            if self.is_writable:
                return
        self._memory.write(space, texts, vectors)

    def spaces(self) -> list[SpaceInfo]:
        """Tell what the cache holds."""
        rows = self._guarded(
            lambda: self._connection.execute(
                "SELECT s.provider, s.endpoint, s.model, s.revision, s.dimensions, s.role, s.prompt, s.normalisation,"
                " s.width, count(e.key), max(e.used) FROM spaces s LEFT JOIN entries e ON e.space = s.id"
                " GROUP BY s.id ORDER BY s.provider, s.model, s.role, s.id"
            ).fetchall(),
            list,
        )
        return [SpaceInfo(Space(*row[:8]), row[9], row[8], _day(row[10])) for row in rows]

    def prune(self, *, unused_days: int | None = None, provider: str | None = None) -> int:
        """Delete vectors, and give how many.

        Parameters
        ----------
        unused_days : int, optional
            Those that have not been used for so many days.
        provider : str, optional
            Those of this provider, or of ``provider:model``.
        """
        conditions: list[str] = ["1"]
        values: list[int | str] = []
        if unused_days is not None:
            conditions.append("used <= ?")
            values.append(self._today - unused_days)
        if provider is not None:
            conditions.append("space IN (SELECT id FROM spaces WHERE provider = ? OR provider || ':' || model = ?)")
            values += [provider, provider]
        where = " AND ".join(conditions)
        if not self.is_writable:
            raise InputError(f"{self.path}: cannot be written")

        def delete() -> int:
            with self._transaction() as db:
                db.execute(f"DELETE FROM vectors WHERE id IN (SELECT vector FROM entries WHERE {where})", values)
                n_deleted = db.execute(f"DELETE FROM entries WHERE {where}", values).rowcount
                db.execute("DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM entries)")
                db.execute("DELETE FROM spaces WHERE id NOT IN (SELECT space FROM entries)")
            self._connection.execute("VACUUM")
            return n_deleted

        n_deleted = self._guarded(delete, lambda: -1)
        if n_deleted < 0:
            raise InputError(f"{self.path}: nothing could be deleted")
        return n_deleted

    # ---- the file

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            raise sqlite3.OperationalError("closed")
        return self._db

    def _open(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._do_without(f"{self.path.parent}: {(error.strerror or str(error)).lower()}")
            return
        if self.path.exists() and not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
            if not self._open_to_read():
                self._do_without(f"{self.path}: cannot be opened")
            return
        try:
            self._db = connect(self.path, self._max_pages)
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

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        db = self._connection
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
            raise

    def _guarded(self, work: Callable[[], T], otherwise: Callable[[], T]) -> T:
        """Do something with the file; where it turns out damaged, set it aside and do it again with a new one."""
        for _ in range(2):
            if self._db is None:
                return otherwise()
            try:
                return work()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    self._give_up_writing(error)
                    return otherwise()
                reason = error
            except (ValueError, TypeError, OverflowError) as error:  # a value of a kind that we never write
                reason = damage(f"it holds what was never written: {error}")
            self.close()
            self._set_aside(reason)
        return otherwise()

    def _give_up_writing(self, error: sqlite3.Error) -> None:
        if self._writable:
            self._writable = False
            self._notify(f"warning: {self.path}: {error}; from here on vectors stay in memory")

    # ---- reading and writing

    def _read(self, keys: Sequence[bytes]) -> tuple[BoolArray, Vectors]:
        found = np.zeros(len(keys), dtype=np.bool_)
        vectors = np.zeros((len(keys), 0), dtype=np.float32)
        to_touch: list[bytes] = []
        all_sound = True
        for first in range(0, len(keys), KEYS_IN_A_QUERY):
            some = keys[first : first + KEYS_IN_A_QUERY]
            places: dict[bytes, list[int]] = {}
            for number, key in enumerate(some, first):
                places.setdefault(key, []).append(number)
            marks = ",".join("?" * len(places))
            rows = self._connection.execute(
                "SELECT e.key, v.key, v.checksum, v.numbers, e.used, s.width FROM entries e"
                f" JOIN vectors v ON v.id = e.vector JOIN spaces s ON s.id = e.space WHERE e.key IN ({marks})",
                list(places),
            )
            for key, own_key, checksum, numbers, used, width in rows:
                is_sound = key == own_key and len(numbers) == 4 * width and checksum_of(key, numbers) == checksum
                all_sound &= is_sound
                if not is_sound:
                    continue
                if not vectors.shape[1]:
                    vectors = np.zeros((len(keys), width), dtype=np.float32)
                if width != vectors.shape[1]:
                    continue
                held = np.frombuffer(numbers, dtype="<f4")
                for number in places[key]:
                    vectors[number], found[number] = held, True
                if used != self._today:
                    to_touch.append(key)
        if not all_sound:
            self._check_whole()
        _drop_unfinite(found, vectors)
        self._touch(to_touch)
        return found, vectors

    def _check_whole(self) -> None:
        """Where one vector is wrong, more may be: look whether the file as such is sound."""
        told = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if told != "ok":
            raise damage(str(told).splitlines()[-1])

    def _has(self, keys: Sequence[bytes]) -> BoolArray:
        there: set[bytes] = set()
        for first in range(0, len(keys), KEYS_IN_A_QUERY):
            some = list(dict.fromkeys(keys[first : first + KEYS_IN_A_QUERY]))
            marks = ",".join("?" * len(some))
            there.update(
                row[0] for row in self._connection.execute(f"SELECT key FROM entries WHERE key IN ({marks})", some)
            )
        return np.array([key in there for key in keys], dtype=np.bool_)

    def _touch(self, keys: Sequence[bytes]) -> None:
        """Note that entries are used today; whoever cannot note it reads all the same."""
        if keys and self._writable:
            with contextlib.suppress(sqlite3.OperationalError), self._transaction() as db:
                db.executemany("UPDATE entries SET used = ? WHERE key = ?", [(self._today, key) for key in keys])

    def _write(self, space: Space, rows: Sequence[tuple[bytes, bytes]]) -> None:
        with self._transaction() as db:
            number = self._space_number(db, space, len(rows[0][1]) // 4)
            for key, numbers in rows:
                db.execute("DELETE FROM vectors WHERE id = (SELECT vector FROM entries WHERE key = ?)", (key,))
                held = db.execute(INSERT_VECTOR, (key, number, checksum_of(key, numbers), numbers))
                db.execute(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", (key, held.lastrowid, number, self._today)
                )
        if self._count([key for key, _ in rows]) != len({key for key, _ in rows}):
            self._check_whole()

    def _count(self, keys: Sequence[bytes]) -> int:
        """Count the entries that lead to a vector: what has just been written must be found again."""
        count = 0
        different = list(dict.fromkeys(keys))
        for first in range(0, len(different), KEYS_IN_A_QUERY):
            some = different[first : first + KEYS_IN_A_QUERY]
            marks = ",".join("?" * len(some))
            query = f"SELECT count(*) FROM entries e JOIN vectors v ON v.id = e.vector WHERE e.key IN ({marks})"
            count += self._connection.execute(query, some).fetchone()[0]
        return count

    def _space_number(self, db: sqlite3.Connection, space: Space, width: int) -> int:
        digest = space.key("")
        row = db.execute("SELECT id, width FROM spaces WHERE digest = ?", (digest,)).fetchone()
        if row and row[1] == width:
            return int(row[0])
        if row:  # vectors of another width can never be read with these
            db.execute("DELETE FROM vectors WHERE id IN (SELECT vector FROM entries WHERE space = ?)", (row[0],))
            db.execute("DELETE FROM entries WHERE space = ?", (row[0],))
            db.execute("DELETE FROM spaces WHERE id = ?", (row[0],))
        told = (space.provider, space.endpoint, space.model, space.revision, space.dimensions, space.role)
        rest = (space.prompt, space.normalisation, digest, width)
        added = db.execute(
            "INSERT INTO spaces (provider, endpoint, model, revision, dimensions, role, prompt, normalisation, digest,"
            " width) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            told + rest,
        )
        return int(added.lastrowid or 0)

    # ---- damage

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Move a damaged file away, and take over what is sound in it."""
        try:
            aside = move_aside(self.path)
        except OSError as trouble:
            self._do_without(f"{self.path}: {error}, and it cannot be moved away: {trouble.strerror}")
            return
        try:
            self._db = connect(self.path, self._max_pages)
        except sqlite3.DatabaseError as trouble:
            self._do_without(f"{self.path}: {trouble}")
            return
        n_saved = 0
        if aside is not None:
            with contextlib.suppress(sqlite3.Error, ValueError, TypeError, OverflowError):
                for space, rows in sound_rows(aside):
                    n_saved += self._take_over(space, rows)
        where = f"moved to {aside.name}" if aside is not None else "another process has moved it away"
        self._notify(f"warning: {self.path}: damaged ({error}); {where}, {n_saved} sound vectors were taken over")

    def _take_over(self, space: Space, rows: Sequence[tuple[bytes, int, bytes]]) -> int:
        with self._transaction() as db:
            number = self._space_number(db, space, len(rows[0][2]) // 4)
            for key, checksum, numbers in rows:
                if db.execute("SELECT 1 FROM entries WHERE key = ?", (key,)).fetchone():
                    continue
                held = db.execute(INSERT_VECTOR, (key, number, checksum, numbers))
                db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (key, held.lastrowid, number, self._today))
        return len(rows)


def _nothing(n: int) -> tuple[BoolArray, Vectors]:
    return np.zeros(n, dtype=np.bool_), np.zeros((n, 0), dtype=np.float32)


def _drop_unfinite(found: BoolArray, vectors: Vectors) -> None:
    step = max(1, (1 << 22) // max(vectors.shape[1], 1))
    for first in range(0, len(vectors), step):
        some = slice(first, first + step)
        bad = ~np.isfinite(vectors[some]).all(axis=1)
        if bad.any():
            vectors[some][bad] = 0.0
            found[some][bad] = False


def _day(number: int | None) -> str:
    return "" if number is None else datetime.fromtimestamp(number * 86400, UTC).date().isoformat()
