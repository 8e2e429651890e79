"""Documents, and how they are read; and where the example corpora are: in an installed package, or in a checkout."""

from __future__ import annotations

from pathlib import Path

from chunkscope.errors import InputError, MissingPartError

LANGUAGES = ("ja", "en")


def demo_path(language: str = "ja") -> Path:
    """Give the folder of an example corpus.

    Parameters
    ----------
    language : {"ja", "en"}

    Returns
    -------
    Path
        It holds a folder ``docs`` and a file ``questions.jsonl``.

    Raises
    ------
    InputError
        There is none in that language.
    MissingPartError
        This installation came without them.

    Examples
    --------
    >>> sorted(entry.name for entry in demo_path("en").iterdir())
    ['docs', 'questions.jsonl']
    """
    if language not in LANGUAGES:
        raise InputError(f"there is no demo in {language!r}; there are {', '.join(LANGUAGES)}")
    package = Path(__file__).parents[1]
    for folder in (package / "demo" / language, package.parent / "examples" / language):
        if (folder / "questions.jsonl").is_file():
            return folder
    raise MissingPartError("the demo corpora are not with this installation; pip install --force-reinstall chunkscope")
