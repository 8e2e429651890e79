"""Chunks of documents that are no longer in force."""

from __future__ import annotations

from oracle.prepending import front_matter_line
from oracle.spans import is_held

NOT_IN_FORCE = [
    "abolished", "archive", "archived", "cancelled", "canceled", "deprecated", "draft", "expired", "obsolete", "outdated",
    "repealed", "replaced", "retired", "superseded", "withdrawn", "廃止", "廃止済み", "失効", "旧版", "改廃", "無効", "草案", "下書き", "アーカイブ",
]  # fmt: skip


def count_status(texts, chunker, chunks):
    """Count the chunks of such documents, and those that do not say so; None where no document is."""
    found = unmarked = 0
    warns = False
    for text in texts:
        line = front_matter_line(text, "status")
        if not line or str(text.status).strip().lower() not in NOT_IN_FORCE:
            continue
        warns = True
        found += len(chunks[text.name])
        if "front-matter:status" not in chunker.prepend:
            unmarked += sum(not is_held([chunk], *line[0]) for chunk in chunks[text.name])
    return {"status_chunks": found if warns else None, "unmarked_chunks": unmarked if warns else None}
