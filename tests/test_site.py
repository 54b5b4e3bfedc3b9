"""The book as a site: served under a sub-path, walked link by link in a real browser."""

import functools
import gzip
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urldefrag, urlsplit
from xml.etree import ElementTree

import pytest
import yaml

from longfat.book.sphinx import PDF
from longfat.paths import DATA

pytestmark = pytest.mark.slow
UNDER = "/a/sub-path/"
FIRST_PAGE_BYTES = 1.5e6  # over the wire
COMPRESSED = (".html", ".css", ".js", ".svg", ".json", ".xml", ".txt")  # as hosts of pages do
BASE = yaml.safe_load((DATA.parent / "book" / "_config.yml").read_text())["html"]["baseurl"]


@functools.cache
def compressed(file: Path) -> bytes:
    """Each page asks for the same scripts."""
    return gzip.compress(file.read_bytes())


class Host(SimpleHTTPRequestHandler):
    """Serves a folder under `UNDER`, and the page 404.html for what is not in it."""

    def do_GET(self):
        if (
            self.path == "/favicon.ico"
        ):  # a browser asks the host for it, of a page that only redirects
            self.send_response(204)
            self.end_headers()
            return
        inside = urlsplit(self.path).path.removeprefix(UNDER) or "index.html"
        file, status = self.server.folder / inside, 200
        if not file.is_file():
            file, status = self.server.folder / "404.html", 404
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(str(file)))
        if file.suffix in COMPRESSED:
            self.send_header("Content-Encoding", "gzip")
        content = compressed(file) if file.suffix in COMPRESSED else file.read_bytes()
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.server.sent_bytes += len(content)

    def log_message(self, *_):
        """Say nothing of each request."""


@pytest.fixture
def host(built_book) -> Iterator[ThreadingHTTPServer]:
    """The site's server, with its address and the bytes that it has sent."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        server.folder, server.sent_bytes = built_book, 0
        server.address = f"http://127.0.0.1:{server.server_port}{UNDER}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def page(browser):
    """A page of the browser, and what goes wrong on it."""
    with browser.new_context() as context:
        page = context.new_page()
        page.problems = []
        page.on(
            "console", lambda m: m.type == "error" and page.problems.append(f"{page.url}: {m.text}")
        )
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("response", lambda answer: answer.ok or page.problems.append(answer.url))
        yield page


def listed(built_book: Path) -> list[str]:
    """Return the pages that the site lists for search engines, from its own top."""
    name = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
    found = [one.text for one in ElementTree.parse(built_book / "sitemap.xml").iter(name)]
    assert all(url.startswith(BASE) for url in found)
    return [url.removeprefix(BASE) for url in found]


def test_each_link_of_each_page_leads_somewhere(host, page, built_book):
    pages = listed(built_book)
    assert {"book/intro.html", "notebooks/hybla.html"} <= set(pages)
    targets: dict[str, set[str]] = {}  # of the site's own pages: what is linked in them
    anchors: dict[str, set[str]] = {}
    for name in pages:
        assert page.goto(host.address + name, wait_until="networkidle").ok, name
        anchors[name] = set(page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)"))
        for link in page.evaluate("[...document.links].map(a => a.href)"):
            url, fragment = urldefrag(link)
            if url.startswith(host.address):
                targets.setdefault(url.removeprefix(host.address), set()).add(fragment)
    assert not page.problems
    missing = [
        target
        for target in sorted(targets.keys() - anchors.keys())
        if not page.request.get(host.address + target).ok
    ]
    nowhere = [
        f"{name}#{fragment}"
        for name, fragments in targets.items()
        for fragment in fragments - {""}
        if name in anchors and fragment not in anchors[name] and "=" not in fragment  # a setting
    ]
    assert not missing and not nowhere


def test_the_first_page_is_not_heavy(host, page):
    page.goto(host.address, wait_until="networkidle")
    assert "Long, Fat & Lossy" in page.title()
    assert 0 < host.sent_bytes <= FIRST_PAGE_BYTES
    assert not page.problems


def test_what_is_not_there_has_a_page_that_leads_back(built_book):
    """Whatever the depth it is shown at, so that its links begin at the host's top."""
    text = (built_book / "404.html").read_text("utf-8")
    assert f'href="{urlsplit(BASE).path}index.html"' in text
    assert 'href="_static' not in text and 'src="_static' not in text


def test_a_link_to_a_page_can_be_shown_as_a_card(page, built_book):
    page.goto((built_book / "notebooks" / "hybla.html").as_uri())
    card = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('meta[property^=\"og:\"]')]"
        ".map(e => [e.getAttribute('property'), e.content]))"
    )
    assert card["og:url"] == f"{BASE}notebooks/hybla.html"
    assert "Hybla" in card["og:title"] and len(card["og:description"]) > 50
    assert (built_book / card["og:image"].removeprefix(BASE)).is_file()


def test_each_page_says_its_version_and_where_the_pdf_is(page, built_book):
    page.goto((built_book / "book" / "glossary.html").as_uri())
    footer = page.locator("footer").all_inner_texts()
    assert any("Version 0." in text for text in footer)
    assert page.locator(f"a[href='{BASE}{PDF}']").count() >= 1


def test_pictures_carry_no_decimals_that_nobody_sees(built_book):
    pictures = [*built_book.joinpath("_images").glob("*.svg")]
    assert len(pictures) > 100
    text = "".join(path.read_text("utf-8") for path in pictures)
    longest = [len(one) for one in re.findall(r"[ML]-?\d+\.(\d+)", text)]
    assert len(longest) > 10_000 and max(longest) == 1
