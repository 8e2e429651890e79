"""What people read, in their language: sentences that remember how they were made, and a catalogue a language.

A sentence is written once, in English, where it is said: ``say("{n:,} of {total:,} questions", n=3, total=13)``. It is
a `str`, so that JSON, exceptions and logs have it in English. Whoever writes for people asks for it `in_language`. The
catalogue ``chunkscope/language/ja.py`` has the Japanese template for each English one.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from string import Formatter
from typing import Any, Literal

Language = Literal["ja", "en"]
LANGUAGES: tuple[Language, ...] = ("ja", "en")


class Text(str):
    """A sentence in English that remembers its template and what was put into it; see `say`.

    Attributes
    ----------
    template : str
    values : mapping of str to object
        Other sentences may be among them, alone or in a list.
    """

    template: str
    values: Mapping[str, object]


class _Filling(Formatter):
    """Fills templates: as `str.format` does, and lists, and words that go with a number."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, tuple | list):
            return format_spec.join(map(str, value))
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return one if value == 1 else many
        return format(value, format_spec)


_fill = _Filling().vformat


def say(template: str, /, **values: object) -> Text:
    """Make a sentence that can be said in other languages too.

    Parameters
    ----------
    template : str
        In English, with placeholders as `str.format` has them. Two more are known: ``{n:question|questions}`` is the
        noun that goes with a number, and ``{names:, }`` joins a list. It stands in the source as it is, so that the
        tests find it in the catalogues.
    **values
        What its placeholders stand for: numbers, names, other sentences, lists of these.

    Examples
    --------
    >>> say("{n:,} {n:question is|questions are} split: {ids:, }", n=2, ids=["q1", "q7"])
    '2 questions are split: q1, q7'
    """
    text = Text(_fill(template, (), values))
    text.template, text.values = template, values
    return text


def in_language(text: str, lang: Language) -> str:
    """Give a sentence in a language, with all that has been put into it.

    What is no `Text`, and what the catalogue does not have (sentences of other packages), stays as it is. Shorten it,
    or make it `visible`, afterwards: what these give remembers nothing.

    Examples
    --------
    >>> warning = say("warning: {text}", text="rules.md")
    >>> in_language(warning, "ja"), in_language(warning, "en"), in_language("rules.md", "ja")
    ('警告: rules.md', 'warning: rules.md', 'rules.md')
    """
    if lang == "en" or not isinstance(text, Text):
        return text
    template = _catalogue(lang).get(text.template, text.template)
    return _fill(template, (), {name: _translated(value, lang) for name, value in text.values.items()})


def _translated(value: object, lang: Language) -> object:
    if isinstance(value, tuple | list):
        return [_translated(one, lang) for one in value]
    return in_language(value, lang) if isinstance(value, Text) else value


def _catalogue(lang: Language) -> Mapping[str, str]:
    catalogue: Mapping[str, str] = importlib.import_module(f"{__name__}.{lang}").CATALOGUE
    return catalogue
