"""What a sweep comes to, in labelled sentences: what to do, how sure that is, what else, what next."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import FLOOR, KINDS, START, Advice, NoAdvice, Remedy, cut_in_two, harm, kept, largest_chunk
from chunkscope.grid.choice import HARMLESS, LEAST_LINE, SLACK
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.results import Cell, ChunkTokens, QuestionsInfo, SweepResult
from chunkscope.language import Text, say
from chunkscope.measures.damage import DocumentDamage
from chunkscope.reports.columns import ADVISED, TOO_LARGE, ShownCells, largest_column, setting, way_label
from chunkscope.reports.formatting import decimal, percent, times
from chunkscope.reports.reasons import reason
from chunkscope.reports.screen import Labelled

Name = Callable[[str], str]
"""Makes an id or a path fit to print: hidden characters shown, marks of the format escaped."""

MAX_NAMED = 10
"""So many questions, files or pairs are named in one sentence."""
WORST = 3
MUCH = 0.4
"""A document with so large a share of the corpus dominates it."""

KIND_WORDS = {"prose": say("prose"), "code": say("code"), "tables": say("tables")}


def some(items: Sequence[str], limit: int = MAX_NAMED) -> Text:
    """Name a few of many."""
    if len(items) > limit:
        return say("{names:, } and {n:,} more", names=items[:limit], n=len(items) - limit)
    return say("{names:, }", names=items)


def head(result: SweepResult, name: Name) -> list[Text]:
    """Say what was looked at, what it is made of, what dominates it, and what was left out."""
    corpus = result.corpus
    lines = [_made_of(result, name)]
    document, length = corpus.largest
    if corpus.documents > 1 and corpus.characters and length >= MUCH * corpus.characters:
        lines.append(_dominated(percent(length, corpus.characters), name(document), result.retrieval is not None))
    if corpus.unreadable:
        lines.append(say("not readable, left out: {names}", names=some([name(path) for path in corpus.unreadable])))
    if corpus.ignored:
        found = [
            say("{n:,} {suffix}", n=n, suffix=name(suffix)) if suffix else say("{n:,} without a suffix", n=n)
            for suffix, n in corpus.ignored.items()
        ]
        lines.append(say("other files, not read: {names}", names=some(found)))
    lines += how_read(corpus.seen, result.dialect)
    if result.questions:
        lines.append(_asked(result.questions, name))
    return lines + left_out(result, name)


def how_read(seen: Mapping[str, int], dialect: str | None) -> list[Text]:
    """Say which dialect documents are read as, and what in them looks like structure and is read as none."""
    found = [
        say("{habit} in {n:,} {n:document|documents}", habit=words, n=seen[habit])
        for habit, words in HABITS.items()
        if seen.get(habit)
    ]
    lines = []
    if dialect is not None:
        told = say("{names:, }", names=found) if found else say("no marks of it")
        lines.append(say("read as {dialect} (--dialect decides): {told}", dialect=dialect, told=told))
    elif found:
        lines.append(say("read by their marks (--dialect decides): {names:, }", names=found))
    return lines + [words(seen[kind]) for kind, words in READ_OTHERWISE.items() if seen.get(kind)]


HABITS = {
    "admonitions": say("!!! and === blocks"),
    "containers": say("::: blocks"),
    "slashes": say("/// blocks"),
    "mdx": say("MDX"),
    "shortcodes": say("Hugo shortcodes"),
    "liquid": say("Liquid tags"),
    "callouts": say("callouts"),
    "comments": say("%% comments"),
    "formulas": say("formulas"),
}
READ_OTHERWISE: Mapping[str, Callable[[int], Text]] = {
    "blank_headers": lambda n: say(
        "{n:,} {n:table begins|tables begin} with an empty header: the first row is taken for it", n=n
    ),
    "grid_tables": lambda n: say("{n:,} grid {n:table|tables} read as text, not as {n:a table|tables}", n=n),
    "org_tables": lambda n: say("{n:,} Org {n:table|tables} read as text, not as {n:a table|tables}", n=n),
    "wide_headings": lambda n: say(
        "{n:,} {n:line looks like a heading|lines look like headings} but for a full-width blank", n=n
    ),
}


def _dominated(share: str, document: str, is_ranked: bool) -> Text:
    if is_ranked:
        return say("{share} is one document: {name} (--exclude leaves it out)", share=share, name=document)
    return say(
        "{share} is one document: {name} (--exclude leaves it out, --by-document shows each)",
        share=share,
        name=document,
    )


def _at_path(path: str, text: Text, name: Name) -> Text:
    return say("{path}: {text}", path=name(path), text=text) if path else text


def _made_of(result: SweepResult, name: Name) -> Text:
    corpus = result.corpus
    counted = say(
        "{documents:,} {documents:document|documents}, {characters:,} {characters:character|characters}",
        documents=corpus.documents,
        characters=corpus.characters,
    )
    kinds = [
        say("{kind} {share}", kind=KIND_WORDS[kind], share=percent(n, corpus.characters))
        for kind, n in corpus.kinds.items()
        if n
    ]
    return _at_path(corpus.path, say("{text}: {kinds:, }", text=counted, kinds=kinds) if kinds else counted, name)


def _asked(questions: QuestionsInfo, name: Name) -> Text:
    unanswerable = questions.without_evidence
    n_excluded = questions.total - questions.valid - unanswerable
    apart = [say("{n:,} unanswerable, counted apart", n=unanswerable)] if unanswerable else []
    apart += [say("{n:,} excluded", n=n_excluded)] if n_excluded else []
    text = say("{n:,} {n:question|questions}", n=questions.valid)
    if apart:
        n, total = questions.valid, questions.total
        text = say("{n:,} of {total:,} {total:question|questions} ({apart:, })", n=n, total=total, apart=apart)
    text = say("{text}, {n:,} {n:quote|quotes} as evidence", text=text, n=questions.evidence)
    if questions.table:
        text = say("{text}, {n:,} of the questions need table rows", text=text, n=questions.table)
    return _at_path(questions.path, text, name)


def left_out(result: SweepResult, name: Name) -> list[Text]:
    """Say which questions and which pairs of the grid are in no cell, and why."""
    questions, lines = result.questions, []
    if questions and questions.excluded:
        bad = [
            say("{name} ({counted})", name=name(identity), counted=problem) for identity, problem in questions.excluded
        ]
        lines.append(say("excluded from every cell, their labels are not sound: {names}", names=some(bad)))
    if result.skipped:
        pairs = [
            say("{chunker} {size} ({reason})", chunker=chunker, size=f"{pair.size}/{pair.overlap}", reason=pair.reason)
            for chunker, _, pair in result.skipped
        ]
        lines.append(say("{n:,} {n:pair|pairs} of the grid cannot run: {names}", n=len(pairs), names=some(pairs, 3)))
    return lines


def spelled(cell: Cell | Advice, name: Name) -> Text:
    """Spell a setting as people write it: the way of cutting and size/overlap."""
    chunker, size = name(cell.chunker), setting(cell)
    if cell.size is None:
        if cell.chunker.startswith("heading"):
            return say("{chunker} without a size (whole sections)", chunker=chunker)
        return say("{chunker}", chunker=chunker)
    if cell.unit == "char" or cell.chunker.startswith("token"):
        return say("{chunker} {size}", chunker=chunker, size=size)
    return say("{chunker} {size} {unit}", chunker=chunker, size=size, unit=unit_noun(cell.unit))


def advised_setting(advice: Advice, name: Name) -> Text:
    """Spell the advised setting, with what it should prepend."""
    if advice.prepend is None:
        return spelled(advice, name)
    return say("{cell} + prepend={prepend}", cell=spelled(advice, name), prepend=advice.prepend)


def advice_sentences(result: SweepResult, name: Name) -> Iterator[Labelled]:
    """Give the advice of a sweep: the cell, what would mend the rest, luck, how sure it is, what next."""
    advice = result.advice
    if advice is None:
        return
    if isinstance(advice, NoAdvice):
        yield say("Advice"), say("none: {reason}.", reason=advice.reason)
        yield from _next(result, None, name)
        return
    [cell] = [cell for cell in result.cells if cell.key == advice.key]
    lines = lines_of(result)
    [line] = [line for line in lines if cell in line.cells][:1]
    if advice.kind == START:
        yield say("Start"), say("{cell}: {told}.", cell=advised_setting(advice, name), told=_damage(cell))
    elif advice.kind == FLOOR:
        told = say("{cell}: {told}.", cell=advised_setting(advice, name), told=_harm_without(advice, cell))
        below = _below(line, cell)
        yield say("Floor"), say("{told} {more}", told=told, more=below) if below else told
    yield say("Why"), say("{told}.", told=reason(result, advice))
    yield from remedies_told(advice)
    if advice.kind == FLOOR:
        yield from _less_harm(result, advice, cell, name)
    yield from grid_end_told(advice)
    if advice.kind == FLOOR:
        yield from _luck(result, name)
        yield from _guarantee(result, cell, name)
    yield say("Sure?"), _sure(advice, line)
    yield from _worst(result, name)
    yield from _next(result, advice, name)


def _damage(cell: Cell) -> Text:
    cut = [_cut_of(kind, cut_in_two(cell, kind), kept(cell, kind)[1]) for kind in KINDS if cut_in_two(cell, kind)]
    if not cut:
        return say("nothing is cut in two")
    n = sum(cut_in_two(cell, kind) for kind in KINDS)
    things = say("{things:, } and {last}", things=cut[:-1], last=cut[-1]) if len(cut) > 1 else cut[0]
    return say("{things} {n:is|are} cut in two", things=things, n=n)


def _cut_of(kind: str, n: int, total: int) -> Text:
    """Say how many of a kind are cut in two."""
    if kind == "sentences":
        return say("{n:,} of {total:,} {total:sentence|sentences}", n=n, total=total)
    if kind == "code_blocks":
        return say("{n:,} of {total:,} {total:code block|code blocks}", n=n, total=total)
    if kind == "headings":
        return say("{n:,} of {total:,} {total:heading|headings}", n=n, total=total)
    return say("{n:,} of {total:,} {total:table row|table rows}", n=n, total=total)


def _harm(cell: Cell) -> Text:
    told, split, total = [], cell.split_questions, cell.questions
    if split:
        told.append(say("{n:,} of {total:,} {total:question|questions} have their answer cut", n=split, total=total))
    lost = cell.harmed_questions - split
    if lost > 0:
        told.append(say("{n:,} of {total:,} {total:question|questions} have lost a table header", n=lost, total=total))
    if harm(cell) - cell.harmed_questions >= HARMLESS:
        mean = decimal(cell.expected_split_questions)
        told.append(say("wherever the first cut falls, {mean} would be cut on average", mean=mean))
    return say("{harms:, }", harms=told) if told else say("no question is harmed")


def _harm_without(advice: Advice, cell: Cell) -> Text:
    """Say what the advised cell harms; where something is to be added, that it is without it."""
    return _harm(cell) if advice.prepend is None else say("without the addition, {told}", told=_harm(cell))


def _below(line: Line, cell: Cell) -> Text | None:
    """Say what smaller sizes of the same line harm."""
    smaller = [harm(other) for other in line.cells if (other.size or 0) < (cell.size or 0)]
    if not smaller or harm(cell) >= HARMLESS:
        return None
    low, high = (round(value) for value in (min(smaller), max(smaller)))
    if not high:
        return say("Smaller sizes harm none either.")
    if low == high:
        return say("Smaller sizes harm {n:,}.", n=high)
    return say("Smaller sizes harm {low:,} to {high:,}.", low=low, high=high)


def remedies_told(advice: Advice) -> Iterator[Labelled]:
    """Say what prepending something would mend."""
    return ((say("Add"), say("{told}.", told=_remedy(remedy, advice))) for remedy in advice.remedies)


def _remedy(remedy: Remedy, advice: Advice) -> Text:
    """Say what prepending something would mend, and its price."""
    mended = say("{before:,} -> {after:,} of {of:,}", before=remedy.before, after=remedy.after, of=remedy.of)
    told = say(
        "prepend={prepend}: {what}; {times} the characters to embed",
        prepend=remedy.prepend,
        what=_mended(remedy.what, mended),
        times=times(remedy.times),
    )
    if remedy.fits:
        return told
    largest, limit = remedy.largest, advice.limit
    return say("{told}; but the largest chunk has {n:,}, above {limit:,}", told=told, n=largest, limit=limit)


def _mended(what: str, counts: Text) -> Text:
    if what == "questions":
        return say("questions harmed {counts}", counts=counts)
    if what == "answers":
        return say("questions not answered {counts}", counts=counts)
    if what == "rows":
        return say("rows without their header {counts}", counts=counts)
    return say("outdated chunks without their status {counts}", counts=counts)


def _less_harm(result: SweepResult, advice: Advice, cell: Cell, name: Name) -> Iterator[Labelled]:
    """Name the cheapest of the cells that harm least, where the advised one harms more: it is within the tolerance."""
    fitting = [one for one in result.cells if largest_chunk(one, result.limit) <= advice.limit]
    least = min(map(harm, fitting))
    if harm(cell) < least + HARMLESS or not cell.chunk_characters:
        return
    best = min((one for one in fitting if harm(one) < least + SLACK), key=lambda one: one.chunk_characters)
    price = times(best.chunk_characters / cell.chunk_characters)
    told = say(
        "{cell}: {told}; {times} the characters to embed.", cell=spelled(best, name), told=_harm(best), times=price
    )
    yield say("Or"), told


def grid_end_told(advice: Advice) -> Iterator[Labelled]:
    """Say that the grid ends too early, where losses fall towards its end."""
    size = advice.size
    if advice.grid_end is None or size is None:
        return
    if advice.grid_end == "largest":
        sizes = f"{size}..{2 * size}:{max(size // 4, 1)}"
        told = say("the best size may be larger than any that was tried: add --sizes {sizes}.", sizes=sizes)
        yield say("Grid"), told
    else:
        sizes = f"{max(size // 2, 1)}..{size}:{max(size // 8, 1)}"
        yield (
            say("Grid"),
            say("the best size may be smaller than any that was tried: add --sizes {sizes}.", sizes=sizes),
        )


def _luck(result: SweepResult, name: Name) -> Iterator[Labelled]:
    lucky = [cell for cell in result.cells if cell.is_lucky]
    if lucky:
        cell = max(lucky, key=lambda one: one.expected_split_questions or 0.0)
        mean = decimal(cell.expected_split_questions)
        told = say(
            "do not trust the 0 of {cell}: with the first cut elsewhere it would cut {mean} on average.",
            cell=spelled(cell, name),
            mean=mean,
        )
        yield say("Luck"), told


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
    length = say("{n:,} {unit}", n=overlap, unit=unit_noun(name(cell.unit), overlap))
    told = say("an overlap of {length} never cuts an answer, at any size above it", length=length)
    if cell.size > overlap:
        price = times(cell.size / (cell.size - overlap))
        told = say("{told}, for about {times} the characters at {size:,}", told=told, times=price, size=cell.size)
    yield say("Always"), say("{told}.", told=told)


def _sure(advice: Advice, line: Line) -> Text:
    told = say("What is cut is counted exactly. Whether chunks are found by a search is not measured here.")
    if advice.kind == START:
        told = say("All text was counted, so the cuts are exact. Without questions, nothing is known of answers.")
    return with_luck(told, advice, line)


def with_luck(told: Text, advice: Advice, line: Line) -> Text:
    """Add that luck is not removed, where the advised cell has too few neighbours."""
    n_sized = sum(cell.size is not None for cell in line.cells)
    if advice.size is None or n_sized >= LEAST_LINE:
        return told
    return say("{told} {more}", told=told, more=say("Luck is not removed: that takes three sizes or more."))


def _worst(result: SweepResult, name: Name) -> Iterator[Labelled]:
    if not result.looked_closely:
        yield (
            say("Worst"),
            say("not looked for in so many characters, nor what prepending would mend; --by-document does both."),
        )
    if result.worst:
        worst = [
            say("{name} ({counted})", name=name(one.document), counted=damage_words(one))
            for one in result.worst[:WORST]
        ]
        told = say("{names:, }", names=worst)
        told = say("{told} (--by-document has all)", told=told) if len(result.worst) > WORST else told
        yield say("Worst"), say("{told}.", told=as_in_the_table(told, result.advice))


def as_in_the_table(told: Text, advice: Advice | NoAdvice | None) -> Text:
    """Say of what is lost that it is without what the advice adds."""
    if isinstance(advice, Advice) and advice.prepend is not None:
        return say("without the addition: {told}", told=told)
    return told


def damage_words(one: DocumentDamage) -> Text:
    """Say how much a document loses."""
    told = [say("{n:,} {n:cut|cuts}", n=one.cuts)] if one.cuts else []
    told += [say("{n:,} {n:header|headers} lost", n=one.header_lost)] if one.header_lost else []
    return say("{told:, }", told=told)


def _next(result: SweepResult, advice: Advice | None, name: Name) -> Iterator[Labelled]:
    corpus = name(shlex.quote(result.corpus.path)) if result.corpus.path else "CORPUS"
    if result.questions is None:
        command = f"chunkscope init {corpus}"
        yield say("Next"), say("{command}   (writes a file of quotes, to which you add questions)", command=command)
    elif advice is not None:
        questions = name(shlex.quote(result.questions.path)) if result.questions.path else "QUESTIONS"
        command = f"chunkscope recall {corpus} -q {questions}"
        indexes = result.settings.get("chunks", {})
        command += "".join(f" --chunks {name(shlex.quote(index))}" for index in indexes.values())
        fields = result.settings.get("chunk_fields", {}).items()
        command += "".join(f" --chunk-field {name(shlex.quote(f'{ours}={theirs}'))}" for ours, theirs in fields)
        if any(cell.pieces is not None and cell.chunker not in indexes for cell in result.cells):
            added = [] if advice.chunker in indexes else _with_addition(advice)
            chunkers = [*map(str, result.settings.get("chunkers", ())), *added]
            command += f" -c {name(shlex.quote(','.join(chunkers)))}"
        yield say("Next"), say("{command}   (searches with BM25, offline)", command=command)


def _with_addition(advice: Advice) -> list[str]:
    """Spell the advised way of cutting with what it should prepend, to be ranked beside the others."""
    if advice.prepend is None:
        return []
    way, bracket, settings = advice.chunker.partition("(")
    inside = f"{settings.removesuffix(')')}, " if bracket else ""
    return [f"{way}({inside}prepend={advice.prepend})"]


def further_cells(result: SweepResult, cells: Sequence[Cell]) -> list[Text]:
    """Say how many cells are not shown."""
    n = len(result.cells) - len(cells)
    return [say("{n:,} further {n:setting|settings}: --all shows them", n=n)] if n else []


def limit_notes(result: SweepResult, shown: ShownCells, *, with_marks: bool = True) -> list[Text]:
    """Say what the largest chunks were compared with, and how many tokens those of the advised setting have.

    Without marks, the advised setting is named as such where it stands.
    """
    notes, limit = [], shown.limit
    if any(text.endswith(TOO_LARGE) for text in largest_column(shown).texts):
        notes.append(say("{mark} above {limit}", mark=TOO_LARGE, limit=_limit_words(limit)))
    if limit.tokens is not None:
        notes.append(
            say(
                "{model} takes {tokens:,} tokens, which cannot be counted here: chunks are compared with {limit:,} "
                "characters (--model-limit and --model-unit count tokens)",
                model=limit.model,
                tokens=limit.tokens,
                limit=limit.limit,
            )
        )
    if result.tokens is not None:
        notes.append(_tokens(result.tokens, with_marks=with_marks))
    return notes


def _limit_words(limit: ModelLimit) -> str:
    """Say what chunks were compared with, and whose limit that is."""
    if limit == UNNAMED:
        return say("the {limit:,} characters that models take", limit=limit.limit)
    counted: str = f"{limit.limit:,}"
    if limit.unit:
        counted = say("{n:,} {unit}", n=limit.limit, unit=unit_noun(limit.unit))
    if limit.model and limit.tokens is None:
        return say("the {counted} that {model} takes", counted=counted, model=limit.model)
    return counted


def _tokens(tokens: ChunkTokens, *, with_marks: bool) -> Text:
    """Say how many chunks of the advised cell are above what models take."""
    (least, n), *more = tokens.above.items()
    unit = unit_noun(tokens.unit)
    advised = say("the advised setting ({mark})", mark=ADVISED) if with_marks else say("the advised setting")
    if not n:
        return say(
            "of the {n:,} {n:chunk|chunks} of {advised}, none is above {limit:,} {unit}",
            n=tokens.chunks,
            advised=advised,
            limit=least,
            unit=unit,
        )
    told = [say("{n:,} {n:is|are} above {limit:,} {unit}", n=n, limit=least, unit=unit)]
    told += [
        say("{n:,} above {limit:,}", n=n, limit=limit) if n else say("none above {limit:,}", limit=limit)
        for limit, n in more
    ]
    return say(
        "of the {n:,} {n:chunk|chunks} of {advised}, {told:, }: a model with such a limit cuts "
        "them off (--model NAME takes only what fits)",
        n=tokens.chunks,
        advised=advised,
        told=told,
    )


CELL_NOTES = {
    "missing_questions": say("questions have evidence that is partly in no chunk"),
    "oversize_chunks": say("chunks are above the size"),
    "broken_chunks": say("chunks begin or end inside a character"),
    "blank_chunks": say("blank chunks, which keep a number and are never embedded"),
}


def cell_notes(result: SweepResult, cells: Sequence[Cell]) -> list[Text]:
    """Say what else must be known of shown cells: missing text, chunks above the size, broken or blank ones."""
    notes = []
    for count, told in CELL_NOTES.items():
        worst = max(cells, key=lambda cell: getattr(cell, count), default=None)
        most = 0 if worst is None else getattr(worst, count)
        if worst is not None and most:
            where = way_label(worst)
            where = where if worst.size is None else say("{chunker} {size}", chunker=where, size=setting(worst))
            if len(cells) > 1:
                notes.append(say("{told}: {n:,} at most, with {where}", told=told, n=most, where=where))
            else:
                notes.append(say("{told}: {n:,}, with {where}", told=told, n=most, where=where))
    notes += piece_notes(cells)
    sections = [cell for cell in cells if cell.size is None and cell.chunks and cell.pieces is None]
    if any(_is_one_section_each(cell, result.corpus.documents) for cell in sections):
        notes.append(say("no document is divided by headings: each is one section"))
    return notes


PIECE_NOTES = {
    "not_found": say("pieces are found nowhere in the documents"),
    "inside": say("chunks lie inside others"),
    "wrong_offsets": say("chunks have offsets that are not theirs"),
}


def piece_notes(cells: Sequence[Cell]) -> Iterator[Text]:
    """Say what is wrong with the pieces of splitters, at the worst of shown cells."""
    cut = [cell for cell in cells if cell.pieces is not None]
    for count, told in PIECE_NOTES.items():
        worst = max(cut, key=lambda cell: (cell.pieces or {})[count], default=None)
        if worst is not None and worst.pieces and worst.pieces[count]:
            yield say(
                "{told}: {n:,} of {total:,}, with {setting} (chunkscope inspect shows them)",
                told=told,
                n=worst.pieces[count],
                total=worst.chunks,
                setting=spelled(worst, str),
            )
    failed = {name for cell in cut for name, _ in cell.failures or ()}
    if failed:
        yield say(
            "{n:,} {n:document|documents} could not be split: {names}", n=len(failed), names=some(sorted(failed), 3)
        )


def _is_one_section_each(cell: Cell, n_documents: int) -> bool:
    return not any(cell.cuts.values()) if cell.cuts else cell.chunks <= n_documents
