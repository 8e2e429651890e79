"""What a sweep comes to, in sentences: for the terminal and Markdown alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunkscope.errors import unit_noun
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.grid.verdict import (
    CHUNKS_PER_ANSWER,
    Obstacle,
    Row,
    characters_per_answer,
    guaranteed_overlap,
    is_guaranteed,
    obstacles,
    size_ranges,
)
from chunkscope.reports.cell_columns import INSIDE, cost
from chunkscope.reports.formatting import decimal, percent, plural, times
from chunkscope.reports.selection import JudgedRow, asks, cheapest

Name = Callable[[str], str]
"""Makes an id or a path fit to print: hidden characters shown, marks of the format escaped."""

MAX_NAMED = 10
"""So many questions, files or pairs are named in one sentence."""

ADD_QUESTIONS = (
    "With questions, the sweep says which answers are cut in two: name a file with -q that has a line for each, such "
    'as {"id": "q1", "doc": "rules.md", "evidence": "..."}.'
)
KIND_NAMES = {
    "table_rows": ("table row", "with its header", "with their header"),
    "sentences": ("sentence", "whole", "whole"),
    "code_blocks": ("code block", "whole", "whole"),
    "headings": ("heading", "whole with its first block", "whole with their first block"),
}
CUT_NAMES = {
    "character": "a character",
    "row": "a table row",
    "code": "code",
    "number": "a number",
    "word": "a word",
    "words": "between words",
    "sentence": "before a sentence",
    "block": "before a block",
    "heading": "before a heading",
}


def head(result: SweepResult, name: Name) -> list[str]:
    """Say what was looked at, and what was left out."""
    corpus, questions = result.corpus, result.questions
    where = f"{name(corpus.path)}: " if corpus.path else ""
    lines = [f"{where}{plural(corpus.documents, 'document')}, {plural(corpus.characters, 'character')}"]
    if corpus.unreadable:
        lines.append(f"not readable, left out: {_some([name(path) for path in corpus.unreadable])}")
    if corpus.ignored:
        found = [f"{n:,} {name(suffix) or 'without a suffix'}" for suffix, n in corpus.ignored.items()]
        lines.append(f"other files, not read: {_some(found)}")
    if questions:
        where = f"{name(questions.path)}: " if questions.path else ""
        n_excluded = questions.total - questions.valid - questions.without_evidence
        others = [(questions.without_evidence, "unanswerable, counted separately"), (n_excluded, "excluded")]
        apart = ", ".join(f"{n:,} {what}" for n, what in others if n)
        asked = f"{questions.valid:,} of {plural(questions.total, 'question')}" + (f" ({apart})" if apart else "")
        evidence = f"{plural(questions.evidence, 'piece')} of evidence"
        lines.append(f"{where}{asked}, {evidence}, {plural(questions.table, 'table question')}")
    return lines + left_out(result, name)


def left_out(result: SweepResult, name: Name) -> list[str]:
    """Say which questions and which pairs of the grid are in no cell, and why."""
    questions, lines = result.questions, []
    if questions and questions.excluded:
        bad = [f"{name(identity)} ({problem})" for identity, problem in questions.excluded]
        lines.append(f"excluded from every cell, their labels are not sound: {_some(bad)}")
    if result.skipped:
        pairs = [f"{chunker} {pair.size}/{pair.overlap} ({pair.reason})" for chunker, _, pair in result.skipped]
        lines.append(f"{plural(len(pairs), 'pair')} of the grid cannot run: {_some(pairs, 3)}")
    return lines


def _some(items: Sequence[str], limit: int = MAX_NAMED) -> str:
    rest = f" and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + rest


def row_title(row: Row, name: Name) -> str:
    """Name a row of the grid."""
    if row.overlap is None:
        return f"{name(row.chunker)}, whole sections"
    unit = "" if row.unit == "char" else f" in {unit_noun(name(row.unit))}"
    return f"{name(row.chunker)}{unit}, overlap {row.overlap}"


def setting(cell: Cell) -> str:
    """Name a cell of a row: size/overlap."""
    return "whole sections" if cell.size is None else f"{cell.size}/{cell.overlap}"


def _at(cell: Cell) -> str:
    return "in whole sections" if cell.size is None else f"at {setting(cell)}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def cuts_sentence(cell: Cell) -> str:
    """Say where the chunks of a cell end; empty where no chunk ends but a document's last."""
    total = sum(cell.cuts.values())
    if not total:
        return ""
    inside = [f"{CUT_NAMES[name]} {percent(cell.cuts[name], total)}" for name in INSIDE if cell.cuts.get(name)]
    parts = ["inside " + ", ".join(inside)] if inside else []
    others = (name for name in CUT_NAMES if name not in INSIDE and cell.cuts.get(name))
    parts += [f"{CUT_NAMES[name]} {percent(cell.cuts[name], total)}" for name in others]
    return f"chunks end, {_at(cell)}: {'; '.join(parts)} (of {plural(total, 'end')})"


