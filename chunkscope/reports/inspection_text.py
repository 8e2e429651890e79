"""What a splitter or an index makes of documents, for people: the counts, each with the first places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from chunkscope.errors import unit_noun
from chunkscope.language import Text, in_language, say
from chunkscope.reports.base import ReportOptions
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, RED, fit, pad, painted, width, wrap
from chunkscope.splitters.inspection import Inspection
from chunkscope.splitters.look import Place

INDENT = "  "
MOST_NAMED = 40
"""Terminal cells of a document's name beside words of it."""
MOST_FAILURES = 10
LEAST_ROOM = 40

KINDS: Mapping[str, Text] = {
    "exact": say("exact"),
    "normalised": say("normalised"),
    "prepended": say("prepended and body"),
    "not_found": say("found nowhere"),
    "empty": say("without text or place"),
}
"""The kinds of pieces."""

PROBLEMS: Mapping[str, Text] = {
    "wrong_offsets": say("wrong offsets"),
    "ambiguous": say("ambiguous places"),
    "gaps": say("passages in no piece"),
    "inside": say("pieces inside others"),
    "oversize": say("above the stated size"),
    "broken": say("broken characters"),
    "blank": say("empty or blank pieces"),
    "cut_tables": say("tables cut"),
    "header_lost": say("rows without header"),
}
"""What may be wrong with them."""

HOW: Mapping[str, Text] = {
    "broken characters": say("broken characters"),
    "final full stop": say("final full stop"),
    "invisible characters": say("invisible characters"),
    "NFC": say("NFC"),
    "NFKC": say("NFKC"),
    "letter case": say("letter case"),
    "punctuation": say("punctuation"),
    "markup": say("markup"),
    "edits": say("edits"),
    "line ends": say("line ends"),
    "tabs": say("tabs"),
    "white space": say("white space"),
    "text behind": say("text behind"),
    "no whole character": say("no whole character"),
    "passages joined": say("passages joined that lie apart"),
    "changed": say("begins or ends like a passage, and goes on otherwise"),
    "other text": say("a text that the document does not have"),
}
"""How a piece differs from its document, and why it has no place there."""


def render_inspection(found: Inspection, options: ReportOptions) -> str:
    """Write an inspection for people.

    Parameters
    ----------
    found : Inspection
    options : ReportOptions
        `width` is that of a line; `quiet`: without places.

    Returns
    -------
    str
        Lines, each with its end.
    """
    return "\n".join(_InspectionWriter(found, options).lines()) + "\n"


