"""How results are shown. Expected outputs are files in `tests/gold`; ``pytest --update-gold`` writes them anew."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from strategies import texts

from chunkscope import Document, sweep
from chunkscope.grid.advice import advise
from chunkscope.grid.limits import ModelLimit
from chunkscope.grid.notation import grid_pairs
from chunkscope.grid.results import Cell, ChunkTokens, CorpusInfo, QuestionsInfo, SweepResult, flat_cell
from chunkscope.measures.findings import Finding
from chunkscope.measures.lengths import LengthCounts
from chunkscope.reports.base import SWEEP, ReportOptions, write_report
from chunkscope.reports.formatting import decimal, money, percent, rate
from chunkscope.reports.json_report import to_json
from chunkscope.reports.selection import chosen_cells
from chunkscope.reports.sparkline import ASCII_BARS, BARS, axis, sparkline
from chunkscope.reports.sweep_csv import to_csv
from chunkscope.reports.sweep_markdown import escape, to_markdown
from chunkscope.reports.sweep_text import render_chart, render_sweep
from chunkscope.reports.visible import harmless, harmless_json, pieces, visible
from chunkscope.reports.why import render_why
from chunkscope.reports.width import fit, fit_end, pad, width, wrap

JOINED = re.compile("(?<=[👩👧😀])\u200d(?=[👩👧😀])")
"""What joins emoji is the one thing without width that is shown as it is."""

SIZES = range(100, 500, 20)
CORPUS = CorpusInfo("規程/出張", 3, 4000, ignored={".pdf": 2})


def questions(**changed: object) -> QuestionsInfo:
    info = QuestionsInfo(
        "規程/質問.jsonl", "ab", 25, 20, 3, (("q9", "ambiguous"), ("旅費|q10", "missing")), 26, 3, {"char": 119}
    )
    return dataclasses.replace(info, **changed)


def asked_cell(size: int, split: int, apart: int, *, overlap: int | None = None, expected: float | None = 0.0, **more):
    n_chunks = 4000 // size + 1
    cuts = {"row": 2, "word": 5, "words": 3, "sentence": 1} if size < 300 else {"words": 2}
    return Cell(
        **{
            "chunker": "fixed", "unit": "char", "size": size, "overlap": size // 6 if overlap is None else overlap,
            "characters": 4000, "chunks": n_chunks, "lengths": LengthCounts.of({size: n_chunks}), "split_questions": split,
            "split_evidence": split, "questions": 20, "harmed_questions": max(split, apart), "expected_split_questions": expected, "table_questions": 3,
            "table_questions_with_header": 3 - apart, "table_rows": 15, "table_rows_with_header": 15 - 4 * apart,
            "cuts": cuts, "split_question_ids": tuple(f"質問{n}" for n in range(split)),
            "header_lost_question_ids": tuple(f"t{n}" for n in range(apart)), **more,
        }
    )  # fmt: skip


def asked_result(**changed: object) -> SweepResult:
    """Nothing is split at 220 by luck, nor from 300 on; the rows follow at 400."""
    cells = []
    for size in SIZES:
        split = 0 if size == 220 or size >= 300 else 8 - size // 50
        apart = 3 if size < 240 else 1 if size < 400 else 0
        status = {"status_chunks": 9, "unmarked_chunks": 7 if size < 300 else 0}
        cells.append(asked_cell(size, split, apart, expected=2.4 if size < 300 else 0.04, **status))
    base = SweepResult({"overlaps": ["1/6"]}, CORPUS, questions(), tuple(cells))
    return dataclasses.replace(base, **changed)


def hopeless_result() -> SweepResult:
    """Two ways of cutting, neither of which is ever safe."""
    fixed = [asked_cell(size, 2, 1, overlap=0, expected=2.0, evidence_longer_than_size=1) for size in (50, 100)]
    whole = asked_cell(1, 0, 2, chunker="heading", expected=None)
    sections = dataclasses.replace(whole, size=None, overlap=None)
    [pair] = grid_pairs([4], [8])[1]
    skipped = (("fixed", "char", pair),)
    return SweepResult({"overlaps": ["0"]}, CORPUS, questions(excluded=(), total=23), (*fixed, sections), skipped)


def bare_cell(size: int, rows: int, sentences: int) -> Cell:
    return Cell(
        "fixed", "char", size, 0, 4000, chunks=40, lengths=LengthCounts.of({size: 40}), table_rows=8, table_rows_with_header=rows,
        table_rows_whole=8,
        cuts={"row": 8 - rows, "words": 20, "block": 10}, sentences=50, sentences_whole=sentences,
        code_blocks=1, code_blocks_whole=1, headings=0, headings_whole=0, tokens=4321,
    )  # fmt: skip


def bare_result() -> SweepResult:
    cells = tuple(bare_cell(size, min(8, size // 50), min(49, size // 8)) for size in SIZES)
    return SweepResult({"overlaps": ["0"], "price": 0.02}, CORPUS, None, cells)


def several_result() -> SweepResult:
    """A lucky safe row, and two sound ones of which the second costs less."""
    rows = [("fixed", 0, 2.0), ("sentence(newline=end)", 10, None), ("heading(prepend=headings+title)", 5, None)]
    cells = [
        asked_cell(size, int(size < start), 0, overlap=overlap, chunker=chunker, expected=expected)
        for (chunker, overlap, expected), start in zip(rows, (100, 300, 200), strict=True)
        for size in (100, 200, 300, 400)
    ]
    return SweepResult({}, CORPUS, questions(), tuple(cells))


RESULTS = {
    "asked": asked_result(),
    "hopeless": hopeless_result(),
    "bare": bare_result(),
    "several": several_result(),
    "empty": SweepResult({}, CorpusInfo("", 0, 0), None, (Cell("fixed", "char", 50, 0, 0),)),
    "no-valid": SweepResult({}, CORPUS, questions(valid=0, total=5, table=0), (asked_cell(50, 0, 0),)),
}


def finding(code, document, question, cut, line, column, before, after):
    return Finding(code, document, question, line, column, "", "", cut=cut, before=before, after=after)


SIDES = "規程である。" * 60 + "上限は1泊につき12,", "000円とする。\n" * 60
CUTS = [
    finding("evidence-split", "規程/出張.md", "q1", 400, 12, 5, *SIDES),
    finding("evidence-split", "規程/出張.md", "質問2", 400, 12, 5, *SIDES),
    finding("header-lost", "規程/出張.md", "t2", 400, 12, 5, *SIDES),
    finding("header-lost", "guide.md", None, 9, 2, 1, "| a |\r\n|---|\r\n", "| \t1\x1b |\u200b"),
    finding("header-lost", "guide.md", None, 9, 2, 1, "| a |\r\n|---|\r\n", "| \t1\x1b |\u200b"),
    finding("evidence-missing", "guide.md", "q3", 55, 3, 9, "か", "\u3099く"),
]  # fmt: skip


@pytest.fixture
def gold(request: pytest.FixtureRequest):
    """Compare a text with a file of `tests/gold`."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parents[1] / "gold" / name
        if request.config.getoption("--update-gold"):
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode(), f"{name} has changed; if that is right: pytest --update-gold"

    return compare


