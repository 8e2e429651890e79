"""Which version of a splitter it is: what is kept of it in the store must not outlive a change of its code."""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import pickletools
import platform
import sys
import sysconfig
from importlib.metadata import packages_distributions, version
from pathlib import Path

_PICKLE_PROTOCOL = 2
"""The last in which a name of a module stands by itself."""


def version_of(found: object, module: str | None = None) -> str | None:
    """Tell the version of a splitter: package and version, or a digest of the file that it stands in.

    Parameters
    ----------
    found : object
        A function, a class, or an object of one.
    module : str, optional
        The module that it was asked for from, where that is another one.

    Returns
    -------
    str or None
        None where nothing shows a change of it: a function that closes over values, or one typed into an
        interpreter; the state of an object that cannot be pickled. What has no version is not kept.

    Notes
    -----
    A file is taken as a whole, so that the constants beside a function count too. What the file imports from other
    files of one's own is not seen.

    Examples
    --------
    >>> import textwrap
    >>> version_of(textwrap.wrap).startswith("python ")
    True
    >>> text = "a value that is closed over"
    >>> version_of(lambda _: [text]) is None
    True
    """
    if module is not None:  # its file says how it was made
        return _joined(_origin(module), _origin(_home(found)))
    if isinstance(found, functools.partial):
        return _joined(version_of(found.func), _state((found.args, found.keywords)))
    if inspect.ismethod(found) and not inspect.isclass(found.__self__):
        return version_of(found.__self__)
    if inspect.isroutine(found) or inspect.isclass(found):
        return _origin(_home(found)) if _is_of_its_module(found) else None
    return _joined(version_of(type(found)), _state(found))


def _joined(*parts: str | None) -> str | None:
    return None if None in parts else ", ".join(dict.fromkeys(part for part in parts if part is not None))


def _home(found: object) -> str:
    """Name the module that a function is defined in, or the class of an object."""
    while isinstance(found, functools.partial):
        found = found.func
    named = found if inspect.isroutine(found) or inspect.isclass(found) else type(found)
    return getattr(named, "__module__", None) or "builtins"


def _is_of_its_module(found: object) -> bool:
    """Tell what stands in its module from what a function made, which may hold any values.

    A class written in another language may name the wrong module.
    """
    value: object = sys.modules.get(_home(found))
    for part in getattr(found, "__qualname__", "<unknown>").split("."):
        value = getattr(value, part, None)
    return value is found


def package_version(package: str) -> str:
    """Give the name of an installed package with its version."""
    return f"{package} {version(package)}"


_read: dict[str, tuple[object, str | None]] = {}
"""For each module the spec that it was loaded by, and its origin when that was first asked for."""


def _origin(module: str) -> str | None:
    """Name the package of a module with its version, or digest its file; once for each time that it is loaded."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    if module not in _read or _read[module][0] is not spec:
        _read[module] = (spec, _read_origin(module))
    return _read[module][1]


def _read_origin(module: str) -> str | None:
    python = f"python {platform.python_version()}"
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return python if module in sys.builtin_module_names else None
    path = Path(file).resolve()
    paths = sysconfig.get_paths()
    if any(path.is_relative_to(Path(paths[key]).resolve()) for key in ("purelib", "platlib")):
        packages = packages_distributions().get(module.partition(".")[0], [])
        return ", ".join(package_version(package) for package in sorted(set(packages))) or None
    if path.is_relative_to(Path(paths["stdlib"]).resolve()):
        return python
    try:
        return f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}"
    except OSError:
        return None


def pickled(value: object) -> bytes:
    """Pickle all of an object, for this Python.

    Raises
    ------
    pickle.PicklingError or another exception
        It cannot be pickled, or would leave out a part of itself without an error.
    """
    holder = getattr(value, "__self__", value)
    getstate = type(holder).__getstate__
    if getstate is not object.__getstate__ and not getstate.__module__.startswith("pydantic."):
        # LlamaIndex drops the functions that a parser was given
        raise pickle.PicklingError(f"{type(holder).__name__} decides itself what of it is kept")
    return pickle.dumps(value, _PICKLE_PROTOCOL, fix_imports=False)


def _state(value: object) -> str | None:
    """Digest what an object holds, and name the versions of all that it refers to; None where that is not known."""
    try:
        state = pickled(value)
    except Exception:
        return None
    modules = {str(name).partition(" ")[0] for code, name, _ in pickletools.genops(state) if code.name == "GLOBAL"}
    return _joined(f"state {hashlib.sha256(state).hexdigest()}", *map(_origin, sorted(modules)))
