from __future__ import annotations

import pytest

from chunkscope import demos
from chunkscope.corpus import read_corpus
from chunkscope.demos import LANGUAGES, demo_path
from chunkscope.errors import InputError, MissingPartError
from chunkscope.labels import check_labels
from chunkscope.questions import read_questions


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
    monkeypatch.setattr(demos, "__file__", str(tmp_path / "site" / "chunkscope" / "demos.py"))
    with pytest.raises(MissingPartError, match="pip install"):
        demo_path("ja")
    (folder / "questions.jsonl").touch()
    assert demo_path("ja") == folder
