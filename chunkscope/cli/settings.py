"""Which chunkers, sizes and overlaps the command line and the configuration ask for."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkscope.chunkers import Chunker, parse_chunker
from chunkscope.chunkers.parse import is_splitter, name_of
from chunkscope.chunkers.spelling import split_at_commas
from chunkscope.cli.options import is_configured, naming_the_file, usage_error
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import ChunkerError, GridError
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, Grid, Overlap, parse_overlaps, parse_sizes
from chunkscope.grid.ways import DEFAULT_WAYS, available_ways, grid_of_ways
from chunkscope.splitters.chunker import with_cache
from chunkscope.splitters.dump import DumpChunker
from chunkscope.structure.units import get_unit

DEFAULT_CHUNKER = "fixed"
DEFAULT_WAYS_WORD = "default"
"""Stands in a list of chunkers for the ways that are compared where none is named."""
NO_OTHER = "none"
"""Stands for the chunkers where an index is not to be compared with any."""
WHOLE = "none"
"""How the command line writes the size of whole sections."""
MOST_DIGITS = 60

_OWN_UNIT = re.compile(r"[(,]\s*unit\s*=")


def read_chunkers(
    chunker: Sequence[str],
    unit: Sequence[str],
    *,
    allow_code: bool = False,
    cache: str | None = None,
    documents: Corpus | Sequence[Document] = (),
) -> tuple[Chunker, ...]:
    """Give each chunker in each unit.

    Parameters
    ----------
    chunker, unit : sequences of str
        Comma lists, as they were given; empty: the defaults.
    allow_code : bool
        Splitters that the configuration names may be run.
    cache : str, optional
        The file in which the pieces of splitters are kept.
    documents : Corpus or sequence of Document
        For which the default ways are wanted, where these are named.

    Returns
    -------
    tuple of Chunker
        Without sizes, but for those that are spelled with one.

    Raises
    ------
    ChunkerError
        A chunker or unit that does not exist, or a unit that none of the chunkers can count in.

    Examples
    --------
    >>> [f"{one} in {one.unit}" for one in read_chunkers(["fixed,token"], ["char,o200k_base"])]
    ['fixed in char', 'fixed(unit=o200k_base) in o200k_base', 'token(unit=o200k_base) in o200k_base']
    """
    with naming_the_file("unit"):
        units = _entries(",".join(unit), "--unit") if unit else []
        for name in units:
            get_unit(name)
    found: dict[Chunker, None] = {}
    used: set[str] = set()
    refused: dict[str, ChunkerError] = {}
    with naming_the_file("chunker"):
        # an empty value is no absent one: it comes from a variable that is not set
        for part in _spelt_out(chunker, documents) if chunker else [DEFAULT_CHUNKER]:
            if is_configured("chunker") and not allow_code and is_splitter(name_of(part)):
                raise ChunkerError(f"{part.strip()} runs code; --allow-code lets it, if you trust what this file names")
            one = with_cache(parse_chunker(part), cache)
            fitting = []
            for name in [] if _OWN_UNIT.search(part) else units:
                try:
                    fitting.append(one.in_unit(name))
                    used.add(name)
                except ChunkerError as error:  # tokens are not counted in characters
                    refused.setdefault(name, error)
            found.update(dict.fromkeys(fitting or [one]))
    unused = [name for name in refused if name not in used]
    if unused and not is_configured("unit"):
        raise refused[unused[0]]
    for one in found:
        get_unit(one.unit)
    return tuple(found)


def _spelt_out(chunker: Sequence[str], documents: Corpus | Sequence[Document]) -> Iterator[str]:
    """Give the entries of a list of chunkers, the default ways in place of the word for them."""
    for part in split_at_commas(",".join(chunker)):
        if part.strip() == DEFAULT_WAYS_WORD:
            yield from map(str, available_ways(documents)[0])
        else:
            yield part


def read_indexes(flags: Mapping[str, Any]) -> tuple[DumpChunker, ...]:
    """Give the indexes that are named with ``--chunks``, and read them.

    Raises
    ------
    InputError, ConfigError, MissingPartError
        A file that holds no chunks, or a field that chunks do not have.
    """
    paths, fields = dict.fromkeys(flags.get("chunks", ())), tuple(flags.get("chunk_field", {}).items())
    if fields and not paths:
        raise usage_error("--chunk-field goes with --chunks")
    names = [os.path.basename(path) for path in paths]
    titles = names if len(set(names)) == len(names) else list(paths)
    found = tuple(DumpChunker(path=path, fields=fields, title=title) for path, title in zip(paths, titles, strict=True))
    for index in found:
        index.dump  # noqa: B018  # what is no dump is said before documents are read
    return found


def names_splitter(chunker: Sequence[str]) -> bool:
    """Tell whether a splitter from outside is in a list of chunkers."""
    return any(is_splitter(name_of(part)) for part in split_at_commas(",".join(chunker)))


def splitter_settings(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Give what the options say of splitters from outside, for `read_chunkers`."""
    from chunkscope.store.file import default_path

    cache = None if flags.get("no_cache") else str(flags.get("cache") or default_path())
    return {"allow_code": bool(flags.get("allow_code")), "cache": cache}


