"""``chunkscope chunks``: the chunks themselves."""

from __future__ import annotations

import json
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import open_output
from chunkscope.cli.program import FAILED

EPILOG = """\b
Examples:
  chunkscope chunks docs --size 400 --overlap 1/6 > chunks.jsonl
  chunkscope chunks docs --chunker "heading(prepend=headings+title)" -o chunks.jsonl
  chunkscope chunks docs --chunker token --size 256"""


@click.command(
    "chunks",
    short_help="Write the chunks of one setting, for indexing.",
    cls=options.ConfiguredCommand,
    epilog=EPILOG,
)
@options.corpus_argument
@options.setting_options
@options.splitter_options
@options.output_option
@options.field_option
@options.corpus_options
@options.message_options
def command(**flags: Any) -> None:
    """Write the chunks of one setting as JSON lines, for indexing.

    `index_text` is what to index: what the chunk prepends, a line each, and its text. Leave out those that are `blank`:
    nothing in them can be seen, or they are token windows (`raw=true`) without a whole character, with `start`, `end`
    and `lines` null. Titles are shortened after 300 characters, and attributes above 10,000 left out.
    """
    from chunkscope.chunkers.chunk_rows import MOST_ATTRIBUTES, fitting_attributes, list_chunks
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.runs import warn_of_splitters
    from chunkscope.cli.settings import load_units, read_setting
    from chunkscope.errors import SplitterError
    from chunkscope.language import say

    inputs = Inputs.of(flags)
    chunker, _ = read_setting(flags)
    load_units(chunker.unit)
    warn_of_splitters([chunker], inputs.messages)
    inputs.check_outputs(flags["output"])
    corpus = inputs.read_corpus()
    failed: list[str] = []
    with open_output(flags["output"], "json") as file, inputs.messages.progress(beside=file) as progress:
        for seen, document in enumerate(corpus, 1):
            if progress:
                progress("documents", seen, len(corpus))
            try:
                for row in list_chunks([document], chunker):
                    file.write(json.dumps(row.to_dict(), ensure_ascii=False) + "\n")
            except SplitterError as error:  # it is cut before the first row is written
                failed.append(str(error))
                continue
            fitting = fitting_attributes(document)
            lacking = [name for name in document.attributes if name not in fitting]
            if lacking:
                told = say(
                    "{path}: above {n:,} characters, attributes are left out: {names:, }",
                    path=document.name,
                    n=MOST_ATTRIBUTES,
                    names=lacking,
                )
                inputs.messages.warn(told)
    inputs.messages.fail(*failed)
    if failed:
        click.get_current_context().exit(FAILED)
