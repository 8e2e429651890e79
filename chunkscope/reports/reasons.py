"""Why the advised cell and not another: the rule in words."""

from __future__ import annotations

from chunkscope.grid.advice import FLOOR, KINDS, START, Advice, cut_in_two, kept
from chunkscope.grid.choice import MOST_CUT
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.language import Text, say
from chunkscope.reports.formatting import percent

THINGS = {
    "sentences": say("sentences"),
    "code_blocks": say("code blocks"),
    "headings": say("headings"),
    "table_rows": say("table rows"),
}


def reason(result: SweepResult, advice: Advice) -> Text:
    """Say by which rule a cell is advised."""
    if advice.kind == START:
        return _of_start(next(cell for cell in result.cells if cell.key == advice.key))
    within = int(advice.tolerance or 0)
    if advice.kind == FLOOR:
        if not within:
            return say("of the settings that harm the fewest questions, it embeds the fewest characters")
        return say(
            "of the settings that harm at most {n} {n:question|questions} more than the least, it embeds the fewest "
            "characters",
            n=within,
        )
    return _of_pick(within, at_fixed_k=advice.context is None)


def _of_pick(within: int, *, at_fixed_k: bool) -> Text:
    if not within:
        if at_fixed_k:
            return say("of the settings that answer the most questions, it needs the least context")
        return say("of the settings that answer the most questions, it embeds the fewest characters")
    if at_fixed_k:
        return say(
            "of the settings that answer at most {n} {n:question|questions} fewer than the best, it needs the least "
            "context",
            n=within,
        )
    return say(
        "of the settings that answer at most {n} {n:question|questions} fewer than the best, it embeds the fewest "
        "characters",
        n=within,
    )


def _of_start(cell: Cell) -> Text:
    shares = [(cut_in_two(cell, kind), kept(cell, kind)[1], kind) for kind in KINDS if kept(cell, kind)[1]]
    n, total, kind = max(shares, key=lambda one: one[0] / one[1])
    if not n:
        return say("of the settings that cut nothing in two, it embeds the fewest characters")
    things, share = THINGS[kind], percent(n, total)
    if n <= max(MOST_CUT * total, 1):
        return say(
            "at most 5 % of each kind is cut in two; its worst share, {share} of the {things}, is the lowest",
            share=share,
            things=things,
        )
    return say(
        "no setting cuts at most 5 % of each kind; its worst share, {share} of the {things}, is the lowest",
        share=share,
        things=things,
    )
