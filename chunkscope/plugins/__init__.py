"""What can be named: our own chunkers, report formats and so on, and those that installed packages offer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chunkscope.errors import ChunkscopeError, PluginError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Registry:
    """Things of one kind, by name; none is imported before it is asked for.

    Attributes
    ----------
    kind : str
        What they are, for messages: ``report format``.
    group : str
        The entry-point group in which packages offer more of them.
    built_in : mapping of str to str
        Our own: name to ``module:attribute``, as entry points are written.

    Examples
    --------
    >>> shapes = Registry("shape", "chunkscope.shapes", {"square": "fractions:Fraction"})
    >>> shapes.find("square"), shapes.names()
    (<class 'fractions.Fraction'>, ('square',))
    """

    kind: str
    group: str
    built_in: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """Give all names: our own in their order, then those of packages.

        Raises
        ------
        PluginError
            A package offers a name that is taken.
        """
        return (*self.built_in, *sorted(_offered(self)))

    def find(self, name: str) -> Any:
        """Import what has a name. Packages are looked through only for a name that is not our own.

        Raises
        ------
        PluginError
            Nothing has that name, two packages offer it, or it cannot be imported.
        """
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return getattr(import_module(module), attribute)
        found = _offered(self).get(name)
        if found is None:
            names = self.names()
            hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
            raise PluginError(f"no {self.kind} {name!r}; {hint}")
        return load(found, self.kind)


def load(entry: EntryPoint, kind: str) -> Any:
    """Import what a package offers.

    Raises
    ------
    PluginError
        It cannot be imported.
    """
    try:
        return entry.load()
    except ChunkscopeError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(
            f"{kind} {entry.name!r}: {entry.value} of {_package(entry)} cannot be loaded: {reason}"
        ) from error


def _offered(registry: Registry) -> dict[str, EntryPoint]:
    """Give what packages offer, by name; a name that is taken is refused."""
    from importlib.metadata import entry_points  # takes its time, and our own need none of it

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=registry.group):
        if entry.name in registry.built_in:
            other = "chunkscope itself"
        elif entry.name in found and found[entry.name].value != entry.value:
            other = f"{found[entry.name].value} of {_package(found[entry.name])}"
        else:
            found[entry.name] = entry
            continue
        raise PluginError(
            f"{registry.kind} {entry.name!r} is offered by {entry.value} of {_package(entry)} and by {other}; "
            "uninstall one of them"
        )
    return found


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unnamed package"
