r"""What may follow an end mark and still belongs to the sentence before it.

That is one rule: the mark's own kind (further marks, closing brackets and quotes, closing tags), and then whatever
*hangs on*, on the same line, with or without a blank: reference marks in every form that converters write, emoji and
emoticons, laughs, and notes in brackets. A note or a mark that a particle follows is no hanger but a word of the next
sentence (``[1]を押す``), which is for `chunkscope.structure.sentences` to ask.

Patterns are written so that nothing is read twice: their repetitions are possessive or bounded.
"""

from __future__ import annotations

from chunkscope.structure.marks import (
    AMBIGUOUS_CLOSERS,
    ASCII,
    BLANK,
    CLOSING,
    CLOSING_QUOTES,
    EMOJI,
    GREEK,
    KANA_KANJI,
    MARKS,
    OPENING,
    PICTURES,
    SYMMETRIC,
    WIDE,
)
from chunkscope.structure.patterns import lazily

_GAP = "(?:[ \t\u00a0\u3000]|&nbsp;)"
_DIGIT = "[0-9０-９]"
_LINE_ENDS = r"(?=[^\S\r\n]*+(?:[\r\n]|\Z))"
_WORD_ENDS = rf"(?![A-Za-z0-9{KANA_KANJI}_/=(\-])"

# --- the mark's own kind ----------------------------------------------------------------------------------------------

_PLAIN_REFERENCE = r"\\?\[\^?[0-9]|<sup\b|\^[\[0-9]|【[0-9]"
# ASCII marks that follow an end mark: not an image ![, and behind a wide mark nothing that begins a word, such as .env
_FURTHER = r"(?:[.…‥?]|!(?!\[))++"
_ASCII_MARKS = rf"(?=[{ASCII}])(?:(?<=[{ASCII}]){_FURTHER}|(?<=[！？])(?:\?|!(?!\[))++|{_FURTHER}(?![A-Za-z0-9/_]))"
# marks, closing brackets and tags, Japanese ones even behind white space, the rest of a link, a backslash that breaks
# the line, and an ellipsis ". . ."
_OWN = (
    rf"(?:[{WIDE}…‥{MARKS}{CLOSING}]++|{_ASCII_MARKS}|[{SYMMETRIC}]++(?=[{CLOSING}{BLANK}\]]|\Z|{_PLAIN_REFERENCE})"
    rf"|\]\([^()\s]*+\)|\]\[[^\[\]\r\n]{{0,80}}+\]|\](?![(\[>])|\]\]>"
    rf"|[{BLANK}]++(?=[{CLOSING_QUOTES.replace('＞', '')}])"
    rf"|</[A-Za-z]\w{{0,10}}>|\\(?=[\r\n])"
    rf"|(?:[ \u00a0]\.){{2,200}}+(?![^{BLANK}{CLOSING}{SYMMETRIC}])){{0,50}}+"
)

# --- reference marks --------------------------------------------------------------------------------------------------


