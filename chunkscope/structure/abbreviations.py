"""English words that a full stop does not end, and words that a sentence starts with."""

# ruff: noqa: SIM905  words in a row are easier to read and to add to than a list of literals

from __future__ import annotations

ALWAYS_GO_ON = frozenset(
    "p.s e.g i.e eg ie cf vs v viz approx ca resp incl esp p pp fig figs eq eqs "
    "z.b d.h z.bsp i.d.r s.o s.u ee fa sig dott dra sra "
    "bzw vgl inkl lt gem geb ggf evtl sog bspw zzgl abzgl insb hrsg bijv np т.е напр".split()
)
"""A sentence goes on behind them whatever follows."""

TITLES = frozenset(
    "dr drs mr mrs ms mx prof rev hon gov gen col maj capt cmdr lt sgt cpl pvt adm sen rep pres supt insp det msgr "
    "messrs mme mmes mlle sra srta ste asst mt ft hr fr dipl ing dott sig sigg dra dña exec dhr mevr доц проф".split()
)
"""A name follows. Only with a capital: 'ft.' is a measure."""

BEFORE_NUMBERS = frozenset(
    "no nos n° nº nr vol vols ch chap sec sect art ver app tab ed par para pt apt ext tel est max ref refs doc "
    "docs bldg rm chaps n ex exs exh fn nn tit subd reg regs supp cir pub stat rev cl sched bk ll arts paras id "
    "ibid supra amend const memo eqn eqns thm lem prop defn def cor alg bsp abschn abb abt abs bd kap ziff zif anm "
    "núm num pág págs cap fasc стр рис табл гл jan feb mar apr jun jul aug sept sep oct nov dec".split()
)
"""A sentence goes on if a number follows: 'No. 5', but 'She said no. He left.'"""

MAY_END = frozenset("inc ltd co corp bros al sp spp mio mrd tsd mill jh std sek usw etc u.a".split())
"""They stand inside sentences and at their ends: the next word decides."""

MAY_END_IF_CAPITAL = frozenset(
    "proc phys chem biol lett sci natl acad stat "
    "jr sr esq st dept univ assn av ave blvd rd hwy "
    "jan feb mar apr jun jul aug sept sep oct nov dec mon tue tues wed thu thur thurs fri sat sun "
    "ariz calif colo conn fla ga ill ind kan mass mich minn mo okla ore pa tenn tex va wash wis".split()
)
"""As `MAY_END`, but words of their own without a capital: 'He sat.'"""

CITED = frozenset(
    "fed reg supp pub cir cong rec educ bd civ crim evid bankr app div ann ry mfg bhd ct sup dist cl cas ins mut sav "
    "gen com comm comms adm admin int intl nat tit code cons envtl transp auth dev indus assoc soc pt pl ed edn l laws "
    "stat proc rev j cal tex fla ill mass mich minn pa va wash wis ariz conn ga ind kan mo okla ore tenn vt wyo no op "
    "att rptr harv yale stan colum so memo const amend bus prob lab corr tr trib mun cnty dep hist am jur exec".split()
)
"""Words of citations: a sentence goes on between two of them, and before a number: 66 Fed. Reg. 100."""

LABEL_WORDS = (
    "Step Section Sec Article Art Chapter Part Item Note Rule Question Figure Fig Table Box Listing Appendix Annex "
    "Exhibit Schedule Clause Paragraph Theorem Lemma Definition Proposition Corollary Example Exercise Remark Problem "
    "Algorithm Equation Phase Case Day Week"
).split()
"""A sentence that is one of these and a number is a label: 'Step 1. Close the valve.'"""

NAMES_WITH_MARKS = frozenset("yahoo yum jeopardy".split())
"""Names that are written with an exclamation mark."""

SENTENCE_OPENERS = (
    "A After All Also Although An And Another Any Are As At Because Before Both But By Can Could Did Do Does During "
    "Each Even Every Everyone Everything Finally First For From Had Has Have He Hence Her Here His How However I If "
    "In Instead Is It Its Let Many Meanwhile Most My Nearly Neither Next No Not Note Now On Once One Only Or Other "
    "Others Our Perhaps Please See She Should Since So Some Such That The Their Then There Therefore These They This "
    "Those Though Thus To Today Tomorrow Under Unlike Until Use Was We Were What When Where Whether Which While Who "
    "Why With Would Yesterday Yet You Your "
    "Der Die Das Er Es Sie Wir Ich Ein Eine Dann Danach Damit Il Elle Nous Vous Ils"
).split()
"""A capitalised word that hardly ever belongs to a name."""

LOWER_CASE_OPENERS = "he however i it she that the there these they this those we you".split()
"""The same where all is written in lower case, and 'in' or 'as' tells nothing."""

ORDINALS_PRECEDE = (
    "der die das dem den des am im vom zum zur beim bis seit ab ins jeder jede jedes ein eine einen".split()
)
"""A number with a full stop behind one of these is an ordinal: am 3. Juni, im 19. Jahrhundert."""

ORDINALS_FOLLOW = (
    "Januar Jänner Februar Feber März Mai Juni Juli Oktober Dezember Jahrhundert Jh Auflage Weltkrieg Klasse Stock "
    "Geburtstag Kapitel Absatz Bundesliga Platz Runde Semester Quartal Etage Lebensjahr Spieltag".split()
)
"""A number with a full stop before one of these is an ordinal."""
