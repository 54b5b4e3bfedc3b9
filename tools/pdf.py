"""The whole book as a PDF: `python -m longfat.pdf PAGE.html BOOK.pdf`, which `make pdf` calls.

Chromium prints the page that holds every chapter (Sphinx's builder `singlehtml`), so that
equations, tables and explorers look as in the book. Japanese terms carry their language
(`longfat.book`), by which the browser takes Japanese glyphs from a Japanese font.
"""

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
# A chapter begins a page; what is for a mouse is left out.
STYLE = """
[id^="document-"] + section { break-before: page; }
figure, img, svg, .longfat-explorer, tr { break-inside: avoid; }
.cell_output, .text_html, .longfat-table, pre { overflow: visible !important; }
pre, .highlight, .cell_input, .cell { break-inside: auto !important; }
pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }
table { font-size: 0.7em !important; break-inside: auto !important; }
th, td { padding: 0.2em 0.4em !important; min-width: 0 !important; }
.explorer-inputs, .longfat-explorer button, .copybtn, .headerlink, .toggle-button,
.bd-header, .bd-header-article, .bd-sidebar-primary, .bd-sidebar-secondary, .prev-next-footer
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
        shown.goto(page.resolve().as_uri(), wait_until="load", timeout=0)
        shown.evaluate("() => window.MathJax?.startup?.promise.then(() => 0)")
        shown.evaluate("() => { document.documentElement.dataset.theme = 'light'; }")
        shown.add_style_tag(content=STYLE)
        unfinished = pdf.with_suffix(".tmp")
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
        browser.close()
    unfinished.replace(pdf)


if __name__ == "__main__":
    try:
        make(*map(Path, sys.argv[1:]))
    except LongfatError as error:
        sys.exit(f"longfat: {error}")
