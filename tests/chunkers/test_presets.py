"""Presets are chunkers with the settings that services document."""

from __future__ import annotations

import re

import pytest

from chunkscope.chunkers import parse_chunker, parse_chunkers
from chunkscope.chunkers.presets import PRESETS
from chunkscope.errors import ChunkerError


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_chunker_spelled_out(name):
    preset = PRESETS[name]
    chunker = parse_chunker(f"preset:{name}")
    assert chunker == parse_chunker(str(preset))
    assert str(chunker) == str(preset)
    assert chunker.size
    assert re.fullmatch(r"[\w.-]+\.\w+/\S+(?: \(\S+\))?", preset.source)
    assert preset.note
    assert re.fullmatch(r"20\d\d-\d\d", preset.seen)


def test_presets_stand_among_other_chunkers():
    found = parse_chunkers("preset:openai-file-search, fixed, preset:bedrock(prepend=headings)")
    assert [str(one) for one in found] == [
        "token(size=800, overlap=400)",
        "fixed",
        "sentence(size=300, unit=cl100k_base, prepend=headings)",
    ]


def test_settings_in_place_of_its_own():
    assert str(parse_chunker("preset:openai-file-search(size=4096, overlap=2048)")) == "token(size=4096, overlap=2048)"
    assert str(parse_chunker(" preset:openai-file-search ( overlap=0 ) ")) == "token(size=800)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("preset:openai-file-serch", "no preset 'openai-file-serch'; did you mean 'openai-file-search'?"),
        ("preset:zzz", "no preset 'zzz'; there are openai-file-search, azure-ai-search, bedrock, vertex-rag-engine"),
        ("preset:", "no preset ''; there are openai-file-search"),
        *(
            (
                f"preset:openai-file-search(size={size}, overlap={overlap})",
                f"preset:openai-file-search: size {size} and overlap {overlap} do not go; the service takes sizes from "
                "100 to 4,096, an overlap of at most 50% of the size",
            )
            for size, overlap in ((99, 0), (4097, 0), (400, 201))
        ),
        ("preset:azure-ai-search(size=299)", "preset:azure-ai-search: size 299 and overlap 0 do not go"),
        ("preset:openai-file-search(size=many)", "size 'many' must be a whole number"),
        ("preset:bedrock(sise=3)", "sentence has no 'sise'; did you mean 'size'?"),
    ],
)
def test_what_the_service_does_not_take_is_refused(text, message):
    with pytest.raises(ChunkerError, match="^" + re.escape(message)):
        parse_chunker(text)
