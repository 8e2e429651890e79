"""A folder is converted: what has changed, what fails, what is never written over, and what findings say of pages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import fails, run, run_json
from made_files import ENGLISH, JAPANESE, write_docx, write_html, write_pdf, write_xlsx

from chunkscope.convert import process
from chunkscope.convert.process import Converter
from chunkscope.convert.run import convert
from chunkscope.corpus.manifest import MANIFEST, read_manifest
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import InputError

for package in ("kreuzberg", "pdfplumber", "docx", "openpyxl", "reportlab"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install 'chunkscope[convert,test]'")

EVIDENCE = "日当は一日につき三千円とし、出発した日と帰着した日についてはその半額を支給するものとする。\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files of several kinds, as the current one."""
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "reports"
    (source / "sub").mkdir(parents=True)
    write_pdf(source / "rules.pdf", JAPANESE)
    write_docx(source / "rules.docx", ENGLISH)
    write_html(source / "sub/page.html", ENGLISH)
    (source / "notes.md").write_text("# Notes\n\nText.\n", "utf-8")
    (source / "logo.png").write_bytes(b"PNG")
    return tmp_path


def everything(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def test_a_folder_becomes_a_folder_of_markdown_with_a_manifest(folder):
    before = everything(folder)
    result = run("convert", "reports", "-o", "docs")
    assert (result.exit_code, result.stdout) == (0, "docs: 4 converted, 0 unchanged, 0 failed\n"), result.stderr
    assert result.stderr == "chunkscope: warning: 1 .png ignored\n"
    written = everything(folder)
    assert {name: written[name] for name in before} == before
    outputs = {"rules.pdf.md", "rules.docx.md", "sub/page.html.md", "notes.md"}
    assert set(written) - set(before) == {f"docs/{name}" for name in outputs | {MANIFEST}}
    assert written["docs/notes.md"] == before["reports/notes.md"]
    entries = read_manifest("docs/" + MANIFEST)
    assert set(entries) == outputs
    assert entries["rules.pdf.md"].source == "../reports/rules.pdf"
    assert entries["rules.pdf.md"].converter == "pdfplumber"
    assert entries["rules.docx.md"].converter == "kreuzberg"


def test_the_manifest_and_the_output_are_the_same_each_time(folder):
    convert("reports", "docs")
    first = everything("docs")
    done = convert("reports", "docs", force=True)
    assert len(done.converted) == 4
    assert everything("docs") == first


def test_only_what_has_changed_is_converted_again(folder):
    convert("reports", "docs")
    assert convert("reports", "docs").converted == []
    write_docx(folder / "reports/rules.docx", JAPANESE)
    os.unlink("docs/sub/page.html.md")
    done = convert("reports", "docs")
    assert (done.converted, done.unchanged) == (["rules.docx", "sub/page.html"], ["notes.md", "rules.pdf"])
    assert "出張" in Path("docs/rules.docx.md").read_text("utf-8")


def test_another_version_of_a_converter_converts_again(folder):
    convert("reports", "docs")
    path = Path("docs") / MANIFEST
    path.write_text(path.read_text("utf-8").replace('"version": "0.', '"version": "0.0.'), "utf-8")
    assert convert("reports", "docs").converted == ["rules.pdf"]


def test_what_fails_is_named_and_the_rest_goes_on(folder):
    (folder / "reports/a.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "reports/z.docx").write_bytes(b"")
    result = run("convert", "reports", "-o", "docs", "--quiet")
    assert result.exit_code == 2
    assert result.stdout == "docs: 4 converted, 0 unchanged, 2 failed\n"
    assert result.stderr == "chunkscope: a.pdf: is damaged, or no PDF\nchunkscope: z.docx: is empty\n"


def test_what_fails_now_and_did_not_before_is_told_to_be_old(folder):
    convert("reports", "docs")
    (folder / "reports/rules.pdf").write_bytes(b"%PDF-1.7 broken")
    os.unlink("reports/rules.docx")
    done = convert("reports", "docs")
    assert list(done.failures) == ["rules.pdf"]
    assert sorted(done.warnings) == [
        f"{os.path.join('docs', 'rules.docx.md')}: its source ../reports/rules.docx is gone; delete it if it is not wanted",
        f"{os.path.join('docs', 'rules.pdf.md')} is of an earlier state of rules.pdf",
    ]


def test_files_of_others_and_files_that_were_changed_are_not_written_over(folder):
    (folder / "docs").mkdir()
    Path("docs/rules.pdf.md").write_text("mine", "utf-8")
    done = convert("reports", "docs")
    assert "is there already, and was not written by convert" in done.failures["rules.pdf"]
    Path("docs/rules.docx.md").write_text("edited", "utf-8")
    write_docx(folder / "reports/rules.docx", JAPANESE)
    done = convert("reports", "docs")
    assert "was changed since it was written" in done.failures["rules.docx"]
    assert Path("docs/rules.pdf.md").read_text("utf-8") == "mine"
    assert Path("docs/rules.docx.md").read_text("utf-8") == "edited"
    assert not convert("reports", "docs", force=True).failures
    assert "出張" in Path("docs/rules.docx.md").read_text("utf-8")


def test_a_file_of_the_same_name_from_elsewhere_is_not_taken_for_a_newer_one(folder):
    (folder / "other").mkdir()
    write_docx(folder / "other/rules.docx", JAPANESE)
    convert("reports", "docs")
    assert "was made of ../reports/rules.docx" in convert("other", "docs").failures["rules.docx"]
    assert "Travel rules" in Path("docs/rules.docx.md").read_text("utf-8")


def test_names_that_differ_in_capitals_alone_are_two_files_nowhere(folder):
    write_html(folder / "reports/sub/PAGE.html", JAPANESE)
    if len(os.listdir("reports/sub")) < 2:
        pytest.skip("this file system knows no capitals")
    done = convert("reports", "docs")
    assert done.failures == {
        "sub/page.html": "would be written to sub/page.html.md, as sub/PAGE.html is; rename one of them"
    }


def test_a_text_that_has_the_name_of_an_output_does_not_meet_it(folder):
    (folder / "reports/rules.pdf.md").write_text("notes on the rules", "utf-8")
    done = convert("reports", "docs")
    assert list(done.failures) == ["rules.pdf.md"]
    assert "出張" in Path("docs/rules.pdf.md").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_are_not_followed_to_or_from(folder):
    (folder / "outside").mkdir()
    write_docx(folder / "outside/secret.docx", ENGLISH)
    os.symlink(folder / "outside/secret.docx", "reports/link.docx")
    os.symlink(folder / "outside", "reports/folder")
    (folder / "docs").mkdir()
    os.symlink(folder / "outside", "docs/sub")
    os.symlink(folder / "outside/victim.md", "docs/notes.md")
    done = convert("reports", "docs", force=True)
    assert sorted(os.listdir("outside")) == ["secret.docx"]
    assert "a link leads it out of the folder" in done.failures["sub/page.html"]
    assert done.warnings[:2] == ["folder: a link is not followed", "link.docx: a link is not followed"]
    assert not os.path.islink("docs/notes.md")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_an_output_folder_that_is_a_link_out_of_here_is_refused(folder):
    (folder / "elsewhere").mkdir()
    (folder / "here").mkdir()
    os.chdir(folder / "here")
    os.symlink(folder / "elsewhere", "docs")
    assert "docs: a link leads it out of its folder, to " in fails("convert", folder / "reports", "-o", "docs")
    assert not list((folder / "elsewhere").iterdir())


def test_a_manifest_that_is_a_link_is_refused(folder):
    (folder / "docs").mkdir()
    os.symlink(folder / "elsewhere.json", Path("docs") / MANIFEST)
    assert fails("convert", "reports", "-o", "docs").endswith("is a link; take it away")


@pytest.mark.parametrize("output", ["../a.md", "/tmp/a.md", "a/../../b.md", "", "a\\b.md"])
def test_a_manifest_that_leads_out_is_refused(folder, output):
    convert("reports", "docs")
    path = Path("docs") / MANIFEST
    record = json.loads(path.read_text("utf-8"))
    record["files"][0]["output"] = output
    path.write_text(json.dumps(record), "utf-8")
    assert "is no path below the manifest" in fails("convert", "reports", "-o", "docs")
    corpus = read_corpus("docs")
    assert [document.origin for document in corpus] == [None] * 4


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="may write everywhere")
def test_a_read_only_folder_is_told_in_a_line(folder):
    (folder / "docs").mkdir(mode=0o500)
    assert fails("convert", "reports", "-o", "docs").endswith("docs: the folder is read-only")


def test_sources_and_outputs_that_cannot_be(folder):
    assert fails("convert", "nothing", "-o", "docs").endswith("nothing: no such file or folder")
    assert "not converted; files called .pdf" in fails("convert", "reports/logo.png", "-o", "docs")
    assert fails("convert", "reports", "-o", "reports/notes.md").endswith("reports/notes.md: is a file; name a folder")
    (folder / "empty").mkdir()
    assert "nothing to convert in it" in fails("convert", "empty", "-o", "docs")
    assert not os.path.exists("docs")


def test_the_output_may_lie_in_the_source(folder):
    convert("reports", "reports/docs")
    done = convert("reports", "reports/docs")
    assert (len(done.converted), len(done.unchanged)) == (0, 4)


def test_a_converter_that_hangs_or_crashes_takes_nothing_down(folder, monkeypatch):
    trap = (
        "import os, sys; sys.path[:] = sys.argv[2:]\n"
        "from chunkscope.convert import worker\n"
        "real = worker.convert_file\n"
        "def trapped(path):\n"
        "    if path.endswith('.docx'): os.abort()\n"
        "    if path.endswith('.html'): import time; time.sleep(60)\n"
        "    return real(path)\n"
        "worker.convert_file = trapped\n"
        "worker.main(int(sys.argv[1]))\n"
    )
    monkeypatch.setattr(process, "_PROGRAM", trap)
    done = convert("reports", "docs", timeout=5)
    assert done.converted == ["notes.md", "rules.pdf"]
    assert done.failures == {
        "rules.docx": "the converter crashed on it; it may use 4.3 GB of memory",
        "sub/page.html": "not converted within 5 seconds; --timeout allows more",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited there")
def test_a_file_that_needs_too_much_memory_fails_alone(folder):
    write_xlsx(folder / "big.xlsx", {"one": [["word " * 5] * 40] * 4000})
    with Converter(60, memory=1 << 28) as converter, pytest.raises(InputError, match="memory"):
        converter.convert("big.xlsx")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interrupt_leaves_a_manifest_that_is_whole(folder):
    for number in range(40):
        write_pdf(folder / f"reports/{number:02}.pdf", ENGLISH)
    command = [sys.executable, "-m", "chunkscope", "convert", "reports", "-o", "docs"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(Path("docs").glob("0*.md")) and time.monotonic() < deadline:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=60)
    assert (running.returncode, told) == (130, "chunkscope: interrupted\n")
    written = {str(path.relative_to("docs")) for path in Path("docs").rglob("*.md")}
    entries = read_manifest("docs/" + MANIFEST) if (Path("docs") / MANIFEST).exists() else {}
    assert set(entries) <= written
    assert len(written - set(entries)) <= 1
    assert not list(Path("docs").rglob("*.tmp"))
    done = convert("reports", "docs")  # what was written and not yet noted is known again by its content
    assert (done.failures, len(done.converted) + len(done.unchanged)) == ({}, 44)


def test_findings_name_the_page(folder):
    convert("reports", "docs")
    question = {"id": "q1", "question": "日当は？", "doc": "rules.pdf.md", "evidence": EVIDENCE}
    Path("q.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    checked = run("check", "docs", "-q", "q.jsonl", "--size", 30)
    assert "evidence-split: q1: the evidence is cut after" in checked.stdout
    assert "characters (rules.pdf, page 2)\n" in checked.stdout
    assert "(rules.pdf 2 ページ)" in run(
        "check", "docs", "-q", "q.jsonl", "--size", 30, "--lang", "ja"
    ).stdout.translate({0xFF08: "(", 0xFF09: ")"})
    record = json.loads(run("check", "docs", "-q", "q.jsonl", "--size", 30, "--format", "json").stdout)
    assert record["findings"][0]["source"] == "rules.pdf, page 2"
    for form in ("github", "junit"):
        assert "(rules.pdf, page 2)" in run("check", "docs", "-q", "q.jsonl", "--size", 30, "--format", form).stdout
    swept = run("sweep", "docs", "-q", "q.jsonl", "--sizes", 30, "-c", "fixed", "--overlaps", 0, "--why", 30)
    assert "(rules.pdf, page 2)  evidence-split q1" in swept.stdout
    assert "rules.pdf, page 2" in run("show", "docs/rules.pdf.md", "--size", 30).stdout
    checked = run("check", "docs/rules.pdf.md", "-q", "q.jsonl", "--size", 30)
    assert "(rules.pdf, page 2)" in checked.stdout


def test_rows_of_chunks_have_the_page_on_which_they_begin(folder):
    convert("reports", "docs")
    rows = [json.loads(line) for line in run("chunks", "docs", "--size", 60).stdout.splitlines()]
    pages = [row["origin"]["page"] for row in rows if row["document"] == "rules.pdf.md"]
    assert pages == sorted(pages)
    assert set(pages) == {1, 2}
    assert {str(row["origin"]) for row in rows if row["document"] == "notes.md"} == {"{'file': 'notes.md'}"}


def test_no_page_is_named_of_a_document_that_was_edited(folder):
    convert("reports", "docs")
    path = Path("docs/rules.pdf.md")
    path.write_text("An insertion.\n\n" + path.read_text("utf-8"), "utf-8")
    origins = {document.name: document.origin for document in read_corpus("docs")}
    assert origins["rules.pdf.md"] is None
    assert origins["rules.docx.md"] is not None


def test_a_manifest_is_found_from_above_and_from_below_and_is_no_document(folder):
    convert("reports", "docs")
    for path, name in ((".", "docs/sub/page.html.md"), ("docs/sub", "page.html.md"), ("docs", "sub/page.html.md")):
        corpus = read_corpus(path)
        assert not any("manifest" in one for one in corpus.names)
        assert ".json" not in corpus.ignored
        assert {one.name: one.origin for one in corpus}[name].source == "sub/page.html"


def test_a_folder_of_files_to_convert_names_the_command(folder):
    os.unlink("reports/notes.md")
    os.unlink("reports/sub/page.html")
    assert "1 .docx ignored: chunkscope convert makes Markdown of it" in fails("sweep", "reports")


def test_the_package_is_named_that_is_not_installed(folder, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert fails("convert", "reports", "-o", "docs").endswith(
        "convert needs kreuzberg and pdfplumber; pip install 'chunkscope[convert]'"
    )


def test_the_extra_is_listed(folder):
    assert run_json("list", "--format", "json")["extras"]["convert"]["installed"]
