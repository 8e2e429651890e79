"""Explaining label problems: what stands where, what is nearest, and what would mend it."""

from __future__ import annotations

import posixpath
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import did_you_mean
from chunkscope.language import Text, say
from chunkscope.questions.labels import LISTED, Fix, LabelProblem, LabelProblemCode, Occurrence
from chunkscope.questions.names import DocumentNames
from chunkscope.questions.near_miss import FoldedText, Near, first_difference, fold_text, folded_matches, same_numbers
from chunkscope.questions.question import Question, Quote
from chunkscope.questions.quote_search import Context, QuoteIndex, unique_extension
from chunkscope.questions.rendered import pages_of, rendered, rendered_matches
from chunkscope.questions.similarity import LONGEST, STRONG, PieceIndex, Strength, align, likely_places
from chunkscope.structure.words import words_of

Key: TypeAlias = tuple[int, int]
"""The places of a question and of a quote in it."""

_SHOWN = 5  # places in a message; the others are in `occurrences`
_EXTENDED = 20  # places that get their shortest unique passage
_KEPT = 300  # places of a quote that are kept, and whose surroundings are compared
_LONGEST_WORD = 64  # characters on either side that are looked at to find where a word ends
_MANY = 50  # places in another form, after which no nearer one is looked for
_BUDGET = 10_000_000_000  # characters to search for similar passages: some ten seconds
_CONTEXTS = 10_000  # places of ambiguous quotes whose surroundings are compared: some ten seconds
_ALIGNED = 200_000_000  # pairs of characters to compare where quotes are aligned: some ten seconds
_NAMES_BUDGET = 2_000_000  # pairs of names to compare


@dataclass
class QuotePlaces:
    """Where a quote occurs: all places are counted, the first few hundred kept."""

    kept: list[tuple[str, int]] = field(default_factory=list)
    count: int = 0

    def add(self, document: str, starts: range) -> None:
        """Count places."""
        self.count += len(starts)
        self.kept += [(document, start) for start in starts[: _KEPT - len(self.kept)]]


@dataclass
class BadQuote:
    """A quote that does not stand, and what the second pass finds out about it.

    Attributes
    ----------
    code, quote
        What is wrong, with what.
    places : QuotePlaces
        Where its quote does occur.
    keys : list of Key
        The questions that quote it so: what is found out is found out once.
    """

    code: LabelProblemCode
    quote: Quote
    places: QuotePlaces
    keys: list[Key] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    near: tuple[Near, Text] | None = None
    strength: Strength = (0, 0)
    n_folded: int = 0
    has_contexts: bool = False
    is_decided: bool = False
    fix: Fix | None = None
    elsewhere: Occurrence | None = None
    at_pin: Text | None = None
    note: Text | None = None

    @property
    def text(self) -> str:
        """Its text, which is not blank where it is searched for."""
        return self.quote.text or ""


def explain(
    documents: Iterable[Document], questions: Sequence[Question], bad_quotes: Sequence[BadQuote], names: DocumentNames
) -> list[tuple[Key, LabelProblem]]:
    """Write a problem for each bad quote, going through the documents again where that tells something."""
    searched = [bad for bad in bad_quotes if bad.code in ("missing", "offset-mismatch") or bad.places.count]
    if searched:
        second = _SecondPass(searched)
        for document in documents:
            second.look_at(document)
        _look_at_pages(documents, [bad for bad in searched if bad.code == "missing" and not bad.n_folded])
        _count_fixes(documents, [bad for bad in searched if bad.fix is not None])
    known = _KnownNames(names, documents if isinstance(documents, Corpus) else None)
    return [found for bad in bad_quotes for found in _problems(bad, questions, known)]


