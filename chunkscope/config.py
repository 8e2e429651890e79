"""The configuration file: ``[tool.chunkscope]`` of the nearest ``pyproject.toml``, or ``chunkscope.toml``."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkscope.corpus.decoding import read_bytes
from chunkscope.corpus.dialect import AUTO, DIALECTS
from chunkscope.corpus.document import MARKUPS
from chunkscope.corpus.places import is_url
from chunkscope.errors import ConfigError, did_you_mean, os_reason
from chunkscope.gate.thresholds import NAMES as THRESHOLDS
from chunkscope.language import LANGUAGES, say

PYPROJECT, OWN_FILE = "pyproject.toml", "chunkscope.toml"
TABLE = "[tool.chunkscope]"
LARGEST_INTEGER = 2**63
"""TOML promises no larger ones."""

Reader = tuple[Callable[[object], Any], str]


@dataclass(frozen=True)
class Config:
    """What a configuration file says, as the options of the command line would say it.

    Attributes
    ----------
    path : str or None
        The file, as it is shown to people; None where there is none.
    values : mapping of str to object
        By the names of the options, ``[check]`` among them. Paths lead there from the current folder; in the file they
        are relative to the file.
    warnings : tuple of str
    """

    path: str | None = None
    values: Mapping[str, object] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def defaults(self, command: str | None) -> dict[str, object]:
        """Give what stands for a command: what the table ``check`` says is for that one alone."""
        return {key: value for key, value in self.values.items() if command == "check" or key not in CHECK_KEYS}

    def place_of(self, threshold: str) -> str:
        """Tell where a threshold stands.

        Examples
        --------
        >>> Config("../chunkscope.toml").place_of("max_split")
        '../chunkscope.toml: [check] max_split'
        """
        own = os.path.basename(self.path or "") == OWN_FILE
        return f"{self.path}: {'[check]' if own else '[tool.chunkscope.check]'} {threshold}"


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
        if _is_there(own):
            document = _load(own, start)
            # keys as they stand in pyproject.toml are welcome here too
            table = _tool_table(document) if set(document) == {"tool"} else None
            config = _config(document if table is None else table, own, start, OWN_FILE if table is None else PYPROJECT)
            if _is_there(project) and _has_table(project):
                warning = say(
                    "{path} is used; {table} of {other} is not read",
                    path=config.path,
                    table=TABLE,
                    other=os.path.relpath(project, start),
                )
                config = dataclasses.replace(config, warnings=(warning,))
            return config
        if _is_there(project):
            table = _tool_table(_load(project, start))
            if table is not None:
                return _config(table, project, start, PYPROJECT)
    return Config()


def _is_there(path: Path) -> bool:
    return path.exists() and not path.is_dir()


def _load(path: Path, start: Path) -> dict[str, Any]:
    shown = os.path.relpath(path, start)
    try:
        return tomllib.loads(read_bytes(str(path)).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown}: byte {error.start} is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown}: not TOML: {error}") from None
    except ValueError:  # Python reads no more than 4,300 digits
        raise ConfigError(f"{shown}: a number has too many digits") from None
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


def _config(table: object, path: Path, start: Path, kind: str) -> Config:
    shown = os.path.relpath(path, start)
    where = f"{shown}: {TABLE}" if kind == PYPROJECT else shown
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table")
    if kind == OWN_FILE and "tool" in table:
        raise ConfigError(f"{where} has no 'tool'; in {OWN_FILE} the keys stand without {TABLE}")
    values = _read(table, KEYS, where, ": " if kind == OWN_FILE else " ")
    config = Config(shown, values)
    values.update(_read(values.pop("check", {}), CHECK_KEYS, config.place_of("").rstrip(), " "))
    for key in PATHS & set(values):
        if path.parent != start and not os.path.isabs(values[key]) and not is_url(values[key]):
            values[key] = os.path.relpath(path.parent / values[key], start)
    return config


def _read(table: Mapping[str, object], keys: Mapping[str, Reader], where: str, between: str) -> dict[str, Any]:
    """Read the entries of a table, each by the reader of its key."""
    values = {}
    for key, value in table.items():
        if key not in keys:
            hint = did_you_mean(key, keys) or f"there are {', '.join(keys)}"
            raise ConfigError(f"{where} has no {key!r}; {hint}")
        read, wanted = keys[key]
        try:
            values[key] = read(value)
        except TypeError:
            raise ConfigError(f"{where}{between}{key} must be {wanted}, not {_written(value)}") from None
    return values


def _written(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no more than 4,300 digits
        return "a number of so many digits"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise TypeError
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= LARGEST_INTEGER:
        raise TypeError
    return value


def _text_or_integer(value: object) -> str:
    return value if isinstance(value, str) else str(_integer(value))


def _comma_list(value: object) -> str:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise TypeError
    return ",".join(map(_text_or_integer, items))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, value if isinstance(value, list) else [value]))


def _names(value: object) -> tuple[str, ...]:
    if not (names := _texts(value)):
        raise TypeError
    return names


def _markup(value: object) -> str:
    if value not in MARKUPS:
        raise TypeError
    return str(value)


def _dialect(value: object) -> str:
    if value != AUTO and value not in DIALECTS:
        raise TypeError
    return str(value)


def _language(value: object) -> str:
    if value not in LANGUAGES:
        raise TypeError
    return str(value)


def _pairs(value: object) -> tuple[str, ...]:
    return tuple(f"{ours}={_text(theirs)}" for ours, theirs in _table(value).items())


def _encodings(value: object) -> dict[str, str]:
    return {glob: _comma_list(encoding) for glob, encoding in _table(value).items()}


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _threshold(value: object) -> object:
    """Let pass what `Thresholds` can say something about."""
    if isinstance(value, list | dict) or (isinstance(value, int) and abs(value) >= LARGEST_INTEGER):
        raise TypeError
    return value


KEYS: Mapping[str, Reader] = {
    "corpus": (_text, "a path"),
    "questions": (_text, "a path"),
    "chunker": (_names, "a text, or a list of them"),
    "unit": (_names, "a text, or a list of them"),
    "size": (_integer, "a whole number"),
    "overlap": (_text_or_integer, "a whole number, or a share such as '1/6'"),
    "sizes": (_comma_list, "a text such as '50..800', or a list of whole numbers"),
    "overlaps": (_comma_list, "a text such as '0,1/6', or a list of these"),
    "encoding": (_comma_list, "a text such as 'cp932', or a list of them"),
    "encodings": (_encodings, "a table such as {'legacy/**' = 'cp932'}"),
    "include": (_texts, "a glob, or a list of them"),
    "exclude": (_texts, "a glob, or a list of them"),
    "markup": (_markup, "'markdown', 'html', 'plain' or 'code'"),
    "dialect": (_dialect, f"'{AUTO}', {', '.join(map(repr, DIALECTS))}"),
    "map_field": (_pairs, "a table such as {evidence = 'reference_contexts'}"),
    "lang": (_language, "'ja' or 'en'"),
    "check": (_table, "a table"),
}
CHECK_KEYS: Mapping[str, Reader] = {
    **dict.fromkeys(THRESHOLDS, (_threshold, "a count, a share such as '2%', or 'none'")),
    "retriever": (_text, "a text such as 'bm25'"),
    "context": (_integer, "a whole number"),
    "baseline": (_text, "a path"),
}
PATHS = {"corpus", "questions", "baseline"}
