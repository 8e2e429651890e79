"""How often what `SECURITY.md` promises was tried: signals at any moment, planted modules, servers and texts that harm.

``python benchmarks/trials.py [--signals 300] [--seed 0]``

Signals are sent to real commands at moments that are drawn by lot, from the start of the process on: each command has
to end with its status and one line, with nothing left running. Told apart are those that were done before, those that
Python had not begun with, and those that it had done with. The others are the tests of their files, counted. Writes
``benchmarks/results/trials.json``; the exit status is 1 where something does not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "planted modules": "tests/cli/test_current_folder.py",
    "hostile servers": "tests/retrieval/test_hostile_servers.py",
    "hostile texts on terminals": "tests/cli/test_hostile_text.py",
    "no network, nothing written": "tests/project/test_promises.py",
    "processes": "tests/grid/test_processes.py",
}
ENDINGS = {
    signal.SIGINT: (130, "chunkscope: interrupted\n"),
    signal.SIGTERM: (143, "chunkscope: terminated\n"),
}
COMMANDS = [
    ["sweep", "docs", "--jobs", "1"],
    ["sweep", "docs", "--jobs", "2"],
    ["chunks", "docs", "--chunker", "token", "--size", "64"],
    ["recall", "docs", "-q", "asked.jsonl", "--sizes", "100..400:100"],
]
PROGRAM = """
import os
from chunkscope.cli import leave_at_once, main
leave_at_once()
os.write(2, b"began\\n")
try:
    main()
finally:
    os.write(2, b"ended\\n")
"""
"""So that it is known whether Python had begun with the program, and whether it had done with it."""


def lay_documents(folder: Path) -> None:
    (folder / "docs").mkdir()
    for number in range(12):
        text = f"# 規程{number}\n\n" + "経費は月末に締める。上限は12,000円とする。\n\n" * 2_000
        (folder / "docs" / f"{number}.md").write_text(text, "utf-8")
    question = {"id": "q", "question": "題は？", "doc": "7.md", "evidence": "規程7"}
    (folder / "asked.jsonl").write_text(json.dumps(question) + "\n", "utf-8")


def send(folder: Path, dice: random.Random, whole: dict[int, float]) -> tuple[str, str]:
    """Send one signal to one command; say how it ended, and what is wrong with that."""
    number, place = dice.choice(list(ENDINGS)), dice.randrange(len(COMMANDS))
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *COMMANDS[place]],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    after = dice.uniform(0, 0.8 * whole[place])
    try:
        _, told = process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
        _, told = process.communicate(timeout=120)
    begun, ended = "began\n" in told, "ended\n" in told
    told = told.replace("began\n", "").replace("ended\n", "")
    if is_left_running(process.pid):
        return "left running", f"{COMMANDS[place]} {number!r} after {after:.3f} s"
    if (process.returncode, told) == ENDINGS[number]:
        return "one line and its status", ""
    if process.returncode == 0:
        return "done before", ""
    if not begun:
        return "before Python began with it", ""
    if process.returncode == -number and not told and ended:
        return "while Python ended, its work done", ""
    return "otherwise", f"{COMMANDS[place]} {number!r} after {after:.3f} s: {process.returncode} {told[-500:]!r}"


def is_left_running(group: int) -> bool:
    """Tell whether something of a process group still runs after some seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    os.killpg(group, signal.SIGKILL)
    return True


def try_signals(n: int, seed: int) -> dict[str, object]:
    dice, ends, wrong = random.Random(seed), Counter[str](), []
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # some shells start their jobs with interrupts switched off
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_documents(folder)
        whole = {}
        for place, command in enumerate(COMMANDS):
            begin = time.monotonic()
            subprocess.run(
                [sys.executable, "-c", PROGRAM, *command],
                cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
            )  # fmt: skip
            whole[place] = time.monotonic() - begin
        for _ in range(n):
            end, what = send(folder, dice, whole)
            ends[end] += 1
            wrong += [what] if what else []
    return {"tried": n, "ends": dict(ends.most_common()), "wrong": wrong}


def try_tests(path: str) -> dict[str, object]:
    """Run the tests of a file, and count them and what they say they tried."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.xml"
        options = ["-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={report}"]
        subprocess.run(
            [sys.executable, "-m", "pytest", *options, path],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        cases = list(ElementTree.parse(report).iter("testcase"))
    wrong = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    n_skipped = sum(case.find("skipped") is not None for case in cases)
    told = {one.get("name"): int(one.get("value")) for case in cases for one in case.iter("property")}
    return {"command": f"pytest {path}", "tried": len(cases) - n_skipped, **told, "wrong": wrong}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--signals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "trials.json")
    chosen = parser.parse_args()
    command = " ".join(["python benchmarks/trials.py", *sys.argv[1:]])
    report = {"signals": {"command": command, **try_signals(chosen.signals, chosen.seed)}}
    report |= {name: try_tests(path) for name, path in TESTS.items()}
    chosen.output.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, ensure_ascii=False, indent=1))
    return 1 if any(found["wrong"] for found in report.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
