"""Front matter: the YAML mapping between ``---`` lines, or the TOML between ``+++`` lines, that opens many files.

Values mean what their author typed: one is a number, true or false only where it is written as JSON would write it.
``yes``, ``3.10``, ``010`` and dates stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time
from typing import TYPE_CHECKING, NamedTuple

from chunkscope.language import Text, say

if TYPE_CHECKING:
    from yaml import Event, ScalarEvent

_OPENING = re.compile(r"---[ \t]*+(?:\r\n?+|\n)(?![ \t]*+(?:[\r\n]|\Z))")
_CLOSING = re.compile(r"(?:\r\n?+|\n)(?P<line>(?:---|\.\.\.)[ \t]*+(?:\r\n?+|\n|\Z))")

# The lines of nearly all front matter: `key: value`, with a plain value, one in quotes, or a list of these. They are
# surely a mapping, and YAML need not be asked. What is left out (line separators, signs with a meaning) is asked.
_SAFE = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff"
_PLAIN = rf"(?:[\w/.(]|[-<](?=\w))(?:{_SAFE}:#]|:(?![ \r\n]|\Z)|(?<! )#)*+"
_QUOTED = rf'"{_SAFE}"\\]*+"[ ]*+'
_SINGLE = rf"'{_SAFE}']*+'[ ]*+"
_ITEM = rf"(?:{_QUOTED}|{_SINGLE}|\w[\w ./-]*+)"
_VALUE = rf"(?:{_PLAIN}|{_QUOTED}|{_SINGLE}|\[[ ]*+{_ITEM}(?:,[ ]*+{_ITEM})*+\][ ]*+)"
_EOL = r"(?:\r\n?+|\n|\Z)"
_ITEMS = rf"(?:(?:- {_VALUE}{_EOL})++|(?:  - {_VALUE}{_EOL})++)?+"
_SIMPLE_MAPPING = re.compile(rf"(?:[A-Za-z_][\w.-]{{0,99}}:(?:[ ]++{_VALUE}{_EOL}|[ ]*+{_EOL}{_ITEMS}))++")


_TOML_OPENING = re.compile(r"\+\+\+[ \t]*+(?:\r\n?+|\n)(?![ \t]*+(?:[\r\n]|\Z))")
_TOML_CLOSING = re.compile(r"(?:\r\n?+|\n)(?P<line>\+\+\+[ \t]*+(?:\r\n?+|\n|\Z))")
_TOML_PLAIN = re.compile(r"""^[ \t]*+([\w-]++)[ \t]*+=[ \t]*+([^\s"'\[{#][^\r\n#]*+)""", re.MULTILINE)
_TOML_PART = r"""(?:[\w-]++|"[^"\r\n]*+"|'[^'\r\n]*+')"""
_TOML_DEEP = re.compile(rf"""(?<![\w.'"-]){_TOML_PART}(?:[ \t]*+\.[ \t]*+{_TOML_PART}){{50}}""")

_MAX_DEPTH = 50
"""Front matter nested deeper than this is not read; people write two or three levels."""
_MAX_NODES = 100_000
"""Aliases may repeat a value without end; attributes with more values than this, written out, are not read."""
_NODE = 64
"""So many characters of a value count as one value more: aliases may repeat a long one too."""

_ENTRY = re.compile(r"""(?:"[^"\r\n]*+"|'[^'\r\n]*+'|[^\s#\[\]{},&*!|>'"%@`:-][^:\r\n]*+):(?=[ \t\r\n]|\Z)""")
"""How a line begins that can hardly be anything but an entry of a mapping."""
_BARE_ENTRY = re.compile(r"[\w.-]++:(?=[ \t\r\n]|\Z)")
_COMMENTS = re.compile(r"(?:[ \t]*+(?:#[^\r\n]*+)?(?:\r\n?+|\n))*+")

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_FLOAT = re.compile(r"-?[0-9]{1,20}\.[0-9]{1,20}")


class _TooMuchError(Exception):
    """Nested or repeated beyond all use."""


class Fault(NamedTuple):
    """Why lines that look like front matter are none, or tell nothing."""

    line: int
    message: Text


def front_matter_end(text: str) -> int:
    r"""Give the offset behind the front matter, its last line end included; 0 if there is none.

    Parameters
    ----------
    text : str
        A whole document.

    Returns
    -------
    int

    Notes
    -----
    Front matter is a first line ``---``, a second line that is not blank, a line ``---`` or ``...`` that closes it,
    and a YAML mapping between; or TOML between two lines ``+++``. Anything else is text that starts with a rule.

    Examples
    --------
    >>> front_matter_end("---\ntitle: 旅費\n---\n# 本文\n")
    18
    >>> front_matter_end("---\n本文。\n---\n")
    0
    """
    return find_front_matter(text)[0]


def find_front_matter(text: str) -> tuple[int, Fault | None]:
    r"""Give where the front matter ends, and what is wrong with lines that were surely meant so and tell nothing.

    Parameters
    ----------
    text : str
        A whole document.

    Examples
    --------
    >>> find_front_matter("---\ntitle: Travel\n---\n# A\n")
    (22, None)
    >>> end, fault = find_front_matter("---\ntitle: @home\n---\n# A\n")
    >>> print(end, fault.message)
    0 the front matter is not YAML (found character that cannot start any token); it is read as text
    """
    if not text.startswith(("---", "+++")):
        return 0, None
    lines = _lines(text)
    if lines is None:
        return 0, _unclosed(text)
    inside, end = lines
    if text[0] == "+":
        inside = _with_newlines(inside)
        return (0, _toml_fault(inside)) if _toml(inside) is None else (end, None)
    if _SIMPLE_MAPPING.fullmatch(inside):
        return end, None
    fault = _mapping_fault(inside)
    if fault is None:
        return end, _excess(inside)
    # a text may well start with a rule, and have another
    return 0, fault if _ENTRY.match(inside, _first_entry(inside)) else None


def attributes_of(text: str) -> dict[str, object]:
    r"""Read the front matter of a text.

    Parameters
    ----------
    text : str
        A whole document.

    Returns
    -------
    dict
        Values that JSON can hold: text, numbers, true and false, null, lists, and mappings with keys as they are
        written; keys that are lists or mappings are left out. A plain value that JSON would write otherwise is the
        text that was typed. Empty where there is no front matter, or where it is nested or repeated beyond all use.

    Examples
    --------
    >>> attributes_of("---\nstatus: abolished\nsince: 2024-04-01\narchived: yes\nversion: 3.10\nyear: 2024\n---\n")
    {'status': 'abolished', 'since': '2024-04-01', 'archived': 'yes', 'version': '3.10', 'year': 2024}
    """
    lines = _lines(text) if front_matter_end(text) else None
    if lines is None:
        return {}
    if text[0] == "+":
        return _toml(_with_newlines(lines[0])) or {}
    try:
        value = _Builder().build(_events(lines[0]))
    except _TooMuchError:
        return {}
    return value if isinstance(value, dict) else {}


def _first_entry(inside: str) -> int:
    match = _COMMENTS.match(inside)
    return match.end() if match else 0


def _unclosed(text: str) -> Fault | None:
    opening = _OPENING.match(text)
    if opening and _BARE_ENTRY.match(text, opening.end()):
        return Fault(1, say("the front matter has no line --- that closes it; it is read as text"))
    return None


def _excess(inside: str) -> Fault | None:
    n_opened = sum(map(inside.count, ("[", "{", "?", "- ")))
    if "*" not in inside and n_opened <= _MAX_DEPTH and len(inside) < _MAX_DEPTH**2 // 2:
        return None  # so deep a nesting of indented lines alone is longer
    try:
        _Builder().build(_events(inside))
    except _TooMuchError:
        return Fault(1, say("the front matter is nested or repeated beyond all use; no attribute of it is read"))
    return None


def _lines(text: str) -> tuple[str, int] | None:
    """Give what stands between the two lines, and where the second ends."""
    is_toml = text.startswith("+++")
    opening = (_TOML_OPENING if is_toml else _OPENING).match(text)
    if not opening:
        return None
    # the line end of the first line may be the one before the closing line
    closing = (_TOML_CLOSING if is_toml else _CLOSING).search(text, opening.end() - 1)
    if not closing:
        return None
    return text[opening.end() : closing.start()], closing.end()


def _events(inside: str) -> Iterator[Event]:
    """Give YAML's events; they need no recursion, whatever the text is."""
    import yaml

    return iter(yaml.parse(inside, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def _mapping_fault(inside: str) -> Fault | None:
    """Say why lines are no mapping; None where they are one."""
    import yaml

    depth = n_values = 0
    is_mapping = False
    anchors: set[str | None] = set()
    try:
        for event in _events(inside):
            if isinstance(event, yaml.AliasEvent) and event.anchor not in anchors:
                return _not_yaml(event.start_mark, f"*{event.anchor} is defined nowhere")
            if isinstance(event, yaml.NodeEvent):
                anchors.add(event.anchor)
                if depth == 0:
                    n_values += 1
                    is_mapping = isinstance(event, yaml.MappingStartEvent)
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except (yaml.YAMLError, ValueError) as error:
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "not readable"
        return _not_yaml(getattr(error, "problem_mark", None), str(reason))
    return None if is_mapping and n_values == 1 else _not_yaml(None, "it is no mapping")


def _not_yaml(mark: object, reason: str) -> Fault:
    # line 1 of the document is the one that opens the front matter
    line = int(getattr(mark, "line", 0)) + 2
    return Fault(line, say("the front matter is not YAML ({reason}); it is read as text", reason=reason))


def _with_newlines(inside: str) -> str:
    return inside.replace("\r\n", "\n").replace("\r", "\n")


def _toml(inside: str) -> dict[str, object] | None:
    """Read TOML; None where it is none."""
    import tomllib

    if not re.match(rf"[ \t]*+(?:\[|{_TOML_PART}[ \t]*+[.=])", inside[_first_entry(inside) :]):
        return None
    try:
        if _TOML_DEEP.search(inside):
            return {}
        values = tomllib.loads(inside, parse_float=_typed)
    except RecursionError:
        return {}
    except ValueError:
        return None
    found = {key: _plain(value) for key, value in values.items()}
    for key, written in _TOML_PLAIN.findall(inside):
        # in a text of several lines such a line is no entry
        if not isinstance(values.get(key), str | list | dict) and values.get(key) == _toml_value(written):
            found[key] = _typed(written.rstrip())
    return found


def _toml_value(written: str) -> object:
    import tomllib

    try:
        return tomllib.loads(f"value = {written}", parse_float=_typed)["value"]
    except (ValueError, RecursionError):
        return None


def _toml_fault(inside: str) -> Fault | None:
    import tomllib

    if _toml(inside) is not None or not _TOML_PLAIN.search(inside):
        return None
    try:
        tomllib.loads(inside)
    except (ValueError, RecursionError) as error:
        line = re.search(r"line (\d{1,9})", str(error))
        told = say("the front matter is not TOML ({reason}); it is read as text", reason=str(error).split(" (at ")[0])
        return Fault(int(line[1]) + 1 if line else 1, told)
    return None


def _plain(value: object) -> object:
    """Make what JSON can hold of a value of TOML: dates and times become text."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, date | time) else value


def _typed(written: str) -> object:
    """Read a plain value: what JSON writes otherwise stays the text that was typed.

    Examples
    --------
    >>> [_typed(text) for text in ("3", "3.1", "3.10", "010", "1e3", "yes", "true", "~", "2024-04-01")]
    [3, 3.1, '3.10', '010', '1e3', 'yes', True, None, '2024-04-01']
    """
    if written in ("", "~", "null"):
        return None
    if written in ("true", "false"):
        return written == "true"
    if _INTEGER.fullmatch(written):
        return int(written)
    if _FLOAT.fullmatch(written) and repr(float(written)) == written:
        return float(written)
    return written


class _Collection:
    """A list or mapping being read: `items` holds the values, for a mapping keys and values in turn."""

    def __init__(self, anchor: str | None, *, is_mapping: bool) -> None:
        self.anchor = anchor
        self.is_mapping = is_mapping
        self.items: list[object] = []
        self.size = 1

    def value(self) -> object:
        if not self.is_mapping:
            return self.items
        pairs = list(zip(self.items[::2], self.items[1::2], strict=True))
        merged: dict[str, object] = {}
        for key, value in pairs:
            if key == "<<":
                for source in value if isinstance(value, list) else [value]:
                    for name, one in source.items() if isinstance(source, dict) else ():
                        merged.setdefault(name, one)
        # written out, a key that is a mapping with such keys would double its length with every level
        plain = {str(key): value for key, value in pairs if key != "<<" and not isinstance(key, list | dict)}
        return {**merged, **plain}


class _Builder:
    """Makes plain values of YAML events, and counts them, values behind aliases every time."""

    def __init__(self) -> None:
        import yaml

        self.yaml = yaml
        self.anchors: dict[str, tuple[object, int]] = {}
        self.stack: list[_Collection] = []

    def build(self, events: Iterator[Event]) -> object:
        yaml = self.yaml
        value: object = None
        for event in events:
            anchor = None
            size = 1
            if isinstance(event, yaml.CollectionStartEvent):
                self.stack.append(_Collection(event.anchor, is_mapping=isinstance(event, yaml.MappingStartEvent)))
                if len(self.stack) > _MAX_DEPTH:
                    raise _TooMuchError
                continue
            if isinstance(event, yaml.ScalarEvent):
                value, size, anchor = self.scalar(event), 1 + len(event.value) // _NODE, event.anchor
            elif isinstance(event, yaml.AliasEvent):
                # an alias inside the very thing that it names has no plain value
                value, size = self.anchors.get(event.anchor or "", (None, 1))
            elif isinstance(event, yaml.CollectionEndEvent):
                finished = self.stack.pop()
                value, size, anchor = finished.value(), finished.size, finished.anchor
            else:
                continue
            if anchor:
                self.anchors[anchor] = (value, size)
            if self.stack:
                self.add(value, size)
        return value

    def add(self, value: object, size: int) -> None:
        parent = self.stack[-1]
        parent.items.append(value)
        parent.size += size
        if parent.size > _MAX_NODES:
            raise _TooMuchError

    def scalar(self, event: ScalarEvent) -> object:
        parent = self.stack[-1] if self.stack else None
        is_key = parent is not None and parent.is_mapping and len(parent.items) % 2 == 0
        is_plain = event.implicit[0] and event.tag is None and not event.style
        return _typed(event.value) if is_plain and not is_key else event.value
