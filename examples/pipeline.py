"""An indexing job that refuses to index what its chunker would spoil: ``python examples/pipeline.py``."""

import json
import sys

import chunkscope
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.corpus import demo_path

corpus = chunkscope.read_corpus(demo_path("ja") / "docs")
questions = chunkscope.read_questions(demo_path("ja") / "questions.jsonl")
chunker = chunkscope.parse_chunker(sys.argv[1] if len(sys.argv) > 1 else "heading(prepend=headings)")

found = chunkscope.check(corpus, questions, chunker)
if not found.passed:
    sys.exit(f"not indexed: {found.summary}")
for chunk in list_chunks(corpus, chunker):
    if not chunk.blank:
        print(json.dumps({"id": f"{chunk.document}:{chunk.index}", "text": chunk.index_text}, ensure_ascii=False))
