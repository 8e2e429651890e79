"""What is said on a console beside results: messages and progress, on stderr."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import click

from chunkscope.cli.outputs import Output, readable_language
from chunkscope.language import Language, in_language, say
from chunkscope.reports.formatting import decimal, duration
from chunkscope.reports.visible import harmless, visible

PATIENCE = 1.0
"""Seconds that a step may take before a bar is shown."""

WORKING = "working"
"""What a bar shows as long as nothing is known of how much there is to do."""

PAUSE = 30.0
"""Seconds between two lines that tell how far it is, where there is no bar."""

TEXTS = "texts"
_STAGES = {TEXTS: say("texts"), "cells": say("cells"), "documents": say("documents")}

MOST_WARNINGS = 5

LONGEST_MESSAGE = 4000
"""Characters of a message; names and values of others may have millions."""
MOST_ERRORS = 20


def one_line(text: str) -> str:
    r"""Write a message in one line that is harmless, whatever names are in it.

    Examples
    --------
    >>> one_line("a\nb\x1b[1m.md: no such file")
    'a b\\x1b[1m.md: no such file'
    """
    joined = re.sub(r"\s*[\r\n\u2028\u2029\x85\v\f]+\s*", " ", text.strip())
    return harmless(visible(joined, ascii=True))


def write_message(text: str) -> None:
    """Write a message on stderr, in one line."""
    line = one_line(text)
    if len(line) > LONGEST_MESSAGE:
        half = LONGEST_MESSAGE // 2
        line = f"{line[:half]} ... {line[-half:]}"
    write_error(f"chunkscope: {line}")


def write_error(text: str) -> None:
    """Write on stderr what is harmless, whatever its encoding."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    click.echo(harmless(text).encode(encoding, "backslashreplace").decode(encoding), err=True)


class Messages:
    """What is said on stderr beside errors: warnings, notes, and progress.

    Parameters
    ----------
    quiet : bool
        Say nothing.
    verbose : bool
        Say more, and all warnings of a kind.
    lang : {"ja", "en"}
        In which language, where stderr can show it.
    """

    def __init__(self, quiet: bool = False, verbose: bool = False, lang: Language = "en") -> None:
        self.quiet = quiet
        self.lang = lang
        self.verbose = verbose and not quiet

    def warn(self, *warnings: str) -> None:
        """Write warnings, a line each; of many of a kind only the first few."""
        shown = warnings if self.verbose else warnings[:MOST_WARNINGS]
        for warning in shown:
            self._write(say("warning: {text}", text=warning))
        if len(warnings) > len(shown):
            self._write(say("warning: {n:,} more like these (-v shows them)", n=len(warnings) - len(shown)))

    def fail(self, *errors: str) -> None:
        """Write errors after which the work went on, a line each, quiet or not; of many only the first few."""
        shown = errors if self.verbose else errors[:MOST_ERRORS]
        more = len(errors) - len(shown)
        rest = [say("{n:,} more like these (-v shows them)", n=more)] if more else []
        for error in (*shown, *rest):
            write_message(in_language(error, readable_language(sys.stderr, self.lang)))

    def note(self, text: str) -> None:
        """Write what only those want to know who asked for more."""
        if self.verbose:
            self._write(text)

    def say(self, text: str) -> None:
        """Write what everybody wants to know."""
        self._write(text)

    def notify(self, text: str) -> None:
        """Write what providers and the cache have to tell; they mark their warnings themselves."""
        self._write(text)

    def _write(self, text: str) -> None:
        if not self.quiet and sys.stderr is not None:
            write_message(in_language(text, readable_language(sys.stderr, self.lang)))

    @contextlib.contextmanager
    def progress(self, beside: Output | None = None) -> Iterator[Callable[[str, int, int], None] | None]:
        """Give what tells how far it is, for steps that take their time: a bar, or where it is no terminal lines.

        Where rows are written meanwhile, `beside` is their stream: a bar among them would be of no use.
        """
        if self.quiet or sys.stderr is None or (beside is not None and beside.isatty()):
            yield None
            return
        if not sys.stderr.isatty():
            yield Lines(self.say)
            return
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()


class Lines:
    """Says now and then in a line how far it is, how fast it goes, and how long the rest takes.

    Texts that are embedded take longest; while they come, nothing is said of cells.

    Parameters
    ----------
    write : callable
    clock : callable
        Gives seconds.
    """

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write, clock
        self._last = clock()
        self._begun: dict[str, tuple[float, int]] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Hear how many are done of how many."""
        now = self._clock()
        since, before = self._begun.setdefault(stage, (now, done))
        if done == total:
            self._begun.pop(stage)
        elif now - self._last >= PAUSE and done > before and (stage == TEXTS or TEXTS not in self._begun):
            self._last = now
            rate = (done - before) / (now - since)
            self._write(
                say(
                    "{stage}: {done:,} of {total:,}, {rate} a second, about {left} left",
                    stage=_STAGES.get(stage, stage),
                    done=done,
                    total=total,
                    rate=decimal(rate),
                    left=duration((total - done) / rate),
                )
            )


class _Bar:
    """A bar on stderr that comes after a while, whatever is heard till then, and goes without a trace."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}
        self._heard: dict[str, tuple[int, int]] = {}
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def __call__(self, stage: str, done: int, total: int) -> None:
        with self._lock:
            self._heard[stage] = done, total
            if self._bar is not None:
                self._draw(stage)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, ProgressColumn, Task
        from rich.text import Text

        class Rate(ProgressColumn):
            def render(self, task: Task) -> Text:
                return Text(f"{task.speed:,.1f}/s" if task.speed and task.description == "texts" else "")

        with self._lock:
            if self._timer.finished.is_set():
                return  # the work has ended meanwhile
            columns = (*Progress.get_default_columns(), Rate())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            for stage in self._heard:
                self._draw(stage)
            if not self._heard:
                # the first batch may take its time, and nobody should think that nothing happens
                self._tasks[WORKING] = self._bar.add_task(WORKING, total=None)
            self._bar.start()

    def _draw(self, stage: str) -> None:
        done, total = self._heard[stage]
        if WORKING in self._tasks:
            self._bar.remove_task(self._tasks.pop(WORKING))
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(stage, total=total)
        self._bar.update(self._tasks[stage], completed=done, total=total)

    def close(self) -> None:
        """Take the bar away."""
        self._timer.cancel()
        with self._lock:
            if self._bar is not None:
                self._bar.stop()
