"""The page in a browser: it opens from disk, fetches nothing, and everything in it can be used, with keys alone too."""

from __future__ import annotations

import os
import shutil

import pytest
from reports.pages import blocks, html
from reports.test_page import WAYS, demo, hostile

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("jinja2")
pytest.importorskip("vl_convert")

BROWSER = os.environ.get("CHUNKSCOPE_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no chromium here; CHUNKSCOPE_BROWSER names one"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The pages of the demo and a hostile one, as files."""
    folder = tmp_path_factory.mktemp("pages")
    made = {"hostile": html(*hostile())}
    for kind in ("sweep", "structure", "recall"):
        made |= {f"{kind}-{lang}": html(*demo(kind=kind), WAYS, lang=lang) for lang in ("en", "ja")}
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return folder


class Opened:
    """An open page; `complaints` are what its console said, and what it asked the network for."""

    def __init__(self, browser, path, **options):
        self.complaints = []
        self.page = browser.new_context(**options).new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._ask(request.url))
        self.page.on("dialog", lambda dialog: self.complaints.append("a dialog"))
        self.page.goto(path.as_uri())
        self.data = blocks(path.read_text("utf-8"))

    def _ask(self, address):
        if not address.startswith("file:"):
            self.complaints.append(address)

    def settle(self):
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    @property
    def cell(self):
        """The place of the selected cell."""
        name = self.page.locator("#setting").text_content()
        return [cell[0] for cell in self.data["data"]["cells"]].index(name)

    def figures(self):
        titles = self.page.locator("#cell-figures dt").all_inner_texts()
        return dict(zip(titles, self.page.locator("#cell-figures dd").all_inner_texts(), strict=True))

    def select(self, cell):
        line = next(n for n, line in enumerate(self.data["data"]["lines"]) if cell in line["cells"])
        self.page.select_option("#line", str(line))
        self.settle()
        self.page.locator("#size").fill(str(self.data["data"]["lines"][line]["cells"].index(cell)))
        self.settle()


@pytest.fixture
def opened(browser, files):
    pages = []

    def open_page(name="sweep-en", **options):
        pages.append(Opened(browser, files / f"{name}.html", **options))
        return pages[-1]

    yield open_page
    for one in pages:
        assert one.complaints == []
        one.page.context.close()


NAMES = ["sweep-en", "sweep-ja", "structure-en", "recall-ja", "hostile"]


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_it_opens_from_disk_and_is_no_wider_than_the_window(opened, name, scheme, width):
    one = opened(name, color_scheme=scheme, viewport={"width": width, "height": 800})
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    background = one.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(background[4:].split(",")[0]) < 100) == (scheme == "dark")
    assert one.page.locator(".picture svg").count()


def test_the_advised_setting_is_selected_first_with_the_figures_of_the_json(opened):
    result = demo()[0]
    one = opened()
    cell = result.cells[one.cell]
    assert cell.key == result.advice.key
    assert one.figures()["answer cut"] == str(cell.split_questions)


def test_every_setting_can_be_selected_and_has_its_own_figures_and_questions(opened):
    result = demo()[0]
    one = opened()
    for place in range(0, len(result.cells), 7):
        cell = result.cells[place]
        one.select(place)
        assert one.cell == place
        told = one.figures()
        assert (told["answer cut"], told["chunks"]) == (str(cell.split_questions), f"{cell.chunks:,}")
        counts = {
            label.split()[0]: label.split()[-1]
            for label in one.page.locator("#filters label").all_inner_texts()
            if label
        }
        assert counts["answer"] == str(cell.split_questions)
        marked = one.page.locator("#question-list .state.bad").count()
        assert marked == cell.harmed_questions


def test_a_click_on_a_point_a_field_or_a_row_selects_its_cell(opened):
    one = opened()
    for selector in ("#cut-char .point", "#heat-char .field", "#ends-char .field"):
        mark = one.page.locator(selector).nth(5)
        wanted = int(mark.get_attribute("data-cell"))
        mark.dispatch_event("click")
        one.settle()
        assert one.cell == wanted
    row = one.page.locator("table.cells").first.locator("tbody tr").nth(1)
    row.locator("button").click()
    one.settle()
    assert one.cell == int(row.get_attribute("data-cell"))
    assert "selected" in row.get_attribute("class")


def test_pointing_at_a_mark_shows_the_figures_of_its_cell(opened):
    one = opened()
    mark = one.page.locator("#heat-char .field").nth(3)
    mark.scroll_into_view_if_needed()
    one.settle()
    box = mark.bounding_box()
    one.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    cell = one.data["data"]["cells"][int(mark.get_attribute("data-cell"))]
    told = one.text("#tip")
    assert told.startswith(cell[0])
    assert f"chunks: {cell[3][one.data['data']['titles'].index('chunks')]}" in told
    one.page.mouse.move(2, 2)
    assert one.page.locator("#tip").is_hidden()


CHUNKS = """() => {
  const found = [];
  for (const piece of document.querySelectorAll("#text > span, #text > mark")) {
    if (piece.classList.contains("cut")) found.push("|");
    else found.push(piece.textContent);
  }
  return found.join("");
}"""


@pytest.mark.parametrize("way", [0, 1, 2])
def test_dragging_the_size_moves_the_chunks_as_the_chunker_cuts(opened, way):
    result, corpus, _ = demo()
    one = opened()
    [document] = [document for document in corpus if document.name == "rules.md"]
    one.page.locator("#document-list button", has_text="rules.md").click()
    places = [
        n
        for n, cell in enumerate(result.cells)
        if cell.chunker == WAYS[way].name and cell.size is not None and not cell.overlap
    ]
    for place in places[:4]:
        one.select(place)
        cell = result.cells[place]
        spans = WAYS[way].at(cell.size, cell.overlap).spans(document)
        bounds = [start for start, _ in spans.tolist()]
        expected = "".join("|" * (place in bounds) + text for place, text in enumerate(document.text))
        assert one.page.evaluate(CHUNKS) == expected


def test_a_question_opens_at_its_evidence_and_says_which_chunk_has_what(opened):
    result, _, labels = demo()
    one = opened()
    cell = next(n for n, cell in enumerate(result.cells) if cell.split_questions and cell.overlap == 0)
    one.select(cell)
    name = result.cells[cell].split_question_ids[0]
    [located] = [located for located in labels.valid if located.question.id == name]
    one.page.locator("#question-list button", has=one.page.locator(f".name:text-is('{name}')")).click()
    assert located.question.question in one.text("#asked")
    assert "No chunk holds all" in one.text("#asked")
    assert one.page.locator("#text .cut.harmful").count() >= 1
    marked = "".join(one.page.locator("#text mark.own").all_inner_texts())
    assert any(quote.text.replace("\n", "") in marked.replace("\n", "") for quote in located.question.quotes)
    assert one.page.locator("#text mark.own").first.is_visible()


@pytest.mark.parametrize("kind", ["sweep", "structure"])
def test_a_document_opens_at_its_first_harmful_cut(opened, kind):
    one = opened(f"{kind}-en")
    one.select(0)
    button = one.page.locator("#document-list button").first
    assert "cut" in button.inner_text()
    button.click()
    harmful = one.page.locator("#text .cut.harmful")
    assert harmful.count() >= 1
    assert harmful.first.is_visible()
    if kind == "structure":
        assert one.page.locator("#text .lost").count() >= 1


def test_filter_and_search_narrow_the_questions(opened):
    result = demo()[0]
    one = opened()
    cell = max(range(len(result.cells)), key=lambda n: result.cells[n].split_questions)
    one.select(cell)
    one.page.locator("#filters input[value=c]").check(force=True)
    assert one.page.locator("#question-list button").count() == result.cells[cell].split_questions
    assert set(one.page.locator("#question-list .state").all_inner_texts()) == {"answer cut"}
    one.page.locator("#filters input[value='']").check(force=True)
    one.page.fill("#search", "t3")
    assert one.page.locator("#question-list .name").all_inner_texts() == ["t3"]
    assert one.text("#found") == "1 of 13 questions"


def test_documents_stand_worst_first(opened):
    result = demo()[0]
    one = opened()
    cell = max(range(len(result.cells)), key=lambda n: result.cells[n].split_evidence)
    one.select(cell)
    told = one.page.locator("#document-list .state").all_inner_texts()
    cuts = [int(text.split()[0]) if text[0].isdigit() else 0 for text in told]
    assert cuts == sorted(cuts, reverse=True)
    assert sum(cuts) == result.cells[cell].split_evidence


def test_everything_can_be_done_with_keys_alone(opened):
    one = opened()
    page = one.page
    page.select_option("#line", "0")  # the advised setting may have no size
    one.settle()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.closest('ol,fieldset')?.id || ''")
        )
        if reached[-1] == "text" or reached[-1] == "document-list":
            break
    assert [name for name in ("line", "size", "filters", "search", "question-list", "document-list") if name in reached] == [
        "line", "size", "filters", "search", "question-list", "document-list",
    ]  # fmt: skip
    page.keyboard.press("Enter")
    assert page.locator("#text").is_visible()
    assert page.evaluate("document.activeElement.closest('ol').id") == "document-list"
    before = one.cell
    page.focus("#size")
    page.keyboard.press("ArrowRight")
    one.settle()
    assert one.cell != before
    assert page.evaluate("document.activeElement.id") == "size"


def test_nothing_of_hostile_documents_runs_and_what_is_hidden_is_shown(opened):
    one = opened("hostile")
    page = one.page
    for button in page.locator("#document-list button").all():
        button.click()
    for button in page.locator("#question-list button").all():
        button.click()
    page.locator("#document-list button", has_text="script").click()
    assert page.evaluate("window.hacked") is None
    assert page.locator("#text script, #text img, #text a, #text b").count() == 0
    shown = one.text("#text")
    assert "<script>window.hacked=1</script>" in shown
    assert "</script><script>window.hacked=2</script>" in shown
    codes = page.locator("#text .hidden").all_inner_texts()
    assert {"U+202E", "U+2028", "U+0000", "U+001B"} <= set(codes)
    assert page.evaluate("() => { try { return eval('1') } catch (error) { return 'refused' } }") in (1, "refused")


def test_the_browser_itself_refuses_a_script_that_is_not_the_page_s(browser, files, tmp_path):
    """Were a tag to slip through all the same, the policy would stop it."""
    text = (files / "sweep-en.html").read_text("utf-8")
    broken = text.replace("<main>", "<main><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>")
    path = tmp_path / "broken.html"
    path.write_text(broken, "utf-8")
    one = Opened(browser, path)
    assert one.page.evaluate("window.hacked") is None
    assert any("Content Security Policy" in text for text in one.complaints)
    assert one.page.locator("#document-list button").count()
    one.page.context.close()


def test_a_line_of_a_million_characters_can_be_looked_at(browser, tmp_path):
    from chunkscope import Document, FixedChunker, sweep

    document = Document("long.md", "鮪😀" * 500_000)
    result = sweep([document], chunkers="fixed", sizes=[500, 700], overlaps=[0])
    path = tmp_path / "long.html"
    path.write_text(html(result, [document], None, [FixedChunker()]), "utf-8")
    one = Opened(browser, path)
    one.page.locator("#document-list button").click()
    assert len(one.page.locator("#text").text_content()) < 60_000
    assert one.page.locator("#text .cut").count() > 10
    before = one.page.locator("#text .cut").count()
    one.page.get_by_role("button", name="Show what follows").click()
    assert one.page.locator("#text .cut").count() > before
    assert one.complaints == []
    one.page.context.close()


AXE = os.environ.get("CHUNKSCOPE_AXE", "")


@pytest.mark.skipif(not os.path.isfile(AXE), reason="CHUNKSCOPE_AXE names no axe.min.js (npm pack axe-core)")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_serious_fault(browser, files, name, scheme):
    one = Opened(browser, files / f"{name}.html", color_scheme=scheme, bypass_csp=True)
    button = one.page.locator("#question-list button, #document-list button").first
    button.click()
    one.page.locator("details summary").click()
    one.page.add_script_tag(path=AXE)
    found = one.page.evaluate(
        "async () => (await axe.run()).violations.map((one) => [one.impact, one.id, one.nodes.map((node) => node.html.slice(0, 200)).slice(0, 3)])"
    )
    assert [one for one in found if one[0] in ("serious", "critical")] == []
    one.page.context.close()


def test_what_came_first_opens_at_its_place(browser, tmp_path):
    from chunkscope.retrieval import Bm25Retriever, RetrievalSettings
    from chunkscope.retrieval.recall import prepare_recall

    _, corpus, labels = demo()
    asked = {"chunkers": WAYS, "sizes": "200,400", "overlaps": "0"}
    result = prepare_recall(corpus, labels, [Bm25Retriever()], RetrievalSettings(), keep_shown=True, **asked).run()
    path = tmp_path / "recall.html"
    path.write_text(html(result, corpus, labels, WAYS), "utf-8")
    one = Opened(browser, path)
    best = next(entry for entry in result.retrieval["best_of_ways"] if entry["chunker"] == "fixed")
    cell = next(
        n for n, cell in enumerate(result.cells) if cell.key == (best["chunker"], "char", best["size"], best["overlap"])
    )
    one.select(cell)
    one.page.locator("#question-list button").first.click()
    if not one.page.locator("#asked details li").first.is_visible():
        one.page.locator("#asked summary").click()
    name = one.page.locator("#question-list button").first.locator(".name").inner_text()
    [found] = [entry for entry in result.ranks[result.cells[cell].key, "bm25"] if entry.id == name]
    told = one.page.locator("#asked details li button").all_inner_texts()
    assert told == [hit.document for hit in found.above]
    one.page.locator("#asked details li button").last.click()
    one.settle()
    assert one.text("#viewer-heading") == told[-1]
    assert one.page.locator("#text .target").count() == 1
    assert one.complaints == []
    one.page.context.close()
