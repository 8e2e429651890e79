"""A sweep: every chunker at every size and overlap, over all documents.

Each document is looked at once: its boundaries for each way of cutting, and what the measures need. Then only arrays
are left, and every cell of the grid is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkscope.chunkers import Chunker, FixedChunker, HeadingChunker, parse_chunkers
from chunkscope.containment import Layout, chunk_set
from chunkscope.corpus import Corpus
from chunkscope.documents import Document
from chunkscope.errors import GridError, LabelError
from chunkscope.grid import DEFAULT_OVERLAPS, DEFAULT_SIZES, Overlap, Skipped, grid_pairs, parse_overlaps, parse_sizes
from chunkscope.labels import Labels, check_labels
from chunkscope.measures.base import Gauge, Measure
from chunkscope.measures.costs import TokenMeasure
from chunkscope.measures.cuts import CutMeasure
from chunkscope.measures.evidence import EvidenceMeasure
from chunkscope.measures.shape import ShapeMeasure
from chunkscope.measures.status import StatusMeasure
from chunkscope.measures.tables import TableMeasure
from chunkscope.measures.wholeness import WholenessMeasure
from chunkscope.questions import Question, QuestionFile
from chunkscope.results import Cell, CorpusInfo, QuestionsInfo, SweepResult
from chunkscope.structure.parts import Parts
from chunkscope.structure.units import Unit, get_unit
from chunkscope.versions import versions

MAX_CELLS_WITH_IDS = 1000
BATCH_CHARACTERS = 1 << 22
"""Documents are measured in batches of about so many characters: enough to keep a tokenizer's threads busy."""

Progress = Callable[[str, int, int], None]
"""Called with a stage ("documents", "cells"), how many are done, and how many there are."""


@dataclass(frozen=True)
class Grid:
    """The cells of a sweep: ready chunkers, and the pairs that cannot run.

    Examples
    --------
    >>> grid = Grid.of("fixed", "4,8", "0,4")
    >>> [(str(chunker)) for chunker in grid.chunkers]
    ['fixed(size=4)', 'fixed(size=8)', 'fixed(size=8, overlap=4)']
    >>> len(grid.skipped)
    1
    """

    chunkers: tuple[Chunker, ...]
    skipped: tuple[tuple[str, str, Skipped], ...] = ()

    @classmethod
    def of(
        cls,
        chunkers: str | Chunker | Sequence[Chunker],
        sizes: str | Iterable[int] = DEFAULT_SIZES,
        overlaps: str | Iterable[int | Overlap] = DEFAULT_OVERLAPS,
    ) -> Grid:
        """Set ways of cutting to every size and overlap; one that has its own size stands as it is.

        Headings get a cell for whole sections too.
        """
        if isinstance(chunkers, str):
            chunkers = parse_chunkers(chunkers)
        elif isinstance(chunkers, Chunker):
            chunkers = (chunkers,)
        parsed_sizes = parse_sizes(sizes) if isinstance(sizes, str) else tuple(sizes)
        parsed_overlaps = parse_overlaps(overlaps) if isinstance(overlaps, str) else tuple(overlaps)
        cells: dict[Chunker, None] = {}
        skipped: list[tuple[str, str, Skipped]] = []
        for chunker in chunkers:
            if chunker.size is not None:
                cells[chunker] = None
                continue
            if isinstance(chunker, HeadingChunker) and not chunker.merge:
                cells[chunker] = None
            pairs, unable = grid_pairs(parsed_sizes, parsed_overlaps)
            cells.update((chunker.at(size, overlap), None) for size, overlap in pairs)
            skipped.extend((chunker.label, chunker.unit, pair) for pair in unable)
        if not cells:
            reason = skipped[0][2].reason if skipped else "no size is given"
            raise GridError(f"the grid has no cell that can run: {reason}")
        return cls(tuple(cells), tuple(skipped))

    @property
    def families(self) -> tuple[Chunker, ...]:
        """The ways of cutting, without sizes: each segments a document once."""
        return tuple(dict.fromkeys(chunker.at(None) for chunker in self.chunkers))


