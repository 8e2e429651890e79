"""A comparison for people: what may have done it, and what changed, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chunkscope.grid.comparison import CellChange, Comparison
from chunkscope.grid.outcomes import PairedOutcome, RankingChange
from chunkscope.grid.pairing import Difference, PlacedCell
from chunkscope.grid.statistics import LEVEL
from chunkscope.reports.figure_words import changed_figures, changed_ranking
from chunkscope.reports.formatting import plural
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, GREEN, RED, painted, wrap

INDENT = "  "
MOST_ROWS = 12
MOST_CELLS = 3
MOST_NAMED = 8
"""Without --all: rows of the table, cells in detail, questions in a list."""

MOVES = (
    ("became_split", "became split", RED),
    ("became_whole", "whole again", GREEN),
    ("became_header_lost", "lost the header", RED),
    ("became_with_header", "with the header again", GREEN),
)
AXES = {"chunker": "chunkers", "unit": "units", "size": "sizes", "overlap": "overlaps"}
NOT_FOUND = "not found"
WHOLE = "whole"
TOLD_BY_QUESTION = ("split_questions", "harmed_questions", "table_questions_with_header")


def render_comparison(
    comparison: Comparison, *, width: int = 80, all_rows: bool = False, color: bool = False, ascii: bool = False
) -> str:
    """Write a comparison for people: what differs, then the questions that came out otherwise, cell by cell.

    Parameters
    ----------
    comparison : Comparison
        What changed.
    width : int
        Terminal cells in a line.
    all_rows : bool
        Every cell that changed and every question, not only the first of them.
    color, ascii : bool
        With ANSI colours; without marks beyond ASCII.

    Returns
    -------
    str
        Lines, each with its end.
    """
    text = _Text(comparison, width, color, None if all_rows else MOST_NAMED)
    # what questions became comes first; the rest of a large grid is counted
    changed = sorted(comparison.changed, key=lambda cell: -cell.moved)
    detailed = changed if all_rows else changed[:MOST_CELLS]
    lines = [*text.wrapped(f"{text.old} -> {text.new}"), *text.what_differs(), *text.questions()]
    tests = _tests(comparison)
    if len(changed) > len(detailed) or (all_rows and len(changed) > MOST_CELLS):
        rows = changed if all_rows else changed[:MOST_ROWS]
        lines += ["", *lay_table(list(_columns(rows, tests)), width, ascii=ascii)]
        lines += [f"{INDENT}and {len(changed) - len(rows):,} more"] if len(changed) > len(rows) else []
        lines += [line for test in tests.values() for line in text.by_question(test)]
    for cell in detailed:
        lines += ["", *text.cell(cell, tests)]
    told = f"{len(changed):,} of {plural(len(comparison.cells), 'cell')} changed"
    if not changed:
        told = f"nothing changed in {'it' if len(comparison.cells) == 1 else f'the {len(comparison.cells):,} cells'}"
    rest = "; --all shows each of them" if len(changed) > len(detailed) else ""
    lines += ["", *text.wrapped(told + rest)]
    if any(test.is_telling for test in tests.values()):
        lines += text.wrapped(
            f"{WHOLE}: neither split nor without the header of its rows; in brackets 95 % intervals (Newcombe); p: "
            "exact McNemar test on the questions gained and lost, corrected by Holm"
        )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Test:
    """One thing that may hold for a question, in all cells: that it is whole, or that a retriever answers it."""

    title: str
    outcomes: Mapping[int, PairedOutcome | None]
    corrected: Mapping[int, float | None]

    @classmethod
    def of(cls, title: str, comparison: Comparison, retriever: str | None) -> _Test:
        keys = [id(cell) for cell in comparison.cells]
        return cls(
            title,
            dict(zip(keys, comparison.outcomes(retriever), strict=True)),
            dict(zip(keys, comparison.corrected(retriever), strict=True)),
        )

    @property
    def found(self) -> list[PairedOutcome]:
        return [outcome for outcome in self.outcomes.values() if outcome is not None]

    @property
    def is_telling(self) -> bool:
        return any(outcome.gained or outcome.lost for outcome in self.found)

    def told(self, cell: CellChange) -> str:
        """Write the counts, the difference with its interval, and the exact test."""
        outcome, corrected = self.outcomes[id(cell)], self.corrected[id(cell)]
        if outcome is None or corrected is None:
            return ""
        counts = f"{outcome.old:,} -> {outcome.new:,} of {plural(outcome.total, 'question')}"
        if outcome.difference is None or outcome.interval is None or not (outcome.gained or outcome.lost):
            return counts
        low, high = (f"{100 * edge:+.1f}" for edge in outcome.interval)
        tested = _tested(outcome.p_value)
        if len(self.found) > 1:
            tested += f" (corrected for {len(self.found):,} cells: {_tested(corrected)})"
        return (
            f"{counts}, {100 * outcome.difference:+.1f} points ({low} to {high}), {len(outcome.gained):,} gained, "
            f"{len(outcome.lost):,} lost; {'more than chance' if corrected < LEVEL else 'may be chance'}, {tested}"
        )


def _tests(comparison: Comparison) -> dict[str | None, _Test]:
    """Give what is tested, by retriever; None: that questions are whole."""
    tests: dict[str | None, _Test] = {None: _Test.of(WHOLE, comparison, None)}
    rankings = [ranking for cell in comparison.cells for ranking in cell.rankings]
    for name in dict.fromkeys(ranking.retriever for ranking in rankings):
        numbers = {one.judging[0] for one in rankings if one.retriever == name and one.judging}
        at = f"@{_numbers(numbers.pop())}" if len(numbers) == 1 else ""
        tests[name] = _Test.of(f"{visible(name)} answered{at}", comparison, name)
    return {name: test for name, test in tests.items() if test.found}


def _columns(cells: Sequence[CellChange], tests: Mapping[str | None, _Test]) -> Iterator[TextColumn]:
    """Lay cells out, a line each: for each test the count in both results, and its p-value."""
    yield TextColumn("setting", [visible(_setting(cell)) for cell in cells], left=True)
    chunks = [f"{cell.old.get('chunks'):,} -> {cell.new.get('chunks'):,}" for cell in cells]
    yield TextColumn("chunks", chunks, 2 * len(tests) + 1)
    for number, test in enumerate(tests.values()):
        outcomes = [test.outcomes[id(cell)] for cell in cells]
        p_values = [test.corrected[id(cell)] for cell in cells]
        yield TextColumn(test.title, [f"{one.old:,} -> {one.new:,}" if one else "" for one in outcomes], 2 * number + 1)
        yield TextColumn("p", ["" if one is None else _p_value(one) for one in p_values], 2 * number + 2)


@dataclass(frozen=True)
class _Text:
    """Writes the lines of one comparison.

    Attributes
    ----------
    comparison : Comparison
    width : int
    color : bool
    most : int or None
        So many names stand in a list; None: all.
    """

    comparison: Comparison
    width: int
    color: bool
    most: int | None

    @property
    def old(self) -> str:
        return visible(self.comparison.old_path)

    @property
    def new(self) -> str:
        return visible(self.comparison.new_path)

    def wrapped(self, text: str, indent: str = "", style: str = "") -> list[str]:
        lines = wrap(text, self.width, first=indent, rest=indent + INDENT)
        return [painted(line, style, self.color) for line in lines]

    def some(self, names: Sequence[str], glue: str = ", ") -> str:
        """List names, the first of them if there are many."""
        shown = list(names if self.most is None else names[: self.most])
        rest = [f"and {len(names) - len(shown):,} more"] if len(names) > len(shown) else []
        return glue.join([*shown, *rest])

    def what_differs(self) -> Iterator[str]:
        comparison = self.comparison
        if len(comparison.differences) == 1:
            yield from self.wrapped(f"differs: {visible(str(comparison.differences[0]))}")
        for warning in comparison.warnings:
            yield from self.wrapped(f"warning: {visible(warning)}")
        for kind, names in comparison.documents.items():
            if names:
                yield from self.wrapped(f"documents {kind}: {self.some([visible(name) for name in names])}")
        for change in comparison.grid:
            yield from self.wrapped(f"grid: {visible(_grid_change(change))}")
        for path, placed in ((self.old, comparison.only_old), (self.new, comparison.only_new)):
            if placed:
                named = self.some([visible(run) for run in _runs(placed)], "; ")
                yield from self.wrapped(f"only in {path}: {plural(len(placed), 'cell')}: {named}")
        before, after = ("none" if advice is None else _advised(advice) for advice in comparison.advice)
        if before != after:
            yield from self.wrapped(f"advice: {visible(before)} -> {visible(after)}")

    def questions(self) -> Iterator[str]:
        questions = self.comparison.questions
        if questions is None:
            return
        if questions.only_old or questions.only_new:
            n = plural(len(questions.shared), "question")
            yield from self.wrapped(f"Questions are counted over the {n} that both have.")
        sides = ((self.old, self.new, questions.only_old), (self.new, self.old, questions.only_new))
        for path, other, ids in sides:
            if ids:
                named = [visible(one) + (f" ({other}: {why})" if why else "") for one, why in ids.items()]
                yield from self.wrapped(f"only in {path}: {plural(len(ids), 'question')}: {self.some(named)}")
        if questions.changed:
            named = [visible(one) for one in questions.changed]
            yield from self.wrapped(f"another text or other evidence under the same id: {self.some(named)}")

    def by_question(self, test: _Test) -> list[str]:
        """Say of each question in how many cells it came out otherwise."""
        moves: dict[str, list[int]] = {}
        for outcome in test.found:
            for side, ids in enumerate((outcome.gained, outcome.lost)):
                for one in ids:
                    moves.setdefault(one, [0, 0])[side] += 1
        if not moves:
            return []
        most = sorted(moves.items(), key=lambda item: -sum(item[1]))
        told = [f"{visible(one)} {_signed(*counts)}" for one, counts in most]
        return self.wrapped(f"{test.title} in more (+) or fewer (-) cells: {self.some(told, '; ')}", INDENT)

    def cell(self, cell: CellChange, tests: Mapping[str | None, _Test]) -> Iterator[str]:
        yield from self.wrapped(visible(_setting(cell)), style=BOLD)
        if cell.whole is not None and (cell.whole.gained or cell.whole.lost):
            yield from self.wrapped(f"{WHOLE}: {tests[None].told(cell)}", INDENT)
        for name, told, style in MOVES:
            ids = getattr(cell, name)
            if ids:
                yield from self.wrapped(f"{told}: {self.some([visible(one) for one in ids])}", INDENT * 2, style)
        for ranking in cell.rankings:
            yield from self.ranking(ranking, tests[ranking.retriever].told(cell) if ranking.answered else "")
        told_already = TOLD_BY_QUESTION if cell.whole is not None else ()
        untold = {path: pair for path, pair in cell.changed.items() if path[0] not in told_already}
        for told in changed_figures(untold, cell.old, cell.new, self.comparison.fields):
            yield from self.wrapped(visible(told), INDENT)

    def ranking(self, ranking: RankingChange, told: str) -> Iterator[str]:
        if ranking.is_same:
            return
        name, deeper = visible(ranking.retriever), INDENT * 2
        k, outcome = ranking.judging or ((0, 0), None)
        if outcome is not None:
            yield from self.wrapped(f"{name} answered@{_numbers(k)}: {told}", INDENT)
            others = [f"@{_numbers(at)}: {one.old:,} -> {one.new:,}" for at, one in ranking.answered.items() if at != k]
            yield from self.wrapped(f"{', '.join(others)}", deeper) if others else ()
            yield from self.ranks("gained", outcome.gained, ranking, GREEN)
            yield from self.ranks("lost", outcome.lost, ranking, RED)
            rest = [one for one in ranking.ranks if one not in {*outcome.gained, *outcome.lost}]
            yield from self.ranks("ranks", rest, ranking)
        figures = visible(changed_ranking(ranking, str(k[1])))
        yield from self.wrapped(figures if outcome is not None else f"{name} {figures}", deeper) if figures else ()

    def ranks(self, title: str, ids: Sequence[str], ranking: RankingChange, style: str = "") -> list[str]:
        """List questions with both ranks, those that changed most first."""
        ordered = sorted(ids, key=lambda one: _leap(*ranking.ranks[one]))
        told = [f"{visible(one)}: {_rank(old)} -> {_rank(new)}" for one in ordered for old, new in [ranking.ranks[one]]]
        return self.wrapped(f"{title} {self.some(told, '; ')}", INDENT * 2, style) if told else []


def _setting(cell: CellChange) -> str:
    old, new = _name(cell.old), _name(cell.new)
    return new if old == new else f"{old} -> {new}"


def _name(cell: Mapping[str, Any]) -> str:
    size = "whole sections" if cell["size"] is None else f"{cell['size']}/{cell['overlap']}"
    return f"{cell['chunker']} {size}" + ("" if cell["unit"] == "char" else f" in {cell['unit']}")


def _advised(advice: Mapping[str, Any]) -> str:
    prepend = advice.get("prepend")
    named = {name: advice.get(name) for name in ("chunker", "unit", "size", "overlap")}
    return f"{advice.get('kind')} {_name(named)}" + (f" + prepend={prepend}" if prepend else "")


def _grid_change(change: Difference) -> str:
    sides = [_written(values) for values in (change.old, change.new)]
    return f"{AXES[change.name]} {sides[0]} -> {sides[1]}"


def _written(values: Sequence[object]) -> str:
    """Write the values of a parameter; sizes as they are typed."""
    numbers = sorted(value for value in values if isinstance(value, int))
    named = [*_ranges(numbers), *(str(value) for value in values if not isinstance(value, int) and value is not None)]
    return ", ".join([*named, *(["whole sections"] if None in values else [])])


def _ranges(numbers: Sequence[int]) -> list[str]:
    """Write numbers as ``--sizes`` reads them: from three with one step on, a range.

    Examples
    --------
    >>> _ranges([50, 60, 70, 80, 100, 200, 300, 1000])
    ['50..80', '100..300:100', '1000']
    """
    found, place = [], 0
    while place < len(numbers):
        step = numbers[place + 1] - numbers[place] if place + 1 < len(numbers) else 0
        end = place
        while end + 1 < len(numbers) and numbers[end + 1] - numbers[end] == step:
            end += 1
        if end - place >= 2:
            found.append(f"{numbers[place]}..{numbers[end]}" + ("" if step == 10 else f":{step}"))
            place = end + 1
        else:
            found.append(str(numbers[place]))
            place += 1
    return found


def _runs(cells: Sequence[PlacedCell]) -> Iterator[str]:
    """Name cells, those of one chunker and overlap together."""

    def line(placed: PlacedCell) -> tuple[str, str, str]:
        return tuple(str(placed.parameter(name)) for name in ("chunker", "unit", "overlap"))  # type: ignore[return-value]

    for (chunker, unit, overlap), run in groupby(sorted(cells, key=line), key=line):
        sizes = [placed.cell["size"] for placed in run]
        named = "whole sections" if None in sizes else f"{', '.join(_ranges(sorted(sizes)))} overlap {overlap}"
        yield f"{chunker}{'' if unit == 'char' else f' in {unit}'} {named}"


def _numbers(k: tuple[int, int]) -> str:
    return str(k[0]) if k[0] == k[1] else f"{k[0]} -> @{k[1]}"


def _rank(rank: int | None) -> str:
    return NOT_FOUND if rank is None else f"{rank:,}"


def _leap(old: int | None, new: int | None) -> float:
    """Put the largest changes first: what was or is not found, then by the ratio of the ranks."""
    if old is None or new is None:
        return -float("inf")
    return -max(old, new) / min(old, new)


def _signed(gained: int, lost: int) -> str:
    return " ".join([*([f"+{gained:,}"] if gained else []), *([f"-{lost:,}"] if lost else [])])


def _tested(p_value: float) -> str:
    written = _p_value(p_value)
    return f"p {written}" if written.startswith("<") else f"p = {written}"


def _p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"
