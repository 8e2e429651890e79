"""From texts to vectors: each text once, from the cache where it is known, else from the provider, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunkscope.errors import ProviderError
from chunkscope.questions.check import is_blank
from chunkscope.retrieval.dense.batching import Answer, RetryPolicy, send_batches
from chunkscope.retrieval.dense.vector_cache import VectorCache
from chunkscope.retrieval.providers.base import EmbeddingSpace, Provider, ProviderInfo, Role, Vectors, count_tokens
from chunkscope.spans.intervals import BoolArray, IntArray

Progress = Callable[[str, int, int], None]
STAGE = "texts"
"""What progress calls the texts that are embedded."""
TOKENS_A_PRICE_IS_FOR = 1_000_000
MOST_NAMED = 3
"""So many texts above the limit are named each time; the others are counted."""


@dataclass(frozen=True)
class OverLong:
    """A text above the model's limit: it is left out, never cut.

    Attributes
    ----------
    number : int
        Which text.
    name : str
    tokens, limit : int or None
        None where the service refused it without telling.
    """

    number: int
    name: str
    tokens: int | None
    limit: int | None
    reason: str = ""

    def __str__(self) -> str:
        if self.tokens is None:
            return f"{self.name}: refused for its size ({self.reason})"
        return f"{self.name}: {self.tokens:,} tokens, the limit of the model is {self.limit:,}"


@dataclass(frozen=True)
class EmbeddingPlan:
    """What is to be done, before anything is sent; plans of texts that are all different add up.

    Attributes
    ----------
    texts : int
        All, blank ones included.
    blank : int
        Never sent.
    unique, cached, to_send : int
        Different texts, how many of these have a vector already, and how many go to the provider.
    over_long : tuple of OverLong
    tokens : int or None
        Of the texts to send; None where the provider cannot count.
    """

    texts: int = 0
    blank: int = 0
    unique: int = 0
    cached: int = 0
    to_send: int = 0
    over_long: tuple[OverLong, ...] = ()
    tokens: int | None = 0

    def __add__(self, other: EmbeddingPlan) -> EmbeddingPlan:
        return EmbeddingPlan(
            self.texts + other.texts,
            self.blank + other.blank,
            self.unique + other.unique,
            self.cached + other.cached,
            self.to_send + other.to_send,
            self.over_long + other.over_long,
            None if self.tokens is None or other.tokens is None else self.tokens + other.tokens,
        )

    def price(self, per_million: float) -> float | None:
        """Give what the texts to send cost, by the price of a million tokens.

        Examples
        --------
        >>> EmbeddingPlan(texts=3, unique=3, cached=1, to_send=2, tokens=50_000).price(0.02)
        0.001
        """
        return None if self.tokens is None else self.tokens * per_million / TOKENS_A_PRICE_IS_FOR


@dataclass(frozen=True)
class Embedded:
    """Vectors of texts.

    Attributes
    ----------
    vectors : float32 (n, d)
        Zeros where there is none.
    present : bool (n,)
    over_long : tuple of OverLong
        Every text that was left out.
    sent : int
        Texts that went to the provider and came back.
    are_given : bool
        They stand in an index, and nothing was embedded.
    """

    vectors: Vectors
    present: BoolArray
    over_long: tuple[OverLong, ...]
    sent: int
    are_given: bool = False


@dataclass
class Embedder:
    """A provider with a store.

    Parameters
    ----------
    provider : Provider
    store : VectorCache
    notify : callable, optional
        Is told, in one line each, of texts left out and of retries.
    progress : callable, optional
        Called with ``"texts"``, how many are done, and how many there are.
    policy : RetryPolicy, optional
    settings : str
        With which the provider was made, as they were spelled.
    offline : str, optional
        Where it is given nothing is sent: a text without a vector is an error, which ends in it.

    Examples
    --------
    >>> from chunkscope.retrieval.providers import find_provider
    >>> embedder = Embedder(find_provider("hash"), VectorCache())
    >>> found = embedder.embed(["甲", "", "甲", "乙"])
    >>> found.present.tolist(), found.sent, embedder.embed(["乙"]).sent
    ([True, False, True, True], 2, 0)
    """

    provider: Provider
    store: VectorCache
    notify: Callable[[str], None] | None = None
    progress: Progress | None = None
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    settings: str = ""
    offline: str | None = None

    def __post_init__(self) -> None:
        self.info = ProviderInfo.of(self.provider, self.settings)
        self._width: int | None = None
        self._refused: dict[tuple[Role, str], _TooLong] = {}

    def plan(self, texts: Sequence[str], role: Role = "document", names: Sequence[str] = ()) -> EmbeddingPlan:
        """Tell what is to be done: how many texts, tokens, how many are cached, which are too long."""
        different = _Different(texts)
        cached = self.store.has(self.info.spaces[role], different.texts)
        new = np.flatnonzero(~cached)
        tokens = count_tokens(self.provider, different.take(new))
        left_out = self._over_long(new, tokens)
        total = None if tokens is None else int(tokens[[number not in left_out for number in new.tolist()]].sum())
        over_long = different.spread(left_out, names)
        to_send = len(new) - len(left_out)
        return EmbeddingPlan(
            len(texts), different.n_blank, len(different.texts), int(cached.sum()), to_send, over_long, total
        )

    def embed(self, texts: Sequence[str], role: Role = "document", names: Sequence[str] = ()) -> Embedded:
        """Give the vectors of texts.

        Parameters
        ----------
        texts : sequence of str
            Blank ones have no vector, and are never sent.
        role : {"document", "query"}
        names : sequence of str, optional
            What messages call the texts, such as ``rules.md#3``.

        Returns
        -------
        Embedded

        Raises
        ------
        ProviderError
            The provider fails for good, or answers with something that is no vector. All that had come back before
            is in the store.
        """
        different = _Different(texts)
        space = self.info.spaces[role]
        found, vectors = self.store.read(space, different.texts)
        if found.any():
            self._check_width(vectors.shape[1], space)
        work = _Work(different, role, names, found, vectors)
        new = np.flatnonzero(~found)
        if len(new):
            new, tokens = self._to_send(work, new)
            self._send(work, new, tokens)
        return work.embedded(int(found[new].sum()))

    def _to_send(self, work: _Work, new: IntArray) -> tuple[IntArray, IntArray | None]:
        """Choose what is sent, and name what is too long, before anything is sent."""
        for number in new.tolist():
            known = self._refused.get((work.role, work.different.texts[number]))
            if known is not None:
                work.left_out[number] = known
        new = new[[number not in work.left_out for number in new.tolist()]]
        tokens = count_tokens(self.provider, work.different.take(new)) if self.info.limits.counts_tokens else None
        work.left_out.update(self._over_long(new, tokens))
        self._tell(work)
        keep = np.array([number not in work.left_out for number in new.tolist()], dtype=np.bool_)
        return new[keep], None if tokens is None else tokens[keep]

    def _over_long(self, numbers: IntArray, tokens: IntArray | None) -> dict[int, _TooLong]:
        limit = self.info.limits.max_tokens_per_text
        if limit is None or tokens is None:
            return {}
        over = tokens > limit
        pairs = zip(numbers[over].tolist(), tokens[over].tolist(), strict=True)
        return {number: (count, limit, "") for number, count in pairs}

    def _send(self, work: _Work, numbers: IntArray, tokens: IntArray | None) -> None:
        if not len(numbers):
            return
        if self.offline is not None:
            total, what = len(work.different.texts), "questions" if work.role == "query" else "chunks"
            lacking = f"{len(numbers):,} of {total:,} {what} have no vector in the cache"
            raise ProviderError(f"{self.provider.id}: {lacking}, and nothing is sent; {self.offline}")
        embed = self.provider.embed_documents if work.role == "document" else self.provider.embed_queries
        answers = send_batches(
            work.different.take(numbers),
            embed,
            self.info.limits,
            tokens,
            name=self.provider.id,
            secrets=self.info.secrets,
            policy=self.policy,
            notify=self.notify,
        )
        done = 0
        if self.progress:
            self.progress(STAGE, 0, len(numbers))
        for answer in answers:
            self._keep(work, numbers[list(answer.numbers)], answer)
            done += len(answer.numbers)
            if self.progress:
                self.progress(STAGE, done, len(numbers))

    def _keep(self, work: _Work, places: IntArray, answer: Answer) -> None:
        """Keep what came back, before anything else happens."""
        if answer.refused:
            number = int(places[0])
            work.left_out[number] = (None, None, answer.refused)
            self._refused[work.role, work.different.texts[number]] = work.left_out[number]
            self._tell(work, [number])
            return
        space = self.info.spaces[work.role]
        self._check_width(answer.vectors.shape[1], space)
        finite = np.isfinite(answer.vectors).all(axis=1)
        work.take_over(places[finite], answer.vectors[finite])
        self.store.write(space, work.different.take(places[finite]), answer.vectors[finite])
        if not finite.all():
            bad = work.different.firsts[int(places[~finite][0])]
            raise ProviderError(
                f"{self.provider.id}: the vector of {_name(work.names, bad)} holds numbers that are not finite; "
                "it is not kept, all others are"
            )

    def _check_width(self, width: int, space: EmbeddingSpace) -> None:
        """Refuse vectors of another length than those before them: they cannot be compared."""
        asked = space.dimensions
        if asked is not None and width != asked:
            raise ProviderError(
                f"{self.provider.id}: vectors of {width} numbers where {asked} dimensions were asked for"
            )
        held = self._width or self.store.width(space)
        if held is not None and held != width:
            raise ProviderError(
                f"{self.provider.id}: vectors of {width} numbers where those before have {held}: the model has changed "
                f"under one name; `chunkscope cache prune --provider {space.provider}` deletes the old ones"
            )
        self._width = width

    def _tell(self, work: _Work, numbers: Sequence[int] = ()) -> None:
        if not self.notify:
            return
        left_out = {number: work.left_out[number] for number in numbers} if numbers else work.left_out
        told = work.different.spread(left_out, work.names)
        for text in told[:MOST_NAMED]:
            self.notify(f"warning: {text}; it is left out")
        if len(told) > MOST_NAMED:
            self.notify(f"warning: {len(told) - MOST_NAMED} more texts are above the limit and left out")


_TooLong = tuple[int | None, int | None, str]
"""Tokens and limit, where they are known, and what the service said."""


class _Different:
    """The different texts among some, blank ones left out.

    Attributes
    ----------
    texts : list of str
    firsts : list of int
        Where each stands first.
    owners : int64 (n,)
        For each of all texts the different one; -1 for blank ones.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        places: dict[str, int] = {}
        self.firsts: list[int] = []
        self.owners: IntArray = np.empty(len(texts), dtype=np.int64)
        for number, text in enumerate(texts):
            place = places.get(text)
            if place is None:
                if is_blank(text):
                    place = -1
                else:
                    place = len(self.firsts)
                    self.firsts.append(number)
                places[text] = place
            self.owners[number] = place
        self.texts = [text for text, place in places.items() if place >= 0]
        self.n_blank = int(np.count_nonzero(self.owners < 0))

    def take(self, numbers: IntArray) -> list[str]:
        """Give some of the different texts."""
        return [self.texts[number] for number in numbers.tolist()]

    def spread(self, left_out: Mapping[int, _TooLong], names: Sequence[str]) -> tuple[OverLong, ...]:
        """Name every text, repeated ones too, that is left out."""
        if not left_out:
            return ()
        places = np.flatnonzero(np.isin(self.owners, list(left_out))).tolist()
        return tuple(OverLong(place, _name(names, place), *left_out[int(self.owners[place])]) for place in places)


@dataclass
class _Work:
    """Texts on their way to vectors."""

    different: _Different
    role: Role
    names: Sequence[str]
    found: BoolArray
    vectors: Vectors
    left_out: dict[int, _TooLong] = field(default_factory=dict)

    def take_over(self, numbers: IntArray, vectors: Vectors) -> None:
        """Put vectors in their places."""
        if not self.vectors.shape[1]:
            self.vectors = np.zeros((len(self.different.texts), vectors.shape[1]), dtype=np.float32)
        self.vectors[numbers] = vectors
        self.found[numbers] = True

    def embedded(self, sent: int) -> Embedded:
        """Give each text its vector."""
        owners = self.different.owners
        present = owners >= 0
        present[present] = self.found[owners[present]]
        if len(owners) == len(self.vectors) and present.all():
            vectors = self.vectors  # each text once: nothing to spread, and it can be much
        elif not len(self.vectors):
            vectors = np.zeros((len(owners), 0), dtype=np.float32)
        else:
            vectors = self.vectors[np.maximum(owners, 0)]
            vectors[~present] = 0.0
        return Embedded(vectors, present, self.different.spread(self.left_out, self.names), sent)


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else f"text {number}"
