"""Which field of an export is what: by the names that packages and databases give them, or as one is told."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chunkscope.errors import ConfigError, InputError, did_you_mean

NAMES: Mapping[str, tuple[str, ...]] = {
    "document": (
        *("document", "document_name", "doc", "doc_name", "source", "file_path", "file", "file_name", "filename"),
        *("path", "url", "document_id", "doc_id", "ref_doc_id"),
    ),
    "text": ("text", "page_content", "content", "chunk", "chunk_text", "chunk_content", "body", "passage"),
    "index_text": ("index_text", "contextualized_text", "contextual_text", "embedding_text", "text_to_embed"),
    "start": ("start", "start_index", "start_char_idx", "start_char", "start_offset", "split_idx_start"),
    "end": ("end", "end_index", "end_char_idx", "end_char", "end_offset", "split_idx_end"),
    "id": ("id", "chunk_id", "id_", "node_id", "_id", "uuid"),
    "index": ("index", "chunk_index", "split_id", "chunk_number", "position"),
    "parent_id": ("parent_id", "parent"),
    "vector": ("vector", "embedding", "embeddings", "dense_vector", "values"),
    "prepended": ("prepended",),
    "blank": ("blank",),
}
"""Our names, and what others call these fields, in the order in which they are looked for."""
INSIDE = ("metadata", "meta", "cmetadata", "payload", "payload.metadata", "_source", "_source.metadata", "properties")
"""Fields in which there are fields, of LangChain, Haystack, PostgreSQL, Qdrant, Elasticsearch and Weaviate."""

MOST_NAMED, MOST_SHOWN = 12, 40

Record = Mapping[str, Any]


class Fields:
    """Finds the fields of records.

    Parameters
    ----------
    mapping : mapping of str to str
        Our name and theirs, such as ``{"document": "metadata.source"}``; all others are looked for in `NAMES`.

    Raises
    ------
    ConfigError
        A name that is none of ours.

    Examples
    --------
    >>> Fields({}).read({"page_content": "one", "metadata": {"source": "a.md", "start_index": 0}})
    {'document': 'a.md', 'text': 'one', 'start': 0}
    """

    def __init__(self, mapping: Mapping[str, str]) -> None:
        for name in mapping:
            if name not in NAMES:
                hint = did_you_mean(name, NAMES) or f"there are {', '.join(NAMES)}"
                raise ConfigError(f"a chunk has no {name!r}; {hint}")
        self._mapping = dict(mapping)
        self._outer = tuple(dict.fromkeys((*INSIDE, *(name.rpartition(".")[0] for name in mapping.values()))))
        self._known: dict[object, dict[str, tuple[str, ...]]] = {}

    def read(self, record: Record) -> dict[str, Any]:
        """Give what a record has, by our names.

        Raises
        ------
        InputError
            It names no document, or has no text.
        """
        inside = {name: found for name in self._outer if (found := _inside(record, name)) is not None}
        shape = (tuple(record), *((name, tuple(found)) for name, found in inside.items()))
        if shape not in self._known:
            places = {f"{outer}.{name}": (outer, name) for outer, found in inside.items() for name in found}
            self._known[shape] = self._choose({**places, **{name: (name,) for name in record}})
        return {
            name: record[place[0]] if len(place) == 1 else inside[place[0]][place[1]]
            for name, place in self._known[shape].items()
        }

    def columns(self, *, vectors: bool = False) -> frozenset[str]:
        """Give what is looked for, and the fields that it may be in: what of a table has to be read."""
        ours = [name for name in NAMES if vectors or name != "vector"]
        theirs = [self._mapping[name] for name in ours if name in self._mapping]
        names = {*theirs, *(name for one in ours for name in _spellings(NAMES[one]))}
        return frozenset(names | {name.partition(".")[0] for name in (*names, *self._outer)})

    def _choose(self, places: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Say for each of our names where it stands, given all fields there are."""
        chosen = {}
        for name, theirs in NAMES.items():
            wanted = [self._mapping[name]] if name in self._mapping else _spellings(theirs)
            found = next((one for one in wanted if one in places), None)
            if found is not None:
                chosen[name] = found
        # some databases call the text "document"
        if "text" not in chosen and chosen.get("document") == "document" and "document" not in self._mapping:
            found = next((one for one in _spellings(NAMES["document"][1:]) if one in places), None)
            chosen |= {} if found is None else {"text": "document", "document": found}
        for name, what in (("document", "name of its document"), ("text", "text")):
            if name not in chosen:
                lacking = repr(self._mapping[name]) if name in self._mapping else f"field with the {what}"
                raise InputError(f"no {lacking}; {_there_are(places)}; say which with --chunk-field {name}=NAME")
        return {name: places[one] for name, one in chosen.items()}


def _spellings(names: Sequence[str]) -> list[str]:
    return [*names, *(f"{outer}.{name}" for outer in INSIDE for name in names)]


def _inside(record: Record, name: str) -> Record | None:
    """Give what is in a field that holds fields; tables have it as JSON."""
    found: Any = record
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
        if isinstance(found, str) and found[:1] == "{":
            try:
                found = json.loads(found)
            except (ValueError, RecursionError):
                found = None
    return found if isinstance(found, Mapping) else None


def _there_are(names: Iterable[str]) -> str:
    named = [repr(name[:MOST_SHOWN]) for name in names]
    more = ", ..." if len(named) > MOST_NAMED else ""
    return f"there are {', '.join(named[:MOST_NAMED])}{more}" if named else "there is none"