def row_notes(judged: JudgedRow, n_documents: int) -> list[str]:
    """Say what else must be known of a row: missing text, chunks above the size, broken, blank or unmarked ones."""
    cells = judged.row.cells
    notes = []
    cuts = cells[0].cuts
    is_one_each = not any(cuts.values()) if cuts else cells[0].chunks <= n_documents
    if judged.row.overlap is None and cells[0].chunks and is_one_each:
        notes.append("no document is divided by headings: each is one section")
    for count, told in (
        ("missing_questions", "questions have evidence that is partly in no chunk"),
        ("oversize_chunks", "chunks are above the size"),
        ("broken_chunks", "chunks begin or end inside a character"),
        ("blank_chunks", "chunks are blank: numbered, never embedded"),
    ):
        worst = max(cells, key=lambda cell: getattr(cell, count))
        most = getattr(worst, count)
        if most:
            where = _at(worst) if len(cells) == 1 else f"at most, {_at(worst)}"
            notes.append(f"{told}: {most:,} {where}")
    marked = [cell for cell in cells if cell.status_chunks]
    if marked and any(cell.unmarked_chunks for cell in marked):
        notes.append(_status_note(judged, marked))
    return notes


def _status_note(judged: JudgedRow, marked: Sequence[Cell]) -> str:
    worst = max(marked, key=lambda cell: cell.unmarked_chunks or 0)
    counts = f"{worst.unmarked_chunks or 0:,} of {worst.status_chunks or 0:,} chunks"
    note = f"{_at(worst)}, {counts} from outdated documents do not show their status"
    last = judged.key_cell
    if last.key != worst.key and last.status_chunks:
        note += f", {_at(last)} {last.unmarked_chunks or 0:,} of {last.status_chunks:,}"
    return note + " (prepend=front-matter:status mends it)"


@dataclass(frozen=True)
class Trouble:
    """A question that is ever split or without its header: at which sizes, in words, and the largest of them."""

    id: str
    where: str
    largest: int


def trouble(row: Row) -> list[Trouble]:
    """Give each question that is ever split or without its header, in the order of appearance."""
    grid = [cell.size or 0 for cell in row.cells]
    found: dict[str, list[Obstacle]] = {}
    for obstacle in obstacles(row):
        found.setdefault(obstacle.question, []).append(obstacle)
    return [
        Trouble(
            question,
            "; ".join(_where(obstacle, row, grid) for obstacle in sorted(of_it, key=lambda o: o.kind, reverse=True)),
            max(obstacle.sizes[-1] for obstacle in of_it),
        )
        for question, of_it in found.items()
    ]


def longest_trouble(found: Sequence[Trouble], limit: int) -> list[Trouble]:
    """Choose so many questions, those first that are in trouble up to the largest sizes; their order stays."""
    order = sorted(range(len(found)), key=lambda place: (-found[place].largest, place))
    return [found[place] for place in sorted(order[:limit])]


def _where(obstacle: Obstacle, row: Row, grid: Sequence[int]) -> str:
    return obstacle.kind if row.overlap is None else f"{obstacle.kind} {size_ranges(obstacle.sizes, grid)}"


