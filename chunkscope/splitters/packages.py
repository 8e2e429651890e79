"""The splitters of installed packages that have a short name, and how each is told what its sizes count.

Nothing of a package is imported before one of its splitters is asked for, and nothing is fetched: vocabularies come
from the files of this machine.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from chunkscope.errors import MissingPartError, SplitterError, unit_noun
from chunkscope.splitters.parameters import OVERLAP_NAMES, SIZE_NAMES

Options = dict[str, Any]

ANY_UNIT = ("any",)
ENCODINGS = ("an encoding",)


class Made(NamedTuple):
    """What splits, or what makes it; with what it is to be given; and what its sizes count then."""

    found: Any
    options: Options
    unit: str | None
    counts: str


Maker = Callable[[Any, str | None, Options], Made]


@dataclass(frozen=True)
class Installed:
    """A splitter of an installed package.

    Attributes
    ----------
    package, module : str
        What pip calls the package, and what is imported of it.
    part : str
        What it is there: ``RecursiveCharacterTextSplitter``.
    unit : str or None
        What its sizes are counted in unless another unit is asked for; None where that is no unit of ours.
    counts : str
        The same in words; empty where it takes no size.
    units : tuple of str
        What other units can be asked for: `ANY_UNIT`, `ENCODINGS`, or none.
    make : callable
        Of the module, a unit and the options that the user gave.
    """

    package: str
    module: str
    part: str
    unit: str | None
    counts: str
    units: tuple[str, ...]
    make: Maker

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed; nothing is imported to find out."""
        try:
            return bool(version(self.package))
        except PackageNotFoundError:
            return False

    def counts_in(self, unit: str) -> bool:
        """Tell whether its sizes can be counted in a unit."""
        if unit == self.unit or self.units == ANY_UNIT:
            return True
        if self.unit is None and unit == "char":  # what lengths are told in where sizes count nothing that we can
            return True
        return self.units == ENCODINGS and unit in _encodings()


def counter(unit: str) -> Callable[[str], int]:
    """Give what counts the units of a text, as packages that take a length function want it.

    Raises
    ------
    MissingPartError
        The vocabulary is not on this machine.

    Examples
    --------
    >>> counter("char")("four"), counter("cl100k_base")("four words in tokens")
    (4, 4)
    """
    from chunkscope.structure.tokens import load_encoding
    from chunkscope.structure.units import get_unit

    if unit == "char":
        return len
    if unit in _encodings():
        encode = load_encoding(unit).encoding.encode_ordinary
        return lambda text: len(encode(text))
    measured = get_unit(unit)
    return lambda text: measured.measure(text).total


def tell_tiktoken(name: str) -> Any:
    """Make tiktoken know an encoding from the files of this machine, so that a package that asks for it fetches none.

    Returns
    -------
    tiktoken.Encoding

    Raises
    ------
    MissingPartError
        The vocabulary is not on this machine.
    SplitterError
        No such encoding.
    """
    from tiktoken import registry

    from chunkscope.structure.tokens import load_encoding

    if name not in _encodings():
        raise SplitterError(f"{name!r} is no encoding; there are {', '.join(_encodings())}")
    return registry.ENCODINGS.setdefault(name, load_encoding(name).encoding)


def _encodings() -> tuple[str, ...]:
    from chunkscope.structure.tokens import encoding_names

    return encoding_names()


def _spoken(unit: str | None, counts: str = "") -> str:
    return counts if unit is None else unit_noun(unit)


def _as_it_is(part: str, unit: str | None, counts: str, **options: Any) -> Maker:
    """A class whose sizes count what they count."""
    return lambda module, _, __: Made(getattr(module, part), options, unit, counts)


def _langchain(part: str, **options: Any) -> Maker:
    def make(module: Any, unit: str | None, _: Options) -> Made:
        counting = {} if unit is None or unit == "char" else {"length_function": counter(unit)}
        return Made(getattr(module, part), {**options, **counting}, unit, _spoken(unit))

    return make


