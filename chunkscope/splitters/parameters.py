"""What a splitter, or what makes one, takes: which of its parameters is the size, which the overlap, which the text."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

SIZE_NAMES: dict[str, str | None] = {
    "chunk_size": None,
    "size": None,
    "max_chunk_size": None,
    "chunk_length": None,
    "chunk_len": None,
    "max_tokens": None,
    "max_characters": "char",
    "max_chars": "char",
    "chunk_chars": "char",
    "chunk_tokens": None,
    "chunk_token_num": None,
    "tokens_per_chunk": None,
    "characters_per_chunk": "char",
    "chars_per_chunk": "char",
    "words_per_chunk": None,
    "sentences_per_chunk": None,
    "max_words": None,
    "max_size": None,
    "max_length": None,
    "max_len": None,
    "split_length": None,
    "split_size": None,
    "capacity": None,
    "char_limit": "char",
    "token_limit": None,
    "limit": None,
    "length": None,
    "width": None,
}
"""Parameters that are a size, in the order in which they are looked for, and the unit where the name tells it."""

OVERLAP_NAMES = (
    "chunk_overlap",
    "overlap",
    "split_overlap",
    "chunk_overlap_size",
    "chunk_overlap_len",
    "overlap_size",
    "overlap_length",
    "overlap_len",
    "overlap_tokens",
    "overlap_token_size",
    "token_overlap",
    "overlap_characters",
    "overlap_chars",
    "overlap_words",
    "overlap_sentences",
    "max_overlap",
)
"""Parameters that are an overlap, in the order in which they are looked for."""


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function, or of a class with those that it hands on to the classes it is made of.

    Attributes
    ----------
    names : tuple of str
        What can be given by name.
    required : tuple of str
        What has no default, those that can be given by place alone among them.
    by_place : tuple of str
        What can be given by place alone.
    defaults : mapping of str to object
    takes_any : bool
        Whether other names are taken too, or nothing is known.
    """

    names: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    by_place: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    takes_any: bool = False

    def find(self, known: Iterable[str]) -> str | None:
        """Give the first of the known names that is a parameter.

        Examples
        --------
        >>> read_parameters(lambda text, max_tokens, overlap=0: []).find(SIZE_NAMES)
        'max_tokens'
        """
        return next((name for name in known if name in self.names), None)

    def lacking(self, given: Iterable[str]) -> list[str]:
        """Give what must be given and is neither given nor a size or an overlap: the text, for one."""
        known = {*given, *SIZE_NAMES, *OVERLAP_NAMES}
        return [name for name in self.required if name not in known]


def read_parameters(function: Callable[..., object]) -> Parameters:
    """Read the parameters of a function, a method or a class.

    A class whose ``__init__`` takes ``**kwargs`` is read together with the next that it inherits from, as those hand
    them on. Where nothing can be read, as of some functions written in C, it may take anything, a text first.

    Examples
    --------
    >>> read_parameters(lambda text, chunk_size=400: []).required
    ('text',)
    """
    found: dict[str, inspect.Parameter] = {}
    takes_any = True
    for signature in _signatures(function):
        takes_any = False
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                takes_any = True
            elif parameter.kind is not parameter.VAR_POSITIONAL:
                found.setdefault(parameter.name, parameter)
        if not takes_any:
            break
    return Parameters(
        names=tuple(one.name for one in found.values() if one.kind is not one.POSITIONAL_ONLY),
        required=tuple(one.name for one in found.values() if one.default is one.empty),
        by_place=tuple(one.name for one in found.values() if one.kind is one.POSITIONAL_ONLY),
        defaults={one.name: one.default for one in found.values() if one.default is not one.empty},
        takes_any=takes_any,
    )


def _signatures(function: Callable[..., object]) -> Iterable[inspect.Signature]:
    """Give the signature; of a class that of each ``__init__`` from it upwards, but for that of a plain object."""
    own = _signature(function)
    found = [] if own is None or _says_nothing(own) else [own]
    if inspect.isclass(function):
        inherited = [_signature(vars(one)["__init__"]) for one in function.__mro__[:-1] if "__init__" in vars(one)]
        found += [_without_self(one) for one in inherited if one is not None]
    return found


def _signature(function: Callable[..., object]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (ValueError, TypeError):
        return None


def _says_nothing(signature: inspect.Signature) -> bool:
    """Tell whether it is ``(*args, **kwargs)``, as of a class whose metaclass makes the objects."""
    kinds = [one.kind for one in signature.parameters.values()]
    return bool(kinds) and set(kinds) <= {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])
