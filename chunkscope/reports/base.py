"""What a report format is, and where one is found: ours, and those of installed packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from chunkscope.errors import ChunkscopeError, PluginError
from chunkscope.language import Language
from chunkscope.plugins import Registry

SWEEP, CHECK = "sweep", "check"
"""The kinds of results: a `SweepResult` and a `CheckResult`."""

BUILT_IN = {
    SWEEP: {
        "table": "chunkscope.reports.sweep_text:REPORT",
        "json": "chunkscope.reports.json_report:REPORT",
        "csv": "chunkscope.reports.sweep_csv:REPORT",
        "markdown": "chunkscope.reports.sweep_markdown:REPORT",
    },
    CHECK: {
        "text": "chunkscope.reports.check_text:REPORT",
        "json": "chunkscope.reports.json_report:REPORT",
        "github": "chunkscope.reports.check_github:REPORT",
        "junit": "chunkscope.reports.check_junit:REPORT",
    },
}
"""Our own formats for each kind of result, the first of which is the default."""

REPORTS = {kind: Registry("report format", "chunkscope.reports", own) for kind, own in BUILT_IN.items()}
"""The formats for each kind of result, by name."""

LEAST_WIDTH = 20
"""Narrower terminals get lines as wide as this."""


@dataclass(frozen=True)
class ReportOptions:
    """What a report has to go by.

    Attributes
    ----------
    width : int
        Terminal cells in a line.
    color : bool
        With ANSI colours.
    ascii : bool
        Marks of ASCII only; the texts of others stay as they are.
    all_rows : bool
        Everything instead of what is telling.
    quiet : bool
        Findings and the last line only.
    lang : {"ja", "en"}
        What people read is written in it; see `chunkscope.language.in_language`.
    wide : bool
        Tables may be as wide as they are: nobody reads them on a terminal.
    """

    width: int = 80
    color: bool = False
    ascii: bool = False
    all_rows: bool = False
    quiet: bool = False
    lang: Language = "en"
    wide: bool = False

    @property
    def table_width(self) -> int | None:
        """Terminal cells of a line in a table; None: no limit."""
        return None if self.wide else max(self.width, LEAST_WIDTH)


class ReportFormat(Protocol):
    """What writes results as text; a class without arguments, or an object, in the entry-point group."""

    @property
    def takes(self) -> tuple[str, ...]:
        """The kinds of results that it writes: ``sweep``, ``check`` or both."""
        ...

    def render(self, result: Any, options: ReportOptions) -> str:
        """Write a result. What people read goes through `chunkscope.reports.visible.visible`."""
        ...


@dataclass(frozen=True)
class Report:
    """A format of our own: the kinds of results that it writes, and the function that writes them."""

    takes: tuple[str, ...]
    render: Callable[[Any, ReportOptions], str]


def find_report(name: str, kind: str) -> ReportFormat:
    """Find a format for a kind of result.

    Raises
    ------
    PluginError
        Nothing of that name, or nothing that writes such results.

    Examples
    --------
    >>> find_report("csv", "sweep").takes
    ('sweep',)
    """
    found = REPORTS[kind].find(name)
    report: ReportFormat = found() if isinstance(found, type) else found
    for member in ("takes", "render"):
        if not hasattr(report, member):
            raise PluginError(f"report format {name!r}: {type(report).__name__} is none; it lacks {member}")
    if kind not in report.takes:
        raise PluginError(f"report format {name!r} is not for a {kind}; it takes {', '.join(report.takes)}")
    return report


def write_report(name: str, kind: str, result: Any, options: ReportOptions) -> str:
    """Write a result in a format.

    Returns
    -------
    str
        Lines, each with its end.

    Raises
    ------
    PluginError
        See `find_report`; or a format of a package fails.
    """
    report = find_report(name, kind)
    if name in BUILT_IN[kind]:
        return report.render(result, options)
    try:
        text = report.render(result, options)
    except ChunkscopeError:
        raise
    except Exception as error:
        raise PluginError(f"report format {name!r} failed: {type(error).__name__}: {error}") from error
    if not isinstance(text, str):
        raise PluginError(f"report format {name!r} gave {type(text).__name__}, not a text")
    return text if text.endswith("\n") or not text else f"{text}\n"
