"""``chunkscope inspect``: what a splitter or an index makes of documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import look_of, open_output
from chunkscope.cli.program import FAILED

EPILOG = """\b
Examples:
  chunkscope inspect docs --chunker langchain:recursive
  chunkscope inspect docs --chunker langchain:token,llamaindex:sentence --size 128 --overlap 16
  chunkscope inspect docs --chunker my_chunking:split --format json
  chunkscope inspect docs --chunks chunks.jsonl

\b
Exit status: 0 looked at all of it, 2 a splitter failed on a document, or could not look."""


@click.command(
    "inspect",
    short_help="Show what a splitter does to the text.",
    cls=options.ConfiguredCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.setting_options
@options.index_options
@options.allow_code_option
@click.option(
    "--places",
    metavar="N",
    type=options.WholeNumber(min=0),
    default=3,
    show_default=True,
    help="How many places of each kind are shown.",
)
@options.format_option("text", "json")
@options.output_option
@options.field_option
@options.corpus_options
@options.message_options
def command(**flags: Any) -> None:
    """Find out where the pieces of a splitter, or the chunks of an index, lie, and what is wrong with them.

    Pieces are exact, normalised, prepended to, or found nowhere. Also counted, and shown with the first places: wrong
    offsets, text in no piece, pieces inside others and above the size, torn characters, tables that are cut, rows
    without their header. Without a size a splitter keeps its own. Nothing is taken from the cache.
    """
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.runs import warn_of_indexes
    from chunkscope.cli.settings import load_units, read_settings
    from chunkscope.language import say
    from chunkscope.reports.inspection_text import could_not_split, render_inspection
    from chunkscope.reports.json_report import write_object
    from chunkscope.splitters.inspection import inspect_pieces

    inputs = Inputs.of(flags)
    chunkers = read_settings(flags)
    load_units(*(chunker.unit for chunker in chunkers))
    inputs.check_outputs(flags["output"], also_read=flags["chunks"])
    corpus = inputs.read_corpus()
    warn_of_indexes(chunkers, corpus, inputs.messages)
    chunkers = [chunker.for_corpus(corpus.names, corpus.path) for chunker in chunkers]
    found = []
    with inputs.messages.progress() as progress:
        for number, chunker in enumerate(chunkers):
            told = partial(_tell, progress, number * len(corpus), len(chunkers) * len(corpus)) if progress else None
            found.append(inspect_pieces(corpus, chunker, flags["places"], told))
    with open_output(flags["output"], flags["output_format"]) as file:
        if flags["output_format"] == "json":
            record = {"format": 1, "inspections": [one.to_dict() for one in found]}
            file.write(write_object(record, {"inspections"}))
        else:
            look = look_of(flags["output"], flags["lang"])
            file.write("\n".join(render_inspection(one, look) for one in found))
    failed = [one for one in found if one.failures]
    inputs.messages.fail(*(say("{id}: {text}", id=one.chunker, text=could_not_split(one)) for one in failed))
    if failed:
        click.get_current_context().exit(FAILED)


def _tell(progress: Callable[[str, int, int], None], before: int, total: int, seen: int) -> None:
    progress("documents", before + seen, total)
