"""Which ways of cutting the command line and the configuration ask for."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from chunkscope.chunkers import Chunker, HeadingChunker, TokenChunker, parse_chunker
from chunkscope.cli.options import DEFAULT_CHUNKER
from chunkscope.config import Config
from chunkscope.errors import ChunkerError, ChunkscopeError, ConfigError, GridError
from chunkscope.grid.notation import DEFAULT_OVERLAPS, DEFAULT_SIZES, LONGEST_ENTRY, Grid, parse_overlaps, parse_sizes
from chunkscope.structure.units import get_unit

_BETWEEN = re.compile(r",(?![^()]*\))")
_OWN_UNIT = re.compile(r"[(,]\s*unit\s*=")
WHOLE = "none"
"""How the command line writes the size of whole sections."""


def read_ways(config: Config, chunker: Sequence[str], unit: Sequence[str]) -> tuple[Chunker, ...]:
    """Give each way of cutting in each unit.

    Parameters
    ----------
    config : Config
    chunker, unit : sequences of str
        Comma lists, as they were given; empty: what the configuration says.

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
    >>> [f"{way} in {way.unit}" for way in read_ways(Config(), ["fixed,token"], ["char,o200k_base"])]
    ['fixed in char', 'fixed(unit=o200k_base) in o200k_base', 'token(unit=o200k_base) in o200k_base']
    """
    # an empty value is no absent one: it comes from a variable that is not set
    spelled = config.choose("chunker", ",".join(chunker) if chunker else None, DEFAULT_CHUNKER)
    listed = config.choose("unit", ",".join(unit) if unit else None, None)
    with told_of(config, "unit", unit):
        units = _entries(listed, "--unit") if listed is not None else []
        for name in units:
            get_unit(name)
    ways: dict[Chunker, None] = {}
    used: set[str] = set()
    picky: list[TokenChunker] = []
    with told_of(config, "chunker", chunker):
        for part in _BETWEEN.split(spelled):
            way = parse_chunker(part)
            if not units or _OWN_UNIT.search(part):
                ways[way] = None
                continue
            fitting = [name for name in units if not isinstance(way, TokenChunker) or name not in ("char", "word")]
            if isinstance(way, TokenChunker):
                picky.append(way)
            used.update(fitting)
            ways.update((dataclasses.replace(way, unit=name), None) for name in fitting)
            if not fitting:
                ways[way] = None  # tokens are counted in the default encoding
    unused = [name for name in units if name not in used]
    if unused and unit and picky:
        dataclasses.replace(picky[0], unit=unused[0])  # says why it cannot
    for way in ways:
        get_unit(way.unit)
    return tuple(ways)


@dataclass(frozen=True)
class WantedGrid:
    """What a sweep is asked for, as it was written, and the grid that it makes."""

    ways: tuple[Chunker, ...]
    sizes: str
    overlaps: str
    grid: Grid

    @property
    def settings(self) -> dict[str, object]:
        """What of it is kept with the result."""
        return {
            "chunkers": [str(way) for way in self.ways],
            "sizes": self.sizes,
            "overlaps": [entry.strip() for entry in self.overlaps.split(",")],
        }


def read_grid(
    config: Config, chunker: Sequence[str], unit: Sequence[str], sizes: str | None, overlaps: str | None
) -> WantedGrid:
    """Give the grid of a sweep.

    Raises
    ------
    ChunkerError, GridError
        A chunker, a unit, sizes or overlaps that mean nothing.
    ConfigError
        The same, where it stands in the configuration.
    """
    ways = read_ways(config, chunker, unit)
    sized = config.choose("sizes", sizes, DEFAULT_SIZES)
    overlapping = config.choose("overlaps", overlaps, DEFAULT_OVERLAPS)
    with told_of(config, "sizes", sizes):
        parse_sizes(sized)
    with told_of(config, "overlaps", overlaps):
        parse_overlaps(overlapping)
    return WantedGrid(ways, sized, overlapping, Grid.of(ways, sized, overlapping))


def read_way(
    config: Config, chunker: Sequence[str], unit: Sequence[str], size: str | None, overlap: str | None
) -> Chunker:
    """Give the one way of cutting with its size.

    Raises
    ------
    ChunkerError
        Several ways, no size where one is needed, or a size that is given twice.
    GridError
        An overlap that is none.

    Examples
    --------
    >>> str(read_way(Config(size=400), ["sentence"], [], None, "1/6"))
    'sentence(size=400, overlap=66)'
    """
    ways = read_ways(config, chunker, unit)
    if len(ways) > 1:
        raise ChunkerError(f"one way of cutting is wanted, not {len(ways)}: {', '.join(map(str, ways))}")
    way = ways[0]
    if way.size is not None:
        if size not in (None, str(way.size)) or overlap not in (None, str(way.overlap)):
            raise ChunkerError(f"{way} has its size and overlap; leave out --size and --overlap")
        return way
    wanted = _size(config, size)
    may_be_whole = isinstance(way, HeadingChunker) and not way.merge
    if wanted is None:
        if not may_be_whole:
            raise ChunkerError(f"{way} needs a size, such as --size 400")
        return way if overlap is None else way.at(None, _overlap(overlap, 0))
    with told_of(config, "overlap", overlap):
        shared = _overlap(config.choose("overlap", overlap, "0"), wanted)
    with told_of(config, "size", size) if size is None else told_of(config, "overlap", overlap):
        return way.at(wanted, shared)


def read_why(grid: Grid, text: str) -> tuple[Chunker, ...]:
    """Give the settings that ``--why SIZE[/OVERLAP]`` asks about: each way of cutting of the grid at that size.

    Without an overlap it is each of the grid's.

    Examples
    --------
    >>> [str(way) for way in read_why(Grid.of("fixed,sentence", "100", "1/6"), "300")]
    ['fixed(size=300, overlap=50)', 'sentence(size=300, overlap=50)']
    """
    families = tuple(dict.fromkeys(chunker.at(None) for chunker in grid.chunkers))
    size, slash, overlap = text.partition("/")
    if size.strip().lower() == WHOLE:
        sections = tuple(way for way in families if isinstance(way, HeadingChunker) and not way.merge)
        if slash or not sections:
            raise GridError(f"--why {text}: whole sections are made by the chunker heading, and have no overlap")
        return sections
    if not _is_number(size) or (slash and not overlap):
        raise GridError(f"--why {text}: not a setting; write SIZE or SIZE/OVERLAP, such as 300, 300/50 or 300/15%")
    written = [overlap] if overlap else grid.overlaps
    shares = [_overlap(one, int(size)) for one in written]
    if not overlap:
        shares = [share for share in shares if share < int(size)] or shares
    return tuple(dict.fromkeys(way.at(int(size), share) for way in families for share in shares))


@contextmanager
def told_of(config: Config, key: str, flag: object) -> Iterator[None]:
    """Name the configuration file in what is wrong with one of its settings."""
    try:
        yield
    except ChunkscopeError as error:
        if origin := config.origin(key, flag or None):
            raise ConfigError(f"{origin}{error}") from error
        raise


def _entries(text: str, option: str) -> list[str]:
    entries = [entry.strip() for entry in text.split(",")]
    if not all(entries):
        raise ChunkerError(f"{option} {text!r}: an entry is empty")
    return list(dict.fromkeys(entries))


def _size(config: Config, flag: str | None) -> int | None:
    if flag is None:
        return config.size
    if flag.strip().lower() == WHOLE:
        return None
    if not _is_number(flag.strip().removeprefix("-")):
        raise ChunkerError(f"--size {flag}: not a whole number")
    return int(flag)


def _overlap(text: str, size: int) -> int:
    written = parse_overlaps(text, "--overlap")
    if len(written) != 1:
        raise GridError(f"--overlap {text}: one overlap is wanted, not {len(written)}")
    return written[0].at(size)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_ENTRY
