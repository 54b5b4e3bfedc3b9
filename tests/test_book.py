"""The built book, page by page, in a real browser: complete, readable, and without a network.

It is the book that `make book` leaves (`make test` builds it first), read over file:// as a reader
opens it.
"""

import os
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest
import yaml

from longfat.paths import DATA, NOTEBOOKS

ROOT = DATA.parent
HTML = ROOT / "build" / "book" / "_build" / "html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A browser that runs as root, in a container, and asks nobody for anything.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chapters() -> list[str]:
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text())
    return [toc["root"], *(c["file"] for part in toc["parts"] for c in part["chapters"])]


PAGES = chapters()
CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]


@pytest.fixture(scope="module")
def browser():
    if not HTML.joinpath("index.html").is_file():
        pytest.fail("the book is not built; `make test` builds it, and so does `make book`")
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not executable:
        if os.environ.get("CI"):
            pytest.fail(f"no browser found: one of {', '.join(BROWSERS)} is needed")
        pytest.skip(f"no browser found (one of {', '.join(BROWSERS)})")
    playwright_api = pytest.importorskip("playwright.sync_api")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Open a page of the book; at the end demand that nothing failed and nothing was fetched."""
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
    page.wait_for_load_state("networkidle")
    context.close()
    assert not problems


@pytest.mark.parametrize("name", PAGES)
def test_page_is_complete(visit, name):
    page = visit(name)
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


@pytest.mark.parametrize("name", PAGES)
def test_images_are_loaded_and_described(visit, name):
    page = visit(name)
    images = page.locator("article img").evaluate_all(
        "images => images.map(i => ({src: i.src, width: i.naturalWidth, alt: i.alt}))"
    )
    if name in CHAPTERS:
        assert images
    for image in images:
        assert image["width"] > 0, image["src"]
        assert len(image["alt"].split()) > 3, f"no description: {image['src']}"


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_has_numbered_equations_and_no_failed_cell(visit, name):
    page = visit(name)
    numbers = page.locator("article .eqno").all_text_contents()
    assert numbers
    assert len(set(numbers)) == len(numbers)
    output = " ".join(page.locator(".cell_output").all_text_contents())
    assert "Traceback (most recent call last)" not in output


@pytest.mark.parametrize("name", PAGES)
def test_links_within_the_book_lead_somewhere(visit, name):
    page = visit(name)
    links = page.locator("a[href]").evaluate_all("a => a.map(x => x.getAttribute('href'))")
    here = HTML.joinpath(f"{name}.html").as_uri()
    assert links
    for link in links:
        target, fragment = urldefrag(urljoin(here, link))
        if not target.startswith("file://"):
            continue
        path = Path(unquote(urlparse(target).path))
        assert path.is_file(), f"{link}: no such file"
        if fragment and path.suffix == ".html":
            ids = re.findall(r'\b(?:id|name)="([^"]*)"', path.read_text(encoding="utf-8"))
            assert unquote(fragment) in ids, f"{link}: no such place on the page"


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_can_be_downloaded_and_launched(visit, name):
    page = visit(name)
    downloads = page.locator("a.btn-download-source-button").evaluate_all("a => a.map(x => x.href)")
    notebook = Path(unquote(urlparse(downloads[0]).path))
    assert notebook.suffix == ".ipynb"
    assert '"nbformat": 4' in notebook.read_text(encoding="utf-8")
    repository = yaml.safe_load((ROOT / "book" / "_config.yml").read_text())["repository"]
    owner_and_name = repository["url"].removeprefix("https://github.com/")
    launch = page.locator("a[href*='mybinder.org']").first.get_attribute("href")
    assert f"/gh/{owner_and_name}/{repository['branch']}?" in launch
    assert launch.endswith(f"{name}.ipynb")
    assert NOTEBOOKS.joinpath(f"{Path(name).name}.ipynb").is_file()


def test_search_finds_a_chapter(visit):
    page = visit("search", "?q=geostationary")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    assert any("notebooks/hybla" in link.get_attribute("href") for link in results.all())


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


def test_licences_are_named_on_every_page(visit):
    for name in PAGES:
        footer = visit(name).locator("footer").all_text_contents()
        assert "CC-BY-4.0" in " ".join(footer)
        assert "GPL-2.0-only" in " ".join(footer)
