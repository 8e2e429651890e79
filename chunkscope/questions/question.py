"""Questions: what is asked of the documents, and the quotes that answer it."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, cast

from chunkscope.corpus.decoding import read_bytes
from chunkscope.corpus.json_lines import RECORD_FIELDS, numbered_lines, parse_object, tell_faults
from chunkscope.errors import (
    ConfigError,
    DecodingError,
    InputError,
    did_you_mean,
    os_reason,
    refuse_path,
    require_text,
    spoken_type,
)
from chunkscope.language import Text, say
from chunkscope.plugins.shown import counted
from chunkscope.spans.intervals import Span

Match = Literal["all", "any"]

FIELDS = ("id", "question", "doc", "evidence", "match", "spans", "trap_docs")
"""The fields of a line that mean something; all others are attributes."""

_FARTHEST = 1 << 62
_QUOTE_FIELDS = ("doc", "text", "start", "end")

# what people call our fields, where no similar spelling would lead there
_SYNONYMS = {
    "document": "doc",
    "file": "doc",
    "source": "doc",
    "quote": "evidence",
    "quotes": "evidence",
    "context": "evidence",
    "contexts": "evidence",
    "reference_contexts": "evidence",
    "query": "question",
    "offsets": "spans",
}


@dataclass(frozen=True)
class Quote:
    """One verbatim passage that answers a question.

    Attributes
    ----------
    document : str or None
        The document that holds it; None: whichever holds it, if one does.
    text : str or None
        The passage itself. None where the file has null, or no evidence field at all.
    span : (int, int) or None
        Start and end in code points, where the quote is pinned. Not checked against any text yet.
    """

    document: str | None = None
    text: str | None = None
    span: Span | None = None

    def __post_init__(self) -> None:
        for value, what in ((self.document, "document"), (self.text, "text")):
            if value is not None:
                require_text(value, f"the {what} of a quote")
        if self.span is None:
            return
        if not (isinstance(self.span, tuple) and len(self.span) == 2 and all(map(_is_integer, self.span))):
            raise InputError("the span of a quote must be a tuple of two int, or None")
        if not all(-_FARTHEST < offset < _FARTHEST for offset in self.span):
            raise InputError("the span of a quote has a number that no text reaches")


@dataclass(frozen=True)
class Question:
    """A question and the evidence it needs.

    Attributes
    ----------
    id : str
        Its name in every report.
    question : str or None
        The text to ask; only retrieval needs it.
    quotes : tuple of Quote
        Its evidence. None at all: the question is unanswerable, on purpose.
    match : {"all", "any"}
        Whether every quote is needed, or one is enough.
    trap_docs : tuple of str
        Documents that look like the answer and are not.
    attributes : mapping
        All other fields of the line.
    line : int or None
        Its line in the file, from 1.
    record : mapping
        The JSON object as it was read.

    Raises
    ------
    InputError
        No id, or a field of the wrong type.

    Examples
    --------
    >>> question = Question.of("q1", doc="rules.md", evidence=["上限は12,000円。"], category="travel")
    >>> question.quotes
    (Quote(document='rules.md', text='上限は12,000円。', span=None),)
    >>> question.attributes
    {'category': 'travel'}
    """

    id: str
    question: str | None = None
    quotes: tuple[Quote, ...] = ()
    match: Match = "all"
    trap_docs: tuple[str, ...] = ()
    attributes: Mapping[str, object] = field(default_factory=dict, hash=False)
    line: int | None = None
    record: Mapping[str, object] = field(default_factory=dict, hash=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        require_text(self.id, "the id of a question")
        if not self.id:
            raise InputError("a question needs an id")
        where = f"question {self.id!r}:"
        if self.question is not None:
            require_text(self.question, f"{where} the question")
        if not (isinstance(self.quotes, tuple) and all(isinstance(quote, Quote) for quote in self.quotes)):
            raise InputError(
                f"{where} quotes must be a tuple of Quote; Question.of(id, doc=..., evidence=...) makes one"
            )
        if self.match not in ("all", "any"):
            raise InputError(f"{where} match must be 'all' or 'any', not {spoken_type(self.match)}")
        if not (isinstance(self.trap_docs, tuple) and all(isinstance(name, str) for name in self.trap_docs)):
            raise InputError(f"{where} trap_docs must be a tuple of strings")
        if not isinstance(self.attributes, Mapping):
            raise InputError(f"{where} attributes must be a mapping, not {spoken_type(self.attributes)}")

    @classmethod
    def of(cls, id: str, question: str | None = None, **fields: object) -> Question:
        """Make a question of the fields of a line: ``doc``, ``evidence``, ``spans``, ``match`` and so on.

        Raises
        ------
        InputError
            A field of the wrong type.
        """
        record = {"id": id, **({} if question is None else {"question": question}), **_as_json(fields)}
        return _question(record, None, FieldNames({}))

    @property
    def is_answerable(self) -> bool:
        """Whether it has, or ought to have, evidence."""
        return bool(self.quotes)

    @property
    def digest(self) -> str:
        """Twelve hex digits over what is asked and what is quoted, wherever the quotes stand."""
        quoted = [(quote.document, quote.text) for quote in self.quotes]
        return hashlib.sha256(json.dumps([self.question, self.match, quoted]).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class QuestionFile:
    """The questions of a file, in its order, and the text of the file."""

    path: str
    sha256: str
    questions: tuple[Question, ...]
    warnings: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    text: str = field(default="", repr=False)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.questions)

    def __repr__(self) -> str:
        return f"QuestionFile({self.path!r}, {counted(len(self.questions), 'question')})"


def questions_of(asked: Iterable[Question]) -> tuple[Question, ...]:
    """Give the questions of a file, or of any iterable of them.

    Raises
    ------
    InputError
        A path, or something that is no question.
    """
    refuse_path(asked, "questions", "read_questions")
    if not isinstance(asked, Iterable):
        raise InputError(f"{type(asked).__name__!r} is no list of questions; put it in one")
    questions = tuple(asked)
    for question in questions:
        if not isinstance(question, Question):
            raise InputError(f"{type(question).__name__!r} is no question; Question.of(id, evidence=...) makes one")
    return questions


class FieldNames:
    """What the fields are called in this file."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        for ours in fields:
            if ours not in FIELDS:
                known = (*FIELDS, *RECORD_FIELDS)
                hint = did_you_mean(ours, known) or f"there are {', '.join(FIELDS)}; records have name and text"
                raise ConfigError(f"questions have no field {ours!r} to map; {hint}")
        self.mapped = {ours: theirs for ours, theirs in fields.items() if ours != theirs}
        self._theirs = {ours: fields.get(ours, ours) for ours in FIELDS}
        self.known = frozenset(self._theirs.values())

    def __getitem__(self, ours: str) -> str:
        return self._theirs[ours]


