"""One interface for splitters of every shape: what they take is found out by looking, what they give is read.

Nothing of a splitter is believed: offsets are handed on as claims, and whatever is no list of pieces is an error of one
line.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from numbers import Integral
from typing import Any, NamedTuple

from chunkscope.errors import ChunkscopeError, SplitterError, did_you_mean, unit_noun
from chunkscope.splitters.origin import pickled, version_of
from chunkscope.splitters.parameters import OVERLAP_NAMES, SIZE_NAMES, Parameters, read_parameters

TEXT_FIELDS = ("page_content", "text", "content")
START_FIELDS = ("start_index", "start_char_idx", "start_char", "split_idx_start", "start")
END_FIELDS = ("end_index", "end_char_idx", "end_char", "end")
METADATA_FIELDS = ("metadata", "meta")

LONGEST_REASON = 300

LENGTH = "length_function"
"""The parameter with which packages are told how to measure a text."""


class RawPiece(NamedTuple):
    """What a splitter gave: a text, and where it claims that this lies; -1 and the like are claims too."""

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class _Method:
    """How a text is handed to an object, and whether sizes can go along."""

    call: Callable[[str, Mapping[str, object]], object]
    parameters: Parameters


@dataclass(frozen=True, eq=False)
class Splitter:
    """A splitter from outside, whatever its shape.

    Attributes
    ----------
    name : str
        What it is called in tables and messages.
    version : str or None
        Package and version, or a digest of its source: part of the key under which its pieces are kept. None: they
        are not kept.
    unit : str or None
        What its sizes are counted in, where that is a unit of ours; None where it is another, or not known.
    counts : str
        What sizes count, in words: ``characters``, ``rows of a table``.
    size_name, overlap_name : str or None
        The parameter that is its size, and its overlap; None where it has none, or where it is fixed.
    fixed_size, fixed_overlap : int or None
        What they are where that is fixed: given among the options, or set in an object that is made already.
    default_size, default_overlap : int or None
        What they are unless given, as far as its signature tells.
    needs_size : bool
        Whether it has no size of its own.
    """

    name: str
    version: str | None
    unit: str | None
    counts: str
    size_name: str | None
    overlap_name: str | None
    fixed_size: int | None
    fixed_overlap: int | None
    default_size: int | None
    default_overlap: int | None
    needs_size: bool
    _found: Any = field(repr=False)
    _is_maker: bool = field(repr=False)
    _options: Mapping[str, object] = field(repr=False)
    _spelling: tuple[object, ...] | None = field(default=None, repr=False)
    _made: dict[tuple[int | None, int], _Method] = field(default_factory=dict, repr=False)

    @property
    def takes_size(self) -> bool:
        """Whether a size can be given."""
        return self.size_name is not None

    @property
    def takes_overlap(self) -> bool:
        """Whether an overlap can be given."""
        return self.overlap_name is not None

    def split(self, text: str, size: int | None = None, overlap: int = 0) -> list[RawPiece]:
        """Split a text.

        Parameters
        ----------
        text : str
        size : int, optional
            In the splitter's own unit. Without one it is left to the splitter, and so is an overlap of 0.
        overlap : int
            An overlap of 0 is asked for along with a size: splitters have other defaults.

        Returns
        -------
        list of RawPiece
            In the order in which the splitter gives them, empty ones among them. None for an empty text, which is
            not shown to the splitter.

        Raises
        ------
        SplitterError
            It cannot be set up like this, raises, or gives no list of pieces; says in one line what. The caller
            names the document.

        Examples
        --------
        >>> from textwrap import wrap
        >>> adapt(wrap, "wrap").split("one two three", 8)
        [RawPiece(text='one two', start=None, end=None), RawPiece(text='three', start=None, end=None)]
        """
        sizes = self._sizes(size, overlap)
        if not text:
            return []
        with _told(self.name), _silenced():
            if self._is_maker:
                method, options = self._make(size, overlap, sizes), {}
            else:
                method, options = self._method(self._found), {**self._options, **sizes}
            return read_pieces(method.call(text, options), text)

    def refreshed(self) -> Splitter:
        """Give the same splitter as if just set up: without what a text before may have left in it."""
        self._made.clear()
        return self

    def _sizes(self, size: int | None, overlap: int) -> dict[str, object]:
        """Name size and overlap as the splitter does."""
        sizes: dict[str, object] = {}
        if size is not None:
            if self.size_name is None:
                fixed = "" if self.fixed_size is None else f": it is fixed at {self.fixed_size}"
                raise SplitterError(f"{self.name} takes no size{fixed}")
            sizes[self.size_name] = size
        elif self.needs_size:
            raise SplitterError(f"{self.name} needs a size, such as {self.name}({self.size_name}=400)")
        if self.overlap_name is not None and (size is not None or overlap):
            sizes[self.overlap_name] = overlap
        elif overlap:
            raise SplitterError(f"{self.name} takes no overlap")
        return sizes

    def _make(self, size: int | None, overlap: int, sizes: Mapping[str, object]) -> _Method:
        """Set it up at a size and overlap; the last is kept, as documents come one after the other."""
        key = (size, overlap)
        if key not in self._made:
            self._made.clear()
            made = self._found(**self._options, **sizes)
            if callable(warm_up := getattr(made, "warm_up", None)):
                warm_up()
            self._made[key] = self._method(made)
        return self._made[key]

    def _method(self, made: object) -> _Method:
        method = find_method(made)
        if method is None:
            raise SplitterError(f"{self.name}: {_spoken(made)} is no splitter: {_WANTED}")
        return method

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes look it up again by its spelling; what was given as an object is sent as it is."""
        if self._spelling is not None:
            from chunkscope.splitters.installed import load_splitter

            return load_splitter, self._spelling
        return adapt, (self._found, self.name, dict(self._options), self.unit, self.counts, self.version)


