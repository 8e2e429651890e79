"""How the time of each step grows with the length of hostile texts: linearly, or something is wrong.

``python benchmarks/hostile_time.py [--quick] [--only NAME ...] [--stages NAME ...] [--largest CHARACTERS]``

Every shape is read at n, 2n and 4n characters, and for every step of the way the exponent of its processor time is
printed: 1 is linear, 2 quadratic. What the Markdown parser, MeCab and tiktoken take for what they were given is
measured alone and taken off; their exponents stand beside. Each time is the best of three, but for long ones that
grow as they should; an exponent above the limit has to show on a text of 8n characters, too. Writes
``benchmarks/results/hostile_time.json``, which keeps the steps that were not measured again; the exit status is 1 when
a step of ours that takes long enough to tell has an exponent above the limit.
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
from collections.abc import Callable, Iterator
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
FLOOR = 0.25
"""Seconds; a step that is done sooner at the largest length has no exponent, for noise would make it."""
GIVE_UP = 60.0
"""Seconds; a step that takes as long is not tried on a longer text."""
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
    "quoted items": Shape("> - ", tail="x"),
    "quotes, then definitions": Shape("> ", tail="x\n\n[a]: /b\n"),
    "items, then blank lines": Shape("+ ", tail="x\n", closing="\n"),
    "quotes, then quoted blank lines": Shape("> ", tail="x\n", closing=">\n"),
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
    analysis = DocumentAnalysis(given.document)
    _ = analysis.structure
    return lambda: DocumentAnalysis.sentence_starts.func(analysis)  # type: ignore[attr-defined]


def rows(given: Given) -> Callable[[], object]:
    chunker = "heading(size=400, merge=true)"
    return lambda: deque(list_chunks([given.document], chunker), maxlen=0)


def reports(given: Given) -> Callable[[], object]:
    checked, findings = given.result, find_boundary_problems([given.document], given.labels, "fixed(size=400)")
    options = ReportOptions(all_rows=True)
    return lambda: (render_why(findings), [write_report(name, "check", checked, options) for name in BUILT_IN["check"]])


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


def seconds(run: Callable[[], object], runs: int) -> float:
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
    """Give the seconds of a step that are ours, and those of the libraries."""
    libraries = Libraries()
    words.shared_segmenter.cache_clear()
    with libraries.listening():
        run()
    words.shared_segmenter.cache_clear()
    alone = {name: seconds(partial(libraries.ask_again, name), runs) for name in libraries.asked}
    return {"ours": max(seconds(run, runs) - sum(alone.values()), 0.0), **alone}


def exponent(lengths: list[int], times: list[float]) -> float | None:
    """Give the exponent from n to 4n; None where the longest text was done too soon."""
    if len(times) < 2 or times[-1] < FLOOR:
        return None
    first = max(len(times) - 3, 0)
    return math.log(times[-1] / max(times[first], 1e-4)) / math.log(lengths[len(times) - 1] / lengths[first])


def watch(shape: Shape, stage: str, largest: int, runs: int) -> dict[str, Any]:
    """Measure a step at three lengths; an exponent above the limit has to show again, and on a text twice as long."""
    lengths = [largest // 4, largest // 2, largest, 2 * largest]
    found: list[dict[str, float]] = []
    try:
        for length in lengths:
            if len(found) == 3 and not is_above(lengths, found):
                break
            run = STAGES[stage](Given(shape, shape.text(length)))
            found.append(measure(run, runs))
            for _ in range(runs - 1):
                if is_above(lengths, found):
                    found[-1] = {name: min(value, found[-1][name]) for name, value in measure(run, 1).items()}
            if sum(found[-1].values()) > GIVE_UP:
                break
    except InputError as error:
        return {"refused": str(error)[:100]}
    names = sorted({name for times in found for name in times})
    times = {name: [round(one.get(name, 0.0), 4) for one in found] for name in names}
    powers = {name: exponent(lengths, times[name]) for name in names}
    return {
        "lengths": lengths[: len(found)],
        "seconds": times,
        "exponents": {name: None if power is None else round(power, 2) for name, power in powers.items()},
    }


def is_above(lengths: list[int], found: list[dict[str, float]]) -> bool:
    known = exponent(lengths, [times["ours"] for times in found])
    return known is not None and known > LIMIT


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"up to {QUICK:,} characters instead of {LARGEST:,}")
    parser.add_argument("--largest", type=int, help="up to so many characters")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=SHAPES, metavar="SHAPE", help=", ".join(SHAPES))
    parser.add_argument("--stages", nargs="*", choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--output", type=Path, default=HERE / "results" / "hostile_time.json")
    chosen = parser.parse_args()
    largest = chosen.largest or (QUICK if chosen.quick else LARGEST)
    get_unit("cl100k_base").measure("a")  # load what is loaded once
    steps: dict[str, dict[str, Any]] = {}
    for name in chosen.only or SHAPES:
        for stage in chosen.stages or STAGES:
            steps[f"{name}: {stage}"] = step = watch(SHAPES[name], stage, largest, chosen.runs)
            told = {part: power for part, power in step.get("exponents", {}).items() if power is not None}
            spent = [f"{part} {power} ({step['seconds'][part][-1]:.2f} s)" for part, power in told.items()]
            if spent or "refused" in step:
                mark = "  ABOVE" if told.get("ours", 0) > LIMIT else ""
                print(f"{name:32} {stage:16} {', '.join(spent) or step['refused']}{mark}", flush=True)
    above = [name for name, step in steps.items() if (step.get("exponents", {}).get("ours") or 0) > LIMIT]
    write(chosen.output, steps)
    print(f"{len(above)} of {len(steps)} steps above {LIMIT}{': ' if above else ''}{', '.join(above)}")
    return 1 if above else 0


def write(path: Path, steps: dict[str, dict[str, Any]]) -> None:
    """Write the steps that were long enough to tell, one a line, and leave those of other runs as they are."""
    known = json.loads(path.read_text())["steps"] if path.exists() else {}
    kept = {name: step for name, step in {**known, **steps}.items() if any(step.get("exponents", {}).values())}
    head = {
        "command": "python benchmarks/hostile_time.py",
        "machine": {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "versions": {package: version(package) for package in PACKAGES},
        "limit": LIMIT,
        "floor_seconds": FLOOR,
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(step, ensure_ascii=False)}" for name, step in sorted(kept.items())]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(head, indent=1)[:-2] + ',\n "steps": {\n' + ",\n".join(lines) + "\n }\n}\n")


if __name__ == "__main__":
    sys.exit(main())
