"""The check as a test: three lines in the suite of the pipeline's own project."""

import chunkscope
from chunkscope.corpus import demo_path

corpus = chunkscope.read_corpus(demo_path("ja") / "docs")
questions = chunkscope.read_questions(demo_path("ja") / "questions.jsonl")


def test_documents_survive_their_chunker():
    found = chunkscope.check(corpus, questions, "heading(prepend=headings)")
    assert found.passed, found.summary
