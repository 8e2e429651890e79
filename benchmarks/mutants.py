"""Which wrong lines the tests would let pass: mutants of the core, each against the tests of its own room.

``python benchmarks/mutants.py [--number 300] [--seed 0] [--only chunkers/packing.py:40 ...] [--seconds S]``
``python benchmarks/mutants.py --rest`` goes on with those of the sample that a run has left, as their lines are now.
``python benchmarks/mutants.py --survivors`` tries those again that the results name, once tests have been written.

A mutant is the package with one small mistake: another comparison, one more or one less, ``and`` for ``or``, another
constant, nothing returned, a statement left out. A seeded sample of all that there are in `ROOMS` is tried one by one
in a copy of the tree. A mutant is killed where a test fails or takes far too long. Survivors are printed as file and
line with the mistake, and stand in ``benchmarks/results/mutants.json``: each is a test that is missing, or a mistake
that changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("spans", "chunkers", "measures", "grid")
EXAMPLES = 15
"""Of each property test: what most mistakes need, in seconds."""
SECONDS, TIMES = 600, 4
"""The longest that tests may take, and how often as much processor time as without a mistake."""
WHOLE_PROCESSES = "tests/grid/test_processes.py"
"""Takes longer than all the rest, and looks at nothing but how processes start and end."""
EQUAL = {
    ("luck.py", "fits = ", "positions.lengths > overlaps.min() + 1 -> (positions.lengths >= overlaps.min() + 1)"):
        "spans of overlap + 1 characters are taken along, and add nothing",
    ("luck.py", "CELLS_AT_ONCE", "1 -> (0)"): "it decides the memory, not the result",
    ("luck.py", "CELLS_AT_ONCE", "1 -> (2)"): "it decides the memory, not the result",
    ("batches.py", "BATCH_CHARACTERS", "20 -> (21)"): "it decides the memory, not the result",
    ("layout.py", "return max(1, int(", "0 -> (1)"): "nothing is shorter than 1 there",
    ("packing.py", "way = ", "0 -> (-1)"): "items of one way are all divisible, or none are",
    ("packing.py", "UNITS_A_BOUNDARY", "64 -> (63)"): "it decides how boundaries are looked up, not where they are",
    ("prepending.py", "match = line.search(", "0 -> (1)"): "front matter begins with its rule, which is no key",
    ("cells.py", "MOST_AT_ONCE", "64 -> (63)"): "it decides the memory, not the result",
    ("packing.py", "return np.searchsorted(self.used", "False -> (True)"): "a copy more",
    ("luck.py", "at_once = max(1,", "1 -> (2)"): "how many are enumerated at once decides the memory, not the result",
    ("lengths.py", "return self.windows.size if self.n > 2", "2 -> (3)"): "the other way to the median gives the same",
    ("chunk_rows.py", "return Chunking(none.reshape(", "0 -> (-1)"): "an empty array has no rows in either way",
    ("index_text.py", "return (high - low)", "False -> (True)"): "a copy more",
    ("batches.py", "for name in names[1:]", "1 -> (0)"): "a document that leads itself is its own group, as before",
    ("verdict.py", "below = ", "0 -> (-1)"): "whole sections are a row of one cell, which is not below itself",
}  # fmt: skip
"""Mistakes that change nothing: the file, how the line begins, the mistake, and why."""
PRELOADED = ("fugashi", "hypothesis.extra.numpy", "jsonschema", "numpy", "pyromark", "rich.console", "tiktoken", "yaml")
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Mutant(NamedTuple):
    """A module, a place in its bytes, and what stands there instead."""

    path: str
    line: int
    column: int
    start: int
    end: int
    before: str
    after: str

    @property
    def mistake(self) -> str:
        return f"{self.before} -> {self.after}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.mistake}"


# --- Making mistakes ---


def all_mutants() -> list[Mutant]:
    """Find every mistake that can be made in the rooms."""
    paths = sorted(path for room in ROOMS for path in (ROOT / "chunkscope" / room).glob("*.py"))
    return [
        mutant for path in paths for mutant in mutants_of(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    ]


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    lines = source.encode().splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))
    for node, after in mistakes_in(ast.parse(source)):
        start = begins[node.lineno - 1] + node.col_offset
        end = begins[node.end_lineno - 1] + node.end_col_offset
        yield Mutant(path, node.lineno, node.col_offset + 1, start, end, ast.unparse(node), after)


def mistakes_in(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Give nodes with what may stand instead; annotations, f-strings and decorators stay as they are."""
    if isinstance(node, (ast.JoinedStr, ast.arguments)):
        return
    yield from ((node, f"({mistake})" if isinstance(node, ast.expr) else mistake) for mistake in mistakes(node))
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from mistakes_in(child)


