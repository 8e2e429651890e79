"""What others wrote, in every field that there is: no output of any command makes a terminal, log or runner obey it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata

import pytest
from command_line import run

EVIL = "\x1b]0;T\x07\x1b[31m\x9b2J\x7f\u202e\u2066\u200b\ufeff\U000e0041\x85\u2028\r\n::add-mask::x\n##[error]y ##vso[task.complete]z ##teamcity[a\n  ::debug::z"
"""OSC, BEL, SGR, eight-bit CSI, DEL, directions, what is not seen, all line ends, and commands to a runner."""

NAMES = ["::add-mask::x.md", "##[error]x.md", EVIL.replace("/", "") + ".md"]

COMMANDS = {
    "sweep": "sweep {corpus} -q {asked} --skip-bad-labels --sizes 8,60 --overlaps 0,1/4 --all",
    "sweep-json": "sweep {corpus} -q {asked} --skip-bad-labels --sizes 8,60 --format json",
    "sweep-csv": "sweep {corpus} -q {asked} --skip-bad-labels --sizes 8,60 --format csv",
    "sweep-markdown": "sweep {corpus} -q {asked} --skip-bad-labels --sizes 8,60 --format markdown",
    "sweep-bare": "sweep {corpus} --sizes 8,60",
    "recall": "recall {corpus} -q {asked} --skip-bad-labels --sizes 8,60 --group-by evil --ranks",
    "recall-filtered": "recall {corpus} -q {asked} --skip-bad-labels --sizes 8 --filter evil=*",
    "why": "sweep {corpus} -q {asked} --skip-bad-labels --sizes 8,60 --why 8/0",
    "check": "check {corpus} -q {asked} --size 8 --label-problems warn",
    "check-json": "check {corpus} -q {asked} --size 8 --format json",
    "check-junit": "check {corpus} -q {asked} --size 8 --format junit",
    "check-github": "check {corpus} -q {asked} --size 8 --format github",
    "check-here": "check . -q {asked} --size 8 --include *.md",
    "labels": "labels {corpus} -q {asked}",
    "labels-json": "labels {corpus} -q {asked} --format json",
    "chunks": "chunks {corpus} --size 8 --chunker heading(prepend=headings+front-matter:evil)",
    "show": "show {document} --size 8 -q {asked}",
    "structure": "structure {document}",
    "list": "list",
    "compare": "compare {first} {second} --all",
    "compare-json": "compare {first} {second} --format json",
    "no-corpus": "sweep {EVIL}",
    "no-corpus-traceback": "sweep {EVIL} --traceback",
    "no-questions": "check {corpus} -q {EVIL}",
    "bad-labels": "sweep {corpus} -q {asked}",
    "bad-group": "recall {corpus} -q {asked} --skip-bad-labels --group-by {EVIL}",
    "bad-chunker": "chunks {corpus} --chunker {EVIL}",
    "bad-encoding": "chunks {corpus} --encoding {EVIL}",
    "bad-option": "chunks {corpus} --{EVIL}",
    "bad-command": "{EVIL}",
    "bad-format": "sweep {corpus} --format {EVIL}",
    "bad-size": "check {corpus} --size {EVIL}",
    "bad-retriever": "recall {corpus} -q {asked} --retriever {EVIL}",
    "bad-retriever-traceback": "recall {corpus} -q {asked} --retriever {EVIL} --traceback",
    "bad-output": "chunks {corpus} -o {EVIL}/x",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A corpus of files and one of records in which every field is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    text = f"# Head {EVIL}\n\nThe limit {EVIL} is 12,000 yen. {'More text. ' * 3}\n\n| a{EVIL[:5]} | b |\n|---|---|\n| 1 | 2 |\n"
    value = json.dumps(EVIL.replace("\U000e0041", ""))  # YAML knows no surrogate pairs
    front = f"---\nevil: {value}\n---\n"
    (folder / "docs").mkdir()
    for name in NAMES:
        for where in (folder, folder / "docs"):
            (where / name).write_text(front + text, "utf-8", newline="")
    records = [{"name": name, "text": text, "evil": EVIL, EVIL: "1"} for name in [*NAMES, f"{EVIL}/deep"]]
    (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    (folder / "asked.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions()), "utf-8")
    for name, size in (("first.json", "8"), ("second.json", "60")):
        arguments = f"sweep records.jsonl -q asked.jsonl --skip-bad-labels --sizes {size},70 --format json -o {name}"
        subprocess.run([sys.executable, "-m", "chunkscope", *arguments.split()], cwd=folder, check=True)
    second = json.loads((folder / "second.json").read_text("utf-8"))
    second["cells"][0]["size"] = 8
    second["settings"]["note"] = EVIL
    (folder / f"second{EVIL}").write_text(json.dumps(second), "utf-8")
    return folder


def questions():
    for n, name in enumerate(NAMES):
        yield {"id": f"{EVIL} {n}", "question": EVIL, "doc": name, "evidence": ["The limit"], "evil": EVIL}
        yield {"id": f"::debug::{n}", "question": EVIL, "doc": name, "evidence": [f"The limit {EVIL} is 12,000 yen"]}
        yield {"id": f"##[error]{n}", "question": EVIL, "doc": name, "evidence": [f"nowhere {EVIL}"]}
    yield {"id": f"lost {EVIL}", "question": EVIL, "doc": EVIL, "evidence": ["x"], EVIL: EVIL}
    yield {"id": "none", "question": EVIL, "evidence": []}


@pytest.mark.parametrize("corpus", ["docs", "records.jsonl"])
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_obeyed(place, monkeypatch, name, corpus):
    monkeypatch.chdir(place)
    names = {
        "corpus": corpus, "asked": "asked.jsonl", "document": os.path.join("docs", NAMES[2]), "EVIL": EVIL,
        "first": "first.json", "second": f"second{EVIL}",
    }  # fmt: skip
    arguments = [part.format(**names) for part in COMMANDS[name].split()]
    result = run(*arguments)
    assert result.exit_code in ((2,) if name.startswith(("bad", "no-")) else (0, 1)), result.stderr
    assert result.stdout or result.stderr
    for stream in (result.stdout_bytes, result.stderr_bytes):
        text = stream.decode("utf-8")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
        hidden = {character for character in text if unicodedata.category(character) in ("Cf", "Zl", "Zp")}
        assert not hidden
        for line in text.splitlines():
            assert not re.search(r"##[A-Za-z]*\[", line)
            if name == "check-github" and line.startswith("::error "):
                assert re.match("::error file=[^:]*::", line)
            else:
                assert not line.lstrip().startswith("::")
