"""An index that is there already is read as it is, and judged by where its chunks lie."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars
import pytest
from command_line import put
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, labels_of, questions_of

from chunkscope import Document, list_chunks, sweep
from chunkscope.errors import ChunkscopeError, InputError, MissingPartError
from chunkscope.grid.notation import Grid
from chunkscope.splitters import dump
from chunkscope.splitters.dump import DumpChunker, place_rows, read_dump
from chunkscope.splitters.dump_fields import Fields
from chunkscope.splitters.dump_names import match_names

OF_THE_CUTTER = {
    *("chunker", "unit", "size", "overlap", "pieces", "failures", "oversize_chunks", "evidence_longer_than_size"),
    *("expected_split_questions", "expected_split_evidence", "harmed_questions"),
}
"""What an index does not know of what has cut it."""
OF_TORN_WINDOWS = {"broken_chunks", "cuts", "blank_chunks", "chunk_chars", "status_chunks", "unmarked_chunks"}
"""Where tokens tear characters: a window without a whole one is an empty text."""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path, rows) -> str:
    Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def chunks(document: Document, *texts: str, **more) -> list[dict]:
    return [{"document": document.name, "text": text, **more} for text in texts]


RULES = Document("rules.md", "# 旅費\n\n宿泊費の上限は12,000円とする。\n\n日当は2,000円とする。\n")


# --- What chunkscope writes ---


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=st.data())
def test_chunks_that_were_written_count_as_those_of_their_chunker(world, tmp_path):
    corpus = world.draw(corpora())
    chunker = world.draw(chunkers())
    asked = labels_of(world.draw(questions_of(corpus)))
    rows = [row.to_dict() for row in list_chunks(corpus, chunker)]
    if not rows:
        return
    index = DumpChunker(path=write(tmp_path / "chunks.jsonl", rows))
    given_to = asked if asked.valid else None
    [own], [theirs] = (
        sweep(corpus, given_to, chunkers=Grid.of_cells([one])).to_dict()["cells"] for one in (chunker, index)
    )
    left_out = OF_THE_CUTTER | (OF_TORN_WINDOWS if chunker.counts_raw_tokens else set())
    # what white space was stripped, and which separators were dropped, is told by what is left alone
    left_out |= {"cuts"} if chunker.name == "recursive" else set()
    assert {name: found for name, found in theirs.items() if name not in left_out} == {
        name: found for name, found in own.items() if name not in left_out
    }


def test_rows_that_were_written_are_the_pieces(here):
    rows = [row.to_dict() for row in list_chunks([RULES], "sentence(size=20, prepend=headings)")]
    index = DumpChunker(path=write("chunks.jsonl", rows))
    [pieces] = index.pieces_of([RULES])
    assert pieces.texts == [row["index_text"] for row in rows]
    assert pieces.spans.tolist() == [[row["start"], row["end"]] for row in rows]
    assert pieces.prepended.tolist() == [span for row in rows for span in row["prepended"]]
    assert pieces.ids == tuple(f"rules.md#{number}" for number in range(len(rows)))
    assert pieces.counted()["exact"] == len(rows)
    assert not index.strips(RULES, pieces)


# --- Formats and fields ---


def test_a_table_says_the_same_as_lines(here):
    rows = chunks(RULES, "宿泊費の上限は12,000円とする。", "日当は2,000円\nとする。", start=6, id="x")
    rows[1] |= {"start": None, "id": "y"}
    put("lines.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    with open("table.csv", "w", newline="", encoding="utf-8-sig") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    polars.DataFrame(rows).with_columns(vector=[[0.5, 1.0]] * 2).write_parquet("table.parquet")
    read = [read_dump(name).documents for name in ("lines.jsonl", "table.csv", "table.parquet")]
    # a quoted line end makes a row of CSV end later
    assert [[row._replace(number=0) for row in one["rules.md"]] for one in read] == [
        [row._replace(number=0) for row in read[0]["rules.md"]]
    ] * 3
    assert [row.number for row in read[2]["rules.md"]] == [1, 2]


@pytest.mark.parametrize(
    "record",
    [
        {"page_content": "one", "metadata": {"source": "a.md", "start_index": 4}},
        {"id_": "7", "text": "one", "metadata": {"file_path": "a.md"}, "start_char_idx": 4, "end_char_idx": 7},
        {"id": "7", "content": "one", "meta": {"file_path": "a.md", "split_idx_start": 4}},
        {"id": "7", "document": "one", "metadata": {"source": "a.md", "start": 4}},
        {"id": "7", "document": "one", "cmetadata": '{"source": "a.md", "start": 4}'},
        {"id": 7, "payload": {"page_content": "one", "metadata": {"source": "a.md", "start": 4}}},
        {"_id": "7", "_source": {"text": "one", "path": "a.md", "start": "4"}},
        {"metadata.source": "a.md", "text": "one", "start": 4.0},
    ],
    ids=["LangChain", "LlamaIndex", "Haystack", "Chroma", "PostgreSQL", "Qdrant", "Elasticsearch", "flat"],
)
def test_fields_are_known_by_the_names_that_others_give_them(record):
    found = Fields({}).read(record)
    assert (found["document"], found["text"], int(found["start"])) == ("a.md", "one", 4)
    assert str(found.get("id", "7")) == "7"


def test_fields_can_be_named(here):
    path = write("odd.jsonl", [{"x": {"where": "a.md"}, "body": "ab", "said": "a", "text": "no"}])
    fields = {"document": "x.where", "text": "said", "index_text": "body"}
    [row] = read_dump(path, fields).documents["a.md"]
    assert (row.text, row.index_text) == ("a", "ab")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "chunks.jsonl: holds no chunks"),
        ("\n\n", "chunks.jsonl: holds no chunks"),
        ('["a"]\n', "chunks.jsonl:1: not a JSON object, but a list"),
        ("{\n", "chunks.jsonl:1: not JSON: "),
        (
            '{"text": "a"}\n',
            "chunks.jsonl:1: no field with the name of its document; there are 'text'; say which with ",
        ),
        (
            '{"doc": "a"}\n',
            "chunks.jsonl:1: no field with the text; there are 'doc'; say which with --chunk-field text=",
        ),
        ("{}\n", "chunks.jsonl:1: no field with the name of its document; there is none; say which with "),
        ('{"doc": "a", "text": null}\n', "chunks.jsonl:1: the text must be a string, not null"),
        ('{"doc": "", "text": "a"}\n', "chunks.jsonl:1: the document has no name"),
        ('{"doc": ["a"], "text": "a"}\n', "chunks.jsonl:1: the document must be a string, not a list"),
        ('{"doc": "a", "text": "a", "id": 1.5}\n', "chunks.jsonl:1: the id must be a string, not a number"),
        (
            '{"doc": "a", "text": "a", "id": 1}\n\n{"doc": "b", "text": "b", "id": "1"}\n',
            "chunks.jsonl:3: id '1' stands twice; it is in chunks.jsonl:1 too",
        ),
        ("旅費".encode("cp932"), "chunks.jsonl: byte 0 is not utf-8; write it in UTF-8"),
    ],
)
def test_what_is_no_dump_is_told_in_a_line(here, content, told):
    put("chunks.jsonl", content)
    with pytest.raises(InputError) as error:
        read_dump("chunks.jsonl")
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("c.csv", "", "c.csv: holds no chunks"),
        ("c.csv", "doc,text\n", "c.csv: holds no chunks"),
        ("c.csv", "doc,text\na,b,c\n", "c.csv:2: 3 columns, not 2 as in the first line"),
        ("c.csv", "doc,doc\na,b\n", "c.csv:1: a column stands twice: 'doc'"),
        ("c.csv", 'doc,text\na,"b\n', "c.csv:2: not CSV: unexpected end of data"),
        ("c.csv", "doc,text\nあ,い\n".encode("cp932"), "c.csv: behind line 1 it is not utf-8; write it in UTF-8"),
        ("c.parquet", "doc,text\n", "c.parquet: not a Parquet file"),
        ("c.parquet", b"PAR1" + bytes(40) + b"PAR1", "c.parquet: not a Parquet file that can be read: "),
        ("c.parquet", b"PAR1", "c.parquet: not a Parquet file that can be read: "),
    ],
)
def test_what_is_no_table_is_told_in_a_line(here, name, content, told):
    put(name, content)
    with pytest.raises(ChunkscopeError) as error:
        read_dump(name)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


def test_files_that_are_none(here):
    with pytest.raises(InputError, match=r"^no\.jsonl: no such file or folder$"):
        read_dump("no.jsonl")
    with pytest.raises(InputError, match="is no regular file"):
        read_dump(".")
    with pytest.raises(InputError, match=r"^gone\.jsonl: no such file"):
        DumpChunker(path="gone.jsonl").pieces_of([RULES])


def test_parquet_without_its_reader(here, monkeypatch):
    put("c.parquet", b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(
        MissingPartError, match=r"c\.parquet: Parquet needs polars: pip install 'chunkscope\[parquet\]'"
    ):
        read_dump("c.parquet")


# --- Where chunks lie ---


def test_wrong_offsets_are_counted_and_never_believed(here):
    offsets = [(0, 3), (4, 7), (-1, 2), (3, None), ("x", "y"), (1.5, 2), (10**30, 0), (True, 2), (None, None)]
    rows = [{"doc": "a.md", "text": "one", "start": start, "end": end} for start, end in offsets]
    index = DumpChunker(path=write("chunks.jsonl", rows))
    [pieces] = index.pieces_of([Document("a.md", "one two")])
    assert pieces.spans.tolist() == [[0, 3]] * len(rows)
    assert pieces.wrong_offsets == len(rows) - 2


def test_chunks_come_in_the_order_of_their_numbers_or_offsets_or_of_the_file(here):
    text = Document("a.md", "x one x two x")
    ones = [{"doc": "a.md", "text": one} for one in ("two", "x", "one", "x")]
    numbered = [one | {"index": number} for one, number in zip(ones, (4, 3, 2, 1), strict=True)]
    placed = [one | {"start": start} for one, start in zip(ones, (8, 6, 2, 0), strict=True)]
    for rows, texts in (
        (numbered, ["x", "one", "x", "two"]),
        (placed, ["x", "one", "x", "two"]),
        (ones, ["two", "x", "one", "x"]),
    ):
        [pieces] = DumpChunker(path=write("chunks.jsonl", rows)).pieces_of([text])
        assert pieces.texts == texts
        Path("chunks.jsonl").unlink()
    [pieces] = DumpChunker(path=write("numbered.jsonl", numbered)).pieces_of([text])
    assert pieces.numbers.tolist() == [1, 2, 3, 4]
    assert pieces.ids == ("a.md#1", "a.md#2", "a.md#3", "a.md#4")
    assert pieces.spans.tolist() == [[0, 1], [2, 5], [6, 7], [8, 11]]


def test_index_texts_are_measured_and_what_they_repeat_counts_as_in_front(here):
    table = "# 料金\n\n| 品 | 円 |\n|---|---|\n| 茶 | 120 |\n| 菓子 | 80 |\n"
    document = Document("a.md", table)
    cut = table.index("| 菓子")
    rows = [
        {"doc": "a.md", "text": table[:cut]},
        {"doc": "a.md", "text": table[cut:], "index_text": f"From the price list.\n| 品 | 円 |\n{table[cut:]}"},
    ]
    index = DumpChunker(path=write("chunks.jsonl", rows))
    [pieces] = index.pieces_of([document])
    assert pieces.texts[1] == rows[1]["index_text"]
    assert [table[start:end] for start, end in pieces.prepended.tolist()] == ["| 品 | 円 |"]
    [cell] = sweep([document], chunkers=index).cells
    assert (cell.table_rows, cell.table_rows_with_header) == (2, 2)


def test_a_header_that_only_seems_to_stand_in_front_is_not_believed(here):
    rows = [{"doc": "a.md", "text": "two", "index_text": "uno two", "prepended": [[0, 3], ["x"], 5]}]
    [pieces] = DumpChunker(path=write("chunks.jsonl", rows)).pieces_of([Document("a.md", "one two")])
    assert pieces.prepended.tolist() == []


# --- Which documents are meant ---


@pytest.mark.parametrize(
    ("indexed", "names", "found", "orphaned"),
    [
        (["a.md", "x.md"], ["a.md", "b.md"], {"a.md": "a.md"}, ("x.md",)),
        (["cafe\u0301.md"], ["caf\u00e9.md"], {"caf\u00e9.md": "cafe\u0301.md"}, ()),
        (["./docs/a.md", "/srv/docs/b/a.md"], ["a.md", "b/a.md"], {"a.md": "./docs/a.md", "b/a.md": "/srv/docs/b/a.md"}, ()),
        (["C:\\docs\\b\\a.md", "file:///x/docs/a.md"], ["a.md", "b/a.md"], {"b/a.md": "C:\\docs\\b\\a.md", "a.md": "file:///x/docs/a.md"}, ()),
        (["old/a.md"], ["a.md"], {}, ("old/a.md",)),
        (["docs/a.md"], ["docs/a.md", "a.md"], {"docs/a.md": "docs/a.md"}, ()),
    ],
)  # fmt: skip
def test_documents_are_known_by_their_names(here, indexed, names, found, orphaned):
    Path("docs").mkdir()
    matching = match_names(indexed, names, "docs")
    assert (matching.names, matching.orphaned, matching.doubts) == (found, orphaned, ())


@pytest.mark.parametrize(
    ("indexed", "names", "told"),
    [
        (["a.md", "/srv/docs/a.md"], ["a.md"], "'/srv/docs/a.md' in the index may be a.md, which is there as 'a.md'; "),
        (["/x/docs/a.md", "/y/docs/a.md"], ["a.md"], "'/x/docs/a.md' in the index may be a.md, as may /y/docs/a.md; "),
        (["e\u0301\u0323"], ["\u00e9\u0323", "\u1eb9\u0301"], "'e\u0301\u0323' in the index may be \u00e9\u0323, \u1eb9\u0301; "),
    ],
)  # fmt: skip
def test_names_that_may_be_several_are_told_and_not_guessed(here, indexed, names, told):
    Path("docs").mkdir()
    matching = match_names(indexed, names, "docs")
    assert set(matching.names.values()) <= {"a.md"}
    assert matching.orphaned
    assert matching.doubts[0].startswith(told)


def test_an_index_of_other_documents_is_none(here):
    index = DumpChunker(path=write("chunks.jsonl", chunks(RULES, "a")))
    with pytest.raises(InputError, match=r"chunks\.jsonl: an index of other documents: 'rules\.md'; here are 'a\.md'"):
        index.for_corpus(["a.md"], "docs")


def test_an_index_is_placed_once_for_all_looks_at_a_document(tmp_path, monkeypatch):
    placed = []
    monkeypatch.setattr(dump, "place_rows", lambda *given: placed.append(1) or place_rows(*given))
    path = write(tmp_path / "chunks.jsonl", [{"document": RULES.name, "text": RULES.text}])
    sweep([RULES], chunkers=[DumpChunker(path=path)])
    assert len(placed) == 1
