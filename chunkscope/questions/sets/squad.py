"""SQuAD 1.1 and 2.0, nested as they are published, or flat as data sets have them: an answer is a place in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunkscope.corpus.document import Document
from chunkscope.errors import InputError
from chunkscope.language import Text, say
from chunkscope.questions.sets.files import SetFile, read_object
from chunkscope.questions.sets.model import Collector, FileNames, ImportOptions, QuestionSet
from chunkscope.spans.intervals import Span
from chunkscope.structure.analysis import DocumentAnalysis

BETWEEN = "\n\n"
"""What stands between the paragraphs of an article, which become one document."""


@dataclass
class _Article:
    """Paragraphs of one title, each once, and where each starts in the document."""

    name: str
    title: str
    text: str = ""
    starts: dict[str, int] = field(default_factory=dict)

    def start_of(self, context: str) -> int:
        """Add a paragraph, if it is new."""
        if context not in self.starts:
            self.text += BETWEEN if self.text else ""
            self.starts[context] = len(self.text)
            self.text += context
        return self.starts[context]


@dataclass
class _Asked:
    """A question on a paragraph."""

    place: str
    title: str
    context: object
    values: Mapping[str, Any]


def is_nested(whole: Mapping[str, Any] | None) -> bool:
    """Tell the published form: articles with paragraphs."""
    articles = (whole or {}).get("data")
    return isinstance(articles, list) and any(isinstance(one, dict) and "paragraphs" in one for one in articles)


def is_flat(row: Mapping[str, Any]) -> bool:
    """Tell the form of data sets: a row with its context and its answers."""
    return "context" in row and "answers" in row and isinstance(read_object(row["answers"]), dict)


def read_squad(file: SetFile, options: ImportOptions) -> QuestionSet:
    """Read a set whose answers are places in paragraphs; an article becomes a document.

    Raises
    ------
    InputError
        Neither form.
    """
    found = Collector(file.path, options.match or "any")
    for number, reason in file.faults:
        found.leave_out(number, reason)
    articles: dict[str, _Article] = {}
    names, moved = FileNames(), 0
    pending: list[tuple[_Asked, list[Span], _Article]] = []
    for asked in _asked(file, found):
        context = asked.context
        if not isinstance(context, str) or not context:
            found.leave_out(asked.place, say("no context"))
            continue
        key = asked.title or context
        if key not in articles:
            articles[key] = _Article(names.of(asked.title or f"{len(articles) + 1:04}"), asked.title)
        base = articles[key].start_of(context)
        spans, n_moved, fault = _answers(asked.values, context)
        moved += n_moved
        if fault is not None:
            found.leave_out(asked.place, fault)
        else:
            pending.append((asked, [(base + at, base + end) for at, end in spans], articles[key]))
    documents = {
        one.name: Document(one.name, one.text, {"title": one.title} if one.title else {}, "plain")
        for one in articles.values()
    }
    sentences = _Sentences(documents) if options.quote == "sentence" else None
    for asked, spans, article in pending:
        found.add(asked.place, _record(asked, spans, article, sentences))
    return QuestionSet(
        path=file.path,
        format="squad",
        questions=tuple(found.questions),
        documents=tuple(documents.values()),
        left_out=tuple(found.left_out),
        notes=tuple(_notes(found, moved, options)),
    )


def _asked(file: SetFile, found: Collector) -> Iterator[_Asked]:
    """Give all questions with their contexts."""
    whole = file.whole or {}
    if is_nested(whole):
        for n_article, article in enumerate(whole["data"], 1):
            yield from _of_article(article, f"article {n_article}", found)
        return
    rows = whole.get("data") if isinstance(whole.get("data"), list) else None
    listed = list(enumerate(rows, 1)) if rows is not None else [(row.number, row.values) for row in file.rows]
    for number, row in listed:
        if not isinstance(row, dict) or "context" not in row or "answers" not in row:
            found.leave_out(number, say("no 'context' with 'answers', as a row of SQuAD has"))
            continue
        values = {**row, "answers": read_object(row["answers"])}
        yield _Asked(str(number), str(row.get("title") or ""), row["context"], values)


def _of_article(article: object, where: str, found: Collector) -> Iterator[_Asked]:
    paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
    if not isinstance(article, dict) or not isinstance(paragraphs, list):
        found.leave_out(where, say("no paragraphs"))
        return
    title = str(article.get("title") or "")
    for n_paragraph, paragraph in enumerate(paragraphs, 1):
        place = f"{where}, paragraph {n_paragraph}"
        asked = paragraph.get("qas") if isinstance(paragraph, dict) else None
        if not isinstance(asked, list):
            found.leave_out(place, say("no questions ('qas')"))
            continue
        for n_question, values in enumerate(asked, 1):
            if isinstance(values, dict):
                yield _Asked(f"{place}, question {n_question}", title, paragraph.get("context"), values)
            else:
                found.leave_out(f"{place}, question {n_question}", say("no object"))


def _answers(values: Mapping[str, Any], context: str) -> tuple[list[Span], int, Text | None]:
    """Give the spans of the answers in their context, how many stood elsewhere, and what is wrong with one."""
    if not isinstance(values.get("question"), str) or not values["question"].strip():
        return [], 0, say("no question")
    if values.get("is_impossible") is True or str(values.get("is_impossible")).lower() == "true":
        return [], 0, None
    if "answers" not in values:
        return [], 0, say("no answers; this is a set without them")
    pairs = _pairs(values["answers"])
    if pairs is None:
        return [], 0, say("its answers are no texts with 'answer_start'")
    spans: dict[Span, None] = {}
    moved = 0
    for text, claimed in pairs:
        if not text:
            continue
        start = claimed
        if not context.startswith(text, start) or start < 0:
            if context.count(text) != 1:
                told = say(
                    "answer_start {start} is {found!r}, not {text!r}",
                    start=start,
                    found=context[max(0, start) : max(0, start) + min(len(text), 40)],
                    text=text[:40],
                )
                return [], 0, told
            start, moved = context.index(text), moved + 1
        spans[start, start + len(text)] = None
    return list(spans), moved, None


def _pairs(answers: object) -> list[tuple[str, int]] | None:
    """Read answers of both forms; None where they are none."""
    if isinstance(answers, dict):
        texts, starts = answers.get("text"), answers.get("answer_start")
        if not isinstance(texts, list) or not isinstance(starts, list) or len(texts) != len(starts):
            return None
        listed = list(zip(texts, starts, strict=True))
    elif isinstance(answers, list) and all(isinstance(one, dict) for one in answers):
        listed = [(one.get("text"), one.get("answer_start")) for one in answers]
    else:
        return None
    is_sound = all(isinstance(text, str) and type(start) is int for text, start in listed)
    return listed if is_sound else None


class _Sentences:
    """The sentences of documents, each found when it is first asked for."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self._starts: dict[str, list[int]] = {}

    def around(self, name: str, span: Span) -> Span:
        """Give the sentence, or the sentences, that hold a span."""
        from bisect import bisect_left, bisect_right

        text = self._documents[name].text
        if name not in self._starts:
            found = DocumentAnalysis(self._documents[name]).sentence_starts.tolist()
            self._starts[name] = [*found, len(text)]
        starts = self._starts[name]
        start = starts[bisect_right(starts, span[0]) - 1]
        end = starts[bisect_left(starts, span[1])]
        return start, max(span[1], start + len(text[start:end].rstrip()))


