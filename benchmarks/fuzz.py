"""Hold the fast code against the slow reference of `tests/oracle` on hostile documents that nobody wrote by hand.

``python benchmarks/fuzz.py [--settings 10000] [--seed 0] [--world NUMBER]``

A world is a few documents with questions, cut at some dozens of settings of every chunker. A document at a setting is
one document-setting. Held in every world: every count of every cell against the loops of the oracle, results of halves
of the documents add up to the result of all; at one setting, the texts of chunks are slices of their documents, and
findings are where the oracle has them. Held in some: one process counts what two count, the JSON is what its schema
says. Writes ``benchmarks/results/fuzz.json`` as it goes, where each seed has its campaign: a seed that stands there
already is refused, for its worlds would be the same ones. The exit status is 1 where something does not hold, and the
world is named: ``--world`` looks at that one alone.

``python benchmarks/fuzz.py --properties [--examples 10000] [tests/measures ...]`` runs the property tests of the test
suite instead, each with as many examples. A failure ends up in `.hypothesis`, so that ordinary tests repeat it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # the oracle, and what is hostile, stand there

from oracle.cells import count_cell
from oracle.chunks import spans_of
from oracle.findings import find
from oracle.luck import expected_splits
from oracle.prepending import prepended
from oracle.units import Tape
from oracle.wholeness import count_whole
from strategies import MARKDOWN_LINES, PIECES
from worlds import BLOCKS, FRONT, labels_of, plain, plain_questions, settings_of

from chunkscope import (
    Document,
    FixedChunker,
    HeadingChunker,
    Question,
    SentenceChunker,
    TokenChunker,
    find_boundary_problems,
    sweep,
)
from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.measures.lengths import LengthCounts
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion
from chunkscope.reports.json_report import to_json

SETTINGS_A_WORLD = 48
UNITS = ("char", "char", "cl100k_base", "word")
PREPENDS = ("headings", "title", "table-header", "front-matter:status", "front-matter:title")
MOST_PHASES = 400
"""Phases of all documents that are enumerated for a cell; where there are more, luck is not looked at."""
EVERY = {"json": 20, "jobs": 500}
"""In one world of so many."""
WRITE_EVERY = 100
"""Worlds; a campaign that is ended from outside loses no more than these."""
HTML = [
    "<p>", "</p>", "<table><tr><th>h</th></tr>", "<tr><td>1</td></tr>", "</table>", "<pre>x\ny</pre>",
    "<ul><li>項目</li></ul>", "<!-- c -->", "<script>if (a < b) {}</script>", "&amp;&#x3042;", "<br>", "<h1>題</h1>",
    "<td", "'\">", "</tr ", "<table>",
]  # fmt: skip


# --- Worlds ---


@dataclass(frozen=True)
class World:
    """Documents, questions about them, and settings to cut them at."""

    number: int
    documents: list[Document]
    questions: list[LocatedQuestion]
    chunkers: list[Chunker]

    @property
    def n_document_settings(self) -> int:
        return len(self.documents) * len(self.chunkers)


def make_world(seed: int, number: int) -> World:
    """Make a world; the same numbers make the same world."""
    dice = random.Random(f"{seed}:{number}")
    documents = [a_document(dice, str(place)) for place in range(dice.randint(1, 6))]
    questions = [a_question(dice, documents, f"q{place}") for place in range(dice.choice([0, 2, 5]))]
    longest = max(document.length for document in documents)
    chunkers = [a_chunker(dice, longest) for _ in range(SETTINGS_A_WORLD if longest < 1000 else 6)]
    # whole sections are alike in every unit and run once
    distinct = {(c.unsized if c.size else HeadingChunker(prepend=c.prepend), c.size, c.overlap): c for c in chunkers}
    return World(number, documents, [q for q in questions if q.evidence], list(distinct.values()))


def a_document(dice: random.Random, name: str) -> Document:
    """Write a document of one of the kinds that break things."""
    kind = dice.choice(["markdown"] * 6 + ["html", "plain", "pieces", "line", "blank", "empty"])
    if kind == "markdown":
        lines = [
            dice.choice(MARKDOWN_LINES) + dice.choice(["\n", "\n", "\r\n", "\r"]) for _ in range(dice.randint(0, 8))
        ]
        parts = [*lines, *dice.choices(BLOCKS, k=dice.randint(0, 4)), *dice.choices(PIECES, k=dice.randint(0, 9))]
        dice.shuffle(parts)
        return Document(f"{name}.md", dice.choice(FRONT) + "".join(parts))
    if kind == "html":
        text = "".join(dice.choice(HTML if dice.random() < 0.7 else PIECES) for _ in range(dice.randint(0, 20)))
        return Document(f"{name}.html", text, markup="html")
    if kind == "line":
        piece = "".join(dice.choices(PIECES, k=dice.randint(1, 4)))
        return Document(f"{name}.md", piece * (300 if dice.random() < 0.05 else dice.choice([1, 5, 20])))
    text = {
        "plain": lambda: "".join(dice.choices(PIECES + MARKDOWN_LINES, k=dice.randint(1, 40))),
        "pieces": lambda: "".join(dice.choices(PIECES, k=dice.randint(1, 60))),
        "blank": lambda: "".join(
            dice.choices([" ", "\n", "\r\n", "\t", "\u3000", "\u200b", "\ufeff"], k=dice.randint(1, 60))
        ),
        "empty": str,
    }[kind]()
    return Document(f"{name}.md", text, markup="plain" if kind == "plain" else "markdown")


def a_question(dice: random.Random, documents: list[Document], name: str) -> LocatedQuestion:
    """Ask for some spans, short or long, in one document or in several."""
    entries = {}
    for document in dice.choices([d for d in documents if d.text] or [Document("none", "")], k=dice.randint(1, 3)):
        if document.text:
            start = dice.randrange(document.length)
            end = min(start + dice.choice([1, dice.randint(1, 9), dice.randint(1, 60)]), document.length)
            entries[EvidenceSpan(document.name, start, end)] = None
    return LocatedQuestion(Question(name, match=dice.choice(["all", "any"])), tuple(entries))


def a_chunker(dice: random.Random, longest: int) -> Chunker:
    """Choose a chunker and its settings; some sizes are those at which something ends."""
    size = dice.choice(
        [dice.randint(1, 9), dice.randint(1, 40), dice.randint(1, 120), max(longest + dice.randint(-1, 1), 1)]
    )
    overlap = dice.choice([0, dice.randrange(size), min(dice.randint(0, 3), size - 1), size - 1])
    prepend = tuple(dict.fromkeys(dice.choices(PREPENDS, k=dice.choice([0, 0, 1, 3]))))
    unit = dice.choice(UNITS)
    match dice.choice(["fixed", "fixed", "tail", "packed", "token", "raw", "sentence", "tails", "heading", "sections"]):
        case "fixed":
            return FixedChunker(size, overlap, prepend=prepend)
        case "tail":
            return FixedChunker(size, overlap, tail="keep", prepend=prepend)
        case "packed":
            return FixedChunker(size, overlap, unit=unit, prepend=prepend)
        case "token":
            return TokenChunker(size, overlap, prepend=prepend)
        case "raw":
            return TokenChunker(size, overlap, raw=True, prepend=prepend)
        case "heading":
            return HeadingChunker(size, overlap, unit=unit, merge=dice.random() < 0.5, prepend=prepend)
        case "sections":
            return HeadingChunker(prepend=prepend)
        case kind:
            by_characters = kind == "tails"
            return SentenceChunker(
                size, overlap, unit="char" if by_characters else unit, prepend=prepend,
                overlap_by="characters" if by_characters else "sentences",
                oversize=dice.choice(["split", "keep"]), newline=dice.choice(["space", "end"]),
            )  # fmt: skip


# --- What holds ---


class Differs(Exception):  # noqa: N818 - it is a finding, not an error
    """Two ways to the same thing came to different ends."""


def hold(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Differs(f"{what}: {found!r} instead of {expected!r}")


class Campaign:
    """Worlds one after the other, and how often each thing was held against another."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.held: Counter[str] = Counter()
        self.by_chunker: Counter[str] = Counter()
        self.findings: list[dict[str, Any]] = []
        schema = json.loads((resources.files("chunkscope") / "schema" / "sweep-1.json").read_text("utf-8"))
        self.schema = jsonschema.Draft202012Validator(schema)

    def look_at(self, number: int) -> World:
        """Hold everything in one world."""
        world = make_world(self.seed, number)
        try:
            whole = self.count(world.documents, world.questions, world.chunkers)
            cells = {cell.key: cell for cell in whole.cells}
            for chunker in world.chunkers:
                self.hold_cell(world, chunker, cells[key_of(chunker)])
                self.by_chunker[f"{chunker.name}, {chunker.unit}"] += len(world.documents)
            self.hold_halves(world, whole)
            one = world.chunkers[number % len(world.chunkers)]
            self.hold_rows(world, one, cells[key_of(one)].chunks)
            self.hold_findings(world, one)
            if number % EVERY["json"] == 0:
                self.schema.validate(json.loads(to_json(whole)))
                self.held["json"] += 1
            if number % EVERY["jobs"] == 0:
                hold(
                    "jobs",
                    self.count(world.documents, world.questions, world.chunkers, jobs=2).to_dict(),
                    whole.to_dict(),
                )
                self.held["jobs"] += 1
        except Exception as error:
            self.findings.append({"world": number, "finding": f"{type(error).__name__}: {error}"[:2000]})
        self.held["document-settings"] += world.n_document_settings
        return world

    @staticmethod
    def count(
        documents: list[Document], questions: list[LocatedQuestion], chunkers: list[Chunker], jobs: int = 1
    ) -> SweepResult:
        labels = labels_of(questions) if questions else None
        return sweep(
            documents, labels, chunkers=chunkers, sizes=[1], overlaps=[0], count_tokens="cl100k_base", jobs=jobs
        )

    def hold_cell(self, world: World, chunker: Chunker, cell: Cell) -> None:
        """Hold every count of a cell."""
        texts, settings = [plain(document) for document in world.documents], settings_of(chunker)
        expected = count_cell(texts, plain_questions(world.questions), settings)
        expected["lengths"] = LengthCounts.of(expected["lengths"])
        if not world.questions:
            expected |= count_whole(texts, settings)
            for name in ("split_question_ids", "header_lost_question_ids"):
                expected.pop(name)
        for name, value in expected.items():
            hold(f"{chunker}: {name}", getattr(cell, name), value)
        self.held["counts"] += len(expected)
        phases = phases_of(world, chunker)
        if phases is not None:
            split = expected_splits(phases, chunker.size, chunker.size - chunker.overlap)
            for name, value in zip(("expected_split_evidence", "expected_split_questions"), split, strict=True):
                hold(f"{chunker}: {name}", round(getattr(cell, name) - value, 9), 0)
            self.held["expectations"] += 1

    def hold_halves(self, world: World, whole: SweepResult) -> None:
        """Hold the sum of halves, where each question stays in one, against the whole."""
        names = {document.name for document in world.documents[::2]}
        sides = [{entry.document in names for entry in question.evidence} for question in world.questions]
        if world.questions and (
            {True, False} in sides or not any({True} == side for side in sides) or sides == [{True}] * len(sides)
        ):
            return
        halves = [
            self.count(
                [document for document in world.documents if (document.name in names) is side],
                [question for question, found in zip(world.questions, sides, strict=True) if found == {side}],
                world.chunkers,
            )
            for side in (True, False)
        ]
        for one, cell in zip((halves[0] + halves[1]).cells, whole.cells, strict=True):
            mine, all_of_it = (
                {**c.to_dict(), "split_question_ids": 0, "header_lost_question_ids": 0} for c in (one, cell)
            )
            hold("halves", mine, all_of_it)
        self.held["halves"] += 1

    def hold_rows(self, world: World, chunker: Chunker, n_chunks: int) -> None:
        """Hold the chunks that are listed against the count and the oracle, and their texts against slices."""
        expected, texts = [], {document.name: document.text for document in world.documents}
        for document in world.documents:
            text, settings = plain(document), settings_of(chunker)
            for window in spans_of(text, settings):
                expected.append(
                    (document.name, window.start, window.end, *prepended(text, settings, window.start, window.end))
                )
        rows = list(list_chunks(world.documents, chunker))
        hold(f"{chunker}: number of rows", len(rows), n_chunks)
        rows = [row for row in rows if row.start is not None]
        hold(f"{chunker}: rows", [(row.document, row.start, row.end, *row.prepended) for row in rows], expected)
        for row in rows:
            text = texts[row.document]
            hold(f"{chunker}: text", row.text, text[row.start : row.end])
            hold(
                f"{chunker}: index text", row.index_text, "\n".join([*(text[a:b] for a, b in row.prepended), row.text])
            )
        self.held["chunk texts"] += len(rows)

    def hold_findings(self, world: World, chunker: Chunker) -> None:
        """Hold what is said to be split, missing or without its header against the oracle."""
        expected = find([plain(d) for d in world.documents], plain_questions(world.questions), settings_of(chunker))
        found = find_boundary_problems(world.documents, world.questions, chunker)
        for code, wanted in expected.items():
            places = [(one.document, one.question, *one.span) for one in found if one.code == code]
            hold(f"{chunker}: {code}", sorted(places, key=str), sorted(wanted, key=str))
        self.held["findings"] += len(found)


