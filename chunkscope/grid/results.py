"""What a sweep found: integer counts a cell, from which every rate follows; results of parts of a corpus add up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from chunkscope._version import __version__
from chunkscope.corpus.dialect import AUTO
from chunkscope.errors import ConfigError
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.notation import Skipped
from chunkscope.grid.ranks import QuestionRank
from chunkscope.measures.base import Field, add_values
from chunkscope.measures.damage import DocumentDamage
from chunkscope.measures.findings import Finding
from chunkscope.measures.lengths import ChunkLengths, LengthCounts
from chunkscope.plugins.shown import Shown, counted, data_frame

if TYPE_CHECKING:
    from chunkscope.grid.advice import Advice, HeldOut, NoAdvice
    from chunkscope.questions.labels import LocatedQuestion

FORMAT = 1
"""Version of the JSON. Later formats only add.

1: cells with counts, cuts and luck; `corpus`, `questions`, `settings`, `skipped`.
"""

DIGITS = 6
MOST_NAMED = 5
MOST_ABOVE = 10
"""So many of the chunks that came first for a question are in the JSON."""
MOST_WORST = 10
"""So many of the documents that lose most are in the JSON."""


def retriever_names(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the retrievers that ranked a cell; with a number where several have the same name.

    Examples
    --------
    >>> retriever_names([{"retriever": "bm25"}, {"retriever": "hash"}, {"retriever": "bm25"}])
    ['bm25', 'hash', 'bm25-2']
    """
    names: list[str] = []
    seen: dict[str, int] = {}
    for one in found:
        name = str(one.get("retriever"))
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return names


CellKey: TypeAlias = tuple[str, str, int | None, int | None]
"""Chunker, unit, size, overlap."""


def ranked_by(cell: Cell, retriever: str | None) -> Mapping[str, Any]:
    """Give what one retriever, by the name of `retriever_names`, found in a cell."""
    found = cell.retrieval or ()
    return dict(zip(retriever_names(found), found, strict=True))[retriever or ""]