def mistakes(node: ast.AST) -> Iterator[str]:
    """Make the mistakes of one node, as source."""
    wrong = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            wrong.ops = [COMPARISONS[type(operator)]()]
        case ast.BoolOp():
            wrong.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.BinOp() if type(node.op) in OPERATORS and "|" not in ast.unparse(node).replace("|=", ""):
            wrong.op = OPERATORS[type(node.op)]()
        case ast.UnaryOp(op=ast.Not() | ast.Invert()):
            wrong = node.operand
        case ast.Constant(value=bool()):
            wrong.value = not node.value
        case ast.Constant(value=int()):
            yield str(node.value - 1)
            wrong.value += 1
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant) or node.value.value is not None:
            yield "return None"
            return
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break() | ast.Raise():
            yield "pass"
            return
        case _:
            return
    yield ast.unparse(wrong)


def line_of(mutant: Mutant) -> str:
    return (ROOT / mutant.path).read_text("utf-8").splitlines()[mutant.line - 1].strip()


def why_equal(mutant: Mutant) -> str:
    """Say why a mistake changes nothing, where that is known."""
    line = line_of(mutant)
    if mutant.before == "True" and "strict=True" in line:
        return "what is zipped is of one length in any case"
    found = (
        reason
        for (name, begin, mistake), reason in EQUAL.items()
        if Path(mutant.path).name == name and line.startswith(begin) and mutant.mistake == mistake
    )
    return next(found, "")


# --- Trying them ---


def run_tests(tree: Path, path: str, limit: int = SECONDS) -> float | None:
    """Give the processor time of the tests of a room, None where one fails or they take longer than the limit.

    Those of the module, and the examples in it, go first.
    """
    _, room, name = path.split("/")
    first = [str(found.relative_to(tree)) for found in (tree / "tests" / room).glob(f"test_{name}")]
    without = [] if name == "batches.py" else ["--ignore", WHOLE_PROCESSES]
    child = os.fork()  # all that is large is loaded once
    if not child:
        status = 1
        try:
            status = _run_here(tree, limit, [path, *first, f"tests/{room}", *without])
        finally:
            os._exit(status)
    _, status, used = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it has started
    return None if status else used.ru_utime + used.ru_stime


def _run_here(tree: Path, limit: int, arguments: list[str]) -> int:
    """Run tests in this process, which ends with them."""
    os.setpgid(0, 0)
    os.chdir(tree)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    signal.alarm(SECONDS)
    sys.path.insert(0, str(tree))
    os.environ.update(CI="1", PYTHONPATH=str(tree), HYPOTHESIS_STORAGE_DIRECTORY=str(tree / ".hypothesis"))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "examples", "--examples", str(EXAMPLES)]
    loaded = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis, before pytest
    return pytest.main([*options, *loaded, *arguments])


def survives(tree: Path, mutant: Mutant, limit: int) -> bool:
    """Make a mistake in the copy, run the tests, and take it back."""
    place = tree / mutant.path
    right = place.read_bytes()
    place.write_bytes(right[: mutant.start] + mutant.after.encode() + right[mutant.end :])
    try:
        return run_tests(tree, mutant.path, limit) is not None
    finally:
        place.write_bytes(right)


def sample_of(every: Sequence[Mutant], arguments: argparse.Namespace) -> list[Mutant]:
    sample = random.Random(arguments.seed).sample(every, min(arguments.number, len(every)))
    if arguments.only:
        sample = [mutant for mutant in sample if any(part in str(mutant) for part in arguments.only)]
    return sample


