"""A recall for the terminal: a line for each way of cutting, what is missed and why, the advice, and how sure it is."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import partial

from chunkscope.grid.advice import TRY, Advice, NoAdvice, largest_chunk
from chunkscope.grid.lines import lines_of
from chunkscope.grid.results import SweepResult, is_set_aside
from chunkscope.language import Text, say
from chunkscope.reports.advice_text import (
    Name,
    advised_setting,
    as_in_the_table,
    grid_end_told,
    head,
    remedies_told,
    some,
    spelled,
    with_luck,
)
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.formatting import of, percent, times
from chunkscope.reports.reasons import reason
from chunkscope.reports.recall_table import (
    CAUSES,
    Row,
    fullest,
    recall_columns,
    recall_notes,
    retrievers_of,
    rows_of,
    shown_rows,
)
from chunkscope.reports.screen import INDENT, Labelled, labelled, lit, sentence_lines, table_lines
from chunkscope.reports.table import TextColumn
from chunkscope.reports.visible import visible
from chunkscope.reports.width import fit

MAX_WARNINGS = 12
MOST_MISSED = 8
LARGEST_CONTEXT = 4
"""A context is at most this part of the documents."""


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
        Lines, each with its end; none is wider than ``options.width``.
    """
    name = partial(visible, ascii=options.ascii)
    lines = [line for text in recall_head(result, name) for line in sentence_lines(text, options, rest=INDENT)]
    rows = shown_rows(result, everything=options.all_rows)
    columns, keys = recall_columns(result, rows, name, everything=options.all_rows)
    lines += ["", *lit(table_lines(columns, options, keys=keys, indent=""), options)]
    for note in recall_notes(result, rows, name, everything=options.all_rows):
        lines += sentence_lines(note, options, first=INDENT)
    lines += ["", *labelled(recall_sentences(result, name), options)]
    for part in (_groups, _min_scores):
        lines += part(result, options)
    lines += [line for warning in warnings_of(result) for line in sentence_lines(warning, options, first="- ")]
    return "\n".join(lines) + "\n"


def recall_head(result: SweepResult, name: Name) -> list[Text]:
    """Say what was looked at, how chunks are ranked, what is returned of them, and how many of them."""
    row = fullest(rows_of(result))
    settings, characters = row.found["settings"], result.corpus.characters
    told = say("Ranked by {retrievers:, }", retrievers=list(map(name, retrievers_of(result))))
    if kept := settings.get("filter"):
        told = say("{told}, among documents with {filters: and }", told=told, filters=list(map(name, kept)))
    if returned := settings.get("return"):
        told = say("{told}, {returned} returned for each chunk", told=told, returned=returned)
    context = settings.get("context")
    if context is None:
        told = say("{told}. Every setting has {k:,} {k:chunk|chunks}, long or short.", told=told, k=int(row.key))
    elif context == characters // LARGEST_CONTEXT and not kept:
        told = say(
            "{told}. Every setting has its first k chunks, about {n:,} characters, a quarter of the documents.",
            told=told,
            n=context,
        )
    else:
        told = say("{told}. Every setting has its first k chunks, about {n:,} characters.", told=told, n=context)
    return [*head(result, name), told]


def advised(result: SweepResult) -> Row | None:
    """Give the advised cell, with what the advised retriever found there."""
    return next((row for row in rows_of(result) if row.is_advised(result.advice)), None)


def recall_sentences(result: SweepResult, name: Name) -> Iterator[Labelled]:
    """Give the advice of a recall: the cell, what would mend the rest, how sure it is, what is missed, what next."""
    advice, row = result.advice, advised(result)
    if isinstance(advice, NoAdvice):
        yield say("Advice"), say("none: {reason}.", reason=advice.reason)
    if not isinstance(advice, Advice) or row is None:
        return
    cell = say("{cell} with {retriever}", cell=advised_setting(advice, name), retriever=name(row.retriever))
    told = say("{cell}: {told}.", cell=cell, told=_answers(advice, row))
    yield say("Try") if advice.kind == TRY else say("Pick"), told
    if row.answered:
        yield say("Why"), say("{told}.", told=reason(result, advice))
    yield from _more_answered(result, advice, row, name)
    yield from remedies_told(advice)
    yield from grid_end_told(advice)
    yield say("Sure?"), _sure(result, advice, row)
    yield from _held_out(result, name)
    yield from _missed(row, advice, name)
    yield say("Next"), _next(result, advice, name)