def shown(result: SweepResult, **options: object) -> str:
    """The result as it is written for a terminal, with its advice."""
    return render_sweep(with_advice(result), ReportOptions(**options))


def with_advice(result: SweepResult) -> SweepResult:
    return dataclasses.replace(result, advice=advise(result))


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", RESULTS)
def test_sweep_reads_as_before(name, gold):
    gold(f"sweep-{name}.txt", shown(RESULTS[name]))


@pytest.mark.parametrize("name", ["asked", "bare", "hopeless"])
def test_sweep_in_japanese_reads_as_before(name, gold):
    gold(f"sweep-{name}-ja.txt", shown(RESULTS[name], lang="ja"))


def test_sweep_in_a_narrow_japanese_terminal_reads_as_before(gold):
    gold("sweep-asked-60-ja.txt", shown(asked_result(), width=60, lang="ja"))


ENGLISH = re.compile(r"(?<![-\w])(of|the|is|are|in|with|that|no|for|by|at|and|to|lost|cut|answered)(?![-\w])")
"""Words of sentences; names and settings have none of them."""


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("width", [40, 60, 80])
def test_japanese_screens_hold_no_english_sentence_and_fit(name, width):
    result = dataclasses.replace(with_advice(RESULTS[name]), tokens=ChunkTokens("cl100k_base", 9, {512: 7, 8192: 0}))
    text = render_sweep(result, ReportOptions(width=width, lang="ja"))
    text += render_chart(result, ReportOptions(width=width, lang="ja"))
    assert max(map(cell_len, text.splitlines())) <= width
    assert not re.search(r"(?m)^\s*[、。）」ー]", text)
    assert not ENGLISH.search(text)


