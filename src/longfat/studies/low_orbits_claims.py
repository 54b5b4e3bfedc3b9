"""What others say of senders over low orbits, held against the runs of `low_orbits`.

The claims are `data/leo/claims.csv`: of each source what we could read, in our words.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from longfat import leo, paths, statistics
from longfat.errors import InputError
from longfat.experiment import Runs
from longfat.studies import low_orbits
from longfat.studies.low_orbits import MOTION, ORBITS, VARIED_ORBIT, VARIED_SENDERS
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

FILE = paths.DATA / "leo" / "claims.csv"
GRID = "starlink-grid"
LITTLE_WAIT_MS = 50.0
WELL_USED = 0.8


def claims() -> pd.DataFrame:
    """Return the claims, a row a claim (`longfat.verdicts.judge.judge` says of which columns)."""
    return pd.read_csv(FILE)


class Measure(NamedTuple):
    """How a claim is measured: of the runs at one setting over one orbit."""

    orbits: tuple[str, ...]
    senders: tuple[str, ...]  # all of these are looked at, so that a setting needs their runs
    of: Callable[[pd.DataFrame, float], dict[str, float]]  # of these runs, and the payload in Mb/s
    beside: str = ""


def paired(table: pd.DataFrame, sender: str, other: str, value: str = "goodput") -> dict:
    """Return how many times as large a value is with one sender as with another, seed by seed."""
    wide = table.pivot(index="seed", columns="sender", values=value)
    both = wide[[sender, other]].dropna()
    return statistics.paired(both[sender], both[other], ratio=True)


def _ratio(sender: str, other: str, value: str = "goodput") -> Callable[..., dict]:
    return lambda table, _: paired(table, sender, other, value)


def _further(sender: str, other: str) -> Callable[..., dict]:
    """Measure where the ratio of a further pair of runs would lie, as a printed one is judged."""

    def ratio(table: pd.DataFrame, _: float) -> dict[str, float]:
        wide = table.pivot(index="seed", columns="sender", values="goodput")
        if (wide[[sender, other]] <= 0).any(axis=None):
            raise InputError("a ratio needs values above 0")
        found = statistics.prediction_interval(np.log(wide[sender] / wide[other]))
        ends = {name: float(np.exp(found[name])) for name in ("measured", "low", "high")}
        return ends | {"runs": found["runs"]}

    return ratio


def _share(sender: str) -> Callable[..., dict]:
    return lambda table, carries: statistics.mean(_own(table, sender)["goodput"] / carries)


def _own(table: pd.DataFrame, sender: str) -> pd.DataFrame:
    return table[table["sender"] == sender]


def _stretched(table: pd.DataFrame, _: float) -> dict[str, float]:
    own = _own(table, "bbr3")
    return statistics.mean(own["rtt_median"] / (own["rtt_median"] - own["wait_median"]))


def _slow(table: pd.DataFrame, _: float) -> dict[str, float]:
    own = _own(table, "bbr3")
    return _known_mean(own["recovery_s"] / (own["rtt_median"] / 1e3))


def _after(sender: str) -> Callable[..., dict]:
    return lambda table, _: _known_mean(_own(table, sender)["after"])


def _known_mean(values: pd.Series) -> dict[str, float]:
    known = values.dropna()
    if known.empty:
        raise InputError("no path changed in these runs")
    return statistics.mean(known)


def _well(table: pd.DataFrame, carries: float) -> dict[str, float]:
    """Return which part of the senders uses the link well without much waiting, over the seeds."""
    well = (table["goodput"] >= WELL_USED * carries) & (table["wait_95"] <= LITTLE_WAIT_MS)
    return statistics.mean(well.groupby(table["seed"]).mean())


NEAR, BOTH = (VARIED_ORBIT,), (VARIED_ORBIT, GRID)
MEASURES: dict[str, Measure] = {
    "leo-bbr-over-cubic": Measure(BOTH, ("bbr", "cubic"), _ratio("bbr", "cubic")),
    "leo-bbr3-over-cubic": Measure(BOTH, ("bbr3", "cubic"), _ratio("bbr3", "cubic")),
    "leo-cubic-considerably": Measure(BOTH, ("cubic", "bbr"), _ratio("cubic", "bbr")),
    "leo-illinois-alone": Measure(BOTH, ("illinois", "bbr"), _ratio("illinois", "bbr")),
    "leo-illinois-fair": Measure(
        BOTH, ("illinois", "bbr"), _ratio("illinois", "bbr", "neighbour"), "newreno"
    ),
    "leo-bbr-six": Measure(NEAR, ("bbr", "cubic"), _further("bbr", "cubic")),
    "leo-bbr3-high": Measure(BOTH, ("bbr3",), _share("bbr3")),
    "leo-bbr3-modest": Measure(BOTH, ("bbr3",), _stretched),
    "leo-bbr3-slow": Measure(BOTH, ("bbr3",), _slow),
    **{
        f"leo-route-changes-{name}": Measure((GRID,), (name,), _after(name))
        for name in ("cubic", "newreno", "bbr")
    },
    "leo-reno-hostile": Measure(NEAR, ("newreno",), _share("newreno")),
    "leo-struggle": Measure(BOTH, tuple(low_orbits.names()), _well),
}


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what was measured of each claim (`longfat.verdicts.judge.Evidence`).

    As is assumed, over the orbits that the claim is of; and over `VARIED_ORBIT` with each
    assumption at its other values, where the claim's senders were run there.
    """
    rows = [row for claim in MEASURES for row in _of_claim(claim, points)]
    return pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS))


def _of_claim(claim: str, points: pd.DataFrame) -> Iterator[dict[str, Any]]:
    measure = MEASURES[claim]
    here = points[(points["beside"] == measure.beside) & points["sender"].isin(measure.senders)]
    varied = measure.beside == "" and set(measure.senders) <= set(VARIED_SENDERS)
    by = ["orbit", "parameter", "setting"]
    for (orbit, parameter, setting), table in here.groupby(by, sort=False):
        if parameter == MOTION or orbit not in measure.orbits or (parameter and not varied):
            continue
        row = {"claim": claim, "engine": "segment", "experiment": low_orbits.POINTS_NAME}
        row |= {"parameter": parameter, "setting": setting, "at": ORBITS[orbit].title}
        try:
            found = measure.of(table, payload_mbps(parameter, setting))
        except InputError:  # nothing was carried, or no path changed
            continue
        if np.isfinite(found["measured"]):
            yield row | found


@functools.cache
def payload_mbps(parameter: str = "", setting: str = "") -> float:
    """Return what the link carries of payload at a setting, in Mb/s."""
    told = low_orbits.settings()[parameter, setting] if parameter else {}
    assumed = {one.name: one.value for one in leo.assumptions()}
    rate_bps = float(told.get("rate_bps", assumed["rate_down"]))
    segment = low_orbits.SEGMENT_BYTES
    return rate_bps / 1e6 * segment / (segment + 42)


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`longfat.verdicts.judge.judge`)."""
    return judge(claims(), evidence(runs.points(low_orbits.POINTS_NAME)))
