"""The built book, page by page, in a real browser: complete, readable, and without a network.

It is the book that `make book` leaves (`make test` builds it first), read over file:// as a reader
opens it.
"""

import contextlib
import functools
import io
import re
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urldefrag, urljoin, urlparse

import nbformat
import pytest
import yaml
from matplotlib.image import imread
from pages import HTML, letters_px

from longfat.book import figures, tables, verdicts
from longfat.book.chapters import LONG
from longfat.paths import DATA, NOTEBOOKS

ROOT = DATA.parent
pytestmark = pytest.mark.usefixtures("built_book")
TOC = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text())


def files(chapters: list[dict]) -> list[str]:
    """Return the pages of these chapters: each with those that are sections of it."""
    return [page for one in chapters for page in [one["file"], *files(one.get("sections", []))]]


PARTS = {part["caption"]: files(part["chapters"]) for part in TOC["parts"]}
PAGES = [TOC["root"], *(page for part in PARTS.values() for page in part)]
CHAPTERS = PARTS["Papers"]
PAPERS = [page for page in CHAPTERS if not page.endswith(LONG)]
WIDTHS = (1400, 1024, 390)
# These at each change, the others with what takes longer: each page is asked everything there is.
OFTEN = [TOC["root"], "book/scoreboard", *PAPERS]


def each(pages: list[str]):
    """Return the pages as parameters of tests."""
    return [pytest.param(one, marks=[] if one in OFTEN else pytest.mark.slow) for one in pages]


@contextlib.contextmanager
def reader(browser):
    """Yield a function that opens a page; at the end demand that nothing failed or was fetched."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems = []
    page.on("console", lambda m: m.type == "error" and problems.append(f"console: {m.text}"))
    page.on("pageerror", lambda error: problems.append(f"script: {error}"))
    page.on("requestfailed", lambda request: problems.append(f"failed: {request.url}"))

    def note_request(request):
        if not request.url.startswith(("file://", "data:", "blob:")):
            problems.append(f"asked the network: {request.url}")

    page.on("request", note_request)

    def open_page(name: str, query: str = ""):
        page.goto(HTML.joinpath(f"{name}.html").as_uri() + query, wait_until="load")
        page.evaluate(
            "() => window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => 0) : 0"
        )
        return page

    yield open_page
    page.wait_for_timeout(500)  # for late requests; "networkidle" is not certain to come on file://
    context.close()
    assert not problems


def resize(page, width_px: int, height_px: int = 900):
    """Show a page so large, and wait for the pictures that it then asks for.

    A picture on its way has no address, and another change of width would abort it.
    """
    page.set_viewport_size({"width": width_px, "height": height_px})
    page.evaluate(
        "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    page.wait_for_function("() => [...document.images].every(image => image.complete)")


@pytest.fixture
def visit(browser):
    """Open pages of the book one after the other, in a context of the test's own."""
    with reader(browser) as open_page:
        yield open_page


@pytest.fixture(scope="module", params=each(PAGES))
def page(browser, request):
    """A page of the book, loaded once and asked everything: a test leaves it as it was."""
    with reader(browser) as open_page:
        page = open_page(request.param)
        page.name = request.param
        yield page


def test_the_whole_book_is_not_large(built_book):
    assert sum(path.stat().st_size for path in built_book.rglob("*") if path.is_file()) <= 45e6


of_chapters = pytest.mark.parametrize("page", each(CHAPTERS), indirect=True)


def test_page_is_complete(page):
    assert page.locator("article h1").count() == 1
    equations = page.locator("article .math")
    assert page.locator("article .math mjx-container svg").count() >= equations.count()
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    text = page.locator("article").evaluate(
        """article => {
            const copy = article.cloneNode(true);
            copy.querySelectorAll('pre, code, mjx-container, script').forEach(e => e.remove());
            return copy.textContent;
        }"""
    )
    assert not re.search(r"\\[a-zA-Z]{2,}|\\[\[(]|\$\$|\{(cite|eq|numref|doc|ref)[:}]", text)
    assert page.locator("article .system-message, article .problematic").count() == 0


