"""Documents in batches, and what a sweep says while it goes through them."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.batches import deal

from chunkscope import Corpus, Document, FixedChunker, Question, sweep
from chunkscope.grid import batches, processes
from chunkscope.questions.labels import EvidenceSpan, LocatedQuestion

NAMES = "abcdefgh"


@given(
    st.lists(st.integers(0, 9), max_size=8),
    st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), max_size=5),
    st.one_of(st.none(), st.integers(1, 30)),
)
def test_documents_are_dealt_out_as_the_rule_says(lengths, asked, characters):
    documents = [Document(name, "あ" * length) for name, length in zip(NAMES, lengths, strict=False)]
    names = {document.name for document in documents}
    asked = [one for one in asked if set(one) <= names]
    questions = [
        LocatedQuestion(Question(str(number)), tuple(EvidenceSpan(name, 0, 1) for name in one))
        for number, one in enumerate(asked)
    ]
    found = [
        ([document.name for document in batch.documents], [int(question.question.id) for question in batch.questions])
        for batch in batches.tie_batches(Corpus.of(documents), questions, characters)
    ]
    assert found == deal([(document.name, document.length) for document in documents], asked, characters)


def test_each_batch_is_told_with_all_documents_so_far(monkeypatch):
    monkeypatch.setattr("chunkscope.grid.sweep.BATCH_CHARACTERS", 6)
    told = []
    documents = [Document(name, "あ" * 3) for name in "abcde"]
    sweep(documents, chunkers=[FixedChunker(2)], progress=lambda *given: told.append(given))
    told_of_documents = [given for given in told if given[0] == "documents"]
    assert told_of_documents == [("documents", 2, 5), ("documents", 4, 5), ("documents", 5, 5)]
    assert [given for given in told if given[0] == "cells"] == [("cells", 0, 1), ("cells", 1, 1)] * 3


def test_one_job_starts_no_process(monkeypatch):
    monkeypatch.setattr("chunkscope.grid.sweep.run_in_processes", None)
    assert sweep([Document("a", "あ" * 9)], chunkers=[FixedChunker(2)], jobs=1).cells[0].chunks == 5


def test_two_jobs_are_run_in_processes(monkeypatch):
    asked = []

    def run_here(function, plan, work, jobs):
        asked.append(jobs)
        return ((piece, function(plan, piece)) for piece in work)

    monkeypatch.setattr("chunkscope.grid.sweep.run_in_processes", run_here)
    assert sweep([Document("a", "あ" * 9)], chunkers=[FixedChunker(2)], jobs=2).cells[0].chunks == 5
    assert asked == [2]


@pytest.mark.parametrize("before", [None, "yes"])
def test_processes_that_are_started_import_nothing_from_here_and_the_environment_is_as_before(before, monkeypatch):
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if before:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with processes.starting_processes():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before


def test_processes_pay_for_much_text_and_are_as_many_as_may_run(monkeypatch):
    assert processes.worthwhile_jobs(processes.BYTES_THAT_PAY - 1) == 1
    monkeypatch.setattr(processes.os, "sched_getaffinity", lambda process: {0, 1, 2}, raising=False)
    assert processes.worthwhile_jobs(processes.BYTES_THAT_PAY) == 3
    monkeypatch.delattr(processes.os, "sched_getaffinity")
    for known, expected in ((6, 6), (None, 1)):
        monkeypatch.setattr(processes.os, "cpu_count", lambda known=known: known)
        assert processes.worthwhile_jobs(processes.BYTES_THAT_PAY) == expected
