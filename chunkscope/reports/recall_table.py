"""The table of a recall: which pairs of a cell and a retriever have a row, what its columns show, what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from chunkscope.grid.advice import Advice
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.language import Text, say
from chunkscope.reports.advice_text import Name, cell_notes, further_cells, limit_notes, some
from chunkscope.reports.columns import ADVISED, ShownCells, labels_of, largest_column, setting
from chunkscope.reports.formatting import NOTHING, of, times
from chunkscope.reports.selection import MAX_CELLS, chosen_cells
from chunkscope.reports.table import TextColumn

Found = Mapping[str, Any]

CAUSES = {
    "split": say("cut"),
    "header_lost": say("header\nlost"),
    "not_embedded": say("too\nlong"),
    "not_indexed": say("not in\nindex"),
    "below": say("not\nfound"),
}
"""Why a question is missed, as the titles of columns."""
MOST_IDS = 8
OVERLAP: Mapping[str, str] = {"recall": say("characters"), "precision": say("precision"), "iou": "IoU"}


@dataclass(frozen=True)
class Row:
    """A cell, and what one retriever found there.

    Attributes
    ----------
    cell : Cell
    retriever : str
    found : mapping
        As the JSON has it.
    """

    cell: Cell
    retriever: str
    found: Found

    @property
    def key(self) -> str:
        """The number of chunks by which the cell is judged, as the JSON has it."""
        return str(self.found["k"][-1])

    @property
    def full_key(self) -> str:
        """The number that would judge it, if its retriever listed so many."""
        return str(self.found.get("listed", {}).get("full_k", self.found["k"][-1]))

    @property
    def is_short(self) -> bool:
        """Whether its retriever lists fewer chunks than would judge it."""
        return self.key != self.full_key

    @property
    def answered(self) -> int:
        """How many questions are answered."""
        return int(self.found["answered"][self.key][0])

    @property
    def total(self) -> int:
        """How many questions there are."""
        return int(self.found["answered"][self.key][1])

    @property
    def is_at_context(self) -> bool:
        """Whether cells are compared at equal context, each at a number of chunks of its own."""
        return self.found["settings"].get("context") is not None

    def missed(self, cause: str) -> int:
        """How many questions are missed for a cause."""
        return int(self.found["misses"][self.key].get(cause, 0))

    def is_advised(self, advice: object) -> bool:
        """Tell whether that is the advised cell with the advised retriever."""
        return isinstance(advice, Advice) and (self.cell.key, self.retriever) == (advice.key, advice.retriever)


def rows_of(result: SweepResult) -> list[Row]:
    """Give all pairs, cell by cell."""
    names = retrievers_of(result)
    return [
        Row(cell, name, found) for cell in result.cells for name, found in zip(names, cell.retrieval or (), strict=True)
    ]


def retrievers_of(result: SweepResult) -> list[str]:
    """Give the names of the retrievers."""
    names: list[str] = (result.retrieval or {})["retrievers"]
    return names


def fullest(rows: Sequence[Row]) -> Row:
    """Give the first pair that is judged by as many chunks as were asked for; the first where there is none."""
    return next((row for row in rows if not row.is_short), rows[0])


def shown_rows(result: SweepResult, *, everything: bool = False) -> list[Row]:
    """Choose the pairs to show: the best of each way and retriever, or the telling sizes where there is one way.

    Where these are many, each way has its best retriever alone, and each retriever its best way.
    """
    rows, n = rows_of(result), len(retrievers_of(result))
    best = (result.retrieval or {}).get("best_of_ways", ())
    if everything or len(best) == n:
        places = chosen_cells(result, result.limit, everything=everything, most=max(MAX_CELLS // n, 3))
        return [row for place in places for row in rows[place * n : (place + 1) * n]]
    by_key = {(row.cell.key, row.retriever): row for row in rows}
    found = [by_key[(one["chunker"], one["unit"], one["size"], one["overlap"]), one["retriever"]] for one in best]
    return found if len(found) <= MAX_CELLS else _few(found, n, result.advice)


def _few(rows: Sequence[Row], n: int, advice: object) -> list[Row]:
    ways = [rows[place : place + n] for place in range(0, len(rows), n)]
    groups = [*ways, *([way[number] for way in ways] for number in range(n))]
    kept = [max(group, key=lambda row: (row.is_advised(advice), row.answered)) for group in groups]
    return [row for row in rows if any(row is one for one in kept)]


Column = Callable[[str, Callable[[Row], str]], TextColumn]
"""Makes a column of its title and of what it says of a row."""


def recall_columns(
    result: SweepResult, rows: Sequence[Row], name: Name, *, everything: bool = False
) -> tuple[list[TextColumn], int]:
    """Give the columns for some pairs, and how many in front tell rows apart."""
    cells = [row.cell for row in rows]

    def column(title: str, text: Callable[[Row], str]) -> TextColumn:
        return TextColumn(title, [text(row) for row in rows])

    keys = [
        TextColumn("", [ADVISED if row.is_advised(result.advice) else "" for row in rows], left=True),
        TextColumn("", labels_of(cells, name), left=True),
    ]
    if len(retrievers_of(result)) > 1:
        keys.append(TextColumn("", [name(row.retriever) for row in rows], left=True))
    keys.append(column(say("size/\noverlap"), lambda row: setting(row.cell)))
    columns = [*_counts(result, rows, column), *_asked_for(rows, column, everything), _price(rows, column)]
    columns.append(largest_column(ShownCells(cells, (), result.limit)))
    return [*keys, *columns, *(_everything(column) if everything else ())], len(keys)


def _counts(result: SweepResult, rows: Sequence[Row], column: Column) -> Iterator[TextColumn]:
    first = rows[0]
    if first.is_at_context:
        yield column("k", lambda row: row.key)
        yield column(say("answered\nof {total:,}", total=first.total), lambda row: f"{row.answered:,}")
    else:
        for place, k in enumerate(map(str, fullest(rows).found["k"])):
            title = f"@{k}" if place else say("answered\nof {total:,}, @{k}", total=first.total, k=k)
            yield column(title, partial(_answered, k))
    for cause in causes_of(result):
        yield column(CAUSES[cause], partial(_missed, cause))


def _answered(k: str, row: Row) -> str:
    """Write how many are answered by k chunks, or by the most that are listed."""
    counts = row.found["answered"].get(k)
    return f"{row.answered:,} @{row.key}" if counts is None else f"{counts[0]:,}"


def _missed(cause: str, row: Row) -> str:
    return f"{row.missed(cause):,}"


def causes_of(result: SweepResult) -> list[str]:
    """Give the causes that have a column: those that occur in some cell, or might have."""
    rows = rows_of(result)
    always = {"split", "below"} | ({"header_lost"} if any(row.cell.table_questions for row in rows) else set())
    return [cause for cause in CAUSES if cause in always or any(row.missed(cause) for row in rows)]


def _asked_for(rows: Sequence[Row], column: Column, everything: bool) -> Iterator[TextColumn]:
    first = rows[0].found
    if any(row.found.get("over_long_chunks") for row in rows):
        yield column(say("chunks\ntoo long"), lambda row: f"{row.found.get('over_long_chunks', 0):,}")
    if "budget" in first:
        limit = first["settings"]["budget"]
        title = say("in {limit:,}\n{unit}", limit=limit["limit"], unit=limit["unit"])
        yield column(title, lambda row: f"{row.found['budget']['answered'][0]:,}")
    if "outdated" in first:
        yield column(_outdated_title(first), lambda row: f"{row.found['outdated'][row.key][0]:,}")
    if _has_unanswerable(rows, everything):
        title = say("{title},\nunanswerable", title=_outdated_title(first))
        yield column(title, lambda row: of(*row.found["outdated_unanswerable"][row.key]))
    for measure, told in OVERLAP.items() if "overlap" in first else ():
        yield column(told, partial(_overlap, measure))
    if any(row.cell.omega for row in rows):
        yield column("omega", lambda row: _deviation(_omega(row.cell)))


def _outdated_title(found: Found) -> Text:
    return say("outdated\nfound") if "outdated" in found["settings"] else say("trap\nfound")


def _has_unanswerable(rows: Sequence[Row], everything: bool) -> bool:
    counts = [row.found["outdated_unanswerable"][row.key] for row in rows if "outdated_unanswerable" in row.found]
    return any(n or everything for n, _ in counts)


def _overlap(measure: str, row: Row) -> str:
    return _deviation(row.found["overlap"][row.key][measure])


def _omega(cell: Cell) -> dict[str, float] | None:
    return dict(zip(("mean", "std"), cell.omega, strict=True)) if cell.omega else None


def _deviation(found: Mapping[str, float] | None) -> str:
    return NOTHING if found is None else f"{100 * found['mean']:.1f} +- {100 * found['std']:.1f}"


def _price(rows: Sequence[Row], column: Column) -> TextColumn:
    """Give what decides between cells that answer as many."""
    if rows[0].is_at_context:
        return column(say("to\nembed"), lambda row: times(row.cell.duplication))
    return column(say("context"), lambda row: _characters(row.found["context"][row.key]))


def _characters(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def _everything(column: Column) -> Iterator[TextColumn]:
    yield column(say("whole"), lambda row: f"{row.found['strict'][row.key][0]:,}")
    yield column(say("start"), lambda row: f"{row.found['start'][row.key][0]:,}")
    yield column("MRR", lambda row: NOTHING if row.found["mrr"] is None else f"{row.found['mrr']:.3f}")
    yield column(say("chunks"), lambda row: f"{row.cell.chunks:,}")


def recall_notes(
    result: SweepResult, rows: Sequence[Row], name: Name, *, everything: bool = False, with_marks: bool = True
) -> list[Text]:
    """Say what the columns mean that are shown, and what else must be known of the cells.

    A page, which has no marks, has all cells too.
    """
    cells = [row.cell for row in rows]
    notes = [say("{clauses:; }", clauses=list(_legend(result, rows, everything)))]
    notes += _listed_notes(rows, name)
    notes += _vector_notes(rows, name)
    notes += limit_notes(result, ShownCells(cells, (), result.limit), with_marks=with_marks)
    n_more = len(rows_of(result)) - len(rows)
    if with_marks and len(retrievers_of(result)) < 2:
        notes += further_cells(result, cells)
    elif with_marks and n_more:
        notes.append(say("{n:,} further {n:row|rows}: --all shows them", n=n_more))
    return notes + cell_notes(result, cells)


def _listed_notes(rows: Sequence[Row], name: Name) -> Iterator[Text]:
    """Say how short lists are, for which questions there is none, and for which nothing is in them."""
    beside_full = not all(row.is_short for row in rows)
    for row in rows:
        listed, retriever = row.found.get("listed"), name(row.retriever)
        if listed is None:
            continue
        if row.is_short:
            told = say(
                "{name} lists {n:,} {n:chunk|chunks} at most, and is judged by these, not by {k}",
                name=retriever,
                n=listed["depth"],
                k=row.full_key,
            )
            if beside_full:
                told = say("{told}: no candidate beside what has its full context", told=told)
            else:
                told = say("{told}: -k {n} compares at that", told=told, n=listed["depth"])
            yield told
        if unlisted := listed["unlisted"]:
            yield say(
                "{name} has nothing on {n:,} of {total:,} questions, which count as not found: {ids}",
                name=retriever,
                n=len(unlisted),
                total=row.total,
                ids=some(list(map(name, unlisted)), MOST_IDS),
            )
        (empty, total), (n, unanswerable) = listed["answerable_with_nothing"], listed["unanswerable_with_something"]
        if empty > len(unlisted) or unanswerable:
            told = say("{name} finds nothing for {n:,} of {total:,} questions", name=retriever, n=empty, total=total)
            if unanswerable:
                told = say(
                    "{told}, and something for {n:,} of {of:,} unanswerable ones", told=told, n=n, of=unanswerable
                )
            yield told


def _vector_notes(rows: Sequence[Row], name: Name) -> Iterator[Text]:
    """Say which indexes bring their vectors."""
    for row in rows:
        if n := row.found.get("index_vectors"):
            yield say(
                "{chunker} is ranked by the {n:,} vectors that stand in it, as if {name} had made them",
                chunker=name(row.cell.chunker),
                n=n,
                name=name(row.retriever),
            )


def _legend(result: SweepResult, rows: Sequence[Row], everything: bool) -> Iterator[Text]:
    """Explain each column that is shown."""
    first = rows[0].found
    k = "k" if rows[0].is_at_context else fullest(rows).key
    if any(row.cell.table_questions for row in rows):
        yield say("answered: the first {k} chunks hold all that a question needs, rows with their header", k=k)
    else:
        yield say("answered: the first {k} chunks hold all that a question needs", k=k)
    if "return" in first["settings"]:
        yield say("for a chunk stands what is returned for it")
    yield from map(partial(_cause_told, k), causes_of(result))
    if "budget" in first:
        yield say("in {limit:,}: answered by what fits into that", limit=first["settings"]["budget"]["limit"])
    if "outdated" in first["settings"]:
        yield say("outdated found: an outdated document, or one of its trap_docs, is among the first {k}", k=k)
    elif "outdated" in first:
        yield say("trap found: one of its trap_docs is among the first {k}", k=k)
    if "overlap" in first:
        yield say("characters, precision, IoU, omega: those of the evidence, in %, mean +- deviation")
    if rows[0].is_at_context:
        yield say("to embed: all chunks, over the documents")
    else:
        yield say("context: characters of the first {k}", k=k)
    if everything:
        yield say("whole: as answered, header or not")
        yield say("start: the first character is enough")
        yield say("MRR: mean of 1 / rank")


def _cause_told(k: str, cause: str) -> Text:
    if cause == "split":
        return say("cut: no chunk holds its passage whole")
    if cause == "header_lost":
        return say("header lost: no chunk holds a row that it needs together with its table's header")
    if cause == "not_embedded":
        return say("too long: only chunks above the model's limit hold it")
    if cause == "not_indexed":
        return say("not in index: its document is filtered out")
    return say("not found: not among the first {k}", k=k)
