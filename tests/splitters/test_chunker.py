"""A splitter as a way of cutting: its cells are what loops over its pieces count, and it runs once a document."""

from __future__ import annotations

import dataclasses
import json
import pickle
import sys
import textwrap
import zlib

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.spans import is_held

from chunkscope import Document, Question, as_chunker, check_labels, parse_chunker, sweep
from chunkscope.cli.program import program
from chunkscope.errors import ChunkscopeError
from chunkscope.grid.advice import NoAdvice
from chunkscope.retrieval import Bm25Retriever, RetrievalMeasure, RetrievalSettings
from chunkscope.splitters import chunker
from chunkscope.splitters.kept import KeptPieces, close_stores

TEXT = "# Rules\n\nThe limit is 12,000 yen a night. Claims come within three days.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
SOUND = {
    "spans": [[0, 3]], "kinds": [0], "own": {}, "owners": [], "prepended": [], "wrong_offsets": 0, "n_broken": 0
}  # fmt: skip
DOCUMENTS = [Document("a.md", TEXT), Document("b.md", "規程。宿泊費の上限は一泊一万二千円。申請は三日前まで。")]


def windows(text, chunk_size=20, chunk_overlap=0):
    """Windows with their white space stripped, as many splitters do."""
    step = chunk_size - chunk_overlap
    return [text[start : start + chunk_size].strip() for start in range(0, len(text), step)]


def spans_of(text, size, overlap=0):
    for start in range(0, len(text), size - overlap):
        piece = text[start : start + size]
        if piece.strip():
            begin = start + len(piece) - len(piece.lstrip())
            yield begin, begin + len(piece.strip())


@settings(max_examples=60, deadline=None)
@given(
    st.text("ab 。\nあ🎉か\u3099\r\t", min_size=1, max_size=60).filter(lambda text: text.strip()),
    st.integers(3, 12),
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 8)), min_size=1, max_size=5),
)
def test_what_a_splitter_splits_is_what_a_loop_over_its_pieces_finds(text, size, quotes):
    spans = list(spans_of(text, size))
    evidence = [(start, min(start + n, len(text))) for start, n in quotes if start < len(text)]
    asked = [
        Question.of(f"q{number}", doc="a.md", evidence=text[start:end], spans=[[start, end]])
        for number, (start, end) in enumerate(evidence)
        if text[start:end].strip()
    ]
    kept = [span for span in evidence if text[slice(*span)].strip()]
    result = sweep([Document("a.md", text)], asked, chunkers=[windows], sizes=[size], overlaps=[0], with_cuts=False)
    cell = result.cells[0]
    assert cell.pieces["not_found"] == 0
    # pieces that are alike may lie where another does; what they hold together is the same text
    if cell.pieces["exact"] == len(spans) and len({text[slice(*span)] for span in spans}) == len(spans):
        assert cell.split_evidence == sum(not is_held(spans, *one) for one in kept)


def test_a_grid_drives_size_and_overlap_and_each_document_is_split_once_a_setting():
    calls = []

    def counting(text, chunk_size, chunk_overlap=0):
        calls.append((text, chunk_size, chunk_overlap))
        return windows(text, chunk_size, chunk_overlap)

    result = sweep(DOCUMENTS, chunkers=[counting, "fixed"], sizes=[20, 40], overlaps=["0", "1/4"])
    assert [(cell.size, cell.overlap) for cell in result.cells if cell.pieces] == [(20, 0), (20, 5), (40, 0), (40, 10)]
    assert len(set(calls)) == 8


def test_lengths_and_chunks_are_those_of_the_pieces():
    cell = sweep(DOCUMENTS, chunkers=[windows], sizes=[20], overlaps=[0]).cells[0]
    pieces = [piece for document in DOCUMENTS for piece in windows(document.text)]
    assert (cell.chunks, cell.chunk_characters) == (len(pieces), sum(map(len, pieces)))
    assert cell.lengths.longest == max(map(len, pieces))


