"""Batches of texts on their way to a provider: by count and tokens, halved where they are too large, a few at a time.

What comes back is given at once, batch by batch, so that it can be kept whatever happens to the rest.
"""

from __future__ import annotations

import queue
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from chunkscope.errors import ChunkscopeError, ProviderError
from chunkscope.retrieval.providers.base import Limits, RetryableError, TooLargeError, Vectors, as_vectors
from chunkscope.retrieval.providers.http import without_secrets
from chunkscope.spans.intervals import IntArray

T = TypeVar("T")


class StoppedError(Exception):
    """The work was given up while a request waited to be tried again."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often, and how long between.

    Attributes
    ----------
    attempts : int
        Tries in all.
    wait : float
        Seconds before the second try; doubled each time, with a random part on top.
    longest : float
        Most seconds between two tries. A service that asks for more than twice that is not waited for.
    """

    attempts: int = 6
    wait: float = 1.0
    longest: float = 60.0


def call_with_retries(
    call: Callable[[], T],
    policy: RetryPolicy,
    stop: threading.Event | None = None,
    notify: Callable[[str], None] | None = None,
) -> T:
    """Call until it succeeds, for as long as what it raises is a `RetryableError`.

    Parameters
    ----------
    call : callable
    policy : RetryPolicy
    stop : threading.Event, optional
        Ends the waiting.
    notify : callable, optional
        Is told why and how long is waited.

    Raises
    ------
    ProviderError
        It did not succeed; what is not retryable comes through as it is.
    StoppedError
        `stop` was set.
    """
    stop = stop or threading.Event()
    for attempt in range(policy.attempts):
        try:
            return call()
        except RetryableError as error:
            failed = error
        if failed.after is not None and failed.after > 2 * policy.longest:
            raise ProviderError(f"{failed}; it asks to wait {failed.after:.0f} s: run again then, nothing is lost")
        if attempt + 1 == policy.attempts:
            break
        own = min(policy.wait * 2.0**attempt, policy.longest)
        # the random part parts clients that were refused together
        seconds = (own if failed.after is None else failed.after) + random.uniform(0.0, 0.25) * own
        if notify is not None:
            notify(f"{failed}; trying again in {seconds:.1f} s")
        if stop.wait(seconds):
            raise StoppedError
    raise ProviderError(f"{failed} (tried {policy.attempts} times)")


PATIENCE = 8
"""So many texts of one batch may be refused for their size, with none passing, before it must mean something else."""


def cut_batches(n_texts: int, limits: Limits, tokens: IntArray | None = None) -> list[range]:
    """Cut texts into batches, in order, each as large as the limits allow.

    Parameters
    ----------
    n_texts : int
    limits : Limits
    tokens : int64 (n_texts,), optional
        Of each text; without them batches are cut by count. A text above the limit of a request is one alone.

    Examples
    --------
    >>> cut_batches(5, Limits(max_texts=3, max_tokens_per_request=10), np.array([4, 4, 4, 1, 1]))
    [range(0, 2), range(2, 5)]
    """
    room = limits.max_tokens_per_request
    if room is None or tokens is None:
        return [range(first, min(first + limits.max_texts, n_texts)) for first in range(0, n_texts, limits.max_texts)]
    batches, first = [], 0
    summed = np.concatenate(([0], np.cumsum(tokens)))
    while first < n_texts:
        behind = int(np.searchsorted(summed, summed[first] + room, side="right")) - 1
        behind = max(first + 1, min(behind, first + limits.max_texts, n_texts))
        batches.append(range(first, behind))
        first = behind
    return batches


@dataclass(frozen=True)
class Answer:
    """What came of some texts.

    Attributes
    ----------
    numbers : tuple of int
        The texts.
    vectors : float32 (n, d)
    refused : str
        Why the service takes none of them, however few come together; empty where it does.
    """

    numbers: tuple[int, ...]
    vectors: Vectors
    refused: str = ""


@dataclass
class _Batch:
    """Some of the texts; `parent` is the batch of which it is a half, `root` the one that it was cut from at first."""

    numbers: tuple[int, ...]
    root: _Batch | None = None
    parent: _Batch | None = None
    halves_passed: int = 0
    passed: int = 0
    refused: int = 0


