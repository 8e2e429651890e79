"""What chunks prepend, against a twin that looks at one chunk at a time."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from oracle.prepending import heading_path, prepended
from worlds import chunkers, corpora, plain, settings_of

from chunkscope import Document, FixedChunker, HeadingChunker, SentenceChunker, TokenChunker
from chunkscope.chunkers.base import PREPENDABLE as NAMED
from chunkscope.chunkers.prepending import (
    chunk_paths,
    find_prependable,
    front_matter_line,
    join_prependable,
    prepended_spans,
)
from chunkscope.spans.layout import Layout
from chunkscope.structure.analysis import DocumentAnalysis

PREPENDABLE = (*NAMED, "front-matter:status", "front-matter:title")


def carried_by(document, chunker):
    """Give the text that each chunk prepends."""
    layout = Layout.of([document.name], [len(document.text)])
    spans = chunker.spans(document)
    owners, found = prepended_spans(find_prependable(DocumentAnalysis(document), PREPENDABLE), chunker, spans, layout)
    texts = [[] for _ in spans]
    for owner, (start, end) in zip(owners.tolist(), found.tolist(), strict=True):
        texts[owner].append(document.text[start:end])
    return texts


def test_joined_sections_keep_their_path_in_every_document():
    documents = [Document("a.md", "# A\n一\n"), Document("b.md", "# B\n二\n## C\n三\n")]
    chunker, layout = HeadingChunker(20, merge=True, prepend=("headings",)), Layout.of(["a.md", "b.md"], [6, 13])
    joined = join_prependable([find_prependable(DocumentAnalysis(document)) for document in documents], layout)
    paths = chunk_paths(joined, chunker, np.array([[0, 6], [6, 12], [6, 19], [12, 19]]))
    assert [path[path >= 0].tolist() for path in paths] == [[0], [1], [1], [1, 2]]


def test_each_document_has_its_own_title():
    documents = [Document("a.md", "# A\n一\n二\n"), Document("b.md", "三\n# B\n二\n")]
    chunker, layout = FixedChunker(4, prepend=("title",)), Layout.of(["a.md", "b.md"], [8, 8])
    parts = [find_prependable(DocumentAnalysis(document), ("title",)) for document in documents]
    spans = np.array([[0, 4], [4, 8], [8, 12], [12, 16]])
    owners, found = prepended_spans(join_prependable(parts, layout), chunker, spans, layout)
    assert (owners.tolist(), found.tolist()) == ([1, 2, 3], [[0, 3], [10, 13], [10, 13]])


def test_without_chunks_nothing_is_prepended_in_the_shape_of_spans():
    document = Document("a.md", "鮪")
    chunker = TokenChunker(1, raw=True, prepend=("title",))  # no window holds a whole character
    layout, prependable = Layout.of(["a.md"], [1]), find_prependable(DocumentAnalysis(document), ("title",))
    owners, spans = prepended_spans(prependable, chunker, chunker.spans(document), layout)
    assert (owners.shape, spans.shape) == ((0,), (0, 2))


@given(corpora(), chunkers())
@settings(max_examples=200)
def test_all_chunks_of_all_documents_carry_what_the_twin_says(corpus, chunker):
    layout = Layout.of([document.name for document in corpus], [len(document.text) for document in corpus])
    joined = join_prependable(
        [find_prependable(DocumentAnalysis(document), PREPENDABLE) for document in corpus], layout
    )
    spans, expected = [], []
    for document, base in zip(corpus, layout.edges.tolist(), strict=False):
        for start, end in chunker.spans(document).tolist():
            expected += [
                (len(spans), base + a, base + b)
                for a, b in prepended(plain(document), settings_of(chunker), start, end)
            ]
            spans.append((base + start, base + end))
    chunks = chunker.chunks(chunker.join([chunker.segment(DocumentAnalysis(document)) for document in corpus])).spans
    assert chunks.tolist() == [list(span) for span in spans]
    owners, found = prepended_spans(joined, chunker, chunks, layout)
    assert list(zip(owners.tolist(), *found.T.tolist(), strict=True)) == expected


@given(corpora(), chunkers())
@settings(max_examples=150)
def test_paths_are_those_of_the_section_where_a_chunk_starts_or_shared_by_joined_ones(corpus, chunker):
    for document in corpus:
        prependable = find_prependable(DocumentAnalysis(document))
        spans = chunker.spans(document)
        joins = isinstance(chunker, HeadingChunker) and chunker.merge
        for row, (start, end) in zip(chunk_paths(prependable, chunker, spans).tolist(), spans.tolist(), strict=True):
            path = [tuple(prependable.headings[heading].tolist()) for heading in row if heading >= 0]
            assert path == heading_path(plain(document), start, end, joins=joins)


@given(corpora(), chunkers())
def test_carrying_moves_no_boundary(corpus, chunker):
    for document in corpus:
        bare = dataclasses.replace(chunker, prepend=())
        assert bare.spans(document).tolist() == chunker.spans(document).tolist()


def test_heading_lines_are_carried_outermost_first_and_not_by_the_chunk_that_holds_them():
    document = Document("a.md", "# 目録\n### 配列\nあ。い。\n### 接続\nう。\n")
    assert carried_by(document, HeadingChunker(prepend=("headings",))) == [[], ["# 目録"], ["# 目録"]]
    texts = [document.text[a:b] for a, b in SentenceChunker(8).spans(document).tolist()]
    assert texts == ["# 目録\n", "### 配列\n", "あ。い。\n", "### 接続\n", "う。\n"]
    assert carried_by(document, SentenceChunker(8, prepend=("headings",))) == [
        [], ["# 目録"], ["# 目録", "### 配列"], ["# 目録"], ["# 目録", "### 接続"],
    ]  # fmt: skip


def test_joined_sections_carry_the_path_that_they_share():
    document = Document("a.md", "# 甲\n## 乙\n一。\n## 丙\n二。\n## 丁\n三。\n# 戊\n四。\n")
    chunker = HeadingChunker(16, merge=True, prepend=("headings",))
    texts = [document.text[a:b] for a, b in chunker.spans(document).tolist()]
    assert texts == ["# 甲\n## 乙\n一。\n", "## 丙\n二。\n## 丁\n三。\n", "# 戊\n四。\n"]
    assert carried_by(document, chunker) == [[], ["# 甲"], []]


def test_joining_sections_of_a_text_without_headings_carries_nothing():
    document = Document("a.md", "本文。\n")
    assert carried_by(document, HeadingChunker(40, merge=True, prepend=("headings",))) == [[]]


def test_a_table_header_goes_with_its_delimiter_line_to_chunks_that_hold_part_of_a_row():
    document = Document("a.md", "前。\n\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n| 3 | 4 |\r\n\r\n後の文章です。")
    header = "| a | b |\r\n|---|---|"
    chunker = FixedChunker(7, prepend=("table-header",))
    for start, end in chunker.spans(document).tolist():
        holds_part = max(start, 27) < min(end, 36) or max(start, 38) < min(end, 47)
        expected = [header] if holds_part and start > 4 else []
        found = prepended(plain(document), settings_of(chunker), start, end)
        assert [document.text[a:b] for a, b in found] == expected
    assert [header] in carried_by(document, chunker)
    assert carried_by(document, FixedChunker(400, prepend=("table-header",))) == [[]]


def test_a_chunk_between_two_rows_holds_no_part_of_one_and_carries_no_header():
    text = "<table><tr><th>h</th></tr><tr><td>1</td></tr>\n<!-- ............ -->\n<tr><td>2</td></tr></table>\n"
    document = Document("a.md", text)
    chunker = FixedChunker(5, prepend=("table-header",))
    for (start, end), lines in zip(chunker.spans(document).tolist(), carried_by(document, chunker), strict=True):
        rows = ((26, 45), (68, 87))
        assert text[26:45] == "<tr><td>1</td></tr>"
        assert text[68:87] == "<tr><td>2</td></tr>"
        assert bool(lines) == any(a < end and start < b for a, b in rows)


def test_a_table_in_a_cell_and_the_table_around_it_each_lend_their_header():
    text = (
        "<table><tr><th>外</th></tr><tr><td><table><tr><th>内</th></tr><tr><td>1</td></tr></table></td></tr></table>\n"
    )
    document = Document("a.md", text)
    chunker = FixedChunker(2, prepend=("table-header",))
    spans = chunker.spans(document).tolist()
    place = next(i for i, (start, _) in enumerate(spans) if start >= text.index("<td>1"))
    assert carried_by(document, chunker)[place] == ["<tr><th>外</th></tr>", "<tr><th>内</th></tr>"]


def test_a_pipe_table_inside_an_html_table_keeps_both_headers():
    text = "<table><tr><th>h</th></tr><tr><td>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n</td></tr></table>\n"
    document = Document("a.md", text)
    chunker = FixedChunker(3, prepend=("table-header",))
    spans = chunker.spans(document).tolist()
    place = next(i for i, (start, _) in enumerate(spans) if start >= text.index("| 1 |"))
    assert carried_by(document, chunker)[place] == ["<tr><th>h</th></tr>", "| a | b |\n|---|---|"]


def test_nothing_is_carried_twice():
    document = Document("a.md", "---\ntitle: x\n---\n# 題\n本文。次。\n")
    chunker = SentenceChunker(4, prepend=("title", "headings", "front-matter:title"))
    assert carried_by(document, chunker)[-1] == ["title: x", "# 題"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("## 二\n# 一\n本文。\n# 再\n末。", ["# 一"]),
        ("一\n===\n本文。", ["一\n==="]),
        ("---\ntitle: 表題\n---\n## 二\n本文。", ["title: 表題"]),
        ("---\r\n'title' : 表題\r\n---\r\n本文。", ["'title' : 表題"]),
        ("---\nsubtitle: x\ntitle:x: y\n---\n本文。", []),
        ("---\na:\n  title: x\n---\n本文。", []),
        ("```\n# 中\n```\n本文。", []),
    ],
)
def test_the_title_is_the_first_heading_of_level_one_or_that_of_the_front_matter(text, title):
    document = Document("a.md", text)
    assert carried_by(document, SentenceChunker(3, prepend=("title",)))[-1] == title


def test_the_key_of_a_line_may_look_like_the_rule_above_it():
    assert front_matter_line(Document("a.md", "---\n'-': x\n---\n"), "-") == [(4, 10)]


def test_plain_text_has_nothing_to_carry():
    document = Document("a.txt", "---\ntitle: x\n---\n# 題\n| a |\n|---|\n| 1 |\n", markup="plain")
    found = carried_by(document, FixedChunker(5, prepend=("title", "headings", "table-header", "front-matter:title")))
    assert not any(found)
