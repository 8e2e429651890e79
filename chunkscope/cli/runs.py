"""What ``sweep`` and ``recall`` share: questions that are sound or left out, and the grid that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chunkscope.cli.inputs import Inputs
    from chunkscope.cli.settings import WantedGrid
    from chunkscope.corpus.reading import Corpus
    from chunkscope.questions.labels import Labels


def read_labels(corpus: Corpus, inputs: Inputs) -> Labels | None:
    """Read the questions, if there are any, and hold them against the documents.

    Raises
    ------
    LabelError
        Labels that are not sound, unless they are to be left out; then that is said.
    """
    from chunkscope.errors import LabelError
    from chunkscope.language import say
    from chunkscope.questions.check import check_labels

    questions = inputs.read_questions()
    if questions is None:
        return None
    labels = check_labels(corpus, questions)
    inputs.messages.warn(*(say("{path}: {text}", path=questions.path, text=text) for text in labels.warnings))
    if not inputs.flags["skip_bad_labels"]:
        try:
            labels.require_valid()
        except LabelError as error:
            raise LabelError(
                f"{questions.path}: {error}; `chunkscope labels` shows all, --skip-bad-labels leaves such questions out"
            ) from None
    if labels.excluded:
        n, total = len(labels.excluded), labels.total
        told = say("{n:,} of {total:,} questions left out: they have label problems", n=n, total=total)
        if not labels.valid:
            told = say("{text}; no question with evidence is left, so there is nothing to count", text=told)
        inputs.messages.warn(say("{path}: {text}", path=questions.path, text=told))
    return labels


def name_left_out(wanted: WantedGrid, inputs: Inputs) -> None:
    """Say which ways of cutting are not compared, because nothing here can count in their unit."""
    from chunkscope.language import say

    for name in wanted.missing:
        told = say("{name} is left out: its vocabulary is not here (chunkscope list -v says what it needs)", name=name)
        inputs.messages.warn(told)


def kept_settings(wanted: WantedGrid, inputs: Inputs, flags: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Give what is kept with the result of how it came about; `names` are further options."""
    unit = {"unit": ",".join(flags["unit"]) or None}
    return {**wanted.settings, **inputs.settings, **unit, **{name: flags[name] for name in names}}
