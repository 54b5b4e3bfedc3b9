"""How long does a notebook take from the archive? `python tools/notebook_times.py` measures it.

Each is executed by papermill, one at a time, as often as `RUNS` says, without what this machine has
run before; data/notebook-times.csv has a row a notebook: the median, the least and the largest
time, with the start of its kernel.
"""

import os
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
        command = [*COMMAND, KEPT, str(notebook), f"{folder}/executed.ipynb"]
        own_cache = os.environ | {"LONGFAT_CACHE": f"{folder}/cache"}
        began = time.monotonic()
        done = subprocess.run(command, env=own_cache, stderr=subprocess.PIPE, text=True)
        took = time.monotonic() - began
    if done.returncode:
        sys.exit(f"{notebook}:\n{done.stderr}")
    return took


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
