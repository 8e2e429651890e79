"""A second look at the advised cell: which documents it damages, what prepending would mend, how many tokens it has."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chunkscope.chunkers import Chunker
from chunkscope.grid.advice import Advice, NoAdvice, Remedy, advise, largest_chunk
from chunkscope.grid.limits import ModelLimit
from chunkscope.grid.plan import HEADER, IN_TOKENS, STATUS, SweepPlan
from chunkscope.grid.results import Cell, ChunkTokens, SweepResult

if TYPE_CHECKING:
    from chunkscope.grid.sweep import Sweep

TAKEN = (512, 8192)
"""What most models take is one of these, in tokens."""


def advised(sweep: Sweep, result: SweepResult) -> SweepResult:
    """Give the result with its advice, what would mend the rest, and the documents that the advised cell damages."""
    plan = sweep.plan
    advice = advise(result, tolerance=plan.tolerance, limit=plan.limit)
    result = dataclasses.replace(result, advice=advice, limit=plan.limit)
    if isinstance(advice, NoAdvice):
        return result
    if not plan.closely:
        return dataclasses.replace(result, looked_closely=False)
    chunker = chunker_of(plan, advice)
    [cell] = [cell for cell in result.cells if cell.key == advice.key]
    wanted = dict(prependable(cell, chunker, with_questions=plan.with_questions))
    together = dataclasses.replace(chunker, prepend=(*chunker.prepend, *wanted))
    again = sweep.again([chunker, *wanted.values(), together], [chunker])
    remedies = [
        remedy_of(what, cell, other, plan.limit, with_questions=plan.with_questions)
        for what, other in zip(wanted, again.cells[1:-1], strict=True)
    ]
    return dataclasses.replace(
        result,
        advice=with_remedies(advice, remedies, again.cells[-1], plan.limit),
        worst=again.damage[str(chunker)],
        tokens=tokens_of(again.cells[0]) if plan.with_tokens else None,
    )


def with_remedies(advice: Advice, remedies: Sequence[Remedy], together: Cell, limit: ModelLimit) -> Advice:
    """Add to an advice what would mend the rest; what does so within the limit is part of the advice.

    Where each fits but not all of them `together`, it is the first.
    """
    mending = [one.prepend for one in remedies if one.fits and one.after < one.before]
    if largest_chunk(together, limit) > limit.limit:
        mending = mending[:1]
    return dataclasses.replace(advice, remedies=tuple(remedies), prepend="+".join(mending) or None)


def tokens_of(cell: Cell) -> ChunkTokens | None:
    """Give how many chunks of a cell are above what models take; None where its tokens were not counted."""
    lengths = cell.model_lengths
    if lengths is None:
        return None
    return ChunkTokens(IN_TOKENS, lengths.n, {limit: lengths.above(limit) for limit in TAKEN})


def chunker_of(plan: SweepPlan, advice: Advice | Cell) -> Chunker:
    """Give the chunker of a cell, such as the advised one."""
    unsized = next(
        row.chunker
        for row in plan.grid.rows
        if (row.chunker.label, row.chunker.shown_unit) == (advice.chunker, advice.unit)
        and (row.sizes is None) == (advice.size is None)
    )
    return unsized if advice.size is None else unsized.at(advice.size, advice.overlap or 0)


def prependable(cell: Cell, chunker: Chunker, *, with_questions: bool) -> Iterator[tuple[str, Chunker]]:
    """Give what could mend the losses of a cell, with the chunker that prepends it."""
    lost = cell.header_lost_questions if with_questions else cell.table_rows_whole - cell.table_rows_with_header
    for what, harmed in ((HEADER, lost), (STATUS, cell.unmarked_chunks)):
        if harmed and what not in chunker.prepend:
            yield what, dataclasses.replace(chunker, prepend=(*chunker.prepend, what))


def remedy_of(what: str, cell: Cell, other: Cell, limit: ModelLimit, *, with_questions: bool) -> Remedy:
    """Compare a cell with the same one that prepends something."""
    if what == STATUS:
        kind, total, counts = "status", cell.status_chunks or 0, [one.unmarked_chunks or 0 for one in (cell, other)]
    elif with_questions:
        kind, total, counts = "questions", cell.questions, [one.harmed_questions for one in (cell, other)]
    else:
        lost = [one.table_rows - one.table_rows_with_header for one in (cell, other)]
        kind, total, counts = "rows", cell.table_rows, lost
    largest = largest_chunk(other, limit)
    times = other.chunk_characters / cell.chunk_characters if cell.chunk_characters else 1.0
    return Remedy(what, kind, counts[0], counts[1], total, times, largest, largest <= limit.limit)
