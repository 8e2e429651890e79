"""The figures of a cell in words, and how each has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from chunkscope.grid.outcomes import Changes, Path, RankingChange
from chunkscope.grid.results import Value, leaves
from chunkscope.language import Text, say
from chunkscope.reports.formatting import NOTHING

Words = Callable[[str], Text]
"""Says what a figure is, around how it has changed."""

CHUNKS: dict[Path, Words] = {
    ("chunks",): lambda n: say("chunks {n}", n=n),
    ("blank_chunks",): lambda n: say("blank chunks {n}", n=n),
    ("oversize_chunks",): lambda n: say("chunks above the size {n}", n=n),
    ("broken_chunks",): lambda n: say("chunks that begin or end inside a character {n}", n=n),
    ("chunk_chars", "min"): lambda n: say("shortest chunk {n} characters", n=n),
    ("chunk_chars", "mean"): lambda n: say("mean chunk {n} characters", n=n),
    ("chunk_chars", "median"): lambda n: say("median chunk {n} characters", n=n),
    ("chunk_chars", "max"): lambda n: say("largest chunk {n} characters", n=n),
    ("duplication",): lambda n: say("text to embed {n} times the documents", n=n),
    ("tokens",): lambda n: say("tokens to embed {n}", n=n),
}
CUTS: dict[Path, Words] = {
    ("cuts", "character"): lambda n: say("inside a character {n}", n=n),
    ("cuts", "row"): lambda n: say("inside a table row {n}", n=n),
    ("cuts", "code"): lambda n: say("inside code {n}", n=n),
    ("cuts", "number"): lambda n: say("inside a number {n}", n=n),
    ("cuts", "word"): lambda n: say("inside a word {n}", n=n),
    ("cuts", "words"): lambda n: say("between words {n}", n=n),
    ("cuts", "sentence"): lambda n: say("before a sentence {n}", n=n),
    ("cuts", "block"): lambda n: say("before a block {n}", n=n),
    ("cuts", "heading"): lambda n: say("before a heading {n}", n=n),
}
QUESTIONS: dict[Path, Words] = {
    ("questions",): lambda n: say("questions {n}", n=n),
    ("split_questions",): lambda n: say("split questions {n}", n=n),
    ("expected_split_questions",): lambda n: say("split on average, wherever the first cut falls, {n}", n=n),
    ("missing_questions",): lambda n: say("questions with evidence missing {n}", n=n),
    ("table_questions_with_header",): lambda n: say("table questions with the header {n}", n=n),
    ("harmed_questions",): lambda n: say("harmed questions {n}", n=n),
    ("evidence",): lambda n: say("pieces of evidence {n}", n=n),
    ("split_evidence",): lambda n: say("split pieces of evidence {n}", n=n),
    ("expected_split_evidence",): lambda n: say("split pieces on average {n}", n=n),
    ("missing_evidence",): lambda n: say("pieces of evidence missing {n}", n=n),
    ("evidence_in_two_chunks",): lambda n: say("pieces in two neighbouring chunks {n}", n=n),
    ("evidence_longer_than_size",): lambda n: say("pieces longer than the size {n}", n=n),
    ("precision_omega", "mean"): lambda n: say("precision-omega {n}", n=n),
    ("precision_omega", "std"): lambda n: say("its standard deviation {n}", n=n),
}
PARTS: dict[Path, Words] = {
    ("table_rows_with_header",): lambda n: say("table rows with their header {n}", n=n),
    ("table_rows_whole",): lambda n: say("whole table rows {n}", n=n),
    ("tables_without_header",): lambda n: say("tables without a header {n}", n=n),
    ("sentences_whole",): lambda n: say("whole sentences {n}", n=n),
    ("code_blocks_whole",): lambda n: say("whole code blocks {n}", n=n),
    ("headings_whole",): lambda n: say("headings with their first block {n}", n=n),
    ("unmarked_chunks",): lambda n: say("chunks of outdated documents that do not show it {n}", n=n),
}
FAMILIES = (CHUNKS, CUTS, QUESTIONS, PARTS)
"""What each figure is called; a family stands in a line of its own."""

TOTALS: dict[Path, Path] = {
    ("split_questions",): ("questions",),
    ("split_evidence",): ("evidence",),
    ("table_questions_with_header",): ("table_questions",),
    ("table_rows_with_header",): ("table_rows",),
    ("table_rows_whole",): ("table_rows",),
    ("sentences_whole",): ("sentences",),
    ("code_blocks_whole",): ("code_blocks",),
    ("headings_whole",): ("headings",),
    ("unmarked_chunks",): ("status_chunks",),
}
"""Of what each is a part."""

RANKING: dict[Path, Words] = {
    ("indexed_chunks",): lambda n: say("chunks in the index {n}", n=n),
    ("mrr",): lambda n: say("mean reciprocal rank {n}", n=n),
    ("half",): lambda n: say("k chunks hold half of the documents: {n}", n=n),
    ("listed", "depth"): lambda n: say("chunks listed at most {n}", n=n),
    ("listed", "full_k"): lambda n: say("chunks that would judge {n}", n=n),
    ("listed", "answerable_with_nothing"): lambda n: say("questions for which nothing is found {n}", n=n),
    ("listed", "unanswerable_with_something"): lambda n: say(
        "unanswerable questions for which something is found {n}", n=n
    ),
    ("context",): lambda n: say("mean context {n} characters", n=n),
    ("answered",): lambda n: say("answered {n}", n=n),
    ("strict",): lambda n: say("evidence whole {n}", n=n),
    ("start",): lambda n: say("evidence begun {n}", n=n),
    ("misses", "not_indexed"): lambda n: say("missed as not in the index {n}", n=n),
    ("misses", "not_embedded"): lambda n: say("missed as not embedded {n}", n=n),
    ("misses", "split"): lambda n: say("missed as split {n}", n=n),
    ("misses", "header_lost"): lambda n: say("missed for lack of the header {n}", n=n),
    ("misses", "below"): lambda n: say("ranked below {n}", n=n),
    ("outdated",): lambda n: say("outdated documents found for {n}", n=n),
}
"""What the figures of a retriever are called, whatever the number of chunks."""

UNTOLD = frozenset({("corpus_share",)})
"""Figures of a retriever that follow from others."""

MOST_DECIMALS = 6


def changed_figures(
    changed: Changes, old: Mapping[str, Any], new: Mapping[str, Any], titles: Mapping[str, str]
) -> Iterator[Text]:
    """Say how figures have changed, a line for those that belong together.

    Parameters
    ----------
    changed : mapping
        Old and new value, by the names that lead to a figure.
    old, new : mapping
        The cells, which have what figures are parts of.
    titles : mapping
        What figures of measures of packages are called.

    Examples
    --------
    >>> list(changed_figures({("sentences_whole",): (3, 4)}, {"sentences": 9}, {"sentences": 9}, {}))
    ['whole sentences 3 -> 4 of 9']
    >>> list(changed_figures({("chunk_chars", "mean"): (393.67, 396.19), ("cuts", "words"): (513, 688)}, {}, {}, {}))
    ['mean chunk 394 -> 396 characters', 'chunks that end between words 513 -> 688']
    """
    before, after = (dict(leaves(cell)) for cell in (old, new))

    def change(path: Path) -> Text:
        total = TOTALS.get(path, (*path, "of"))
        return _arrow(*changed[path], before.get(total), after.get(total))

    for family in FAMILIES:
        told = [words(change(path)) for path, words in family.items() if path in changed]
        if told:
            yield say("chunks that end {told:, }", told=told) if family is CUTS else say("{told:, }", told=told)
    named = {path for family in FAMILIES for path in family} | {TOTALS[path] for path in changed if path in TOTALS}
    for path in changed:
        if path not in named and path[-1] != "of":
            yield say("{name} {n}", name=titles.get(path[0]) or _plain(path), n=change(path))


def changed_ranking(ranking: RankingChange, k: str) -> Text | None:
    """Say how the figures of a retriever have changed, at one number of chunks; None if none has.

    Examples
    --------
    >>> from chunkscope.grid.outcomes import compare_ranking
    >>> old, new = ({"context": {"1": 230, "5": n}, "misses": {"5": {"split": n}}} for n in (1147, 1989))
    >>> changed_ranking(compare_ranking("bm25", old, new, []), "5")
    'mean context 1,147 -> 1,989 characters, missed as split 1,147 -> 1,989'
    """
    order = {path: place for place, path in enumerate(RANKING)}
    before, after = dict(leaves(ranking.old)), dict(leaves(ranking.new))
    named = {path: tuple(part for part in path if part != k) for path in ranking.changed if path[-1] != "of"}
    told_already = {("answered",), ("strict",)} if ranking.answered else set()
    told = []
    for path, name in sorted(named.items(), key=lambda item: order.get(item[1], len(order))):
        if name in UNTOLD | told_already or any(part.isdecimal() for part in name):
            continue
        total = (*path, "of")
        change = _arrow(*ranking.changed[path], before.get(total), after.get(total))
        told.append(RANKING[name](change) if name in RANKING else say("{name} {n}", name=_plain(name), n=change))
    return say("{told:, }", told=told) if told else None


def _plain(path: Path) -> str:
    return " ".join(path).replace("_", " ")


def _arrow(old: Value, new: Value, old_total: Value, new_total: Value) -> Text:
    one, other = rounded_apart(old, new)
    if old_total is None or new_total is None:
        return say("{old} -> {new}", old=one, new=other)
    of_old, of_new = _number(old_total, 0), _number(new_total, 0)
    if of_old == of_new:
        return say("{old} -> {new} of {total}", old=one, new=other, total=of_new)
    return say("{old} of {of_old} -> {new} of {of_new}", old=one, of_old=of_old, new=other, of_new=of_new)


def rounded_apart(old: Value, new: Value) -> tuple[str, str]:
    """Write two figures as short as they can be told apart: whole from 100 on, else with two digits behind the point.

    Examples
    --------
    >>> rounded_apart(393.675985, 396.188688), rounded_apart(393.675985, 393.678), rounded_apart(1.187, 1.5)
    (('394', '396'), ('393.676', '393.678'), ('1.19', '1.50'))
    >>> rounded_apart(None, 1200)
    ('n/a', '1,200')
    """
    large = all(not isinstance(value, float) or abs(value) >= 100 for value in (old, new))
    for decimals in range(0 if large else 2, MOST_DECIMALS + 1):
        one, other = _number(old, decimals), _number(new, decimals)
        if one != other:
            break
    return one, other


def _number(value: Value, decimals: int) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, float):
        return f"{value:,.{decimals}f}"
    return f"{value:,}" if isinstance(value, int) else value