_OPTIONAL = {"optional": True}
"""Marks fields that stand in the JSON only where they were counted."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting of the grid and what it does to the documents.

    All counts are over the whole corpus and add up over its parts. `size` and `overlap` are None for whole sections.
    `lengths` are those of the texts to index, in characters, with what they prepend. Expectations are None for packed
    chunkers. Where chunks are texts that a splitter gave, `pieces` has how many were found how, and `failures` the
    documents that it could not cut, and why. What measures from outside counted stands in `extra`, by the names of
    their fields.
    """

    chunker: str
    unit: str
    size: int | None
    overlap: int | None
    characters: int
    chunks: int = 0
    blank_chunks: int = 0
    oversize_chunks: int = 0
    broken_chunks: int = 0
    lengths: ChunkLengths = field(default_factory=LengthCounts)
    questions: int = 0
    evidence: int = 0
    split_questions: int = 0
    split_evidence: int = 0
    missing_questions: int = 0
    missing_evidence: int = 0
    evidence_in_two_chunks: int = 0
    evidence_longer_than_size: int | None = 0
    expected_split_questions: float | None = None
    expected_split_evidence: float | None = None
    table_questions: int = 0
    table_questions_with_header: int = 0
    harmed_questions: int = 0
    table_rows: int = 0
    table_rows_with_header: int = 0
    table_rows_whole: int = 0
    tables_without_header: int = 0
    cuts: Mapping[str, int] = field(default_factory=dict)
    sentences: int | None = field(default=None, metadata=_OPTIONAL)
    sentences_whole: int | None = field(default=None, metadata=_OPTIONAL)
    code_blocks: int | None = field(default=None, metadata=_OPTIONAL)
    code_blocks_whole: int | None = field(default=None, metadata=_OPTIONAL)
    headings: int | None = field(default=None, metadata=_OPTIONAL)
    headings_whole: int | None = field(default=None, metadata=_OPTIONAL)
    pieces: Mapping[str, int] | None = field(default=None, metadata=_OPTIONAL)
    failures: tuple[tuple[str, str], ...] | None = field(default=None, metadata=_OPTIONAL)
    status_chunks: int | None = field(default=None, metadata=_OPTIONAL)
    unmarked_chunks: int | None = field(default=None, metadata=_OPTIONAL)
    tokens: int | None = field(default=None, metadata=_OPTIONAL)
    model_lengths: ChunkLengths | None = None
    split_question_ids: tuple[str, ...] | None = field(default=None, metadata=_OPTIONAL)
    header_lost_question_ids: tuple[str, ...] | None = field(default=None, metadata=_OPTIONAL)
    precision_omega: Mapping[str, float] | None = None
    retrieval: tuple[Mapping[str, Any], ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, chunker: str, unit: str, size: int | None, overlap: int, characters: int, counts: Mapping[str, Any]
    ) -> Cell:
        """Make a cell of what measures counted; fields that a cell does not have go into `extra`."""
        known = {name: counts[name] for name in counts if name in _COUNTED}
        extra = {name: counts[name] for name in counts if name not in _COUNTED}
        return cls(chunker, unit, size, None if size is None else overlap, characters, **known, extra=extra)

    @property
    def key(self) -> CellKey:
        """What tells the cell from the others of its grid."""
        return self.chunker, self.unit, self.size, self.overlap

    @property
    def chunk_characters(self) -> int:
        """Characters of all texts to index: what is to be embedded."""
        return self.lengths.total

    @property
    def duplication(self) -> float | None:
        """Characters of all texts to index over characters of the corpus; None for an empty corpus."""
        return self.chunk_characters / self.characters if self.characters else None

    @property
    def omega(self) -> tuple[float, float] | None:
        """Mean and population standard deviation of precision-omega; None where it was not counted."""
        if not self.precision_omega or not self.precision_omega["questions"]:
            return None
        n = self.precision_omega["questions"]
        mean = self.precision_omega["sum"] / n
        spread = max(self.precision_omega["squares"] / n - mean * mean, 0.0) ** 0.5
        return round(mean, DIGITS), round(spread, DIGITS)

    @property
    def rates(self) -> dict[str, float | None]:
        """Shares in [0, 1] that follow from the counts; None over nothing."""
        return {
            "split_questions": _share(self.split_questions, self.questions),
            "split_evidence": _share(self.split_evidence, self.evidence),
            "table_questions_with_header": _share(self.table_questions_with_header, self.table_questions),
            "table_rows_with_header": _share(self.table_rows_with_header, self.table_rows),
        }

    @property
    def header_lost_questions(self) -> int:
        """Table questions with a row that no chunk holds with its header."""
        return self.table_questions - self.table_questions_with_header

    @property
    def is_whole(self) -> bool:
        """Tell whether no question is split, and none has lost a header."""
        return not self.split_questions and not self.header_lost_questions

    @property
    def is_lucky(self) -> bool:
        """Tell whether nothing is split where half a split question or more is expected."""
        expected = self.expected_split_questions
        return not self.split_questions and not self.split_evidence and expected is not None and expected >= 0.5

    def __repr__(self) -> str:
        size = "" if self.size is None else f" {self.size}/{self.overlap}"
        split = f", {self.split_questions:,} of {counted(self.questions, 'question')} split" if self.questions else ""
        return f"Cell({self.chunker} {self.unit}{size}: {counted(self.chunks, 'chunk')}{split})"

    def value(self, name: str) -> Any:
        """Give a field by its name, one of a measure from outside too; None where it was not counted."""
        return self.extra.get(name) if name in self.extra else getattr(self, name, None)

    def __add__(self, other: Cell) -> Cell:
        if self.key != other.key:
            raise ValueError(f"cells of different settings do not add up: {self.key} and {other.key}")
        if self.retrieval or other.retrieval:
            raise ValueError("recall does not add up over documents, because all chunks compete; rank them together")
        counted = {
            name: add_values(getattr(self, name), getattr(other, name)) for name in ("characters", *_COUNTED, "extra")
        }
        return Cell(self.chunker, self.unit, self.size, self.overlap, **counted)

    def to_dict(self) -> dict[str, Any]:
        """Give the cell as it stands in the JSON."""
        cell: dict[str, Any] = {
            "chunker": self.chunker,
            "unit": self.unit,
            "size": self.size,
            "overlap": self.overlap,
            "chunks": self.chunks,
            "blank_chunks": self.blank_chunks,
            "oversize_chunks": self.oversize_chunks,
            "broken_chunks": self.broken_chunks,
            "chunk_chars": _lengths(self.lengths),
            "duplication": _rounded(self.duplication),
        }
        cell.update((name, _rounded(getattr(self, name))) for name in _PLAIN)
        cell["rates"] = {name: _rounded(value) for name, value in self.rates.items()}
        cell["cuts"] = dict(self.cuts)
        if self.model_lengths is not None:
            cell["model_chunk_lengths"] = _lengths(self.model_lengths)
        for name in _WHERE_COUNTED:
            value = getattr(self, name)
            if value is not None:
                cell[name] = list(value) if isinstance(value, tuple) else value
        if self.failures is not None:
            cell["failures"] = [{"document": name, "reason": reason} for name, reason in self.failures]
        cell.update((name, _rounded(value)) for name, value in self.extra.items())
        if self.precision_omega is not None:
            cell["precision_omega"] = dict(zip(("mean", "std"), self.omega or (None, None), strict=True))
        if self.retrieval:
            each = [_plain(retrieval) for retrieval in self.retrieval]
            cell["retrieval"] = each[0] if len(each) == 1 else each
        return cell


