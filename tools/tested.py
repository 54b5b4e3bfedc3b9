"""What do the tests take? `python tools/tested.py NAME COMMAND...` runs them and writes it down.

In data/test-times.csv each has a row: how its tests ended by pytest's own last line, when, how long
it took, on how many cores. Rows of other names stay.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pandas as pd

from longfat import paths

TABLE = paths.DATA / "test-times.csv"
LAST_LINE = re.compile(r"^=+ (.*\d (?:passed|failed|errors?)\b.*) in [\d.]+s .*=+$", re.MULTILINE)


def measured(name: str, command: str) -> tuple[dict[str, object], int]:
    """Run a command, show what it says, and return its row of the table and its exit status."""
    began, text = time.monotonic(), ""
    with subprocess.Popen(
        command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        for line in process.stdout:
            print(line, end="", flush=True)
            text += line
    counted = re.sub(r", \d+ (?:deselected|warnings?)", "", (LAST_LINE.findall(text) or [""])[-1])
    row = {
        "command": name,
        "tests": counted if not process.returncode else f"failed: {counted}".rstrip(": "),
        "minutes": round((time.monotonic() - began) / 60, 1),
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
    }
    return row, process.returncode


def write(rows: Sequence[dict[str, object]]) -> None:
    """Put these rows in the place of those of the same commands."""
    table = pd.DataFrame(rows)
    if TABLE.exists():
        kept = pd.read_csv(TABLE)
        table = pd.concat([kept[~kept["command"].isin(table["command"])], table])
    table.sort_values("command").to_csv(TABLE, index=False, lineterminator="\n")


def main(arguments: Sequence[str]) -> int:
    if not arguments or len(arguments) % 2:
        sys.exit("usage: python tools/tested.py NAME COMMAND [NAME COMMAND]...")
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    # Written once all have run: the book is built of this file too.
    rows, statuses = zip(*(measured(*pair) for pair in pairs), strict=True)
    write(rows)
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
