"""The Hybla paper's claims at settings that differ in all that it does not state, at once.

The runs are the segment engine's, beside the paper's simulation ns-2's too, and beside its
emulation Linux's. On the segment engine steady runs that stand beside the simulation last
`STEADY_S` and not its 1000 s: enough for every bound that it prints, and too short for its 0.33 %
(`TOO_FINE`), since the start alone costs more. How a transfer is timed needs no run of its own
(`plan.TIMING_ROUND_TRIPS`).

ns-2 repairs losses as its senders do: of `inverse.RECOVERIES` a setting has the one that comes
nearest to its SACK, recovery and lost retransmissions (`sender`).

Linux repairs losses by PRR and detects lost retransmissions whatever a setting says
(`ALWAYS_ON_LINUX`); all else it has as the setting says.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from longfat import papers, statistics
from longfat.experiment import Point
from longfat.fields import FASTEST_BPS
from longfat.links import Link
from longfat.network import duplex
from longfat.papers import joint, value
from longfat.papers.hybla import inverse, plan
from longfat.papers.hybla.analysis import each_beside_model
from longfat.papers.hybla.claims import PRINTED_REPETITIONS
from longfat.papers.hybla.network import satellite
from longfat.papers.hybla.plan import TIMING_ROUND_TRIPS, TRANSFER_LIMIT_S
from longfat.papers.hybla.theory import QUANTITIES
from longfat.papers.joint import JointRuns, Leg
from longfat.result import Result
from longfat.scenario import Ns2, Scenario

ARCHIVE, ON_NS2, ON_LINUX = "hybla-joint", "hybla-joint-ns2", "hybla-joint-linux"
LEFT_OUT = {
    "initial_window": "the first window without $\\rho$ would be another Hybla than the paper's, "
    "whose model multiplies it",
}
TRANSFERS = {"10MB": 10, "50MB": 50, "100MB": 100}  # in the megabytes of a setting
STEADY_S = 300.0
TOO_FINE = ("hybla-t3-steady-rate-simulation",)
SIMULATED, EMULATED, NEWRENO = "300 s", "100 s", "300 s of NewReno"
AS_STATED = "1000 s"  # on ns-2
STEADY = {  # duration and congestion control
    SIMULATED: (STEADY_S, "hybla"),
    EMULATED: (value("hybla", "emulation_time"), "hybla"),
    NEWRENO: (STEADY_S, "newreno"),
    AS_STATED: (value("hybla", "simulation_time"), "hybla"),
}
# What the claims need: most of them speak of rare losses, some by differences of a tenth of a per
# cent. Means of Linux's 100 s would need a thousand.
SEEDS = {SIMULATED: 8, EMULATED: 4, NEWRENO: 8, "10MB": 8, "50MB": 12, "100MB": 8}
SEEDS_OF_RARE = {SIMULATED: 60, EMULATED: 60, NEWRENO: 60, "10MB": 8, "50MB": 90, "100MB": 60}
RARE = 1e-3  # and less
SEEDS_ON_NS2 = {AS_STATED: 8, "10MB": 10, "50MB": 12, "100MB": 10}
MORE_ON_NS2 = {1e-4: {"100MB": 60}}  # where so many decide
# A run on Linux takes twenty times as long as on the segment engine: there are the ends of what
# claims speak of and where differences are largest, and most runs where claims are close.
SEEDS_ON_LINUX = {1e-6: 2, 1e-5: 2, 1e-4: 8, 2e-4: 8, 2e-3: 4, 5e-3: 2, 1e-2: 2, 0.02: 2, 0.05: 2}
MORE_ON_LINUX = {1e-4: {"50MB": 50}}  # where so many decide
ONLY_ON_LINUX = {1e-5: ("10MB",), 5e-3: (EMULATED,)}  # the runs that these loss rates have
SCATTER = "sack"  # the parameter on which it hangs how much runs scatter (`joint.means`)
LARGEST_STATED = value("hybla", "loss_max")  # where the last claims end, unless a setting goes on
# The ends of what the claims speak of, and where differences are largest; two that `loss_max` may
# add.
LOSSES = (1e-6, 1e-5, 2e-5, 1e-4, 2e-4, 1e-3, 2e-3, 5e-3, 1e-2, 0.02, 0.05)


def settings() -> pd.DataFrame:
    """Return the settings (`joint.settings`)."""
    return joint.settings("hybla", LEFT_OUT)


def experiment() -> JointRuns:
    """Return the runs: at each setting every transfer and steady run at each of its loss rates."""
    return JointRuns(
        name=ARCHIVE,
        build=scenario,
        points=lambda: _points(lambda loss: SEEDS_OF_RARE if loss <= RARE else SEEDS),
        measure=measured,
        point=f"{__name__}:POINT",
    )


def experiment_on_ns2() -> JointRuns:
    """Return the same on ns-2: what stands beside the paper's simulation, for as long as there."""
    return JointRuns(
        name=ON_NS2,
        engine="ns2",
        build=scenario_on_ns2,
        points=lambda: _points(lambda loss: SEEDS_ON_NS2 | MORE_ON_NS2.get(loss, {})),
        measure=measured,
        point=f"{__name__}:POINT_ON_NS2",
    )


