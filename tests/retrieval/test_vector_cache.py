"""The vector cache: never a wrong vector, whatever happens to its file."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkscope.errors import InputError
from chunkscope.retrieval.dense.memory_store import MemoryStore
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.dense.vector_file import APPLICATION, FILE, default_path
from chunkscope.retrieval.providers import EmbeddingSpace

SPACE = EmbeddingSpace("fake", model="m")


def vector(text: str, width: int = 16) -> np.ndarray:
    return np.random.default_rng(list(text.encode())).standard_normal(width).astype(np.float32)


def vectors(texts, width: int = 16) -> np.ndarray:
    return np.array([vector(text, width) for text in texts], dtype=np.float32).reshape(len(texts), width)


def fill(path, texts, width: int = 16, notify=None) -> None:
    with VectorCache(path, notify) as cache:
        for first in range(0, len(texts), 50):
            some = texts[first : first + 50]
            cache.write(SPACE, some, vectors(some, width))


def assert_nothing_wrong(cache, texts, width: int = 16) -> int:
    found, held = cache.read(SPACE, texts)
    if found.any():
        np.testing.assert_array_equal(held[found], vectors(texts, width)[found])
    return int(found.sum())


TEXTS = [f"文 {number}" for number in range(300)]


def test_what_is_written_is_read_bit_by_bit(tmp_path):
    fill(tmp_path, TEXTS)
    with VectorCache(tmp_path) as cache:
        assert assert_nothing_wrong(cache, TEXTS) == 300
        found, _ = cache.read(SPACE, ["nothing", "文 1", "文 1", ""])
        assert found.tolist() == [False, True, True, False]
        assert cache.width(SPACE) == 16
        assert cache.width(SPACE.of_role("query")) is None


@given(st.lists(st.text(max_size=4), max_size=12), st.lists(st.text(max_size=4), max_size=12))
@settings(max_examples=40, deadline=None)
def test_the_file_and_the_memory_behave_alike(tmp_path_factory, written, read):
    memory = MemoryStore()
    with VectorCache(tmp_path_factory.mktemp("cache")) as cache:
        for store in (memory, cache):
            store.write(SPACE, written, vectors(written))
        for one, other in zip(memory.read(SPACE, read), cache.read(SPACE, read), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(memory.has(SPACE, read), cache.has(SPACE, read))


def test_a_vector_is_replaced_by_the_last_that_was_written(tmp_path):
    with VectorCache(tmp_path) as cache:
        cache.write(SPACE, ["a"], vectors(["b"]))
        cache.write(SPACE, ["a"], vectors(["a"]))
        assert assert_nothing_wrong(cache, ["a"]) == 1
        assert cache.spaces()[0].vectors == 1


# ---- damage


@pytest.mark.parametrize("n_texts", [3, 300])
def test_a_file_cut_in_half_is_set_aside_and_the_run_goes_on(tmp_path, n_texts):
    texts, told = TEXTS[:n_texts], []
    fill(tmp_path, texts)
    path = tmp_path / FILE
    os.truncate(path, path.stat().st_size // 2)
    with VectorCache(tmp_path, told.append) as cache:
        n_kept = assert_nothing_wrong(cache, texts)
        assert n_kept < n_texts
        cache.write(SPACE, texts, vectors(texts))
        assert assert_nothing_wrong(cache, texts) == n_texts
    assert len(told) == 1
    assert str(path) in told[0]
    assert "damaged" in told[0]
    assert len(list(tmp_path.glob(f"{FILE}.damaged-*"))) == 1
    with VectorCache(tmp_path, told.append) as cache:
        assert assert_nothing_wrong(cache, texts) == n_texts
    assert len(told) == 1


def test_what_is_whole_in_a_damaged_file_is_taken_over(tmp_path):
    texts, told = [f"文 {number}" for number in range(2000)], []
    fill(tmp_path, texts, width=256)
    path = tmp_path / FILE
    os.truncate(path, path.stat().st_size * 3 // 4)
    with VectorCache(tmp_path, told.append) as cache:
        assert 500 < assert_nothing_wrong(cache, texts, 256) < 2000
    assert "sound vectors were taken over" in told[0]


@pytest.mark.parametrize(
    "held",
    [
        b"",
        b"x",
        random.Random(0).randbytes(50),
        random.Random(0).randbytes(5000),
        b"SQLite format 3\0" + random.Random(0).randbytes(5000),
        b"\0" * 40000,
    ],
)
def test_an_empty_file_or_one_of_random_bytes_is_no_obstacle(tmp_path, held):
    path = tmp_path / FILE
    path.write_bytes(held)
    told = []
    fill(path, TEXTS, notify=told.append)
    with VectorCache(path) as cache:
        assert assert_nothing_wrong(cache, TEXTS) == 300
    assert len(told) == (1 if held else 0)
    if held:
        assert next(tmp_path.glob(f"{FILE}.damaged-*")).read_bytes() == held  # moved, not lost


def test_a_journal_left_beside_a_damaged_file_goes_with_it(tmp_path):
    (tmp_path / FILE).write_bytes(random.Random(0).randbytes(3000))
    (tmp_path / f"{FILE}-journal").write_bytes(random.Random(0).randbytes(3000))
    fill(tmp_path, TEXTS[:10])
    with VectorCache(tmp_path) as cache:
        assert assert_nothing_wrong(cache, TEXTS[:10]) == 10


@pytest.mark.parametrize("seed", range(16))
def test_bytes_that_change_anywhere_never_give_a_wrong_vector(tmp_path, seed):
    fill(tmp_path, TEXTS, width=64)
    path = tmp_path / FILE
    chance = random.Random(seed)
    held = bytearray(path.read_bytes())
    for _ in range(40):
        place = chance.randrange(len(held))
        held[place] = chance.randrange(256)
    path.write_bytes(held)
    told = []
    with VectorCache(tmp_path, told.append) as cache:
        assert_nothing_wrong(cache, TEXTS, 64)
        cache.write(SPACE, TEXTS, vectors(TEXTS, 64))
        assert_nothing_wrong(cache, TEXTS, 64)
    assert all(line.startswith("warning: ") for line in told)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE vectors SET numbers = zeroblob(64) WHERE id = 1",
        "UPDATE vectors SET numbers = substr(numbers, 1, 60) WHERE id = 1",
        "UPDATE vectors SET numbers = 'text' WHERE id = 1",
        "UPDATE vectors SET numbers = (SELECT numbers FROM vectors WHERE id = 2) WHERE id = 1",
        "UPDATE vectors SET key = (SELECT key FROM vectors WHERE id = 2) WHERE id = 1",
        "UPDATE entries SET vector = 2 WHERE vector = 1",
        "DELETE FROM vectors WHERE id = 1",
        "UPDATE spaces SET width = 15",
        "DELETE FROM spaces",
        "DROP TABLE vectors",
        "DROP TABLE entries",
        "DROP TABLE spaces",
    ],
)
def test_an_entry_that_does_not_fit_is_a_miss_and_is_mended(tmp_path, damage):
    fill(tmp_path, TEXTS[:5])
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute(damage)
    db.close()
    with VectorCache(tmp_path) as cache:
        n_sound = assert_nothing_wrong(cache, TEXTS[:5])
        assert n_sound < 5 or damage == "DROP TABLE entries"  # the vectors themselves are all there, and taken over
        cache.write(SPACE, TEXTS[:5], vectors(TEXTS[:5]))
        assert assert_nothing_wrong(cache, TEXTS[:5]) == 5


def test_vectors_that_are_not_finite_are_misses(tmp_path):
    with VectorCache(tmp_path) as cache:
        cache.write(SPACE, ["a", "b"], np.array([[1, np.nan], [1, 2]], dtype=np.float32))
        found, held = cache.read(SPACE, ["a", "b"])
    assert found.tolist() == [False, True]
    assert held.tolist() == [[0, 0], [1, 2]]


def test_a_database_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE precious (x)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="no vector cache; name another file"):
        VectorCache(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage", ["PRAGMA application_id = 5", "PRAGMA user_version = 900000000", "PRAGMA user_version = -1"]
)
def test_a_head_whose_bytes_have_changed_is_damage_and_all_is_taken_over(tmp_path, damage):
    fill(tmp_path, TEXTS[:5])
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute(damage)
    db.close()
    told = []
    with VectorCache(tmp_path, told.append) as cache:
        assert assert_nothing_wrong(cache, TEXTS[:5]) == 5
    assert "5 sound vectors were taken over" in told[0]


def test_a_cache_of_a_later_format_is_left_alone(tmp_path):
    fill(tmp_path, TEXTS[:5])
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("PRAGMA user_version = 2")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(InputError, match=r"later version \(format 2, this one knows 1\)"):
        VectorCache(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


# ---- a file that takes nothing


def test_a_full_disk_is_told_once_and_vectors_stay_in_memory(tmp_path):
    told = []
    with VectorCache(tmp_path, told.append, max_pages=12) as cache:
        for first in range(0, 300, 10):
            cache.write(SPACE, TEXTS[first : first + 10], vectors(TEXTS[first : first + 10], 256))
        assert assert_nothing_wrong(cache, TEXTS, 256) == 300
        assert not cache.is_writable
    assert len(told) == 1
    assert "full" in told[0]
    with VectorCache(tmp_path, told.append) as cache:
        assert 0 < assert_nothing_wrong(cache, TEXTS, 256) < 300
    assert len(told) == 1


def _as_nobody(code: str, *arguments: str) -> str:
    """Run as a user who may not write here; root may write everywhere."""
    lower = "import os\nos.setgroups([]); os.setgid(65534); os.setuid(65534)\n" if os.getuid() == 0 else ""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import numpy, hypothesis, chunkscope.retrieval.dense.vector_cache\n" + lower + textwrap.dedent(code),
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions of POSIX")
def test_a_cache_that_cannot_be_written_is_read_and_told(tmp_path):
    fill(tmp_path, TEXTS[:5])
    for folder in (tmp_path, *tmp_path.parents[:3]):
        os.chmod(folder, 0o755)
    os.chmod(tmp_path / FILE, 0o444)
    os.chmod(tmp_path, 0o555)
    code = """
    import sys
    import numpy as np
    from chunkscope.retrieval.providers import EmbeddingSpace
    from chunkscope.retrieval.dense.vector_cache import VectorCache
    cache = VectorCache(sys.argv[1], print)
    space = EmbeddingSpace("fake", model="m")
    print(cache.read(space, ["文 1", "新"])[0].tolist())
    cache.write(space, ["新"], np.ones((1, 16), dtype=np.float32))
    print(cache.read(space, ["文 1", "新"])[0].tolist())
    """
    try:
        lines = _as_nobody(code, str(tmp_path)).splitlines()
    finally:
        os.chmod(tmp_path, 0o755)
    assert lines[0].endswith("is read-only; new vectors stay in memory")
    assert lines[1:] == ["[True, False]", "[True, True]"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    told = []
    with VectorCache(tmp_path / "file" / "cache.sqlite", told.append) as cache:
        cache.write(SPACE, ["a"], vectors(["a"]))
        assert assert_nothing_wrong(cache, ["a"]) == 1
        assert cache.spaces() == []
    assert len(told) == 1
    assert "stay in memory" in told[0]


def test_the_place_of_the_cache_can_be_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "here"))
    assert default_path() == tmp_path / "here" / FILE
    monkeypatch.delenv("CHUNKSCOPE_CACHE")
    assert default_path().name == FILE
    with VectorCache(tmp_path / "new" / "own name?#.db") as cache:
        cache.write(SPACE, ["a"], vectors(["a"]))
    assert (tmp_path / "new" / "own name?#.db").is_file()


# ---- several processes, and ends of every kind

FILLER = """
import sys, time
import numpy as np
from chunkscope.retrieval.providers import EmbeddingSpace
from chunkscope.retrieval.dense.vector_cache import VectorCache

