"""Where sentences start.

Blocks are boundaries always. Inside a block of prose the end marks decide: the wide ones (``。！？`` and those of
other scripts) by themselves, the ASCII ones where white space or Japanese follows and the word before is no
abbreviation, number or list label. A sentence takes along what follows its end mark: further marks, closing quotes and
brackets, reference marks and white space. Nothing ends inside brackets or quotes that close in the same block, nor
behind a closing bracket if a particle goes on (``「はい。」と言った``). Code lines, table rows and front matter stay
whole.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from operator import attrgetter

import numpy as np

from chunkscope.spans.intervals import IntArray, Span, merge
from chunkscope.structure.abbreviations import (
    ALWAYS_GO_ON,
    BEFORE_NUMBERS,
    LOWER_CASE_OPENERS,
    MAY_END,
    MAY_END_IF_CAPITAL,
    NAMES_WITH_MARKS,
    SENTENCE_OPENERS,
    TITLES,
)
from chunkscope.structure.brackets import ROUND, Pair, outermost_pairs
from chunkscope.structure.characters import code_points
from chunkscope.structure.labels import is_label
from chunkscope.structure.model import Structure

WIDE = "。｡！？．‼⁇⁈⁉।॥۔؟։።፧။។﹒﹖﹗︒"
ASCII = ".!?…‥"
CLOSING_QUOTES = "」』）】〕］｝〉》〗〙〛｣〟〞﹂﹄＞⦆｠"
CLOSING = CLOSING_QUOTES + "”’»›＂＇)}⁰-⁹¹²³"
SYMMETRIC = "*_~`\"'"
CLOSED = CLOSING + SYMMETRIC + ">"
MARKS = r"\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\u200d"
BLANK = r"\s\x00-\x1f\x7f-\x9f\u200b\ufeff"
KANA_KANJI = "々〆〇ぁ-ゖゝ-ゟァ-ヺー-ヿ㐀-䶿一-鿿豈-龎ｦ-ﾟ\U00020000-\U000323af"
FIGURES = ("図", "表", "式", "第")
OPENING = "「『（【〔［｛〈《〖〘〚“‘｢〝﹁﹃＜⦅｟"
CLOSED_QUOTES = "\"'”’」』"

FAR = 2000
"""How far back a symmetric mark looks for its other half; bounds the work on hostile text."""
LABEL_LENGTH = 24
WORD_LENGTH = 24

LOWER_CASE_LENGTH = 80
"""A block that long without a capital letter is written in lower case; there a lower-case letter starts a sentence."""

# ASCII marks that follow an end mark: not an image ![, and behind a wide mark nothing that begins a word, such as .env
_FURTHER = r"(?:[.…‥?]|!(?!\[))++"
_ASCII_MARKS = rf"(?=[{ASCII}])(?:(?<=[{ASCII}]){_FURTHER}|(?<=[！？])(?:\?|!(?!\[))++|{_FURTHER}(?![A-Za-z0-9/_]))"
# [1], [2, 3], [^name], [注 1]; what a particle follows is no reference but a button: [1]を押す
_REFERENCE = (
    r"\[(?:\^[^\[\]\s]{1,64}+|(?:(?:注釈?|note|nb) ?)?[0-9]{1,3}(?:[,、，–-] ?[0-9]{1,3})*+|[a-z]|要出典)\]"
    r"(?!\(|[ 　]?(?:を|[がはにでとへも](?=[一-龥ァ-ヴＡ-ＺA-Z、])))|(?i:<sup>)\[?[0-9a-z*†]{1,3}\]?(?i:</sup>)"
)
# what stays with an end mark: marks, closing brackets and tags, Japanese ones even behind white space, references, the
# rest of a link, (笑), a backslash that breaks the line, and an ellipsis ". . ."
_TAIL = (
    rf"(?:[{WIDE}…‥{MARKS}{CLOSING}]++|{_ASCII_MARKS}|[{SYMMETRIC}]++(?=[{CLOSING}{BLANK}\]]|\Z)"
    rf"|\]\([^()\s]*+\)|\]\[[^\[\]\r\n]{{0,80}}+\]|\](?![(\[])|[{BLANK}]++(?=[{CLOSING_QUOTES}])"
    rf"|{_REFERENCE}"
    rf"|[（(][笑泣汗涙爆怒驚][）)]|</[A-Za-z]\w{{0,10}}>|\\(?=[\r\n])"
    rf"|(?:[ \u00a0]\.){{2,200}}+(?![^{BLANK}{CLOSING}{SYMMETRIC}])){{0,50}}+"
)
# what cannot begin a sentence: white space, closing tags, and at the end of a line '>', ':::' and a heading's {#name};
# no end mark may stand at the end of a name, or each of thousands in a row would be read again from each end mark
_BLANKS = (
    rf"[{BLANK}]*+(?:(?:<[bB][rR]\s*/?>|-->|</[A-Za-z][\w.-]{{0,20}}+(?<!\.)>|&nbsp;"
    r"|(?:>[ \t>]*+|:{3,8}+[ \t]*+|\{(?:#[\w.:-]{1,100}+(?<!\.)|/\*[\w.:-]{1,100}+\*/)\}[ \t]*+)(?=[\r\n]|\Z))"
    rf"[{BLANK}]*+)*+"
)
_CANDIDATE = re.compile(
    rf"[{WIDE}{ASCII}](?<![{WIDE}{ASCII}{MARKS}][{WIDE}{ASCII}])"
    rf"(?:(?<=[{WIDE}])|(?<=[{KANA_KANJI}〜～{CLOSING}][{ASCII}])|(?={_TAIL}(?:[{BLANK}{KANA_KANJI}{OPENING}]|<[bB][rR]\b|&nbsp;)))"
    rf"{_TAIL}({_BLANKS})"
)
_BLANK_RUN = re.compile(_BLANKS)
_HAS_WIDE = re.compile(f"[{WIDE}]")
_HAS_END_MARK = re.compile(f"[{WIDE}{ASCII}]")
_JAPANESE = re.compile(f"[{KANA_KANJI}]")
_JAPANESE_END = re.compile(f"[{KANA_KANJI}〜～」』）】]")
_HIRAGANA = re.compile("[ぁ-ゖ]")
_OPEN_MARKS = re.compile(r"[\"'“‘(（*_]*")
_LOWER_START = re.compile(r"[ie][A-Z][a-z]|mac[A-Z]|(?:[a-h]|[ivx]{1,4})[.)][ \t]+[A-Z]")
_WORD_BACKWARDS = re.compile(r"(?:[^\W_]|[.&°．])*")
_NUMBER_IN_FRONT_OF_LINE = re.compile(r"[\r\n][ \t>]*[0-9]{1,2}")
_INITIALS = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})+")
_NUMBER = re.compile(r"[#(]?[0-9０-９]|[IVXLC]{2,}\b|[B-HJ-Z]\b(?!['’])|[AI](?=[.,;:)])")
_OPENER = re.compile(rf"[\"'“‘(（*_]*(?:{'|'.join(SENTENCE_OPENERS)})(?![\w.])")
_OPENER_IN_LOWER_CASE = re.compile(rf"[\"'“‘(（*_]*(?:{'|'.join(LOWER_CASE_OPENERS)})(?![\w.])")
_NO_START = re.compile(r"[,;:=)\]}、，・。）」』】]|\.(?![^\W_])|[!?](?=[\s!?])")
_GOES_ON_QUOTE = (
    r"って|と(?!ころ[がで]|りあえず|りま|にかく|っ?ても|きどき|もあれ|もかく|はいえ|うとう|くに[、は一-龥]|っさに|っくに"
    r"|いうわけで|いうことで、)|など|を|の(?!ち|ん|ど(?!ちら|れ)|ろ|び|こり)"
)
_AFTER_QUOTE = re.compile(
    rf"・|(?:\r\n|\n|\r)?(?:{_GOES_ON_QUOTE}|だ(?=[。、！？とっろよねな）」])(?!って)"
    r"|です(?=[。、！？よねかとし])(?!から)|でした|でしょう|である|であった|ではな|らしい|みたい|よう[にな]|くらい|ぐらい"
    r"|だけ(?!ど)|ばかり|まで(?!も)|ほど(?!なく)|より(?![詳良多高深])|から(?!揚|っ|だ)|が(?!ん|っ|ち)"
    r"|[はにへもやでな](?=[一-龥ァ-ヴＡ-Ｚ０-９A-Z0-9、，「『])|に(?:[はもてしす]|つい|よ[るっり]|お[いけ]|な[るりっ])|へ[のと]"
    r"|等(?![し級身])|(?:や|か|及び|又は|または|→|／|/|＋)[「『]|[、，,。])"
)
_AFTER_MARK = re.compile(rf"・|(?:\r\n|\n|\r)?(?:{_GOES_ON_QUOTE}|[、，])")
# behind a blank only what cannot begin a sentence
_AFTER_BLANK = re.compile(r"って(?!い)|と(?:い[いうえっわ]|[言云思叫答聞書述話語呼考感声、，])|を")
_NO_START_AFTER_JAPANESE = re.compile(r"[a-z0-9=&/\\\-_.,:;%+#@~^|<]")
_LEAD = re.compile(rf"[{BLANK}#>*+\-_|0-9.]*")
_ATTRIBUTE = re.compile(r"[\w:-]+=[\"'{]|/>")
_LINE_END = re.compile("[\r\n]")
_OPENS = re.compile(rf"(?<![^{BLANK}{OPENING}{KANA_KANJI}(])[\"']|[{OPENING}(]")
_place_opened = attrgetter("open")


class _Block:
    """A block of prose, and what is looked up in it once, if at all."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end

    @cached_property
    def pairs(self) -> list[Pair]:
        """Its brackets and quotes."""
        return outermost_pairs(self.text, self.start, self.end)

    @cached_property
    def _quotes(self) -> dict[int, int]:
        """Where each outermost quote opens, and the place behind the last of those that follow it directly."""
        behind: dict[int, int] = {}
        for pair in reversed(self.pairs):
            if pair.kind in "「『":
                behind[pair.open] = behind.get(pair.close + 1, pair.close + 1)
        return behind

    def behind_quotes(self, place: int) -> int:
        """Give the place behind the quotes that open at `place`, one after the other; without any, `place`."""
        return self._quotes.get(place, place) if self.text[place] in "「『" else place

    @cached_property
    def is_lower_case(self) -> bool:
        """Whether it is written without capital letters."""
        prose = self.text[self.start : self.end]
        return len(prose) >= LOWER_CASE_LENGTH and prose == prose.lower()


