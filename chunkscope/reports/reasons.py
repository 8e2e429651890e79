"""Why the advised cell and not another: the rule in words, and the row that looks better."""

from __future__ import annotations

from collections.abc import Iterator

from chunkscope.grid.advice import FLOOR, KINDS, START, Advice, cut_in_two, kept, largest_chunk
from chunkscope.grid.choice import MOST_CUT
from chunkscope.grid.results import Cell, SweepResult, ranked_by
from chunkscope.language import Text, say
from chunkscope.reports.formatting import percent, times

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
    if not within:
        return say("of the settings that answer the most questions, it embeds the fewest characters")
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


def better_looking(result: SweepResult, advice: Advice) -> Iterator[tuple[Cell, int, str]]:
    """Give the cell that fits and answers the most, where that is more than the advised one, and what it costs.

    Yields
    ------
    Cell, how many questions more, and how many times the characters to embed.
    """
    if advice.retriever is None:
        return
    own = next(cell for cell in result.cells if cell.key == advice.key)

    def hits(cell: Cell) -> int:
        found = ranked_by(cell, advice.retriever)
        return int(found["answered"][str(found["k"][-1])][0])

    fitting = [
        cell
        for cell in result.cells
        if largest_chunk(cell, result.limit) <= advice.limit and not ranked_by(cell, advice.retriever).get("half")
    ]
    best = max(fitting, key=hits, default=own)
    if hits(best) > hits(own):
        yield best, hits(best) - hits(own), times(best.chunk_characters / own.chunk_characters)