@dataclass(frozen=True)
class WantedGrid:
    """What a sweep is asked for, as it was written, the grid that it makes, and ways left out for want of a part."""

    chunkers: tuple[Chunker, ...]
    sizes: str
    overlaps: str
    grid: Grid
    missing: tuple[str, ...] = ()
    indexes: tuple[DumpChunker, ...] = ()

    @property
    def settings(self) -> dict[str, object]:
        """What of it is kept with the result."""
        indexes = {"chunks": {str(index): index.path for index in self.indexes}} if self.indexes else {}
        named = {"chunk_fields": dict(self.indexes[0].fields)} if indexes and self.indexes[0].fields else {}
        return {
            "chunkers": [str(chunker) for chunker in self.chunkers if chunker not in self.indexes],
            **indexes,
            **named,
            "sizes": self.sizes,
            "overlaps": [entry.strip() for entry in self.overlaps.split(",")],
        }


def read_grid(
    flags: Mapping[str, Any],
    sizes: str | None = None,
    overlaps: str = DEFAULT_OVERLAPS,
    *,
    documents: Corpus | Sequence[Document] = (),
) -> WantedGrid:
    """Give the grid of a sweep; `sizes` and `overlaps` are those that stand where none are given.

    Which ways are compared where none is named depends on the documents; before they are read, all else is checked.

    Raises
    ------
    ChunkerError, GridError
        A chunker, a unit, sizes or overlaps that mean nothing.
    ConfigError
        The same, where it stands in the configuration.
    """
    missing: tuple[str, ...] = ()
    indexes = read_indexes(flags)
    is_run = bool(flags.get("runs")) and not flags["chunker"]
    if indexes and (is_run or [part.strip() for part in flags["chunker"]] == [NO_OTHER]):
        return WantedGrid(indexes, DEFAULT_SIZES, DEFAULT_OVERLAPS, Grid.of_cells(indexes), (), indexes)
    if not flags["chunker"] and not flags["unit"]:
        chunkers, missing = available_ways(documents)
    else:
        named = flags["chunker"] or [",".join(DEFAULT_WAYS)]
        chunkers = read_chunkers(named, flags["unit"], documents=documents, **splitter_settings(flags))
        missing = available_ways(documents)[1] if names_default_ways(named) else ()
    given = sizes if flags["sizes"] is None else flags["sizes"]
    if flags["sizes"] is not None:
        overlaps = DEFAULT_OVERLAPS
    overlaps = overlaps if flags["overlaps"] is None else flags["overlaps"]
    with naming_the_file("sizes"):
        parsed_sizes = None if given is None else parse_sizes(given)
    with naming_the_file("overlaps"):
        parsed_overlaps = parse_overlaps(overlaps)
    if flags["chunker"] and not names_default_ways(flags["chunker"]):
        grid = Grid.of(chunkers, parsed_sizes or parse_sizes(DEFAULT_SIZES), parsed_overlaps)
    else:
        grid = grid_of_ways(chunkers, parsed_sizes, parsed_overlaps)
    if indexes:
        grid = dataclasses.replace(grid, rows=(*Grid.of_cells(indexes).rows, *grid.rows))
    return WantedGrid((*indexes, *chunkers), given or DEFAULT_SIZES, overlaps, grid, missing, indexes)


def names_default_ways(chunker: Sequence[str]) -> bool:
    """Tell whether a list of chunkers has the default ways in it, which have sizes of their own."""
    return any(part.strip() == DEFAULT_WAYS_WORD for part in split_at_commas(",".join(chunker)))


def read_setting(flags: Mapping[str, Any]) -> tuple[Chunker, Overlap | None]:
    """Give the one chunker with its size, and its overlap as it was written.

    The overlap is None where the chunker is spelled with its own.

    Raises
    ------
    ChunkerError
        Several chunkers, no size where one is needed, or a size that is given twice.
    GridError
        An overlap that is none.

    Examples
    --------
    >>> chunker, overlap = read_setting({"chunker": ["sentence"], "unit": [], "size": "400", "overlap": "1/6"})
    >>> str(chunker), str(overlap)
    ('sentence(size=400, overlap=66)', '1/6')
    """
    indexes = read_indexes(flags)
    if indexes:
        named = [name for name in ("chunker", "size", "overlap", "unit") if flags[name] and not is_configured(name)]
        if named or len(indexes) > 1:
            raise usage_error(f"--chunks is one way of cutting; leave out {f'--{named[0]}' if named else 'the others'}")
        return indexes[0], None
    chunkers = read_chunkers(flags["chunker"], flags["unit"], **splitter_settings(flags))
    if len(chunkers) > 1:
        raise ChunkerError(f"one way of cutting is wanted, not {len(chunkers)}: {', '.join(map(str, chunkers))}")
    return _sized(chunkers[0], flags)