class _InspectionWriter:
    """Writes one inspection."""

    def __init__(self, found: Inspection, options: ReportOptions) -> None:
        self.found, self.options = found, options
        self.room = max(options.width, LEAST_ROOM)
        titles = [*(f"{INDENT}{self.spoken(one)}" for one in KINDS.values()), *map(self.spoken, PROBLEMS.values())]
        self.title_width = max(map(width, titles))
        self.count_width = max(4, *(len(f"{n:,}") for n in found.counts.values()), 0)

    def spoken(self, text: str) -> str:
        return visible(in_language(text, self.options.lang), ascii=self.options.ascii)

    def lines(self) -> Iterator[str]:
        found = self.found
        size = _setting(found)
        n, total = found.documents, found.characters
        about = say(
            "{n:,} {n:document|documents}, {total:,} {total:character|characters}; {size}", n=n, total=total, size=size
        )
        yield painted(fit(self.spoken(found.chunker), self.room), BOLD, self.options.color)
        yield from wrap(self.spoken(about), self.room)
        yield ""
        yield from self.row("", say("pieces"), found.counts.get("pieces", 0))
        for code, title in KINDS.items():
            yield from self.row(INDENT, title, found.counts.get(code, 0), self.how(code))
            yield from self.places(code)
        for code, title in PROBLEMS.items():
            yield from self.row("", title, found.counts.get(code), self.about(code), is_wrong=True)
            yield from self.places(code)
        yield ""
        for text in _habits(found):
            yield from wrap(self.spoken(text), self.room, rest=INDENT)
        yield from self.failures()

    def row(self, indent: str, title: Text, n: int | None, told: str = "", *, is_wrong: bool = False) -> Iterator[str]:
        """Write a count; None where it is not known."""
        counted = pad("-" if n is None else f"{n:,}", self.count_width, right=True)
        counted = painted(counted, RED, self.options.color and is_wrong and bool(n))
        front = pad(f"{indent}{self.spoken(title)}", self.title_width)
        if not told:
            yield f"{front}  {counted}"
            return
        used = self.title_width + self.count_width + 4
        first, *more = wrap(self.spoken(told), self.room - used)
        yield f"{front}  {counted}  {first}"
        yield from (f"{' ' * used}{line}" for line in more)

    def how(self, code: str) -> str:
        """Say how pieces of a kind come about."""
        counts = self.found.counts
        if code == "prepended":
            parts = [
                *([say("text of the document {n:,}", n=n)] if (n := counts.get("repeating", 0)) else []),
                *([say("other text {n:,}", n=n)] if (n := counts.get("foreign", 0)) else []),
            ]
        else:
            counted = {"normalised": self.found.changes, "not_found": self.found.reasons}.get(code, {})
            parts = [say("{what} {n:,}", what=HOW.get(what, what), n=n) for what, n in counted.items()]
        return say("{parts:, }", parts=parts) if parts and counts.get(code) else ""

    def about(self, code: str) -> str:
        """Say of how many, or what else is to be known of a count."""
        counts = self.found.counts
        totals = {"wrong_offsets": "claimed", "cut_tables": "tables", "header_lost": "rows"}
        if code in totals:
            total = counts.get(totals[code], 0)
            return say("of {total:,}", total=total) if total else say("there are none")
        if code == "gaps" and (counts.get("uncovered") or counts.get("blank_uncovered")):
            return say(
                "{n:,} {n:character|characters}, and {blank:,} of white space",
                n=counts.get("uncovered", 0),
                blank=counts.get("blank_uncovered", 0),
            )
        if code == "oversize" and code not in counts:
            return say("no size is stated") if self.found.size is None else say("only the splitter can count that")
        return ""

    def places(self, code: str) -> Iterator[str]:
        """Show the first places of a kind, a line each."""
        if self.options.quiet:
            return
        for place in self.found.places.get(code, ()):
            name = fit(visible(place.document, ascii=self.options.ascii), MOST_NAMED, ascii=self.options.ascii)
            where = f"{INDENT * 2}{name}:{place.line}:{place.column}"
            told = self.spoken(_told(place, code))
            words = visible(place.text.strip() or place.text, ascii=self.options.ascii)
            yield fit(f"{where}  {told}{words}", self.room, ascii=self.options.ascii)

    def failures(self) -> Iterator[str]:
        """Name the documents that could not be cut."""
        failures = self.found.failures
        if not failures:
            return
        yield self.spoken(say("{told}:", told=could_not_split(self.found)))
        for name, reason in failures[:MOST_FAILURES]:
            text = self.spoken(say("{document}: {reason}", document=name, reason=reason))
            yield from wrap(text, self.room, first=INDENT, rest=INDENT * 2)
        if len(failures) > MOST_FAILURES:
            yield self.spoken(say("and {n:,} more", n=len(failures) - MOST_FAILURES))


def _setting(found: Inspection) -> Text:
    """Say size and overlap."""
    if found.size is None:
        return say("no size")
    size = say("size {n:,} {unit}", n=found.size, unit=unit_noun(found.unit, found.size))
    return say("{size}, overlap {n:,}", size=size, n=found.overlap) if found.overlap else size


def could_not_split(found: Inspection) -> Text:
    """Say how many documents a splitter failed on."""
    n, total = len(found.failures), found.documents
    return say("{n:,} of {total:,} {total:document|documents} could not be split", n=n, total=total)


def _told(place: Place, code: str) -> str:
    """Say what stands in front of the words of a place."""
    if code == "wrong_offsets" and place.claimed is not None:
        (start, end), span = place.claimed, place.span
        if span is None:
            return say("claimed {start} to {end}: ", start=start, end=end)
        if start != span[0]:
            return say("claimed {start}, starts at {true}: ", start=start, true=span[0])
        return say("claimed to end at {end}, ends at {true}: ", end=end, true=span[1])
    if code in ("normalised", "not_found") and place.how:
        return say("{parts:, }: ", parts=[HOW.get(one, one) for one in place.how])
    return ""


def _habits(found: Inspection) -> Sequence[Text]:
    """Say what the splitter does when asked again."""
    told = []
    if found.ignores_size:
        told.append(say("It ignores its size: the pieces of a sample are the same at every one."))
    if found.is_deterministic is False:
        told.append(say("It is not deterministic: asked twice for the same document, it gives other pieces."))
    elif found.is_deterministic:
        told.append(say("Asked twice for the same document, it gives the same pieces."))
    return told
