"""A comparison for people: what may have done it, and what changed, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator

from chunkscope.grid.comparison import CellChange, Comparison
from chunkscope.reports.formatting import plural
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, GREEN, RED, painted, wrap

INDENT = "  "
MOST_CELLS = 12

MOVES = (
    ("became_split", "became split", RED),
    ("became_whole", "whole again", GREEN),
    ("became_header_lost", "separated from the header", RED),
    ("became_with_header", "with the header again", GREEN),
)


def render_comparison(
    comparison: Comparison, *, width: int = 80, all_rows: bool = False, color: bool = False, ascii: bool = False
) -> str:
    """Write a comparison for people: warnings first, then the cells that changed.

    Parameters
    ----------
    comparison : Comparison
        What changed.
    width : int
        Terminal cells in a line.
    all_rows : bool
        Every cell that changed, not only the first of them.
    color, ascii : bool
        With ANSI colours; without marks beyond ASCII.

    Returns
    -------
    str
        Lines, each with its end.
    """
    lines = wrap(f"{visible(comparison.old_path)} -> {visible(comparison.new_path)}", width, rest=INDENT)
    if len(comparison.differences) == 1:
        lines += wrap(f"differs: {visible(str(comparison.differences[0]))}", width, rest=INDENT)
    for warning in comparison.warnings:
        lines += wrap(f"warning: {visible(warning)}", width, rest=INDENT)
    changed = [cell for cell in comparison.cells if not cell.is_same]
    # what questions became comes first; the rest of a large grid is counted
    changed.sort(key=lambda cell: not any(getattr(cell, name) for name, _, _ in MOVES))
    shown = changed if all_rows else changed[:MOST_CELLS]
    for cell in shown:
        lines += ["", *_cell(cell, width, color)]
    if len(changed) > len(shown):
        lines += ["", f"{len(changed) - len(shown):,} more changed; --all shows them"]
    told = f"{plural(len(changed), 'cell')} of {len(comparison.cells):,} changed" if changed else "nothing changed"
    rest = [
        f"{plural(n, 'cell')} only in {visible(path)}"
        for n, path in ((comparison.only_old, comparison.old_path), (comparison.only_new, comparison.new_path))
        if n
    ]
    lines += ["", *wrap("; ".join([told, *rest]), width, rest=INDENT)]
    return "\n".join(lines) + "\n"


def _cell(cell: CellChange, width: int, color: bool) -> Iterator[str]:
    old, new = _name(cell.old), _name(cell.new)
    title = visible(new if old == new else f"{old} -> {new}")
    for line in wrap(title, width, rest=INDENT):
        yield painted(line, BOLD, color)
    for name, told, style in MOVES:
        ids = getattr(cell, name)
        if ids:
            for line in wrap(f"{told}: {', '.join(visible(one) for one in ids)}", width, first=INDENT, rest=INDENT * 2):
                yield painted(line, style, color)
    counts = [f"{name} {_value(old)} -> {_value(new)}" for name, (old, new) in cell.changed.items()]
    if counts:
        yield from wrap("; ".join(counts), width, first=INDENT, rest=INDENT * 2)


def _name(cell: object) -> str:
    if not isinstance(cell, dict):
        return ""
    size = "whole sections" if cell["size"] is None else f"{cell['size']}/{cell['overlap']}"
    return f"{cell['chunker']} {size}" + ("" if cell["unit"] == "char" else f" in {cell['unit']}")


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return "/".join(map(str, value))
    return "n/a" if value is None else str(value)
