"""Every option that commands share, declared once, and the command that takes its defaults from the configuration."""

from __future__ import annotations

import contextlib
import locale
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from chunkscope.corpus import LANGUAGES
from chunkscope.errors import ChunkscopeError, ConfigError
from chunkscope.language import LANGUAGES as SPOKEN
from chunkscope.language import Language
from chunkscope.reports.base import BUILT_IN, find_report

if TYPE_CHECKING:
    from chunkscope.config import Config

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

DEFAULT_ENCODING = "cl100k_base"


def is_encoding(word: str) -> bool:
    """Tell whether a word names a token encoding or a tokenizer file."""
    if word.lower().endswith(".json"):
        return True
    from chunkscope.structure.tokens import encoding_names

    return word in encoding_names()


_OPTIONAL: dict[str, tuple[str, Callable[[str], bool]]] = {
    "--demo": (LANGUAGES[0], LANGUAGES.__contains__),
    "--count-tokens": (DEFAULT_ENCODING, is_encoding),
}
"""Options whose value may be left out: what it is then, and what tells a value from the next argument."""


class ConfiguredCommand(click.Command):
    """A command whose defaults stand in the configuration file; a demo is the same everywhere, and has none.

    Some of its options may stand without a value: the next argument is one only if it looks like it. click by itself
    would take ``docs`` in ``--demo docs`` for the value.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Write the default of such an option out where no value follows."""
        options = args[: args.index("--")] if "--" in args else args
        written = [
            f"{argument}={_OPTIONAL[argument][0]}"
            if argument in _OPTIONAL and not _OPTIONAL[argument][1](following)
            else argument
            for argument, following in zip(options, [*options[1:], ""], strict=False)
        ]
        return super().parse_args(ctx, written + args[len(options) :])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse once to learn whether the file counts, and once more with what it says as defaults."""
        from chunkscope.config import find_config

        ctx = super().make_context(info_name, list(args), parent, **extra)
        if ctx.resilient_parsing or ctx.params.get("demo"):
            return ctx
        config = find_config()
        defaults = config.defaults(self.name)
        ctx = super().make_context(info_name, args, parent, obj=config, default_map=defaults, **extra)
        _refuse_tokenizer_files(ctx, config)
        return ctx


def _refuse_tokenizer_files(ctx: click.Context, config: Config) -> None:
    """Refuse files of a configuration that drive a library which no limit holds, unless they are trusted.

    Raises
    ------
    ConfigError
        A tokenizer file, and no ``--allow-code``.
    """
    from chunkscope.errors import ConfigError

    for name in COUNTING if not ctx.params.get("allow_code") else ():
        if ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
            found = _TOKENIZER_FILE.search(str(ctx.params[name]))
            if found:
                raise ConfigError(
                    f"{config.path}: {name}: {found[0]}: a tokenizer file can take all memory and time; --allow-code "
                    "lets it, if you trust it"
                )


COUNTING = ("chunker", "unit", "model_unit", "count_tokens", "budget", "retriever")
"""Options that may name a tokenizer file."""
_TOKENIZER_FILE = re.compile(r"""[^\s,()=:"'\[\]]+\.json\b""", re.IGNORECASE)

HEADINGS = {
    "Grid": ("chunker", "chunks", "chunk_field", "unit", "sizes", "overlaps", "allow_code"),
    "Questions": ("questions", "skip_bad_labels", "map_field", "holdout", "holdout_by", "seed"),
    "Ranking": (
        *("retriever", "runs", "context", "k", "return", "budget", "min_score"),
        *("filter", "outdated", "group_by", "metrics"),
    ),
    "Vectors": ("cache", "no_cache", "dry_run", "count_tokens", "price"),
    "Documents": (
        *("include", "exclude", "encoding", "markup", "dialect"),
        *("no_ignore", "follow_links", "skip_unreadable", "demo"),
    ),
    "Counting": ("measure", "no_cuts", "jobs", "dask"),
    "Output": (
        *("all_rows", "why", "ranks", "output_format", "output", "plot", "ids"),
        *("lang", "quiet", "verbose", "traceback"),
    ),
}
"""Under which heading of the help each option stands, by its name; the rest come under the last."""

WIDEST_OPTION = 26
"""In the help, options that are wider have a line of their own."""