def vector(text):
    return np.random.default_rng(list(text.encode())).standard_normal(64).astype(np.float32)

space = EmbeddingSpace("fake", model="m")
cache = VectorCache(sys.argv[1], lambda line: print(line, flush=True))
print("ready", flush=True)
start = int(sys.argv[2])
for first in range(0, 100000 if len(sys.argv) < 4 else int(sys.argv[3]), 8):
    texts = [f"{(start + first + n) % 4000}" for n in range(8)]
    found, held = cache.read(space, texts)
    wrong = [t for t, f, v in zip(texts, found, held) if f and not (v == vector(t)).all()]
    if wrong:
        print("WRONG", wrong, flush=True)
    cache.write(space, texts, np.array([vector(t) for t in texts]))
print("end", flush=True)
"""


def _filler(path, start, *more):
    return subprocess.Popen(
        [sys.executable, "-c", FILLER, str(path), str(start), *map(str, more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_at_random_moments_the_cache_is_whole(tmp_path):
    chance = random.Random(0)
    texts = [str(number) for number in range(4000)]
    n_rounds = int(os.environ.get("CHUNKSCOPE_KILLS", "6"))
    for turn in range(n_rounds):
        process = _filler(tmp_path, chance.randrange(4000))
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.0, 0.3))
        os.kill(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        assert out == "", turn
        assert err == "", turn
        told = []
        with VectorCache(tmp_path, told.append) as cache:
            found, held = cache.read(SPACE, texts)
            expected = np.array([vector(text, 64) for text in texts])
            np.testing.assert_array_equal(held[found], expected[found])
        assert told == []
    assert found.any()


def test_several_processes_share_a_cache(tmp_path):
    n = int(os.environ.get("CHUNKSCOPE_PROCESSES", "4"))
    processes = [_filler(tmp_path, 100 * number, 200) for number in range(n)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert out.splitlines() == ["ready", "end"]
        assert err == ""
    with VectorCache(tmp_path) as cache:
        found, _ = cache.read(SPACE, [str(number) for number in range(100 * (n - 1) + 200)])
        assert found.all()


def test_several_processes_find_the_same_damage_and_all_go_on(tmp_path):
    fill(tmp_path, TEXTS)
    os.truncate(tmp_path / FILE, (tmp_path / FILE).stat().st_size // 2)
    processes = [_filler(tmp_path, 50 * number, 80) for number in range(3)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert err == ""
        assert out.splitlines()[-1] == "end"
        assert "WRONG" not in out


# ---- looking after it


def test_what_is_held_can_be_told_pruned_and_cleared(tmp_path):
    with VectorCache(tmp_path) as cache:
        cache.write(SPACE, TEXTS[:5], vectors(TEXTS[:5]))
        cache.write(EmbeddingSpace("other", model="n", role="query"), ["a"], vectors(["a"], 4))
        told = {info.space.provider: (info.vectors, info.width, info.n_bytes) for info in cache.spaces()}
        assert told == {"fake": (5, 16, 320), "other": (1, 4, 16)}
        assert cache.prune(unused_days=1) == 0
        assert cache.prune(provider="other:n") == 1
        assert [info.space.provider for info in cache.spaces()] == ["fake"]
        assert assert_nothing_wrong(cache, TEXTS[:5]) == 5
        assert cache.prune() == 5
        assert cache.spaces() == []


def test_what_was_read_today_is_not_pruned_as_unused(tmp_path):
    fill(tmp_path, TEXTS[:4])
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE entries SET used = used - 30")
    db.close()
    with VectorCache(tmp_path) as cache:
        cache.read(SPACE, TEXTS[:2])
        assert cache.prune(unused_days=30) == 2
        assert cache.has(SPACE, TEXTS[:4]).tolist() == [True, True, False, False]


def test_the_file_says_whose_it_is_and_in_which_format(tmp_path):
    fill(tmp_path, TEXTS[:1])
    with sqlite3.connect(tmp_path / FILE) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
    shutil.copy(tmp_path / FILE, tmp_path / "copy.sqlite")
    with VectorCache(tmp_path / "copy.sqlite") as cache:
        assert assert_nothing_wrong(cache, TEXTS[:1]) == 1


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be moved elsewhere")
def test_a_file_that_is_moved_away_meanwhile_is_not_written_to_any_more(tmp_path):
    with VectorCache(tmp_path) as cache:
        cache.write(SPACE, TEXTS[:5], vectors(TEXTS[:5]))
        os.rename(tmp_path / FILE, tmp_path / "aside")
        cache.write(SPACE, TEXTS[5:8], vectors(TEXTS[5:8]))
        assert assert_nothing_wrong(cache, TEXTS[:8]) == 3
    with VectorCache(tmp_path / "aside") as cache:
        assert assert_nothing_wrong(cache, TEXTS[:8]) == 5
