"""A check for people: a finding a line with the text around the cut under it, then the thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunkscope.errors import unit_noun
from chunkscope.gate.result import CheckResult, ThresholdResult
from chunkscope.measures.findings import Finding, Suggestion
from chunkscope.reports.base import CHECK, Report
from chunkscope.reports.formatting import plural
from chunkscope.reports.table import TextColumn, lay_table
from chunkscope.reports.visible import visible
from chunkscope.reports.why import around
from chunkscope.reports.width import BOLD, GREEN, RED, painted, wrap

INDENT = "    "
MOST_GONE = 20
NONE = "n/a, there is none"

SPEAKS_OF = {
    "max_split": ("question split", "questions split"),
    "max_missing": ("question with evidence missing", "questions with evidence missing"),
    "max_header_lost": ("table question separated from its header", "table questions separated from their header"),
    "max_rows_header_lost": ("table row separated from its header", "table rows separated from their header"),
    "max_oversize": ("chunk too large", "chunks too large"),
    "max_broken": ("chunk broken", "chunks broken"),
    "max_blank": ("chunk blank", "chunks blank"),
}


def render_check(
    result: CheckResult, *, width: int = 80, color: bool = False, ascii: bool = False, quiet: bool = False
) -> str:
    """Write a check for people.

    Each finding is a line ``path:line:column: code: message`` that is never broken, so that editors find the place.
    Known findings are counted, not listed.

    Parameters
    ----------
    result : CheckResult
        What was found.
    width : int
        Terminal cells in the lines under a finding.
    color : bool
        With ANSI colours.
    ascii : bool
        Marks of ASCII only; the text stays as it is.
    quiet : bool
        Findings and the last line only.

    Returns
    -------
    str
        Lines, each with its end.
    """
    lines: list[str] = []
    for finding in result.findings:
        if finding.is_known:
            continue
        lines.append(_headline(finding, color=color, ascii=ascii))
        if not quiet:
            lines += _under(finding, result, width=width, color=color, ascii=ascii)
    if not quiet:
        lines += [*([""] if lines else []), *_thresholds(result, width), *_baseline(result, width, ascii)]
    return "\n".join([*lines, _last_line(result, color)]) + "\n"


def suggestion_lines(suggestion: Suggestion | None, setting: Sequence[object]) -> list[str]:
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
    ['size 214 is the nearest that holds it', 'an overlap of 118 or more guarantees it']
    >>> suggestion_lines(Suggestion(591, None, 330, "table-header"), (210, "char"))[2:]
    ['prepend=table-header keeps row and header together']
    """
    if suggestion is None:
        return []
    size, unit = setting
    told = []
    if suggestion.size is not None:
        told.append(f"size {suggestion.size} {'is the nearest that holds it' if suggestion.is_nearest else 'holds it'}")
    if suggestion.overlap is not None:
        told.append(f"an overlap of {suggestion.overlap} or more guarantees it")
    elif isinstance(size, int) and suggestion.length > size:
        length = f"{suggestion.length:,} {unit_noun(str(unit), suggestion.length)}"
        told.append(f"no overlap helps: what must stay together is longer than the size ({length})")
    if suggestion.prepend is not None:
        told.append(f"prepend={suggestion.prepend} keeps row and header together")
    return told


def _headline(finding: Finding, *, color: bool, ascii: bool) -> str:
    place = f"{visible(finding.path, ascii=ascii)}:{finding.line}:{finding.column}:"
    message = visible(finding.message, ascii=ascii)
    note = f" ({remark(finding)})" if finding.level != "error" else ""
    code = painted(finding.code, RED if finding.level == "error" else BOLD, color)
    return f"{painted(place, BOLD, color)} {code}: {message}{note}"


def remark(finding: Finding) -> str:
    """Say why a finding is no error."""
    if finding.is_known:
        return "known: in the baseline"
    if finding.level == "warning":
        return "a warning"
    return "within the threshold" if finding.is_needed else "other evidence of the question is enough"


def _under(finding: Finding, result: CheckResult, *, width: int, color: bool, ascii: bool) -> Iterator[str]:
    if finding.before or finding.after:
        room = max(width - len(INDENT), 20)
        yield INDENT + around(finding.before, finding.after, room, color=color, ascii=ascii)
    told = suggestion_lines(finding.suggestion, (result.setting.get("size"), result.setting.get("unit")))
    if told:
        yield from wrap("suggestion: " + "; ".join(told), width, first=INDENT, rest=INDENT + "  ")


def _thresholds(result: CheckResult, width: int) -> Iterator[str]:
    rows = [_row(one) for one in result.measured]
    if result.asked:
        bad = result.count("excluded")
        sound = "labels sound" if not bad else f"{plural(bad, 'question')} with label problems"
        verdict = "missed" if result.label_problems else "met"
        rows.append(("label-problems", f"{sound} ({plural(len(result.asked), 'question')})", "", verdict))
    yield from lay_table([TextColumn("", texts, left=True) for texts in zip(*rows, strict=True)], None, indent="")
    for warning in result.warnings:
        yield from wrap(f"note: {visible(warning)}", width, rest="  ")


def _row(one: ThresholdResult) -> tuple[str, str, str, str]:
    singular, many = SPEAKS_OF[one.name]
    known = f", {one.n - one.n_new:,} known" if one.n != one.n_new else ""
    count = f"{one.n:,} of {one.total:,} {singular if one.total == 1 else many}{known}" if one.total else NONE
    return one.name.replace("_", "-"), count, f"at most {one.limit}", "met" if one.is_met else "missed"


def _baseline(result: CheckResult, width: int, ascii: bool) -> Iterator[str]:
    if result.against is None:
        return
    path, gone = visible(result.against.path, ascii=ascii), result.against.gone
    yield f"{path}: {plural(result.against.n_known, 'known finding')}, {len(gone):,} gone"
    for one in gone[:MOST_GONE]:
        where = f"{visible(one.document, ascii=ascii)}: " if one.document else ""
        yield from wrap(f"gone: {where}{one.code}: {_short(visible(one.quote, ascii=ascii))}", width, first="  ")
    if len(gone) > MOST_GONE:
        yield f"  and {len(gone) - MOST_GONE:,} more (--format json lists them)"
    if gone:
        yield "  --write-baseline takes them out of the file"


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _last_line(result: CheckResult, color: bool) -> str:
    setting = f"{result.setting['chunker']} size={result.setting['size']} overlap={result.setting['overlap']}"
    if result.setting["size"] is None:
        setting = f"{result.setting['chunker']}, whole sections"
    if result.setting["unit"] != "char":
        setting += f" unit={result.setting['unit']}"
    where = f"{plural(result.corpus.documents, 'document')}, {visible(setting)}"
    verdict = "passed" if result.passed else f"failed: {', '.join(name.replace('_', '-') for name in result.missed)}"
    return f"{painted(verdict, GREEN if result.passed else RED, color)} ({where})"


REPORT = Report(
    (CHECK,),
    lambda result, options: render_check(
        result, width=options.width, color=options.color, ascii=options.ascii, quiet=options.quiet
    ),
)
"""The format ``text``."""
