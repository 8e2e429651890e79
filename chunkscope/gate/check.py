"""The pre-flight check: one setting against thresholds, before anything is indexed. It decides, and prints nothing."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from chunkscope.chunkers import Chunker, parse_chunker
from chunkscope.corpus.document import Document
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import ConfigError, InputError
from chunkscope.gate.baseline import Baseline, only
from chunkscope.gate.doubts import find_doubts
from chunkscope.gate.evaluate import Evaluation, Ranking, evaluate
from chunkscope.gate.lost import compare_with, find_newly_lost, find_not_answered
from chunkscope.gate.result import (
    CODES,
    Against,
    CheckedQuestion,
    CheckResult,
    Earlier,
    Kind,
    ThresholdResult,
    sorted_findings,
)
from chunkscope.gate.thresholds import COUNTED, NEEDS_INDEX, NEEDS_QUESTIONS, Threshold, Thresholds, is_least
from chunkscope.grid.notation import Overlap
from chunkscope.grid.pairing import Record
from chunkscope.grid.results import CorpusInfo, SweepResult
from chunkscope.language import say
from chunkscope.measures.findings import Finding, Level
from chunkscope.questions.check import check_labels
from chunkscope.questions.labels import Labels
from chunkscope.questions.question import Question, QuestionFile, questions_of
from chunkscope.splitters.dump import as_index


def check(
    documents: Corpus | Iterable[Document],
    questions: Labels | QuestionFile | Iterable[Question] | None,
    chunker: Chunker | str,
    *,
    thresholds: Thresholds | None = None,
    overlap: Overlap | None = None,
    baseline: Baseline | None = None,
    ranking: Ranking | None = None,
    earlier: SweepResult | CheckResult | Record | None = None,
    earlier_path: str = "the earlier result",
) -> CheckResult:
    """Hold documents, cut by one setting, against thresholds.

    Parameters
    ----------
    documents : Corpus or iterable of Document
        What is to be indexed.
    questions : Labels, QuestionFile or iterable of Question, or None
        Without any, what needs none is checked.
    chunker : Chunker or str
        With a size; headings may do without. A `DumpChunker` is an index that is there: whether it is that of these
        documents is checked too.
    thresholds : Thresholds, optional
        Without them nothing may be split, missing, header-lost or broken, and labels must be sound.
    overlap : Overlap, optional
        The overlap as it was written: a share goes with the size when other sizes are tried.
    baseline : Baseline, optional
        Findings in it do not count.
    ranking : callable, optional
        What ranks the chunks: `chunkscope.retrieval.Ranker`. `min_recall` needs one.
    earlier : SweepResult, CheckResult or mapping, optional
        What `max_more_lost` compares with: a result of `sweep`, `recall` or `check`, or its JSON.
    earlier_path : str
        What messages call it.

    Returns
    -------
    CheckResult

    Raises
    ------
    InputError
        Nothing could be measured: that is no pass.
    ConfigError
        A threshold without what it needs: a ranking, an earlier result, or an index.
    ChunkerError
        A chunker without a size.

    Examples
    --------
    >>> rules = Document("rules.md", "宿泊費の上限は1泊12,000円とする。")
    >>> asked = [Question.of("q1", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = check([rules], asked, "fixed(size=13)")
    >>> result.passed, result.findings[0].line, result.findings[0].column, result.findings[0].suggestion.size
    (False, 1, 14, 16)
    >>> from chunkscope.retrieval import Ranker
    >>> asked = [Question.of("q1", "上限はいくら？", doc="rules.md", evidence="上限は1泊12,000円")]
    >>> result = check([rules], asked, "fixed(size=20)", thresholds=Thresholds.of(min_recall="80%"), ranking=Ranker())
    >>> [(one.name, one.n, one.total) for one in result.measured][-1]
    ('min_recall', 1, 1)
    """
    thresholds = thresholds or Thresholds()
    corpus = Corpus.of(documents)
    chunker = _ready(parse_chunker(chunker) if isinstance(chunker, str) else chunker, thresholds)
    chunker = chunker.for_corpus(corpus.names, corpus.path)
    is_index = as_index(chunker) is not None
    _require_parts(thresholds, ranking, earlier, is_index)
    thresholds = thresholds if is_index else thresholds.without(NEEDS_INDEX)
    labels, asked = _looked_up(corpus, questions)
    path = questions.path if isinstance(questions, QuestionFile | Labels) else ""

    evaluation = evaluate(corpus, labels, chunker, thresholds, overlap, ranking)
    since = None
    if labels and labels.valid:
        _find_not_answered(evaluation, corpus, labels, thresholds)
        since = _compare(evaluation, corpus, labels, thresholds, earlier, earlier_path)
    names = _shown_names(corpus)
    found = [dataclasses.replace(one, path=names(one.document or "")) for one in evaluation.findings]
    if (index := evaluation.index) is not None:
        found += [
            one if one.path else dataclasses.replace(one, path=names(one.document or "")) for one in index.findings
        ]
    if labels:
        found += _label_findings(labels, asked, path or "questions")
    findings = sorted_findings(found)
    warnings = [*find_doubts(labels, thresholds, evaluation), *(index.doubts if index else ())]
    known, against = _compared(findings, baseline, _codes(thresholds, labels))
    if baseline and baseline.setting not in ("", str(chunker)):
        warnings.append(
            say(
                "{path}: the baseline was written for {before}; this check is of {now}",
                path=baseline.path,
                before=baseline.setting,
                now=str(chunker),
            )
        )
    n_valid = len(labels.valid) if labels else 0
    measured = tuple(
        _measure(
            name,
            thresholds[name],
            evaluation,
            findings=findings,
            known=known,
            n_asked=since.outcome.total if since and name == "max_more_lost" else n_valid,
        )
        for name in _counted(thresholds, labels)
    )
    judged = _judged(findings, known, measured, evaluation, thresholds)
    bad_labels = sum(one.level == "error" and one.code.startswith("label-") for one in judged)
    if not bad_labels:
        _require_something(corpus, thresholds, evaluation, measured, labels)
    return CheckResult(
        setting={
            "chunker": chunker.label,
            "unit": chunker.shown_unit,
            "size": chunker.size,
            "overlap": evaluation.cell.overlap,
        },
        corpus=CorpusInfo(
            corpus.path,
            len(corpus),
            evaluation.cell.characters,
            dict(sorted(corpus.files.items())),
            corpus.unreadable,
            dict(sorted(corpus.ignored.items())),
        ),
        cell=evaluation.cell,
        questions_path=path if labels else None,
        asked=_asked(labels, asked) if labels else (),
        measured=measured,
        findings=judged,
        label_problems=bad_labels,
        against=against,
        earlier=since,
        warnings=tuple(warnings),
    )


def _require_parts(
    thresholds: Thresholds,
    ranking: Ranking | None,
    earlier: SweepResult | CheckResult | Record | None,
    is_index: bool,
) -> None:
    asked = [name for name in NEEDS_INDEX if name in thresholds.asked]
    if asked and not is_index:
        raise ConfigError(f"{asked[0]} needs an index, such as DumpChunker(path='chunks.jsonl')")
    if not thresholds.min_recall.is_off and ranking is None:
        raise ConfigError("min_recall needs a ranking, such as chunkscope.retrieval.Ranker('bm25')")
    if not thresholds.max_more_lost.is_off and earlier is None:
        raise ConfigError("max_more_lost needs an earlier result of sweep, recall or check to compare with")


def _find_not_answered(evaluation: Evaluation, corpus: Corpus, labels: Labels, thresholds: Thresholds) -> None:
    """Add what is not answered, where chunks were ranked."""
    if evaluation.cell.retrieval and not thresholds.min_recall.is_off:
        [found] = evaluation.cell.retrieval
        evaluation.findings += find_not_answered(corpus, labels, found)
        evaluation.spoilt["min_recall"] = set(found["missed"])


def _compare(
    evaluation: Evaluation,
    corpus: Corpus,
    labels: Labels,
    thresholds: Thresholds,
    earlier: SweepResult | CheckResult | Record | None,
    path: str,
) -> Earlier | None:
    """Compare with the earlier result, and add what is newly lost."""
    if earlier is None or thresholds.max_more_lost.is_off:
        return None
    record = earlier.to_dict() if isinstance(earlier, SweepResult | CheckResult) else earlier
    since = compare_with(record, path, labels, evaluation.cell)
    evaluation.findings += find_newly_lost(corpus, labels, since)
    evaluation.spoilt["max_more_lost"] = set(since.outcome.lost)
    return since


def _looked_up(
    corpus: Corpus, questions: Labels | QuestionFile | Iterable[Question] | None
) -> tuple[Labels | None, tuple[Question, ...]]:
    if questions is None:
        return None, ()
    if isinstance(questions, Labels):
        questions.require_documents(corpus.names)
        return questions, (*(resolved.question for resolved in questions.valid), *questions.without_evidence)
    asked = questions_of(questions)
    return check_labels(corpus, asked), asked


def _compared(
    findings: Sequence[Finding], baseline: Baseline | None, codes: Collection[str]
) -> tuple[Sequence[bool], Against | None]:
    """Tell which findings a baseline knows, and what it knows that is gone."""
    if baseline is None:
        return [False] * len(findings), None
    known, gone = baseline.sort(findings)
    return known, Against(baseline.path, sum(known), only(gone, codes))


def _judged(
    findings: Sequence[Finding],
    known: Sequence[bool],
    measured: Sequence[ThresholdResult],
    evaluation: Evaluation,
    thresholds: Thresholds,
) -> tuple[Finding, ...]:
    """Give findings their levels: errors where a threshold is missed, notes where the baseline knows them."""
    missed = {one.name for one in measured if not one.is_met}
    return tuple(
        dataclasses.replace(
            one, is_known=is_known, level="note" if is_known else _level(one, missed, evaluation, thresholds)
        )
        for one, is_known in zip(findings, known, strict=True)
    )


def _ready(chunker: Chunker, thresholds: Thresholds) -> Chunker:
    if chunker.needs_size:
        chunker.required_size()
    if chunker.size is None and not thresholds.max_oversize.is_off and thresholds.model_limit is None:
        raise InputError(f"max_oversize: {chunker} has no size to be above; give a model limit, such as 512")
    return chunker


def _shown_names(corpus: Corpus) -> Callable[[str], str]:
    """Give what leads to a document from here: its file in the folder, the one file, or its name among records."""
    if not corpus.path or (len(corpus) == 1 and not os.path.isdir(corpus.path) and corpus.names == tuple(corpus.files)):
        return lambda name: corpus.path or name
    folder = corpus.path.replace(os.sep, "/").rstrip("/")
    return lambda name: name if folder == "." else f"{folder}/{name}"


def _label_findings(labels: Labels, asked: Sequence[Question], path: str) -> list[Finding]:
    """Make findings of label problems: they stand in the questions file."""
    quotes = {(question.id, question.line): question for question in asked}
    found = []
    for problem in labels.problems:
        question = quotes.get((problem.id, problem.line))
        quote = question.quotes[problem.entry] if question and problem.entry is not None else None
        found.append(
            Finding(
                code=f"label-{problem.problem}",
                document=problem.document,
                question=problem.id,
                line=problem.line or 1,
                column=1,
                message=say("{id}: {text}", id=problem.id, text=problem.message),
                quote=(quote.text or "") if quote else "",
                path=path,
            )
        )
    return found


def _asked(labels: Labels, asked: Sequence[Question]) -> tuple[CheckedQuestion, ...]:
    excluded = {(problem.id, problem.line) for problem in labels.excluded}
    valid = {(located.question.id, located.question.line) for located in labels.valid}
    kinds: list[CheckedQuestion] = []
    for question in asked:
        kind: Kind = "without-evidence"
        key = question.id, question.line
        if key in valid:
            kind = "valid"
            valid.discard(key)  # a second question with this id is none
        elif question.quotes or key in excluded:
            kind = "excluded"
        kinds.append(CheckedQuestion(question.id, question.line, kind, question.digest))
    return tuple(kinds)


def _counted(thresholds: Thresholds, labels: Labels | None) -> list[str]:
    """Name the thresholds that are on, and for which there is what they need."""
    on = [name for name in COUNTED if not thresholds[name].is_off]
    return on if labels and labels.valid else [name for name in on if name not in NEEDS_QUESTIONS]


def _codes(thresholds: Thresholds, labels: Labels | None) -> set[str]:
    """Name the findings that were looked for."""
    codes = {code for name in _counted(thresholds, labels) for code in CODES[name]}
    return codes | ({"label-", *CODES["max_split"], *CODES["max_header_lost"]} if labels else set())


def _measure(
    name: str,
    threshold: Threshold,
    evaluation: Evaluation,
    *,
    findings: Sequence[Finding],
    known: Sequence[bool],
    n_asked: int,
) -> ThresholdResult:
    """Count for one threshold: the questions, rows or chunks with a finding, and those with a new one."""
    fresh = [finding for finding, is_known in zip(findings, known, strict=True) if not is_known]
    n, n_new = (_count(name, evaluation, found) for found in (findings, fresh))
    total = _total(name, evaluation, n_asked)
    if is_least(name):
        n, n_new = total - n, total - n_new
        return ThresholdResult(name, str(threshold), n, n_new, total, threshold.is_reached(n_new, total))
    return ThresholdResult(name, str(threshold), n, n_new, total, threshold.allows(n_new, total))


def _count(name: str, evaluation: Evaluation, findings: Iterable[Finding]) -> int:
    if name in NEEDS_INDEX:
        return sum(finding.weight for finding in findings if finding.code in CODES[name])
    return len(_counting(name, evaluation, findings))


def _counting(name: str, evaluation: Evaluation, findings: Iterable[Finding]) -> set[Any]:
    """Give what counts for a threshold: each question, row or chunk once."""
    found = (finding for finding in findings if finding.code in CODES[name])
    if name in NEEDS_QUESTIONS:
        return {finding.question for finding in found} & evaluation.spoilt.get(name, set())
    return {(finding.document, finding.span) if name == "max_rows_header_lost" else id(finding) for finding in found}


def _level(finding: Finding, missed: Collection[str], evaluation: Evaluation, thresholds: Thresholds) -> Level:
    """Tell how bad a new finding is: an error counts against a threshold that is missed."""
    if finding.code.startswith("label-"):
        return "error" if thresholds.label_problems == "error" else "warning"
    return "error" if any(_counting(name, evaluation, [finding]) for name in missed) else "note"


def _total(name: str, evaluation: Evaluation, n_asked: int) -> int:
    """Tell of how many a threshold speaks."""
    cell = evaluation.cell
    if evaluation.index and name in NEEDS_INDEX:
        return evaluation.index.totals[name]
    if name in NEEDS_QUESTIONS and name != "max_header_lost":
        return n_asked
    return {"max_header_lost": cell.table_questions, "max_rows_header_lost": cell.table_rows}.get(name, cell.chunks)


def _require_something(
    corpus: Corpus,
    thresholds: Thresholds,
    evaluation: Evaluation,
    measured: Sequence[ThresholdResult],
    labels: Labels | None,
) -> None:
    """Refuse to pass where nothing was measured."""
    if evaluation.cell.chunks == evaluation.cell.blank_chunks:
        where = f"{corpus.path}: " if corpus.path else ""
        raise InputError(f"{where}nothing measured: there is no text in any document")
    wanted = [_flag(name) for name in NEEDS_QUESTIONS if name in thresholds.asked]
    if labels is not None and not labels.valid:
        left_out = f", {len(labels.excluded)} excluded" if labels.excluded else ""
        raise InputError(f"nothing measured: none of the {labels.total} questions has sound evidence{left_out}")
    if labels is None and wanted:
        raise InputError(f"nothing measured for {', '.join(wanted)}: no questions; name their file with --questions")
    if not measured and labels is not None and thresholds.label_problems == "error":
        return
    if not measured:
        raise InputError("nothing measured: every threshold is switched off")
    asked = [one for one in measured if one.name in thresholds.asked] or measured
    if not any(one.total for one in asked):
        names = ", ".join(_flag(one.name) for one in asked)
        raise InputError(f"nothing measured for {names}: there is none in {corpus.path or 'the documents'}")


def _flag(name: str) -> str:
    return name.replace("_", "-")
