"""What an inspection counts is what loops over the pieces find; its places are there; people can read it."""

from __future__ import annotations

import itertools
import json

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.inspection import count_pieces
from strategies import markdown_texts, texts

from chunkscope import Document, as_chunker, parse_chunker
from chunkscope.cli.program import program
from chunkscope.language import in_language
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.inspection_text import HOW, render_inspection
from chunkscope.reports.width import width
from chunkscope.splitters.dump import DumpChunker
from chunkscope.splitters.inspection import MOST_REASONS, PROBLEMS, inspect_pieces
from chunkscope.splitters.look import Look
from chunkscope.splitters.reasons import REASONS, why_not_found
from chunkscope.splitters.texts import Texts
from chunkscope.structure.analysis import DocumentAnalysis

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| a teapot of blue glass | 4 |\n"
TEXT = f"# Rules\n\nThe limit is 12,000 yen. Claims come in three days.\n\n{TABLE}\n宿泊費の上限は一泊一万二千円。The end.\n"


def place_of(words):
    return TEXT.index(words), TEXT.index(words) + len(words)


def troubled(text, chunk_size=40):
    """Everything that can be wrong with a piece."""
    start, end = place_of("The limit is 12,000 yen.")
    return [
        (text[:7], 0, 7),
        (text[start:end], start + 1, end + 1),
        ("limit  is\t12,000", -1, 15),
        "| a | b |\n|---|---|\n| a teapot of blue glass | 4 |",
        "宿泊費の上限は一泊一\ufffd",
        "Claims come in three weeks, or never at all, as others say elsewhere.",
        "",
        " \n",
    ]


def one(document, chunker, n_places=3):
    return inspect_pieces([document], chunker, n_places)


def test_what_is_wrong_is_counted_and_shown_where_it_is():
    found = one(Document("a.md", TEXT), as_chunker(troubled, "troubled", unit="char").at(40))
    expected = {
        **{"pieces": 8, "exact": 2, "normalised": 2, "prepended": 1, "not_found": 1, "empty": 2},
        **{"repeating": 1, "foreign": 0, "claimed": 3, "wrong_offsets": 2, "inside": 1, "oversize": 2},
        **{"broken": 1, "blank": 2, "tables": 1, "rows": 2, "cut_tables": 1, "header_lost": 1, "ambiguous": 0},
    }
    assert {code: found.counts[code] for code in expected} == expected
    assert found.changes == {"broken characters": 1, "tabs": 1, "white space": 1}
    assert found.places["wrong_offsets"][0].claimed == (place_of("The limit")[0] + 1, place_of(" yen.")[1] + 1)
    assert [(one.line, one.column) for one in found.places["wrong_offsets"]] == [(3, 1), (3, 5)]
    assert found.places["not_found"][0].span is None
    assert found.places["header_lost"][0].text == "| 1 | 2 |"
    assert "\ufffd" in found.places["broken"][0].text
    for place in itertools.chain.from_iterable(found.places.values()):
        if place.span is not None and place.number is None:
            assert TEXT[slice(*place.span)].startswith(place.text)


@st.composite
def cuts(draw):
    """A text, and pieces of it with true, false and no offsets, foreign and torn ones among them."""
    text = draw(st.one_of(markdown_texts(12), texts(20), st.just(TEXT)))
    spans = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    pieces = []
    for start, end in draw(st.lists(spans, max_size=6)):
        own = text[start:end] + draw(st.sampled_from(["", "", "", "\ufffd", " "]))
        claim = draw(st.sampled_from([None, None, (start, end), (start + 1, end), (-1, 5)]))
        pieces.append(own if claim is None else (own, *claim))
    return text, [*pieces, *draw(st.lists(st.sampled_from(["", " ", "zzzyx", "\ufffd"]), max_size=2))]


