"""What stands on the page, as plain values: made of a result and of what there is to look at, and tested as such."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import Advice
from chunkscope.grid.lines import Line, lines_of
from chunkscope.grid.ranks import Hit
from chunkscope.grid.results import MOST_ABOVE, Cell, SweepResult
from chunkscope.grid.views import DocumentView, Views, thinned, way_of
from chunkscope.language import Language, in_language, say
from chunkscope.reports.advice_text import advice_sentences, head, spelled
from chunkscope.reports.columns import ShownCells, cell_columns, labels_of, way_label
from chunkscope.reports.figures import Figure, figures_of
from chunkscope.reports.page.words import words_in
from chunkscope.reports.recall_table import Row, recall_columns, recall_notes, rows_of, shown_rows
from chunkscope.reports.recall_text import recall_head, recall_sentences, warnings_of
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.sweep_text import table_notes
from chunkscope.reports.table import TextColumn
from chunkscope.reports.visible import visible

MOST_ROWS = 1_000
"""The table of all settings has no more rows."""
MOST_STATES = 8_000_000
"""So many pairs of a setting and a question are told; of more, those of the shown settings."""
LONGEST_TEXT = 400
"""Characters of a question that are shown."""

STATES = {
    "split": "c",
    "header_lost": "h",
    "not_embedded": "e",
    "not_indexed": "i",
    "below": "b",
}
"""What became of a question, as the script reads it; ``w``: it is whole, or answered."""


@dataclass(frozen=True)
class PageTable:
    """A table: its columns, and for each row the cell that it is of."""

    columns: tuple[TextColumn, ...]
    cells: tuple[int, ...]
    n_keys: int = 3
    n_more: int = 0

    @property
    def rows(self) -> list[tuple[int, list[str]]]:
        """The rows: the place of the cell, and the texts."""
        texts = zip(*(column.texts for column in self.columns), strict=True)
        return [(cell, list(row)) for cell, row in zip(self.cells, texts, strict=True)]


@dataclass(frozen=True)
class Page:
    """Everything on the page, in the language of the reader.

    Attributes
    ----------
    lang : {"en", "ja"}
    title : str
    head : tuple of str
        What was looked at.
    advice : tuple of (str, str)
        Labelled sentences, as on the terminal.
    shown, every : PageTable
        The settings that matter, and all of them.
    notes, warnings : tuples of str
    figures : tuple of Figure
    rules : tuple of str
        How it was counted.
    measured : tuple of (str, str)
        Settings, versions, digests.
    doubts : tuple of str
        What stands at the top because nobody may overlook it.
    limits : tuple of str
        What the page does not have.
    data : mapping
        What the script reads.
    documents : tuple of mapping
        The texts and chunks of the documents that can be looked at, each for itself.
    """

    lang: Language
    title: str
    head: tuple[str, ...]
    advice: tuple[tuple[str, str], ...]
    shown: PageTable
    every: PageTable
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    figures: tuple[Figure, ...]
    rules: tuple[str, ...]
    measured: tuple[tuple[str, str], ...]
    doubts: tuple[str, ...]
    limits: tuple[str, ...]
    data: Mapping[str, Any] = field(repr=False)
    documents: tuple[Mapping[str, Any], ...] = field(repr=False)


def _written(value: object) -> str:
    """Write a setting as people would: lists without brackets."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_written(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_written, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def page_of(result: SweepResult, views: Views, lang: Language = "en", doubts: Sequence[str] = ()) -> Page:
    """Make the page of a result.

    Parameters
    ----------
    result : SweepResult
    views : Views
        What there is to look at.
    lang : {"en", "ja"}
    doubts : sequence of str
        What makes it doubtful that the documents are those of the result.
    """
    return _Maker(result, views, lang).page(doubts)


