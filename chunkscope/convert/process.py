"""Whoever asks the process that converts: with a time limit, and a new process where one has hung or crashed."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from types import TracebackType
from typing import IO

from chunkscope.convert.markdown import Converted
from chunkscope.errors import InputError, MissingPartError

MEMORY = 4 << 30
"""Bytes that a conversion may use."""

_PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; from chunkscope.convert.worker import main; main(int(sys.argv[1]))"


class Converter:
    """Converts files one after the other in a process of its own; a context manager, at whose end it ends.

    Parameters
    ----------
    timeout : float
        Seconds that one file may take.
    memory : int
        Bytes that the process may use, where the system can limit it.
    """

    def __init__(self, timeout: float, memory: int = MEMORY) -> None:
        self._timeout, self._memory = timeout, memory
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Converter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def convert(self, path: str) -> Converted:
        """Convert a file.

        Raises
        ------
        InputError
            It cannot be converted, took too long, or its converter crashed.
        MissingPartError
            The extra is not installed.
        """
        process = self._process or self._start()
        try:
            _write(process.stdin, json.dumps(path))
            line = self._answers.get(timeout=self._timeout)
        except queue.Empty:
            self._end()
            raise InputError(f"not converted within {self._timeout:g} seconds; --timeout allows more") from None
        except BrokenPipeError:
            line = ""
        if not line:
            self._end()
            raise InputError(f"the converter crashed on it; it may use {self._memory / 1e9:.1f} GB of memory")
        answer = json.loads(line)
        if "missing" in answer:
            raise MissingPartError(f"convert needs {answer['missing']}; pip install 'chunkscope[convert]'")
        if "error" in answer:
            raise InputError(answer["error"])
        found = answer["converted"]
        parts = (tuple(found[name]) for name in ("labels", "starts", "warnings"))
        return Converted(found["text"], found["converter"], found["unit"], *parts)

    def _start(self) -> subprocess.Popen[str]:
        self._answers = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(self._memory), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for this process, which ends that one
        )
        threading.Thread(target=_hear, args=(self._process.stdout, self._answers), daemon=True).start()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def _write(stream: IO[str] | None, line: str) -> None:
    if stream is not None:
        stream.write(line + "\n")
        stream.flush()


def _hear(stream: IO[str] | None, answers: queue.Queue[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in stream or ():
            answers.put(line)
    answers.put("")