def experiment_on_linux() -> JointRuns:
    """Return the same on Linux: what stands beside the paper's emulation, for as long as there.

    A setting has seeds of its own: with those of all, two seeds would lose the same packets at each
    setting, and 48 settings would tell no more of how much runs scatter than one.
    """

    def seeds(loss: float) -> dict[str, int]:
        runs = ONLY_ON_LINUX.get(loss, (EMULATED, *TRANSFERS))
        return dict.fromkeys(runs, SEEDS_ON_LINUX.get(loss, 0)) | MORE_ON_LINUX.get(loss, {})

    def points() -> pd.DataFrame:
        table = _points(seeds)
        return table.assign(seed=100 * table["setting"] + table["seed"])

    return JointRuns(
        name=ON_LINUX,
        engine="linux",
        build=scenario_on_linux,
        points=points,
        measure=measured,
        point=f"{__name__}:POINT_ON_LINUX",
        kept=True,
    )


def _points(seeds: Callable[[float], dict[str, int]]) -> pd.DataFrame:
    rows = [
        (loss, name, seed)
        for loss in LOSSES
        for name, count in seeds(loss).items()
        for seed in range(1, count + 1)
    ]
    design = settings().merge(pd.DataFrame(rows, columns=["loss", "run", "seed"]), how="cross")
    return design[design["loss"] <= 1.001 * design["loss_max"].astype(float)]


def scenario(*, run: str, loss: float, seed: int, **setting: Any) -> Scenario:
    """Return a run at a setting: a name of `TRANSFERS` or `STEADY` at a loss rate."""
    if run in TRANSFERS:
        size = round(TRANSFERS[run] * float(setting["megabyte"]))
        what: dict[str, Any] = {"transfer_bytes": size, "duration_s": TRANSFER_LIMIT_S}
    else:
        duration_s, control = STEADY[run]
        what = {"duration_s": duration_s, "congestion_control": control}
    threshold = setting["initial_ssthresh"]
    found = satellite(
        loss=loss,
        seed=seed,
        segment_bytes=int(setting["payload"]),
        rate_bps=setting["link_rate"],
        ack_loss=loss if setting["ack_loss"] == "as the data" else 0.0,
        recovery="prr" if setting["recovery"] == "PRR" else "halving",
        limited_by="sender" if setting["window_limit"] == "sender" else "receiver",
        segments_per_ack=int(setting["acked_per_ack"]),
        sack=setting["sack"] == "1",
        min_rto_s=float(setting["min_rto"]),
        lost_retransmissions="detected"
        if setting["lost_retransmission"] == "detected"
        else "timeout",
        initial_ssthresh_segments=None if threshold == "none" else int(threshold),
        **what,
    )
    if setting["loss_location"] == "forward":
        return found
    # Losses are drawn on a link of no length, and the queue stands behind it.
    there, back = found.links
    lossy = duplex(
        there.source,
        "queue",
        rate_bps=FASTEST_BPS,
        delay_s=0.0,
        queue_packets=there.queue_packets,
        loss_per_packet=loss,
        backward={"loss_per_packet": 0.0},
    )
    behind = Link(**(dict(there) | {"source": "queue", "loss_per_packet": 0.0}))
    return found.replace(links=[*lossy, behind, Link(**(dict(back) | {"target": "queue"}))])


def sender(sack: str, recovery: str, lost_retransmission: str) -> str:
    """Return which of ns-2's senders comes nearest to a setting: of `inverse.RECOVERIES`."""
    own_sack, own_newreno, linux_at_once, linux_halving = inverse.RECOVERIES
    if sack == "0":
        return own_newreno
    if recovery == "PRR":
        return linux_halving
    return linux_at_once if lost_retransmission == "detected" else own_sack


_REPAIRS = ["sack", "recovery", "lost_retransmission"]


def settings_on_ns2() -> pd.DataFrame:
    """Return the settings as ns-2 has them: with `sender` for what repairs losses."""
    table = settings()
    senders = [sender(*row) for row in table[_REPAIRS].itertuples(index=False)]
    return table.drop(columns=_REPAIRS).assign(sender=senders)


