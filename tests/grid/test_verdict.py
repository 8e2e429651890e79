"""The verdict: rows of the grid, safe cells, what stands in the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chunkscope.grid.notation import parse_overlaps
from chunkscope.grid.results import Cell, CorpusInfo, QuestionsInfo, SweepResult
from chunkscope.grid.verdict import (
    characters_per_answer,
    grid_rows,
    guaranteed_overlap,
    is_guaranteed,
    judge,
    judge_structure,
    kept,
    obstacles,
    size_ranges,
)
from chunkscope.measures.lengths import LengthCounts

CORPUS = CorpusInfo("docs", 1, 900)


def asked(valid: int = 5) -> QuestionsInfo:
    return QuestionsInfo("q.jsonl", "", valid, valid, 0, (), valid, 2, {"char": 120, "cl100k_base": 80})


def cell(size: int | None, overlap: int | None = 0, split: int = 0, apart: int = 0, **more: object) -> Cell:
    more = {"chunker": "fixed", "unit": "char", "chunks": 9, "lengths": LengthCounts.of({size or 70: 9}), **more}
    return Cell(
        size=size, overlap=overlap, characters=900, split_questions=split, split_evidence=split, table_questions=2,
        table_questions_with_header=2 - apart, **more,
    )  # fmt: skip


def result(*cells: Cell, overlaps: tuple[str, ...] = (), valid: int = 5) -> SweepResult:
    return SweepResult({"overlaps": list(overlaps)} if overlaps else {}, CORPUS, asked(valid), cells)


@given(
    st.lists(st.integers(3, 400), min_size=3, max_size=12, unique=True),
    st.lists(st.sampled_from(["0", "1/6", "15%", "1/2", "2", "1"]), min_size=1, max_size=4, unique=True),
)
def test_rows_hold_every_cell_of_the_overlap_they_name(sizes, overlaps):
    pairs = {(size, parse_overlaps(overlap)[0].at(size)) for size in sizes for overlap in overlaps}
    rows = grid_rows(result(*(cell(size, width) for size, width in pairs if width < size), overlaps=tuple(overlaps)))
    assert [row.overlap for row in rows] == overlaps
    for row in rows:
        at = parse_overlaps(row.overlap)[0].at
        assert [(one.size, one.overlap) for one in row.cells] == [(size, at(size)) for size in sorted(sizes)]


def test_shares_are_found_where_the_notation_is_not_known():
    sizes = range(50, 300, 10)
    rows = grid_rows(result(*(cell(size, size // 6) for size in sizes)))
    assert [(row.overlap, len(row.cells)) for row in rows] == [("1/6", len(sizes))]
    rows = grid_rows(result(*(cell(size, width) for size in sizes for width in (0, 20))))
    assert [row.overlap for row in rows] == ["0", "20"]


def test_ways_of_cutting_and_whole_sections_are_rows_of_their_own():
    rows = grid_rows(
        result(cell(None, None, chunker="heading"), cell(50, chunker="heading"), cell(50), cell(50, unit="word"))
    )
    assert [(row.chunker, row.unit, row.overlap) for row in rows] == [
        ("heading", "char", None),
        ("heading", "char", "0"),
        ("fixed", "char", "0"),
        ("fixed", "word", "0"),
    ]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=8))
def test_safe_is_the_smallest_size_from_which_on_all_is_whole(kinds):
    cells = [cell(10 * place, split=split, apart=apart) for place, (split, apart) in enumerate(kinds, 1)]
    (found,) = judge(result(*cells)).rows
    slow = [one for place, one in enumerate(cells) if all(later.is_whole for later in cells[place:])]
    unsplit = [one for place, one in enumerate(cells) if not any(later.split_questions for later in cells[place:])]
    earlier = [one for one in cells if not one.split_questions and (not slow or one.size < slow[0].size)]
    assert found.safe == next(iter(slow), None)
    assert found.unsplit == next(iter(unsplit), None)
    assert found.earlier == next(iter(earlier), None)


def test_the_best_is_not_lucky_while_another_is_sound():
    lucky = cell(100, chunker="fixed", expected_split_questions=0.5)
    sound = cell(300, chunker="sentence")
    assert judge(result(lucky, sound)).best.safe == sound
    assert judge(result(lucky)).best.safe == lucky


def test_nothing_is_safe_where_no_question_counts():
    verdict = judge(result(cell(100), valid=0))
    assert verdict.best is None
    assert [row.safe for row in verdict.rows] == [None]


def test_without_questions_each_kind_has_its_own_safe_size():
    cells = [
        Cell(
            "fixed", "char", size, 0, 900, table_rows=4, table_rows_with_header=rows, sentences=9, sentences_whole=whole
        )
        for size, rows, whole in ((50, 1, 7), (100, 4, 9), (150, 4, 8), (200, 4, 8))
    ]
    (found,) = judge_structure(SweepResult({}, CORPUS, None, tuple(cells)))
    rows, sentences = found.kinds
    assert (rows.kind, rows.safe.size, rows.kept) == ("table_rows", 100, 4)
    assert (sentences.safe, sentences.best.size, sentences.kept) == (None, 100, 9)
    assert found.safe is None
    assert kept(cells[0], "headings") == (0, 0)


def test_obstacles_name_questions_and_their_sizes():
    cells = [
        cell(50, split_question_ids=("a", "b"), header_lost_question_ids=("a",)),
        cell(60, split_question_ids=("b",), header_lost_question_ids=()),
    ]
    (row,) = grid_rows(result(*cells))
    found = [(o.question, o.kind, o.sizes) for o in obstacles(row)]
    assert found == [("a", "split", (50,)), ("a", "header lost", (50,)), ("b", "split", (50, 60))]


def test_obstacles_are_in_the_natural_order_of_their_questions():
    ids = ("q10", "0", "q2", "a")
    (row,) = grid_rows(result(cell(50, split_question_ids=ids)))
    assert [o.question for o in obstacles(row)] == ["a", "q2", "q10", "0"]


def test_whole_sections_in_the_way_have_the_size_0():
    (row,) = grid_rows(result(cell(None, None, split_question_ids=("a",), header_lost_question_ids=("b",))))
    assert [o.sizes for o in obstacles(row)] == [(0,), (0,)]


@given(st.sets(st.integers(0, 30)))
def test_size_ranges_name_exactly_the_sizes(chosen):
    grid = [50 + 7 * place for place in range(31)]
    text = size_ranges([grid[place] for place in sorted(chosen)], grid)
    named = set()
    for part in filter(None, text.split(", ")):
        first, _, last = part.partition("-")
        named.update(place for place, size in enumerate(grid) if int(first) <= size <= int(last or first))
    assert named == chosen


def test_the_overlap_that_guarantees_is_one_less_than_the_longest():
    assert guaranteed_overlap(result(cell(50)), "char") == 119
    assert guaranteed_overlap(result(cell(50)), "word") is None
    of = {
        (row.chunker, row.unit): is_guaranteed(row)
        for row in grid_rows(
            result(
                cell(50),
                cell(50, chunker="token(raw=true)", unit="cl100k_base"),
                cell(50, chunker="token", unit="cl100k_base"),
                cell(50, unit="word"),
                cell(50, chunker="sentence"),
            )
        )
    }
    assert [key for key, promised in of.items() if promised] == [("fixed", "char"), ("token(raw=true)", "cl100k_base")]


def test_an_answer_is_five_chunks_of_mean_length():
    assert characters_per_answer(cell(50, lengths=LengthCounts.of({50: 1, 30: 1}))) == 200
    assert characters_per_answer(cell(50, lengths=LengthCounts.of({}))) is None
