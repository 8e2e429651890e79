"""A recall for the terminal: a line for each way of cutting, what is missed and why, the advice, and how sure it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from chunkscope.grid.advice import TRY, Advice, NoAdvice
from chunkscope.grid.results import Cell, SweepResult, ranked_by
from chunkscope.reports.advice_text import Labelled, Name, grid_end_sentence, head, remedy_sentence, some, spelled
from chunkscope.reports.base import LEAST_WIDTH, ReportOptions
from chunkscope.reports.columns import ADVISED, Shown, largest_column, setting
from chunkscope.reports.formatting import NOTHING, of, percent, plural
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import fit, wrap

INDENT = "  "
MAX_WARNINGS = 12
MOST_MISSED = 12

Found = Mapping[str, Any]
CAUSES = {
    "split": "cut",
    "header_lost": "header\nlost",
    "below": "not\nfound",
    "not_embedded": "too\nlong",
    "not_indexed": "not in\nindex",
}
"""Why a question is missed, as the titles of columns; the first three always stand in the table."""
ALWAYS = ("split", "header_lost", "below")


def render_recall(result: SweepResult, options: ReportOptions) -> str:
    """Write a recall for people.

    Parameters
    ----------
    result : SweepResult
        Whose chunks were ranked.
    options : ReportOptions

    Returns
    -------
    str
        Lines, each with its end.
    """
    from chunkscope.reports.sweep_text import labelled, labels_of

    room = max(options.width, LEAST_WIDTH)
    name = partial(visible, ascii=options.ascii)
    lines = [line for text in [*head(result, name), compared(result)] for line in wrap(name(text), room, rest=INDENT)]
    cells = [result.cells[place] for place in shown_places(result, everything=options.all_rows)]
    shown = Shown(cells, labels_of(cells), result.limit, everything=options.all_rows)
    columns = recall_columns(result, shown)
    lines += ["", *lay_table(columns, options.table_width, keys=3, indent="", ascii=options.ascii)]
    if len(cells) < len(result.cells):
        rest = f"{plural(len(result.cells) - len(cells), 'further cell')}: --all shows them"
        lines += wrap(rest, room, first=INDENT)
    lines += ["", *labelled(recall_sentences(result, name), room, options.color)]
    for part in (_groups, _min_scores):
        lines += part(result, options)
    lines += [line for warning in warnings_of(result) for line in wrap(name(warning), room, first="! ")]
    return "\n".join(lines) + "\n"


def compared(result: SweepResult) -> str:
    """Say of how many questions, by which retrievers and at which context cells are compared."""
    summary = result.retrieval or {}
    first = (result.cells[0].retrieval or ())[0]
    retrievers = ", ".join(summary["retrievers"])
    at = first["settings"].get("context")
    what = f"{plural(summary['questions'], 'question')} ranked by {retrievers}"
    if returned := first["settings"].get("return"):
        what += f", {returned} returned for each chunk"
    if kept := first["settings"].get("filter"):
        what += f", in the index: {' and '.join(kept)}"
    if at is not None:
        return f"{what}; {at:,} characters of context for every cell"
    return f"{what}; compared at k = {first['k'][-1]}"


def shown_places(result: SweepResult, *, everything: bool = False) -> list[int]:
    """Choose the cells to show: the best of each way, or the telling sizes where there is one way."""
    best = (result.retrieval or {}).get("best_of_ways", ())
    if everything or len(best) < 2:
        return chosen_cells(result, result.limit, everything=everything)
    keys = {(one["chunker"], one["unit"], one["size"], one["overlap"]) for one in best}
    return [place for place, cell in enumerate(result.cells) if cell.key in keys]


def recall_columns(result: SweepResult, shown: Shown) -> list[TextColumn]:
    """Give the columns for some cells of a recall."""
    advice = result.advice
    marks = [ADVISED if isinstance(advice, Advice) and cell.key == advice.key else "" for cell in shown.cells]
    columns = [
        TextColumn("", tuple(marks), left=True),
        TextColumn("", tuple(shown.labels), left=True),
        shown.column("size/\noverlap", setting),
    ]
    first = (result.cells[0].retrieval or ())[0]
    at_context = first["settings"].get("context") is not None
    if at_context:
        columns.append(shown.column("k", lambda cell: f"{_one(cell, 0)['k'][-1]:,}"))
    names = (result.retrieval or {})["retrievers"]
    for number, name in enumerate(names):
        prefix = f"{name}\n" if len(names) > 1 else ""
        columns += [
            TextColumn(prefix + column.title, column.texts)
            for column in _of_retriever(result, shown, number, at_context)
        ]
    if any(cell.omega for cell in shown.cells):
        columns.append(shown.column("omega", lambda cell: _deviation(_pair(cell))))
    return [*columns, largest_column(shown)]


def _of_retriever(result: SweepResult, shown: Shown, number: int, at_context: bool) -> Iterator[TextColumn]:
    first = _one(result.cells[0], number)
    total = first["answered"][_key(first)][1]

    def column(title: str, text: Callable[[Found], str]) -> TextColumn:
        return shown.column(title, lambda cell: text(_one(cell, number)))

    if at_context:
        yield column(f"answered\nof {total:,}", lambda one: f"{one['answered'][_key(one)][0]:,}")
    else:
        for k in first["k"]:
            yield column(f"answered\n@{k}, of {total:,}", partial(_answered, str(k)))
    missed = [
        cause for cause in CAUSES if cause in ALWAYS or any(_misses(cause, _one(c, number)) for c in result.cells)
    ]
    for cause in missed:
        first_line = "missed:\n" if cause == missed[0] else ""
        yield column(first_line + CAUSES[cause], lambda one, cause=cause: f"{_misses(cause, one):,}")  # type: ignore[misc]
    if any(_one(cell, number).get("over_long_chunks") for cell in result.cells):
        yield column("chunks\ntoo long", lambda one: f"{one.get('over_long_chunks', 0):,}")
    if "budget" in first:
        limit = first["settings"]["budget"]
        yield column(f"in {limit['limit']:,}\n{limit['unit']}", lambda one: f"{one['budget']['answered'][0]:,}")
    for field, title in (("outdated", "outdated"), ("outdated_unanswerable", "outdated,\nunanswerable")):
        if field in first:
            yield column(title, lambda one, field=field: of(*one[field][_key(one)]))  # type: ignore[misc]
    if "overlap" in first:
        for measure, title in (("recall", "characters"), ("precision", "precision"), ("iou", "IoU")):
            yield column(title, lambda one, m=measure: _deviation(one["overlap"][_key(one)][m]))  # type: ignore[misc]
    if shown.everything:
        yield column("whole", lambda one: f"{one['strict'][_key(one)][0]:,}")
        yield column("start", lambda one: f"{one['start'][_key(one)][0]:,}")
        yield column("MRR", lambda one: NOTHING if one["mrr"] is None else f"{one['mrr']:.3f}")
        yield column("context", lambda one: _characters(one["context"][_key(one)]))


def _one(cell: Cell, number: int) -> Found:
    found: Found = (cell.retrieval or ())[number]
    return found


def _key(one: Found) -> str:
    """Give the number of chunks at which a cell is judged, as its JSON has it."""
    return str(one["k"][-1])


def _answered(key: str, one: Found) -> str:
    return f"{one['answered'][key][0]:,}"


def _misses(cause: str, one: Found) -> int:
    return int(one["misses"][_key(one)].get(cause, 0))


def _characters(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def _pair(cell: Cell) -> dict[str, float] | None:
    return dict(zip(("mean", "std"), cell.omega, strict=True)) if cell.omega else None


def _deviation(found: Mapping[str, float] | None) -> str:
    return NOTHING if found is None else f"{100 * found['mean']:.1f} +- {100 * found['std']:.1f}"


def advised(result: SweepResult) -> Found | None:
    """Give what the advised retriever found in the advised cell."""
    if not isinstance(result.advice, Advice):
        return None
    cell = next(cell for cell in result.cells if cell.key == result.advice.key)
    return ranked_by(cell, result.advice.retriever)


def recall_sentences(result: SweepResult, name: Name) -> Iterator[Labelled]:
    """Give the advice of a recall: the cell, what would mend the rest, how sure it is, what is missed, what next."""
    advice, one = result.advice, advised(result)
    if isinstance(advice, NoAdvice):
        yield "Advice", f"none: {advice.reason}."
    if not isinstance(advice, Advice) or one is None:
        return
    hits, total = one["answered"][_key(one)]
    about = f", about {advice.context:,} characters" if advice.context is not None else ""
    answered = f"{hits:,} of {total:,} answered by {plural(advice.k or 0, 'chunk')}{about}"
    cell = f"{spelled(advice, name)} with {name(advice.retriever or '')}"
    yield "Try" if advice.kind == TRY else "Pick", f"{cell}: {answered}."
    for remedy in advice.remedies:
        yield "Or", f"{remedy_sentence(remedy, advice)}."
    if sentence := grid_end_sentence(advice):
        yield "Grid", sentence
    yield "Sure?", _sure(result, advice)
    yield from _held_out(result, name)
    yield from _missed(one, name)
    yield "Next", _next(result, advice, name)


def _sure(result: SweepResult, advice: Advice) -> str:
    several = len((result.retrieval or {}).get("best_of_ways", ())) > 1
    what = "this way" if several else "this size or one beside it"
    what = f"Weak: {what}" if advice.kind == TRY else what.capitalize()
    text = f"{what} wins {advice.wins:,} of {advice.draws:,} draws of the questions"
    if advice.run is not None and advice.run.smallest != advice.run.largest:
        text += f"; sizes {advice.run.smallest:,} to {advice.run.largest:,} win in {advice.run.wins:,}"
    return f"{text}. {plural(advice.of or 0, 'question')} show differences of {advice.least_difference} or more."


def _held_out(result: SweepResult, name: Name) -> Iterator[Labelled]:
    held = result.held_out
    if held is not None:
        (hits, n), (others, n_others) = held.chosen_on, held.held_out
        cell = spelled(held.advice, name)
        told = f"chosen on {plural(n, 'question')}: {cell}, {hits:,} of {n:,} answered"
        yield "Held out", f"{told}; of the {n_others:,} others {others:,}."


def _missed(one: Found, name: Name) -> Iterator[Labelled]:
    missed = one.get("missed")
    if not missed:
        return
    told = []
    for cause, words in (("below", ""), ("split", "cut: "), ("header_lost", "header lost: ")):
        ids = [question for question, why in missed.items() if why == cause]
        if ids and cause == "below":
            told.append(some([f"{name(one_id)} {_rank(one, one_id)}" for one_id in ids], MOST_MISSED))
        elif ids:
            told.append(words + some([name(one_id) for one_id in ids], MOST_MISSED))
    for cause, words in (("not_embedded", "too long for the model: "), ("not_indexed", "not in the index: ")):
        ids = [name(question) for question, why in missed.items() if why == cause]
        told += [words + some(ids, MOST_MISSED)] if ids else []
    yield "Missed", f"{'; '.join(told)} (--ranks shows what stood above)."


def _rank(one: Found, question: str) -> str:
    rank = one["first_rank_answered"].get(question)
    return f"rank {rank:,}" if rank else "not ranked"


def _next(result: SweepResult, advice: Advice, name: Name) -> str:
    corpus = name(shlex.quote(result.corpus.path)) if result.corpus.path else "CORPUS"
    chunker = advice.chunker
    if advice.prepend:
        inside = chunker.partition("(")[2].rstrip(")")
        chunker = f"{chunker.partition('(')[0]}({f'{inside}, ' if inside else ''}prepend={advice.prepend})"
    size = "" if advice.size is None else f" --size {advice.size} --overlap {advice.overlap}"
    return f"chunkscope chunks {corpus} -c {name(shlex.quote(chunker))}{size}   (the chunks, to index)"


def _groups(result: SweepResult, options: ReportOptions) -> Iterator[str]:
    """Write how the questions of each value of an attribute fare at the advised cell."""
    one = advised(result)
    for attribute, groups in (one or {}).get("group_by", {}).items():
        assert one is not None
        yield ""
        yield from wrap(f"The advised cell, by {visible(attribute, ascii=options.ascii)}", options.width)
        counts = [group["answered"][_key(one)] for group in groups.values()]
        columns = [
            TextColumn("", [fit(visible(label, ascii=options.ascii), 40) for label in groups], left=True),
            TextColumn("questions", [f"{total:,}" for _, total in counts]),
            TextColumn("answered", [f"{hits:,}" for hits, _ in counts]),
            TextColumn("", [percent(hits, total) for hits, total in counts]),
        ]
        yield from lay_table(columns, options.table_width, ascii=options.ascii)


def _min_scores(result: SweepResult, options: ReportOptions) -> Iterator[str]:
    """Write what dropping chunks below a score does at the advised cell."""
    one = advised(result)
    rows = (one or {}).get("min_score")
    if one is None or not rows:
        return
    yield ""
    yield from wrap("The advised cell, when chunks below a score are dropped", options.width)
    columns = [
        TextColumn("score", [f"{row['score']:g}" for row in rows]),
        TextColumn("answered", [of(*row["answered"][_key(one)]) for row in rows]),
        TextColumn("answerable,\nnothing left", [of(*row["answerable_with_nothing"]) for row in rows]),
        TextColumn("unanswerable,\nsomething left", [of(*row["unanswerable_with_something"]) for row in rows]),
    ]
    yield from lay_table(columns, options.table_width, ascii=options.ascii)


def warnings_of(result: SweepResult) -> list[str]:
    """Give what must be known of the questions and the context."""
    summary = result.retrieval or {}
    shared = summary.get("shared_words", {})
    found = list(summary.get("warnings", ()))
    if shared.get("words"):
        share = percent(shared["shared"], shared["words"])
        found.insert(
            0, f"{share} of the questions' words occur in their evidence: the more, the easier for word search"
        )
    if len(found) > MAX_WARNINGS:
        return [*found[:MAX_WARNINGS], f"and {len(found) - MAX_WARNINGS} more (--format json lists them)"]
    return found
