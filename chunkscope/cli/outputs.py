"""Where results go: stdout or a file, checked before the work begins, written whole or not at all; how they look."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, TextIO

import click

from chunkscope.corpus.name_filter import NameFilter
from chunkscope.errors import InputError, os_reason
from chunkscope.language import Language
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.visible import harmless, harmless_json


def _escape_as_json(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{lost[at]:02x}{lost[at + 1]:02x}" for at in range(0, len(lost), 2)), error.end


JSON_ESCAPES = "chunkscope-json"
codecs.register_error(JSON_ESCAPES, _escape_as_json)
ESCAPES = {"json": JSON_ESCAPES, "junit": "xmlcharrefreplace", "html": "xmlcharrefreplace"}
"""How what programs read is escaped, by format."""


MARKS = "▁▂▃▄▅▆▇█·│⟦⟧×…"
"""What reports draw with; a console that lacks one of them gets ASCII."""


def check_outputs(outputs: Sequence[str | None], read: Sequence[str | None], names: NameFilter) -> None:
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
        Its folder is not there, it is a folder itself, it is read-only, a link leads it elsewhere, or it is a file that
        is read, or a document in a folder that is read.
    """
    if output in (None, "-"):
        return
    path = next((path for path in read if path and os.path.exists(output) and _is_read(output, path, names)), None)
    if path:
        way_out = "write to another file" + (", or leave it out with --exclude" if os.path.isdir(path) else "")
        raise InputError(f"{output}: is read by this very command; {way_out}")
    folder = os.path.dirname(os.path.realpath(output))
    if leads_out(output) and not output.startswith("/dev/"):
        raise InputError(f"{output}: a link leads it out of its folder, to {os.path.realpath(output)}; name that file")
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
        return is_same_file(output, path)
    name = os.path.relpath(os.path.realpath(output), os.path.realpath(path)).replace(os.sep, "/")
    is_hidden = any(part.startswith(".") for part in name.split("/"))  # also what is not in the folder: ../
    return not is_hidden and (names or NameFilter()).accepts(name)


def leads_out(path: str) -> bool:
    """Tell whether links lead a path out of the current folder; or out of its own, where it does not stand below."""
    is_below = not os.path.isabs(path) and os.pardir not in path.replace(os.sep, "/").split("/")
    folder = os.curdir if is_below else os.path.dirname(path)
    return not is_inside(path, folder)


def is_inside(path: str, folder: str) -> bool:
    """Tell whether a path leads to a folder or below, links followed."""
    return os.path.join(os.path.realpath(path), "").startswith(os.path.join(os.path.realpath(folder), ""))


def is_same_file(path: str, other: str | None) -> bool:
    """Tell whether two paths lead to one file that is there."""
    return other is not None and os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


class Output:
    """A stream on which nothing can be written that a terminal, a log or a runner would obey.

    Parameters
    ----------
    stream : text stream
    form : str
        ``json`` is escaped as its readers know it. ``github`` is meant to be obeyed, and escapes what it is given;
        ``html`` has escaped it too.
    color : bool
        The colours of reports are passed on.
    """

    def __init__(self, stream: IO[str], form: str, color: bool) -> None:
        self._stream, self._form, self._color = stream, form, color

    def write(self, text: str) -> None:
        """Write whole lines."""
        if self._form == "json":
            text = harmless_json(text)
        elif self._form not in ("github", "html"):
            text = harmless(text, color=self._color)
        self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write whole lines one after the other."""
        for line in lines:
            self.write(line)

    def isatty(self) -> bool:
        """Tell whether somebody sees it at once."""
        return self._stream.isatty()


@contextlib.contextmanager
def open_output(output: str | None, form: str = "text") -> Iterator[Output]:
    """Open a file in UTF-8, which appears whole or not at all, or stdout.

    Parameters
    ----------
    output : str or None
        ``-`` and None are stdout.
    form : str
        What programs read (``json``, ``junit``) is escaped as its readers know it, so that it stays valid whatever the
        encoding of stdout is. See also `Output`.
    """
    errors = ESCAPES.get(form, "backslashreplace")
    if output in (None, "-"):
        yield Output(_stdout(errors, for_programs=form in ESCAPES), form, _is_colored(output))
        return
    check_output(output)
    try:
        if os.path.exists(output) and not os.path.isfile(output):
            # a device or a pipe is written to, not replaced
            with open(output, "w", encoding="utf-8", errors=errors, newline="") as file:
                yield Output(file, form, False)
        else:
            with _replacing(os.path.realpath(output), errors) as file:
                yield Output(file, form, False)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, output) and not str(error.filename).endswith(".tmp"):
            raise
        raise InputError(f"{output}: {os_reason(error)}") from error


@contextlib.contextmanager
def open_pager() -> Iterator[Output]:
    """Open stdout, a terminal, through the pager that its user has chosen, if what is written is longer than it."""
    text = io.StringIO()
    yield Output(text, "text", _is_colored(None))
    shown = text.getvalue()
    if shown.count("\n") < shutil.get_terminal_size((80, 24)).lines:
        _stdout("backslashreplace", for_programs=False).write(shown)
    else:
        click.echo_via_pager(shown.removesuffix("\n"), color=_is_colored(None))


def is_paged(output: str | None) -> bool:
    """Tell whether somebody reads the output on a terminal that can go back and forth."""
    return output in (None, "-") and sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def write_bytes(output: str, data: bytes) -> None:
    """Write a file that is no text; it appears whole or not at all."""
    check_output(output)
    try:
        with _replacing(os.path.realpath(output)) as file:
            file.write(data)
    except OSError as error:
        raise InputError(f"{output}: {os_reason(error)}") from error


@contextlib.contextmanager
def _replacing(path: str, errors: str | None = None) -> Iterator[IO[Any]]:
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")
    is_made = False
    try:
        # a new file: a link of that name, which somebody has laid there, would be written through
        text: dict[str, Any] = {"encoding": "utf-8", "errors": errors, "newline": ""}
        with open(draft, "xb") if errors is None else open(draft, "x", **text) as file:
            is_made = True
            yield file
        if os.path.exists(path):
            shutil.copymode(path, draft)
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            if is_made:
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


def look_of(output: str | None, lang: Language) -> ReportOptions:
    """Tell how to draw for a file, or for stdout, and in which language of those that can be read there."""
    if output not in (None, "-") or sys.stdout is None:
        return ReportOptions(lang=lang, wide=True)
    width = shutil.get_terminal_size((80, 24)).columns
    return ReportOptions(
        width=max(width, 40),
        color=_is_colored(output),
        ascii=not can_encode(sys.stdout, MARKS),
        lang=readable_language(sys.stdout, lang),
        wide=not sys.stdout.isatty() and "COLUMNS" not in os.environ,
    )


def _is_colored(output: str | None) -> bool:
    if output not in (None, "-") or sys.stdout is None:
        return False
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def readable_language(stream: TextIO, lang: Language) -> Language:
    """Give the language, or English where a stream cannot show it."""
    return lang if lang == "en" or can_encode(stream, "日本語") else "en"


def can_encode(stream: TextIO, text: str) -> bool:
    """Tell whether a stream can show a text."""
    try:
        text.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def ended(text: str) -> str:
    """End a text with a line end, if it has none."""
    return text if text.endswith("\n") or not text else text + "\n"