def key_of(chunker: Chunker) -> tuple[str, str, int | None, int | None]:
    """Give what a cell is found by."""
    return chunker.label, chunker.unit, chunker.size, None if chunker.size is None else chunker.overlap


def phases_of(world: World, chunker: Chunker) -> list[Any] | None:
    """Give the evidence as windows see it; None where there are none, or too many phases to try them all."""
    settings = settings_of(chunker)
    is_windows = settings.raw or (settings.name == "fixed" and settings.unit == "char")
    if not is_windows or not world.questions:
        return None
    step = chunker.size - chunker.overlap
    if any(step ** len({entry.document for entry in question.evidence}) > MOST_PHASES for question in world.questions):
        return None
    tapes = {document.name: Tape(plain(document), chunker.unit) for document in world.documents}
    asked = []
    for question in world.questions:
        needed = []
        for entry in question.evidence:
            tape, start, end = tapes[entry.document], entry.start, entry.end
            if settings.raw:
                # the tokens that have a byte of the evidence
                start = max(t for t in range(tape.n_units) if tape.first_whole[t] <= entry.start)
                end = min(t for t in range(tape.n_units + 1) if tape.last_whole[t] >= entry.end)
            needed.append((entry.document, tape.n_units, start, end - start))
        asked.append((question.question.match, needed))
    return asked


