"""``chunkscope sweep``: the grid."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from chunkscope.cli import options
from chunkscope.cli.console import Messages
from chunkscope.cli.outputs import ended, look_of, open_output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor

    from chunkscope.chunkers import Chunker
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.settings import WantedGrid
    from chunkscope.corpus.reading import Corpus
    from chunkscope.grid.limits import ModelLimit
    from chunkscope.grid.results import SweepResult
    from chunkscope.grid.scan import Progress
    from chunkscope.grid.sweep import Sweep
    from chunkscope.measures.base import Measure
    from chunkscope.measures.findings import Finding
    from chunkscope.questions.labels import Labels
    from chunkscope.reports.base import ReportOptions

ADVISED = "advised"

EPILOG = """\b
Examples:
  chunkscope sweep --demo
  chunkscope sweep docs -q questions.jsonl
  chunkscope sweep docs -q questions.jsonl --why 300/50
  chunkscope sweep docs --chunker fixed,sentence --sizes 100..1000:50 --overlaps 0,1/6
  chunkscope sweep docs --chunker "heading(prepend=headings, merge=true)" --unit cl100k_base
  chunkscope sweep docs --format json -o result.json"""


@click.command(
    "sweep",
    short_help="Cut at every setting of a grid, and count what it does.",
    cls=options.GroupedCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.questions_option
@options.grid_options
@options.index_options
@options.splitter_options
@options.all_option
@click.option("--chart", is_flag=True, help="Draw what each size loses.")
@click.option(
    "--by-document",
    metavar="[SIZE/OVERLAP]",
    is_flag=False,
    flag_value=ADVISED,
    help="Show what each document loses, at the advised cell or at one setting.",
)
@click.option("--why", metavar="SIZE[/OVERLAP]", type=options.FILLED, help="Show each cut that matters at one setting.")
@options.model_options
@options.report_option("sweep")
@options.output_option
@options.plot_option
@options.ids_option
@options.skip_option
@options.field_option
@options.corpus_options
@click.option("--count-tokens", metavar="[ENCODING]", help="Count the tokens to embed [cl100k_base].")
@options.price_option
@click.option("--measure", metavar="NAME", multiple=True, help="Count what an installed package measures.")
@click.option("--no-cuts", is_flag=True, help="Do not class the ends of chunks; faster.")
@click.option(
    "--jobs",
    type=options.WholeNumber(min=1),
    metavar="N",
    help="Processes [all cores where it pays].",
)
@options.dask_option
@options.message_options
def command(**flags: Any) -> None:
    """Cut documents at every setting of a grid, and count what each does to them.

    CORPUS is a folder, a file, or a file of JSON lines with documents. Without it, what [tool.chunkscope] names, else
    the folder "corpus" here.
    """
    from chunkscope.cli.runs import (
        end_with_failures,
        write_plot,
    )

    if flags["why"] and flags["output_format"] != "table":
        raise options.usage_error("--why goes with --format table")
    for name in ("by_document", "chart"):
        if flags[name] and flags["output_format"] != "table":
            raise options.usage_error(f"--{name.replace('_', '-')} goes with --format table")
    result, _, inputs = run(flags)
    text = _report(result, flags, inputs.messages)
    look = look_of(flags["output"], flags["lang"])
    text += _closer(result, flags)
    text += "".join(f"\n{_why(*found, look)}" for found in result.findings.items())
    with open_output(flags["output"], flags["output_format"]) as file:
        file.write(text)
    write_plot(result, flags["plot"], flags["lang"])
    end_with_failures(result, inputs.messages)


class Ran(NamedTuple):
    """A sweep that was run, its grid, and what it read."""

    result: SweepResult
    sweep: Sweep
    inputs: Inputs


def run(flags: dict[str, Any]) -> Ran:
    """Read what the options ask for, and count it."""
    from chunkscope.cli.cluster import dask_executor
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.runs import read_all
    from chunkscope.cli.settings import load_units, read_grid, read_why
    from chunkscope.grid.advice import Tolerance
    from chunkscope.grid.limits import find_limit
    from chunkscope.measures.base import find_measure

    further = [find_measure(name) for name in flags["measure"]]
    wanted = read_grid(flags)
    if flags["why"]:
        read_why(wanted, flags["why"])
    limit = find_limit(flags["model"], flags["model_limit"], flags["model_unit"])
    Tolerance.parse("2%" if flags["tolerance"] is None else flags["tolerance"])
    if flags["price"] is not None:
        flags["count_tokens"] = flags["count_tokens"] or options.DEFAULT_ENCODING
    load_units(*(chunker.unit for chunker in wanted.chunkers), flags["count_tokens"], limit.unit)

    inputs = Inputs.of(flags)
    corpus, wanted, labels = read_all(inputs, wanted)
    why = read_why(wanted, flags["why"]) if flags["why"] else ()
    with dask_executor(flags["dask"]) as executor, inputs.messages.progress() as progress:
        sweep = _prepare(corpus, labels, wanted, further, why, limit, inputs, progress, executor)
        return Ran(sweep.run(), sweep, inputs)


def _prepare(
    corpus: Corpus,
    labels: Labels | None,
    wanted: WantedGrid,
    measures: Sequence[Measure],
    why: Sequence[Chunker],
    limit: ModelLimit,
    inputs: Inputs,
    progress: Progress | None,
    executor: Executor | None,
) -> Sweep:
    from chunkscope.cli.runs import kept_settings, n_splitter_cells
    from chunkscope.grid.processes import worthwhile_jobs
    from chunkscope.grid.sweep import prepare_sweep

    flags = inputs.flags
    return prepare_sweep(
        corpus,
        labels,
        chunkers=wanted.grid,
        skip_bad_labels=flags["skip_bad_labels"],
        with_ids=True if flags["ids"] else None,
        with_cuts=not flags["no_cuts"],
        count_tokens=flags["count_tokens"],
        measures=measures,
        explain=why,
        by_document=_documents_at(wanted, flags["by_document"]),
        model_limit=limit,
        tolerance=flags["tolerance"] or "2%",
        closely=flags["by_document"] == ADVISED,
        settings=kept_settings(wanted, inputs, flags, "count_tokens", "price"),
        jobs=1 if executor else flags["jobs"] or worthwhile_jobs(corpus.n_bytes * n_splitter_cells(wanted.grid)),
        executor=executor,
        progress=progress,
    )


def _documents_at(wanted: WantedGrid, text: str | None) -> Sequence[Chunker]:
    """Give the settings at which documents are counted one by one, but the advised one, which always is."""
    from chunkscope.cli.settings import read_why

    return () if text in (None, ADVISED) else read_why(wanted, text, "--by-document")


def _report(result: SweepResult, flags: Mapping[str, Any], messages: Messages) -> str:
    from chunkscope.reports.advice_text import left_out
    from chunkscope.reports.base import SWEEP, write_report
    from chunkscope.reports.visible import visible

    if flags["output_format"] == "csv":
        messages.warn(*left_out(result, visible))  # it has no room for that
    look = dataclasses.replace(look_of(flags["output"], flags["lang"]), all_rows=flags["all_rows"])
    return write_report(flags["output_format"], SWEEP, result, look)


def _why(chunker: str, findings: Sequence[Finding], look: ReportOptions) -> str:
    from chunkscope.reports.why import render_why

    return f"{chunker}\n{ended(render_why(findings, look))}"


def _closer(result: SweepResult, flags: Mapping[str, Any]) -> str:
    """Give the curves and the documents, where they are asked for."""
    from chunkscope.reports.sweep_text import render_chart, render_documents

    look = dataclasses.replace(look_of(flags["output"], flags["lang"]), all_rows=flags["all_rows"])
    parts = [render_chart(result, look)] if flags["chart"] else []
    parts += [render_documents(result, look)] if flags["by_document"] else []
    return "".join(f"\n{part}" for part in parts if part)
