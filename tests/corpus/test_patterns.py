"""Wildcards: what they match, against a slow twin, and that no pattern takes long."""

from __future__ import annotations

import fnmatch
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkscope.corpus.name_filter import Glob, match_steps, wildcards
from chunkscope.errors import ConfigError

LETTERS = "ab."


def slow(pattern, text, star, one):
    """Match character by character, or step by step, by trying everything."""
    if not pattern:
        return not text
    if pattern[0] == star:
        return any(slow(pattern[1:], text[at:], star, one) for at in range(len(text) + 1))
    return bool(text) and one(pattern[0], text[0]) and slow(pattern[1:], text[1:], star, one)


def slow_step(pattern, step):
    return slow(pattern, step, "*", lambda sign, character: sign in ("?", character))


def slow_glob(glob, name):
    path = glob.removeprefix("./")
    steps = path.strip("/").split("/")
    anchored = "/" in path.strip("/") or glob.startswith(("/", "./"))
    pattern = [*([] if anchored else ["**"]), *steps, *(["?*"] if steps[-1] == "**" else [])]
    return slow([*pattern, *(["**"] if path.endswith("/") else [])], name.split("/"), "**", slow_step)


@given(st.text(f"{LETTERS}*?", max_size=8), st.text(LETTERS, max_size=8))
def test_wildcards_match_as_the_slow_twin(pattern, text):
    assert bool(wildcards(pattern)(text)) == slow_step(pattern, text)


STEPS = st.lists(st.sampled_from(["a", "b.a", "*", "?", "*.a", "**"]), min_size=1, max_size=5).map("/".join)


@given(
    st.tuples(st.sampled_from(["", "/", "./"]), STEPS, st.sampled_from(["", "/"])).map("".join),
    st.lists(st.sampled_from(["a", "b", "b.a"]), min_size=1, max_size=5).map("/".join),
)
@example("**/a/**/b.a", "a/a/b/b.a")
def test_globs_match_as_the_slow_twin(glob, name):
    assert Glob(glob).matches(name) == slow_glob(glob, name)
    assert Glob(glob, below=True).matches(name) == (slow_glob(glob, name) or slow_glob(f"{glob}/", name))


@pytest.mark.parametrize(
    ("glob", "fitting", "other"),
    [
        ("[!a].md", "b.md", "a.md"),
        ("[]x].md", "].md", "y.md"),
        ("[a-c][\\].md", "b\\.md", "d\\.md"),
        ("[a.md", "[a.md", "a.md"),
        ("[+--]x", ",x", "/x"),
        ("a[!b]c", "axc", "a/c"),
    ],
)
def test_brackets(glob, fitting, other):
    assert Glob(glob).matches(fitting)
    assert not Glob(glob).matches(other)


@pytest.mark.parametrize("glob", ["", "/", "./", "//"])
def test_a_glob_that_names_nothing_is_refused(glob):
    with pytest.raises(ConfigError, match="names nothing"):
        Glob(glob)


def test_brackets_that_no_character_fits_are_refused():
    with pytest.raises(ConfigError, match=r"glob 'a/\[z-a\]' means nothing"):
        Glob("a/[z-a]")


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("glob", ["{}b", "**/{}b", "a/{}b/**"])
def test_many_stars_and_a_long_name_end(glob, n):
    for stars in ("*a" * n, "a*" * n, "**/a**" * n, "*?a" * n, "*[ab]" * n):
        pattern = Glob(glob.format(stars))
        assert not pattern.matches("a" * 2_000)
        assert not pattern.matches("/".join("a" * 200))


def test_each_star_but_the_last_is_an_atomic_group_of_the_standard_library():
    assert fnmatch.translate("*a" * 30 + "*b").count("(?>") == 30


@pytest.mark.parametrize("n", [10, 100])
def test_no_more_tests_are_made_than_steps_of_the_pattern_times_steps_of_the_name(n):
    n_tests = 0

    def is_a(step):
        nonlocal n_tests
        n_tests += 1
        return step == "a"

    assert not match_steps([None, is_a] * n + [lambda _: False], ["a"] * 3 * n)
    assert 0 < n_tests <= 2 * n * 3 * n


def test_a_glob_goes_to_other_processes():
    assert pickle.loads(pickle.dumps(Glob("**/*.md"))).matches("x/a.md")
