"""Mending questions: what has one right way is written, and all else stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from chunkscope.questions.labels import EvidenceSpan, Fix, Labels
from chunkscope.questions.question import Question, QuestionFile, Quote

_LINE_END = re.compile(r"(\r\n|\n|\r)")


def fix_labels(
    questions: Sequence[Question], labels: Labels, fields: Mapping[str, str] | None = None
) -> list[dict[str, object]]:
    """Give the questions as JSON objects, mended where there is exactly one right way.

    Parameters
    ----------
    questions : sequence of Question
        Those that were checked.
    labels : Labels
        What the check found.
    fields : mapping, optional
        As it was given to `read_questions`.

    Returns
    -------
    list of dict
        An object a question, in order. Other fields, and quotes that are not mended, stay as they were.

    Notes
    -----
    A quote that differs from the document only in form, and would fit one place only, is replaced by what stands
    there. It is pinned only if it was before, or if what stands there occurs more than once: offsets go wrong with the
    next edit above them. Pins of quotes that have moved are renewed. Which of several places an ambiguous quote means
    is never guessed.

    Examples
    --------
    >>> from chunkscope.corpus.document import Document
    >>> from chunkscope.questions.check import check_labels
    >>> asked = [Question.of("q1", doc="a.md", evidence=["１２円"])]
    >>> fix_labels(asked, check_labels([Document("a.md", "価格は12円。")], asked))
    [{'id': 'q1', 'doc': 'a.md', 'evidence': ['12円']}]
    """
    names = {"doc": "doc", "evidence": "evidence", "spans": "spans", **(fields or {})}
    records = []
    for number, question in enumerate(questions):
        keys = [(number, place) for place in range(len(question.quotes))]
        found = [labels.pins.get(key) or labels.fixes.get(key) for key in keys]
        mended = [_mended(quote, right) for quote, right in zip(question.quotes, found, strict=True)]
        record = dict(question.record) or _record_of(question)
        if any(mended):
            homes = {right.document if right else None for right in found}
            record = _with_mended(record, question, mended, names, homes.pop() if len(homes) == 1 else None)
        records.append(record)
    return records


def fixed_lines(questions: QuestionFile, labels: Labels) -> Iterator[str]:
    """Give the lines of a file with the questions mended: those that need no mending as they are, blank ones too."""
    records = fix_labels(questions.questions, labels, questions.fields)
    mended = {
        question.line: record
        for question, record in zip(questions.questions, records, strict=True)
        if record != question.record
    }
    parts = _LINE_END.split(questions.text)
    for number, (line, end) in enumerate(zip_longest(parts[::2], parts[1::2], fillvalue=""), 1):
        yield (json.dumps(mended[number], ensure_ascii=False) if number in mended else line) + end


def _mended(quote: Quote, right: EvidenceSpan | Fix | None) -> Quote | None:
    """Give what a quote becomes; None where it stays as it is."""
    if right is None:
        return None
    span = (right.start, right.end)
    if isinstance(right, EvidenceSpan):
        return None if quote.span in (None, span) else replace(quote, span=span)
    if quote.span is None and not right.needs_pin:
        return replace(quote, text=right.text)
    return Quote(quote.document or right.document, right.text, span)


def _with_mended(
    record: dict[str, object],
    question: Question,
    mended: Sequence[Quote | None],
    names: Mapping[str, str],
    home: str | None,
) -> dict[str, object]:
    """Write mended quotes into a record; `home` is the document that holds all of them, if it is one."""
    evidence, spans = record.get(names["evidence"]), record.get(names["spans"])
    items = list(evidence) if isinstance(evidence, list) else [evidence]
    rows: list[object] = list(spans) if isinstance(spans, list) and spans else [None] * len(items)
    if len(rows) != len(items):
        rows = [rows]  # a quote alone may have its pair alone
    for place, (item, old, new) in enumerate(zip(items, question.quotes, mended, strict=True)):
        if new is None:
            continue
        if isinstance(item, dict):
            items[place] = _mended_object(item, old, new, is_pinned_apart=rows[place] is not None)
        else:
            items[place] = new.text
        if new.span is not None and (rows[place] is not None or not isinstance(item, dict)):
            rows[place] = list(new.span)
    record[names["evidence"]] = items if isinstance(evidence, list) else items[0]
    if any(rows):
        record[names["spans"]] = rows
    is_homeless = any(new and new.document != old.document for old, new in zip(question.quotes, mended, strict=True))
    if is_homeless and home is not None and not any(isinstance(item, dict) for item in items):
        record[names["doc"]] = home
    return record


def _mended_object(item: Mapping[str, object], old: Quote, new: Quote, *, is_pinned_apart: bool) -> dict[str, object]:
    changed: dict[str, object] = {**item, "text": new.text}
    if new.document != old.document:
        changed["doc"] = new.document
    if new.span is not None and (item.get("start") is not None or not is_pinned_apart):
        changed["start"] = new.span[0]
        if item.get("end") is not None:
            changed["end"] = new.span[1]
    return changed


def _record_of(question: Question) -> dict[str, object]:
    """Write a question that was made without a record."""
    evidence = [
        {"text": quote.text}
        | ({} if quote.document is None else {"doc": quote.document})
        | ({} if quote.span is None else {"start": quote.span[0], "end": quote.span[1]})
        for quote in question.quotes
    ]
    record: dict[str, object] = {"id": question.id}
    if question.question is not None:
        record["question"] = question.question
    record["evidence"] = evidence
    if question.match != "all":
        record["match"] = question.match
    if question.trap_docs:
        record["trap_docs"] = list(question.trap_docs)
    return {**record, **question.attributes}
