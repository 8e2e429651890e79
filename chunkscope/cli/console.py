"""Streams: results on stdout or in a file, messages and progress on stderr. No encoding of a console makes it fail."""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TextIO

import click

from chunkscope.cli.program import one_line
from chunkscope.errors import InputError, os_reason

if TYPE_CHECKING:
    from chunkscope.corpus.name_filter import NameFilter

MARKS = "▁▂▃▄▅▆▇█·│⟦⟧×…"
"""What reports draw with; a console that lacks one of them gets ASCII."""

PATIENCE = 1.0
"""Seconds that a step may take before a bar is shown."""

WORKING = "working"
"""What a bar shows as long as nothing is known of how much there is to do."""

MOST_WARNINGS = 5


def _escape_as_json(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{lost[at]:02x}{lost[at + 1]:02x}" for at in range(0, len(lost), 2)), error.end


JSON_ESCAPES = "chunkscope-json"
codecs.register_error(JSON_ESCAPES, _escape_as_json)
ESCAPES = {"json": JSON_ESCAPES, "junit": "xmlcharrefreplace"}
"""How what programs read is escaped, by format."""


@dataclass(frozen=True)
class Look:
    """What a report has to go by: columns, colours, and whether all but ASCII is to be avoided in what it draws."""

    width: int
    color: bool
    ascii: bool


def look_of(output: str | None) -> Look:
    """Tell how to draw for a file, or for stdout."""
    if output not in (None, "-") or sys.stdout is None:
        return Look(80, False, False)
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((80, 24)).columns
    color = is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Look(max(width, 40), color, not can_encode(sys.stdout, MARKS))


def can_encode(stream: TextIO, text: str) -> bool:
    """Tell whether a stream can show a text."""
    try:
        text.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def check_outputs(outputs: Sequence[str | None], read: Sequence[str | None], names: NameFilter | None = None) -> None:
    """Check several outputs of one command as `check_output` does; no two may be one file."""
    for output in outputs:
        check_output(output, *read, names=names)
    files = [os.path.realpath(output) for output in outputs if output and output != "-"]
    for file in files:
        if files.count(file) > 1 and (os.path.isfile(file) or not os.path.exists(file)):
            raise InputError(f"{os.path.relpath(file)}: two outputs would be written there; name two files")


def check_output(output: str | None, *read: str | None, names: NameFilter | None = None) -> None:
    """Refuse an output that could not be written, before the work begins, and one that is `read`.

    `names` tells which files of a folder are read.

    Raises
    ------
    InputError
        Its folder is not there, it is a folder itself, it is read-only, or it is a file that is read, or a document
        in a folder that is read.
    """
    if output in (None, "-"):
        return
    path = next((path for path in read if path and os.path.exists(output) and _is_read(output, path, names)), None)
    if path:
        way_out = "write to another file" + (", or leave it out with --exclude" if os.path.isdir(path) else "")
        raise InputError(f"{output}: is read by this very command; {way_out}")
    folder = os.path.dirname(os.path.realpath(output))
    if os.path.isdir(output):
        raise InputError(f"{output}: is a folder; name a file")
    if not os.path.isdir(folder):
        raise InputError(f"{output}: its folder {os.path.dirname(output)!r} is not there; make it first")
    try:
        mode = os.stat(output).st_mode
    except FileNotFoundError:
        if not os.access(folder, os.W_OK):
            raise InputError(f"{output}: its folder is read-only") from None
        return
    except OSError as error:
        raise InputError(f"{output}: {os_reason(error)}") from None
    # replacing a read-only file would be possible, and is not what its owner meant
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(output, os.W_OK):
        raise InputError(f"{output}: the file is read-only")


def _is_read(output: str, path: str, names: NameFilter | None) -> bool:
    if not os.path.isdir(path):
        return os.path.exists(path) and os.path.samefile(output, path)
    from chunkscope.corpus.name_filter import NameFilter

    name = os.path.relpath(os.path.realpath(output), os.path.realpath(path)).replace(os.sep, "/")
    is_hidden = any(part.startswith(".") for part in name.split("/"))  # also what is not in the folder: ../
    return not is_hidden and (names or NameFilter()).accepts(name)


@contextlib.contextmanager
def open_output(output: str | None, form: str = "text") -> Iterator[IO[str]]:
    """Open a file in UTF-8, which appears whole or not at all, or stdout.

    Parameters
    ----------
    output : str or None
        ``-`` and None are stdout.
    form : str
        What programs read (``json``, ``junit``) is escaped as its readers know it, so that it stays valid whatever the
        encoding of stdout is.
    """
    errors = ESCAPES.get(form, "backslashreplace")
    if output in (None, "-"):
        yield _stdout(errors, for_programs=form in ESCAPES)
        return
    check_output(output)
    try:
        if os.path.exists(output) and not os.path.isfile(output):
            # a device or a pipe is written to, not replaced
            with open(output, "w", encoding="utf-8", errors=errors, newline="") as file:
                yield file
        else:
            with _replacing(os.path.realpath(output), errors) as file:
                yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, output) and not str(error.filename).endswith(".tmp"):
            raise
        raise InputError(f"{output}: {os_reason(error)}") from error


