"""The language of what people read: which one is chosen, and what it leaves alone."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from command_line import SWEEP, run
from conftest import Gold

from chunkscope.cli.options import locale_language
from chunkscope.cli.outputs import readable_language
from chunkscope.reports.width import width as cells

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
    return run("chunks", "docs", "--size", "50", "--skip-unreadable", *arguments).stderr


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
        ["sweep", "-c", "fixed", "--overlaps", "1/6", "--demo", "ja", "--sizes", "100,300", "--format", "json"],
        ["sweep", "-c", "fixed", "--overlaps", "1/6", "--demo", "ja", "--sizes", "100,300", "--format", "csv"],
        ["check", "--demo", "ja", "--size", "100", "--format", "json"],
        ["labels", "--demo", "ja", "--format", "json"],
        ["chunks", "--demo", "ja", "--size", "300"],
    ],
    ids=" ".join,
)
def test_what_programs_read_is_the_same_in_every_language(command: list[str]):
    english, japanese = (run(*command, "--lang", lang) for lang in ("en", "ja"))
    assert english.stdout == japanese.stdout
    assert english.exit_code == japanese.exit_code


def test_errors_are_english(corpus: Path):
    english, japanese = (run(*SWEEP, "docs", "--lang", lang).stderr for lang in ("en", "ja"))
    assert english == japanese != ""


ROOT = Path(__file__).parents[2]
SPOILT = [
    ("line ends", "rules.md", "限り利用できる。領収書には、利用した区間と理由を書き添える。\r\n\r\n- 始発より前"),
    ("full width", "rules.md", "宿泊出張では１日２，８００円とする"),
    ("two reasons", "rules.md", "始発より前、または 終発より後に移動するとき\r\n- 重さ１５ｋｇ以上"),
    ("another word", "rules.md", "注記が三つあるときは、どちらも適用する。"),
    ("another document", "faq.md", "当社の都合で出張を取り消したときは、取消料の全額を当社が負担する。"),
    ("twice", "rules.md", "別途支給"),
    ("nothing", "rules.md", "量子計算機の冷却に用いる希釈冷凍機"),
    ("no such document", "rule.md", "別途支給"),
    ("blank", "rules.md", "　"),
    ("blank", None, "役員"),
]


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """Questions that are wrong in every way, about the Japanese example."""
    records = [{"id": id, "question": "", "doc": document, "evidence": quote} for id, document, quote in SPOILT]
    records += [
        {"id": "offsets", "doc": "rules.md", "evidence": "別途支給", "spans": [1, 5]},
        {
            "id": "beyond",
            "doc": "rules.md",
            "evidence": ["鉄道は、片道100km以上", "別途支給"],
            "spans": [None, [1, 99999]],
        },
        {"id": "odd", "doc": "rules.md", "evidence": [], "trap_docs": ["rules-2017.md"]},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return path


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_labels_are_told_as_before(lang: str, spoilt: Path, gold: Gold, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    result = run("labels", "examples/ja/docs", "-q", spoilt, "--lang", lang)
    assert result.exit_code == 1
    gold(f"labels-{lang}.text", (result.stderr + result.stdout).replace(str(spoilt), spoilt.name))


@pytest.mark.parametrize("form", ["text", "github", "junit"])
def test_a_check_in_japanese_reads_as_before(form: str, gold: Gold, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    command = ["check", "--demo", "ja", "--size", "100", "--overlap", "10", "--max-rows-header-lost", "2%"]
    result = run(*command, "--lang", "ja", "--format", form)
    assert result.exit_code == 1
    gold(f"check-ja.{form}", result.stdout)


def test_no_line_of_a_check_in_japanese_is_wider_than_the_terminal_but_those_of_findings(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.chdir(ROOT)
    for width in (40, 61, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = run("check", "--demo", "ja", "--size", "100", "--lang", "ja").stdout.split("\n")
        assert max(cells(line) for line in lines if line.startswith(" ")) in (width, width - 1)
