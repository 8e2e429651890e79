"""The file of a store: where it is, whose it is, its tables, and how a damaged one is moved away."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

from chunkscope.errors import InputError

FORMAT = 1
"""Version of the tables, in SQLite's user_version."""
APPLICATION = 0x6368736B
"""In SQLite's application_id ("chsk"): only a file whose header holds it is ever read, written or renamed."""
FILE = "store.sqlite"
WAIT_FOR_OTHERS = 60.0
"""Seconds to wait for another process that writes."""

# a page of 16 KB holds several vectors of usual widths, where the default page would hold none whole
_SCHEMA = f"""
PRAGMA page_size = 16384;
BEGIN IMMEDIATE;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
CREATE TABLE IF NOT EXISTS namespaces (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS blobs (id INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, blob BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    namespace INTEGER, key BLOB, blob INTEGER NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
) WITHOUT ROWID;
COMMIT
"""
_MAY_PASS = frozenset(
    {
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_AUTH,
    }
)  # fmt: skip


def default_path() -> Path:
    """Give the file in the user's cache folder, or in the folder that CHUNKSCOPE_CACHE names."""
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


def file_at(path: str | os.PathLike[str]) -> Path:
    """Give the file that a path means: in a folder ours, behind a link what it leads to; links are not renamed.

    Raises
    ------
    InputError
        A link that leads nowhere: no file is made where somebody else's link says.
    """
    given = Path(path).expanduser()
    named = given / FILE if given.is_dir() else given
    if named.is_symlink() and not named.exists():
        raise InputError(f"{named}: a link that leads nowhere; name the file itself")
    return Path(os.path.realpath(named))


def is_store(path: Path) -> bool:
    """Tell whether a store is at a path; False where nothing is, or an empty file.

    Raises
    ------
    InputError
        Something else is there, or a store of a later version.
    OSError
        It cannot be read.
    """
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path}: is no regular file, so no cache of chunkscope; name another file")
    if not status.st_size:
        return False
    with open(path, "rb") as file:
        header = file.read(100)  # https://www.sqlite.org/fileformat.html, "The Database Header"
    if not header.startswith(b"SQLite format 3\0") or int.from_bytes(header[68:72]) != APPLICATION:
        raise InputError(f"{path}: is no cache of chunkscope; name another file")
    version = int.from_bytes(header[60:64])
    if version > FORMAT:
        raise InputError(
            f"{path}: written by a later version (format {version}, this one knows {FORMAT}); "
            "update chunkscope, or name another file"
        )
    return True


def connect(path: Path, *, is_new: bool = False) -> sqlite3.Connection:
    """Open a store to write; a new one is made where only its owner may read it."""
    if is_new:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        os.chmod(path, 0o600)  # where an empty file was
    db = sqlite3.connect(path, timeout=WAIT_FOR_OTHERS, isolation_level=None)
    try:
        if is_new:
            make_tables(db)  # one process makes them, others wait for it
    except BaseException:
        db.close()
        raise
    return db


def make_tables(db: sqlite3.Connection) -> None:
    """Make the tables of a store that are not there."""
    for statement in _SCHEMA.split(";"):
        db.execute(statement)


def check_tables(db: sqlite3.Connection) -> None:
    """Refuse a file with views, triggers or other tables: somebody else made them, and asking them may never end.

    Raises
    ------
    sqlite3.DatabaseError
        Something that no store has is in it; what lacks shows when it is asked for.
    """
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        make_tables(new)
        known = set(new.execute(query))
    if not known.issuperset(db.execute(query)):
        raise sqlite3.DatabaseError("it holds what no cache has")


def is_damage(error: sqlite3.Error) -> bool:
    """Tell a broken file, or one whose tables are not there, from one that is busy, full, or not to be written."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _MAY_PASS


def identity_of(path: Path) -> tuple[int, int] | None:
    """Tell which file stands at a path, whatever it is called; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def move_aside(path: Path) -> Path:
    """Rename a file, and what SQLite keeps beside it: a journal left behind would be played into the new file."""
    aside = f"{path}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S.%f}"
    os.rename(path, aside)
    for suffix in ("-journal", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.rename(f"{path}{suffix}", f"{aside}{suffix}")
    return Path(aside)
