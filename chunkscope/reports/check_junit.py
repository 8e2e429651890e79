"""A check as JUnit XML: a test case for each question, and one for each threshold, so that a CI page lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from chunkscope.gate.result import CODES, Asked, CheckFinding, CheckResult, Measured
from chunkscope.reports.check_text import NONE, SPEAKS_OF, remark, suggestion_lines
from chunkscope.reports.why import around

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write."""

Case = tuple[str, str, str]
"""Name, what became of it (``failure``, ``skipped`` or nothing), and the elements within."""


def check_to_junit(result: CheckResult) -> str:
    """Write a check as JUnit XML.

    A question fails if a finding about it counts against a threshold that is missed; a finding that is known or within
    its threshold, and a question without evidence, is skipped with the reason.

    Returns
    -------
    str
        One document, in UTF-8 once encoded. It holds no time, so that the same result gives the same bytes.
    """
    by_question: dict[str, list[CheckFinding]] = {}
    for finding in result.findings:
        if finding.question is not None:
            by_question.setdefault(finding.question, []).append(finding)
    suites = [
        _suite("chunkscope.questions", _questions(result, by_question)),
        _suite("chunkscope.thresholds", [_threshold(one, result) for one in result.measured]),
    ]
    n, failed, skipped = (sum(counts) for counts in zip(*(counts for counts, _ in suites), strict=True))
    head = f'<testsuites name="chunkscope check" tests="{n}" failures="{failed}" skipped="{skipped}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *(text for _, text in suites), "</testsuites>\n"])


def _suite(name: str, cases: Sequence[Case]) -> tuple[tuple[int, int, int], str]:
    kinds = [kind for _, kind, _ in cases]
    counts = len(cases), kinds.count("failure"), kinds.count("skipped")
    head = f'  <testsuite name="{name}" tests="{counts[0]}" failures="{counts[1]}" errors="0" skipped="{counts[2]}">'
    rows = [
        f"    <testcase classname={_attribute(name)} name={_attribute(case)}"
        + (f">\n{within}\n    </testcase>" if within else "/>")
        for case, _, within in cases
    ]
    return counts, "\n".join([head, *rows, "  </testsuite>"])


def _questions(result: CheckResult, by_question: dict[str, list[CheckFinding]]) -> list[Case]:
    return [_question(question, by_question.get(question.id, []), result) for question in result.asked]


def _question(question: Asked, findings: Sequence[CheckFinding], result: CheckResult) -> Case:
    if question.kind == "without-evidence":
        return question.id, "skipped", _element("skipped", "no evidence, on purpose")
    # of two questions with one id the first is the one that was looked for
    if question.kind == "valid":
        own = [one for one in findings if not one.code.startswith("label-")]
    else:
        own = [one for one in findings if one.code.startswith("label-") and one.line == (question.line or 1)]
    errors = [finding for finding in own if finding.level == "error"]
    if errors:
        first = errors[0]
        return question.id, "failure", _element("failure", first.message, _told(errors, result), first.code)
    if question.kind == "excluded":
        return question.id, "skipped", _element("skipped", "its labels are not sound", _told(own, result))
    if own:
        return question.id, "skipped", _element("skipped", f"{own[0].code}: {remark(own[0])}", _told(own, result))
    return question.id, "", ""


def _threshold(one: Measured, result: CheckResult) -> Case:
    name = one.name.replace("_", "-")
    many = SPEAKS_OF[one.name][1]
    told = f"{one.n_new:,} of {one.total:,} {many}, at most {one.limit}"
    if not one.is_met:
        lost = [found for found in result.errors if found.code in CODES[one.name]]
        shown = _told(lost, result) if many.startswith(("chunks", "table rows")) else ""
        return name, "failure", _element("failure", told, shown, name)
    return (name, "", "") if one.total else (name, "skipped", _element("skipped", NONE))


def _told(findings: Iterable[CheckFinding], result: CheckResult) -> str:
    lines = []
    for finding in findings:
        lines.append(f"{finding.path}:{finding.line}:{finding.column}: {finding.code}: {finding.message}")
        if finding.before or finding.after:
            lines.append("    " + around(finding.before, finding.after, 76))
        told = suggestion_lines(finding.suggestion, (result.setting.get("size"), result.setting.get("unit")))
        lines += [f"    suggestion: {'; '.join(told)}"] if told else []
    return "\n".join(lines)


def _element(name: str, message: str, text: str = "", kind: str = "") -> str:
    attributes = f" message={_attribute(message)}" + (f" type={_attribute(kind)}" if kind else "")
    return f"      <{name}{attributes}>{escape(_written(text))}</{name}>" if text else f"      <{name}{attributes}/>"


def _attribute(text: str) -> str:
    return quoteattr(_written(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _written(text: str) -> str:
    return _FORBIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
