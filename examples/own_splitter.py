"""A splitter of one's own, as tutorials have it, judged like any other.

``chunkscope sweep docs -q questions.jsonl --chunker own_splitter:split,default`` finds it in the current folder.
"""

import re


def split(text, chunk_size=400, chunk_overlap=50):
    """Fill up to the limit by sentences, and start the next with the last characters, beyond the limit."""
    chunks, current = [], ""
    for sentence in re.split(r"(?<=[。.!?！？])\s*", text):
        if current and len(current) + len(sentence) > chunk_size:
            chunks.append(current.strip())
            current = current[len(current) - chunk_overlap :] if chunk_overlap else ""
        current += sentence
    return [*chunks, current.strip()]


if __name__ == "__main__":
    from pathlib import Path

    from chunkscope import check_labels, read_corpus, read_questions, sweep

    folder = Path(__file__).parent / "ja"
    corpus = read_corpus(folder / "docs")
    labels = check_labels(corpus, read_questions(folder / "questions.jsonl"))
    result = sweep(corpus, labels, chunkers=[split, "fixed"], sizes=[200, 400], overlaps=[50])
    for cell in result.cells:
        print(cell.chunker, cell.size, f"{cell.split_questions} of {cell.questions} split, {cell.pieces or ''}")
