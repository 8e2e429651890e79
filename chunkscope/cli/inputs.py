"""Documents and questions: which ones are meant, read, and what is to be said about them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from chunkscope.cli.console import Messages
from chunkscope.cli.options import is_configured, running_config, usage_error
from chunkscope.cli.outputs import check_outputs, is_inside, is_same_file
from chunkscope.corpus.dialect import find_dialect
from chunkscope.corpus.json_lines import RECORD_FIELDS
from chunkscope.corpus.name_filter import TO_CONVERT, NameFilter, ignored_files
from chunkscope.corpus.places import has_hidden, is_url, shown_url
from chunkscope.errors import ConfigError, InputError
from chunkscope.language import say

if TYPE_CHECKING:
    from chunkscope.corpus.document import Document, Markup
    from chunkscope.corpus.reading import Corpus
    from chunkscope.questions.question import QuestionFile

NAMING = ("chunker", "unit", "model_unit", "count_tokens", "budget", "retriever")
"""Options whose values may name modules, and tokenizer files."""

CORPUS_HERE, QUESTIONS_HERE = "corpus", "questions.jsonl"


@dataclass(frozen=True)
class Inputs:
    """What a command reads, and how.

    Attributes
    ----------
    place : str
        The corpus, or the one document; of a URL all of it.
    questions_path : str or None
    flags : mapping
        The values of all options.
    messages : Messages
        Where what is doubtful is said.
    """

    place: str
    questions_path: str | None
    flags: Mapping[str, Any]
    messages: Messages

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Inputs:
        """Take what is given, else what the configuration names, else the usual names in the current folder.

        Raises
        ------
        UsageError
            A demo and a corpus at once, or no corpus anywhere.
        ConfigError
            The configuration names what is not there.
        """
        return cls(*_chosen_paths(flags), flags, start(flags))

    @property
    def path(self) -> str:
        """What is said and kept of the place: a URL without user, password and query."""
        return shown_url(self.place)

    @property
    def names(self) -> NameFilter:
        """Which files of a folder are read."""
        return NameFilter(self.flags.get("include", ()), self.flags.get("exclude", ()))

    @property
    def settings(self) -> dict[str, object]:
        """What of it is kept with a result."""
        found: dict[str, object] = {name: self.flags[name] for name in ("encoding", "markup")}
        found["dialect"] = self.flags["dialect"] or find_dialect(self.path)[0]
        found |= {name: list(self.flags[name]) for name in ("include", "exclude")}
        found |= {"encodings": dict(self.encodings)} if self.encodings else {}
        return found | ({"no_ignore": True} if self.flags.get("no_ignore") else {})

    def as_settled(self, settings: Mapping[str, Any]) -> Inputs:
        """Read documents as a result was read; see `settings`."""
        told: dict[str, Any] = {name: settings.get(name) for name in ("encoding", "markup", "dialect")}
        told |= {name: tuple(settings.get(name) or ()) for name in ("include", "exclude")}
        told |= {"encodings": settings.get("encodings") or {}, "no_ignore": bool(settings.get("no_ignore"))}
        return replace(self, flags={**self.flags, **told})

    @property
    def encodings(self) -> Mapping[str, str]:
        """The encodings that the configuration has for globs; an encoding on the command line goes before them."""
        if "encodings" in self.flags:
            return cast("Mapping[str, str]", self.flags["encodings"])
        if self.flags["encoding"] is not None and not is_configured("encoding"):
            return {}
        return cast("Mapping[str, str]", running_config().values.get("encodings", {}))

    def check_outputs(
        self, *outputs: str | None, also_read: Sequence[str | None] = (), mended: str | None = None
    ) -> None:
        """Refuse, before the work begins, outputs that cannot be written or would go over what is read.

        Only `mended` may go over the questions.
        """
        path = self.questions_path
        questions = None if path and is_same_file(path, mended) else path
        also_named = [file for file in named_files(self.flags) if os.path.isfile(file)]
        check_outputs(outputs, [self.path, questions, running_config().path, *also_named, *also_read], self.names)

    def read_corpus(self) -> Corpus:
        """Read the documents, and say what was doubtful or left out.

        Raises
        ------
        InputError
            A file that is to be converted, or what `read_corpus` cannot read.
        """
        corpus = self._read()
        self.messages.warn(*corpus.unreadable)
        self.messages.warn(*corpus.warnings)
        if corpus.ignored:
            self.messages.warn(ignored_files(corpus.ignored))
        self.messages.note(say("{path}: {n:,} {n:document|documents}", path=self.path, n=len(corpus)))
        return corpus

    def read_document(self) -> Document:
        """Read the one document of a file.

        Raises
        ------
        InputError
            A folder, or a file with several documents.
        """
        if os.path.isdir(self.path):
            raise InputError(f"{self.path}: is a folder; name one document")
        corpus = self._read()
        self.messages.warn(*corpus.warnings)
        if len(corpus) != 1:
            raise InputError(f"{self.path}: holds {len(corpus)} documents; name a file with one")
        return next(iter(corpus))

    def read_questions(self) -> QuestionFile | None:
        """Read the questions, if there are any, and say what was doubtful."""
        from chunkscope.questions.question import read_questions

        if self.questions_path is None:
            return None
        questions = read_questions(self.questions_path, fields=self._fields(of_records=False))
        self.messages.warn(*questions.warnings)
        return questions

    def _read(self) -> Corpus:
        from chunkscope.corpus.reading import read_corpus

        suffix = os.path.splitext(self.path)[1].lower()
        if suffix in TO_CONVERT and os.path.isfile(self.path):
            raise InputError(f"{self.path}: a {suffix} file; make Markdown of it with chunkscope convert")
        fields = self._fields(of_records=True)
        corpus = read_corpus(
            self.place,
            encoding=self.flags["encoding"],
            encodings=self.encodings,
            include=self.flags.get("include", ()),
            exclude=self.flags.get("exclude", ()),
            markup=cast("Markup | None", self.flags["markup"]),
            dialect=self.flags["dialect"],
            skip_unreadable=self.flags.get("skip_unreadable", False),
            fields=fields,
            follow_links=self.flags.get("follow_links", False),
            gitignore=not self.flags.get("no_ignore", False),
        )
        if fields and not corpus.has_records:
            self.messages.warn(say("--map-field name and text are for the records of a JSONL or Parquet file"))
        return corpus

    def _fields(self, *, of_records: bool) -> dict[str, str]:
        """Give the part of --map-field that is about the records of a corpus, or about questions."""
        pairs: Mapping[str, str] = self.flags.get("map_field") or {}
        return {ours: theirs for ours, theirs in pairs.items() if (ours in RECORD_FIELDS) is of_records}


def named_files(flags: Mapping[str, Any]) -> Iterator[str]:
    """Give what a command may read besides documents and questions: modules, tokenizer files, and the cache."""
    for name in NAMING:
        value = flags.get(name) or ()
        for text in (value,) if isinstance(value, str) else value:
            for word in (text, *re.split(r"""[\s,()=:"']+""", text)):
                module = word.replace(".", "/")
                yield from (word, f"{module}.py", f"{module}/__init__.py")
    if flags.get("cache"):
        from chunkscope.store.file import file_at

        yield str(file_at(flags["cache"]))


