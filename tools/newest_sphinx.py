"""Build the book from the same sources on the newest Sphinx, parser and theme; say what breaks.

    python tools/newest_sphinx.py

jupyter-book 1 holds Sphinx at version 7 (book/contributing.md says what follows from that). Here
its configuration is written as Sphinx's own, and the pages and the executed notebooks of `make
book` are built without it, by the newest packages that there are: an environment in `build/newest`,
on top of the project's own. Prints the versions, how many pages came out, and every warning; ends
with status 1 if there is one, or a page is missing.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from longfat import paths

ROOT = paths.DATA.parent
SOURCES = ROOT / "build" / "src"
FOLDER = ROOT / "build" / "newest"
NEWEST = ("sphinx", "sphinx-book-theme", "myst-nb", "myst-parser", "pydata-sphinx-theme")
HERE = Path(sys.executable).parent


def environment() -> Path:
    """Make an environment of the newest packages; return its Python. All else is this one's."""
    venv = FOLDER / "venv"
    python = venv / "bin" / "python"
    if not python.exists():
        run([sys.executable, "-m", "venv", "--clear", venv])
        (own,) = venv.glob("lib/python*/site-packages")
        below = next(path for path in sys.path if path.endswith("site-packages"))
        (own / "project.pth").write_text(f"{below}\n{ROOT / 'src'}\n", encoding="utf-8")
    install = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--upgrade"]
    run([python, *install, *NEWEST])
    return python


def run(command: list) -> None:
    """Run a command quietly. Raises SystemExit, with its last words, where it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"error: {Path(command[0]).name} failed: {(done.stderr or done.stdout)[-2000:]}")


def versions(python: Path) -> str:
    """Return the names and versions of what is newest there."""
    program = (
        "import importlib.metadata as m, sys\n"
        "print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
    )
    return subprocess.run(
        [python, "-c", program, *NEWEST], check=True, capture_output=True, text=True
    ).stdout.strip()


def build(python: Path) -> tuple[int, list[str]]:
    """Build the pages; return how many there are, and the warnings. Raises SystemExit for none."""
    # As deep as build/src: pages name files of data by their way from there.
    sources, html = FOLDER.with_name("newest-src"), FOLDER / "html"
    for old in (sources, html):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(SOURCES, sources)
    shutil.rmtree(sources / "book", ignore_errors=True)
    shutil.copytree(ROOT / "book", sources / "book")
    stated = []
    for what in ("config", "toc"):  # its configuration is written beside them
        shutil.copy(ROOT / "book" / f"_{what}.yml", sources)
        stated.append(f"--{what}={sources / f'_{what}.yml'}")
    run([HERE / "jupyter-book", "config", "sphinx", *stated, sources])
    told = FOLDER / "warnings.txt"
    build_it = ["-m", "sphinx", "-b", "html", "-n", "--keep-going", "-q", "-w", str(told)]
    command = [str(python), *build_it, str(sources), str(html)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode and not told.read_text("utf-8").strip():
        sys.exit(f"error: Sphinx ended with status {done.returncode}: {done.stderr[-2000:]}")
    lines = re.sub(r"\x1b\[[\d;]*m", "", told.read_text("utf-8")).splitlines()
    warnings = [line.removeprefix(f"{sources}/") for line in lines if line.strip()]
    return len(list(html.rglob("*.html"))), warnings


def main() -> int:
    if not (SOURCES / "notebooks").is_dir():
        sys.exit("error: there are no executed notebooks: run 'make book' first")
    python = environment()
    print(versions(python), flush=True)
    pages, warnings = build(python)
    contents = (ROOT / "book" / "_toc.yml").read_text("utf-8")
    listed = len(re.findall(r"^ *- file:|^root:", contents, re.MULTILINE))
    print(f"{pages} files of HTML for {listed} pages, {len(warnings)} lines of warnings")
    print(*warnings[:50], sep="\n")
    return int(bool(warnings) or pages < listed)


if __name__ == "__main__":
    sys.exit(main())
