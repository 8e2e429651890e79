"""BEIR: a folder with documents, queries, and which documents are relevant to which query."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from chunkscope.corpus.document import Document
from chunkscope.corpus.json_lines import decoded_lines, parse_object
from chunkscope.errors import InputError, os_reason
from chunkscope.language import Text, say
from chunkscope.questions.sets.model import Collector, FileNames, ImportOptions, QuestionSet

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
USUAL_SPLIT = "test"


def is_beir(folder: str) -> bool:
    """Tell whether a folder has the files of such a set."""
    return all(os.path.exists(os.path.join(folder, name)) for name in (CORPUS, QUERIES))


def read_beir(folder: str, options: ImportOptions) -> QuestionSet:
    """Read a set that judges whole documents: each relevant one is quoted whole.

    Raises
    ------
    InputError
        A file that is missing or cannot be read.
    """
    found = Collector(folder, options.match or "any", os.sep)
    judged, split = _judgements(folder, options.split, found)
    documents, quotes = _documents(folder, found)
    n_unjudged = 0
    for number, record in _records(os.path.join(folder, QUERIES), found):
        place = f"{QUERIES}:{number}"
        name, text = record.get("_id"), record.get("text")
        if not isinstance(text, str) or not text.strip():
            found.leave_out(place, say("no text"))
            continue
        relevant = judged.pop(str(name), None)
        if relevant is None:
            n_unjudged += 1
            continue
        known = [key for key in relevant if key in quotes]
        for key in relevant:
            if key not in quotes:
                found.leave_out(place, say("document {name!r} is not in {file}, or empty", name=key, file=CORPUS))
        if known:
            evidence = [{"doc": quotes[key][0], "text": quotes[key][1]} for key in known]
            metadata = record.get("metadata")
            others = metadata if isinstance(metadata, dict) else {}
            ours = ("id", "question", "evidence", "doc", "spans", "match", "trap_docs")
            attributes = {key: value for key, value in others.items() if key not in ours}
            found.add(place, {"id": str(name), "question": text.strip(), "evidence": evidence, **attributes})
    return QuestionSet(
        path=folder,
        format="beir",
        questions=tuple(found.questions),
        documents=tuple(documents),
        left_out=tuple(found.left_out),
        notes=tuple(_notes(found, split, n_unjudged, len(judged), options)),
    )


def _notes(found: Collector, split: str, n_unjudged: int, n_unasked: int, options: ImportOptions) -> Iterator[Text]:
    yield say("judgements: {path}", path=split)
    if n_unjudged:
        yield say("{n:,} {n:query is|queries are} left out: not judged in {path}", n=n_unjudged, path=split)
    if n_unasked:
        yield say("{n:,} judged {n:query is|queries are} not in {file}", n=n_unasked, file=QUERIES)
    n_several = sum("match" in question for question in found.questions)
    if n_several and options.match is None:
        yield say(
            "{n:,} {n:query has|queries have} several relevant documents, of which one is enough (match: any)",
            n=n_several,
        )
    yield say("whole documents are judged, so the quotes are whole documents: a smaller chunk splits them")


def _judgements(folder: str, wanted: str | None, found: Collector) -> tuple[dict[str, list[str]], str]:
    """Give the relevant documents of each query, and the file that says so."""
    path = _judgement_file(folder, wanted)
    shown = os.path.relpath(path, folder).replace(os.sep, "/")
    judged: defaultdict[str, dict[str, None]] = defaultdict(dict)
    try:
        for number, line in decoded_lines(path, advice="save it as UTF-8"):
            cells = line.split("\t") if "\t" in line else line.split()
            cells = [cell.strip() for cell in cells]
            if len(cells) == 4:  # as TREC has it: query, 0, document, score
                cells = [cells[0], *cells[2:]]
            if number == 1 and not _is_number(cells[-1]):
                continue
            if len(cells) != 3 or not _is_number(cells[2]):
                found.leave_out(f"{shown}:{number}", say("not query, document and score"))
            elif float(cells[2]) > 0:
                judged[cells[0]][cells[1]] = None
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None
    return {query: list(documents) for query, documents in judged.items()}, shown


def _judgement_file(folder: str, wanted: str | None) -> str:
    try:
        names = sorted(name for name in os.listdir(os.path.join(folder, QRELS)) if name.endswith((".tsv", ".txt")))
    except OSError:
        names = []
    splits = {os.path.splitext(name)[0]: name for name in names}
    if not splits:
        raise InputError(f"{folder}: no judgements: there is no {QRELS}/*.tsv")
    chosen = wanted or (USUAL_SPLIT if USUAL_SPLIT in splits else next(iter(splits)))
    if chosen not in splits:
        raise InputError(f"{folder}: no judgements {chosen!r}; there are {', '.join(splits)}")
    return os.path.join(folder, QRELS, splits[chosen])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _documents(folder: str, found: Collector) -> tuple[list[Document], dict[str, tuple[str, str]]]:
    """Give the documents, and for the id of each its name and what is quoted of it."""
    names, documents = FileNames(), []
    quotes: dict[str, tuple[str, str]] = {}
    for number, record in _records(os.path.join(folder, CORPUS), found):
        place = f"{CORPUS}:{number}"
        key, title, text = record.get("_id"), record.get("title") or "", record.get("text") or ""
        if key is None or not isinstance(title, str) or not isinstance(text, str):
            found.leave_out(place, say("no '_id' with a text"))
        elif str(key) in quotes:
            found.leave_out(place, say("a document of that '_id' stands above"))
        elif (title + text).strip():
            name = names.of(str(key))
            whole = "\n\n".join(part for part in (title.strip(), text.strip()) if part)
            documents.append(Document(name, whole, {"title": title.strip()} if title.strip() else {}, "plain"))
            quotes[str(key)] = name, whole
    return documents, quotes


def _records(path: str, found: Collector) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects of a file; lines that are none are left out."""
    try:
        for number, line in decoded_lines(path, advice="save it as UTF-8"):
            try:
                yield number, parse_object(line)
            except InputError as error:
                found.leave_out(f"{os.path.basename(path)}:{number}", str(error))
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None
