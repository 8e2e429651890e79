from __future__ import annotations

from chunkscope.chunkers.pieces import EXACT, NOT_FOUND
from chunkscope.splitters.alignment import align


def test_slices_in_order_are_exact():
    found = align("朝食は七時。\n\n昼食は十二時。", ["朝食は七時。", "昼食は十二時。"])
    assert found.spans.tolist() == [[0, 6], [8, 15]]
    assert found.kinds.tolist() == [EXACT, EXACT]


def test_a_claim_that_is_true_settles_repeats_and_a_false_one_is_ignored():
    text = "same same same"
    settled, ignored = align(text, ["same"], [(10, 14)]), align(text, ["same"], [(9, 13)])
    assert (settled.spans.tolist(), settled.ambiguous.tolist()) == ([[10, 14]], [False])
    assert (ignored.spans.tolist(), ignored.ambiguous.tolist()) == ([[0, 4]], [True])


def test_what_is_nowhere_is_not_found():
    found = align("text", ["other", ""])
    assert found.kinds.tolist() == [NOT_FOUND, NOT_FOUND]
    assert found.spans.tolist() == [[0, 0], [0, 0]]