class _SecondPass:
    """Collects what messages need, a document at a time."""

    def __init__(self, bad_quotes: Sequence[BadQuote]) -> None:
        self._at_home: defaultdict[str, list[BadQuote]] = defaultdict(list)
        self._occurring: defaultdict[str, list[tuple[BadQuote, int]]] = defaultdict(list)
        self._homeless: list[BadQuote] = []
        for bad in bad_quotes:
            if bad.quote.document is not None and bad.code != "ambiguous":
                self._at_home[bad.quote.document].append(bad)
            elif not bad.places.count:
                self._homeless.append(bad)
            for document, place in bad.places.kept:
                self._occurring[document].append((bad, place))
        self._strayed = _by_text(bad for bad in bad_quotes if bad.quote.document is not None and not bad.places.count)
        self._verbatim = QuoteIndex(list(self._strayed))
        self._by_folded = _by_folded(self._homeless)
        self._folded = QuoteIndex(list(self._by_folded))
        self._pieces = PieceIndex([bad.text for bad in self._homeless])
        self._budget, self._aligned, contexts = _BUDGET, _ALIGNED, _CONTEXTS
        for bad in bad_quotes:
            if bad.code == "ambiguous" and bad.places.count <= min(_KEPT, contexts):
                contexts -= bad.places.count
                bad.has_contexts = True

    def look_at(self, document: Document) -> None:
        """Note what a document says about the bad quotes."""
        for bad, place in self._occurring.get(document.name, ()):
            self._note_place(bad, document, place)
        for quote, start in self._verbatim.find_first(document.text) if self._strayed else ():
            # a document that holds it is none of those that ought to
            for bad in self._strayed.pop(quote, ()):
                bad.elsewhere = _occurrence(document, start, start + len(quote))
        home = self._at_home.get(document.name, [])
        if home:
            self._look_at_home(document, home)
        if self._homeless:
            self._look_for_homeless(document)

    @staticmethod
    def _note_place(bad: BadQuote, document: Document, place: int) -> None:
        end = place + len(bad.text)
        if len(bad.occurrences) < LISTED:
            bad.occurrences.append(_occurrence(document, place, end))
        if bad.has_contexts:
            bad.contexts.append(Context.of(document.text, place, end))

    def _look_at_home(self, document: Document, bad_quotes: Sequence[BadQuote]) -> None:
        counts = _OtherCounts(document.text)
        for bad in bad_quotes:
            if bad.quote.span is not None:
                _note_mismatch(bad, document, counts)
        missing = [bad for bad in bad_quotes if not bad.places.count]
        by_folded = _by_folded(missing)
        found = [quote for quote, _ in QuoteIndex(list(by_folded)).find_first(fold_text(document.text))]
        folded = FoldedText(document.text) if found else None
        for bad in (bad for quote in found for bad in by_folded[quote]):
            if folded is not None:
                _note_matches(bad, document, folded_matches(document.text, bad.text, folded))
        for bad in missing:
            if bad.near is None:
                self._note_similar(bad, document)

    def _look_for_homeless(self, document: Document) -> None:
        found = self._folded.find_first(fold_text(document.text)) if self._by_folded else ()
        hits = [bad for quote, _ in found for bad in self._by_folded[quote] if bad.n_folded < _MANY]
        folded = FoldedText(document.text) if hits else None
        for bad in hits:
            if folded is not None:
                _note_matches(bad, document, folded_matches(document.text, bad.text, folded))
        likely = self._pieces.likely_places(document.text)
        for number, bad in enumerate(self._homeless):
            if bad.n_folded:
                continue
            if number in likely:
                self._note_likely(bad, document, *likely[number])
            elif bad.strength < STRONG:
                self._note_similar(bad, document)

    def _note_similar(self, bad: BadQuote, document: Document) -> None:
        self._budget -= 24 * len(document.text)
        if self._budget < 0:
            bad.note = say("not all documents were searched for similar passages")
            return
        self._note_likely(bad, document, *likely_places(document.text, bad.text, bad.strength))

    def _note_likely(self, bad: BadQuote, document: Document, strength: Strength, places: Sequence[int]) -> None:
        """Look at the likely places of a document, if they are likelier than those of the documents before."""
        if strength <= bad.strength:
            return
        bad.strength = strength
        self._aligned -= len(places) * min(len(bad.text), LONGEST) ** 2
        if self._aligned < 0:
            bad.note = say("not all documents were searched for similar passages")
            return
        near = align(document.text, bad.text, places)
        if near is not None:
            _keep_nearer(bad, document, near)


def _look_at_pages(documents: Iterable[Document], bad_quotes: Sequence[BadQuote]) -> None:
    """Look for quotes that were copied from the rendered page."""
    groups = _by_home(bad_quotes)
    forms = {home: _by_text(group, lambda text: fold_text(rendered(text))) for home, group in groups.items()}
    anywhere = QuoteIndex([form for form in forms.get(None, ()) if form])
    for document in documents if bad_quotes else ():
        at_home = forms.get(document.name, {})
        if None not in groups and not at_home:
            continue
        matches: defaultdict[int, list[Near]] = defaultdict(list)
        owners: dict[int, BadQuote] = {}
        for page in pages_of(document.text):
            plain = fold_text(page.text)
            found = [(at_home, form) for form, _ in QuoteIndex([form for form in at_home if form]).find_first(plain)]
            found += [(forms[None], form) for form, _ in anywhere.find_first(plain)]
            folded = FoldedText(page.text) if found else None
            for bad in (bad for by_form, form in found for bad in by_form[form] if bad.n_folded < _MANY):
                if folded is not None:
                    owners[id(bad)] = bad
                    # one place may be found on several pages, with other ends
                    known = tuple(matches[id(bad)])
                    matches[id(bad)] += [
                        near
                        for near in rendered_matches(document.text, bad.text, page, folded)
                        if not any(near.start < one.end and one.start < near.end for one in known)
                    ]
        for key, bad in owners.items():
            _note_matches(bad, document, matches[key])


