"""A recall for the terminal: a line for each way of cutting, what is missed and why, the advice, and how sure it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from chunkscope.grid.advice import TRY, Advice, NoAdvice
from chunkscope.grid.results import Cell, SweepResult, ranked_by
from chunkscope.language import Text, say
from chunkscope.reports.advice_text import (
    Name,
    advised_setting,
    as_in_the_table,
    further_cells,
    grid_end_told,
    head,
    remedies_told,
    some,
    spelled,
)
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.columns import ADVISED, TOO_LARGE, Shown, labels_of, largest_column, setting
from chunkscope.reports.formatting import NOTHING, of, percent
from chunkscope.reports.reasons import better_looking, reason
from chunkscope.reports.screen import INDENT, Labelled, labelled, sentence_lines, table_lines
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.table import TextColumn
from chunkscope.reports.visible import visible
from chunkscope.reports.width import fit

MAX_WARNINGS = 12
MOST_MISSED = 12

Found = Mapping[str, Any]
CAUSES = {
    "split": say("cut"),
    "header_lost": say("header\nlost"),
    "below": say("not\nfound"),
    "not_embedded": say("too\nlong"),
    "not_indexed": say("not in\nindex"),
}
"""Why a question is missed, as the titles of columns; the first three always stand in the table."""
ALWAYS = ("split", "header_lost", "below")


OUTDATED: Mapping[str, str] = {"outdated": say("outdated"), "outdated_unanswerable": say("outdated,\nunanswerable")}
OVERLAP: Mapping[str, str] = {"recall": say("characters"), "precision": say("precision"), "iou": "IoU"}


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
    name = partial(visible, ascii=options.ascii)
    lines = [
        line for text in [*head(result, name), compared(result)] for line in sentence_lines(text, options, rest=INDENT)
    ]
    cells = [result.cells[place] for place in shown_places(result, everything=options.all_rows)]
    shown = Shown(cells, labels_of(cells, name), result.limit, everything=options.all_rows)
    lines += ["", *table_lines(recall_columns(result, shown), options, keys=3, indent="")]
    for told in [*_legend(result, shown), *further_cells(result, cells)]:
        lines += sentence_lines(told, options, first=INDENT)
    lines += ["", *labelled(recall_sentences(result, name), options)]
    for part in (_groups, _min_scores):
        lines += part(result, options)
    lines += [line for warning in warnings_of(result) for line in sentence_lines(warning, options, first="- ")]
    return "\n".join(lines) + "\n"


def _legend(result: SweepResult, shown: Shown) -> list[Text]:
    """Explain the columns and marks that are shown."""
    told = [say("answered: all that the question needs is whole in the retrieved chunks, table rows with their header")]
    if any(column.title == "k" for column in recall_columns(result, shown)):
        told.append(say("k: how many chunks make the context"))
    told.append(say("missed: its passage is cut, its row has lost the header, or nothing that holds it is among them"))
    notes = [say("{clauses:; }", clauses=told)]
    if any(text.endswith(TOO_LARGE) for text in largest_column(shown).texts):
        limit = say("{mark} above {limit:,}, no candidate", mark=TOO_LARGE, limit=shown.limit.limit)
        notes.append(limit)
    return notes


def compared(result: SweepResult) -> Text:
    """Say of how many questions, by which retrievers and at which context cells are compared."""
    summary = result.retrieval or {}
    first = (result.cells[0].retrieval or ())[0]
    at = first["settings"].get("context")
    what = say(
        "{n:,} {n:question|questions} ranked by {retrievers:, }",
        n=summary["questions"],
        retrievers=summary["retrievers"],
    )
    if returned := first["settings"].get("return"):
        what = say("{told}, {returned} returned for each chunk", told=what, returned=returned)
    if kept := first["settings"].get("filter"):
        what = say("{told}, in the index: {filters: and }", told=what, filters=kept)
    if at is not None:
        return say("{told}; every setting gets about {n:,} characters of context", told=what, n=at)
    return say("{told}; compared at k = {k}", told=what, k=first["k"][-1])


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
        shown.column(say("size/\noverlap"), setting),
    ]
    first = (result.cells[0].retrieval or ())[0]
    at_context = first["settings"].get("context") is not None
    if at_context:
        columns.append(shown.column("k", lambda cell: f"{_one(cell, 0)['k'][-1]:,}"))
    names = (result.retrieval or {})["retrievers"]
    for number, name in enumerate(names):
        own = list(_of_retriever(result, shown, number, at_context))
        if len(names) > 1:
            own = [TextColumn(say("{name}\n{title}", name=name, title=one.title), one.texts) for one in own]
        columns += own
    if any(cell.omega for cell in shown.cells):
        columns.append(shown.column("omega", lambda cell: _deviation(_pair(cell))))
    return [*columns, largest_column(shown)]


def _of_retriever(result: SweepResult, shown: Shown, number: int, at_context: bool) -> Iterator[TextColumn]:
    first = _one(result.cells[0], number)
    total = first["answered"][_key(first)][1]

    def column(title: str, text: Callable[[Found], str]) -> TextColumn:
        return shown.column(title, lambda cell: text(_one(cell, number)))

    if at_context:
        yield column(say("answered\nof {total:,}", total=total), lambda one: f"{one['answered'][_key(one)][0]:,}")
    else:
        for k in first["k"]:
            yield column(say("answered\n@{k}, of {total:,}", k=k, total=total), partial(_answered, str(k)))
    missed = [
        cause for cause in CAUSES if cause in ALWAYS or any(_misses(cause, _one(c, number)) for c in result.cells)
    ]
    for cause in missed:
        words = CAUSES[cause]
        title = say("missed:\n{cause}", cause=words) if cause == missed[0] else words
        yield column(title, lambda one, cause=cause: f"{_misses(cause, one):,}")  # type: ignore[misc]
    if any(_one(cell, number).get("over_long_chunks") for cell in result.cells):
        yield column(say("chunks\ntoo long"), lambda one: f"{one.get('over_long_chunks', 0):,}")
    if "budget" in first:
        limit = first["settings"]["budget"]
        title = say("in {limit:,}\n{unit}", limit=limit["limit"], unit=limit["unit"])
        yield column(title, lambda one: f"{one['budget']['answered'][0]:,}")
    for field, name in OUTDATED.items():
        if field in first:
            yield column(name, lambda one, field=field: of(*one[field][_key(one)]))  # type: ignore[misc]
    if "overlap" in first:
        for measure, name in OVERLAP.items():
            yield column(name, lambda one, m=measure: _deviation(one["overlap"][_key(one)][m]))  # type: ignore[misc]
    if shown.everything:
        yield column(say("whole"), lambda one: f"{one['strict'][_key(one)][0]:,}")
        yield column(say("start"), lambda one: f"{one['start'][_key(one)][0]:,}")
        yield column("MRR", lambda one: NOTHING if one["mrr"] is None else f"{one['mrr']:.3f}")
        yield column(say("context"), lambda one: _characters(one["context"][_key(one)]))


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
        yield say("Advice"), say("none: {reason}.", reason=advice.reason)
    if not isinstance(advice, Advice) or one is None:
        return
    cell = say("{cell} with {retriever}", cell=advised_setting(advice, name), retriever=name(advice.retriever or ""))
    told = say("{cell}: {told}.", cell=cell, told=_answers(advice, *one["answered"][_key(one)]))
    yield say("Try") if advice.kind == TRY else say("Pick"), told
    yield say("Why"), say("{told}.", told=reason(result, advice))
    for better, more, price in better_looking(result, advice):
        told = say(
            "{cell} answers {n:,} more, for {times} the characters to embed.",
            cell=spelled(better, name),
            n=more,
            times=price,
        )
        yield say("Or"), told
    yield from remedies_told(advice)
    yield from grid_end_told(advice)
    yield say("Sure?"), _sure(result, advice)
    yield from _held_out(result, name)
    yield from _missed(one, name, advice)
    yield say("Next"), _next(result, advice, name)


def _answers(advice: Advice, hits: int, total: int) -> Text:
    """Say how many questions the advised setting answers, with what it prepends."""
    mended = [
        one for one in advice.remedies if one.what == "answers" and one.prepend in (advice.prepend or "").split("+")
    ]
    answered = total - mended[0].after if mended else hits
    told = say("{hits:,} of {total:,} answered by {k:,} {k:chunk|chunks}", hits=answered, total=total, k=advice.k or 0)
    if mended:
        told = say("{told} ({hits:,} without it)", told=told, hits=hits)
    return told if advice.context is None else say("{told}, about {n:,} characters", told=told, n=advice.context)


def _sure(result: SweepResult, advice: Advice) -> Text:
    what, wins, draws = _winner(result, advice), advice.wins, advice.draws
    told = say(
        "{what} is chosen in {wins:,} of {draws:,} resamples of the questions", what=what, wins=wins, draws=draws
    )
    run = advice.run
    if run is not None and run.smallest != run.largest:
        sizes = say("a size of {least:,} to {most:,} in {n:,}", least=run.smallest, most=run.largest, n=run.wins)
        told = say("{told}; {more}", told=told, more=sizes)
    seen = say("Differences below {least} questions may be chance.", least=advice.least_difference)
    return say("{told}. {more}", told=told, more=seen)


def _winner(result: SweepResult, advice: Advice) -> Text:
    several = len((result.retrieval or {}).get("best_of_ways", ())) > 1
    if advice.kind == TRY:
        return say("Weak: this way") if several else say("Weak: this size or one beside it")
    return say("This way") if several else say("This size or one beside it")


def _held_out(result: SweepResult, name: Name) -> Iterator[Labelled]:
    held = result.held_out
    if held is not None:
        (hits, n), (others, n_others) = held.chosen_on, held.held_out
        yield (
            say("Held out"),
            say(
                "chosen on {n:,} {n:question|questions}: {cell}, {hits:,} of {n:,} answered; of the {n_others:,} "
                "others {others:,}.",
                n=n,
                cell=spelled(held.advice, name),
                hits=hits,
                n_others=n_others,
                others=others,
            ),
        )


def _missed(one: Found, name: Name, advice: Advice) -> Iterator[Labelled]:
    missed = one.get("missed")
    if not missed:
        return

    def named(cause: str) -> Text | None:
        ids = [name(question) for question, why in missed.items() if why == cause]
        return some(ids, MOST_MISSED) if ids else None

    ranked = [say("{id} {rank}", id=name(id), rank=_rank(one, id)) for id, why in missed.items() if why == "below"]
    told = [some(ranked, MOST_MISSED)] if ranked else []
    told += [say("cut: {ids}", ids=ids)] if (ids := named("split")) else []
    told += [say("header lost: {ids}", ids=ids)] if (ids := named("header_lost")) else []
    told += [say("too long for the model: {ids}", ids=ids)] if (ids := named("not_embedded")) else []
    told += [say("not in the index: {ids}", ids=ids)] if (ids := named("not_indexed")) else []
    listed = as_in_the_table(say("{told:; }", told=told), advice)
    yield say("Missed"), say("{told} (--ranks shows what stood above).", told=listed)


def _rank(one: Found, question: str) -> Text:
    rank = one["first_rank_answered"].get(question)
    return say("rank {rank:,}", rank=rank) if rank else say("not ranked")


def _next(result: SweepResult, advice: Advice, name: Name) -> Text:
    corpus = name(shlex.quote(result.corpus.path)) if result.corpus.path else "CORPUS"
    chunker = advice.chunker
    if advice.prepend:
        inside = chunker.partition("(")[2].rstrip(")")
        chunker = f"{chunker.partition('(')[0]}({f'{inside}, ' if inside else ''}prepend={advice.prepend})"
    size = "" if advice.size is None else f" --size {advice.size} --overlap {advice.overlap}"
    command = f"chunkscope chunks {corpus} -c {name(shlex.quote(chunker))}{size}"
    return say("{command}   (the chunks, to index)", command=command)


def _groups(result: SweepResult, options: ReportOptions) -> Iterator[str]:
    """Write how the questions of each value of an attribute fare at the advised cell."""
    one = advised(result)
    for attribute, groups in (one or {}).get("group_by", {}).items():
        assert one is not None
        yield ""
        title = say("The advised setting, by {attribute}", attribute=visible(attribute, ascii=options.ascii))
        yield from sentence_lines(title, options)
        counts = [group["answered"][_key(one)] for group in groups.values()]
        columns = [
            TextColumn("", [fit(visible(label, ascii=options.ascii), 40) for label in groups], left=True),
            TextColumn(say("questions"), [f"{total:,}" for _, total in counts]),
            TextColumn(say("answered"), [f"{hits:,}" for hits, _ in counts]),
            TextColumn("", [percent(hits, total) for hits, total in counts]),
        ]
        yield from table_lines(columns, options)


def _min_scores(result: SweepResult, options: ReportOptions) -> Iterator[str]:
    """Write what dropping chunks below a score does at the advised cell."""
    one = advised(result)
    rows = (one or {}).get("min_score")
    if one is None or not rows:
        return
    yield ""
    yield from sentence_lines(say("The advised setting, when chunks below a score are dropped"), options)
    columns = [
        TextColumn(say("score"), [f"{row['score']:g}" for row in rows]),
        TextColumn(say("answered"), [of(*row["answered"][_key(one)]) for row in rows]),
        TextColumn(say("answerable,\nnothing left"), [of(*row["answerable_with_nothing"]) for row in rows]),
        TextColumn(say("unanswerable,\nsomething left"), [of(*row["unanswerable_with_something"]) for row in rows]),
    ]
    yield from table_lines(columns, options)


def warnings_of(result: SweepResult) -> list[str]:
    """Give what must be known of the questions and the context."""
    summary = result.retrieval or {}
    shared = summary.get("shared_words", {})
    found = list(summary.get("warnings", ()))
    if shared.get("words"):
        share = percent(shared["shared"], shared["words"])
        easy = say(
            "the questions share {share} of their words with their evidence, which makes a word search look better",
            share=share,
        )
        found.insert(0, easy)
    if len(found) > MAX_WARNINGS:
        rest = say("and {n:,} more (--format json lists them)", n=len(found) - MAX_WARNINGS)
        return [*found[:MAX_WARNINGS], rest]
    return found
