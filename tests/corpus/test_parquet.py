"""Parquet files as a corpus: rows are documents, read where they are needed, and the same as those of a folder."""

from __future__ import annotations

import datetime
import importlib.util
import pickle
import sys

import pytest
from command_line import fails, run_json
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import texts

from chunkscope.corpus import parquet
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import ConfigError, InputError, MissingPartError

polars = pytest.importorskip("polars")

WRITERS = ["polars", pytest.param("pyarrow", marks=pytest.mark.skipif(not importlib.util.find_spec("pyarrow"), reason="no pyarrow"))]  # fmt: skip
TEXT = "# 第{n}条\n\n申請は{n}日前までに行う。承認は課長が行う。\n\n| 区分 | 上限 |\n|---|---|\n| 部長 | {n}円 |\n\n"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(parquet, "CHARACTERS_AT_ONCE", 300)
    monkeypatch.setattr(parquet, "FIRST_ROWS", 2)


def write(path, writer="polars", rows_of_a_group=None, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    if writer == "polars":
        polars.DataFrame(columns).write_parquet(path, row_group_size=rows_of_a_group)
    else:
        import pyarrow

        pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=rows_of_a_group)
    return path


def made(n):
    return {"name": [f"{number:02}.md" for number in range(n)], "text": [TEXT.format(n=number) * (1 + number % 3) for number in range(n)]}  # fmt: skip


def told(path, **how):
    with pytest.raises(InputError) as caught:
        read_corpus(path, **how)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{path.parent}/")


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("rows_of_a_group", [1, 4, None])
def test_a_sweep_gives_what_the_same_documents_in_a_folder_give(tmp_path, writer, rows_of_a_group):
    rows = made(9)
    for name, text in zip(rows["name"], rows["text"], strict=True):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_bytes(text.encode())
    table = write(tmp_path / "docs.parquet", writer, rows_of_a_group, **rows)
    quotes = "".join(f'{{"id": "q{n}", "question": "?", "evidence": [{{"doc": "{n:02}.md", "text": "申請は{n}日前までに行う。承認"}}]}}\n' for n in (0, 3, 6))  # fmt: skip
    (tmp_path / "q.jsonl").write_text(quotes, encoding="utf-8")
    asked = ("-q", tmp_path / "q.jsonl", "-c", "fixed", "--sizes", "10,30", "--format", "json")
    found, expected = (run_json("sweep", path, *asked) for path in (table, tmp_path / "docs"))
    assert found["cells"] == expected["cells"]
    assert found["corpus"]["documents"] == 9


@settings(max_examples=15)
@given(
    rows=st.lists(st.tuples(texts(), st.one_of(st.none(), st.integers(0, 9), texts())), min_size=1, max_size=12),
    group=st.integers(1, 5),
)
def test_rows_come_back_as_they_were_written(tmp_path_factory, rows, group):
    path = tmp_path_factory.mktemp("made") / "docs.parquet"
    kinds = [None if field is None else str(field) for _, field in rows]
    write(path, "polars", group, id=list(range(len(rows))), text=[text for text, _ in rows], kind=polars.Series(kinds, dtype=polars.String))  # fmt: skip
    corpus = read_corpus(path)
    for _ in range(2):
        documents = list(corpus)
        assert [document.length for document in documents] == [len(text) for text, _ in rows]
        assert [(one.name, one.text, one.fields) for one in documents] == [
            (str(number), text, {} if kind is None else {"kind": kind})
            for number, ((text, _), kind) in enumerate(zip(rows, kinds, strict=True))
        ]


def test_a_folder_of_parquet_files_is_one_corpus(tmp_path):
    rows = made(4)
    for part in range(2):
        half = {key: values[part * 2 : part * 2 + 2] for key, values in rows.items()}
        write(tmp_path / "set" / "year" / f"part-{part}.parquet", **half)
    (tmp_path / "set" / "_SUCCESS").write_bytes(b"")
    corpus = read_corpus(tmp_path / "set", exclude=["01.md"])
    assert [(one.name, one.text[:6]) for one in corpus] == [("00.md", "# 第0条\n"), ("02.md", "# 第2条\n"), ("03.md", "# 第3条\n")]  # fmt: skip
    assert list(corpus.files) == ["year/part-0.parquet", "year/part-1.parquet"]
    (tmp_path / "set" / "a.md").write_text("a")
    assert read_corpus(tmp_path / "set").names == ("a.md",), "beside documents they are other files"


def test_documents_go_elsewhere_without_their_texts(tmp_path):
    first, *_ = read_corpus(write(tmp_path / "docs.parquet", **made(3), secret=["課長"] * 3))
    sent = pickle.dumps(first)
    assert "承認".encode() not in sent
    assert "課長".encode() not in sent
    there = pickle.loads(sent)
    assert (there.text, there.fields) == (TEXT.format(n=0), {"secret": "課長"})
    assert there.attributes == {"secret": "課長"}


