"""What papers and drafts promise of a start-up, held against runs.

The claims are `data/start-up/claims.csv`, in our words. Three things are run for them: transfers
without loss over the path of the Hybla paper, beside its equation (32); the same transfers over a
satellite and over the ground; and transfers that are long enough to overshoot and too short for
what comes after, over paths whose queue is from one to eight times as long.
"""

import functools
from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat import paths, statistics
from longfat.experiment import Experiment, Point, Points, Runs
from longfat.links import Link
from longfat.network import duplex
from longfat.papers import hybla
from longfat.papers.hybla import network
from longfat.result import Result
from longfat.scenario import Flow, Scenario
from longfat.studies import first_round_trips as study
from longfat.studies.setting import Setting
from longfat.verdicts.judge import EVIDENCE_COLUMNS, judge

FILE = paths.DATA / "start-up" / "claims.csv"
EQUATION, GROUND, OVERSHOOT = (
    "start-up-equation",
    "start-up-ground",
    "start-up-overshoot",
)  # archives


def claims() -> pd.DataFrame:
    """Return the claims, a row a claim (`longfat.verdicts.judge.judge` says of which columns)."""
    return pd.read_csv(FILE)


# --- the equation of Hybla's paper

SEGMENTS = (10, 100, 1000, 10_000, 100_000)
ONE_AT_A_TIME: dict[tuple[str, str], dict[str, Any]] = {  # by parameter and setting, as the paper's
    ("", ""): {},
    ("link_rate", "10 Mb/s"): {"rate_bps": 1e7},
    ("link_rate", "1 Gb/s"): {"rate_bps": 1e9},
    ("acked_per_ack", "2"): {"segments_per_ack": 2},
    ("window_limit", "by the receiver"): {"limited_by": "receiver"},
}


def over_the_satellite(segments: int, parameter: str = "", setting: str = "") -> Scenario:
    """Return a transfer over the path of the Hybla paper, on which nothing is lost."""
    told = ONE_AT_A_TIME[parameter, setting]
    size = segments * network.SEGMENT_BYTES
    return network.satellite(loss=0.0, transfer_bytes=size, duration_s=300.0, **told)


def beside_the_equation(flows: pd.DataFrame) -> pd.DataFrame:
    """Return how long transfers take: segments, parameter, setting, time_s, model_s, ratio."""
    found = flows[["segments", "parameter", "setting", "transfer_time_s"]]
    found = found.rename(columns={"transfer_time_s": "time_s"}).reset_index(drop=True)
    model_s = hybla.transfer_time(
        *(found["segments"], 0, network.RTT_S, network.RTT0_S, network.MAX_WINDOW_SEGMENTS),
        rto=1.0,  # of what is lost: nothing
    )
    return found.assign(model_s=model_s, ratio=found["time_s"] / model_s)


# --- as on the ground

RATE_BPS, QUEUE_PACKETS = 20e6, 1000  # of the chapter's satellite
GROUND_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
GROUND_SETTINGS: dict[tuple[str, str], dict[str, Any]] = {
    ("", ""): {},
    ("rate", "100 Mb/s"): {"rate_bps": 100e6, "queue_packets": 5 * QUEUE_PACKETS},
    ("queue", "a quarter of what the satellite's path holds"): {"queue_packets": 252},
    ("acked_per_ack", "2"): {"segments_per_ack": 2},
}


def satellite_or_ground(
    rtt_s: float, size: int, parameter: str = "", setting: str = ""
) -> Scenario:
    """Return a transfer by Hybla; with a round trip of its reference that is standard TCP."""
    told: dict[str, Any] = {"rate_bps": RATE_BPS, "queue_packets": QUEUE_PACKETS}
    told |= GROUND_SETTINGS[parameter, setting]
    acked = told.pop("segments_per_ack", 1)
    flow = Flow(
        source="server",
        target="user",
        congestion_control="hybla",
        segment_bytes=study.SEGMENT_BYTES,
        initial_window_segments=1,
        bytes=size,
        segments_per_ack=acked,
        rack=True,
    )
    links = duplex("server", "user", delay_s=rtt_s / 2, **told)
    return Scenario(links=links, flows=[flow], duration_s=study.DURATION_S)


def later(flows: pd.DataFrame) -> pd.DataFrame:
    """Return by how many round trips a satellite's transfer is later than one on the ground.

    That light goes to a satellite three times more, for handshake and delivery, is taken off.
    Columns: size, parameter, setting, satellite_s, ground_s, later.
    """
    by = ["size", "parameter", "setting"]
    wide = flows.pivot(index=by, columns="rtt_s", values="transfer_time_s").reset_index()
    rtts = (network.RTT0_S, study.PATHS["geo"].rtt_s)
    wide = wide.rename(columns={rtts[0]: "ground_s", rtts[1]: "satellite_s"})
    over = wide["satellite_s"] - wide["ground_s"] - 1.5 * (rtts[1] - rtts[0])
    return wide.assign(later=over / rtts[1]).rename_axis(columns=None)


# --- what overshoots

QUEUES = (1, 2, 4, 8)  # times that of the chapter's path
ENDS = ("standard", "hystart", "hystart++", "search")


