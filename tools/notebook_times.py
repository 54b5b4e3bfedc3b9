"""How long does a notebook take from the archive? `python tools/notebook_times.py` measures it.

Each is executed by papermill, one at a time, as often as `RUNS` says; data/notebook-times.csv has
a row a notebook: the median, the least and the largest time, with the start of its kernel.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from longfat import paths

RUNS = 3
COMMAND = (sys.executable, "-m", "papermill", "--cwd", str(paths.NOTEBOOKS), "--no-progress-bar")
KEPT = "--no-request-save-on-cell-execute"  # written once, at its end


def seconds(notebook: Path) -> float:
    """Return how long it takes to execute a notebook; its outputs are thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        command = [*COMMAND, "--no-log-output", KEPT, str(notebook), f"{folder}/executed.ipynb"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        return time.monotonic() - began


def main() -> None:
    rows = []
    for notebook in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        times = [seconds(notebook) for _ in range(RUNS)]
        row = {"median": statistics.median(times), "least": min(times), "largest": max(times)}
        print(notebook.stem, *(f"{value:.1f}" for value in row.values()), flush=True)
        rows.append({"notebook": notebook.stem} | row | {"runs": RUNS})
    table = pd.DataFrame(rows).assign(date=datetime.now(UTC).date().isoformat())
    path = paths.DATA / "notebook-times.csv"
    table.to_csv(path, index=False, float_format="%.1f", lineterminator="\n")


if __name__ == "__main__":
    main()
