"""The command line: reads what was asked, calls the library, and says how it went. It computes nothing.

Here stand its entry point and its signals, Ctrl-C and SIGTERM: one line and a status, whenever they come. So next to
nothing is imported here.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object] | int

INTERRUPTED, TERMINATED = 130, 143
"""Statuses of what Ctrl-C ends, and of what the signal ends with which systems end programs."""

MESSAGES = {signal.SIGINT: b"chunkscope: interrupted\n", signal.SIGTERM: b"chunkscope: terminated\n"}


class TerminationError(KeyboardInterrupt):
    """SIGTERM, as whoever is at work should take it: as an interrupt."""


def leave_at_once() -> None:
    """Let signals end the program where nothing is to be cleared away: while it starts, and once it ends.

    An exception would show where Python was at that moment.
    """
    for number in MESSAGES:
        if signal.getsignal(number) is not signal.SIG_IGN:  # who ignores them has a reason
            signal.signal(number, _leave)


class Raising:
    """Lets signals raise meanwhile, so that worker processes and temporary files are cleared away."""

    def __enter__(self) -> None:
        self._before = {number: signal.getsignal(number) for number in MESSAGES}
        self._set({number: _raise for number in MESSAGES if self._before[number] is not signal.SIG_IGN})

    def __exit__(self, *exception: object) -> None:
        self._set({number: handler or signal.SIG_DFL for number, handler in self._before.items()})

    def _set(self, handlers: Mapping[signal.Signals, Handler]) -> None:
        try:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        except ValueError:
            pass  # only a main thread may say what signals do


def _leave(number: int, frame: object) -> None:
    try:
        os.write(2, MESSAGES[signal.Signals(number)])
    finally:
        os._exit(128 + number)


def _raise(number: int, frame: object) -> None:
    leave_at_once()  # a second one does not wait
    raise TerminationError if number == signal.SIGTERM else KeyboardInterrupt


def main() -> None:
    """Run the command ``chunkscope``, and leave with its status. Signals are caught before all else is imported."""
    leave_at_once()
    from chunkscope.cli.program import program

    program.main()
