from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle import alignment as oracle
from strategies import MARKDOWN_LINES, PIECES, texts

from chunkscope.chunkers.pieces import EXACT, NORMALISED, NOT_FOUND, PREPENDED
from chunkscope.splitters.alignment import Alignment, align
from chunkscope.splitters.anchors import Anchors
from chunkscope.splitters.normal_form import Form

Span = tuple[int, int]

WORDS = [
    "fees",
    "are",
    "paid",
    "each",
    "month",
    "by",
    "those",
    "who",
    "live",
    "here",
    "料金は",
    "毎月",
    "窓口で",
    "お支払い",
    "ください",
    "手続き",
    "１２０円",
    "ガス",
    "㌔",
    "がぎぐ",
]


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Prose, lines of Markdown, hostile characters, and paragraphs that come back."""
    hostile = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)
    prose = st.lists(st.sampled_from(WORDS), min_size=3, max_size=20).map(" ".join)
    again = draw(st.lists(st.one_of(prose, hostile), min_size=1, max_size=3))
    block = st.one_of(prose, hostile, st.sampled_from(MARKDOWN_LINES), st.sampled_from(again))
    ends = st.sampled_from(["\n", "\n\n", "\r\n", "\r\n\r\n", " ", "。"])
    rows = draw(st.lists(st.tuples(block, ends), min_size=2, max_size=20))
    return "".join(part for row in rows for part in row)


@st.composite
def cuts(draw: st.DrawFn, least: int = 20) -> tuple[str, list[Span]]:
    """A document, and spans that cover it: each goes on behind the end of the one before, and may overlap it."""
    text = draw(documents())
    spans: list[Span] = []
    start = 0
    while start < len(text):
        end = min(len(text), max(start + draw(st.integers(least, 4 * least)), spans[-1][1] + 1 if spans else 0))
        if len(text) - end < least:
            end = len(text)
        spans.append((start, end))
        if end == len(text):
            break
        start = draw(st.integers(spans[-1][0] + 1, end)) if draw(st.booleans()) else end
    return text, spans


def trimmed(text: str, start: int, end: int) -> Span:
    """Without the white space at both ends: where that has changed, its span is not known."""
    while start < end and oracle.vanishes(text[start]):
        start += 1
    while start < end and oracle.vanishes(text[end - 1]):
        end -= 1
    return start, end


def spans_of(found: Alignment) -> list[Span]:
    return [(start, end) for start, end in found.spans.tolist()]


CHANGES: dict[str, Callable[[str], str]] = {
    "stripped": str.strip,
    "white space joined": lambda piece: " ".join(piece.split()),
    "blank lines dropped": lambda piece: re.sub(r"(\r?\n)+", "\n", piece),
    "tabs deleted": lambda piece: piece.replace("\t", ""),
    "tabs made spaces": lambda piece: piece.replace("\t", "    "),
    "line ends": lambda piece: piece.replace("\r\n", "\n"),
    "lines joined": lambda piece: re.sub(r"\s*[\r\n]+\s*", " ", piece),
    "NFC": lambda piece: unicodedata.normalize("NFC", piece),
    "NFD": lambda piece: unicodedata.normalize("NFD", piece),
    "NFKC": lambda piece: unicodedata.normalize("NFKC", piece),
    "invisible characters dropped": lambda piece: re.sub("[\u200b\u200d\ufeff]", "", piece),
}


@given(cuts(least=1))
def test_slices_that_cover_a_text_are_exact(cut):
    text, spans = cut
    found = align(text, [text[start:end] for start, end in spans])
    is_blank = [trimmed(text, *span) == (span[1], span[1]) for span in spans]
    for span, ours, kind, is_ambiguous, blank in zip(
        spans, spans_of(found), found.kinds, found.ambiguous, is_blank, strict=True
    ):
        assert blank or kind == EXACT
        assert blank or ours == span or is_ambiguous
        assert kind == NOT_FOUND or text[slice(*ours)] == text[slice(*span)]


@st.composite
def repetitive(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(st.text(alphabet=draw(st.sampled_from(["a", "ab", "ab ", "aab\n", "abc"])), min_size=1, max_size=11))
    spans: list[Span] = []
    start = 0
    while not spans or spans[-1][1] < len(text):
        least = max(start + 1, spans[-1][1] + 1 if spans else 0)
        end = draw(st.integers(least, min(len(text), least + 5)))
        spans.append((start, end))
        start = draw(st.integers(start + 1, end))
    assume(len(spans) <= 5 and all(text[start:end].strip() for start, end in spans))
    return text, spans


@settings(max_examples=400)
@given(repetitive())
def test_repeats_are_where_least_is_left_out_or_ambiguous(cut):
    """Against all ways of laying the pieces over the text."""
    text, spans = cut
    pieces = [text[start:end] for start, end in spans]
    found = align(text, pieces)
    best = oracle.best(text, pieces)
    ours = tuple(spans_of(found))
    assert ours in best
    forward = [way for way in best if all(a[1] < b[1] for a, b in zip(way, way[1:], strict=False))]
    for number, span in enumerate(ours):
        assert found.ambiguous[number] or {way[number] for way in forward} <= {span}


@pytest.mark.parametrize("name", CHANGES)
@given(data=st.data())
def test_changed_pieces_lie_where_they_were_cut(name, data):
    check_changed(data.draw(cuts()), CHANGES[name])


@given(cuts(), st.sampled_from(sorted(CHANGES)), st.sampled_from(sorted(CHANGES)))
def test_so_do_pieces_that_were_changed_twice(cut, first, second):
    check_changed(cut, lambda piece: CHANGES[second](CHANGES[first](piece)))


def check_changed(cut: tuple[str, list[Span]], change: Callable[[str], str]) -> None:
    text, spans = cut
    assume(all(len(oracle.normal_form(text[start:end])) >= 8 for start, end in spans))
    pieces = [change(text[start:end]) for start, end in spans]
    # a slice from elsewhere is taken for that slice: nobody could tell
    assume(
        not any(
            form in text and form not in text[a:b]
            for piece, (a, b) in zip(pieces, spans, strict=True)
            for form in (piece, piece.strip())
        )
    )
    # two of one text, whose spans differ by white space only, are taken for two places
    assume(all(piece != following for piece, following in pairwise(pieces)))
    found = align(text, pieces)
    assert set(found.kinds.tolist()) <= {EXACT, NORMALISED}
    for span, ours, is_ambiguous in zip(spans, spans_of(found), found.ambiguous, strict=True):
        assert is_ambiguous or trimmed(text, *ours) == trimmed(text, *span)


@st.composite
def numbered_cuts(draw: st.DrawFn) -> tuple[str, list[Span]]:
    """As `cuts`, where no two words are alike."""
    words = draw(
        st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", "\n", "\r\n\r\n", "。"])), min_size=5)
    )
    text = "".join(f"{word}{number}{end}" for number, (word, end) in enumerate(words))
    places = sorted(draw(st.sets(st.integers(0, len(text) // 20), max_size=9)) - {0})
    bounds = [0, *(20 * place for place in places if 20 * place + 20 <= len(text)), len(text)]
    overlaps = [draw(st.integers(0, 15)) for _ in bounds]
    return text, [(max(0, a - overlap), b) for a, b, overlap in zip(bounds, bounds[1:], overlaps, strict=False)]


@given(numbered_cuts(), st.integers(1, 3), st.integers(1, 3))
def test_torn_characters_are_not_part_of_the_span(cut, before, behind):
    text, spans = cut
    whole = [(start + 1, end - 1) for start, end in spans]
    assume(all(len(oracle.normal_form(text[start:end])) >= 8 for start, end in whole))
    pieces = ["\ufffd" * before + text[start:end] + "\ufffd" * behind for start, end in whole]
    found = align(text, pieces)
    assert set(found.kinds.tolist()) == {NORMALISED}
    assert all("broken characters" in changes for changes in found.changes)
    for span, ours in zip(whole, spans_of(found), strict=True):
        assert trimmed(text, *ours) == trimmed(text, *span)


HEADING = "## 料金とお支払い (fees)"


@given(numbered_cuts(), st.sampled_from([str, str.strip, CHANGES["white space joined"]]))
def test_a_repeated_heading_is_prepended(cut, change):
    text, spans = cut
    base = len(HEADING) + 2
    pieces = [HEADING, *(HEADING + "\n" + change(text[start:end]) for start, end in spans)]
    found = align(HEADING + "\n\n" + text, pieces)
    assert found.kinds.tolist()[2:] == [PREPENDED] * (len(spans) - 1)
    assert found.prepended.tolist() == [[0, len(HEADING)]] * (len(spans) - 1)
    assert found.owners.tolist() == list(range(2, len(pieces)))
    for span, ours in zip(spans[1:], spans_of(found)[2:], strict=True):
        assert trimmed(text, ours[0] - base, ours[1] - base) == trimmed(text, *span)
    assert not found.ambiguous.any()


@given(numbered_cuts(), st.sampled_from([str, str.strip, CHANGES["white space joined"]]))
def test_lines_from_elsewhere_are_a_prefix(cut, change):
    check_prefixed(*cut, change, "\n")


@given(numbered_cuts())
def test_so_is_text_from_elsewhere_in_the_same_line(cut):
    text, spans = cut
    assume(all(len(oracle.normal_form(text[start:end])) >= 24 for start, end in spans))
    check_prefixed(text, spans, CHANGES["white space joined"], " ")


def check_prefixed(text: str, spans: list[Span], change: Callable[[str], str], joiner: str) -> None:
    prefixes = [f"Zusammenfassung Nr. {number}, Modell:" for number in range(len(spans))]
    pieces = [prefix + joiner + change(text[a:b]) for prefix, (a, b) in zip(prefixes, spans, strict=True)]
    found = align(text, pieces)
    assert set(found.kinds.tolist()) == {PREPENDED}
    assert not len(found.owners)
    assert found.prefixes.tolist() == [len(prefix) for prefix in prefixes]
    for span, ours in zip(spans, spans_of(found), strict=True):
        assert trimmed(text, *ours) == trimmed(text, *span)
    assert not found.ambiguous.any()


@given(texts(), st.lists(st.text(alphabet="qxzж", min_size=1, max_size=200), max_size=5))
def test_pieces_of_another_document_are_not_found(text, pieces):
    assume(not set("qxzж") & set(text))
    found = align(text, pieces)
    assert set(found.kinds.tolist()) <= {NOT_FOUND}
    assert not found.spans.any()


@given(st.permutations(range(8)), st.booleans())
def test_pieces_out_of_order_are_found_where_they_are_unique(order, is_joined):
    parts = [f"Part {number} tells of {WORDS[number]} and of  {WORDS[-number]}.\n" * 3 for number in range(8)]
    text = "".join(parts)
    change = CHANGES["white space joined"] if is_joined else str.strip
    found = align(text, [change(parts[number]) for number in order])
    starts = np.cumsum([0, *map(len, parts)])
    assert found.spans[:, 0].tolist() == [starts[number] for number in order]
    assert not found.ambiguous.any()


@given(st.text(), st.lists(st.text(max_size=20), max_size=6), st.data())
def test_anything_can_be_aligned(text, pieces, data):
    claims = st.none() | st.tuples(st.integers(-3, 30), st.integers(-3, 30))
    found = align(text, pieces, data.draw(st.none() | st.lists(claims, min_size=len(pieces), max_size=len(pieces))))
    assert len(found.spans) == len(found.kinds) == len(found.changes) == len(found.ambiguous) == len(pieces)
    for piece, (start, end), kind in zip(pieces, spans_of(found), found.kinds, strict=True):
        assert 0 <= start <= end <= len(text)
        assert (kind == EXACT) == (start < end and text[start:end] == piece)
        assert (kind == NOT_FOUND) == (start == end)
    assert (np.diff(found.owners) >= 0).all()


def test_a_claim_that_is_true_settles_repeats_and_a_false_one_is_ignored():
    text = "same same same"
    settled, ignored = align(text, ["same"], [(10, 14)]), align(text, ["same"], [(9, 13)])
    assert (settled.spans.tolist(), settled.ambiguous.tolist()) == ([[10, 14]], [False])
    assert (ignored.spans.tolist(), ignored.ambiguous.tolist()) == ([[0, 4]], [True])


def test_claims_settle_the_pieces_beside_them():
    text = "a\nb\n" * 4
    found = align(text, ["a", "b", "a"], [None, (6, 7), None])
    assert found.spans.tolist()[1:] == [[6, 7], [8, 9]]


def test_a_paragraph_that_comes_a_thousand_times_is_found_a_thousand_times():
    text = "Read the terms.\n\n" * 1000
    found = align(text, ["Read the terms."] * 1000)
    assert found.spans[:, 0].tolist() == list(range(0, len(text), 17))
    assert not found.ambiguous.any()


def test_two_paragraphs_a_piece_without_overlap_are_decided_by_the_end():
    text = "Read the terms.\n\n" * 100
    found = align(text, ["Read the terms.\n\nRead the terms."] * 50)
    assert found.spans[:, 0].tolist() == list(range(0, len(text), 34))
    assert not found.ambiguous.any()


def test_windows_of_one_letter_with_overlap_can_lie_anywhere():
    text = "a" * 1000
    found = align(text, [text[start : start + 100] for start in range(0, 901, 50)])
    assert found.ambiguous.tolist() == [False, *[True] * 17, False]
    assert found.spans[:, 0].tolist() == sorted(found.spans[:, 0].tolist())


def test_a_short_piece_is_not_looked_for_in_the_one_before_it_if_it_goes_on_behind():
    text = "Fees: see Note: below.\n## 2\nNote: paid monthly"
    found = align(text, ["Fees: see Note: below.", "Note:", "paid monthly"])
    assert found.spans.tolist() == [[0, 22], [28, 33], [34, 46]]


def test_what_lies_in_no_piece_parts_as_little_as_can_be():
    text = "A. x B. y B. C."
    assert align(text, ["A.", "B.", "C."]).spans.tolist() == [[0, 2], [10, 12], [13, 15]]


def test_table_rows_keep_their_repeated_header():
    table = "| 区分 | 料金 |\n|---|---|\n| A | 1 |\n| B | 2 |\n| C | 3 |\n"
    header = "| 区分 | 料金 |\n|---|---|\n"
    found = align("料金表\n\n" + table, ["料金表", header + "| A | 1 |", header + "| B | 2 |", header + "| C | 3 |"])
    assert found.kinds.tolist() == [EXACT, EXACT, PREPENDED, PREPENDED]
    assert found.owners.tolist() == [2, 3]
    assert found.prepended.tolist() == [[5, 26], [5, 26]]
    assert found.spans.tolist()[2:] == [[37, 46], [47, 56]]


def test_steps_of_a_heading_path_are_prepended():
    text = "# Fees\n\n## Who pays\n\nEveryone who lives here pays.\n\nChildren pay nothing at all.\n"
    found = align(
        text, ["Fees > Who pays\n\nEveryone who lives here pays.", "Fees > Who pays\n\nChildren pay nothing at all."]
    )
    # the first one stands under its headings, which are hardly changed
    assert found.kinds.tolist() == [NORMALISED, PREPENDED]
    assert text[slice(*spans_of(found)[1])] == "Children pay nothing at all."
    assert [text[start:end] for start, end in found.prepended.tolist()] == ["Fees", "Who pays"]


def test_of_two_parts_that_lie_apart_the_longer_is_the_body():
    text = (
        "A short part of it here. "
        + "What lies between is not in the piece. " * 5
        + "And a far longer part of the text."
    )
    found = align(text, ["A short part of it here. And a far longer part of the text."])
    assert found.kinds.tolist() == [PREPENDED]
    assert text[slice(*spans_of(found)[0])] == "And a far longer part of the text."
    assert [text[start:end] for start, end in found.prepended.tolist()] == ["A short part of it here."]


@pytest.mark.parametrize(
    ("passage", "piece", "changes"),
    [
        ("one\r\ntwo three", "one\ntwo three", ("line ends",)),
        ("one\ttwo three", "onetwo three", ("tabs",)),
        ("one\ttwo three", "one two three", ("tabs",)),
        ("one \n two three", "one two three", ("white space",)),
        ("one two\u200bthree", "one twothree", ("invisible characters",)),
        ("cafe\u0301 au lait", "caf\u00e9 au lait", ("NFC",)),
        ("１２ ㌔ です", "12 キロ です", ("NFKC",)),
        ("One Two Three", "one two three", ("letter case",)),
        ("One **two** three", "One two three", ("punctuation",)),
        ("See [the docs](https://example.org/a) first", "See the docs first", ("markup",)),
        ("<p>One <b>two</b> three</p>", "One two three", ("markup",)),
        ("one two three", "one two three.", ("final full stop",)),
        ("ｶﾞｽ料金\r\nは 毎月", "ガス料金 は毎月", ("NFKC", "line ends", "white space")),
    ],
)
def test_changes_are_named(passage, piece, changes):
    found = align(f"Before it. {passage}\n\nBehind it!", ["Before it.", piece, "Behind it!"])
    assert found.kinds.tolist() == [EXACT, NORMALISED, EXACT]
    assert found.changes == ((), changes, ())


def test_what_is_nowhere_is_not_found():
    found = align("text", ["other", "", "\ufffd"])
    assert found.kinds.tolist() == [NOT_FOUND] * 3
    assert found.spans.tolist() == [[0, 0]] * 3


# how much is read


class Counted(str):
    """A text that counts the characters that are searched."""

    read = 0

    def find(self, *arguments):
        needle, low, high = (*arguments, 0, len(self))[:3]
        found = super().find(needle, low, high)
        Counted.read += max(0, (found + len(needle) if found >= 0 else min(high, len(self))) - low)
        return found


def work(text: str, pieces: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many characters are read for an alignment."""
    read = 0

    def counting(searching):
        def search(form, needle, low, high):
            nonlocal read
            found = searching(form, needle, low, high)
            end = found + len(needle) if found >= 0 else high
            read += max(0, end - low if searching.__name__ == "first" else high - max(found, low)) + len(needle)
            return found

        return search

    def looking_up(anchors, piece, *, original=Anchors._lookup):
        nonlocal read
        read += len(piece)
        return original(anchors, piece)

    with monkeypatch.context() as patch:
        patch.setattr(Form, "first", counting(Form.first))
        patch.setattr(Form, "last", counting(Form.last))
        patch.setattr(Anchors, "_lookup", looking_up)
        Counted.read = 0
        align(Counted(text), pieces)
    return read + Counted.read


