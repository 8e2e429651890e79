"""``chunkscope check``: one setting against thresholds, before anything is indexed."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options, retrieval
from chunkscope.cli.outputs import is_same_file, look_of, open_output
from chunkscope.cli.program import FAILED, FOUND
from chunkscope.reports.base import BUILT_IN, CHECK, find_report, write_report

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker
    from chunkscope.cli.inputs import Inputs
    from chunkscope.gate.baseline import Baseline
    from chunkscope.gate.result import CheckResult
    from chunkscope.gate.thresholds import Thresholds
    from chunkscope.grid.pairing import Record

EPILOG = """\b
Examples:
  chunkscope check
  chunkscope check docs -q questions.jsonl --size 400 --overlap 1/6
  chunkscope check docs -q questions.jsonl --chunker heading --model-limit 512 --model-unit cl100k_base
  chunkscope check --format github --report junit=chunkscope.xml
  chunkscope check --chunks chunks.jsonl
  chunkscope check --min-recall 80%
  chunkscope check --min-recall 80% --max-more-lost 0 --baseline yesterday.json

\b
A threshold is a count (3), a share (2%) or none. Without any, no question may be split or have missing evidence, no
table question be separated from its header, no chunk be broken, and the labels must be sound. With --chunks, the index
must be that of these documents: no chunk stale or orphaned, no document unindexed, no character uncovered.

\b
With --min-recall the chunks are ranked, offline: by bm25, or by vectors that are in the cache. --max-more-lost compares
with an earlier result of check, recall or sweep (--format json), over the questions that both have.

