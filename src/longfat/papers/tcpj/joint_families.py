"""What section 2 says of split connections and of proxies, at the settings of `joint_settings`.

On the segment engine, which alone has relays and Snoop: NewReno over the radio, with one of them in
the access router or with neither. A radio link that repeats frames itself has no proxy that does.
All have limited transmit, since a relay's sender cannot be without.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat.experiment import Point
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.tcpj import families
from longfat.papers.tcpj import joint_settings as own
from longfat.papers.tcpj.families import RATES, REMEDIES, WIRED_BPS
from longfat.papers.tcpj.plan import value
from longfat.result import Result
from longfat.scenario import Scenario

ARCHIVE = "tcpj-joint-families"
SEEDS = 8


def experiment() -> JointRuns:
    """Return the runs: at each setting the same."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=_points,
        repetitions=SEEDS,
        measure=measured,
        point=f"{__name__}:POINT",
    )


def _points() -> pd.DataFrame:
    kinds = [(remedy, rate) for remedy in REMEDIES for rate in RATES]
    runs = pd.DataFrame(kinds, columns=["remedy", "bit_error_rate"])
    points = own.settings().merge(runs, how="cross")
    return points[(points["remedy"] != "proxy") | (points["link_retransmissions"] == "0")]


def scenario(*, remedy: str, bit_error_rate: float, seed: int, **at: Any) -> Scenario:
    """Return a run at a setting, with one of `families.REMEDIES`."""
    at = own.with_link(at) | {"limited_transmit": "on"}
    found = families.path(
        remedy,
        bit_error_rate,
        at["wired_rate"],
        seed,
        rate_bps=at["radio_rate"],
        rtt_s=at["rtt"],
        duration_s=value("duration"),
        **own.flow_fields(at),
    )
    return own.at_setting(found, bit_error_rate, at)


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run: its goodput."""
    return {"goodput_bps": result.flow_rows()[0]["goodput_bps"]}


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    names = [*own.settings().columns, "remedy", "bit_error_rate", "seed"]
    return scenario(**{name: row[name] for name in names})


POINT = Point(archived_scenario, lambda result: joint.rounded(measured(result)))


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what these claims are judged by at each setting.

    The columns of `verdicts.judge.Evidence`, and setting, its number.
    """
    return joint.evidence_by_setting(points, _of_a_setting)


def _of_a_setting(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    yield from families.evidence_rows(runs.assign(wired_bps=WIRED_BPS[0]))


LEGS = (
    Leg(
        engine="segment",
        archive=ARCHIVE,
        settings=own.settings,
        evidence=evidence,
        parts=own.radios,
        lacks={
            claim: (*lacks, "limited_transmit")
            for claim, lacks in own.lacks().items()
            if claim in families.CLAIMS.values()
        },
    ),
)
