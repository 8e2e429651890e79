"""Which ways of cutting the command line and the configuration ask for."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chunkscope.chunkers import Chunker, HeadingChunker, TokenChunker, parse_chunker
from chunkscope.cli.options import DEFAULT_CHUNKER
from chunkscope.config import Config
from chunkscope.errors import ChunkerError, ChunkscopeError, GridError
from chunkscope.findings import Finding  # noqa: F401
from chunkscope.grid import parse_overlaps
from chunkscope.structure.units import get_unit

_BETWEEN = re.compile(r",(?![^()]*\))")
_OWN_UNIT = re.compile(r"[(,]\s*unit\s*=")
