"""The figures of a cell in words, and how each has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chunkscope.grid.outcomes import Changes, Path, RankingChange
from chunkscope.grid.results import Value, leaves
from chunkscope.reports.formatting import NOTHING

FAMILIES: tuple[tuple[str, dict[Path, str]], ...] = (
    (
        "",
        {
            ("chunks",): "chunks {}",
            ("blank_chunks",): "blank chunks {}",
            ("oversize_chunks",): "chunks above the size {}",
            ("broken_chunks",): "chunks that begin or end inside a character {}",
            ("chunk_chars", "min"): "shortest chunk {} characters",
            ("chunk_chars", "mean"): "mean chunk {} characters",
            ("chunk_chars", "median"): "median chunk {} characters",
            ("chunk_chars", "max"): "largest chunk {} characters",
            ("duplication",): "text to embed {} times the documents",
            ("tokens",): "tokens to embed {}",
        },
    ),
    (
        "chunks that end ",
        {
            ("cuts", "character"): "inside a character {}",
            ("cuts", "row"): "inside a table row {}",
            ("cuts", "code"): "inside code {}",
            ("cuts", "number"): "inside a number {}",
            ("cuts", "word"): "inside a word {}",
            ("cuts", "words"): "between words {}",
            ("cuts", "sentence"): "before a sentence {}",
            ("cuts", "block"): "before a block {}",
            ("cuts", "heading"): "before a heading {}",
        },
    ),
    (
        "",
        {
            ("questions",): "questions {}",
            ("split_questions",): "split questions {}",
            ("expected_split_questions",): "split on average, wherever the first cut falls, {}",
            ("missing_questions",): "questions with evidence missing {}",
            ("table_questions_with_header",): "table questions with the header {}",
            ("harmed_questions",): "harmed questions {}",
            ("evidence",): "pieces of evidence {}",
            ("split_evidence",): "split pieces of evidence {}",
            ("expected_split_evidence",): "split pieces on average {}",
            ("missing_evidence",): "pieces of evidence missing {}",
            ("evidence_in_two_chunks",): "pieces in two neighbouring chunks {}",
            ("evidence_longer_than_size",): "pieces longer than the size {}",
            ("precision_omega", "mean"): "precision-omega {}",
            ("precision_omega", "std"): "its standard deviation {}",
        },
    ),
    (
        "",
        {
            ("table_rows_with_header",): "table rows with their header {}",
            ("table_rows_whole",): "whole table rows {}",
            ("tables_without_header",): "tables without a header {}",
            ("sentences_whole",): "whole sentences {}",
            ("code_blocks_whole",): "whole code blocks {}",
            ("headings_whole",): "headings with their first block {}",
            ("unmarked_chunks",): "chunks of outdated documents that do not show it {}",
        },
    ),
)
"""What each figure is called, in lines, each with what its figures begin with."""

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

RANKING: dict[Path, str] = {
    ("indexed_chunks",): "chunks in the index {}",
    ("mrr",): "mean reciprocal rank {}",
    ("half",): "k chunks hold half of the documents: {}",
    ("context",): "mean context {} characters",
    ("answered",): "answered {}",
    ("strict",): "evidence whole {}",
    ("start",): "evidence begun {}",
    ("misses", "not_indexed"): "missed as not in the index {}",
    ("misses", "not_embedded"): "missed as not embedded {}",
    ("misses", "split"): "missed as split {}",
    ("misses", "header_lost"): "missed for lack of the header {}",
    ("misses", "ranked_below"): "ranked below {}",
    ("misses", "below"): "ranked below {}",
    ("outdated",): "outdated documents found for {}",
}
"""What the figures of a retriever are called, whatever the number of chunks."""

MOST_DECIMALS = 6


def changed_figures(
    changed: Changes,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    titles: Mapping[str, str],
) -> Iterator[str]:
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

    def told(path: Path, words: str) -> str:
        total = TOTALS.get(path, (*path, "of"))
        return words.format(_arrow(*changed[path], before.get(total), after.get(total)))

    named = {path for _, family in FAMILIES for path in family}
    for lead, family in FAMILIES:
        line = [told(path, words) for path, words in family.items() if path in changed]
        if line:
            yield lead + ", ".join(line)
    totals = {TOTALS[path] for path in changed if path in TOTALS}
    others = [path for path in changed if path not in named and path not in totals and path[-1] != "of"]
    yield from (told(path, f"{titles.get(path[0]) or _plain(path)} {{}}") for path in others)


def changed_ranking(ranking: RankingChange, k: str) -> str:
    """Say how the figures of a retriever have changed, at one number of chunks.

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
    told = []
    for path, name in sorted(named.items(), key=lambda item: order.get(item[1], len(order))):
        is_told = ranking.answered and name in (("answered",), ("strict",))
        if is_told or path[0] == "corpus_share" or any(part.isdecimal() for part in name):
            continue
        words = RANKING.get(name) or f"{_plain(path)} {{}}"
        whole = (*path, "of")
        told.append(words.format(_arrow(*ranking.changed[path], before.get(whole), after.get(whole))))
    return ", ".join(told)


def _plain(path: Path) -> str:
    return " ".join(path).replace("_", " ")


def _arrow(old: Value, new: Value, old_total: Value, new_total: Value) -> str:
    one, other = rounded_apart(old, new)
    if old_total is None or new_total is None:
        return f"{one} -> {other}"
    of_old, of_new = _number(old_total, 0), _number(new_total, 0)
    return f"{one} -> {other} of {of_new}" if of_old == of_new else f"{one} of {of_old} -> {other} of {of_new}"


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
    if isinstance(value, float):
        return f"{value:,.{decimals}f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else value
