"""``chunkscope check``: one setting against thresholds, before anything is indexed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from chunkscope.cli import options
from chunkscope.cli.console import Look, Messages, check_outputs, look_of, open_output
from chunkscope.cli.program import FOUND

if TYPE_CHECKING:
    from chunkscope.config import Config
    from chunkscope.gate.baseline import Baseline
    from chunkscope.gate.result import CheckResult
    from chunkscope.gate.thresholds import Thresholds
    from chunkscope.grid.notation import Overlap

FORMATS = ("text", "json", "github", "junit")
FLAGS = (
    "max_split", "max_missing", "max_header_lost", "max_rows_header_lost", "max_oversize", "model_limit", "model_unit",
    "max_broken", "max_blank", "label_problems",
)  # fmt: skip

EPILOG = """\b
Examples:
  chunkscope check
  chunkscope check docs -q questions.jsonl --size 400 --overlap 1/6
  chunkscope check docs -q questions.jsonl --chunker heading --model-limit 512 --model-unit cl100k_base
  chunkscope check --format github --report junit=chunkscope.xml

\b
A threshold is a count (3), a share (2%) or none. Without any, no question may be split or have missing evidence, no
table question be apart from its header, no chunk be broken, and the labels must be sound.

\b
Exit status: 0 all thresholds are met, 1 one is missed, 2 could not look, or nothing was measured."""

threshold_options = options.stacked(
    click.option("--max-split", metavar="N|PCT", help="Questions whose evidence may be split [0]."),
    click.option("--max-missing", metavar="N|PCT", help="Questions whose evidence may be in no chunk [0]."),
    click.option("--max-header-lost", metavar="N|PCT", help="Table questions that may be apart from the header [0]."),
    click.option("--max-rows-header-lost", metavar="N|PCT", help="Table rows that may be, whoever needs them [none]."),
    click.option("--max-oversize", metavar="N|PCT", help="Chunks that may be above the limit, or the size [none]."),
    click.option("--model-limit", metavar="N", help="What the model takes, prepended text included."),
    click.option("--model-unit", metavar="UNIT", help="What the limit counts [that of the chunker]."),
    click.option("--max-broken", metavar="N|PCT", help="Chunks that may begin or end inside a character [0]."),
    click.option("--max-blank", metavar="N|PCT", help="Chunks in which nothing may be seen [none]."),
    click.option("--label-problems", metavar="error|warn", help="What label problems are [error]."),
)


@click.command("check", cls=options.OptionalValueCommand, epilog=EPILOG)
@options.corpus_argument
@options.questions_option
@options.one_way_options
@threshold_options
@options.format_option(*FORMATS)
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
    from chunkscope.cli import inputs
    from chunkscope.cli.settings import read_way
    from chunkscope.gate.check import check
    from chunkscope.structure.units import get_unit

    messages = Messages(flags["quiet"], flags["verbose"])
    config = inputs.load_config(messages, flags["demo"])
    thresholds = read_thresholds(config, flags)
    chunker = read_way(config, flags["chunker"], flags["unit"], flags["size"], flags["overlap"])
    for unit in {chunker.unit, thresholds.model_unit or chunker.unit}:
        get_unit(unit).measure("")  # what is not installed is said before anything is read
    reports = _reports(flags["report"])
    baseline = _baseline(config, flags)
    path, asked = inputs.choose_paths(config, flags)
    reading = inputs.Reading.of(config, flags)
    outputs = [flags["output"], *(name for _, name in reports), flags["write_baseline"]]
    held = baseline.path if baseline and not _is_same(baseline.path, flags["write_baseline"]) else None
    check_outputs(outputs, [path, asked, config.path, held], reading.names)
    corpus = inputs.open_corpus(path, reading, messages)
    questions = inputs.open_questions(asked, config, flags["map_field"], messages) if asked else None
    shared = _written_overlap(config, flags, chunker.size)
    result = check(corpus, questions, chunker, thresholds=thresholds, overlap=shared, baseline=baseline)
    if flags["write_baseline"]:
        known = _write_baseline(flags["write_baseline"], result, str(chunker))
        result = check(corpus, questions, chunker, thresholds=thresholds, overlap=shared, baseline=known)
    if flags["output_format"] != "text":
        messages.warn(*result.warnings)
    for form, name in reports:
        with open_output(name, form) as file:
            file.write(write(result, form, look_of(name), quiet=False))
    with open_output(flags["output"], flags["output_format"]) as file:
        file.write(write(result, flags["output_format"], look_of(flags["output"]), quiet=flags["quiet"]))
    if not result.passed:
        click.get_current_context().exit(FOUND)


def _is_same(path: str, other: str | None) -> bool:
    return other is not None and os.path.realpath(path) == os.path.realpath(other)


def write(result: CheckResult, form: str, look: Look, *, quiet: bool) -> str:
    """Write a result in one of `FORMATS`."""
    if form == "json":
        from chunkscope.reports.json_report import check_to_json

        return check_to_json(result)
    if form == "github":
        from chunkscope.reports.check_github import check_to_github

        return check_to_github(result)
    if form == "junit":
        from chunkscope.reports.check_junit import check_to_junit

        return check_to_junit(result)
    from chunkscope.reports.check_text import render_check

    return render_check(result, width=look.width, color=look.color, ascii=look.ascii, quiet=quiet)


def read_thresholds(config: Config, flags: Mapping[str, Any]) -> Thresholds:
    """Give the thresholds: flags, else those of the configuration.

    Raises
    ------
    ConfigError
        A name or a value that means nothing, with the place where it stands.
    """
    from chunkscope.gate.thresholds import Thresholds

    given = {name: flags[name] for name in FLAGS if flags.get(name) is not None}
    configured = {name: value for name, value in config.check.items() if name != "baseline"}

    def origin(name: str) -> str:
        return f"--{name.replace('_', '-')}" if name in given else f"{_table(config)} {name}"

    return Thresholds.read({**configured, **given}, origin, _table(config))


def _table(config: Config) -> str:
    """Name the table of the thresholds as it stands in the file."""
    from chunkscope.config import OWN_FILE

    path = config.path or ""
    return f"{path}: {'[check]' if os.path.basename(path) == OWN_FILE else '[tool.chunkscope.check]'}"


def _written_overlap(config: Config, flags: Mapping[str, Any], size: int | None) -> Overlap | None:
    """Give the overlap as it was written, a share that goes with the size; None: the chunker's own width."""
    from chunkscope.grid.notation import parse_overlaps

    written = config.choose("overlap", flags["overlap"], None)
    if written is None or size is None:
        return None
    return parse_overlaps(str(written))[0]