def test_images_are_loaded_and_described(page):
    images = page.locator("article img").evaluate_all(
        "images => images.map(i => ({src: i.src, width: i.naturalWidth, alt: i.alt}))"
    )
    if page.name in CHAPTERS:
        assert images
    for image in images:
        assert image["width"] > 0, image["src"]
        assert len(image["alt"].split()) > 3, f"no description: {image['src']}"


def test_equation_n_of_a_paper_reads_n(page):
    numbered = page.locator("article div.math:has(.eqno)").evaluate_all(
        "all => all.map(e => [e.id, e.querySelector('.eqno').textContent])"
    )
    for identity, text in numbered:
        own = re.fullmatch(r"equation-[a-z]+-(\d+[a-z]?)(-again)?", identity)
        number = re.search(r"\((\w+)\)", text)[1]
        assert number == own[1] if own else number.isalpha(), identity
    for target, text in page.locator("article a[href*='#equation-']:not(.headerlink)").evaluate_all(
        "all => all.map(a => [a.getAttribute('href'), a.textContent])"
    ):
        if own := re.search(r"#equation-[a-z]+-(\d+[a-z]?)(-again)?$", target):
            assert text.strip() == f"({own[1]})", target


def test_every_paper_has_its_equations_somewhere():
    for paper in PAPERS:
        name = Path(paper).name
        pages = [page for page in CHAPTERS if Path(page).name.removesuffix(LONG) == name]
        html = " ".join(HTML.joinpath(f"{page}.html").read_text("utf-8") for page in pages)
        assert f'id="equation-{name}-1"' in html


def test_every_figure_has_a_number_and_a_caption(page):
    captions = page.locator("article figure figcaption").all_text_contents()
    figures_ = page.locator("article figure").count()
    assert len(captions) == figures_
    numbered = [text for text in captions if re.match(r"\s*Figure \d+(\.\d+)? \S", text)]
    if page.name in CHAPTERS:
        assert len(numbered) == figures_
        assert len({text.split()[1] for text in numbered}) == figures_


@of_chapters
def test_code_is_folded_and_a_switch_shows_all_of_it(page):
    shown = page.locator("article .cell_input").evaluate_all(
        "all => all.filter(e => e.checkVisibility() && !e.closest('.tag_open')).length"
    )
    assert shown == 0
    switch = page.get_by_role("button", name="Show all code")
    switch.focus()
    page.keyboard.press("Enter")
    hidden = "all => all.filter(e => !e.checkVisibility()).length"
    assert page.locator("article .cell_input").evaluate_all(hidden) == 0
    switch.click()
    summaries = page.locator("details.longfat-code > summary").all_text_contents()
    assert not [text for text in summaries if len(text) > 130]


WIDER = """() => {
    const article = document.querySelector('article.bd-article');
    const right = article.getBoundingClientRect().right;
    const seen = [];
    for (const one of article.querySelectorAll(':not(svg *, mjx-assistive-mml *)')) {
        const box = one.getBoundingClientRect();
        if (box.width <= 1 || box.right <= right + 2 || !one.checkVisibility()) continue;
        if (!one.parentElement.closest('.longfat-scrolls'))
            seen.push(`${Math.round(box.right - right)} px: ${one.outerHTML.slice(0, 160)}`);
    }
    return seen;
}"""