def test_sweep_in_a_narrow_ascii_terminal_reads_as_before(gold):
    gold("sweep-asked-40-ascii.txt", shown(asked_result(), width=40, ascii=True))


def test_sweep_in_colour_reads_as_before(gold):
    gold("sweep-asked-color.txt", shown(asked_result(), color=True))


@pytest.mark.parametrize("name", RESULTS)
def test_markdown_csv_and_json_read_as_before(name, gold):
    result = with_advice(RESULTS[name])
    gold(f"sweep-{name}.md", to_markdown(result, ReportOptions()))
    gold(f"sweep-{name}.csv", to_csv(result))
    gold(f"sweep-{name}.json", re.sub(r'"chunkscope": "[^"]*"', '"chunkscope": "0"', to_json(result)))


def test_markdown_in_japanese_reads_as_before(gold):
    gold("sweep-asked-ja.md", to_markdown(with_advice(asked_result()), ReportOptions(lang="ja")))


def test_json_is_the_same_in_every_language():
    result = with_advice(RESULTS["no-valid"])
    assert [write_report("json", SWEEP, result, ReportOptions(lang=lang)) for lang in ("ja", "en")] == [
        to_json(result)
    ] * 2


def test_why_reads_as_before(gold):
    gold("why.txt", render_why(CUTS, ReportOptions()))
    gold("why-40-ascii.txt", render_why(CUTS, ReportOptions(width=40, ascii=True)))


def test_colour_adds_only_colours():
    for result in RESULTS.values():
        assert re.sub("\x1b\\[\\d*m", "", shown(result, color=True)) == shown(result)
    assert re.sub("\x1b\\[\\d*m", "", render_why(CUTS, ReportOptions(color=True))) == render_why(CUTS, ReportOptions())


def test_ascii_marks_are_all_ascii_where_names_are():
    result = dataclasses.replace(bare_result(), corpus=CorpusInfo("docs", 1, 4000))
    assert shown(result, ascii=True).isascii()


def test_rates_over_no_question_are_not_printed_as_success():
    text = shown(RESULTS["no-valid"])
    assert "Advice  none: no question has evidence to look at." in text
    assert "Floor" not in text


def test_the_advised_cell_is_marked_and_told():
    text = shown(asked_result())
    (line,) = [line for line in text.splitlines() if line.startswith(">")]
    assert line.split()[1:3] == ["fixed", "320/53"] or "/" in line
    advice = advise(asked_result())
    assert f"fixed {advice.size}/{advice.overlap}" in text
    assert f"{advice.size}/{advice.overlap}" in line


def test_luck_is_told_with_what_would_be_cut_on_average():
    assert "do not trust the 0 of fixed 220/36: with the first cut elsewhere it would cut 2.4 on average." in flat(
        shown(asked_result())
    )


@pytest.mark.parametrize(("longest", "overlap"), [(2, "1 character"), (119, "118 characters")])
def test_the_overlap_that_guarantees_is_counted_in_whole_words_and_has_its_price(longest, overlap):
    result = dataclasses.replace(asked_result(), questions=questions(longest={"char": longest}))
    text = flat(shown(result))
    told = f"an overlap of {overlap} never cuts an answer, at any size above it, for about x"
    assert (told in text) == ((advise(result).overlap or 0) < longest - 1)


