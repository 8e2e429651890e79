"""Models of sentence-transformers: from a local folder, or by a name on the hub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunkscope.errors import ProviderError
from chunkscope.retrieval.providers.base import EmbeddingSpace, Limits, Vectors, folder_digest, local_folder
from chunkscope.retrieval.providers.lookup import first_line, require
from chunkscope.spans.intervals import IntArray


class SentenceTransformersProvider:
    """A model by the package sentence-transformers.

    Parameters
    ----------
    model : str
        A folder, or a name on the hub.
    dimensions : int, optional
        The first so many, for models that allow it.
    query_prompt, document_prompt : str, optional
        Written before each text; by default what the model itself says.
    truncate : bool
        Let the model cut what is above its limit, in silence, as pipelines do. By default such texts are left out and
        named.
    revision : str, optional
        On the hub.
    device : str, optional
        Such as ``cpu`` or ``cuda``.
    max_texts : int
    """

    is_local = True

    def __init__(
        self,
        model: str,
        dimensions: int | None = None,
        *,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        truncate: bool = False,
        revision: str | None = None,
        device: str | None = None,
        max_texts: int = 64,
    ) -> None:
        package: Any = require("sentence-transformers")
        folder = local_folder("sentence-transformers", model)
        try:
            self._model: Any = package.SentenceTransformer(
                str(folder) if folder else model, device=device, revision=revision, truncate_dim=dimensions
            )
        except Exception as error:
            raise ProviderError(f"sentence-transformers: {model!r} cannot be loaded: {first_line(error)}") from None
        self.model = folder.resolve().name if folder else model
        own: dict[str, str] = dict(getattr(self._model, "prompts", None) or {})
        fallback = own.get(getattr(self._model, "default_prompt_name", None) or "", "")
        self.prompts = {
            "query": own.get("query") or fallback if query_prompt is None else query_prompt,
            "document": own.get("document") or own.get("passage") or fallback
            if document_prompt is None
            else document_prompt,
        }
        limit = self._model.max_seq_length
        self.limits = Limits(max_texts=max_texts, max_tokens_per_text=None if truncate or not limit else int(limit))
        self.space = EmbeddingSpace(
            "sentence-transformers",
            model=self.model,
            revision=folder_digest(folder) if folder else revision or self._commit(),
            dimensions=dimensions,
            # a text that was cut must not pass for one that was not
            normalisation=f"cut at {limit}" if truncate else None,
        )

    @property
    def id(self) -> str:
        """Names provider and model."""
        return f"sentence-transformers:{self.model}"

    def _commit(self) -> str | None:
        """Give the commit on the hub that has been loaded, where it is known."""
        try:
            found = self._model[0].auto_model.config._commit_hash  # there is no public way
        except (AttributeError, IndexError, KeyError, TypeError):
            return None
        return None if found is None else str(found)

    def count_tokens(self, texts: Sequence[str]) -> IntArray:
        """Count the tokens that the model reads, the prompt for documents and the marks at both ends included."""
        if not texts:
            return np.empty(0, dtype=np.int64)
        held = [self.prompts["document"] + text for text in texts]
        encoded = self._model.tokenizer(held, truncation=False, padding=False, verbose=False)
        return np.array([len(ids) for ids in encoded["input_ids"]], dtype=np.int64)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be found."""
        return self._embed(self._model.encode_document, texts, "document")

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions."""
        return self._embed(self._model.encode_query, texts, "query")

    def _embed(self, encode: Any, texts: Sequence[str], role: str) -> Vectors:
        found = encode(list(texts), prompt=self.prompts[role], show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(found, dtype=np.float32)
