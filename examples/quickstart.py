"""Compare ways of cutting a folder of documents, print the advice, and show one cut."""

from pathlib import Path

from chunkscope import FixedChunker, check_labels, find_boundary_problems, read_corpus, read_questions, sweep

HERE = Path(__file__).parent / "ja"

documents = read_corpus(HERE / "docs")
questions = read_questions(HERE / "questions.jsonl")
labels = check_labels(documents, questions)

result = sweep(documents, labels)
advice = result.advice
if advice:
    setting = f"{advice.chunker} {advice.size}/{advice.overlap}"
    print(f"{advice.kind}: {setting} harms {advice.loss:.1f} of {advice.of} questions")

cell = result.cell(size=200, overlap=0, chunker="fixed")
print(f"at 200/0, {cell.split_questions} of {result.questions.valid if result.questions else 0} questions are split")

cut = find_boundary_problems(documents, labels.valid, FixedChunker(200))[0]
print(f"{cut.document}:{cut.line}:{cut.column}: {cut.before[-12:]}│{cut.after[:12]}".replace("\n", "⏎"))
