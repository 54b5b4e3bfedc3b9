"""The book's main line as a PDF: `python tools/pdf.py PAGE.html BOOK.pdf`, which `make pdf` calls.

Chromium prints the page that holds every chapter (Sphinx's builder `singlehtml`), so that
equations and tables look as in the book; `LEFT_OUT` is what is for the screen and for specialists.
It prints twice: the first time tells on which page each chapter begins, the second has these
numbers in its contents. Japanese terms carry their language (`longfat.book`), by which the browser
takes Japanese glyphs from a Japanese font.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from longfat.errors import LongfatError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FOOTER = (
    '<div style="width: 100%; text-align: center; font-size: 8px"><span class="pageNumber"></span>'
    "</div>"
)
# Pages that are not printed: they are for the screen, for specialists, or for those who build.
LEFT_OUT = (
    r"-long$|book/(laboratory|reference|contributing|sweeps|tests|bench|equations|catalogue)$"
    r"|book/(cards|attack|capabilities|check)$"
    r"|book/verdicts$"
    r"|book/ns2$|notebooks/(cross-check|faults|segment|tutorial)$"
)
# Before anything is typeset: leave pages out, open what is folded and is to be read (solutions),
# drop the rest of what is folded, and put the contents behind the front page.
PREPARE = r"""
pattern => document.addEventListener('readystatechange', () => {
  if (document.readyState !== 'interactive') return;
  const leftOut = new RegExp(pattern);
  for (const place of document.querySelectorAll('span[id^="document-"]')) {
    if (leftOut.test(place.id)) {
      let next = place.nextElementSibling;
      while (next && next.tagName === 'SPAN') next = next.nextElementSibling;
      next?.remove();
      place.remove();
    }
  }
  for (const box of document.querySelectorAll('details.sd-dropdown')) box.open = true;
  document.querySelectorAll('.toctree-wrapper, .longfat-laboratory').forEach(one => {
    if (!one.querySelector('section')) one.remove();
  });
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    const id = decodeURIComponent(link.getAttribute('href').slice(1));
    if (id && !document.getElementById(id)) link.replaceWith(...link.childNodes);
  }
  for (const code of document.querySelectorAll('.cell_input')) {
    if (/^\s*show\.show_code/.test(code.textContent)) code.remove();
  }
  document.querySelectorAll('#three-doors, details:not([open]), .longfat-filter')
    .forEach(one => one.remove());
  const contents = document.createElement('nav');
  contents.className = 'printed-contents';
  contents.innerHTML = '<p>Contents</p>';
  const enter = (section, name) => {
    const heading = section.querySelector('h1, h2, h3, h4, h5, h6');
    if (!section.id || heading?.parentElement !== section) return;
    // Sections of the same title in other chapters have the same name: each gets its own.
    if (document.getElementById(section.id) !== section) {
      section.id += `-${contents.childElementCount}`;
    }
    heading.classList.add(`${name}-heading`);
    const line = document.createElement('a');
    line.href = '#' + section.id;
    line.className = name;
    const text = heading.cloneNode(true);
    text.querySelectorAll('.headerlink').forEach(one => one.remove());
    line.innerHTML = `<span>${text.innerHTML}</span><span class="printed-page">000</span>`;
    contents.append(line);
  };
  let first = null;
  for (const place of document.querySelectorAll('span[id^="document-"]')) {
    let chapter = place.nextElementSibling;
    while (chapter && chapter.tagName === 'SPAN') chapter = chapter.nextElementSibling;
    if (!chapter) continue;
    first ??= place;
    enter(chapter, 'chapter');
    if (place.id.startsWith('document-notebooks/')) {
      chapter.querySelectorAll(':scope > section').forEach(one => enter(one, 'section'));
    }
  }
  const chapters = first?.closest('section');
  chapters?.querySelector('h1, h2')?.remove();
  chapters?.prepend(contents);
})
"""
# The second time: the numbers of the pages into the contents.
NUMBER = """
pages => {
  for (const line of document.querySelectorAll('.printed-contents a')) {
    const number = pages[decodeURIComponent(line.getAttribute('href').slice(1))];
    line.querySelector('.printed-page').textContent = number ?? '';
  }
}
"""
# A table that is wider than the page becomes smaller; else the browser shrinks the whole book.
FIT = """
() => {
  const width = document.documentElement.clientWidth;
  for (const table of document.querySelectorAll('article table')) {
    const { left, right } = table.getBoundingClientRect();
    if (right > width) table.style.zoom = Math.floor(97 * (width - left) / (right - left)) / 100;
  }
}
"""
WIDTH = 178 / 25.4 * 96  # of what is printed of a page, in pixels: A4 without its margins
# A chapter begins a page; what is for a mouse is left out.
STYLE = """
[id^="document-"] + section { break-before: page; }
html { font-size: 11.5px !important; }
body, p, li, td, th { line-height: 1.4 !important; }
p, ul, ol, .admonition, details { margin-bottom: 0.6em !important; }
div.math, mjx-container[display] { margin: 0.3em 0 !important; }
.bd-article figure, .longfat-captioned { margin: 0.8em 0 !important; }
h2, h3, h4 { margin: 1.2em 0 0.5em !important; }
article section > :is(p, ul, ol, dl) { max-width: none !important; }
.printed-contents { break-before: page; }
.printed-contents p { font-size: 1.6em; }
.printed-contents a { display: flex; justify-content: space-between; color: black;
  text-decoration: none; }
