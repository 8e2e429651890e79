"""How far it is, in lines, where there is no terminal for a bar."""

from __future__ import annotations

import io
import sys

from chunkscope.cli.console import Lines, Messages
from chunkscope.language import in_language


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def heard(*calls):
    """What is written when calls come, each as (seconds after the last, stage, done, total)."""
    clock, lines = Clock(), []
    progress = Lines(lines.append, clock)
    for seconds, *call in calls:
        clock.now += seconds
        progress(*call)
    return lines


def test_a_line_comes_after_a_while_with_rate_and_what_is_left():
    lines = heard(
        (0, "texts", 0, 500),
        (10, "texts", 8, 500),
        (21, "texts", 31, 500),
        (29, "texts", 60, 500),
        (1, "texts", 61, 500),
    )
    assert lines == [
        "texts: 31 of 500, 1.0 a second, about 8 min left",
        "texts: 61 of 500, 1.0 a second, about 7 min left",
    ]
    assert in_language(lines[0], "ja") == "テキスト: 500 件中 31 件、毎秒 1.0 件、残り約 8 min"


def test_what_is_quick_says_nothing():
    assert heard((0, "cells", 0, 10), (29, "cells", 5, 10), (40, "cells", 10, 10)) == []
    assert heard((0, "texts", 0, 9), (31, "texts", 0, 9)) == []  # nothing is known of how fast it goes


def test_while_texts_are_embedded_nothing_is_said_of_cells():
    lines = heard(
        (0, "cells", 0, 9), (1, "texts", 0, 100), (40, "cells", 1, 9), (1, "texts", 50, 100), (1, "texts", 100, 100), (40, "cells", 3, 9),
    )  # fmt: skip
    assert [line.split(":")[0] for line in lines] == ["texts", "cells"]
    assert lines[1] == "cells: 3 of 9, 0.04 a second, about 3 min left"


def test_where_stderr_is_no_terminal_there_are_lines_and_quiet_has_none(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Messages().progress() as progress:
        assert isinstance(progress, Lines)
    with Messages(quiet=True).progress() as progress:
        assert progress is None
