"""Questions mended where there is exactly one right way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chunkscope.questions.labels import Fix, Labels
from chunkscope.questions.question import Question


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
    Good quotes get their spans. A quote that differs from the document only in form, and would fit one place only,
    is replaced by what stands there. Which of several places an ambiguous quote means is never guessed.

    Examples
    --------
    >>> from chunkscope.corpus.document import Document
    >>> from chunkscope.questions.check import check_labels
    >>> asked = [Question.of("q1", doc="a.md", evidence=["１２円"])]
    >>> fix_labels(asked, check_labels([Document("a.md", "価格は12円。")], asked))
    [{'id': 'q1', 'doc': 'a.md', 'evidence': ['12円'], 'spans': [[3, 6]]}]
    """
    names = {"doc": "doc", "evidence": "evidence", "spans": "spans", **(fields or {})}
    records = []
    for number, question in enumerate(questions):
        mended: list[Fix | None] = []
        for place, quote in enumerate(question.quotes):
            pin = labels.pins.get((number, place))
            mended.append(Fix(*pin, quote.text or "") if pin else labels.fixes.get((number, place)))
        records.append(_mended_record(question, mended, names))
    return records


def _mended_record(question: Question, fixes: Sequence[Fix | None], names: Mapping[str, str]) -> dict[str, object]:
    record = dict(question.record) or _record_of(question)
    if not any(fixes):
        return record
    evidence = record.get(names["evidence"])
    items = list(evidence) if isinstance(evidence, list) else [evidence]
    spans: list[list[int] | None] = []
    for place, (item, quote, fix) in enumerate(zip(items, question.quotes, fixes, strict=True)):
        if isinstance(item, dict):
            items[place] = _mended_object(item, fix)
            spans.append(None)
            continue
        if fix is not None:
            items[place] = fix.text
        span = (fix.start, fix.end) if fix is not None else quote.span
        spans.append(None if span is None else list(span))
    record[names["evidence"]] = items if isinstance(evidence, list) else items[0]
    if any(spans):
        record[names["spans"]] = spans
    elif any(isinstance(item, dict) for item in items):
        record.pop(names["spans"], None)  # objects hold their own start
    homes = {fix.document if fix else None for fix in fixes}
    strings_only = not any(isinstance(item, dict) for item in items)
    if strings_only and not record.get(names["doc"]) and len(homes) == 1 and None not in homes:
        record[names["doc"]] = homes.pop()
    return record


def _mended_object(item: Mapping[str, object], fix: Fix | None) -> dict[str, object]:
    if fix is None:
        return dict(item)
    mended = {**item, "text": fix.text, "start": fix.start}
    return {**mended, "end": fix.end} if "end" in item else mended


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