def line_starts(text: str) -> IntArray:
    r"""Give where lines start; only LF, CR LF and CR end a line.

    Returns
    -------
    int64 (n,)
        Increasing, the first 0; empty for an empty text. A line end at the end of the text starts no line.

    Notes
    -----
    Its slow twin is `line_starts_slowly` in tests/structure/test_sentences.py, one loop over the characters.

    Examples
    --------
    >>> line_starts("a\r\nb\n\rc\n").tolist()
    [0, 3, 5, 6]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    points = code_points(text)
    is_end = points == ord("\n")
    carriage = points == ord("\r")
    carriage[:-1] &= ~is_end[1:]
    ends = np.flatnonzero(is_end | carriage) + 1
    return np.concatenate((np.zeros(1, dtype=np.int64), ends[ends < len(text)]))


def sentence_starts(text: str, structure: Structure, items: IntArray | None = None) -> IntArray:
    """Give where the sentences of a text start; they tile it.

    Parameters
    ----------
    text : str
        The whole text.
    structure : Structure
        Its blocks, each a boundary, and the code, tables and front matter in which nothing else is one.
    items : int64 (m,), optional
        Where lines inside blocks begin like items or turns; boundaries, too.

    Returns
    -------
    int64 (n,)
        Increasing, the first 0; empty for an empty text.

    Examples
    --------
    >>> text = "課長は「通る。急いで」と言った。皆が動いた。"
    >>> plain = Structure(len(text), 0, (), (), np.empty((0, 2), np.int64), np.zeros(1, np.int64))
    >>> sentence_starts(text, plain).tolist()
    [0, 16]
    """
    if not text:
        return np.empty(0, dtype=np.int64)
    blocks = structure.block_starts if items is None else merge(structure.block_starts, items)
    bounds = [*blocks.tolist(), len(text)]
    inner = [place for region in prose_stretches(structure) for place in _boundaries(text, region, bounds)]
    if not inner:
        return blocks
    return np.sort(np.concatenate((blocks, np.array(inner, dtype=np.int64))))


def prose_stretches(structure: Structure) -> Iterator[Span]:
    """Give the stretches of a text in which punctuation counts: no code, tables and front matter."""
    length = structure.length
    whole = [(start, end) for start, end in structure.code.tolist()]
    whole += [(table.start, table.end) for table in structure.tables]
    if structure.front_matter_end:
        whole.append((0, structure.front_matter_end))
    position = 0
    for start, end in sorted(whole):
        if start > position:
            yield position, start
        position = max(position, end)
    if position < length:
        yield position, length


def _boundaries(text: str, region: Span, bounds: list[int]) -> Iterator[int]:
    """Give where sentences start inside blocks."""
    number = bisect_right(bounds, region[0])
    block_start = sentence = bounds[number - 1]
    block_end = bounds[number]
    block = None
    position, region_end = region
    while match := _CANDIDATE.search(text, position, region_end):
        mark, boundary = match.span()
        if mark >= block_end:
            number = bisect_right(bounds, mark, number)
            block_start = sentence = bounds[number - 1]
            block_end = bounds[number]
            block = None
        if boundary >= block_end:
            position = block_end  # most sentences end where their block ends; what matched of the next is its own
            continue
        position = boundary
        block = block or _Block(text, block_start, block_end)
        end = match.start(1)
        if _HAS_WIDE.search(text, mark, end):
            if end == boundary and text[end] in SYMMETRIC:
                end = _behind_other_half(text, block.start, mark, end)
                boundary = _BLANK_RUN.match(text, end).end()  # type: ignore[union-attr]
            is_end = boundary < block.end and _wide_ends(block, mark, end, boundary, sentence)
        elif end == boundary:
            is_end = _joined_ends(block, mark, end)
        else:
            is_end = _spaced_ends(block, mark, end, boundary, sentence)
        if is_end and not _is_held(block, mark, end, sentence):
            sentence = boundary
            yield boundary


def _wide_ends(block: _Block, mark: int, end: int, boundary: int, sentence: int) -> bool:
    """Decide on end marks that need no white space."""
    text = block.text
    last = text[end - 1]
    if end == mark + 1 and last == "．" and not _wide_full_stop_ends(text, mark, boundary, sentence):
        return False
    if _is_spoken_of(text, mark, end, boundary):
        return False
    is_closed = last in CLOSED or (last == "]" and text.find("[", mark, end) < 0)
    if is_closed or last in "！!？?":
        is_name = end == mark + 1 and _word_before(text, mark).lower() in NAMES_WITH_MARKS
        goes_on = _AFTER_QUOTE.match(text, block.behind_quotes(end)) if is_closed else _AFTER_MARK.match(text, end)
        return not (is_name or goes_on or (end < boundary and _AFTER_BLANK.match(text, boundary)))
    return text[boundary] not in "、，" and not text.startswith("・・", end)


def _wide_full_stop_ends(text: str, mark: int, boundary: int, sentence: int) -> bool:
    """Tell a full-width full stop from the point of １．５, of 図．１ and of Ｄｒ．スミス."""
    before, behind = text[mark - 1 : mark], text[boundary]
    if is_label(text, sentence, mark) or (before in FIGURES and behind.isdigit()):
        return False
    if not before.isalnum() or _JAPANESE.match(before):
        return True
    if boundary == mark + 1 and (before.isdigit() or (behind.isalnum() and not _JAPANESE.match(behind))):
        return False
    return not _is_abbreviation(text, mark, boundary, _OPENER)


def _is_spoken_of(text: str, mark: int, end: int, boundary: int) -> bool:
    """Tell a mark that is spoken of, 「?」 (U+003F), and the end of a tag's attribute: alt="It ends." src="..."."""
    if text[end - 1] not in CLOSED:
        return False
    if text[end - 1] in "\"'" and _ATTRIBUTE.match(text, boundary):
        return True
    return bool(mark and _OPENS.match(text, mark - 1)) and not _LINE_END.search(text, end, boundary)


