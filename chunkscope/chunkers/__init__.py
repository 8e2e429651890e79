"""The ways of cutting that the field uses, as values."""

from chunkscope.chunkers.base import Chunker as Chunker
from chunkscope.chunkers.fixed import FixedChunker as FixedChunker
from chunkscope.chunkers.heading import HeadingChunker as HeadingChunker
from chunkscope.chunkers.parse import parse_chunker as parse_chunker
from chunkscope.chunkers.parse import parse_chunkers as parse_chunkers
from chunkscope.chunkers.sentence import SentenceChunker as SentenceChunker
from chunkscope.chunkers.token import TokenChunker as TokenChunker
