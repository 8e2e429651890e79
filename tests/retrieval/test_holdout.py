"""Held-out questions: two sides that keep groups together, as near to the share as these allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope import Document, Question, check_labels, sweep
from chunkscope.errors import ConfigError, InputError
from chunkscope.retrieval import Bm25Retriever, Holdout, RetrievalMeasure, summarise

shares = st.one_of(st.just("first-half"), st.floats(0.05, 0.95))


@given(st.lists(st.integers(0, 8), min_size=2, max_size=40), shares, st.integers(0, 3))
def test_no_group_is_parted_and_no_boundary_comes_nearer(groups, share, seed):
    holdout = Holdout(share, seed, "group")
    wanted = len(groups) // 2 if share == "first-half" else round(len(groups) * share)
    if len(set(groups)) == 1 or not 0 < wanted < len(groups):
        with pytest.raises(ConfigError, match="leaves one side empty"):
            holdout.split(groups)
        return
    chosen_on, held_out = holdout.split(groups)
    assert (chosen_on ^ held_out).all()
    assert chosen_on.any()
    assert held_out.any()
    sides = list(zip(groups, held_out.tolist(), strict=True))
    assert len(set(sides)) == len(set(groups))
    n_held = int(held_out.sum())
    for group in set(groups):
        # to move one group over brings it nearer only where that would leave a side empty
        n, is_held = groups.count(group), (group, True) in sides
        moved = n_held - n if is_held else n_held + n
        if share == "first-half" and group in (min_of(sides, True), max_of(sides, False)) and 0 < moved < len(groups):
            assert abs(n_held - wanted) <= abs(moved - wanted)


def min_of(sides, is_held):
    """The group of one side that stands first."""
    return next(group for group, held in sides if held == is_held)


def max_of(sides, is_held):
    """The group of one side of which the first question stands last."""
    return list(dict.fromkeys(group for group, held in sides if held == is_held))[-1]


@given(st.integers(2, 40), st.floats(0.05, 0.95), st.integers(0, 3))
def test_single_questions_meet_the_share_and_the_seed_decides(n, share, seed):
    if not 0 < round(n * share) < n:
        return
    _, held_out = Holdout(share, seed).split(range(n))
    assert held_out.sum() == round(n * share)
    assert (Holdout(share, seed).split(range(n))[1] == held_out).all()


def test_another_seed_draws_others():
    drawn = {tuple(Holdout(0.5, seed).split(range(20))[1].tolist()) for seed in range(5)}
    assert len(drawn) == 5


@pytest.mark.parametrize(("n", "chosen"), [(2, 1), (5, 3), (30, 15)])
def test_the_first_half_is_what_stands_first(n, chosen):
    chosen_on, _ = Holdout("first-half").split(range(n))
    assert chosen_on.tolist() == [True] * chosen + [False] * (n - chosen)


@pytest.mark.parametrize(("text", "n", "seed"), [
    ("0", 10, 0), ("1", 10, 0), ("0.5", 1, 0), ("0.01", 10, 0), ("0.5", 10, -1), ("half", 10, 0), ("", 10, 0), ("nan", 10, 0),
    ("1.5", 10, 0), ("-0.5", 10, 0), ("²", 10, 0),
])  # fmt: skip
def test_what_means_nothing_is_refused(text, n, seed):
    with pytest.raises(ConfigError, match=r"^--(holdout|seed) "):
        Holdout.parse(text, seed).split(range(n))


def test_questions_stay_together_by_an_attribute():
    asked = [
        Question.of("a", "?", evidence=["x"], case="1"),
        Question.of("b", "?", evidence=["x"], case=1),
        Question.of("c", "?", evidence=["x"]),
        Question.of("d", "?", evidence=["x"], case=None),
        Question.of("e", "?", evidence=["x"], case=["1", "2"]),
    ]
    first, second, *rest = Holdout(0.5, by="case").groups(asked)
    assert first == second
    assert len({first, *rest}) == 4
    with pytest.raises(InputError, match=r"--holdout-by caes: no question has that attribute; did you mean 'case'\?"):
        Holdout(0.5, by="caes").groups(asked)


def test_the_figure_of_both_sides_is_shown():
    document = Document("a.md", "上限は12,000円。申請は3日前。承認は課長。日当は2,000円とする。")
    asked = [
        Question.of("q1", "上限は？", doc="a.md", evidence="上限は12,000円", case="A"),
        Question.of("q2", "申請は？", doc="a.md", evidence="申請は3日前", case="B"),
        Question.of("q3", "承認は？", doc="a.md", evidence="承認は課長", case="B"),
        Question.of("q4", "日当は？", doc="a.md", evidence="日当は2,000円", case="B"),
    ]
    labels = check_labels([document], asked)
    measure = RetrievalMeasure(labels, [Bm25Retriever()])
    result = sweep([document], labels, sizes=[10, 20], overlaps=[0], measures=[measure])
    held = summarise(result, holdout=Holdout("first-half", by="case")).held_out
    assert (held.chosen_on[1], held.held_out[1]) == (1, 3)
    written = held.to_dict()
    assert (written["share"], written["seed"], written["by"]) == ("first-half", 0, "case")
    assert written["advice"]["of"] == 1