def adapt(
    found: object,
    name: str,
    options: Mapping[str, object] | None = None,
    unit: str | None = None,
    counts: str | None = None,
    version: str | None = None,
) -> Splitter:
    """Make a splitter of whatever splits, or of what makes such a thing.

    Parameters
    ----------
    found : object
        A function of a text, an object with a method that splits, or a class or function that gives one of these.
    name : str
        What it is called in tables and messages.
    options : mapping of str to object, optional
        Passed on. A size or an overlap among them is fixed.
    unit : str, optional
        What its sizes are counted in, if that is known.
    counts : str, optional
        The same in words, where it is no unit of ours.
    version : str, optional
        Where it is known; else it is found out.

    Raises
    ------
    SplitterError
        Nothing about it splits, it needs more than is given, or has no such options.

    Examples
    --------
    >>> def halves(text, overlap=0):
    ...     middle = len(text) // 2
    ...     return [(0, middle + overlap), (middle, len(text))]
    >>> adapt(halves, "halves", {"overlap": 1}).split("abcd")
    [RawPiece(text='abc', start=0, end=3), RawPiece(text='cd', start=2, end=4)]
    """
    options = dict(options or {})
    parameters = read_parameters(found) if callable(found) else Parameters()
    is_maker = inspect.isclass(found) or (_is_function(found) and _is_maker(parameters, options))
    if not is_maker:
        method = find_method(found)
        if method is None:
            raise SplitterError(f"{name}: {_spoken(found)} is no splitter: {_WANTED}")
        parameters = method.parameters
    _check_options(name, parameters, options, is_maker=is_maker)
    size_name, fixed_size = _setting(SIZE_NAMES, parameters, options, found, is_maker)
    overlap_name, fixed_overlap = _setting(OVERLAP_NAMES, parameters, options, found, is_maker)
    named = SIZE_NAMES.get(size_name or next((one for one in SIZE_NAMES if one in options), ""))
    known_unit = unit or named or _measured_in(found, parameters, options)
    return Splitter(
        name=name,
        version=version or version_of(found),
        unit=known_unit,
        counts=_counts(known_unit) if counts is None else counts,
        size_name=size_name,
        overlap_name=overlap_name,
        fixed_size=fixed_size,
        fixed_overlap=fixed_overlap,
        default_size=_integer(parameters.defaults.get(size_name or "")),
        default_overlap=_integer(parameters.defaults.get(overlap_name or "")),
        needs_size=size_name is not None and size_name in parameters.required,
        _found=found,
        _is_maker=is_maker,
        _options=options,
    )


