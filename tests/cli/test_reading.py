"""Documents as people have them, through the commands: encodings, front matter, git, names, other fields."""

from __future__ import annotations

import json
import unicodedata

import pytest
from command_line import SWEEP, fails, put, run, run_json

QUESTION = {"id": "q1", "question": "上限は？", "doc": "rules.md", "evidence": ["上限は1泊12,000円"]}
RECALL = ["recall", "docs", "-q", "asked.jsonl", "-c", "fixed", "--sizes", "40", "--overlaps", "0", "-k", "1"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of its own with a corpus `docs` of two encodings and questions `asked.jsonl`."""
    monkeypatch.chdir(tmp_path)
    put("docs/rules.md", "# 旅費\n\n宿泊費の上限は1泊12,000円とする。\n")
    (tmp_path / "docs" / "legacy").mkdir()
    (tmp_path / "docs" / "legacy" / "old.txt").write_bytes("㈱設備の上限は８０円。".encode("cp932"))
    put("asked.jsonl", json.dumps(QUESTION, ensure_ascii=False) + "\n")
    return tmp_path


def test_a_folder_of_two_encodings_is_read_with_a_list_or_with_globs(here):
    assert "legacy/old.txt: byte 0 is not UTF-8" in fails(*SWEEP, "docs", "--sizes", "20")
    assert "it is UTF-8; give --encoding utf-8,cp932" in fails(*SWEEP, "docs", "--sizes", "20", "--encoding", "cp932")
    told = run_json(*SWEEP, "docs", "--sizes", "20", "--encoding", "utf-8,cp932", "--format", "json")
    assert told["settings"]["encoding"] == "utf-8,cp932"
    put("chunkscope.toml", '[encodings]\n"legacy/**" = "cp932"\n')
    told = run_json(*SWEEP, "docs", "--sizes", "20", "--format", "json")
    assert told["settings"]["encodings"] == {"legacy/**": "cp932"}
    assert "㈱設備" in run("chunks", "docs/legacy/old.txt", "--size", "20").stdout
    # what is given goes before what is configured
    assert "not UTF-8" in fails(*SWEEP, "docs", "--sizes", "20", "--encoding", "utf-8")


def test_encodings_may_stand_in_pyproject_too_and_what_is_none_is_named(here):
    put("pyproject.toml", '[tool.chunkscope.encodings]\n"*.txt" = ["utf-8", "cp932"]\n')
    assert run(*SWEEP, "docs", "--sizes", "20").exit_code == 0
    put("pyproject.toml", '[tool.chunkscope]\nencodings = "cp932"\n')
    assert "encodings must be a table such as" in fails(*SWEEP, "docs", "--sizes", "20")
    put("pyproject.toml", '[tool.chunkscope.encodings]\n"*.txt" = "jis"\n')
    assert "did you mean 'iso2022_jp'?" in fails(*SWEEP, "docs", "--sizes", "20")


def test_what_git_ignores_is_left_out_counted_and_read_on_demand(here):
    put(".git/HEAD", "ref: refs/heads/main\n")
    put(".gitignore", "legacy/\n")
    result = run(*SWEEP, "docs", "--sizes", "20")
    assert "1 folder left out, as git ignores them (legacy/); --no-ignore reads them" in result.stderr
    everything = run(*SWEEP, "docs", "--sizes", "20", "--no-ignore", "--encoding", "utf-8,cp932", "--format", "json")
    assert list(json.loads(everything.stdout)["corpus"]["files"]) == ["legacy/old.txt", "rules.md"]


def test_front_matter_that_cannot_be_read_is_a_warning_with_its_line(here):
    for number in range(5):
        put(f"many/{number}.md", f"---\nn: {number}\ntitle: Travel: {number}\n---\n# A\n")
    told = run(*SWEEP, "many", "--sizes", "20").stderr.splitlines()
    assert told[0].startswith("chunkscope: warning: 0.md:3: the front matter is not YAML (mapping values")
    assert [line.split()[2] for line in told[:3]] == ["0.md:3:", "1.md:3:", "2.md:3:"]
    assert told[3] == "chunkscope: warning: front matter that cannot be read in 2 more documents"
    japanese = run(*SWEEP, "many", "--sizes", "20", "--lang", "ja").stderr
    assert "フロントマターが YAML ではありません" in japanese


@pytest.mark.parametrize("condition", ["archived=yes", "version=3.10", "text=*no longer in force*", "text=*ガイド*"])
def test_outdated_documents_are_named_by_what_is_typed_in_them(here, condition):
    put("docs/legacy/old.txt", "")
    notice = unicodedata.normalize("NFD", "旧ガイド: no longer in force.")
    put("docs/old.md", f"---\narchived: yes\nversion: 3.10\n---\n# 旅費\n\n> {notice}\n\n宿泊費の上限は1泊9,000円。\n")
    found = run_json(*RECALL, "-k", "2", "--outdated", condition, "--format", "json")
    (cell,) = found["cells"]
    assert "no document has that archived" in fails(*RECALL, "--outdated", "archived=true")
    assert "fits none of the first 10 lines" in fails(*RECALL, "--outdated", "text=Archive")
    assert "outdated" in json.dumps(cell)


def test_names_in_questions_may_have_the_path_of_the_corpus_in_front(here):
    question = {**QUESTION, "doc": "docs/rules.md"}
    put("asked.jsonl", json.dumps(question, ensure_ascii=False) + "\n")
    args = ["docs", "-q", "asked.jsonl", "--encoding", "utf-8,cp932"]
    assert run_json("labels", *args, "--format", "json")["valid"] == 1
    assert run("check", *args, "--size", "100").exit_code == 0
    put("docs/docs/rules.md", "上限は1泊12,000円")
    told = run("labels", *args)
    assert told.exit_code == 1
    assert "q1: ambiguous: 'docs/rules.md' may be either of the documents 'docs/rules.md', 'rules.md'" in told.stdout


def test_a_name_in_another_normal_form_is_found_by_every_command(here):
    name = unicodedata.normalize("NFD", "ガイド.md")
    put(f"guides/{name}", "宿泊費の上限は1泊12,000円とする。\n")
    put("asked.jsonl", json.dumps({**QUESTION, "doc": "ガイド.md"}, ensure_ascii=False) + "\n")
    assert run_json("labels", "guides", "-q", "asked.jsonl", "--format", "json")["valid"] == 1
    assert run("check", "guides", "-q", "asked.jsonl", "--size", "100").exit_code == 0
    assert run("show", f"guides/{name}", "-q", "asked.jsonl", "--size", "10").exit_code == 0
    assert run("recall", "guides", *RECALL[2:], "--filter", "name=ガイド*").exit_code == 0


def test_records_with_other_fields_are_read_by_their_names(here):
    rows = [{"metadata": {"source": "rules.md", "year": 2024}, "page_content": "上限は1泊12,000円"}]
    put("docs.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    args = ["--map-field", "name=metadata.source", "--map-field", "text=page_content"]
    (row,) = [json.loads(line) for line in run("chunks", "docs.jsonl", "--size", "50", *args).stdout.splitlines()]
    assert (row["document"], row["text"], row["attributes"]) == (
        "rules.md",
        "上限は1泊12,000円",
        {"metadata": {"year": 2024}},
    )
    assert run_json("labels", "docs.jsonl", "-q", "asked.jsonl", *args, "--format", "json")["valid"] == 1
    assert "docs.jsonl:1: no 'metadata.sorce'" in fails(
        "chunks", "docs.jsonl", "--size", "9", "--map-field", "name=metadata.sorce"
    )
    assert "did you mean 'text'" in fails(
        "labels", "docs", "-q", "asked.jsonl", "--encoding", "utf-8,cp932", "--map-field", "txt=x"
    )
    told = run(*SWEEP, "docs", "--sizes", "9", "--encoding", "utf-8,cp932", *args).stderr
    assert "--map-field name and text are for the records of a JSONL or Parquet file" in told
    put("chunkscope.toml", 'map_field = {text = "page_content", name = "metadata.source"}\n')
    assert run("chunks", "docs.jsonl", "--size", "50").exit_code == 0


def test_a_tokenizer_that_does_not_know_the_language_is_told(tmp_path, monkeypatch):
    from tokenizers import Tokenizer, models, pre_tokenizers

    monkeypatch.chdir(tmp_path)
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "lid": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save("english.json")
    for name, text in (("en", "the lid the lid\n"), ("ja", "the lid 蓋を 開く\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(text * 20, "utf-8")
    asked = ["--chunker", "fixed(size=10, unit=english.json)"]
    assert "unknown" not in run("sweep", "en", *asked).stderr
    told = run("sweep", "ja", *asked).stderr
    assert "english.json: 50% of 80 sampled tokens are unknown to it" in told