def _any(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


_NUMBER = (
    r"(?:(?:注釈?|註|脚注|参考文献|文献|出典|資料|[Nn]otes?|[Nn]b|[Rr]efs?\.?|[Ss]ources?:?|doc|fn|[Nn]\.|[※＊*†#])"
    r"[ \u00a0]?)?"
    rf"{_DIGIT}{{1,3}}(?![{KANA_KANJI}%％])"
)
_NUMBERS = rf"{_NUMBER}(?:[ \u00a0]?[,、，;；–—‐~〜～\-][ \u00a0]?{_NUMBER}){{0,20}}+"
# what editors of an encyclopedia put behind a claim
_EDITORIAL = (
    _any(
        r"[A-Za-z][a-z -]{1,40} needed",
        r"[a-z ]{2,40}\?",
        r"sic!?|dubious[^\[\]\r\n]{0,20}|(?:permanent )?dead link|failed verification|original research",
        r"unreliable source|disputed|vague|weasel words|not in citation given|update",
        rf"要[{KANA_KANJI}]{{1,12}}[?？]?(?:[ –―-]{{1,3}}ノート)?|[{KANA_KANJI}]{{1,8}}[?？]",
        r"(?:來源|来源)(?:請求|请求)|需要(?:引用|來源|来源)|원본 연구|출처 필요",
        r"出典(?:無効|不明|なし)|信頼性要検証|検証(?:不能|失敗)|独自研究|疑問点|訳語疑問点|(?:永久)?リンク切れ|デッドリンク",
    )
    + r"(?:[ ,（(][^\[\]\r\n]{0,30})?"
)
_INSIDE = _any(
    r"\^[^\[\]\s]{1,64}",
    r"(?:see )?-?@[^\[\]\r\n]{1,120}",
    _NUMBERS,
    r"[a-zα-ω*†‡§¶]{1,2}",
    r"pp?\. ?[0-9]{1,4}(?:[–-][0-9]{1,4})?",
    rf"[*_]{{0,2}}{_EDITORIAL}[*_]{{0,2}}",
    rf"{_DIGIT}[0-9:]{{0,6}}†[^\[\]【】\r\n]{{0,80}}",
)
_ATTRIBUTES = r"(?:\{[#.:][^{}\r\n]{0,100}\})?"
_TARGET = r"(?:\((?:[^()\s]|\([^()\s]{0,200}\)){0,500}+(?:\s\"[^\"\r\n]{0,100}\")?\)|\[[^\[\]\r\n]{0,80}\])"
_SUPERSCRIPT = r"<sup\b[^<>]{0,200}+>(?:[^<]|<(?!/?sup\b)){0,500}+</sup>"
_SIGN = r"[↩↑^*†‡§¶⏎][\ufe0e\ufe0f]?"
_LINK_TEXT = _any(
    rf"\\?\[{_INSIDE}\\?\]",
    rf"\^?\\?\[?{_NUMBERS}\\?\]?\^?",
    _SUPERSCRIPT,
    r"[⁰¹²³⁴-⁹⁽⁾]{1,6}",
    _SIGN,
    "note|source|出典",
)
_INLINE = r"(?:sup|a|small|span|b|i|em|u|font|cite)"
_OPEN_TAG = rf"<{_INLINE}\b(?:[^<>\"']|\"[^\"<>]{{0,300}}+\"|'[^'<>]{{0,300}}+'){{0,100}}+>"
_TAGGED = _any(
    rf"[\[［(（]?{_NUMBERS}[\]］)）]?", rf"[\[［]{_INSIDE}[\]］]", rf"\\\[{_NUMBERS}\\\]", _SIGN, _SUPERSCRIPT
)
_FOOTNOTE_ID = r"(?:(?:cite_|fn|_ftn|_edn|user-content-fn)[^()\s]{0,100}|(?:foot|end)?(?:note|ref)[^()\s]{0,30}[0-9])"
_STAR = r"[※＊]"
_REFERENCE = _any(
    # [1], [^1], [note 2], [citation needed], \[3\]; [12]:34 of MediaWiki, [1]_ of reStructuredText
    rf"\\?\[{_INSIDE}\\?\](?!\(|\.\s|\[(?!{_INSIDE}\]))"
    rf"(?:_(?!\w)|: ?(?:pp?\. ?)?[0-9]{{1,4}}(?:[–-][0-9]{{1,4}})?(?![0-9]))?{_ATTRIBUTES}",
    # whatever stands in brackets right behind a full stop, with a blank behind: .[réf. nécessaire], .[Smith 2004], .(1)
    r"(?:(?<=[^\W_][.!?])|(?<=[.!?][\"'”’»)]))(?:\[[^\[\]\r\n]{1,60}\](?![(\[:])"
    rf"|\({_NUMBERS}\))(?=[^\S\r\n]++[^(\s]|[^\S\r\n]*+(?:[\r\n]|\Z))",
    rf"\[#?[\w.-]{{1,40}}\]_(?!\w)|&#91;{_NUMBERS}&#93;",
    # [3](#cite_note-3), [[3]](…), [\[3\]](…), [*citation needed*](…), and whatever links to a footnote
    rf"\[{_LINK_TEXT}\]{_TARGET}{_ATTRIBUTES}",
    rf"\\?\[[*_]{{0,2}}\[[*_]{{0,2}}{_EDITORIAL}[*_]{{0,2}}\]{_TARGET}[*_]{{0,2}}\\?\]",
    rf"\[[^\[\]\r\n]{{0,60}}\]\(#{_FOOTNOTE_ID}\){_ATTRIBUTES}",
    r"\[\]\{[#.][^{}\r\n]{0,100}\}",
    # <sup>…</sup>, <a href="#n3">[3]</a>, empty anchors, <ref>…</ref>
    _SUPERSCRIPT,
    rf"(?:{_OPEN_TAG}){{1,4}}+{_TAGGED}?(?:</{_INLINE}>){{1,4}}+",
    r"<ref\b[^<>]{0,200}+(?<=/)>|<ref\b[^<>]{0,200}+>(?:[^<]|<(?!/?ref\b)){0,1000}+</ref>",
    # ^3^ and inline notes of pandoc, {{citation needed}}, \footnote{…}, $^{1}$, footnote:[…] of AsciiDoc
    r"\^[^\^\s]{1,60}\^|\^\[(?:[^\[\]\r\n]|\[[^\[\]\r\n]{0,100}\]){1,500}+\](?!\^)",
    r"\{\{\s?(?:要|[Cc]it|[Cc]n\b|[Ff]act|[Rr]efn?\b|[Ee]fn|[Ss]fn|[Rr]p?\||[Dd]ubious|[Ww]h|いつ|誰|どこ|出典|独自)"
    r"[^{}\r\n]{0,300}\}\}",
    r"~?\\(?:foot|end|cite|parencite|autocite|textsuperscript)[a-z]{0,10}\*?(?:\[[^\[\]\r\n]{0,100}\]){0,2}"
    r"(?:\{[^{}\r\n]{0,400}\})?",
    r"\$\{?\}?\^\{?[^$\s]{1,20}\$|footnote:[\w-]{0,30}\[[^\[\]\r\n]{1,400}\]",
    # 〔1〕, 【3†source】, （注1）, ［要出典］; with a full stop behind they are labels
    rf"(?:〔{_NUMBERS}〕|［{_INSIDE}］|【{_DIGIT}[0-9:]{{0,8}}†[^【】\r\n]{{0,80}}】|【{_NUMBERS}】|〈{_NUMBERS}〉)(?![.．])",
    rf"[（(](?:注釈?|註|脚注|文献|[※＊*†])[ \u00a0]?{_DIGIT}{{1,3}}"
    rf"(?:[,、，〜～-][ \u00a0]?(?:注釈?|[※＊*])?{_DIGIT}{{1,3}}){{0,9}}[）)]",
    r"[（(][※＊*†][）)]",
    # ※1, ＊２, 注1): not what begins a note, ※1：…
    rf"{_STAR}{_DIGIT}{{1,3}}(?![0-9０-９％%:：.．)）])(?:[,、，・]{_STAR}?{_DIGIT}{{1,3}}(?![0-9０-９])){{0,9}}+",
    rf"\*{_DIGIT}{{1,2}}(?![\w*%]|[.:：])",
    rf"(?:注釈?|註){_DIGIT}{{1,3}}[)）]?(?![0-9０-９:：.．{KANA_KANJI}%％])",
    rf"{_STAR}(?:[①-⑳]|{_LINE_ENDS})",
)

# --- what shows a mood ------------------------------------------------------------------------------------------------

_PICTURE = _any(
    rf"[{EMOJI}{PICTURES}][{MARKS}\U000e0020-\U000e007f]*+(?:(?<=\u200d)[\u2190-\u27bf{PICTURES}][{MARKS}]*+)*+",
    r"[0-9#*]\ufe0f?\u20e3",
    r":[+a-z][a-z0-9_+-]{1,30}:(?![\w:])",
)
_PICTURES = rf"{_PICTURE}++"
_EYES = r"\^＾´｀`・゜ﾟ°≧≦><＞＜▽∀ωдД；;￣_＿◕‿˘ᴗ･"
_FACE = _EYES + r"*～〜－ー\-.。'’=＝@●○◎ˇ☆♪♡ﾉノｪェσTtOoｏ0QuUvVxXnщ≡∩つっ 　゚┃|/／\\＼"
_KAOMOJI = (
    rf"[mMdbヾヽ＼\\oｏ٩ლ＿_]{{0,2}}[（(](?=[^（()）]{{0,12}}[{_EYES.replace('・゜ﾟ°', '')}])[{_FACE}]{{2,14}}[）)]"
    r"[mMdbﾉノシ／/゛ゞoｏ۶ლ♪☆♡♥!！=３3]{0,3}"
)
_EMOTICON = _any(
    rf"(?:[:;=][-o^'’]?(?:[)(\]\[DPpOo3|]{{1,3}}|/(?!/))|[xX]D+|<3+|[TQ][_.][TQ]|[oO]_[oO]|orz|OTZ){_WORD_ENDS}",
    r"\^[_.\-]?\^[;；]{0,2}|>[_.]<|-[_.]-[;；]{0,2}|¯\\?\\_\(ツ\)\\?_/¯|[（(][\^＾]{2}[♪；;]",
    _KAOMOJI,
)
_LAUGH = _any(
    r"(?:[wｗ]{1,30}|[WＷ]{2,30}|lol|LOL|lmao|LMAO|haha(?:ha)*+|rofl)(?![A-Za-z0-9_/=.(\-’'])",
    rf"(?:笑|草|汗|泣|爆|涙|怒|藁){{1,10}}+(?=[{BLANK}。．！？、，」』）\)]|\Z)",
)

# --- notes ------------------------------------------------------------------------------------------------------------

_LABEL = _any(
    rf"{_DIGIT}{{1,3}}|[{KANA_KANJI}]|[A-Za-zＡ-Ｚａ-ｚⅠ-ⅿ①-⑳]{{1,2}}|[一二三四五六七八九十]{{1,3}}|[ivx]{{1,5}}",
    rf"[{KANA_KANJI}]{{0,2}}(?:例|案|問|答|その|ケース|パターン|種){_DIGIT}{{0,2}}",
    "仮称|通称|旧称|備考|参考|補足|注意|注記|質問|回答|理由|結論|要旨|趣旨|定義|目的|新設|任意|必須|推奨|重要",
)
# what ends in a particle, and what is long and ends in a verb, goes with what follows: (終端の null を含む) 文字列
_NOUN_ENDS = r"(?<=[一-龥ァ-ヺー0-9０-９りし」』][）)])"
_SHORT = rf"(?<![のなにはたてをがとでもや、][）)]){_any(*(rf'(?<=[（(].{{{length}}}[）)])' for length in range(2, 9)))}"
_NOT_ENDED = "(?![。．.！？!?｡])"
_NOTE = _any(
    rf"[（(](?!{_LABEL}[）)])(?=[^（）()\r\n]{{0,60}}[{KANA_KANJI}])"
    r"(?:[^（）()\r\n。．！？!?｡]|[（(][^（）()\r\n]{0,30}[）)]){2,80}+[）)]"
    rf"{_NOT_ENDED}(?:{_NOUN_ENDS}|{_SHORT}|{_LINE_ENDS})",
    rf"〔(?=[^〔〕\r\n]{{0,60}}[{KANA_KANJI}])[^〔〕\r\n。．！？!?｡]{{2,80}}+〕{_NOT_ENDED}",
    rf"[（(](?:[笑泣汗涙爆怒驚藁]|{_PICTURES})[）)]",
    r"\((?i:laugh(?:ter|s|ing)?|applause|cheer(?:s|ing)|pause|silence|crosstalk|inaudible|emphas[ie]s [a-z ]{3,30}"
    r"|(?:citations?|footnotes?|notes?) omitted|internal [a-z ]{5,40}|translat[a-z]{2,3} [^()\r\n.!?]{2,40})\)",
    r"\((?:see (?:above|below|[^()\r\n.!?]{2,40})|sic)\)",
    r"[\[［](?i:laughter|laughs|applause|cheer(?:s|ing)|music|inaudible|crosstalk|拍手|笑い?|音楽|沈黙)[\]］](?!\()",
)

_COMMENT = rf"(?:<!--(?:[^-]|-(?!->)){{0,2000}}+-->|\{{/\*(?:[^*]|\*(?!/)){{0,2000}}+\*/\}}){_LINE_ENDS}"
_STARS = rf"[★☆]{{1,3}}(?={_GAP}|[\r\n]|\Z)"

_HANGER = _any(_REFERENCE, _PICTURES, _EMOTICON, _LAUGH, _NOTE, _STARS, _COMMENT)
# most end marks are followed by none of these, which one look at what follows tells
_MAY_HANG = (
    rf"(?=[\[\\&（(〔【［〈<^{{$~※＊*注註:;=>¯笑草汗泣爆涙怒藁ヾヽ＼＿٩ლ★☆{EMOJI}]|[{PICTURES}]|[wｗWＷ]++(?![A-Za-z0-9_])"
    r"|[xX]D|[TQ][_.]|[oO]_|orz|OTZ|lol|LOL|lmao|LMAO|haha|rofl|[mMdboｏ_]\(|footnote:|-[_.]-|[0-9#]\ufe0f)"
)
# reference marks in a row may be parted by commas
_HANGING = rf"(?:(?:(?<=[\])>^0-9])[,、，;–-](?=[ \[※＊<^\\]))?{_GAP}*+{_MAY_HANG}{_HANGER}{_OWN}){{0,50}}+"

# --- what cannot begin a sentence -------------------------------------------------------------------------------------

# white space, closing tags, and at the end of a line '>', ':::' and a heading's {#name}; no end mark may stand at the
# end of a name, or each of thousands in a row would be read again from each end mark
_BLANKS = (
    rf"[{BLANK}]*+(?:(?:<[bB][rR]\s*/?>|-->|</[A-Za-z][\w.-]{{0,20}}+(?<!\.)>|&nbsp;"
    r"|(?:>[ \t>]*+|:{3,8}+[ \t]*+|\{(?:#[\w.:-]{1,100}+(?<!\.)|/\*[\w.:-]{1,100}+\*/)\}[ \t]*+)(?=[\r\n]|\Z))"
    rf"[{BLANK}]*+)*+"
)

_REST = rf"{_OWN}(?:(?={_GAP}*+{_MAY_HANG})(?P<hanger>))?+(?P<blanks>){_BLANKS}"

ENDING = lazily(
    rf"[{WIDE}{ASCII};](?<![^{GREEK}];)(?<![{WIDE}{ASCII}][{WIDE}{ASCII}])(?<![{WIDE}{ASCII}][{MARKS}][{WIDE}{ASCII}])"
    rf"(?:(?<=[{WIDE}])|(?<=[{KANA_KANJI}〜～{CLOSING}][{ASCII}])"
    rf"|(?={_OWN}(?:[{BLANK}{KANA_KANJI}{OPENING}{AMBIGUOUS_CLOSERS}]|<[bB][rR]\b|&nbsp;|{_MAY_HANG})))"
    rf"{_REST}"
)
"""An end mark, the first of its run, and what is of its own kind. The match ends where a sentence would start,
``blanks`` starts behind the marks, and ``hanger`` is set where something may hang on, for `HANGING` to tell."""

REST = lazily(_REST)
"""The same from behind the mark, or behind a closing mark that was looked for by itself."""

BLANKS = lazily(_BLANKS)

HANGING = lazily(_HANGING)
"""All that hangs on, one behind the other; it takes a tenth of a second to build."""

PICTURES_IN_A_ROW = lazily(rf"(?:{_GAP}*+{_PICTURES})++")
"""Emoji in a row."""
