"""The command line with embeddings: recall, what it tells before, and `chunkscope cache`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import command_line
import pytest
from embedding_servers import Reply, serving

from chunkscope.store.file import FILE

EXAMPLES = Path(__file__).parents[2] / "examples"
JA = [str(EXAMPLES / "ja" / "docs"), "-q", str(EXAMPLES / "ja" / "questions.jsonl")]
SMALL = ["-c", "fixed", "--sizes", "100,300", "--overlaps", "0"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    return command_line.run


def test_retrievers_stand_side_by_side(run):
    done = run("recall", *JA, *SMALL, "--retriever", "bm25,hash,rrf(bm25,hash)", "--format", "json")
    assert done.exit_code == 0, done.output
    cells = json.loads(done.stdout)["cells"]
    assert [one["retriever"] for one in cells[0]["retrieval"]] == ["bm25", "hash", "rrf(bm25,hash)"]
    valid = json.loads(done.stdout)["questions"]["valid"]
    assert {one["strict"][str(one["k"][0])][1] for cell in cells for one in cell["retrieval"]} == {valid}


def test_what_is_to_be_embedded_is_said_before_and_the_second_run_is_free(run):
    first = run("recall", *JA, *SMALL, "--retriever", "hash", "--price", "0.02")
    second = run("recall", *JA, *SMALL, "--retriever", "hash")
    assert first.exit_code == second.exit_code == 0, first.output
    assert "hash: 2 cells" in first.stderr
    assert "0 in the cache" in first.stderr
    assert "at 0.02 a million" in first.stderr
    assert "nothing to embed" in second.stderr
    assert first.stdout == second.stdout


def test_a_dry_run_prices_the_grid_and_a_finer_one_and_sends_nothing(run):
    with serving() as server:
        retriever = f"openai:m(base_url={server.url}/v1)"
        done = run("recall", *JA, "-c", "fixed", "--retriever", retriever, "--dry-run", "--price", "0.1")
    assert done.exit_code == 0, done.output
    assert server.requests == []
    lines = done.stdout.splitlines()
    assert lines[0].startswith("This grid: openai:m: 6 cells")  # 300, 600, 1000 with 0 and 100
    assert lines[1].startswith("With a finer grid (sizes 337 to 596")
    assert lines[-1] == "Nothing was sent."
    assert "tokens, " in lines[0]


@pytest.mark.parametrize("retriever", ["ollama:m(host={})", "openai:m(base_url={}/v1)", "voyage:m(base_url={}/v1)"])
def test_a_configuration_sends_no_key_to_an_address_of_its_own(run, tmp_path, monkeypatch, retriever):
    monkeypatch.chdir(tmp_path)
    for variable in ("OPENAI_API_KEY", "OLLAMA_API_KEY", "VOYAGE_API_KEY"):
        monkeypatch.setenv(variable, "secret-0123456789")
    with serving() as server:
        named = retriever.format(server.url)
        Path("chunkscope.toml").write_text(f'size = 300\n[check]\nmin_recall = "1%"\nretriever = "{named}"\n', "utf-8")
        done = run("check", *JA)
        assert server.requests == []
    assert done.exit_code == 2
    assert "no configuration may give " in done.stderr


def test_a_dry_run_tries_a_model_on_this_machine_and_says_how_long_all_takes(run, tmp_path, monkeypatch):
    from chunkscope.retrieval.providers.hash_ import HashProvider

    sent = []
    embed = HashProvider.embed_documents
    monkeypatch.setattr(HashProvider, "embed_documents", lambda self, texts: sent.extend(texts) or embed(self, texts))
    done = run("recall", *JA, "--retriever", "hash", "--dry-run")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert [line.endswith(" on this machine.") for line in lines] == [True, True, False]
    assert len(sent) == len(set(sent)) == 17
    assert not list((tmp_path / "cache").glob("*"))  # what was tried is not kept
    monkeypatch.setattr(HashProvider, "is_local", False)
    sent.clear()
    assert "machine" not in run("recall", *JA, "--retriever", "hash", "--dry-run").stdout
    assert sent == []


def test_nothing_is_tried_where_all_is_known(run):
    run("recall", *JA, *SMALL, "--retriever", "hash")
    done = run("recall", *JA, *SMALL, "--retriever", "hash", "--dry-run")
    assert "nothing to embed." in done.stdout.splitlines()[0]


def test_without_a_cache_nothing_is_written(run, tmp_path):
    done = run("recall", *JA, *SMALL, "--retriever", "hash", "--no-cache")
    assert done.exit_code == 0, done.output
    assert not (tmp_path / "cache").exists()


def test_a_provider_of_the_current_folder_is_found(run, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    done = run("recall", *JA, *SMALL, "--retriever", "own_provider:TrigramProvider", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["cells"][1]["retrieval"]
    assert found["retriever"] == "own_provider:TrigramProvider"
    assert found["strict"][str(found["k"][0])][0] > 0


def test_the_example_runs():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "own_provider.py"], capture_output=True, text=True, check=True, timeout=60
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["100", "300"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--retriever", "nothing"], "no retriever 'nothing'"),
        (["--retriever", "openai:m(base_url=http://127.0.0.1:9/v1, timeout=1"], "no retriever"),
        (["--retriever", "openai:text-embedding-3-small"], "no key; set OPENAI_API_KEY"),
        (["--retriever", "hash", "--cache", "x", "--no-cache"], "exclude each other"),
        (["--dry-run"], "--dry-run needs a --retriever with vectors"),
        (["--retriever", "bm25", "--dry-run"], "--dry-run needs a --retriever with vectors"),
        (["--retriever", "bm25,"], "missing between commas"),
        (["--retriever", "hash", "--cache", __file__ + "/x"], None),
    ],
)
def test_what_cannot_be_done_is_one_line(run, arguments, reason):
    done = run("recall", *JA, *SMALL, *arguments)
    if reason is None:  # a cache that cannot be made is a warning
        assert done.exit_code == 0
        assert "what is new stays in memory" in done.stderr
        return
    assert done.exit_code == 2
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_failure_keeps_what_is_embedded_and_the_next_run_goes_on(run):
    def script(number, request):
        if number == 4:
            return Reply(401, {"error": {"message": "no"}})

    with serving(script) as server:
        arguments = ["recall", *JA, *SMALL, "--retriever", f"openai:m(base_url={server.url}/v1, max_texts=8)"]
        first = run(*arguments)
        n_kept = sum(len(request.texts) for request in server.requests[:3])
        second = run(*arguments)
        assert first.exit_code == 2
        assert "access is refused (status 401)" in first.stderr.splitlines()[-1]
        assert second.exit_code == 0, second.output
        assert f"{n_kept} in the cache" in second.stderr
        assert len(server.sent) - len(server.requests[3].texts) == len(set(server.sent))


def test_a_cell_says_how_many_of_its_chunks_the_model_cannot_read(run, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("開場は九時です。" + "長" * 200, "utf-8")
    row = '{"id": "q1", "question": "開場は？", "doc": "a.md", "evidence": "開場は九時"}'
    (tmp_path / "q.jsonl").write_text(row, "utf-8")
    with serving() as server:
        spelled = f"openai:m(base_url={server.url}/v1, max_tokens_per_text=100)"
        common = ["recall", tmp_path / "docs", "-q", tmp_path / "q.jsonl", "-c", "fixed", "--sizes", "50,300"]
        done = run(*common, "--overlaps", "0", "--retriever", spelled)
    assert done.exit_code == 0, done.output
    titles, row = done.stdout.partition("chunks")[2], next(x for x in done.stdout.splitlines() if "300/0" in x)
    assert "too long" in titles
    assert " 1 " in row
    assert [line for line in done.stderr.splitlines() if "a.md#0: " in line and "the limit of the model is 100" in line]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("concurrency", [1, 4])
def test_ctrl_c_keeps_what_is_embedded(tmp_path, concurrency):
    def script(number, request):
        if number > 3:
            return Reply(hang=30.0)

    with serving(script) as server:
        command = [sys.executable, "-m", "chunkscope", "recall", *JA, *SMALL, "--cache", str(tmp_path)]
        command += ["--retriever", f"openai:m(base_url={server.url}/v1, max_texts=4, concurrency={concurrency})"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            if len(server.requests) > 3:
                break
            time.sleep(0.05)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "chunkscope: interrupted"
    told = command_line.run("cache", "info", "--cache", tmp_path, "--format", "json")
    assert sum(space["vectors"] for space in json.loads(told.stdout)["spaces"]) == sum(
        len(request.texts) for request in server.requests[:3]
    )


# ---- chunkscope cache


def test_the_cache_is_told_pruned_and_cleared(run, tmp_path):
    empty = run("cache", "info")
    assert empty.exit_code == 0
    assert "nothing yet" in empty.stdout
    assert not (tmp_path / "cache").exists()
    run("recall", *JA, *SMALL, "--retriever", "hash")
    told = run("cache", "info")
    assert "hash, document: " in told.stdout
    assert "vectors of 64 numbers" in told.stdout
    assert "0 vectors deleted" in run("cache", "prune", "--days", "30").stdout
    assert "0 vectors deleted" in run("cache", "prune", "--provider", "openai").stdout
    assert run("cache", "clear").exit_code == 2
    assert "; say --yes" in run("cache", "clear").stderr
    cleared = run("cache", "clear", "--yes")
    assert cleared.exit_code == 0
    assert "0 vectors deleted" not in cleared.stdout
    assert json.loads(run("cache", "info", "--format", "json").stdout)["spaces"] == []


def test_pruning_needs_to_know_what(run):
    done = run("cache", "prune")
    assert done.exit_code == 2
    assert "say which" in done.stderr


def test_a_file_of_something_else_is_left_alone(run, tmp_path):
    import sqlite3

    path = tmp_path / "mine.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE precious (x)")
    db.close()
    for arguments in (["cache", "clear", "--yes"], ["cache", "info"]):
        done = run(*arguments, "--cache", path)
        assert done.exit_code == 2
        assert "is no cache of chunkscope" in done.stderr


@pytest.mark.parametrize("command", [["info"], ["clear", "--yes"], ["prune", "--days", "3"]])
def test_looking_at_a_text_file_as_a_cache_leaves_it_as_it_is(run, tmp_path, command):
    path = tmp_path / "questions.jsonl"
    path.write_text('{"id": "q1"}\n', encoding="utf-8")
    done = run("cache", *command, "--cache", path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"chunkscope: {path}: is no cache of chunkscope; name another file\n"
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["questions.jsonl"]
    assert path.read_text("utf-8") == '{"id": "q1"}\n'


@pytest.mark.parametrize("name", ["questions.jsonl", "page.htm", "notes.rst"])
def test_a_file_of_the_user_named_as_a_cache_is_left_alone(run, tmp_path, name):
    path = tmp_path / name
    path.write_text('{"id": "q1"}\n', encoding="utf-8")
    done = run("recall", *JA, *SMALL, "--retriever", "hash", "--cache", path)
    assert done.exit_code == 2
    assert done.stderr.endswith(f"chunkscope: {path}: is no cache of chunkscope; name another file\n")
    assert path.read_text("utf-8") == '{"id": "q1"}\n'


def test_a_damaged_cache_is_one_warning(run, tmp_path):
    run("recall", *JA, *SMALL, "--retriever", "hash")
    path = tmp_path / "cache" / FILE
    os.truncate(path, path.stat().st_size // 2)
    done = run("recall", *JA, *SMALL, "--retriever", "hash")
    assert done.exit_code == 0
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1
    assert str(path) in warnings[0]
