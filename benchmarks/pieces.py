"""What the splitters of packages do to real documents, and what it costs to find their pieces.

``python benchmarks/pieces.py DATA [--only NAME,...]``

DATA holds the folders ``nagisa_ja``, ``tables``, ``chroma_eval`` and ``messy``. Every splitter with a short name that
is installed splits all of them, at 400 characters, 128 tokens or 60 words where it takes a size. Each piece must lie
where its letters are, and what is split must be what loops over these places find (`tests/oracle`). Then a splitter
runs at 12 settings over ``tables``, and the search for its pieces is timed beside it.
Writes ``benchmarks/results/pieces.json``; with ``--only`` the others stay as they are there.

``unstructured:by-title`` is the chunker of unstructured over paragraphs, where that package is installed: what reads
Markdown there fetches a model of spaCy. What reads Markdown in docling needs torch, and is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

from speed import HERE, processor

from chunkscope import Corpus, Question, check_labels, read_corpus, read_questions, sweep
from chunkscope.chunkers.pieces import Pieces
from chunkscope.corpus.document import Document
from chunkscope.errors import MissingPartError, SplitterError
from chunkscope.splitters.chunker import SplitterChunker, as_chunker, parse_splitter
from chunkscope.splitters.look import Look
from chunkscope.splitters.packages import SPLITTERS
from chunkscope.splitters.pieces import REPLACEMENT, PieceChunker, place
from chunkscope.structure.analysis import DocumentAnalysis

sys.path.insert(0, str(HERE.parent / "tests"))  # the oracle stands there

from oracle.inspection import has_header
from oracle.spans import is_held

CORPORA = {
    "nagisa_ja": ("nagisa_ja/docs", "nagisa_ja/questions.jsonl"),
    "tables": ("tables/docs", "tables/questions.jsonl"),
    "state_of_the_union": ("chroma_eval/docs/state_of_the_union.md", "chroma_eval/questions.jsonl"),
    "messy": ("messy/files", None),
}
SIZES = {"char": (400, 50), "words between spaces": (60, 8)}
TOKENS = (128, 16)
WITH_OFFSETS = dict.fromkeys(("langchain:recursive", "langchain:token"), "add_start_index=True")
EDITED = {"edits", "markup", "punctuation"}
COUNTS = (
    *("pieces", "exact", "normalised", "prepended", "not_found", "empty"),
    *("claimed", "wrong_offsets", "ambiguous", "broken", "inside", "header_lost", "rows"),
)
EVERY, LONG = 1500, 60
"""Besides the questions, a passage in so many characters is evidence, so long."""
SETTINGS = [(size, overlap) for size in (200, 400, 600, 800, 1200, 2000) for overlap in (0, size // 6)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "pieces.json")
    chosen = parser.parse_args()
    corpora = {name: Corpus.of(tuple(read(chosen.data / path))) for name, (path, _) in CORPORA.items()}
    asked = {name: list(questions(corpora[name], chosen.data, CORPORA[name][1])) for name in CORPORA}
    report = json.loads(chosen.output.read_text("utf-8")) if chosen.only else {"splitters": {}, "packages": {}}
    for name in chosen.only.split(",") if chosen.only else (*SPLITTERS, *OTHERS):
        try:
            chunker = at_its_size(name)
            report["packages"] |= {package_of(name): version(package_of(name))}
        except (MissingPartError, PackageNotFoundError) as error:
            print(f"{name} is left out: {error}", flush=True)
            continue
        counted = {corpus: look_at(chunker, documents, asked[corpus]) for corpus, documents in corpora.items()}
        report["splitters"][name] = {"setting": str(chunker), "corpora": counted}
        print(f"{chunker}: {json.dumps(counted, ensure_ascii=False)}", flush=True)
    report["corpora"] = {
        name: {"documents": len(found), "characters": sum(one.length for one in found), "evidence": len(asked[name])}
        for name, found in corpora.items()
    }
    if not chosen.only:
        report["machine"] = {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}
        report["alignment"] = time_alignment(corpora["tables"])
    chosen.output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")


def unstructured_by_title(text: str, max_characters: int) -> list[str]:
    """Chunk paragraphs as unstructured does."""
    from unstructured.chunking.title import chunk_by_title
    from unstructured.documents.elements import NarrativeText, Title

    parts = [part.strip() for part in text.split("\n\n") if part.strip()]
    elements = [(Title if part.startswith("#") else NarrativeText)(part) for part in parts]
    return [chunk.text for chunk in chunk_by_title(elements, max_characters=max_characters)]


OTHERS = {"unstructured:by-title": unstructured_by_title}


def package_of(name: str) -> str:
    return SPLITTERS[name].package if name in SPLITTERS else name.partition(":")[0]


def read(path: Path) -> Corpus:
    return read_corpus(path, skip_unreadable=True)


def questions(corpus: Corpus, data: Path, path: str | None) -> Iterator[Question]:
    """Give the questions about the documents that are there, and one about a passage in so many characters."""
    names = {document.name for document in corpus}
    if path is not None:
        yield from (
            one for one in read_questions(data / path).questions if {quote.document for quote in one.quotes} <= names
        )
    for document in corpus:
        for start in range(EVERY // 2, document.length - LONG, EVERY):
            span = (start, start + LONG)
            if document.text[slice(*span)].strip() == document.text[slice(*span)]:
                name = f"{document.name}:{start}"
                yield Question.of(name, doc=document.name, evidence=document.text[slice(*span)], spans=[list(span)])


def at_its_size(name: str) -> SplitterChunker:
    """Give a splitter at the size that is asked of all with its unit; others keep their own."""
    if name in OTHERS:
        return as_chunker(OTHERS[name], name).at(SIZES["char"][0])
    chunker = parse_splitter(name, WITH_OFFSETS.get(name, ""))
    splitter = chunker.splitter
    if not splitter.takes_size:
        return chunker
    size, overlap = SIZES.get(splitter.unit or splitter.counts, TOKENS if splitter.unit else (splitter.default_size, 0))
    return chunker.at(size, overlap if splitter.takes_overlap else 0)


@dataclass(frozen=True)
class Ready(PieceChunker):
    """Pieces that have been found already, as a way of cutting."""

    name: ClassVar[str] = "ready"
    found: Mapping[str, Pieces] = field(kw_only=True, repr=False, compare=False)

    needs_size = False

    def pieces_of(self, documents: Sequence[Document]) -> list[Pieces]:
        return [self.found[document.name] for document in documents]


def look_at(chunker: SplitterChunker, corpus: Corpus, asked: list[Question]) -> dict[str, Any]:
    """Count what is wrong with the pieces, and hold what a sweep counts to loops over the places."""
    looks: dict[str, Look] = {}
    failures = {}
    for document in corpus:
        try:
            looks[document.name] = Look.at(document, chunker)
        except SplitterError as error:
            failures[document.name] = str(error)
    counts, changes, reasons = Counter[str](), Counter[str](), Counter[str]()
    for look in looks.values():
        counts.update(look.counts())
        problems = {problem.code: problem.found for problem in look.problems()}
        counts.update({code: len(found) for code, found in problems.items()})
        changes.update(change for one in look.found.changes for change in one)
        reasons.update(map(look.why_not_found, problems["not_found"].tolist()))
    return {
        **{name: counts[name] for name in COUNTS},
        "changes": dict(changes),
        "reasons": dict(reasons),
        "failures": dict(Counter(failures.values())),
        **held_to_loops(looks, asked),
    }


def held_to_loops(looks: Mapping[str, Look], asked: list[Question]) -> dict[str, Any]:
    """Give what a sweep counts beside what loops count."""
    if not looks:
        return {"elsewhere": 0, "split": [0, 0], "rows_with_header": [0, 0]}
    documents = [look.document for look in looks.values()]
    asked = [one for one in asked if all(quote.document in looks for quote in one.quotes)]
    labels = check_labels(documents, asked)
    ready = Ready(found={name: look.pieces for name, look in looks.items()})
    options: dict[str, Any] = {"with_cuts": False, "with_ids": False, "skip_bad_labels": True, "jobs": 1}
    cell = sweep(documents, labels, chunkers=[ready], **options).cells[0]
    evidence = defaultdict(list)
    for located in labels.valid:
        for span in located.evidence:
            evidence[span.document].append((span.start, span.end))
    looped = Counter[str]()
    for name, look in looks.items():
        looped.update(loop_over(look, evidence[name]))
    return {
        "elsewhere": looped["elsewhere"],
        "split": [cell.split_evidence, looped["split"]],
        "rows_with_header": [cell.table_rows_with_header, looped["rows_with_header"]],
    }


def loop_over(look: Look, evidence: list[tuple[int, int]]) -> dict[str, int]:
    """Count by loops what no piece holds, and the pieces whose letters are not those of their place.

    Those that are said to be edited are left out of the latter.
    """
    document, pieces = look.document, look.pieces
    repeated: list[list[tuple[int, int]]] = [[] for _ in pieces.texts]
    for owner, (start, end) in zip(pieces.owners.tolist(), pieces.prepended.tolist(), strict=True):
        repeated[owner].append((start, end))
    spans = [(start, end) if start < end else None for start, end in pieces.spans.tolist()]
    rows = list(zip(pieces.texts, spans, spans, repeated, strict=True))
    found = [span for span in spans if span is not None]
    tables = DocumentAnalysis(document).tables
    return {
        "split": sum(not is_held(found, *span) for span in evidence),
        "rows_with_header": sum(has_header(rows, table, row) for table in tables if table.header for row in table.rows),
        "elsewhere": sum(
            span is not None and not EDITED & set(how) and not lies_there(document.text[slice(*span)], own)
            for (own, span, *_), how in zip(rows, look.found.changes, strict=True)
        ),
    }


def lies_there(passage: str, piece: str) -> bool:
    """Tell whether a piece has the letters of a passage, or its longest part between torn characters stands there.

    Written anew, so that it knows nothing of how the passage was found.
    """
    whole, own = letters(passage), letters(piece)
    if whole in own if whole else not own:
        return True
    torn = [letters(part) for part in piece.split(REPLACEMENT)]
    return len(torn) > 1 and max(torn, key=len) in whole


def letters(text: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(filter(str.isalnum, folded)) or "".join(folded.split())


def time_alignment(corpus: Corpus) -> dict[str, Any]:
    """Time a splitter at several settings, and the search for its pieces, in turn."""
    splitter = parse_splitter("langchain:recursive", "").splitter
    splitting = aligning = 0.0
    n_pieces = 0
    for size, overlap in SETTINGS:
        for document in corpus:
            start = time.process_time()
            raw = splitter.split(document.text, size, overlap)
            between = time.process_time()
            place(document, raw)
            aligning += time.process_time() - between
            splitting += between - start
            n_pieces += len(raw)
    return {
        "splitter": splitter.name,
        "settings": SETTINGS,
        "pieces": n_pieces,
        "splitting_seconds": round(splitting, 2),
        "aligning_seconds": round(aligning, 2),
    }


if __name__ == "__main__":
    main()
