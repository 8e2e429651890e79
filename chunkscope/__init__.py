"""See where chunkers cut your documents before you index them.

The main job is `sweep`: which evidence is split, and which table rows have lost their header, over a whole grid of
sizes and overlaps.

>>> import chunkscope
>>> rules = chunkscope.Document("rules.md", "宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。")
>>> chunkscope.FixedChunker(size=16).spans(rules).tolist()
[[0, 16], [16, 32], [32, 35]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunkscope._version import __version__ as __version__

if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker as Chunker
    from chunkscope.chunkers import FixedChunker as FixedChunker
    from chunkscope.chunkers import HeadingChunker as HeadingChunker
    from chunkscope.chunkers import SentenceChunker as SentenceChunker
    from chunkscope.chunkers import TokenChunker as TokenChunker
    from chunkscope.chunkers import parse_chunker as parse_chunker
    from chunkscope.chunkers import parse_chunkers as parse_chunkers
    from chunkscope.corpus import Corpus as Corpus
    from chunkscope.corpus import read_corpus as read_corpus
    from chunkscope.documents import Document as Document
    from chunkscope.errors import ChunkscopeError as ChunkscopeError
    from chunkscope.findings import Finding as Finding
    from chunkscope.findings import find_cuts as find_cuts
    from chunkscope.labels import Labels as Labels
    from chunkscope.labels import check_labels as check_labels
    from chunkscope.labels import fix_labels as fix_labels
    from chunkscope.listing import list_chunks as list_chunks
    from chunkscope.preflight import check as check
    from chunkscope.preflight.baseline import read_baseline as read_baseline
    from chunkscope.preflight.model import CheckResult as CheckResult
    from chunkscope.preflight.thresholds import Thresholds as Thresholds
    from chunkscope.questions import Question as Question
    from chunkscope.questions import read_questions as read_questions
    from chunkscope.results import Cell as Cell
    from chunkscope.results import SweepResult as SweepResult
    from chunkscope.structure.markdown import read_structure as read_structure
    from chunkscope.sweeping import sweep as sweep
    from chunkscope.verdict import judge as judge

_HOMES = {
    "Cell": "chunkscope.results",
    "CheckResult": "chunkscope.preflight.model",
    "Chunker": "chunkscope.chunkers",
    "ChunkscopeError": "chunkscope.errors",
    "Corpus": "chunkscope.corpus",
    "Document": "chunkscope.documents",
    "Finding": "chunkscope.findings",
    "FixedChunker": "chunkscope.chunkers",
    "HeadingChunker": "chunkscope.chunkers",
    "Labels": "chunkscope.labels",
    "Question": "chunkscope.questions",
    "SentenceChunker": "chunkscope.chunkers",
    "SweepResult": "chunkscope.results",
    "Thresholds": "chunkscope.preflight.thresholds",
    "TokenChunker": "chunkscope.chunkers",
    "check": "chunkscope.preflight",
    "check_labels": "chunkscope.labels",
    "find_cuts": "chunkscope.findings",
    "fix_labels": "chunkscope.labels",
    "judge": "chunkscope.verdict",
    "list_chunks": "chunkscope.listing",
    "parse_chunker": "chunkscope.chunkers",
    "parse_chunkers": "chunkscope.chunkers",
    "read_baseline": "chunkscope.preflight.baseline",
    "read_corpus": "chunkscope.corpus",
    "read_questions": "chunkscope.questions",
    "read_structure": "chunkscope.structure.markdown",
    "sweep": "chunkscope.sweeping",
}
"""Where each public name lives; it is imported when first asked for, so that importing the package costs nothing."""

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  # the names are strings


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'chunkscope' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
