"""The page as data and as HTML: the words of the screen, the figures of the JSON, and texts that stay text."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

import pytest
from reports.pages import blocks, html, page, stored

from chunkscope import (
    Document,
    FixedChunker,
    HeadingChunker,
    Question,
    SentenceChunker,
    check_labels,
    read_corpus,
    read_questions,
    recall,
    sweep,
)
from chunkscope.corpus import demo_path
from chunkscope.language import in_language
from chunkscope.reports.advice_text import advice_sentences
from chunkscope.reports.page.words import WORDS
from chunkscope.reports.recall_text import recall_sentences
from chunkscope.reports.visible import visible

pytest.importorskip("jinja2")
pytest.importorskip("vl_convert")

WAYS = [FixedChunker(), SentenceChunker(), HeadingChunker()]


@cache
def demo(language="ja", kind="sweep"):
    corpus = read_corpus(demo_path(language) / "docs")
    labels = check_labels(corpus, read_questions(demo_path(language) / "questions.jsonl"))
    grid = {"chunkers": WAYS, "sizes": "100..600:100", "overlaps": ["0", "1/6"]}
    if kind == "structure":
        return sweep(corpus, **grid), corpus, None
    return (recall if kind == "recall" else sweep)(corpus, labels, **grid), corpus, labels


KINDS = ["sweep", "structure", "recall"]


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_advice_is_that_of_the_screen_word_by_word(kind, lang):
    result, corpus, labels = demo(kind=kind)
    sentences = recall_sentences if kind == "recall" else advice_sentences
    told = [tuple(in_language(part, lang) for part in pair) for pair in sentences(result, visible)]
    assert told
    assert list(page(result, corpus, labels, WAYS, lang=lang).advice) == told


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_of_a_cell_is_that_of_the_result(kind):
    result, corpus, labels = demo(kind=kind)
    data = page(result, corpus, labels, WAYS).data
    titles = data["titles"]
    for cell, (name, size, overlap, figures) in zip(result.cells, data["cells"], strict=True):
        told = dict(zip(titles, figures, strict=True))
        assert (size, overlap) == (cell.size, cell.overlap)
        assert cell.chunker in name
        assert told["chunks"] == f"{cell.chunks:,}"
        assert told["largest"] == f"{cell.lengths.longest:,}"
        if kind == "sweep":
            assert told["answer cut"] == f"{cell.split_questions:,}"
            assert told["header lost"] == f"{cell.header_lost_questions:,}"
        if kind == "recall":
            found = cell.retrieval[0]
            k = str(found["k"][-1])
            assert told["k"] == k
            assert told["answered of 13"] == f"{found['answered'][k][0]:,}"
    assert {place for line in data["lines"] for place in line["cells"]} == set(range(len(result.cells)))


def test_what_became_of_each_question_is_what_the_result_says():
    result, corpus, labels = demo()
    data = page(result, corpus, labels, WAYS).data
    ids = [question[0] for question in data["questions"]]
    for cell, states in zip(result.cells, data["states"], strict=True):
        assert [name for name, state in zip(ids, states, strict=True) if state == "c"] == list(cell.split_question_ids)
        lost = [name for name in cell.header_lost_question_ids if name not in cell.split_question_ids]
        assert [name for name, state in zip(ids, states, strict=True) if state == "h"] == lost


def test_what_is_missed_in_a_recall_is_told_with_its_cause_and_rank():
    result, corpus, labels = demo(kind="recall")
    data = page(result, corpus, labels, WAYS).data
    letters = {"split": "c", "header_lost": "h", "below": "b"}
    ids = [question[0] for question in data["questions"]]
    for cell, states, ranks in zip(result.cells, data["states"], data["ranks"], strict=True):
        missed = cell.retrieval[0]["missed"]
        assert dict(zip(ids, states, strict=True)) == {
            name: letters[missed[name]] if name in missed else "w" for name in ids
        }
        for place, rank in ranks.items():
            assert cell.retrieval[0]["first_rank_answered"][ids[int(place)]] == rank


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_result_makes_the_same_page_and_the_same_bytes_each_time(kind, lang):
    result, corpus, labels = demo(kind=kind)
    first = html(result, corpus, labels, WAYS, lang=lang)
    assert html(stored(result), corpus, labels, WAYS, lang=lang) == first


def test_evidence_stands_where_the_text_has_it():
    result, corpus, labels = demo()
    found = blocks(html(result, corpus, labels, WAYS))
    names = [name for name, _ in found["data"]["documents"]]
    texts = {
        name: found[f"document-{block}"]["text"]
        for block, place in enumerate(found["data"]["shown"])
        for name in [names[place]]
    }
    quotes = {located.question.id: [q.text for q in located.question.quotes] for located in labels.valid}
    for name, _, _, evidence in found["data"]["questions"]:
        assert [texts[names[place]][start:end] for place, start, end in evidence] == quotes[name]


def test_what_the_page_lacks_is_told():
    result, corpus, labels = demo()
    made = page(
        result, corpus, labels, [FixedChunker()], characters=700, lacking={("sentence", "char", True): "why not"}
    )
    assert "1 of 5 documents" in made.limits[0] or "2 of 5 documents" in made.limits[0]
    assert any("why not" in text for text in made.limits)
    assert any(line.get("lacking") == "why not" for line in made.data["lines"])


def test_doubts_stand_at_the_top():
    result, corpus, labels = demo()
    text = html(result, corpus, labels, WAYS, doubts=["rules.md has changed"])
    assert text.index("rules.md has changed") < text.index("<main>")


def test_words_of_the_script_are_all_there_and_all_used():
    from importlib import resources

    script = (resources.files("chunkscope.reports.page") / "page.js").read_text("utf-8")
    states = re.search(r"STATE_WORDS = \{(.*?)\};", script)[1]
    used = set(re.findall(r'say\("(\w+)"', script)) | set(re.findall(r"words\.(\w+)", script))
    used |= set(re.findall(r'further\("(\w+)"', script)) | set(re.findall(r'"(\w+)"', states))
    used |= {"first_part", "last_part", "middle_part", "holds_whole"}
    assert used == set(WORDS)


NASTY = (
    "# <script>window.hacked=1</script>\n\n</script><script>window.hacked=2</script> <img src=x onerror=window.hacked=3>\n"
    "[a](javascript:window.hacked=4) <!-- --> <![CDATA[ \u2028\u2029 \u202eevil\u202c \x00\x1b[31m {{ 7*7 }} {% raw %} `${1}`\n"
    "| <b onclick=x> | &lt; |\n|---|---|\n| 1 | \"'>< |\n"
)


def hostile(name="<script>window.hacked=5</script>.md"):
    documents = [
        Document(name, NASTY + "鮪。" * 30),
        Document("\"'><svg onload=window.hacked=6>.md", NASTY + "二。"),
    ]
    asked = [
        Question.of(
            "<img src=x onerror=window.hacked=7>",
            "</script><script>window.hacked=8</script>\u202e",
            doc=name,
            evidence="鮪。" * 30,
        ),
        Question.of("q\u202e2", "{{ 7*7 }}", doc=name, evidence="[a](javascript:window.hacked=4)"),
    ]
    labels = check_labels(documents, asked)
    assert len(labels.valid) == 2
    ways = [FixedChunker(), SentenceChunker()]
    result = sweep(documents, labels, chunkers=ways, sizes=[20, 40], overlaps=[0], settings={"<b>": "</script>"})
    return result, documents, labels, ways


class Tags(HTMLParser):
    """The tags of a page, their attributes, and the texts of its scripts."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.scripts = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag == "script":
            self.scripts.append(dict(attrs))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_hostile_texts_add_no_tag_and_no_attribute(lang):
    plain, tags = Tags(), Tags()
    quiet = [Document("a.md", "鮪。" * 30), Document("b.md", "二。" * 9)]
    labels = check_labels(
        quiet,
        [
            Question.of("q1", "?", doc="a.md", evidence="鮪。" * 30),
            Question.of("q2", "?", doc="b.md", evidence="二。" * 9),
        ],
    )
    ways = [FixedChunker(), SentenceChunker()]
    result = sweep(quiet, labels, chunkers=ways, sizes=[20, 40], overlaps=[0], settings={"b": "s"})
    plain.feed(html(result, quiet, labels, ways, lang=lang))
    text = html(*hostile(), lang=lang)
    tags.feed(text)
    assert set(tags.tags) <= set(plain.tags)
    assert len(tags.scripts) == len(plain.scripts)
    assert not [one for one in tags.attributes if one[1].startswith("on") or one[1] == "style"]
    assert not [
        one for one in tags.attributes if one[1] in ("href", "src", "action") and not str(one[2]).startswith("#")
    ]
    for hidden in "\u202e\u202c\u2028\u2029\x00\x1b":
        assert hidden not in text
    text.encode()
    data = blocks(text)
    assert data["document-0"]["text"].startswith("# <script>")
    assert "49" not in data["data"]["questions"][1][1]


