"""``chunkscope show``: a document with its cuts, or the evidence of one question, in the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import is_paged, look_of, open_output, open_pager

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker
    from chunkscope.cli.inputs import Inputs
    from chunkscope.corpus.document import Document
    from chunkscope.corpus.reading import Corpus
    from chunkscope.language import Text
    from chunkscope.questions.labels import LocatedQuestion
    from chunkscope.reports.base import ReportOptions
    from chunkscope.spans.intervals import Span

EPILOG = """\b
Examples:
  chunkscope show docs/rules.md --size 300 --overlap 50
  chunkscope show docs/rules.md --chunker heading
  chunkscope show docs/rules.md --chunker sentence --size 300 -q questions.jsonl
  chunkscope show docs -q questions.jsonl --question q7 --size 300"""


@click.command("show", short_help="Show a document with its cuts.", cls=options.ConfiguredCommand, epilog=EPILOG)
@click.argument("corpus", required=False, type=options.FILLED, metavar="[DOCUMENT]")
@click.option("-q", "--questions", "asked", metavar="FILE", type=options.FILLED, help="Underline their evidence.")
@click.option("--question", metavar="ID", type=options.FILLED, help="Show its evidence, wherever it stands.")
@options.setting_options
@options.index_options
@options.splitter_options
@options.output_option
@click.option("--no-pager", is_flag=True, help="Print it all at once, however long.")
@options.field_option
@options.reading_options
@options.message_options
def command(**flags: Any) -> None:
    """Show the text of DOCUMENT with its cuts, or, of a corpus, what becomes of one question's evidence.

    A cut is a bar; what two chunks share stands in brackets; in front stand the numbers of the chunks in each row. On a
    terminal the evidence of the questions is underlined.
    """
    from chunkscope.cli.settings import read_setting

    inputs = _inputs(flags)
    chunker, _ = read_setting(flags)
    inputs.check_outputs(flags["output"], also_read=flags["chunks"])
    look = look_of(flags["output"], flags["lang"])
    if flags["question"] is None:
        lines = _document_lines(inputs, chunker, look)
    else:
        lines = _question_lines(inputs, chunker, flags["question"], look)
    through_pager = is_paged(flags["output"]) and not flags["no_pager"]
    with open_pager() if through_pager else open_output(flags["output"]) as file:
        file.writelines(f"{line}\n" for line in lines)


def _inputs(flags: dict[str, Any]) -> Inputs:
    from chunkscope.cli.inputs import Inputs

    if flags["question"] is not None:
        values = options.running_config().values
        also = {name: values.get(name, ()) for name in ("include", "exclude")}
        return Inputs.of({**flags, **also, "demo": None, "questions": flags["asked"] or values.get("questions")})
    path = flags.pop("corpus")
    if path is None or options.is_configured("corpus"):
        raise options.usage_error("name a DOCUMENT, or a question with --question")
    return Inputs.of({**flags, "document": path})


def _document_lines(inputs: Inputs, chunker: Chunker, look: ReportOptions) -> Iterator[str]:
    from chunkscope.chunkers.chunk_rows import chunk_document
    from chunkscope.cli.marked_text import draw_cuts
    from chunkscope.language import in_language, say
    from chunkscope.reports.visible import visible

    document = inputs.read_document()
    evidence = _evidence(document, inputs)
    cut = chunk_document(document, chunker.for_corpus([document.name], inputs.path))
    n_chunks = len(cut.spans) + cut.n_spanless
    told = say("{name}: {n:,} {n:chunk|chunks}, {chunker}", name=document.name, n=n_chunks, chunker=str(chunker))
    yield visible(in_language(told, look.lang))
    yield ""
    yield from draw_cuts(
        document.text,
        cut,
        width=look.width,
        color=look.color,
        ascii=look.ascii,
        underlined=evidence,
        pages=_pages(document, look),
    )


def _pages(document: Document, look: ReportOptions) -> list[tuple[int, str]]:
    """Give where the pages begin of the file that a document was converted from, and what each is called."""
    from chunkscope.language import in_language
    from chunkscope.reports.visible import visible

    starts = document.origin.starts if document.origin else ()
    return [(at, visible(in_language(document.source_place(at), look.lang), ascii=look.ascii)) for at in starts]


def _question_lines(inputs: Inputs, chunker: Chunker, name: str, look: ReportOptions) -> Iterator[str]:
    """Say of each passage of a question which chunks hold it, and draw what stands around it."""
    from chunkscope.cli.marked_text import draw_cuts
    from chunkscope.grid.passages import find_passages
    from chunkscope.language import in_language, say
    from chunkscope.reports.passages_text import needed_told, passage_told
    from chunkscope.reports.visible import visible
    from chunkscope.reports.width import BOLD, painted, wrap

    corpus = inputs.read_corpus()
    question = _located(inputs, corpus, name)
    chunker = chunker.for_corpus(corpus.names, corpus.path)
    passages = find_passages(corpus, question, chunker)

    def told(text: Text, indent: str = "") -> list[str]:
        shown = visible(in_language(text, look.lang), ascii=look.ascii)
        return [indent + line for line in wrap(shown, look.width - len(indent))]

    asked = question.question.question or ""
    needed = needed_told(len(passages), any_is_enough=question.question.match == "any")
    yield from told(say("{id}: {question}", id=name, question=asked))
    yield from told(say("{text}  {chunker}", text=needed, chunker=str(chunker)))
    for document, group in groupby(passages, key=lambda one: one.document.name):
        at_once = list(group)
        yield ""
        for passage in at_once:
            where = f"{document}:{passage.place.line}:{passage.place.column}"
            first, *rest = told(
                say("{place}  {length:,} {length:character|characters}", place=where, length=passage.length)
            )
            yield from [painted(first, BOLD, look.color), *rest]
            for sentence in passage_told(passage):
                yield from told(sentence, "  ")
        yield ""
        spans = [passage.span for passage in at_once]
        yield from draw_cuts(
            at_once[0].document.text,
            at_once[0].cut,
            width=look.width,
            color=look.color,
            ascii=look.ascii,
            underlined=spans,
            near=spans,
            pages=_pages(at_once[0].document, look),
        )


def _located(inputs: Inputs, corpus: Corpus, name: str) -> LocatedQuestion:
    """Find a question, and where its evidence stands.

    Raises
    ------
    InputError
        There is no such question, it has no evidence, or a quote that is not sound.
    """
    from chunkscope.errors import InputError, did_you_mean
    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    if questions is None:
        raise options.usage_error("--question needs the file of the questions: -q questions.jsonl")
    asked = [one for one in questions.questions if one.id == name]
    if not asked:
        hint = did_you_mean(name, [one.id for one in questions.questions]) or "see the ids there"
        raise InputError(f"{questions.path}: no question {name!r}; {hint}")
    labels = check_labels(corpus, asked)
    if labels.problems:
        raise InputError(f"{questions.path}: question {name!r}: {labels.problems[0].message}")
    if not labels.valid or not labels.valid[0].evidence:
        raise InputError(f"{questions.path}: question {name!r} has no evidence: nothing of it can be cut")
    return labels.valid[0]


def _evidence(document: Document, inputs: Inputs) -> list[Span]:
    """Find the evidence that stands in this document.

    Questions name documents by their place in the corpus, of which only the end of the path is known here.
    """
    import dataclasses

    from chunkscope.corpus.name_filter import compose
    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    asked = questions.questions if questions else ()
    path = "/" + os.path.abspath(inputs.path).replace(os.sep, "/")
    names = {quote.document for question in asked for quote in question.quotes if quote.document}
    ends = {name: "/" + compose(name.removeprefix("./")) for name in names}
    meant = {name for name, end in ends.items() if compose(path).endswith(end)} or {document.name}
    spans: set[Span] = set()
    for name in sorted(meant):
        pins = check_labels([dataclasses.replace(document, name=name)], asked).pins
        spans.update((pin.start, pin.end) for pin in pins.values())
    return sorted(spans)
