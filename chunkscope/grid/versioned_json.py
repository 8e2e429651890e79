"""Reading JSON files that this package wrote: results and baselines."""

from __future__ import annotations

import json
import os
from typing import Any

from chunkscope.corpus.file_document import read_bytes
from chunkscope.errors import InputError, os_reason


def read_stored(path: str | os.PathLike[str], newest: int, what: str) -> dict[str, Any]:
    """Read an object with a ``format``.

    Parameters
    ----------
    path : path
        Of the file.
    newest : int
        The latest format that can be read.
    what : str
        What the file ought to be, for messages.

    Raises
    ------
    InputError
        No such file, not JSON, no object with a format, or a later format.
    """
    shown = os.fspath(path)
    try:
        record = json.loads(read_bytes(shown).decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{shown}: {os_reason(error)}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: byte {error.start} is not UTF-8; this is no {what}") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{shown}:{error.lineno}: not JSON; this is no {what}") from None
    except (RecursionError, ValueError):
        raise InputError(f"{shown}: not JSON that can be read; this is no {what}") from None
    found = record.get("format") if isinstance(record, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise InputError(f"{shown}: not a {what}: it has no format")
    if found > newest:
        raise InputError(f"{shown}: format {found} is later than {newest}, the last that this version reads")
    return dict(record)
