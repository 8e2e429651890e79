"""``chunkscope labels``: are the questions sound?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options
from chunkscope.cli.console import one_line
from chunkscope.cli.outputs import look_of, open_output
from chunkscope.cli.program import FOUND
from chunkscope.gate.doubts import unasked
from chunkscope.language import Text, in_language, say

if TYPE_CHECKING:
    from chunkscope.questions.labels import Labels
    from chunkscope.questions.question import QuestionFile

EPILOG = """\b
Examples:
  chunkscope labels --demo
  chunkscope labels docs -q questions.jsonl
  chunkscope labels docs -q questions.jsonl --fix mended.jsonl

\b
Exit status: 0 all labels are sound, 1 there are problems, 2 could not look."""


@click.command(
    "labels", short_help="Check the questions against the documents.", cls=options.ConfiguredCommand, epilog=EPILOG
)
@options.corpus_argument
@options.questions_option
@click.option(
    "--fix",
    metavar="OUT",
    type=options.FILLED,
    help="Write the questions there, with what can be corrected in one way only.",
)
@options.format_option("text", "json")
@options.output_option
@options.field_option
@options.corpus_options
@options.message_options
def command(**flags: Any) -> None:
    """Check the questions against the documents: does each quote stand where it says, and once?

    Prints each problem as FILE:LINE: ID: PROBLEM: MESSAGE, and a summary.
    """
    from chunkscope.cli.inputs import Inputs
    from chunkscope.questions.check import check_labels
    from chunkscope.questions.mending import fixed_lines

    inputs = Inputs.of(flags)
    inputs.check_outputs(flags["output"], flags["fix"], mended=flags["fix"])
    questions = inputs.read_questions()
    if questions is None:
        raise options.usage_error("no questions: name them with -q")
    corpus = inputs.read_corpus()
    labels = check_labels(corpus, questions)
    inputs.messages.warn(*(say("{path}: {text}", path=questions.path, text=text) for text in labels.warnings))
    if flags["fix"]:
        with open_output(flags["fix"], "json") as file:
            file.writelines(fixed_lines(questions, labels))
    with open_output(flags["output"], flags["output_format"]) as file:
        if flags["output_format"] == "json":
            file.write(json.dumps(labels.to_dict(), ensure_ascii=False) + "\n")
        else:
            lang = look_of(flags["output"], flags["lang"]).lang
            file.writelines(
                f"{one_line(in_language(line, lang))}\n" for line in _lines(questions, labels, flags["fix"])
            )
    if labels.problems:
        click.get_current_context().exit(FOUND)


def _lines(questions: QuestionFile, labels: Labels, fixed: str | None) -> Iterator[Text]:
    for problem in labels.problems:
        where = questions.path if problem.line is None else f"{questions.path}:{problem.line}"
        told = say("{id}: {text}", id=f"{problem.id}: {problem.problem}", text=problem.message)
        yield say("{path}: {text}", path=where, text=told)
    n = len(labels.problems)
    summary = say(
        "{total:,} {total:question|questions}: {valid:,} valid, {without:,} without evidence, {bad:,} with problems; "
        "{n:,} {n:problem|problems}",
        total=labels.total,
        valid=len(labels.valid),
        without=len(labels.without_evidence),
        bad=len(labels.excluded),
        n=n,
    )
    if fixed:
        mended = sum(problem.fix is not None for problem in labels.problems)
        summary = say("{text}, {n:,} of {total:,} corrected in {path}", text=summary, n=mended, total=n, path=fixed)
    yield summary
    yield from (say("note: {text}", text=text) for text in unasked(labels))