def test_nothing_is_wider_than_its_place_unless_it_says_that_it_scrolls(page):
    """On a desk, a tablet, a phone; there pages scroll only downwards, and letters are legible."""
    from playwright.sync_api import TimeoutError as StillWider

    found = []
    for width in WIDTHS:
        resize(page, width)
        page.wait_for_timeout(300)  # the page looks again a tenth of a second after a change
        try:  # or later, where the machine is busy
            page.wait_for_function(f"() => !({WIDER})().length", timeout=5000)
        except StillWider:
            found += [f"at {width}: {one}" for one in page.evaluate(WIDER)]
        hints = page.locator(".longfat-scrolls:not(mjx-container)").evaluate_all(
            "all => all.filter(e => e.checkVisibility() &&"
            " !e.nextElementSibling?.matches('.longfat-scroll-hint')).length"
        )
        assert hints == 0
    scrolled = page.evaluate("() => document.documentElement.scrollWidth")
    wide = page.locator("article img, article .longfat-explorer svg").evaluate_all(
        f"""all => all.filter(e => e.getBoundingClientRect().right > {WIDTHS[-1]})
            .map(e => e.outerHTML.slice(0, 200))"""
    )
    drawn = page.locator("article figure img, .longfat-card img").evaluate_all(
        "all => all.map(e => [e.currentSrc, e.clientWidth])"
    )
    resize(page, 1280)
    assert not found, "\n".join(found)
    assert scrolled <= WIDTHS[-1]
    assert not wide
    files = [(Path(unquote(urlparse(url).path)), width) for url, width in drawn]
    small = {path.name: px for path, width in files if (px := letters_px(path, width)) < 7}
    assert not small


@pytest.mark.slow
def test_a_term_and_a_symbol_say_what_they_are(visit):
    page = visit("book/reading")
    page.locator("a.reference", has_text="goodput").focus()
    page.get_by_role("status").filter(has_text="payload").wait_for()
    page.keyboard.press("Escape")
    assert not page.locator(".longfat-tip").is_visible()
    page = visit("notebooks/hybla")
    page.wait_for_function("() => document.querySelector('.longfat-explained')")
    page.locator(".longfat-explained").first.focus()
    page.locator(".longfat-tip").filter(has_text=re.compile("window|round trip|lost")).wait_for()


@pytest.mark.slow
def test_cards_are_searched(visit):
    page = visit("book/catalogue")
    cards = page.locator(".longfat-card")
    everything = cards.count()
    assert everything == len(tables.catalogue())
    page.get_by_role("searchbox", name="with the words").fill("satellite_or nothing")
    assert cards.locator("visible=true").count() == 0
    page.get_by_role("searchbox", name="with the words").fill("estimates bandwidth")
    assert 0 < len(cards.locator("visible=true").all()) < everything
    assert page.locator(".longfat-card img").count() > 20


@of_chapters
def test_chapter_has_no_failed_cell(page):
    output = " ".join(page.locator(".cell_output").all_text_contents())
    assert "Traceback (most recent call last)" not in output


@of_chapters
def test_an_explorers_slider_moves_its_curve(page):
    for explorer in page.locator(".longfat-explorer:has(path[data-curve])").all():
        curves = explorer.locator("path[data-curve]")
        drawn = curves.evaluate_all("paths => paths.map(path => path.getAttribute('d'))")
        explorer.get_by_role("slider").last.press("PageDown")
        assert drawn != curves.evaluate_all("paths => paths.map(path => path.getAttribute('d'))")


def test_each_cell_of_the_league_opens_its_evidence(visit):
    """A number opens so many rows, a name the row of that criterion; all of that sender."""
    page = visit("book/evaluate")
    row = page.locator(".table-evaluate-league tbody tr").filter(has_text="starvation").first
    sender = row.locator("td").first.inner_text()
    link = row.locator("td").nth(4).get_by_role("link")
    count = int(link.inner_text())
    link.click()
    page.wait_for_url("**/cards.html#*")
    shown = page.locator(".table-evaluate-cards tbody tr:visible")
    assert shown.count() == count
    assert {shown.nth(one).locator("td").first.inner_text() for one in range(count)} == {sender}
    page.go_back()
    row.get_by_role("link", name="starvation").click()
    page.wait_for_url("**/cards.html#*")
    assert shown.count() == 1
    assert sender in shown.inner_text() and "starvation" in shown.inner_text()


