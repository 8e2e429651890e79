"""A check for people: a finding a line with the text around the cut under it, then the thresholds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from chunkscope.errors import unit_noun
from chunkscope.gate.result import CheckResult, ThresholdResult
from chunkscope.gate.thresholds import is_least
from chunkscope.language import Text, in_language, say
from chunkscope.measures.findings import Finding, Suggestion
from chunkscope.reports.base import CHECK, Report, ReportOptions
from chunkscope.reports.setting_words import unsized_words
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.why import around
from chunkscope.reports.width import BOLD, GREEN, RED, painted, wrap

INDENT = "    "
MOST_GONE = 20
NONE = say("n/a: there are none")

COUNTED: Mapping[str, Callable[[int, int], Text]] = {
    "max_split": lambda n, total: say("{n:,} of {total:,} {total:question|questions} split", n=n, total=total),
    "max_missing": lambda n, total: say(
        "{n:,} of {total:,} {total:question|questions} with missing evidence", n=n, total=total
    ),
    "max_header_lost": lambda n, total: say(
        "{n:,} of {total:,} table {total:question|questions} with the header lost", n=n, total=total
    ),
    "max_rows_header_lost": lambda n, total: say(
        "{n:,} of {total:,} table {total:row|rows} with the header lost", n=n, total=total
    ),
    "max_oversize": lambda n, total: say("{n:,} of {total:,} {total:chunk|chunks} too large", n=n, total=total),
    "max_broken": lambda n, total: say(
        "{n:,} of {total:,} {total:chunk|chunks} cut inside a character", n=n, total=total
    ),
    "max_blank": lambda n, total: say("{n:,} of {total:,} {total:chunk|chunks} blank", n=n, total=total),
    "min_recall": lambda n, total: say("{n:,} of {total:,} {total:question|questions} answered", n=n, total=total),
    "max_more_lost": lambda n, total: say("{n:,} of {total:,} {total:question|questions} newly lost", n=n, total=total),
    "max_stale": lambda n, total: say("{n:,} of {total:,} {total:chunk|chunks} stale", n=n, total=total),
    "max_orphaned": lambda n, total: say("{n:,} of {total:,} {total:chunk|chunks} orphaned", n=n, total=total),
    "max_unindexed": lambda n, total: say("{n:,} of {total:,} {total:document|documents} unindexed", n=n, total=total),
    "max_uncovered": lambda n, total: say(
        "{n:,} of {total:,} {total:character|characters} in no chunk", n=n, total=total
    ),
}
"""What is counted for each threshold: how many, of how many."""


def render_check(result: CheckResult, options: ReportOptions) -> str:
    """Write a check for people.

    Each finding is a line ``path:line:column: code: message`` that is never broken, so that editors find the place.
    Known findings are counted, not listed.

    Parameters
    ----------
    result : CheckResult
        What was found.
    options : ReportOptions
        `width` is that of the lines under a finding. `quiet`: findings and the last line only.

    Returns
    -------
    str
        Lines, each with its end.
    """
    lines: list[str] = []
    for finding in result.findings:
        if finding.is_known:
            continue
        lines.append(_headline(finding, options))
        if not options.quiet:
            lines += _under(finding, result, options)
    if not options.quiet:
        lines += [*([""] if lines else []), *_thresholds(result, options), *_baseline(result, options)]
    return "\n".join([*lines, _last_line(result, options)]) + "\n"


def suggestion_lines(suggestion: Suggestion | None, setting: Sequence[object]) -> list[Text]:
    """Say what would mend a finding.

    Parameters
    ----------
    suggestion : Suggestion or None
        Of the finding.
    setting : (size, unit)
        The present size, and what it counts.

    Examples
    --------
    >>> suggestion_lines(Suggestion(214, 118, 119), (210, "char"))
    ['size 214 is the nearest that keeps it whole', 'an overlap of 118 or more guarantees it']
    >>> suggestion_lines(Suggestion(591, None, 330, "table-header"), (210, "char"))[2:]
    ['prepend=table-header keeps the row with its header']
    """
    if suggestion is None:
        return []
    size, unit = setting
    told = []
    if suggestion.size is not None and suggestion.is_nearest:
        told.append(say("size {size} is the nearest that keeps it whole", size=suggestion.size))
    elif suggestion.size is not None:
        told.append(say("size {size} keeps it whole", size=suggestion.size))
    if suggestion.overlap is not None:
        told.append(say("an overlap of {overlap} or more guarantees it", overlap=suggestion.overlap))
    elif isinstance(size, int) and suggestion.length > size:
        length = suggestion.length
        told.append(
            say(
                "no overlap helps: what must stay together is longer than the size ({n:,} {unit})",
                n=length,
                unit=unit_noun(str(unit), length),
            )
        )
    if suggestion.prepend is not None:
        told.append(say("prepend={prepended} keeps the row with its header", prepended=suggestion.prepend))
    return told


def suggested(finding: Finding, result: CheckResult) -> Text | None:
    """Say in one sentence what would mend a finding; None where nothing is known."""
    told = suggestion_lines(finding.suggestion, (result.setting.get("size"), result.setting.get("unit")))
    return say("suggestion: {told:; }", told=told) if told else None


def _headline(finding: Finding, options: ReportOptions) -> str:
    place = f"{visible(finding.path, ascii=options.ascii)}:{finding.line}:{finding.column}:"
    message = visible(in_language(noted(finding), options.lang), ascii=options.ascii)
    code = painted(finding.code, RED if finding.level == "error" else BOLD, options.color)
    return f"{painted(place, BOLD, options.color)} {code}: {message}"


def noted(finding: Finding) -> str:
    """Give the message of a finding with its page, where there is one; where it is no error, with the reason."""
    message = on_page(finding)
    if finding.level == "error":
        return message
    return say("{message} ({remark})", message=message, remark=remark(finding))


def on_page(finding: Finding) -> str:
    """Give the message of a finding; where its document was converted, with the page of its source."""
    return (
        say("{message} ({remark})", message=finding.message, remark=finding.source)
        if finding.source
        else finding.message
    )


def remark(finding: Finding) -> Text:
    """Say why a finding is no error."""
    if finding.is_known:
        return say("known: in the baseline")
    if finding.level == "warning":
        return say("a warning")
    return say("within the threshold") if finding.is_needed else say("other evidence of the question is enough")


def _under(finding: Finding, result: CheckResult, options: ReportOptions) -> Iterator[str]:
    if finding.before or finding.after:
        room = max(options.width - len(INDENT), 20)
        yield INDENT + around(finding.before, finding.after, room, color=options.color, ascii=options.ascii)
    told = suggested(finding, result)
    if told:
        yield from wrap(in_language(told, options.lang), options.width, first=INDENT, rest=INDENT + "  ")


def _thresholds(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    rows = [_row(one) for one in result.measured]
    if result.asked:
        bad, asked = result.count("excluded"), len(result.asked)
        sound = say("labels sound ({n:,} {n:question|questions})", n=asked)
        if bad:
            sound = say("{n:,} of {total:,} {total:question|questions} with label problems", n=bad, total=asked)
        rows.append(("label-problems", sound, "", _met(not result.label_problems)))
    columns = zip(*([in_language(text, options.lang) for text in row] for row in rows), strict=True)
    yield from lay_table([TextColumn("", texts, left=True) for texts in columns], None, indent="")
    for text in _ranked(result):
        yield from wrap(visible(in_language(text, options.lang), ascii=options.ascii), options.width, rest="  ")
    for warning in result.warnings:
        yield from wrap(visible(in_language(say("note: {text}", text=warning), options.lang)), options.width, rest="  ")


def _ranked(result: CheckResult) -> Iterator[Text]:
    """Say how chunks were ranked, and what became of the questions since an earlier result."""
    for found in result.cell.retrieval or ():
        k, context = found["k"][-1], found["settings"]["context"]
        yield say(
            "ranked by {retriever}: {k:,} {k:chunk|chunks} a question, about {context:,} characters",
            retriever=found["retriever"],
            k=k,
            context=context,
        )
    if result.earlier is not None:
        outcome = result.earlier.outcome
        told = [say("{n:,} of {total:,} shared questions newly lost", n=len(outcome.lost), total=outcome.total)]
        if outcome.lost:
            told.append(say("newly lost: {ids:, }", ids=outcome.lost))
        if outcome.gained:
            told.append(say("no longer lost: {ids:, }", ids=outcome.gained))
        yield say("since {path}: {told:; }", path=result.earlier.path, told=told)


def _row(one: ThresholdResult) -> tuple[str, ...]:
    count = COUNTED[one.name](one.n, one.total) if one.total else NONE
    if one.n > one.n_new:
        count = say("{counted}, {n:,} known", counted=count, n=one.n - one.n_new)
    elif one.n < one.n_new:
        count = say("{counted}, {n:,} {n:miss|misses} known", counted=count, n=one.n_new - one.n)
    return one.name.replace("_", "-"), count, limit_of(one), _met(one.is_met)


def limit_of(one: ThresholdResult) -> Text:
    """Say how many there may be, or must be."""
    return say("at least {limit}", limit=one.limit) if is_least(one.name) else say("at most {limit}", limit=one.limit)


def _met(is_met: bool) -> Text:
    return say("met") if is_met else say("missed")


def _baseline(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    if result.against is None:
        return
    path, gone = visible(result.against.path, ascii=options.ascii), result.against.gone
    known = result.against.n_known
    told = [say("{path}: {n:,} known {n:finding|findings}, {gone:,} gone", path=path, n=known, gone=len(gone))]
    for one in gone[:MOST_GONE]:
        where = f"{visible(one.document, ascii=options.ascii)}: " if one.document else ""
        quote = _short(visible(one.quote, ascii=options.ascii))
        told.append(say("gone: {where}{code}: {quote}", where=where, code=one.code, quote=quote))
    if len(gone) > MOST_GONE:
        told.append(say("and {n:,} more (--format json lists them)", n=len(gone) - MOST_GONE))
    if gone:
        told.append(say("--write-baseline takes them out of the file"))
    yield in_language(told[0], options.lang)
    for text in told[1:]:
        yield from wrap(in_language(text, options.lang), options.width, first="  ")


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _last_line(result: CheckResult, options: ReportOptions) -> str:
    chunker, size, overlap, unit = (result.setting[name] for name in ("chunker", "size", "overlap", "unit"))
    setting: str = f"{chunker} size={size} overlap={overlap}"
    if size is None:
        setting = unsized_words(chunker)
    if unit != "char":
        setting = say("{setting} unit={unit}", setting=setting, unit=unit)
    where = say("{n:,} {n:document|documents}, {setting}", n=result.corpus.documents, setting=setting)
    verdict = painted(in_language(verdict_of(result), options.lang), GREEN if result.passed else RED, options.color)
    details = visible(in_language(where, options.lang))
    return in_language(say("{verdict} ({details})", verdict=verdict, details=details), options.lang)


def verdict_of(result: CheckResult) -> Text:
    """Say whether a check is passed, and which thresholds are missed."""
    if result.passed:
        return say("passed")
    return say("failed: {names:, }", names=[name.replace("_", "-") for name in result.missed])


REPORT = Report((CHECK,), render_check)
"""The format ``text``."""