def _joined_ends(block: _Block, mark: int, end: int) -> bool:
    """Decide on ASCII end marks that are followed by no white space."""
    text = block.text
    marks = text[mark:end]
    behind = text[end]
    if "!" in marks or "?" in marks:
        if _JAPANESE_END.match(text, mark - 1):
            is_end = not (_NO_START_AFTER_JAPANESE.match(behind) or (behind == "[" and marks[-1] == "!"))
        else:
            is_end = marks.count("!") + marks.count("?") > 1 and bool(_JAPANESE.match(behind))
        return is_end and not _goes_on(text, end, block.behind_quotes(end))
    # "です.次": as a rule only sentences end in hiragana, while 'メニュー.ファイル' is a name
    return marks[0] == "." and marks[1:2] != "." and bool(_HIRAGANA.match(text, mark - 1) and _JAPANESE.match(behind))


def _spaced_ends(block: _Block, mark: int, end: int, boundary: int, sentence: int) -> bool:
    """Decide on ASCII end marks that are followed by white space."""
    text = block.text
    if _NO_START.match(text, boundary) or _is_spoken_of(text, mark, end, boundary):
        return False
    is_japanese = bool(_JAPANESE.match(text, mark - 1))
    if not is_japanese and (
        _AFTER_QUOTE.match(text, boundary)
        or (
            text[end - 1] in CLOSED_QUOTES
            and not _LINE_END.search(text, end, boundary)
            and _JAPANESE.match(text, boundary)
        )
    ):
        return False
    place = _OPEN_MARKS.match(text, boundary).end()  # type: ignore[union-attr]
    first = text[place : place + 1]
    opener = _OPENER
    if first.islower() and not is_japanese and not _LOWER_START.match(text, place):
        if not block.is_lower_case:
            return False
        opener = _OPENER_IN_LOWER_CASE
    marks = text[mark:end]
    if "!" in marks or "?" in marks:
        if marks == "!" and _word_before(text, mark).lower() in NAMES_WITH_MARKS:
            return bool(opener.match(text, boundary))
        return not (is_japanese and _goes_on(text, end, boundary))
    if marks.count(".") > 1 or marks[0] in "…‥":
        is_pause = marks.count(".") == 3 and marks[1] != "."
        is_omission = text[mark - 1 : mark] in ("[", "(", "（", "［")
        return first.isupper() and not is_pause and not is_omission
    if is_japanese:
        goes_on = text[mark - 1] in FIGURES and first.isdigit()
    else:
        goes_on = _is_abbreviation(text, mark, boundary, opener)
    return not (goes_on or is_label(text, sentence, mark))


