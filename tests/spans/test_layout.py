"""Documents laid one behind the other, and spans in them, against sums and loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.errors import InputError
from chunkscope.spans.intervals import as_spans
from chunkscope.spans.layout import Layout, Targets


@st.composite
def laid(draw):
    """Lengths of documents, some of them empty, and a few spans in each that is not."""
    lengths = draw(st.lists(st.integers(0, 9), max_size=5))
    spans = []
    for length in lengths:
        starts = draw(st.lists(st.integers(0, length - 1), max_size=3)) if length else []
        spans.append([(start, draw(st.integers(start + 1, length))) for start in starts])
    return lengths, spans


@given(laid(), st.randoms(use_true_random=False))
def test_targets_know_their_documents_and_where_they_stand_in_them(case, random):
    lengths, spans = case
    layout = Layout.of([str(number) for number in range(len(lengths))], lengths)
    targets = Targets.joined([as_spans(found) for found in spans], layout)
    rows = [(number, start, end) for number, found in enumerate(spans) for start, end in found]
    chosen = [row for row in range(len(rows)) if random.random() < 0.5]
    for one, expected in ((targets, rows), (targets.take(np.array(chosen, dtype=int)), [rows[row] for row in chosen])):
        assert len(one) == len(expected)
        assert list(zip(one.documents.tolist(), one.starts.tolist(), one.ends.tolist(), strict=True)) == expected
        assert one.lengths.tolist() == [lengths[number] for number, _, _ in expected]
        assert one.bases.tolist() == [sum(lengths[:number]) for number, _, _ in expected]
        assert one.spans.tolist() == [
            [sum(lengths[:number]) + start, sum(lengths[:number]) + end] for number, start, end in expected
        ]
    starts = layout.lay_offsets([np.array([start for start, _ in found], dtype=np.int64) for found in spans])
    assert starts.dtype == np.int64
    assert starts.tolist() == targets.spans[:, 0].tolist()
    assert layout.longest == max(1, *lengths, 0)


def test_offsets_know_their_documents_and_edges_are_those_of_documents():
    layout = Layout.of(["a", "b", "c", "d"], [0, 3, 0, 2])
    assert layout.documents_of(np.arange(5)).tolist() == [1, 1, 1, 3, 3]
    assert layout.lengths.tolist() == [0, 3, 0, 2]
    assert layout.is_edge.tolist() == [True, False, False, True, False, True]
    assert Layout.of([], []).edges.tolist() == [0]


def test_a_document_longer_than_places_can_count_is_refused_by_name():
    longest = 2**31 - 1
    assert Layout.of(["a.md", "b.md"], [longest, longest]).edges.tolist() == [0, longest, 2 * longest]
    with pytest.raises(InputError, match=r"b\.md: 2,147,483,648 characters are too many; split it below 2,147,483,647"):
        Layout.of(["a.md", "b.md"], [1, longest + 1])
