"""Reading documents: names, encodings, what is left out, and what is refused."""

from __future__ import annotations

import copy
import csv
import dataclasses
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from chunkscope.corpus import document as documents
from chunkscope.corpus.decoding import decode, read_bytes
from chunkscope.corpus.dialect import find_dialect
from chunkscope.corpus.document import Document
from chunkscope.corpus.encodings import check_encoding
from chunkscope.corpus.name_filter import NameFilter
from chunkscope.corpus.reading import Corpus, read_corpus
from chunkscope.errors import ConfigError, DecodingError, InputError
from chunkscope.questions.question import read_questions

CP932 = bytes.fromhex("945c97cd955c8146878aeee08fbc8141874094d48142")


def write(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def names(corpus):
    return [document.name for document in corpus]


def test_a_folder_is_read_in_order_of_names_without_hidden_files_and_counts_the_rest(tmp_path):
    write(tmp_path, **{"b.md": "b", "a/z.MD": "z", "a/é.txt": "é", "B.markdown": "B", "c.mdx": "", "d.html": "<p>"})
    write(tmp_path, **{".hidden.md": "h", ".git/x.md": "x", "a/.x/y.md": "y", "p.pdf": "", "q.PDF": "", "LICENSE": ""})
    corpus = read_corpus(tmp_path)
    assert names(corpus) == ["B.markdown", "a/z.MD", "a/é.txt", "b.md", "c.mdx", "d.html"] == list(corpus.names)
    assert corpus.ignored == {".pdf": 2, "": 1}
    assert [document.markup for document in corpus] == [
        "markdown",
        "markdown",
        "plain",
        "markdown",
        "markdown",
        "html",
    ]
    assert len(corpus) == 6
    assert names(corpus) == names(corpus), "it can be gone through again"


def test_digests_are_those_of_the_bytes_and_the_whole_depends_on_names_and_bytes(tmp_path):
    raw = b"\xef\xbb\xbf# A\r\n"
    write(tmp_path, **{"a.md": raw})
    corpus = read_corpus(tmp_path)
    assert corpus.files == {"a.md": hashlib.sha256(raw).hexdigest()}
    before = corpus.sha256
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    assert read_corpus(tmp_path).sha256 != before


def test_nothing_in_a_text_is_changed(tmp_path):
    text = "\t a\r\nb\rc\n\u00a0か\u3099\u200b\ufeff\x00\x0b\u2028 \n\n"
    write(tmp_path, **{"a.md": text})
    assert next(iter(read_corpus(tmp_path))).text == text


def test_one_file_is_a_corpus_whatever_its_suffix(tmp_path):
    write(tmp_path, **{"notes.rst": "x", "a.txt": "# no heading"})
    assert names(read_corpus(tmp_path / "notes.rst", include=["*.csv"])) == ["notes.rst"]
    assert next(iter(read_corpus(tmp_path / "a.txt"))).markup == "plain"
    assert next(iter(read_corpus(tmp_path / "a.txt", markup="markdown"))).markup == "markdown"


def test_csv_comes_in_when_asked_for_and_is_plain(tmp_path):
    write(tmp_path, **{"x/a.csv": 'id,備考\n1,"一行目\n二行目"\n2,終\n', "b.md": "b"})
    (document,) = read_corpus(tmp_path, include=["*.csv"])
    assert (document.name, document.markup) == ("x/a.csv", "plain")
    assert document.text[8:17] == '"一行目\n二行目"'


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (["ja/**"], [], ["ja/a.md", "ja/x/b.md"]),
        (["ja/*"], [], ["ja/a.md"]),
        (["**/b.md"], [], ["b.md", "ja/x/b.md"]),
        (["b.md"], [], ["b.md", "ja/x/b.md"]),
        (["/b.md"], [], ["b.md"]),
        (["ja/"], [], ["ja/a.md", "ja/x/b.md"]),
        ([], ["ja"], ["b.md"]),
        ([], ["ja/"], ["b.md"]),
        ([], ["ja/**"], ["b.md"]),
        ([], ["x"], ["b.md", "ja/a.md"]),
        ([], ["?.md"], []),
        ([], ["[ab].md"], []),
        ([], ["[!a].md"], ["ja/a.md"]),
        (["*.png"], [], ["ja/p.png"]),
        (["*"], ["a.*"], ["b.md", "ja/x/b.md"]),
    ],
)
def test_globs(include, exclude, expected):
    chosen = NameFilter(include, exclude)
    everything = ["b.md", "ja/a.md", "ja/p.png", "ja/x/b.md"]
    assert [name for name in everything if chosen.accepts(name)] == expected


