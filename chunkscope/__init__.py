"""See where chunkers cut your documents before you index them.

The main job is `sweep`: which evidence is split, and which table rows have lost their header, over a whole grid of
sizes and overlaps.

>>> import chunkscope
>>> rules = chunkscope.Document("rules.md", "宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。")
>>> chunkscope.FixedChunker(size=16).spans(rules).tolist()
[[0, 16], [16, 32], [32, 35]]
"""

# nothing is imported from elsewhere: under ``python -m`` it might come from the current folder
from chunkscope._version import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chunkscope.chunkers import Chunker as Chunker
    from chunkscope.chunkers import FixedChunker as FixedChunker
    from chunkscope.chunkers import HeadingChunker as HeadingChunker
    from chunkscope.chunkers import SentenceChunker as SentenceChunker
    from chunkscope.chunkers import TokenChunker as TokenChunker
    from chunkscope.chunkers import parse_chunker as parse_chunker
    from chunkscope.chunkers import parse_chunkers as parse_chunkers
    from chunkscope.chunkers.chunk_rows import list_chunks as list_chunks
    from chunkscope.corpus.document import Document as Document
    from chunkscope.corpus.reading import Corpus as Corpus
    from chunkscope.corpus.reading import read_corpus as read_corpus
    from chunkscope.errors import ChunkscopeError as ChunkscopeError
    from chunkscope.gate.baseline import read_baseline as read_baseline
    from chunkscope.gate.check import check as check
    from chunkscope.gate.result import CheckResult as CheckResult
    from chunkscope.gate.thresholds import Thresholds as Thresholds
    from chunkscope.grid.advice import advise as advise
    from chunkscope.grid.comparison import Comparison as Comparison
    from chunkscope.grid.comparison import compare as compare
    from chunkscope.grid.comparison import compare_files as compare_files
    from chunkscope.grid.results import Cell as Cell
    from chunkscope.grid.results import SweepResult as SweepResult
    from chunkscope.grid.sweep import find_boundary_problems as find_boundary_problems
    from chunkscope.grid.sweep import sweep as sweep
    from chunkscope.measures.findings import Finding as Finding
    from chunkscope.questions.check import check_labels as check_labels
    from chunkscope.questions.labels import Labels as Labels
    from chunkscope.questions.mending import fix_labels as fix_labels
    from chunkscope.questions.question import Question as Question
    from chunkscope.questions.question import read_questions as read_questions
    from chunkscope.retrieval.recall import recall as recall
    from chunkscope.splitters.alignment import align as align
    from chunkscope.splitters.chunker import as_chunker as as_chunker
    from chunkscope.structure.markdown import read_structure as read_structure

_HOMES = {
    "Cell": "chunkscope.grid.results",
    "CheckResult": "chunkscope.gate.result",
    "Chunker": "chunkscope.chunkers",
    "ChunkscopeError": "chunkscope.errors",
    "Comparison": "chunkscope.grid.comparison",
    "Corpus": "chunkscope.corpus.reading",
    "Document": "chunkscope.corpus.document",
    "Finding": "chunkscope.measures.findings",
    "FixedChunker": "chunkscope.chunkers",
    "HeadingChunker": "chunkscope.chunkers",
    "Labels": "chunkscope.questions.labels",
    "Question": "chunkscope.questions.question",
    "SentenceChunker": "chunkscope.chunkers",
    "SweepResult": "chunkscope.grid.results",
    "Thresholds": "chunkscope.gate.thresholds",
    "TokenChunker": "chunkscope.chunkers",
    "check": "chunkscope.gate.check",
    "check_labels": "chunkscope.questions.check",
    "compare": "chunkscope.grid.comparison",
    "compare_files": "chunkscope.grid.comparison",
    "find_boundary_problems": "chunkscope.grid.sweep",
    "fix_labels": "chunkscope.questions.mending",
    "advise": "chunkscope.grid.advice",
    "align": "chunkscope.splitters.alignment",
    "as_chunker": "chunkscope.splitters.chunker",
    "list_chunks": "chunkscope.chunkers.chunk_rows",
    "parse_chunker": "chunkscope.chunkers",
    "parse_chunkers": "chunkscope.chunkers",
    "read_baseline": "chunkscope.gate.baseline",
    "read_corpus": "chunkscope.corpus.reading",
    "read_questions": "chunkscope.questions.question",
    "read_structure": "chunkscope.structure.markdown",
    "recall": "chunkscope.retrieval.recall",
    "sweep": "chunkscope.grid.sweep",
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
