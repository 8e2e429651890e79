"""Whether a Japanese sentence goes on behind its end mark, or behind the quote that ends in one.

Where kana or a noun follows, the morphemes decide: what the dictionary calls a particle, an auxiliary or a suffix
begins no sentence (``「え？」なんて言う``, ``いいね！が増えた``), but for the connectives that are made of particles
(``でも``, ``だから``). The dictionary is asked at such places only, once for each that looks alike.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from chunkscope.structure.marks import KANA_KANJI
from chunkscope.structure.morphemes import Morpheme, morphemes
from chunkscope.structure.patterns import lazily

ASKED = 14
"""So many characters are shown to the dictionary: the first two words and what follows them."""

_GAP = "[ \t\u00a0\u3000]"
_LINE_END = lazily(r"\r\n|[\r\n]")
_DASHES = lazily(r"(?:[―—–─━…‥]|ー{2,})*+")
_JAPANESE = lazily(f"[{KANA_KANJI}]")
_KATAKANA = lazily("[ァ-ヺー]+")
_ASKED = lazily(rf"[^\r\n]{{1,{ASKED}}}")

# signs and conjunctions between two quotes
_CONNECTS = lazily(
    rf"(?:(?<=＞)|{_GAP}*+(?:[→⇒➡⟶➔▶＞>≫»／/＋+＆&＝=×～〜－-]|->|=>|や|か|及び|または|又は|あるいは|もしくは|or|and)){_GAP}*+[「『［\[【〈《“\"＜<*`]"
)
_BRACKET_AND_PARTICLE = lazily(rf"[（(\[［][^（()）\[\]［］\r\n]{{1,60}}[)）\]］](?=[{KANA_KANJI}、，])")

# connectives made of particles and auxiliaries, and adverbs that the dictionary takes for particles
_CONNECTIVE = lazily(
    r"と(?:ころ[がで]|りあえず|りま|にかく|っ?ても|きどき|もあれ|もかく|もに|もすれば|もすると|はいえ|うとう|くに[、は一-龥]|っさに|っくに|いうわけで|いうことで、|ある[一-龥])"
    r"|だ(?:から|が|けど|けれど|って|としても|とすれば|とすると|の?に)|です(?:が|から|けど)|でし(?:たら|ょっちゅう)|で(?:も(?![「『良よ]|いい|構|かま|な[いく]|可|OK)|は(?!な)|すので)"
    r"|な(?:ので(?![はすあし])|のに|らば?[、，]|んで(?![すし])|んだ[、，]|んと)|ほどなく|より(?=[詳良多高深少早速大小強広長安正新])|まで?も(?!な)|から(?:揚|っ|だ)"
    r"|に(?:や|っ|こ|わか|も(?:かかわらず|関わらず|拘わらず))|が(?:ん|っ|ち)|の(?:ち|ん(?!か)|ろ|び|こり)|は(?:は|ぁ|あ|い|ー)|へ[えぇー]|や(?:あ|ぁ|っ)|か(?:つ|な[りら]|えって)"
    r"|ね[えぇー]|よ[おぉーっ]|[なさわや][あぁー]|え[えぇー]|も[おぉー]|けれ?ど"
)
# what does not begin a sentence behind the mark alone, only behind a quote: `で、` and `が、` are connectives there
_AND_PAUSE = lazily(
    r"(?:[がでにとは]|と言うか|というか|といっても|というのも|となると|とすると|とすれば|となれば|といえば)[、，]|という(?:わけ|こと)で|とい(?:っても|うのも)|とは言|っていう[かと]"
)
_BEHIND_GAP = lazily(r"って(?!い)|と(?:い[いうえっわ]|[言云思叫答聞書述話語呼考感声、，])|を")
_SAID = lazily(r"と(?:[言云思叫答聞述呼考]|い[いうえっわ](?!うわけ|うことで|っても|うのも))")

SAYING = frozenset("言う 云う 謂う 思う 叫ぶ 聞く 答える 呼ぶ 述べる 考える 書く".split())  # noqa: SIM905

OLD_SAYING = frozenset("ナル トシテ トシ トス トスル トセリ トイフ トイヘ トイヘリ トナス トナル トナリ トアル".split())  # noqa: SIM905

HOLDERS = frozenset(
    "ダイアログ ダイアログボックス ダイアローグ ダイヤログ ボタン メッセージ エラー アラート ポップアップ モーダル "  # noqa: SIM905
    "トースト バナー クーポン セール チェック 機能 派 "
    "ウィンドウ ウインドウ スナックバー プロンプト ツールチップ チェックボックス ラジオボタン "
    "テキストボックス プルダウン ドロップダウン リンク タブ ページ シリーズ メニュー アイコン フォーム ラベル パネル "
    "セクション コーナー キャンペーン コマンド オプション ステータス スレッド カテゴリ カテゴリー タグ バッジ プラン "
    "シール スタンプ ポスター チラシ 通知 欄 項目 文言 文字列 表記 旨 見出し 注意書き 吹き出し 貼り紙 張り紙 看板 "
    "標語 件名 形式 調 風 系 感 的 状態 編 版 篇 巻 号 展 賞".split()
)
"""Nouns for what shows or bears a message: ``「保存しますか？」ダイアログ`` is one phrase."""

MAY_HOLD = frozenset(
    "画面 表示 警告 案内 メール 文章 文 文字 記事 動画 番組 声 質問 問い 回答 返事 言葉 台詞 セリフ タイトル サイト "  # noqa: SIM905
    "ブログ イベント セミナー 講座 本 サービス モード コメント ボックス 部分 箇所 行 列 枠 ログ テキスト ダイヤル 運動 "
    "作戦 計画 企画 特集 連載 数 問題 疑惑 論争 路線 効果".split()
)
"""The same unless they are what the next sentence is about: ``「…？」画面で``, but ``「…だ。」画面が消える``."""


APPEARING = frozenset("出る 表示 出力 届く 来る 現れる 残る 流れる 鳴る 増える".split())  # noqa: SIM905
"""What is said to do so is the message, not something that the next sentence is about."""


def goes_on(text: str, place: int, *, is_closed: bool) -> bool:
    """Tell whether a Japanese sentence goes on at `place`, right behind its end mark and what belongs to that.

    Parameters
    ----------
    text : str
        Composed (NFC).
    place : int
    is_closed : bool
        A quote, a bracket or a tag closed behind the end mark: what follows may speak of it.

    Examples
    --------
    >>> goes_on("「え？」なんて言う", 4, is_closed=True), goes_on("「え？」なんでだ", 4, is_closed=True)
    (True, False)
    >>> goes_on("いいね！が増えた", 4, is_closed=False), goes_on("本当！がんばる", 3, is_closed=False)
    (True, False)
    """
    line_end = _LINE_END.match(text, place)
    if line_end:
        place = line_end.end()
    behind = _DASHES.match(text, place).end()  # type: ignore[union-attr]
    has_dash, place = behind > place, behind
    first = text[place : place + 1]
    if first and (first in "、，" or (first == "・" and not line_end) or (is_closed and first == "。")):
        return not has_dash
    if is_closed:
        if _CONNECTS.match(text, place):
            return True
        bracket = _BRACKET_AND_PARTICLE.match(text, place)
        if bracket:
            return text[bracket.end() : bracket.end() + 1] in "、，" or _is_particle(
                text, bracket.end(), is_closed=True
            )
    if not _JAPANESE.match(first) or (line_end and not is_closed and first not in "とをの"):
        return False
    if _is_particle(text, place, is_closed=is_closed):
        return True
    return is_closed and not line_end and not has_dash and _names_the_quote(_asked(text, place))


def goes_on_behind_gap(text: str, place: int, *, is_closed: bool) -> bool:
    """Tell the same of a place behind a blank, where only what cannot begin a sentence goes on."""
    if _BEHIND_GAP.match(text, place):
        return True
    if _DASHES.match(text, place).end() > place:  # type: ignore[union-attr]
        return goes_on(text, place, is_closed=is_closed)
    if not is_closed:
        return False
    if _CONNECTS.match(text, place):
        return True
    found = _ask(_asked(text, place)) if text[place : place + 1] in "がにではへも" else ()
    return (
        len(found) > 1
        and found[0].kind == "助詞"
        and found[0].finer in ("格助詞", "係助詞")
        and found[1].kind in ("動詞", "名詞", "形容詞", "形状詞")
        and not _CONNECTIVE.match(text, place)
    )


def is_said(text: str, place: int) -> bool:
    """Tell whether `place` says that what stands before was said: 「早く帰れ」。と言った."""
    return bool(_SAID.match(text, place))


def is_particle(text: str, place: int) -> bool:
    """Tell whether a particle or an auxiliary stands at `place`, be it behind a blank."""
    place += text[place : place + 1] in ("", " ", "\u00a0", "\u3000")
    return bool(_JAPANESE.match(text, place)) and _is_particle(text, place, is_closed=True)


def _asked(text: str, place: int) -> str:
    found = _ASKED.match(text, place)
    return found.group() if found else ""


def _is_particle(text: str, place: int, *, is_closed: bool) -> bool:
    words = _asked(text, place)
    if not words or _CONNECTIVE.match(words) or (not is_closed and _AND_PAUSE.match(words)):
        return False
    return _begins_with_particle(words, is_closed=is_closed)


@lru_cache(maxsize=1 << 14)
def _begins_with_particle(words: str, *, is_closed: bool) -> bool:
    """Tell whether the first word is a particle, an auxiliary or a suffix; katakana may be those of old statutes."""
    found = _ask(words)
    if not found:
        return False
    first, behind = found[0], found[1].surface if len(found) > 1 else ""
    if not is_closed and _is_word(words, first.surface):
        return False
    if first.kind == "助詞":
        if first.finer == "終助詞":
            return first.surface == "か" or (is_closed and (not behind or behind in "。！？!?"))
        if first.surface == "より" and len(found) > 1 and found[1].kind in ("形容詞", "形状詞", "副詞"):
            return False
        return first.finer != "接続助詞"
    if first.kind == "助動詞":
        return first.lemma in ("だ", "です", "らしい", "なり", "たり", "じゃ")
    if first.finer == "助動詞語幹":
        return True
    if first.kind == "接尾辞":
        is_adjective = first.finer in ("形容詞的", "形状詞的")
        return is_adjective or (is_closed and first.finest in ("一般", "サ変可能") and first.surface not in "君様")
    return is_closed and _is_katakana_particle(words, found)


def _is_word(words: str, particle: str) -> bool:
    """Tell whether a word in hiragana begins with what may be a particle: はやい, にげろ."""
    alone = morphemes(words)[0]
    return len(alone.surface) > len(particle) and alone.kind in ("形容詞", "動詞", "副詞", "形状詞", "名詞", "感動詞")


def _is_katakana_particle(words: str, found: tuple[Morpheme, ...]) -> bool:
    """Tell トハ, ト云フ and ﾄｲｯﾀ, which the dictionary does not know, from names."""
    run = _KATAKANA.match(unicodedata.normalize("NFKC", words))
    if not run:
        return False
    if run.group().rstrip("ヲハニモ") in OLD_SAYING:
        return True
    kana = "".join(chr(ord(letter) - 0x60) if letter < "ヷ" else letter for letter in run.group())
    if kana[0] == "と" and kana[1:] and morphemes(kana[1:])[0].lemma in SAYING:
        return True
    if found[0].lemma and found[0].kind != "記号" and len(found[0].surface) > 1:
        return False
    first, *others = _ask(kana)
    is_said = first.surface == "と" and bool(others) and others[0].lemma in SAYING
    return is_said or all(word.kind in ("助詞", "助動詞") for word in (first, *others[:1]))


@lru_cache(maxsize=1 << 14)
def _names_the_quote(words: str) -> bool:
    """Tell whether nouns stand here that name the quote before them: ダイアログで, 警告メッセージが."""
    katakana = _KATAKANA.match(words)
    if katakana and katakana.group() in HOLDERS:
        return True
    last = run = ""
    rest = list(_ask(words))
    while rest and rest[0].kind in ("名詞", "接頭辞", "接尾辞") and rest[0].finer != "固有名詞":
        morpheme = rest.pop(0)
        last = morpheme.surface
        run += last
        if last in HOLDERS or run in HOLDERS:
            return True
    is_told_of = bool(rest) and rest[0].surface in ("が", "は", "も")
    return last in MAY_HOLD and (not is_told_of or any(word.lemma in APPEARING for word in rest))


def _ask(words: str) -> tuple[Morpheme, ...]:
    """Give the morphemes of some words; behind a closing quote the first is not taken for a conjunction."""
    return morphemes("」" + words)[1:]