def test_what_prepending_would_mend_is_told_with_its_price():
    rules = Document("a.md", "# T\n\n| item | limit |\n|---|---|\n" + "| some thing | 12,000 |\n" * 60)
    result = sweep([rules], chunkers="sentence", sizes=[200, 300, 400], overlaps=[0])
    lost = next(cell for cell in result.cells if cell.key == result.advice.key)
    text = flat(render_sweep(result, ReportOptions()))
    assert f"prepend=table-header: rows without their header {60 - lost.table_rows_with_header} -> 0 of 60" in text
    assert result.advice.prepend == "table-header"


def test_a_grid_that_ends_too_early_is_told():
    rules = Document("a.md", "".join(f"```\n{'x' * n}\n```\n\n" for n in range(100, 1500, 30)))
    result = sweep([rules], chunkers="sentence", sizes=[200, 400, 500, 600], overlaps=[0])
    assert "the best size may be larger than any that was tried: add --sizes 600..1200" in flat(
        render_sweep(result, ReportOptions())
    )


def test_a_document_that_is_half_of_the_corpus_is_named():
    result = dataclasses.replace(bare_result(), corpus=CorpusInfo("docs", 3, 4000, largest=("big.md", 1920)))
    assert "48 % is one document: big.md" in flat(shown(result)).replace("48.0 %", "48 %")
    assert "big.md" not in shown(dataclasses.replace(result, corpus=CorpusInfo("docs", 3, 4000, largest=("big.md", 9))))


def test_cells_listed_by_hand_are_all_shown_and_ranges_are_cut_to_the_telling_ones():
    cells = [asked_cell(size, 2, 0) for size in range(100, 1800, 100)]
    listed = ",".join(str(size) for size in range(100, 1800, 100))
    result = SweepResult({"overlaps": ["1/6"], "sizes": listed}, CORPUS, questions(), tuple(cells))
    assert len(re.findall(r"^.*\d+/\d+ .*$", shown(result).partition("answer cut")[0], flags=re.M)) == 17
    ranged = dataclasses.replace(result, settings={"overlaps": ["1/6"], "sizes": "100..1700:100"})
    text = shown(ranged)
    assert len(re.findall(r"^.*\d+/\d+ .*$", text.partition("answer cut")[0], flags=re.M)) == 12
    assert "5 further settings: --all shows them" in text
    assert "further" not in shown(ranged, all_rows=True)


def test_each_way_has_a_line_and_the_advised_one_its_advised_cell():
    result = with_advice(several_result())
    places = chosen_cells(result, result.limit)
    assert [result.cells[place].chunker for place in places] == list(dict.fromkeys(c.chunker for c in result.cells))
    assert result.advice.key in [result.cells[place].key for place in places]


def test_no_column_is_ever_left_out():
    for columns in (40, 60, 80, 200):
        text = shown(bare_result(), width=columns, all_rows=True)
        for title in ("sentences", "code", "rows", "header", "tokens", "cost", "largest", "chunks", "to embed"):
            assert title in text, (title, columns)


names = texts(12).map(lambda text: text or "q")


@settings(max_examples=60)
@given(names, st.lists(names, min_size=1, max_size=5, unique=True), st.integers(40, 120), st.booleans(), st.booleans())
def test_no_line_is_wider_than_the_terminal(path, ids, columns, ascii, all_rows):
    cells = [
        asked_cell(
            size,
            len(ids),
            0,
            split_question_ids=tuple(ids),
            expected=None,
            chunks=size * 10**7,
            chunker=f"fixed({path})",
        )
        for size in (100, 200, 10**9)
    ]
    corpus = CorpusInfo(path, 1, 4000, ignored={path: 1})
    info = questions(path=path, excluded=tuple((identity, "missing") for identity in ids))
    result = SweepResult({"overlaps": ["1/6"]}, corpus, info, tuple(cells))
    for line in shown(result, width=columns, ascii=ascii, all_rows=all_rows).split("\n"):
        assert cell_len(line) <= columns
        line = JOINED.sub("", line)
        assert line.isprintable() or "\u3000" in line or "\u00a0" in line


