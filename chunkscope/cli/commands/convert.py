"""``chunkscope convert``: PDF, Word, Excel and other files to Markdown, with a manifest of their pages."""

from __future__ import annotations

import os
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import leads_out
from chunkscope.cli.program import FAILED
from chunkscope.errors import InputError

EPILOG = """\b
Examples:
  chunkscope convert reports -o docs
  chunkscope convert handbook.pdf -o docs
  chunkscope convert reports -o docs --exclude drafts"""


@click.command("convert", short_help="Convert PDF, Word and other files to Markdown.", epilog=EPILOG)
@click.argument("source", type=options.FILLED)
@click.option("-o", "--output", metavar="FOLDER", type=options.FILLED, required=True, help="The folder to write to.")
@click.option("--include", metavar="GLOB", multiple=True, help="Convert these files only; repeatable.")
@click.option("--exclude", metavar="GLOB", multiple=True, help="Leave files or folders out; repeatable.")
@click.option("--force", is_flag=True, help="Convert all anew, over what was changed or written by others.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=options.Number(min=0, min_open=True),
    default=600,
    show_default=True,
    help="What one file may take.",
)
@options.message_options
def command(source: str, output: str, **flags: Any) -> None:
    """Convert SOURCE, a file or a folder with all below it, to Markdown files in a folder.

    PDF, DOCX, PPTX, XLSX, HTML and more; a.pdf becomes a.pdf.md, and files of text are copied. Only what has changed is
    converted again. What cannot be converted is named, and the rest goes on; the exit status is 2 then. The manifest
    chunkscope-manifest.json knows the pages, so that findings name them. Nothing is sent anywhere, and no text is
    recognised in images.
    """
    from chunkscope.cli.inputs import start
    from chunkscope.convert.run import convert
    from chunkscope.corpus.name_filter import NameFilter, ignored_files
    from chunkscope.language import in_language, say
    from chunkscope.reports.visible import visible

    messages = start(flags)
    if leads_out(output):
        raise InputError(
            f"{output}: a link leads it out of its folder, to {os.path.realpath(output)}; name that folder"
        )
    names = NameFilter(flags["include"], flags["exclude"])
    with messages.progress() as progress:
        told = None if progress is None else lambda done, total: progress("documents", done, total)
        done = convert(source, output, names=names, force=flags["force"], timeout=flags["timeout"], told=told)
    messages.warn(*done.warnings)
    if done.ignored:
        messages.warn(ignored_files(done.ignored))
    messages.fail(*(say("{id}: {text}", id=name, text=reason) for name, reason in done.failures.items()))
    summary = say(
        "{path}: {n:,} converted, {same:,} unchanged, {bad:,} failed",
        path=output,
        n=len(done.converted),
        same=len(done.unchanged),
        bad=len(done.failures),
    )
    click.echo(visible(in_language(summary, flags["lang"])))
    if done.failures:
        click.get_current_context().exit(FAILED)
