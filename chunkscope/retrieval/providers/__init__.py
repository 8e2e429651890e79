"""Embedding providers: what turns texts into vectors, behind one small interface."""

from chunkscope.retrieval.providers.base import EmbeddingSpace as EmbeddingSpace
from chunkscope.retrieval.providers.base import Limits as Limits
from chunkscope.retrieval.providers.base import Provider as Provider
from chunkscope.retrieval.providers.base import RetryableError as RetryableError
from chunkscope.retrieval.providers.base import TooLargeError as TooLargeError
from chunkscope.retrieval.providers.lookup import find_harmless_provider as find_harmless_provider
from chunkscope.retrieval.providers.lookup import find_provider as find_provider
from chunkscope.retrieval.providers.lookup import provider_names as provider_names