def _count_fixes(documents: Iterable[Document], bad_quotes: Sequence[BadQuote]) -> None:
    """Find out which fixes need a pin, because what they put in stands more than once."""
    counts: Counter[tuple[str | None, str]] = Counter()
    texts = {home: {bad.fix.text for bad in group if bad.fix} for home, group in _by_home(bad_quotes).items()}
    anywhere = QuoteIndex(list(texts.get(None, ())))
    for document in documents if bad_quotes else ():
        if document.name in texts:
            for text, places in QuoteIndex(list(texts[document.name])).find(document.text):
                counts[document.name, text] += len(places)
        if None in texts:
            for text, places in anywhere.find(document.text):
                counts[None, text] += len(places)
    for bad in bad_quotes:
        if bad.fix is not None and counts[bad.quote.document, bad.fix.text] > 1:
            bad.fix = bad.fix._replace(needs_pin=True)


def _by_home(bad_quotes: Iterable[BadQuote]) -> dict[str | None, list[BadQuote]]:
    """Group quotes by the document that they name."""
    found: defaultdict[str | None, list[BadQuote]] = defaultdict(list)
    for bad in bad_quotes:
        found[bad.quote.document].append(bad)
    return dict(found)


def _by_text(bad_quotes: Iterable[BadQuote], form: Callable[[str], str] = str) -> dict[str, list[BadQuote]]:
    """Group quotes by their text, or by a form of it."""
    found: defaultdict[str, list[BadQuote]] = defaultdict(list)
    for bad in bad_quotes:
        found[form(bad.text)].append(bad)
    return dict(found)


def _by_folded(bad_quotes: Iterable[BadQuote]) -> dict[str, list[BadQuote]]:
    """Group quotes by their folded text; one of emphasis marks alone folds to nothing, and nothing is everywhere."""
    found = _by_text(bad_quotes, fold_text)
    found.pop("", None)
    return found


def _note_matches(bad: BadQuote, document: Document, matches: Sequence[Near]) -> None:
    """Note where a quote stands but for its form, and the fix if that is one place."""
    if not matches:
        return
    _keep_nearer(bad, document, matches[0])
    bad.n_folded += len(matches)
    if bad.is_decided:
        return
    bad.fix = None
    passage = document.text[matches[0].start : matches[0].end]
    seen = matches[0].seen
    alike = (passage, bad.text) if seen is None else (seen, rendered(bad.text))
    if bad.n_folded == 1 and same_numbers(*alike):
        bad.fix = Fix(document.name, matches[0].start, matches[0].end, passage)


def _keep_nearer(bad: BadQuote, document: Document, near: Near) -> None:
    if bad.near is not None and bad.near[0].rank <= near.rank:
        return
    passage = document.text[near.start : near.end]
    position = document.position(near.start)
    place = f"{document.name}:{position.line}:{position.column}"
    where = say("{passage} at {place}", passage=_excerpt(passage), place=place)
    difference = first_difference(passage, bad.text)
    if difference is not None:
        offset, words = difference
        line, column = document.position(min(near.start + offset, near.end))
        where = say("{where} ({line}:{column}: {difference})", where=where, line=line, column=column, difference=words)
    bad.near = near, where


def _note_mismatch(bad: BadQuote, document: Document, counts: _OtherCounts) -> None:
    """Note what stands at wrong offsets, whether they count something else, and the fix if there is one."""
    text, quote = document.text, bad.text
    start, end = bad.quote.span or (0, 0)
    if not 0 <= start < end <= len(text):
        what = say(
            "{document} has {n} {n:character|characters} and no [{start}:{end}]",
            document=document.name,
            n=len(text),
            start=start,
            end=end,
        )
    else:
        what = say(
            "{document}[{start}:{end}] is {found}, not {quote}",
            document=document.name,
            start=start,
            end=end,
            found=_excerpt(text[start:end]),
            quote=_excerpt(quote),
        )
    bad.at_pin = _joined([what, *counts.fit(quote, start, end)])
    if 0 <= start < end <= len(text) and fold_text(quote) and fold_text(text[start:end]) == fold_text(quote):
        here = Fix(document.name, start, end, text[start:end])
        # the quote at several other places, or its form here: two ways to read it
        bad.fix = None if bad.places.count or not same_numbers(here.text, quote) else here
        bad.is_decided = True


