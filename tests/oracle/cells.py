"""Everything that a cell counts."""

from __future__ import annotations

from oracle.chunks import cut
from oracle.cuts import count_cuts
from oracle.evidence import count_evidence
from oracle.lengths import count_tokens, index_lengths, index_texts
from oracle.status import count_status
from oracle.tables import count_tables


def count_cell(texts, questions, chunker, unit="cl100k_base", line_end=1):
    """Count with loops over texts, chunks and questions; lengths are a mapping from each to how many chunks have it.

    `unit` is that of the tokens to embed, and `line_end` how many of them a line end is.
    """
    windows = {text.name: cut(text, chunker) for text in texts}
    chunks = {name: [window for window in found if window.has_span] for name, found in windows.items()}
    indexed = index_texts(texts, chunker)
    everything = [window for found in windows.values() for window in found]
    return {
        "characters": sum(len(text.text) for text in texts),
        "chunks": len(everything),
        "blank_chunks": sum(blank for _, _, blank in indexed),
        "oversize_chunks": sum(chunker.size is not None and w.has_span and w.weight > chunker.size for w in everything),
        "broken_chunks": sum(window.is_broken for window in everything),
        "lengths": index_lengths(indexed),
        "tokens": count_tokens(indexed, unit, line_end),
        "cuts": count_cuts(texts, windows),
        **count_evidence(texts, questions, chunker, chunks),
        **count_tables(texts, chunker, chunks),
        **count_status(texts, chunker, chunks),
    }
