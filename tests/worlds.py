"""Generated documents with questions, generated settings to cut them at, and both as the plain data of the oracle."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import strategies as st
from oracle import chunks as chunks_oracle
from oracle import plain as oracle
from oracle.units import token_begins
from strategies import MARKDOWN_LINES, texts

from chunkscope import Document, FixedChunker, HeadingChunker, Question, SentenceChunker, TokenChunker
from chunkscope.chunkers.recursive import RecursiveChunker
from chunkscope.questions.labels import EvidenceSpan, Labels, LocatedQuestion
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.tokens import load_encoding

BLOCKS = [
    "| 品 | 円 |\n|---|---|\n| 茶 | 120 |\n| 菓子 | 80 |\n\n",
    "> | a | b |\r\n> |:-|-:|\r\n> | 1 | 2 |\r\n> | 3 | 4 |\r\n\r\n",
    "<table>\n<thead>\n<tr><th>項目</th></tr>\n</thead>\n\n<tr><td>電圧</td></tr>\n \n<tr><td>電流</td></tr>\n</table>\n\n",
    "<table><tr><th>h</th></tr><tr><td><table><tr><th>内</th></tr> <tr><td>1</td></tr></table></td></tr></table>\n\n",
    "<table><tr><th><table><tr><th>i</th></tr><tr><td>1</td></tr></table></th></tr><tr><td>d</td></tr></table>\n\n",
    "<table><tr><th>h</th></tr><tr><td>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n</td></tr></table>\n\n",
    "# 題\n", "## 節\n\n本文です。次の文。\n", "### 細目\n", "#### D\nText. More text.\n", "見出し\n====\n", "# Title\n\n# Again\n",
    "```py\nx = 1\ny = 2\n```\n", "    code\n\n", "鮪と鰹と鯵。", "「はい。」と言った。次へ。\n", "12,000円 3.14\n", " \u3000\n\n \n", "😀鮪𠮷",
]  # fmt: skip
FRONT = [
    "",
    "",
    "---\ntitle: x\nstatus: abolished\n---\n",
    "---\r\nstatus: 廃止\r\ntitle: y\r\n---\r\n",
    "---\nstatus: ok\n---\n",
]

lines = st.sampled_from(MARKDOWN_LINES).map(lambda line: line + "\n")
bodies = st.lists(st.one_of(st.sampled_from(BLOCKS), st.sampled_from(BLOCKS), lines, texts(6)), max_size=7).map("".join)
documents = st.builds(str.__add__, st.sampled_from(FRONT), bodies)


@st.composite
def corpora(draw, max_documents: int = 3):
    """A few documents, some of them empty, one perhaps plain."""
    found = draw(st.lists(documents, max_size=max_documents))
    plain = draw(st.integers(0, 5))
    return [
        Document(f"{number}.md", text, markup="plain" if number == plain else "markdown")
        for number, text in enumerate(found)
    ]


@st.composite
def questions_of(draw, corpus, max_questions: int = 4):
    """Questions with evidence anywhere, in one document or in several."""
    written = [document for document in corpus if document.text]
    found = []
    for number in range(draw(st.integers(0, max_questions)) if written else 0):
        entries = {}
        for _ in range(draw(st.integers(1, 3))):
            document = draw(st.sampled_from(written))
            start = draw(st.integers(0, len(document.text) - 1))
            end = min(start + draw(st.integers(1, 30)), len(document.text))
            entries[EvidenceSpan(document.name, start, end)] = None
        match = draw(st.sampled_from(["all", "any"]))
        found.append(LocatedQuestion(Question(f"q{number}", match=match), tuple(entries)))
    return found


def labels_of(questions) -> Labels:
    return Labels(tuple(questions), (), (), ())


prepends = st.lists(
    st.sampled_from(["headings", "title", "table-header", "front-matter:status", "front-matter:title"]), max_size=3
).map(tuple)
sizes = st.integers(1, 40)


separators = st.one_of(
    st.sampled_from(["default", "markdown", "cjk", ("\n\n", "\n", ".", "?", "!", " ", ""), (" .", "aa", "。"), ("",)]),
    st.lists(
        st.sampled_from(["\n\n", "\n", "\r\n", " ", "。", "、", ",", "aa", "| ", " | ", "="]), min_size=1, max_size=4
    )
    .flatmap(lambda found: st.sampled_from([found, [*found, ""]]))
    .map(tuple),
)
recursive_settings = st.fixed_dictionaries(
    {
        "separators": separators,
        "keep": st.sampled_from(["start", "end", "none"]),
        "strip": st.booleans(),
        "unit": st.sampled_from(["char", "cl100k_base"]),
    }
)


@st.composite
def chunkers(draw, with_carry: bool = True):
    """Any way of cutting at any small setting."""
    size = draw(sizes)
    settings = {"size": size, "overlap": draw(st.one_of(st.just(0), st.integers(0, size - 1)))}
    if with_carry:
        settings["prepend"] = draw(st.one_of(st.just(()), prepends))
    kind = draw(
        st.sampled_from(
            ["fixed", "tail", "packed", "token", "raw", "sentence", "tails", "heading", "sections", "recursive"]
        )
    )
    if kind == "recursive":
        return RecursiveChunker(**settings, **draw(recursive_settings))
    unit = draw(st.sampled_from(["char", "cl100k_base", "word"]))
    if kind == "fixed":
        return FixedChunker(**settings)
    if kind == "tail":
        return FixedChunker(**settings, tail="keep")
    if kind == "packed":
        return FixedChunker(**settings, unit=unit)
    if kind in ("token", "raw"):
        return TokenChunker(**settings, raw=kind == "raw")
    oversize, newline = draw(st.sampled_from(["split", "keep"])), draw(st.sampled_from(["space", "end"]))
    if kind == "sentence":
        return SentenceChunker(**settings, unit=unit, oversize=oversize, newline=newline)
    if kind == "tails":
        return SentenceChunker(**settings, oversize=oversize, newline=newline, overlap_by="characters")
    if kind == "heading":
        return HeadingChunker(**settings, unit=unit, merge=draw(st.booleans()))
    return HeadingChunker(unit=unit, prepend=settings.get("prepend", ()))


# --- As plain data ---


@lru_cache(maxsize=256)
def plain(document: Document) -> oracle.Text:
    """A document with what is found in it."""
    analysis = DocumentAnalysis(document)
    structure = analysis.structure
    return oracle.Text(
        name=document.name,
        text=document.text,
        sentence_starts=analysis.sentence_starts.tolist(),
        block_starts=structure.block_starts.tolist(),
        headings=[oracle.Heading(heading.start, heading.end, heading.level) for heading in structure.headings],
        tables=[
            oracle.Table(table.kind, table.start, table.end, list(table.header), list(table.rows))
            for table in structure.tables
        ],
        code=list(map(tuple, structure.code.tolist())),
        inside_number=analysis.words.in_number.tolist(),
        inside_word=analysis.words.inside.tolist(),
        inside_character=analysis.words.in_character.tolist(),
        front_matter_end=structure.front_matter_end,
        status=document.attributes.get("status"),
        units=_Units(analysis),
    )


class _Units(dict):
    """What a document is in a unit, once that is asked for."""

    def __init__(self, analysis: DocumentAnalysis) -> None:
        self.analysis = analysis

    def __missing__(self, unit: str) -> tuple[list[int], list[bool]]:
        if unit == "word":
            starts = self.analysis.words.starts.tolist()
            self[unit] = starts, [False] * len(starts)
        else:
            self[unit] = token_begins(self.analysis.document.text, load_encoding(unit).encoding)
        return self[unit]

    def weigher(self, unit: str):
        """What counts the tokens of a text by itself."""
        encoding = load_encoding(unit).encoding
        return lru_cache(maxsize=None)(lambda text: len(encoding.encode_ordinary(text)))


def plain_questions(questions) -> list[oracle.Question]:
    return [
        oracle.Question(found.question.id, found.question.match, [oracle.Entry(*entry) for entry in found.evidence])
        for found in questions
    ]


def settings_of(chunker) -> oracle.Settings:
    has = {name: getattr(chunker, name) for name in oracle.Settings._fields if hasattr(chunker, name)}
    return oracle.Settings(**has)


def cut(document, chunker) -> list[chunks_oracle.Window]:
    """The chunks of a document as the oracle cuts it."""
    return chunks_oracle.cut(plain(document), settings_of(chunker))