def test_the_scoreboard_is_filtered_by_keyboard_and_says_how_many_are_left(visit):
    page = visit("book/scoreboard")
    rows = page.locator(".longfat-table:has(.longfat-filter) tbody tr")
    everything = rows.count()
    sentences = verdicts.sentences()
    assert everything == len(sentences)
    status = page.get_by_role("status")
    assert status.text_content() == f"{everything} of {everything}"
    page.get_by_role("combobox", name="paper").focus()
    page.keyboard.type("tcpj")
    page.get_by_role("combobox", name="verdict").select_option("reproduced")
    left = [row.text_content() for row in rows.locator("visible=true").all()]
    expected = sentences.query("paper == 'tcpj' and verdict == 'reproduced'")
    assert 0 < len(left) == len(expected) < everything
    assert all("tcpj" in text and "reproduced" in text for text in left)
    assert status.text_content() == f"{len(left)} of {everything}"


@pytest.mark.parametrize("width", [1400, 390])
def test_the_scoreboard_fits_two_screens_before_its_list(visit, width):
    """And on a phone a statement is a card: nothing of it is beyond the edge."""
    height = {1400: 900, 390: 844}[width]
    page = visit("book/scoreboard")
    resize(page, width, height)
    # All at one moment: the page above may still be laid out for the new width.
    cells = page.locator(".table-scoreboard tbody tr").first.locator("td")
    cells = cells.evaluate_all("cells => cells.map(cell => cell.getBoundingClientRect().toJSON())")
    assert cells[0]["top"] <= 2 * height
    assert all(cell["left"] >= 0 and cell["right"] <= width for cell in cells)
    claim, measured, reason = cells[2:5]
    below_each_other = claim["y"] < measured["y"] < reason["y"]
    assert below_each_other == (width == 390)
    if width == 390:
        paper, verdict = cells[0], cells[5]
        assert paper["y"] == verdict["y"] < claim["y"]


def test_the_front_page_says_what_was_found_and_shows_it(visit):
    page = visit("book/intro")
    found = page.locator(".longfat-front li").all_text_contents()
    assert len(found) == 5
    assert f"{len(verdicts.sentences())} statements" in found[-1]
    assert page.locator("article figure img[alt*='satellite']").count() == 1
    assert page.locator("article .sd-card a").count() == 3


def shown(page: str) -> set[str]:
    """Return the names of the figures and tables in the outputs of a page's notebook."""
    notebook = nbformat.read(NOTEBOOKS / f"{Path(page).name}.ipynb", as_version=4)
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    described = [kind for one in outputs for kind in one.get("metadata", {}).values()]
    return {one["name"] for one in described if isinstance(one, dict) and one.get("name")}


@of_chapters
def test_each_figure_and_table_says_what_makes_it_again_and_offers_its_data(page):
    lines = page.locator(".longfat-provenance")
    said = lines.locator("code:first-child").all_text_contents()
    expected = shown(page.name) & set(figures.experiments())
    assert sorted(said) == sorted(f"longfat figure {name}" for name in expected)
    for line in lines.all():
        figure = line.locator("code").first.text_content().removeprefix("longfat figure ")
        [link] = line.locator("a[download]").evaluate_all("a => a.map(x => x.href)")
        path = Path(unquote(urlparse(link).path))
        assert path.name == f"{figure}.csv"
        assert len(path.read_text("utf-8").splitlines()) > 1


# By hand: what has runs on ns-3 in it, and what has none.
ON_NS3 = {"survey-check", "tcpj-engines", "ucc-engines"}
NOT_ON_NS3 = {"survey-1", "survey-10g"}


@of_chapters
def test_what_rests_on_ns3_leads_to_its_faults(page):
    made = page.locator(".longfat-provenance code").all_text_contents()
    said = page.locator(".longfat-of-ns3")
    beside = said.locator("xpath=following-sibling::details[1]//p/code[1]").all_text_contents()
    here = {line.removeprefix("longfat figure ") for line in made}
    named = {line.removeprefix("longfat figure ") for line in beside}
    assert ON_NS3 & here <= named
    assert not NOT_ON_NS3 & named
    for line in said.all():
        assert line.text_content().startswith("What is ns-3’s here has the faults of its socket")
        assert line.locator("a").get_attribute("href").endswith("faults.html")


