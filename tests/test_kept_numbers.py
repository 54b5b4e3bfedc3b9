"""The numbers and tables of the pages are what comes of the archived runs, without a kernel.

nbval compares them in `make test` by executing the notebooks; here they are for mutants
(tools/mutants.py), of which each needs but one number.
"""

import functools
import json
import re

import myst_nb
import pytest

from longfat import InputError, engines, paths
from longfat.book import chapters, show
from longfat.book.chapters import leo, proxies, routers, senders, start_up, transfers
from longfat.experiment import Table
from longfat.papers.hybla import claims as hybla
from longfat.papers.survey import claims as survey
from longfat.papers.tcpj import numbers as tcpj
from longfat.papers.ucc import claims as ucc
from longfat.papers.ucc import joint as ucc_joint
from longfat.studies import ns3_faults

pytestmark = pytest.mark.long

# What a notebook keeps for its sentences: the chapter, and what makes it of the chapter's runs.
NUMBERS = {
    "faults": ("faults", ns3_faults.numbers),
    "routers": ("routers", routers.numbers),
    "proxies": ("proxies", proxies.numbers),
    "hybla": (
        "hybla",
        lambda runs: hybla.numbers_of_the_model(runs.setting) | hybla.numbers_measured(runs),
    ),
    "leo": ("leo", leo.numbers),
    "senders": ("senders", senders.numbers),
    "senders-long": ("senders", senders.numbers_long),
    "start-up": ("start-up", start_up.numbers),
    "survey": ("survey", survey.numbers),
    "survey-long": ("survey", survey.long_numbers),
    "tcpj": ("tcpj", tcpj.of_chapter),
    "tcpj-long": ("tcpj", tcpj.of_long_version),
    "transfers": ("transfers", transfers.numbers),
    "ucc": ("ucc", lambda runs: ucc.numbers(runs) | ucc_joint.numbers()),
    "ucc-long": ("ucc", ucc.long_numbers),
}
KEPT = "application/papermill.record/text/plain"


# Those that count verdicts.
COUNTS = re.compile(r"claims|reproduced|undecidable|depends")


@functools.cache
def outputs() -> list[tuple[str, dict]]:
    """Return the outputs of all notebooks, each after the name of its page."""
    return [
        (path.stem, output)
        for path in sorted(paths.NOTEBOOKS.glob("*.ipynb"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        for output in cell.get("outputs", ())
    ]


def kept_tables() -> dict[str, str]:
    """Return the tables that stand in notebooks, by their names."""
    return {
        output["metadata"]["text/html"]["name"]: "".join(output["data"]["text/html"])
        for _, output in outputs()
        if output.get("metadata", {}).get("text/html", {}).get("name")
    }


@functools.cache
def computed(page: str) -> dict[str, str]:
    """Return a page's numbers as a notebook keeps them."""
    said: dict[str, str] = {}
    chapter, function = NUMBERS[page]
    with pytest.MonkeyPatch.context() as patch:
        keep = lambda name, value, **_: said.update({name: repr(value)})  # noqa: E731
        patch.setattr(myst_nb, "glue", keep)
        show.numbers(**function(chapters.stated()[chapter].runs))
    return said


def kept(page: str) -> dict[str, str]:
    return {
        output["metadata"]["scrapbook"]["name"]: "".join(output["data"][KEPT])
        for name, output in outputs()
        if name == page and KEPT in output.get("data", {})
    }


@pytest.fixture(autouse=True)
def _nothing_runs(monkeypatch):
    def refused(scenario, engine, *_):
        raise InputError(f"a run of the engine {engine} is not in the archive")

    monkeypatch.setattr(engines, "find_or_run", refused)


@pytest.mark.parametrize("page", NUMBERS)
def test_numbers_in_sentences(page):
    assert set(computed(page)) == set(kept(page))
    measured = {name: text for name, text in kept(page).items() if not COUNTS.search(name)}
    assert {name: computed(page)[name] for name in measured} == measured


@pytest.mark.parametrize("page", NUMBERS)
def test_counts_of_verdicts_in_sentences(page):
    counts = {name: text for name, text in kept(page).items() if COUNTS.search(name)}
    assert {name: computed(page)[name] for name in counts} == counts


def test_no_page_keeps_numbers_that_are_not_asked_for():
    kept = {name for name, output in outputs() if KEPT in output.get("data", {})}
    assert kept == set(NUMBERS) | {"tutorial"}  # which runs what it says, so that nbval compares it


def _shown_tables():
    """Yield chapter and name of each table that stands in a notebook."""
    pages = "".join(path.read_text("utf-8") for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")))
    for name, chapter in chapters.stated().items():
        for one in chapter.figures:
            if isinstance(one, Table) and f'"name": "{one.name}"' in pages:
                yield name, one.name


@pytest.mark.parametrize(("chapter", "name"), list(_shown_tables()))
def test_tables(chapter, name):
    assert show.table(chapters.stated()[chapter], name).data == kept_tables()[name]
