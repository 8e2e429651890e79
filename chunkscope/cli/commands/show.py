"""``chunkscope show``: a document with its cuts, in the terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import look_of, open_output

if TYPE_CHECKING:
    from chunkscope.cli.inputs import Inputs
    from chunkscope.corpus.document import Document
    from chunkscope.spans.intervals import Span

EPILOG = """\b
Examples:
  chunkscope show docs/rules.md --size 300 --overlap 50
  chunkscope show docs/rules.md --chunker heading
  chunkscope show docs/rules.md --chunker sentence --size 300 -q questions.jsonl"""


@click.command("show", short_help="Show a document with its cuts.", cls=options.ConfiguredCommand, epilog=EPILOG)
@options.document_argument
@click.option("-q", "--questions", "asked", metavar="FILE", type=options.FILLED, help="Underline their evidence.")
@options.setting_options
@options.index_options
@options.splitter_options
@options.output_option
@options.field_option
@options.reading_options
@options.message_options
def command(**flags: Any) -> None:
    """Show the text of DOCUMENT with its cuts.

    A cut is a bar; what two chunks share stands in brackets; in front stand the numbers of the chunks in each row. On a
    terminal the evidence of the questions is underlined.
    """
    from chunkscope.chunkers.chunk_rows import chunk_document
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.marked_text import draw_cuts
    from chunkscope.cli.settings import read_setting
    from chunkscope.language import in_language, say
    from chunkscope.reports.visible import visible

    inputs = Inputs.of(flags)
    chunker, _ = read_setting(flags)
    inputs.check_outputs(flags["output"], also_read=flags["chunks"])
    document = inputs.read_document()
    chunker = chunker.for_corpus([document.name], inputs.path)
    evidence = _evidence(document, inputs)
    cut = chunk_document(document, chunker)
    look = look_of(flags["output"], flags["lang"])
    rows = draw_cuts(document.text, cut, width=look.width, color=look.color, ascii=look.ascii, underlined=evidence)
    n_chunks = len(cut.spans) + cut.n_spanless
    with open_output(flags["output"]) as file:
        told = say("{name}: {n:,} {n:chunk|chunks}, {chunker}", name=document.name, n=n_chunks, chunker=str(chunker))
        file.write(f"{visible(in_language(told, look.lang))}\n\n")
        file.writelines(f"{row}\n" for row in rows)


def _evidence(document: Document, inputs: Inputs) -> list[Span]:
    """Find the evidence that stands in this document.

    Questions name documents by their place in the corpus, of which only the end of the path is known here.
    """
    import dataclasses

    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    asked = questions.questions if questions else ()
    path = "/" + os.path.abspath(inputs.path).replace(os.sep, "/")
    names = {quote.document for question in asked for quote in question.quotes if quote.document}
    meant = {name for name in names if path.endswith("/" + name)} or {document.name}
    spans: set[Span] = set()
    for name in sorted(meant):
        pins = check_labels([dataclasses.replace(document, name=name)], asked).pins
        spans.update((pin.start, pin.end) for pin in pins.values())
    return sorted(spans)
