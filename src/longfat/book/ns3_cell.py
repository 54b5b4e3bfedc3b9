"""The cell magic `%%ns3`: a cell that builds a network of ns-3's own objects, and runs it.

    %load_ext longfat.book.ns3_cell

    %%ns3 hybla
    ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue("longfat::hybla"))
    ...

The cell runs in a process of its own, since a process can run one simulation of ns-3. There `ns` is
ns-3, the congestion controls that the magic names are known to it ("longfat::hybla"), every socket
has the book's recovery, and `tell_one_way_delays` serves those that need it. What the cells of the
book's notebooks print is kept in `data/ns3-cells.csv` and shown from there, since loading ns-3
alone takes ten seconds: a cell that was changed runs, and so do all where the notebook's `profile`
is not "paper". `python -m longfat.book.ns3_cell` runs them all and writes that file again.
"""

import csv
import hashlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from longfat import paths
from longfat.engines import ns3
from longfat.errors import LongfatError

KEPT = paths.DATA / "ns3-cells.csv"
COLUMNS = ("page", "cell", "printed")
MAGIC = "%%ns3"
TIME_LIMIT_S = 1800


class Cell(NamedTuple):
    """A cell with the magic: the congestion controls that it names, and its program."""

    controls: tuple[str, ...]
    program: str

    @property
    def identity(self) -> str:
        """What is another where the cell is another."""
        text = " ".join(self.controls) + "\n" + self.program.strip()
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def run(self) -> str:
        """Return what the cell prints, run on ns-3 in a process of its own.

        Raises InputError where this environment has no ns-3, LongfatError with ns-3's own last
        words where the cell fails.
        """
        ns3.check_is_here()
        command = [sys.executable, "-c", _PROCESS, *self.controls]
        try:
            answer = subprocess.run(
                command, input=self.program, capture_output=True, text=True, timeout=TIME_LIMIT_S
            )
        except subprocess.TimeoutExpired:
            raise LongfatError(f"{MAGIC}: stopped after {TIME_LIMIT_S} s") from None
        if answer.returncode:
            words = answer.stderr.strip().splitlines()
            said = next((line for line in words if line.startswith("msg=")), words[-1:])
            raise LongfatError(f"{MAGIC}: the cell failed ({answer.returncode}): {said}")
        return answer.stdout


# The interpreter of C++ tells on standard output that it prepares itself, the first time.
_PROCESS = """
import contextlib
import sys
from longfat.engines.ns3 import bindings
program = compile(sys.stdin.read(), "<cell>", "exec")
with contextlib.redirect_stdout(sys.stderr):
    names = bindings.names(*sys.argv[1:])
exec(program, names)
"""


def show(line: str, program: str, profile: str = "paper") -> None:
    """Print what a cell with the magic's arguments `line` prints: kept, or run here."""
    cell = Cell(tuple(line.split()), program)
    if profile == "paper" and (printed := kept().get(cell.identity)) is not None:
        print(printed, end="")
    elif ns3.is_here():
        print(cell.run(), end="")
    else:
        print("left out: this environment has no ns-3, and what the cell prints is not kept")


def kept() -> dict[str, str]:
    """Return what the cells print, by their identities."""
    if not KEPT.exists():
        return {}
    with KEPT.open(encoding="utf-8", newline="") as file:
        return {row["cell"]: row["printed"] for row in csv.DictReader(file)}


def cells() -> Iterator[tuple[str, Cell]]:
    """Yield each cell with the magic in the book's notebooks, and the name of its page."""
    import nbformat  # a tenth of a second, and a page reads no notebooks

    for path in sorted(paths.NOTEBOOKS.glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            first, _, program = cell.source.partition("\n")
            if cell.cell_type == "code" and first.split()[:1] == [MAGIC]:
                yield path.stem, Cell(tuple(first.split()[1:]), program)


def keep(all_cells: Iterable[tuple[str, Cell]]) -> None:
    """Run the cells and write what they print, with a line a cell."""
    rows = [(page, cell.identity, cell.run()) for page, cell in all_cells]
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])


def load_ipython_extension(shell: Any) -> None:
    """Make the magic known; `%load_ext longfat.book.ns3_cell` calls this."""

    def magic(line: str, cell: str) -> None:
        show(line, cell, shell.user_ns.get("profile", "paper"))

    shell.register_magic_function(magic, "cell", "ns3")


if __name__ == "__main__":
    keep(cells())
