"""Everything that a cell counts."""

from __future__ import annotations

from oracle.chunks import cut
from oracle.cuts import count_cuts
from oracle.evidence import count_evidence
from oracle.lengths import index_lengths
from oracle.spans import is_blank
from oracle.status import count_status
from oracle.tables import count_tables


def count_cell(texts, questions, chunker):
    """Count with loops over texts, chunks and questions; lengths are a mapping from each to how many chunks have it."""
    windows = {text.name: cut(text, chunker) for text in texts}
    chunks = {name: [window for window in found if window.has_span] for name, found in windows.items()}
    everything = [window for found in windows.values() for window in found]
    return {
        "characters": sum(len(text.text) for text in texts),
        "chunks": len(everything),
        "blank_chunks": sum(is_blank(text.text[w.start : w.end]) for text in texts for w in chunks[text.name]),
        "oversize_chunks": sum(chunker.size is not None and w.has_span and w.weight > chunker.size for w in everything),
        "broken_chunks": sum(window.is_broken for window in everything),
        "lengths": index_lengths(texts, chunker),
        "cuts": count_cuts(texts, windows),
        **count_evidence(texts, questions, chunker, chunks),
        **count_tables(texts, chunker, chunks),
        **count_status(texts, chunker, chunks),
    }
