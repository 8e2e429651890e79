"""The store: never a wrong blob, and never a file of someone else, whatever happens."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope.errors import InputError
from chunkscope.store import Store
from chunkscope.store.file import APPLICATION, FILE, FORMAT, default_path

SPACE = "numbers"
KEYS = [f"文 {number}".encode() for number in range(300)]
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals, permissions and kinds of files of POSIX")


def blob(key: bytes, size: int = 64) -> bytes:
    return random.Random(key).randbytes(size)


def fill(path, keys, size: int = 64, on_warning=None) -> None:
    with Store(path, on_warning) as store:
        for first in range(0, len(keys), 50):
            some = keys[first : first + 50]
            store.put_many(SPACE, some, [blob(key, size) for key in some])


def n_right(store, keys, size: int = 64) -> int:
    found = [(key, held) for key, held in zip(keys, store.get_many(SPACE, keys), strict=True) if held is not None]
    assert all(held == blob(key, size) for key, held in found)
    return len(found)


def change(path, *statements) -> None:
    db = sqlite3.connect(path)
    with db:
        for statement in statements:
            db.execute(statement)
    db.close()


def test_what_is_put_is_got_bit_by_bit(tmp_path):
    fill(tmp_path, KEYS)
    with Store(tmp_path) as store:
        assert n_right(store, KEYS) == 300
        assert store.get_many(SPACE, [b"nothing", KEYS[1], KEYS[1], b""]) == [None, blob(KEYS[1]), blob(KEYS[1]), None]
        assert store.get_many("another", KEYS[:2]) == [None, None]


@given(st.lists(st.binary(max_size=3), max_size=12), st.lists(st.binary(max_size=3), max_size=12))
@settings(max_examples=40)
def test_the_file_and_the_memory_behave_alike(tmp_path_factory, put, got):
    with Store() as memory, Store(tmp_path_factory.mktemp("store")) as file:
        for store in (memory, file):
            store.put_many(SPACE, put, [blob(key) for key in put])
        assert memory.get_many(SPACE, got) == file.get_many(SPACE, got)


def test_a_blob_is_replaced_by_the_last_that_was_put(tmp_path):
    with Store(tmp_path) as store:
        store.put_many(SPACE, [b"a"], [b"first"])
        store.put_many(SPACE, [b"a"], [blob(b"a")])
        assert n_right(store, [b"a"]) == 1
        assert store.namespaces()[0].n_blobs == 1


def test_looking_makes_no_file(tmp_path):
    path = tmp_path / "folder" / "store"
    with Store(path) as store:
        assert store.get_many(SPACE, KEYS[:1]) == [None]
        assert store.get_many(SPACE, KEYS[:1]) == [None]
        assert store.namespaces() == []
        assert store.prune() == 0
        assert not path.parent.exists()
        store.put_many(SPACE, KEYS[:1], [blob(KEYS[0])])
    assert path.is_file()


@pytest.mark.parametrize("mistake", [("\ud800", b"k"), (SPACE, object())])
def test_a_mistake_of_the_caller_is_no_damage(tmp_path, mistake):
    namespace, key = mistake
    fill(tmp_path, KEYS[:5])
    with Store(tmp_path) as store:
        with pytest.raises((UnicodeEncodeError, TypeError, sqlite3.ProgrammingError)):
            store.put_many(namespace, [key], [b"x"])
        assert n_right(store, KEYS) == 5


# ---- damage


@pytest.mark.parametrize("n_keys", [3, 300])
def test_a_file_cut_in_half_is_set_aside_and_the_run_goes_on(tmp_path, n_keys):
    keys, told = KEYS[:n_keys], []
    fill(tmp_path, keys, 1000)
    path = tmp_path / FILE
    os.truncate(path, path.stat().st_size // 2)
    with Store(tmp_path, told.append) as store:
        assert n_right(store, keys, 1000) < n_keys
        store.put_many(SPACE, keys, [blob(key, 1000) for key in keys])
        assert n_right(store, keys, 1000) == n_keys
    assert len(told) == 1
    assert f"{path}: damaged (" in told[0]
    assert len(list(tmp_path.glob(f"{FILE}.damaged-*"))) == 1
    with Store(tmp_path, told.append) as store:
        assert n_right(store, keys, 1000) == n_keys
    assert len(told) == 1


def test_an_empty_file_is_no_obstacle(tmp_path):
    (tmp_path / FILE).write_bytes(b"")
    told = []
    fill(tmp_path, KEYS, on_warning=told.append)
    with Store(tmp_path) as store:
        assert n_right(store, KEYS) == 300
    assert told == []


def test_a_journal_left_beside_a_damaged_file_goes_with_it(tmp_path):
    fill(tmp_path, KEYS)
    os.truncate(tmp_path / FILE, 20000)
    (tmp_path / f"{FILE}-journal").write_bytes(random.Random(0).randbytes(3000))
    fill(tmp_path, KEYS[:10])
    with Store(tmp_path) as store:
        assert n_right(store, KEYS[:10]) == 10


@pytest.mark.parametrize("seed", range(16))
def test_bytes_that_change_anywhere_never_give_a_wrong_blob_and_the_next_run_mends_it(tmp_path, seed):
    fill(tmp_path, KEYS, 256)
    path = tmp_path / FILE
    chance = random.Random(seed)
    held = bytearray(path.read_bytes())
    for _ in range(40):
        place = chance.randrange(100, len(held))  # in front of that it says whose it is
        held[place] = chance.randrange(256)
    path.write_bytes(held)
    with Store(tmp_path) as store:
        n_right(store, KEYS, 256)
        store.put_many(SPACE, KEYS, [blob(key, 256) for key in KEYS])
        assert n_right(store, KEYS, 256) == 300


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i, i, 1 FROM n"


@pytest.mark.parametrize(
    "change",
    [
        f"DROP TABLE entries; CREATE VIEW entries (namespace, key, blob, size, used) AS {ENDLESS}",
        f"CREATE TRIGGER t AFTER UPDATE ON entries BEGIN INSERT INTO blobs {ENDLESS.replace('i, i, i, i, 1', 'NULL, i, i')}; END",
        "CREATE TABLE other (x)",
        "CREATE INDEX i ON entries (abs(size))",
    ],
)
def test_what_others_made_in_the_file_is_never_asked(tmp_path, change):
    path, told = tmp_path / "s.db", []
    fill(path, KEYS[:3])
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(change)
    with Store(path, told.append) as store:
        assert store.namespaces() == []
        assert store.get_many(SPACE, KEYS[:1]) == [None]
    assert "it holds what no cache has" in told[0]
    assert len(list(tmp_path.glob("s.db.damaged-*"))) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE blobs SET blob = zeroblob(64) WHERE id = 1",
        "UPDATE blobs SET blob = substr(blob, 1, 60) WHERE id = 1",
        "UPDATE blobs SET blob = 'text' WHERE id = 1",
        "UPDATE blobs SET blob = (SELECT blob FROM blobs WHERE id = 2) WHERE id = 1",
        "UPDATE blobs SET checksum = 'text' WHERE id = 1",
        "UPDATE entries SET blob = 2 WHERE blob = 1",
        "UPDATE entries SET namespace = 2",
        "UPDATE namespaces SET name = 'other'",
        "UPDATE entries SET key = 'text' WHERE blob = 1",
        "DELETE FROM blobs WHERE id = 1",
        "DELETE FROM entries",
        "DROP TABLE blobs",
        "DROP TABLE entries",
        "DROP TABLE namespaces",
    ],
)
def test_an_entry_that_does_not_fit_is_a_miss_and_is_mended(tmp_path, damage):
    fill(tmp_path, KEYS[:5])
    change(tmp_path / FILE, damage)
    with Store(tmp_path) as store:
        assert n_right(store, KEYS[:5]) < 5
        store.put_many(SPACE, KEYS[:5], [blob(key) for key in KEYS[:5]])
        assert n_right(store, KEYS[:5]) == 5


def test_values_that_were_never_written_so_are_damage_when_they_are_told(tmp_path):
    fill(tmp_path, KEYS[:5])
    change(tmp_path / FILE, "UPDATE entries SET used = 'never'")
    told = []
    with Store(tmp_path, told.append) as store:
        assert store.namespaces() == []
    assert "damaged (" in told[0]


# ---- files of others


def _random(path):
    path.write_bytes(random.Random(0).randbytes(5000))


def _text(path):
    path.write_text("hello\n", encoding="utf-8")


def _database(path):
    change(path, "CREATE TABLE precious (x)")


def _head_only(path):
    path.write_bytes(b"SQLite format 3\0")


def _other_application(path):
    fill(path, KEYS[:3])
    change(path, "PRAGMA application_id = 5")


def _later(path):
    fill(path, KEYS[:3])
    change(path, f"PRAGMA user_version = {FORMAT + 1}")


def _link(path):
    (path.parent / "target").write_text("precious\n", encoding="utf-8")
    path.symlink_to("target")


def _folder(path):
    (path / FILE).mkdir(parents=True)


def _fifo(path):
    os.mkfifo(path)


def _device(path):
    path.symlink_to("/dev/zero")


def _listing(folder):
    return {
        str(path.relative_to(folder)): (
            os.lstat(path).st_mode, os.lstat(path).st_ino, os.lstat(path).st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in folder.rglob("*")
    }  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [
        _random, _text, _database, _head_only, _other_application, _later,
        *(pytest.param(make, marks=POSIX) for make in (_link, _folder, _fifo, _device)),
    ],
)  # fmt: skip
def test_what_belongs_to_something_else_is_refused_in_one_line_and_not_touched(tmp_path, make):
    path = tmp_path / "mine"
    make(path)
    before = _listing(tmp_path)
    reason = (
        r"later version \(format 2, this one knows 1\)" if make is _later else "no cache of chunkscope; name another"
    )
    with pytest.raises(InputError, match=reason) as caught:
        Store(path)
    assert len(str(caught.value).splitlines()) == 1
    assert _listing(tmp_path) == before


def test_what_comes_to_stand_there_meanwhile_is_not_touched_either(tmp_path):
    with Store(tmp_path / "mine") as store:
        _text(tmp_path / "mine")
        with pytest.raises(InputError, match="no cache of chunkscope"):
            store.put_many(SPACE, KEYS[:1], [b"x"])
    assert (tmp_path / "mine").read_text("utf-8") == "hello\n"


@POSIX
def test_through_a_link_to_a_store_the_store_is_used_and_the_link_stays(tmp_path):
    fill(tmp_path / "real", KEYS[:5])
    (tmp_path / "link").symlink_to("real")
    with Store(tmp_path / "link") as store:
        assert n_right(store, KEYS[:5]) == 5
        store.close()
        os.truncate(tmp_path / "real", 20000)
        n_right(store, KEYS[:5])
    assert (tmp_path / "link").is_symlink()
    assert list(tmp_path.glob("real.damaged-*"))


@POSIX
@pytest.mark.parametrize("is_there", [False, True])
def test_only_its_owner_may_read_the_file(tmp_path, is_there):
    before = os.umask(0o022)
    try:
        if is_there:
            (tmp_path / FILE).touch()
        fill(tmp_path, KEYS[:5])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


# ---- a file that takes nothing


def test_a_full_disk_is_told_once_and_blobs_stay_in_memory(tmp_path):
    told = []
    with Store(tmp_path, told.append) as store:
        store.put_many(SPACE, KEYS[:1], [blob(KEYS[0], 1024)])
        store._db.execute("PRAGMA max_page_count = 12")
        for first in range(0, 300, 10):
            store.put_many(SPACE, KEYS[first : first + 10], [blob(key, 1024) for key in KEYS[first : first + 10]])
        assert n_right(store, KEYS, 1024) == 300
        assert not store.is_writable
    assert len(told) == 1
    assert "full" in told[0]
    with Store(tmp_path, told.append) as store:
        assert 0 < n_right(store, KEYS, 1024) < 300
    assert len(told) == 1


def _as_nobody(code: str, *arguments: str) -> str:
    """Run as a user who may not write here; root may write everywhere."""
    lower = "import os\nos.setgroups([]); os.setgid(65534); os.setuid(65534)\n" if os.getuid() == 0 else ""
    done = subprocess.run(
        [sys.executable, "-c", "from chunkscope.store import Store\n" + lower + textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout


READ_AND_PUT = """
import sys
store = Store(sys.argv[1], print)
print([one is not None for one in store.get_many("numbers", ["文 1".encode(), b"new"])])
store.put_many("numbers", [b"new"], [b"x"])
print([one is not None for one in store.get_many("numbers", ["文 1".encode(), b"new"])])
"""


@POSIX
@pytest.mark.parametrize(
    ("mode", "reason", "is_read"),
    [(0o444, "is read-only; what is new stays", True), (0o000, "permission denied; what is new stays", False)],
)
def test_a_file_that_cannot_be_written_or_read_is_told(tmp_path, mode, reason, is_read):
    fill(tmp_path, KEYS[:5])
    for folder in (tmp_path, *tmp_path.parents[:3]):
        os.chmod(folder, 0o755)
    os.chmod(tmp_path / FILE, mode)
    os.chmod(tmp_path, 0o555)
    try:
        lines = _as_nobody(READ_AND_PUT, str(tmp_path)).splitlines()
    finally:
        os.chmod(tmp_path, 0o755)
    assert f"{tmp_path / FILE}: {reason}" in lines[0]
    assert lines[1:] == [f"[{is_read}, False]", f"[{is_read}, True]"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    told = []
    with Store(tmp_path / "file" / "store", told.append) as store:
        store.put_many(SPACE, [b"a"], [blob(b"a")])
        assert n_right(store, [b"a"]) == 1
        assert store.namespaces() == []
        with pytest.raises(InputError, match="cannot be written, so nothing is deleted"):
            store.prune()
    assert len(told) == 1
    assert "stays in memory" in told[0]


def test_the_place_of_the_store_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "here"))
    assert default_path() == tmp_path / "here" / FILE
    monkeypatch.delenv("CHUNKSCOPE_CACHE")
    assert default_path().name == FILE
    fill(tmp_path / "new" / "own name?#.db", [b"a"])
    assert (tmp_path / "new" / "own name?#.db").is_file()


# ---- several processes, and ends of every kind

FILLER = """
import random, sys
from chunkscope.store import Store

