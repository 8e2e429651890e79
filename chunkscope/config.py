"""Configuration: ``[tool.chunkscope]`` of the nearest ``pyproject.toml``, or ``chunkscope.toml``."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from chunkscope.corpus.document import MARKUPS
from chunkscope.errors import ConfigError, did_you_mean, os_reason

T = TypeVar("T")

PYPROJECT, OWN_FILE = "pyproject.toml", "chunkscope.toml"
TABLE = "[tool.chunkscope]"


@dataclass(frozen=True)
class Config:
    """What a configuration file says; None and empty where it says nothing.

    Attributes
    ----------
    path : str or None
        The file, as it is shown to people.
    corpus, questions : str or None
        Paths that lead there from the current folder; in the file they are relative to the file.
    chunker, unit, sizes, overlaps, overlap : str or None
        In the notation of the command line; lists are joined by commas.
    size : int or None
    encoding, markup : str or None
    include, exclude : tuple of str
    map_field : dict
        Our names of question fields to those of the file.
    check : dict
        Thresholds, as they stand.
    warnings : tuple of str
    """

    path: str | None = None
    corpus: str | None = None
    questions: str | None = None
    chunker: str | None = None
    unit: str | None = None
    size: int | None = None
    overlap: str | None = None
    sizes: str | None = None
    overlaps: str | None = None
    encoding: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    markup: str | None = None
    map_field: Mapping[str, str] = dataclasses.field(default_factory=dict)
    check: Mapping[str, object] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def choose(self, key: str, flag: T | None, default: T) -> T:
        """Give what the command line says, else what the file says, else the default.

        Examples
        --------
        >>> config = Config(sizes="100,200")
        >>> config.choose("sizes", None, "50..800"), config.choose("sizes", "70", "50..800")
        ('100,200', '70')
        """
        if flag is not None and flag != ():
            return flag
        configured = getattr(self, key)
        return default if configured is None or configured in ((), {}) else configured

    def origin(self, key: str, flag: object) -> str:
        """Give what a message about a setting begins with: the file, if that is where it stands.

        Examples
        --------
        >>> Config("pyproject.toml", sizes="9..1").origin("sizes", None)
        'pyproject.toml: '
        """
        said_here = flag is None or flag == ()
        return f"{self.path}: " if said_here and self.path and getattr(self, key) not in (None, (), {}) else ""


KEYS = tuple(entry.name for entry in dataclasses.fields(Config) if entry.name not in ("path", "warnings"))


def find_config(folder: str | os.PathLike[str] = ".") -> Config:
    """Read the nearest configuration, from a folder upward.

    Parameters
    ----------
    folder : path
        Where to begin; its paths are shown relative to it.

    Returns
    -------
    Config
        An empty one where no file is found. In one folder ``chunkscope.toml`` goes before ``pyproject.toml``, with
        a warning.

    Raises
    ------
    ConfigError
        A file that cannot be read, is no TOML, or has an unknown key or a value of the wrong type.
    """
    start = Path(folder).resolve()
    for here in (start, *start.parents):
        own, project = here / OWN_FILE, here / PYPROJECT
        if own.is_file():
            document = _load(own, start)
            # keys as they stand in pyproject.toml are welcome here too
            table = _tool_table(document) if set(document) == {"tool"} else None
            config = _config(document if table is None else table, own, start, OWN_FILE if table is None else PYPROJECT)
            if project.is_file() and _has_table(project):
                warning = f"{config.path} is used; {TABLE} of {_shown(project, start)} is not read"
                config = dataclasses.replace(config, warnings=(warning,))
            return config
        if project.is_file():
            table = _tool_table(_load(project, start))
            if table is not None:
                return _config(table, project, start, PYPROJECT)
    return Config()


def _load(path: Path, start: Path) -> dict[str, Any]:
    shown = _shown(path, start)
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown}: byte {error.start} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{shown}: not TOML that can be read: nested too deeply") from None
    except OSError as error:
        raise ConfigError(f"{shown}: {os_reason(error)}") from None


def _has_table(path: Path) -> bool:
    try:
        return _tool_table(_load(path, path.parent)) is not None
    except ConfigError:
        return False  # it is not read, so what is wrong with it is no concern


def _tool_table(document: Mapping[str, Any]) -> object:
    tool = document.get("tool")
    return tool.get("chunkscope") if isinstance(tool, dict) else None


def _shown(path: Path, start: Path) -> str:
    return os.path.relpath(path, start)


def _config(table: object, path: Path, start: Path, kind: str) -> Config:
    where = f"{_shown(path, start)}: {TABLE}" if kind == PYPROJECT else _shown(path, start)
    entry = f"{where} " if kind == PYPROJECT else f"{where}: "
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            raise ConfigError(f"{where} has no {key!r}; {_hint(key, kind)}")
        read, wanted = _READERS[key]
        try:
            values[key] = read(value)
        except TypeError:
            raise ConfigError(f"{entry}{key} must be {wanted}, not {value!r}") from None
    for key in ("corpus", "questions"):
        if key in values:
            values[key] = _from_here(values[key], path.parent, start)
    return Config(path=_shown(path, start), **values)


def _hint(key: str, kind: str) -> str:
    if kind == OWN_FILE and key == "tool":
        return f"in {OWN_FILE} the keys stand without {TABLE}"
    return did_you_mean(key, KEYS) or f"there are {', '.join(KEYS)}"


def _from_here(path: str, folder: Path, start: Path) -> str:
    if folder == start or os.path.isabs(path):
        return path
    return os.path.relpath(folder / path, start)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise TypeError
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _notation(value: object) -> str:
    """Read what the command line writes as a comma list: text, a whole number, or a list of these."""
    items = value if isinstance(value, list) else [value]
    if not items:
        raise TypeError
    return ",".join(item if isinstance(item, str) else str(_integer(item)) for item in items)


def _names(value: object) -> str:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise TypeError
    return ",".join(map(_text, items))


def _one_of_two(value: object) -> str:
    return str(_integer(value)) if isinstance(value, int) else _text(value)


def _globs(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value if isinstance(value, list) else [value]))


def _markup(value: object) -> str:
    if value not in MARKUPS:
        raise TypeError
    return str(value)


def _mapping(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError
    return {key: _text(item) for key, item in value.items()}


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError
    return value


_READERS: dict[str, tuple[Callable[[object], Any], str]] = {
    "corpus": (_text, "a path"),
    "questions": (_text, "a path"),
    "chunker": (_names, "a text, or a list of them"),
    "unit": (_names, "a text, or a list of them"),
    "size": (_integer, "a whole number"),
    "overlap": (_one_of_two, "a whole number, or a share such as '1/6'"),
    "sizes": (_notation, "a text such as '50..800', or a list of whole numbers"),
    "overlaps": (_notation, "a text such as '0,1/6', or a list of these"),
    "encoding": (_text, "a text"),
    "include": (_globs, "a glob, or a list of them"),
    "exclude": (_globs, "a glob, or a list of them"),
    "markup": (_markup, "'markdown', 'html' or 'plain'"),
    "map_field": (_mapping, "a table such as {evidence = 'reference_contexts'}"),
    "check": (_table, "a table"),
}