@given(texts(), texts(), names, st.integers(40, 100), st.booleans())
@settings(max_examples=150)
def test_a_cut_is_one_line_that_fits(before, after, name, columns, ascii):
    one = finding("evidence-split", name, name, len(before), 1, 1, before, after)
    text = render_why([one], ReportOptions(width=columns, ascii=ascii))
    assert all(cell_len(line) <= columns for line in text.split("\n"))
    around = text.split("\n")[:-3][-1]
    left, right = visible(before, ascii=ascii), visible(after, ascii=ascii)
    if cell_len(left + right) <= columns - 3:
        assert around == f"  {left}{'|' if ascii else '│'}{right}"


def test_a_cut_has_half_the_line_on_each_side():
    line = render_why(CUTS[:1], ReportOptions()).splitlines()[1]
    left, _, right = line[2:].partition("│")
    assert left.startswith("…")
    assert right.endswith("…")
    assert abs(cell_len(left) - cell_len(right)) <= 3


def test_no_cut_is_said():
    assert render_why([], ReportOptions()) == "no cut\n"


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_percent_never_rounds_to_what_it_is_not(one, other):
    n, total = sorted((one, other))
    text = percent(n, total)
    if total == 0:
        assert text == "n/a"
        assert rate(n, total) is None
        return
    assert (text == "0 %") == (n == 0)
    assert (text == "100 %") == (n == total)
    shown = Fraction(text.removesuffix(" %")) / 100
    assert (shown == 0) == (n == 0)
    assert (shown == 1) == (n == total)
    assert abs(shown - Fraction(n, total)) <= Fraction(1, 2000)
    assert (rate(n, total) == 0) == (n == 0)
    assert (rate(n, total) == 1) == (n == total)


def test_one_of_three_thousand_is_a_fraction_of_a_percent():
    assert percent(1, 3000) == "0.03 %"


@given(st.floats(0, 1e6))
def test_expectations_and_prices_print_zero_only_for_zero(value):
    assert (float(decimal(value)) == 0) == (round(value, 6) == 0)
    assert float(money(value).replace(",", "")) == pytest.approx(value, rel=0.01, abs=1e-11)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200), st.integers(1, 90), st.booleans())
def test_a_dot_is_drawn_exactly_where_all_is_zero(values, columns, ascii):
    line = sparkline(values, 50, columns=columns, ascii=ascii)
    assert len(line) == min(len(values), columns)
    if len(values) <= columns:
        assert [mark in "·." for mark in line] == [value == 0 for value in values]
    assert set(line) <= set(ASCII_BARS + "." if ascii else BARS + "·")
    assert any(mark not in "·." for mark in line) == any(values)


@given(st.lists(st.integers(1, 5000), min_size=2, max_size=150, unique=True), st.integers(1, 90), st.data())
def test_the_axis_fits_under_its_bars(sizes, columns, data):
    labels = [str(size) for size in sorted(sizes)]
    marked = data.draw(st.lists(st.integers(0, len(labels) - 1), max_size=4))
    line = axis(labels, marked, columns)
    assert line.startswith(labels[0])
    assert line.endswith(labels[-1])
    assert len(line) <= max(min(len(labels), columns), len(labels[0]) + len(labels[-1]) + 1)
    assert set(re.split(r"[ -]+", line)) <= set(labels)


@given(texts(), st.integers(2, 60))
def test_fitting_never_exceeds_the_room_and_keeps_what_fits(text, room):
    shown = visible(text)
    for cut, keeps in ((fit(shown, room), str.startswith), (fit_end(shown, room), str.endswith)):
        assert width(cut) <= room
        assert cut == shown or keeps(shown, cut.strip("…"))
    assert width(pad(shown, room)) == max(room, width(shown))


