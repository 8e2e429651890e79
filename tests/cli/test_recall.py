"""`chunkscope recall`: its options and their help, what it needs, and what it shows."""

from __future__ import annotations

import json

import command_line
import pytest

from chunkscope.cli.options import HEADINGS
from chunkscope.cli.program import program

ROWS = [
    {"id": "q1", "question": "上限は？", "doc": "a.md", "evidence": "上限は12,000円"},
    {"id": "q2", "question": "申請は？", "doc": "a.md", "evidence": "申請は3日前", "kind": "期限"},
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(
        "# 旅費\n\n宿泊費の上限は12,000円とする。\n申請は3日前までに行う。\n", "utf-8"
    )
    write(tmp_path / "q.jsonl", ROWS)

    def invoke(*arguments, command="recall"):
        return command_line.run(command, *arguments)

    return invoke


def write(path, rows):
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")


RETRIEVAL = {
    "retriever", "runs", "context", "k", "return", "budget", "min_score", "filter", "outdated", "group_by", "metrics", "holdout",
    "holdout_by", "seed", "cache", "no_cache", "dry_run", "ranks",
}  # fmt: skip


def test_what_ranks_is_an_option_of_recall_and_of_no_sweep():
    names = {
        command: {parameter.name for parameter in program.get_command(None, command).params}
        for command in ("sweep", "recall")
    }
    assert names["recall"] >= RETRIEVAL
    assert names["sweep"] & RETRIEVAL == {"cache", "no_cache"}  # where pieces of splitters are kept
    assert not {"why", "measure", "count_tokens", "no_cuts", "jobs"} & names["recall"]


@pytest.mark.parametrize("command", ["sweep", "recall"])
def test_help_has_headings_names_every_option_once_and_is_short(run, command):
    done = run("--help", command=command)
    lines = done.stdout.splitlines()
    found = [line.removesuffix(":") for line in lines if line.removesuffix(":") in HEADINGS]
    assert found == [heading for heading in HEADINGS if heading in found]
    assert {"Grid", "Questions", "Documents", "Output"} <= set(found)
    assert ("Ranking" in found) == (command == "recall")
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 100
    for parameter in program.get_command(None, command).params:
        for option in parameter.opts if parameter.param_type_name == "option" else ():
            named = [line for line in lines if option in line[2:].partition("  ")[0].replace(",", "").split()]
            assert len(named) == 1, option


def test_the_first_commands_of_the_help_are_those_that_people_begin_with(run):
    commands = [
        line.split()[0] for line in run(command="--help").stdout.partition("Commands:\n")[2].splitlines() if line
    ]
    assert commands[:3] == ["sweep", "recall", "check"]


def test_bm25_needs_no_option_and_json_is_that_of_a_sweep(run):
    done = run("docs", "-q", "q.jsonl", "--sizes", "12,40", "--overlaps", "0", "--format", "json")
    assert done.exit_code == 0, done.output
    written = json.loads(done.stdout)
    assert written["settings"]["sizes"] == "12,40"
    for cell in written["cells"]:
        found = cell["retrieval"]
        assert found["retriever"] == "bm25"
        k = str(found["k"][0])
        assert found["answered"][k][1] == 2
        assert sum(found["misses"][k].values()) == 2 - found["answered"][k][0]
        assert found["missed"].keys() <= {"q1", "q2"}


def test_the_table_and_the_ranks_of_the_setting_it_comes_to(run):
    plain = run("docs", "-q", "q.jsonl", "--sizes", "12", "--overlaps", "0")
    assert plain.exit_code == 0, plain.output
    assert plain.stdout.startswith("docs: 1 document")
    assert "Ranked by bm25" in plain.stdout
    assert "Floor" not in plain.stdout
    sized = ["docs", "-q", "q.jsonl", "-c", "fixed", "--sizes", "12", "--overlaps", "0"]
    done = run(*sized, "--ranks", "--retriever", "bm25,hash")
    assert done.stdout.count("\nRanks with fixed 12/0, bm25, ") == 1
    assert "q1: no chunk holds the evidence whole  上限は？" in done.stdout


def test_questions_are_required(run):
    done = run("docs", "--sizes", "12")
    assert done.exit_code == 2
    [line] = done.stderr.splitlines()
    assert line.startswith('chunkscope: recall needs questions: name a file with -q, with lines such as {"id": "q1"')


def test_questions_without_a_text_are_named_with_what_to_do(run, tmp_path):
    write(tmp_path / "q.jsonl", [{**row, "question": "", "ask": row["question"]} for row in ROWS])
    done = run("docs", "-q", "q.jsonl", "--sizes", "12")
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        "chunkscope: question q1 (line 1) has no 'question' text to search with, nor have 1 more; write one, or say with "
        "--map-field question=FIELD where it stands"
    ]
    assert run("docs", "-q", "q.jsonl", "--sizes", "12", "--map-field", "question=ask").exit_code == 0


def test_the_configuration_is_that_of_sweep(run, tmp_path):
    (tmp_path / "chunkscope.toml").write_text(
        'corpus = "docs"\nquestions = "q.jsonl"\nchunker = "fixed"\nsizes = "12,30"\noverlaps = "0"\n'
    )
    written = json.loads(run("--format", "json").stdout)
    assert [cell["size"] for cell in written["cells"]] == [12, 30]


def test_bad_labels_stop_it_or_are_left_out(run, tmp_path):
    write(tmp_path / "q.jsonl", [*ROWS, {"id": "q3", "question": "?", "doc": "a.md", "evidence": "nowhere"}])
    stopped = run("docs", "-q", "q.jsonl", "--sizes", "12")
    assert stopped.exit_code == 2
    assert "--skip-bad-labels leaves such questions out" in stopped.stderr
    done = run("docs", "-q", "q.jsonl", "--sizes", "12", "--skip-bad-labels", "--format", "json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["cells"][0]["retrieval"]["strict"].popitem()[1][1] == 2


def test_what_csv_leaves_out_is_told_in_one_line(run):
    done = run("docs", "-q", "q.jsonl", "--sizes", "20", "--format", "csv")
    assert done.exit_code == 0
    assert "CSV leaves out the ranks and misses of each question; --format json has them\n" in done.stderr
    assert "CSV" not in run("docs", "-q", "q.jsonl", "--sizes", "20", "--format", "json").stderr
