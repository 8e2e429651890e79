"""``chunkscope sweep``: the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import embedding, options, ranking
from chunkscope.cli.console import Look, Messages, check_output, ended, look_of, open_output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chunkscope.chunkers import Chunker
    from chunkscope.config import Config
    from chunkscope.corpus.reading import Corpus
    from chunkscope.grid.notation import Grid
    from chunkscope.grid.results import SweepResult
    from chunkscope.measures.base import Measure
    from chunkscope.questions.labels import Labels
    from chunkscope.questions.question import QuestionFile

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
    cls=options.OptionalValueCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.questions_option
@options.ways_options
@click.option("--sizes", metavar="LIST", help="Sizes: 50..800, 50..800:25 or 100,200 [default: 50..800].")
@click.option("--overlaps", metavar="LIST", help="Overlaps: units, or shares: 0,50,1/6,15% [default: 1/6].")
@click.option("--all", "all_rows", is_flag=True, help="Show every cell of the grid.")
@click.option("--why", metavar="SIZE[/OVERLAP]", type=options.FILLED, help="Show each cut that matters at one setting.")
@options.format_option("table", "json", "csv", "markdown")
@options.output_option
@click.option("--ids", is_flag=True, help="Name the split questions even in grids above 1,000 cells.")
@click.option("--skip-bad-labels", is_flag=True, help="Leave questions with label problems out, and list them.")
@options.field_option
@options.corpus_options
@click.option("--count-tokens", metavar="[ENCODING]", help="Count the tokens to embed [cl100k_base].")
@click.option("--price", type=options.Number(min=0), metavar="N", help="Price of a million tokens to embed.")
@ranking.retrieval_options
@embedding.embedding_options
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
    from chunkscope.cli import inputs
    from chunkscope.cli.settings import read_grid, read_why
    from chunkscope.reports.width import visible
    from chunkscope.reports.wording import left_out

    if flags["why"] and flags["output_format"] != "table":
        raise click.UsageError("--why goes with --format table", click.get_current_context())
    ranks = ranking.wants_retrieval(flags)
    messages = Messages(flags["quiet"], flags["verbose"])
    config = inputs.load_config(messages, flags["demo"])
    with_vectors = embedding.embeds(flags["retriever"])
    if flags["cache"] and not with_vectors:
        raise click.UsageError(
            "--cache keeps vectors; it goes with a retriever that has some", click.get_current_context()
        )
    if with_vectors:
        embedding.first_grid(flags, config)
    wanted = read_grid(config, flags["chunker"], flags["unit"], flags["sizes"], flags["overlaps"])
    why = read_why(wanted.grid, flags["why"]) if flags["why"] else ()
    if flags["price"] is not None and not flags["count_tokens"] and not with_vectors:
        flags["count_tokens"] = options.DEFAULT_ENCODING
    _load_units((*wanted.grid.chunkers, *why), flags["count_tokens"])

    corpus, labels, settings = _read(config, flags, messages)
    with embedding.found_retrievers(flags, messages) as retrievers:
        measures = ranking.retrieval_measures(flags, labels, wanted.grid.chunkers, retrievers) if ranks else []
        if flags["dry_run"]:
            with open_output(flags["output"]) as file:
                file.write(ended(embedding.dry_run(corpus, measures, wanted.grid.chunkers, flags)))
            return
        result = _run(corpus, labels, wanted.grid, measures, {**wanted.settings, **settings}, flags, messages)
    look = look_of(flags["output"])
    if flags["output_format"] == "csv":
        messages.warn(*left_out(result, visible))  # it has no room for that
    text = _report(ranking.summarised(result, flags), look, flags, with_ranking=ranks)
    for chunker in why:
        text += "\n" + _why(corpus, labels, chunker, look)
    with open_output(flags["output"], flags["output_format"]) as file:
        file.write(text)


def _read(config: Config, flags: Mapping[str, Any], messages: Messages) -> tuple[Corpus, Labels | None, dict[str, Any]]:
    """Read documents and questions; give also what was held fixed."""
    from chunkscope.cli import inputs

    path, asked = inputs.choose_paths(config, flags)
    reading = inputs.Reading.of(config, flags)
    check_output(flags["output"], path, asked, config.path, names=reading.names)
    corpus = inputs.open_corpus(path, reading, messages)
    questions = inputs.open_questions(asked, config, flags["map_field"], messages) if asked else None
    labels = _sound_labels(corpus, questions, flags["skip_bad_labels"], messages) if questions else None
    unit = config.choose("unit", ",".join(flags["unit"]) or None, None)
    chosen = {key: flags[key] for key in ("count_tokens", "price")}
    return corpus, labels, {**reading.settings, "unit": unit, **chosen}


def _load_units(chunkers: Sequence[Chunker], count_tokens: str | None) -> None:
    """Load what sizes are counted in: what is not installed is said before anything is read."""
    from chunkscope.structure.units import get_unit

    for unit in sorted({*(chunker.unit for chunker in chunkers), count_tokens or "char"}):
        get_unit(unit).measure("")


def _run(
    corpus: Corpus,
    labels: Labels | None,
    grid: Grid,
    measures: Sequence[Measure],
    settings: Mapping[str, Any],
    flags: Mapping[str, Any],
    messages: Messages,
) -> SweepResult:
    from chunkscope.grid.processes import worthwhile_jobs
    from chunkscope.grid.sweep import sweep

    with_vectors = embedding.embeds(flags["retriever"])
    with messages.progress() as progress:
        if with_vectors:
            embedding.begin(corpus, measures, grid.chunkers, flags, messages, progress)
        return sweep(
            corpus,
            labels,
            chunkers=grid,
            skip_bad_labels=flags["skip_bad_labels"],
            with_ids=True if flags["ids"] else None,
            with_cuts=not flags["no_cuts"],
            count_tokens=flags["count_tokens"],
            measures=measures,
            settings=settings,
            # vectors stand in one cache, and models take all cores themselves
            jobs=1 if with_vectors else flags["jobs"] or worthwhile_jobs(corpus.n_bytes),
            progress=progress,
        )


def _sound_labels(corpus: Corpus, questions: QuestionFile, skip_bad_labels: bool, messages: Messages) -> Labels:
    from chunkscope.errors import LabelError
    from chunkscope.questions.check import check_labels

    labels = check_labels(corpus, questions)
    messages.warn(*(f"{questions.path}: {warning}" for warning in labels.warnings))
    if not skip_bad_labels:
        try:
            labels.require_valid()
        except LabelError as error:
            raise LabelError(
                f"{questions.path}: {error}; `chunkscope labels` shows all, --skip-bad-labels leaves such questions out"
            ) from None
    if labels.excluded:
        left = "" if labels.valid else "; none with evidence is left, so there is nothing to count"
        some = f"{len(labels.excluded):,} of {labels.total:,} questions"
        messages.warn(f"{questions.path}: {some} have label problems, left out{left}")
    return labels


def _report(result: SweepResult, look: Look, flags: Mapping[str, Any], *, with_ranking: bool) -> str:
    from chunkscope import reports

    if flags["output_format"] == "json":
        return ended(reports.to_json(result))
    if flags["output_format"] == "csv":
        return ended(reports.to_csv(result))
    if flags["output_format"] == "markdown":
        return ended(reports.to_markdown(result))
    rows = flags["all_rows"]
    text = ended(reports.render_sweep(result, width=look.width, all_rows=rows, color=look.color, ascii=look.ascii))
    if with_ranking:
        from chunkscope.reports.retrieval_text import render_retrieval

        text += "\n" + ended(render_retrieval(result, width=look.width, all_rows=rows, ascii=look.ascii))
    return text


def _why(corpus: Corpus, labels: Labels | None, chunker: Chunker, look: Look) -> str:
    from chunkscope.gate.findings import find_boundary_problems
    from chunkscope.reports import render_why

    findings = find_boundary_problems(corpus, labels.valid if labels else (), chunker)
    told = render_why(findings, width=look.width, color=look.color, ascii=look.ascii)
    return f"{chunker}\n{ended(told)}"
