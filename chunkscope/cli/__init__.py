"""The command line: reads what was asked, calls the library, and says how it went. It computes nothing."""

from chunkscope.cli import signals


def main() -> None:
    """Run the command ``chunkscope``, and leave with its status. Signals are caught before all else is imported."""
    signals.leave_at_once()
    from chunkscope.cli.program import program

    program.main()
