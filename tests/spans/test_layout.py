"""Documents laid one behind the other."""

from __future__ import annotations

import pytest

from chunkscope.errors import InputError
from chunkscope.spans.layout import Layout


def test_a_document_longer_than_places_can_count_is_refused_by_name():
    longest = 2**31 - 1
    assert Layout.of(["a.md", "b.md"], [longest, longest]).edges.tolist() == [0, longest, 2 * longest]
    with pytest.raises(InputError, match=r"b\.md: 2,147,483,648 characters are too many; split it below 2,147,483,647"):
        Layout.of(["a.md", "b.md"], [1, longest + 1])