def _below(path: str, folder: str) -> str:
    """Write a path relative to a folder, links followed."""
    return os.path.relpath(os.path.realpath(path), os.path.realpath(folder))


def start(flags: Mapping[str, Any]) -> Messages:
    """Give what messages go through, and say there which configuration counts."""
    messages = Messages(flags["quiet"], flags["verbose"], flags["lang"])
    config = running_config()
    messages.warn(*config.warnings)
    if config.path:
        messages.note(say("configuration: {path}", path=config.path))
    return messages


def _chosen_paths(flags: Mapping[str, Any]) -> tuple[str, str | None]:
    """Give the paths of the corpus and of the questions."""
    if "document" in flags:
        return flags["document"], flags.get("asked")
    corpus, questions = flags["corpus"], flags.get("questions")
    if flags["demo"]:
        from chunkscope.corpus import LANGUAGES, demo_path

        if corpus is not None:
            raise usage_error(
                f"--demo brings its own documents; leave out {shown_url(corpus)!r} "
                f"(there are the demos {' and '.join(LANGUAGES)})"
            )
        folder = min(str(demo_path(flags["demo"])), os.path.relpath(demo_path(flags["demo"])), key=len)
        return os.path.join(folder, "docs"), questions or os.path.join(folder, QUESTIONS_HERE)
    if corpus is not None and not is_configured("corpus"):
        return corpus, None if is_configured("questions") else questions  # configured ones are of another corpus
    if corpus is None and not os.path.exists(CORPUS_HERE):
        file = running_config().path
        where = f"{file} names none" if file else "no configuration names one"
        raise usage_error(
            f"no CORPUS: {where}, and there is no {CORPUS_HERE!r} here; name a folder or file, or try --demo"
        )
    if is_configured("corpus") and is_url(flags["corpus"]):
        raise ConfigError(
            f"{running_config().path}: corpus: {shown_url(flags['corpus'])}: a URL is named on the command line"
        )
    for name in ("corpus", "questions"):
        if is_configured(name) and not os.path.exists(flags[name]):
            raise ConfigError(f"{running_config().path}: {name}: {flags[name]}: no such file or folder")
    if is_configured("corpus") and not is_inside(flags["corpus"], os.path.dirname(running_config().path or "")):
        raise ConfigError(
            f"{running_config().path}: corpus: {flags['corpus']}: leads out of the folder of the configuration; "
            "name it on the command line"
        )
    if is_configured("corpus") and has_hidden(_below(flags["corpus"], os.path.dirname(running_config().path or ""))):
        raise ConfigError(
            f"{running_config().path}: corpus: {flags['corpus']}: leads to hidden files; name it on the command line"
        )
    return corpus or CORPUS_HERE, questions or (QUESTIONS_HERE if os.path.exists(QUESTIONS_HERE) else None)
