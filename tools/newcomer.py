"""What does a newcomer wait for? Measured from nothing, written into data/newcomer.csv.

    python tools/newcomer.py            both, minutes
    python tools/newcomer.py package    `pip install`, and a first result
    python tools/newcomer.py book       `make book` from a bare clone

Nothing that this machine has already kept is used but the system's own packages and what the
package registry's client is told by its environment.
"""

import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from longfat import paths

ROOT = paths.DATA.parent
TABLE = paths.DATA / "newcomer.csv"
FIRST = """
from longfat import simulate, topologies
print(simulate(topologies.satellite(loss=1e-3)).provenance["build"])
"""
OWN = ("PYTHONPATH", "LONGFAT_", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "XDG_")


def environment(home: Path) -> dict[str, str]:
    """Return an environment without anything of this project, at home in an empty folder."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    return own | {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}


def book(folder: Path) -> Iterator[dict[str, object]]:
    """Build the book from a bare clone: yield a row for all of it, and one for each part."""
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / "book"], check=True)
    began, used_s, lines = time.monotonic(), processor_s(), []
    with subprocess.Popen(
        ["make", "book"],
        cwd=folder / "book",
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append((time.monotonic() - began, line))
    if process.returncode:
        sys.exit("error: make book failed")
    all_s = time.monotonic() - began
    notebooks = [at for at, line in lines if line.startswith("[notebook]")]
    yield row(
        "`make book` from a bare clone",
        all_s,
        processor_s() - used_s,
        f"it says {len(lines)} lines",
    )
    yield row(
        "until the first notebook is executed", notebooks[0], math.nan, "packages, some of ns-3"
    )
    yield row(
        "from there to the last notebook",
        notebooks[-1] - notebooks[0],
        math.nan,
        f"{len(notebooks)}",
    )
    yield row("from there to the pages", all_s - notebooks[-1], math.nan, "")


def package(folder: Path) -> Iterator[dict[str, object]]:
    """Install the wheel into an environment of its own, and simulate: yield a row for each."""
    home, venv = environment(folder), folder / "venv"
    build = ["-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT]
    timed([sys.executable, *map(str, build)], dict(os.environ))
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, env=home)
    python = venv / "bin" / "python"
    before = megabytes(venv)
    install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", wheel]
    took, _ = timed([str(part) for part in install], home)
    yield row("`pip install longfat`", *took, f"{megabytes(venv) - before:.0f} MB")
    took, build_of = timed([str(python), "-c", FIRST], home)
    yield row("python to a first result, after it", *took, f"segment engine, {build_of.strip()}")


def timed(command: list[str], environment: dict[str, str]) -> tuple[tuple[float, float], str]:
    """Run a command; return the time and the processor's time that it took, and what it said."""
    began, processor_began_s = time.monotonic(), processor_s()
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return (time.monotonic() - began, processor_s() - processor_began_s), done.stdout


def processor_s() -> float:
    """Return the processor's time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def row(what: str, seconds: float, processor: float, detail: str) -> dict[str, object]:
    used = "" if math.isnan(processor) else f"{processor:.3g}"
    return {"what": what, "s": f"{seconds:.3g}", "processor s": used, "detail": detail}


def main(wanted: list[str]) -> None:
    parts = {"package": package, "book": book}
    made = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "cores": os.cpu_count()}
    made["load before"] = f"{os.getloadavg()[0]:.1f}"
    rows = []
    for name in wanted or list(parts):
        with tempfile.TemporaryDirectory() as folder:
            rows += list(parts[name](Path(folder)))
    table = pd.DataFrame(rows).assign(**made)
    if TABLE.exists():  # of the other part
        kept = pd.read_csv(TABLE, dtype=str)
        table = pd.concat([kept[~kept["what"].isin(table["what"])], table])
    table.to_csv(TABLE, index=False, lineterminator="\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1:])
