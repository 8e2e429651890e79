"""The ranking in use: runs from files and searches of one's own, judged as retrievers of ours are."""

from __future__ import annotations

import json
import zlib

import command_line
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import recall as twin
from worlds import chunkers, corpora, labels_of, plain, plain_questions, questions_of, settings_of

from chunkscope import Document, Question, check_labels, recall
from chunkscope.chunkers.chunk_rows import list_chunks
from chunkscope.corpus import demo_path
from chunkscope.corpus.reading import read_corpus
from chunkscope.errors import ChunkscopeError, ConfigError, InputError, ProviderError
from chunkscope.grid.scan import scan
from chunkscope.questions.question import read_questions
from chunkscope.retrieval import Bm25Retriever, RetrievalMeasure, RetrievalSettings, Return
from chunkscope.retrieval.hits import Hits
from chunkscope.retrieval.listed import number_of_ids
from chunkscope.retrieval.runs import Run, read_run
from chunkscope.retrieval.searching import search_of
from chunkscope.splitters.chunker import as_chunker
from chunkscope.splitters.dump import DumpChunker

DOCUMENTS = [
    Document(
        "b rules.md", "宿泊費の上限は1泊12,000円とする。日当は2,000円とする。申請は3日前までに行う。", {"status": "new"}
    ),
    Document("a.md", "承認は課長が行う。上限はない。領収書は原本を添える。控えは三年残す。", {"status": "old"}),
]
ASKED = [
    Question.of("q1", "宿泊費の上限は？", doc="b rules.md", evidence="1泊12,000円"),
    Question.of("q2", "承認は誰が？", doc="a.md", evidence="課長が行う"),
    Question.of("u1", "社長の名前は？", evidence=[]),
]
IDS = [f"{row.document}#{row.index}" for row in list_chunks(DOCUMENTS, "fixed(size=10)")]


def run_of(lines, tmp_path, name="mine.jsonl"):
    path = tmp_path / name
    path.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines), "utf-8"
    )
    return read_run(path)


def judged(*retrievers, sizes=10, chunkers="fixed", documents=DOCUMENTS, asked=ASKED, **options):
    options = options if "context" in options else {"k": (1, 2, 4), **options}
    result = recall(documents, asked, retrievers=retrievers, chunkers=chunkers, sizes=sizes, overlaps=[0], **options)
    return result, [*result.cells[0].retrieval]


# ---- what a run is judged by


def drawn_order(seed, question, n_chunks, most):
    """A permutation of the chunks, cut off somewhere."""
    order = sorted(range(n_chunks), key=lambda chunk: zlib.crc32(f"{seed} {question} {chunk}".encode()))
    return order[: zlib.crc32(f"{seed} {question}".encode()) % (most + 1)]


RETURNS = st.sampled_from([None, Return("section"), Return("parent", 30), Return("neighbours", 1)])


@given(st.data(), chunkers(), RETURNS, st.integers(0, 99), st.integers(0, 12))
def test_recall_of_a_run_is_that_of_loops_over_its_ids(data, chunker, what, seed, most):
    corpus = data.draw(corpora().filter(lambda found: any(document.text for document in found)))
    asked = data.draw(questions_of(corpus).filter(bool))
    asked = [type(one)(Question(one.question.id, "何？", match=one.question.match), one.evidence) for one in asked]
    texts, cut = list(map(plain, corpus)), settings_of(chunker)
    chunks = twin.all_chunks(texts, cut)
    given_back = twin.returned(texts, cut, *((what.kind, what.number) if what else (None,)))
    ids = [
        f"{row.document}#{row.index}" for row in list_chunks(corpus, chunker) if row.start is not None
    ]  # what `chunkscope chunks` writes
    assert len(ids) == len(chunks)
    orders = [drawn_order(seed, row, len(chunks), most) for row in range(len(asked))]
    hits = {
        one.question.id: Hits(tuple(ids[chunk] for chunk in order), None)
        for one, order in zip(asked, orders, strict=True)
    }
    wanted = RetrievalSettings(k=(1, 2, 5), returns=what)
    measure = RetrievalMeasure(labels_of(asked), [Run("r.jsonl", "r", "", hits)], [chunker], wanted)
    scanned = scan(corpus, [chunker.unsized], [measure], sorted({chunker.unit} - {"char"}))
    found = scanned.cell(scanned.chunks(chunker), chunker).retrieval[0]

    names = [one.question.id for one in asked]
    returned = [twin.rank_returns(order, given_back) if what else order for order in orders]
    for judgement, name in (
        ("strict", "first_rank"),
        ("start", "first_rank_start"),
        ("answered", "first_rank_answered"),
    ):
        ranks = [
            twin.first_rank(texts, cut, given_back, order, question, judgement)
            for order, question in zip(returned, plain_questions(asked), strict=True)
        ]
        assert dict(found[name]) == dict(zip(names, ranks, strict=True)), judgement
    depth = max(map(len, returned))
    everything = twin.in_index(texts, chunks, {text.name for text in texts})
    n_returns = len({given_back[c] if what else c for c in range(len(chunks)) if everything[c]})
    assert found["listed"]["depth"] == depth
    is_short = max(depth, 1) < min(5, n_returns)
    assert found["listed"].get("full_k") == (5 if is_short else None)
    assert found["k"][-1] == (max(depth, 1) if is_short else 5)
    assert found["listed"]["answerable_with_nothing"] == [sum(not order for order in orders), len(asked)]


