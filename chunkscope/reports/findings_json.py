"""A check, or a comparison, as JSON: a finding a line, the same bytes for the same result."""

from __future__ import annotations

from chunkscope.gate.result import CheckResult
from chunkscope.grid.comparison import Comparison
from chunkscope.reports.json_ import write_object


def check_to_json(result: CheckResult) -> str:
    """Write a check as JSON of format 1; ``schema/check-1.json`` in the package describes it."""
    return write_object(result.to_dict(), {"thresholds", "findings"})


def comparison_to_json(comparison: Comparison) -> str:
    """Write a comparison as JSON of format 1."""
    return write_object(comparison.to_dict(), {"differences", "cells"})
