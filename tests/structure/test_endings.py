"""What hangs on an end mark belongs to the sentence before it, in every form in which converters and people write it."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from strategies import texts

from chunkscope.corpus.document import Document
from chunkscope.structure.analysis import DocumentAnalysis
from chunkscope.structure.marks import BRACKETS, CLOSED

FIXTURE = Path(__file__).parents[1] / "fixtures" / "endings.md"
MARKUPS = {"md": "markdown", "mdx": "markdown", "txt": "plain", "html": "html"}


def split(text: str, name: str = "a.md") -> list[str]:
    document = Document(name, text, markup=MARKUPS[name.rsplit(".", maxsplit=1)[-1]])  # type: ignore[arg-type]
    bounds = [*DocumentAnalysis(document).sentence_starts.tolist(), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def cases() -> list[str]:
    lines = FIXTURE.read_text("utf-8").split("\n")
    return [line for line in lines if line and not line.startswith(("# ", "## "))]


@pytest.mark.parametrize("case", cases())
def test_sentences_end_where_people_end_them(case: str) -> None:
    expected = case.replace("\\n", "\n").split("¦")
    assert split("".join(expected)) == expected


@pytest.mark.parametrize("case", cases())
def test_a_text_that_is_written_apart_has_the_same_sentences(case: str) -> None:
    text = case.replace("\\n", "\n").replace("¦", "")
    apart = split(unicodedata.normalize("NFD", text))
    composed = split(unicodedata.normalize("NFC", text))
    assert [unicodedata.normalize("NFC", sentence) for sentence in apart] == composed


@given(texts())
def test_canonically_equivalent_texts_have_the_same_sentences(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    apart = split(unicodedata.normalize("NFD", text))
    assert "".join(apart) == unicodedata.normalize("NFD", text)
    assert [unicodedata.normalize("NFC", sentence) for sentence in apart] == split(composed)


@pytest.mark.parametrize(
    "case",
    [
        "<p>One.</p>¦<!-- c. D --><p>Two.</p>",
        "<p>One. ¦Two <!-- a. B. C --> three.</p>",
        '<p title="One. Two">Three. ¦Four.</p>',
        '<p>前<b title="一。二。">文</b>です。¦次。</p>',
        "<p><b>保存しますか？</b>ボタンを押す。¦次。</p>",
        "<x><![CDATA[a. B. c]]></x>\n¦<p>次。</p>",
        "<ac:code><![CDATA[a = 1。b = 2。]]></ac:code>\n¦<p>次。</p>",
        "<p>前。</p>¦<ac:x><![CDATA[if a. B then]]></ac:x>¦<p>次。</p>",
        '<p>支払う。<sup><a href="#n1">※1</a></sup>¦次に述べる。</p>',
    ],
)
def test_nothing_ends_inside_the_mark_up_of_html(case: str) -> None:
    expected = case.split("¦")
    assert split("".join(expected), "a.html") == expected


@pytest.mark.parametrize("comment", ["<!-- a. B. C -->", "{/* a. B. C */}", "<!-- 一。二。 -->", "<!-- ( 「 ` -->"])
@pytest.mark.parametrize("name", ["a.md", "a.mdx", "a.html", "a.txt"])
def test_a_comment_changes_no_sentence(comment: str, name: str) -> None:
    assert split(f"One {comment} is. Two is.", name) == [f"One {comment} is. ", "Two is."]
    assert split(f"これは{comment}本だ。次。", name) == [f"これは{comment}本だ。", "次。"]
    assert split(f"One is. Two is. {comment}", name)[-1] == f"Two is. {comment}"


def test_an_unclosed_comment_holds_nothing() -> None:
    assert split("One <!-- is. Two is. Three is.") == ["One <!-- is. ", "Two is. ", "Three is."]


@given(texts(10), texts(10))
def test_what_hangs_on_is_never_a_sentence_of_its_own(before: str, behind: str) -> None:
    for hanger in ("[3]", "<sup>3</sup>", "🎉", "（拍手）", "[citation needed]"):
        for sentence in split(f"{before}文です。{hanger}\n\n{behind}"):
            assert sentence.strip() != hanger


def test_every_closing_bracket_of_unicode_is_known() -> None:
    closing = {chr(point) for point in range(0x10000) if unicodedata.category(chr(point)) in ("Pe", "Pf")}
    assert {unicodedata.normalize("NFC", mark) for mark in closing} <= {*CLOSED, "]"}
    for opening, closer in zip(BRACKETS[::2], BRACKETS[1::2], strict=True):
        kinds = unicodedata.category(opening) + unicodedata.category(closer)
        assert kinds in ("PsPe", "PiPf", "SmSm", "SoSo")


HOSTILE = [
    "。[", "。[^", "。（あ", "。(a", "。<a ", "。<sup>", '。<a "', "。<a '", "。^[", "。{{要", "。\\cite{", "。[1", "。[1](", "。[[1](",
    "。【3†", "。※1", "。注1", "。🎉", "。:tada:", "。(^", "。w", "。笑", "。<!-", "。{/*", "。«", "。≪", '。"', '. " ', "。 (", "。[1],", "<a '<b' ",
    "<!--", "<![CDATA[", "a.[", 'a. "', "-- a! ", "――？", "<ref>。", "。[要", "。[a ", "。<span>", "。[](#fn", "。\\[", "<a b=\"",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_are_read_to_their_end(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    assert "".join(split(text, "a.txt")) == text


def test_the_cases_beside_the_checkout_are_right(sentence_cases: Path) -> None:
    wrong = []
    for line in sentence_cases.read_text("utf-8").splitlines():
        case = json.loads(line)
        right = case["right"].get("sentences")
        if right and case["kind"] in KINDS and split(case["text"], case["name"]) != right:
            wrong.append(case["id"])
    assert not wrong


KINDS = frozenset(
    "abbreviation-before-bracket aside-between-dashes closing-quote-behind-blank comment-punctuation emoji-after-end "  # noqa: SIM905
    "halfwidth-kana-quote ja-bare-mark-then-particle ja-cdata-end ja-closers-unknown ja-date-with-dots "
    "ja-katakana-particle ja-laugh-after-end ja-mark-behind-combining ja-particle-nfd ja-quote-then-noun "
    "ja-quote-then-word ja-reference-mark-ja ja-stage-note-after-end legal-citation other-languages other-scripts "
    "reference-mark-after-end ja-ok-checked".split()
)