@pytest.fixture(scope="module")
def demo():
    folder = demo_path("ja")
    corpus = read_corpus(folder / "docs")
    return corpus, check_labels(corpus, read_questions(folder / "questions.jsonl"))


def ranks_of_bm25(corpus, labels, size, k):
    """What BM25 ranks first in a cell, by ids."""
    found = {}

    class Spy(Bm25Retriever):
        def searcher(self, collection):
            inner = super().searcher(collection)
            blocks = inner.blocks

            def kept(index):
                from chunkscope.retrieval import rank_block

                names = {place: name for name, place in number_of_ids(index.chunks).items()}
                for block in blocks(index):
                    ranked = rank_block(
                        block, np.empty((len(block.questions), 0), dtype=np.int64), k=k, place=index.place
                    )
                    for row, top, scores in zip(ranked.questions, ranked.top, ranked.top_scores, strict=True):
                        found.setdefault(
                            collection.question_ids[row],
                            [(names[c], float(s)) for c, s in zip(top, scores, strict=True) if c >= 0],
                        )
                return blocks(index)

            inner.blocks = kept
            return inner

    recall(corpus, labels, retrievers=Spy(), chunkers="fixed", sizes=[size], overlaps=[0], k=3)
    return found


SAME = (
    "k", "half", "strict", "start", "answered", "mrr", "misses", "context", "first_rank", "first_rank_start",
    "first_rank_answered", "missed", "outdated", "min_score",
)  # fmt: skip


@pytest.mark.parametrize("form", ["json", "trec"])
@pytest.mark.parametrize("context", [None, 1500])
def test_a_run_that_is_written_from_the_ranks_of_bm25_has_the_recall_of_bm25(demo, tmp_path, form, context):
    corpus, labels = demo
    found = ranks_of_bm25(corpus, labels, 120, 10**6)
    assert len(found) == len(labels.valid) + len(labels.without_evidence)
    if form == "json":
        lines = [
            {"id": question, "chunks": [name for name, _ in hits], "scores": [score for _, score in hits]}
            for question, hits in found.items()
        ]
    else:
        lines = [
            f"{question} Q0 {name} {rank} {score!r} tagged"
            for question, hits in found.items()
            for rank, (name, score) in enumerate(hits, 1)
        ]
    run = run_of(lines, tmp_path)
    assert run.name == ("mine" if form == "json" else "tagged")
    depth = {"k": (1, 3, 5)} if context is None else {"context": context}
    _, (bm25, ours) = judged(
        "bm25",
        run,
        documents=corpus,
        asked=labels,
        sizes=120,
        outdated=["status=abolished"],
        min_scores=[1.0, 3.0],
        **depth,
    )
    for name in SAME:
        mine, theirs = bm25[name], ours[name]
        assert (dict(mine), dict(theirs)) if name.startswith("first") else (mine, theirs) == (theirs, theirs), name
        assert mine == theirs or dict(mine) == dict(theirs), name
    assert ours["listed"]["unlisted"] == []


