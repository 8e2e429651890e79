"""Splitters by name: short names for those of installed packages, ``module:attribute`` for all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from chunkscope.errors import MissingPartError, SplitterError, did_you_mean, unit_noun
from chunkscope.plugins.importing import import_attribute
from chunkscope.splitters.origin import package_version, version_of
from chunkscope.splitters.packages import SPLITTERS, prepare
from chunkscope.splitters.shapes import Splitter, adapt


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
        if not colon or not module or not path or module in _families():
            raise SplitterError(f"no splitter {spec!r}; {_hint(spec)}")
        found = import_attribute(module, path, "splitter", _families())
        splitter = adapt(found, spec, options, unit or None, version=version_of(found, module))
    return replace(splitter, _spelling=(spec, options, unit))


def _families() -> list[str]:
    return list(dict.fromkeys(name.partition(":")[0] for name in SPLITTERS))


def _hint(spec: str) -> str:
    """Name the splitters of the package that was meant, else the packages."""
    family, _, part = spec.partition(":")
    parts = [name.partition(":")[2] for name in SPLITTERS if name.partition(":")[0] == family]
    if parts:
        return did_you_mean(part, parts) or f"{family} has {', '.join(parts)}"
    near = did_you_mean(spec, SPLITTERS)
    own = "write module:attribute for one of your own; chunkscope list names those of packages"
    return f"{near} Or {own}" if near else own


def _load_installed(name: str, options: dict[str, Any], unit: str | None) -> Splitter:
    entry = SPLITTERS[name]
    if not entry.is_installed:
        raise MissingPartError(f"{name}: {entry.package} is not installed; pip install {entry.package}")
    if unit is not None and not entry.counts_in(unit):
        raise SplitterError(f"{name} counts {entry.counts or 'nothing: it takes no size'}, not {unit_noun(unit)}")
    prepare(entry.package)
    try:
        module = import_module(entry.module)
    except ImportError as error:
        raise MissingPartError(f"{name}: {entry.package} cannot be imported: {error}") from error
    given = dict(options)
    try:
        made = entry.make(module, entry.unit if unit is None or entry.unit is None else unit, given)
    except SplitterError as error:
        raise SplitterError(f"{name}: {error}") from None
    version = package_version(entry.package)
    return adapt(made.found, name, {**made.options, **given}, made.unit, made.counts, version)
