"""Make data/recoveries.csv: what the segment engine and Linux send after each ACK of a recovery.

python tools/recoveries.py      needs a C++ compiler and Linux's kernel (make emulation)
"""

import pandas as pd
import recoveries_made

from longfat import paths
from longfat.studies import recoveries


def main() -> None:
    parts = []
    for name, case in recoveries.CASES.items():
        linux, segment = recoveries_made.of_linux(name), recoveries_made.of_segment(name)
        part = recoveries.side_by_side(linux, segment, case.until_s)
        part.insert(0, "case", name)
        parts.append(part)
    pd.concat(parts).to_csv(paths.DATA / "recoveries.csv", index=False)


if __name__ == "__main__":
    main()