@settings(max_examples=150, deadline=None)
@given(cuts(), st.integers(1, 30))
def test_counts_are_those_of_loops_over_the_pieces(made, size):
    text, pieces = made
    document = Document("a.md", text)

    def given_pieces(text, chunk_size):
        return pieces

    chunker = as_chunker(given_pieces, "given", unit="char").at(size)
    look, found = Look.at(document, chunker), one(document, chunker)
    spans = [tuple(span) if span[0] < span[1] else None for span in look.pieces.spans.tolist()]
    repeated = [[] for _ in spans]
    for owner, span in zip(look.pieces.owners.tolist(), look.pieces.prepended.tolist(), strict=True):
        repeated[owner].append(tuple(span))
    claims = [None if piece.start is None else (piece.start, piece.end) for piece in look.raw]
    rows = zip([piece.text for piece in look.raw], spans, claims, repeated, strict=True)
    expected = count_pieces(text, DocumentAnalysis(document).tables, list(rows), size)
    assert {code: found.counts[code] for code in expected} == expected
    kinds = [found.counts[kind] for kind in ("exact", "normalised", "prepended", "not_found", "empty")]
    assert sum(kinds) == found.counts["pieces"]
    assert found.counts["wrong_offsets"] == look.pieces.wrong_offsets
    assert found.counts["broken"] == look.pieces.n_broken
    assert set(found.places) <= set(PROBLEMS)
    assert all(len(found.places[code]) == min(3, found.counts[code]) for code in found.places)


@pytest.mark.parametrize(
    "spelling", ["fixed(size=9, overlap=4)", "sentence(size=30)", "heading", "token(size=1, raw=true)"]
)
def test_chunkers_of_our_own_are_exact(spelling):
    chunker = parse_chunker(spelling)
    if chunker.unit != "char":
        pytest.importorskip("tiktoken")
    found = one(Document("a.md", f"{TEXT}鮪🎉"), chunker)
    assert found.counts["exact"] == found.counts["pieces"] > 0 or chunker.name == "token"
    assert found.counts["normalised"] == found.counts["not_found"] == found.counts["ambiguous"] == 0
    assert (found.counts["broken"] > 0) == (chunker.name == "token")
    assert found.is_deterministic is None


def test_a_size_of_its_own_is_kept_and_stated():
    def own(text, chunk_size=12, chunk_overlap=3):
        return [text[start : start + chunk_size + 1] for start in range(0, len(text), chunk_size)]

    found = one(Document("a.md", "abcdefghijklmnopqrstuvwxyz"), as_chunker(own, "own", unit="char"))
    assert (found.size, found.overlap, found.counts["oversize"]) == (12, 3, 2)


def test_what_ignores_its_size_or_throws_dice_is_told():
    state = itertools.count()

    def deaf(text, chunk_size):
        return text.splitlines()

    def dice(text):
        return [text[: next(state) % 7 + 1]]

    document = Document("a.md", TEXT)
    assert one(document, as_chunker(deaf, "deaf").at(9)).ignores_size
    found = one(document, as_chunker(dice, "dice"))
    assert found.is_deterministic is False
    assert "not deterministic" in render_inspection(found, ReportOptions())


def test_why_a_piece_is_nowhere_is_asked_for_some():
    texts = Texts(TEXT)
    assert why_not_found(texts, "\ufffd\ufffd") == REASONS[0]
    assert why_not_found(texts, "The limit is in three days.") == REASONS[1]
    assert why_not_found(texts, "The limit is 12,000 yeti.") == REASONS[2]
    assert why_not_found(texts, "Quizzical owls hoot") == REASONS[3]
    lost = [f"owl {number} hoots" for number in range(MOST_REASONS + 9)]
    found = one(Document("a.md", TEXT), as_chunker(lambda text: lost))
    assert (found.counts["not_found"], sum(found.reasons.values())) == (MOST_REASONS + 9, MOST_REASONS)
    assert set(REASONS) <= set(HOW)


def test_every_change_has_its_words():
    from chunkscope.splitters.changes import changes

    for one, other in (("a\r\nb", "a\nb"), ("a\tb", "ab"), ("か\u3099", "が"), ("Ａ", "A"), ("a.", "a"), ("A", "a")):
        assert all(what in HOW for what in changes(one, other)), (one, other)


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("columns", [60, 80])
def test_a_report_fits_on_the_screen_and_speaks_the_language(lang, columns):
    document = Document("a/long/path/of/a/document/with/a/name/rules.md", TEXT)
    failing = as_chunker(troubled, "troubled", unit="char").at(40)
    found = one(document, failing)
    lines = render_inspection(found, ReportOptions(width=columns, lang=lang)).splitlines()
    assert max(map(width, lines)) <= columns
    assert ("壊れた文字" if lang == "ja" else "broken characters") in "\n".join(lines)
    assert in_language(HOW["white space"], lang) == ("空白" if lang == "ja" else "white space")


