from __future__ import annotations

from pathlib import Path

import pytest
from command_line import fails, run

from chunkscope.config import CHECK_KEYS, KEYS, Config, find_config
from chunkscope.errors import ConfigError


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def table(body: str) -> str:
    return f"[tool.chunkscope]\n{body}\n"


def test_no_file_gives_an_empty_configuration(tmp_path):
    assert find_config(tmp_path) == Config()


def test_every_key_is_read(tmp_path):
    write(
        tmp_path / "pyproject.toml",
        table(
            "corpus = 'docs'\nquestions = 'q.jsonl'\nchunker = ['fixed', 'token(raw=true)']\n"
            "unit = 'char'\nsize = 400\n"
            "overlap = '1/6'\nsizes = [100, 200]\noverlaps = [0, '1/6']\nencoding = 'cp932'\ninclude = '*.md'\n"
            "exclude = ['drafts', 'old']\nmarkup = 'plain'\ndialect = 'mkdocs'\n"
            "map_field = {evidence = 'contexts'}\n[tool.chunkscope.check]\nmax_split = 3\nlabel_problems = 'warn'\nbaseline = 'known.json'"
        ),
    )
    config = find_config(tmp_path)
    assert config.path == "pyproject.toml"
    assert config.values == {
        "corpus": "docs", "questions": "q.jsonl", "chunker": ("fixed", "token(raw=true)"), "unit": ("char",), "size": 400,
        "overlap": "1/6", "sizes": "100,200", "overlaps": "0,1/6", "encoding": "cp932", "include": ("*.md",),
        "exclude": ("drafts", "old"), "markup": "plain", "dialect": "mkdocs",
        "map_field": ("evidence=contexts",), "max_split": 3, "label_problems": "warn", "baseline": "known.json",
    }  # fmt: skip
    assert {*KEYS, *CHECK_KEYS} - {"check"} >= set(config.values)


def test_the_nearest_file_with_the_table_wins_and_paths_lead_from_here(tmp_path):
    write(tmp_path / "pyproject.toml", table("corpus = 'far'"))
    write(tmp_path / "a" / "pyproject.toml", table("corpus = 'near'\nquestions = '/abs/q.jsonl'"))
    write(tmp_path / "a" / "b" / "pyproject.toml", "[tool.other]\nx = 1\n")
    here = tmp_path / "a" / "b" / "c"
    here.mkdir()
    config = find_config(here)
    assert config.path == "../../pyproject.toml"
    assert config.values == {"corpus": "../../near", "questions": "/abs/q.jsonl"}


def test_a_nearer_file_of_either_kind_wins(tmp_path):
    write(tmp_path / "chunkscope.toml", "corpus = 'far'")
    write(tmp_path / "a" / "pyproject.toml", table("corpus = 'near'"))
    assert find_config(tmp_path / "a").values == {"corpus": "near"}


def test_in_one_folder_the_own_file_wins_with_a_warning(tmp_path):
    write(tmp_path / "chunkscope.toml", "corpus = 'own'")
    write(tmp_path / "pyproject.toml", table("corpus = 'other'"))
    config = find_config(tmp_path)
    assert config.values == {"corpus": "own"}
    assert config.warnings == ("chunkscope.toml is used; [tool.chunkscope] of pyproject.toml is not read",)


@pytest.mark.parametrize("other", ["[tool.ruff]\n", "not toml ["])
def test_no_warning_where_the_other_file_says_nothing(tmp_path, other):
    write(tmp_path / "chunkscope.toml", "size = 5")
    write(tmp_path / "pyproject.toml", other)
    assert find_config(tmp_path) == Config("chunkscope.toml", {"size": 5})


