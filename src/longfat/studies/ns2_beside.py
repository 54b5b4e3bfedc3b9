"""ns-2 beside the other engines, a sender and a loss rate at a time: the data of the page ns2.

The scenarios are those of the page cross-check (`network.reference`), so that what it has of ns-3
and of Linux stands beside. How a difference comes about is shown by a change of one thing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from longfat import statistics
from longfat.engines.ns2.planning import HEADER_BYTES, TIMESTAMP_BYTES, algorithms
from longfat.network import reference
from longfat.scenario import Scenario
from longfat.sweeps import can_run, sweep

LOSSES = (1e-4, 1e-3, 1e-2)
SEEDS = range(1, 6)
PATH: dict[str, Any] = {
    "rate_bps": 10e6,
    "rtt_s": 0.1,
    "duration_s": 60.0,
}  # of the page cross-check
HEADERS = {"highspeed": "highspeed", "scalable": "scalable"}  # ours, of Linux's


@dataclass(frozen=True)
class Switch:
    """One thing that parts a sender on ns-2 from ours, undone.

    `on_ns2` and `ours` are the fields of a flow that are others there and here, `path` those of the
    path of both; `losses` are where it is at work.
    """

    control: str
    words: str
    losses: Sequence[float] = LOSSES
    on_ns2: Mapping[str, Any] = field(default_factory=dict)
    ours: Mapping[str, Any] = field(default_factory=dict)
    path: Mapping[str, Any] = field(default_factory=dict)


def _ours(control: str, **parameters) -> dict[str, Any]:
    return {"congestion_control": {"name": control, "parameters": parameters}}


AT_ONCE = {"recovery": "halving"}
NO_OVERFLOW = {"receive_buffer_bytes": 200_000}  # the pipe and its queue hold 238 packets
WIRE_BYTES = 1000 + HEADER_BYTES + TIMESTAMP_BYTES  # of a full segment
# Scalable's module adds a segment for as many ACKs as the window has, up to 50, and takes an eighth
# of the window in whole segments, rounded down: of the 25 segments that it has at a loss of 1e-2,
# 10.7 % in the mean. YeAH's does the same while no queue stands.
BELOW_50 = _ours("gaimd", increase_segments=1.0, decrease=0.107)
# What a sender does there, and so what is done here or undone there.
SWITCHES = (
    Switch("bic", "both: no overflow at the start", (1e-4,), NO_OVERFLOW, NO_OVERFLOW),
    Switch(
        "bic",
        "ours: 10 round trips of search in place of 5",
        (1e-3, 1e-2),
        ours=_ours("bic", smooth_part=10),
    ),
    Switch("htcp", "ours: a loss always takes half", ours=_ours("htcp", throughput_ratio=0.0)),
    Switch("hybla", "both: no overflow at the start", LOSSES, NO_OVERFLOW, NO_OVERFLOW),
    Switch(
        "illinois",
        "ours: 7/8 lost where 1/8 should be; ns-2: halved at once",
        LOSSES,
        AT_ONCE,
        _ours("illinois", beta_min=0.875, beta_max=0.88),
    ),
    Switch(
        "lp",
        "both: a segment takes the link 1 ms; ours: Reno",
        (1e-3, 1e-2),
        ours=_ours("reno"),
        path={"rate_bps": 8e3 * WIRE_BYTES},
    ),
    Switch(
        "scalable",
        "ours: a segment for 50 ACKs; ns-2: halved at once",
        (1e-3,),
        AT_ONCE,
        _ours("scalable", increase_segments=0.02, legacy_window_segments=2.0),
    ),
    Switch(
        "scalable",
        "ours: a segment a round trip, 10.7 % lost; ns-2: halved at once",
        (1e-2,),
        AT_ONCE,
        BELOW_50,
    ),
    Switch(
        "vegas",
        "ours: a segment in two round trips, and half lost",
        ours=_ours("gaimd", increase_segments=0.5, decrease=0.5),
    ),
    Switch("westwood-plus", "both: no overflow at the start", (1e-4,), NO_OVERFLOW, NO_OVERFLOW),
    Switch(
        "yeah",
        "ours: a segment a round trip, 10.7 % lost; ns-2: halved at once",
        (1e-2,),
        AT_ONCE,
        BELOW_50,
    ),
)


def controls() -> list[str]:
    """Return the congestion controls that are compared: all that ns-2 has."""
    return [name for name in algorithms() if name != "highspeed"]


def scenario(
    control: str, loss: float, seed: int, path: Mapping[str, Any] | None = None, **flow
) -> Scenario:
    """Return a run over the path of the page cross-check, with changes of path and flow."""
    changed = PATH | dict(path or {})
    found = reference(congestion_control=control, loss=loss, seed=seed, **changed)
    return found.with_(flows=[found.flows[0].model_dump() | flow]) if flow else found


def runs(controls: Sequence[str], losses: Sequence[float] = LOSSES) -> pd.DataFrame:
    """Run each control at each loss rate on ns-2 and on the segment engine.

    On the segment engine with the recovery that its sender on ns-2 has: halving at once for ns-2's
    own, proportional rate reduction for its Linux agents, whose rate halving it replaces. What this
    machine can neither run nor find is left out. Columns: engine, control, loss, seed, those of
    `sweep`.
    """
    design = statistics.combinations(control=list(controls), loss=losses, seed=SEEDS)
    legs = {}
    for engine in ("ns2", "segment"):
        scenarios = []
        for run in design.itertuples():
            own = run.control in ("newreno", "reno")
            recovery = "halving" if own and engine == "segment" else "prr"
            name = _name(run.control, engine)
            scenarios.append(scenario(name, run.loss, run.seed, recovery=recovery))
        if can_run(scenarios, engine):
            experiment = f"ns2-beside-{engine}"
            legs[engine] = sweep(scenarios, engine, experiment=experiment, labels=design)
    if not legs:
        return pd.DataFrame(columns=["engine", *design, "goodput_bps"])
    return pd.concat(legs, names=["engine", None]).reset_index(level=0)


def _name(control: str, engine: str) -> str:
    return HEADERS.get(control, control) if engine == "segment" else control


def switches(runs: pd.DataFrame) -> pd.DataFrame:
    """Run each of `SWITCHES` beside what `runs` has of the same senders.

    A row a switch and loss rate. Columns: control; switch; loss; ns-2 and segment engine, mean
    goodputs in Mb/s with the switch; before and after, how many times the segment engine's ns-2's
    is without and with it, each a dictionary as of `statistics.unpaired`. No rows where an engine
    is missing.
    """
    columns = ["control", "switch", "loss", "ns-2", "segment engine", "before", "after"]
    design = pd.DataFrame(
        [
            (place, loss, seed)
            for place, one in enumerate(SWITCHES)
            for loss in one.losses
            for seed in SEEDS
        ],
        columns=["place", "loss", "seed"],
    )
    changed = {}
    for engine in ("ns2", "segment"):
        scenarios = []
        for run in design.itertuples():
            one = SWITCHES[run.place]
            fields = {"recovery": "prr"} | dict(one.on_ns2 if engine == "ns2" else one.ours)
            name = _name(one.control, engine)
            scenarios.append(scenario(name, run.loss, run.seed, one.path, **fields))
        if can_run(scenarios, engine):
            experiment = f"ns2-beside-switches-{engine}"
            table = sweep(scenarios, engine, experiment=experiment, labels=design)
            changed[engine] = dict(list(table.groupby(["place", "loss"])["goodput_bps"]))
    if len(changed) < 2 or set(runs["engine"]) < {"ns2", "segment"}:
        return pd.DataFrame(columns=columns)
    plain = dict(list(runs.groupby(["engine", "control", "loss"])["goodput_bps"]))
    rows: list[tuple] = []
    for (place, loss), there in changed["ns2"].items():
        one, here = SWITCHES[place], changed["segment"][place, loss]
        before = (plain[engine, one.control, loss] for engine in ("ns2", "segment"))
        ratios = statistics.unpaired(*before), statistics.unpaired(there, here)
        means = there.mean() / 1e6, here.mean() / 1e6
        rows.append((one.control, one.words, loss, *means, *ratios))
    return pd.DataFrame(rows, columns=columns)


def make() -> None:
    """Run all that the page ns2 shows."""
    switches(runs(controls()))


def beside(runs: pd.DataFrame, others: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return ns-2's goodput beside that of the others, a row a control and loss rate.

    `others` are tables of runs with columns control, loss and goodput_bps, such as the archive's of
    ns-3 and of Linux, by the engine's name. Columns: control; loss; ns-2, segment engine and the
    others' names, mean goodputs in Mb/s; ratio, low and high, how many times the segment engine's
    ns-2's is, with its 95 % interval.
    """
    legs = {
        "ns-2": runs[runs["engine"] == "ns2"],
        "segment engine": runs[runs["engine"] == "segment"],
        **others,
    }
    groups = {
        name: dict(list(table.groupby(["control", "loss"])["goodput_bps"]))
        for name, table in legs.items()
    }
    rows = []
    for (control, loss), measured in groups["ns-2"].items():
        row = {"control": control, "loss": loss}
        for name, found in groups.items():
            row[name] = found[control, loss].mean() / 1e6 if (control, loss) in found else None
        if (control, loss) in groups["segment engine"]:
            found = statistics.unpaired(measured, groups["segment engine"][control, loss])
            row |= {"ratio": found["measured"], "low": found["low"], "high": found["high"]}
        rows.append(row)
    columns = ["control", "loss", *legs, "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=columns)
