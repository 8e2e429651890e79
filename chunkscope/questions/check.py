"""Checking that each quote stands in its document exactly once, or where it is pinned."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import InputError, refuse_path
from chunkscope.language import Text, say
from chunkscope.questions.labels import EvidenceSpan, LabelProblem, LabelProblemCode, Labels, LocatedQuestion
from chunkscope.questions.names import DocumentNames
from chunkscope.questions.problems import BadQuote, Key, QuotePlaces, explain
from chunkscope.questions.question import Question, QuestionFile, Quote, questions_of
from chunkscope.questions.quote_search import QuoteIndex


def check_labels(documents: Iterable[Document], questions: QuestionFile | Iterable[Question]) -> Labels:
    """Find the evidence of all questions, and everything that is wrong with it. Nothing is guessed.

    Parameters
    ----------
    documents : iterable of Document
        Gone through once, and once more where there are problems to explain.
    questions : QuestionFile or iterable of Question
        Each with its quotes; none for those that are unanswerable.

    Returns
    -------
    Labels
        All questions, each either valid, without evidence, or excluded.

    Raises
    ------
    InputError
        Two documents of one name.

    Notes
    -----
    Quotes that name a document and are pinned cost a slice each; all others are searched for, see `QuoteIndex`.

    Examples
    --------
    >>> rules = Document("rules.md", "開場は九時です。閉場は五時です。開場は九時です。")
    >>> asked = [Question.of("q1", evidence="閉場は五時です。"), Question.of("q2", evidence="開場")]
    >>> labels = check_labels([rules], asked)
    >>> [(located.question.id, located.evidence) for located in labels.valid]
    [('q1', (EvidenceSpan(document='rules.md', start=8, end=16),))]
    >>> print(labels.problems[0].message)
    occurs 2 times: rules.md:1:1, rules.md:1:17; '。開場' occurs once (rules.md:1:17)
    """
    refuse_path(documents, "documents", "read_corpus")
    held = tuple(documents) if iter(documents) is documents else documents
    asked = questions_of(questions)
    names = DocumentNames(*((held.names, held.path) if isinstance(held, Corpus) else ([one.name for one in held],)))
    meant = [names.resolve(question) for question in asked]
    search = _Search(meant, _unclear(asked, names))
    for document in held:
        search.look_at(document)
    problems = explain(held, meant, search.bad_quotes(), names) + _duplicates(asked)
    problems.sort(key=lambda item: item[0])
    # what is asked stays as it was written, but for documents that are looked up by their names later on
    told = (
        one if one.trap_docs == other.trap_docs else replace(one, trap_docs=other.trap_docs)
        for one, other in zip(asked, meant, strict=True)
    )
    labels = _sort(tuple(told), search, problems)
    if isinstance(questions, QuestionFile):
        return replace(labels, path=questions.path, sha256=questions.sha256)
    return labels


def _unclear(questions: Sequence[Question], names: DocumentNames) -> frozenset[Key]:
    """Give the quotes whose document may be one or another."""
    return frozenset(
        (number, place)
        for number, question in enumerate(questions)
        for place, quote in enumerate(question.quotes)
        if quote.document is not None and len(names.meant(quote.document)) > 1
    )


class _Search:
    """Looks for every quote in every document where it may stand."""

    def __init__(self, questions: Sequence[Question], unclear: frozenset[Key]) -> None:
        self.names: dict[str, None] = {}
        self._unclear = unclear
        self.pins: dict[Key, EvidenceSpan] = {}
        self._quotes: dict[Key, Quote] = {
            (number, place): quote
            for number, question in enumerate(questions)
            for place, quote in enumerate(question.quotes)
        }
        # each text is searched for once, however many questions quote it
        self._places: defaultdict[tuple[str | None, str], QuotePlaces] = defaultdict(QuotePlaces)
        self._matching: defaultdict[tuple[str, int], QuotePlaces] = defaultdict(QuotePlaces)
        self._pinned: defaultdict[str, list[Key]] = defaultdict(list)
        self._named: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._unnamed: defaultdict[str, set[int]] = defaultdict(set)  # each text with the starts where it is pinned
        for key, quote in self._quotes.items():
            if quote.text is None or is_blank(quote.text):
                continue
            if quote.document is None:
                start = _pinned_start(quote)
                self._unnamed[quote.text] |= set() if start is None else {start}
            elif quote.span is not None:
                self._pinned[quote.document].append(key)
            else:
                self._named[quote.document][quote.text] = None
        self._index = QuoteIndex(list(self._unnamed)) if self._unnamed else None

    def _text(self, key: Key) -> str:
        return self._quotes[key].text or ""

    def look_at(self, document: Document) -> None:
        """Check the quotes pinned in a document, and search for the others."""
        name = document.name
        if name in self.names:
            raise InputError(f"two documents are called {name!r}")
        self.names[name] = None
        if self._index is None and name not in self._pinned and name not in self._named:
            return  # its text is not needed
        text = document.text
        searched = self._named[name]
        for key in self._pinned[name]:
            span = self._quotes[key].span
            if span is not None and _stands(text, self._text(key), *span):
                self.pins[key] = EvidenceSpan(name, *span)
            else:
                searched[self._text(key)] = None
        for quote, starts in QuoteIndex(list(searched)).find(text):
            self._places[name, quote].add(name, starts)
        for quote, starts in self._index.find(text) if self._index is not None else ():
            self._places[None, quote].add(name, starts)
            pinned = self._unnamed[quote]
            few, many = (starts, pinned) if len(starts) < len(pinned) else (pinned, starts)
            for start in few:
                if start in many:
                    self._matching[quote, start].add(name, range(start, start + 1))

    def bad_quotes(self) -> list[BadQuote]:
        """Give the quotes that do not stand, after all documents have been looked at. Fill `pins` with the rest."""
        found: dict[tuple[LabelProblemCode, Quote], BadQuote] = {}
        for key, quote in self._quotes.items():
            if key not in self.pins or key in self._unclear:
                code, places = ("ambiguous", QuotePlaces()) if key in self._unclear else self._judge(quote)
                if code is not None:
                    found.setdefault((code, quote), BadQuote(code, quote, places)).keys.append(key)
                    continue
                document, start = places.kept[0]
                self.pins[key] = EvidenceSpan(document, start, start + len(self._text(key)))
        return list(found.values())

    def _judge(self, quote: Quote) -> tuple[LabelProblemCode | None, QuotePlaces]:
        """Say what is wrong with a quote, and where it stands; nothing is where that is one place."""
        nowhere = QuotePlaces()
        if quote.text is None or is_blank(quote.text):
            return "empty", nowhere
        if quote.document is not None and quote.document not in self.names:
            return "unknown-document", nowhere
        places = self._places.get((quote.document, quote.text), nowhere)
        if quote.span is not None:
            start = _pinned_start(quote) if quote.document is None else None
            matching = nowhere if start is None else self._matching.get((quote.text, start), nowhere)
            if places.count > 1 and not matching.count:
                return "offset-mismatch", places
            places = matching if matching.count else places  # what occurs once has moved
        if places.count == 1:
            return None, places
        return ("ambiguous" if places.count else "missing"), places


def is_blank(quote: str | None) -> bool:
    r"""Tell whether a quote holds nothing to be found: only separators, control and format characters.

    Examples
    --------
    >>> is_blank(None), is_blank("\u3000\n\u200b"), is_blank("。")
    (True, True, False)
    """
    return not quote or all(unicodedata.category(character) in _BLANK for character in quote)


_BLANK = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})


def _pinned_start(quote: Quote) -> int | None:
    """Give where a quote is pinned, if its offsets are as far apart as it is long."""
    start, end = quote.span or (0, 0)
    return start if end - start == len(quote.text or "") else None


def _stands(text: str, quote: str, start: int, end: int) -> bool:
    return start >= 0 and end - start == len(quote) and text.startswith(quote, start)


def _duplicates(questions: Sequence[Question]) -> list[tuple[Key, LabelProblem]]:
    first: dict[str, tuple[int, Question]] = {}
    found: list[tuple[Key, LabelProblem]] = []
    for number, question in enumerate(questions):
        place, earlier = first.setdefault(question.id, (number, question))
        if place != number:
            message = say("question {n} has the id {id!r} too", n=place + 1, id=question.id)
            if earlier.line is not None:
                message = say("line {line} has the id {id!r} too", line=earlier.line, id=question.id)
            found.append(((number, -1), LabelProblem(question.id, question.line, "duplicate-id", message)))
    return found


def _moved(questions: Sequence[Question], pins: Mapping[Key, EvidenceSpan]) -> list[Text]:
    """Say in one warning which pinned quotes stand somewhere else now."""
    moves = []
    for (number, place), pin in sorted(pins.items()):
        span = questions[number].quotes[place].span
        if span not in (None, (pin.start, pin.end)):
            old, new = (f"[{start}:{end}]" for start, end in (span or (0, 0), (pin.start, pin.end)))
            moves.append(say("{id} from {old} to {new}", id=questions[number].id, old=old, new=f"{pin.document} {new}"))
    if not moves:
        return []
    told = say(
        "{n:,} pinned {n:quote has moved and counts where it stands|quotes have moved and count where they stand} "
        "({moves:, }); `chunkscope labels --fix OUT` writes the new {n:place|places}",
        n=len(moves),
        moves=[*moves[:_MOVES_SHOWN], *(["..."] if len(moves) > _MOVES_SHOWN else [])],
    )
    return [told]


_MOVES_SHOWN = 3


def _sort(questions: Sequence[Question], search: _Search, problems: Sequence[tuple[Key, LabelProblem]]) -> Labels:
    """Put each question where it belongs."""
    first: dict[int, LabelProblem] = {}
    for (number, _), problem in problems:
        first.setdefault(number, problem)
    valid: list[LocatedQuestion] = []
    without: list[Question] = []
    warnings = _moved(questions, search.pins)
    for number, question in enumerate(questions):
        unknown = [name for name in question.trap_docs if name not in search.names]
        if unknown:
            told = say("trap_docs names {name!r}, which is not in the corpus", name=unknown[0])
            warnings.append(say("{id}: {text}", id=question.id, text=told))
        if number in first:
            continue
        if not question.quotes:
            without.append(question)
            continue
        evidence: dict[EvidenceSpan, int] = {}
        for place in range(len(question.quotes)):
            span = search.pins[number, place]
            if span in evidence:
                told = say(
                    "evidence entries {first} and {second} are the same passage; it counts once",
                    first=evidence[span] + 1,
                    second=place + 1,
                )
                warnings.append(say("{id}: {text}", id=question.id, text=told))
            evidence.setdefault(span, place)
        valid.append(LocatedQuestion(question, tuple(evidence)))
    return Labels(
        tuple(valid),
        tuple(without),
        excluded=tuple(first.values()),
        problems=tuple(problem for _, problem in problems),
        warnings=tuple(warnings),
        pins=search.pins,
        fixes={key: problem.fix for key, problem in problems if problem.fix is not None},
    )
