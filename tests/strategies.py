"""Generated texts of the kinds that break offsets."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    *"あ漢カー。、！？「」（）『』ａ１",
    *"ab1 .,!?'\"()-:;/",
    "\n", "\n\n", "\r\n", "\r", "\t", "　", "\u00a0", "\u200b", "\x00", "\x0b", "\x0c", "\x85", "\u2028",
    "か\u3099", "e\u0301", "😀", "👩\u200d👩\u200d👧", "鮪", "𠮷", "<|endoftext|>",
    "Dr. ", "e.g. ", "3.14", "12,000円", "https://example.jp/a.html?x=1", "です。", "ます！", "word ", "The end. ",
]  # fmt: skip

MARKDOWN_LINES = [
    "# 見出し", "## Title ##", "###### F", "題", "====", "----", "---", "- 項目", "  - 入れ子", "1. one", "> 引用", "> | a | b |",
    "> |---|---|", "> | 1 | 2 |", "| a | b |", "|---|---|", "| 1 | 2 |", "| 1 \\| x | 2 |", "a | b", "--- | ---", "1 | 2",
    "  | a | b |", "  |---|---|", "```", "```py", "~~~", "    code", "\tcode", "<table>", "<tr><th>h</th></tr>",
    "<tr><td>d</td></tr>", "</table>", "<!--", "-->", "<div>", "</div>", "", "", " ", "本文です。次の文。", "Text. More text.",
    "title: x", "status: abolished", "...", "<thead>", "</thead>", "\\# no", "#tag", "***", "[x]: /url", "> # q",
]  # fmt: skip


def texts(max_pieces: int = 40) -> st.SearchStrategy[str]:
    """Short hostile texts."""
    return st.lists(st.sampled_from(PIECES), max_size=max_pieces).map("".join)


def markdown_texts(max_lines: int = 30) -> st.SearchStrategy[str]:
    """Lines of Markdown in any order, with mixed line ends."""
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
    line = st.one_of(st.sampled_from(MARKDOWN_LINES), texts(6).map(lambda t: t.replace("\n", "").replace("\r", "")))
    return st.lists(st.tuples(line, ends), max_size=max_lines).map(lambda rows: "".join(a + b for a, b in rows))
