"""The text of the book: what a sentence, a caption and a table may have, in notebooks and pages."""

import csv
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from test_book import CHAPTERS, HTML, PAGES

from longfat.book.chapters import LONG
from longfat.paths import DATA, NOTEBOOKS

# Mathematics as typewriters have it. A name with an underscore is one in a sentence.
ASCII = re.compile(
    r"<=|>=|!=|\+-|\b\d+(?:\.\d+)?e[-+]?\d+\b|\b[A-Za-z]{1,5}_\{?[A-Za-z0-9]{1,4}\b|\brho\b|\b\w\^\w"
)
# Every number with a decimal point, and every percentage.
NUMBER = re.compile(
    r"(?<![\w.])\d[\d,]*\.\d+(?![\w.]*\d)|(?<![\w.])\d+(?:\.\d+)?(?=\s?(?:%|\\%|percent))"
)


@cache
def article(page: str) -> BeautifulSoup:
    """Return a page's text without code and formulas.

    Docstrings (`dl.py`) are code too: `help()` shows them in a terminal, where nothing is typeset.
    """
    html = BeautifulSoup(HTML.joinpath(f"{page}.html").read_text("utf-8"), "html.parser").article
    for one in html.select(
        "pre, code, script, style, .math, .longfat-laboratory, .longfat-explorer, dl.py"
    ):
        one.decompose()
    return html


def test_no_mathematics_is_left_as_typewriters_have_it(built_book):
    found = []
    for page in PAGES:
        text = re.sub(r"\$[^$]*\$", "", article(page).get_text(" "))
        around = (text[max(0, m.start() - 40) : m.end() + 20] for m in ASCII.finditer(text))
        found += [f"{page}: {words}" for words in around]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_figure_of_a_chapter_is_mentioned(page, built_book):
    name = Path(page).name.removesuffix(LONG)
    own = [one for one in CHAPTERS if Path(one).name.removesuffix(LONG) == name]
    links = {
        link["href"].partition("#")[2]
        for one in own
        for link in article(one).select("p a[href*='#'], li a[href*='#']")
        if not link.find_parent("figcaption")
    }
    figures = {figure["id"] for figure in article(page).select("figure[id]")}
    assert figures <= links, sorted(figures - links)


def numbers(text: str) -> set[float]:
    """Return the numbers in a text, those written as powers of ten too."""
    text = re.sub(r"\\times\s*10\^\{?(-?\d+)\}?", r"e\1", text)
    text = re.sub(r"(?<![\d.])10\^\{?(-?\d+)\}?", r"1e\1", text)
    return {float(one) for one in re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d{1,2})?", text)}


def allowed(paper: str, page: str) -> set[float]:
    """Return the numbers that a paper prints or states, the page's parameters, and `typed.csv`."""
    files = sorted(DATA.joinpath("papers", paper).glob("*.csv"))
    texts = [path.read_text("utf-8") for path in files if path.stem != "second-reading"]
    for cell in nbformat.read(NOTEBOOKS / f"{page}.ipynb", as_version=4).cells:
        if "parameters" in cell.metadata.get("tags", []):
            texts.append(cell.source)
    with DATA.joinpath("typed.csv").open(encoding="utf-8", newline="") as file:
        typed = [row for row in csv.DictReader(file) if row["page"] in ("all", paper, page)]
    return numbers(" ".join([*texts, *(row["number"] for row in typed)]))


@pytest.mark.parametrize("page", [Path(page).name for page in CHAPTERS])
def test_no_measured_number_is_typed_into_a_sentence(page):
    known = allowed(page.removesuffix(LONG), page)
    found = []
    for cell in nbformat.read(NOTEBOOKS / f"{page}.ipynb", as_version=4).cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"```.*?```", "", cell.source, flags=re.DOTALL)
            text = re.sub(r"\{[\w:]+\}`[^`]*`|`[^`]*`|\]\([^)]*\)|^#+ .*$", "", text, flags=re.M)
            for match in NUMBER.finditer(text):
                if float(match[0].replace(",", "")) not in known:
                    found.append(
                        f"{match[0]}: {text[max(0, match.start() - 40) : match.end() + 20]!r}"
                    )
    assert not found, "\n".join(found)


def test_every_number_that_may_be_typed_has_a_reason():
    with DATA.joinpath("typed.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(len(row["why"].split()) > 1 and row["number"] for row in rows)