def test_the_policy_allows_the_own_script_and_style_and_nothing_else():
    import base64
    import hashlib

    text = html(*demo(), WAYS)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    parts = {entry.split()[0]: entry.split()[1:] for entry in policy.split("; ")}
    assert parts["default-src"] == ["'none'"]
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        [own] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert parts[kind] == [f"'sha256-{base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()}'"]
    assert "unsafe" not in policy
    assert "http" not in re.sub(
        r"http://www\.w3\.org/\S+?\"", "", text.partition("</head>")[2].split('<script type="application/json"')[0]
    )


def test_a_page_of_nothing_is_a_page():
    result = sweep([Document("a.md", "")], chunkers="fixed", sizes=[5], overlaps=[0])
    assert blocks(html(result, [Document("a.md", "")], None, [FixedChunker()]))["data"]["cells"]


def test_a_line_of_a_million_characters_stays_one():
    document = Document("a.md", "鮪" * 1_000_000)
    result = sweep([document], chunkers="fixed", sizes=[500], overlaps=[0])
    text = html(result, [document], None, [FixedChunker()])
    assert len(blocks(text)["document-0"]["text"]) == 1_000_000


def test_of_a_large_grid_the_page_has_the_cells_that_are_shown_and_says_how_many():
    document = Document("a.md", "一つ。二つ。三つ。" * 60)
    labels = check_labels(
        [document], [Question.of("q", "?", doc="a.md", evidence=document.text[3:90], spans=[[3, 90]])]
    )
    result = sweep([document], labels, chunkers=WAYS, sizes="10..500:1", overlaps=[0])
    made = page(result, [document], labels, WAYS)
    assert len(result.cells) > 1_400
    assert len(made.data["cells"]) <= 1_000
    assert made.data["cells"][made.data["advised"]][1] == result.advice.size
    assert f"of the {len(result.cells):,} settings" in " ".join(made.limits)
    # the sentences are those of all cells
    assert list(made.advice) == [tuple(pair) for pair in advice_sentences(result, visible)]
    assert len({cell for line in made.data["lines"] for cell in line["cells"]}) == len(made.data["cells"])


def test_chunks_are_not_written_without_end(monkeypatch):
    from chunkscope.grid import views

    monkeypatch.setattr(views, "MOST_CHUNKS", 40)
    result, corpus, labels = demo()
    made = page(result, corpus, labels, WAYS)
    written = sum(len(spans.split()) for one in made.documents for spans in one["spans"].values())
    assert written <= 40
    assert made.limits[0].startswith("0 of 5") or written
