"""A check as GitHub workflow commands, which become annotations on the lines of a pull request."""

from __future__ import annotations

from chunkscope.gate.result import CheckResult
from chunkscope.language import Language, in_language, say
from chunkscope.measures.findings import Finding
from chunkscope.reports.base import CHECK, Report, ReportOptions
from chunkscope.reports.check_text import noted, suggested, verdict_of
from chunkscope.reports.visible import visible, without_hashes

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def check_to_github(result: CheckResult, options: ReportOptions) -> str:
    """Write an annotation for each finding that is not known, and a last line for the log.

    Returns
    -------
    str
        Lines, each with its end. Places in a file of records, whose lines are not the document's, are in the message.

    Examples
    --------
    >>> from chunkscope import Document, Question
    >>> from chunkscope.gate.check import check
    >>> rules = Document("docs/a,b.md", "上限は12,000円とする。")
    >>> result = check([rules], [Question.of("q1", doc="docs/a,b.md", evidence="12,000円")], "fixed(size=8)")
    >>> print(check_to_github(result, ReportOptions()).split(";")[0])
    ::error file=docs/a%2Cb.md,line=1,col=9,title=evidence-split::q1: the evidence is cut after 5 of 7 characters
    """
    lang = options.lang
    lines = [_command(finding, result, lang) for finding in result.findings if not finding.is_known]
    errors = say("{n:,} {n:error|errors}", n=len(result.errors))
    if result.against:
        errors = say("{counted}, {n:,} known", counted=errors, n=result.against.n_known)
    summary = in_language(say("{verdict} ({details})", verdict=verdict_of(result), details=errors), lang)
    return without_hashes("\n".join([*lines, f"chunkscope check: {summary}"]) + "\n")


def _command(finding: Finding, result: CheckResult, lang: Language) -> str:
    message = in_language(noted(finding), lang)
    told = suggested(finding, result)
    if told:
        message = f"{message}; {in_language(told, lang)}"
    place = {"file": finding.path, "line": str(finding.line), "col": str(finding.column)}
    if result.corpus.path.lower().endswith(".jsonl") and not finding.code.startswith("label-"):
        message = f"{finding.path}:{finding.line}:{finding.column}: {message}"
        place = {"file": result.corpus.path}
    properties = {**place, "title": finding.code}
    escaped = {name: _data(value).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    written = ",".join(f"{name}={value}" for name, value in escaped.items())
    return f"::{_COMMANDS[finding.level]} {written}::{_data(message)}"


def _data(text: str) -> str:
    """Escape as the runner reads it; other line ends would end the command too."""
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


REPORT = Report((CHECK,), check_to_github)
"""The format ``github``."""
