"""The cuts themselves: place, question, and the text on both sides, a line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from chunkscope.language import Text, in_language, say
from chunkscope.measures.findings import Finding
from chunkscope.reports.base import LEAST_WIDTH, ReportOptions
from chunkscope.reports.visible import visible
from chunkscope.reports.width import BOLD, RED, fit, fit_end, painted, wrap
from chunkscope.reports.width import width as cells

NO_CUT = say("no cut")
INDENT = "  "


def render_why(findings: Sequence[Finding], options: ReportOptions) -> str:
    """Show each cut that matters: where it is, whom it hurts, and the text around it in one line.

    Cuts that hurt several questions or rows are shown once; those at one place of a document must stand next to each
    other, as `find_boundary_problems` gives them. No line is wider than `options.width`.

    Examples
    --------
    >>> before, after = "宿泊費の上限は1泊12,", "000円とする。"
    >>> place = {"line": 1, "column": 14, "cut": 13, "before": before, "after": after}
    >>> cut = Finding("evidence-split", "rules.md", "q1", message="", quote="限は1泊12,000円と", **place)
    >>> print(render_why([cut], ReportOptions(width=40)), end="")
    rules.md:1:14  evidence-split q1
      宿泊費の上限は1泊12,│000円とする。
    <BLANKLINE>
    1 cut: 1 evidence-split
    """
    if not findings:
        return in_language(NO_CUT, options.lang) + "\n"
    width, ascii = max(options.width, LEAST_WIDTH), options.ascii
    lines: list[str] = []
    n_cuts = 0
    for _, group in groupby(findings, key=lambda finding: (finding.document, finding.cut)):
        at_once = list(group)
        first = at_once[0]
        place = f"{visible(first.document or '', ascii=ascii)}:{first.line}:{first.column}"
        page = f" ({visible(in_language(first.source, options.lang), ascii=ascii)})" if first.source else ""
        hurt = in_language(_hurt(at_once, ascii), options.lang)
        where, *more = wrap(f"{place}{page}  {hurt}", width, rest=INDENT * 2)
        if where.startswith(place):
            where = painted(place, BOLD, options.color) + where[len(place) :]
        shown = around(first.before, first.after, width - len(INDENT), color=options.color, ascii=ascii)
        lines += [where, *more, INDENT + shown]
        n_cuts += 1
    counts = Counter(finding.code for finding in findings)
    kinds = [say("{n:,} {code}", n=n, code=code) for code, n in sorted(counts.items())]
    told = in_language(say("{n:,} {n:cut|cuts}: {kinds:, }", n=n_cuts, kinds=kinds), options.lang)
    return "\n".join([*lines, "", *wrap(told, width, rest=INDENT)]) + "\n"


def _hurt(findings: Iterable[Finding], ascii: bool) -> Text:
    """Name the questions by code; several rows of one question are counted."""
    by_code: dict[str, Counter[str | None]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, Counter())[finding.question] += 1
    codes = [
        say(
            "{code} {questions:, }",
            code=code,
            questions=[_question(question, n, code, ascii) for question, n in questions.items()],
        )
        for code, questions in by_code.items()
    ]
    return say("{codes:; }", codes=codes)


def _question(question: str | None, n: int, code: str, ascii: bool) -> str:
    counted = say("{n:,} {n:passage|passages}", n=n)
    if code == "header-lost":
        counted = say("{n:,} {n:row|rows}", n=n)
    if question is None:
        return counted
    name = visible(question, ascii=ascii)
    return name if n == 1 else say("{name} ({counted})", name=name, counted=counted)


def around(before: str, after: str, room: int, *, color: bool = False, ascii: bool = False) -> str:
    """Show both sides of a cut in one line: half the room each, and what one side leaves goes to the other.

    Examples
    --------
    >>> around("宿泊費の上限は1泊12,", "000円とする。", 24)
    '…限は1泊12,│000円とする…'
    """
    bar = "|" if ascii else "│"
    before_shown, after_shown = visible(before, ascii=ascii), visible(after, ascii=ascii)
    room -= cells(bar)
    half = room // 2
    n_before, n_after = cells(before_shown), cells(after_shown)
    for_before = min(n_before, max(half, room - n_after))
    left = fit_end(before_shown, for_before, ascii=ascii)
    right = fit(after_shown, room - cells(left), ascii=ascii)
    return left + painted(bar, RED, color) + right