def overshooting(start_up: str, path: str, queue: int, seed: int = 1) -> Scenario:
    """Return a transfer of three times what path and queue hold."""
    usual = study.scenario("cubic", start_up, path, 1, seed=seed)
    links = list(usual.links)
    forward = range(0, len(links), 2)
    narrow = min(forward, key=lambda number: links[number].rate_bps)
    longer = queue * (links[narrow].queue_packets or 0)
    links[narrow] = Link(**(dict(links[narrow]) | {"queue_packets": longer}))
    holds = study.payload_bps(usual.links) * study.round_trip_s(usual.links) / 8
    size = round(3 * (holds + longer * study.SEGMENT_BYTES))
    flow = Flow(**(dict(usual.flows[0]) | {"bytes": size, "receive_buffer_bytes": 2 * size}))
    return usual.replace(links=links, flows=[flow])


def _measured(result: Result) -> dict[str, float]:
    one = result.flows.iloc[0]
    lost = float(one["retransmissions"])
    return study.rounded({"time_s": float(one["transfer_time_s"]), "lost": lost})


def _archived(row: dict[str, Any]) -> Scenario:
    return overshooting(**{name: row[name] for name in ("start_up", "path", "queue", "seed")})


POINT = Point(_archived, _measured)


# --- evidence and verdicts


def evidence(runs: Runs) -> pd.DataFrame:
    """Return what was measured of each claim (`longfat.verdicts.judge.Evidence`)."""
    rows = [*_equation(runs), *_ground(runs), *_overshoot(runs), *_too_early(runs)]
    return pd.DataFrame(rows, columns=list(EVIDENCE_COLUMNS)).assign(engine="segment")


def _exact(value: float) -> dict[str, float]:
    """Return what nothing random is in."""
    return {"measured": value, "low": value, "high": value, "runs": 1}


def _equation(runs: Runs) -> Iterator[dict[str, Any]]:
    for row in beside_the_equation(runs.flows(EQUATION)).itertuples():
        yield {
            **{"claim": "start-hybla-equation", "experiment": EQUATION, **_exact(row.ratio)},
            **{"parameter": row.parameter, "setting": row.setting},
            "at": f"{row.segments:,} segments",
        }


def _ground(runs: Runs) -> Iterator[dict[str, Any]]:
    for row in later(runs.flows(GROUND)).itertuples():
        yield {
            **{"claim": "start-hybla-ground", "experiment": GROUND, **_exact(row.later)},
            **{"parameter": row.parameter, "setting": row.setting},
            "at": f"{row.size / 1e6:g} MB",
        }


def _overshoot(runs: Runs) -> Iterator[dict[str, Any]]:
    """Yield what each start-up loses; the base is a queue as the chapter's."""
    named = {
        "start-standard-late": "standard",
        "start-hystartpp-exit": "hystart++",
        "start-search-exit": "search",
    }
    points = runs.points(OVERSHOOT)
    for claim, start_up in named.items():
        own = points[points["start_up"] == start_up]
        if start_up == "search":  # of satellites, here the one without losses of its own
            own = own[own["path"] == "geo"]
        for (path, queue), there in own.groupby(["path", "queue"], sort=False):
            found = (
                statistics.mean(there["lost"]) if len(there) > 1 else _exact(there["lost"].item())
            )
            yield {
                **{"claim": claim, "experiment": OVERSHOOT, **found},
                "parameter": "" if queue == 1 else "queue",
                "setting": "" if queue == 1 else f"{queue} times as long",
                "at": study.PATHS[path].title,
            }


def _too_early(runs: Runs) -> Iterator[dict[str, Any]]:
    """Yield the times of what may end early, over satellites that move, over standard's."""
    alone = runs.points(study.POINTS_NAME)
    alone = alone[(alone["path"] == "leo") & (alone["beside"] == "")]
    alone = alone[alone["size"] == study.SIZES[-1]]  # what lasts long enough to lack a start
    named = {"start-hystart-early": "hystart", "start-hystartpp-early": "hystart++"}
    for claim, start_up in named.items():
        for size, there in alone.groupby("size", sort=False):
            wide = there.pivot(index="seed", columns="start_up", values="time_s")
            found = statistics.paired(wide[start_up], wide["standard"], ratio=True)
            yield {
                **{"claim": claim, "experiment": study.POINTS_NAME, **found},
                **{"parameter": "", "setting": "", "at": f"{size / 1e6:g} MB over low orbits"},
            }


def judged(runs: Runs) -> pd.DataFrame:
    """Return the claims with the verdict on each (`longfat.verdicts.judge.judge`)."""
    return judge(claims(), evidence(runs))


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return what is run for the claims."""
    equation = pd.DataFrame(list(ONE_AT_A_TIME), columns=["parameter", "setting"])
    ground = pd.DataFrame(list(GROUND_SETTINGS), columns=["parameter", "setting"])
    sizes = pd.DataFrame({"size": GROUND_SIZES})
    rtts = pd.DataFrame({"rtt_s": [study.PATHS["geo"].rtt_s, network.RTT0_S]})
    return (
        Experiment(
            name=EQUATION,
            build=over_the_satellite,
            points=pd.DataFrame({"segments": SEGMENTS}).merge(equation, how="cross"),
        ),
        Experiment(
            name=GROUND,
            build=satellite_or_ground,
            points=rtts.merge(sizes, how="cross").merge(ground, how="cross"),
        ),
        Points(
            name=OVERSHOOT,
            build=overshooting,
            points=functools.partial(
                statistics.combinations, start_up=ENDS, path=study.COMPARED, queue=QUEUES
            ),
            repetitions=1,
            more=[({"path": "leo"}, at.repetitions(study.SEEDS))],
            point=f"{__name__}:POINT",
        ),
    )
