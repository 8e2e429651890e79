"""The command line as tests run it: in this process, its streams apart."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from chunkscope.cli.program import program

# before click 8.2 the two streams were one unless asked otherwise
APART: dict[str, Any] = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
RUNNER = CliRunner(**APART)

SWEEP = ("sweep", "-c", "fixed", "--overlaps", "1/6", "--sizes", "50..800")
"""One way of cutting at many sizes; of an option that is given twice the second counts."""


WITHOUT_RETRIEVAL = """\
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name == "chunkscope.retrieval":
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Gone())
from chunkscope.cli import main
main()
"""
"""The command as it is where that room has been deleted, for a process of its own."""


def run(*arguments: object) -> Result:
    """Run a command."""
    return RUNNER.invoke(program, [str(argument) for argument in arguments])


def run_json(*arguments: object) -> Any:
    """Run one that succeeds, and read its JSON."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def fails(*arguments: object) -> str:
    """Run one that fails, and give the one line of reason."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert "Traceback" not in result.stderr
    [line] = [line for line in result.stderr.splitlines() if "warning:" not in line]
    assert line.startswith("chunkscope: ")
    return line


def put(path: str, content: str | bytes) -> None:
    """Write a file, and the folders above it."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
