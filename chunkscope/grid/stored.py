"""A result read back from its JSON, so that every report can be made of it again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from chunkscope.errors import ChunkscopeError, InputError
from chunkscope.grid.advice import Advice, HeldOut, NoAdvice, Remedy, WinningSizes, advise
from chunkscope.grid.comparison import read_result
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.notation import Skipped
from chunkscope.grid.pairing import Record
from chunkscope.grid.ranks import Hit, QuestionRank
from chunkscope.grid.results import (
    Cell,
    CellKey,
    ChunkTokens,
    CorpusInfo,
    QuestionsInfo,
    SweepResult,
    ranked_by,
)
from chunkscope.measures.base import Field
from chunkscope.measures.damage import DocumentDamage
from chunkscope.measures.lengths import ChunkLengths, LengthCounts

OF_HOLDOUT = ("advice", "chosen_on", "held_out")
_CELL = {entry.name: entry.type for entry in fields(Cell)}
_IDS = ("split_question_ids", "header_lost_question_ids")


@dataclass(frozen=True, eq=False)
class StoredLengths(ChunkLengths):
    """Lengths of which only the figures are known; the lengths one by one are not.

    Examples
    --------
    >>> stored = StoredLengths(3, 90, 10, 50, 30)
    >>> stored.mean, stored.median, stored.longest
    (30.0, 30, 50)
    """

    n_chunks: int
    characters: int
    least: int | None
    most: int | None
    middle: float | None

    @property
    def counted(self) -> LengthCounts:
        """They are not known: a result has the figures only."""
        raise ValueError("a stored result does not have the lengths of chunks one by one")

    @property
    def n(self) -> int:
        """How many chunks there are."""
        return self.n_chunks

    @property
    def total(self) -> int:
        """Characters of all chunks."""
        return self.characters

    @property
    def shortest(self) -> int | None:
        """The shortest length; None without chunks."""
        return self.least

    @property
    def longest(self) -> int | None:
        """The longest length; None without chunks."""
        return self.most

    @property
    def median(self) -> float | None:
        """The middle length; None without chunks."""
        return self.middle


def read_sweep(path: str | os.PathLike[str]) -> SweepResult:
    """Read the result of a sweep or a recall from its JSON.

    Raises
    ------
    InputError
        No such file, no result of ours, one of a later format, or one that has been changed so that it makes no sense.
    """
    return sweep_of(read_result(path), os.fspath(path))


def sweep_of(record: Record, path: str = "the result") -> SweepResult:
    """Make a result of what `SweepResult.to_dict` gives; the messages name `path`.

    Lengths of chunks are known by their figures only. Warnings, and why pairs of a grid cannot run, are in English.

    Examples
    --------
    >>> from chunkscope import Document, Question, sweep
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。")
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = sweep([rules], asked, chunkers="fixed", sizes=[13, 20], overlaps=[0])
    >>> sweep_of(result.to_dict()).to_dict() == result.to_dict()
    True
    """
    with taken_at_its_word(path):
        return _retold(_sweep(record))


@contextlib.contextmanager
def taken_at_its_word(path: str) -> Iterator[None]:
    """Say that a file is at fault where what it says makes no sense to whoever works with it.

    Raises
    ------
    InputError
    """
    try:
        yield
    except ChunkscopeError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError) as error:
        raise InputError(
            f"{path}: not a result as chunkscope writes it ({type(error).__name__}: {error!s:.99}); run the sweep again"
        ) from error


def _retold(result: SweepResult) -> SweepResult:
    """Say why there is no advice in words that can be said in other languages too, where the rule says the same."""
    if not isinstance(result.advice, NoAdvice) or result.retrieval is not None:
        return result
    again = advise(result, limit=result.limit)
    same = isinstance(again, NoAdvice) and str(again.reason) == str(result.advice.reason)
    return replace(result, advice=again) if same else result


def _sweep(record: Record) -> SweepResult:
    further = tuple(Field(**entry) for entry in record.get("fields", ()))
    corpus = _corpus(record["corpus"])
    cells = tuple(_cell(cell, corpus.characters, {entry.name for entry in further}) for cell in record["cells"])
    keys = [cell.key for cell in cells]
    if len(set(keys)) < len(keys):
        raise ValueError("a setting stands twice")
    advice = _advice(record)
    if isinstance(advice, Advice) and advice.key not in keys:
        raise ValueError("the advised setting is not there")
    held_out, tokens = record.get("holdout"), record.get("chunk_tokens")
    worst = record.get("worst_documents", ())
    return SweepResult(
        settings=_settings(record["settings"]),
        corpus=corpus,
        questions=None if record.get("questions") is None else _questions(record["questions"]),
        cells=cells,
        skipped=tuple(
            (one["chunker"], one["unit"], Skipped(one["size"], one["overlap"], one["reason"]))
            for one in record["skipped"]
        ),
        retrieval=_retrieval(record.get("retrieval"), cells),
        fields=further,
        advice=advice,
        held_out=None if held_out is None else _held_out(held_out),
        limit=ModelLimit(**record["model_limit"]) if "model_limit" in record else UNNAMED,
        worst=tuple(_damage(one) for one in worst or ()),
        looked_closely=worst is not None,
        tokens=None if tokens is None else _tokens(tokens),
        version=_text(record["chunkscope"]),
        ranks=_ranks(record.get("ranks", ()), cells),
    )


def _settings(found: Any) -> dict[str, Any]:
    """Hold to their types the settings by which documents are read and cut again."""
    if not isinstance(found, dict):
        raise TypeError("settings")
    for name in ("encoding", "markup", "dialect"):
        _text(found.get(name) or "")
    for name in ("include", "exclude", "overlaps", "chunkers"):
        if not isinstance(found.get(name) or [], list | tuple):
            raise TypeError(name)
        for one in found.get(name) or ():
            _text(one)
    for name in ("encodings", "chunks", "chunk_fields", "versions"):
        _texts(found.get(name) or {})
    for memory in (found.get("splitters") or {}).values():
        _texts(memory)
    return dict(found)


def _retrieval(found: Record | None, cells: tuple[Cell, ...]) -> Record | None:
    """Give the comparison of a recall, which must have ranked every cell with each of its retrievers."""
    ranked = {len(cell.retrieval or ()) for cell in cells}
    if cells and ranked != {0 if found is None else len([_text(name) for name in found["retrievers"]])}:
        raise ValueError("retrievers")
    return found


def _corpus(found: Record) -> CorpusInfo:
    largest = found.get("largest_document") or {"name": "", "characters": 0}
    return CorpusInfo(
        _text(found["path"]),
        _number(found["documents"]),
        _number(found["characters"]),
        _texts(found["files"]),
        tuple(map(_text, found["unreadable"])),
        _numbers(found["ignored"]),
        _numbers(found.get("kinds", {})),
        (_text(largest["name"]), _number(largest["characters"])),
    )


def _questions(found: Record) -> QuestionsInfo:
    return QuestionsInfo(
        _text(found["path"]),
        _text(found["sha256"]),
        _number(found["total"]),
        _number(found["valid"]),
        _number(found["without_evidence"]),
        tuple((_text(one["id"]), _text(one["problem"])) for one in found["excluded"]),
        _number(found["evidence"]),
        _number(found["table"]),
        _numbers(found["longest_evidence"]),
        _texts(found["ids"]),
    )


def _cell(found: Record, characters: int, further: set[str]) -> Cell:
    counts: dict[str, Any] = {}
    for name, kind in _CELL.items():
        if name in found and ("int" in kind or "float" in kind) and "Mapping" not in kind:
            counts[name] = None if found[name] is None else _number(found[name])
    size, overlap = (counts.pop(name) for name in ("size", "overlap"))
    for name in _IDS:
        if found.get(name) is not None:
            counts[name] = tuple(map(_text, found[name]))
    if found.get("pieces") is not None:
        counts["pieces"] = _numbers(found["pieces"])
    if found.get("failures") is not None:
        counts["failures"] = tuple((_text(one["document"]), _text(one["reason"])) for one in found["failures"])
    if found.get("precision_omega") is not None:
        counts["precision_omega"] = _omega(found["precision_omega"])
    if found.get("model_chunk_lengths") is not None:
        counts["model_lengths"] = _lengths(found["model_chunk_lengths"], counts["chunks"])
    if found.get("retrieval") is not None:
        each = found["retrieval"] if isinstance(found["retrieval"], list) else [found["retrieval"]]
        counts["retrieval"] = tuple(map(_ranked, each))
    return Cell(
        _text(found["chunker"]),
        _text(found["unit"]),
        size,
        overlap,
        characters,
        lengths=_of_all(found, counts, characters),
        cuts=_numbers(found["cuts"]),
        extra={name: found[name] for name in found if name in further},
        **counts,
    )


def _ranked(found: Record) -> Record:
    """Hold what a retriever found to what reports read."""
    ks = [str(_number(k)) for k in found["k"]]
    for name in ("answered", "strict", "start"):
        for k in ks:
            hits, total = found[name][k]
            _number(hits), _number(total)
    for k in ks:
        _numbers(found["misses"][k])
    for name in ("missed", "first_rank_answered"):
        _items(found.get(name) or {})
    for name in ("settings", "context", "intervals"):
        _items(found[name])
    _text(found["retriever"])
    return dict(found)


def _of_all(found: Record, counts: Mapping[str, Any], characters: int) -> StoredLengths:
    """Give the lengths of the texts to index; windows without a whole character have none."""
    mean, n = found["chunk_chars"]["mean"], counts["chunks"]
    if mean and counts.get("broken_chunks"):
        n = min(n, round((found["duplication"] or 0) * characters / mean))
    return _lengths(found["chunk_chars"], n)


def _lengths(found: Record, n: int) -> StoredLengths:
    least, mean, middle, most = (
        None if found[name] is None else _number(found[name]) for name in ("min", "mean", "median", "max")
    )
    return StoredLengths(n, round((mean or 0) * n), least, most, middle)


def _omega(found: Record) -> dict[str, float]:
    """Give sums that have this mean and deviation."""
    if found["mean"] is None:
        return {"questions": 0, "sum": 0.0, "squares": 0.0}
    mean, deviation = _number(found["mean"]), _number(found["std"])
    return {"questions": 1, "sum": mean, "squares": mean**2 + deviation**2}


def _ranks(found: Any, cells: tuple[Cell, ...]) -> dict[tuple[CellKey, str], list[QuestionRank]]:
    """Give what came first, with the ranks and the causes that the cell has of each question."""
    by_key = {cell.key: cell for cell in cells}
    ranks = {}
    for one in found:
        key: CellKey = (one["chunker"], one["unit"], one["size"], one["overlap"])
        ranked = ranked_by(by_key[key], one["retriever"])
        missed, first = ranked.get("missed", {}), ranked.get("first_rank_answered", {})
        ranks[key, _text(one["retriever"])] = [
            QuestionRank(_text(name), "", first.get(name), missed.get(name), tuple(_hit(*hit) for hit in hits))
            for name, hits in one["questions"].items()
        ]
    return ranks


def _hit(document: Any, start: Any, end: Any, meets: Any) -> Hit:
    if not isinstance(meets, bool) or not isinstance(start, int) or not isinstance(end, int):
        raise TypeError("a hit")
    return Hit(_text(document), start, end, 0, 0.0, "", meets)


def _advice(record: Record) -> Advice | NoAdvice | None:
    if "advice" not in record:
        return None
    if record["advice"] is None:
        return NoAdvice(_text(record["advice_reason"]))
    found = dict(record["advice"])
    run = found["run"]
    found["run"] = None if run is None else WinningSizes(**run)
    found["remedies"] = tuple(Remedy(**one) for one in found["remedies"])
    return Advice(**found)


def _held_out(found: Record) -> HeldOut:
    advice = _advice(found)
    if not isinstance(advice, Advice):
        raise TypeError("holdout")
    (hits, n), (others, n_others) = found["chosen_on"], found["held_out"]
    settings = {name: value for name, value in found.items() if name not in OF_HOLDOUT}
    return HeldOut(advice, (hits, n), (others, n_others), settings)


def _damage(found: Record) -> DocumentDamage:
    lost = {kind: (_number(n), _number(total)) for kind, (n, total) in found["lost"].items()}
    return DocumentDamage(_text(found["document"]), _number(found["characters"]), lost)


def _tokens(found: Record) -> ChunkTokens:
    above = {int(limit): _number(n) for limit, n in found["above"].items()}
    return ChunkTokens(_text(found["unit"]), _number(found["chunks"]), above)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.50} is no text")
    return value


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r:.50} is no number")
    return value


def _items(found: Mapping[Any, Any]) -> None:
    for name, _ in found.items():
        _text(name)


def _texts(found: Mapping[Any, Any]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in found.items()}


def _numbers(found: Mapping[Any, Any]) -> dict[str, Any]:
    return {_text(name): _number(value) for name, value in found.items()}
