"""Hold the fast code against its slow twins on far more documents than the tests do.

Runs every property test ten thousand times, whatever number the test itself asks for::

    python benchmarks/fuzz.py                       # all files with generated documents, an hour or more
    python benchmarks/fuzz.py tests/test_luck.py    # one file, or anything else that pytest takes
    python benchmarks/fuzz.py --examples 500        # fewer, a quick look

A failure ends up in `.hypothesis`, so that the ordinary tests repeat it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = 10_000
FILES = (
    "test_spans.py", "test_packing.py", "test_chunkers.py", "test_spelling.py", "test_containment.py",
    "test_prepending.py", "test_luck.py", "test_ladders.py", "test_words.py", "test_characters.py", "test_measures.py",
    "test_sweep.py", "test_findings.py",
)  # fmt: skip


class MoreExamples:
    """A pytest plugin that gives each property test as many examples."""

    def __init__(self, n_examples: int) -> None:
        self.n_examples = n_examples

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep the property tests alone, and raise their number of examples."""
        import hypothesis  # not before pytest has looked at its plugins

        chosen = []
        for item in items:
            test = getattr(item, "obj", None)
            if getattr(test, "is_hypothesis_test", False):
                inner = getattr(test, "__func__", test)
                asked = getattr(inner, "_hypothesis_internal_use_settings", hypothesis.settings())
                inner._hypothesis_internal_use_settings = hypothesis.settings(
                    asked,
                    max_examples=self.n_examples,
                    deadline=None,
                    suppress_health_check=list(hypothesis.HealthCheck),
                )
                chosen.append(item)
        items[:] = chosen


def main() -> int:
    """Run the property tests; the exit status is that of pytest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    arguments, rest = parser.parse_known_args()
    chosen = rest or [str(ROOT / "tests" / name) for name in FILES]
    return int(pytest.main(["--durations=0", *chosen], plugins=[MoreExamples(arguments.examples)]))


if __name__ == "__main__":
    sys.exit(main())
