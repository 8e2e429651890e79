"""A made-up corpus of Markdown, Japanese and English, with tables, code and pinned questions."""

from __future__ import annotations

import json
import random
from pathlib import Path

JAPANESE = [
    "出張",
    "旅費",
    "規程",
    "宿泊",
    "上限",
    "申請",
    "承認",
    "領収書",
    "精算",
    "部長",
    "課長",
    "地域",
    "日当",
    "交通費",
    "起案",
    "翌月",
    "末日",
    "提出",
    "期限",
    "例外",
]
ENGLISH = [
    "travel",
    "expense",
    "lodging",
    "limit",
    "request",
    "approval",
    "receipt",
    "manager",
    "region",
    "daily",
    "allowance",
    "month",
    "deadline",
]


def sentence(chance: random.Random, japanese: bool) -> str:
    words = [chance.choice(JAPANESE if japanese else ENGLISH) for _ in range(chance.randint(5, 18))]
    amount = f"{chance.randint(1, 99)},{chance.randint(0, 999):03}"
    if japanese:
        return "の".join(words[:3]) + "は" + "と".join(words[3:6]) + f"につき{amount}円を上限とする。"
    return f"The {' '.join(words)} is at most {amount} yen. "


def document(chance: random.Random, japanese: bool) -> str:
    parts = [f"# {chance.choice(JAPANESE)}\n\n"]
    for number in range(chance.randint(3, 12)):
        parts.append(f"## {number + 1} {chance.choice(JAPANESE if japanese else ENGLISH)}\n\n")
        parts.append("".join(sentence(chance, japanese) for _ in range(chance.randint(2, 12))) + "\n\n")
        if chance.random() < 0.3:
            rows = [f"| {chance.choice(JAPANESE)}{row} | {chance.randint(1, 99)},000 |\n" for row in range(12)]
            parts.append("| 区分 | 金額 |\n|---|---|\n" + "".join(rows) + "\n")
        if chance.random() < 0.2:
            parts.append("```sh\n" + "".join(f"apply --row {row}\n" for row in range(6)) + "```\n\n")
    return "".join(parts)


def write_corpus(folder: Path, documents: int, seed: int = 0) -> tuple[Path, Path]:
    """Write documents and a questions file; give both paths."""
    chance = random.Random(seed)
    docs, questions = folder / "docs", folder / "questions.jsonl"
    docs.mkdir(parents=True)
    with questions.open("w", encoding="utf-8") as lines:
        for number in range(documents):
            name, text = f"{number:05}.md", document(chance, number % 2 == 0)
            (docs / name).write_text(text, encoding="utf-8", newline="")
            start = chance.randrange(max(1, len(text) - 200))
            end = min(len(text), start + chance.randint(20, 200))
            if text[start:end].strip():
                row = {"id": f"q{number}", "doc": name, "evidence": [text[start:end]], "spans": [[start, end]]}
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    return docs, questions