def read_questions(path: str | os.PathLike[str], *, fields: Mapping[str, str] | None = None) -> QuestionFile:
    """Read a JSONL file of questions, always in UTF-8.

    Parameters
    ----------
    path : path
        An object a line. Blank lines are skipped, a byte order mark is dropped.
    fields : mapping, optional
        Our names to the file's: ``{"evidence": "reference_contexts"}``.

    Raises
    ------
    InputError
        No such file, or lines that are no questions: the first of them, and the numbers of the others.
    DecodingError
        Not UTF-8.
    ConfigError
        A mapping of a field that does not exist.
    """
    shown = os.fspath(path)
    try:
        raw = read_bytes(shown)
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    names = FieldNames(fields or {})
    text = _decode(raw, shown)
    questions, faults = [], []
    for number, line in numbered_lines(text):
        try:
            questions.append(_question(parse_object(line), number, names))
        except InputError as error:
            faults.append((number, str(error)))
    if faults:
        raise InputError(tell_faults(shown, faults))
    warnings = _warnings(questions, names) if questions else [say("no question in it")]
    told = tuple(say("{path}: {text}", path=shown, text=text) for text in warnings)
    digest = hashlib.sha256(raw).hexdigest()
    return QuestionFile(shown, digest, tuple(questions), told, names.mapped, text)


