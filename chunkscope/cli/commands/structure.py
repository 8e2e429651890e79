"""``chunkscope structure``: what a document is made of."""

from __future__ import annotations

import json
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import open_output

EPILOG = """\b
Example:
  chunkscope structure docs/rules.md"""


@click.command(
    "structure",
    short_help="Write what a document is made of, as spans.",
    cls=options.ConfiguredCommand,
    epilog=EPILOG,
)
@options.document_argument
@options.reading_options
@options.output_option
@options.message_options
def command(**flags: Any) -> None:
    """Write headings, sections, tables, code blocks and sentences of DOCUMENT as spans, in JSON."""
    from chunkscope.cli.inputs import Inputs
    from chunkscope.structure.analysis import DocumentAnalysis

    inputs = Inputs.of(flags)
    inputs.check_outputs(flags["output"])
    document = inputs.read_document()
    with open_output(flags["output"], "json") as file:
        file.write(json.dumps(DocumentAnalysis(document).to_dict(), ensure_ascii=False) + "\n")
