"""Several processes that share work which adds up."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

BYTES_THAT_PAY = 10_000_000

Plan = TypeVar("Plan")
Work = TypeVar("Work")
Result = TypeVar("Result")


def run_in_processes(
    function: Callable[[Plan, Work], Result], plan: Plan, work: Iterable[Work], jobs: int
) -> Iterator[tuple[Work, Result]]:
    """Give each piece of work with its result, in order; only a few pieces are under way at a time.

    Whatever ends the loop, Ctrl-C too, ends the processes; so does the end of this one, whatever kills it.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # "spawn" behaves alike on every system, and is safe where threads already run.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_follow_the_parent)
    waiting: deque[tuple[Work, Future[Result]]] = deque()
    try:
        for piece in work:
            waiting.append((piece, pool.submit(function, plan, piece)))
            if len(waiting) > jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    except BaseException:
        _end(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def worthwhile_jobs(n_bytes: int) -> int:
    """Give how many processes pay for so many bytes of text: all that this one may run on, or one for little text.

    A process takes longer to start than a small corpus takes to sweep.
    """
    if n_bytes < BYTES_THAT_PAY:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _follow_the_parent() -> None:
    """Leave interrupts to the parent, and end with it, however it ends: nobody else would end this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _end(pool: ProcessPoolExecutor) -> None:
    for process in list((pool._processes or {}).values()):  # there is no public way before 3.14
        process.terminate()
