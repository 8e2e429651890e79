"""``chunkscope init``: a first configuration and a first questions file."""

from __future__ import annotations

import os
from typing import Any

import click

from chunkscope.cli import options
from chunkscope.cli.console import Messages

USUAL_FOLDERS = ("corpus", "docs", "documents", "doc")
QUESTIONS = "questions.jsonl"

EPILOG = """\b
Examples:
  chunkscope init
  chunkscope init handbook"""


@click.command("init", epilog=EPILOG)
@options.corpus_argument
@options.reading_options
@options.message_options
def command(**flags: Any) -> None:
    """Write chunkscope.toml and questions.jsonl here, for the documents in CORPUS.

    The quotes are real; the questions are to be filled in. Files that are there are never touched. Without CORPUS it is
    the first of the folders corpus, docs, documents and doc.
    """
    from chunkscope.cli import inputs
    from chunkscope.config import OWN_FILE, Config, find_config
    from chunkscope.errors import InputError
    from chunkscope.questions.scaffold import configuration, first_questions

    messages = Messages(flags["quiet"], flags["verbose"])
    path = flags["corpus"] or next((folder for folder in USUAL_FOLDERS if os.path.isdir(folder)), None)
    if path is None:
        raise InputError(f"no documents found: there is no folder {', '.join(USUAL_FOLDERS)} here; name one")
    found = find_config()
    configured = found.path if found.path and not os.path.dirname(found.path) else None
    if configured and os.path.exists(QUESTIONS):
        raise InputError(f"nothing to write: {configured} and {QUESTIONS} are there already")
    corpus = inputs.open_corpus(path, inputs.Reading.of(Config(), flags), messages)
    if configured:
        messages.warn(f"{configured} is there already, and stays as it is")
    else:
        _write(OWN_FILE, configuration(path.replace(os.sep, "/"), QUESTIONS))
    if os.path.exists(QUESTIONS):
        messages.warn(f"{QUESTIONS} is there already, and stays as it is")
        return
    questions = first_questions(corpus)
    _write(QUESTIONS, questions)
    n_quotes = questions.count("\n")
    if n_quotes:
        what = "quote: write the question it answers" if n_quotes == 1 else "quotes: write the questions they answer"
        click.echo(f"{n_quotes} {what}, then run chunkscope check")
    else:
        click.echo("nothing to quote in the documents: write questions with their evidence, then run chunkscope check")


def _write(name: str, text: str) -> None:
    with open(name, "x", encoding="utf-8", newline="") as file:
        file.write(text)
    click.echo(f"wrote {name}")
