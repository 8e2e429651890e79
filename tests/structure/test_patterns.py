"""Patterns are built when first used, and short signs are found as `in` finds them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.structure import going_on
from chunkscope.structure.patterns import holds
from chunkscope.structure.plain_text import read_plain
from chunkscope.structure.sentences import sentence_starts

SIGNS = st.text(alphabet="!:{%<[$\\甲", max_size=12)


@given(SIGNS, st.text(alphabet="!:{%<[$\\甲", min_size=1, max_size=3))
def test_a_sign_is_held_where_in_says_so(text: str, needle: str) -> None:
    assert holds(text, needle) == (needle in text)
    assert holds(text.encode(), needle.encode()) == (needle in text)


def test_importing_builds_none_of_the_patterns_of_sentences():
    code = (
        "import re\n"
        "built = []\n"
        "real = re.compile\n"
        "re.compile = lambda pattern, flags=0: built.append(pattern) or real(pattern, flags)\n"
        "import chunkscope.structure.plain_text as found\n"
        "before = len(built)\n"
        "assert not any('。' in pattern for pattern in built if isinstance(pattern, str)), built\n"
        "found.read_plain('A line.\\n\\nAnother.')\n"
        "print(len(built) > before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("The text ends at example.com. が付く行。", 1),
        ("(see example.com. が付く行) is held.", 0),
        ("`example.com. が付く行` is code.", 0),
        ("Fig. 比較の結果である。", 0),
    ],
)
def test_the_dictionary_is_asked_only_where_a_sentence_would_end(
    monkeypatch: pytest.MonkeyPatch, text: str, asked: int
) -> None:
    pytest.importorskip("fugashi")
    questions: list[str] = []
    real = going_on.morphemes
    monkeypatch.setattr(going_on, "morphemes", lambda words: questions.append(words) or real(words))
    going_on._begins_with_particle.cache_clear()
    sentence_starts(text, read_plain(text))
    assert len(questions) == asked