def test_pieces_are_kept_in_a_file_and_a_second_run_splits_nothing(tmp_path, monkeypatch):
    (tmp_path / "counted.py").write_text(
        "def lines(text):\n    with open('calls.txt', 'a') as file:\n        file.write('x' * (len(text) < 200))\n    return text.splitlines(True)\n"
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for document in DOCUMENTS:
        (tmp_path / "docs" / document.name).write_text(document.text, "utf-8", newline="")
    outputs = []
    for cache in ("kept.db", "kept.db", "other.db"):
        close_stores()
        done = CliRunner().invoke(
            program, ["sweep", "docs", "--chunker", "counted:lines", "--format", "json", "--cache", cache]
        )
        assert done.exit_code == 0, done.output
        outputs.append(done.stdout)
        sizes = len((tmp_path / "calls.txt").read_text())
    assert sizes == 2 * len(DOCUMENTS)
    assert outputs[0] == outputs[1] == outputs[2]


def test_a_row_is_with_its_header_where_the_splitter_repeats_it():
    header, row = "| a | b |\n|---|---|\n", "| 1 | 2 |\n"

    def with_header(text):
        before = text[: text.index(header)]
        return [before, header + row]

    def without(text):
        return [text[: text.index(row)], row]

    cells = sweep(DOCUMENTS[:1], chunkers=[with_header, without]).cells
    assert [cell.table_rows_with_header for cell in cells] == [1, 0]
    rows = Document("b.md", header + row + "| 3 | 4 |\n")
    repeated = sweep([rows], chunkers=[lambda text: [header + row, header + "| 3 | 4 |\n"]]).cells[0]
    assert repeated.table_rows_with_header == 2
    assert repeated.pieces["prepended"] == 1


def test_recall_ranks_the_own_text_of_pieces_and_judges_where_they_lie():
    asked = [Question.of("q1", "何日前まで", doc="b.md", evidence="申請は三日前まで")]
    about = "出張の申請について: "

    def contextual(text):
        cut = text.index("宿泊費")
        return [text[:cut], about + text[cut:]]

    measure = RetrievalMeasure(
        check_labels(DOCUMENTS, asked), [Bm25Retriever()], [as_chunker(contextual)], RetrievalSettings(k=(1,))
    )
    cell = sweep(DOCUMENTS[1:], asked, chunkers=[contextual], measures=[measure]).cells[0]
    assert cell.pieces["prepended"] == 1
    assert cell.retrieval[0]["strict"] == {"1": [1, 1]}
    assert cell.chunk_characters == len(DOCUMENTS[1].text) + len(about)


def raises(text):
    if "規程" in text:
        raise ValueError("no such page")
    return [text]


def test_a_document_that_cannot_be_split_is_named_the_others_go_on_and_nothing_is_advised():
    result = sweep(DOCUMENTS, chunkers=[raises])
    assert result.cells[0].chunks == 1
    [(name, reason)] = result.cells[0].failures
    assert name == "b.md"
    assert "ValueError: no such page" in reason
    assert isinstance(result.advice, NoAdvice)
    beside = sweep(DOCUMENTS, chunkers=[raises, "sentence"], sizes=[40], overlaps=[0])
    assert beside.advice.chunker == "sentence"


def test_pieces_of_another_document_are_found_nowhere_and_nothing_is_advised():
    result = sweep(DOCUMENTS, chunkers=[lambda text: ["nothing of the kind"]])
    assert result.cells[0].pieces["not_found"] == 2
    assert isinstance(result.advice, NoAdvice)
    assert "found nowhere" in result.advice.reason


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("textwrap:wrap", ("textwrap:wrap", None, 0)),
        ("textwrap:wrap(width=30)", ("textwrap:wrap", 30, 0)),
        ("textwrap:wrap(size=30)", ("textwrap:wrap", 30, 0)),
        ("textwrap:wrap(drop_whitespace=false)", ("textwrap:wrap(drop_whitespace=false)", None, 0)),
    ],
)
def test_a_splitter_is_spelt_as_it_is_read(spelling, expected):
    found = parse_chunker(spelling)
    assert (found.label, found.size, found.overlap) == expected
    assert parse_chunker(str(found)) == found