@contextlib.contextmanager
def _replacing(path: str, errors: str) -> Iterator[IO[str]]:
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name[:100]}.{os.getpid()}.tmp")
    try:
        with open(draft, "w", encoding="utf-8", errors=errors, newline="") as file:
            yield file
        if os.path.exists(path):
            shutil.copymode(path, draft)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def _stdout(errors: str, *, for_programs: bool) -> IO[str]:
    if sys.stdout is None:  # closed by whoever started us
        return open(os.devnull, "w", encoding="utf-8")  # lives as long as the program
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        # readers take it for UTF-8: in another encoding only ASCII is the same
        is_utf8 = codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"
        reconfigure(encoding="ascii" if for_programs and not is_utf8 else None, errors=errors, newline="")
    return sys.stdout


def ended(text: str) -> str:
    """End a text with a line end, if it has none."""
    return text if text.endswith("\n") or not text else text + "\n"


class Messages:
    """What is said on stderr beside errors: warnings, notes, and progress.

    Parameters
    ----------
    quiet : bool
        Say nothing.
    verbose : bool
        Say more, and all warnings of a kind.
    """

    def __init__(self, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet = quiet
        self.verbose = verbose and not quiet

    def warn(self, *warnings: str) -> None:
        """Write warnings, a line each; of many of a kind only the first few."""
        shown = warnings if self.verbose else warnings[:MOST_WARNINGS]
        for warning in shown:
            self._write(f"warning: {warning}")
        if len(warnings) > len(shown):
            self._write(f"warning: {len(warnings) - len(shown)} more like these (-v shows them)")

    def note(self, text: str) -> None:
        """Write what only those want to know who asked for more."""
        if self.verbose:
            self._write(text)

    def say(self, text: str) -> None:
        """Write what everybody wants to know."""
        self._write(text)

    def _write(self, text: str) -> None:
        if self.quiet or sys.stderr is None:
            return
        encoding = sys.stderr.encoding or "utf-8"
        line = f"chunkscope: {one_line(text)}".encode(encoding, "backslashreplace").decode(encoding)
        click.echo(line, err=True)

    @contextlib.contextmanager
    def progress(self, beside: IO[str] | None = None) -> Iterator[Callable[[str, int, int], None] | None]:
        """Give what draws a bar, on a terminal only, and only for steps that take their time.

        Where rows are written meanwhile, `beside` is their stream: a bar among them would be of no use.
        """
        if self.quiet or sys.stderr is None or not sys.stderr.isatty() or (beside is not None and beside.isatty()):
            yield None
            return
        bar = _Bar()
        try:
            yield bar
        finally:
            bar.close()


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
