"""What ``chunkscope init`` writes: a configuration with comments, and first questions with real quotes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sized

from chunkscope.corpus.document import LINE_END, Document
from chunkscope.questions.passages import KINDS, PassageKind, passages_of
from chunkscope.questions.quote_search import QuoteIndex
from chunkscope.spans.intervals import Span
from chunkscope.structure.analysis import DocumentAnalysis

MOST_QUESTIONS = 20
SHORTEST, LONGEST = 15, 300
"""Quotes of so many characters: long enough to stand once, short enough to be one statement."""
MOST_LINE_ENDS = 2
"""Text that is wrapped may go over so many; what goes over more is a form or a head, and no statement."""
GOLDEN = (5**0.5 - 1) / 2


def configuration(corpus: str, questions: str, *, is_outside: bool = False) -> str:
    """Write a ``chunkscope.toml``.

    Parameters
    ----------
    corpus, questions : str
        Paths relative to it.
    is_outside : bool
        The documents lie outside of its folder, where a configuration may not lead.

    Examples
    --------
    >>> import tomllib
    >>> tomllib.loads(configuration("docs", "questions.jsonl"))["size"]
    400
    """
    named = f"corpus = {_quoted(corpus)}"
    if is_outside:
        named = f"# {named}  # outside of this folder: name it on the command line"
    return f"""\
# What chunkscope looks at, and what must hold. Paths are relative to this file; every flag goes before it.
# The same entries may stand in pyproject.toml, under [tool.chunkscope] and [tool.chunkscope.check].

{named}
questions = {_quoted(questions)}
# include = ["*.md"]            # read these files only
# exclude = ["drafts/"]         # leave these files and folders out
# encoding = "cp932"            # of documents that are not UTF-8

# The setting of your indexing job, for check, chunks and show.
chunker = "fixed"               # fixed, sentence, heading or token; `chunkscope list` has all of them
size = 400
overlap = "1/6"                 # units, or a share of the size
# unit = "cl100k_base"          # what sizes count: "char", "word", or a token encoding

# The grid of `chunkscope sweep`.
# sizes = "50..800"
# overlaps = "1/6"

# Thresholds of `chunkscope check`: a count, a share such as "2%", or "none".
[check]
max_split = 0                   # questions whose evidence is cut
max_missing = 0                 # questions whose evidence is partly in no chunk
max_header_lost = 0             # table questions of which a row has lost its header
# max_rows_header_lost = "5%"   # table rows that have lost their header, whether or not a question needs them
# model_limit = 512             # what the embedding model takes, prepended text included
# model_unit = "cl100k_base"
# max_oversize = 0              # chunks above that
max_broken = 0                  # chunks that begin or end inside a character
# max_blank = 0                 # chunks in which nothing can be seen
# max_stale = 0                 # chunks of an index (--chunks) with text that their document no longer has
# max_orphaned = 0              # chunks of an index whose document is gone
# max_unindexed = 0             # documents without a chunk
# max_uncovered = "1%"          # characters that are in no chunk
# min_recall = "80%"            # questions answered by the chunks that rank first, once they have a text
# retriever = "bm25"            # what ranks the chunks
# context = 6000                # characters of them that are read
label_problems = "error"        # or "warn"
# baseline = "chunkscope-baseline.json"   # known findings, written by --write-baseline; or a result, for max_more_lost
"""


def _quoted(text: str) -> str:
    """Write a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def first_questions(documents: Iterable[Document], n: int = MOST_QUESTIONS) -> str:
    r"""Write questions to be filled in, each with a quote that stands once in its document.

    The quotes are spread over the documents, over all of each, and over what is in them: rows of tables, list items,
    lines of code, and sentences. First sentences alone would be split by no setting.

    Parameters
    ----------
    documents : iterable of Document
    n : int
        How many are wanted; there may be fewer to be had.

    Returns
    -------
    str
        JSON lines; empty where no document holds anything to quote.

    Examples
    --------
    >>> rules = Document("rules.md", "# 宿泊\n\n宿泊費の上限は1泊12,000円とする。\n実費が下回るときは実費を払う。\n")
    >>> print(first_questions([rules], 1), end="")
    {"id": "q1", "question": "", "doc": "rules.md", "evidence": ["実費が下回るときは実費を払う。"]}
    """
    # a corpus may be larger than memory, so it is gone through one by one
    known = documents if isinstance(documents, Sized) else list(documents)
    n_documents = len(known)
    lines: list[str] = []
    for number, document in enumerate(known):
        # what earlier documents did not have is taken from later ones
        due = -(-n * (number + 1) // n_documents) - len(lines)
        for start, end in _quotes(document, due, len(lines)) if due > 0 else ():
            record = {
                "id": f"q{len(lines) + 1}",
                "question": "",
                "doc": document.name,
                "evidence": [document.text[start:end]],
            }
            lines.append(json.dumps(record, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _quotes(document: Document, most: int, turn: int) -> list[Span]:
    """Choose quotes of a document: of each kind that it has in turn, and of each kind somewhere else each time.

    The turns go on from document to document, so that documents with one quote each do not all give their first.
    """
    kinds = _candidates(document)
    chosen: list[Span] = []
    for number in range(turn, turn + most):
        left = [kind for kind in kinds if kind]
        if not left:
            break
        spans = left[number % len(left)]
        # multiples of the golden ratio fill an interval evenly, however many there are
        chosen.append(spans.pop(int(len(spans) * ((number + 1) * GOLDEN % 1))))
    return sorted(chosen)


def _candidates(document: Document) -> list[list[Span]]:
    """Give what can be quoted, kind by kind: of each table its last row, for it is farthest from the header."""
    if not document.text:
        return []
    passages = passages_of(DocumentAnalysis(document))
    is_once = _stands_once(document.text, [(one.start, one.end) for one in passages])
    found: dict[PassageKind, dict[object, Span]] = {kind: {} for kind in KINDS}
    for one in passages:
        span = one.start, one.end
        if span in is_once and (one.kind != "row" or one.header is not None):
            found[one.kind][one.header if one.kind == "row" else span] = span
    return [list(spans.values()) for spans in found.values()]


def _stands_once(text: str, spans: Iterable[Span]) -> set[Span]:
    """Choose the spans that are fit to be quoted, and whose text stands nowhere else."""
    fit = [span for span in spans if _is_fit(text, span)]
    counts: Counter[str] = Counter()
    for quote, places in QuoteIndex([text[start:end] for start, end in fit]).find(text):
        counts[quote] += len(places)
    return {span for span in fit if counts[text[span[0] : span[1]]] == 1}


def _is_fit(text: str, span: Span) -> bool:
    """Tell what is neither too short nor too long for one statement, nor over many lines."""
    start, end = span
    if not SHORTEST <= end - start <= LONGEST:
        return False
    quote = text[start:end]
    is_row = quote.lower().startswith(("<tr", "<td", "<th"))
    return is_row or (len(LINE_END.findall(quote)) <= MOST_LINE_ENDS and not quote.startswith("<"))
