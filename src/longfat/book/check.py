"""Twelve claims of each paper, for someone who wants to check this book: run again and compared.

`data/claims-to-check.csv` lists them. What a claim rests on, as far as the engine `segment` says
it, is every archived run of the experiments in which its evidence stands, at the setting that the
paper states. These are made again, and every digit compared; then the claim is judged again.
"""

import math
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd

from longfat import audit, engines, paths, store
from longfat.book import chapters, show, verdicts
from longfat.errors import InputError, nearest

ENGINE = "segment"
LIST = paths.DATA / "claims-to-check.csv"
COLUMNS = ("id", "runs", "different", "expected", "found", "equal", "wall_s")


def names() -> list[str]:
    """Return the ids of the claims, paper by paper."""
    return pd.read_csv(LIST)["id"].tolist()


def claims(ids: Iterable[str] = ()) -> pd.DataFrame:
    """Return these claims, or all that are listed, as they should come out.

    Columns: paper, id, where, statement; experiments, which are run again; runs and processor_s,
    how many these are and what they took; expected, what the engine `segment`, or arithmetic, gave
    and the verdict; record, the same as data. Raises InputError for an unknown claim.
    """
    known = verdicts.verdicts().set_index("id", drop=False)
    wanted = list(ids) or names()
    for one in wanted:
        if one not in known.index:
            raise InputError(f"no claim '{one}' is judged.{nearest(one, list(known.index))}")
    rows = []
    for row in known.loc[wanted].to_dict("records"):
        experiments = _experiments(row)
        lines = [store.provenance()[name] for name in experiments]
        rows.append(
            {name: row[name] for name in ("paper", "id", "where", "statement")}
            | {
                "experiments": experiments,
                "runs": sum(int(line["runs"]) for line in lines),
                "processor_s": sum(float(line["wall_s"]) for line in lines),
                "expected": _told(row),
                "record": _record(row),
            }
        )
    return pd.DataFrame(rows)


def check(
    ids: Iterable[str] = (),
    workers: int | None = None,
    report: Callable[[str], object] = lambda line: None,
) -> pd.DataFrame:
    """Run again what these claims rest on (or all that are listed), and judge them again.

    Returns a row a claim, `COLUMNS`: how many runs, how many of them gave other digits, what was
    expected and found, whether all of it is equal, and the time. Every core works, or so many
    `workers`. `report` is told each claim as it ends. Raises InputError as `claims` does.
    """
    listed = claims(ids)
    different: dict[str, int] = {}
    rows = []
    with ThreadPoolExecutor(workers or os.cpu_count()) as threads:
        for paper, own in listed.groupby("paper", sort=False):
            now = verdicts.judged(chapters.find(str(paper))).set_index("id", drop=False)
            for claim in own.itertuples():
                began_s = time.monotonic()
                new = [one for one in claim.experiments if one not in different]
                if new:
                    runs = sum(int(store.provenance()[one]["runs"]) for one in new)
                    report(f"running {', '.join(new)}: {_counted(runs)}")
                for experiment in claim.experiments:
                    if experiment not in different:
                        different[experiment] = _different(experiment, threads)
                others = sum(different[experiment] for experiment in claim.experiments)
                row = dict(zip(now.columns, now.loc[claim.id], strict=True))
                found = _told(row)
                equal = not others and found == claim.expected and _record(row) == claim.record
                wall_s = time.monotonic() - began_s
                rows.append((claim.id, claim.runs, others, claim.expected, found, equal, wall_s))
                report(_line(len(rows), len(listed), rows[-1]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _line(number: int, count: int, row: tuple) -> str:
    """Return what is reported of a claim."""
    name, runs, others, expected, found, equal, wall_s = row
    done = f"{_counted(runs)} again in {wall_s:.0f} s" if runs else "no run"
    if equal:
        return f"[{number} of {count}] {name}: as expected ({done}): {found}"
    digits = f", {others} with other digits" if others else ""
    return f"[{number} of {count}] {name}: DIFFERENT ({done}{digits}): {found}, not {expected}"


def _different(experiment: str, threads: ThreadPoolExecutor) -> int:
    """Make all archived runs of an experiment again; return how many have other digits."""
    count = int(store.provenance()[experiment]["runs"])
    equal = threads.map(lambda run: _is_same(experiment, run), range(count))
    return count - sum(equal)


def _is_same(experiment: str, run: int) -> bool:
    if experiment in store.points():
        return audit.same_point(experiment, run)
    archived = store.archived_result(experiment, run)
    return audit.values(archived) == audit.values(engines.get(ENGINE).simulate(archived.scenario))


def _records(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the engine, or else arithmetic, says of a claim at the stated setting."""
    stated = [one for one in row["evidence"] if not one["parameter"]]
    return [one for one in stated if one["engine"] == ENGINE] or [
        one for one in stated if one["engine"] == "arithmetic"
    ]


def _experiments(row: dict[str, Any]) -> list[str]:
    texts = {one["experiment"] for one in _records(row)}
    known = {*store.experiments(), *store.points()}
    return sorted({name for text in texts for name in text.split()} & known)


def _counted(runs: int) -> str:
    return f"{runs} run" if runs == 1 else f"{runs} runs"


def _record(row: dict[str, Any]) -> list[tuple]:
    """Return what was measured, in the six digits that `data/verdicts.csv` has."""
    parts = ("measured", "low", "high", "says", "at")
    return [
        tuple(f"{one[p]:.6g}" if isinstance(one[p], float) else one[p] for p in parts)
        for one in _records(row)
    ]


def _told(row: dict[str, Any]) -> str:
    """Return what is measured and the verdict, for people."""
    records = _records(row)
    if not records:
        return str(row["verdict"])
    one = records[0]
    measured = f"{one['measured']:.3g}"
    if not math.isclose(one["low"], one["high"]):
        measured += f" [{one['low']:.3g}, {one['high']:.3g}]"
    return show.plain(f"{measured} {row['unit']}".strip()) + f"; {row['verdict']}"
