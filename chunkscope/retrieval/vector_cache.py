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
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from chunkscope.errors import InputError
from chunkscope.retrieval.providers.base import Space, Vectors
from chunkscope.spans import BoolArray

FORMAT = 1
"""Version of the file, in SQLite's user_version.

1: spaces, entries (key to number), vectors (number to float32, little-endian, with a checksum).
"""
APPLICATION = 0x63687673
"""In SQLite's application_id: what tells our files from others ("chvs")."""
FILE = "vectors.sqlite"
WAIT_FOR_OTHERS = 60.0
"""Seconds to wait for another process that writes."""
KEYS_IN_A_QUERY = 512
PAGE_BYTES = 16384
"""A page holds several vectors of usual widths, where the default page would hold none whole."""

_SCHEMA = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
CREATE TABLE spaces (
    id INTEGER PRIMARY KEY, provider TEXT NOT NULL, endpoint TEXT, model TEXT, revision TEXT, dimensions INTEGER,
    role TEXT NOT NULL, prompt TEXT, normalisation TEXT, digest BLOB NOT NULL UNIQUE, width INTEGER NOT NULL
);
CREATE TABLE entries (
    key BLOB PRIMARY KEY, vector INTEGER NOT NULL, space INTEGER NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL, space INTEGER NOT NULL, checksum INTEGER NOT NULL, numbers BLOB NOT NULL
);
"""

_HEAD = b"SQLite format 3\0"
_INSERT = "INSERT INTO vectors (key, space, checksum, numbers) VALUES (?, ?, ?, ?)"

Notify = Callable[[str], None]
T = TypeVar("T")


def default_path() -> Path:
    """Give the file in the user's cache folder."""
    folder = os.environ.get("CHUNKSCOPE_CACHE")
    if folder:
        return Path(folder).expanduser() / FILE
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "chunkscope" / FILE


