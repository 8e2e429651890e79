"""Results as JSON: a cell or a finding a line, the same bytes for the same result."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping

from chunkscope.gate.result import CheckResult
from chunkscope.grid.comparison import Comparison
from chunkscope.grid.results import SweepResult
from chunkscope.reports.base import CHECK, SWEEP, Report, ReportOptions
from chunkscope.reports.visible import harmless_json


def to_json(result: SweepResult) -> str:
    r"""Write a sweep as JSON.

    Characters stay as they are, but for control characters, the eight-bit ones too, and halves of surrogate pairs
    (UTF-8 has no bytes for these), which are escaped.

    Returns
    -------
    str
        One object, with a line end.

    Examples
    --------
    >>> from chunkscope.grid.results import CorpusInfo
    >>> text = to_json(SweepResult({"note": "表\0"}, CorpusInfo("docs", 0, 0), None, ()))
    >>> text.splitlines()[3], json.loads(text)["cells"]
    (' "settings": {"note": "表\\u0000"},', [])
    """
    return write_object(result.to_dict(), {"cells", "skipped"})


def check_to_json(result: CheckResult) -> str:
    """Write a check as JSON of format 1; ``schema/check-1.json`` in the package describes it."""
    return write_object(result.to_dict(), {"thresholds", "findings"})


def comparison_to_json(comparison: Comparison) -> str:
    """Write a comparison as JSON of format 1."""
    return write_object(comparison.to_dict(), {"differences", "cells"})


def write_object(record: Mapping[str, object], one_a_line: Collection[str] = ()) -> str:
    """Write an object as JSON, an entry a line; of the lists that are named, an item a line."""
    entries = [f" {_dump(key)}: {_entry(key, value, one_a_line)}" for key, value in record.items()]
    return harmless_json("{\n" + ",\n".join(entries) + "\n}\n")


def _entry(key: str, value: object, one_a_line: Collection[str]) -> str:
    if key in one_a_line and isinstance(value, list) and value:
        return "[\n" + ",\n".join(_lines(value)) + "\n ]"
    return _dump(value)


def _lines(items: Iterable[object]) -> list[str]:
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=str).encode
    return [f"  {encode(item)}" for item in items]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)


def _render(result: SweepResult | CheckResult, options: ReportOptions) -> str:
    return to_json(result) if isinstance(result, SweepResult) else check_to_json(result)


REPORT = Report((SWEEP, CHECK), _render)
"""The format ``json``, of sweeps and checks."""
