"""Limits of models: what is known of each, how they are found by name, and what is said where they are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunkscope.errors import ConfigError
from chunkscope.grid import limits, models
from chunkscope.grid.limits import UNNAMED, ModelLimit, find_limit
from chunkscope.grid.models import MODELS, find_model
from chunkscope.structure.units import unit_names


def test_each_model_is_listed_once_also_without_its_maker():
    text = Path(models.__file__).read_text("utf-8").split("def find_model")[0]
    assert [name for name in MODELS if text.count(f'"{name}"') != 1] == []
    short = [name.rpartition("/")[2].lower() for name in MODELS]
    assert len(set(short)) == len(short) >= 25


@pytest.mark.parametrize("name", MODELS)
def test_what_is_known_of_a_model_is_sane(name):
    model = MODELS[name]
    assert 128 <= model.limit <= 128_000
    assert model.limit % 128 == 0 or model.limit % 1000 == 0  # nobody makes another number the limit
    assert model.unit is None or model.unit in unit_names()
    assert re.fullmatch(r"[a-z0-9.-]+\.[a-z]{2,4}/\S.*", model.source)
    assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", model.seen)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_found_by_its_full_name_or_without_its_maker_whatever_the_capitals(name):
    for spelled in (name, name.rpartition("/")[2], name.upper(), name.rpartition("/")[2].lower()):
        assert find_model(spelled) == name
    found = find_limit(name)
    if MODELS[name].unit is None:
        assert found == ModelLimit(UNNAMED.limit, "char", name, MODELS[name].limit)
    else:
        assert found == ModelLimit(MODELS[name].limit, MODELS[name].unit, name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("text-embeding-3-small", "text-embedding-3-small"),
        ("bge-m4", "bge-m3"),
        ("BAAI/bge-m33", "BAAI/bge-m3"),
        ("ruri-v3-310", "ruri-v3-310m"),
    ],
)
def test_of_an_unknown_name_the_nearest_is_asked_after(name, meant):
    with pytest.raises(ConfigError, match=f"did you mean '{re.escape(meant)}', or give --model-limit"):
        find_limit(name)


def test_of_a_name_that_is_like_none_the_number_is_asked_for():
    with pytest.raises(ConfigError, match=r"--model xyz: its limit is not known here; give --model-limit"):
        find_limit("xyz")


def test_where_a_vocabulary_is_not_here_characters_are_compared(monkeypatch):
    monkeypatch.setattr(limits, "is_here", lambda unit: False)
    assert find_limit("text-embedding-3-small") == ModelLimit(8000, "char", "text-embedding-3-small", 8192)


def test_a_number_goes_before_a_name_and_a_unit_needs_one():
    assert find_limit("bge-m3", 512) == ModelLimit(512, None, "bge-m3")
    assert find_limit(limit=512, unit="word").unit_for("char") == "word"
    assert find_limit(limit=512).unit_for("word") == "word"
    assert find_limit() == UNNAMED
    for wrong in (0, -1, True, 2.5):
        with pytest.raises(ConfigError, match="give a whole number of at least 1"):
            find_limit(limit=wrong)
    with pytest.raises(ConfigError, match="--model-unit needs a --model-limit"):
        find_limit(unit="char")
