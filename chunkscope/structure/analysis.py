"""What one look at a document finds, each thing once however many chunkers and measures ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from chunkscope.corpus.document import Document
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.structure.html_tables import may_hold_html_table
from chunkscope.structure.item_lines import item_starts
from chunkscope.structure.joined import GROUP_CHARACTERS, JoinedTexts, blank_runs, groups
from chunkscope.structure.markdown import read_structure
from chunkscope.structure.model import Structure, Table
from chunkscope.structure.seen import count_unread, may_be_seen
from chunkscope.structure.sentences import line_starts, prose_stretches, sentence_starts
from chunkscope.structure.units import MeasuredText, Unit
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
        self._measured: dict[str, MeasuredText] = {}
        self._group, self._place = group or _Group([document]), place

    @classmethod
    def of_all(cls, documents: Sequence[Document]) -> Iterator[DocumentAnalysis]:
        """Give the analysis of each document; what is cheaper for many at once is found so when one is asked for it."""
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
    def seen(self) -> Counter[str]:
        r"""What has to be told of how the document is read, and how often; see `chunkscope.structure.seen`.

        Examples
        --------
        >>> DocumentAnalysis(Document("a.md", "!!! note\n    a\n\n+---+\n| b |\n+---+\n")).seen
        Counter({'admonitions': 1, 'grid_tables': 1})
        """
        document = self.document
        found = Counter(blank_headers=sum(table.has_blank_header for table in self.tables))
        if "structure" in self.__dict__ or may_be_seen(document):
            found.update(self.structure.habits)
            found.update(count_unread(document.text, self.structure.code))
        return +found

    @cached_property
    def sentence_starts(self) -> IntArray:
        """Where sentences start; they tile the text."""
        return sentence_starts(self.document.text, self.structure, self._item_starts())

    def _item_starts(self) -> IntArray | None:
        """Where lines inside blocks begin like items; those of plain text are blocks already."""
        if self.document.markup in ("plain", "code"):
            return None
        text, structure = self.document.text, self.structure
        is_html = self.document.markup == "html"
        return item_starts(text, structure.block_starts, prose_stretches(structure), is_html=is_html)

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

    @property
    def title(self) -> str | None:
        r"""The first heading of level 1, else the attribute `title`.

        Examples
        --------
        >>> DocumentAnalysis(Document("a.md", "---\ntitle: 規程\n---\n## 節\n")).title
        '規程'
        """
        for heading in self.structure.headings:
            if heading.level == 1:
                return heading.title
        title = self.document.attributes.get("title")
        return None if title is None else str(title)

    def without_trailing_blanks(self, starts: IntArray, ends: IntArray) -> SpanArray:
        r"""Cut blanks off the ends of spans; spans of blanks alone go.

        Parameters
        ----------
        starts, ends : int64 (n,)

        Returns
        -------
        int64 (m, 2)
            At most n.

        Examples
        --------
        >>> analysis = DocumentAnalysis(Document("a.md", "一。 \n二。\n"))
        >>> analysis.without_trailing_blanks(np.array([0, 2]), np.array([4, 4])).tolist()
        [[0, 2]]
        """
        runs = self.blank_runs
        if len(runs) and len(starts):
            last = np.maximum(np.searchsorted(runs[:, 0], ends, side="left") - 1, 0)
            trails = (runs[last, 0] < ends) & (runs[last, 1] >= ends)
            ends = np.where(trails, runs[last, 0], ends)
        kept = starts < ends
        return np.column_stack((starts[kept], ends[kept]))

    def measured(self, unit: Unit) -> MeasuredText:
        """The document measured in a unit."""
        if unit.name not in self._measured:
            self._measured[unit.name] = unit.measure(self.document.text)
        return self._measured[unit.name]

    def keep(self, unit: Unit, measured: MeasuredText) -> None:
        """Take a measurement made elsewhere, such as in a batch of documents."""
        self._measured[unit.name] = measured

    def to_dict(self) -> dict[str, object]:
        r"""Give headings, sections, tables, code blocks and sentences as JSON has them.

        Examples
        --------
        >>> found = DocumentAnalysis(Document("a.md", "# 題\n一つ。二つ。\n")).to_dict()
        >>> found["headings"]
        [{'start': 0, 'end': 3, 'level': 1, 'title': '題'}]
        >>> found["sections"], found["sentences"]
        ([[0, 11]], [[0, 4], [4, 7], [7, 11]])
        """
        structure = self.structure
        return {
            "document": self.document.name,
            "characters": self.length,
            "headings": [heading._asdict() for heading in structure.headings],
            "sections": self._tiles(structure.section_starts),
            "tables": [
                {
                    "start": table.start,
                    "end": table.end,
                    "header": [list(span) for span in table.header],
                    "rows": [list(span) for span in table.rows],
                }
                for table in structure.tables
            ],
            "code": structure.code.tolist(),
            "sentences": self._tiles(self.sentence_starts),
        }

    def _tiles(self, starts: IntArray) -> list[list[int]]:
        return [[start, end] for start, end in pairwise([*starts.tolist(), self.length])]


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
    return ("-" in text and ("|" in text or ":-" in text or "-:" in text)) or may_hold_html_table(text)
