"""``chunkscope init``: a first configuration and a first questions file."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from chunkscope.cli import options

USUAL_FOLDERS = ("corpus", "docs", "documents", "doc")

EPILOG = """\b
Examples:
  chunkscope init
  chunkscope init handbook --n 40"""


@click.command("init", epilog=EPILOG)
@options.corpus_argument
@options.field_option
@click.option(
    "--n", type=options.WholeNumber(min=1), metavar="N", default=20, show_default=True, help="So many quotes."
)
@options.reading_options
@options.message_options
def command(**flags: Any) -> None:
    """Write chunkscope.toml and questions.jsonl here, for the documents in CORPUS.

    The quotes are real: rows of tables, list items, code and sentences from all over the documents; the questions are
    still to be written. Files that are there are never touched. Without CORPUS it is the first of the folders corpus,
    docs, documents and doc.
    """
    from chunkscope.cli.inputs import QUESTIONS_HERE, Inputs, start
    from chunkscope.cli.outputs import is_inside
    from chunkscope.config import OWN_FILE, find_config
    from chunkscope.corpus.places import is_url, shown_url
    from chunkscope.errors import InputError
    from chunkscope.language import say
    from chunkscope.questions.scaffold import configuration, first_questions

    messages = start(flags)
    path = flags["corpus"] or next((folder for folder in USUAL_FOLDERS if os.path.isdir(folder)), None)
    if path is None:
        raise InputError(f"no documents found: there is no folder {', '.join(USUAL_FOLDERS)} here; name one")
    if is_url(path):
        raise InputError(f"{shown_url(path)}: a URL is no corpus for a configuration; name a folder")
    found = find_config()
    configured = found.path if found.path and not os.path.dirname(found.path) else None
    there = [name for name in (configured, QUESTIONS_HERE) if name and os.path.exists(name)]
    if len(there) == 2:
        raise InputError(f"nothing to write: {' and '.join(there)} are there already")
    corpus = Inputs(path, None, flags, messages).read_corpus()
    messages.warn(*(say("{name} is there already and stays as it is", name=name) for name in there))
    texts = {}
    is_outside = not is_inside(path, os.curdir)
    check = f"chunkscope check {shlex.quote(path)} -q {QUESTIONS_HERE}" if is_outside else "chunkscope check"
    if configured is None:
        texts[OWN_FILE] = configuration(path.replace(os.sep, "/"), QUESTIONS_HERE, is_outside=is_outside)
    if QUESTIONS_HERE not in there:
        texts[QUESTIONS_HERE] = first_questions(corpus, flags["n"])
    _write(texts)
    n_quotes = texts.get(QUESTIONS_HERE, "").count("\n")
    if n_quotes:
        what = "quote: write the question it answers" if n_quotes == 1 else "quotes: write the questions they answer"
        click.echo(f"{n_quotes} {what}, then run {check}")
    elif QUESTIONS_HERE in texts:
        click.echo(f"nothing to quote in the documents: write questions with their evidence, then run {check}")


def _write(texts: dict[str, str]) -> None:
    """Write files that are not there yet: all of them, or none."""
    written: list[str] = []
    try:
        for name, text in texts.items():
            with open(name, "x", encoding="utf-8", newline="") as file:
                written.append(name)
                file.write(text)
    except BaseException:
        for name in written:
            os.unlink(name)
        raise
    for name in texts:
        click.echo(f"wrote {name}")
