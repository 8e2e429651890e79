"""What there is to look at beside a result: documents, chunks as they were counted, losses that add up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import chunkers, corpora, labels_of, questions_of

from chunkscope import Document, FixedChunker, Question, check_labels, sweep
from chunkscope.corpus.reading import Corpus
from chunkscope.errors import SplitterError
from chunkscope.grid.views import view, way_key, way_of, write_spans
from chunkscope.splitters.chunker import as_chunker


def read_spans(written):
    """What the script of the page does."""
    at, found = 0, []
    for part in written.split():
        step, _, length = part.rpartition(":")
        start = at + int(step or "0", 36)
        at = start + int(length, 36)
        found.append([start, at])
    return found


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 5000))))
def test_spans_are_read_as_they_were_written(pairs):
    import numpy as np

    spans = [[start, start + length] for start, length in pairs]
    assert read_spans(write_spans(np.array(spans, dtype=np.int64).reshape(-1, 2))) == spans


def seen(result, corpus, labels, ways, **options):
    by_key = {way_key(way.unsized, with_size=with_size): way.unsized for way in ways for with_size in (True, False)}
    return view(result, Corpus.of(corpus), labels, {key: by_key[key] for key in map(way_of, result.cells)}, **options)


@given(corpora(), st.data(), st.lists(chunkers(), min_size=1, max_size=2, unique_by=str))
@settings(max_examples=25)
def test_chunks_are_those_of_the_chunker_and_losses_add_up(corpus, data, ways):
    ways = [way.unsized for way in ways]
    questions = data.draw(questions_of(corpus))
    labels = labels_of(questions) if questions else None
    result = sweep(corpus, labels, chunkers=ways, sizes=[4, 11], overlaps=[0, 2])
    views = seen(result, corpus, labels, ways)
    by_key = {way_key(way, with_size=with_size): way for way in ways for with_size in (True, False)}
    texts = {document.name: document for document in corpus}
    assert views.changed == ()
    assert sorted(one.name for one in views.documents) == sorted(texts)
    for place, cell in enumerate(result.cells):
        chunker = by_key[way_of(cell)]
        chunker = chunker if cell.size is None else chunker.at(cell.size, cell.overlap)
        for one in views.documents:
            if way_of(cell) in views.windows:
                assert place not in one.spans
                assert (way_of(cell) in views.keep_tail) == chunker.windows.keep_tail
            else:
                assert read_spans(one.spans[place]) == chunker.spans(texts[one.name]).tolist()
        cuts = sum(int(one.lost[place, 0]) for one in views.listed)
        if labels is not None:
            assert cuts == cell.split_evidence
        else:
            kinds = [(cell.sentences, cell.sentences_whole), (cell.code_blocks, cell.code_blocks_whole),
                     (cell.headings, cell.headings_whole), (cell.table_rows, cell.table_rows_whole)]  # fmt: skip
            assert cuts == sum(total - whole for total, whole in kinds)


TEXTS = [
    Document("small.md", "一つ。"),
    Document("large.md", "長い文です。" * 40),
    Document("cut.md", "途中で切れる根拠です。"),
]


def test_what_loses_most_is_taken_first_and_the_rest_has_no_room():
    labels = check_labels(TEXTS, [Question.of("q", doc="cut.md", evidence="途中で切れる根拠です。")])
    result = sweep(TEXTS, labels, chunkers="fixed", sizes=[5], overlaps=[0])
    views = seen(result, TEXTS, labels, [FixedChunker()], characters=20)
    assert [one.name for one in views.documents] == ["cut.md", "small.md"]
    assert [one.name for one in views.listed] == ["cut.md", "large.md", "small.md"]
    assert views.n_documents == 3


def test_a_way_that_cannot_be_cut_is_named_with_the_reason():
    calls = []

    def fails_later(text, size):
        calls.append(text)
        if len(calls) > 3:
            raise ValueError("no more")
        return [text[at : at + size] for at in range(0, len(text), size)]

    way = as_chunker(fails_later, "mine")
    result = sweep(TEXTS, chunkers=[way, FixedChunker()], sizes=[50], overlaps=[0])
    views = seen(result, TEXTS, None, [way, FixedChunker()])
    # what a splitter could not do is a finding of the result, no reason to stop
    assert views.listed[0].lost.shape == (2, 2)

    class Gone(type(FixedChunker())):
        def chunks_of(self, *_):
            raise SplitterError("not there")

        windows = None

    views = view(result, Corpus.of(TEXTS), None, {way_of(result.cells[1]): Gone()})
    assert views.lacking == {way_of(result.cells[1]): "not there"}
    assert all((one.lost == -1).all() for one in views.listed)
    assert [one.spans for one in views.documents] == [{}, {}, {}]


def test_without_a_chunker_documents_are_there_without_chunks():
    result = sweep(TEXTS, chunkers="fixed", sizes=[5], overlaps=[0])
    views = view(result, Corpus.of(TEXTS), None, {})
    assert len(views.documents) == 3
    assert all((one.lost == -1).all() for one in views.listed)


def test_a_cell_that_is_cut_otherwise_today_is_told():
    result = sweep(TEXTS, chunkers="fixed", sizes=[5], overlaps=[0])
    longer = [*TEXTS[:2], Document("cut.md", "途中で切れる根拠です。もう一つ。")]
    assert seen(result, longer, None, [FixedChunker()]).changed == (0,)


@pytest.mark.parametrize("name", ["a.md"])
def test_an_empty_document_is_nothing_to_trip_over(name):
    result = sweep([Document(name, "")], chunkers="sentence,heading", sizes=[5], overlaps=[0])
    from chunkscope import HeadingChunker, SentenceChunker

    views = seen(result, [Document(name, "")], None, [SentenceChunker(), HeadingChunker()])
    assert views.documents[0].text == ""
    assert set(views.documents[0].spans.values()) == {""}


def test_of_many_documents_those_that_lose_most_are_kept_whatever_batch_they_are_in(monkeypatch):
    from chunkscope.grid import views as room

    documents = [Document(f"{number:02}.md", "短い文です。" * (1 + number * 7 % 10)) for number in range(30)]
    result = sweep(documents, chunkers="fixed", sizes=[5, 8], overlaps=[0])
    everything = seen(result, documents, None, [FixedChunker()])
    monkeypatch.setattr(room, "MOST_LISTED", 4)
    monkeypatch.setattr(room, "BATCH_CHARACTERS", 60)
    few = seen(result, documents, None, [FixedChunker()])
    assert few.listed == everything.listed[:4]
    assert [one.lost.tolist() for one in few.listed] == [one.lost.tolist() for one in everything.listed[:4]]
    assert [one.name for one in few.documents] == [one.name for one in few.listed]
    assert few.n_documents == 30
    assert few.changed == ()
