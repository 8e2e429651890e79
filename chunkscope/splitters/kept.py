"""Pieces that were found, kept by all that they depend on: document, splitter, its version and setting, our reading."""

from __future__ import annotations

import atexit
import json
import time
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from chunkscope.chunkers.pieces import EXACT, PIECE_KINDS, Pieces
from chunkscope.corpus.document import Document
from chunkscope.store.store import NamespaceInfo, Store

KIND = "splitter:"
"""What the namespaces of pieces begin with; the name of the splitter follows."""
ANSWERS = "splitters tried out"
LARGEST_ENTRY = 1 << 28
"""More characters than the pieces of a document have."""
SECONDS_AT_RISK = 0.5
"""What took longer is written at once, so that Ctrl-C loses no more than a document."""


@cache
def _reader() -> str:
    """Give a digest of what reads and aligns pieces: another reader may find something else for the same pieces."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


_stores: dict[str | None, Store] = {}


def store_at(path: str | None) -> Store:
    """Give the store of a file, one a process; without a path, pieces are kept as long as the process."""
    if path not in _stores:
        if not _stores:
            atexit.register(close_stores)
        _stores[path] = Store(path)
    return _stores[path]


def close_stores() -> None:
    """Close the files, and forget what was in memory only."""
    for store in _stores.values():
        store.close()
    _stores.clear()


def kept_splitters(store: Store) -> list[NamespaceInfo]:
    """Tell of each splitter how many documents at how many settings are kept.

    Examples
    --------
    >>> store = Store()
    >>> kept_splitters(store)
    []
    """
    return [found for found in store.namespaces() if found.name.startswith(KIND)]


def kept_answer(path: str | None, setting: Sequence[str], ask: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Give what was answered about a splitter at a setting, which is asked once.

    Examples
    --------
    >>> kept_answer(None, ["doctest"], lambda: ("slow",)), kept_answer(None, ["doctest"], lambda: ())
    (('slow',), ('slow',))
    """
    store, key = store_at(path), sha256(json.dumps([_reader(), *setting]).encode()).digest()
    [held] = store.get_many(ANSWERS, [key])
    if held is not None:
        return tuple(held.decode("utf-8", "replace").split())
    found = ask()
    store.put_many(ANSWERS, [key], [" ".join(found).encode()])
    return found


class KeptPieces:
    """The pieces of one splitter at one setting.

    Parameters
    ----------
    path : str or None
        The store's file.
    splitter : str
        Its name.
    setting : sequence of str
        All that its pieces depend on besides the document.

    Examples
    --------
    >>> found = Pieces(["a b"], np.array([[0, 4]]), np.arange(1), np.array([1], dtype=np.uint8))
    >>> kept = KeptPieces(None, "doctest", ["at 4"])
    >>> kept.put(Document("a.md", "a  b"), found); kept.flush()
    >>> again, missing = kept.get([Document("b.md", "a  b"), Document("c.md", "c")])
    >>> again.texts, missing
    (['a b'], None)
    """

    def __init__(self, path: str | None, splitter: str, setting: Sequence[str]) -> None:
        self._store, self._namespace = store_at(path), KIND + splitter
        self._setting = json.dumps([_reader(), *setting])
        self._waiting: list[tuple[bytes, bytes]] = []
        self._since = time.monotonic()

    def get(self, documents: Sequence[Document]) -> list[Pieces | None]:
        """Look the pieces of documents up."""
        blobs = self._store.get_many(self._namespace, [self._key(document) for document in documents])
        return [None if blob is None else _read(blob, one) for blob, one in zip(blobs, documents, strict=True)]

    def put(self, document: Document, pieces: Pieces) -> None:
        """Keep the pieces of a document; they are written together with others that took little time."""
        self._waiting.append((self._key(document), _write(pieces, document)))
        if time.monotonic() - self._since > SECONDS_AT_RISK:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            keys, blobs = zip(*self._waiting, strict=True)
            self._store.put_many(self._namespace, keys, blobs)
            self._waiting.clear()
        self._since = time.monotonic()

    def _key(self, document: Document) -> bytes:
        text = document.text.encode("utf-8", "surrogatepass")
        return sha256(sha256(text).digest() + self._setting.encode()).digest()


def _write(pieces: Pieces, document: Document) -> bytes:
    """Write pieces; those that are slices without their texts."""
    own = {number: text for number, text in enumerate(pieces.texts) if pieces.kinds[number] != EXACT}
    found = {
        "spans": pieces.spans.tolist(),
        "kinds": pieces.kinds.tolist(),
        "own": own,
        "owners": pieces.owners.tolist(),
        "prepended": pieces.prepended.tolist(),
        "wrong_offsets": pieces.wrong_offsets,
        "n_broken": pieces.n_broken,
    }
    return zlib.compress(json.dumps(found).encode(), 1)


def _read(blob: bytes, document: Document) -> Pieces | None:
    """Read pieces; what cannot be those of this document, whoever wrote it, is none."""
    try:
        unpacker = zlib.decompressobj()
        found = json.loads(unpacker.decompress(blob, LARGEST_ENTRY))
        spans, prepended = (np.array(found[name], dtype=np.int64).reshape(-1, 2) for name in ("spans", "prepended"))
        kinds, owners = np.array(found["kinds"], dtype=np.uint8), np.array(found["owners"], dtype=np.int64)
        text, own = document.text, {int(number): str(one) for number, one in found["own"].items()}
        counts = int(found["wrong_offsets"]), int(found["n_broken"])
    except (zlib.error, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    laid, ends = np.concatenate((spans, prepended)), np.diff(owners, prepend=0, append=max(len(spans) - 1, 0))
    is_sound = (
        len(kinds) == len(spans)
        and len(owners) == len(prepended)
        and bool((kinds < len(PIECE_KINDS)).all())
        and bool(((laid[:, 0] >= 0) & (laid[:, 0] <= laid[:, 1]) & (laid[:, 1] <= len(text))).all())
        and (not len(owners) or bool((ends >= 0).all()))
    )
    if not is_sound:
        return None
    texts = [own.get(number, text[start:end]) for number, (start, end) in enumerate(spans.tolist())]
    return Pieces(
        texts, spans, np.arange(len(spans)), kinds, owners, prepended, wrong_offsets=counts[0], n_broken=counts[1]
    )
