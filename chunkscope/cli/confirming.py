"""Confirming proposals key by key: what is taken is kept at once, so that nothing is lost whenever it ends."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import click

from chunkscope.cli.console import one_line
from chunkscope.language import Language, in_language, say
from chunkscope.questions.locating import Located, Proposal
from chunkscope.questions.question import read_questions
from chunkscope.questions.sets.rows import confirmed_record
from chunkscope.reports.visible import harmless_json

SKIP, QUIT = "s", "q"
MOST_KEYS = 9
LONGEST_SHOWN = 400
"""Characters of a passage on the screen; the quote is whole."""


@dataclass
class Kept:
    """The file of questions that somebody has confirmed, and what is in it.

    Attributes
    ----------
    path : str
    texts : dict
        The question of each id.
    n_new : int
        How many were added now.
    """

    path: str
    texts: dict[str, str | None]
    n_new: int = 0

    @classmethod
    def read(cls, path: str) -> Kept:
        """Read what is there; a file that is not there yet is empty."""
        if not os.path.exists(path) or not os.path.getsize(path):
            return cls(path, {})
        return cls(path, {one.id: one.question for one in read_questions(path)})

    def holds(self, record: Mapping[str, Any]) -> bool:
        """Tell whether a question is in the file already."""
        return bool(self.texts.get(record["id"]) == record["question"])

    def add(self, record: Mapping[str, Any]) -> None:
        """Write a question at the end, so that it is on the disk before the next key is read."""
        name = record["id"]
        n = 1
        while name in self.texts:
            n += 1
            name = f"{record['id']}-{n}"
        with open(self.path, "ab+") as file:
            _end_line(file)
            line = json.dumps({**record, "id": name}, ensure_ascii=False)
            file.write(f"{harmless_json(line)}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        self.texts[name] = record["question"]
        self.n_new += 1


def _end_line(file: IO[bytes]) -> None:
    """End the last line of a file, if somebody has not."""
    file.seek(0, os.SEEK_END)
    if file.tell():
        file.seek(-1, os.SEEK_END)
        if file.read(1) not in b"\r\n":
            file.write(b"\n")


def confirm(
    located: Sequence[Located],
    kept: Kept,
    lang: Language,
    read_key: Callable[[], str] = click.getchar,
    write: Callable[[str], None] = click.echo,
) -> None:
    """Show the proposals of each question and keep the one whose key is pressed.

    Parameters
    ----------
    located : sequence of Located
    kept : Kept
        Where they go.
    lang : {"ja", "en"}
    read_key, write : callable
        A terminal.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C; what was confirmed before is kept.
    """
    waiting = [one for one in located if one.proposals and not kept.holds(one.record)]
    for number, one in enumerate(waiting, 1):
        for line in _screen(one, number, len(waiting), lang):
            write(line)
        taken = min(len(one.proposals), MOST_KEYS)
        keys = {str(key): key for key in range(1, taken + 1)}
        key = _next_key(read_key, {*keys, SKIP, QUIT})
        if key == QUIT:
            return
        if key in keys:
            proposed = one.to_dict()
            kept.add(confirmed_record(proposed, keys[key]))


def _next_key(read_key: Callable[[], str], known: set[str]) -> str:
    """Wait for one of the keys; full-width digits and letters of a Japanese keyboard count too."""
    while True:
        key = read_key()
        if key in ("\x03", "\x04", ""):
            raise KeyboardInterrupt
        with contextlib.suppress(ValueError):
            key = chr(ord(key) - 0xFEE0) if len(key) == 1 and "！" <= key <= "～" else key
        if key.lower() in known:
            return key.lower()


def _screen(one: Located, number: int, total: int, lang: Language) -> Iterator[str]:
    head = say("{number} of {total}: {question}", number=number, total=total, question=one.record["question"])
    yield ""
    yield one_line(in_language(head, lang))
    if one.record.get("answer"):
        yield "  " + one_line(in_language(say("answer: {answer}", answer=one.record["answer"]), lang))
    for key, proposal in enumerate(one.proposals[:MOST_KEYS], 1):
        yield from _shown(key, proposal)
    keys = say("1-{n} takes a quote, s skips the question, q quits", n=min(len(one.proposals), MOST_KEYS))
    yield one_line(in_language(keys, lang))


def _shown(key: int, proposal: Proposal) -> Iterator[str]:
    text = proposal.text
    if len(text) > LONGEST_SHOWN:
        text = f"{text[: LONGEST_SHOWN // 2]} ... {text[-LONGEST_SHOWN // 2 :]}"
    yield f"  {key}  {one_line(f'{proposal.document}:{proposal.line}:{proposal.column}')}"
    yield "     " + one_line(f"{proposal.before}⟦{text}⟧{proposal.behind}")
