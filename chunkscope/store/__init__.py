"""One content-addressed file for what is dear to compute: blobs by namespace and key."""

from chunkscope.store.store import NamespaceInfo as NamespaceInfo
from chunkscope.store.store import Store as Store