def blob(key):
    return random.Random(key).randbytes(256)

store = Store(sys.argv[1], lambda line: print(line, flush=True))
print("ready", flush=True)
start = int(sys.argv[2])
for first in range(0, 100000 if len(sys.argv) < 4 else int(sys.argv[3]), 8):
    keys = [str((start + first + n) % 4000).encode() for n in range(8)]
    wrong = [key for key, held in zip(keys, store.get_many("numbers", keys)) if held not in (None, blob(key))]
    if wrong:
        print("WRONG", wrong, flush=True)
    store.put_many("numbers", keys, [blob(key) for key in keys])
print("end", flush=True)
"""


def _filler(path, start, *more):
    return subprocess.Popen(
        [sys.executable, "-c", FILLER, str(path), str(start), *map(str, more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


@POSIX
def test_killed_at_random_moments_the_store_is_whole(tmp_path):
    chance = random.Random(0)
    keys = [str(number).encode() for number in range(4000)]
    for turn in range(int(os.environ.get("CHUNKSCOPE_KILLS", "6"))):
        process = _filler(tmp_path, chance.randrange(4000))
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.0, 0.3))
        os.kill(process.pid, signal.SIGKILL)
        assert process.communicate() == ("", ""), turn
        told = []
        with Store(tmp_path, told.append) as store:
            n_found = n_right(store, keys, 256)
        assert told == []
    assert n_found


def test_several_processes_share_a_store(tmp_path):
    n = int(os.environ.get("CHUNKSCOPE_PROCESSES", "4"))
    processes = [_filler(tmp_path, 100 * number, 200) for number in range(n)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert out.splitlines() == ["ready", "end"]
        assert err == ""
    with Store(tmp_path) as store:
        keys = [str(number).encode() for number in range(100 * (n - 1) + 200)]
        assert n_right(store, keys, 256) == len(keys)


def test_several_processes_find_the_same_damage_and_all_go_on(tmp_path):
    fill(tmp_path, KEYS, 1000)
    os.truncate(tmp_path / FILE, (tmp_path / FILE).stat().st_size // 2)
    processes = [_filler(tmp_path, 50 * number, 80) for number in range(3)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert err == ""
        assert out.splitlines()[-1] == "end"
        assert "WRONG" not in out


@POSIX
def test_a_file_that_is_moved_away_meanwhile_is_not_written_to_any_more(tmp_path):
    with Store(tmp_path) as store:
        store.put_many(SPACE, KEYS[:5], [blob(key) for key in KEYS[:5]])
        os.rename(tmp_path / FILE, tmp_path / "aside")
        store.put_many(SPACE, KEYS[5:8], [blob(key) for key in KEYS[5:8]])
        assert n_right(store, KEYS[:8]) == 3
    with Store(tmp_path / "aside") as store:
        assert n_right(store, KEYS[:8]) == 5


# ---- looking after it


def test_what_is_held_can_be_told_pruned_and_cleared(tmp_path):
    with Store(tmp_path) as store:
        store.put_many(SPACE, KEYS[:5], [blob(key) for key in KEYS[:5]])
        store.put_many("other", [b"a"], [b"four"])
        assert {info.name: (info.n_blobs, info.n_bytes) for info in store.namespaces()} == {
            SPACE: (5, 320),
            "other": (1, 4),
        }
        assert [info.name for info in store.namespaces("other")] == ["other"]
        assert store.namespaces("'; DROP TABLE entries; --") == []
        assert store.prune(unused_days=1) == 0
        assert store.prune(namespaces=[]) == 0
        assert store.prune(namespaces=["other", "none"]) == 1
        assert [info.name for info in store.namespaces()] == [SPACE]
        assert n_right(store, KEYS[:5]) == 5
        assert store.prune() == 5
        assert store.namespaces() == []


def test_what_is_deleted_gives_its_room_back(tmp_path):
    fill(tmp_path, KEYS, 4000)
    before = (tmp_path / FILE).stat().st_size
    with Store(tmp_path) as store:
        store.prune()
    assert (tmp_path / FILE).stat().st_size < before / 10


def test_what_was_got_today_is_not_pruned_as_unused(tmp_path):
    fill(tmp_path, KEYS[:4])
    change(tmp_path / FILE, "UPDATE entries SET used = used - 30")
    with Store(tmp_path) as store:
        store.get_many(SPACE, KEYS[:2])
        assert store.prune(unused_days=30) == 2
        assert [one is not None for one in store.get_many(SPACE, KEYS[:4])] == [True, True, False, False]


def test_the_file_says_whose_it_is_and_in_which_format(tmp_path):
    fill(tmp_path, KEYS[:1])
    db = sqlite3.connect(tmp_path / FILE)
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert db.execute("PRAGMA user_version").fetchone() == (FORMAT,)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
    shutil.copy(tmp_path / FILE, tmp_path / "copy.sqlite")
    with Store(tmp_path / "copy.sqlite") as store:
        assert n_right(store, KEYS[:1]) == 1


@POSIX
def test_a_link_that_leads_nowhere_makes_no_file(tmp_path):
    (tmp_path / "cache").symlink_to(tmp_path / "elsewhere" / "new")
    with pytest.raises(InputError, match="cache: a link that leads nowhere; name the file itself"):
        Store(tmp_path / "cache")
    assert not (tmp_path / "elsewhere").exists()
