"""Make the archive "atlas": every sender over many paths, alone and beside a neighbour.

python tools/atlas.py              about forty minutes of one core; it goes on where it was
python tools/atlas.py coverage     how many intervals hold the mean of other runs, in per cent
"""

import sys

from longfat.studies import atlas


def main(what: list[str]) -> None:
    if what == ["coverage"]:
        found = atlas.coverage()
        print(f"{100 * found['held'].sum() / found['seeds'].sum():.1f} %")
    else:
        atlas.compute()


if __name__ == "__main__":
    main(sys.argv[1:])
