"""What a sweep comes to, in labelled sentences: what to do, how sure that is, what else, what next."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import FLOOR, KINDS, START, Advice, NoAdvice, Remedy, cut_in_two, harm, kept, largest_chunk
from chunkscope.grid.choice import HARMLESS, LEAST_LINE, SLACK
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.measures.damage import DocumentDamage
from chunkscope.reports.columns import setting, way_label
from chunkscope.reports.formatting import decimal, percent, plural, times

Name = Callable[[str], str]
"""Makes an id or a path fit to print: hidden characters shown, marks of the format escaped."""
Labelled = tuple[str, str]
"""A label such as ``Sure?``, and a sentence."""

MAX_NAMED = 10
"""So many questions, files or pairs are named in one sentence."""
WORST = 3
MUCH = 0.4
"""A document with so large a share of the corpus dominates it."""

NOUNS = {
    "sentences": ("sentence", "sentences"),
    "code_blocks": ("code block", "code blocks"),
    "headings": ("heading", "headings"),
    "table_rows": ("table row", "table rows"),
}
KIND_WORDS = {"prose": "prose", "code": "code", "tables": "tables"}


def some(items: Sequence[str], limit: int = MAX_NAMED) -> str:
    """Name a few of many."""
    rest = f" and {len(items) - limit:,} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + rest


def head(result: SweepResult, name: Name) -> list[str]:
    """Say what was looked at, what it is made of, what dominates it, and what was left out."""
    corpus, questions = result.corpus, result.questions
    where = f"{name(corpus.path)}: " if corpus.path else ""
    made_of = _made_of(result)
    kinds = f": {made_of}" if made_of else ""
    lines = [f"{where}{plural(corpus.documents, 'document')}, {plural(corpus.characters, 'character')}{kinds}"]
    document, length = corpus.largest
    if corpus.documents > 1 and corpus.characters and length >= MUCH * corpus.characters:
        share = percent(length, corpus.characters)
        lines.append(f"{share} is one document: {name(document)} (--exclude leaves it out, --by-document shows each)")
    if corpus.unreadable:
        lines.append(f"not readable, left out: {some([name(path) for path in corpus.unreadable])}")
    if corpus.ignored:
        found = [f"{n:,} {name(suffix) or 'without a suffix'}" for suffix, n in corpus.ignored.items()]
        lines.append(f"other files, not read: {some(found)}")
    if questions:
        lines.append(_asked(result, name))
    return lines + left_out(result, name)


def _made_of(result: SweepResult) -> str:
    kinds, characters = result.corpus.kinds, result.corpus.characters
    return ", ".join(f"{KIND_WORDS[kind]} {percent(n, characters)}" for kind, n in kinds.items() if n)


def _asked(result: SweepResult, name: Name) -> str:
    questions = result.questions
    assert questions is not None
    where = f"{name(questions.path)}: " if questions.path else ""
    n_excluded = questions.total - questions.valid - questions.without_evidence
    counts = [(questions.without_evidence, "unanswerable, counted apart"), (n_excluded, "excluded")]
    apart = ", ".join(f"{n:,} {what}" for n, what in counts if n)
    asked = (
        f"{questions.valid:,} of {plural(questions.total, 'question')}"
        if apart
        else plural(questions.valid, "question")
    )
    evidence = f"{plural(questions.evidence, 'quote')} as evidence"
    tables = f", {questions.table:,} of the questions need table rows" if questions.table else ""
    return f"{where}{asked}{f' ({apart})' if apart else ''}, {evidence}{tables}"


def left_out(result: SweepResult, name: Name) -> list[str]:
    """Say which questions and which pairs of the grid are in no cell, and why."""
    questions, lines = result.questions, []
    if questions and questions.excluded:
        bad = [f"{name(identity)} ({problem})" for identity, problem in questions.excluded]
        lines.append(f"excluded from every cell, their labels are not sound: {some(bad)}")
    if result.skipped:
        pairs = [f"{chunker} {pair.size}/{pair.overlap} ({pair.reason})" for chunker, _, pair in result.skipped]
        lines.append(f"{plural(len(pairs), 'pair')} of the grid cannot run: {some(pairs, 3)}")
    return lines


def spelled(cell: Cell | Advice, name: Name) -> str:
    """Spell a setting as people write it: the way of cutting and size/overlap."""
    if cell.size is None:
        return f"{name(cell.chunker)} without a size (whole sections)"
    unit = "" if cell.unit == "char" or cell.chunker.startswith("token") else f" {unit_noun(cell.unit)}"
    return f"{name(cell.chunker)} {setting(cell)}{unit}"


def advice_sentences(result: SweepResult, name: Name) -> Iterator[Labelled]:
    """Give the advice of a sweep: the cell, what would mend the rest, luck, how sure it is, what next."""
    advice = result.advice
    if advice is None:
        return
    if isinstance(advice, NoAdvice):
        yield "Advice", f"none: {advice.reason}."
        yield from _next(result, None, name)
        return
    [cell] = [cell for cell in result.cells if cell.key == advice.key]
    lines = lines_of(result)
    [line] = [line for line in lines if cell in line.cells][:1]
    if advice.kind == START:
        yield "Start", f"{spelled(advice, name)}: {_damage(cell)}."
    elif advice.kind == FLOOR:
        yield "Floor", f"{spelled(advice, name)}: {_harm(cell)}. {_below(line, cell)}".rstrip()
    for remedy in advice.remedies:
        yield "Or", f"{remedy_sentence(remedy, advice)}."
    if advice.kind == FLOOR:
        yield from _less_harm(result, advice, cell, name)
    if sentence := grid_end_sentence(advice):
        yield "Grid", sentence
    if advice.kind == FLOOR:
        yield from _luck(result, name)
        yield from _guarantee(result, cell, name)
    yield "Sure?", _sure(result, advice, line)
    yield from _worst(result, name)
    yield from _next(result, advice, name)


def _damage(cell: Cell) -> str:
    cut = [
        _count(cut_in_two(cell, kind), kept(cell, kind)[1], *NOUNS[kind]) for kind in KINDS if cut_in_two(cell, kind)
    ]
    if not cut:
        return "nothing is cut in two"
    n = sum(cut_in_two(cell, kind) for kind in KINDS)
    return f"{' and '.join(filter(None, (', '.join(cut[:-1]), cut[-1])))} {'is' if n == 1 else 'are'} cut in two"


def _count(n: int, total: int, one: str, many: str) -> str:
    return f"{n:,} of {total:,} {one if total == 1 else many}"


def _harm(cell: Cell) -> str:
    harmed = harm(cell)
    if not harmed:
        return "no question is harmed"
    told = []
    if cell.split_questions:
        told.append(f"{_questions(cell.split_questions, cell.questions)} have their answer cut")
    lost = cell.harmed_questions - cell.split_questions
    if lost > 0:
        told.append(f"{_questions(lost, cell.questions)} have lost a table header")
    if harmed - cell.harmed_questions >= HARMLESS:
        told.append(f"wherever the first cut falls, {decimal(cell.expected_split_questions)} would be cut on average")
    return ", ".join(told) or "no question is harmed"


def _questions(n: int, total: int) -> str:
    return f"{n:,} of {plural(total, 'question')}"


def _below(line: Line, cell: Cell) -> str:
    """Say what smaller sizes of the same line harm."""
    smaller = [harm(other) for other in line.cells if (other.size or 0) < (cell.size or 0)]
    if not smaller or harm(cell) >= HARMLESS:
        return ""
    low, high = (round(value) for value in (min(smaller), max(smaller)))
    if not high:
        return "Smaller sizes harm none either."
    return f"Smaller sizes harm {high:,}." if low == high else f"Smaller sizes harm {low:,} to {high:,}."


def remedy_sentence(remedy: Remedy, advice: Advice) -> str:
    """Say what prepending something would mend, and its price."""
    what = {
        "questions": f"questions harmed {remedy.before:,} -> {remedy.after:,} of {remedy.of:,}",
        "answers": f"questions not answered {remedy.before:,} -> {remedy.after:,} of {remedy.of:,}",
        "rows": f"rows without their header {remedy.before:,} -> {remedy.after:,} of {remedy.of:,}",
        "status": f"outdated chunks without their status {remedy.before:,} -> {remedy.after:,} of {remedy.of:,}",
    }[remedy.what]
    fits = "" if remedy.fits else f"; but the largest chunk has {remedy.largest:,}, above {advice.limit:,}"
    return f"with prepend={remedy.prepend}: {what}, {times(remedy.times)} to embed{fits}"


def _less_harm(result: SweepResult, advice: Advice, cell: Cell, name: Name) -> Iterator[Labelled]:
    """Name the cheapest of the cells that harm least, where the advised one harms more: it is within the tolerance."""
    fitting = [one for one in result.cells if largest_chunk(one, result.limit) <= advice.limit]
    least = min(map(harm, fitting))
    if harm(cell) < least + HARMLESS or not cell.chunk_characters:
        return
    best = min((one for one in fitting if harm(one) < least + SLACK), key=lambda one: one.chunk_characters)
    price = times(best.chunk_characters / cell.chunk_characters)
    yield "Or", f"{spelled(best, name)}: {_harm(best)}, {price} to embed."


def grid_end_sentence(advice: Advice) -> str:
    """Say that the grid ends too early, where losses fall towards its end; empty where they do not."""
    if advice.grid_end is None or advice.size is None:
        return ""
    if advice.grid_end == "largest":
        step = max(advice.size // 4, 1)
        return f"losses still fall at its largest size: try --sizes {advice.size}..{2 * advice.size}:{step} too."
    step = max(advice.size // 8, 1)
    return f"losses still fall at its smallest size: try --sizes {max(advice.size // 2, 1)}..{advice.size}:{step} too."


def _luck(result: SweepResult, name: Name) -> Iterator[Labelled]:
    lucky = [cell for cell in result.cells if cell.is_lucky]
    if lucky:
        cell = max(lucky, key=lambda one: one.expected_split_questions or 0.0)
        on_average = decimal(cell.expected_split_questions)
        yield "Luck", f"{spelled(cell, name)} cuts no answer now; on average it would cut {on_average}."


def guaranteed_overlap(result: SweepResult, unit: str) -> int | None:
    """Give the overlap at which no evidence is ever split: one less than the longest is long.

    Windows that overlap by m - 1 leave no place for a cut through m characters. It holds for `fixed` in characters and
    for raw token windows, at sizes above it; packed chunks promise less. None without evidence.
    """
    longest = result.questions.longest.get(unit) if result.questions else None
    return longest - 1 if longest else None


def _guarantee(result: SweepResult, cell: Cell, name: Name) -> Iterator[Labelled]:
    settings = cell.chunker.partition("(")[2]
    is_window = (cell.chunker.startswith("fixed") and cell.unit == "char") or "raw=true" in settings
    overlap = guaranteed_overlap(result, cell.unit) if is_window else None
    if overlap is None or cell.size is None or (cell.overlap or 0) >= overlap:
        return
    units = f"{overlap:,} {unit_noun(name(cell.unit), overlap)}"
    price = (
        f", about {times(cell.size / (cell.size - overlap))} to embed at {cell.size:,}" if cell.size > overlap else ""
    )
    yield "Always", f"with an overlap of {units} no answer is ever cut, at any size above it{price}."


def _sure(result: SweepResult, advice: Advice, line: Line) -> str:
    n_sized = sum(cell.size is not None for cell in line.cells)
    alone = (
        "" if advice.size is None or n_sized >= LEAST_LINE else " Luck is not removed: that takes three sizes or more."
    )
    if advice.kind == START:
        return f"Of the damage: all text was counted. Of answers: no, there are no questions.{alone}"
    return f"Cut or whole is exact. Which size is found best is not measured here.{alone}"


def _worst(result: SweepResult, name: Name) -> Iterator[Labelled]:
    if result.worst:
        told = [f"{name(one.document)} ({damage_words(one)})" for one in result.worst[:WORST]]
        yield "Worst", f"{', '.join(told)}{' (--by-document has all)' if len(result.worst) > WORST else ''}."


def damage_words(one: DocumentDamage) -> str:
    """Say how much a document loses."""
    told = [plural(one.cuts, "cut")] if one.cuts else []
    if one.header_lost:
        told.append(f"{plural(one.header_lost, 'header')} lost")
    return ", ".join(told)


def _next(result: SweepResult, advice: Advice | None, name: Name) -> Iterator[Labelled]:
    corpus = name(shlex.quote(result.corpus.path)) if result.corpus.path else "CORPUS"
    if result.questions is None:
        yield "Next", f"chunkscope init {corpus}   (quotes to write questions about)"
    elif advice is not None:
        questions = name(shlex.quote(result.questions.path)) if result.questions.path else "QUESTIONS"
        yield "Next", f"chunkscope recall {corpus} -q {questions}   (BM25, offline)"


def cell_notes(result: SweepResult, cells: Sequence[Cell]) -> list[str]:
    """Say what else must be known of shown cells: missing text, chunks above the size, broken or blank ones."""
    notes = []
    for count, told in (
        ("missing_questions", "questions have evidence that is partly in no chunk"),
        ("oversize_chunks", "chunks are above the size"),
        ("broken_chunks", "chunks begin or end inside a character"),
        ("blank_chunks", "chunks are blank: numbered, never embedded"),
    ):
        worst = max(cells, key=lambda cell: getattr(cell, count), default=None)
        most = 0 if worst is None else getattr(worst, count)
        if worst is not None and most:
            where = f"{way_label(worst)} {setting(worst)}".strip()
            notes.append(f"{told}: {most:,}{' at most' if len(cells) > 1 else ''}, with {where}")
    sections = [cell for cell in cells if cell.size is None and cell.chunks]
    if any(_is_one_section_each(cell, result.corpus.documents) for cell in sections):
        notes.append("no document is divided by headings: each is one section")
    return notes


def _is_one_section_each(cell: Cell, n_documents: int) -> bool:
    return not any(cell.cuts.values()) if cell.cuts else cell.chunks <= n_documents
