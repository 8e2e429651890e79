"""Units: U(p), the steps between which a cut may fall, and each text tokenised once."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from strategies import texts
from structure.test_tokens import as_pairs, begins_slowly
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from chunkscope.errors import ChunkerError, InputError, MissingPartError
from chunkscope.grid import processes
from chunkscope.structure import tokens, units
from chunkscope.structure.units import Characters, MeasuredText, count_unknown, get_unit

SAMPLE = [
    "The pump ran for nine hours and then it stopped. 旅費の上限は一泊12,000円とする。",
    "鮪と鰹は「魚」である。ﾊﾝｶｸ ㍿ か\u3099 e\u0301 👩\u200d👩\u200d👧 line\r\nline\ttab\u3000全角",
    "<s> [MASK] </s> <|endoftext|> a\x00b",
] * 20


def spans_of(measure: MeasuredText) -> list[tuple[int, int]]:
    edges = [0, *measure.steps.tolist(), measure.length]
    return list(pairwise(edges))


@given(texts())
def test_used_counts_the_units_that_begin_before(text: str) -> None:
    measure = get_unit("cl100k_base").measure(text)
    slow = [sum(begin < place for begin in measure.begins.tolist()) for place in range(len(text) + 1)]
    assert measure.used(np.arange(len(text) + 1)).tolist() == slow
    assert slow[-1] == measure.total
    assert measure.used([0]).dtype == np.int64


@given(texts())
def test_no_cut_at_a_step_parts_a_token_or_a_character(text: str) -> None:
    measure = get_unit("cl100k_base").measure(text)
    encoding = tiktoken_encoding()
    pieces = [encoding.decode_single_token_bytes(number) for number in encoding.encode_ordinary(text)]
    boundaries = set(np.cumsum([0, *map(len, pieces)]).tolist())
    expected = [place for place in range(1, len(text)) if len(text[:place].encode()) in boundaries]
    assert measure.steps.tolist() == expected


@given(texts())
def test_whole_characters_around_each_token(text: str) -> None:
    measure = get_unit("cl100k_base").measure(text)
    boundaries = [len(text[:place].encode()) for place in range(len(text) + 1)]
    encoding = tiktoken_encoding()
    pieces = [encoding.decode_single_token_bytes(number) for number in encoding.encode_ordinary(text)]
    firsts = np.cumsum([0, *map(len, pieces)]).tolist()
    expected_first = [min(place for place, byte in enumerate(boundaries) if byte >= first) for first in firsts]
    expected_last = [max(place for place, byte in enumerate(boundaries) if byte <= first) for first in firsts]
    assert measure.first_whole.tolist() == expected_first
    assert measure.last_whole.tolist() == expected_last


def tiktoken_encoding() -> tiktoken.Encoding:
    return tokens.load_encoding("cl100k_base").encoding


@given(texts())
def test_characters_are_the_measure_of_single_characters(text: str) -> None:
    fast = get_unit("char").measure(text)
    n = len(text)
    plain = MeasuredText(n, np.arange(n, dtype=np.int64), np.zeros(n, dtype=np.bool_))
    assert isinstance(fast, Characters)
    assert fast.total == plain.total == n
    for name in ("begins", "inside", "steps", "first_whole", "last_whole"):
        found, expected = getattr(fast, name), getattr(plain, name)
        assert found.tolist() == expected.tolist(), name
        assert found.dtype == expected.dtype, name
    assert fast.used(np.arange(n + 1)).tolist() == plain.used(np.arange(n + 1)).tolist()


@given(texts())
def test_words_begin_where_the_word_reader_says(text: str) -> None:
    from chunkscope.structure.words import words_of

    measure = get_unit("word").measure(text)
    assert measure.begins.tolist() == words_of(text).starts.tolist()
    assert not measure.inside.any()


@pytest.mark.parametrize("cores", [1, 3])
def test_each_text_is_tokenised_once_and_answers_keep_their_order(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[str] = Counter()
    tokenise = tiktoken.Encoding.encode_to_numpy

    def counted(self: tiktoken.Encoding, text: str, **settings: object) -> object:
        seen[text] += 1
        return tokenise(self, text, **settings)

    monkeypatch.setattr(tiktoken.Encoding, "encode_to_numpy", counted)
    monkeypatch.setattr(units, "GROUP_CHARACTERS", 40)
    monkeypatch.setattr(units, "_cores", lambda: cores)
    many = [f"{index} 鮪" * (index % 5) + str(index) for index in range(60)]
    measures = get_unit("cl100k_base").measure_all(many)
    assert seen == Counter(many)
    assert [measure.length for measure in measures] == [len(text) for text in many]
    alone = [get_unit("cl100k_base").measure(text).begins.tolist() for text in many]
    assert [measure.begins.tolist() for measure in measures] == alone


@pytest.mark.parametrize("unit", ["char", "word", "cl100k_base"])
def test_no_texts_and_empty_texts_have_measures(unit: str) -> None:
    assert get_unit(unit).measure_all([]) == []
    (empty,) = get_unit(unit).measure_all([""])
    assert (empty.length, empty.total, empty.steps.tolist(), empty.used([0]).tolist()) == (0, 0, [], [0])
    assert empty.first_whole.tolist() == empty.last_whole.tolist() == [0]


def test_an_error_about_a_text_begins_with_its_name() -> None:
    with pytest.raises(InputError, match=r"^b\.md: cl100k_base cannot tokenise this text"):
        get_unit("cl100k_base").measure_all(["x", " " * 2_000_000 + "a"], ["a.md", "b.md"])


def test_units_are_values() -> None:
    for name in ("char", "word", "cl100k_base", "o200k_base", "some/tokenizer.json"):
        assert get_unit(name) == get_unit(name)
        assert hash(get_unit(name)) == hash(get_unit(name))
        assert get_unit(name).name == name
        assert pickle.loads(pickle.dumps(get_unit(name))) == get_unit(name)
    assert get_unit("cl100k_base") != get_unit("o200k_base")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("cl100k_bas", "cl100k_base"), ("chars", "char"), ("Words", "word"), ("o200kbase", "o200k_base")],
)
def test_an_unknown_unit_is_an_error_with_the_nearest_name(name: str, nearest: str) -> None:
    with pytest.raises(ChunkerError, match=f"unit '{name}' does not exist; did you mean '{nearest}'\\?") as caught:
        get_unit(name)
    assert "gpt2" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_unit_like_no_other_lists_what_there_is() -> None:
    with pytest.raises(ChunkerError, match="does not exist; there are char, word, "):
        get_unit("§§§")


# --- Hugging Face tokenizer files, trained here on a few sentences ---


def trained(kind: str, folder: Path) -> Path:
    """Train a tokenizer that truncates and pads, and save it: both have to be switched off."""
    special = ["[UNK]", "<s>", "</s>", "[MASK]"]
    if kind == "byte-level":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=300, special_tokens=special, initial_alphabet=alphabet, show_progress=False
        )
    elif kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=200, special_tokens=special, unk_token="[UNK]", show_progress=False
        )
    elif kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer = trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    else:
        tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        trainer = trainers.WordLevelTrainer(special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(SAMPLE, trainer)
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=512)
    path = folder / f"{kind}.json"
    tokenizer.save(str(path))
    return path


def test_tokens_that_a_tokenizer_does_not_know_are_counted(tokenizer_files: dict[str, Path]) -> None:
    known, unknown = SAMPLE[:1], ["鬱蒼 薔薇 鬱蒼"]
    for kind, path in tokenizer_files.items():
        n, total = count_unknown(str(path), known)
        assert n == 0
        assert total > 0
        n, total = count_unknown(str(path), unknown)
        assert (n > 0) == (kind != "byte-level")
        assert n <= total
    assert count_unknown("char", unknown) == (0, 8)


KINDS = ("byte-level", "unigram", "wordpiece", "wordlevel")


@pytest.fixture(scope="module")
def tokenizer_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tokenizers")
    return {kind: trained(kind, folder) for kind in KINDS}


def byte_alphabet() -> dict[str, int]:
    """The characters by which byte-level tokenizers spell bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    spelled = {chr(byte): byte for byte in plain}
    others = [byte for byte in range(256) if byte not in plain]
    return spelled | {chr(256 + place): byte for place, byte in enumerate(others)}


