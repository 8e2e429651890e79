"""Sets of a question a row: RAGAS, a table of one's own, and proposals that somebody has confirmed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from chunkscope.errors import ConfigError, InputError, did_you_mean
from chunkscope.language import Text, say
from chunkscope.questions.sets.files import SetFile, read_list
from chunkscope.questions.sets.model import Collector, ImportOptions, QuestionSet, SetFormat

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "_id", "qid", "question_id", "query_id", "質問ID"),
    "question": ("question", "user_input", "query", "input", "prompt", "質問", "質問文", "設問", "問い"),
    "answer": (
        *("reference", "ground_truth", "ground_truths", "reference_answer", "expected_output", "expected_answer"),
        *("answer", "correct_answer", "回答", "答え", "正解", "模範解答"),
    ),
    "evidence": (
        *("evidence", "reference_contexts", "quote", "quotes", "contexts", "context", "source_contexts"),
        *("根拠", "引用", "該当箇所"),
    ),
    "doc": (
        "doc",
        "document",
        "file",
        "filename",
        "file_name",
        "source",
        "文書",
        "文書名",
        "ファイル",
        "ファイル名",
        "出典",
    ),
    "match": ("match",),
    "spans": ("spans",),
    "trap_docs": ("trap_docs",),
}
"""What others call our fields; of several that are there the first counts."""

RAGAS = ("user_input", "reference_contexts", "ground_truth", "ground_truths", "synthesizer_name", "evolution_type")
"""Columns that tell a set of RAGAS from another table."""

RETRIEVED = ("contexts", "context")
"""What a test set has as its sources, and the record of a run as what was retrieved."""

LONG_QUOTE = 1000
_HOP = re.compile(r"\A\s*<\d+-hop>\s*")
_INDEX_COLUMN = re.compile(r"Unnamed: \d+|level_0|index")


class _Columns:
    """Which column has which field."""

    def __init__(self, file: SetFile, mapped: Mapping[str, str]) -> None:
        for ours in mapped:
            if ours not in FIELDS:
                hint = did_you_mean(ours, FIELDS) or f"there are {', '.join(FIELDS)}"
                raise ConfigError(f"questions have no field {ours!r} to map; {hint}")
        known = list(dict.fromkeys([*file.columns, *(key for row in file.rows for key in row.values)]))
        for ours, theirs in mapped.items():
            if theirs not in known:
                hint = did_you_mean(theirs, known) or f"there are {', '.join(known[:20])}"
                raise InputError(f"{file.path}: no column {theirs!r} for {ours!r}; {hint}")
        by_form = {_form(name): name for name in reversed(known)}
        found = {
            ours: [by_form[_form(one)] for one in names if _form(one) in by_form] for ours, names in FIELDS.items()
        }
        self.of = {ours: names[0] for ours, names in found.items() if names} | dict(mapped)
        self.retrieved = ""
        has_other_answer = "answer" in by_form and self.of.get("answer") != by_form["answer"]
        is_run = has_other_answer or "response" in by_form or "retrieved_contexts" in by_form
        if is_run and "evidence" not in mapped and self.of.get("evidence") in RETRIEVED:
            self.retrieved = self.of.pop("evidence")
        self.known = known
        # lines that are ours already: a quote in them is one, whatever it looks like
        self.is_ours = not file.columns and self.of.get("evidence") == "evidence"

    def value(self, values: Mapping[str, Any], ours: str) -> Any:
        """Give the value of a field; None where it is empty."""
        found = values.get(self.of.get(ours, ""))
        return None if isinstance(found, str) and not found.strip() else found

    def others(self, values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Give what is no field of ours, and not empty."""
        taken = {*self.of.values(), self.retrieved}
        for key, value in values.items():
            if key not in taken and value not in (None, "") and not _INDEX_COLUMN.fullmatch(key):
                yield (f"set_{key}" if key in FIELDS else key), value


def _form(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().lower())