def verdict(result: SweepResult, judged_rows: Sequence[JudgedRow], name: Name) -> list[str]:
    """Give the verdict on rows of the grid, then the best of them, in full sentences."""
    if result.questions is not None and not asks(result):
        return [
            f"Of {plural(result.questions.total, 'question')} none has evidence to look at, so there is no verdict."
        ]
    sentences = []
    for judged in judged_rows:
        told = _asked(result, judged, name) if judged.with_questions else _unasked(result, judged)
        sentences.append(f"{row_title(judged.row, name)}{_sizes(judged.row)}: {' '.join(told)}")
    if len(judged_rows) > 1:
        sentences.append(_best(result, judged_rows, name))
    sentences.extend(_guarantees(result, judged_rows, name))
    if result.questions is None:
        sentences.append(ADD_QUESTIONS)
    return sentences


def _asked(result: SweepResult, judged: JudgedRow, name: Name) -> list[str]:
    safe, earlier = judged.verdict.safe, judged.verdict.earlier
    told = []
    if safe is None:
        told.extend(_in_the_way(judged, name))
    else:
        what = _nothing_split(safe)
        told.append(f"{_from(judged.row, safe)} {what}. {_cost(result, safe)}")
        if safe.is_lucky:
            chance = decimal(safe.expected_split_questions)
            told.append(f"That is luck in part: on average {chance} would be split {_at(safe)}.")
    unsplit = judged.verdict.unsplit
    if len(judged.row.cells) > 1:
        if unsplit is not None and unsplit not in (safe, earlier):
            told.append(f"{_unsplit(judged.row, unsplit)}.")
        if earlier is not None:
            told.append(f"{_earlier(judged, earlier)}. {_cost(result, earlier)}")
    return told


def _sizes(row: Row) -> str:
    if row.cells[0].size is None:
        return ""
    first, last = row.cells[0].size, row.cells[-1].size
    return f", size {first}" if len(row.cells) == 1 else f", sizes {first} to {last}"


def _nothing_split(cell: Cell) -> str:
    tables = cell.table_questions
    if not tables:
        return "no question is split"
    which = "the table question keeps its" if tables == 1 else f"all {tables:,} table questions keep their"
    return f"no question is split and {which} header"


def _from(row: Row, cell: Cell) -> str:
    if len(row.cells) == 1:
        return _at(cell)
    if cell.key == row.cells[-1].key:
        return f"only at {cell.size} (the largest size)"
    return f"from {cell.size} on"


def _at_any_size(row: Row) -> str:
    return " at any size of the grid" if len(row.cells) > 1 else f" {_at(row.cells[0])}"


def _unsplit(row: Row, cell: Cell) -> str:
    where = _from(row, cell)
    # behind "is split" the word would say the opposite
    return f"{_upper(where)} no question is split" if where.startswith("only") else f"No question is split {where}"


def _cost(result: SweepResult, cell: Cell) -> str:
    answer = characters_per_answer(cell) or 0
    makes = "makes" if cell.size is not None else "make"
    parts = [_upper(f"{setting(cell)} {makes} {plural(cell.chunks, 'chunk')}")]
    parts.append(f"{plural(cell.chunk_characters, 'character')} to embed ({times(cell.duplication)})")
    price = result.settings.get("price")
    if cell.tokens is not None:
        paid = f" for {cost(cell.tokens, price)}" if isinstance(price, int | float) else ""
        parts.append(f"{plural(cell.tokens, 'token')}{paid}")
    sentence = ", ".join(parts)
    if cell.chunks < CHUNKS_PER_ANSWER:
        return f"{sentence}; that is fewer than the {CHUNKS_PER_ANSWER} chunks that a model usually gets."
    return f"{sentence}; the {CHUNKS_PER_ANSWER} chunks that a model usually gets are {answer:,.0f} characters."


def _earlier(judged: JudgedRow, earlier: Cell) -> str:
    row = judged.row
    split = next((cell for cell in row.cells[row.cells.index(earlier) :] if cell.split_questions), None)
    if split is None:
        told = _unsplit(row, earlier)
    else:
        told = f"{setting(earlier)} {'also ' if judged.safe else ''}splits no question"
    if earlier.is_lucky:
        told += f", but that is luck: on average it would split {decimal(earlier.expected_split_questions)}"
    if split is not None:
        told += f", {'and' if earlier.is_lucky else 'but'} {setting(split)} splits {split.split_questions:,}"
    if earlier.header_lost_questions:
        told += f"; {_separated(earlier)}" + ("" if split else f" at {setting(earlier)}")
    return told