def _record(asked: _Asked, spans: list[Span], article: _Article, sentences: _Sentences | None) -> dict[str, Any]:
    answers = [article.text[start:end] for start, end in spans]
    if sentences is not None:
        spans = list(dict.fromkeys(sentences.around(article.name, span) for span in spans))
    others = {
        key: value
        for key, value in asked.values.items()
        if key not in ("id", "question", "context", "answers", "is_impossible", "plausible_answers", "title")
    }
    return {
        "id": asked.values.get("id"),
        "question": asked.values["question"].strip(),
        "doc": article.name,
        "evidence": [article.text[start:end] for start, end in spans],
        **({"spans": [list(span) for span in spans]} if spans else {}),
        **({"answer": answers[0]} if answers else {}),
        **({"title": article.title} if article.title else {}),
        **others,
    }


def _notes(found: Collector, moved: int, options: ImportOptions) -> Iterator[Text]:
    n_several = sum("match" in question for question in found.questions)
    if n_several and options.match is None:
        yield say(
            "{n:,} {n:question has|questions have} several answers, of which one is enough (match: any)", n=n_several
        )
    if moved:
        yield say(
            "{n:,} {n:answer stands|answers stand} elsewhere than answer_start says, once in the paragraph: "
            "taken from there",
            n=moved,
        )
    if options.quote == "answer" and any(question["evidence"] for question in found.questions):
        yield say("the quotes are the answers, a few words each; --quote sentence takes the sentences around them")


def require_squad(file: SetFile) -> None:
    """Raise where a file has neither form.

    Raises
    ------
    InputError
        It says what is looked for.
    """
    whole = file.whole or {}
    rows = whole.get("data")
    flat = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else file.first
    if not is_nested(whole) and not is_flat(flat):
        raise InputError(
            f"{file.path}: not SQuAD: neither 'data' with 'paragraphs', nor rows with 'context' and 'answers'"
        )
