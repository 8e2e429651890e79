"""A check as JUnit XML: a test case for each question, and one for each threshold, so that a CI page lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from chunkscope.gate.result import CODES, CheckedQuestion, CheckResult, ThresholdResult
from chunkscope.gate.thresholds import NEEDS_QUESTIONS
from chunkscope.language import Language, in_language, say
from chunkscope.measures.findings import Finding
from chunkscope.reports.base import CHECK, Report, ReportOptions
from chunkscope.reports.check_text import COUNTED, NONE, limit_of, on_page, remark, suggested
from chunkscope.reports.visible import harmless_xml, visible
from chunkscope.reports.why import around


@dataclass(frozen=True)
class _Case:
    """A test case: its name, what became of it (``failure`` or ``skipped``; passed if nothing), and why."""

    name: str
    outcome: str = ""
    message: str = ""
    details: str = ""
    kind: str = ""


def check_to_junit(result: CheckResult, options: ReportOptions) -> str:
    """Write a check as JUnit XML.

    A question fails if a finding about it counts against a threshold that is missed; a finding that is known or within
    its threshold, and a question without evidence, is skipped with the reason.

    Returns
    -------
    str
        One document, in UTF-8 once encoded. It holds no time, so that the same result gives the same bytes.
    """
    lang = options.lang
    by_question: dict[str, list[Finding]] = {}
    for finding in result.findings:
        if finding.question is not None:
            by_question.setdefault(finding.question, []).append(finding)
    suites = {
        "chunkscope.questions": [_question(one, by_question.get(one.id, []), result, lang) for one in result.asked],
        "chunkscope.thresholds": [_threshold(one, result, lang) for one in result.measured],
    }
    everything = [case for cases in suites.values() for case in cases]
    root = ET.Element("testsuites", {"name": "chunkscope check", **_counts(everything)})
    for name, cases in suites.items():
        suite = ET.SubElement(root, "testsuite", {"name": name, **_counts(cases, errors="0")})
        for case in cases:
            element = ET.SubElement(suite, "testcase", classname=name, name=visible(case.name))
            if case.outcome:
                why = {"message": visible(in_language(case.message, lang)), "type": case.kind}
                outcome = ET.SubElement(element, case.outcome, {key: value for key, value in why.items() if value})
                outcome.text = case.details
    ET.indent(root)
    text = ET.tostring(root, "unicode")
    return harmless_xml(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


def _counts(cases: Sequence[_Case], **more: str) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    failures, skipped = outcomes.count("failure"), outcomes.count("skipped")
    return {"tests": str(len(cases)), "failures": str(failures), **more, "skipped": str(skipped)}


def _question(question: CheckedQuestion, findings: Sequence[Finding], result: CheckResult, lang: Language) -> _Case:
    if question.kind == "without-evidence":
        return _Case(question.id, "skipped", say("no evidence, on purpose"))
    # of two questions with one id the first is the one that was looked for
    if question.kind == "valid":
        own = [one for one in findings if not one.code.startswith("label-")]
    else:
        own = [one for one in findings if one.code.startswith("label-") and one.line == (question.line or 1)]
    errors = [finding for finding in own if finding.level == "error"]
    if errors:
        return _Case(question.id, "failure", errors[0].message, _details(errors, result, lang), errors[0].code)
    if question.kind == "excluded":
        return _Case(question.id, "skipped", say("it has label problems"), _details(own, result, lang))
    if own:
        return _Case(
            question.id,
            "skipped",
            say("{code}: {text}", code=own[0].code, text=remark(own[0])),
            _details(own, result, lang),
        )
    return _Case(question.id)


def _threshold(one: ThresholdResult, result: CheckResult, lang: Language) -> _Case:
    name = one.name.replace("_", "-")
    if not one.is_met:
        told = say("{counted}, {limit}", counted=COUNTED[one.name](one.n_new, one.total), limit=limit_of(one))
        lost = [found for found in result.errors if found.code in CODES[one.name]]
        details = "" if one.name in NEEDS_QUESTIONS else _details(lost, result, lang)
        return _Case(name, "failure", told, details, name)
    return _Case(name) if one.total else _Case(name, "skipped", NONE)


def _details(findings: Iterable[Finding], result: CheckResult, lang: Language) -> str:
    return "\n".join(line for finding in findings for line in _lines(finding, result, lang))


def _lines(finding: Finding, result: CheckResult, lang: Language) -> Iterator[str]:
    place = f"{finding.path}:{finding.line}:{finding.column}"
    yield visible(f"{place}: {finding.code}: {in_language(on_page(finding), lang)}")
    if finding.before or finding.after:
        yield "    " + around(finding.before, finding.after, 76)
    told = suggested(finding, result)
    if told:
        yield f"    {in_language(told, lang)}"


REPORT = Report((CHECK,), check_to_junit)
"""The format ``junit``."""