def rows_of(file: SetFile) -> SetFile:
    """Give the rows that stand under one key of an object, as packages write data sets."""
    for key in ("examples", "samples", "data", "rows", "questions", "goldens"):
        listed = (file.whole or {}).get(key)
        if isinstance(listed, list):
            sound = {number: row for number, row in enumerate(listed, 1) if isinstance(row, dict)}
            bad = [number for number in range(1, len(listed) + 1) if number not in sound]
            from chunkscope.questions.sets.files import SetRow

            faults = tuple((number, say("no object")) for number in bad)
            return SetFile(file.path, tuple(SetRow(number, row) for number, row in sound.items()), faults=faults)
    return file


def kind_of_rows(file: SetFile) -> SetFormat:
    """Tell what a table is by its columns."""
    first = file.first or dict.fromkeys(file.columns)
    if "proposals" in first and "question" in first:
        return "proposals"
    return "ragas" if any(name in first for name in RAGAS) else "csv"


def read_rows(file: SetFile, options: ImportOptions, kind: SetFormat) -> QuestionSet:
    """Read a question a row. Those without a quote come into `QuestionSet.unquoted`.

    Raises
    ------
    InputError
        No column is a question.
    ConfigError
        A mapping of a field that questions do not have.
    """
    columns = _Columns(file, options.fields)
    if "question" not in columns.of:
        there = ", ".join(columns.known[:20]) or "none"
        raise InputError(
            f"{file.path}: no column is the question (there are {there}); --map-field question=... names it"
        )
    found = Collector(file.path, options.match)
    for number, reason in file.faults:
        found.leave_out(number, reason)
    for row in file.rows:
        try:
            found.add(row.number, _record(row.values, columns))
        except InputError as error:
            found.leave_out(row.number, error.args[0])
    found.left_out.sort(key=lambda one: int(one.place.rpartition(":")[2]))
    return QuestionSet(
        path=file.path,
        format=kind,
        questions=tuple(found.questions),
        unquoted=tuple(found.unquoted),
        left_out=tuple(found.left_out),
        notes=tuple(_notes(found, columns)),
    )


def _record(values: Mapping[str, Any], columns: _Columns) -> dict[str, Any]:
    question = columns.value(values, "question")
    if not isinstance(question, str):
        raise InputError(say("no question"))
    answer = _answer(columns.value(values, "answer"))
    record: dict[str, Any] = {"id": _id(columns.value(values, "id")), "question": question.strip()}
    for name in ("doc", "match", "trap_docs"):
        value = read_list(columns.value(values, name)) if name == "trap_docs" else columns.value(values, name)
        if value not in (None, [], ""):
            record[name] = value
    if record.get("match", "all") not in ("all", "any"):
        raise InputError(say("match is {found!r}, neither 'all' nor 'any'", found=record["match"]))
    if not isinstance(record.get("doc", ""), str):
        raise InputError(say("its document is no name"))
    quotes = _quotes(columns.value(values, "evidence"), as_it_is=columns.is_ours)
    # in our own form an empty list is said on purpose; in others it says that nobody has looked
    is_unanswerable = columns.of.get("evidence") == "evidence" and read_list(values.get("evidence")) == []
    if quotes or is_unanswerable:
        record["evidence"] = quotes
    spans = _spans(columns.value(values, "spans"))
    if spans and quotes:
        record["spans"] = spans
    if answer:
        record["answer"] = answer
    return {**record, **dict(columns.others(values))}


def _id(value: object) -> str | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None or isinstance(value, float | list | dict | bool) else str(value).strip()


def _answer(value: object) -> str:
    """Give the reference answer; old sets have a list of them."""
    value = read_list(value)
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, str) and one.strip()), "")
    return value.strip() if isinstance(value, str) else ""


def _quotes(value: object, *, as_it_is: bool) -> list[str | dict[str, Any]]:
    """Give the quotes of a cell or a field, each once."""
    value = value if as_it_is else read_list(value)
    listed = value if isinstance(value, list) else [value]
    found: list[str | dict[str, Any]] = []
    for one in listed:
        if isinstance(one, dict) and not isinstance(one.get("text"), str):
            raise InputError(say("a quote is an object without 'text'"))
        if one is not None and not isinstance(one, str | dict):
            raise InputError(say("a quote is no text"))
        quote = _HOP.sub("", one).strip() if isinstance(one, str) and not as_it_is else one
        if quote and (as_it_is or quote not in found):
            found.append(quote)
    return found