@given(texts(), st.booleans())
def test_shown_text_is_one_harmless_line(text, ascii):
    shown = visible(text, ascii=ascii)
    assert "".join(pieces(text, ascii=ascii)) == shown
    assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]", JOINED.sub("", shown))
    assert width(shown) == sum(cell_len(piece) for piece in pieces(text, ascii=ascii))
    if shown:
        assert cell_len(shown[0]) > 0


@given(
    texts(),
    st.sampled_from(["", " ", "\u3000", "\xa0", "\x0b"]),
    st.sampled_from(["::debug::", "##[error]", "###[", "##vso[task.x]", "a ##teamcity["]),
)
def test_no_line_is_a_command_to_a_runner(text, blank, command):
    shown = harmless(f"{blank}{command}{text}\n{text}\n{text}{command}\n")
    assert not re.search(r"##[A-Za-z]*\[", shown)
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert harmless(shown) == shown


@given(texts(), st.integers(20, 60))
def test_wrapping_loses_nothing_but_spaces(text, room):
    shown = visible(text)
    lines = wrap(shown, room, first="- ")
    assert all(width(line) <= room for line in lines)
    assert "".join(lines)[2:].replace(" ", "") == shown.replace(" ", "")


PHRASES = st.text(st.sampled_from("がをにすっー漢語ABc12、。」）「（…"), max_size=7).map(lambda text: f"あ{text}あ")


@given(st.lists(st.lists(PHRASES, min_size=1, max_size=9).map("".join), min_size=1), st.integers(20, 40))
def test_lines_of_japanese_begin_and_end_where_they_may(words, room):
    lines = wrap(" ".join(words), room)
    assert "".join(lines).replace(" ", "") == "".join(words)
    assert all(width(line) <= room for line in lines)
    assert not any(line.startswith(tuple("、。」）ーっ…")) for line in lines)
    assert not any(line.endswith(("「", "（")) for line in lines)


def test_lines_of_japanese_are_filled_and_names_stay_whole():
    sentence = "重なりを 24 以上にすると、根拠が必ず一つのチャンクに収まります。"
    assert [width(line) for line in wrap(sentence, 20)] == [20, 20, 20, 4]
    assert wrap("split: 出張旅費規程.md, 役員出張特例.md", 30) == ["split: 出張旅費規程.md,", "役員出張特例.md"]


@pytest.mark.parametrize("name", RESULTS)
def test_json_is_valid_and_holds_the_whole_result(name):
    text = to_json(RESULTS[name])
    assert text.endswith("}\n")
    assert json.loads(text) == json.loads(json.dumps(RESULTS[name].to_dict()))
    assert text.count("\n") <= 12 + len(RESULTS[name].cells) + len(RESULTS[name].skipped)
    assert to_json(RESULTS[name]) == text


def test_json_escapes_what_utf8_and_readers_cannot_take():
    info = questions(path="a\0b\ud800", excluded=(("\u2028", "missing"),))
    text = to_json(SweepResult({}, CORPUS, info, ()))
    assert r"a\u0000b\ud800" in text
    assert json.loads(text.encode())["questions"]["path"] == "a\0b\ud800"


@given(st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("#[:\x7f\x80\x9f\xa0\ud800한"))))
def test_json_stays_the_same_value_and_loses_what_terminals_obey(text):
    written = harmless_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(written) == {"text": text}
    assert not re.search("[\x7f-\x9f\ud800-\udfff]", written)
    assert not re.search(r"##[A-Za-z]*\[", written)


@pytest.mark.parametrize("name", RESULTS)
def test_csv_has_a_row_a_cell_every_figure_and_no_rate_over_zero(name):
    result = RESULTS[name]
    rows = list(csv.DictReader(io.StringIO(to_csv(result))))
    assert len(rows) == len(result.cells)
    for row, cell in zip(rows, result.cells, strict=True):
        assert row["size"] == ("" if cell.size is None else str(cell.size))
        assert row["split_questions"] == str(cell.split_questions)
        assert (row["rates_split_questions"] == "") == (cell.questions == 0)
        assert (row["rates_table_rows_with_header"] == "") == (cell.table_rows == 0)
        assert (row["expected_split_questions"] == "") == (cell.expected_split_questions is None)
        figures = {key: value for key, value in flat_cell(cell).items() if value is not None}
        assert {key: row[key] for key in figures} == {key: str(value) for key, value in figures.items()}


