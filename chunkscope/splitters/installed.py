"""Splitters by name: short names for those of installed packages, ``module:attribute`` for all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from chunkscope.errors import MissingPartError, SplitterError, did_you_mean, unit_noun
from chunkscope.plugins.importing import import_attribute
from chunkscope.splitters.origin import package_version, version_of
from chunkscope.splitters.shapes import Splitter, adapt

Options = dict[str, Any]


@dataclass(frozen=True)
class Installed:
    """A splitter of an installed package.

    Attributes
    ----------
    package : str
        What pip calls it.
    module : str
        What is imported.
    cuts : str
        What it does, in a few words.
    unit : str or None
        What its sizes are counted in unless another unit is asked for; None where that is no unit of ours.
    counts : str
        The same in words; empty where it takes no size.
    make : callable
        Gives what splits or what makes it, of the module, with options for the unit that was asked for.
    other_units : str
        What else it can count in, for messages: ``any``, ``tokens``, a list; empty where its unit is fixed.
    needs : callable
        Raises `MissingPartError` where something else is missing on this machine.
    """

    package: str
    module: str
    cuts: str
    unit: str | None
    counts: str
    make: Callable[[Any, str | None, Options], tuple[Any, Options]]
    other_units: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed; nothing is imported to find out."""
        try:
            return find_spec(self.module) is not None
        except (ImportError, ValueError):
            return False


def load_splitter(spec: str, options: Mapping[str, object] | None = None, unit: str | None = None) -> Splitter:
    """Find a splitter by its name and set it up as far as that goes without a size.

    Parameters
    ----------
    spec : str
        A short name of `SPLITTERS`, or ``module:attribute`` for anything that `adapt` takes. Its code is run.
    options : mapping of str to object, optional
        Passed on to it.
    unit : str, optional
        What sizes are to be counted in. A splitter of one's own is believed to count in it.

    Raises
    ------
    SplitterError
        No such name, options that it does not have, a unit in which it cannot count.
    PluginError
        No such module or attribute, or it cannot be imported.
    MissingPartError
        Its package is not installed, or a file that it needs is not on this machine; says what to install.

    Examples
    --------
    >>> splitter = load_splitter("textwrap:wrap", {"drop_whitespace": False})
    >>> splitter.size_name, [piece.text for piece in splitter.split("one two three", 8)]
    ('width', ['one two ', 'three'])
    """
    options = dict(options or {})
    if spec in SPLITTERS:
        splitter = _load_installed(spec, options, unit or None)
    else:
        module, colon, path = spec.partition(":")
        if not colon or not module or not path or _is_family(module):
            raise SplitterError(f"no splitter {spec!r}; {_hint(spec)}")
        found = import_attribute(module, path, "splitter", splitter_names())
        splitter = adapt(found, spec, options, unit or None, version=version_of(found, module))
    return replace(splitter, _spelling=(spec, options, unit))


def splitter_names() -> tuple[str, ...]:
    """Give the short names, whether or not their packages are installed."""
    return tuple(SPLITTERS)


def _is_family(module: str) -> bool:
    return any(name.partition(":")[0] == module for name in SPLITTERS)


def _hint(spec: str) -> str:
    family = spec.partition(":")[0]
    names = [name for name in SPLITTERS if name.partition(":")[0] == family] or list(SPLITTERS)
    return did_you_mean(spec, names) or f"there are {', '.join(names)}, and module:attribute for one of your own"


def _load_installed(name: str, options: Options, unit: str | None) -> Splitter:
    entry = SPLITTERS[name]
    if not entry.is_installed:
        raise MissingPartError(f"{name}: {entry.package} is not installed; pip install '{entry.package}'")
    if unit is not None and unit != entry.unit and not entry.other_units:
        raise SplitterError(f"{name} counts {entry.counts or 'nothing'}, not {unit_noun(unit)}")
    try:
        module = import_module(entry.module)
    except ImportError as error:
        raise MissingPartError(f"{name}: {entry.package} cannot be imported: {error}") from error
    found, more = entry.make(module, unit or entry.unit, options)
    counts = entry.counts if unit in (None, entry.unit) else unit_noun(unit or "")
    return adapt(found, name, {**more, **options}, unit or entry.unit, counts, package_version(entry.package))


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
    from chunkscope.structure.tokens import encoding_names, load_encoding
    from chunkscope.structure.units import get_unit

    if unit == "char":
        return len
    if unit in encoding_names():
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

    from chunkscope.structure.tokens import encoding_names, load_encoding

    if name not in encoding_names():
        raise SplitterError(f"{name!r} is no encoding; there are {', '.join(encoding_names())}")
    return registry.ENCODINGS.setdefault(name, load_encoding(name).encoding)


def _plain(attribute: str, **always: Any) -> Callable[[Any, str | None, Options], tuple[Any, Options]]:
    """A class whose unit is what it is."""
    return lambda module, unit, options: (getattr(module, attribute), always)


def _langchain(attribute: str) -> Callable[[Any, str | None, Options], tuple[Any, Options]]:
    def make(module: Any, unit: str | None, _: Options) -> tuple[Any, Options]:
        counts = {} if unit in (None, "char") else {"length_function": counter(str(unit))}
        return getattr(module, attribute), counts

    return make


def _langchain_token(module: Any, unit: str | None, options: Options) -> tuple[Any, Options]:
    name = str(options.get("encoding_name", unit))
    if "model_name" not in options:
        tell_tiktoken(name)
    return module.TokenTextSplitter, {"encoding_name": name}


SPLITTERS: dict[str, Installed] = {
    "langchain:recursive": Installed(
        "langchain-text-splitters",
        "langchain_text_splitters",
        "RecursiveCharacterTextSplitter",
        "char",
        "characters",
        _langchain("RecursiveCharacterTextSplitter"),
        "any",
    ),
    "langchain:token": Installed(
        "langchain-text-splitters",
        "langchain_text_splitters",
        "TokenTextSplitter",
        "cl100k_base",
        "cl100k_base tokens",
        _langchain_token,
        "tokens",
    ),
}
"""Short names, each with its package."""
