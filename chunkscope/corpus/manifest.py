"""Where documents come from: the manifest that `chunkscope convert` writes, and the page of an offset.

The manifest is ``chunkscope-manifest.json`` in the folder that was written to. It is no document. Findings name pages
by it as long as a document is what was written: its digest is compared.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from chunkscope.errors import InputError, os_reason
from chunkscope.language import Text, say

MANIFEST = "chunkscope-manifest.json"
FORMAT = 1

Label = int | str
Unit = Literal["page", "slide", "sheet"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True, slots=True)
class Origin:
    """The file that a document was made of, and where its pages begin.

    Attributes
    ----------
    source : str
        The file as findings name it: its path below the folder that was converted, with ``/``.
    unit : {"page", "slide", "sheet"} or None
        None where the source has no parts that people could name.
    labels : tuple of int or str
        Numbers of pages and slides, names of sheets.
    starts : tuple of int
        Where each begins, in code points of the document. They never fall; a page without text begins where the next
        one does.

    Examples
    --------
    >>> report = Origin("report.pdf", "page", (1, 2, 3), (0, 250, 250))
    >>> report.place(249), report.place(250)
    ('report.pdf, page 1', 'report.pdf, page 3')
    """

    source: str
    unit: Unit | None = None
    labels: tuple[Label, ...] = ()
    starts: tuple[int, ...] = ()

    def label_at(self, offset: int) -> Label | None:
        """Give the number or name of the part in which an offset stands; None where there are none."""
        return self.labels[max(bisect_right(self.starts, offset) - 1, 0)] if self.starts else None

    def at(self, offset: int) -> dict[str, Label]:
        """Give the file, and the part of it in which an offset stands, as rows of chunks have them.

        Examples
        --------
        >>> Origin("report.pdf", "page", (1, 2), (0, 250)).at(300)
        {'file': 'report.pdf', 'page': 2}
        """
        label = self.label_at(offset)
        return {"file": self.source} | ({} if label is None or self.unit is None else {self.unit: label})

    def place(self, offset: int) -> Text | str:
        """Say in which file, and on which page of it, an offset stands."""
        label = self.label_at(offset)
        if label is None:
            return self.source
        if self.unit == "slide":
            return say("{source}, slide {n}", source=self.source, n=label)
        if self.unit == "sheet":
            return say("{source}, sheet {name}", source=self.source, name=label)
        return say("{source}, page {n}", source=self.source, n=label)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that was converted.

    Attributes
    ----------
    source : str
        The path that leads to it from the manifest's folder, with ``/``.
    sha256 : str
        Of the source, in hex.
    output : str
        Its Markdown file, relative to the manifest's folder, with ``/``.
    output_sha256 : str
    converter, version : str
        What converted it.
    origin : Origin
    """

    source: str
    sha256: str
    output: str
    output_sha256: str
    converter: str
    version: str
    origin: Origin

    def to_dict(self) -> dict[str, object]:
        """Give it as the manifest has it."""
        origin = self.origin
        pages = zip(origin.labels, origin.starts, strict=True)
        return {
            "source": self.source,
            "sha256": self.sha256,
            "output": self.output,
            "output_sha256": self.output_sha256,
            "converter": self.converter,
            "version": self.version,
            "pages": [{origin.unit: label, "start": start} for label, start in pages],
        }


def output_name(source: str) -> str:
    """Give the name of the Markdown file of a source.

    The suffix of the source stays in it, so that a PDF and a Word file of one name are two documents.

    Examples
    --------
    >>> output_name("rules/travel.pdf"), source_name("rules/travel.pdf.md")
    ('rules/travel.pdf.md', 'rules/travel.pdf')
    """
    return f"{source}.md"


def source_name(output: str) -> str:
    """Give what findings call the source of a Markdown file."""
    stem = output.removesuffix(".md")
    return stem if "." in stem.rsplit("/", 1)[-1] else output


def manifest_text(entries: Mapping[str, Entry]) -> str:
    """Write a manifest: an entry a line, sorted by their outputs."""
    lines = [json.dumps(entries[output].to_dict(), ensure_ascii=False) for output in sorted(entries)]
    body = ",\n".join(lines)
    return f'{{"format": {FORMAT}, "files": [\n{body}\n]}}\n'


def read_manifest(path: str) -> dict[str, Entry]:
    """Read a manifest: its entries by their outputs.

    Raises
    ------
    InputError
        It cannot be opened, or is no manifest that this version knows.
    """
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is no JSON, and so no manifest") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT or not isinstance(record.get("files"), list):
        raise InputError(f"{path}: is no manifest of format {FORMAT}")
    entries = {}
    for number, one in enumerate(record["files"], 1):
        try:
            entry = _entry(one)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path}: file {number}: {error.args[0] if error.args else 'is no entry'}") from None
        entries[entry.output] = entry
    return entries


def _entry(record: Any) -> Entry:
    texts = {name: record[name] for name in ("source", "sha256", "output", "output_sha256", "converter", "version")}
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("source, output, digests, converter and version must be strings")
    steps = texts["output"].split("/")
    if not texts["output"] or os.path.isabs(texts["output"]) or {"", ".", ".."} & set(steps) or "\\" in texts["output"]:
        raise ValueError(f"output {texts['output']!r} is no path below the manifest")
    pages = record["pages"]
    unit = next((unit for unit in UNITS if pages and unit in pages[0]), None)
    labels = tuple(page[unit] for page in pages)
    starts = tuple(page["start"] for page in pages)
    if not all(isinstance(start, int) for start in starts) or list(starts) != sorted(starts):
        raise ValueError("the starts of pages must be numbers that never fall")
    if not all(isinstance(label, int | str) for label in labels):
        raise ValueError("pages must be numbers, or names")
    origin = Origin(source_name(texts["output"]), unit, labels, starts)
    return Entry(**texts, origin=origin)


Origins = dict[str, tuple[str, Origin]]
"""For each document the digest of what was written, and where it comes from."""


def find_origins(root: str, below: Sequence[str] = ()) -> tuple[Origins, list[str]]:
    """Read the manifests of a folder: that in it or the nearest above, and those below it.

    Parameters
    ----------
    root : str
        A folder.
    below : sequence of str
        Names of the folders in it that have one, each with a ``/`` behind it.

    Returns
    -------
    (Origins, list of str)
        By the names of documents in the folder; and what is wrong with the manifests.
    """
    home = nearest_manifest(root)
    homes = [(os.path.join(root, prefix), prefix, "") for prefix in below]
    if home is not None:
        inside = os.path.relpath(os.path.abspath(root), home).replace(os.sep, "/")
        homes.append((home, "", "" if inside == os.curdir else f"{inside}/"))
    origins: Origins = {}
    troubles: list[str] = []
    for folder, prefix, stripped in homes:
        try:
            entries = read_manifest(os.path.join(folder, MANIFEST))
        except InputError as error:
            troubles.append(say("{text}; findings name no pages", text=str(error)))
            continue
        for output, entry in entries.items():
            if output.startswith(stripped):
                origins[prefix + output[len(stripped) :]] = (entry.output_sha256, entry.origin)
    return origins, troubles


def nearest_manifest(folder: str) -> str | None:
    """Give the folder that has a manifest: this one, or the nearest above. A link is none."""
    here = os.path.abspath(folder)
    while True:
        path = os.path.join(here, MANIFEST)
        if os.path.isfile(path) and not os.path.islink(path):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above
