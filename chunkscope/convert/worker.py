"""The process in which files are converted: it reads a path a line, and answers with a line of JSON.

It has limits of memory, writes no file, and ends with whoever started it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import queue
import sys
import threading
import zipfile
from typing import Any

from chunkscope.convert.markdown import Converted
from chunkscope.corpus.name_filter import suffix
from chunkscope.errors import ChunkscopeError, InputError, os_reason

MOST_UNPACKED = 1 << 30
"""Bytes that a zipped document may unpack to."""

MOST_TEXT = 200_000_000
"""Characters of Markdown that one file may become."""


def convert_file(path: str) -> Converted:
    """Convert one file, in this process.

    Raises
    ------
    InputError
        It is empty, encrypted, damaged, a zip bomb, or has no text.
    MissingPartError
        The extra ``convert`` is not installed.
    """
    if not os.path.getsize(path):
        raise InputError("is empty")
    _refuse_bomb(path)
    if suffix(path) == ".pdf":
        from chunkscope.convert.pdf import read_pdf as read
    else:
        from chunkscope.convert.office import read_office as read
    found = read(path)
    if len(found.text) > MOST_TEXT:
        raise InputError(f"becomes {len(found.text):,} characters of Markdown; {MOST_TEXT:,} is the most")
    return found


def _refuse_bomb(path: str) -> None:
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as file:
            size = sum(entry.file_size for entry in file.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise InputError("is damaged: its zip archive cannot be read") from None
    if size > MOST_UNPACKED:
        raise InputError(f"unpacks to {size / 1e9:,.1f} GB; {MOST_UNPACKED / 1e9:,.1f} GB is the most")


def _answer(path: str) -> dict[str, Any]:
    try:
        return {"converted": dataclasses.asdict(convert_file(path))}
    except ChunkscopeError as error:
        return {"error": str(error)}
    except ModuleNotFoundError as error:
        return {"missing": error.name or str(error)}
    except MemoryError:
        return {"error": "needs too much memory"}
    except OSError as error:
        return {"error": os_reason(error)}
    except RecursionError:
        return {"error": "is nested too deeply"}
    except BaseException as error:  # a panic of a converter written in Rust is no Exception
        told = str(error).strip().splitlines()
        return {"error": f"the converter failed: {type(error).__name__}: {told[0][:200] if told else ''}".rstrip(": ")}


def _limit(n_bytes: int) -> None:
    """Limit the memory, and let no file be written."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))


def _listen(waiting: queue.Queue[str]) -> None:
    for line in sys.stdin:
        waiting.put(json.loads(line))
    os._exit(0)  # whoever started this process is gone, or has no more work


def main(n_bytes: int) -> None:
    """Answer until the input ends. What converters print goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    _limit(n_bytes)
    waiting: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(waiting,), daemon=True).start()
    while True:
        answers.write(json.dumps(_answer(waiting.get())) + "\n")
        answers.flush()
