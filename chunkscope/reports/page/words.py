"""What the script of the page says: sentences with their placeholders left open, for it to fill in."""

from __future__ import annotations

from chunkscope.language import Language, Text, in_language, say

WORDS: dict[str, Text] = {
    "all": say("all"),
    "answered": say("answered"),
    "whole": say("whole"),
    "cut": say("answer cut"),
    "header_lost": say("header lost"),
    "not_embedded": say("too long for the model"),
    "not_indexed": say("not in the index"),
    "below": say("not found"),
    "line": say("line {n}", n="{n}"),
    "more": say("Show {n} more", n="{n}"),
    "not_named": say("The result does not say which questions these are: above 1,000 settings that takes --ids."),
    "holds_whole": say("chunk {n} holds it whole ({total} characters)", n="{n}", total="{total}"),
    "holds_part": say("chunk {n} has {held} of its {total} characters", n="{n}", held="{held}", total="{total}"),
    "holds_none": say("no chunk has any of it"),
    "no_spans": say("Where its chunks lie is not known here: {reason}", reason="{reason}"),
    "no_document": say("This document is not in the page: it has no room."),
    "one_is_enough": say("One of these passages is enough."),
    "no_row": say("No chunk holds the row together with its table's header."),
    "earlier": say("Show what stands before"),
    "later": say("Show what follows"),
    "lost": say("{cuts} cut, {headers} headers lost", cuts="{cuts}", headers="{headers}"),
    "cuts_lost": say("{cuts} cut", cuts="{cuts}"),
    "nothing_lost": say("nothing is lost"),
    "unknown_lost": say("not counted"),
    "rank": say("answered at rank {n}", n="{n}"),
    "no_rank": say("at no rank"),
    "look_at": say("Look at {setting}", setting="{setting}"),
    "ranked_above": say("What came first in the search:"),
    "not_kept": say("What came first is kept for the advised setting and those of the table above."),
    "meets": say("has what is needed"),
    "document": say("Document"),
    "characters": say("characters"),
    "found": say("{n} of {total} questions", n="{n}", total="{total}"),
    "hidden": say("A character that is not seen: {code}", code="{code}"),
    "cut_here": say("cut"),
}


def words_in(lang: Language) -> dict[str, str]:
    """Give them in a language.

    Examples
    --------
    >>> words_in("en")["line"], words_in("ja")["line"]
    ('line {n}', '{n} 行')
    """
    return {name: in_language(text, lang) for name, text in WORDS.items()}
