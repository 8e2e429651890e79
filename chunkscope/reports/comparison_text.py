"""A comparison for people: what may have done it, and what changed, question by question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunkscope.grid.comparison import CellChange, Comparison
from chunkscope.grid.outcomes import PairedOutcome, RankingChange
from chunkscope.grid.statistics import LEVEL
from chunkscope.language import Text, in_language, say
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.figure_words import changed_figures, changed_ranking
from chunkscope.reports.setting_words import advice_words, cell_runs, grid_change, setting_words
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, GREEN, RED, painted, wrap

INDENT = "  "
MOST_ROWS = 12
MOST_CELLS = 3
MOST_NAMED = 8
"""Without --all: rows of the table, cells in detail, names in a list."""

TOLD_BY_QUESTION = ("split_questions", "harmed_questions", "table_questions_with_header")


def render_comparison(comparison: Comparison, options: ReportOptions) -> str:
    """Write a comparison for people: what differs, then the questions that came out otherwise, cell by cell.

    Parameters
    ----------
    comparison : Comparison
        What changed.
    options : ReportOptions
        `all_rows`: every cell that changed and every question, not only the first of them.

    Returns
    -------
    str
        Lines, each with its end.
    """
    writer = _Writer(comparison, options)
    # what questions became comes first; the rest of a large grid is counted
    changed = sorted(comparison.changed, key=lambda cell: -cell.moved)
    detailed = changed if options.all_rows else changed[:MOST_CELLS]
    tests = _tests(comparison)
    lines = [*writer.what_differs(), *writer.questions()]
    if len(changed) > MOST_CELLS:
        lines += ["", *writer.table(changed if options.all_rows else changed[:MOST_ROWS], tests.values())]
        rest = 0 if options.all_rows else max(len(changed) - MOST_ROWS, 0)
        lines += writer.wrapped(say("and {n:,} more", n=rest), INDENT) if rest else []
        lines += [line for test in tests.values() for line in writer.by_question(test)]
    for cell in detailed:
        lines += ["", *writer.cell(cell, tests)]
    n, total = len(changed), len(comparison.cells)
    told = say("{n:,} of {total:,} {total:cell|cells} changed", n=n, total=total)
    if not changed:
        told = say("nothing changed in {total:,} {total:cell|cells}", total=total)
    elif len(changed) > len(detailed):
        told = say("{told}; --all shows each of them", told=told)
    lines += ["", *writer.wrapped(told)]
    if any(test.is_telling for test in tests.values()):
        lines += writer.wrapped(
            say(
                "whole: neither split nor without the header of its rows; in brackets 95 % intervals (Newcombe); p: "
                "exact McNemar test on the questions gained and lost, corrected by Holm"
            )
        )
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Test:
    """One thing that may hold for a question, in all cells: that it is whole, or that a retriever answers it."""

    title: Text
    outcomes: Mapping[int, PairedOutcome | None]
    corrected: Mapping[int, float | None]

    @classmethod
    def of(cls, title: Text, comparison: Comparison, retriever: str | None) -> _Test:
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

    def told(self, cell: CellChange) -> Text | None:
        """Write the counts, the difference with its interval, and the exact test; None where there is nothing."""
        outcome, corrected = self.outcomes[id(cell)], self.corrected[id(cell)]
        if outcome is None or corrected is None:
            return None
        counts = say(
            "{old:,} -> {new:,} of {total:,} {total:question|questions}",
            old=outcome.old,
            new=outcome.new,
            total=outcome.total,
        )
        if outcome.difference is None or outcome.interval is None or not (outcome.gained or outcome.lost):
            return counts
        n = len(self.found)
        tested = say("p {p}", p=_p_value(outcome.p_value, "= "))
        if n > 1:
            corrected_p = _p_value(corrected, "= ")
            tested = say("{tested} (corrected for {n:,} cells: p {p})", tested=tested, n=n, p=corrected_p)
        return say(
            "{counts}, {difference} points ({low} to {high}), {gained:,} gained, {lost:,} lost; {verdict}, {tested}",
            counts=counts,
            difference=_points(outcome.difference),
            low=_points(outcome.interval[0]),
            high=_points(outcome.interval[1]),
            gained=len(outcome.gained),
            lost=len(outcome.lost),
            verdict=say("more than chance") if corrected < LEVEL else say("may be chance"),
            tested=tested,
        )


def _tests(comparison: Comparison) -> dict[str | None, _Test]:
    """Give what is tested, by retriever; None: that questions are whole."""
    tests: dict[str | None, _Test] = {None: _Test.of(say("whole"), comparison, None)}
    rankings = [ranking for cell in comparison.cells for ranking in cell.rankings]
    for name in dict.fromkeys(ranking.retriever for ranking in rankings):
        numbers = {one.judging[0] for one in rankings if one.retriever == name and one.judging}
        title = _answered(name, numbers.pop()) if len(numbers) == 1 else say("{name} answered", name=name)
        tests[name] = _Test.of(title, comparison, name)
    return {name: test for name, test in tests.items() if test.found}


@dataclass(frozen=True)
class _Writer:
    """Writes the lines of one comparison."""

    comparison: Comparison
    options: ReportOptions

    def wrapped(self, text: Text, indent: str = "", style: str = "") -> list[str]:
        lines = wrap(self.said(text), self.options.width, first=indent, rest=indent + INDENT)
        return [painted(line, style, self.options.color) for line in lines]

    def said(self, text: Text) -> str:
        return visible(in_language(text, self.options.lang), ascii=self.options.ascii)

    def some(self, names: Iterable[str]) -> list[str]:
        """List names, the first of them if there are many."""
        listed = list(names)
        shown = listed if self.options.all_rows else listed[:MOST_NAMED]
        rest = len(listed) - len(shown)
        return [*shown, *([say("and {n:,} more", n=rest)] if rest else [])]

    def what_differs(self) -> Iterator[str]:
        comparison = self.comparison
        old, new = comparison.old_path, comparison.new_path
        yield from self.wrapped(say("{old} -> {new}", old=old, new=new))
        if len(comparison.differences) == 1:
            yield from self.wrapped(say("differs: {what}", what=str(comparison.differences[0])))
        for warning in comparison.warnings:
            yield from self.wrapped(say("warning: {text}", text=warning))
        added, removed, changed = (self.some(comparison.documents[kind]) for kind in ("added", "removed", "changed"))
        yield from self.wrapped(say("documents added: {names:, }", names=added)) if added else ()
        yield from self.wrapped(say("documents removed: {names:, }", names=removed)) if removed else ()
        yield from self.wrapped(say("documents changed: {names:, }", names=changed)) if changed else ()
        for change in comparison.grid:
            yield from self.wrapped(say("grid: {change}", change=grid_change(change)))
        for path, cells in ((old, comparison.only_old), (new, comparison.only_new)):
            if cells:
                named = self.some(cell_runs(cells))
                told = say("only in {path}: {n:,} {n:cell|cells}: {named:; }", path=path, n=len(cells), named=named)
                yield from self.wrapped(told)
        before, after = comparison.advice
        if advice_words(before) != advice_words(after):
            yield from self.wrapped(say("advice: {old} -> {new}", old=advice_words(before), new=advice_words(after)))

    def questions(self) -> Iterator[str]:
        questions, old, new = self.comparison.questions, self.comparison.old_path, self.comparison.new_path
        if questions is None:
            return
        if questions.only_old or questions.only_new:
            n = len(questions.shared)
            yield from self.wrapped(say("counted over the {n:,} {n:question|questions} that both have", n=n))
        for path, other, ids in ((old, new, questions.only_old), (new, old, questions.only_new)):
            if ids:
                named = [
                    say("{id} ({path}: {problem})", id=one, path=other, problem=why) if why else one
                    for one, why in ids.items()
                ]
                told = say(
                    "only in {path}: {n:,} {n:question|questions}: {named:, }",
                    path=path,
                    n=len(ids),
                    named=self.some(named),
                )
                yield from self.wrapped(told)
        if questions.changed:
            ids_changed = self.some(questions.changed)
            yield from self.wrapped(say("another text or other evidence under the same id: {ids:, }", ids=ids_changed))

    def table(self, cells: Sequence[CellChange], tests: Iterable[_Test]) -> Iterator[str]:
        """Lay cells out, a line each: for each test the count in both results, and its p-value."""
        columns = [TextColumn(self.said(say("setting")), [self.said(_setting(cell)) for cell in cells], left=True)]
        chunks = [f"{cell.old.get('chunks'):,} -> {cell.new.get('chunks'):,}" for cell in cells]
        columns.append(TextColumn(self.said(say("chunks")), chunks))
        for test in tests:
            outcomes = [test.outcomes[id(cell)] for cell in cells]
            p_values = [test.corrected[id(cell)] for cell in cells]
            counts = [f"{one.old:,} -> {one.new:,}" if one else "" for one in outcomes]
            columns.append(TextColumn(self.said(test.title), counts))
            columns.append(TextColumn("p", ["" if one is None else _p_value(one) for one in p_values]))
        return lay_table(columns, self.options.width, ascii=self.options.ascii)

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
        told = self.some(f"{one} {_signed(*counts)}" for one, counts in most)
        return self.wrapped(
            say("{title} in more (+) or fewer (-) cells: {told:; }", title=test.title, told=told), INDENT
        )

    def cell(self, cell: CellChange, tests: Mapping[str | None, _Test]) -> Iterator[str]:
        yield from self.wrapped(_setting(cell), style=BOLD)
        if cell.whole is not None and (cell.whole.gained or cell.whole.lost):
            test = tests[None]
            yield from self.wrapped(say("{title}: {told}", title=test.title, told=test.told(cell)), INDENT)
        yield from self.moves(cell)
        for ranking in cell.rankings:
            if not ranking.is_same:
                yield from self.ranking(ranking, tests[ranking.retriever].told(cell) if ranking.answered else None)
        told_already = TOLD_BY_QUESTION if cell.whole is not None else ()
        untold = {path: pair for path, pair in cell.changed.items() if path[0] not in told_already}
        for told in changed_figures(untold, cell.old, cell.new, self.comparison.fields):
            yield from self.wrapped(told, INDENT)

    def moves(self, cell: CellChange) -> Iterator[str]:
        """Name the questions that became split or whole, lost the header or have it again."""
        split, whole = self.some(cell.became_split or ()), self.some(cell.became_whole or ())
        lost, found = self.some(cell.became_header_lost or ()), self.some(cell.became_with_header or ())
        deeper = INDENT * 2
        yield from self.wrapped(say("became split: {ids:, }", ids=split), deeper, RED) if split else ()
        yield from self.wrapped(say("no longer split: {ids:, }", ids=whole), deeper, GREEN) if whole else ()
        yield from self.wrapped(say("lost the header: {ids:, }", ids=lost), deeper, RED) if lost else ()
        yield from self.wrapped(say("with the header again: {ids:, }", ids=found), deeper, GREEN) if found else ()

    def ranking(self, ranking: RankingChange, told: Text | None) -> Iterator[str]:
        name, deeper = ranking.retriever, INDENT * 2
        figures = changed_ranking(ranking, str(ranking.judging[0][1]) if ranking.judging else "")
        if ranking.judging is None or told is None:
            yield from self.wrapped(say("{title}: {told}", title=name, told=figures), INDENT) if figures else ()
            return
        k, outcome = ranking.judging
        yield from self.wrapped(say("{title}: {told}", title=_answered(name, k), told=told), INDENT)
        others = [f"@{_numbers(at)}: {one.old:,} -> {one.new:,}" for at, one in ranking.answered.items() if at != k]
        yield from self.wrapped(say("{told:, }", told=others), deeper) if others else ()
        rest = [one for one in ranking.ranks if one not in {*outcome.gained, *outcome.lost}]
        gained, lost, others = (self.ranks(ids, ranking) for ids in (outcome.gained, outcome.lost, rest))
        yield from self.wrapped(say("gained {ranks:; }", ranks=gained), deeper, GREEN) if gained else ()
        yield from self.wrapped(say("lost {ranks:; }", ranks=lost), deeper, RED) if lost else ()
        yield from self.wrapped(say("ranks {ranks:; }", ranks=others), deeper) if others else ()
        yield from self.wrapped(figures, deeper) if figures else ()

    def ranks(self, ids: Sequence[str], ranking: RankingChange) -> list[str]:
        """List questions with both ranks, those that changed most first."""
        ordered = sorted(ids, key=lambda one: _leap(*ranking.ranks[one]))
        pairs = [(one, *ranking.ranks[one]) for one in ordered]
        return self.some(say("{id}: {old} -> {new}", id=one, old=_rank(old), new=_rank(new)) for one, old, new in pairs)


def _setting(cell: CellChange) -> Text:
    old, new = setting_words(cell.old), setting_words(cell.new)
    return new if old == new else say("{old} -> {new}", old=old, new=new)


def _answered(retriever: str, k: tuple[int, int]) -> Text:
    return say("{name} answered@{k}", name=retriever, k=_numbers(k))


def _numbers(k: tuple[int, int]) -> str:
    return str(k[0]) if k[0] == k[1] else f"{k[0]} -> @{k[1]}"


def _rank(rank: int | None) -> str:
    return say("not found") if rank is None else f"{rank:,}"


def _leap(old: int | None, new: int | None) -> float:
    """Put the largest changes first: what was or is not found, then by the ratio of the ranks."""
    if old is None or new is None:
        return -float("inf")
    return -max(old, new) / min(old, new)


def _signed(gained: int, lost: int) -> str:
    return " ".join([*([f"+{gained:,}"] if gained else []), *([f"-{lost:,}"] if lost else [])])


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _p_value(value: float, equals: str = "") -> str:
    return "< 0.001" if value < 0.001 else f"{equals}{value:.3f}" if value < 0.1 else f"{equals}{value:.2f}"