def _langchain_language(language: str) -> Maker:
    def make(module: Any, unit: str | None, _: Options) -> Made:
        splitter = module.RecursiveCharacterTextSplitter
        count = counter(unit or "char")

        def of_language(
            language: str = language, chunk_size: int = 4000, chunk_overlap: int = 200, **more: Any
        ) -> object:
            sizes = {"chunk_size": chunk_size, "chunk_overlap": chunk_overlap, "length_function": count}
            return splitter.from_language(module.Language(language), **sizes, **more)

        return Made(of_language, {}, unit, _spoken(unit))

    return make


def _langchain_token(module: Any, unit: str | None, options: Options) -> Made:
    """Its own default is the vocabulary of gpt2."""
    if "model_name" in options:
        return Made(module.TokenTextSplitter, {}, None, f"tokens of {options['model_name']}")
    name = str(options.get("encoding_name", unit))
    tell_tiktoken(name)
    return Made(module.TokenTextSplitter, {"encoding_name": name}, name, unit_noun(name))


def _langchain_headings(module: Any, _: str | None, __: Options) -> Made:
    levels = [("#" * level, f"Header {level}") for level in (1, 2, 3)]
    return Made(module.MarkdownHeaderTextSplitter, {"headers_to_split_on": levels}, None, "")


def _llamaindex(part: str) -> Maker:
    """The vocabulary of cl100k_base comes along with the package, and is what it counts in."""

    def make(module: Any, unit: str | None, _: Options) -> Made:
        if unit in (None, "cl100k_base"):
            return Made(getattr(module, part), {}, unit, _spoken(unit))
        count = counter(str(unit))
        return Made(getattr(module, part), {"tokenizer": lambda text: range(count(text))}, unit, _spoken(unit))

    return make


def _llamaindex_hierarchical(module: Any, _: str | None, __: Options) -> Made:
    return Made(module.HierarchicalNodeParser.from_defaults, {}, "cl100k_base", "cl100k_base tokens")


def _chonkie(part: str) -> Maker:
    def make(module: Any, unit: str | None, options: Options) -> Made:
        asked = options.get("tokenizer")
        if asked in _encodings():
            unit = asked
        elif asked is not None:
            return Made(
                getattr(module, part), {}, "char" if asked == "character" else None, f"{asked} units of chonkie"
            )
        if unit is None or unit == "char":
            return Made(getattr(module, part), {}, unit, "characters")
        tokenizer = tell_tiktoken(unit) if unit in _encodings() else counter(unit)
        options.pop("tokenizer", None)
        return Made(getattr(module, part), {"tokenizer": tokenizer}, unit, _spoken(unit))

    return make


def _chonkie_table(module: Any, _: str | None, options: Options) -> Made:
    if options.get("tokenizer", "row") == "row":
        return Made(module.TableChunker, {}, None, "rows of tables")
    return _chonkie("TableChunker")(module, None, options)


TIKTOKEN_MODELS = {"cl100k_base": "gpt-4", "o200k_base": "gpt-4o"}
"""Encodings that semantic-text-splitter has inside, and a model of each."""


def _semantic(part: str) -> Maker:
    def make(module: Any, unit: str | None, _: Options) -> Made:
        splitter = getattr(module, part)
        if unit is None or unit == "char":
            return Made(splitter, {}, unit, _spoken(unit))
        model, count = TIKTOKEN_MODELS.get(unit), counter(unit)

        def counting(capacity: int, overlap: int = 0, trim: bool = True) -> object:
            if model is not None:
                return splitter.from_tiktoken_model(model, capacity, overlap, trim)
            return splitter.from_callback(count, capacity, overlap, trim)

        return Made(counting, {}, unit, _spoken(unit))

    return make


