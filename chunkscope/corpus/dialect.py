"""Which dialects of Markdown there are, and by what stands next to documents theirs is known.

What each of their habits looks like, and how it is read, stands in `chunkscope.structure.dialects`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from chunkscope.corpus.places import is_url
from chunkscope.errors import ConfigError, did_you_mean

AUTO = "auto"
"""The dialect of a document for which its name and its own marks decide."""

_EVERYWHERE = frozenset({"callouts", "formulas"})
DIALECTS: Mapping[str, frozenset[str]] = {
    "commonmark": frozenset(),
    "github": _EVERYWHERE,
    "mkdocs": _EVERYWHERE | {"admonitions", "containers", "slashes"},
    "docusaurus": _EVERYWHERE | {"containers", "mdx"},
    "vitepress": _EVERYWHERE | {"containers"},
    "mdx": _EVERYWHERE | {"containers", "mdx"},
    "obsidian": _EVERYWHERE | {"comments"},
    "hugo": _EVERYWHERE | {"shortcodes"},
    "liquid": _EVERYWHERE | {"liquid"},
}
"""The habits that each dialect has besides CommonMark and the tables of GFM."""

CONFIGURATIONS: Mapping[str, str] = {
    **dict.fromkeys(("mkdocs.yml", "mkdocs.yaml", "zensical.toml"), "mkdocs"),
    **{f"docusaurus.config.{kind}": "docusaurus" for kind in ("js", "ts", "mjs", "cjs", "mts")},
    ".vitepress": "vitepress",
    **dict.fromkeys(("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json"), "hugo"),
    ".obsidian": "obsidian",
    **dict.fromkeys(("_config.yml", ".gitbook.yaml"), "liquid"),
}
"""Which dialect documents have that such a file or folder stands next to, or above."""

_FOLDERS_ABOVE = 4
_SITE_FOLDERS = ("", "website")


def find_dialect(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Find the dialect of the documents at a path by what stands next to them, or above; nothing is read.

    Returns
    -------
    (str, str)
        The dialect, and the file or folder that shows it: `AUTO` and nothing where there is none.
    """
    if is_url(os.fspath(path)):
        return AUTO, ""
    folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path))
    for _ in range(1 + _FOLDERS_ABOVE):
        for site in _SITE_FOLDERS:
            for name, dialect in CONFIGURATIONS.items():
                found = os.path.join(folder, site, name)
                if os.path.exists(found):
                    return dialect, found
        if os.path.exists(os.path.join(folder, ".git")) or os.path.dirname(folder) == folder:
            break
        folder = os.path.dirname(folder)
    return AUTO, ""


def check_dialect(name: str) -> None:
    """Raise a `ConfigError` where there is no such dialect."""
    if name != AUTO and name not in DIALECTS:
        hint = did_you_mean(name, DIALECTS)
        raise ConfigError(f"there is no dialect {name!r}; {f'{hint} ' if hint else ''}there are {', '.join(DIALECTS)}")


def of_document(name: str, dialect: str) -> frozenset[str] | None:
    """Give the habits of a document; None where its marks decide.

    Examples
    --------
    >>> sorted(of_document("a.md", "hugo")), of_document("a.md", "auto")
    (['callouts', 'formulas', 'shortcodes'], None)
    >>> "mdx" in of_document("a.mdx", "auto")
    True
    """
    if dialect != AUTO:
        return DIALECTS[dialect]
    return DIALECTS["mdx"] if name.lower().endswith(".mdx") else None
