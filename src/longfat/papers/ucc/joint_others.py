"""The UCC paper's other claims at joint settings: on HD and CHD, and on UCC where nothing is lost.

HD and CHD, short buffers, crowds, a path that becomes longer, and what UCC measures are run on the
segment engine. The settings are drawn apart from those of `joint`, since HD and CHD have parameters
of their own. What is said of a link that others keep busy is not among the runs: at access links of
1 Gb/s the others' packets alone would take hours.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from longfat.experiment import Point
from longfat.papers import joint
from longfat.papers.joint import JointRuns, Leg
from longfat.papers.ucc import joint_settings, plan
from longfat.papers.ucc.analysis import ratio, waiting_s
from longfat.papers.ucc.claims import (
    at_short_buffers,
    of_crowds,
    of_estimates,
    of_regions,
    of_relatives,
    of_routes,
)
from longfat.papers.ucc.joint_settings import (
    controls_at,
    flow_fields,
    highest,
    path_fields,
    ucc_parameters,
)
from longfat.papers.ucc.network import wireless
from longfat.papers.ucc.plan import CHD, CROWDS, ONE_REGION, RELATIVES
from longfat.result import Result
from longfat.scenario import Record, Scenario

ARCHIVE = "ucc-joint-others"
OF_DELAYS = ("min_delay", "max_probability_hd", "max_probability_chd", "hd_threshold")
_OF_FIGURE_7 = "figure 7's network is not among these runs"
LEFT_OUT = {name: why for name, why in joint_settings.LEFT_OUT.items() if name not in OF_DELAYS} | {
    "multi_layout": _OF_FIGURE_7,
    "multi_loss": _OF_FIGURE_7,
    "multi_access": _OF_FIGURE_7,
    "cubic": "no sender of these runs is CUBIC",
}
ALONE, REGION, BESIDE, BUFFER = "alone", "region", "beside", "buffer of "
CROWD, ROUTE, ESTIMATE = "crowd of ", "minimum of ", "estimate"
BUFFERS = (10, 25)  # packets: a full one delays by less than CHD's threshold
LIFETIMES_S = (0.0, 10.0)  # of the smallest delay; 0 is for ever
LOSSY = 1e-2
SEEDS = {ALONE: 12, REGION: 24, BESIDE: 16, BUFFER: 12, CROWD: 6, ROUTE: 12, ESTIMATE: 4}
COLUMNS = ("first_bps", "total_bps", "dropped", "queue_s", "error")


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return joint.settings("ucc", LEFT_OUT)


def experiment() -> JointRuns:
    """Return the runs: at each setting the same."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=_points,
        measure=measured,
        point=f"{__name__}:POINT",
    )


def _points() -> pd.DataFrame:
    rows = [
        (run, N1, N2, loss, seed)
        for run, N1, N2, loss in _kinds()
        for seed in range(1, SEEDS[next(kind for kind in SEEDS if run.startswith(kind))] + 1)
    ]
    kinds = pd.DataFrame(rows, columns=["run", "N1", "N2", "loss", "seed"])
    return settings().merge(kinds, how="cross")


def _kinds() -> Iterator[tuple[str, str, str, float]]:
    yield from ((ALONE, name, name, 0.0) for name in ("NewReno", "HD", "CHD"))
    yield (ALONE, "CHD", "CHD", LOSSY)
    yield from ((REGION, name, "NewReno", 0.0) for name in ("HD", ONE_REGION))
    yield from ((BESIDE, name, "NewReno", loss) for name in RELATIVES for loss in (0.0, LOSSY))
    for packets in BUFFERS:
        for loss in (0.0, 1e-3):
            yield from ((f"{BUFFER}{packets}", "NewReno", other, loss) for other in (CHD, "UCC"))
    for flows in CROWDS:
        for loss in (0.0, LOSSY):
            yield from ((f"{CROWD}{flows}", name, name, loss) for name in ("NewReno", "UCC"))
    yield from ((f"{ROUTE}{lifetime_s:g} s", "UCC", "UCC", LOSSY) for lifetime_s in LIFETIMES_S)
    yield from ((ESTIMATE, "UCC", "UCC", loss) for loss in (1e-3, LOSSY, 3e-2))


def scenario(*, run: str, N1: str, N2: str, loss: float, seed: int, **setting: Any) -> Scenario:
    """Return a run at a setting: N1 beside N2, or many of N1, over the radio link."""
    fields = flow_fields(setting) | path_fields(setting, loss) | {"seed": seed}
    controls = controls_at(setting) | _by_delay(setting)
    senders = [controls[N1], controls[N2]]
    if run in (ALONE, REGION):  # slow start's overshoot is not what the claims are about
        record = Record(series=(plan.QUEUE,), points=25)
        fields |= {"initial_ssthresh_segments": plan.SHORT_START, "record": record}
    elif run.startswith(BUFFER):
        fields["queue_packets"] = int(run.removeprefix(BUFFER))
    elif run.startswith(CROWD):
        senders = [controls[N1]] * int(run.removeprefix(CROWD))
    elif run.startswith(ROUTE):
        lifetime_s = float(run.removeprefix(ROUTE).removesuffix(" s"))
        own = ucc_parameters(setting) | {"minimum_lifetime_s": lifetime_s}
        senders = [plan.setting().ucc(**own)] * 2
        at_s = 0.3 * plan.setting().duration_s
        fields["changes"] = ({"at_s": at_s, "delay_s": plan.ROUTES_S["longer"]},)
    elif run == ESTIMATE:
        fields["record"] = plan.record_of_estimates(plan.setting())
    return wireless(*senders, **fields)