class GroupedCommand(ConfiguredCommand):
    """A command with so many options that its help has headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        asked = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        records = {option.name: option.get_help_record(ctx) for option in asked}
        rows = {name: record for name, record in records.items() if record is not None}
        for number, (heading, names) in enumerate(HEADINGS.items(), 1):
            found = [rows.pop(name) for name in names if name in rows]
            found += rows.values() if number == len(HEADINGS) else ()
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found, col_max=WIDEST_OPTION)


def running_config() -> Config:
    """Give the configuration of the running command; an empty one where it has none."""
    from chunkscope.config import Config

    return click.get_current_context().obj or Config()


def is_configured(name: str) -> bool:
    """Tell whether the value of an option of the running command comes from the configuration file."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def is_given(name: str) -> bool:
    """Tell whether the value of an option of the running command was given, and is no default of ours."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT


@contextlib.contextmanager
def naming_the_file(*names: str) -> Iterator[None]:
    """Name the configuration file in what is wrong with options, where one of them comes from there."""
    try:
        yield
    except ChunkscopeError as error:
        if any(map(is_configured, names)):
            raise ConfigError(f"{running_config().path}: {error}") from error
        raise


def usage_error(message: str) -> click.UsageError:
    """Make the error of a command line that cannot be meant; it names the help of the running command."""
    return click.UsageError(message, click.get_current_context())


class Number(click.FloatRange):
    """A finite number; click itself takes "nan", and says of a text that it is no valid "float range"."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what cannot be calculated with."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a valid {self.name}.", param, ctx)
        return number


class WholeNumber(click.IntRange):
    """A whole number."""

    name = "whole number"


class ReportName(click.types.StringParamType):
    """A format for one kind of result, ours or that of an installed package."""

    name = "format"

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Name our own."""
        return f"[{'|'.join(BUILT_IN[self.kind])}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is no format, before anything is read."""
        if value not in BUILT_IN[self.kind]:
            find_report(value, self.kind)
        return str(value)


class FilledText(click.types.StringParamType):
    """A text that is not empty: in a script that is a variable nobody has set, and not a wish for the default."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what has nothing in it."""
        if isinstance(value, str) and not value.strip():
            self.fail("it is empty", param, ctx)
        return super().convert(value, param, ctx)


FILLED = FilledText()