def test_other_processes_are_sent_a_splitter_by_its_name():
    found = parse_chunker("textwrap:wrap(width=30)")
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.is_portable
    assert not as_chunker(lambda text: [text], "whole").is_portable
    assert sweep(DOCUMENTS, chunkers=[lambda text: [text]], jobs=2).cells[0].chunks == 2


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: as_chunker(str.splitlines).at(20), "takes no size"),
        (lambda: as_chunker(textwrap.wrap).at(20, 5), "takes no overlap"),
        (lambda: sweep(DOCUMENTS, chunkers=[5]), "'int' is no chunker"),
        (lambda: parse_chunker("textwrap:wrap(prepend=nonsense)"), "cannot prepend 'nonsense'"),
        (lambda: parse_chunker("textwrap:nothing"), "has no 'nothing'"),
    ],
)
def test_what_a_splitter_does_not_take_is_told_in_a_line(make, told):
    with pytest.raises(ChunkscopeError) as caught:
        make()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_overlaps_are_skipped_for_what_takes_none():
    result = sweep(DOCUMENTS, chunkers=[textwrap.wrap], sizes=[30], overlaps=[0, 5])
    assert [(cell.size, cell.overlap) for cell in result.cells] == [(30, 0)]
    assert [pair.reason for _, _, pair in result.skipped] == ["textwrap:wrap takes no overlap"]


@pytest.fixture(autouse=True)
def forget_modules():
    """A splitter is loaded once a process; each test has its own."""
    yield
    chunker._loaded.cache_clear()
    close_stores()
    for name in ("mine", "counted"):
        sys.modules.pop(name, None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\ndef split(text):\n    return text.split('\\n\\n')\n"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(TEXT)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(program, [*arguments, "--no-cache"])


def test_a_configuration_runs_no_code_unless_it_is_allowed(folder):
    (folder / "chunkscope.toml").write_text('chunker = "mine:split"\n')
    done = run("sweep", "docs")
    assert done.exit_code == 2
    assert "chunkscope.toml" in done.stderr
    assert "--allow-code" in done.stderr
    assert not (folder / "ran").exists()
    allowed = run("sweep", "docs", "--allow-code", "--format", "json")
    assert allowed.exit_code == 0, allowed.stderr
    assert json.loads(allowed.stdout)["cells"][0]["chunker"] == "mine:split"


def test_what_is_typed_on_the_command_line_is_run(folder):
    for command in ("sweep", "check", "chunks"):
        done = run(command, "docs", "--chunker", "mine:split")
        assert done.exit_code == 0, done.output


def test_the_default_ways_can_stand_behind_a_splitter(folder):
    found = json.loads(run("sweep", "docs", "--chunker", "mine:split,default", "--format", "json").stdout)
    names = list(dict.fromkeys(cell["chunker"] for cell in found["cells"]))
    assert names[0] == "mine:split"
    assert {"fixed", "sentence", "recursive"} <= set(names)


def test_chunks_of_a_splitter_have_its_texts(folder):
    rows = [json.loads(line) for line in run("chunks", "docs", "--chunker", "mine:split").stdout.splitlines()]
    assert [row["index_text"] for row in rows] == TEXT.split("\n\n")
    assert all(TEXT[row["start"] : row["end"]] == row["text"] for row in rows)


def test_failures_end_with_status_2_and_the_report_is_written(folder):
    (folder / "mine.py").write_text("def split(text):\n    return None\n")
    done = run("sweep", "docs", "--chunker", "mine:split")
    assert done.exit_code == 2
    assert "a.md: mine:split" in done.stderr
    assert "mine:split" in done.stdout


def test_what_is_counted_in_units_of_its_own_has_no_evidence_longer_than_its_size():
    def by_words(text, words_per_chunk):
        words = text.split(" ")
        return [" ".join(words[n : n + words_per_chunk]) for n in range(0, len(words), words_per_chunk)]

    asked = [Question.of("q1", doc="a.md", evidence="The limit is 12,000 yen a night")]
    cell = sweep(DOCUMENTS, asked, chunkers=[by_words], sizes=[4], overlaps=[0]).cells[0]
    assert cell.evidence_longer_than_size is None
    assert (cell.unit, cell.oversize_chunks, cell.split_questions) == ("units of its own", 0, 1)
    assert np.isfinite(cell.lengths.mean)


def test_pieces_that_are_found_nowhere_are_chunks_without_a_place(folder):
    (folder / "mine.py").write_text("def split(text):\n    return [text[:20], 'nothing of the kind', text[20:]]\n")
    rows = [json.loads(line) for line in run("chunks", "docs", "--chunker", "mine:split").stdout.splitlines()]
    assert [(row["start"], row["end"]) for row in rows] == [(0, 20), (None, None), (20, len(TEXT))]
    assert [row["index_text"] for row in rows] == [TEXT[:20], "nothing of the kind", TEXT[20:]]


@pytest.mark.parametrize("command", ["sweep", "check", "chunks", "show"])
def test_a_document_that_cannot_be_split_ends_every_command_with_status_2(folder, command):
    (folder / "mine.py").write_text("def split(text):\n    if 'yen' in text:\n        return 5\n    return [text]\n")
    (folder / "docs" / "b.md").write_text("Another page.\n")
    done = run(command, "docs/a.md" if command == "show" else "docs", "--chunker", "mine:split")
    assert done.exit_code == 2
    assert "a.md: mine:split: it gives 5, not a list of pieces" in done.stderr
    assert ("Another page." in done.stdout) == (command == "chunks")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def split(text, chunk_size):\n    return text.split('\\n\\n')\n", "it seems to ignore its size"),
        (
            "from itertools import count\nnumbers = count(5)\n"
            "def split(text):\n    n = next(numbers)\n    return [text[:n], text[n:]]\n",
            "gives other pieces when it is asked again",
        ),
    ],
)
def test_doubts_about_a_splitter_are_told(folder, code, told):
    (folder / "mine.py").write_text(code)
    done = run("sweep", "docs", "--chunker", "mine:split", "--sizes", "50", "--overlaps", "0")
    assert done.exit_code == 0, done.stderr
    assert told in done.stderr


