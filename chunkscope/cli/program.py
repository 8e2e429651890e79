"""The program: its commands, each imported when it is asked for, and its exit statuses."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import click

from chunkscope._version import __version__
from chunkscope.cli import MESSAGES, leave_at_once
from chunkscope.cli.console import write_error, write_message
from chunkscope.errors import ChunkscopeError, did_you_mean, os_reason

OK, FOUND, FAILED = 0, 1, 2
"""Ran; ran and something is found; could not do the work."""

COMMANDS = (
    *("sweep", "recall", "check", "report", "labels", "chunks", "inspect", "show"),
    *("convert", "structure", "compare", "questions", "cache", "list", "init"),
)
"""The commands in the order of the help; each is a module of `chunkscope.cli.commands`."""


INTERRUPTED, TERMINATED = 130, 143
"""Statuses of what Ctrl-C ends, and of what the signal ends with which systems end programs."""


class TerminationError(KeyboardInterrupt):
    """SIGTERM, as whoever is at work should take it: as an interrupt."""


class _KeptError(Exception):
    """Kept from click; its cause is Ctrl-C, SIGTERM, or that whoever read the output has gone, as ``head`` does."""


class Program(click.Group):
    """The command ``chunkscope``: loads its commands late, and turns whatever happens into an exit status."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"chunkscope.cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            hint = did_you_mean(name, COMMANDS) or f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the program's own options."""
        with _kept_from_click():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _kept_from_click():
            return super().invoke(ctx)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run, and leave with an exit status."""
        arguments = list(sys.argv[1:] if args is None else args)
        with_traceback = "--traceback" in arguments
        try:
            with _raising_signals():
                status = super().main(
                    arguments, prog_name or "chunkscope", complete_var, standalone_mode=False, **extra
                )
            if sys.stdout is not None:
                sys.stdout.flush()
        except SystemExit:
            raise
        except BaseException as error:  # a panic of a tokenizer written in Rust is no Exception
            status, reason = _status_and_reason(error)
            _drop_output()
            with contextlib.suppress(OSError, ValueError):
                if with_traceback and reason:
                    import traceback  # takes a fifth of the time of the whole start

                    write_error("".join(traceback.format_exception(error)).rstrip("\n"))
                if reason:
                    write_message(reason)
        sys.exit(status if isinstance(status, int) else OK)


@contextlib.contextmanager
def _kept_from_click() -> Iterator[None]:
    """Keep from click what it would end in its own way: with a status of 1, and an empty line."""
    try:
        yield
    except (KeyboardInterrupt, BrokenPipeError) as error:
        raise _KeptError from error


@contextlib.contextmanager
def _raising_signals() -> Iterator[None]:
    """Let signals raise meanwhile, so that worker processes and temporary files are cleared away."""
    before = {number: signal.getsignal(number) for number in MESSAGES}
    _handle_signals({number: _raise for number, handler in before.items() if handler is not signal.SIG_IGN})
    try:
        yield
    finally:
        _handle_signals({number: handler or signal.SIG_DFL for number, handler in before.items()})


def _handle_signals(handlers: Mapping[signal.Signals, Any]) -> None:
    with contextlib.suppress(ValueError):  # only a main thread may say what signals do
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _raise(number: int, frame: object) -> None:
    leave_at_once()  # a second one does not wait
    raise TerminationError if number == signal.SIGTERM else KeyboardInterrupt


def _status_and_reason(error: BaseException) -> tuple[int, str]:
    """Give the exit status for what has been raised, and the reason; no reason where nobody is left to read it."""
    if isinstance(error, _KeptError):
        error = error.__cause__ or error
    if isinstance(error, BrokenPipeError):
        return OK, ""
    error = _interrupt_in(error) or error
    if isinstance(error, TerminationError):
        return TERMINATED, "terminated"
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return INTERRUPTED, "interrupted"
    return FAILED, _reason(error)


def _interrupt_in(error: BaseException) -> KeyboardInterrupt | None:
    """Find the interrupt that became another error on its way: Python itself makes such where it builds a class."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return found


def _reason(error: BaseException) -> str:
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "chunkscope"
        message = error.format_message().rstrip(".")
        return f"{message}{'' if message.endswith('?') else ';'} see {path} --help"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, ChunkscopeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory; try fewer sizes, or fewer documents at a time"
    if isinstance(error, OSError) and error.strerror:
        return ": ".join([*([str(error.filename)] if error.filename is not None else []), os_reason(error)])
    return f"internal error: {type(error).__name__}: {error}; --traceback shows where"


def _drop_output() -> None:
    """Write what is held back; where that fails, give it up, or Python would complain of it when it ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


EPILOG = """\b
Examples:
  chunkscope sweep --demo
  chunkscope sweep docs -q questions.jsonl --sizes 100..1000:50
  chunkscope recall docs -q questions.jsonl
  chunkscope chunks docs --chunker heading --size 400 > chunks.jsonl

\b
Exit status: 0 done, 1 something is found, 2 could not do the work,
130 interrupted, 143 terminated."""


@click.group(
    "chunkscope",
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(__version__, "--version", prog_name="chunkscope", message="%(prog)s %(version)s")
@click.option("--traceback", is_flag=True, expose_value=False, help="Show where an error comes from.")
@click.pass_context
def program(ctx: click.Context) -> None:
    """See where chunkers cut your documents before you index them.

    Looks at a whole grid of sizes and overlaps: which evidence is split, which table rows have lost their header, and
    what each setting costs. It works offline.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
