r"""Characters that end sentences, open and close brackets, or belong to the character before them.

The sets are written for classes of regular expressions: ``f"[{WIDE}]"``.
"""

from __future__ import annotations

WIDE = "。｡！？．‼⁇⁈⁉﹒﹖﹗︒︕︖‽⸮⸼।॥۔؟؞։׃።፧፨។៕။᠃᠉།༎܀܁܂߹᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿᳓꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫"
"""What ends a sentence by itself: the marks of scripts that put no white space behind them, or do not abbreviate.

None is beyond the basic plane, which would make the engine look through the set one by one."""

ASCII = ".!?…‥"
"""What ends a sentence where white space or Japanese follows."""

GREEK = "Ͱ-Ͽἀ-῿"
"""Behind its letters a semicolon asks."""

BRACKETS = (
    "()[]{}「」『』（）【】〔〕［］｛｝〈〉《》〖〗〘〙〚〛｢｣〝〟﹁﹂﹃﹄＜＞⦅⦆｟｠≪≫“”«»‹›"
    "༺༻༼༽᚛᚜⁅⁆⁽⁾₍₎⌈⌉⌊⌋〈〉❨❩❪❫❬❭❮❯❰❱❲❳❴❵❛❜❝❞⌜⌝⟅⟆⟦⟧⟨⟩⟪⟫⟬⟭⟮⟯⦃⦄⦇⦈⦉⦊⦋⦌⦍⦎⦏⦐⦑⦒⦓⦔⦕⦖⦗⦘⧘⧙⧚⧛⧼⧽"
    "⸂⸃⸄⸅⸉⸊⸌⸍⸜⸝⸠⸡⸢⸣⸤⸥⸦⸧⸨⸩⹕⹖⹗⹘⹙⹚⹛⹜﴿﴾︗︘︵︶︷︸︹︺︻︼︽︾︿﹀﹇﹈﹙﹚﹛﹜﹝﹞"
)
"""Brackets and quotes that come in pairs, each closing one behind its opening one."""

AMBIGUOUS_CLOSERS = "≫»«›‹“"
"""What closes only where its other half stands open: signs, and quotes that others write the other way round."""

CLOSING_QUOTES = "".join(mark for mark in BRACKETS[1::2] if mark not in f")]}}”{AMBIGUOUS_CLOSERS}") + "〞"
"""What cannot begin a sentence, not even behind white space."""

CLOSING = CLOSING_QUOTES + "”’»›＂＇)}⁰-⁾¹²³†‡"
"""What belongs to an end mark right before it; superscripts and daggers are reference marks."""

SYMMETRIC = "*_~`\"'"
"""What opens and closes alike."""

CLOSED = CLOSING + SYMMETRIC + AMBIGUOUS_CLOSERS + ">"
CLOSED_QUOTES = "\"'”’」』"
OPENING = "「『（【〔［｛〈《〖〘〚“‘｢〝﹁﹃＜⦅｟≪⟨⟪⸨"

MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u20d0-\u20f0\u3099\u309a\ufe00-\ufe0f\u200d"
"""What belongs to the character before it: accents, voicing marks, variation selectors, joiners."""

BLANK = r"\s\x00-\x1f\x7f-\x9f\u200b\ufeff"
KANA_KANJI = "々〆〇ぁ-ゖゝ-ゟァ-ヺー-ヿ㐀-䶿一-鿿豈-龎ｦ-ﾟ\U00020000-\U000323af"

EMOJI = (
    "©®⌚⌛⌨⏏⏩-⏺Ⓜ▶◀☀-☄☎☔-☘☝☠-☦☪☮☯☸-☺♈-♓♟♠♣♥♦♨♻♾♿⚒-⚗⚙⚛⚜⚠⚡⚧⚪⚫⚰⚱⚽⚾⛄⛅⛈⛎⛏⛑⛓⛔⛩⛪⛰-⛵⛷-⛺⛽"
    "✂✅✈-✍✏✒✔✖✝✡✨✳✴❄❇❌❎❓-❕❗❣❤➕-➗➰➿⤴⤵⬛⬜⭐⭕♡♩-♯"
)
PICTURES = "\U0001f000-\U0001faff"

"""Pictures, hearts and notes, in two sets, for the engine is slow in one that is half beyond the basic plane. Not
what begins an item of a list: stars, boxes, bullets, arrows, numbers in circles."""
