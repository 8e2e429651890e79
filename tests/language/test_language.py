"""What people read is said in every language: no sentence is missing, none is left over, and all can be filled in."""

from __future__ import annotations

import ast
import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

import pytest

from chunkscope.language import LANGUAGES, Text, in_language, say
from chunkscope.language.ja import CATALOGUE

PACKAGE = Path(__file__).parents[2] / "chunkscope"


def said() -> Iterator[tuple[str, str, set[str | None], bool]]:
    """Each call of `say` in the package: where, its template, the names that are given, whether all is written out."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                where = f"{path.relative_to(PACKAGE.parent)}:{node.lineno}"
                [template] = [one.value if isinstance(one, ast.Constant) else "" for one in node.args]
                yield where, str(template), {keyword.arg for keyword in node.keywords}, bool(template)


def names_in(template: str) -> set[str]:
    """The placeholders of a template."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def needed(template: str) -> set[str]:
    """The placeholders that show something; others choose a noun for a number, which not every language does."""
    return {name for _, name, form, _ in Formatter().parse(template) if name is not None and "|" not in (form or "")}


def test_every_sentence_is_written_out_with_all_that_it_names():
    assert not [where for where, _, names, is_written in said() if not is_written or None in names]
    wrong = [(where, names_in(template) ^ names) for where, template, names, _ in said()]  # type: ignore[operator]
    assert not [entry for entry in wrong if entry[1]]


CATALOGUES = [pytest.param(CATALOGUE, id="ja")]


def test_every_language_but_english_has_a_catalogue_here():
    assert set(LANGUAGES) == {"en", *(one.id for one in CATALOGUES)}


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_every_sentence_is_in_the_catalogue_and_nothing_else_is(catalogue: Mapping[str, str]):
    templates = {template: where for where, template, _, _ in said()}
    assert not {template: where for template, where in templates.items() if template not in catalogue}
    assert not set(catalogue) - set(templates), "said nowhere: take them out"


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_what_is_put_in_is_the_same_in_every_language(catalogue: Mapping[str, str]):
    wrong = [one for one, other in catalogue.items() if not needed(one) <= names_in(other) <= names_in(one)]
    assert not wrong


def test_japanese_can_be_shown_on_a_japanese_console_and_reads_as_one():
    for template in CATALOGUE.values():
        template.encode("cp932")
        assert not set("，．") & set(template), template


def test_a_sentence_is_english_until_another_language_is_asked_for():
    text = say("warning: {text}", text="a")
    assert text == "warning: a"
    assert json.dumps({"message": text}) == '{"message": "warning: a"}'
    assert f"{text}!" == "warning: a!"
    assert in_language(text, "en") == text
    assert in_language(text, "ja") == "警告: a"


def test_sentences_within_sentences_and_in_lists_are_translated():
    inner = say("warning: {text}", text="a")
    assert in_language(say("{n:,} of {listed:; }", n=1000, listed=[inner, "b"]), "ja") == "1,000 of 警告: a; b"
    assert in_language(say("warning: {text}", text=inner), "ja") == "警告: 警告: a"


def test_the_noun_goes_with_the_number():
    assert [say("{n:,} {n:row|rows}", n=n) for n in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]


@pytest.mark.parametrize("name", ["{", "}", "{0}", "{text}", "%s", "a|b", ""])
def test_what_others_wrote_is_no_template(name: str):
    text = say("warning: {text}", text=name)
    assert (text, in_language(text, "ja")) == (f"warning: {name}", f"警告: {name}")


def test_what_no_catalogue_has_stays_as_it_is():
    assert in_language("plain", "ja") == "plain"
    assert in_language(say("{n} said by another package", n=1), "ja") == "1 said by another package"


def test_a_sentence_travels_to_other_processes():
    text = say("warning: {text}", text=say("warning: {text}", text="a"))
    for there in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert isinstance(there, Text)
        assert in_language(there, "ja") == "警告: 警告: a"
