"""The screen of a recall, its warnings, and the command line."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path

import command_line
import numpy as np
import pytest
from command_line import WITHOUT_RETRIEVAL

import chunkscope
from chunkscope import Document, Question, check_labels, read_corpus, read_questions, recall, sweep
from chunkscope.corpus import demo_path
from chunkscope.grid.results import SweepResult
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.recall_table import shown_rows
from chunkscope.reports.sweep_markdown import to_markdown
from chunkscope.reports.sweep_text import render_sweep
from chunkscope.reports.width import width as cells_wide
from chunkscope.retrieval import Budget, Holdout, OverlapMeasure, summarise

DOCUMENTS = [
    Document(
        "規程/旅費.md", "# 旅費\n\n宿泊費の上限は1泊12,000円とする。日当は2,000円とする。\n", {"status": "current"}
    ),
    Document(
        "規程/旧旅費.md", "# 旅費\n\n宿泊費の上限は1泊9,000円とする。日当は1,500円とする。\n", {"status": "abolished"}
    ),
    Document("申請.md", "# 申請\n\n申請は出発の3日前までに行う。承認は課長が行う。\n", {"status": "current"}),
]
QUESTIONS = [
    Question.of("q1", "宿泊費の上限は？", doc="規程/旅費.md", evidence="上限は1泊12,000円", kind="金額"),
    Question.of("q2", "日当はいくら？", doc="規程/旅費.md", evidence="日当は2,000円とする。", kind="金額"),
    Question.of("q3", "申請はいつまで？", doc="申請.md", evidence="出発の3日前まで", kind="期限"),
    Question.of("q4", "誰が承認する？", doc="申請.md", evidence="承認は課長が行う。"),
    Question.of("u1", "社長の名前は？", evidence=[]),
]


WAYS = "fixed,sentence,heading(merge=true),heading"
EVERYTHING = {
    "budget": Budget(30), "returns": "neighbours:1", "outdated": ["status=abolished"], "min_scores": (0.5, 2.0),
    "group_by": "kind", "overlap_metrics": True, "holdout": Holdout(0.5),
}  # fmt: skip


def ranked(sizes=(8, 16, 24, 60), overlaps=(2,), chunkers="fixed", **chosen):
    return recall(DOCUMENTS, QUESTIONS, chunkers=chunkers, sizes=sizes, overlaps=overlaps, **chosen)


def demo(**chosen):
    """Rank the Japanese demo, which has outdated documents, tables and unanswerable questions."""
    corpus, questions = read_corpus(demo_path("ja") / "docs"), read_questions(demo_path("ja") / "questions.jsonl")
    named = dataclasses.replace(questions, path="questions.jsonl")
    corpus = dataclasses.replace(corpus, path="docs")
    return recall(corpus, named, **{"chunkers": WAYS, "sizes": "100..600:100", "overlaps": "0,1/6", **chosen})


SCREENS = {
    "one-way": lambda: demo(chunkers="fixed"),
    "ways": demo,
    "two-retrievers": lambda: demo(retrievers=["bm25", "hash"]),
    "fixed-k": lambda: demo(k=[1, 3, 5]),
    "return": lambda: demo(returns="section", filters=["status!=abolished"]),
    "min-score": lambda: demo(min_scores=[0.5, 2, 4]),
    "group-by": lambda: demo(group_by="category"),
    "outdated": lambda: demo(outdated=["status=abolished"]),
    "holdout": lambda: demo(holdout=Holdout(0.5)),
    "nothing-ranked": lambda: recall(
        DOCUMENTS, [Question.of("q1", "zebra?", doc="申請.md", evidence="3日前")], chunkers="fixed", sizes=[8, 60]
    ),
    "nothing-fits": lambda: demo(model_limit=20),
    "everything": lambda: ranked(**EVERYTHING),
}


def screen(result, **options):
    return render_sweep(result, ReportOptions(**options))


@pytest.mark.parametrize("name", SCREENS)
def test_the_screen_reads_as_before(name, gold):
    gold(f"recall-{name}.txt", screen(SCREENS[name]()))


@pytest.mark.parametrize("name", ["ways", "holdout", "nothing-fits", "everything"])
def test_the_screen_in_japanese_reads_as_before(name, gold):
    gold(f"recall-{name}-ja.txt", screen(SCREENS[name](), lang="ja"))


@pytest.mark.parametrize("name", SCREENS)
def test_the_screen_in_japanese_holds_no_english_sentence_and_fits(name):
    result = SCREENS[name]()
    for room in (40, 60, 80):
        text = screen(result, width=room, lang="ja")
        assert max(map(cells_wide, text.splitlines())) <= room
        assert not re.search(r"(?m)^\s*[、。）」ー]", text)
        assert not re.search(r"(?<![-\w])(of|the|is|are|with|that|no|for|by|at|and|to|lost|cut|found)(?![-\w])", text)


def values_of(text, n_rows):
    """Give what stands in the table behind the name of each cell, from all parts that it is laid out in."""
    table = re.split(r"\n(?:Pick|Try|Advice) ", text)[0]
    named = r".*whole sections(?: +bm25)?\n?| *hash\n?(?!\s*\d\d+/\d)|.*?(?<!\d)\d+/\d+(?= |$)"
    rows = re.findall(rf"^(?:{named})(.*)$", table, flags=re.M)
    values = [" ".join(rows[place::n_rows]).split() for place in range(n_rows)]
    return [" ".join(value for value in row if value != "bm25") for row in values]


@pytest.mark.parametrize(
    "name", ["ways", "two-retrievers", "fixed-k", "everything", "group-by", "min-score", "holdout"]
)
@pytest.mark.parametrize("ascii", [True, False])
def test_no_line_is_wider_than_the_terminal_and_no_column_is_left_out(name, ascii):
    result = SCREENS[name]()
    for all_rows in (False, True):
        n_rows = len(shown_rows(result, everything=all_rows))
        whole = values_of(screen(result, width=400, ascii=ascii, all_rows=all_rows), n_rows)
        assert all(len(values.split()) >= 6 for values in whole)
        for room in (40, 60, 80):
            text = screen(result, width=room, ascii=ascii, all_rows=all_rows)
            assert max(map(cells_wide, text.splitlines())) <= room
            assert values_of(text, n_rows) == whole


def test_the_advised_cell_is_marked_counted_and_told():
    result = demo(k=[1, 3, 5])
    advice = result.advice
    [line] = [line for line in screen(result, width=300).splitlines() if line.startswith(">")]
    cell = next(cell for cell in result.cells if cell.key == advice.key)
    hits, total = cell.retrieval[0]["answered"]["5"]
    assert f"{hits} of {total} questions answered by 5 chunks." in flat(screen(result))
    assert [hits for hits, _ in cell.retrieval[0]["answered"].values()] == [
        int(n) for n in re.findall(r" (\d+)(?= )", line)[:3]
    ]
    missed = cell.retrieval[0]["missed"]
    assert len(missed) == total - hits
    for identity in missed:
        assert identity in screen(result)


def flat(text):
    return " ".join(text.split())


def test_what_answers_more_is_named_with_its_price_and_why_it_is_not_advised():
    tolerant = demo(chunkers="fixed", tolerance="4")
    own = next(cell for cell in tolerant.cells if cell.key == tolerant.advice.key)
    hits = {cell.key: cell.retrieval[0]["answered"][str(cell.retrieval[0]["k"][-1])][0] for cell in tolerant.cells}
    most = max(hits.values())
    best = min((c for c in tolerant.cells if hits[c.key] == most), key=lambda cell: cell.chunk_characters)
    assert most > hits[own.key]
    ratio = best.chunk_characters / own.chunk_characters
    told = f"Or fixed {best.size}/{best.overlap} with bm25 answers {most - hits[own.key]} more, for x{ratio:.2f} the"
    assert f"{told} characters to embed." in flat(screen(tolerant))
    lucky = flat(screen(demo(chunkers="fixed", sizes=[164, 294, 332, 385, 516], overlaps=[0], tolerance="0")))
    assert "Or fixed 385/0 with bm25 answers 1 more, for x1.00 the characters to embed; by luck, for the " in lucky
    at_k = demo(chunkers="fixed", tolerance="9", k=3)
    assert " the context." in flat(screen(at_k))
    assert "at most 9 questions fewer than the best, it needs the least context." in flat(screen(at_k))


def test_two_sizes_do_not_remove_luck_and_what_answers_nothing_is_no_pick():
    assert "Luck is not removed" in screen(ranked(sizes=[16, 60]))
    assert "Luck is not removed" not in screen(ranked(sizes=[16, 30, 60]))
    nothing = flat(screen(SCREENS["nothing-ranked"]()))
    assert "Try fixed" in nothing
    assert "Sure? No: it answers no question." in nothing


def test_of_many_retrievers_each_way_has_its_best_and_each_retriever_too():
    names = ["bm25", "hash", "rrf(bm25,hash)", "bm25(k1=0.5)"]
    result = demo(retrievers=names, sizes="200..600:200", overlaps="0")
    rows = shown_rows(result)
    assert len(result.retrieval["best_of_ways"]) == 5 * 4
    assert 5 <= len(rows) <= 5 + 4
    assert {row.retriever for row in rows} == set(result.retrieval["retrievers"])
    assert len({(row.cell.chunker, row.cell.size is None) for row in rows}) == 5
    assert sum(row.is_advised(result.advice) for row in rows) == 1
    assert len(shown_rows(result, everything=True)) == 4 * len(result.cells)


def test_columns_are_explained_where_they_stand_and_nowhere_else():
    text, plain = screen(SCREENS["everything"](), width=400), screen(ranked(), width=400)
    for part in ("for a chunk stands", "in 30:", "outdated found:", "precision, IoU"):
        assert part in text
        assert part not in plain
    assert "header lost:" not in plain
    assert "header lost:" in screen(demo(), width=400)
    assert "whole: " in screen(ranked(), width=400, all_rows=True)


def test_markdown_says_what_the_screen_says():
    result = demo(retrievers=["bm25", "hash"])
    text = to_markdown(result, ReportOptions())
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(shown_rows(result))
    assert "- **Pick** " in text
    assert "**Sure?** This way is chosen in " in text
    assert to_markdown(result, ReportOptions(lang="ja")).startswith("## 検索")


def test_a_sweep_without_ranks_is_given_back_as_it_is():
    result = sweep(DOCUMENTS, QUESTIONS, chunkers="fixed", sizes=[20], overlaps=[0])
    assert summarise(result) is result
    assert "Floor" in screen(result)


def test_warnings_say_what_makes_figures_worthless():
    result = ranked(k=(1, 50), budget=Budget(3), sizes=[30, 60])
    warnings = "\n".join(result.retrieval["warnings"])
    assert "k = 50 is more than there are chunks" in warnings
    assert "at k = 50 the context is more than half of the documents" in warnings
    assert "the budget of 3 char is smaller than the first chunk" in warnings
    for warning in result.retrieval["warnings"]:
        assert flat(warning) in flat(screen(result).replace("\n! ", "\n"))


def test_a_holdout_shows_the_figure_of_the_questions_that_were_kept_back():
    held = ranked(holdout=Holdout(0.5, 3)).held_out
    assert held.chosen_on[1] == held.held_out[1] == 2
    assert held.settings["seed"] == 3


def test_the_report_shows_every_part_that_was_asked_for():
    text = screen(ranked(k=(1, 5), **EVERYTHING), width=200)
    for part in ("@5", "cut", "not\n", "in 30", "neighbours:1 returned for each chunk", "outdated", "IoU", "omega", "by kind", "期限",
                 "score", "Held out", "of their words with"):  # fmt: skip
        assert part.replace("\n", "") in text, part


def test_the_title_says_which_documents_are_in_the_index():
    assert ", among documents with status!=abolished. " in flat(screen(ranked(filters=["status!=abolished"])))


def write(folder):
    for document in DOCUMENTS:
        path = folder / "docs" / document.name
        path.parent.mkdir(parents=True, exist_ok=True)
        front = f"---\nstatus: {document.fields['status']}\n---\n"
        path.write_text(front + document.text, encoding="utf-8")
    lines = [json.dumps({"id": q.id, "question": q.question, **q.record}, ensure_ascii=False) for q in QUESTIONS]
    (folder / "q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return [str(folder / "docs"), "-q", str(folder / "q.jsonl"), "--sizes", "20,40"]


def run(*arguments):
    return command_line.run("recall", *arguments)


def test_the_command_writes_the_json_of_the_format(tmp_path):
    corpus = write(tmp_path)
    done = run(*corpus, "-k", "1,3", "--format", "json", "--filter", "status=current")
    assert done.exit_code == 0, done.output
    written = json.loads(done.stdout)
    one = written["cells"][0]["retrieval"]
    assert one["retriever"] == "bm25"
    assert one["k"] == [1, 3]
    assert set(one["strict"]) == set(one["start"]) == set(one["misses"]) == {"1", "3"}
    assert one["strict"]["1"][1] == 4
    assert set(one["first_rank"]) == {"q1", "q2", "q3", "q4"}
    assert one["settings"]["filter"] == ["status=current"]
    assert written["retrieval"]["questions"] == 4


def test_the_command_shows_the_table_and_precision_omega_alone(tmp_path):
    corpus = write(tmp_path)
    assert "Ranked by bm25" in run(*corpus).stdout
    assert "omega" in run(*corpus, "--metrics", "overlap", "-o", "-").stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-k", "3", "--context", "500"], "-k and --context exclude each other"),
        (["--context", "0"], "--context 0: must be a whole number from 1"),
        (["--price", "1"], "--price is that of vectors"),
        (["--ranks", "--format", "json"], "--ranks goes with --format table"),
        (["--holdout-by", "kind"], "--holdout-by goes with --holdout"),
        (["--holdout", "0.5", "--holdout-by", "knid"], "did you mean 'kind'"),
        (["--return", "all"], "--return all: write section"),
        (["-k", "0"], "-k 0: must be a whole number from 1"),
        (["-k", "many"], "write whole numbers"),
        (["--budget", "much"], "--budget 'much'"),
        (["--filter", "status=curent"], "no document has that status; did you mean 'current'?"),
        (["--filter", "status=current", "--filter", "name=*旧*"], "leaves no document of 3"),
        (["--filter", "statsu=x"], "did you mean 'status'"),
        (["--group-by", "area"], "no question has an attribute 'area'"),
        (["--min-score", "9..1"], "runs backwards"),
        (["--holdout", "1.5"], "--holdout 1.5"),
        (["--seed", "1"], "--seed goes with --holdout"),
        (["--retriever", "bn25"], "did you mean 'bm25'"),
    ],
)
def test_bad_input_is_one_line_with_status_2(tmp_path, arguments, reason):
    done = run(*write(tmp_path), *arguments)
    assert done.exit_code == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert reason in done.stderr


def test_without_the_package_the_rest_runs_and_one_line_says_what_is_missing(tmp_path):
    corpus = write(tmp_path)
    plain = subprocess.run(
        [sys.executable, "-c", WITHOUT_RETRIEVAL, "sweep", *corpus, "--format", "csv"], capture_output=True, text=True
    )
    assert plain.returncode == 0, plain.stderr
    ranked = subprocess.run(
        [sys.executable, "-c", WITHOUT_RETRIEVAL, "recall", *corpus], capture_output=True, text=True
    )
    assert ranked.returncode == 2
    assert ranked.stderr.strip().splitlines() == [
        "chunkscope: recall needs chunkscope.retrieval, which is not installed"
    ]


def test_only_the_command_line_knows_of_retrieval():
    package = Path(chunkscope.__file__).parent
    for path in package.rglob("*.py"):
        inside = path.relative_to(package).parts[0]
        if inside in ("retrieval", "cli", "__init__.py"):  # the last imports public names when they are asked for
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in names if name.startswith("chunkscope.retrieval")], path


def test_results_of_parts_of_a_corpus_still_add_up():
    labels = check_labels(DOCUMENTS, QUESTIONS)
    whole = sweep(
        DOCUMENTS, labels, chunkers="fixed", sizes=[20], overlaps=[0], measures=[OverlapMeasure(labels.valid)]
    )
    parts = []
    for documents in (DOCUMENTS[:2], DOCUMENTS[2:]):
        names = {document.name for document in documents}
        valid = [question for question in labels.valid if question.evidence[0].document in names]
        parts.append(sweep(documents, chunkers="fixed", sizes=[20], overlaps=[0], measures=[OverlapMeasure(valid)]))
    added = parts[0] + parts[1]
    assert isinstance(added, SweepResult)
    assert added.cells[0].omega == pytest.approx(whole.cells[0].omega)
    assert np.isclose(added.cells[0].precision_omega["questions"], 4)
    assert dataclasses.replace(added.cells[0], precision_omega=None).omega is None
