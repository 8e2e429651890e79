"""Encodings as people name them: lists, globs, names that Python does not know, and what is said of the wrong one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkscope.corpus.decoding import decode, doubts
from chunkscope.corpus.encodings import Encodings, check_encoding, has_nec_rows
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import ConfigError, DecodingError

NEC = b"\x1b$B-!@_Hw\x1b(B"  # ① and two kanji in ISO-2022-JP of Windows


def write(folder, **files):
    for name, raw in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)


def texts(corpus):
    return {document.name: document.text for document in corpus}


def refused(raw, encoding):
    with pytest.raises(DecodingError) as caught:
        decode(raw, "a.md", encoding)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(", or --skip-unreadable")
    return str(caught.value).removesuffix(", or --skip-unreadable")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *((name, "cp932") for name in ("windows-31j", "Windows_31J", "csWindows31J", "x-sjis", "cp943c", "win31j")),
        *((name, "euc_jp") for name in ("cp51932", "eucJP-ms", "eucjp-win", "EUC", "x-euc-jp", "cp20932")),
        *((name, "iso2022_jp") for name in ("jis", "JIS7", "cp50220", "CP50221", "cp50222", "iso-2022-jp-ms")),
        *(("utf-8n", "utf-8"), ("utf8bom", "utf-8"), ("Unicode", "utf-16"), ("windows-949", "cp949"), ("x-gbk", "gbk")),
    ],
)
def test_names_that_others_have_lead_to_what_python_reads(name, meant):
    with pytest.raises(ConfigError, match=f"{re.escape(repr(name))} is no encoding of text; did you mean '{meant}'"):
        check_encoding(name)
    assert check_encoding(meant) == meant


@pytest.mark.parametrize(
    "name", ["sjis", "ms932", "shift-jis", "SHIFT_JIS", "ujis", "csISO2022JP", "eucjp", "windows-1252"]
)
def test_names_that_python_has_are_taken(name):
    assert check_encoding(name) == name


@pytest.mark.parametrize(("name", "told"), [("ANSI", "'cp932' in Japan"), ("auto", "'utf-8,cp932'")])
def test_names_that_mean_no_encoding_are_told_what_to_write(name, told):
    with pytest.raises(ConfigError, match=told):
        check_encoding(name)


@pytest.mark.parametrize("encoding", ["utf-8,", ",", "utf-8,,cp932", "utf-8,jis", "utf-8 cp932"])
def test_a_list_with_something_else_in_it_is_refused(encoding):
    with pytest.raises(ConfigError, match="is no encoding of text"):
        check_encoding(encoding)


@pytest.mark.parametrize("encoding", ["latin-1,utf-8", "cp437,cp932", "utf-8,iso8859-1,cp932"])
def test_what_fits_any_file_stands_last_in_a_list(encoding):
    with pytest.raises(ConfigError, match="fits any file, and nothing behind it counts; put it last"):
        check_encoding(encoding)


@pytest.mark.parametrize("name", ["shift_jis", "sjis", "Shift-JIS"])
@pytest.mark.parametrize("text", ["㈱設備", "①から②へ", "髙橋", "予算①～③"])
def test_shift_jis_that_is_not_enough_names_cp932(name, text):
    told = refused(text.encode("cp932"), name)
    assert "Shift_JIS as Windows writes it is cp932: give --encoding cp932" in told
    assert told.startswith("a.md: byte ")


@pytest.mark.parametrize(
    ("raw", "encoding", "advice"),
    [
        ("㈱".encode("cp932"), "utf-8,shift_jis", "give --encoding utf-8,cp932"),
        ("①設備".encode("euc_jis_2004"), "euc_jp", "give --encoding euc_jis_2004"),
        ("ｶﾀｶﾅ".encode("iso2022_jp_ext"), "iso2022_jp", "give --encoding iso2022_jp_ext"),
        ("朱镕基".encode("gbk"), "gb2312", "give --encoding gbk"),
        ("설비는 똠".encode("cp949"), "euc_kr", "give --encoding cp949"),
        ("設備は新しい。".encode(), "cp932", "it is UTF-8; give --encoding utf-8,cp932"),
        ("設備は新しい。".encode(), "shift_jis", "it is UTF-8; give --encoding utf-8,shift_jis"),
        ("設備は新しい。".encode("cp932"), "euc_jp", "give the --encoding it has, e.g. cp932"),
        ("これは設備です。".encode("euc_jp"), "utf-8,cp932", "give --encoding utf-8,euc_jp,cp932 if it is euc_jp"),
        (b"\x81\xff", "utf-8,euc_jp", "give the --encoding it has"),
        (NEC, "iso2022_jp", "iconv -f CP50221"),
        (NEC, ["jis_x0208", "iso2022_jp"][1], "nkf -w"),
    ],
)
def test_what_does_not_fit_names_what_does(raw, encoding, advice):
    assert advice in refused(raw, encoding)


def test_every_encoding_of_a_list_that_does_not_fit_is_told_with_its_byte():
    assert refused(b"ab\x81\xff", "utf-8,cp932").startswith("a.md: byte 2 is not UTF-8, byte 2 is not cp932; ")


def test_characters_of_nec_in_iso_2022_jp_are_told_before_and_after_it_is_named(tmp_path):
    assert has_nec_rows(NEC)
    assert not has_nec_rows("設備は新しい。".encode("iso2022_jp"))
    assert not has_nec_rows("①".encode())
    write(tmp_path, **{"a.txt": NEC})
    assert "iconv -f CP50221" in read_corpus(tmp_path).warnings[0]
    with pytest.raises(DecodingError, match="iconv -f CP50221"):
        read_corpus(tmp_path, encoding="iso2022_jp")


def test_of_a_list_each_document_is_read_in_the_first_that_fits(tmp_path):
    write(tmp_path, **{"a.md": "設備".encode(), "b.md": "設備".encode("cp932"), "c.md": b"plain"})
    write(tmp_path, **{"d.md": b"\xff\xfe" + "設備".encode("utf-16-le"), "e.md": b"\xef\xbb\xbf" + "設備".encode()})
    corpus = read_corpus(tmp_path, encoding="utf-8, cp932")
    assert texts(corpus) == {"a.md": "設備", "b.md": "設備", "c.md": "plain", "d.md": "設備", "e.md": "設備"}
    assert corpus.warnings == ()
    write(tmp_path, **{"f.md": b"\x81\xff"})
    with pytest.raises(DecodingError, match=r"f\.md: byte 0 is not UTF-8, byte 0 is not cp932; "):
        read_corpus(tmp_path, encoding="utf-8,cp932")


def test_a_list_that_hides_utf8_is_doubted():
    raw = "漢字".encode()
    assert "is UTF-8 too; write utf-8 first" in doubts(raw, "a.md", "cp1252,utf-8")[0]
    assert doubts(raw, "a.md", "utf-8,cp1252") == []
    assert doubts("設備".encode("cp932"), "a.md", "cp932,utf-8") == []
    assert doubts(b"plain", "a.md", "cp932,utf-8") == []


@given(st.text("a設備漢①～－ｶﾞ。", max_size=20), st.sampled_from(["utf-8", "cp932"]))
def test_a_list_reads_what_its_first_fitting_entry_reads(text, codec):
    raw = text.encode(codec)
    expected = None
    for name in ("utf-8", "cp932"):
        try:
            expected = raw.decode(name)
            break
        except UnicodeDecodeError:
            continue
    if not raw.startswith((b"PK", b"%PDF", b"{\\rtf")):
        assert decode(raw, "a.md", "utf-8,cp932") == expected


def test_an_encoding_may_be_for_a_glob(tmp_path):
    write(tmp_path, **{"legacy/old/a.txt": "設備".encode("cp932"), "legacy/b.txt": "設備".encode("euc_jp")})
    write(tmp_path, **{"c.md": "設備".encode(), "legacy/d.txt": b"\xef\xbb\xbf" + "設備".encode()})
    globs = {"legacy/b.txt": "euc_jp", "legacy/**": "cp932"}
    assert set(texts(read_corpus(tmp_path, encodings=globs)).values()) == {"設備"}
    assert texts(read_corpus(tmp_path / "legacy" / "b.txt", encodings=globs)) == {"b.txt": "設備"}
    assert texts(read_corpus(tmp_path, encoding="utf-8,euc_jp", encodings={"legacy/old": "cp932"}))["c.md"] == "設備"


def test_a_glob_for_an_encoding_that_fits_nothing_is_told(tmp_path):
    write(tmp_path, **{"a.md": b"a"})
    assert read_corpus(tmp_path, encodings={"legcy/**": "cp932"}).warnings == (
        "encodings: 'legcy/**' fits no document",
    )
    with pytest.raises(ConfigError, match="'jis' is no encoding"):
        Encodings.of(None, {"a": "jis"})
    with pytest.raises(ConfigError, match="names nothing"):
        Encodings.of(None, {"/": "cp932"})


def test_a_jsonl_file_is_read_whole_in_the_first_that_fits(tmp_path):
    lines = ['{"name": "a", "text": "plain"}', '{"name": "b", "text": "設備"}']
    write(tmp_path, **{"a.jsonl": "\n".join(lines).encode("cp932")})
    for encoding in ("cp932", "utf-8,cp932", "utf-8,euc_jp,cp932"):
        corpus = read_corpus(tmp_path / "a.jsonl", encoding=encoding)
        assert texts(corpus) == {"a": "plain", "b": "設備"}
        assert texts(corpus) == {"a": "plain", "b": "設備"}
    with pytest.raises(DecodingError, match="is not euc_jp"):
        read_corpus(tmp_path / "a.jsonl", encoding="utf-8,euc_jp")