def test_an_excluded_folder_is_not_entered(tmp_path):
    write(tmp_path, **{"a.md": "a", "bad/b.md": b"\xff"})
    assert names(read_corpus(tmp_path, exclude=["bad"])) == ["a.md"]


def test_link_loops_end_and_each_folder_is_read_once_under_its_real_name(tmp_path):
    write(tmp_path, **{"z/a.md": "a"})
    (tmp_path / "z" / "loop").symlink_to(tmp_path)
    (tmp_path / "z" / "self").symlink_to("self")
    (tmp_path / "b").symlink_to(tmp_path / "z")
    assert names(read_corpus(tmp_path)) == ["z/a.md"]


def test_links_that_lead_out_are_followed_on_demand_only_and_told(tmp_path):
    write(tmp_path, **{"out/a.md": "a", "out/p.png": "", "in/b.md": "b", "in-and-out/c.md": "c"})
    folder = tmp_path / "in"
    (folder / "more").symlink_to(tmp_path / "out")
    (folder / "c.md").symlink_to("../in-and-out/c.md")
    (folder / "p.png").symlink_to(tmp_path / "out" / "p.png")
    (folder / "twin.md").symlink_to("b.md")
    (folder / "up").symlink_to("..")
    corpus = read_corpus(folder)
    assert (names(corpus), corpus.ignored) == (["b.md", "twin.md"], {".png": 1})
    assert corpus.unfollowed == ("c.md", "more", "up")
    assert corpus.warnings == (
        "3 links that lead out of the folder, c.md first, are not followed without --follow-links",
    )
    followed = read_corpus(folder, follow_links=True)
    assert {"b.md", "c.md", "more/a.md", "twin.md"} <= set(names(followed))
    assert (followed.unfollowed, followed.warnings) == ((), ())
    (tmp_path / "link").symlink_to(folder)
    assert names(read_corpus(tmp_path / "link")) == ["b.md", "twin.md"]
    (folder / "b.md").unlink()
    (folder / "twin.md").unlink()
    with pytest.raises(InputError, match=r"no document in it .*; 3 links that lead out of the folder"):
        read_corpus(folder)


def test_links_to_hidden_files_are_followed_on_demand_only(tmp_path):
    write(tmp_path, **{".git/config": "s", ".git/e.md": "s", ".env": "s", "a.md": "a"})
    (tmp_path / "b.md").symlink_to(".git/config")
    (tmp_path / "c").symlink_to(".git")
    (tmp_path / "d.md").symlink_to(".env")
    corpus = read_corpus(tmp_path)
    assert (names(corpus), corpus.unfollowed) == (["a.md"], ("b.md", "c", "d.md"))
    assert {"b.md", "c/e.md", "d.md"} <= set(names(read_corpus(tmp_path, follow_links=True)))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_or_a_device_that_is_named_is_refused_at_once(tmp_path):
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (pipe, tmp_path / "pipe.jsonl", "/dev/zero", "/dev/null"):
        with pytest.raises(InputError, match=f"^{path}: not a regular file; write the documents to one$"):
            read_corpus(path)
        with pytest.raises(InputError, match=f"^{path}: not a regular file$"):
            read_questions(path)


def test_a_document_that_has_become_a_pipe_is_not_waited_for(tmp_path):
    write(tmp_path, **{"a.md": "a"})
    (document,) = read_corpus(tmp_path)
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(InputError, match=r"^a\.md: not a regular file$"):
        _ = document.text


