"""The ranking in use: what a retriever of one's own gave for each question, kept in a file.

The file has a question a line, ``{"id": "q1", "chunks": ["rules.md#3", "rules.md#0"], "scores": [0.81, 0.64]}``, or
it is a run file of TREC, ``q1 Q0 rules.md#3 1 0.81 mine``. Chunks stand in order, the best first; scores may be left
out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, NamedTuple

from chunkscope.corpus.decoding import read_bytes
from chunkscope.corpus.json_lines import decoded_lines, parse_object, tell_faults
from chunkscope.errors import InputError, did_you_mean, os_reason, spoken_type
from chunkscope.retrieval.hits import Hits, first_names, read_hits, read_id, read_score
from chunkscope.retrieval.listed import ListedSearcher
from chunkscope.retrieval.retriever import Collection

LINE = '{"id": "q1", "chunks": ["rules.md#3", "rules.md#0"], "scores": [0.81, 0.64]}'
TREC = "QUESTION Q0 CHUNK RANK SCORE TAG"


@dataclass(frozen=True, eq=False)
class Run:
    """A ranking that was made elsewhere, as a retriever for the one cell whose chunks it ranks.

    Attributes
    ----------
    path : str
    name : str
        Its tag, or the name of the file without its suffix.
    sha256 : str
        Of the file.
    hits : mapping of str to Hits
        What was found for each question, by its id.
    """

    path: str
    name: str
    sha256: str
    hits: Mapping[str, Hits] = field(repr=False)

    of_one_cell = True

    @property
    def settings(self) -> dict[str, Any]:
        """Which file it is."""
        return {"run": self.path, "sha256": self.sha256}

    def searcher(self, collection: Collection) -> ListedSearcher:
        """Give what ranks the chunks of the cell.

        Raises
        ------
        InputError
            It answers questions that are not asked.
        """
        known = {*collection.question_ids, *collection.other_ids}
        unknown = [name for name in self.hits if name not in known]
        if unknown:
            hint = did_you_mean(unknown[0], known)
            raise InputError(
                f"{self.path}: {len(unknown):,} of its {len(self.hits):,} questions {_are(unknown)} not among those "
                f"that are asked: {first_names(unknown)}{f'; {hint}' if hint else ''}"
            )
        found = [self.hits.get(name) for name in collection.question_ids]
        return ListedSearcher(self.path, lambda _: found)


def _are(some: Sequence[str]) -> str:
    return "is" if len(some) == 1 else "are"


class _Entry(NamedTuple):
    """What one line says: all that was found for a question, or in TREC's form a single chunk."""

    question: str
    hits: Hits
    rank: int | None = None
    tag: str | None = None


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a ranking from JSON lines, or from a run file of TREC, always in UTF-8.

    Parameters
    ----------
    path : path
        What its first line begins with, a bracket or not, tells which it is.

    Raises
    ------
    InputError
        No such file, nothing in it, lines that cannot be read (the first, and the numbers of the others), a question, a
        rank or a chunk that stands twice, or scores in some lines only.
    DecodingError
        Not UTF-8.
    """
    shown = os.fspath(path)
    try:
        digest = hashlib.sha256(read_bytes(shown)).hexdigest()
        lines = list(decoded_lines(shown, advice="save the run as UTF-8"))
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    if not lines:
        raise InputError(f"{shown}: no ranking in it; write lines such as {LINE}")
    is_json = lines[0][1].lstrip("\ufeff \t")[0] in "{["
    entries = _read(lines, shown, is_json)
    hits = _by_question(entries, shown) if is_json else _by_rank(entries, shown)
    _check_scores(hits, shown)
    tag = entries[0][1].tag
    return Run(shown, tag or PurePath(shown).stem, digest, hits)


def _read(lines: Iterable[tuple[int, str]], path: str, is_json: bool) -> list[tuple[int, _Entry]]:
    entries, faults = [], []
    for number, line in lines:
        try:
            entries.append((number, _of_json(line) if is_json else _of_trec(line)))
        except InputError as error:
            faults.append((number, str(error)))
    if faults:
        raise InputError(tell_faults(path, faults))
    return entries


def _of_json(line: str) -> _Entry:
    record = parse_object(line)
    for name in ("id", "chunks"):
        if record.get(name) is None:
            raise InputError(f"no {name!r}; write {LINE}")
    question, scores = read_id(record["id"], "'id'"), record.get("scores")
    hits = read_hits(record["chunks"])
    if scores is None:
        return _Entry(question, hits)
    if hits.scores is not None:
        raise InputError("scores stand beside the chunks and in 'scores'; write them once")
    if not isinstance(scores, list) or len(scores) != len(hits.chunks):
        n = len(scores) if isinstance(scores, list) else spoken_type(scores)
        raise InputError(f"'scores' must be a list of {len(hits.chunks)}, one for each chunk, not {n}")
    return _Entry(question, Hits(hits.chunks, tuple(map(read_score, scores))))


def _of_trec(line: str) -> _Entry:
    parts = line.split(None, 2)
    # names of documents, and so ids of chunks, may have spaces
    rest = parts[2].rsplit(None, 3) if len(parts) == 3 else []
    if len(rest) != 4:
        raise InputError(f"not a line of a run, {TREC}, nor a JSON object such as {LINE}")
    chunk, rank, score, tag = rest
    try:
        place = int(rank)
    except ValueError:
        raise InputError(f"rank {rank!r} is no whole number") from None
    try:
        value: object = float(score)
    except ValueError:
        value = score
    return _Entry(parts[0], Hits((chunk,), (read_score(value),)), place, tag)


def _by_question(entries: Iterable[tuple[int, _Entry]], path: str) -> dict[str, Hits]:
    found: dict[str, Hits] = {}
    for number, entry in entries:
        if entry.question in found:
            raise InputError(f"{path}:{number}: question {entry.question!r} stands twice")
        found[entry.question] = entry.hits
    return found


def _by_rank(entries: Sequence[tuple[int, _Entry]], path: str) -> dict[str, Hits]:
    found: dict[str, dict[int, Hits]] = {}
    seen: set[tuple[str, str]] = set()
    first = entries[0][1].tag
    for number, (question, hits, rank, tag) in entries:
        if tag != first:
            raise InputError(f"{path}:{number}: tag {tag!r}, after {first!r}; write each run into a file of its own")
        ranks, chunk = found.setdefault(question, {}), hits.chunks[0]
        if rank in ranks:
            raise InputError(f"{path}:{number}: rank {rank} of question {question!r} stands twice")
        if (question, chunk) in seen:
            raise InputError(f"{path}:{number}: chunk {chunk!r} of question {question!r} stands twice")
        seen.add((question, chunk))
        ranks[rank or 0] = hits
    return {question: _joined(ranks[rank] for rank in sorted(ranks)) for question, ranks in found.items()}


def _joined(parts: Iterator[Hits]) -> Hits:
    several = list(parts)
    return Hits(tuple(hits.chunks[0] for hits in several), tuple(hits.scores[0] for hits in several if hits.scores))


def _check_scores(hits: Mapping[str, Hits], path: str) -> None:
    listing = [(name, one.scores) for name, one in hits.items() if one.chunks]
    without = [name for name, scores in listing if scores is None]
    if without and len(without) < len(listing):
        raise InputError(
            f"{path}: {len(without):,} of {len(listing):,} questions have chunks without scores, {without[0]!r} first; "
            "give scores everywhere, or nowhere"
        )
