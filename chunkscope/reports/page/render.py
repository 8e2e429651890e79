"""The page as HTML: one file, the same bytes for the same page, in which nothing runs but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from itertools import groupby
from typing import Any

from chunkscope.errors import MissingPartError
from chunkscope.language import in_language
from chunkscope.reports.drawing import to_svg
from chunkscope.reports.figures import Figure
from chunkscope.reports.page.data import Page
from chunkscope.reports.page.template_words import TEMPLATE_WORDS
from chunkscope.reports.visible import harmless_json

TEMPLATE, STYLE, SCRIPT = "page.html", "page.css", "page.js"


def render_page(page: Page) -> str:
    """Write a page.

    Returns
    -------
    str
        HTML that fetches nothing. What documents and questions hold stands in it as text, or in blocks of JSON in which
        no tag can begin; the browser is told to run no script but that of the page.

    Raises
    ------
    MissingPartError
        jinja2 or vl-convert is not installed.
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise MissingPartError("the page needs jinja2: pip install 'chunkscope[report]'") from None
    style, script = _own(STYLE), _own(SCRIPT)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_own(TEMPLATE))
    return template.render(
        page=page,
        words={name: in_language(text, page.lang) for name, text in TEMPLATE_WORDS.items()},
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        figures=_by_kind([(figure, Markup(to_svg(figure.spec))) for figure in page.figures]),
        data=Markup(script_json(page.data)),
        documents=[Markup(script_json(one)) for one in page.documents],
    )


def _by_kind(figures: Sequence[tuple[Figure, str]]) -> list[list[tuple[Figure, str]]]:
    """Put pictures of one kind together, which have one title and one caption."""
    return [list(found) for _, found in groupby(figures, key=lambda pair: pair[0].kind)]


def script_json(value: Any) -> str:
    r"""Write JSON that can stand in a script element: no tag and no comment can begin or end in it.

    Examples
    --------
    >>> print(script_json({"text": "</script><!--\u2028&"}))
    {"text":"\u003c/script\u003e\u003c!--\u2028\u0026"}
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return harmless_json(text)


def _own(name: str) -> str:
    return (resources.files("chunkscope.reports.page") / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Allow the page its own style and script, by their digests, and nothing else."""
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
