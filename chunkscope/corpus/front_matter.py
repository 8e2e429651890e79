"""Front matter: the YAML mapping between ``---`` lines that opens many Markdown files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

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
_VALUE = rf"(?:{_PLAIN}|{_QUOTED}|{_SINGLE}|\[[ ]*+{_QUOTED}(?:,[ ]*+{_QUOTED})*+\][ ]*+)"
_EOL = r"(?:\r\n?+|\n|\Z)"
_ITEMS = rf"(?:(?:- {_VALUE}{_EOL})++|(?:  - {_VALUE}{_EOL})++)?+"
_SIMPLE_MAPPING = re.compile(rf"(?:[A-Za-z_][\w.-]{{0,99}}:(?:[ ]++{_VALUE}{_EOL}|[ ]*+{_EOL}{_ITEMS}))++")

_MAX_DEPTH = 50
"""Front matter nested deeper than this is not read; people write two or three levels."""
_MAX_NODES = 100_000
"""Aliases may repeat a value without end; attributes with more values than this, written out, are not read."""
_NODE = 64
"""So many characters of a value count as one value more: aliases may repeat a long one too."""


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
    and a YAML mapping between. Anything else is text that starts with a rule.

    Examples
    --------
    >>> front_matter_end("---\ntitle: 旅費\n---\n# 本文\n")
    18
    >>> front_matter_end("---\n本文。\n---\n")
    0
    """
    lines = _lines(text)
    if lines is None:
        return 0
    inside, end = lines
    return end if _SIMPLE_MAPPING.fullmatch(inside) or _is_mapping(inside) else 0


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
        written; keys that are lists or mappings are left out. Dates are ISO strings. What YAML has no plain value for
        stays the text that was written. Empty where there is no front matter, or where it is nested or repeated
        beyond all use.

    Examples
    --------
    >>> attributes_of("---\nstatus: abolished\nsince: 2024-04-01\ntags: [旅費, 規程]\n---\n")
    {'status': 'abolished', 'since': '2024-04-01', 'tags': ['旅費', '規程']}
    """
    lines = _lines(text) if front_matter_end(text) else None
    if lines is None:
        return {}
    try:
        value = _Builder().build(_events(lines[0]))
    except _TooMuchError:
        return {}
    return value if isinstance(value, dict) else {}


def _lines(text: str) -> tuple[str, int] | None:
    """Give what stands between the two lines, and where the second ends."""
    opening = _OPENING.match(text)
    if not opening:
        return None
    # the line end of the first line may be the one before the closing line
    closing = _CLOSING.search(text, opening.end() - 1)
    if not closing:
        return None
    return text[opening.end() : closing.start()], closing.end()


class _TooMuchError(Exception):
    """Nested or repeated beyond all use."""


def _events(inside: str) -> Iterator[Event]:
    """Give YAML's events; they need no recursion, whatever the text is."""
    import yaml

    return iter(yaml.parse(inside, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def _is_mapping(inside: str) -> bool:
    import yaml

    depth = n_values = 0
    is_mapping = False
    anchors: set[str | None] = set()
    try:
        for event in _events(inside):
            if isinstance(event, yaml.AliasEvent) and event.anchor not in anchors:
                return False
            if isinstance(event, yaml.NodeEvent):
                anchors.add(event.anchor)
                if depth == 0:
                    n_values += 1
                    is_mapping = isinstance(event, yaml.MappingStartEvent)
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except (yaml.YAMLError, ValueError):
        return False
    return is_mapping and n_values == 1


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
        self.resolver = yaml.resolver.Resolver()
        self.constructor = yaml.constructor.SafeConstructor()
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
        yaml = self.yaml
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.is_mapping and len(parent.items) % 2 == 0:
            return event.value  # a key, as it is written
        tag = event.tag
        if tag is None or tag == "!":
            tag = self.resolver.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
        try:
            value = self.constructor.construct_object(yaml.ScalarNode(tag, event.value))
        except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, OverflowError):
            return event.value  # such as the 30th of February
        return _plain(value, event.value)


def _plain(value: object, written: str) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return written
    return value if value is None or isinstance(value, str | bool | int | float) else written
