"""``chunkscope check``: one setting against thresholds, before anything is indexed."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options
from chunkscope.cli.outputs import is_same_file, look_of, open_output
from chunkscope.cli.program import FOUND
from chunkscope.reports.base import BUILT_IN, CHECK, find_report, write_report

if TYPE_CHECKING:
    from chunkscope.gate.baseline import Baseline
    from chunkscope.gate.result import CheckResult
    from chunkscope.gate.thresholds import Thresholds

EPILOG = """\b
Examples:
  chunkscope check
  chunkscope check docs -q questions.jsonl --size 400 --overlap 1/6
  chunkscope check docs -q questions.jsonl --chunker heading --model-limit 512 --model-unit cl100k_base
  chunkscope check --format github --report junit=chunkscope.xml

\b
A threshold is a count (3), a share (2%) or none. Without any, no question may be split or have missing evidence, no
table question be separated from its header, no chunk be broken, and the labels must be sound.

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
    _threshold("--label-problems", "error|warn", "Treat label problems as errors or as warnings [error]."),
)


@click.command("check", cls=options.ConfiguredCommand, epilog=EPILOG)
@options.corpus_argument
@options.questions_option
@options.setting_options
@threshold_options
@options.report_option("check")
@click.option("--report", metavar="FORMAT=FILE", multiple=True, help="Write that format to a file too; repeatable.")
@options.output_option
@click.option("--baseline", metavar="FILE", type=options.FILLED, help="Known findings; only new ones count.")
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
    from chunkscope.cli.settings import load_units, read_setting
    from chunkscope.gate.check import check

    inputs = Inputs.of(flags)
    thresholds = read_thresholds(flags)
    chunker, overlap = read_setting(flags)
    load_units(chunker.unit, thresholds.model_unit)
    reports = _reports(flags["report"])
    baseline = _baseline(flags)
    held = baseline.path if baseline and not is_same_file(baseline.path, flags["write_baseline"]) else None
    outputs = [flags["output"], *(name for _, name in reports), flags["write_baseline"]]
    inputs.check_outputs(*outputs, also_read=[held])
    corpus, questions = inputs.read_corpus(), inputs.read_questions()
    result = check(corpus, questions, chunker, thresholds=thresholds, overlap=overlap, baseline=baseline)
    if flags["write_baseline"]:
        known = _write_baseline(flags["write_baseline"], result, str(chunker))
        result = check(corpus, questions, chunker, thresholds=thresholds, overlap=overlap, baseline=known)
    if flags["output_format"] != "text":
        inputs.messages.warn(*result.warnings)
    for form, name in reports:
        with open_output(name, form) as file:
            file.write(write_report(form, CHECK, result, look_of(name, flags["lang"])))
    with open_output(flags["output"], flags["output_format"]) as file:
        look = dataclasses.replace(look_of(flags["output"], flags["lang"]), quiet=flags["quiet"])
        file.write(write_report(flags["output_format"], CHECK, result, look))
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

    def origin(name: str) -> str:
        if options.is_configured(name):
            return options.running_config().place_of(name)
        return f"--{name.replace('_', '-')}"

    return Thresholds.read({name: flags[name] for name in NAMES if flags[name] is not None}, origin)


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


def _baseline(flags: Mapping[str, Any]) -> Baseline | None:
    from chunkscope.gate.baseline import read_baseline

    if flags["baseline"] is None or (flags["write_baseline"] and options.is_configured("baseline")):
        return None
    return read_baseline(flags["baseline"])


def _write_baseline(name: str, result: CheckResult, setting: str) -> Baseline:
    """Write all findings of today; never over a file that is something else."""
    from chunkscope.gate.baseline import Baseline, read_baseline

    if os.path.isfile(name) and os.path.getsize(name):
        read_baseline(name)
    baseline = Baseline.of(result.findings, setting)
    with open_output(name, "json") as file:
        file.write(baseline.to_json())
    return dataclasses.replace(baseline, path=name)