def scenario_on_ns2(*, loss_location: str, **given: Any) -> Scenario:
    """Return a run at a setting as ns-2 has it (see `scenario`)."""
    found = scenario(**given, loss_location="forward")
    repairs = inverse.RECOVERIES[sender(*(given[name] for name in _REPAIRS))]
    [flow] = found.flows
    fields = {
        "sack": repairs.get("sack", True),
        "recovery": repairs.get("recovery", "halving"),
        "lost_retransmissions": "detected",  # ns-2's senders do as they do
    }
    where = "at the end" if loss_location == "forward" else "before the queue"
    return found.replace(
        flows=[flow.model_dump() | fields],
        ns2=Ns2(own_hybla=repairs.get("own_hybla", False), losses=where),
    )


# What Linux does whatever a setting says: parameters, and the values of theirs that it has.
ALWAYS_ON_LINUX = {"recovery": "PRR", "lost_retransmission": "detected"}


def settings_on_linux() -> pd.DataFrame:
    """Return the settings as Linux has them: without what is the same in all of them there."""
    return settings().drop(columns=list(ALWAYS_ON_LINUX))


def scenario_on_linux(**given: Any) -> Scenario:
    """Return a run at a setting as Linux has it (see `scenario`)."""
    return scenario(**given | ALWAYS_ON_LINUX)


def measured(result: Result) -> dict[str, float]:
    """Return what is archived of a run: goodput_bps and transfer_time_s (missing without one)."""
    [row] = result.flow_rows()
    time_s = row.get("transfer_time_s")
    return {
        "goodput_bps": row["goodput_bps"],
        "transfer_time_s": float("nan") if time_s is None else time_s,
    }


def _of_a_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return what makes the scenario of a row of an archive."""
    names = [*settings().columns.drop("setting"), "run", "loss", "seed"]
    return {name: row[name] for name in names}


def _archived(result: Result) -> dict[str, float]:
    return joint.rounded(measured(result))


def archived_scenario(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of the archive."""
    return scenario(**_of_a_row(row))


