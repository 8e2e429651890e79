"""``check``, ``compare`` and ``init`` as people run them: formats word by word, files, flags, and how each ends."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command_line import WITHOUT_RETRIEVAL, fails, put, run

from chunkscope.corpus.reading import read_corpus
from chunkscope.questions.question import read_questions
from chunkscope.reports.width import width

ROOT = Path(__file__).parents[2]
TABLE = "| 地域 | 上限 |\r\n|---|---:|\r\n| 甲地 | 12,000円 |\r\n| 乙地 | 10,000円 |\r\n"
RULES = "# 旅費\r\n\r\n宿泊費の上限は1泊12,000円とする。実費が下回るときは実費を払う。\r\n\r\n" + TABLE
QUESTIONS = [
    {"id": "q1", "question": "上限は？", "doc": "規程.md", "evidence": "上限は1泊12,000円"},
    {
        "id": "q2",
        "question": "When may I <fly>?",
        "doc": "notes.md",
        "evidence": "A taxi is paid for after the last train.",
    },
    {"id": "t1", "question": "乙地は？", "doc": "規程.md", "evidence": "10,000円"},
    {"id": "n1", "question": "社用車は？", "evidence": []},
    {"id": "b1", "question": "誤記", "doc": "notes.md", "evidence": "Ａ taxi"},
]
FORMATS = ["text", "json", "github", "junit"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of its own with documents and questions, and no configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    put("docs/規程.md", RULES)
    put("docs/notes.md", "# Notes\n\nA taxi is paid for after the last train. Keep the receipt, 100% of it.\n")
    ask(*QUESTIONS)
    return tmp_path


def ask(*questions):
    put("questions.jsonl", "".join(json.dumps(question, ensure_ascii=False) + "\n" for question in questions))


def check(*args, size=16):
    return run("check", "docs", "-q", "questions.jsonl", *(["--size", size] if size else []), *args)


def check_json(*args, **settings):
    return json.loads(check("--format", "json", *args, **settings).stdout)


class TestFormats:
    @pytest.mark.parametrize("form", FORMATS)
    def test_reads_as_before(self, here, gold, form):
        result = check("--format", form, "--max-rows-header-lost", "50%", "--overlap", "1/6")
        assert result.exit_code == 1
        gold(f"check.{form}", result.stdout)

    @pytest.mark.parametrize("form", FORMATS)
    def test_a_pass_reads_as_before(self, here, gold, form):
        ask(*QUESTIONS[:4])
        result = check("--format", form, size=200)
        assert result.exit_code == 0
        gold(f"check-passed.{form}", result.stdout)

    def test_with_a_baseline_it_reads_as_before(self, here, gold):
        assert check("--write-baseline", "known.json").exit_code == 0
        ask(*QUESTIONS[1:])
        result = check("--baseline", "known.json", "--max-rows-header-lost", "0")
        gold("check-known.text", result.stdout)
        gold("check-known.baseline", Path("known.json").read_bytes().decode())

    def test_quiet_leaves_findings_and_the_last_line(self, here):
        loud, quiet = check().stdout.splitlines(), check("--quiet").stdout.splitlines()
        assert set(quiet) < set(loud)
        assert len(quiet) == len(check_json()["findings"]) + 1
        assert quiet[-1].startswith("failed: ")

    def test_lines_under_a_finding_fit_80_columns(self, here):
        under = [line for line in check().stdout.splitlines() if line.startswith("    ")]
        assert any("│" in line for line in under)
        assert all(width(line) <= 80 for line in under)

    def test_each_headline_leads_to_the_place(self, here):
        for finding in check_json()["findings"]:
            text = Path(finding["path"]).read_bytes().decode()
            lines = text.replace("\r\n", "\n").split("\n")
            if finding["cut"] is not None:
                rest = text[finding["cut"] :].replace("\r\n", "\n")
                assert lines[finding["line"] - 1][finding["column"] - 1 :] == rest.split("\n")[0]

    def test_github_commands_are_one_line_each_and_escaped(self, here):
        put("docs/a,b:c.md", "100% of it,\nall.")
        ask({"id": "q%\n1", "doc": "a,b:c.md", "evidence": "of it,\nall"})
        [first, *_] = check("--format", "github", size=9).stdout.splitlines()
        assert first.startswith("::error file=docs/a%2Cb%3Ac.md,line=1,col=10,title=evidence-split::q%25%0A1: ")

    def test_annotations_of_records_name_the_file_that_is_there(self, here):
        put("docs.jsonl", json.dumps({"name": "規程.md", "text": RULES}) + "\n")
        result = run(
            "check",
            "docs.jsonl",
            "-q",
            "questions.jsonl",
            "--size",
            "16",
            "--format",
            "github",
            "--label-problems",
            "warn",
        )
        [first, *_] = [line for line in result.stdout.splitlines() if "evidence-split" in line]
        assert first.startswith("::error file=docs.jsonl,title=evidence-split::docs.jsonl/規程.md:3:")

    def test_junit_has_a_case_for_each_question(self, here):
        root = ElementTree.fromstring(check("--format", "junit").stdout.encode())
        suite = root.find("testsuite[@name='chunkscope.questions']")
        became = {case.get("name"): [child.tag for child in case] for case in suite}
        assert became == {"q1": ["failure"], "q2": ["failure"], "t1": ["failure"], "n1": ["skipped"], "b1": ["failure"]}
        assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("5", "4", "1")
        assert (root.get("tests"), root.get("failures")) == ("9", "6")

    def test_junit_is_well_formed_whatever_the_documents_hold(self, here):
        put("docs/x.md", "いろ\x00は\x0b<&>\"']]>\ufffe\x1b[0mにほへと")
        ask({"id": "q\x01<&\"'\n", "doc": "x.md", "evidence": "ろ\x00は\x0b<&>\"']]>\ufffe\x1b[0mにほ"})
        result = check("--format", "junit", "--report", "text=out.txt")
        failures = ElementTree.fromstring(result.stdout.encode()).iter("failure")
        [failure] = [node for node in failures if node.get("type") == "evidence-split"]
        assert "q␁<&\"'⏎: " in failure.get("message")
        assert "\x1b" not in Path("out.txt").read_text("utf-8")

    def test_several_reports_at_once(self, here):
        result = check("--format", "github", "--report", "junit=a.xml", "--report", "json=b.json", "-o", "c.txt")
        assert result.stdout == ""
        assert Path("a.xml").read_text("utf-8") == check("--format", "junit").stdout
        assert json.loads(Path("b.json").read_text("utf-8"))["passed"] is False
        assert Path("c.txt").read_text("utf-8").startswith("::error ")

    def test_devices_may_be_named_twice(self, here):
        assert check("--report", f"json={os.devnull}", "--report", f"junit={os.devnull}").exit_code == 1

    def test_a_baseline_and_a_configuration_are_not_written_over(self, here):
        assert check("--write-baseline", "known.json").exit_code == 0
        put("chunkscope.toml", "size = 16\n")
        for output in ("known.json", "chunkscope.toml"):
            before = Path(output).read_text("utf-8")
            done = check("--baseline", "known.json", "--format", "json", "-o", output)
            assert (done.exit_code, done.stdout) == (2, "")
            assert "is read by this very command" in done.stderr
            assert Path(output).read_text("utf-8") == before
        assert check("--baseline", "known.json", "--write-baseline", "known.json").exit_code == 0

    def test_two_reports_into_one_file_are_refused(self, here):
        done = check("-o", "out.txt", "--report", "junit=./out.txt")
        assert done.exit_code == 2
        assert done.stderr == "chunkscope: out.txt: two outputs would be written there; name two files\n"
        assert not os.path.exists("out.txt")

    @pytest.mark.parametrize("entry", ["junit", "junit=", "=x", "xml=x", "junit=nowhere/x.xml", "json=docs"])
    def test_a_report_that_cannot_be_written_is_refused_before_the_work(self, here, entry):
        fails("check", "docs", "--size", "9", "--report", entry)

    @pytest.mark.parametrize("form", FORMATS)
    def test_files_in_another_order_give_the_same_bytes(self, here, form):
        names = [f"{place}.md" for place in "abcdefgh"]
        for name in names:
            shutil.copy("docs/規程.md", f"docs/{name}")
        ask(*({**QUESTIONS[0], "id": name, "doc": name} for name in names))
        first = check("--format", form).stdout
        for seed in range(3):
            random.Random(seed).shuffle(names)
            for name in names:  # a folder lists what was made last in a place of its own
                os.rename(f"docs/{name}", "docs/moved")
                os.rename("docs/moved", f"docs/{name}")
            assert check("--format", form).stdout == first


class TestThresholds:
    @pytest.mark.parametrize(
        ("flags", "status"),
        [
            ((), 1),
            (("--max-split", "2", "--max-header-lost", "1", "--label-problems", "warn"), 0),
            (("--max-split", "66%", "--max-header-lost", "100%", "--label-problems", "warn"), 1),
            (("--max-split", "67%", "--max-header-lost", "100%", "--label-problems", "warn"), 0),
            (("--max-split", "none", "--max-header-lost", "none", "--label-problems", "warn"), 0),
            (("--max-split", "none", "--max-header-lost", "none"), 1),
        ],
    )
    def test_decide_the_status(self, here, flags, status):
        result = check(*flags)
        assert result.exit_code == status, result.output

    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--max-split", "-1"], "--max-split: '-1' is no threshold"),
            (["--max-split", "150%"], "--max-split: '150%' is no threshold: a share is 100% at the most"),
            (["--max-rows-header-lost", "few"], "--max-rows-header-lost: 'few' is no threshold"),
            (["--model-limit", "0"], "--model-limit: '0' is no limit"),
            (["--model-limit", "9", "--model-unit", "nix"], "--model-unit: unit 'nix' does not exist"),
            (["--label-problems", "no"], "--label-problems: 'no' is neither"),
            (["--max-splits", "1"], "--max-splits"),
        ],
    )
    def test_that_mean_nothing_are_one_line(self, here, flags, words):
        assert words in fails("check", "docs", "--size", "9", *flags)

    def test_stand_in_the_configuration_and_flags_go_before_it(self, here):
        put(
            "pyproject.toml",
            '[tool.chunkscope]\ncorpus = "docs"\nsize = 16\n[tool.chunkscope.check]\nmax_split = 2\nmax_header_lost = "100%"\nlabel_problems = "warn"\n',
        )
        assert run("check").exit_code == 0
        assert run("check", "--max-split", "1").exit_code == 1

    @pytest.mark.parametrize(
        ("file", "table", "shown"),
        [
            (
                "pyproject.toml",
                "[tool.chunkscope]\nsize = 9\n[tool.chunkscope.check]\n",
                "pyproject.toml: [tool.chunkscope.check]",
            ),
            ("chunkscope.toml", "size = 9\n[check]\n", "chunkscope.toml: [check]"),
        ],
    )
    @pytest.mark.parametrize(
        ("entry", "words"),
        [
            ("max_spilt = 1", "has no 'max_spilt'; did you mean 'max_split'?"),
            ("max_split = -1", "max_split: -1 is no threshold"),
            ('max_split = "150%"', "max_split: '150%' is no threshold"),
            ("max_split = 0.5", "max_split: 0.5 is no threshold"),
            ("max_split = true", "max_split: True is no threshold"),
            ("baseline = 5", "baseline must be a path, not 5"),
            ('baseline = "nothing.json"', "nothing.json: no such file"),
        ],
    )
    def test_of_the_configuration_that_mean_nothing_are_named_with_their_place(
        self, here, file, table, shown, entry, words
    ):
        put(file, table + entry + "\n")
        line = fails("check", "docs")
        assert words in line
        assert shown in line or "no such file" in words

    def test_where_both_files_are_there_it_says_which_wins(self, here):
        put("pyproject.toml", "[tool.chunkscope]\nsize = 16\n")
        put("chunkscope.toml", "size = 200\n[check]\nlabel_problems = 'warn'\n")
        result = run("check", "docs", "-q", "questions.jsonl")
        assert result.exit_code == 0
        assert "warning: chunkscope.toml is used; [tool.chunkscope] of pyproject.toml is not read" in result.stderr

    @pytest.mark.parametrize("content", [b"\xff", b"[tool", b"[tool.chunkscope]\nx = ["])
    def test_a_configuration_that_cannot_be_read(self, here, content):
        put("pyproject.toml", content)
        assert "pyproject.toml" in fails("check", "docs", "--size", "9")

    def test_from_a_folder_below_paths_are_those_of_the_file(self, here, monkeypatch):
        put(
            "chunkscope.toml",
            'corpus = "docs"\nquestions = "questions.jsonl"\nsize = 200\n[check]\nbaseline = "known.json"\n',
        )
        assert run("check", "--write-baseline", "known.json").exit_code == 0
        os.mkdir("below")
        monkeypatch.chdir("below")
        result = run("check")
        assert result.exit_code == 0, result.output
        assert "../known.json: 1 known finding, 0 gone" in result.stdout


class TestSuggestions:
    def test_keep_the_overlap_of_a_chunker_that_is_spelled_with_its_own(self, here):
        text = "".join(f"{number:04d}番の文である。\n" for number in range(60))
        put("docs/long.md", text)
        ask({"id": "q1", "doc": "long.md", "evidence": text[200:215].strip()})
        put("chunkscope.toml", 'overlap = "1/6"\n')
        spelled = check_json("--chunker", "fixed(size=210)", size=None)
        assert spelled["findings"][0]["suggestion"]["size"] == 215
        os.remove("chunkscope.toml")
        assert check_json("--chunker", "fixed", size=210)["findings"] == spelled["findings"]


class TestNothingMeasured:
    def test_a_blank_corpus(self, here):
        put("blank/a.md", " \n\n")
        assert "nothing measured" in fails("check", "blank", "--size", "9")

    def test_no_document(self, here):
        os.mkdir("empty")
        assert "no document" in fails("check", "empty", "--size", "9")

    def test_questions_are_asked_for_and_none_are_there(self, here):
        assert "nothing measured for max-split" in fails("check", "docs", "--size", "9", "--max-split", "0")

    def test_a_given_corpus_does_not_take_the_configured_questions(self, here):
        put("chunkscope.toml", 'corpus = "docs"\nquestions = "questions.jsonl"\nsize = 200\n[check]\nmax_split = 0\n')
        assert "--questions" in fails("check", "docs")
        assert run("check", "--label-problems", "warn").exit_code == 0

    @pytest.mark.parametrize("content", ["", json.dumps(QUESTIONS[3]) + "\n"])
    def test_questions_without_evidence(self, here, content):
        put("questions.jsonl", content)
        assert "nothing measured" in fails("check", "docs", "-q", "questions.jsonl", "--size", "9")

    def test_without_questions_it_checks_what_needs_none(self, here):
        result = run("check", "docs", "--size", "9", "--max-rows-header-lost", "0")
        assert result.exit_code == 1
        assert "header-lost" in result.stdout

    def test_without_a_size(self, here):
        assert "needs a size" in fails("check", "docs")


class TestBaseline:
    def test_written_today_it_is_met_today(self, here):
        assert check("--write-baseline", "known.json").exit_code == 0
        assert check("--baseline", "known.json").exit_code == 0
        put("docs/規程.md", "前書き。\r\n" * 3 + RULES)
        changed = check_json("--baseline", "known.json")
        assert {finding["known"] for finding in changed["findings"] if finding["code"] == "evidence-split"} <= {True}

    def test_it_is_never_written_over_something_else(self, here):
        assert "docs/規程.md" in fails("check", "docs", "--size", "9", "--write-baseline", "docs/規程.md")
        assert Path("docs/規程.md").read_bytes().decode() == RULES
        assert check("--write-baseline", "known.json").exit_code == 0
        assert check("--write-baseline", "known.json", size=200).exit_code == 0

    def test_of_a_later_format_it_is_one_line(self, here):
        put("known.json", '{"format": 2, "kind": "chunkscope-baseline", "findings": []}')
        assert "format 2 is later" in fails("check", "docs", "--size", "9", "--baseline", "known.json")


class TestInit:
    def test_writes_what_check_reads(self, here):
        os.remove("questions.jsonl")
        result = run("init")
        assert result.exit_code == 0
        assert tomllib.loads(Path("chunkscope.toml").read_text("utf-8"))["corpus"] == "docs"
        questions = read_questions("questions.jsonl").questions
        texts = {document.name: document.text for document in read_corpus("docs")}
        assert {question.quotes[0].document for question in questions} == set(texts)
        for question in questions:
            assert question.question == ""
            assert texts[question.quotes[0].document].count(question.quotes[0].text) == 1
        assert any(question.quotes[0].text.startswith("| 乙地") for question in questions)
        assert run("labels").exit_code == 0
        assert run("check").exit_code in (0, 1)

    def test_every_entry_of_the_configuration_can_be_switched_on(self, here):
        os.remove("questions.jsonl")
        run("init")
        text = Path("chunkscope.toml").read_text("utf-8")
        lines = [line[2:] if line.startswith("# ") and " = " in line else line for line in text.splitlines()]
        put("chunkscope.toml", "\n".join(lines).replace('encoding = "cp932"', "") + "\n")
        put("questions.jsonl", Path("questions.jsonl").read_text("utf-8").replace('"question": ""', '"question": "?"'))
        check_json("--write-baseline", "chunkscope-baseline.json", size=None)
        result = run("check")
        assert result.exit_code == 0, result.output

    def test_what_nobody_has_filled_in_is_told(self, here):
        os.remove("questions.jsonl")
        run("init")
        n = Path("questions.jsonl").read_text("utf-8").count("\n")
        assert f"{n} of {n} questions have no text, q1 first" in " ".join(run("check").stdout.split())
        assert "no 'question' text" in fails("check", "--min-recall", "0")

    def test_never_overwrites(self, here):
        before = Path("questions.jsonl").read_bytes()
        result = run("init")
        assert result.exit_code == 0
        assert "questions.jsonl is there already" in result.stderr
        assert Path("questions.jsonl").read_bytes() == before
        written = Path("chunkscope.toml").read_bytes()
        assert "nothing to write" in fails("init")
        assert Path("chunkscope.toml").read_bytes() == written

    @pytest.mark.parametrize("name", ["chunkscope.toml", "questions.jsonl"])
    def test_writes_all_its_files_or_none(self, here, name):
        os.remove("questions.jsonl")
        os.symlink("nowhere/x", name)
        assert name in fails("init")
        assert set(os.listdir()) == {"docs", name}

    def test_it_says_how_many_quotes_there_are_and_what_to_do_where_there_is_none(self, here):
        for name, text, told in (
            ("none", "短い。\n", "nothing to quote in the documents: write questions with their evidence, then run"),
            ("one", "この規程は、社員の旅費の額を定める。\n", "1 quote: write the question it answers, then run"),
        ):
            put(f"{name}/a.md", text)
            for file in ("chunkscope.toml", "questions.jsonl"):
                Path(file).unlink(missing_ok=True)
            assert run("init", name).stdout.splitlines()[-1] == f"{told} chunkscope check"

    def test_so_many_quotes_are_written_as_are_wanted(self, here):
        put("many/a.md", "\n\n".join(f"第{n}条の規定による額は{n}万円とする。" for n in range(40)))
        for n in (5, 30):
            Path("questions.jsonl").unlink(missing_ok=True)
            assert f"{n} quotes: write the questions" in run("init", "many", "--n", n).stdout
            assert len(Path("questions.jsonl").read_text("utf-8").splitlines()) == n
        assert f"note: {n} of {n} questions have no text" in run("check", "many", "-q", "questions.jsonl").stdout

    def test_documents_outside_of_the_folder_are_named_on_the_command_line(self, here, monkeypatch):
        put("below/here.txt", "")
        monkeypatch.chdir("below")
        last = run("init", "../docs").stdout.splitlines()[-1]
        assert last.endswith("then run chunkscope check ../docs -q questions.jsonl")
        assert "corpus" not in tomllib.loads(Path("chunkscope.toml").read_text("utf-8"))
        assert run("check", "../docs", "-q", "questions.jsonl").exit_code in (0, 1)
        assert run("labels", "../docs", "-q", "questions.jsonl").stdout.splitlines()[-1].startswith("note: ")

    def test_an_old_configuration_is_kept(self, here):
        put("pyproject.toml", '[tool.chunkscope]\ncorpus = "docs"\n')
        os.remove("questions.jsonl")
        assert run("init").exit_code == 0
        assert not Path("chunkscope.toml").exists()

    def test_a_folder_that_is_named_oddly(self, here):
        shutil.copytree("docs", 'o"dd\\名前\x7f')
        os.remove("questions.jsonl")
        assert run("init", 'o"dd\\名前\x7f').exit_code == 0
        assert run("labels").exit_code == 0

    def test_without_documents(self, here):
        shutil.rmtree("docs")
        assert "no documents found" in fails("init")
        assert "nowhere" in fails("init", "nowhere")


class TestCompare:
    def test_says_what_changed(self, here):
        for size in (16, 200):
            args = (
                "docs",
                "-q",
                "questions.jsonl",
                "--skip-bad-labels",
                "--sizes",
                size,
                "--format",
                "json",
                "-o",
                f"{size}.json",
            )
            assert run("sweep", "-c", "fixed", "--overlaps", "1/6", *args).exit_code == 0
        result = run("compare", "16.json", "200.json")
        assert result.exit_code == 0
        assert "differs: size 16 -> 200" in result.stdout
        assert "no longer split: q1, q2" in result.stdout
        assert json.loads(run("compare", "16.json", "200.json", "--format", "json").stdout)["cells_compared"] == 1

    def test_of_a_later_format_it_is_one_line(self, here):
        put("a.json", '{"format": 2, "cells": []}')
        assert "format 2 is later" in fails("compare", "a.json", "a.json")


class TestProcess:
    def start(self, *args, **environment):
        code = (
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
            "from chunkscope.cli import main; main()"
        )
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment}
        return subprocess.Popen(
            [sys.executable, "-c", code, *args], env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def ended(self, *args, **environment):
        process = self.start(*args, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out.decode(), err.decode()

    def test_statuses(self, here):
        base = ("check", "docs", "-q", "questions.jsonl")
        assert self.ended(*base, "--size", "200", "--label-problems", "warn")[0] == 0
        assert self.ended(*base, "--size", "16")[0] == 1
        status, out, err = self.ended(*base, "--size", "16", "--max-split", "-1")
        assert (status, out, err.count("\n")) == (2, "", 1)

    def test_an_interrupt_ends_with_130(self, here):
        put("docs.jsonl", "".join(f'{{"id": "{number}", "text": "開場は九時です。"}}\n' for number in range(500_000)))
        process = self.start("check", "docs.jsonl", "--size", "9")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (130, b"chunkscope: interrupted\n")

    @pytest.mark.parametrize("encoding", ["ascii", "cp932"])
    @pytest.mark.parametrize("form", FORMATS)
    def test_no_console_is_too_small(self, here, form, encoding):
        base = ("check", "docs", "-q", "questions.jsonl", "--size", "16", "--format", form)
        code = subprocess.run(
            [sys.executable, "-m", "chunkscope", *base],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
            capture_output=True,
            check=False,
        )
        assert code.returncode == 1, code.stderr
        assert b"evidence-split" in code.stdout
        if form == "json":
            assert "docs/規程.md" in {one["path"] for one in json.loads(code.stdout)["findings"]}
        elif form == "junit":
            assert "規程.md" in "".join(ElementTree.fromstring(code.stdout).itertext())


class TestColour:
    def test_only_on_a_terminal(self, here):
        assert "\x1b" not in check().stdout

    @pytest.mark.parametrize(("no_color", "is_coloured"), [(None, True), ("1", False), ("", False)])
    def test_no_color_is_respected(self, here, monkeypatch, no_color, is_coloured):
        from chunkscope.cli import outputs

        class Terminal:
            encoding = "utf-8"

            def isatty(self):
                return True

        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("NO_COLOR", raising=False)
        if no_color is not None:
            monkeypatch.setenv("NO_COLOR", no_color)
        monkeypatch.setattr(outputs.sys, "stdout", Terminal())
        assert outputs.look_of(None, "en").color is is_coloured


class TestRecall:
    """Chunks are ranked offline, by the command line as by the library."""

    @pytest.fixture
    def asked(self, here):
        ask(*QUESTIONS[:3])
        return ("check", "docs", "-q", "questions.jsonl", "--size", "60")

    @pytest.mark.parametrize("form", FORMATS)
    @pytest.mark.parametrize("lang", ["en", "ja"])
    def test_every_form_names_what_is_missed_and_what_is_newly_lost(self, here, asked, form, lang):
        before = run(*asked, "--format", "json", "--min-recall", "0", "-o", "before.json")
        assert before.exit_code in (0, 1), before.output
        now = [*asked[:-1], "16", "--min-recall", "80%", "--max-more-lost", "0", "--baseline", "before.json"]
        result = run(*now, "--format", form, "--lang", lang)
        assert result.exit_code == 1, result.output
        for word in ("not-answered", "newly-lost", "q1"):
            assert word in result.stdout
        if form == "text":
            told = {"en": "ranked by bm25: ", "ja": "検索は bm25"}[lang]
            assert told in result.stdout
            assert {"en": "newly lost: ", "ja": "新たに喪失: "}[lang] in result.stdout
        if form == "json":
            record = json.loads(result.stdout)
            assert {"min_recall", "max_more_lost"} <= set(record["missed"])
            assert record["cells"][0]["retrieval"]["answered"][str(record["cells"][0]["retrieval"]["k"][0])][1] == 3
            assert {one["cause"] for one in record["findings"] if one["code"] == "not-answered"} <= {
                "split", "header_lost", "below",
            }  # fmt: skip
            assert set(record["earlier"]["lost"]) == {
                one["question"] for one in record["findings"] if one["code"] == "newly-lost"
            }

    def test_recall_and_sweep_are_results_to_compare_with(self, here, asked):
        grid = ("docs", "-q", "questions.jsonl", "-c", "fixed", "--sizes", "60", "--overlaps", "0", "--format", "json")
        for command, named in (("recall", ("--retriever", "bm25")), ("sweep", ())):
            assert run(command, *grid, "-o", f"{command}.json").exit_code == 0
            flags = ("--max-split", "none", "--max-header-lost", "none", "--max-more-lost", "0", *named)
            assert run(*asked, *flags, "--baseline", f"{command}.json").exit_code == 0
            worse = run(*asked[:-1], "16", *flags, "--baseline", f"{command}.json")
            assert worse.exit_code == 1
            assert "newly-lost" in worse.stdout
        assert "no chunks were ranked there" in fails(*asked, *flags, "--retriever", "bm25", "--baseline", "sweep.json")

    def test_stands_in_the_configuration_of_check_alone(self, here, asked):
        put(
            "chunkscope.toml",
            'corpus = "docs"\nquestions = "questions.jsonl"\nsize = 60\n'
            '[check]\nmin_recall = "10%"\nretriever = "bm25"\ncontext = 100\nmax_split = "none"\nmax_header_lost = "none"\n',
        )
        result = run("check")
        assert result.exit_code == 0, result.output
        assert "min-recall" in result.stdout
        assert run("recall", "-k", "1").exit_code == 0
        assert run("check", "--min-recall", "none").exit_code == 0

    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--min-recall", "most"], "--min-recall: 'most' is no threshold"),
            (["--min-recall", "101%"], "a share is 100% at the most"),
            (["--max-more-lost", "-1"], "--max-more-lost: '-1' is no threshold"),
            (["--max-more-lost", "0"], "--max-more-lost: more than where?"),
            (["--max-more-lost", "0", "--baseline", "questions.jsonl"], "questions.jsonl"),
            (["--max-more-lost", "0", "--baseline", "nothing.json"], "nothing.json: no such file"),
            (["--retriever", "bm25"], "--retriever goes with --min-recall or --max-more-lost"),
            (["--min-recall", "0", "--retriever", "bm25,hash"], "check ranks with one, not 2"),
            (["--min-recall", "0", "--retriever", "bn25"], "did you mean 'bm25'"),
            (["--min-recall", "0", "--context", "0"], "--context 0: must be a whole number from 1"),
            (["--min-recall", "0", "--context", "many"], "--context"),
        ],
    )
    def test_what_means_nothing_is_one_line(self, here, asked, flags, words):
        assert words in fails(*asked, *flags)

    @pytest.mark.parametrize(
        ("entry", "words"),
        [
            ("min_recall = 0.8", "[check] min_recall: 0.8 is no threshold"),
            ('min_recall = "1%"\ncontext = 0', "chunkscope.toml: --context 0"),
            ('min_recall = "1%"\ncontext = "6000"', "context must be a whole number, not '6000'"),
            ('min_recall = "1%"\nretriever = "bm25,hash"', "chunkscope.toml: --retriever bm25,hash"),
            ("max_more_lost = 0", "chunkscope.toml: [check] max_more_lost: more than where?"),
        ],
    )
    def test_in_the_configuration_it_is_named_with_its_place(self, here, asked, entry, words):
        put("chunkscope.toml", f"[check]\n{entry}\n")
        assert words in fails(*asked)

    def test_vectors_come_from_the_cache_and_the_line_names_what_fills_it(self, here, asked):
        flags = ("--min-recall", "0", "--retriever", "hash", "--cache", "cache.sqlite", "--max-split", "none")
        line = fails(*asked, *flags)
        assert "have no vector in the cache, and nothing is sent" in line
        words = shlex.split(line.split("`")[1])
        assert words[:2] == ["chunkscope", "recall"]
        assert run(*words[1:]).exit_code == 0
        result = run(*asked, *flags, "--max-header-lost", "none")
        assert result.exit_code == 0, result.output
        assert "ranked by hash" in result.stdout

    def test_a_question_without_a_text_cannot_be_ranked(self, here, asked):
        ask({"id": "q1", "doc": "notes.md", "evidence": "Keep the receipt"})
        assert "question q1 (line 1) has no 'question' text" in fails(*asked, "--min-recall", "0")
        assert "1 of 1 question has no text" in " ".join(run(*asked).stdout.split())

    def test_without_the_room_for_retrieval_the_rest_is_checked(self, here, asked):
        before = [sys.executable, "-c", WITHOUT_RETRIEVAL, *asked]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        plain, ranked = (
            subprocess.run(
                [*before, *flags], capture_output=True, encoding="utf-8", env=environment, check=False
            )
            for flags in ((), ("--min-recall", "0"))
        )  # fmt: skip
        assert (plain.returncode, plain.stdout) == (run(*asked).exit_code, run(*asked).stdout)
        assert (ranked.returncode, ranked.stdout) == (2, "")
        assert ranked.stderr == "chunkscope: recall needs chunkscope.retrieval, which is not installed\n"