@dataclass
class _Sender:
    """What all workers share."""

    texts: Sequence[str]
    embed: Callable[[Sequence[str]], object]
    name: str
    secrets: tuple[str, ...]
    policy: RetryPolicy
    notify: Callable[[str], None] | None
    pending: deque[_Batch]
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    most: int = 1 << 62
    """No batch of more texts has passed since one was refused; learned on the way."""

    def take(self) -> _Batch | None:
        """Give the next batch, in the size that has been learned."""
        with self.lock:
            if self.stop.is_set() or not self.pending:
                return None
            batch = self.pending.popleft()
            if len(batch.numbers) > self.most:
                parts = [batch.numbers[first : first + self.most] for first in range(0, len(batch.numbers), self.most)]
                self.pending.extendleft(_Batch(part, batch.root or batch) for part in reversed(parts))
                batch = self.pending.popleft()
            return batch

    def send(self, batch: _Batch) -> Answer | None:
        """Send a batch; None where it was halved, and its halves are still to come."""
        texts = [self.texts[number] for number in batch.numbers]
        try:
            found = call_with_retries(lambda: self._call(texts), self.policy, self.stop, self.notify)
        except TooLargeError as error:
            return self._halve(batch, str(error))
        vectors = as_vectors(self.name, len(texts), found)
        with self.lock:
            (batch.root or batch).passed += len(texts)
            if batch.parent is not None:
                batch.parent.halves_passed += 1
                if batch.parent.halves_passed == 2:
                    self.most = min(self.most, (len(batch.parent.numbers) + 1) // 2)
        return Answer(batch.numbers, vectors)

    def _call(self, texts: Sequence[str]) -> object:
        """Call the provider. What it raises of other kinds is told in one line, without keys."""
        try:
            return self.embed(texts)
        except ChunkscopeError:
            raise
        except Exception as error:
            told = without_secrets(f"{type(error).__name__}: {error}", self.secrets)
            raise ProviderError(f"{self.name}: {told}") from (None if self.secrets else error)

    def _halve(self, batch: _Batch, reason: str) -> Answer | None:
        with self.lock:
            if len(batch.numbers) > 1:
                middle = (len(batch.numbers) + 1) // 2
                halves = batch.numbers[:middle], batch.numbers[middle:]
                self.pending.extendleft(_Batch(half, batch.root or batch, batch) for half in reversed(halves))
                return None
            root = batch.root or batch
            root.refused += 1
            size = len(root.numbers)
            if not root.passed and size > 1 and root.refused >= min(PATIENCE, size):
                raise ProviderError(reason)
        return Answer(batch.numbers, np.empty((0, 0), dtype=np.float32), refused=reason)


def send_batches(
    texts: Sequence[str],
    embed: Callable[[Sequence[str]], object],
    limits: Limits,
    tokens: IntArray | None = None,
    *,
    name: str = "provider",
    secrets: tuple[str, ...] = (),
    policy: RetryPolicy | None = None,
    notify: Callable[[str], None] | None = None,
) -> Iterator[Answer]:
    """Send texts to a provider and give what comes back, as it comes.

    Parameters
    ----------
    texts : sequence of str
    embed : callable
        Takes some of the texts, and gives an array with a row for each.
    limits : Limits
        `concurrency` requests are under way at a time; the first goes alone, so that a wrong key fails once.
    tokens : int64 (n,), optional
    name : str
        Of the provider, for messages.
    secrets : tuple of str
        Keys that no message may hold.
    policy : RetryPolicy, optional
    notify : callable, optional
        Is told of retries.

    Yields
    ------
    Answer
        Each text in exactly one.

    Raises
    ------
    ProviderError
        After all that had been under way has been given.
    """
    batches = deque(_Batch(tuple(batch)) for batch in cut_batches(len(texts), limits, tokens))
    sender = _Sender(texts, embed, name, secrets, policy or RetryPolicy(), notify, batches)
    while (batch := sender.take()) is not None:
        answer = sender.send(batch)
        if answer is not None:
            yield answer
            if limits.concurrency > 1:
                break
    if sender.pending:
        yield from _in_threads(sender, limits.concurrency)


def _in_threads(sender: _Sender, concurrency: int) -> Iterator[Answer]:
    done: queue.Queue[Answer | BaseException | None] = queue.Queue()

    def work() -> None:
        try:
            while (batch := sender.take()) is not None:
                answer = sender.send(batch)
                if answer is not None:
                    done.put(answer)
        except BaseException as error:  # handed to the one who waits
            sender.stop.set()
            done.put(error)
        finally:
            done.put(None)

    # daemons: a request that hangs must not keep the program from ending
    workers = [threading.Thread(target=work, daemon=True) for _ in range(min(concurrency, len(sender.pending)))]
    failed: BaseException | None = None
    try:
        for worker in workers:
            worker.start()
        running = len(workers)
        while running:
            try:
                item = done.get(timeout=0.5)  # where a wait without end cannot be interrupted
            except queue.Empty:
                continue
            if item is None:
                running -= 1
            elif isinstance(item, Answer):
                yield item
            elif failed is None and not isinstance(item, StoppedError):
                failed = item
    except KeyboardInterrupt:
        sender.stop.set()
        while not done.empty():
            if isinstance(item := done.get_nowait(), Answer):
                yield item
        raise
    finally:
        sender.stop.set()
    if failed is not None:
        raise failed
