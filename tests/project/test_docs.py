"""The pages for people: what they name exists, what they show runs, and their links lead somewhere."""

from __future__ import annotations

import ast
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from project.test_imports import ROOMS, graph

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / name
    for name in (
        "README.md",
        "README.ja.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/architecture.md",
        "docs/design.md",
        "docs/questions.md",
        "examples/README.md",
        "examples/hooks/README.md",
        "tests/README.md",
    )
]
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
ENDED = re.compile(r"```console\n\$ (.*)\n((?:.*\n)*?)```\n")
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OTHERS_OPTIONS = {
    "--help": "every command",
    "--version": "the program",
    "--strict": "mypy",
    "--check": "ruff",
    "--update-gold": "pytest",
    "--corpus": "a benchmark",
    "--data": "a benchmark",
    "--properties": "a benchmark",
}
"""Options in the pages that are not among the help of our commands, and whose they are."""


def command_options() -> set[str]:
    """Every option of every command."""
    from chunkscope.cli.program import program

    def walk(command: click.Command) -> Iterator[str]:
        for parameter in command.params:
            yield from (*parameter.opts, *parameter.secondary_opts)
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from walk(found)

    return set(walk(program))


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_options_that_are_named_exist(page):
    text = page.read_text("utf-8")
    if page.name == "CHANGELOG.md":  # a table of renamed options has the old ones in its first column
        text = re.sub(r"^\| [^|]*\|", "|", text, flags=re.MULTILINE)
    unknown = set(OPTION.findall(text)) - command_options() - set(OTHERS_OPTIONS)
    assert not unknown


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "design.md"], ids=["README", "design"])
def test_every_command_is_in_the_page(page):
    from chunkscope.cli.program import COMMANDS

    text = page.read_text("utf-8")
    assert not [name for name in COMMANDS if f"`chunkscope {name}" not in text]


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub links to them."""
    titles = re.findall(r"^#{1,6} (.*)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text("utf-8"))):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


PRIVATE = re.compile(r"hand(?:s|ed)? on|t(?:ells?|old) apart|parted from|carr(?:y|ies|ied)(?:=|ing)", re.IGNORECASE)
"""Words of our own for what the field has words for."""


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_pages_use_the_words_of_today(page):
    text = page.read_text("utf-8")
    if page.name == "CHANGELOG.md":
        text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    assert not PRIVATE.findall(text)
    renamed = re.findall(r"^\| (`.*?) \|", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    old = {name for cell in renamed for name in re.findall(r"`(\w+(?:[_-]\w+)+)`", cell)}
    assert len(old) > 10
    assert not [name for name in old if f"`{name}`" in text]


PATH = re.compile(r"`((?:chunkscope|tests|benchmarks|examples|docs|\.ci)/[\w./-]+)`")


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_files_that_are_named_exist(page):
    if page.name == "CHANGELOG.md":
        return
    missing = [name for name in PATH.findall(page.read_text("utf-8")) if not (ROOT / name).exists()]
    assert not missing


def test_every_test_file_is_in_the_map_of_tests():
    text = (ROOT / "tests" / "README.md").read_text("utf-8")
    files = {path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    named = set(re.findall(r"`tests/([\w/]+\.py)`", text))
    assert not files - named, "say in tests/README.md what they hold"


def test_rooms_import_only_from_those_above_them_in_the_table():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = text.split("| room | holds |\n", 1)[1].split("\n\n", 1)[0]
    order = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert set(ROOMS) <= set(order)
    found = graph()
    for place, room in enumerate(order):
        assert found.get(room, set()) - {"_version"} <= set(order[:place]), room


@pytest.mark.parametrize("walk", ["evidence span", "size"])
def test_no_walk_enters_a_module_twice(walk: str):
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = text.split(f"## The walk of one {walk}\n", 1)[1].split("\n## ", 1)[0]
    tables = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert tables
    for table in tables:
        entered = re.findall(r"^\| [\d-]+ \| `([^`]+)`", table, re.MULTILINE)
        assert entered
        assert len(set(entered)) == len(entered) <= 10
        assert all((ROOT / module).is_file() for module in entered)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples of CONTRIBUTING as an installed package: its files, and the entry points that it names."""
    folder = tmp_path_factory.mktemp("site")
    blocks = FENCED.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    for language, code in blocks:
        if language == "python":
            name = re.match(r"# (\w+\.py)\n", code)
            assert name, "an example begins with the name of its file"
            (folder / name[1]).write_text(code, "utf-8")
    [entries] = [tomllib.loads(code)["project"]["entry-points"] for language, code in blocks if language == "toml"]
    info = folder / "examples-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: examples\nVersion: 1.0\n", "utf-8")
    lines = [line for group, names in entries.items() for line in (f"[{group}]", *map(" = ".join, names.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_examples_for_contributors_run_and_print_what_is_shown(site: Path, pytestconfig: pytest.Config):
    page = ROOT / "CONTRIBUTING.md"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(site)]), "NO_COLOR": "1"}

    def run(command: str) -> str:
        words = shlex.split(command)
        assert words[0] == "chunkscope"
        done = subprocess.run(
            [sys.executable, "-m", "chunkscope", *words[1:]],
            capture_output=True, encoding="utf-8", cwd=ROOT, env=environment, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), command
        return done.stdout

    text = page.read_text("utf-8")
    fresh = ENDED.sub(lambda block: f"```console\n$ {block[1]}\n{run(block[1])}```\n", text)
    if pytestconfig.getoption("--update-gold"):
        page.write_text(fresh, "utf-8")
    assert page.read_text("utf-8") == fresh
    assert len(ENDED.findall(fresh)) == 4  # one for each kind of part


def test_python_of_the_readme_runs(tmp_path: Path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rules.md").write_text("# 規程\n\n宿泊費の上限は12,000円とする。\n", "utf-8")
    row = '{"id": "q1", "question": "上限は？", "doc": "rules.md", "evidence": ["上限は12,000円"]}\n'
    (tmp_path / "questions.jsonl").write_text(row, "utf-8")
    blocks = [
        code for language, code in FENCED.findall((ROOT / "README.md").read_text("utf-8")) if language == "python"
    ]
    assert len(blocks) == 2
    for code in blocks:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, encoding="utf-8", cwd=tmp_path, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


GROUPS = {"chunkscope.chunkers", "chunkscope.measures", "chunkscope.reports", "chunkscope.providers"}


def test_names_in_the_pages_are_those_of_the_package():
    for page in PAGES:
        names = set(re.findall(r"`(chunkscope(?:\.\w+)+)`", page.read_text("utf-8")))
        for name in names - GROUPS - {"chunkscope.toml"}:
            assert pkgutil.resolve_name(name) is not None


def test_benchmarks_and_examples_import_what_there_is():
    for path in [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "examples").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "chunkscope":
                for alias in node.names:
                    assert pkgutil.resolve_name(f"{node.module}.{alias.name}") is not None, path.name


def test_the_source_archive_has_the_pages():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {
        "docs",
        "tests",
        "README.md",
        "README.ja.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "LICENSE",
    } <= set(included)
