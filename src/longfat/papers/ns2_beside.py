"""ns-2 beside the other engines, a sender and a loss rate at a time: the data of the page ns2.

The scenarios are those of the page cross-check (`network.reference`), so that what it has of ns-3
and of Linux stands beside. How a difference comes about is shown by a change of one thing.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from longfat import statistics
from longfat.engines.ns2.planning import algorithms
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
HEADERS = {"highspeed": "highspeed-rfc3649", "scalable": "scalable-kelly"}  # ours, of Linux's


def controls() -> list[str]:
    """Return the congestion controls that are compared: all that ns-2 has."""
    return [name for name in algorithms() if name != "highspeed-rfc3649"]


def scenario(control: str, loss: float, seed: int, **flow) -> Scenario:
    """Return a run over the path of the page cross-check, with changes of its flow."""
    found = reference(congestion_control=control, loss=loss, seed=seed, **PATH)
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
            ours = HEADERS.get(run.control, run.control) if engine == "segment" else run.control
            own = run.control in ("newreno", "reno")
            recovery = "halving" if own and engine == "segment" else "prr"
            scenarios.append(scenario(ours, run.loss, run.seed, recovery=recovery))
        if can_run(scenarios, engine):
            experiment = f"ns2-beside-{engine}"
            legs[engine] = sweep(scenarios, engine, experiment=experiment, labels=design)
    if not legs:
        return pd.DataFrame(columns=["engine", *design, "goodput_bps"])
    return pd.concat(legs, names=["engine", None]).reset_index(level=0)


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
