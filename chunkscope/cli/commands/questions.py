"""``chunkscope questions``: question sets of other tools, and quotes for questions that have none."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import click

from chunkscope.cli import options
from chunkscope.cli.console import Messages, one_line
from chunkscope.cli.inputs import QUESTIONS_HERE
from chunkscope.cli.outputs import check_output, look_of, open_output
from chunkscope.errors import DecodingError, InputError
from chunkscope.language import Text, in_language, say
from chunkscope.questions.sets.model import FORMATS

if TYPE_CHECKING:
    from chunkscope.corpus.document import Document
    from chunkscope.language import Language
    from chunkscope.questions.locating import Located
    from chunkscope.questions.question import Match
    from chunkscope.questions.sets.model import QuestionSet, SetFormat

DOCUMENTS_HERE = "documents.jsonl"

EPILOG = """\b
Examples:
  chunkscope questions import testset.csv
  chunkscope questions import dev-v2.0.json -o q.jsonl --documents docs.jsonl"""

LOCATE_EPILOG = """\b
Examples:
  chunkscope questions locate log.csv docs
  chunkscope questions locate testset.csv docs --n 40 -o proposals.jsonl
  chunkscope questions import proposals.jsonl

\b
Exit status: 0 done, 2 could not look, 130 interrupted (what is confirmed is kept)."""

IMPORT_EPILOG = """\b
Examples:
  chunkscope questions import testset.csv
  chunkscope questions import scifact --split test --documents docs
  chunkscope questions import log.csv --map-field question=Prompt

