"""Ctrl-C and SIGTERM: one line and a status, whenever they come. Nothing heavy is imported here."""

import os
import signal

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


def raise_exceptions() -> None:
    """Let signals raise, so that worker processes and temporary files are cleared away; a second one does not wait."""
    for number in MESSAGES:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _raise)


def _leave(number: int, frame: object) -> None:
    try:
        os.write(2, MESSAGES[signal.Signals(number)])
    finally:
        os._exit(128 + number)


def _raise(number: int, frame: object) -> None:
    leave_at_once()
    raise TerminationError if number == signal.SIGTERM else KeyboardInterrupt