def _by_delay(setting: dict[str, Any]) -> dict[str, dict]:
    """Return HD, the same whose region A reaches to a full buffer's delay, and the whole CHD."""
    packet_bytes = int(setting["payload"]) + plan.ACK_BYTES
    full_s = 8 * plan.setting().queue_packets * packet_bytes / plan.RADIO_BPS
    shared = {
        "min_delay_s": setting["min_delay"],
        "threshold_delay_s": float(setting["hd_threshold"]),
    }
    of_hd = shared | {"max_probability": setting["max_probability_hd"]}
    of_chd = shared | {"max_probability": setting["max_probability_chd"]}
    return {
        "HD": {"name": "hd", "parameters": of_hd},
        ONE_REGION: {"name": "hd", "parameters": of_hd | {"threshold_delay_s": full_s}},
        "CHD": {"name": "chd", "parameters": of_chd},
    }


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run; what it does not have is missing.

    The goodput of the first flow and of all; what the queue before the radio link dropped
    (packets), and the mean delay there; how far UCC's estimates at losses are from the truth.
    """
    rates = [row["goodput_bps"] for row in result.flow_rows()]
    [radio] = [link for link in result.link_rows() if link["target"] == "N3"]
    row = dict.fromkeys(COLUMNS, float("nan"))
    row |= {"first_bps": rates[0], "total_bps": sum(rates)}
    row["dropped"] = float(radio["packets_dropped_by_queue"])
    if plan.QUEUE in result.traces:
        row["queue_s"] = waiting_s(result)
    if plan.ESTIMATE in result.traces:
        row["error"] = plan.measured(result)["error"]
    return row


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    names = [*settings().columns.drop("setting"), "run", "N1", "N2", "loss", "seed"]
    return scenario(**{name: row[name] for name in names})


POINT = Point(archived_scenario, lambda result: joint.rounded(measured(result)))


# --- what the claims make of it


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what these claims are judged by at each setting.

    The columns of `verdicts.judge.Evidence`, and setting, its number.
    """
    return joint.evidence_by_setting(points, _of_a_setting)


def _of_a_setting(runs: pd.DataFrame) -> list[dict[str, Any]]:
    least_bps = 8 * runs["payload"].astype(float) / plan.setting().duration_s  # as in `joint`
    first, total = (runs[name].clip(least_bps) / 1e6 for name in ("first_bps", "total_bps"))
    runs = runs.assign(control=runs["N1"], neighbour=runs["N2"], first_mbps=first, total_mbps=total)
    of = {kind: runs[runs["run"].str.startswith(kind)] for kind in SEEDS}
    regions = pd.concat([of[ALONE], of[REGION]])
    beside = of[BESIDE].assign(flow="N1", **{"Mb/s": first})
    estimates = of[ESTIMATE]
    return [
        *of_regions(regions, float(runs["hd_threshold"].iloc[0])),
        *of_relatives(beside),
        *at_short_buffers("ucc-s4-early", _short_buffers(of[BUFFER])),
        *of_crowds(_numbered(of[CROWD], CROWD, "flows").assign(**{"Mb/s": total})),
        *of_routes(_routes(of[ROUTE], total)),
        *of_estimates(estimates[estimates["loss"] <= highest(runs)]),
    ]


def _numbered(runs: pd.DataFrame, kind: str, name: str) -> pd.DataFrame:
    return runs.assign(**{name: runs["run"].str.removeprefix(kind).astype(int)})


def _routes(runs: pd.DataFrame, total_mbps: pd.Series) -> pd.DataFrame:
    lifetime_s = runs["run"].str.removeprefix(ROUTE).str.removesuffix(" s").astype(float)
    return runs.assign(change="longer", lifetime_s=lifetime_s, **{"Mb/s": total_mbps})


def _short_buffers(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what NewReno gets beside UCC over beside CHD without DCC, by buffer and loss rate."""
    rows = []
    for (packets, loss), some in _numbered(runs, BUFFER, "buffer").groupby(["buffer", "loss"]):
        got = dict(list(some.groupby("N2")["first_mbps"]))
        rows.append({"buffer": packets, "loss": loss} | ratio(got["UCC"], got[CHD]))
    return pd.DataFrame(rows)


_OF_UCC = ("clock", "minimum_of", "minimum_lifetime", "loss_rates")
_OF_HD = ("ucc-s2-hd-busy", "ucc-s2-hd-lossless", "ucc-s2-region-a", "ucc-s2-region-b")
_LACKS: dict[tuple[str, ...], tuple[str, ...]] = {  # claims: what none of their runs has
    _OF_HD: (*_OF_UCC, "max_probability_chd", "loss_process", "loss_direction", "initial_ssthresh"),
    ("ucc-s2-chd-tolerates",): (*_OF_UCC, "max_probability_hd", "initial_ssthresh"),
    ("ucc-s2-chd-coexists",): _OF_UCC,
    ("ucc-s4-early", "ucc-s4-collapse"): (*OF_DELAYS, "loss_rates"),
    ("ucc-s4-renewed",): (*OF_DELAYS, "loss_rates", "minimum_lifetime"),
    ("ucc-s4-measures",): OF_DELAYS,
}


LEGS = (
    Leg(
        engine="segment",
        archive=ARCHIVE,
        settings=settings,
        evidence=evidence,
        lacks={claim: lacks for claims, lacks in _LACKS.items() for claim in claims},
    ),
)