def _separated(cell: Cell) -> str:
    n = cell.header_lost_questions
    questions = plural(cell.table_questions, "table question")
    return f"{n:,} of {questions} {'is' if n == 1 else 'are'} separated from the header"


def _in_the_way(judged: JudgedRow, name: Name) -> list[str]:
    row, last = judged.row, judged.row.cells[-1]
    grid = [cell.size or 0 for cell in row.cells]
    told = ["no size is safe to the end of the grid." if len(grid) > 1 else "not everything stays whole."]
    counts = []
    if last.split_questions:
        counts.append(f"{plural(last.split_questions, 'question is', 'questions are')} split")
    if last.header_lost_questions:
        counts.append(_separated(last))
    told.append(_upper(f"{_at(last)}, {' and '.join(counts)}."))
    standing = [o for o in obstacles(row) if o.sizes[-1] == grid[-1]]
    if standing:
        told.append(f"In the way: {_some([f'{name(o.question)} ({_where(o, row, grid)})' for o in standing])}.")
    if last.evidence_longer_than_size:
        longer = plural(last.evidence_longer_than_size, "piece of evidence is", "pieces of evidence are")
        told.append(f"{longer} longer than {last.size} and cannot be whole at any size of the grid.")
    if last.missing_questions:
        missing = plural(last.missing_questions, "question has", "questions have")
        told.append(f"{missing} evidence that is partly in no chunk.")
    return told


def _unasked(result: SweepResult, judged: JudgedRow) -> list[str]:
    if not judged.structure.kinds:
        return ["the documents have nothing that could be cut in two."]
    parts = []
    for whole in judged.structure.kinds:
        noun, one, many = KIND_NAMES[whole.kind]
        if whole.safe is not None:
            every = f"all {whole.total:,} {noun}s are {many}" if whole.total > 1 else f"the only {noun} is {one}"
            parts.append(f"{every} {_from(judged.row, whole.safe)}")
        elif whole.kept == whole.total:
            every = f"all of {plural(whole.total, noun)} are {many}"
            parts.append(f"{every} {_at(whole.best)}, but not at every larger size")
        elif not whole.kept:
            parts.append(f"no {noun} is {one}{_at_any_size(judged.row)}")
        else:
            reached = f"{whole.kept:,} of {plural(whole.total, noun)}"
            parts.append(f"at best {reached} are {many}, {_at(whole.best)}")
    told = ["; ".join(parts) + "."]
    if judged.safe is not None:
        is_cut = judged.safe.size is not None
        how = f" {_from(judged.row, judged.safe)}" if is_cut else ": every chunk is a whole section"
        told.append(f"Everything stays whole{how}. {_cost(result, judged.safe)}")
    return told


def _best(result: SweepResult, judged_rows: Sequence[JudgedRow], name: Name) -> str:
    best = cheapest(judged_rows)
    if best is None or best.safe is None:
        return "No way of cutting in this grid keeps everything whole up to its largest size."
    safe = [judged.safe for judged in judged_rows if judged.safe is not None]
    sound = [cell for cell in safe if not cell.is_lucky]
    if len(sound or safe) == 1:
        which = "only this keeps everything whole"
    else:
        which = "everything stays whole at the least cost for an answer"
    which = f"Luck set aside, {which}" if 0 < len(sound) < len(safe) else _upper(which)
    luck = "" if sound else " That is luck in part, as said above."
    return f"{which}: {row_title(best.row, name)}, {_from(best.row, best.safe)}. {_cost(result, best.safe)}{luck}"


def _guarantees(result: SweepResult, judged_rows: Sequence[JudgedRow], name: Name) -> list[str]:
    if not result.questions:
        return []
    sentences = []
    for chunker, unit in dict.fromkeys((v.row.chunker, v.row.unit) for v in judged_rows if is_guaranteed(v.row)):
        overlap = guaranteed_overlap(result, unit)
        if overlap is not None:
            units = f"{overlap:,} {unit_noun(name(unit), overlap)}"
            sentences.append(
                f"With {name(chunker)}, an overlap of {units} guarantees that no evidence "
                f"is split, at any size above it: the longest is {overlap + 1:,} long."
            )
    return sentences