def _measured_in(found: object, parameters: Parameters, options: Mapping[str, object]) -> str | None:
    """Tell what a splitter counts that says which function measures a text."""
    measures = (options.get(LENGTH), getattr(found, f"_{LENGTH}", None), parameters.defaults.get(LENGTH))
    given = next((one for one in measures if one is not None), None)
    return "char" if given is len else None


def _counts(unit: str | None) -> str:
    return "units of its own" if unit is None else unit_noun(unit)


def is_portable(splitter: Splitter) -> bool:
    """Tell whether other processes can be sent a splitter; one given as an object may not be picklable.

    Examples
    --------
    >>> from textwrap import wrap
    >>> is_portable(adapt(wrap, "wrap")), is_portable(adapt(lambda text: [text], "whole"))
    (True, False)
    """
    if splitter._spelling is not None:
        return True
    try:
        pickled(splitter._found)
        pickled(splitter._options)
    except Exception:
        return False
    return True


_WANTED = (
    "wanted is a function of a text, an object with split_text, chunk or the like, or a class that gives one "
    "(docs/splitters.md lists them)"
)


def _is_function(found: object) -> bool:
    """Tell a function, also a partial or built-in one, from an object that can be called besides."""
    return callable(found) and not any(hasattr(found, name) for name in _METHODS if name != "__call__")


def _is_maker(parameters: Parameters, options: Mapping[str, object]) -> bool:
    """Tell a function that gives a splitter from one that splits: it asks for no text."""
    return not parameters.lacking(options) and not parameters.by_place and not _is_blind(parameters)


def _is_blind(parameters: Parameters) -> bool:
    """Tell whether nothing is known of a function: then it is shown a text."""
    return parameters.takes_any and not parameters.names


def _check_options(name: str, parameters: Parameters, options: Mapping[str, object], *, is_maker: bool) -> None:
    lacking = parameters.lacking(options)
    text = None if is_maker else next(iter(parameters.required), None)
    lacking = lacking if is_maker else lacking[1:]
    if lacking:
        raise SplitterError(
            f"{name} needs {lacking[0]!r} too; write {name}({lacking[0]}=...), "
            "or a function of your own that calls it with all that it needs"
        )
    known = [one for one in parameters.names if one != text]
    for option in options:
        if option not in known and not parameters.takes_any:
            hint = did_you_mean(option, known) or f"it has {', '.join(known) or 'none'}"
            raise SplitterError(f"{name} has no {option!r}; {hint}")


def _setting(
    known: Iterable[str], parameters: Parameters, options: Mapping[str, object], found: object, is_maker: bool
) -> tuple[str | None, int | None]:
    """Give the name of the parameter that is the size, or the overlap; or else what it is fixed at."""
    given = next((name for name in known if name in options), None)
    if given is not None:
        return None, _integer(options[given])
    parameter = parameters.find(known)
    if parameter is not None or is_maker or inspect.isroutine(found):
        return parameter, None
    names = (name for name in known if "_" in name or name in ("size", "overlap"))
    fields = (getattr(found, prefix + name, None) for name in names for prefix in ("", "_"))
    return None, next((value for value in map(_integer, fields) if value is not None), None)


def _integer(value: object) -> int | None:
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


def _text_function(function: Callable[..., object]) -> _Method:
    """Hand over a text as a function wants it: by place, or by name where something else comes first."""
    parameters = read_parameters(function)
    lacking = parameters.lacking(())
    name = lacking[0] if lacking else None
    if name is None or name in parameters.by_place or name not in parameters.names:
        return _Method(lambda text, options: function(text, **options), parameters)
    if name == "texts":
        return _Method(lambda text, options: _only(function([text], **options)), parameters)
    return _Method(lambda text, options: function(**{name: text}, **options), parameters)


def _only(found: object) -> object:
    """Give what was made of one text by a function that takes several."""
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], list | tuple):
        return found[0]
    return found


