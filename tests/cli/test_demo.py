from __future__ import annotations

import pytest
from command_line import run_json

from chunkscope import corpus
from chunkscope.corpus import LANGUAGES, demo_path
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import InputError, MissingPartError
from chunkscope.questions.check import check_labels
from chunkscope.questions.question import read_questions


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_demo_has_documents_and_sound_questions(language):
    folder = demo_path(language)
    labels = check_labels(read_corpus(folder / "docs"), read_questions(folder / "questions.jsonl").questions)
    assert labels.valid
    assert not labels.problems


def test_an_unknown_language_names_the_known_ones():
    with pytest.raises(InputError, match="'fr'; there are ja, en"):
        demo_path("fr")


def test_in_a_package_the_demos_lie_inside_it(tmp_path, monkeypatch):
    folder = tmp_path / "site" / "chunkscope" / "demo" / "ja"
    folder.mkdir(parents=True)
    monkeypatch.setattr(corpus, "__file__", str(tmp_path / "site" / "chunkscope" / "corpus" / "__init__.py"))
    with pytest.raises(MissingPartError, match="pip install"):
        demo_path("ja")
    (folder / "questions.jsonl").touch()
    assert demo_path("ja") == folder


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_abolished_document_leaves_the_top_and_recall_does_not_fall(language):
    """But for a question on what held before, where there is one: its evidence is not in the index then."""
    folder = demo_path(language)

    def cells(*options):
        asked = ("recall", folder / "docs", "--questions", folder / "questions.jsonl", "--format", "json")
        settings = ("--sizes", "200..800:100", "-k", "3,5,10", "--outdated", "status=abolished")
        return [cell["retrieval"] for cell in run_json(*asked, *settings, *options)["cells"]]

    for everything, current in zip(cells(), cells("--filter", "name!=*-2018*"), strict=True):
        assert current["indexed_chunks"] < everything["indexed_chunks"]
        for k in ("3", "5", "10"):
            assert current["outdated"][k][0] < everything["outdated"][k][0]
            not_indexed = current["misses"][k]["not_indexed"]
            assert not_indexed <= 1
            assert current["strict"][k][0] + not_indexed >= everything["strict"][k][0]
            assert current["strict"][k][1] == everything["strict"][k][1]
