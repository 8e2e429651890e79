"""Small inputs of the kinds on which chunkers and their measurements have failed elsewhere."""

from __future__ import annotations

import time

import numpy as np
import pytest

from chunkscope import (
    Document,
    FixedChunker,
    HeadingChunker,
    Question,
    SentenceChunker,
    TokenChunker,
    read_structure,
    sweep,
)
from chunkscope.chunkers.chunk_set import SpanChunks
from chunkscope.chunkers.prepending import chunk_paths, find_prependable
from chunkscope.measures.chunks import ChunkMeasure
from chunkscope.measures.cuts import CUT_CLASSES, cut_classes, find_landmarks
from chunkscope.spans.layout import Layout, Targets
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.units import get_unit


def spans(chunker, text):
    return chunker.spans(Document("a.md", text)).tolist()


def one_cell(text, chunker, evidence=(), **settings):
    """Give the cell of one setting, with a question for each entry of the evidence, pinned where it is a span."""
    asked = []
    for number, entry in enumerate(evidence):
        if isinstance(entry, str):
            asked.append(Question.of(f"q{number}", doc="a.md", evidence=entry))
        else:
            asked.append(Question.of(f"q{number}", doc="a.md", evidence=text[slice(*entry)], spans=[list(entry)]))
    result = sweep([Document("a.md", text)], asked if evidence else None, chunkers=[chunker], **settings)
    return result.cells[0]


# --- Offsets ---------------------------------------------------------------------------------------------------------


def test_repeated_text_gives_each_chunk_its_own_place():
    assert spans(FixedChunker(2), "あいあいあいあい") == [[0, 2], [2, 4], [4, 6], [6, 8]]
    assert spans(SentenceChunker(12), "同じ文です。" * 6) == [[0, 12], [12, 24], [24, 36]]
    assert spans(HeadingChunker(), "## 注意\n取扱注意。\n" * 3) == [[0, 12], [12, 24], [24, 36]]


def test_tokens_overlap_by_tokens_and_spans_count_characters():
    text = "The pump ran for nine hours and then it stopped without a warning light."
    assert get_unit("cl100k_base").measure(text).total == 15
    assert spans(TokenChunker(6, 2), text) == [[0, 27], [16, 47], [36, 71], [57, 72]]


def test_offsets_count_code_points_not_bytes_or_utf_16():
    text = "“見積”は10日です。"
    assert spans(FixedChunker(4), text) == [[0, 4], [4, 8], [8, 11]]
    assert one_cell(text, FixedChunker(4), ["10日"]).split_evidence == 0
    assert spans(FixedChunker(2), "😀😀😀😀😀") == [[0, 2], [2, 4], [4, 5]]


def test_white_space_stays_where_it_is():
    text = "  最初の文です。\n\n  次の文です。  \n"
    found = spans(SentenceChunker(8), text)
    assert "".join(text[a:b] for a, b in found) == text
    assert one_cell(text, SentenceChunker(9), [(2, 9), (13, 19)]).split_evidence == 0
    makefile = "# 例\n```make\nall:\n\tcc\u00a0-O2\n```\n"
    assert spans(HeadingChunker(), makefile) == [[0, len(makefile)]]
    assert one_cell(makefile, HeadingChunker(), ["\tcc\u00a0-O2"]).split_evidence == 0


# --- Overlap, tail, size ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlap", [5, 9])
@pytest.mark.parametrize("chunker", [FixedChunker, TokenChunker, SentenceChunker])
def test_an_overlap_of_the_size_or_more_is_refused_at_once(chunker, overlap):
    with pytest.raises(ValueError, match=f"overlap {overlap} must be smaller than size 5"):
        chunker(5, overlap)


def test_one_impossible_pair_does_not_stop_the_others():
    result = sweep([Document("a", "い" * 20)], chunkers="fixed", sizes=[4, 8], overlaps=[0, 4, 8])
    assert [(cell.size, cell.overlap, cell.chunks) for cell in result.cells] == [(4, 0, 5), (8, 0, 3), (8, 4, 4)]
    shown = result.to_dict()["skipped"]
    assert [(pair["size"], pair["overlap"]) for pair in shown] == [(4, 4), (4, 8), (8, 8)]
    assert shown[1]["reason"] == "overlap 8 must be smaller than size 4"


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        ("いろはにほへとちりぬ", 6, 3, [[0, 6], [3, 9], [6, 10]]),
        ("あ" * 12 + "\n\n" + "い" * 12, 14, 4, [[0, 14], [10, 24], [20, 26]]),
        ("アィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタ", 10, 0, [[0, 10], [10, 20], [20, 30]]),
        ("う" * 1150, 1000, 250, [[0, 1000], [750, 1150]]),
        ("あいうえおかきくけこさ", 5, 3, [[0, 5], [2, 7], [4, 9], [6, 11]]),
    ],
)
def test_fixed_windows_stand_where_they_must(text, size, overlap, expected):
    assert spans(FixedChunker(size, overlap), text) == expected


