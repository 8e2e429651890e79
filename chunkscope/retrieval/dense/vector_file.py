"""The file of the vector cache: its tables, whose it is, what counts as damage, and what can be saved from it."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import sys
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from chunkscope.corpus.name_filter import SUFFIXES, TO_CONVERT
from chunkscope.errors import InputError
from chunkscope.retrieval.providers.base import EmbeddingSpace

FORMAT = 1
"""Version of the file, in SQLite's user_version.

1: spaces, entries (key to number), vectors (number to float32, little-endian, with a checksum).
"""
APPLICATION = 0x63687673
"""In SQLite's application_id: what tells our files from others ("chvs")."""
OWN_TABLES = frozenset({"spaces", "entries", "vectors"})
LAST_LIKELY_FORMAT = 100
"""A higher one is a head with changed bytes."""
FILE = "vectors.sqlite"
WAIT_FOR_OTHERS = 60.0
"""Seconds to wait for another process that writes."""
PAGE_BYTES = 16384
"""A page holds several vectors of usual widths, where the default page would hold none whole."""

SUFFIXES_OF_OTHERS = (
    *SUFFIXES, *TO_CONVERT, ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".toml", ".yaml", ".yml", ".xml", ".xhtml",
    ".rst", ".adoc", ".py", ".ipynb",
)  # fmt: skip
"""A file called so that is no database is no damaged cache: it was named by mistake."""

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
INSERT_VECTOR = "INSERT INTO vectors (key, space, checksum, numbers) VALUES (?, ?, ?, ?)"


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


def connect(path: Path, max_pages: int | None = None) -> sqlite3.Connection:
    """Open the file to write, and make its tables where it is new."""
    check_head(path)
    db = sqlite3.connect(path, timeout=WAIT_FOR_OTHERS, isolation_level=None)
    try:
        check_owner(path, db)
        db.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        if max_pages is not None:
            db.execute(f"PRAGMA max_page_count = {max_pages}")
        db.execute("BEGIN IMMEDIATE")  # one process makes the tables, the others wait and find them
        if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def check_owner(path: Path, db: sqlite3.Connection) -> None:
    """Refuse a file of something else, and one of a later version."""
    owner = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    if not tables:
        return
    is_ours = tables >= OWN_TABLES
    if owner != APPLICATION and not is_ours:
        raise InputError(f"{path}: is a database of something else, no vector cache; name another file")
    if owner != APPLICATION or version < 1 or version > LAST_LIKELY_FORMAT:
        raise damage("its head is not that of a vector cache")
    if version > FORMAT:
        raise InputError(
            f"{path}: written by a later version (format {version}, this one knows {FORMAT}); "
            "update chunkscope, or name another file with --cache"
        )


def check_head(path: Path) -> None:
    """Refuse what is no database: SQLite takes a file of a few bytes for an empty one, and writes over it."""
    if may_be_database(path):
        return
    if path.suffix.lower() in SUFFIXES_OF_OTHERS:
        raise InputError(f"{path}: is no vector cache; name another file")
    raise damage("file is not a database")


def may_be_database(path: Path) -> bool:
    """Tell whether a file begins as databases do, or is empty; of one that cannot be read nothing is known."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_HEAD)) in (_HEAD, b"")
    except OSError:
        return True


def damage(reason: str) -> sqlite3.DatabaseError:
    """Give an error that counts as damage."""
    error = sqlite3.DatabaseError(reason)
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error


def is_damage(error: sqlite3.Error) -> bool:
    """Tell a file that is no database, or a broken one, from one that is busy, full, or not to be written."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return True
    # tables that are not there, a file format that is none, a text that is no UTF-8
    return bool(re.search("no such|unsupported file format|could not decode|too big", str(error), re.IGNORECASE))


def identity_of(path: Path) -> tuple[int, int] | None:
    """Tell which file stands at a path, whatever it is called; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def move_aside(path: Path) -> Path | None:
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


def sound_rows(path: Path) -> Iterator[tuple[EmbeddingSpace, list[tuple[bytes, int, bytes]]]]:
    """Give what is whole in a damaged file, space by space: each vector is held against its checksum."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        db.execute("PRAGMA writable_schema = ON")  # or a file that is too short is not looked at, at all
        spaces = _readable(
            db, "SELECT id, provider, endpoint, model, revision, dimensions, role, prompt, normalisation FROM spaces"
        )
        named = {row[0]: EmbeddingSpace(*row[1:]) for row in spaces}
        saved: dict[int, list[tuple[bytes, int, bytes]]] = {}
        for key, number, checksum, numbers in _readable_vectors(db):
            if number in named and len(numbers) % 4 == 0 and checksum_of(key, numbers) == checksum:
                saved.setdefault(number, []).append((key, checksum, numbers))
        for number, rows in saved.items():
            width = len(rows[0][2])
            yield named[number], [row for row in rows if len(row[2]) == width]


def checksum_of(key: bytes, numbers: bytes) -> int:
    return zlib.crc32(numbers, zlib.crc32(key))


def _readable(db: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    with contextlib.suppress(sqlite3.Error, ValueError, TypeError, OverflowError):
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