OWN = """
def lines(text, chunk_size=100):
    if "bad" in text:
        raise ValueError("no such page")
    return text.splitlines()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cutting_lines.py").write_text(OWN, "utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "good.md").write_text(TEXT, "utf-8", newline="")
    return tmp_path


def run(*words):
    return CliRunner().invoke(program, ["inspect", "docs", *words])


@pytest.mark.usefixtures("folder")
def test_the_command_looks_at_several():
    done = run("-c", "cutting_lines:lines,fixed,sentence(size=60)", "--size", "50", "--quiet")
    assert done.exit_code == 0, done.output
    assert [line for line in done.stdout.splitlines() if "(size=" in line] == [
        *("cutting_lines:lines(size=50)", "fixed(size=50)", "sentence(size=60)")
    ]
    assert "It ignores its size" in done.stdout


def test_json_has_it_all_and_a_failure_ends_with_2(folder):
    (folder / "docs" / "worse.md").write_text("bad", "utf-8")
    done = run("-c", "cutting_lines:lines", "--format", "json", "--places", "1")
    assert done.exit_code == 2
    assert "1 of 2 documents could not be split" in done.stderr
    record = json.loads(done.stdout)
    [found] = record["inspections"]
    assert (record["format"], found["size"], found["documents"]) == (1, 100, 2)
    assert found["failures"][0]["document"] == "worse.md"
    assert "no such page" in found["failures"][0]["reason"]
    assert all(len(places) <= 1 for places in found["places"].values())
    assert "worse.md: cutting_lines:lines fails" in run("-c", "cutting_lines:lines").stdout


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-c", "fixed"], "needs a size"),
        (["-c", "cutting_lines:nothing"], "nothing"),
        (["-c", "cutting_lines:lines", "--overlap", "5"], "overlap 5 needs a size"),
        (["-c", "cutting_lines:lines", "--places", "-1"], "--places"),
    ],
)
def test_what_cannot_be_meant_is_told_in_a_line(words, told):
    done = run(*words)
    assert done.exit_code == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


JAPANESE = "".join(
    f"第{n}条 宿泊費の上限は一泊{n}万二千円とし、申請は{n}日前までに行う。鮪と鰹は経費に含めない。\n" for n in range(40)
)


def test_token_windows_of_langchain_lose_offsets_and_tear_characters():
    """An offset is looked for as the text of the piece, which is not there where a character is torn."""
    pytest.importorskip("langchain_text_splitters")
    chunker = parse_chunker("langchain:token(add_start_index=True, size=128, overlap=16)")
    found = one(Document("a.md", JAPANESE), chunker)
    n = found.counts["pieces"]
    assert found.counts["claimed"] == n
    assert found.counts["not_found"] == 0
    assert found.counts["normalised"] == found.counts["broken"] == found.changes["broken characters"]
    assert (n, found.counts["broken"], found.counts["wrong_offsets"]) == (21, 10, 10)


def test_a_splitter_that_splits_nothing_has_a_report(folder):
    (folder / "cutting_none.py").write_text("def split(text):\n    return None\n", "utf-8")
    done = run("-c", "cutting_none:split")
    assert done.exit_code == 2
    assert "could not be split" in done.stderr
    assert ["pieces", "0"] in [line.split() for line in done.stdout.splitlines()]


def test_an_index_is_looked_at_as_its_chunks_stand_there(tmp_path):
    start, end = place_of("The limit is 12,000 yen.")
    rows = [
        {"id": "a", "document": "a.md", "text": TEXT[start:end], "start": start, "end": end},
        {"id": "b", "document": "a.md", "text": TEXT[start:end][4:], "start": 0, "end": 20},
        {"id": "c", "document": "a.md", "text": "Quizzical owls hoot in the dark."},
    ]
    (tmp_path / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = one(Document("a.md", TEXT), DumpChunker(path=str(tmp_path / "index.jsonl")))
    expected = {
        "pieces": 3,
        "exact": 2,
        "not_found": 1,
        "claimed": 2,
        "wrong_offsets": 1,
        "inside": 1,
        "header_lost": 2,
    }
    assert {code: found.counts[code] for code in expected} == expected
    assert [found.places[code][0].id for code in ("wrong_offsets", "inside", "not_found")] == ["b", "b", "c"]
    assert (found.size, found.is_deterministic) == (None, None)