class _OtherCounts:
    """A text as others count it, and what wrong offsets count, where they fit something else than code points."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _utf8(self) -> bytes:
        return self._text.encode()

    @cached_property
    def _utf16(self) -> bytes:
        return self._text.encode("utf-16-le")

    @cached_property
    def _short_lines(self) -> str:
        return self._text.replace("\r\n", "\n")

    def fit(self, quote: str, start: int, end: int) -> list[Text]:
        """Say in words what offsets count; empty where that is not known."""
        if start < 0 or end < start:
            return []
        text = self._text
        fits = {
            say("they count bytes of UTF-8"): self._utf8[start:end] == quote.encode(),
            say("they count UTF-16 units"): self._utf16[2 * start : 2 * end] == quote.encode("utf-16-le"),
            say("they count each line end as one character"): self._short_lines[start:end] == quote,
            say("the end is one too small"): text[start : end + 1] == quote,
            say("they count from 1"): start > 0 and text[start - 1 : end - 1] == quote,
            say("they count from 1, and the end is inclusive"): start > 0 and text[start - 1 : end] == quote,
            say("they do not count the byte order mark"): text[start + 1 : end + 1] == quote,
        }
        return [words for words, fit in fits.items() if fit][:1]


def _occurrence(document: Document, start: int, end: int) -> Occurrence:
    return Occurrence(document.name, start, end, *document.position(start))


def _problems(bad: BadQuote, questions: Sequence[Question], known: _KnownNames) -> Iterator[tuple[Key, LabelProblem]]:
    """Write the problem of a bad quote for each question that has it."""
    message, occurrences = _message(bad, known), tuple(bad.occurrences)
    for key in bad.keys:
        question = questions[key[0]]
        told = say("entry {n}: {text}", n=key[1] + 1, text=message) if len(question.quotes) > 1 else message
        problem = LabelProblem(
            id=question.id,
            line=question.line,
            problem=bad.code,
            message=told,
            document=bad.quote.document,
            occurrences=occurrences,
            n_occurrences=bad.places.count,
            entry=key[1],
            fix=bad.fix,
        )
        yield key, problem


def _message(bad: BadQuote, known: _KnownNames) -> Text:
    quote = bad.quote
    match bad.code:
        case "empty" if quote.text is None:
            return say("empty evidence: there is no quote")
        case "empty":
            return say("empty evidence: {quote!r} is blank", quote=quote.text)
        case "unknown-document":
            hint = known.hint(quote.document or "")
            return _joined([say("unknown document {name!r}", name=quote.document), hint])
        case "ambiguous" if not bad.places.count:
            others = [repr(name) for name in known.documents.meant(quote.document or "")]
            return say("{name!r} may be either of the documents {names:, }", name=quote.document, names=others)
        case "ambiguous":
            return _joined(_ambiguous(bad))
        case "missing":
            return _joined(_missing(bad))
        case _:
            return _joined(_mismatch(bad))


def _joined(clauses: Iterable[str]) -> Text:
    return say("{clauses:; }", clauses=list(clauses))


def _ambiguous(bad: BadQuote) -> Iterator[Text]:
    quote, places = bad.text, bad.occurrences
    shown = [*map(str, places[:_SHOWN]), *(["..."] if len(places) > _SHOWN else [])]
    yield say("occurs {n} times: {places:, }", n=bad.places.count, places=shown)
    if not bad.has_contexts:
        yield say("quote more of the text")
        return
    best: Occurrence | None = None
    for number, place in enumerate(places[:_EXTENDED]):
        extension = unique_extension(bad.contexts, number)
        if extension is None:
            continue
        passage = _whole_words(bad.contexts[number], quote, *extension)
        places[number] = longer = Occurrence(place.document, place.start, place.end, place.line, place.column, passage)
        if best is None or len(passage) < len(best.unique or ""):
            best = longer
    if bad.quote.document is None and len({place.document for place in places}) == len(places):
        yield say("name its document in 'doc'")
    if best is not None:
        yield say("{passage} occurs once ({place})", passage=_excerpt(best.unique or "", 200), place=str(best))
    elif not bad.quote.span:
        yield say("no longer passage is unique: pin it with 'spans'")


def _whole_words(context: Context, quote: str, left: int, right: int) -> str:
    """Extend a quote by some characters on both sides, and to the ends of the words that begin or end it."""
    whole = context.before + quote + context.after
    start, end = len(context.before) - left, len(context.before) + len(quote) + right
    low = max(0, start - _LONGEST_WORD)
    inside = words_of(whole[low : start + _LONGEST_WORD]).inside
    while start > low and inside[start - low]:
        start -= 1
    low = max(0, end - _LONGEST_WORD)
    inside = words_of(whole[low : end + _LONGEST_WORD]).inside
    while end < len(whole) and end - low < len(inside) and inside[end - low]:
        end += 1
    return whole[start:end]


def _missing(bad: BadQuote) -> Iterator[Text]:
    quote = _excerpt(bad.text)
    if bad.quote.document is None:
        yield say("evidence not found: {quote}", quote=quote)
    else:
        yield say("evidence not found in {document}: {quote}", document=bad.quote.document, quote=quote)
    if bad.at_pin is not None:
        yield bad.at_pin
    matches = bad.near is not None and bad.near[0].reasons
    if bad.near is not None and matches:
        yield say("{hint}: {where}", hint=bad.near[0].hint, where=bad.near[1])
    if bad.elsewhere:
        yield say("it is in another document: {place}", place=str(bad.elsewhere))
    elif bad.near is not None and not matches:
        yield say("nearest: {where}", where=bad.near[1])
    elif bad.near is None:
        yield bad.note or say("nothing similar")


def _mismatch(bad: BadQuote) -> Iterator[Text]:
    if bad.quote.document is None:
        start, end = bad.quote.span or (0, 0)
        yield say("{quote} is at [{start}:{end}] of no document", quote=_excerpt(bad.text), start=start, end=end)
    elif bad.at_pin is not None:
        yield bad.at_pin
    shown = [f"{place} [{place.start}:{place.end}]" for place in bad.occurrences[:_SHOWN]]
    shown += ["..."] if len(bad.occurrences) > _SHOWN else []
    yield say("the quote is at {places:, }", places=shown)


def _excerpt(text: str, limit: int = 80) -> str:
    """Quote a text in one line, its middle left out where it is long."""
    if len(text) > limit:
        text = f"{text[: limit - 20]} ... {text[-15:]}"
    return repr(text)


class _KnownNames:
    """The names of the corpus, and which of them somebody may have meant."""

    def __init__(self, names: DocumentNames, corpus: Corpus | None) -> None:
        self.documents = names
        self._names = list(names.names)
        self._unreadable = corpus.unreadable if corpus else ()
        self._unfollowed = corpus.unfollowed if corpus else ()
        self._budget = _NAMES_BUDGET
        self._hints: dict[str, str] = {}
        self._by_form: Mapping[str, list[str]] | None = None

    def hint(self, name: str) -> str:
        """Say in words which document is meant, or that none is like it."""
        if name not in self._hints:
            self._hints[name] = self._search(name)
        return self._hints[name]

    def _search(self, name: str) -> str:
        if any(reason.startswith(f"{name}: ") for reason in self._unreadable):
            return say("its file cannot be read, and was left out")
        if any(f"{name}/".startswith(f"{link}/") for link in self._unfollowed):
            return say("a link that leads out of the corpus; give --follow-links")
        if self._by_form is None:
            forms: defaultdict[str, list[str]] = defaultdict(list)
            for known in self._names:
                whole = _form(known)
                base = whole.rsplit("/", 1)[-1]
                # as it is, without folders, without the suffix, without both
                for form in {whole, base, posixpath.splitext(whole)[0], posixpath.splitext(base)[0]}:
                    forms[form].append(known)
            self._by_form = forms
        form = _form(name)
        near = self._by_form.get(form) or self._by_form.get(form.rsplit("/", 1)[-1], [])
        if not near:
            hint = did_you_mean(name, self._names) if self._budget > 0 else ""
            self._budget -= len(self._names)
            return hint or say("no document has a similar name")
        if len(near) > 1:
            return say("did you mean one of {names:, }?", names=[repr(one) for one in near[:3]])
        return say("did you mean {name!r}?", name=near[0])


def _form(name: str) -> str:
    return unicodedata.normalize("NFKC", name.replace("\\", "/")).casefold().removeprefix("./").lstrip("/")
