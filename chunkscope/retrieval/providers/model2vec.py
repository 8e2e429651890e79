"""Static embeddings: small and fast, from a local folder or by a name on the hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Vectors, folder_digest, local_folder
from chunkscope.retrieval.providers.lookup import first_line, require
from chunkscope.spans.intervals import IntArray


class Model2VecProvider:
    """A static model, by the package model2vec.

    Texts are read to their end, however long. A text without a known token has a vector of zeros: it is never found.

    Parameters
    ----------
    model : str
        A folder, or a name on the hub.
    dimensions : int, optional
        The first so many, for models that allow it.
    max_texts : int
    """

    is_local = True

    def __init__(self, model: str, dimensions: int | None = None, max_texts: int = 256) -> None:
        package: Any = require("model2vec")
        folder = local_folder("model2vec", model)
        try:
            self._model: Any = package.StaticModel.from_pretrained(
                str(folder) if folder else model, dimensionality=dimensions, force_download=False
            )
        except Exception as error:
            raise ProviderError(f"model2vec: {model!r} cannot be loaded: {first_line(error)}") from None
        self.model = folder.resolve().name if folder else model
        self.limits = Limits(max_texts=max_texts)
        self.space = EmbeddingSpace(
            "model2vec",
            model=self.model,
            revision=folder_digest(folder) if folder else None,
            dimensions=dimensions,
            normalisation="unit" if self._model.normalize else None,
        )

    @property
    def id(self) -> str:
        """Names provider and model."""
        return f"model2vec:{self.model}"

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Count the tokens that the model reads."""
        encoded = self._model.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return np.array([len(one.ids) for one in encoded], dtype=np.int64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found."""
        found = self._model.encode(list(texts), max_length=None, use_multiprocessing=False)
        return np.asarray(found, dtype=np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, in the same way."""
        return self.embed_documents(texts)