@functools.cache
def page_of(path: Path) -> tuple[set[str], list[str], set[str]]:
    """Return a page's places, by which columns each of its tables is filtered, its networks."""
    text = path.read_text(encoding="utf-8")
    return (
        set(re.findall(r'\b(?:id|name)="([^"]*)"', text)),
        re.findall('data-columns="(.*?)"', text),
        set(re.findall('data-laboratory="(.*?)"', text)),
    )


def test_links_within_the_book_lead_somewhere(page):
    links = page.locator("a[href]").evaluate_all("a => a.map(x => x.getAttribute('href'))")
    here = HTML.joinpath(f"{page.name}.html").as_uri()
    assert links
    for link in links:
        target, fragment = urldefrag(urljoin(here, link))
        if not target.startswith("file://"):
            continue
        path = Path(unquote(urlparse(target).path))
        assert path.is_file(), f"{link}: no such file"
        if not fragment or path.suffix != ".html":
            continue
        places, tables, networks = page_of(path)
        if fragment.startswith("lab="):  # a state of the Laboratory, for a panel on that page
            assert parse_qs(fragment)["lab"][0] in networks, link
        elif "=" in fragment:  # rows that a table's filter there chooses
            [columns] = tables
            assert set(parse_qs(fragment)) <= set(columns.split(",")), link
        else:
            assert unquote(fragment) in places, f"{link}: no such place on the page"


@of_chapters
def test_chapter_can_be_downloaded_and_launched(page):
    downloads = page.locator("a.btn-download-source-button").evaluate_all("a => a.map(x => x.href)")
    notebook = Path(unquote(urlparse(downloads[0]).path))
    assert notebook.suffix == ".ipynb"
    assert '"nbformat": 4' in notebook.read_text(encoding="utf-8")
    repository = yaml.safe_load((ROOT / "book" / "_config.yml").read_text())["repository"]
    owner_and_name = repository["url"].removeprefix("https://github.com/")
    launch = page.locator("a[href*='mybinder.org']").first.get_attribute("href")
    assert f"/gh/{owner_and_name}/{repository['branch']}?" in launch
    assert launch.endswith(f"{page.name}.ipynb")
    assert NOTEBOOKS.joinpath(f"{Path(page.name).name}.ipynb").is_file()


@pytest.mark.parametrize(
    ("term", "found"),
    [("geostationary", "notebooks/hybla"), ("輻輳崩壊", "book/glossary")],
)
def test_search_finds_a_term_in_english_and_in_japanese(visit, term, found):
    page = visit("search", f"?q={quote(term)}")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    assert any(found in link.get_attribute("href") for link in results.all())


def test_search_finds_nothing_where_there_is_nothing(visit):
    page = visit("search", "?q=xylophonist")
    page.locator("#search-results p.search-summary", has_text="did not match").wait_for()
    assert page.locator("#search-results li").count() == 0


def test_dark_mode(visit):
    page = visit("book/intro")

    def brightness() -> float:
        color = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3

    page.evaluate("() => localStorage.clear()")
    seen = {}
    for _ in range(3):  # automatic, light, dark
        page.locator(".theme-switch-button").locator("visible=true").first.click()
        seen[page.evaluate("() => document.documentElement.dataset.theme")] = brightness()
    assert seen["light"] > 200
    assert seen["dark"] < 60


@pytest.mark.slow
def test_pictures_have_the_pages_colours(visit):
    page = visit(PAPERS[0])
    picture = page.locator("article figure img").first
    picture.scroll_into_view_if_needed()
    seen = {}
    for theme in "light", "dark":
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        page.wait_for_timeout(500)  # colours fade
        seen[theme] = imread(io.BytesIO(picture.screenshot()))[..., :3].mean()
    assert seen["light"] > 0.8
    assert seen["dark"] < 0.25


