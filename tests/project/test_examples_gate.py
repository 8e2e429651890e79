"""The examples of the gate run as they stand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(*command, **environment):
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, encoding="utf-8", check=False)


def test_the_pipeline_indexes_what_survives_and_refuses_the_rest():
    indexed = run(sys.executable, str(EXAMPLES / "pipeline.py"))
    assert indexed.returncode == 0, indexed.stderr
    assert len([json.loads(line) for line in indexed.stdout.splitlines()]) > 10
    refused = run(sys.executable, str(EXAMPLES / "pipeline.py"), "fixed(size=210)")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("not indexed: failed: max-split")


def test_the_test_of_the_examples_passes():
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / "test_documents.py"))
    assert done.returncode == 0, done.stdout


def test_the_workflow_and_the_shell_run_the_same_command():
    workflow = yaml.safe_load((EXAMPLES / "ci" / "github-workflow.yml").read_text("utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert steps[-1] == "chunkscope check --format github --report junit=chunkscope.xml"
    assert "chunkscope check --report junit=" in (EXAMPLES / "ci" / "check.sh").read_text("utf-8")


def test_the_shell_ends_as_the_check_does(tmp_path):
    program = tmp_path / "chunkscope"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m chunkscope "$@"\n')
    program.chmod(0o755)
    settings = {"PATH": os.pathsep.join([str(tmp_path), os.environ["PATH"]]), "REPORT": str(tmp_path / "report.xml")}
    script = str(EXAMPLES / "ci" / "check.sh")
    assert run("sh", script, "--demo", "--chunker", "heading", **settings).returncode == 0
    assert run("sh", script, "--demo", "--size", "210", **settings).returncode == 1
    assert "<testsuites" in (tmp_path / "report.xml").read_text("utf-8")


def test_the_settings_of_the_stop_hook_are_json():
    settings = json.loads((EXAMPLES / "hooks" / "settings.json").read_text("utf-8"))
    assert "stop-hook.sh" in json.dumps(settings)
    assert (EXAMPLES / "hooks" / "stop-hook.sh").read_text("utf-8").endswith("chunkscope labels 1>&2 || exit 2\n")