def in_order_of_questions(cells: Iterable[Cell], questions: Iterable[LocatedQuestion]) -> Iterator[Cell]:
    """Let cells name questions in the order of their file, whatever batch they were in."""
    place = {question.question.id: number for number, question in enumerate(questions)}

    def ordered(ids: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if ids is None else tuple(sorted(ids, key=place.__getitem__))

    for cell in cells:
        split, lost = ordered(cell.split_question_ids), ordered(cell.header_lost_question_ids)
        yield replace(cell, split_question_ids=split, header_lost_question_ids=lost)


_NAMES = tuple(entry.name for entry in fields(Cell))
_COUNTED = dict.fromkeys(_NAMES[_NAMES.index("chunks") : _NAMES.index("extra")])
"""The fields that measures fill."""
_PLAIN = _NAMES[_NAMES.index("questions") : _NAMES.index("cuts")]
"""Those that stand in the JSON as they are."""
_WHERE_COUNTED = tuple(entry.name for entry in fields(Cell) if entry.metadata.get("optional"))


def is_cell_field(name: str) -> bool:
    """Tell whether every cell has a field of that name."""
    return name in _COUNTED


def check_fields(measure: object) -> None:
    """Check the fields that a measure from outside declares.

    Raises
    ------
    ConfigError
        A name that a cell has already, or that stands twice, or a total that nothing counts.
    """
    declared = tuple(getattr(measure, "fields", ()))
    name = type(measure).__name__
    names = [entry.name for entry in declared]
    for entry in declared:
        if entry.name in _NAMES or names.count(entry.name) > 1:
            raise ConfigError(f"measure {name}: the field {entry.name!r} is taken; choose another name")
        if entry.of is not None and entry.of not in (*names, *_COUNTED):
            total = f"{entry.name!r} is said to be a part of {entry.of!r}, which nobody counts"
            raise ConfigError(f"measure {name}: {total}")


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _lengths(found: ChunkLengths) -> dict[str, float | None]:
    """Give the figures of lengths as JSON has them."""
    mean, median = _rounded(found.mean), _rounded(found.median)
    return {"min": found.shortest, "mean": mean, "median": median, "max": found.longest}


def _rounded(value: float | None) -> float | int | None:
    return round(value, DIGITS) if isinstance(value, float) else value


def _plain(value: Any) -> Any:
    """Give plain dictionaries and lists; keys with a leading underscore are for the program only."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items() if not str(key).startswith("_")}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


Value: TypeAlias = str | int | float | bool | None

PER_QUESTION = frozenset({"first_rank", "first_rank_start", "first_rank_answered", "missed", "unlisted"})
"""What a cell says of each question by itself: no figures of the cell."""


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Give every figure of an object of JSON, and where it stands: the names that lead to it.

    Of so many of so many there are two, the second at ``of``; intervals have ``low`` and ``high``; any other list is
    one text. What several retrievers found stands under their names. What is said of each question by itself
    (`PER_QUESTION`) is left out.

    Examples
    --------
    >>> list(leaves({"cuts": {"row": 3}, "strict": {"5": [2, 7]}, "ids": ["q1", "q2"]}))
    [(('cuts', 'row'), 3), (('strict', '5'), 2), (('strict', '5', 'of'), 7), (('ids',), 'q1, q2')]
    """
    name = path[-1] if path else ""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key not in PER_QUESTION:
                yield from _ranked(entry) if path == () and key == "retrieval" else leaves(entry, (*path, str(key)))
    elif isinstance(value, list | tuple) and value and all(isinstance(entry, Mapping) for entry in value):
        for number, entry in enumerate(value):
            yield from leaves(entry, (*path, str(entry.get("score", number))))
    elif isinstance(value, list | tuple):
        if len(value) == 2 and name != "k" and all(isinstance(entry, int | float) for entry in value):
            is_range = any(part.startswith("interval") for part in path)
            first, second = ((*path, "low"), (*path, "high")) if is_range else (path, (*path, "of"))
            yield first, value[0]
            yield second, value[1]
        else:
            yield path, ", ".join(map(str, value))
    else:
        yield path, value


def _ranked(found: Any) -> Iterator[tuple[tuple[str, ...], Value]]:
    several = [one for one in (found if isinstance(found, list | tuple) else [found]) if isinstance(one, Mapping)]
    for name, one in zip(retriever_names(several), several, strict=True):
        yield from leaves({key: entry for key, entry in at_own_number(one).items() if key != "retriever"}, (name,))


def is_set_aside(found: Mapping[str, Any]) -> bool:
    """Tell whether what a retriever found is shown, and advised only where all are so.

    Its k chunks hold half of the documents, or it lists fewer than the k that would judge.
    """
    return bool(found.get("half")) or "full_k" in found.get("listed", {})


def has_context(found: Mapping[str, Any]) -> bool:
    """Tell whether cells are compared at equal context, each at its own number of chunks."""
    settings = found.get("settings")
    return isinstance(settings, Mapping) and "context" in settings


def at_own_number(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give what a retriever found without the number of chunks in its names, where that is another for each cell.

    Examples
    --------
    >>> at_own_number({"settings": {"context": 6000}, "k": [21], "answered": {"21": [3, 4]}})["answered"]
    [3, 4]
    """
    numbers = found.get("k")
    if not has_context(found) or not isinstance(numbers, list | tuple) or len(numbers) != 1:
        return found
    kept = {
        name: entry if name in PER_QUESTION else _unwrapped(entry, str(numbers[0])) for name, entry in found.items()
    }
    return {**kept, "k": numbers[0]}


def _unwrapped(value: Any, name: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    inner = {key: _unwrapped(entry, name) for key, entry in value.items()}
    return inner[name] if list(inner) == [name] else inner


def flat_cell(cell: Cell) -> dict[str, Value]:
    """Give every figure of a cell as one flat row: names as in the JSON, joined by underscores.

    Examples
    --------
    >>> row = flat_cell(Cell("fixed", "char", 50, 8, 90, chunks=2, cuts={"row": 1}))
    >>> row["chunks"], row["chunk_chars_mean"], row["cuts_row"], row["rates_split_questions"]
    (2, None, 1, None)
    """
    return {"_".join(path): value for path, value in leaves(cell.to_dict())}


def larger(one: tuple[str, int], other: tuple[str, int]) -> tuple[str, int]:
    """Give the larger of two documents, names with their characters; of two as large the first by name.

    Examples
    --------
    >>> larger(("", 0), ("b.md", 7)), larger(("b.md", 7), ("a.md", 7))
    (('b.md', 7), ('a.md', 7))
    """
    return min(one, other, key=lambda found: (-found[1], found[0]))


@dataclass(frozen=True)
class CorpusInfo:
    """Which documents were looked at.

    `kinds` are the characters of prose, code and tables, where they were counted; `largest` is the largest document's
    name, and its characters; `seen` has in how many documents each habit of a dialect is, and how often what looks like
    structure and is read as none.
    """

    path: str
    documents: int
    characters: int
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    unreadable: tuple[str, ...] = field(default=(), repr=False)
    ignored: Mapping[str, int] = field(default_factory=dict, repr=False)
    kinds: Mapping[str, int] = field(default_factory=dict)
    largest: tuple[str, int] = ("", 0)
    seen: Mapping[str, int] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Digest over the names and digests of the files."""
        rows = "".join(f"{name}\0{digest}\n" for name, digest in sorted(self.files.items()))
        return hashlib.sha256(rows.encode()).hexdigest()

    def __add__(self, other: CorpusInfo) -> CorpusInfo:
        twice = self.files.items() & other.files.items()
        # which records of one JSONL file were swept is not known
        if twice and all(len(info.files) == info.documents for info in (self, other)):
            raise ValueError(f"results do not add up: {min(twice)[0]!r} is in both")
        return CorpusInfo(
            self.path if self.path == other.path else "",
            self.documents + other.documents,
            self.characters + other.characters,
            {**self.files, **other.files},
            self.unreadable + other.unreadable,
            add_values(self.ignored, other.ignored),
            add_values(self.kinds, other.kinds),
            larger(self.largest, other.largest),
            add_values(self.seen, other.seen),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give it as it stands in the JSON."""
        name, characters = self.largest
        return {
            "path": self.path,
            "documents": self.documents,
            "characters": self.characters,
            "sha256": self.sha256,
            "files": dict(self.files),
            "unreadable": list(self.unreadable),
            "ignored": dict(self.ignored),
            **({"kinds": dict(self.kinds)} if self.kinds else {}),
            **({"largest_document": {"name": name, "characters": characters}} if characters else {}),
            **({"seen": dict(sorted(self.seen.items()))} if self.seen else {}),
        }


@dataclass(frozen=True)
class QuestionsInfo:
    """Which questions were asked; ``total = valid + without_evidence + excluded``.

    `longest` gives for each unit how long the longest evidence is; `ids` for each valid question a digest of what it
    asks, by which it is known again in another result.
    """

    path: str
    sha256: str
    total: int
    valid: int
    without_evidence: int
    excluded: tuple[tuple[str, str], ...] = field(repr=False)
    evidence: int
    table: int
    longest: Mapping[str, int] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __add__(self, other: QuestionsInfo) -> QuestionsInfo:
        return QuestionsInfo(
            self.path if self.path == other.path else "",
            self.sha256 if self.sha256 == other.sha256 else "",
            self.total + other.total,
            self.valid + other.valid,
            self.without_evidence + other.without_evidence,
            self.excluded + other.excluded,
            self.evidence + other.evidence,
            self.table + other.table,
            {
                unit: max(self.longest.get(unit, 0), other.longest.get(unit, 0))
                for unit in (*self.longest, *other.longest)
            },
            {**self.ids, **other.ids},
        )

    def to_dict(self) -> dict[str, Any]:
        """Give it as it stands in the JSON."""
        return {
            "path": self.path,
            "sha256": self.sha256,
            "total": self.total,
            "valid": self.valid,
            "without_evidence": self.without_evidence,
            "excluded": [{"id": identity, "problem": problem} for identity, problem in self.excluded],
            "evidence": self.evidence,
            "table": self.table,
            "longest_evidence": dict(self.longest),
            "ids": dict(self.ids),
        }


@dataclass(frozen=True)
class ChunkTokens:
    """How many chunks of a cell have more tokens than models take.

    Attributes
    ----------
    unit : str
        The encoding that counts them.
    chunks : int
    above : mapping of int to int
        For each number of tokens, how many chunks have more.
    """

    unit: str
    chunks: int
    above: Mapping[int, int]


@dataclass(frozen=True)
class SweepResult(Shown):
    """All cells of a sweep, and what was held fixed; `fields` are those of measures from outside.

    `findings` has, for each setting that was to be explained, the cuts that split evidence or lose a header; by
    document, then place. `damage` has, for settings that were to be counted by document, what each document loses,
    worst first, and `worst` has that of the advised cell, if it was `looked_closely` at. `tokens` has, where no model
    is named and the documents are not too many, how many chunks of the advised cell are above what models take. `ranks`
    has, where they were kept, what came first for each question, by the key of a cell and the name of a retriever.
    `limit` is what cells must be within to be advised. The JSON has the limit, the tokens, the first of the worst and
    the ranks of the cells that reports show, but none of the others. `version` is that of chunkscope.
    """

    settings: Mapping[str, Any]
    corpus: CorpusInfo
    questions: QuestionsInfo | None
    cells: tuple[Cell, ...]
    skipped: tuple[tuple[str, str, Skipped], ...] = ()
    retrieval: Mapping[str, Any] | None = None
    fields: tuple[Field, ...] = ()
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    ranks: Mapping[tuple[CellKey, str], Sequence[QuestionRank]] = field(default_factory=dict)
    advice: Advice | NoAdvice | None = None
    held_out: HeldOut | None = None
    limit: ModelLimit = UNNAMED
    damage: Mapping[str, tuple[DocumentDamage, ...]] = field(default_factory=dict)
    worst: tuple[DocumentDamage, ...] = ()
    looked_closely: bool = True
    tokens: ChunkTokens | None = None
    version: str = __version__

    @property
    def dialect(self) -> str | None:
        """The dialect that was asked for, or shown by a configuration file; None: the marks in the texts decided."""
        dialect = self.settings.get("dialect", AUTO)
        return None if dialect == AUTO else str(dialect)

    def __repr__(self) -> str:
        questions = f", {counted(self.questions.total, 'question')}" if self.questions else ""
        return (
            f"SweepResult({counted(self.corpus.documents, 'document')}, {counted(len(self.cells), 'cell')}{questions})"
        )

    def to_question_dataframe(self, library: str | None = None) -> Any:
        """Give what became of each question in each cell as a data frame, a cell and question a row.

        Whether it is split or has lost its header (missing where the sweep did not name its questions), and for each
        retriever its first ranks and the cause of a miss. See `to_dataframe`.
        """
        return data_frame(self.question_rows(), library)

    def question_rows(self) -> Iterator[dict[str, Value]]:
        """Give the rows of `to_question_dataframe`."""
        for cell in self.cells:
            found = cell.retrieval or ()
            ranked = list(zip(retriever_names(found), found, strict=True))
            setting = dict(zip(("chunker", "unit", "size", "overlap"), cell.key, strict=True))
            named = {"split": cell.split_question_ids, "header_lost": cell.header_lost_question_ids}
            lost = {name: None if ids is None else frozenset(ids) for name, ids in named.items()}
            for question in self.questions.ids if self.questions else ():
                row: dict[str, Value] = {**setting, "question": question}
                row |= {name: None if ids is None else question in ids for name, ids in lost.items()}
                for retriever, one in ranked:
                    row |= {f"{retriever}_{name}": one[name].get(question) for name in one if name in PER_QUESTION}
                yield row

    def __add__(self, other: SweepResult) -> SweepResult:
        """Add the result for other documents and their questions, swept over the same grid."""
        if [cell.key for cell in self.cells] != [cell.key for cell in other.cells]:
            raise ValueError("results over different grids do not add up")
        if any(cell.retrieval for result in (self, other) for cell in result.cells):
            # what comes first among some documents says nothing about what comes first among all
            raise ValueError("results with recall do not add up: rank the chunks of all documents together")
        questions = self.questions + other.questions if self.questions and other.questions else None
        return SweepResult(
            self.settings,
            self.corpus + other.corpus,
            questions or self.questions or other.questions,
            tuple(one + two for one, two in zip(self.cells, other.cells, strict=True)),
            self.skipped,
            fields=self.fields,
        )

    def cell(
        self, size: int | None, overlap: int | None = None, chunker: str | None = None, unit: str | None = None
    ) -> Cell:
        """Give one cell: the only one that fits, or of several the plain one (overlap 0, ``fixed``, characters).

        Raises
        ------
        KeyError
            None fits, or several do; the message names those of that size.
        """
        wanted = {"chunker": chunker, "unit": unit, "size": size, "overlap": overlap}
        given = {name: value for name, value in wanted.items() if value is not None or name == "size"}
        plain = {"chunker": "fixed", "unit": "char", "overlap": 0, **given}
        fitting = self._cells(given)
        chosen = fitting if len(fitting) == 1 else self._cells(plain)
        if len(chosen) == 1:
            return chosen[0]
        near = [cell for cell in self.cells if cell.size == size] or self.cells
        there = ", ".join(f"{cell.chunker} {cell.unit} {cell.size}/{cell.overlap}" for cell in near[:MOST_NAMED])
        raise KeyError(f"{'more than one' if fitting else 'no'} cell fits {given}; there are {there}")

    def _cells(self, wanted: Mapping[str, object]) -> list[Cell]:
        return [cell for cell in self.cells if all(getattr(cell, name) == wanted[name] for name in wanted)]

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON of format 1."""
        return {
            "format": FORMAT,
            "chunkscope": self.version,
            "settings": dict(self.settings),
            "corpus": self.corpus.to_dict(),
            "questions": self.questions.to_dict() if self.questions else None,
            "cells": [cell.to_dict() for cell in self.cells],
            "skipped": [
                {"chunker": chunker, "unit": unit, "size": pair.size, "overlap": pair.overlap, "reason": pair.reason}
                for chunker, unit, pair in self.skipped
            ],
            **(self.advice.to_dict() if self.advice is not None else {}),
            **(self._second_look() if self.advice is not None else {}),
            **({"holdout": self.held_out.to_dict()} if self.held_out is not None else {}),
            **({"retrieval": _plain(self.retrieval)} if self.retrieval is not None else {}),
            **({"fields": [vars(entry) for entry in self.fields]} if self.fields else {}),
            **({"ranks": ranks} if (ranks := list(self._shown_ranks())) else {}),
        }

    def _shown_ranks(self) -> Iterator[dict[str, Any]]:
        """Give what came first in the cells that reports show, as far as that was kept."""
        names = ("chunker", "unit", "size", "overlap", "retriever")
        for one in (self.retrieval or {}).get("best_of_ways", ()) if self.ranks else ():
            *setting, retriever = (one[name] for name in names)
            questions = {
                found.id: [[hit.document, hit.start, hit.end, hit.meets] for hit in found.above[:MOST_ABOVE]]
                for found in self.ranks.get((tuple(setting), retriever), ())
            }
            if questions:
                yield {**{name: one[name] for name in names}, "questions": questions}

    def _second_look(self) -> dict[str, Any]:
        """Give what is said with the advice: the limit, the documents that lose most, tokens above what models take."""
        worst = [{"document": one.document, "characters": one.characters, "lost": one.lost} for one in self.worst]
        found: dict[str, Any] = {"model_limit": vars(self.limit).copy()}
        found["worst_documents"] = _plain(worst[:MOST_WORST]) if self.looked_closely else None
        if self.tokens is not None:
            found["chunk_tokens"] = {**vars(self.tokens), "above": {str(n): k for n, k in self.tokens.above.items()}}
        return found
