"""The language of what people read: which one is chosen, and what it leaves alone."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from click.testing import CliRunner

from chunkscope.cli.options import locale_language
from chunkscope.cli.outputs import readable_language
from chunkscope.cli.program import program

VARIABLES = ("CHUNKSCOPE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with documents of which one cannot be read, and no language chosen."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("宿泊費の上限は12,000円とする。\n", "utf-8")
    (docs / "b.md").write_bytes("旅費".encode("cp932"))
    return docs


def stderr_of(*arguments: str) -> str:
    return CliRunner().invoke(program, ["chunks", "docs", "--size", "50", "--skip-unreadable", *arguments]).stderr


def is_japanese(stderr: str) -> bool:
    assert "b.md" in stderr
    return "警告" in stderr


@pytest.mark.parametrize(
    ("variables", "lang"),
    [
        ({}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LANG": "ja"}, "ja"),
        ({"LANG": "ja.UTF-8"}, "ja"),
        ({"LANG": "Japanese_Japan.932"}, "ja"),
        ({"LANG": "jam_JM"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP"}, "ja"),
        ({"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": ""}, "ja"),
    ],
)
def test_the_locale_decides(variables: dict[str, str], lang: str, corpus: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("locale.getlocale", lambda: (None, None))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert locale_language() == lang
    assert is_japanese(stderr_of()) is (lang == "ja")


@pytest.mark.parametrize(("named", "lang"), [("Japanese_Japan", "ja"), ("ja_JP", "ja"), ("en_US", "en"), (None, "en")])
def test_without_variables_the_system_decides(
    named: str | None, lang: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("locale.getlocale", lambda: (named, None))
    assert locale_language() == lang


def test_the_flag_goes_before_the_variable_before_the_configuration_before_the_locale(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert is_japanese(stderr_of())
    Path("chunkscope.toml").write_text('lang = "en"\n')
    assert not is_japanese(stderr_of())
    monkeypatch.setenv("CHUNKSCOPE_LANG", "ja")
    assert is_japanese(stderr_of())
    assert not is_japanese(stderr_of("--lang", "en"))
    monkeypatch.setenv("CHUNKSCOPE_LANG", "en")
    assert is_japanese(stderr_of("--lang", "ja"))


def test_an_unknown_language_is_a_usage_error(corpus: Path, monkeypatch: pytest.MonkeyPatch):
    assert "'fr' is not one of 'ja', 'en'" in stderr_of("--lang", "fr")
    monkeypatch.setenv("CHUNKSCOPE_LANG", "fr")
    assert "'fr' is not one of 'ja', 'en'" in stderr_of()
    monkeypatch.delenv("CHUNKSCOPE_LANG")
    Path("chunkscope.toml").write_text('lang = "fr"\n')
    assert "chunkscope.toml: lang must be 'ja' or 'en', not 'fr'" in stderr_of()


@pytest.mark.parametrize(("encoding", "lang"), [("utf-8", "ja"), ("cp932", "ja"), ("ascii", "en"), ("cp1252", "en")])
def test_what_cannot_show_japanese_gets_english(encoding: str, lang: str):
    assert readable_language(io.TextIOWrapper(io.BytesIO(), encoding), "ja") == lang


@pytest.mark.parametrize(
    "command",
    [
        ["sweep", "--demo", "ja", "--sizes", "100,300", "--format", "json"],
        ["sweep", "--demo", "ja", "--sizes", "100,300", "--format", "csv"],
        ["check", "--demo", "ja", "--size", "100", "--format", "json"],
        ["labels", "--demo", "ja", "--format", "json"],
        ["chunks", "--demo", "ja", "--size", "300"],
    ],
    ids=" ".join,
)
def test_what_programs_read_is_the_same_in_every_language(command: list[str]):
    english, japanese = (CliRunner().invoke(program, [*command, "--lang", lang]) for lang in ("en", "ja"))
    assert english.stdout == japanese.stdout
    assert english.exit_code == japanese.exit_code


def test_errors_are_english(corpus: Path):
    english, japanese = (CliRunner().invoke(program, ["sweep", "docs", "--lang", lang]).stderr for lang in ("en", "ja"))
    assert english == japanese != ""
