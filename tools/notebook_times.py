"""How long does a notebook take from the archive? `python tools/notebook_times.py` measures it.

Each is executed by papermill, one at a time, without what this machine has run before, in as many
rounds as `RUNS` says: a machine may be slower for minutes. data/notebook-times.csv has a row a
notebook: the median, the least and the largest time, with the start of its kernel; and one for a
notebook without a cell, by which machines can be compared.
"""

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pandas as pd
from tqdm import tqdm

from longfat import paths

RUNS = 5
EMPTY = "without a cell"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
COMMAND = (sys.executable, "-m", "papermill", "--cwd", str(paths.NOTEBOOKS), "--no-progress-bar")
KEPT = "--no-request-save-on-cell-execute"  # written once, at its end


def seconds(notebook: Path) -> float:
    """Return how long it takes to execute a notebook; its outputs are thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMMAND, KEPT, str(notebook), f"{folder}/executed.ipynb"]
        # As `make` has it: modules are not compiled anew each time.
        own = {"LONGFAT_CACHE": f"{folder}/cache", "PYTHONDONTWRITEBYTECODE": ""}
        began = time.monotonic()
        done = subprocess.run(command, env=os.environ | own, stderr=subprocess.PIPE, text=True)
        took = time.monotonic() - began
    if done.returncode:
        sys.exit(f"{notebook}:\n{done.stderr}")
    return took


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / f"{EMPTY}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(metadata=KERNEL), empty)
        notebooks = [*sorted(paths.NOTEBOOKS.glob("*.ipynb")), empty]
        rounds = [[seconds(one) for one in tqdm(notebooks)] for _ in range(RUNS)]
    rows = []
    for notebook, times in zip(notebooks, zip(*rounds, strict=True), strict=True):
        row = {"median": statistics.median(times), "least": min(times), "largest": max(times)}
        rows.append({"notebook": notebook.stem} | row | {"runs": RUNS})
    measured = {"python": platform.python_version(), "date": datetime.now(UTC).date().isoformat()}
    table = pd.DataFrame(rows).assign(**measured)
    path = paths.DATA / "notebook-times.csv"
    table.to_csv(path, index=False, float_format="%.1f", lineterminator="\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
