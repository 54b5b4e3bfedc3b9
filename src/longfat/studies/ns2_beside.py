"""ns-2 beside the other engines, a sender and a loss rate at a time: the data of the page ns2.

The scenarios are those of the page cross-check (`network.reference`), so that what it has of ns-3
and of Linux stands beside. How a difference comes about is shown by a change of one thing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd

from longfat import statistics
from longfat.engines.ns2.planning import (
    ADDED_PARAMETERS,
    HEADER_BYTES,
    TIMESTAMP_BYTES,
    algorithms,
)
from longfat.experiment import Experiment, Runs
from longfat.network import reference
from longfat.scenario import Scenario
from longfat.studies.setting import Setting

LOSSES = (1e-4, 1e-3, 1e-2)
ENGINES = ("ns2", "segment")
PATH: dict[str, Any] = {
    "rate_bps": 10e6,
    "rtt_s": 0.1,
    "duration_s": 60.0,
}  # of the page cross-check


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


def _ours(control: str, **parameters: Any) -> dict[str, Any]:
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
        "ours: 10 round trips of search in place of 20",
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
    """Return the congestion controls that are compared: all that ns-2 has of its own."""
    return [name for name in algorithms() if name not in ADDED_PARAMETERS]


def scenario(
    control: str, loss: float, seed: int, path: Mapping[str, Any] | None = None, **flow: Any
) -> Scenario:
    """Return a run over the path of the page cross-check, with changes of path and flow."""
    changed = PATH | dict(path or {})
    found = reference(congestion_control=control, loss=loss, seed=seed, **changed)
    return found.replace(flows=[found.flows[0].model_dump() | flow]) if flow else found


PLAIN, SWITCHED = (
    tuple(f"ns2-beside-{what}{engine}" for engine in ENGINES) for what in ("", "switches-")
)
LINUX = "cross-check-linux"  # the archive that has the same runs on Linux


def experiments(at: Setting) -> tuple[Experiment, ...]:
    """Return each control at each loss rate, and each of `SWITCHES`, on both engines."""
    losses = LOSSES[-1:] if at.quick else LOSSES
    chosen = ["newreno", "vegas"] if at.quick else controls()
    places = pd.DataFrame(
        [
            (place, loss)
            for place, one in enumerate(SWITCHES)
            for loss in one.losses
            if loss in losses and one.control in chosen
        ],
        columns=["place", "loss"],
    )
    kinds: tuple[tuple[tuple[str, ...], Any, Any], ...] = (
        (PLAIN, _plain, {"control": chosen, "loss": losses}),
        (SWITCHED, _switched, places),
    )
    return tuple(
        Experiment(
            name=name,
            build=partial(build, engine),
            points=points,
            repetitions=at.repetitions(5),
            engine=engine,
            labels={"engine": engine},
        )
        for names, build, points in kinds
        for name, engine in zip(names, ENGINES, strict=True)
    )


def _plain(engine: str, control: str, loss: float, seed: int) -> Scenario:
    """Return a run with the recovery that the sender on ns-2 has, on the segment engine too.

    That is halving at once for ns-2's own, proportional rate reduction for its Linux agents, whose
    rate halving it replaces.
    """
    own = control in ("newreno", "reno")
    recovery = "halving" if own and engine == "segment" else "prr"
    return scenario(control, loss, seed, recovery=recovery)


def _switched(engine: str, place: int, loss: float, seed: int) -> Scenario:
    one = SWITCHES[place]
    fields = {"recovery": "prr"} | dict(one.on_ns2 if engine == "ns2" else one.ours)
    return scenario(one.control, loss, seed, one.path, **fields)


def switches(of: Runs) -> pd.DataFrame:
    """Return each of `SWITCHES` beside the same senders without it.

    A row a switch and loss rate. Columns: control; switch; loss; ns-2 and segment engine, mean
    goodputs in Mb/s with the switch; before and after, how many times the segment engine's ns-2's
    is without and with it, each a dictionary as of `statistics.unpaired`. No rows where an engine
    is missing.
    """
    columns = ["control", "switch", "loss", "ns-2", "segment engine", "before", "after"]
    plain = [_goodputs(of.flows(name), ["control", "loss"]) for name in PLAIN]
    changed = [_goodputs(of.flows(name), ["place", "loss"]) for name in SWITCHED]
    rows: list[tuple] = []
    for (place, loss), there in changed[0].items() if all((*plain, *changed)) else ():
        one, here = SWITCHES[place], changed[1][place, loss]
        before = (goodputs[one.control, loss] for goodputs in plain)
        ratios = statistics.unpaired(*before), statistics.unpaired(there, here)
        means = there.mean() / 1e6, here.mean() / 1e6
        rows.append((one.control, one.words, loss, *means, *ratios))
    return pd.DataFrame(rows, columns=columns)


def _goodputs(runs: pd.DataFrame, by: list[str]) -> dict[Any, pd.Series]:
    return dict(list(runs.groupby(by)["goodput_bps"]))


def goodput_comparison(of: Runs) -> pd.DataFrame:
    """Return ns-2's goodput beside the segment engine's and Linux's, a row a control and loss rate.

    Linux's are those of the page cross-check, from the archive. Columns: control; loss; ns-2,
    segment engine and Linux, mean goodputs in Mb/s (missing where there is none); ratio, low and
    high, how many times the segment engine's ns-2's is, with its 95 % interval.
    """
    linux = of.archived(LINUX).rename(
        columns={
            "flows.0.congestion_control.name": "control",
            "links.0.loss_per_packet": "loss",
        }
    )
    by = ["control", "loss"]
    legs = {
        "ns-2": _goodputs(of.flows(PLAIN[0]), by),
        "segment engine": _goodputs(of.flows(PLAIN[1]), by),
        "Linux": _goodputs(linux, by),
    }
    rows = []
    for (control, loss), measured in legs["ns-2"].items():
        row = {"control": control, "loss": loss}
        for name, found in legs.items():
            row[name] = found[control, loss].mean() / 1e6 if (control, loss) in found else None
        if (control, loss) in legs["segment engine"]:
            found = statistics.unpaired(measured, legs["segment engine"][control, loss])
            row |= {"ratio": found["measured"], "low": found["low"], "high": found["high"]}
        rows.append(row)
    return pd.DataFrame(rows, columns=[*by, *legs, "ratio", "low", "high"])
