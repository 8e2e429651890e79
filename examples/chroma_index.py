"""What stands in a Chroma index, and what it finds, judged by the questions: is it the chunks, or the search?

``python examples/chroma_index.py FOLDER`` writes chunks.jsonl and run.jsonl there, which ``chunkscope recall`` reads
(``--chunks``, ``--run``); ``--retriever chroma_index:search`` searches in the index itself. It needs chromadb, and no
model is fetched.
"""

import json
import sys
from pathlib import Path

import chromadb

from chunkscope import read_corpus, read_questions
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.corpus import demo_path
from chunkscope.retrieval.providers import find_provider

corpus = read_corpus(demo_path("ja") / "docs")
questions = read_questions(demo_path("ja") / "questions.jsonl")
model = find_provider("hash")  # put yours here: Chroma is handed vectors, and needs no model of its own

chunks = [chunk for chunk in list_chunks(corpus, "sentence(size=200)") if not chunk.blank]
index = chromadb.EphemeralClient().create_collection(
    "rules", metadata={"hnsw:space": "cosine"}, embedding_function=None
)
index.add(
    ids=[f"{chunk.document}#{chunk.index}" for chunk in chunks],
    documents=[chunk.text for chunk in chunks],
    metadatas=[{"document": chunk.document} for chunk in chunks],
    embeddings=model.embed_documents([chunk.text for chunk in chunks]),
)


def search(question, k):
    """Give the ids of the k nearest chunks, with their similarity."""
    found = index.query(query_embeddings=model.embed_queries([question]), n_results=k)
    return [(name, 1 - distance) for name, distance in zip(found["ids"][0], found["distances"][0], strict=True)]


def write(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    folder, stored = Path(*sys.argv[1:]), index.get()
    rows = zip(stored["ids"], stored["documents"], stored["metadatas"], strict=True)
    write(folder / "chunks.jsonl", ({"id": name, "text": text, **where} for name, text, where in rows))
    write(folder / "run.jsonl", ({"id": one.id, "chunks": search(one.question, 10)} for one in questions))
