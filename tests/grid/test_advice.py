"""The advice of a sweep: which cell, why none, what prepending would mend, and how many tokens its chunks have."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import choice as slow
from oracle.damage import find_damage
from oracle.lengths import index_texts
from oracle.units import Tape
from reports.test_schema import STRICT
from worlds import chunkers, corpora, labels_of, plain, plain_questions, questions_of, settings_of

from chunkscope import Document, Question, check_labels, read_corpus, read_questions, sweep
from chunkscope.chunkers import parse_chunker
from chunkscope.corpus import demo_path
from chunkscope.errors import ConfigError
from chunkscope.grid import remedies
from chunkscope.grid.advice import FLOOR, START, NoAdvice, Tolerance, advise, harm, largest_chunk
from chunkscope.grid.limits import UNNAMED, ModelLimit
from chunkscope.grid.lines import lines_of
from chunkscope.grid.notation import Grid, GridRow, parse_overlaps
from chunkscope.grid.plan import SweepPlan
from chunkscope.grid.results import Cell, ChunkTokens, CorpusInfo, QuestionsInfo, SweepResult
from chunkscope.measures.lengths import LengthCounts
from chunkscope.reports.json_report import to_json

KINDS = ("sentences", "code_blocks", "headings", "table_rows")
WAYS = ["fixed", "sentence", "heading(merge=true)", "heading", "token", "fixed(prepend=headings)"]


def as_the_oracle_sees_them(result, limit, kinds=()):
    """The cells of a result as plain data; lines are those of the first notation that makes a cell."""
    lines, found = {}, []
    for cell in result.cells:
        making = [
            one
            for one in result.settings["overlaps"]
            if cell.size and parse_overlaps(one)[0].at(cell.size) == cell.overlap
        ]
        line = lines.setdefault((cell.chunker, cell.unit, making[0] if making else cell.overlap), len(lines))
        lost = [getattr(cell, kind) - getattr(cell, f"{kind}_whole") for kind in kinds]
        if not kinds:
            expected = cell.expected_split_questions or 0
            lost = [min(cell.harmed_questions + max(0, expected - cell.split_questions), cell.questions)]
        largest = largest_chunk(cell, limit)
        found.append(
            slow.Cell(
                line, cell.size or 0, largest <= limit.limit, cell.chunk_characters, cell.chunks, False, tuple(lost)
            )
        )
    return found


grids = st.fixed_dictionaries(
    {
        "chunkers": st.lists(st.sampled_from(WAYS), min_size=1, max_size=3, unique=True),
        "sizes": st.lists(st.integers(2, 40), min_size=1, max_size=5, unique=True),
        "overlaps": st.permutations(["0", "1/6", "1"]),
    }
)
limits = st.sampled_from([UNNAMED, ModelLimit(30), ModelLimit(15), ModelLimit(12, "cl100k_base"), ModelLimit(20, None)])


@given(corpora(), st.data(), grids, limits, st.sampled_from(["2%", "0", "1", "50%"]))
@settings(max_examples=80)
def test_the_floor_is_that_of_the_loops(corpus, data, grid, limit, tolerance):
    questions = data.draw(questions_of(corpus))
    result = sweep(corpus, labels_of(questions), **grid, model_limit=limit, tolerance=tolerance)
    cells = as_the_oracle_sees_them(result, limit)
    advice = result.advice
    if not questions or not any(cell.fits for cell in cells):
        assert isinstance(advice, NoAdvice)
        return
    may = float(tolerance) if "%" not in tolerance else float(tolerance[:-1]) / 100 * len(questions)
    chosen = slow.floor(cells, may)
    assert (advice.kind, advice.key) == (FLOOR, result.cells[chosen].key)
    assert (advice.of, advice.tolerance) == (len(questions), pytest.approx(may))
    assert advice.own_loss == pytest.approx(cells[chosen].losses[0])
    assert advice.loss == pytest.approx(slow.counted(cells, chosen))
    assert advice.least_loss == pytest.approx(min(slow.counted(cells, place) for place in slow.candidates(cells, 0)))
    assert advice.least_loss <= advice.loss <= advice.least_loss + may + 1e-6
    assert advice.largest == largest_chunk(result.cells[chosen], limit) <= advice.limit


@given(corpora(), grids, limits)
@settings(max_examples=80)
def test_the_start_is_that_of_the_loops(corpus, grid, limit):
    result = sweep(corpus, **grid, model_limit=limit)
    kinds = [kind for kind in KINDS if getattr(result.cells[0], kind)]
    cells = as_the_oracle_sees_them(result, limit, kinds)
    advice = result.advice
    if not kinds or not any(cell.fits for cell in cells):
        assert isinstance(advice, NoAdvice)
        return
    totals = [getattr(result.cells[0], kind) for kind in kinds]
    chosen = slow.start(cells, totals)
    assert (advice.kind, advice.key, advice.of, advice.tolerance) == (START, result.cells[chosen].key, None, None)
    shares = [slow.counted(cells, chosen, number) / total for number, total in enumerate(totals)]
    assert advice.loss == pytest.approx(max(shares))
    own = [lost / total for lost, total in zip(cells[chosen].losses, totals, strict=True)]
    assert advice.own_loss == pytest.approx(max(own))


@pytest.fixture(scope="module", params=["ja", "en"])
def demo(request):
    folder = demo_path(request.param)
    return read_corpus(folder / "docs"), read_questions(folder / "questions.jsonl")


def test_from_the_floor_of_a_demo_on_no_size_of_its_line_harms_a_question(demo):
    result = sweep(*demo)
    advice = result.advice
    [line] = [line for line in lines_of(result) if advice.key in [cell.key for cell in line.cells]]
    larger = [cell for cell in line.cells if (cell.size or 0) >= (advice.size or 0)]
    assert [harm(cell) for cell in larger] == [pytest.approx(0, abs=0.5)] * len(larger)
    assert (advice.kind, advice.least_loss) == (FLOOR, 0)
    [cell] = [cell for cell in result.cells if cell.key == advice.key]
    cheaper = [one for one in result.cells if one.chunk_characters < cell.chunk_characters and not harm(one)]
    assert not [one for one in cheaper if one.size is None]  # a way with one cell needs no larger ones


def test_the_start_of_a_demo_cuts_at_most_one_in_twenty_of_each_kind(demo):
    result = sweep(demo[0])
    [cell] = [cell for cell in result.cells if cell.key == result.advice.key]
    for kind in KINDS:
        total = getattr(cell, kind)
        assert total - getattr(cell, f"{kind}_whole") <= max(total / 20, 1), kind


@pytest.mark.parametrize("asked", [True, False])
def test_what_prepending_would_mend_is_what_a_sweep_of_it_counts(demo, asked):
    corpus, questions = demo
    grid = {"sizes": [150, 180, 210], "overlaps": [0]}
    result = sweep(corpus, questions if asked else None, chunkers="fixed", **grid)
    advice = result.advice
    plain_cell = result.cell(advice.size, advice.overlap)
    assert [one.prepend for one in advice.remedies] == ["table-header", "front-matter:status"]
    for remedy in advice.remedies:
        other = sweep(corpus, questions if asked else None, chunkers=f"fixed(prepend={remedy.prepend})", **grid)
        [cell] = [cell for cell in other.cells if (cell.size, cell.overlap) == (advice.size, advice.overlap)]
        assert remedy.times == cell.chunk_characters / plain_cell.chunk_characters
        assert remedy.largest == cell.lengths.longest
        assert remedy.fits
        if remedy.what == "status":
            counts = plain_cell.unmarked_chunks, cell.unmarked_chunks, cell.status_chunks
        elif asked:
            counts = plain_cell.harmed_questions, cell.harmed_questions, cell.questions
        else:
            counts = *(one.table_rows - one.table_rows_with_header for one in (plain_cell, cell)), cell.table_rows
        assert (remedy.before, remedy.after, remedy.of) == counts
        assert remedy.after < remedy.before
    assert advice.prepend == "table-header+front-matter:status"
    assert {one.what for one in advice.remedies} == {"questions" if asked else "rows", "status"}


TABLE = "---\nstatus: abolished\n---\n\n| item of the list | price |\n|---|---|\n" + "| tea and more tea | 120 |\n" * 12
HEADER = len("| item of the list | price |\n|---|---|") + 1
STATUS = len("status: abolished") + 1


@pytest.mark.parametrize(
    ("room", "fitting", "prepend"),
    [
        (HEADER + STATUS, ["table-header", "front-matter:status"], "table-header+front-matter:status"),
        (HEADER + STATUS - 1, ["table-header", "front-matter:status"], "table-header"),
        (HEADER, ["table-header", "front-matter:status"], "table-header"),
        (HEADER - 1, ["front-matter:status"], "front-matter:status"),
        (STATUS - 1, [], None),
    ],
)
def test_only_what_fits_into_the_model_is_added(room, fitting, prepend):
    size = 54  # two rows
    result = sweep([Document("a.md", TABLE)], chunkers="sentence", sizes=[size], overlaps=[0], model_limit=size + room)
    assert [one.prepend for one in result.advice.remedies if one.fits] == fitting
    assert result.advice.prepend == prepend
    if prepend:
        chunker = dataclasses.replace(parse_chunker(f"sentence(size={size})"), prepend=tuple(prepend.split("+")))
        assert sweep([Document("a.md", TABLE)], chunkers=[chunker]).cells[0].lengths.longest <= size + room


def test_a_chunker_that_prepends_already_has_nothing_to_add():
    result = sweep([Document("a.md", TABLE)], chunkers="sentence(prepend=table-header+front-matter:status)", sizes=[60])
    assert (result.advice.remedies, result.advice.prepend) == ((), None)


def test_why_there_is_no_advice():
    one = Document("a.md", "一つ目の文です。二つ目の文です。")
    grid = {"chunkers": "fixed", "sizes": [9, 12], "overlaps": [0]}
    unanswerable = [Question.of("q1", evidence=[])]
    reasons = {
        "the grid has no cell": advise(SweepResult({}, CorpusInfo("", 0, 0), None, ())),
        "no cell fits: the smallest of the largest chunks has 9 characters, the limit is 5": sweep(
            [one], **grid, model_limit=5
        ).advice,
        "no cell fits: the smallest of the largest chunks has 8 cl100k_base tokens, the limit is 2": sweep(
            [one], **grid, model_limit=ModelLimit(2, "cl100k_base")
        ).advice,
        "the documents have nothing that could be cut in two": sweep([Document("a.md", "\n\n")], **grid).advice,
        "no question has evidence to look at": sweep([one], unanswerable, **grid).advice,
    }
    for reason, found in reasons.items():
        assert found == NoAdvice(reason)
        assert not found
        assert found.to_dict() == {"advice": None, "advice_reason": reason}


def test_without_questions_that_can_be_judged_nothing_else_is_advised():
    result = sweep([Document("a.md", TABLE)], [Question.of("q1", evidence=[])], chunkers="fixed", sizes=[20])
    assert (result.worst, result.tokens, result.limit) == ((), None, UNNAMED)


@given(corpora(), st.lists(chunkers(), min_size=1, max_size=3, unique=True), st.integers(1, 30))
@settings(max_examples=60)
def test_chunks_fit_by_the_tokens_of_their_texts_to_index(corpus, found, most):
    limit = ModelLimit(most, "cl100k_base")
    result = sweep(corpus, chunkers=just(*found), model_limit=limit)
    for cell, chunker in zip(result.cells, found, strict=True):
        assert largest_chunk(cell, limit) == max(token_counts(corpus, chunker), default=0)


def just(*found):
    """A grid of these settings and no other."""
    return Grid(
        tuple(GridRow.of(one.unsized, None if one.size is None else [(one.size, one.overlap)]) for one in found)
    )


def token_counts(corpus, chunker):
    """The tokens of each text to index, those prepended and a line end behind each of them included."""
    counts = []
    for text, spans, blank in index_texts(map(plain, corpus), settings_of(chunker)):
        used = Tape(text, "cl100k_base").used
        counts.append(0 if blank else sum(used[b] - used[a] for a, b in spans) + len(spans) - 1)
    return counts


@given(corpora(), chunkers())
@settings(max_examples=60)
def test_tokens_of_the_advised_chunks_are_those_counted_one_by_one(corpus, chunker):
    before, remedies.TAKEN = remedies.TAKEN, (3, 9)
    try:
        result = sweep(corpus, chunkers=just(chunker))
    finally:
        remedies.TAKEN = before
    if not result.advice:
        assert result.tokens is None
        return
    counts = token_counts(corpus, chunker)
    above = {most: sum(count > most for count in counts) for most in (3, 9)}
    assert result.tokens == ChunkTokens("cl100k_base", len(counts), above)


def test_tokens_are_counted_unasked_only_where_no_limit_is_named_and_that_is_quick(monkeypatch):
    document = Document("a.md", "文です。" * 2000)
    grid = {"chunkers": "fixed", "sizes": [400, 4000], "overlaps": [0]}
    assert sweep([document], **grid).tokens == ChunkTokens("cl100k_base", 20, {512: 0, 8192: 0})
    assert sweep([document], **grid, model_limit=8000).tokens is None
    assert sweep([document], **grid, model_limit="text-embedding-3-small").tokens is None
    assert sweep([document], **grid, model_limit="bge-m3").tokens is None
    monkeypatch.setattr("chunkscope.grid.sweep.is_here", lambda unit: False)
    assert sweep([document], **grid).tokens is None
    monkeypatch.undo()
    monkeypatch.setattr("chunkscope.grid.sweep.MOST_TO_TOKENISE", 7999)
    assert sweep([document], **grid).tokens is None


def test_the_documents_that_the_advised_cell_damages_come_with_it(demo):
    corpus, questions = demo
    for asked in (questions, None):
        result = sweep(corpus, asked, chunkers="fixed", sizes=[100, 150, 200], overlaps=[0])
        advice = result.advice
        chunker = parse_chunker(f"fixed(size={advice.size}, overlap={advice.overlap})")
        assert result.worst == sweep(corpus, asked, chunkers=[chunker], by_document=[chunker]).damage[str(chunker)]
        assert result.worst


def made_up(*rows):
    """A result of made-up cells: chunker, size, harmed questions, characters to embed, chunks."""
    cells = tuple(
        Cell(chunker, "char", size, 0, 900, chunks=chunks, questions=100, harmed_questions=harmed, split_questions=harmed,
             lengths=LengthCounts.of({characters // chunks: chunks}))
        for chunker, size, harmed, characters, chunks in rows
    )  # fmt: skip
    questions = QuestionsInfo("", "", 100, 100, 0, (), 100, 0)
    return SweepResult({"overlaps": ("0",)}, CorpusInfo("", 1, 900), questions, cells)


def test_a_cheaper_way_is_advised_where_it_loses_no_more_than_the_tolerance():
    result = made_up(("fixed", 100, 3, 900, 9), ("sentence", 100, 1, 1000, 10), ("heading", 100, 0, 1100, 11))
    chosen = {text: advise(result, tolerance=text).chunker for text in ("0", "0.9%", "1", "2%", "3", "3%", "99%")}
    assert chosen == {
        "0": "heading", "0.9%": "heading", "1": "sentence", "2%": "sentence", "3": "fixed", "3%": "fixed", "99%": "fixed",
    }  # fmt: skip


def test_a_cell_without_harm_between_two_that_harm_is_luck():
    lucky = [
        ("fixed", size, harmed, 900, 9) for size, harmed in ((100, 6), (200, 0), (300, 6), (400, 0), (500, 0), (600, 0))
    ]
    found = advise(made_up(*lucky), tolerance="0")
    assert (found.size, found.loss, found.own_loss) == (500, 0, 0)
    two = advise(made_up(*lucky[1:3]))
    assert (two.size, two.loss) == (200, 0)  # two sizes tell nothing of luck


def test_where_every_size_harms_the_least_loss_is_advised():
    found = advise(
        made_up(*[("fixed", size, harmed, 900, 9) for size, harmed in ((100, 9), (200, 7), (300, 7), (400, 8))])
    )
    assert (found.size, found.own_loss, found.least_loss) == (300, 7, found.loss)


@pytest.mark.parametrize("text", ["", "-1", "100%", "2.5", "a few", "1/6", "%", "1e3", "９%"])
def test_a_tolerance_that_means_nothing_is_refused(text):
    with pytest.raises(ConfigError, match="--tolerance"):
        Tolerance.parse(text)


def test_a_share_of_the_questions_is_never_rounded():
    assert Tolerance.parse("2%").of(13) == pytest.approx(float(Fraction(13, 50)))
    assert [str(Tolerance.parse(text)) for text in ("2%", "0.5 %", "7")] == ["2%", "0.5%", "7"]
    assert Tolerance.parse(Tolerance(number=3)).of(5) == 3


@pytest.mark.parametrize(
    ("asked", "limit"), [(True, None), (False, None), (True, 5), (True, "text-embedding-3-small"), (False, "bge-m3")]
)
def test_the_json_of_the_advice_is_what_its_schema_says(demo, asked, limit):
    corpus, questions = demo
    grid = {"chunkers": "fixed,heading", "sizes": [150, 180, 210], "overlaps": [0, 20]}
    result = sweep(corpus, questions if asked else None, **grid, model_limit=limit)
    written = json.loads(to_json(result))
    STRICT["sweep-1"].validate(written)
    if limit == 5:
        assert written["advice"] is None
        assert written["advice_reason"].startswith("no cell fits")
        return
    advice = written["advice"]
    assert advice["kind"] == (FLOOR if asked else START)
    assert (advice["chunker"], advice["unit"], advice["size"], advice["overlap"]) == result.advice.key
    assert advice["limit"] == (8192 if limit == "text-embedding-3-small" else 8000)
    nowhere = (
        "retriever",
        "k",
        "context",
        "wins",
        "draws",
        "least_difference",
        "run",
        *([] if asked else ["of", "tolerance"]),
    )
    assert [advice[name] for name in nowhere] == [None] * len(nowhere)
    assert len(advice["remedies"]) == len(result.advice.remedies)


def test_by_document_an_advised_cell_damages_what_the_loops_find(demo):
    corpus, questions = demo
    result = sweep(corpus, questions, chunkers="sentence", sizes=[60], overlaps=[0])
    documents = list(corpus)
    located = [one for one in check_labels(corpus, questions).valid if one.evidence]
    expected = find_damage(
        map(plain, documents), plain_questions(located), settings_of(parse_chunker("sentence(size=60)"))
    )
    assert {one.document: (one.characters, one.lost) for one in result.worst} == expected


def test_a_second_look_at_what_batches_left_is_one_at_all_documents(demo, monkeypatch):
    corpus, questions = demo
    for asked in (questions, None):
        whole = sweep(corpus, asked, chunkers="sentence", sizes=[60, 90], overlaps=[0])
        with monkeypatch.context() as patched:
            patched.setattr("chunkscope.grid.sweep.BATCH_CHARACTERS", 1)
            parts = sweep(corpus, asked, chunkers="sentence", sizes=[60, 90], overlaps=[0])
        assert whole.advice.remedies
        assert (parts.advice, parts.worst, parts.tokens) == (whole.advice, whole.worst, whole.tokens)


def test_the_advised_cell_is_looked_at_once_more_without_reading_and_in_a_large_corpus_only_when_asked(monkeypatch):
    scans = []
    plan_scan = SweepPlan.scan
    monkeypatch.setattr(SweepPlan, "scan", lambda self, batch: scans.append(batch) or plan_scan(self, batch))
    monkeypatch.setattr("chunkscope.grid.sweep.LARGE", 10)
    rules = Document("a.md", "# T\n\n| item | limit |\n|---|---|\n" + "| some thing | 12,000 |\n" * 60)
    grid = {"chunkers": "sentence", "sizes": [200, 300, 400], "overlaps": [0]}
    once = sweep([rules], **grid)
    assert (len(scans), once.looked_closely, once.advice.remedies, once.worst) == (1, False, (), ())
    closely = sweep([rules], **grid, closely=True)
    assert (len(scans), closely.looked_closely) == (2, True)
    assert closely.advice.remedies
    assert closely.worst
    assert closely.advice.key == once.advice.key