class _Maker:
    """What all parts of the page need: the result, its lines, and the language."""

    def __init__(self, result: SweepResult, views: Views, lang: Language) -> None:
        self.full, self.result, self.views, self.lang = result, thinned(result), views, lang
        self.lines = lines_of(self.result)
        self.places = {cell.key: place for place, cell in enumerate(self.result.cells)}
        self.number = {one.name: number for number, one in enumerate(views.listed)}

    def said(self, text: str) -> str:
        """Put a sentence into the language, and show what is hidden in it."""
        return visible(in_language(text, self.lang))

    def all_said(self, texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self.said, texts))

    def page(self, doubts: Sequence[str]) -> Page:
        result, is_ranked = self.full, self.full.retrieval is not None
        sentences = recall_sentences(result, visible) if is_ranked else advice_sentences(result, visible)
        shown, notes = self._shown()
        told = recall_head(result, visible) if is_ranked else head(result, visible)
        return Page(
            self.lang,
            self._title(),
            self.all_said(told),
            tuple((self.said(label), self.said(text)) for label, text in sentences),
            shown,
            self._every(),
            self.all_said(notes),
            self.all_said(warnings_of(result)) if is_ranked else (),
            tuple(figures_of(self.result, self.lang)),
            self.all_said(self._rules()),
            tuple(self._measured()),
            self.all_said([*doubts, *self._doubts()]),
            self.all_said(self._limits()),
            self._data(),
            tuple(self._document(one) for one in self.views.documents),
        )

    def _title(self) -> str:
        folder = re.split(r"[/\\]", self.result.corpus.path.rstrip("/\\"))[-1]
        told = (
            say("How to cut {corpus} into chunks", corpus=folder) if folder else say("How to cut documents into chunks")
        )
        return self.said(told)

    def _shown(self) -> tuple[PageTable, Sequence[str]]:
        """Give the table of the terminal, and what must be known of it."""
        result = self.result
        if not result.cells:
            return PageTable((), ()), ()
        if result.retrieval is not None:
            rows = shown_rows(result)
            return self._of_rows(rows), recall_notes(result, rows, visible, with_marks=False)
        places = chosen_cells(result, result.limit)
        cells = [result.cells[place] for place in places]
        shown = ShownCells(cells, labels_of(cells, visible), result.limit)
        return self._of_cells(places), table_notes(result, shown, with_marks=False)

    def _every(self) -> PageTable:
        """Give a row for each cell, or for each retriever in it, line by line."""
        result = self.result
        if not result.cells:
            return PageTable((), ())
        places = [place for line in self.lines for place in line.places]
        if result.retrieval is None:
            return self._of_cells(places[:MOST_ROWS], everything=True, n_more=len(self.full.cells) - MOST_ROWS)
        n = len(result.retrieval["retrievers"])
        rows = rows_of(result)
        in_order = [row for place in places for row in rows[place * n : (place + 1) * n]]
        return self._of_rows(in_order[:MOST_ROWS], everything=True, n_more=len(self.full.cells) * n - MOST_ROWS)

    @cached_property
    def _figures(self) -> PageTable:
        """Give the figures of every cell in its place, those of the advised retriever where there are several."""
        result = self.result
        if not result.cells:
            return PageTable((), ())
        if result.retrieval is None:
            return self._of_cells(range(len(result.cells)), everything=True)
        return self._of_rows(self._ranked, everything=True)

    def _of_cells(self, places: Sequence[int], *, everything: bool = False, n_more: int = 0) -> PageTable:
        cells = [self.result.cells[place] for place in places]
        shown = ShownCells(cells, labels_of(cells, visible), self.result.limit, everything=everything)
        columns = self._said_columns(cell_columns(self.result, shown), cells)
        return PageTable(columns, tuple(places), 3, max(0, n_more))

    def _of_rows(self, rows: Sequence[Row], *, everything: bool = False, n_more: int = 0) -> PageTable:
        columns, n_keys = recall_columns(self.result, rows, visible, everything=everything)
        places = tuple(self.places[row.cell.key] for row in rows)
        return PageTable(self._said_columns(columns, [row.cell for row in rows]), places, n_keys, max(0, n_more))

    def _said_columns(self, columns: Sequence[TextColumn], cells: Sequence[Cell]) -> tuple[TextColumn, ...]:
        """Put columns into the language, and name the way in every row: read aloud, a row has none above it."""
        ways = TextColumn(say("way of cutting"), [way_label(cell, visible) for cell in cells], left=True)
        found = []
        for column in (columns[0], ways, *columns[2:]):
            told = column.in_language(self.lang)
            parts = [part.strip() for part in told.title.split("\n")]
            title = "".join(parts) if self.lang == "ja" else " ".join(parts).replace("/ ", "/")
            found.append(TextColumn(visible(title), [visible(text) for text in told.texts], told.left))
        return tuple(found)

    def _rules(self) -> Sequence[str]:
        """Say in five lines how it was counted."""
        if self.result.questions is None:
            return [
                say("A sentence, code block, heading or table row is cut where no single chunk holds all of it."),
                say("A row has lost its header where no chunk holds the row together with its table's header."),
                say("Everything is counted in every setting: what is cut is never left out."),
                say("A setting fits where its largest chunk, with what it prepends, is within the model's limit."),
                say("A size is judged together with its two neighbours, so that luck does not decide."),
            ]
        rules = [
            say("An answer is cut where a passage that the question needs is whole in no single chunk."),
            say("A header is lost where no chunk holds a row that is needed together with its table's header."),
            say("Every setting is counted over the same questions: one whose answer is cut is never left out."),
            say("Where fixed windows are counted on average, that is over all places where the first cut may fall."),
        ]
        if self.result.retrieval is None:
            return [*rules, say("A size is judged together with its two neighbours, so that luck does not decide.")]
        return [
            *rules,
            say("A question is answered where the first k chunks hold all that it needs; k is such that settings have "
                "about the same number of characters, unless one k was asked for."),
        ]  # fmt: skip

    def _measured(self) -> list[tuple[str, str]]:
        """Give what was held fixed: documents, questions, settings, versions."""
        result, corpus = self.result, self.result.corpus
        found: list[tuple[str, str]] = [
            (say("documents"), f"{corpus.path} (sha256 {corpus.sha256[:16]}…)"),
        ]
        if result.questions:
            found.append((say("questions"), f"{result.questions.path} (sha256 {result.questions.sha256[:16]}…)"))
        for name, value in result.settings.items():
            if name != "versions" and value not in (None, [], {}, ""):
                found.append((name, _written(value)))
        versions = {"chunkscope": result.version, **result.settings.get("versions", {})}
        found.append((say("versions"), ", ".join(f"{name} {version}" for name, version in versions.items() if version)))
        return [(self.said(label), self.said(text)) for label, text in found]

    def _doubts(self) -> Sequence[str]:
        found = []
        if changed := self.views.changed:
            names = [spelled(self.result.cells[place], visible) for place in changed[:3]]
            found.append(
                say(
                    "{n:,} {n:setting is|settings are} cut otherwise here than when the result was made, such as "
                    "{names:, }: the figures are those of the result, the documents below show what is cut today",
                    n=len(changed),
                    names=names,
                )
            )
        return found

    def _limits(self) -> Sequence[str]:
        views = self.views
        found = [
            say(
                "{n:,} of {total:,} {total:document|documents} can be looked at in this page ({size:,} characters), "
                "those that lose most first",
                n=len(views.documents),
                total=self.result.corpus.documents,
                size=sum(len(one.text) for one in views.documents),
            )
        ]
        if len(self.result.cells) < len(self.full.cells):
            n, total = len(self.result.cells), len(self.full.cells)
            found.append(say("{n:,} of the {total:,} settings are in this page", n=n, total=total))
        if len(views.listed) < views.n_documents:
            found.append(say("the list of documents has the {n:,} that lose most", n=len(views.listed)))
        for (chunker, _, _), reason in views.lacking.items():
            found.append(say("the chunks of {chunker} are not shown: {reason}", chunker=chunker, reason=reason))
        return found

    # what the script reads

    def _data(self) -> dict[str, Any]:
        result = self.result
        return {
            "lang": self.lang,
            "words": words_in(self.lang),
            "isRanked": result.retrieval is not None,
            "advised": self._advised,
            "lines": [self._line(line) for line in self.lines],
            "cells": [self._cell(place, cell) for place, cell in enumerate(result.cells)],
            "titles": [column.title for column in self._figures.columns[self._figures.n_keys :]],
            "states": self._states(),
            "ranks": self._ranks(),
            "above": self._above(),
            "questions": [self._question(one) for one in self.views.questions],
            "documents": [[visible(one.name), one.characters] for one in self.views.listed],
            "shown": [self.number[one.name] for one in self.views.documents if one.name in self.number],
            "lost": self._lost(),
        }

    @cached_property
    def _advised(self) -> int | None:
        advice = self.result.advice
        return self.places.get(advice.key) if isinstance(advice, Advice) else None

    @cached_property
    def _ranked(self) -> list[Row]:
        """What the advised retriever found in each cell, else the first."""
        names = self.result.retrieval["retrievers"] if self.result.retrieval else []
        advice = self.result.advice
        wanted = advice.retriever if isinstance(advice, Advice) else None
        name = wanted if wanted in names else names[0]
        return [row for row in rows_of(self.result) if row.retriever == name]

    def _line(self, line: Line) -> dict[str, Any]:
        key = way_of(line.cells[0])
        label = way_label(line.cells[0], visible)
        if line.overlap is not None:
            label = say("{way}, overlap {overlap}", way=label, overlap=line.overlap)
        found: dict[str, Any] = {"label": self.said(label), "cells": list(line.places)}
        if line.overlap is not None:
            found["unit"] = self.said(unit_noun(line.unit))
        if key in self.views.windows:
            found["windows"] = "all" if key in self.views.keep_tail else "last"
        if key in self.views.lacking:
            found["lacking"] = self.said(self.views.lacking[key])
        return found

    def _cell(self, place: int, cell: Cell) -> list[Any]:
        table = self._figures
        figures = [column.texts[place] for column in table.columns[table.n_keys :]]
        return [self.said(spelled(cell, visible)), cell.size, cell.overlap, figures]

    def _states(self) -> list[str] | None:
        """Give what became of each question in each cell, a letter each; None where that is not known."""
        result, ids = self.result, [one.id for one in self.views.questions]
        if not ids or len(ids) * len(result.cells) > MOST_STATES:
            return None
        number = {name: place for place, name in enumerate(ids)}
        found = []
        for place, cell in enumerate(result.cells):
            missed = self._ranked[place].found.get("missed") if result.retrieval is not None else self._harmed(cell)
            if missed is None:
                return None
            states = ["w"] * len(ids)
            for name, cause in missed.items():
                if name in number:
                    states[number[name]] = STATES.get(cause, "b")
            found.append("".join(states))
        return found

    @staticmethod
    def _harmed(cell: Cell) -> dict[str, str] | None:
        if cell.split_question_ids is None or cell.header_lost_question_ids is None:
            return None
        lost = dict.fromkeys(cell.header_lost_question_ids, "header_lost")
        return lost | dict.fromkeys(cell.split_question_ids, "split")

    def _ranks(self) -> list[dict[str, int]] | None:
        """Give for each cell the ranks at which questions that it misses would be answered."""
        if self.result.retrieval is None:
            return None
        number = {one.id: str(place) for place, one in enumerate(self.views.questions)}
        return [
            {
                number[name]: rank
                for name, cause in row.found.get("missed", {}).items()
                if cause == "below" and name in number and (rank := row.found["first_rank_answered"].get(name))
            }
            for row in self._ranked
        ]

    def _above(self) -> dict[str, Any]:
        """Give what came first for each question, in the cells of which that was kept."""
        number = {one.id: str(place) for place, one in enumerate(self.views.questions)}
        names = {row.retriever for row in self._ranked[:1]} if self.result.retrieval is not None else set()
        found: dict[str, Any] = {}
        for key, retriever in self.result.ranks:
            if retriever in names and key in self.places:
                found[str(self.places[key])] = {
                    number[one.id]: [self._hit(hit) for hit in one.above[:MOST_ABOVE]]
                    for one in self.result.ranks[key, retriever]
                    if one.id in number
                }
        return found

    def _hit(self, hit: Hit) -> list[Any]:
        return [self._document_of(hit.document), hit.start, hit.end, int(hit.meets)]

    def _question(self, one: Any) -> list[Any]:
        evidence = [[self._document_of(name), start, end] for name, start, end in one.evidence]
        return [visible(one.id), visible(one.text[:LONGEST_TEXT]), int(one.any_is_enough), evidence]

    def _document_of(self, name: str) -> int | str:
        """Give the number of a document in the list, else its name."""
        return self.number.get(name, visible(name))

    def _lost(self) -> list[str]:
        """Give what each document of the list loses, a text for each cell: ``3``, ``3:1``, or nothing."""
        found = []
        for place in range(len(self.result.cells)):
            told = []
            for one in self.views.listed:
                cuts, headers = one.lost[place].tolist()
                told.append("?" if cuts < 0 else f"{cuts}:{headers}" if headers else f"{cuts}" if cuts else "")
            found.append(" ".join(told))
        return found

    @staticmethod
    def _document(one: DocumentView) -> dict[str, Any]:
        spans = {str(place): spans for place, spans in one.spans.items()}
        return {"text": one.text, "spans": spans, **({"parts": one.parts} if one.parts else {})}