def test_byte_level_tokens_begin_where_a_walk_through_the_bytes_finds_them(tokenizer_files: dict[str, Path]) -> None:
    path = str(tokenizer_files["byte-level"])
    alphabet = byte_alphabet()
    tokenizer = tokens.load_tokenizer_file(path).tokenizer

    @given(texts())
    def holds(text: str) -> None:
        spelled = tokenizer.encode(text, add_special_tokens=False).tokens
        pieces = [bytes(alphabet[one] for one in token) for token in spelled]
        measure = get_unit(path).measure(text)
        assert as_pairs(measure.begins, measure.inside) == begins_slowly(text, pieces)

    holds()


@pytest.mark.parametrize("kind", KINDS)
def test_steps_of_any_tokenizer_part_no_token(kind: str, tokenizer_files: dict[str, Path]) -> None:
    path = str(tokenizer_files[kind])
    tokenizer = tokens.load_tokenizer_file(path).tokenizer

    @given(texts())
    def holds(text: str) -> None:
        measure = get_unit(path).measure(text)
        encoding = tokenizer.encode(text, add_special_tokens=False)
        assert measure.total == len(encoding.ids)
        steps = measure.steps.tolist()
        assert steps == sorted(set(steps))
        assert all(0 < step < len(text) for step in steps)
        assert not any(start < step < end for start, end in encoding.offsets for step in steps)
        assert sum(int(measure.used(end) - measure.used(start)) for start, end in spans_of(measure)) == (
            measure.used(len(text))
        )

    holds()


