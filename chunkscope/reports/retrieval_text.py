"""What a sweep found when chunks were ranked: a table of telling cells, the comparison, warnings and advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from chunkscope.grid.results import Cell, SweepResult
from chunkscope.reports.advice_text import head
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.formatting import NOTHING, decimal, of, percent, plural
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.width import fit, wrap

MAX_CELLS = 12
MAX_WARNINGS = 12
FEW = 2
"""A choice that answers so many questions fewer than the best goes without a word."""
LEAST_WIDTH = 20
INDENT = "  "

Found = Mapping[str, Any]


def render_retrieval(result: SweepResult, *, width: int = 80, all_rows: bool = False, ascii: bool = False) -> str:
    """Write the retrieval part of a sweep for people.

    Parameters
    ----------
    result : SweepResult
        With a summary; without one, or without ranked cells, there is only precision-omega to show, or nothing.
    width : int
        Terminal cells in a line; no line is wider.
    all_rows : bool
        Every cell instead of the telling ones.
    ascii : bool
        ASCII marks only.

    Returns
    -------
    str
        Lines, each with its end; empty where there is nothing to show.
    """
    room = max(width, LEAST_WIDTH)
    lines: list[str] = []
    for number, summary in enumerate((result.retrieval or {}).get("retrievers", ())):
        lines += ["", *_retriever(result, number, summary, room, all_rows, ascii)]
    if result.retrieval is None:
        lines += _omegas(result, room, all_rows, ascii)
    else:
        lines += _notes(result.retrieval, room, ascii)
    return "\n".join(lines[1:] if lines and not lines[0] else lines) + "\n" if lines else ""


def render_recall(result: SweepResult, options: ReportOptions) -> str:
    """Write a recall for people: what was looked at, and what was found."""
    room = max(options.width, LEAST_WIDTH)

    def name(text: str) -> str:
        return visible(text, ascii=options.ascii)

    lines = [line for sentence in head(result, name) for line in wrap(sentence, room, rest=INDENT)]
    found = render_retrieval(result, width=options.width, all_rows=options.all_rows, ascii=options.ascii)
    return "\n".join([*lines, "", found])


def _retriever(
    result: SweepResult, number: int, summary: Found, room: int, all_rows: bool, ascii: bool
) -> Iterator[str]:
    found = [cell.retrieval[number] for cell in result.cells if cell.retrieval]
    yield from wrap(_title(summary, found[0], result.retrieval or {}, ascii), room, rest=INDENT)
    yield from wrap(_legend(found, summary), room, rest=INDENT)
    shown = range(len(found)) if all_rows else _telling(result.cells, found, summary)
    yield from lay_table(_columns(result.cells, found, summary, list(shown)), room, ascii=ascii)
    if len(shown) < len(found):
        yield from wrap(f"{len(found) - len(shown)} cells left out; --all shows every cell.", room, first=INDENT)
    for part in (_by, _min_scores):
        yield from part(result.cells, found, summary, room, ascii)
    for sentence in _verdict(summary, found):
        yield from wrap(sentence, room, first="- ")
    for sentence in summary["advice"]:
        yield from wrap(sentence[0].upper() + sentence[1:] + ".", room, first="- ")


def _title(summary: Found, one: Found, whole: Found, ascii: bool) -> str:
    settings = one["settings"]
    parameters = [f"{name} {settings[name]}" for name in ("variant", "k1", "b", "model") if name in settings]
    text = f"Retrieval: {summary['retriever']}"
    if parameters:
        text += f" ({', '.join(parameters)})"
    points = decimal(100 * (whole.get("one_question") or 0)).removesuffix(".0")
    text += f"; {plural(summary['questions'], 'question')}, one of them is {points} points"
    if settings.get("filter"):
        text += f"; in the index: documents with {' and '.join(settings['filter'])}"
    return visible(text, ascii=ascii)


def _key(one: Found) -> str:
    """Give the number of chunks at which a cell is compared, as its JSON has it."""
    return str(one["k"][-1])


def _at(summary: Found) -> str:
    """Write at which number of chunks cells are compared; nothing where it differs from cell to cell."""
    return "" if summary["k"] is None else f"@{summary['k']}"


def _legend(found: Sequence[Found], summary: Found) -> str:
    one, at = found[0], _at(summary)
    text = f"recall{at and '@k'}: all evidence whole in the first k chunks; "
    if summary["k"] is None:
        text += f"k: so many as come nearest to {summary['context']:,} characters; "
    text += f"start{at}: its first characters are; "
    if any(one["answered"] != one["strict"] for one in found):
        text += f"answered{at}: and each table row has its header; "
    text += (
        "MRR: mean of 1 / rank; split, below: misses because of a cut, and because of the ranking; context: characters "
        "of these chunks, each counted once; corpus share: their share of the documents"
    )
    if "budget" in one:
        limit = one["settings"]["budget"]
        text += f"; in {limit['limit']:,} {limit['unit']}: recall of the chunks that fit"
    if returned := one["settings"].get("return"):
        text += f"; what is returned for a chunk, and judged: {returned}"
    if "outdated" in one:
        text += "; outdated: questions with a document out of force among them"
    if "outdated_unanswerable" in one:
        text += "; unanswerable: the same of the unanswerable ones"
    if "overlap" in one:
        text += "; IoU, precision, characters: overlap with the evidence in characters"
    return text + "."


def _telling(cells: Sequence[Cell], found: Sequence[Found], summary: Found) -> list[int]:
    """Choose cells: the best, the choice, their neighbours, the ends, and then evenly."""
    named = [
        place
        for place, cell in enumerate(cells)
        for one in (summary["best"], summary["choice"])
        if all(getattr(cell, name) == one[name] for name in ("chunker", "unit", "size", "overlap"))
    ]
    order = [*named, 0, len(cells) - 1, *(place + step for place in named for step in (-1, 1))]
    worst = min(range(len(found)), key=lambda place: found[place]["strict"][_key(found[place])][0])
    order += [worst, *(number * (len(cells) - 1) // (MAX_CELLS - 1) for number in range(MAX_CELLS))]
    chosen = list(dict.fromkeys(place for place in order if 0 <= place < len(cells)))
    return sorted(chosen[:MAX_CELLS])


def _columns(cells: Sequence[Cell], found: Sequence[Found], summary: Found, places: Sequence[int]) -> list[TextColumn]:
    rows = [(cells[place], found[place]) for place in places]

    def column(title: str, rank: int, text: Callable[[Cell, Found], str], *, left: bool = False) -> TextColumn:
        return TextColumn(title, [text(cell, one) for cell, one in rows], left=left)

    several = len({(cell.chunker, cell.unit) for cell in cells}) > 1
    # what tells rows apart never goes
    by_overlap = len({(cell.chunker, cell.unit, cell.size) for cell in cells}) < len(cells)
    chosen = [column("chunker", 0, lambda cell, _: fit(_way(cell), 24), left=True)] if several else []
    chosen += [
        column("size", 0, lambda cell, _: "section" if cell.size is None else str(cell.size)),
        column("overlap", 0 if by_overlap else 9, lambda cell, _: "" if cell.overlap is None else str(cell.overlap)),
    ]
    at = _at(summary)
    if not at:
        chosen.append(column("k", 1, lambda _, one: _key(one)))
        chosen.append(column("recall", 1, lambda _, one: _percent(one["strict"][_key(one)])))
    for number, k in enumerate(found[0]["k"] if at else ()):
        rank = 1 if k == summary["k"] else 4 + number
        chosen.append(column(f"@{k}", rank, lambda _, one, k=k: _percent(one["strict"][str(k)])))  # type: ignore[misc]
    chosen.append(column(f"start{at}", 3, lambda _, one: _percent(one["start"][_key(one)])))
    if any(one["answered"] != one["strict"] for one in found):
        chosen.append(column(f"answered{at}", 1, lambda _, one: _percent(one["answered"][_key(one)])))
    chosen.append(column("MRR", 10, lambda _, one: NOTHING if one["mrr"] is None else f"{one['mrr']:.2f}"))
    for cause in found[0]["misses"][_key(found[0])]:
        if cause in ("split", "below") or any(one["misses"][_key(one)][cause] for one in found):
            chosen.append(column(cause.replace("_", " "), 2, partial(_misses, cause)))
    chosen += [
        column("context", 2, lambda _, one: _characters(one["context"][_key(one)])),
        column("corpus share", 11, lambda _, one: _share(one["corpus_share"][_key(one)])),
    ]
    if "budget" in found[0]:
        limit = found[0]["settings"]["budget"]["limit"]
        chosen.append(column(f"in {limit:,}", 1, lambda _, one: _percent(one["budget"]["strict"])))
    if "outdated" in found[0]:
        chosen.append(column("outdated", 1, lambda _, one: of(*one["outdated"][_key(one)])))
    if "outdated_unanswerable" in found[0]:
        chosen.append(column("unanswerable", 3, lambda _, one: of(*one["outdated_unanswerable"][_key(one)])))
    if "overlap" in found[0]:
        for name, title, rank in (("recall", "characters", 4), ("precision", "precision", 3), ("iou", "IoU", 1)):
            chosen.append(column(title, rank, lambda _, one, n=name: _deviation(one["overlap"][_key(one)][n])))  # type: ignore[misc]
    if cells[0].omega:
        chosen.append(column("omega", 3, lambda cell, _: _deviation(_pair(cell))))
    chosen.append(column("", 1, lambda cell, one: _mark(cell, one, summary), left=True))
    return [one for one in chosen if any(one.texts)]


def _way(cell: Cell) -> str:
    return cell.chunker if cell.unit == "char" else f"{cell.chunker} {cell.unit}"


def _misses(cause: str, _: Cell, one: Found) -> str:
    return f"{one['misses'][_key(one)][cause]:,}"


def _percent(counts: Sequence[int]) -> str:
    return percent(*counts).replace(" %", "")


def _characters(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def _share(value: float | None) -> str:
    return NOTHING if value is None else percent(round(value * 1_000_000), 1_000_000)


def _pair(cell: Cell) -> dict[str, float] | None:
    return dict(zip(("mean", "std"), cell.omega, strict=True)) if cell.omega else None


def _deviation(found: Mapping[str, float] | None) -> str:
    return NOTHING if found is None else f"{100 * found['mean']:.1f} +- {100 * found['std']:.1f}"


def _mark(cell: Cell, one: Found, summary: Found) -> str:
    words = []
    for name in ("best", "choice"):
        if all(getattr(cell, field) == summary[name][field] for field in ("chunker", "unit", "size", "overlap")):
            words.append(name)
    if not words and not one["against_best"]["differs_from_best"]:
        words.append("=")
    if n := one.get("over_long_chunks", 0):
        words.append(f"{n:,} chunk{'s' if n > 1 else ''} above the model limit")
    return ", ".join(words)


def _choice_of(cells: Sequence[Cell], found: Sequence[Found], summary: Found) -> Found:
    for cell, one in zip(cells, found, strict=True):
        if all(getattr(cell, name) == summary["choice"][name] for name in ("chunker", "unit", "size", "overlap")):
            return one
    return found[0]


def _by(cells: Sequence[Cell], found: Sequence[Found], summary: Found, room: int, ascii: bool) -> Iterator[str]:
    one = _choice_of(cells, found, summary)
    for attribute, groups in one.get("group_by", {}).items():
        yield from wrap(f"The choice, by {visible(attribute, ascii=ascii)}:", room, first=INDENT)
        labels = [fit(visible(label, ascii=ascii), 24) for label in groups]
        columns = [TextColumn("", labels, left=True)]
        columns.append(TextColumn("questions", [f"{group['strict'][_key(one)][1]:,}" for group in groups.values()]))
        for k in one["k"]:
            columns.append(TextColumn(f"@{k}", [_percent(group["strict"][str(k)]) for group in groups.values()]))
        key = _key(one)
        columns.append(TextColumn(f"start@{key}", [_percent(group["start"][key]) for group in groups.values()]))
        yield from lay_table(columns, room, ascii=ascii)


def _min_scores(cells: Sequence[Cell], found: Sequence[Found], summary: Found, room: int, ascii: bool) -> Iterator[str]:
    one = _choice_of(cells, found, summary)
    rows, key = one.get("min_score"), _key(one)
    if not rows:
        return
    yield from wrap(
        "The choice, when chunks below a score are dropped: answerable questions left with nothing, unanswerable ones "
        "that still get something, recall:",
        room,
        first=INDENT,
    )
    yield from lay_table(
        [
            TextColumn("score", [f"{row['score']:g}" for row in rows]),
            TextColumn("nothing", [of(*row["answerable_with_nothing"]) for row in rows]),
            TextColumn("something", [of(*row["unanswerable_with_something"]) for row in rows]),
            TextColumn(f"@{key}", [_percent(row["strict"][key]) for row in rows]),
        ],
        room,
        ascii=ascii,
    )


def _verdict(summary: Found, found: Sequence[Found]) -> Iterator[str]:
    best, choice = summary["best"], summary["choice"]
    low_high = next(
        (one["intervals"]["strict"][_key(one)] for one in found if one["strict"][_key(one)] == best["strict"]), None
    )
    text = f"Best: {setting_of(best)}: recall@{best['k']} {percent(*best['strict'])} ({of(*best['strict'])})"
    if low_high:
        text += f", 95 % interval {100 * low_high[0]:.1f} to {100 * low_high[1]:.1f} %"
    yield text + "."
    others = summary["n_indistinguishable"] - 1
    if not others and len(found) > 1:
        yield "Every other cell differs from it by more than chance (exact McNemar, Holm, 5 %)."
    elif others:
        yield (
            f"{others:,} of {len(found) - 1:,} others differ from the best by no more than chance (exact McNemar, "
            "Holm, 5 %): marked = in the table."
        )
        yield (
            f"Of all these, {setting_of(choice)} needs the least context: {_characters(choice['context'])} characters, "
            f"recall@{choice['k']} {percent(*choice['strict'])}."
        )
        least = summary["least_difference"]
        fewer = best["strict"][0] - choice["strict"][0]
        if fewer > FEW:
            yield (
                f"That is {fewer:,} questions fewer, which may still be chance: with {best['strict'][1]:,} questions "
                f"and {len(found):,} cells only {least:,} or more are a difference. More questions, or fewer cells, "
                "show smaller ones."
            )
    if "holdout" in summary:
        held = summary["holdout"]
        yield (
            f"With a part of the questions held out (seed {held['seed']}), the choice on the rest is "
            f"{setting_of(held['choice'])}: recall {percent(*held['chosen_on'])} ({of(*held['chosen_on'])}) there, "
            f"{percent(*held['held_out'])} ({of(*held['held_out'])}) on the part held out."
        )


def setting_of(one: Found) -> str:
    """Write a setting as people do: ``fixed 300/50``."""
    size = "whole sections" if one["size"] is None else f"{one['size']}/{one['overlap']}"
    unit = "" if one["unit"] == "char" else f" {one['unit']}"
    return f"{one['chunker']} {size}{unit}"


def _notes(summary: Found, room: int, ascii: bool) -> Iterator[str]:
    shared = summary["shared_words"]
    if shared["words"]:
        share = percent(shared["shared"], shared["words"])
        text = f"{share} of the questions' words occur in their evidence too: the more, the easier for word search."
        yield from wrap(text, room, first="- ")
    warnings = summary["warnings"]
    for warning in warnings[:MAX_WARNINGS]:
        yield from wrap(visible(warning, ascii=ascii), room, first="! ")
    if len(warnings) > MAX_WARNINGS:
        yield from wrap(
            f"and {len(warnings) - MAX_WARNINGS} more warnings (--format json lists them)", room, first="! "
        )


def _omegas(result: SweepResult, room: int, all_rows: bool, ascii: bool) -> Iterator[str]:
    cells = [cell for cell in result.cells if cell.omega]
    if not cells:
        return
    yield from wrap(
        "Precision-omega: the share of evidence in all chunks that meet it, mean and deviation over the questions, in "
        "percent.",
        room,
        rest=INDENT,
    )
    places = range(len(cells))
    if not all_rows and len(cells) > MAX_CELLS:
        best = max(places, key=lambda place: (cells[place].omega or (0, 0))[0])
        even = [number * (len(cells) - 1) // (MAX_CELLS - 1) for number in range(MAX_CELLS)]
        shown = sorted({best, *even})
    else:
        shown = list(places)
    rows = [cells[place] for place in shown]
    columns = [TextColumn("chunker", [fit(_way(cell), 24) for cell in rows], left=True)]
    columns.append(TextColumn("size", ["section" if cell.size is None else str(cell.size) for cell in rows]))
    columns.append(TextColumn("overlap", ["" if cell.overlap is None else str(cell.overlap) for cell in rows]))
    columns.append(TextColumn("omega", [_deviation(_pair(cell)) for cell in rows]))
    yield from lay_table(columns, room, ascii=ascii)