def _goes_on(text: str, end: int, boundary: int) -> bool:
    """Tell whether a Japanese sentence goes on behind its end mark: 「行く！」と, なぜ？と."""
    return bool((_AFTER_QUOTE if text[end - 1] in CLOSED else _AFTER_MARK).match(text, boundary))


def _is_abbreviation(text: str, mark: int, boundary: int, opener: re.Pattern[str]) -> bool:
    """Tell whether the full stop at `mark` belongs to the word before it, and the sentence goes on at `boundary`."""
    word = _word_before(text, mark)
    if len(word) == 1 and word.isupper():
        return _is_initial(text, mark) and not opener.match(text, boundary)
    if word.isdigit():
        return len(word) <= 2 and _is_number_in_front_of_line(text, mark)
    lower = word.lower()
    is_capital = word[:1].isupper() or opener is _OPENER_IN_LOWER_CASE
    if lower in ALWAYS_GO_ON or (lower in TITLES and is_capital):
        return True
    if lower in BEFORE_NUMBERS and _NUMBER.match(text, boundary):
        return True
    before = max(mark - len(word) - 1, 0)
    is_initials = _INITIALS.fullmatch(word) and text[before] not in "@/"
    may_end = lower in MAY_END or (lower in MAY_END_IF_CAPITAL and is_capital) or is_initials
    return bool(may_end) and not opener.match(text, boundary)


