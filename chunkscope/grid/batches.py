"""Dealing documents out in batches whose counts add up to those of the whole.

Twin: tests/oracle/batches.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.questions.labels import LocatedQuestion

BATCH_CHARACTERS = 1 << 20
"""About so many characters make a batch."""


@dataclass(frozen=True)
class Batch:
    """Documents that are swept together, and the questions that are about them alone."""

    documents: tuple[Document, ...]
    questions: tuple[LocatedQuestion, ...]


def tie_batches(corpus: Corpus, questions: Sequence[LocatedQuestion], characters: int | None) -> Iterator[Batch]:
    """Deal documents out in batches of about so many characters; None: all in one.

    Documents that a question ties together, directly or through others, come in one batch, when the last is read.
    """
    tie = _Ties(questions)
    waiting: dict[str, list[Document]] = {}
    batch: list[Document] = []
    size, any_batch = 0, False
    for document in corpus:
        group = tie.group_of(document.name)
        held = waiting.setdefault(group, [])
        held.append(document)
        if len(held) < tie.group_size(group):
            continue
        batch.extend(waiting.pop(group))
        size += sum(member.length for member in held)
        if characters is not None and size >= characters:
            yield tie.batch(batch)
            batch, size, any_batch = [], 0, True
    if batch or not any_batch:
        yield tie.batch(batch)


class _Ties:
    """Which documents questions tie together."""

    def __init__(self, questions: Sequence[LocatedQuestion]) -> None:
        self._leader: dict[str, str] = {}
        self._questions: dict[str, list[tuple[int, LocatedQuestion]]] = {}
        for number, question in enumerate(questions):
            names = [entry.document for entry in question.evidence]
            self._questions.setdefault(names[0], []).append((number, question))
            for name in names[1:]:
                self._leader[self.group_of(name)] = self.group_of(names[0])
        self._sizes: dict[str, int] = {}
        for name in self._leader:
            self._sizes.setdefault(self.group_of(name), 1)
        for name in {name for name in self._leader if self.group_of(name) != name}:
            self._sizes[self.group_of(name)] += 1

    def group_of(self, name: str) -> str:
        while (leader := self._leader.get(name, name)) != name:
            name = leader
        return name

    def group_size(self, group: str) -> int:
        return self._sizes.get(group, 1)

    def batch(self, documents: Sequence[Document]) -> Batch:
        asked = [pair for document in documents for pair in self._questions.get(document.name, ())]
        return Batch(tuple(documents), tuple(question for _, question in sorted(asked, key=lambda pair: pair[0])))
