"""The vectors that stand in an index beside its chunks; read only where a retriever compares vectors."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import InputError
from chunkscope.splitters.dump_fields import Fields
from chunkscope.splitters.dump_records import read_records

FloatArray = NDArray[np.float32]


def read_vectors(path: str, fields: Mapping[str, str]) -> tuple[dict[int, int], FloatArray]:
    """Read the vectors of an export: lists of numbers, in a table also as JSON, which is how pgvector writes them.

    Parameters
    ----------
    path : str
    fields : mapping of str to str
        What fields are called; see `chunkscope.splitters.dump.read_dump`.

    Returns
    -------
    places : dict of int to int
        For the number of each line, or row, that has a vector, its place.
    vectors : float32 (n, d)

    Raises
    ------
    InputError
        What should be a vector is no list of finite numbers, or has another length than the first.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write('{"source": "a.md", "text": "one", "embedding": [0.5, 1]}')
    ...     file.flush()
    ...     read_vectors(file.name, {})
    ({1: 0}, array([[0.5, 1. ]], dtype=float32))
    """
    known = Fields(fields)
    places: dict[int, int] = {}
    numbers = array("f")
    width = 0
    for number, record in read_records(path, known.columns(vectors=True)):
        value = known.read(record).get("vector")
        if value is None or value == "":
            continue
        vector = _vector(value)
        if vector is None or (width and len(vector) != width):
            told = f"has {len(vector)} numbers, others have {width}" if vector else "is no list of finite numbers"
            raise InputError(f"{path}:{number}: its vector {told}")
        width = len(vector)
        places[number] = len(places)
        numbers.extend(vector)
    return places, np.frombuffer(numbers, dtype=np.float32).reshape(len(places), width)


def _vector(value: Any) -> list[float] | None:
    """Give a vector as a list of finite numbers; None if it is none."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list) or not value:
        return None
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in value):
        return None
    try:
        with np.errstate(over="ignore"):
            is_finite = bool(np.isfinite(np.array(value, dtype=np.float64).astype(np.float32)).all())
    except OverflowError:
        return None
    return value if is_finite else None
