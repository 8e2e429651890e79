"""Time commands as whole processes, in turn, so that a ratio holds when the machine's speed drifts."""

from __future__ import annotations

import os
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Timed:
    """Seconds, and the most memory that the process and its children held together, for each run."""

    seconds: list[float]
    peak_bytes: list[int]

    def to_dict(self) -> dict[str, object]:
        return {
            "seconds": [round(s, 3) for s in self.seconds],
            "median_seconds": round(statistics.median(self.seconds), 3),
            "median_peak_megabytes": round(statistics.median(self.peak_bytes) / 1e6),
        }


def time_in_turn(commands: dict[str, list[str]], runs: int, warmup: int = 1) -> dict[str, Timed]:
    timed = {name: Timed([], []) for name in commands}
    for run in range(warmup + runs):
        for name, command in commands.items():
            seconds, peak = run_once(command)
            if run >= warmup:
                timed[name].seconds.append(seconds)
                timed[name].peak_bytes.append(peak)
    return timed


def run_once(command: list[str]) -> tuple[float, int]:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0

    def watch() -> None:
        nonlocal peak
        while process.poll() is None:
            peak = max(peak, memory_of_family(process.pid))
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    complaint = process.communicate()[1]
    seconds = time.perf_counter() - began
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}: {complaint.decode(errors='replace')[-500:]}")
    return seconds, peak


def memory_of_family(root: int) -> int:
    """Add up the proportional set sizes (shared pages divided) of a process and all below it."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
    total = 0
    for process in parents:
        ancestor = process
        while ancestor not in (0, root):
            ancestor = parents.get(ancestor, 0)
        if ancestor == root:
            try:
                for line in Path("/proc", str(process), "smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
            except OSError:
                continue
    return total
