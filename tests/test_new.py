"""`longfat new`: what it writes runs at once, is a page of the book, and passes the tests.

All of it in a copy of the repository.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from longfat.paths import DATA

pytestmark = pytest.mark.slow

ROOT = DATA.parent
CONFIGURED = ("notebooks/ruff.toml", "notebooks/conftest.py")
NAME = "my-third-way"
FILES = [
    f"notebooks/{NAME}.ipynb",
    f"data/scenarios/{NAME}.json",
    f"src/longfat/cc/{NAME}.h",
    "src/longfat/book/chapters/my_third_way.py",
]


def run(copy: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess:
    """Run a tool of this environment in the copy, whose package hides the installed one."""
    command = [Path(sys.executable).with_name(tool), *arguments]
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)


def longfat(copy: Path, *arguments: str) -> subprocess.CompletedProcess:
    return run(copy, "longfat", *arguments)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    for part in ("src", "book"):
        shutil.copytree(
            ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", f"{NAME}*")
        )
    for part in ("data", "notebooks"):
        (folder / part).mkdir()
    tables = [f"data/{path.name}" for path in (ROOT / "data").glob("*.csv")]
    for part in ("data/leo", "data/papers", *tables, *CONFIGURED):
        source = ROOT / part
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / part)
    shutil.copy(ROOT / "pyproject.toml", folder)
    columns, _, _ = (ROOT / "data" / "verdicts.csv").read_text("utf-8").partition("\n")
    (folder / "data" / "verdicts.csv").write_text(f"{columns}\n")  # no archive, so no verdicts
    return folder


def contents(copy: Path) -> dict:
    return yaml.safe_load((copy / "book" / "_toc.yml").read_text())


@pytest.fixture(scope="module")
def made(copy) -> subprocess.CompletedProcess:
    before = contents(copy)
    answer = longfat(copy, "new", NAME)
    assert answer.returncode == 0, answer.stderr
    assert before != contents(copy)
    return answer


def test_it_writes_four_files_and_a_line_of_the_contents(copy, made):
    written = [Path(line).relative_to(copy) for line in made.stdout.splitlines()]
    assert [str(path) for path in written] == [*FILES, "book/_toc.yml"]
    (part,) = (part for part in contents(copy)["parts"] if part["caption"] == "Experiments")
    assert part["chapters"][-1] == {"file": f"notebooks/{NAME}"}
    others = [line for line in (ROOT / "book" / "_toc.yml").read_text().splitlines() if line]
    mine = [line for line in (copy / "book" / "_toc.yml").read_text().splitlines() if line]
    assert [line for line in mine if NAME not in line] == others
    for path in FILES:
        assert not re.search("my.?experiment", (copy / path).read_text(), re.IGNORECASE)


def test_the_notebook_has_run_and_shows_both_algorithms(copy, made):
    notebook = nbformat.read(copy / FILES[0], as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    shown = str([cell.outputs for cell in code])
    assert "image/svg+xml" in shown
    assert f"{NAME}</td>" in shown
    assert "newreno</td>" in shown


def test_it_is_in_the_style_of_the_house(copy, made):
    for check in (["check"], ["format", "--check"]):
        answer = run(copy, "ruff", *check, "--no-cache", FILES[0], FILES[3])
        assert answer.returncode == 0, answer.stdout


def test_the_notebook_passes_nbval(copy, made):
    answer = run(copy, "pytest", "-q", "-p", "no:cacheprovider", FILES[0])
    assert answer.returncode == 0, answer.stdout


def test_its_figure_is_made_again_with_other_parameters(copy, made, tmp_path):
    settings = ["--profile", "quick", "--set", "loss_rates=[0.01]", "--output", str(tmp_path)]
    answer = longfat(copy, "figure", f"{NAME}-1", *settings)
    assert answer.returncode == 0, answer.stderr
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".csv", ".png", ".svg"]


def test_the_page_builds_strictly(copy, made):
    (copy / "one.yml").write_text(f"format: jb-book\nroot: notebooks/{NAME}\n")
    config = copy / "book" / "_config.yml"  # notfound cannot draw the contents of a single page
    config.write_text(config.read_text("utf-8").replace("      - notfound.extension\n", ""))
    answer = run(
        copy,
        *("jupyter-book", "build", ".", "--config", "book/_config.yml", "--toc", "one.yml"),
        *("--path-output", "built", "--all", "-W", "-n", "--keep-going"),
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "Goodput of each algorithm" in (
        copy / "built" / "_build" / "html" / "notebooks" / f"{NAME}.html"
    ).read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (NAME, f"notebooks/{NAME}.ipynb"),
        ("hybla", "src/longfat/cc/hybla.h"),
        ("newreno-ns3", "taken by a congestion control"),
        ("My experiment", "lower-case letters and digits"),
        ("3-ways", "lower-case letters and digits"),
        ("../mine", "lower-case letters and digits"),
    ],
)
def test_a_name_that_cannot_be_is_refused_in_one_sentence(name, sentence, copy, made):
    before = sorted(copy.rglob("*"))
    answer = longfat(copy, "new", name)
    assert answer.returncode == 2
    assert answer.stderr.count("\n") == 1
    assert sentence in answer.stderr
    assert sorted(path for path in copy.rglob("*") if "__pycache__" not in str(path)) == sorted(
        path for path in before if "__pycache__" not in str(path)
    )


def test_a_notebook_that_fails_leaves_nothing(copy):
    template = copy / "src" / "longfat" / "book" / "templates" / "experiment.json"
    good = template.read_text()
    template.write_text(good.replace('"duration_s": 20.0', '"duration_s": -1'))
    answer = longfat(copy, "new", "broken")
    template.write_text(good)
    assert answer.returncode == 1
    assert "broken.ipynb: InputError" in answer.stderr
    assert "duration_s" in answer.stderr
    assert not [path for path in copy.rglob("broken*")]
    assert "broken" not in (copy / "book" / "_toc.yml").read_text()
