"""Sweep a folder of documents, print where it is safe to cut, and show one cut."""

from pathlib import Path

from chunkscope import FixedChunker, check_labels, find_boundary_problems, judge, read_corpus, read_questions, sweep

HERE = Path(__file__).parent / "ja"

documents = read_corpus(HERE / "docs")
questions = read_questions(HERE / "questions.jsonl")
labels = check_labels(documents, questions)

result = sweep(documents, labels, sizes="50..800", overlaps="0,1/6")
best = judge(result).best
if best is None or best.safe is None:
    print("no size of this grid keeps everything whole")
else:
    print(f"from size {best.safe.size} on, overlap {best.row.overlap}, everything is whole")

cell = result.cell(size=200)
print(f"at 200/0, {cell.split_questions} of {result.questions.valid if result.questions else 0} questions are split")

cut = find_boundary_problems(documents, labels.valid, FixedChunker(200))[0]
print(f"{cut.document}:{cut.line}:{cut.column}: {cut.before[-12:]}│{cut.after[:12]}".replace("\n", "⏎"))
