"""Settings of a grid in words: one cell, many cells, the values of a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from chunkscope.errors import unit_noun
from chunkscope.grid.advice import FLOOR, START, TRY
from chunkscope.grid.pairing import Difference, PlacedCell
from chunkscope.language import Text, say


def unsized_words(chunker: str) -> Text:
    """Name a way of cutting that has no size: sections are whole, a splitter or an index is what it is.

    Examples
    --------
    >>> unsized_words("heading"), unsized_words("my_pipeline:split")
    ('heading, whole sections', 'my_pipeline:split')
    """
    if chunker.startswith("heading"):
        return say("{chunker}, whole sections", chunker=chunker)
    return say("{chunker}", chunker=chunker)


def setting_words(cell: Mapping[str, Any]) -> Text:
    """Name a setting.

    Examples
    --------
    >>> setting_words({"chunker": "fixed", "unit": "word", "size": 300, "overlap": 50})
    'fixed 300/50 in words'
    >>> setting_words({"chunker": "heading", "unit": "char", "size": None, "overlap": None})
    'heading, whole sections'
    """
    chunker = str(cell["chunker"])
    if cell["size"] is None:
        return unsized_words(chunker)
    size = f"{cell['size']}/{cell['overlap']}"
    if cell["unit"] == "char":
        return say("{chunker} {size}", chunker=chunker, size=size)
    return say("{chunker} {size} in {unit}", chunker=chunker, size=size, unit=unit_noun(str(cell["unit"])))


def advice_words(advice: Mapping[str, Any] | None) -> Text:
    """Name what a result advises, as its JSON has it."""
    if advice is None:
        return say("none")
    setting = setting_words({name: advice.get(name) for name in ("chunker", "unit", "size", "overlap")})
    if advice.get("prepend"):
        setting = say("{setting} + prepend={prepend}", setting=setting, prepend=str(advice["prepend"]))
    if advice.get("kind") == START:
        return say("start {setting}", setting=setting)
    if advice.get("kind") == FLOOR:
        return say("floor {setting}", setting=setting)
    if advice.get("kind") == TRY:
        return say("try {setting}", setting=setting)
    return say("pick {setting}", setting=setting)


def grid_change(change: Difference) -> Text:
    """Say how the values of a parameter have changed.

    Examples
    --------
    >>> grid_change(Difference("size", [100, 200, 300], [200, 300, None]))
    'sizes 100..300:100 -> 200, 300, whole sections'
    """
    old, new = _values(change.old), _values(change.new)
    if change.name == "chunker":
        return say("chunkers {old:, } -> {new:, }", old=old, new=new)
    if change.name == "unit":
        return say("units {old:, } -> {new:, }", old=old, new=new)
    if change.name == "size":
        return say("sizes {old:, } -> {new:, }", old=old, new=new)
    return say("overlaps {old:, } -> {new:, }", old=old, new=new)


def _values(values: Sequence[object]) -> list[str]:
    numbers = sorted(value for value in values if isinstance(value, int))
    others = [str(value) for value in values if not isinstance(value, int) and value is not None]
    return [*ranges(numbers), *others, *([say("whole sections")] if None in values else [])]


def ranges(numbers: Sequence[int]) -> list[str]:
    """Write numbers as ``--sizes`` reads them: from three with one step on, a range.

    Examples
    --------
    >>> ranges([50, 60, 70, 80, 100, 200, 300, 1000])
    ['50..80', '100..300:100', '1000']
    """
    found, place = [], 0
    while place < len(numbers):
        step = numbers[place + 1] - numbers[place] if place + 1 < len(numbers) else 0
        end = place
        while end + 1 < len(numbers) and numbers[end + 1] - numbers[end] == step:
            end += 1
        if end - place >= 2:
            found.append(f"{numbers[place]}..{numbers[end]}" + ("" if step == 10 else f":{step}"))
            place = end + 1
        else:
            found.append(str(numbers[place]))
            place += 1
    return found


def cell_runs(cells: Sequence[PlacedCell]) -> Iterator[Text]:
    """Name cells, those of one chunker, unit and overlap together.

    Examples
    --------
    >>> cells = [{"chunker": "fixed", "unit": "char", "size": size, "overlap": 0} for size in (100, 200, 300)]
    >>> list(cell_runs([PlacedCell(cell, "0") for cell in cells]))
    ['fixed 100..300:100, overlap 0']
    """

    def line(placed: PlacedCell) -> tuple[str, ...]:
        return tuple(str(placed.parameter(name)) for name in ("chunker", "unit", "overlap"))

    for (chunker, unit, overlap), run in groupby(sorted(cells, key=line), key=line):
        sizes = [placed.cell["size"] for placed in run]
        if None in sizes:
            yield unsized_words(chunker)
            continue
        listed = ranges(sorted(sizes))
        if unit == "char":
            yield say("{chunker} {sizes:, }, overlap {overlap}", chunker=chunker, sizes=listed, overlap=overlap)
        else:
            yield say(
                "{chunker} {sizes:, } in {unit}, overlap {overlap}",
                chunker=chunker,
                sizes=listed,
                unit=unit_noun(unit),
                overlap=overlap,
            )