def _of_documents(module: str, name: str, field_name: str) -> Callable[[Callable[..., Any]], _Method]:
    """Hand over a text as a document of the package that the splitter comes from."""

    def method(function: Callable[..., Any]) -> _Method:
        def call(text: str, _: Mapping[str, object]) -> object:
            try:
                document = getattr(import_module(module), name)
            except ImportError as error:
                raise SplitterError(
                    f"it takes documents of {module.partition('.')[0]}, which cannot be imported: {error}"
                ) from error
            return function([document(**{field_name: text})])

        return _Method(call, Parameters())

    return method


def _haystack(function: Callable[..., Any]) -> _Method | None:
    """Tell a component, which takes and gives documents by name, from other things that can be run."""
    is_component = hasattr(getattr(function, "__self__", None), "__haystack_input__")
    if not is_component and "documents" not in read_parameters(function).names:
        return None
    run = _of_documents("haystack", "Document", "content")(lambda documents: function(documents=documents))

    def call(text: str, options: Mapping[str, object]) -> object:
        found = run.call(text, options)
        return found["documents"] if isinstance(found, Mapping) and "documents" in found else found

    return _Method(call, Parameters())


def _texts(function: Callable[..., Any]) -> _Method:
    return _Method(lambda text, _: function([text]), Parameters())


_METHODS: dict[str, Callable[[Callable[..., Any]], _Method | None]] = {
    "chunk_indices": _text_function,
    "get_nodes_from_documents": _of_documents("llama_index.core.schema", "Document", "text"),
    "run": _haystack,
    "create_documents": _texts,
    "split_documents": _of_documents("langchain_core.documents", "Document", "page_content"),
    "split_text": _text_function,
    "chunk": _text_function,
    "split": _text_function,
    "chunks": _text_function,
    "__call__": _text_function,
}
"""The methods that split, in the order in which they are looked for: those that tell offsets come first."""


def find_method(found: object) -> _Method | None:
    """Find what splits a text: a method of an object, or a function itself; None where nothing does."""
    if inspect.isclass(found) or isinstance(found, str | bytes | Mapping):
        return None
    if _is_function(found):
        return _text_function(found)  # type: ignore[arg-type]  # it can be called
    for name, make in _METHODS.items():
        function = getattr(found, name, None)
        if callable(function) and (method := make(function)) is not None:
            return method
    return None


def read_pieces(found: object, text: str) -> list[RawPiece]:
    """Read what a splitter gave for a text.

    Parameters
    ----------
    found : object
        A list, a generator or the like, of strings, of ``(start, end)``, of ``(start, piece)``, of
        ``(piece, start, end)``, or of objects with a text and perhaps offsets; or two lists, pieces and offsets.
    text : str
        What was split.

    Raises
    ------
    SplitterError
        It is something else.

    Examples
    --------
    >>> read_pieces([(0, 3), (3, 5)], "abcde")
    [RawPiece(text='abc', start=0, end=3), RawPiece(text='de', start=3, end=5)]
    """
    if inspect.iscoroutine(found):
        found.close()
    if found is None or isinstance(found, str | bytes | Mapping | set | frozenset) or not isinstance(found, Iterable):
        raise SplitterError(f"it gives {_spoken(found)}, not a list of pieces")
    items = list(found)
    if isinstance(found, tuple) and len(items) == 2 and all(isinstance(one, list) for one in items):
        return _read_two_lists(*items)
    return [_read_piece(item, number, text) for number, item in enumerate(items)]


def _read_two_lists(pieces: list[object], offsets: list[object]) -> list[RawPiece]:
    """Read pieces and offsets that were given one list each."""
    if len(pieces) != len(offsets):
        raise SplitterError(f"it gives {len(pieces)} pieces, but {len(offsets)} offsets")
    found = []
    for number, (piece, place) in enumerate(zip(pieces, offsets, strict=True)):
        pair = tuple(place) if isinstance(place, tuple | list) else (place,)
        if len(pair) != 2 or None in map(_integer, pair):
            raise SplitterError(f"the offsets of piece {number} are {_spoken(place)}, not (start, end)")
        found.append(RawPiece(_whole(piece, number), _integer(pair[0]), _integer(pair[1])))
    return found