def _semchunk(module: Any, unit: str | None, _: Options) -> Made:
    """It has no length of its own; of no tokenizer it knows the length in characters."""
    count = counter(unit or "char")

    def chunker(chunk_size: int, overlap: float = 0) -> Callable[[str], object]:
        splitter = module.chunkerify(count, chunk_size)
        return lambda text: splitter(text, offsets=True, overlap=overlap or None)

    return Made(chunker, {}, unit or "char", _spoken(unit or "char"))


def _haystack(by: str, counts: str) -> Maker:
    def make(module: Any, unit: str | None, options: Options) -> Made:
        if by == "sentence":
            _need_nltk("haystack:sentence")
        if by != "token":
            return Made(module.DocumentSplitter, {"split_by": by}, None, counts)
        name = str(options.get("tokenizer_encoding", unit))
        tell_tiktoken(name)
        return Made(module.DocumentSplitter, {"split_by": by, "tokenizer_encoding": name}, name, unit_noun(name))

    return make


def _haystack_recursive(module: Any, _: str | None, options: Options) -> Made:
    if "sentence" in options.get("separators", ["sentence"]):
        _need_nltk('haystack:recursive (unless with separators=["\\n\\n", "\\n", " "])')
    unit = {"char": "char", "token": "o200k_base"}.get(options.get("split_unit", "word"))
    if unit == "o200k_base":
        tell_tiktoken(unit)
    return Made(module.RecursiveDocumentSplitter, {}, unit, _spoken(unit, WORDS))


def _haystack_markdown(module: Any, _: str | None, options: Options) -> Made:
    """Sizes are those of a second splitter, which it has only where one is asked for."""
    splitter = module.MarkdownHeaderSplitter
    if options.get("secondary_split"):
        return Made(splitter, {}, None, WORDS if options["secondary_split"] == "word" else "units of its own")

    def headings(**more: Any) -> object:
        return splitter(**more)

    signature = inspect.signature(splitter.__init__)
    kept = [one for name, one in signature.parameters.items() if name not in (*SIZE_NAMES, *OVERLAP_NAMES, "self")]
    headings.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return Made(headings, {}, None, "")


def _need_nltk(what: str) -> None:
    try:
        import_module("nltk").data.find("tokenizers/punkt_tab")
    except (ImportError, LookupError):
        raise MissingPartError(
            f"{what} needs NLTK with its file punkt_tab: pip install nltk, then python -m nltk.downloader punkt_tab"
        ) from None


def prepare(package: str) -> None:
    """Keep a package that is about to be imported from calling home."""
    if package == "haystack-ai":
        os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")


WORDS = "words between spaces"

_LANGCHAIN = ("langchain-text-splitters", "langchain_text_splitters")
_LLAMAINDEX = ("llama-index-core", "llama_index.core.node_parser")
_CHONKIE = ("chonkie", "chonkie")
_SEMANTIC = ("semantic-text-splitter", "semantic_text_splitter")
_SEMCHUNK = ("semchunk", "semchunk")
_HAYSTACK = ("haystack-ai", "haystack.components.preprocessors")

_CHARACTERS = ("char", "characters", ANY_UNIT)
_CL100K = ("cl100k_base", "cl100k_base tokens")
_NO_SIZE = (None, "", ())


def _entry(
    package: tuple[str, str], part: str, sizes: tuple[str | None, str, tuple[str, ...]], make: Maker | None = None
) -> Installed:
    unit, counts, units = sizes
    return Installed(*package, part, unit, counts, units, make or _as_it_is(part, unit, counts))


