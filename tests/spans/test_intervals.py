"""Span arrays against loops over chunks and characters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.spans import is_covered, is_held

from chunkscope.errors import SpanError
from chunkscope.spans.intervals import as_spans, contains, covered, last_starting, merge, union

span = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda pair: (pair[0], pair[0] + pair[1]))
target_lists = st.lists(span, max_size=8)


@st.composite
def chunk_lists(draw):
    """Chunks whose starts and ends never fall, with gaps, overlaps and repeats."""
    rows = draw(st.lists(span, max_size=8))
    starts, ends = sorted(start for start, _ in rows), sorted(end for _, end in rows)
    return list(zip(starts, ends, strict=True))


@given(chunk_lists(), target_lists)
def test_a_target_is_contained_if_a_loop_finds_a_chunk_around_it(chunks, targets):
    expected = [is_held(chunks, a, b) for a, b in targets]
    assert contains(as_spans(chunks), as_spans(targets)).tolist() == expected


@given(chunk_lists(), target_lists)
def test_a_target_is_covered_if_each_of_its_characters_is_in_a_chunk(chunks, targets):
    expected = [is_covered(chunks, a, b) for a, b in targets]
    assert covered(as_spans(chunks), as_spans(targets)).tolist() == expected


@given(st.lists(st.lists(st.integers(0, 30), max_size=8), min_size=1, max_size=3))
def test_merged_offsets_are_in_order_and_there_once(parts):
    found = merge(*(np.array(part, dtype=np.int64) for part in parts))
    assert found.tolist() == sorted(set().union(*parts))


@given(chunk_lists())
def test_a_union_holds_the_same_characters_in_spans_that_do_not_touch(chunks):
    joined = union(as_spans(chunks)).tolist()
    assert {p for s, e in joined for p in range(s, e)} == {p for s, e in chunks for p in range(s, e)}
    assert all(one[1] < other[0] for one, other in zip(joined, joined[1:], strict=False))


@given(chunk_lists(), target_lists)
def test_the_last_chunk_that_starts_no_later_is_found(chunks, targets):
    expected = [max((i for i, (s, _) in enumerate(chunks) if s <= a), default=-1) for a, _ in targets]
    assert last_starting(as_spans(chunks), as_spans(targets)).tolist() == expected


def test_a_chunk_that_only_touches_a_target_does_not_hold_it():
    chunks = as_spans([(0, 10), (20, 30)])
    assert contains(chunks, as_spans([(10, 20), (9, 11), (0, 10)])).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(3, 3)], "row 0: start 3 >= end 3"),
        ([(0, 2), (9, 4)], "row 1: start 9 >= end 4"),
        ([(-1, 2)], "row 0: start -1 is negative"),
        ([(0.0, 2.0)], "integers"),
        ([0, 2], "shape"),
        ([(0, 1, 2)], "shape"),
        ([(True, True)], "integers"),
    ],
)
def test_what_is_no_span_is_refused_with_its_row(rows, message):
    with pytest.raises(SpanError, match=message):
        as_spans(rows)


def test_no_rows_are_an_empty_array_of_the_right_shape():
    assert as_spans([]).shape == (0, 2)
    assert as_spans(np.empty((0, 2))).dtype == np.int64
