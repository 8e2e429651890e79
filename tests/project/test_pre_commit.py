"""The hooks, run by the real pre-commit in a repository of its own. No network: the package is the one that is tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pre_commit")
yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
TEXT = "宿泊費の上限は1泊12,000円とする。\n"


def git(*args, folder):
    identity = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "core.hooksPath=.git/hooks",
    ]
    return subprocess.run(
        ["git", *identity, *args], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def pre_commit(*args, folder, home):
    programs = os.pathsep.join([str(home / "bin"), os.environ["PATH"]])
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *args],
        cwd=folder,
        env={
            **os.environ,
            "PRE_COMMIT_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "PATH": programs,
            "PYTHONIOENCODING": "utf-8",
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def hooks(tmp_path):
    """A repository with our hooks as they are, but for the environment: it is the one of this test."""
    folder = tmp_path / "hooks"
    folder.mkdir()
    own = [{**hook, "language": "system"} for hook in HOOKS]
    (folder / ".pre-commit-hooks.yaml").write_text(yaml.safe_dump(own), "utf-8")
    git("init", "-q", folder=folder)
    git("add", ".", folder=folder)
    git("commit", "-q", "-m", "hooks", folder=folder)
    program = tmp_path / "home" / "bin" / "chunkscope"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m chunkscope "$@"\n')
    program.chmod(0o755)
    return folder


@pytest.fixture
def project(tmp_path, hooks):
    """A repository with documents, questions and both hooks."""
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "rules.md").write_text(TEXT, "utf-8")
    question = {"id": "q1", "doc": "rules.md", "evidence": "上限は1泊12,000円"}
    (folder / "questions.jsonl").write_text(json.dumps(question) + "\n", "utf-8")
    settings = '[tool.chunkscope]\ncorpus = "docs"\nquestions = "questions.jsonl"\nsize = 40\n'
    (folder / "pyproject.toml").write_text(settings, "utf-8")
    config = {
        "repos": [
            {
                "repo": str(hooks),
                "rev": git("rev-parse", "HEAD", folder=hooks),
                "hooks": [{"id": hook["id"]} for hook in HOOKS],
            }
        ]
    }
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    git("init", "-q", folder=folder)
    git("add", ".", folder=folder)
    return folder


def test_both_hooks_are_offered():
    assert [hook["id"] for hook in HOOKS] == ["chunkscope-check", "chunkscope-labels"]
    assert all(hook["language"] == "python" and not hook["pass_filenames"] for hook in HOOKS)


def test_a_sound_repository_passes_and_a_split_or_a_bad_label_does_not(project, tmp_path):
    home = tmp_path / "home"
    passed = pre_commit("run", "--all-files", folder=project, home=home)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert passed.stdout.count("Passed") == 2

    settings = (project / "pyproject.toml").read_text("utf-8")
    (project / "pyproject.toml").write_text(settings.replace("40", "13"), "utf-8")
    git("add", ".", folder=project)
    split = pre_commit("run", folder=project, home=home)
    assert split.returncode == 1
    assert "docs/rules.md:1:14: evidence-split: q1" in split.stdout
    assert split.stdout.count("Passed") == 1

    (project / "pyproject.toml").write_text(settings, "utf-8")
    (project / "docs" / "rules.md").write_text(TEXT.replace("12,000", "15,000"), "utf-8")
    git("add", ".", folder=project)
    changed = pre_commit("run", folder=project, home=home)
    assert changed.returncode == 1
    assert changed.stdout.count("missing: ") >= 2
    assert "Passed" not in changed.stdout


def test_files_that_are_no_documents_are_no_reason_to_run(project, tmp_path):
    git("commit", "-q", "-m", "all", folder=project)
    (project / "program.py").write_text("pass\n", "utf-8")
    git("add", ".", folder=project)
    assert pre_commit("run", folder=project, home=tmp_path / "home").stdout.count("Skipped") == 2


def test_the_stop_hook_blocks_with_2_and_says_why_on_stderr(project, tmp_path):
    def stop():
        programs = os.pathsep.join([str(tmp_path / "home" / "bin"), os.environ["PATH"]])
        return subprocess.run(
            ["sh", str(ROOT / "examples" / "hooks" / "stop-hook.sh")],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": programs, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    sound = stop()
    assert (sound.returncode, sound.stdout) == (0, "")
    (project / "docs" / "rules.md").write_text("別の文。\n", "utf-8")
    blocked = stop()
    assert (blocked.returncode, blocked.stdout) == (2, "")
    assert "questions.jsonl:1: q1: missing" in blocked.stderr


def test_the_configuration_in_the_examples_has_the_same_hooks():
    example = yaml.safe_load((ROOT / "examples" / "ci" / "pre-commit-config.yaml").read_text("utf-8"))
    [repository] = example["repos"]
    assert [(hook["id"], hook["entry"]) for hook in repository["hooks"]] == [
        (hook["id"], hook["entry"]) for hook in HOOKS
    ]
