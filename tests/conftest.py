"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# Time says nothing on a busy machine; and where a failure stops others, the examples are the same each time.
settings.register_profile("ours", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("ours")

os.environ["CHUNKSCOPE_LANG"] = "en"  # whatever the locale of who runs the tests is


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let expected outputs be written anew."""
    parser.addoption("--update-gold", action="store_true", help="write the files of tests/gold anew")


Gold = Callable[[str, str], None]


@pytest.fixture
def gold(pytestconfig: pytest.Config) -> Gold:
    """Compare a text with a file of `tests/gold`."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "gold" / name
        if pytestconfig.getoption("--update-gold"):
            path.write_bytes(text.encode())
        assert text == path.read_bytes().decode(), f"{name} has changed; if that is right: pytest --update-gold"

    return compare


DATA = Path(os.environ.get("CHUNKSCOPE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real documents beside the checkout (or `CHUNKSCOPE_DATA`); they are too large to travel along."""
    if not DATA.is_dir():
        pytest.skip("the real documents are not beside this checkout; set CHUNKSCOPE_DATA to their folder")
    return DATA


CASES = Path(os.environ.get("CHUNKSCOPE_CASES", Path(__file__).parents[2] / "shared" / "cases"))


@pytest.fixture(scope="session")
def sentence_cases() -> Path:
    """Small inputs with their right sentences, beside the checkout (or in `CHUNKSCOPE_CASES`)."""
    path = CASES / "cases-2.jsonl"
    if not path.is_file():
        pytest.skip("the small inputs are not beside this checkout; set CHUNKSCOPE_CASES to their folder")
    return path