def test_kept_tails_are_the_windows_of_a_plain_loop():
    text = "うえお" * 4
    kept = [[start, min(start + 5, 12)] for start in range(0, 12, 2)]
    assert spans(FixedChunker(5, 3, tail="keep"), text) == kept
    assert spans(FixedChunker(5, 3), text) == kept[:5]


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("か" * 25 + "。", 10, [[0, 10], [10, 20], [20, 26]]),
        ("12345。" * 4, 12, [[0, 12], [12, 24]]),
        ("12345。" * 4, 11, [[0, 6], [6, 12], [12, 18], [18, 24]]),
        ("12345。" * 4, 24, [[0, 24]]),
        ("甲" * 5 + "。" + "乙" * 5 + "。" + "丙" * 20 + "。", 9, [[0, 6], [6, 12], [12, 21], [21, 30], [30, 33]]),
    ],
)
def test_sentences_fill_the_size_and_long_ones_are_cut(text, size, expected):
    assert spans(SentenceChunker(size), text) == expected


def test_a_sentence_kept_above_the_size_is_counted():
    cell = one_cell("短い。" + "か" * 25 + "。短い。", SentenceChunker(10, oversize="keep"))
    assert (cell.chunks, cell.oversize_chunks) == (3, 1)


def test_a_section_above_the_size_is_cut_by_lines_of_code_under_the_same_path():
    text = "# 設定\n```yaml\n" + "k: v\n" * 20 + "```\n"
    document = Document("a.md", text)
    chunker = HeadingChunker(50)
    found = chunker.spans(document)
    assert len(text) == 117
    assert "".join(text[a:b] for a, b in found.tolist()) == text
    assert (found[:, 1] - found[:, 0] <= 50).all()
    assert chunk_paths(find_prependable(DocumentAnalysis(document)), chunker, found)[:, 0].tolist() == [0] * len(found)


# --- Nothing lost, nothing blank -------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunker", [FixedChunker(3), SentenceChunker(3), HeadingChunker(3), TokenChunker(3)])
@pytest.mark.parametrize("text", ["一。 二。\n\n三 。四’五", "前\x00半。後半の証拠。", "a\r\nb\rc\u2028d\x0be"])
def test_without_overlap_the_chunks_are_the_text(chunker, text):
    assert "".join(text[a:b] for a, b in spans(chunker, text)) == text


def test_text_before_the_first_heading_is_a_section():
    text = "前書き。\n## 節\n本文。\n"
    assert spans(HeadingChunker(), text) == [[0, 5], [5, 14]]
    assert one_cell(text, HeadingChunker(), [(0, 4)]).split_evidence == 0


@pytest.mark.parametrize(
    "chunker", [FixedChunker(10, 2), SentenceChunker(10, 2), HeadingChunker(10, 2), TokenChunker(10, 2)]
)
def test_an_empty_document_has_no_chunk_and_no_rate(chunker):
    assert spans(chunker, "") == []
    shown = one_cell("", chunker).to_dict()
    assert (shown["chunks"], shown["duplication"]) == (0, None)
    assert shown["chunk_chars"] == {"min": None, "mean": None, "median": None, "max": None}


@pytest.mark.parametrize(
    ("text", "blank", "chunks"), [("本文です。" + " " * 20, 2, 3), ("頭。" + " " * 50 + "尾。", 4, 6)]
)
def test_blank_chunks_keep_their_number_and_are_counted(text, blank, chunks):
    for chunker in (FixedChunker(10), FixedChunker(10, prepend=("title",))):
        cell = one_cell(text, chunker)
        assert (cell.blank_chunks, cell.chunks) == (blank, chunks)
    cell = one_cell(text, FixedChunker(10), with_cuts=False)
    assert cell.blank_chunks == blank


def test_blank_runs_at_the_ends_of_documents_are_not_joined():
    documents = [Document("a", "あ" * 6 + " " * 6), Document("b", " " * 6 + "い" * 6)]
    [cell] = sweep(documents, chunkers=[FixedChunker(4)]).cells
    assert (cell.chunks, cell.blank_chunks) == (6, 2)
    measure = ChunkMeasure([FixedChunker(9)], least=9)
    runs, _ = measure.collect(DocumentAnalysis(documents[1]))
    assert runs.tolist() == []


