"""Ranks one by one, in plain lines: which questions are missed, why, and what stood above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

from chunkscope.grid.ranks import CAUSES, Hit, QuestionRank
from chunkscope.language import say
from chunkscope.reports.base import LEAST_WIDTH, ReportOptions
from chunkscope.reports.screen import said, sentence_lines
from chunkscope.reports.visible import visible
from chunkscope.reports.width import fit

INDENT = "    "
MOST_HITS = 5
"""So many of what came first are shown for a question that is missed."""


def render_ranks(found: Sequence[QuestionRank], setting: str, options: ReportOptions) -> str:
    """Write at which rank each question is answered at a setting, and for those that are missed what came first.

    No line is wider than `options.width`.

    Examples
    --------
    >>> hit = Hit("rules.md", 10, 22, 3, 4.25, "日当は2,000円。", False)
    >>> missed = QuestionRank("q2", "上限は？", 7, "below", (hit,))
    >>> answered = QuestionRank("q1", "申請は？", 1, None, (hit,))
    >>> print(render_ranks([answered, missed], "fixed 300/50, bm25", ReportOptions()), end="")
    Ranks with fixed 300/50, bm25; * holds something that the question needs.
    q1: rank 1  申請は？
    q2: ranked below (rank 7)  上限は？
         1  rules.md:3  4.25  日当は2,000円。
    """
    head = say("Ranks with {setting}; * holds something that the question needs.", setting=setting)
    lines = sentence_lines(head, options, rest=INDENT)
    for one in found:
        lines += sentence_lines(f"{one.id}: {said(_outcome(one), options)}  {one.question}", options, rest=INDENT)
        if one.cause is not None:
            lines += _hits(one.above, max(options.width, LEAST_WIDTH), options.ascii)
    return "\n".join(lines) + "\n"


def _outcome(one: QuestionRank) -> str:
    if one.cause is None:
        return say("rank {rank:,}", rank=one.rank)
    if one.cause == "below" and one.rank is None:
        return say("not ranked")
    if one.cause == "below":
        return say("ranked below (rank {rank:,})", rank=one.rank)
    return CAUSES[one.cause]


def _hits(hits: Sequence[Hit], room: int, ascii: bool) -> Iterator[str]:
    """Write what came first, a line each; a star marks what holds something that is needed."""
    shown = hits[:MOST_HITS]
    places = [f"{visible(hit.document, ascii=ascii)}:{hit.line}" for hit in shown]
    for rank, (hit, place) in enumerate(zip(shown, places, strict=True), 1):
        mark = "*" if hit.meets else " "
        text = f"{INDENT}{rank:2}{mark} {place}  {_score(hit)}{visible(hit.text, ascii=ascii)}"
        yield fit(text, room, ascii=ascii)


def _score(hit: Hit) -> str:
    """Write the score, if the retriever gave one."""
    return "" if isnan(hit.score) else f"{hit.score:.3g}  "