def test_truncation_padding_and_special_tokens_are_off(tokenizer_files: dict[str, Path]) -> None:
    measure = get_unit(str(tokenizer_files["wordlevel"])).measure("one two three four five six </s>")
    assert measure.begins.tolist() == [0, 4, 8, 14, 19, 24, 28, 30, 31]
    marked = get_unit(str(tokenizer_files["byte-level"])).measure("[MASK]")
    assert marked.total > 1


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_the_tokenizer_file(kind: str, tokenizer_files: dict[str, Path]) -> None:
    path = str(tokenizer_files[kind])
    plain = Tokenizer.from_file(path)
    plain.no_truncation()
    plain.no_padding()
    counts = [len(plain.encode(text, add_special_tokens=False).ids) for text in SAMPLE[:2]]
    assert [measure.total for measure in get_unit(path).measure_all(SAMPLE[:2])] == counts


def test_a_text_of_a_group_that_is_refused_is_named(tokenizer_files: dict[str, Path]) -> None:
    with pytest.raises(InputError, match=r"^b\.md: .*wordlevel\.json"):
        get_unit(str(tokenizer_files["wordlevel"])).measure_all(["a", "b\ud800", "c"], ["a.md", "b.md", "c.md"])


def test_a_tokenizer_file_hands_each_text_on_once(
    tokenizer_files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = tokens.load_tokenizer_file(str(tokenizer_files["unigram"]))
    seen: list[str] = []

    class Counting:
        def encode_batch(self, batch: list[str], **settings: object) -> object:
            seen.extend(batch)
            return loaded.tokenizer.encode_batch(batch, **settings)

    monkeypatch.setattr(tokens, "load_tokenizer_file", lambda path: tokens.TokenizerFile(path, Counting()))
    monkeypatch.setattr(units, "GROUP_CHARACTERS", 100)
    many = [*SAMPLE[:9], ""]
    measures = get_unit("any.json").measure_all(many)
    assert seen == many
    assert [measure.length for measure in measures] == [len(text) for text in many]


@pytest.mark.parametrize("content", ["", "{}", "no JSON", '{"version": "1.0"}', "\x00"])
def test_a_file_that_is_no_tokenizer_is_named_and_read_again_once_mended(
    content: str, tmp_path: Path, tokenizer_files: dict[str, Path]
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        get_unit(str(path)).measure("a")
    assert str(caught.value).startswith(f"{path}: no Hugging Face tokenizer file")
    assert "\n" not in str(caught.value)
    path.write_bytes(tokenizer_files["wordlevel"].read_bytes())
    assert get_unit(str(path)).measure("a b").total == 2


def test_a_tokenizer_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: no such file or folder"):
        get_unit(str(tmp_path / "none.json")).measure("a")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match=r"folder\.json: "):
        get_unit(str(tmp_path / "folder.json")).measure("a")


def test_without_the_extra_a_tokenizer_file_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingPartError, match=r"pip install 'chunkscope\[tokenizers\]'"):
        get_unit(str(path)).measure("a")


def test_versions_are_those_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = processes.versions()
    assert found["numpy"] == version("numpy")
    assert {"tiktoken", "unidic-lite", "fugashi", "pyromark"} <= set(found)
    monkeypatch.setattr(processes, "PACKAGES", ("numpy", "no-such-package-here"))
    assert list(processes.versions()) == ["numpy"]
