"""What ``sweep`` and ``recall`` share: questions that are sound or left out, and the grid that was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from chunkscope.cli.program import FAILED
from chunkscope.language import Language, say

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker
    from chunkscope.cli.console import Messages
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.settings import WantedGrid
    from chunkscope.corpus.reading import Corpus
    from chunkscope.grid.notation import Grid
    from chunkscope.grid.results import SweepResult
    from chunkscope.questions.labels import Labels


_IGNORES_SIZE = say("gives the same pieces at sizes of 2 and of 100,000: it seems to ignore its size")
_SAMPLED, _SAMPLED_CHARACTERS = 100, 5_000
_UNKNOWN_SHARE = 0.03
_CHANGES = say("gives other pieces when it is asked again, so what is counted holds for one run only")


class Read(NamedTuple):
    """What a grid is counted over."""

    corpus: Corpus
    wanted: WantedGrid
    labels: Labels | None


def read_all(inputs: Inputs, wanted: WantedGrid, *defaults: Any) -> Read:
    """Read the documents, the grid over them, and the questions, and warn of what is doubtful.

    Parameters
    ----------
    inputs : Inputs
    wanted : WantedGrid
        As far as it is known without the documents.
    *defaults
        Sizes and overlaps where none are given, as for `read_grid`.

    Raises
    ------
    InputError
        An output that cannot be written, and what the reading of documents and questions raises.
    """
    from chunkscope.cli.settings import read_grid

    flags, messages = inputs.flags, inputs.messages
    inputs.check_outputs(flags["output"], flags.get("plot"), also_read=flags["chunks"])
    require_plot(flags.get("plot"))
    name_left_out(wanted, inputs)
    warn_of_splitters(wanted.chunkers, messages)
    corpus = inputs.read_corpus()
    wanted = read_grid(flags, *defaults, documents=corpus)
    warn_of_indexes(wanted.chunkers, corpus, messages)
    warn_of_unknown_tokens([chunker.unit for chunker in wanted.chunkers], corpus, messages)
    return Read(corpus, wanted, read_labels(corpus, inputs))


def read_labels(corpus: Corpus, inputs: Inputs) -> Labels | None:
    """Read the questions, if there are any, and hold them against the documents.

    Raises
    ------
    LabelError
        Labels that are not sound, unless they are to be left out; then that is said.
    """
    from chunkscope.errors import LabelError
    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    if questions is None:
        return None
    labels = check_labels(corpus, questions)
    inputs.messages.warn(*(say("{path}: {text}", path=questions.path, text=text) for text in labels.warnings))
    if not inputs.flags["skip_bad_labels"]:
        try:
            labels.require_valid()
        except LabelError as error:
            raise LabelError(
                f"{questions.path}: {error}; `chunkscope labels` shows all, --skip-bad-labels leaves such questions out"
            ) from None
    if labels.excluded:
        n, total = len(labels.excluded), labels.total
        told = say("{n:,} of {total:,} questions left out: they have label problems", n=n, total=total)
        if not labels.valid:
            told = say("{text}; no question with evidence is left, so there is nothing to count", text=told)
        inputs.messages.warn(say("{path}: {text}", path=questions.path, text=told))
    return labels


def require_plot(path: str | None) -> None:
    """Refuse a picture that could not be drawn, before the work begins."""
    if path is not None:
        from chunkscope.reports.plot import check_plot

        check_plot(path)


def write_plot(result: SweepResult, path: str | None, lang: Language) -> None:
    """Draw the picture that was asked for, if one was."""
    if path is not None:
        from chunkscope.cli.outputs import write_bytes
        from chunkscope.reports.plot import plot

        write_bytes(path, plot(result, path, lang))


def name_left_out(wanted: WantedGrid, inputs: Inputs) -> None:
    """Say which ways of cutting are not compared, because nothing here can count in their unit."""
    for name in wanted.missing:
        told = say("{name} is left out: its vocabulary is not here (chunkscope list -v says what it needs)", name=name)
        inputs.messages.warn(told)


def kept_settings(wanted: WantedGrid, inputs: Inputs, flags: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Give what is kept with the result of how it came about; `names` are further options."""
    from chunkscope.splitters.remembered import memory_of

    unit = {"unit": ",".join(flags["unit"]) or None}
    kept = {chunker.label: memory for chunker in wanted.chunkers if (memory := memory_of(chunker))}
    splitters = {"splitters": kept} if kept else {}
    return {**wanted.settings, **splitters, **inputs.settings, **unit, **{name: flags[name] for name in names}}


