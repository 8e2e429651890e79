"""Which document of a corpus is meant by a name in an index."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunkscope.language import Text, say

Key = Callable[[str], str]
Keys = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Matching:
    """The names of documents in an index, and those in a corpus.

    Attributes
    ----------
    names : mapping of str to str
        For each document of the corpus that the index has, its name there.
    orphaned : tuple of str
        Names in the index that are those of no document here.
    doubts : tuple of Text
        What could have been meant otherwise; nothing is guessed.
    """

    names: Mapping[str, str]
    orphaned: tuple[str, ...]
    doubts: tuple[Text, ...] = ()


def match_names(indexed: Sequence[str], names: Sequence[str], path: str) -> Matching:
    """Match names: those that are alike, then in NFC, then without the path of the corpus in front.

    Parameters
    ----------
    indexed : sequence of str
        The names in the index.
    names : sequence of str
        Those of the documents.
    path : str
        The folder or file of the corpus. Of it, the last folder must stand in a name: an index that was built elsewhere
        has another path.

    Examples
    --------
    >>> found = match_names(["a.md", "/srv/docs/sub/b.md", "old/c.md"], ["a.md", "sub/b.md", "c.md"], "docs")
    >>> found.names, found.orphaned
    ({'a.md': 'a.md', 'sub/b.md': '/srv/docs/sub/b.md'}, ('old/c.md',))
    """
    found: dict[str, str] = {}
    doubts: list[Text] = []
    left = list(indexed)
    folder = _nfc(_folder(path))
    rules: tuple[tuple[Key, Keys], ...] = (
        (lambda name: name, lambda name: [name]),
        (_nfc, lambda name: [_nfc(name)]),
        (lambda name: f"{folder}/{_nfc(name)}", _tails),
    )
    for key, keys in rules:
        documents: dict[str, list[str]] = {}
        for name in names:
            documents.setdefault(key(name), []).append(name)
        meant = {name: [one for some in keys(name) for one in documents.get(some, ())] for name in left}
        doubts += _take({name: ones for name, ones in meant.items() if ones}, found)
        left = [name for name in left if not meant[name]]
    used = set(found.values())
    return Matching(found, tuple(name for name in indexed if name not in used), tuple(doubts))


def _take(meant: Mapping[str, Sequence[str]], found: dict[str, str]) -> Iterator[Text]:
    """Add the pairs of which either side has one other side only; say so of the rest."""
    by_document: dict[str, list[str]] = {}
    for name, documents in meant.items():
        for document in documents:
            by_document.setdefault(document, []).append(name)
    for name, documents in meant.items():
        rivals = [other for other in by_document[documents[0]] if other != name]
        if len(documents) > 1:
            yield say("{name!r} in the index may be {others:, }; it is taken for none", name=name, others=documents)
        elif documents[0] in found:
            yield say(
                "{name!r} in the index may be {document}, which is there as {other!r}; it is taken for none",
                name=name,
                document=documents[0],
                other=found[documents[0]],
            )
        elif rivals:
            yield say(
                "{name!r} in the index may be {document}, as may {others:, }; it is taken for none",
                name=name,
                document=documents[0],
                others=rivals,
            )
    found |= {
        documents[0]: name
        for name, documents in meant.items()
        if len(documents) == 1 and documents[0] not in found and len(by_document[documents[0]]) == 1
    }


def _folder(path: str) -> str:
    """Give the name of the folder that the corpus is, or stands in."""
    whole = os.path.abspath(path)
    return os.path.basename(whole if os.path.isdir(whole) else os.path.dirname(whole))


def _nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _tails(name: str) -> list[str]:
    """Give what remains of a path when folders in front are left out, one after the other."""
    parts = _nfc(name).replace("\\", "/").split("/")
    return ["/".join(parts[place:]) for place in range(len(parts))]
