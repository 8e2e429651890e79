"""What a text is made of: headings, tables, code and blocks, sentences, words, characters, tokens."""

from __future__ import annotations

from chunkscope.structure.markdown import read_structure
from chunkscope.structure.model import Heading, Structure, Table

__all__ = ["Heading", "Structure", "Table", "read_structure"]
