"""The parts of documents, each found once however many chunkers and measures ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.structure.html_tables import may_hold_table
from chunkscope.structure.joined import GROUP_CHARACTERS, JoinedTexts, blank_runs, groups
from chunkscope.structure.markdown import read_structure
from chunkscope.structure.model import Structure, Table
from chunkscope.structure.sentences import line_starts, sentence_starts
from chunkscope.structure.units import Measured, Unit
from chunkscope.structure.words import Words, read_words


class DocumentAnalysis:
    """Structure, sentences, words and units of one document, computed when first asked for.

    Examples
    --------
    >>> DocumentAnalysis(Document("a.md", "# 題\\n一つ。二つ。")).sentence_starts.tolist()
    [0, 4, 7]
    """

    def __init__(self, document: Document, group: _Group | None = None, place: int = 0) -> None:
        self.document = document
        self.length = len(document.text)
        self._measured: dict[str, Measured] = {}
        self._group, self._place = group or _Group([document]), place

    @classmethod
    def of_all(cls, documents: Sequence[Document]) -> Iterator[DocumentAnalysis]:
        """Give the parts of each document; what is cheaper for many at once is found so when one is asked for it."""
        for group in groups((document.length for document in documents), GROUP_CHARACTERS):
            some = documents[group.start : group.stop]
            shared = _Group(some)
            for place, document in enumerate(some):
                yield cls(document, shared, place)

    @cached_property
    def structure(self) -> Structure:
        """Headings, tables, code and blocks."""
        return read_structure(self.document)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Tables; a text that cannot hold one is not parsed for them."""
        if "structure" not in self.__dict__ and not may_hold_any_table(self.document.text):
            return ()
        return self.structure.tables

    @cached_property
    def sentence_starts(self) -> IntArray:
        """Where sentences start; they tile the text."""
        return sentence_starts(self.document.text, self.structure)

    @cached_property
    def line_starts(self) -> IntArray:
        """Where lines start."""
        return line_starts(self.document.text)

    @cached_property
    def words(self) -> Words:
        """Words and numbers."""
        return self._group.words[self._place]

    @cached_property
    def blank_runs(self) -> SpanArray:
        """Runs of characters that nobody sees."""
        return self._group.blank_runs[self._place]

    def measured(self, unit: Unit) -> Measured:
        """The document measured in a unit."""
        if unit.name not in self._measured:
            self._measured[unit.name] = unit.measure(self.document.text)
        return self._measured[unit.name]

    def keep(self, unit: Unit, measured: Measured) -> None:
        """Take a measurement made elsewhere, such as in a batch of documents."""
        self._measured[unit.name] = measured


class _Group:
    """What is found for many short texts in little more time than for one."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    @cached_property
    def _texts(self) -> JoinedTexts:
        return JoinedTexts([document.text for document in self._documents])

    @cached_property
    def words(self) -> list[Words]:
        return read_words(self._texts)

    @cached_property
    def blank_runs(self) -> list[SpanArray]:
        return blank_runs(self._texts)


def may_hold_any_table(text: str) -> bool:
    """Tell cheaply whether a text can hold a table: a pipe table has a pipe, or a colon in its delimiter row.

    Examples
    --------
    >>> may_hold_any_table("a - b"), may_hold_any_table("a | b\\n--|--"), may_hold_any_table("<table>")
    (False, True, True)
    """
    return ("-" in text and ("|" in text or ":-" in text or "-:" in text)) or may_hold_table(text)


def without_trailing_blanks(analysis: DocumentAnalysis, starts: IntArray, ends: IntArray) -> SpanArray:
    """Cut blanks off the ends of spans; spans of blanks alone go."""
    runs = analysis.blank_runs
    if len(runs) and len(starts):
        last = np.maximum(np.searchsorted(runs[:, 0], ends, side="left") - 1, 0)
        trails = (runs[last, 0] < ends) & (runs[last, 1] >= ends)
        ends = np.where(trails, runs[last, 0], ends)
    kept = starts < ends
    return np.column_stack((starts[kept], ends[kept]))