\b
Exit status: 0 written, 2 nothing to write, or could not read."""


@click.group("questions", short_help="Bring questions in.", epilog=EPILOG, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Bring questions in: sets of other tools, and questions without quotes."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


set_options = options.stacked(
    click.option("--format", "set_format", type=click.Choice(FORMATS), help="What the set is [its shape decides]."),
    click.option(
        "--map-field",
        metavar="OURS=THEIRS",
        multiple=True,
        callback=options.read_mapping,
        help="What a field of the set is called: id, question, answer, doc, evidence.",
    ),
)


@command.command("import", short_help="Question sets of other tools to questions.jsonl.", epilog=IMPORT_EPILOG)
@click.argument("file", type=options.FILLED)
@set_options
@click.option("--match", type=click.Choice(["all", "any"]), help="Of several quotes, all are needed or one is enough.")
@click.option(
    "--quote",
    type=click.Choice(["answer", "sentence"]),
    default="answer",
    show_default=True,
    help="Of SQuAD: quote the answer, or the sentence around it.",
)
@click.option("--split", metavar="NAME", help="Of BEIR: which judgements [test].")
@click.option("--encoding", metavar="NAME", help="Encoding of FILE [strict UTF-8].")
@click.option("-o", "--output", metavar="FILE", type=options.FILLED, help=f"The questions [{QUESTIONS_HERE}].")
@click.option(
    "--documents",
    metavar="PATH",
    type=options.FILLED,
    help=f"The documents of the set: a .jsonl file, or a folder [{DOCUMENTS_HERE}].",
)
@options.message_options
def import_command(
    file: str,
    set_format: SetFormat | None,
    map_field: dict[str, str],
    encoding: str | None,
    match: Match | None,
    quote: Literal["answer", "sentence"],
    split: str | None,
    output: str | None,
    documents: str | None,
    lang: Language,
    quiet: bool,
    verbose: bool,
) -> None:
    """Read the questions of FILE and write questions.jsonl, with the documents where the set holds them.

    Knows RAGAS (CSV, JSON lines), SQuAD 1.1 and 2.0, nested and flat, BEIR (name the folder), any table of questions,
    and proposals of `questions locate` that somebody has confirmed. Says what it left out, and why.
    """
    from chunkscope.questions.sets.importing import read_question_set
    from chunkscope.questions.sets.model import ImportOptions

    messages = Messages(quiet, verbose, lang)
    found = read_question_set(file, set_format, ImportOptions(map_field, encoding, match, quote, split))
    target = _new_file(output, QUESTIONS_HERE, file)
    home = _new_file(documents, DOCUMENTS_HERE, file) if found.documents else documents
    messages.fail(*found.told())
    for note in found.notes:
        messages.say(say("{path}: {text}", path=file, text=note))
    if found.unquoted:
        messages.warn(_unquoted(file, found))
    if not found.questions:
        raise InputError(f"{file}: no question that can be used; nothing is written")
    if documents and not found.documents:
        messages.warn(say("{path}: the set holds no documents, so none are written", path=file))
    if found.documents and home is not None:
        write_documents(home, found.documents)
    with open_output(target, "json") as stream:
        stream.writelines(f"{json.dumps(record, ensure_ascii=False)}\n" for record in found.questions)
    if target != "-":
        _tell(found, target, home, lang)


def _new_file(given: str | None, usual: str, read: str) -> str:
    """Give where to write: what is given, else the usual name, if nothing is there."""
    if given is None and os.path.exists(usual):
        raise InputError(f"{usual}: is there already, and stays as it is; say where to write")
    target = given or usual
    if usual == DOCUMENTS_HERE and _is_folder(target):
        if os.path.exists(target) and (not os.path.isdir(target) or os.listdir(target)):
            raise InputError(f"{target}: is not empty; name a new folder, or a .jsonl file")
    else:
        check_output(target, read)
    return target


def _is_folder(path: str) -> bool:
    return path != "-" and not path.endswith((".jsonl", ".json"))


def _unquoted(file: str, found: QuestionSet) -> Text:
    return say(
        "{path}: {n:,} {n:question has|questions have} no quote and {n:is|are} left out; "
        "`chunkscope questions locate {path}` proposes some",
        path=file,
        n=len(found.unquoted),
    )


def write_documents(path: str, documents: Sequence[Document]) -> None:
    """Write documents as JSON lines, or as files into a new folder."""
    if not _is_folder(path):
        with open_output(path, "json") as stream:
            for document in documents:
                record = {"name": document.name, "text": document.text, **document.fields}
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    os.makedirs(path, exist_ok=True)
    for document in documents:
        with open(os.path.join(path, document.name), "x", encoding="utf-8", newline="") as file:
            file.write(document.text)


def _tell(found: QuestionSet, target: str, home: str | None, lang: Language) -> None:
    n, without = len(found.questions), sum(not question["evidence"] for question in found.questions)
    lines = [
        say(
            "{path}: {n:,} {n:question|questions} ({format}), {without:,} without an answer in the documents",
            path=target,
            n=n,
            format=found.format,
            without=without,
        )
    ]
    if found.documents and home is not None:
        lines.append(say("{path}: {n:,} {n:document|documents}", path=home, n=len(found.documents)))
    where = home if found.documents and home is not None else "docs"
    lines.append(say("next: {command}", command=f"chunkscope labels {where} -q {target}"))
    shown = look_of(None, lang).lang
    with open_output(None) as stream:
        stream.writelines(f"{one_line(in_language(line, shown))}\n" for line in lines)


@command.command(
    "locate",
    short_help="Propose quotes for questions that have none.",
    cls=options.ConfiguredCommand,
    epilog=LOCATE_EPILOG,
)
@click.argument("file", type=options.FILLED)
@options.corpus_argument
@click.option("--format", "set_format", type=click.Choice(FORMATS), help="What FILE is [its shape decides].")
@click.option(
    "--map-field",
    "set_fields",
    metavar="OURS=THEIRS",
    multiple=True,
    callback=options.read_mapping,
    help="What a field of FILE is called: id, question, answer, doc.",
)
@click.option("--set-encoding", metavar="NAME", help="Encoding of FILE [strict UTF-8].")
@click.option("--all", "all_rows", is_flag=True, help="Those that have quotes too: they get new ones.")
@click.option("--n", type=options.WholeNumber(min=1), metavar="N", help="A sample, over documents and kinds of text.")
@click.option(
    "--most",
    type=options.WholeNumber(min=1, max=9),
    metavar="N",
    default=5,
    show_default=True,
    help="Proposals for a question.",
)
@click.option("--into", metavar="FILE", type=options.FILLED, help=f"Where confirmed ones are added [{QUESTIONS_HERE}].")
@click.option(
    "-o", "--output", metavar="FILE", type=options.FILLED, help="Write the proposals there, to be confirmed by hand."
)
@options.corpus_options
@options.message_options
def locate_command(**flags: Any) -> None:
    """Look in CORPUS for what answers the questions of FILE, and propose it as quotes.

    FILE has a question a row, and an answer where there is one: a log, a table, a set of RAGAS. In a terminal each
    question is shown with its proposals, and a key takes one into questions.jsonl at once. With -o, or without a
    terminal, the proposals are written: put the number of the right one into "confirmed", then `questions import` the
    file. Nothing becomes a question unconfirmed.
    """
    from chunkscope.cli.inputs import Inputs
    from chunkscope.questions.locating import locate, sample
    from chunkscope.retrieval.passages import PassageIndex

    inputs = Inputs.of(flags)
    inputs.check_outputs(flags["output"], flags["into"], also_read=[flags["file"]])
    records = _asked(flags, inputs.messages)
    documents = list(inputs.read_corpus())
    located = locate(documents, records, PassageIndex, flags["most"])
    n_nothing = sum(not one.proposals for one in located)
    if n_nothing:
        inputs.messages.warn(
            say("{n:,} {n:question shares|questions share} no word with the documents: nothing to propose", n=n_nothing)
        )
    if flags["n"]:
        located = sample(located, flags["n"])
    if flags["output"] is None and _is_terminal():
        _confirm(located, flags["into"] or QUESTIONS_HERE, flags["lang"])
        return
    with open_output(flags["output"], "json") as stream:
        stream.writelines(json.dumps(one.to_dict(), ensure_ascii=False) + "\n" for one in located)
    inputs.messages.say(
        say(
            'proposals for {n:,} {n:question|questions}: put the number of the right one into "confirmed", then '
            "`chunkscope questions import {path}`",
            n=len(located),
            path=flags["output"] or "FILE",
        )
    )


def _asked(flags: dict[str, Any], messages: Messages) -> list[dict[str, Any]]:
    """Read the questions that are to be looked for."""
    from chunkscope.questions.sets.importing import read_question_set
    from chunkscope.questions.sets.model import ImportOptions

    file = flags["file"]
    try:
        found = read_question_set(file, flags["set_format"], ImportOptions(flags["set_fields"], flags["set_encoding"]))
    except DecodingError as error:
        raise DecodingError(str(error).replace("--encoding", "--set-encoding")) from None
    messages.fail(*found.told())
    quoted = [] if not flags["all_rows"] else found.questions
    taken = [
        {key: value for key, value in one.items() if key not in ("evidence", "spans", "match")}
        for one in (*found.unquoted, *quoted)
    ]
    if not taken:
        raise InputError(f"{file}: every question has its quotes; --all looks for them anew")
    n_silent = sum(not one.get("answer") for one in taken)
    if n_silent:
        messages.warn(
            say(
                "{path}: {n:,} of {total:,} questions have no answer: proposals go by the question alone",
                path=file,
                n=n_silent,
                total=len(taken),
            )
        )
    return taken


def _is_terminal() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _confirm(located: Sequence[Located], into: str, lang: Language) -> None:
    """Ask key by key; whatever ends it, say what is kept."""
    from chunkscope.cli.confirming import Kept, confirm

    check_output(into)
    kept = Kept.read(into)
    shown = look_of(None, lang).lang
    try:
        confirm(located, kept, shown)
    finally:
        left = sum(bool(one.proposals) and not kept.holds(one.record) for one in located)
        told = say(
            "{n:,} confirmed, kept in {path}; {left:,} left (run it again to go on)", n=kept.n_new, path=into, left=left
        )
        click.echo(one_line(in_language(told, shown)))
