"""Make a chapter's archive again, and say what changed."""

import os
from collections.abc import Callable

import pandas as pd

from longfat import store
from longfat.result import FLOW_COLUMNS


def reproduce(chapter: str, make: Callable[[], object]) -> pd.DataFrame:
    """Run a chapter's experiments by `make`, without reading the archive.

    Every experiment is written to `data/results/`. Finished runs wait in the local cache, so an
    interrupted call goes on where it was. Returns a row an experiment: runs, and how many of them
    are `added`, `removed` and `changed` against the archive before.
    """
    before = {name: _rows(store.read_archive(name)) for name in store.experiments()}
    os.environ["LONGFAT_REPRODUCE"] = "1"
    try:
        make()
    finally:
        del os.environ["LONGFAT_REPRODUCE"]
    after = {
        name: _rows(store.read_archive(name))
        for name in store.experiments()
        if name.startswith(f"{chapter}-")
    }
    return pd.DataFrame(
        [_compare(name, before.get(name, {}), rows) for name, rows in after.items()]
    )


def _rows(archive: pd.DataFrame) -> dict[tuple, tuple]:
    """Return what was measured, by scenario, engine and flow."""
    archive = archive.astype(object).where(archive.notna(), None)
    identity = archive[["scenario", "engine", "flow"]].itertuples(index=False, name=None)
    return dict(
        zip(identity, archive[list(FLOW_COLUMNS)].itertuples(index=False, name=None), strict=True)
    )


def _compare(name: str, before: dict, after: dict) -> dict[str, object]:
    common = before.keys() & after.keys()
    return {
        "experiment": name,
        "runs": len(after),
        "added": len(after.keys() - before.keys()),
        "removed": len(before.keys() - after.keys()),
        "changed": sum(before[row] != after[row] for row in common),
    }
