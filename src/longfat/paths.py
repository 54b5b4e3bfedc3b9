"""Where the data and the notebooks are: in the repository, or in the package of a wheel."""

import os
from pathlib import Path


def _data() -> Path:
    packaged = Path(__file__).with_name("data")
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "data"


DATA = Path(os.environ.get("LONGFAT_DATA") or _data())
RESULTS = DATA / "results"
PAPERS = DATA / "papers"
SCENARIOS = DATA / "scenarios"
NOTEBOOKS = DATA.parent / "notebooks"
