"""A baseline: findings that are known and accepted for now, so that only new ones fail a check."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunkscope._version import __version__
from chunkscope.corpus.json_lines import read_stored
from chunkscope.errors import InputError
from chunkscope.gate.result import CODES, Recognised
from chunkscope.measures.findings import Finding

FORMAT = 1
"""Version of the file. Later formats only add.

1: `kind`, `setting`, `findings` with `document`, `code`, `quote` and `count`.
"""
KIND = "chunkscope-baseline"
OF_QUESTIONS = (*CODES["min_recall"], *CODES["max_more_lost"])
"""Findings of which a question has one, whatever its evidence."""


@dataclass(frozen=True)
class Baseline:
    """Known findings. The same quote may stand, and be cut, at several places of a document.

    Attributes
    ----------
    known : mapping
        How many findings of a document, code and quote are known.
    setting : str
        The chunker with which they were found.
    path : str
        Where it was read from.
    """

    known: Mapping[Recognised, int] = field(default_factory=dict)
    setting: str = ""
    path: str = ""

    @classmethod
    def of(cls, findings: Iterable[Finding], setting: str = "") -> Baseline:
        """Take findings as known. What several questions need, or several lists name, is one finding."""
        places = {(recognised(finding), finding.span) for finding in findings}
        return cls(Counter(one for one, _ in places), setting)

    def sort(self, findings: Iterable[Finding]) -> tuple[list[bool], tuple[Recognised, ...]]:
        """Tell for each finding whether it is known, and list those of the baseline that are gone.

        Where a quote is cut at more places than are known, the first places are taken for the known ones.
        """
        left = Counter(self.known)
        seen: dict[tuple[Recognised, object], bool] = {}
        flags = []
        for finding in findings:
            one = recognised(finding)
            place = (one, finding.span)
            if place not in seen:
                seen[place] = left[one] > 0
                left[one] -= seen[place]
            flags.append(seen[place])
        return flags, tuple(sorted(left.elements()))

    def to_dict(self) -> dict[str, Any]:
        """Give it as it stands in the file."""
        return {
            "format": FORMAT,
            "kind": KIND,
            "chunkscope": __version__,
            "setting": self.setting,
            "findings": [
                {"document": one.document, "code": one.code, "quote": one.quote, "count": count}
                for one, count in sorted(self.known.items())
            ],
        }

    def to_json(self) -> str:
        """Write the file: a finding a line, so that version control shows what goes and comes.

        Examples
        --------
        >>> text = Baseline({Recognised("a.md", "evidence-split", "12円"): 1}, "fixed(size=4)").to_json()
        >>> text.splitlines()[1:]
        ['{"document": "a.md", "code": "evidence-split", "quote": "12円", "count": 1}', ']}']
        """
        record = self.to_dict()
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in record.pop("findings"))
        head = json.dumps(record, ensure_ascii=False)[:-1]
        return f'{head}, "findings": [\n{rows}\n]}}\n' if rows else f'{head}, "findings": []}}\n'


def recognised(finding: Finding) -> Recognised:
    """Give what a finding is known again by. What a question as a whole has lost is known by its id, and so is an id
    that stands twice, which has no quote.
    """
    known_by = finding.question if finding.code in OF_QUESTIONS else finding.quote
    return Recognised(finding.document or "", finding.code, known_by or finding.question or "")


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Read a baseline.

    Raises
    ------
    InputError
        There is none, it is no baseline, or its format is a later one.
    """
    shown = os.fspath(path)
    record = read_stored(shown, FORMAT, "baseline")
    if record.get("kind") != KIND or not isinstance(record.get("findings"), list):
        raise InputError(f"{shown}: not a baseline; --write-baseline writes one (a result goes with max_more_lost)")
    known: Counter[Recognised] = Counter()
    for number, row in enumerate(record["findings"], 1):
        values = [row.get(key) for key in ("document", "code", "quote")] if isinstance(row, dict) else []
        count = row.get("count", 1) if isinstance(row, dict) else 0
        good = len(values) == 3 and all(isinstance(value, str) for value in values)
        if not good or not isinstance(count, int) or isinstance(count, bool) or not 0 < count < 1 << 31:
            raise InputError(f"{shown}: finding {number} must have a document, a code and a quote")
        known[Recognised(*map(str, values))] += count
    return Baseline(known, str(record.get("setting", "")), shown)


def only(gone: Iterable[Recognised], codes: Collection[str]) -> tuple[Recognised, ...]:
    """Keep those whose kind was looked for: what nobody looked for is not gone."""
    return tuple(one for one in gone if one.code in codes or (one.code.startswith("label-") and "label-" in codes))