def sweep(
    documents: Corpus | Iterable[Document],
    questions: Labels | QuestionFile | Iterable[Question] | None = None,
    *,
    chunkers: str | Chunker | Sequence[Chunker] = "fixed",
    sizes: str | Iterable[int] = DEFAULT_SIZES,
    overlaps: str | Iterable[int | Overlap] = DEFAULT_OVERLAPS,
    skip_bad_labels: bool = False,
    with_ids: bool | None = None,
    with_cuts: bool = True,
    count_tokens: str | None = None,
    measures: Sequence[Measure] = (),
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> SweepResult:
    """Cut documents at every setting of a grid and count what each does to them.

    Parameters
    ----------
    documents : Corpus or iterable of Document
    questions : Labels, QuestionFile or iterable of Question, optional
        With evidence, or not answerable. Without any, sentences, code blocks and headings are counted.
    chunkers : str, Chunker or sequence of Chunker
        Ways of cutting, in the spelling of `parse_chunker` or as values.
    sizes, overlaps : str or iterables
        In the notation of `parse_sizes` and `parse_overlaps`.
    skip_bad_labels : bool
        Leave questions with label problems out of every cell alike, and list them, instead of raising.
    with_ids : bool, optional
        Name split questions in each cell; by default up to 1,000 cells.
    with_cuts : bool
        Class the ends of all chunks.
    count_tokens : str, optional
        Token encoding in which to count what is to be embedded.
    measures : sequence of Measure
        Further ones; what they count goes into fields of `Cell`.
    progress : callable, optional

    Returns
    -------
    SweepResult

    Raises
    ------
    LabelError
        Questions whose labels are not sound, unless they are skipped.
    GridError, ChunkerError
        A grid or a chunker that means nothing.

    Examples
    --------
    >>> from chunkscope import Document, Question, sweep
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。")
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = sweep([rules], asked, sizes=[10, 20], overlaps=[0])
    >>> [(cell.size, cell.split_questions) for cell in result.cells]
    [(10, 1), (20, 0)]
    """
    corpus = Corpus.of(documents)
    grid = Grid.of(chunkers, sizes, overlaps)
    labels = _sound_labels(corpus, questions, skip_bad_labels) if questions is not None else None
    if with_ids is None:
        with_ids = len(grid.chunkers) <= MAX_CELLS_WITH_IDS
    chosen: list[Measure] = [ShapeMeasure(grid.chunkers, _least_chunk(grid)), TableMeasure(), StatusMeasure()]
    evidence = EvidenceMeasure(labels.valid, grid.chunkers, with_ids=with_ids) if labels else None
    chosen.append(evidence or WholenessMeasure())
    if with_cuts:
        chosen.append(CutMeasure())
    if count_tokens:
        chosen.append(TokenMeasure(count_tokens, grid.chunkers))
    chosen.extend(measures)
    units = {chunker.unit for chunker in grid.families} | {count_tokens or "char"}
    survey = survey_documents(corpus, grid.families, chosen, sorted(units - {"char"}), progress)
    cells = tuple(survey.cells(grid.chunkers, progress))
    return SweepResult(
        settings={"versions": versions(), **(settings or {})},
        corpus=_corpus_info(corpus, survey.layout),
        questions=_questions_info(questions, labels, cells, evidence, survey) if labels else None,
        cells=cells,
        skipped=grid.skipped,
    )


def _least_chunk(grid: Grid) -> int:
    """Give the shortest length in characters of a chunk that does not end its document."""
    plain = all(isinstance(chunker, FixedChunker) and chunker.unit == "char" for chunker in grid.chunkers)
    return min(chunker.required_size() for chunker in grid.chunkers) if plain else 1


def _sound_labels(
    corpus: Corpus, questions: Labels | QuestionFile | Iterable[Question], skip_bad_labels: bool
) -> Labels:
    if isinstance(questions, Labels):
        labels = questions
    else:
        asked = questions.questions if isinstance(questions, QuestionFile) else tuple(questions)
        labels = check_labels(corpus, asked)
    if labels.problems and not skip_bad_labels:
        first = labels.problems[0]
        rest = f" (and {len(labels.problems) - 1} more)" if len(labels.problems) > 1 else ""
        raise LabelError(f"{first.message}{rest}; see `chunkscope labels`, or leave such questions out")
    return labels


@dataclass
class Survey:
    """What one look at each document left: no text, only boundaries and what the measures took."""

    layout: Layout
    segments: Mapping[Chunker, Any]
    gauges: Sequence[Gauge]
    names_seen: int = field(default=0)

    def cells(self, chunkers: Sequence[Chunker], progress: Progress | None = None) -> Iterator[Cell]:
        """Count each cell."""
        characters = int(self.layout.edges[-1])
        for done, chunker in enumerate(chunkers):
            if progress:
                progress("cells", done, len(chunkers))
            chunks = chunk_set(self.layout, chunker, self.segments[chunker.at(None)])
            counts: dict[str, Any] = {}
            for gauge in self.gauges:
                counts.update(gauge.count(chunks))
            overlap = None if chunker.size is None else chunker.overlap
            yield Cell(chunker.label, chunker.unit, chunker.size, overlap, characters, **counts)
        if progress:
            progress("cells", len(chunkers), len(chunkers))


def survey_documents(
    corpus: Corpus,
    families: Sequence[Chunker],
    measures: Sequence[Measure],
    units: Sequence[str] = (),
    progress: Progress | None = None,
) -> Survey:
    """Look at each document once.

    Parameters
    ----------
    corpus : Corpus
    families : sequence of Chunker
        Ways of cutting, without sizes.
    measures : sequence of Measure
    units : sequence of str
        Units other than characters in which documents are measured, in batches.
    """
    names: list[str] = []
    lengths: list[int] = []
    segments: dict[Chunker, list[Any]] = {family: [] for family in families}
    observed: list[list[Any]] = [[] for _ in measures]
    for parts in _in_batches(corpus, [get_unit(unit) for unit in units]):
        names.append(parts.document.name)
        lengths.append(parts.length)
        for family, found in segments.items():
            found.append(family.segment(parts))
        for measure, taken in zip(measures, observed, strict=True):
            taken.append(measure.observe(parts))
        if progress:
            progress("documents", len(names), len(corpus))
    layout = Layout.of(names, lengths)
    return Survey(
        layout,
        {family: family.join(found) for family, found in segments.items()},
        [measure.prepare(taken, layout) for measure, taken in zip(measures, observed, strict=True)],
    )


def _in_batches(corpus: Corpus, units: Sequence[Unit]) -> Iterator[Parts]:
    """Give the parts of each document; tokenizers get many documents at a time, and each document once."""
    if not units:
        yield from map(Parts, corpus)
        return
    batch: list[Document] = []
    waiting = 0
    for document in corpus:
        batch.append(document)
        waiting += len(document.text)
        if waiting >= BATCH_CHARACTERS:
            yield from _measured(batch, units)
            batch, waiting = [], 0
    yield from _measured(batch, units)


def _measured(batch: Sequence[Document], units: Sequence[Unit]) -> list[Parts]:
    parts = [Parts(document) for document in batch]
    for unit in units:
        measured = unit.measure_all([document.text for document in batch], [document.name for document in batch])
        for part, length in zip(parts, measured, strict=True):
            part.keep(unit, length)
    return parts


def _corpus_info(corpus: Corpus, layout: Layout) -> CorpusInfo:
    return CorpusInfo(
        path=corpus.path,
        documents=len(layout.names),
        characters=int(layout.edges[-1]),
        files=corpus.files,
        unreadable=corpus.unreadable,
        ignored=corpus.ignored,
    )


def _questions_info(
    questions: object,
    labels: Labels,
    cells: Sequence[Cell],
    evidence: EvidenceMeasure | None,
    survey: Survey,
) -> QuestionsInfo:
    gauge = next((gauge for gauge in survey.gauges if hasattr(gauge, "places")), None)
    longest = (
        {unit: int(place[:, 1].max(initial=0)) for (unit, _), place in gauge.places.items()} if gauge is not None else {}
    )
    return QuestionsInfo(
        path=questions.path if isinstance(questions, QuestionFile) else "",
        sha256=questions.sha256 if isinstance(questions, QuestionFile) else "",
        total=labels.total,
        valid=len(labels.valid),
        without_evidence=len(labels.without_evidence),
        excluded=tuple((problem.id, problem.problem) for problem in labels.excluded),
        evidence=evidence.n_entries if evidence else 0,
        table=cells[0].table_questions if cells else 0,
        longest=longest,
    )