SPLITTERS: dict[str, Installed] = {
    **{
        f"langchain:{name}": _entry(_LANGCHAIN, part, _CHARACTERS, _langchain(part))
        for name, part in (
            ("recursive", "RecursiveCharacterTextSplitter"),
            ("character", "CharacterTextSplitter"),
            ("markdown", "MarkdownTextSplitter"),
            ("python", "PythonCodeTextSplitter"),
            ("latex", "LatexTextSplitter"),
        )
    },
    "langchain:html": _entry(
        _LANGCHAIN, "RecursiveCharacterTextSplitter.from_language", _CHARACTERS, _langchain_language("html")
    ),
    "langchain:code": _entry(
        _LANGCHAIN, "RecursiveCharacterTextSplitter.from_language", _CHARACTERS, _langchain_language("python")
    ),
    "langchain:token": _entry(_LANGCHAIN, "TokenTextSplitter", (*_CL100K, ENCODINGS), _langchain_token),
    "langchain:markdown-headers": _entry(_LANGCHAIN, "MarkdownHeaderTextSplitter", _NO_SIZE, _langchain_headings),
    "langchain:markdown-syntax": _entry(_LANGCHAIN, "ExperimentalMarkdownSyntaxTextSplitter", _NO_SIZE),
    "llamaindex:sentence": _entry(
        _LLAMAINDEX, "SentenceSplitter", (*_CL100K, ANY_UNIT), _llamaindex("SentenceSplitter")
    ),
    "llamaindex:token": _entry(
        _LLAMAINDEX, "TokenTextSplitter", (*_CL100K, ANY_UNIT), _llamaindex("TokenTextSplitter")
    ),
    "llamaindex:markdown": _entry(_LLAMAINDEX, "MarkdownNodeParser", _NO_SIZE),
    "llamaindex:sentence-window": _entry(_LLAMAINDEX, "SentenceWindowNodeParser", _NO_SIZE),
    "llamaindex:hierarchical": _entry(_LLAMAINDEX, "HierarchicalNodeParser", (*_CL100K, ()), _llamaindex_hierarchical),
    "chonkie:recursive": _entry(_CHONKIE, "RecursiveChunker", _CHARACTERS, _chonkie("RecursiveChunker")),
    "chonkie:sentence": _entry(_CHONKIE, "SentenceChunker", _CHARACTERS, _chonkie("SentenceChunker")),
    "chonkie:token": _entry(_CHONKIE, "TokenChunker", ("char", "characters", ENCODINGS), _chonkie("TokenChunker")),
    "chonkie:table": _entry(_CHONKIE, "TableChunker", (None, "rows of tables", ()), _chonkie_table),
    "chonkie:fast": _entry(_CHONKIE, "FastChunker", (None, "bytes of UTF-8", ())),
    "semantic-text-splitter:text": _entry(_SEMANTIC, "TextSplitter", _CHARACTERS, _semantic("TextSplitter")),
    "semantic-text-splitter:markdown": _entry(
        _SEMANTIC, "MarkdownSplitter", _CHARACTERS, _semantic("MarkdownSplitter")
    ),
    "semchunk": _entry(_SEMCHUNK, "chunkerify", _CHARACTERS, _semchunk),
    **{
        f"haystack:{by}": _entry(
            _HAYSTACK, f"DocumentSplitter(split_by={by!r})", (None, counts, ()), _haystack(by, counts)
        )
        for by, counts in (
            ("word", WORDS),
            ("line", "lines of text"),
            ("passage", "passages between blank lines"),
            ("period", "stretches between full stops"),
            ("page", "pages between form feeds"),
            ("sentence", "sentences of NLTK"),
        )
    },
    "haystack:token": _entry(
        _HAYSTACK, "DocumentSplitter(split_by='token')", (*_CL100K, ENCODINGS), _haystack("token", "")
    ),
    "haystack:recursive": _entry(_HAYSTACK, "RecursiveDocumentSplitter", (None, WORDS, ()), _haystack_recursive),
    "haystack:markdown": _entry(_HAYSTACK, "MarkdownHeaderSplitter", _NO_SIZE, _haystack_markdown),
}
"""Short names. Splitters that need a model, a service or a language's grammar are left out (docs/splitters.md)."""
