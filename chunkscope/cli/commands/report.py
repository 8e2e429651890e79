"""``chunkscope report``: one HTML page that explains a sweep or a recall, and lets people look."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import check_output, open_output
from chunkscope.corpus import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chunkscope.chunkers import Chunker
    from chunkscope.cli.inputs import Inputs
    from chunkscope.corpus.reading import Corpus
    from chunkscope.grid.results import SweepResult
    from chunkscope.grid.views import Views, WayKey
    from chunkscope.language import Text
    from chunkscope.questions.labels import Labels

EPILOG = """\b
Examples:
  chunkscope report --demo -o report.html
  chunkscope sweep docs -q questions.jsonl --format json -o result.json
  chunkscope report result.json -o report.html
  chunkscope report result.json --corpus ../docs -q ../questions.jsonl -o report.html
  chunkscope report result.json -c my_pipeline:split -o report.html"""

MOST_NAMED = 3


@click.command("report", short_help="Write one HTML page to pass around.", cls=options.ConfiguredCommand, epilog=EPILOG)
@click.argument("result", metavar="[RESULT.json]", required=False, type=options.FILLED)
@click.option("--corpus", metavar="PATH", type=options.FILLED, help="Where the documents are now [as in the result].")
@options.questions_option
@click.option("-c", "--chunker", metavar="LIST", multiple=True, help="Splitters of your own, to be run again.")
@options.index_options
@options.splitter_options
@options.field_option
@click.option("--no-documents", is_flag=True, help="Leave texts out of the page: figures only.")
@click.option("--force", is_flag=True, help="Go on where documents have changed, and say so on the page.")
@click.option("--demo", metavar="[ja|en]", type=click.Choice(LANGUAGES), help="Sweep the example corpus.")
@options.output_option
@options.message_options
def command(**flags: Any) -> None:
    """Write a page that explains a result of sweep or recall, and lets people look at every cut.

    It is one file that fetches nothing. RESULT.json is what --format json wrote; its documents are read again, and must
    be the same. Without it, the sweep of the configuration is run.
    """
    from chunkscope.grid.stored import taken_at_its_word
    from chunkscope.reports.page.data import page_of
    from chunkscope.reports.page.render import render_page

    check_output(flags["output"], flags["result"], flags["questions"])
    if flags["output"] is None and sys.stdout is not None and sys.stdout.isatty():
        raise options.usage_error("a page is long: name a file for it, such as -o report.html")
    with contextlib.nullcontext() if flags["result"] is None else taken_at_its_word(flags["result"]):
        result, views, doubts = _swept(flags) if flags["result"] is None else _stored(flags)
        text = render_page(page_of(result, views, flags["lang"], doubts))
    with open_output(flags["output"], "html") as file:
        file.write(text)


def _swept(flags: Mapping[str, Any]) -> tuple[SweepResult, Views, Sequence[Text]]:
    """Run the sweep of the configuration, and take what there is to look at."""
    from chunkscope.cli.commands import sweep
    from chunkscope.grid.views import Views, thinned, view, way_key

    with sweep.command.make_context("report", _arguments(flags), click.get_current_context().parent) as ctx:
        ran = sweep.run(ctx.params)
    if flags["no_documents"]:
        return ran.result, Views(), ()
    rows = ran.sweep.plan.grid.rows
    chunkers = {way_key(row.chunker, with_size=row.sizes is not None): row.chunker for row in rows}
    with ran.inputs.messages.progress() as progress:
        return (
            ran.result,
            view(thinned(ran.result), ran.sweep.corpus, ran.sweep.labels, chunkers, progress=progress),
            (),
        )


def _arguments(flags: Mapping[str, Any]) -> list[str]:
    """Write the options that are given as a command line of a sweep."""
    given = [] if flags["corpus"] is None or options.is_configured("corpus") else [flags["corpus"]]
    for name in ("demo", "questions", "cache", "lang"):
        if flags[name] is not None and not options.is_configured(name):
            given += [f"--{name}={flags[name]}"]
    given += [f"--chunker={text}" for text in flags["chunker"] if not options.is_configured("chunker")]
    given += [f"--chunks={text}" for text in flags["chunks"]]
    for name in ("chunk_field", "map_field"):
        given += [f"--{name.replace('_', '-')}={ours}={theirs}" for ours, theirs in flags[name].items()]
    return given + [
        f"--{name.replace('_', '-')}" for name in ("no_cache", "allow_code", "quiet", "verbose") if flags[name]
    ]


def _stored(flags: Mapping[str, Any]) -> tuple[SweepResult, Views, Sequence[Text]]:
    """Read a result, and its documents again."""
    from chunkscope.cli.inputs import Inputs, start
    from chunkscope.corpus.places import is_url
    from chunkscope.errors import InputError
    from chunkscope.grid.stored import read_sweep
    from chunkscope.grid.views import Views, thinned, view

    if flags["demo"]:
        raise options.usage_error("--demo sweeps the examples; leave out RESULT.json")
    result, messages = read_sweep(flags["result"]), start(flags)
    if flags["no_documents"]:
        return result, Views(), ()
    corpus = _asked("corpus", flags) or result.corpus.path
    questions = _asked("questions", flags) or (result.questions.path if result.questions else None)
    for option, path in (("--corpus", corpus), ("--questions", questions)):
        # a URL in a result is none that was named here
        is_named_url = path is not None and path == _asked("corpus", flags) and is_url(path)
        if path is not None and not is_named_url and not os.path.exists(path):
            raise InputError(
                f"{flags['result']}: is a result of {path or 'documents in memory'}, which is not here; name it with "
                f"{option}, or leave texts out with --no-documents"
            )
    asked = {**flags, "skip_unreadable": bool(result.corpus.unreadable)}
    inputs = Inputs(corpus, questions, asked, messages).as_settled(result.settings)
    read = inputs.read_corpus()
    labels = _labels(read, inputs)
    doubts = _changes(result, read, labels)
    if doubts and not flags["force"]:
        raise InputError(f"{flags['result']}: {'; '.join(doubts)}; run it again, or --force goes on")
    chunkers, lacking = _chunkers(result, read, flags)
    with messages.progress() as progress:
        return result, view(thinned(result), read, labels, chunkers, lacking=lacking, progress=progress), doubts


def _asked(name: str, flags: Mapping[str, Any]) -> str | None:
    """Give what an option names; the configuration speaks of other documents than a result does."""
    return None if options.is_configured(name) else flags[name]


def _labels(corpus: Corpus, inputs: Inputs) -> Labels | None:
    """Read the questions; which of them count is known already."""
    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    return None if questions is None else check_labels(corpus, questions)


def _changes(result: SweepResult, corpus: Corpus, labels: Labels | None) -> list[Text]:
    """Say what is not as it was when the result was made."""
    from chunkscope.language import say

    before, now = result.corpus.files, corpus.files
    changed = [name for name in before if name in now and now[name] != before[name]]
    gone, new = ([name for name in one if name not in other] for one, other in ((before, now), (now, before)))
    told = []
    if changed:
        n, names = len(changed), _some(changed)
        told.append(say("{n:,} {n:document has|documents have} changed since: {names:, }", n=n, names=names))
    if gone:
        told.append(say("{n:,} {n:document is|documents are} gone: {names:, }", n=len(gone), names=_some(gone)))
    if new:
        told.append(say("{n:,} {n:document is|documents are} new: {names:, }", n=len(new), names=_some(new)))
    if result.questions and labels and result.questions.sha256 and labels.sha256 != result.questions.sha256:
        told.append(say("the questions have changed since"))
    return told


def _some(names: Sequence[str]) -> list[str]:
    return [*names[:MOST_NAMED], *(["..."] if len(names) > MOST_NAMED else [])]


def _chunkers(
    result: SweepResult, corpus: Corpus, flags: Mapping[str, Any]
) -> tuple[dict[WayKey, Chunker], dict[WayKey, str]]:
    """Find what cuts each way of a result: nothing that the result names is run, but what this command line names."""
    from chunkscope.cli.settings import read_chunkers, read_indexes, splitter_settings
    from chunkscope.grid.views import way_key, way_of

    given: dict[WayKey, Chunker] = {}
    named = flags["chunker"] and not options.is_configured("chunker")
    own = read_chunkers(flags["chunker"], [], **splitter_settings(flags)) if named else ()
    for chunker in (*own, *read_indexes(_with_indexes(flags, result))):
        fitted = chunker.unsized.for_corpus(corpus.names, corpus.path)
        given |= {way_key(fitted, with_size=with_size): fitted for with_size in (True, False)}
    found: dict[WayKey, Chunker] = {}
    lacking: dict[WayKey, str] = {}
    for key in dict.fromkeys(map(way_of, result.cells)):
        chunker_or_reason = given.get(key) or _built_in(key, result, flags)
        if isinstance(chunker_or_reason, str):
            lacking[key] = chunker_or_reason
        else:
            found[key] = chunker_or_reason
    return found, lacking


def _with_indexes(flags: Mapping[str, Any], result: SweepResult) -> dict[str, Any]:
    """Take the indexes that the result names, where none is given here and they are still there."""
    told = result.settings.get("chunks")
    paths = tuple(path for path in told.values() if os.path.isfile(path)) if isinstance(told, dict) else ()
    fields = result.settings.get("chunk_fields") or {}
    return {**flags} if flags["chunks"] else {**flags, "chunks": paths, "chunk_field": dict(fields) if paths else {}}


def _built_in(key: WayKey, result: SweepResult, flags: Mapping[str, Any]) -> Chunker | str:
    """Give a chunker of ours, or what is kept of a splitter; else why there is none."""
    from chunkscope.chunkers.parse import CHUNKERS, name_of, parse_chunker
    from chunkscope.cli.settings import splitter_settings
    from chunkscope.errors import ChunkscopeError
    from chunkscope.language import say
    from chunkscope.splitters.remembered import RememberedChunker
    from chunkscope.structure.units import is_here

    label, unit, _ = key
    memory = (result.settings.get("splitters") or {}).get(label)
    if isinstance(memory, dict):
        spec, version, own, counted = (str(memory[name]) for name in ("spec", "version", "settings", "unit"))
        cache = splitter_settings(flags)["cache"]
        return RememberedChunker(unit=counted, spec=spec, version=version, settings=own, cache=cache)
    if name_of(label) not in CHUNKERS.built_in:
        return say("a result runs no code; --chunker {chunker} cuts again", chunker=label)
    try:
        chunker = parse_chunker(label)
        chunker = chunker if chunker.shown_unit == unit else chunker.in_unit(unit)
    except ChunkscopeError as error:
        return str(error)
    return chunker if is_here(chunker.unit) else say("the vocabulary of {unit} is not here", unit=unit)