def test_the_order_of_a_run_counts_whatever_its_scores_are(tmp_path):
    distances = run_of([{"id": "q1", "chunks": IDS[:3], "scores": [0.1, 0.1, 0.7]}], tmp_path)
    result, [found] = judged(distances, keep_ranks=True)
    assert found["answered"]["3"] == [0, 2]
    above = result.ranks[result.cells[0].key, "mine"][0].above
    assert [(hit.start, hit.score) for hit in above] == [(0, 0.1), (10, 0.1), (20, 0.7)]


def test_pieces_of_a_splitter_are_ranked_by_their_numbers(tmp_path):
    splitter = as_chunker(lambda text: [part + "。" for part in text.split("。") if part])
    run = run_of([{"id": "q2", "chunks": ["a.md#1", "a.md#0"]}, {"id": "q1", "chunks": ["b rules.md#0"]}], tmp_path)
    _, [found] = judged(run, chunkers=splitter, sizes=None)
    assert dict(found["first_rank"]) == {"q1": 1, "q2": 2}


def test_chunks_of_an_index_have_its_ids_and_those_of_ours(tmp_path):
    rows = [
        {"id": f"n{n}", "document": "a.md", "text": text + "。"}
        for n, text in enumerate(DOCUMENTS[1].text.split("。")[:-1])
    ]
    rows.append({"id": "rules", "document": "b rules.md", "text": DOCUMENTS[0].text})
    (tmp_path / "chunks.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    index = DumpChunker(path=str(tmp_path / "chunks.jsonl"))
    run = run_of([{"id": "q2", "chunks": ["n3", "a.md#0"]}, {"id": "q1", "chunks": ["rules"]}], tmp_path)
    _, [found] = judged(run, chunkers=index, sizes=None)
    assert dict(found["first_rank_answered"]) == {"q1": 1, "q2": 2}
    wrong = run_of([{"id": "q2", "chunks": ["n9"]}], tmp_path)
    with pytest.raises(
        InputError, match=r"1 of 1 ids are those of no chunk: 'n9'; the 5 chunks of .* are called 'rules', 'n0'"
    ):
        judged(wrong, chunkers=index, sizes=None)


# ---- depth


def test_a_short_run_is_judged_at_its_own_depth_and_is_no_candidate_beside_others(tmp_path):
    short = run_of([{"id": "q1", "chunks": IDS[:2]}, {"id": "q2", "chunks": IDS[4:6]}], tmp_path, "short.jsonl")
    result, [ours, bm25] = judged(short, "bm25")
    assert (ours["k"], bm25["k"]) == ([1, 2], [1, 2, 4])
    assert ours["listed"]["full_k"] == 4
    assert "listed" not in bm25
    assert ours["answered"]["2"][1] == bm25["answered"]["4"][1] == 2
    assert result.advice.retriever == "bm25"
    alone, _ = judged(short)
    assert (alone.advice.retriever, alone.advice.k) == ("short", 2)


def test_a_run_that_lists_all_there_is_is_not_short(tmp_path):
    everything = run_of([{"id": "q1", "chunks": IDS}, {"id": "q2", "chunks": []}], tmp_path)
    _, [found] = judged(everything, k=(len(IDS) + 5,))
    assert "full_k" not in found["listed"]
    assert found["k"] == [len(IDS) + 5]


def test_questions_that_a_run_says_nothing_of_are_not_found_and_named(tmp_path):
    run = run_of([{"id": "q1", "chunks": IDS[:3]}, {"id": "u1", "chunks": IDS[:1], "scores": None}], tmp_path)
    _, [found] = judged(run)
    assert found["answered"]["3"][1] == 2
    assert found["missed"]["q2"] == "below"
    assert found["listed"] == {
        "depth": 3, "full_k": 4, "unlisted": ["q2"], "answerable_with_nothing": [1, 2],
        "unanswerable_with_something": [1, 1],
    }  # fmt: skip


def test_the_threshold_in_use_is_tried_on_the_scores_of_a_run(tmp_path):
    run = run_of(
        [
            {"id": "q1", "chunks": [[IDS[0], 0.9], [IDS[1], 0.6]]},
            {"id": "q2", "chunks": [[IDS[4], 0.4]]},
            {"id": "u1", "chunks": [[IDS[0], 0.5]]},
        ],
        tmp_path,
    )
    _, [found] = judged(run, min_scores=(0.45, 0.6))
    low, high = found["min_score"]
    assert low["answerable_with_nothing"] == high["answerable_with_nothing"] == [1, 2]
    assert (low["unanswerable_with_something"], high["unanswerable_with_something"]) == ([1, 1], [0, 1])


# ---- what cannot be read


TREC = "q1 Q0 b rules.md#0 1 0.9 mine"
ROW = {"id": "q1", "chunks": ["b rules.md#0"]}


def test_both_forms_say_the_same(tmp_path):
    trec = run_of(
        ["q1 Q0 b rules.md#1 2 0.5 x", "q1  Q0\tb rules.md#0  1  0.9  x", "", "q2 0 a.md#0 0 1e-3 x"], tmp_path
    )
    rows = run_of(
        [
            {"id": "q1", "chunks": ["b rules.md#0", "b rules.md#1"], "scores": [0.9, 0.5]},
            {"id": "q2", "chunks": [["a.md#0", 0.001]]},
        ],
        tmp_path,
    )
    assert trec.hits == rows.hits
    assert (trec.name, rows.name) == ("x", "mine")
    assert run_of(["\ufeff" + json.dumps({"id": 7, "chunks": [3, "x"]})], tmp_path).hits == {
        "7": Hits(("3", "x"), None)
    }


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], "mine.jsonl: no ranking in it; write lines such as"),
        (["", " "], "no ranking in it"),
        (["id,chunks", "q1,a"], "mine.jsonl:1: not a line of a run, QUESTION Q0 CHUNK RANK SCORE TAG, nor a JSON object"),
        ([TREC, "q1 Q0 x 2 high mine"], "mine.jsonl:2: score 'high' is no number"),
        ([TREC, "q1 Q0 x 2 nan mine", "q1 Q0 y 3 inf mine"], r":2: score nan is no number \(and 1 more bad line: 3\)"),
        ([TREC, "q1 Q0 x 1.5 3 mine"], ":2: rank '1.5' is no whole number"),
        ([TREC, "q1 Q0 x 1 0.2 mine"], ":2: rank 1 of question 'q1' stands twice"),
        ([TREC, "q1 Q0 b rules.md#0 2 0.2 mine"], ":2: chunk 'b rules.md#0' of question 'q1' stands twice"),
        ([TREC, "q1 Q0 x 2 0.2 other"], ":2: tag 'other', after 'mine'; write each run into a file of its own"),
        ([ROW, ROW], ":2: question 'q1' stands twice"),
        (["[1]"], ":1: not a JSON object, but a list; write one object a line"),
        (["{"], ":1: not JSON"),
        ([{"id": "q1"}], ":1: no 'chunks'; write"),
        ([{"chunks": []}], ":1: no 'id'; write"),
        ([{"id": "q1", "chunks": "x"}], "a list of chunk ids is wanted, best first, or of pairs .* not a string"),
        ([{"id": "q1", "chunks": {"x": 1}}], "not an object"),
        ([{"id": "q1", "chunks": [{"id": "x"}]}], "the id of a chunk must be a string or a number, not an object"),
        ([{"id": "q1", "chunks": ["x", None]}], "the id of a chunk must be a string or a number, not nothing"),
        ([{"id": "q1", "chunks": ["x", "y", "x"]}], ":1: chunk 'x' stands twice"),
        ([{"id": "q1", "chunks": ["x"], "scores": [1, 2]}], "'scores' must be a list of 1, one for each chunk, not 2"),
        ([{"id": "q1", "chunks": ["x"], "scores": 2}], "not a number"),
        ([{"id": "q1", "chunks": ["x"], "scores": ["2"]}], "score '2' is no number"),
        ([{"id": "q1", "chunks": ["x"], "scores": [True]}], "score True is no number"),
        ([{"id": "q1", "chunks": [["x", 1]], "scores": [1]}], "scores stand beside the chunks and in 'scores'"),
        ([{"id": ["q1"], "chunks": []}], "'id' must be a string or a number, not a list"),
        ([{**ROW, "scores": [1]}, {"id": "q2", "chunks": ["x"]}], "1 of 2 questions have chunks without scores, 'q2' first"),
    ],
)  # fmt: skip
def test_a_run_that_cannot_be_read_is_told_in_a_line(tmp_path, lines, reason):
    with pytest.raises(InputError, match=reason) as caught:
        run_of(lines, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16-le", "cp932"])
def test_another_encoding_is_named(tmp_path, encoding):
    path = tmp_path / "mine.jsonl"
    path.write_bytes('{"id": "q1", "chunks": ["規程.md#0"]}'.encode(encoding))
    with pytest.raises(
        InputError, match=r"mine.jsonl: byte \d+ is not utf-8; save the run as UTF-8|mine.jsonl:1: not a line"
    ):
        read_run(path)
    with pytest.raises(InputError, match="no such file or folder"):
        read_run(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("lines", "options", "reason"),
    [
        ([{"id": "q9", "chunks": []}, ROW], {}, "1 of its 2 questions is not among those that are asked: 'q9'"),
        ([{"id": "q1", "chunks": ["x", "y", IDS[0]]}], {}, "2 of 3 ids are those of no chunk: 'x', 'y'; the 9 chunks of fixed are called 'b rules.md#0', 'b rules.md#1', "),
        ([{"id": "q1", "chunks": ["a.md#99"]}], {}, "1 of 1 ids are those of no chunk: 'a.md#99'"),
        ([ROW], {"min_scores": [1.0]}, "--min-score needs scores, and has none"),
        ([{"id": "q1", "chunks": IDS[:2], "scores": [1, 2]}], {"min_scores": [1.0]}, "scores rise down the lists, 1 to 2"),
        ([{"id": "q1", "chunks": [*IDS[:2], "a.md#0"]}], {"filters": ["status=new"]}, "1 of its chunks are of documents that --filter leaves out, 'a.md#0' first"),
        ([ROW], {"sizes": [10, 20]}, "mine ranks the chunks of one setting, and here are 2"),
    ],
)  # fmt: skip
def test_a_run_of_something_else_is_told_in_a_line(tmp_path, lines, options, reason):
    with pytest.raises(ChunkscopeError, match=reason) as caught:
        judged(run_of(lines, tmp_path), **options)
    assert "\n" not in str(caught.value)


def test_questions_that_are_left_out_may_be_in_a_run(tmp_path):
    asked = [*ASKED, Question.of("bad", "?", doc="a.md", evidence="nowhere"), Question.of("mute", evidence=[])]
    run = run_of([ROW, {"id": "bad", "chunks": IDS}, {"id": "mute", "chunks": []}], tmp_path)
    _, [found] = judged(run, asked=asked, skip_bad_labels=True)
    assert found["listed"]["depth"] == 1


# ---- a search of one's own


class Index:
    def search(self, question, k=3):
        return IDS[:k]


def test_what_searches_is_told_from_what_embeds_by_its_shape():
    def plain_function(question, k):
        return []

    class Embeds:
        id = "mine"
        embed_documents = embed_queries = None

    for one in (plain_function, Index().search, lambda question, top, *, filter=None: []):
        assert search_of(one) is one or search_of(one) == one
    assert search_of(Index())("?", 2) == IDS[:2]
    for one in (Index, Embeds, Embeds(), lambda question: [], lambda dimensions=8, batch=2: [], "text", None, len, 3):
        assert search_of(one) is None, one


def test_a_search_is_asked_for_as_many_chunks_as_are_judged():
    wanted = []

    def mine(question, k):
        wanted.append((question, k))
        return ((name, np.float32(1 - rank / 9)) for rank, name in enumerate(IDS[:k]))

    result, [found] = judged(mine)
    assert wanted == [(question.question, 4) for question in ASKED]
    assert (found["retriever"], found["k"], found["listed"]["depth"]) == ("mine", [1, 2, 4], 4)
    assert result.advice.remedies == ()
    wanted.clear()
    judged(mine, returns="section", k=1)
    assert {k for _, k in wanted} == {5}  # as many as the largest section has


@pytest.mark.parametrize(
    ("give", "reason"),
    [
        (lambda question, k: 1 / 0, "mine: question q1: ZeroDivisionError: division by zero"),
        (lambda question, k: None, "question q1: a list of chunk ids is wanted, .* not nothing"),
        (lambda question, k: {"ids": IDS}, "not an object"),
        (lambda question, k: [object()], "the id of a chunk must be a string or a number, not object"),
        (lambda question, k: [("x", "high")], "score 'high' is no number"),
        (lambda question, k: [IDS[0], IDS[0]], "chunk 'b rules.md#0' stands twice"),
        (lambda question, k: ["x"], "1 of 1 ids are those of no chunk"),
    ],
)
def test_a_search_that_goes_wrong_is_told_in_a_line(give, reason):
    def mine(question, k):
        return give(question, k)

    with pytest.raises(ChunkscopeError, match=reason) as caught:
        judged(mine)
    assert "\n" not in str(caught.value)


def test_what_lists_chunks_of_one_index_is_not_fused():
    from chunkscope.retrieval.fusion import FusedRetriever

    with pytest.raises(ConfigError, match=r"rrf\(bm25,x\): x lists chunks of one index, and cannot be fused"):
        FusedRetriever([Bm25Retriever(), Run("x.jsonl", "x", "", {})])
    with pytest.raises(ProviderError, match="is no provider"):
        judged("textwrap:indent(text=a, prefix=b)")


# ---- on the command line


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for document in DOCUMENTS:
        (tmp_path / "docs" / document.name).write_text(document.text, "utf-8")
    rows = [{"id": one.id, "question": one.question, "evidence": [quote.text for quote in one.quotes]} for one in ASKED]
    (tmp_path / "q.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return tmp_path


CELL = ("-c", "fixed", "--sizes", "10", "--overlaps", "0", "-k", "1,4", "--lang", "en")


def write_run(path, hits):
    rows = [{"id": question, "chunks": chunks} for question, chunks in hits.items()]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")


def test_runs_stand_beside_each_other_and_beside_retrievers_that_are_named(here):
    write_run(here / "old.jsonl", {"q1": IDS[:4], "q2": IDS[5:7], "u1": []})
    write_run(here / "new.jsonl", {"q1": IDS[:2], "u1": IDS[:1]})
    both = ("docs", "-q", "q.jsonl", *CELL, "--run", "old.jsonl", "--run", "new.jsonl")
    alone = json.loads(command_line.run("recall", *both, "--format", "json").stdout)
    assert alone["retrieval"]["retrievers"] == ["old", "new"]
    named = json.loads(command_line.run("recall", *both, "--retriever", "bm25", "--format", "json").stdout)
    assert named["retrieval"]["retrievers"] == ["old", "new", "bm25"]
    shown = " ".join(command_line.run("recall", *both, "--ranks").stdout.split())
    assert (
        "new lists 2 chunks at most, and is judged by these, not by 4: no candidate beside what has its full" in shown
    )
    assert "new has nothing on 1 of 2 questions, which count as not found: q2" in shown
    assert "old finds nothing for 0 of 2 questions, and something for 0 of 1 unanswerable ones" in shown
    assert "Pick fixed 10/0 with old" in shown
    only = " ".join(command_line.run("recall", "docs", "-q", "q.jsonl", *CELL, "--run", "new.jsonl").stdout.split())
    assert "new lists 2 chunks at most, and is judged by these, not by 4: -k 2 compares at that" in only


def test_what_is_wrong_with_a_run_is_one_line_and_nothing_is_written(here):
    (here / "bad.jsonl").write_text('{"id": "q1", "chunks": ["nowhere"]}', "utf-8")
    done = command_line.run("recall", "docs", "-q", "q.jsonl", *CELL, "--run", "bad.jsonl")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "bad.jsonl: 1 of 1 ids are those of no chunk: 'nowhere'" in done.stderr
    many = command_line.run("recall", "docs", "-q", "q.jsonl", "--run", "bad.jsonl")
    assert "bad ranks the chunks of one setting, and here are" in many.stderr


SEARCH = "def search(question, k):\n    return ['a.md#0', 'a.md#1', 'a.md#2', 'a.md#3'][:k]\n"


def test_a_search_that_a_configuration_names_runs_with_allow_code_only(here):
    (here / "own_search_for_test.py").write_text("open('trace', 'w').close()\n" + SEARCH, "utf-8")
    (here / "chunkscope.toml").write_text(
        'corpus = "docs"\nquestions = "q.jsonl"\nsize = 10\n'
        '[check]\nmin_recall = "1%"\nretriever = "own_search_for_test:search"\n',
        "utf-8",
    )
    assert "a configuration may name bm25" in command_line.fails("check")
    assert not (here / "trace").exists()
    done = command_line.run("check", "--allow-code", "--format", "json")
    assert done.exit_code in (0, 1), done.output
    found = json.loads(done.stdout)["cells"][0]["retrieval"]
    assert (found["retriever"], found["listed"]["depth"]) == ("own_search_for_test:search", found["k"][0])