def test_what_is_kept_of_a_splitter_is_shown_and_deleted(folder):
    arguments = ["sweep", "docs", "--chunker", "mine:split", "--cache", "kept.db"]
    assert CliRunner().invoke(program, arguments).exit_code == 0
    close_stores()
    shown = CliRunner().invoke(program, ["cache", "info", "--cache", "kept.db"])
    assert "mine:split: 1 document split" in shown.stdout
    cleared = CliRunner().invoke(program, ["cache", "clear", "--yes", "--cache", "kept.db"])
    assert "0 vectors and 1 document split deleted" in cleared.stdout
    assert "mine:split" not in CliRunner().invoke(program, ["cache", "info", "--cache", "kept.db"]).stdout


PAGES = [
    Document(
        "a.md", TEXT + "\n## Rates\n\nSee the table.\n\n| grade | limit |\n|---|---|\n| A | 12 |\n| B | 15 |\n\nEnd."
    ),
    Document(
        "b.md",
        "---\nstatus: abolished\n---\n# 規程\n\n宿泊費の上限は一泊一万二千円。\n\n| 区分 | 額 |\n|---|---|\n| 甲 | 9 |\n",
    ),
]
ASKED = [
    Question.of("q1", "grade B limit", doc="a.md", evidence="| B | 15 |"),
    Question.of("q2", "甲の額", doc="b.md", evidence="| 甲 | 9 |"),
    Question.of("q3", "宿泊費の上限", doc="b.md", evidence="上限は一泊一万二千円"),
]
OF_PIECES_ALONE = {"chunker", "pieces", "failures", "expected_split_questions", "expected_split_evidence"}


@pytest.mark.parametrize("prepend", [(), ("table-header",), ("headings", "table-header"), ("front-matter:status",)])
@pytest.mark.parametrize("ours", ["fixed", "sentence"])
def test_what_a_splitter_gives_counts_and_ranks_as_the_same_chunks_of_ours(ours, prepend):
    def same(text, size, overlap=0):
        return parse_chunker(ours).at(size, overlap).spans(Document("x.md", text)).tolist()

    def found(chunker):
        measure = RetrievalMeasure(
            check_labels(PAGES, ASKED), [Bm25Retriever()], [chunker], RetrievalSettings(k=(1, 2))
        )
        result = sweep(
            PAGES, ASKED, chunkers=[chunker], sizes=[30, 60], overlaps=[0, 10], measures=[measure],
            count_tokens="cl100k_base" if not prepend else None,
        )  # fmt: skip
        cells = [cell.to_dict() for cell in result.cells]
        return [{name: value for name, value in cell.items() if name not in OF_PIECES_ALONE} for cell in cells]

    theirs = dataclasses.replace(as_chunker(same, "same", unit="char"), prepend=prepend)
    of_ours, of_theirs = found(dataclasses.replace(parse_chunker(ours), prepend=prepend)), found(theirs)
    for one, other in zip(of_ours, of_theirs, strict=True):
        one.pop("tokens", None), other.pop("tokens", None)  # a piece is counted by itself
        if ours == "fixed":  # and half a word is a word of its own text
            one.pop("retrieval"), other.pop("retrieval")
        assert one == other