def test_cost_is_shown_only_with_a_price():
    assert "cost" in shown(bare_result(), width=120)
    assert "0.0000864" in shown(bare_result(), width=120)
    assert "cost" not in shown(dataclasses.replace(bare_result(), settings={"overlaps": ["0"]}), width=120)


@given(texts())
def test_markdown_escapes_cannot_break_a_table_or_start_markup(text):
    from markdown_it import MarkdownIt

    source = f"| x{escape(text)}x |\n| --- |\n| y |\n"
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    header = next(token for token in tokens if token.type == "inline")
    assert [token.type for token in tokens].count("th_open") == 1
    assert {child.type for child in header.children} <= {"text", "text_special"}
    assert "".join(child.content for child in header.children) == f"x{visible(text)}x"


def test_documents_without_headings_are_told_where_sections_are_the_chunks():
    plain = sweep([Document("a.md", "一つ。\n\n二つ。"), Document("b.md", "三つ。")], chunkers="heading", sizes=[4])
    told = "no document is divided by headings: each is one section"
    assert told in render_sweep(plain, ReportOptions())
    assert told in to_markdown(plain, ReportOptions())
    parted = sweep(
        [Document("a.md", "# 一\n本文。\n# 二\n本文。"), Document("b.md", "三つ。")], chunkers="heading", sizes=[4]
    )
    assert told not in render_sweep(parted, ReportOptions())
    beside = sweep(
        [Document("a.md", "# 一\n本文。\n# 二\n本文。"), Document("b.md", "")], chunkers="heading", sizes=[4]
    )
    assert told not in render_sweep(beside, ReportOptions())


@pytest.mark.parametrize(
    ("above", "told"),
    [
        ((0, 0), "of the 9 chunks of the advised setting (>), none is above 512 cl100k_base tokens"),
        ((1, 0), "of the 9 chunks of the advised setting (>), 1 is above 512 cl100k_base tokens, none above 8,192"),
        ((7, 2), "of the 9 chunks of the advised setting (>), 7 are above 512 cl100k_base tokens, 2 above 8,192"),
    ],
)
def test_how_many_chunks_of_the_advised_cell_are_above_what_models_take_is_a_note(above, told):
    counted = ChunkTokens("cl100k_base", 9, dict(zip((512, 8192), above, strict=True)))
    result = dataclasses.replace(with_advice(asked_result()), tokens=counted)
    more = ": a model with such a limit cuts them off" if above[0] else ""
    assert told + more in flat(render_sweep(result, ReportOptions()))
    assert f"- {told}{more}" in to_markdown(result, ReportOptions())
    assert ("cuts them off" in to_markdown(result, ReportOptions())) == bool(above[0])
    assert "advised setting (>)" not in shown(asked_result())


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (ModelLimit(60, None), "! above 60"),
        (ModelLimit(60), "! above 60 characters"),
        (ModelLimit(60, "char", "m"), "! above the 60 characters that m takes"),
        (ModelLimit(60, "char", "m", 512), "! above 60 characters"),
    ],
)
def test_the_mark_of_chunks_that_are_too_large_says_what_for(limit, told):
    result = dataclasses.replace(bare_result(), limit=limit)
    text = flat(render_sweep(dataclasses.replace(result, advice=advise(result, limit=limit)), ReportOptions()))
    assert f"{told} " in text
    counted = "m takes 512 tokens, which cannot be counted here: chunks are compared with 60 characters (--model-limit"
    assert (counted in text) == (limit.tokens is not None)


def test_the_mark_speaks_of_models_where_none_is_named():
    rows = [dataclasses.replace(cell, lengths=LengthCounts.of({9000: 2})) for cell in bare_result().cells]
    assert "! above the 8,000 characters that models take" in flat(
        shown(dataclasses.replace(bare_result(), cells=tuple(rows)))
    )