def test_names_of_columns_are_mapped_and_columns_that_are_no_attributes_are_not_read(tmp_path):
    path = write(
        tmp_path / "docs.parquet",
        meta=[{"source": "a.md", "page": 3}],
        body=["本文"],
        vector=[[0.5, 0.25]],
        raw=[b"x"],
        tags=[["旅費", "規程"]],
        day=[datetime.date(2025, 4, 1)],
        none=polars.Series([None], dtype=polars.String),
    )
    [document] = read_corpus(path, fields={"name": "meta.source", "text": "body"})
    assert (document.name, document.text) == ("a.md", "本文")
    assert document.fields == {"meta": {"page": 3}, "tags": ["旅費", "規程"], "day": "2025-04-01"}


def test_a_file_that_has_changed_is_an_error(tmp_path):
    path = write(tmp_path / "docs.parquet", **made(3))
    corpus = read_corpus(path)
    early, late, _ = corpus
    assert early.text
    write(path, name=["00.md", "01.md", "02.md"], text=["a", "b", "c"])
    with pytest.raises(InputError, match=r"docs\.parquet: the file has changed since it was first read"):
        list(corpus)
    parquet._held.cache_clear()
    with pytest.raises(InputError, match=r"docs\.parquet: the file has changed since it was first read"):
        _ = late.text
    assert [one.text for one in read_corpus(path)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("columns", "how", "message"),
    [
        ({"name": ["a"], "text": [5]}, {}, "docs.parquet: column 'text' is no text, but Int64; name the one that is with --map-field text=COLUMN"),
        ({"name": ["a"], "body": ["x"]}, {}, "docs.parquet: no column 'text' (there are name, body); name it with --map-field text=COLUMN"),
        ({"title": ["a"], "text": ["x"]}, {}, "docs.parquet: no column 'name' (there are title, text); name it with --map-field name=COLUMN"),
        ({"name": ["a"], "m": [{"b": "x"}]}, {"text": "m.c"}, "docs.parquet: no column 'm.c' (there are name, m); name it with --map-field text=COLUMN"),
        ({"name": ["a", "a"], "text": ["x", "y"]}, {}, "docs.parquet: row 2: a second document called 'a'"),
        ({"name": ["a", None], "text": ["x", "y"]}, {}, "docs.parquet: row 2: 'name' must be a string, not null"),
        ({"name": ["a", "b"], "text": ["x", None]}, {}, "docs.parquet: row 2: 'b' has no 'text' that is a string"),
        ({"name": ["a", ""], "text": ["x", "y"]}, {}, "docs.parquet: row 2: a document needs a name"),
        ({"name": polars.Series([], dtype=polars.String), "text": polars.Series([], dtype=polars.String)}, {}, "docs.parquet: no document in it; a row is one, with columns 'name' and 'text'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_told_in_a_line(tmp_path, columns, how, message):
    assert told(write(tmp_path / "docs.parquet", **columns), fields=how) == message


def test_a_damaged_file_is_told_in_a_line_and_may_be_skipped(tmp_path):
    good = write(tmp_path / "set" / "a.parquet", **made(3))
    raw = good.read_bytes()
    bad = tmp_path / "set" / "b.parquet"
    for damaged in (b"", b"PAR1", raw[:200], raw[:20] + b"\xff" * 60 + raw[80:], b"# text"):
        bad.write_bytes(damaged)
        message = told(bad)
        assert message.startswith("b.parquet: not a Parquet file that can be read: "), message
        corpus = read_corpus(tmp_path / "set", skip_unreadable=True)
        assert len(corpus) == 3
        [unreadable] = corpus.unreadable
        assert "b.parquet: not a Parquet file" in unreadable
    assert fails("sweep", bad).startswith("chunkscope: ")


def test_without_polars_a_line_says_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path / "docs.parquet", **made(1))
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPartError, match=r"Parquet needs polars: pip install 'chunkscope\[parquet\]'$"):
        read_corpus(path)


def test_no_more_is_held_than_some_rows(tmp_path):
    rows = {"name": [str(n) for n in range(300)], "text": ["字" * 60] * 300}
    corpus = read_corpus(write(tmp_path / "docs.parquet", **rows))
    sizes = {block.n_rows for block in corpus.source.blocks}
    assert max(sizes) == 5, "of 60 characters each, 300 at once"


def test_a_field_that_records_do_not_have_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="records have no field 'body'"):
        read_corpus(write(tmp_path / "docs.parquet", **made(1)), fields={"body": "x"})