# --- Headings --------------------------------------------------------------------------------------------------------


def test_a_skipped_level_makes_no_sibling_a_parent_and_a_path_is_a_list():
    text = "# 目録\n### 配列\na\n### 接続\nb\n## 型\nc\n"
    paths = [[heading.title for heading in path] for path in read_structure(Document("a.md", text)).heading_paths()]
    assert paths == [["目録"], ["目録", "配列"], ["目録", "接続"], ["目録", "型"]]
    text = "# 概要\n## 24/7 対応\nx\n"
    paths = [[heading.title for heading in path] for path in read_structure(Document("a.md", text)).heading_paths()]
    assert paths == [["概要"], ["概要", "24/7 対応"]]


# --- Tables ----------------------------------------------------------------------------------------------------------

PIPE = "| 型番 | 定格 | 質量 |\n|---|---|---|\n" + "".join(f"| P-0{n} | {n}5A | {n}2kg |\n" for n in range(1, 7))
HTML = (
    "<table>\n<thead>\n<tr><th>項目</th><th>値</th></tr>\n</thead>\n<tbody>\n"
    "<tr><td>電圧</td><td>5V</td></tr>\n<tr><td>電流</td><td>2A</td></tr>\n</tbody>\n</table>\n"
)


@pytest.mark.parametrize(
    ("size", "overlap", "chunks", "together"),
    [(40, 0, 5, 0), (60, 0, 3, 1), (60, 30, 5, 1), (100, 0, 2, 3), (163, 0, 1, 6)],
)
def test_a_row_is_together_if_one_chunk_holds_it_and_its_header(size, overlap, chunks, together):
    cell = one_cell(PIPE, FixedChunker(size, overlap))
    assert (cell.chunks, cell.table_rows, cell.table_rows_with_header) == (chunks, 6, together)


def test_a_row_is_together_if_its_chunk_carries_the_header():
    cell = one_cell(PIPE, FixedChunker(60, prepend=("table-header",)))
    whole = sum(any(a <= s and s + 21 <= b for a, b in spans(FixedChunker(60), PIPE)) for s in range(31, 142, 22))
    assert (cell.table_rows_with_header, whole) == (whole, 4)


@pytest.mark.parametrize(("size", "together"), [(100, 1), (140, 2)])
def test_html_rows_count_like_pipe_rows(size, together):
    cell = one_cell(HTML, FixedChunker(size))
    assert (cell.table_rows, cell.table_rows_with_header) == (2, together)


def test_sections_keep_a_table_together():
    text = "## 価格\n\n| 品 | 円 |\n| --- | ---: |\n| 茶 | 120 |\n| 菓子 | 80 |\n\n## 注記\n税込。\n"
    assert spans(HeadingChunker(), text) == [[0, 57], [57, 67]]
    cell = one_cell(text, HeadingChunker())
    assert (cell.table_rows, cell.table_rows_with_header) == (2, 2)


def test_a_table_without_a_header_is_listed_and_left_out():
    text = (
        "<table><tr><th>名</th><th>内訳</th></tr><tr><td>甲</td><td><table><tr><td>内1</td></tr><tr><td>内2</td></tr>"
        "</table></td></tr><tr><td>乙</td><td>なし</td></tr></table>"
    )
    cell = one_cell(text, FixedChunker(400))
    assert (cell.table_rows, cell.table_rows_with_header, cell.tables_without_header) == (2, 2, 1)
    # evidence in the inner table overlaps a row of the outer one
    cell = one_cell(text, FixedChunker(100), ["内2"])
    assert (cell.table_questions, cell.table_questions_with_header, cell.split_questions) == (1, 0, 0)
    alone = one_cell("<table><tr><td>内1</td></tr></table>", FixedChunker(9), ["内1"])
    assert (alone.table_questions, alone.table_rows, alone.tables_without_header) == (0, 0, 1)


def test_a_table_without_rows_adds_nothing_and_the_delimiter_line_is_no_row():
    cell = one_cell("| a | b |\n|---|---|\n\n本文\n", FixedChunker(8))
    assert (cell.table_rows, cell.tables_without_header) == (0, 0)
    cell = one_cell(PIPE, FixedChunker(200), [(0, 16), (17, 30)])
    assert cell.table_questions == 0


def test_evidence_over_several_rows_needs_each_of_them_with_the_header():
    both, first = (31, 74), (31, 52)
    cell = one_cell(PIPE, FixedChunker(60), [both, first])
    assert (cell.table_questions, cell.table_questions_with_header, cell.header_lost_question_ids) == (2, 1, ("q0",))


