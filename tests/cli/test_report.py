"""``report``: the documents of a result are read again, what has changed is refused, and nothing a result names is run."""

from __future__ import annotations

import json
import shutil

import pytest
from command_line import run
from reports.pages import blocks

from chunkscope.corpus import demo_path

pytest.importorskip("jinja2")
pytest.importorskip("vl_convert")

GRID = ["-c", "fixed,sentence", "--sizes", "100..300:100"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with documents, questions, and the result of a sweep over them."""
    shutil.copytree(demo_path("ja"), tmp_path / "ja")
    monkeypatch.chdir(tmp_path)
    done = run("sweep", "ja/docs", "-q", "ja/questions.jsonl", *GRID, "--format", "json", "-o", "result.json")
    assert done.exit_code == 0, done.stderr
    return tmp_path


def report(*arguments):
    return run("report", *arguments, "-o", "page.html", "--lang", "en")


def test_a_stored_result_and_its_documents_make_a_page(here):
    done = report("result.json")
    assert (done.exit_code, done.stderr) == (0, "")
    found = blocks((here / "page.html").read_text("utf-8"))
    assert len([name for name in found if name.startswith("document-")]) == 5
    assert found["document-0"]["spans"]


def test_without_a_result_the_sweep_is_run(here):
    arguments = ["--corpus", "ja/docs", "-q", "ja/questions.jsonl", "-c", "fixed,sentence"]
    assert report(*arguments).exit_code == 0
    cells = blocks((here / "page.html").read_text("utf-8"))["data"]["cells"]
    assert len(cells) == 76
    assert report("--demo", "en").exit_code == 0
    assert "guide.md" in (here / "page.html").read_text("utf-8") or "docs" in (here / "page.html").read_text("utf-8")


def test_the_configuration_says_what_is_swept(here):
    (here / "chunkscope.toml").write_text(
        'corpus = "ja/docs"\nquestions = "ja/questions.jsonl"\nchunker = "fixed"\nsizes = "200"\noverlaps = "0"\n',
        "utf-8",
    )
    assert report().exit_code == 0
    assert len(blocks((here / "page.html").read_text("utf-8"))["data"]["cells"]) == 1


def test_documents_that_have_changed_are_refused_by_name_or_told_on_the_page(here):
    path = here / "ja" / "docs" / "rules.md"
    path.write_text(path.read_text("utf-8") + "\n追記。\n", "utf-8")
    (here / "ja" / "docs" / "faq.md").unlink()
    (here / "ja" / "docs" / "new.md").write_text("新しい。", "utf-8")
    done = report("result.json")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    for told in ("1 document has changed since: rules.md", "gone: faq.md", "new: new.md", "--force"):
        assert told in done.stderr
    assert not (here / "page.html").exists()
    assert report("result.json", "--force").exit_code == 0
    assert "1 document has changed since: rules.md" in (here / "page.html").read_text("utf-8").partition("<main>")[0]


def test_questions_that_have_changed_are_refused(here):
    path = here / "ja" / "questions.jsonl"
    path.write_text(path.read_text("utf-8").replace("いつまで", "いつ"), "utf-8")
    done = report("result.json")
    assert (done.exit_code, "the questions have changed" in done.stderr) == (2, True)


def test_documents_elsewhere_are_named(here):
    (here / "ja").rename(here / "moved")
    done = report("result.json")
    assert done.exit_code == 2
    assert "--corpus" in done.stderr
    assert report("result.json", "--corpus", "moved/docs", "-q", "moved/questions.jsonl").exit_code == 0


def test_texts_can_be_left_out(here):
    shutil.rmtree(here / "ja")
    assert report("result.json", "--no-documents").exit_code == 0
    text = (here / "page.html").read_text("utf-8")
    assert "document-0" not in text.partition("<script>")[0]
    assert "出張" not in text


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 99}', '{"format": 1}', "\x00"])
def test_what_is_no_result_is_one_line(here, text):
    (here / "bad.json").write_text(text, "utf-8")
    done = report("bad.json")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "bad.json" in done.stderr


def test_figures_that_make_no_sense_are_one_line(here):
    arguments = ["recall", "ja/docs", "-q", "ja/questions.jsonl", "-c", "fixed", "--sizes", "200", "--format", "json"]
    assert run(*arguments, "-o", "recall.json").exit_code == 0
    good = json.loads((here / "recall.json").read_text("utf-8"))
    for path, value in [
        (("retrieval", "retrievers"), [3]),
        (("cells", 0, "retrieval", "context"), {}),
        (("cells", 0, "chunks"), 1e300),
        (("cells", 0, "broken_chunks"), None),
        (("advice", "remedies"), [{}]),
        (("advice", "wins"), []),
        (("settings", "overlaps"), ["1/0"]),
        (("settings", "splitters"), {"fixed": {"spec": "a"}}),
    ]:
        record = json.loads(json.dumps(good))
        inner = record
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = value
        (here / "bad.json").write_text(json.dumps(record), "utf-8")
        done = report("bad.json")
        # what no report looks at may say anything
        assert (done.exit_code, len(done.stderr.splitlines())) in ((2, 1), (0, 0)), path
        assert "internal" not in done.stderr


def test_a_result_of_another_kind_is_one_line(here):
    arguments = [
        "check",
        "ja/docs",
        "-q",
        "ja/questions.jsonl",
        "--size",
        "900",
        "--format",
        "json",
        "-o",
        "check.json",
    ]
    assert run(*arguments).exit_code in (0, 1)
    done = report("check.json")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


def test_an_output_that_cannot_be_written_is_one_line(here):
    done = run("report", "result.json", "-o", "no/page.html")
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    done = run("report", "result.json", "-o", "result.json")
    assert (done.exit_code, "is read by this very command" in done.stderr) == (2, True)


SPLITTER = "import sys\nsys.stderr.write('RUN\\n')\ndef split(text, chunk_size):\n    return [text[i:i + chunk_size] for i in range(0, len(text), chunk_size)]\n"


@pytest.fixture
def own(here, monkeypatch):
    """A splitter of one's own, a result of it, and the file in which its pieces are kept."""
    monkeypatch.syspath_prepend(str(here))
    (here / "own_splitter_of_a_report.py").write_text(SPLITTER, "utf-8")
    chunker = [
        "-c",
        "own_splitter_of_a_report:split",
        "--cache",
        str(here / "kept.db"),
        "--sizes",
        "100..300:100",
        "--overlaps",
        "0",
    ]
    arguments = ["sweep", "ja/docs", "-q", "ja/questions.jsonl", *chunker, "--format", "json", "-o", "own.json"]
    assert run(*arguments).exit_code == 0
    return here


def test_pieces_of_a_splitter_come_from_the_cache_and_its_code_is_not_run(own, monkeypatch):
    import sys

    monkeypatch.delitem(sys.modules, "own_splitter_of_a_report")
    done = report("own.json", "--cache", own / "kept.db")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "own_splitter_of_a_report" not in sys.modules
    found = blocks((own / "page.html").read_text("utf-8"))
    assert found["document-0"]["spans"]["0"].startswith("2s 2s")
    (own / "kept.db").unlink()
    done = report("own.json", "--no-cache")
    assert done.exit_code == 0
    assert "own_splitter_of_a_report" not in sys.modules
    data = blocks((own / "page.html").read_text("utf-8"))["data"]
    assert "no longer has its pieces" in data["lines"][0]["lacking"]


def test_a_splitter_that_this_command_line_names_is_run(own):
    (own / "kept.db").unlink()
    done = report("own.json", "--no-cache", "-c", "own_splitter_of_a_report:split")
    assert done.exit_code == 0
    assert blocks((own / "page.html").read_text("utf-8"))["document-0"]["spans"]["0"].startswith("2s 2s")


def test_a_result_that_names_code_runs_none(here):
    record = json.loads((here / "result.json").read_text("utf-8"))
    record["cells"] = record["cells"][:6]
    for cell in record["cells"]:
        cell["chunker"] = "antigravity:fly"
    record["advice"].update({name: record["cells"][0][name] for name in ("size", "overlap")})
    record["advice"]["chunker"] = "antigravity:fly"
    record["settings"]["chunkers"] = ["antigravity:fly"]
    (here / "result.json").write_text(json.dumps(record), "utf-8")
    import sys

    done = report("result.json")
    assert done.exit_code == 0, done.stderr
    assert "antigravity" not in sys.modules
    assert "a result runs no code" in (here / "page.html").read_text("utf-8")


def test_chunks_of_an_index_are_read_again(here):
    assert run("chunks", "ja/docs", "-c", "fixed", "--size", "200", "-o", "index.jsonl").exit_code == 0
    arguments = [
        "sweep",
        "ja/docs",
        "-q",
        "ja/questions.jsonl",
        "--chunks",
        "index.jsonl",
        "-c",
        "fixed",
        "--sizes",
        "200",
    ]
    assert run(*arguments, "--format", "json", "-o", "index.json").exit_code == 0
    assert report("index.json").exit_code == 0
    assert blocks((here / "page.html").read_text("utf-8"))["document-0"]["spans"]["0"].startswith("5k")


def test_a_recall_makes_a_page_that_has_what_came_first(here):
    arguments = ["recall", "ja/docs", "-q", "ja/questions.jsonl", *GRID, "--format", "json", "-o", "recall.json"]
    assert run(*arguments).exit_code == 0
    assert report("recall.json").exit_code == 0
    data = blocks((here / "page.html").read_text("utf-8"))["data"]
    assert data["isRanked"]
    record = json.loads((here / "recall.json").read_text("utf-8"))
    assert len(data["above"]) == len(record["retrieval"]["best_of_ways"]) == len(record["ranks"])
    ids = [question[0] for question in data["questions"]]
    for kept, above in zip(record["ranks"], data["above"].values(), strict=True):
        assert {ids[int(place)] for place in above} == set(kept["questions"])
        for place, hits in above.items():
            told = [[data["documents"][name][0], start, end, bool(meets)] for name, start, end, meets in hits]
            assert told == kept["questions"][ids[int(place)]]
