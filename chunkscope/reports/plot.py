"""The pictures of a result as one file for a slide: PNG or SVG."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from chunkscope.errors import InputError, MissingPartError
from chunkscope.grid.results import SweepResult
from chunkscope.language import Language
from chunkscope.reports.drawing import to_svg
from chunkscope.reports.figures import FONT, Figure, figures_of

KINDS = ("answered", "cut", "heat")
"""What is on it: the curves, and all settings as fields."""
INK, PAPER = "#1c1e21", "#ffffff"
SCALE = 2.0
"""Pixels of a PNG for each unit of length, so that it is sharp on a large screen."""
KANA, NOBODY = "あ永", "\U0010fffd\U0010fffc"
"""Characters of Japanese, and as many that no font has."""
CJK_FONTS = (
    *("Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "IPAGothic", "Hiragino Sans", "Yu Gothic", "Meiryo"),
    *("MS Gothic", "TakaoGothic", "VL Gothic", "Droid Sans Fallback"),
)


def check_plot(path: str) -> None:
    """Refuse a file of another kind, before the work begins.

    Raises
    ------
    InputError
        It is called neither ``.png`` nor ``.svg``.
    MissingPartError
        vl-convert is not installed.
    """
    if _suffix(path) not in (".png", ".svg"):
        raise InputError(f"--plot {path}: name a file that ends in .png or .svg")
    _vl_convert()


def plot(result: SweepResult, path: str, lang: Language = "en") -> bytes:
    """Draw the curves and the heat map of a result.

    Parameters
    ----------
    result : SweepResult
    path : str
        Its suffix says what is made: ``.png`` or ``.svg``.
    lang : {"en", "ja"}

    Returns
    -------
    bytes

    Raises
    ------
    InputError
        Another suffix, nothing to draw, or Japanese in it and no font for it on this machine: PNG only, for an SVG is
        drawn by whoever shows it.
    MissingPartError
        vl-convert is not installed.

    Examples
    --------
    >>> from chunkscope import Document, sweep
    >>> result = sweep([Document("a.md", "One. Two.")], chunkers="fixed", sizes=[2, 4], overlaps=[0])
    >>> plot(result, "cuts.png")[:4]
    b'\\x89PNG'
    """
    check_plot(path)
    figures = [figure for figure in figures_of(result, lang) if figure.kind in KINDS]
    if not figures:
        raise InputError(f"--plot {path}: there is nothing to draw; it needs settings of several sizes")
    svg = to_svg(_stacked(figures, lang)).replace("currentColor", INK)
    if _suffix(path) == ".svg":
        return (svg + "\n").encode()
    if _is_japanese(svg) and not is_drawn(KANA):
        raise InputError(
            f"--plot {path}: this machine has no font with Japanese; install one, such as fonts-noto-cjk, or write .svg"
        )
    png: bytes = _vl_convert().svg_to_png(svg, scale=SCALE)
    return png


def is_drawn(text: str) -> bool:
    """Tell whether a font of this machine has the characters of a text: else boxes stand for all of them alike.

    Examples
    --------
    >>> is_drawn("ab"), is_drawn("\\U0010fffd\\U0010fffc")
    (True, False)
    """
    return len({_drawn(one) for one in (text, NOBODY)}) == 2 and _drawn(text) != _drawn("")


def _drawn(text: str) -> bytes:
    found: bytes = _vl_convert().svg_to_png(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30">'
        f'<text y="22" font-size="20" font-family="{FONT}">{text}</text></svg>'
    )
    return found


def _is_japanese(text: str) -> bool:
    return any("\u3040" <= character <= "\u9fff" for character in text)


def _stacked(figures: Sequence[Figure], lang: Language) -> dict[str, Any]:
    """Put pictures one below the other, each with its title."""
    # what the first font lacks is drawn in any other, so that for Japanese one that has it comes first
    font = f"{', '.join(CJK_FONTS)}, {FONT}" if lang == "ja" else FONT
    parts = []
    for figure in figures:
        spec = {name: value for name, value in figure.spec.items() if name not in ("$schema", "background", "config")}
        title = {"text": figure.title, "anchor": "start", "fontSize": 16, "color": INK, "font": font, "offset": 12}
        parts.append({**spec, "title": title})
    whole = figures[0].spec
    config = {**whole["config"], "font": font}
    for part in ("axis", "legend", "header"):
        fonts = {name: font for name in config[part] if name.endswith("Font")}
        config[part] = {**config[part], **fonts}
    return {
        "$schema": whole["$schema"],
        "background": PAPER,
        "padding": 24,
        "spacing": 36,
        "vconcat": parts,
        "resolve": {
            "scale": {"color": "independent", "strokeDash": "independent"},
            "legend": {"color": "independent", "strokeDash": "independent"},
        },
        "config": config,
    }


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _vl_convert() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingPartError("--plot needs vl-convert: pip install 'chunkscope[report]'") from None
    return vl_convert
