"""Pages to test: what a result and its documents make, in one call."""

from __future__ import annotations

import json
import re

from chunkscope.corpus.reading import Corpus
from chunkscope.grid.stored import sweep_of
from chunkscope.grid.views import view, way_key
from chunkscope.reports.json_report import to_json
from chunkscope.reports.page.data import page_of
from chunkscope.reports.page.render import render_page


def page(result, corpus, labels=None, chunkers=(), lang="en", doubts=(), **options):
    ways = {way_key(one, with_size=with_size): one for one in chunkers for with_size in (True, False)}
    return page_of(result, view(result, Corpus.of(corpus), labels, ways, **options), lang, doubts)


def html(*given, **options):
    return render_page(page(*given, **options))


def stored(result):
    return sweep_of(json.loads(to_json(result)))


def blocks(text):
    """The blocks of JSON of a page, by their ids."""
    found = re.findall(r'<script type="application/json" id="([\w-]+)">(.*?)</script>', text, re.DOTALL)
    return {name: json.loads(body) for name, body in found}
