"""Which document of a corpus is meant by a name in a question."""

from __future__ import annotations

import os
import posixpath
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from chunkscope.corpus.name_filter import compose
from chunkscope.questions.question import Question


class DocumentNames:
    """The names of documents, and what else may be written for them in a question.

    Parameters
    ----------
    names : iterable of str
        Those of the documents.
    path : str
        The folder or file of the corpus, as it was typed; empty where there is none.

    Notes
    -----
    The exact name counts first, then the one that is the same after NFC, then the name behind the path of the corpus.
    Where a name is exact, and another document has it behind the path of the corpus, either may be meant.

    Examples
    --------
    >>> names = DocumentNames(["a.md", "b.md", "docs/b.md"], "docs")
    >>> names.meant("docs/a.md"), names.meant("docs/b.md"), names.meant("c.md")
    (('a.md',), ('docs/b.md', 'b.md'), ())
    """

    def __init__(self, names: Iterable[str], path: str = "") -> None:
        self.names = dict.fromkeys(names)
        self._path = path
        self._meant: dict[str, tuple[str, ...]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def meant(self, name: str) -> tuple[str, ...]:
        """Give the documents that a name may mean: none, one, or several."""
        if name not in self._meant:
            here, behind = self._same(name), self._same(self._behind_path(name))
            self._meant[name] = tuple(dict.fromkeys((*here, *behind)))
        return self._meant[name]

    def resolve(self, question: Question) -> Question:
        """Write the names of documents for what a question calls them, where one is meant."""
        quotes = tuple(
            quote if quote.document is None else replace(quote, document=self._one(quote.document))
            for quote in question.quotes
        )
        traps = tuple(map(self._one, question.trap_docs))
        if quotes == question.quotes and traps == question.trap_docs:
            return question
        return replace(question, quotes=quotes, trap_docs=traps)

    def _one(self, name: str) -> str:
        meant = self.meant(name)
        return meant[0] if len(meant) == 1 else name

    def _same(self, name: str) -> list[str]:
        return [name] if name in self.names else self._composed.get(compose(name), []) if name else []

    @cached_property
    def _composed(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.names:
            found[compose(name)].append(name)
        return dict(found)

    @cached_property
    def _folder(self) -> str:
        """What stands before the name of a document where its whole path is written; its end is a slash."""
        path = self._path.replace(os.sep, "/")
        if path.lower().endswith((".jsonl", ".ndjson")):
            return ""  # the names in it are no paths
        is_file = self._path and not os.path.isdir(self._path)
        folder = posixpath.normpath(posixpath.dirname(path) or "." if is_file else path) if path else ""
        return "" if folder in ("", ".") else folder.rstrip("/") + "/"

    def _behind_path(self, name: str) -> str:
        """Give what remains of a name without the path of the corpus; empty where that is not in front."""
        written = compose(name)
        plain = written.removeprefix("./")
        folder = compose(self._folder)
        if folder and plain.startswith(folder):
            return plain[len(folder) :]
        return plain if plain != written else ""