def test_a_byte_order_mark_is_dropped(tmp_path):
    write(tmp_path / "chunkscope.toml", b"\xef\xbb\xbfsize = 5\r\n")
    assert find_config(tmp_path).values == {"size": 5}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "pyproject.toml",
            table("corpsu = 'x'"),
            "pyproject.toml: [tool.chunkscope] has no 'corpsu'; did you mean 'corpus'?",
        ),
        ("chunkscope.toml", "fail-under = 1", "chunkscope.toml has no 'fail-under'; there are corpus, "),
        ("chunkscope.toml", "size = 1\n" + table("overlap = 1"), "the keys stand without [tool.chunkscope]"),
        ("chunkscope.toml", table("corpsu = 'x'"), "chunkscope.toml: [tool.chunkscope] has no 'corpsu'"),
        (
            "chunkscope.toml",
            "[tool.ruff]\n",
            "chunkscope.toml has no 'tool'; in chunkscope.toml the keys stand without",
        ),
        ("chunkscope.toml", "path = 'x'", "has no 'path'"),
        ("chunkscope.toml", "size = '5'", "chunkscope.toml: size must be a whole number, not '5'"),
        ("chunkscope.toml", "size = true", "size must be a whole number, not True"),
        ("chunkscope.toml", "sizes = [1.5]", "sizes must be"),
        ("chunkscope.toml", "sizes = []", "sizes must be"),
        ("chunkscope.toml", "corpus = ''", "corpus must be a path"),
        ("chunkscope.toml", "corpus = ['a']", "corpus must be a path"),
        ("chunkscope.toml", "include = [1]", "include must be a glob"),
        ("chunkscope.toml", "dialect = 'mkdoc'", "dialect must be 'auto', 'commonmark', 'github', 'mkdocs'"),
        ("chunkscope.toml", "markup = 'xml'", "markup must be 'markdown', 'html', 'plain' or 'code', not 'xml'"),
        ("chunkscope.toml", "map_field = 'x'", "map_field must be a table"),
        ("chunkscope.toml", "check = 3", "check must be a table"),
        ("chunkscope.toml", "corpus = ' '", "corpus must be a path"),
        ("chunkscope.toml", "[check]\nsizes = '5'", "chunkscope.toml: [check] has no 'sizes'; there are max_split"),
        ("chunkscope.toml", "[check]\nmax_split = [1]", "chunkscope.toml: [check] max_split must be a count"),
        ("chunkscope.toml", f"size = {'1' * 5000}", "chunkscope.toml: a number has too many digits"),
        ("chunkscope.toml", f"size = 0x{'f' * 5000}", "size must be a whole number, not a number of so many digits"),
        ("chunkscope.toml", f"sizes = [0x{'f' * 5000}]", "sizes must be a text such as"),
        ("chunkscope.toml", f"[check]\nmax_split = 0x{'f' * 5000}", "max_split must be a count"),
        ("chunkscope.toml", "size = ", "chunkscope.toml: not TOML"),
        ("chunkscope.toml", b"\x82\xa0 = 1", "chunkscope.toml: byte 0 is not UTF-8"),
        ("pyproject.toml", "[tool]\nchunkscope = 3", "pyproject.toml: [tool.chunkscope] must be a table"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path, name, text, message):
    write(tmp_path / name, text)
    with pytest.raises(ConfigError) as caught:
        find_config(tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_table_of_pyproject_is_understood_in_a_file_of_its_own_too(tmp_path):
    write(tmp_path / "chunkscope.toml", table("size = 7") + "\n[tool.chunkscope.check]\nmax_split = 1\n")
    assert find_config(tmp_path).values == {"size": 7, "max_split": 1}


@pytest.mark.parametrize(
    ("setting", "command"),
    [
        ('unit = "./t.json"', ("sweep", "docs")),
        ('unit = ["char", "sub/T.JSON"]', ("sweep", "docs")),
        ('chunker = "token(unit=t.json)"', ("chunks", "docs", "--size", "5")),
        ('unit = "t.json"', ("show", "docs/a.md", "--size", "5")),
        ('[check]\nmodel_limit = 5\nmodel_unit = "t.json"', ("check", "docs", "--size", "5")),
    ],
)
def test_a_configuration_names_no_tokenizer_file_unless_it_is_trusted(tmp_path, monkeypatch, setting, command):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "docs" / "a.md", "一つ。二つ。")
    write(tmp_path / "chunkscope.toml", setting)
    told = "a tokenizer file can take all memory and time; --allow-code lets it, if you trust it"
    assert told in fails(*command)
    assert told not in run(*command, "--allow-code").stderr  # the file is not there: another line
