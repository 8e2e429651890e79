"""``chunkscope sweep``: the grid."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options, retrieval
from chunkscope.cli.console import Messages
from chunkscope.cli.outputs import ended, look_of, open_output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chunkscope.chunkers import Chunker
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.settings import WantedGrid
    from chunkscope.corpus.reading import Corpus
    from chunkscope.grid.results import SweepResult
    from chunkscope.grid.scan import Progress
    from chunkscope.grid.sweep import Sweep
    from chunkscope.measures.base import Measure
    from chunkscope.measures.findings import Finding
    from chunkscope.questions.labels import Labels
    from chunkscope.reports.base import ReportOptions

EPILOG = """\b
Examples:
  chunkscope sweep --demo
  chunkscope sweep docs -q questions.jsonl
  chunkscope sweep docs -q questions.jsonl --why 300/50
  chunkscope sweep docs -q questions.jsonl --retriever bm25 -k 1,3,5,10
  chunkscope sweep docs --chunker fixed,sentence --sizes 100..1000:50 --overlaps 0,1/6
  chunkscope sweep docs --chunker "heading(prepend=headings, merge=true)" --unit cl100k_base
  chunkscope sweep docs --format json -o result.json"""


@click.command(
    "sweep",
    short_help="Cut at every setting of a grid, and count what it does.",
    cls=options.ConfiguredCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.questions_option
@options.grid_options
@click.option("--all", "all_rows", is_flag=True, help="Show every cell of the grid.")
@click.option("--why", metavar="SIZE[/OVERLAP]", type=options.FILLED, help="Show each cut that matters at one setting.")
@options.report_option("sweep")
@options.output_option
@click.option("--ids", is_flag=True, help="Name the split questions even in grids above 1,000 cells.")
@click.option("--skip-bad-labels", is_flag=True, help="Leave questions with label problems out, and list them.")
@options.field_option
@options.corpus_options
@click.option("--count-tokens", metavar="[ENCODING]", help="Count the tokens to embed [cl100k_base].")
@click.option("--price", type=options.Number(min=0), metavar="N", help="Price of a million tokens to embed.")
@retrieval.retrieval_options
@click.option(
    "--measure", metavar="NAME", multiple=True, help="Count what an installed package measures too; repeatable."
)
@click.option("--no-cuts", is_flag=True, help="Do not class the ends of chunks; faster.")
@click.option(
    "--jobs",
    type=options.WholeNumber(min=1),
    metavar="N",
    help="Processes that share the work [all cores where it pays].",
)
@options.message_options
def command(**flags: Any) -> None:
    """Cut documents at every setting of a grid, and count what each does to them.

    CORPUS is a folder, a file, or a file of JSON lines with documents. Without it, what [tool.chunkscope] names, else
    the folder "corpus" here.
    """
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.settings import load_units, read_grid, read_why
    from chunkscope.measures.base import find_measure

    if flags["why"] and flags["output_format"] != "table":
        raise options.usage_error("--why goes with --format table")
    retrieval.check_options(flags)
    further = [find_measure(name) for name in flags["measure"]]
    with_vectors = retrieval.has_vectors(flags)
    wanted = read_grid(flags, *([retrieval.FIRST_SIZES, retrieval.FIRST_OVERLAPS] if with_vectors else []))
    why = read_why(wanted, flags["why"]) if flags["why"] else ()
    if flags["price"] is not None and not with_vectors:
        flags["count_tokens"] = flags["count_tokens"] or options.DEFAULT_ENCODING
    load_units(*(chunker.unit for chunker in wanted.chunkers), flags["count_tokens"])

    inputs = Inputs.of(flags)
    inputs.check_outputs(flags["output"])
    corpus = inputs.read_corpus()
    labels = _read_labels(corpus, inputs)
    with retrieval.found_retrievers(flags, inputs.messages) as retrievers:
        measures = [
            *retrieval.retrieval_measures(flags, labels, wanted.chunkers, retrievers),
            *further,
        ]
        with inputs.messages.progress() as progress:
            sweep = _prepare(corpus, labels, wanted, measures, why, inputs, progress)
            if flags["dry_run"]:
                text = retrieval.dry_run(sweep, flags)
            else:
                if with_vectors:
                    retrieval.announce(sweep, flags, inputs.messages, progress)
                result = retrieval.summarised(sweep.run(), flags)
        if not flags["dry_run"]:
            text = _report(result, flags, inputs.messages)
            look = look_of(flags["output"], flags["lang"])
            text += "".join(f"\n{_why(*found, look)}" for found in result.findings.items())
    with open_output(flags["output"], flags["output_format"]) as file:
        file.write(text)


def _read_labels(corpus: Corpus, inputs: Inputs) -> Labels | None:
    from chunkscope.errors import LabelError
    from chunkscope.language import say
    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    if questions is None:
        return None
    labels = check_labels(corpus, questions)
    inputs.messages.warn(*(say("{path}: {text}", path=questions.path, text=text) for text in labels.warnings))
    if not inputs.flags["skip_bad_labels"]:
        try:
            labels.require_valid()
        except LabelError as error:
            raise LabelError(
                f"{questions.path}: {error}; `chunkscope labels` shows all, --skip-bad-labels leaves such questions out"
            ) from None
    if labels.excluded:
        n, total = len(labels.excluded), labels.total
        told = say("{n:,} of {total:,} questions left out: they have label problems", n=n, total=total)
        if not labels.valid:
            told = say("{text}; no question with evidence is left, so there is nothing to count", text=told)
        inputs.messages.warn(say("{path}: {text}", path=questions.path, text=told))
    return labels


def _prepare(
    corpus: Corpus,
    labels: Labels | None,
    wanted: WantedGrid,
    measures: Sequence[Measure],
    why: Sequence[Chunker],
    inputs: Inputs,
    progress: Progress | None,
) -> Sweep:
    from chunkscope.grid.batches import worthwhile_jobs
    from chunkscope.grid.sweep import prepare_sweep

    flags = inputs.flags
    chosen = {"unit": ",".join(flags["unit"]) or None, "count_tokens": flags["count_tokens"], "price": flags["price"]}
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
        settings={**wanted.settings, **inputs.settings, **chosen},
        # vectors stand in one cache, and models take all cores themselves
        jobs=1 if retrieval.has_vectors(flags) else flags["jobs"] or worthwhile_jobs(corpus.n_bytes),
        progress=progress,
    )


def _report(result: SweepResult, flags: Mapping[str, Any], messages: Messages) -> str:
    from chunkscope.reports.base import SWEEP, write_report
    from chunkscope.reports.visible import visible
    from chunkscope.reports.wording import left_out

    if flags["output_format"] == "csv":
        messages.warn(*left_out(result, visible))  # it has no room for that
    look = dataclasses.replace(look_of(flags["output"], flags["lang"]), all_rows=flags["all_rows"])
    return write_report(flags["output_format"], SWEEP, result, look)


def _why(chunker: str, findings: Sequence[Finding], look: ReportOptions) -> str:
    from chunkscope.reports.why import render_why

    told = render_why(findings, width=look.width, color=look.color, ascii=look.ascii, lang=look.lang)
    return f"{chunker}\n{ended(told)}"