def _read_piece(item: Any, number: int, text: str) -> RawPiece:
    if isinstance(item, str):
        return RawPiece(_whole(item, number))
    if type(item).__name__ == "ndarray":
        item = tuple(item.tolist())
    if isinstance(item, tuple | list):
        return _read_tuple(tuple(item), number, text)
    fields = _fields(item)
    text_field = next((name for name in TEXT_FIELDS if fields.get(name) is not None), None)
    if text_field is None:
        raise SplitterError(f"piece {number} is {_spoken(item)}, not a text")
    holders = [fields, *(_fields(found) for name in METADATA_FIELDS if (found := fields.get(name)) is not None)]
    return _with_offsets(
        _whole(fields[text_field], number), _offset(holders, START_FIELDS), _offset(holders, END_FIELDS)
    )


def _read_tuple(item: tuple[Any, ...], number: int, text: str) -> RawPiece:
    start, end = (_integer(item[0]), _integer(item[1])) if len(item) == 2 else (None, None)
    if start is not None and end is not None:
        if not 0 <= start <= end <= len(text):
            raise SplitterError(f"piece {number} is ({start}, {end}), no span of a text of {len(text):,} characters")
        return RawPiece(text[start:end], start, end)
    if start is not None and isinstance(item[1], str):
        return _with_offsets(_whole(item[1], number), start, None)
    if len(item) == 3 and isinstance(item[0], str):
        return _with_offsets(_whole(item[0], number), _integer(item[1]), _integer(item[2]))
    raise SplitterError(f"piece {number} is {_spoken(list(item))}, not a text or (start, end)")


def _with_offsets(piece: str, start: int | None, end: int | None) -> RawPiece:
    if start is not None and end is None:
        end = start + len(piece)
    return RawPiece(piece, start, end if start is not None else None)


_FIELDS = (*TEXT_FIELDS, *START_FIELDS, *END_FIELDS, *METADATA_FIELDS)


def _fields(item: Any) -> Mapping[str, Any]:
    """Give what we look for of an object: what it holds, and what its class computes.

    To ask it for each name by itself took three times as long as splitting: pydantic searches for what is not there.
    """
    if isinstance(item, Mapping):
        return item
    held = getattr(item, "__dict__", {})
    kind: Any = type(item)
    computed = {name: getattr(item, name, None) for name in _computed(kind) if name not in held}
    found = {**held, **computed} if computed else held
    if any(found.get(name) is not None for name in TEXT_FIELDS):
        return found
    return {name: getattr(item, name, None) for name in _FIELDS}


@lru_cache(maxsize=64)
def _computed(kind: Hashable) -> tuple[str, ...]:
    return tuple(name for name in _FIELDS if hasattr(kind, name))


def _offset(holders: Iterable[Mapping[str, Any]], names: tuple[str, ...]) -> int | None:
    """Give the first of the fields that is a whole number, in the object or in its metadata."""
    offsets = (_integer(holder[name]) for holder in holders for name in names if name in holder)
    return next((offset for offset in offsets if offset is not None), None)


def _whole(piece: object, number: int) -> str:
    """Give the text of a piece, if it is one that can be written."""
    if not isinstance(piece, str):
        raise SplitterError(f"piece {number} is {_spoken(piece)}, not a text")
    try:
        piece.encode()
    except UnicodeEncodeError as error:
        raise SplitterError(f"piece {number}: character {error.start} is half of a surrogate pair") from None
    return str(piece)


def _spoken(value: object) -> str:
    """Name what was given, in Python's words."""
    if value is None:
        return "None"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    if inspect.iscoroutine(value):
        return "a coroutine (an async function)"
    if isinstance(value, int | float | tuple):
        return repr(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    """Keep what a splitter prints and logs off the screen: it would say it again at every size."""
    before = logging.root.manager.disable
    logging.disable(max(before, logging.WARNING))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    """Say which splitter failed, and how, in one line."""
    try:
        yield
    except SplitterError as error:
        raise SplitterError(f"{name}: {str(error).removeprefix(f'{name}: ')}") from error.__cause__
    except (ChunkscopeError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # what Rust calls a panic is no Exception
        reason = " ".join(str(error).split())
        shown = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
        raise SplitterError(f"{name} fails: {type(error).__name__}{f': {shown}' if shown else ''}") from error