def _spans(value: object) -> object:
    if isinstance(value, str):
        from json import loads

        try:
            return loads(value)
        except ValueError:
            return None
    return value


def _notes(found: Collector, columns: _Columns) -> Iterator[Text]:
    if columns.retrieved:
        yield say(
            "{name!r} is what a system retrieved, beside its answer, and no evidence; "
            "--map-field evidence={name} takes it",
            name=columns.retrieved,
        )
    lengths = [len(quote) for quote in _texts(found.questions)]
    n_long = sum(length > LONG_QUOTE for length in lengths)
    if n_long:
        yield say(
            "{n:,} {n:quote is|quotes are} longer than {most:,} characters, as whole chunks are: smaller chunks split "
            "them; `chunkscope questions locate` proposes the sentences that answer",
            n=n_long,
            most=LONG_QUOTE,
        )


def _texts(questions: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for question in questions:
        for quote in question["evidence"]:
            yield quote if isinstance(quote, str) else quote["text"]


def read_proposals(file: SetFile, options: ImportOptions) -> QuestionSet:
    """Read proposals in which somebody has written down which are right; all others are left out.

    ``"confirmed"`` is a number or a list of numbers, as the proposals have them; ``[]`` says that no document answers.
    """
    found = Collector(file.path, options.match)
    for number, reason in file.faults:
        found.leave_out(number, reason)
    n_open = 0
    for row in file.rows:
        confirmed = row.values.get("confirmed")
        if confirmed is None:
            n_open += 1
            continue
        try:
            found.add(row.number, confirmed_record(row.values, confirmed))
        except InputError as error:
            found.leave_out(row.number, error.args[0])
    waiting = say("{n:,} {n:question is|questions are} not confirmed yet and {n:stays|stay} out", n=n_open)
    return QuestionSet(
        path=file.path,
        format="proposals",
        questions=tuple(found.questions),
        left_out=tuple(found.left_out),
        notes=(waiting,) if n_open else (),
    )


def confirmed_record(proposed: Mapping[str, Any], confirmed: object) -> dict[str, Any]:
    """Make the line of a question out of its proposals and the numbers of those that are right.

    Raises
    ------
    InputError
        A number that no proposal has.

    Examples
    --------
    >>> proposal = {"n": 1, "doc": "a.md", "text": "上限は1万円。"}
    >>> confirmed_record({"id": "q1", "question": "上限は？", "proposals": [proposal]}, 1)
    {'id': 'q1', 'question': '上限は？', 'doc': 'a.md', 'evidence': ['上限は1万円。']}
    """
    numbers = confirmed if isinstance(confirmed, list) else [confirmed]
    listed = proposed.get("proposals")
    by_number = {
        one.get("n"): one
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict) and isinstance(one.get("text"), str) and isinstance(one.get("doc"), str)
    }
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or number not in by_number:
            raise InputError(say("no proposal has the number {found!r} that is confirmed", found=number))
    chosen = [by_number[number] for number in dict.fromkeys(numbers)]
    others = {key: value for key, value in proposed.items() if key not in ("proposals", "confirmed")}
    homes = {one["doc"] for one in chosen}
    is_pinned = any(isinstance(one.get("start"), int) for one in chosen)
    if len(homes) <= 1 and not is_pinned:
        return {
            **{key: others.pop(key) for key in ("id", "question") if key in others},
            **({"doc": homes.pop()} if homes else {}),
            "evidence": [one["text"] for one in chosen],
            **{key: value for key, value in others.items() if key != "doc"},
        }
    evidence = [{key: one[key] for key in ("doc", "text", "start") if one.get(key) is not None} for one in chosen]
    return {**{key: value for key, value in others.items() if key != "doc"}, "evidence": evidence}
