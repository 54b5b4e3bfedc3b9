"""Where the data and the notebooks are (in the repository, or in a wheel), and what is compiled."""

import functools
import os
import subprocess
from pathlib import Path

import platformdirs


def _data() -> Path:
    packaged = Path(__file__).with_name("data")
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "data"


DATA = Path(os.environ.get("LONGFAT_DATA") or _data())
RESULTS = DATA / "results"
PAPERS = DATA / "papers"
SCENARIOS = DATA / "scenarios"
NOTEBOOKS = DATA.parent / "notebooks"


def builds() -> Path:
    """Return where compiled engines are kept: LONGFAT_BUILDS, or a folder in the user's cache.

    Each has its content in its name, so that any number of processes and checkouts may share them.
    """
    return Path(os.environ.get("LONGFAT_BUILDS") or platformdirs.user_cache_path("longfat/builds"))


@functools.cache
def commit() -> str | None:
    """Return the commit of the repository that this package is of, or None outside of one.

    With "+" behind it where the package differs from that commit.
    """
    here = Path(__file__).parent
    if not (here.parents[1] / ".git").exists():
        return None
    git = ["git", "-C", str(here)]
    asked = [*git, "rev-parse", "HEAD"], [*git, "status", "--porcelain", "--", "."]
    try:
        head, changed = (
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
            for command in asked
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{head}+" if changed else head
