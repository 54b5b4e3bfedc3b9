"""Make data/atlas.csv: every sender over many paths, alone and beside a neighbour.

python tools/atlas.py              about half an hour of one core; it goes on where it was
python tools/atlas.py coverage     data/atlas-coverage.csv: how good the intervals are
"""

import sys

from longfat.papers import atlas


def main(what: list[str]) -> None:
    if what == ["coverage"]:
        atlas.coverage().to_csv(atlas.COVERAGE, index=False, lineterminator="\n")
    else:
        atlas.write(atlas.compute())


if __name__ == "__main__":
    main(sys.argv[1:])