def try_all(sample: Sequence[Mutant], seconds: float) -> Iterator[tuple[Mutant, bool]]:
    """Give mutants, and whether each survives the tests of its room."""
    sys.dont_write_bytecode = True
    for name in PRELOADED:
        importlib.import_module(name)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        for name in ("chunkscope", "tests", "examples"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", tree)
        limits = {}
        for room in sorted({mutant.path.split("/")[1] for mutant in sample}):
            used = run_tests(tree, f"chunkscope/{room}/__init__.py")
            if used is None:
                sys.exit(f"the tests of {room} fail without any mistake")
            limits[room] = math.ceil(TIMES * used) + 5
        for mutant in sample:
            if time.monotonic() - begun > seconds:
                return
            survived = survives(tree, mutant, limits[mutant.path.split("/")[1]])
            if survived:
                print(mutant, flush=True)
            yield mutant, survived


def try_sample(every: Sequence[Mutant], arguments: argparse.Namespace) -> None:
    """Try the sample."""
    report = {
        "command": " ".join(["python benchmarks/mutants.py", *sys.argv[1:]]),
        "possible": len(every),
        "tried": {},
        "killed": 0,
        "since": {"killed": 0, "gone": 0},
        "survivors": [],
        "equal": [],
    }
    go_on(report, sample_of(every, arguments), arguments)


def try_rest(every: Sequence[Mutant], arguments: argparse.Namespace) -> None:
    """Try those of the sample that are left; in the place of those whose lines have gone, as many others."""
    report = json.loads(arguments.output.read_text("utf-8"))
    left = standing(every, report["left"])
    n_gone = len(report["left"]) - len(left)
    others = [mutant for mutant in every if mutant not in left]
    left += random.Random(arguments.seed).sample(others, n_gone)
    print(f"{len(left)} are left; others stand for {n_gone} whose lines have gone", flush=True)
    go_on({**report, "possible": len(every)}, left, arguments)


def standing(every: Sequence[Mutant], names: Sequence[dict[str, Any]]) -> list[Mutant]:
    """Find mutants by their names, wherever their lines stand now; each is found once."""
    places: dict[tuple[str, str, str], list[Mutant]] = {}
    for mutant in every:
        places.setdefault((mutant.path, line_of(mutant), mutant.mistake), []).append(mutant)
    found = []
    for name in names:
        same = places.get((name["path"], name["line"], name["mistake"]), [])
        if same:
            found.append(min(same, key=lambda mutant: abs(mutant.column - name["column"])))
            same.remove(found[-1])
    return found


def go_on(report: dict[str, Any], sample: Sequence[Mutant], arguments: argparse.Namespace) -> None:
    """Try mutants, and write after each what has come out so far and what is left."""
    tried: Counter[str] = Counter(report["tried"])
    survivors: list[Mutant] = []
    for number, (mutant, survived) in enumerate(try_all(sample, arguments.seconds), 1):
        tried[mutant.path.split("/")[1]] += 1
        survivors += [mutant] if survived else []
        found = {part: [*report[part], *ones] for part, ones in shown(survivors).items()}
        left = [
            {"path": one.path, "line": line_of(one), "column": one.column, "mistake": one.mistake}
            for one in sample[number:]
        ]
        if not arguments.only:
            killed = report["killed"] + number - len(survivors)
            write(arguments.output, {**report, "tried": dict(tried), "killed": killed, **found, "left": left})
    print(f"{len(survivors)} of {tried.total() - sum(report['tried'].values())} survive")


def try_survivors(every: Sequence[Mutant], arguments: argparse.Namespace) -> None:
    """Try those again that survived: tests may have been written for them, or their lines may have gone."""
    report = json.loads(arguments.output.read_text("utf-8"))
    known = [*report["survivors"], *report["equal"]]
    names = {(one["path"], one["line"], one["mistake"]) for one in known}
    still_there = [mutant for mutant in every if (mutant.path, line_of(mutant), mutant.mistake) in names]
    found = {(mutant.path, line_of(mutant), mutant.mistake): mutant for mutant in still_there}
    survivors = [
        mutant
        for mutant, survived in try_all([mutant for mutant in found.values() if not why_equal(mutant)], math.inf)
        if survived
    ]
    equal = [mutant for mutant in found.values() if why_equal(mutant)]
    n_gone = sum((one["path"], one["line"], one["mistake"]) not in found for one in known)
    report["since"]["gone"] += n_gone
    report["since"]["killed"] += len(found) - len(survivors) - len(equal)
    write(arguments.output, {**report, **shown([*survivors, *equal])})
    print(f"{len(survivors)} survive, {n_gone} have gone")


def shown(survivors: Sequence[Mutant]) -> dict[str, list[dict[str, str]]]:
    """Tell survivors from those that change nothing."""
    found: dict[str, list[dict[str, str]]] = {"survivors": [], "equal": []}
    for mutant in sorted(survivors):
        why = why_equal(mutant)
        one = {"path": mutant.path, "line": line_of(mutant), "mistake": mutant.mistake}
        found["equal" if why else "survivors"].append({**one, "why": why} if why else one)
    return found


def write(path: Path, report: dict[str, Any]) -> None:
    path.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop then, whatever is left")
    parser.add_argument("--only", nargs="*", help="file:line, or a part of it: try those of the sample alone")
    parser.add_argument("--rest", action="store_true", help="try those of the sample that a run has left")
    parser.add_argument("--survivors", action="store_true", help="try those again that have survived so far")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "mutants.json")
    arguments = parser.parse_args()
    run = try_survivors if arguments.survivors else try_rest if arguments.rest else try_sample
    run(all_mutants(), arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
