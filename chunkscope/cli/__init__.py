"""The command line: reads what was asked, calls the library, and says how it went. It computes nothing.

Ctrl-C and SIGTERM mean one line and a status, whenever they come: so next to nothing is imported here.
"""

from __future__ import annotations

import os
import signal

MESSAGES = {signal.SIGINT: b"chunkscope: interrupted\n", signal.SIGTERM: b"chunkscope: terminated\n"}


def leave_at_once() -> None:
    """Let signals end the program where nothing is to be cleared away: while it starts, and once it ends.

    An exception would show where Python was at that moment.
    """
    for number in MESSAGES:
        if signal.getsignal(number) is not signal.SIG_IGN:  # who ignores them has a reason
            signal.signal(number, _leave)


def _leave(number: int, frame: object) -> None:
    try:
        os.write(2, MESSAGES[signal.Signals(number)])
    finally:
        os._exit(128 + number)


def main() -> None:
    """Run the command ``chunkscope``, and leave with its status. Signals are caught before all else is imported."""
    leave_at_once()
    from chunkscope.cli.program import program

    program.main()
