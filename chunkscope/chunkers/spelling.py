"""The spelling of settings: ``size=400, separators=["\\n\\n", "。", ""]``, as text and back.

Commas separate settings, and ways of cutting, where they stand in no brackets and no quotes. A quote opens where a
value begins, so that an apostrophe in the name of a file is one.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from chunkscope.errors import ChunkerError

_WHOLE_NUMBER = re.compile(r"-?\d{1,60}")  # Python reads no more than 4,300 digits
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "\"'"
_BEFORE_A_VALUE = "=,:" + _OPENING


def parse_settings(text: str, owner: str = "settings") -> list[tuple[str, str]]:
    """Read settings as they are written: names and values, as text, in order.

    Parameters
    ----------
    text : str
    owner : str
        Whose settings they are, for messages.

    Raises
    ------
    ChunkerError
        Something without a name or without a value, or a name that is given twice.

    Examples
    --------
    >>> parse_settings('size=400, separators=["\\\\n", ", "]')
    [('size', '400'), ('separators', '["\\\\n", ", "]')]
    """
    found: dict[str, str] = {}
    for setting in split_at_commas(text) if text.strip() else []:
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not name or not equals or not value:
            raise ChunkerError(f"{owner}: {setting.strip()!r} is no setting; write key=value")
        if name in found:
            raise ChunkerError(f"{owner}: {name} is given twice")
        found[name] = value
    return list(found.items())


def read_value(text: str, owner: str = "settings") -> object:
    """Read a value: true or false, a whole number, a list or a quoted string in JSON or as in Python, else a text.

    Raises
    ------
    ChunkerError
        What begins with a bracket or a quote, and is neither JSON nor a Python literal.

    Examples
    --------
    >>> read_value("TRUE"), read_value("12"), read_value("['。', '']"), read_value('"7"'), read_value("keep")
    (True, 12, ['。', ''], '7', 'keep')
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if text[:1] not in ("[", "{", *_QUOTES):
        return text
    for read in (json.JSONDecoder(strict=False).decode, ast.literal_eval):
        try:
            found: object = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        return found
    raise ChunkerError(f'{owner}: {text} cannot be read; write it as JSON, such as ["\\n\\n", "\\n", ""]')


def spell_value(value: object) -> str:
    """Write a value so that `read_value` reads it again; tuples are lists.

    Examples
    --------
    >>> spell_value(True), spell_value(12), spell_value("keep"), spell_value(("\\n", "。"))
    ('true', '12', 'keep', '["\\\\n", "。"]')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple | list) else str(value)


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that stand in no brackets and no quotes.

    Examples
    --------
    >>> split_at_commas('fixed, recursive(separators=[",", ""], keep=end)')
    ['fixed', ' recursive(separators=[",", ""], keep=end)']
    """
    commas = [place for place, depth in enumerate(_depths(text)) if text[place] == "," and depth <= 0]
    return [text[begin + 1 : end] for begin, end in zip([-1, *commas], [*commas, len(text)], strict=True)]


def can_be_spelt(name: str) -> bool:
    """Tell whether a name can stand among settings as it is: brackets and quotes closed, no comma or blank around it.

    Examples
    --------
    >>> can_be_spelt("C:/Program Files (x86)/it's.json"), can_be_spelt("a,b"), can_be_spelt("a)")
    (True, False, False)
    """
    depths = list(_depths(f"={name},"))
    return name == name.strip() and split_at_commas(name) == [name] and min(depths) == depths[-1] == 0


def _depths(text: str) -> Iterator[int]:
    """Give for each character in how many brackets and quotes it stands; what closes one stands outside."""
    depth, quote, before, escaped = 0, "", "=", False
    for character in text:
        if quote:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
        elif character in _QUOTES and before in _BEFORE_A_VALUE:
            quote = character
        else:
            depth += (character in _OPENING) - (character in _CLOSING)
        before = before if character.isspace() else character
        yield depth + bool(quote)
