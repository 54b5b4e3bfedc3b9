"""Shared by the tests: nothing here touches the user's cache or the repository's archive."""

import os
import re
import shutil
from collections import Counter
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings
from pages import HTML
from xdist.scheduler import LoadScopeScheduling

from longfat import paths, store
from longfat.cc import catalogue

# What `pytest` alone runs, and `make check`. Whoever names a file or a test gets all that is in it.
FAST = "not (medium or slow or long or ns3 or book or browser)"
# What a test needs is known by its fixtures.
MARKS = {"with_ns3": "ns3", "built_book": "book", "browser": "browser"}
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

# How long an example takes is the machine's matter. `--hypothesis-profile long` tries many.
for profile, examples in ("short", 10), ("long", 500):
    settings.register_profile(
        profile, deadline=None, max_examples=examples, suppress_health_check=HealthCheck
    )
settings.load_profile("short")


# With single tests that take long: begun first, so that at the end no process waits for one.
FIRST = ("ns3_cell", "ns3_features", "ns3_compiled", "ns3_adapter", "resume", "changed_code")
FIRST += ("segment_engine", "attack", "site", "evaluation", "check", "tables", "charts")


def scope(nodeid):
    file = nodeid.partition("::")[0]
    page = re.search(r"\[((?:book|notebooks)/[\w-]+)", nodeid)
    return f"{file} {page[1]}" if page else file


class ByFileOrPage(LoadScopeScheduling):
    """One process has the tests of a file, of a notebook, or of one page of the book."""

    def _split_scope(self, nodeid):
        return scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    return ByFileOrPage(config, log)


def pytest_configure(config):
    nothing_named = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if nothing_named and not config.option.markexpr and not config.option.keyword:
        config.option.markexpr = FAST


@pytest.hookimpl(tryfirst=True)  # before those with other marks are left out
def pytest_collection_modifyitems(items):
    for item in items:
        for fixture in MARKS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKS[fixture])
        if item.get_closest_marker("ns3") and not find_spec("ns3"):
            item.add_marker(pytest.mark.skip(reason="this environment has no ns-3"))
    count = Counter(scope(item.nodeid) for item in items)
    first = {f"test_{name}" for name in FIRST}
    items.sort(key=lambda item: (item.path.stem not in first, -count[scope(item.nodeid)]))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """Results are each process's own; what is compiled (`paths.builds`) is everybody's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGFAT_CACHE", str(tmp_path_factory.mktemp("cache")))
        store._cache.cache_clear()
        yield
        store._cache.cache_clear()


@pytest.fixture(autouse=True)
def _own_headers(monkeypatch):
    """A header that a test gives a name is forgotten with it: others ask for all that are known."""
    monkeypatch.setattr(catalogue, "_used", dict(catalogue._used))


@pytest.fixture
def empty_archive(tmp_path, monkeypatch):
    """An archive folder of the test's own."""
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    store.forget_archive()
    yield tmp_path / "results"
    store.forget_archive()


@pytest.fixture(scope="session")
def with_ns3():
    """What needs ns-3 asks for this, or has the mark `ns3`; it is skipped where there is none."""


@pytest.fixture(scope="session")
def built_book():
    """The folder of the book's pages."""
    if not HTML.joinpath("index.html").is_file():
        pytest.fail("the book is not built; `make test` builds it, and so does `make book`")
    return HTML


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright; skips where there is none."""
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
