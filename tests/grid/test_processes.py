"""The program as a process of its own: statuses, closed pipes, consoles, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chunkscope.errors import ChunkscopeError
from chunkscope.grid.processes import run_in_processes

ROOT = Path(__file__).parents[2]
# some shells start their jobs with interrupts switched off
PROGRAM = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from chunkscope.cli import main; main()"
)


def start(*args, encoding="utf-8", **streams):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *args], env=environment, **streams)


def run(*args, **settings):
    process = start(*args, **settings)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_statuses(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "q", "evidence": "xyz"}')
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("abc", encoding="utf-8")
    assert run("labels", str(docs), "-q", str(bad))[0] == 1
    status, out, err = run("sweep", "-c", "fixed", "--sizes", "50..800", "--overlaps", "1/6", str(docs / "nix"))
    assert (status, out) == (2, b"")
    assert err.count(b"\n") == 1
    assert run("--version")[0] == 0


def test_a_reader_that_goes_away_is_no_error():
    process = start("chunks", "--demo", "--size", "2")
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_an_interrupt_ends_with_130():
    process = start("chunks", "--demo", "--size", "1")
    process.stdout.readline()  # it writes more than a pipe holds, and waits for us
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b"chunkscope: interrupted\n"


@pytest.mark.skipif(os.name != "posix", reason="only there do signals end a process")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_processes_that_share_the_work_end_with_the_one_that_started_them(tmp_path, number):
    code = (
        "import os, sys, time\n"
        f"sys.path.insert(0, {str(ROOT)!r})\n"
        "from chunkscope.grid.processes import run_in_processes\n"
        "def work(plan, piece):\n"
        "    open(os.path.join(plan, str(os.getpid())), 'w').close()\n"
        "    time.sleep(60)\n"
        "if __name__ == '__main__':\n"
        "    list(run_in_processes(work, sys.argv[1], range(9), 2))\n"
    )
    (tmp_path / "main.py").write_text(code, encoding="utf-8")
    seen = tmp_path / "seen"
    seen.mkdir()
    process = subprocess.Popen([sys.executable, str(tmp_path / "main.py"), str(seen)], stderr=subprocess.DEVNULL)
    assert until(lambda: len(os.listdir(seen)) == 2)
    process.send_signal(number)
    process.wait(timeout=60)
    assert until(lambda: not any(is_running(int(name)) for name in os.listdir(seen)))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only there are the children of a process listed")
def test_a_terminated_sweep_leaves_nothing_behind_and_says_one_line(tmp_path):
    for number in range(40):
        (tmp_path / f"{number}.md").write_text("経費は月末に締める。\n" * 20_000, encoding="utf-8")
    process = start("sweep", "-c", "fixed", "--sizes", "50..800", "--overlaps", "1/6", str(tmp_path), "--jobs", "2")
    assert until(lambda: len(children(process.pid)) >= 2)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert (out, err) == (b"", b"chunkscope: terminated\n")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="only there can signals be held back")
@pytest.mark.parametrize(("number", "status", "line"), [
    (signal.SIGTERM, 143, b"chunkscope: terminated\n"), (signal.SIGINT, 130, b"chunkscope: interrupted\n"),
])  # fmt: skip
def test_a_signal_while_a_process_starts_is_one_line(tmp_path, number, status, line):
    (tmp_path / "a.md").write_text("経費は月末に締める。\n", encoding="utf-8")
    code = (
        "import os, signal, sys\n"
        "from multiprocessing import util\n"
        "from chunkscope.cli import main\n"
        "start = util.spawnv_passfds\n"
        "def start_and_signal(*args):\n"
        "    started = start(*args)\n"
        f"    if 'spawn_main' in str(args): os.kill(os.getpid(), {int(number)})\n"  # it waits for its orders
        "    return started\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    util.spawnv_passfds = start_and_signal\n"
        "    main()\n"
    )
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py"), "sweep", str(tmp_path / "a.md"), "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", line)


@pytest.mark.parametrize(("number", "line"), [
    (signal.SIGTERM, b"chunkscope: terminated\n"), (signal.SIGINT, b"chunkscope: interrupted\n"),
])  # fmt: skip
def test_a_signal_while_the_program_is_imported_is_one_line(number, line):
    code = (
        "import builtins, os, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "load = builtins.__import__\n"
        "def load_and_signal(name, *args):\n"
        f"    if name == 'click': os.kill(os.getpid(), {int(number)})\n"
        "    return load(name, *args)\n"
        "builtins.__import__ = load_and_signal\n"
        "from chunkscope.cli import main\n"
        "main()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, b"", line)


@pytest.mark.parametrize(("number", "line"), [
    (signal.SIGTERM, b"chunkscope: terminated\n"), (signal.SIGINT, b"chunkscope: interrupted\n"),
])  # fmt: skip
def test_a_signal_that_becomes_another_error_on_its_way_is_one_line(number, line):
    """As it does in Python 3.11 where a class with fields is built, which imports do."""
    code = (
        "import os, signal, types\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from chunkscope.cli import program\n"
        "class Part:\n"
        "    def __set_name__(self, owner, name):\n"
        f"        os.kill(os.getpid(), {int(number)})\n"
        "program.importlib = types.SimpleNamespace(import_module=lambda name: type('Owner', (), {'part': Part()}))\n"
        "program.program.main(['list'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, b"", line)


def test_a_process_that_ends_before_its_time_is_one_line():
    with pytest.raises(ChunkscopeError, match="before its work was done"):
        list(run_in_processes(end_at_once, None, [1, 2], 2))


def end_at_once(plan, piece):
    os._exit(3)


def children(number):
    tasks = Path(f"/proc/{number}/task")
    return [int(name) for task in tasks.iterdir() for name in (task / "children").read_text().split()]


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def is_running(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/stat")  # one that has ended may wait there for a parent that asks for its status
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("encoding", ["ascii", "cp932"])
def test_no_console_is_too_small(encoding):
    status, out, err = run(
        "sweep", "-c", "fixed", "--overlaps", "1/6", "--demo", "--sizes", "100,200,300", encoding=encoding
    )
    assert (status, err) == (0, b"")
    assert "▁" not in out.decode(encoding)
    status, out, _ = run("chunks", "--demo", "--size", "200", encoding=encoding)
    rows = [json.loads(line) for line in out.decode("ascii").splitlines()]
    assert status == 0
    assert any("宿泊費" in row["text"] for row in rows)
    status, _, err = run("show", "無い.md", "--size", "5", encoding=encoding)
    assert status == 2
    assert err.count(b"\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("args", [["--help"], ["chunks", "--demo", "--size", "2"]])
def test_a_full_disk_is_one_line(args):
    with open("/dev/full", "wb") as full:
        status, _, err = run(*args, stdout=full)
    assert (status, err) == (2, b"chunkscope: no space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="only there are streams closed so")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_are_no_error(closed):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = f'"{sys.executable}" -m chunkscope sweep --demo --sizes 100 {closed}'
    assert subprocess.run(command, shell=True, env=environment, stdout=subprocess.DEVNULL, check=False).returncode == 0


def test_the_version_needs_no_tokenizer():
    code = (
        "import sys; from chunkscope.cli import main; sys.argv[1:] = ['--version']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted({'tiktoken', 'fugashi', 'rich', 'sqlite3', 'numpy', 'chunkscope.reports.width'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == [""]