@pytest.mark.parametrize(
    "entry",
    [
        b"no zlib",
        zlib.compress(b"[1, 2]"),
        zlib.compress(b"[" * 100_000),
        *(
            zlib.compress(json.dumps({**SOUND, **change}).encode())
            for change in (
                {"spans": [[0, 900]]}, {"spans": [[5, 2]]}, {"spans": [[0, 10**30]]}, {"spans": "abc"}, {"kinds": [9]},
                {"kinds": [0, 0]}, {"owners": None}, {"owners": [7], "prepended": [[0, 1]]}, {"own": [1]}, {"own": {"x": "y"}},
            )
        ),
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_is_a_miss(entry):
    document, kept = Document("a.md", "ten chars."), KeptPieces(None, "test", ["hostile"])
    kept._store.put_many("splitter:test", [kept._key(document)], [entry])
    assert kept.get([document]) == [None]
    kept._store.put_many("splitter:test", [kept._key(document)], [zlib.compress(json.dumps(SOUND).encode())])
    assert kept.get([document])[0].texts == ["ten"]


@pytest.mark.parametrize("command", ["sweep", "check", "chunks", "inspect"])
def test_an_object_that_is_made_already_keeps_its_size_in_every_command(folder, command):
    (folder / "mine.py").write_text(
        "class Fixed:\n    chunk_size, chunk_overlap = 30, 5\n    def split_text(self, text):\n"
        "        return [text[n : n + 30] for n in range(0, len(text), 25)]\nmade = Fixed()\n"
    )
    done = run(command, "docs", "--chunker", "mine:made") if command != "inspect" else run_inspect("mine:made")
    assert done.exit_code == 0, done.output
    made = parse_chunker("mine:made")
    assert (made.size, made.overlap) == (30, 5)
    with pytest.raises(ChunkscopeError, match="fixed at 5"):
        made.at(30, 6)


def run_inspect(chunker):
    return CliRunner().invoke(program, ["inspect", "docs", "--chunker", chunker])


def test_a_splitter_is_tried_out_once(folder):
    (folder / "mine.py").write_text(
        "def split(text, chunk_size):\n    if len(text) > 200:\n        with open('tried', 'a') as file:\n"
        "            file.write('x')\n    return text.split('\\n\\n')\n"
    )
    arguments = ["sweep", "docs", "--chunker", "mine:split", "--sizes", "50", "--overlaps", "0", "--cache", "kept.db"]
    first = CliRunner().invoke(program, arguments)
    n_tried = len((folder / "tried").read_text())
    close_stores()
    second = CliRunner().invoke(program, arguments)
    assert len((folder / "tried").read_text()) == n_tried > 0
    assert all("it seems to ignore its size" in done.stderr for done in (first, second))


def test_the_word_for_the_default_ways_means_those_of_the_documents(folder):
    (folder / "docs" / "b.md").write_text("規程。宿泊費の上限は一泊一万二千円。" * 9, "utf-8")
    found = json.loads(run("sweep", "docs", "--chunker", "mine:split,default", "--format", "json").stdout)
    assert "recursive(separators=cjk)" in {cell["chunker"] for cell in found["cells"]}


@pytest.mark.parametrize(
    ("spelling", "shown"),
    [
        ("mine:split", "units of its own"), ("mine:split(unit=char)", "char"), ("mine:split(unit=cl100k_base)", "cl100k_base"),
        ("langchain:recursive", "char"), ("langchain:recursive(unit=cl100k_base)", "cl100k_base"),
        ("langchain_text_splitters:RecursiveCharacterTextSplitter", "char"), ("langchain:token", "cl100k_base"),
        ("haystack:word", "words between spaces"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("folder")
def test_sizes_count_what_is_known_or_asked_for(spelling, shown):
    found = parse_chunker(spelling)
    assert found.shown_unit == shown
    assert parse_chunker(str(found)) == found
    assert pickle.loads(pickle.dumps(found)) == found


def test_an_object_counts_what_is_asked_for():
    assert as_chunker(windows).shown_unit == "units of its own"
    assert as_chunker(windows).in_unit("char").shown_unit == "char"
    assert as_chunker(windows, unit="cl100k_base").shown_unit == "cl100k_base"
