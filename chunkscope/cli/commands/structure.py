"""``chunkscope structure``: what a document is made of."""

from __future__ import annotations

import json
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.console import Messages, check_output, open_output

EPILOG = """\b
Example:
  chunkscope structure docs/rules.md"""


@click.command("structure", short_help="Write what a document is made of, as spans.", epilog=EPILOG)
@options.document_argument
@options.reading_options
@options.output_option
@options.message_options
def command(**flags: Any) -> None:
    """Write headings, sections, tables, code blocks and sentences of DOCUMENT as spans, in JSON."""
    from chunkscope.cli import inputs
    from chunkscope.structure.analysis import DocumentAnalysis

    messages = Messages(flags["quiet"], flags["verbose"])
    config = inputs.load_config(messages)
    check_output(flags["output"], flags["document"], config.path)
    document = inputs.Reading.of(config, flags).read_one(flags["document"], messages)
    with open_output(flags["output"], "json") as file:
        file.write(json.dumps(DocumentAnalysis(document).to_dict(), ensure_ascii=False) + "\n")