def _pair(row: Row, name: Name) -> Text:
    return say("{cell} with {retriever}", cell=spelled(row.cell, name), retriever=name(row.retriever))


def _answers(advice: Advice, row: Row) -> Text:
    """Say how many questions the advised setting answers, with what it prepends."""
    prepended = (advice.prepend or "").split("+")
    mended = [one.after for one in advice.remedies if one.what == "answers" and one.prepend in prepended]
    told = say(
        "{hits:,} of {total:,} {total:question|questions} answered by {k:,} {k:chunk|chunks}",
        hits=row.total - mended[0] if mended else row.answered,
        total=row.total,
        k=advice.k,
    )
    if mended:
        told = say("{told} ({hits:,} without it)", told=told, hits=row.answered)
    context = round(row.found["context"][row.key] or 0) if row.is_short else advice.context
    return told if context is None else say("{told}, about {n:,} characters", told=told, n=context)


def _more_answered(result: SweepResult, advice: Advice, own: Row, name: Name) -> Iterator[Labelled]:
    """Name the cheapest of those that answer most, where the advised one answers fewer, and why it is not advised."""
    rows = [row for row in rows_of(result) if _is_candidate(row, result, own)]
    most = max(row.answered for row in rows)
    n_more, tolerated = most - own.answered, int(advice.tolerance or 0)
    if not n_more:
        return
    best = min((row for row in rows if row.answered == most), key=_price)
    ratio = times(_price(best) / _price(own) if _price(own) else None)
    price = say("{times} the context", times=ratio)
    if own.is_at_context:
        price = say("{times} the characters to embed", times=ratio)
    told = say("{cell} answers {n:,} more, for {price}", cell=_pair(best, name), n=n_more, price=price)
    if n_more > tolerated:
        told = say("{told}; by luck, for the sizes beside it answer fewer", told=told)
    yield say("Or"), say("{told}.", told=told)


def _price(row: Row) -> float:
    return float(row.cell.chunk_characters if row.is_at_context else row.found["context"][row.key] or 0)


def _is_candidate(row: Row, result: SweepResult, own: Row) -> bool:
    fits = largest_chunk(row.cell, result.limit) <= result.limit.limit and not row.found.get("over_long_chunks")
    return fits and (not is_set_aside(row.found) or is_set_aside(own.found))


def _sure(result: SweepResult, advice: Advice, row: Row) -> Text:
    """Say how often the same way wins when the questions are drawn anew, and which differences may be chance."""
    if not row.answered:
        return say("No: it answers no question.")
    told = say(
        "{what} is chosen in {wins:,} of {draws:,} resamples of the questions",
        what=_winner(result, advice),
        wins=advice.wins,
        draws=advice.draws,
    )
    run = advice.run
    if run is not None and run.smallest == run.largest:
        told = say("{told}; a size of {size:,} in {n:,}", told=told, size=run.smallest, n=run.wins)
    elif run is not None:
        sizes = say("a size of {least:,} to {most:,} in {n:,}", least=run.smallest, most=run.largest, n=run.wins)
        told = say("{told}; {more}", told=told, more=sizes)
    least = advice.least_difference or 0
    chance = say("With so few questions any difference may be chance.")
    if row.total >= least:
        chance = say("Differences below {least} questions may be chance.", least=least)
    line = next(line for line in lines_of(result) if row.cell in line.cells)
    return with_luck(say("{told}. {more}", told=told, more=chance), advice, line)


def _winner(result: SweepResult, advice: Advice) -> Text:
    several = len((result.retrieval or {}).get("best_of_ways", ())) > 1
    if advice.kind == TRY:
        return say("Weak: this way") if several else say("Weak: this size or one beside it")
    return say("This way") if several else say("This size or one beside it")


def _held_out(result: SweepResult, name: Name) -> Iterator[Labelled]:
    held = result.held_out
    if held is None:
        return
    (hits, n), (others, n_others) = held.chosen_on, held.held_out
    retriever = name(held.advice.retriever or "")
    told = say(
        "{cell}, chosen on {n:,} of the questions, answers {hits:,} of them and {others:,} of the other {n_others:,}.",
        cell=say("{cell} with {retriever}", cell=spelled(held.advice, name), retriever=retriever),
        n=n,
        hits=hits,
        others=others,
        n_others=n_others,
    )
    yield say("Held out"), told


