"""The README's table of speed, made from ``results/speed.json``: ``python benchmarks/table.py`` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
BEGIN, END = "<!-- speed -->\n", "<!-- /speed -->\n"


def table() -> str:
    report = json.loads((HERE / "results" / "speed.json").read_text("utf-8"))
    lines = ["| what / against what | seconds | against | ratio | peak memory |", "|---|---:|---:|---:|---:|"]
    lines += [row(name, pair) for name, pair in report["pairs"].items()]
    machine, corpus = report["machine"], report["corpus"]
    about = (
        f"{corpus['documents']:,} Markdown files, {corpus['bytes'] / 1e6:.0f} MB; {machine['cores']} cores"
        f" ({machine['processor']}), Python {machine['python']}; medians of whole processes run in turn"
    )
    return f"{about}.\n\n" + "\n".join(lines) + "\n"


def row(name: str, pair: dict[str, Any]) -> str:
    one, other = pair["a"], pair.get("b")
    against = f"{other['median_seconds']:.2f}" if other else ""
    ratio = f"{pair['median_ratio']:.2f}" if other else ""
    return f"| {name} | {one['median_seconds']:.2f} | {against} | {ratio} | {one['median_peak_megabytes']:,} MB |"


def with_table(text: str) -> str:
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
