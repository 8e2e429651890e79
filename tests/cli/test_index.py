"""``--chunks``: an index that is there, beside other ways of cutting and against its documents."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from command_line import fails, put, run, run_json

from chunkscope.retrieval.providers import find_provider
from chunkscope.retrieval.providers.hash_ import HashProvider

TEXT = "# 旅費\n\n宿泊費の上限は12,000円とする。\n\n日当は2,000円とする。\n\n領収書は月末までに出す。\n"
OTHER = "# 備品\n\n備品は総務に返す。\n"
LONG = "".join(
    f"第{number}条の金額は{number * 317:,}円とし、担当の部門は{'東西南北'[number % 4]}とする。\n"
    for number in range(1, 12)
)
QUESTIONS = [
    {"id": "q1", "question": "宿泊費の上限は?", "doc": "rules.md", "evidence": "宿泊費の上限は12,000円とする。"},
    {"id": "q2", "question": "領収書はいつ出す?", "doc": "rules.md", "evidence": "領収書は月末までに出す。"},
]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put("docs/rules.md", TEXT)
    put("docs/sub/other.md", OTHER)
    put("q.jsonl", "".join(json.dumps(one) + "\n" for one in QUESTIONS))
    assert run("chunks", "docs", "-c", "sentence", "--size", "25", "-o", "chunks.jsonl").exit_code == 0


def rows():
    return [json.loads(line) for line in Path("chunks.jsonl").read_text("utf-8").splitlines()]


def write(found, path="chunks.jsonl"):
    put(path, "".join(json.dumps(row) + "\n" for row in found))


def test_an_index_is_the_first_row_and_counts_as_what_cut_it():
    found = run_json(
        "sweep", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl", "-c", "sentence(size=25)", "--format", "json"
    )
    index, own = found["cells"]
    assert (index["chunker"], index["size"]) == ("chunks.jsonl", None)
    alike = ("chunks", "chunk_chars", "split_questions", "cuts", "duplication", "sentences_whole")
    assert {name: index.get(name) for name in alike} == {name: own.get(name) for name in alike}
    assert found["settings"]["chunks"] == {"chunks.jsonl": "chunks.jsonl"}


def test_without_a_chunker_the_default_ways_stand_behind_it():
    write(rows(), "again.jsonl")
    found = run_json("sweep", "docs", "--chunks", "chunks.jsonl", "--chunks", "again.jsonl", "--format", "json")
    names = list(dict.fromkeys(cell["chunker"] for cell in found["cells"]))
    assert names[:3] == ["chunks.jsonl", "again.jsonl", "fixed"]
    screen = run("sweep", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl").stdout
    assert "--chunks chunks.jsonl" in screen.partition("Next")[2].replace("\n", " ")


def test_an_index_stands_alone_where_nothing_else_is_wanted():
    assert len(run_json("sweep", "docs", "--chunks", "chunks.jsonl", "-c", "none", "--format", "json")["cells"]) == 1
    put("run.jsonl", json.dumps({"id": "q1", "chunks": ["rules.md#1", "rules.md#0"]}) + "\n")
    recall = ("recall", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl", "--run", "run.jsonl", "--format", "json")
    [cell] = run_json(*recall)["cells"]
    assert (cell["chunker"], cell["retrieval"]["first_rank_answered"]["q1"]) == ("chunks.jsonl", 1)


def test_indexes_have_the_names_of_their_files_unless_two_are_called_alike():
    write(rows(), "old/a.jsonl"), write(rows(), "new/a.jsonl")
    sweep = ("sweep", "docs", "-c", "fixed", "--sizes", "20", "--format", "json", "--chunks", "old/a.jsonl")
    assert run_json(*sweep)["cells"][0]["chunker"] == "a.jsonl"
    assert run_json(*sweep)["settings"]["chunks"] == {"a.jsonl": "old/a.jsonl"}
    both = run_json(*sweep, "--chunks", "new/a.jsonl")
    assert [cell["chunker"] for cell in both["cells"]][:2] == ["old/a.jsonl", "new/a.jsonl"]


def test_several_processes_count_the_same():
    arguments = ("sweep", "docs", "--chunks", "chunks.jsonl", "-c", "fixed", "--sizes", "20", "--format", "json")
    assert run_json(*arguments, "--jobs", "2")["cells"] == run_json(*arguments, "--jobs", "1")["cells"]


def test_an_index_is_ranked_by_its_index_text():
    found = [row | {"index_text": ("出張 " if "宿泊費" in row["text"] else "") + row["text"]} for row in rows()]
    asked = [{**QUESTIONS[0], "question": "出張"}]
    write(found)
    put("q.jsonl", "".join(json.dumps(one) + "\n" for one in asked))
    recall = (
        "recall",
        "docs",
        "-q",
        "q.jsonl",
        "--chunks",
        "chunks.jsonl",
        "-c",
        "sentence",
        "--sizes",
        "25",
        "-k",
        "1",
    )
    index, fixed, *_ = run_json(*recall, "--format", "json")["cells"]
    assert index["chunk_chars"]["max"] == max(len(row["index_text"]) for row in found)
    assert [cell["retrieval"]["answered"]["1"] for cell in (index, fixed)] == [[1, 1], [0, 1]]


def test_show_and_why_draw_its_cuts():
    shown = run("show", "docs/sub/other.md", "--chunks", "chunks.jsonl")
    assert shown.stdout.startswith("other.md: 1 chunk, chunks.jsonl\n")
    write([{"doc": "docs/rules.md", "text": TEXT[:15]}, {"doc": "docs/rules.md", "text": TEXT[15:]}])
    told = run(
        "sweep", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl", "-c", "fixed", "--sizes", "40", "--why", "none"
    )
    assert "chunks.jsonl\n" in told.stdout
    assert "evidence-split" in told.stdout or "│" in told.stdout


def test_an_index_is_inspected():
    write([*rows()[:2], {"document": "rules.md", "text": "日当は2,000円とする。", "start": 3, "end": 5}])
    found = run_json("inspect", "docs", "--chunks", "chunks.jsonl", "--format", "json")["inspections"]
    assert [(one["chunker"], one["counts"]["pieces"], one["counts"]["exact"]) for one in found] == [
        ("chunks.jsonl", 3, 3)
    ]
    assert found[0]["counts"]["wrong_offsets"] == 1
    both = run_json("inspect", "docs", "--chunks", "chunks.jsonl", "-c", "fixed", "--size", "20", "--format", "json")
    assert [one["chunker"] for one in both["inspections"]] == ["chunks.jsonl", "fixed(size=20)"]


# --- Is it that of these documents? ---


def checked(*more):
    result = run("check", "docs", "--chunks", "chunks.jsonl", "--format", "json", *more)
    found = json.loads(result.stdout)
    counted = {one["name"]: (one["count"], one["total"]) for one in found["thresholds"]}
    return result.exit_code, found, counted


def visible(text):
    return len("".join(text.split()))


def test_an_index_of_these_documents_passes():
    status, found, counted = checked()
    assert (status, found["findings"]) == (0, [])
    assert counted["max_stale"] == (0, len(rows()))
    assert counted["max_orphaned"] == (0, len(rows()))
    assert counted["max_unindexed"] == (0, 2)
    assert counted["max_uncovered"] == (0, visible(TEXT) + visible(OTHER))
    assert found["setting"]["chunker"] == "chunks.jsonl"


def test_what_is_stale_orphaned_unindexed_and_uncovered():
    added = "\n追加の規定は四月から始まる。\n"
    put("docs/rules.md", TEXT.replace("日当は2,000円", "日当は2,500円") + added)
    put("docs/new.md", "# 新\n")
    put("docs/blank.md", "\n")
    write([*rows(), {"document": "gone.md", "text": "a"}, {"document": "gone.md", "text": "b"}])
    status, found, counted = checked()
    codes = [(one["code"], one["path"], one["line"], one.get("weight")) for one in found["findings"]]
    n = len(rows())
    stale = next(number for number, row in enumerate(rows(), 1) if "日当" in row["text"])
    assert codes == [
        ("chunk-stale", "chunks.jsonl", stale, None),
        ("chunk-orphaned", "chunks.jsonl", n - 1, 2),
        ("document-unindexed", "docs/new.md", 1, None),
        ("text-uncovered", "docs/rules.md", 5, 13),
        ("text-uncovered", "docs/rules.md", 9, visible(added)),
    ]
    assert counted["max_stale"] == (1, n - 2)
    assert counted["max_orphaned"] == (2, n)
    assert counted["max_unindexed"] == (1, 3)
    assert counted["max_uncovered"] == (13 + visible(added), visible(TEXT + added) + visible(OTHER))
    assert status == 1
    assert found["missed"] == ["max_stale", "max_orphaned", "max_unindexed", "max_uncovered"]


def test_each_is_a_threshold():
    put("docs/new.md", "# 新\n")
    assert checked("--max-unindexed", "1")[0] == 0
    assert checked("--max-unindexed", "none")[0] == 0
    assert checked("--max-unindexed", "10%")[0] == 1
    put("chunkscope.toml", "[check]\nmax_unindexed = 1\n")
    assert checked()[0] == 0
    # another run, without an index
    assert run("check", "docs", "-c", "fixed", "--size", "40").exit_code == 0


def test_known_findings_do_not_count():
    put("docs/new.md", "# 新\n")
    assert checked("--write-baseline", "known.json")[0] == 0
    assert checked("--baseline", "known.json")[0] == 0
    put("docs/newer.md", "# 新\n")
    assert checked("--baseline", "known.json")[0] == 1


def test_what_stands_in_front_of_chunks_and_what_is_stripped_is_not_stale():
    texts = [
        "# 旅費",
        "# 旅費\n宿泊費の上限は12,000円とする",
        "日当は2,000円とする。",
        "領収書は月末までに出す。",
    ]
    write(
        [{"source": "docs/rules.md", "text": text} for text in texts] + [{"source": "docs/sub/other.md", "text": OTHER}]
    )
    status, found, _ = checked()
    assert [one["code"] for one in found["findings"]] == []
    assert status == 0


def test_text_in_front_is_stale_unless_most_chunks_have_some():
    put("docs/long.md", LONG)
    foreign, parts = "この前置きは文書のどこにもない。\n", [LONG[at : at + 40] for at in range(0, len(LONG), 40)]
    held = [{"document": "rules.md", "text": TEXT}, {"document": "sub/other.md", "text": OTHER}]
    for n, status in ((1, 1), (len(parts), 0)):
        texts = [(foreign if number < n else "") + part for number, part in enumerate(parts)]
        write([*held, *({"document": "long.md", "text": text} for text in texts)])
        found = checked()
        assert found[0] == status
        assert found[2]["max_stale"][0] == status
        assert any("taken for context" in one for one in found[1]["warnings"]) == (status == 0)


def test_every_format_tells_of_it_in_both_languages():
    put("docs/new.md", "# 新\n")
    english = run("check", "docs", "--chunks", "chunks.jsonl").stdout
    assert "docs/new.md:1:1: document-unindexed: chunks.jsonl has no chunk of it\n" in english
    assert "max-unindexed  1 of 3 documents unindexed" in english
    japanese = run("check", "docs", "--chunks", "chunks.jsonl", "--lang", "ja").stdout
    assert "chunks.jsonl にこの文書のチャンクがありません" in japanese
    github = run("check", "docs", "--chunks", "chunks.jsonl", "--format", "github").stdout
    assert "::error file=docs/new.md,line=1,col=1,title=document-unindexed::" in github
    junit = ET.fromstring(run("check", "docs", "--chunks", "chunks.jsonl", "--format", "junit").stdout)
    [failed] = [case for case in junit.iter("testcase") if case.find("failure") is not None]
    assert failed.get("name") == "max-unindexed"


def test_findings_fit_the_schema():
    jsonschema = pytest.importorskip("jsonschema")
    put("docs/new.md", "# 新\n")
    put("docs/rules.md", TEXT + "\n追加の規定は四月から始まる。\n")
    schema = json.loads((Path(__file__).parents[2] / "chunkscope" / "schema" / "check-1.json").read_text("utf-8"))
    jsonschema.validate(checked()[1], schema)


# --- What is wrong is one line ---


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sweep", "docs", "--chunks", "none.jsonl"), "none.jsonl: no such file or folder"),
        (("sweep", "docs", "--chunks", "empty.jsonl"), "empty.jsonl: holds no chunks"),
        (("sweep", "docs", "--chunks", "other.jsonl"), "other.jsonl: an index of other documents: 'x.md'; here are"),
        (("check", "docs", "--chunks", "other.jsonl"), "other.jsonl: an index of other documents: 'x.md'; here are"),
        (("recall", "docs", "-q", "q.jsonl", "--chunks", "twice.jsonl"), "twice.jsonl:2: id '1' stands twice; "),
        (("sweep", "docs", "--chunks", "chunks.jsonl", "--chunk-field", "text=x"), "chunks.jsonl:1: no 'x'; there are"),
        (("sweep", "docs", "--chunks", "chunks.jsonl", "--chunk-field", "txt=x"), "a chunk has no 'txt'; did you mean 'text'?"),
        (("sweep", "docs", "--chunks", "chunks.jsonl", "-o", "chunks.jsonl"), "chunks.jsonl"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_a_line(arguments, told):
    put("empty.jsonl", "")
    put("other.jsonl", '{"doc": "x.md", "text": "x"}\n')
    put("twice.jsonl", '{"doc": "rules.md", "text": "x", "id": 1}\n' * 2)
    before = Path("chunks.jsonl").read_bytes()
    assert fails(*arguments).removeprefix("chunkscope: ").startswith(told)
    assert Path("chunks.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("check", "docs", "-c", "heading", "--max-stale", "1"), "--max-stale goes with --chunks"),
        (("check", "docs", "--chunks", "chunks.jsonl", "-c", "fixed"), "--chunks is one way of cutting; leave out --chunker"),
        (("check", "docs", "--chunks", "chunks.jsonl", "--chunks", "q.jsonl"), ""),
        (("sweep", "docs", "--chunk-field", "text=x"), "--chunk-field goes with --chunks"),
        (("sweep", "docs", "--chunks", "chunks.jsonl", "--chunk-field", "x"), "'x' is no OURS=THEIRS, such as document=metadata.source"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_told(arguments, told):
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_documents_that_are_not_here_and_those_without_a_chunk_are_told():
    write([row for row in rows() if "other" not in row["document"]] + [{"document": "gone.md", "text": "x"}])
    told = run("sweep", "docs", "--chunks", "chunks.jsonl", "-c", "fixed", "--sizes", "40").stderr
    assert "chunks.jsonl: 1 document is not here, such as gone.md: chunks left out" in told
    assert "chunks.jsonl: has no chunk of 1 document, such as sub/other.md" in told


# ---- what else an index knows

RECALL = ("recall", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl", "-c", "none")


def hashed(text, role="document"):
    """Give the vector that the provider `hash` has for a text."""
    provider = find_provider("hash")
    vectors = provider.embed_documents([text]) if role == "document" else provider.embed_queries([text])
    return np.asarray(vectors)[0].tolist()


def recalled(*more):
    given = (*RECALL, "-k", "1,2", *more)
    return run_json(*given, "--retriever", "hash", "--format", "json")["cells"][0]["retrieval"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_vectors_of_an_index_rank_as_those_of_the_model_and_only_questions_are_embedded(monkeypatch, suffix):
    expected = recalled()
    assert "index_vectors" not in expected
    found = [row | {"embedding": hashed(row["text"])} for row in rows()]
    if suffix == "csv":
        found = [{name: row[name] for name in ("document", "text", "start", "embedding")} for row in found]
        put(
            "chunks.csv",
            "".join(
                ",".join(f'"{value}"' for value in row) + "\n"
                for row in [list(found[0]), *(row.values() for row in found)]
            ),
        )
        Path("chunks.csv").rename("chunks.jsonl.csv")
    write(found)
    sent = []
    monkeypatch.setattr(HashProvider, "embed_documents", lambda self, texts: sent.append(texts))
    got = recalled() if suffix == "jsonl" else recalled("--chunks", "chunks.jsonl.csv")
    assert got.pop("index_vectors") == len(found)
    assert got == expected
    assert not sent


def test_it_is_the_vectors_that_rank():
    found = rows()
    wanted = next(row for row in found if QUESTIONS[1]["evidence"] in row["text"])
    far = [-number for number in hashed(QUESTIONS[0]["question"], "query")]
    put("q.jsonl", json.dumps(QUESTIONS[1] | {"question": QUESTIONS[0]["question"]}))
    write([row | {"vector": [-n for n in far] if row is wanted else far} for row in found])
    assert recalled()["answered"]["1"] == [1, 1]
    shown = run(
        "recall", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl", "-c", "none", "--retriever", "hash"
    ).stdout
    assert f"is ranked by the {len(found)} vectors that stand in it" in " ".join(shown.split())


def test_chunks_without_a_vector_are_never_found():
    write([row | {"vector": None if number else hashed(row["text"])} for number, row in enumerate(rows())])
    found = recalled()
    assert (found["index_vectors"], found["unusable_vectors"]) == (1, len(rows()) - 1)


@pytest.mark.parametrize(
    ("vector", "told"),
    [
        ("x", "chunks.jsonl:2: its vector is no list of finite numbers"),
        ([1, True], "chunks.jsonl:2: its vector is no list of finite numbers"),
        ([1, 10**400], "chunks.jsonl:2: its vector is no list of finite numbers"),
        ([1e60, 1], "chunks.jsonl:2: its vector is no list of finite numbers"),
        ([1], "chunks.jsonl:2: its vector has 1 numbers, others have 2"),
        ([1, 2], "chunks.jsonl: its vectors have 2 numbers, those of hash"),
    ],
)
def test_what_is_no_vector_is_told_in_a_line(vector, told):
    write([row | {"vector": [1, 2] if number != 1 else vector} for number, row in enumerate(rows())])
    command = (*RECALL, "--retriever", "hash")
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_the_parent_that_an_index_says_is_judged_in_place_of_its_chunk():
    put("docs/rules.md", "甲は一である。乙は二である。丙は三である。丁は四である。")
    put(
        "q.jsonl",
        json.dumps({"id": "q1", "question": "丙", "doc": "rules.md", "evidence": "乙は二である。丙は三である。"}),
    )
    sentences = ["甲は一である。", "乙は二である。", "丙は三である。", "丁は四である。"]
    children = [
        {"document": "rules.md", "id": f"c{n}", "text": one, "parent_id": f"p{n // 3}"}
        for n, one in enumerate(sentences)
    ]
    command = (*RECALL, "-k", "1", "--format", "json")
    write(children)
    alone = run_json(*command)["cells"][0]["retrieval"]
    assert alone["answered"]["1"] == [0, 1]
    assert run_json(*command, "--return", "parent")["cells"][0]["retrieval"]["answered"]["1"] == [1, 1]
    write([{name: value for name, value in row.items() if name != "parent_id"} for row in children])
    assert "--return parent: needs an index whose chunks have a parent_id" in fails(*command, "--return", "parent")


def test_chunks_whose_white_space_was_stripped_have_neighbours():
    put("docs/rules.md", "甲は一である。\n\n乙は二である。\n\n丙は三である。\n")
    put(
        "q.jsonl",
        json.dumps({"id": "q1", "question": "丙", "doc": "rules.md", "evidence": "乙は二である。\n\n丙は三である。"}),
    )
    write([{"document": "rules.md", "text": one} for one in ("甲は一である。", "乙は二である。", "丙は三である。")])
    command = (*RECALL, "-k", "1", "--format", "json")
    assert run_json(*command)["cells"][0]["retrieval"]["answered"]["1"] == [0, 1]
    assert run_json(*command, "--return", "neighbours:1")["cells"][0]["retrieval"]["answered"]["1"] == [1, 1]


def test_a_check_places_each_chunk_once(monkeypatch):
    from chunkscope.splitters import dump

    placed = []
    place_rows = dump.place_rows
    monkeypatch.setattr(
        dump, "place_rows", lambda document, found: placed.append(document.name) or place_rows(document, found)
    )
    assert run("check", "docs", "-q", "q.jsonl", "--chunks", "chunks.jsonl").exit_code == 0
    assert sorted(placed) == ["rules.md", "sub/other.md"]
