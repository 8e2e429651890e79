"""Results in a notebook: the text of the terminal as HTML, and data frames of pandas or polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

from chunkscope.errors import ConfigError, MissingPartError
from chunkscope.gate.result import CheckResult
from chunkscope.grid.comparison import Comparison
from chunkscope.grid.pairing import PARAMETERS
from chunkscope.grid.results import SweepResult, Value, flat_cell, leaves
from chunkscope.reports.base import CHECK, SWEEP, ReportOptions, write_report
from chunkscope.reports.comparison_text import render_comparison
from chunkscope.reports.visible import visible

WIDTH = 100
"""Characters that fit beside each other in the output of a notebook."""
LIBRARIES = ("pandas", "polars")

Row = Mapping[str, Value]


def to_html(result: Any) -> str:
    """Write a result as HTML: what the terminal shows of it.

    Examples
    --------
    >>> from chunkscope.grid.results import CorpusInfo
    >>> to_html(SweepResult({}, CorpusInfo("a<b", 0, 0), None, ()))[:36]
    '<pre style="overflow-x: auto">a&lt;b'
    """
    return f'<pre style="overflow-x: auto">{escape(_text(result))}</pre>'


def _text(result: Any) -> str:
    options = ReportOptions(width=WIDTH)
    if isinstance(result, SweepResult):
        return write_report("table", SWEEP, result, options)
    if isinstance(result, CheckResult):
        return write_report("text", CHECK, result, options)
    if isinstance(result, Comparison):
        return render_comparison(result, options)
    problems = [f"{one['id']}: {one['problem']}: {one['message']}" for one in result.to_dict()["problems"]]
    return "\n".join(map(visible, [*problems, repr(result)])) + "\n"


def to_dataframe(result: Any, library: str | None = None) -> Any:
    """Give a result as a data frame; see `chunkscope.plugins.shown.Shown.to_dataframe`."""
    return frame(_rows(result), library)


def _rows(result: Any) -> Iterable[Row]:
    if isinstance(result, SweepResult):
        return map(flat_cell, result.cells)
    if isinstance(result, Comparison):
        return _compared_rows(result)
    entries = result.findings if isinstance(result, CheckResult) else result.problems
    return ({"_".join(path): value for path, value in leaves(_unpacked(entry.to_dict()))} for entry in entries)


def _unpacked(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Give a finding or a problem with its span as start and end, and without the list of its places."""
    row = {name: value for name, value in entry.items() if name not in ("span", "suggestion", "occurrences")}
    if "span" in entry:
        row["start"], row["end"] = entry["span"] or (None, None)
    if "suggestion" in entry:
        suggestion = entry["suggestion"] or {}
        row |= {f"suggested_{name}": suggestion.get(name) for name in ("size", "overlap", "prepend")}
    return row


def _compared_rows(comparison: Comparison) -> Sequence[Row]:
    """Give each cell with its setting in both results, and for each test the counts, the interval and the p-value."""
    rows: list[dict[str, Value]] = [
        {
            **{name: cell.new[name] for name in PARAMETERS},
            **{f"old_{name}": cell.old[name] for name in PARAMETERS},
            "changed": not cell.is_same,
        }
        for cell in comparison.cells
    ]
    retrievers = dict.fromkeys(ranking.retriever for cell in comparison.cells for ranking in cell.rankings)
    for retriever in (None, *retrievers):
        tests = zip(comparison.outcomes(retriever), comparison.corrected(retriever), strict=True)
        for row, (outcome, corrected) in zip(rows, tests, strict=True):
            if outcome is not None:
                figures = {**dict(leaves(outcome.to_dict())), ("p_value_corrected",): corrected}
                row |= {"_".join((retriever or "whole", *path)): value for path, value in figures.items()}
    return rows


def frame(rows: Iterable[Row], library: str | None) -> Any:
    """Make a data frame of rows; columns stand in the order in which they first come.

    Raises
    ------
    MissingPartError
        The library is not installed; without one, none is.
    ConfigError
        Another library.
    """
    if library is not None and library not in LIBRARIES:
        raise ConfigError(f"no data frames of {library!r}; there are {', '.join(LIBRARIES)}")
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    for name in [library] if library else LIBRARIES:
        try:
            module = import_module(name)
        except ImportError as error:
            broken = "" if isinstance(error, ModuleNotFoundError) and error.name == name else f" ({error})"
            continue
        return (_pandas if name == "pandas" else _polars)(module, columns)
    wanted = library or " or ".join(LIBRARIES)
    raise MissingPartError(f"a data frame needs {wanted}{broken}: pip install 'chunkscope[{library or LIBRARIES[0]}]'")


def _pandas(pandas: Any, columns: Mapping[str, Sequence[Value]]) -> Any:
    series = {}
    for name, values in columns.items():
        kind, lacks = kind_of(values), None in values
        # only the nullable types keep whole numbers and truths where one is missing
        dtype = {bool: "boolean" if lacks else "bool", int: "Int64" if lacks else "int64", float: "float64"}.get(kind)
        series[name] = pandas.Series(list(values), dtype=dtype or (None if kind is str else "object"))
    return pandas.DataFrame(series)


def _polars(polars: Any, columns: Mapping[str, Sequence[Value]]) -> Any:
    types = {bool: polars.Boolean, int: polars.Int64, float: polars.Float64, str: polars.String}
    return polars.DataFrame(
        [
            polars.Series(name, [None if value is None else kind(value) for value in values], dtype=types[kind])
            for name, values in columns.items()
            for kind in [kind_of(values)]
        ]
    )


def kind_of(values: Sequence[Value]) -> type[bool] | type[int] | type[float] | type[str]:
    """Tell what the values of a column are; those that are missing are numbers.

    Examples
    --------
    >>> kind_of([1, None]), kind_of([1, 2.5]), kind_of([True]), kind_of(["a", 1]), kind_of([None])
    (<class 'int'>, <class 'float'>, <class 'bool'>, <class 'str'>, <class 'float'>)
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return bool
    if kinds == {int}:
        return int
    return float if kinds <= {int, float} else str
