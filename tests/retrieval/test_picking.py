"""The pick of a retriever and a cell: the slow rule on generated answers, how sure it is, and held-out questions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import choice as slow

from chunkscope import Document, Question, recall
from chunkscope.grid.advice import PICK, TRY, Advice, NoAdvice, Tolerance
from chunkscope.grid.choice import DRAWS, draw_questions
from chunkscope.grid.limits import ModelLimit
from chunkscope.grid.plan import SweepPlan
from chunkscope.grid.results import Cell, CorpusInfo, SweepResult, retriever_names
from chunkscope.measures.lengths import LengthCounts
from chunkscope.retrieval import Bm25Retriever, Holdout, summarise
from chunkscope.retrieval.picking import advise_recall, answers, best_of_ways
from chunkscope.retrieval.relevance import Ranks

LIMIT = ModelLimit(250, "char")
N_TABLES = 400
UNITS = {"token": "cl100k_base"}


def found(rng, n_questions, *, context):
    """What a retriever found in a cell: made-up ranks, judged at a k of its own."""
    k = int(rng.integers(1, 5))
    ranks = rng.integers(0, 7, n_questions)
    ids = {f"q{n}": n for n in range(n_questions)}
    return {
        "retriever": "bm25", "k": [1, k + 1], "settings": {"context": 6000} if context else {}, "half": rng.random() < 0.15,
        "over_long_chunks": int(rng.random() < 0.1), "context": {str(k + 1): float(rng.integers(1, 4))},
        "first_rank_answered": Ranks(ids, ranks),
    }  # fmt: skip


def table(rng, most=3):
    """One to three ways, one or two overlaps, few distinct prices and sizes, one to three retrievers; or one of each."""
    n_questions, context, n_retrievers = (
        int(rng.integers(1, 9)),
        bool(rng.random() < 0.7),
        int(rng.integers(0, most) + 1),
    )
    overlaps = ["0", "1/2"][: rng.integers(1, 3)]
    keys = []
    for chunker in ["fixed", "sentence", "token"][: rng.integers(0, most) + 1]:
        sizes = sorted(rng.choice([100, 200, 300, 400, 500], size=rng.integers(1, 6), replace=False).tolist())
        keys += [(chunker, size, 0 if overlap == "0" else size // 2) for overlap in overlaps for size in sizes]
    keys += [("heading", None, None)] * int(rng.integers(0, 2)) if most > 1 else []
    cells = tuple(
        Cell(
            chunker, UNITS.get(chunker, "char"), size, overlap, 900, chunks=int(rng.integers(1, 4)),
            lengths=LengthCounts.of({int(rng.choice([100, 200, 200, 300])): int(rng.integers(1, 4))}),
            retrieval=tuple(found(rng, n_questions, context=context) for _ in range(n_retrievers)),
        )
        for chunker, size, overlap in keys
    )  # fmt: skip
    return SweepResult({"overlaps": overlaps}, CorpusInfo("", 1, 900), None, cells)


def tables(n=N_TABLES, seed=1, most=3):
    rng = np.random.default_rng(seed)
    return [table(rng, most) for _ in range(n)]


def line_name(cell):
    """What a line is: the way, and which of the two overlaps."""
    return cell.chunker, cell.size is None, bool(cell.overlap)


def pairs(result):
    """Every retriever with every cell, retriever by retriever."""
    return [(number, cell) for number in range(len(result.cells[0].retrieval)) for cell in result.cells]


def as_slow(result, weights):
    """The pairs as the slow rule takes them; a question counts as often as its weight says."""
    lines = []
    for number, cell in pairs(result):
        one, name = cell.retrieval[number], (number, *line_name(cell))
        if name not in lines:
            lines.append(name)
        hit = [0 < rank <= max(one["k"]) for rank in one["first_rank_answered"].ranks]
        lost = sum(weight for weight, answered in zip(weights, hit, strict=True) if not answered)
        fits = max(cell.lengths.counted.lengths) <= 250 and not one["over_long_chunks"]
        price = cell.lengths.total if "context" in one["settings"] else one["context"][str(max(one["k"]))]
        yield slow.Cell(lines.index(name), cell.size or 0, fits, price, cell.chunks, one["half"], (float(lost),))


def slow_pick(result, weights, tolerance):
    return pairs(result)[slow.pick(list(as_slow(result, weights)), tolerance * sum(weights))]


def n_questions(result):
    return len(result.cells[0].retrieval[0]["first_rank_answered"])


def fitting(result):
    return any(cell.fits for cell in as_slow(result, [1] * n_questions(result)))


def test_the_pick_equals_the_loops():
    n_without = 0
    for result in tables():
        advice = advise_recall(result, limit=LIMIT)
        if not fitting(result):
            n_without += 1
            assert isinstance(advice, NoAdvice)
            assert "no cell fits" in advice.reason
            continue
        ones = [1] * n_questions(result)
        number, cell = slow_pick(result, ones, 0.02)
        assert (advice.key, advice.retriever) == (cell.key, retriever_names(cell.retrieval)[number])
        told = list(as_slow(result, ones))
        place = pairs(result).index((number, cell))
        assert advice.own_loss == told[place].losses[0] == (~answers(cell.retrieval[number])).sum()
        assert advice.loss == pytest.approx(slow.counted(told, place))
        able = slow.candidates(told, 0.0)
        assert advice.least_loss == pytest.approx(min(slow.counted(told, one) for one in able))
        assert (advice.k, advice.of) == (max(cell.retrieval[number]["k"]), len(ones))
    assert 0 < n_without < N_TABLES / 4


def test_what_is_picked_fits_and_says_something_where_any_does():
    for result in tables(seed=2):
        advice = advise_recall(result, limit=LIMIT, tolerance="0")
        if not advice:
            continue
        told = dict(zip([(n, cell.key) for n, cell in pairs(result)], as_slow(result, [1] * advice.of), strict=True))
        cell = next(cell for cell in result.cells if cell.key == advice.key)
        chosen = told[retriever_names(cell.retrieval).index(advice.retriever), advice.key]
        assert chosen.fits
        telling = [one for one in told.values() if one.fits and not one.says_nothing]
        assert not (telling and chosen.says_nothing)


def test_wins_are_the_draws_in_which_the_loops_pick_the_same_way():
    n_tried = 0
    for result in tables(40, seed=3) + tables(40, seed=7, most=1):
        advice = advise_recall(result, limit=LIMIT)
        if not advice:
            continue
        ways = {(number, *line_name(cell)[:2]) for number, cell in pairs(result)}
        drawn = draw_questions(advice.of)
        winners = [slow_pick(result, drawn[:, draw].tolist(), 0.02) for draw in range(DRAWS)]
        chosen = slow_pick(result, [1] * advice.of, 0.02)
        if len(ways) > 1:
            won = [(n, *line_name(cell)[:2]) == (chosen[0], *line_name(chosen[1])[:2]) for n, cell in winners]
        else:
            line = [
                cell.size
                for cell, one in zip(result.cells, as_slow(result, [1] * advice.of), strict=True)
                if line_name(cell) == line_name(chosen[1]) and one.fits
            ]
            rank = sorted(line).index(chosen[1].size)
            near = sorted(line)[max(rank - 1, 0) : rank + 2]
            won = [line_name(cell) == line_name(chosen[1]) and cell.size in near for _, cell in winners]
        assert (advice.wins, advice.draws) == (sum(won), DRAWS)
        assert advice.kind == (PICK if 2 * sum(won) >= DRAWS and advice.own_loss < advice.of else TRY)
        n_tried += advice.kind == TRY
        if advice.run is not None:
            comparable = [cell.size or 0 for _, cell in winners if cell.unit == advice.unit]
            in_run = [advice.run.smallest <= size <= advice.run.largest for size in comparable]
            assert sum(in_run) == advice.run.wins >= 0.8 * DRAWS
            assert advice.run.smallest <= advice.size <= advice.run.largest
        else:
            sized = [cell for _, cell in winners if cell.size is not None and cell.unit == advice.unit]
            assert advice.size is None or len(sized) < 0.8 * DRAWS
    assert n_tried


def test_the_best_of_each_way_and_retriever_equals_the_loops_on_its_pairs_alone():
    for result in tables(100, seed=4):
        told = list(as_slow(result, [1] * n_questions(result)))
        ways = {(number, *line_name(cell)[:2]) for number, cell in pairs(result)}
        assert len(best_of_ways(result, LIMIT)) == len(ways)
        for best in best_of_ways(result, LIMIT):
            number = retriever_names(result.cells[0].retrieval).index(best["retriever"])
            own = [
                place
                for place, (n, cell) in enumerate(pairs(result))
                if n == number and cell.chunker == best["chunker"] and (cell.size is None) == (best["size"] is None)
            ]
            some = [told[place] for place in own]
            some = some if any(one.fits for one in some) else [one._replace(fits=True) for one in some]
            cell = pairs(result)[own[slow.pick(some, 0.0)]][1]
            assert (cell.size, cell.overlap) == (best["size"], best["overlap"])


def changed(result, rows, rng):
    """The same result where the answers to some questions are others."""

    def other(one):
        ranks = one["first_rank_answered"].ranks.copy()
        ranks[rows] = rng.integers(0, 7, int(rows.sum()))
        return {**one, "first_rank_answered": Ranks(dict.fromkeys(one["first_rank_answered"], 0), ranks)}

    cells = [dataclasses.replace(cell, retrieval=tuple(map(other, cell.retrieval))) for cell in result.cells]
    return dataclasses.replace(result, cells=tuple(cells))


def test_a_choice_on_some_questions_knows_nothing_of_the_others():
    rng = np.random.default_rng(5)
    n_moved = 0
    for result in tables(150, seed=6):
        chosen_on = rng.random(n_questions(result)) < 0.5
        chosen_on[0] = True
        advice = advise_recall(result, limit=LIMIT, chosen_on=chosen_on)
        if advice:
            assert advice.of == chosen_on.sum()
            other = changed(result, ~chosen_on, rng)
            assert advise_recall(other, limit=LIMIT, chosen_on=chosen_on) == advice
            n_moved += advise_recall(other, limit=LIMIT) != advise_recall(result, limit=LIMIT)
    assert n_moved > 50


def test_the_end_of_a_grid_is_told_where_losses_still_fall_there():
    def grid(*answered):
        """A line of sizes; so many of ten questions are answered at each."""
        ids = {f"q{n}": n for n in range(10)}
        cells = [
            Cell(
                "fixed", "char", 100 * (n + 1), 0, 900, chunks=1, lengths=LengthCounts.of({100: 1}),
                retrieval=({
                    "retriever": "bm25", "k": [1], "settings": {"context": 60}, "context": {"1": 60.0},
                    "first_rank_answered": Ranks(ids, (np.arange(10) < hits).astype(int)),
                },),
            )
            for n, hits in enumerate(answered)
        ]  # fmt: skip
        return advise_recall(SweepResult({"overlaps": ["0"]}, CorpusInfo("", 1, 900), None, tuple(cells)))

    assert (grid(1, 2, 4, 9).size, grid(1, 2, 4, 9).grid_end) == (400, "largest")
    assert (grid(9, 4, 2, 1).size, grid(9, 4, 2, 1).grid_end) == (100, "smallest")
    assert grid(1, 2, 9, 9).grid_end is None
    assert grid(9, 9, 9, 9).grid_end is None
    assert grid(5).grid_end is None


DOCUMENT = Document("a.md", "上限は12,000円。申請は3日前。承認は課長。日当は2,000円とする。")
ASKED = [
    Question.of("q1", "上限は？", doc="a.md", evidence="上限は12,000円"),
    Question.of("q2", "申請は？", doc="a.md", evidence="申請は3日前"),
    Question.of("q3", "承認は？", doc="a.md", evidence="承認は課長"),
    Question.of("q4", "日当は？", doc="a.md", evidence="日当は2,000円"),
]


def test_ties_of_retrievers_go_to_the_first_named():
    twins = [Bm25Retriever(k1=1.2), Bm25Retriever(k1=1.2)]
    alike = recall([DOCUMENT], ASKED, retrievers=twins, chunkers="fixed", sizes="8..24:4")
    assert alike.advice.retriever == "bm25"


def test_held_out_questions_are_counted_at_the_choice_on_the_others():
    result = recall([DOCUMENT], ASKED, chunkers="fixed", sizes="8..24:4", holdout=Holdout(0.5, 1))
    held = result.held_out
    cell = next(cell for cell in result.cells if cell.key == held.advice.key)
    ranked = cell.retrieval[0]["first_rank_answered"]
    answered = [bool(rank) and rank <= held.advice.k for rank in ranked.values()]
    chosen_on, rest = Holdout(0.5, 1).split(range(4))
    assert held.chosen_on == (sum(np.array(answered)[chosen_on]), 2)
    assert held.held_out == (sum(np.array(answered)[rest]), 2)


TABLE = Document(
    "t.md",
    "---\nstatus: abolished\n---\n# 単価\n\n| 区分 | 円 |\n|---|---|\n"
    + "".join(f"| 品目{n} | {n},{n}00 |\n" for n in range(1, 9)),
)


@settings(max_examples=15)
@given(st.integers(1, 4))
def test_what_prepending_would_mend_is_what_a_recall_with_it_answers(k):
    asked = [Question.of(f"q{n}", f"品目{n}は？", doc="t.md", evidence=f"{n},{n}00") for n in range(1, 9)]
    plain = recall([TABLE], asked, chunkers="sentence", sizes=[30, 45, 60], overlaps=[0], k=k)
    advice = plain.advice
    assert isinstance(advice, Advice)
    [remedy, status] = advice.remedies
    assert (remedy.prepend, status.prepend) == ("table-header", "front-matter:status")
    assert (status.what, status.after) == ("status", 0)
    way = f"sentence(prepend=table-header, size={advice.size})"
    [cell] = recall([TABLE], asked, chunkers=way, k=k).cells
    [one] = cell.retrieval
    own = next(cell for cell in plain.cells if cell.key == advice.key)
    assert (remedy.after, remedy.of) == (8 - one["answered"][str(k)][0], 8)
    assert remedy.before == 8 - own.retrieval[0]["answered"][str(k)][0] == advice.own_loss
    assert remedy.times == pytest.approx(cell.chunk_characters / own.chunk_characters)
    assert remedy.largest == cell.lengths.longest
    assert ("table-header" in advice.prepend) == (remedy.after < remedy.before)


def test_what_prepending_would_mend_is_ranked_without_reading_again(monkeypatch):
    scans = []
    plan_scan = SweepPlan.scan
    monkeypatch.setattr(SweepPlan, "scan", lambda self, batch: scans.append(batch) or plan_scan(self, batch))
    asked = [Question.of("q5", "品目5は？", doc="t.md", evidence="5,500")]
    found = recall([TABLE], asked, chunkers="sentence", sizes=[45], overlaps=[0], k=1)
    assert (len(scans), len(found.advice.remedies)) == (1, 2)
    assert found.tokens is not None


def test_a_summary_twice_is_the_same():
    result = recall([DOCUMENT], ASKED, chunkers="fixed,sentence", sizes="8..24:4")
    assert summarise(result).to_dict() == result.to_dict()
    assert Tolerance.parse("2%") == Tolerance()