# --- One command ---


def worlds_wanted(arguments: argparse.Namespace, campaign: Campaign) -> Iterator[int]:
    """Give the numbers of worlds until there are enough document-settings."""
    number, begun = 0, time.monotonic()
    while campaign.held["document-settings"] < arguments.settings and time.monotonic() - begun < arguments.seconds:
        yield number
        number += 1


def run_campaign(arguments: argparse.Namespace) -> int:
    """Look at worlds, write down what was found, and say it."""
    campaign, n_worlds, begun = Campaign(arguments.seed), 0, time.process_time()

    def report() -> dict[str, Any]:
        return {
            "command": " ".join(["python benchmarks/fuzz.py", *sys.argv[1:]]),
            "seed": arguments.seed,
            "versions": {
                package: version(package) for package in ("chunkscope", "numpy", "pyromark", "tiktoken", "fugashi")
            },
            "worlds": n_worlds,
            "held": dict(campaign.held),
            "document_settings": dict(campaign.by_chunker.most_common()),
            "processor_seconds": round(time.process_time() - begun),
            "findings": campaign.findings,
        }

    if arguments.world is not None:
        world = campaign.look_at(arguments.world)
        print(json.dumps({d.name: [d.markup, d.text] for d in world.documents}, ensure_ascii=False, indent=1))
        print(*map(str, world.chunkers), *world.questions, *campaign.findings, sep="\n")
        return 1 if campaign.findings else 0
    if arguments.seed in seeds_of(arguments.output):
        sys.exit(f"{arguments.output}: seed {arguments.seed} has its campaign; choose another --seed or --output")
    for number in worlds_wanted(arguments, campaign):
        campaign.look_at(number)
        n_worlds += 1
        if n_worlds % WRITE_EVERY == 0:
            write(arguments.output, report())
    print(json.dumps(report(), ensure_ascii=False, indent=1))
    write(arguments.output, report())
    return 1 if campaign.findings else 0


def seeds_of(path: Path) -> set[int]:
    """Give the seeds that have their campaign in the results."""
    return {one["seed"] for one in json.loads(path.read_text("utf-8"))} if path.exists() else set()


def write(path: Path, report: dict[str, Any]) -> None:
    """Write a campaign beside those of other seeds."""
    known = json.loads(path.read_text("utf-8")) if path.exists() else []
    campaigns = [*(one for one in known if one["seed"] != report["seed"]), report]
    campaigns.sort(key=lambda one: one["seed"])
    path.write_text(json.dumps(campaigns, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=int, default=10_000, help="document-settings to look at")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop then, whatever is left")
    parser.add_argument("--world", type=int, help="look at this one alone, and show it")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "fuzz.json")
    parser.add_argument("--properties", action="store_true", help="run the property tests instead")
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("paths", nargs="*", help="the tests to run")
    arguments = parser.parse_args()
    if not arguments.properties:
        return run_campaign(arguments)
    sys.path.insert(0, str(ROOT / "benchmarks"))
    options = ["-p", "examples", "--properties", "--examples", str(arguments.examples), "--durations=0"]
    return int(pytest.main([*options, *(arguments.paths or [str(ROOT / "tests")])]))


if __name__ == "__main__":
    sys.exit(main())
