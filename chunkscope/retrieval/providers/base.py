"""What an embedding provider is, and what it may tell of itself.

A provider needs an `id` and two methods. What else it may have: `limits` (a `Limits`, by which batches are cut),
`space` (an `EmbeddingSpace`, which keeps vectors of different models apart), `revision` (whatever changes when its
vectors do; without one it is a digest of the provider's source), `dimensions`, `prompts` (what it writes before texts,
by role; it is part of the keys), `count_tokens(texts)`, `is_local` (True: it sends nothing anywhere, so that a dry run
may try it), and `secrets` (keys that no message may hold).
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import ProviderError
from chunkscope.spans.intervals import IntArray

Vectors = NDArray[np.float32]
Role = Literal["document", "query"]


@runtime_checkable
class Provider(Protocol):
    """What turns texts into vectors.

    Attributes
    ----------
    id : str
        Names the provider and whatever makes its vectors differ; vectors are kept under it.
    """

    @property
    def id(self) -> str:
        """Names the provider and whatever makes its vectors differ."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Give a vector for each text to be found: float32 (n, d), in the order of the texts."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Give a vector for each question: float32 (n, d)."""
        ...


@dataclass(frozen=True)
class Limits:
    """What one request may hold. None: no limit that is known.

    Attributes
    ----------
    max_texts : int
        Texts in a request.
    max_tokens_per_request : int or None
        Tokens of all its texts.
    max_tokens_per_text : int or None
        Longer texts are named and left out before anything is sent, not cut.
    concurrency : int
        Requests under way at a time.
    """

    max_texts: int = 64
    max_tokens_per_request: int | None = None
    max_tokens_per_text: int | None = None
    concurrency: int = 1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ProviderError(f"{name} {value!r} must be a whole number from 1")

    @property
    def counts_tokens(self) -> bool:
        """Tell whether texts must be counted before they are sent."""
        return self.max_tokens_per_request is not None or self.max_tokens_per_text is not None


@dataclass(frozen=True)
class EmbeddingSpace:
    """Where vectors can be compared: everything that they depend on but the text.

    Examples
    --------
    >>> small = EmbeddingSpace("openai", model="m", dimensions=512, role="document")
    >>> small.of_role("query") == small, small.of_role("query").of_role("document") == small
    (False, True)
    """

    provider: str
    endpoint: str | None = None
    model: str | None = None
    revision: str | None = None
    dimensions: int | None = None
    role: Role = "document"
    prompt: str | None = None
    normalisation: str | None = None

    def of_role(self, role: Role, prompt: str | None = None) -> EmbeddingSpace:
        """Give the space of documents or of questions."""
        return replace(self, role=role, prompt=self.prompt if prompt is None else prompt)


class RetryableError(ProviderError):
    """A request that may do better later: too many at a time, a server that is busy, a line that broke.

    Parameters
    ----------
    message : str
    after : float, optional
        Seconds that the server asks to wait.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class TooLargeError(ProviderError):
    """A request refused for its size: the same texts may pass in smaller batches."""


@dataclass(frozen=True)
class ProviderInfo:
    """What a provider tells of itself, with what is assumed where it tells nothing."""

    limits: Limits
    spaces: dict[Role, EmbeddingSpace]
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, provider: Provider, settings: str = "") -> ProviderInfo:
        """Ask a provider.

        A provider from elsewhere that gives no revision gets one: a digest of its source, with the settings that it
        was made with, so that vectors from before a change are not taken for those from after it.
        """
        space: Any = getattr(provider, "space", None)
        prompts: Any = getattr(provider, "prompts", None) or {}
        if not isinstance(space, EmbeddingSpace):
            space = EmbeddingSpace(provider.id, revision=getattr(provider, "revision", None))
        if not type(provider).__module__.startswith("chunkscope."):
            dimensions = getattr(provider, "dimensions", None)
            if space.dimensions is None and isinstance(dimensions, int):
                space = replace(space, dimensions=dimensions)
            if space.revision is None:
                told = " ".join(filter(None, [source_digest(provider), settings]))
                space = replace(space, revision=told or None)
        limits = getattr(provider, "limits", None)
        return cls(
            limits if isinstance(limits, Limits) else Limits(),
            {role: space.of_role(role, prompts.get(role) or None) for role in ("document", "query")},
            tuple(secret for secret in getattr(provider, "secrets", ()) if secret),
        )