def n_splitter_cells(grid: Grid) -> int:
    """Give how often splitters from outside go through the documents; 1 where only chunkers of ours do."""
    return max(1, sum(len(row) for row in grid.rows if row.chunker.gives_pieces))


def end_with_failures(result: SweepResult, messages: Messages) -> None:
    """Name the documents that a splitter could not cut, each once, and end with status 2 if there are any."""
    failed: dict[tuple[str, str], str] = {}
    for cell in result.cells:
        for document, reason in cell.failures or ():
            failed.setdefault((cell.chunker, document), reason)
    messages.fail(*(say("{document}: {reason}", document=name, reason=why) for (_, name), why in failed.items()))
    if failed:
        click.get_current_context().exit(FAILED)


def warn_of_indexes(chunkers: Iterable[Chunker], corpus: Corpus, messages: Messages) -> None:
    """Say which documents an index has that are not here, and which it has not."""
    from chunkscope.splitters.dump import as_index

    for index in filter(None, (as_index(chunker.for_corpus(corpus.names, corpus.path)) for chunker in chunkers)):
        messages.warn(*(say("{path}: {text}", path=index.path, text=doubt) for doubt in index.matched.doubts))
        orphaned = index.matched.orphaned
        if orphaned:
            told = say(
                "{path}: {n:,} {n:document is|documents are} not here, such as {name}: chunks left out",
                path=index.path,
                n=len(orphaned),
                name=orphaned[0],
            )
            messages.warn(told)
        lacking = [name for name in corpus.names if name not in index.matched.names]
        if lacking:
            told = say(
                "{path}: has no chunk of {n:,} {n:document|documents}, such as {name}",
                path=index.path,
                n=len(lacking),
                name=lacking[0],
            )
            messages.warn(told)


def warn_of_unknown_tokens(units: Iterable[str], corpus: Corpus, messages: Messages) -> None:
    """Say of a tokenizer that it has no tokens for much of the documents, so that its counts mean little.

    The documents are sampled: a tokenizer that is made for another language is seen on a few pages.
    """
    from chunkscope.structure.units import count_unknown

    files = sorted({unit for unit in units if unit.lower().endswith(".json")})
    texts = [document.text[:_SAMPLED_CHARACTERS] for document in corpus.sample(_SAMPLED)] if files else []
    for name in files:
        n, total = count_unknown(name, texts)
        if n > _UNKNOWN_SHARE * total:
            told = say(
                "{name}: {share:.0%} of {total:,} sampled tokens are unknown to it: sizes in it say little about these "
                "documents",
                name=name,
                share=n / total,
                total=total,
            )
            messages.warn(told)


def warn_of_splitters(chunkers: Iterable[Chunker], messages: Messages) -> None:
    """Say which splitters of one's own ignore their size, or give something else each time they are asked."""
    from chunkscope.splitters.chunker import CHANGES, IGNORES_SIZE, doubts

    told = {IGNORES_SIZE: _IGNORES_SIZE, CHANGES: _CHANGES}
    for chunker in dict.fromkeys(chunkers):
        for doubt in doubts(chunker):
            if doubt in told:
                messages.warn(say("{chunker}: {text}", chunker=chunker.label, text=told[doubt]))
