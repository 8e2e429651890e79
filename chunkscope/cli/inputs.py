"""Documents and questions: which ones are meant, read, and what is to be said about them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import click

from chunkscope.cli.console import Messages
from chunkscope.cli.options import DEMOS
from chunkscope.config import Config, find_config
from chunkscope.corpus.name_filter import TO_CONVERT, NameFilter
from chunkscope.errors import ConfigError, InputError

if TYPE_CHECKING:
    from chunkscope.corpus.document import Document, Markup
    from chunkscope.corpus.reading import Corpus
    from chunkscope.questions.question import QuestionFile

CORPUS_HERE, QUESTIONS_HERE = "corpus", "questions.jsonl"
MOST_SUFFIXES = 5


@dataclass(frozen=True)
class Reading:
    """How documents are read."""

    encoding: str | None
    markup: str | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    skip_unreadable: bool

    @classmethod
    def of(cls, config: Config, flags: Mapping[str, object]) -> Reading:
        """Take flags, else the configuration."""
        return cls(
            encoding=config.choose("encoding", cast("str | None", flags.get("encoding")), None),
            markup=config.choose("markup", cast("str | None", flags.get("markup")), None),
            include=config.choose("include", cast("tuple[str, ...]", flags.get("include", ())), ()),
            exclude=config.choose("exclude", cast("tuple[str, ...]", flags.get("exclude", ())), ()),
            skip_unreadable=bool(flags.get("skip_unreadable")),
        )

    @property
    def names(self) -> NameFilter:
        """Which files of a folder are read."""
        return NameFilter(self.include, self.exclude)

    @property
    def settings(self) -> dict[str, object]:
        """What of it is kept with a result."""
        return {
            "encoding": self.encoding,
            "markup": self.markup,
            "include": list(self.include),
            "exclude": list(self.exclude),
        }

    def read(self, path: str) -> Corpus:
        """Read a corpus.

        Raises
        ------
        InputError
            A file that is to be converted, or what `read_corpus` cannot read.
        """
        from chunkscope.corpus.reading import read_corpus

        suffix = os.path.splitext(path)[1].lower()
        if suffix in TO_CONVERT and os.path.isfile(path):
            raise InputError(f"{path}: a {suffix} file; convert it to Markdown or text first")
        return read_corpus(
            path,
            encoding=self.encoding,
            include=self.include,
            exclude=self.exclude,
            markup=cast("Markup | None", self.markup),
            skip_unreadable=self.skip_unreadable,
        )

    def read_one(self, path: str, messages: Messages) -> Document:
        """Read the one document of a file.

        Raises
        ------
        InputError
            A folder, or a file with several documents.
        """
        if os.path.isdir(path):
            raise InputError(f"{path}: is a folder; name one document")
        corpus = self.read(path)
        messages.warn(*corpus.warnings)
        if len(corpus) != 1:
            raise InputError(f"{path}: holds {len(corpus)} documents; name a file with one")
        return next(iter(corpus))


def load_config(messages: Messages, demo: str | None = None) -> Config:
    """Find the configuration of the current folder; a demo is the same everywhere, and has none."""
    if demo:
        return Config()
    config = find_config()
    messages.warn(*config.warnings)
    if config.path:
        messages.note(f"configuration: {config.path}")
    return config


def choose_paths(config: Config, flags: Mapping[str, object]) -> tuple[str, str | None]:
    """Tell which corpus and which questions are meant.

    Raises
    ------
    UsageError
        A demo and a corpus at once, or no corpus anywhere.
    """
    corpus, questions, demo = (cast("str | None", flags.get(name)) for name in ("corpus", "questions", "demo"))
    if demo:
        from chunkscope.corpus.demos import demo_path

        if corpus is not None:
            raise click.UsageError(
                f"--demo brings its own documents; leave out {corpus!r} (there are the demos {' and '.join(DEMOS)})",
                click.get_current_context(),
            )
        folder = min(str(demo_path(demo)), os.path.relpath(demo_path(demo)), key=len)
        return os.path.join(folder, "docs"), questions or os.path.join(folder, QUESTIONS_HERE)
    if corpus is not None:
        return corpus, questions
    corpus = config.corpus or (CORPUS_HERE if os.path.exists(CORPUS_HERE) else None)
    if corpus is None:
        where = f"{config.path} names none, and" if config.path else "no configuration names one, and"
        raise click.UsageError(
            f"no CORPUS: {where} there is no {CORPUS_HERE!r} here; name a folder or file, or try --demo",
            click.get_current_context(),
        )
    here = QUESTIONS_HERE if os.path.exists(QUESTIONS_HERE) else None
    if config.corpus:
        _check_configured(config, "corpus", config.corpus)
    return corpus, questions or config.questions or here


def _check_configured(config: Config, key: str, path: str) -> None:
    if not os.path.exists(path):
        raise ConfigError(f"{config.path}: {key}: {path}: no such file or folder")


def open_corpus(path: str, reading: Reading, messages: Messages) -> Corpus:
    """Read the documents, and say what was doubtful or left out."""
    corpus = reading.read(path)
    messages.warn(*corpus.unreadable)
    messages.warn(*corpus.warnings)
    if corpus.ignored:
        messages.warn(ignored_files(corpus.ignored))
    messages.note(f"{path}: {len(corpus)} documents")
    return corpus


def ignored_files(ignored: Mapping[str, int]) -> str:
    """Write which files of a folder are no documents, the most frequent suffixes first.

    Examples
    --------
    >>> ignored_files({".png": 3, ".pdf": 12})
    '12 .pdf ignored: convert them first; 3 .png ignored'
    """
    ranked = sorted(ignored.items(), key=lambda item: (item[0] not in TO_CONVERT, -item[1], item[0]))
    notes = [
        f"{count} {suffix or 'without suffix'} ignored" + (": convert them first" if suffix in TO_CONVERT else "")
        for suffix, count in ranked[:MOST_SUFFIXES]
    ]
    rest = sum(count for _, count in ranked[MOST_SUFFIXES:])
    return "; ".join([*notes, f"{rest} others ignored"] if rest else notes)


def open_questions(path: str, config: Config, field: Mapping[str, str], messages: Messages) -> QuestionFile:
    """Read the questions, and say what was doubtful."""
    from chunkscope.questions.question import read_questions

    if path == config.questions:
        _check_configured(config, "questions", path)
    questions = read_questions(path, fields={**config.map_field, **field})
    messages.warn(*questions.warnings)
    return questions