# One element of each look that text has: its colour, size and weight, and what is behind it.
MARK_LOOKS = """() => {
    document.querySelectorAll('[data-look]').forEach(e => e.removeAttribute('data-look'))
    const looks = new Set()
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (words.nextNode()) {
        const own = words.currentNode.parentElement
        if (!words.currentNode.data.trim() || !own.checkVisibility()) continue
        const behind = []
        for (let element = own; element; element = element.parentElement) {
            const style = getComputedStyle(element)
            behind.push(style.backgroundColor + style.backgroundImage + style.opacity)
        }
        const { color, fontSize, fontWeight } = getComputedStyle(own)
        const look = [color, fontSize, fontWeight, ...new Set(behind)].join()
        if (!looks.has(look)) [own, own.closest('a')].forEach(e => e?.setAttribute('data-look', ''))
        looks.add(look)
    }
}"""

LIFT_DRAWINGS = """() => {
    const drawings = [...document.querySelectorAll('mjx-container > svg[aria-hidden=true]')]
    longfatLifted = drawings.map(svg => [svg, [...svg.children]])
    drawings.forEach(svg => svg.replaceChildren())
}"""


@pytest.mark.slow
def test_nothing_shuts_a_reader_out(page):
    """axe-core finds nothing serious: contrast, names, roles, what keys can reach.

    Colours are asked of each look once, in the light and in the dark; all else does not hang on
    them. What is drawn within an equation is hidden from it, as it is from whoever reads by ear.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    theme = page.evaluate("() => document.documentElement.dataset.theme")
    serious = []
    everything = {"preload": False, "resultTypes": ["violations"]}
    colours = ["color-contrast", "link-in-text-block"]
    others = {"rules": {rule: {"enabled": False} for rule in colours}}
    looks = {"include": [["[data-look]"]]}
    page.evaluate(LIFT_DRAWINGS)
    # After a change of width the page looks again which of its tables are scrolled.
    page.wait_for_function(
        "() => !document.querySelector('.longfat-scrolls[tabindex=\"-1\"]')", timeout=5000
    )
    for scheme, rules, where in (
        ("light", others, None),
        ("light", {"runOnly": colours}, looks),
        ("dark", {"runOnly": colours}, looks),
    ):
        page.evaluate(
            """async scheme => {
                document.documentElement.dataset.theme = scheme
                const fades = document.getAnimations().filter(a => a instanceof CSSTransition)
                await Promise.allSettled(fades.map(fade => fade.finished))
            }""",
            scheme,
        )
        if where:
            page.evaluate(MARK_LOOKS)
        found = axe.run(page, where, everything | rules).response["violations"]
        serious += [
            f"{scheme}: {rule['id']} ({len(rule['nodes'])}): {rule['nodes'][0]['html'][:200]}"
            for rule in found
            if rule["impact"] in ("serious", "critical")
        ]
    page.evaluate(
        """theme => {
            document.documentElement.dataset.theme = theme
            document.querySelectorAll('[data-look]').forEach(e => delete e.dataset.look)
            longfatLifted.forEach(([svg, drawn]) => svg.replaceChildren(...drawn))
        }""",
        theme,
    )
    assert not serious, "\n".join(serious)


def test_a_keyboard_alone_reaches_the_text_and_the_search(visit):
    page = visit("book/intro")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent").strip() == (
        "Skip to main content"
    )
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(
        "() => document.querySelector('#main-content').contains(document.activeElement)"
    )
    page.keyboard.press("Control+k")
    assert page.evaluate("() => document.activeElement.type") == "search"


def test_the_licences_are_named(page):
    footer = page.locator("footer").all_text_contents()
    assert "CC-BY-4.0" in " ".join(footer)
    assert "GPL-2.0-only" in " ".join(footer)