def _missed(row: Row, advice: Advice, name: Name) -> Iterator[Labelled]:
    missed = row.found.get("missed")
    if not missed:
        return
    told = []
    for cause in CAUSES:
        ids = [question for question, why in missed.items() if why == cause]
        named = [_ranked(row, one, name) if cause == "below" else name(one) for one in ids]
        told += [_missed_told(cause, len(ids), some(named, MOST_MISSED))] if ids else []
    listed = as_in_the_table(say("{told:; }", told=told), advice)
    yield say("Missed"), say("{told}. --ranks shows what came first.", told=listed)


def _missed_told(cause: str, n: int, ids: Text) -> Text:
    if cause == "split":
        return say("{n:,} cut: {ids}", n=n, ids=ids)
    if cause == "header_lost":
        return say("{n:,} without their header: {ids}", n=n, ids=ids)
    if cause == "not_embedded":
        return say("{n:,} too long for the model: {ids}", n=n, ids=ids)
    if cause == "not_indexed":
        return say("{n:,} not in the index: {ids}", n=n, ids=ids)
    return say("{n:,} not found: {ids}", n=n, ids=ids)


def _ranked(row: Row, question: str, name: Name) -> Text:
    rank = row.found["first_rank_answered"].get(question)
    told = say("rank {rank:,}", rank=rank) if rank else say("no rank")
    return say("{id} ({rank})", id=name(question), rank=told)


def _next(result: SweepResult, advice: Advice, name: Name) -> Text:
    corpus = name(shlex.quote(result.corpus.path)) if result.corpus.path else "CORPUS"
    chunker = advice.chunker
    indexes = result.settings.get("chunks", {})
    if chunker in indexes:
        command = f"chunkscope check {corpus} --chunks {name(shlex.quote(indexes[chunker]))}"
        return say("{command}   (whether the index is that of these documents)", command=command)
    if advice.prepend:
        inside = chunker.partition("(")[2].rstrip(")")
        chunker = f"{chunker.partition('(')[0]}({f'{inside}, ' if inside else ''}prepend={advice.prepend})"
    size = "" if advice.size is None else f" --size {advice.size} --overlap {advice.overlap}"
    command = f"chunkscope chunks {corpus} -c {name(shlex.quote(chunker))}{size}"
    return say("{command}   (the chunks, to index)", command=command)


def _groups(result: SweepResult, options: ReportOptions) -> Iterator[str]:
    """Write how the questions of each value of an attribute fare at the advised cell."""
    row = advised(result)
    for attribute, groups in (row.found if row else {}).get("group_by", {}).items():
        assert row is not None
        yield ""
        title = say("The advised setting, by {attribute}", attribute=visible(attribute, ascii=options.ascii))
        yield from sentence_lines(title, options)
        counts = [group["answered"][row.key] for group in groups.values()]
        columns = [
            TextColumn("", [fit(visible(label, ascii=options.ascii), 40) for label in groups], left=True),
            TextColumn(say("questions"), [f"{total:,}" for _, total in counts]),
            TextColumn(say("answered"), [f"{hits:,}" for hits, _ in counts]),
            TextColumn("", [percent(hits, total) for hits, total in counts]),
        ]
        yield from table_lines(columns, options)


def _min_scores(result: SweepResult, options: ReportOptions) -> Iterator[str]:
    """Write what dropping chunks below a score does at the advised cell."""
    row = advised(result)
    if row is None or "min_score" not in row.found:
        return
    rows = row.found["min_score"]
    yield ""
    yield from sentence_lines(say("The advised setting, when chunks below a score are dropped"), options)
    columns = [
        TextColumn(say("score"), [f"{one['score']:g}" for one in rows]),
        TextColumn(say("answered"), [of(*one["answered"][row.key]) for one in rows]),
        TextColumn(say("answerable,\nnothing left"), [of(*one["answerable_with_nothing"]) for one in rows]),
        TextColumn(say("unanswerable,\nsomething left"), [of(*one["unanswerable_with_something"]) for one in rows]),
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
