"""The recursive chunker against LangChain's, and against its rule read aloud; what it cuts without the text it has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.recursive import DOCUMENTED, cut_recursively, separators_of
from worlds import documents, recursive_settings

from chunkscope import Document, read_corpus, sweep
from chunkscope.chunkers import parse_chunker
from chunkscope.chunkers.recursive import SEPARATORS, RecursiveChunker
from chunkscope.errors import ChunkerError
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.tokens import load_encoding
from chunkscope.structure.units import get_unit

FOLDERS = ["nagisa_ja", "tables", "chroma_eval", "messy", "jaquad_dev_ja"]

PARTS = [
    "\n", "\n\n", "\n\n\n", "\r\n", " ", "  ", "\t", "\u3000", "\x1f", ".", "。", "、", ",", "a", "aa", "word", "longer-words",
    "鮪", "鰹と鯵", "\n## ", "# ", "```\n", "\n---", "\n---\n", "\n***\n", "\n___\n", "| a | b |", "😀", "<|endoftext|>",
]  # fmt: skip
hostile = st.lists(st.sampled_from(PARTS), max_size=40).map("".join)


def counted(text: str) -> int:
    return len(load_encoding("cl100k_base").encoding.encode_ordinary(text))


def langchain_chunks(text: str, chunker: RecursiveChunker) -> list[str]:
    """Cut with the splitter itself."""
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)
        if chunker.separators == "markdown"
        else list(chunker.spelt_separators),
        is_separator_regex=chunker.separators == "markdown",
        keep_separator={"none": False}.get(chunker.keep, chunker.keep),
        chunk_size=chunker.size,
        chunk_overlap=chunker.overlap,
        strip_whitespace=chunker.strip,
        length_function=len if chunker.unit == "char" else counted,
    )
    return splitter.split_text(text)


def twin(text: str, chunker: RecursiveChunker):
    weigh = len if chunker.unit == "char" else counted
    separators = separators_of(chunker.separators)
    return cut_recursively(text, separators, chunker.keep, chunker.size, chunker.overlap, weigh, chunker.strip)


@given(st.one_of(hostile, documents), recursive_settings, st.integers(1, 30), st.data())
@settings(max_examples=400, deadline=None)
def test_chunks_are_those_of_langchain(text, chosen, size, data):
    pytest.importorskip("langchain_text_splitters")
    chunker = RecursiveChunker(size, data.draw(st.integers(0, size - 1)), **chosen)
    expected = langchain_chunks(text, chunker)
    found = twin(text, chunker)
    assert [piece.text for piece in found] == expected
    spans = chunker.spans(Document("a", text)).tolist()
    assert spans == [[piece.start, piece.end] for piece in found]
    if chunker.keep != "none":
        assert [text[start:end] for start, end in spans] == expected


@given(
    st.lists(hostile, max_size=4), recursive_settings, st.lists(st.integers(1, 30), min_size=1, max_size=4), st.data()
)
@settings(max_examples=300, deadline=None)
@example([" .", "aa"], {"separators": (" .", "aa", ""), "keep": "none", "strip": True, "unit": "char"}, [3], None)
@example(["", " \n", ""], {"separators": "default", "keep": "start", "strip": True, "unit": "char"}, [3, 1], None)
def test_all_texts_at_all_settings_at_once_are_cut_as_the_rule_says(texts, chosen, sizes, data):
    base = RecursiveChunker(**chosen)
    cells = [base.at(size, data.draw(st.integers(0, size - 1)) if data else size - 1) for size in sizes]
    joined = base.join([base.segment(DocumentAnalysis(Document("a", text))) for text in texts])
    for cell, cut in zip(cells, base.chunks_of(cells, joined), strict=True):
        expected, weights, tiles, rewritten, edge = [], [], [], 0, 0
        for text in texts:
            for piece in twin(text, cell):
                expected.append([edge + piece.start, edge + piece.end])
                weights.append(len(piece.text) if cell.unit == "char" else piece.weight)
                tiles.append([edge + piece.start, edge + len(text) - len(text[piece.end :].lstrip())])
                rewritten += text[piece.start : piece.end] != piece.text
            edge += len(text)
        assert cut.spans.tolist() == expected
        assert cut.sizes.tolist() == weights
        assert (np.diff(cut.spans, axis=0) >= 0).all()
        assert cut.n_rewritten == (rewritten if cell.keep == "none" else None)
        if cell.strip:
            assert cut.tiles().tolist() == tiles


def test_the_lists_are_those_that_langchain_has():
    splitters = pytest.importorskip("langchain_text_splitters")
    kind = splitters.RecursiveCharacterTextSplitter
    assert list(SEPARATORS["default"]) == kind()._separators == DOCUMENTED["default"]
    assert list(SEPARATORS["markdown"]) == kind.get_separators_for_language(splitters.Language.MARKDOWN)
    assert list(SEPARATORS["markdown"]) == DOCUMENTED["markdown"]
    assert list(SEPARATORS["cjk"]) == DOCUMENTED["cjk"]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize(
    "spelling",
    [
        "recursive(size=100, overlap=20)", "recursive(size=800)", "recursive(size=300, overlap=150, separators=cjk)",
        "recursive(size=400, overlap=60, separators=markdown)", "recursive(size=200, overlap=40, keep=end, strip=false)",
        'recursive(size=250, overlap=50, separators=["\\n\\n", "。", ".", "| ", " ", ""], keep=none)',
        "recursive(size=128, overlap=16, unit=cl100k_base)", "recursive(size=60, unit=cl100k_base, separators=cjk, keep=none)",
    ],
)  # fmt: skip
def test_chunks_of_real_documents_are_those_of_langchain(data, folder, spelling):
    pytest.importorskip("langchain_text_splitters")
    chunker = parse_chunker(spelling)
    for document in read_corpus(data / folder, skip_unreadable=True):
        expected = langchain_chunks(document.text, chunker)
        spans = chunker.spans(document).tolist()
        assert len(spans) == len(expected)
        if chunker.keep == "none":
            assert [piece.text for piece in twin(document.text, chunker)] == expected
            assert spans == [list(piece[:2]) for piece in twin(document.text, chunker)]
        else:
            assert [document.text[start:end] for start, end in spans] == expected


def test_a_chunk_of_overlap_and_white_space_ends_where_the_one_before_does():
    """Stripped, it lies inside that one: ends do not fall, so the last chunk that starts early enough reaches farthest."""
    spans = RecursiveChunker(7, 3, separators=("\n",)).spans(Document("a", "aaaa\nbb\n  \ncc"))
    assert spans.tolist() == [[0, 7], [5, 7], [11, 13]]


def test_a_cut_at_stripped_white_space_stands_where_the_text_goes_on():
    document = Document("a.md", "一つ目の文。\n\n# 見出し\n二つ目の文。\n")
    cell = sweep([document], None, chunkers=["recursive(size=12)"], sizes=[12], overlaps=[0]).cells[0]
    assert {name: n for name, n in cell.cuts.items() if n} == {"block": 1, "heading": 1}


def test_texts_that_are_no_slices_are_counted():
    document = Document("a.md", "一つ。。二つ。三つ四つ。五つ")
    cells = sweep(
        [document], None, chunkers=['recursive(separators=["。"], keep=none)', "recursive"], sizes=[8], overlaps=[0]
    ).cells
    assert {name: n for name, n in cells[0].pieces.items() if n} == {"exact": 1, "normalised": 1}
    assert cells[1].pieces is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"separators": ()}, "is no list of strings"), ({"separators": ("a", 1)}, "is no list of strings"),
        ({"separators": "latex"}, "separators=latex is not one of default, markdown, cjk"),
        ({"keep": "both"}, "keep=both is not one of start, end, none"), ({"strip": 1}, "strip=1 is neither true nor false"),
        ({"unit": "word"}, "use char or a token encoding"),
    ],
)  # fmt: skip
def test_settings_that_mean_nothing_are_refused(settings, message):
    with pytest.raises(ChunkerError, match=message.replace("(", r"\(")):
        RecursiveChunker(8, **settings)


def test_a_list_is_spelt_in_json_and_read_back():
    chunker = RecursiveChunker(8, separators=["\n\n", ", ", "。", '"', ""])
    assert str(chunker) == r'recursive(size=8, separators=["\n\n", ", ", "。", "\"", ""])'
    assert parse_chunker(str(chunker)) == chunker
    assert parse_chunker(r"recursive(size=8, separators=['\n\n', ', ', '。', '\"', ''])") == chunker


def test_units_count_each_text_by_itself():
    assert get_unit("cl100k_base").lengths(["鮪", "the cat", "", "<|endoftext|>"]).tolist() == [3, 2, 0, 7]
    assert get_unit("char").lengths(["鮪", ""]).tolist() == [1, 0]