def windows(text: str, size: int, step: int) -> list[str]:
    return [text[start : start + size] for start in range(0, max(1, len(text) - size + step), step)]


def numbered(count: int) -> str:
    return "".join(f"Line {number} says {number * 7919 % 10007} things.\n" for number in range(count))


HOSTILE: dict[str, Callable[[int], tuple[str, list[str]]]] = {
    "one letter": lambda n: ("a" * 10 * n, windows("a" * 10 * n, 100, 40)),
    "one letter, changed": lambda n: ("a" * 10 * n, ["\ufffd" + piece for piece in windows("a" * 10 * n, 100, 40)]),
    "one line": lambda n: ("the line\n" * n, ["the line"] * n),
    "fewer pieces than lines": lambda n: ("the line\n" * n, ["the line"] * (n // 7)),
    "two of many lines": lambda n: ("the line\n" * n, ["the line\nthe line"] * (n // 2)),
    "other document": lambda n: (numbered(n), windows("qxz" * 10 * n, 100, 100)),
    "one that never fits": lambda n: ("a" * 10 * n, ["a" * 100 + "b"] * (n // 10)),
    "letters, then others": lambda n: ("a" * 10 * n, windows("a" * 10 * n, 100, 80) + ["b" * 40] * n),
    "blanks": lambda n: ("x" + " " * 10 * n, windows("x" + " " * 10 * n, 100, 40)),
    "reversed": lambda n: (numbered(n), windows(numbered(n), 100, 80)[::-1]),
    "every other": lambda n: (numbered(n), windows(numbered(n), 100, 100)[::2]),
    "one piece again and again": lambda n: (numbered(n), [numbered(5)] * n),
    "context in front": lambda n: (numbered(n), [f"Nr. {len(p)}, of a model\n" + p for p in windows(numbered(n), 100, 80)]),
    "short ones that are nowhere": lambda n: (numbered(n), [f"q{number}" for number in range(n)]),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_text_is_about_twice_the_work(name, monkeypatch):
    small, large = (HOSTILE[name](count) for count in (1000, 4000))
    few, many = work(*small, monkeypatch), work(*large, monkeypatch)
    read = len(large[0]) + sum(map(len, large[1]))
    assert many < 6 * few or many < 40 * read, (many / few, many / read)


def test_slices_are_looked_for_once_or_twice_where_they_are_expected(monkeypatch):
    text = numbered(2000)
    pieces = windows(text, 200, 150)
    assert work(text, pieces, monkeypatch) < 3 * (len(text) + sum(map(len, pieces)))


def test_a_claim_that_is_true_for_the_body_tells_the_head_from_it():
    """Some repeat all that stands in front of a table, and claim the rows: the head is longer than the body."""
    head = "# Prices\n\nAll of them are in yen, and none of them holds for long.\n\n| name | price |\n|---|---|\n"
    rows = [f"| a teapot, number {n} | {n}00 yen |\n" for n in range(6)]
    text = head + "".join(rows)
    spans = [(0, len(head + rows[0])), *((text.index(row), text.index(row) + len(row)) for row in rows[1:])]
    pieces = [head + row for row in rows]
    found = align(text, pieces, spans)
    assert found.spans.tolist() == [list(span) for span in spans]
    assert found.kinds.tolist() == [EXACT, *[PREPENDED] * 5]
    assert found.prefixes.tolist() == [0] * 6
    assert set(found.owners.tolist()) == {1, 2, 3, 4, 5}
    # the end of a slice is no body: what stands in front of it stands in the text too
    assert align(text, pieces[:1], [(len(head), len(head + rows[0]))]).spans.tolist() == [[0, len(head + rows[0])]]
