"""The README's tables, made from ``results/``: ``python benchmarks/table.py`` writes them."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
README = HERE.parent / "README.md"


def results(name: str) -> Any:
    return json.loads((HERE / "results" / f"{name}.json").read_text("utf-8"))


def speed() -> str:
    report = results("speed")
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


def splitters() -> str:
    """Give what cutting costs beside LangChain's splitter: processor time of the cutting, and whole processes."""
    lines = ["| what / against what | cutting, processor seconds | against | ratio | whole processes |"]
    lines.append("|---|---:|---:|---:|---:|")
    for name, found in results("splitters")["rows"].items():
        one, other = (statistics.median(run["cutting_processor"] for run in found[side]) for side in ("a", "b"))
        ratios = found["median_ratios"]
        lines.append(
            f"| {name} | {one:.2f} | {other:.2f} | {ratios['cutting_processor']:.2f} | {ratios['seconds']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def tried() -> str:
    lines = ["| what | how often | what came out | command |", "|---|---:|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in trials())]) + "\n"


def trials() -> Iterator[tuple[str, str, str, str]]:
    """Give what was tried, how often, what came of it, and the command."""
    campaigns = results("fuzz")
    held = sum(one["held"]["document-settings"] for one in campaigns)
    counts = sum(one["held"]["counts"] for one in campaigns)
    findings = [one for campaign in campaigns for one in campaign["findings"]]
    found, mended = len(findings), sum("since" in one for one in findings)
    yield (
        "generated hostile documents, each at a setting, against loops",
        f"{held:,}",
        f"{counts:,} counts held, {found} difference{'s'[: found != 1]} found, {mended} mended",
        "`benchmarks/fuzz.py`",
    )
    mutants = results("mutants")
    since, known = mutants["since"], len(mutants["survivors"])
    yield (
        "small mistakes made in the core (mutants), each against the tests of its room",
        f"{sum(mutants['tried'].values()):,} of {mutants['possible']:,}",
        f"{mutants['killed']:,} found at once, {since['killed']} by tests written since; {since['gone']} lines have"
        f" gone, {len(mutants['equal'])} change nothing, {known} survive",
        "`benchmarks/mutants.py`",
    )
    hostile = results("hostile_time")
    steps = {**{name: max(step["lengths"]) for name, step in hostile["steps"].items()}, **hostile["quick"]}
    above = [name for name, step in hostile["steps"].items() if (step["exponents"].get("ours") or 0) > hostile["limit"]]
    full = sum(isinstance(length, int) and length > 3_900_000 for length in steps.values())
    refused = sum(isinstance(length, str) for length in steps.values())
    yield (
        f"steps on hostile shapes, {hostile['shapes']} of these at every step",
        f"{len(steps):,}",
        f"{full:,} on 4 million characters, {refused} refused in a line; {len(above)} of ours grow faster than"
        f" n^{hostile['limit']}",
        "`benchmarks/hostile_time.py`",
    )
    found = results("trials")
    signals = found["signals"]
    ends = ", ".join(f"{n} {end}" for end, n in signals["ends"].items())
    yield "signals at any moment", f"{signals['tried']}", ends, "`benchmarks/trials.py`"
    for name, trial in found.items():
        if name != "signals":
            cases = f"{trial['modules']} modules" if "modules" in trial else f"{trial['tried']} cases"
            yield name, cases, f"{len(trial['wrong'])} wrong", f"`{trial['command']}`"


def pieces() -> str:
    """Give the splitters of which not all is as it should be, and the others together."""
    report = results("pieces")
    names = ("pieces", "exact", "normalised", "prepended", "not_found", "broken", "claimed", "wrong_offsets")
    lines = [
        "| splitter | pieces | exact | normalised | prepended | found nowhere | torn characters | wrong offsets |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    others: list[dict[str, int]] = []
    for found in report["splitters"].values():
        counts = {name: sum(corpus[name] for corpus in found["corpora"].values()) for name in names}
        if counts["exact"] == counts["pieces"] and not counts["wrong_offsets"]:
            others.append(counts)
        else:
            lines.append(pieces_row(f"`{found['setting']}`", counts))
    total = {name: sum(counts[name] for counts in others) for name in names}
    counted = [one for found in report["splitters"].values() for one in found["corpora"].values()]
    held = sum(one[code][0] == one[code][1] for one in counted for code in ("split", "rows_with_header"))
    timed, corpora = report["alignment"], report["corpora"].values()
    about = (
        f"{sum(one['documents'] for one in corpora)} documents of four corpora,"
        f" {sum(one['characters'] for one in corpora) / 1e6:.1f} million characters; of {2 * len(counted)} counts"
        f" of split evidence and of rows with their header {held} are those of loops over the places. The search for"
        f" the {timed['pieces']:,} pieces of `{timed['splitter']}` at {len(timed['settings'])} settings takes"
        f" {timed['aligning_seconds']:.1f} seconds, splitting {timed['splitting_seconds']:.1f}"
    )
    return f"{about}.\n\n" + "\n".join([*lines, pieces_row(f"{len(others)} others", total)]) + "\n"


def pieces_row(name: str, counts: dict[str, int]) -> str:
    wrong = f"{counts['wrong_offsets']:,} of {counts['claimed']:,}" if counts["claimed"] else ""
    shown = (f"{counts[kind]:,}" for kind in ("pieces", "exact", "normalised", "prepended", "not_found", "broken"))
    return f"| {name} | {' | '.join(shown)} | {wrong} |"


TABLES = {"speed": speed, "splitters": splitters, "tried": tried, "pieces": pieces}


def with_tables(text: str) -> str:
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        before, rest = text.split(begin)
        text = before + begin + make() + end + rest.split(end)[1]
    return text


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text("utf-8")), "utf-8")
