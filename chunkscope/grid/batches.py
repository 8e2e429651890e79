"""Dealing documents out in batches whose counts add up to those of the whole, and batches to several processes.

Twin: tests/oracle/batches.py
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import ChunkscopeError
from chunkscope.questions.labels import LocatedQuestion

if TYPE_CHECKING:
    from concurrent.futures import Future

BATCH_CHARACTERS = 1 << 20
"""About so many characters make a batch."""


@dataclass(frozen=True)
class Batch:
    """Documents that are swept together, and the questions that are about them alone."""

    documents: tuple[Document, ...]
    questions: tuple[LocatedQuestion, ...]


def tie_batches(corpus: Corpus, questions: Sequence[LocatedQuestion], characters: int | None) -> Iterator[Batch]:
    """Deal documents out in batches of about so many characters; None: all in one.

    Documents that a question ties together, directly or through others, come in one batch, when the last is read.
    """
    tie = _Ties(questions)
    waiting: dict[str, list[Document]] = {}
    batch: list[Document] = []
    size, any_batch = 0, False
    for document in corpus:
        group = tie.group_of(document.name)
        held = waiting.setdefault(group, [])
        held.append(document)
        if len(held) < tie.group_size(group):
            continue
        batch.extend(waiting.pop(group))
        size += sum(member.length for member in held)
        if characters is not None and size >= characters:
            yield tie.batch(batch)
            batch, size, any_batch = [], 0, True
    if batch or not any_batch:
        yield tie.batch(batch)


class _Ties:
    """Which documents questions tie together."""

    def __init__(self, questions: Sequence[LocatedQuestion]) -> None:
        self._leader: dict[str, str] = {}
        self._questions: dict[str, list[tuple[int, LocatedQuestion]]] = {}
        for number, question in enumerate(questions):
            names = [entry.document for entry in question.evidence]
            self._questions.setdefault(names[0], []).append((number, question))
            for name in names[1:]:
                self._leader[self.group_of(name)] = self.group_of(names[0])
        self._sizes: dict[str, int] = {}
        for name in self._leader:
            self._sizes.setdefault(self.group_of(name), 1)
        for name in {name for name in self._leader if self.group_of(name) != name}:
            self._sizes[self.group_of(name)] += 1

    def group_of(self, name: str) -> str:
        while (leader := self._leader.get(name, name)) != name:
            name = leader
        return name

    def group_size(self, group: str) -> int:
        return self._sizes.get(group, 1)

    def batch(self, documents: Sequence[Document]) -> Batch:
        asked = [pair for document in documents for pair in self._questions.get(document.name, ())]
        return Batch(tuple(documents), tuple(question for _, question in sorted(asked, key=lambda pair: pair[0])))


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
    with _starting_processes():
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_follow_the_parent)
    waiting: deque[tuple[Work, Future[Result]]] = deque()
    try:
        for piece in work:
            with _starting_processes():
                waiting.append((piece, pool.submit(function, plan, piece)))
            if len(waiting) > jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    except BrokenProcessPool:
        raise ChunkscopeError("a process ended before its work was done; if memory ran out, try fewer jobs") from None
    except BaseException:
        for process in list((pool._processes or {}).values()):  # there is no public way before 3.14
            process.kill()
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


@contextlib.contextmanager
def _starting_processes() -> Iterator[None]:
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