def _decode(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # the codec counts from behind the mark
        offset = error.start + (3 if raw.startswith(b"\xef\xbb\xbf") else 0)
        line = raw[:offset].count(b"\n") + 1
        raise DecodingError(f"{path}:{line}: byte {offset} is not UTF-8; save the questions as UTF-8") from None


def _question(record: dict[str, object], line: int | None, names: FieldNames) -> Question:
    match = record.get(names["match"])
    match = "all" if match is None else match
    if match not in ("all", "any"):
        raise InputError(f"{names['match']!r} must be 'all' or 'any', not {match!r}")
    return Question(
        id=_id(record.get(names["id"]), line, names["id"]),
        question=_text(record.get(names["question"]), repr(names["question"])),
        quotes=_quotes(record, names),
        match=match,
        trap_docs=_strings(record.get(names["trap_docs"]), names["trap_docs"]),
        attributes={key: value for key, value in record.items() if key not in names.known},
        line=line,
        record=record,
    )


def _id(value: object, line: int | None, name: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:
            raise InputError(f"{name!r} is a number of thousands of digits; write it as a string") from None
    if value is None or value == "":
        return "" if line is None else f"line {line}"
    if not isinstance(value, str):
        raise InputError(f"{name!r} must be a string, not {spoken_type(value)}")
    return value


def _text(value: object, what: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{what} must be a string, not {spoken_type(value)}")
    return value


def _strings(value: object, name: str) -> tuple[str, ...]:
    items = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise InputError(f"{name!r} must be a list of strings")
    return tuple(items)


def _quotes(record: Mapping[str, object], names: FieldNames) -> tuple[Quote, ...]:
    doc, evidence = record.get(names["doc"]), record.get(names["evidence"])
    if isinstance(doc, list):
        raise InputError(
            f"{names['doc']!r} must be one name; for several documents write "
            f'{{"doc", "text"}} objects into {names["evidence"]!r}'
        )
    document = _text(doc, repr(names["doc"])) or None
    # a missing or null field stays a quote without text, so that the label check reports it
    items = evidence if isinstance(evidence, list) else [evidence]
    spans = _spans(record.get(names["spans"]), len(items), not isinstance(evidence, list), names["spans"])
    return tuple(
        _quote(item, document, span, f"{names['evidence']!r} entry {number}")
        for number, (item, span) in enumerate(zip(items, spans, strict=True), 1)
    )


def _quote(item: object, document: str | None, span: Span | None, where: str) -> Quote:
    if item is None or isinstance(item, str):
        return Quote(document, item, span)
    if not isinstance(item, dict):
        raise InputError(f"{where} must be a string or an object, not {spoken_type(item)}")
    text = _text(item.get("text"), f"{where}: text")
    document = _text(item.get("doc"), f"{where}: doc") or document
    start, end = item.get("start"), item.get("end")
    for name, value in (("start", start), ("end", end)):
        if value is not None and not _is_integer(value):
            raise InputError(f"{where}: {name} must be an integer, not {value!r}")
    if start is None:
        return Quote(document, text, span)
    own = (start, start + len(text or "") if end is None else end)
    if span is not None and span != own:
        raise InputError(f"{where}: its start says {list(own)}, 'spans' says {list(span)}")
    return Quote(document, text, own)


def _spans(value: object, n: int, single: bool, name: str) -> list[Span | None]:
    if value is None or value == []:
        return [None] * n
    if not isinstance(value, list):
        raise InputError(f"{name!r} must be a list of [start, end], not {spoken_type(value)}")
    rows = [value] if single and len(value) == 2 and all(_is_integer(number) for number in value) else value
    for row in rows:
        if row is not None and not (isinstance(row, list) and len(row) == 2 and all(map(_is_integer, row))):
            raise InputError(f"{name!r} must hold [start, end] pairs of integers, not {row!r}")
    if len(rows) != n:
        raise InputError(f"{name!r} has {len(rows)} for {n} evidence entr{'y' if n == 1 else 'ies'}")
    return [None if row is None else (row[0], row[1]) for row in rows]


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _as_json(value: object) -> dict[str, object]:
    """Let library users pass tuples where JSON has lists."""

    def convert(item: object) -> object:
        if isinstance(item, (list, tuple)):
            return [convert(part) for part in item]
        if isinstance(item, Mapping):
            return {key: convert(part) for key, part in item.items()}
        return item

    return cast("dict[str, object]", convert(value))


def _warnings(questions: Iterable[Question], names: FieldNames) -> list[Text]:
    by_key: dict[str, Text] = {}
    guesses: dict[tuple[str, tuple[str, ...]], str | None] = {}
    unnamed, seen = [], Counter[str]()
    for question in questions:
        seen.update(question.record.keys())
        if question.record.get(names["id"]) in (None, ""):
            unnamed.append(question.id)
        absent = tuple(sorted(names.known - question.record.keys()))
        for key in question.attributes:
            if (key, absent) not in guesses:
                guesses[key, absent] = _meant(key, absent, names)
            if near := guesses[key, absent]:
                told = say(
                    "line {line}: unknown field {key!r}; did you mean {near!r}?", line=question.line, key=key, near=near
                )
                by_key.setdefault(key, told)
        for key in _odd_quote_keys(question.record.get(names["evidence"])):
            told = say(
                "line {line}: evidence objects have no field {key!r}; they have {fields:, }",
                line=question.line,
                key=key,
                fields=list(_QUOTE_FIELDS),
            )
            by_key.setdefault(key, told)
    warnings = list(by_key.values())
    if unnamed:
        warnings.append(
            say(
                "{n} {n:question has|questions have} no {field!r}; {n:its line number is used|their line numbers are "
                "used}, as in {name!r}",
                n=len(unnamed),
                field=names["id"],
                name=unnamed[0],
            )
        )
    for ours, theirs in names.mapped.items():
        if theirs not in seen:
            warnings.append(
                say("no line has the field {theirs!r} that {ours!r} is mapped to", theirs=theirs, ours=ours)
            )
    return warnings


def _meant(key: str, absent: Sequence[str], names: FieldNames) -> str | None:
    """Name the field that an unknown one was probably meant to be, if the line does not have it."""
    if key.lower() in _SYNONYMS:
        wanted = names[_SYNONYMS[key.lower()]]
        return wanted if wanted in absent else None
    by_lower = {name.lower(): name for name in absent}
    near = get_close_matches(key.lower(), by_lower, 1, 0.78)
    return by_lower[near[0]] if near else None


def _odd_quote_keys(evidence: object) -> list[str]:
    items = evidence if isinstance(evidence, list) else [evidence]
    return [key for item in items if isinstance(item, dict) for key in item if key not in _QUOTE_FIELDS]
