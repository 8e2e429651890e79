"""Pictures drawn by Vega-Lite, through vl-convert: nothing is fetched, and no browser is needed."""

from __future__ import annotations

import json
import re
from typing import Any

from chunkscope.errors import MissingPartError

_MARK = re.compile(r' aria-label="(cell|line)-(\d+)"')
_PLACES = re.compile(r' (?:d|transform|x2|y2)="[^"]*"')
_FURTHER_DIGITS = re.compile(r"(\.\d\d)\d+")
_SPOKEN = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')


def to_svg(spec: dict[str, Any]) -> str:
    """Draw a picture as SVG: the same text for the same picture.

    Marks whose description is ``cell-7`` get the attribute ``data-cell="7"``, and those of a line ``data-line``. What
    else would be read aloud is left out: whoever shows the picture says in words what it is. A hundredth of a pixel is
    precise enough, and half as long.

    Raises
    ------
    MissingPartError
        vl-convert is not installed.
    """
    try:
        import vl_convert
    except ImportError:
        raise MissingPartError("pictures need vl-convert: pip install 'chunkscope[report]'") from None
    svg: str = vl_convert.vegalite_to_svg(json.dumps(spec, ensure_ascii=False, allow_nan=False))
    svg = _SPOKEN.sub("", _MARK.sub(r' data-\1="\2"', svg))
    return _PLACES.sub(lambda place: _FURTHER_DIGITS.sub(r"\1", place[0]), svg)