def read_settings(flags: Mapping[str, Any]) -> list[Chunker]:
    """Give each chunker with its size; a splitter that is given none keeps its own.

    Raises
    ------
    ChunkerError, GridError
        No size where one is needed, or one that means nothing.

    Examples
    --------
    >>> flags = {"chunker": ["textwrap:wrap,sentence(size=200),heading"], "unit": [], "size": None, "overlap": None}
    >>> [str(chunker) for chunker in read_settings(flags)]
    ['textwrap:wrap', 'sentence(size=200)', 'heading']
    """
    indexes = list(read_indexes(flags))
    if indexes and (not flags["chunker"] or is_configured("chunker")):
        return [*indexes]
    chunkers = read_chunkers(flags["chunker"], flags["unit"], **splitter_settings(flags))
    if indexes:
        return [*indexes, *(_sized_or_own(chunker, _taken_by(chunker, flags)) for chunker in chunkers)]
    if len(chunkers) == 1:
        return [_sized_or_own(chunkers[0], flags)]
    return [_sized_or_own(chunker, _taken_by(chunker, flags)) for chunker in chunkers]


def _taken_by(chunker: Chunker, flags: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out a size or an overlap that is meant for the others."""
    is_open = chunker.size is None
    size = flags["size"] if is_open and chunker.takes_size else None
    return {**flags, "size": size, "overlap": flags["overlap"] if is_open and chunker.takes_overlap else None}


def _sized_or_own(chunker: Chunker, flags: Mapping[str, Any]) -> Chunker:
    if flags["size"] is not None or not chunker.has_own_size:
        return _sized(chunker, flags)[0]
    return chunker if flags["overlap"] is None else chunker.at(chunker.size, _overlap(flags["overlap"]).at(0))


def _sized(chunker: Chunker, flags: Mapping[str, Any]) -> tuple[Chunker, Overlap | None]:
    """Give a chunker at the size and overlap that are asked for, and that overlap as it was written."""
    size, overlap = ((None if is_configured(name) else flags[name]) for name in ("size", "overlap"))
    if chunker.size is not None:
        if size not in (None, str(chunker.size)) or overlap not in (None, str(chunker.overlap)):
            raise ChunkerError(f"{chunker} has its size and overlap; leave out --size and --overlap")
        return chunker, None
    wanted = _size(flags["size"])
    if wanted is None:
        if chunker.needs_size:
            raise ChunkerError(f"{chunker} needs a size, such as --size 400")
        return (chunker if overlap is None else chunker.at(None, _overlap(overlap).at(0))), None
    with naming_the_file("overlap"):
        shared = _overlap("0" if flags["overlap"] is None else flags["overlap"])
    with naming_the_file("size", "overlap"):
        return chunker.at(wanted, shared.at(wanted)), shared


def read_why(wanted: WantedGrid, text: str, option: str = "--why") -> tuple[Chunker, ...]:
    """Give the settings that ``--why SIZE[/OVERLAP]`` asks about: each chunker of the grid at that size.

    Without an overlap it is each of the grid's.

    Examples
    --------
    >>> chunkers = read_chunkers(["fixed,sentence"], [])
    >>> grid = WantedGrid(chunkers, "100", "1/6", Grid.of(chunkers, "100", "1/6"))
    >>> [str(chunker) for chunker in read_why(grid, "300")]
    ['fixed(size=300, overlap=50)', 'sentence(size=300, overlap=50)']
    """
    unsized = tuple(dict.fromkeys(chunker.unsized for chunker in wanted.chunkers))
    sizable = [chunker for chunker in unsized if chunker.takes_size]
    size, slash, overlap = text.partition("/")
    if size.strip().lower() == WHOLE:
        sections = tuple(chunker for chunker in unsized if not chunker.needs_size)
        if slash or not sections:
            raise GridError(f"{option} {text}: whole sections are made by the chunker heading, and have no overlap")
        return sections
    if not _is_number(size) or (slash and not overlap):
        raise GridError(f"{option} {text}: not a setting; write SIZE or SIZE/OVERLAP, such as 300, 300/50 or 300/15%")
    if overlap:
        shares = [_overlap(overlap).at(int(size))]
    else:
        shares = [one.at(int(size)) for one in parse_overlaps(wanted.overlaps)]
        shares = [share for share in shares if share < int(size)] or shares
    return tuple(dict.fromkeys(chunker.at(int(size), share) for chunker in sizable for share in shares))


def load_units(*names: str | None) -> None:
    """Load what is counted in: what is not installed is said before anything is read."""
    for name in dict.fromkeys(names):
        if name is not None:
            get_unit(name).measure("")


def _entries(text: str, option: str) -> list[str]:
    entries = [entry.strip() for entry in text.split(",")]
    if not all(entries):
        raise ChunkerError(f"{option} {text!r}: an entry is empty")
    return list(dict.fromkeys(entries))


def _size(text: str | None) -> int | None:
    if text is None or text.strip().lower() == WHOLE:
        return None
    if not _is_number(text.strip().removeprefix("-")):
        raise ChunkerError(f"--size {text[:MOST_DIGITS]}: not a whole number")
    return int(text)


def _overlap(text: str) -> Overlap:
    written = parse_overlaps(text, "--overlap")
    if len(written) != 1:
        raise GridError(f"--overlap {text}: one overlap is wanted, not {len(written)}")
    return written[0]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
