"""A document in all its forms, each made when it is first needed."""

from __future__ import annotations

from functools import cached_property

from chunkscope.questions.quote_search import occurrences
from chunkscope.splitters.anchors import MOST, SHORTEST, Anchors
from chunkscope.splitters.chains import Blanks
from chunkscope.splitters.normal_form import Form, ReducedForm

_PASSES = 64  # how often what is too short for the index is looked for in the whole text
_A_GAP = 1 << 40  # what is left out counts first, then in how many parts


class Texts:
    """The forms of a document, and what is asked of the whole of it.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = Form(text)
        self.blanks = Blanks(text)
        self._anchors: dict[str, Anchors] = {}
        self._passes: dict[str, int] = {}

    @cached_property
    def normal(self) -> ReducedForm:
        """The text in normal form."""
        return ReducedForm(self.text, "normal")

    @cached_property
    def folded(self) -> ReducedForm:
        """The text in normal form, whatever the case of its letters."""
        return ReducedForm(self.text, "folded")

    @cached_property
    def letters(self) -> ReducedForm:
        """The letters of the text."""
        return ReducedForm(self.text, "letters")

    def anchors(self, form: Form) -> Anchors:
        """Give the index of a form."""
        if form.name not in self._anchors:
            self._anchors[form.name] = Anchors(form.text)
        return self._anchors[form.name]

    def left_out(self, start: int, end: int) -> int:
        """Weigh what is left out between two offsets: 0 for nothing, else by its characters that do not vanish.

        Of equal ones, what is left out in fewer parts weighs less.
        """
        if self.blanks.behind(start) >= end:
            return 0
        count = self.normal.place(end) - self.normal.place(start)
        return count * _A_GAP + 1 if count else 0

    def everywhere(self, form: Form, needle: str, near: int) -> list[int]:
        """Give the places of a needle in the whole text, in order: those nearest to one, if there are many.

        What is too short for the index is looked for from one end to the other, and for some pieces only.
        """
        if len(needle) >= SHORTEST:
            places = self.anchors(form).places(needle, near)
        elif self._passes.setdefault(form.name, 0) < _PASSES:
            self._passes[form.name] += 1
            places = []
            for some in occurrences(form.text, needle):
                places += some[:MOST]
                if len(places) >= MOST:
                    break
        else:
            return []
        return [place for place in places if form.is_whole(place, place + len(needle))]