def test_a_record_with_a_line_break_in_plain_text_is_evidence_like_any_other():
    text = 'id,備考\n1,"一行目\n二行目"\n2,終\n'
    cell = one_cell(text, FixedChunker(16), ['"一行目\n二行目"'])
    assert (cell.split_evidence, cell.table_rows, cell.chunks) == (1, 0, 2)


# --- Tokens ----------------------------------------------------------------------------------------------------------


def test_text_that_spells_a_special_token_is_text():
    text = "区切りには <|endoftext|> を使う。"
    assert get_unit("cl100k_base").measure(text).total == 16
    assert spans(TokenChunker(100), text) == [[0, 24]]
    assert one_cell(text, TokenChunker(100), [(6, 19)]).split_evidence == 0


def test_a_character_of_several_tokens_is_never_cut():
    assert get_unit("cl100k_base").measure("鮪と鰹").total == 7
    assert spans(TokenChunker(2), "鮪と鰹") == [[0, 1], [1, 2], [2, 3]]
    cell = one_cell("鮪と鰹", TokenChunker(2))
    assert (cell.oversize_chunks, cell.broken_chunks) == (2, 0)
    raw = one_cell("鮪と鰹", TokenChunker(2, raw=True), [(0, 1), (1, 2)])
    assert (raw.chunks, raw.broken_chunks, raw.split_evidence, raw.missing_evidence) == (4, 4, 1, 1)


@pytest.mark.parametrize("text", [" 鮪", "a 😀b", "\n\n𠮷 𠮷"])
def test_a_chunk_above_the_size_in_tokens_is_a_single_character(text):
    measured = get_unit("cl100k_base").measure(text)
    for size in (1, 2, 3):
        for start, end in spans(TokenChunker(size), text):
            assert end == start + 1 or int(measured.used(end) - measured.used(start)) <= size
        joined = "".join(text[a:b] for a, b in spans(TokenChunker(size), text))
        assert joined == text


@pytest.mark.parametrize(
    ("character", "length", "tokens"),
    [("b", 120000, 30000), ("=", 800000, 12500), (" ", 200000, 1563), ("あ", 100000, 100000)],
)
def test_long_runs_of_a_character_are_cut_in_seconds(character, length, tokens):
    document = Document("a", character * length)
    begun = time.perf_counter()
    found = TokenChunker(512).spans(document)
    assert time.perf_counter() - begun < 8
    assert get_unit("cl100k_base").measure(document.text).total == tokens
    assert (found[0, 0], found[-1, 1]) == (0, length)


def test_a_line_of_a_million_characters_is_arithmetic():
    begun = time.perf_counter()
    found = FixedChunker(1000, 100).spans(Document("a", "か" * 1000000))
    assert (len(found), found[-1].tolist()) == (1111, [999000, 1000000])
    assert time.perf_counter() - begun < 1


# --- Split counts ----------------------------------------------------------------------------------------------------


def test_evidence_that_ends_where_a_chunk_ends_is_whole():
    evidence = ["四五", "五六", "六七", "一二三四五", "一二三四五六"]
    cell = one_cell("一二三四五六七八九十", FixedChunker(5), evidence)
    assert (cell.split_evidence, cell.split_question_ids) == (2, ("q1", "q4"))
    assert (cell.evidence_longer_than_size, cell.evidence_in_two_chunks, cell.missing_evidence) == (1, 2, 0)


DISTINCT = "".join(chr(0x4E00 + number) for number in range(20))


def test_two_overlapping_chunks_that_cover_evidence_do_not_hold_it():
    cell = one_cell(DISTINCT, FixedChunker(8, 4), [(2, 11)])
    assert (cell.split_evidence, cell.evidence_in_two_chunks, cell.evidence_longer_than_size) == (1, 1, 1)


def test_evidence_no_longer_than_overlap_and_one_is_never_split():
    every = [(start, start + 5) for start in range(16)]
    assert one_cell(DISTINCT, FixedChunker(8, 4), every).split_evidence == 0
    assert one_cell(DISTINCT, FixedChunker(8, 4), [(start, start + 6) for start in range(15)]).split_evidence > 0


def test_evidence_in_two_chunks_counts_once_and_questions_with_the_same_evidence_each_count():
    cell = one_cell(DISTINCT, FixedChunker(8, 4), [(5, 7), (5, 7), (0, 2), (6, 12)])
    assert (cell.split_questions, cell.split_evidence) == (0, 0)


