"""Things of the user's own, named as ``module:attribute``."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from chunkscope.errors import ChunkscopeError, PluginError, did_you_mean


def import_attribute(module: str, path: str, kind: str, names: Iterable[str] = ()) -> Any:
    """Import a module, from the current folder too, as ``python -m`` would, and get an attribute of it.

    Parameters
    ----------
    module, path : str
        ``package.module`` and ``attribute``, or ``Class.attribute``.
    kind : str
        What is looked for, for messages: ``provider``.
    names : iterable of str
        What else could have been meant, named where there is no such module.

    Raises
    ------
    PluginError
        No such module or attribute, or the module cannot be imported.

    Examples
    --------
    >>> import_attribute("textwrap", "wrap", "splitter")("one two", 4)
    ['one', 'two']
    """
    names = list(names)
    there_are = f"; there are {', '.join(names)}" if names else ""
    if not re.fullmatch(r"\w+(\.\w+)*", module):
        raise PluginError(f"{module!r} is no {kind} and no module{there_are}")
    try:
        found: Any = import_from_here(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module + ".").startswith(error.name + "."):
            hint = did_you_mean(module, names)
            raise PluginError(f"no {kind} and no module {module!r}{f'; {hint}' if hint else there_are}") from None
        raise PluginError(f"{module}: cannot be imported: {error}") from error
    except ChunkscopeError:
        raise
    except Exception as error:
        raise PluginError(f"{module}: cannot be imported: {type(error).__name__}: {error}") from error
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            near = did_you_mean(part, [one for one in dir(found) if not one.startswith("_")])
            raise PluginError(f"module {module!r} has no {path!r}{f'; {near}' if near else ''}") from None
    return found


def import_from_here(module: str) -> ModuleType:
    """Import a module that is installed, else one of the current folder.

    An installed one is imported without the folder, or a file here would stand in for each module that it only tries
    to import. For one that lies here the folder comes last on the path, so that it hides nothing that is installed.
    """
    if _is_installed(module):
        return importlib.import_module(module)
    sys.path.append("")
    try:
        return importlib.import_module(module)
    finally:
        # the entry from above: an interactive Python has another at the front, and the module may have added more
        for place in reversed(range(len(sys.path))):
            if sys.path[place] == "":
                del sys.path[place]
                break


def _is_installed(module: str) -> bool:
    """Tell whether a module is found without the current folder; a folder without an ``__init__.py`` is none."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module + ".").startswith(error.name + "."):
            raise  # the package is there, and lacks something that must not be taken from here
        return False
    except ValueError:  # a module of this process that no finder has found, such as __main__
        return True
    return spec is not None and spec.origin is not None