.printed-contents a.chapter { margin-top: 0.5em; font-weight: bold; }
.printed-contents a.section { padding-left: 1.5em; }
.printed-contents mjx-container { color: black; }
.chapter-heading { font-size: 2em !important; margin-top: 0 !important; }
.section-heading { font-size: 1.5em !important; }
figcaption, figcaption *, .longfat-captioned > p, .longfat-captioned > p * {
  color: black !important; }
:is(h1, h2, h3, h4, h5, h6), dt, summary { break-after: avoid; }
img { max-height: 190mm; max-width: 108mm; width: auto; }
.longfat-scrolls { background: none !important; }
figure, img, svg, .longfat-explorer, .longfat-captioned, tr { break-inside: avoid; }
.cell_output, .text_html, .longfat-table, pre { overflow: visible !important; }
pre, .highlight, .cell_input, .cell { break-inside: auto !important; }
pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }
table { font-size: 0.8em !important; break-inside: auto !important; }
.longfat-table table { font-size: 0.72em !important; }
th, td { padding: 0.2em 0.4em !important; min-width: 0 !important; }
.table-scoreboard td:nth-child(4) { width: 40mm; }
.table-scoreboard td:last-child { width: 55mm; }
.longfat-scroll-hint, .explorer-inputs, .longfat-explorer button, .longfat-atlas,
.copybtn, .headerlink, .toggle-button,
.sd-summary-state-marker, .sd-summary-down, .sd-summary-up, .bd-header, .bd-header-article,
.bd-sidebar-primary, .bd-sidebar-secondary, .prev-next-footer
{ display: none !important; }
"""


def browser_path() -> str:
    """Return the path of a Chromium. Raises LongfatError where there is none."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise LongfatError(
            f"a PDF needs a browser to print it, one of {', '.join(BROWSERS)} "
            "(Debian, Ubuntu: apt install chromium)"
        )
    return path


def need_japanese_font() -> None:
    """Raise LongfatError where fontconfig knows no font for Japanese."""
    if not shutil.which("fc-list"):
        return  # then only the printed page can tell
    if not subprocess.run(["fc-list", ":lang=ja"], capture_output=True, check=True).stdout:
        raise LongfatError(
            "a PDF needs a Japanese font for the papers' terms (Debian, Ubuntu: apt install "
            "fonts-noto-cjk)"
        )


def page_numbers(printed: bytes) -> dict[str, int]:
    """Return on which page of a PDF of Chromium's each target of a link is, by its name."""
    numbers = re.findall(rb"(\d+) 0 obj\s*<<[^>]*?/Type /Page\b", printed)
    kids = [
        kid
        for part in re.findall(rb"/Kids \[(.*?)\]", printed, re.DOTALL)
        for kid in re.findall(rb"(\d+) 0 R", part)
    ]
    pages = [kid for kid in kids if kid in set(numbers)]
    places = re.findall(rb"/([^\s/\[\]<>()]+)\s*\[(\d+) 0 R /XYZ", printed)
    return {
        re.sub(r"#([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), name.decode()): pages.index(page)
        + 1
        for name, page in places
        if page in pages and name != b"Dest"  # that is the outline's
    }


def make(page: Path, pdf: Path) -> None:
    """Print the HTML file `page` as the PDF file `pdf`, on A4.

    Raises LongfatError for a missing browser, font or page.
    """
    if not page.is_file():
        raise LongfatError(f"{page}: there is no such page to print")
    executable = browser_path()
    need_japanese_font()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise LongfatError("a PDF needs Playwright: pip install 'longfat[test]'") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 900, "height": 1200}, color_scheme="light")
        shown.set_default_timeout(0)  # a book's equations take a minute
        shown.add_init_script(f"({PREPARE})({json.dumps(LEFT_OUT)})")
        shown.goto(page.resolve().as_uri(), wait_until="load", timeout=0)
        shown.evaluate("() => window.MathJax?.startup?.promise.then(() => 0)")
        shown.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
        shown.add_style_tag(content=STYLE)
        shown.set_viewport_size({"width": int(WIDTH), "height": 1200})
        shown.emulate_media(media="print")
        shown.evaluate(FIT)
        unfinished = pdf.with_suffix(".tmp")
        for _ in range(2):
            shown.pdf(
                path=unfinished,
                format="A4",
                margin={"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"},
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=FOOTER,
                outline=True,
                tagged=True,
            )
            shown.evaluate(NUMBER, page_numbers(unfinished.read_bytes()))
        browser.close()
    pack(unfinished)
    unfinished.replace(pdf)


def pack(pdf: Path) -> None:
    """Pack the objects of a PDF: those that tell a screen reader of its parts are half of it.

    Raises LongfatError where pikepdf is not there.
    """
    try:
        import pikepdf
    except ImportError:
        raise LongfatError("a PDF needs pikepdf: pip install 'longfat[test]'") from None
    with pikepdf.open(pdf, allow_overwriting_input=True) as printed:
        printed.save(
            pdf,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            compress_streams=True,
            deterministic_id=True,
        )


if __name__ == "__main__":
    try:
        make(*map(Path, sys.argv[1:]))
    except LongfatError as error:
        sys.exit(f"longfat: {error}")
