"""Work shared by an executor of somebody else's: the same bytes, whatever becomes of a worker."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from command_line import fails, put, run

from chunkscope import Document, Question, check_labels, read_corpus, sweep
from chunkscope.errors import ChunkscopeError, ConfigError
from chunkscope.grid import processes

TEXT = "第{n}条 申請は{n}日前までに行う。承認は課長が行う。\n\n| 区分 | 上限 |\n|---|---|\n| 部長 | {n}円 |\n\n"


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr("chunkscope.grid.sweep.BATCH_CHARACTERS", 300)
    monkeypatch.setattr("chunkscope.grid.sweep.LARGEST_BATCH", 300)
    for name in range(9):
        (tmp_path / f"{name}.md").write_text("".join(TEXT.format(n=name * 7 + n) for n in range(5)), "utf-8")
    return read_corpus(tmp_path)


def asked(corpus):
    questions = [Question.of(f"q{n}", doc=f"{n}.md", evidence=f"申請は{n * 7 + 3}日前までに行う。") for n in range(9)]
    return check_labels(corpus, questions)


def result(corpus, **how):
    found = sweep(corpus, asked(corpus), chunkers="fixed,sentence,recursive", sizes="20,60", overlaps="0,1/6", **how)
    return found.to_dict()


class Here(Executor):
    """Runs at once, and remembers what it was given."""

    def __init__(self):
        self.sent = []

    def submit(self, function, /, *arguments, **options):
        self.sent.append(arguments)
        future = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


def test_any_executor_gives_the_same(corpus):
    expected = result(corpus)
    here = Here()
    assert result(corpus, executor=here) == expected
    assert len(here.sent) > 3
    with ThreadPoolExecutor(2) as threads:
        assert result(corpus, executor=threads) == expected
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert result(corpus, executor=pool) == expected


def test_what_is_sent_names_the_documents_and_has_no_text(corpus):
    here = Here()
    result(corpus, executor=here)
    for _, sent in here.sent:
        assert "承認は課長が行う".encode() not in sent


def test_only_so_many_batches_are_under_way(corpus, monkeypatch):
    monkeypatch.setattr("chunkscope.grid.sweep.UNDER_WAY", 2)
    open_ones, most = set(), []

    class Lazy(Executor):
        def submit(self, function, /, *arguments):
            future = Future()
            open_ones.add(future)
            most.append(len(open_ones))

            def finish(timeout=None):
                open_ones.discard(future)
                return function(*arguments)

            future.result = finish
            return future

    assert result(corpus, executor=Lazy()) == result(corpus)
    assert max(most) == 3


def test_a_worker_with_other_versions_is_told(corpus, monkeypatch):
    class Other(Here):
        def submit(self, function, /, expected, sent):
            return super().submit(function, expected | {"numpy": "1.0"}, sent)

    with pytest.raises(ConfigError, match=r"^a worker has numpy [\d.]+, this process 1\.0; install the same in both$"):
        result(corpus, executor=Other())


def test_what_goes_wrong_on_a_worker_is_one_line(corpus, tmp_path):
    class Broken(Here):
        def submit(self, function, /, *arguments):
            future = Future()
            future.set_exception(ModuleNotFoundError("No module named 'chunkscope'"))
            return future

    with pytest.raises(ChunkscopeError, match=r"^a worker of the executor: ModuleNotFoundError: No module named"):
        result(corpus, executor=Broken())
    labels = asked(corpus)
    (tmp_path / "4.md").write_text("changed", "utf-8")
    with pytest.raises(ChunkscopeError, match=r"^4\.md: the file has changed since it was first read$"):
        sweep(corpus, labels, chunkers="fixed", sizes=20, executor=Here())


def test_an_executor_and_jobs_exclude_each_other(corpus):
    with pytest.raises(ConfigError, match="an executor has workers of its own: leave jobs out"):
        sweep([Document("a", "x")], chunkers="fixed", sizes=2, executor=Here(), jobs=2)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with processes.starting_processes():
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
        )
    with made, distributed.Client(made) as client:
        yield client


def test_a_cluster_gives_the_same_bytes_also_when_workers_are_killed(corpus, cluster):
    expected = result(corpus)
    killed = []

    def kill_twice():
        for _ in range(2):
            time.sleep(0.15)
            pid = next(iter(cluster.run(os.getpid).values()))
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_twice)
    killer.start()
    found = [result(corpus, executor=cluster.get_executor()) for _ in range(3)]
    killer.join()
    assert found == [expected] * 3
    assert len(killed) == 2


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (
            "scheduler:8786",
            "--dask scheduler:8786: write the address of a scheduler, such as tcp://scheduler:8786, or local:4",
        ),
        ("local:0", "--dask local:0: write the address of a scheduler"),
        ("tcp://127.0.0.1:9", "--dask tcp://127.0.0.1:9: no scheduler answers: "),
    ],
)
def test_a_scheduler_that_is_none_is_told_in_a_line(tmp_path, monkeypatch, where, told):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("chunkscope.cli.cluster.SECONDS_TO_CONNECT", 1)
    put("docs/a.md", "一つ。二つ。")
    assert told in fails("sweep", "docs", "--dask", where)


def test_the_command_shares_the_work_with_processes_of_dask(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    put("docs/a.md", TEXT.format(n=3) * 9)
    command = ("sweep", "docs", "-c", "fixed", "--sizes", "20,60", "--format", "json")
    shared, alone = run(*command, "--dask", "local:1"), run(*command)
    assert shared.exit_code == 0, shared.output
    assert shared.stdout == alone.stdout
    assert shared.stderr == alone.stderr


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_of_files_go_without_their_texts_too_and_give_the_same(corpus, tmp_path, kind):
    records = [{"name": document.name, "text": document.text, "note": "課長"} for document in corpus]
    path = tmp_path / f"docs.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    else:
        pytest.importorskip("polars").DataFrame(records).write_parquet(path)
    read, here = read_corpus(path), Here()
    found = result(read, executor=here)
    assert found["cells"] == result(corpus)["cells"]
    assert len(here.sent) > 3
    assert all("課長".encode() not in sent for _, sent in here.sent)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert result(read, executor=pool) == found
