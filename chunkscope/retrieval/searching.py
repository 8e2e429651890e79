"""A search of one's own: a function of a question and a number, which gives the ids of so many chunks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunkscope.errors import InputError, ProviderError
from chunkscope.retrieval.hits import Hits, read_hits
from chunkscope.retrieval.listed import ListedSearcher
from chunkscope.retrieval.retriever import Collection, Retriever

Search = Callable[[str, int], Any]
"""Gives the ids of the best chunks for a question, in order, or pairs of an id and a score."""


@dataclass(frozen=True, eq=False)
class SearchRetriever:
    """A search in an index of one's own, as a retriever for the one cell whose chunks stand there.

    Attributes
    ----------
    name : str
    search : callable
        Is given a question and how many chunks are wanted.

    Examples
    --------
    >>> from chunkscope import Document, Question, recall
    >>> rules = Document("rules.md", "上限は12,000円。申請は3日前。")
    >>> asked = [Question.of("q1", "申請はいつ？", doc="rules.md", evidence="3日前")]
    >>> mine = SearchRetriever("mine", lambda question, k: ["rules.md#1", "rules.md#0"][:k])
    >>> result = recall([rules], asked, retrievers=mine, chunkers="fixed", sizes=[11], overlaps=[0], k=1)
    >>> result.cells[0].retrieval[0]["answered"]
    {'1': [1, 1]}
    """

    name: str
    search: Search = field(repr=False)

    of_one_cell = True

    @property
    def settings(self) -> Mapping[str, Any]:
        """Nothing is known of it."""
        return {}

    def searcher(self, collection: Collection) -> ListedSearcher:
        """Give what searches for all questions."""

        def search_all(k: int) -> list[Hits | None]:
            pairs = zip(collection.question_ids, collection.questions, strict=True)
            return [self._search(name, question, k) for name, question in pairs]

        return ListedSearcher(self.name, search_all)

    def _search(self, name: str, question: str, k: int) -> Hits:
        try:
            return read_hits(self.search(question, k))
        except InputError as error:
            raise ProviderError(f"{self.name}: question {name}: {error}") from None
        except Exception as error:
            raise ProviderError(f"{self.name}: question {name}: {type(error).__name__}: {error}") from error


def as_retriever(given: Any) -> Retriever:
    """Make a retriever of a search; what is one stays as it is."""
    search = None if hasattr(given, "searcher") else search_of(given)
    name = getattr(given, "__name__", type(given).__name__)
    retriever: Retriever = given if search is None else SearchRetriever(name, search)
    return retriever


def search_of(found: Any) -> Search | None:
    """Give the function with which something searches; None where it cannot.

    That is something that can be called with a question and a number, but not with nothing, or its method `search`.
    Classes, which make such things, are none.

    Examples
    --------
    >>> search_of(lambda question, k: []) is None, search_of(lambda dimensions=8, batch=3: None) is None
    (False, True)
    """
    if inspect.isclass(found):
        return None
    candidates = [found, getattr(found, "search", None)]
    return next((one for one in candidates if callable(one) and _takes_question_and_number(one)), None)


def _takes_question_and_number(function: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(function)
        signature.bind("", 1)
    except (TypeError, ValueError):
        return False
    return any(
        parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        for parameter in signature.parameters.values()
    )
