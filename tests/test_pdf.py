"""The book as a PDF: what is printed, and one sentence where something is missing."""

import subprocess
import sys

import pdf
import pikepdf
import pytest

from longfat import paths
from longfat.errors import LongfatError

pytestmark = pytest.mark.slow

ROOT = paths.DATA.parent

PAGE = """<!doctype html><html lang=en><title>t</title><body><article><h1>Glossary</h1>
<p>congestion collapse: <span lang=ja>輻輳崩壊</span></p>
<section id=chapters><h2>The chapters</h2>
<span id="document-notebooks/two"></span><section id=two><h3>The next chapter</h3>
<section id=part><h4>A section</h4><details><summary>folded</summary>no</details></section>
</section>
<span id="document-notebooks/two-long"></span><section id=long><h3>For specialists</h3></section>
<span id="document-book/three"></span><section id=three><h3>The last</h3></section>
<span id="document-notebooks/four"></span><section id=four><h3>Like the first</h3>
<section id=part><h4>A section</h4></section></section>
</section></article>"""


@pytest.fixture
def printed(browser, tmp_path):
    """A small book. (`browser` skips where there is none; Playwright allows one at a time.)"""
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    program = [sys.executable, ROOT / "tools" / "pdf.py", "page.html", "book.pdf"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    if "Japanese font" in done.stderr:
        pytest.skip("no Japanese font")
    assert done.returncode == 0, done.stderr
    return tmp_path / "book.pdf"


def test_each_chapter_begins_a_page_and_japanese_is_text(printed):
    with pikepdf.open(printed) as book:
        assert len(book.pages) == 5  # the front, the contents, three chapters
        numbers = {page.objgen: number for number, page in enumerate(book.pages, 1)}
        pages = {
            name.removeprefix("/"): numbers[place[0].objgen]
            for name, place in book.Root.Dests.items()
        }
        assert book.Root.MarkInfo.Marked  # what a screen reader needs
        # The fonts' maps back to Unicode: what copying and searching in a reader find.
        streams = [one.read_bytes() for one in book.objects if isinstance(one, pikepdf.Stream)]
    again = pages.pop(next(name for name in pages if name.startswith("part-")))
    assert pages == {"two": 3, "part": 3, "three": 4, "four": 5} and again == 5
    maps = b"".join(one for one in streams if b"beginbf" in one)
    for character in "輻輳崩壊":
        assert b"<%04X>" % ord(character) in maps, f"{character} is no text"
    assert [path.name for path in printed.parent.glob("book.*")] == ["book.pdf"]


def test_what_is_missing_is_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(LongfatError, match=r"nothing\.html: there is no such page"):
        pdf.make(tmp_path / "nothing.html", tmp_path / "book.pdf")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    programs = {name: None for name in pdf.BROWSERS} | {"fc-list": "/usr/bin/fc-list"}
    monkeypatch.setattr(pdf.shutil, "which", programs.get)
    with pytest.raises(LongfatError, match=r"a PDF needs a browser .*apt install chromium"):
        pdf.make(tmp_path / "page.html", tmp_path / "book.pdf")
    programs["chromium"] = "/usr/bin/chromium"
    nothing = subprocess.CompletedProcess([], 0, stdout=b"")
    monkeypatch.setattr(pdf.subprocess, "run", lambda *_, **__: nothing)
    with pytest.raises(LongfatError, match=r"a Japanese font .*fonts-noto-cjk"):
        pdf.make(tmp_path / "page.html", tmp_path / "book.pdf")
    assert not (tmp_path / "book.pdf").exists()
