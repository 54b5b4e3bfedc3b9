"""Shared by the tests: nothing here touches the user's cache or the repository's archive."""

import pytest

from longfat import paths, store


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
    store._archive_index.cache_clear()
    yield tmp_path / "results"
    store._archive_index.cache_clear()
