"""What it costs to embed the chunks of a cell: tokens, whatever unit the sizes are counted in.

Twin: tests/oracle/lengths.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunkscope.chunkers.base import Chunker
from chunkscope.chunkers.cells import Cells
from chunkscope.chunkers.chunk_set import ChunkSet
from chunkscope.chunkers.index_text import LINE_END, IndexTexts, Scale, Weights
from chunkscope.chunkers.prepending import Prependable, find_prependable, join_prependable
from chunkscope.measures.base import Column, each_cell
from chunkscope.measures.lengths import LengthCounts
from chunkscope.spans.intervals import IntArray, SpanArray
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit


class UnitsOfDocument(NamedTuple):
    """What the weight of index texts needs of one document."""

    begins: IntArray
    blank_runs: SpanArray
    prependable: Prependable | None


class TokenMeasure:
    """Counts the units of the texts to index, those of blank chunks left out.

    Parameters
    ----------
    unit : str
        A token encoding, or any other unit.
    chunkers : sequence of Chunker
        Those of the sweep: what none of them prepends is not looked for.
    """

    def __init__(self, unit: str, chunkers: Sequence[Chunker]) -> None:
        self.unit = unit
        self.prepends = {what for chunker in chunkers for what in chunker.prepend}

    def collect(self, analysis: DocumentAnalysis) -> UnitsOfDocument:
        """Take where units begin, the blank runs, and what chunks can prepend."""
        prependable = find_prependable(analysis, self.prepends) if self.prepends else None
        return UnitsOfDocument(analysis.measured(get_unit(self.unit)).begins, analysis.blank_runs, prependable)

    def bind(self, collected: Sequence[UnitsOfDocument], layout: Layout) -> BoundTokens:
        """Lay what was collected from the documents one behind the other."""
        line_end = get_unit(self.unit).measure(LINE_END).total if self.prepends else 0
        prependable = [found.prependable for found in collected if found.prependable is not None]
        return BoundTokens(
            Scale(layout.lay_offsets([found.begins for found in collected]), line_end, self.unit),
            layout.lay_spans([found.blank_runs for found in collected]),
            join_prependable(prependable, layout) if self.prepends else None,
        )


@dataclass(frozen=True)
class BoundTokens:
    """Where the units of all documents begin."""

    scale: Scale
    blank_runs: SpanArray
    prependable: Prependable | None

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count the tokens to embed."""
        return each_cell(cells, lambda chunks: {"tokens": int(self.weights(chunks).total.sum())})

    def weights(self, chunks: ChunkSet) -> Weights:
        """Weigh the text to index of each chunk; blank ones, which nobody embeds, weigh nothing."""
        weights = IndexTexts.of(chunks, self.prependable).weights(self.scale)
        weights.total[chunks.is_blank(self.blank_runs)] = 0
        return weights


class ModelMeasure:
    """Counts the lengths of the texts to index in the unit in which a model's limit is given.

    Parameters
    ----------
    unit : str or None
        None: each chunker's own. Lengths in characters are counted anyway.
    chunkers : sequence of Chunker
    """

    def __init__(self, unit: str | None, chunkers: Sequence[Chunker]) -> None:
        self.unit = unit
        units = {unit or chunker.unit for chunker in chunkers} - {"char"}
        self._measures = {name: TokenMeasure(name, chunkers) for name in sorted(units)}

    def collect(self, analysis: DocumentAnalysis) -> dict[str, UnitsOfDocument]:
        """Take from one document what the weight of texts needs, in each unit."""
        return {name: measure.collect(analysis) for name, measure in self._measures.items()}

    def bind(self, collected: Sequence[dict[str, UnitsOfDocument]], layout: Layout) -> BoundModel:
        """Lay what was collected from the documents one behind the other."""
        measures = self._measures.items()
        bound = {name: measure.bind([one[name] for one in collected], layout) for name, measure in measures}
        return BoundModel(self.unit, bound)


@dataclass(frozen=True)
class BoundModel:
    """The units of all documents, for each unit in which chunks are measured."""

    unit: str | None
    bound: dict[str, BoundTokens]

    def count(self, cells: Cells) -> dict[str, Column]:
        """Count how many texts to index have which length."""
        tokens = self.bound.get(self.unit or cells.chunker.unit)
        if tokens is None:
            return {}
        return each_cell(cells, lambda chunks: {"model_lengths": LengthCounts.among(tokens.weights(chunks).total)})
