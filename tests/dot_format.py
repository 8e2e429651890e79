"""Reader of fixtures in markdown-it's dot format: a title, then input and expectation between lines of one dot."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FIXTURES = Path(__file__).parent / "fixtures"


class Case(NamedTuple):
    title: str
    source: str
    expected: str


def read_cases(name: str) -> list[Case]:
    """Read a fixture; in the input `→` stands for a tab, as in the CommonMark specification."""
    lines = (FIXTURES / name).read_text(encoding="utf-8").split("\n")
    cases = []
    dots = [at for at, line in enumerate(lines) if line == "."]
    for first, second, third in zip(dots[::3], dots[1::3], dots[2::3], strict=True):
        source = "".join(line + "\n" for line in lines[first + 1 : second]).replace("→", "\t")
        cases.append(Case(lines[first - 1], source, "\n".join(lines[second + 1 : third])))
    return cases