def _reports(entries: Sequence[str]) -> list[tuple[str, str]]:
    found = []
    for entry in entries:
        form, equals, name = entry.partition("=")
        if form not in FORMATS or not equals or not name:
            raise click.UsageError(
                f"--report {entry!r}: write FORMAT=FILE, with one of {', '.join(FORMATS)}", click.get_current_context()
            )
        found.append((form, name))
    return found


def _baseline(config: Config, flags: Mapping[str, Any]) -> Baseline | None:
    from chunkscope.errors import ConfigError
    from chunkscope.gate.baseline import read_baseline

    name = flags["baseline"]
    if name is None and "baseline" in config.check:
        if flags["write_baseline"]:
            return None
        name = config.check["baseline"]
        if not isinstance(name, str) or not name:
            raise ConfigError(f"{_table(config)} baseline must be a path, not {name!r}")
        name = os.path.join(os.path.dirname(config.path or ""), name)
    return None if name is None else read_baseline(name)


def _write_baseline(name: str, result: CheckResult, setting: str) -> Baseline:
    """Write all findings of today; never over a file that is something else."""
    import dataclasses

    from chunkscope.gate.baseline import Baseline, read_baseline

    if os.path.isfile(name) and os.path.getsize(name):
        read_baseline(name)
    baseline = Baseline.of(result.findings, setting)
    with open_output(name, "json") as file:
        file.write(baseline.to_json())
    return dataclasses.replace(baseline, path=name)