def test_any_needs_one_entry_and_all_needs_each():
    text = DISTINCT
    for match, split in (("any", 0), ("all", 1)):
        asked = [Question.of("q", doc="a", evidence=[text[3:7], text[6:8]], match=match)]
        [cell] = sweep([Document("a", text)], asked, chunkers=[FixedChunker(5)]).cells
        assert (cell.split_questions, cell.split_evidence) == (split, 1)


def test_the_same_span_twice_in_a_question_counts_once():
    asked = [Question.of("q", doc="a", evidence=[DISTINCT[3:7], DISTINCT[3:7]])]
    result = sweep([Document("a", DISTINCT)], asked, chunkers=[FixedChunker(5)])
    assert (result.questions.evidence, result.cells[0].split_evidence) == (1, 1)


def test_without_questions_documents_or_chunks_nothing_divides_by_zero():
    shown = sweep(
        [Document("a", ""), Document("b", "本文。")], [], chunkers="fixed", sizes=[10], overlaps=[0]
    ).to_dict()
    assert shown["cells"][0]["split_questions"] == 0
    assert shown["questions"]["evidence"] == 0


# --- Cuts and status -------------------------------------------------------------------------------------------------


def test_ends_of_chunks_are_classed_by_the_first_thing_that_they_fall_inside():
    text = "# 題\n\n価格は12,000円。次の文。\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx = 1\n```\n\n## 節\n"
    places = {
        "number": text.index("2,000"), "word": text.index("格"), "words": text.index("は"), "sentence": text.index("次"),
        "row": text.index("a |"), "block": text.index("価"), "code": text.index("= 1"), "heading": text.index("## 節"),
    }  # fmt: skip
    for name, place in places.items():
        assert (
            CUT_CLASSES[
                cut_classes(
                    [find_landmarks(DocumentAnalysis(Document("a.md", text)))], Layout.of(["a.md"], [len(text)])
                )[place]
            ]
            == name
        )
    whole = one_cell(text, FixedChunker(text.index("2,000")), with_cuts=True).cuts
    assert whole["number"] == 1


def test_rows_of_tables_inside_tables_are_rows_and_cost_no_more_than_their_text():
    text = "<table><tr><td>外<table><tr><td>内</td></tr></table>外</td></tr><tr><td>次</td></tr></table>\n"
    classes = [
        CUT_CLASSES[number]
        for number in cut_classes(
            [find_landmarks(DocumentAnalysis(Document("a.md", text)))], Layout.of(["a.md"], [len(text)])
        ).tolist()
    ]
    starts = [text.index("<tr>"), text.rindex("<tr>")]
    ends = [text.index("外</td></tr>") + len("外</td></tr>"), text.rindex("</table>")]
    for start, end in zip(starts, ends, strict=True):
        assert "row" not in (classes[start], classes[end])
        assert set(classes[start + 1 : end]) == {"row"}

    class Counting(np.ndarray):
        written = 0

        def __setitem__(self, key, value):
            if isinstance(key, slice) and value == CUT_CLASSES.index("row"):
                Counting.written += len(range(*key.indices(len(self))))
            super().__setitem__(key, value)

    nested = "<table><tr><td>" * 200
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "full", lambda *args, full=np.full, **kinds: full(*args, **kinds).view(Counting))
        cut_classes([find_landmarks(DocumentAnalysis(Document("a.md", nested)))], Layout.of(["a.md"], [len(nested)]))
    assert 0 < Counting.written <= len(nested)


def test_chunks_of_a_document_out_of_force_that_do_not_say_so_are_counted():
    text = "---\ntitle: 旧\nstatus: 廃止\n---\n# 題\n本文です。次の文。\n"
    cell = one_cell(text, FixedChunker(10))
    held = sum(a <= 13 and b >= 23 for a, b in spans(FixedChunker(10), text))
    assert (cell.status_chunks, cell.unmarked_chunks) == (cell.chunks, cell.chunks - held)
    assert one_cell(text, FixedChunker(10, prepend=("front-matter:status",))).unmarked_chunks == 0
    assert one_cell("本文。", FixedChunker(10)).status_chunks is None


def test_a_target_at_a_cut_is_whole_on_either_side():
    layout = Layout.of(["a"], [10])
    document = Document("a", "あ" * 10)
    chunker = TokenChunker(5)
    chunks = SpanChunks(layout, chunker, chunker.chunks(chunker.segment(DocumentAnalysis(document))))
    targets = Targets.of(FixedChunker(5).spans(document), layout)
    assert chunks.contains(targets).tolist() == [True, True]
