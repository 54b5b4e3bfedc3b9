"""Shared by the tests: nothing here touches the user's cache or the repository's archive."""

import os
import re
import shutil

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from longfat import paths, store

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


# How long an example takes is the machine's matter.
settings.register_profile("longfat", deadline=None)
settings.load_profile("longfat")


class ByFileOrPage(LoadScopeScheduling):
    """One process has the tests of a file, of a notebook, or of one page of the book."""

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        page = re.search(r"\[((?:book|notebooks)/[\w-]+)", nodeid)
        return f"{file} {page[1]}" if page else file


def pytest_xdist_make_scheduler(config, log):
    return ByFileOrPage(config, log)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGFAT_CACHE", str(tmp_path_factory.mktemp("cache")))
        store._cache.cache_clear()
        yield
        store._cache.cache_clear()


@pytest.fixture
def empty_archive(tmp_path, monkeypatch):
    """An archive folder of the test's own."""
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    store.forget_archive()
    yield tmp_path / "results"
    store.forget_archive()


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