READERS = """
import os, sys
from chunkscope.corpus.reading import read_corpus
from chunkscope.questions.question import read_questions
"""
SEE = """
for path in sys.argv[1:]:
    for read in (read_corpus, read_questions):
        try:
            print(len(list(read(path))))
        except ValueError as error:
            print(error)
corpus = read_corpus(sys.argv[1], skip_unreadable=True)
print(corpus.names, corpus.unreadable)
"""


def test_what_another_user_may_not_read_is_told(tmp_path):
    write(tmp_path, **{"docs/a.md": "a", "docs/b.md": "b", "docs/x/c.md": "c", "closed/d.md": "d"})
    docs, closed = tmp_path / "docs", tmp_path / "closed"
    for folder in (tmp_path, *tmp_path.parents[:3]):
        os.chmod(folder, 0o755)
    for path in (docs / "b.md", docs / "x", closed):
        os.chmod(path, 0)
    # root may read everything
    lower = "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n" if os.getuid() == 0 else ""
    try:
        done = subprocess.run(
            [sys.executable, "-c", READERS + lower + SEE, docs, docs / "b.md", closed, closed / "d.md"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    finally:
        for path in (docs / "x", closed):
            os.chmod(path, 0o755)
    assert done.stdout.splitlines() == [
        "x: permission denied",
        f"{docs}: a folder, not a file",
        "b.md: permission denied",
        f"{docs / 'b.md'}: permission denied",
        f"{closed}: permission denied",
        f"{closed}: permission denied",
        f"{closed / 'd.md'}: permission denied",
        f"{closed / 'd.md'}: permission denied",
        "('a.md',) ('x: permission denied', 'b.md: permission denied')",
    ]


@pytest.mark.parametrize("encoding", [None, "latin-1", "cp437", "utf-16-le"])
@pytest.mark.parametrize(
    ("name", "raw", "kind"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3", "a PDF file"),
        ("a.docx", b"PK\x03\x04\x14\x00", "a zip archive"),
        ("a.doc", bytes.fromhex("d0cf11e0a1b11ae1"), "an Office file"),
        ("a.rtf", rb"{\rtf1\ansi}", "an RTF file"),
    ],
)
def test_files_that_are_known_to_be_no_text_are_refused_whatever_the_encoding(tmp_path, name, raw, kind, encoding):
    write(tmp_path, **{name: raw, "b.md": "ok"})
    for path in (tmp_path, tmp_path / name):
        with pytest.raises(
            DecodingError, match=f"{name}: {kind}.*; make Markdown of it with chunkscope convert, or give --skip"
        ):
            read_corpus(path, include=["*.*"], encoding=encoding)
    corpus = read_corpus(tmp_path, include=["*.*"], encoding=encoding, skip_unreadable=True)
    assert names(corpus) == ["b.md"]
    assert corpus.unreadable[0].endswith("; make Markdown of it with chunkscope convert")


def test_a_broken_link_and_a_pipe_are_errors_or_listed(tmp_path):
    write(tmp_path, **{"a.md": "a"})
    (tmp_path / "gone.md").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(InputError, match=r"gone\.md: a link that leads nowhere"):
        read_corpus(tmp_path)
    corpus = read_corpus(tmp_path, skip_unreadable=True)
    assert names(corpus) == ["a.md"]
    advice = "take it away, or give --exclude"
    assert corpus.unreadable == (
        f"gone.md: a link that leads nowhere; {advice}",
        f"pipe.md: not a regular file; {advice}",
    )


def test_json_that_is_no_json_lines_is_refused_and_ndjson_is_read(tmp_path):
    write(tmp_path, **{"a.json": '[{"name": "a", "text": "x"}]', "b.ndjson": '{"name": "b", "text": "y"}\n'})
    with pytest.raises(InputError, match=r"a\.json: JSON is no document; write a document a line, as \.jsonl, or give"):
        read_corpus(tmp_path / "a.json")
    assert names(read_corpus(tmp_path / "a.json", markup="plain")) == ["a.json"]
    assert names(read_corpus(tmp_path / "b.ndjson")) == ["b"]


def test_a_second_byte_order_mark_is_warned_of(tmp_path):
    write(tmp_path, **{"a.md": b"\xef\xbb\xbf\xef\xbb\xbf# A"})
    corpus = read_corpus(tmp_path)
    assert [document.text for document in corpus] == ["\ufeff# A"]
    assert corpus.warnings == ("a.md: begins with two byte order marks; the second is kept as part of the text",)


@pytest.mark.parametrize("text", [None, b"x", 5])
def test_a_text_that_is_none_is_refused(text):
    with pytest.raises(InputError, match=r"a\.md: the text must be a str, not"):
        Document("a.md", text)


@pytest.mark.parametrize("name", [None, 5, "", "a\ud83d.md"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(InputError, match="name"):
        Document(name, "x")


@pytest.mark.parametrize("offset", [-1, 5, 10**6])
def test_an_offset_outside_the_text_has_no_position(offset):
    document = Document("a.md", "一\n二三")
    assert [document.position(place)[:] for place in (0, 2, 4)] == [(1, 1), (2, 1), (2, 3)]
    with pytest.raises(InputError, match=f"a.md: there is no offset {offset} in a text of 4 characters"):
        document.position(offset)


def test_a_file_that_vanishes_is_an_error_or_listed(tmp_path, monkeypatch):
    write(tmp_path, **{"a.md": "a", "b.md": "b"})
    opened = os.open

    def vanish(path, *arguments):
        if os.fspath(path).endswith("a.md"):
            raise FileNotFoundError(2, "No such file or directory")
        return opened(path, *arguments)

    monkeypatch.setattr(os, "open", vanish)
    with pytest.raises(InputError, match=r"^a\.md: no such file"):
        read_corpus(tmp_path)
    assert read_corpus(tmp_path, skip_unreadable=True).unreadable == ("a.md: no such file or folder",)


def test_a_name_that_is_not_utf8_is_an_error_in_one_printable_line(tmp_path):
    write(tmp_path, **{"a.md": "a"})
    with open(os.fsencode(tmp_path) + b"/\x83e.md", "wb"):
        pass
    with pytest.raises(InputError, match="name is not UTF-8") as caught:
        read_corpus(tmp_path)
    str(caught.value).encode()
    assert names(read_corpus(tmp_path, skip_unreadable=True)) == ["a.md"]


@pytest.mark.parametrize("path", ["none", "none/a.md", "a\0b"])
def test_no_such_path(tmp_path, path):
    with pytest.raises(InputError):
        read_corpus(f"{tmp_path}/{path}")


def test_a_folder_without_documents_says_what_was_looked_for_and_what_is_there(tmp_path):
    with pytest.raises(InputError, match=r"no document in it \(looked for \.md"):
        read_corpus(tmp_path)
    write(tmp_path, **{f"{number}.pdf": "" for number in range(12)}, **{"a.csv": ""})
    with pytest.raises(InputError, match=r"12 \.pdf ignored: chunkscope convert makes .* of them; 1 \.csv ignored"):
        read_corpus(tmp_path)


def test_undecodable_bytes_name_file_offset_and_option(tmp_path):
    write(
        tmp_path, **{"a.md": b"abc\xff\xfedef", "c.md": "日本".encode()[:-1], "b.md": "題名。証拠。".encode("utf-16")}
    )
    with pytest.raises(
        DecodingError, match=r"^a\.md: byte 3 is not UTF-8; give --encoding, e\.g\. cp1252, or --skip-unr"
    ):
        read_corpus(tmp_path)
    corpus = read_corpus(tmp_path, skip_unreadable=True)
    assert corpus.unreadable == (
        "a.md: byte 3 is not UTF-8; give --encoding, e.g. cp1252",
        "c.md: byte 3 is not UTF-8; give --encoding, e.g. cp932",
    )
    (document,) = corpus
    assert document.text == "題名。証拠。"
    assert list(corpus.files) == ["b.md"]


def test_cp932_is_read_when_named_and_never_guessed(tmp_path):
    write(tmp_path, **{"a.txt": CP932})
    with pytest.raises(DecodingError, match=r"byte 0 is not UTF-8; give --encoding, e\.g\. cp932"):
        read_corpus(tmp_path)
    assert next(iter(read_corpus(tmp_path, encoding="cp932"))).text == "能力表：㈱髙松、①番。"
    with pytest.raises(DecodingError, match=r"a\.txt: byte \d+ is not shift_jis"):
        read_corpus(tmp_path, encoding="shift_jis")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides_over_the_option_and_is_dropped(codec):
    assert decode("# 題\r\n".encode(codec), "a.md", "cp932") == "# 題\r\n"


@given(texts(), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]))
def test_marked_text_comes_back_exactly(text, codec):
    text = text.lstrip("\0")  # behind the mark of UTF-16 LE, it makes that of UTF-32 LE
    assert decode(("\ufeff" + text).encode(codec), "a.md") == text


@pytest.mark.parametrize(
    ("raw", "offset"), [(b"\xef\xbb\xbfab\xff", 5), (b"\xff\xfea\x00\x00\xd8", 4), (b"\xff\xfea", 2)]
)
def test_offsets_of_bad_bytes_count_the_mark(raw, offset):
    with pytest.raises(DecodingError, match=f"byte {offset} is not .*, though its byte order mark says so"):
        decode(raw, "a.md")


@pytest.mark.parametrize(
    ("raw", "example"),
    [
        (b"caf\xe9 au lait, c'est bon\n", "cp1252"),
        (b"\x93a quote\x94 in a text of some length", "cp1252"),
        ("宿泊費の上限".encode("cp932"), "cp932"),
        ("宿泊費の上限".encode("euc_jp"), "euc_jp"),
        ("設備一覧".encode("cp932"), "cp932"),
        ("漢字".encode("cp932"), "cp932"),
    ],
)
def test_the_encoding_that_is_named_as_an_example_fits(raw, example):
    with pytest.raises(DecodingError, match=f"give --encoding, e.g. {example}, or"):
        decode(raw, "a.md")


def test_a_name_that_others_have_for_an_encoding_is_known(tmp_path):
    write(tmp_path, **{"a.md": "a"})
    with pytest.raises(ConfigError, match="did you mean 'cp932'"):
        read_corpus(tmp_path, encoding="windows-31j")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("glob", ["NFC", "NFD"])
def test_globs_fit_names_whose_marks_stand_apart(tmp_path, form, glob):
    name, pattern = unicodedata.normalize(form, "データ.md"), unicodedata.normalize(glob, "デー*")
    write(tmp_path, **{name: "a", "b.md": "b"})
    assert names(read_corpus(tmp_path, include=[pattern])) == [name]
    assert names(read_corpus(tmp_path, exclude=[pattern])) == ["b.md"]


def test_a_byte_order_mark_between_joined_files_is_no_fault(tmp_path):
    write(tmp_path, **{"a.jsonl": '{"name": "a", "text": "x"}\n\ufeff{"name": "b", "text": "y"}\n'})
    assert names(read_corpus(tmp_path / "a.jsonl")) == ["a", "b"]


@pytest.mark.parametrize("encoding", ["sjiss", "", "hex", "rot13", "a\0b", "zlib"])
def test_what_is_no_encoding_of_text_is_refused(tmp_path, encoding):
    write(tmp_path, **{"a.md": "a"})
    with pytest.raises(ConfigError, match="is no encoding of text"):
        read_corpus(tmp_path, encoding=encoding)


@pytest.mark.parametrize("encoding", ["rot13", "base64", "zip", "utf9"])
def test_an_encoding_that_is_suggested_makes_text(encoding):
    with pytest.raises(ConfigError) as caught:
        check_encoding(encoding)
    suggested = re.findall("'([^']*)'", str(caught.value))[1:]
    assert suggested
    assert all(check_encoding(name) == name for name in suggested)


def test_doubtful_files_are_read_with_a_warning_that_names_the_option(tmp_path):
    write(
        tmp_path, **{"jis.txt": "設備①".encode("iso2022_jp_ext", "ignore"), "nul.txt": "前\0半。", "u16.txt": b"a\0b\0"}
    )
    write(tmp_path, **{"colour.txt": "\x1b[1mbold\x1b(B\x1b[m"})
    corpus = read_corpus(tmp_path)
    assert [warning.split(":")[0] for warning in corpus.warnings] == ["jis.txt", "nul.txt", "u16.txt"]
    assert "--encoding iso2022_jp" in corpus.warnings[0]
    assert "--encoding utf-16-le" in corpus.warnings[2]
    assert {document.name: document.text for document in corpus}["nul.txt"] == "前\0半。"


def test_real_files_decode_as_their_manifest_says(data):
    with open(data / "messy" / "manifest.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        encoding = None if row["encoding"].startswith("utf") else row["encoding"]
        corpus = read_corpus(data / "messy" / "files" / row["file"], encoding=encoding)
        (document,) = corpus
        assert len(document.text) == int(row["chars"]), row["file"]
        assert corpus.files == {row["file"]: row["sha256"]}
        if encoding in ("cp932", "euc_jp"):
            with pytest.raises(DecodingError, match=f"e.g. {encoding}"):
                read_corpus(data / "messy" / "files" / row["file"])
    jis = read_corpus(data / "messy" / "files" / "04-iso2022jp.txt")
    assert any("--encoding iso2022_jp" in warning for warning in jis.warnings)


def records(tmp_path, *rows, end="\n"):
    path = tmp_path / "docs.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_bytes("".join(line + end for line in lines).encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n \n"])
def test_a_jsonl_corpus_gives_a_document_a_line(tmp_path, end):
    path = records(
        tmp_path, {"name": "a.md", "text": "あ\r\n", "status": "old", "id": 1}, {"id": 7, "text": ""}, end=end
    )
    corpus = read_corpus(path)
    for _ in range(2):
        first, second = corpus
        assert (first.name, first.text, first.fields) == ("a.md", "あ\r\n", {"status": "old", "id": 1})
        assert (second.name, second.text, second.fields) == ("7", "", {})
    assert corpus.files == {"docs.jsonl": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert corpus.names == ("a.md", "7")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_jsonl_corpus_may_bear_a_byte_order_mark(tmp_path, codec):
    path = tmp_path / "docs.jsonl"
    path.write_bytes(
        "\n".join(json.dumps({"id": str(n), "text": "上ഊ" * n}, ensure_ascii=False) for n in range(9)).encode(codec)
    )
    assert [len(document.text) for document in read_corpus(path)] == [2 * n for n in range(9)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object, but a list"),
        ('{"text": ""}', "no 'name'"),
        ('{"name": null, "text": ""}', "'name' must be a string, not null"),
        ('{"name": "", "text": ""}', "a document needs a name"),
        ('{"id": true, "text": ""}', "'id' must be a string, not a boolean"),
        ('{"id": "b"}', "'b' has no 'text'"),
        ('{"id": "b", "text": 5}', "'b' has no 'text'"),
        ('{"id": "b", "text": "\\ud83d"}', "half of a surrogate pair"),
        ('{"id": "b", "text": "", "x": NaN}', "NaN is no number"),
        ('{"id": "b", "text": "", "text": "x"}', "field 'text' stands twice"),
        ('{"id": "a.md", "text": "x"}', "a second document called 'a.md'"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_record_is_an_error_with_its_line(tmp_path, line, message):
    path = records(tmp_path, {"name": "a.md", "text": ""}, "", line)
    with pytest.raises(InputError, match=r"docs\.jsonl:3: ") as caught:
        read_corpus(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_byte_in_a_jsonl_corpus_is_an_error_with_its_offset(tmp_path):
    path = tmp_path / "docs.jsonl"
    good = b'{"id": "a", "text": ""}\n'
    path.write_bytes(good + b'{"id": "b\xff"}\n')
    with pytest.raises(DecodingError, match=f"byte {len(good) + 9} is not"):
        read_corpus(path)
    path.write_bytes(good + '{"id": "日'.encode()[:-1])
    with pytest.raises(DecodingError, match=f"byte {len(good) + 8} is not"):
        read_corpus(path)


def test_a_jsonl_corpus_that_changes_between_two_readings_is_an_error(tmp_path):
    corpus = read_corpus(records(tmp_path, {"id": "a", "text": ""}))
    records(tmp_path, {"id": "a", "text": "longer"})
    with pytest.raises(InputError, match="has changed"):
        list(corpus)


def test_an_empty_jsonl_corpus_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no document in it"):
        read_corpus(records(tmp_path))


def test_documents_in_memory_are_a_corpus():
    corpus = Corpus.of([Document("b.md", "x"), Document("a.md", "y")])
    assert names(corpus) == ["b.md", "a.md"]
    assert Corpus.of(corpus) is corpus
    with pytest.raises(InputError, match=r"two documents are called 'a\.md'"):
        Corpus.of([Document("a.md", "x"), Document("a.md", "y")])


def test_a_folder_is_not_held_each_text_is_read_when_it_is_asked_for(tmp_path, monkeypatch):
    write(tmp_path, **{"a.md": "一つ。", "b.txt": "二つ\r\n"})
    corpus = read_corpus(tmp_path)
    opened = []
    monkeypatch.setattr(documents, "read_bytes", lambda place: opened.append(place) or read_bytes(place))
    first, second = corpus
    assert (first.name, first.length, second.markup, opened) == ("a.md", 3, "plain", [])
    elsewhere = pickle.loads(pickle.dumps(first))
    assert opened == []
    assert (first.text, first.text, len(opened)) == ("一つ。", "一つ。", 1)
    assert (elsewhere.text, len(opened)) == ("一つ。", 2)
    assert pickle.loads(pickle.dumps(first)) == first
    renamed = dataclasses.replace(first, name="c.md")
    assert (renamed.text, renamed.length, pickle.loads(pickle.dumps(renamed))) == ("一つ。", 3, renamed)
    assert next(iter(corpus)) is not first
    held = Document("a.md", first.text)
    assert (first, hash(first)) == (held, hash(held))
    assert first != dataclasses.replace(held, markup="plain")
    with pytest.raises(AttributeError):
        _ = first.nothing


def test_a_text_that_was_read_goes_along_wherever_the_document_goes(tmp_path, monkeypatch):
    write(tmp_path, **{"docs/a.md": "一つ。", "docs/b.md": "二つ。"})
    monkeypatch.chdir(tmp_path)
    corpus = read_corpus("docs")
    monkeypatch.chdir("/")
    read, unread = corpus
    assert read.text == "一つ。"
    for path in (tmp_path / "docs").iterdir():
        path.unlink()
    assert [twin.text for twin in (copy.copy(read), copy.deepcopy(read), pickle.loads(pickle.dumps(read)))] == [
        "一つ。"
    ] * 3
    assert (repr(unread), unread.length) == ("FileDocument(name='b.md', text=...)", 3)


def test_a_file_that_changes_after_it_was_read_is_an_error(tmp_path):
    write(tmp_path, **{"a.md": "一つ。", "b.md": "二つ。"})
    corpus = read_corpus(tmp_path)
    write(tmp_path, **{"a.md": "三つ。"})
    (tmp_path / "b.md").unlink()
    first, second = corpus
    with pytest.raises(InputError, match=r"a\.md: the file has changed since it was first read"):
        _ = first.text
    with pytest.raises(InputError, match=r"b\.md: no such file or folder"):
        _ = second.text


def test_a_sample_is_spread_over_files_and_over_records(tmp_path):
    for number in range(10):
        (tmp_path / f"{number}.md").write_text(str(number))
    assert [document.text for document in read_corpus(tmp_path).sample(5)] == ["0", "2", "4", "6", "8"]
    records = tmp_path / "records.jsonl"
    records.write_text("".join(f'{{"name": "{number}.md", "text": "{number}"}}\n' for number in range(10)))
    read = read_corpus(records)
    assert [document.text for document in read.sample(5)] == ["0", "2", "4", "6", "8"]
    assert [document.text for document in read.sample(50)] == list("0123456789")
    records.write_bytes(records.read_text().encode("utf-16"))
    assert [document.text for document in read_corpus(records).sample(5)] == list("01234"), "lines that are not found"


@pytest.mark.parametrize(
    ("shown", "dialect"),
    [
        ("mkdocs.yml", "mkdocs"), ("docs/docusaurus.config.ts", "docusaurus"), ("website/docusaurus.config.js", "docusaurus"),
        ("docs/.vitepress/config.js", "vitepress"), ("hugo.toml", "hugo"), ("docs/.obsidian/app.json", "obsidian"),
        ("other/mkdocs.yml", "auto"), ("docs/en/mkdocs.yml", "auto"),
    ],
)  # fmt: skip
def test_a_dialect_is_known_by_what_stands_next_to_the_documents_or_above(tmp_path, shown, dialect):
    (tmp_path / ".git").mkdir()
    for name in (shown, "docs/en/a.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    for path in ("docs", "docs/en/a.md"):
        if dialect != "auto" or path == "docs":
            assert [one.dialect for one in read_corpus(tmp_path / path)] == [dialect]
    assert [one.dialect for one in read_corpus(tmp_path / "docs", dialect="github")] == ["github"]
    (tmp_path / "docs" / "r.jsonl").write_text('{"name": "a", "text": "b"}\n', encoding="utf-8")
    assert [one.dialect for one in read_corpus(tmp_path / "docs" / "r.jsonl", dialect="hugo")] == ["hugo"]


def test_a_repository_ends_the_search_for_a_dialect(tmp_path):
    (tmp_path / "mkdocs.yml").write_text("", encoding="utf-8")
    (tmp_path / "a" / ".git").mkdir(parents=True)
    (tmp_path / "a" / "b.md").write_text("", encoding="utf-8")
    assert find_dialect(tmp_path / "a")[0] == "auto"


def test_there_are_no_other_dialects(tmp_path):
    (tmp_path / "a.md").write_text("", encoding="utf-8")
    for make in (lambda: read_corpus(tmp_path, dialect="mkdoc"), lambda: Document("a.md", "", dialect="mkdoc")):
        with pytest.raises(ConfigError, match="no dialect 'mkdoc'; did you mean 'mkdocs'"):
            make()


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "cp932", "euc_jp", "iso2022_jp", "utf-16", "utf-7", "hz", "cp037"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_records_read_by_their_place_are_those_of_the_stream(tmp_path, codec, end):
    said = "" if codec == "cp037" else "上限は表の中"
    written = [{"name": f"{n}.md", "text": f"# {said}{n}\n" * n, "n": n} for n in range(5)]
    path = tmp_path / "docs.jsonl"
    path.write_bytes(end.join(json.dumps(one, ensure_ascii=codec == "hz") for one in written).encode(codec))
    corpus = read_corpus(path, encoding=None if codec in ("utf-8", "utf-8-sig", "utf-16") else codec)
    found = [pickle.loads(pickle.dumps(document)) for document in corpus]
    assert [{"name": one.name, "text": one.text, **one.fields} for one in found] == written
    assert [one.length for one in found] == [len(one["text"]) for one in written]


def test_a_record_goes_elsewhere_as_a_place_and_is_an_error_where_its_line_has_changed(tmp_path):
    path = records(tmp_path, {"id": "a", "text": "---\nk: v\n---\n本文", "x": "課長"}, {"id": "b", "text": "承認"})
    first, second = read_corpus(path)
    sent = pickle.dumps((first, second))
    assert all(word.encode() not in sent for word in ("本文", "課長", "承認"))
    assert first.attributes == {"k": "v", "x": "課長"}
    assert (first.front_matter_end, second.length) == (13, 2)
    records(tmp_path, {"id": "a", "text": "---\nk: w\n---\n本文", "x": "課長"}, {"id": "b", "text": "承認"})
    with pytest.raises(InputError, match=r"docs\.jsonl: the file has changed since it was first read"):
        _ = pickle.loads(sent)[0].text
    assert second.text == "承認"