class MemoryStore:
    """Vectors for as long as the program runs.

    Examples
    --------
    >>> store, space = MemoryStore(), Space("hash")
    >>> store.write(space, ["一"], np.ones((1, 2), dtype=np.float32))
    >>> found, vectors = store.read(space, ["零", "一"])
    >>> found.tolist(), vectors.tolist()
    ([False, True], [[0.0, 0.0], [1.0, 1.0]])
    """

    path: Path | None = None

    def __init__(self) -> None:
        self._held: dict[bytes, Vectors] = {}

    def read(self, space: Space, texts: Sequence[str]) -> tuple[BoolArray, Vectors]:
        """Look texts up; see `VectorCache.read`."""
        return self.read_keys(space.keys(texts))

    def read_keys(self, keys: Sequence[bytes]) -> tuple[BoolArray, Vectors]:
        """Look keys up."""
        rows = [self._held.get(key) for key in keys]
        width = next((len(row) for row in rows if row is not None), 0)
        vectors = np.zeros((len(keys), width), dtype=np.float32)
        found = np.zeros(len(keys), dtype=np.bool_)
        for number, row in enumerate(rows):
            if row is not None and len(row) == width:
                vectors[number], found[number] = row, True
        return found, vectors

    def write(self, space: Space, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep vectors."""
        self._held.update(zip(space.keys(texts), np.array(vectors, dtype=np.float32), strict=True))

    def has(self, space: Space, texts: Sequence[str]) -> BoolArray:
        """Tell which texts have a vector."""
        return np.array([key in self._held for key in space.keys(texts)], dtype=np.bool_)

    def width(self, space: Space) -> int | None:
        """How many numbers the vectors of a space have; not known here."""
        return None

    def close(self) -> None:
        """Let go."""


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
            self._guarded(lambda: self._write(space, texts, vectors), lambda: None)
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
        try:
            with self._transaction() as db:
                db.execute(f"DELETE FROM vectors WHERE id IN (SELECT vector FROM entries WHERE {where})", values)
                n_deleted = db.execute(f"DELETE FROM entries WHERE {where}", values).rowcount
                db.execute("DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM entries)")
                db.execute("DELETE FROM spaces WHERE id NOT IN (SELECT space FROM entries)")
            self._connection.execute("VACUUM")
        except sqlite3.Error as error:
            raise InputError(f"{self.path}: {error}") from None
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
            self._db = self._connect()
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                self._set_aside(error)
            elif not self._open_to_read():
                self._do_without(f"{self.path}: {error}")

    def _connect(self) -> sqlite3.Connection:
        """Open the file to write, and make its tables where it is new."""
        _check_head(self.path)
        db = sqlite3.connect(self.path, timeout=WAIT_FOR_OTHERS, isolation_level=None)
        try:
            self._check_owner(db)
            db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            if self._max_pages is not None:
                db.execute(f"PRAGMA max_page_count = {self._max_pages}")
            db.execute("BEGIN IMMEDIATE")  # one process makes the tables, the others wait and find them
            if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def _check_owner(self, db: sqlite3.Connection) -> None:
        owner = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        n_tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if n_tables and owner != APPLICATION:
            raise InputError(f"{self.path}: is a database of something else, no vector cache; name another file")
        if n_tables and version > FORMAT:
            raise InputError(
                f"{self.path}: written by a later version (format {version}, this one knows {FORMAT}); "
                "update chunkscope, or name another file with --cache"
            )

    def _open_to_read(self) -> bool:
        """Open a file that cannot be written."""
        with contextlib.suppress(sqlite3.DatabaseError):
            db = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
            self._check_owner(db)
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
                if not _is_damage(error):
                    self._give_up_writing(error)
                    return otherwise()
                self.close()
                self._set_aside(error)
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
                is_sound = key == own_key and len(numbers) == 4 * width and _checksum(key, numbers) == checksum
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
        _drop_unfinite(found, vectors)
        self._touch(to_touch)
        return found, vectors

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

    def _write(self, space: Space, texts: Sequence[str], vectors: Vectors) -> None:
        width = vectors.shape[1]
        with self._transaction() as db:
            number = self._space_number(db, space, width)
            for key, vector in zip(space.keys(texts), np.ascontiguousarray(vectors, dtype="<f4"), strict=True):
                numbers = vector.tobytes()
                db.execute("DELETE FROM vectors WHERE id = (SELECT vector FROM entries WHERE key = ?)", (key,))
                held = db.execute(_INSERT, (key, number, _checksum(key, numbers), numbers))
                db.execute(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", (key, held.lastrowid, number, self._today)
                )

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
            "INSERT INTO spaces (provider, endpoint, model, revision, dimensions, role, prompt, normalisation, digest, width)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            told + rest,
        )
        return int(added.lastrowid or 0)

    # ---- damage

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Move a damaged file away, and take over what is sound in it."""
        try:
            aside = _move_aside(self.path)
        except OSError as trouble:
            self._do_without(f"{self.path}: {error}, and it cannot be moved away: {trouble.strerror}")
            return
        try:
            self._db = self._connect()
        except sqlite3.DatabaseError as trouble:
            self._do_without(f"{self.path}: {trouble}")
            return
        n_saved = 0
        if aside is not None:
            with contextlib.suppress(sqlite3.Error):
                for space, rows in _sound_rows(aside):
                    n_saved += self._take_over(space, rows)
        where = f"moved to {aside.name}" if aside is not None else "another process has moved it away"
        self._notify(f"warning: {self.path}: damaged ({error}); {where}, {n_saved} sound vectors were taken over")

    def _take_over(self, space: Space, rows: Sequence[tuple[bytes, int, bytes]]) -> int:
        with self._transaction() as db:
            number = self._space_number(db, space, len(rows[0][2]) // 4)
            for key, checksum, numbers in rows:
                if db.execute("SELECT 1 FROM entries WHERE key = ?", (key,)).fetchone():
                    continue
                held = db.execute(_INSERT, (key, number, checksum, numbers))
                db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (key, held.lastrowid, number, self._today))
        return len(rows)


def _check_head(path: Path) -> None:
    """Refuse what is no database: SQLite takes a file of a few bytes for an empty one, and writes over it."""
    try:
        with open(path, "rb") as file:
            head = file.read(len(_HEAD))
    except OSError:
        return
    if head and head != _HEAD:
        error = sqlite3.DatabaseError("file is not a database")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error


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


def _is_damage(error: sqlite3.Error) -> bool:
    """Tell a file that is no database, or a broken one, from one that is busy, full, or not to be written."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return True
    # tables that are not there, or not ours: the schema's page is gone
    return code is not None and code & 0xFF == sqlite3.SQLITE_ERROR and "no such" in str(error)


def _move_aside(path: Path) -> Path | None:
    """Rename a file and what SQLite keeps beside it; None where it is gone already."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    for number in range(1000):
        aside = path.with_name(f"{path.name}.damaged-{stamp}" + (f"-{number}" if number else ""))
        if aside.exists():
            continue
        try:
            os.rename(path, aside)
        except FileNotFoundError:
            return None
        for suffix in ("-journal", "-wal", "-shm"):  # a journal left behind would be played into the new file
            with contextlib.suppress(FileNotFoundError):
                os.rename(f"{path}{suffix}", f"{aside}{suffix}")
        return aside
    raise FileExistsError(17, "too many damaged files are beside it")


def _sound_rows(path: Path) -> Iterator[tuple[Space, list[tuple[bytes, int, bytes]]]]:
    """Give what is whole in a damaged file, space by space: each vector is held against its checksum."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        db.execute("PRAGMA writable_schema = ON")  # or a file that is too short is not looked at, at all
        if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            return
        spaces = _readable(
            db, "SELECT id, provider, endpoint, model, revision, dimensions, role, prompt, normalisation FROM spaces"
        )
        named = {row[0]: Space(*row[1:]) for row in spaces}
        saved: dict[int, list[tuple[bytes, int, bytes]]] = {}
        for key, number, checksum, numbers in _readable_vectors(db):
            if number in named and len(numbers) % 4 == 0 and _checksum(key, numbers) == checksum:
                saved.setdefault(number, []).append((key, checksum, numbers))
        for number, rows in saved.items():
            width = len(rows[0][2])
            yield named[number], [row for row in rows if len(row[2]) == width]


def _checksum(key: bytes, numbers: bytes) -> int:
    return zlib.crc32(numbers, zlib.crc32(key))


def _readable(db: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    with contextlib.suppress(sqlite3.Error):
        yield from db.execute(query)


def _readable_vectors(db: sqlite3.Connection) -> Iterator[tuple[bytes, int, int, bytes]]:
    """Go through the vectors from both ends: pages between may be gone."""
    seen: set[int] = set()
    for order in ("ASC", "DESC"):
        for number, *row in _readable(db, f"SELECT id, key, space, checksum, numbers FROM vectors ORDER BY id {order}"):
            if number in seen:
                break
            seen.add(number)
            if [type(value) for value in row] == [bytes, int, int, bytes]:
                yield row[0], row[1], row[2], row[3]
