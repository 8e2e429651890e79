"""How the time of each step grows with the length of hostile texts: linearly, or something is wrong.

``python benchmarks/hostile_time.py [--quick] [--only NAME ...] [--stages NAME ...] [--largest N] [--seconds S]``
``python benchmarks/hostile_time.py --rest`` measures the steps alone that the results have on no text so long.

Every shape is read at n, 4n and 16n characters, and for every step of the way the exponent of its processor time from
the last but one length to the last is printed: 1 is linear, 2 quadratic. What the Markdown parser, MeCab and tiktoken
take for what they were given is measured alone and taken off; their exponents stand beside. Each time is the best of
three, but for long ones that grow as they should; an exponent above the limit has to show again at both lengths, and
then on a text that is four times as long: where arrays outgrow the caches there is a step, once, and no growth. A
shape has so many seconds for all of its steps: those that would take longer end at a shorter text, and are named.
Writes ``benchmarks/results/hostile_time.json`` after each shape, and keeps the steps that were not measured again; the
exit status is 1 when a step of ours that takes long enough to tell has an exponent above the limit.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyromark
import tiktoken
from speed import processor

from chunkscope import Document, Question, check, check_labels, find_boundary_problems, parse_chunker, sweep
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.errors import InputError
from chunkscope.reports.base import BUILT_IN, ReportOptions, write_report
from chunkscope.reports.why import render_why
from chunkscope.structure import words
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit

HERE = Path(__file__).parent
LARGEST, QUICK = 4_000_000, 200_000
LIMIT = 1.2
CLEAR = 1.6
"""An exponent above this is no noise, and is not measured again."""
FLOOR = 0.25
"""Seconds; a step that is done sooner at the largest length has no exponent, for noise would make it."""
SECONDS = 150.0
"""For all steps of a shape."""
GROWTH = 4
"""So many times as long is each text as the one before."""
LONG = 0.5
"""Seconds; what takes longer is measured again only where its exponent is above the limit."""
PACKAGES = ("chunkscope", "numpy", "pyromark", "tiktoken", "fugashi")


# --- Shapes ---


@dataclass(frozen=True)
class Shape:
    """A text of any length: a head, a unit again and again, and behind it a tail, once or as often as the unit."""

    unit: str
    head: str = ""
    tail: str = ""
    closing: str = ""
    markup: str = "markdown"

    def text(self, length: int) -> str:
        n = max((length - len(self.head) - len(self.tail)) // (len(self.unit) + len(self.closing)), 1)
        return self.head + self.unit * n + self.tail + self.closing * n


html = partial(Shape, markup="html")

SHAPES = {
    # one line on which blocks start
    "dashes": Shape("- "),
    "items on a line": Shape("+ ", tail="x"),
    "numbers on a line": Shape("1. ", tail="x"),
    "quotes on a line": Shape("> ", tail="x"),
    "quote marks": Shape(">"),
    "form feeds": Shape("\f", tail="x"),
    "form feeds and blanks": Shape("\f ", tail="x"),
    "quoted form feeds": Shape(">\f", tail="x"),
    "items behind form feeds": Shape("\f1. "),
    "quoted items": Shape("> - ", tail="x"),
    "quotes, then definitions": Shape("> ", tail="x\n\n[a]: /b\n"),
    "items, then blank lines": Shape("+ ", tail="x\n", closing="\n"),
    "quotes, then quoted blank lines": Shape("> ", tail="x\n", closing=">\n"),
    # marks of dialects
    "admonitions": Shape("!!! note\n    a\nb\n"),
    "containers": Shape(":::note\n", tail=":::\n"),
    "open formulas": Shape("\\begin{a}\n\\begin{b}\n"),
    "open shortcodes": Shape("{{< a\n", tail="{{< b >}}\n"),
    "callouts": Shape("> [!a]\n> b\n"),
    "grid tables": Shape("+---+\n| a |\n"),
    # many lines
    "items": Shape("- a\n"),
    "loose items": Shape("- a\n\n"),
    "definitions": Shape("[a]: /b\n"),
    "headings": Shape("# a\n"),
    "underlined headings": Shape("a\n===\n"),
    "one heading of many lines": Shape("a\n", tail="===\n"),
    "a title of blanks": Shape(" ", head="# a", tail="b #\n"),
    "a title of hashes": Shape(" #", head="# a", tail="b\n"),
    "code lines": Shape("    a\n"),
    "open fence": Shape("a. b\n", head="```\n"),
    "fences": Shape("```\na\n```\n"),
    "blank lines": Shape("\n", tail="x"),
    "lines of blanks": Shape(" \t\n", tail="x"),
    "carriage returns": Shape("\r"),
    "lines of control characters": Shape("\x0b\x0c\x00\n"),
    # pipe tables
    "tables": Shape("|a|b|\n|-|-|\n|1|2|\n\n"),
    "rows": Shape("|1|2|\n", head="|a|b|\n|-|-|\n"),
    "cells": Shape("|a", tail="|\n", closing=""),
    "table of many columns": Shape("|a", tail="|\n", closing="|-"),
    "tables below text": Shape("x\na | b\n--- | ---\n\n<div>\n\n"),
    "code behind tables": Shape("a | b\n--- | ---\n    x\n"),
    "parted delimiters": Shape("|a|b|\n|- -|-|\n"),
    "quoted tables": Shape("> |a|\n> |-|\n> |1|\n\n"),
    # inline
    "brackets": Shape("["),
    "links": Shape("[a](b) "),
    "open links": Shape("[a]("),
    "references": Shape("[a][b]"),
    "images": Shape("!["),
    "backticks": Shape("`a"),
    "emphasis": Shape("*a **b "),
    "backslashes": Shape("\\"),
    "backslashes and backticks": Shape("\\`"),
    "entities": Shape("&amp;"),
    "open tags in text": Shape("<a "),
    "attributes in text": Shape("<a b='"),
    "comments in text": Shape("a <!-- "),
    "tags in text": Shape("<b>x</b>\n"),
    # HTML tables in Markdown
    "open tables": Shape("<table><tr><td>\n"),
    "open tables, then blanks": Shape("<table><tr><td>", closing=" "),
    "nested tables": Shape("<table><tr><td>", closing="</td></tr></table>"),
    "table rows": Shape("<tr><td>1</td></tr>\n\n", head="<table>\n", tail="</table>"),
    "rows without ends": Shape("<tr><td>1\n\n    <td>2\n", head="<table>\n"),
    "comments in tables": Shape("<table><tr><!--\n\n"),
    # HTML documents
    "paragraphs": html("<p>a。b</p>\n"),
    "closing tags": html("</p>", tail="x"),
    "cut off pre": html("</pre ", head="<pre>"),
    "cut off lines of pre": html("</pre\n", head="<pre>"),
    "scripts": html("<script>a</script>"),
    "open scripts": html("<script>"),
    "comments": html("<!-- "),
    "attributes": html('<td "'),
    "attributes of two kinds": html("<a \"'>"),
    "open tags": html("<div\n"),
    "less than": html("< "),
    "cut off closing tags": html("</p "),
    "blank lines of HTML": html("\n \n", tail="x"),
    "open HTML tables": html("<table><tr><td>"),
    "open HTML tables, then lines": html("<table><tr>", closing="\n"),
    "declarations": html("<![CDATA["),
    "long closing tag": html(" ", head="a</p", tail="b"),
    # sentences
    "wide marks": Shape("。"),
    "sentences": Shape("これは「文。です」。次は（何か。）。"),
    "full stops": Shape("a. "),
    "marks": Shape(". "),
    "closed marks": Shape(".)"),
    "open quotes": Shape("「。"),
    "round brackets": Shape("(a. B "),
    "straight quotes": Shape('"a. B '),
    "bold ends": Shape("。**a"),
    "initials": Shape("A. "),
    "references to notes": Shape("a.[1]"),
    "ellipses": Shape(" ."),
    "names of headings": Shape("{#a.}\n\n", head="一。\n\n"),
    "colons": Shape(":::\n。\n\n"),
    "closing quotes": Shape("。\n\n」"),
    "sentence labels": Shape("x\n1. "),
    "upper case": Shape("e.g. A. I. "),
    "quoted sentences": Shape("「", closing="。」"),
    # words, characters, tokens
    "one kanji": Shape("漢"),
    "one katakana": Shape("ア"),
    "voicing": Shape("か\u3099"),
    "accents": Shape("a\u0301"),
    "marks without end": Shape("\u0301"),
    "numbers": Shape("1,000"),
    "dots": Shape("a.b."),
    "flags": Shape("\U0001f1ef"),
    "joined emoji": Shape("\U0001f469\u200d"),
    "zero width": Shape("\u200b"),
    "one letter": Shape("a"),
    "astral kanji": Shape("𠮷"),
    "ideographic spaces": Shape("\u3000", tail="x"),
    "mixed scripts": Shape("漢a1ア,"),
    "spaces": Shape(" ", tail="x"),
    # front matter
    "fields": Shape("a: 1\n", head="---\n", tail="---\nx\n"),
    "open front matter": Shape("a: 1\n", head="---\n"),
    "flow lists": Shape("[", head="---\na: ", tail="\n---\nx\n"),
    "rules": Shape("---\n"),
    "deep lists": Shape("- ", head="---\na:\n  ", tail="x\n---\n"),
}


# --- Steps ---


@dataclass
class Given:
    """A text, and what the steps before have made of it."""

    shape: Shape
    text: str
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> Document:
        """A document that nobody has read."""
        return Document("a.md", self.text, markup=self.shape.markup)

    @property
    def analysis(self) -> DocumentAnalysis:
        """The document with all that the chunkers ask for."""
        if "analysis" not in self.known:
            analysis = self.known["analysis"] = DocumentAnalysis(self.document)
            for name in ("structure", "sentence_starts", "line_starts", "words", "blank_runs"):
                getattr(analysis, name)
            analysis.measured(get_unit("cl100k_base"))
        return self.known["analysis"]

    @property
    def questions(self) -> list[Question]:
        """One quote in a thousand characters; half of them are pinned, the others stand anywhere."""
        found = []
        for start in range(0, len(self.text) - 40, 1000):
            quote = self.text[start : start + 40]
            if quote.strip():
                pinned = {"spans": [[start, start + 40]]} if start % 2000 else {}
                found.append(Question.of(f"q{start}", doc="a.md", evidence=[quote], **pinned))
        return found

    @property
    def labels(self) -> Any:
        if "labels" not in self.known:
            self.known["labels"] = check_labels([self.document], [q for q in self.questions if q.quotes[0].span])
        return self.known["labels"]

    @property
    def result(self) -> Any:
        if "result" not in self.known:
            self.known["result"] = check([self.document], self.labels, "fixed(size=400)")
        return self.known["result"]


def cut(given: Given, chunker: str) -> Callable[[], object]:
    analysis, found = given.analysis, parse_chunker(chunker)
    return lambda: found.chunks(found.segment(analysis))


def sentences(given: Given) -> Callable[[], object]:
    analysis = given.analysis
    return lambda: DocumentAnalysis.sentence_starts.func(analysis)  # type: ignore[attr-defined]


def rows(given: Given) -> Callable[[], object]:
    chunker = "heading(size=400, merge=true)"
    return lambda: deque(list_chunks([given.document], chunker), maxlen=0)


def reports(given: Given) -> Callable[[], object]:
    checked, findings = given.result, find_boundary_problems([given.document], given.labels, "fixed(size=400)")
    options = ReportOptions(all_rows=True)
    return lambda: (
        render_why(findings, options),
        [write_report(name, "check", checked, options) for name in BUILT_IN["check"]],
    )


STAGES: dict[str, Callable[[Given], Callable[[], object]]] = {
    "front matter": lambda given: lambda: given.document.front_matter_end,
    "structure": lambda given: lambda: DocumentAnalysis(given.document).structure,
    "sentences": sentences,
    "words": lambda given: lambda: DocumentAnalysis(given.document).words,
    "tokens": lambda given: lambda: get_unit("cl100k_base").measure(given.text),
    "fixed": lambda given: cut(given, "fixed(size=400, overlap=60)"),
    "sentence": lambda given: cut(given, "sentence(size=400, overlap=60)"),
    "heading": lambda given: cut(given, "heading"),
    "heading, merged": lambda given: cut(given, "heading(size=400, merge=true)"),
    "token": lambda given: cut(given, "token(size=200, overlap=30)"),
    "chunks": rows,
    "labels": lambda given: lambda: check_labels([given.document], given.questions),
    "sweep": lambda given: (
        lambda: sweep([given.document], given.labels, chunkers="fixed,sentence,heading", sizes="100..800:100")
    ),
    "check": lambda given: lambda: check([given.document], given.labels, "fixed(size=400)"),
    "reports": reports,
}


# --- Times ---


class Libraries:
    """What the libraries were asked, so that they can be asked it again, alone."""

    def __init__(self) -> None:
        self.asked: dict[str, list[Callable[[], object]]] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        parse, encode, load = pyromark.events_with_range, tiktoken.Encoding.encode_to_numpy, words._load_parser

        def heard(name: str, ask: Callable[..., object], *given: Any, **settings: Any) -> Any:
            self.asked.setdefault(name, []).append(partial(ask, *given, **settings))
            return ask(*given, **settings)

        def exhaust(*given: Any, **settings: Any) -> None:
            deque(parse(*given, **settings), maxlen=0)

        def events(*given: Any, **settings: Any) -> Any:
            self.asked.setdefault("parser", []).append(partial(exhaust, *given, **settings))
            return parse(*given, **settings)

        pyromark.events_with_range = events
        tiktoken.Encoding.encode_to_numpy = lambda *given, **settings: heard("tiktoken", encode, *given, **settings)
        words._load_parser = lambda: partial(heard, "MeCab", load())
        try:
            yield
        finally:
            pyromark.events_with_range, tiktoken.Encoding.encode_to_numpy, words._load_parser = parse, encode, load

    def ask_again(self, name: str) -> None:
        for ask in self.asked[name]:
            ask()


def seconds(run: Callable[[], object], runs: int = 1) -> float:
    """Give the least processor time; nobody remembers words from the run before."""
    best = math.inf
    for _ in range(runs):
        words.shared_segmenter.cache_clear()
        words.shared_segmenter()
        gc.collect()
        begin = time.process_time()
        run()
        best = min(best, time.process_time() - begin)
        if best > LONG:
            break
    return best


def measure(run: Callable[[], object], runs: int) -> dict[str, float]:
    """Give the seconds of a step that are ours, and those of the libraries; a long one is run once."""
    libraries = Libraries()
    words.shared_segmenter.cache_clear()
    with libraries.listening():
        whole = seconds(run)
    alone = {name: seconds(partial(libraries.ask_again, name), runs) for name in libraries.asked}
    if whole < LONG:
        whole = min(whole, seconds(run, runs - 1))
    return {"ours": max(whole - sum(alone.values()), 0.0), **alone}


@dataclass
class Growth:
    """What a step took at each length so far."""

    lengths: list[int] = field(default_factory=list)
    times: list[dict[str, float]] = field(default_factory=list)
    refused: str = ""

    def measure(self, given: Given, stage: str, runs: int) -> None:
        """Measure a step on a text that is longer than those before."""
        try:
            self.times.append(measure(STAGES[stage](given), runs))
            self.lengths.append(len(given.text))
        except InputError as error:
            self.refused = str(error)[:100]

    def again(self, givens: list[Given], stage: str, runs: int) -> None:
        """Measure the last two lengths again, and keep the lesser times."""
        for place in (-2, -1):
            new = measure(STAGES[stage](givens[place]), runs)
            self.times[place] = {name: min(value, new[name]) for name, value in self.times[place].items()}

    @property
    def names(self) -> set[str]:
        return {name for times in self.times for name in times}

    def seconds_of(self, name: str) -> list[float]:
        return [round(times.get(name, 0.0), 4) for times in self.times]

    @property
    def next_seconds(self) -> float:
        """What it takes on the next text, if it goes on as it does."""
        return GROWTH ** max(1.0, self.exponent("ours") or 1.0) * sum(self.times[-1].values()) if self.times else 0.0

    def exponent(self, name: str) -> float | None:
        """Give the exponent between the last two lengths; None where the longest text was done too soon."""
        times = self.seconds_of(name)
        if len(times) < 2 or times[-1] < FLOOR:
            return None
        return math.log(times[-1] / max(times[-2], 1e-4)) / math.log(self.lengths[-1] / self.lengths[-2])

    @property
    def is_above(self) -> bool:
        return (self.exponent("ours") or 0.0) > LIMIT

    def to_dict(self) -> dict[str, Any]:
        if self.refused:
            return {"refused": self.refused}
        names = sorted(self.names)
        powers = {name: self.exponent(name) for name in names}
        return {
            "lengths": self.lengths,
            "seconds": {name: self.seconds_of(name) for name in names},
            "exponents": {name: None if power is None else round(power, 2) for name, power in powers.items()},
        }


def watch(shape: Shape, stages: Sequence[str], chosen: argparse.Namespace) -> dict[str, Growth]:
    """Measure the steps of a shape at each length, as long as its seconds last."""
    steps = {stage: Growth() for stage in stages}
    end = time.process_time() + chosen.seconds
    givens: list[Given] = []
    for divisor in (GROWTH * GROWTH, GROWTH, 1):
        givens = [*givens[-1:], Given(shape, shape.text(chosen.largest // divisor))]
        # the quick ones go first, so that one that takes long does not stop the others
        for stage in sorted(stages, key=lambda stage: steps[stage].next_seconds):
            step = steps[stage]
            if step.refused or len(step.times) < len(givens[:-1]) or time.process_time() + step.next_seconds > end:
                continue
            step.measure(givens[-1], stage, chosen.runs)
            if LIMIT < (step.exponent("ours") or 0.0) < CLEAR:
                step.again(givens, stage, chosen.runs)
    for stage, step in steps.items():
        if step.is_above and time.process_time() + step.next_seconds < end:
            step.measure(Given(shape, shape.text(GROWTH * step.lengths[-1])), stage, chosen.runs)
    return steps


def tell(shape: str, stage: str, step: Growth, largest: int) -> None:
    """Print the exponents of a step, where it took long enough to have some, and where it ended early."""
    powers = {name: step.exponent(name) for name in sorted(step.names)}
    parts = [
        f"{name} {power:.2f} ({step.times[-1][name]:.2f} s)" for name, power in powers.items() if power is not None
    ]
    if step.lengths and step.lengths[-1] < largest // 2 and not step.refused:
        parts.append(f"ended at {step.lengths[-1]:,} characters")
    parts += [step.refused] if step.refused else []
    if parts:
        print(f"{shape:32} {stage:16} {', '.join(parts)}{'  ABOVE' if step.is_above else ''}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"up to {QUICK:,} characters instead of {LARGEST:,}")
    parser.add_argument("--largest", type=int, help="up to so many characters")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of processor time for each shape")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=SHAPES, metavar="SHAPE", help=", ".join(SHAPES))
    parser.add_argument("--stages", nargs="*", choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--rest", action="store_true", help="the steps alone that have not been measured so far")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "hostile_time.json")
    chosen = parser.parse_args()
    chosen.largest = chosen.largest or (QUICK if chosen.quick else LARGEST)
    get_unit("cl100k_base").measure("a")  # load what is loaded once
    n_steps, above, early = 0, [], []
    for name in chosen.only or SHAPES:
        stages = chosen.stages or list(STAGES)
        if chosen.rest:
            stages = left(chosen.output, name, stages, chosen.largest)
        steps = watch(SHAPES[name], stages, chosen) if stages else {}
        for stage, step in steps.items():
            tell(name, stage, step, chosen.largest)
        n_steps += len(steps)
        above += [f"{name}: {stage}" for stage, step in steps.items() if step.is_above]
        ends = [step.lengths[-1] if step.lengths else 0 for step in steps.values() if not step.refused]
        early += [f"{name}: {stage}" for stage, step in steps.items() if step.lengths and step.lengths[-1] < max(ends)]
        if steps:
            write(chosen.output, name, steps)
    print(f"{len(early)} of {n_steps} steps ended on a shorter text")
    print(f"{len(above)} of {n_steps} steps above {LIMIT}{': ' if above else ''}{', '.join(above)}")
    return 1 if above else 0


def left(path: Path, shape: str, stages: Sequence[str], largest: int) -> list[str]:
    """Give the steps of a shape that have been measured on no text of about this length."""
    known = json.loads(path.read_text()) if path.exists() else {}

    def is_done(name: str) -> bool:
        step, quick = known.get("steps", {}).get(name), known.get("quick", {}).get(name, 0)
        # one that is refused is refused at any length
        return isinstance(quick, str) or 1.1 * max([quick, *(step["lengths"] if step else ())]) > largest

    return [stage for stage in stages if not is_done(f"{shape}: {stage}")]


def write(path: Path, shape: str, steps: dict[str, Growth]) -> None:
    """Write the steps of a shape, and leave all others as they are.

    Those that were long enough to tell are `steps`; of the others, `quick`, the longest text stands there.
    """
    known = json.loads(path.read_text()) if path.exists() else {}
    measured = {f"{shape}: {stage}": step for stage, step in steps.items()}
    told, quick = (
        {name: value for name, value in known.get(part, {}).items() if name not in measured}
        for part in ("steps", "quick")
    )
    for name, step in measured.items():
        found = step.to_dict()
        if any(found.get("exponents", {}).values()):
            told[name] = found
        else:
            quick[name] = step.refused or max(step.lengths, default=0)
    head = {
        "command": "python benchmarks/hostile_time.py",
        "machine": {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in PACKAGES},
        "limit": LIMIT,
        "floor_seconds": FLOOR,
        "shapes": sum(
            all(f"{shape}: {stage}" in told or f"{shape}: {stage}" in quick for stage in STAGES) for shape in SHAPES
        ),
    }
    text = json.dumps(head, indent=1, ensure_ascii=False)[:-2]
    for part, values in (("steps", told), ("quick", quick)):
        lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(values.items())]
        text += f',\n "{part}": {{\n' + ",\n".join(lines) + "\n }"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
