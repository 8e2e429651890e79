"""The comparison of cells, its words, and the command line."""

from __future__ import annotations

import ast
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import chunkscope
from chunkscope import Document, Question, check_labels, sweep
from chunkscope.cli.program import program
from chunkscope.grid.results import Cell, SweepResult
from chunkscope.reports.retrieval_text import render_retrieval
from chunkscope.reports.width import width as cells_wide
from chunkscope.retrieval import (
    Bm25Retriever,
    Budget,
    Condition,
    Holdout,
    OverlapMeasure,
    RetrievalMeasure,
    RetrievalSettings,
    Return,
    summarise,
)
from chunkscope.retrieval.advice import advise

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


def swept(*, holdout=None, sizes=(8, 16, 24, 60), **chosen):
    labels = check_labels(DOCUMENTS, QUESTIONS)
    measures = [RetrievalMeasure(labels, [Bm25Retriever()], settings=RetrievalSettings(**chosen))]
    measures += [OverlapMeasure(labels.valid)] if chosen.get("overlap") else []
    return summarise(
        sweep(DOCUMENTS, labels, chunkers="fixed", sizes=sizes, overlaps=[2], measures=measures), holdout=holdout
    )


EVERYTHING = {
    "budget": Budget(30), "returns": Return("neighbours", 1), "outdated": (Condition.parse("status=abolished", "--outdated"),),
    "min_scores": (0.5, 2.0), "group_by": "kind", "overlap": True,
}  # fmt: skip


def test_the_summary_compares_cells_and_names_the_one_that_hands_on_least():
    summary = swept().retrieval["retrievers"][0]
    result = swept()
    alike = [cell for cell in result.cells if not cell.retrieval[0]["against_best"]["differs_from_best"]]
    least = min(alike, key=lambda cell: cell.retrieval[0]["context"][str(cell.retrieval[0]["k"][-1])])
    assert summary["choice"]["size"] == least.size
    assert summary["n_indistinguishable"] == len(alike)
    assert result.retrieval["one_question"] == 0.25


def test_a_sweep_without_ranks_is_given_back_as_it_is():
    result = sweep(DOCUMENTS, QUESTIONS, chunkers="fixed", sizes=[20], overlaps=[0])
    assert summarise(result) is result
    assert render_retrieval(result) == ""


def test_warnings_say_what_makes_figures_worthless():
    warnings = "\n".join(swept(k=(1, 50), budget=Budget(3), sizes=[30, 60]).retrieval["warnings"])
    assert "k = 50 is more than there are chunks" in warnings
    assert "at k = 50 the context is more than half of the documents" in warnings
    assert "the budget of 3 char is smaller than the first chunk" in warnings


def test_a_holdout_shows_the_figure_of_the_questions_that_were_kept_back():
    held = swept(holdout=Holdout(0.5, 3)).retrieval["retrievers"][0]["holdout"]
    assert held["chosen_on"][1] == held["held_out"][1] == 2
    assert held["seed"] == 3


@pytest.mark.parametrize("room", [20, 40, 80, 120])
@pytest.mark.parametrize("ascii", [True, False])
def test_no_line_is_wider_than_the_terminal(room, ascii):
    text = render_retrieval(swept(holdout=Holdout(0.5), **EVERYTHING), width=room, ascii=ascii)
    assert max(map(cells_wide, text.splitlines())) <= room


def test_the_report_shows_every_part_that_was_asked_for():
    text = render_retrieval(swept(holdout=Holdout(0.5), k=(1, 5), **EVERYTHING), width=200)
    for part in ("start@5", "split", "below", "in 30", "returned for a chunk, and judged: neighbours:1", "outdated", "IoU", "omega", "choice", "by kind", "期限",
                 "score", "one of them is 25 points", "held out (seed 0)", "95 % interval", "words occur in"):  # fmt: skip
        assert part in text, part


def test_the_title_says_which_documents_are_in_the_index():
    title = render_retrieval(swept(filters=(Condition.parse("status!=abolished"),)), width=300).splitlines()[0]
    assert title.endswith("; in the index: documents with status!=abolished")


def found(strict, start, below=0, split=0, ks=(1, 3, 5, 10)):
    return {
        "k": list(ks),
        "strict": {str(k): [hits, 100] for k, hits in zip(ks, strict, strict=True)},
        "start": {str(k): [hits, 100] for k, hits in zip(ks, start, strict=True)},
        "misses": {str(k): {"split": split, "below": below} for k in ks},
    }


def advice(*cells, choice=0, alike=None):
    grid = [Cell("fixed", "char", 100 * (number + 1), 0, 9) for number in range(len(cells))]
    return " / ".join(advise(grid, cells, choice, [choice] if alike is None else alike))


def test_advice_comes_from_figures():
    plain = found([50, 60, 70, 71], [50, 60, 70, 71])
    assert "evidence crosses cuts" in advice(found([40, 45, 50, 51], [50, 60, 70, 72]))
    assert "evidence crosses cuts" not in advice(plain)
    assert "the ranking differs" in advice(
        found([30, 50, 70, 90], [30, 50, 70, 90]), found([60, 70, 80, 90], [60, 70, 80, 90])
    )
    assert "the ranking differs" not in advice(plain, plain)
    assert "the ranking misses them" in advice(found([1, 2, 3, 3], [1, 2, 3, 3], below=60, split=37))
    assert "--sizes 100..300:25" in advice(plain, plain, plain, choice=1)
    around = advice(plain, plain, plain, plain, plain, choice=1, alike=[1, 2])
    assert "around the 2 cells that differ from the best by no more than chance: --sizes 100..400" in around
    assert "try larger ones" in advice(plain, plain, choice=1)
    assert "try smaller ones" in advice(plain, plain, choice=0)


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
    return CliRunner().invoke(program, ["recall", *arguments])


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
    assert "Retrieval: bm25" in run(*corpus).stdout
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
    code = (
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'chunkscope.retrieval':\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
        "from chunkscope.cli import main\n"
        "main()\n"
    )
    plain = subprocess.run(
        [sys.executable, "-c", code, "sweep", *corpus, "--format", "csv"], capture_output=True, text=True
    )
    assert plain.returncode == 0, plain.stderr
    ranked = subprocess.run([sys.executable, "-c", code, "recall", *corpus], capture_output=True, text=True)
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