def count_tokens(provider: Provider, texts: Sequence[str]) -> IntArray | None:
    """Ask a provider how many tokens each text has; None where it cannot count.

    Raises
    ------
    ProviderError
        It gives another number of counts than there are texts.
    """
    count = getattr(provider, "count_tokens", None)
    if count is None:
        return None
    counted = np.asarray(count(texts), dtype=np.int64)
    if counted.shape != (len(texts),):
        raise ProviderError(f"{provider.id}: count_tokens gave {counted.size} counts for {len(texts)} texts")
    return counted


def placed(name: str, n_texts: int, items: Sequence[tuple[int | None, Any]]) -> list[Any]:
    """Put the items of an answer where their indexes say.

    Parameters
    ----------
    name : str
        Of the provider, for messages.
    n_texts : int
    items : sequence of (index, item)
        Indexes may be None, all of them: then the order counts.

    Raises
    ------
    ProviderError
        Too few or too many items, or indexes that are no numbering of the texts.

    Examples
    --------
    >>> placed("openai", 3, [(1, "b"), (2, "c"), (0, "a")])
    ['a', 'b', 'c']
    """
    if len(items) != n_texts:
        raise ProviderError(f"{name}: the answer has {len(items)} vectors for {n_texts} texts")
    if all(index is None for index, _ in items):
        return [item for _, item in items]
    found: list[Any] = [None] * n_texts
    seen = set()
    for index, item in items:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < n_texts or index in seen:
            raise ProviderError(f"{name}: the answer numbers its vectors wrongly: index {index!r} of {n_texts} texts")
        seen.add(index)
        found[index] = item
    return found


def as_vectors(name: str, n_texts: int, found: Any) -> Vectors:
    """Check what a provider gave, and give it as an array of float32.

    Whether the numbers are finite is looked at text by text, later.

    Raises
    ------
    ProviderError
        No array of numbers, of another number of rows, or without columns.
    """
    if not isinstance(found, np.ndarray):
        if not isinstance(found, Iterable):
            raise ProviderError(f"{name}: the answer is {found!r:.40}, not vectors")
        found = list(found)
        lengths = {len(row) if hasattr(row, "__len__") else -1 for row in found}
        if len(lengths) > 1:
            raise ProviderError(f"{name}: the vectors of one answer differ in length: {sorted(lengths)}")
    kinds = {found.dtype.type} if isinstance(found, np.ndarray) else set().union(*map(_kinds, found))
    for kind in kinds:  # numpy would read "1" and true as numbers
        if issubclass(kind, bool) or not issubclass(kind, Real):
            raise ProviderError(f"{name}: the answer holds something that is no vector ({kind.__name__})")
    try:
        with np.errstate(over="ignore"):
            vectors = np.ascontiguousarray(found, dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as error:
        raise ProviderError(f"{name}: the answer holds something that is no vector ({error})") from None
    if vectors.ndim != 2 or len(vectors) != n_texts or not vectors.shape[1]:
        raise ProviderError(f"{name}: the answer has the shape {vectors.shape} for {n_texts} texts")
    return vectors


def _kinds(row: Any) -> set[type]:
    return set(map(type, row)) if isinstance(row, list | tuple) else {np.asarray(row).dtype.type}


def local_folder(name: str, model: str) -> Path | None:
    """Give the folder that a model's name means; None where it is a name on the hub.

    Raises
    ------
    ProviderError
        It is written as a path, and there is no such folder.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if model.startswith((".", "/", "~")) or "\\" in model:
        raise ProviderError(f"{name}: no folder {model!r}")
    return None


def folder_digest(folder: Path) -> str:
    """Digest of the names and bytes of all files: a model that is trained further under one name is another model.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "config.json").write_text("{}")
    >>> before = folder_digest(folder)
    >>> _ = (folder / "config.json").write_text("[]")
    >>> folder_digest(folder) == before
    False
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in name.split("/")):
            continue
        digest.update(f"{name}\0{_file_digest(path)}\n".encode())
    return digest.hexdigest()


def source_digest(provider: object) -> str | None:
    """Digest of the file in which a provider's class stands; None where it stands in none, as in a notebook."""
    try:
        path = inspect.getsourcefile(type(provider))
        return None if path is None else _file_digest(Path(path))
    except (OSError, TypeError):
        return None


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
