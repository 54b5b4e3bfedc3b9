"""Where the repository's data are."""

import os
from pathlib import Path

DATA = Path(os.environ.get("LONGFAT_DATA", Path(__file__).resolve().parents[2] / "data"))
RESULTS = DATA / "results"
PAPERS = DATA / "papers"
NOTEBOOKS = DATA.parent / "notebooks"