\b
Exit status: 0 all thresholds are met, 1 one is missed, 2 could not look, or nothing was measured."""


def _threshold(name: str, metavar: str, text: str) -> options.Decorator[Any]:
    """Give the option of a threshold; what its value means is for `Thresholds` to say."""
    return click.option(name, metavar=metavar, type=click.UNPROCESSED, help=text)


threshold_options = options.stacked(
    _threshold("--max-split", "N|PCT", "Questions allowed to have split evidence [0]."),
    _threshold("--max-missing", "N|PCT", "Questions allowed to have evidence in no chunk [0]."),
    _threshold("--max-header-lost", "N|PCT", "Table questions allowed to be separated from the header [0]."),
    _threshold(
        "--max-rows-header-lost",
        "N|PCT",
        "Table rows allowed to be separated from their header, whether or not a question needs them [none].",
    ),
    _threshold("--max-oversize", "N|PCT", "Chunks allowed above --model-limit (without one: above --size) [none]."),
    _threshold("--model-limit", "N", "What the model takes, prepended text included."),
    _threshold("--model-unit", "UNIT", "What the limit counts [the unit of the chunker]."),
    _threshold("--max-broken", "N|PCT", "Chunks allowed to begin or end inside a character [0]."),
    _threshold("--max-blank", "N|PCT", "Chunks allowed to hold nothing that can be seen [none]."),
    _threshold("--min-recall", "N|PCT", "Questions that must be answered by the chunks that rank first [none]."),
    _threshold("--max-more-lost", "N|PCT", "Questions allowed to be lost that were not in --baseline [none]."),
    _threshold(
        "--max-stale", "N|PCT", "Chunks of --chunks allowed to have text that is nowhere in their document [0]."
    ),
    _threshold("--max-orphaned", "N|PCT", "Chunks of --chunks allowed to be of documents that are not there [0]."),
    _threshold("--max-unindexed", "N|PCT", "Documents allowed to have no chunk in --chunks [0]."),
    _threshold("--max-uncovered", "N|PCT", "Characters allowed to be in no chunk of --chunks [0]."),
    _threshold("--label-problems", "error|warn", "Treat label problems as errors or as warnings [error]."),
)

ranking_options = options.stacked(
    click.option("--retriever", metavar="NAME", type=options.FILLED, help="What ranks the chunks [bm25]."),
    click.option("--context", metavar="N", type=int, help="Characters of chunks that are read [6000]."),
    click.option(
        "--cache", metavar="PATH", type=options.FILLED, help="Where vectors and pieces are [the user's cache folder]."
    ),
    options.no_cache_option,
    options.allow_code_option,
)


@click.command("check", cls=options.ConfiguredCommand, epilog=EPILOG)
@options.corpus_argument
@options.questions_option
@options.setting_options
@options.index_options
@threshold_options
@ranking_options
@options.report_option("check")
@click.option("--report", metavar="FORMAT=FILE", multiple=True, help="Write that format to a file too; repeatable.")
@options.output_option
@click.option("--baseline", metavar="FILE", type=options.FILLED, help="Known findings, or a result to compare with.")
@click.option(
    "--write-baseline",
    metavar="FILE",
    type=options.FILLED,
    help="Take all findings of today as known, and write them there.",
)
@options.field_option
@options.corpus_options
@options.message_options
def command(**flags: Any) -> None:
    """Hold documents against thresholds: do they still survive their chunker?

    CORPUS is a folder, a file, or a file of JSON lines with documents. Without it, what [tool.chunkscope] names, else
    the folder "corpus" here. Thresholds are those of [tool.chunkscope.check] but for those that are given.
    """
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.runs import warn_of_splitters
    from chunkscope.cli.settings import load_units, read_setting
    from chunkscope.gate.check import check
    from chunkscope.language import say

    inputs = Inputs.of(flags)
    thresholds = read_thresholds(flags)
    chunker, overlap = read_setting(flags)
    if not flags["chunks"]:
        thresholds = _without_index(thresholds)
    load_units(chunker.unit, thresholds.model_unit)
    reports = _reports(flags["report"])
    is_ranked = _is_ranked(flags, thresholds)
    baseline, earlier = _held(flags, thresholds)
    read = flags["baseline"] if baseline or earlier else None
    held = read if read and not is_same_file(read, flags["write_baseline"]) else None
    warn_of_splitters([chunker], inputs.messages)
    outputs = [flags["output"], *(name for _, name in reports), flags["write_baseline"]]
    inputs.check_outputs(*outputs, also_read=[held, *flags["chunks"]])
    corpus, questions = inputs.read_corpus(), inputs.read_questions()
    refill = _refill(inputs, chunker, flags)
    ranker = retrieval.offline_ranker(flags, inputs.messages, refill) if is_ranked else contextlib.nullcontext()
    with ranker as ranking:
        measure = functools.partial(
            check,
            corpus,
            questions,
            chunker,
            thresholds=thresholds,
            overlap=overlap,
            ranking=ranking,
            earlier=earlier,
            earlier_path=flags["baseline"] or "",
        )
        result = measure(baseline=baseline)
        if flags["write_baseline"]:
            result = measure(baseline=_write_baseline(flags["write_baseline"], result, str(chunker)))
    if flags["output_format"] != "text":
        inputs.messages.warn(*result.warnings)
    for form, name in reports:
        with open_output(name, form) as file:
            file.write(write_report(form, CHECK, result, look_of(name, flags["lang"])))
    with open_output(flags["output"], flags["output_format"]) as file:
        look = dataclasses.replace(look_of(flags["output"], flags["lang"]), quiet=flags["quiet"])
        file.write(write_report(flags["output_format"], CHECK, result, look))
    inputs.messages.fail(
        *(say("{document}: {reason}", document=name, reason=why) for name, why in result.cell.failures or ())
    )
    if result.cell.failures:
        click.get_current_context().exit(FAILED)
    if not result.passed:
        click.get_current_context().exit(FOUND)


def read_thresholds(flags: Mapping[str, Any]) -> Thresholds:
    """Give the thresholds.

    Raises
    ------
    ConfigError
        A value that means nothing, with the option or the file where it stands.
    """
    from chunkscope.gate.thresholds import NAMES, Thresholds

    return Thresholds.read({name: flags[name] for name in NAMES if flags[name] is not None}, _origin)


def _without_index(thresholds: Thresholds) -> Thresholds:
    """Switch off what needs an index; it may stand in the configuration for another run."""
    from chunkscope.gate.thresholds import NEEDS_INDEX

    given = [name for name in NEEDS_INDEX if name in thresholds.asked and not options.is_configured(name)]
    if given:
        raise options.usage_error(f"--{given[0].replace('_', '-')} goes with --chunks")
    return thresholds.without(NEEDS_INDEX)


def _origin(name: str) -> str:
    """Tell where a threshold stands."""
    if options.is_configured(name):
        return options.running_config().place_of(name)
    return f"--{name.replace('_', '-')}"


def _reports(entries: Sequence[str]) -> list[tuple[str, str]]:
    found = []
    for entry in entries:
        form, equals, name = entry.partition("=")
        if not form or not equals or not name:
            raise options.usage_error(
                f"--report {entry!r}: write FORMAT=FILE, with one of {', '.join(BUILT_IN[CHECK])}"
            )
        find_report(form, CHECK)
        found.append((form, name))
    return found


def _is_ranked(flags: Mapping[str, Any], thresholds: Thresholds) -> bool:
    """Tell whether chunks are ranked: recall must be so much, or a retriever is named to compare by."""
    named = [name for name in ("retriever", "context", "cache") if flags[name] is not None]
    if not thresholds.min_recall.is_off or not thresholds.max_more_lost.is_off:
        return bool(not thresholds.min_recall.is_off or named)
    given = [name for name in named if not options.is_configured(name)]
    if given:
        raise options.usage_error(f"--{given[0]} goes with --min-recall or --max-more-lost")
    return False


def _held(flags: Mapping[str, Any], thresholds: Thresholds) -> tuple[Baseline | None, Record | None]:
    """Read the baseline: known findings, or a result to compare with."""
    from chunkscope.errors import ConfigError
    from chunkscope.gate.baseline import read_baseline
    from chunkscope.grid.comparison import read_result

    if not thresholds.max_more_lost.is_off:
        if flags["baseline"] is None:
            raise ConfigError(
                f"{_origin('max_more_lost')}: more than where? Name a result of check, recall or sweep (--format json) "
                "as the baseline"
            )
        return None, read_result(flags["baseline"])
    if flags["baseline"] is None or (flags["write_baseline"] and options.is_configured("baseline")):
        return None, None
    return read_baseline(flags["baseline"]), None


def _refill(inputs: Inputs, chunker: Chunker, flags: Mapping[str, Any]) -> str:
    """Give the command that makes the vectors of a setting."""
    words = ["chunkscope", "recall", inputs.path, *(["-q", inputs.questions_path] if inputs.questions_path else [])]
    words += ["-c", str(chunker), "--retriever", flags["retriever"] or "bm25"]
    return shlex.join([*words, *(["--cache", flags["cache"]] if flags["cache"] else [])])


def _write_baseline(name: str, result: CheckResult, setting: str) -> Baseline:
    """Write all findings of today; never over a file that is something else."""
    from chunkscope.gate.baseline import Baseline, read_baseline

    if os.path.isfile(name) and os.path.getsize(name):
        read_baseline(name)
    baseline = Baseline.of(result.findings, setting)
    with open_output(name, "json") as file:
        file.write(baseline.to_json())
    return dataclasses.replace(baseline, path=name)