def stacked(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Make one decorator of several; the help shows their options in this order."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def read_mapping(ctx: click.Context, parameter: click.Parameter, pairs: Sequence[str]) -> dict[str, str]:
    """Read OURS=THEIRS; what is given is added to what the configuration says."""
    mapping = {}
    for pair in (*(ctx.lookup_default(parameter.name or "") or ()), *pairs):
        ours, equals, theirs = (part.strip() for part in pair.partition("="))
        if not (ours and equals and theirs):
            such_as = "document=metadata.source" if parameter.name == "chunk_field" else "evidence=reference_contexts"
            raise click.BadParameter(f"{pair!r} is no OURS=THEIRS, such as {such_as}", ctx, parameter)
        mapping[ours] = theirs
    return mapping


dask_option = click.option(
    "--dask", metavar="WHERE", type=FILLED, help="Share the work: tcp://scheduler:8786, or local:4."
)

corpus_argument = click.argument("corpus", required=False, type=FILLED)

document_argument = click.argument("document", type=FILLED)

reading_options = stacked(
    click.option("--encoding", metavar="LIST", help="Encoding, or a list such as utf-8,cp932 [UTF-8]."),
    click.option(
        "--markup",
        metavar="KIND",
        type=click.Choice(["markdown", "html", "plain", "code"]),
        help="markdown, html, plain or code, for all [by suffix].",
    ),
    click.option("--dialect", metavar="NAME", help="Dialect of Markdown [by mkdocs.yml or such, or marks]."),
)

corpus_options = stacked(
    click.option("--include", metavar="GLOB", multiple=True, help="Read these files only; repeatable."),
    click.option("--exclude", metavar="GLOB", multiple=True, help="Leave files or folders out; repeatable."),
    reading_options,
    click.option("--no-ignore", is_flag=True, help="Read what .gitignore names too."),
    click.option("--follow-links", is_flag=True, help="Follow links that lead out of the folder too."),
    click.option("--skip-unreadable", is_flag=True, help="List files that cannot be read, go on."),
    click.option("--demo", metavar="[ja|en]", type=click.Choice(LANGUAGES), help="Take the example corpus instead."),
)

questions_option = click.option(
    "-q", "--questions", metavar="FILE", type=FILLED, help="Questions with their evidence, as JSON lines."
)

field_option = click.option(
    "--map-field",
    metavar="OURS=THEIRS",
    multiple=True,
    callback=read_mapping,
    help="What a field of questions or records is called.",
)

all_option = click.option("--all", "all_rows", is_flag=True, help="Show every cell of the grid.")

ids_option = click.option("--ids", is_flag=True, help="Name questions above 1,000 cells too.")

skip_option = click.option("--skip-bad-labels", is_flag=True, help="List questions with label problems, go on.")

price_option = click.option("--price", type=Number(min=0), metavar="N", help="Price of a million tokens to embed.")

UNIT_HELP = "What sizes count: char, word, or an encoding."

index_options = stacked(
    click.option(
        "--chunks",
        metavar="FILE",
        multiple=True,
        type=FILLED,
        help="Chunks of your index: JSON lines, CSV or Parquet.",
    ),
    click.option(
        "--chunk-field",
        metavar="OURS=THEIRS",
        multiple=True,
        callback=read_mapping,
        help="What a field of these chunks is called.",
    ),
)

grid_options = stacked(
    click.option(
        "-c", "--chunker", metavar="LIST", multiple=True, help="Ways of cutting [default: all that are here]."
    ),
    click.option("--unit", metavar="LIST", multiple=True, help=UNIT_HELP),
    click.option("--sizes", metavar="LIST", help="50..800:25 or 100,200 [default: 100 to 4000]."),
    click.option("--overlaps", metavar="LIST", help="Units or shares: 0,50,1/6,15% [default: 0,1/6]."),
)

model_options = stacked(
    click.option("--model", metavar="NAME", help="The embedding model; chunks must fit into it."),
    click.option("--model-limit", metavar="N", type=WholeNumber(min=1), help="What the model takes [8000 characters]."),
    click.option("--model-unit", metavar="UNIT", help="What that limit counts [the chunker's unit]."),
    click.option("--tolerance", metavar="N|PCT", help="How much more than the least may be lost [2%]."),
)

setting_options = stacked(
    click.option("-c", "--chunker", metavar="CHUNKER", multiple=True, help="The way of cutting [default: fixed]."),
    click.option("--size", metavar="N", help="Most units in a chunk; none: whole sections."),
    click.option("--overlap", metavar="N", help="Units shared with the next, or a share: 50, 1/6, 15% [default: 0]."),
    click.option("--unit", metavar="UNIT", multiple=True, help=UNIT_HELP),
)

output_option = click.option(
    "-o", "--output", metavar="FILE", type=FILLED, help="Write there, in UTF-8, instead of stdout."
)

plot_option = click.option("--plot", metavar="FILE", type=FILLED, help="Draw curves and heat map: .png or .svg.")

no_cache_option = click.option("--no-cache", is_flag=True, help="Keep vectors and pieces for this run only.")

allow_code_option = click.option("--allow-code", is_flag=True, help="Trust what the configuration names.")

splitter_options = stacked(
    click.option("--cache", metavar="PATH", type=FILLED, help="Where pieces are kept [the user's cache folder]."),
    no_cache_option,
    allow_code_option,
)


def locale_language() -> Language:
    """Give the language of the locale: English where there is no catalogue for it.

    The first of LC_ALL, LC_MESSAGES and LANG that is set decides; where none is, as on Windows, the system's setting.
    """
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), None)
    if named is None:
        with contextlib.suppress(ValueError):
            named = locale.getlocale()[0]
    # Windows writes it out: Japanese_Japan
    return "ja" if re.match(r"ja(panese)?(?![a-z])", named or "", re.IGNORECASE) else "en"


message_options = stacked(
    click.option(
        "--lang",
        type=click.Choice(SPOKEN),
        envvar="CHUNKSCOPE_LANG",
        default=locale_language,
        help="Language of what people read [the locale's].",
    ),
    click.option("--quiet", is_flag=True, help="No warnings and no progress."),
    click.option("-v", "--verbose", is_flag=True, help="Say more on stderr."),
    click.option("--traceback", is_flag=True, expose_value=False, help="Show where an error comes from."),
)


def format_option(*formats: str) -> Decorator[Any]:
    """Give the option for the format; the first is the default."""
    return _format_option(click.Choice(formats), formats[0])


def report_option(kind: str) -> Decorator[Any]:
    """Give the option for the format of a sweep or a check."""
    return _format_option(ReportName(kind), next(iter(BUILT_IN[kind])))


def _format_option(kind: click.ParamType[Any], default: str) -> Decorator[Any]:
    return click.option(
        "--format", "output_format", type=kind, default=default, show_default=True, help="What to write."
    )
