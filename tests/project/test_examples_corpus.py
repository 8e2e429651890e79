"""The example corpora: their labels hold, and they show what their README says they show."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LANGUAGES = ["ja", "en"]
SIZES = range(50, 801, 10)

Quote = tuple[str, int, int]  # document, start, end


@cache
def documents(language: str) -> dict[str, str]:
    folder = EXAMPLES / language / "docs"
    return {path.name: path.read_bytes().decode() for path in sorted(folder.iterdir())}


@cache
def questions(language: str) -> list[dict]:
    lines = (EXAMPLES / language / "questions.jsonl").read_bytes().decode().split("\n")
    return [json.loads(line) for line in lines if line]


def entries(question: dict) -> list[tuple[str, str]]:
    listed = question["evidence"]
    return [(e["doc"], e["text"]) if isinstance(e, dict) else (question["doc"], e) for e in listed]


def places(text: str, quote: str) -> list[int]:
    return [start for start in range(len(text)) if text.startswith(quote, start)]


def front_matter(text: str) -> dict[str, str]:
    opening, _, _ = text.removeprefix("---\n").partition("\n---\n")
    return dict(line.split(": ", 1) for line in opening.split("\n"))


def table_lines(text: str) -> list[tuple[int, int]]:
    """Spans of the pipe table's lines, without line ends: header, delimiter, then the data rows."""
    return [match.span() for match in re.finditer(r"^\|.*$", text, re.MULTILINE)]


@cache
def quotes(language: str) -> dict[str, list[Quote]]:
    texts = documents(language)
    return {
        question["id"]: [
            (name, texts[name].index(quote), texts[name].index(quote) + len(quote)) for name, quote in entries(question)
        ]
        for question in questions(language)
    }


@cache
def hulls(language: str) -> dict[str, list[Quote]]:
    """From the header's start to the row's end, for each data row that a table question quotes."""
    found = {}
    for question in questions(language):
        if question["category"] != "table":
            continue
        found[question["id"]] = [
            (name, table_lines(documents(language)[name])[0][0], row_end)
            for name, start, end in quotes(language)[question["id"]]
            for row_start, row_end in table_lines(documents(language)[name])[2:]
            if start < row_end and row_start < end
        ]
    return found