def _is_initial(text: str, mark: int) -> bool:
    """Tell a name's initial from the last letter of a path, and from a unit as in '5 V.'"""
    before = text[max(mark - 3, 0) : mark - 1]
    if before[-1:].isspace():
        return not before[:-1].isdigit()
    return not before or before[-1] in "(（\"'“‘「『[*_" or bool(_JAPANESE.match(before[-1]))


def _is_number_in_front_of_line(text: str, mark: int) -> bool:
    start = max(mark - LABEL_LENGTH, 0)
    line = max(text.rfind("\n", start, mark), text.rfind("\r", start, mark))
    return line >= 0 and bool(_NUMBER_IN_FRONT_OF_LINE.fullmatch(text, line, mark))


def _word_before(text: str, mark: int) -> str:
    """Give the word that ends at `mark`, without Japanese; full-width letters as ASCII."""
    backwards = text[max(mark - WORD_LENGTH, 0) : mark][::-1]
    word = _WORD_BACKWARDS.match(backwards).group()[::-1]  # type: ignore[union-attr]
    if word.isascii():
        return word.strip(".&")
    return _JAPANESE.split(unicodedata.normalize("NFKC", word))[-1].strip(".&")


def _behind_other_half(text: str, block: int, mark: int, end: int) -> int:
    """Give the end of symmetric marks at `end` if they close what stands before (``**です。**次``), else `end`."""
    behind = end + 1
    while behind < len(text) and text[behind] == text[end]:
        behind += 1
    is_open = text.count(text[end:behind], max(block, mark - FAR), mark) % 2 == 1
    return behind if is_open and behind - end <= 3 else end


def _is_held(block: _Block, mark: int, end: int, sentence: int) -> bool:
    """Tell whether a mark stands in code, in brackets that `end` is not behind, or in a remark within a sentence."""
    pairs = block.pairs
    number = bisect_right(pairs, mark, key=_place_opened) - 1
    if number < 0 or pairs[number].close < mark:
        return False
    pair = pairs[number]
    if pair.close >= end or pair.kind[0] == "`":
        return True
    if pair.kind != ROUND or _HAS_END_MARK.search(block.text, pair.close, end):
        return False
    is_first = pair.open - sentence <= FAR and _LEAD.fullmatch(block.text, sentence, pair.open)
    return not is_first