def archived_on_ns2(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of ns-2's archive."""
    return scenario_on_ns2(**_of_a_row(row))


def archived_on_linux(row: dict[str, Any]) -> Scenario:
    """Return the scenario of a row of Linux's archive."""
    return scenario_on_linux(**_of_a_row(row))


POINT = Point(archived_scenario, _archived)
POINT_ON_NS2 = Point(archived_on_ns2, _archived)
POINT_ON_LINUX = Point(archived_on_linux, _archived)


# --- what the claims make of it


def compared(points: pd.DataFrame) -> pd.DataFrame:
    """Return a row a run beside the model's: setting, method, transfer, metric, loss, seed,
    difference.

    `method` is "" where the run stands beside both of the paper's. Time is taken as each setting
    has it. The authors are taken to know their megabytes and what their packets carry: the model is
    asked for these.
    """
    tables = [table for _, runs in points.groupby("setting") for table in _of_a_setting(runs)]
    columns = ["setting", SCATTER, "method", "transfer", "metric", "loss", "seed", "difference"]
    return pd.concat(tables, ignore_index=True)[columns]


def _of_a_setting(runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    first = runs.iloc[0]
    megabyte = float(first["megabyte"]) / 1e6
    at = plan.setting(
        loss_rates=sorted(runs["loss"].unique()),
        transfer_megabytes=[megabyte * number for number in TRANSFERS.values()],
        segment_bytes=int(first["payload"]),
    )
    runs = runs.assign(leg="segment", parameter="", value="", experiment=ARCHIVE)

    def beside(own: pd.DataFrame, modelled: str, metric: str, **columns: str) -> pd.DataFrame:
        table = each_beside_model(at, own, modelled, metric)
        same = {name: first[name] for name in ("setting", SCATTER)}
        return table.assign(**same, seed=own["seed"], metric=metric, **columns)

    for run, method in {
        SIMULATED: "simulation",
        AS_STATED: "simulation",
        EMULATED: "emulation",
    }.items():
        steady = runs[runs["run"] == run]
        if steady.empty:
            continue
        steady = steady.assign(**{"Mb/s": steady["goodput_bps"] / 1e6})
        yield beside(steady, "steady", "throughput", transfer="steady", method=method)
    later_s = TIMING_ROUND_TRIPS[first["transfer_time"]] * at.rtt_s
    for (run, size), transfer in zip(TRANSFERS.items(), at.segments, strict=True):
        own = runs[runs["run"] == run]
        time_s = own["transfer_time_s"] + later_s
        own = own.assign(transfer_time_s=time_s, **{"Mb/s": 8 * size * megabyte / time_s})
        for metric in QUANTITIES:
            yield beside(own, transfer, metric, transfer=run, method="")


def evidence(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the claims that are measured on simulations are judged by at each setting.

    Columns: claim, setting (its number), measured, low, high, runs, count. Scatter is of
    `joint.means`.
    """
    claims = papers.claims("hybla")
    claims = claims[claims["method"].notna() & ~claims["id"].isin(TOO_FINE)]
    return _evidence(_over_newreno(points), *_beside_model(claims, points))


def evidence_on_ns2(points: pd.DataFrame) -> pd.DataFrame:
    """Return the same of runs on ns-2, for the claims about the paper's simulation."""
    claims = papers.claims("hybla")
    return _evidence(*_beside_model(claims[claims["method"] == "simulation"], points))


def evidence_on_linux(points: pd.DataFrame) -> pd.DataFrame:
    """Return the same of runs on Linux, for the claims about the paper's emulation."""
    claims = papers.claims("hybla")
    return _evidence(*_beside_model(claims[claims["method"] == "emulation"], points))


def _evidence(*tables: pd.DataFrame) -> pd.DataFrame:
    columns = ["claim", "setting", "measured", "low", "high", "runs", "count"]
    return pd.concat(tables, ignore_index=True)[columns]


def _beside_model(claims: pd.DataFrame, points: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Return the evidence on claims about differences from the model, and on that it is valid."""
    apart = compared(points)
    end = points.groupby("setting")["loss_max"].first().astype(float)
    for claim in claims.itertuples():
        yield _of_differences(claim, apart, end)
    if "simulation" not in set(claims["method"]):  # by which it is judged whether it is valid
        return
    (valid,) = papers.claims("hybla").query("id == 'hybla-s5-valid'").itertuples()
    for transfer in ("steady", *list(TRANSFERS)[1:]):
        part = valid._replace(transfer=transfer, metric="throughput", method="simulation")
        yield _of_differences(part, apart, end)


def _of_differences(claim: Any, apart: pd.DataFrame, end: pd.Series) -> pd.DataFrame:
    """Return the evidence on a claim about differences from the model.

    `end` is each setting's largest loss rate, to which claims go that go to the stated one.
    """
    here = apart[(apart["transfer"] == claim.transfer) & (apart["metric"] == claim.metric)]
    here = here[here["method"].isin([claim.method, ""])]
    table = joint.means(here, "loss", "difference", SCATTER)
    last = claim.loss_max if claim.loss_max < LARGEST_STATED else table["setting"].map(end)
    table = table[(table["loss"] >= 0.999 * claim.loss_min) & (table["loss"] <= 1.001 * last)]
    if claim.rule != "maximum":  # how far from the model, on whichever side
        table = joint.mean_evidence(table.assign(mean=table["mean"].abs()))
        return table.assign(claim=claim.id)
    table["scale"] = table["deviation"] * np.sqrt(1 / PRINTED_REPETITIONS + 1 / table["count"])
    rows: list[dict[str, float]] = []
    for number, own in table.groupby("setting"):
        columns = (own["mean"], own["scale"], own["freedom"] + 1)
        found, _ = statistics.largest_absolute(*(one.to_numpy() for one in columns))
        counts = {"runs": own["freedom"].min() + 1, "count": own["count"].min()}
        rows.append(found | {"setting": number} | counts)
    return pd.DataFrame(rows).assign(claim=claim.id)


def _over_newreno(points: pd.DataFrame) -> pd.DataFrame:
    """Return the evidence that Hybla carries more than NewReno: their ratio, seed by seed."""
    runs = points[points["run"].isin([SIMULATED, NEWRENO])]
    wide = runs.pivot(
        index=["setting", SCATTER, "loss", "seed"], columns="run", values="goodput_bps"
    )
    ratio = np.log(wide[SIMULATED] / wide[NEWRENO]).rename("ratio").dropna().reset_index()
    table = joint.mean_evidence(joint.means(ratio, "loss", "ratio", SCATTER))
    ends = {name: np.exp(table[name]) for name in ("measured", "low", "high")}
    return table.assign(claim="hybla-s1-reno", **ends)


LEGS = (
    Leg(engine="segment", archive=ARCHIVE, settings=settings, evidence=evidence),
    Leg(engine="ns2", archive=ON_NS2, settings=settings_on_ns2, evidence=evidence_on_ns2),
    Leg(engine="linux", archive=ON_LINUX, settings=settings_on_linux, evidence=evidence_on_linux),
)
