"""Spaces, entries and vectors in the cache's file: reading, writing and deleting on an open connection."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from chunkscope.retrieval.dense.vector_file import INSERT_VECTOR, checksum_of, damage
from chunkscope.retrieval.providers.base import EmbeddingSpace, Vectors
from chunkscope.spans.intervals import BoolArray

KEYS_IN_A_QUERY = 512


@dataclass(frozen=True)
class SpaceInfo:
    """What a cache holds of one space."""

    space: EmbeddingSpace
    vectors: int
    width: int
    last_used: str

    @property
    def n_bytes(self) -> int:
        """Bytes of the numbers themselves."""
        return self.vectors * self.width * 4


@dataclass(frozen=True)
class Found:
    """What reading gave.

    Attributes
    ----------
    found : bool (n,)
    vectors : float32 (n, d)
        Zeros where nothing is found.
    to_touch : tuple of bytes
        Keys that were last used on another day.
    all_sound : bool
        Whether every vector that was there is what was written.
    """

    found: BoolArray
    vectors: Vectors
    to_touch: tuple[bytes, ...]
    all_sound: bool


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Do all that stands within, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")
        raise


def find_vectors(db: sqlite3.Connection, keys: Sequence[bytes], today: int) -> Found:
    """Look vectors up; each is held against its checksum and must be finite."""
    found = np.zeros(len(keys), dtype=np.bool_)
    vectors = np.zeros((len(keys), 0), dtype=np.float32)
    to_touch: list[bytes] = []
    all_sound = True
    for places in _groups(keys):
        rows = db.execute(
            "SELECT e.key, v.key, v.checksum, v.numbers, e.used, s.width FROM entries e"
            f" JOIN vectors v ON v.id = e.vector JOIN spaces s ON s.id = e.space WHERE e.key IN ({_marks(places)})",
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
            if used != today:
                to_touch.append(key)
    _drop_unfinite(found, vectors)
    return Found(found, vectors, tuple(to_touch), all_sound)


def find_keys(db: sqlite3.Connection, keys: Sequence[bytes]) -> set[bytes]:
    """Give the keys that lead to a vector, without reading vectors."""
    there: set[bytes] = set()
    for places in _groups(keys):
        query = f"SELECT e.key FROM entries e JOIN vectors v ON v.id = e.vector WHERE e.key IN ({_marks(places)})"
        there.update(row[0] for row in db.execute(query, list(places)))
    return there


def write_vectors(
    db: sqlite3.Connection, space: EmbeddingSpace, rows: Sequence[tuple[bytes, bytes]], today: int
) -> None:
    """Write vectors by their keys, in one transaction; what was there is replaced."""
    with transaction(db):
        number = _space_number(db, space, len(rows[0][1]) // 4)
        for key, numbers in rows:
            db.execute("DELETE FROM vectors WHERE id = (SELECT vector FROM entries WHERE key = ?)", (key,))
            held = db.execute(INSERT_VECTOR, (key, number, checksum_of(key, numbers), numbers))
            db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", (key, held.lastrowid, number, today))
    written = {key for key, _ in rows}
    if find_keys(db, list(written)) != written:
        check_whole(db)


def take_over(
    db: sqlite3.Connection, space: EmbeddingSpace, rows: Sequence[tuple[bytes, int, bytes]], today: int
) -> int:
    """Write vectors with the checksums that they have, where there is none yet; give how many that are."""
    n_new = 0
    with transaction(db):
        number = _space_number(db, space, len(rows[0][2]) // 4)
        for key, checksum, numbers in rows:
            if not db.execute("SELECT 1 FROM entries WHERE key = ?", (key,)).fetchone():
                held = db.execute(INSERT_VECTOR, (key, number, checksum, numbers))
                db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (key, held.lastrowid, number, today))
                n_new += 1
    return n_new


def touch(db: sqlite3.Connection, keys: Sequence[bytes], today: int) -> None:
    """Note that entries are used today; where that cannot be noted, they are read all the same."""
    if keys:
        with contextlib.suppress(sqlite3.OperationalError), transaction(db):
            db.executemany("UPDATE entries SET used = ? WHERE key = ?", [(today, key) for key in keys])


def check_whole(db: sqlite3.Connection) -> None:
    """Where one vector is wrong, more may be: look whether the file as such is sound.

    Raises
    ------
    sqlite3.DatabaseError
        It is not.
    """
    told = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if told != "ok":
        raise damage(str(told).splitlines()[-1])


def delete_vectors(db: sqlite3.Connection, last_day: int | None, provider: str | None) -> int:
    """Delete what was last used on a day or before, of one provider or of all; give how many."""
    conditions: list[str] = ["1"]
    values: list[int | str] = []
    if last_day is not None:
        conditions.append("used <= ?")
        values.append(last_day)
    if provider is not None:
        conditions.append("space IN (SELECT id FROM spaces WHERE provider = ? OR provider || ':' || model = ?)")
        values += [provider, provider]
    where = " AND ".join(conditions)
    with transaction(db):
        db.execute(f"DELETE FROM vectors WHERE id IN (SELECT vector FROM entries WHERE {where})", values)
        n_deleted = db.execute(f"DELETE FROM entries WHERE {where}", values).rowcount
        db.execute("DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM entries)")
        db.execute("DELETE FROM spaces WHERE id NOT IN (SELECT space FROM entries)")
    db.execute("VACUUM")
    return n_deleted


def list_spaces(db: sqlite3.Connection) -> list[SpaceInfo]:
    """Tell what there is of each space."""
    rows = db.execute(
        "SELECT s.provider, s.endpoint, s.model, s.revision, s.dimensions, s.role, s.prompt, s.normalisation,"
        " s.width, count(e.key), max(e.used) FROM spaces s LEFT JOIN entries e ON e.space = s.id"
        " GROUP BY s.id ORDER BY s.provider, s.model, s.role, s.id"
    )
    return [SpaceInfo(EmbeddingSpace(*row[:8]), row[9], row[8], _day(row[10])) for row in rows]


def width_of(db: sqlite3.Connection, space: EmbeddingSpace) -> int | None:
    """Give how many numbers the vectors of a space have; None where there are none."""
    row = db.execute("SELECT width FROM spaces WHERE digest = ?", (space.key(""),)).fetchone()
    return row[0] if row else None


def _space_number(db: sqlite3.Connection, space: EmbeddingSpace, width: int) -> int:
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


def _groups(keys: Sequence[bytes]) -> Iterator[dict[bytes, list[int]]]:
    """Give some keys at a time, each with its places."""
    for first in range(0, len(keys), KEYS_IN_A_QUERY):
        places: dict[bytes, list[int]] = {}
        for number, key in enumerate(keys[first : first + KEYS_IN_A_QUERY], first):
            places.setdefault(key, []).append(number)
        yield places


def _marks(keys: Sequence[bytes] | dict[bytes, list[int]]) -> str:
    return ",".join("?" * len(keys))


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
