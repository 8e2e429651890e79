"""What the script of the page says: sentences with their placeholders left open, for it to fill in."""

from __future__ import annotations

from chunkscope.language import Language, Text, in_language, say


class Open(str):
    """A placeholder that stays one, whatever the form in which a sentence wants it.

    Examples
    --------
    >>> str(say("{n:,} {n:row|rows}", n=Open("n")))
    '{n} rows'
    """

    def __format__(self, form: str) -> str:
        return "{" + self + "}"


N, TOTAL = Open("n"), Open("total")

WORDS: dict[str, Text] = {
    "all": say("all"),
    "answered": say("answered"),
    "whole": say("whole"),
    "cut": say("answer cut"),
    "header_lost": say("header lost"),
    "not_embedded": say("too long for the model"),
    "not_indexed": say("not in the index"),
    "below": say("not found"),
    "line": say("line {n}", n=N),
    "more": say("Show {n} more", n=N),
    "found": say("{n} of {total} questions", n=N, total=TOTAL),
    "not_named": say("The result does not say which questions these are: above 1,000 settings that takes --ids."),
    "holds_whole": say(
        "Chunk {n} holds it whole, with {before:,} {before:character|characters} before it and {after:,} behind.",
        n=N,
        before=Open("before"),
        after=Open("after"),
    ),
    "holds_parts": say("No chunk holds all {n:,} {n:character|characters}: {parts:, }.", n=N, parts=Open("parts")),
    "first_part": say("chunk {chunk} the first {n:,}", chunk=Open("chunk"), n=N),
    "last_part": say("chunk {chunk} the last {n:,}", chunk=Open("chunk"), n=N),
    "middle_part": say(
        "chunk {chunk} {n:,} from character {first:,} on", chunk=Open("chunk"), n=N, first=Open("first")
    ),
    "holds_none": say("{n:,} of its {n:character is|characters are} in no chunk.", n=N),
    "no_spans": say("Where its chunks lie is not known here: {reason}", reason=Open("reason")),
    "no_document": say("This document is not in the page: it has no room."),
    "one_is_enough": say("Any one of its {n:,} passages is enough.", n=N),
    "no_row": say("No chunk holds the row together with its table's header."),
    "earlier": say("Show what stands before"),
    "later": say("Show what follows"),
    "lost": say("{cuts} cut, {headers} headers lost", cuts=Open("cuts"), headers=Open("headers")),
    "headers_lost": say("{headers} headers lost", headers=Open("headers")),
    "cuts_lost": say("{cuts} cut", cuts=Open("cuts")),
    "nothing_lost": say("nothing is lost"),
    "unknown_lost": say("not counted"),
    "rank": say("answered at rank {n}", n=N),
    "no_rank": say("at no rank"),
    "look_at": say("Look at {setting}", setting=Open("setting")),
    "ranked_above": say("What came first in the search"),
    "not_kept": say("What came first is kept for the settings of the first table, of missed questions before others."),
    "meets": say("has what is needed"),
    "document": say("Document"),
    "characters": say("{n:,} {unit}", n=N, unit=say("{n:character|characters}", n=2)),
    "hidden": say("A character that is not seen: {code}", code=Open("code")),
    "cut_here": say("cut"),
    "comma": say("{names:, }", names=["", ""]),
}


def words_in(lang: Language) -> dict[str, str]:
    """Give them in a language.

    Examples
    --------
    >>> words_in("en")["line"], words_in("ja")["line"]
    ('line {n}', '{n} 行目')
    """
    return {name: in_language(text, lang) for name, text in WORDS.items()}