def windows(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    chunks: list[tuple[int, int]] = []
    start = 0
    while length and (not chunks or chunks[-1][1] < length):
        chunks.append((start, min(start + size, length)))
        start += size - overlap
    return chunks


def broken(language: str, targets: dict[str, list[Quote]], size: int, overlap: int) -> set[str]:
    """Questions of which some target lies whole in no window."""
    chunks = {name: windows(len(text), size, overlap) for name, text in documents(language).items()}
    return {
        question
        for question, spans in targets.items()
        for name, start, end in spans
        if not any(first <= start and end <= last for first, last in chunks[name])
    }


@cache
def curve(language: str, share: int) -> dict[int, tuple[int, int]]:
    """Split and apart questions for each size; `share` is the overlap's divisor, 0 for none."""
    counts = {}
    for size in SIZES:
        overlap = size // share if share else 0
        split = broken(language, quotes(language), size, overlap)
        apart = broken(language, hulls(language), size, overlap)
        counts[size] = (len(split), len(apart))
    return counts


def first_safe(counts: dict[int, tuple[int, int]], *, tables: bool) -> int | None:
    """The smallest size from which on no question is split (and, with `tables`, none is apart)."""
    safe = None
    for size in reversed(SIZES):
        if counts[size][0] or (tables and counts[size][1]):
            break
        safe = size
    return safe


def expected_split(language: str, size: int, overlap: int) -> float:
    """Split questions on average over all places of the first boundary, documents moving independently."""
    step, total = size - overlap, 0.0
    for spans in quotes(language).values():
        whole = 1.0
        for name in {name for name, _, _ in spans}:
            if len(documents(language)[name]) <= size:
                continue
            inside = [(start, end) for other, start, end in spans if other == name]
            kept = [all((start + f) // step * step + size >= end + f for start, end in inside) for f in range(step)]
            whole *= sum(kept) / step
        total += 1 - whole
    return total


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_quote_occurs_exactly_once_in_its_document(language):
    found = {
        (question["id"], quote): len(places(documents(language)[name], quote))
        for question in questions(language)
        for name, quote in entries(question)
    }
    assert found
    assert set(found.values()) == {1}, {key: n for key, n in found.items() if n != 1}


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("ja", {"plain": 5, "unanswerable": 3, "old-vs-new": 2, "multi-doc": 2, "table": 4}),
        ("en", {"plain": 4, "unanswerable": 2, "old-vs-new": 2, "multi-doc": 1, "table": 3}),
    ],
)
def test_questions_have_their_five_categories_and_unique_ids(language, expected):
    listed = questions(language)
    assert Counter(question["category"] for question in listed) == expected
    assert len({question["id"] for question in listed}) == len(listed)
    assert all(question["question"] and question["answer"] for question in listed)
    tables = [question["id"] for question in listed if question["category"] == "table"]
    assert tables == [f"t{i + 1}" for i in range(expected["table"])]


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_unanswerable_questions_have_no_evidence(language):
    empty = {question["id"] for question in questions(language) if not question["evidence"]}
    assert empty == {question["id"] for question in questions(language) if question["category"] == "unanswerable"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_multi_document_questions_need_several_documents_and_others_one(language):
    for question in questions(language):
        named = {name for name, _ in entries(question)}
        if question["category"] == "multi-doc":
            assert len(named) > 1, question["id"]
        else:
            assert named <= {question.get("doc")}, question["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_traps_are_documents_that_are_no_longer_in_force(language):
    texts = documents(language)
    for question in questions(language):
        traps = question.get("trap_docs", [])
        assert all(front_matter(texts[name])["status"] in {"abolished", "outdated"} for name in traps), question["id"]
        assert not set(traps) & {name for name, _ in entries(question)}, question["id"]
        assert traps or question["category"] != "old-vs-new", question["id"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_five_documents_say_in_front_what_they_are(language):
    texts = documents(language)
    attributes = [front_matter(text) for text in texts.values()]
    assert len(texts) == 5
    assert all(set(one) == {"title", "status", "effective"} for one in attributes)
    assert Counter(one["status"] for one in attributes) == {"in-force": 3, "abolished": 1, "outdated": 1}
    assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", one["effective"]) for one in attributes)
    assert all(text.endswith("\n") and "\r" not in text for text in texts.values())
    assert not [line for text in texts.values() for line in text.split("\n") if line.startswith("####")]


def test_the_japanese_corpus_has_about_three_thousand_characters():
    assert 2600 <= sum(map(len, documents("ja").values())) <= 3800


@pytest.mark.parametrize(("language", "n_rows"), [("ja", 12), ("en", 9)])
def test_the_rules_have_one_table_and_the_old_rules_another(language, n_rows):
    texts = documents(language)
    assert [len(table_lines(text)) - 2 for text in texts.values() if table_lines(text)] == [3, n_rows]
    assert [name for name, text in texts.items() if table_lines(text)] == ["rules-2018.md", "rules.md"]
    assert all(re.fullmatch(r"[|:-]+", text[slice(*table_lines(text)[1])]) for text in texts.values() if "|" in text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_table_question_quotes_one_whole_data_row(language):
    rows = table_lines(documents(language)["rules.md"])[2:]
    for question, spans in quotes(language).items():
        quoted = [span for name, *span in spans if name == "rules.md" and tuple(span) in rows]
        assert len(quoted) == (question in hulls(language)), question


def test_japanese_evidence_has_many_lengths():
    lengths = [end - start for spans in quotes("ja").values() for _, start, end in spans]
    assert all(20 <= length <= 120 for length in lengths)
    assert min(lengths) < 30
    assert max(lengths) > 100
    assert len(set(lengths)) >= 12


@pytest.mark.parametrize(("language", "lucky"), [("ja", 220), ("en", 320)])
def test_a_size_without_a_split_lies_between_sizes_that_split(language, lucky):
    counts = curve(language, 6)
    assert counts[lucky][0] == 0
    assert counts[lucky - 10][0] + counts[lucky + 10][0] >= 3
    assert min(counts[lucky - 10][0], counts[lucky + 10][0]) >= 1
    assert expected_split(language, lucky, lucky // 6) >= 1.5


def test_the_lucky_size_is_the_first_without_a_split_and_splits_follow_it():
    counts = curve("ja", 6)
    assert min(size for size in SIZES if not counts[size][0]) == 220
    assert [counts[size][0] for size in (210, 230)] == [3, 3]
    assert all(counts[size][0] for size in range(230, 400, 10))
    assert round(expected_split("ja", 220, 36), 2) == 2.36


@pytest.mark.parametrize("language", LANGUAGES)
def test_small_sizes_split_most_questions(language):
    answerable = sum(bool(question["evidence"]) for question in questions(language))
    assert all(curve(language, 6)[size][0] > answerable / 2 for size in (50, 60, 70))


@pytest.mark.parametrize(("language", "intact_from", "safe_from"), [("ja", 480, 740), ("en", 520, 700)])
def test_rows_stay_apart_from_their_header_longer_than_evidence_is_split(language, intact_from, safe_from):
    counts = curve(language, 6)
    assert first_safe(counts, tables=False) == intact_from
    assert first_safe(counts, tables=True) == safe_from
    assert counts[intact_from][1] >= 2
    assert counts[safe_from - 10][1] == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_overlap_no_size_is_safe_to_the_end(language):
    counts = curve(language, 0)
    assert first_safe(counts, tables=False) is None
    assert [size for size in SIZES if not counts[size][0]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readme_states_the_true_size_of_each_corpus(language):
    n_characters = sum(map(len, documents(language).values()))
    row = f"| {len(documents(language))} | {len(questions(language))} | {n_characters:,} |"
    assert row in (EXAMPLES / "README.md").read_text(encoding="utf-8")
