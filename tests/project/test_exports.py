"""What the package offers by name."""

from __future__ import annotations

import chunkscope

PUBLIC = [
    "Cell",
    "CheckResult",
    "Chunker",
    "ChunkscopeError",
    "Comparison",
    "Corpus",
    "Document",
    "Finding",
    "FixedChunker",
    "HeadingChunker",
    "Labels",
    "Question",
    "SentenceChunker",
    "SweepResult",
    "Thresholds",
    "TokenChunker",
    "__version__",
    "advise",
    "align",
    "as_chunker",
    "check",
    "check_labels",
    "compare",
    "compare_files",
    "find_boundary_problems",
    "fix_labels",
    "list_chunks",
    "parse_chunker",
    "parse_chunkers",
    "read_baseline",
    "read_corpus",
    "read_questions",
    "read_structure",
    "recall",
    "sweep",
]


def test_public_names_are_these_and_each_is_there():
    assert sorted(chunkscope.__all__) == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(chunkscope, name) is not None


def test_public_functions_and_classes_say_what_they_do():
    for name in PUBLIC:
        thing = getattr(chunkscope, name)
        if callable(thing):
            assert (thing.__doc__ or "").strip(), name
